/* nvptx: warpgroup matrix instructions, which no intrinsic has: inline assembly whose
 * results are the registers of its first operands.
 *
 *	wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {$0, .. $63}, $128, $129,
 *		p, 1, 1, 0, 1;		"=f,..,0,1,..,l,l"
 *
 * Signs (1, 1) are of floats alone, and which operands are turned (0, 1) of those of
 * 16 bits.
 *
 * The wait has all accumulators as operands, so that nothing which reads them moves
 * above it.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

/* Registers of a thread that hold a sum; rows and bytes of steps of an instruction. */
enum { MOST = 128, M = 64, STEP_BYTES = 32 };

/* "=f,=f,..,0,1,..": "n" registers of the type of "sum", in place; "=r" of integers. */
static void add_in_place(struct poly_str *s, LLVMValueRef sum, int n)
{
	bool is_int = LLVMGetTypeKind(LLVMTypeOf(sum)) == LLVMIntegerTypeKind;

	for (int i = 0; i < n; i++)
		poly_str_add(s, is_int ? "=r," : "=f,");
	for (int i = 0; i < n; i++)
		poly_str_printf(s, "%d,", i);
}

/* Call the assembly "text" with "constraint" on the "n" registers of "c", in place,
 * and on "n_more" operands.
 */
static void call(struct nvptx_ir *ir, struct poly_str *text,
	struct poly_str *constraint, LLVMValueRef *sum, int n,
	const LLVMValueRef *more, int n_more)
{
	static const char convergent[] = "convergent";
	LLVMTypeRef result[MOST], type, param[MOST + 2];
	LLVMValueRef arg[MOST + 2], fn, all;

	if (text->failed || constraint->failed) {
		nvptx_fail(ir, LLVMTypeOf(sum[0]), "out of memory");
		return;
	}
	for (int i = 0; i < n + n_more; i++) {
		arg[i] = i < n ? sum[i] : more[i - n];
		param[i] = LLVMTypeOf(arg[i]);
	}
	for (int i = 0; i < n; i++)
		result[i] = LLVMTypeOf(sum[i]);
	type = LLVMFunctionType(LLVMStructTypeInContext(ir->m->ctx, result, n,
		0), param, n + n_more, 0);
	fn = LLVMGetInlineAsm(type, text->s, text->len, constraint->s,
		constraint->len, 1, 0, LLVMInlineAsmDialectATT, 0);
	all = LLVMBuildCall2(ir->b, type, fn, arg, n + n_more, "");
	LLVMAddCallSiteAttribute(all,
		(LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(ir->m->ctx,
		LLVMGetEnumAttributeKindForName(convergent,
		sizeof(convergent) - 1), 0));
	for (int i = 0; i < n; i++)
		sum[i] = LLVMBuildExtractValue(ir->b, all, i, "");
}

void nvptx_wgmma(struct nvptx_ir *ir, const enum poly_type type[2],
	LLVMValueRef *sum, int n, const LLVMValueRef operand[2],
	const bool trans[2])
{
	static const char *const name[POLY_N_TYPE] = {
		[POLY_I8] = "s8", [POLY_U8] = "u8", [POLY_F8E4M3] = "e4m3",
		[POLY_F8E5M2] = "e5m2", [POLY_F16] = "f16", [POLY_BF16] = "bf16",
		[POLY_TF32] = "tf32",
	};
	struct poly_str text = { 0 }, constraint = { 0 };
	bool is_float = poly_type_is_float(type[0]);
	int size = poly_type_size(type[0]);

	poly_str_printf(&text, "{ .reg .pred p; setp.eq.u32 p, 0, 0; "
		"wgmma.mma_async.sync.aligned.m%dn%dk%d.%s.%s.%s {", M, 2 * n,
		STEP_BYTES / size, is_float ? "f32" : "s32", name[type[0]],
		name[type[1]]);
	for (int i = 0; i < n; i++)
		poly_str_printf(&text, "%s$%d", i ? "," : "", i);
	poly_str_printf(&text, "}, $%d, $%d, p", 2 * n, 2 * n + 1);
	if (is_float)
		poly_str_add(&text, ", 1, 1");
	if (size == 2)
		poly_str_printf(&text, ", %d, %d", trans[0], trans[1]);
	poly_str_add(&text, "; }");
	add_in_place(&constraint, sum[0], n);
	poly_str_add(&constraint, "l,l,~{memory}");
	call(ir, &text, &constraint, sum, n, operand, 2);
	poly_str_free(&text);
	poly_str_free(&constraint);
}

/* Run "instruction", perhaps none, when "c" are in registers and nothing uses them. */
static void at_all(struct nvptx_ir *ir, const char *instruction,
	LLVMValueRef *sum, int n)
{
	struct poly_str text = { 0 }, constraint = { 0 };

	poly_str_add(&text, instruction);
	add_in_place(&constraint, sum[0], n);
	poly_str_add(&constraint, "~{memory}");
	call(ir, &text, &constraint, sum, n, NULL, 0);
	poly_str_free(&text);
	poly_str_free(&constraint);
}

void nvptx_wgmma_hold(struct nvptx_ir *ir, LLVMValueRef *sum, int n)
{
	at_all(ir, "", sum, n);
}

void nvptx_wgmma_wait(struct nvptx_ir *ir, LLVMValueRef *sum, int n)
{
	at_all(ir, "wgmma.wait_group.sync.aligned 0;", sum, n);
}
