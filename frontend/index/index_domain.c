/* Checks of index notation that need sets: do the pieces of a case cover the
 * definition, does every read meet a value, does anything need itself?
 *
 * Sizes are symbolic; what is asked for must hold for all that the program
 * allows. Where it does not, but does for the values that -D gives, these
 * become part of what the program assumes.
 */
#include <stdlib.h>

#include <isl/map.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/union_map.h>

#include "frontend/index/index.h"
#include "frontend/index/tensor/frame.h"

/* Steps over which an instance that needs itself is looked for. */
enum { MAX_CYCLE = 6 };

/* The check of one definition after another, each with its group. */
struct checker {
	const struct fe_unit *unit;
	isl_ctx *ctx;
	struct poly_report *report;
	bool *needs_fixed;
	isl_set *any, *fixed;		/* the sizes that are allowed */
	isl_union_map *needs;		/* within the group: instance -> read */
	const struct fe_tensor *tensor;
	bool updates;			/* in what goes to cells that data tell */
	int group;
	bool failed;
};

/* Is "bad" empty? It is made smaller to what -D leaves of it. */
static bool is_empty(struct checker *c, isl_set **bad)
{
	isl_bool empty;

	*bad = isl_set_intersect_params(*bad, isl_set_copy(c->any));
	empty = isl_set_is_empty(*bad);
	if (empty == isl_bool_false) {
		*bad = isl_set_intersect_params(*bad, isl_set_copy(c->fixed));
		empty = isl_set_is_empty(*bad);
		*c->needs_fixed |= empty == isl_bool_true;
	}
	c->failed |= empty < 0;
	return empty != isl_bool_false;
}

/* ----------------------------------------------------------------- pieces */

static void report_set(struct checker *c, enum poly_msg id,
	const struct poly_loc *loc, const struct fe_frame *f,
	__isl_take isl_set *set)
{
	char *text = fe_frame_print(f, set, c->any);

	poly_report_add(c->report, id, loc, text ? text : "?");
	free(text);
}

/* Overlaps of "piece" with what came before, and nothing may be left over. */
static void check_pieces(struct checker *c, const struct fe_tensor *t,
	const struct fe_frame *f, __isl_keep isl_set *domain)
{
	isl_set *left = isl_set_copy(domain), *here, *both;
	const struct fe_piece *p;

	for (p = t->piece; p && p->condition; p = p->next) {
		here = isl_set_intersect(fe_frame_condition(f, p->condition),
			isl_set_copy(domain));
		both = isl_set_subtract(isl_set_copy(here),
			isl_set_copy(left));
		both = isl_set_intersect_params(both, isl_set_copy(c->any));
		if (!c->unit->noted &&
		    isl_set_is_empty(both) == isl_bool_false)
			report_set(c, MSG_FE_OVERLAP, &p->loc, f,
				isl_set_copy(both));
		isl_set_free(both);
		if (p->condition->data)
			here = isl_set_intersect(here,
				fe_frame_sure(f, p->condition));
		left = isl_set_subtract(left, here);
	}
	if (!p && t->piece && !is_empty(c, &left)) {
		report_set(c, MSG_FE_GAP, &t->loc, f, isl_set_copy(left));
		c->failed = true;
	}
	isl_set_free(left);
}

/* ------------------------------------------------------------------ reads */

/* The positions of the read "e" as a map from the frame; those that are data
 * are the first ones: what is gathered from has values in a whole box.
 */
static __isl_give isl_map *read_map(const struct fe_frame *f,
	const struct fe_scalar *e, __isl_keep isl_set *where)
{
	isl_space *range = fe_frame_tuple(f, e->tensor->name, e->n_arg);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_copy(f->space), range);
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(
		isl_space_get_ctx(f->space), e->n_arg);
	const struct fe_index *to = e->tensor->scope.first;
	isl_map *map;
	int i;

	for (i = 0; i < e->n_arg; i++, to = to->next)
		list = isl_pw_aff_list_add(list, e->arg[i]->affine ?
			fe_frame_value(f, e->arg[i]) : fe_frame_lower(f, to));
	map = isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_from_pw_aff_list(space, list));
	return isl_map_intersect_domain(map, isl_set_copy(where));
}

/* Add to what the group needs: the definition's own indices come first. */
static void add_need(struct checker *c, __isl_take isl_map *map)
{
	isl_size n = isl_map_dim(map, isl_dim_in);
	unsigned own = (unsigned)c->tensor->rank;

	if (n < 0)
		n = 0;
	map = isl_map_project_out(map, isl_dim_in, own, (unsigned)n - own);
	map = isl_map_set_tuple_name(map, isl_dim_in, c->tensor->name);
	map = isl_map_intersect_params(map, isl_set_copy(c->any));
	c->needs = isl_union_map_add_map(c->needs, map);
}

/* Fail, having reported that "e" reads what has no value at "bad". */
static void report_outside(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *bad)
{
	char *text = fe_frame_print(f, isl_set_copy(bad), c->any);

	poly_report_add(c->report, MSG_FE_OUTSIDE, &e->loc,
		e->tensor->symbol->name, text ? text : "?");
	free(text);
	c->failed = true;
}

/* Fail, having reported why data cannot tell positions of what "e" reads. */
static void refuse_gather(struct checker *c, const struct fe_scalar *e,
	const char *why)
{
	poly_report_add(c->report, MSG_FE_GATHER, &e->loc,
		e->tensor->symbol->name, why);
	c->failed = true;
}

/* Where the affine position "e" of the frame is no value of the index "i". */
static __isl_give isl_set *beyond(const struct fe_frame *f,
	const struct fe_scalar *e, const struct fe_index *i)
{
	isl_pw_aff *at = isl_pw_aff_sub(fe_frame_value(f, e),
		fe_frame_lower(f, i));

	isl_set *inside = isl_pw_aff_nonneg_set(isl_pw_aff_copy(at));

	inside = isl_set_intersect(inside, isl_pw_aff_lt_set(at,
		fe_frame_extent(f, i)));
	return isl_set_complement(inside);
}

/* Check the gather "e" of a definition: it has values in a whole box, and needs none
 * of this one. Positions that are data may be outside, even of an empty box.
 */
static void check_gather(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	const struct fe_index *i = e->tensor->scope.first;
	isl_set *box, *bad;
	struct fe_frame to;

	if (e->tensor->group == c->group) {
		refuse_gather(c, e, "it needs the value that is read there");
		return;
	}
	fe_frame_of(&to, c->unit, c->ctx, e->tensor);
	box = isl_set_universe(isl_space_copy(to.space));
	for (int d = 0; d < e->n_arg; d++)
		box = fe_frame_range(&to, box, d);
	bad = isl_set_subtract(isl_set_copy(box), fe_frame_tensor(&to,
		e->tensor));
	if (!is_empty(c, &bad))
		refuse_gather(c, e, "its values do not fill a box");
	isl_set_free(bad);
	isl_set_free(box);
	fe_frame_free(&to);
	bad = isl_set_empty(isl_set_get_space(where));
	for (int d = 0; d < e->n_arg; d++, i = i->next)
		if (e->arg[d]->affine)
			bad = isl_set_union(bad, beyond(f, e->arg[d], i));
	bad = isl_set_intersect(bad, isl_set_copy(where));
	if (!is_empty(c, &bad))
		report_outside(c, e, f, bad);
	isl_set_free(bad);
}

/* Does "e" read what its value updates at any position? Fails, having reported. */
static bool needs_own(struct checker *c, const struct fe_scalar *e)
{
	if (!c->updates || e->tensor->is_input || e->tensor->group != c->group)
		return false;
	poly_report_add(c->report, MSG_FE_CELL_NEEDS, &e->loc,
		c->tensor->symbol->name);
	return c->failed = true;
}

/* Check the read "e" at the points "where" of the frame: each must be one at
 * which what it reads has a value. Reads within the group are noted for
 * check_cycles.
 */
static void check_read(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	isl_map *map = read_map(f, e, where);
	isl_set *values, *bad;
	struct fe_frame to;

	fe_frame_of(&to, c->unit, c->ctx, e->tensor);
	values = fe_frame_tensor(&to, e->tensor);
	fe_frame_free(&to);
	bad = isl_map_domain(isl_map_subtract_range(isl_map_copy(map),
		values));
	if (!is_empty(c, &bad))
		report_outside(c, e, f, bad);
	isl_set_free(bad);
	if (needs_own(c, e))
		isl_map_free(map);
	else if (e->tensor->group == c->group && !e->tensor->is_input)
		add_need(c, map);
	else
		isl_map_free(map);
}

/* Check all reads of "e", evaluated at "where" of the frame. */
static void check_value(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	struct fe_frame inner;
	isl_set *set = NULL;
	int i;

	if (fe_scalar_gathers(e) && !e->tensor->is_input)
		check_gather(c, e, f, where);
	else if (e->kind == FE_S_READ)
		check_read(c, e, f, where);
	if (e->kind == FE_S_REDUCE) {
		inner = *f;
		inner.space = isl_space_copy(f->space);
		fe_frame_add_scope(&inner, e->scope, e->scope->n);
		set = isl_set_add_dims(isl_set_copy(where), isl_dim_set,
			(unsigned)e->scope->n);
		set = isl_set_set_tuple_name(set, c->tensor->name);
		set = isl_set_intersect(set,
			fe_frame_domain(&inner, e->scope));
		f = &inner;
		where = set;
	}
	for (i = 0; i < e->n_arg; i++)
		if (e->kind != FE_S_READ || !e->arg[i]->affine)
			check_value(c, e->arg[i], f, where);
	isl_set_free(set);
	if (e->kind == FE_S_REDUCE)
		fe_frame_free(&inner);
}

/* Check the reads of the condition "guard", which is asked where it may hold,
 * "where", but need not; returns where it surely does.
 */
static __isl_give isl_set *check_guard(struct checker *c,
	const struct fe_scalar *guard, const struct fe_frame *f,
	__isl_take isl_set *where)
{
	isl_set *sure = isl_set_intersect(isl_set_copy(where),
		fe_frame_sure(f, guard));

	where = isl_set_subtract(where, isl_set_copy(sure));
	check_value(c, guard, f, where);
	isl_set_free(where);
	return sure;
}

/* Check the definition "t": its pieces cover its domain, and each piece reads
 * only values that there are, for the points where it is chosen.
 */
static void check_tensor(struct checker *c, const struct fe_tensor *t)
{
	const struct fe_piece *p;
	struct fe_frame f, own;
	isl_set *left, *here;

	c->tensor = t;
	fe_frame_of(&own, c->unit, c->ctx, t);
	left = fe_frame_tensor(&own, t);
	check_pieces(c, t, &own, left);
	if (t->start)
		check_value(c, t->start, &own, left);
	c->updates = fe_tensor_cells(t) != NULL;
	isl_set_free(left);
	fe_frame_free(&own);
	fe_frame_init(&f, c->unit, c->ctx, t->name);
	fe_frame_add_scope(&f, &t->scope, t->scope.n);
	left = fe_frame_domain(&f, &t->scope);
	for (p = t->piece; p; p = p->next) {
		here = isl_set_copy(left);
		if (p->condition)
			here = isl_set_intersect(here,
				fe_frame_condition(&f, p->condition));
		check_value(c, p->value, &f, here);
		if (p->condition && p->condition->data)
			here = check_guard(c, p->condition, &f, here);
		left = isl_set_subtract(left, here);
	}
	isl_set_free(left);
	fe_frame_free(&f);
}

/* ------------------------------------------------------------------ asked */

/* Does the read "e", wherever the program runs it, read what has a value there? */
static bool is_read_inside(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	const struct fe_tensor *t = e->tensor;
	isl_set *values, *bad;
	struct fe_frame to;
	bool inside;

	if (fe_scalar_gathers(e) || (!t->is_input && t->group == c->group))
		return false;
	fe_frame_of(&to, c->unit, c->ctx, t);
	values = fe_frame_run(&to, t, &t->scope);
	fe_frame_free(&to);
	bad = isl_map_domain(isl_map_subtract_range(read_map(f, e, where),
		values));
	bad = isl_set_intersect_params(bad, isl_set_copy(c->any));
	inside = isl_set_is_empty(bad) == isl_bool_true;
	isl_set_free(bad);
	return inside;
}

/* Do all reads of "e", which the program runs at "where" of the frame? */
static bool is_inside(struct checker *c, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_take isl_set *where)
{
	struct fe_frame inner = *f;
	bool inside = true;

	inner.space = isl_space_copy(f->space);
	if (e->kind == FE_S_READ)
		inside = is_read_inside(c, e, f, where);
	if (e->kind == FE_S_REDUCE) {
		fe_frame_add_scope(&inner, e->scope, e->scope->n);
		where = isl_set_add_dims(where, isl_dim_set,
			(unsigned)e->scope->n);
		where = isl_set_set_tuple_name(where, c->tensor->name);
		where = isl_set_intersect(where,
			fe_frame_run(&inner, c->tensor, e->scope));
	}
	for (int i = 0; i < e->n_arg && inside && e->kind != FE_S_READ; i++)
		inside = is_inside(c, e->arg[i], &inner, isl_set_copy(where));
	fe_frame_free(&inner);
	isl_set_free(where);
	return inside;
}

/* Is a condition of the scope of "e" asked? */
static void find_asked(struct fe_scalar *e, void *user)
{
	bool *any = user;

	*any |= e->kind == FE_S_REDUCE && fe_scope_asks(e->scope);
}

/* May the value of "t" ask conditions of its scopes? Those of its own leave elements at
 * 0 where they do not hold, as those of an output are. A sum begins there.
 */
static bool may_ask(const struct fe_tensor *t)
{
	const struct fe_scalar *e = t->piece ? t->piece->value : NULL;
	bool own = fe_scope_asks(&t->scope), any = own;

	fe_tensor_each((struct fe_tensor *)t, find_asked, &any);
	return any && e && !t->join && !t->call && !t->owned && !t->hidden &&
		!t->instead && !t->in_place && !t->start &&
		!fe_tensor_cells(t) && !fe_tensor_scatter(t) &&
		(!own || t->update == POLY_OP_NONE ||
			t->update == POLY_OP_ADD) &&
		(!own || e->kind != FE_S_REDUCE || e->op == POLY_OP_ADD);
}

/* Let the value of "t" ask the conditions of its scopes that had better be asked, if what
 * it reads has values where they do not hold, too.
 */
static void let_ask(struct checker *c, struct fe_tensor *t)
{
	const struct fe_piece *p;
	struct fe_frame f;
	isl_set *left, *here;
	bool inside = true;

	t->asks = may_ask(t);
	if (!t->asks)
		return;
	fe_frame_init(&f, c->unit, c->ctx, t->name);
	fe_frame_add_scope(&f, &t->scope, t->scope.n);
	left = fe_frame_run(&f, t, &t->scope);
	for (p = t->piece; p && inside; p = p->next) {
		here = isl_set_copy(left);
		if (p->condition)
			here = isl_set_intersect(here,
				fe_frame_condition(&f, p->condition));
		inside = is_inside(c, p->value, &f, here);
		if (p->condition && p->condition->data)
			inside &= is_inside(c, p->condition, &f,
				isl_set_copy(left));
	}
	isl_set_free(left);
	fe_frame_free(&f);
	t->asks = inside;
}

/* ----------------------------------------------------------------- cycles */

/* Write an instance: "a[3,0]". */
static void add_instance(struct poly_str *out, __isl_take isl_point *p)
{
	isl_space *space = isl_point_get_space(p);
	isl_size n = isl_space_dim(space, isl_dim_set), i;
	isl_val *v;

	poly_str_printf(out, "%s[",
		isl_space_get_tuple_name(space, isl_dim_set));
	for (i = 0; i < n; i++) {
		v = isl_point_get_coordinate_val(p, isl_dim_set, (int)i);
		poly_str_printf(out, "%s%ld", i ? "," : "",
			isl_val_get_num_si(v));
		isl_val_free(v);
	}
	poly_str_add(out, "]");
	isl_space_free(space);
	isl_point_free(p);
}

/* Write "steps" steps from "at" back to itself. */
static void add_chain(struct poly_str *out,
	__isl_keep isl_union_map *needs, __isl_take isl_point *at, int steps)
{
	isl_union_set *first = isl_union_set_from_point(isl_point_copy(at));
	isl_union_set *next, *back;
	int i;

	add_instance(out, at);
	next = isl_union_set_copy(first);
	for (; steps > 0; steps--) {
		next = isl_union_set_apply(next, isl_union_map_copy(needs));
		back = isl_union_set_copy(first);
		for (i = 1; i < steps; i++)
			back = isl_union_set_apply(back,
				isl_union_map_reverse(
					isl_union_map_copy(needs)));
		next = isl_union_set_intersect(next, back);
		at = isl_union_set_sample_point(next);
		next = isl_union_set_from_point(isl_point_copy(at));
		poly_str_add(out, " needs ");
		add_instance(out, at);
	}
	isl_union_set_free(first);
	isl_union_set_free(next);
}

/* Report instances that need themselves, "same", by way of an example over
 * "steps" steps.
 */
static void report_cycle(struct checker *c, const struct fe_tensor *t,
	__isl_take isl_union_set *same, int steps)
{
	struct poly_str text = { 0 };
	isl_point *p = isl_union_set_sample_point(same);

	add_chain(&text, c->needs, p, steps);
	poly_report_add(c->report, MSG_FE_CYCLE, &t->loc,
		text.s ? text.s : "?");
	poly_str_free(&text);
	c->failed = true;
}

/* Look for instances that need themselves over at most as many steps as the
 * group, which begins with "t", has definitions.
 */
static void check_cycles(struct checker *c, const struct fe_tensor *t, int n)
{
	isl_union_map *power = isl_union_map_copy(c->needs), *same;
	isl_union_set *all;
	int steps;

	for (steps = 1; steps <= n && steps <= MAX_CYCLE; steps++) {
		all = isl_union_map_domain(isl_union_map_copy(power));
		same = isl_union_set_identity(all);
		same = isl_union_map_intersect(same,
			isl_union_map_copy(power));
		if (isl_union_map_is_empty(same) == isl_bool_false) {
			report_cycle(c, t, isl_union_map_domain(same), steps);
			break;
		}
		isl_union_map_free(same);
		power = isl_union_map_apply_range(power,
			isl_union_map_copy(c->needs));
	}
	isl_union_map_free(power);
}

/* Shapes have been checked where a matrix reads matrices: with the values of -D,
 * which the program keeps. A definition in index notation may lack values.
 */
static bool has_shape(const struct fe_tensor *t)
{
	const struct fe_edge *edge;

	for (edge = t->edge; edge; edge = edge->next)
		if (!edge->to->node && !edge->to->def)
			return false;
	return t->node || t->def;
}

/* Check the group that "t" begins; returns what comes behind it. */
static struct fe_tensor *check_group(struct checker *c, struct fe_tensor *t)
{
	const struct fe_tensor *first = t;
	int n = 0;

	c->group = t->group;
	c->needs = isl_union_map_empty(isl_set_get_space(c->any));
	for (; t && t->group == c->group; t = t->order_next, n++)
		if (t->live && !has_shape(t)) {
			check_tensor(c, t);
			let_ask(c, t);
		}
	if (!c->failed && isl_union_map_is_empty(c->needs) == isl_bool_false)
		check_cycles(c, first, n);
	c->needs = isl_union_map_free(c->needs);
	return t;
}

isl_stat fe_index_domains(struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report, bool *needs_fixed)
{
	struct checker c = { .unit = u, .ctx = ctx, .report = report,
		.needs_fixed = needs_fixed };
	struct fe_tensor *t = u->sorted;

	*needs_fixed = false;
	c.any = fe_frame_context(u, ctx, false);
	c.fixed = fe_frame_context(u, ctx, true);
	if (isl_set_is_empty(c.fixed) != isl_bool_false) {
		poly_report_add(report, MSG_FE_ASSUME,
			u->assume ? &u->assume->loc : NULL);
		c.failed = true;
	}
	while (t && !c.failed)
		t = check_group(&c, t);
	u->noted = true;
	isl_set_free(c.any);
	isl_set_free(c.fixed);
	return c.failed ? isl_stat_error : isl_stat_ok;
}
