/* A statement in pieces: each is a statement of its own and does what the whole
 * did for a part of its instances, in the same place of the text's order and of the
 * schedule.
 *
 * Who asks wants other loops for some instances: the first step of a
 * recurrence, the border of a stencil, the rest of a sum. Pieces share array,
 * index and value; nothing is computed twice, since their domains have nothing
 * in common.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"

/* Add the statement "name" that does the part "piece", which is taken, of what
 * "stmt" did. "*to" receives "{ NAME[..] -> S[..] }".
 *
 * NULL without memory, or if the name is taken; "*to" may be set even then and
 * is the caller's to free.
 */
static struct poly_stmt *add_piece(struct poly_prog *prog,
	const struct poly_stmt *stmt, const char *name,
	__isl_take isl_set *piece, isl_multi_aff **to)
{
	isl_space *space = isl_set_get_space(piece);
	struct poly_expr *rhs = poly_expr_copy(stmt->rhs);
	isl_multi_pw_aff *index;
	struct poly_stmt *s;

	*to = isl_multi_aff_set_tuple_name(
		isl_multi_aff_identity_on_domain_space(space), isl_dim_in,
		name);
	piece = isl_set_set_tuple_name(piece, name);
	s = poly_prog_add_stmt(prog, name, POLY_POINT, piece);
	if (!s || !rhs) {
		poly_expr_free(rhs);
		return NULL;
	}
	poly_expr_pullback(rhs, *to);
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(stmt->write_index),
		isl_multi_aff_copy(*to));
	poly_stmt_set_write(s, stmt->write_array, index, stmt->reduce, rhs);
	s->loc = stmt->loc;
	s->ordered = stmt->ordered;
	s->async = stmt->async;
	return s;
}

/* "schedule", which is taken, for the instances "all": "pull" says whose they are.
 * It goes over whole spaces, so that what the tree's functions say about places
 * outside of the domain stays in them.
 *
 * A tree's functions are given on the old instances. Pulled back by { NEW[..]
 * -> OLD[..] } they are given on the new ones, and the structure stays.
 */
static __isl_give isl_schedule *pull_tree(__isl_take isl_schedule *schedule,
	__isl_keep isl_union_pw_multi_aff *pull, __isl_keep isl_union_set *all)
{
	schedule = isl_schedule_pullback_union_pw_multi_aff(schedule,
		isl_union_pw_multi_aff_copy(pull));
	return isl_schedule_intersect_domain(schedule,
		isl_union_set_copy(all));
}

/* All instances of all statements. */
static __isl_give isl_union_set *instances(const struct poly_prog *prog)
{
	isl_union_set *all = isl_union_set_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++)
		all = isl_union_set_add_set(all,
			isl_set_copy(prog->stmt[i]->domain));
	return all;
}

/* "pull" must be defined for each statement of the trees, changed or not. Both
 * trees follow, the order of the text and the schedule, whichever there are.
 */
isl_stat poly_pull_order(struct poly_prog *prog,
	__isl_keep isl_union_pw_multi_aff *pull)
{
	isl_union_set *all = instances(prog);
	isl_stat ok = isl_stat_ok;

	if (prog->original) {
		poly_prog_set_original(prog, pull_tree(isl_schedule_copy(
			prog->original), pull, all));
		ok = prog->original ? isl_stat_ok : isl_stat_error;
	}
	if (prog->schedule && poly_set_schedule(prog, pull_tree(
	    isl_schedule_copy(prog->schedule), pull, all)) < 0)
		ok = isl_stat_error;
	isl_union_set_free(all);
	return ok;
}

/* "pull" beside what leaves all statements of "prog" but the pieces as they are.
 *
 * The identity on whole spaces, so that the tree keeps its text where nothing
 * changes.
 */
static __isl_give isl_union_pw_multi_aff *add_others(
	const struct poly_prog *prog, __isl_take isl_union_pw_multi_aff *pull)
{
	isl_union_set *all = instances(prog), *others;
	isl_union_set *pieces = isl_union_pw_multi_aff_domain(
		isl_union_pw_multi_aff_copy(pull));

	others = isl_union_set_subtract(isl_union_set_universe(all), pieces);
	return isl_union_pw_multi_aff_union_add(pull,
		isl_union_set_identity_union_pw_multi_aff(others));
}

isl_stat poly_pull_same(struct poly_prog *prog)
{
	isl_union_pw_multi_aff *pull = add_others(prog,
		isl_union_pw_multi_aff_empty(isl_set_get_space(prog->context)));
	isl_stat ok = poly_pull_order(prog, pull);

	isl_union_pw_multi_aff_free(pull);
	return ok;
}

/* Takes the pieces, in any case. The first keeps the statement's name, so that
 * what refers to it by name or by pointer goes on; the others are called
 * NAME_cut, NAME_cut2, .. and stand right behind it in program order.
 */
isl_stat poly_cut_stmt(struct poly_prog *prog, struct poly_stmt *stmt,
	isl_set **piece, int n)
{
	isl_union_pw_multi_aff *pull;
	int at = poly_stmt_position(prog, stmt->name);
	isl_stat ok = isl_stat_ok;

	pull = isl_union_pw_multi_aff_empty(isl_set_get_space(prog->context));
	for (int i = 1; i < n; i++) {
		char *name = poly_unique_name(prog, stmt->name, "cut");
		isl_multi_aff *to = NULL;

		if (!name || !add_piece(prog, stmt, name, piece[i], &to))
			ok = isl_stat_error;
		else
			poly_move_stmt(prog, prog->n_stmt - 1, at + i);
		pull = isl_union_pw_multi_aff_add_pw_multi_aff(pull,
			isl_pw_multi_aff_from_multi_aff(to));
		free(name);
	}
	isl_set_free(stmt->domain);
	stmt->domain = piece[0];
	pull = add_others(prog, pull);
	if (poly_pull_order(prog, pull) < 0)
		ok = isl_stat_error;
	isl_union_pw_multi_aff_free(pull);
	return ok;
}

void poly_stmt_pull(struct poly_stmt *stmt, __isl_keep isl_multi_aff *ma)
{
	stmt->domain = isl_set_preimage_multi_aff(stmt->domain,
		isl_multi_aff_copy(ma));
	stmt->write_index = isl_multi_pw_aff_pullback_multi_aff(
		stmt->write_index, isl_multi_aff_copy(ma));
	poly_expr_pullback(stmt->rhs, ma);
}

isl_stat poly_pull_stmt(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_take isl_multi_aff *ma)
{
	isl_union_pw_multi_aff *pull = isl_union_pw_multi_aff_empty(
		isl_set_get_space(prog->context));
	isl_stat ok;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i] != stmt)
			pull = isl_union_pw_multi_aff_add_pw_multi_aff(pull,
				isl_pw_multi_aff_from_multi_aff(
				isl_multi_aff_identity_on_domain_space(
				isl_set_get_space(prog->stmt[i]->domain))));
	pull = isl_union_pw_multi_aff_add_pw_multi_aff(pull,
		isl_pw_multi_aff_from_multi_aff(ma));
	ok = poly_pull_order(prog, pull);
	isl_union_pw_multi_aff_free(pull);
	return ok;
}
