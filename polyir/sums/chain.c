/* One kernel of two products in a row, where the second reads the first's result
 * along its sum.
 *
 * A block that has all columns of its rows of T, which nobody else reads, need not
 * write them to memory: the next kernel's tiles have the same rows, so its product
 * goes on in the same block, and finds T in shared memory.
 *
 *	before: sequence                    after: mark kernel:K2
 *	          mark kernel:K1                     band [t0, t1]
 *	            band [t0, t1]                      sequence
 *	              sequence                           K1_init
 *	                K1_init                          band [tk] mul1_tile
 *	                band [tk] mul1_tile              K1_points: .., T,
 *	                K1_points: .., T                   T_shared = T
 *	          mark kernel:K2                         K2_init
 *	            band [t0, t1]                        band [tk] mul2_tile
 *	              sequence                           K2_points
 *	                K2_init
 *	                band [tk] mul2_tile, reads T
 *	                K2_points
 *
 * T becomes a register array of the first product's points; the group behind it
 * also stores it to a buffer in the layout that the second product wants of its
 * operand (promote_shared.c), with zeros beyond its ends, so that full tiles find
 * there what a copy would have filled in. Whether that pays is what the model says
 * of both together (link.c); map_tiles.c gives both kernels one block
 * then, and marks the first of them.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/sums/sums.h"

/* ----------------------------------------------------------------- the buffer */

/* The tile operations of a kernel. */
struct ops {
	struct poly_stmt **op, **member;
	int n, n_member;
};

/* List the tile operations of "kernel" and their members. Without memory a list
 * is NULL.
 */
static void find_ops(struct poly_prog *prog, const struct poly_kernel *kernel,
	struct ops *o)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);

	o->op = poly_stmts_of(prog, domain, &o->n);
	o->member = calloc(prog->n_stmt + 1, sizeof(*o->member));
	o->n_member = 0;
	for (int i = 0; o->op && o->member && i < o->n; i++)
		for (int k = 0; k < o->op[i]->n_member; k++)
			o->member[o->n_member++] = o->op[i]->member[k];
	isl_union_set_free(domain);
}

static void free_ops(struct ops *o)
{
	free(o->op);
	free(o->member);
}

/* The tile operation that has the product of "l". */
static struct poly_stmt *contract_of(const struct poly_link *l, const struct ops *o)
{
	for (int i = 0; i < o->n; i++)
		if (o->op[i]->kind == POLY_CONTRACT &&
		    o->op[i]->member[0] == l->product)
			return o->op[i];
	return NULL;
}

/* Are rows of the buffer points, and columns steps? */
static bool has_rows_of_points(const struct poly_link *l)
{
	return l->kernel->vec_k > 1 && l->kernel->vec[l->axis] == 1;
}

/* "point -> BUFFER[(p0 mod 64), (pk)]", with the coordinate "step" for pk; "point" is
 * taken.
 */
static __isl_give isl_multi_pw_aff *cell_of(const struct poly_link *l,
	const struct poly_array *buffer, __isl_take isl_space *point,
	const char *step)
{
	isl_aff_list *list = isl_aff_list_alloc(l->prog->ctx, 2);
	isl_multi_aff *cell;

	for (int d = 0; d < 2; d++)
		list = isl_aff_list_add(list, has_rows_of_points(l) == (d == 0) ?
			poly_modulo(poly_at(point, "p%d", l->axis),
				l->kernel->tile[l->axis]) :
			poly_at(point, "%s", step));
	cell = poly_function(point, buffer->name, list);
	isl_space_free(point);
	return isl_multi_pw_aff_from_multi_aff(cell);
}

/* The buffer for "steps" steps of all points of a tile along the axis. */
static struct poly_array *add_buffer(const struct poly_link *l, int steps)
{
	char *name = poly_unique_name(l->prog, l->array->name, "shared");
	int tile = l->kernel->tile[l->axis];
	bool points = has_rows_of_points(l);
	const int64_t size[] = { points ? tile : steps, points ? steps : tile };
	struct poly_array *buffer = NULL;

	if (name)
		buffer = poly_prog_add_array(l->prog, name, l->array->type,
			POLY_TEMP, poly_box(l->prog->ctx, name, 2, size));
	free(name);
	if (!buffer)
		return NULL;
	buffer->space = POLY_SHARED;
	buffer->row_pad = points ? l->kernel->vec_k :
		l->axis == 0 ? l->kernel->vec[0] : 0;
	buffer->loc = l->array->loc;
	return buffer;
}

/* Where the second product finds its element. */
static __isl_give isl_multi_pw_aff *operand_index(const struct poly_link *l,
	const struct poly_stmt *op, const struct poly_array *buffer)
{
	isl_map *back = isl_map_reverse(isl_map_from_multi_aff(
		isl_multi_aff_copy(l->product->at)));

	return isl_multi_pw_aff_pullback_pw_multi_aff(
		cell_of(l, buffer, poly_point_of_tile(op), "pk"),
		isl_pw_multi_aff_from_map(back));
}

/* Add to "group" a statement at the points "domain", which has its name, that
 * writes "value" to the buffer.
 */
static isl_stat add_store(const struct poly_link *l, struct poly_stmt *group,
	struct poly_array *buffer, __isl_take isl_set *domain,
	struct poly_expr *value)
{
	const char *name = isl_set_get_tuple_name(domain);
	struct poly_stmt *s = value ? poly_prog_add_stmt(l->prog, name,
		POLY_POINT, domain) : NULL;
	isl_space *space;

	if (!s) {
		poly_expr_free(value);
		return isl_stat_error;
	}
	space = isl_space_set_tuple_name(poly_point_of_tile(group), isl_dim_set,
		s->name);
	s->loc = l->product->loc;
	poly_stmt_set_write(s, buffer, cell_of(l, buffer, space,
		l->axis == 0 ? "p1" : "p0"), POLY_OP_NONE, value);
	space = isl_space_set_alloc(l->prog->ctx, 0, 2 + l->n_outer);
	s->at = isl_multi_aff_set_tuple_name(
		isl_multi_aff_identity_on_domain_space(space), isl_dim_out,
		s->name);
	poly_tile_add_member(group, s, isl_map_apply_range(isl_map_reverse(
		isl_map_from_multi_aff(isl_multi_aff_copy(s->at))),
		poly_tile_map(l->prog, l->kernel, group)));
	return isl_stat_ok;
}

/* The points at which the array has an element. */
static __isl_give isl_set *element_points(const struct poly_link *l)
{
	return isl_map_domain(isl_map_intersect_range(isl_map_copy(l->view),
		poly_array_box(l->array, 0)));
}

/* The points of the tiles of "group" that have a cell of "steps" in the buffer. */
static __isl_give isl_set *cell_points(const struct poly_link *l,
	const struct poly_stmt *group, int steps)
{
	isl_set *points = isl_set_fix_si(isl_set_copy(group->domain),
		isl_dim_set, !l->axis, 0);

	points = isl_set_apply(points, isl_map_reverse(
		poly_tile_map(l->prog, l->kernel, group)));
	return isl_set_upper_bound_si(points, isl_dim_set, !l->axis,
		steps - 1);
}

/* "points" as instances of a new statement named after the array and "suffix". */
static __isl_give isl_set *name_points(const struct poly_link *l,
	__isl_take isl_set *points, const char *suffix)
{
	char *name = poly_unique_name(l->prog, l->array->name, suffix);

	points = isl_set_set_tuple_name(poly_set_coalesce(points),
		name ? name : "");
	for (int d = 0; d < 2; d++)
		points = isl_set_set_dim_name(points, isl_dim_set, d,
			d ? "p1" : "p0");
	free(name);
	return points;
}

/* Let "group" store the array in "buffer", and zeros where it has no element. */
static isl_stat add_stores(const struct poly_link *l, struct poly_stmt *group,
	struct poly_array *buffer, int steps)
{
	isl_set *element = name_points(l, element_points(l), "keep");
	isl_set *rest = isl_set_subtract(cell_points(l, group, steps),
		element_points(l));
	isl_map *view = isl_map_set_tuple_name(isl_map_copy(l->view),
		isl_dim_in, isl_set_get_tuple_name(element));
	isl_stat ok = add_store(l, group, buffer, element, poly_expr_access(
		l->array, isl_multi_pw_aff_from_pw_multi_aff(
			isl_pw_multi_aff_from_map(view))));

	if (ok < 0) {
		isl_set_free(rest);
		return ok;
	}
	return add_store(l, group, buffer, name_points(l, rest, "rest"),
		poly_expr_const(l->array->type, 0));
}

/* ------------------------------------------------------------------- the tree */

/* What stands below the band of the tiles of "kernel", as a schedule; in "*band"
 * the band, and in "*filter" what the blocks run.
 */
static __isl_give isl_schedule *below_tiles(struct poly_prog *prog,
	const struct poly_kernel *kernel, isl_schedule_node **band,
	isl_union_set **filter)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_set *domain = poly_node_domain(node);
	isl_schedule *schedule;

	*filter = isl_schedule_node_filter_get_filter(node);
	node = isl_schedule_node_child(node, 0);
	*band = isl_schedule_node_copy(node);
	node = isl_schedule_node_child(node, 0);
	schedule = poly_tree_over(domain, node);
	isl_schedule_node_free(node);
	return schedule;
}

/* The tree of one kernel that runs what "k" run, tile by tile. */
static __isl_give isl_schedule *joined_tree(struct poly_prog *prog,
	struct poly_kernel *const k[2])
{
	isl_schedule_node *band[2], *node;
	isl_union_set *filter[2];
	isl_schedule *below[2], *all;

	for (int i = 0; i < 2; i++)
		below[i] = below_tiles(prog, k[i], &band[i], &filter[i]);
	all = isl_schedule_sequence(below[0], below[1]);
	node = isl_schedule_node_child(isl_schedule_get_root(all), 0);
	isl_schedule_free(all);
	node = isl_schedule_node_sequence_splice_children(node);
	all = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	all = poly_add_band(all, isl_multi_union_pw_aff_union_add(
		isl_schedule_node_band_get_partial_schedule(band[0]),
		isl_schedule_node_band_get_partial_schedule(band[1])), band[1]);
	node = isl_schedule_node_child(isl_schedule_get_root(all), 0);
	isl_schedule_free(all);
	node = isl_schedule_node_insert_filter(node,
		isl_union_set_union(filter[0], filter[1]));
	node = poly_insert_kernel_mark(node, k[1]->name);
	all = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	for (int i = 0; i < 2; i++)
		isl_schedule_node_free(band[i]);
	return all;
}

/* The place of "kernel" in the sequence "node" whose children they are; -1 if it is
 * none of them.
 */
static int child_of(__isl_keep isl_schedule_node *node,
	const struct poly_kernel *kernel)
{
	int n = isl_schedule_node_n_children(node), found = -1;

	for (int i = 0; i < n; i++) {
		isl_schedule_node *mark = isl_schedule_node_grandchild(
			isl_schedule_node_copy(node), i, 0);
		const char *name = poly_mark_kernel(mark);

		if (name && !strcmp(name, kernel->name))
			found = i;
		isl_schedule_node_free(mark);
	}
	return found;
}

/* The filters of the children of the sequence "node", with one for "first" and the
 * next.
 */
static __isl_give isl_union_set_list *outer_filters(
	__isl_keep isl_schedule_node *node, int first)
{
	int n = isl_schedule_node_n_children(node);
	isl_union_set_list *list = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(node), n);

	for (int i = 0; i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(node, i);
		isl_union_set *filter =
			isl_schedule_node_filter_get_filter(child);

		isl_schedule_node_free(child);
		if (i == first + 1) {
			filter = isl_union_set_union(filter,
				isl_union_set_list_get_at(list, first));
			list = isl_union_set_list_drop(list, first, 1);
		}
		list = isl_union_set_list_add(list, filter);
	}
	return list;
}

/* Put the tree "all" in the place of children "first" and the next of the sequence
 * "node".
 */
static __isl_give isl_schedule *replace(__isl_take isl_schedule_node *node,
	int first, __isl_take isl_schedule *all)
{
	int n = isl_schedule_node_n_children(node);
	isl_schedule_node *tree = isl_schedule_node_child(
		isl_schedule_get_root(all), 0);
	isl_schedule_node *copy = isl_schedule_node_copy(node);
	isl_schedule *schedule;

	isl_schedule_free(all);
	node = isl_schedule_node_cut(node);
	if (n > 2) {
		isl_union_set_list *list = outer_filters(copy, first);

		node = isl_schedule_node_insert_sequence(node, list);
		for (int i = 0; i < n - 1; i++) {
			int from = i > first ? i + 1 : i;
			isl_schedule_node *child = isl_schedule_node_grandchild(
				isl_schedule_node_copy(copy), from, 0);

			node = isl_schedule_node_grandchild(node, i, 0);
			node = poly_tree_copy(node, i == first ? tree : child);
			node = isl_schedule_node_ancestor(node, 2);
			isl_schedule_node_free(child);
		}
	} else {
		node = poly_tree_copy(node, tree);
	}
	isl_schedule_node_free(copy);
	isl_schedule_node_free(tree);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* The sequence whose neighbouring children the kernels "k" are, and in "*first"
 * which; NULL if they are not.
 */
static __isl_give isl_schedule_node *common_sequence(struct poly_prog *prog,
	struct poly_kernel *const k[2], int *first)
{
	isl_schedule_node *node = poly_kernel_node(prog, k[0]);

	node = isl_schedule_node_ancestor(node, 3);
	*first = -1;
	if (isl_schedule_node_get_type(node) == isl_schedule_node_sequence)
		*first = child_of(node, k[0]);
	if (*first >= 0 && child_of(node, k[1]) == *first + 1)
		return node;
	return isl_schedule_node_free(node);
}

/* ------------------------------------------------------------------- the pass */

/* The steps of the second product in whole tiles, and in "*fits" the sizes for
 * which these are all.
 */
static int count_steps(const struct poly_link *l, const struct poly_stmt *op,
	isl_set **fits)
{
	int n = poly_range_count(l->prog, isl_set_copy(op->domain), 2);
	isl_set *more = isl_set_lower_bound_si(isl_set_copy(op->domain),
		isl_dim_set, 2, n);

	more = isl_set_union(more, isl_set_upper_bound_si(
		isl_set_copy(op->domain), isl_dim_set, 2, -1));
	*fits = isl_set_subtract(isl_set_params(
		isl_set_copy(l->prog->context)), isl_set_params(more));
	return n * l->kernel->tile_k;
}

/* The sizes for which "kernel" has one tile along the other axis. */
static __isl_give isl_set *one_tile(const struct poly_link *l,
	const struct poly_kernel *kernel)
{
	isl_pw_aff *n = isl_pw_aff_copy(kernel->grid[!l->axis]);

	n = isl_pw_aff_add_constant_val(n,
		isl_val_negone(isl_pw_aff_get_ctx(n)));
	return isl_pw_aff_zero_set(n);
}

static bool is_same(__isl_keep isl_pw_aff *a, __isl_keep isl_pw_aff *b)
{
	return isl_pw_aff_is_equal(a, b) == isl_bool_true;
}

/* Have both kernels the same block, and the same grid along the axis of "l"? */
static bool same_blocks(const struct poly_link *l, struct poly_kernel *const k[2])
{
	struct poly_block a = poly_kernel_block(k[0]);
	struct poly_block b = poly_kernel_block(k[1]);
	bool same = k[0]->tiled && k[1]->tiled &&
		k[0]->n_batch == k[1]->n_batch && !memcmp(&a, &b, sizeof(a));

	same = same && is_same(k[0]->grid[l->axis], k[1]->grid[l->axis]);
	for (int i = 0; i < k[0]->n_batch && same; i++)
		same = is_same(k[0]->batch[i], k[1]->batch[i]);
	return same;
}

/* The sizes of the program, those that are fixed at their values, as far as what
 * "l" needs holds for them: NULL if it does not.
 */
static __isl_give isl_set *narrowed(const struct poly_link *l,
	struct poly_kernel *const k[2], __isl_take isl_set *fits)
{
	isl_set *known = poly_known_sizes(l->prog);
	isl_bool holds;

	for (int i = 0; i < 2; i++)
		fits = isl_set_intersect(fits, one_tile(l, k[i]));
	fits = isl_set_intersect(isl_set_params(fits),
		isl_set_copy(l->prog->context));
	known = isl_set_params(known);
	holds = isl_set_is_subset(known, fits);
	isl_set_free(known);
	return holds == isl_bool_true ? poly_set_coalesce(fits) :
		isl_set_free(fits);
}

/* Let the product of "l" find in shared memory what the last group of "ops[0]"
 * puts there.
 */
static isl_stat hand_on(struct poly_link *l, struct ops ops[2],
	struct poly_stmt *op, int steps)
{
	struct poly_stmt *group = ops[0].op[ops[0].n - 1];
	struct poly_array *buffer = add_buffer(l, steps);

	if (!buffer || add_stores(l, group, buffer, steps) < 0)
		return isl_stat_error;
	op->operand[l->read] = buffer;
	op->operand_index[l->read] = operand_index(l, op, buffer);
	l->array->space = POLY_REGISTER;
	return op->operand_index[l->read] ? isl_stat_ok : isl_stat_error;
}

/* The two are not apart any more. */
static void forget_apart(struct poly_prog *prog, struct poly_kernel *const k[2])
{
	struct poly_str begin = { 0 };

	poly_str_printf(&begin, "%s and %s ", k[0]->name, k[1]->name);
	if (prog->report && begin.s)
		poly_report_drop(prog->report, MSG_POLY_APART, begin.s);
	poly_str_free(&begin);
}

/* Make the kernels "k" one, unless something is in the way; "*joined" says. */
static isl_stat join(struct poly_prog *prog, struct poly_kernel *const k[2],
	struct poly_link *l, struct ops ops[2], bool *joined)
{
	struct poly_stmt *op = contract_of(l, &ops[1]);
	isl_schedule_node *node;
	isl_set *fits, *context;
	isl_schedule *tree;
	int first, steps;

	if (!op || !same_blocks(l, k) ||
	    ops[0].op[ops[0].n - 1]->kind != POLY_GROUP)
		return isl_stat_ok;
	steps = count_steps(l, op, &fits);
	context = narrowed(l, k, fits);
	node = common_sequence(prog, k, &first);
	if (!context || !node || !steps ||
	    steps > l->kernel->tile[!l->axis]) {
		isl_set_free(context);
		isl_schedule_node_free(node);
		return isl_stat_ok;
	}
	*joined = true;
	forget_apart(prog, k);
	isl_set_free(prog->context);
	prog->context = context;
	tree = replace(node, first, joined_tree(prog, k));
	if (hand_on(l, ops, op, steps) < 0) {
		isl_schedule_free(tree);
		return isl_stat_error;
	}
	return poly_set_schedule(prog, tree);
}

/* Join kernel "i" of "prog" and the next one. */
static isl_stat join_next(struct poly_prog *prog, int i, bool *joined)
{
	struct poly_kernel *const k[2] = { prog->kernel[i],
		prog->kernel[i + 1] };
	struct poly_link l = { .prog = prog, .kernel = k[1] };
	isl_stat ok = isl_stat_ok;
	struct ops ops[2];

	l.n_outer = poly_kernel_n_outer(prog, k[1]);
	for (int d = 0; d < 2; d++) {
		find_ops(prog, k[d], &ops[d]);
		l.stmt[d] = ops[d].member;
		l.n[d] = ops[d].n_member;
		if (!ops[d].op || !ops[d].member)
			ok = isl_stat_error;
	}
	if (ok == isl_stat_ok && poly_find_link(&l))
		ok = join(prog, k, &l, ops, joined);
	poly_clear_link(&l);
	for (int d = 0; d < 2; d++)
		free_ops(&ops[d]);
	return ok;
}

/* Make one kernel of each that is to be chained and the next.
 *
 * requires tiles, before registers; establishes chains and new deps
 */
isl_stat poly_chain(struct poly_prog *prog)
{
	bool any = false;

	for (int i = 0; i + 1 < prog->n_kernel; i++) {
		bool joined = false;

		if (!prog->kernel[i]->chained)
			continue;
		prog->kernel[i]->chained = false;
		if (join_next(prog, i, &joined) < 0)
			return poly_isl_error(prog, "chain");
		if (joined)
			poly_prog_drop_kernel(prog, i--);
		any |= joined;
	}
	return any ? poly_deps(prog) : isl_stat_ok;
}
