/* How well loops go along memory: what decides which of them becomes the lane
 * direction. Neighbours in memory are good, the same element is fair, and
 * elements of different rows are bad.
 *
 * For a loop over j, A[i][j] is good (+3), B[i] fair (+1: all lanes read one
 * element, a broadcast), and C[j][i] bad (-1: each lane has a row to itself).
 * The loop with the highest sum over all accesses gets the lanes. Numbers are
 * only compared, so their size does not matter.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* How well dimension "dim" of a statement goes along memory, access by access: of those
 * that move along dimension "turn", unless that is -1.
 */
struct stride {
	struct poly_prog *prog;
	int dim, turn, score;
};

/* Count an access to "array"; if it is "data" that change with the loop, neighbours
 * are anywhere; "turns": data tell where it is in each turn.
 *
 * Registers have no order in memory.
 */
static void add_access(struct stride *s, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, bool data, bool turns)
{
	int n = isl_multi_pw_aff_size(index), row = poly_row_dim(s->prog, array);
	bool last = false, other = data;

	if (array->space == POLY_REGISTER || (s->turn >= 0 && !turns &&
	    isl_multi_pw_aff_involves_dims(index, isl_dim_in, s->turn, 1) !=
	    isl_bool_true))
		return;
	for (int i = 0; i < n; i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);
		bool moves = isl_pw_aff_involves_dims(pa, isl_dim_in, s->dim,
			1) == isl_bool_true;

		isl_pw_aff_free(pa);
		if (i == row)
			last = moves;
		else
			other |= moves;
	}
	s->score += other ? -1 : last ? 3 : 1;
}

/* Count what "e" reads; what tells the positions of a gather, once.
 *
 * A selection in a gather's position has a first choice, -1, for what is
 * outside: only the second counts.
 */
static void add_reads(struct stride *s, const struct poly_expr *e)
{
	if (e->op == POLY_OP_ACCESS)
		add_access(s, e->array, e->index, false, false);
	if (e->op == POLY_OP_GATHER && e->index) {
		add_access(s, e->array, e->index,
			poly_expr_moves(e->arg[0], s->dim), s->turn >= 0 &&
			poly_expr_moves(e->arg[0], s->turn));
		e = e->arg[0];
		if (e->op == POLY_OP_SELECT) {
			add_reads(s, e->arg[1]);
			return;
		}
	}
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		add_reads(s, e->arg[i]);
}

int poly_turn_stride(struct poly_prog *prog, const struct poly_stmt *stmt,
	int turn, int dim)
{
	struct stride s = { prog, dim, turn, 0 };

	add_access(&s, stmt->write_array, stmt->write_index, false, false);
	if (stmt->rhs)
		add_reads(&s, stmt->rhs);
	return s.score;
}

int poly_dim_stride(struct poly_prog *prog, const struct poly_stmt *stmt,
	int dim)
{
	return poly_turn_stride(prog, stmt, -1, dim);
}

/* The function of the statement in a band's member; empty where the statement
 * is not in it. Owned by the caller.
 */
__isl_give isl_pw_aff *poly_member_at(__isl_keep isl_union_pw_aff *member,
	__isl_keep isl_set *domain)
{
	return isl_union_pw_aff_extract_pw_aff(member, isl_space_add_dims(
		isl_space_from_domain(isl_set_get_space(domain)),
		isl_dim_out, 1));
}

/* The same for member "i" of a whole band. */
__isl_give isl_pw_aff *poly_band_member_at(
	__isl_keep isl_multi_union_pw_aff *partial, int i,
	const struct poly_stmt *stmt)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, i);
	isl_pw_aff *at = poly_member_at(member, stmt->domain);

	isl_union_pw_aff_free(member);
	return at;
}

/* Make "user", an int, the last dimension that "aff" has, if that is behind. */
static isl_stat last_dim(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	int *last = user, n = isl_aff_dim(aff, isl_dim_in);

	while (--n > *last)
		if (isl_aff_involves_dims(aff, isl_dim_in, n, 1) ==
		    isl_bool_true)
			*last = n;
	isl_set_free(set);
	isl_aff_free(aff);
	return isl_stat_ok;
}

/* The pieces of a domain that has several may stay pieces of the function: what
 * bounds them is not counted.
 *
 * The dimension of the statement that moves with the loop, -1 for none. i of
 * S[i,j] for a member i + 3; of i + j it is j, the inner one.
 */
int poly_counted_dim(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt)
{
	isl_pw_aff *pa = poly_member_at(member, stmt->domain);
	int last = -1;

	pa = isl_pw_aff_gist(pa, isl_set_copy(stmt->domain));
	isl_pw_aff_foreach_piece(pa, last_dim, &last);
	isl_pw_aff_free(pa);
	return last;
}

/* Sums over the statements that reach the band. */
int poly_stride_score(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain)
{
	int n, score = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++) {
		int dim = poly_counted_dim(member, list[i]);

		if (dim >= 0)
			score += poly_dim_stride(prog, list[i], dim);
	}
	free(list);
	return score;
}
