/* nvptx: values of threads put together, across the lanes of a warp.
 *
 * The threads of a group exchange values in pairs, the furthest first:
 *
 *	%x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %mask, i32 %v, i32 4, ..)
 *
 * and each makes one of the two. The mask names the group alone, as the others
 * of a warp may be elsewhere. An exchange takes 32 bits: what is longer takes
 * two, what is shorter lies in 32.
 */
#include "nvptx/nvptx_internal.h"

enum { LANES = 32 };

/* The lanes of the group of "across" that the thread is in. */
static LLVMValueRef group_mask(struct nvptx_lower *l, int across)
{
	const struct poly_kernel *k = l->kernel;
	LLVMValueRef lane, lanes;

	if (across == LANES)
		return nvptx_int(l, -1);
	lanes = nvptx_int(l, (INT64_C(1) << across) - 1);
	lane = nvptx_add(l, nvptx_mul(l, l->tid[0],
		nvptx_int(l, k->thread[1])), l->tid[1], "");
	lane = LLVMBuildAnd(l->b, lane, nvptx_int(l, LANES - across), "");
	return LLVMBuildShl(l->b, lanes, lane, "");
}

/* What the thread "with" lanes off has, of 32 bits. */
static LLVMValueRef exchange_word(struct nvptx_lower *l, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	LLVMValueRef arg[4] = { mask, v, nvptx_int(l, with),
		nvptx_int(l, LANES - 1) };

	return nvptx_hw(l, NVPTX_HW_EXCHANGE, arg, 4, "");
}

/* The bits of "v", as an integer. */
static LLVMValueRef to_bits(struct nvptx_lower *l, LLVMValueRef v)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));

	if (kind == LLVMDoubleTypeKind)
		return LLVMBuildBitCast(l->b, v, nvptx_i64(l), "");
	if (kind == LLVMFloatTypeKind)
		return LLVMBuildBitCast(l->b, v, nvptx_i32(l), "");
	return v;
}

static LLVMValueRef exchange(struct nvptx_lower *l, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	LLVMTypeRef type = LLVMTypeOf(v), i32 = nvptx_i32(l);
	LLVMTypeRef i64 = nvptx_i64(l), own;
	LLVMValueRef bits = to_bits(l, v), low, high, shift;

	own = LLVMTypeOf(bits);
	if (own != i64) {
		low = LLVMBuildIntCast2(l->b, bits, i32, 0, "");
		low = exchange_word(l, mask, low, with);
		low = LLVMBuildIntCast2(l->b, low, own, 0, "");
		return LLVMBuildBitCast(l->b, low, type, "");
	}
	shift = LLVMConstInt(i64, 32, 0);
	low = LLVMBuildTrunc(l->b, bits, i32, "");
	high = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, shift, ""), i32,
		"");
	low = exchange_word(l, mask, low, with);
	high = exchange_word(l, mask, high, with);
	low = LLVMBuildZExt(l->b, low, i64, "");
	high = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, i64, ""), shift,
		"");
	return LLVMBuildBitCast(l->b, LLVMBuildOr(l->b, low, high, ""), type,
		"");
}

LLVMValueRef nvptx_across(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v)
{
	LLVMValueRef mask = group_mask(l, s->across);

	for (int with = s->across / 2; with > 0; with /= 2) {
		struct nvptx_value pair[2] = { { v, NULL },
			{ exchange(l, mask, v, with), NULL } };

		v = nvptx_op(l, s->reduce, s->rhs->type, pair).v;
	}
	return v;
}
