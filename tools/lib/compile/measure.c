/* --measure-error: the largest error of each output, for the manifest.
 *
 * The program is compiled for the host device with the schedule of each architecture of
 * the object, and with that of the host's own image. Each is run on inputs that are made
 * up (object/trial.c), and its outputs are compared with what the interpreter evaluates
 * in floats that are at least as wide as f64. An object whose errors are larger than any
 * order of evaluation may make is not built.
 *
 * It is the operations of the interpreter that bound the work, so that the same build
 * always measures the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/base/base.h"
#include "tools/lib/compile/compile.h"
#include "tools/lib/object/object.h"

/* Operations that a case may take, over all its inputs, for each output. */
static const double MOST_COST = 3e7;

/* What an element is before it is written. */
enum { UNWRITTEN = 0xff };

/* A measurement: "c" is compiled, "x" has memory for the sizes of a case. */
struct measure {
	struct tool_object *b;
	const struct tool_options *o;
	struct fe_unit *unit;
	struct tool_trial t;
	struct tool_compile c;
	struct tool_exec x;
	enum tool_exit status;
};

/* ------------------------------------------------------------- comparing */

/* Tell that element "at" of array "i" is not what it should be. */
static void tell_wrong(struct measure *m, int i, int64_t at, double is,
	const struct fe_value *want, double error)
{
	const struct cetane_rt_array *a = &m->t.record->array[i];
	bool is_float = cetane_rt_record_is_float(a);
	int64_t dim[FE_MAX_DIM], index[FE_MAX_DIM];
	int n_dim = fe_interp_shape(m->t.interp, a->name, dim);
	struct poly_str name = { 0 };
	char got[32], should[32];

	for (int d = n_dim - 1; d >= 0; at /= dim[d--])
		index[d] = at % dim[d];
	poly_str_add(&name, a->name);
	for (int d = 0; d < n_dim; d++)
		poly_str_printf(&name, "%s%lld%s", d ? "," : "[",
			(long long)index[d], d == n_dim - 1 ? "]" : "");
	snprintf(got, sizeof(got), "%.17g", is);
	snprintf(should, sizeof(should), "%.17g", is_float ? want->wide :
		(double)want->integer);
	tool_message(MSG_RUN_MISMATCH, name.s ? name.s : a->name, got, should,
		error, want->bound);
	poly_str_free(&name);
	m->status = TOOL_MISMATCH;
}

/* Compare element "at" of array "i", which is in "data"; false if it is wrong or cannot
 * be evaluated. What has no bound is left out.
 */
static bool compare(struct measure *m, int i, int64_t at, const void *data)
{
	const struct cetane_rt_array *a = &m->t.record->array[i];
	struct tool_measured *to = &m->b->numbers[i].measured;
	enum poly_type type = poly_type_find(a->type);
	struct fe_value want;
	double is = fe_number_load(type, data, at), size, error;

	if (!tool_trial_eval(&m->t, i, at, &want))
		return false;
	if (cetane_rt_record_is_float(a)) {
		if (!isfinite(want.bound))
			return true;
		size = fabs(want.wide);
		/* the same infinities are no error */
		error = is == want.wide ? 0 : fabs(is - want.wide);
	} else {
		size = fabs((double)want.integer);
		error = memcmp((const char *)data + at * a->elem_bytes,
			&want.integer, (size_t)a->elem_bytes) ?
			fmax(1, fabs(is - (double)want.integer)) : 0;
	}
	if (!(error <= want.bound)) {
		tell_wrong(m, i, at, is, &want, error);
		return false;
	}
	to->n++;
	to->error = fmax(to->error, error);
	to->largest = isfinite(size) ? fmax(to->largest, size) : to->largest;
	if (error > 0)
		to->share = fmax(to->share, error / want.bound);
	return true;
}

/* Compare array "i", which is written: all its elements, or as many, that lie apart, as
 * a part of the operations allows.
 */
static void compare_array(struct measure *m, int i)
{
	const char *name = m->t.record->array[i].name;
	double all, most = MOST_COST / (double)m->o->measure_error;
	int64_t n = tool_trial_elements(&m->t, i), step;
	int array = tool_exec_find(&m->x, name);
	void *data = malloc((size_t)m->x.size[array] + 1);

	m->status = data ? tool_exec_download(&m->x, array, data) :
		tool_no_memory("an output");
	all = fe_interp_cost(m->t.interp);
	step = all > most && !fe_interp_is_whole(m->t.interp) ?
		(int64_t)fmin(all / most + 1, (double)n) : 1;
	while (step > 1 && step < n && n % step == 0)
		step++;
	fe_interp_limit(m->t.interp, most);
	for (int64_t at = 0; at < n && m->status == TOOL_OK; at += step)
		if (!compare(m, i, at, data))
			break;
	free(data);
}

/* --------------------------------------------------------------- running */

/* Copy the inputs to the device, and let everything else be unwritten. */
static void upload(struct measure *m)
{
	for (int i = 0; i < m->t.record->n_array && m->status == TOOL_OK; i++)
		if (m->t.data[i])
			m->status = tool_exec_upload(&m->x, tool_exec_find(&m->x,
				m->t.record->array[i].name), m->t.data[i]);
	if (m->status == TOOL_OK)
		m->status = tool_exec_poison(&m->x, UNWRITTEN);
}

/* Run once on the inputs that are there, and compare all that is written. */
static void run_once(struct measure *m)
{
	upload(m);
	if (m->status == TOOL_OK) {
		tool_stage(TOOL_STAGE_LAUNCH);
		m->status = tool_exec_run(&m->x);
		tool_stage(TOOL_STAGE_VERIFY);
	}
	for (int i = 0; i < m->t.record->n_array && m->status == TOOL_OK; i++)
		if (m->b->numbers[i].known)
			compare_array(m, i);
}

/* Load what is compiled, with memory for the sizes. */
static void load(struct measure *m)
{
	const struct cetane_rt_record *r = m->t.record;
	int n = fe_unit_n_param(m->t.unit), k = 0;
	struct fe_define *value = calloc((size_t)(n + r->n_size) + 1,
		sizeof(*value));
	struct cetane_device *dev = NULL;
	enum cetane_status s = cetane_device_open("host", &dev);

	/* the text's sizes have names of the program, pitches those of the record */
	for (; value && k < n; k++)
		value[k] = (struct fe_define){ fe_unit_param(m->t.unit, k),
			m->t.param[k] };
	for (int i = 0; value && i < r->n_size; i++)
		value[k++] = (struct fe_define){ r->size[i].name, m->t.size[i] };
	if (s != CETANE_OK)
		m->status = tool_device_error("host", s);
	else if (value)
		m->status = tool_exec_init(&m->x, dev, &m->c, value, k, false);
	else
		m->status = tool_no_memory("the sizes");
	if (!value)
		cetane_device_close(dev);
	free(value);
}

/* Measure with the sizes of "t", for each of the inputs. False if the program is not for
 * them; whatever else fails is in "user".
 */
static bool measure_case(struct tool_trial *t, void *user)
{
	struct measure *m = user;
	bool made = false;

	if (m->status != TOOL_OK)
		return true;
	for (int turn = 0; turn < m->o->measure_error; turn++) {
		made = tool_trial_inputs(t, turn);
		if (made && !turn)
			load(m);
		if (made && m->status == TOOL_OK)
			run_once(m);
		tool_trial_drop(t);
		if (!made || m->status != TOOL_OK)
			break;
	}
	tool_exec_free(&m->x);
	return made;
}

/* ------------------------------------------------------------- compiling */

/* Compile with the schedule for "target", NULL: that of the host's image, and measure. */
static void measure_for(struct measure *m, const struct tool_source *src,
	const struct nvptx_target *target)
{
	tool_compile_init(&m->c, m->o, src, NVPTX_HOST, TOOL_STAGE_NVPTX_JIT,
		m->unit);
	m->c.nvptx.portable = true;
	m->c.nvptx.target = target;
	m->status = tool_compile(&m->c);
	if (m->status == TOOL_OK)
		tool_trial_cases(&m->t, measure_case, m);
	if (m->t.memory && m->status == TOOL_OK)
		m->status = tool_no_memory("the errors");
	m->status = tool_compile_free(&m->c, m->status);
}

enum tool_exit tool_measure(struct tool_object *b, const struct tool_options *o,
	struct fe_unit *unit, struct poly_prog *prog)
{
	struct measure m = { .b = b, .o = o, .unit = unit, .status = TOOL_OK };
	bool any = false;

	if (!tool_trial_init(&m.t, b, o, unit, prog))
		m.status = tool_no_memory("the errors");
	for (int i = 0; i <= o->n_arch && m.status == TOOL_OK; i++)
		measure_for(&m, b->text, i < o->n_arch ? o->arch_list[i] : NULL);
	for (int i = 0; m.status == TOOL_OK && i < m.t.record->n_array; i++)
		any |= b->numbers[i].measured.n > 0;
	if (m.status == TOOL_OK && !any) {
		tool_message(MSG_NOT_MEASURED, b->name);
		m.status = TOOL_INPUT;
	}
	tool_trial_free(&m.t);
	return m.status;
}
