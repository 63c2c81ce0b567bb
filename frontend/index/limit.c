/* What inputs are assumed to hold.
 *
 *	assume 0 <= id < V;		each element of the input id is from 0 to V - 1
 *
 * Such an assumption is no condition on sizes: nobody knows whether it holds until the
 * program has its inputs, and then whoever runs it looks at them.
 */
#include "frontend/index/interp_index.h"
#include "frontend/index/lower_index.h"

/* The input that "e" names, or NULL. */
static struct fe_tensor *named(const struct fe_scalar *e)
{
	struct fe_tensor *t = e->kind == FE_S_NAME ? e->symbol->tensor : NULL;

	return t && !t->broken ? t : NULL;
}

/* Does "e" compare something with an array? */
static bool has_array(const struct fe_scalar *e)
{
	if (e->kind == FE_S_OP && e->op == POLY_OP_AND && e->logic)
		return has_array(e->arg[0]) || has_array(e->arg[1]);
	return e->kind == FE_S_OP && e->n_arg == 2 && (named(e->arg[0]) ||
		named(e->arg[1]));
}

/* Take the comparison "e" as a limit of the input "t", which is on side "side" of it. */
static void add_limit(struct fe_unit *u, struct fe_tensor *t, struct fe_scalar *e, int side)
{
	struct fe_limit *l = fe_arena_alloc(&u->arena, sizeof(*l));
	const char *why = !t->is_input ? "it is no input" :
		poly_type_is_float(t->type) ? "it holds no integers" :
		e->op != POLY_OP_LT && e->op != POLY_OP_LE ?
		"only <, <=, > and >= tell from where to where it goes" : NULL;

	if (why) {
		FE_REPORT(u, FE_LIMIT, &e->arg[side]->loc, t->symbol->name, why);
		return;
	}
	fe_bind_size(u, e->arg[!side]);
	*l = (struct fe_limit){ t->limit, e->arg[!side], e->arg[side]->loc, side == 0,
		e->op == POLY_OP_LT };
	t->limit = l;
}

/* Take the comparisons of "e" as limits; conditions on sizes among them are bound. */
static void take(struct fe_unit *u, struct fe_scalar *e)
{
	if (e->kind == FE_S_OP && e->op == POLY_OP_AND && e->logic) {
		take(u, e->arg[0]);
		take(u, e->arg[1]);
	} else if (!has_array(e)) {
		fe_bind_assumption(u, e);
	} else if (named(e->arg[0])) {
		add_limit(u, named(e->arg[0]), e, 0);
	} else {
		add_limit(u, named(e->arg[1]), e, 1);
	}
}

/* Both ends have to be known. */
static void check_limits(struct fe_unit *u, const struct fe_tensor *t)
{
	bool end[2] = { false, false };

	for (const struct fe_limit *l = t->limit; l; l = l->next)
		end[l->upper] = true;
	if (t->limit && !(end[0] && end[1]))
		FE_REPORT(u, FE_LIMIT, &t->limit->loc, t->symbol->name,
			"the least and the greatest that it holds are needed");
}

void fe_limits_take(struct fe_unit *u)
{
	struct fe_scalar **at = &u->assume, *c;

	while ((c = *at)) {
		if (has_array(c)) {
			take(u, c);
			*at = c->next;
		} else {
			fe_bind_assumption(u, c);
			at = &c->next;
		}
	}
	for (const struct fe_tensor *t = u->tensor; t; t = t->next)
		check_limits(u, t);
}

/* The tightest end of "t" of one side, as a function of sizes. */
static __isl_give isl_pw_aff *end_of(const struct fe_frame *f, const struct fe_tensor *t,
	bool upper)
{
	isl_pw_aff *end = NULL, *one;

	for (const struct fe_limit *l = t->limit; l; l = l->next) {
		if (l->upper != upper)
			continue;
		one = isl_pw_aff_project_domain_on_params(fe_frame_value(f, l->value));
		if (l->open)
			one = isl_pw_aff_add_constant_val(one, isl_val_int_from_si(
				isl_pw_aff_get_ctx(one), upper ? -1 : 1));
		end = !end ? one : upper ? isl_pw_aff_min(end, one) :
			isl_pw_aff_max(end, one);
	}
	return isl_pw_aff_drop_unused_params(end);
}

void fe_limits_lower(struct fe_lower *lw, const struct fe_tensor *t,
	struct poly_array *array)
{
	isl_pw_aff_list *list;
	struct fe_frame f;
	isl_space *space;

	if (!t->limit)
		return;
	fe_frame_init(&f, lw->unit, lw->ctx, NULL);
	list = isl_pw_aff_list_from_pw_aff(end_of(&f, t, false));
	list = isl_pw_aff_list_add(list, end_of(&f, t, true));
	space = isl_space_set_alloc(lw->ctx, 0, 2);
	fe_frame_free(&f);
	array->within = isl_multi_pw_aff_from_pw_aff_list(space, list);
}

bool fe_interp_limits(struct fe_index_interp *in, const struct fe_tensor *t,
	int64_t *first, int64_t *last)
{
	for (const struct fe_limit *l = t->limit; l; l = l->next) {
		int64_t at = fe_interp_scalar(in, l->value).i;

		if (l->upper && at - l->open < *last)
			*last = at - l->open;
		else if (!l->upper && at + l->open > *first)
			*first = at + l->open;
	}
	return t->limit != NULL;
}
