/* A program of two kernels for tests of the runtime, and the fake driver that
 * runs it: "first" writes T = A + 1 to the workspace, "second" B = 2 * T, for
 * PAIR_N numbers of type i32.
 */
#ifndef PAIR_H
#define PAIR_H

#include "fake_cuda.h"
#include "runtime/image/image.h"
#include "runtime/program.h"

enum { PAIR_N = 37 };

/* The fake driver, which the runtime opens, too. */
extern struct fake_cuda *pair_fake;
/* Open the fake driver "path"; false, having said so, if that fails. */
bool pair_open(const char *path);

/* One image to be made: a cubin or PTX, or the host's with capability 0. Its
 * bytes are "cubin 90a" and the like.
 */
struct pair_image {
	int capability;
	bool specific, ptx;
};
/* A program with "n" images, each of which has a launch record of its own:
 * see pair_expect. Call pair_drop in the end.
 */
void pair_make(struct cetane_program *p, const struct pair_image *image,
	int n);
void pair_drop(struct cetane_program *p);
/* What the launches of image "i" must be: grid, block and shared memory of
 * kernel "k". Grids are those for PAIR_N.
 */
void pair_expect(int i, int k, struct fake_launch *l);
/* Launch "p" on "stream" with arrays of PAIR_N numbers. */
int pair_launch(struct cetane_program *p, void *stream, const int32_t *a,
	int32_t *b, void *work, bool checked);
/* What the fake driver does at a launch: both kernels. */
void pair_kernel(const struct fake_launch *l);

#endif
