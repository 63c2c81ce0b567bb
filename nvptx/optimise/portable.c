/* nvptx: code for any processor of the host's kind.
 *
 * The oldest processor of some kinds has no instruction for some intrinsics, and LLVM
 * would call libm. Programs that link an object need no libm: the runtime's functions
 * give the same bits (runtime/base/round.c).
 *
 *	%v = call float @llvm.fma.f32(float %x, float %y, float %z)
 *
 * becomes
 *
 *	%v = call float @cetane_host_fmaf(float %x, float %y, float %z)
 *
 * before the optimiser runs, since it may make vectors of the former.
 */
#include <string.h>

#include "nvptx/optimise/optimise.h"

static const struct {
	const char *intrinsic, *function;
} table[] = {
	{ "llvm.fma.f32", "cetane_host_fmaf" },
	{ "llvm.fma.f64", "cetane_host_fma" },
	{ "llvm.floor.f32", "cetane_host_floorf" },
	{ "llvm.floor.f64", "cetane_host_floor" },
	{ "llvm.ceil.f32", "cetane_host_ceilf" },
	{ "llvm.ceil.f64", "cetane_host_ceil" },
	{ "llvm.trunc.f32", "cetane_host_truncf" },
	{ "llvm.trunc.f64", "cetane_host_trunc" },
};

/* Let the optimiser know that "f" does nothing but compute, as it knows of
 * intrinsics. The attribute "memory" is 0 for no access.
 */
static void set_pure(LLVMContextRef ctx, LLVMValueRef f)
{
	static const char *const name[] = { "nounwind", "willreturn", "nosync",
		"nofree", "memory" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(name[i],
			strlen(name[i]));

		LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(ctx, kind, 0));
	}
}

void nvptx_make_portable(struct nvptx_module *m)
{
	if (m->opt.host && m->opt.host->rounds)
		return;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		LLVMValueRef f, old = LLVMGetNamedFunction(m->module,
			table[i].intrinsic);

		if (!old)
			continue;
		f = LLVMAddFunction(m->module, table[i].function,
			LLVMGlobalGetValueType(old));
		set_pure(m->ctx, f);
		LLVMReplaceAllUsesWith(old, f);
		LLVMDeleteFunction(old);
	}
}
