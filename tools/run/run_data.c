/* The sizes and the arrays of a run, and what the inputs hold.
 *
 * A text in one of the notations has them in its own order, and the interpreter
 * knows their shapes; of poly IR and LLVM IR the launch record has them.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/image/image.h"
#include "tools/lib/object/object.h"
#include "tools/lib/compile/compile.h"
#include "tools/tools.h"

/* ------------------------------------------------------------------- names */

/* Options name matrices and sizes as "NAME=..". */

/* The text behind "name=" if "item" begins so, or NULL.
 *
 * "X" is no beginning of "XY=..": behind the name there must be the "=".
 */
static const char *value_of(const char *item, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(item, name, len) && item[len] == '=' ?
		item + len + 1 : NULL;
}

/* The matrix that "NAME=.." names among the "n" at "m", or NULL.
 *
 * The name is not a string of its own, so each matrix is compared with the
 * item.
 */
static struct tool_matrix *find_matrix(struct tool_matrix *m, int n,
	const char *item)
{
	int i;

	for (i = 0; i < n; i++)
		if (value_of(item, m[i].name))
			return &m[i];
	return NULL;
}

/* Each item of "list", of the option "option", must name one of the "n" matrices at
 * "m", which are "what".
 *
 * The first name that is none ends it. The message has the name alone.
 */
static enum tool_exit check_names(const struct tool_list *list,
	struct tool_matrix *m, int n, const char *option, const char *what)
{
	int i, len;
	char *name;

	for (i = 0; i < list->n; i++) {
		if (find_matrix(m, n, list->item[i]))
			continue;
		len = (int)strcspn(list->item[i], "=");
		if (asprintf(&name, "%.*s", len, list->item[i]) < 0)
			return tool_no_memory("a name");
		tool_message(MSG_RUN_MATRIX, option, name, what);
		free(name);
		return TOOL_USAGE;
	}
	return TOOL_OK;
}

/* -------------------------------------------------------------- matrices */

/* Memory for a matrix, whose shape is known; one larger than any machine's is an
 * error of the input.
 *
 * A byte more than needed: malloc(0) may return NULL.
 */
static enum tool_exit allocate(struct tool_matrix *m)
{
	int64_t size;

	m->n = tool_elements(m->n_dim, m->dim);
	size = tool_bytes(m->n, poly_type_size(m->type));
	m->data = size < 0 ? NULL : malloc((size_t)size + 1);
	if (m->data)
		return TOOL_OK;
	tool_message(MSG_RUN_TOO_BIG, m->name);
	return size < 0 ? TOOL_INPUT : TOOL_ENVIRONMENT;
}

/* Find the outputs that are inputs, too.
 *
 * Both entries are marked: the input's data are what the output begins with.
 */
static void mark_in_place(struct tool_run *r)
{
	int i, k;

	for (i = 0; i < r->n_in; i++)
		for (k = 0; k < r->n_out; k++)
			if (!strcmp(r->in[i].name, r->out[k].name))
				r->in[i].in_place = r->out[k].in_place = true;
}

/* Room for the inputs and outputs.
 *
 * NULL from either is seen by the caller; what is there is freed with the run.
 */
static bool make_lists(struct tool_run *r, int n_in, int n_out)
{
	r->in = calloc((size_t)n_in + 1, sizeof(*r->in));
	r->out = calloc((size_t)n_out + 1, sizeof(*r->out));
	return r->in && r->out;
}

/* Connect the inputs and outputs with the files of the command line.
 *
 * Files of outputs have been opened before (r->file), in the order of the
 * options.
 */
static enum tool_exit connect(struct tool_run *r)
{
	enum tool_exit status = check_names(&r->o->input_list, r->in, r->n_in,
		"input", "input");
	int i;

	if (status == TOOL_OK)
		status = check_names(&r->o->output_list, r->out, r->n_out,
			"output", "output");
	if (status == TOOL_OK)
		status = check_names(&r->o->expect_list, r->out, r->n_out,
			"expect", "output");
	if (status == TOOL_OK)
		mark_in_place(r);
	/* The names have been checked: each finds its output. */
	for (i = 0; i < r->n_file && status == TOOL_OK; i++)
		find_matrix(r->out, r->n_out, r->o->output_list.item[i])->file
			= &r->file[i];
	return status;
}

/* An input that holds positions gets those that exist; the interpreter knows
 * the range that is read there.
 */
void tool_fill_input(const struct tool_run *r, struct tool_matrix *m)
{
	int64_t first, last;

	if (r->interp && fe_interp_positions(r->interp, m->name, &first, &last))
		tool_random_range(m->type, m->data, m->n, m->name,
			(uint64_t)r->o->seed, first, last);
	else
		tool_random(m->type, m->data, m->n, m->name,
			(uint64_t)r->o->seed);
}

/* Refuse inputs that tell positions outside of what is read there.
 *
 * The message says which element of which array is the first to be read or
 * updated outside, and for which indices.
 */
bool tool_positions_inside(struct tool_run *r)
{
	struct poly_str at = { 0 };
	struct fe_bad_read bad;
	int i;

	if (!r->interp || fe_interp_check(r->interp, &bad))
		return true;
	for (i = 0; i < bad.n_index; i++)
		poly_str_printf(&at, "%s %s=%lld", i ? "," : ", for",
			bad.index[i], (long long)bad.value[i]);
	tool_message(MSG_RUN_POSITION, r->src.name, bad.loc.line, bad.loc.col,
		bad.name, bad.update ? "updated" : "read", (long long)bad.at, bad.dim + 1, (long long)bad.first,
		(long long)bad.last, at.s ? at.s : "");
	poly_str_free(&at);
	return false;
}

/* Contents of the inputs, which the interpreter sees, too.
 *
 * A file, values or random contents. If an input is named several times the
 * last counts. The positions are looked at when all inputs are there.
 */
static enum tool_exit fill_inputs(struct tool_run *r)
{
	const struct tool_list *list = &r->o->input_list;
	enum tool_exit status;
	const char *path;
	int i, k;

	for (i = 0; i < r->n_in; i++) {
		path = NULL;
		for (k = 0; k < list->n; k++)
			if (value_of(list->item[k], r->in[i].name))
				path = value_of(list->item[k], r->in[i].name);
		status = TOOL_OK;
		if (path)
			status = tool_load(&r->in[i], path);
		else
			tool_fill_input(r, &r->in[i]);
		if (status != TOOL_OK)
			return status;
		if (r->interp)
			fe_interp_set_input(r->interp, r->in[i].name,
				r->in[i].data);
	}
	return tool_positions_inside(r) ? TOOL_OK : TOOL_INPUT;
}

/* ------------------------------------------------------ a text's own words */

/* Of a text the front end knows the sizes, and its interpreter the shapes. */

/* The value of each size, from -D.
 *
 * The last -D of a name counts. All sizes that are missing are told, not only
 * the first.
 */
static enum tool_exit unit_sizes(struct tool_run *r)
{
	const struct tool_options *o = r->o;
	enum tool_exit status = TOOL_OK;
	const char *name;
	int i, d;

	r->n_value = fe_unit_n_param(r->unit);
	r->value = calloc((size_t)r->n_value + 1, sizeof(*r->value));
	if (!r->value)
		return tool_no_memory("the sizes");
	for (i = 0; i < r->n_value; i++) {
		/* "name" has the size's name in the lowered program, "text" in
		 * the source; -D goes by the latter.
		 */
		r->value[i].name = fe_unit_param(r->unit, i);
		name = fe_unit_param_text(r->unit, i);
		for (d = o->n_define - 1; d >= 0; d--)
			if (!strcmp(o->define[d].name, name))
				break;
		if (d >= 0) {
			r->value[i].value = o->define[d].value;
			continue;
		}
		tool_message(MSG_RUN_SIZE, name, name);
		status = TOOL_USAGE;
	}
	return status;
}

/* Make the interpreter for the values of the sizes.
 *
 * The interpreter keeps the values itself.
 */
static enum tool_exit make_interp(struct tool_run *r)
{
	int64_t *param = calloc((size_t)r->n_value + 1, sizeof(*param));
	int i;

	for (i = 0; param && i < r->n_value; i++)
		param[i] = r->value[i].value;
	r->interp = param ? fe_interp_alloc(r->unit, param) : NULL;
	free(param);
	if (!r->interp)
		return tool_no_memory("the interpreter");
	fe_interp_relax(r->interp, tool_is_relaxed(r->o));
	return TOOL_OK;
}

/* Set "m" up after its declaration, with the sizes in force.
 *
 * "is_flat" is a matter of printing: the declaration says it.
 */
static enum tool_exit unit_matrix(struct tool_run *r, struct tool_matrix *m,
	struct fe_matrix decl)
{
	m->name = decl.name;
	m->type = decl.type;
	m->is_flat = decl.is_flat;
	m->n_dim = fe_interp_shape(r->interp, m->name, m->dim);
	return allocate(m);
}

/* Make the inputs and outputs of a text, with the shapes that the interpreter
 * finds.
 *
 * Counters go up one by one, so that tool_run_free() frees what there is.
 */
static enum tool_exit unit_matrices(struct tool_run *r)
{
	enum tool_exit status = TOOL_OK;
	int n_in = fe_unit_n_input(r->unit), n_out = fe_unit_n_output(r->unit);

	if (!make_lists(r, n_in, n_out))
		return tool_no_memory("the arrays");
	for (; r->n_in < n_in && status == TOOL_OK; r->n_in++)
		status = unit_matrix(r, &r->in[r->n_in],
			fe_unit_input(r->unit, r->n_in));
	for (; r->n_out < n_out && status == TOOL_OK; r->n_out++)
		status = unit_matrix(r, &r->out[r->n_out],
			fe_unit_output(r->unit, r->n_out));
	return status == TOOL_OK ? connect(r) : status;
}

/* Sizes, interpreter, arrays, contents: each needs the one before. */
enum tool_exit tool_run_of_unit(struct tool_run *r)
{
	enum tool_exit status = unit_sizes(r);

	if (status == TOOL_OK)
		status = make_interp(r);
	if (status == TOOL_OK)
		status = unit_matrices(r);
	return status == TOOL_OK ? fill_inputs(r) : status;
}

/* --------------------------------------------------------- a launch record */

/* The value of each size, from -D or as it was compiled in.
 *
 * A size that is fixed cannot be given another value (tool_launch_defines). Its
 * value in the record serves where -D is silent.
 */
static enum tool_exit record_sizes(struct tool_run *r)
{
	const struct tool_options *o = r->o;
	enum tool_exit status = tool_launch_defines(o, r->record);
	int i, d;

	r->n_value = r->record->n_size;
	r->value = calloc((size_t)r->n_value + 1, sizeof(*r->value));
	if (!r->value)
		return tool_no_memory("the sizes");
	/* All sizes that are missing are told. */
	for (i = 0; i < r->n_value && status != TOOL_INPUT; i++) {
		const struct cetane_rt_size *s = &r->record->size[i];

		r->value[i] = (struct fe_define){ s->name, s->value };
		for (d = o->n_define - 1; d >= 0; d--)
			if (!strcmp(o->define[d].name, s->name))
				break;
		if (d >= 0) {
			r->value[i].value = o->define[d].value;
		} else if (!s->fixed) {
			tool_message(MSG_RUN_SIZE, s->name, s->name);
			status = TOOL_USAGE;
		}
	}
	return status;
}

/* See that the program is for these sizes; LLVM IR does not tell.
 *
 * The record has conditions of its own, for instance that no size is negative.
 * Poly IR has the program's context as well; a message shows that.
 */
static enum tool_exit check_sizes(const struct tool_run *r,
	const struct tool_compile *c, const int64_t *size)
{
	enum cetane_status s = cetane_rt_record_check(r->record, size);
	struct poly_str text = { 0 };
	isl_bool fit;

	if (s != CETANE_OK) {
		tool_device_error("the sizes", s);
		return TOOL_INPUT;
	}
	fit = c->prog ? poly_prog_fits(c->prog, size, &text) : isl_bool_true;
	if (fit == isl_bool_false)
		tool_message(MSG_RUN_CONTEXT, text.s ? text.s : "");
	poly_str_free(&text);
	return fit == isl_bool_error ? tool_no_memory("the sizes") :
		fit ? TOOL_OK : TOOL_INPUT;
}

/* The array "a" with the sizes "size".
 *
 * An extent is a formula of the sizes. One that has no value or a negative one
 * is too big for what can be told.
 */
static enum tool_exit record_matrix(struct tool_matrix *m,
	const struct cetane_rt_array *a, const int64_t *size)
{
	m->name = a->name;
	m->type = poly_type_find(a->type);
	for (; m->n_dim < a->n_dim; m->n_dim++)
		if (!cetane_rt_formula_value(&a->extent[m->n_dim], size, NULL,
				&m->dim[m->n_dim]) || m->dim[m->n_dim] < 0) {
			tool_message(MSG_RUN_TOO_BIG, m->name);
			return TOOL_INPUT;
		}
	return allocate(m);
}

/* Make the inputs and outputs of a record, at these sizes. One that is both is
 * in both lists.
 *
 * Each has memory of its own: the output is compared with what the input was.
 */
static enum tool_exit record_matrices(struct tool_run *r, const int64_t *size)
{
	const struct cetane_rt_record *record = r->record;
	enum tool_exit status = TOOL_OK;
	int i;

	if (!make_lists(r, record->n_array, record->n_array))
		return tool_no_memory("the arrays");
	/* Temporaries are in neither list. */
	for (i = 0; i < record->n_array && status == TOOL_OK; i++) {
		const struct cetane_rt_array *a = &record->array[i];

		if (a->role == CETANE_RT_INPUT || a->role == CETANE_RT_INOUT)
			status = record_matrix(&r->in[r->n_in++], a, size);
		if (status == TOOL_OK && (a->role == CETANE_RT_OUTPUT ||
				a->role == CETANE_RT_INOUT))
			status = record_matrix(&r->out[r->n_out++], a, size);
	}
	return status == TOOL_OK ? connect(r) : status;
}

/* Without a text there is no interpreter: nothing is verified but that the
 * program runs.
 */
enum tool_exit tool_run_of_record(struct tool_run *r, struct tool_compile *c)
{
	enum tool_exit status = tool_launch_record(c, NULL, &r->record);
	int64_t *size = NULL;
	int i;

	/* A text of LLVM IR may have lost its record. */
	if (status == TOOL_OK && !r->record) {
		tool_message(MSG_NO_NOTE, r->src.name);
		status = TOOL_INPUT;
	}
	if (status == TOOL_OK)
		status = record_sizes(r);
	if (status == TOOL_OK) {
		size = calloc((size_t)r->n_value + 1, sizeof(*size));
		for (i = 0; size && i < r->n_value; i++)
			size[i] = r->value[i].value;
		status = !size ? tool_no_memory("the sizes") :
			check_sizes(r, c, size);
	}
	if (status == TOOL_OK)
		status = record_matrices(r, size);
	free(size);
	return status == TOOL_OK ? fill_inputs(r) : status;
}

/* Whatever has been made so far is freed. Interpreter and record may be NULL.
 */
void tool_run_free(struct tool_run *r)
{
	int i;

	fe_interp_free(r->interp);
	for (i = 0; r->in && i < r->n_in; i++)
		free(r->in[i].data);
	for (i = 0; r->out && i < r->n_out; i++)
		free(r->out[i].data);
	free(r->in);
	free(r->out);
	free(r->value);
	cetane_rt_record_free(r->record);
}
