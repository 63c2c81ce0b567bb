/* What an object is tried with while it is built: sizes and inputs that are made up, for
 * the samples of a self-test (selftest.c) and for the errors that are measured
 * (compile/measure.c).
 *
 * There are two cases unless all sizes are fixed: one of odd sizes, which fill no tile,
 * and one of round sizes. Where a program is not for them, smaller ones are tried.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/sets/sets.h"
#include "tools/lib/object/object.h"

/* Bytes that an array of a case may take. */
static const double MOST_BYTES = 1 << 30;

/* Sizes of a case, one after another where a program has several. */
static const int64_t odd_sizes[][4] = {
	{ 37, 29, 43, 31 }, { 9, 7, 11, 5 }, { 43, 31, 23, 11 }, { 3, 3, 3, 3 },
	{ 1, 1, 1, 1 }
}, round_sizes[][4] = {
	{ 256, 192, 128, 64 }, { 64, 64, 64, 64 }, { 16, 16, 16, 16 },
	{ 8, 8, 8, 8 }, { 4, 4, 4, 4 }, { 2, 2, 2, 2 }
};

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
static bool choose_sizes(struct tool_trial *t, const int64_t *row)
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

int64_t tool_trial_elements(const struct tool_trial *t, int i)
{
	int64_t bytes;

	if (cetane_rt_record_bytes(t->record, i, t->size, &bytes) != CETANE_OK ||
	    bytes <= 0 || (double)bytes > MOST_BYTES)
		return -1;
	return bytes / t->record->array[i].elem_bytes;
}

/* ------------------------------------------------------------------ inputs */

void tool_trial_drop(struct tool_trial *t)
{
	for (int i = 0; i < t->record->n_array; i++) {
		free(t->data[i]);
		t->data[i] = NULL;
	}
	t->interp = fe_interp_free(t->interp);
}

void tool_trial_range(struct tool_trial *t, int i, int64_t range[2])
{
	if (!fe_interp_positions(t->interp, t->record->array[i].name, &range[0],
			&range[1]) || range[0] > range[1]) {
		range[0] = 0;
		range[1] = -1;
	}
}

bool tool_trial_inputs(struct tool_trial *t, int turn)
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
		n = tool_trial_elements(t, i);
		if (n < 0)
			return false;
		if (r->array[i].role == CETANE_RT_OUTPUT)
			continue;
		t->data[i] = malloc((size_t)(n * r->array[i].elem_bytes));
		t->memory |= !t->data[i];
		if (t->memory)
			break;
		tool_trial_range(t, i, range);
		cetane_rt_record_fill(&r->array[i], i + turn * r->n_array, n,
			range[0], range[1], t->data[i]);
		fe_interp_set_input(t->interp, r->array[i].name, t->data[i]);
	}
	return !t->memory && fe_interp_check(t->interp, &bad);
}

bool tool_trial_eval(struct tool_trial *t, int i, int64_t at, struct fe_value *v)
{
	int64_t index[FE_MAX_DIM], dim[FE_MAX_DIM];
	const char *name = t->record->array[i].name;

	for (int d = fe_interp_shape(t->interp, name, dim) - 1; d >= 0; d--) {
		index[d] = at % dim[d];
		at /= dim[d];
	}
	return fe_interp_eval(t->interp, name, index, v);
}

/* ------------------------------------------------------------------- cases */

/* Call "one" for the first of "n" rows of sizes for which it returns true. */
static bool try_rows(struct tool_trial *t, const int64_t (*row)[4], size_t n,
	bool (*one)(struct tool_trial *t, void *user), void *user)
{
	for (size_t i = 0; i < n && !t->memory; i++)
		if (choose_sizes(t, row[i]) && one(t, user))
			return true;
	return false;
}

int tool_trial_cases(struct tool_trial *t,
	bool (*one)(struct tool_trial *t, void *user), void *user)
{
	bool all_fixed = true;
	int n;

	for (int i = 0; i < cetane_rt_record_plain(t->record); i++)
		all_fixed &= t->record->size[i].fixed;
	n = try_rows(t, odd_sizes, sizeof(odd_sizes) / sizeof(odd_sizes[0]),
		one, user);
	if (!all_fixed)
		n += try_rows(t, round_sizes,
			sizeof(round_sizes) / sizeof(round_sizes[0]), one, user);
	return n;
}

bool tool_trial_init(struct tool_trial *t, const struct tool_object *b,
	const struct tool_options *o, const struct fe_unit *unit,
	struct poly_prog *prog)
{
	const struct cetane_rt_record *r = b->image[b->n_image - 1].record;

	*t = (struct tool_trial){ .o = o, .unit = unit, .prog = prog, .record = r };
	t->param = calloc((size_t)fe_unit_n_param(unit) + 1, sizeof(*t->param));
	t->size = calloc((size_t)r->n_size + 1, sizeof(*t->size));
	t->data = calloc((size_t)r->n_array + 1, sizeof(*t->data));
	t->memory = !t->param || !t->size || !t->data;
	return !t->memory;
}

void tool_trial_free(struct tool_trial *t)
{
	free(t->param);
	free(t->size);
	free(t->data);
	*t = (struct tool_trial){ 0 };
}
