/* polyir: the structure of tile operations. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"

/* Is "a", which is taken, a part of "b", if need be for the sizes that are fixed? */
static isl_bool is_part(struct poly_verifier *v, __isl_take isl_set *a,
	__isl_keep isl_set *b)
{
	isl_bool part = poly_set_is_part(a, b);

	if (part == isl_bool_false) {
		a = isl_set_intersect_params(a, poly_known_sizes(v->prog));
		part = poly_set_is_part(a, b);
	}
	isl_set_free(a);
	return part;
}

/* Is "map" single-valued? It is if its hull is, which isl tells sooner: of pieces that
 * overlap it asks each about each.
 */
static isl_bool is_single(__isl_keep isl_map *map)
{
	isl_map *hull = isl_map_from_basic_map(isl_map_simple_hull(
		isl_map_copy(map)));
	isl_bool single = isl_map_is_single_valued(hull);

	isl_map_free(hull);
	return single == isl_bool_true ? single :
		isl_map_is_single_valued(map);
}

/* The contraction takes every instance of "member" to one of "op". */
static bool check_contraction(struct poly_verifier *v, struct poly_stmt *op,
	struct poly_stmt *member)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		poly_stmt_space(member), poly_stmt_space(op));
	isl_map *map = isl_union_map_extract_map(op->contraction, space);
	isl_set *from;
	isl_bool total, single, inside;

	map = isl_map_intersect_domain(map, isl_set_copy(member->domain));
	from = isl_map_domain(isl_map_copy(map));
	total = is_part(v, isl_set_copy(member->domain), from);
	isl_set_free(from);
	single = is_single(map);
	inside = is_part(v, isl_map_range(map), op->domain);
	return poly_verify_that(v, total,
			"%s does not stand for all of %s", op->name,
			member->name) &&
		poly_verify_that(v, single,
			"several instances of %s stand for one of %s",
			op->name, member->name) &&
		poly_verify_that(v, inside,
			"instances of %s belong to no instance of %s",
			member->name, op->name);
}

/* Each instance of "member" stands at one point of the tile space. */
static bool check_points(struct poly_verifier *v, struct poly_stmt *op,
	struct poly_stmt *member)
{
	isl_map *map;
	isl_bool single;

	if (op->kind == POLY_COPY)
		return true;
	map = isl_map_intersect_domain(poly_member_points(op, member),
		isl_set_copy(member->domain));
	single = isl_map_is_single_valued(map);
	isl_map_free(map);
	return poly_verify_that(v, single, "%s has instances at several points",
		member->name);
}

/* How often "stmt" is a member. */
static int count_owners(const struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	int i, m, n = 0;

	for (i = 0; i < prog->n_stmt; i++)
		for (m = 0; m < prog->stmt[i]->n_member; m++)
			n += prog->stmt[i]->member[m] == stmt;
	return n;
}

/* Check the members of the tile operation "op": point statements of no other
 * operation, with a place in tile space (but for copies) and a contraction that
 * takes each instance to one of "op".
 */
static bool check_members(struct poly_verifier *v, struct poly_stmt *op)
{
	int i;

	for (i = 0; i < op->n_member; i++) {
		struct poly_stmt *member = op->member[i];

		if (member->kind != POLY_POINT ||
		    count_owners(v->prog, member) != 1)
			return poly_verify_fail(v,
				"%s cannot be a member of %s", member->name,
				op->name);
		if (op->kind != POLY_COPY && !member->at)
			return poly_verify_fail(v,
				"%s has no place in tile space", member->name);
		if (!check_contraction(v, op, member) ||
		    !check_points(v, op, member))
			return false;
	}
	if (op->contraction &&
	    isl_union_map_n_map(op->contraction) > op->n_member)
		return poly_verify_fail(v, "%s contracts what is no member",
			op->name);
	return true;
}

/* Buffers have rows and columns, and may have slots. */
static bool is_buffer(const struct poly_array *array)
{
	return array && array->space == POLY_SHARED &&
		(array->n_dim == 2 || array->n_dim == 3);
}

/* Check the product "op": its member is an update, and each buffer that it
 * reads is a shared array, belongs to a read of the member, and has an index
 * defined on all of it.
 */
static bool check_operands(struct poly_verifier *v, const struct poly_stmt *op)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int i;

	if (op->member[0]->reduce == POLY_OP_NONE || op->member[0]->atomic)
		return poly_verify_fail(v, "%s contracts no update", op->name);
	for (i = 0; i < POLY_MAX_OPERAND; i++) {
		if (!op->operand[i])
			continue;
		if (i >= poly_leaves(op->member[0], leaf))
			return poly_verify_fail(v,
				"%s has no read that is in %s", op->name,
				op->operand[i]->name);
		if (!is_buffer(op->operand[i]))
			return poly_verify_fail(v,
				"operand %s of %s is not shared",
				op->operand[i]->name, op->name);
		if (!poly_verify_index(v, op->member[0], op->operand[i],
			op->operand_index[i]))
			return false;
	}
	return true;
}

/* Does the REDUCE "op" update cells along one axis? */
static bool is_line_update(const struct poly_stmt *op)
{
	return (op->along == POLY_AXIS_0 || op->along == POLY_AXIS_1) &&
		op->member[0]->reduce != POLY_OP_NONE;
}

/* Is the member of the SCAN "op" a recurrence, and "op" along one axis? */
static bool is_line_scan(const struct poly_prog *prog,
	const struct poly_stmt *op)
{
	return (op->along == POLY_AXIS_0 || op->along == POLY_AXIS_1) &&
		poly_recurrence_read(prog, op->member[0], NULL);
}

/* Check that "stmt" has what its kind needs, and nothing else. */
bool poly_verify_op(struct poly_verifier *v, struct poly_stmt *stmt)
{
	bool point = stmt->kind == POLY_POINT;
	bool single = stmt->kind == POLY_COPY || stmt->kind == POLY_CONTRACT ||
		stmt->kind == POLY_REDUCE || stmt->kind == POLY_SCAN;

	if (stmt->wait && (stmt->kind != POLY_SYNC ||
	    stmt->wait->kind != POLY_CONTRACT))
		return poly_verify_fail(v, "%s waits for no product",
			stmt->name);
	if (stmt->with && (stmt->kind != POLY_CONTRACT || stmt->with == stmt ||
	    stmt->with->kind != POLY_CONTRACT || stmt->with->with))
		return poly_verify_fail(v, "%s runs with no product",
			stmt->name);
	if (!point && (stmt->write_array || stmt->rhs || stmt->at))
		return poly_verify_fail(v, "%s is no point statement",
			stmt->name);
	if ((single && stmt->n_member != 1) ||
	    (stmt->kind == POLY_GROUP && stmt->n_member == 0 &&
	     (v->prog->have & POLY_HAVE_REGISTERS)) ||
	    ((point || stmt->kind == POLY_SYNC) && stmt->n_member != 0))
		return poly_verify_fail(v, "%s has %d members", stmt->name,
			stmt->n_member);
	if (!point && stmt->kind != POLY_SYNC && !stmt->contraction)
		return poly_verify_fail(v, "%s has no contraction",
			stmt->name);
	if (point)
		return poly_verify_point(v, stmt) && poly_verify_at(v, stmt);
	if (!check_members(v, stmt))
		return false;
	if (stmt->kind == POLY_REDUCE && !is_line_update(stmt))
		return poly_verify_fail(v, "%s reduces along no axis",
			stmt->name);
	if (stmt->kind == POLY_SCAN && !is_line_scan(v->prog, stmt))
		return poly_verify_fail(v, "%s scans along no axis",
			stmt->name);
	if (stmt->along && stmt->kind != POLY_REDUCE &&
	    stmt->kind != POLY_SCAN && stmt->kind != POLY_GROUP)
		return poly_verify_fail(v, "%s stands on no lines",
			stmt->name);
	if (stmt->kind == POLY_CONTRACT)
		return check_operands(v, stmt);
	if (stmt->kind == POLY_COPY &&
	    !is_buffer(stmt->member[0]->write_array))
		return poly_verify_fail(v, "%s fills no shared array",
			stmt->name);
	if (stmt->bulk && !poly_moves_in_bulk(v->prog, stmt))
		return poly_verify_fail(v, "%s copies rows in bulk that are "
			"not whole", stmt->name);
	return true;
}
