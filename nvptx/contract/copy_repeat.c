/* nvptx: rows after which a copy repeats itself.
 *
 * The terms of a sum over windows are digits of one number, which is a row of the box:
 * row r of a filter of 2 x 2 that moves over channels reads
 *
 *	X[b][r / 4][y + r / 2 mod 2][x + r mod 2]
 *
 * Row r + 4 is one channel further, wherever r is, and lies inside of the array if row r
 * does. So a thread needs the addresses and conditions of four rows at most, and
 * constants from these to all others; LLVM does not find that among quotients and
 * remainders.
 */
#include <isl/ilp.h>
#include <isl/val.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/lower_copy.h"

/* Rows that are looked at, at most. */
enum { MOST_ROWS = 64 };

/* What is known of the quotients of an index: the least number that their divisors, where
 * they have input "dim", divide.
 */
struct divisors {
	int dim;
	int64_t common;
};

static int64_t gcd(int64_t a, int64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Callback: add the divisors of a piece. */
static isl_stat add_divisors(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
	struct divisors *all = user;

	for (int i = 0; i < isl_aff_dim(aff, isl_dim_div); i++) {
		isl_aff *div = isl_aff_get_div(aff, i);
		isl_val *d = isl_aff_get_denominator_val(div);
		int64_t n = isl_val_get_num_si(d);

		if (isl_aff_involves_dims(div, isl_dim_in, all->dim, 1) ==
		    isl_bool_true && all->common <= MOST_ROWS && n <= MOST_ROWS && n > 0)
			all->common *= n / gcd(all->common, n);
		isl_val_free(d);
		isl_aff_free(div);
	}
	isl_set_free(set);
	isl_aff_free(aff);
	return isl_stat_ok;
}

/* The least number that all divisors of input "dim" in "index" divide; 1: there are none. */
static int64_t common_divisor(__isl_keep isl_multi_pw_aff *index, int dim)
{
	struct divisors all = { dim, 1 };

	for (int i = 0; i < isl_multi_pw_aff_size(index); i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		isl_pw_aff_foreach_piece(pa, add_divisors, &all);
		isl_pw_aff_free(pa);
	}
	return all.common;
}

/* Is, of each two places of "box" that lie "by" apart along "dim", the one in "inside" if
 * the other is?
 */
static bool repeats(__isl_keep isl_set *inside, __isl_keep isl_set *box, int dim, int by)
{
	isl_multi_aff *later = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(box));
	isl_set *in = isl_set_intersect(isl_set_copy(inside), isl_set_copy(box));
	isl_set *both, *next;
	bool is;

	if (isl_set_plain_is_universe(inside) == isl_bool_true) {
		isl_multi_aff_free(later);
		isl_set_free(in);
		return true;
	}
	later = isl_multi_aff_set_at(later, dim, isl_aff_add_constant_si(
		isl_multi_aff_get_at(later, dim), by));
	both = isl_set_intersect(isl_set_copy(box), isl_set_preimage_multi_aff(
		isl_set_copy(box), isl_multi_aff_copy(later)));
	next = isl_set_intersect(isl_set_preimage_multi_aff(isl_set_copy(in), later),
		isl_set_copy(both));
	in = isl_set_intersect(in, both);
	is = isl_set_is_equal(in, next) == isl_bool_true;
	isl_set_free(in);
	isl_set_free(next);
	return is;
}

int64_t nvptx_copy_repeats(struct nvptx_lower *l, const struct nvptx_copy *c,
	__isl_keep isl_set *box, int64_t *far)
{
	const struct poly_expr *e = c->point->rhs;
	int dim = c->n_arg + !c->share.along;
	int64_t rows = c->share.size[!c->share.along], n = common_divisor(e->index, dim);

	if (!c->share.side || n < 2 || 2 * n > rows || n > MOST_ROWS)
		return 0;
	return nvptx_stride_by(l, e->array, e->index, box, dim, (int)n, far) &&
		repeats(c->inside, box, dim, (int)n) ? n : 0;
}
