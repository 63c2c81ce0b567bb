/* --expect: outputs against values that the caller knows, which tell whether the
 * program is the right one. Verification tells whether it was compiled well.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/verify.h"

/* What --within is if it is not given.
 *
 * Relative to the larger of 1 and the value (compare).
 */
static double within_of(const struct tool_run *r, enum poly_type type)
{
	if (r->o->within >= 0)
		return r->o->within;
	return type == POLY_F64 ? 1e-10 : type == POLY_F32 ? 1e-5 :
		poly_type_size(type) == 1 ? 1e-1 : 1e-2;
}

/* The output of that name, or NULL.
 *
 * The text need not end behind the name: an option has "=" there.
 */
static struct tool_matrix *find_output(struct tool_run *r, const char *name,
	size_t len)
{
	int i;

	for (i = 0; i < r->n_out; i++)
		if (strlen(r->out[i].name) == len &&
		    !memcmp(r->out[i].name, name, len))
			return &r->out[i];
	return NULL;
}

/* Compare "m" with "want", of the same type and shape, which "what" names.
 *
 * An infinity or a NaN must be met exactly: its bound is 0.
 */
static enum tool_exit compare(struct tool_run *r, const struct tool_matrix *m,
	const struct tool_matrix *want, const char *what)
{
	struct tool_judge j = { .run = r, .m = m };
	bool is_float = poly_type_is_float(m->type);
	double within = is_float ? within_of(r, m->type) : 0;
	struct tool_expected e;
	int64_t i;

	for (i = 0; i < m->n; i++) {
		e = (struct tool_expected){
			.value = tool_get(m->type, want->data, i),
			.integer = is_float ? 0 :
				tool_get_int(m->type, want->data, i) };
		e.bound = isfinite(e.value) ?
			within * fmax(1, fabs(e.value)) : 0;
		tool_judge_element(&j, i, &e);
	}
	return tool_judge_print(&j, "the same as", what);
}

/* Compare "m" with what "text" tells: another output, values, or a file.
 *
 *	--expect Y=Z		another output
 *	--expect Y=[1,2]	values
 *	--expect Y=f.npy	a file
 *
 * A name that begins with a letter is an output unless it ends like a file or
 * is a truth value.
 */
static enum tool_exit expect(struct tool_run *r, struct tool_matrix *m,
	const char *text)
{
	const struct tool_matrix *other = find_output(r, text, strlen(text));
	/* "want" has the shape of "m", which the file must have. */
	struct tool_matrix want = *m;
	enum tool_exit status;

	if (other && (other->type != m->type || other->n_dim != m->n_dim ||
	    memcmp(other->dim, m->dim, (size_t)m->n_dim * sizeof(*m->dim)))) {
		tool_message(MSG_RUN_NPY, text, "another shape or type than "
			"that of the output that is to be equal");
		return TOOL_INPUT;
	}
	if (other)
		return compare(r, m, other, text);
	if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", *text)
	    && !tool_ends_with(text, ".npy") && strcmp(text, "true") &&
	    strcmp(text, "false")) {
		tool_message(MSG_RUN_NPY, text, "neither values nor a .npy file "
			"nor an output");
		return TOOL_INPUT;
	}
	want.data = malloc((size_t)(m->n * poly_type_size(m->type)) + 1);
	if (!want.data)
		return tool_no_memory("what is expected");
	status = tool_load(&want, text);
	if (status == TOOL_OK)
		status = compare(r, m, &want, *text == '[' ? "the values" :
			text);
	free(want.data);
	return status;
}

/* All expectations are compared; the first failure is the exit code. */
enum tool_exit tool_expect(struct tool_run *r)
{
	const struct tool_list *list = &r->o->expect_list;
	enum tool_exit status = TOOL_OK, one;
	const char *eq;
	int i;

	for (i = 0; i < list->n; i++) {
		eq = strchr(list->item[i], '=');
		one = expect(r, find_output(r, list->item[i],
			(size_t)(eq - list->item[i])), eq + 1);
		if (status == TOOL_OK)
			status = one;
	}
	return status;
}
