/* nvptx: loads ahead of functions that branch, and stores behind them.
 *
 * Inlined, such a function ends its block, and of a run of elements
 *
 *	%a = load x[0];  %b = call @cetane.angle.f32(%a);  ..  store y[0];  %c = load x[1]
 *
 * each has an access of its own: LLVM joins neighbours to wide accesses within a block
 * alone. So before it inlines, loads from arrays that the kernel only reads (noalias
 * readonly) move ahead of the first of the calls of a block, and all stores behind the
 * last. Stores keep their order. A block in which anything else sees memory, or whose
 * loads need a call's value, stays as it is.
 *
 * The pattern comes from angles and other functions that need a long way for
 * large arguments. Everything is decided within one block, before inlining:
 * afterwards the branches are there and it is too late.
 *
 * Divisions and roots branch as well, but in ptxas, which moves no load past one. So in a
 * loop that LLVM has unrolled, loads from such arrays go ahead of the first of them:
 *
 *	%a = load x[0];  %b = fdiv %a, 7;  %c = load x[1];  ..
 *
 * would wait for memory once for each element.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/optimise/optimise.h"
#include "polyir/base/gpu.h"

/* The instructions of a block from its first call of a function that branches to the
 * last; "moved" have a new place.
 *
 * Room for the longest block of the function; all owned by part_function.
 */
struct stretch {
	LLVMValueRef *member;
	bool *moved;
	int n;
	LLVMBuilderRef b;
};

/* "index" 0 is the result, parameters count from 1. */
static bool has_attribute(LLVMValueRef function, unsigned index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	return LLVMGetEnumAttributeAtIndex(function, index, kind) != NULL;
}

/* The function that "v" calls, or NULL. */
static LLVMValueRef callee_of(LLVMValueRef v)
{
	return LLVMIsACallInst(v) ? LLVMIsAFunction(LLVMGetCalledValue(v)) : NULL;
}

/* A function of one block does not end the caller's block when it is inlined.
 */
static bool branches(LLVMValueRef v)
{
	LLVMValueRef f = callee_of(v);

	return f && LLVMCountBasicBlocks(f) > 1;
}

/* Does the call see no memory?
 *
 * memory(none), whose value is 0 in LLVM's encoding.
 */
static bool is_pure(LLVMValueRef v)
{
	LLVMValueRef f = callee_of(v);
	unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
	LLVMAttributeRef memory;

	if (!f)
		return false;
	memory = LLVMGetEnumAttributeAtIndex(f,
		(LLVMAttributeIndex) LLVMAttributeFunctionIndex, kind);
	return memory && !LLVMGetEnumAttributeValue(memory);
}

/* Does "v" load from an array that the kernel only reads?
 *
 * Through getelementptr to the kernel's argument; noalias and readonly say that
 * nothing the kernel does changes what it loads.
 */
static bool is_free_load(LLVMValueRef v)
{
	LLVMValueRef p = LLVMGetOperand(v, 0), f;
	unsigned i;

	if (LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic)
		return false;
	while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
		p = LLVMGetOperand(p, 0);
	if (!LLVMIsAArgument(p))
		return false;
	f = LLVMGetParamParent(p);
	for (i = 0; LLVMGetParam(f, i) != p; i++)
		;
	return has_attribute(f, i + 1, "noalias") &&
		has_attribute(f, i + 1, "readonly");
}

/* May the accesses around "v" move past it, or "v" itself be one that moves?
 *
 * What is no access at all is always fine. A call must see no memory.
 */
static bool is_known(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
		return is_free_load(v);
	case LLVMStore:
		return !LLVMGetVolatile(v) &&
			LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
	case LLVMCall:
		return is_pure(v);
	case LLVMFence:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMInvoke:
	case LLVMVAArg:
		return false;
	default:
		return true;
	}
}

static int find(const struct stretch *s, LLVMValueRef v)
{
	for (int i = 0; i < s->n; i++)
		if (s->member[i] == v)
			return i;
	return -1;
}

/* Can "v" be computed ahead of the stretch?
 *
 * Its operands must come from outside of the stretch, or be liftable
 * themselves; a call's value is what must not be needed.
 */
static bool can_lift(const struct stretch *s, LLVMValueRef v)
{
	int at = find(s, v);

	if (at < 0 || s->moved[at])
		return true;
	if (LLVMIsACallInst(v) || LLVMIsAPHINode(v))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		if (!can_lift(s, LLVMGetOperand(v, (unsigned) i)))
			return false;
	return true;
}

/* Operands first, so that they keep their order. can_lift has been asked. */
static void lift(struct stretch *s, LLVMValueRef v)
{
	int at = find(s, v);

	if (at < 0 || s->moved[at])
		return;
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		lift(s, LLVMGetOperand(v, (unsigned) i));
	s->moved[at] = true;
	LLVMInstructionRemoveFromParent(v);
	LLVMPositionBuilderBefore(s->b, s->member[0]);
	LLVMInsertIntoBuilder(s->b, v);
}

/* Move what can move of a stretch all of whose members are known.
 *
 * Stores go behind the last call one after another, which keeps their order.
 */
static void part(struct stretch *s)
{
	LLVMValueRef behind = LLVMGetNextInstruction(s->member[s->n - 1]), v;

	for (int i = 1; i < s->n; i++) {
		v = s->member[i];
		if (LLVMIsALoadInst(v) && can_lift(s, v)) {
			lift(s, v);
		} else if (LLVMIsAStoreInst(v)) {
			LLVMInstructionRemoveFromParent(v);
			LLVMPositionBuilderBefore(s->b, behind);
			LLVMInsertIntoBuilder(s->b, v);
		}
	}
}

/* The members of the stretch of "block"; false if it has none that may be parted.
 *
 * From the first branching call to the last; with one call there is nothing to
 * part.
 */
static bool collect(struct stretch *s, LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	int n = 0, n_call = 0;

	s->n = 0;
	for (; i; i = LLVMGetNextInstruction(i)) {
		if (!n_call && !branches(i))
			continue;
		s->member[n++] = i;
		n_call += branches(i);
		if (branches(i))
			s->n = n;
	}
	for (n = 0; n < s->n; n++)
		if (!is_known(s->member[n]))
			return false;
	return n_call > 1;
}

/* Does ptxas make a branch of "v"? */
static bool divides(LLVMValueRef v)
{
	static const char name[] = "llvm.sqrt.";
	LLVMValueRef f = callee_of(v);
	size_t n;

	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMFDiv:
		return true;
	case LLVMCall:
		return f && !strncmp(LLVMGetValueName2(f, &n), name,
			sizeof(name) - 1);
	default:
		return false;
	}
}

/* Does the block go to itself? */
static bool loops(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	bool does = false;

	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		does |= LLVMGetSuccessor(end, i) == block;
	return does;
}

/* Have the loads of a loop ahead of its first division, as many bytes as registers may be
 * kept for.
 */
static void lift_loads(struct stretch *s, LLVMBasicBlockRef block)
{
	enum { MOST_BYTES = 128 };
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(block)));
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	unsigned long long bytes = 0, size;

	while (i && !divides(i))
		i = LLVMGetNextInstruction(i);
	for (s->n = 0; i; i = LLVMGetNextInstruction(i))
		s->member[s->n++] = i;
	for (int k = 1; k < s->n; k++) {
		LLVMValueRef v = s->member[k];

		if (!LLVMIsALoadInst(v) || !is_free_load(v) || !can_lift(s, v))
			continue;
		size = LLVMABISizeOfType(layout, LLVMTypeOf(v));
		bytes += size < POLY_WORD ? POLY_WORD : size;
		if (bytes > MOST_BYTES)
			break;
		lift(s, v);
	}
}

/* So that arrays are allocated once for the whole function. */
static int longest_block(LLVMValueRef f)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
	int most = 0;

	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef i = LLVMGetFirstInstruction(block);
		int n = 0;

		for (; i; i = LLVMGetNextInstruction(i))
			n++;
		most = n > most ? n : most;
	}
	return most;
}

/* Without memory the function stays as it is; "optimised": what loops then is one block. */
static void part_function(struct stretch *s, LLVMValueRef f, bool optimised)
{
	size_t n = (size_t) longest_block(f);
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);

	s->member = calloc(n + 1, sizeof(*s->member));
	s->moved = calloc(n + 1, sizeof(*s->moved));
	for (; s->member && s->moved && block; block = LLVMGetNextBasicBlock(block)) {
		memset(s->moved, 0, n * sizeof(*s->moved));
		if (optimised && loops(block))
			lift_loads(s, block);
		else if (!optimised && collect(s, block))
			part(s);
	}
	free(s->member);
	free(s->moved);
}

/* Kernels alone: their arguments have the attributes. */
static void part_kernels(struct nvptx_module *m, bool optimised)
{
	struct stretch s = { .b = LLVMCreateBuilderInContext(m->ctx) };
	LLVMValueRef f = LLVMGetFirstFunction(m->module);

	for (; f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) &&
		    LLVMGetFunctionCallConv(f) == LLVMPTXKernelCallConv)
			part_function(&s, f, optimised);
	LLVMDisposeBuilder(s.b);
}

void nvptx_part_accesses(struct nvptx_module *m)
{
	part_kernels(m, false);
}

void nvptx_lift_loads(struct nvptx_module *m)
{
	part_kernels(m, true);
}
