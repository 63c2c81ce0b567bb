/* Read a container: header, table of images, launch records.
 *
 * The bytes may be anything. A cursor that never leaves its range turns to
 * "bad" at the first thing that is wrong and gives zeros from there on, so
 * that the functions below need not ask after each number. A count is
 * compared with the bytes that are left before memory is allocated for it.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/image/image.h"

/* Limits on what a container may say. Those that count elements are far above
 * what a compiler makes; MIN_.. are the fewest bytes that each record takes, so
 * a count that the rest of the file cannot hold is refused before memory is
 * allocated.
 */
enum {
	MAX_TEXT = 4096,	/* bytes of a name */
	MAX_THREADS = 1024,
	MAX_CLUSTER = 16,
	MAX_ARRAYS = 16384,
	MAX_ARGS = 4096,
	MIN_SIZE = 20,		/* bytes of an element in the container */
	MIN_ARRAY = 28,
	MIN_VERSION = 16,
	MIN_KERNEL = 48,
	MIN_ARG = 8,
	MIN_STEP = 12,
	MIN_OP = 12
};

/* The bytes that have yet to be read.
 *
 * Begun with all of a record's bytes.
 */
struct cursor {
	/* owned by whoever gave the container */
	const unsigned char *p;
	size_t left;
	/* once set it stays; "no_memory" tells the other reason */
	bool bad, no_memory;
};

/* The text behind the colon tells a developer which part it was. */
static enum cetane_status bad_container(const char *what)
{
	return cetane_rt_fail(CETANE_BAD_CONTAINER,
		"not a container of compiled kernels: %s", what);
}

/* --------------------------------------------------------------- numbers */

/* Byte by byte, so containers are the same on all machines. */
static uint64_t little(const unsigned char *p, int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* The next "bytes" bytes as a number, the lowest first; 0 if "c" is bad. */
static uint64_t take(struct cursor *c, int bytes)
{
	uint64_t v;

	if (c->bad || c->left < (size_t) bytes) {
		c->bad = true;
		return 0;
	}
	v = little(c->p, bytes);
	c->p += bytes;
	c->left -= bytes;
	return v;
}

/* A number in [low, high], both below 2^31.
 *
 * "low" if it is none, so that whoever uses it has a number of the range.
 */
static int take_int(struct cursor *c, int low, int high)
{
	uint64_t v = take(c, 4);

	if (v < (uint64_t) low || v > (uint64_t) high) {
		c->bad = true;
		return low;
	}
	return (int) v;
}

/* Any number: two's complement. */
static int64_t take_int64(struct cursor *c)
{
	return (int64_t) take(c, 8);
}

/* Zeroed memory for "n" members of "size" bytes, at least one.
 *
 * NULL without a fault of the cursor's only if there is no memory.
 */
static void *allocate(struct cursor *c, size_t n, size_t size)
{
	void *p = c->bad ? NULL : calloc(n ? n : 1, size);

	if (!p && !c->bad)
		c->no_memory = c->bad = true;
	return p;
}

/* A count of things that take at least "least" bytes each.
 *
 * "least" may be less than a record takes, never more.
 */
static int take_count(struct cursor *c, size_t least)
{
	uint64_t n = take(c, 4);

	if (n > c->left / least || n > INT32_MAX) {
		c->bad = true;
		return 0;
	}
	return (int) n;
}

/* A name: not empty, no NUL; owned by the caller.
 *
 * NULL if bad.
 */
static char *take_text(struct cursor *c)
{
	int n = take_int(c, 1, MAX_TEXT);
	char *text;

	if (c->bad || c->left < (size_t) n || memchr(c->p, '\0', n)) {
		c->bad = true;
		return NULL;
	}
	text = allocate(c, n + 1, 1);
	if (!text)
		return NULL;
	memcpy(text, c->p, n);
	c->p += n;
	c->left -= n;
	return text;
}

/* --------------------------------------------------------------- records */

/* A formula of so many sizes and iterators at most. "f->n" counts what has been
 * read.
 *
 * The formula is complete and valid, or the cursor is bad.
 */
static void take_formula(struct cursor *c, int n_size, int n_iter,
	struct cetane_rt_formula *f)
{
	int n = take_count(c, MIN_OP), i;

	f->op = allocate(c, n, sizeof(*f->op));
	for (i = 0; f->op && i < n; i++) {
		f->op[i].code = (enum cetane_rt_code) take_int(c, 0,
			CETANE_RT_N_CODE - 1);
		f->op[i].value = take_int64(c);
		f->n++;
	}
	if (!c->bad && !cetane_rt_formula_is_valid(f, n_size, n_iter))
		c->bad = true;
}

static void take_size(struct cursor *c, struct cetane_rt_size *s)
{
	/* Its value is that of -D if it is fixed. */
	s->name = take_text(c);
	s->fixed = take_int(c, 0, 1);
	s->stride_of = take_int(c, 0, INT32_MAX);
	s->value = take_int64(c);
	if (s->value < 0 || s->value > INT32_MAX)
		c->bad = true;
}

/* An array; only a temporary may be one version's own. "a->n_dim" counts the
 * extents that have been read.
 *
 * A record that is cut short leaves an array that free_arrays can free.
 */
static void take_array(struct cursor *c, int n_size, int n_version, int n_kernel,
	struct cetane_rt_array *a)
{
	int i, n;

	a->name = take_text(c);
	a->type = take_text(c);
	a->role = (enum cetane_rt_role) take_int(c, 0, CETANE_RT_INOUT);
	a->elem_bytes = take_int(c, 1, 128);
	a->align = take_int(c, 0, CETANE_RT_WORK_ALIGN);
	a->version = take_int(c, 0, n_version);
	if (a->version && a->role != CETANE_RT_TEMP)
		c->bad = true;
	n = take_int(c, 0, CETANE_RT_MAX_DIM);
	for (i = 0; i < n && !c->bad; i++) {
		a->n_dim = i + 1;
		take_formula(c, n_size, 0, &a->extent[i]);
	}
	a->look = take_int(c, 0, n_kernel);
	if (a->look && (a->role == CETANE_RT_OUTPUT || a->role == CETANE_RT_TEMP ||
		a->elem_bytes > 8))
		c->bad = true;
	for (i = 0; i < 2 && a->look && !c->bad; i++)
		take_formula(c, n_size, 0, &a->within[i]);
}

/* The rest of "a", a map: an array of as many dimensions as a map can have, at most so
 * many rows of a box, and not along its last dimension; or walks along all dimensions
 * between the first and the last one.
 *
 * 2 to 5 dimensions, as tensor maps have them; the element's bytes are a power
 * of two.
 */
static void take_map(struct cursor *c, const struct cetane_rt_record *r,
	struct cetane_rt_arg *a)
{
	int n = c->bad ? 0 : r->array[a->index].n_dim;

	a->line = take_int(c, 0, CETANE_RT_MAX_DIM - 2);
	a->across = take_int(c, 0, CETANE_RT_MAX_DIM - 2);
	a->rows = take_int(c, 1, CETANE_RT_MAX_ROWS);
	a->n_walk = take_int(c, 0, CETANE_RT_MOST_WALK);
	for (int i = 0; i < a->n_walk && !c->bad; i++)
		a->walk[i] = (struct cetane_rt_walk){
			take_int(c, 0, 2 * CETANE_RT_MOST_WALK_LOW) -
				CETANE_RT_MOST_WALK_LOW,
			take_int(c, 1, INT32_MAX),
			take_int(c, 1, CETANE_RT_MOST_WALK_STEP) };
	if (a->n_walk && (a->n_walk != n - 2 || a->line != a->across))
		c->bad = true;
	if (a->line > a->across || n - (a->across - a->line) > CETANE_RT_MAP_DIM ||
	    a->across >= n - 1 ||
	    __builtin_popcount((unsigned) r->array[a->index].elem_bytes) > 1)
		c->bad = true;
}

/* The arguments of the kernel "k" of "r". Each index must be one of a size, an
 * iterator or an array that there is, and a count a temporary word.
 *
 * The record's sizes and arrays have been read before.
 */
static void take_args(struct cursor *c, const struct cetane_rt_record *r,
	struct cetane_rt_kernel *k)
{
	int i;

	k->arg = allocate(c, k->n_arg, sizeof(*k->arg));
	for (i = 0; k->arg && i < k->n_arg; i++) {
		struct cetane_rt_arg *a = &k->arg[i];

		a->kind = (enum cetane_rt_arg_kind) take_int(c, 0,
			CETANE_RT_ARG_CLEAR);
		a->index = take_int(c, 0, INT32_MAX);
		if (a->index >= (a->kind == CETANE_RT_ARG_SIZE ? r->n_size :
			a->kind == CETANE_RT_ARG_ITER ? k->n_iter :
			r->n_array))
			c->bad = true;
		else if (a->kind == CETANE_RT_ARG_COUNT &&
			(r->array[a->index].role != CETANE_RT_TEMP ||
			r->array[a->index].n_dim ||
			r->array[a->index].elem_bytes < 4))
			c->bad = true;
		else if (a->kind == CETANE_RT_ARG_CLEAR &&
			r->array[a->index].role != CETANE_RT_TEMP)
			c->bad = true;
		if (a->kind == CETANE_RT_ARG_ARRAY && !c->bad) {
			a->offset = take_int64(c);
			if (a->offset < 0 ||
			    a->offset % r->array[a->index].elem_bytes)
				c->bad = true;
		}
		if (a->kind == CETANE_RT_ARG_MAP) {
			take_map(c, r, a);
			k->n_map++;
		}
	}
}

/* A kernel, whose grid is two formulas of the sizes and of the iterators of its
 * launch.
 *
 * Threads of a block and bytes of shared memory are bounded by what any device
 * has.
 */
static void take_kernel(struct cursor *c, const struct cetane_rt_record *r,
	struct cetane_rt_kernel *k)
{
	k->name = take_text(c);
	k->thread[0] = take_int(c, 1, MAX_THREADS);
	k->thread[1] = take_int(c, 1, MAX_THREADS);
	if (k->thread[0] * k->thread[1] > MAX_THREADS)
		c->bad = true;
	k->cluster[0] = take_int(c, 1, MAX_CLUSTER);
	k->cluster[1] = take_int(c, 1, MAX_CLUSTER);
	k->shared_bytes = take_int(c, 0, INT32_MAX);
	k->early = take_int(c, 0, 1);
	k->n_iter = take_int(c, 0, CETANE_RT_MAX_ITER);
	k->n_arg = take_count(c, MIN_ARG);
	if (k->n_arg > MAX_ARGS)
		c->bad = true;
	take_formula(c, r->n_size, k->n_iter, &k->n[0]);
	take_formula(c, r->n_size, k->n_iter, &k->n[1]);
	take_args(c, r, k);
}

/* A step with as many formulas as its kind needs.
 *
 * LOOP and EACH have first value, condition and increment; IF a condition; LAUNCH one for
 * each iterator of its kernel; END none.
 */
static void take_step(struct cursor *c, const struct cetane_rt_record *r,
	struct cetane_rt_step *step)
{
	int n, i, want = 0;

	step->kind = (enum cetane_rt_kind_of_step) take_int(c, 0,
		CETANE_RT_END);
	step->index = take_int(c, 0, INT32_MAX);
	n = take_count(c, 4);
	if (cetane_rt_is_loop(step))
		want = 3;
	else if (step->kind == CETANE_RT_IF)
		want = 1;
	else if (step->kind == CETANE_RT_LAUNCH && step->index < r->n_kernel)
		want = r->kernel[step->index].n_iter;
	else if (step->kind == CETANE_RT_LAUNCH)
		c->bad = true;
	if (n != want)
		c->bad = true;
	step->formula = allocate(c, want, sizeof(*step->formula));
	for (i = 0; i < want && !c->bad; i++) {
		step->n_formula++;
		take_formula(c, r->n_size, CETANE_RT_MAX_ITER,
			&step->formula[i]);
	}
}

/* A version: how many steps it has, when it may run, and what it costs; the
 * cost formula number i may use the values of those before.
 *
 * So a cost formula cannot refer to itself or to later ones.
 */
static void take_version(struct cursor *c, const struct cetane_rt_record *r,
	struct cetane_rt_version *v)
{
	int n, i;

	v->n_step = take_int(c, 0, INT32_MAX);
	v->aligned = take_int(c, 0, 1);
	n = take_int(c, 1, CETANE_RT_MAX_ITER);
	take_formula(c, r->n_size, 0, &v->condition);
	for (i = 0; i < n && !c->bad; i++) {
		v->n_cost++;
		take_formula(c, r->n_size, i, &v->cost[i]);
	}
}

/* Find the mates of the steps, of each version by itself; false if they are
 * no program, or not the steps of the versions, one after another.
 *
 * Each version is a program of its own; together they are all steps.
 */
static bool link_steps(struct cetane_rt_record *r)
{
	int at = 0, i;

	if (!r->n_version)
		return cetane_rt_steps_link(r->step, r->n_step);
	for (i = 0; i < r->n_version; i++) {
		struct cetane_rt_version *v = &r->version[i];

		v->first = at;
		if (v->n_step > r->n_step - at ||
			!cetane_rt_steps_link(r->step + at, v->n_step))
			return false;
		at += v->n_step;
	}
	return at == r->n_step;
}

/* Do the kernels that look at arrays take what they get (within.c), numbers alone? */
static bool can_look(const struct cetane_rt_record *r)
{
	enum { LOOK_ARGS = 7 };

	for (int i = 0; i < r->n_array; i++) {
		const struct cetane_rt_kernel *k = r->array[i].look ?
			&r->kernel[r->array[i].look - 1] : NULL;

		if (k && (k->n_arg != LOOK_ARGS || k->n_map))
			return false;
	}
	return true;
}

/* All of a launch record. The counts "n_..." of "r" are those of members that were
 * read, so that what is there can be freed when something is bad.
 *
 * Everything that is left over, or missing, makes it bad.
 */
static void take_record(struct cursor *c, struct cetane_rt_record *r)
{
	int n_size = take_count(c, MIN_SIZE), n_array, n_kernel, n_version;
	int n_step, i;

	n_array = take_count(c, MIN_ARRAY);
	if (n_array > MAX_ARRAYS)
		c->bad = true;
	n_kernel = take_count(c, MIN_KERNEL);
	n_version = take_count(c, MIN_VERSION);
	n_step = take_count(c, MIN_STEP);
	r->program = take_text(c);
	r->size = allocate(c, n_size, sizeof(*r->size));
	r->array = allocate(c, n_array, sizeof(*r->array));
	r->kernel = allocate(c, n_kernel, sizeof(*r->kernel));
	r->version = allocate(c, n_version, sizeof(*r->version));
	r->step = allocate(c, n_step, sizeof(*r->step));
	for (i = 0; i < n_size && !c->bad; i++)
		take_size(c, &r->size[r->n_size++]);
	for (i = 0; i < n_array && !c->bad; i++)
		take_array(c, n_size, n_version, n_kernel,
			&r->array[r->n_array++]);
	for (i = 0; i < n_kernel && !c->bad; i++)
		take_kernel(c, r, &r->kernel[r->n_kernel++]);
	for (i = 0; i < n_version && !c->bad; i++)
		take_version(c, r, &r->version[r->n_version++]);
	for (i = 0; i < n_step && !c->bad; i++)
		take_step(c, r, &r->step[r->n_step++]);
	if (c->left || (!c->bad && !(cetane_rt_record_has_strides(r) &&
		can_look(r) && link_steps(r))))
		c->bad = true;
}

static void free_arrays(struct cetane_rt_record *r)
{
	int i, d;

	for (i = 0; i < r->n_array; i++) {
		free(r->array[i].name);
		free(r->array[i].type);
		for (d = 0; d < r->array[i].n_dim; d++)
			cetane_rt_formula_clear(&r->array[i].extent[d]);
		for (d = 0; d < 2; d++)
			cetane_rt_formula_clear(&r->array[i].within[d]);
	}
	free(r->array);
}

static void free_versions(struct cetane_rt_record *r)
{
	int i, k;

	for (i = 0; i < r->n_version; i++) {
		cetane_rt_formula_clear(&r->version[i].condition);
		for (k = 0; k < r->version[i].n_cost; k++)
			cetane_rt_formula_clear(&r->version[i].cost[k]);
	}
	free(r->version);
}

void cetane_rt_record_free(struct cetane_rt_record *r)
{
	int i;

	if (!r)
		return;
	for (i = 0; i < r->n_size; i++)
		free(r->size[i].name);
	free(r->size);
	free_arrays(r);
	for (i = 0; i < r->n_kernel; i++) {
		free(r->kernel[i].name);
		cetane_rt_formula_clear(&r->kernel[i].n[0]);
		cetane_rt_formula_clear(&r->kernel[i].n[1]);
		free(r->kernel[i].arg);
	}
	free(r->kernel);
	free_versions(r);
	cetane_rt_steps_free(r->step, r->n_step);
	free(r->program);
	free(r);
}

enum cetane_status cetane_rt_record_read(const struct cetane_rt_image *image,
	struct cetane_rt_record **record)
{
	static _Atomic uint64_t n_read;
	struct cursor c = { image->record_bytes, image->record_size, false,
		false };
	struct cetane_rt_record *r = allocate(&c, 1, sizeof(*r));

	if (r)
		take_record(&c, r);
	if (!c.bad) {
		r->read = ++n_read;
		*record = r;
		return CETANE_OK;
	}
	cetane_rt_record_free(r);
	if (c.no_memory)
		return cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
	return bad_container("a launch record is damaged");
}

/* ---------------------------------------------------------------- images */

/* Data for each kind but HOST; PTX, which the driver reads as a string, ends
 * in a NUL.
 */
static bool is_whole(const struct cetane_rt_image *image)
{
	const char *data = image->data;

	if (image->kind == CETANE_RT_HOST)
		return image->size == 0;
	return image->size > 0 && (image->kind != CETANE_RT_PTX ||
		data[image->size - 1] == '\0');
}

/* "size" bytes from "at" on lie behind the table and inside. */
static bool is_inside(uint64_t at, uint64_t size, uint64_t low, uint64_t high)
{
	return at >= low && at <= high && size <= high - at;
}

enum cetane_status cetane_rt_image_count(const void *container, size_t size,
	int *n)
{
	const unsigned char *p = container;
	struct cetane_rt_image image;
	enum cetane_status s = CETANE_OK;
	uint64_t count, i;

	if (!p || size < CETANE_RT_HEADER)
		return bad_container("it is too short");
	if (memcmp(p, CETANE_RT_MAGIC, 8) != 0)
		return bad_container("its first bytes are wrong");
	if (little(p + 8, 4) != CETANE_RT_ABI)
		return cetane_rt_fail(CETANE_BAD_CONTAINER, "the container is "
			"of ABI %u, this library knows ABI %d",
			(unsigned) little(p + 8, 4), CETANE_RT_ABI);
	count = little(p + 12, 4);
	if (little(p + 16, 8) != size || little(p + 24, 8) != 0 ||
		count > (size - CETANE_RT_HEADER) / CETANE_RT_ENTRY)
		return bad_container("its length is wrong");
	for (i = 0; i < count && s == CETANE_OK; i++)
		s = cetane_rt_image_get(container, size, (int) i, &image);
	if (s == CETANE_OK)
		*n = (int) count;
	return s;
}

enum cetane_status cetane_rt_image_get(const void *container, size_t size,
	int i, struct cetane_rt_image *image)
{
	const unsigned char *base = container;
	uint64_t table = CETANE_RT_HEADER +
		(uint64_t) CETANE_RT_ENTRY * little(base + 12, 4);
	struct cursor c = { base + CETANE_RT_HEADER +
		(size_t) CETANE_RT_ENTRY * i, CETANE_RT_ENTRY, false, false };
	uint64_t at[4];
	int k;

	memset(image, 0, sizeof(*image));
	image->kind = (enum cetane_rt_kind) take_int(&c, 0, CETANE_RT_PTX);
	image->capability = take_int(&c, 0, 999);
	image->specific = take_int(&c, 0, 1);
	image->ptx = take_int(&c, 0, 999);
	for (k = 0; k < 4; k++)
		at[k] = take(&c, 8);
	if (c.bad || !is_inside(at[0], at[1], table, size) ||
		!is_inside(at[2], at[3], table, size))
		return bad_container("an entry of its table is damaged");
	image->data = base + at[0];
	image->size = at[1];
	image->record_bytes = base + at[2];
	image->record_size = at[3];
	if (!is_whole(image))
		return bad_container("an image is damaged");
	return CETANE_OK;
}
