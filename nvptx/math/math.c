/* nvptx: the mathematical functions as LLVM functions; here exp, log, tanh and
 * sigmoid, the others in the files that follow.
 *
 * A kernel must give the same bits on every GPU and on the host device, and
 * an accuracy that the error bounds of reference mode can rely on, so neither
 * the hardware's approximations nor a vendor's library will do. Each function
 * is built once a module and type, internal and always inlined, out of
 * operations that IEEE 754 rounds once (add, sub, mul, fma, div), integer
 * operations and selects: no fast-math flags, no tables but the bits of 2/pi, and
 * no branches but to what hardly any program needs. Functions of f32 have no
 * operation of f64, which some GPUs are slow at.
 *
 * One description serves f32 and f64: "struct format" holds what differs. The
 * methods:
 *
 *	exp(x) = 2^n (1 + r + r^2 Q(r)),  r = x - n ln 2
 *	log(x) = k ln 2 + f - f^2/2 + f^3 P(f),  x = 2^k (1 + f)
 *	tanh(x) = E / (E + 2),  E = exp(2 |x|) - 1, then the sign of x
 *	sigmoid(x) = 1 / (1 + t) or t / (1 + t),  t = exp(-|x|)
 *
 * Q and P are minimax polynomials (weighted by their part of the result). The
 * constant ln 2 is split so that n times its upper part is exact. These four are
 * what rows of neural networks are made of, often one for each few bytes, so they
 * take few instructions: no more than the last two steps of tanh and sigmoid are sums,
 * and rounding leaves less than 1 ulp (tests/nvptx/test_math.c). The functions of
 * math_power.c carry the leading terms as unevaluated sums "hi + lo". Results that
 * are denormal round twice.
 */
#include <stdio.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math_kit.h"

static const struct format format_f32 = {
	.name = "f32", .width = 32, .mantissa = 23, .bias = 127,
	.log2e = 0x1.715476p+0,
	.ln2_hi = 0x1.62e4p-1, .ln2_lo = 0x1.7f7d1cp-20,
	.round = 0x1.8p+23, .exp_low = -104.5, .exp_high = 89,
	.sqrt_half = 0x3f3504f3,
	.normal = 0x1p-126, .lift = 0x1p+25, .lift_log = 25,
	.n_exp = 5, .n_log = 9,
	.exp = {
		0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.123a2p-7,
		0x1.6a23cep-10,
	},
	.log = {
		0x1.555548p-2, -0x1.000008p-2, 0x1.99a47ap-3,
		-0x1.555b94p-3, 0x1.233acap-3, -0x1.fc3c6ep-4,
		0x1.e6ddccp-4, -0x1.dda594p-4, 0x1.13cca4p-4,
	},
};

static const struct format format_f64 = {
	.name = "f64", .width = 64, .mantissa = 52, .bias = 1023,
	.log2e = 0x1.71547652b82fep+0,
	.ln2_hi = 0x1.62e42fefa38p-1, .ln2_lo = 0x1.ef35793c7673p-45,
	.round = 0x1.8p+52, .exp_low = -746, .exp_high = 710,
	.sqrt_half = 0x3fe6a09e667f3bcd,
	.normal = 0x1p-1022, .lift = 0x1p+54, .lift_log = 54,
	.n_exp = 12, .n_log = 21,
	.exp = {
		0x1p-1, 0x1.5555555555555p-3, 0x1.5555555555558p-5,
		0x1.111111111130bp-7, 0x1.6c16c16c15018p-10,
		0x1.a01a019f12f0fp-13, 0x1.a01a01ad6fdbbp-16,
		0x1.71de3e3a7cb28p-19, 0x1.27e4cc3b4961ep-22,
		0x1.ae568aa045845p-26, 0x1.1f8b902d00554p-29,
		0x1.73e4c69b2d41dp-33,
	},
	.log = {
		0x1.5555555555558p-2, -0x1.0000000000042p-2,
		0x1.999999999903ep-3, -0x1.555555554aeap-3,
		0x1.24924924e3e4dp-3, -0x1.0000000500009p-3,
		0x1.c71c71a04c0d7p-4, -0x1.9999971cf44aep-4,
		0x1.745d1b5fec822p-4, -0x1.5555b1882b573p-4,
		0x1.3b13a20e19403p-4, -0x1.248a2cf319147p-4,
		0x1.11096df7b8ed4p-4, -0x1.006d9847f0948p-4,
		0x1.e38215cacb88ep-5, -0x1.c0cef6b744149p-5,
		0x1.9bfac872820a5p-5, -0x1.a97b3985d44a6p-5,
		0x1.efda970ae2c06p-5, -0x1.ba490ed3201ep-5,
		0x1.6ef2354b92c62p-6,
	},
};

/* -------------------------------------------------------------- functions */

const double nvptx_short_exp[NVPTX_SHORT_EXP] = {
	0x1p-1, 0x1.555552p-3, 0x1.5554e6p-5, 0x1.1115c8p-7, 0x1.6d4fp-10,
	0x1.9a6ae6p-13,
};

/* The parts of exp(x) for "x" within the bounds of the format, which in f32 are those
 * of sums, more exact than exp itself has to be.
 */
struct expo nvptx_exp_parts(struct fn *f, LLVMValueRef x)
{
	const struct format *c = f->f;
	LLVMValueRef shifted, n, upper, low = real(f, -c->ln2_lo), q;
	struct expo e;

	shifted = fma3(f, x, real(f, c->log2e), real(f, c->round));
	n = sub(f, shifted, real(f, c->round));
	e.n = LLVMBuildSub(f->b, to_bits(f, shifted),
		to_bits(f, real(f, c->round)), "");
	upper = fma3(f, n, real(f, -c->ln2_hi), x);
	e.r = fma3(f, n, low, upper);
	e.c = fma3(f, n, low, sub(f, upper, e.r));
	q = is_short(f) ? polynomial(f, nvptx_short_exp, NVPTX_SHORT_EXP, e.r) :
		polynomial(f, c->exp, c->n_exp, e.r);
	e.c = fma3(f, mul(f, e.r, e.r), q, e.c);
	return e;
}

LLVMValueRef nvptx_exp_rest(struct fn *f, LLVMValueRef r, LLVMValueRef tail)
{
	LLVMValueRef q = polynomial(f, f->f->exp, f->f->n_exp, r);

	return fma3(f, mul(f, r, r), q, fma3(f, tail, r, tail));
}

/* 1 + r + c */
struct sum nvptx_exp_mantissa(struct fn *f, struct expo e)
{
	struct sum s = fast_sum(f, real(f, 1), e.r);

	return fast_sum(f, s.hi, add(f, s.lo, e.c));
}

/* The parts of exp(x) for "x" within the bounds of the format, each one number:
 * exp(x) = 2^n (1 + r + r^2 q), where the low bits of "n" are n + "more", for as_power()
 * alone; "coef" has the coefficients of q, "cut" is what rounding cuts off r.
 */
struct short_expo {
	LLVMValueRef n, r, q, cut;
};

/* n is x log2(e) to the nearest integer: f->round is so large that adding it
 * leaves no digits behind the point, and the low bits of the sum are those of
 * n.
 */
static struct short_expo exp_parts(struct fn *f, LLVMValueRef x, const double *coef,
	double more)
{
	const struct format *c = f->f;
	LLVMValueRef shifted, n, upper, low = real(f, -c->ln2_lo);
	LLVMValueRef magic = real(f, c->round + more);
	struct short_expo e;

	shifted = fma3(f, x, real(f, c->log2e), magic);
	n = sub(f, shifted, magic);
	e.n = to_bits(f, shifted);
	upper = fma3(f, n, real(f, -c->ln2_hi), x);
	e.r = fma3(f, n, low, upper);
	e.cut = fma3(f, n, low, sub(f, upper, e.r));
	e.q = polynomial(f, coef, c->n_exp, e.r);
	return e;
}

/* exp(x) by the formula above; beyond the clamps it is 0 or infinity anyway. What n is
 * added to are two biases: half of the sum, and the rest, are exponents.
 */
static LLVMValueRef build_exp(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef one = real(f, 1), half;
	struct short_expo e;

	e = exp_parts(f, clamp(f, x, f->f->exp_low, f->f->exp_high), f->f->exp,
		2 * f->f->bias);
	half = LLVMBuildLShr(f->b, e.n, integer(f, 1), "");
	x = fma3(f, fma3(f, e.q, e.r, one), e.r, one);
	x = mul(f, x, as_power(f, half));
	return mul(f, x, as_power(f, LLVMBuildSub(f->b, e.n, half, "")));
}

/* exp(x) for x <= 0 or NaN. What is to be scaled is 2^-l exp(r), so that 2^(n + l) is
 * a normal number, whatever n, and the product rounds once.
 */
static struct sum falling_exp(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef low = real(f, 1 / f->f->lift), lift;
	double coef[MAX_EXP];
	struct short_expo e;
	struct sum s;
	int i;

	for (i = 0; i < f->f->n_exp; i++)
		coef[i] = f->f->exp[i] / f->f->lift;
	e = exp_parts(f, at_least(f, x, f->f->exp_low), coef, f->f->bias +
		f->f->lift_log);
	lift = as_power(f, e.n);
	s = last_step(f, fma3(f, e.q, e.r, low), e.r, low);
	s.hi = mul(f, s.hi, lift);
	s.lo = mul(f, s.lo, lift);
	return s;
}

static LLVMValueRef build_falling_exp(struct fn *f, LLVMValueRef x)
{
	return nvptx_set_part_of_one(f->module, falling_exp(f, x).hi);
}

/* x / y for y.hi from 1 to 2^64. */
static LLVMValueRef fraction(struct fn *f, struct sum x, struct sum y)
{
	LLVMValueRef inverse = inverse_of(f, y.hi), q = mul(f, x.hi, inverse), rest;

	rest = fma3(f, neg(f, y.hi), q, x.hi);
	rest = fma3(f, neg(f, y.lo), q, add(f, rest, x.lo));
	return fma3(f, rest, inverse, q);
}

LLVMValueRef nvptx_log_split(struct fn *f, LLVMValueRef x, LLVMValueRef *k)
{
	const struct format *c = f->f;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(
		LLVMGetModuleContext(f->module));
	uint64_t fraction = ((uint64_t)1 << c->mantissa) - 1;
	LLVMValueRef tiny, lift, bits, expo;

	tiny = compare(f, LLVMRealOLT, x, c->normal);
	x = choose(f, tiny, mul(f, x, real(f, c->lift)), x);
	lift = choose(f, tiny, real(f, -c->lift_log), real(f, 0));
	bits = to_bits(f, x);
	expo = LLVMBuildSub(f->b, bits, integer(f, c->sqrt_half), "");
	expo = LLVMBuildAnd(f->b, expo, integer(f, ~fraction), "");
	x = from_bits(f, LLVMBuildSub(f->b, bits, expo, ""));
	if (is_short(f)) {
		*k = LLVMBuildSIToFP(f->b, expo, f->real, "");
		*k = fma3(f, *k, real(f, 1 / ((double) fraction + 1)), lift);
	} else {
		expo = LLVMBuildAShr(f->b, expo, integer(f, c->mantissa), "");
		expo = LLVMBuildTrunc(f->b, expo, i32, "");
		*k = add(f, LLVMBuildSIToFP(f->b, expo, f->real, ""), lift);
	}
	return sub(f, x, real(f, 1));
}

/* Infinity and NaN are themselves, and so is what is less than 0: NaN. */
LLVMValueRef nvptx_log_special(struct fn *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef infinite = real(f, INFINITY), odd;

	odd = LLVMBuildICmp(f->b, LLVMIntUGE, to_bits(f, x), to_bits(f, infinite), "");
	y = choose(f, odd, fma3(f, x, infinite, infinite), y);
	return choose(f, compare(f, LLVMRealOEQ, x, 0), real(f, -INFINITY), y);
}

/* log(x) by the formula above, of f64 as a sum; NaN below 0, -infinity at 0. */
static LLVMValueRef build_log(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef k, m, result;
	struct sum s, whole;

	m = nvptx_log_split(f, x, &k);
	result = polynomial(f, f->f->log, f->f->n_log, m);
	result = fma3(f, m, result, real(f, -0.5));
	s = last_step(f, mul(f, m, m), result, m);
	if (is_short(f)) {
		result = fma3(f, k, real(f, f->f->ln2_lo), s.hi);
		result = fma3(f, k, real(f, f->f->ln2_hi), result);
	} else {
		s.lo = fma3(f, k, real(f, f->f->ln2_lo), s.lo);
		whole = fast_sum(f, mul(f, k, real(f, f->f->ln2_hi)), s.hi);
		result = add(f, whole.hi, add(f, whole.lo, s.lo));
	}
	return nvptx_log_special(f, x, result);
}

/* exp(x) - 1 for x >= 0 */
struct sum nvptx_exp_minus_one(struct fn *f, LLVMValueRef x)
{
	struct expo e = nvptx_exp_parts(f, x);
	LLVMValueRef p = power(f, e.n);
	struct sum s;

	s = fast_sum(f, sub(f, p, real(f, 1)), mul(f, p, e.r));
	return fast_sum(f, s.hi, fma3(f, p, e.c, s.lo));
}

/* tanh(x) by the formula above; from 20 on it is tanh(20), which rounds to 1.
 */
static LLVMValueRef build_tanh(struct fn *f, LLVMValueRef x)
{
	const double one = 20;	/* from here on tanh rounds to 1 */
	LLVMValueRef sign, p;
	struct short_expo e;
	struct sum m, s, y;

	x = at_most(f, magnitude(f, x, &sign), one);
	e = exp_parts(f, add(f, x, x), f->f->exp, f->f->bias);
	p = as_power(f, e.n);
	m = last_step(f, mul(f, e.r, e.r), e.q, e.r);
	if (!is_short(f))
		m.lo = add(f, m.lo, e.cut);
	s = fast_sum(f, sub(f, p, real(f, 1)), mul(f, p, m.hi));
	s.lo = fma3(f, p, m.lo, s.lo);
	y = exact_sum(f, s.hi, real(f, 2));
	y.lo = add(f, y.lo, s.lo);
	return with_sign(f, fraction(f, s, y), sign);
}

/* sigmoid(x) by the formula above, whose exponential never overflows. */
static LLVMValueRef build_sigmoid(struct fn *f, LLVMValueRef x)
{
	LLVMValueRef one = real(f, 1), z, less;
	struct sum t, y;

	z = from_bits(f, LLVMBuildOr(f->b, to_bits(f, x), sign_mask(f), ""));
	t = falling_exp(f, z);
	y = fast_sum(f, one, t.hi);
	y.lo = add(f, y.lo, t.lo);
	less = compare(f, LLVMRealOLT, x, 0);
	return fraction(f, dd_choose(f, less, t, single(f, one)), y);
}

/* --------------------------------------------------------------- interface */

/* The angle "op" of x[0], or of x[0] and x[1]. */
static LLVMValueRef build_angle(struct fn *f, enum poly_op op,
	const LLVMValueRef *x)
{
	const struct angles *by = is_short(f) ? &nvptx_short_angle :
		&nvptx_math_angle;

	switch (op) {
	case POLY_OP_ATAN:
		return by->atan(f, x[0]);
	case POLY_OP_ASIN:
		return by->asin(f, x[0]);
	case POLY_OP_ACOS:
		return by->acos(f, x[0]);
	default:
		return by->atan2(f, x[0], x[1]);
	}
}

/* The body of the function "op" of "x". */
static LLVMValueRef build(struct fn *f, enum poly_op op, const LLVMValueRef *x)
{
	switch (op) {
	case POLY_OP_EXP:
		return build_exp(f, x[0]);
	case POLY_OP_LOG:
		return build_log(f, x[0]);
	case POLY_OP_TANH:
		return build_tanh(f, x[0]);
	case POLY_OP_SIGMOID:
		return build_sigmoid(f, x[0]);
	case POLY_OP_REM:
		return nvptx_math_rem(f, x[0], x[1]);
	case POLY_OP_ROUND:
		return nvptx_math_round(f, x[0]);
	case POLY_OP_HYPOT:
		return nvptx_math_hypot(f, x[0], x[1]);
	case POLY_OP_SINPI:
	case POLY_OP_COSPI:
	case POLY_OP_SINC:
		return nvptx_math_circle(f, op, x[0]);
	case POLY_OP_ASIN:
	case POLY_OP_ACOS:
	case POLY_OP_ATAN:
	case POLY_OP_ATAN2:
		return build_angle(f, op, x);
	case POLY_OP_ERF:
	case POLY_OP_ERFC:
	case POLY_OP_GELU:
		return nvptx_math_erf(f, op, x[0]);
	case POLY_OP_ERFINV:
		return nvptx_math_erfinv(f, x[0]);
	case POLY_OP_SILU:
	case POLY_OP_SOFTPLUS:
	case POLY_OP_MISH:
		return nvptx_math_gate(f, op, x[0]);
	case POLY_OP_RSQRT:
	case POLY_OP_CBRT:
		return nvptx_math_root(f, op, x[0]);
	default:
		return nvptx_math_power(f, op, x);
	}
}

/* True if "op" is a function of this file. */
static bool is_function(enum poly_op op)
{
	return op == POLY_OP_REM || op == POLY_OP_ROUND ||
		(op >= POLY_OP_EXP && op <= POLY_OP_HYPOT);
}

static void add_attribute(LLVMContextRef ctx, LLVMValueRef function,
	const char *name, uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(ctx, kind, value));
}

/* What a function of this folder is: of one number that is never positive, the parts of
 * an angle, or what takes these, too; or for results that are rounded to 16 bits, or for
 * programs of class relaxed.
 */
enum kind { PLAIN, FALLING, ANGLE, TURN, TO_F16, TO_BF16, RELAXED };

static const char *const kind_name[] = {
	[PLAIN] = "", [FALLING] = "falling.", [ANGLE] = "", [TURN] = "",
	[TO_F16] = "f16.", [TO_BF16] = "bf16.", [RELAXED] = "relaxed.",
};

/* The body of the function of "op" and "kind". */
static LLVMValueRef build_body(struct fn *f, enum poly_op op, enum kind kind,
	const LLVMValueRef *x)
{
	switch (kind) {
	case FALLING:
		return build_falling_exp(f, x[0]);
	case ANGLE:
		return nvptx_math_reduce(f, x[0]);
	case TURN:
		return nvptx_math_turn(f, op, x[0], x[1]);
	case TO_F16:
		return nvptx_brief(f, op, POLY_F16, x[0]);
	case TO_BF16:
		return nvptx_brief(f, op, POLY_BF16, x[0]);
	case RELAXED:
		return nvptx_relaxed(f, op, x[0]);
	default:
		return build(f, op, x);
	}
}

/* Define the function "name" of "f"'s type. */
static LLVMValueRef define(struct fn *f, enum poly_op op, enum kind kind,
	const char *name)
{
	LLVMContextRef ctx = LLVMGetModuleContext(f->module);
	LLVMTypeRef arg[2] = { f->real, kind == TURN ? nvptx_angle_type(f) :
		f->real };
	LLVMTypeRef type = LLVMFunctionType(kind == ANGLE ? nvptx_angle_type(f) :
		f->real, arg, kind == TURN ? 2 : poly_op_n_arg(op), 0);
	LLVMValueRef x[2] = { NULL, NULL };

	f->function = LLVMAddFunction(f->module, name, type);
	LLVMSetLinkage(f->function, LLVMInternalLinkage);
	add_attribute(ctx, f->function, "alwaysinline", 0);
	add_attribute(ctx, f->function, "nounwind", 0);
	add_attribute(ctx, f->function, "willreturn", 0);
	add_attribute(ctx, f->function, "memory", 0);
	f->b = LLVMCreateBuilderInContext(ctx);
	LLVMPositionBuilderAtEnd(f->b,
		LLVMAppendBasicBlockInContext(ctx, f->function, "entry"));
	LLVMGetParams(f->function, x);
	LLVMBuildRet(f->b, build_body(f, op, kind, x));
	LLVMDisposeBuilder(f->b);
	return f->function;
}

/* Call the function of "op" and "kind" at "b", which is defined on first use. */
static LLVMValueRef call(struct fn *f, LLVMBuilderRef b, enum poly_op op,
	enum kind kind, LLVMValueRef *arg)
{
	LLVMValueRef function;
	char name[32];

	snprintf(name, sizeof(name), "cetane.%s%s.%s", kind_name[kind],
		kind == ANGLE ? "angle" : poly_op_name(op), f->f->name);
	function = LLVMGetNamedFunction(f->module, name);
	if (!function)
		function = define(f, op, kind, name);
	return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function,
		arg, LLVMCountParams(function), "");
}

/* What makes functions of numbers like "x" at "b". */
static struct fn start(struct nvptx_module *m, LLVMBuilderRef b, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	bool single = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
	struct fn f = {
		.module = m->module, .b = b, .real = type,
		.f = single ? &format_f32 : &format_f64,
		.gpu = m->opt.device == NVPTX_GPU,
	};

	f.integer = LLVMIntTypeInContext(LLVMGetTypeContext(type), f.f->width);
	return f;
}

/* Is "x" the result of the function "op"? */
static bool is_result_of(LLVMValueRef x, enum poly_op op)
{
	static const enum kind kinds[] = { PLAIN, RELAXED };
	char name[32];
	size_t length;
	bool is = false;

	for (int i = 0; i < 2 && LLVMIsACallInst(x); i++) {
		snprintf(name, sizeof(name), "cetane.%s%s.f32", kind_name[kinds[i]],
			poly_op_name(op));
		is |= !strcmp(LLVMGetValueName2(LLVMGetCalledValue(x), &length), name);
	}
	return is;
}

/* Is "x" 1? */
static bool is_one(LLVMValueRef x)
{
	LLVMBool lost;

	return LLVMIsAConstantFP(x) && LLVMConstRealGetDouble(x, &lost) == 1;
}

/* The function for results of 16 bits that "x" is, if there is one, and what it takes. */
static enum poly_op brief_of(LLVMValueRef x, LLVMValueRef *arg)
{
	for (int op = 0; LLVMIsACallInst(x) && op < POLY_OP_NONE; op++)
		if (nvptx_has_brief(op) && is_result_of(x, op)) {
			*arg = LLVMGetOperand(x, 0);
			return op;
		}
	for (unsigned i = 0; LLVMIsABinaryOperator(x) &&
	     LLVMGetInstructionOpcode(x) == LLVMFAdd && i < 2; i++) {
		LLVMValueRef tanh = LLVMGetOperand(x, 1 - i);

		if (is_one(LLVMGetOperand(x, i)) && is_result_of(tanh,
		    POLY_OP_TANH)) {
			*arg = LLVMGetOperand(tanh, 0);
			return POLY_OP_TANH;
		}
	}
	return POLY_OP_NONE;
}

/* A product is as far off as its factors are: one of them may be. */
LLVMValueRef nvptx_math_rounded(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_type to, LLVMValueRef x)
{
	struct fn f = start(m, b, x);
	LLVMValueRef arg;
	enum poly_op op = brief_of(x, &arg);

	if (op != POLY_OP_NONE)
		return call(&f, b, op, to == POLY_F16 ? TO_F16 : TO_BF16, &arg);
	for (unsigned i = 0; LLVMIsABinaryOperator(x) &&
	     LLVMGetInstructionOpcode(x) == LLVMFMul && i < 2; i++) {
		LLVMValueRef factor = LLVMGetOperand(x, i);

		arg = nvptx_math_rounded(m, b, to, factor);
		if (arg != factor)
			return mul(&f, arg, LLVMGetOperand(x, 1 - i));
	}
	return x;
}

LLVMValueRef nvptx_math_truncated(struct nvptx_module *m, LLVMBuilderRef b,
	LLVMValueRef x)
{
	struct fn f = start(m, b, x);

	return is_result_of(x, POLY_OP_ROUND) ?
		nvptx_math_away(&f, LLVMGetOperand(x, 0)) : x;
}

LLVMValueRef nvptx_math(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_op op, const LLVMValueRef *x)
{
	struct fn f = start(m, b, x[0]);
	LLVMValueRef arg[2] = { x[0] };
	enum kind kind = PLAIN;

	if (op == POLY_OP_SQRT)
		return intrinsic(&f, "llvm.sqrt", arg, 1);
	if (!is_function(op))
		return NULL;
	if (poly_op_n_arg(op) == 2)
		arg[1] = x[1];
	if (op == POLY_OP_EXP && nvptx_never_positive(x[0]))
		kind = FALLING;
	if (m->opt.approximate && f.gpu && is_short(&f) && nvptx_has_relaxed(op))
		kind = RELAXED;
	if (op == POLY_OP_SIN || op == POLY_OP_COS || op == POLY_OP_TAN) {
		arg[1] = call(&f, b, op, ANGLE, arg);
		kind = TURN;
	}
	return call(&f, b, op, kind, arg);
}
