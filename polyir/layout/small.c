/* Do 32 bits hold what is computed on the way to an index? A kernel with tiles asks only
 * whether they hold the index itself: of (50001 i) / 100003 that is not the same.
 *
 * Addresses are computed in 32 bits where that is safe, as 64-bit integers take
 * two instructions each on the device. The index itself has 32 bits for an
 * array of less than 2^31 elements; what is asked here is whether all
 * intermediate products have, too.
 */
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/set.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Multiples of a coordinate that surely have 32 bits wherever an element has; how many
 * times as large as a coordinate may be those are at most that a tile has behind it; of how
 * many points a whole tile has a multiple, at most.
 */
enum { SMALL = 16, BEHIND = 2, WHOLE = 4096 };

/* A look at the functions of a statement's instances.
 *
 * "small" stays true until something large is found. Where tiles are "whole", nothing is
 * behind them but along dimension "along", which goes on to a multiple of WHOLE. A function
 * that divides is large unless it "divides" by right; with "any" no other is.
 */
struct look {
	isl_set *domain;
	bool small, whole, divides, any;
	int along;
};

/* Have "by" times dimension "d" of the domain, and of what a tile has behind it, surely
 * 32 bits?
 *
 * Takes "by", which is positive. Asks isl for the extremes of the dimension
 * only if the factor is large, or all that has bounds is to be small.
 */
static bool is_small_product(const struct look *k, int d, __isl_take isl_val *by)
{
	bool few = isl_val_cmp_si(by, SMALL) <= 0, small = true;
	bool ask = !few || (k->divides && isl_val_is_zero(by) == isl_bool_false);

	for (int end = 0; end < 2 && ask; end++) {
		isl_val *v = end ? isl_set_dim_max_val(isl_set_copy(k->domain),
			d) : isl_set_dim_min_val(isl_set_copy(k->domain), d);

		v = isl_val_ceil(isl_val_mul(isl_val_add_ui(isl_val_abs(v), 1),
			isl_val_copy(by)));
		if (isl_val_is_int(v) == isl_bool_true)
			small &= isl_val_cmp_si(v, INT32_MAX / BEHIND) <= 0;
		else
			small &= few;
		isl_val_free(v);
	}
	isl_val_free(by);
	return small;
}

/* The least or greatest value that dimension "d" has in whole tiles. */
static __isl_give isl_val *end_of(const struct look *k, int d, bool greatest)
{
	isl_val *v = greatest ? isl_set_dim_max_val(isl_set_copy(k->domain), d) :
		isl_set_dim_min_val(isl_set_copy(k->domain), d);

	if (!greatest || d != k->along || isl_val_is_int(v) != isl_bool_true)
		return v;
	v = isl_val_ceil(isl_val_div_ui(isl_val_add_ui(v, 1), WHOLE));
	return isl_val_sub_ui(isl_val_mul_ui(v, WHOLE), 1);
}

/* What is above 0, and what is below. */
struct ends {
	isl_val *sum[2];
};

static void add_end(struct ends *e, __isl_take isl_val *v)
{
	bool below = isl_val_is_neg(v) == isl_bool_true;

	e->sum[below] = isl_val_add(e->sum[below], v);
}

/* Have all sums of terms of "aff", its constant among them, 32 bits wherever its dimensions
 * have values of whole tiles? What is above 0 and what is below, each by itself, bound them;
 * a size that is not fixed has no value, and what is added to that none.
 */
static bool is_small_sum(const struct look *k, __isl_keep isl_aff *aff)
{
	struct ends e = { { isl_val_zero(isl_aff_get_ctx(aff)),
		isl_val_zero(isl_aff_get_ctx(aff)) } };
	int n = isl_aff_dim(aff, isl_dim_in);
	int n_size = isl_aff_dim(aff, isl_dim_param);
	bool small = isl_aff_involves_locals(aff) == isl_bool_false;

	add_end(&e, isl_aff_get_constant_val(aff));
	for (int i = 0; i < n_size; i++)
		if (isl_aff_involves_dims(aff, isl_dim_param, i, 1))
			add_end(&e, isl_val_mul(isl_aff_get_coefficient_val(aff,
				isl_dim_param, i),
				isl_set_plain_get_val_if_fixed(k->domain,
				isl_dim_param, i)));
	for (int d = 0; d < n; d++)
		for (int end = 0; end < 2 && isl_aff_involves_dims(aff,
		     isl_dim_in, d, 1); end++)
			add_end(&e, isl_val_mul(isl_aff_get_coefficient_val(aff,
				isl_dim_in, d), end_of(k, d, end)));
	for (int i = 0; i < 2; i++) {
		e.sum[i] = isl_val_abs(e.sum[i]);
		small &= isl_val_is_int(e.sum[i]) == isl_bool_true &&
			isl_val_cmp_si(e.sum[i], (long) INT32_MAX + i) <= 0;
		isl_val_free(e.sum[i]);
	}
	return small;
}

/* Are the products in "aff" small, and in the numerators of its floors?
 *
 * A sum of small products is small: there are few dimensions, and the limit
 * leaves them room.
 */
static bool is_small_aff(const struct look *k, __isl_keep isl_aff *aff)
{
	int n = isl_aff_dim(aff, isl_dim_in), n_div = isl_aff_dim(aff, isl_dim_div);
	bool small = true;

	if (k->whole || k->any)
		return k->any || is_small_sum(k, aff);
	for (int d = 0; d < n && small; d++)
		small = is_small_product(k, d, isl_val_abs(
			isl_aff_get_coefficient_val(aff, isl_dim_in, d)));
	for (int i = 0; i < n_div && small; i++) {
		isl_val *by = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
		isl_aff *div = isl_aff_get_div(aff, i);

		if (isl_val_is_zero(by) == isl_bool_false) {
			isl_val *den = isl_aff_get_denominator_val(div);

			div = isl_aff_scale_val(div, isl_val_max(den,
				isl_val_abs(isl_val_copy(by))));
			small = is_small_aff(k, div);
		}
		isl_val_free(by);
		isl_aff_free(div);
	}
	return small;
}

/* Look at one piece of an index.
 *
 * A division has an inner product of its own size: then 64 bits, as a rule.
 */
static isl_stat look_at_aff(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct look *k = user;

	k->small &= (k->divides ||
		isl_aff_involves_locals(aff) == isl_bool_false) &&
		is_small_aff(k, aff);
	isl_set_free(set);
	isl_aff_free(aff);
	return isl_stat_ok;
}

/* Has "index" no divisions, and small products? */
static void look_at_index(struct look *k, __isl_keep isl_multi_pw_aff *index)
{
	for (int i = 0; i < isl_multi_pw_aff_size(index); i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		isl_pw_aff_foreach_piece(pa, look_at_aff, k);
		isl_pw_aff_free(pa);
	}
}

static void look_at_expr(struct look *k, const struct poly_expr *e)
{
	if (e->index)
		look_at_index(k, e->index);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		look_at_expr(k, e->arg[i]);
}

/* Look at one constraint of the domain.
 *
 * Guards compute the constraints of the domain, so these count as well.
 */
static isl_stat look_at_constraint(__isl_take isl_constraint *c, void *user)
{
	struct look *k = user;
	isl_aff *aff = isl_constraint_get_aff(c);

	k->small &= is_small_aff(k, aff);
	isl_aff_free(aff);
	isl_constraint_free(c);
	return isl_stat_ok;
}

static isl_stat look_at_part(__isl_take isl_basic_set *bset, void *user)
{
	isl_stat ok = isl_basic_set_foreach_constraint(bset,
		look_at_constraint, user);

	isl_basic_set_free(bset);
	return ok;
}

/* Are all functions of "stmt" small, looked at as "k" does? Its domain, which is taken, is
 * that of the statement unless it is set.
 */
static bool is_small(struct poly_prog *prog, const struct poly_stmt *stmt, struct look k)
{
	if (!k.domain)
		k.domain = isl_set_intersect_params(isl_set_copy(stmt->domain),
			poly_known_sizes(prog));
	k.small = k.divides ||
		isl_set_involves_locals(stmt->domain) == isl_bool_false;
	look_at_index(&k, stmt->write_index);
	look_at_expr(&k, stmt->rhs);
	isl_set_foreach_basic_set(stmt->domain, look_at_part, &k);
	isl_set_free(k.domain);
	return k.small;
}

/* False if isl fails: 64 bits are always right. */
bool poly_is_small(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	return is_small(prog, stmt, (struct look) { .along = -1 });
}

bool poly_is_small_in_tiles(struct poly_prog *prog, const struct poly_stmt *stmt, int along)
{
	return is_small(prog, stmt, (struct look) { .along = along, .whole = true });
}

bool poly_is_small_on(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_take isl_set *set)
{
	bool small = is_small(prog, stmt, (struct look) { .along = -1, .divides = true });

	small = small || is_small(prog, stmt, (struct look) {
		.domain = isl_set_copy(set), .along = -1, .whole = true, .divides = true });
	isl_set_free(set);
	return small;
}

bool poly_has_small_places(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	struct look k = { .domain = isl_set_intersect_params(isl_set_copy(stmt->domain),
		poly_known_sizes(prog)) };
	int n = isl_set_dim(k.domain, isl_dim_set);
	bool small = is_small(prog, stmt, (struct look) { .along = -1, .any = true });

	for (int d = 0; d < n && small; d++)
		for (int end = 0; end < 2; end++) {
			isl_val *v = isl_val_abs(end_of(&k, d, end));

			small &= isl_val_is_int(v) == isl_bool_true &&
				isl_val_cmp_si(v, INT32_MAX / BEHIND) < 0;
			isl_val_free(v);
		}
	isl_set_free(k.domain);
	return small;
}
