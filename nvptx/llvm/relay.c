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

LLVMValueRef nvptx_relay_word(struct nvptx_ir *ir, LLVMValueRef v, int i)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMValueRef bits;

	if (nvptx_is_words(type))
		return nvptx_word(ir, v, i);
	bits = LLVMBuildBitCast(ir->b, v, nvptx_bits_type(ir, type), "");
	if (nvptx_relay_size(ir, type) == 1)
		return LLVMBuildZExtOrBitCast(ir->b, bits, nvptx_i32(ir), "");
	return LLVMBuildTrunc(ir->b, LLVMBuildLShr(ir->b, bits,
		LLVMConstInt(nvptx_i64(ir), i * BITS, 0), ""), nvptx_i32(ir), "");
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
	for (int i = 0; i < nvptx_relay_size(ir, LLVMTypeOf(v)); i++)
		tell_word(ir, word_at(ir, at, i), tag, nvptx_relay_word(ir, v,
			i));
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

LLVMValueRef nvptx_relay_value(struct nvptx_ir *ir, LLVMTypeRef type,
	const LLVMValueRef *word)
{
	LLVMTypeRef bits = nvptx_bits_type(ir, type), i32 = nvptx_i32(ir);
	LLVMValueRef v;

	if (nvptx_is_words(type)) {
		v = LLVMGetUndef(type);
		for (int i = 0; i < nvptx_relay_size(ir, type); i++)
			v = nvptx_with_word(ir, v, i, LLVMBuildTruncOrBitCast(
				ir->b, word[i], i32, ""));
		return v;
	}
	v = LLVMBuildTruncOrBitCast(ir->b, word[0], i32, "");
	if (nvptx_relay_size(ir, type) == 2) {
		LLVMValueRef high = LLVMBuildTruncOrBitCast(ir->b, word[1], i32,
			"");

		v = LLVMBuildOr(ir->b, LLVMBuildZExt(ir->b, v, nvptx_i64(ir),
			""), LLVMBuildShl(ir->b, LLVMBuildZExt(ir->b, high,
			nvptx_i64(ir), ""), LLVMConstInt(nvptx_i64(ir), BITS, 0),
			""), "");
	} else {
		v = LLVMBuildTruncOrBitCast(ir->b, v, bits, "");
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
		v[i] = nvptx_relay_value(ir, type, &word[i * size]);
	return tag;
}

/* Two instructions: one says that the block has come, the other waits for all
 * blocks.
 */
void nvptx_cluster_sync(struct nvptx_ir *ir)
{
	nvptx_hw(ir, NVPTX_HW_CLUSTER_ARRIVE, NULL, 0, "");
	nvptx_hw(ir, NVPTX_HW_CLUSTER_WAIT, NULL, 0, "");
}
