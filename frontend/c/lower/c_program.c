/* Sizes and arrays of a nest in the lowered program, and what the program
 * assumes of its sizes.
 *
 * An array whose accesses leave it for some sizes says that these sizes do not
 * occur: the program would be wrong. The context of the lowered program does
 * not learn it, because an upper bound such as n <= 40 leads isl's scheduler
 * to coefficients made of that number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/c/lower/lower.h"

/* Larger than any extent; stands for one that is not yet known.
 *
 * 2^31 - 1: subscripts are compared with it while the accesses are collected.
 */
enum { UNKNOWN = 2147483647 };

/* Add the sizes of the nest as parameters, with the values that are given;
 * nothing is assumed of them yet.
 *
 * A size with a given value stays a parameter that is fixed.
 */
static isl_stat add_sizes(struct fe_c_lower *lw)
{
	const struct fe_c_unit *c = lw->u->c;
	int i;

	for (i = 0; i < c->n_size; i++) {
		const struct fe_c_var *v = c->size[i];
		struct poly_param *param;

		param = poly_prog_add_param(lw->prog, v->lowered);
		if (!param)
			return isl_stat_error;
		param->loc = v->loc;
		if (v->fixed && poly_prog_fix(lw->prog, v->lowered,
			v->value) < 0)
			return isl_stat_error;
	}
	lw->params = isl_set_get_space(lw->prog->context);
	lw->assumed = isl_set_universe(isl_space_copy(lw->params));
	return lw->assumed ? isl_stat_ok : isl_stat_error;
}

/* ----------------------------------------------------------------- arrays */

/* All arrays of the nest have a space of the sizes and one dimension each of
 * their own.
 */

/* The space of an array with "n_dim" dimensions, under its name. */
static __isl_give isl_space *array_space(struct fe_c_lower *lw,
	const char *name, int n_dim)
{
	isl_space *space = isl_space_set_from_params(
		isl_space_copy(lw->params));

	space = isl_space_add_dims(space, isl_dim_set, (unsigned)n_dim);
	return isl_space_set_tuple_name(space, isl_dim_set, name);
}

/* Extent "d" of the array "v": as it is written, or as the accesses to it tell
 * (c_roles.c). Before they have been asked it is UNKNOWN, which is large enough
 * for all of them.
 *
 *	float x[][4]
 *
 * has no first extent in the text; only the first may be left out.
 */
static __isl_give isl_pw_aff *extent_of(struct fe_c_lower *lw,
	const struct fe_c_var *v, int d)
{
	struct fe_c_place at = { .depth = -1 };
	isl_local_space *ls;

	if (v->dim[d])
		return fe_c_aff(lw, &at, v->dim[d]);
	if (v->extent && d == 0)
		return isl_pw_aff_align_params(isl_pw_aff_read_from_str(
			lw->prog->ctx, v->extent),
			isl_space_copy(lw->params));
	ls = isl_local_space_from_space(isl_space_copy(lw->params));
	return isl_pw_aff_from_aff(isl_aff_val_on_domain(ls,
		isl_val_int_from_si(lw->prog->ctx, UNKNOWN)));
}

/* What is said that the array "v" holds; NULL if nothing is. */
static __isl_give isl_multi_pw_aff *limits_of(struct fe_c_lower *lw,
	const struct fe_c_var *v)
{
	struct fe_c_place at = { .depth = -1 };
	isl_pw_aff_list *list;

	if (!v->limit[0] || (v->role != POLY_INPUT && v->role != POLY_INOUT))
		return NULL;
	list = isl_pw_aff_list_from_pw_aff(fe_c_aff(lw, &at, v->limit[0]));
	list = isl_pw_aff_list_add(list, fe_c_aff(lw, &at, v->limit[1]));
	return isl_multi_pw_aff_from_pw_aff_list(isl_space_add_dims(
		isl_space_set_from_params(isl_space_copy(lw->params)), isl_dim_set, 2),
		list);
}

/* Add the array of the variable "v" to the program, under its name there.
 *
 * The array is remembered by the number of its variable, for the accesses.
 */
static isl_stat add_array(struct fe_c_lower *lw, const struct fe_c_var *v)
{
	isl_space *space = array_space(lw, v->lowered, v->n_dim);
	isl_multi_pw_aff *extent;
	isl_pw_aff_list *list;
	struct poly_array *array;
	int d;

	list = isl_pw_aff_list_alloc(lw->prog->ctx, v->n_dim);
	for (d = 0; d < v->n_dim; d++)
		list = isl_pw_aff_list_add(list, extent_of(lw, v, d));
	extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
	if (!extent)
		return isl_stat_error;
	array = poly_prog_add_array(lw->prog, v->lowered, v->type, v->role,
		extent);
	lw->array[v->id] = array;
	if (array)
		array->loc = v->loc;
	if (array)
		array->within = limits_of(lw, v);
	return array ? isl_stat_ok : isl_stat_error;
}

/* An array without dimensions, for a value that lives between statements. */
struct poly_array *fe_c_add_cell(struct fe_c_lower *lw, const char *name,
	enum poly_type type)
{
	isl_multi_pw_aff *extent;

	extent = isl_multi_pw_aff_zero(array_space(lw, name, 0));
	if (!extent)
		return NULL;
	return poly_prog_add_array(lw->prog, name, type, POLY_TEMP, extent);
}

/* Variables that are sizes, counters or other names have no array. */
isl_stat fe_c_begin(struct fe_c_lower *lw)
{
	const struct fe_c_var *v;

	if (add_sizes(lw) < 0)
		return isl_stat_error;
	for (v = lw->u->c->var; v; v = v->next)
		if (v->used && v->use == FE_C_CELL && add_array(lw, v) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}

/* Called when the nest is put into a program that has arrays already: those
 * that the caller gave are skipped, the others are temporaries with names that
 * are free there.
 */
isl_stat fe_c_add_locals(struct fe_c_lower *lw)
{
	const struct fe_c_var *v;
	char name[FE_MAX_NAME + 32];

	for (v = lw->u->c->var; v; v = v->next) {
		struct fe_c_var own = *v;
		int n = 0;

		if (!v->used || v->use != FE_C_CELL || lw->array[v->id])
			continue;
		/* The length leaves room for the number. */
		snprintf(name, sizeof(name), "%.80s", v->lowered);
		while (poly_prog_find_array(lw->prog, name) ||
		       poly_prog_find_stmt(lw->prog, name) ||
		       poly_prog_find_param(lw->prog, name))
			snprintf(name, sizeof(name), "%.80s_%d", v->lowered,
				++n);
		own.lowered = name;
		own.role = POLY_TEMP;
		if (add_array(lw, &own) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* ------------------------------------------------------------ assumptions */

/* All of this happens once the whole nest has been lowered: only then is it
 * known what is assumed of the sizes.
 */

/* Accesses that C may leave out must be in bounds for all sizes that are
 * right.
 *
 * C evaluates the right side of "&&" only if the left one holds. Where the
 * accesses there are not in bounds for sizes that are right, that is reported:
 * the lowered program may do them.
 */
static void judge_doubts(struct fe_c_lower *lw)
{
	struct fe_c_doubt *d;
	isl_set *bad;

	for (d = lw->doubt; d; d = d->next) {
		bad = isl_set_intersect(d->bad,
			isl_set_copy(lw->prog->context));
		bad = isl_set_intersect(bad, isl_set_copy(lw->assumed));
		if (!lw->quiet && isl_set_is_empty(bad) == isl_bool_false)
			FE_REPORT(lw->u, FE_C_DOUBT, &d->e->loc,
				d->e->var->name);
		isl_set_free(bad);
	}
	lw->doubt = NULL;
}

/* "set" with the values that are given put in for the sizes. */
__isl_give isl_set *fe_c_given(const struct fe_c_lower *lw,
	__isl_take isl_set *set)
{
	int i, at;

	for (i = 0; i < lw->prog->n_param; i++) {
		const struct poly_param *param = &lw->prog->param[i];

		at = isl_set_find_dim_by_name(set, isl_dim_param,
			param->name);
		if (param->fixed && at >= 0)
			set = isl_set_fix_si(set, isl_dim_param,
				(unsigned)at, (int)param->value);
	}
	return set;
}

/* The conditions in the text that isl prints, between " : " and the last brace:
 * a message shows these alone. An empty set and one without conditions get
 * words.
 */
char *fe_c_conditions(__isl_keep isl_set *sizes)
{
	char *text = isl_set_to_str(sizes), *begin, *end;

	begin = text ? strstr(text, " : ") : NULL;
	end = begin ? strrchr(begin, '}') : NULL;
	if (!text || (end && strncmp(begin, " : false ", 9))) {
		while (end && end > begin && end[-1] == ' ')
			end--;
		if (end)
			*end = 0;
		if (end)
			memmove(text, begin + 3, strlen(begin + 3) + 1);
		return text;
	}
	free(text);
	return strdup(end ? "what never holds" : "nothing");
}

/* The sizes given by -D must be right.
 *
 * Only if nothing else was reported for the nest: an error before may have led
 * to what is assumed.
 */
static void judge_fixed(struct fe_c_lower *lw)
{
	isl_set *left = fe_c_given(lw, isl_set_copy(lw->assumed));
	char *text = fe_c_conditions(lw->assumed);

	if (!lw->quiet && text && lw->u->report->n_error == lw->u->n_error &&
	    isl_set_is_empty(left) == isl_bool_true)
		FE_REPORT(lw->u, FE_C_SIZES, NULL, text);
	free(text);
	isl_set_free(left);
}

/* What is assumed is kept as a text, for "check" to print. */
isl_stat fe_c_end(struct fe_c_lower *lw)
{
	struct poly_prog *prog = lw->prog;
	char *text;

	lw->assumed = poly_set_coalesce(isl_set_gist(lw->assumed,
		isl_set_copy(prog->context)));
	judge_doubts(lw);
	judge_fixed(lw);
	text = lw->quiet ? NULL : isl_set_to_str(lw->assumed);
	if (text)
		lw->u->c->assumed = fe_arena_text(&lw->u->arena, text,
			strlen(text));
	free(text);
	return prog->context ? isl_stat_ok : isl_stat_error;
}
