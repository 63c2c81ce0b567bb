/* nvptx: folds, reductions along the lines of a tile (polyir/sums/fold.c).
 *
 * Each thread makes a value of its own points on each line that it has points on,
 * which are as many as there are register digits across the lines. Lanes of a warp
 * exchange theirs in pairs. Where a line goes through several warps, each of them
 * has a row of places in shared memory, for all digits:
 *
 *	%v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, ..)
 *	store float %v, ptr addrspace(3) ..
 *	call void @llvm.nvvm.barrier0()
 *
 * Then one thread of the line, another one for each digit, puts together what the
 * warps have, and stores it.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"


/* A fold under way, in "kernel". Threads of a line are in "lanes" lanes of a warp,
 * "step" apart, of each of "rows" warps; "digits" lines go through points of one
 * thread.
 */
struct lines {
	const struct poly_stmt *stmt;
	const struct poly_kernel *kernel;
	int axis, lanes, step, rows, digits;
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Where the threads and points of the lines along "axis" are.
 *
 * As in lower_reduce.c.
 */
static struct lines lines_of(const struct poly_kernel *k,
	const struct poly_stmt *s, int axis)
{
	struct lines n = { .stmt = s, .kernel = k, .axis = axis };

	n.step = axis ? 1 : smaller(k->thread[1], POLY_LANES);
	n.lanes = smaller(k->thread[axis], POLY_LANES / n.step);
	n.rows = k->thread[axis] / n.lanes;
	n.digits = k->tile[!axis] / k->thread[!axis];
	return n;
}

/* The bytes of a row of places for each warp that a line goes through.
 *
 * Only lines along t0 go through several warps here.
 */
static int64_t bytes_of(const struct lines *n)
{
	return n->rows == 1 ? 0 : nvptx_places_bytes((int64_t) n->rows *
		n->digits * n->kernel->thread[1] *
		poly_type_size(n->stmt->write_array->type));
}

/* A fold that is none needs nothing. */
int64_t nvptx_fold_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *m)
{
	struct lines n;

	if (!m->fold)
		return 0;
	n = lines_of(k, m, poly_fold_axis(prog, k, m) > 0);
	return bytes_of(&n);
}

/* That of the array that is written. */
static LLVMTypeRef value_type(struct nvptx_ir *ir, const struct poly_stmt *s)
{
	return nvptx_value_type(ir, s->write_array->type);
}

/* Begin the fold "s": room for each line that the thread has points on, with the
 * value that changes nothing.
 *
 * Folds of a group are numbered in the order of its members.
 */
static void begin(struct nvptx_lower *l, const struct poly_stmt *s)
{
	struct nvptx_fold *f = &l->folds.list[l->folds.n];
	struct lines n;

	if (l->folds.n == POLY_MAX_FOLDS) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "too many folds");
		return;
	}
	f->stmt = s;
	f->axis = poly_fold_axis(l->prog, l->kernel, s);
	if (f->axis < 0) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "a fold has no lines");
		return;
	}
	n = lines_of(l->kernel, s, f->axis);
	f->room = nvptx_room(l->ir, LLVMArrayType2(value_type(l->ir, s),
		n.digits), s->name);
	for (int r = 0; r < n.digits; r++)
		LLVMBuildStore(l->ir->b, nvptx_identity(l, s->reduce,
			s->write_array->type), nvptx_element(l->ir,
			value_type(l->ir, s), f->room, nvptx_int(l->ir, r)));
	l->folds.n++;
}

/* Called before the group's loops; nvptx_folds_end() comes behind them. */
void nvptx_folds_begin(struct nvptx_lower *l, const struct poly_stmt *s)
{
	l->folds.n = 0;
	for (int i = 0; i < s->n_member; i++)
		if (s->member[i]->fold)
			begin(l, s->member[i]);
}

/* By the operator of the fold. */
static LLVMValueRef combined(struct nvptx_ir *ir, const struct poly_stmt *s,
	LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(ir, s->reduce, s->write_array->type, a, b);
}

/* What is in "room" for digit "r".
 *
 * Each line of the thread has one value there.
 */
static LLVMValueRef in_room(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef room, int r)
{
	LLVMTypeRef type = value_type(ir, n->stmt);

	return LLVMBuildLoad2(ir->b, type, nvptx_element(ir, type, room,
		nvptx_int(ir, r)), "");
}

/* Let "room" have for digit "r" what all threads of a line in one warp have.
 *
 * All lanes have it afterwards.
 */
static void exchange_all(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef room, int r)
{
	LLVMValueRef v = in_room(ir, n, room, r), mask = nvptx_int(ir, -1);

	for (int i = n->lanes / 2; i > 0; i /= 2)
		v = combined(ir, n->stmt, v, nvptx_exchange(ir, mask, v,
			i * n->step));
	LLVMBuildStore(ir->b, v, nvptx_element(ir, value_type(ir, n->stmt),
		room, nvptx_int(ir, r)));
}

/* The place of digit "r" in the row of places "row" of the thread's line.
 *
 * Rows of places lie one behind the other, one for each warp.
 */
static LLVMValueRef place(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef row, int r)
{
	int columns = n->kernel->thread[1];

	row = nvptx_mul(l->ir, row, nvptx_int(l->ir, n->digits * columns));
	row = nvptx_add(l->ir, row, nvptx_int(l->ir, r * columns), "");
	return nvptx_element(l->ir, value_type(l->ir, n->stmt), base,
		nvptx_add(l->ir, row, l->value.tid[1], ""));
}

/* Shared memory for the fold's places.
 *
 * See bytes_of().
 */
static LLVMValueRef places(struct nvptx_lower *l, const struct lines *n)
{
	return nvptx_take_places(l, bytes_of(n));
}

/* Put what the warp has in "room" into "base", and wait for all.
 *
 * One lane writes for its warp; the barrier lets others read.
 */
static void put(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef room)
{
	LLVMValueRef lanes = nvptx_int(l->ir, n->lanes), zero = nvptx_int(l->ir,
		0);
	LLVMValueRef row = nvptx_div(l->ir, l->value.tid[0], lanes), first;
	struct nvptx_branch branch;

	first = LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_mod(l->ir, l->value.tid[0], lanes), zero, "");
	nvptx_if_begin(l->ir, &branch, first, "put");
	for (int r = 0; r < n->digits; r++)
		LLVMBuildStore(l->ir->b, in_room(l->ir, n, room, r),
			place(l, n, base, row, r));
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* What rows "from" to "to" - 1 of "base" have for digit "r".
 *
 * In halves, in an order that does not depend on the thread.
 */
static LLVMValueRef get(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, int r, int from, int to)
{
	int middle = (from + to) / 2;
	LLVMValueRef a;

	if (to - from == 1)
		return LLVMBuildLoad2(l->ir->b, value_type(l->ir, n->stmt),
			place(l, n, base, nvptx_int(l->ir, from), r), "");
	a = get(l, n, base, r, from, middle);
	return combined(l->ir, n->stmt, a, get(l, n, base, r, middle, to));
}

/* Store what lies in "base" for digit "r", or, if that is NULL, in "room": "p" is
 * the first point of the line.
 *
 * One thread of each line stores.
 */
static void store(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef room, int r, const LLVMValueRef *p)
{
	const struct poly_stmt *s = n->stmt;
	LLVMValueRef in[16], index[16], v = base ?
		get(l, n, base, r, 0, n->rows) : in_room(l->ir, n, room, r);

	nvptx_multi_aff(l, s->at, p, in);
	nvptx_index(l, s->write_array, s->write_index, in, index);
	nvptx_store(l, s->write_array, index, (struct nvptx_value) { v, NULL });
}

/* Put together what the threads have made of "f", where "guard" holds at the first
 * points of lines.
 *
 * Lines are stored by different threads, so that stores go side by side.
 */
static void end(struct nvptx_lower *l, const struct nvptx_fold *f,
	__isl_take isl_set *guard, int n_coordinate, const LLVMValueRef *arg,
	const LLVMValueRef *base)
{
	struct lines n = lines_of(l->kernel, f->stmt, f->axis);
	int threads = l->kernel->thread[f->axis], other = !f->axis;
	LLVMValueRef p[16], shared = NULL, own, cond;
	struct nvptx_branch branch;

	for (int r = 0; r < n.digits; r++)
		exchange_all(l->ir, &n, f->room, r);
	if (n.rows > 1) {
		shared = places(l, &n);
		put(l, &n, shared, f->room);
	}
	for (int i = 2; i < n_coordinate; i++)
		p[i] = base[i];
	p[f->axis] = nvptx_mul(l->ir, arg[f->axis],
		nvptx_int(l->ir, l->kernel->tile[f->axis]));
	for (int r = 0; r < n.digits; r++) {
		p[other] = nvptx_add(l->ir, base[other], nvptx_int(l->ir,
			poly_digit_offset(l->kernel, other, r)), "");
		own = LLVMBuildICmp(l->ir->b, LLVMIntEQ, l->value.tid[f->axis],
			nvptx_int(l->ir, r % threads), "");
		cond = nvptx_condition(l, isl_set_copy(guard), p);
		if (cond)
			own = LLVMBuildAnd(l->ir->b, own, cond, "");
		nvptx_if_begin(l->ir, &branch, own, "part");
		store(l, &n, shared, f->room, r, p);
		nvptx_if_end(l->ir, &branch);
	}
	isl_set_free(guard);
}

/* Guards are in the order of the members. */
void nvptx_folds_end(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, const LLVMValueRef *arg,
	const LLVMValueRef *base)
{
	int f = 0;

	for (int i = 0; i < s->n_member && f < l->folds.n; i++) {
		if (s->member[i] != l->folds.list[f].stmt)
			continue;
		nvptx_debug_stmt(l->ir, s->member[i]);
		end(l, &l->folds.list[f++], isl_set_list_get_at(guards, i),
			isl_set_dim(s->domain, isl_dim_set), arg, base);
	}
}
