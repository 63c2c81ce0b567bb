/* nvptx: reference mode ("wide"): every float is computed in f64 beside a
 * bound of the error that the program's own arithmetic may make, so that a
 * result of any other schedule must lie within the bound.
 *
 * With u the unit roundoff of the node's type, ea and eb the bounds of the
 * operands, and v the f64 result:
 *
 *	a + b, a - b	ea + eb, and rounding
 *	a * b		|a| eb + |b| ea + ea eb, and rounding
 *	a / b		(ea + |v| eb) / (|b| - eb), and rounding
 *	min, max	max(ea, eb);  neg, abs, relu: ea
 *	functions	their slope on [a - ea, a + ea] times ea, the ulp
 *			of op.def, and rounding
 *	acc += p	a sum over n terms in any order, fused or not: each
 *			term adds ep + g (|p| + ep), g = (n + 2) u / (1 - ..)
 *	rounding	u (|v| + e) and the least denormal number; a value
 *			that may leave the type's range has bound infinity
 *
 * In programs of type f64 u counts twice, since the reference has no more
 * digits than what it is compared with. Integers are computed exactly in their
 * own type and have bound 0.
 */
#include <float.h>
#include <math.h>

#include "nvptx/nvptx_internal.h"

static LLVMTypeRef f64_type(struct nvptx_lower *l)
{
	return LLVMDoubleTypeInContext(l->m->ctx);
}

static LLVMValueRef real(struct nvptx_lower *l, double value)
{
	return LLVMConstReal(f64_type(l), value);
}

static LLVMValueRef add(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFAdd(l->b, a, b, "");
}

static LLVMValueRef sub(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFSub(l->b, a, b, "");
}

static LLVMValueRef mul(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFMul(l->b, a, b, "");
}

static LLVMValueRef magnitude(struct nvptx_lower *l, LLVMValueRef a)
{
	return nvptx_intrinsic(l, "llvm.fabs", &a, 1);
}

/* "a" if "cond" holds, else infinity. */
static LLVMValueRef if_or_inf(struct nvptx_lower *l, LLVMValueRef cond,
	LLVMValueRef a)
{
	return LLVMBuildSelect(l->b, cond, a, real(l, INFINITY), "");
}

static LLVMValueRef is_positive(struct nvptx_lower *l, LLVMValueRef a)
{
	return LLVMBuildFCmp(l->b, LLVMRealOGT, a, real(l, 0), "");
}

static double unit(enum poly_type t)
{
	double u = ldexp(1, -poly_type_digits(t));
	enum poly_type compute = poly_type_compute(t);

	if (compute != t)
		u += ldexp(1, -poly_type_digits(compute));
	return t == POLY_F64 ? 2 * u : u;
}

static double least(enum poly_type t)
{
	switch (t) {
	case POLY_F16:
		return 0x1p-24;
	case POLY_BF16:
		return 0x1p-133;
	case POLY_F32:
		return 0x1p-149;
	default:
		return 0x1p-1074;
	}
}

static double greatest(enum poly_type t)
{
	switch (t) {
	case POLY_F16:
		return 65504;
	case POLY_BF16:
		return 0x1.fep127;
	case POLY_F32:
		return FLT_MAX;
	default:
		return DBL_MAX;
	}
}

/* "v" with bound "e", or infinity if it may lie outside the range of "t". */
static struct nvptx_value in_range(struct nvptx_lower *l, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e)
{
	LLVMValueRef reach = add(l, magnitude(l, v), e);
	LLVMValueRef inside = LLVMBuildFCmp(l->b, LLVMRealOLE, reach,
		real(l, greatest(t)), "");
	struct nvptx_value r = { v, if_or_inf(l, inside, e) };

	return r;
}

/* "v" with bound "e", rounded "n" times half an ulp to type "t". */
static struct nvptx_value rounded(struct nvptx_lower *l, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e, int n)
{
	LLVMValueRef reach = add(l, magnitude(l, v), e);

	e = add(l, e, mul(l, reach, real(l, n * unit(t))));
	e = add(l, e, real(l, least(t)));
	return in_range(l, t, v, e);
}

/* Bound of a product that is not rounded. */
static LLVMValueRef product_bound(struct nvptx_lower *l,
	const struct nvptx_value *x)
{
	LLVMValueRef e = mul(l, magnitude(l, x[0].v), x[1].bound);

	e = add(l, e, mul(l, magnitude(l, x[1].v), x[0].bound));
	return add(l, e, mul(l, x[0].bound, x[1].bound));
}

static struct nvptx_value divide(struct nvptx_lower *l, enum poly_type t,
	const struct nvptx_value *x)
{
	LLVMValueRef v = LLVMBuildFDiv(l->b, x[0].v, x[1].v, "");
	LLVMValueRef den = sub(l, magnitude(l, x[1].v), x[1].bound);
	LLVMValueRef e = add(l, x[0].bound,
		mul(l, magnitude(l, v), x[1].bound));

	e = LLVMBuildFDiv(l->b, e, den, "");
	return rounded(l, t, v, if_or_inf(l, is_positive(l, den), e), 1);
}

/* libm's function "name" of one f64. */
static LLVMValueRef call_libm(struct nvptx_lower *l, const char *name,
	LLVMValueRef x)
{
	LLVMTypeRef arg = f64_type(l);
	LLVMTypeRef type = LLVMFunctionType(arg, &arg, 1, 0);
	LLVMValueRef fn = LLVMGetNamedFunction(l->m->module, name);

	if (!fn)
		fn = LLVMAddFunction(l->m->module, name, type);
	return LLVMBuildCall2(l->b, type, fn, &x, 1, "");
}

/* sqrt(a) - sqrt(a - e) = e / (sqrt(a) + sqrt(a - e)) */
static LLVMValueRef sqrt_bound(struct nvptx_lower *l, LLVMValueRef v,
	LLVMValueRef a, LLVMValueRef e)
{
	LLVMValueRef low = sub(l, a, e), zero = real(l, 0), b, negative, exact;

	b = add(l, v, nvptx_intrinsic(l, "llvm.sqrt", &low, 1));
	b = LLVMBuildFDiv(l->b, e, b, "");
	negative = LLVMBuildFCmp(l->b, LLVMRealOLT, low, zero, "");
	exact = LLVMBuildFCmp(l->b, LLVMRealOEQ, e, zero, "");
	b = LLVMBuildSelect(l->b, negative, real(l, INFINITY), b, "");
	return LLVMBuildSelect(l->b, exact, zero, b, "");
}

static LLVMValueRef log_bound(struct nvptx_lower *l, LLVMValueRef a,
	LLVMValueRef e)
{
	LLVMValueRef low = sub(l, a, e);

	return if_or_inf(l, is_positive(l, low),
		LLVMBuildFDiv(l->b, e, low, ""));
}

static LLVMValueRef sigmoid(struct nvptx_lower *l, LLVMValueRef x)
{
	LLVMValueRef e = call_libm(l, "exp", LLVMBuildFNeg(l->b, x, ""));

	return LLVMBuildFDiv(l->b, real(l, 1), add(l, e, real(l, 1)), "");
}

static struct nvptx_value function(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, struct nvptx_value x)
{
	LLVMValueRef v, e;

	switch (op) {
	case POLY_OP_SQRT:
		v = nvptx_intrinsic(l, "llvm.sqrt", &x.v, 1);
		e = sqrt_bound(l, v, x.v, x.bound);
		break;
	case POLY_OP_EXP:
		v = call_libm(l, "exp", x.v);
		e = mul(l, x.bound, call_libm(l, "exp", x.bound));
		e = mul(l, v, e);
		break;
	case POLY_OP_LOG:
		v = call_libm(l, "log", x.v);
		e = log_bound(l, x.v, x.bound);
		break;
	case POLY_OP_TANH:
		v = call_libm(l, "tanh", x.v);
		e = x.bound;
		break;
	default:
		v = sigmoid(l, x.v);
		e = mul(l, x.bound, real(l, 0.25));
	}
	return rounded(l, t, v, e, 1 + 2 * poly_op_ulp(op));
}

static struct nvptx_value choose(struct nvptx_lower *l, enum poly_op op,
	const struct nvptx_value *x)
{
	LLVMValueRef pair[2] = { x[0].v, x[1].v };
	LLVMValueRef bound[2] = { x[0].bound, x[1].bound };
	struct nvptx_value r;

	r.v = nvptx_intrinsic(l, op == POLY_OP_MIN ? "llvm.minimumnum" :
		"llvm.maximumnum", pair, 2);
	r.bound = nvptx_intrinsic(l, "llvm.maximumnum", bound, 2);
	return r;
}

static struct nvptx_value relu(struct nvptx_lower *l, struct nvptx_value x)
{
	LLVMValueRef zero = real(l, 0);
	LLVMValueRef low = LLVMBuildFCmp(l->b, LLVMRealOLE, x.v, zero, "");

	x.v = LLVMBuildSelect(l->b, low, zero, x.v, "");
	return x;
}

struct nvptx_value nvptx_wide_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	struct nvptx_value x = arg[0];

	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		x.v = op == POLY_OP_ADD ? add(l, x.v, arg[1].v) :
			sub(l, x.v, arg[1].v);
		return rounded(l, t, x.v, add(l, x.bound, arg[1].bound), 1);
	case POLY_OP_MUL:
		return rounded(l, t, mul(l, x.v, arg[1].v),
			product_bound(l, arg), 1);
	case POLY_OP_DIV:
		return divide(l, t, arg);
	case POLY_OP_NEG:
		x.v = LLVMBuildFNeg(l->b, x.v, "");
		return x;
	case POLY_OP_ABS:
		x.v = magnitude(l, x.v);
		return x;
	case POLY_OP_RELU:
		return relu(l, x);
	case POLY_OP_MIN:
	case POLY_OP_MAX:
		return choose(l, op, arg);
	default:
		return function(l, op, t, x);
	}
}

struct nvptx_value nvptx_wide_cast(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, struct nvptx_value x)
{
	LLVMTypeRef i64 = nvptx_i64(l);

	if (!poly_type_is_float(to)) {
		x.v = LLVMBuildFPToSI(l->b, x.v, i64, "");
		x.v = LLVMBuildTrunc(l->b, x.v, nvptx_value_type(l, to), "");
		x.bound = NULL;
		return x;
	}
	if (!poly_type_is_float(from)) {
		x.v = LLVMBuildSIToFP(l->b, x.v, f64_type(l), "");
		x.bound = real(l, 0);
		if (from == POLY_I8 || to == POLY_F64)
			return x;
		return rounded(l, to, x.v, x.bound, 1);
	}
	if (to == POLY_F64 || (to == POLY_F32 && from != POLY_F64))
		return x;
	return rounded(l, to, x.v, x.bound, 1);
}

/* Number of updates that one cell of "s" receives at most, as an f64. */
static LLVMValueRef term_count(struct nvptx_lower *l,
	const struct poly_stmt *s)
{
	isl_size n = isl_set_dim(s->domain, isl_dim_set);
	LLVMValueRef count = real(l, 1), size;

	for (int i = 0; i < n; i++) {
		isl_set *dim;
		isl_pw_aff *extent;

		if (isl_multi_pw_aff_involves_dims(s->write_index, isl_dim_in,
		    i, 1) == isl_bool_true)
			continue;
		dim = isl_set_copy(s->domain);
		dim = isl_set_project_out(dim, isl_dim_set, i + 1, n - i - 1);
		dim = isl_set_project_out(dim, isl_dim_set, 0, i);
		extent = isl_set_dim_max(isl_set_copy(dim), 0);
		extent = isl_pw_aff_sub(extent, isl_set_dim_min(dim, 0));
		size = nvptx_pw_aff(l, extent, NULL);
		size = nvptx_add(l, size, nvptx_int(l, 1), "");
		count = mul(l, count,
			LLVMBuildSIToFP(l->b, size, f64_type(l), ""));
	}
	return count;
}

/* g / (1 - g) with g = (n + 2) u, infinity when g is too large. */
static LLVMValueRef sum_factor(struct nvptx_lower *l,
	const struct poly_stmt *s)
{
	LLVMValueRef one = real(l, 1), g, left;

	g = add(l, term_count(l, s), real(l, 2));
	g = mul(l, g, real(l, unit(s->write_array->type)));
	left = sub(l, one, g);
	return if_or_inf(l, is_positive(l, left),
		LLVMBuildFDiv(l->b, g, left, ""));
}

struct nvptx_value nvptx_wide_accumulate(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value acc)
{
	enum poly_type t = s->write_array->type;
	struct nvptx_value p, x[2];
	LLVMValueRef e;

	if (s->rhs->op == POLY_OP_MUL) {
		x[0] = nvptx_expr(l, s->rhs->arg[0], in);
		x[1] = nvptx_expr(l, s->rhs->arg[1], in);
		p.v = mul(l, x[0].v, x[1].v);
		p.bound = product_bound(l, x);
	} else {
		p = nvptx_expr(l, s->rhs, in);
		p = nvptx_cast(l, t, s->rhs->type, p);
	}
	e = mul(l, add(l, magnitude(l, p.v), p.bound), sum_factor(l, s));
	e = add(l, add(l, p.bound, e), real(l, least(t)));
	return in_range(l, t, add(l, acc.v, p.v), add(l, acc.bound, e));
}
