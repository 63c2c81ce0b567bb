/* nvptx: sums of integers, taken apart and put together again.
 *
 * Iterations that were written out have subscripts that differ in a constant:
 *
 *	j = 96 * b1 + 6 * x + 1
 *	j - 96 * floor(j / 96) = 6 * x + 1, where x is at most 15
 *
 * As sums of terms they show what they have in common, and how far apart they are.
 * LLVM does not see through floors that far: it has the numerator alone, and no
 * ranges of its parts.
 */
#include "nvptx/llvm/llvm.h"

/* Add "times" the value "v", which is no sum, to "t". */
static void add_leaf(struct nvptx_terms *t, LLVMValueRef v, int64_t times)
{
	int i = 0;

	while (i < t->n && t->v[i] != v)
		i++;
	if (i == NVPTX_MOST_TERMS) {
		t->failed = true;
		return;
	}
	if (i == t->n) {
		t->v[t->n] = v;
		t->times[t->n++] = 0;
	}
	t->failed |= __builtin_add_overflow(t->times[i], times, &t->times[i]);
}

/* The constant "v" as a number, 1 for what is none. */
static int64_t number(LLVMValueRef v)
{
	return LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : 1;
}

void nvptx_take_apart(struct nvptx_terms *t, LLVMValueRef v, int64_t times)
{
	LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
	bool is_exact = (op == LLVMAdd || op == LLVMSub || op == LLVMMul) &&
		LLVMGetNSW(v);
	LLVMValueRef a = is_exact ? LLVMGetOperand(v, 0) : NULL;
	LLVMValueRef b = is_exact ? LLVMGetOperand(v, 1) : NULL;
	int64_t c;

	if (LLVMIsAConstantInt(v)) {
		t->failed |= __builtin_mul_overflow(times, number(v), &c) ||
			__builtin_add_overflow(t->c, c, &t->c);
	} else if (is_exact && op != LLVMMul) {
		nvptx_take_apart(t, a, times);
		nvptx_take_apart(t, b, op == LLVMAdd ? times : -times);
	} else if (is_exact && (LLVMIsAConstantInt(a) || LLVMIsAConstantInt(b))) {
		t->failed |= __builtin_mul_overflow(times, number(a) * number(b),
			&c);
		nvptx_take_apart(t, LLVMIsAConstantInt(a) ? b : a, c);
	} else {
		add_leaf(t, v, times);
	}
}

/* Which term is the remainder, by the number "*m", of term "i", and as often subtracted
 * as that is added? -1 if there is none.
 */
static int find_remainder(const struct nvptx_terms *t, int i, int64_t *m)
{
	int k;

	for (k = 0; k < t->n; k++) {
		if (!t->times[i] || t->times[k] != -t->times[i] ||
		    !LLVMIsAInstruction(t->v[k]) ||
		    LLVMGetInstructionOpcode(t->v[k]) != LLVMURem ||
		    LLVMGetOperand(t->v[k], 0) != t->v[i] ||
		    !LLVMIsAConstantInt(LLVMGetOperand(t->v[k], 1)))
			continue;
		*m = number(LLVMGetOperand(t->v[k], 1));
		return k;
	}
	return -1;
}

/* The quotient takes the place of both: of it the range is known, and that it is a
 * multiple.
 */
void nvptx_join_remainders(struct nvptx_ir *ir, struct nvptx_terms *t)
{
	int i, k;
	int64_t m;

	for (i = 0; i < t->n && !t->failed; i++) {
		k = nvptx_range_of(ir, t->v[i]).lo >= 0 ?
			find_remainder(t, i, &m) : -1;
		if (k < 0)
			continue;
		t->v[i] = nvptx_exact(ir, NVPTX_EXACT_DIV, t->v[i],
			nvptx_exact_int(ir, m));
		t->failed |= __builtin_mul_overflow(t->times[i], m,
			&t->times[i]);
		t->times[k] = 0;
	}
}

/* The terms of one sign together, each divided by "d"; NULL if there is none. */
static LLVMValueRef add_up(struct nvptx_ir *ir, const struct nvptx_terms *t,
	int sign, int64_t d)
{
	LLVMValueRef sum = NULL, v;
	int i;

	for (i = 0; i < t->n; i++) {
		if (sign * t->times[i] <= 0 || t->times[i] % d)
			continue;
		v = nvptx_exact(ir, NVPTX_EXACT_MUL, t->v[i],
			nvptx_exact_int(ir, sign * t->times[i] / d));
		sum = sum ? nvptx_exact(ir, NVPTX_EXACT_ADD, sum, v) : v;
	}
	return sum;
}

/* All terms that "d" divides, divided by it, and "c", which is last. */
static LLVMValueRef put_together(struct nvptx_ir *ir,
	const struct nvptx_terms *t, int64_t d, int64_t c)
{
	LLVMValueRef plus = add_up(ir, t, 1, d), minus = add_up(ir, t, -1, d);

	if (!plus && !minus)
		return nvptx_exact_int(ir, c);
	if (!plus)
		return nvptx_exact(ir, NVPTX_EXACT_SUB, nvptx_exact_int(ir, c),
			minus);
	if (minus)
		plus = nvptx_exact(ir, NVPTX_EXACT_SUB, plus, minus);
	return nvptx_exact(ir, NVPTX_EXACT_ADD, plus, nvptx_exact_int(ir, c));
}

LLVMValueRef nvptx_terms_value(struct nvptx_ir *ir, const struct nvptx_terms *t)
{
	return t->failed ? NULL : put_together(ir, t, 1, t->c);
}

/* What "d" does not divide has to lie from 0 to d - 1. */
LLVMValueRef nvptx_terms_floor(struct nvptx_ir *ir, const struct nvptx_terms *t,
	int64_t d)
{
	struct nvptx_range rest = { t->c, t->c };
	int64_t a, b;
	int i;

	for (i = 0; i < t->n && !t->failed; i++) {
		struct nvptx_range r = nvptx_range_of(ir, t->v[i]);

		if (t->times[i] % d == 0)
			continue;
		if (__builtin_mul_overflow(r.lo, t->times[i], &a) ||
		    __builtin_mul_overflow(r.hi, t->times[i], &b) ||
		    __builtin_add_overflow(rest.lo, a < b ? a : b, &rest.lo) ||
		    __builtin_add_overflow(rest.hi, a < b ? b : a, &rest.hi))
			return NULL;
	}
	return t->failed || rest.lo < 0 || rest.hi >= d ? NULL :
		put_together(ir, t, d, 0);
}
