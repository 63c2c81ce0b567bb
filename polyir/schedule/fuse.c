/* Loops of the text that the scheduler took apart and that are parallel in the
 * same way are one again.
 *
 * isl's scheduler has no reason to keep statements in one loop that share none of
 * their values, and none to put loops behind one another into the parallel loop
 * around them. Each such loop is a launch of its own, and reads anew what all of
 * them read:
 *
 *	text: for i			before: sequence
 *		for j: S1			  S1: band [i, j] 1 0
 *		for k: S2			  S2: band [i, k] 1 0
 *
 *	after: band [i] 1
 *		 sequence
 *		   S1: band [j] 0
 *		   S2: band [k] 0
 *
 * Definitions have no text; there the pieces of one array are one loop, which reads
 * once what several of them read:
 *
 *	y[i] = i < K ? x[i] * c[i] : x[i - K] * s[i]
 *
 * One loop is to be had where both are mapped in the same way by themselves and
 * together: the same loops become threads, and neither has tiles or lanes. What
 * the text has in loops of its own stays apart: there the scheduler saw no gain.
 * (CUDA-CHiLL: the statements of an unrolled loop share a dimension of the grid.)
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"

/* Loops of a band; parts of a statement's domain. */
enum { MOST = 16, PIECES = 8 };

/* A child of a sequence or set that is a parallel band: what is in it, its "n"
 * parallel loops, which come first, the loops around.
 */
struct loops {
	isl_union_set *domain;
	isl_multi_union_pw_aff *around, *own;
	int n;
};

static void clear(struct loops *l)
{
	isl_union_set_free(l->domain);
	isl_multi_union_pw_aff_free(l->around);
	isl_multi_union_pw_aff_free(l->own);
	memset(l, 0, sizeof(*l));
}

/* How many members of "band" are parallel, if these are its first; else 0. */
static int n_parallel(__isl_keep isl_schedule_node *band)
{
	int most = isl_schedule_node_band_n_member(band), n = 0, all = 0;

	for (int i = 0; i < most; i++)
		if (isl_schedule_node_band_member_get_coincident(band, i) ==
		    isl_bool_true) {
			n += n == i;
			all++;
		}
	return n == all ? n : 0;
}

/* What the child "filter" is; false if it is not such a band. */
static bool take_loops(__isl_keep isl_schedule_node *filter, struct loops *l)
{
	isl_schedule_node *band = isl_schedule_node_get_child(filter, 0);
	int most;

	memset(l, 0, sizeof(*l));
	if (isl_schedule_node_get_type(band) == isl_schedule_node_band)
		l->n = n_parallel(band);
	if (l->n && l->n <= MOST) {
		l->domain = poly_node_domain(band);
		l->around =
		isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band);
		l->own = isl_schedule_node_band_get_partial_schedule(band);
		most = isl_multi_union_pw_aff_size(l->own);
		l->own = isl_multi_union_pw_aff_drop_dims(l->own, isl_dim_set,
			l->n, most - l->n);
	}
	isl_schedule_node_free(band);
	return l->domain != NULL;
}

/* The instances of "a" and "b" that are at the same point of "at", which is
 * taken.
 */
static __isl_give isl_union_map *at_same(const struct loops *a,
	const struct loops *b, __isl_take isl_multi_union_pw_aff *at)
{
	isl_union_map *map = isl_union_map_from_multi_union_pw_aff(at);
	isl_union_map *to = isl_union_map_intersect_domain(
		isl_union_map_copy(map), isl_union_set_copy(b->domain));

	map = isl_union_map_intersect_domain(map,
		isl_union_set_copy(a->domain));
	return isl_union_map_apply_range(map, isl_union_map_reverse(to));
}

/* The loops around both "a" and "b". */
static __isl_give isl_multi_union_pw_aff *around(const struct loops *a,
	const struct loops *b)
{
	return isl_multi_union_pw_aff_union_add(
		isl_multi_union_pw_aff_copy(a->around),
		isl_multi_union_pw_aff_copy(b->around));
}

/* The loops around "a" and "b", and the parallel loops of both. */
static __isl_give isl_multi_union_pw_aff *points(const struct loops *a,
	const struct loops *b)
{
	isl_multi_union_pw_aff *own = isl_multi_union_pw_aff_union_add(
		isl_multi_union_pw_aff_copy(a->own),
		isl_multi_union_pw_aff_copy(b->own));

	if (!isl_multi_union_pw_aff_size(a->around))
		return own;
	return isl_multi_union_pw_aff_flat_range_product(around(a, b), own);
}

static __isl_give isl_union_set *filter_of(__isl_keep isl_schedule_node *node,
	int i)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_union_set *filter = isl_schedule_node_filter_get_filter(child);

	isl_schedule_node_free(child);
	return filter;
}

/* The child of the sequence or set "node", which is taken, that has all of "all",
 * below its filter; NULL if no child has.
 */
static __isl_give isl_schedule_node *child_with(
	__isl_take isl_schedule_node *node, __isl_keep isl_union_set *all)
{
	int n = isl_schedule_node_n_children(node);

	for (int i = 0; i < n; i++) {
		isl_union_set *filter = filter_of(node, i);
		bool has = isl_union_set_is_subset(all, filter) ==
			isl_bool_true;

		isl_union_set_free(filter);
		if (has)
			return isl_schedule_node_child(
				isl_schedule_node_child(node, i), 0);
	}
	return isl_schedule_node_free(node);
}

/* The loops of the text around all of "all". */
static __isl_give isl_multi_union_pw_aff *text_loops(struct poly_prog *prog,
	__isl_keep isl_union_set *all)
{
	isl_schedule_node *node = isl_schedule_get_root(prog->original), *next;
	isl_multi_union_pw_aff *loops;
	enum isl_schedule_node_type type = isl_schedule_node_domain;

	while (type != isl_schedule_node_leaf) {
		if (type == isl_schedule_node_sequence ||
		    type == isl_schedule_node_set) {
			next = child_with(isl_schedule_node_copy(node), all);
			if (!next)
				break;
			isl_schedule_node_free(node);
			node = next;
		} else {
			node = isl_schedule_node_child(node, 0);
		}
		type = isl_schedule_node_get_type(node);
	}
	loops = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(node);
	isl_schedule_node_free(node);
	return loops;
}

/* The loops of the text around both "a" and "b", NULL if there are no more than
 * around both in the schedule.
 */
static __isl_give isl_multi_union_pw_aff *shared_text(struct poly_prog *prog,
	const struct loops *a, const struct loops *b)
{
	isl_union_set *all = isl_union_set_union(isl_union_set_copy(a->domain),
		isl_union_set_copy(b->domain));
	isl_multi_union_pw_aff *text = text_loops(prog, all);
	int n = isl_multi_union_pw_aff_size(text);

	isl_union_set_free(all);
	if (n <= (int) isl_multi_union_pw_aff_size(a->around))
		return isl_multi_union_pw_aff_free(text);
	return text;
}

/* Is what "a" and "b" do in one turn of the loops "text", which is taken, at one of
 * the points "here"?
 */
static bool shares_text(const struct loops *a, const struct loops *b,
	__isl_keep isl_union_map *here, __isl_take isl_multi_union_pw_aff *text)
{
	isl_union_map *there = at_same(a, b, text);
	bool shares = isl_union_map_is_empty(there) == isl_bool_false &&
		isl_union_map_is_subset(there, here) == isl_bool_true;

	isl_union_map_free(there);
	return shares;
}

/* Does every dependence between "a" and "b" within one turn of the loops around
 * stay at one of the points "here"?
 */
static bool keep_points(struct poly_prog *prog, const struct loops *a,
	const struct loops *b, __isl_keep isl_union_map *here)
{
	isl_union_map *deps = isl_union_map_union(poly_ordering_deps(prog),
		isl_union_map_copy(prog->deps.reduction));
	bool keep;

	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(a->domain));
	deps = isl_union_map_intersect_range(deps,
		isl_union_set_copy(b->domain));
	if (isl_multi_union_pw_aff_size(a->around))
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			around(a, b));
	keep = isl_union_map_is_subset(deps, here) == isl_bool_true;
	isl_union_map_free(deps);
	return keep;
}

/* How the "n" parallel loops "own" of "domain" are mapped: those that become the
 * points, and how many cells side by side a thread takes; false if its sums have
 * tiles or lanes.
 */
static bool mapping(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	__isl_keep isl_multi_union_pw_aff *own, int how[3])
{
	int n = isl_multi_union_pw_aff_size(own);
	isl_union_pw_aff *member[MOST];
	bool coincident[MOST];
	bool plain = !poly_across(prog, domain);

	for (int i = 0; i < n; i++) {
		member[i] = isl_multi_union_pw_aff_get_at(own, i);
		coincident[i] = true;
	}
	plain &= !poly_choose_points(prog, domain, member, coincident, n, how);
	how[2] = poly_run_of_cells(prog, member[how[1]], domain);
	for (int i = 0; i < n; i++)
		isl_union_pw_aff_free(member[i]);
	return plain;
}

/* Are "a", "b" and both together mapped in the same way? */
static bool map_alike(struct poly_prog *prog, const struct loops *a,
	const struct loops *b)
{
	isl_union_set *all = isl_union_set_union(isl_union_set_copy(a->domain),
		isl_union_set_copy(b->domain));
	isl_multi_union_pw_aff *own = isl_multi_union_pw_aff_union_add(
		isl_multi_union_pw_aff_copy(a->own),
		isl_multi_union_pw_aff_copy(b->own));
	int how[3][3];
	bool alike = mapping(prog, a->domain, a->own, how[0]) &&
		mapping(prog, b->domain, b->own, how[1]) &&
		mapping(prog, all, own, how[2]) &&
		!memcmp(how[0], how[1], sizeof(how[0])) &&
		!memcmp(how[0], how[2], sizeof(how[0]));

	isl_multi_union_pw_aff_free(own);
	isl_union_set_free(all);
	return alike;
}

/* Where member "k" of "l" is among the dimensions of what "stmt" writes; -1: nowhere. */
static int written_at(const struct loops *l, int k, const struct poly_stmt *stmt)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(l->own, k);
	int d = poly_counted_dim(member, stmt), at = -1;

	isl_union_pw_aff_free(member);
	for (int i = 0; i < stmt->write_array->n_dim && d >= 0; i++)
		if (poly_index_dim(stmt->write_index, i, stmt) == d)
			at = i;
	return at;
}

/* Does the leaf read the array "user"? */
static void note_read(struct poly_expr *leaf, void *user)
{
	const struct poly_array **array = user;

	if (leaf->array == *array)
		*array = NULL;
}

/* Is "s" of one part, or of several of which none reads what others write, as the
 * edges of a recurrence do? With loops "around" these read what an earlier turn of
 * those has written.
 */
static bool has_few_parts(const struct poly_stmt *s, int around)
{
	const struct poly_array *array = s->write_array;
	int n = isl_set_n_basic_set(s->domain);

	poly_expr_each_access(s->rhs, note_read, &array);
	return n == 1 || (n <= PIECES && (array || around));
}

/* Are all statements of "l" pieces of "*array", which its loops go over in the order
 * of its dimensions "at"? What is not known yet is found out.
 */
static bool is_piece(struct poly_prog *prog, const struct loops *l,
	const struct poly_array **array, int *at)
{
	int n, around = isl_multi_union_pw_aff_size(l->around);
	struct poly_stmt **list = poly_stmts_of(prog, l->domain, &n);
	bool piece = list != NULL;

	for (int i = 0; i < n && piece; i++) {
		const struct poly_stmt *s = list[i];

		piece = s->reduce == POLY_OP_NONE &&
			has_few_parts(s, around) && l->n + around ==
			s->write_array->n_dim && isl_set_dim(s->domain,
			isl_dim_set) == l->n + around && (!*array ||
			*array == s->write_array);
		for (int k = 0; k < l->n && piece; k++) {
			int to = written_at(l, k, s);

			piece = to >= 0 && (!*array || at[k] == to);
			at[k] = to;
		}
		*array = s->write_array;
	}
	free(list);
	return piece;
}

/* Are "a" and "b" pieces of one array? */
static bool are_pieces(struct poly_prog *prog, const struct loops *a,
	const struct loops *b)
{
	const struct poly_array *array = NULL;
	int at[MOST];

	return is_piece(prog, a, &array, at) && is_piece(prog, b, &array, at);
}

/* Is it a gain to have "a" and "b" in one loop, at the points "here"? */
static bool is_gain(struct poly_prog *prog, const struct loops *a,
	const struct loops *b, __isl_keep isl_union_map *here)
{
	isl_multi_union_pw_aff *text;

	if (!prog->original)
		return are_pieces(prog, a, b);
	text = shared_text(prog, a, b);
	return text && shares_text(a, b, here, text);
}

/* Can the children "i" and "j" of "node" be one loop? */
static bool can_fuse(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node, int i, int j)
{
	isl_schedule_node *first = isl_schedule_node_get_child(node, i);
	isl_schedule_node *second = isl_schedule_node_get_child(node, j);
	struct loops a = { NULL }, b = { NULL };
	bool can = false;

	if (take_loops(first, &a) && take_loops(second, &b) && a.n == b.n) {
		isl_union_map *here = at_same(&a, &b, points(&a, &b));

		can = is_gain(prog, &a, &b, here) &&
			map_alike(prog, &a, &b) &&
			keep_points(prog, &a, &b, here);
		isl_union_map_free(here);
	}
	clear(&a);
	clear(&b);
	isl_schedule_node_free(first);
	isl_schedule_node_free(second);
	return can;
}

/* Take the parallel loops off child "i" of the sequence "node". */
static __isl_give isl_schedule_node *take_off(
	__isl_take isl_schedule_node *node, int i,
	__isl_give isl_multi_union_pw_aff **own)
{
	int n;

	node = isl_schedule_node_child(isl_schedule_node_child(node, i), 0);
	n = n_parallel(node);
	if (isl_schedule_node_band_n_member(node) > n)
		node = isl_schedule_node_band_split(node, n);
	*own = isl_schedule_node_band_get_partial_schedule(node);
	node = isl_schedule_node_delete(node);
	return isl_schedule_node_parent(isl_schedule_node_parent(node));
}

/* Make one loop of both children of the sequence "node". */
static __isl_give isl_schedule_node *fuse(__isl_take isl_schedule_node *node)
{
	isl_multi_union_pw_aff *first, *second;
	int n;

	node = take_off(node, 0, &first);
	node = take_off(node, 1, &second);
	n = isl_multi_union_pw_aff_size(first);
	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_union_add(first, second));
	for (int i = 0; i < n; i++)
		node = isl_schedule_node_band_member_set_coincident(node, i, 1);
	return isl_schedule_node_band_set_permutable(node, 1);
}

/* Put the children "i" and "j" of "node" together: into a child of their own or,
 * if there are no others, into a sequence.
 */
static __isl_give isl_schedule_node *pair(__isl_take isl_schedule_node *node,
	int i, int j)
{
	int n = isl_schedule_node_n_children(node);
	bool set = isl_schedule_node_get_type(node) == isl_schedule_node_set;
	isl_union_set_list *list = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(node), n);

	if (n == 2) {
		list = isl_union_set_list_add(list, filter_of(node, i));
		list = isl_union_set_list_add(list, filter_of(node, j));
		return isl_schedule_node_insert_sequence(node, list);
	}
	for (int k = 0; k < n; k++) {
		isl_union_set *filter;

		if (k == j)
			continue;
		filter = filter_of(node, k);
		if (k == i)
			filter = isl_union_set_union(filter, filter_of(node, j));
		list = isl_union_set_list_add(list, filter);
	}
	return set ? isl_schedule_node_insert_set(node, list) :
		isl_schedule_node_insert_sequence(node, list);
}

/* The place in the text of the first statement of child "i" of "node". */
static int place(struct poly_prog *prog, __isl_keep isl_schedule_node *node,
	int i)
{
	isl_union_set *filter = filter_of(node, i);
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, filter, &n);
	int at = n ? poly_stmt_position(prog, list[0]->name) : 0;

	free(list);
	isl_union_set_free(filter);
	return at;
}

/* The children of the sequence or set "node", in the order of the text if that
 * may be; the caller frees them. NULL: no memory.
 */
static int *children_of(struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	bool set = isl_schedule_node_get_type(node) == isl_schedule_node_set;
	int n = isl_schedule_node_n_children(node);
	int *list = calloc(2 * n, sizeof(*list)), *at = list + n, k;

	for (int i = 0; list && i < n; i++) {
		at[i] = set ? place(prog, node, i) : i;
		for (k = i; k > 0 && at[list[k - 1]] > at[i]; k--)
			list[k] = list[k - 1];
		list[k] = i;
	}
	return list;
}

/* Make one step towards one loop of some of the children of "node". */
static __isl_give isl_schedule_node *step(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool *found)
{
	bool set = isl_schedule_node_get_type(node) == isl_schedule_node_set;
	int n = isl_schedule_node_n_children(node);
	int *list = children_of(prog, node);

	for (int i = 0; list && i < n && !*found; i++)
		for (int j = i + 1; j < (set ? n : i + 2) && j < n; j++) {
			*found = can_fuse(prog, node, list[i], list[j]);
			if (!*found)
				continue;
			node = n > 2 || set ? pair(node, list[i], list[j]) :
				fuse(node);
			break;
		}
	free(list);
	return node;
}

/* Make a step at or below "node", above all kernels. */
static __isl_give isl_schedule_node *first_step(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool *found)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);

	if (type == isl_schedule_node_leaf ||
	    (type == isl_schedule_node_band &&
	     poly_band_shape(node) == POLY_BAND_PARALLEL))
		return node;
	if (type == isl_schedule_node_sequence || type == isl_schedule_node_set)
		node = step(prog, node, found);
	for (int i = 0; i < n && !*found; i++) {
		node = isl_schedule_node_child(node, i);
		node = first_step(prog, node, found);
		node = isl_schedule_node_parent(node);
	}
	return node;
}

isl_stat poly_fuse_alike(struct poly_prog *prog)
{
	bool found = true;

	while (found) {
		isl_schedule_node *node = isl_schedule_get_root(
			prog->schedule);
		isl_schedule *schedule;

		found = false;
		node = first_step(prog, node, &found);
		schedule = isl_schedule_node_get_schedule(node);
		isl_schedule_node_free(node);
		if (!found) {
			isl_schedule_free(schedule);
			return isl_stat_ok;
		}
		if (poly_set_schedule(prog, poly_tidy(schedule)) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}
