/* What the schedule makes of a reduction: which of its loops the host runs,
 * which are parallel, which name a cell, and what else its kernel has. split.c
 * and rest.c decide by that how it is divided.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* Values that are worth dividing. */
#define LONG 64
/* What reading a statement and its loops may take: about half a second's work. */
enum { MOST_OPERATIONS = 400000 };

/* ---------------------------------------------------------------- schedule */

/* The values of "member" on the domain of "s". */
static double member_count(struct split *s,
	__isl_keep isl_union_pw_aff *member)
{
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(member));
	isl_union_set *range = isl_union_set_apply(isl_union_set_from_set(
		isl_set_copy(s->p.stmt->domain)), map);

	if (isl_union_set_is_empty(range) == isl_bool_true) {
		isl_union_set_free(range);
		return 0;
	}
	return poly_range_count(s->p.prog, isl_set_from_union_set(range), 0);
}

/* Note the members of the band "node", which the host runs or, if "parallel",
 * of which the coincident ones become blocks and threads.
 */
static void note_band(struct split *s, __isl_keep isl_schedule_node *node,
	bool parallel)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		int dim = poly_counted_dim(member, s->p.stmt);

		if (dim >= 0 && !parallel)
			s->host[dim] = true;
		if (dim >= 0 && parallel &&
		    isl_schedule_node_band_member_get_coincident(node, i) ==
		    isl_bool_true) {
			s->parallel[dim] = true;
			s->width *= member_count(s, member);
		}
		isl_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
}

/* The child of "node", which is taken, that the statement of "s" reaches. */
static __isl_give isl_schedule_node *next(__isl_take isl_schedule_node *node,
	const struct split *s)
{
	isl_size n = isl_schedule_node_n_children(node);

	for (int i = 0; i < n - 1; i++) {
		isl_union_set *filter;
		isl_set *part;
		bool here;

		node = isl_schedule_node_child(node, i);
		filter = isl_schedule_node_filter_get_filter(node);
		part = isl_union_set_extract_set(filter,
			isl_set_get_space(s->p.stmt->domain));
		here = isl_set_plain_is_empty(part) == isl_bool_false;
		isl_set_free(part);
		isl_union_set_free(filter);
		if (here)
			return node;
		node = isl_schedule_node_parent(node);
	}
	return isl_schedule_node_child(node, n - 1);
}

/* Does only one statement reach the band "node", a sum that may be divided? */
static isl_bool is_own_loop(__isl_keep isl_schedule_node *node, void *user)
{
	struct split *s = user;
	isl_union_set *domain;
	int n;
	struct poly_stmt **list;
	bool own;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return isl_bool_true;
	domain = poly_node_domain(node);
	list = poly_stmts_of(s->p.prog, domain, &n);
	own = list && n == 1 && (poly_can_split(s->p.prog, list[0]) ||
		list[0]->across || (list[0]->write_array &&
		list[0]->write_array->space == POLY_REGISTER));
	free(list);
	isl_union_set_free(domain);
	return isl_bool_ok(own);
}

/* Does a statement that reaches "node" write what S reads beside its cell? */
static bool feeds(const struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	int n;
	struct poly_stmt **list = poly_stmts_of(s->p.prog, domain, &n);
	bool found = !list;

	for (int i = 0; i < n && !found; i++)
		found = list[i]->write_array && poly_expr_accesses(
			s->p.stmt->rhs, list[i]->write_array);
	free(list);
	isl_union_set_free(domain);
	return found;
}

/* Does "member" of a band count a dimension of S, from a constant on? */
static bool is_plain(const struct split *s,
	__isl_take isl_union_pw_aff *member)
{
	isl_set *domain = s->p.stmt->domain;
	int d = poly_counted_dim(member, s->p.stmt);
	isl_pw_aff *pa = poly_member_at(member, domain);
	isl_pw_aff *first;
	bool plain;

	isl_union_pw_aff_free(member);
	if (d < 0) {
		isl_pw_aff_free(pa);
		return false;
	}
	pa = isl_pw_aff_sub(pa, isl_pw_aff_var_on_domain(
		isl_local_space_from_space(isl_set_get_space(domain)),
		isl_dim_set, d));
	pa = isl_pw_aff_gist(poly_pw_aff_coalesce(pa), isl_set_copy(domain));
	first = isl_set_dim_min(isl_set_copy(domain), d);
	plain = isl_pw_aff_is_cst(pa) == isl_bool_true &&
		isl_pw_aff_is_cst(first) == isl_bool_true;
	isl_pw_aff_free(pa);
	isl_pw_aff_free(first);
	return plain;
}

/* Note of the statements that reach "node" how many lanes they have already, and
 * whether all sums among them that can have some go over the same values.
 */
static void compare(struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_set *own = isl_set_reset_tuple_id(isl_set_copy(
		s->p.stmt->domain));
	int n;
	struct poly_stmt **list = poly_stmts_of(s->p.prog, domain, &n);

	s->alike = list != NULL;
	for (int i = 0; i < n; i++) {
		isl_set *other = isl_set_reset_tuple_id(isl_set_copy(
			list[i]->domain));

		if (list[i]->across) {
			s->across = list[i]->across;
			s->down = list[i]->down;
		} else if (poly_can_split(s->p.prog, list[i]) &&
			 list[i]->write_array->space != POLY_REGISTER)
			s->alike &= isl_set_is_equal(own, other) ==
				isl_bool_true;
		isl_set_free(other);
	}
	isl_set_free(own);
	isl_union_set_free(domain);
	free(list);
}

/* The sizes for which S lacks a cell that a statement at the band "node" has, if
 * S has any.
 */
static __isl_give isl_set *lacks_cells(const struct split *s,
	__isl_keep isl_schedule_node *node)
{
	isl_union_map *at = isl_union_map_from_multi_union_pw_aff(
		isl_schedule_node_band_get_partial_schedule(node));
	isl_union_set *own = isl_union_set_apply(isl_union_set_from_set(
		isl_set_copy(s->p.stmt->domain)), isl_union_map_copy(at));
	isl_union_set *all = isl_union_set_apply(poly_node_domain(node), at);

	all = isl_union_set_intersect_params(all, isl_union_set_params(
		isl_union_set_copy(own)));
	return isl_union_set_params(isl_union_set_subtract(all, own));
}

/* Does S have each cell that a statement at the band "node" has, if any, for the
 * sizes that are known?
 */
static bool has_all_cells(const struct split *s,
	__isl_keep isl_schedule_node *node)
{
	isl_set *without = lacks_cells(s, node);
	isl_set *known = poly_known_sizes(s->p.prog);
	bool has = isl_set_is_disjoint(without, known) == isl_bool_true;

	isl_set_free(known);
	isl_set_free(without);
	return has;
}

/* Look at the band "node" that becomes a kernel: can S have lanes? All of its
 * members are parallel and plain, there are at most two, all loops below are of
 * sums that may be divided, and S needs nothing that is computed there.
 */
static void read_kernel(struct split *s, __isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_schedule_node_band_n_member(node);

	compare(s, node);
	s->all_cells = has_all_cells(s, node);
	s->alone = n <= 2 && !feeds(s, node) &&
		isl_schedule_node_every_descendant(child, is_own_loop, s) ==
		isl_bool_true;
	for (int i = 0; i < n; i++)
		s->alone &= isl_schedule_node_band_member_get_coincident(node,
			i) == isl_bool_true && is_plain(s,
			isl_multi_union_pw_aff_get_at(partial, i));
	isl_multi_union_pw_aff_free(partial);
	isl_schedule_node_free(child);
}

/* Go down to the band that becomes a kernel, and note the loops on the way and
 * its own: what the mapping will do with the statement, as map_points does it.
 * Returns the band, or what is there instead of one.
 */
static __isl_give isl_schedule_node *read_schedule(struct split *s)
{
	isl_schedule_node *node = isl_schedule_get_root(s->p.prog->schedule);

	s->width = 1;
	node = isl_schedule_node_child(node, 0);
	while (isl_schedule_node_has_children(node) == isl_bool_true &&
	    poly_has_parallel(node)) {
		bool band = isl_schedule_node_get_type(node) ==
			isl_schedule_node_band;
		enum poly_shape_of_band shape = band ? poly_band_shape(node) :
			POLY_BAND_SERIAL;

		s->wave |= shape == POLY_BAND_WAVE;
		if (band)
			note_band(s, node, shape == POLY_BAND_PARALLEL);
		if (shape == POLY_BAND_PARALLEL)
			read_kernel(s, node);
		if (shape != POLY_BAND_SERIAL)
			break;
		node = next(node, s);
	}
	return node;
}

/* -------------------------------------------------------------- dimensions */

bool poly_can_split(const struct poly_prog *prog, struct poly_stmt *stmt)
{
	if (!poly_is_free_update(prog, stmt) || stmt->atomic || stmt->fold ||
	    poly_type_class(stmt->write_array->type) == POLY_CLASS_BOOL ||
	    isl_set_dim(stmt->domain, isl_dim_set) > POLY_MAX_DIM - 4)
		return false;
	if (poly_in_rows(prog, stmt))
		return false;
	return prog->original ||
		!poly_expr_accesses(stmt->rhs, stmt->write_array);
}

/* Find out about the dimensions of the statement; false if it has no sums. */
static bool read_dims(struct split *s)
{
	const struct poly_stmt *stmt = s->p.stmt;
	bool around[POLY_MAX_DIM] = { false };
	bool sums = false;

	s->n = isl_set_dim(stmt->domain, isl_dim_set);
	for (int d = 0; d < s->n; d++) {
		s->cell[d] = isl_multi_pw_aff_involves_dims(stmt->write_index,
			isl_dim_in, d, 1) != isl_bool_false;
		s->count[d] = poly_range_count(s->p.prog,
			isl_set_copy(stmt->domain), d);
		s->p.sum[d] = !s->cell[d] && !s->host[d];
		sums |= s->p.sum[d];
	}
	if (!sums || s->wave)
		return false;
	if (s->p.prog->original && !poly_partial_loops(s->p.prog,
		s->p.stmt, s->p.sum, around))
		return false;
	for (int d = 0; d < s->n; d++) {
		s->p.sum[d] = !s->cell[d] && !around[d];
		s->p.own[d] = !s->p.sum[d] && (!s->p.prog->original ||
			!around[d] || s->parallel[d]);
	}
	return true;
}

int poly_split_longest(const struct split *s, int but)
{
	int best = -1;

	for (int d = 0; d < s->n; d++) {
		if (!s->p.sum[d] || s->host[d] || s->count[d] < LONG ||
		    d == but)
			continue;
		if (best < 0 || poly_dim_stride(s->p.prog, s->p.stmt, d) >
		    poly_dim_stride(s->p.prog, s->p.stmt, best))
			best = d;
	}
	return best;
}

bool poly_split_read(struct split *s)
{
	isl_ctx *ctx = s->p.prog->ctx;
	unsigned long all = poly_ctx_attempt(ctx, MOST_OPERATIONS);
	bool found;

	isl_schedule_node_free(read_schedule(s));
	found = read_dims(s);
	return poly_ctx_attempted(ctx, all) && found;
}

__isl_give isl_schedule_node *poly_split_band(const struct split *s)
{
	struct split copy = { .p = { .prog = s->p.prog, .stmt = s->p.stmt } };
	isl_schedule_node *node = read_schedule(&copy);

	if (isl_schedule_node_get_type(node) == isl_schedule_node_band &&
	    poly_band_shape(node) == POLY_BAND_PARALLEL)
		return node;
	return isl_schedule_node_free(node);
}

void poly_split_assume_cells(const struct split *s)
{
	isl_schedule_node *node = poly_split_band(s);
	struct poly_prog *prog = s->p.prog;
	isl_set *without = lacks_cells(s, node);

	if (isl_set_is_empty(without) == isl_bool_false)
		prog->context = isl_set_subtract(prog->context,
			isl_set_copy(without));
	isl_set_free(without);
	isl_schedule_node_free(node);
}

/* ---------------------------------------------------------------- products */

/* "{ [p0, p1, pk, ..] -> S[..] }": tiles along "axis", and "k" the sum. */
static __isl_give isl_multi_aff *placed(const struct split *s,
	const int axis[2], int k)
{
	isl_space *range = isl_set_get_space(s->p.stmt->domain);
	isl_space *space = isl_space_set_from_params(isl_space_params(
		isl_space_copy(range)));
	isl_local_space *local;
	isl_aff_list *list = isl_aff_list_alloc(s->p.prog->ctx, s->n);
	int rest = 3;

	space = isl_space_add_dims(space, isl_dim_set, s->n);
	local = isl_local_space_from_space(isl_space_copy(space));
	for (int d = 0; d < s->n; d++) {
		int from = d == axis[0] ? 0 : d == axis[1] ? 1 : d == k ? 2 :
			rest++;

		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, from));
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(space, range), list);
}

static double at_least_one(double x)
{
	return x < 1 ? 1 : x;
}

/* What a kernel does that tiles the reduction along "axis" and "k". */
static struct poly_work work_of(const struct split *s, const int axis[2],
	int k)
{
	struct poly_work w;
	isl_multi_aff *at = placed(s, axis, k);

	poly_work_begin(&w, s->p.prog);
	w.slides = poly_windows_slide(s->p.prog, s->p.stmt, at, k);
	poly_work_add(&w, s->p.prog, s->p.stmt, at, NULL);
	isl_multi_aff_free(at);
	w.steps = at_least_one(s->count[k]);
	for (int d = 0; d < s->n; d++) {
		double n = at_least_one(s->count[d]);

		if (d == axis[0] || d == axis[1])
			w.points[d == axis[1]] = n;
		else if (s->parallel[d])
			w.batch *= n;
		else if (d != k)
			w.steps *= n;
	}
	return w;
}

bool poly_split_product(const struct split *s, int axis[2], int *k,
	struct poly_work *w)
{
	if (!poly_stmt_axes(s->p.prog, s->p.stmt, s->parallel, axis))
		return false;
	*k = poly_split_longest(s, -1);
	if (*k >= 0)
		*w = work_of(s, axis, *k);
	return true;
}

/* Which reads of "stmt" move with dimension "d" of its domain, a bit each. */
static int reads_with(const struct poly_stmt *stmt, int d)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf), with = 0;

	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++)
		if (isl_multi_pw_aff_involves_dims(leaf[i]->index, isl_dim_in,
		    d, 1) == isl_bool_true)
			with |= 1 << i;
	return with;
}

/* Images, rows and columns of a sum over windows move the same operand, and so they are one
 * axis of its tiles.
 */
void poly_split_merge(const struct split *s, const int axis[2],
	struct poly_work *w)
{
	for (int d = s->n - 1; d >= 0; d--) {
		int with = reads_with(s->p.stmt, d);

		if (!s->parallel[d] || d == axis[0] || d == axis[1])
			continue;
		for (int x = 0; x < 2; x++)
			if (with == reads_with(s->p.stmt, axis[x]) &&
			    w->points[x] < POLY_LONG_AXIS) {
				double n = at_least_one(s->count[d]);

				w->points[x] *= n;
				w->batch /= n;
				w->line[x] += w->slides;
				break;
			}
	}
}
