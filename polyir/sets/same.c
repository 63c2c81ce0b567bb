/* Are two functions the same on a set? Where both come to the same text on the set's
 * box (within.c), this is seen without the points where they differ: isl takes long
 * to find these.
 */
#include <isl/space.h>

#include "polyir/sets/sets.h"

/* A function, a piece of another, and whether all pieces so far are written alike. */
struct pieces {
	const struct poly_bounds *box;
	isl_pw_aff *other;
	isl_aff *piece;
	isl_bool alike;
};

/* Is this piece of the other function written as "piece" is? The sets on which the
 * two are defined play no part.
 */
static isl_stat is_alike(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user)
{
	struct pieces *p = user;
	isl_aff *rest = isl_aff_sub(poly_bounds_shorten(aff, p->box),
		isl_aff_copy(p->piece));

	if (p->alike == isl_bool_true)
		p->alike = isl_aff_plain_is_zero(rest);
	isl_set_free(set);
	isl_aff_free(rest);
	return isl_stat_ok;
}

/* Is this piece written as all pieces of the other function are? */
static isl_stat is_alike_all(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct pieces *p = user;

	p->piece = poly_bounds_shorten(aff, p->box);
	if (isl_pw_aff_foreach_piece(p->other, is_alike, p) < 0)
		p->alike = isl_bool_error;
	isl_set_free(set);
	isl_aff_free(p->piece);
	return isl_stat_ok;
}

/* Are "a" and "b", both taken, written alike on "box"? */
static isl_bool are_alike(__isl_take isl_pw_aff *a, __isl_take isl_pw_aff *b,
	const struct poly_bounds *box)
{
	struct pieces p = { .box = box, .other = b, .alike = isl_bool_true };

	if (isl_pw_aff_foreach_piece(a, is_alike_all, &p) < 0)
		p.alike = isl_bool_error;
	isl_pw_aff_free(a);
	isl_pw_aff_free(b);
	return p.alike;
}

/* Give "a", "b" and "domain" the same parameters. */
static void align(isl_multi_pw_aff **a, isl_multi_pw_aff **b, isl_set **domain)
{
	*a = isl_multi_pw_aff_align_params(*a, isl_multi_pw_aff_get_space(*b));
	*domain = isl_set_align_params(*domain, isl_multi_pw_aff_get_space(*a));
	*a = isl_multi_pw_aff_align_params(*a, isl_set_get_space(*domain));
	*b = isl_multi_pw_aff_align_params(*b, isl_set_get_space(*domain));
}

/* Are "a" and "b", both taken, the same on "domain", where both are defined? Where
 * "exact" is false, only true is an answer.
 */
static isl_bool is_same_member(__isl_take isl_pw_aff *a, __isl_take isl_pw_aff *b,
	__isl_keep isl_set *domain, const struct poly_bounds *box, bool exact)
{
	isl_bool same = are_alike(isl_pw_aff_copy(a), isl_pw_aff_copy(b), box);
	isl_set *differ;

	if (same != isl_bool_false || !exact) {
		isl_pw_aff_free(a);
		isl_pw_aff_free(b);
		return same;
	}
	differ = isl_pw_aff_ne_set(a, b);
	same = isl_set_is_disjoint(differ, domain);
	isl_set_free(differ);
	return same;
}

/* Are "a" and "b", both taken, the same on "domain"? "exact" as above. */
static isl_bool is_same(__isl_take isl_multi_pw_aff *a, __isl_take isl_multi_pw_aff *b,
	__isl_keep isl_set *domain, bool exact)
{
	isl_size n = isl_multi_pw_aff_size(a);
	isl_set *set = isl_set_copy(domain);
	struct poly_bounds *box;
	isl_bool same;

	align(&a, &b, &set);
	box = poly_bounds_of(set);
	same = n < 0 || !box ? isl_bool_error : isl_bool_true;
	for (int d = 0; same == isl_bool_true && d < n; d++)
		same = is_same_member(isl_multi_pw_aff_get_at(a, d),
			isl_multi_pw_aff_get_at(b, d), set, box, exact);
	poly_bounds_free(box);
	isl_set_free(set);
	isl_multi_pw_aff_free(a);
	isl_multi_pw_aff_free(b);
	return same;
}

isl_bool poly_is_same_on(__isl_take isl_multi_pw_aff *a,
	__isl_take isl_multi_pw_aff *b, __isl_keep isl_set *domain)
{
	return is_same(a, b, domain, true);
}

isl_bool poly_is_written_alike(__isl_take isl_multi_pw_aff *a,
	__isl_take isl_multi_pw_aff *b, __isl_keep isl_set *domain)
{
	return is_same(a, b, domain, false);
}
