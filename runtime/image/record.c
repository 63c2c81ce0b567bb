/* Evaluate a launch record: checks of sizes, bytes of arrays,
 * and its steps with their grids and launches. Whoever runs a compiled program comes
 * through here.
 *
 * The program counter is "i" in walk(); loops keep their iterators in "iter".
 */
#include <stdlib.h>
#include "runtime/device/device.h"
#include "runtime/image/image.h"

/* The greatest extent of a grid in y and z. */
enum { GRID_Y = 65535 };
/* 64 TiB: above what any device has, and far below where 64-bit products
 * overflow.
 */
#define MOST_BYTES (INT64_C(1) << 46)

/* "size" has r->n_size numbers. Sizes are ints to kernels. */
enum cetane_status cetane_rt_record_check(const struct cetane_rt_record *r,
	const int64_t *size)
{
	int i;

	for (i = 0; i < cetane_rt_record_plain(r); i++) {
		const struct cetane_rt_size *s = &r->size[i];

		if (size[i] < 0 || size[i] > INT32_MAX)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the "
				"size %s is %lld, not from 0 to 2147483647",
				r->program, s->name, (long long) size[i]);
		if (s->fixed && size[i] != s->value)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: the "
				"size %s is %lld, but was compiled as %lld",
				r->program, s->name, (long long) size[i],
				(long long) s->value);
	}
	return CETANE_OK;
}

/* Multiply "*n" by "by" >= 0; false above MOST_BYTES.
 *
 * Division first, so that nothing overflows.
 */
static bool scale(int64_t *n, int64_t by)
{
	if (by < 0 || (by && *n > MOST_BYTES / by))
		return false;
	*n *= by;
	return true;
}

/* An extent of 0 makes the array empty, whatever the others are; so does a
 * temporary of another version.
 */
enum cetane_status cetane_rt_record_bytes_of(const struct cetane_rt_record *r,
	int i, const int64_t *size, int version, int64_t *bytes)
{
	const struct cetane_rt_array *a = &r->array[i];
	int64_t extent[CETANE_RT_MAX_DIM], stride[CETANE_RT_MAX_DIM], n = 1;
	bool ok = cetane_rt_record_extents(r, i, size, extent);
	bool empty = a->version && a->version != version + 1;

	cetane_rt_record_strides(r, i, size, extent, stride);
	for (int d = 0; d < a->n_dim; d++) {
		int64_t last = extent[d] - 1;

		empty |= extent[d] == 0;
		ok = ok && extent[d] >= 0 && scale(&last, stride[d]) &&
			last <= MOST_BYTES - n;
		n += ok ? last : 0;
	}
	ok = ok && scale(&n, a->elem_bytes);
	if (!ok && !empty)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: %s is too large for any memory", r->program,
			a->name);
	*bytes = empty ? 0 : n;
	return CETANE_OK;
}

/* For the version that would run for these sizes. */
enum cetane_status cetane_rt_record_bytes(const struct cetane_rt_record *r,
	int i, const int64_t *size, int64_t *bytes)
{
	enum cetane_status s = CETANE_OK;
	int version = 0;

	if (r->array[i].version)
		s = cetane_rt_record_version(r, size, &version);
	return s == CETANE_OK ? cetane_rt_record_bytes_of(r, i, size, version,
		bytes) : s;
}

/* Has the record iterations that may run at one time? */
static bool forks(const struct cetane_rt_record *r)
{
	for (int i = 0; i < r->n_step; i++)
		if (r->step[i].kind == CETANE_RT_EACH)
			return true;
	return false;
}

/* "fn" has room for all kernels and is filled in their order. */
enum cetane_status cetane_rt_record_bind(const struct cetane_rt_record *r,
	struct cetane_module *mod, struct cetane_function **fn)
{
	enum cetane_status s = CETANE_OK;
	size_t *bytes;
	int i, k;

	for (i = 0; i < r->n_kernel && s == CETANE_OK; i++) {
		const struct cetane_rt_kernel *kernel = &r->kernel[i];

		bytes = malloc((kernel->n_arg + 1) * sizeof(*bytes));
		if (!bytes)
			return cetane_rt_fail(CETANE_OUT_OF_MEMORY,
				"out of memory");
		for (k = 0; k < kernel->n_arg; k++)
			bytes[k] = kernel->arg[k].kind == CETANE_RT_ARG_MAP ?
				CETANE_RT_MAP_BYTES : 8;
		s = cetane_module_function(mod, kernel->name, &fn[i]);
		if (s == CETANE_OK)
			s = cetane_function_set_args(fn[i], bytes,
				kernel->n_arg);
		free(bytes);
	}
	return s == CETANE_OK && forks(r) ? cetane_rt_lanes_make(mod->dev) : s;
}

/* A set of arguments for the launch of "r".
 *
 * Nothing is owned: all of it belongs to the call.
 */
struct run {
	const struct cetane_rt_record *r;
	/* one for each kernel of the record */
	struct cetane_function *const *fn;
	const int64_t *size;
	/* one address for each array of the record */
	const cetane_ptr *array;
	struct cetane_stream *stream;
	const struct cetane_rt_step *step;	/* of the version */
	int n_step;
	/* does the version count on aligned arrays */
	bool aligned;
	/* of the loops that are open, by their numbers */
	int64_t iter[CETANE_RT_MAX_ITER];
	bool rehearsal;		/* find all grids, launch nothing */
	struct cetane_rt_visit *visit;	/* tell, launch nothing; or NULL */
	const struct cetane_rt_watch *watch;	/* told of launches; or NULL */
	/* the EACH whose iterations are on lanes, or NULL, and those lanes */
	const struct cetane_rt_step *each;
	struct cetane_rt_fork fork;
};

/* A loop's bound overflows, or divides by 0, for sizes that pass the check. */
static enum cetane_status no_value(const struct run *run)
{
	return cetane_rt_fail(CETANE_INVALID_VALUE,
		"%s: a bound of a loop over launches has no value",
		run->r->program);
}

/* Where the value of an argument is: an address, a size or an iterator. An address inside
 * an array is put at "inside".
 *
 * Kernels take 8 bytes of each, as bind() said.
 */
static const void *argument(const struct run *run,
	const struct cetane_rt_arg *a, const int64_t *iter, cetane_ptr *inside)
{
	if (a->kind == CETANE_RT_ARG_ARRAY && a->offset) {
		*inside = run->array[a->index] + (cetane_ptr) a->offset;
		return inside;
	}
	if (a->kind == CETANE_RT_ARG_ARRAY || a->kind == CETANE_RT_ARG_COUNT ||
		a->kind == CETANE_RT_ARG_CLEAR)
		return &run->array[a->index];
	return a->kind == CETANE_RT_ARG_SIZE ? &run->size[a->index] :
		&iter[a->index];
}

/* Rows and columns; 0 of both if one of them is empty, so that nothing is
 * launched.
 */
enum cetane_status cetane_rt_record_tiles(const struct cetane_rt_kernel *k,
	const int64_t *size, const int64_t *iter, int64_t n[2])
{
	if (!cetane_rt_formula_value(&k->n[0], size, iter, &n[0]) ||
		!cetane_rt_formula_value(&k->n[1], size, iter, &n[1]) ||
		n[0] > INT32_MAX || n[1] > INT32_MAX)
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: too many tiles for a grid", k->name);
	if (n[0] <= 0 || n[1] <= 0)
		n[0] = n[1] = 0;
	return CETANE_OK;
}

/* The grid of "k"; of 0 blocks if there is nothing to do.
 *
 * Columns are blocks along x, of which there may be most; rows that are too
 * many for y go on along z, where the kernel adds them up.
 */
static enum cetane_status find_grid(const struct run *run,
	const struct cetane_rt_kernel *k, const int64_t *iter,
	unsigned grid[3])
{
	int64_t n[2];
	enum cetane_status s = cetane_rt_record_tiles(k, run->size, iter, n);

	if (s != CETANE_OK)
		return s;
	grid[0] = (unsigned) n[1];
	grid[1] = (unsigned) (n[0] < GRID_Y ? n[0] : GRID_Y);
	grid[2] = (unsigned) ((n[0] + GRID_Y - 1) / GRID_Y);
	return CETANE_OK;
}

/* A map as the device wants it.
 *
 * CUtensorMap wants 64 bytes of alignment.
 */
struct map_bytes {
	_Alignas(64) unsigned char byte[CETANE_RT_MAP_BYTES];
};

/* Fill "map", the maps of the kernel "k" in their order, for the device of its function
 * "fn".
 *
 * Made anew for each launch, as addresses and sizes change.
 */
static enum cetane_status fill_maps(const struct run *run,
	const struct cetane_rt_kernel *k, const struct cetane_function *fn,
	struct map_bytes *map)
{
	enum cetane_status s = CETANE_OK;
	struct cetane_device *dev = fn->mod->dev;
	struct cetane_rt_map m;

	for (int i = 0; i < k->n_arg && s == CETANE_OK; i++) {
		if (k->arg[i].kind != CETANE_RT_ARG_MAP)
			continue;
		s = cetane_rt_record_map(run->r, &k->arg[i], run->size,
			run->array[k->arg[i].index], &m);
		if (s == CETANE_OK)
			s = dev->ops->encode(dev, &m, map++);
	}
	return s;
}

/* Make all bytes of the arrays 0 that "k" wants so, in the order of the stream. */
static enum cetane_status clear(const struct run *run,
	const struct cetane_rt_kernel *k)
{
	struct cetane_device *dev = run->fn[0]->mod->dev;
	enum cetane_status s = CETANE_OK;
	int64_t bytes;

	for (int i = 0; i < k->n_arg && s == CETANE_OK; i++) {
		if (k->arg[i].kind != CETANE_RT_ARG_CLEAR)
			continue;
		s = cetane_rt_record_bytes(run->r, k->arg[i].index, run->size,
			&bytes);
		if (s == CETANE_OK)
			s = dev->ops->mem_set(dev, run->array[k->arg[i].index],
				0, (size_t) bytes, run->stream);
	}
	return s;
}

/* Launch the kernel number "kernel" with the iterators "iter" in "grid". Threads of axis 1
 * are x: they are neighbours in a warp.
 */
static enum cetane_status launch_in(const struct run *run, int kernel,
	const int64_t *iter, const unsigned grid[3])
{
	const struct cetane_rt_kernel *k = &run->r->kernel[kernel];
	const struct cetane_rt_shape shape = {
		.grid = { grid[0], grid[1], grid[2] },
		.block = { (unsigned) k->thread[1], (unsigned) k->thread[0], 1 },
		.cluster = { (unsigned) k->cluster[1], (unsigned) k->cluster[0] },
		.shared_bytes = (unsigned) k->shared_bytes,
		.early = k->early };
	struct map_bytes map[k->n_map + 1];
	void *args[k->n_arg + 1];
	cetane_ptr inside[k->n_arg + 1];
	enum cetane_status s = fill_maps(run, k, run->fn[kernel], map);
	cetane_ptr count = 0;
	int i, n = 0;

	if (s == CETANE_OK)
		s = clear(run, k);
	if (s != CETANE_OK)
		return s;
	for (i = 0; i < k->n_arg; i++) {
		args[i] = k->arg[i].kind == CETANE_RT_ARG_MAP ? &map[n++] :
			(void *) (uintptr_t) argument(run, &k->arg[i], iter,
			&inside[i]);
		if (k->arg[i].kind == CETANE_RT_ARG_COUNT)
			count = run->array[k->arg[i].index];
	}
	args[i] = NULL;
	if (count)
		return cetane_rt_launch_together(run->fn[kernel], grid,
			shape.block, shape.shared_bytes, run->stream, args,
			count);
	return cetane_rt_launch_clusters(run->fn[kernel], &shape, run->stream,
		args);
}

static enum cetane_status tell_watch(const struct run *run, int kernel, bool done)
{
	return run->watch ? run->watch->see(run->watch->user, kernel, done) :
		CETANE_OK;
}

/* Find the grid of the kernel number "kernel" and, unless this is a rehearsal or there
 * is nothing to do, launch it, of which who watches is told before and behind.
 */
static enum cetane_status launch(const struct run *run, int kernel,
	const int64_t *iter)
{
	unsigned grid[3];
	enum cetane_status s = find_grid(run, &run->r->kernel[kernel], iter,
		grid);

	if (s != CETANE_OK || run->rehearsal || !grid[0] || !grid[1])
		return s;
	s = tell_watch(run, kernel, false);
	if (s == CETANE_OK)
		s = launch_in(run, kernel, iter, grid);
	return s == CETANE_OK ? tell_watch(run, kernel, true) : s;
}

/* Evaluate the iterators of the launch "step", and launch its kernel, or tell
 * the visit.
 *
 * The kernel's iterators are formulas of the loops' ones.
 */
static enum cetane_status launch_step(const struct run *run,
	const struct cetane_rt_step *step)
{
	int64_t iter[CETANE_RT_MAX_ITER];
	int i;

	for (i = 0; i < step->n_formula; i++)
		if (!cetane_rt_formula_value(&step->formula[i], run->size,
			run->iter, &iter[i]))
			return no_value(run);
	if (run->visit)
		return run->visit->see(run->visit->user, step->index, iter);
	return launch(run, step->index, iter);
}

/* Is the condition of "step", formula "k", true?
 *
 * Any value but 0 is true.
 */
static enum cetane_status is_true(const struct run *run,
	const struct cetane_rt_step *step, int k, bool *yes)
{
	int64_t v;

	if (!cetane_rt_formula_value(&step->formula[k], run->size, run->iter,
		&v))
		return no_value(run);
	*yes = v != 0;
	return CETANE_OK;
}

/* Let the iterations of "step", an EACH that has some, have lanes in turn; with "more"
 * the next one goes to the next lane. Those of an EACH inside of another one stay on its
 * lane, as all do while somebody watches one launch after the other.
 */
static enum cetane_status next_lane(struct run *run,
	const struct cetane_rt_step *step, bool more)
{
	enum cetane_status s = CETANE_OK;

	if (step->kind != CETANE_RT_EACH || run->rehearsal || run->visit ||
	    run->watch || (run->each && run->each != step))
		return CETANE_OK;
	if (!more) {
		s = cetane_rt_fork(&run->fork, run->fn[0]->mod->dev, run->stream);
		run->each = s == CETANE_OK ? step : NULL;
	}
	return s == CETANE_OK ? cetane_rt_fork_next(&run->fork, &run->stream) :
		s;
}

/* What comes behind "run->each" comes behind all of its iterations, also where "s" has
 * ended them.
 */
static enum cetane_status join_lanes(struct run *run, enum cetane_status s)
{
	if (!run->each)
		return s;
	run->each = NULL;
	run->stream = run->fork.from;
	return cetane_rt_join(&run->fork, s);
}

/* Enter "step", a loop or an IF; "*yes" tells whether what it encloses runs.
 *
 * The iterator of a loop gets its first value.
 */
static enum cetane_status begin_step(struct run *run,
	const struct cetane_rt_step *step, bool *yes)
{
	enum cetane_status s;

	if (step->kind == CETANE_RT_IF)
		return is_true(run, step, 0, yes);
	if (!cetane_rt_formula_value(&step->formula[0], run->size, run->iter,
		&run->iter[step->index]))
		return no_value(run);
	s = is_true(run, step, 1, yes);
	return s == CETANE_OK && *yes ? next_lane(run, step, false) : s;
}

/* Close "step"; "*again" tells whether its loop runs once more.
 *
 * "step" is the begin, whose END was met. An increment below 1 would never end.
 */
static enum cetane_status end_step(struct run *run,
	const struct cetane_rt_step *step, bool *again)
{
	enum cetane_status s;
	int64_t by;

	*again = false;
	if (step->kind == CETANE_RT_IF)
		return CETANE_OK;
	if (!cetane_rt_formula_value(&step->formula[2], run->size, run->iter,
		&by) || by < 1 ||
		__builtin_add_overflow(run->iter[step->index], by,
			&run->iter[step->index]))
		return no_value(run);
	s = is_true(run, step, 1, again);
	if (s == CETANE_OK && *again)
		return next_lane(run, step, true);
	return run->each == step ? join_lanes(run, s) : s;
}

/* Has a visit seen all steps that it may?
 *
 * "most" bounds the steps that are gone through: a visit must end on any input.
 */
static bool is_enough(const struct run *run)
{
	struct cetane_rt_visit *v = run->visit;

	if (v)
		v->more = v->most-- <= 0;
	return v && v->more;
}

/* Run the steps in turn: loops and conditions jump to their ends, ends of loops
 * back.
 *
 * Time is proportional to what is launched, plus the loops around it.
 */
static enum cetane_status walk(struct run *run)
{
	enum cetane_status s = CETANE_OK;
	bool yes;
	int i = 0;

	while (i < run->n_step && s == CETANE_OK && !is_enough(run)) {
		const struct cetane_rt_step *step = &run->step[i];

		yes = true;
		if (step->kind == CETANE_RT_LAUNCH) {
			s = launch_step(run, step);
		} else if (step->kind == CETANE_RT_END) {
			s = end_step(run, &run->step[step->mate], &yes);
			if (yes)
				i = step->mate;
		} else {
			s = begin_step(run, step, &yes);
			if (!yes)
				i = step->mate;
		}
		i++;
	}
	return join_lanes(run, s);
}

/* Code that moves several elements at once counts on it.
 *
 * Only versions with wide accesses ask; the caller's arrays are the issue, as
 * temporaries are aligned.
 */
static enum cetane_status check_alignment(const struct run *run)
{
	const struct cetane_rt_record *r = run->r;

	for (int i = 0; i < r->n_array && run->aligned; i++) {
		const struct cetane_rt_array *a = &r->array[i];

		if (a->align && run->array[i] % (cetane_ptr) a->align)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: %s "
				"is not aligned to %d bytes", r->program,
				a->name, a->align);
	}
	return CETANE_OK;
}

/* The steps of the version for the sizes, or all.
 *
 * A record without versions has one program.
 */
static enum cetane_status choose_steps(struct run *run)
{
	const struct cetane_rt_record *r = run->r;
	enum cetane_status s;
	int version;

	run->step = r->step;
	run->n_step = r->n_step;
	run->aligned = true;
	if (!r->n_version)
		return CETANE_OK;
	s = cetane_rt_record_version(r, run->size, &version);
	if (s == CETANE_OK) {
		run->step += r->version[version].first;
		run->n_step = r->version[version].n_step;
		run->aligned = r->version[version].aligned;
	}
	return s;
}

/* Twice: the first walk finds every grid, so that a size which makes one of
 * them impossible launches nothing at all.
 */
enum cetane_status cetane_rt_record_launch(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size,
	const cetane_ptr *array, struct cetane_stream *stream)
{
	return cetane_rt_record_watch(r, fn, size, array, stream, NULL);
}

enum cetane_status cetane_rt_record_watch(const struct cetane_rt_record *r,
	struct cetane_function *const *fn, const int64_t *size,
	const cetane_ptr *array, struct cetane_stream *stream,
	const struct cetane_rt_watch *watch)
{
	struct run run = { .r = r, .fn = fn, .size = size, .array = array,
		.stream = stream, .rehearsal = true, .watch = watch };
	enum cetane_status s = choose_steps(&run);

	if (s == CETANE_OK)
		s = check_alignment(&run);
	if (s == CETANE_OK)
		s = walk(&run);
	run.rehearsal = false;
	return s == CETANE_OK ? walk(&run) : s;
}

/* Calls visit->see for each launch instead. */
enum cetane_status cetane_rt_record_visit(const struct cetane_rt_record *r,
	const int64_t *size, struct cetane_rt_visit *visit)
{
	struct run run = { .r = r, .size = size, .visit = visit };
	enum cetane_status s = choose_steps(&run);

	return s == CETANE_OK ? walk(&run) : s;
}
