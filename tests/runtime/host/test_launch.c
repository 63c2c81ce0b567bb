/* Check launches on the host device: every thread of every block runs once,
 * with its indices; barriers order threads; the seed changes the order and
 * repeats it; what is wrong with a launch is refused.
 */
#include <alloca.h>
#include <time.h>
#include "launched.h"

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
