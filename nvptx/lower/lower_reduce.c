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
 * So every thread of the line holds the same bits.
 *
 * The least position of some elements, as arg-max asks for it,
 *
 *	at = min(at, x[j] == most ? j : 2^63 - 1)
 *
 * is one of 32 bits on the way, if all positions are: 2^31 - 1 stands for none.
 */
#include <isl/ilp.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Accumulators of a line, at most. */
enum { ACCUMULATORS = 4 };

/* A REDUCE under way. Threads of a line are in "lanes" lanes of a warp, "step" apart,
 * of each of "rows" warps, in "blocks" blocks; "digits" lines go through points of one
 * thread, which has "own" points on each.
 *
 * As in a SCAN (lower_scan.c), and "blocks" for clusters.
 */
struct lines {
	const struct poly_stmt *stmt;	/* the member */
	const struct poly_kernel *kernel;
	int axis, lanes, step, rows, blocks, digits, own;
	bool brief;	/* values are positions of 32 bits */
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Where the threads and points of the lines of "op" are.
 *
 * One block of the line where the kernel has no cluster.
 */
static struct lines lines_of(const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	int axis = op->along == POLY_AXIS_0 ? 0 : 1;
	struct lines n = { .stmt = op->member[0], .kernel = k, .axis = axis };

	n.step = axis ? 1 : smaller(k->thread[1], POLY_LANES);
	n.lanes = smaller(k->thread[axis], POLY_LANES / n.step);
	n.rows = k->thread[axis] / n.lanes;
	n.digits = k->tile[!axis] / k->thread[!axis];
	n.own = k->tile[axis] / k->thread[axis];
	n.blocks = poly_cluster(k, axis);
	return n;
}

/* Is "e" 2^63 - 1? */
static bool is_last(const struct poly_expr *e)
{
	const struct poly_expr *sign = e->op == POLY_OP_NOT ? e->arg[0] : NULL;

	return sign && sign->op == POLY_OP_SHL && sign->type == POLY_I64 &&
		sign->arg[0]->op == POLY_OP_CONST && sign->arg[0]->value == 1 &&
		sign->arg[1]->op == POLY_OP_CONST && sign->arg[1]->value == 63;
}

/* Are all values of "index", of which "s" makes one an instance, between 0 and 2^31 - 2? */
static bool is_position(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_pw_aff *pa = isl_pw_aff_intersect_domain(
		isl_multi_pw_aff_get_at(index, 0), isl_set_intersect_params(
		isl_set_copy(s->domain), isl_set_copy(l->fact.known)));
	isl_val *most = isl_pw_aff_max_val(isl_pw_aff_copy(pa));
	isl_val *least = isl_pw_aff_min_val(pa);
	bool is = isl_val_is_int(most) == isl_bool_true &&
		isl_val_is_int(least) == isl_bool_true &&
		isl_val_cmp_si(least, 0) >= 0 && isl_val_cmp_si(most,
		INT32_MAX) < 0;

	isl_val_free(most);
	isl_val_free(least);
	return is;
}

/* Is what "s" makes the least of some positions? */
static bool is_brief(struct nvptx_lower *l, const struct poly_stmt *s)
{
	const struct poly_expr *e = s->rhs;

	return !l->ir->m->opt.wide && s->reduce == POLY_OP_MIN &&
		s->write_array->type == POLY_I64 && e->op == POLY_OP_SELECT &&
		e->arg[1]->op == POLY_OP_INDEX && is_last(e->arg[2]) &&
		is_position(l, s, e->arg[1]->index);
}

/* The bytes of a place: a whole number of words, which clusters exchange.
 *
 * The exchange between blocks moves words of 32 bits.
 */
static int place_bytes(const struct lines *n)
{
	int size = poly_type_size(n->stmt->write_array->type);

	return size < 4 || n->brief ? 4 : size;
}

/* How many lines the block has places for.
 *
 * Digits across times threads across.
 */
static int64_t n_lines(const struct lines *n)
{
	return (int64_t) n->digits * n->kernel->thread[!n->axis];
}

/* How many places of a line warps have.
 *
 * A line within one warp needs none.
 */
static int n_rows(const struct lines *n)
{
	return n->rows == 1 ? 0 : n->rows;
}

/* A block that shares its lines with others has one place more for each line;
 * along t0 two, since one thread puts them together for all; and one for what each of the
 * blocks sends.
 */
int64_t nvptx_reduce_bytes(const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	struct lines n;

	if (op->kind != POLY_REDUCE)
		return 0;
	n = lines_of(k, op);
	return nvptx_places_bytes(n_lines(&n) * place_bytes(&n) *
		(n_rows(&n) + (n.blocks == 1 ? 0 : n.blocks + (n.axis ? 1 : 2))));
}

/* What all blocks together send to each. */
static int64_t sent_bytes(const struct lines *n)
{
	return n_lines(n) * n->blocks * place_bytes(n);
}

int64_t nvptx_sent_bytes(struct nvptx_lower *l, const struct poly_stmt *op)
{
	struct lines n;

	if (op->kind != POLY_REDUCE)
		return 0;
	n = lines_of(l->kernel, op);
	n.brief = is_brief(l, n.stmt);
	if (n.blocks == 1)
		return 0;
	return l->kernel->thread[n.axis] < n.blocks ? -1 : sent_bytes(&n);
}

static enum poly_type type_of(const struct lines *n)
{
	return n->brief ? POLY_I32 : n->stmt->write_array->type;
}

/* That of the array that is updated, or of a position. */
static LLVMTypeRef value_type(struct nvptx_ir *ir, const struct lines *n)
{
	return nvptx_value_type(ir, type_of(n));
}

/* By the member's operator. */
static LLVMValueRef combined(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(ir, n->stmt->reduce, type_of(n), a, b);
}

/* The value that changes nothing.
 *
 * As a literal of the array's type.
 */
static LLVMValueRef nothing(struct nvptx_lower *l, const struct lines *n)
{
	return nvptx_identity(l, n->stmt->reduce, type_of(n));
}

/* ----------------------------------------------------------------- one thread */

/* Not more than there are points. */
static int n_accumulators(const struct lines *n)
{
	return smaller(n->own, ACCUMULATORS);
}

/* The accumulator of digit "r" across the lines that takes their digit "along".
 *
 * Points go to the accumulators in turn.
 */
static LLVMValueRef accumulator(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef room, int r, int along)
{
	int many = n_accumulators(n);

	return nvptx_element(ir, value_type(ir, n), room,
		nvptx_int(ir, r * many + along % many));
}

/* Room for what the thread makes, all of which is nothing yet.
 *
 * The room is in registers once LLVM has taken it apart.
 */
static LLVMValueRef begin(struct nvptx_lower *l, const struct lines *n)
{
	int many = n_accumulators(n);
	LLVMValueRef room = nvptx_room(l->ir, LLVMArrayType2(value_type(l->ir,
		n), n->digits * many), n->stmt->name);

	for (int i = 0; i < n->digits * many; i++)
		LLVMBuildStore(l->ir->b, nothing(l, n), accumulator(l->ir, n,
			room, i / many, i % many));
	return room;
}

/* The lesser one of "before" and the position of the point "in", if it is one. */
static LLVMValueRef lesser(struct nvptx_lower *l, const struct lines *n,
	const LLVMValueRef *in, LLVMValueRef before)
{
	const struct poly_expr *e = n->stmt->rhs;
	LLVMValueRef is = nvptx_expr(l, e->arg[0], in).v;
	LLVMValueRef at = nvptx_expr(l, e->arg[1], in).v;

	at = LLVMBuildTrunc(l->ir->b, at, nvptx_i32(l->ir), "");
	return combined(l->ir, n, before, LLVMBuildSelect(l->ir->b, is, at,
		nothing(l, n), ""));
}

/* Let the accumulator "cell" take the point "p", if "cond", which may be NULL, says
 * so.
 *
 * A member that reads memory is left out by a branch; another one is computed
 * and not taken, since that needs no jump.
 */
static void take(struct nvptx_lower *l, const struct lines *n,
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
	before = LLVMBuildLoad2(l->ir->b, value_type(l->ir, n), cell, "");
	v = n->brief ? lesser(l, n, in, before) : nvptx_updated(l, n->stmt, in,
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
	const struct lines *n, LLVMValueRef room, __isl_keep isl_set *guard,
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
	const struct lines *n, LLVMValueRef room, const struct nvptx_when *when,
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
	const struct lines *n, LLVMValueRef room, const struct nvptx_when *when,
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
static LLVMValueRef own_value(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef room, int r)
{
	LLVMValueRef v[ACCUMULATORS];
	int many = n_accumulators(n);

	for (int i = 0; i < many; i++)
		v[i] = LLVMBuildLoad2(ir->b, value_type(ir, n),
			accumulator(ir, n, room, r, i), "");
	for (int step = 1; step < many; step *= 2)
		for (int i = 0; i + step < many; i += 2 * step)
			v[i] = combined(ir, n, v[i], v[i + step]);
	return v[0];
}

/* "v" of all of "lanes" lanes, "step" apart, put together.
 *
 * All lanes have the result afterwards.
 */
static LLVMValueRef exchanged(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef v, int lanes, int step)
{
	LLVMValueRef mask = nvptx_int(ir, -1);

	for (int i = lanes / 2; i > 0; i /= 2)
		v = combined(ir, n, v, nvptx_exchange(ir, mask, v, i * step));
	return v;
}

/* Place number "at" from "base" on.
 *
 * Places are words: an element of 16 bits has a whole one.
 */
static LLVMValueRef at_place(struct nvptx_ir *ir, const struct lines *n,
	LLVMValueRef base, LLVMValueRef at)
{
	LLVMTypeRef words = LLVMArrayType2(nvptx_i32(ir), place_bytes(n) / 4);

	return nvptx_element(ir, words, base, at);
}

/* The place of digit "r" and warp "row" of the thread's line in shared memory.
 *
 *	along t1	line by line, the warps of each side by side
 *	along t0	warp by warp, so that a column of lines lies side by side
 */
static LLVMValueRef place(struct nvptx_lower *l, const struct lines *n,
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
	return at_place(l->ir, n, base, at);
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
static void put(struct nvptx_lower *l, const struct lines *n,
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
 * A thread without a column takes part in the exchange, and writes nothing.
 */
static void join_column(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef column)
{
	LLVMValueRef row, at, v, first, cond;
	LLVMValueRef columns = nvptx_int(l->ir, n_lines(n));
	struct nvptx_branch branch;

	row = nvptx_mod(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		n->rows));
	cond = LLVMBuildICmp(l->ir->b, LLVMIntULT, column, columns, "");
	at = nvptx_add(l->ir, nvptx_mul(l->ir, row, columns),
		LLVMBuildSelect(l->ir->b, cond, column, nvptx_int(l->ir, 0),
		""), "");
	v = LLVMBuildLoad2(l->ir->b, value_type(l->ir, n), at_place(l->ir, n,
		base, at), "");
	v = exchanged(l->ir, n, v, n->rows, 1);
	first = LLVMBuildAnd(l->ir->b, cond, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		row, nvptx_int(l->ir, 0), ""), "");
	nvptx_if_begin(l->ir, &branch, first, "column");
	LLVMBuildStore(l->ir->b, v, at_place(l->ir, n, base, column));
	nvptx_if_end(l->ir, &branch);
}

/* Do so with all columns, as many at a time as the block has threads for.
 *
 * The barrier at the end is for those who read the results.
 */
static void join_columns(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base)
{
	int threads = n->kernel->thread[0] * n->kernel->thread[1];
	int64_t some = threads / n->rows, all = n_lines(n);
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
static LLVMValueRef get(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, int r)
{
	LLVMValueRef row, v;

	if (!n->axis)
		return LLVMBuildLoad2(l->ir->b, value_type(l->ir, n),
			place(l, n, base, nvptx_int(l->ir, 0), r), "");
	row = nvptx_mod(l->ir, l->value.tid[1], nvptx_int(l->ir, n->rows));
	v = LLVMBuildLoad2(l->ir->b, value_type(l->ir, n), place(l, n, base,
		row, r), "");
	return exchanged(l->ir, n, v, n->rows, 1);
}

/* --------------------------------------------------------------- other blocks */

/* The place of "line", behind those of warps, or behind those, too, what all blocks have
 * "together".
 *
 * Behind the places of warps comes one for each line, behind these one more.
 */
static LLVMValueRef line_place(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef line, bool together)
{
	int64_t first = (n_rows(n) + together) * n_lines(n);

	return at_place(l->ir, n, base, nvptx_add(l->ir, line, nvptx_int(l->ir,
		first), ""));
}

/* The number of digit "r" of the thread's line.
 *
 * As line_place() counts them.
 */
static LLVMValueRef line_number(struct nvptx_lower *l, const struct lines *n,
	int r)
{
	return nvptx_add(l->ir, nvptx_mul(l->ir, l->value.tid[!n->axis],
		nvptx_int(l->ir, n->digits)), nvptx_int(l->ir, r), "");
}

/* What the block "rank" has in the place "own" of this one, or has sent to one behind it.
 *
 * The instruction reads a word: a value of 64 bits takes two.
 */
static LLVMValueRef read_block(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef own, LLVMValueRef rank)
{
	struct nvptx_ir *ir = l->ir;
	LLVMTypeRef type = value_type(ir, n);
	LLVMValueRef word[2];

	if (l->value.joins)
		return LLVMBuildLoad2(ir->b, type, at_place(ir, n, own, nvptx_mul(ir,
			rank, nvptx_int(ir, n_lines(n)))), "");
	for (int i = 0; i < place_bytes(n) / 4; i++) {
		LLVMValueRef arg[2] = { nvptx_element(ir, nvptx_i32(ir), own,
			nvptx_int(ir, i)), rank };

		word[i] = nvptx_hw(ir, NVPTX_HW_CLUSTER_READ, arg, 2, "");
	}
	return nvptx_relay_value(ir, type, word);
}

/* What all blocks have in the place "own", put together by the thread.
 *
 * In the order of the blocks, so that each has the same bits.
 */
static LLVMValueRef read_all(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef own)
{
	LLVMValueRef v = read_block(l, n, own, nvptx_int(l->ir, 0));

	for (int i = 1; i < n->blocks; i++)
		v = combined(l->ir, n, v, read_block(l, n, own,
			nvptx_int(l->ir, i)));
	return v;
}

/* The least power of two that is not below "n".
 *
 * Lanes exchange in groups of powers of two.
 */
static int power_from(int n)
{
	int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* The same, by the threads of a line together: a lane reads one, where lanes are on one
 * line, or a thread all.
 *
 * Lanes beyond the number of blocks have a value that changes nothing.
 */
static LLVMValueRef all_blocks(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef own)
{
	int lanes = power_from(n->blocks);
	LLVMValueRef rank, v;

	if (n->lanes < lanes)
		return read_all(l, n, own);
	rank = nvptx_mod(l->ir, l->value.tid[1], nvptx_int(l->ir, lanes));
	v = LLVMBuildICmp(l->ir->b, LLVMIntULT, rank, nvptx_int(l->ir,
		n->blocks), "");
	rank = LLVMBuildSelect(l->ir->b, v, rank, nvptx_int(l->ir, 0), "");
	v = LLVMBuildSelect(l->ir->b, v, read_block(l, n, own, rank),
		nothing(l, n), "");
	return exchanged(l->ir, n, v, lanes, 1);
}

/* Let one thread a line put together what all blocks have, and all others read that, "v"
 * of each digit: a place of another block is far away.
 *
 * The threads of the block take lines in turn.
 */
static void share_blocks(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	int threads = n->kernel->thread[0] * n->kernel->thread[1];
	LLVMValueRef zero = nvptx_int(l->ir, 0);
	int64_t all = n_lines(n);

	for (int64_t i = 0; i < all; i += threads) {
		LLVMValueRef line = nvptx_add(l->ir, nvptx_thread_number(l, ""),
			nvptx_int(l->ir, i), "");
		struct nvptx_branch branch;

		nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b,
			LLVMIntULT, line, nvptx_int(l->ir, all), ""), "line");
		LLVMBuildStore(l->ir->b, read_all(l, n, line_place(l, n, base,
			line, false)), line_place(l, n, base, line, true));
		nvptx_if_end(l->ir, &branch);
	}
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	for (int r = 0; r < n->digits; r++)
		v[r] = LLVMBuildLoad2(l->ir->b, value_type(l->ir, n),
			line_place(l, n, base, line_number(l, n, r), true), "");
}

/* The place of what the first block sends of "line"; those of others are all lines apart. */
static LLVMValueRef sent_place(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef line)
{
	int64_t first = (n_rows(n) + (n->axis ? 1 : 2)) * n_lines(n);

	return at_place(l->ir, n, base, nvptx_add(l->ir, line, nvptx_int(l->ir,
		first), ""));
}

/* Send "v" of each digit to all blocks: a thread of the line each to one. Wait for what all
 * have sent, and put that together.
 */
static void exchange_blocks(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	LLVMValueRef barrier = nvptx_element(l->ir, nvptx_i64(l->ir),
		l->value.joins, nvptx_int(l->ir, l->value.n_join)), rank;
	LLVMValueRef to = l->value.tid[n->axis];
	LLVMValueRef wait[2] = { barrier, nvptx_int(l->ir, 0) };
	struct nvptx_branch branch;

	if (!l->value.n_join++)
		nvptx_hw(l->ir, NVPTX_HW_CLUSTER_WAIT, NULL, 0, "");
	rank = nvptx_hw(l->ir, NVPTX_HW_CLUSTER_RANK, NULL, 0, "");
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntULT, to,
		nvptx_int(l->ir, n->blocks), ""), "send");
	for (int r = 0; r < n->digits; r++) {
		LLVMValueRef place = at_place(l->ir, n, sent_place(l, n, base,
			line_number(l, n, r)), nvptx_mul(l->ir, rank,
			nvptx_int(l->ir, n_lines(n))));

		for (int i = 0; i < place_bytes(n) / 4; i++) {
			LLVMValueRef arg[4] = { nvptx_element(l->ir,
				nvptx_i32(l->ir), place, nvptx_int(l->ir, i)),
				barrier, to, nvptx_relay_word(l->ir, v[r], i) };

			nvptx_hw(l->ir, NVPTX_HW_CLUSTER_SEND, arg, 4, "");
		}
	}
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_WAIT, wait, 2, "");
	for (int r = 0; r < n->digits; r++) {
		LLVMValueRef own = sent_place(l, n, base, line_number(l, n, r));

		v[r] = n->axis ? all_blocks(l, n, own) : read_all(l, n, own);
	}
}

/* Put together what all blocks of the cluster have, "v" of each digit.
 *
 * The first thread of each line writes; behind the barrier of the cluster
 * others may read. The block must not end before they have.
 */
static void join_blocks(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	struct nvptx_branch branch;
	LLVMValueRef first;

	if (l->value.joins) {
		exchange_blocks(l, n, base, v);
		return;
	}
	first = LLVMBuildICmp(l->ir->b, LLVMIntEQ, l->value.tid[n->axis],
		nvptx_int(l->ir, 0), "");
	nvptx_if_begin(l->ir, &branch, first, "block");
	for (int r = 0; r < n->digits; r++)
		LLVMBuildStore(l->ir->b, v[r], line_place(l, n, base,
			line_number(l, n, r), false));
	nvptx_if_end(l->ir, &branch);
	nvptx_cluster_sync(l->ir);
	if (!n->axis) {
		share_blocks(l, n, base, v);
		return;
	}
	for (int r = 0; r < n->digits; r++)
		v[r] = all_blocks(l, n, line_place(l, n, base,
			line_number(l, n, r), false));
}

/* ----------------------------------------------------------------- the cells */

/* The position "v" as one of 64 bits. */
static LLVMValueRef long_position(struct nvptx_lower *l, const struct lines *n,
	LLVMValueRef v)
{
	LLVMValueRef none = LLVMBuildICmp(l->ir->b, LLVMIntEQ, v, nothing(l, n), "");

	return LLVMBuildSelect(l->ir->b, none, nvptx_identity(l, POLY_OP_MIN,
		POLY_I64), LLVMBuildZExt(l->ir->b, v, nvptx_i64(l->ir), ""), "");
}

/* Let the cell of digit "r" take "v".
 *
 * The cell is in registers: each thread of the line has it.
 */
static void update(struct nvptx_lower *l, const struct lines *n, int r,
	LLVMValueRef v)
{
	struct poly_array *a = n->stmt->write_array;
	LLVMValueRef none[16] = { NULL };

	l->now.digit[n->axis] = 0;
	l->now.digit[!n->axis] = r;
	if (n->brief)
		v = long_position(l, n, v);
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
	struct lines n = lines_of(l->kernel, op);
	LLVMValueRef room, shared = NULL, *v = calloc(n.digits, sizeof(*v));

	if (!v) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return;
	}
	n.brief = is_brief(l, n.stmt);
	room = begin(l, &n);
	take_points(l, op, &n, room, when, base);
	for (int r = 0; r < n.digits; r++)
		v[r] = exchanged(l->ir, &n, own_value(l->ir, &n, room, r),
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
		join_blocks(l, &n, shared, v);
	for (int r = 0; r < n.digits; r++)
		update(l, &n, r, v[r]);
	free(v);
}
