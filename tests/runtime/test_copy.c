/* Check asynchronous copies on the host device: they land when their thread
 * waits for them, in groups, and no sooner; and each check finds the fault that
 * is planted for it.
 *
 * The kernels call the copies as generated code does. Array "a" has the
 * elements 0, 1, 2, ..., "b" receives what they find.
 */
#include "rt_test.h"

#define ALL (CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE)

enum { N = 16, SHARED = 64, UNSET = -1 };

static const char *const site[] = { "a.dsl:1: A", "a.dsl:2: S" };

#define A (*(int32_t **) args[0])
#define B (*(int32_t **) args[1])
#define S ((volatile int32_t *) t->shared)

/* Copy "n" of "size" bytes of A from "from" on to S[to], a group of its own. */
static void copy(struct cetane_host_thread *t, void **args, int to, int from,
	uint32_t size, uint32_t n)
{
	cetane_host_copy(t, (int32_t *) t->shared + to, A, A + from, size, n,
		1, 0);
	cetane_host_copy_commit(t);
}

/* S[i] as generated code reads it. */
static int32_t read_shared(struct cetane_host_thread *t, int i)
{
	if (!cetane_host_check(t, t->shared, (int32_t *) t->shared + i, 4,
		CETANE_HOST_SHARED, 1))
		return UNSET;
	return S[i];
}

/* What "kernel" leaves in "out" in a block of "threads" threads. Returns what
 * was found, which lives as long as the device; that is "*dev".
 */
static const char *run(cetane_host_kernel kernel, unsigned checks,
	unsigned threads, int32_t out[N], struct cetane_device **dev,
	struct cetane_function **fn)
{
	const struct rt_kernel k = { "copies", kernel, 2 };
	const unsigned grid[3] = { 1, 1, 1 }, block[3] = { threads, 1, 1 };
	cetane_ptr a, b;
	int32_t in[N];
	void *args[2] = { &a, &b };

	for (int i = 0; i < N; i++)
		in[i] = i;
	*dev = rt_open(checks, 0);
	*fn = rt_function(*dev, &k, site, 2);
	OK(cetane_malloc(*dev, sizeof(in), &a));
	OK(cetane_malloc(*dev, sizeof(in), &b));
	OK(cetane_copy_to_device(*dev, a, in, sizeof(in), NULL));
	OK(cetane_launch(*fn, grid, block, SHARED, NULL, args));
	OK(cetane_stream_synchronize(*dev, NULL));
	OK(cetane_copy_from_device(*dev, out, b, sizeof(in), NULL));
	OK(cetane_stream_synchronize(*dev, NULL));
	return rt_finding(*dev);
}

static void done(struct cetane_device *dev, struct cetane_function *fn)
{
	cetane_module_unload(*(struct cetane_module **) fn);
	cetane_device_close(dev);
}

/* Nothing is found, and "b" begins with the "n" values "want". */
static void expect(cetane_host_kernel kernel, unsigned checks,
	const int32_t *want, int n)
{
	struct cetane_device *dev;
	struct cetane_function *fn;
	int32_t out[N];

	assert_string_equal(run(kernel, checks, 1, out, &dev, &fn), "");
	assert_memory_equal(out, want, n * sizeof(*want));
	done(dev, fn);
}

/* What is found has "text" in it. */
static void finds(cetane_host_kernel kernel, unsigned checks, unsigned threads,
	const char *text)
{
	struct cetane_device *dev;
	struct cetane_function *fn;
	int32_t out[N];

	HAS(run(kernel, checks, threads, out, &dev, &fn), text);
	assert_int_equal(cetane_host_findings(dev), 1);
	done(dev, fn);
}

/* ----------------------------------------------------------------- landing */

/* Three groups, of which a wait leaves two, one and none. */
static void lands_late(struct cetane_host_thread *t, void **args)
{
	int at = 0;

	for (int i = 0; i < 3; i++)
		S[i] = UNSET;
	for (int i = 0; i < 3; i++)
		copy(t, args, i, 5 + i, 4, 4);
	B[at++] = S[0];
	for (int left = 2; left >= 0; left--) {
		cetane_host_copy_wait(t, left);
		for (int i = 0; i < 3; i++)
			B[at++] = S[i];
	}
}

static void test_landing(void **state)
{
	const int32_t want[] = { UNSET, 5, UNSET, UNSET, 5, 6, UNSET, 5, 6,
		7 };

	(void) state;
	expect(lands_late, 0, want, 10);
	expect(lands_late, ALL, want, 10);
}

/* Copies belong to the group that is closed behind them; an empty one counts. */
static void groups(struct cetane_host_thread *t, void **args)
{
	S[0] = S[1] = S[2] = UNSET;
	cetane_host_copy(t, (int32_t *) t->shared, A, A + 5, 4, 4, 1, 0);
	copy(t, args, 1, 6, 4, 4);
	cetane_host_copy_commit(t);
	copy(t, args, 2, 7, 4, 4);
	cetane_host_copy_wait(t, 2);
	for (int i = 0; i < 3; i++)
		B[i] = S[i];
}

static void test_groups(void **state)
{
	const int32_t want[] = { 5, 6, UNSET };

	(void) state;
	expect(groups, ALL, want, 3);
}

/* More than the queue has room for at first. */
static void many(struct cetane_host_thread *t, void **args)
{
	for (int i = 0; i < 100; i++)
		copy(t, args, i % N, i < 50 ? 1 : i % N, 4, 4);
	cetane_host_copy_wait(t, 0);
	for (int i = 0; i < N; i++)
		B[i] = read_shared(t, i);
}

/* What is not copied is 0, and is not read: it may lie outside the array. */
static void partly(struct cetane_host_thread *t, void **args)
{
	copy(t, args, 0, 2, 8, 4);
	copy(t, args, 2, 1000000, 4, 0);
	cetane_host_copy_wait(t, 0);
	for (int i = 0; i < 3; i++)
		B[i] = read_shared(t, i);
}

static void test_values(void **state)
{
	const int32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, part[] = { 2, 0, 0 };

	(void) state;
	expect(many, ALL, all, 8);
	expect(partly, ALL, part, 3);
}

/* ------------------------------------------------------------------ faults */

static void no_wait(struct cetane_host_thread *t, void **args)
{
	copy(t, args, 0, 1, 4, 4);
	read_shared(t, 0);
	cetane_host_copy_wait(t, 0);
}

/* The wait leaves the group under way that is read. */
static void short_wait(struct cetane_host_thread *t, void **args)
{
	copy(t, args, 0, 1, 4, 4);
	copy(t, args, 1, 2, 4, 4);
	cetane_host_copy_wait(t, 1);
	read_shared(t, 0);
	read_shared(t, 1);
	cetane_host_copy_wait(t, 0);
}

/* A barrier is missing between the wait and what the neighbour copied. */
static void no_barrier(struct cetane_host_thread *t, void **args)
{
	copy(t, args, t->tid[0], 1, 4, 4);
	cetane_host_copy_wait(t, 0);
	if (t->tid[0])
		read_shared(t, 0);
}

static void read_past(struct cetane_host_thread *t, void **args)
{
	copy(t, args, 0, N, 4, 4);
	cetane_host_copy_wait(t, 0);
}

static void write_past(struct cetane_host_thread *t, void **args)
{
	copy(t, args, SHARED / 4, 1, 4, 4);
	cetane_host_copy_wait(t, 0);
}

static void test_faults(void **state)
{
	(void) state;
	finds(no_wait, CETANE_CHECK_INIT, 1, "reads shared byte 0 of 64");
	finds(short_wait, CETANE_CHECK_INIT, 1, "reads shared byte 4 of 64");
	finds(no_barrier, CETANE_CHECK_RACE, 2, "thread 1 reads shared byte 0");
	finds(read_past, CETANE_CHECK_BOUNDS, 1, "reads 4 bytes at byte 64 of "
		"a global array of 64 bytes at a.dsl:1: A");
	finds(write_past, CETANE_CHECK_BOUNDS, 1, "writes 4 bytes at byte 64 "
		"of a shared array of 64 bytes at a.dsl:2: S");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_landing),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
