/* Random bits that a counter tells: Philox4x32-10.
 *
 * J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011. The words are those of cuRAND's generator of this name, seeded
 * with "seed", without a subsequence, from its first one on:
 *
 *	counter	i / 4, in two words of 32 bits, and 0 in the other two
 *	key	the seed, in two words
 *	result	word i % 4 of the counter after ten rounds
 *
 * Each number is computed by itself. The code stands where it is used, and a thread
 * that has numbers of one counter side by side computes their rounds once.
 */
#include "nvptx/math/math.h"

/* x + value */
static LLVMValueRef plus(LLVMBuilderRef b, LLVMValueRef x, uint32_t value)
{
	return LLVMBuildAdd(b, x, LLVMConstInt(LLVMTypeOf(x), value, 0), "");
}

/* The halves of the 64 bits "x": half[0] is the lower one. */
static void split(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef half[2])
{
	LLVMTypeRef type = LLVMInt32TypeInContext(
		LLVMGetTypeContext(LLVMTypeOf(x)));

	half[0] = LLVMBuildTrunc(b, x, type, "");
	x = LLVMBuildLShr(b, x, LLVMConstInt(LLVMTypeOf(x), 32, 0), "");
	half[1] = LLVMBuildTrunc(b, x, type, "");
}

/* The halves of the product of "x" and "factor". */
static void multiply(LLVMBuilderRef b, LLVMTypeRef wide, LLVMValueRef x,
	uint32_t factor, LLVMValueRef half[2])
{
	x = LLVMBuildZExt(b, x, wide, "");
	x = LLVMBuildMul(b, x, LLVMConstInt(wide, factor, 0), "");
	split(b, x, half);
}

/* One round on the words "c" with the key "key". */
static void do_round(LLVMBuilderRef b, LLVMTypeRef wide, LLVMValueRef c[4],
	const LLVMValueRef key[2])
{
	LLVMValueRef first[2], second[2];

	multiply(b, wide, c[0], 0xD2511F53, first);
	multiply(b, wide, c[2], 0xCD9E8D57, second);
	c[0] = LLVMBuildXor(b, LLVMBuildXor(b, second[1], c[1], ""), key[0],
		"");
	c[2] = LLVMBuildXor(b, LLVMBuildXor(b, first[1], c[3], ""), key[1], "");
	c[1] = second[0];
	c[3] = first[0];
}

/* Bit "at" of "i", as an i1. */
static LLVMValueRef bit(LLVMBuilderRef b, LLVMValueRef i, unsigned at)
{
	LLVMTypeRef type = LLVMTypeOf(i);

	i = LLVMBuildAnd(b, i, LLVMConstInt(type, 1ull << at, 0), "");
	return LLVMBuildICmp(b, LLVMIntNE, i, LLVMConstNull(type), "");
}

/* The key grows by a constant between two rounds. */
LLVMValueRef nvptx_philox(LLVMBuilderRef b, LLVMValueRef seed, LLVMValueRef i)
{
	LLVMTypeRef wide = LLVMTypeOf(i);
	LLVMValueRef key[2], c[4], odd = bit(b, i, 0);

	split(b, seed, key);
	split(b, LLVMBuildLShr(b, i, LLVMConstInt(wide, 2, 0), ""), c);
	c[2] = c[3] = LLVMConstNull(LLVMTypeOf(c[0]));
	for (int k = 0; k < 10; k++) {
		do_round(b, wide, c, key);
		key[0] = plus(b, key[0], 0x9E3779B9);
		key[1] = plus(b, key[1], 0xBB67AE85);
	}
	c[0] = LLVMBuildSelect(b, odd, c[1], c[0], "");
	c[2] = LLVMBuildSelect(b, odd, c[3], c[2], "");
	return LLVMBuildSelect(b, bit(b, i, 1), c[2], c[0], "");
}
