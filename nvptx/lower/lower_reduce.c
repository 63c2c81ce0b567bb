/* nvptx: REDUCE, an update along the lines of a tile.
 *
 * Each thread makes a value of its own points on each line that it has points on,
 * in several accumulators, so that one update need not wait for the one before. Then
 * the lanes of a warp exchange theirs in pairs, the furthest first, and all of them
 * have what the warp has made:
 *
 *	%v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, ..)
 *
 * Where a line goes through several warps, each of them has a place in shared
 * memory, and behind a barrier all threads of the line put together what lies there,
 * in one order:
 *
 *	along t1: a lane reads one place, and lanes exchange again
 *	along t0: neighbouring lanes read a column, and exchange; behind another
 *	barrier each thread reads the results of its columns
 *
 * Where a line goes on in the other blocks of a cluster, each block has a place for it,
 * behind a barrier of the cluster read by the others: along t1 in the same way, along t0
 * by one thread a line, which leaves what it has put together in another place.
 *
 * So every thread of the line holds the same bits. What may be done to all terms together
 * (polyir/layout/term.c) is done to these.
 *
 * The least position of some elements, as arg-max asks for it,
 *
 *	at = min(at, x[j] == most ? j : 2^63 - 1)
 *
 * is one of 32 bits on the way, if all positions are: 2^31 - 1 stands for none.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_reduce.h"

/* Accumulators of a line, at most. */
enum { ACCUMULATORS = 4 };

/* ----------------------------------------------------------------- one thread */

/* Not more than there are points. */
static int n_accumulators(const struct nvptx_line *n)
{
	return n->own < ACCUMULATORS ? n->own : ACCUMULATORS;
}

/* The accumulator of digit "r" across the lines that takes their digit "along".
 *
 * Points go to the accumulators in turn.
 */
static LLVMValueRef accumulator(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef room, int r, int along)
{
	int many = n_accumulators(n);

	return nvptx_element(ir, nvptx_line_type(ir, n), room,
		nvptx_int(ir, r * many + along % many));
}

/* Room for what the thread makes, all of which is nothing yet.
 *
 * The room is in registers once LLVM has taken it apart.
 */
static LLVMValueRef begin(struct nvptx_lower *l, const struct nvptx_line *n)
{
	int many = n_accumulators(n);
	LLVMValueRef room = nvptx_room(l->ir, LLVMArrayType2(nvptx_line_type(l->ir,
		n), n->digits * many), n->stmt->name);

	for (int i = 0; i < n->digits * many; i++)
		LLVMBuildStore(l->ir->b, nvptx_line_nothing(l, n), accumulator(l->ir, n,
			room, i / many, i % many));
	return room;
}

/* The lesser one of "before" and the position of the point "in", if it is one. */
static LLVMValueRef lesser(struct nvptx_lower *l, const struct nvptx_line *n,
	const LLVMValueRef *in, LLVMValueRef before)
{
	const struct poly_expr *e = n->stmt->rhs;
	LLVMValueRef is = nvptx_expr(l, e->arg[0], in).v;
	LLVMValueRef at = nvptx_expr(l, e->arg[1], in).v;

	at = LLVMBuildTrunc(l->ir->b, at, nvptx_i32(l->ir), "");
	return nvptx_line_combined(l->ir, n, before, LLVMBuildSelect(l->ir->b, is, at,
		nvptx_line_nothing(l, n), ""));
}

/* Let the accumulator "cell" take the term of the point "p", if "cond", which may be
 * NULL, says so.
 *
 * A member that reads memory is left out by a branch; another one is computed
 * and not taken, since that needs no jump.
 */
static void take(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef cell, const LLVMValueRef *p, LLVMValueRef cond)
{
	struct nvptx_branch branch;
	LLVMValueRef in[16], v, before;
	bool jumps = cond && nvptx_reads_memory(n->stmt);

	if (jumps)
		nvptx_if_begin(l->ir, &branch, cond, n->stmt->name);
	nvptx_debug_stmt(l->ir, n->stmt);
	nvptx_stand(l, n->stmt, p, in);
	nvptx_instance(l, n->stmt, in);
	l->now.at = n->stmt->at;
	l->now.point = p;
	before = LLVMBuildLoad2(l->ir->b, nvptx_line_type(l->ir, n), cell, "");
	if (n->brief)
		v = lesser(l, n, in, before);
	else if (n->term.e == n->stmt->rhs)
		v = nvptx_updated(l, n->stmt, in, (struct nvptx_value) { before,
			NULL }).v;
	else
		v = nvptx_updated_by(l, n->stmt, n->term.e, n->term.op, in,
			(struct nvptx_value) { before, NULL }).v;
	l->now.at = NULL;
	if (cond && !jumps)
		v = LLVMBuildSelect(l->ir->b, cond, v, before, "");
	LLVMBuildStore(l->ir->b, v, cell);
	if (jumps)
		nvptx_if_end(l->ir, &branch);
}

/* Take "n" points from number "r" of the thread on, where "guard" holds: at all of "run"
 * points along axis 1 or at none.
 *
 * Digits along axis 1 run fastest; the condition is asked for at the first
 * point of each run.
 */
static void take_some(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_line *n, LLVMValueRef room, __isl_keep isl_set *guard,
	int r, int some, int run, const LLVMValueRef *base)
{
	int columns = l->kernel->tile[1] / l->kernel->thread[1];
	LLVMValueRef p[16], cond = NULL;

	for (int i = 2; i < isl_set_dim(op->domain, isl_dim_set); i++)
		p[i] = base[i];
	for (int end = r + some; r < end; r++) {
		nvptx_set_point(l, op, r / columns, r % columns, base, p);
		if (l->now.digit[1] % run == 0)
			cond = nvptx_condition(l, isl_set_copy(guard), p);
		take(l, n, accumulator(l->ir, n, room, l->now.digit[!n->axis],
			l->now.digit[n->axis]), p, cond);
	}
}

/* The run from number "r" on: the guard is asked point by point only where it does not
 * hold for all, by what "when" has.
 *
 * The run is taken twice in the code: without conditions, and, if some may not
 * hold, with them.
 */
static void take_run(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_line *n, LLVMValueRef room, const struct nvptx_when *when,
	int r, const LLVMValueRef *base)
{
	int columns = l->kernel->tile[1] / l->kernel->thread[1];
	int run = l->kernel->vec[1];
	isl_set *always = isl_set_universe(isl_set_get_space(when->guard));
	struct nvptx_run_branch branch;
	LLVMValueRef p[16];
	bool rest;

	for (int i = 2; i < isl_set_dim(op->domain, isl_dim_set); i++)
		p[i] = base[i];
	nvptx_set_point(l, op, r / columns, r % columns, base, p);
	rest = nvptx_run_begin(l, &branch, when, p);
	take_some(l, op, n, room, always, r, run, run, base);
	if (rest) {
		nvptx_run_else(l->ir, &branch);
		take_some(l, op, n, room, when->guard, r, run, 1, base);
		nvptx_if_end(l->ir, &branch.branch);
	}
	isl_set_free(always);
}

/* Take all points of the thread, "base" being the first one, where "when" says so.
 *
 * A run is as many points as lie side by side along axis 1.
 */
static void take_points(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_line *n, LLVMValueRef room, const struct nvptx_when *when,
	const LLVMValueRef *base)
{
	int all = n->digits * n->own;

	if (!when->all)
		take_some(l, op, n, room, when->guard, 0, all, when->run, base);
	for (int r = 0; when->all && r < all; r += l->kernel->vec[1])
		take_run(l, op, n, room, when, r, base);
}

/* --------------------------------------------------------------- the others */

/* What the thread has made of digit "r", its accumulators put together.
 *
 * In pairs, so that additions do not wait for one another.
 */
static LLVMValueRef own_value(struct nvptx_ir *ir, const struct nvptx_line *n,
	LLVMValueRef room, int r)
{
	LLVMValueRef v[ACCUMULATORS];
	int many = n_accumulators(n);

	for (int i = 0; i < many; i++)
		v[i] = LLVMBuildLoad2(ir->b, nvptx_line_type(ir, n),
			accumulator(ir, n, room, r, i), "");
	for (int step = 1; step < many; step *= 2)
		for (int i = 0; i + step < many; i += 2 * step)
			v[i] = nvptx_line_combined(ir, n, v[i], v[i + step]);
	return v[0];
}

/* The place of digit "r" and warp "row" of the thread's line in shared memory.
 *
 *	along t1	line by line, the warps of each side by side
 *	along t0	warp by warp, so that a column of lines lies side by side
 */
static LLVMValueRef place(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef row, int r)
{
	LLVMValueRef at;

	if (n->axis) {
		at = nvptx_add(l->ir, nvptx_mul(l->ir, l->value.tid[0],
			nvptx_int(l->ir, n->digits)), nvptx_int(l->ir, r), "");
		at = nvptx_add(l->ir, nvptx_mul(l->ir, at, nvptx_int(l->ir,
			n->rows)), row, "");
	} else {
		at = nvptx_add(l->ir, nvptx_mul(l->ir, row, nvptx_int(l->ir,
			n->digits)), nvptx_int(l->ir, r), "");
		at = nvptx_add(l->ir, nvptx_mul(l->ir, at, nvptx_int(l->ir,
			n->kernel->thread[1])), l->value.tid[1], "");
	}
	return nvptx_line_place(l->ir, n, base, at);
}

/* Shared memory for what the warps, and the blocks, of the lines make.
 *
 * As many bytes as the kernel's shared memory was counted with.
 */
static LLVMValueRef places(struct nvptx_lower *l, const struct poly_stmt *op)
{
	return nvptx_take_places(l, nvptx_reduce_bytes(l->kernel, op));
}

/* Put what the warp has, "v" of each digit, into "base", and wait for all.
 *
 * One lane of each warp writes, since all have the same.
 */
static void put(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, const LLVMValueRef *v)
{
	LLVMValueRef lanes = nvptx_int(l->ir, n->lanes), zero = nvptx_int(l->ir,
		0);
	LLVMValueRef row = nvptx_div(l->ir, l->value.tid[n->axis], lanes),
		first;
	struct nvptx_branch branch;

	first = LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_mod(l->ir, l->value.tid[n->axis], lanes), zero, "");
	nvptx_if_begin(l->ir, &branch, first, "put");
	for (int r = 0; r < n->digits; r++)
		LLVMBuildStore(l->ir->b, v[r], place(l, n, base, row, r));
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* Along t0: lanes side by side take the places of one column, "rows" of them, and put
 * them together; the first of them leaves the result in the first place.
 *
 * A thread without a column takes part in the exchange, and writes nothing. What it reads
 * is a place of the second row, since results are written to the first.
 */
static void join_column(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef column)
{
	LLVMValueRef row, at, v, first, cond;
	LLVMValueRef columns = nvptx_int(l->ir, nvptx_line_count(n));
	struct nvptx_branch branch;

	row = nvptx_mod(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		n->rows));
	cond = LLVMBuildICmp(l->ir->b, LLVMIntULT, column, columns, "");
	at = LLVMBuildSelect(l->ir->b, cond, nvptx_add(l->ir, nvptx_mul(l->ir, row,
		columns), column, ""), columns, "");
	v = LLVMBuildLoad2(l->ir->b, nvptx_line_type(l->ir, n), nvptx_line_place(l->ir, n,
		base, at), "");
	v = nvptx_line_exchanged(l->ir, n, v, n->rows, 1);
	first = LLVMBuildAnd(l->ir->b, cond, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		row, nvptx_int(l->ir, 0), ""), "");
	nvptx_if_begin(l->ir, &branch, first, "column");
	LLVMBuildStore(l->ir->b, v, nvptx_line_place(l->ir, n, base, column));
	nvptx_if_end(l->ir, &branch);
}

/* Do so with all columns, as many at a time as the block has threads for.
 *
 * The barrier at the end is for those who read the results.
 */
static void join_columns(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base)
{
	int threads = n->kernel->thread[0] * n->kernel->thread[1];
	int64_t some = threads / n->rows, all = nvptx_line_count(n);
	LLVMValueRef zero = nvptx_int(l->ir, 0), own;

	own = nvptx_div(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		n->rows));
	for (int64_t i = 0; i < all; i += some)
		join_column(l, n, base, nvptx_add(l->ir, own, nvptx_int(l->ir,
			i), ""));
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* What all warps of the thread's line have for digit "r".
 *
 * Along t0 the results are in the first places; along t1 each lane takes one
 * place and lanes exchange.
 */
static LLVMValueRef get(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, int r)
{
	LLVMValueRef row, v;

	if (!n->axis)
		return LLVMBuildLoad2(l->ir->b, nvptx_line_type(l->ir, n),
			place(l, n, base, nvptx_int(l->ir, 0), r), "");
	row = nvptx_mod(l->ir, l->value.tid[1], nvptx_int(l->ir, n->rows));
	v = LLVMBuildLoad2(l->ir->b, nvptx_line_type(l->ir, n), place(l, n, base,
		row, r), "");
	return nvptx_line_exchanged(l->ir, n, v, n->rows, 1);
}

/* ----------------------------------------------------------------- the cells */

/* The position "v" as one of 64 bits. */
static LLVMValueRef long_position(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef v)
{
	LLVMValueRef none = LLVMBuildICmp(l->ir->b, LLVMIntEQ, v, nvptx_line_nothing(l, n), "");

	return LLVMBuildSelect(l->ir->b, none, nvptx_identity(l, POLY_OP_MIN,
		POLY_I64), LLVMBuildZExt(l->ir->b, v, nvptx_i64(l->ir), ""), "");
}

/* What "v", made of all terms of digit "r", is as a value of the member.
 *
 * What the rest of its expression needs is the same at all points of the line: the first of
 * the thread's own is asked for it.
 */
static LLVMValueRef result(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_line *n, int r, const LLVMValueRef *base, LLVMValueRef v)
{
	LLVMValueRef p[16], in[16];

	if (n->term.e == n->stmt->rhs)
		return v;
	for (int i = 2; i < isl_set_dim(op->domain, isl_dim_set); i++)
		p[i] = base[i];
	nvptx_set_point(l, op, n->axis ? r : 0, n->axis ? 0 : r, base, p);
	nvptx_stand(l, n->stmt, p, in);
	nvptx_instance(l, n->stmt, in);
	l->now.at = n->stmt->at;
	l->now.point = p;
	v = nvptx_line_result(l, n, in, v);
	l->now.at = NULL;
	return v;
}

/* Let the cell of digit "r" take "v".
 *
 * The cell is in registers: each thread of the line has it.
 */
static void update(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_line *n, int r, const LLVMValueRef *base, LLVMValueRef v)
{
	struct poly_array *a = n->stmt->write_array;
	LLVMValueRef none[16] = { NULL };

	if (n->brief)
		v = long_position(l, n, v);
	v = result(l, op, n, r, base, v);
	l->now.digit[n->axis] = 0;
	l->now.digit[!n->axis] = r;
	v = nvptx_combined(l->ir, n->stmt->reduce, a->type, nvptx_load(l, a,
		none).v, v);
	nvptx_store(l, a, none, (struct nvptx_value) { v, NULL });
}

/* The order of putting together is the same for all threads, whatever came
 * first.
 */
void nvptx_reduce(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_when *when, const LLVMValueRef *base)
{
	struct nvptx_line n = nvptx_line_of(l->kernel, op);
	LLVMValueRef room, shared = NULL, *v = calloc(n.digits, sizeof(*v));

	if (!v) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return;
	}
	n.brief = nvptx_line_is_brief(l, n.stmt);
	if (!l->ir->m->opt.ring && !l->ir->m->opt.wide)
		n.term = poly_term_of(l->prog, op->member[0]);
	room = begin(l, &n);
	take_points(l, op, &n, room, when, base);
	for (int r = 0; r < n.digits; r++)
		v[r] = nvptx_line_exchanged(l->ir, &n, own_value(l->ir, &n, room, r),
			n.lanes, n.step);
	if (n.rows > 1 || n.blocks > 1)
		shared = places(l, op);
	if (n.rows > 1) {
		put(l, &n, shared, v);
		if (!n.axis)
			join_columns(l, &n, shared);
		for (int r = 0; r < n.digits; r++)
			v[r] = get(l, &n, shared, r);
	}
	if (n.blocks > 1)
		nvptx_line_join_blocks(l, &n, shared, v);
	for (int r = 0; r < n.digits; r++)
		update(l, op, &n, r, base, v[r]);
	free(v);
}
