/* Check launches on the host device whose blocks wait for one another: all of a grid,
 * or those of a cluster; and what is said if one of them does not come.
 */
#include <alloca.h>
#include "launched.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_not_together),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_cluster_deadlock),
		cmocka_unit_test(test_part_of_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
