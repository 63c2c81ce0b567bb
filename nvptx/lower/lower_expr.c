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
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

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

/* The loop "e" over steps whose bounds are values; long ones are there already where
 * blocks help one another.
 */
static struct nvptx_value loop(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	struct nvptx_steps steps = { .by = LLVMConstInt(nvptx_i64(l->ir),
		(unsigned long long)e->stride, 0) };

	if (l->help && l->help->stmt->rhs == e)
		return l->help->value(l, e, in);
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
	LLVMValueRef index[16];

	for (int i = 0; i < l->reads.n; i++)
		if (l->reads.held[i].read == e) {
			v.v = l->reads.held[i].v;
			return v;
		}
	if (e->array->space != POLY_REGISTER)
		nvptx_index(l, e->array, e->index, in, index);
	for (int i = 0; i < l->fact.n_untouched; i++)
		l->now.is_untouched |= l->fact.untouched[i] == e;
	v = nvptx_load(l, e->array, index);
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

/* cell + x * y becomes an fma if it is computed in the type of the cell; a
 * product of f16 that is summed in f32 has casts and takes the other way.
 */
struct nvptx_value nvptx_updated(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value cell)
{
	const struct poly_expr *e = s->rhs;
	enum poly_type t = s->write_array->type;
	struct nvptx_value pair[2] = { cell, { NULL, NULL } };

	if (nvptx_is_wide(l->ir, t) && s->reduce == POLY_OP_ADD)
		return nvptx_wide_accumulate(l, s, in, cell);
	if (s->reduce == POLY_OP_ADD && e->op == POLY_OP_MUL && e->type == t &&
	    poly_type_is_float(t) && poly_type_compute(t) == t) {
		pair[0] = nvptx_expr(l, e->arg[0], in);
		pair[1] = nvptx_expr(l, e->arg[1], in);
		pair[0].v = nvptx_fma(l->ir, t, pair[0].v, pair[1].v, cell.v);
		return pair[0];
	}
	pair[1] = nvptx_cast(l->ir, t, e->type, nvptx_expr(l, e, in));
	return nvptx_op(l->ir, s->reduce, t, pair);
}

/* What the cell of "s" holds before it: what the thread has kept, or else the
 * element "index".
 *
 * A start holds the value between the statement that begins the cell and the
 * sum behind it, in one thread; so memory is not read again.
 */
static struct nvptx_value before(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *index)
{
	for (int i = 0; i < l->starts.n; i++)
		if (l->starts.list[i].sum == s)
			return (struct nvptx_value){ LLVMBuildLoad2(l->ir->b,
				nvptx_value_type(l->ir, s->write_array->type),
				l->starts.list[i].room, ""), NULL };
	return nvptx_load(l, s->write_array, index);
}

/* Keep "v" if "s" is what begins the cell of a sum. */
static void keep(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v)
{
	for (int i = 0; i < l->starts.n; i++)
		if (l->starts.list[i].stmt == s)
			LLVMBuildStore(l->ir->b, v, l->starts.list[i].room);
}

/* Only kernels whose sums have lanes; the rooms are allocas, which LLVM makes
 * registers.
 */
void nvptx_keep_starts(struct nvptx_lower *l)
{
	int n;
	struct poly_stmt **list = poly_kernel_stmts(l->prog, l->kernel, &n);

	l->starts.n = 0;
	for (int i = 0; i < n && l->fact.lanes &&
		l->starts.n < NVPTX_MAX_START && !l->ir->m->opt.wide; i++) {
		struct nvptx_start *start = &l->starts.list[l->starts.n];

		start->sum = list[i];
		start->stmt = list[i]->across ? poly_across_start(l->prog,
			l->kernel, list[i]) : NULL;
		if (!start->stmt)
			continue;
		start->room = LLVMBuildAlloca(l->ir->b, nvptx_value_type(l->ir,
			list[i]->write_array->type), "start");
		l->starts.n++;
	}
	free(list);
}

/* The value of the cell behind an update of "s" by threads together.
 *
 * Only the first of the threads stores; nvptx_across opens the branch for it.
 */
static void across(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in, const LLVMValueRef *index)
{
	struct poly_array *a = s->write_array;
	struct nvptx_value pair[2];
	struct nvptx_branch branch;
	LLVMValueRef sum = nvptx_across(l, s, nvptx_expr(l, s->rhs, in).v,
		&branch);

	pair[0] = before(l, s, index);
	pair[1] = nvptx_cast(l->ir, a->type, s->rhs->type,
		(struct nvptx_value){ sum, NULL });
	nvptx_store(l, a, index, nvptx_op(l->ir, s->reduce, a->type, pair));
	nvptx_if_end(l->ir, &branch);
}

/* The update of element "index" by "s", which others may update meanwhile.
 *
 * "live" is false for a point that a run has beyond the end; "near" is the
 * block's own copy of the array.
 */
static void update_atomic(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in, const LLVMValueRef *index)
{
	struct poly_array *a = s->write_array;
	const struct poly_expr *e = s->rhs;
	LLVMValueRef cond = nvptx_expr(l, e->arg[0], in).v;
	struct nvptx_branch branch;
	struct nvptx_value x;

	if (l->now.live)
		cond = LLVMBuildAnd(l->ir->b, cond, l->now.live, "");
	if (l->value.near) {
		x = nvptx_cast(l->ir, a->type, e->type, nvptx_expr(l,
			e->arg[1], in));
		nvptx_near_update(l, a, index, s->reduce, x.v, cond);
		return;
	}
	nvptx_if_begin(l->ir, &branch, cond, "meant");
	x = nvptx_cast(l->ir, a->type, e->type, nvptx_expr(l, e->arg[1], in));
	nvptx_atomic(l, a, index, s->reduce, x.v);
	nvptx_if_end(l->ir, &branch);
}

/* "v", which "s" copies from an accumulator to memory. Stored four at a time,
 * accumulators would have to be neighbours in registers, in the very order of
 * the operand that was loaded so, and every multiply-add would read two
 * registers of one bank (a tenth of the time of a large product in FLOAT on an
 * H200). The bits that no lane has both below and above it are none, but ptxas
 * does not know: what it stores is a copy.
 *
 * Only for tiles of f32 products that are stored as they are.
 */
static LLVMValueRef detached(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMValueRef none;

	if (l->ir->m->opt.device != NVPTX_GPU || !l->kernel->tile_k ||
	    s->write_array->space != POLY_GLOBAL ||
	    s->rhs->op != POLY_OP_ACCESS ||
	    s->rhs->array->space != POLY_REGISTER ||
	    LLVMGetTypeKind(type) != LLVMFloatTypeKind)
		return v;
	none = LLVMBuildAnd(l->ir->b,
		nvptx_hw(l->ir, NVPTX_HW_LANES_BELOW, NULL, 0, ""),
		nvptx_hw(l->ir, NVPTX_HW_LANES_ABOVE, NULL, 0, ""), "");
	v = LLVMBuildBitCast(l->ir->b, v, nvptx_i32(l->ir), "");
	v = LLVMBuildOr(l->ir->b, v, none, "");
	return LLVMBuildBitCast(l->ir->b, v, type, "");
}

/* At the begin of the function, as LLVM's mem2reg takes allocas from there
 * only. The builder comes back to where it was.
 */
LLVMValueRef nvptx_room(struct nvptx_ir *ir, LLVMTypeRef type,
	const char *name)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->b);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(ir->fn);
	LLVMValueRef room;

	LLVMPositionBuilderBefore(ir->b, LLVMGetFirstInstruction(entry));
	room = LLVMBuildAlloca(ir->b, type, name);
	LLVMPositionBuilderAtEnd(ir->b, here);
	return room;
}

/* Update the next one of l->cells by "s", or move it, "index", from memory or to it.
 *
 * Several cells of a thread are loaded first, then updated through all of a
 * loop, then stored: three visits of the same statement, told apart by "way".
 * "at" counts the cells within a visit.
 */
static void update_cell(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in, const LLVMValueRef *index)
{
	struct nvptx_cells *c = l->cells;
	struct poly_array *a = s->write_array;
	LLVMTypeRef type = nvptx_value_type(l->ir, a->type);
	struct nvptx_value x = { NULL, NULL };

	if (c->way == NVPTX_CELLS_LOAD)
		c->room[c->n++] = nvptx_room(l->ir, type, "cell");
	else
		x.v = LLVMBuildLoad2(l->ir->b, type, c->room[c->at], "");
	if (c->way == NVPTX_CELLS_STORE)
		nvptx_store(l, a, index, x);
	else
		LLVMBuildStore(l->ir->b, c->way == NVPTX_CELLS_LOAD ?
			nvptx_load(l, a, index).v : nvptx_updated(l, s, in, x).v,
			c->room[c->at]);
	c->at = (c->at + 1) % (c->way == NVPTX_CELLS_LOAD ?
		NVPTX_MAX_CELLS : c->n);
}

/* Add an instance of the fold "s" to what the thread has made of it.
 *
 * The cell is private to the thread until the block puts the parts together
 * (lower_fold.c).
 */
static void fold(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	LLVMValueRef cell = nvptx_fold_cell(l, s);
	struct nvptx_value x = { LLVMBuildLoad2(l->ir->b,
		nvptx_value_type(l->ir, s->write_array->type), cell, ""),
		NULL };

	LLVMBuildStore(l->ir->b, nvptx_updated(l, s, in, x).v, cell);
}

/* Store the SCATTER "s" at the cell that its value tells.
 *
 * A place outside of the array is left out: the program says that the places
 * are a permutation, which nobody has proved.
 */
static void scatter(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	struct poly_array *a = s->write_array;
	const struct poly_expr *e = s->rhs;
	LLVMValueRef index[16], inside, at;
	struct nvptx_branch branch;
	struct nvptx_value x;

	for (int i = 0; i < a->n_dim; i++)
		index[i] = nvptx_pw_aff(l, isl_multi_pw_aff_get_at(
			s->write_index, i), in);
	x = nvptx_cast(l->ir, a->type, e->type, nvptx_expr(l, e->arg[0], in));
	if (nvptx_is_wide(l->ir, a->type))
		x = nvptx_wide_begin(l, a, x);
	at = index[(int)e->value] = nvptx_expr(l, e->arg[1], in).v;
	inside = LLVMBuildICmp(l->ir->b, LLVMIntULT, at, nvptx_extend(l->ir,
		nvptx_pw_aff(l, isl_multi_pw_aff_get_at(a->extent,
			(int)e->value), NULL), nvptx_i64(l->ir)), "");
	if (l->now.live)
		inside = LLVMBuildAnd(l->ir->b, inside, l->now.live, "");
	nvptx_if_begin(l->ir, &branch, inside, a->name);
	nvptx_store(l, a, index, x);
	nvptx_if_end(l->ir, &branch);
}

/* One instance "in" of "s": compute what it stores, or put it together with what
 * others have, and store it, in the way of its kind.
 *
 * The order of the cases matters: a fold has no index in memory, and a SCATTER
 * computes its own.
 */
static void update(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	struct poly_array *a = s->write_array;
	LLVMValueRef index[16];
	struct nvptx_value x;

	nvptx_debug_stmt(l->ir, s);
	nvptx_instance(l, s, in);
	if (s->fold) {
		fold(l, s, in);
		return;
	}
	if (l->ranks) {
		l->ranks->note(l, s, in);
		return;
	}
	if (poly_is_scatter(s)) {
		scatter(l, s, in);
		return;
	}
	if (a->space != POLY_REGISTER)
		nvptx_index(l, a, s->write_index, in, index);
	if (l->cells) {
		update_cell(l, s, in, index);
		return;
	}
	if (s->across) {
		across(l, s, in, index);
		return;
	}
	if (s->atomic && !l->ir->m->opt.wide) {
		update_atomic(l, s, in, index);
		return;
	}
	if (l->now.ready)
		x = (struct nvptx_value){ l->now.ready, NULL };
	else if (s->reduce == POLY_OP_NONE)
		x = nvptx_cast(l->ir, a->type, s->rhs->type,
			nvptx_expr(l, s->rhs, in));
	else
		x = nvptx_updated(l, s, in, nvptx_load(l, a, index));
	if (s->reduce == POLY_OP_NONE && nvptx_is_wide(l->ir, a->type))
		x = nvptx_wide_begin(l, a, x);
	/* a store that must not change anything writes back what is there */
	if (l->now.live)
		x.v = LLVMBuildSelect(l->ir->b, l->now.live, x.v,
			nvptx_load(l, a, index).v, "");
	x.v = detached(l, s, x.v);
	keep(l, s, x.v);
	nvptx_store(l, a, index, x);
}

/* "own" is the condition that this thread alone writes for all of a line;
 * registers each thread has itself.
 */
void nvptx_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	struct nvptx_branch branch;

	if (!l->now.own || s->across ||
	    s->write_array->space == POLY_REGISTER) {
		update(l, s, in);
		return;
	}
	nvptx_if_begin(l->ir, &branch, l->now.own, "own");
	update(l, s, in);
	nvptx_if_end(l->ir, &branch);
}
