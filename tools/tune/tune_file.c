/* A program of the user as a form of benchmarks.
 *
 * Its inputs are filled as those of a benchmark are; the interpreter gives the
 * reference of an element with its bound. A worker has read the program before
 * this process does.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/compile.h"
#include "tools/tune/tune.h"

/* Always TOOL_INPUT, for the callers to return. */
static enum tool_exit refuse(const struct tool_tune_file *f, const char *why)
{
	tool_message(MSG_TUNE_NOTHING, f->src.name, why);
	return TOOL_INPUT;
}

/* ---------------------------------------------------------------- reference */

/* Fill the inputs of the interpreter.
 *
 * The same numbers that the device gets, converted to the type of the input.
 */
static bool set_inputs(struct tool_tune_file *f,
	const struct tool_bench_data *d)
{
	int64_t dim[FE_MAX_DIM], count, e;
	int i, n;

	for (i = 0; i < fe_unit_n_input(f->unit); i++) {
		struct fe_matrix m = fe_unit_input(f->unit, i);

		n = fe_interp_shape(f->interp, m.name, dim);
		count = tool_elements(n, dim);
		free(f->input[i]);
		f->input[i] = count < 0 ? NULL :
			malloc((size_t)count * (size_t)poly_type_size(m.type) +
				1);
		if (!f->input[i])
			return false;
		for (e = 0; e < count; e++)
			tool_set(m.type, f->input[i], e,
				tool_bench_element(d, i, e));
		fe_interp_set_input(f->interp, m.name, f->input[i]);
	}
	return true;
}

/* An interpreter for the sizes "n", unless there is one.
 *
 * An interpreter keeps the elements that it has computed: elements of one size
 * are asked for together.
 */
static bool prepare(struct tool_tune_file *f, const struct tool_bench_data *d,
	const int64_t *n)
{
	size_t size = (size_t)fe_unit_n_param(f->unit) * sizeof(*n);

	if (f->interp && !memcmp(f->n, n, size))
		return true;
	fe_interp_free(f->interp);
	f->interp = fe_interp_alloc(f->unit, n);
	memcpy(f->n, n, size);
	if (f->interp)
		fe_interp_relax(f->interp, f->relaxed);
	if (f->interp && set_inputs(f, d))
		return true;
	f->interp = fe_interp_free(f->interp);
	return false;
}

/* The reference of element "i" of output "out": what the interpreter has, or
 * NaN, told, if it has nothing.
 *
 * NaN agrees with no result, so that the candidate counts as wrong.
 */
static struct tool_bench_value reference(const struct tool_bench_data *d,
	const int64_t *n, int out, int64_t i)
{
	struct tool_tune_file *f = d->user;
	const char *name = fe_unit_output(f->unit, out).name;
	int64_t dim[FE_MAX_DIM], at[FE_MAX_DIM];
	struct fe_value v;

	if (!prepare(f, d, n)) {
		tool_no_memory("the reference");
		return (struct tool_bench_value){ NAN, 0 };
	}
	tool_index_of(fe_interp_shape(f->interp, name, dim), dim, i, at);
	if (fe_interp_eval(f->interp, name, at, &v))
		return (struct tool_bench_value){ v.wide, v.bound };
	tool_message(MSG_RUN_REFERENCE, name);
	return (struct tool_bench_value){ NAN, 0 };
}

/* -------------------------------------------------------------------- form */

/* Append "name" to the words at "text"; false if there is no room.
 *
 * Single spaces part the words.
 */
static bool add_word(char *text, size_t size, const char *name)
{
	size_t at = strlen(text);

	return snprintf(text + at, size - at, "%s%s", at ? " " : "", name) <
		(int)(size - at);
}

/* List sizes and arrays as forms have them; false if they are too many.
 *
 * The order of sizes is that of the text.
 */
static bool name_all(struct tool_tune_file *f)
{
	const struct fe_unit *u = f->unit;
	bool ok = fe_unit_n_param(u) <= TOOL_BENCH_N_SIZE &&
		fe_unit_n_input(u) + fe_unit_n_output(u) <= TOOL_BENCH_N_ARRAY;
	int i;

	for (i = 0; ok && i < fe_unit_n_param(u); i++)
		ok = add_word(f->sizes, sizeof(f->sizes),
			fe_unit_param_text(u, i));
	for (i = 0; ok && i < fe_unit_n_input(u); i++)
		ok = add_word(f->arrays, sizeof(f->arrays),
			fe_unit_input(u, i).name);
	for (i = 0; ok && i < fe_unit_n_output(u); i++)
		ok = add_word(f->arrays, sizeof(f->arrays),
			fe_unit_output(u, i).name);
	return ok;
}

/* Have all arrays floats, and is no output an input?
 *
 * Normal numbers are no data of integers, of which none says that it was never written. An
 * output that is an input would change what the next launch reads.
 */
static bool is_plain(const struct fe_unit *u)
{
	int i;

	for (i = 0; i < fe_unit_n_input(u); i++)
		if (!poly_type_is_float(fe_unit_input(u, i).type))
			return false;
	for (i = 0; i < fe_unit_n_output(u); i++)
		if (!poly_type_is_float(fe_unit_output(u, i).type) ||
		    fe_unit_output(u, i).is_input)
			return false;
	return fe_unit_n_output(u) > 0;
}

/* List the types of the elements of all arrays, of which there are not too many. */
static void list_types(struct tool_tune_file *f)
{
	const struct fe_unit *u = f->unit;
	int i, n = 0;

	for (i = 0; i < fe_unit_n_input(u); i++)
		f->element[n++] = fe_unit_input(u, i).type;
	for (i = 0; i < fe_unit_n_output(u); i++)
		f->element[n++] = fe_unit_output(u, i).type;
}

/* Make the program a form, if its arrays are plain; otherwise refuse it.
 *
 * The form has no bases: nothing else computes what the program does.
 */
static enum tool_exit make_form(struct tool_tune_file *f,
	const struct tool_options *o)
{
	const struct fe_unit *u = f->unit;
	enum poly_type type = fe_unit_n_output(u) ?
		fe_unit_output(u, 0).type : POLY_BOOL;
	bool is_unmeasured = o->schedule && (o->dry_run ||
		!strcmp(o->gpu, "host"));

	if (!is_unmeasured && !is_plain(u))
		return refuse(f, "its inputs and outputs are not different "
			"arrays of floats");
	if (!name_all(f))
		return refuse(f, "it has too many sizes or arrays");
	list_types(f);
	f->stem = tool_stem(f->src.name);
	f->form = (struct tool_bench_form){ .suite = "program",
		.name = f->stem, .text = f->src.text, .sizes = f->sizes,
		.arrays = f->arrays, .n_out = fe_unit_n_output(u),
		.start = -1, .is_f64 = type == POLY_F64,
		.type = poly_type_name(type), .element = f->element,
		.reference = reference };
	return f->stem ? TOOL_OK : tool_no_memory("a name");
}

/* ------------------------------------------------------------------ reading */

/* What the worker gets.
 *
 * The worker gets copies of pointers alone.
 */
struct job {
	const struct tool_options *o;
	const struct tool_source *src;
};

/* In a worker: read and lower the program, so that what is wrong is told there.
 *
 * It ends behind the lowering: what comes later depends on the candidate.
 */
static enum tool_exit check(void *user)
{
	const struct job *j = user;
	struct tool_compile c;

	tool_compile_init(&c, j->o, j->src, NVPTX_GPU, TOOL_STAGE_FE_LOWER,
		NULL);
	return tool_compile_free(&c, tool_compile(&c));
}

/* The unit is read once more in this process: only text comes back from a
 * worker.
 */
enum tool_exit tool_tune_file_open(struct tool_tune_file *f,
	const struct tool_options *o)
{
	enum tool_exit status = tool_source_read(&f->src, o->file,
		TOOL_MOST_TEXT);
	struct poly_report report = { 0 };
	struct poly_str headers = { 0 };
	struct job j = { o, &f->src };

	f->relaxed = tool_is_relaxed(o);
	if (status == TOOL_OK)
		status = tool_worker(o, &f->src, check, &j);
	if (status != TOOL_OK)
		return status;
	f->unit = tool_read(o, &f->src, &headers, &report);
	poly_report_free(&report);
	poly_str_free(&headers);
	return f->unit ? make_form(f, o) : tool_no_memory("the program");
}

/* The sizes are those of --sizes, or one from -D. Every size that is missing is
 * told.
 */
enum tool_exit tool_tune_file_sizes(const struct tool_tune_file *f,
	const struct tool_options *o, struct tool_bench_sizes *s)
{
	struct tool_bench_size size = { .count = fe_unit_n_param(f->unit) };
	enum tool_exit status = TOOL_OK;
	const char *name;
	int i, d;

	if (s->n > 1 && o->schedule)
		return refuse(f, "a script is tuned for one size at a time");
	if (s->n)
		return s->item[0].count == size.count ? TOOL_OK :
			refuse(f, "its sizes are not as many as the file of "
				"--sizes has in a line");
	for (i = 0; i < size.count; i++) {
		name = fe_unit_param_text(f->unit, i);
		for (d = o->n_define - 1; d >= 0; d--)
			if (!strcmp(o->define[d].name, name))
				break;
		if (d < 0) {
			tool_message(MSG_RUN_SIZE, name, name);
			status = TOOL_USAGE;
			continue;
		}
		size.n[i] = o->define[d].value;
	}
	if (status == TOOL_OK && !tool_bench_size_add(s, &size))
		status = tool_no_memory("the sizes");
	return status;
}

/* Takes what tool_tune_file_open() left half done, too. */
void tool_tune_file_close(struct tool_tune_file *f)
{
	int i;

	fe_interp_free(f->interp);
	fe_unit_free(f->unit);
	for (i = 0; i < TOOL_BENCH_N_ARRAY; i++)
		free(f->input[i]);
	free(f->stem);
	tool_source_free(&f->src);
}
