/* What comes into a nest and what goes out, by isl's flow analysis.
 *
 * An array from outside that is only read is an input. One that is written is
 * an output if every element surely gets a value and none is read before; else
 * its values before count, too, and it is both. The same lowering tells how
 * far the accesses to an array go whose extent is not written: a pointer, or
 * the first dimension of "A[][N]".
 */
#include <stdlib.h>
#include <string.h>

#include <isl/flow.h>
#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/c/lower/lower.h"

/* ------------------------------------------------------------------ names */

/* Has another variable taken "name" for the lowered program? */
static bool is_lowered(const struct fe_c_unit *c, const char *name)
{
	const struct fe_c_var *v;

	for (v = c->var; v; v = v->next)
		if (v->lowered && !strcmp(v->lowered, name))
			return true;
	return false;
}

/* Does the text have a variable called "name"? */
static bool is_written(const struct fe_c_unit *c, const char *name)
{
	const struct fe_c_var *v;

	for (v = c->var; v; v = v->next)
		if (!strcmp(v->name, name))
			return true;
	return false;
}

/* "t_x" for the member "t.x". */
static const char *without_dots(struct fe_unit *u, const char *name)
{
	char *text = fe_arena_alloc(&u->arena, strlen(name) + 1), *dot;

	strcpy(text, name);
	while ((dot = strchr(text, '.')))
		*dot = '_';
	return text;
}

/* Choose the name of "v" in the lowered program: its own, unless isl has
 * another meaning for it or it is taken; then with the first number behind it
 * that makes it new.
 */
static void choose_name(struct fe_unit *u, struct fe_c_var *v)
{
	const char *name = v->is_result ? "result" : v->object ?
		without_dots(u, v->name) : v->name;
	size_t size = strlen(name) + 16;
	char *text;
	int i;

	v->lowered = NULL;
	if (!poly_is_word(name) && !is_lowered(u->c, name) &&
	    !(v->object && is_written(u->c, name))) {
		v->lowered = name;
		return;
	}
	text = fe_arena_alloc(&u->arena, size);
	for (i = 1; !v->lowered; i++) {
		snprintf(text, size, "%s_%d", name, i);
		if (!is_lowered(u->c, text) && !is_written(u->c, text))
			v->lowered = text;
	}
}

/* Sizes choose first, then what is outside, then the rest. */
static void choose_names(struct fe_unit *u)
{
	struct fe_c_var *v;
	int round;

	for (round = 0; round < 3; round++)
		for (v = u->c->var; v; v = v->next)
			if (v->used && (v->sized ? 0 : v->outer ? 1 : 2) ==
			    round)
				choose_name(u, v);
}

/* ---------------------------------------------------------------- extents */

/* How far "set" goes, as a number of elements; a single piece if that says it
 * all for sizes in "context".
 */
static __isl_give isl_pw_aff *extent_of(__isl_take isl_set *set,
	__isl_keep isl_set *context)
{
	isl_set *none = isl_set_complement(isl_set_params(isl_set_copy(set)));
	isl_pw_aff *extent = isl_set_dim_max(set, 0), *zero;
	isl_local_space *ls;

	if (!extent) {
		isl_set_free(none);
		return NULL;
	}
	ls = isl_local_space_from_space(isl_set_get_space(none));
	zero = isl_pw_aff_from_aff(isl_aff_zero_on_domain(ls));
	zero = isl_pw_aff_intersect_domain(zero, none);
	extent = isl_pw_aff_add_constant_val(extent,
		isl_val_one(isl_pw_aff_get_ctx(extent)));
	extent = isl_pw_aff_union_add(extent, zero);
	extent = isl_pw_aff_gist(extent, isl_set_copy(context));
	return poly_pw_aff_coalesce(extent);
}

/* The search for a piece that is the value of "all" wherever "context" holds.
 */
struct piece {
	isl_pw_aff *all, *found;
	isl_set *context;
};

/* Keep "aff" if it is what "all" is, everywhere in the context. */
static isl_stat try_piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct piece *p = user;
	isl_pw_aff *one = isl_pw_aff_from_aff(aff);
	isl_set *differs;

	isl_set_free(set);
	differs = isl_pw_aff_ne_set(isl_pw_aff_copy(one),
		isl_pw_aff_copy(p->all));
	differs = isl_set_intersect(differs, isl_set_copy(p->context));
	if (!p->found && isl_set_is_empty(differs) == isl_bool_true)
		p->found = isl_pw_aff_copy(one);
	isl_set_free(differs);
	isl_pw_aff_free(one);
	return isl_stat_ok;
}

/* "extent", which is taken, or the one piece of it that is its value for all
 * sizes of "context".
 */
static __isl_give isl_pw_aff *simplify(__isl_take isl_pw_aff *extent,
	__isl_keep isl_set *context)
{
	struct piece p = { .all = extent, .context = context };

	isl_pw_aff_foreach_piece(extent, try_piece, &p);
	if (!p.found)
		return extent;
	isl_pw_aff_free(extent);
	return p.found;
}

/* The part of the union that is in the array of "v". */
static __isl_give isl_set *part(__isl_keep isl_union_set *all,
	struct poly_prog *prog, const struct fe_c_var *v)
{
	struct poly_array *array = poly_prog_find_array(prog, v->lowered);

	return isl_union_set_extract_set(all,
		isl_multi_pw_aff_get_space(array->extent));
}

/* Find the first extent of "v", which is not written: how far any access to the
 * array goes, as text in v->extent. "prog" was lowered with an extent that is
 * larger.
 */
static void find_extent(struct fe_unit *u, struct poly_prog *prog,
	struct fe_c_var *v)
{
	isl_union_set *all;
	isl_pw_aff *extent;
	isl_set *set, *context = isl_set_copy(prog->context);
	char *text = NULL;

	all = isl_union_set_union(isl_union_map_range(poly_reads(prog)),
		isl_union_map_range(poly_writes(prog)));
	set = part(all, prog, v);
	set = isl_set_intersect_params(set, isl_set_copy(context));
	set = isl_set_project_out(set, isl_dim_set, 1,
		(unsigned)v->n_dim - 1);
	set = isl_set_reset_tuple_id(set);
	extent = extent_of(poly_set_coalesce(set), context);
	if (extent) {
		extent = simplify(extent, context);
		text = isl_pw_aff_to_str(extent);
	}
	if (text)
		v->extent = fe_arena_text(&u->arena, text, strlen(text));
	else
		FE_REPORT(u, POLY_ISL, NULL, "fe_c_read",
			"the extent of an array was not found");
	free(text);
	isl_pw_aff_free(extent);
	isl_set_free(context);
	isl_union_set_free(all);
}

/* ------------------------------------------------------------------ roles */

/* What isl may do to find what a nest reads of an array before it writes that, and
 * whether it writes all of it.
 */
#define MOST_FOR_READS 3000000ul
#define MOST_FOR_WRITES 300000ul

/* The elements of "array" of which a read may see what was there before the
 * nest. NULL, which stands for any, if isl does not find them within its operations,
 * or takes its search for invalid, in the middle of it (isl 0.25).
 */
static __isl_give isl_set *live_in(struct poly_prog *prog,
	const struct poly_array *array)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	unsigned long all = poly_ctx_attempt(prog->ctx, MOST_FOR_READS);
	isl_union_access_info *info;
	isl_union_flow *flow;
	isl_union_map *reads;
	isl_union_set *seen;
	isl_set *set;

	reads = isl_union_map_intersect_range(poly_reads(prog),
		isl_union_set_from_set(isl_set_universe(
			isl_space_copy(space))));
	info = isl_union_access_info_from_sink(reads);
	info = isl_union_access_info_set_must_source(info, poly_writes(prog));
	info = isl_union_access_info_set_schedule(info,
		isl_schedule_copy(prog->original));
	flow = isl_union_access_info_compute_flow(info);
	if (!poly_ctx_attempted(prog->ctx, all))
		flow = isl_union_flow_free(flow);
	else if (!flow)
		poly_ctx_forgives(prog->ctx);
	reads = isl_union_flow_get_may_no_source(flow);
	isl_union_flow_free(flow);
	seen = isl_union_map_range(reads);
	set = isl_union_set_extract_set(seen, space);
	isl_union_set_free(seen);
	return set;
}

/* Does the nest write every element of "v"? No, if isl does not find out within its
 * operations.
 */
static bool is_written_whole(struct poly_prog *prog,
	const struct fe_c_var *v, __isl_keep isl_union_set *written)
{
	isl_set *left = poly_array_box(poly_prog_find_array(prog,
		v->lowered), 0);
	unsigned long all = poly_ctx_attempt(prog->ctx, MOST_FOR_WRITES);
	isl_bool empty;

	left = isl_set_subtract(left, part(written, prog, v));
	left = isl_set_intersect_params(left, isl_set_copy(prog->context));
	empty = isl_set_is_empty(left);
	isl_set_free(left);
	return poly_ctx_attempted(prog->ctx, all) && empty == isl_bool_true &&
		!v->extent;
}

/* Flow, which takes long, is asked where it decides. */
static enum poly_role judge(struct poly_prog *prog, const struct fe_c_var *v,
	__isl_keep isl_union_set *written)
{
	isl_set *seen;
	bool needed;

	if (!v->n_write)
		return v->outer ? POLY_INPUT : POLY_TEMP;
	if (!v->outer && !v->is_result)
		return POLY_TEMP;
	if (!v->by_value && !is_written_whole(prog, v, written))
		return POLY_INOUT;
	if (!v->unset) {
		seen = live_in(prog, poly_prog_find_array(prog, v->lowered));
		needed = isl_set_is_empty(seen) != isl_bool_true;
		isl_set_free(seen);
		if (needed)
			return POLY_INOUT;
	}
	return v->by_value ? POLY_TEMP : POLY_OUTPUT;
}

static bool is_array(const struct fe_c_var *v)
{
	return v->used && v->use == FE_C_CELL;
}

/* Set role and missing extents of all arrays. Extents come first, since the
 * role asks whether all elements are written.
 */
static void judge_all(struct fe_unit *u, struct poly_prog *prog)
{
	isl_union_set *written = isl_union_map_range(poly_writes(prog));
	struct fe_c_var *v;

	for (v = u->c->var; v; v = v->next) {
		if (!is_array(v))
			continue;
		if (v->n_dim && !v->dim[0])
			find_extent(u, prog, v);
		v->role = judge(prog, v, written);
	}
	isl_union_set_free(written);
}

/* Roles as far as they are known without flow. */
static void guess(struct fe_unit *u)
{
	struct fe_c_var *v;

	for (v = u->c->var; v; v = v->next)
		v->role = !v->outer ? POLY_TEMP :
			v->n_write ? POLY_INOUT : POLY_INPUT;
}

/* Is there an array that nothing behind the region uses? */
static bool hides_array(const struct fe_c_unit *c)
{
	const struct fe_c_var *v;

	for (v = c->var; v; v = v->next)
		if (v->is_hidden && v->n_dim)
			return true;
	return false;
}

/* Fill in what others see of the unit: its sizes, and its arrays as inputs and
 * outputs; one that is both is in both lists. A nest without outputs is an
 * error.
 */
static void show_face(struct fe_unit *u)
{
	struct fe_c_unit *c = u->c;
	struct fe_face *f = &u->face;
	const struct fe_c_var *v;

	fe_face_alloc(u, c->n_var, c->n_var, c->n_size);
	for (; f->n_size < c->n_size; f->n_size++)
		f->size[f->n_size] = (struct fe_face_size) {
			c->size[f->n_size]->lowered,
			c->size[f->n_size]->name,
			c->size[f->n_size]->folded };
	for (v = c->var; v; v = v->next) {
		if (!is_array(v) || v->role == POLY_TEMP)
			continue;
		if (v->role != POLY_OUTPUT)
			f->input[f->n_input++] = (struct fe_matrix) {
				v->lowered, v->type, true, v->flat };
		if (v->role != POLY_INPUT)
			f->output[f->n_output++] = (struct fe_matrix) {
				v->lowered, v->type, false, v->flat };
	}
	if (!f->n_output)
		FE_REPORT(u, FE_C_NOTHING, &c->text.begin->loc,
			hides_array(c) ? "; --live-out=all counts the arrays "
			"that are declared in front of the region" : "");
}

/* List the variables that bounds, subscripts or conditions need, in order of
 * declaration: the sizes.
 */
static void list_sizes(struct fe_unit *u)
{
	struct fe_c_unit *c = u->c;
	struct fe_c_var *v;

	c->size = fe_arena_alloc(&u->arena,
		((size_t)c->n_var + 1) * sizeof(*c->size));
	for (v = c->var; v; v = v->next)
		if (v->sized)
			c->size[c->n_size++] = v;
}

void fe_c_roles(struct fe_unit *u)
{
	isl_ctx *ctx = poly_ctx_alloc();
	int n_error = u->report->n_error;
	struct poly_prog *prog;

	choose_names(u);
	list_sizes(u);
	guess(u);
	prog = ctx ? fe_c_lower(u, ctx, u->report, false) : NULL;
	if (prog && u->report->n_error == n_error)
		judge_all(u, prog);
	else if (u->report->n_error == n_error)
		FE_REPORT(u, POLY_ISL, NULL, "fe_c_lower",
			ctx && isl_ctx_last_error_msg(ctx) ?
			isl_ctx_last_error_msg(ctx) : "no reason given");
	if (prog && u->report->n_error == n_error)
		show_face(u);
	poly_prog_free(prog);
	if (ctx && poly_ctx_spent(ctx)) {
		poly_report_drop_errors(u->report);
		FE_REPORT(u, BUDGET, NULL, "fe_read", POLY_BUDGET);
	}
	if (ctx)
		poly_ctx_free(ctx);
}
