/* nvptx: the checks of what emitters keep in shared memory of their own.
 *
 * Where threads put something together they write and read places that belong to no
 * array of the program: partial sums of warps, bins that are counted, links of scans. The
 * code of the kernel is searched for such accesses once it is written, so that no emitter
 * can forget one:
 *
 *	%at = getelementptr [1 x i32], ptr %shared, i32 %row
 *	%v = load float, ptr %at
 *
 * becomes
 *
 *	%ok = call i32 @cetane_host_check(ptr %t, ptr %at, ptr %at, i32 4, ..)
 *	%in = icmp ne i32 %ok, 0
 *	%to = select i1 %in, ptr %at, ptr %refused
 *	%v = load float, ptr %to
 *
 * Accesses to elements of arrays ask on their own (lower_mem.c), which tells them from
 * these: the address is an argument of a check already.
 */
#include <stdlib.h>

#include "nvptx/kernel/kernel.h"
#include "nvptx/llvm/llvm.h"
#include "runtime/host_abi.h"

/* The largest access, in bytes; so many operations may lie between an address and where
 * shared memory begins.
 */
enum { MOST_BYTES = 64, MOST_DEPTH = 12 };

/* Is the address "v" computed from "base"? */
static bool is_from(LLVMValueRef v, LLVMValueRef base, int depth)
{
	if (v == base)
		return true;
	if (!depth || !LLVMIsAInstruction(v))
		return false;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMGetElementPtr:
		return is_from(LLVMGetOperand(v, 0), base, depth - 1);
	case LLVMSelect:
		return is_from(LLVMGetOperand(v, 1), base, depth - 1) ||
			is_from(LLVMGetOperand(v, 2), base, depth - 1);
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
			if (is_from(LLVMGetIncomingValue(v, i), base, depth - 1))
				return true;
		return false;
	default:
		return false;
	}
}

/* Does a check ask for the address "at"? */
static bool is_asked(LLVMValueRef at)
{
	for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use))
		if (nvptx_hw_calls(LLVMGetUser(use), NVPTX_HW_CHECK))
			return true;
	return false;
}

/* What is accessed at address number "*at" of the operands of "v", and how; NULL if "v"
 * accesses nothing.
 */
static LLVMTypeRef accessed(LLVMValueRef v, unsigned *at, unsigned *flags)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
		*at = 0;
		*flags = 0;
		return LLVMTypeOf(v);
	case LLVMStore:
		*at = 1;
		*flags = CETANE_HOST_WRITE;
		return LLVMTypeOf(LLVMGetOperand(v, 0));
	case LLVMAtomicRMW:
		*at = 0;
		*flags = CETANE_HOST_WRITE | CETANE_HOST_ATOMIC;
		return LLVMTypeOf(v);
	default:
		return NULL;
	}
}

/* Is "v" an access to a place? */
static bool is_place(const struct nvptx_lower *l, LLVMValueRef v)
{
	unsigned at, flags;
	LLVMValueRef p = accessed(v, &at, &flags) ? LLVMGetOperand(v, at) : NULL;

	return p && is_from(p, l->value.shared, MOST_DEPTH) && !is_asked(p);
}

/* Let the access "v" ask first. "refused" is what it accesses if it must not. */
static void ask(struct nvptx_lower *l, LLVMValueRef v, LLVMValueRef refused, int site)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->ir->m->module);
	unsigned flags, i;
	LLVMTypeRef type = accessed(v, &i, &flags);
	LLVMValueRef at = LLVMGetOperand(v, i), ok, arg[5] = { at, at,
		nvptx_int(l->ir, (int64_t)LLVMStoreSizeOfType(layout, type)),
		NULL, nvptx_int(l->ir, site) };

	if (LLVMStoreSizeOfType(layout, type) > MOST_BYTES)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "an access to shared memory is too large");
	for (unsigned align = LLVMGetAlignment(v); align > 1; align /= 2)
		flags += CETANE_HOST_ALIGN;
	arg[3] = nvptx_int(l->ir, flags | CETANE_HOST_SHARED);
	LLVMPositionBuilderBefore(l->ir->b, v);
	ok = nvptx_hw(l->ir, NVPTX_HW_CHECK, arg, 5, "ok");
	ok = LLVMBuildICmp(l->ir->b, LLVMIntNE, ok, nvptx_int(l->ir, 0), "");
	LLVMSetOperand(v, i, LLVMBuildSelect(l->ir->b, ok, at, refused, ""));
}

/* Where messages say that the places are: in the kernel, "of" the statement that is at
 * work.
 */
static int site_of(struct nvptx_lower *l, const struct poly_loc *loc)
{
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s:%d: places in %s", l->prog->file && *l->prog->file ?
		l->prog->file : l->prog->name, loc ? loc->line : 0, l->kernel->name);
	return nvptx_site(l->ir, &s);
}

/* The accesses of the function to places, in "list" if that is not NULL; how many. */
static size_t find(const struct nvptx_lower *l, LLVMValueRef *list)
{
	size_t n = 0;

	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(l->ir->fn); bb;
	     bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v;
		     v = LLVMGetNextInstruction(v)) {
			if (!is_place(l, v))
				continue;
			if (list)
				list[n] = v;
			n++;
		}
	return n;
}

/* All are found before the first asks, since several may have one address. */
void nvptx_check_places(struct nvptx_lower *l, const struct poly_loc *loc)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->ir->m->ctx);
	LLVMValueRef *list, refused;
	size_t n;

	if (!l->ir->m->opt.checked || !l->value.shared || l->ir->failed)
		return;
	n = find(l, NULL);
	list = calloc(n + 1, sizeof(*list));
	if (!list) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return;
	}
	find(l, list);
	refused = n ? nvptx_room(l->ir, LLVMArrayType2(byte, MOST_BYTES), "refused") : NULL;
	for (size_t i = 0; i < n; i++)
		ask(l, list[i], refused, site_of(l, loc));
	free(list);
}
