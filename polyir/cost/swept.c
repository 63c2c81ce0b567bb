/* What a thread loads of arrays whose windows it sweeps over: sums with few terms, whose
 * loops are written out, so that it has each element in a register once.
 *
 *	Y(i,j) = sum(p,q: X(i+p,j+q))		3 x 3, of one j 3 rows of 3 elements
 *						of four j 3 rows of 6 elements
 *
 * of which one instruction loads two or four at once, if rows begin where it may. map decides
 * by that how many cells a thread has, and price.c how long a kernel takes.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"

bool poly_swept_is_box(struct poly_swept *s)
{
	isl_set *set = isl_set_project_out_all_params(isl_set_intersect_params(
		isl_set_copy(s->stmt->domain), poly_known_sizes(s->prog)));
	isl_set *box = isl_set_universe(isl_set_get_space(set));
	bool is = true;

	for (int d = 0; d < s->n && is; d++) {
		isl_val *low = isl_set_dim_min_val(isl_set_copy(set), d);
		isl_val *high = isl_set_dim_max_val(isl_set_copy(set), d);

		is = isl_val_is_int(low) == isl_bool_true &&
			isl_val_is_int(high) == isl_bool_true &&
			(d != s->dim || isl_val_is_zero(low) == isl_bool_true);
		if (is)
			s->count[d] = isl_val_get_num_si(high) -
				isl_val_get_num_si(low) + 1;
		box = isl_set_lower_bound_val(box, isl_dim_set, d, low);
		box = isl_set_upper_bound_val(box, isl_dim_set, d, high);
	}
	is = is && isl_set_is_equal(set, box) == isl_bool_true;
	isl_set_free(set);
	isl_set_free(box);
	return is;
}

double poly_swept_terms(const struct poly_swept *s)
{
	double n = 1;

	for (int d = 0; d < s->n; d++)
		n *= s->inner[d] ? s->count[d] : 1;
	return n;
}

bool poly_swept_moves(const struct poly_swept *s, int d)
{
	return isl_multi_pw_aff_involves_dims(s->stmt->write_index, isl_dim_in, d,
		1) == isl_bool_true;
}

/* The only affine expression of "pa", which is taken, without divisions; NULL: it is none. */
static __isl_give isl_aff *only_aff(__isl_take isl_pw_aff *pa)
{
	isl_aff *aff = isl_pw_aff_isa_aff(pa) == isl_bool_true ?
		isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;

	isl_pw_aff_free(pa);
	if (aff && isl_aff_dim(aff, isl_dim_div) > 0)
		aff = isl_aff_free(aff);
	return aff;
}

static int64_t coefficient(__isl_keep isl_aff *aff, int d)
{
	isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, d);
	int64_t n = isl_val_is_int(v) == isl_bool_true ? isl_val_get_num_si(v) : 0;

	isl_val_free(v);
	return n;
}

bool poly_reach_of(const struct poly_swept *s, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, struct poly_reach *r)
{
	int last = poly_row_dim(s->prog, a);
	isl_aff *aff = last < 0 ? NULL : only_aff(isl_multi_pw_aff_get_at(index, last));

	*r = (struct poly_reach){ .rows = 1, .again = 1, .wide = 1, .terms = 1, .straight = true };
	if (!aff)
		return false;
	for (int i = 0; i < a->n_dim && s->dim >= 0; i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		r->straight &= i == last || isl_pw_aff_involves_dims(pa, isl_dim_in,
			s->dim, 1) != isl_bool_true;
		isl_pw_aff_free(pa);
	}
	r->step = s->dim < 0 ? 0 : coefficient(aff, s->dim);
	for (int d = 0; d < s->n; d++) {
		int64_t by = s->inner[d] ? coefficient(aff, d) : 0;

		if (by) {
			r->wide += llabs(by) * (s->count[d] - 1);
			r->terms *= s->count[d];
		} else if (s->inner[d] && isl_multi_pw_aff_involves_dims(index, isl_dim_in,
			   d, 1) == isl_bool_true) {
			r->rows *= s->count[d];
		} else if (s->inner[d]) {
			r->again *= s->count[d];
		}
	}
	isl_aff_free(aff);
	return true;
}

/* The elements that one instruction moves of those that a thread has in a row of "a", if
 * these begin at multiples of "step" elements.
 */
static int vector_of(struct poly_prog *prog, const struct poly_array *a, int64_t step)
{
	int size = poly_type_size(a->type), n = 1;

	while (2 * n * size <= POLY_RUN_BYTES && step % (2 * n) == 0 &&
	       poly_row_align(prog, a) % (2 * n * size) == 0)
		n *= 2;
	return n;
}

double poly_reach_loads(struct poly_prog *prog, const struct poly_array *a,
	const struct poly_reach *r, int run, int *vector)
{
	*vector = vector_of(prog, a, r->step * run);
	return r->rows * fmin(ceil((double)(r->step * (run - 1) + r->wide) / *vector),
		(double)r->terms * run);
}
