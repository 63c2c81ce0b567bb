/* nvptx: point statements: what an instance stores, adds or scatters. */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* cell + x * y becomes an fma if it is computed in the type of the cell; a
 * product of f16 that is summed in f32 has casts and takes the other way.
 */
struct nvptx_value nvptx_updated_by(struct nvptx_lower *l,
	const struct poly_stmt *s, const struct poly_expr *e, enum poly_op op,
	const LLVMValueRef *in, struct nvptx_value cell)
{
	enum poly_type t = s->write_array->type;
	struct nvptx_value pair[2] = { cell, { NULL, NULL } };

	if (op == POLY_OP_ADD && e->op == POLY_OP_MUL && e->type == t &&
	    poly_type_is_float(t) && poly_type_compute(t) == t) {
		pair[0] = nvptx_expr(l, e->arg[0], in);
		pair[1] = nvptx_expr(l, e->arg[1], in);
		pair[0].v = nvptx_fma(l->ir, t, pair[0].v, pair[1].v, cell.v);
		return pair[0];
	}
	pair[1] = nvptx_cast(l->ir, t, e->type, nvptx_expr(l, e, in));
	return nvptx_op(l->ir, op, t, pair);
}

struct nvptx_value nvptx_updated(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value cell)
{
	if (nvptx_is_wide(l->ir, s->write_array->type) && s->reduce == POLY_OP_ADD)
		return nvptx_wide_accumulate(l, s, in, cell);
	return nvptx_updated_by(l, s, s->rhs, s->reduce, in, cell);
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

/* The cell belongs to the line of the point that is computed at the moment. */
static LLVMValueRef fold_cell(struct nvptx_lower *l, const struct poly_stmt *m)
{
	for (int i = 0; i < l->folds.n; i++)
		if (l->folds.list[i].stmt == m)
			return nvptx_element(l->ir, nvptx_value_type(l->ir, m->write_array->type),
				l->folds.list[i].room, nvptx_int(l->ir,
					l->now.digit[!l->folds.list[i].axis]));
	return nvptx_fail(l->ir, LLVMPointerTypeInContext(l->ir->m->ctx, 0),
		"a fold is not in a group");
}

/* Add an instance of the fold "s" to what the thread has made of it.
 *
 * The cell is private to the thread until the block puts the parts together
 * (lower_fold.c).
 */
static void fold(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	LLVMValueRef cell = fold_cell(l, s);
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

bool nvptx_goes_ahead(const struct nvptx_ir *ir)
{
	const struct nvptx_options *o = &ir->m->opt;

	return o->device == NVPTX_GPU || (o->checked && !o->wide);
}

void nvptx_go_on(struct nvptx_lower *l, LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("willreturn", 10);

	if (l->kernel->given && l->ir->m->opt.device == NVPTX_GPU)
		LLVMAddCallSiteAttribute(call, (unsigned)LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(l->ir->m->ctx, kind, 0));
}

/* Less than a word cannot be copied so, nor can older targets. */
bool nvptx_only_starts(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	const struct nvptx_options *o = &l->ir->m->opt;
	int size;

	if (s->kind != POLY_POINT || !s->async || !l->kernel->block ||
	    !nvptx_goes_ahead(l->ir) ||
	    (o->device == NVPTX_GPU && o->target->cc < 80))
		return false;
	size = poly_type_size(s->write_array->type);
	return size == 4 || size == 8;
}

/* Start the copy "s" of one element to the place "index"; it has landed behind the next
 * barrier (copy_wait.c).
 */
static void start_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in, const LLVMValueRef *index)
{
	int size = poly_type_size(s->write_array->type);
	LLVMValueRef from[16], at[2];

	nvptx_index(l, s->rhs->array, s->rhs->index, in, from);
	at[0] = nvptx_address(l, s->write_array, index);
	at[1] = nvptx_address(l, s->rhs->array, from);
	nvptx_start_copy(l, s, at, size, nvptx_int(l->ir, size));
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
	if (nvptx_only_starts(l, s) && !l->now.live) {
		start_copy(l, s, in, index);
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
