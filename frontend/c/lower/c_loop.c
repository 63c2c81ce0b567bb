/* The iterations of a loop of C as a set.
 *
 * A loop runs through the values first, first + step, .. as long as its
 * condition holds. For a condition such as "i < n", which once false stays
 * false, these are the values where it holds; for any other the values behind
 * the first at which it fails are taken out, and those behind the first at which
 * a "break" runs.
 */
#include <stdlib.h>

#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/c/lower/lower.h"
#include "frontend/c/rewrite/rewrite.h"

/* Does "e" read "v", itself or through aliases? */
static bool uses(const struct fe_c_expr *e, const struct fe_c_var *v)
{
	int i;

	if (e->kind == FE_C_VAR)
		return e->var == v || (e->var->use == FE_C_ALIAS &&
			uses(e->var->init, v));
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (uses(e->arg[i], v))
			return true;
	return false;
}

/* True if "e" is the variable "v", perhaps converted. */
static bool is_variable(const struct fe_c_expr *e, const struct fe_c_var *v)
{
	e = fe_c_without_casts(e);
	return e->kind == FE_C_VAR && e->var == v;
}

/* True if the condition, once false, stays so. */
static bool stays_false(const struct fe_c_expr *e, const struct fe_c_stmt *s)
{
	int v = s->step > 0 ? 0 : 1;

	if (e->kind == FE_C_AND)
		return stays_false(e->arg[0], s) && stays_false(e->arg[1], s);
	if (!uses(e, s->var))
		return true;
	return e->kind == FE_C_OP &&
		(e->op == POLY_OP_LT || e->op == POLY_OP_LE) &&
		is_variable(e->arg[v], s->var) && !uses(e->arg[!v], s->var);
}

/* "i != n" of a loop that meets each value is "i < n", or "i > n". */
static bool is_unequal(const struct fe_c_stmt *s)
{
	const struct fe_c_expr *e = s->cond;

	return e->kind == FE_C_OP && e->op == POLY_OP_NE &&
		(s->step == 1 || s->step == -1) &&
		is_variable(e->arg[0], s->var) && !uses(e->arg[1], s->var);
}

/* Add to "stop" the iterations of "in", which are in "in->domain", in which a BREAK
 * of the list "s" runs.
 */
static __isl_give isl_set *add_breaks(struct fe_c_lower *lw,
	const struct fe_c_place *in, const struct fe_c_stmt *s,
	__isl_take isl_set *stop)
{
	struct fe_c_place part = *in;
	isl_set *holds;

	for (; s; s = s->next) {
		if (s->kind == FE_C_BREAK) {
			stop = isl_set_union(stop, isl_set_copy(in->domain));
		} else if (s->kind == FE_C_BLOCK) {
			stop = add_breaks(lw, in, s->body, stop);
		} else if (s->kind == FE_C_IF && fe_c_may_break(s)) {
			holds = fe_c_cond(lw, in, s->cond);
			part.domain = isl_set_intersect(
				isl_set_copy(in->domain), isl_set_copy(holds));
			stop = add_breaks(lw, &part, s->body, stop);
			isl_set_free(part.domain);
			part.domain = isl_set_subtract(
				isl_set_copy(in->domain), holds);
			stop = add_breaks(lw, &part, s->otherwise, stop);
			isl_set_free(part.domain);
		}
	}
	return stop;
}

/* What of "all" is not behind an element of "stop". */
static __isl_give isl_set *before(__isl_take isl_set *all,
	__isl_take isl_set *stop, int depth, int64_t step)
{
	isl_space *space = isl_space_map_from_set(isl_set_get_space(all));
	isl_map *later = isl_map_universe(space);
	int d;

	for (d = 0; d < depth; d++)
		later = isl_map_equate(later, isl_dim_in, d, isl_dim_out, d);
	if (step > 0)
		later = isl_map_order_lt(later, isl_dim_in, depth,
			isl_dim_out, depth);
	else
		later = isl_map_order_gt(later, isl_dim_in, depth,
			isl_dim_out, depth);
	return poly_set_coalesce(isl_set_subtract(all,
		isl_set_apply(stop, later)));
}

/* The values from the first on; or, if the dimension counts iterations, their
 * numbers.
 */
static __isl_give isl_set *progression(struct fe_c_lower *lw,
	const struct fe_c_place *in, const struct fe_c_stmt *s)
{
	isl_pw_aff *first, *zero, *off;
	int64_t step = s->step > 0 ? s->step : -s->step;
	unsigned d = (unsigned)in->depth - 1;
	isl_local_space *ls;
	isl_set *set;

	if (in->counted[d])
		return isl_set_lower_bound_si(isl_set_copy(in->domain),
			isl_dim_set, d, 0);
	first = fe_c_aff(lw, in, s->right);
	ls = isl_local_space_from_space(isl_set_get_space(in->domain));
	off = isl_pw_aff_from_aff(isl_aff_var_on_domain(ls, isl_dim_set, d));
	off = s->step > 0 ? isl_pw_aff_sub(off, first) :
		isl_pw_aff_sub(first, off);
	set = isl_pw_aff_nonneg_set(isl_pw_aff_copy(off));
	if (step > 1) {
		zero = isl_pw_aff_mod_val(isl_pw_aff_copy(off),
			isl_val_int_from_si(lw->prog->ctx, (long)step));
		set = isl_set_intersect(set, isl_pw_aff_zero_set(zero));
	}
	isl_pw_aff_free(off);
	return poly_set_coalesce(isl_set_intersect(
		isl_set_copy(in->domain), set));
}

/* Should the dimension of the loop "s" at "at" count iterations? With steps, the
 * iterator's values have gaps, which make everything that follows slow; but its
 * first value has to be one function.
 */
static bool is_counted(struct fe_c_lower *lw, const struct fe_c_place *at,
	const struct fe_c_stmt *s)
{
	isl_pw_aff *first;
	bool one;

	if (s->step == 1 || s->step == -1)
		return false;
	first = poly_pw_aff_coalesce(fe_c_aff(lw, at, s->right));
	one = isl_pw_aff_n_piece(first) == 1;
	isl_pw_aff_free(first);
	return one;
}

/* A name for the dimension of the loop "s" in "set": the iterator's, or, if it
 * counts iterations or the name is a word of isl, another.
 */
static __isl_give isl_set *name_dim(struct fe_c_lower *lw,
	__isl_take isl_set *set, unsigned d, const struct fe_c_stmt *s,
	bool counted)
{
	struct poly_str name = { 0 };

	poly_str_add(&name, s->var->name);
	if (counted)
		poly_str_add(&name, "_n");
	while (!name.failed && (poly_is_word(name.s) ||
	       (counted && poly_prog_find_param(lw->prog, name.s))))
		poly_str_add(&name, "_");
	set = name.failed ? isl_set_free(set) :
		isl_set_set_dim_name(set, isl_dim_set, d, name.s);
	poly_str_free(&name);
	return set;
}

/* The sizes for which the need does not fail. */
static void assume(struct fe_c_lower *lw, const struct fe_c_expr *e,
	__isl_take isl_set *bad)
{
	isl_set *good = isl_set_complement(isl_set_params(bad)), *all;
	char *text;

	good = poly_set_coalesce(isl_set_gist_params(good,
		isl_set_copy(lw->prog->context)));
	lw->assumed = isl_set_intersect(lw->assumed, isl_set_copy(good));
	all = isl_set_intersect_params(isl_set_copy(lw->assumed),
		isl_set_copy(lw->prog->context));
	text = fe_c_conditions(good);
	if (lw->quiet || fe_is_told(lw->u->report, MSG_FE_C_WRAP, &e->loc) ||
	    fe_is_told(lw->u->report, MSG_FE_C_WRAP_ASSUME, &e->loc))
		;
	else if (isl_set_is_empty(all) == isl_bool_true)
		FE_REPORT(lw->u, FE_C_WRAP, &e->loc);
	else if (text)
		FE_REPORT(lw->u, FE_C_WRAP_ASSUME, &e->loc, text);
	free(text);
	isl_set_free(all);
	isl_set_free(good);
}

void fe_c_settle(struct fe_c_lower *lw, __isl_keep isl_set *domain)
{
	struct fe_c_need *n;
	isl_set *bad;

	for (n = lw->need; n; n = n->next) {
		bad = n->bad;
		if (isl_set_dim(bad, isl_dim_set) ==
		    isl_set_dim(domain, isl_dim_set))
			bad = isl_set_intersect(bad, isl_set_copy(domain));
		if (fe_never_is(bad))
			isl_set_free(bad);
		else
			assume(lw, n->e, bad);
	}
	lw->need = NULL;
}

/* Weigh what the condition needs, wherever it is computed: as long as it
 * holds, and the first time that it does not.
 */
static void settle_condition(struct fe_c_lower *lw, __isl_keep isl_set *all,
	__isl_keep isl_set *stop, int depth, int64_t step)
{
	isl_set *computed;

	if (!lw->need)
		return;
	computed = before(isl_set_copy(all), isl_set_copy(stop), depth, step);
	fe_c_settle(lw, computed);
	isl_set_free(computed);
}

/* The loop must end. What bounds it may be hidden in a floor, which counts as
 * a bound for isl; without floors the bounds of what encloses them remain.
 */
static void check_end(struct fe_c_lower *lw, const struct fe_c_place *in,
	const struct fe_c_stmt *s)
{
	isl_set *set = isl_set_remove_divs(isl_set_copy(in->domain));
	unsigned d = (unsigned)in->depth - 1;

	if (!lw->quiet && isl_set_is_empty(in->domain) == isl_bool_false &&
	    (isl_set_dim_has_upper_bound(set, isl_dim_set, d) ==
	     isl_bool_false ||
	     isl_set_dim_has_lower_bound(set, isl_dim_set, d) ==
	     isl_bool_false))
		FE_REPORT(lw->u, FE_C_ENDLESS, &s->cond->loc);
	isl_set_free(set);
}

/* Does C say what becomes of a value of type "t" that leaves it? */
static bool can_wrap(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_UINT || poly_type_size(t) < 4;
}

/* "i != n" as "i < n", or "i > n": a variable that wraps would go on from the other
 * side.
 */
static __isl_give isl_set *unequal(struct fe_c_lower *lw,
	const struct fe_c_place *in, const struct fe_c_stmt *s)
{
	isl_pw_aff *i = fe_c_aff(lw, in, s->cond->arg[0]);
	isl_pw_aff *n = fe_c_aff(lw, in, s->cond->arg[1]);

	if (can_wrap(s->var->type))
		fe_c_need(lw, s->cond, (s->step > 0 ? isl_pw_aff_gt_set :
			isl_pw_aff_lt_set)(isl_pw_aff_copy(i),
			isl_pw_aff_copy(n)));
	return s->step > 0 ? isl_pw_aff_lt_set(i, n) :
		isl_pw_aff_gt_set(i, n);
}

/* A variable that wraps must not get there behind an iteration that goes on; in
 * those of "stop" it does not.
 */
static void need_next(struct fe_c_lower *lw, const struct fe_c_place *in,
	const struct fe_c_stmt *s, __isl_keep isl_set *stop)
{
	struct fe_c_expr i = { .kind = FE_C_VAR, .var = s->var };
	bool up = s->step > 0;
	isl_pw_aff *next, *last;
	isl_set *all, *bad;

	if (!can_wrap(s->var->type))
		return;
	all = isl_set_subtract(isl_set_copy(in->domain), isl_set_copy(stop));
	next = isl_pw_aff_add_constant_val(fe_c_aff(lw, in, &i),
		isl_val_int_from_si(lw->prog->ctx, (long)s->step));
	last = isl_pw_aff_val_on_domain(isl_set_universe(
		isl_set_get_space(all)), fe_c_last(lw->prog->ctx, s->var->type,
		up));
	bad = isl_set_intersect(all, up ? isl_pw_aff_gt_set(next, last) :
		isl_pw_aff_lt_set(next, last));
	fe_c_need(lw, s->cond, bad);
}

struct fe_c_place fe_c_enter_loop(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_stmt *s)
{
	struct fe_c_place in = *at;
	bool counted = is_counted(lw, at, s);
	int64_t step = counted ? 1 : s->step;
	isl_set *all, *holds, *stop;

	in.domain = isl_set_add_dims(isl_set_copy(at->domain), isl_dim_set,
		1);
	in.domain = name_dim(lw, in.domain, (unsigned)in.depth, s, counted);
	in.counted[in.depth] = counted ? s : NULL;
	in.iterator[in.depth++] = s->var;
	all = progression(lw, &in, s);
	isl_set_free(in.domain);
	in.domain = all;
	if (is_unequal(s))
		holds = unequal(lw, &in, s);
	else
		holds = fe_c_cond(lw, &in, s->cond);
	stop = isl_set_subtract(isl_set_copy(all), isl_set_copy(holds));
	settle_condition(lw, all, stop, at->depth, step);
	in.domain = isl_set_intersect(all, holds);
	if (!is_unequal(s) && !stays_false(s->cond, s))
		in.domain = before(in.domain, isl_set_copy(stop), at->depth,
			step);
	isl_set_free(stop);
	stop = isl_set_empty(isl_set_get_space(in.domain));
	if (s->breaks) {
		stop = add_breaks(lw, &in, s->body, stop);
		in.domain = before(in.domain, isl_set_copy(stop), at->depth,
			step);
	}
	in.domain = poly_set_coalesce(in.domain);
	need_next(lw, &in, s, stop);
	isl_set_free(stop);
	fe_c_settle(lw, in.domain);
	check_end(lw, &in, s);
	return in;
}
