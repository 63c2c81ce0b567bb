/* nvptx: values of threads put together, across the lanes of a warp or a block, or
 * handed on: from fragments of matrix units, and to these.
 *
 * The threads of a group in a warp exchange values in pairs, the furthest first:
 *
 *	%x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %mask, i32 %v, i32 4, ..)
 *
 * and each makes one of the two. The mask names the group alone, as the others
 * of a warp may be elsewhere. An exchange takes 32 bits: what is longer takes
 * two, what is shorter lies in 32.
 *
 * A group of several warps is a block, or a column of one. Then each warp has a
 * row of places in shared memory for what it has got, and behind a barrier the
 * first thread of a group puts together what lies there:
 *
 *	8 columns: lanes 0-7 have those of	32 columns and more: a thread
 *	four threads each, a row a warp		has its own, a row for each t0
 */
#include <isl/aff.h>
#include <isl/ilp.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Where the threads of a group are: so many lanes of a warp, "step" apart; that
 * in so many warps or rows, with so many groups side by side.
 *
 * A group is the threads that make one value.
 */
struct group {
	int lanes, step, rows, columns;
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Where the threads that "s" puts together are: along a row of the block, or
 * down its columns, which then lie side by side in a warp.
 *
 * "across" is how many threads the statement puts together.
 */
static struct group group_of(const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	struct group g = { .step = 1, .columns = 1 };

	if (s->down) {
		g.columns = k->thread[1];
		g.step = smaller(g.columns, POLY_LANES);
	}
	g.lanes = smaller(s->across, POLY_LANES / g.step);
	g.rows = s->across / g.lanes;
	return g;
}

/* The lanes of the group that the thread is in: of all groups of the warp where
 * these are columns.
 *
 * A group of few lanes begins at a multiple of their number.
 */
static LLVMValueRef group_mask(struct nvptx_lower *l, const struct group *g)
{
	LLVMValueRef lane, lanes;

	if (g->lanes == POLY_LANES || g->columns > 1)
		return nvptx_int(l->ir, -1);
	lanes = nvptx_int(l->ir, (INT64_C(1) << g->lanes) - 1);
	lane = LLVMBuildAnd(l->ir->b, nvptx_thread_number(l, ""),
		nvptx_int(l->ir, POLY_LANES - g->lanes),
		"");
	return LLVMBuildShl(l->ir->b, lanes, lane, "");
}

/* What the thread "with" lanes off has, of 32 bits.
 *
 * The last argument keeps the exchange within the warp.
 */
static LLVMValueRef exchange_word(struct nvptx_ir *ir, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	LLVMValueRef arg[4] = { mask, v, nvptx_int(ir, with),
		nvptx_int(ir, POLY_LANES - 1) };

	return nvptx_hw(ir, NVPTX_HW_EXCHANGE, arg, 4, "");
}

/* The bits of "v", as an integer.
 *
 * Integers are their own bits.
 */
static LLVMValueRef to_bits(struct nvptx_ir *ir, LLVMValueRef v)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));

	if (kind == LLVMDoubleTypeKind)
		return LLVMBuildBitCast(ir->b, v, nvptx_i64(ir), "");
	if (kind == LLVMFloatTypeKind)
		return LLVMBuildBitCast(ir->b, v, nvptx_i32(ir), "");
	return v;
}

/* Each of the words "v". */
static LLVMValueRef exchange_words(struct nvptx_ir *ir, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	int n = (int)LLVMGetVectorSize(LLVMTypeOf(v));
	LLVMValueRef other = LLVMGetUndef(LLVMTypeOf(v));

	for (int i = 0; i < n; i++)
		other = nvptx_with_word(ir, other, i, exchange_word(ir, mask,
			nvptx_word(ir, v, i), with));
	return other;
}

/* Types shorter than 32 bits are widened, those of 64 go in two halves. */
LLVMValueRef nvptx_exchange(struct nvptx_ir *ir, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	LLVMTypeRef type = LLVMTypeOf(v), i32 = nvptx_i32(ir);
	LLVMTypeRef i64 = nvptx_i64(ir), own;
	LLVMValueRef bits = to_bits(ir, v), low, high, shift;

	if (nvptx_is_words(type))
		return exchange_words(ir, mask, v, with);
	own = LLVMTypeOf(bits);
	if (own != i64) {
		low = LLVMBuildIntCast2(ir->b, bits, i32, 0, "");
		low = exchange_word(ir, mask, low, with);
		low = LLVMBuildIntCast2(ir->b, low, own, 0, "");
		return LLVMBuildBitCast(ir->b, low, type, "");
	}
	shift = LLVMConstInt(i64, 32, 0);
	low = LLVMBuildTrunc(ir->b, bits, i32, "");
	high = LLVMBuildTrunc(ir->b, LLVMBuildLShr(ir->b, bits, shift, ""), i32,
		"");
	low = exchange_word(ir, mask, low, with);
	high = exchange_word(ir, mask, high, with);
	low = LLVMBuildZExt(ir->b, low, i64, "");
	high = LLVMBuildShl(ir->b, LLVMBuildZExt(ir->b, high, i64, ""), shift,
		"");
	return LLVMBuildBitCast(ir->b, LLVMBuildOr(ir->b, low, high, ""), type,
		"");
}

/* In the type of the right side, which is what the threads have computed. */
static LLVMValueRef combined(struct nvptx_ir *ir, const struct poly_stmt *s,
	LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(ir, s->reduce, s->rhs->type, a, b);
}

/* So that each use of shared memory begins at a place. */
int64_t nvptx_places_bytes(int64_t bytes)
{
	return (bytes + NVPTX_PLACE - 1) / NVPTX_PLACE * NVPTX_PLACE;
}

/* What is taken is counted (shared_at); it must not be more than
 * nvptx_places_bytes() said before.
 */
LLVMValueRef nvptx_take_places(struct nvptx_lower *l, int64_t bytes)
{
	LLVMValueRef at = nvptx_int(l->ir, l->value.shared_at);

	if (l->value.shared_at % NVPTX_PLACE)
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"places in shared memory are not aligned");
	l->value.shared_at += nvptx_places_bytes(bytes);
	return LLVMBuildInBoundsGEP2(l->ir->b,
		LLVMInt8TypeInContext(l->ir->m->ctx), nvptx_hw(l->ir,
		NVPTX_HW_SHARED, NULL, 0, "shared"), &at, 1, "");
}

/* A group within a warp needs none. */
int64_t nvptx_across_bytes(const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	struct group g = { 0 };

	if (s->across)
		g = group_of(k, s);
	return g.rows > 1 ? g.rows * g.columns * NVPTX_PLACE : 0;
}

/* The places in shared memory of the statement that comes next.
 *
 * Statements take them one after the other.
 */
static LLVMValueRef places(struct nvptx_lower *l, const struct poly_stmt *s)
{
	return nvptx_take_places(l, nvptx_across_bytes(l->kernel, s));
}

/* Put "v" of each group's threads in a warp into "base", and wait for all.
 *
 * The lanes that write are the first "step" of a group.
 */
static void put(struct nvptx_lower *l, const struct group *g,
	LLVMValueRef base, LLVMValueRef v)
{
	struct nvptx_branch branch;
	LLVMValueRef at = nvptx_thread_number(l, ""), zero = nvptx_int(l->ir,
		0), row, c;

	row = LLVMBuildUDiv(l->ir->b, at, nvptx_int(l->ir, g->lanes * g->step),
		"");
	if (g->columns == 1) {
		at = row;
	} else if (g->lanes > 1) {
		at = nvptx_add(l->ir, nvptx_mul(l->ir, row, nvptx_int(l->ir,
			g->columns)), l->value.tid[1], "");
	}
	c = LLVMBuildURem(l->ir->b, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		g->lanes * g->step), "");
	c = LLVMBuildICmp(l->ir->b, LLVMIntULT, c, nvptx_int(l->ir, g->step),
		"");
	nvptx_if_begin(l->ir, &branch, c, "put");
	LLVMBuildStore(l->ir->b, v, nvptx_element(l->ir, LLVMTypeOf(v), base,
		at));
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* What rows "from" to "to" - 1 of the thread's column of "base" make. */
static LLVMValueRef get(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct group *g, LLVMValueRef base, LLVMTypeRef type, int from,
	int to)
{
	int middle = (from + to) / 2;
	LLVMValueRef at;

	if (to - from > 1) {
		LLVMValueRef a = get(l, s, g, base, type, from, middle);

		return combined(l->ir, s, a, get(l, s, g, base, type, middle,
			to));
	}
	at = nvptx_int(l->ir, from * g->columns);
	if (g->columns > 1)
		at = nvptx_add(l->ir, at, l->value.tid[1], "");
	return LLVMBuildLoad2(l->ir->b, type, nvptx_element(l->ir, type, base,
		at), "");
}

/* Is the thread the first of its group, in a column that the block has? */
static LLVMValueRef is_first(struct nvptx_lower *l, const struct poly_stmt *s)
{
	LLVMValueRef c = l->value.tid[0];

	if (!s->down)
		c = LLVMBuildURem(l->ir->b, l->value.tid[1], nvptx_int(l->ir,
			s->across), "");
	c = LLVMBuildICmp(l->ir->b, LLVMIntEQ, c, nvptx_int(l->ir, 0), "");
	return l->now.own ? LLVMBuildAnd(l->ir->b, c, l->now.own, "") : c;
}

LLVMValueRef nvptx_across(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v, struct nvptx_branch *branch)
{
	struct group g = group_of(l->kernel, s);
	LLVMValueRef mask = group_mask(l, &g), base = NULL;

	for (int n = g.lanes / 2; n > 0; n /= 2)
		v = combined(l->ir, s, v, nvptx_exchange(l->ir, mask, v,
			n * g.step));
	if (g.rows > 1) {
		base = places(l, s);
		put(l, &g, base, v);
	}
	nvptx_if_begin(l->ir, branch, is_first(l, s), "first");
	return base ? get(l, s, &g, base, LLVMTypeOf(v), 0, g.rows) : v;
}

/* Keep "*t1" from going beyond the first or "last" column that the block has. */
static void stop_at(struct nvptx_lower *l, LLVMValueRef *t1, bool last)
{
	isl_pw_aff *end = poly_end_column(l->prog, l->kernel, last);
	isl_val *most = last ? isl_pw_aff_min_val(isl_pw_aff_copy(end)) :
		isl_pw_aff_max_val(isl_pw_aff_copy(end));
	bool none = last ?
		isl_val_cmp_si(most, l->kernel->thread[1] - 1) >= 0 :
		isl_val_cmp_si(most, 0) <= 0;
	LLVMValueRef v, inside;

	isl_val_free(most);
	if (none) {
		isl_pw_aff_free(end);
		return;
	}
	v = nvptx_pw_aff(l, end, NULL);
	inside = nvptx_exact_compare(l->ir, last ? LLVMIntSLE : LLVMIntSGE, *t1,
		v);
	*t1 = nvptx_exact_select(l->ir, inside, *t1, v);
	l->now.own = l->now.own ? LLVMBuildAnd(l->ir->b, l->now.own, inside,
		"") : inside;
}

/* The thread's number is cut to the columns that there are: what lies beyond
 * does the same as the nearest column and is left out by "own".
 */
void nvptx_across_columns(struct nvptx_lower *l)
{
	LLVMValueRef t1 = l->value.tid[1], v = t1;

	stop_at(l, &v, false);
	stop_at(l, &v, true);
	if (v == t1)
		return;
	nvptx_range_set(l->ir, v, nvptx_range_of(l->ir, t1));
	nvptx_bind(l, poly_coordinate(l->prog, POLY_THREAD + 1), v);
}

/* --------------------------------------------------------------------- copies */

/* A block updates a copy of a small array in shared memory, and adds the copy
 * to the array in the end: atomic updates of other blocks are then fewer.
 */

/* The statement whose cells blocks of "k" have a copy of; NULL: none. */
static const struct poly_stmt *near_of(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	const struct poly_stmt *s = NULL;
	int n;
	struct poly_stmt **list = k->near ? poly_kernel_stmts(prog, k, &n) : NULL;

	if (list)
		s = list[0];
	free(list);
	return s;
}

/* The cells of the copy. */
static int64_t near_cells(struct poly_prog *prog, const struct poly_stmt *s)
{
	int line;

	return poly_near_cells(prog, s, &line);
}

/* One cell more than the array has: that takes what must not be written. A copy of a
 * line has the indices of the line behind it.
 */
int64_t nvptx_near_bytes(struct poly_prog *prog, const struct poly_kernel *k)
{
	const struct poly_stmt *s = near_of(prog, k);
	int line;

	return s ? nvptx_places_bytes((poly_near_cells(prog, s, &line) + 1) *
		(int64_t)poly_type_size(s->write_array->type)) +
		nvptx_places_bytes(line < 0 ? 0 : 8 * s->write_array->n_dim) : 0;
}

/* Where index "d" of the line that the block has a copy of is. */
static LLVMValueRef line_index(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, int d)
{
	int64_t bytes = nvptx_places_bytes((near_cells(l->prog, s) + 1) *
		(int64_t)poly_type_size(s->write_array->type));

	copy = nvptx_element(l->ir, LLVMInt8TypeInContext(l->ir->m->ctx), copy,
		nvptx_int(l->ir, bytes));
	return nvptx_element(l->ir, nvptx_i64(l->ir), copy, nvptx_int(l->ir, d));
}

/* Begin a loop of the block's threads over "n" cells.
 *
 * Each thread takes every so many-th cell.
 */
static void cells_begin(struct nvptx_lower *l, struct nvptx_loop *loop, int64_t n)
{
	int threads = l->kernel->thread[0] * l->kernel->thread[1];

	nvptx_loop_begin(l->ir, loop, "cell", nvptx_thread_number(l, ""),
		nvptx_int(l->ir, threads));
	nvptx_loop_body(l->ir, loop, LLVMBuildICmp(l->ir->b, LLVMIntULT, loop->i,
		nvptx_int(l->ir, n), ""));
}

/* All cells hold what changes nothing; the barrier comes before the first
 * update. Each thread notes where the line is that it updates.
 */
void nvptx_near_begin(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0), none, copy;
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	struct nvptx_loop loop;
	int k, line;

	l->value.near = l->value.line = NULL;
	if (!s)
		return;
	k = nvptx_array_number(l->prog, s->write_array);
	copy = nvptx_take_places(l, nvptx_near_bytes(l->prog, l->kernel));
	none = nvptx_identity(l, s->reduce, s->write_array->type);
	cells_begin(l, &loop, poly_near_cells(l->prog, s, &line));
	LLVMBuildStore(l->ir->b, none, nvptx_element(l->ir, LLVMTypeOf(none),
		copy, loop.i));
	nvptx_loop_end(l->ir, &loop, 0);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	l->value.near = l->value.base[k];
	l->value.base[k] = copy;
	if (line < 0)
		return;
	l->value.line = nvptx_room(l->ir, LLVMArrayType2(nvptx_i64(l->ir),
		s->write_array->n_dim), "line");
	for (int d = 0; d < s->write_array->n_dim; d++)
		LLVMBuildStore(l->ir->b, LLVMConstNull(nvptx_i64(l->ir)),
			nvptx_element(l->ir, nvptx_i64(l->ir), l->value.line,
			nvptx_int(l->ir, d)));
}

/* The cell of the copy that "index" means: of a line, that along it; note where the line
 * is.
 */
static LLVMValueRef copied_cell(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, const LLVMValueRef *index)
{
	struct poly_array dense = *s->write_array;	/* without gaps */
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	int line;

	poly_near_cells(l->prog, s, &line);
	dense.stride = 0;
	if (line < 0)
		return nvptx_element_address(l, &dense, copy, index);
	for (int d = 0; d < dense.n_dim; d++)
		if (d != line)
			LLVMBuildStore(l->ir->b, nvptx_extend(l->ir, index[d],
				i64), nvptx_element(l->ir, i64, l->value.line,
				nvptx_int(l->ir, d)));
	return nvptx_element(l->ir, nvptx_memory_type(l->ir, dense.type), copy,
		index[line]);
}

/* An update whose condition does not hold goes to the cell behind the last,
 * without a branch.
 */
void nvptx_near_update(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v,
	LLVMValueRef cond)
{
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	LLVMValueRef copy = l->value.base[nvptx_array_number(l->prog, a)];
	LLVMValueRef none = nvptx_element(l->ir, LLVMTypeOf(v), copy,
		nvptx_int(l->ir, near_cells(l->prog, s)));
	LLVMValueRef at = copied_cell(l, s, copy, index);

	at = LLVMBuildSelect(l->ir->b, cond, at, none, "");
	nvptx_atomic_at(l, a, at, op, v, "block");
}

/* Let all threads know where the line is that the first one, which has a point whenever
 * one has, has updated.
 */
static void tell_line(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	struct nvptx_branch branch;

	if (!l->value.line)
		return;
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_thread_number(l, ""), nvptx_int(l->ir, 0), ""), "line");
	for (int d = 0; d < s->write_array->n_dim; d++)
		LLVMBuildStore(l->ir->b, LLVMBuildLoad2(l->ir->b, i64,
			nvptx_element(l->ir, i64, l->value.line,
			nvptx_int(l->ir, d)), ""), line_index(l, s, copy, d));
	nvptx_if_end(l->ir, &branch);
}

/* The index of cell "at" of the copy, taken apart into those of the dimensions, the last
 * one first; of a line, its own and those of the line.
 */
static void cell_index(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef copy, LLVMValueRef at, LLVMValueRef *index)
{
	const struct poly_array *a = s->write_array;
	LLVMValueRef size;
	int line;

	poly_near_cells(l->prog, s, &line);
	for (int d = a->n_dim - 1; d >= 0; d--) {
		if (line >= 0) {
			index[d] = d == line ? at : LLVMBuildLoad2(l->ir->b,
				nvptx_i64(l->ir), line_index(l, s, copy, d), "");
			continue;
		}
		size = nvptx_int(l->ir, poly_fixed_extent(l->prog, a, d));
		index[d] = LLVMBuildURem(l->ir->b, at, size, "");
		at = LLVMBuildUDiv(l->ir->b, at, size, "");
	}
}

/* Cells that nothing has changed are left out. The barrier lets all updates of
 * the block come before.
 */
void nvptx_near_end(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0), copy, own, v, index[16];
	const struct poly_stmt *s = near_of(l->prog, l->kernel);
	const struct poly_array *a = s ? s->write_array : NULL;
	struct nvptx_branch some;
	struct nvptx_loop loop;
	int k;

	if (!a || !l->value.near)
		return;
	k = nvptx_array_number(l->prog, a);
	copy = l->value.base[k];
	l->value.base[k] = l->value.near;
	l->value.near = NULL;
	tell_line(l, s, copy);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	cells_begin(l, &loop, near_cells(l->prog, s));
	v = nvptx_identity(l, s->reduce, a->type);
	own = LLVMBuildLoad2(l->ir->b, LLVMTypeOf(v), nvptx_element(l->ir,
		LLVMTypeOf(v), copy, loop.i), "");
	/* In the ring floats are integers. */
	nvptx_if_begin(l->ir, &some,
		LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind ?
		LLVMBuildICmp(l->ir->b, LLVMIntNE, own, v, "") :
		LLVMBuildFCmp(l->ir->b, LLVMRealUNE, own, v, ""), "some");
	cell_index(l, s, copy, loop.i, index);
	nvptx_atomic(l, a, index, s->reduce, own);
	nvptx_if_end(l->ir, &some);
	nvptx_loop_end(l->ir, &loop, 0);
}

/* ------------------------------------------------------------------- squares */

/* What the lane that differs in "mask" has.
 *
 * The bound of the reference mode is exchanged as well.
 */
static struct nvptx_value exchange(struct nvptx_ir *ir, struct nvptx_value x,
	int mask)
{
	LLVMValueRef all = nvptx_int(ir, -1);

	x.v = nvptx_exchange(ir, all, x.v, mask);
	if (x.bound)
		x.bound = nvptx_exchange(ir, all, x.bound, mask);
	return x;
}

/* With its bound, if it has one. */
static struct nvptx_value choose(struct nvptx_ir *ir, LLVMValueRef cond,
	struct nvptx_value a, struct nvptx_value b)
{
	a.v = LLVMBuildSelect(ir->b, cond, a.v, b.v, "");
	if (a.bound)
		a.bound = LLVMBuildSelect(ir->b, cond, a.bound, b.bound, "");
	return a;
}

/* Let the lanes that differ in "mask" exchange "*a", of the one that has the bit, for
 * "*b" of the other.
 *
 * One exchange does both: each lane gives what the other one wants.
 */
static void swap(struct nvptx_ir *ir, LLVMValueRef has, int mask,
	struct nvptx_value *a, struct nvptx_value *b)
{
	struct nvptx_value got = exchange(ir, choose(ir, has, *a, *b), mask);

	*a = choose(ir, has, got, *a);
	*b = choose(ir, has, *b, got);
}

/* After the exchanges lane "i" has what the lanes had at number "i": a square
 * of values is transposed.
 */
void nvptx_turn(struct nvptx_lower *l, struct nvptx_value *v, int n, int run)
{
	for (int mask = 1; mask < n; mask *= 2) {
		LLVMValueRef bit = LLVMBuildAnd(l->ir->b, nvptx_thread_number(l,
			""), nvptx_int(l->ir, mask), "");
		LLVMValueRef has = LLVMBuildICmp(l->ir->b, LLVMIntNE, bit,
			nvptx_int(l->ir, 0), "");

		for (int i = 0; i < n * run; i++)
			if (!(i / run & mask))
				swap(l->ir, has, mask, &v[i],
					&v[i + mask * run]);
	}
}

/* ------------------------------------------------------- sums in fragments */

/* Count reads of "sum" below "e", and those that are rounded to 16 bits of one type. */
struct roundings {
	const struct poly_array *sum;
	int n_read, n_rounded;
	enum poly_type type;
};

static void count_roundings(const struct poly_expr *e, struct roundings *r)
{
	bool is_half = e->type == POLY_F16 || e->type == POLY_BF16;

	r->n_read += e->op == POLY_OP_ACCESS && e->array == r->sum;
	if (e->op == POLY_OP_CAST && is_half && e->arg[0]->op == POLY_OP_ACCESS &&
	    e->arg[0]->array == r->sum && (!r->n_rounded || e->type == r->type)) {
		r->type = e->type;
		r->n_rounded++;
	}
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		if (e->arg[i])
			count_roundings(e->arg[i], r);
}

/* The type of 16 bits to which whoever reads "sum" rounds it first, or its own. */
static enum poly_type rounded_to(const struct nvptx_lower *l,
	const struct poly_array *sum)
{
	struct roundings r = { .sum = sum };

	for (int i = 0; i < l->prog->n_stmt; i++)
		if (l->prog->stmt[i]->rhs)
			count_roundings(l->prog->stmt[i]->rhs, &r);
	return sum->type == POLY_F32 && r.n_read && r.n_rounded == r.n_read &&
		!l->ir->m->opt.ring ? r.type : sum->type;
}

/* nvptx_turn for runs of 2 values of "v", which are to be rounded to "half" anyway: then two
 * fit into a register, and half as many are exchanged.
 */
static void turn_rounded(struct nvptx_lower *l, struct nvptx_value *v, int n,
	enum poly_type half)
{
	bool f16 = half == POLY_F16;
	struct nvptx_value word[NVPTX_MAX_SUM];
	LLVMTypeRef pair = NULL;

	for (int i = 0; i < 2 * n; i++) {
		LLVMValueRef x = nvptx_hw(l->ir, f16 ? NVPTX_HW_F32_TO_F16 :
			NVPTX_HW_F32_TO_BF16, &v[i].v, 1, "");

		pair = LLVMVectorType(LLVMTypeOf(x), 2);
		word[i / 2].v = LLVMBuildInsertElement(l->ir->b, i % 2 ?
			word[i / 2].v : LLVMGetPoison(pair), x,
			nvptx_int(l->ir, i % 2), "");
		word[i / 2].bound = NULL;
	}
	for (int i = 0; i < n; i++)
		word[i].v = LLVMBuildBitCast(l->ir->b, word[i].v,
			nvptx_i32(l->ir), "");
	nvptx_turn(l, word, n, 1);
	for (int i = 0; i < 2 * n; i++) {
		LLVMValueRef x = LLVMBuildExtractElement(l->ir->b,
			LLVMBuildBitCast(l->ir->b, word[i / 2].v, pair, ""),
			nvptx_int(l->ir, i % 2), "");

		v[i].v = nvptx_hw(l->ir, f16 ? NVPTX_HW_F16_TO_F32 :
			NVPTX_HW_BF16_TO_F32, &x, 1, "");
	}
}

void nvptx_turn_sums(struct nvptx_lower *l, const struct poly_array *sum, bool round)
{
	enum poly_type type = round ? rounded_to(l, sum) : sum->type;
	const struct poly_kernel *k = l->kernel;
	int rows = k->tile[0] / k->thread[0], columns = k->tile[1] / k->thread[1];
	int vec = k->vec[1], lanes = poly_unit_columns(k);
	struct nvptx_value v[NVPTX_MAX_SUM];

	for (int r = 0; r < rows * columns; r += vec) {
		l->now.digit[0] = r / columns;
		for (int i = 0; i < vec; i++) {
			l->now.digit[1] = r % columns + i;
			v[i] = nvptx_load(l, sum, NULL);
		}
		if (type != sum->type && vec == 2 * lanes)
			turn_rounded(l, v, lanes, type);
		else
			nvptx_turn(l, v, lanes, vec / lanes);
		for (int i = 0; i < vec; i++) {
			l->now.digit[1] = r % columns + i;
			nvptx_store(l, sum, NULL, v[i]);
		}
	}
}

void nvptx_unit_note(struct nvptx_lower *l, const struct poly_stmt *op)
{
	for (int i = 0; i < l->summed.n; i++)
		if (l->summed.op[i] == op)
			return;
	if (l->kernel->unit && l->summed.n == NVPTX_MAX_SUMMED)
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"a kernel has too many products");
	else if (l->kernel->unit)
		l->summed.op[l->summed.n++] = op;
}

void nvptx_unit_bind(struct nvptx_lower *l, const struct poly_stmt *s)
{
	if (s->kind == POLY_GROUP && l->summed.n && l->late.bind)
		l->late.bind(l);
}

void nvptx_unit_end(struct nvptx_lower *l)
{
	const struct poly_array *sum;

	for (int i = 0; i < l->summed.n; i++) {
		nvptx_unit_wait(l, l->summed.op[i]);
		sum = l->summed.op[i]->member[0]->write_array;
		if (poly_unit_turns(l->kernel))
			nvptx_turn_sums(l, sum, true);
	}
	l->summed.n = 0;
}

/* Does "group" give all elements of "a" that it writes one value? */
static bool is_even(const struct poly_stmt *group, const struct poly_array *a)
{
	bool even = false;

	for (int i = 0; i < group->n_member; i++) {
		const struct poly_stmt *m = group->member[i];

		if (m->write_array != a)
			continue;
		if (m->rhs->op != POLY_OP_CONST || m->reduce != POLY_OP_NONE)
			return false;
		even = true;
	}
	return even;
}

/* Put "sum" into registers, for the warpgroups that add to it. */
static void hold_sums(struct nvptx_lower *l, const struct poly_array *sum)
{
	const struct poly_kernel *k = l->kernel;
	int columns = k->tile[1] / k->thread[1];
	int n = k->tile[0] / k->thread[0] * columns;
	LLVMValueRef c[NVPTX_MAX_SUM];

	for (int r = 0; r < n; r++) {
		l->now.digit[0] = r / columns;
		l->now.digit[1] = r % columns;
		c[r] = nvptx_load(l, sum, NULL).v;
	}
	nvptx_wgmma_hold(l->ir, c, n);
	for (int r = 0; r < n; r++) {
		l->now.digit[0] = r / columns;
		l->now.digit[1] = r % columns;
		nvptx_store(l, sum, NULL, (struct nvptx_value){ c[r], NULL });
	}
}

/* Behind "group", let a product add to "sum". */
static void begin_product(struct nvptx_lower *l, const struct poly_stmt *group,
	const struct poly_array *sum)
{
	if (poly_unit_turns(l->kernel) && !is_even(group, sum))
		nvptx_turn_sums(l, sum, false);
	if (poly_unit_is_async(l->kernel->unit) &&
	    l->ir->m->opt.device == NVPTX_GPU)
		hold_sums(l, sum);
}

void nvptx_unit_begin(struct nvptx_lower *l, const struct poly_stmt *group)
{
	isl_union_set *domain;
	struct poly_stmt **op;
	int n, i = 0;

	if (!l->kernel->unit)
		return;
	domain = poly_kernel_domain(l->prog, l->kernel);
	op = poly_stmts_of(l->prog, domain, &n);
	isl_union_set_free(domain);
	while (op && i < n && op[i] != group)
		i++;
	for (i++; op && i < n && op[i]->kind != POLY_GROUP; i++)
		if (op[i]->kind == POLY_CONTRACT)
			begin_product(l, group, op[i]->member[0]->write_array);
	free(op);
}
