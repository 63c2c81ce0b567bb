/* Pieces of statements that become statements of their own.
 *
 * What split and peel have cut off is the same statement in another place. A copy
 * (stage.c) changes what one of these pieces reads, and no other: such statements are cut
 * before the copies are made.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* Is there a copy at or around "leaf" of what its statement reads? */
static bool is_copied(const struct poly_item *leaf)
{
	for (const struct poly_item *at = leaf; at; at = at->parent)
		for (int i = 0; i < at->n_near; i++)
			if (poly_stmt_accesses(leaf->stmt, at->near[i].array))
				return true;
	return false;
}

/* "leaf" and all loops around it are about "stmt", whose instances are its own. */
static void give_stmt(struct poly_item *leaf, struct poly_stmt *stmt)
{
	isl_id *id = isl_set_get_tuple_id(stmt->domain);

	leaf->stmt = stmt;
	leaf->domain = isl_set_set_tuple_id(leaf->domain, isl_id_copy(id));
	for (struct poly_item *at = leaf->parent; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP)
			at->at[leaf->number] = isl_pw_aff_set_tuple_id(
				at->at[leaf->number], isl_dim_in,
				isl_id_copy(id));
	isl_id_free(id);
}

/* All dependences, where "become", "{ OLD[..] -> NEW[..] }", says what instances are. */
static void pull_deps(struct poly_deps *d, __isl_keep isl_union_map *become)
{
	isl_union_map **all[] = { &d->flow, &d->anti, &d->output, &d->reduction,
		&d->rar };

	for (int i = 0; i < 5; i++)
		if (*all[i])
			*all[i] = isl_union_map_apply_range(
				isl_union_map_apply_domain(*all[i],
					isl_union_map_copy(become)),
				isl_union_map_copy(become));
}

/* Cut the statement of the "n" leaves "leaf" into these. */
static isl_stat cut(struct poly_prog *prog, struct poly_item **leaf, int n)
{
	struct poly_stmt *stmt = leaf[0]->stmt;
	int at = poly_stmt_position(prog, stmt->name);
	isl_union_map *become = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_set *piece[POLY_MOST_LEAVES];

	for (int i = 0; i < n; i++)
		piece[i] = isl_set_copy(leaf[i]->domain);
	if (poly_cut_stmt(prog, stmt, piece, n) < 0) {
		isl_union_map_free(become);
		return isl_stat_error;
	}
	for (int i = 0; i < n; i++) {
		isl_map *one = isl_map_identity(isl_space_map_from_set(
			isl_set_get_space(leaf[i]->domain)));

		one = isl_map_intersect_domain(one,
			isl_set_copy(leaf[i]->domain));
		give_stmt(leaf[i], prog->stmt[at + i]);
		one = isl_map_set_tuple_id(one, isl_dim_out,
			isl_set_get_tuple_id(leaf[i]->domain));
		become = isl_union_map_add_map(become, one);
	}
	for (int i = 0; i < prog->n_stmt; i++)
		if (i < at || i >= at + n)
			become = isl_union_map_add_map(become, isl_map_identity(
				isl_space_map_from_set(isl_set_get_space(
					prog->stmt[i]->domain))));
	pull_deps(&prog->deps, become);
	isl_union_map_free(become);
	return isl_stat_ok;
}

isl_stat poly_plan_own_stmts(struct poly_plan *plan)
{
	struct poly_item *all[POLY_MOST_LEAVES], *same[POLY_MOST_LEAVES];
	int n = poly_item_leaves(plan->root, all);
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < n && ok == isl_stat_ok; i++) {
		bool copied = false;
		int n_same = 0;

		for (int k = 0; k < n; k++)
			if (all[k]->stmt == all[i]->stmt) {
				same[n_same++] = all[k];
				copied |= is_copied(all[k]);
			}
		if (n_same > 1 && copied)
			ok = cut(plan->prog, same, n_same);
	}
	return ok;
}
