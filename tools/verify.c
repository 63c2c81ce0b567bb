/* Verification: is each output within the error that its program may make?
 *
 * Full verification runs the naive kernel on the host device in wide mode,
 * which gives every element as a value and a bound. It shares the front end,
 * the dependences and the lowering of expressions with the kernel under test;
 * so the interpreter, which shares the front end only, checks it in turn
 * (--verify=interp), and checks points where a full run would cost too much.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* Up to these numbers of operations and bytes of inputs and outputs in wide
 * form, everything is verified.
 */
static const double FULL_COST = 1e9, INTERP_COST = 1e7, FULL_BYTES = 4e9;

/* Points of a sample: anywhere, and along each border. */
enum { N_RANDOM = 2000, N_BORDER = 1024 };

/* What came of comparing one output. */
struct judge {
	const struct tool_matrix *m;
	int64_t n;		/* elements compared */
	int64_t n_loose;	/* of them, without a finite bound */
	int64_t n_bad;
	double worst;		/* largest error / bound */
};

static bool is_close(double x, double value, double bound)
{
	if (!isfinite(bound))
		return true;
	if (isnan(value) || isnan(x))
		return isnan(value) && isnan(x);
	return x == value || fabs(x - value) <= bound;
}

/* Compare element "i" with "value", which may be off by "bound". */
static void judge_element(struct judge *j, int64_t i, double value,
	double bound)
{
	double x = tool_get(j->m->type, j->m->data, i);
	double error = x == value ? 0 : fabs(x - value);

	j->n++;
	if (!isfinite(bound)) {
		j->n_loose++;
	} else if (!is_close(x, value, bound)) {
		if (j->n_bad++ == 0)
			tool_message(MSG_RUN_MISMATCH, j->m->name,
				(long long)(i / j->m->dim[1]),
				(long long)(i % j->m->dim[1]), x, value,
				error, bound);
	} else if (error > 0 && error / bound > j->worst) {
		j->worst = error / bound;
	}
}

/* Where lines about outputs go: not between the bytes of an output. */
static FILE *stream(const struct tool_run *r)
{
	int i;

	for (i = 0; i < r->n_file; i++)
		if (!r->file[i].path)
			return stderr;
	return stdout;
}

/* The line for one output; "how" says what was compared. */
static enum tool_exit print_judge(const struct tool_run *r,
	const struct judge *j, const char *how)
{
	FILE *out = stream(r);

	fprintf(out, "%s %s[%lld,%lld]: ", j->m->name,
		poly_type_name(j->m->type), (long long)j->m->dim[0],
		(long long)j->m->dim[1]);
	if (j->n_bad) {
		fprintf(out, "WRONG, %lld of %lld elements\n",
			(long long)j->n_bad, (long long)j->n);
		return TOOL_MISMATCH;
	}
	fprintf(out, "verified %s, %lld of %lld elements, largest error %.3g "
		"of its bound", how, (long long)j->n, (long long)j->m->n,
		j->worst);
	if (j->n_loose)
		fprintf(out, ", %lld without a bound", (long long)j->n_loose);
	fprintf(out, "\n");
	return TOOL_OK;
}

/* ------------------------------------------------------- the naive kernel */

/* Inputs in wide form: pairs of value and bound. */
static enum tool_exit upload_wide(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int i, array;
	int64_t e;
	double *wide;

	for (i = 0; i < r->n_in && status == TOOL_OK; i++) {
		array = tool_exec_find(x, r->in[i].name);
		if (array < 0)
			continue;
		wide = calloc((size_t)r->in[i].n + 1, 2 * sizeof(*wide));
		for (e = 0; wide && e < r->in[i].n; e++)
			wide[2 * e] = tool_get(r->in[i].type, r->in[i].data, e);
		status = wide ? tool_exec_upload(x, array, wide) :
			TOOL_ENVIRONMENT;
		free(wide);
	}
	return status;
}

static enum tool_exit judge_wide(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK, one;
	struct judge j;
	double *wide;
	int64_t e;
	int i;

	for (i = 0; i < r->n_out; i++) {
		j = (struct judge){ .m = &r->out[i] };
		wide = malloc(((size_t)j.m->n + 1) * 2 * sizeof(*wide));
		one = wide ? tool_exec_download(x, tool_exec_find(x,
			j.m->name), wide) : TOOL_ENVIRONMENT;
		for (e = 0; one == TOOL_OK && e < j.m->n; e++)
			judge_element(&j, e, wide[2 * e], wide[2 * e + 1]);
		free(wide);
		if (one == TOOL_OK)
			one = print_judge(r, &j, "full");
		if (one != TOOL_OK)
			status = one;
	}
	return status;
}

static enum tool_exit run_wide(struct tool_run *r, struct tool_compile *c)
{
	struct cetane_device *dev = NULL;
	enum cetane_status s = cetane_device_open("host", &dev);
	struct tool_exec x;
	enum tool_exit status;

	if (s != CETANE_OK)
		return tool_device_error("host", s);
	status = tool_exec_init(&x, dev, c, r->value, r->n_value, false);
	if (status == TOOL_OK)
		status = upload_wide(r, &x);
	if (status == TOOL_OK)
		status = tool_exec_poison(&x, 0xff);
	if (status == TOOL_OK)
		status = tool_exec_run(&x);
	if (status == TOOL_OK)
		status = judge_wide(r, &x);
	tool_exec_free(&x);
	return status;
}

static enum tool_exit verify_full(struct tool_run *r)
{
	struct tool_compile c;
	enum tool_exit status;

	tool_compile_init(&c, r->o, &r->src, NVPTX_HOST,
		TOOL_STAGE_NVPTX_JIT, r->unit);
	c.poly = poly_options_default;
	c.poly.mapping = POLY_MAP_NAIVE;
	c.nvptx.wide = true;
	status = tool_compile(&c);
	if (status == TOOL_OK) {
		tool_stage(TOOL_STAGE_VERIFY);
		status = run_wide(r, &c);
	}
	return tool_compile_free(&c, status);
}

/* -------------------------------------------------------- the interpreter */

static bool judge_point(struct tool_run *r, struct judge *j, int64_t row,
	int64_t col)
{
	bool is_float = poly_type_is_float(j->m->type);
	struct fe_value v;

	if (!fe_interp_eval(r->interp, j->m->name, row, col, &v)) {
		tool_message(MSG_RUN_REFERENCE, j->m->name);
		return false;
	}
	judge_element(j, row * j->m->dim[1] + col,
		is_float ? v.wide : v.exact, is_float ? v.bound : 0);
	return true;
}

static bool judge_all(struct tool_run *r, struct judge *j)
{
	int64_t row, col;

	for (row = 0; row < j->m->dim[0]; row++)
		for (col = 0; col < j->m->dim[1]; col++)
			if (!judge_point(r, j, row, col))
				return false;
	return true;
}

/* Seeded points anywhere. */
static bool judge_random(struct tool_run *r, struct judge *j)
{
	uint64_t key = tool_hash((uint64_t)r->o->seed, j->m->name,
		strlen(j->m->name));
	int64_t at;
	uint64_t i;

	for (i = 0; i < N_RANDOM; i++) {
		at = (int64_t)(tool_random_bits(key, i) % (uint64_t)j->m->n);
		if (!judge_point(r, j, at / j->m->dim[1], at % j->m->dim[1]))
			return false;
	}
	return true;
}

/* Points along the first or last row or column, both ends included. */
static bool judge_border(struct tool_run *r, struct judge *j, bool column,
	bool last)
{
	int64_t along = j->m->dim[column ? 0 : 1];
	int64_t fixed = last ? j->m->dim[column ? 1 : 0] - 1 : 0;
	int64_t n = along < N_BORDER ? along : N_BORDER, i, at;

	for (i = 0; i < n; i++) {
		at = n > 1 ? i * (along - 1) / (n - 1) : 0;
		if (!judge_point(r, j, column ? at : fixed,
				column ? fixed : at))
			return false;
	}
	return true;
}

static bool judge_sample(struct tool_run *r, struct judge *j)
{
	return judge_random(r, j) && judge_border(r, j, false, false) &&
		judge_border(r, j, false, true) &&
		judge_border(r, j, true, false) &&
		judge_border(r, j, true, true);
}

static enum tool_exit verify_interp(struct tool_run *r, bool sample)
{
	enum tool_exit status = TOOL_OK, one;
	struct judge j;
	bool few;
	int i;

	tool_stage(TOOL_STAGE_VERIFY);
	for (i = 0; i < r->n_out; i++) {
		j = (struct judge){ .m = &r->out[i] };
		few = !sample || j.m->n <= N_RANDOM;
		if (!(few ? judge_all(r, &j) : judge_sample(r, &j)))
			return TOOL_INTERNAL;
		one = print_judge(r, &j, few ? "by the interpreter" :
			"by a sample (seeded points and borders)");
		if (one != TOOL_OK)
			status = one;
	}
	return status;
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

/* Turn what --verify asks for into what fits the size of the problem. */
static enum tool_verify choose(const struct tool_run *r)
{
	double cost = fe_interp_cost(r->interp);

	if (r->o->verify == TOOL_VERIFY_AUTO)
		return cost <= FULL_COST && wide_bytes(r) <= FULL_BYTES ?
			TOOL_VERIFY_FULL : TOOL_VERIFY_SAMPLE;
	if (r->o->verify == TOOL_VERIFY_INTERP && cost > INTERP_COST)
		return TOOL_VERIFY_SAMPLE;
	return r->o->verify;
}

static enum tool_exit print_unverified(const struct tool_run *r)
{
	int i;

	for (i = 0; i < r->n_out; i++)
		fprintf(stream(r), "%s %s[%lld,%lld]: not verified\n",
			r->out[i].name, poly_type_name(r->out[i].type),
			(long long)r->out[i].dim[0],
			(long long)r->out[i].dim[1]);
	return TOOL_OK;
}

enum tool_exit tool_verify(struct tool_run *r)
{
	switch (choose(r)) {
	case TOOL_VERIFY_AUTO:
	case TOOL_VERIFY_FULL:
		return verify_full(r);
	case TOOL_VERIFY_SAMPLE:
		return verify_interp(r, true);
	case TOOL_VERIFY_INTERP:
		return verify_interp(r, false);
	case TOOL_VERIFY_NONE:
		break;
	}
	return print_unverified(r);
}
