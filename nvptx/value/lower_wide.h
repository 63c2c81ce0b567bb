/* nvptx: what the files of reference mode share. "real" values are f64. */
#ifndef NVPTX_LOWER_WIDE_H
#define NVPTX_LOWER_WIDE_H

#include <math.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

static inline LLVMTypeRef f64_type(struct nvptx_ir *ir)
{
	return LLVMDoubleTypeInContext(ir->m->ctx);
}

static inline LLVMValueRef real(struct nvptx_ir *ir, double value)
{
	return LLVMConstReal(f64_type(ir), value);
}

static inline LLVMValueRef add(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMValueRef b)
{
	return LLVMBuildFAdd(ir->b, a, b, "");
}

static inline LLVMValueRef sub(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMValueRef b)
{
	return LLVMBuildFSub(ir->b, a, b, "");
}

static inline LLVMValueRef mul(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMValueRef b)
{
	return LLVMBuildFMul(ir->b, a, b, "");
}

static inline LLVMValueRef magnitude(struct nvptx_ir *ir, LLVMValueRef a)
{
	return nvptx_intrinsic(ir, "llvm.fabs", &a, 1);
}

/* "a" if "cond" holds, else infinity. */
static inline LLVMValueRef if_or_inf(struct nvptx_ir *ir, LLVMValueRef cond,
	LLVMValueRef a)
{
	return LLVMBuildSelect(ir->b, cond, a, real(ir, INFINITY), "");
}

static inline LLVMValueRef is_positive(struct nvptx_ir *ir, LLVMValueRef a)
{
	return LLVMBuildFCmp(ir->b, LLVMRealOGT, a, real(ir, 0), "");
}

static inline LLVMValueRef is_zero(struct nvptx_ir *ir, LLVMValueRef a)
{
	return LLVMBuildFCmp(ir->b, LLVMRealOEQ, a, real(ir, 0), "");
}

static inline LLVMValueRef greater_of(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMValueRef b)
{
	LLVMValueRef arg[2] = { a, b };

	return nvptx_intrinsic(ir, "llvm.maximumnum", arg, 2);
}

/* The bound of "x" as an f64. */
static inline LLVMValueRef bound_of(struct nvptx_ir *ir,
	struct nvptx_value x)
{
	return x.bound ? x.bound : real(ir, 0);
}

/* lower_wide.c: "v" with bound "e", rounded "n" times half an ulp to "t"; as
 * it is, but with an infinite bound if it may lie outside the range of "t";
 * the bound of a product that is not rounded.
 */
struct nvptx_value nvptx_wide_rounded(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef v, LLVMValueRef e, int n);
struct nvptx_value nvptx_wide_in_range(struct nvptx_ir *ir,
	enum poly_type t, LLVMValueRef v, LLVMValueRef e);
LLVMValueRef nvptx_wide_product(struct nvptx_ir *ir,
	const struct nvptx_value *x);
/* Is every number of the float type "from" one of "to"? */
bool nvptx_wide_holds(enum poly_type to, enum poly_type from);

/* lower_wide_math.c: the function "op" of floats; the bound of a function
 * that grows or falls all over, from its values "low" at x - e, "v" at x and
 * "high" at x + e.
 */
struct nvptx_value nvptx_wide_function(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);
LLVMValueRef nvptx_wide_span(struct nvptx_ir *ir, LLVMValueRef low,
	LLVMValueRef v, LLVMValueRef high);

/* lower_wide_int.c: comparisons, selections, and operations on integers and
 * bools.
 */
struct nvptx_value nvptx_wide_compare(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);
struct nvptx_value nvptx_wide_select(struct nvptx_ir *ir, enum poly_type t,
	const struct nvptx_value *x);
struct nvptx_value nvptx_wide_int(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *x);

#endif
