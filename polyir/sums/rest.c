/* The rest of a product: tiles beyond those that fill the machine.
 *
 * Where tiles are two rounds of the machine and a few more, these few take as
 * long as a round, while most of it idles. As a product of their own, whose sum
 * is divided into parts (split.c), they fill it, too:
 *
 *	before: S[i, j, k], i < 3072	24 x 24 tiles
 *	after:	S[i, j, k], i < 2816	22 x 24 tiles
 *		S_cut[i, j, k],		 2 x 24 tiles, which become 11 parts
 *		  2816 <= i < 3072
 *
 * What the statement shares its kernel with, the beginning of the sums and what
 * is made of them, is cut at the same place. The model (model.c) says whether
 * that is worth its launches; a configuration that has the parts of the sum
 * leaves it whole.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/prepare/prepare.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* Places that are tried along an axis, at most. */
#define PLACES 128
/* No rest takes less than this part of the time of as many points. */
#define LEAST_SHARE 0.5

/* Where a product is best cut: points along "axis" before the rest. */
struct place {
	int axis;
	double points, cycles;
};

/* The cycles of the product with its first "points" along "axis" apart from the
 * others, "best" if they are more.
 */
static double cut_cycles(const struct poly_work *w, int axis, double points,
	double whole, double best)
{
	double left = w->points[axis] - points, cycles;
	struct poly_work part = *w;

	part.points[axis] = points;
	cycles = poly_copies_elements(w) ? poly_divided_cycles(&part) :
		poly_best_block(&part).estimate.cycles;
	if (cycles + LEAST_SHARE * whole * left / w->points[axis] >= best)
		return best;
	part.points[axis] = left;
	cycles += poly_divided_cycles(&part) + w->rates->launch;
	return cycles < best ? cycles : best;
}

/* Find the best place; false if none is clearly better than no cut. */
static bool find_place(const struct poly_work *w, struct place *p)
{
	double whole = poly_divided_cycles(w), best = w->rates->clearly * whole;
	struct poly_block usual = poly_usual_block(w);

	*p = (struct place){ .cycles = best };
	for (int d = 0; d < 2; d++) {
		double tile = usual.tile[d];

		if (w->points[d] / tile > PLACES)
			tile *= ceil(w->points[d] / tile / PLACES);
		for (double n = tile; n < w->points[d]; n += tile) {
			double cycles = cut_cycles(w, d, n, whole, p->cycles);

			if (cycles < p->cycles)
				*p = (struct place){ d, n, cycles };
		}
	}
	return p->cycles < best;
}

/* ---------------------------------------------------------------- the cut */

/* The member of "band" that counts dimension "dim" of "stmt", or NULL. */
static __isl_give isl_union_pw_aff *find_member(
	__isl_keep isl_schedule_node *band, const struct poly_stmt *stmt,
	int dim)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(band);
	isl_union_pw_aff *found = NULL;
	int n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; i < n && !found; i++) {
		found = isl_multi_union_pw_aff_get_at(partial, i);
		if (poly_counted_dim(found, stmt) != dim)
			found = isl_union_pw_aff_free(found);
	}
	isl_multi_union_pw_aff_free(partial);
	return found;
}

/* "member" as a function of the instances of "stmt". */
static __isl_give isl_pw_aff *value(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt)
{
	return isl_pw_aff_intersect_domain(
		poly_member_at(member, stmt->domain),
		isl_set_copy(stmt->domain));
}

/* The value of "member" behind the first "points" instances of "stmt"; NaN if
 * the first one is no constant.
 */
static __isl_give isl_val *value_at(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt, double points)
{
	isl_val *first = isl_pw_aff_min_val(value(member, stmt));

	if (isl_val_is_int(first) != isl_bool_true)
		return first;
	return isl_val_add_ui(first, (unsigned long)points);
}

/* Cut "stmt" where "member" is "at"; nothing if all of it is on one side. */
static isl_stat cut_at(struct poly_prog *prog, struct poly_stmt *stmt,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_val *at)
{
	isl_pw_aff *pa = value(member, stmt);
	isl_pw_aff *limit = isl_pw_aff_val_on_domain(isl_pw_aff_domain(
		isl_pw_aff_copy(pa)), isl_val_copy(at));
	isl_set *piece[2];

	piece[0] = isl_pw_aff_lt_set(isl_pw_aff_copy(pa),
		isl_pw_aff_copy(limit));
	piece[1] = isl_pw_aff_ge_set(pa, limit);
	if (isl_set_is_empty(piece[0]) == isl_bool_false &&
	    isl_set_is_empty(piece[1]) == isl_bool_false)
		return poly_cut_stmt(prog, stmt, piece, 2);
	isl_set_free(piece[0]);
	isl_set_free(piece[1]);
	return isl_stat_ok;
}

/* Has "stmt" the kernel of "list" for itself, with points that are no sums and
 * move with "member"?
 */
static bool can_cut(struct poly_stmt *const *list, int n,
	const struct poly_stmt *stmt, __isl_keep isl_union_pw_aff *member)
{
	for (int i = 0; i < n; i++)
		if (list[i]->kind != POLY_POINT || list[i]->across ||
		    poly_counted_dim(member, list[i]) < 0 ||
		    (list[i] != stmt && list[i]->reduce != POLY_OP_NONE))
			return false;
	return true;
}

/* Cut the statements of "band" behind the first "points" of dimension "dim" of
 * "stmt"; "*n" counts.
 */
static isl_stat cut_band(struct poly_prog *prog, struct poly_stmt *stmt,
	__isl_keep isl_schedule_node *band, int dim, double points, int *n)
{
	isl_union_pw_aff *member = find_member(band, stmt, dim);
	isl_union_set *domain = poly_node_domain(band);
	isl_val *at = member ? value_at(member, stmt, points) : NULL;
	int n_stmt;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n_stmt);
	isl_stat ok = isl_stat_ok;

	if (member && list && isl_val_is_int(at) == isl_bool_true &&
	    can_cut(list, n_stmt, stmt, member)) {
		for (int i = 0; i < n_stmt && ok == isl_stat_ok; i++)
			ok = cut_at(prog, list[i], member, at);
		++*n;
	}
	free(list);
	isl_val_free(at);
	isl_union_set_free(domain);
	isl_union_pw_aff_free(member);
	return ok;
}

isl_stat poly_cut_rest(struct poly_prog *prog, struct poly_stmt *stmt, int *n)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt } };
	isl_schedule_node *band;
	struct poly_work w;
	struct place place;
	int axis[2], k;
	isl_stat ok;

	if (poly_config_parts(prog, stmt->write_array->name) ||
	    !poly_split_read(&s) ||
	    !poly_split_product(&s, axis, &k, &w) || k < 0 ||
	    !poly_work_is_known(&w) || !find_place(&w, &place))
		return isl_stat_ok;
	band = poly_split_band(&s);
	if (!band)
		return isl_stat_ok;
	ok = cut_band(prog, stmt, band, axis[place.axis], place.points, n);
	isl_schedule_node_free(band);
	return ok;
}
