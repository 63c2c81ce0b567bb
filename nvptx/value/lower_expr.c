/* nvptx: expressions of statements as LLVM IR.
 *
 * Constants and conversions are in lower_cast.c, operators in lower_op.c, the
 * values with bounds of reference mode in lower_wide.c. The only fused
 * operation is the explicit llvm.fma of "cell += x * y", which --no-contract
 * turns into a product and a sum.
 *
 * One call emits one instance: "in" are its coordinates as LLVM values.
 * nvptx_point is what the loops call; what it does with the value (store,
 * update, hand to others) is decided by update() below, one way after another.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* The value of "e", computed only if "cond" holds; "other" (or 0) if not.
 *
 * A branch, not a selection, for what may be expensive or must not run.
 */
static LLVMValueRef value_if(struct nvptx_lower *l, LLVMValueRef cond,
	const struct poly_expr *e, const LLVMValueRef *in, LLVMValueRef other)
{
	struct nvptx_branch branch;
	LLVMBasicBlockRef last;
	LLVMValueRef v;

	nvptx_if_begin(l->ir, &branch, cond, "chosen");
	v = nvptx_expr(l, e, in).v;
	last = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	if (!other)
		other = LLVMConstNull(LLVMTypeOf(v));
	return nvptx_if_value(l->ir, &branch, last, v, other, "");
}

/* The arm of the branch "e" that its condition chooses.
 *
 * Two branches one after the other; LLVM makes one of them.
 */
static struct nvptx_value branch(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in)
{
	LLVMValueRef cond = nvptx_expr(l, e->arg[0], in).v;
	struct nvptx_value r = { NULL, NULL };

	r.v = value_if(l, cond, e->arg[1], in, NULL);
	r.v = value_if(l, LLVMBuildNot(l->ir->b, cond, ""), e->arg[2], in, r.v);
	return r;
}

/* Does "e" read an element that need not be there? */
static bool may_miss(const struct poly_expr *e)
{
	bool may = e->op == POLY_OP_GATHER && e->index;

	for (int i = 0; i < poly_op_n_arg(e->op) && !may; i++)
		may = may_miss(e->arg[i]);
	return may;
}

/* Is only one arm of "e" computed? In checked code one that is not meant may not
 * be, if that would be found to be wrong.
 *
 * BRANCH has arms that are long, SELECT computes both. In reference mode both
 * are needed for the bound.
 */
static bool is_branch(const struct nvptx_lower *l, const struct poly_expr *e)
{
	if (l->ir->m->opt.wide)
		return false;
	return e->op == POLY_OP_BRANCH || (l->ir->m->opt.checked &&
		e->op == POLY_OP_SELECT && may_miss(e));
}

/* What the LOOP "e" carries after a step: a product is added as an update adds it. */
static struct nvptx_value carried_on(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in)
{
	const struct poly_expr *next = e->arg[3], *by;
	struct nvptx_value pair[2];

	by = next->op == POLY_OP_ADD && next->arg[0]->op == POLY_OP_CARRY ?
		next->arg[1] : next;
	if (by == next || by->op != POLY_OP_MUL || l->ir->m->opt.wide ||
	    !poly_type_is_float(e->type) ||
	    poly_type_compute(e->type) != e->type)
		return nvptx_expr(l, next, in);
	pair[0] = nvptx_expr(l, by->arg[0], in);
	pair[1] = nvptx_expr(l, by->arg[1], in);
	pair[0].v = nvptx_fma(l->ir, e->type, pair[0].v, pair[1].v,
		nvptx_expr(l, next->arg[0], in).v);
	return pair[0];
}

/* A value in each turn of a loop: "first", later what is added by close_phi. */
static LLVMValueRef open_phi(struct nvptx_ir *ir, LLVMValueRef first,
	LLVMBasicBlockRef from)
{
	LLVMValueRef phi = LLVMBuildPhi(ir->b, LLVMTypeOf(first), "carried");

	LLVMAddIncoming(phi, &first, &from, 1);
	return phi;
}

static void close_phi(struct nvptx_ir *ir, LLVMValueRef phi, LLVMValueRef next)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(ir->b);

	LLVMAddIncoming(phi, &next, &from, 1);
}

/* In reference mode the bound of what is carried is carried, too, be it none. */
struct nvptx_value nvptx_run_steps(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in, const struct nvptx_steps *steps)
{
	struct nvptx_carried *c = &l->carried[(int)e->value];
	struct nvptx_value v = steps->first, next;
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);
	LLVMValueRef none = LLVMConstNull(LLVMDoubleTypeInContext(
		l->ir->m->ctx));
	struct nvptx_loop loop;

	if (l->ir->m->opt.wide && !v.bound)
		v.bound = none;
	nvptx_loop_begin(l->ir, &loop, "step", steps->low, steps->by);
	c->step = loop.i;
	v.v = open_phi(l->ir, v.v, from);
	if (v.bound)
		v.bound = open_phi(l->ir, v.bound, from);
	c->value = v;
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT,
		loop.i, steps->high, ""));
	next = carried_on(l, e, in);
	close_phi(l->ir, v.v, next.v);
	if (v.bound)
		close_phi(l->ir, v.bound, next.bound ? next.bound : none);
	nvptx_loop_end(l->ir, &loop, steps->unroll);
	return v;
}

/* The loop "e" over steps whose bounds are values; long ones may be there
 * already.
 */
static struct nvptx_value loop(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	struct nvptx_steps steps = { .by = LLVMConstInt(nvptx_i64(l->ir),
		(unsigned long long)e->stride, 0) };

	if (l->made.loop == e)
		return l->made.value(l, e, in);
	steps.low = nvptx_expr(l, e->arg[0], in).v;
	steps.high = nvptx_expr(l, e->arg[1], in).v;
	steps.first = nvptx_expr(l, e->arg[2], in);
	return nvptx_run_steps(l, e, in, &steps);
}

/* How often what EARLIER "e" counts is the same in front of the instance "in".
 *
 * One thread counts for itself, which is the reference; blocks do it together
 * (kernel/ranks.c).
 */
static struct nvptx_value earlier(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in)
{
	struct nvptx_value own = nvptx_expr(l, e->arg[0], in), r;
	int n = isl_set_dim(l->ir->stmt->domain, isl_dim_set);
	LLVMTypeRef i32 = nvptx_i32(l->ir);
	LLVMValueRef room, last = in[n - 1], other[16], same;
	struct nvptx_loop loop;

	memcpy(other, in, n * sizeof(*in));
	room = nvptx_room(l->ir, i32, "earlier");
	LLVMBuildStore(l->ir->b, nvptx_int(l->ir, 0), room);
	nvptx_loop_begin(l->ir, &loop, "earlier", nvptx_sub(l->ir, last,
		nvptx_mod(l->ir, last, LLVMConstInt(LLVMTypeOf(last),
			(int)e->arg[1]->value, 0))),
		LLVMConstInt(LLVMTypeOf(last), 1, 0));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT,
		loop.i, last, ""));
	other[n - 1] = loop.i;
	same = LLVMBuildICmp(l->ir->b, LLVMIntEQ, own.v,
		nvptx_expr(l, e->arg[0], other).v, "");
	LLVMBuildStore(l->ir->b, LLVMBuildAdd(l->ir->b, LLVMBuildLoad2(l->ir->b,
		i32, room, ""), LLVMBuildZExt(l->ir->b, same, i32, ""), ""),
		room);
	nvptx_loop_end(l->ir, &loop, 1);
	r.v = LLVMBuildLoad2(l->ir->b, i32, room, "");
	r.bound = NULL;
	return r;
}

/* The element that "e" reads, unless it was loaded before the instance, as runs are. */
static struct nvptx_value access(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	struct nvptx_value v = { NULL, NULL };
	LLVMValueRef index[16], at;

	for (int i = 0; i < l->reads.n; i++)
		if (l->reads.held[i].read == e) {
			v.v = l->reads.held[i].v;
			return v;
		}
	at = l->now.copies ? nvptx_axes_address(l, e->array, e->index, in) : NULL;
	if (!at && e->array->space != POLY_REGISTER)
		nvptx_index(l, e->array, e->index, in, index);
	for (int i = 0; i < l->fact.n_untouched; i++)
		l->now.is_untouched |= l->fact.untouched[i] == e;
	v = at ? nvptx_load_at(l, e->array, at) : nvptx_load(l, e->array, index);
	l->now.is_untouched = false;
	return v;
}

/* "left" and "right" put together by the JOIN "e". */
LLVMValueRef nvptx_joined(struct nvptx_lower *l, const struct poly_expr *e,
	LLVMValueRef left, LLVMValueRef right)
{
	l->side[0] = (struct nvptx_value) { left, NULL };
	l->side[1] = (struct nvptx_value) { right, NULL };
	return nvptx_expr(l, e->arg[2], NULL).v;
}

/* Words, what is put into them, taken from them, or made of them. */
static struct nvptx_value words(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	struct nvptx_value arg[2] = { { NULL, NULL } }, r = { NULL, NULL };

	for (int i = 0; i < 2 && e->arg[i]; i++)
		arg[i] = nvptx_expr(l, e->arg[i], in);
	if (e->op == POLY_OP_JOIN)
		r.v = nvptx_joined(l, e, arg[0].v, arg[1].v);
	else if (e->op == POLY_OP_PUT)
		r.v = nvptx_words_put(l->ir, arg[0].v, (int)e->value, arg[1].v,
			arg[1].bound);
	else
		r.v = nvptx_words_part(l->ir, arg[0].v, (int)e->value,
			nvptx_value_type(l->ir, e->type), &r.bound);
	return r;
}

/* "in" may be NULL for an expression without indices. Recursive, as deep as the
 * expression; POLY_EXPR_MAX bounds that.
 */
struct nvptx_value nvptx_expr(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in)
{
	struct nvptx_value arg[POLY_MAX_ARG] = { { NULL, NULL } };
	LLVMValueRef index[16];

	switch (e->op) {
	case POLY_OP_PUT:
	case POLY_OP_PART:
	case POLY_OP_JOIN:
		return words(l, e, in);
	case POLY_OP_LEFT:
	case POLY_OP_RIGHT:
		return l->side[e->op == POLY_OP_RIGHT];
	case POLY_OP_CONST:
		return nvptx_const(l->ir, e->type, e->value);
	case POLY_OP_PARAM:
		arg[0].v = nvptx_find_var(l, e->param);
		return arg[0];
	case POLY_OP_INDEX:
		arg[0].v = nvptx_index_value(l, e->type, e->index, in);
		return arg[0];
	case POLY_OP_ACCESS:
		return access(l, e, in);
	case POLY_OP_GATHER:
		arg[0] = nvptx_expr(l, e->arg[0], in);
		if (!e->index)
			return nvptx_gather(l, e->array, arg[0].v);
		nvptx_index(l, e->array, e->index, in, index);
		return nvptx_gather_from(l, e->array, index, arg[0].v);
	case POLY_OP_LOOP:
		return loop(l, e, in);
	case POLY_OP_STEP:
		arg[0].v = l->carried[(int)e->value].step;
		return arg[0];
	case POLY_OP_CARRY:
		return l->carried[(int)e->value].value;
	case POLY_OP_CAST:
		arg[0] = nvptx_expr(l, e->arg[0], in);
		return nvptx_cast(l->ir, e->type, e->arg[0]->type, arg[0]);
	case POLY_OP_EARLIER:
		return earlier(l, e, in);
	case POLY_OP_BITS:
		arg[0] = nvptx_expr(l, e->arg[0], in);
		return nvptx_bits(l->ir, e->type, e->arg[0]->type, arg[0]);
	default:
		if (is_branch(l, e))
			return branch(l, e, in);
		for (int i = 0; i < poly_op_n_arg(e->op); i++)
			arg[i] = nvptx_expr(l, e->arg[i], in);
		return nvptx_op(l->ir, e->op, poly_op_shape(e->op) ==
			POLY_SHAPE_COMPARE ? e->arg[0]->type : e->type, arg);
	}
}

/* The fused operation rounds once (IEEE 754 fusedMultiplyAdd); --no-contract is
 * for comparing with code that does not fuse.
 */
LLVMValueRef nvptx_fma(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
	LLVMValueRef arg[3] = { x, y, z };

	if (!poly_type_is_float(t) || ir->m->opt.ring)
		return LLVMBuildAdd(ir->b, LLVMBuildMul(ir->b, x, y, ""), z,
			"");
	if (ir->m->opt.no_contract)
		return LLVMBuildFAdd(ir->b, LLVMBuildFMul(ir->b, x, y, ""), z,
			"");
	return nvptx_intrinsic(ir, "llvm.fma", arg, 3);
}
