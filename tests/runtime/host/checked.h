/* Kernels that call the checks and barriers of the host device as generated code does,
 * and what is expected of them.
 */
#ifndef CHECKED_H
#define CHECKED_H

#include "rt_test.h"
#include "runtime/device/device.h"

#define ALL (CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE)

/* ------------------------------------------------------- checked accesses */

static inline void store(struct cetane_host_thread *t, int32_t *base, int64_t i,
	int32_t v, unsigned flags, unsigned where)
{
	if (cetane_host_check(t, base, (char *) base + 4 * i, 4,
		flags | CETANE_HOST_WRITE, where))
		base[i] = v;
}

static inline int32_t load(struct cetane_host_thread *t, int32_t *base, int64_t i,
	unsigned flags, unsigned where)
{
	if (cetane_host_check(t, base, (char *) base + 4 * i, 4, flags, where))
		return base[i];
	return 0;
}

/* The places of accesses. */
extern const char *const site[7];

/* A case: one kernel over arrays of int32. The first argument is the array
 * "a", the second "b"; both have N elements, "a" is initialised.
 */
enum { N = 64 };
struct run {
	struct cetane_device *dev;
	struct cetane_function *fn;
	cetane_ptr a, b;
	int32_t out[N];
	enum cetane_status status;
};

struct run run(const char *name, cetane_host_kernel kernel,
	unsigned checks, uint64_t seed, unsigned blocks, unsigned threads,
	unsigned shared);
void done(struct run *r);
/* One finding, whose text contains all of the parts. */
void expect(const char *name, cetane_host_kernel kernel,
	unsigned checks, unsigned blocks, unsigned threads, unsigned shared,
	const char *const *part);
/* Nothing is found, with several orders. */
void clean(const char *name, cetane_host_kernel kernel,
	unsigned blocks, unsigned threads, unsigned shared);
#define EXPECT(kernel, checks, blocks, threads, shared, ...) \
	expect(#kernel, kernel, checks, blocks, threads, shared, \
		(const char *const[]) { __VA_ARGS__, NULL })
#define CLEAN(kernel, ...) clean(#kernel, kernel, __VA_ARGS__)

#define A (*(int32_t **) args[0])
#define B (*(int32_t **) args[1])
#define I ((int64_t) t->tid[0])
#define BLOCK ((int64_t) t->ctaid[0])
#define S ((int32_t *) t->shared)

static inline void read_fresh(struct cetane_host_thread *t, void **args)
{
	if (I > 0)
		store(t, B, I, 0, 0, 1);
	load(t, B, I, 0, 2);
}

#endif
