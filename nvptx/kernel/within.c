/* nvptx: kernels that look for elements of an array that are not what the program assumes.
 *
 *	void id$within(at, n, low, high, all, first, found)
 *
 * The "all" threads of the launch go over the "n" elements from address "at" on. Each one
 * that is below "low" or above "high" has a number, its place behind "at" and "first" others, and the
 * least of these numbers gets to the word at "found", which is the greatest there is at first. No step of the plan runs such a launch: who checks the arguments
 * of a program does (runtime/image/within.c).
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

enum { AT, N, LOW, HIGH, ALL, FIRST, FOUND, N_ARG };
enum { THREADS = 256, GLOBAL = 1 };

/* Add the function of "launch", for a GPU. */
static void gpu_function(struct nvptx_ir *ir, const struct nvptx_launch *launch)
{
	LLVMTypeRef type[N_ARG];
	struct poly_str block = { 0 };

	for (int i = 0; i < N_ARG; i++)
		type[i] = nvptx_i64(ir);
	ir->fn = LLVMAddFunction(ir->m->module, launch->kernel, LLVMFunctionType(
		LLVMVoidTypeInContext(ir->m->ctx), type, N_ARG, 0));
	LLVMSetFunctionCallConv(ir->fn, LLVMPTXKernelCallConv);
	poly_str_printf(&block, "%d,1,1", THREADS);
	LLVMAddTargetDependentFunctionAttr(ir->fn, "nvvm.reqntid", block.s ? block.s :
		"");
	poly_str_free(&block);
}

/* The value of argument "k". */
static LLVMValueRef argument(struct nvptx_ir *ir, int k)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(ir->m->ctx, 0);
	LLVMValueRef at = nvptx_int(ir, k), v;

	if (ir->m->opt.device == NVPTX_GPU)
		return LLVMGetParam(ir->fn, (unsigned) k);
	v = LLVMBuildInBoundsGEP2(ir->b, ptr, LLVMGetParam(ir->fn, 1), &at, 1, "");
	return LLVMBuildLoad2(ir->b, nvptx_i64(ir), LLVMBuildLoad2(ir->b, ptr, v, ""), "");
}

/* Argument "k", an address. */
static LLVMValueRef address(struct nvptx_ir *ir, int k)
{
	bool gpu = ir->m->opt.device == NVPTX_GPU;

	return LLVMBuildIntToPtr(ir->b, argument(ir, k), LLVMPointerTypeInContext(
		ir->m->ctx, gpu ? GLOBAL : 0), "");
}

/* Is the element "v" of type "t" one of those from "low" to "high"? Numbers from 2^63 on
 * are above all of them.
 */
static LLVMValueRef is_within(struct nvptx_ir *ir, enum poly_type t, LLVMValueRef v,
	LLVMValueRef low, LLVMValueRef high)
{
	bool is_signed = poly_type_class(t) == POLY_CLASS_INT;
	LLVMValueRef wide = is_signed ? LLVMBuildSExt(ir->b, v, nvptx_i64(ir), "") :
		LLVMBuildZExt(ir->b, v, nvptx_i64(ir), "");
	LLVMValueRef in = LLVMBuildAnd(ir->b, LLVMBuildICmp(ir->b, LLVMIntSGE, wide, low,
		""), LLVMBuildICmp(ir->b, LLVMIntSLE, wide, high, ""), "");

	if (is_signed)
		return in;
	return LLVMBuildAnd(ir->b, in, LLVMBuildICmp(ir->b, LLVMIntSGE, wide,
		LLVMConstNull(nvptx_i64(ir)), ""), "");
}

/* Tell that element "i" is none of those that are assumed. */
static void tell(struct nvptx_ir *ir, LLVMValueRef i)
{
	const char *scope = ir->m->opt.device == NVPTX_GPU ? "device" : "";

	LLVMBuildAtomicRMWSyncScope(ir->b, LLVMAtomicRMWBinOpUMin, address(ir, FOUND),
		LLVMBuildAdd(ir->b, i, argument(ir, FIRST), ""),
		LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(ir->m->ctx, scope,
		strlen(scope)));
}

/* The code of the kernel for elements of type "t". */
static void body(struct nvptx_ir *ir, enum poly_type t)
{
	LLVMTypeRef i64 = nvptx_i64(ir), type = LLVMIntTypeInContext(ir->m->ctx,
		8 * (unsigned) poly_type_size(t));
	LLVMValueRef at = address(ir, AT), n = argument(ir, N), v, begin;
	LLVMValueRef low = argument(ir, LOW), high = argument(ir, HIGH);
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	begin = LLVMBuildMul(ir->b, nvptx_extend(ir, nvptx_hw(ir, NVPTX_HW_CTAID_X, NULL,
		0, ""), i64), LLVMConstInt(i64, THREADS, 0), "");
	begin = LLVMBuildAdd(ir->b, begin, nvptx_extend(ir, nvptx_hw(ir, NVPTX_HW_TID_X,
		NULL, 0, ""), i64), "");
	nvptx_loop_begin(ir, &loop, "i", begin, argument(ir, ALL));
	nvptx_loop_body(ir, &loop, LLVMBuildICmp(ir->b, LLVMIntSLT, loop.i, n, ""));
	v = LLVMBuildLoad2(ir->b, type, nvptx_element(ir, type, at, loop.i), "");
	nvptx_if_begin(ir, &branch, LLVMBuildNot(ir->b, is_within(ir, t, v, low, high),
		""), "outside");
	tell(ir, loop.i);
	nvptx_if_end(ir, &branch);
	nvptx_loop_end(ir, &loop, 0);
	LLVMBuildRetVoid(ir->b);
}

/* Add the kernel for array "i" of the plan. */
static void add(struct nvptx_lower *l, int i)
{
	struct nvptx_launch *launch = nvptx_plan_look(l, i, N_ARG);

	if (!launch) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return;
	}
	launch->thread[1] = THREADS;
	if (l->ir->m->opt.device == NVPTX_GPU)
		gpu_function(l->ir, launch);
	else
		nvptx_host_function(l->ir, launch);
	LLVMPositionBuilderAtEnd(l->ir->b, nvptx_block(l->ir, "entry"));
	nvptx_debug_kernel(l->ir, launch->kernel, NULL);
	body(l->ir, l->ir->m->plan.array[i].type);
	nvptx_range_clear(l->ir);
	l->ir->n_seen = 0;
}

void nvptx_within(struct nvptx_lower *l)
{
	const struct nvptx_plan *plan = &l->ir->m->plan;

	for (int i = 0; i < plan->n_array && !l->ir->failed && !l->ir->m->opt.wide; i++)
		if (plan->array[i].within[0].n)
			add(l, i);
}
