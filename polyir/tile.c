/* Facts about tile operations that more than one pass needs: which points a
 * tile stands for, and how a product's operands move over it.
 */
#include <isl/space.h>

#include "polyir_internal.h"

struct leaves {
	struct poly_expr **leaf;
	int n;
};

static void add_leaf(struct poly_expr *leaf, void *user)
{
	struct leaves *l = user;

	if (l->n < POLY_MAX_OPERAND)
		l->leaf[l->n] = leaf;
	l->n++;
}

int poly_leaves(const struct poly_stmt *stmt,
	struct poly_expr *leaf[POLY_MAX_OPERAND])
{
	struct leaves l = { leaf, 0 };

	poly_expr_each_access(stmt->rhs, add_leaf, &l);
	return l.n;
}

bool poly_leaf_goes_along(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at, int first, int n)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	isl_pw_aff *last = isl_multi_pw_aff_get_at(index,
		leaf->array->n_dim - 1);
	isl_bool is = isl_pw_aff_involves_dims(last, isl_dim_in, first, n);

	isl_pw_aff_free(last);
	isl_multi_pw_aff_free(index);
	return is == isl_bool_true;
}

bool poly_leaf_has_steps(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at)
{
	return poly_leaf_goes_along(leaf, at, 2, 1);
}

int poly_leaf_moves(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	int moves = 0;

	for (int d = 0; d < 3; d++)
		if (isl_multi_pw_aff_involves_dims(index, isl_dim_in, d, 1) ==
		    isl_bool_true)
			moves |= 1 << d;
	isl_multi_pw_aff_free(index);
	return moves;
}

bool poly_is_shared_leaf(const struct poly_expr *leaf, int moves)
{
	int both = POLY_MOVES_0 | POLY_MOVES_1;

	return leaf->array->space == POLY_GLOBAL && moves &&
		(moves & both) != both;
}

void poly_tile_rest(struct poly_str *s, const struct poly_stmt *op)
{
	int n = isl_set_dim(op->domain, isl_dim_set);

	for (int i = op->kind == POLY_GROUP ? 2 : 3; i < n; i++)
		poly_str_printf(s, ", e%d", i);
}

void poly_tile_tuple(struct poly_str *s, const struct poly_stmt *op,
	const char *name, const char *k)
{
	poly_str_printf(s, "%s[t0, t1", name);
	if (op->kind != POLY_GROUP)
		poly_str_printf(s, ", %s", k);
	poly_tile_rest(s, op);
	poly_str_add(s, "]");
}

__isl_give isl_map *poly_tile_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op)
{
	struct poly_str s = { 0 };
	isl_map *map;

	poly_str_add(&s, op->kind == POLY_GROUP ? "{ [p0, p1" :
		"{ [p0, p1, pk");
	poly_tile_rest(&s, op);
	poly_str_printf(&s, "] -> %s[floor(p0/%d), floor(p1/%d)", op->name,
		kernel->tile[0], kernel->tile[1]);
	if (op->kind != POLY_GROUP)
		poly_str_printf(&s, ", floor(pk/%d)", kernel->tile_k);
	poly_tile_rest(&s, op);
	poly_str_add(&s, "] }");
	map = s.failed ? NULL : isl_map_read_from_str(prog->ctx, s.s);
	poly_str_free(&s);
	return map;
}

int poly_kernel_n_outer(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	return poly_kernel_n_host(prog, kernel) + kernel->n_batch;
}

__isl_give isl_map *poly_own_points(__isl_take isl_map *map, int n_outer)
{
	int n = isl_map_dim(map, isl_dim_in);

	if (n == 2 + n_outer)
		return map;
	map = isl_map_project_out(map, isl_dim_in, 3 + n_outer,
		n - 3 - n_outer);
	return isl_map_project_out(map, isl_dim_in, 2, 1);
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
