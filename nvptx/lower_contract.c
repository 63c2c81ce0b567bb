/* nvptx: the emitter of CONTRACT: a tile of a matrix product from shared
 * buffers, one register tile a thread.
 *
 *	for (kk = 0; kk < tile_k; kk++)
 *		x[r0] = X[kk][..];  y[r1] = Y[kk][..];
 *		acc[r0][r1] = fma(x[r0], y[r1], acc[r0][r1])	for all r0, r1
 *
 * Which digits an operand depends on follows from the maps: its index is
 * pulled back to [T0,T1,Tk, o0,o1, h0,h1, kk] (tile, offset of the digit's point,
 * thread, step), and equalities that hold for all of a tile's points
 * (floor((o0 + 4 h0) / 64) is 0) are found there, so that what is left is a
 * short affine function.
 */
#include <stdlib.h>

#include "nvptx/nvptx_internal.h"

#define UNROLL_LIMIT 1024	/* multiply-adds in the unrolled loop */

enum { DIGIT = 3, THREAD = 5, STEP = 7, N_DIM = 8 };

struct contract {
	const struct poly_stmt *op, *point;
	int n[2];			/* digits */
	isl_multi_pw_aff *index[2];	/* of the operands, simplified */
	LLVMValueRef in[N_DIM];
};

/* A text that isl reads, with the kernel's sizes in it. */
static void describe(const struct poly_kernel *k, struct poly_str *map,
	struct poly_str *box)
{
	static const char dims[] = "[T0,T1,Tk,o0,o1,h0,h1,kk]";

	poly_str_printf(map, "{ %s -> [%d T0 + o0 + %d h0, %d T1 + o1 + %d h1, "
		"%d Tk + kk] }", dims, k->tile[0], k->vec[0], k->tile[1],
		k->vec[1], k->tile_k);
	poly_str_printf(box, "{ %s : 0 <= kk < %d", dims, k->tile_k);
	for (int d = 0; d < 2; d++)
		poly_str_printf(box, " and 0 <= h%d < %d and 0 <= o%d and "
			"o%d + %d h%d < %d", d, k->thread[d], d, d, k->vec[d],
			d, k->tile[d]);
	poly_str_add(box, " }");
}

/* "index" (member's domain -> buffer) as a function of the thread's place. */
static __isl_give isl_multi_pw_aff *place_index(struct nvptx_lower *l,
	const struct poly_stmt *point, __isl_keep isl_multi_pw_aff *index)
{
	isl_ctx *ctx = l->prog->ctx;
	struct poly_str map = { 0 }, box = { 0 };
	isl_multi_pw_aff *mpa;
	isl_pw_multi_aff *pma;
	isl_map *graph;

	describe(l->kernel, &map, &box);
	mpa = isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(index),
		isl_multi_aff_copy(point->at));
	mpa = isl_multi_pw_aff_pullback_multi_aff(mpa,
		isl_multi_aff_read_from_str(ctx, map.s));
	graph = isl_map_from_multi_pw_aff(mpa);
	graph = isl_map_intersect_domain(graph,
		isl_set_read_from_str(ctx, box.s));
	graph = isl_map_detect_equalities(graph);
	pma = isl_pw_multi_aff_from_map(isl_map_copy(graph));
	pma = isl_pw_multi_aff_gist(pma, isl_map_domain(graph));
	poly_str_free(&map);
	poly_str_free(&box);
	return isl_multi_pw_aff_from_pw_multi_aff(pma);
}

static bool uses_digit(const struct contract *c, int o, int d)
{
	return isl_multi_pw_aff_involves_dims(c->index[o], isl_dim_in,
		DIGIT + d, 1) == isl_bool_true;
}

static LLVMValueRef load_operand(struct nvptx_lower *l, struct contract *c,
	int o, int r0, int r1)
{
	const struct poly_array *a = c->op->operand[o];
	enum poly_type t = poly_type_compute(c->point->write_array->type);
	LLVMValueRef index[16];
	struct nvptx_value x;

	c->in[DIGIT] = nvptx_int(l, poly_digit_offset(l->kernel, 0, r0));
	c->in[DIGIT + 1] = nvptx_int(l, poly_digit_offset(l->kernel, 1, r1));
	nvptx_index(l, c->index[o], c->in, index);
	x = nvptx_load(l, a, index);
	return nvptx_cast(l, t, a->type, x).v;
}

/* Load the fragment of operand "o": "frag" has an entry for each pair of
 * digits; pairs that name the same element share one load.
 */
static void load_fragment(struct nvptx_lower *l, struct contract *c, int o,
	LLVMValueRef *frag)
{
	bool use0 = uses_digit(c, o, 0), use1 = uses_digit(c, o, 1);

	for (int r0 = 0; r0 < c->n[0]; r0++)
		for (int r1 = 0; r1 < c->n[1]; r1++) {
			int from = (use0 ? r0 : 0) * c->n[1] + (use1 ? r1 : 0);
			int at = r0 * c->n[1] + r1;

			frag[at] = from < at ? frag[from] :
				load_operand(l, c, o, r0, r1);
		}
}

/* acc[r] = x * y + acc[r] for all digits, along columns, up and down in turn:
 * two multiply-adds in a row then share an operand, which the hardware keeps
 * from one to the next, so that fewer reads of registers collide.
 */
static void outer_product(struct nvptx_lower *l, struct contract *c,
	LLVMValueRef *x, LLVMValueRef *y)
{
	const struct poly_array *acc = c->point->write_array;
	enum poly_type t = acc->type, compute = poly_type_compute(t);
	struct nvptx_value v;

	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		int column = i / c->n[0], row = i % c->n[0], r;

		row = column % 2 ? c->n[0] - 1 - row : row;
		r = row * c->n[1] + column;
		l->digit[0] = row;
		l->digit[1] = column;
		v = nvptx_cast(l, compute, t, nvptx_load(l, acc, NULL));
		v.v = nvptx_fma(l, compute, x[r], y[r], v.v);
		nvptx_store(l, acc, NULL, nvptx_cast(l, t, compute, v));
	}
}

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
	return LLVMIsConstant(c->in[DIGIT - 1]) ? steps / 2 : NVPTX_UNROLL_ALL;
}

static void emit_loop(struct nvptx_lower *l, struct contract *c,
	LLVMValueRef *x, LLVMValueRef *y)
{
	int steps = l->kernel->tile_k;
	struct nvptx_loop loop;

	nvptx_loop_begin(l, &loop, "kk", nvptx_int(l, 0), nvptx_int(l, 1));
	nvptx_loop_body(l, &loop, LLVMBuildICmp(l->b, LLVMIntULT, loop.i,
		nvptx_int(l, steps), ""));
	c->in[STEP] = loop.i;
	load_fragment(l, c, 0, x);
	load_fragment(l, c, 1, y);
	outer_product(l, c, x, y);
	nvptx_loop_end(l, &loop, unroll_steps(l, c));
}

static bool is_product_sum(const struct poly_stmt *s)
{
	return s->n_member == 1 && s->member[0]->reduce == POLY_OP_ADD &&
		s->member[0]->rhs->op == POLY_OP_MUL &&
		s->member[0]->write_array->space == POLY_REGISTER;
}

void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	struct contract c = { .op = s };
	LLVMValueRef *frag;

	if (!is_product_sum(s)) {
		nvptx_fail(l, nvptx_i32(l), "a contraction is no sum of "
			"products in registers");
		return;
	}
	c.point = s->member[0];
	for (int d = 0; d < 2; d++) {
		c.n[d] = k->tile[d] / k->thread[d];
		c.index[d] = place_index(l, c.point, s->operand_index[d]);
		c.in[THREAD + d] = l->tid[d];
	}
	for (int i = 0; i < DIGIT; i++)
		c.in[i] = arg[i];
	nvptx_debug_stmt(l, c.point);
	frag = calloc(2 * c.n[0] * c.n[1], sizeof(*frag));
	if (frag && c.index[0] && c.index[1])
		emit_loop(l, &c, frag, frag + c.n[0] * c.n[1]);
	else
		nvptx_fail(l, nvptx_i32(l), "an operand has no index");
	free(frag);
	isl_multi_pw_aff_free(c.index[0]);
	isl_multi_pw_aff_free(c.index[1]);
}
