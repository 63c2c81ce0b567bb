/* Facts about tile operations that more than one pass needs: which points a
 * tile stands for, and how a product's operands move over it.
 *
 * A point is [p0, p1] of a kernel's tile space, behind it the loops z of the
 * host and the batch; a product also has pk, the step of its sum, and u,
 * further loops of the sum. A tile is what a block does at a time: floor(p0 /
 * tile[0]), floor(p1 / tile[1]), floor(pk / tile_k). "at" of a member goes from
 * points to its instances, "contraction" from instances to tiles.
 */
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* The leaves of an expression that have been listed.
 *
 * "leaf" has room for POLY_MAX_OPERAND; "n" may be more.
 */
struct leaves {
	struct poly_expr **leaf;
	int n;
};

/* List "leaf", or count it at least where there is no more room. */
static void add_leaf(struct poly_expr *leaf, void *user)
{
	struct leaves *l = user;

	if (l->n < POLY_MAX_OPERAND)
		l->leaf[l->n] = leaf;
	l->n++;
}

/* A result above POLY_MAX_OPERAND says that the list is not complete: such a
 * statement is no product for passes.
 */
int poly_leaves(const struct poly_stmt *stmt,
	struct poly_expr *leaf[POLY_MAX_OPERAND])
{
	struct leaves l = { leaf, 0 };

	poly_expr_each_access(stmt->rhs, add_leaf, &l);
	return l.n;
}

/* Bit d of the result: dimension d of the point, p0, p1 or pk, changes the
 * index. A[i][k] of a product moves with p0 and pk.
 */
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

/* An operand that moves with one axis alone is the same for all points along
 * the other: that is what shared memory saves. One that moves with both, or
 * with none, is read once by each.
 */
bool poly_is_shared_leaf(const struct poly_expr *leaf, int moves)
{
	int both = POLY_MOVES_0 | POLY_MOVES_1;

	return leaf->array->space == POLY_GLOBAL && moves &&
		(moves & both) != both;
}

/* "space" with the coordinates of "op" behind its tile's.
 *
 * What is behind has no meaning here but that tile and point agree in it: so
 * both call it e2, e3, ..
 */
static __isl_give isl_space *add_rest(__isl_take isl_space *space,
	const struct poly_stmt *op)
{
	return poly_add_dims(space, "e", poly_op_first_outer(op),
		(int)isl_set_dim(op->domain, isl_dim_set));
}

/* NAME[t0, t1, tk, e3, ..], without tk of a GROUP. */
__isl_give isl_space *poly_tile_tuple(const struct poly_stmt *op,
	const char *name)
{
	isl_space *space = poly_tuple(isl_set_get_ctx(op->domain), name);

	space = poly_add_dims(space, "t", 0, 2);
	if (poly_op_first_outer(op) > 2)
		space = poly_add_dim(space, "tk");
	return add_rest(space, op);
}

__isl_give isl_space *poly_point_of_tile(const struct poly_stmt *op)
{
	isl_space *space = poly_tuple(isl_set_get_ctx(op->domain), NULL);

	space = poly_add_dims(space, "p", 0, 2);
	if (poly_op_first_outer(op) > 2)
		space = poly_add_dim(space, "pk");
	return add_rest(space, op);
}

/* { [p0, p1, pk, e..] -> OP[floor(p0/T0), floor(p1/T1), floor(pk/Tk), e..] }.
 */
__isl_give isl_map *poly_tile_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op)
{
	isl_space *point = poly_point_of_tile(op);
	int n = (int)isl_set_dim(op->domain, isl_dim_set);
	int first = poly_op_first_outer(op);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, n);

	for (int d = 0; d < 2; d++)
		list = isl_aff_list_add(list, poly_floor(
			poly_at(point, "p%d", d), kernel->tile[d]));
	if (first > 2)
		list = isl_aff_list_add(list, poly_floor(
			poly_at(point, "pk"), kernel->tile_k));
	list = poly_add_at(list, point, first, n);
	return poly_function_map(point, op->name, list);
}

/* A member that stands on a line has one instance for all points of it: point 0
 * along these axes is taken for it.
 */
__isl_give isl_map *poly_member_points(const struct poly_stmt *op,
	const struct poly_stmt *member)
{
	isl_map *map = isl_map_reverse(isl_map_from_multi_aff(
		isl_multi_aff_copy(member->at)));

	if (op->kind != POLY_GROUP)
		return map;
	for (int d = 0; d < 2; d++)
		if (op->along & 1u << d)
			map = isl_map_fix_si(map, isl_dim_out, d, 0);
	return map;
}

/* These are the z of every tile operation of the kernel. */
int poly_kernel_n_outer(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	return poly_kernel_n_host(prog, kernel) + kernel->n_batch;
}

/* { [p0, p1, pk, z.., u..] -> .. } loses pk and the u. A map of a GROUP has
 * none and stays.
 */
__isl_give isl_map *poly_own_points(__isl_take isl_map *map, int n_outer)
{
	int n = isl_map_dim(map, isl_dim_in);

	if (n == 2 + n_outer)
		return map;
	map = isl_map_project_out(map, isl_dim_in, 3 + n_outer,
		n - 3 - n_outer);
	return isl_map_project_out(map, isl_dim_in, 2, 1);
}

/* Takes "to_tile", { MEMBER[..] -> OP[tile] }, and leaves the member in the
 * program's list.
 */
void poly_tile_add_member(struct poly_stmt *stmt, struct poly_stmt *member,
	__isl_take isl_map *to_tile)
{
	to_tile = isl_map_intersect_domain(to_tile,
		isl_set_copy(member->domain));
	poly_stmt_add_member(stmt, member);
	stmt->contraction = isl_union_map_add_map(stmt->contraction, to_tile);
}

/* "index" only names the member: its domain. */
__isl_give isl_map *poly_member_tile(const struct poly_stmt *op,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_space *from = isl_space_domain(isl_multi_pw_aff_get_space(index));
	isl_union_map *own = isl_union_map_copy(op->contraction);

	own = isl_union_map_intersect_domain(own, isl_union_set_from_set(
		isl_set_universe(from)));
	return isl_map_from_union_map(own);
}

/* A buffer of several stages has the slot as its first dimension, tk mod
 * stages: { OP[t0,t1,tk] -> BUFFER[slot] }. With one stage there is no slot,
 * and the range has no dimensions.
 */
__isl_give isl_map *poly_buffer_slots(const struct poly_stmt *op,
	const struct poly_array *buffer, __isl_keep isl_multi_pw_aff *index)
{
	isl_space *space = isl_multi_pw_aff_get_space(index);
	isl_id *id = isl_space_get_tuple_id(space, isl_dim_out);
	int slots = buffer->n_dim - 2;
	isl_map *map;

	space = isl_space_range(space);
	if (!slots) {
		space = isl_space_drop_dims(space, isl_dim_set, 0, 2);
		space = isl_space_set_tuple_id(space, isl_dim_set, id);
		return isl_map_from_domain_and_range(isl_set_copy(op->domain),
			isl_set_universe(space));
	}
	isl_space_free(space);
	map = isl_map_reverse(poly_member_tile(op, index));
	map = isl_map_intersect_domain(map, isl_set_copy(op->domain));
	map = isl_map_apply_range(map, isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)));
	map = isl_map_project_out(map, isl_dim_out, slots, 2);
	map = isl_map_set_tuple_id(map, isl_dim_out, id);
	return poly_map_coalesce(isl_map_detect_equalities(map));
}

/* NULL also of NULL: an operand that is not in shared memory has no buffer. */
struct poly_stmt *poly_buffer_copy(struct poly_prog *prog,
	const struct poly_array *buffer)
{
	for (int i = 0; buffer && i < prog->n_stmt; i++)
		if (poly_fills_buffer(prog->stmt[i], buffer))
			return prog->stmt[i];
	return NULL;
}

/* Of a GROUP that fills a buffer one member has the elements, and others the
 * zeros around them.
 */
struct poly_stmt *poly_buffer_element(const struct poly_stmt *stmt,
	const struct poly_array *buffer)
{
	for (int i = 0; i < stmt->n_member; i++) {
		struct poly_stmt *m = stmt->member[i];

		if (m->write_array == buffer && (stmt->kind == POLY_COPY ||
		    m->rhs->op == POLY_OP_ACCESS))
			return m;
	}
	return NULL;
}

bool poly_fills_buffer(const struct poly_stmt *stmt,
	const struct poly_array *buffer)
{
	return (stmt->kind == POLY_COPY || stmt->kind == POLY_GROUP) &&
		buffer->space == POLY_SHARED &&
		poly_buffer_element(stmt, buffer) != NULL;
}

/* "{ OP[t0, t1] -> BUFFER[r, c] }": the cells of "buffer" that the members of "op"
 * write, those but "without" (NULL: all).
 */
static __isl_give isl_map *filled_cells(const struct poly_stmt *op,
	const struct poly_array *buffer, const struct poly_stmt *without)
{
	isl_map *all = NULL;

	for (int i = 0; i < op->n_member; i++) {
		const struct poly_stmt *m = op->member[i];
		isl_map *map;

		if (m->write_array != buffer || m == without)
			continue;
		map = isl_map_reverse(poly_member_tile(op, m->write_index));
		map = isl_map_apply_range(map, isl_map_from_multi_pw_aff(
			isl_multi_pw_aff_copy(m->write_index)));
		all = all ? isl_map_union(all, map) : map;
	}
	return all;
}

/* Zeros everywhere else, in all cells of each tile's box: then sums over the
 * whole tile are right.
 */
bool poly_is_zero_around(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer)
{
	struct poly_stmt *element = poly_buffer_element(group, buffer);
	isl_map *own, *cells = filled_cells(group, buffer, NULL);
	bool zero = true;

	own = isl_map_from_domain_and_range(isl_set_copy(group->domain),
		poly_array_box(buffer, 0));
	own = isl_map_intersect_params(own, isl_set_copy(prog->context));
	zero = isl_map_is_subset(own, cells) == isl_bool_true;
	isl_map_free(own);
	isl_map_free(cells);
	for (int i = 0; i < group->n_member; i++) {
		const struct poly_stmt *m = group->member[i];

		if (m->write_array == buffer && m != element)
			zero &= m->rhs->op == POLY_OP_CONST &&
				m->rhs->value == 0;
	}
	return zero;
}

/* The elements of tile operations -> their cells, and what else is written there:
 * the two have nothing in common in one tile.
 *
 * The elements must not be written over by the zeros around them, whatever the
 * order.
 */
bool poly_is_kept(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer)
{
	struct poly_stmt *element = poly_buffer_element(group, buffer);
	isl_map *own, *others = filled_cells(group, buffer, element);
	bool apart;

	if (!others)
		return true;
	own = isl_map_reverse(poly_member_tile(group, element->write_index));
	own = isl_map_apply_range(own, isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(element->write_index)));
	own = isl_map_intersect_params(own, isl_set_copy(prog->context));
	apart = isl_map_is_disjoint(own, others) == isl_bool_true;
	isl_map_free(own);
	isl_map_free(others);
	return apart;
}

/* Instances that write an element -> those products' instances that read it
 * from the buffer instead of memory. Pairs that a bare read of memory has, too,
 * are left out: these still need memory.
 */
__isl_give isl_union_map *poly_handed_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_union_map *pairs = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_union_map *bare = isl_union_map_copy(pairs);
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);

	for (int i = 0; i < n; i++) {
		int reads = op[i]->kind != POLY_CONTRACT ? 0 :
			poly_leaves(op[i]->member[0], leaf);

		for (int k = 0; k < reads && k < POLY_MAX_OPERAND; k++) {
			struct poly_stmt *fill = poly_buffer_copy(prog,
				op[i]->operand[k]);
			isl_map *read = isl_map_from_multi_pw_aff(
				isl_multi_pw_aff_copy(leaf[k]->index));

			read = isl_map_intersect_domain(read, isl_set_copy(
				op[i]->member[0]->domain));
			if (fill && fill->kind == POLY_GROUP)
				pairs = isl_union_map_add_map(pairs, read);
			else
				bare = isl_union_map_add_map(bare, read);
		}
	}
	free(op);
	isl_union_set_free(domain);
	if (isl_union_map_is_empty(pairs) == isl_bool_true) {
		isl_union_map_free(bare);
		return pairs;
	}
	pairs = isl_union_map_subtract(pairs, bare);
	return isl_union_map_apply_range(poly_writes(prog),
		isl_union_map_reverse(pairs));
}

bool poly_is_same_read(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at,
	const struct poly_expr *other, __isl_keep isl_multi_aff *other_at)
{
	isl_multi_pw_aff *a, *b;
	bool same;

	if (leaf->array != other->array)
		return false;
	a = isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(leaf->index),
		isl_multi_aff_copy(at));
	b = isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(
		other->index), isl_multi_aff_copy(other_at));
	same = isl_multi_pw_aff_plain_is_equal(a, b) == isl_bool_true;
	isl_multi_pw_aff_free(a);
	isl_multi_pw_aff_free(b);
	return same;
}

int poly_find_read(const struct poly_stmt *stmt, const struct poly_expr *leaf,
	const struct poly_stmt *other)
{
	struct poly_expr *list[POLY_MAX_OPERAND];
	int n = poly_leaves(other, list);

	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++)
		if (poly_is_same_read(leaf, stmt->at, list[i], other->at))
			return i;
	return -1;
}

const struct poly_stmt *poly_first_in_loop(const struct poly_stmt *op)
{
	return op->with ? op->with : op;
}

const struct poly_stmt *poly_next_in_loop(const struct poly_prog *prog,
	const struct poly_stmt *op)
{
	for (int i = poly_stmt_position(prog, op->name) + 1; i < prog->n_stmt; i++)
		if (prog->stmt[i]->with == poly_first_in_loop(op))
			return prog->stmt[i];
	return NULL;
}
