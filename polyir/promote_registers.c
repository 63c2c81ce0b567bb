/* Values that stay with their thread live in registers.
 *
 * Within a kernel the points of all statements are distributed over threads
 * in one way, so an array that only one kernel touches, and always at the
 * thread's own point, needs no memory: its space becomes REGISTER. What a
 * CONTRACT accumulates must be in registers; when others need it in memory, a
 * register array takes its place inside the kernel, and the group behind
 * stores it:
 *
 *	before: D_init: D = 0           after: D_init: D_acc = 0
 *	        D:      D += x * y             D:      D_acc += x * y
 *	                                       D_store: D = D_acc
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir_internal.h"

/* How the accesses to one array look from the points of a kernel. */
struct view {
	struct poly_array *array;
	struct poly_stmt *stmt;	/* whose accesses are being looked at */
	isl_map *map;		/* [p0, p1] -> element, the first seen */
	bool same;		/* all are that one, and it is injective */
};

/* "index" of "stmt" as a map "{ [p0, p1] -> element }". */
static __isl_give isl_map *from_points(struct poly_stmt *stmt,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_map *map;
	int n;

	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), isl_multi_aff_copy(stmt->at));
	map = isl_map_from_multi_pw_aff(index);
	n = isl_map_dim(map, isl_dim_in);
	return isl_map_project_out(map, isl_dim_in, 2, n - 2);
}

static void view_index(struct view *v, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *map;

	if (!v->stmt->at) {
		v->same = false;
		return;
	}
	map = from_points(v->stmt, index);
	if (!v->map) {
		v->map = map;
		v->same &= isl_map_is_injective(map) == isl_bool_true &&
			isl_map_is_single_valued(map) == isl_bool_true;
		return;
	}
	v->same &= isl_map_is_equal(map, v->map) == isl_bool_true;
	isl_map_free(map);
}

static void view_leaf(struct poly_expr *leaf, void *user)
{
	struct view *v = user;

	if (leaf->array == v->array)
		view_index(v, leaf->index);
}

/* Look at the accesses of "stmt" to the array of "v". */
static void view_stmt(struct view *v, struct poly_stmt *stmt)
{
	v->stmt = stmt;
	if (stmt->write_array == v->array)
		view_index(v, stmt->write_index);
	poly_expr_each_access(stmt->rhs, view_leaf, v);
}

/* Is "member" a member of one of the operations in "list"? */
static bool is_in(const struct poly_stmt *member, struct poly_stmt **list,
	int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < list[i]->n_member; j++)
			if (list[i]->member[j] == member)
				return true;
	return false;
}

static void note_leaf(struct poly_expr *leaf, void *user)
{
	struct view *v = user;

	if (leaf->array == v->array)
		v->same = false;
}

/* Does "stmt" touch "array"? */
static bool touches(struct poly_stmt *stmt, struct poly_array *array)
{
	struct view v = { .array = array, .same = true };

	if (stmt->write_array == array)
		return true;
	poly_expr_each_access(stmt->rhs, note_leaf, &v);
	return !v.same;
}

/* Do the kernel's operations "op" have "array" to themselves, always at the
 * thread's own point? "*outside" is set if others touch it.
 */
static bool is_own(struct poly_prog *prog, struct poly_array *array,
	struct poly_stmt **op, int n, bool *outside)
{
	struct view v = { .array = array, .same = true };

	*outside = array->role != POLY_TEMP;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->kind != POLY_POINT || !touches(s, array))
			continue;
		if (is_in(s, op, n))
			view_stmt(&v, s);
		else
			*outside = true;
	}
	v.same &= v.map != NULL;
	isl_map_free(v.map);
	return v.same;
}

/* ------------------------------------------------------------ accumulators */

struct retarget {
	struct poly_array *from, *to;
};

static __isl_give isl_multi_pw_aff *renamed(
	__isl_take isl_multi_pw_aff *index, const struct poly_array *to)
{
	isl_ctx *ctx = isl_multi_pw_aff_get_ctx(index);

	return isl_multi_pw_aff_set_tuple_id(index, isl_dim_out,
		isl_id_alloc(ctx, to->name, NULL));
}

static void retarget_leaf(struct poly_expr *leaf, void *user)
{
	struct retarget *r = user;

	if (leaf->array != r->from)
		return;
	leaf->array = r->to;
	leaf->index = renamed(leaf->index, r->to);
}

static void retarget_stmt(struct poly_stmt *stmt, struct retarget *r)
{
	poly_expr_each_access(stmt->rhs, retarget_leaf, r);
	if (stmt->write_array != r->from)
		return;
	stmt->write_array = r->to;
	stmt->write_index = renamed(stmt->write_index, r->to);
}

/* The statement that initialises what "update" accumulates. */
static struct poly_stmt *find_init(struct poly_stmt **op, int n,
	const struct poly_stmt *update)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < op[i]->n_member; j++) {
			struct poly_stmt *m = op[i]->member[j];

			if (m != update &&
			    m->write_array == update->write_array &&
			    m->reduce == POLY_OP_NONE)
				return m;
		}
	return NULL;
}

/* Add to "group" the statement "to = from", with the points of "init". */
static isl_stat add_store(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *group,
	struct poly_stmt *init, struct poly_array *to,
	__isl_take isl_multi_pw_aff *index, struct poly_array *from)
{
	char *name = poly_unique_name(prog, to->name, "store");
	isl_id *id = isl_id_alloc(prog->ctx, name ? name : "store", NULL);
	isl_set *domain = isl_set_set_tuple_id(isl_set_copy(init->domain),
		isl_id_copy(id));
	struct poly_stmt *store = name ? poly_prog_add_stmt(prog, name,
		POLY_POINT, isl_set_copy(domain)) : NULL;
	struct poly_expr *rhs;
	isl_map *to_tile;

	free(name);
	index = isl_multi_pw_aff_set_tuple_id(index, isl_dim_in,
		isl_id_copy(id));
	if (!store) {
		isl_id_free(id);
		isl_set_free(domain);
		isl_multi_pw_aff_free(index);
		return isl_stat_error;
	}
	store->loc = init->loc;
	rhs = poly_expr_access(from,
		renamed(isl_multi_pw_aff_copy(index), from));
	poly_stmt_set_write(store, to, index, POLY_OP_NONE, rhs);
	store->at = isl_multi_aff_set_tuple_id(isl_multi_aff_copy(init->at),
		isl_dim_out, id);
	isl_set_free(domain);
	to_tile = isl_map_from_multi_aff(isl_multi_aff_copy(store->at));
	to_tile = isl_map_apply_range(isl_map_reverse(to_tile),
		poly_tile_map(prog, kernel, group));
	poly_tile_add_member(group, store, to_tile);
	return isl_stat_ok;
}

/* Let the product of "op[i]" accumulate in registers; what it computes is
 * stored by the next group.
 */
static isl_stat add_accumulator(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt **op, int n, int i)
{
	struct poly_stmt *update = op[i]->member[0], *group = NULL;
	struct poly_stmt *init = find_init(op, n, update);
	struct poly_array *array = update->write_array;
	struct retarget r = { array, NULL };
	isl_multi_pw_aff *index;
	char *name;

	for (int j = i + 1; j < n && !group; j++)
		if (op[j]->kind == POLY_GROUP)
			group = op[j];
	if (!init || !init->at || !group)
		return isl_stat_error;
	name = poly_unique_name(prog, array->name, "acc");
	if (!name)
		return isl_stat_error;
	r.to = poly_prog_add_array(prog, name, array->type, POLY_TEMP,
		renamed(isl_multi_pw_aff_copy(array->extent),
			&(struct poly_array){ .name = name }));
	free(name);
	if (!r.to)
		return isl_stat_error;
	r.to->space = POLY_REGISTER;
	r.to->loc = array->loc;
	index = isl_multi_pw_aff_copy(init->write_index);
	for (int j = 0; j < n; j++)
		for (int m = 0; m < op[j]->n_member; m++)
			retarget_stmt(op[j]->member[m], &r);
	return add_store(prog, kernel, group, init, array, index, r.to);
}

/* Promote the arrays of one kernel with the operations "op". */
static isl_stat promote(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt **op, int n)
{
	bool outside;

	for (int i = 0; i < prog->n_array; i++) {
		struct poly_array *a = prog->array[i];

		if (a->space == POLY_GLOBAL && a->role == POLY_TEMP &&
		    is_own(prog, a, op, n, &outside) && !outside)
			a->space = POLY_REGISTER;
	}
	for (int i = 0; i < n; i++) {
		struct poly_array *a;

		if (op[i]->kind != POLY_CONTRACT)
			continue;
		a = op[i]->member[0]->write_array;
		if (a->space != POLY_REGISTER &&
		    (!is_own(prog, a, op, n, &outside) ||
		     add_accumulator(prog, kernel, op, n, i) < 0))
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* Keep in registers what never leaves its thread.
 *
 * requires tiles; establishes registers and new deps
 */
isl_stat poly_promote_registers(struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_kernel; i++) {
		isl_union_set *domain;
		struct poly_stmt **op;
		isl_stat ok;
		int n;

		if (!prog->kernel[i]->tiled)
			continue;
		domain = poly_kernel_domain(prog, prog->kernel[i]);
		op = poly_stmts_of(prog, domain, &n);
		isl_union_set_free(domain);
		ok = op ? promote(prog, prog->kernel[i], op, n) : isl_stat_error;
		free(op);
		if (ok < 0)
			return poly_isl_error(prog, "poly_promote_registers");
	}
	return poly_deps(prog);
}
