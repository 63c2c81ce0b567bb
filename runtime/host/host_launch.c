/* Launches on the host device: the copy that waits in a queue, and its run.
 *
 * Without checks the blocks are spread over the cores. With checks they run
 * one after the other on the calling thread, in an order that the seed
 * chooses, so that the shadow state of the checks needs no locks and each
 * run with a seed repeats exactly.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* Alignment of the widest argument type. */
static size_t align16(size_t n)
{
	return (n + 15) & ~(size_t) 15;
}

/* Bytes of the arguments of "f" when each starts at a multiple of 16.
 *
 * f->n_arg is 0 or more here.
 */
static size_t args_size(const struct host_function *f)
{
	size_t total = 0;
	int i;

	for (i = 0; i < f->n_arg; i++)
		total += align16(f->arg_size[i]);
	return total;
}

/* Copy the arguments behind "launch", first their addresses.
 *
 * One block of memory: the launch, its pointers, its values.
 */
static void copy_args(struct host_launch *launch, void **args)
{
	const struct host_function *f = launch->fn;
	char *at = (char *) launch + align16(sizeof(*launch));
	int i;

	launch->args = (void **) at;
	at += align16((f->n_arg + 1) * sizeof(void *));
	for (i = 0; i < f->n_arg; i++) {
		memcpy(at, args[i], f->arg_size[i]);
		launch->args[i] = at;
		at += align16(f->arg_size[i]);
	}
	launch->args[i] = NULL;
}

/* What can be wrong with a launch of "f".
 *
 * The sizes must be known, since arguments are copied. A GPU has the same
 * limits, but others' numbers.
 */
static enum cetane_status check_launch(const struct host_function *f,
	const struct cetane_rt_shape *shape, void **args)
{
	if (args && f->n_arg < 0)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "launch of %s: "
			"call cetane_function_set_args first", f->name);
	if (!args && f->n_arg > 0)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "launch of %s: "
			"%d arguments are missing", f->name, f->n_arg);
	if (shape->shared_bytes > HOST_MAX_SHARED)
		return cetane_rt_fail(CETANE_OUT_OF_RESOURCES, "launch of %s: "
			"%u bytes of shared memory, at most %d are possible",
			f->name, shape->shared_bytes, HOST_MAX_SHARED);
	if (shape->together && shape->shared_bytes)
		return cetane_rt_fail(CETANE_UNSUPPORTED, "launch of %s: "
			"blocks that wait for one another have no shared "
			"memory here", f->name);
	return CETANE_OK;
}

/* Euclid's algorithm. */
static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* Choose the order of the blocks: the i-th is (start + i * step) mod n with
 * step and n coprime, which needs no table; seed 0 is the natural order.
 *
 * With step and n coprime i -> start + i*step mod n is a permutation. About
 * 6/pi^2 of the numbers are coprime to n, so the loop ends soon; for n = 1 the
 * step is 0, and gcd(0, 1) is 1.
 */
static void choose_order(struct host_launch *launch)
{
	uint64_t n = launch->n_block, state = launch->seed;

	launch->start = 0;
	launch->step = 1;
	if (!launch->seed)
		return;
	launch->start = cetane_rt_host_random(&state) % n;
	do {
		launch->step = cetane_rt_host_random(&state) % n;
	} while (gcd(launch->step, n) != 1);
}

/* "*launch" is freed with its operation, by free(). */
enum cetane_status cetane_rt_host_launch_new(struct host_function *fn,
	const struct cetane_rt_shape *shape, void **args,
	struct host_launch **launch)
{
	struct host_device *hd = (struct host_device *) fn->base.mod->dev;
	enum cetane_status s = check_launch(fn, shape, args);
	const unsigned *g = shape->grid, *b = shape->block;
	struct host_launch *l;
	int n_arg = fn->n_arg < 0 ? 0 : fn->n_arg;

	if (s != CETANE_OK)
		return s;
	l = malloc(align16(sizeof(*l)) +
		align16((n_arg + 1) * sizeof(void *)) + args_size(fn));
	if (!l)
		return cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
	memset(l, 0, sizeof(*l));
	l->hd = hd;
	l->fn = fn;
	l->shape = *shape;
	l->checks = hd->checks;
	l->seed = hd->seed;
	l->n_block = (uint64_t) g[0] * g[1] * g[2];
	l->n_thread = b[0] * b[1] * b[2];
	atomic_init(&l->next_block, 0);
	atomic_init(&l->status, CETANE_OK);
	choose_order(l);
	copy_args(l, args);
	*launch = l;
	return CETANE_OK;
}

/* start + i * step is more than 64 bits hold. */
__extension__ typedef unsigned __int128 uint128;

uint64_t cetane_rt_host_nth_block(const struct host_launch *launch,
	uint64_t i)
{
	return (uint64_t) ((launch->start + (uint128) i * launch->step) %
		launch->n_block);
}

/* A kernel without checks may have written past an array.
 *
 * Asked after each launch; a kernel that was caught by checks already changed
 * nothing.
 */
static enum cetane_status check_redzones(const struct host_launch *launch)
{
	struct host_key key = { FINDING_REDZONE, launch->fn->id, { 0, 0 } };
	const struct host_alloc *a;
	ptrdiff_t offset;

	a = cetane_rt_host_broken(launch->hd, &offset);
	if (!a)
		return CETANE_OK;
	cetane_rt_host_find_add(&launch->hd->findings, &key,
		"write outside of memory in kernel %s: byte %td of an array "
		"of %zu bytes changed", launch->fn->name, offset, a->size);
	return CETANE_OUT_OF_BOUNDS;
}

/* Blocks of a cluster must be under way at one time, which the pool does not
 * do.
 */
static bool has_clusters(const struct host_launch *launch)
{
	return launch->shape.cluster[0] * launch->shape.cluster[1] > 1;
}

/* Run the blocks with checks.
 *
 * cetane_rt_host_check_done ends the launch's shadow state in any case; the
 * first failure is returned.
 */
static enum cetane_status run_checked(struct host_launch *launch)
{
	struct host_check *c = launch->hd->check;
	enum cetane_status s = cetane_rt_host_check_launch(c, launch), end;

	if (s == CETANE_OK && launch->shape.together)
		s = cetane_rt_host_together(launch);
	else if (s == CETANE_OK && has_clusters(launch))
		s = cetane_rt_host_clusters(launch);
	else if (s == CETANE_OK)
		s = cetane_rt_host_pool_run(&launch->hd->pool, launch, true);
	end = cetane_rt_host_check_done(c);
	return s == CETANE_OK ? end : s;
}

/* Without INIT checks it is unknown what was written, and everything counts as
 * initialised afterwards.
 */
enum cetane_status cetane_rt_host_run(struct host_launch *launch)
{
	enum cetane_status s, zones;

	if (launch->checks)
		s = run_checked(launch);
	else if (launch->shape.together)
		s = cetane_rt_host_together(launch);
	else if (has_clusters(launch))
		s = cetane_rt_host_clusters(launch);
	else
		s = cetane_rt_host_pool_run(&launch->hd->pool, launch, false);
	if (!(launch->checks & CETANE_CHECK_INIT))
		cetane_rt_host_wrote_all(launch->hd);
	zones = check_redzones(launch);
	if (s == CETANE_OK)
		s = zones;
	if (s != CETANE_OK)
		cetane_rt_fail(s, "kernel %s: %s", launch->fn->name,
			cetane_status_text(s));
	return s;
}
