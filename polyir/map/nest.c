/* The nest of a kernel: its statements as a mapping to tiles wants them.
 *
 * Each statement runs once at a point of the kernel's parallel loops, or, a
 * reduction, once for each step of loops of its own. What stands in which order
 * at one point follows from the dependences alone, which all keep to one point,
 * so that it does not matter how the tree says it:
 *
 *	band [i, j] 1 1				order	C_init, C_add, D
 *	  sequence				C_init	[i, j]
 *	    C_init				C_add	[i, j, k], k the reduction
 *	    band [k] C_add			D	[i, j]
 *	    D
 *
 * A reduction of whose reads some are shared by the threads along one axis of a
 * tile and others along the other is a product: worth tiles. A nest of another
 * shape is not regular.
 *
 * Everything is relations of isl: nest->map[i], { S[..] -> [p0, p1, z..] } or
 * with pk and u of a sum, and the inverse, "at". A nest is regular if each
 * statement has an affine inverse, and only reductions have loops of their own;
 * whatever else there is stays a naive kernel.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/map/map.h"

/* The walk below the points of a kernel.
 *
 * "batch[i]": loop i of them becomes a digit of the grid.
 */
struct walk {
	struct poly_nest *nest;
	bool batch[16];		/* the loops all statements share, from outside */
	int n_top;
};

/* "map", which is taken, from what "domain" has one value of: that of a gist, which
 * does not say which. The first plane of a recurrence is such, u[t = 0, i, j].
 */
static __isl_give isl_map *from_fixed(__isl_take isl_map *map,
	__isl_keep isl_set *domain)
{
	int n = isl_set_dim(domain, isl_dim_set);

	for (int d = 0; d < n; d++) {
		isl_val *v = isl_set_plain_get_val_if_fixed(domain, isl_dim_set,
			d);

		if (isl_val_is_int(v) == isl_bool_true)
			map = isl_map_fix_val(map, isl_dim_in, d, v);
		else
			isl_val_free(v);
	}
	return map;
}

/* "{ [p..] -> S[..] }", the inverse of "map", if it is affine; else NULL.
 *
 * The map comes as a relation with parameters; of several pieces the affine
 * hull is asked, since the pieces mostly differ in bounds alone.
 */
__isl_give isl_multi_aff *poly_nest_inverse(__isl_keep isl_map *map,
	const struct poly_stmt *stmt)
{
	isl_map *back = isl_map_gist_domain(isl_map_copy(map),
		isl_set_copy(stmt->domain));
	isl_pw_multi_aff *pma;

	/* Pieces of a domain may differ in what the map says of them. */
	if (isl_map_n_basic_map(back) > 1)
		back = isl_map_from_basic_map(isl_map_affine_hull(back));
	back = isl_map_reverse(from_fixed(back, stmt->domain));
	if (isl_map_is_single_valued(back) != isl_bool_true) {
		isl_map_free(back);
		return NULL;
	}
	pma = isl_pw_multi_aff_from_map(back);
	if (isl_pw_multi_aff_isa_multi_aff(pma) != isl_bool_true) {
		isl_pw_multi_aff_free(pma);
		return NULL;
	}
	return isl_pw_multi_aff_as_multi_aff(pma);
}

/* --------------------------------------------------------- one statement */

/* Replace the launch's iterators by the loops that they are: the parameter h0
 * by dimension 2 of "map", and so on.
 *
 * Takes "map". In the kernel h0 is a parameter; a nest counts launches as
 * dimensions, so that members know which launch they belong to.
 */
static __isl_give isl_map *resolve_launch(const struct poly_nest *nest,
	__isl_take isl_map *map)
{
	for (int i = 0; i < nest->n_host; i++) {
		int pos = isl_map_find_dim_by_name(map, isl_dim_param,
			poly_coordinate(nest->prog, POLY_LAUNCH + i));

		if (pos < 0)
			continue;
		map = isl_map_equate(map, isl_dim_param, pos, isl_dim_out,
			2 + i);
		map = isl_map_project_out(map, isl_dim_param, pos, 1);
	}
	return map;
}

/* Does dimension "d" of "set" follow from those before it?
 *
 * A loop that the ones outside determine runs once each: no loop.
 */
static bool is_determined(__isl_keep isl_set *set, int d)
{
	int n = isl_set_dim(set, isl_dim_set);
	isl_map *map = isl_map_from_range(isl_set_project_out(
		isl_set_copy(set), isl_dim_set, d + 1, n - d - 1));
	bool single;

	map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, d);
	single = isl_map_is_single_valued(map) == isl_bool_true;
	isl_map_free(map);
	return single;
}

/* Drop the loops of "map" behind the first "from" dimensions that do not
 * loop.
 *
 * From inside to outside, so that what is dropped does not determine anything
 * behind it any more.
 */
static __isl_give isl_map *drop_fixed(__isl_take isl_map *map, int from)
{
	isl_set *range = isl_map_range(isl_map_copy(map));

	for (int d = isl_map_dim(map, isl_dim_out) - 1; d >= from; d--) {
		if (!is_determined(range, d))
			continue;
		map = isl_map_project_out(map, isl_dim_out, d, 1);
		range = isl_set_project_out(range, isl_dim_set, d, 1);
	}
	isl_set_free(range);
	return map;
}

/* The values of "map", [x0, x1, ..], in the order "at".
 *
 * Takes "map"; "at" has a place for each value.
 */
static __isl_give isl_map *reorder(__isl_take isl_map *map, const int *at)
{
	int n = (int)isl_map_dim(map, isl_dim_out);
	isl_ctx *ctx = isl_map_get_ctx(map);
	isl_space *space = poly_add_dims(poly_tuple(ctx, NULL), "x", 0, n);
	isl_aff_list *list = isl_aff_list_alloc(ctx, n);

	for (int i = 0; i < n; i++)
		list = poly_add_at(list, space, at[i], at[i] + 1);
	return isl_map_apply_range(map, poly_function_map(space, NULL, list));
}

/* Bring the loops of "map", [p0, p1, h.., r..], into the order [p0, p1, z..,
 * r..], with the batch among the r first.
 *
 * NULL without memory.
 */
static __isl_give isl_map *batch_first(const struct walk *w,
	__isl_take isl_map *map)
{
	int n = isl_map_dim(map, isl_dim_out), first = 2 + w->nest->n_host;
	int k = 0, *at = calloc((size_t)n + 1, sizeof(*at));

	if (!at)
		return isl_map_free(map);
	while (k < first) {
		at[k] = k;
		k++;
	}
	for (int batch = 1; batch >= 0; batch--)
		for (int i = first; i < n; i++)
			if ((i - first < w->n_top && w->batch[i - first]) ==
			    batch)
				at[k++] = i;
	map = reorder(map, at);
	free(at);
	return map;
}

/* "[p0, p1, z.., r..]" with loop "k" of the r as pk: "[p0, p1, pk, z.., u..]".
 *
 * Takes "map"; "k" counts from the first reduction loop.
 */
__isl_give isl_map *poly_nest_steps_third(const struct poly_nest *nest,
	__isl_take isl_map *map, int k)
{
	int n = isl_map_dim(map, isl_dim_out), third = 2 + nest->n_outer + k;
	int *at = calloc((size_t)n + 1, sizeof(*at));

	if (!at)
		return isl_map_free(map);
	for (int i = 0; i < n; i++)
		at[i] = i < 2 ? i : i == 2 ? third : i <= third ? i - 1 : i;
	map = reorder(map, at);
	free(at);
	return map;
}

/* ------------------------------------------------------------ collecting */

/* Is coordinate 0 of "map" always 0?
 *
 * Such a statement has one axis only; p0 is free for another use
 * (poly_merge_loops).
 */
static bool is_flat(__isl_keep isl_map *map)
{
	isl_val *v = isl_map_plain_get_val_if_fixed(map, isl_dim_out, 0);
	bool flat = isl_val_is_zero(v) == isl_bool_true;

	isl_val_free(v);
	return flat;
}

/* Append the statement "stmt" with loops "map", [p0, p1, h.., r..].
 *
 * Takes "map". The order of steps: launches become dimensions, digits of the
 * batch go in front, single iterations go away, and the loop that tiles cut
 * becomes pk. Of a nest that is not regular the entry is there all the same,
 * for what frees it.
 */
static void add_point(struct walk *w, struct poly_stmt *stmt,
	__isl_take isl_map *map)
{
	struct poly_nest *nest = w->nest;
	int i = nest->n++, n;

	map = resolve_launch(nest, map);
	map = isl_map_intersect_domain(map, isl_set_copy(stmt->domain));
	map = drop_fixed(batch_first(w, map), 2 + nest->n_outer);
	n = isl_map_dim(map, isl_dim_out) - 2 - nest->n_outer;
	if (n > 0)
		map = poly_nest_steps_third(nest, map, poly_nest_choose_steps(nest, stmt, map, n));
	isl_multi_aff_free(stmt->at);
	if (is_flat(map)) {
		isl_map *any = isl_map_drop_constraints_involving_dims(
			isl_map_copy(map), isl_dim_out, 0, 1);

		stmt->at = poly_nest_inverse(any, stmt);
		isl_map_free(any);
		nest->n_flat++;
	} else {
		stmt->at = poly_nest_inverse(map, stmt);
	}
	nest->point[i] = stmt;
	nest->map[i] = map;
	nest->product[i] = n > 0;
	nest->regular &= stmt->at && n >= 0 && !stmt->atomic &&
		!poly_is_scatter(stmt) &&
		(n == 0 || stmt->reduce != POLY_OP_NONE);
}

/* Has the kernel all instances of "stmt", and are they in one place?
 *
 * A kernel that has only a part, or a statement at two leaves, has no single
 * "at".
 */
static bool is_whole(const struct poly_nest *nest,
	const struct poly_stmt *stmt)
{
	isl_set *part = isl_union_set_extract_set(nest->domain,
		isl_set_get_space(stmt->domain));
	bool whole = isl_set_is_subset(stmt->domain, part) == isl_bool_true;

	isl_set_free(part);
	for (int i = 0; i < nest->n; i++)
		whole &= nest->point[i] != stmt;
	return whole;
}

/* Append the statements that reach the leaf "node" below "loops".
 *
 * "loops" are the bands from the points down to the leaf.
 */
static void add_points(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *loops)
{
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **list = poly_stmts_of(w->nest->prog, domain, &n);

	for (int i = 0; i < n && w->nest->regular; i++) {
		isl_union_map *one;

		w->nest->regular = list[i]->kind == POLY_POINT &&
			is_whole(w->nest, list[i]);
		if (!w->nest->regular)
			break;
		one = isl_union_map_intersect_domain(
			isl_union_map_copy(loops), isl_union_set_from_set(
				isl_set_copy(list[i]->domain)));
		add_point(w, list[i], isl_map_from_union_map(one));
	}
	w->nest->regular &= list != NULL;
	free(list);
	isl_union_set_free(domain);
}

static void collect(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *loops, bool top);

/* "top" is true until a band or a list has been passed: only there all
 * statements share the loops.
 */
static void collect_child(struct walk *w, __isl_keep isl_schedule_node *node,
	int i, __isl_keep isl_union_map *loops, bool top)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);

	collect(w, child, loops, top);
	isl_schedule_node_free(child);
}

/* Note which members of the band "node", which all statements share, are
 * parallel; the first few can be digits of the grid.
 */
static void note_batch(struct walk *w, __isl_keep isl_schedule_node *node)
{
	int n = isl_schedule_node_band_n_member(node);

	for (int i = 0; i < n && w->n_top < 16; i++) {
		bool batch = w->nest->n_batch < POLY_MAX_BATCH &&
			isl_schedule_node_band_member_get_coincident(node, i)
			== isl_bool_true;

		w->batch[w->n_top++] = batch;
		w->nest->n_batch += batch;
		w->nest->n_outer += batch;
	}
}

/* Walk what stands below the points, "loops" being those above "node".
 *
 * A node of another kind, as an extension, makes the nest irregular; so do cells of a thread.
 */
static void collect(struct walk *w, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *loops, bool top)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_union_map *all;

	if (type == isl_schedule_node_leaf) {
		add_points(w, node, loops);
	} else if (type == isl_schedule_node_band) {
		if (top)
			note_batch(w, node);
		w->nest->regular &= !poly_has_cells(w->nest->kernel, node);
		all = isl_schedule_node_band_get_partial_schedule_union_map(
			node);
		all = isl_union_map_flat_range_product(
			isl_union_map_copy(loops), all);
		collect_child(w, node, 0, all, false);
		isl_union_map_free(all);
	} else if (type == isl_schedule_node_sequence ||
		   type == isl_schedule_node_set) {
		for (int i = 0; i < isl_schedule_node_n_children(node); i++)
			collect_child(w, node, i, loops, false);
	} else if (type == isl_schedule_node_filter) {
		collect_child(w, node, 0, loops, false);
	} else {
		w->nest->regular = false;
	}
}

/* -------------------------------------------------------------- the order */

/* The next of the points from "from" on that needs none of the others.
 *
 * Quadratic, for nests of a handful of statements. -1: there is a circle, so
 * that the statements cannot each run as a whole.
 */
static int next_point(const struct poly_nest *nest, int from)
{
	for (int i = from; i < nest->n; i++) {
		bool first = true;

		for (int j = from; j < nest->n && first; j++)
			first = i == j || !poly_has_pair(nest->deps,
				nest->point[j], nest->point[i]);
		if (first)
			return i;
	}
	return -1;
}

void poly_nest_move(struct poly_nest *nest, int from, int to)
{
	struct poly_stmt *point = nest->point[from];
	isl_map *map = nest->map[from];
	bool product = nest->product[from];

	for (int i = from; i > to; i--) {
		nest->point[i] = nest->point[i - 1];
		nest->map[i] = nest->map[i - 1];
		nest->product[i] = nest->product[i - 1];
	}
	nest->point[to] = point;
	nest->map[to] = map;
	nest->product[to] = product;
}

static int compare_position(const struct poly_nest *nest, int i)
{
	return poly_stmt_position(nest->prog, nest->point[i]->name);
}

/* Put the statements into an order in which each comes behind those that it
 * needs, in that of the program where nothing else decides.
 *
 * First into program order, a stable base, then by dependences.
 */
static void sort_points(struct poly_nest *nest)
{
	for (int i = 1; i < nest->n; i++) {
		int to = i;

		while (to && compare_position(nest, to - 1) >
		       compare_position(nest, i))
			to--;
		poly_nest_move(nest, i, to);
	}
	for (int i = 0; i < nest->n && nest->regular; i++) {
		int next = next_point(nest, i);

		nest->regular = next >= 0;
		if (next >= 0)
			poly_nest_move(nest, next, i);
	}
}

/* ------------------------------------------------------------------- nests */

/* The dependences that order the instances of the nest within a launch.
 *
 * Those between launches are kept by the order of launches.
 */
static __isl_give isl_union_map *launch_deps(const struct poly_nest *nest)
{
	isl_union_map *deps = poly_ordering_deps(nest->prog);

	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(nest->domain));
	deps = isl_union_map_intersect_range(deps,
		isl_union_set_copy(nest->domain));
	if (nest->n_host)
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			poly_kernel_launch(nest->prog, nest->kernel));
	return deps;
}

/* Can the statements have one coordinate alone? All of them must, and those of the
 * order of a text have not yet been tried.
 *
 * Addresses of a flat kernel have 32 bits throughout, so everything must be
 * small.
 */
static bool can_be_flat(const struct poly_nest *nest)
{
	bool can = nest->n_flat == nest->n && !nest->prog->original;

	for (int i = 0; i < nest->n; i++)
		can &= !nest->product[i] && poly_is_small(nest->prog,
			nest->point[i]);
	return can;
}

/* Collect the statements below "band", the points of the kernel.
 *
 * The maps of the statements begin with the points [p0, p1], then come the
 * launches.
 */
static void find_points(struct poly_nest *nest,
	__isl_keep isl_schedule_node *band)
{
	struct walk w = { .nest = nest };
	isl_union_map *loops, *host;

	loops = isl_schedule_node_band_get_partial_schedule_union_map(band);
	if (nest->n_host) {
		host = isl_union_map_from_multi_union_pw_aff(
			poly_kernel_launch(nest->prog, nest->kernel));
		loops = isl_union_map_flat_range_product(loops, host);
	}
	collect_child(&w, band, 0, loops, true);
	isl_union_map_free(loops);
}

/* Count the products; the nest is not regular if one of them cannot be tiled,
 * or its sum cannot stay in registers.
 *
 * One product that cannot be tiled makes the whole nest a naive kernel, as all
 * its statements share one mapping.
 */
static void look_at_products(struct poly_nest *nest)
{
	for (int i = 0; i < nest->n && nest->regular; i++) {
		if (!nest->product[i])
			continue;
		nest->n_product++;
		nest->regular = poly_nest_is_product(nest, nest->point[i]) &&
			poly_nest_can_accumulate(nest, i);
	}
}

/* The band of the points of "kernel", of two members.
 *
 * The other members, if there are more, become the band below.
 */
static __isl_give isl_schedule_node *points_band(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);

	if (isl_schedule_node_get_type(node) == isl_schedule_node_filter)
		node = isl_schedule_node_child(node, 0);
	if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
	    isl_schedule_node_band_n_member(node) > 2)
		node = isl_schedule_node_band_split(node, 2);
	return node;
}

/* NULL without memory alone; a kernel that cannot be tiled has a nest with
 * "regular" false. poly_nest_free is due. A row program is filled in first and
 * is left as it is.
 */
struct poly_nest *poly_nest_find(struct poly_prog *prog,
	struct poly_kernel *kernel)
{
	struct poly_nest *nest = calloc(1, sizeof(*nest));
	isl_schedule_node *band = points_band(prog, kernel);
	int most = prog->n_stmt + 1;

	if (!nest)
		return NULL;
	nest->prog = prog;
	nest->kernel = kernel;
	nest->n_host = nest->n_outer = poly_kernel_n_host(prog, kernel);
	nest->domain = poly_kernel_domain(prog, kernel);
	nest->deps = launch_deps(nest);
	nest->point = calloc(most, sizeof(*nest->point));
	nest->map = calloc(most, sizeof(*nest->map));
	nest->product = calloc(most, sizeof(*nest->product));
	nest->loop = calloc(most, sizeof(*nest->loop));
	nest->on_line = calloc(most, sizeof(*nest->on_line));
	nest->regular = nest->point && nest->map && nest->product &&
		nest->loop && nest->on_line && !kernel->given && poly_nest_rows(nest) == isl_bool_false &&
		isl_schedule_node_get_type(band) == isl_schedule_node_band &&
		isl_schedule_node_band_n_member(band) == 2;
	if (nest->regular)
		find_points(nest, band);
	if (nest->n_flat)
		nest->regular &= can_be_flat(nest);
	isl_schedule_node_free(band);
	if (nest->along)
		return nest;
	if (nest->regular)
		sort_points(nest);
	if (nest->regular)
		look_at_products(nest);
	if (nest->regular && poly_merge_loops(nest) < 0)
		nest->regular = false;
	if (nest->regular)
		poly_join_products(nest);
	return nest;
}

/* The statements' "at" stay with them. */
void poly_nest_free(struct poly_nest *nest)
{
	if (!nest)
		return;
	for (int i = 0; i < nest->n; i++)
		isl_map_free(nest->map[i]);
	free(nest->map);
	free(nest->point);
	free(nest->product);
	free(nest->loop);
	free(nest->on_line);
	isl_union_set_free(nest->domain);
	isl_union_map_free(nest->deps);
	free(nest);
}
