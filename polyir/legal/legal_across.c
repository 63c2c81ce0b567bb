/* Statements that threads run together, across the lanes of a naive kernel.
 *
 * The W threads of a group lie side by side along t1, in one warp or as a whole
 * block, or along t0, as a column of the block. They run such a statement at one
 * time, so that each must have an instance whenever one has, and all of these
 * must be of one cell:
 *
 *	end[i, l]: s[i] += p[i, l]	at [i, l], W = 32: right
 *					at [i, l], W = 16: s[i] has two groups
 *					l < 31 only: one thread waits for ever
 *
 * What is written is written by the first of them. So, for a dependence that
 * comes from or goes to what is written there, an instance is at the point of
 * that thread, for others at its own.
 *
 * A register that point statements use has no digits: a thread has one of it.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"


/* "[p0, p1, h..] -> [p1, floor(p0/64), h..]" for "d" 0 and "n" 64: the row of "n"
 * points along dimension "d" that a point is in.
 */
static __isl_give isl_map *row_of(__isl_keep isl_space *point, int d, int n)
{
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(point), 3);

	list = isl_aff_list_add(list, poly_at(point, "p%d", 1 - d));
	list = isl_aff_list_add(list, poly_floor(poly_at(point, "p%d", d), n));
	list = poly_add_at(list, point, 2, (int)isl_space_dim(point,
		isl_dim_set));
	return isl_map_from_multi_aff(poly_function(point, NULL, list));
}

/* From each point to those of the same row. */
static __isl_give isl_map *along_row(__isl_keep isl_space *point, int d, int n)
{
	isl_map *row = row_of(point, d, n);

	return isl_map_apply_range(row, isl_map_reverse(isl_map_copy(row)));
}

/* To the points that differ in dimension "d" alone, of which "n" in a row belong
 * together, or to the first of them.
 */
static __isl_give isl_union_map *to_row(isl_ctx *ctx, int n_host, int d, int n,
	bool first)
{
	isl_space *point = poly_point_tuple(ctx, n_host);
	isl_map *map = along_row(point, d, n);

	if (first)
		map = isl_map_intersect_range(map, isl_pw_aff_zero_set(
			isl_pw_aff_from_aff(poly_modulo(
				poly_at(point, "p%d", d), n))));
	isl_space_free(point);
	return isl_union_map_from_map(map);
}

/* From points with their launch to all of the group of "s" that each is in, or to
 * the first of it.
 */
static __isl_give isl_union_map *to_group(isl_ctx *ctx, int n_host,
	const struct poly_stmt *s, bool first)
{
	return to_row(ctx, n_host, s->down ? 0 : 1, s->across, first);
}

static __isl_give isl_union_set *domain_of(const struct poly_stmt *s)
{
	return isl_union_set_from_set(isl_set_copy(s->domain));
}

__isl_give isl_union_map *poly_writing_points(struct poly_prog *prog,
	__isl_take isl_union_map *points)
{
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];
		isl_union_map *own;

		if (!s->across)
			continue;
		own = isl_union_map_intersect_domain(
			isl_union_map_copy(points), domain_of(s));
		points = isl_union_map_subtract_domain(points, domain_of(s));
		points = isl_union_map_union(points,
			isl_union_map_apply_range(own,
				to_group(prog->ctx, 0, s, true)));
	}
	return points;
}

/* Add to "pairs" those of "flow" from another array's writer to "s", and those
 * of "anti" from "s" to such.
 */
static __isl_give isl_union_map *add_reads(__isl_take isl_union_map *pairs,
	struct poly_prog *prog, const struct poly_stmt *s,
	__isl_keep isl_union_map *flow, __isl_keep isl_union_map *anti)
{
	isl_union_set *others = isl_union_set_empty(
		isl_set_get_space(prog->context));
	isl_union_map *to, *from;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    prog->stmt[i]->write_array != s->write_array)
			others = isl_union_set_union(others,
				domain_of(prog->stmt[i]));
	to = isl_union_map_intersect_range(isl_union_map_copy(flow),
		domain_of(s));
	to = isl_union_map_intersect_domain(to, isl_union_set_copy(others));
	from = isl_union_map_intersect_domain(isl_union_map_copy(anti),
		domain_of(s));
	from = isl_union_map_intersect_range(from, others);
	return isl_union_map_union(pairs, isl_union_map_union(to, from));
}

__isl_give isl_union_map *poly_across_reads(struct poly_prog *prog)
{
	isl_union_map *pairs = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->across)
			pairs = add_reads(pairs, prog, prog->stmt[i],
				prog->deps.flow, prog->deps.anti);
	return pairs;
}

/* Where the instances of "s" are, with their launch: "{ S[..] -> [p0, p1, h..]
 * }".
 */
static __isl_give isl_union_map *places_of(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *s,
	__isl_take isl_union_map *points)
{
	isl_union_map *own = isl_union_map_intersect_domain(points,
		domain_of(s));

	if (poly_kernel_n_host(prog, k) > 0)
		own = isl_union_map_flat_range_product(own,
			isl_union_map_from_multi_union_pw_aff(
				poly_kernel_launch(prog, k)));
	return own;
}

__isl_give isl_union_map *poly_same_image(__isl_take isl_union_map *map)
{
	isl_union_map *back = isl_union_map_reverse(isl_union_map_copy(map));

	return isl_union_map_apply_range(map, back);
}

/* "{ S[..] -> S[..] }": of the first thread for each one of its group, where "k"
 * runs "s"; "points" are those of "k".
 */
static __isl_give isl_union_map *first_instances(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *s,
	__isl_take isl_union_map *points)
{
	isl_union_map *at = places_of(prog, k, s, points);
	isl_union_map *back = isl_union_map_reverse(isl_union_map_copy(at));

	at = isl_union_map_apply_range(at, to_group(prog->ctx,
		poly_kernel_n_host(prog, k), s, true));
	return isl_union_map_apply_range(at, back);
}

/* The dependences "deps", which are taken, with the instances of "s" replaced
 * by those of the first threads, where "k" runs it.
 */
static __isl_give isl_union_map *replace(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *s,
	__isl_take isl_union_map *deps)
{
	isl_schedule_node *node = poly_kernel_node(prog, k);
	isl_union_map *first, *pairs;

	node = isl_schedule_node_child(node, 0);
	first = first_instances(prog, k, s,
		isl_union_map_project_out_all_params(
			poly_kernel_points(k, node)));
	isl_schedule_node_free(node);
	if (isl_union_map_is_empty(first) == isl_bool_true) {
		isl_union_map_free(first);
		return deps;
	}
	pairs = isl_union_map_intersect_domain(isl_union_map_copy(deps),
		domain_of(s));
	deps = isl_union_map_subtract_domain(deps, domain_of(s));
	deps = isl_union_map_union(deps, isl_union_map_apply_domain(pairs,
		isl_union_map_copy(first)));
	pairs = isl_union_map_intersect_range(isl_union_map_copy(deps),
		domain_of(s));
	deps = isl_union_map_subtract_range(deps, domain_of(s));
	return isl_union_map_union(deps, isl_union_map_apply_range(pairs,
		first));
}

/* "deps", which are taken, with those of the statements of "k" replaced. */
static __isl_give isl_union_map *replace_all(struct poly_prog *prog,
	const struct poly_kernel *k, __isl_take isl_union_map *deps)
{
	int n;
	struct poly_stmt **list = poly_kernel_stmts(prog, k, &n);

	for (int i = 0; i < n; i++)
		if (list[i]->across)
			deps = replace(prog, k, list[i], deps);
	free(list);
	return deps;
}

__isl_give isl_union_map *poly_first_threads(struct poly_prog *prog,
	__isl_take isl_union_map *deps)
{
	isl_union_map *reads;
	bool any = false;

	for (int i = 0; i < prog->n_stmt; i++)
		any |= prog->stmt[i]->across > 0;
	if (!any || !(prog->have & POLY_HAVE_MAPPING))
		return deps;
	reads = isl_union_map_intersect(poly_across_reads(prog),
		isl_union_map_copy(deps));
	deps = isl_union_map_subtract(deps, isl_union_map_copy(reads));
	for (int k = 0; k < prog->n_kernel; k++)
		if (!prog->kernel[k]->tiled && !prog->kernel[k]->block)
			deps = replace_all(prog, prog->kernel[k], deps);
	return isl_union_map_union(deps, reads);
}

/* Pairs of instances of "s" that a group cannot run together: another cell, or
 * with itself one that has no partner at some lane, or several at one.
 */
static __isl_give isl_union_map *wrong_groups(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt *s,
	__isl_keep isl_union_map *points)
{
	isl_union_map *at = places_of(prog, k, s, isl_union_map_copy(points));
	isl_union_map *group = to_group(prog->ctx,
		poly_kernel_n_host(prog, k), s, false);
	isl_union_map *cell = isl_union_map_from_map(poly_stmt_write(s));
	isl_union_map *back = isl_union_map_reverse(isl_union_map_copy(at));
	isl_union_map *pairs, *wrong, *lanes;
	isl_union_set *lone;

	lanes = isl_union_map_apply_range(isl_union_map_copy(at), group);
	lone = isl_union_map_domain(isl_union_map_subtract_range(
		isl_union_map_copy(lanes),
		isl_union_map_range(isl_union_map_copy(at))));
	wrong = isl_union_set_identity(lone);
	pairs = isl_union_map_apply_range(lanes, isl_union_map_copy(back));
	wrong = isl_union_map_union(wrong,
		isl_union_map_subtract(pairs, poly_same_image(cell)));
	pairs = isl_union_map_apply_range(at, back);
	lone = isl_union_map_domain(isl_union_map_copy(pairs));
	return isl_union_map_union(wrong, isl_union_map_subtract(pairs,
		isl_union_set_identity(lone)));
}

/* Do the groups of "s" lie in one warp of "k" each, or are they its block, or
 * the columns of its block?
 */
static bool has_groups(const struct poly_kernel *k, const struct poly_stmt *s)
{
	const int *n = k->thread;

	if (k->tiled || k->block ||
	    (n[1] % POLY_LANES != 0 && POLY_LANES % n[1] != 0))
		return false;
	if (s->down)
		return n[0] == s->across && n[0] * n[1] % POLY_LANES == 0;
	return s->across > POLY_LANES ? n[0] == 1 && n[1] == s->across :
		n[1] % s->across == 0;
}

/* From points with their launch to those of their block's row before them, or
 * behind them.
 */
static __isl_give isl_union_map *beside(isl_ctx *ctx, int n_host, int columns,
	bool behind)
{
	isl_space *point = poly_point_tuple(ctx, n_host);
	isl_map *map = along_row(point, 1, columns);

	isl_space_free(point);
	return isl_union_map_from_map(behind ?
		isl_map_order_lt(map, isl_dim_in, 1, isl_dim_out, 1) :
		isl_map_order_gt(map, isl_dim_in, 1, isl_dim_out, 1));
}

/* Points with columns of "own" on both sides in a block of "columns", which "own"
 * lacks itself: no other column could do what these have to.
 */
static __isl_give isl_union_set *holes(isl_ctx *ctx, int n_host, int columns,
	__isl_keep isl_union_set *own)
{
	isl_union_set *before = isl_union_set_apply(isl_union_set_copy(own),
		beside(ctx, n_host, columns, false));
	isl_union_set *behind = isl_union_set_apply(isl_union_set_copy(own),
		beside(ctx, n_host, columns, true));

	before = isl_union_set_intersect(before, behind);
	return isl_union_set_subtract(before, isl_union_set_copy(own));
}

/* Instances of "k" in columns that "s" lacks of a block that runs "s", and those
 * in front of such, with themselves: the threads there would not come to where
 * all of the block wait.
 */
static __isl_give isl_union_map *lone_columns(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *s,
	__isl_keep isl_union_map *points)
{
	isl_union_map *at = isl_union_map_intersect_domain(
		isl_union_map_copy(points), poly_kernel_domain(prog, k));
	int n_host = poly_kernel_n_host(prog, k);
	isl_union_set *own, *all, *lack;
	isl_union_map *front;

	if (n_host > 0)
		at = isl_union_map_flat_range_product(at,
			isl_union_map_from_multi_union_pw_aff(
				poly_kernel_launch(prog, k)));
	at = isl_union_map_apply_range(at, to_group(prog->ctx, n_host, s,
		true));
	own = isl_union_set_apply(domain_of(s), isl_union_map_copy(at));
	lack = holes(prog->ctx, n_host, k->thread[1], own);
	front = isl_union_map_intersect_range(beside(prog->ctx, n_host,
		k->thread[1], true), lack);
	lack = isl_union_set_intersect(isl_union_map_domain(front),
		isl_union_set_copy(own));
	all = isl_union_set_apply(isl_union_set_copy(own), to_row(prog->ctx,
		n_host, 1, k->thread[1], false));
	lack = isl_union_set_union(lack, isl_union_set_subtract(all, own));
	at = isl_union_map_intersect_range(at, lack);
	return isl_union_set_identity(isl_union_map_domain(at));
}

/* The accesses of the "n" statements "op" that are of points. */
static __isl_give isl_union_map *accesses_of(struct poly_prog *prog,
	struct poly_stmt **op, int n)
{
	isl_union_map *access = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < n; i++) {
		if (op[i]->kind != POLY_POINT)
			continue;
		access = isl_union_map_union(access, poly_stmt_reads(op[i]));
		access = isl_union_map_union(access, isl_union_map_from_map(
			poly_stmt_write(op[i])));
	}
	return access;
}

/* Pairs of instances that need two elements of the register "a" at a point, by
 * "all", the accesses of "k".
 */
static __isl_give isl_union_map *two_elements(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_array *a,
	__isl_keep isl_union_map *all, __isl_keep isl_union_map *points)
{
	isl_union_map *access = isl_union_map_intersect_range(
		isl_union_map_copy(all),
		isl_union_set_from_set(poly_array_box(a, 0)));
	isl_union_map *at = isl_union_map_copy(points);

	at = isl_union_map_intersect_domain(at, isl_union_map_domain(
		isl_union_map_copy(access)));
	if (poly_kernel_n_host(prog, k) > 0)
		at = isl_union_map_flat_range_product(at,
			isl_union_map_from_multi_union_pw_aff(
				poly_kernel_launch(prog, k)));
	return isl_union_map_subtract(poly_same_image(at), poly_same_image(access));
}

/* Has each thread one element at most of each register of "k", whose statements
 * are the "n" of "op"?
 */
static isl_stat check_elements(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass, __isl_keep isl_union_map *points)
{
	isl_union_map *all = accesses_of(prog, op, n);
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < prog->n_array && ok == isl_stat_ok; i++)
		if (prog->array[i]->space == POLY_REGISTER)
			ok = poly_refuse_pairs(prog, MSG_POLY_REGISTER, pass,
				two_elements(prog, k, prog->array[i], all,
					points));
	isl_union_map_free(all);
	return ok;
}

isl_stat poly_check_across(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass, __isl_keep isl_union_map *points)
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < n && ok == isl_stat_ok; i++) {
		if (!op[i]->across)
			continue;
		if (has_groups(k, op[i]))
			ok = poly_refuse_pairs(prog, MSG_POLY_OWNER, pass,
				wrong_groups(prog, k, op[i], points));
		else
			ok = poly_refuse_pairs(prog, MSG_POLY_OWNER, pass,
				isl_union_set_identity(domain_of(op[i])));
		if (ok == isl_stat_ok && op[i]->down)
			ok = poly_refuse_pairs(prog, MSG_POLY_OWNER, pass,
				lone_columns(prog, k, op[i], points));
	}
	if (ok == isl_stat_ok && !k->tiled)
		ok = check_elements(prog, k, op, n, pass, points);
	return ok;
}

/* The only statement but "s" that writes the array of "s"; NULL: another number.
 */
static struct poly_stmt *other_writer(const struct poly_prog *prog,
	const struct poly_stmt *s)
{
	struct poly_stmt *other = NULL;

	for (int i = 0; i < prog->n_stmt; i++) {
		if (prog->stmt[i] == s ||
		    prog->stmt[i]->write_array != s->write_array)
			continue;
		if (other)
			return NULL;
		other = prog->stmt[i];
	}
	return other;
}

/* Is "a" a part of "b"? Both are taken. */
static bool is_part(__isl_take isl_union_map *a, __isl_take isl_union_map *b)
{
	bool is = isl_union_map_is_subset(a, b) == isl_bool_true;

	isl_union_map_free(a);
	isl_union_map_free(b);
	return is;
}

struct poly_stmt *poly_across_start(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt *s)
{
	struct poly_stmt *start = other_writer(prog, s);
	isl_schedule_node *node;
	isl_union_map *points, *from, *to, *flow, *same;
	bool is;

	if (!start || start->kind != POLY_POINT ||
	    start->reduce != POLY_OP_NONE || !prog->deps.flow)
		return NULL;
	node = isl_schedule_node_child(poly_kernel_node(prog, k), 0);
	points = isl_union_map_project_out_all_params(
		poly_kernel_points(k, node));
	isl_schedule_node_free(node);
	from = places_of(prog, k, start, isl_union_map_copy(points));
	to = isl_union_map_apply_range(places_of(prog, k, s, points),
		to_group(prog->ctx, poly_kernel_n_host(prog, k), s, true));
	flow = isl_union_map_intersect_domain(isl_union_map_intersect_range(
		isl_union_map_copy(prog->deps.flow), domain_of(s)),
		domain_of(start));
	same = isl_union_map_apply_range(isl_union_map_copy(from),
		isl_union_map_reverse(isl_union_map_copy(to)));
	is = is_part(isl_union_set_identity(domain_of(s)),
		isl_union_set_identity(isl_union_map_range(
			isl_union_map_copy(flow)))) &&
		is_part(isl_union_map_copy(flow), isl_union_map_copy(same)) &&
		is_part(poly_same_image(isl_union_map_copy(from)),
			isl_union_set_identity(domain_of(start))) &&
		is_part(poly_same_image(isl_union_map_from_map(
			poly_stmt_write(s))),
			poly_same_image(isl_union_map_copy(to)));
	isl_union_map_free(from);
	isl_union_map_free(to);
	isl_union_map_free(flow);
	isl_union_map_free(same);
	return is ? start : NULL;
}
