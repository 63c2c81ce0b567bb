/* nvptx: the hardware table as code.
 *
 * Every operation has two forms; nvptx_hw emits the one of the module's
 * device. "barrier" becomes
 *
 *	GPU:	call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
 *	host:	call void @cetane_host_barrier(ptr %t, i32 0)
 *
 * and "tid.x" a special register or the field tid[0] of the thread.
 *
 * A row of hw.def has both forms, and the compute capability from which the
 * first exists. The passes ask nothing here: whoever emits knows the
 * operation's id alone.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"

/* how the GPU's form is emitted: an intrinsic, inline assembly, shared memory,
 * a conversion, and so on
 */
enum form { INTRINSIC, ASM, ARRAY, FPTRUNC, FPEXT, FENCE, HIDE, HERE, AT, NONE };

/* A row of hw.def, which explains the columns. */
struct row {
	int cc;
	enum form form;
	const char *nvptx, *host;
	unsigned offset;
	const char *sig, *attr;
};

static const struct row table[NVPTX_N_HW] = {
#define HW(id, cc, form, nvptx, host, offset, sig, attr) \
	[NVPTX_HW_##id] = { cc, form, nvptx, host, offset, sig, attr },
#include "nvptx/llvm/hw.def"
#undef HW
};

/* LLVM's type for a letter of a signature of hw.def.
 *
 * The letters are explained in hw.def.
 */
static LLVMTypeRef sig_type(struct nvptx_ir *ir, char letter)
{
	LLVMContextRef ctx = ir->m->ctx;

	switch (letter) {
	case 'v':
		return LLVMVoidTypeInContext(ctx);
	case 'l':
		return LLVMInt64TypeInContext(ctx);
	case 'h':
		return LLVMInt16TypeInContext(ctx);
	case 'b':
		return LLVMInt8TypeInContext(ctx);
	case 'f':
		return LLVMFloatTypeInContext(ctx);
	case 'p':
	case 't':
		return LLVMPointerTypeInContext(ctx, 0);
	default:
		return LLVMInt32TypeInContext(ctx);
	}
}

/* 0 for attributes without a value. */
static LLVMAttributeRef attribute(struct nvptx_ir *ir, const char *name,
	uint64_t value)
{
	return LLVMCreateEnumAttribute(ir->m->ctx,
		LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

static void add_attribute(struct nvptx_ir *ir, LLVMValueRef fn,
	const char *name, uint64_t value)
{
	LLVMAddAttributeAtIndex(fn,
		(LLVMAttributeIndex) LLVMAttributeFunctionIndex,
		attribute(ir, name, value));
}

/* The type of the function that an operation is on the host device.
 *
 * Behind the result's letter, one for each parameter.
 */
static LLVMTypeRef host_type(struct nvptx_ir *ir, const struct row *row)
{
	LLVMTypeRef param[10];
	int n = 0;

	for (const char *s = row->sig + 1; *s; s++)
		param[n++] = sig_type(ir, *s);
	return LLVMFunctionType(sig_type(ir, row->sig[0]), param, n, 0);
}

/* That function, declared once; a "pure" one reads and writes nothing.
 *
 * "pure" functions may be moved and merged, "convergent" ones must not change
 * the threads that call them together.
 */
static LLVMValueRef host_function(struct nvptx_ir *ir, const struct row *row,
	LLVMTypeRef type)
{
	LLVMValueRef fn = LLVMGetNamedFunction(ir->m->module, row->host);

	if (fn)
		return fn;
	fn = LLVMAddFunction(ir->m->module, row->host, type);
	add_attribute(ir, fn, "nounwind", 0);
	if (!strcmp(row->attr, "convergent"))
		add_attribute(ir, fn, "convergent", 0);
	if (!strcmp(row->attr, "pure")) {
		add_attribute(ir, fn, "memory", 0);
		add_attribute(ir, fn, "willreturn", 0);
	}
	return fn;
}

/* Call it; the thread, where the function wants it, comes first.
 *
 * A function that wants the thread has 't' as its first parameter.
 */
static LLVMValueRef emit_call(struct nvptx_ir *ir, const struct row *row,
	LLVMValueRef *arg, int n_arg, const char *name)
{
	LLVMTypeRef type = host_type(ir, row);
	LLVMValueRef fn = host_function(ir, row, type);
	LLVMValueRef call[10];
	int n = 0;

	if (row->sig[1] == 't')
		call[n++] = ir->thread;
	for (int i = 0; i < n_arg; i++)
		call[n++] = arg[i];
	return LLVMBuildCall2(ir->b, type, fn, call, n,
		row->sig[0] == 'v' ? "" : name);
}

/* The fields never change while a kernel runs, so barriers do not force
 * another load.
 *
 * invariant.load: LLVM may use the first load for all.
 */
static LLVMValueRef emit_field(struct nvptx_ir *ir, const struct row *row,
	const char *name)
{
	LLVMValueRef offset = nvptx_int(ir, row->offset);
	LLVMTypeRef byte = LLVMInt8TypeInContext(ir->m->ctx);
	LLVMValueRef at, load;
	unsigned kind;

	at = LLVMBuildInBoundsGEP2(ir->b, byte, ir->thread, &offset, 1, "");
	load = LLVMBuildLoad2(ir->b, sig_type(ir, row->sig[0]), at, name);
	kind = LLVMGetMDKindIDInContext(ir->m->ctx, "invariant.load", 14);
	LLVMSetMetadata(load, kind, LLVMMetadataAsValue(ir->m->ctx,
		LLVMMDNodeInContext2(ir->m->ctx, NULL, 0)));
	return load;
}

/* The shared memory of a block: an array of bytes whose length the launch says.
 *
 * Aligned to 1024 bytes, as swizzled buffers want it; the length is 0, as PTX's
 * dynamic shared memory has none.
 */
static LLVMValueRef emit_array(struct nvptx_ir *ir, const struct row *row)
{
	LLVMValueRef g = LLVMGetNamedGlobal(ir->m->module, row->nvptx);
	LLVMTypeRef byte = LLVMInt8TypeInContext(ir->m->ctx);

	if (g)
		return g;
	g = LLVMAddGlobalInAddressSpace(ir->m->module, LLVMArrayType2(byte, 0),
		row->nvptx, 3);
	LLVMSetLinkage(g, LLVMExternalLinkage);
	LLVMSetAlignment(g, 1024);
	return g;
}

/* Not overloaded: the table has full names. */
static LLVMValueRef call_intrinsic(LLVMModuleRef module, LLVMBuilderRef b,
	const struct row *row, LLVMValueRef *arg, int n_arg, const char *name)
{
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module,
		LLVMLookupIntrinsicID(row->nvptx, strlen(row->nvptx)), NULL, 0);

	return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, arg, n_arg,
		row->sig[0] == 'v' ? "" : name);
}

/* 1/x in f32: an estimate of the hardware and one Newton step, start * (2 - x *
 * start), as two fused operations.
 */
LLVMValueRef nvptx_hw_inverse(LLVMModuleRef module, LLVMBuilderRef b,
	LLVMValueRef x)
{
	LLVMValueRef start = call_intrinsic(module, b, &table[NVPTX_HW_INVERSE], &x, 1,
		"");
	LLVMValueRef rest[3] = { LLVMBuildFNeg(b, x, ""), start,
		LLVMConstReal(LLVMTypeOf(x), 1) }, sum[3] = { start, NULL, start };

	sum[1] = nvptx_build_intrinsic(module, b, "llvm.fma", rest, 3);
	return nvptx_build_intrinsic(module, b, "llvm.fma", sum, 3);
}

LLVMValueRef nvptx_hw_approximate(LLVMModuleRef module, LLVMBuilderRef b,
	enum nvptx_hw op, LLVMValueRef x)
{
	return table[op].form == AT ? nvptx_build_intrinsic(module, b,
		table[op].nvptx, &x, 1) : call_intrinsic(module, b, &table[op], &x,
		1, "");
}

static LLVMTypeRef float_type(struct nvptx_ir *ir, const char *name)
{
	if (!strcmp(name, "half"))
		return LLVMHalfTypeInContext(ir->m->ctx);
	if (!strcmp(name, "bfloat"))
		return LLVMBFloatTypeInContext(ir->m->ctx);
	return LLVMFloatTypeInContext(ir->m->ctx);
}

/* The instructions of "row" with the registers of "arg" as operands.
 *
 * Pointers to generic or global memory take 64-bit registers ("l"), those to
 * shared memory and integers 32 ("r"). "~{memory}" keeps other accesses on
 * their side.
 */
static LLVMValueRef emit_asm(struct nvptx_ir *ir, const struct row *row,
	LLVMValueRef *arg, int n_arg)
{
	struct poly_str constraint = { 0 };
	LLVMTypeRef type, param[9];
	LLVMValueRef fn, call;

	if (row->sig[0] != 'v')
		poly_str_add(&constraint, "=r,");
	for (int i = 0; i < n_arg; i++) {
		param[i] = LLVMTypeOf(arg[i]);
		poly_str_add(&constraint, LLVMGetTypeKind(param[i]) ==
			LLVMPointerTypeKind &&
			LLVMGetPointerAddressSpace(param[i]) != 3 ? "l," :
			"r,");
	}
	poly_str_add(&constraint, "~{memory}");
	type = LLVMFunctionType(sig_type(ir, row->sig[0]), param, n_arg, 0);
	if (constraint.failed)
		return nvptx_fail(ir, sig_type(ir, row->sig[0]),
			"out of memory");
	fn = LLVMGetInlineAsm(type, row->nvptx, strlen(row->nvptx),
		constraint.s, constraint.len, 1, 0, LLVMInlineAsmDialectATT, 0);
	poly_str_free(&constraint);
	call = LLVMBuildCall2(ir->b, type, fn, arg, n_arg, "");
	if (!strcmp(row->attr, "convergent"))
		LLVMAddCallSiteAttribute(call,
			(LLVMAttributeIndex) LLVMAttributeFunctionIndex,
			attribute(ir, "convergent", 0));
	return call;
}

/* Inline assembly of which LLVM does not know that it does nothing.
 *
 * Nothing is emitted into PTX; only LLVM's reordering stops.
 */
static LLVMValueRef emit_fence(struct nvptx_ir *ir)
{
	static const char clobber[] = "~{memory}";
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ir->m->ctx),
		NULL, 0, 0);
	LLVMValueRef fn = LLVMGetInlineAsm(type, "", 0, clobber,
		sizeof(clobber) - 1, 1, 0, LLVMInlineAsmDialectATT, 0);

	return LLVMBuildCall2(ir->b, type, fn, NULL, 0, "");
}

/* "v", of which LLVM does not know that inline assembly has left it as it was; "same"
 * are the constraints. If it "stays" LLVM does not know, either, that it could be had
 * elsewhere.
 *
 * The result is the operand, in the same register.
 */
static LLVMValueRef emit_same(struct nvptx_ir *ir, LLVMValueRef v,
	const char *same, bool stays, const char *name)
{
	LLVMTypeRef of = LLVMTypeOf(v), type = LLVMFunctionType(of, &of, 1, 0);
	LLVMValueRef fn = LLVMGetInlineAsm(type, "", 0, same, strlen(same),
		stays, 0, LLVMInlineAsmDialectATT, 0);

	return LLVMBuildCall2(ir->b, type, fn, &v, 1, name);
}

/* The constraints of a value of "type" that stays in its register; NULL: none.
 *
 * By the letters of LLVM's NVPTX constraints.
 */
static const char *in_place(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMFloatTypeKind:
		return "=f,0";
	case LLVMDoubleTypeKind:
		return "=d,0";
	case LLVMPointerTypeKind:
		return "=l,0";
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 64 ? "=l,0" :
			LLVMGetIntTypeWidth(type) == 32 ? "=r,0" :
			LLVMGetIntTypeWidth(type) == 1 ? "=b,0" : NULL;
	default:
		return NULL;
	}
}

/* "v" with nothing known of it, where it has a register of its own.
 *
 * What has no register of its own, as a vector, stays known.
 */
static LLVMValueRef emit_hidden(struct nvptx_ir *ir, LLVMValueRef v,
	const char *name)
{
	const char *same = in_place(LLVMTypeOf(v));

	return same ? emit_same(ir, v, same, false, name) : v;
}

/* Emit the operation "row" in its form on a GPU, for a target that has it.
 *
 * A target that lacks the operation is an error of whoever chose it: passes ask
 * the target first.
 */
static LLVMValueRef emit_nvptx(struct nvptx_ir *ir, const struct row *row,
	LLVMValueRef *arg, int n_arg, const char *name)
{
	if (ir->m->opt.target && ir->m->opt.target->cc < row->cc)
		return nvptx_fail(ir, row->sig[0] == 'v' ? nvptx_i32(ir) :
			sig_type(ir, row->sig[0]),
			"the target lacks a hardware operation");
	switch (row->form) {
	case INTRINSIC:
		return call_intrinsic(ir->m->module, ir->b, row, arg, n_arg,
			name);
	case ASM:
		return emit_asm(ir, row, arg, n_arg);
	case ARRAY:
		return emit_array(ir, row);
	case AT:
		return nvptx_intrinsic(ir, row->nvptx, arg, n_arg);
	case FPTRUNC:
		return LLVMBuildFPTrunc(ir->b, arg[0],
			float_type(ir, row->nvptx), name);
	case FPEXT:
		return LLVMBuildFPExt(ir->b, arg[0],
			float_type(ir, row->nvptx), name);
	case FENCE:
		return emit_fence(ir);
	case HIDE:
		return emit_hidden(ir, arg[0], name);
	case HERE:
		return emit_same(ir, arg[0], "=r,0", true, name);
	default:
		return nvptx_fail(ir, sig_type(ir, row->sig[0]),
			"a hardware operation has no GPU form");
	}
}

/* NULL for operations that are nothing on the host device, as a fence is. */
LLVMValueRef nvptx_hw(struct nvptx_ir *ir, enum nvptx_hw op,
	LLVMValueRef *arg, int n_arg, const char *name)
{
	const struct row *row = &table[op];

	if (ir->m->opt.device == NVPTX_GPU)
		return emit_nvptx(ir, row, arg, n_arg, name);
	if (row->form == FENCE || (row->host && !*row->host))
		return NULL;
	if (row->form == HIDE || row->form == HERE)
		return arg[0];
	if (row->host)
		return emit_call(ir, row, arg, n_arg, name);
	return emit_field(ir, row, name);
}

bool nvptx_hw_calls(LLVMValueRef v, enum nvptx_hw op)
{
	LLVMValueRef fn = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	size_t len;

	return fn && table[op].host &&
		!strcmp(LLVMGetValueName2(fn, &len), table[op].host);
}
