/* Kernels with loops whose bounds are data, some of which are long.
 *
 *	y[i] += loop (j from row[i] + lane by 8 below row[i + 1]) ..	lanes of a row
 *	C[i][f] = loop (j from row[i] below row[i + 1]) ..	a thread a feature f
 *
 * Rows of a sparse matrix may have any length, and where one is long its threads work
 * when all others have ended. So two launches in front of the kernel make such loops:
 *
 *	NAME$long	looks at the bounds of all loops. One that is long is cut into
 *			pieces, by its length alone; these get numbers, one behind the
 *			other, and of each is noted which loop it is of,
 *	NAME$pieces	has warps that take one piece after another, whichever loops they
 *			are of, and note what each piece makes: lanes sum steps of it
 *			and are put together in a tree, or have features side by side,
 *	NAME		runs the loops that are short, and puts the pieces of a long one
 *			together in their order, each lane its share (help_value.c). Where
 *			launches begin early it waits for NAME$pieces before that alone.
 *
 * Which numbers pieces get differs from run to run, what they make does not: the same bits.
 * There is room for the pieces of rows that have no step together, as those of a matrix
 * (help_find.c). If there are more pieces than that, nobody makes any, and the kernel runs
 * all loops. A loop whose steps stay in the order of the text is one piece, which begins
 * with what the loop begins with (help_order.c).
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Pieces of a loop, at most; blocks of the launches on the host device; threads of a
 * multiprocessor that look for loops, and how many each looks at together; threads that
 * make pieces of several features, and of one.
 */
enum { PIECES_BITS = 8, PIECES = 1 << PIECES_BITS, HOST_BLOCKS = 2, LOOK = 2048, LOOKS = 4,
	MAKE = 1024,
	MAKE_LANES = 1536 };

/* -------------------------------------------------------------- in memory */

LLVMTypeRef nvptx_help_type(struct nvptx_lower *l)
{
	return nvptx_value_type(l->ir, l->help->stmt->rhs->type);
}

static LLVMTypeRef i64(struct nvptx_lower *l)
{
	return nvptx_i64(l->ir);
}

static LLVMValueRef number(struct nvptx_lower *l, int64_t n)
{
	return LLVMConstInt(i64(l), (unsigned long long)n, 1);
}

static LLVMValueRef wide(struct nvptx_lower *l, LLVMValueRef v)
{
	return nvptx_extend(l->ir, v, i64(l));
}

static LLVMTypeRef element_type(struct nvptx_lower *l, enum nvptx_help_array a)
{
	return a == NVPTX_HELP_SUM ? nvptx_help_type(l) : i64(l);
}

static LLVMValueRef element(struct nvptx_lower *l, enum nvptx_help_array a, LLVMValueRef i)
{
	return nvptx_element(l->ir, element_type(l, a), l->value.help[a], i);
}

LLVMValueRef nvptx_help_load(struct nvptx_lower *l, enum nvptx_help_array a,
	LLVMValueRef i)
{
	return LLVMBuildLoad2(l->ir->b, element_type(l, a), element(l, a, i), "");
}

static void store(struct nvptx_lower *l, enum nvptx_help_array a, LLVMValueRef i,
	LLVMValueRef v)
{
	LLVMBuildStore(l->ir->b, v, element(l, a, i));
}

LLVMValueRef nvptx_help_sum(struct nvptx_lower *l, LLVMValueRef piece, LLVMValueRef feature)
{
	return LLVMBuildAdd(l->ir->b, LLVMBuildMul(l->ir->b, piece, number(l,
		l->help->width), ""), wide(l, feature), "");
}

LLVMValueRef nvptx_help_size(struct nvptx_lower *l, int d)
{
	return wide(l, nvptx_pw_aff(l, isl_pw_aff_copy(l->help->size[d]), NULL));
}

LLVMValueRef nvptx_help_has_room(struct nvptx_lower *l)
{
	LLVMValueRef room = wide(l, nvptx_pw_aff(l, isl_pw_aff_copy(l->help->room),
		NULL));

	return LLVMBuildICmp(l->ir->b, LLVMIntSLE, nvptx_help_load(l,
		NVPTX_HELP_COUNT, number(l, 0)), room, "room");
}

struct nvptx_help_pieces nvptx_help_pieces_of(struct nvptx_lower *l, LLVMValueRef steps)
{
	struct nvptx_help_pieces p;
	LLVMBuilderRef b = l->ir->b;
	LLVMValueRef least = number(l, l->help->piece);

	if (l->help->ordered)
		return (struct nvptx_help_pieces){ steps, number(l, 1) };
	p.steps = LLVMBuildLShr(b, LLVMBuildAdd(b, steps, number(l, PIECES - 1), ""),
		number(l, PIECES_BITS), "");
	p.steps = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, p.steps, least, ""),
		least, p.steps, "steps");
	p.n = LLVMBuildUDiv(b, LLVMBuildAdd(b, steps, LLVMBuildSub(b, p.steps,
		number(l, 1), ""), ""), p.steps, "pieces");
	return p;
}

/* ---------------------------------------------------------------- a loop */

/* Loop "id" of the box, from "feature" of its piece on: its instance and, of a tile, its
 * point; the condition that there is one, or NULL.
 */
struct loop {
	LLVMValueRef in[16], p[2], there;
};

/* The index of dimension "d" of the loop of which "id" is left. */
static LLVMValueRef next_index(struct nvptx_lower *l, int d, LLVMValueRef *id)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef at = number(l, 0), size;
	bool outer = false;

	for (int i = 0; i < d; i++)
		outer |= h->size[i] != NULL;
	if (h->size[d] && !outer) {
		at = *id;
	} else if (h->size[d]) {
		size = nvptx_help_size(l, d);
		at = LLVMBuildURem(l->ir->b, *id, size, "");
		*id = LLVMBuildUDiv(l->ir->b, *id, size, "");
	}
	return h->low[d] ? LLVMBuildAdd(l->ir->b, at, wide(l, nvptx_pw_aff(l,
		isl_pw_aff_copy(h->low[d]), NULL)), "") : at;
}

/* Instances of tiles have 32 bits, those of others more if they need them. */
static void find_loop(struct nvptx_lower *l, LLVMValueRef id, LLVMValueRef feature,
	struct loop *loop)
{
	const struct nvptx_help *h = l->help;
	LLVMTypeRef i32 = nvptx_i32(l->ir);
	LLVMValueRef at[NVPTX_HELP_INDEX];
	isl_set *domain = isl_set_copy(h->domain);

	for (int d = h->n - 1; d >= 0; d--)
		at[d] = next_index(l, d, &id);
	if (!h->by_points) {
		for (int d = 0; d < h->n; d++)
			loop->in[d] = LLVMBuildTrunc(l->ir->b, at[d], i32, "");
	} else {
		loop->p[0] = LLVMBuildTrunc(l->ir->b, at[0], i32, "");
		loop->p[1] = nvptx_add(l->ir, nvptx_mul(l->ir, LLVMBuildTrunc(
			l->ir->b, at[1], i32, ""), nvptx_int(l->ir, h->width)),
			feature, "");
		nvptx_multi_aff(l, h->stmt->at, loop->p, loop->in);
	}
	domain = isl_set_gist_params(domain, isl_set_copy(l->fact.known));
	loop->there = nvptx_condition(l, domain, h->by_points ? loop->p : loop->in);
	nvptx_instance(l, h->stmt, loop->in);
	nvptx_debug_stmt(l->ir, h->stmt);
}

/* Loops of the box. */
static LLVMValueRef count_loops(struct nvptx_lower *l)
{
	LLVMValueRef n = number(l, 1);

	for (int d = 0; d < l->help->n; d++)
		if (l->help->size[d])
			n = LLVMBuildMul(l->ir->b, n, nvptx_help_size(l, d), "");
	return n;
}

int nvptx_help_blocks(const struct nvptx_lower *l)
{
	int most = l->help->part == NVPTX_HELP_FINDS ? LOOK : l->help->width > 1 ?
		MAKE : MAKE_LANES;
	int n = most / l->help->threads * l->prog->target.multiprocessors;

	return l->ir->m->opt.device != NVPTX_GPU || n < 1 ? HOST_BLOCKS : n;
}

/* --------------------------------------------------------- which are long */

/* Give the pieces of loop "id", which has "steps" steps, their numbers, if there is room. */
static void number_pieces(struct nvptx_lower *l, LLVMValueRef id, LLVMValueRef steps)
{
	struct nvptx_help_pieces p = nvptx_help_pieces_of(l, steps);
	bool gpu = l->ir->m->opt.device == NVPTX_GPU;
	LLVMValueRef at = LLVMBuildAtomicRMWSyncScope(l->ir->b,
		LLVMAtomicRMWBinOpAdd, element(l, NVPTX_HELP_COUNT, number(l, 0)),
		p.n, LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(
		l->ir->m->ctx, gpu ? "device" : "", gpu ? 6 : 0));
	LLVMValueRef end = LLVMBuildAdd(l->ir->b, at, p.n, ""), room;
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	room = wide(l, nvptx_pw_aff(l, isl_pw_aff_copy(l->help->room), NULL));
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntSLE, end, room,
		""), "room");
	store(l, NVPTX_HELP_BEGIN, id, at);
	nvptx_loop_begin(l->ir, &loop, "piece", at, number(l, 1));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT, loop.i, end,
		""));
	store(l, NVPTX_HELP_OWNER, loop.i, id);
	nvptx_loop_end(l->ir, &loop, 1);
	nvptx_if_end(l->ir, &branch);
}

/* A loop that is looked at. */
struct look {
	LLVMValueRef id, low, high;
};

/* The bounds of loop "id", both 0 if there is no such loop. */
static void find_bounds(struct nvptx_lower *l, LLVMValueRef id, struct look *look)
{
	LLVMBasicBlockRef inside;
	struct nvptx_branch there;
	struct loop loop;

	find_loop(l, id, nvptx_int(l->ir, 0), &loop);
	if (loop.there)
		nvptx_if_begin(l->ir, &there, loop.there, "there");
	*look = (struct look){ id, nvptx_help_low(l, loop.in), nvptx_help_high(l,
		loop.in) };
	if (!loop.there)
		return;
	inside = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &there);
	look->low = nvptx_if_value(l->ir, &there, inside, look->low, number(l, 0), "");
	look->high = nvptx_if_value(l->ir, &there, inside, look->high, number(l, 0), "");
}

/* Look at loops "id", "id" + "all" and so on, of "n": their bounds are loaded together,
 * since most loops are short, and then nothing else is to be done. In the place of one
 * behind the last stands the first, which is not looked at twice.
 */
static void look_at(struct nvptx_lower *l, LLVMValueRef id, LLVMValueRef all,
	LLVMValueRef n)
{
	LLVMValueRef is_long[LOOKS], any = NULL, at = id;
	struct nvptx_branch branch, one;
	struct look look[LOOKS];

	for (int i = 0; i < LOOKS; i++) {
		LLVMValueRef live = i ? LLVMBuildICmp(l->ir->b, LLVMIntSLT, at, n, "") :
			NULL;

		find_bounds(l, live ? LLVMBuildSelect(l->ir->b, live, at, id, "") : at,
			&look[i]);
		is_long[i] = nvptx_help_is_long(l, look[i].low, look[i].high);
		if (live)
			is_long[i] = LLVMBuildAnd(l->ir->b, is_long[i], live, "");
		any = any ? LLVMBuildOr(l->ir->b, any, is_long[i], "") : is_long[i];
		at = LLVMBuildAdd(l->ir->b, at, all, "");
	}
	nvptx_if_begin(l->ir, &branch, any, "any");
	for (int i = 0; i < LOOKS; i++) {
		nvptx_if_begin(l->ir, &one, is_long[i], "long");
		number_pieces(l, look[i].id, LLVMBuildSub(l->ir->b, look[i].high,
			look[i].low, ""));
		nvptx_if_end(l->ir, &one);
	}
	nvptx_if_end(l->ir, &branch);
}

/* Loops, or with "warps" what warps do, of which the launch takes one after another: the
 * number of the first that the thread has, and how many are begun at once.
 */
static void find_turns(struct nvptx_lower *l, bool warps, LLVMValueRef *first,
	LLVMValueRef *all)
{
	int by = warps ? POLY_LANES : 1, threads = l->help->threads / by;
	LLVMValueRef block = wide(l, nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, ""));
	LLVMValueRef tid = nvptx_div(l->ir, nvptx_thread_number(l, ""),
		nvptx_int(l->ir, by));

	*first = LLVMBuildAdd(l->ir->b, LLVMBuildMul(l->ir->b, block, number(l,
		threads), ""), wide(l, tid), "");
	*all = number(l, (int64_t)threads * nvptx_help_blocks(l));
}

void nvptx_help_find(struct nvptx_lower *l)
{
	LLVMValueRef first, all, n = count_loops(l);
	struct nvptx_loop loop;

	find_turns(l, false, &first, &all);
	nvptx_loop_begin(l->ir, &loop, "loop", first, LLVMBuildMul(l->ir->b, all,
		number(l, LOOKS), ""));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT, loop.i, n,
		""));
	look_at(l, loop.i, all, n);
	nvptx_loop_end(l->ir, &loop, 1);
}

/* ------------------------------------------------------------- their pieces */

/* The lane's place in a piece, of "places", and the first of its features. */
struct lane {
	LLVMValueRef place, feature;
	int places;
};

static struct lane find_lane(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;
	int side = h->width / h->run;
	LLVMValueRef lane = nvptx_mod(l->ir, nvptx_thread_number(l, ""), nvptx_int(
		l->ir, POLY_LANES));

	return (struct lane){ nvptx_div(l->ir, lane, nvptx_int(l->ir, side)),
		nvptx_mul(l->ir, nvptx_mod(l->ir, lane, nvptx_int(l->ir, side)),
		nvptx_int(l->ir, h->run)), POLY_LANES / side };
}

/* The steps of piece "q" of "loop" that the lane has. */
static struct nvptx_steps steps_of(struct nvptx_lower *l, const struct loop *loop,
	const struct lane *lane, LLVMValueRef q)
{
	LLVMBuilderRef b = l->ir->b;
	LLVMValueRef low = nvptx_help_low(l, loop->in), end, first;
	LLVMValueRef high = nvptx_help_high(l, loop->in);
	struct nvptx_help_pieces p = nvptx_help_pieces_of(l, LLVMBuildSub(b, high, low,
		""));
	struct nvptx_steps s = { .by = number(l, lane->places) };

	first = LLVMBuildAdd(b, low, LLVMBuildMul(b, q, p.steps, ""), "");
	end = LLVMBuildAdd(b, first, p.steps, "");
	s.low = LLVMBuildAdd(b, first, wide(l, lane->place), "");
	s.high = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, end, high, ""), end,
		high, "");
	if (loop->there)
		s.high = LLVMBuildSelect(b, loop->there, s.high, s.low, "");
	s.first.v = nvptx_help_nothing(l);
	return s;
}

/* What the lane makes of its steps, of each of its features. */
static void run_steps(struct nvptx_lower *l, const struct loop *loop,
	const struct nvptx_steps *steps, LLVMValueRef *v)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef in[NVPTX_MAX_RUN][16] = { { NULL } };

	if (h->run == 1) {
		v[0] = nvptx_help_steps(l, loop->in, steps);
		return;
	}
	for (int i = 0; i < h->run; i++) {
		LLVMValueRef p[2] = { loop->p[0], nvptx_add(l->ir, loop->p[1],
			nvptx_int(l->ir, i), "") };

		nvptx_multi_aff(l, h->stmt->at, p, in[i]);
	}
	nvptx_help_run(l, (const LLVMValueRef (*)[16])in, h->run, steps, v);
}

/* Make piece number "piece". */
static void make_piece(struct nvptx_lower *l, LLVMValueRef piece)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef id = nvptx_help_load(l, NVPTX_HELP_OWNER, piece);
	LLVMValueRef q = LLVMBuildSub(l->ir->b, piece, nvptx_help_load(l,
		NVPTX_HELP_BEGIN, id), ""), v[NVPTX_MAX_RUN];
	struct lane lane = find_lane(l);
	struct nvptx_branch branch;
	struct nvptx_steps steps;
	struct loop loop;

	find_loop(l, id, lane.feature, &loop);
	steps = steps_of(l, &loop, &lane, q);
	run_steps(l, &loop, &steps, v);
	for (int i = 0; i < h->run; i++)
		for (int n = POLY_LANES / 2; n >= h->width / h->run; n /= 2)
			v[i] = nvptx_help_joined(l, v[i], nvptx_exchange(l->ir,
				nvptx_int(l->ir, -1), v[i], n));
	nvptx_if_begin(l->ir, &branch, LLVMBuildIsNull(l->ir->b, lane.place, ""),
		"first");
	for (int i = 0; i < h->run; i++)
		store(l, NVPTX_HELP_SUM, nvptx_help_sum(l, piece, nvptx_add(l->ir,
			lane.feature, nvptx_int(l->ir, i), "")), v[i]);
	nvptx_if_end(l->ir, &branch);
}

/* Make piece number "piece", a loop whose steps stay in their order. */
static void make_in_order(struct nvptx_lower *l, LLVMValueRef piece)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef id = nvptx_help_load(l, NVPTX_HELP_OWNER, piece), v;
	LLVMValueRef lane = nvptx_mod(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		POLY_LANES)), feature = nvptx_mod(l->ir, lane, nvptx_int(l->ir,
		h->width));
	struct nvptx_steps steps = { .by = number(l, 1) };
	struct nvptx_branch there, branch;
	struct loop loop;

	find_loop(l, id, feature, &loop);
	if (loop.there)
		nvptx_if_begin(l->ir, &there, loop.there, "there");
	steps.low = nvptx_help_low(l, loop.in);
	steps.high = nvptx_help_high(l, loop.in);
	steps.first = nvptx_expr(l, h->stmt->rhs->arg[2], loop.in);
	v = nvptx_help_in_order(l, loop.in, &steps, h->width > 1 ? NULL : wide(l,
		lane));
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntSLT, lane,
		nvptx_int(l->ir, h->width), ""), "first");
	store(l, NVPTX_HELP_SUM, nvptx_help_sum(l, piece, feature), v);
	nvptx_if_end(l->ir, &branch);
	if (loop.there)
		nvptx_if_end(l->ir, &there);
}

void nvptx_help_make(struct nvptx_lower *l)
{
	LLVMValueRef first, all, n, room = nvptx_help_has_room(l);
	struct nvptx_loop loop;

	n = LLVMBuildSelect(l->ir->b, room, nvptx_help_load(l, NVPTX_HELP_COUNT,
		number(l, 0)), number(l, 0), "");
	find_turns(l, true, &first, &all);
	nvptx_loop_begin(l->ir, &loop, "piece", first, all);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT, loop.i, n,
		""));
	if (l->help->ordered)
		make_in_order(l, loop.i);
	else
		make_piece(l, loop.i);
	nvptx_loop_end(l->ir, &loop, 1);
}
