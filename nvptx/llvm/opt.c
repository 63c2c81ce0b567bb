/* nvptx: LLVM's own optimisations.
 *
 * The pipeline is default<O3>. On a GPU the vectorisers are off: a thread is
 * one lane already, and packing its register tile into vectors only adds
 * moves. No pass may change a floating-point result, since no instruction
 * carries fast-math flags that would let it.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"

isl_stat nvptx_verify(struct nvptx_module *m, struct poly_report *report)
{
	char *text = NULL;
	bool bad = LLVMVerifyModule(m->module, LLVMReturnStatusAction, &text);

	if (bad)
		poly_report_add(report, MSG_NVPTX_INVALID, NULL, text);
	LLVMDisposeMessage(text);
	return bad ? isl_stat_error : isl_stat_ok;
}

static LLVMErrorRef run(struct nvptx_module *m)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMBool vectorize = m->opt.device == NVPTX_HOST;
	LLVMErrorRef error;

	LLVMPassBuilderOptionsSetLoopVectorization(o, vectorize);
	LLVMPassBuilderOptionsSetLoopInterleaving(o, vectorize);
	LLVMPassBuilderOptionsSetSLPVectorization(o, vectorize);
	error = LLVMRunPasses(m->module, "default<O3>", m->tm, o);
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
		nvptx_part_min_max(m);
		nvptx_hide_negations(m);
		nvptx_hide_float_bits(m);
	}
	return nvptx_verify(m, report);
}
