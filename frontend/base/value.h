/* frontend: single values of all types, exactly and with a bound (value.c).
 *
 * A value of integers and bools is "i" (of a u64 its bits); its bound is 0, or
 * infinite where a correct program may have another. A float is "f" in the
 * program's types, and "wide", at most "bound" away from what any correct
 * program has. In the ring (ring.c) a float is "i", with its sign, and the
 * bound is 0.
 */
#ifndef FRONTEND_VALUE_H
#define FRONTEND_VALUE_H

#include "frontend/base/base.h"

struct fe_number {
	union {
		int64_t i;
		double f;
	};
	bool ring;		/* floats are elements of the ring */
	long double wide, bound;
};

/* How an interpreter works. */
struct fe_work {
	double left;		/* operations that it may still do */
	bool spent;		/* it needed more */
	bool ring;
	bool relaxed;		/* units may cut sums of products of 8 bits */
};
/* Do "n" operations; false if they are too many. */
static inline bool fe_work_do(struct fe_work *w, double n)
{
	w->left -= n;
	w->spent |= w->left < 0;
	return !w->spent;
}

/* Element "at" of "data". */
struct fe_number fe_value_load(enum poly_type t, const void *data,
	int64_t at, bool ring);
/* A literal of type "t"; an integer as the type "t". */
struct fe_number fe_value_const(enum poly_type t, double x, bool ring);
struct fe_number fe_value_integer(enum poly_type t, int64_t x, bool ring);
/* "op" on values of type "arg", computed in that type; the result is of the
 * same type, or a bool for comparisons.
 */
struct fe_number fe_value_apply(enum poly_op op, enum poly_type arg,
	const struct fe_number *a, const struct fe_number *b);
/* The same for three arguments. */
struct fe_number fe_value_apply3(enum poly_op op, enum poly_type t,
	const struct fe_number x[3]);
struct fe_number fe_value_select(enum poly_type t,
	const struct fe_number *cond, const struct fe_number *a,
	const struct fe_number *b);
struct fe_number fe_value_cast(enum poly_type to, enum poly_type from,
	const struct fe_number *a);
/* The bits of the float "a" of the type "from", f32 or f64. */
struct fe_number fe_value_bits(enum poly_type from, const struct fe_number *a);
/* function.c: the function "op" of one float, and how far it is from that within "e" of
 * "x": all are monotone there, or the exceptions are looked at.
 */
long double fe_function_value(enum poly_op op, long double x);
long double fe_function_spread(enum poly_op op, long double x, long double e);

/* philox.c: the random number "i" of "seed"; the generator's block for the counter
 * "word", which it replaces, and the key "key".
 */
uint32_t fe_philox(uint64_t seed, uint64_t i);
void fe_philox_block(uint32_t word[4], uint64_t key);

/* ring.c: elements of the ring of the float type "t"; for operations, of the
 * type that computes. The low bits of "x"; a literal; element "at" of "data".
 */
int64_t fe_ring_wrap(enum poly_type t, uint64_t x);
int64_t fe_ring_const(enum poly_type t, double x);
int64_t fe_ring_load(enum poly_type t, const void *data, int64_t at);
int64_t fe_ring_apply(enum poly_op op, enum poly_type t, const int64_t *x);

/* What value.c, value_float.c and value_sum.c share. */

bool fe_value_is_float(enum poly_type t);
/* Unit roundoff of "t", with something to spare. */
long double fe_value_unit(enum poly_type t);
void fe_value_check_range(struct fe_number *v, enum poly_type t);
/* A result in "t" that is off by "ulp" units beyond correct rounding. */
void fe_value_add_rounding(struct fe_number *v, enum poly_type t, int ulp);
/* "v", of the type "t", was put together by a scan, of terms whose sizes are "size" in all:
 * let the bound cover the roundings on the way.
 */
void fe_value_allow_scan(struct fe_number *v, enum poly_type t, long double size);
/* Nothing is known of "v" if that is so of the arguments or it is no finite
 * number.
 */
void fe_value_check_known(struct fe_number *v, const struct fe_number *a,
	const struct fe_number *b);
/* "op" on floats of the type "t"; "b" is NULL for functions of one argument. */
struct fe_number fe_value_float(enum poly_op op, enum poly_type t,
	const struct fe_number *a, const struct fe_number *b);

/* What fe_interp_eval tells of "x". */
void fe_value_result(enum poly_type t, const struct fe_number *x,
	struct fe_value *v);

/* A reduction by "op" in the type "type", in any order. */
struct fe_sum {
	enum poly_op op;
	enum poly_type type;
	struct fe_number value;
	long double size;	/* of the terms with positive signs */
	long double most;	/* what some of the factors come to, at most */
	int64_t n;
	bool cut;		/* to 13 digits, at each addition */
};
/* Begin with the value that changes nothing, of the type "stored". */
void fe_sum_begin(struct fe_sum *s, enum poly_op op, enum poly_type stored,
	bool ring);
void fe_sum_add(struct fe_sum *s, const struct fe_number *x);
struct fe_number fe_sum_end(const struct fe_sum *s);

#endif
