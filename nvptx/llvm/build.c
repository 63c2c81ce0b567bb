/* nvptx: small pieces of LLVM IR that every part of the lowering needs:
 * index arithmetic that leaves out neutral operands, loops and branches with
 * readable block names, and the LLVM types of element types.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

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

/* The value of "a op b" if it is at hand here, else NULL. */
static LLVMValueRef recall(struct nvptx_lower *l, int op, LLVMValueRef a,
	LLVMValueRef b)
{
	for (int i = l->n_seen - 1; i >= 0; i--)
		if (l->seen[i].op == op && l->seen[i].a == a &&
		    l->seen[i].b == b)
			return l->seen[i].value;
	return NULL;
}

static LLVMValueRef remember(struct nvptx_lower *l, int op, LLVMValueRef a,
	LLVMValueRef b, LLVMValueRef value)
{
	struct nvptx_known *seen = l->seen;

	if (l->n_seen == l->cap_seen) {
		int cap = l->cap_seen ? 2 * l->cap_seen : 64;

		seen = realloc(seen, cap * sizeof(*seen));
		if (!seen)
			return value;
		l->seen = seen;
		l->cap_seen = cap;
	}
	seen[l->n_seen++] = (struct nvptx_known) { op, a, b, value };
	return value;
}

static LLVMValueRef emit(struct nvptx_lower *l, LLVMOpcode op, LLVMValueRef a,
	LLVMValueRef b, bool no_wrap, const char *name)
{
	LLVMValueRef v = recall(l, op, a, b);

	if (v)
		return v;
	v = LLVMBuildBinOp(l->b, op, a, b, name);
	if (no_wrap && !l->m->opt.checked && LLVMIsAInstruction(v))
		LLVMSetNSW(v, 1);
	return remember(l, op, a, b, v);
}

LLVMValueRef nvptx_add(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b,
	const char *name)
{
	if (is_const(a, 0))
		return b;
	if (is_const(b, 0))
		return a;
	return emit(l, LLVMAdd, a, b, true, name);
}

LLVMValueRef nvptx_sub(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(b, 0))
		return a;
	return emit(l, LLVMSub, a, b, true, "");
}

LLVMValueRef nvptx_mul(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(a, 1) || is_const(b, 0))
		return b;
	if (is_const(b, 1) || is_const(a, 0))
		return a;
	return emit(l, LLVMMul, a, b, true, "");
}

LLVMValueRef nvptx_div(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef d)
{
	return emit(l, LLVMUDiv, a, d, false, "");
}

LLVMValueRef nvptx_mod(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef d)
{
	return emit(l, LLVMURem, a, d, false, "");
}

LLVMValueRef nvptx_compare(struct nvptx_lower *l, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b)
{
	int op = -(int) p;
	LLVMValueRef v = recall(l, op, a, b);

	return v ? v : remember(l, op, a, b,
		LLVMBuildICmp(l->b, p, a, b, ""));
}

LLVMValueRef nvptx_extend(struct nvptx_lower *l, LLVMValueRef a,
	LLVMTypeRef type)
{
	LLVMValueRef v;

	if (LLVMTypeOf(a) == type)
		return a;
	if (LLVMTypeOf(a) == nvptx_i64(l))
		return LLVMBuildTrunc(l->b, a, type, "");
	v = recall(l, LLVMSExt, a, NULL);
	return v ? v : remember(l, LLVMSExt, a, NULL,
		LLVMBuildSExt(l->b, a, type, ""));
}

LLVMValueRef nvptx_element(struct nvptx_lower *l, LLVMTypeRef type,
	LLVMValueRef base, LLVMValueRef index)
{
	LLVMValueRef v;

	if (is_const(index, 0))
		return base;
	v = recall(l, LLVMGetElementPtr, base, index);
	if (v)
		return v;
	v = l->m->opt.checked ?
		LLVMBuildGEP2(l->b, type, base, &index, 1, "") :
		LLVMBuildInBoundsGEP2(l->b, type, base, &index, 1, "");
	return remember(l, LLVMGetElementPtr, base, index, v);
}

/* A shift where "d" is a power of two; else division truncates, so one less
 * where it leaves a negative remainder.
 */
LLVMValueRef nvptx_floor_div(struct nvptx_lower *l, LLVMValueRef a, int64_t d)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef by = LLVMConstInt(type, (unsigned long long) d, 1);
	LLVMValueRef q, r, below;

	if (d == 1)
		return a;
	if ((d & (d - 1)) == 0) {
		by = LLVMConstInt(type, __builtin_ctzll((uint64_t) d), 0);
		return emit(l, LLVMAShr, a, by, false, "");
	}
	q = emit(l, LLVMSDiv, a, by, false, "");
	r = emit(l, LLVMSRem, a, by, false, "");
	below = nvptx_compare(l, LLVMIntSLT, r, LLVMConstNull(type));
	return nvptx_add(l, q, nvptx_extend(l, below, type), "");
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

/* A new block called "PREFIXNAMESUFFIX". */
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
	loop->i = LLVMBuildPhi(l->b, LLVMTypeOf(init), name);
	LLVMAddIncoming(loop->i, &init, &from, 1);
}

void nvptx_loop_body(struct nvptx_lower *l, struct nvptx_loop *loop,
	LLVMValueRef cond)
{
	LLVMBasicBlockRef body = named_block(l, "for.", loop->name, ".body");

	loop->exit = named_block(l, "for.", loop->name, ".end");
	LLVMBuildCondBr(l->b, cond, body, loop->exit);
	LLVMPositionBuilderAtEnd(l->b, body);
	loop->n_seen = l->n_seen;
}

/* "!{!"llvm.loop.unroll.full"}" or "!{!"llvm.loop.unroll.count", i32 8}" */
static LLVMMetadataRef unroll_hint(struct nvptx_lower *l, int unroll)
{
	const char *text = unroll == NVPTX_UNROLL_ALL ?
		"llvm.loop.unroll.full" : "llvm.loop.unroll.count";
	LLVMContextRef ctx = l->m->ctx;
	LLVMMetadataRef op[2] = {
		LLVMMDStringInContext2(ctx, text, strlen(text)),
		LLVMValueAsMetadata(nvptx_int(l, unroll)),
	};

	return LLVMMDNodeInContext2(ctx, op, unroll == NVPTX_UNROLL_ALL ? 1 : 2);
}

/* "!{distinct self, hint}" on the back edge. */
static void hint_unroll(struct nvptx_lower *l, LLVMValueRef branch, int unroll)
{
	LLVMContextRef ctx = l->m->ctx;
	LLVMMetadataRef self = LLVMTemporaryMDNode(ctx, NULL, 0);
	LLVMMetadataRef op[2] = { self, unroll_hint(l, unroll) };
	LLVMMetadataRef node = LLVMMDNodeInContext2(ctx, op, 2);

	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9),
		LLVMMetadataAsValue(ctx, node));
}

void nvptx_loop_end(struct nvptx_lower *l, struct nvptx_loop *loop,
	int unroll)
{
	LLVMValueRef next = nvptx_add(l, loop->i, loop->step, "");
	LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
	LLVMValueRef branch = LLVMBuildBr(l->b, loop->head);

	LLVMAddIncoming(loop->i, &next, &latch, 1);
	if (unroll)
		hint_unroll(l, branch, unroll);
	l->n_seen = loop->n_seen;
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
	branch->n_seen = l->n_seen;
}

void nvptx_if_end(struct nvptx_lower *l, struct nvptx_branch *branch)
{
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->b);

	LLVMBuildBr(l->b, branch->join);
	l->n_seen = branch->n_seen;
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

/* The type of a float; on the host device f16 and bf16 are their bits. */
static LLVMTypeRef float_type(struct nvptx_lower *l, enum poly_type t)
{
	LLVMContextRef ctx = l->m->ctx;

	if (l->m->opt.ring)
		return LLVMIntTypeInContext(ctx, 8 * poly_type_size(t));
	if (l->m->opt.wide || t == POLY_F64)
		return LLVMDoubleTypeInContext(ctx);
	if (t == POLY_F32)
		return LLVMFloatTypeInContext(ctx);
	if (l->m->opt.device == NVPTX_HOST)
		return LLVMInt16TypeInContext(ctx);
	return t == POLY_F16 ? LLVMHalfTypeInContext(ctx) :
		LLVMBFloatTypeInContext(ctx);
}

LLVMTypeRef nvptx_value_type(struct nvptx_lower *l, enum poly_type t)
{
	if (poly_type_is_float(t))
		return float_type(l, t);
	return LLVMIntTypeInContext(l->m->ctx, t == POLY_BOOL ? 1 :
		8 * poly_type_size(t));
}

LLVMTypeRef nvptx_memory_type(struct nvptx_lower *l, enum poly_type t)
{
	LLVMTypeRef pair[2];

	if (t == POLY_BOOL && !l->m->opt.wide)
		return LLVMInt8TypeInContext(l->m->ctx);
	if (!l->m->opt.wide)
		return nvptx_value_type(l, t);
	pair[0] = pair[1] = LLVMDoubleTypeInContext(l->m->ctx);
	return LLVMStructTypeInContext(l->m->ctx, pair, 2, 0);
}

LLVMValueRef nvptx_fail(struct nvptx_lower *l, LLVMTypeRef type,
	const char *what)
{
	if (!l->failed)
		poly_report_add(l->report, MSG_NVPTX_LOWER,
			l->stmt ? &l->stmt->loc : NULL, what);
	l->failed = true;
	return LLVMGetPoison(type);
}
