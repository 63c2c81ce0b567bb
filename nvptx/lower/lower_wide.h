/* nvptx: what the files of reference mode share. "real" values are f64. */
#ifndef NVPTX_LOWER_WIDE_H
#define NVPTX_LOWER_WIDE_H

#include <math.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

static inline LLVMTypeRef f64_type(struct nvptx_lower *l)
{
	return LLVMDoubleTypeInContext(l->m->ctx);
}

static inline LLVMValueRef real(struct nvptx_lower *l, double value)
{
	return LLVMConstReal(f64_type(l), value);
}

static inline LLVMValueRef add(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFAdd(l->b, a, b, "");
}

static inline LLVMValueRef sub(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFSub(l->b, a, b, "");
}

static inline LLVMValueRef mul(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFMul(l->b, a, b, "");
}

static inline LLVMValueRef magnitude(struct nvptx_lower *l, LLVMValueRef a)
{
	return nvptx_intrinsic(l, "llvm.fabs", &a, 1);
}

/* "a" if "cond" holds, else infinity. */
static inline LLVMValueRef if_or_inf(struct nvptx_lower *l, LLVMValueRef cond,
	LLVMValueRef a)
{
	return LLVMBuildSelect(l->b, cond, a, real(l, INFINITY), "");
}

static inline LLVMValueRef is_positive(struct nvptx_lower *l, LLVMValueRef a)
{
	return LLVMBuildFCmp(l->b, LLVMRealOGT, a, real(l, 0), "");
}

static inline LLVMValueRef is_zero(struct nvptx_lower *l, LLVMValueRef a)
{
	return LLVMBuildFCmp(l->b, LLVMRealOEQ, a, real(l, 0), "");
}

static inline LLVMValueRef greater_of(struct nvptx_lower *l, LLVMValueRef a,
	LLVMValueRef b)
{
	LLVMValueRef arg[2] = { a, b };

	return nvptx_intrinsic(l, "llvm.maximumnum", arg, 2);
}

/* The bound of "x" as an f64. */
static inline LLVMValueRef bound_of(struct nvptx_lower *l,
	struct nvptx_value x)
{
	return x.bound ? x.bound : real(l, 0);
}

/* lower_wide.c: "v" with bound "e", rounded "n" times half an ulp to "t"; as
 * it is, but with an infinite bound if it may lie outside the range of "t";
 * the bound of a product that is not rounded.
 */
struct nvptx_value nvptx_wide_rounded(struct nvptx_lower *l, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e, int n);
struct nvptx_value nvptx_wide_in_range(struct nvptx_lower *l,
	enum poly_type t, LLVMValueRef v, LLVMValueRef e);
LLVMValueRef nvptx_wide_product(struct nvptx_lower *l,
	const struct nvptx_value *x);

/* lower_wide_math.c: the function "op" of floats; the bound of a function
 * that grows or falls all over, from its values "low" at x - e, "v" at x and
 * "high" at x + e.
 */
struct nvptx_value nvptx_wide_function(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);
LLVMValueRef nvptx_wide_span(struct nvptx_lower *l, LLVMValueRef low,
	LLVMValueRef v, LLVMValueRef high);

/* lower_wide_int.c: comparisons, selections, and operations on integers and
 * bools.
 */
struct nvptx_value nvptx_wide_compare(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);
struct nvptx_value nvptx_wide_select(struct nvptx_lower *l, enum poly_type t,
	const struct nvptx_value *x);
struct nvptx_value nvptx_wide_int(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);

#endif
