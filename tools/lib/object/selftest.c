/* The samples of a self-test: what elements of the outputs must be for inputs that are
 * made up, as the interpreter evaluates the text. It shares no lowering with the code
 * that the object runs. runtime/program.h says how they lie in the object.
 *
 * There are two cases unless all sizes are fixed: one of odd sizes, which fill no tile,
 * and one of round sizes. Where a program is not for them, smaller ones are tried.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/sets/sets.h"
#include "tools/lib/object/object.h"

/* Samples of an output; operations and bytes that a case may take. */
enum { N_SAMPLE = 512 };
static const double MOST_COST = 3e7, MOST_BYTES = 1 << 30;

/* Sizes of a case, one after another where a program has several. */
static const int64_t odd_sizes[][4] = {
	{ 37, 29, 43, 31 }, { 9, 7, 11, 5 }, { 43, 31, 23, 11 }, { 3, 3, 3, 3 },
	{ 1, 1, 1, 1 }
}, round_sizes[][4] = {
	{ 256, 192, 128, 64 }, { 64, 64, 64, 64 }, { 16, 16, 16, 16 },
	{ 8, 8, 8, 8 }, { 4, 4, 4, 4 }, { 2, 2, 2, 2 }
};

/* A self-test in the making. "param" are the sizes of the unit, "size" those of the
 * record; "data" the inputs, one for each array of the record.
 */
struct samples {
	const struct tool_object *b;
	const struct tool_options *o;
	const struct fe_unit *unit;
	struct poly_prog *prog;
	const struct cetane_rt_record *record;
	struct fe_interp *interp;
	int64_t *param, *size;
	void **data;
	struct tool_words *out;
	int n_sample;		/* of the case */
	bool memory;		/* there was not enough */
};

/* ------------------------------------------------------------------- words */

static void add_word(struct samples *t, int64_t word)
{
	struct tool_words *w = t->out;
	int64_t *more;

	if (w->n == w->cap) {
		w->cap = 2 * w->cap + 64;
		more = realloc(w->word, (size_t)w->cap * sizeof(*more));
		if (!more) {
			t->memory = true;
			w->cap = w->n;
			return;
		}
		w->word = more;
	}
	w->word[w->n++] = word;
}

static int64_t bits_of(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* ------------------------------------------------------------------- sizes */

/* The value that -D gives the size "name" of the text, or -1. */
static int64_t defined(const struct tool_options *o, const char *name)
{
	for (int d = o->n_define - 1; d >= 0; d--)
		if (!strcmp(o->define[d].name, name))
			return o->define[d].value;
	return -1;
}

/* Give the sizes those of "row" that are not fixed; false if the program is not for
 * them.
 */
static bool choose_sizes(struct samples *t, const int64_t *row)
{
	const struct cetane_rt_record *r = t->record;
	int n = fe_unit_n_param(t->unit), k = 0;
	struct poly_str why = { 0 };
	isl_bool fits;

	for (int i = 0; i < cetane_rt_record_plain(r); i++)
		t->size[i] = r->size[i].fixed ? r->size[i].value : row[k++ % 4];
	if (cetane_rt_record_sizes(r, t->size, NULL, t->size) != CETANE_OK)
		return false;
	for (int i = 0; i < n; i++) {
		const char *name = fe_unit_param_text(t->unit, i);

		t->param[i] = defined(t->o, name);
		for (k = 0; k < cetane_rt_record_plain(r); k++)
			if (!strcmp(r->size[k].name, name))
				t->param[i] = t->size[k];
		if (t->param[i] < 0)
			return false;
	}
	fits = poly_prog_fits(t->prog, t->size, &why);
	poly_str_free(&why);
	return fits == isl_bool_true;
}

/* How many elements array "i" has, or -1: it is too large, or has none. */
static int64_t elements(const struct samples *t, int i)
{
	int64_t bytes;

	if (cetane_rt_record_bytes(t->record, i, t->size, &bytes) != CETANE_OK ||
	    bytes <= 0 || (double)bytes > MOST_BYTES)
		return -1;
	return bytes / t->record->array[i].elem_bytes;
}

/* ------------------------------------------------------------------ inputs */

static void free_inputs(struct samples *t)
{
	for (int i = 0; i < t->record->n_array; i++) {
		free(t->data[i]);
		t->data[i] = NULL;
	}
	t->interp = fe_interp_free(t->interp);
}

/* Which integers may array "i" hold? What tells positions has a range; elsewhere
 * "range" becomes that of no integer.
 */
static void find_range(struct samples *t, int i, int64_t range[2])
{
	if (!fe_interp_positions(t->interp, t->record->array[i].name, &range[0],
			&range[1]) || range[0] > range[1]) {
		range[0] = 0;
		range[1] = -1;
	}
}

/* Make the interpreter and the inputs for the sizes. False if a size does not suit the
 * program, or there is too much of an array.
 */
static bool make_inputs(struct samples *t)
{
	const struct cetane_rt_record *r = t->record;
	struct fe_bad_read bad;
	int64_t n, range[2];

	t->interp = fe_interp_alloc(t->unit, t->param);
	t->memory |= !t->interp;
	if (t->interp)
		fe_interp_relax(t->interp, tool_is_relaxed(t->o));
	for (int i = 0; i < r->n_array && !t->memory; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		n = elements(t, i);
		if (n < 0)
			return false;
		if (r->array[i].role == CETANE_RT_OUTPUT)
			continue;
		t->data[i] = malloc((size_t)(n * r->array[i].elem_bytes));
		t->memory |= !t->data[i];
		if (t->memory)
			break;
		find_range(t, i, range);
		cetane_rt_record_fill(&r->array[i], i, n, range[0], range[1],
			t->data[i]);
		fe_interp_set_input(t->interp, r->array[i].name, t->data[i]);
	}
	return !t->memory && fe_interp_check(t->interp, &bad);
}

/* ----------------------------------------------------------------- samples */

/* Add the sample number "at" of array "i"; false if it cannot be evaluated. What has
 * no bound is left out.
 */
static bool add_sample(struct samples *t, int i, int64_t at, int64_t *n)
{
	const struct cetane_rt_array *a = &t->record->array[i];
	int64_t index[FE_MAX_DIM], dim[FE_MAX_DIM], rest = at;
	int n_dim = fe_interp_shape(t->interp, a->name, dim);
	bool is_float = cetane_rt_record_is_float(a);
	struct fe_value v;

	for (int d = n_dim - 1; d >= 0; d--) {
		index[d] = rest % dim[d];
		rest /= dim[d];
	}
	if (!fe_interp_eval(t->interp, a->name, index, &v))
		return false;
	if (is_float && !isfinite(v.bound))
		return true;
	add_word(t, at);
	add_word(t, is_float ? bits_of(v.wide) : v.integer);
	add_word(t, bits_of(v.bound));
	++*n;
	return true;
}

/* Add the samples of array "i", which is written: all elements, or some that lie apart
 * by a step that does not divide their number, with the last.
 */
static void add_samples(struct samples *t, int i)
{
	int64_t n = elements(t, i), step = n / N_SAMPLE + 1, place, found = 0;

	place = t->out->n;
	add_word(t, 0);
	while (n > N_SAMPLE && step > 1 && n % step == 0)
		step++;
	fe_interp_limit(t->interp, MOST_COST);
	for (int64_t at = 0; at < n; at += step)
		if (!add_sample(t, i, at, &found))
			break;
	if (n > 1 && (n - 1) % step)
		add_sample(t, i, n - 1, &found);
	if (!t->memory)
		t->out->word[place] = found;
	t->n_sample += found > 0;
}

/* Add a case for the sizes; false if there is none for them. */
static bool add_case(struct samples *t)
{
	const struct cetane_rt_record *r = t->record;
	int64_t range[2], begin = t->out->n;
	bool made = make_inputs(t);

	t->n_sample = 0;
	for (int i = 0; i < cetane_rt_record_plain(r) && made; i++)
		add_word(t, t->size[i]);
	for (int i = 0; i < r->n_array && made && !t->memory; i++) {
		if (r->array[i].role == CETANE_RT_TEMP)
			continue;
		find_range(t, i, range);
		add_word(t, range[0]);
		add_word(t, range[1]);
		if (r->array[i].role == CETANE_RT_INPUT)
			add_word(t, 0);
		else
			add_samples(t, i);
	}
	free_inputs(t);
	if (!made || !t->n_sample || t->memory)
		t->out->n = begin;
	return t->out->n > begin;
}

/* Add a case for the first of "n" rows of sizes that suits. */
static bool try_rows(struct samples *t, const int64_t (*row)[4], size_t n)
{
	for (size_t i = 0; i < n && !t->memory; i++)
		if (choose_sizes(t, row[i]) && add_case(t))
			return true;
	return false;
}

/* Add all cases behind their number. */
static void add_cases(struct samples *t)
{
	int64_t n_case = 0;
	bool all_fixed = true;

	for (int i = 0; i < cetane_rt_record_plain(t->record); i++)
		all_fixed &= t->record->size[i].fixed;
	add_word(t, 0);
	n_case += try_rows(t, odd_sizes,
		sizeof(odd_sizes) / sizeof(odd_sizes[0]));
	if (!all_fixed)
		n_case += try_rows(t, round_sizes,
			sizeof(round_sizes) / sizeof(round_sizes[0]));
	if (!t->memory)
		t->out->word[0] = n_case;
}

enum tool_exit tool_selftest(const struct tool_object *b,
	const struct tool_options *o, const struct fe_unit *unit,
	struct poly_prog *prog, struct tool_words *out)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;
	struct samples t = { .b = b, .o = o, .unit = unit, .prog = prog,
		.record = r, .out = out };

	t.param = calloc((size_t)fe_unit_n_param(unit) + 1, sizeof(*t.param));
	t.size = calloc((size_t)r->n_size + 1, sizeof(*t.size));
	t.data = calloc((size_t)r->n_array + 1, sizeof(*t.data));
	t.memory = !t.param || !t.size || !t.data;
	if (!t.memory)
		add_cases(&t);
	free(t.param);
	free(t.size);
	free(t.data);
	if (t.memory)
		return tool_no_memory("the self-test");
	if (out->word[0])
		return TOOL_OK;
	tool_message(MSG_SELFTEST, b->name);
	return TOOL_INPUT;
}
