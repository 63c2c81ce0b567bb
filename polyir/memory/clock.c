/* When instances run: the numbers of the loops that go on in order around each, and of
 * the children of sequences, from outside to inside, as far as the order is one that
 * memory can rely on:
 *
 *	sequence: A | band [t], mark kernel:K, filter, band [i, j] parallel, band [k]
 *	A	[0, 0, 0]
 *	K	[1, t, 0]	launches: what a launch does, it does at one time
 *	K	[1, t, k]	inside of it, too
 *
 * Parallel loops are no time, and nothing below loops that run at one time is. The order inside of a kernel is that of one thread, or of
 * all behind a barrier: whoever relies on it has the checks look at the pairs. Tiles
 * have none.
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/memory/memory.h"

/* What stands on the way to a leaf: which instances the sequences let pass, their times,
 * and the digits of the grid that their blocks have, whatever the domains. "all" are the
 * statements there. (Filters that say which thread runs an instance take none away.)
 */
struct way {
	isl_union_set *domain, *all;
	isl_union_pw_aff_list *time, *digit;
};

/* All ways. With "inside", also the order inside of kernels counts; "n_time" is
 * the length of the longest time.
 */
struct ways {
	struct poly_prog *prog;
	bool inside;
	struct way *way;
	int n, cap, n_time;
	bool failed;
};

/* The kernel without loops of a block whose axes the band "node" has, or NULL. */
static const struct poly_kernel *kernel_of_axes(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *mark = isl_schedule_node_copy(node);
	struct poly_kernel *kernel = NULL;
	const char *name;

	for (int i = 0; i < 2; i++)
		mark = isl_schedule_node_parent(mark);
	name = poly_mark_kernel(mark);
	if (name)
		kernel = poly_prog_find_kernel(prog, name);
	isl_schedule_node_free(mark);
	return kernel && !kernel->block ? kernel : NULL;
}

/* Put what the members of the band "node" say of "way" in front. */
static void add_band(struct ways *w, struct way *way,
	__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	const struct poly_kernel *axes = kernel_of_axes(w->prog, node);

	for (int i = isl_multi_union_pw_aff_size(partial) - 1; i >= 0; i--) {
		isl_union_pw_aff *at = isl_union_pw_aff_intersect_domain(
			isl_multi_union_pw_aff_get_at(partial, i),
			isl_union_set_copy(way->all));
		bool parallel = isl_schedule_node_band_member_get_coincident(
			node, i) == isl_bool_true;

		if (axes && i >= 2 && i < 2 + axes->n_batch)
			way->digit = isl_union_pw_aff_list_insert(way->digit, 0,
				at);
		else if (!parallel)
			way->time = isl_union_pw_aff_list_insert(way->time, 0,
				at);
		else
			isl_union_pw_aff_free(at);
	}
	isl_multi_union_pw_aff_free(partial);
}

/* Put the number of the child "node" of a sequence in front, and keep what passes it. */
static void add_child(struct way *way, __isl_keep isl_schedule_node *node)
{
	isl_val *i = isl_val_int_from_si(isl_schedule_node_get_ctx(node),
		isl_schedule_node_get_child_position(node));

	way->time = isl_union_pw_aff_list_insert(way->time, 0,
		isl_union_pw_aff_val_on_domain(isl_union_set_copy(way->all), i));
	way->domain = poly_narrow(way->domain,
		isl_schedule_node_filter_get_filter(node));
}

/* Is "node" the child of a sequence? */
static bool is_child(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *parent = isl_schedule_node_parent(
		isl_schedule_node_copy(node));
	enum isl_schedule_node_type type = isl_schedule_node_get_type(parent);

	isl_schedule_node_free(parent);
	return type == isl_schedule_node_sequence;
}

/* Forget what is below the mark of a kernel, or of loops that run at one time, on whose
 * order nobody is to rely.
 */
static void forget_inside(struct ways *w, struct way *way)
{
	isl_union_pw_aff_list_free(way->time);
	way->time = isl_union_pw_aff_list_alloc(w->prog->ctx, 0);
}

/* The instances of the statements of "all". */
static __isl_give isl_union_set *domain_of(struct poly_prog *prog,
	__isl_keep isl_union_set *all)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(prog->context));
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, all, &n);

	for (int i = 0; list && i < n; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(list[i]->domain));
	free(list);
	return domain;
}

/* Note the way to "leaf". */
static void add_way(struct ways *w, __isl_keep isl_schedule_node *leaf)
{
	isl_schedule_node *node = isl_schedule_node_copy(leaf);
	struct way way = { .all = isl_schedule_node_get_universe_domain(leaf),
		.time = isl_union_pw_aff_list_alloc(w->prog->ctx, 0),
		.digit = isl_union_pw_aff_list_alloc(w->prog->ctx, 0) };
	int n;

	way.domain = domain_of(w->prog, way.all);
	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		const char *name = poly_mark_kernel(node);
		const struct poly_kernel *k = name ?
			poly_prog_find_kernel(w->prog, name) : NULL;

		if (isl_schedule_node_get_type(node) ==
		    isl_schedule_node_band)
			add_band(w, &way, node);
		if (poly_mark_is_concurrent(node) ||
		    (k && (k->tiled || !w->inside)))
			forget_inside(w, &way);
		if (is_child(node))
			add_child(&way, node);
		node = isl_schedule_node_parent(node);
	}
	isl_schedule_node_free(node);
	n = isl_union_pw_aff_list_n_union_pw_aff(way.time);
	w->n_time = n > w->n_time ? n : w->n_time;
	w->way[w->n++] = way;
}

/* Note the way to a leaf, in a new entry. */
static isl_bool add_leaf(__isl_keep isl_schedule_node *node, void *user)
{
	struct ways *w = user;
	struct way *more;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return isl_bool_true;
	if (w->n == w->cap) {
		w->cap = 2 * w->cap + 16;
		more = realloc(w->way, w->cap * sizeof(*more));
		if (!more)
			return isl_bool_error;
		w->way = more;
	}
	add_way(w, node);
	return isl_bool_false;
}

/* "list", which is taken, with zeros behind it, "n" in all, on "domain". */
static __isl_give isl_union_pw_aff_list *padded(
	__isl_take isl_union_pw_aff_list *list, int n,
	__isl_keep isl_union_set *domain)
{
	isl_val *zero = isl_val_zero(isl_union_set_get_ctx(domain));

	while (isl_union_pw_aff_list_n_union_pw_aff(list) < n)
		list = isl_union_pw_aff_list_add(list,
			isl_union_pw_aff_val_on_domain(
				isl_union_set_copy(domain),
				isl_val_copy(zero)));
	isl_val_free(zero);
	return list;
}

/* "list" as a map of the statements "all". */
static __isl_give isl_union_map *map_of(__isl_take isl_union_pw_aff_list *list,
	__isl_keep isl_union_set *all)
{
	isl_space *space = isl_space_set_from_params(
		isl_union_set_get_space(all));
	int n = isl_union_pw_aff_list_n_union_pw_aff(list);

	space = isl_space_add_dims(space, isl_dim_set, n);
	return isl_union_map_from_multi_union_pw_aff(
		isl_multi_union_pw_aff_from_union_pw_aff_list(space, list));
}

/* From the instances of "member" to those of "op" with the same coordinates outside of
 * tiles, on which times depend: whatever the tile, and so without divisions.
 */
static __isl_give isl_union_map *to_operation(const struct poly_stmt *op,
	const struct poly_stmt *member)
{
	isl_map *points, *same;
	int n = isl_set_dim(op->domain, isl_dim_set);

	if (!member->at)
		return isl_union_map_intersect_domain(
			isl_union_map_copy(op->contraction),
			isl_union_set_from_set(isl_set_universe(
				isl_set_get_space(member->domain))));
	points = poly_member_points(op, member);
	same = isl_map_from_domain_and_range(isl_set_universe(
		isl_space_range(isl_map_get_space(points))), isl_set_universe(
		isl_set_get_space(op->domain)));
	for (int i = poly_op_first_outer(op); i < n; i++)
		same = isl_map_equate(same, isl_dim_in, i, isl_dim_out, i);
	return isl_union_map_from_map(isl_map_apply_range(points, same));
}

/* "of", for instances in the tree, for the members of tile operations, too. */
static __isl_give isl_union_map *with_members(struct poly_prog *prog,
	__isl_take isl_union_map *of)
{
	isl_union_map *all = isl_union_map_copy(of);

	for (int i = 0; i < prog->n_stmt; i++)
		for (int m = 0; m < prog->stmt[i]->n_member; m++)
			all = isl_union_map_union(all,
				isl_union_map_apply_range(to_operation(
					prog->stmt[i],
					prog->stmt[i]->member[m]),
					isl_union_map_copy(of)));
	isl_union_map_free(of);
	return all;
}

/* Add what "way" says to "to", with "n" numbers, for the hull of the domain, of which isl
 * takes less time to say something; or that of the block, too, for all points for which
 * the equations of the domain hold.
 */
static __isl_give isl_union_map *add_to(__isl_take isl_union_map *to,
	const struct way *way, int n, bool block)
{
	isl_union_pw_aff_list *list = padded(
		isl_union_pw_aff_list_copy(way->time), n, way->all);
	isl_union_set *domain = isl_union_set_copy(way->domain);

	if (block) {
		list = isl_union_pw_aff_list_concat(list, padded(
			isl_union_pw_aff_list_copy(way->digit), POLY_MAX_BATCH,
			way->all));
		domain = isl_union_set_affine_hull(domain);
	} else {
		domain = isl_union_set_simple_hull(domain);
	}
	return isl_union_map_union(to, isl_union_map_intersect_domain(
		map_of(list, way->all), domain));
}

static void free_ways(struct ways *w)
{
	for (int i = 0; i < w->n; i++) {
		isl_union_set_free(w->way[i].domain);
		isl_union_set_free(w->way[i].all);
		isl_union_pw_aff_list_free(w->way[i].time);
		isl_union_pw_aff_list_free(w->way[i].digit);
	}
	free(w->way);
}

isl_stat poly_clock_read(struct poly_prog *prog, bool inside,
	struct poly_clock *clock)
{
	struct ways w = { .prog = prog, .inside = inside, .n_time = 1 };
	isl_schedule_node *root = isl_schedule_get_root(prog->schedule);
	isl_stat ok = isl_schedule_node_foreach_descendant_top_down(root,
		add_leaf, &w);

	isl_schedule_node_free(root);
	clock->inside = inside;
	clock->time = isl_union_map_empty(isl_set_get_space(prog->context));
	clock->block = isl_union_map_copy(clock->time);
	for (int i = 0; i < w.n; i++) {
		clock->time = add_to(clock->time, &w.way[i], w.n_time, false);
		clock->block = add_to(clock->block, &w.way[i], w.n_time, true);
	}
	free_ways(&w);
	clock->time = with_members(prog, clock->time);
	clock->block = with_members(prog, clock->block);
	return ok == isl_stat_ok && clock->time && clock->block ?
		isl_stat_ok : isl_stat_error;
}

void poly_clock_free(struct poly_clock *clock)
{
	clock->time = isl_union_map_free(clock->time);
	clock->block = isl_union_map_free(clock->block);
}
