/* Check what the host device says of races, and of blocks that run together: each fault that is planted is found, and nothing in correct kernels.
 */
#include "checked.h"

/* ------------------------------------------------------------------- races */

static void shared_write_write(struct cetane_host_thread *t, void **args)
{
	(void) args;
	store(t, S, I / 2, 0, CETANE_HOST_SHARED, 2);
}

/* A barrier is missing between the write and the neighbour's read. */
static void shared_write_read(struct cetane_host_thread *t, void **args)
{
	store(t, S, I, 7, CETANE_HOST_SHARED, 2);
	store(t, B, I, load(t, S, I ? I - 1 : 0, CETANE_HOST_SHARED, 3), 0, 1);
}

/* A barrier is missing between the read and the next write. */
static void shared_read_write(struct cetane_host_thread *t, void **args)
{
	(void) args;
	store(t, S, I, 7, CETANE_HOST_SHARED, 2);
	cetane_host_barrier(t, 0);
	load(t, S, I < 7 ? I + 1 : 7, CETANE_HOST_SHARED, 3);
	store(t, S, I, 8, CETANE_HOST_SHARED, 0);
}

/* Thread 0 reads what thread 1 read, too, then thread 1 writes it. */
static void shared_two_readers(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I == 0)
		store(t, S, 0, 7, CETANE_HOST_SHARED, 2);
	cetane_host_barrier(t, 0);
	load(t, S, 0, CETANE_HOST_SHARED, 3);
	if (I == 1)
		store(t, S, 0, 8, CETANE_HOST_SHARED, 0);
}

static void blocks_write_write(struct cetane_host_thread *t, void **args)
{
	store(t, B, I, (int32_t) BLOCK, 0, 1);
}

static void blocks_write_read(struct cetane_host_thread *t, void **args)
{
	store(t, B, BLOCK, 1, 0, 1);
	load(t, B, 0, 0, 2);
}

/* Block 0 reads first; both threads of block 1 read before one writes. */
static void blocks_read_write(struct cetane_host_thread *t, void **args)
{
	if (BLOCK == 1 || I == 0)
		load(t, A, 0, 0, 0);
	cetane_host_barrier(t, 0);
	if (BLOCK == 1 && I == 1)
		store(t, A, 0, 1, 0, 3);
}

static void global_write_read(struct cetane_host_thread *t, void **args)
{
	if (I == 0)
		store(t, B, 0, 1, 0, 1);
	load(t, B, 0, 0, 2);
}

/* Of the bytes of an access, one has another past than those before it. */
static void read_one_byte(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I == 0)
		cetane_host_check(t, S, (char *) S + 3, 1, CETANE_HOST_SHARED,
			3);
	else
		store(t, S, 0, 7, CETANE_HOST_SHARED, 0);
}

static void write_one_byte(struct cetane_host_thread *t, void **args)
{
	if (I == 0)
		cetane_host_check(t, B, (char *) B + 2, 1, CETANE_HOST_WRITE,
			1);
	else
		load(t, B, 0, 0, 2);
}

static void add(struct cetane_host_thread *t, int32_t *base, int64_t i,
	unsigned where)
{
	if (cetane_host_check(t, base, (char *) base + 4 * i, 4,
		CETANE_HOST_WRITE | CETANE_HOST_ATOMIC, where))
		__atomic_fetch_add(&base[i], 1, __ATOMIC_RELAXED);
}

static void atomic_read(struct cetane_host_thread *t, void **args)
{
	if (BLOCK < 2)
		add(t, A, 0, 0);
	else
		load(t, A, 0, 0, 1);
}

static void read_atomic(struct cetane_host_thread *t, void **args)
{
	if (I == 0)
		load(t, A, 0, 0, 1);
	else
		add(t, A, 0, 0);
}

static void atomic_write(struct cetane_host_thread *t, void **args)
{
	if (I < 2)
		add(t, A, 0, 0);
	else
		store(t, A, 0, 7, 0, 1);
}

static void write_atomic(struct cetane_host_thread *t, void **args)
{
	if (BLOCK == 0)
		store(t, A, 0, 7, 0, 1);
	else
		add(t, A, 0, 0);
}

/* The last thread's own update hides neither the others' nor is it hidden. */
static void atomic_own_read(struct cetane_host_thread *t, void **args)
{
	add(t, A, 0, 0);
	if (I == 3)
		load(t, A, 0, 0, 1);
}

static void test_atomic_races(void **state)
{
	unsigned race = CETANE_CHECK_RACE;

	(void) state;
	EXPECT(atomic_read, race, 3, 1, 0, "block (2,0,0): thread 0 reads "
		"global byte 0", "block (1,0,0) wrote it at a.dsl:1: A");
	EXPECT(read_atomic, race, 1, 2, 0, "thread 1 writes global byte 0",
		"thread 0 of block (0,0,0) read it at a.dsl:2: B");
	EXPECT(atomic_write, race, 1, 3, 0, "thread 2 writes global byte 0",
		"thread 1 of block (0,0,0) wrote it at a.dsl:1: A");
	EXPECT(write_atomic, race, 2, 1, 0, "thread 0 writes global byte 0",
		"block (0,0,0) wrote it at a.dsl:2: B");
	EXPECT(atomic_own_read, race, 1, 4, 0, "thread 3 reads global byte 0",
		"wrote it at a.dsl:1: A");
}

static void test_races(void **state)
{
	unsigned race = CETANE_CHECK_RACE;

	(void) state;
	EXPECT(shared_write_write, race, 1, 2, 64, "race in kernel "
		"shared_write_write, block (0,0,0): thread 1 writes shared "
		"byte 0 of 64 at a.dsl:3: C, thread 0 of block (0,0,0) wrote "
		"it at a.dsl:3: C");
	EXPECT(shared_write_read, race, 1, 8, 64, "thread 1 reads shared "
		"byte 0", "a.dsl:4: D, thread 0", "wrote it at a.dsl:3: C");
	EXPECT(shared_read_write, race, 1, 8, 64, "thread 1 writes shared "
		"byte 4", "a.dsl:1: A, thread 0", "read it at a.dsl:4: D");
	EXPECT(shared_two_readers, race, 1, 2, 64, "thread 1 writes shared "
		"byte 0", "thread 0 of block (0,0,0) read it at a.dsl:4: D");
	EXPECT(blocks_write_write, race, 3, 1, 0, "block (1,0,0): thread 0 "
		"writes global byte 0 of 256", "thread 0 of block (0,0,0) "
		"wrote it at a.dsl:2: B");
	EXPECT(blocks_write_read, race, 2, 1, 0, "block (1,0,0): thread 0 "
		"reads global byte 0", "block (0,0,0) wrote it at a.dsl:2: B");
	EXPECT(blocks_read_write, race, 2, 2, 0, "block (1,0,0): thread 1 "
		"writes global byte 0", "block (0,0,0) read it at a.dsl:1: A");
	EXPECT(global_write_read, race, 1, 2, 0, "thread 1 reads global byte "
		"0", "thread 0 of block (0,0,0) wrote it");
	EXPECT(read_one_byte, race, 1, 2, 64, "thread 1 writes shared byte 3",
		"thread 0 of block (0,0,0) read it at a.dsl:4: D");
	EXPECT(write_one_byte, race, 1, 2, 0, "thread 1 reads global byte 2",
		"thread 0 of block (0,0,0) wrote it at a.dsl:2: B");
}

/* One place reads what two others wrote. */
static void two_writers(struct cetane_host_thread *t, void **args)
{
	if (I == 0) {
		store(t, B, 0, 1, 0, 1);
		store(t, B, 1, 1, 0, 3);
	} else {
		load(t, B, 0, 0, 2);
		load(t, B, 1, 0, 2);
	}
}

/* Races that differ in the second of their places are two. */
static void test_second_place(void **state)
{
	struct run r = run("two_writers", two_writers, CETANE_CHECK_RACE, 0, 1,
		2, 0);

	(void) state;
	assert_int_equal(cetane_host_findings(r.dev), 2);
	done(&r);
}

/* Only what was asked for is checked. */
static void test_chosen(void **state)
{
	struct run r = run("shared_write_write", shared_write_write,
		CETANE_CHECK_BOUNDS | CETANE_CHECK_INIT, 0, 1, 2, 64);

	(void) state;
	assert_int_equal(cetane_host_findings(r.dev), 0);
	done(&r);
	r = run("read_fresh", read_fresh, CETANE_CHECK_RACE, 0, 1, 4, 0);
	assert_int_equal(cetane_host_findings(r.dev), 0);
	done(&r);
	r = run("shared_write_write", shared_write_write, 0, 0, 1, 2, 64);
	assert_int_equal(cetane_host_findings(r.dev), 0);
	done(&r);
}

/* --------------------------------------------------------- blocks together */

/* What the block before wrote, after all have met; and over what it read. */
static void together_in_order(struct cetane_host_thread *t, void **args)
{
	int64_t k;

	for (k = 0; k < 5; k++) {
		store(t, A, 4 * BLOCK + I, (int32_t) (k + I), 0, 0);
		cetane_host_meet(t, 0);
		load(t, A, 4 * ((BLOCK + 1) % 3) + 3 - I, 0, 1);
		if (k % 2)
			cetane_host_barrier(t, 2);
		load(t, A, 0, 0, 1);
		cetane_host_meet(t, 1);
	}
}

/* The same with one of the two left out. */
static void together_too_soon(struct cetane_host_thread *t, void **args)
{
	cetane_host_meet(t, 0);
	store(t, A, BLOCK, 1, 0, 0);
	load(t, A, (BLOCK + 2) % 3, 0, 1);
	cetane_host_meet(t, 1);
	cetane_host_meet(t, 2);
}

static void together_again_too_soon(struct cetane_host_thread *t, void **args)
{
	store(t, A, BLOCK, 1, 0, 0);
	cetane_host_meet(t, 0);
	load(t, A, (BLOCK + 1) % 3, 0, 1);
	store(t, A, BLOCK, 2, 0, 2);
	cetane_host_meet(t, 1);
}

/* A barrier of the block does not hold the others. */
static void together_alone(struct cetane_host_thread *t, void **args)
{
	cetane_host_meet(t, 0);
	store(t, A, BLOCK, 1, 0, 0);
	cetane_host_barrier(t, 1);
	load(t, A, (BLOCK + 2) % 3, 0, 1);
}

static void test_together(void **state)
{
	unsigned race = CETANE_CHECK_RACE;

	(void) state;
	CLEAN(together_in_order, 3, 4, 0);
	EXPECT(together_too_soon, race, 2, 1, 0, "block (1,0,0): thread 0 "
		"reads global byte 0 of 256 at a.dsl:2: B, thread 0 of block "
		"(0,0,0) wrote it at a.dsl:1: A");
	EXPECT(together_again_too_soon, race, 2, 1, 0, "block (1,0,0): thread "
		"0 writes global byte 4", "thread 0 of block (0,0,0) read it "
		"at a.dsl:2: B");
	EXPECT(together_alone, race, 2, 1, 0, "block (1,0,0): thread 0 reads "
		"global byte 0", "thread 0 of block (0,0,0) wrote it");
}

/* ------------------------------------------------------- correct kernels */

/* Each thread writes and reads its own; then, after a barrier, others'. */
static void ordered(struct cetane_host_thread *t, void **args)
{
	int32_t v;

	store(t, S, I, load(t, A, I, 0, 0), CETANE_HOST_SHARED, 2);
	load(t, S, I, CETANE_HOST_SHARED, 3);
	cetane_host_barrier(t, 0);
	v = load(t, S, 15 - I, CETANE_HOST_SHARED, 3) +
		load(t, S, 0, CETANE_HOST_SHARED, 3);
	cetane_host_barrier(t, 1);
	store(t, S, I, v, CETANE_HOST_SHARED, 2);
	store(t, B, 16 * BLOCK + I, v, 0, 1);
	cetane_host_barrier(t, 2);
	load(t, B, 16 * BLOCK + 15 - I, 0, 2);
}

static void atomics(struct cetane_host_thread *t, void **args)
{
	add(t, A, I / 2, 0);
	add(t, A, 0, 1);
	cetane_host_barrier(t, 0);
	add(t, A, 1, 2);
}

static void test_no_false_positive(void **state)
{
	(void) state;
	CLEAN(atomics, 4, 16, 64);
	CLEAN(ordered, 4, 16, 64);
	CLEAN(ordered, 1, 16, 64);
}

/* Launches one after the other do not race. */
static void test_launches_ordered(void **state)
{
	struct run r = run("blocks", ordered, ALL, 0, 4, 16, 64);
	const unsigned grid[3] = { 4, 1, 1 }, block[3] = { 16, 1, 1 };
	void *args[2] = { &r.a, &r.b };
	int i;

	(void) state;
	for (i = 0; i < 3; i++)
		OK(cetane_launch(r.fn, grid, block, 64, NULL, args));
	OK(cetane_stream_synchronize(r.dev, NULL));
	assert_string_equal(rt_finding(r.dev), "");
	done(&r);
}

/* Transpose a matrix of any size through a padded tile. */
enum { SIZE = 100, TILE = 32, ROWS = 8, PITCH = TILE + 1 };

static void transpose(struct cetane_host_thread *t, void **args)
{
	int64_t x = t->tid[0], y0 = t->tid[1], y;
	int64_t bx = t->ctaid[0] * TILE, by = t->ctaid[1] * TILE;

	for (y = y0; y < TILE; y += ROWS)
		if (bx + x < SIZE && by + y < SIZE)
			store(t, S, y * PITCH + x, load(t, A,
				(by + y) * SIZE + bx + x, 0, 0),
				CETANE_HOST_SHARED, 2);
	cetane_host_barrier(t, 0);
	for (y = y0; y < TILE; y += ROWS)
		if (by + x < SIZE && bx + y < SIZE)
			store(t, B, (bx + y) * SIZE + by + x, load(t, S,
				x * PITCH + y, CETANE_HOST_SHARED, 3), 0, 1);
}

/* The same with the barrier left out. */
static void transpose_racy(struct cetane_host_thread *t, void **args)
{
	int64_t x = t->tid[0], y;

	for (y = t->tid[1]; y < TILE; y += ROWS)
		store(t, S, y * PITCH + x, load(t, A, y * SIZE + x, 0, 0),
			CETANE_HOST_SHARED, 2);
	for (y = t->tid[1]; y < TILE; y += ROWS)
		store(t, B, y * SIZE + x, load(t, S, x * PITCH + y,
			CETANE_HOST_SHARED, 3), 0, 1);
}

static void run_transpose(const struct rt_kernel *k, uint64_t seed,
	struct cetane_device **dev, struct cetane_function **fn, int32_t *out)
{
	const unsigned grid[3] = { 4, 4, 1 }, block[3] = { TILE, ROWS, 1 };
	size_t bytes = SIZE * SIZE * sizeof(int32_t);
	int32_t *in = malloc(bytes);
	cetane_ptr a, b;
	void *args[2] = { &a, &b };
	int i;

	for (i = 0; i < SIZE * SIZE; i++)
		in[i] = i;
	*dev = rt_open(ALL, seed);
	*fn = rt_function(*dev, k, site, 4);
	OK(cetane_malloc(*dev, bytes, &a));
	OK(cetane_malloc(*dev, bytes, &b));
	OK(cetane_copy_to_device(*dev, a, in, bytes, NULL));
	OK(cetane_launch(*fn, grid, block, TILE * PITCH * 4, NULL, args));
	OK(cetane_copy_from_device(*dev, out, b, bytes, NULL));
	OK(cetane_stream_synchronize(*dev, NULL));
	free(in);
}

static void test_transpose(void **state)
{
	const struct rt_kernel good = { "transpose", transpose, 2 };
	const struct rt_kernel bad = { "transpose_racy", transpose_racy, 2 };
	int32_t *out = malloc(SIZE * SIZE * sizeof(*out));
	struct cetane_device *dev;
	struct cetane_function *fn;
	uint64_t seed;
	int i;

	(void) state;
	for (seed = 0; seed < 5; seed++) {
		run_transpose(&good, seed, &dev, &fn, out);
		for (i = 0; i < SIZE * SIZE; i++)
			assert_int_equal(out[i], i % SIZE * SIZE + i / SIZE);
		assert_string_equal(rt_finding(dev), "");
		cetane_module_unload(*(struct cetane_module **) fn);
		cetane_device_close(dev);
	}
	run_transpose(&bad, 0, &dev, &fn, out);
	HAS(cetane_host_finding(dev, 0), "uninitialised read");
	HAS(cetane_host_finding(dev, 1), "race in kernel transpose_racy");
	cetane_module_unload(*(struct cetane_module **) fn);
	cetane_device_close(dev);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atomic_races),
		cmocka_unit_test(test_races),
		cmocka_unit_test(test_second_place),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_no_false_positive),
		cmocka_unit_test(test_launches_ordered),
		cmocka_unit_test(test_transpose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
