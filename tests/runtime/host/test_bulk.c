/* Check copies in bulk on the host device, and the barriers that count their
 * bytes: they land when a thread of the block waits for the phase in which they were
 * started, and no sooner; phases follow one another; and each check finds the fault
 * that is planted for it.
 *
 * The kernels call them as generated code does. Array "a" has rows of four
 * elements, r, r + 1, r + 2, r + 3 in row r, the last of which is cut; "b" receives
 * what they find.
 */
#include <stdbool.h>
#include "rt_test.h"

#define ALL (CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT | CETANE_CHECK_RACE)

enum { N = 64, CUT = 2, SHARED = 64, ROW = 16, BARRIER = SHARED - 8, UNSET = -1 };

static const char *const site[] = { "a.dsl:1: A", "a.dsl:2: S" };

#define A (*(int32_t **) args[0])
#define B (*(int32_t **) args[1])
#define S ((volatile int32_t *) t->shared)
#define I (t->tid[0])

static void *barrier(struct cetane_host_thread *t)
{
	return (char *) t->shared + BARRIER;
}

/* Copy the row "from" of A to S[to]. */
static void copy(struct cetane_host_thread *t, void **args, int to, int from)
{
	cetane_host_copy_bulk(t, (int32_t *) t->shared + to, barrier(t), A,
		A + 4 * from, ROW, 1, 0);
}

/* Thread 0 makes the barrier, which "count" arrivals end; all have seen it. */
static void begin(struct cetane_host_thread *t, uint32_t count)
{
	if (I == 0)
		cetane_host_mbarrier_init(t, barrier(t), count);
	cetane_host_barrier(t, 0);
}

/* S[i] as generated code reads it. */
static int32_t read_shared(struct cetane_host_thread *t, int i)
{
	if (!cetane_host_check(t, t->shared, (int32_t *) t->shared + i, 4,
		CETANE_HOST_SHARED, 1))
		return UNSET;
	return S[i];
}

/* What "kernel" leaves in "out" in a block of "threads" threads, in the order of
 * "seed"; "text" is in what is found, which is nothing if that is "".
 */
static void expect(cetane_host_kernel kernel, unsigned threads, uint64_t seed,
	enum cetane_status status, const char *text, int32_t out[N])
{
	const struct rt_kernel k = { "copies", kernel, 2 };
	const unsigned grid[3] = { 1, 1, 1 }, block[3] = { threads, 1, 1 };
	struct cetane_device *dev = rt_open(ALL, seed);
	struct cetane_function *fn = rt_function(dev, &k, site, 2);
	cetane_ptr a, b;
	int32_t in[N];
	void *args[2] = { &a, &b };

	for (int i = 0; i < N; i++)
		in[i] = i / 4 + i % 4;
	OK(cetane_malloc(dev, (N - CUT) * sizeof(*in), &a));
	OK(cetane_malloc(dev, sizeof(in), &b));
	OK(cetane_copy_to_device(dev, a, in, (N - CUT) * sizeof(*in), NULL));
	OK(cetane_launch(fn, grid, block, SHARED, NULL, args));
	assert_int_equal(cetane_stream_synchronize(dev, NULL), status);
	if (*text)
		HAS(rt_finding(dev), text);
	else
		assert_string_equal(rt_finding(dev), "");
	OK(cetane_copy_from_device(dev, out, b, sizeof(in), NULL));
	OK(cetane_stream_synchronize(dev, NULL));
	cetane_module_unload(*(struct cetane_module **) fn);
	cetane_device_close(dev);
}

static void finds(cetane_host_kernel kernel, unsigned threads,
	enum cetane_status status, const char *text)
{
	int32_t out[N];

	expect(kernel, threads, 0, status, text, out);
}

/* ----------------------------------------------------------------- landing */

/* Two phases: what the first one copies is there when it was waited for, and not
 * what the second one does.
 */
static void phases(struct cetane_host_thread *t, void **args)
{
	S[0] = S[4] = UNSET;
	begin(t, 1);
	cetane_host_mbarrier_expect(t, barrier(t), ROW);
	copy(t, args, 0, 5);
	B[0] = S[0];
	cetane_host_mbarrier_wait(t, barrier(t), 0);
	B[1] = read_shared(t, 0);
	cetane_host_mbarrier_expect(t, barrier(t), ROW);
	copy(t, args, 4, 7);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
	B[2] = S[4];
	cetane_host_mbarrier_wait(t, barrier(t), 1);
	B[3] = read_shared(t, 4);
}

static void test_phases(void **state)
{
	const int32_t want[] = { UNSET, 5, UNSET, 7 };
	int32_t out[N];

	(void) state;
	expect(phases, 1, 0, CETANE_OK, "", out);
	assert_memory_equal(out, want, sizeof(want));
}

/* Each thread but the first starts a row, and all wait for all rows: whoever comes
 * first waits until the last one has been started.
 */
static void shared_rows(struct cetane_host_thread *t, void **args)
{
	begin(t, 1);
	if (I == 3)
		cetane_host_mbarrier_expect(t, barrier(t), 3 * ROW);
	if (I)
		copy(t, args, 4 * (I - 1), I);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
	cetane_host_barrier(t, 0);
	for (int i = 0; I == 0 && i < 12; i++)
		B[i] = read_shared(t, i);
}

static void test_threads(void **state)
{
	int32_t out[N];

	(void) state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		expect(shared_rows, 4, seed, CETANE_OK, "", out);
		for (int i = 0; i < 12; i++)
			assert_int_equal(out[i], 1 + i / 4 + i % 4);
	}
}

/* More than the queue has room for at first. */
static void many(struct cetane_host_thread *t, void **args)
{
	begin(t, 1);
	cetane_host_mbarrier_expect(t, barrier(t), 100 * ROW);
	for (int i = 0; i < 100; i++)
		copy(t, args, 0, i < 50 ? 2 : 3);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
	B[0] = read_shared(t, 0);
}

static void test_many(void **state)
{
	int32_t out[N];

	(void) state;
	expect(many, 1, 0, CETANE_OK, "", out);
	assert_int_equal(out[0], 3);
}

/* ------------------------------------------------------------------ faults */

static void start(struct cetane_host_thread *t, void **args, int from,
	uint32_t bytes)
{
	begin(t, 1);
	if (I)
		return;
	cetane_host_mbarrier_expect(t, barrier(t), bytes);
	copy(t, args, 0, from);
}

static void no_wait(struct cetane_host_thread *t, void **args)
{
	start(t, args, 1, ROW);
	read_shared(t, 0);
}

/* A wait for the phase before the first, which counts as ended. */
static void other_phase(struct cetane_host_thread *t, void **args)
{
	start(t, args, 1, ROW);
	cetane_host_mbarrier_wait(t, barrier(t), 1);
	read_shared(t, 0);
}

/* One row fewer is expected than is copied. */
static void too_few(struct cetane_host_thread *t, void **args)
{
	start(t, args, 1, 0);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
}

static void too_many(struct cetane_host_thread *t, void **args)
{
	start(t, args, 1, 2 * ROW);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
}

/* A row is filled that another thread reads. */
static void no_barrier(struct cetane_host_thread *t, void **args)
{
	start(t, args, 1, ROW);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
	cetane_host_barrier(t, 0);
	read_shared(t, 0);
	if (I == 1)
		copy(t, args, 0, 1);
}

static void read_past(struct cetane_host_thread *t, void **args)
{
	start(t, args, N / 4 - 1, ROW);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
}

static void test_faults(void **state)
{
	(void) state;
	finds(no_wait, 1, CETANE_OK, "reads shared byte 0 of 64");
	finds(other_phase, 1, CETANE_OK, "reads shared byte 0 of 64");
	finds(too_few, 2, CETANE_DEADLOCK,
		"2 of 2 threads wait at barrier for copies at byte 56 (0, 1)");
	finds(too_many, 2, CETANE_DEADLOCK, "2 of 2 threads wait");
	finds(no_barrier, 2, CETANE_OK, "thread 1 writes shared byte 0");
	finds(read_past, 1, CETANE_OK, "reads 16 bytes at byte 240 of a global "
		"array of 248 bytes at a.dsl:1: A");
}

/* ------------------------------------------------------------------- roles */

/* Who does what with one slot: does thread 0 ask whether it is free before it fills it
 * again, do the others hear that it is full, do all of them tell that they have read it?
 */
static struct { bool asks, hears, tell; } role;

/* Thread 0 fills S[0] twice, which the others read. No barrier of the block is between. */
static void one_slot(struct cetane_host_thread *t, void **args)
{
	void *vacant = (char *) barrier(t) - 8;

	if (I == 0)
		cetane_host_mbarrier_init(t, vacant, role.tell ? 2 : 1);
	begin(t, 1);
	for (uint32_t k = 0; k < 2; k++) {
		if (I == 0 && k && role.asks)
			cetane_host_mbarrier_wait(t, vacant, k - 1);
		if (I == 0) {
			cetane_host_mbarrier_expect(t, barrier(t), ROW);
			copy(t, args, 0, (int) k + 3);
			continue;
		}
		if (role.hears)
			cetane_host_mbarrier_wait(t, barrier(t), k);
		B[2 * k + I] = read_shared(t, 0);
		if (I == 1 || role.tell)
			cetane_host_mbarrier_arrive(t, vacant);
	}
}

static void test_roles(void **state)
{
	int32_t out[N];

	(void) state;
	role.asks = role.hears = role.tell = true;
	for (uint64_t seed = 0; seed < 8; seed++) {
		expect(one_slot, 3, seed, CETANE_OK, "", out);
		for (int k = 0; k < 4; k++)
			assert_int_equal(out[1 + k], 3 + k / 2);
	}
	role.hears = false;
	finds(one_slot, 3, CETANE_OK, "reads shared byte 0 of 64");
	role.hears = true;
	role.tell = false;
	finds(one_slot, 2, CETANE_OK, "");
	role.asks = false;
	finds(one_slot, 2, CETANE_OK, "reads shared byte 0 of 64");
	/* Thread 2 does not tell. */
	role.asks = true;
	finds(one_slot, 3, CETANE_OK, "thread 0 writes shared byte 0");
}

/* Thread 0 writes before it arrives, or right behind that: the other has waited for it. */
static bool is_late;

static void hand_on(struct cetane_host_thread *t, void **args)
{
	(void) args;
	begin(t, 1);
	if (I) {
		cetane_host_mbarrier_wait(t, barrier(t), 0);
		read_shared(t, 0);
		return;
	}
	if (is_late)
		cetane_host_mbarrier_arrive(t, barrier(t));
	if (cetane_host_check(t, t->shared, t->shared, 4, CETANE_HOST_SHARED |
			CETANE_HOST_WRITE, 1))
		S[0] = 1;
	if (!is_late)
		cetane_host_mbarrier_arrive(t, barrier(t));
}

static void test_late(void **state)
{
	(void) state;
	is_late = false;
	finds(hand_on, 2, CETANE_OK, "");
	is_late = true;
	finds(hand_on, 2, CETANE_OK, "thread 1 reads shared byte 0");
}

/* ---------------------------------------------------------------- alignment */

/* A copy of "size" bytes between byte "from" of A and byte "to" of shared memory. */
static struct { int from, to, size; } askew;

static void copy_askew(struct cetane_host_thread *t, void **args)
{
	begin(t, 1);
	cetane_host_mbarrier_expect(t, barrier(t), (uint32_t) askew.size);
	cetane_host_copy_bulk(t, (char *) t->shared + askew.to, barrier(t), A,
		(char *) A + askew.from, (uint32_t) askew.size, 1, 0);
	cetane_host_mbarrier_wait(t, barrier(t), 0);
}

/* Every place and size in units of 4 bytes: a GPU takes multiples of 16 only. */
static void test_alignment(void **state)
{
	(void) state;
	for (askew.from = 0; askew.from <= 20; askew.from += 4)
		for (askew.to = 0; askew.to <= 20; askew.to += 4)
			for (askew.size = 4; askew.size <= 20; askew.size += 4) {
				bool is = askew.from % 16 == 0 &&
					askew.to % 16 == 0 &&
					askew.size % 16 == 0;

				finds(copy_askew, 1, is ? CETANE_OK :
					CETANE_LAUNCH_FAILED, is ? "" :
					"misaligned copy in kernel copies");
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_alignment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
