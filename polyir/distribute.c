/* Which statements share a kernel.
 *
 * isl fuses as long as one outer loop stays parallel. For a point-wise
 * producer of a product's operand that is too much: in
 *
 *	E = A + B; F = C + D; G = E * F
 *
 * it fuses E with the product along i only, and the product has one parallel
 * dimension left. A kernel needs two, for its blocks and threads. So a nest of
 * isl's tree whose two outermost loops are parallel for all its statements is
 * kept, and any other is taken apart: its statements, in program order, go to
 * the current kernel as long as isl, asked about the kernel alone, still finds
 * two parallel outer loops of one and the same range; else a new one begins.
 *
 *	before: sequence            after: sequence
 *	          F: band 1 1                mark kernel:F > band 1 1
 *	          E,G: band 1                mark kernel:E > band 1 1
 *	            sequence ...             mark kernel:G > band 1 1 > seq ...
 */
#include <stdlib.h>
#include <string.h>

#include "polyir_internal.h"

/* The tile space's range of statement "s" in the first two members of the
 * band "node": a set "{ [p0, p1] }".
 */
static __isl_give isl_set *point_range(__isl_keep isl_schedule_node *node,
	struct poly_stmt *s)
{
	isl_union_map *map =
		isl_schedule_node_band_get_partial_schedule_union_map(node);
	isl_set *set;
	int n;

	map = isl_union_map_intersect_domain(map,
		isl_union_set_from_set(isl_set_copy(s->domain)));
	set = isl_set_from_union_set(isl_union_map_range(map));
	n = isl_set_dim(set, isl_dim_set);
	set = isl_set_project_out(set, isl_dim_set, 2, n - 2);
	return isl_set_reset_tuple_id(set);
}

/* Are "a" and "b" equal wherever the sizes let both be nonempty? */
static isl_bool same_range(__isl_keep isl_set *a, __isl_keep isl_set *b)
{
	isl_set *pa = isl_set_params(isl_set_copy(a));
	isl_set *pb = isl_set_params(isl_set_copy(b));
	isl_bool equal;

	a = isl_set_intersect_params(isl_set_copy(a), pb);
	b = isl_set_intersect_params(isl_set_copy(b), pa);
	equal = isl_set_is_equal(a, b);
	isl_set_free(a);
	isl_set_free(b);
	return equal;
}

static isl_bool ranges_agree(struct poly_prog *prog,
	__isl_keep isl_schedule_node *band)
{
	isl_union_set *domain = isl_schedule_node_get_domain(band);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	isl_set *first = n ? point_range(band, list[0]) : NULL;
	isl_bool ok = isl_bool_ok(n > 0);

	for (int i = 1; i < n && ok == isl_bool_true; i++) {
		isl_set *range = point_range(band, list[i]);

		ok = same_range(first, range);
		isl_set_free(range);
	}
	isl_set_free(first);
	isl_union_set_free(domain);
	free(list);
	return ok;
}

/* Can the tree below "node" become a kernel: a band whose first two members
 * are parallel and have one range for all statements?
 */
static isl_bool is_kernel(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return isl_bool_false;
	if (isl_schedule_node_band_n_member(node) < 2)
		return isl_bool_false;
	for (int i = 0; i < 2; i++)
		if (!isl_schedule_node_band_member_get_coincident(node, i))
			return isl_bool_false;
	return ranges_agree(prog, node);
}

static isl_bool is_kernel_schedule(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule)
{
	isl_schedule_node *node = isl_schedule_get_root(schedule);
	isl_bool ok;

	node = isl_schedule_node_child(node, 0);
	ok = is_kernel(prog, node);
	isl_schedule_node_free(node);
	return ok;
}

/* ----------------------------------------------------------------- building */

struct build {
	struct poly_prog *prog;
	isl_schedule *schedule;	/* of the kernels so far */
};

/* Yet unmapped, the kernel whose outer band is "band" has a tile a point. */
static isl_stat set_grid(struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band)
{
	isl_union_map *points;

	if (isl_schedule_node_get_type(band) != isl_schedule_node_band ||
	    isl_schedule_node_band_n_member(band) < 2)
		return isl_stat_error;
	points = poly_kernel_points(band);
	return poly_kernel_set_grid(kernel, isl_set_coalesce(
		isl_set_from_union_set(isl_union_map_range(points))));
}

/* Append "schedule" as a kernel named after the last array it writes. */
static isl_stat add_kernel(struct build *b, __isl_take isl_schedule *schedule)
{
	isl_union_set *domain = isl_schedule_get_domain(schedule);
	int n;
	struct poly_stmt **list = poly_stmts_of(b->prog, domain, &n);
	struct poly_kernel *kernel = NULL;
	isl_schedule_node *node;

	isl_union_set_free(domain);
	if (n) {
		char *name = poly_unique_name(b->prog, b->prog->name,
			list[n - 1]->write_array->name);

		kernel = name ? poly_prog_add_kernel(b->prog, name) : NULL;
		free(name);
	}
	free(list);
	if (!kernel) {
		isl_schedule_free(schedule);
		return isl_stat_error;
	}
	node = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
	isl_schedule_free(schedule);
	if (set_grid(kernel, node) < 0) {
		isl_schedule_node_free(node);
		return isl_stat_error;
	}
	node = poly_insert_kernel_mark(node, kernel->name);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (b->schedule)
		schedule = isl_schedule_sequence(b->schedule, schedule);
	b->schedule = schedule;
	return schedule ? isl_stat_ok : isl_stat_error;
}

/* The instances of the statements that write what "list[from]" writes, from
 * "from" on: a reduction stays with its initialisation. "*to" receives the
 * index past the last of them.
 */
static __isl_give isl_union_set *atom(struct poly_stmt **list, int n,
	int from, int *to)
{
	isl_union_set *domain = isl_union_set_from_set(
		isl_set_copy(list[from]->domain));

	*to = from + 1;
	while (*to < n && list[*to]->write_array == list[from]->write_array) {
		domain = isl_union_set_add_set(domain,
			isl_set_copy(list[*to]->domain));
		(*to)++;
	}
	return domain;
}

/* Take a nest apart into kernels. */
static isl_stat add_apart(struct build *b, __isl_take isl_union_set *nest)
{
	int n, to;
	struct poly_stmt **list = poly_stmts_of(b->prog, nest, &n);
	isl_union_set *group = NULL;
	isl_schedule *accepted = NULL;
	isl_stat ok = list ? isl_stat_ok : isl_stat_error;

	isl_union_set_free(nest);
	for (int i = 0; i < n && ok == isl_stat_ok; i = to) {
		isl_union_set *a = atom(list, n, i, &to);
		isl_union_set *both = isl_union_set_copy(a);
		isl_schedule *s;

		if (group)
			both = isl_union_set_union(both,
				isl_union_set_copy(group));
		s = poly_schedule_domain(b->prog, isl_union_set_copy(both));
		if (group && is_kernel_schedule(b->prog, s) != isl_bool_true) {
			ok = add_kernel(b, accepted);
			isl_schedule_free(s);
			isl_union_set_free(both);
			both = isl_union_set_copy(a);
			s = poly_schedule_domain(b->prog,
				isl_union_set_copy(a));
		} else {
			isl_schedule_free(accepted);
		}
		isl_union_set_free(group);
		isl_union_set_free(a);
		group = both;
		accepted = s;
	}
	isl_union_set_free(group);
	free(list);
	if (ok == isl_stat_ok)
		return add_kernel(b, accepted);
	isl_schedule_free(accepted);
	return isl_stat_error;
}

/* Keep the nest at "node" as it is. */
static isl_stat add_whole(struct build *b, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_set *nest)
{
	isl_schedule_node *dst = isl_schedule_node_from_domain(nest);
	isl_schedule *schedule;

	dst = isl_schedule_node_child(dst, 0);
	dst = poly_tree_copy(dst, node);
	schedule = isl_schedule_node_get_schedule(dst);
	isl_schedule_node_free(dst);
	return add_kernel(b, schedule);
}

/* Add the nests at and below "node": the children of sequences and sets, in
 * order, that are neither.
 */
static isl_stat add_nests(struct build *b, __isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_union_set *nest;
	isl_bool whole;

	if (type == isl_schedule_node_sequence ||
	    type == isl_schedule_node_set) {
		int n = isl_schedule_node_n_children(node);
		isl_stat ok = isl_stat_ok;

		for (int i = 0; i < n && ok == isl_stat_ok; i++) {
			isl_schedule_node *c =
				isl_schedule_node_get_child(node, i);

			c = isl_schedule_node_child(c, 0);
			ok = add_nests(b, c);
			isl_schedule_node_free(c);
		}
		return ok;
	}
	nest = isl_schedule_node_get_domain(node);
	whole = is_kernel(b->prog, node);
	if (whole < 0) {
		isl_union_set_free(nest);
		return isl_stat_error;
	}
	return whole ? add_whole(b, node, nest) : add_apart(b, nest);
}

/* Put every statement into a kernel with two parallel outer loops.
 *
 * requires deps, schedule; establishes kernels
 */
isl_stat poly_distribute(struct poly_prog *prog)
{
	struct build b = { prog, NULL };
	isl_schedule_node *node;
	isl_stat ok;

	if (!prog->n_stmt)
		return isl_stat_ok;
	node = isl_schedule_get_root(prog->schedule);
	node = isl_schedule_node_child(node, 0);
	ok = add_nests(&b, node);
	isl_schedule_node_free(node);
	if (ok < 0) {
		isl_schedule_free(b.schedule);
		return poly_isl_error(prog, "poly_distribute");
	}
	return poly_set_schedule(prog, b.schedule);
}
