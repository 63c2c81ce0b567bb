/* A program in a container: B[n,m] from A[n,m], in two kernels with a temporary
 * T[n+1,2].
 */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "rt_test.h"
#include "runtime/image/image.h"
#include "runtime/program.h"

extern struct cetane_rt_size sizes[2];
extern struct cetane_rt_array arrays[4];
extern struct cetane_rt_arg arg0[3];
extern struct cetane_rt_kernel kernels[2];
extern struct cetane_rt_record record;

/* What the kernels of the host device were given. */
struct seen {
	unsigned grid[3], block[3];
	uint64_t arg[3];
	int calls;
};
extern struct seen seen[2];

#define CUBIN(cc, a) { .kind = CETANE_RT_CUBIN, .capability = cc, \
	.specific = a, .ptx = 78, .data = "\177ELF " #cc " " #a, \
	.size = sizeof("\177ELF " #cc " " #a), .record = &record }
#define PTX(cc) { .kind = CETANE_RT_PTX, .capability = cc, .ptx = 78, \
	.data = "ptx " #cc, .size = sizeof("ptx " #cc), .record = &record }
#define HOST { .kind = CETANE_RT_HOST, .record = &record }
enum { N_IMAGE = 7 };
extern const struct cetane_rt_image images[N_IMAGE];

/* A program with the "n" images "im"; one whose first kernel has clusters; drop what
 * make has made, once nothing of it is loaded.
 */
void make(struct cetane_program *p, const struct cetane_rt_image *im, int n);
void make_clusters(struct cetane_program *p, int cluster0, int cluster1);
void drop(struct cetane_program *p);

#endif
