/* nvptx: small pieces of LLVM IR that every part of the lowering needs:
 * index arithmetic that leaves out neutral operands, loops and branches with
 * readable block names, and the LLVM types of element types.
 *
 * Everything here emits at the builder's place and returns the value. Equal
 * operations in one block are emitted once ("seen"), which keeps the text short
 * enough to read and LLVM quick: most indices of a register tile share their
 * subexpressions.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"

LLVMTypeRef nvptx_i32(struct nvptx_ir *ir)
{
	return LLVMInt32TypeInContext(ir->m->ctx);
}

LLVMTypeRef nvptx_i64(struct nvptx_ir *ir)
{
	return LLVMInt64TypeInContext(ir->m->ctx);
}

/* An i32; the value must fit. */
LLVMValueRef nvptx_true(struct nvptx_ir *ir)
{
	return LLVMConstInt(LLVMInt1TypeInContext(ir->m->ctx), 1, 0);
}

LLVMValueRef nvptx_int(struct nvptx_ir *ir, int64_t value)
{
	return LLVMConstInt(nvptx_i32(ir), (unsigned long long) value, 1);
}

static bool is_const(LLVMValueRef v, int64_t value)
{
	return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == value;
}

/* The value of "a op b" if it is at hand here, else NULL.
 *
 * From the end, as recent values are asked for most. A handful to some hundred
 * entries.
 */
static LLVMValueRef recall(struct nvptx_ir *ir, int op, LLVMValueRef a,
	LLVMValueRef b)
{
	for (int i = ir->n_seen - 1; i >= 0; i--)
		if (ir->seen[i].op == op && ir->seen[i].a == a &&
		    ir->seen[i].b == b)
			return ir->seen[i].value;
	return NULL;
}

/* Note that "value" is "a op b", so that it is computed once; without memory it
 * may be computed again. Returns it.
 *
 * Entries are dropped when the block they were made in ends (n_seen of loops
 * and branches), since a value must dominate its uses.
 */
static LLVMValueRef remember(struct nvptx_ir *ir, int op, LLVMValueRef a,
	LLVMValueRef b, LLVMValueRef value)
{
	struct nvptx_known *seen = ir->seen;

	if (ir->n_seen == ir->cap_seen) {
		int cap = ir->cap_seen ? 2 * ir->cap_seen : 64;

		seen = realloc(seen, cap * sizeof(*seen));
		if (!seen)
			return value;
		ir->seen = seen;
		ir->cap_seen = cap;
	}
	seen[ir->n_seen++] = (struct nvptx_known) { op, a, b, value };
	return value;
}

/* "a op b", unless it is at hand. With "no_wrap" LLVM may rely on it that the
 * result does not wrap, but not in checked code.
 *
 * nsw lets LLVM widen and reorder indices; it is proved by their ranges.
 * Checked code runs wrong programs, too, so nothing is promised there.
 */
static LLVMValueRef emit(struct nvptx_ir *ir, LLVMOpcode op, LLVMValueRef a,
	LLVMValueRef b, bool no_wrap, const char *name)
{
	LLVMValueRef v = recall(ir, op, a, b);

	if (v)
		return v;
	v = LLVMBuildBinOp(ir->b, op, a, b, name);
	if (no_wrap && !ir->m->opt.checked && LLVMIsAInstruction(v))
		LLVMSetNSW(v, 1);
	return remember(ir, op, a, b, v);
}

/* "name" is for readers of the IR only. */
LLVMValueRef nvptx_add(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b,
	const char *name)
{
	if (is_const(a, 0))
		return b;
	if (is_const(b, 0))
		return a;
	return emit(ir, LLVMAdd, a, b, true, name);
}

LLVMValueRef nvptx_sub(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(b, 0))
		return a;
	return emit(ir, LLVMSub, a, b, true, "");
}

LLVMValueRef nvptx_mul(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	if (is_const(a, 1) || is_const(b, 0))
		return b;
	if (is_const(b, 1) || is_const(a, 0))
		return a;
	return emit(ir, LLVMMul, a, b, true, "");
}

/* For operands that are not negative, as threads and tiles. */
LLVMValueRef nvptx_div(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef d)
{
	return emit(ir, LLVMUDiv, a, d, false, "");
}

/* The same. */
LLVMValueRef nvptx_mod(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef d)
{
	return emit(ir, LLVMURem, a, d, false, "");
}

/* A predicate is kept as a negative "op", so that it meets no opcode. */
LLVMValueRef nvptx_compare(struct nvptx_ir *ir, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b)
{
	int op = -(int) p;
	LLVMValueRef v = recall(ir, op, a, b);

	return v ? v : remember(ir, op, a, b,
		LLVMBuildICmp(ir->b, p, a, b, ""));
}

/* Sign extension, or truncation from 64 bits; the same value in "type". */
LLVMValueRef nvptx_extend(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMTypeRef type)
{
	LLVMValueRef v;

	if (LLVMTypeOf(a) == type)
		return a;
	if (LLVMTypeOf(a) == nvptx_i64(ir))
		return LLVMBuildTrunc(ir->b, a, type, "");
	v = recall(ir, LLVMSExt, a, NULL);
	return v ? v : remember(ir, LLVMSExt, a, NULL,
		LLVMBuildSExt(ir->b, a, type, ""));
}

/* base + index elements; inbounds only where that is sure. */
LLVMValueRef nvptx_element(struct nvptx_ir *ir, LLVMTypeRef type,
	LLVMValueRef base, LLVMValueRef index)
{
	LLVMValueRef v;

	if (is_const(index, 0))
		return base;
	v = recall(ir, LLVMGetElementPtr, base, index);
	if (v)
		return v;
	v = ir->m->opt.checked ?
		LLVMBuildGEP2(ir->b, type, base, &index, 1, "") :
		LLVMBuildInBoundsGEP2(ir->b, type, base, &index, 1, "");
	return remember(ir, LLVMGetElementPtr, base, index, v);
}

/* A shift where "d" is a power of two; else division truncates, so one less
 * where it leaves a negative remainder.
 *
 * LLVM has no floor division. A shift to the right rounds down in two's
 * complement.
 */
LLVMValueRef nvptx_floor_div(struct nvptx_ir *ir, LLVMValueRef a, int64_t d)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	LLVMValueRef by = LLVMConstInt(type, (unsigned long long) d, 1);
	LLVMValueRef q, r, below;

	if (d == 1)
		return a;
	if ((d & (d - 1)) == 0) {
		by = LLVMConstInt(type, __builtin_ctzll((uint64_t) d), 0);
		return emit(ir, LLVMAShr, a, by, false, "");
	}
	q = emit(ir, LLVMSDiv, a, by, false, "");
	r = emit(ir, LLVMSRem, a, by, false, "");
	below = nvptx_compare(ir, LLVMIntSLT, r, LLVMConstNull(type));
	return nvptx_add(ir, q, nvptx_extend(ir, below, type), "");
}

/* Overloaded by the type of the first argument, as all that are used here. */
LLVMValueRef nvptx_build_intrinsic(LLVMModuleRef module, LLVMBuilderRef b,
	const char *name, LLVMValueRef *arg, int n_arg)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef over = LLVMTypeOf(arg[0]);
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module, id, &over, 1);

	return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, arg, n_arg, "");
}

LLVMValueRef nvptx_intrinsic(struct nvptx_ir *ir, const char *name,
	LLVMValueRef *arg, int n_arg)
{
	return nvptx_build_intrinsic(ir->m->module, ir->b, name, arg, n_arg);
}

/* 0 for everything that is no call of an intrinsic. */
unsigned nvptx_called_intrinsic(LLVMValueRef v)
{
	LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;

	return f && LLVMIsAFunction(f) ? LLVMGetIntrinsicID(f) : 0;
}

LLVMBasicBlockRef nvptx_block(struct nvptx_ir *ir, const char *name)
{
	return LLVMAppendBasicBlockInContext(ir->m->ctx, ir->fn, name);
}

/* A new block called "PREFIXNAMESUFFIX".
 *
 * Names tell a reader what a block is: for.k, for.k.body, for.k.end.
 */
static LLVMBasicBlockRef named_block(struct nvptx_ir *ir, const char *prefix,
	const char *name, const char *suffix)
{
	struct poly_str s = { 0 };
	LLVMBasicBlockRef block;

	poly_str_printf(&s, "%s%s%s", prefix, name, suffix);
	block = nvptx_block(ir, s.s ? s.s : "");
	poly_str_free(&s);
	return block;
}

/* for (i = init; ; i += step): the header, in which the caller computes the
 * condition for nvptx_loop_body.
 */
void nvptx_loop_begin(struct nvptx_ir *ir, struct nvptx_loop *loop,
	const char *name, LLVMValueRef init, LLVMValueRef step)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(ir->b);

	loop->name = name;
	loop->step = step;
	loop->head = named_block(ir, "for.", name, "");
	loop->exit = NULL;
	LLVMBuildBr(ir->b, loop->head);
	LLVMPositionBuilderAtEnd(ir->b, loop->head);
	loop->i = LLVMBuildPhi(ir->b, LLVMTypeOf(init), name);
	LLVMAddIncoming(loop->i, &init, &from, 1);
}

/* What was remembered in the body is forgotten at the end. */
void nvptx_loop_body(struct nvptx_ir *ir, struct nvptx_loop *loop,
	LLVMValueRef cond)
{
	LLVMBasicBlockRef body = named_block(ir, "for.", loop->name, ".body");

	loop->exit = named_block(ir, "for.", loop->name, ".end");
	LLVMBuildCondBr(ir->b, cond, body, loop->exit);
	LLVMPositionBuilderAtEnd(ir->b, body);
	loop->n_seen = ir->n_seen;
}

/* "!{!"llvm.loop.unroll.full"}" or "!{!"llvm.loop.unroll.count", i32 8}"
 *
 * NVPTX_UNROLL_ALL, or how many iterations at a time (LangRef, "llvm.loop").
 */
static LLVMMetadataRef unroll_hint(struct nvptx_ir *ir, int unroll)
{
	const char *text = unroll == NVPTX_UNROLL_ALL ?
		"llvm.loop.unroll.full" : "llvm.loop.unroll.count";
	LLVMContextRef ctx = ir->m->ctx;
	LLVMMetadataRef op[2] = {
		LLVMMDStringInContext2(ctx, text, strlen(text)),
		LLVMValueAsMetadata(nvptx_int(ir, unroll)),
	};

	return LLVMMDNodeInContext2(ctx, op, unroll == NVPTX_UNROLL_ALL ? 1 : 2);
}

/* "!{distinct self, hint}" on the back edge.
 *
 * A loop's metadata must be distinct, which LLVM's C API can say only by a node
 * that refers to itself.
 */
static void hint_unroll(struct nvptx_ir *ir, LLVMValueRef branch, int unroll)
{
	LLVMContextRef ctx = ir->m->ctx;
	LLVMMetadataRef self = LLVMTemporaryMDNode(ctx, NULL, 0);
	LLVMMetadataRef op[2] = { self, unroll_hint(ir, unroll) };
	LLVMMetadataRef node = LLVMMDNodeInContext2(ctx, op, 2);

	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9),
		LLVMMetadataAsValue(ctx, node));
}

/* "unroll" is 0 for LLVM's own judgement. */
void nvptx_loop_end(struct nvptx_ir *ir, struct nvptx_loop *loop,
	int unroll)
{
	LLVMValueRef next = nvptx_add(ir, loop->i, loop->step, "");
	LLVMBasicBlockRef latch = LLVMGetInsertBlock(ir->b);
	LLVMValueRef branch = LLVMBuildBr(ir->b, loop->head);

	LLVMAddIncoming(loop->i, &next, &latch, 1);
	if (unroll)
		hint_unroll(ir, branch, unroll);
	ir->n_seen = loop->n_seen;
	LLVMMoveBasicBlockAfter(loop->exit, latch);
	LLVMPositionBuilderAtEnd(ir->b, loop->exit);
}

/* Emits into the arm until nvptx_if_end; there is no "else". */
void nvptx_if_begin(struct nvptx_ir *ir, struct nvptx_branch *branch,
	LLVMValueRef cond, const char *name)
{
	LLVMBasicBlockRef then = nvptx_block(ir, name);

	branch->from = LLVMGetInsertBlock(ir->b);
	branch->join = named_block(ir, name, ".end", "");
	LLVMBuildCondBr(ir->b, cond, then, branch->join);
	LLVMPositionBuilderAtEnd(ir->b, then);
	branch->n_seen = ir->n_seen;
}

void nvptx_if_end(struct nvptx_ir *ir, struct nvptx_branch *branch)
{
	LLVMBasicBlockRef last = LLVMGetInsertBlock(ir->b);

	LLVMBuildBr(ir->b, branch->join);
	ir->n_seen = branch->n_seen;
	LLVMMoveBasicBlockAfter(branch->join, last);
	LLVMPositionBuilderAtEnd(ir->b, branch->join);
}

/* "then_block" is where the arm ended, which may be another block than where it
 * began.
 */
LLVMValueRef nvptx_if_value(struct nvptx_ir *ir,
	const struct nvptx_branch *branch, LLVMBasicBlockRef then_block,
	LLVMValueRef then, LLVMValueRef other, const char *name)
{
	LLVMValueRef value[2] = { then, other };
	LLVMBasicBlockRef from[2] = { then_block, branch->from };
	LLVMValueRef phi = LLVMBuildPhi(ir->b, LLVMTypeOf(then), name);

	LLVMAddIncoming(phi, value, from, 2);
	return phi;
}

/* The type of a float; those of 8 bits and tf32 are their bits, on the host device f16 and
 * bf16, too.
 *
 * The host has no f16 arithmetic of its own: functions of
 * nvptx/value/lower_cast.c convert. Ring mode computes modulo 2^n
 * (lower_ring.c), so floats are integers of their width.
 */
static LLVMTypeRef float_type(struct nvptx_ir *ir, enum poly_type t)
{
	LLVMContextRef ctx = ir->m->ctx;

	if (ir->m->opt.ring)
		return LLVMIntTypeInContext(ctx, 8 * poly_type_size(t));
	if (ir->m->opt.wide || t == POLY_F64)
		return LLVMDoubleTypeInContext(ctx);
	if (t == POLY_F32)
		return LLVMFloatTypeInContext(ctx);
	if (ir->m->opt.device == NVPTX_HOST || poly_type_size(t) != 2)
		return LLVMIntTypeInContext(ctx, 8 * poly_type_size(t));
	return t == POLY_F16 ? LLVMHalfTypeInContext(ctx) :
		LLVMBFloatTypeInContext(ctx);
}

/* A bool is an i1 as a value. */
LLVMTypeRef nvptx_value_type(struct nvptx_ir *ir, enum poly_type t)
{
	if (poly_type_is_float(t))
		return float_type(ir, t);
	if (poly_type_is_words(t))
		return nvptx_words_type(ir, t);
	return LLVMIntTypeInContext(ir->m->ctx, t == POLY_BOOL ? 1 :
		8 * poly_type_size(t));
}

/* A bool is a byte in memory; in reference mode everything is {value, bound}.
 */
LLVMTypeRef nvptx_memory_type(struct nvptx_ir *ir, enum poly_type t)
{
	LLVMTypeRef pair[2];

	if (t == POLY_BOOL && !ir->m->opt.wide)
		return LLVMInt8TypeInContext(ir->m->ctx);
	if (!ir->m->opt.wide || poly_type_is_words(t))
		return nvptx_value_type(ir, t);
	pair[0] = pair[1] = LLVMDoubleTypeInContext(ir->m->ctx);
	return LLVMStructTypeInContext(ir->m->ctx, pair, 2, 0);
}

/* Only the first failure is told. A poison value of the right type goes on, so
 * that callers need no checks; the module is thrown away in the end.
 */
LLVMValueRef nvptx_fail(struct nvptx_ir *ir, LLVMTypeRef type,
	const char *what)
{
	if (!ir->failed)
		poly_report_add(ir->report, MSG_NVPTX_LOWER,
			ir->stmt ? &ir->stmt->loc : NULL, what);
	ir->failed = true;
	return LLVMGetPoison(type);
}

/* "change" may remove or replace "v", as the next one is taken before. */
void nvptx_each_instruction(struct nvptx_module *m,
	void (*change)(struct nvptx_module *m, LLVMBuilderRef build,
	LLVMValueRef v))
{
	LLVMBuilderRef build = LLVMCreateBuilderInContext(m->ctx);
	LLVMValueRef next;

	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb;
		     bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = next) {
				next = LLVMGetNextInstruction(v);
				change(m, build, v);
			}
	LLVMDisposeBuilder(build);
}
