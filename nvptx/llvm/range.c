/* nvptx: integer arithmetic that is exact.
 *
 * Of each value the range is known in which it lies: of sizes, blocks, threads
 * and iterators from their sets, of constants, and of what is computed from
 * these here. A result that fits 32 bits is computed in 32 bits, any other in
 * 64: with N < 2^31
 *
 *	%k + 1		i32	%k runs to N - 1
 *	%i * 99991	i64	and its quotient by 100003 is an i32 again
 *
 * The code of tiles keeps to 32 bits, which its tiles are made for: where a
 * value without a known range comes in, the operands' own type is kept. For an
 * index that may pass 2^31 it is known to be any of its type, as elsewhere.
 *
 * Why not 64 bits throughout: a GPU has 32-bit registers, and an index of 64
 * takes two and their carries. Why not 32: arrays may have more than 2^31
 * elements, and intermediate products pass it earlier. So each operation is as
 * wide as its own range says.
 */
#include <stdlib.h>

#include <isl/lp.h>

#include "nvptx/llvm/llvm.h"

/* ------------------------------------------------------------- ranges of sets */

/* The range of "aff" on the parts of a set so far.
 *
 * Begun with an empty range, lo > hi.
 */
struct on {
	isl_aff *aff;
	struct nvptx_range r;
};

/* "v", rounded, or "none" if it is not finite or no 64 bits hold it.
 *
 * "v" is taken. An infinite bound, or one beyond 64 bits, is no bound.
 */
static int64_t finite(__isl_take isl_val *v, int64_t none)
{
	int64_t n = none;

	if (isl_val_is_int(v) == isl_bool_true &&
	    isl_val_cmp_si(v, INT64_MIN) >= 0 &&
	    isl_val_cmp_si(v, INT64_MAX) <= 0)
		n = isl_val_get_num_si(v);
	isl_val_free(v);
	return n;
}

/* Widen the range of "user" by the values of its function on "set".
 *
 * The linear program is the rational relaxation, so the range may be wider than
 * the integers are: never narrower.
 */
static isl_stat add_basic(__isl_take isl_basic_set *set, void *user)
{
	struct on *on = user;
	isl_val *lo = isl_basic_set_min_lp_val(set, on->aff);
	int64_t end;

	if (isl_val_is_nan(lo) == isl_bool_true) {	/* is empty */
		isl_val_free(lo);
		isl_basic_set_free(set);
		return isl_stat_ok;
	}
	end = finite(isl_val_ceil(lo), INT64_MIN);
	on->r.lo = end < on->r.lo ? end : on->r.lo;
	end = finite(isl_val_floor(isl_basic_set_max_lp_val(set, on->aff)),
		INT64_MAX);
	on->r.hi = end > on->r.hi ? end : on->r.hi;
	isl_basic_set_free(set);
	return isl_stat_ok;
}

/* An error of isl gives the whole range. */
struct nvptx_range nvptx_range_on(__isl_keep isl_set *set,
	__isl_keep isl_aff *aff)
{
	struct on on = { aff, { INT64_MAX, INT64_MIN } };

	if (isl_set_foreach_basic_set(set, add_basic, &on) < 0)
		return (struct nvptx_range){ INT64_MIN, INT64_MAX };
	return on.r;
}

/* ----------------------------------------------------------- ranges of values */

/* Where "v" stands, or would stand, in the table.
 *
 * Open addressing; the constant is Knuth's multiplicative hash (2^32 divided by
 * the golden ratio). The table is never full.
 */
static int place(const struct nvptx_ir *ir, LLVMValueRef v)
{
	uintptr_t at = ((uintptr_t)v >> 4) * 2654435761u;

	for (;; at++) {
		LLVMValueRef here = ir->range[at & (ir->cap_range - 1)].v;

		if (!here || here == v)
			return (int)(at & (ir->cap_range - 1));
	}
}

/* Double the table; false without memory.
 *
 * A power of two, so that a mask takes the place of a remainder.
 */
static bool grow(struct nvptx_ir *ir)
{
	struct nvptx_ranged *old = ir->range;
	int n = ir->cap_range;

	ir->cap_range = n ? 2 * n : 256;
	ir->range = calloc(ir->cap_range, sizeof(*old));
	if (!ir->range) {
		ir->range = old;
		ir->cap_range = n;
		return false;
	}
	for (int i = 0; i < n; i++)
		if (old[i].v)
			ir->range[place(ir, old[i].v)] = old[i];
	free(old);
	return true;
}

/* What was known before is replaced. */
void nvptx_range_set(struct nvptx_ir *ir, LLVMValueRef v,
	struct nvptx_range r)
{
	int at;

	if (2 * ir->n_range >= ir->cap_range && !grow(ir)) {
		nvptx_fail(ir, nvptx_i32(ir), "out of memory");
		return;
	}
	at = place(ir, v);
	ir->n_range += !ir->range[at].v;
	ir->range[at] = (struct nvptx_ranged){ v, r };
}

/* At the begin of each kernel: values of another function mean nothing. */
void nvptx_range_clear(struct nvptx_ir *ir)
{
	free(ir->range);
	ir->range = NULL;
	ir->n_range = ir->cap_range = 0;
}

/* Is something known of "v"? Then "r" becomes its range.
 *
 * Constants are not in the table.
 */
static bool find(const struct nvptx_ir *ir, LLVMValueRef v,
	struct nvptx_range *r)
{
	int at;

	if (LLVMIsAConstantInt(v)) {
		r->lo = r->hi = LLVMConstIntGetSExtValue(v);
		return true;
	}
	at = ir->cap_range ? place(ir, v) : -1;
	if (at < 0 || !ir->range[at].v)
		return false;
	*r = ir->range[at].r;
	return true;
}

/* Anything of its type, if nothing is known. */
struct nvptx_range nvptx_range_of(struct nvptx_ir *ir, LLVMValueRef v)
{
	struct nvptx_range r = { INT64_MIN, INT64_MAX };

	if (!find(ir, v, &r) && LLVMTypeOf(v) == nvptx_i32(ir))
		r = (struct nvptx_range){ INT32_MIN, INT32_MAX };
	return r;
}

/* The narrower one that holds all of "r". */
LLVMTypeRef nvptx_range_type(struct nvptx_ir *ir, struct nvptx_range r)
{
	return r.lo >= INT32_MIN && r.hi <= INT32_MAX ? nvptx_i32(ir) :
		nvptx_i64(ir);
}

/* As narrow as it can be. */
LLVMValueRef nvptx_exact_int(struct nvptx_ir *ir, int64_t value)
{
	struct nvptx_range r = { value, value };

	return LLVMConstInt(nvptx_range_type(ir, r), (unsigned long long)value,
		1);
}

/* ------------------------------------------------------------- arithmetic */

/* Bounds outside of 64 bits are as good as none. */
static int64_t clamp(__int128 x)
{
	if (x < INT64_MIN)
		return INT64_MIN;
	return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

/* The range of a product, whose ends are products of ends.
 *
 * In 128 bits, where no product overflows.
 */
static struct nvptx_range product(struct nvptx_range a, struct nvptx_range b)
{
	__int128 p[4] = { (__int128)a.lo * b.lo, (__int128)a.lo * b.hi,
		(__int128)a.hi * b.lo, (__int128)a.hi * b.hi };
	__int128 lo = p[0], hi = p[0];

	for (int i = 1; i < 4; i++) {
		lo = p[i] < lo ? p[i] : lo;
		hi = p[i] > hi ? p[i] : hi;
	}
	return (struct nvptx_range){ clamp(lo), clamp(hi) };
}

/* C's division truncates towards 0; one less for a negative remainder. */
static int64_t floor_of(int64_t a, int64_t d)
{
	return a / d - (a % d < 0);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The range of "a op b"; divisors are positive constants.
 *
 * MOD is that of numbers that are not negative, the last case C's remainder.
 */
static struct nvptx_range combine(enum nvptx_exact op, struct nvptx_range a,
	struct nvptx_range b)
{
	switch (op) {
	case NVPTX_EXACT_ADD:
		return (struct nvptx_range){ clamp((__int128)a.lo + b.lo),
			clamp((__int128)a.hi + b.hi) };
	case NVPTX_EXACT_SUB:
		return (struct nvptx_range){ clamp((__int128)a.lo - b.hi),
			clamp((__int128)a.hi - b.lo) };
	case NVPTX_EXACT_MUL:
		return product(a, b);
	case NVPTX_EXACT_MIN:
		return (struct nvptx_range){ least(a.lo, b.lo),
			least(a.hi, b.hi) };
	case NVPTX_EXACT_MAX:
		return (struct nvptx_range){ most(a.lo, b.lo),
			most(a.hi, b.hi) };
	case NVPTX_EXACT_FLOOR:
	case NVPTX_EXACT_DIV:
		return (struct nvptx_range){ floor_of(a.lo, b.lo),
			floor_of(a.hi, b.lo) };
	case NVPTX_EXACT_MOD:
		return (struct nvptx_range){ 0, b.lo - 1 };
	default:
		return (struct nvptx_range){ 1 - b.lo, b.lo - 1 };
	}
}

/* "a" op "b", of one type, which holds the result.
 *
 * Both are extended before; FLOOR's divisor is a constant.
 */
static LLVMValueRef emit(struct nvptx_ir *ir, enum nvptx_exact op,
	LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef pair[2] = { a, b };

	switch (op) {
	case NVPTX_EXACT_ADD:
		return nvptx_add(ir, a, b, "");
	case NVPTX_EXACT_SUB:
		return nvptx_sub(ir, a, b);
	case NVPTX_EXACT_MUL:
		return nvptx_mul(ir, a, b);
	case NVPTX_EXACT_MIN:
		return nvptx_intrinsic(ir, "llvm.smin", pair, 2);
	case NVPTX_EXACT_MAX:
		return nvptx_intrinsic(ir, "llvm.smax", pair, 2);
	case NVPTX_EXACT_FLOOR:
		return nvptx_floor_div(ir, a, LLVMConstIntGetSExtValue(b));
	case NVPTX_EXACT_DIV:
		return nvptx_div(ir, a, b);
	case NVPTX_EXACT_MOD:
		return nvptx_mod(ir, a, b);
	default:
		return LLVMBuildSRem(ir->b, a, b, "");
	}
}

/* The type that both have once they are extended. */
static LLVMTypeRef wider(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef i64 = nvptx_i64(ir);

	return LLVMTypeOf(a) == i64 || LLVMTypeOf(b) == i64 ? i64 :
		nvptx_i32(ir);
}

/* The operation is done in the wider of the operands' types, or in 64 bits if
 * the result needs that; then the result is narrowed if it fits. In "narrow"
 * code unknown ranges stay in the operands' type.
 */
LLVMValueRef nvptx_exact(struct nvptx_ir *ir, enum nvptx_exact op,
	LLVMValueRef a, LLVMValueRef b)
{
	struct nvptx_range x, y, r;
	LLVMTypeRef type = wider(ir, a, b), fit;
	LLVMValueRef v;
	bool known = find(ir, a, &x) && find(ir, b, &y);

	if (op >= NVPTX_EXACT_FLOOR && (!LLVMIsAConstantInt(b) ||
	    LLVMConstIntGetSExtValue(b) <= 0))
		return nvptx_fail(ir, type,
			"a divisor is no positive constant");
	if (!known && ir->narrow)
		return emit(ir, op, nvptx_extend(ir, a, type),
			nvptx_extend(ir, b, type));
	x = nvptx_range_of(ir, a);
	y = nvptx_range_of(ir, b);
	r = combine(op, x, y);
	fit = nvptx_range_type(ir, r);
	if (fit == nvptx_i64(ir))
		type = fit;
	v = emit(ir, op, nvptx_extend(ir, a, type), nvptx_extend(ir, b, type));
	v = nvptx_extend(ir, v, fit);
	if (!LLVMIsAConstantInt(v))
		nvptx_range_set(ir, v, r);
	return v;
}

/* Exact: both in the wider type. */
LLVMValueRef nvptx_exact_compare(struct nvptx_ir *ir, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef type = wider(ir, a, b);

	return nvptx_compare(ir, p, nvptx_extend(ir, a, type),
		nvptx_extend(ir, b, type));
}

/* The range is the hull of both. */
LLVMValueRef nvptx_exact_select(struct nvptx_ir *ir, LLVMValueRef cond,
	LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef type = wider(ir, a, b);
	struct nvptx_range x = nvptx_range_of(ir, a), y = nvptx_range_of(ir, b);
	LLVMValueRef v = LLVMBuildSelect(ir->b, cond, nvptx_extend(ir, a, type),
		nvptx_extend(ir, b, type), "");

	if (!LLVMIsAConstantInt(v))
		nvptx_range_set(ir, v, (struct nvptx_range){
			least(x.lo, y.lo), most(x.hi, y.hi) });
	return v;
}
