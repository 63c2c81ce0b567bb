/* May a product run full tiles?
 *
 * Where the array ends, copies fill in zero. A sum to which a point with zeros
 * adds zero may run for points that its member lacks, which costs less than to
 * leave them out: if each such point either accumulates what nobody uses or
 * reads nothing but zeros that were filled in. Of a product one zero is enough, if the
 * other factors are finite, which is asked of what is in the buffers.
 *
 * An example: C[i][j] of 1000 x 1000 in tiles of 128. The last tile has points
 * up to 1023, whose A and B are filled with zeros: C[1000][..] is never stored,
 * and k = 1000 adds 0 * 0. So the loop of the product needs no condition, which
 * matters most where tensor cores run it, for whole fragments only.
 *
 * Conditions are proved for all sizes that the context allows; if isl cannot,
 * the product has guards.
 */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

/* Is "e" zero, whatever its type and the meaning of floats, if what "op" reads
 * from shared memory is? "*read" counts its reads.
 *
 * 0 * x is not 0 for x = Inf: so of a MUL all factors are asked, as of the
 * others. What divides, or is an exponential, is never zero by this.
 */
static bool is_zero(const struct poly_stmt *op, const struct poly_expr *e,
	int *read)
{
	bool all = true;
	int n = poly_op_n_arg(e->op);

	if (e->op == POLY_OP_ACCESS)
		return op->operand[(*read)++] != NULL;
	for (int i = 0; i < n; i++)
		all &= is_zero(op, e->arg[i], read);
	switch (e->op) {
	case POLY_OP_CONST:
		return e->value == 0;
	case POLY_OP_CAST:
	case POLY_OP_NEG:
	case POLY_OP_ABS:
	case POLY_OP_MUL:
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MIN:
	case POLY_OP_MAX:
		return all;
	default:
		return false;
	}
}

/* Do the buffers of "op" have zeros where their arrays end, and does it add so that
 * zeros change nothing? In a fixed order of floating-point additions, minus zero would
 * become zero.
 *
 * -0 + 0 is 0, so a sum that has to be bit for bit the one of the text must not
 * get a term more.
 */
static bool adds_zeros(struct poly_prog *prog, const struct poly_stmt *op)
{
	const struct poly_stmt *s = op->member[0];
	bool is_float = poly_type_is_float(s->write_array->type);

	for (int i = 0; i < POLY_MAX_OPERAND; i++) {
		struct poly_stmt *copy = poly_buffer_copy(prog,
			op->operand[i]);

		if (op->operand[i] && (!copy || (copy->kind == POLY_GROUP ?
		    !poly_is_zero_around(prog, copy, op->operand[i]) :
		    copy->fill != 0)))
			return false;
	}
	return s->reduce == POLY_OP_ADD &&
		(prog->fp != POLY_FP_STRICT || !is_float);
}

/* Does a point of "op" that reads zeros add zero, exactly? */
static bool is_neutral(struct poly_prog *prog, const struct poly_stmt *op)
{
	int read = 0;

	return adds_zeros(prog, op) && is_zero(op, op->member[0]->rhs, &read);
}

/* The points of the tiles of "op" at which it would run: "{ [p0, p1, pk, ..]
 * }".
 *
 * All points of the tiles, also those beyond the arrays.
 */
static __isl_give isl_set *tile_points(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op)
{
	isl_map *tile = isl_map_reverse(poly_tile_map(prog, kernel, op));

	return isl_set_apply(isl_set_copy(op->domain), tile);
}

/* Does "stmt" use what is in "array"? What is in memory, later kernels may. */
static bool uses(struct poly_stmt *stmt, const struct poly_array *array)
{
	return array->space == POLY_REGISTER ? poly_reads_cell(stmt, array) :
		poly_touches(stmt, array);
}

/* The instances of "stmt" that write what may be used: of a temporary in memory,
 * the elements that a statement of the program reads.
 *
 * Later kernels may read a temporary in memory at those elements only that some
 * statement names; what is written elsewhere is nobody's.
 */
static __isl_give isl_set *useful(struct poly_prog *prog,
	struct poly_stmt *stmt)
{
	const struct poly_array *array = stmt->write_array;
	isl_map *write;
	isl_union_set *read;
	isl_set *elements;

	if (!poly_is_temp(array) || array->space != POLY_GLOBAL)
		return isl_set_copy(stmt->domain);
	write = poly_stmt_write(stmt);
	read = isl_union_map_range(poly_reads(prog));
	elements = isl_union_set_extract_set(read,
		isl_space_range(isl_map_get_space(write)));
	isl_union_set_free(read);
	return isl_map_domain(isl_map_intersect_range(write, elements));
}

/* The points "{ [p0, p1, z..] }" of the kernel at which what the member of
 * "op" accumulates is used: where a member of the operations in "domain" runs
 * that uses it.
 *
 * Places, without the steps of the sum.
 */
static __isl_give isl_set *used_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, const struct poly_stmt *op,
	int n_outer)
{
	const struct poly_array *array = op->member[0]->write_array;
	isl_set *used = isl_set_empty(isl_space_set_alloc(prog->ctx, 0,
		2 + n_outer));
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++)
		for (int k = 0; k < list[i]->n_member; k++) {
			struct poly_stmt *m = list[i]->member[k];
			isl_map *at;

			if (!m->at || !uses(m, array))
				continue;
			at = isl_map_from_multi_aff(
				isl_multi_aff_copy(m->at));
			at = isl_map_intersect_range(at, useful(prog, m));
			used = isl_set_union(used, isl_map_domain(
				poly_own_points(at, n_outer)));
		}
	free(list);
	return used;
}

/* The points of "points" whose place is one of "used".
 *
 * "used" is about places [p0,p1,z..], "points" about places with steps.
 */
static __isl_give isl_set *at_used(__isl_take isl_set *points,
	__isl_take isl_set *used, int n_outer)
{
	isl_map *place = isl_map_reverse(poly_own_points(isl_map_reverse(
		isl_set_identity(points)), n_outer));

	return isl_map_domain(isl_map_intersect_range(place, used));
}

/* The points of the tiles of "op" that its member lacks; with "used", only
 * those whose place is one where what it accumulates is used.
 *
 * Parameters are bound by the context: for sizes below 0 nothing is asked.
 */
static __isl_give isl_set *lost_points(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	bool used)
{
	int n_outer = poly_kernel_n_outer(prog, kernel);
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	isl_set *lost = tile_points(prog, kernel, op);

	lost = isl_set_subtract(lost, isl_set_preimage_multi_aff(
		isl_set_copy(op->member[0]->domain),
		isl_multi_aff_copy(op->member[0]->at)));
	if (used)
		lost = at_used(lost, used_points(prog, domain, op, n_outer),
			n_outer);
	isl_union_set_free(domain);
	return isl_set_intersect_params(lost, isl_set_copy(prog->context));
}

/* The points at which "leaf", a read of "stmt", is inside of its array: a set that
 * has few constraints, so that whoever has many points meets all of these at once.
 *
 * 0 <= index < extent in each dimension, after "at" of the member.
 */
static __isl_give isl_set *inside(const struct poly_stmt *stmt,
	const struct poly_expr *leaf)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index),
		isl_multi_aff_copy(stmt->at));
	isl_set *points = isl_multi_pw_aff_domain(
		isl_multi_pw_aff_copy(index));

	for (int i = 0; i < leaf->array->n_dim; i++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(index, i);
		isl_pw_aff *end = isl_multi_pw_aff_get_at(
			leaf->array->extent, i);
		isl_space *space = isl_pw_aff_get_domain_space(end);

		if (isl_space_is_params(space) == isl_bool_true)
			end = isl_pw_aff_insert_domain(end,
				isl_pw_aff_get_domain_space(at));
		isl_space_free(space);
		points = isl_set_intersect(points,
			isl_pw_aff_lt_set(isl_pw_aff_copy(at), end));
		points = isl_set_intersect(points,
			isl_pw_aff_nonneg_set(at));
	}
	isl_multi_pw_aff_free(index);
	return points;
}

/* For each read: at lost points whose sum is used, the read must lie outside,
 * so that the buffer has the zero that was filled in.
 */
bool poly_runs_full(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *op)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(op->member[0], leaf);
	isl_set *lost;
	bool full = true;

	if (!is_neutral(prog, op))
		return false;
	lost = lost_points(prog, kernel, op, true);
	for (int i = 0; i < n && full; i++) {
		isl_set *read = inside(op->member[0], leaf[i]);

		full = isl_set_is_disjoint(lost, read) == isl_bool_true;
		isl_set_free(read);
	}
	isl_set_free(lost);
	return full;
}

/* Is what "e" converts the same number of a wider type, if it is finite? */
static bool widens(const struct poly_expr *e)
{
	return e->op == POLY_OP_CAST && (e->type == e->arg[0]->type ||
		poly_type_size(e->arg[0]->type) < poly_type_size(e->type));
}

/* Is "e" a product of what "op" reads from shared memory, and of nothing else?
 *
 * Factors are counted from left to right, as "operand" has them.
 */
static bool is_product(const struct poly_stmt *op, const struct poly_expr *e,
	int *read)
{
	if (e->op == POLY_OP_ACCESS)
		return op->operand[(*read)++] != NULL;
	if (widens(e))
		return is_product(op, e->arg[0], read);
	return e->op == POLY_OP_MUL && is_product(op, e->arg[0], read) &&
		is_product(op, e->arg[1], read);
}

/* "finite[i]" is set for the reads that are inside of their array at some lost
 * point: these must be finite, as they meet the zero of another one. Who emits
 * the loop looks at the buffers and takes the guarded loop if there is an Inf
 * or NaN.
 */
bool poly_runs_full_finite(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	bool finite[POLY_MAX_OPERAND])
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(op->member[0], leaf), n_read = 0;
	isl_set *lost, *all;
	bool full;

	if (n > POLY_MAX_OPERAND || !adds_zeros(prog, op) ||
	    !is_product(op, op->member[0]->rhs, &n_read))
		return false;
	lost = lost_points(prog, kernel, op, true);
	all = isl_set_universe(isl_set_get_space(lost));
	for (int i = 0; i < n; i++) {
		isl_set *read = inside(op->member[0], leaf[i]);

		finite[i] = isl_set_is_disjoint(lost, read) != isl_bool_true;
		all = isl_set_intersect(all, read);
	}
	full = isl_set_is_disjoint(lost, all) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(lost);
	return full;
}

/* Does "op" read memory outside of its buffers, elsewhere at each point?
 *
 * Such a read would leave its array at the points that are lost.
 */
static bool reads_elsewhere(const struct poly_stmt *op)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(op->member[0], leaf);

	for (int i = 0; i < n; i++)
		if (!op->operand[i] && leaf[i]->array->space == POLY_GLOBAL &&
		    poly_leaf_moves(leaf[i], op->member[0]->at))
			return true;
	return false;
}

/* The tiles of "op" without any lost point: inner ones, whose loop needs no
 * guards even if the kernel's others do.
 */
__isl_give isl_set *poly_whole_tiles(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op)
{
	isl_set *lost = lost_points(prog, kernel, op, !reads_elsewhere(op));

	lost = isl_set_apply(lost, poly_tile_map(prog, kernel, op));
	lost = isl_set_remove_unknown_divs(lost);
	return isl_set_subtract(isl_set_copy(op->domain), lost);
}
