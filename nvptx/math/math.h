/* Mathematical functions in f32 and f64. */
#ifndef NVPTX_MATH_H
#define NVPTX_MATH_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "nvptx/nvptx.h"

struct nvptx_module;

/* math.c: the function "op" of x[0] and, if it takes two arguments, x[1] (f32
 * or f64) at "b", without fast-math flags and with the same bits on both
 * devices: a call of an internal function, made on first use. NULL if "op" is
 * no such function.
 */
LLVMValueRef nvptx_math(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_op op, const LLVMValueRef *x);

/* math.c: "x", an f32 that is to be rounded to "to", f16 or bf16; where it is the result of
 * a function that takes less for so few digits, or a product with that, what takes less.
 */
LLVMValueRef nvptx_math_rounded(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_type to, LLVMValueRef x);

/* math.c: "x", a float that is to be truncated to an integer; where it is the result of
 * round(), what takes less.
 */
LLVMValueRef nvptx_math_truncated(struct nvptx_module *m, LLVMBuilderRef b,
	LLVMValueRef x);

/* relaxed.c: have programs of class relaxed the function "op" of f32, on a GPU, by
 * approximations of the hardware? That is off by no more than poly_op_ulp says.
 */
bool nvptx_has_relaxed(enum poly_op op);

/* philox.c: the random number "i" of the seed "seed", i64 both: an i32. */
LLVMValueRef nvptx_philox(LLVMBuilderRef b, LLVMValueRef seed, LLVMValueRef i);

/* sign.c: is "v", a float, 0, less or NaN, by the operations that it comes from? */
bool nvptx_never_positive(LLVMValueRef v);

#endif
