/* nvptx: words that blocks hand on to one another.
 *
 * A word has 32 bits of a value and, above them, a tag that says whose they are: 0, what
 * the launch has made of it: nobody's yet. It is written and read as one, so that neither
 * side needs a fence: who sees the tag sees the value. A longer value is several words; a
 * reader takes them when all have the same tag.
 */
#include "nvptx/llvm/llvm.h"

/* Bits of a value in a word; nanoseconds, about, between two looks at a word that is not
 * there: many blocks look at the same ones, and who writes them must get through.
 */
enum { BITS = 32, REST = 100 };

static unsigned device(struct nvptx_ir *ir)
{
	return LLVMGetSyncScopeID(ir->m->ctx, "device", 6);
}

static LLVMValueRef word_at(struct nvptx_ir *ir, LLVMValueRef at, int i)
{
	return nvptx_element(ir, nvptx_i64(ir), at, nvptx_int(ir, i));
}

/* The number of those that have asked before. */
LLVMValueRef nvptx_relay_turn(struct nvptx_ir *ir, LLVMValueRef count)
{
	if (ir->m->opt.device != NVPTX_GPU)
		return nvptx_hw(ir, NVPTX_HW_TURN_HOST, &count, 1, "turn");
	return LLVMBuildAtomicRMWSyncScope(ir->b, LLVMAtomicRMWBinOpAdd, count,
		nvptx_int(ir, 1), LLVMAtomicOrderingMonotonic, device(ir));
}

int nvptx_relay_size(struct nvptx_ir *ir, LLVMTypeRef type)
{
	if (nvptx_is_words(type))
		return (int)LLVMGetVectorSize(type);
	return type == nvptx_i64(ir) ||
		LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? 2 : 1;
}

/* The integer that has the bits of "type". */
static LLVMTypeRef bits_type(struct nvptx_ir *ir, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMDoubleTypeKind:
		return nvptx_i64(ir);
	case LLVMFloatTypeKind:
		return nvptx_i32(ir);
	default:
		return type;
	}
}

/* Store one word, "low" below "tag". */
static void tell_word(struct nvptx_ir *ir, LLVMValueRef at, LLVMValueRef tag,
	LLVMValueRef low)
{
	LLVMValueRef arg[3] = { at, tag, low }, word;

	if (ir->m->opt.device != NVPTX_GPU) {
		nvptx_hw(ir, NVPTX_HW_TELL_HOST, arg, 3, "");
		return;
	}
	word = LLVMBuildShl(ir->b, LLVMBuildZExt(ir->b, tag, nvptx_i64(ir), ""),
		LLVMConstInt(nvptx_i64(ir), BITS, 0), "");
	word = LLVMBuildOr(ir->b, word, LLVMBuildZExt(ir->b, low,
		nvptx_i64(ir), ""), "");
	word = LLVMBuildStore(ir->b, word, at);
	LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
	LLVMSetAtomicSyncScopeID(word, device(ir));
	LLVMSetAlignment(word, 8);
}

void nvptx_relay_tell(struct nvptx_ir *ir, LLVMValueRef at, LLVMValueRef tag,
	LLVMValueRef v)
{
	int n = nvptx_relay_size(ir, LLVMTypeOf(v));
	LLVMValueRef bits;

	for (int i = 0; nvptx_is_words(LLVMTypeOf(v)) && i < n; i++)
		tell_word(ir, word_at(ir, at, i), tag, nvptx_word(ir, v, i));
	if (nvptx_is_words(LLVMTypeOf(v)))
		return;
	bits = LLVMBuildZExtOrBitCast(ir->b, LLVMBuildBitCast(
		ir->b, v, bits_type(ir, LLVMTypeOf(v)), ""), n > 1 ?
		nvptx_i64(ir) : nvptx_i32(ir), "");

	for (int i = 0; i < n; i++)
		tell_word(ir, word_at(ir, at, i), tag, n == 1 ? bits :
			LLVMBuildTrunc(ir->b, LLVMBuildLShr(ir->b, bits,
			LLVMConstInt(nvptx_i64(ir), i * BITS, 0), ""),
			nvptx_i32(ir), ""));
}

static LLVMValueRef hear_word(struct nvptx_ir *ir, LLVMValueRef at,
	LLVMValueRef least)
{
	LLVMValueRef arg[2] = { at, least }, word;

	if (ir->m->opt.device != NVPTX_GPU)
		return nvptx_hw(ir, NVPTX_HW_HEAR_HOST, arg, 2, "word");
	word = LLVMBuildLoad2(ir->b, nvptx_i64(ir), at, "word");
	LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
	LLVMSetAtomicSyncScopeID(word, device(ir));
	LLVMSetAlignment(word, 8);
	return word;
}

static LLVMValueRef tag_of(struct nvptx_ir *ir, LLVMValueRef word)
{
	return LLVMBuildTrunc(ir->b, LLVMBuildLShr(ir->b, word,
		LLVMConstInt(nvptx_i64(ir), BITS, 0), ""), nvptx_i32(ir), "tag");
}

/* The value of "type" in the words "word". */
static LLVMValueRef value_in(struct nvptx_ir *ir, LLVMTypeRef type,
	const LLVMValueRef *word)
{
	LLVMTypeRef bits = bits_type(ir, type);
	LLVMValueRef v = word[0];

	if (nvptx_is_words(type)) {
		v = LLVMGetUndef(type);
		for (int i = 0; i < nvptx_relay_size(ir, type); i++)
			v = nvptx_with_word(ir, v, i, LLVMBuildTrunc(ir->b,
				word[i], nvptx_i32(ir), ""));
		return v;
	}
	if (nvptx_relay_size(ir, type) == 2) {
		v = LLVMBuildZExt(ir->b, LLVMBuildTrunc(ir->b, v, nvptx_i32(ir),
			""), nvptx_i64(ir), "");
		v = LLVMBuildOr(ir->b, v, LLVMBuildShl(ir->b, word[1],
			LLVMConstInt(nvptx_i64(ir), BITS, 0), ""), "");
	} else {
		v = LLVMBuildTrunc(ir->b, v, bits, "");
	}
	return LLVMBuildBitCast(ir->b, v, type, "");
}

/* Read all words, again and again until all have one tag, and that is "least" or more. */
LLVMValueRef nvptx_relay_hear(struct nvptx_ir *ir, LLVMValueRef at,
	LLVMValueRef least, LLVMTypeRef type, LLVMValueRef *v, int n)
{
	LLVMBasicBlockRef again = nvptx_block(ir, "hear");
	LLVMBasicBlockRef rest = nvptx_block(ir, "rest");
	LLVMBasicBlockRef done = nvptx_block(ir, "heard");
	int size = nvptx_relay_size(ir, type);
	LLVMValueRef word[2 * NVPTX_RELAY_MOST], tag, good;
	LLVMValueRef pause = nvptx_int(ir, REST);

	LLVMBuildBr(ir->b, again);
	LLVMPositionBuilderAtEnd(ir->b, again);
	for (int i = 0; i < n * size; i++)
		word[i] = hear_word(ir, word_at(ir, at, i), least);
	tag = tag_of(ir, word[0]);
	good = LLVMBuildICmp(ir->b, LLVMIntUGE, tag, least, "");
	for (int i = 1; i < n * size; i++)
		good = LLVMBuildAnd(ir->b, good, LLVMBuildICmp(ir->b, LLVMIntEQ,
			tag, tag_of(ir, word[i]), ""), "");
	LLVMBuildCondBr(ir->b, good, done, rest);
	LLVMPositionBuilderAtEnd(ir->b, rest);
	nvptx_hw(ir, NVPTX_HW_REST, &pause, 1, "");
	LLVMBuildBr(ir->b, again);
	LLVMPositionBuilderAtEnd(ir->b, done);
	for (int i = 0; i < n; i++)
		v[i] = value_in(ir, type, &word[i * size]);
	return tag;
}
