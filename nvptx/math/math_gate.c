/* nvptx: silu, softplus and mish, whose exponentials are sums. With t = exp(-|x|):
 *
 *	silu(x) = x / (1 + t), or x t / (1 + t) for x < 0
 *	softplus(x) = max(x, 0) + log1p(t)
 *	mish(x) = x tanh(softplus(x)) = x (1 + 2 t) / (1 + 2 t + 2 t^2), or
 *		x t (2 + t) / (2 + 2 t + t^2) for x < 0
 *
 * The factor t of a numerator is 2^n times a number near 1; 2^n comes last, such that
 * a denormal result is rounded only then.
 */
#include "nvptx/math/math_kit.h"

/* exp(-|x|) = 2^n s = t, where t is no less than 2^-60: beside 1 that is nothing. */
struct fall {
	LLVMValueRef n;
	struct sum s, t;
};

static struct sum times(struct fn *f, struct sum x, LLVMValueRef by)
{
	x.hi = mul(f, x.hi, by);
	x.lo = mul(f, x.lo, by);
	return x;
}

/* "x" is no further from 0 than "fit" tells. */
static struct fall exp_falling(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef low = integer(f, (uint64_t) -60), sign, n;
	struct expo e = nvptx_exp_parts(f, neg(f, magnitude(f, x, &sign)));
	struct fall d;

	d.n = e.n;
	d.s = nvptx_exp_mantissa(f, e);
	n = choose(f, LLVMBuildICmp(f->b, LLVMIntSLT, e.n, low, ""), low, e.n);
	d.t = times(f, d.s, power(f, n));
	return d;
}

/* "x", but not below where x exp(x) is 0, and not above where exp(-x) is. */
static LLVMValueRef fit(struct fn *f, LLVMValueRef x)
{
	return clamp(f, x, f->f->exp_low - 14, 14 - f->f->exp_low);
}

/* The sum of constant "c", "by" times x, and y. */
static struct sum linear(struct fn *f, double c, double by, struct sum x,
	struct sum y)
{
	x = dd_add(f, times(f, x, real(f, by)), y);
	return dd_add(f, dd(f, c, 0), x);
}

/* x a / b where x > 0, x s c / d 2^n elsewhere; "slope" times x near 0. */
struct gate {
	struct sum a, b, c, d;
	double slope;
};

static LLVMValueRef weigh(struct fn *f, LLVMValueRef x, struct fall e,
	const struct gate *g)
{
	LLVMValueRef up = compare(f, LLVMRealOGT, x, 0), y;
	struct sum slope = dd(f, g->slope, 0), top, bottom = dd_choose(f, up, g->b, g->d);
	LLVMValueRef low = choose(f, up, x, at_least(f, x, f->f->exp_low - 14));

	top = dd_choose(f, up, g->a, product(f, e.s, g->c));
	top = product(f, single(f, low), top);
	y = quotient(f, top, bottom);
	y = choose(f, up, y, scale(f, y, e.n));
	y = choose(f, compare(f, LLVMRealOLT, magnitude(f, x, &low), 0x1p-60),
		fma3(f, x, slope.hi, mul(f, x, slope.lo)), y);
	return choose(f, compare(f, LLVMRealOGT, x, 0x1p60), x, y);
}

static LLVMValueRef build_silu(struct fn *f, LLVMValueRef x)
{
	struct fall e = exp_falling(f, fit(f, x));
	struct gate g = { .a = dd(f, 1, 0), .c = dd(f, 1, 0), .slope = 0.5 };

	g.b = g.d = dd_add(f, dd(f, 1, 0), e.t);
	return weigh(f, x, e, &g);
}

static LLVMValueRef build_mish(struct fn *f, LLVMValueRef x)
{
	struct fall e = exp_falling(f, fit(f, x));
	struct sum square = dd_mul(f, e.t, e.t), none = dd(f, 0, 0);
	struct gate g = { .slope = 0.6 };

	g.a = linear(f, 1, 2, e.t, none);
	g.b = dd_add(f, g.a, times(f, square, real(f, 2)));
	g.c = linear(f, 2, 1, e.t, none);
	g.d = linear(f, 2, 2, e.t, square);
	return weigh(f, x, e, &g);
}

/* Far below 0 it is t - t^2 / 2. */
static LLVMValueRef build_softplus(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef far, low, up;
	struct fall e = exp_falling(f, clamp(f, x, f->f->exp_low,
		-f->f->exp_low));
	struct sum l = nvptx_log1p(f, e.t), s;

	far = compare(f, LLVMRealOLT, x, is_short(f) ? -16 : -36);
	e.s.lo = fma3(f, mul(f, e.s.hi, real(f, -0.5)), e.t.hi, e.s.lo);
	low = choose(f, far, scale(f, add(f, e.s.hi, e.s.lo), e.n),
		add(f, l.hi, l.lo));
	s = exact_sum(f, at_most(f, x, 0x1p60), l.hi);
	up = add(f, s.hi, add(f, s.lo, l.lo));
	up = choose(f, compare(f, LLVMRealOGT, x, 0x1p60), x, up);
	return choose(f, compare(f, LLVMRealUGT, x, 0), up, low);
}

LLVMValueRef nvptx_math_gate(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	switch (op) {
	case POLY_OP_SILU:
		return build_silu(f, x);
	case POLY_OP_MISH:
		return build_mish(f, x);
	default:
		return build_softplus(f, x);
	}
}
