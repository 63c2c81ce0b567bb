/* nvptx: the emitter of CONTRACT: a tile of a reduction whose reads come from
 * shared buffers, one register tile a thread.
 *
 *	for (kk = 0; kk < tile_k; kk++)
 *		x[r0] = X[kk][..];  y[r1] = Y[kk][..];
 *		acc[r0][r1] = fma(x[r0], y[r1], acc[r0][r1])	for all r0, r1
 *
 * Which digits an operand depends on follows from the maps: its index is
 * pulled back to [T0,T1,Tk,.., o0,o1, q0,q1, kk] (tile, offset of the digit's
 * point, thread, step), and equalities that hold for all of a tile's points
 * (floor((o0 + 4 q0) / 64) is 0) are found there, so that what is left is a
 * short affine function. The update is any expression of what was loaded; of a
 * sum of products, factors that move with one axis are multiplied first.
 *
 * If points of a tile must be left out, there are two loops: one for tiles that
 * lack none, and one that asks at each point.
 */
#include <stdlib.h>

#include "nvptx/nvptx_internal.h"

#define UNROLL_LIMIT 1024	/* multiply-adds in the unrolled loop */

enum { MAX_DIM = 24, MAX_FACTOR = 8 };

struct contract {
	const struct poly_stmt *op;
	struct poly_stmt *point;
	int n_tile;			/* coordinates of the tile */
	int n[2];			/* digits */
	int n_read;
	const struct poly_expr *read[POLY_MAX_OPERAND];
	isl_multi_pw_aff *index[POLY_MAX_OPERAND];	/* simplified, or NULL */
	isl_set *guard;			/* the points there are, or NULL */
	LLVMValueRef in[MAX_DIM];
	LLVMValueRef *fragment;		/* of each read, one a pair of digits */
};

/* Where in "in" the offsets of the digits, the thread, and the step are. */
static int digit(const struct contract *c)
{
	return c->n_tile;
}

static int thread(const struct contract *c)
{
	return c->n_tile + 2;
}

static int step(const struct contract *c)
{
	return c->n_tile + 4;
}

/* "[T0,T1,Tk,e3,..,o0,o1,q0,q1,kk]" */
static void add_place(const struct contract *c, struct poly_str *s)
{
	poly_str_add(s, "[T0,T1,Tk");
	for (int i = 3; i < c->n_tile; i++)
		poly_str_printf(s, ",e%d", i);
	poly_str_add(s, ",o0,o1,q0,q1,kk]");
}

/* "{ [T0,T1,Tk,..] -> [p0,p1,pk,..] }" and the box of its places, with the
 * kernel's sizes in them.
 */
static void describe(const struct contract *c, const struct poly_kernel *k,
	struct poly_str *map, struct poly_str *box)
{
	poly_str_add(map, "{ ");
	add_place(c, map);
	poly_str_printf(map, " -> [%d T0 + o0 + %d q0, %d T1 + o1 + %d q1, "
		"%d Tk + kk", k->tile[0], k->vec[0], k->tile[1], k->vec[1],
		k->tile_k);
	for (int i = 3; i < c->n_tile; i++)
		poly_str_printf(map, ", e%d", i);
	poly_str_add(map, "] }");
	poly_str_add(box, "{ ");
	add_place(c, box);
	poly_str_printf(box, " : 0 <= kk < %d", k->tile_k);
	for (int d = 0; d < 2; d++)
		poly_str_printf(box, " and 0 <= q%d < %d and 0 <= o%d and "
			"o%d + %d q%d < %d", d, k->thread[d], d, d, k->vec[d],
			d, k->tile[d]);
	poly_str_add(box, " }");
}

/* "{ [T0,T1,Tk,..] -> S[..] }": the member's instance at a thread's place; in
 * "*box" the places.
 */
static __isl_give isl_multi_aff *instance(struct nvptx_lower *l,
	const struct contract *c, isl_set **box)
{
	isl_ctx *ctx = l->prog->ctx;
	struct poly_str map = { 0 }, places = { 0 };
	isl_multi_aff *at = NULL;

	describe(c, l->kernel, &map, &places);
	*box = NULL;
	if (!map.failed && !places.failed) {
		at = isl_multi_aff_read_from_str(ctx, map.s);
		*box = isl_set_read_from_str(ctx, places.s);
	}
	poly_str_free(&map);
	poly_str_free(&places);
	return isl_multi_aff_pullback_multi_aff(
		isl_multi_aff_copy(c->point->at), at);
}

/* "index" (member's domain -> buffer) as a function of the thread's place. */
static __isl_give isl_multi_pw_aff *place_index(struct nvptx_lower *l,
	const struct contract *c, __isl_keep isl_multi_pw_aff *index)
{
	isl_set *box;
	isl_multi_pw_aff *mpa;
	isl_pw_multi_aff *pma;
	isl_map *graph;

	mpa = isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(index),
		instance(l, c, &box));
	graph = isl_map_from_multi_pw_aff(mpa);
	graph = isl_map_intersect_domain(graph, box);
	graph = isl_map_detect_equalities(graph);
	pma = isl_pw_multi_aff_from_map(isl_map_copy(graph));
	pma = isl_pw_multi_aff_gist(pma, isl_map_domain(graph));
	return isl_multi_pw_aff_from_pw_multi_aff(pma);
}

/* The tiles in which the operation runs, as a set without a name. */
static __isl_give isl_set *tiles(struct nvptx_lower *l,
	const struct contract *c)
{
	return isl_set_reset_tuple_id(isl_set_intersect_params(
		isl_set_copy(c->op->domain), isl_set_copy(l->known)));
}

/* The places whose point the member has, as far as that is not known. */
static __isl_give isl_set *place_guard(struct nvptx_lower *l,
	const struct contract *c)
{
	isl_set *box, *set, *known = tiles(l, c);
	isl_multi_aff *at = instance(l, c, &box);

	set = isl_set_preimage_multi_aff(isl_set_copy(c->point->domain), at);
	known = isl_set_add_dims(known, isl_dim_set, 5);
	return isl_set_gist(isl_set_coalesce(set),
		isl_set_intersect(known, box));
}

static bool uses_digit(const struct contract *c, int o, int d)
{
	return c->index[o] && isl_multi_pw_aff_involves_dims(c->index[o],
		isl_dim_in, digit(c) + d, 1) == isl_bool_true;
}

/* Let "in" be at the digits r0, r1. */
static void set_digits(struct nvptx_lower *l, struct contract *c, int r0,
	int r1)
{
	l->digit[0] = r0;
	l->digit[1] = r1;
	c->in[digit(c)] = nvptx_int(l, poly_digit_offset(l->kernel, 0, r0));
	c->in[digit(c) + 1] = nvptx_int(l,
		poly_digit_offset(l->kernel, 1, r1));
}

/* Load the fragment of read "o", which has an entry for each pair of digits;
 * pairs that name the same element share one load.
 */
static void load_fragment(struct nvptx_lower *l, struct contract *c, int o)
{
	bool use0 = uses_digit(c, o, 0), use1 = uses_digit(c, o, 1);
	LLVMValueRef *frag = c->fragment + o * c->n[0] * c->n[1];
	LLVMValueRef index[16];

	for (int r0 = 0; r0 < c->n[0]; r0++)
		for (int r1 = 0; r1 < c->n[1]; r1++) {
			int from = (use0 ? r0 : 0) * c->n[1] + (use1 ? r1 : 0);
			int at = r0 * c->n[1] + r1;

			if (from < at) {
				frag[at] = frag[from];
				continue;
			}
			set_digits(l, c, r0, r1);
			nvptx_index(l, c->index[o], c->in, index);
			frag[at] = nvptx_load(l, c->op->operand[o], index).v;
		}
}

/* Load what the step reads from shared memory; reads of one buffer share it. */
static void load_fragments(struct nvptx_lower *l, struct contract *c)
{
	int size = c->n[0] * c->n[1];

	for (int o = 0; o < c->n_read; o++) {
		int same = 0;

		if (!c->index[o])
			continue;
		while (c->op->operand[same] != c->op->operand[o])
			same++;
		if (same == o)
			load_fragment(l, c, o);
		for (int i = 0; i < size && same < o; i++)
			c->fragment[o * size + i] =
				c->fragment[same * size + i];
	}
}

/* ------------------------------------------------------------- the update */

/* Let expressions find what was loaded for the digits in force. */
static void hold_reads(struct nvptx_lower *l, const struct contract *c)
{
	int size = c->n[0] * c->n[1];
	int at = l->digit[0] * c->n[1] + l->digit[1];

	l->n_held = 0;
	for (int o = 0; o < c->n_read; o++)
		if (c->index[o])
			l->held[l->n_held++] = (struct nvptx_held) {
				c->read[o], c->fragment[o * size + at] };
}

/* Does "e" read something that moves with axis "d"? */
static bool moves(const struct contract *c, const struct poly_expr *e, int d)
{
	bool found = false;

	for (int o = 0; o < c->n_read && e->op == POLY_OP_ACCESS; o++)
		found |= c->read[o] == e && uses_digit(c, o, d);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		found |= moves(c, e->arg[i], d);
	return found;
}

/* The factors of "e" into "list", which has "n". */
static int add_factors(const struct poly_expr *e, const struct poly_expr **list,
	int n)
{
	if (e->op != POLY_OP_MUL || n == MAX_FACTOR) {
		if (n < MAX_FACTOR)
			list[n] = e;
		return n + 1;
	}
	n = add_factors(e->arg[0], list, n);
	return add_factors(e->arg[1], list, n);
}

/* The product of those of the "n" factors that move with axis 1, or of the
 * others, in the type "t"; NULL if there are none.
 */
static LLVMValueRef multiply(struct nvptx_lower *l, const struct contract *c,
	const struct poly_expr **factor, int n, bool along, enum poly_type t,
	const LLVMValueRef *in)
{
	struct nvptx_value pair[2] = { { NULL, NULL }, { NULL, NULL } };

	for (int i = 0; i < n; i++) {
		if (moves(c, factor[i], 1) != along)
			continue;
		pair[1] = nvptx_cast(l, t, factor[i]->type,
			nvptx_expr(l, factor[i], in));
		pair[0] = pair[0].v ? nvptx_op(l, POLY_OP_MUL, t, pair) :
			pair[1];
	}
	return pair[0].v;
}

/* May the factors of the product "e" be multiplied in any order? */
static bool is_free(const struct nvptx_lower *l, const struct poly_expr *e)
{
	return l->prog->fp != POLY_FP_STRICT || l->m->opt.ring ||
		!poly_type_is_float(e->type);
}

/* The two factors of "e", a product, that one fused operation takes. */
static bool split_product(struct nvptx_lower *l, const struct contract *c,
	const struct poly_expr *e, enum poly_type t, const LLVMValueRef *in,
	LLVMValueRef pair[2])
{
	const struct poly_expr *factor[MAX_FACTOR] = { e->arg[0], e->arg[1] };
	int n = is_free(l, e) ? add_factors(e, factor, 0) : 2;

	pair[0] = pair[1] = NULL;
	if (n > 2 && n <= MAX_FACTOR)
		for (int i = 0; i < 2; i++)
			pair[i] = multiply(l, c, factor, n, i, t, in);
	for (int i = 0; i < 2 && (!pair[0] || !pair[1]); i++)
		pair[i] = nvptx_cast(l, t, e->arg[i]->type,
			nvptx_expr(l, e->arg[i], in)).v;
	return pair[0] && pair[1];
}

/* acc = x * y + acc in the type that values of its type are computed in. */
static void accumulate_product(struct nvptx_lower *l, const struct contract *c,
	const LLVMValueRef *in)
{
	const struct poly_array *acc = c->point->write_array;
	enum poly_type t = acc->type, compute = poly_type_compute(t);
	struct nvptx_value v = nvptx_cast(l, compute, t,
		nvptx_load(l, acc, NULL));
	LLVMValueRef pair[2];

	split_product(l, c, c->point->rhs, compute, in, pair);
	v.v = nvptx_fma(l, compute, pair[0], pair[1], v.v);
	nvptx_store(l, acc, NULL, nvptx_cast(l, t, compute, v));
}

/* Update the accumulator of the digits in force. */
static void update(struct nvptx_lower *l, struct contract *c)
{
	const struct poly_stmt *s = c->point;
	LLVMValueRef p[MAX_DIM], in[16];

	for (int d = 0; d < 2; d++)
		p[d] = nvptx_add(l, nvptx_add(l, nvptx_mul(l, c->in[d],
			nvptx_int(l, l->kernel->tile[d])),
			nvptx_mul(l, c->in[thread(c) + d],
				nvptx_int(l, l->kernel->vec[d])), ""),
			c->in[digit(c) + d], "");
	p[2] = nvptx_add(l, nvptx_mul(l, c->in[2],
		nvptx_int(l, l->kernel->tile_k)), c->in[step(c)], "");
	for (int i = 3; i < c->n_tile; i++)
		p[i] = c->in[i];
	nvptx_multi_aff(l, s->at, p, in);
	hold_reads(l, c);
	if (s->reduce == POLY_OP_ADD && s->rhs->op == POLY_OP_MUL)
		accumulate_product(l, c, in);
	else
		nvptx_point(l, s, in);
	l->n_held = 0;
}

/* Update the accumulators of all digits, along columns, up and down in turn:
 * two multiply-adds in a row then share an operand, which the hardware keeps
 * from one to the next, so that fewer reads of registers collide.
 */
static void update_all(struct nvptx_lower *l, struct contract *c, bool ask)
{
	struct nvptx_branch branch;
	LLVMValueRef cond = NULL;

	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		int column = i / c->n[0], row = i % c->n[0];

		set_digits(l, c, column % 2 ? c->n[0] - 1 - row : row, column);
		if (ask)
			cond = nvptx_condition(l, isl_set_copy(c->guard),
				c->in);
		if (cond)
			nvptx_if_begin(l, &branch, cond, "inside");
		update(l, c);
		if (cond)
			nvptx_if_end(l, &branch);
	}
}

/* --------------------------------------------------------------- the loops */

/* How often to unroll the loop over the steps. LLVM puts all loads of a block
 * first, and ptxas moves them back to their uses; but if the product has but
 * one tile to sum over, and so no loop around this one, then the rest of the
 * kernel is in the same block, and ptxas spills. Half of the steps in a loop
 * prevent that.
 */
static int unroll_steps(const struct nvptx_lower *l, const struct contract *c)
{
	int steps = l->kernel->tile_k;

	if (l->m->opt.device != NVPTX_GPU ||
	    c->n[0] * c->n[1] * steps > UNROLL_LIMIT)
		return 0;
	return LLVMIsConstant(c->in[2]) ? steps / 2 : NVPTX_UNROLL_ALL;
}

/* The loop over the steps of a tile; with "ask", points that the member lacks
 * are left out: a step at once if that depends on the step alone.
 */
static void emit_loop(struct nvptx_lower *l, struct contract *c, bool ask)
{
	int steps = l->kernel->tile_k;
	bool points = ask && isl_set_involves_dims(c->guard, isl_dim_set,
		digit(c), 4) == isl_bool_true;
	struct nvptx_branch branch;
	struct nvptx_loop loop;
	LLVMValueRef cond = NULL;

	nvptx_loop_begin(l, &loop, "kk", nvptx_int(l, 0), nvptx_int(l, 1));
	nvptx_loop_body(l, &loop, LLVMBuildICmp(l->b, LLVMIntULT, loop.i,
		nvptx_int(l, steps), ""));
	c->in[step(c)] = loop.i;
	if (ask && !points)
		cond = nvptx_condition(l, isl_set_copy(c->guard), c->in);
	if (cond)
		nvptx_if_begin(l, &branch, cond, "inside");
	load_fragments(l, c);
	update_all(l, c, points);
	if (cond)
		nvptx_if_end(l, &branch);
	nvptx_loop_end(l, &loop, ask ? 1 : unroll_steps(l, c));
}

/* One loop for tiles that have all points, another for the rest of them. */
static void emit_loops(struct nvptx_lower *l, struct contract *c)
{
	isl_set *whole = poly_whole_tiles(l->prog, l->kernel, c->op);
	struct nvptx_branch branch;
	LLVMValueRef cond;

	whole = isl_set_reset_tuple_id(whole);
	whole = isl_set_gist(isl_set_coalesce(whole), tiles(l, c));
	cond = nvptx_condition(l, whole, c->in);
	if (!cond) {
		emit_loop(l, c, false);
		return;
	}
	c->guard = place_guard(l, c);
	nvptx_if_begin(l, &branch, cond, "whole");
	emit_loop(l, c, false);
	nvptx_if_end(l, &branch);
	nvptx_if_begin(l, &branch, LLVMBuildNot(l->b, cond, ""), "part");
	emit_loop(l, c, true);
	nvptx_if_end(l, &branch);
	isl_set_free(c->guard);
}

static void add_read(struct poly_expr *leaf, void *user)
{
	struct contract *c = user;

	if (c->n_read < POLY_MAX_OPERAND)
		c->read[c->n_read++] = leaf;
}

void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	struct contract c = { .op = s };
	bool ok = true;

	c.n_tile = isl_set_dim(s->domain, isl_dim_set);
	if (s->n_member != 1 || step(&c) >= MAX_DIM ||
	    s->member[0]->reduce == POLY_OP_NONE ||
	    s->member[0]->write_array->space != POLY_REGISTER) {
		nvptx_fail(l, nvptx_i32(l), "a contraction is no reduction in "
			"registers");
		return;
	}
	c.point = s->member[0];
	poly_expr_each_access(c.point->rhs, &add_read, &c);
	for (int i = 0; i < c.n_tile; i++)
		c.in[i] = arg[i];
	for (int d = 0; d < 2; d++) {
		c.n[d] = k->tile[d] / k->thread[d];
		c.in[thread(&c) + d] = l->tid[d];
	}
	for (int o = 0; o < c.n_read; o++)
		if (s->operand[o]) {
			c.index[o] = place_index(l, &c, s->operand_index[o]);
			ok &= c.index[o] != NULL;
		}
	nvptx_debug_stmt(l, c.point);
	c.fragment = calloc(POLY_MAX_OPERAND * c.n[0] * c.n[1],
		sizeof(*c.fragment));
	if (!c.fragment || !ok)
		nvptx_fail(l, nvptx_i32(l), "an operand has no index");
	else if (s->full)
		emit_loop(l, &c, false);
	else
		emit_loops(l, &c);
	free(c.fragment);
	for (int o = 0; o < c.n_read; o++)
		isl_multi_pw_aff_free(c.index[o]);
}
