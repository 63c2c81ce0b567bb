/* Reductions of single values, in any order. */
#include <math.h>

#include "frontend/base/value.h"

void fe_sum_begin(struct fe_sum *s, enum poly_op op, enum poly_type stored,
	bool ring)
{
	int bits = 8 * poly_type_size(stored);
	bool sign = poly_type_class(stored) == POLY_CLASS_INT;
	uint64_t ends[2];

	*s = (struct fe_sum) { .op = op, .type = poly_type_compute(stored) };
	if (op == POLY_OP_ADD || op == POLY_OP_MUL) {
		s->value = fe_value_const(s->type, op == POLY_OP_MUL, ring);
		s->size = op == POLY_OP_MUL;
		s->most = 1;
		return;
	}
	if (op == POLY_OP_AND || op == POLY_OP_OR || op == POLY_OP_XOR) {
		s->value = fe_value_integer(s->type, op != POLY_OP_AND ? 0 :
			stored == POLY_BOOL ? 1 : -1, ring);
		return;
	}
	if (fe_value_is_float(stored)) {
		s->value = fe_value_const(s->type, op == POLY_OP_MIN ?
			INFINITY : -INFINITY, ring);
		return;
	}
	ends[0] = sign ? ~UINT64_C(0) << (bits - 1) : 0;
	ends[1] = ~UINT64_C(0) >> (64 - bits + sign);
	s->value.i = (int64_t)ends[op == POLY_OP_MIN];
	s->value.ring = ring;
}

void fe_sum_add(struct fe_sum *s, const struct fe_number *x)
{
	bool inexact = fe_value_is_float(s->type) && !x->ring &&
		(s->op == POLY_OP_ADD || s->op == POLY_OP_MUL);
	long double ax = fabsl(x->wide) + x->bound;
	struct fe_number *v = &s->value;

	s->n++;
	if (!inexact) {
		*v = fe_value_apply(s->op, s->type, v, x);
		return;
	}
	v->bound += x->bound;
	if (s->op == POLY_OP_ADD) {
		v->f = fe_number_round(s->type, v->f + x->f);
		v->wide += x->wide;
		s->size += ax;
	} else {
		v->f = fe_number_round(s->type, v->f * x->f);
		v->wide *= x->wide;
		s->size *= ax;
		s->most *= fmaxl(ax, 1);
	}
}

/* The bound covers all orders: n roundings of the sum of all sizes. A product
 * that is not far inside the range of its type has none, and neither has one some of
 * whose factors may leave it: what becomes of inf and 0 is no number.
 */
struct fe_number fe_sum_end(const struct fe_sum *s)
{
	struct fe_number v = s->value;
	long double u = (s->cut ? 0x1p-13L : fe_value_unit(s->type)) *
		(long double)s->n;

	if (!fe_value_is_float(s->type) || v.ring || s->op == POLY_OP_MIN ||
	    s->op == POLY_OP_MAX || !s->n)
		return v;
	if (u >= 1 || isinf(v.bound) ||
	    !(fmaxl(s->size, s->most) / (1 - u) <= fe_number_max(s->type))) {
		v.wide = v.f;
		v.bound = INFINITY;
		return v;
	}
	if (s->op == POLY_OP_MUL)
		v.bound = s->size - fabsl(v.wide);
	v.bound += u / (1 - u) * s->size;
	v.bound += (long double)s->n * fe_number_tiny(s->type);
	if (s->op == POLY_OP_MUL && s->n > 2 && s->size != 0 &&
	    (s->size > 1e18L || s->size < 1e-18L))
		v.bound = INFINITY;
	fe_value_check_range(&v, s->type);
	return v;
}

/* Roundings of a sum on the way through a scan, at most: of a thread, of a warp, a block
 * and the tiles of a row.
 */
enum { SCAN_ROUNDINGS = 64 };

void fe_value_allow_scan(struct fe_number *v, enum poly_type t, long double size)
{
	if (isfinite(size))
		v->bound += ldexpl(SCAN_ROUNDINGS * size, -poly_type_digits(t));
}
