/* Check launches on the host device: every thread of every block runs once,
 * with its indices; barriers order threads; the seed changes the order and
 * repeats it; what is wrong with a launch is refused.
 */
#include <alloca.h>
#include <time.h>
#include "rt_test.h"
#include "runtime/device/device.h"
#include "runtime/host/host.h"

/* A launch of "fn" with one pointer, waited for. */
static enum cetane_status launch(struct cetane_function *fn, unsigned gx,
	unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *pointer)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };
	void *args[1] = { &pointer };
	enum cetane_status s = cetane_launch(fn, grid, block, shared, NULL,
		args);

	return s == CETANE_OK ? cetane_device_synchronize(fn->mod->dev) : s;
}

static void close_all(struct cetane_function *fn)
{
	struct cetane_device *dev = fn->mod->dev;

	cetane_module_unload(fn->mod);
	cetane_device_close(dev);
}

/* ----------------------------------------------------------------- indices */

/* Number this thread by all its indices and count it. */
static void count(struct cetane_host_thread *t, void **args)
{
	unsigned char *p = *(unsigned char **) args[0];
	uint64_t block = t->ctaid[0] + (uint64_t) t->nctaid[0] *
		(t->ctaid[1] + (uint64_t) t->nctaid[1] * t->ctaid[2]);
	uint64_t thread = t->tid[0] + t->ntid[0] *
		(t->tid[1] + t->ntid[1] * t->tid[2]);

	p[block * t->ntid[0] * t->ntid[1] * t->ntid[2] + thread]++;
}
static const struct rt_kernel kernel_count = { "count", count, 1 };

/* The same with a barrier before. */
static void count_late(struct cetane_host_thread *t, void **args)
{
	cetane_host_barrier(t, 0);
	count(t, args);
}
static const struct rt_kernel kernel_late = { "count_late", count_late, 1 };

static void check_counts(const struct rt_kernel *k, unsigned checks,
	uint64_t seed)
{
	static const unsigned shape[][6] = {
		{ 1, 1, 1, 1, 1, 1 }, { 7, 5, 3, 4, 3, 2 },
		{ 1000, 1, 1, 1, 1, 1 }, { 2, 1, 1, 1024, 1, 1 },
		{ 1, 3, 1, 1, 1, 64 }, { 1, 1, 11, 33, 31, 1 }
	};
	struct cetane_function *fn = rt_function(rt_open(checks, seed), k,
		NULL, 0);
	unsigned char *p = malloc(16384);
	size_t i, j, n;

	for (i = 0; i < sizeof(shape) / sizeof(shape[0]); i++) {
		const unsigned *s = shape[i];

		n = (size_t) s[0] * s[1] * s[2] * s[3] * s[4] * s[5];
		memset(p, 0, 16384);
		OK(launch(fn, s[0], s[1], s[2], s[3], s[4], s[5], 0, p));
		for (j = 0; j < 16384; j++)
			assert_int_equal(p[j], j < n);
	}
	free(p);
	close_all(fn);
}

static void test_all_threads_run(void **state)
{
	(void) state;
	check_counts(&kernel_count, 0, 0);
	check_counts(&kernel_count, 0, 5);
	check_counts(&kernel_count, CETANE_CHECK_BOUNDS, 5);
	check_counts(&kernel_late, 0, 0);
	check_counts(&kernel_late, 0, 5);
	check_counts(&kernel_late, CETANE_CHECK_RACE, 5);
}

/* ---------------------------------------------------------------- barriers */

/* Shift values around the block by one thread, 64 times. */
static void rotate(struct cetane_host_thread *t, void **args)
{
	uint32_t *s = t->shared, *out = *(uint32_t **) args[0];
	uint32_t i = t->tid[0], n = t->ntid[0], k, v = i;

	for (k = 0; k < 64; k++) {
		s[i] = v;
		cetane_host_barrier(t, 0);
		v = s[(i + 1) % n];
		cetane_host_barrier(t, 1);
	}
	out[t->ctaid[0] * n + i] = v;
}
static const struct rt_kernel kernel_rotate = { "rotate", rotate, 1 };

static void test_barrier(void **state)
{
	const unsigned sizes[] = { 1, 2, 3, 31, 256, 1024 };
	struct cetane_function *fn;
	uint32_t out[8 * 1024], i, j;
	uint64_t seed;

	(void) state;
	for (seed = 0; seed < 3; seed++) {
		fn = rt_function(rt_open(0, seed), &kernel_rotate, NULL, 0);
		for (i = 0; i < 6; i++) {
			OK(launch(fn, 8, 1, 1, sizes[i], 1, 1, 4096, out));
			for (j = 0; j < 8 * sizes[i]; j++)
				assert_int_equal(out[j],
					(j % sizes[i] + 64) % sizes[i]);
		}
		close_all(fn);
	}
}

/* Shared memory is aligned and not zero, and kept across barriers only. */
static void look_at_shared(struct cetane_host_thread *t, void **args)
{
	uint32_t *out = *(uint32_t **) args[0], *s = t->shared;

	out[t->ctaid[0]] = s[100] ^ (uint32_t) ((uintptr_t) s % 1024);
	s[100] = 0;
}
static const struct rt_kernel kernel_look = { "look", look_at_shared, 1 };

static void test_shared_fresh(void **state)
{
	struct cetane_function *fn = rt_function(rt_open(0, 0), &kernel_look,
		NULL, 0);
	uint32_t out[64], i;

	(void) state;
	OK(launch(fn, 64, 1, 1, 1, 1, 1, 404, out));
	for (i = 0; i < 64; i++)
		assert_int_equal(out[i], 0xCDCDCDCD);
	close_all(fn);
}

/* ---------------------------------------------------------------- together */

enum { BLOCKS = 9, WIDTH = 16, ALL = BLOCKS * WIDTH, TURNS = 24 };

/* Launch "fn" in blocks that wait for one another. */
static enum cetane_status launch_together(struct cetane_function *fn,
	unsigned shared, uint32_t *out)
{
	const unsigned grid[3] = { BLOCKS, 1, 1 }, block[3] = { WIDTH, 1, 1 };
	struct cetane_device *dev = fn->mod->dev;
	void *args[1] = { &out };
	enum cetane_status s;
	cetane_ptr count;

	OK(cetane_malloc(dev, 4, &count));
	s = cetane_rt_launch_together(fn, grid, block, shared, NULL, args,
		count);
	s = s == CETANE_OK ? cetane_device_synchronize(dev) : s;
	OK(cetane_free(dev, count));
	return s;
}

/* Shift values around all blocks by one thread. */
static void rotate_all(struct cetane_host_thread *t, void **args)
{
	uint32_t *s = *(uint32_t **) args[0], v, k;
	uint32_t i = t->ctaid[0] * t->ntid[0] + t->tid[0];

	s[i] = v = i;
	for (k = 0; k < TURNS; k++) {
		cetane_host_meet(t, 0);
		v = s[(i + 1) % ALL];
		if (k % 3 == 0)
			cetane_host_barrier(t, 1);
		cetane_host_meet(t, 1);
		s[i] = v;
	}
}
static const struct rt_kernel kernel_rotate_all = { "rotate_all", rotate_all,
	1 };

static void test_together(void **state)
{
	struct cetane_function *fn;
	uint32_t out[ALL], i;
	uint64_t seed;

	(void) state;
	for (seed = 0; seed < 8; seed++) {
		fn = rt_function(rt_open(seed % 2 ? CETANE_CHECK_RACE : 0,
			seed / 2), &kernel_rotate_all, NULL, 0);
		OK(launch_together(fn, 0, out));
		for (i = 0; i < ALL; i++)
			assert_int_equal(out[i], (i + TURNS) % ALL);
		close_all(fn);
	}
}

/* The last block, or a thread of it, does not come. */
static void stay_away(struct cetane_host_thread *t, void **args)
{
	uint32_t how = **(uint32_t **) args[0];

	if (t->ctaid[0] == BLOCKS - 1 && (how == 0 || t->tid[0] == 3))
		return;
	cetane_host_meet(t, 7);
}
static const struct rt_kernel kernel_away = { "stay_away", stay_away, 1 };

/* Threads of one block wait at a barrier of the block instead. */
static void mix_up(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (t->ctaid[0] == 1 && t->tid[0] < 4)
		cetane_host_barrier(t, 7);
	else
		cetane_host_meet(t, 7);
}
static const struct rt_kernel kernel_mixed = { "mix_up", mix_up, 1 };

static void expect_deadlock(const struct rt_kernel *k, uint32_t how,
	const char *text)
{
	struct cetane_function *fn = rt_function(rt_open(0, 0), k, NULL, 0);
	struct cetane_device *dev = fn->mod->dev;

	assert_int_equal(launch_together(fn, 0, &how), CETANE_DEADLOCK);
	assert_int_equal(cetane_host_findings(dev), 1);
	assert_string_equal(cetane_host_finding(dev, 0), text);
	close_all(fn);
}

static void test_not_together(void **state)
{
	struct cetane_function *fn = rt_function(rt_open(0, 0),
		&kernel_rotate_all, NULL, 0);
	uint32_t out[ALL];

	(void) state;
	assert_int_equal(launch_together(fn, 16, out), CETANE_UNSUPPORTED);
	close_all(fn);
	expect_deadlock(&kernel_away, 0, "deadlock in kernel stay_away: 8 of "
		"9 blocks wait at a barrier of all blocks, the others exited");
	expect_deadlock(&kernel_away, 1, "deadlock in kernel stay_away, block "
		"(8,0,0): 15 of 16 threads wait at barrier of all blocks 7 "
		"(0, 1, 2, 4, ...), 1 exited (3)");
	expect_deadlock(&kernel_mixed, 0, "deadlock in kernel mix_up, block "
		"(1,0,0): 4 of 16 threads wait at barrier 7 (0, 1, 2, 3), 12 "
		"of 16 threads wait at barrier of all blocks 7 (4, 5, 6, 7, "
		"...)");
}

/* ---------------------------------------------------------------- clusters */

/* The blocks of a launch in clusters of "n" along axis "along" of "grid"; which
 * threads have come to the end, and what was wrong.
 */
struct gathered {
	unsigned grid[3], along, n;
	uint32_t wrong, seen[3 * 4 * 2 * 6 * WIDTH];
};

/* Launch "fn" in the clusters of "g". */
static enum cetane_status launch_clusters(struct cetane_function *fn,
	struct gathered *g)
{
	struct cetane_rt_shape shape = { .block = { WIDTH, 1, 1 },
		.cluster = { 1, 1 }, .shared_bytes = 64 * WIDTH };
	void *args[1] = { &g };
	enum cetane_status s;

	memcpy(shape.grid, g->grid, sizeof(shape.grid));
	shape.cluster[g->along] = g->n;
	s = cetane_rt_launch_clusters(fn, &shape, NULL, args);
	return s == CETANE_OK ? cetane_device_synchronize(fn->mod->dev) : s;
}

static uint32_t block_number(const struct cetane_host_thread *t)
{
	return t->ctaid[0] + t->nctaid[0] * (t->ctaid[1] +
		t->nctaid[1] * t->ctaid[2]);
}

/* Read what a neighbouring thread of each block of the cluster has put into its
 * shared memory, three times.
 */
static void gather(struct cetane_host_thread *t, void **args)
{
	struct gathered *g = *(struct gathered **) args[0];
	uint32_t *s = t->shared, i = t->tid[0], b = block_number(t);
	uint32_t stride = g->along ? t->nctaid[0] : 1;
	uint32_t first = b - t->ctaid[g->along] % g->n * stride;

	for (uint32_t turn = 1; turn <= 3; turn++) {
		s[5 + i] = (turn * 1000 + b) * WIDTH + i;
		cetane_host_cluster_sync(t);
		for (uint32_t r = 0, next = (i + 1) % WIDTH; r < g->n; r++)
			g->wrong += cetane_host_cluster_read(t, &s[5 + next],
				r) != (turn * 1000 + first + r * stride) *
				WIDTH + next;
		g->wrong += cetane_host_cluster_read(t, s, g->n) != 0;
		if (turn == 2)
			cetane_host_barrier(t, 1);
		cetane_host_cluster_sync(t);
	}
	g->seen[b * WIDTH + i]++;
}
static const struct rt_kernel kernel_gather = { "gather", gather, 1 };

static void test_clusters(void **state)
{
	static const struct gathered shape[] = {
		{ .grid = { 6, 3, 2 }, 0, 3 }, { .grid = { 3, 4, 2 }, 1, 2 },
		{ .grid = { 8, 1, 1 }, 0, 8 }, { .grid = { 1, 6, 4 }, 1, 6 }
	};
	static const unsigned checks[] = { 0, CETANE_CHECK_RACE };
	struct cetane_function *fn;

	(void) state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		fn = rt_function(rt_open(checks[seed % 2], seed / 2),
			&kernel_gather, NULL, 0);
		for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
			struct gathered g = shape[i];
			unsigned n = g.grid[0] * g.grid[1] * g.grid[2] * WIDTH;

			OK(launch_clusters(fn, &g));
			assert_int_equal(g.wrong, 0);
			for (unsigned k = 0; k < sizeof(g.seen) / 4; k++)
				assert_int_equal(g.seen[k], k < n);
		}
		close_all(fn);
	}
}

/* The last block of the second cluster, or a thread of it, stays away; or all of
 * that cluster do, which is no deadlock.
 */
static void leave(struct cetane_host_thread *t, void **args)
{
	struct gathered *g = *(struct gathered **) args[0];
	uint32_t at = t->ctaid[g->along], how = g->seen[0];

	if (at / g->n == 1 && (how == 0 || at == 2 * g->n - 1) &&
	    (how < 2 || t->tid[0] == 3))
		return;
	cetane_host_cluster_sync(t);
}
static const struct rt_kernel kernel_leave = { "leave", leave, 1 };

static void test_cluster_deadlock(void **state)
{
	static const char *const says[] = { NULL, "deadlock in kernel leave: 2 of "
		"3 blocks wait at a barrier of all blocks, the others exited",
		"15 of 16 threads wait at barrier of all blocks 0 (0, 1, 2, 4, "
		"...), 1 exited (3)" };

	(void) state;
	for (uint32_t k = 0; k < 6; k++) {
		struct cetane_function *fn = rt_function(rt_open(0, k),
			&kernel_leave, NULL, 0);
		struct gathered g = { .grid = { k % 2 ? 1 : 9, k % 2 ? 9 : 1,
			1 }, .along = k % 2, .n = 3, .seen = { k / 2 } };

		assert_int_equal(launch_clusters(fn, &g), k / 2 ?
			CETANE_DEADLOCK : CETANE_OK);
		if (k / 2)
			HAS(rt_finding(fn->mod->dev), says[k / 2]);
		else
			assert_int_equal(cetane_host_findings(fn->mod->dev), 0);
		close_all(fn);
	}
}

static void test_part_of_cluster(void **state)
{
	struct cetane_function *fn = rt_function(rt_open(0, 0), &kernel_gather,
		NULL, 0);

	(void) state;
	for (unsigned along = 0; along < 2; along++) {
		struct gathered g = { .grid = { 3, 3, 1 }, .along = along,
			.n = 2 };

		assert_int_equal(launch_clusters(fn, &g),
			CETANE_INVALID_VALUE);
		HAS(cetane_last_error(), "a grid of whole clusters");
	}
	close_all(fn);
}

/* ------------------------------------------------------------------- order */

/* Append the number of this thread, in the order of execution. */
static void log_order(struct cetane_host_thread *t, void **args)
{
	uint32_t *log = *(uint32_t **) args[0];
	uint32_t me = t->ctaid[0] * t->ntid[0] + t->tid[0];

	log[++log[0]] = me;
	cetane_host_barrier(t, 0);
	log[++log[0]] = me;
}
static const struct rt_kernel kernel_log = { "log", log_order, 1 };

static void run_log(uint64_t seed, uint32_t *log)
{
	struct cetane_function *fn = rt_function(
		rt_open(CETANE_CHECK_BOUNDS, seed), &kernel_log, NULL, 0);

	log[0] = 0;
	OK(launch(fn, 8, 1, 1, 16, 1, 1, 0, log));
	assert_int_equal(log[0], 256);
	close_all(fn);
}

static void test_order(void **state)
{
	uint32_t natural[257], one[257], again[257], two[257], i;

	(void) state;
	run_log(0, natural);
	run_log(1, one);
	run_log(1, again);
	run_log(2, two);
	for (i = 0; i < 256; i++)
		assert_int_equal(natural[i + 1], i / 32 * 16 + i % 16);
	assert_memory_equal(one, again, sizeof(one));
	assert_memory_not_equal(one, natural, sizeof(one));
	assert_memory_not_equal(one, two, sizeof(one));
	assert_memory_not_equal(one + 1, one + 17, 16 * sizeof(*one));
}

/* --------------------------------------------------------------- bad calls */

static void test_refused(void **state)
{
	struct cetane_function *fn = rt_function(rt_open(0, 0), &kernel_count,
		NULL, 0);
	const unsigned one[3] = { 1, 1, 1 };
	unsigned char p[8] = "";

	(void) state;
	OK(launch(fn, 0, 1, 1, 1, 1, 1, 0, p));
	OK(launch(fn, 1, 0, 1, 1, 1, 1, 0, p));
	OK(launch(fn, 1, 1, 0, 1, 1, 1, 0, p));
	assert_int_equal(p[0], 0);
	assert_int_equal(launch(fn, 1, 1, 1, 0, 1, 1, 0, p),
		CETANE_INVALID_VALUE);
	assert_int_equal(launch(fn, 1, 1, 1, 1025, 1, 1, 0, p),
		CETANE_INVALID_VALUE);
	assert_int_equal(launch(fn, 1, 1, 1, 64, 17, 1, 0, p),
		CETANE_INVALID_VALUE);
	assert_int_equal(launch(fn, 1, 1, 1, 1, 1, 65, 0, p),
		CETANE_INVALID_VALUE);
	assert_int_equal(launch(fn, 1, 65536, 1, 1, 1, 1, 0, p),
		CETANE_INVALID_VALUE);
	assert_int_equal(launch(fn, 1, 1, 1, 1, 1, 1, 232449, p),
		CETANE_OUT_OF_RESOURCES);
	assert_int_equal(cetane_launch(fn, one, one, 0, NULL, NULL),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_launch(NULL, one, one, 0, NULL, NULL),
		CETANE_INVALID_VALUE);
	assert_int_equal(p[0], 0);
	OK(launch(fn, 1, 1, 1, 1, 1, 1, 232448, p));
	assert_int_equal(p[0], 1);
	close_all(fn);
}

static void test_undeclared_arguments(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	const unsigned one[3] = { 1, 1, 1 };
	struct cetane_module *mod;
	struct cetane_function *fn;
	void *args[1] = { NULL };

	(void) state;
	OK(cetane_module_from_host(dev, &kernel_count.name,
		&kernel_count.kernel, 1, NULL, 0, &mod));
	OK(cetane_module_function(mod, "count", &fn));
	assert_int_equal(cetane_launch(fn, one, one, 0, NULL, args),
		CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "cetane_function_set_args");
	close_all(fn);
}

/* ---------------------------------------------------------------- failures */

/* Put as many bytes as the argument says on the stack. */
static void deep(struct cetane_host_thread *t, void **args)
{
	size_t n = *(size_t *) args[0];
	volatile char *p = alloca(n);
	size_t i;

	for (i = 0; t->tid[0] == 3 && i < n && i < 256; i++)
		p[i] = 1;
}
static const struct rt_kernel kernel_deep = { "deep", deep, 1 };

static void test_stack_overflow(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_function *fn = rt_function(dev, &kernel_deep, NULL, 0);
	size_t deepest = HOST_STACK + HOST_CANARY + HOST_CANARY / 2;

	(void) state;
	OK(launch(fn, 1, 1, 1, 8, 1, 1, 0, (void *) (HOST_STACK - 8192L)));
	assert_int_equal(cetane_host_findings(dev), 0);
	assert_int_equal(launch(fn, 2, 1, 1, 8, 1, 1, 0, (void *) deepest),
		CETANE_STACK_OVERFLOW);
	assert_int_equal(cetane_host_findings(dev), 1);
	HAS(rt_finding(dev), "stack overflow in kernel deep");
	OK(launch(fn, 1, 1, 1, 8, 1, 1, 0, NULL));
	close_all(fn);
}

/* Write one byte beside the array: kernels without checks are caught, too. */
static void stray(struct cetane_host_thread *t, void **args)
{
	unsigned char *p = *(unsigned char **) args[0];

	(void) t;
	p[-1] ^= 1;
}
static const struct rt_kernel kernel_stray = { "stray", stray, 1 };

static void stray_shared(struct cetane_host_thread *t, void **args)
{
	(void) args;
	((unsigned char *) t->shared)[64] ^= 1;
}
static const struct rt_kernel kernel_stray_shared = {
	"stray_shared", stray_shared, 0
};

static void test_redzones(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_function *fn = rt_function(dev, &kernel_stray, NULL, 0);
	cetane_ptr p;

	(void) state;
	OK(cetane_malloc(dev, 100, &p));
	OK(launch(fn, 1, 1, 1, 1, 1, 1, 0, (void *) (uintptr_t) (p + 1)));
	assert_int_equal(launch(fn, 1, 1, 1, 1, 1, 1, 0,
		(void *) (uintptr_t) p), CETANE_OUT_OF_BOUNDS);
	HAS(rt_finding(dev), "kernel stray: byte -1 of an array of 100 bytes");
	OK(launch(fn, 1, 1, 1, 1, 1, 1, 0, (void *) (uintptr_t) (p + 1)));
	cetane_host_clear(dev);
	assert_int_equal(launch(fn, 1, 1, 1, 1, 1, 1, 0,
		(void *) (uintptr_t) (p + 101)), CETANE_OUT_OF_BOUNDS);
	HAS(rt_finding(dev), "byte 100 of an array of 100 bytes");
	close_all(fn);
}

static void test_shared_redzone(void **state)
{
	struct cetane_device *dev = rt_open(0, 0);
	struct cetane_function *fn = rt_function(dev, &kernel_stray_shared,
		NULL, 0);
	const unsigned one[3] = { 1, 1, 1 };

	(void) state;
	OK(cetane_launch(fn, one, one, 65, NULL, NULL));
	OK(cetane_device_synchronize(dev));
	OK(cetane_launch(fn, one, one, 64, NULL, NULL));
	assert_int_equal(cetane_device_synchronize(dev),
		CETANE_OUT_OF_BOUNDS);
	HAS(rt_finding(dev), "shared memory in kernel stray_shared");
	close_all(fn);
}

/* ------------------------------------------------------------------- speed */

/* 128 barriers. */
static void wait_often(struct cetane_host_thread *t, void **args)
{
	uint32_t i;

	(void) args;
	for (i = 0; i < 128; i++)
		cetane_host_barrier(t, 0);
}
static const struct rt_kernel kernel_wait = { "wait_often", wait_often, 0 };

/* Of processor time. */
static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* A block of 256 threads with 128 barriers takes under 10 ms of processor time,
 * once in 20 times.
 */
static void test_speed(void **state)
{
	const unsigned grid[3] = { 1, 1, 1 }, block[3] = { 256, 1, 1 };
	struct cetane_function *fn;
	double best = 1e9;
	int i;

	(void) state;
#ifdef CETANE_FIBER_UCONTEXT
	skip();
#endif
	if (RT_SANITIZED)
		skip();
	fn = rt_function(rt_open(0, 0), &kernel_wait, NULL, 0);
	for (i = 0; i < 20; i++) {
		double start = milliseconds(), end;

		OK(cetane_launch(fn, grid, block, 0, NULL, NULL));
		OK(cetane_device_synchronize(fn->mod->dev));
		end = milliseconds();
		if (end - start < best)
			best = end - start;
	}
	print_message("256 threads, 128 barriers: %.3f ms\n", best);
	assert_true(best < 10);
	close_all(fn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_threads_run),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_shared_fresh),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_not_together),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_cluster_deadlock),
		cmocka_unit_test(test_part_of_cluster),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_undeclared_arguments),
		cmocka_unit_test(test_stack_overflow),
		cmocka_unit_test(test_redzones),
		cmocka_unit_test(test_shared_redzone),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
