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
 *	rem		0 or ea if the quotient is certain, else 2 |b|
 *	functions	lower_wide_math.c
 *	acc += p	a sum over n terms in any order, fused or not: each
 *			term, and what the cell held before, adds ep + g (|p| +
 *			ep), g = (n + 2) u / (1 - ..), n of all statements that
 *			update the array; under --fp=strict a product and a sum
 *	rounding	u (|v| + e) and the least denormal number, nothing if
 *			the operands are exact and the result is; a value
 *			that may leave the type's range has bound infinity
 *
 * u is taken a little larger than it is, for the reference's own rounding. In
 * programs of type f64 u counts twice, since the reference has no more digits
 * than what it is compared with. Integers, bools, comparisons, selections and
 * casts are in lower_wide_int.c.
 */
#include <float.h>
#include <string.h>

#include "nvptx/value/lower_wide.h"
#include "nvptx/math/math.h"

/* u of type "t", a little larger than it is: its own, and that of the type that
 * it is computed in if that is another; twice for f64.
 *
 * 2^-20 more covers what the reference itself rounds.
 */
static double unit(enum poly_type t)
{
	double u = ldexp(1, -poly_type_digits(t));
	enum poly_type compute = poly_type_compute(t);

	if (compute != t)
		u += ldexp(1, -poly_type_digits(compute));
	return (t == POLY_F64 ? 2 * u : u) * (1 + 0x1p-20);
}

/* The least positive number of "t", a denormal one.
 *
 * An error of a result below the normal numbers is at most that.
 */
static double least(enum poly_type t)
{
	switch (t) {
	case POLY_F8E4M3:
		return 0x1p-9;
	case POLY_F8E5M2:
		return 0x1p-16;
	case POLY_F16:
		return 0x1p-24;
	case POLY_BF16:
		return 0x1p-133;
	case POLY_TF32:
		return 0x1p-136;
	case POLY_F32:
		return 0x1p-149;
	default:
		return 0x1p-1074;
	}
}

/* The greatest number of "t".
 *
 * A result that may be beyond it may have become infinite.
 */
static double greatest(enum poly_type t)
{
	switch (t) {
	case POLY_F8E4M3:
		return 448;
	case POLY_F8E5M2:
		return 57344;
	case POLY_F16:
		return 65504;
	case POLY_BF16:
		return 0x1.fep127;
	case POLY_TF32:
		return 0x1.ffcp127;
	case POLY_F32:
		return FLT_MAX;
	default:
		return DBL_MAX;
	}
}

bool nvptx_wide_holds(enum poly_type to, enum poly_type from)
{
	return poly_type_digits(to) >= poly_type_digits(from) &&
		greatest(to) >= greatest(from) && least(to) <= least(from);
}

/* "e" is the bound of "v" so far. */
struct nvptx_value nvptx_wide_in_range(struct nvptx_ir *ir,
	enum poly_type t, LLVMValueRef v, LLVMValueRef e)
{
	LLVMValueRef reach = add(ir, magnitude(ir, v), e);
	LLVMValueRef inside = LLVMBuildFCmp(ir->b, LLVMRealOLE, reach,
		real(ir, greatest(t)), "");
	struct nvptx_value r = { v, if_or_inf(ir, inside, e) };

	return r;
}

/* "n" roundings of a result of that size. */
struct nvptx_value nvptx_wide_rounded(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e, int n)
{
	LLVMValueRef reach = add(ir, magnitude(ir, v), e);

	e = add(ir, e, mul(ir, reach, real(ir, n * unit(t))));
	e = add(ir, e, real(ir, least(t)));
	return nvptx_wide_in_range(ir, t, v, e);
}

/*	|a| eb + |b| ea + ea eb */
LLVMValueRef nvptx_wide_product(struct nvptx_ir *ir,
	const struct nvptx_value *x)
{
	LLVMValueRef e = mul(ir, magnitude(ir, x[0].v), x[1].bound);

	e = add(ir, e, mul(ir, magnitude(ir, x[1].v), x[0].bound));
	return add(ir, e, mul(ir, x[0].bound, x[1].bound));
}

/* a / b; the bound is infinite where b may be 0.
 *
 * The error of the quotient is that of the numerator and that of the divisor
 * times the quotient, over the least divisor.
 */
static struct nvptx_value divide(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x)
{
	LLVMValueRef v = LLVMBuildFDiv(ir->b, x[0].v, x[1].v, "");
	LLVMValueRef den = sub(ir, magnitude(ir, x[1].v), x[1].bound);
	LLVMValueRef e = add(ir, x[0].bound,
		mul(ir, magnitude(ir, v), x[1].bound));

	e = LLVMBuildFDiv(ir->b, e, den, "");
	return nvptx_wide_rounded(ir, t, v, if_or_inf(ir, is_positive(ir, den),
		e), 1);
}

/* min or max, with the greater one of the bounds.
 *
 * Either operand may be the one that is taken.
 */
static struct nvptx_value choose(struct nvptx_ir *ir, enum poly_op op,
	const struct nvptx_value *x)
{
	LLVMValueRef pair[2] = { x[0].v, x[1].v };
	LLVMValueRef bound[2] = { x[0].bound, x[1].bound };
	struct nvptx_value r;

	r.v = nvptx_intrinsic(ir, op == POLY_OP_MIN ? "llvm.minimumnum" :
		"llvm.maximumnum", pair, 2);
	r.bound = nvptx_intrinsic(ir, "llvm.maximumnum", bound, 2);
	return r;
}

/* max(x, 0) with the bound of "x"; NaN stays NaN.
 *
 * It moves no two values apart, so the bound stays.
 */
static struct nvptx_value relu(struct nvptx_ir *ir, struct nvptx_value x)
{
	LLVMValueRef zero = real(ir, 0);
	LLVMValueRef low = LLVMBuildFCmp(ir->b, LLVMRealOLE, x.v, zero, "");

	x.v = LLVMBuildSelect(ir->b, low, zero, x.v, "");
	return x;
}

/* True where the product "v" of "x" is exact; nothing is known of those that
 * are so small that what was cut off is lost, too.
 *
 * The fused operation gives what was cut off. Below 2^-900 that could itself be
 * cut off.
 */
static LLVMValueRef is_exact_product(struct nvptx_ir *ir,
	const struct nvptx_value *x, LLVMValueRef v)
{
	LLVMValueRef arg[3] = { x[0].v, x[1].v, LLVMBuildFNeg(ir->b, v, "") };
	LLVMValueRef rest, sure;

	rest = is_zero(ir, nvptx_intrinsic(ir, "llvm.fma", arg, 3));
	sure = LLVMBuildFCmp(ir->b, LLVMRealOGT, magnitude(ir, v),
		real(ir, 0x1p-900), "");
	for (int i = 0; i < 2; i++)
		sure = LLVMBuildOr(ir->b, sure, is_zero(ir, x[i].v), "");
	return LLVMBuildAnd(ir->b, rest, sure, "");
}

/* True where "v", the f64 result of "op" on exact operands, is what the program
 * gets: nothing was cut off, or could be cut off in "t".
 *
 * In f32 the f64 result is exact, so it is enough that f32 can hold it. In f64
 * the rest of a sum is computed.
 */
static LLVMValueRef is_exact(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x, LLVMValueRef v)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(ir->m->ctx);
	LLVMValueRef rest, part, arg[2] = { x[0].v, x[1].v };

	if (t == POLY_F32) {
		rest = LLVMBuildFPTrunc(ir->b, v, f32, "");
		rest = LLVMBuildFPExt(ir->b, rest, f64_type(ir), "");
		return LLVMBuildFCmp(ir->b, LLVMRealOEQ, rest, v, "");
	}
	if (op == POLY_OP_MUL)
		return is_exact_product(ir, x, v);
	if (op == POLY_OP_SUB)
		arg[1] = LLVMBuildFNeg(ir->b, arg[1], "");
	part = sub(ir, v, arg[0]);
	rest = add(ir, sub(ir, arg[0], sub(ir, v, part)), sub(ir, arg[1],
		part));
	return is_zero(ir, rest);
}

/* a + b, a - b or a * b.
 *
 * A result that is exact has no error at all: comparisons with it are certain.
 */
static struct nvptx_value arithmetic(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x)
{
	LLVMValueRef arg[2] = { x[0].v, x[1].v }, e, exact;
	LLVMValueRef v = nvptx_float_op(ir, op, arg);
	struct nvptx_value r;

	e = op == POLY_OP_MUL ? nvptx_wide_product(ir, x) :
		add(ir, x[0].bound, x[1].bound);
	r = nvptx_wide_rounded(ir, t, v, e, 1);
	if (t != POLY_F32 && t != POLY_F64)
		return r;
	exact = add(ir, x[0].bound, x[1].bound);
	exact = LLVMBuildAnd(ir->b, is_zero(ir, exact),
		is_exact(ir, op, t, x, v), "");
	r.bound = LLVMBuildSelect(ir->b, exact, real(ir, 0), r.bound, "");
	return r;
}

/* With "b" exact, |v| and ea tell whether the quotient is certain.
 *
 * A quotient that may be the next one changes the rest by the divisor.
 */
static struct nvptx_value rest_of_division(struct nvptx_ir *ir,
	const struct nvptx_value *x)
{
	LLVMValueRef arg[2] = { x[0].v, x[1].v }, size, inside, e = x[0].bound;
	struct nvptx_value r = { nvptx_math(ir->m, ir->b, POLY_OP_REM, arg),
		NULL };

	size = magnitude(ir, r.v);
	inside = LLVMBuildFCmp(ir->b, LLVMRealOLT, e, size, "");
	inside = LLVMBuildAnd(ir->b, inside, LLVMBuildFCmp(ir->b, LLVMRealOLT,
		add(ir, size, e), magnitude(ir, x[1].v), ""), "");
	inside = LLVMBuildOr(ir->b, inside, is_zero(ir, e), "");
	inside = LLVMBuildAnd(ir->b, inside, is_zero(ir, x[1].bound), "");
	size = add(ir, magnitude(ir, x[1].v), x[1].bound);
	size = add(ir, size, size);
	size = if_or_inf(ir, LLVMBuildFCmp(ir->b, LLVMRealORD, r.v, r.v, ""),
		size);
	r.bound = LLVMBuildSelect(ir->b, inside, e, size, "");
	return r;
}

/* a * b + c, rounded once.
 *
 * The product is not rounded by itself.
 */
static struct nvptx_value fused(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x)
{
	LLVMValueRef arg[3] = { x[0].v, x[1].v, x[2].v };
	LLVMValueRef e = add(ir, nvptx_wide_product(ir, x), x[2].bound);

	return nvptx_wide_rounded(ir, t, nvptx_intrinsic(ir, "llvm.fma", arg,
		3), e, 1);
}

/* a * (1 - t) + b * t
 *
 * In the steps that the program takes, each rounded.
 */
static struct nvptx_value lerp(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x)
{
	struct nvptx_value from[2] = { { real(ir, 1), real(ir, 0) }, x[2] };
	struct nvptx_value sum[2];

	from[1] = arithmetic(ir, POLY_OP_SUB, t, from);
	from[0] = x[0];
	sum[0] = arithmetic(ir, POLY_OP_MUL, t, from);
	sum[1] = arithmetic(ir, POLY_OP_MUL, t, x + 1);
	return arithmetic(ir, POLY_OP_ADD, t, sum);
}

/* |a| with the sign of "b"; that of a zero, and of what may be one, is open.
 *
 * A sign that is open makes the value off by twice its size.
 */
static struct nvptx_value sign_of(struct nvptx_ir *ir,
	const struct nvptx_value *x)
{
	LLVMValueRef arg[2] = { x[0].v, x[1].v }, sure, far;
	struct nvptx_value r;

	r.v = nvptx_intrinsic(ir, "llvm.copysign", arg, 2);
	sure = LLVMBuildFCmp(ir->b, LLVMRealOGT, magnitude(ir, x[1].v),
		x[1].bound, "");
	far = magnitude(ir, x[0].v);
	far = add(ir, add(ir, far, far), x[0].bound);
	r.bound = LLVMBuildSelect(ir->b, sure, x[0].bound, far, "");
	return r;
}

/* The number of type "t" next to the first on the way to the second. Where either may be
 * another, the way may be the other one.
 */
static struct nvptx_value neighbour(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x)
{
	const double unit = t == POLY_F64 ? 0x1p-50 : 0x1p-21;
	const double least = t == POLY_F64 ? 0x1p-1072 : 0x1p-147;
	LLVMTypeRef wide = LLVMTypeOf(x[0].v);
	LLVMTypeRef type = t == POLY_F64 ? wide : LLVMFloatTypeInContext(
		LLVMGetTypeContext(wide));
	LLVMValueRef arg[2], off;
	struct nvptx_value r;

	for (int i = 0; i < 2; i++)
		arg[i] = t == POLY_F64 ? x[i].v :
			LLVMBuildFPTrunc(ir->b, x[i].v, type, "");
	r.v = nvptx_neighbour(ir, arg);
	if (t != POLY_F64)
		r.v = LLVMBuildFPExt(ir->b, r.v, wide, "");
	off = LLVMBuildFMul(ir->b, magnitude(ir, r.v), LLVMConstReal(wide, unit), "");
	off = add(ir, x[0].bound, add(ir, off, LLVMConstReal(wide, least)));
	r.bound = LLVMBuildSelect(ir->b, LLVMBuildFCmp(ir->b, LLVMRealOEQ,
		add(ir, x[0].bound, x[1].bound), LLVMConstNull(wide), ""),
		x[0].bound, off, "");
	return r;
}

/* "op" on floats of type "t": the value, and the bound of its error.
 *
 * Functions have bounds of their own (lower_wide_math.c).
 */
static struct nvptx_value float_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	struct nvptx_value x = arg[0];

	switch (op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MUL:
		return arithmetic(ir, op, t, arg);
	case POLY_OP_DIV:
		return divide(ir, t, arg);
	case POLY_OP_REM:
		return rest_of_division(ir, arg);
	case POLY_OP_NEG:
		x.v = LLVMBuildFNeg(ir->b, x.v, "");
		return x;
	case POLY_OP_ABS:
		x.v = magnitude(ir, x.v);
		return x;
	case POLY_OP_RELU:
		return relu(ir, x);
	case POLY_OP_MIN:
	case POLY_OP_MAX:
		return choose(ir, op, arg);
	case POLY_OP_FMA:
		return fused(ir, t, arg);
	case POLY_OP_LERP:
		return lerp(ir, t, arg);
	case POLY_OP_COPYSIGN:
		return sign_of(ir, arg);
	case POLY_OP_NEXTAFTER:
		return neighbour(ir, t, arg);
	default:
		return nvptx_wide_function(ir, op, t, arg);
	}
}

/* Comparisons and selections come first: they may have floats and integers. */
struct nvptx_value nvptx_wide_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg)
{
	if (poly_op_shape(op) == POLY_SHAPE_SELECT)
		return nvptx_wide_select(ir, t, arg);
	if (poly_op_shape(op) == POLY_SHAPE_COMPARE)
		return nvptx_wide_compare(ir, op, t, arg);
	return poly_type_is_float(t) ? float_op(ir, op, t, arg) :
		nvptx_wide_int(ir, op, t, arg);
}

/* Does index "i" follow from the cell that "s" updates and from the others of its
 * indices that are "open"?
 *
 * Two instances that update one cell, agree in the open indices, and differ in
 * "i": there are none if it follows.
 */
static bool follows(struct poly_stmt *s, int i, const bool *open)
{
	isl_size n = isl_set_dim(s->domain, isl_dim_set);
	isl_map *same = poly_stmt_write(s);
	bool does;

	same = isl_map_apply_range(same, isl_map_reverse(isl_map_copy(same)));
	for (int k = 0; k < n; k++)
		if (k != i && open[k])
			same = isl_map_equate(same, isl_dim_in, k,
				isl_dim_out, k);
	same = isl_map_order_lt(same, isl_dim_in, i, isl_dim_out, i);
	does = isl_map_is_empty(same) == isl_bool_true;
	isl_map_free(same);
	return does;
}

/* How far apart index "i" of two instances of "s" may be that update one cell.
 *
 * An index that the cell does not depend on has its whole extent.
 */
static __isl_give isl_pw_aff *distance(struct poly_stmt *s, int i)
{
	isl_size n = isl_set_dim(s->domain, isl_dim_set);
	bool far = isl_multi_pw_aff_involves_dims(s->write_index, isl_dim_in,
		i, 1) == isl_bool_false;
	isl_set *dim = isl_set_copy(s->domain);
	isl_pw_aff *most;
	isl_map *same;

	if (!far) {
		same = poly_stmt_write(s);
		same = isl_map_apply_range(same,
			isl_map_reverse(isl_map_copy(same)));
		isl_set_free(dim);
		dim = isl_map_deltas(same);
	}
	dim = isl_set_project_out(dim, isl_dim_set, i + 1, n - i - 1);
	dim = isl_set_project_out(dim, isl_dim_set, 0, i);
	most = isl_set_dim_max(isl_set_copy(dim), 0);
	if (far)
		most = isl_pw_aff_sub(most, isl_set_dim_min(isl_set_copy(dim),
			0));
	isl_set_free(dim);
	return most;
}

/* Number of updates that one cell of "s" receives at most, as an f64; none where
 * the sizes leave no instance. For c[i + j] that is as many as there may be of j,
 * from which i follows.
 *
 * The number may depend on sizes, so it is computed when the kernel runs.
 */
static LLVMValueRef term_count(struct nvptx_lower *l, struct poly_stmt *s)
{
	isl_size n = isl_set_dim(s->domain, isl_dim_set);
	LLVMValueRef count = real(l->ir, 1), size, many[2] = { NULL, real(l->ir,
		0) };
	bool open[16];

	memset(open, true, sizeof(open));
	for (int i = 0; i < n; i++) {
		open[i] = isl_multi_pw_aff_involves_dims(s->write_index,
			isl_dim_in, i, 1) == isl_bool_false ||
			!follows(s, i, open);
		if (!open[i])
			continue;
		size = nvptx_pw_aff(l, distance(s, i), NULL);
		size = nvptx_exact(l->ir, NVPTX_EXACT_ADD, size,
			nvptx_int(l->ir, 1));
		many[0] = LLVMBuildSIToFP(l->ir->b, size, f64_type(l->ir), "");
		count = mul(l->ir, count,
			nvptx_intrinsic(l->ir, "llvm.maximumnum", many, 2));
	}
	return count;
}

/* Is "s" a sum into "a" that has instances?
 *
 * An empty sum adds nothing.
 */
static bool adds_to(const struct poly_stmt *s, const struct poly_array *a)
{
	return s->kind == POLY_POINT && s->write_array == a &&
		s->reduce == POLY_OP_ADD &&
		isl_set_is_empty(s->domain) != isl_bool_true;
}

/* g / (1 - g) with g = (n + 2) u, infinity when g is too large.
 *
 * For all statements that update the array together: they may come in any
 * order.
 */
static LLVMValueRef sum_factor(struct nvptx_lower *l,
	const struct poly_array *a)
{
	LLVMValueRef one = real(l->ir, 1), g = real(l->ir, 2), left;

	for (int i = 0; i < l->prog->n_stmt; i++)
		if (adds_to(l->prog->stmt[i], a))
			g = add(l->ir, g, term_count(l, l->prog->stmt[i]));
	g = mul(l->ir, g, real(l->ir, unit(a->type)));
	left = sub(l->ir, one, g);
	return if_or_inf(l->ir, is_positive(l->ir, left),
		LLVMBuildFDiv(l->ir->b, g, left, ""));
}

/* What the cell holds before the first term is one more term. Of what is exact,
 * nvptx_wide_accumulate counts it.
 *
 * Under strict the order is that of the program, so nothing is allowed for.
 */
struct nvptx_value nvptx_wide_begin(struct nvptx_lower *l,
	const struct poly_array *a, struct nvptx_value x)
{
	bool any = false;
	LLVMValueRef e;

	for (int i = 0; i < l->prog->n_stmt; i++)
		any |= adds_to(l->prog->stmt[i], a);
	if (!any || l->prog->fp == POLY_FP_STRICT)
		return x;
	e = mul(l->ir, add(l->ir, magnitude(l->ir, x.v), x.bound), sum_factor(l,
		a));
	e = LLVMBuildSelect(l->ir->b, is_zero(l->ir, x.bound), real(l->ir, 0),
		e, "");
	return nvptx_wide_in_range(l->ir, a->type, x.v, add(l->ir, x.bound, e));
}

/* A term that is a product may be fused into the sum: then it is not rounded by
 * itself. The first term of an exact sum brings what the cell held before.
 */
struct nvptx_value nvptx_wide_accumulate(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value acc)
{
	enum poly_type t = s->write_array->type;
	struct nvptx_value p, x[2];
	LLVMValueRef e;

	if (l->prog->fp == POLY_FP_STRICT) {
		x[0] = acc;
		x[1] = nvptx_cast(l->ir, t, s->rhs->type,
			nvptx_expr(l, s->rhs, in));
		return nvptx_wide_op(l->ir, POLY_OP_ADD, t, x);
	}
	if (s->rhs->op == POLY_OP_MUL) {
		x[0] = nvptx_expr(l, s->rhs->arg[0], in);
		x[1] = nvptx_expr(l, s->rhs->arg[1], in);
		p.v = mul(l->ir, x[0].v, x[1].v);
		p.bound = nvptx_wide_product(l->ir, x);
	} else {
		p = nvptx_expr(l, s->rhs, in);
		p = nvptx_cast(l->ir, t, s->rhs->type, p);
	}
	e = LLVMBuildSelect(l->ir->b, is_zero(l->ir, acc.bound),
		magnitude(l->ir, acc.v), real(l->ir, 0), "");
	e = add(l->ir, e, add(l->ir, magnitude(l->ir, p.v), p.bound));
	e = mul(l->ir, e, sum_factor(l, s->write_array));
	e = add(l->ir, add(l->ir, p.bound, e), real(l->ir, least(t)));
	return nvptx_wide_in_range(l->ir, t, add(l->ir, acc.v, p.v), add(l->ir,
		acc.bound, e));
}
