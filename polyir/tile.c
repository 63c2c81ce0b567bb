/* Facts about tile operations that more than one pass needs: which points a
 * tile stands for, and how a product's operands move over it.
 */
#include <isl/space.h>

#include "polyir_internal.h"

struct poly_expr *poly_operand_leaf(const struct poly_stmt *stmt, int o)
{
	struct poly_expr *x = stmt->rhs->arg[o];

	while (x->op == POLY_OP_CAST)
		x = x->arg[0];
	return x;
}

int poly_operand_axis(const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at, int o)
{
	struct poly_expr *x = poly_operand_leaf(stmt, o);
	isl_multi_pw_aff *index;
	isl_bool p0, p1, pk;

	if (x->op != POLY_OP_ACCESS || x->array->space != POLY_GLOBAL)
		return -1;
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(x->index), isl_multi_aff_copy(at));
	p0 = isl_multi_pw_aff_involves_dims(index, isl_dim_in, 0, 1);
	p1 = isl_multi_pw_aff_involves_dims(index, isl_dim_in, 1, 1);
	pk = isl_multi_pw_aff_involves_dims(index, isl_dim_in, 2, 1);
	isl_multi_pw_aff_free(index);
	if (pk != isl_bool_true || p0 == p1)
		return -1;
	return p0 == isl_bool_true ? 0 : 1;
}

__isl_give isl_map *poly_tile_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op)
{
	struct poly_str s = { 0 };
	isl_map *map;
	int n = isl_set_dim(op->domain, isl_dim_set);

	if (n == 3)
		poly_str_printf(&s, "{ [p0, p1, pk] -> %s[floor(p0/%d), "
			"floor(p1/%d), floor(pk/%d)] }", op->name,
			kernel->tile[0], kernel->tile[1], kernel->tile_k);
	else
		poly_str_printf(&s, "{ [p0, p1] -> %s[floor(p0/%d), "
			"floor(p1/%d)] }", op->name, kernel->tile[0],
			kernel->tile[1]);
	map = s.failed ? NULL : isl_map_read_from_str(prog->ctx, s.s);
	poly_str_free(&s);
	return map;
}

void poly_tile_add_member(struct poly_stmt *stmt, struct poly_stmt *member,
	__isl_take isl_map *to_tile)
{
	to_tile = isl_map_intersect_domain(to_tile,
		isl_set_copy(member->domain));
	poly_stmt_add_member(stmt, member);
	stmt->contraction = isl_union_map_add_map(stmt->contraction, to_tile);
}

__isl_give isl_map *poly_buffer_slots(const struct poly_stmt *op,
	const struct poly_array *buffer, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *map;
	isl_id *id;
	int slots = buffer->n_dim - 2;

	map = isl_map_from_union_map(isl_union_map_reverse(
		isl_union_map_copy(op->contraction)));
	map = isl_map_intersect_domain(map, isl_set_copy(op->domain));
	map = isl_map_apply_range(map, isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)));
	id = isl_map_get_tuple_id(map, isl_dim_out);
	map = isl_map_project_out(map, isl_dim_out, slots, 2);
	map = isl_map_set_tuple_id(map, isl_dim_out, id);
	return isl_map_coalesce(isl_map_detect_equalities(map));
}

struct poly_stmt *poly_buffer_copy(struct poly_prog *prog,
	const struct poly_array *buffer)
{
	for (int i = 0; buffer && i < prog->n_stmt; i++)
		if (poly_fills_buffer(prog->stmt[i], buffer))
			return prog->stmt[i];
	return NULL;
}

bool poly_fills_buffer(const struct poly_stmt *stmt,
	const struct poly_array *buffer)
{
	return stmt->kind == POLY_COPY &&
		stmt->member[0]->write_array == buffer;
}
