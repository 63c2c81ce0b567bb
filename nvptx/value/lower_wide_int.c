/* nvptx: reference mode for integers, bools, comparisons, selections and casts.
 *
 * Integers and bools are computed exactly in their own types. They are
 * uncertain only where they come from a float that is: a comparison of numbers
 * that are too close, a cast near a step. Then an integer has a bound as
 * floats have, as long as it cannot wrap, and a bool has the bound infinity.
 *
 *	a < b ..	infinity if |a - b| <= ea + eb, unless both are exact
 *	c ? a : b	the distance to the other one, too, if c is uncertain
 *	cast to int	the change over [x - e, x + e]
 *	cast of bool	1 if it is uncertain
 *	bits		infinity if the number is uncertain
 *	+ - * neg abs min max relu of integers: as of floats
 *	and, or of bools: certain if one side decides
 *	all others	infinity if an operand is uncertain
 */
#include "nvptx/value/lower_wide.h"

/* Covers what is lost where an i64 becomes an f64.
 *
 * An i64 has more digits than an f64.
 */
static const double SLACK = 0x1p-45;

/* Bools count as integers without a sign. */
static bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

/* The value of "x" as an f64.
 *
 * A float is one already.
 */
static LLVMValueRef as_real(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef x)
{
	if (poly_type_is_float(t))
		return x;
	return is_signed(t) ? LLVMBuildSIToFP(ir->b, x, f64_type(ir), "") :
		LLVMBuildUIToFP(ir->b, x, f64_type(ir), "");
}

/* "e" enlarged by a trace of the size of "a".
 *
 * Proportional to the size, as rounding is.
 */
static LLVMValueRef with_slack(struct nvptx_ir *ir, LLVMValueRef e,
	LLVMValueRef a)
{
	return add(ir, e, mul(ir, magnitude(ir, a), real(ir, SLACK)));
}

/* 0 if "sure" holds, else infinity.
 *
 * Of a bool there is nothing in between.
 */
static LLVMValueRef bound_if(struct nvptx_ir *ir, LLVMValueRef sure)
{
	return if_or_inf(ir, sure, real(ir, 0));
}

/* Operands that are too close may compare in either way. */
struct nvptx_value nvptx_wide_compare(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x)
{
	LLVMValueRef arg[2] = { x[0].v, x[1].v }, a, b, e, apart;
	enum poly_type exact = poly_type_is_float(t) ? POLY_F64 : t;
	struct nvptx_value r = { nvptx_op_exact(ir, op, exact, arg), NULL };

	if (!x[0].bound && !x[1].bound)
		return r;
	a = as_real(ir, t, x[0].v);
	b = as_real(ir, t, x[1].v);
	e = add(ir, bound_of(ir, x[0]), bound_of(ir, x[1]));
	apart = with_slack(ir, e, add(ir, magnitude(ir, a), magnitude(ir, b)));
	apart = LLVMBuildFCmp(ir->b, LLVMRealOGT, magnitude(ir, sub(ir, a, b)),
		apart, "");
	r.bound = bound_if(ir, LLVMBuildOr(ir->b, apart, is_zero(ir, e), ""));
	return r;
}

/* Where the condition is uncertain, either value may come: the bound reaches to
 * the other one.
 */
struct nvptx_value nvptx_wide_select(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x)
{
	LLVMValueRef cond = x[0].v, other, e, far, same;
	struct nvptx_value r = { NULL, NULL };

	r.v = LLVMBuildSelect(ir->b, cond, x[1].v, x[2].v, "");
	if (!x[0].bound && !x[1].bound && !x[2].bound)
		return r;
	r.bound = LLVMBuildSelect(ir->b, cond, bound_of(ir, x[1]),
		bound_of(ir, x[2]), "");
	if (!x[0].bound)
		return r;
	other = as_real(ir, t, LLVMBuildSelect(ir->b, cond, x[2].v, x[1].v,
		""));
	e = LLVMBuildSelect(ir->b, cond, bound_of(ir, x[2]), bound_of(ir, x[1]),
		"");
	far = sub(ir, as_real(ir, t, r.v), other);
	same = LLVMBuildFCmp(ir->b, LLVMRealOEQ, as_real(ir, t, r.v), other,
		"");
	far = magnitude(ir, far);
	if (t == POLY_BOOL)
		far = real(ir, INFINITY);
	else if (!poly_type_is_float(t))
		far = with_slack(ir, far, far);
	far = LLVMBuildSelect(ir->b, same, real(ir, 0), far, "");
	e = add(ir, far, e);
	e = if_or_inf(ir, LLVMBuildFCmp(ir->b, LLVMRealORD, e, e, ""), e);
	e = greater_of(ir, e, r.bound);
	r.bound = LLVMBuildSelect(ir->b, is_zero(ir, x[0].bound), r.bound, e,
		"");
	return r;
}

/* The least and the greatest number of the integer type "t", in between.
 *
 * Within it nothing wraps.
 */
static LLVMValueRef in_type(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e)
{
	int bits = 8 * poly_type_size(t);
	double high = ldexp(1, is_signed(t) ? bits - 1 : bits);
	LLVMValueRef above, below;

	above = LLVMBuildFCmp(ir->b, LLVMRealOLT, add(ir, v, e),
		real(ir, high), "");
	below = LLVMBuildFCmp(ir->b, LLVMRealOGE, sub(ir, v, e),
		real(ir, is_signed(t) ? -high : 0), "");
	return LLVMBuildAnd(ir->b, above, below, "");
}

/* The bound "e" of an integer near "v", if it cannot wrap; none if it is 0.
 *
 * A value that may wrap may be anything.
 */
static LLVMValueRef int_bound(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e)
{
	LLVMValueRef zero = is_zero(ir, e);

	e = if_or_inf(ir, in_type(ir, t, v, e), with_slack(ir, e, e));
	return LLVMBuildSelect(ir->b, zero, real(ir, 0), e, "");
}

/* The bound of a bool: 0 if the operands are exact, as "e" is 0 then, or if one
 * that is exact decides "and" or "or".
 *
 *	false and x	is false, whatever x is
 */
static LLVMValueRef bool_bound(struct nvptx_ir *ir, enum poly_op op,
	const struct nvptx_value *x, LLVMValueRef e)
{
	LLVMValueRef sure = is_zero(ir, e), one;

	for (int i = 0; i < 2 && (op == POLY_OP_AND || op == POLY_OP_OR);
	     i++) {
		one = op == POLY_OP_OR ? x[i].v :
			LLVMBuildNot(ir->b, x[i].v, "");
		one = LLVMBuildAnd(ir->b, one, is_zero(ir, bound_of(ir, x[i])),
			"");
		sure = LLVMBuildOr(ir->b, sure, one, "");
	}
	return bound_if(ir, sure);
}

struct nvptx_value nvptx_wide_int(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x)
{
	LLVMValueRef arg[2] = { x[0].v, x[1].v }, e, v;
	struct nvptx_value f[2] = { x[0], x[0] };
	bool two = poly_op_n_arg(op) == 2;
	struct nvptx_value r = { nvptx_op_exact(ir, op, t, arg), NULL };

	if (!x[0].bound && (!two || !x[1].bound))
		return r;
	for (int i = 0; i <= two; i++) {
		f[i].v = as_real(ir, t, x[i].v);
		f[i].bound = bound_of(ir, x[i]);
	}
	e = two ? add(ir, f[0].bound, f[1].bound) : f[0].bound;
	v = as_real(ir, t, r.v);
	if (t == POLY_BOOL) {
		r.bound = bool_bound(ir, op, x, e);
		return r;
	}
	switch (op) {
	case POLY_OP_ADD:
		v = add(ir, f[0].v, f[1].v);
		break;
	case POLY_OP_SUB:
		v = sub(ir, f[0].v, f[1].v);
		break;
	case POLY_OP_MUL:
		v = mul(ir, f[0].v, f[1].v);
		e = nvptx_wide_product(ir, f);
		break;
	case POLY_OP_NEG:
		v = LLVMBuildFNeg(ir->b, f[0].v, "");
		break;
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_ABS:
	case POLY_OP_RELU:
		break;
	default:
		r.bound = bound_if(ir, is_zero(ir, e));
		return r;
	}
	r.bound = int_bound(ir, t, v, e);
	return r;
}

/* ------------------------------------------------------------------ casts */

/* "x" truncated. The bound is how far the results for x - e and x + e are from
 * it; infinite where one of them may not be in the type.
 */
static struct nvptx_value float_to_int(struct nvptx_ir *ir,
	enum poly_type to, struct nvptx_value x)
{
	struct nvptx_value r = {
		nvptx_cast_exact(ir, to, POLY_F64, x.v), NULL
	};
	LLVMValueRef low = sub(ir, x.v, x.bound), high = add(ir, x.v, x.bound);
	LLVMValueRef e, v;

	low = nvptx_intrinsic(ir, "llvm.trunc", &low, 1);
	high = nvptx_intrinsic(ir, "llvm.trunc", &high, 1);
	v = nvptx_intrinsic(ir, "llvm.trunc", &x.v, 1);
	e = nvptx_wide_span(ir, low, v, high);
	e = if_or_inf(ir, in_type(ir, to, v, e), e);
	r.bound = LLVMBuildSelect(ir->b, is_zero(ir, x.bound), real(ir, 0), e,
		"");
	return r;
}

/* An integer that "to" can hold is not rounded. */
static struct nvptx_value int_to_float(struct nvptx_ir *ir,
	enum poly_type to, enum poly_type from, struct nvptx_value x)
{
	LLVMValueRef v = as_real(ir, from, x.v), e = bound_of(ir, x), small;
	struct nvptx_value r = { v, e };

	if (to == POLY_F64)
		return r;
	r = nvptx_wide_rounded(ir, to, v, e, 1);
	small = LLVMBuildFCmp(ir->b, LLVMRealOLE, add(ir, magnitude(ir, v), e),
		real(ir, ldexp(1, poly_type_digits(to))), "");
	r.bound = LLVMBuildSelect(ir->b, small, e, r.bound, "");
	return r;
}

/* "x" as a bool, certain if it is surely not 0, or exact. */
static struct nvptx_value to_bool(struct nvptx_ir *ir, enum poly_type from,
	struct nvptx_value x)
{
	enum poly_type exact = poly_type_is_float(from) ? POLY_F64 : from;
	struct nvptx_value r = {
		nvptx_cast_exact(ir, POLY_BOOL, exact, x.v), NULL
	};
	LLVMValueRef sure;

	if (!x.bound)
		return r;
	sure = LLVMBuildFCmp(ir->b, LLVMRealOGT,
		magnitude(ir, as_real(ir, from, x.v)), with_slack(ir, x.bound,
		x.bound), "");
	r.bound = bound_if(ir, LLVMBuildOr(ir->b, sure, is_zero(ir, x.bound),
		""));
	return r;
}

struct nvptx_value nvptx_wide_cast(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	struct nvptx_value r = { NULL, NULL };

	if (to == POLY_BOOL)
		return to_bool(ir, from, x);
	if (from == POLY_BOOL && x.bound)
		x.bound = LLVMBuildSelect(ir->b, is_zero(ir, x.bound),
			real(ir, 0), real(ir, 1), "");
	if (poly_type_is_float(to) && !poly_type_is_float(from))
		return int_to_float(ir, to, from, x);
	if (poly_type_is_float(from) && !poly_type_is_float(to))
		return float_to_int(ir, to, x);
	if (!poly_type_is_float(to)) {
		r.v = nvptx_cast_exact(ir, to, from, x.v);
		if (x.bound)
			r.bound = int_bound(ir, to, as_real(ir, from, x.v),
				x.bound);
		return r;
	}
	if (nvptx_wide_holds(to, from))
		return x;
	return nvptx_wide_rounded(ir, to, x.v, x.bound, 1);
}

/* The bits tell nothing of a number that is not known exactly. */
struct nvptx_value nvptx_wide_bits(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	LLVMValueRef v = x.v;
	struct nvptx_value r = { NULL, NULL };

	if (from == POLY_F32)
		v = LLVMBuildFPTrunc(ir->b, v,
			LLVMFloatTypeInContext(ir->m->ctx), "");
	r.v = LLVMBuildBitCast(ir->b, v, nvptx_value_type(ir, to), "");
	r.bound = bound_if(ir, is_zero(ir, bound_of(ir, x)));
	return r;
}
