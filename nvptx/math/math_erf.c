/* nvptx: erf, erfc and gelu.
 *
 *	erf(x) = x (2/sqrt(pi) + x^2 P(x^2)), |x| < 7/8, otherwise 1 - erfc(|x|)
 *	erfc(x) = exp(-x^2) G(q) (1 - u),  u = x / (x + 2),  q = 2 u - 1,  x >= 0
 *	gelu(x) = max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2
 *
 * G is (1 + x/2) exp(x^2) erfc(x), which changes little: of the variable q a polynomial
 * has it from 0 to where erfc is 0 (M. Shepherd and J. Laframboise, Chebyshev
 * approximation of (1 + 2x) exp(x^2) erfc(x) in 0 <= x < infinity, Mathematics of
 * Computation 36, 1981). gelu has its own G, of |x|, since |x| / sqrt(2) is no number.
 * u, x^2 and the leading term of G are sums; the polynomials are Chebyshev
 * interpolations.
 *
 * In f32 1 - erfc(x) needs no more than few bits of erfc, which is 2 to a polynomial.
 */
#include "nvptx/math/math_kit.h"

static const struct series erf_f32 = {
	0x1.20dd75032bb1dp+0, 0, 6, {
		-0x1.812744p-2, 0x1.ce2e56p-4, -0x1.b815ecp-6, 0x1.55178ep-8,
		-0x1.ad4a7ap-11, 0x1.67dafep-14,
	},
};
static const struct series erf_f64 = {
	0x1.20dd750429b6dp+0, 0x1.1acc2fe5eedbap-56, 12, {
		-0x1.812746b0379e7p-2, 0x1.ce2f21a042c16p-4,
		-0x1.b82ce31289bacp-6, 0x1.565bcd0e940aep-8,
		-0x1.c02db407e2adep-11, 0x1.f9a327cd5c213p-14,
		-0x1.f4d268c7ee8aap-17, 0x1.b9e6fa6bcbcc1p-20,
		-0x1.5f6d04830ff38p-23, 0x1.fb9720bd8bf3ap-27,
		-0x1.46de7d5c2af4fp-30, 0x1.340063b302dc2p-34,
	},
};
static const struct series tail_f32 = {
	0x1.058671b597174p-1, 0, 11, {
		-0x1.5fd386p-2, 0x1.1e2deep-3, -0x1.2a893ep-6, -0x1.606d86p-7,
		0x1.a8a1f6p-9, 0x1.94dda2p-10, -0x1.b5b452p-12,
		-0x1.56aa68p-12, 0x1.da7f5ap-17, 0x1.f90926p-15,
		0x1.fbc888p-17,
	},
};
static const struct series tail_f64 = {
	0x1.058671b52c776p-1, -0x1.3bb0032218117p-57, 30, {
		-0x1.5fd386754eff9p-2, 0x1.1e2deea6b1176p-3,
		-0x1.2a88e6107d42cp-6, -0x1.606e41552aa3fp-7,
		0x1.a89eaff8508e1p-9, 0x1.9517bb718b52ap-10,
		-0x1.b6fbf984e077bp-12, -0x1.5ba438998150bp-12,
		0x1.2053feac78ef5p-16, 0x1.2efa36350aeap-14,
		0x1.1e770a2cf7911p-16, -0x1.6c03d4ae6bebdp-17,
		-0x1.0e7fe562f81f5p-17, -0x1.2d66b31550488p-21,
		0x1.ea191090d9112p-20, 0x1.0bdd063a7db72p-20,
		-0x1.2ecebd3235b0fp-27, -0x1.2e27157499fd1p-22,
		-0x1.360d2445dc62ep-23, -0x1.33cc3508fd5bap-28,
		0x1.13fd72f3749ecp-25, 0x1.e1cf36ca6b521p-26,
		0x1.0fad747204c34p-26, -0x1.85e13790a3492p-28,
		-0x1.e4e28b72ca5d1p-27, -0x1.7599ecfc01966p-29,
		0x1.4ca083b6abe96p-28, 0x1.f6d680576fcefp-30,
		-0x1.89f082d29a322p-31, -0x1.8425380ae431cp-32,
	},
};
static const struct series gelu_f64 = {
	0x1.5845dcad2a54ep-2, 0x1.ca51b17b7acf1p-56, 32, {
		-0x1.535bafa73c585p-3, 0x1.d7d0e2393eb9cp-7,
		0x1.2ccbfbf0c68c9p-6, -0x1.ec6870ba0b044p-13,
		-0x1.b8b937f80deep-9, -0x1.ff79b9ebae0c9p-11,
		0x1.9ba0c6612bc85p-12, 0x1.b1b0c5bf9393bp-12,
		0x1.b217da705be61p-14, -0x1.e540c5fb1ab53p-15,
		-0x1.0d97e4d036cbap-14, -0x1.825201cefd72bp-16,
		0x1.44e715a6b2efep-18, 0x1.6c07647782e5ep-17,
		0x1.a59c0020730e3p-18, 0x1.133923f325c3fp-20,
		-0x1.7bf00f9680685p-20, -0x1.960e9eca06cd7p-20,
		-0x1.7dbcb760719fep-21, -0x1.5e1b35e82a1fbp-26,
		0x1.d53cb0da1460ep-23, 0x1.716f7caa4710fp-23,
		0x1.f189393541688p-24, 0x1.4af92bfe9670cp-24,
		-0x1.741e89c4328acp-26, -0x1.89766b0ab7a6fp-24,
		-0x1.894129bc80a8ap-25, 0x1.7c69e5b69fd7cp-26,
		0x1.b2366d675ba96p-26, 0x1.1c6073893c592p-29,
		-0x1.20ea2b04b2257p-28, -0x1.49b0e879d260dp-30,
	},
};

/* x / (x + 2) for x >= 0 */
static struct sum fraction(struct fn *f, LLVMValueRef x)
{
	struct sum d = fast_sum(f, real(f, 2), x), u;
	LLVMValueRef inverse = inverse_of(f, d.hi), minus, rest;

	u.hi = mul(f, x, inverse);
	minus = neg(f, u.hi);
	rest = fma3(f, minus, d.lo, fma3(f, minus, d.hi, x));
	u.lo = mul(f, rest, inverse);
	return u;
}

/* x p + c, of which rounding cuts off nothing that counts. */
static struct sum step(struct fn *f, LLVMValueRef x, struct sum p, struct sum c)
{
	struct sum v;

	v.hi = fma3(f, x, p.hi, c.hi);
	v.lo = fma3(f, x, p.hi, sub(f, c.hi, v.hi));
	if (!LLVMIsNull(p.lo))
		v.lo = fma3(f, x, p.lo, v.lo);
	if (!LLVMIsNull(c.lo))
		v.lo = add(f, v.lo, c.lo);
	return v;
}

/* What rounding cuts off q counts by its slope. */
struct sum nvptx_series(struct fn *f, const struct series *s, struct sum u)
{
	LLVMValueRef minus = real(f, -1);
	struct sum q, v;
	double slope[4];

	q = fast_sum(f, minus, add(f, u.hi, u.hi));
	q.lo = add(f, q.lo, add(f, u.lo, u.lo));
	v = single(f, polynomial(f, s->coef + 1, s->n - 1, q.hi));
	v = step(f, q.hi, v, dd(f, s->coef[0], 0));
	v = step(f, q.hi, v, dd(f, s->hi, s->lo));
	for (int i = 0; i < 4; i++)
		slope[i] = (i + 1) * s->coef[i];
	v.lo = fma3(f, q.lo, polynomial(f, slope, 4, q.hi), v.lo);
	return v;
}

/* exp(-x^2 by) = 2^n times the sum, for x >= 0 no greater than "limited" makes it; "by"
 * is a power of two. The lower part may be as much as a 16th of the upper one.
 */
static struct sum bell(struct fn *f, LLVMValueRef x, double by, LLVMValueRef *n)
{
	struct sum square = exact_product(f, x, mul(f, x, real(f, -by))), s;
	struct expo e = nvptx_exp_parts(f, square.hi);

	*n = e.n;
	s = fast_sum(f, real(f, 1), e.r);
	s.lo = add(f, s.lo, e.c);
	s.lo = fma3(f, square.lo, s.hi, fma3(f, square.lo, s.lo, s.lo));
	return s;
}

/* erfc(x) = 2^n times the sum, for x >= 0. */
static struct sum tail(struct fn *f, LLVMValueRef x, LLVMValueRef *n)
{
	struct sum u = fraction(f, x), v, b;

	v.hi = sub(f, real(f, 1), u.hi);
	v.lo = sub(f, sub(f, sub(f, real(f, 1), v.hi), u.hi), u.lo);
	v = product(f, v, nvptx_series(f, is_short(f) ? &tail_f32 : &tail_f64, u));
	b = bell(f, x, 1, n);
	return product(f, v, fast_sum(f, b.hi, b.lo));
}

/* |x|, but not beyond where erfc is 0, the exponential still being in bounds. */
static LLVMValueRef limited(struct fn *f, LLVMValueRef x)
{
	return at_most(f, x, is_short(f) ? 10.2 : 27.3);
}

static LLVMValueRef build_erfc(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, n, up, down, p, ax = limited(f, magnitude(f, x, &sign));
	struct sum s = tail(f, ax, &n), t;

	up = scale(f, add(f, s.hi, s.lo), n);
	p = power(f, LLVMBuildSelect(f->b, compare(f, LLVMRealOLT, ax, 6), n,
		integer(f, (uint64_t) -60), ""));
	t = fast_sum(f, real(f, 2), neg(f, mul(f, s.hi, p)));
	down = add(f, t.hi, fma3(f, neg(f, s.lo), p, t.lo));
	return choose(f, compare(f, LLVMRealOLT, x, 0), down, up);
}

/* 1 - erfc(x) for x >= 7/8 in f32: of log2(erfc(x)) what is left of erfc(1) is a
 * polynomial of x - 1. Of 2^ of that few bits count, which the hardware has, too.
 */
static LLVMValueRef short_rest(struct fn *f, LLVMValueRef x)
{
	static const double coef[] = {
		-0x1.e7532cp+1, -0x1.376274p+0, -0x1.eb062p-5, 0x1.d743bcp-7,
		-0x1.64148ep-9, 0x1.2f0cd2p-12,
	};
	static const double two[] = {
		-0x1p+0, -0x1.62e43p-1, -0x1.ebfbd8p-3, -0x1.c6af76p-5,
		-0x1.3b30a6p-7, -0x1.5f0b8cp-10, -0x1.3f9bcp-13,
	};
	LLVMValueRef magic = real(f, f->f->round + f->f->bias), shifted, rest, p;
	LLVMValueRef one = real(f, -0x1.558eaep+1);

	x = sub(f, at_most(f, x, 4), real(f, 1));
	p = polynomial(f, coef, 6, x);
	if (f->relaxed)
		return sub(f, real(f, 1), nvptx_hw_approximate(f->module, f->b,
			NVPTX_HW_POWER, fma3(f, x, p, one)));
	shifted = add(f, fma3(f, x, p, one), magic);
	rest = sub(f, one, sub(f, shifted, magic));
	rest = fma3(f, x, p, rest);
	p = as_power(f, to_bits(f, shifted));
	return fma3(f, polynomial(f, two, 7, rest), p, real(f, 1));
}

static LLVMValueRef long_rest(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef n, p;
	struct sum s = tail(f, at_most(f, x, 6), &n), t;

	p = power(f, n);
	t = fast_sum(f, real(f, 1), neg(f, mul(f, s.hi, p)));
	return add(f, t.hi, fma3(f, neg(f, s.lo), p, t.lo));
}

static LLVMValueRef build_erf(struct fn *f, LLVMValueRef x)
{
	const struct series *s = is_short(f) ? &erf_f32 : &erf_f64;
	LLVMValueRef sign, ax = magnitude(f, x, &sign), z = mul(f, ax, ax), near;
	struct sum c = dd(f, s->hi, s->lo);

	near = fma3(f, z, polynomial(f, s->coef, s->n, z), c.lo);
	near = fma3(f, ax, c.hi, mul(f, ax, near));
	if (!is_short(f))
		near = choose(f, compare(f, LLVMRealOLT, ax, 0x1p-60), fma3(f,
			ax, real(f, s->hi - 1), ax), near);
	near = choose(f, compare(f, LLVMRealOLT, ax, 0.875), near,
		is_short(f) ? short_rest(f, ax) : long_rest(f, ax));
	return with_sign(f, near, sign);
}

/* (1 + x/2) G of gelu in f32 by u = x / (x + 2), as a polynomial of u - 1/2, or of a
 * number next to it at which its value is one of f32. What rounding cuts off u counts by
 * a slope that suits large x, where S changes most for its size.
 */
static struct sum short_series(struct fn *f, struct sum u)
{
	static const double coef[] = {
		0x1.5845dep-1, -0x1.535bb2p-1, 0x1.d7d0fp-4, 0x1.2ccddp-2,
		-0x1.ecd728p-8, -0x1.b94958p-3, -0x1.ff2e1p-4, 0x1.aeb306p-4,
		0x1.b4a12ep-3, 0x1.1892e8p-4, -0x1.325f2ap-3, -0x1.0e548cp-3,
	};
	enum { N = sizeof(coef) / sizeof(coef[0]) };
	const double near_half = 0x1.fffffcp-2, slope = -0.53;
	LLVMValueRef x = sub(f, u.hi, real(f, near_half));
	struct sum v;

	v = last_step(f, polynomial(f, coef + 2, N - 2, x), x, real(f, coef[1]));
	if (f->relaxed)
		v.lo = real(f, 0);
	v = step(f, x, v, single(f, real(f, coef[0])));
	v.lo = fma3(f, u.lo, real(f, slope), v.lo);
	return v;
}

/* x / (x + 2) for x >= 0 in f32. The hardware's reciprocal is good enough for class relaxed,
 * since what it is off by is in the lower part.
 */
static struct sum short_fraction(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef d = add(f, x, real(f, 2)), inverse;
	struct sum u;

	if (!f->relaxed)
		return fraction(f, x);
	inverse = nvptx_hw_approximate(f->module, f->b, NVPTX_HW_INVERSE, d);
	u.hi = mul(f, x, inverse);
	u.lo = mul(f, inverse, fma3(f, neg(f, u.hi), d, x));
	return u;
}

/* "m" times exp(r) in f32, |r| <= ln(2) / 2. */
static LLVMValueRef times_exp(struct fn *f, struct sum m, LLVMValueRef r)
{
	LLVMValueRef q = polynomial(f, f->f->exp, f->f->n_exp, r);
	LLVMValueRef square = mul(f, r, r), rest;
	struct sum e;

	if (f->relaxed)
		return add(f, fma3(f, m.hi, fma3(f, square, q, r), m.lo), m.hi);
	e = fast_sum(f, real(f, 1), r);
	e.lo = fma3(f, square, q, e.lo);
	rest = fma3(f, m.hi, e.lo, mul(f, m.lo, e.hi));
	return fma3(f, m.hi, e.hi, rest);
}

/* gelu in f32: u S(u) exp(-x^2 / 2) for |x|, of which S is short_series. What rounding
 * cuts off x^2 and off the number that the exponential begins with is put together
 * before it is added to what counts. The low bits of "shifted" are n, with
 * what makes 2^n a normal number when they stand where an exponent does.
 */
static LLVMValueRef build_short_gelu(struct fn *f, LLVMValueRef x)
{
	const struct format *c = f->f;
	const double magic = c->round + c->bias + c->lift_log;
	const double ln2_hi = 0x1.62e43p-1, ln2_lo = -0x1.05c61p-29;
	LLVMValueRef sign, ax = at_most(f, magnitude(f, x, &sign), 14.45);
	struct sum u = short_fraction(f, ax), m = product(f, u, short_series(f, u));
	struct sum square = exact_product(f, ax, mul(f, ax, real(f, -0.5)));
	LLVMValueRef shifted, n, r, cut, y;

	shifted = fma3(f, square.hi, real(f, c->log2e), real(f, magic));
	n = sub(f, shifted, real(f, magic));
	r = fma3(f, n, real(f, -ln2_hi), square.hi);
	cut = fma3(f, n, real(f, -ln2_lo), square.lo);
	y = times_exp(f, m, add(f, r, cut));
	y = mul(f, y, as_power(f, to_bits(f, shifted)));
	return fma3(f, y, real(f, -1 / c->lift), at_least(f, x, -0.0));
}

static struct sum long_series(struct fn *f, struct sum u)
{
	struct sum v = nvptx_series(f, &gelu_f64, u);

	v.hi = mul(f, v.hi, real(f, 1 / f->f->lift));
	v.lo = mul(f, v.lo, real(f, 1 / f->f->lift));
	return v;
}

/* The same in f64, where G is made so small that 2^n made as much larger is a normal
 * number: what is 2 u G times the exponential is rounded to one number before, and once
 * more where that is denormal. Of x > 0, which is no less than twice as much, what that
 * cuts off is a quarter of the last bit. Near 0 the result is x/2.
 */
static LLVMValueRef build_long_gelu(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef sign, n, p, y, ax = magnitude(f, x, &sign), far, in;
	struct sum u, s;

	in = at_most(f, ax, 38.6);
	u = fraction(f, in);
	s = product(f, u, long_series(f, u));
	s = product(f, s, bell(f, in, 0.5, &n));
	y = add(f, s.hi, s.lo);
	far = integer(f, (uint64_t) f->f->lift_log + 1);
	p = power(f, LLVMBuildAdd(f->b, n, far, ""));
	y = fma3(f, neg(f, y), p, at_least(f, x, -0.0));
	return choose(f, compare(f, LLVMRealOLT, ax, 0x1p-60), mul(f, x,
		real(f, 0.5)), y);
}

LLVMValueRef nvptx_math_erf(struct fn *f, enum poly_op op, LLVMValueRef x)
{
	switch (op) {
	case POLY_OP_ERF:
		return build_erf(f, x);
	case POLY_OP_ERFC:
		return build_erfc(f, x);
	default:
		return is_short(f) ? build_short_gelu(f, x) :
			build_long_gelu(f, x);
	}
}
