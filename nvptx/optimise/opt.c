/* nvptx: LLVM's own optimisations.
 *
 * The pipeline is default<O3>. On a GPU the vectorisers are off: a thread is
 * one lane already, and packing its register tile into vectors only adds
 * moves. LLVM 22 runs the SLP vectoriser in spite of that; it pairs numbers of
 * 8 and 16 bits, and for compute capability 10.0 those of f32, for which there are
 * instructions. Large kernels without narrow numbers are kept from it, since it
 * takes 10 s to find no pairs in the tile of a product. No pass may change a
 * floating-point result, since no instruction carries fast-math flags that would
 * let it.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>

#include "nvptx/optimise/optimise.h"

/* Instructions of a block for which the SLP vectoriser takes seconds. */
enum { LARGE = 1000 };

isl_stat nvptx_verify(struct nvptx_module *m, struct poly_report *report)
{
	char *text = NULL;
	bool bad = LLVMVerifyModule(m->module, LLVMReturnStatusAction, &text);

	if (bad)
		poly_report_add(report, MSG_NVPTX_INVALID, NULL, text);
	LLVMDisposeMessage(text);
	return bad ? isl_stat_error : isl_stat_ok;
}

/* Is "type" a number of 8 or 16 bits? */
static bool is_narrow(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return true;
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 8 ||
			LLVMGetIntTypeWidth(type) == 16;
	default:
		return false;
	}
}

/* Has the function a number of 8 or 16 bits? "*most" becomes no less than the
 * instructions of each block.
 */
static bool has_narrow(LLVMValueRef f, int *most)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);

	for (; b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef i = LLVMGetFirstInstruction(b);
		int n = 0;

		for (; i; i = LLVMGetNextInstruction(i), n++)
			if (is_narrow(LLVMTypeOf(i)))
				return true;
		*most = n > *most ? n : *most;
	}
	return false;
}

/* Is the search for pairs long, and for nothing? Where kernels call functions, the
 * attribute that ends it would change what is inlined.
 */
static bool is_scalar(struct nvptx_module *m)
{
	LLVMValueRef f = LLVMGetFirstFunction(m->module);
	int most = 0;

	for (; f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && (has_narrow(f, &most) ||
		    LLVMGetFunctionCallConv(f) != LLVMPTXKernelCallConv))
			return false;
	return most > LARGE;
}

/* Keep the SLP vectoriser from the kernels, or let it in again. */
static void keep_scalar(struct nvptx_module *m, bool scalar)
{
	static const char name[] = "noimplicitfloat";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
	LLVMAttributeRef attribute = LLVMCreateEnumAttribute(
		LLVMGetModuleContext(m->module), kind, 0);
	LLVMValueRef f = LLVMGetFirstFunction(m->module);

	for (; f; f = LLVMGetNextFunction(f))
		if (!scalar)
			LLVMRemoveEnumAttributeAtIndex(f,
				LLVMAttributeFunctionIndex, kind);
		else if (!LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
				attribute);
}

/* Run the pipeline on the module; an error, which the caller consumes, or NULL.
 */
static LLVMErrorRef run(struct nvptx_module *m)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMBool vectorize = m->opt.device == NVPTX_HOST;
	bool scalar = !vectorize && is_scalar(m);
	LLVMErrorRef error;

	LLVMPassBuilderOptionsSetLoopVectorization(o, vectorize);
	LLVMPassBuilderOptionsSetLoopInterleaving(o, vectorize);
	LLVMPassBuilderOptionsSetSLPVectorization(o, vectorize);
	if (scalar)
		keep_scalar(m, true);
	error = LLVMRunPasses(m->module, "default<O3>", m->tm, o);
	if (scalar)
		keep_scalar(m, false);
	LLVMDisposePassBuilderOptions(o);
	return error;
}

isl_stat nvptx_opt(struct nvptx_module *m, struct poly_report *report)
{
	int n_error = report->n_error;
	LLVMErrorRef error;
	char *text;

	if (m->opt.device == NVPTX_HOST && m->opt.portable)
		nvptx_make_portable(m);
	if (m->opt.device == NVPTX_GPU) {
		nvptx_bound_threads(m);
		nvptx_part_accesses(m);
	}
	nvptx_listen(m, report);
	error = run(m);
	nvptx_listen(m, NULL);
	free(m->tree);
	m->tree = NULL;
	if (error) {
		text = LLVMGetErrorMessage(error);
		poly_report_add(report, MSG_NVPTX_LLVM, NULL, text);
		LLVMDisposeErrorMessage(text);
	}
	if (report->n_error > n_error)
		return isl_stat_error;
	if (m->opt.device == NVPTX_GPU) {
		nvptx_share_bases(m);
		nvptx_join_divisions(m);
		nvptx_lift_loads(m);
		nvptx_part_packed_sums(m);
		nvptx_part_min_max(m);
		nvptx_hide_negations(m);
		nvptx_hide_multiples(m);
		nvptx_hide_bit_tests(m);
		nvptx_hide_float_bits(m);
	}
	return nvptx_verify(m, report);
}
