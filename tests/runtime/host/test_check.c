/* Check the checks of the host device: each finds the fault that is planted
 * for it, at the right place, and finds nothing in correct kernels.
 *
 * The kernels call the checks and barriers as generated code does.
 */
#include "checked.h"

/* ------------------------------------------------------------------ bounds */

static void read_past(struct cetane_host_thread *t, void **args)
{
	store(t, B, I, load(t, A, I + N - 3, 0, 0), 0, 1);
}

static void read_before(struct cetane_host_thread *t, void **args)
{
	store(t, B, I, load(t, A, I - 1, 0, 0), 0, 1);
}

static void write_past(struct cetane_host_thread *t, void **args)
{
	store(t, B, I + N - 3, 1, 0, 1);
}

/* The wrong array, far away, is still memory of the device. */
static void write_neighbour(struct cetane_host_thread *t, void **args)
{
	store(t, A, B - A, 1, 0, 0);
}

static void read_wild(struct cetane_host_thread *t, void **args)
{
	static int32_t not_device_memory[1];

	(void) args;
	load(t, not_device_memory, 0, 0, 0);
}

static void read_shared_past(struct cetane_host_thread *t, void **args)
{
	store(t, S, I, 0, CETANE_HOST_SHARED, 2);
	cetane_host_barrier(t, 0);
	store(t, B, I, load(t, S, I + 1, CETANE_HOST_SHARED, 3), 0, 1);
}

static void write_shared_past(struct cetane_host_thread *t, void **args)
{
	(void) args;
	store(t, S, I + 1, 0, CETANE_HOST_SHARED, 2);
}

static void test_bounds(void **state)
{
	(void) state;
	EXPECT(read_past, CETANE_CHECK_BOUNDS, 1, 4, 0, "out of bounds",
		"kernel read_past, block (0,0,0): thread 3 reads 4 bytes at "
		"byte 256 of a global array of 256 bytes at a.dsl:1: A");
	EXPECT(read_before, CETANE_CHECK_BOUNDS, 1, 4, 0,
		"thread 0 reads 4 bytes at byte -4 of a global array");
	EXPECT(write_past, CETANE_CHECK_BOUNDS, 1, 4, 0,
		"thread 3 writes 4 bytes at byte 256", "a.dsl:2: B");
	EXPECT(write_neighbour, CETANE_CHECK_BOUNDS, 1, 1, 0,
		"thread 0 writes 4 bytes", "a.dsl:1: A");
	EXPECT(read_wild, CETANE_CHECK_BOUNDS, 1, 1, 0,
		"reads 4 bytes of no allocation", "a.dsl:1: A");
	EXPECT(read_shared_past, CETANE_CHECK_BOUNDS, 1, 8, 32,
		"thread 7 reads 4 bytes at byte 32 of a shared array of 32 "
		"bytes at a.dsl:4: D");
	EXPECT(write_shared_past, CETANE_CHECK_BOUNDS, 1, 8, 32,
		"thread 7 writes 4 bytes at byte 32 of a shared array");
}

/* The access that was refused did not happen, the others did. */
static void test_bounds_skip(void **state)
{
	struct run r = run("write_past", write_past, CETANE_CHECK_BOUNDS, 0,
		1, 4, 0);

	(void) state;
	assert_int_equal(r.out[N - 4], (int32_t) 0xCDCDCDCD);
	assert_int_equal(r.out[N - 3], 1);
	assert_int_equal(r.out[N - 1], 1);
	done(&r);
}

/* -------------------------------------------------------------------- init */

static void read_fresh_shared(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I != 2)
		store(t, S, I, 0, CETANE_HOST_SHARED, 2);
	load(t, S, I, CETANE_HOST_SHARED, 3);
}

/* What the block before left in shared memory does not count. */
static void read_left_over(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (BLOCK == 0)
		store(t, S, I, 0, CETANE_HOST_SHARED, 2);
	else
		load(t, S, I, CETANE_HOST_SHARED, 3);
}

/* Which instance reads: of the statement that the site names, of a tile operation
 * around it, of one without indices; what a block before was at counts no more.
 */
static void read_instance(struct cetane_host_thread *t, void **args)
{
	const int64_t index[2] = { -3, INT64_C(5000000000) };

	cetane_host_instance(t, index, 2, 5);
	load(t, B, 0, 0, 4);
}

static void read_in_tile(struct cetane_host_thread *t, void **args)
{
	const int64_t index[1] = { 7 };

	cetane_host_instance(t, index, 1, 6);
	load(t, B, 0, 0, 4);
}

static void read_in_all(struct cetane_host_thread *t, void **args)
{
	cetane_host_instance(t, NULL, 0, 5);
	load(t, B, 0, 0, 4);
}

static void read_behind(struct cetane_host_thread *t, void **args)
{
	const int64_t index[1] = { 7 };

	if (BLOCK == 0)
		cetane_host_instance(t, index, 1, 5);
	else
		load(t, B, 0, 0, 4);
}

static void test_instance(void **state)
{
	(void) state;
	EXPECT(read_instance, CETANE_CHECK_INIT, 1, 1, 0, "byte 0 of 256 at "
		"a.dsl:5: E in S1[-3,5000000000], which");
	EXPECT(read_in_tile, CETANE_CHECK_INIT, 1, 1, 0, "byte 0 of 256 at "
		"a.dsl:5: E in S1 of T[7], which");
	EXPECT(read_in_all, CETANE_CHECK_INIT, 1, 1, 0, "byte 0 of 256 at "
		"a.dsl:5: E in S1[], which");
	EXPECT(read_behind, CETANE_CHECK_INIT, 2, 1, 0, "byte 0 of 256 at "
		"a.dsl:5: E in S1, which");
}

static void test_init(void **state)
{
	(void) state;
	EXPECT(read_fresh, CETANE_CHECK_INIT, 1, 4, 0, "uninitialised read in "
		"kernel read_fresh, block (0,0,0): thread 0 reads global byte "
		"0 of 256 at a.dsl:3: C");
	EXPECT(read_fresh_shared, CETANE_CHECK_INIT, 1, 4, 16,
		"thread 2 reads shared byte 8 of 16 at a.dsl:4: D");
	EXPECT(read_left_over, CETANE_CHECK_INIT, 2, 1, 16,
		"block (1,0,0): thread 0 reads shared byte 0");
}

/* Written by an unchecked kernel, or by a launch without the check. */
static void write_unseen(struct cetane_host_thread *t, void **args)
{
	B[I] = 0;
}

static void read_b(struct cetane_host_thread *t, void **args)
{
	load(t, B, I, 0, 2);
}

static void test_init_unseen(void **state)
{
	const struct rt_kernel k = { "read_b", read_b, 2 };
	const unsigned one[3] = { 1, 1, 1 };
	struct run r = run("write_unseen", write_unseen, ALL, 0, 1, 64, 0);
	struct cetane_function *fn = rt_function(r.dev, &k, site, 4);
	void *args[2] = { &r.a, &r.b };

	(void) state;
	OK(cetane_launch(fn, one, one, 0, NULL, args));
	OK(cetane_stream_synchronize(r.dev, NULL));
	assert_string_equal(rt_finding(r.dev), "");
	cetane_module_unload(*(struct cetane_module **) fn);
	done(&r);
}

/* ---------------------------------------------------------------- findings */

/* A fault at each of 100 sites. */
static void many_faults(struct cetane_host_thread *t, void **args)
{
	unsigned i;

	for (i = 0; i < 100; i++)
		load(t, A, N, 0, i);
}

static void test_many_findings(void **state)
{
	struct run r = run("many_faults", many_faults, CETANE_CHECK_BOUNDS, 0,
		1, 1, 0);
	int i;

	(void) state;
	assert_int_equal(cetane_host_findings(r.dev), 100);
	for (i = 0; i < 100; i++)
		assert_non_null(cetane_host_finding(r.dev, i));
	HAS(cetane_host_finding(r.dev, 3), "a.dsl:4: D");
	HAS(cetane_host_finding(r.dev, 7), "an unnamed place");
	HAS(cetane_host_finding(r.dev, 64), "not kept");
	assert_null(cetane_host_finding(r.dev, 100));
	assert_null(cetane_host_finding(r.dev, -1));
	done(&r);
}

/* --------------------------------------------------------------- alignment */

enum { BY_8 = 3 * CETANE_HOST_ALIGN };

static void read_by_8(struct cetane_host_thread *t, void **args)
{
	load(t, A, 2 * I, BY_8, 0);
}

static void read_between(struct cetane_host_thread *t, void **args)
{
	load(t, A, I, BY_8, 0);
}

static void write_shared_between(struct cetane_host_thread *t, void **args)
{
	(void) args;
	store(t, S, 2 * I + 3, 0, CETANE_HOST_SHARED | BY_8, 3);
}

static void write_between(struct cetane_host_thread *t, void **args)
{
	store(t, B, I, 1, BY_8, 1);
}

/* Whatever is checked, addresses are looked at. */
static void test_alignment(void **state)
{
	static const unsigned checks[] = { CETANE_CHECK_BOUNDS, CETANE_CHECK_INIT,
		CETANE_CHECK_RACE };

	(void) state;
	CLEAN(read_by_8, 1, 4, 0);
	for (int i = 0; i < 3; i++) {
		EXPECT(read_between, checks[i], 1, 2, 0, "misaligned access in kernel "
			"read_between, block (0,0,0): thread 1 reads 4 bytes of a "
			"global array at 0x", "which is no multiple of 8, at a.dsl:1: A");
		EXPECT(write_shared_between, checks[i], 1, 1, 32,
			"thread 0 writes 4 bytes of a shared array", "a.dsl:4: D");
	}
}

/* What was refused did not happen. */
static void test_alignment_skip(void **state)
{
	struct run r = run("write_between", write_between, CETANE_CHECK_BOUNDS, 0,
		1, 4, 0);

	(void) state;
	assert_int_equal(r.out[1], (int32_t) 0xCDCDCDCD);
	assert_int_equal(r.out[2], 1);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_bounds_skip),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_init_unseen),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_alignment_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
