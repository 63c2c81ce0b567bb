/* Verification by the naive kernel: one thread in the original order on the
 * host device, in wide mode, which gives every element as a value and a bound,
 * or in the ring, where the bits must be the same.
 *
 * It is fast, and shares the front end, the dependences and the lowering of
 * statements and expressions with the kernel under test. A fault there is
 * wrong in the same way on both sides: so no line here says "verified".
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/run/verify.h"

/* What is compared, and with which words. */
struct naive {
	struct tool_run *run;
	const bool *wanted;
	const char *agrees;
};

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

/* Judge element "i" by the value and bound "w" of the naive kernel. */
static void judge_pair(struct tool_judge *j, int64_t i, const struct wide *w)
{
	bool is_float = poly_type_is_float(j->m->type);
	const struct tool_expected e = {
		.value = is_float ? w->value : 0,
		.integer = is_float ? 0 : w->integer,
		.bound = w->bound,
	};

	tool_judge_element(j, i, &e);
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

/* Compare the output "j" with that of the naive kernel, which is in "want". */
static void judge_all(struct tool_judge *j, const void *want)
{
	int size = poly_type_size(j->m->type);
	int64_t i;

	for (i = 0; i < j->m->n; i++) {
		if (j->run->o->ring)
			tool_judge_bits(j, i, (const char *)want + i * size);
		else
			judge_pair(j, i, (const struct wide *)want + i);
	}
}

/* Compare the output "m" with that of the naive kernel, which is copied back,
 * and print the judgement.
 */
static enum tool_exit judge_output(const struct naive *v,
	struct tool_exec *x, const struct tool_matrix *m)
{
	struct tool_judge j = { .run = v->run, .m = m };
	bool ring = v->run->o->ring;
	size_t size = ring ? (size_t)poly_type_size(m->type) :
		sizeof(struct wide);
	void *want = malloc(((size_t)m->n + 1) * size);
	enum tool_exit status;

	status = want ? tool_exec_download(x, tool_exec_find(x, m->name),
		want) : tool_no_memory("an output");
	if (status == TOOL_OK) {
		judge_all(&j, want);
		status = tool_judge_print(&j, v->agrees,
			"the naive kernel, which shares the lowering");
	}
	free(want);
	return status;
}

/* Judge all outputs, or those that are wanted; TOOL_MISMATCH if any is wrong.
 */
static enum tool_exit judge_outputs(const struct naive *v,
	struct tool_exec *x)
{
	enum tool_exit status = TOOL_OK, one;
	int i;

	for (i = 0; i < v->run->n_out; i++) {
		if (v->wanted && !v->wanted[i])
			continue;
		one = judge_output(v, x, &v->run->out[i]);
		if (one != TOOL_OK)
			status = one;
	}
	return status;
}

/* Run the reference "c" on the host device and compare. */
static enum tool_exit run_reference(const struct naive *v,
	struct tool_compile *c)
{
	struct tool_run *r = v->run;
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
		status = judge_outputs(v, &x);
	tool_exec_free(&x);
	return status;
}

enum tool_exit tool_verify_naive(struct tool_run *r, const bool *wanted,
	const char *agrees)
{
	const struct naive v = { r, wanted, agrees };
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
		status = run_reference(&v, &c);
	}
	return tool_compile_free(&c, status);
}
