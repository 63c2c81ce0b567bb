/* nvptx: small pieces of LLVM IR that every part of the lowering needs:
 * index arithmetic that leaves out neutral operands, loops and branches with
 * readable block names, and the LLVM types of element types.
 */
#include <string.h>

#include "nvptx/nvptx_internal.h"

LLVMTypeRef nvptx_i32(struct nvptx_lower *l)
{
	return LLVMInt32TypeInContext(l->m->ctx);
}

LLVMTypeRef nvptx_i64(struct nvptx_lower *l)
{
	return LLVMInt64TypeInContext(l->m->ctx);
}

LLVMValueRef nvptx_int(struct nvptx_lower *l, int64_t value)
{
	return LLVMConstInt(nvptx_i32(l), (unsigned long long) value, 1);
}

static bool is_const(LLVMValueRef v, int64_t value)
{
	return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == value;
}

LLVMValueRef nvptx_add(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b,
	const char *name)
{
	if (is_const(a, 0))
		return b;
	if (is_const(b, 0))
		return a;
	if (l->m->opt.checked)
		return LLVMBuildAdd(l->b, a, b, name);
	return LLVMBuildNSWAdd(l->b, a, b, name);
}

LLVMValueRef nvptx_sub(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(b, 0))
		return a;
	if (l->m->opt.checked)
		return LLVMBuildSub(l->b, a, b, "");
	return LLVMBuildNSWSub(l->b, a, b, "");
}

LLVMValueRef nvptx_mul(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(a, 1))
		return b;
	if (is_const(b, 1))
		return a;
	if (l->m->opt.checked)
		return LLVMBuildMul(l->b, a, b, "");
	return LLVMBuildNSWMul(l->b, a, b, "");
}

/* A shift where "d" is a power of two; else division truncates, so one less
 * where it leaves a negative remainder.
 */
LLVMValueRef nvptx_floor_div(struct nvptx_lower *l, LLVMValueRef a, int64_t d)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef by = LLVMConstInt(type, (unsigned long long) d, 1);
	LLVMValueRef zero = LLVMConstNull(type);
	LLVMValueRef q, r, below;

	if (d == 1)
		return a;
	if ((d & (d - 1)) == 0)
		return LLVMBuildAShr(l->b, a, LLVMConstInt(type,
			(unsigned) __builtin_ctzll((uint64_t) d), 0), "");
	q = LLVMBuildSDiv(l->b, a, by, "");
	r = LLVMBuildSRem(l->b, a, by, "");
	below = LLVMBuildICmp(l->b, LLVMIntSLT, r, zero, "");
	return LLVMBuildAdd(l->b, q, LLVMBuildSExt(l->b, below, type, ""), "");
}

LLVMValueRef nvptx_intrinsic(struct nvptx_lower *l, const char *name,
	LLVMValueRef *arg, int n_arg)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef over = LLVMTypeOf(arg[0]);
	LLVMValueRef fn;
	LLVMTypeRef type;

	fn = LLVMGetIntrinsicDeclaration(l->m->module, id, &over, 1);
	type = LLVMIntrinsicGetType(l->m->ctx, id, &over, 1);
	return LLVMBuildCall2(l->b, type, fn, arg, n_arg, "");
}

LLVMBasicBlockRef nvptx_block(struct nvptx_lower *l, const char *name)
{
	return LLVMAppendBasicBlockInContext(l->m->ctx, l->fn, name);
}

/* The block "PREFIX.NAME", or "PREFIX" behind it when "name" is empty. */
static LLVMBasicBlockRef named_block(struct nvptx_lower *l, const char *prefix,
	const char *name, const char *suffix)
{
	struct poly_str s = { 0 };
	LLVMBasicBlockRef block;

	poly_str_printf(&s, "%s%s%s", prefix, name, suffix);
	block = nvptx_block(l, s.s ? s.s : "");
	poly_str_free(&s);
	return block;
}

void nvptx_loop_begin(struct nvptx_lower *l, struct nvptx_loop *loop,
	const char *name, LLVMValueRef init, LLVMValueRef step)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->b);

	loop->name = name;
	loop->step = step;
	loop->head = named_block(l, "for.", name, "");
	loop->exit = NULL;
	LLVMBuildBr(l->b, loop->head);
	LLVMPositionBuilderAtEnd(l->b, loop->head);
	loop->i = LLVMBuildPhi(l->b, nvptx_i32(l), name);
	LLVMAddIncoming(loop->i, &init, &from, 1);
}

void nvptx_loop_body(struct nvptx_lower *l, struct nvptx_loop *loop,
	LLVMValueRef cond)
{
	LLVMBasicBlockRef body = named_block(l, "for.", loop->name, ".body");

	loop->exit = named_block(l, "for.", loop->name, ".end");
	LLVMBuildCondBr(l->b, cond, body, loop->exit);
	LLVMPositionBuilderAtEnd(l->b, body);
}

/* "!{distinct self, !{!"llvm.loop.unroll.full"}}" on the back edge. */
static void unroll_full(struct nvptx_lower *l, LLVMValueRef branch)
{
	static const char text[] = "llvm.loop.unroll.full";
	LLVMContextRef c = l->m->ctx;
	LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0);
	LLVMMetadataRef name = LLVMMDStringInContext2(c, text, strlen(text));
	LLVMMetadataRef op[2] = { self, LLVMMDNodeInContext2(c, &name, 1) };
	LLVMMetadataRef node = LLVMMDNodeInContext2(c, op, 2);

	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c, "llvm.loop", 9),
		LLVMMetadataAsValue(c, node));
}

void nvptx_loop_end(struct nvptx_lower *l, struct nvptx_loop *loop,
	bool unroll)
{
	LLVMValueRef next = nvptx_add(l, loop->i, loop->step, "");
	LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
	LLVMValueRef branch = LLVMBuildBr(l->b, loop->head);

	LLVMAddIncoming(loop->i, &next, &latch, 1);
	if (unroll)
		unroll_full(l, branch);
	LLVMMoveBasicBlockAfter(loop->exit, latch);
	LLVMPositionBuilderAtEnd(l->b, loop->exit);
}

void nvptx_if_begin(struct nvptx_lower *l, struct nvptx_branch *branch,
	LLVMValueRef cond, const char *name)
{
	LLVMBasicBlockRef then = nvptx_block(l, name);

	branch->from = LLVMGetInsertBlock(l->b);
	branch->join = named_block(l, name, ".end", "");
	LLVMBuildCondBr(l->b, cond, then, branch->join);
	LLVMPositionBuilderAtEnd(l->b, then);
}

void nvptx_if_end(struct nvptx_lower *l, struct nvptx_branch *branch)
{
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->b);

	LLVMBuildBr(l->b, branch->join);
	LLVMMoveBasicBlockAfter(branch->join, last);
	LLVMPositionBuilderAtEnd(l->b, branch->join);
}

LLVMValueRef nvptx_if_value(struct nvptx_lower *l,
	const struct nvptx_branch *branch, LLVMBasicBlockRef then_block,
	LLVMValueRef then, LLVMValueRef other, const char *name)
{
	LLVMValueRef value[2] = { then, other };
	LLVMBasicBlockRef from[2] = { then_block, branch->from };
	LLVMValueRef phi = LLVMBuildPhi(l->b, LLVMTypeOf(then), name);

	LLVMAddIncoming(phi, value, from, 2);
	return phi;
}

LLVMTypeRef nvptx_value_type(struct nvptx_lower *l, enum poly_type t)
{
	LLVMContextRef c = l->m->ctx;

	if (l->m->opt.wide && poly_type_is_float(t))
		return LLVMDoubleTypeInContext(c);
	switch (t) {
	case POLY_I8:
		return LLVMInt8TypeInContext(c);
	case POLY_I32:
		return LLVMInt32TypeInContext(c);
	case POLY_F16:
		return l->m->opt.device == NVPTX_GPU ?
			LLVMHalfTypeInContext(c) : LLVMInt16TypeInContext(c);
	case POLY_BF16:
		return l->m->opt.device == NVPTX_GPU ?
			LLVMBFloatTypeInContext(c) : LLVMInt16TypeInContext(c);
	case POLY_F32:
		return LLVMFloatTypeInContext(c);
	default:
		return LLVMDoubleTypeInContext(c);
	}
}

LLVMTypeRef nvptx_memory_type(struct nvptx_lower *l, enum poly_type t)
{
	LLVMTypeRef pair[2];

	if (!l->m->opt.wide)
		return nvptx_value_type(l, t);
	pair[0] = pair[1] = LLVMDoubleTypeInContext(l->m->ctx);
	return LLVMStructTypeInContext(l->m->ctx, pair, 2, 0);
}
