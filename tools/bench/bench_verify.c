/* Is what was timed right?
 *
 * Each output is compared with references in f64 at some elements, and every
 * element with that of a library, if there is one: two results within their
 * bounds differ by no more than twice the bound; the largest of the bounds
 * that were computed stands for all. Outputs are filled with NaN before, so
 * that what was never written shows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/bench/bench.h"

enum { POINTS_MOST = 128, POINTS_LEAST = 2 };
static const size_t PIECE = 32 << 20;
static const double SECONDS_MOST = 0.25;

/* One output of a side. */
struct output {
	struct tool_bench *b;
	const struct tool_bench_form *form;
	const struct tool_bench_side *side;
	const int64_t *n;
	int out, array;
	enum poly_type type;
	int64_t count;
	double most;		/* the largest bound */
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Copy "size" bytes at "from" of the device to "to", and wait for them. */
static enum tool_exit fetch(const struct output *o, const void *to,
	uint64_t from, size_t size)
{
	struct tool_cuda *g = &o->b->gpu;
	enum tool_exit status;

	status = tool_cuda_judge(g, "cuMemcpyDtoHAsync", g->copy_from(
		(void *)(uintptr_t)to, from, size, g->handle));
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuStreamSynchronize",
			g->stream_synchronize(g->handle));
	return status;
}

/* Say that element "i" of the output is wrong, and by how much; returns
 * TOOL_MISMATCH.
 */
static enum tool_exit say_wrong(const struct output *o, int64_t i, double is,
	double want, double allowed)
{
	char row[128], size[96], array[TOOL_BENCH_NAME];
	struct tool_bench_size s = { .count =
		tool_bench_words(o->form->sizes) };

	memcpy(s.n, o->n, (size_t)s.count * sizeof(*s.n));
	tool_bench_size_text(&s, size, sizeof(size));
	snprintf(row, sizeof(row), "%s %s %s", o->form->suite, o->form->name,
		size);
	tool_bench_word(o->form->arrays, o->array, array, sizeof(array));
	tool_message(MSG_BENCH_WRONG, row, o->side->name, array, (long long)i,
		is, want, fabs(is - want), allowed);
	return TOOL_MISMATCH;
}

/* ----------------------------------------------------------------- points */

/* The i-th place to look at: the ends, then anywhere. */
static int64_t place(const struct output *o, int i)
{
	const int64_t ends[] = { 0, o->count - 1, o->count / 2, 1 };

	if (i < (int)(sizeof(ends) / sizeof(ends[0])))
		return ends[i] % o->count;
	return (int64_t)(tool_random_bits(o->b->data.seed, (uint64_t)i) %
		(uint64_t)o->count);
}

/* Compare element "i" with its reference, and keep the largest error, as a part
 * of its bound, and the largest bound. NaN is wrong.
 */
static enum tool_exit check_point(struct output *o, int64_t i, double *error)
{
	size_t size = (size_t)poly_type_size(o->type);
	struct tool_bench_value want;
	enum tool_exit status;
	double element, is, off;

	status = fetch(o, &element, o->side->ptr[o->array] +
		(uint64_t)i * size, size);
	if (status != TOOL_OK)
		return status;
	want = o->form->reference(&o->b->data, o->n, o->out, i);
	is = tool_get(o->type, &element, 0);
	off = fabs(is - want.value);
	if (!(off <= want.bound))
		return say_wrong(o, i, is, want.value, want.bound);
	if (want.bound > 0 && off / want.bound > *error)
		*error = off / want.bound;
	if (want.bound > o->most)
		o->most = want.bound;
	return TOOL_OK;
}

/* Check up to POINTS_MOST elements, as many as references can be computed for
 * in SECONDS_MOST, but POINTS_LEAST in any case.
 */
static enum tool_exit check_points(struct output *o, double *error)
{
	double until = seconds() + SECONDS_MOST;
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < POINTS_MOST && status == TOOL_OK; i++) {
		if (i >= POINTS_LEAST && seconds() > until)
			break;
		status = check_point(o, place(o, i), error);
	}
	return status;
}

/* --------------------------------------------------------- every element */

/* The first of "n" elements that are too far apart, or -1; without "y", the
 * first NaN. Elements of the types that suites have are compared as they are.
 */
static int64_t find_bad(enum poly_type type, const void *x, const void *y,
	int64_t n, double allowed)
{
	const float *a = x, *b = y ? y : x;
	const double *c = x, *d = y ? y : x;
	const float near32 = (float)allowed;
	int64_t i = 0;

	if (type == POLY_F64)
		while (i < n && fabs(c[i] - d[i]) <= allowed)
			i++;
	else if (type == POLY_F32)
		while (i < n && fabsf(a[i] - b[i]) <= near32)
			i++;
	else
		while (i < n && fabs(tool_get(type, x, i) -
				tool_get(type, y ? y : x, i)) <= allowed)
			i++;
	return i < n ? i : -1;
}

/* Check the "n" elements from "at" on: against those at "other" of another
 * side, or, if that is 0, for NaN. "buffer" has room for two pieces.
 */
static enum tool_exit check_piece(struct output *o, uint64_t other,
	char *buffer, int64_t at, int64_t n)
{
	size_t size = (size_t)poly_type_size(o->type);
	double allowed = 2 * o->most;
	enum tool_exit status;
	int64_t bad;

	status = fetch(o, buffer, o->side->ptr[o->array] +
		(uint64_t)at * size, (size_t)n * size);
	if (status == TOOL_OK && other)
		status = fetch(o, buffer + PIECE, other + (uint64_t)at * size,
			(size_t)n * size);
	if (status != TOOL_OK)
		return status;
	bad = find_bad(o->type, buffer, other ? buffer + PIECE : NULL, n,
		allowed);
	if (bad < 0)
		return TOOL_OK;
	return say_wrong(o, at + bad, tool_get(o->type, buffer, bad), other ?
		tool_get(o->type, buffer + PIECE, bad) : 0, allowed);
}

/* Allocate memory of the host for two pieces, which copies reach quickly. */
static enum tool_exit make_buffer(struct tool_bench *b)
{
	void *buffer = NULL;
	enum tool_exit status = tool_cuda_judge(&b->gpu, "cuMemHostAlloc",
		b->gpu.host_alloc(&buffer, 2 * PIECE, 0));

	if (status == TOOL_OK)
		b->pinned = buffer;
	return status;
}

/* Check every element of the output, piece by piece. */
static enum tool_exit check_all(struct output *o, uint64_t other)
{
	int64_t piece = (int64_t)PIECE / poly_type_size(o->type), at;
	enum tool_exit status = TOOL_OK;

	if (!o->b->pinned)
		status = make_buffer(o->b);
	for (at = 0; at < o->count && status == TOOL_OK; at += piece)
		status = check_piece(o, other, o->b->pinned, at,
			o->count - at < piece ? o->count - at : piece);
	return status;
}

enum tool_exit tool_bench_verify(struct tool_bench *b,
	const struct tool_bench_timing *t, int k, int other, double *error)
{
	const struct tool_bench_side *s = &t->side[k];
	const struct tool_bench_program *p = s->program ? s->program :
		t->side[0].program;
	int n_array = tool_bench_words(p->form->arrays);
	struct output o = { .b = b, .form = p->form, .side = s,
		.n = p->size.n };
	enum tool_exit status = TOOL_OK;

	for (; o.out < p->form->n_out && status == TOOL_OK; o.out++) {
		o.array = n_array - p->form->n_out + o.out;
		o.type = tool_bench_type(p->form, o.array);
		o.count = p->bytes[o.array] / poly_type_size(o.type);
		o.most = 0;
		status = check_points(&o, error);
		if (status == TOOL_OK)
			status = check_all(&o, other < 0 ? 0 :
				t->side[other].ptr[o.array]);
	}
	return status;
}
