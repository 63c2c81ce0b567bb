/* nvptx: what a version is expected to take, as formulas of its record: the model
 * of polyir/cost/model.c in whole cycles. Each has the values of those before it:
 *
 *	h0	blocks
 *	h1	rounds in which all multiprocessors run as many as they can
 *	h2	blocks that are left
 *	h3	tiles of steps of a block
 *	h4	cycles of a tile for what is left, as it comes in between others
 *	h5	the same if there are no others
 *	h6	cycles of the rounds
 *	h7	and of all, in parts of a hundred
 *
 * If whole rounds of tiles run before (polyir/tune/take.c), this is about the
 * points that are behind, and h7 has those rounds, too.
 *
 * A version is a program made for some range of sizes, or with its sums in some
 * number of parts. The runtime evaluates the costs of all versions for a
 * launch's sizes and takes the least; so formulas are in the runtime's postfix
 * code, with integers alone: a launch must not depend on how a host rounds.
 */
#include "nvptx/plan/plan.h"
#include "nvptx/value/value.h"

/* their numbers as values: ITER i in a formula is value i */
enum { BLOCKS, ROUNDS, LEFT, TILES, BETWEEN, ALONE, CYCLES };

/* The costs of the version "v" in the making; "c" is the formula that is being
 * pushed.
 *
 * "c" is begun anew by done(); "ok" stays false once anything fails.
 */
struct cost {
	struct nvptx_lower *l;
	const struct poly_cost *of;
	struct nvptx_version *v;
	struct nvptx_postfix c;
	bool ok;
};

static void constant(struct cost *t, int64_t n)
{
	nvptx_push(&t->c, CETANE_RT_CONST, n);
}

/* For operations of which all operands are pushed. */
static void code(struct cost *t, enum cetane_rt_code op)
{
	nvptx_push(&t->c, op, 0);
}

static void value(struct cost *t, int i)
{
	nvptx_push(&t->c, CETANE_RT_ITER, i);
}

/* "op" with the constant "n". */
static void with(struct cost *t, enum cetane_rt_code op, int64_t n)
{
	constant(t, n);
	code(t, op);
}

/* What is on the stack, divided by "n" and rounded up.
 *
 * For n > 0 and a value that is not negative.
 */
static void divide_up(struct cost *t, int n)
{
	with(t, CETANE_RT_ADD, n - 1);
	with(t, CETANE_RT_DIV, n);
}

/* Push the formula of "pa"; if there is none, the version gets no costs.
 *
 * The formula's operations are copied; what the sizes are is asked when it is
 * evaluated.
 */
static void push_size(struct cost *t, __isl_keep isl_pw_aff *pa)
{
	struct cetane_rt_formula f = { .n = 0 };

	t->ok = t->ok && nvptx_formula(t->l, pa, &f);
	for (int i = 0; i < f.n; i++)
		nvptx_push(&t->c, f.op[i].code, f.op[i].value);
	cetane_rt_formula_clear(&f);
}

/* Push the tiles along axis "d", one at least if the rounds do not end there.
 *
 * Division rounds down: only whole tiles make up whole rounds.
 */
static void push_tiles(struct cost *t, int d)
{
	push_size(t, t->of->points[d]);
	with(t, CETANE_RT_DIV, t->of->tile[d]);
	if (d != t->of->axis)
		with(t, CETANE_RT_MAX, 1);
}

/* Push how many whole rounds there are.
 *
 * A round is what is resident at one time on all multiprocessors.
 */
static void push_rounds(struct cost *t)
{
	push_tiles(t, 0);
	push_tiles(t, 1);
	code(t, CETANE_RT_MUL);
	with(t, CETANE_RT_DIV, t->of->multiprocessors * t->of->resident);
}

/* How many points along the axis the first of the two programs takes: rounds *
 * blocks a round / tiles along the other axis * tile. "c" is continued, and is
 * the caller's still.
 */
void nvptx_push_first(struct nvptx_lower *l, struct nvptx_postfix *c)
{
	struct cost t = { .l = l, .of = l->version.rest, .c = *c, .ok = true };

	push_rounds(&t);
	with(&t, CETANE_RT_MUL, t.of->multiprocessors * t.of->resident);
	push_tiles(&t, !t.of->axis);
	code(&t, CETANE_RT_DIV);
	with(&t, CETANE_RT_MUL, t.of->tile[t.of->axis]);
	*c = t.c;
	c->failed |= !t.ok;
}

/* Push the points along axis "d": those behind the rounds, if these are done. */
static void push_axis(struct cost *t, int d)
{
	push_size(t, t->of->points[d]);
	if (d != t->of->axis || !t->of->rest)
		return;
	nvptx_push_first(t->l, &t->c);
	code(t, CETANE_RT_SUB);
}

/* Make what was pushed the next value.
 *
 * A failed formula is not counted, and has been reported.
 */
static void done(struct cost *t)
{
	struct nvptx_version *v = t->v;

	t->ok = nvptx_postfix_end(t->l, &t->c, &v->cost[v->n_cost]) && t->ok;
	v->n_cost += t->ok;
	t->c = (struct nvptx_postfix) { .cap = 0 };
}

/* Multiply by the batch.
 *
 * Batch digits multiply blocks, bytes and sums alike.
 */
static void repeat(struct cost *t)
{
	for (int i = 0; i < t->of->n_batch; i++) {
		push_size(t, t->of->batch[i]);
		code(t, CETANE_RT_MUL);
	}
}

/* Push the steps of a part, which is all of a whole sum, or the parts.
 *
 * A division says either how many parts, or how many steps each of them has;
 * the other follows from the sum's length.
 */
static void push_division(struct cost *t, bool steps)
{
	struct poly_division d = t->of->division;

	if (d.n && d.by_steps == steps) {
		constant(t, d.n);
		return;
	}
	push_size(t, t->of->steps);
	if (d.n)
		with(t, CETANE_RT_DIV, d.n);
}

static void push_parts(struct cost *t)
{
	push_division(t, false);
}

/* h0: the tiles along both axes, times the parts of the sum and the batch. */
static void add_blocks(struct cost *t)
{
	for (int d = 0; d < 2; d++) {
		push_axis(t, d);
		divide_up(t, t->of->tile[d]);
	}
	code(t, CETANE_RT_MUL);
	if (t->of->division.n) {
		push_parts(t);
		code(t, CETANE_RT_MUL);
	}
	repeat(t);
	done(t);
}

/* h1, h2 and h3.
 *
 * h1 and h2 are quotient and remainder of the blocks by what is resident at
 * once.
 */
static void add_rounds(struct cost *t)
{
	int most = t->of->multiprocessors * t->of->resident;

	value(t, BLOCKS);
	with(t, CETANE_RT_DIV, most);
	done(t);
	value(t, BLOCKS);
	with(t, CETANE_RT_MOD, most);
	done(t);
	push_division(t, true);
	divide_up(t, t->of->tile_k);
	done(t);
}

/* Push the cycles of a tile for "n" blocks of a multiprocessor, less those for "less".
 *
 * Those of fewer tiles of steps than there are slots wait for no slot.
 */
static void push_tile(struct cost *t, int n, int less)
{
	int64_t many = t->of->cycles[n] - t->of->cycles[less];
	int64_t few = t->of->few[n] - t->of->few[less];

	if (few == many) {
		constant(t, many);
		return;
	}
	value(t, TILES);
	with(t, CETANE_RT_LT, t->of->slots);
	constant(t, few);
	constant(t, many);
	code(t, CETANE_RT_SELECT);
}

/* cycles[1 + h2 / multiprocessors], and in between.
 *
 * With n blocks left on some multiprocessors and n - 1 on others the time lies
 * in between: linear in the number of blocks that are left. Without any left
 * the whole is multiplied by 0.
 */
static void add_between(struct cost *t)
{
	int all = t->of->multiprocessors;

	push_tile(t, 1, 0);
	for (int n = 1; n < t->of->resident; n++) {
		value(t, LEFT);
		with(t, CETANE_RT_SUB, (int64_t) (n - 1) * all);
		with(t, CETANE_RT_MAX, 0);
		with(t, CETANE_RT_MIN, all);
		push_tile(t, n + 1, n);
		code(t, CETANE_RT_MUL);
		with(t, CETANE_RT_DIV, all);
		code(t, CETANE_RT_ADD);
	}
	constant(t, 0);
	value(t, LEFT);
	code(t, CETANE_RT_LT);
	code(t, CETANE_RT_MUL);
	done(t);
}

/* cycles[n] for the n blocks that some multiprocessor has, none of 0.
 *
 * A staircase: n blocks on the fullest multiprocessor take cycles[n], whatever
 * the others have.
 */
static void add_alone(struct cost *t)
{
	constant(t, 0);
	for (int n = 1; n <= t->of->resident; n++) {
		constant(t, (int64_t) (n - 1) * t->of->multiprocessors);
		value(t, LEFT);
		code(t, CETANE_RT_LT);
		push_tile(t, n, n - 1);
		code(t, CETANE_RT_MUL);
		code(t, CETANE_RT_ADD);
	}
	done(t);
}

/* Add what each block of a multiprocessor but the first takes. */
static void add_crowd(struct cost *t)
{
	value(t, BLOCKS);
	with(t, CETANE_RT_SUB, 1);
	with(t, CETANE_RT_MAX, 0);
	with(t, CETANE_RT_DIV, t->of->multiprocessors);
	with(t, CETANE_RT_MUL, t->of->block);
	code(t, CETANE_RT_ADD);
}

/* Push the cycles of all blocks: those of whole rounds, those of the last one, and
 * what the beginning and the end of each round take beside.
 *
 * The term with TILES multiplies the cycles of one step by the steps of a
 * block.
 */
static void add_cycles(struct cost *t)
{
	value(t, ROUNDS);
	push_tile(t, t->of->resident, 0);
	code(t, CETANE_RT_MUL);
	value(t, ROUNDS);
	value(t, BETWEEN);
	value(t, ALONE);
	code(t, CETANE_RT_SELECT);
	code(t, CETANE_RT_ADD);
	value(t, TILES);
	code(t, CETANE_RT_MUL);
	value(t, ROUNDS);
	constant(t, 0);
	value(t, LEFT);
	code(t, CETANE_RT_LT);
	code(t, CETANE_RT_ADD);
	with(t, CETANE_RT_SUB, 1);
	with(t, CETANE_RT_MAX, 0);
	with(t, CETANE_RT_MUL, t->of->again);
	code(t, CETANE_RT_ADD);
	with(t, CETANE_RT_ADD, t->of->fill);
	if (t->of->block)
		add_crowd(t);
	done(t);
}

/* Points of the result, each "by" times.
 *
 * Bytes, or operations, that each point of the result takes.
 */
static void push_points(struct cost *t, int by)
{
	push_axis(t, 0);
	push_axis(t, 1);
	code(t, CETANE_RT_MUL);
	with(t, CETANE_RT_MUL, by);
}

/* Push the bytes that adding the parts moves. */
static void push_sum_bytes(struct cost *t)
{
	push_points(t, t->of->sum);
	push_parts(t);
	code(t, CETANE_RT_MUL);
	repeat(t);
}

/* Add what it takes to add the parts.
 *
 * "sum_cycle" bytes are added in a cycle; each part has a launch's beginning,
 * too.
 */
static void add_sum(struct cost *t)
{
	push_sum_bytes(t);
	with(t, CETANE_RT_DIV, t->of->sum_cycle);
	code(t, CETANE_RT_ADD);
	push_parts(t);
	with(t, CETANE_RT_MUL, t->of->part);
	code(t, CETANE_RT_ADD);
}

/* Too many parts take more than anything else.
 *
 * Temporaries of more than most_bytes are refused by a time that no other
 * version has. The quarter leaves room for what is still added.
 */
static void refuse_many(struct cost *t)
{
	constant(t, 2 * t->of->most_bytes);
	push_sum_bytes(t);
	code(t, CETANE_RT_LT);
	with(t, CETANE_RT_MUL, INT64_MAX / 4);
	code(t, CETANE_RT_MAX);
}

/* Add what the rounds before take.
 *
 * Whole rounds have no remainder, so the cycles of a full multiprocessor count.
 */
static void add_before(struct cost *t)
{
	push_rounds(t);
	with(t, CETANE_RT_MUL, t->of->cycles[t->of->resident]);
	push_size(t, t->of->steps);
	divide_up(t, t->of->tile_k);
	code(t, CETANE_RT_MUL);
	code(t, CETANE_RT_ADD);
	push_rounds(t);
	with(t, CETANE_RT_SUB, 1);
	with(t, CETANE_RT_MUL, t->of->again);
	code(t, CETANE_RT_ADD);
	with(t, CETANE_RT_ADD, t->of->fill);
}

/* Push the time of the kernel: the larger one of what its bytes and its cycles take,
 * and what parts of sums and the rounds before add.
 *
 * Bytes at the rate of memory and cycles at that of computing run side by side:
 * the larger counts.
 */
static void add_all(struct cost *t)
{
	push_points(t, t->of->bytes[0]);
	if (t->of->division.n) {
		push_parts(t);
		code(t, CETANE_RT_MUL);
	}
	for (int d = 0; d < 2; d++) {
		push_axis(t, d);
		with(t, CETANE_RT_MUL, t->of->bytes[1 + d]);
		push_size(t, t->of->steps);
		code(t, CETANE_RT_MUL);
		code(t, CETANE_RT_ADD);
	}
	repeat(t);
	with(t, CETANE_RT_DIV, t->of->bytes_cycle);
	value(t, CYCLES);
	code(t, CETANE_RT_MAX);
	with(t, CETANE_RT_ADD, t->of->more);
	if (t->of->division.n)
		add_sum(t);
	if (t->of->rest)
		add_before(t);
	with(t, CETANE_RT_MUL, t->of->percent);
	if (t->of->division.n)
		refuse_many(t);
	done(t);
}

/* A program without a product has no points, and its cost is the constant
 * "more". False if some size has no formula.
 */
bool nvptx_cost(struct nvptx_lower *l, const struct poly_cost *cost,
	struct nvptx_version *v)
{
	struct cost t = { .l = l, .of = cost, .v = v, .ok = true };

	if (!cost->points[0]) {
		constant(&t, cost->more);
		done(&t);
		return t.ok;
	}
	add_blocks(&t);
	add_rounds(&t);
	add_between(&t);
	add_alone(&t);
	add_cycles(&t);
	add_all(&t);
	return t.ok;
}
