/* Verification: is each output within the error that its program may make?
 *
 * The interpreter says what each element is: it shares the front end with the
 * kernel under test (text, names, types, shapes, ranges), and no lowering. It
 * evaluates everything up to a number of operations, beyond that a sample, as
 * far as that number goes. A nest in C is evaluated as a whole or not at all.
 * What it does not reach is compared with the naive kernel (verify_naive.c),
 * and the line says that this is less.
 *
 * In the ring there are no errors to bound: the bits must be the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/verify.h"

/* Operations of the interpreter, for all elements and for a sample; operations
 * and bytes, of inputs and outputs in wide form, of the naive kernel.
 */
static const double WHOLE_COST = 3e7, SAMPLE_COST = 1e8;
static const double NAIVE_COST = 1e9, NAIVE_BYTES = 4e9;

/* Points of a sample: anywhere, and along each border. */
enum { N_RANDOM = 2000, N_BORDER = 1024 };

/* -------------------------------------------------------- the interpreter */

/* Compare element "i", in row-major order; false if it cannot be evaluated. */
static bool judge_point(struct tool_run *r, struct tool_judge *j, int64_t i)
{
	int64_t at[FE_MAX_DIM];
	struct fe_value v;
	struct tool_expected e;
	int64_t word;

	tool_index_of(j->m->n_dim, j->m->dim, i, at);
	if (!fe_interp_eval(r->interp, j->m->name, at, &v)) {
		if (!fe_interp_spent(r->interp) && tool_positions_inside(r))
			tool_message(MSG_RUN_REFERENCE, j->m->name);
		return false;
	}
	word = v.integer;
	e = (struct tool_expected){ v.wide, v.integer, v.bound };
	if (r->o->ring)
		tool_judge_bits(j, i, &word);
	else
		tool_judge_element(j, i, &e);
	return true;
}

static bool judge_all(struct tool_run *r, struct tool_judge *j)
{
	int64_t i;

	for (i = 0; i < j->m->n; i++)
		if (!judge_point(r, j, i))
			return false;
	return true;
}

/* ------------------------------------------------------------- the sample */

/* The points of a sample, in turn one anywhere and one on a border, so that the
 * first few are of both kinds; "seen" are those that were taken.
 */
struct sample {
	const struct tool_matrix *m;
	uint64_t key;
	int64_t n_border, step;
	int64_t *seen;
};

/* Entries of the table of points that were taken; a sample has fewer. */
enum { N_SEEN = 1 << 16 };

/* Points along dimension "d": on each of its two borders. */
static int64_t along(const struct tool_matrix *m, int d)
{
	return m->dim[d] < N_BORDER ? m->dim[d] : N_BORDER;
}

/* Point "k" of the borders. Along a dimension both ends are included, the other
 * indices are first or last: in a matrix these are its borders.
 */
static int64_t border_point(const struct tool_matrix *m, int64_t k)
{
	int64_t step = 1, n, at;
	bool last;
	int d = 0, i;

	while (k >= 2 * along(m, d))
		k -= 2 * along(m, d++);
	for (i = d + 1; i < m->n_dim; i++)
		step *= m->dim[i];
	n = along(m, d);
	last = k >= n;
	k = last ? k - n : k;
	at = n > 1 ? k * (m->dim[d] - 1) / (n - 1) : 0;
	return last ? m->n - 1 - (m->dim[d] - 1 - at) * step : at * step;
}

static int64_t divisor(int64_t a, int64_t b)
{
	return b ? divisor(b, a % b) : a;
}

/* Begin a sample. Steps through the points of the borders have no divisor in
 * common with their number, so that each comes once, and the first ones lie
 * apart. False without memory.
 */
static bool begin_sample(struct sample *s, const struct tool_run *r,
	const struct tool_matrix *m)
{
	int d;

	*s = (struct sample) { .m = m, .key = tool_hash((uint64_t)r->o->seed,
		m->name, strlen(m->name)) };
	for (d = 0; d < m->n_dim; d++)
		s->n_border += 2 * along(m, d);
	s->step = s->n_border * 5 / 8 + 1;
	while (divisor(s->step, s->n_border) != 1)
		s->step++;
	s->seen = calloc(N_SEEN, sizeof(*s->seen));
	return s->seen != NULL;
}

/* True the first time that "at" is asked for. */
static bool is_new(struct sample *s, int64_t at)
{
	uint64_t i = ((uint64_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 48;

	while (s->seen[i] && s->seen[i] != at + 1)
		i = (i + 1) % N_SEEN;
	if (s->seen[i])
		return false;
	s->seen[i] = at + 1;
	return true;
}

static bool judge_new(struct tool_run *r, struct tool_judge *j,
	struct sample *s, int64_t at)
{
	return !is_new(s, at) || judge_point(r, j, at);
}

/* Compare N_RANDOM points and all of the borders, each once; false if one
 * cannot be evaluated, or without memory.
 */
static bool judge_sample(struct tool_run *r, struct tool_judge *j)
{
	int64_t k, n;
	struct sample s;
	bool good = begin_sample(&s, r, j->m);

	n = s.n_border > N_RANDOM ? s.n_border : N_RANDOM;
	for (k = 0; k < n && good; k++) {
		if (k < s.n_border)
			good = judge_new(r, j, &s, border_point(j->m,
				k * s.step % s.n_border));
		if (k < N_RANDOM && good)
			good = judge_new(r, j, &s, (int64_t)(tool_random_bits(
				s.key, (uint64_t)k) % (uint64_t)j->m->n));
	}
	free(s.seen);
	return good;
}

/* ---------------------------------------------------------------- choice */

/* Bytes of inputs and outputs in wide form. */
static double wide_bytes(const struct tool_run *r)
{
	double n = 0;
	int i;

	for (i = 0; i < r->n_in; i++)
		n += (double)r->in[i].n;
	for (i = 0; i < r->n_out; i++)
		n += (double)r->out[i].n;
	return 16 * n;
}

/* Compare the output "i", in "whole" or as far as the operations go; if these do
 * not suffice for one element, "*left" is set.
 */
static enum tool_exit verify_output(struct tool_run *r, int i, bool whole,
	bool *left)
{
	struct tool_judge j = { .run = r, .m = &r->out[i] };
	bool all = whole || j.m->n <= N_RANDOM ||
		fe_interp_is_whole(r->interp);
	struct fe_bad_read bad;
	bool good;

	fe_interp_limit(r->interp, whole ? INFINITY :
		fe_interp_is_whole(r->interp) ? WHOLE_COST :
		SAMPLE_COST / r->n_out);
	good = all ? judge_all(r, &j) : judge_sample(r, &j);
	if (!good && !fe_interp_check(r->interp, &bad))
		return TOOL_INPUT;
	if (!good && !fe_interp_spent(r->interp))
		return TOOL_INTERNAL;
	*left = !good && !j.n;
	return *left ? TOOL_OK : tool_judge_print(&j, "verified against",
		"the interpreter");
}

/* Of the outputs that are "left" no element was evaluated. */
static enum tool_exit verify_left(struct tool_run *r, const bool *left,
	double cost)
{
	static const char said[] = "not verified, which takes too many "
		"operations (--verify=full); agrees with";
	int i;

	if (cost <= NAIVE_COST && wide_bytes(r) <= NAIVE_BYTES)
		return tool_verify_naive(r, left, said);
	for (i = 0; i < r->n_out; i++)
		if (left[i])
			fprintf(tool_judge_begin(r, &r->out[i]), "not verified, "
				"which takes too many operations "
				"(--verify=full)\n");
	return TOOL_OK;
}

/* By the interpreter, in whole if "how" says so or that is affordable. */
static enum tool_exit verify_interp(struct tool_run *r, enum tool_verify how)
{
	bool *left = calloc((size_t)r->n_out + 1, sizeof(*left)), any = false;
	enum tool_exit status = left ? TOOL_OK : tool_no_memory("the outputs");
	enum tool_exit one;
	bool whole = how == TOOL_VERIFY_FULL;
	double cost = 0;
	int i;

	tool_stage(TOOL_STAGE_VERIFY);
	fe_interp_limit(r->interp, NAIVE_COST);
	if (left && !whole)
		cost = fe_interp_cost(r->interp);
	whole |= how != TOOL_VERIFY_SAMPLE && cost <= WHOLE_COST;
	for (i = 0; left && i < r->n_out; i++) {
		one = verify_output(r, i, whole, &left[i]);
		if (one != TOOL_OK)
			status = one;
		if (one == TOOL_INTERNAL || one == TOOL_INPUT)
			break;
		any |= left[i];
	}
	one = any && status != TOOL_INTERNAL ? verify_left(r, left, cost) :
		TOOL_OK;
	free(left);
	return status != TOOL_OK ? status : one;
}

static enum tool_exit print_unverified(const struct tool_run *r)
{
	int i;

	for (i = 0; i < r->n_out; i++)
		fprintf(tool_judge_begin(r, &r->out[i]), "not verified\n");
	return TOOL_OK;
}

enum tool_exit tool_verify(struct tool_run *r)
{
	const char agrees[] = "agrees with";
	enum tool_exit naive, interp;

	if (!r->interp)
		return print_unverified(r);
	if (r->o->ring)
		fe_interp_set_ring(r->interp);
	switch (r->o->verify) {
	case TOOL_VERIFY_AUTO:
	case TOOL_VERIFY_FULL:
	case TOOL_VERIFY_SAMPLE:
		return verify_interp(r, r->o->verify);
	case TOOL_VERIFY_NAIVE:
		return tool_verify_naive(r, NULL, agrees);
	case TOOL_VERIFY_BOTH:
		naive = tool_verify_naive(r, NULL, agrees);
		interp = verify_interp(r, TOOL_VERIFY_AUTO);
		return naive != TOOL_OK ? naive : interp;
	case TOOL_VERIFY_NONE:
		break;
	}
	return print_unverified(r);
}
