/* Calls of nests to statements, and the order of a program that has calls.
 *
 * The statements of a call stand behind all that it reads; of definitions that need
 * one another isl finds an order.
 */
#include <stdlib.h>

#include <isl/schedule.h>
#include <isl/space.h>

#include "frontend/index/lower_index.h"
#include "frontend/index/call.h"
#include "frontend/c/lower/lower.h"

/* ------------------------------------------------------------------ order */

/* Put "order" behind what there is. What is empty gets no place in the sequence.
 *
 *	sequence
 *	- what there was
 *	- order
 */
static void put_last(struct fe_lower *lw, __isl_take isl_schedule *order)
{
	isl_union_set *domain = isl_schedule_get_domain(order);
	isl_union_set *before = isl_schedule_get_domain(lw->order);

	if (isl_union_set_is_empty(domain) == isl_bool_true) {
		isl_schedule_free(order);
	} else if (isl_union_set_is_empty(before) == isl_bool_true) {
		isl_schedule_free(lw->order);
		lw->order = order;
	} else {
		lw->order = isl_schedule_sequence(lw->order, order);
	}
	isl_union_set_free(before);
	isl_union_set_free(domain);
}

/* The loops of "s", in the order of its indices.
 *
 * A statement without loops is its domain alone.
 */
static __isl_give isl_schedule *order_of(const struct poly_stmt *s)
{
	isl_schedule *order = isl_schedule_from_domain(
		isl_union_set_from_set(isl_set_copy(s->domain)));
	isl_multi_aff *loops = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(s->domain));

	if (isl_multi_aff_dim(loops, isl_dim_out) > 0)
		order = isl_schedule_insert_partial_schedule(order,
			isl_multi_union_pw_aff_reset_tuple_id(
			isl_multi_union_pw_aff_from_multi_aff(loops),
			isl_dim_set));
	else
		isl_multi_aff_free(loops);
	return order;
}

/* Definitions that need one another, the statements from "first" on, in an order
 * that isl finds.
 *
 * Only what the values need is asked for: that a read comes behind the write of
 * what it reads. The same pairs are to lie close together.
 */
static __isl_give isl_schedule *found_order(struct fe_lower *lw, int first)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(lw->prog->context));
	isl_union_map *reads, *writes, *flow;
	isl_schedule_constraints *sc;
	int i;

	for (i = first; i < lw->prog->n_stmt; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(lw->prog->stmt[i]->domain));
	reads = isl_union_map_intersect_domain(poly_reads(lw->prog),
		isl_union_set_copy(domain));
	writes = isl_union_map_intersect_domain(poly_writes(lw->prog),
		isl_union_set_copy(domain));
	flow = isl_union_map_apply_range(writes, isl_union_map_reverse(reads));
	sc = isl_schedule_constraints_on_domain(domain);
	sc = isl_schedule_constraints_set_validity(sc,
		isl_union_map_copy(flow));
	sc = isl_schedule_constraints_set_proximity(sc, flow);
	return isl_schedule_constraints_compute_schedule(sc);
}

/* Programs without calls have no order here: the scheduler finds it. With
 * calls, each definition stands behind the one before, in the order of its
 * indices, but for those that need one another.
 */
isl_stat fe_lower_add_order(struct fe_lower *lw, int first, bool recurs)
{
	int i;

	if (!lw->unit->call)
		return isl_stat_ok;
	if (recurs)
		put_last(lw, found_order(lw, first));
	for (i = first; !recurs && i < lw->prog->n_stmt; i++)
		put_last(lw, order_of(lw->prog->stmt[i]));
	return lw->order ? isl_stat_ok : isl_stat_error;
}

/* ------------------------------------------------------------------ calls */

/* The old version of "t" goes where "t" will be.
 *
 * Where the nest writes in place of the old version no copy is needed
 * (in_place).
 */
static isl_stat copy_version(struct fe_lower *lw, const struct fe_tensor *t)
{
	const struct fe_index *i = t->scope.first;
	char name[FE_MAX_STMT_NAME];
	struct fe_cell cell = { .n = t->rank };
	struct poly_array *from;
	struct fe_frame f;
	isl_stat done;
	int d;

	for (d = 0; d < t->rank; d++, i = i->next)
		cell.dim[d] = i;
	lw->loc = t->loc;
	cell.array = poly_prog_find_array(lw->prog, t->name);
	from = poly_prog_find_array(lw->prog, t->from->name);
	fe_frame_init(&f, lw->unit, lw->ctx,
		fe_lower_free_name(lw, t->name, "copy", name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	done = fe_lower_add_stmt(lw, &f, fe_frame_domain(&f, &t->scope), &cell,
		POLY_OP_NONE, poly_expr_access(from, fe_lower_own_index(&f, from,
			cell.dim, cell.n)));
	fe_frame_free(&f);
	return done;
}

/* The statements of the call, behind all that it reads.
 *
 * Each variable of the nest that is an array gets the array of the program that
 * it stands for: for what is written, the new version's.
 */
static isl_stat lower_nest(struct fe_lower *lw, const struct fe_call *c)
{
	const struct fe_c_unit *nest = c->unit->c;
	struct poly_array **array = calloc((size_t)nest->n_var + 1,
		sizeof(struct poly_array *));
	const struct fe_arg *a;
	isl_schedule *order;
	struct fe_frame f;

	for (a = array ? c->arg : NULL; a; a = a->next)
		if (a->from)
			array[a->var->id] = poly_prog_find_array(lw->prog,
				(a->to ? a->to : a->from)->name);
	fe_frame_init(&f, lw->unit, lw->ctx, NULL);
	order = array ? fe_c_lower_into(c->unit, lw->prog,
		isl_space_params(isl_space_copy(f.space)), array) : NULL;
	fe_frame_free(&f);
	free(array);
	if (!order)
		return isl_stat_error;
	/* The nest adds statements without a limit of its own; the program has
	 * one.
	 */
	if (lw->prog->n_stmt >= FE_C_MAX_STMT) {
		poly_report_add(lw->prog->report, MSG_FE_C_STATEMENTS, &c->loc,
			FE_C_MAX_STMT);
		isl_schedule_free(order);
		return isl_stat_error;
	}
	put_last(lw, order);
	return isl_stat_ok;
}

/* The tensors that one call makes are met one after the other in the sorted
 * list: the first of them lowers the call, for all.
 */
isl_stat fe_lower_call(struct fe_lower *lw, const struct fe_tensor *t)
{
	const struct fe_tensor *other;
	const struct fe_arg *a;
	int first = lw->prog->n_stmt;

	for (other = lw->unit->sorted; other != t; other = other->order_next)
		if (other->live && other->call == t->call)
			return isl_stat_ok;
	/* Before the nest writes into a new version, that has the old values.
	 */
	for (a = t->call->arg; a; a = a->next)
		if (a->to && !a->from->in_place && copy_version(lw, a->to) < 0)
			return isl_stat_error;
	if (fe_lower_add_order(lw, first, false) < 0)
		return isl_stat_error;
	return lower_nest(lw, t->call);
}
