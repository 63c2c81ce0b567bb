/* nvptx: mathematical functions in reference mode: the value by the C library
 * in f64, and the bound from how fast the function changes within the bound
 * "e" of its argument "x":
 *
 *	sin, cos		e, at most 2
 *	sinpi, cospi		3.15 e, at most 2
 *	sinc			1.38 e, at most 2
 *	gelu, silu, mish	1.13 e
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
#include "nvptx/value/lower_wide.h"

/* libm's function "name" of one or two f64. */
static LLVMValueRef call_libm(struct nvptx_ir *ir, const char *name,
	LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef type[2] = { f64_type(ir), f64_type(ir) };
	LLVMTypeRef fn_type = LLVMFunctionType(type[0], type, y ? 2 : 1, 0);
	LLVMValueRef fn = LLVMGetNamedFunction(ir->m->module, name);
	LLVMValueRef arg[2] = { x, y };

	if (!fn)
		fn = LLVMAddFunction(ir->m->module, name, fn_type);
	return LLVMBuildCall2(ir->b, fn_type, fn, arg, y ? 2 : 1, "");
}

/* 1 / (1 + t) or t / (1 + t), t = exp(-|x|): exp(-x) may be too large. */
static LLVMValueRef sigmoid(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef t = call_libm(ir, "exp", LLVMBuildFNeg(ir->b,
		magnitude(ir, x), ""), NULL);
	LLVMValueRef is_low = LLVMBuildFCmp(ir->b, LLVMRealOLT, x, real(ir, 0),
		"");

	return LLVMBuildFDiv(ir->b, LLVMBuildSelect(ir->b, is_low, t,
		real(ir, 1), ""), add(ir, t, real(ir, 1)), "");
}

/* sin(pi (x + more / 2)) of |x|; what is left to the nearest half is exact. */
static LLVMValueRef sin_pi(struct nvptx_ir *ir, LLVMValueRef x, int more)
{
	LLVMTypeRef bit = LLVMInt1TypeInContext(ir->m->ctx);
	LLVMTypeRef whole = LLVMInt32TypeInContext(ir->m->ctx);
	LLVMValueRef a, n, r, y, turn, known;

	a = call_libm(ir, "fmod", magnitude(ir, x), real(ir, 2));
	n = add(ir, a, a);
	n = nvptx_intrinsic(ir, "llvm.rint", &n, 1);
	r = mul(ir, sub(ir, a, mul(ir, n, real(ir, 0.5))), real(ir, M_PI));
	known = LLVMBuildFCmp(ir->b, LLVMRealORD, n, n, "");
	n = LLVMBuildSelect(ir->b, known, n, real(ir, 0), "");
	turn = LLVMBuildAdd(ir->b, LLVMBuildFPToSI(ir->b, n, whole, ""),
		LLVMConstInt(whole, (unsigned long long) more, 0), "");
	y = LLVMBuildSelect(ir->b, LLVMBuildTrunc(ir->b, turn, bit, ""),
		call_libm(ir, "cos", r, NULL), call_libm(ir, "sin", r, NULL), "");
	turn = LLVMBuildLShr(ir->b, turn, LLVMConstInt(whole, 1, 0), "");
	return LLVMBuildSelect(ir->b, LLVMBuildTrunc(ir->b, turn, bit, ""),
		LLVMBuildFNeg(ir->b, y, ""), y, "");
}

/* 1 near 0 */
static LLVMValueRef sinc(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef a = magnitude(ir, x), near, y;

	y = LLVMBuildFDiv(ir->b, sin_pi(ir, x, 0), mul(ir, a, real(ir, M_PI)), "");
	near = LLVMBuildFCmp(ir->b, LLVMRealOLT, a, real(ir, 1e-12), "");
	return LLVMBuildSelect(ir->b, near, real(ir, 1), y, "");
}

/* x erfc(-x / sqrt(2)) / 2, whose argument is off by what its slope tells. */
static LLVMValueRef gelu(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef minus = LLVMBuildFNeg(ir->b, x, ""), y, arg[3], rest, slope;

	y = mul(ir, minus, real(ir, M_SQRT1_2));
	arg[0] = minus;
	arg[1] = real(ir, M_SQRT1_2);
	arg[2] = LLVMBuildFNeg(ir->b, y, "");
	rest = nvptx_intrinsic(ir, "llvm.fma", arg, 3);
	rest = add(ir, rest, mul(ir, minus, real(ir, -4.8336466567264565e-17)));
	slope = mul(ir, call_libm(ir, "exp", mul(ir, y, arg[2]), NULL),
		real(ir, M_2_SQRTPI));
	y = sub(ir, call_libm(ir, "erfc", y, NULL), mul(ir, slope, rest));
	return mul(ir, mul(ir, x, y), real(ir, 0.5));
}

/* Mish by t = exp(-|x|): x (1 + 2 t) / (1 + 2 t + 2 t^2), or x t (2 + t) /
 * (2 + t (2 + t)) for x < 0.
 */
static LLVMValueRef mish(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef t, twice, low, up, is_low;

	t = call_libm(ir, "exp", LLVMBuildFNeg(ir->b, magnitude(ir, x), ""), NULL);
	twice = add(ir, t, t);
	low = mul(ir, t, add(ir, t, real(ir, 2)));
	low = LLVMBuildFDiv(ir->b, low, add(ir, low, real(ir, 2)), "");
	up = add(ir, twice, real(ir, 1));
	up = LLVMBuildFDiv(ir->b, up, add(ir, up, mul(ir, twice, t)), "");
	is_low = LLVMBuildFCmp(ir->b, LLVMRealOLT, x, real(ir, 0), "");
	return mul(ir, x, LLVMBuildSelect(ir->b, is_low, low, up, ""));
}

/* One step of Halley's method towards erf(y) = x, for 0 <= x < 1. */
static LLVMValueRef nearer(struct nvptx_ir *ir, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef low = LLVMBuildFCmp(ir->b, LLVMRealOLT, x, real(ir, 0.5), "");
	LLVMValueRef off = sub(ir, call_libm(ir, "erf", y, NULL), x), d;

	d = sub(ir, sub(ir, real(ir, 1), x), call_libm(ir, "erfc", y, NULL));
	d = mul(ir, LLVMBuildSelect(ir->b, low, off, d, ""),
		call_libm(ir, "exp", mul(ir, y, y), NULL));
	d = mul(ir, d, real(ir, 1 / M_2_SQRTPI));
	return sub(ir, y, LLVMBuildFDiv(ir->b, d, add(ir, real(ir, 1),
		mul(ir, y, d)), ""));
}

/* The number that erf makes "x", by a first value good for 2 digits (S. Winitzki). */
static LLVMValueRef erfinv(struct nvptx_ir *ir, LLVMValueRef x)
{
	const double a = 0.147;
	LLVMValueRef size = magnitude(ir, x), one = real(ir, 1), rest, l, t, y, ends;

	rest = sub(ir, one, size);
	l = call_libm(ir, "log", mul(ir, rest, add(ir, one, size)), NULL);
	t = add(ir, mul(ir, l, real(ir, 0.5)), real(ir, 2 / (M_PI * a)));
	y = sub(ir, mul(ir, t, t), mul(ir, l, real(ir, 1 / a)));
	y = sub(ir, nvptx_float_op(ir, POLY_OP_SQRT, &y), t);
	y = nvptx_float_op(ir, POLY_OP_SQRT, &y);
	for (int i = 0; i < 3; i++)
		y = nearer(ir, size, y);
	ends = LLVMBuildFCmp(ir->b, LLVMRealOEQ, rest, real(ir, 0), "");
	y = LLVMBuildSelect(ir->b, ends, real(ir, INFINITY), y, "");
	return call_libm(ir, "copysign", y, x);
}

static LLVMValueRef softplus(struct nvptx_ir *ir, LLVMValueRef x)
{
	LLVMValueRef t = call_libm(ir, "exp", LLVMBuildFNeg(ir->b,
		magnitude(ir, x), ""), NULL);

	return add(ir, greater_of(ir, x, real(ir, 0)), call_libm(ir, "log1p", t,
		NULL));
}

/* "op" of "x" and, if it takes two arguments, "y". */
static LLVMValueRef value(struct nvptx_ir *ir, enum poly_op op,
	LLVMValueRef x, LLVMValueRef y)
{
	switch (op) {
	case POLY_OP_SQRT:
	case POLY_OP_FLOOR:
	case POLY_OP_CEIL:
	case POLY_OP_TRUNC:
	case POLY_OP_ROUND:
		return nvptx_float_op(ir, op, &x);
	case POLY_OP_SIGMOID:
		return sigmoid(ir, x);
	case POLY_OP_RSQRT:
		return LLVMBuildFDiv(ir->b, real(ir, 1),
			nvptx_float_op(ir, POLY_OP_SQRT, &x), "");
	case POLY_OP_SINPI:
		return mul(ir, sin_pi(ir, x, 0), call_libm(ir, "copysign",
			real(ir, 1), x));
	case POLY_OP_COSPI:
		return sin_pi(ir, x, 1);
	case POLY_OP_SINC:
		return sinc(ir, x);
	case POLY_OP_GELU:
		return gelu(ir, x);
	case POLY_OP_ERFINV:
		return erfinv(ir, x);
	case POLY_OP_SILU:
		return mul(ir, x, sigmoid(ir, x));
	case POLY_OP_SOFTPLUS:
		return softplus(ir, x);
	case POLY_OP_MISH:
		return mish(ir, x);
	default:
		return call_libm(ir, poly_op_name(op), x, y);
	}
}

LLVMValueRef nvptx_wide_span(struct nvptx_ir *ir, LLVMValueRef low,
	LLVMValueRef v, LLVMValueRef high)
{
	LLVMValueRef down = magnitude(ir, sub(ir, v, low));
	LLVMValueRef up = magnitude(ir, sub(ir, high, v)), sum, known;

	sum = add(ir, down, up);
	known = LLVMBuildFCmp(ir->b, LLVMRealORD, sum, sum, "");
	return if_or_inf(ir, known, greater_of(ir, down, up));
}

/* The span of "op" over the bound of "x"; 0 if "x" is exact. */
static LLVMValueRef span(struct nvptx_ir *ir, enum poly_op op,
	struct nvptx_value x, LLVMValueRef v)
{
	LLVMValueRef low = value(ir, op, sub(ir, x.v, x.bound), NULL);
	LLVMValueRef high = value(ir, op, add(ir, x.v, x.bound), NULL);

	return LLVMBuildSelect(ir->b, is_zero(ir, x.bound), real(ir, 0),
		nvptx_wide_span(ir, low, v, high), "");
}

/* The bound of tan(x), "v"; infinite for a bound of x of 1 or more, or if there
 * may be a pole.
 */
static LLVMValueRef tan_bound(struct nvptx_ir *ir, struct nvptx_value x,
	LLVMValueRef v)
{
	LLVMValueRef t = call_libm(ir, "tan", x.bound, NULL), den, small, e;

	den = sub(ir, real(ir, 1), mul(ir, magnitude(ir, v), t));
	e = mul(ir, t, add(ir, real(ir, 1), mul(ir, v, v)));
	small = LLVMBuildFCmp(ir->b, LLVMRealOLT, x.bound, real(ir, 1), "");
	small = LLVMBuildAnd(ir->b, small, is_positive(ir, den), "");
	return if_or_inf(ir, small, LLVMBuildFDiv(ir->b, e, den, ""));
}

/* The bound of atan2(y, x), 0 if both are exact; infinite if the point may be
 * the origin, or may lie on either side of the cut.
 */
static LLVMValueRef angle_bound(struct nvptx_ir *ir,
	const struct nvptx_value *x)
{
	LLVMValueRef r = call_libm(ir, "hypot", x[0].v, x[1].v), e, good, cut;

	e = add(ir, x[0].bound, x[1].bound);
	good = LLVMBuildFCmp(ir->b, LLVMRealOLT, e, r, "");
	cut = LLVMBuildFCmp(ir->b, LLVMRealOLT, magnitude(ir, x[0].v),
		x[0].bound, "");
	cut = LLVMBuildAnd(ir->b, cut, LLVMBuildFCmp(ir->b, LLVMRealOLT, x[1].v,
		x[1].bound, ""), "");
	good = LLVMBuildAnd(ir->b, good, LLVMBuildNot(ir->b, cut, ""), "");
	good = if_or_inf(ir, good, LLVMBuildFDiv(ir->b,
		mul(ir, e, real(ir, 1.6)), r, ""));
	return LLVMBuildSelect(ir->b, is_zero(ir, e), real(ir, 0), good, "");
}

/* The bound of pow(x, y), "v"; infinite where |x| may be 0, or where x is
 * negative and y uncertain.
 */
static LLVMValueRef power_bound(struct nvptx_ir *ir,
	const struct nvptx_value *x, LLVMValueRef v)
{
	LLVMValueRef size = magnitude(ir, x[0].v), low, d, e, good, sure;

	low = sub(ir, size, x[0].bound);
	d = mul(ir, add(ir, magnitude(ir, x[1].v), x[1].bound), x[0].bound);
	d = LLVMBuildFDiv(ir->b, d, low, "");
	e = magnitude(ir, call_libm(ir, "log", size, NULL));
	d = add(ir, d, mul(ir, e, x[1].bound));
	e = mul(ir, mul(ir, magnitude(ir, v), d), call_libm(ir, "exp", d,
		NULL));
	good = LLVMBuildFCmp(ir->b, LLVMRealOGT, x[0].v, real(ir, 0), "");
	good = LLVMBuildOr(ir->b, good, is_zero(ir, x[1].bound), "");
	good = LLVMBuildAnd(ir->b, good, is_positive(ir, low), "");
	sure = is_zero(ir, add(ir, x[0].bound, x[1].bound));
	good = if_or_inf(ir, good, e);
	return LLVMBuildSelect(ir->b, sure, real(ir, 0), good, "");
}

/* Two values of a sine are no more than 2 apart. */
static LLVMValueRef wave_bound(struct nvptx_ir *ir, LLVMValueRef e)
{
	LLVMValueRef arg[2] = { e, real(ir, 2) };

	return nvptx_intrinsic(ir, "llvm.minimumnum", arg, 2);
}

static LLVMValueRef is_bounded(struct nvptx_ir *ir, LLVMValueRef e)
{
	return LLVMBuildFCmp(ir->b, LLVMRealOLT, e, real(ir, INFINITY), "");
}

struct nvptx_value nvptx_wide_function(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x)
{
	bool two = poly_op_n_arg(op) == 2;
	LLVMValueRef v = value(ir, op, x[0].v, two ? x[1].v : NULL), e;
	struct nvptx_value r;

	switch (op) {
	case POLY_OP_SIN:
	case POLY_OP_COS:
		e = wave_bound(ir, x[0].bound);
		break;
	case POLY_OP_SINPI:
	case POLY_OP_COSPI:
	case POLY_OP_SINC:
		e = wave_bound(ir, mul(ir, x[0].bound, real(ir, op ==
			POLY_OP_SINC ? 1.38 : 3.15)));
		break;
	case POLY_OP_GELU:
	case POLY_OP_SILU:
	case POLY_OP_MISH:
		e = mul(ir, x[0].bound, real(ir, 1.13));
		break;
	case POLY_OP_TAN:
		e = tan_bound(ir, x[0], v);
		break;
	case POLY_OP_ATAN2:
		e = angle_bound(ir, x);
		break;
	case POLY_OP_HYPOT:
		e = add(ir, x[0].bound, x[1].bound);
		break;
	case POLY_OP_POW:
		e = power_bound(ir, x, v);
		break;
	default:
		e = span(ir, op, x[0], v);
	}
	for (int i = 0; i < poly_op_n_arg(op); i++)
		e = if_or_inf(ir, is_bounded(ir, x[i].bound), e);
	if (op == POLY_OP_FLOOR || op == POLY_OP_CEIL ||
	    op == POLY_OP_TRUNC || op == POLY_OP_ROUND) {
		r.v = v;
		r.bound = e;
		return r;
	}
	return nvptx_wide_rounded(ir, t, v, e, 1 + 2 * poly_op_ulp(op));
}
