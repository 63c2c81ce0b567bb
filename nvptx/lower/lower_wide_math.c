/* nvptx: mathematical functions in reference mode: the value by the C library
 * in f64, and the bound from how fast the function changes within the bound
 * "e" of its argument "x":
 *
 *	sin, cos		e, at most 2
 *	tan			T (1 + v^2) / (1 - |v| T), T = tan(e), while
 *				that is positive
 *	atan2(y, x)		1.6 (ey + ex) / |(x, y)|, unless the point may
 *				be the origin or lie across the cut
 *	hypot(x, y)		ex + ey
 *	pow(x, y)		|v| d exp(d), d = (|y| + ey) ex / (|x| - ex) +
 *				|log |x|| ey
 *	all others grow or fall	the greater change to x - e and x + e
 *
 * then the ulps of op.def and rounding. What has no bound has an infinite one,
 * and so has any function of it: it may be no number.
 * Rounding to integers is exact, but may be off by whole steps.
 */
#include "nvptx/lower/lower_wide.h"

/* libm's function "name" of one or two f64. */
static LLVMValueRef call_libm(struct nvptx_lower *l, const char *name,
	LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef type[2] = { f64_type(l), f64_type(l) };
	LLVMTypeRef fn_type = LLVMFunctionType(type[0], type, y ? 2 : 1, 0);
	LLVMValueRef fn = LLVMGetNamedFunction(l->m->module, name);
	LLVMValueRef arg[2] = { x, y };

	if (!fn)
		fn = LLVMAddFunction(l->m->module, name, fn_type);
	return LLVMBuildCall2(l->b, fn_type, fn, arg, y ? 2 : 1, "");
}

/* 1 / (1 + t) or t / (1 + t), t = exp(-|x|): exp(-x) may be too large. */
static LLVMValueRef sigmoid(struct nvptx_lower *l, LLVMValueRef x)
{
	LLVMValueRef t = call_libm(l, "exp", LLVMBuildFNeg(l->b,
		magnitude(l, x), ""), NULL);
	LLVMValueRef is_low = LLVMBuildFCmp(l->b, LLVMRealOLT, x, real(l, 0),
		"");

	return LLVMBuildFDiv(l->b, LLVMBuildSelect(l->b, is_low, t, real(l, 1),
		""), add(l, t, real(l, 1)), "");
}

/* "op" of "x" and, if it takes two arguments, "y". */
static LLVMValueRef value(struct nvptx_lower *l, enum poly_op op,
	LLVMValueRef x, LLVMValueRef y)
{
	switch (op) {
	case POLY_OP_SQRT:
	case POLY_OP_FLOOR:
	case POLY_OP_CEIL:
	case POLY_OP_TRUNC:
	case POLY_OP_ROUND:
		return nvptx_float_op(l, op, &x);
	case POLY_OP_SIGMOID:
		return sigmoid(l, x);
	default:
		return call_libm(l, poly_op_name(op), x, y);
	}
}

LLVMValueRef nvptx_wide_span(struct nvptx_lower *l, LLVMValueRef low,
	LLVMValueRef v, LLVMValueRef high)
{
	LLVMValueRef down = magnitude(l, sub(l, v, low));
	LLVMValueRef up = magnitude(l, sub(l, high, v)), sum, known;

	sum = add(l, down, up);
	known = LLVMBuildFCmp(l->b, LLVMRealORD, sum, sum, "");
	return if_or_inf(l, known, greater_of(l, down, up));
}

/* The span of "op" over the bound of "x"; 0 if "x" is exact. */
static LLVMValueRef span(struct nvptx_lower *l, enum poly_op op,
	struct nvptx_value x, LLVMValueRef v)
{
	LLVMValueRef low = value(l, op, sub(l, x.v, x.bound), NULL);
	LLVMValueRef high = value(l, op, add(l, x.v, x.bound), NULL);

	return LLVMBuildSelect(l->b, is_zero(l, x.bound), real(l, 0),
		nvptx_wide_span(l, low, v, high), "");
}

static LLVMValueRef tan_bound(struct nvptx_lower *l, struct nvptx_value x,
	LLVMValueRef v)
{
	LLVMValueRef t = call_libm(l, "tan", x.bound, NULL), den, small, e;

	den = sub(l, real(l, 1), mul(l, magnitude(l, v), t));
	e = mul(l, t, add(l, real(l, 1), mul(l, v, v)));
	small = LLVMBuildFCmp(l->b, LLVMRealOLT, x.bound, real(l, 1), "");
	small = LLVMBuildAnd(l->b, small, is_positive(l, den), "");
	return if_or_inf(l, small, LLVMBuildFDiv(l->b, e, den, ""));
}

static LLVMValueRef angle_bound(struct nvptx_lower *l,
	const struct nvptx_value *x)
{
	LLVMValueRef r = call_libm(l, "hypot", x[0].v, x[1].v), e, good, cut;

	e = add(l, x[0].bound, x[1].bound);
	good = LLVMBuildFCmp(l->b, LLVMRealOLT, e, r, "");
	cut = LLVMBuildFCmp(l->b, LLVMRealOLT, magnitude(l, x[0].v),
		x[0].bound, "");
	cut = LLVMBuildAnd(l->b, cut, LLVMBuildFCmp(l->b, LLVMRealOLT, x[1].v,
		x[1].bound, ""), "");
	good = LLVMBuildAnd(l->b, good, LLVMBuildNot(l->b, cut, ""), "");
	good = if_or_inf(l, good, LLVMBuildFDiv(l->b,
		mul(l, e, real(l, 1.6)), r, ""));
	return LLVMBuildSelect(l->b, is_zero(l, e), real(l, 0), good, "");
}

static LLVMValueRef power_bound(struct nvptx_lower *l,
	const struct nvptx_value *x, LLVMValueRef v)
{
	LLVMValueRef size = magnitude(l, x[0].v), low, d, e, good, sure;

	low = sub(l, size, x[0].bound);
	d = mul(l, add(l, magnitude(l, x[1].v), x[1].bound), x[0].bound);
	d = LLVMBuildFDiv(l->b, d, low, "");
	e = magnitude(l, call_libm(l, "log", size, NULL));
	d = add(l, d, mul(l, e, x[1].bound));
	e = mul(l, mul(l, magnitude(l, v), d), call_libm(l, "exp", d, NULL));
	good = LLVMBuildFCmp(l->b, LLVMRealOGT, x[0].v, real(l, 0), "");
	good = LLVMBuildOr(l->b, good, is_zero(l, x[1].bound), "");
	good = LLVMBuildAnd(l->b, good, is_positive(l, low), "");
	sure = is_zero(l, add(l, x[0].bound, x[1].bound));
	good = if_or_inf(l, good, e);
	return LLVMBuildSelect(l->b, sure, real(l, 0), good, "");
}

static LLVMValueRef wave_bound(struct nvptx_lower *l, LLVMValueRef e)
{
	LLVMValueRef arg[2] = { e, real(l, 2) };

	return nvptx_intrinsic(l, "llvm.minimumnum", arg, 2);
}

static LLVMValueRef is_bounded(struct nvptx_lower *l, LLVMValueRef e)
{
	return LLVMBuildFCmp(l->b, LLVMRealOLT, e, real(l, INFINITY), "");
}

struct nvptx_value nvptx_wide_function(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x)
{
	bool two = poly_op_n_arg(op) == 2;
	LLVMValueRef v = value(l, op, x[0].v, two ? x[1].v : NULL), e;
	struct nvptx_value r;

	switch (op) {
	case POLY_OP_SIN:
	case POLY_OP_COS:
		e = wave_bound(l, x[0].bound);
		break;
	case POLY_OP_TAN:
		e = tan_bound(l, x[0], v);
		break;
	case POLY_OP_ATAN2:
		e = angle_bound(l, x);
		break;
	case POLY_OP_HYPOT:
		e = add(l, x[0].bound, x[1].bound);
		break;
	case POLY_OP_POW:
		e = power_bound(l, x, v);
		break;
	default:
		e = span(l, op, x[0], v);
	}
	for (int i = 0; i < poly_op_n_arg(op); i++)
		e = if_or_inf(l, is_bounded(l, x[i].bound), e);
	if (op == POLY_OP_FLOOR || op == POLY_OP_CEIL ||
	    op == POLY_OP_TRUNC || op == POLY_OP_ROUND) {
		r.v = v;
		r.bound = e;
		return r;
	}
	return nvptx_wide_rounded(l, t, v, e, 1 + 2 * poly_op_ulp(op));
}
