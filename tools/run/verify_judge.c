/* Verification: one output, element by element, and the line that says what
 * came of it. What a line says is what was done: how many elements were
 * compared with what, and of how many nothing is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/verify.h"

/* The distance of two integers, which for u64 are given by their bits.
 *
 * The subtraction is done without a sign, where it cannot overflow.
 */
static double distance(enum poly_type type, int64_t a, int64_t b)
{
	bool below = type == POLY_U64 ? (uint64_t)a < (uint64_t)b : a < b;

	return below ? (double)((uint64_t)b - (uint64_t)a) :
		(double)((uint64_t)a - (uint64_t)b);
}

/* How far element "i" is off; infinitely if a number and NaN meet.
 *
 * Two NaN are equal, whatever their bits. Equal infinities are, too: their
 * difference would be NaN.
 */
static double error_of(const struct tool_matrix *m, int64_t i,
	const struct tool_expected *e)
{
	double x;

	if (!poly_type_is_float(m->type))
		return distance(m->type, tool_get_int(m->type, m->data, i),
			e->integer);
	x = tool_get(m->type, m->data, i);
	if (isnan(e->value) || isnan(x))
		return isnan(e->value) && isnan(x) ? 0 : INFINITY;
	return x == e->value ? 0 : fabs(x - e->value);
}

/* Only the first mismatch of an output is printed, with its place, both values,
 * the error and the bound.
 */
static void print_mismatch(const struct tool_matrix *m, int64_t i,
	const struct tool_expected *e, double error)
{
	bool is_float = poly_type_is_float(m->type);
	struct poly_str name = { 0 }, is = { 0 }, want = { 0 };
	int64_t at[FE_MAX_DIM];

	tool_index_of(m->n_dim, m->dim, i, at);
	poly_str_add(&name, m->name);
	tool_add_index(&name, m->n_dim, at);
	tool_add_value(&is, m->type, tool_get(m->type, m->data, i),
		is_float ? 0 : tool_get_int(m->type, m->data, i));
	tool_add_value(&want, m->type, e->value, e->integer);
	tool_message(MSG_RUN_MISMATCH, name.s ? name.s : m->name,
		is.s ? is.s : "", want.s ? want.s : "", error, e->bound);
	poly_str_free(&name);
	poly_str_free(&is);
	poly_str_free(&want);
}

/* An element whose bound is infinite or NaN is counted and not judged.
 *
 * The comparison is written so that an error that is NaN is a mismatch.
 */
void tool_judge_element(struct tool_judge *j, int64_t i,
	const struct tool_expected *e)
{
	double error = error_of(j->m, i, e);

	j->n++;
	if (!isfinite(e->bound)) {
		if (j->n_loose++ == 0) {
			j->loose = i;
			j->loose_value = poly_type_is_float(j->m->type) ?
				e->value : 0;
		}
	} else if (!(error <= e->bound)) {
		/* "worst" is a share of the bound, so that elements with
		 * different bounds can be compared.
		 */
		if (j->n_bad++ == 0)
			print_mismatch(j->m, i, e, error);
	} else if (error > 0 && error / e->bound > j->worst) {
		j->worst = error / e->bound;
	}
}

/* Used where the values are exact: any other bit is a mismatch. The element is
 * taken apart only for the message.
 */
void tool_judge_bits(struct tool_judge *j, int64_t i, const void *want)
{
	size_t size = (size_t)poly_type_size(j->m->type);
	const char *data = j->m->data;
	const struct tool_expected e = {
		.value = tool_get(j->m->type, want, 0),
		.integer = poly_type_is_float(j->m->type) ? 0 :
			tool_get_int(j->m->type, want, 0),
	};

	j->n++;
	if (!memcmp(data + (size_t)i * size, want, size))
		return;
	if (j->n_bad++ == 0)
		print_mismatch(j->m, i, &e, error_of(j->m, i, &e));
}

/* Where lines about outputs go: not between the bytes of an output, nor those of a profile
 * in JSON.
 *
 * An output without a path is written to the standard output.
 */
static FILE *stream(const struct tool_run *r)
{
	int i;

	if (r->o->verb == TOOL_PROFILE && r->o->format == TOOL_FORMAT_JSON)
		return stderr;
	for (i = 0; i < r->n_file; i++)
		if (!r->file[i].path)
			return stderr;
	return stdout;
}

/* Name, type and sizes, which needs no memory.
 *
 *	Y f32[64,128]:
 */
FILE *tool_judge_begin(const struct tool_run *r, const struct tool_matrix *m)
{
	FILE *out = stream(r);
	int d;

	fprintf(out, "%s %s", m->name, poly_type_name(m->type));
	for (d = 0; d < m->n_dim; d++)
		fprintf(out, "%s%lld", d ? "," : "[", (long long)m->dim[d]);
	fprintf(out, m->n_dim ? "]: " : ": ");
	return out;
}

/* Why the first element without a bound has none. */
static void print_loose(FILE *out, const struct tool_judge *j)
{
	struct poly_str name = { 0 };
	int64_t at[FE_MAX_DIM];
	const char *s;

	tool_index_of(j->m->n_dim, j->m->dim, j->loose, at);
	poly_str_add(&name, j->m->name);
	tool_add_index(&name, j->m->n_dim, at);
	s = name.s ? name.s : j->m->name;
	fprintf(out, "not verified: no element has a bound: ");
	if (isfinite(j->loose_value))
		fprintf(out, "for %s rounding may overflow, or decide a "
			"condition or a position\n", s);
	else
		fprintf(out, "%s should be %s; other inputs may have numbers\n",
			s, isnan(j->loose_value) ? "nan" : "infinite");
	poly_str_free(&name);
}

/* TOOL_MISMATCH (exit code 5) if one element is wrong. An output of which no element
 * has a bound is not called verified.
 */
enum tool_exit tool_judge_print(const struct tool_judge *j,
	const char *agrees, const char *what)
{
	FILE *out = tool_judge_begin(j->run, j->m);

	if (j->n_bad) {
		fprintf(out, "WRONG, %lld of %lld elements, against %s\n",
			(long long)j->n_bad, (long long)j->n, what);
		return TOOL_MISMATCH;
	}
	if (j->n && j->n_loose == j->n) {
		print_loose(out, j);
		return TOOL_OK;
	}
	/* What was compared of what there is: samples are fewer. */
	fprintf(out, "%s %s: %lld of %lld elements", agrees, what,
		(long long)(j->n - j->n_loose), (long long)j->m->n);
	if (j->run->o->ring)
		fprintf(out, ", bit for bit in the ring");
	else
		fprintf(out, ", largest error %.3g of its bound", j->worst);
	if (j->n_loose)
		fprintf(out, ", %lld without a bound", (long long)j->n_loose);
	fprintf(out, "\n");
	return TOOL_OK;
}
