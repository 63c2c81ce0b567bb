/* Verification: is each output within the error that its program may make?
 *
 * Full verification runs the naive kernel on the host device in wide mode,
 * which gives every element as a value and a bound. It shares the front end,
 * the dependences and the lowering of expressions with the kernel under test;
 * so the interpreter, which shares the front end only, checks it in turn
 * (--verify=interp), and checks points where a full run would cost too much.
 *
 * In ring mode there are no errors to bound: the naive kernel must give the
 * same bits.
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

/* What an element should be: "value" of a float, else "integer", give or take
 * "bound".
 */
struct expected {
	double value;
	int64_t integer;
	double bound;
};

/* The distance of two integers, which for u64 are given by their bits. */
static double distance(enum poly_type type, int64_t a, int64_t b)
{
	bool below = type == POLY_U64 ? (uint64_t)a < (uint64_t)b : a < b;

	return below ? (double)((uint64_t)b - (uint64_t)a) :
		(double)((uint64_t)a - (uint64_t)b);
}

/* How far element "i" is off; infinitely if a number and NaN meet. */
static double error_of(const struct tool_matrix *m, int64_t i,
	const struct expected *e)
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

static void print_mismatch(const struct tool_matrix *m, int64_t i,
	const struct expected *e, double error)
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

static void judge_element(struct judge *j, int64_t i,
	const struct expected *e)
{
	double error = error_of(j->m, i, e);

	j->n++;
	if (!isfinite(e->bound)) {
		j->n_loose++;
	} else if (!(error <= e->bound)) {
		if (j->n_bad++ == 0)
			print_mismatch(j->m, i, e, error);
	} else if (error > 0 && error / e->bound > j->worst) {
		j->worst = error / e->bound;
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

/* Name, type and sizes, which needs no memory. */
static void print_matrix(FILE *out, const struct tool_matrix *m)
{
	int d;

	fprintf(out, "%s %s", m->name, poly_type_name(m->type));
	for (d = 0; d < m->n_dim; d++)
		fprintf(out, "%s%lld", d ? "," : "[", (long long)m->dim[d]);
	fprintf(out, m->n_dim ? "]: " : ": ");
}

/* The line for one output; "how" says what was compared. */
static enum tool_exit print_judge(const struct tool_run *r,
	const struct judge *j, const char *how)
{
	FILE *out = stream(r);

	print_matrix(out, j->m);
	if (j->n_bad) {
		fprintf(out, "WRONG, %lld of %lld elements\n",
			(long long)j->n_bad, (long long)j->n);
		return TOOL_MISMATCH;
	}
	if (j->n && j->n_loose == j->n) {
		fprintf(out, "not verified: no element has a bound\n");
		return TOOL_OK;
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

/* An element in wide form: a float's value or an integer, and its bound. */
struct wide {
	union {
		double value;
		int64_t integer;
	};
	double bound;
};

static void set_wide(const struct tool_matrix *m, int64_t i, struct wide *w)
{
	w->bound = 0;
	if (poly_type_is_float(m->type))
		w->value = tool_get(m->type, m->data, i);
	else
		w->integer = tool_get_int(m->type, m->data, i);
}

/* Inputs in wide form. */
static enum tool_exit upload_wide(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int i, array;
	int64_t e;
	struct wide *wide;

	for (i = 0; i < r->n_in && status == TOOL_OK; i++) {
		array = tool_exec_find(x, r->in[i].name);
		if (array < 0)
			continue;
		wide = calloc((size_t)r->in[i].n + 1, sizeof(*wide));
		for (e = 0; wide && e < r->in[i].n; e++)
			set_wide(&r->in[i], e, &wide[e]);
		status = wide ? tool_exec_upload(x, array, wide) :
			tool_no_memory("an input");
		free(wide);
	}
	return status;
}

static void judge_pair(struct judge *j, int64_t i, const struct wide *w)
{
	bool is_float = poly_type_is_float(j->m->type);
	const struct expected e = {
		.value = is_float ? w->value : 0,
		.integer = is_float ? 0 : w->integer,
		.bound = w->bound,
	};

	judge_element(j, i, &e);
}

static enum tool_exit judge_wide(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK, one;
	struct judge j;
	struct wide *wide;
	int64_t e;
	int i;

	for (i = 0; i < r->n_out; i++) {
		j = (struct judge){ .m = &r->out[i] };
		wide = malloc(((size_t)j.m->n + 1) * sizeof(*wide));
		one = wide ? tool_exec_download(x, tool_exec_find(x,
			j.m->name), wide) : tool_no_memory("an output");
		for (e = 0; one == TOOL_OK && e < j.m->n; e++)
			judge_pair(&j, e, &wide[e]);
		free(wide);
		if (one == TOOL_OK)
			one = print_judge(r, &j, "full");
		if (one != TOOL_OK)
			status = one;
	}
	return status;
}

/* Inputs as they are. */
static enum tool_exit upload_plain(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK;
	int i, array;

	for (i = 0; i < r->n_in && status == TOOL_OK; i++) {
		array = tool_exec_find(x, r->in[i].name);
		if (array >= 0)
			status = tool_exec_upload(x, array, r->in[i].data);
	}
	return status;
}

/* Compare the bits of element "i" with those in "want". */
static void judge_bits(struct judge *j, int64_t i, const void *want)
{
	int size = poly_type_size(j->m->type);
	struct expected e = {
		.value = tool_get(j->m->type, want, i),
		.integer = poly_type_is_float(j->m->type) ? 0 :
			tool_get_int(j->m->type, want, i),
	};

	j->n++;
	if (!memcmp((const char *)j->m->data + i * size,
		(const char *)want + i * size, (size_t)size))
		return;
	if (j->n_bad++ == 0)
		print_mismatch(j->m, i, &e, error_of(j->m, i, &e));
}

static enum tool_exit judge_ring(struct tool_run *r, struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK, one;
	struct judge j;
	void *want;
	int64_t e;
	int i;

	for (i = 0; i < r->n_out; i++) {
		j = (struct judge){ .m = &r->out[i] };
		want = malloc((size_t)(j.m->n * poly_type_size(j.m->type)) +
			1);
		one = want ? tool_exec_download(x, tool_exec_find(x,
			j.m->name), want) : tool_no_memory("an output");
		for (e = 0; one == TOOL_OK && e < j.m->n; e++)
			judge_bits(&j, e, want);
		free(want);
		if (one == TOOL_OK)
			one = print_judge(r, &j, "bit for bit in the ring");
		if (one != TOOL_OK)
			status = one;
	}
	return status;
}

/* Run the reference "c" on the host device and compare. */
static enum tool_exit run_reference(struct tool_run *r,
	struct tool_compile *c)
{
	struct cetane_device *dev = NULL;
	enum cetane_status s = cetane_device_open("host", &dev);
	struct tool_exec x;
	enum tool_exit status;

	if (s != CETANE_OK)
		return tool_device_error("host", s);
	status = tool_exec_init(&x, dev, c, r->value, r->n_value, false);
	if (status == TOOL_OK)
		status = r->o->ring ? upload_plain(r, &x) :
			upload_wide(r, &x);
	if (status == TOOL_OK)
		status = tool_exec_poison(&x, 0xff);
	if (status == TOOL_OK)
		status = tool_exec_run(&x);
	if (status == TOOL_OK)
		status = r->o->ring ? judge_ring(r, &x) : judge_wide(r, &x);
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
	c.nvptx.wide = !r->o->ring;
	status = tool_compile(&c);
	if (status == TOOL_OK) {
		tool_stage(TOOL_STAGE_VERIFY);
		status = run_reference(r, &c);
	}
	return tool_compile_free(&c, status);
}

/* -------------------------------------------------------- the interpreter */

/* Element "i" in row-major order. */
static bool judge_point(struct tool_run *r, struct judge *j, int64_t i)
{
	int64_t at[FE_MAX_DIM];
	struct fe_value v;
	struct expected e;

	tool_index_of(j->m->n_dim, j->m->dim, i, at);
	if (!fe_interp_eval(r->interp, j->m->name, at, &v)) {
		tool_message(MSG_RUN_REFERENCE, j->m->name);
		return false;
	}
	e = (struct expected){ v.wide, v.integer, v.bound };
	judge_element(j, i, &e);
	return true;
}

static bool judge_all(struct tool_run *r, struct judge *j)
{
	int64_t i;

	for (i = 0; i < j->m->n; i++)
		if (!judge_point(r, j, i))
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
		if (!judge_point(r, j, at))
			return false;
	}
	return true;
}

/* Points along dimension "d", both ends included, the other indices first or
 * last: in a matrix the borders.
 */
static bool judge_border(struct tool_run *r, struct judge *j, int d,
	bool last)
{
	const int64_t *dim = j->m->dim;
	int64_t n = dim[d] < N_BORDER ? dim[d] : N_BORDER, step = 1, i, at;
	int k;

	for (k = d + 1; k < j->m->n_dim; k++)
		step *= dim[k];
	for (i = 0; i < n; i++) {
		at = n > 1 ? i * (dim[d] - 1) / (n - 1) : 0;
		at = last ? j->m->n - 1 - (dim[d] - 1 - at) * step :
			at * step;
		if (!judge_point(r, j, at))
			return false;
	}
	return true;
}

static bool judge_sample(struct tool_run *r, struct judge *j)
{
	int d;

	if (!judge_random(r, j))
		return false;
	for (d = 0; d < j->m->n_dim; d++)
		if (!judge_border(r, j, d, false) ||
		    !judge_border(r, j, d, true))
			return false;
	return true;
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

	if (r->o->ring)
		return r->o->verify == TOOL_VERIFY_NONE ? TOOL_VERIFY_NONE :
			TOOL_VERIFY_FULL;
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

	for (i = 0; i < r->n_out; i++) {
		print_matrix(stream(r), &r->out[i]);
		fprintf(stream(r), "not verified\n");
	}
	return TOOL_OK;
}

enum tool_exit tool_verify(struct tool_run *r)
{
	enum tool_exit full, interp;

	switch (choose(r)) {
	case TOOL_VERIFY_AUTO:
	case TOOL_VERIFY_FULL:
		return verify_full(r);
	case TOOL_VERIFY_SAMPLE:
		return verify_interp(r, true);
	case TOOL_VERIFY_INTERP:
		return verify_interp(r, false);
	case TOOL_VERIFY_BOTH:
		full = verify_full(r);
		interp = verify_interp(r,
			fe_interp_cost(r->interp) > INTERP_COST);
		return full != TOOL_OK ? full : interp;
	case TOOL_VERIFY_NONE:
		break;
	}
	return print_unverified(r);
}
