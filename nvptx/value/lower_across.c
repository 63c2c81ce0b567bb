/* nvptx: values of threads put together, across the lanes of a warp or a block.
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
#include "nvptx/value/value.h"

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

/* Whose value is asked for: of the thread "with" lanes off, or of lane "lane" of the warp. */
struct other {
	LLVMValueRef mask, lane;
	int with;
};

/* What the lanes of the warp have in the place of "v", in memory; host device alone. */
LLVMValueRef nvptx_all_lanes(struct nvptx_ir *ir, LLVMValueRef v)
{
	LLVMValueRef room = nvptx_room(ir, LLVMArrayType2(nvptx_i32(ir),
		POLY_LANES), "lanes");

	nvptx_hw(ir, NVPTX_HW_LANES_HOST, (LLVMValueRef[]){ v, room }, 2, "");
	return room;
}

/* What another thread has in the place of "v", of 32 bits.
 *
 * The last argument keeps the exchange within the warp.
 */
static LLVMValueRef other_word(struct nvptx_ir *ir, const struct other *o,
	LLVMValueRef v)
{
	LLVMValueRef arg[4] = { o->mask, v, o->lane ? o->lane : nvptx_int(ir,
		o->with), nvptx_int(ir, POLY_LANES - 1) };

	if (o->lane && ir->m->opt.device != NVPTX_GPU)
		return LLVMBuildLoad2(ir->b, nvptx_i32(ir), nvptx_element(ir,
			nvptx_i32(ir), nvptx_all_lanes(ir, v), o->lane), "");
	return nvptx_hw(ir, o->lane ? NVPTX_HW_FROM_LANE : NVPTX_HW_EXCHANGE, arg, 4,
		"");
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
static LLVMValueRef other_words(struct nvptx_ir *ir, const struct other *o,
	LLVMValueRef v)
{
	int n = (int)LLVMGetVectorSize(LLVMTypeOf(v));
	LLVMValueRef words = LLVMGetUndef(LLVMTypeOf(v));

	for (int i = 0; i < n; i++)
		words = nvptx_with_word(ir, words, i, other_word(ir, o,
			nvptx_word(ir, v, i)));
	return words;
}

/* Types shorter than 32 bits are widened, those of 64 go in two halves. */
static LLVMValueRef other_value(struct nvptx_ir *ir, const struct other *o,
	LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v), i32 = nvptx_i32(ir);
	LLVMTypeRef i64 = nvptx_i64(ir), own;
	LLVMValueRef bits = to_bits(ir, v), low, high, shift;

	if (nvptx_is_words(type))
		return other_words(ir, o, v);
	own = LLVMTypeOf(bits);
	if (own != i64) {
		low = LLVMBuildIntCast2(ir->b, bits, i32, 0, "");
		low = other_word(ir, o, low);
		low = LLVMBuildIntCast2(ir->b, low, own, 0, "");
		return LLVMBuildBitCast(ir->b, low, type, "");
	}
	shift = LLVMConstInt(i64, 32, 0);
	low = LLVMBuildTrunc(ir->b, bits, i32, "");
	high = LLVMBuildTrunc(ir->b, LLVMBuildLShr(ir->b, bits, shift, ""), i32,
		"");
	low = other_word(ir, o, low);
	high = other_word(ir, o, high);
	low = LLVMBuildZExt(ir->b, low, i64, "");
	high = LLVMBuildShl(ir->b, LLVMBuildZExt(ir->b, high, i64, ""), shift,
		"");
	return LLVMBuildBitCast(ir->b, LLVMBuildOr(ir->b, low, high, ""), type,
		"");
}

LLVMValueRef nvptx_exchange(struct nvptx_ir *ir, LLVMValueRef mask,
	LLVMValueRef v, int with)
{
	struct other o = { .mask = mask, .with = with };

	return other_value(ir, &o, v);
}

LLVMValueRef nvptx_from_lane(struct nvptx_ir *ir, LLVMValueRef v, LLVMValueRef lane)
{
	struct other o = { .mask = nvptx_int(ir, -1), .lane = lane };

	return other_value(ir, &o, v);
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
		LLVMInt8TypeInContext(l->ir->m->ctx), l->value.shared,
		&at, 1, "");
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
