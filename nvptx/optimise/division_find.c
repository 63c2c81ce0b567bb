/* nvptx: divisions of a block that go together. */
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/optimise/division.h"
#include "polyir/base/gpu.h"

/* -------------------------------------------------------------- instructions */

static bool has_attribute(LLVMValueRef f, LLVMAttributeIndex i, const char *name,
	uint64_t value)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, i,
		LLVMGetEnumAttributeKindForName(name, strlen(name)));

	return a && LLVMGetEnumAttributeValue(a) == value;
}

/* A call of LLVM's that neither sees memory nor other threads. */
static bool is_pure_call(LLVMValueRef v)
{
	LLVMAttributeIndex at = (LLVMAttributeIndex) LLVMAttributeFunctionIndex;

	return nvptx_called_intrinsic(v) &&
		has_attribute(LLVMGetCalledValue(v), at, "memory", 0) &&
		!has_attribute(LLVMGetCalledValue(v), at, "convergent", 0);
}

/* Can "v" have another place among what it does not depend on? */
bool nvptx_can_move(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
	case LLVMStore:
		return !LLVMGetVolatile(v) && !LLVMIsAtomic(v);
	case LLVMSelect:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMGetElementPtr:
	case LLVMFreeze:
		return true;
	case LLVMCall:
		return is_pure_call(v);
	default:
		return LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) ||
			LLVMIsACmpInst(v) || LLVMIsACastInst(v);
	}
}

/* Does "v", a load, read what no store of this kernel changes? An argument that is
 * neither written nor has another name is such a place.
 */
static bool is_invariant(struct nvptx_region *r, LLVMValueRef v)
{
	LLVMValueRef p = LLVMGetOperand(v, 0), f;
	LLVMAttributeIndex at = 1;

	if (LLVMGetMetadata(v, r->invariant))
		return true;
	while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
		p = LLVMGetOperand(p, 0);
	if (!LLVMIsAArgument(p))
		return false;
	f = LLVMGetParamParent(p);
	for (LLVMValueRef a = LLVMGetFirstParam(f); a != p; a = LLVMGetNextParam(a))
		at++;
	return has_attribute(f, at, "readonly", 0) && has_attribute(f, at, "noalias", 0);
}

/* --------------------------------------------------------------------- steps */

/* The member that "v" is, or NULL. */
static struct nvptx_ordered *find(struct nvptx_region *r, LLVMValueRef v)
{
	LLVMValueRef node = LLVMIsAInstruction(v) ? LLVMGetMetadata(v, r->mark) : NULL;
	LLVMValueRef index;

	if (!node)
		return NULL;
	LLVMGetMDNodeOperands(node, &index);
	return &r->member[LLVMConstIntGetZExtValue(index)];
}

/* Do two members or more divide by "y"? Constants have no lists of uses. */
static bool is_common(struct nvptx_region *r, LLVMValueRef y)
{
	int n = 0;

	for (int i = 0; LLVMIsConstant(y) && i < r->n && n < NVPTX_LEAST_DIVISIONS; i++)
		n += nvptx_is_division(r->member[i].v) &&
			LLVMGetOperand(r->member[i].v, 1) == y;
	for (LLVMUseRef use = LLVMIsConstant(y) ? NULL : LLVMGetFirstUse(y);
	     use && n < NVPTX_LEAST_DIVISIONS; use = LLVMGetNextUse(use)) {
		const struct nvptx_ordered *m = find(r, LLVMGetUser(use));

		n += m && nvptx_is_division(m->v) && LLVMGetOperand(m->v, 1) == y;
	}
	return n == NVPTX_LEAST_DIVISIONS;
}

/* The bytes of an element of "v", a run of them; 0 if it is none. */
static unsigned long long size_of_run(struct nvptx_region *r, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);

	return LLVMGetTypeKind(type) != LLVMVectorTypeKind ? 0 : LLVMABISizeOfType(
		LLVMGetModuleDataLayout(r->m->module), LLVMGetElementType(type));
}

/* Does the region store runs of bytes, and do two members or more divide by a number that
 * is no constant?
 */
static bool makes_bytes(struct nvptx_region *r)
{
	bool bytes = false, common = false;

	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = r->member[i].v;

		bytes |= LLVMIsAStoreInst(v) && size_of_run(r,
			LLVMGetOperand(v, 0)) == 1;
		common |= nvptx_is_division(v) &&
			!LLVMIsConstant(LLVMGetOperand(v, 1)) &&
			is_common(r, LLVMGetOperand(v, 1));
	}
	return bytes && common;
}

/* Does another member divide by the same number? A constant is like any other one, but
 * where bytes are made of quotients by something else: a division by a constant is where
 * their divisor comes from. Norms in f16, whose divisors come from sums by a number of
 * elements, would have groups as well, and take 1.04 to 1.23 times as long: they have so many
 * registers that fewer blocks share a multiprocessor.
 */
static bool is_shared_divisor(struct nvptx_region *r, LLVMValueRef y)
{
	return (LLVMIsConstant(y) && !r->bytes) || is_common(r, y);
}

/* Can "m" be in a group? */
static bool is_candidate(struct nvptx_region *r, const struct nvptx_ordered *m)
{
	return !m->step && nvptx_is_division(m->v) &&
		is_shared_divisor(r, LLVMGetOperand(m->v, 1));
}

/* Give members their steps; "after" tells from which on the result of one is there. */
static void set_steps(struct nvptx_region *r, int (*after)(struct nvptx_region *r,
	const struct nvptx_ordered *m))
{
	int loaded = 0, stored = 0;	/* the last steps of loads and stores so far */

	for (int i = 0; i < r->n; i++) {
		struct nvptx_ordered *m = &r->member[i];
		int n = LLVMGetNumOperands(m->v);

		m->need = 0;
		for (int k = 0; k < n; k++) {
			struct nvptx_ordered *arg = find(r, LLVMGetOperand(m->v, k));
			int step = arg ? after(r, arg) : 0;

			m->need = step > m->need ? step : m->need;
		}
		m->step = m->need;
		if (LLVMIsALoadInst(m->v) && !is_invariant(r, m->v)) {
			m->step = stored > m->step ? stored : m->step;
			loaded = m->step > loaded ? m->step : loaded;
		} else if (LLVMIsAStoreInst(m->v)) {
			m->step = stored > m->step ? stored : m->step;
			m->step = loaded > m->step ? loaded : m->step;
			stored = m->step;
		}
	}
}

/* Has "v" so many uses that it stays in a register anyway? */
static bool is_shared(LLVMValueRef v)
{
	LLVMUseRef use = LLVMIsConstant(v) ? NULL : LLVMGetFirstUse(v);
	int n = 0;

	for (; use && n < NVPTX_MOST_DIVISIONS; use = LLVMGetNextUse(use))
		n++;
	return LLVMIsConstant(v) || n == NVPTX_MOST_DIVISIONS;
}

/* Do the operands of "v" take no more registers than its result? */
static bool is_light(LLVMValueRef v)
{
	if (LLVMIsABinaryOperator(v))
		return is_shared(LLVMGetOperand(v, 0)) || is_shared(LLVMGetOperand(v, 1));
	return LLVMIsACastInst(v) || LLVMIsAUnaryOperator(v) ||
		LLVMIsAExtractElementInst(v) || LLVMIsAGetElementPtrInst(v);
}

/* The last step in which "v" can be. */
static int last_step(struct nvptx_region *r, LLVMValueRef v)
{
	int last = r->n_group;

	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		const struct nvptx_ordered *m = find(r, LLVMGetUser(use));
		int step = !m ? last : m->group == NVPTX_NO_DIVISIONS ? m->step : m->group;

		last = step < last ? step : last;
	}
	return last;
}

/* Have what is computed from little wait until it is needed, and loads until the step
 * before, so that few registers hold something while groups before are computed.
 */
static void delay(struct nvptx_region *r)
{
	for (int i = r->n - 1; i >= 0; i--) {
		struct nvptx_ordered *m = &r->member[i];
		int last = last_step(r, m->v);

		if (m->group == NVPTX_NO_DIVISIONS && is_light(m->v))
			m->step = last;
		else if (LLVMIsALoadInst(m->v) && is_invariant(r, m->v) &&
		    m->step < last - 1)
			m->step = last - 1;
	}
}

/* The step from which on the result of "m" is there, if each division is a group but
 * those by a number of their own.
 */
static int after_division(struct nvptx_region *r, const struct nvptx_ordered *m)
{
	return m->step + (nvptx_is_division(m->v) &&
		is_shared_divisor(r, LLVMGetOperand(m->v, 1)));
}

/* The same with the groups that there are. */
static int after_group(struct nvptx_region *r, const struct nvptx_ordered *m)
{
	(void) r;
	return m->group == NVPTX_NO_DIVISIONS ? m->step : m->group + 1;
}

/* Does an access of memory wait for a store that needs a quotient, and needs none
 * itself? Elements that are one run of memory would be apart then.
 */
static bool is_torn(struct nvptx_region *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->member[i].need < r->member[i].step)
			return true;
	return false;
}

/* Does every use of "v" round it to 16 bits, with "half" to f16? */
bool nvptx_becomes_short(LLVMValueRef v, bool half)
{
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMGetInstructionOpcode(user) != LLVMFPTrunc ||
		    (half && LLVMGetTypeKind(LLVMTypeOf(user)) !=
		    LLVMHalfTypeKind))
			return false;
	}
	return true;
}

/* Does the region make numbers of less than 32 bits, which it stores, or others do?
 * Where all have 32, memory takes longer than divisions do; so it does where runs of
 * both are stored.
 */
static bool is_narrow(struct nvptx_region *r)
{
	bool narrow = false, wide = false;

	for (int i = 0; i < r->n; i++) {
		LLVMValueRef v = r->member[i].v, x;
		unsigned long long size;

		if (nvptx_is_division(v) && nvptx_becomes_short(v, false))
			return true;
		if (!LLVMIsAStoreInst(v))
			continue;
		x = LLVMGetOperand(v, 0);
		if (LLVMABISizeOfType(LLVMGetModuleDataLayout(r->m->module),
		    LLVMTypeOf(x)) < sizeof(float))
			return true;
		size = size_of_run(r, x);
		narrow |= size && size < sizeof(float);
		wide |= size >= sizeof(float);
	}
	return narrow && !wide;
}

/* Divide the "n" candidates into groups of like size. */
static void make_groups(struct nvptx_region *r, int n)
{
	int k = 0;

	r->n_group = (n + NVPTX_MOST_DIVISIONS - 1) / NVPTX_MOST_DIVISIONS;
	for (int i = 0; i < r->n; i++) {
		struct nvptx_ordered *m = &r->member[i];
		struct nvptx_divisions *g;

		if (!is_candidate(r, m))
			continue;
		m->group = k++ * r->n_group / n;
		g = &r->group[m->group];
		g->division[g->n++] = m->v;
	}
}

/* Find the groups of the region; none without memory. */
void nvptx_find_divisions(struct nvptx_region *r)
{
	int n = 0;

	r->bytes = makes_bytes(r);
	set_steps(r, after_division);
	for (int i = 0; i < r->n; i++)
		n += is_candidate(r, &r->member[i]);
	r->group = calloc(n + 1, sizeof(*r->group));
	r->divisor = calloc(n + 1, sizeof(*r->divisor));
	r->n_group = r->n_divisor = 0;
	if (!r->group || !r->divisor || n < NVPTX_LEAST_DIVISIONS || !is_narrow(r))
		return;
	make_groups(r, n);
	set_steps(r, after_group);
	if (is_torn(r))
		r->n_group = 0;
	else
		delay(r);
}
