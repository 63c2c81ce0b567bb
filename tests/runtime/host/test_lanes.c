/* Check forks: parts that do not depend on one another go to lanes, in any order, between
 * what is in front of the fork and what is behind the join; failures reach who waits. And
 * iterations of an EACH of a launch record are such parts.
 */
#include <dlfcn.h>
#include "fake_cuda.h"
#include "launched.h"
#include "runtime/image/image.h"

enum { PARTS = 11, ALL = 2 * PARTS + 2 };

/* What ran, in its order. */
static int64_t ran[ALL + 1];
static int n_ran;

static void note(struct cetane_host_thread *t, void **args)
{
	(void) t;
	if (n_ran <= ALL)
		ran[n_ran++] = *(int64_t *) args[0];
}
static const struct rt_kernel kernel_note = { "note", note, 1 };

static void stuck(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (t->tid[0] == 0)
		cetane_host_barrier(t, 0);
}
static const struct rt_kernel kernel_stuck = { "stuck", stuck, 0 };

static void queue(struct cetane_function *fn, int64_t number,
	struct cetane_stream *stream)
{
	const unsigned one[3] = { 1, 1, 1 };
	void *args[1] = { &number };

	OK(cetane_launch(fn, one, one, 0, stream, args));
}

/* Queue a number, PARTS parts of two, and a number. */
static void fork_and_join(struct cetane_function *fn, struct cetane_stream *s)
{
	struct cetane_stream *lane;
	struct cetane_rt_fork f;
	int64_t i;

	n_ran = 0;
	queue(fn, -1, s);
	OK(cetane_rt_fork(&f, fn->mod->dev, s));
	for (i = 0; i < PARTS; i++) {
		OK(cetane_rt_fork_next(&f, &lane));
		assert_ptr_not_equal(lane, s);
		queue(fn, 2 * i, lane);
		queue(fn, 2 * i + 1, lane);
	}
	OK(cetane_rt_join(&f, CETANE_OK));
	queue(fn, -2, s);
	assert_int_equal(n_ran, 0);
}

/* Are all there, the ends at the ends, the two of each part in order, and the parts of one
 * lane? Returns how many parts stand in front of an earlier one, or in the middle of it.
 */
static int count_swaps(void)
{
	int at[ALL], i, swaps = 0;

	assert_int_equal(n_ran, ALL);
	assert_int_equal(ran[0], -1);
	assert_int_equal(ran[ALL - 1], -2);
	for (i = 1; i < ALL - 1; i++)
		at[ran[i]] = i;
	for (i = 0; i < PARTS; i++) {
		assert_true(at[2 * i] < at[2 * i + 1]);
		if (i >= CETANE_RT_LANES)
			assert_true(at[2 * (i - CETANE_RT_LANES) + 1] <
				at[2 * i]);
		if (i)
			swaps += at[2 * i] < at[2 * i - 1];
	}
	return swaps;
}

static void test_orders(void **state)
{
	int64_t before[ALL] = { 0 };
	int swaps = 0, orders = 0;
	uint64_t seed;

	(void) state;
	for (seed = 0; seed < 8; seed++) {
		struct cetane_function *fn = rt_function(rt_open(0, seed),
			&kernel_note, NULL, 0);
		struct cetane_device *dev = fn->mod->dev;
		struct cetane_stream *s;

		OK(cetane_stream_create(dev, &s));
		OK(cetane_rt_lanes_make(dev));
		OK(cetane_rt_lanes_make(dev));
		fork_and_join(fn, seed % 2 ? s : NULL);
		OK(cetane_stream_synchronize(dev, seed % 2 ? s : NULL));
		swaps += count_swaps();
		orders += memcmp(before, ran, sizeof(before)) != 0;
		memcpy(before, ran, sizeof(before));
		/* whoever waits for all waits for the lanes, too */
		fork_and_join(fn, s);
		OK(cetane_device_synchronize(dev));
		count_swaps();
		fork_and_join(fn, s);
		cetane_stream_destroy(s);
		count_swaps();
		fork_and_join(fn, NULL);
		cetane_module_unload(fn->mod);
		count_swaps();
		cetane_device_close(dev);
	}
	assert_true(swaps > 8);
	assert_int_equal(orders, 8);
}

/* A failure on a lane drops what is behind the join, and reaches who waits for that; then
 * all streams can be used again.
 */
static void test_failure(void **state)
{
	const unsigned one[3] = { 1, 1, 1 }, two[3] = { 2, 1, 1 };
	struct cetane_device *dev = rt_open(0, 3);
	struct cetane_function *fn = rt_function(dev, &kernel_note, NULL, 0);
	struct cetane_function *bad = rt_function(dev, &kernel_stuck, NULL, 0);
	struct cetane_stream *lane[2];
	struct cetane_rt_fork f;
	int way, i;

	(void) state;
	OK(cetane_rt_lanes_make(dev));
	for (way = 0; way < 2; way++) {
		n_ran = 0;
		OK(cetane_rt_fork(&f, dev, NULL));
		for (i = 0; i < 2; i++)
			OK(cetane_rt_fork_next(&f, &lane[i]));
		OK(cetane_launch(bad, one, two, 0, lane[1], NULL));
		queue(fn, 5, lane[0]);
		queue(fn, 6, lane[1]);
		OK(cetane_rt_join(&f, CETANE_OK));
		queue(fn, 7, NULL);
		if (way)	/* the lane has failed before its waiter comes */
			assert_int_equal(cetane_stream_synchronize(dev,
				lane[1]), CETANE_DEADLOCK);
		assert_int_equal(cetane_stream_synchronize(dev, NULL),
			CETANE_DEADLOCK);
		assert_int_equal(n_ran, 1);
		assert_int_equal(ran[0], 5);
		fork_and_join(fn, NULL);
		OK(cetane_stream_synchronize(dev, NULL));
		count_swaps();
	}
	assert_int_equal(cetane_rt_join(&f, CETANE_UNSUPPORTED),
		CETANE_UNSUPPORTED);
	cetane_module_unload(fn->mod);
	cetane_module_unload(bad->mod);
	cetane_device_close(dev);
}

/* -------------------------------------------------------------------- record */

static struct cetane_rt_op first[] = { { CETANE_RT_CONST, 0 } };
static struct cetane_rt_op least[] = { { CETANE_RT_ITER, 0 },
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_LT, 0 } };
static struct cetane_rt_op inner[] = { { CETANE_RT_ITER, 1 },
	{ CETANE_RT_CONST, 2 }, { CETANE_RT_LT, 0 } };
static struct cetane_rt_op by[] = { { CETANE_RT_CONST, 1 } };
static struct cetane_rt_op sum[] = { { CETANE_RT_ITER, 0 },
	{ CETANE_RT_CONST, 2 }, { CETANE_RT_MUL, 0 }, { CETANE_RT_ITER, 1 },
	{ CETANE_RT_ADD, 0 } };
static struct cetane_rt_op before[] = { { CETANE_RT_CONST, -1 } };
static struct cetane_rt_op behind[] = { { CETANE_RT_CONST, -2 } };
static struct cetane_rt_formula value[] = { { before, 1 }, { first, 1 },
	{ least, 3 }, { by, 1 }, { first, 1 }, { inner, 3 }, { by, 1 },
	{ sum, 5 }, { behind, 1 } };
/* -1; each i: each j of 2: 2i + j; -2 */
static struct cetane_rt_step steps[] = {
	{ CETANE_RT_LAUNCH, 0, 0, value, 1 },
	{ CETANE_RT_EACH, 0, 0, value + 1, 3 },
	{ CETANE_RT_EACH, 1, 0, value + 4, 3 },
	{ CETANE_RT_LAUNCH, 0, 0, value + 7, 1 },
	{ CETANE_RT_END, 0, 0, NULL, 0 }, { CETANE_RT_END, 0, 0, NULL, 0 },
	{ CETANE_RT_LAUNCH, 0, 0, value + 8, 1 } };
enum { N_STEP = sizeof(steps) / sizeof(steps[0]) };
static struct cetane_rt_arg arg[] = { { CETANE_RT_ARG_ITER, 0, 0, 0, 0, 0,
	{ { 0, 0, 0 } }, 0 } };
static char note_name[] = "note", each_name[] = "each", size_name[] = "n";
static struct cetane_rt_kernel kernel = { .name = note_name, .n = { { by, 1 },
	{ by, 1 } }, .thread = { 1, 1 }, .cluster = { 1, 1 },
	.n_iter = 1, .arg = arg, .n_arg = 1 };
static struct cetane_rt_size size = { .name = size_name };
static struct cetane_rt_record record = { .program = each_name, .size = &size,
	.kernel = &kernel, .step = steps, .n_size = 1, .n_kernel = 1,
	.n_step = N_STEP };

static enum cetane_status see(void *user, int number, bool done)
{
	(void) number;
	*(int *) user += done;
	return CETANE_OK;
}

static void test_record(void **state)
{
	int64_t n = PARTS, none = 0;
	uint64_t seed;
	int swaps = 0, seen = 0;
	const struct cetane_rt_watch watch = { see, &seen };

	(void) state;
	assert_true(cetane_rt_steps_link(steps, N_STEP));
	for (seed = 0; seed < 4; seed++) {
		struct cetane_function *fn = rt_function(rt_open(0, seed),
			&kernel_note, NULL, 0);
		struct cetane_device *dev = fn->mod->dev;

		OK(cetane_rt_record_bind(&record, fn->mod, &fn));
		assert_non_null(dev->lanes);
		n_ran = 0;
		OK(cetane_rt_record_launch(&record, &fn, &n, NULL, NULL));
		OK(cetane_stream_synchronize(dev, NULL));
		swaps += count_swaps();
		n_ran = 0;
		OK(cetane_rt_record_launch(&record, &fn, &none, NULL, NULL));
		OK(cetane_stream_synchronize(dev, NULL));
		assert_int_equal(n_ran, 2);
		n_ran = 0;
		OK(cetane_rt_record_watch(&record, &fn, &n, NULL, NULL, &watch));
		OK(cetane_stream_synchronize(dev, NULL));
		assert_int_equal(count_swaps(), 0);
		close_all(fn);
	}
	assert_int_equal(seen, 4 * ALL);
	assert_true(swaps > 4);
}

/* On a GPU: the streams of the launches, and what waits for what. While the stream is
 * captured there is no other.
 */
static void test_cuda(void **state)
{
	void *lib = dlopen(FAKE_CUDA, RTLD_NOW);
	struct fake_cuda *fake = lib ? dlsym(lib, "fake_cuda") : NULL;
	struct cetane_function *fn;
	struct cetane_module *mod;
	struct cetane_device *dev;
	int64_t n = 3;
	int i, k;

	(void) state;
	assert_non_null(fake);
	OK(cetane_device_open("cuda", &dev));
	OK(cetane_module_load(dev, "ptx", 4, &mod));
	OK(cetane_rt_record_bind(&record, mod, &fn));
	fake->n_arg = 1;
	for (k = 0; k < 2; k++) {
		const struct fake_launch *l = fake->launch;

		fake->launches = fake->waits = 0;
		fake->capturing = k;
		OK(cetane_rt_record_launch(&record, &fn, &n, NULL, NULL));
		assert_int_equal(fake->launches, 8);
		assert_int_equal(fake->waits, k ? 0 : 6);
		for (i = 0; i < 8; i++) {
			bool own = i > 0 && i < 7 && !k;

			assert_int_equal(l[i].stream != NULL, own);
			assert_int_equal(l[i].arg[0], i == 7 ? -2 : i - 1);
			if (own)	/* two launches to a lane */
				assert_int_equal(l[i].stream == l[i - 1].stream,
					i % 2 == 0);
		}
	}
	fake->capturing = 0;
	OK(cetane_module_unload(mod));
	cetane_device_close(dev);
	assert_int_equal(fake->streams, 0);
	assert_int_equal(fake->events, 0);
	assert_int_equal(fake->misused, 0);
	dlclose(lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders), cmocka_unit_test(test_failure),
		cmocka_unit_test(test_record), cmocka_unit_test(test_cuda)
	};

	setenv("CETANE_DRIVER", FAKE_CUDA, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
