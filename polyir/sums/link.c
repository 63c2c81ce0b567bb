/* Does a kernel hand its result to the next one's product, and had both better be
 * one kernel (chain.c)?
 *
 * T, a temporary that the points of the first kernel write, each its own element,
 * and nobody but a product of the second reads, along its sum:
 *
 *	T[i,h] = relu(sum k: X[i,k] V[k,h])	axis 0: both kernels' tiles have
 *	Z[i,j] = sum h: T[i,h] W[h,j]		the rows i
 *
 * Whether one kernel is better the model of blocks says: of both products in the
 * same blocks, which have the buffers of both and room for T, against each by
 * itself, its sum divided if that is best. Where the rows are of no fixed number,
 * or the steps of the first sum, it is asked for some, and the means decide.
 */
#include <math.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/sums/sums.h"
#include "polyir/map/map.h"
#include "polyir/sums/split.h"

void poly_clear_link(struct poly_link *l)
{
	isl_map_free(l->view);
}

/* ------------------------------------------------------------- what is handed */

static bool any_touches(struct poly_stmt **list, int n,
	const struct poly_array *array)
{
	for (int i = 0; i < n; i++)
		if (poly_touches(list[i], array))
			return true;
	return false;
}

/* How many statements of the program touch "array". */
static int count_touching(struct poly_stmt **list, int n,
	const struct poly_array *array)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += list[i]->kind == POLY_POINT &&
			poly_touches(list[i], array);
	return count;
}

/* Is "array" a temporary that only these two kernels touch? */
static bool is_between(const struct poly_link *l, const struct poly_array *array)
{
	return poly_is_temp(array) && array->space == POLY_GLOBAL &&
		count_touching(l->prog->stmt, l->prog->n_stmt, array) ==
		count_touching(l->stmt[0], l->n[0], array) +
		count_touching(l->stmt[1], l->n[1], array);
}

/* Find the one array that the first kernel writes and the second reads. */
static bool find_array(struct poly_link *l)
{
	for (int i = 0; i < l->prog->n_array; i++) {
		struct poly_array *a = l->prog->array[i];
		bool back = poly_any_writes(l->stmt[1], l->n[1], a);

		if (!any_touches(l->stmt[0], l->n[0], a) ||
		    !any_touches(l->stmt[1], l->n[1], a) ||
		    (!back && !poly_any_writes(l->stmt[0], l->n[0], a)))
			continue;
		if (back || l->array || !is_between(l, a))
			return false;
		l->array = a;
	}
	return l->array != NULL;
}

/* Find the one read of it, by a product. */
static bool find_read(struct poly_link *l)
{
	int found = 0;

	for (int i = 0; i < l->n[1]; i++) {
		struct poly_expr *leaf[POLY_MAX_OPERAND];
		struct poly_stmt *s = l->stmt[1][i];
		int n = poly_leaves(s, leaf);

		if (n > POLY_MAX_OPERAND)
			return false;
		for (int k = 0; k < n; k++) {
			if (leaf[k]->array != l->array)
				continue;
			l->product = s;
			l->read = k;
			found++;
		}
	}
	return found == 1 && l->product->reduce != POLY_OP_NONE &&
		isl_multi_aff_dim(l->product->at, isl_dim_in) ==
		3 + l->n_outer;
}

/* "{ [p0, p1, pk, z..] -> [p0, pk, z..] }" for axis 0: the point of the first
 * product whose result step pk of the second reads.
 */
static __isl_give isl_map *handed_point(const struct poly_link *l, int axis)
{
	isl_ctx *ctx = l->prog->ctx;
	isl_space *point = poly_add_dims(poly_tuple(ctx, NULL), "p", 0, 2);
	isl_aff_list *list = isl_aff_list_alloc(ctx, 2 + l->n_outer);

	point = poly_add_dims(poly_add_dim(point, "pk"), "z", 0, l->n_outer);
	list = isl_aff_list_add(list, poly_at(point, axis == 0 ? "p0" : "pk"));
	list = isl_aff_list_add(list, poly_at(point, axis == 0 ? "pk" : "p1"));
	list = poly_add_at(list, point, 3, 3 + l->n_outer);
	return poly_function_map(point, NULL, list);
}

/* Find the axis along which both have the same points. */
static bool find_axis(struct poly_link *l)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	isl_map *read;

	poly_leaves(l->product, leaf);
	read = isl_map_from_multi_pw_aff(isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf[l->read]->index),
		isl_multi_aff_copy(l->product->at)));
	l->axis = -1;
	for (int d = 0; d < 2; d++) {
		isl_map *map = isl_map_apply_range(handed_point(l, d),
			isl_map_copy(l->view));

		if (isl_map_is_equal(map, read) == isl_bool_true)
			l->axis = d;
		isl_map_free(map);
	}
	isl_map_free(read);
	return l->axis >= 0;
}

bool poly_find_link(struct poly_link *l)
{
	if (l->prog->original || !find_array(l) || !find_read(l))
		return false;
	l->view = poly_own_view(l->array, l->stmt[0], l->n[0], l->n_outer, 0);
	return l->view && find_axis(l);
}

/* ----------------------------------------------------------------- the choice */

/* The works of the two products, "w", in one kernel: each has the other's buffers
 * beside its own, and what is handed on is neither written nor copied.
 */
static void share(const struct poly_link *l, struct poly_work w[2])
{
	int size = poly_type_size(l->array->type), d = l->axis;
	struct poly_work first = w[0];

	w[0].out_bytes = 0;
	w[1].bytes[d] -= size;
	for (int i = 0; i < 2; i++) {
		const struct poly_work *other = i ? &first : &w[1];

		for (int k = 0; k < 2; k++)
			w[i].beside[k] = other->bytes[k];
		w[i].beside_step = other->bytes_step;
		w[i].kept[d] = size;
		w[i].kept_steps = w[1].steps;
	}
}

/* What both together are to blocks: as much as the greater. */
static struct poly_work together(const struct poly_work w[2])
{
	struct poly_work all = w[0];

	all.words = w[1].words > all.words ? w[1].words : all.words;
	all.steps = w[1].steps > all.steps ? w[1].steps : all.steps;
	all.async &= w[1].async;
	all.deep |= w[1].deep;
	all.small |= w[1].small;
	return all;
}

/* The cycles of both in blocks "b"; INFINITY if these have not all columns that
 * are handed on, or no room for them.
 */
static double chain_cycles(const struct poly_link *l, const struct poly_work w[2],
	const struct poly_block *b)
{
	double steps = ceil(w[1].steps / b->tile_k) * b->tile_k;
	struct poly_estimate e;
	double cycles;

	if (steps > b->tile[!l->axis])
		return INFINITY;
	for (int i = 0; i < 2; i++)
		if (w[i].points[!l->axis] > b->tile[!l->axis])
			return INFINITY;
	cycles = poly_chain_cycles(w, b, &e);
	return e.shared > w[0].target.shared_bytes ? INFINITY : cycles;
}

/* The same for all sizes: the geometric mean. */
static double mean_chain(const struct poly_link *l, const struct poly_works *all,
	const struct poly_block *b)
{
	double sum = 0;

	for (int i = 0; i < all->n; i++)
		sum += log(chain_cycles(l, all->work[i], b));
	return exp(sum / all->n);
}

/* The best block for both; returns the mean of the cycles. */
static double best_chain(const struct poly_link *l, const struct poly_works *all,
	struct poly_block *best)
{
	struct poly_block list[POLY_MOST_BLOCKS];
	struct poly_work both = together(all->work[0]);
	int n = poly_all_blocks(&both, list, POLY_MOST_BLOCKS);
	double least = INFINITY;

	for (int i = 0; i < n; i++) {
		double cycles = mean_chain(l, all, &list[i]);

		if (cycles >= least)
			continue;
		least = cycles;
		*best = list[i];
	}
	return least;
}

/* The cycles of "w", that of "nest", in a kernel of its own, or in parts if the sum
 * may be divided (split.c).
 */
static double alone_cycles(const struct poly_nest *nest,
	const struct poly_work *w)
{
	bool divides = nest->n_product == 1;

	for (int i = 0; i < nest->n; i++)
		if (nest->product[i])
			divides &= poly_can_split(nest->prog, nest->point[i]) &&
				!poly_config_parts(nest->prog,
				nest->point[i]->write_array->name);
	return poly_chosen_cycles(w, divides);
}

/* The mean of the cycles of each by itself. */
static double mean_apart(const struct poly_nest *const nest[2],
	const struct poly_works *all)
{
	const struct poly_rates *r = poly_rates_of(&nest[0]->prog->target);
	double sum = 0;

	for (int i = 0; i < all->n; i++)
		sum += log(r->launch - r->fill +
			alone_cycles(nest[0], &all->work[i][0]) +
			alone_cycles(nest[1], &all->work[i][1]));
	return exp(sum / all->n);
}

/* Report the cycles of both choices for "second" and the kernel before, if
 * remarks are wanted.
 */
static void explain(const struct poly_nest *first,
	const struct poly_nest *second, double chain, double apart)
{
	struct poly_prog *prog = first->prog;
	struct poly_str s = { 0 };

	if (!prog->report || !prog->report->remarks)
		return;
	if (isinf(chain))
		poly_str_printf(&s, "no block has room for what %s hands on",
			first->kernel->name);
	else
		poly_str_printf(&s, "in one kernel with %s: %.0f cycles; each "
			"by itself: %.0f", first->kernel->name, chain, apart);
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL,
		second->kernel->name, s.s ? s.s : "");
	poly_str_free(&s);
}

/* Is something configured for one of the two, as for kernels by themselves? */
static bool is_configured(const struct poly_nest *first,
	const struct poly_nest *second)
{
	struct poly_block b;

	return poly_config_block(first->prog, first->kernel->name, &b) ||
		poly_config_block(first->prog, second->kernel->name, &b);
}

/* Have both the same points along the axis that they share, and batch? */
static bool share_points(const struct poly_link *l, const struct poly_works *all)
{
	bool same = all->same[l->axis];

	for (int i = 0; i < all->n; i++) {
		const struct poly_work *w = all->work[i];

		same &= w[0].batch == w[1].batch && w[0].points[0] > 0;
	}
	return same;
}

/* Note in "all" where along the other axis the points end. */
static void note_ends(const struct poly_link *l, struct poly_works *all)
{
	for (int k = 0; k < 2; k++) {
		double points = all->work[0][k].points[!l->axis];
		bool ends = true;

		for (int i = 0; i < all->n; i++)
			ends &= all->work[i][k].points[!l->axis] == points;
		for (int i = 0; i < all->n; i++)
			all->work[i][k].ends[!l->axis] = ends;
	}
}

/* Take from both the units that read what copies have swizzled: a product whose
 * operand another one hands on finds none.
 */
static void leave_async(struct poly_work w[2])
{
	for (int u = 1; u < POLY_N_UNIT; u++)
		for (int i = 0; i < 2 && poly_unit_is_async(u); i++)
			w[i].units &= ~(1u << u);
}

bool poly_choose_chain(const struct poly_nest *first,
	const struct poly_nest *second, const struct poly_works *works,
	struct poly_block *b)
{
	const struct poly_nest *const nest[2] = { first, second };
	struct poly_works all = *works;
	struct poly_link l = { .prog = first->prog, .kernel = second->kernel,
		.stmt = { first->point, second->point },
		.n = { first->n, second->n }, .n_outer = first->n_outer };
	const struct poly_rates *rates = poly_rates_of(&first->prog->target);
	double chain, apart;
	bool chains = !first->n_host && !second->n_host &&
		first->n_batch == second->n_batch &&
		first->prog->target.multiprocessors > 0 &&
		all.work[0][0].units == all.work[0][1].units &&
		!is_configured(first, second) &&
		poly_find_link(&l) && share_points(&l, &all);

	if (chains) {
		note_ends(&l, &all);
		apart = mean_apart(nest, &all);
		for (int i = 0; i < all.n; i++) {
			share(&l, all.work[i]);
			leave_async(all.work[i]);
		}
		chain = best_chain(&l, &all, b);
		explain(first, second, chain, apart);
		chains = chain < (first->prog->request.chains ? INFINITY :
			rates->chain_clearly * apart);
	}
	poly_clear_link(&l);
	return chains;
}
