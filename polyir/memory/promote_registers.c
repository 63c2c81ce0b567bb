/* Values that stay with their thread live in registers.
 *
 * Within a kernel the points of all statements are distributed over threads
 * in one way, so an array that only one kernel touches, and always at the
 * thread's own point, needs no memory: its space becomes REGISTER. If others touch
 * elements that this kernel does not, it gets a register array of its own. What a
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

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/memory/memory.h"

/* A kernel under way: its operations and their members, in order. */
struct promotion {
	struct poly_prog *prog;
	const struct poly_kernel *kernel;
	int n_host, n_outer;
	struct poly_stmt **op, **member;
	int n_op, n_member;
};

/* Is "stmt" one of the members? */
static bool is_member(const struct promotion *p, const struct poly_stmt *stmt)
{
	for (int i = 0; i < p->n_member; i++)
		if (p->member[i] == stmt)
			return true;
	return false;
}

/* The elements of "array" that the members touch, or all other statements. */
static __isl_give isl_set *touched(const struct promotion *p,
	const struct poly_array *array, bool members)
{
	isl_union_map *own;
	isl_union_set *cells = isl_union_set_empty(
		isl_set_get_space(p->prog->context));
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	isl_set *set;

	for (int i = 0; i < p->prog->n_stmt; i++) {
		struct poly_stmt *s = p->prog->stmt[i];

		if (s->kind != POLY_POINT || !poly_touches(s, array) ||
		    is_member(p, s) != members)
			continue;
		own = isl_union_map_add_map(poly_stmt_reads(s),
			poly_stmt_write(s));
		cells = isl_union_set_union(cells, isl_union_map_range(own));
	}
	if (isl_space_is_set(space) != isl_bool_true)
		space = isl_space_range(space);
	set = isl_union_set_extract_set(cells, space);
	isl_union_set_free(cells);
	return set;
}

/* Does a statement outside of the kernel touch "array"? */
static bool is_touched_outside(const struct promotion *p,
	const struct poly_array *array)
{
	bool is = false;

	for (int i = 0; i < p->prog->n_stmt && !is; i++) {
		struct poly_stmt *s = p->prog->stmt[i];

		is = s->kind == POLY_POINT && poly_touches(s, array) &&
			!is_member(p, s);
	}
	return is;
}

/* Does a statement outside of the kernel, or the caller, see what the kernel does with
 * "array"? Not if it touches other elements alone, as those of a product that has been
 * cut do.
 */
static bool is_seen_outside(const struct promotion *p,
	const struct poly_array *array)
{
	isl_set *cells;
	bool apart;

	if (!poly_is_temp(array) || !is_touched_outside(p, array))
		return !poly_is_temp(array);
	cells = isl_set_intersect(touched(p, array, true),
		touched(p, array, false));
	cells = isl_set_intersect_params(cells, isl_set_copy(p->prog->context));
	apart = isl_set_is_empty(cells) == isl_bool_true;
	isl_set_free(cells);
	return !apart;
}

/* Has the kernel "array" to itself, always at the thread's own point? What one
 * launch leaves for the next is not the thread's, nor what goes where data tell.
 */
static bool is_private(const struct promotion *p,
	const struct poly_array *array)
{
	isl_map *view = poly_own_view(array, p->member, p->n_member,
		p->n_outer, 0);
	bool own = view != NULL;

	isl_map_free(view);
	return own && !array->scattered && !is_seen_outside(p, array);
}

/* ------------------------------------------------------------ accumulators */

/* Reads of "from" become reads of "to", of as many dimensions. */
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

/* The points at which the members touch "array", "{ NAME[p0, p1, z..] }". */
static __isl_give isl_set *touching_points(const struct promotion *p,
	const struct poly_array *array, const char *name)
{
	isl_set *points = NULL;

	for (int i = 0; i < p->n_member; i++) {
		isl_map *at;
		isl_set *own;

		if (!poly_touches(p->member[i], array))
			continue;
		at = isl_map_from_multi_aff(
			isl_multi_aff_copy(p->member[i]->at));
		at = isl_map_intersect_range(at,
			isl_set_copy(p->member[i]->domain));
		own = isl_map_domain(poly_own_points(at, p->n_outer));
		points = points ? isl_set_union(points, own) : own;
	}
	return isl_set_set_tuple_name(poly_set_coalesce(points), name);
}

/* Does "first" stand at every point at which a member touches "array", and once? */
static bool stands_alike(const struct promotion *p,
	const struct poly_stmt *first, const struct poly_array *array)
{
	isl_set *all = touching_points(p, array, "points"), *own;
	isl_map *at = isl_map_from_multi_aff(isl_multi_aff_copy(first->at));
	bool once = isl_multi_aff_dim(first->at, isl_dim_in) <= 2 + p->n_outer;

	at = isl_map_intersect_range(at, isl_set_copy(first->domain));
	own = isl_map_domain(poly_own_points(at, p->n_outer));
	own = isl_set_set_tuple_name(own, "points");
	all = isl_set_intersect_params(all, isl_set_copy(p->prog->context));
	once = once && isl_set_is_subset(all, own) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(own);
	return once;
}

/* The first member that touches "array". */
static struct poly_stmt *first_touch(const struct promotion *p,
	const struct poly_array *array)
{
	for (int i = 0; i < p->n_member; i++)
		if (poly_touches(p->member[i], array))
			return p->member[i];
	return NULL;
}

/* A move between an array and the registers in its place. */
struct move {
	struct poly_array *from, *to;
	const char *suffix;
	struct poly_stmt *model;	/* whose points it has, or NULL */
	__isl_keep isl_map *view;	/* of the array */
	struct poly_array *array;
	struct poly_stmt *stmt;		/* once it is made */
};

/* The domain of "m", and in "*at" where it stands in the tile space. */
static __isl_give isl_set *move_domain(const struct promotion *p,
	const struct move *m, const char *name, isl_multi_aff **at)
{
	isl_id *id = isl_id_alloc(p->prog->ctx, name, NULL);
	isl_set *domain;
	isl_space *space;

	if (m->model) {
		*at = isl_multi_aff_set_tuple_id(
			isl_multi_aff_copy(m->model->at), isl_dim_out,
			isl_id_copy(id));
		return isl_set_set_tuple_id(isl_set_copy(m->model->domain),
			id);
	}
	domain = touching_points(p, m->array, name);
	space = isl_space_set_alloc(p->prog->ctx, 0, 2 + p->n_outer);
	*at = isl_multi_aff_identity_on_domain_space(space);
	*at = isl_multi_aff_set_tuple_id(*at, isl_dim_out, id);
	return domain;
}

/* The element of the array that an instance of "m" moves. */
static __isl_give isl_multi_pw_aff *move_index(const struct move *m,
	__isl_keep isl_multi_aff *at)
{
	isl_map *index = isl_map_from_multi_aff(isl_multi_aff_copy(at));
	isl_pw_multi_aff *pma;

	if (m->model) {
		isl_map_free(index);
		return isl_multi_pw_aff_set_tuple_id(
			isl_multi_pw_aff_copy(m->model->write_index),
			isl_dim_in, isl_multi_aff_get_tuple_id(at,
				isl_dim_out));
	}
	index = isl_map_apply_range(isl_map_reverse(index),
		isl_map_copy(m->view));
	pma = isl_pw_multi_aff_from_map(index);
	return isl_multi_pw_aff_from_pw_multi_aff(pma);
}

/* Add the statement of "m" to "group". */
static isl_stat add_move(const struct promotion *p, struct move *m,
	struct poly_stmt *group)
{
	char *name = poly_unique_name(p->prog, m->array->name, m->suffix);
	isl_multi_aff *at = NULL;
	isl_multi_pw_aff *index;
	isl_map *to_tile;

	if (!name)
		return isl_stat_error;
	m->stmt = poly_prog_add_stmt(p->prog, name, POLY_POINT,
		move_domain(p, m, name, &at));
	free(name);
	if (!m->stmt) {
		isl_multi_aff_free(at);
		return isl_stat_error;
	}
	m->stmt->loc = first_touch(p, m->array)->loc;
	index = move_index(m, at);
	poly_stmt_set_write(m->stmt, m->to,
		renamed(isl_multi_pw_aff_copy(index), m->to), POLY_OP_NONE,
		poly_expr_access(m->from, renamed(index, m->from)));
	m->stmt->at = at;
	to_tile = isl_map_reverse(isl_map_from_multi_aff(
		isl_multi_aff_copy(at)));
	poly_tile_add_member(group, m->stmt, isl_map_apply_range(to_tile,
		poly_tile_map(p->prog, p->kernel, group)));
	return isl_stat_ok;
}

/* A register array for what products accumulate in "array". */
static struct poly_array *add_registers(struct poly_prog *prog,
	const struct poly_array *array)
{
	char *name = poly_unique_name(prog, array->name, "acc");
	struct poly_array *acc = NULL;

	if (name)
		acc = poly_prog_add_array(prog, name, array->type, POLY_TEMP,
			renamed(isl_multi_pw_aff_copy(array->extent),
				&(struct poly_array){ .name = name }));
	free(name);
	if (acc) {
		acc->space = POLY_REGISTER;
		acc->loc = array->loc;
	}
	return acc;
}

/* Put the member that was added to "group" last before the others. */
static void move_to_front(struct poly_stmt *group)
{
	struct poly_stmt *last = group->member[group->n_member - 1];

	for (int i = group->n_member - 1; i > 0; i--)
		group->member[i] = group->member[i - 1];
	group->member[0] = last;
}

/* The group in or behind the last operation that touches "array". */
static struct poly_stmt *last_group(const struct promotion *p,
	const struct poly_array *array)
{
	struct poly_stmt *group = NULL;
	bool touched = false;

	for (int i = p->n_op - 1; i >= 0 && !touched; i--) {
		if (p->op[i]->kind == POLY_GROUP)
			group = p->op[i];
		for (int k = 0; k < p->op[i]->n_member; k++)
			touched |= poly_touches(p->op[i]->member[k], array);
	}
	return group;
}

/* Let "load" and "store", of which the first may have no statement, take the
 * place of the members at the ends of dependences through memory.
 */
static isl_stat reroute(const struct promotion *p, const struct move *load,
	const struct move *store)
{
	isl_union_map *points;

	if (!p->prog->original)
		return isl_stat_ok;
	points = isl_union_map_empty(isl_set_get_space(p->prog->context));
	for (int i = 0; i < p->n_member; i++)
		points = isl_union_map_add_map(points, isl_map_reverse(
			poly_own_points(isl_map_intersect_range(
				isl_map_from_multi_aff(isl_multi_aff_copy(
					p->member[i]->at)),
				isl_set_copy(p->member[i]->domain)),
				p->n_outer)));
	return poly_reroute(p->prog, points, store->array, load->stmt,
		store->stmt);
}

/* Let the product of "op[i]" accumulate in registers, which are loaded first if
 * it goes on from what the array held; the next group stores them.
 */
static isl_stat add_accumulator(const struct promotion *p, int i)
{
	struct poly_array *array = p->op[i]->member[0]->write_array;
	struct poly_stmt *first = first_touch(p, array);
	struct poly_stmt *group = last_group(p, array);
	isl_map *view = poly_own_view(array, p->member, p->n_member,
		p->n_outer, p->n_host);
	struct retarget r = { array, add_registers(p->prog, array) };
	struct move load = { array, r.to, "load", first, view, array, NULL };
	struct move store = { r.to, array, "store", first, view, array, NULL };
	isl_stat ok = view && r.to && group && p->op[0]->kind == POLY_GROUP ?
		isl_stat_ok : isl_stat_error;
	bool loads = poly_reads_cell(first, array);

	if (!stands_alike(p, first, array))
		load.model = store.model = NULL;
	if (ok == isl_stat_ok && loads) {
		ok = add_move(p, &load, p->op[0]);
		move_to_front(p->op[0]);
	}
	if (ok == isl_stat_ok)
		ok = add_move(p, &store, group);
	if (ok == isl_stat_ok)
		ok = reroute(p, &load, &store);
	for (int k = 0; k < p->n_member && ok == isl_stat_ok; k++)
		retarget_stmt(p->member[k], &r);
	isl_map_free(view);
	return ok;
}

/* Let the kernel have "array", its own elements of which nobody else touches, in
 * registers.
 */
static isl_stat keep(const struct promotion *p, struct poly_array *array)
{
	struct retarget r = { array, NULL };

	if (!is_touched_outside(p, array)) {
		array->space = POLY_REGISTER;
		return isl_stat_ok;
	}
	r.to = add_registers(p->prog, array);
	for (int k = 0; k < p->n_member && r.to; k++)
		retarget_stmt(p->member[k], &r);
	return r.to ? isl_stat_ok : isl_stat_error;
}

/* Does a member touch "array"? */
static bool is_used(const struct promotion *p, const struct poly_array *array)
{
	return first_touch(p, array) != NULL;
}

/* Promote the arrays of one kernel. */
static isl_stat promote(const struct promotion *p)
{
	for (int i = 0; i < p->prog->n_array; i++) {
		struct poly_array *a = p->prog->array[i];

		if (a->space == POLY_GLOBAL && poly_is_temp(a) &&
		    is_used(p, a) && is_private(p, a) && keep(p, a) < 0)
			return isl_stat_error;
	}
	for (int i = 0; i < p->n_op; i++)
		if (p->op[i]->kind == POLY_CONTRACT &&
		    p->op[i]->member[0]->write_array->space !=
				POLY_REGISTER &&
		    add_accumulator(p, i) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}

/* Promote the arrays of "kernel". */
static isl_stat promote_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	struct promotion p = { .prog = prog, .kernel = kernel };
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	isl_stat ok;

	p.n_host = poly_kernel_n_host(prog, kernel);
	p.n_outer = poly_kernel_n_outer(prog, kernel);
	p.op = poly_stmts_of(prog, domain, &p.n_op);
	p.member = calloc(prog->n_stmt + 1, sizeof(*p.member));
	ok = p.op && p.member ? isl_stat_ok : isl_stat_error;
	for (int i = 0; i < p.n_op && p.member; i++)
		for (int k = 0; k < p.op[i]->n_member; k++)
			p.member[p.n_member++] = p.op[i]->member[k];
	if (ok == isl_stat_ok)
		ok = promote(&p);
	isl_union_set_free(domain);
	free(p.op);
	free(p.member);
	return ok;
}

/* Keep in registers what never leaves its thread.
 *
 * requires tiles, before shared; establishes registers and new deps
 */
isl_stat poly_promote_registers(struct poly_prog *prog)
{
	bool any = false;

	for (int i = 0; i < prog->n_kernel; i++) {
		if (!prog->kernel[i]->tiled && !prog->kernel[i]->block)
			poly_keep_own_values(prog, prog->kernel[i]);
		if (!prog->kernel[i]->tiled)
			continue;
		any = true;
		if (promote_kernel(prog, prog->kernel[i]) < 0)
			return poly_isl_error(prog, "promote_registers");
	}
	return prog->original || !any ? isl_stat_ok : poly_deps_again(prog);
}
