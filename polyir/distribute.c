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
 * kept, and any other is taken apart: each of its statements, in program order,
 * joins the latest kernel for which isl, asked about the two alone, finds two
 * parallel outer loops of one and the same range, and whose accumulators still
 * fit into registers; but none before a kernel that computes what it needs.
 * Otherwise it begins a new one.
 *
 *	before: sequence            after: sequence
 *	          F: band 1 1                mark kernel:F > band 1 1
 *	          E,G: band 1                mark kernel:E > band 1 1
 *	            sequence ...             mark kernel:G > band 1 1 > seq ...
 */
#include <stdlib.h>
#include <string.h>

#include "polyir_internal.h"

/* On the search for a group to join: how many are tried, latest first. */
#define GROUP_TRIES 8

/* ----------------------------------------------------------------- building */

/* A kernel to be: its statement instances and their schedule. */
struct group {
	isl_union_set *domain;
	isl_schedule *schedule;
	int n;			/* statements */
};

/* The groups, in an order of execution. */
struct build {
	struct poly_prog *prog;
	struct group *group;
	int n;
};

static isl_stat add_group(struct build *b, __isl_take isl_union_set *domain,
	__isl_take isl_schedule *schedule)
{
	struct group *g = &b->group[b->n++];

	g->domain = domain;
	g->schedule = schedule;
	g->n = isl_union_set_n_set(domain);
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

/* The first group that "atom" may join: the last one it needs values of. */
static int first_group(struct build *b, __isl_keep isl_union_set *atom)
{
	isl_union_map *flow = isl_union_map_intersect_range(
		isl_union_map_copy(b->prog->deps.flow),
		isl_union_set_copy(atom));
	isl_union_set *needed = isl_union_map_domain(flow);
	int i = b->n - 1;

	while (i > 0 && isl_union_set_is_disjoint(needed,
		b->group[i].domain) == isl_bool_true)
		i--;
	isl_union_set_free(needed);
	return i < 0 ? 0 : i;
}

/* Let "atom" join group "g" if the two make one kernel. */
static isl_bool join(struct build *b, struct group *g,
	__isl_keep isl_union_set *atom)
{
	isl_union_set *both;
	isl_schedule *schedule;

	if (g->n >= POLY_FIT_STATEMENTS)
		return isl_bool_false;
	both = isl_union_set_union(isl_union_set_copy(g->domain),
		isl_union_set_copy(atom));
	schedule = poly_schedule_domain(b->prog, isl_union_set_copy(both));
	if (!schedule || poly_fit_schedule(b->prog, schedule) != POLY_FIT) {
		isl_union_set_free(both);
		isl_schedule_free(schedule);
		return isl_bool_false;
	}
	isl_union_set_free(g->domain);
	isl_schedule_free(g->schedule);
	g->domain = both;
	g->schedule = schedule;
	g->n = isl_union_set_n_set(both);
	return isl_bool_true;
}

/* Put "atom" into the latest group that takes it, or into one of its own. */
static isl_stat place_atom(struct build *b, __isl_take isl_union_set *atom)
{
	int first = first_group(b, atom), i;

	if (first < b->n - GROUP_TRIES)
		first = b->n - GROUP_TRIES;
	for (i = b->n - 1; i >= first; i--)
		if (join(b, &b->group[i], atom) == isl_bool_true)
			break;
	if (i < first) {
		isl_schedule *own = poly_schedule_domain(b->prog,
			isl_union_set_copy(atom));

		return add_group(b, atom, own);
	}
	isl_union_set_free(atom);
	return isl_stat_ok;
}

/* Take a nest apart into kernels. */
static isl_stat add_apart(struct build *b, __isl_take isl_union_set *nest)
{
	int n, to;
	struct poly_stmt **list = poly_stmts_of(b->prog, nest, &n);
	isl_stat ok = list ? isl_stat_ok : isl_stat_error;

	isl_union_set_free(nest);
	for (int i = 0; i < n && ok == isl_stat_ok; i = to)
		ok = place_atom(b, atom(list, n, i, &to));
	free(list);
	return ok;
}

/* Keep the nest at "node" as it is. */
static isl_stat add_whole(struct build *b, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_set *nest)
{
	isl_schedule_node *dst =
		isl_schedule_node_from_domain(isl_union_set_copy(nest));
	isl_schedule *schedule;

	dst = isl_schedule_node_child(dst, 0);
	dst = poly_tree_copy(dst, node);
	schedule = isl_schedule_node_get_schedule(dst);
	isl_schedule_node_free(dst);
	return add_group(b, nest, schedule);
}

/* Add the nests at and below "node": the children of sequences and sets, in
 * order, that are neither.
 */
static isl_stat add_nests(struct build *b, __isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_union_set *nest;
	enum poly_fit fit;

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
	nest = poly_node_domain(node);
	fit = poly_fit_node(b->prog, node);
	if (fit == POLY_FIT_ERROR) {
		isl_union_set_free(nest);
		return isl_stat_error;
	}
	return fit == POLY_FIT ? add_whole(b, node, nest) : add_apart(b, nest);
}

/* ---------------------------------------------------------------- kernels */

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

/* The schedule of "g" as that of a kernel. */
static __isl_give isl_schedule *mark_kernel(struct poly_prog *prog,
	const struct group *g)
{
	struct poly_kernel *kernel = poly_kernel_add(prog, g->domain);
	isl_schedule_node *node;
	isl_schedule *schedule;

	if (!kernel)
		return NULL;
	node = isl_schedule_get_root(g->schedule);
	node = isl_schedule_node_child(node, 0);
	if (set_grid(kernel, node) < 0)
		node = isl_schedule_node_free(node);
	node = poly_insert_kernel_mark(node, kernel->name);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* The kernels one after another. */
static __isl_give isl_schedule *sequence(struct build *b)
{
	isl_schedule *all = NULL;

	for (int i = 0; i < b->n; i++) {
		isl_schedule *one = mark_kernel(b->prog, &b->group[i]);

		if (!one)
			return isl_schedule_free(all);
		all = all ? isl_schedule_sequence(all, one) : one;
	}
	return all;
}

static void free_build(struct build *b)
{
	for (int i = 0; i < b->n; i++) {
		isl_union_set_free(b->group[i].domain);
		isl_schedule_free(b->group[i].schedule);
	}
	free(b->group);
}

/* Put every statement into a kernel with two parallel outer loops. Without
 * an instance of any statement, the tree stays empty, and there is no kernel.
 *
 * requires deps, schedule; establishes kernels
 */
isl_stat poly_distribute(struct poly_prog *prog)
{
	struct build b = { .prog = prog };
	isl_schedule_node *node;
	isl_stat ok;

	if (!prog->n_stmt)
		return isl_stat_ok;
	b.group = calloc(prog->n_stmt, sizeof(*b.group));
	node = isl_schedule_get_root(prog->schedule);
	node = isl_schedule_node_child(node, 0);
	ok = b.group ? add_nests(&b, node) : isl_stat_error;
	isl_schedule_node_free(node);
	if (ok == isl_stat_ok && b.n)
		ok = poly_set_schedule(prog, sequence(&b));
	free_build(&b);
	if (ok == isl_stat_ok && prog->report && prog->report->remarks)
		ok = poly_explain_apart(prog);
	return ok < 0 ? poly_isl_error(prog, "distribute") : isl_stat_ok;
}
