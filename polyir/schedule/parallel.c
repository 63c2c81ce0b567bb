/* Which loops of a tree are parallel, and what a mapping can make of them.
 *
 * A member of a band is coincident if all dependences that the bands above
 * leave equal have distance 0 there. isl's scheduler says so for its own
 * bands; trees of the text are asked here, where a loop that repeats one around
 * it goes, and parallel loops that are directly within one another become one
 * band. A permutable band without such a member has parallel loops all the same:
 * the sum of its members carries every dependence that the band carries, so that
 * the others are parallel below it.
 */
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"

/* ------------------------------------------------------------ coincidence */

/* The part of "deps" with both ends in the child "filter".
 *
 * Pairs that cross children are kept in order by the sequence.
 */
static __isl_give isl_union_map *inside(__isl_keep isl_union_map *deps,
	__isl_keep isl_schedule_node *filter)
{
	isl_union_set *set = isl_schedule_node_filter_get_filter(filter);
	isl_union_map *part = isl_union_map_intersect_domain(
		isl_union_map_copy(deps), isl_union_set_copy(set));

	return isl_union_map_intersect_range(part, set);
}

static __isl_give isl_schedule_node *find_coincident(
	__isl_take isl_schedule_node *node, __isl_keep isl_union_map *deps);

/* Takes "node" and returns it at the same place. */
static __isl_give isl_schedule_node *below(
	__isl_take isl_schedule_node *node, int i,
	__isl_keep isl_union_map *deps)
{
	node = isl_schedule_node_child(node, i);
	node = find_coincident(node, deps);
	return isl_schedule_node_parent(node);
}

/* Is the band "node", of one member, one of the loops above once more?
 *
 * Plain equality: the same function written otherwise counts as another loop,
 * which costs only a loop of one iteration.
 */
static bool is_above(__isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *prefix =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_multi_union_pw_aff *own =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_pw_aff *loop = isl_multi_union_pw_aff_get_at(own, 0);
	isl_union_set *all = isl_union_set_universe(poly_node_domain(node));
	int n = isl_multi_union_pw_aff_size(prefix);
	bool is = false;

	loop = isl_union_pw_aff_intersect_domain(loop,
		isl_union_set_copy(all));
	for (int i = 0; i < n && !is; i++) {
		isl_union_pw_aff *above = isl_union_pw_aff_intersect_domain(
			isl_multi_union_pw_aff_get_at(prefix, i),
			isl_union_set_copy(all));

		is = isl_union_pw_aff_plain_is_equal(loop, above) ==
			isl_bool_true;
		isl_union_pw_aff_free(above);
	}
	isl_union_set_free(all);
	isl_union_pw_aff_free(loop);
	isl_multi_union_pw_aff_free(own);
	isl_multi_union_pw_aff_free(prefix);
	return is;
}

/* Asks the first member alone: bands have one here. */
static bool is_parallel(__isl_keep isl_schedule_node *node)
{
	return isl_schedule_node_get_type(node) == isl_schedule_node_band &&
		isl_schedule_node_band_member_get_coincident(node, 0) ==
		isl_bool_true;
}

/* The only option that passes set is "unroll". */
bool poly_is_written_out(__isl_keep isl_schedule_node *node)
{
	isl_union_set *options =
		isl_schedule_node_band_get_ast_build_options(node);
	bool is = isl_union_set_is_empty(options) == isl_bool_false;

	isl_union_set_free(options);
	return is;
}

bool poly_has_cells(const struct poly_kernel *kernel, __isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child;
	bool has;

	if (kernel->vec_k == 1 || kernel->near || kernel->given ||
	    isl_schedule_node_get_type(node) != isl_schedule_node_band ||
	    !poly_is_written_out(node))
		return false;
	child = isl_schedule_node_get_child(node, 0);
	has = isl_schedule_node_get_type(child) != isl_schedule_node_leaf;
	isl_schedule_node_free(child);
	return has;
}

/* Let the band "node" take up a band of parallel loops directly below it, if
 * its one member is parallel, too.
 *
 * [i] above [j], both parallel, become [i, j], which can be mapped to two
 * dimensions of a grid.
 */
static __isl_give isl_schedule_node *take_up(
	__isl_take isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool both = is_parallel(node) && is_parallel(child) &&
		!poly_is_written_out(node) && !poly_is_written_out(child);

	isl_schedule_node_free(child);
	return both ? poly_join_bands(node) : node;
}

/* A band of one member.
 *
 * Permutable, trivially, as it has one member; join_bands keeps that right.
 */
static __isl_give isl_schedule_node *ask_band(
	__isl_take isl_schedule_node *node, __isl_keep isl_union_map *deps)
{
	isl_union_map *equal = isl_union_map_eq_at_multi_union_pw_aff(
		isl_union_map_copy(deps),
		isl_schedule_node_band_get_partial_schedule(node));
	isl_bool parallel = isl_union_map_is_subset(deps, equal);

	node = isl_schedule_node_band_member_set_coincident(node, 0,
		parallel == isl_bool_true);
	node = isl_schedule_node_band_set_permutable(node, 1);
	node = below(node, 0, equal);
	isl_union_map_free(equal);
	return take_up(node);
}

/* Set the flags of all bands at and below "node", whose members are taken
 * apart; "deps" are what the bands above leave equal.
 *
 * Takes "node". From outside to inside, with ever fewer dependences; each band
 * is asked once.
 */
static __isl_give isl_schedule_node *find_coincident(
	__isl_take isl_schedule_node *node, __isl_keep isl_union_map *deps)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_union_map *part;

	if (!node || type == isl_schedule_node_leaf)
		return node;
	if (type == isl_schedule_node_band) {
		if (isl_schedule_node_band_n_member(node) > 1)
			node = isl_schedule_node_band_split(node, 1);
		return is_above(node) ? find_coincident(
			isl_schedule_node_delete(node), deps) :
			ask_band(node, deps);
	}
	if (type != isl_schedule_node_sequence &&
	    type != isl_schedule_node_set)
		return below(node, 0, deps);
	for (int i = 0; i < n; i++) {
		node = isl_schedule_node_child(node, i);
		part = inside(deps, node);
		node = below(node, 0, part);
		node = isl_schedule_node_parent(node);
		isl_union_map_free(part);
	}
	return node;
}

/* Takes "schedule". Sums count, too: threads that share a cell must keep its
 * order, or be told to reduce (split.c).
 */
__isl_give isl_schedule *poly_find_coincident(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	isl_union_map *deps = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction));
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	node = below(node, 0, deps);
	isl_union_map_free(deps);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* ------------------------------------------------------------------ shapes */

/* WAVE: no member is parallel, but a band of two or more that is permutable can
 * be skewed, as in a stencil u[t][i] of u[t-1][i-1]: along i + t nothing waits
 * within one value.
 */
enum poly_shape_of_band poly_band_shape(__isl_keep isl_schedule_node *band)
{
	isl_size n = isl_schedule_node_band_n_member(band);

	for (int i = 0; i < n; i++)
		if (isl_schedule_node_band_member_get_coincident(band, i) ==
		    isl_bool_true)
			return POLY_BAND_PARALLEL;
	if (n > 1 && isl_schedule_node_band_get_permutable(band) ==
	    isl_bool_true)
		return POLY_BAND_WAVE;
	return POLY_BAND_SERIAL;
}

/* Takes the band [a, b, ..] and returns [a + b + ..] above [b, ..], the latter
 * parallel. Legal, since permutable members have non-negative distances: the
 * sum of a carried pair is at least 1.
 */
__isl_give isl_schedule_node *poly_skew(__isl_take isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_multi_union_pw_aff_size(partial);
	isl_union_pw_aff *sum = isl_multi_union_pw_aff_get_at(partial, 0);

	for (int i = 1; i < n; i++)
		sum = isl_union_pw_aff_add(sum,
			isl_multi_union_pw_aff_get_at(partial, i));
	partial = isl_multi_union_pw_aff_set_at(partial, 0, sum);
	node = isl_schedule_node_delete(node);
	node = isl_schedule_node_insert_partial_schedule(node, partial);
	node = isl_schedule_node_band_split(node, 1);
	node = isl_schedule_node_child(node, 0);
	for (int i = 0; i < n - 1; i++)
		node = isl_schedule_node_band_member_set_coincident(node, i,
			1);
	node = isl_schedule_node_band_set_permutable(node, 1);
	return isl_schedule_node_parent(node);
}

/* The search for a band with parallel loops.
 *
 * Loops above are the host's, of which there are POLY_HOST_LOOPS at most.
 */
struct find {
	bool found;
	int most;	/* members of bands above */
};

/* Note a band from which parallel loops come, by skewing if not as it is; below
 * more than "most" members there is none to be found.
 */
static isl_bool find_parallel(__isl_keep isl_schedule_node *node, void *user)
{
	struct find *f = user;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return isl_bool_ok(!f->found);
	if (isl_schedule_node_get_schedule_depth(node) > f->most)
		return isl_bool_false;
	f->found |= poly_band_shape(node) != POLY_BAND_SERIAL;
	return isl_bool_ok(!f->found);
}

/* Includes wavefronts. */
bool poly_has_parallel(__isl_keep isl_schedule_node *node)
{
	struct find f = { false, POLY_HOST_LOOPS };

	isl_schedule_node_foreach_descendant_top_down(node, find_parallel, &f);
	return f.found;
}

/* ------------------------------------------------------------------- score */

/* What a mapping gains on the statements below "node", with "host" loops of
 * the host above: more for each parallel dimension of a statement, less for each
 * loop of the host, a little less for a wavefront.
 *
 * The weights rank schedules of one program: a parallel dimension is worth
 * eight, a loop of launches around it costs two, and skewing one more, as its
 * threads begin and end at different times. Statements without parallel loops
 * count nothing.
 */
static int score(__isl_keep isl_schedule_node *node, int host)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_union_set *domain;
	int sum = 0, parallel = 0, n_stmt;
	bool wave = false;

	if (type == isl_schedule_node_leaf || !poly_has_parallel(node))
		return 0;
	if (type == isl_schedule_node_band) {
		isl_size m = isl_schedule_node_band_n_member(node);

		wave = poly_band_shape(node) == POLY_BAND_WAVE;
		for (int i = 0; i < m; i++)
			parallel += isl_schedule_node_band_member_get_coincident(
				node, i) == isl_bool_true;
		if (wave)
			parallel = m - 1;
		if (!parallel)
			host++;
	}
	if (parallel) {
		domain = poly_node_domain(node);
		n_stmt = isl_union_set_n_set(domain);
		isl_union_set_free(domain);
		return n_stmt * (8 * parallel - 2 * (host + wave) - wave);
	}
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		sum += score(child, host);
		isl_schedule_node_free(child);
	}
	return sum;
}

/* The higher the better; only schedules of one program are compared. */
int poly_parallel_score(__isl_keep isl_schedule *schedule)
{
	isl_schedule_node *node = isl_schedule_get_root(schedule);
	int sum;

	node = isl_schedule_node_child(node, 0);
	sum = score(node, 0);
	isl_schedule_node_free(node);
	return sum;
}

/* A band has no more members than some statement has loops.
 *
 * The most that poly_parallel_score can be: a schedule that has it need not be
 * compared with others.
 */
int poly_parallel_bound(const struct poly_prog *prog)
{
	int loops = 0;

	for (int i = 0; i < prog->n_stmt; i++) {
		int n = isl_set_dim(prog->stmt[i]->domain, isl_dim_set);

		loops = n > loops ? n : loops;
	}
	return prog->n_stmt * 8 * loops;
}
