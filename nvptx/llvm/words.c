/* nvptx: words of 32 bits that hold several values which go together.
 *
 * Words are a vector of integers. A value begins in a word of its own and takes as many
 * as it has bits for. In reference mode each word is a pair of 64 bits: the value, whole
 * in the first of its words, and its bound.
 */
#include "polyir/base/gpu.h"
#include "nvptx/llvm/llvm.h"

/* A word, or in reference mode half a pair. */
static LLVMTypeRef element_type(struct nvptx_ir *ir)
{
	return ir->m->opt.wide ? nvptx_i64(ir) : nvptx_i32(ir);
}

LLVMTypeRef nvptx_words_type(struct nvptx_ir *ir, enum poly_type t)
{
	int n = poly_type_n_words(t);

	return LLVMVectorType(element_type(ir), (unsigned)(ir->m->opt.wide ?
		2 * n : n));
}

bool nvptx_is_words(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* LLVM expects a vector at a multiple of all its bytes. */
LLVMValueRef nvptx_words_align(LLVMValueRef access, LLVMTypeRef type, int most)
{
	unsigned bytes;

	if (!nvptx_is_words(type))
		return access;
	bytes = LLVMGetVectorSize(type) * LLVMGetIntTypeWidth(
		LLVMGetElementType(type)) / 8;
	LLVMSetAlignment(access, bytes < (unsigned)most ? bytes :
		(unsigned)most);
	return access;
}

LLVMValueRef nvptx_word(struct nvptx_ir *ir, LLVMValueRef words, int i)
{
	return LLVMBuildExtractElement(ir->b, words, nvptx_int(ir, i), "");
}

LLVMValueRef nvptx_with_word(struct nvptx_ir *ir, LLVMValueRef words, int i,
	LLVMValueRef word)
{
	return LLVMBuildInsertElement(ir->b, words, word, nvptx_int(ir, i), "");
}

LLVMTypeRef nvptx_bits_type(struct nvptx_ir *ir, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMDoubleTypeKind:
		return nvptx_i64(ir);
	case LLVMFloatTypeKind:
		return nvptx_i32(ir);
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return LLVMInt16TypeInContext(ir->m->ctx);
	default:
		return type;
	}
}

LLVMValueRef nvptx_words_put(struct nvptx_ir *ir, LLVMValueRef words, int at,
	LLVMValueRef v, LLVMValueRef bound)
{
	LLVMTypeRef own = nvptx_bits_type(ir, LLVMTypeOf(v)), to = element_type(ir);
	LLVMValueRef bits = LLVMBuildBitCast(ir->b, v, own, "");

	if (ir->m->opt.wide) {
		words = nvptx_with_word(ir, words, 2 * at, LLVMBuildZExtOrBitCast(
			ir->b, bits, to, ""));
		return nvptx_with_word(ir, words, 2 * at + 1, bound ?
			LLVMBuildBitCast(ir->b, bound, to, "") :
			LLVMConstNull(to));
	}
	if (own != nvptx_i64(ir))
		return nvptx_with_word(ir, words, at, LLVMBuildZExtOrBitCast(
			ir->b, bits, to, ""));
	words = nvptx_with_word(ir, words, at, LLVMBuildTrunc(ir->b, bits, to,
		""));
	bits = LLVMBuildLShr(ir->b, bits, LLVMConstInt(own, 32, 0), "");
	return nvptx_with_word(ir, words, at + 1, LLVMBuildTrunc(ir->b, bits, to,
		""));
}

LLVMValueRef nvptx_words_part(struct nvptx_ir *ir, LLVMValueRef words, int at,
	LLVMTypeRef type, LLVMValueRef *bound)
{
	LLVMTypeRef own = nvptx_bits_type(ir, type), i64 = nvptx_i64(ir);
	LLVMValueRef bits, high;
	bool wide = ir->m->opt.wide;

	*bound = NULL;
	bits = nvptx_word(ir, words, wide ? 2 * at : at);
	if (wide && LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
		*bound = LLVMBuildBitCast(ir->b, nvptx_word(ir, words,
			2 * at + 1), type, "");
	if (own == i64 && !wide) {
		high = LLVMBuildZExt(ir->b, nvptx_word(ir, words, at + 1), i64,
			"");
		bits = LLVMBuildOr(ir->b, LLVMBuildZExt(ir->b, bits, i64, ""),
			LLVMBuildShl(ir->b, high, LLVMConstInt(i64, 32, 0),
			""), "");
	}
	bits = LLVMBuildTruncOrBitCast(ir->b, bits, own, "");
	return LLVMBuildBitCast(ir->b, bits, type, "");
}
