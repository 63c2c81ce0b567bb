/* nvptx: the emitter of CONTRACT: a tile of a reduction whose reads come from
 * shared buffers, one register tile a thread.
 *
 *	for (kk = 0; kk < tile_k; kk++)
 *		x[r0] = X[kk][..];  y[r1] = Y[kk][..];
 *		acc[r0][r1] = fma(x[r0], y[r1], acc[r0][r1])	for all r0, r1
 *
 * Which digits an operand depends on follows from the maps (contract_place.c). The
 * update is any expression of what was loaded; of a
 * sum of products, factors that move with one axis are multiplied first.
 *
 * On a GPU, and where the host device checks, the loads run a step ahead, and
 * are as wide as the runs of points or steps that a thread has (kernel.vec,
 * vec_k) where these lie side by side.
 *
 * If points of a tile must be left out, there are two loops: one for tiles that
 * lack none, and one that asks at each point. Where a zero was filled in, a point
 * adds zero if what that is multiplied by is finite: so threads that see nothing else
 * take the first loop, too.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* --------------------------------------------------------------- the loops */

/* What the guard says of the step alone, as a condition, or NULL; the guard
 * keeps the rest, and what would need a search for integers.
 */
static LLVMValueRef ask_step(struct nvptx_lower *l, struct nvptx_contract *c)
{
	isl_set *steps = isl_set_eliminate(isl_set_copy(c->guard), isl_dim_set,
		nvptx_at_digit(c), 4);

	steps = isl_set_remove_unknown_divs(steps);
	c->guard = isl_set_gist(c->guard, isl_set_copy(steps));
	return nvptx_condition(l, steps, c->in);
}

/* The loop over the steps of a tile; with "ask", points that the member lacks
 * are left out, and steps that have none.
 */
static void emit_steps(struct nvptx_lower *l, struct nvptx_contract *c, bool ask)
{
	struct nvptx_branch branch;
	struct nvptx_loop loop;
	LLVMValueRef cond;

	nvptx_unit_wait(l, c->op);
	nvptx_copy_all(l);
	nvptx_loop_begin(l->ir, &loop, "kk", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, nvptx_int(l->ir, l->kernel->tile_k), ""));
	c->in[nvptx_at_step(c)] = loop.i;
	cond = ask ? ask_step(l, c) : NULL;
	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, "inside");
	nvptx_contract_load_step(l, c);
	nvptx_contract_update(l, c, 0, ask);
	if (cond)
		nvptx_if_end(l->ir, &branch);
	nvptx_loop_end(l->ir, &loop, ask ? 1 : 0);
}

/* Run the tile on a matrix unit; false if it cannot be. */
static bool emit_unit(struct nvptx_lower *l, struct nvptx_contract *c)
{
	struct nvptx_unit_op op = { .op = c->op, .index = c->index,
		.in = c->in, .digit = nvptx_at_digit(c), .thread = nvptx_at_thread(c),
		.step = nvptx_at_step(c) };
	LLVMValueRef own[2] = { c->in[nvptx_at_thread(c)], c->in[nvptx_at_thread(c) + 1] };
	bool ran;

	if (!l->kernel->unit)
		return false;
	isl_multi_aff_free(nvptx_contract_instance(l, c, &op.box));
	ran = nvptx_unit(l, &op);
	isl_set_free(op.box);
	for (int d = 0; d < 2; d++)
		c->in[nvptx_at_thread(c) + d] = own[d];
	return ran;
}

/* The loop over the steps of a tile that has all points. */
static void emit_loop(struct nvptx_lower *l, struct nvptx_contract *c)
{
	LLVMValueRef *phi = calloc(2 * c->n_read * c->n[0] * c->n[1] + 1,
		sizeof(*phi));

	memset(c->fragment, 0, c->n_read * c->n[0] * c->n[1] *
		sizeof(*c->fragment));
	if (!phi)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	else if (emit_unit(l, c))
		;
	else if (!l->kernel->unit && nvptx_goes_ahead(l->ir) && nvptx_contract_plan_loads(l,
		c)) nvptx_contract_ahead(l, c, phi);
	else
		emit_steps(l, c, false);
	free(phi);
}

/* The loop for tiles that lack points. Few threads come here: what the conditions of points
 * are made of must not wait in registers while those go on that have all.
 */
static void emit_part(struct nvptx_lower *l, struct nvptx_contract *c)
{
	LLVMValueRef own[2], *at = &c->in[nvptx_at_thread(c)];

	memcpy(own, at, sizeof(own));
	for (int d = 0; d < 2 && !l->kernel->unit; d++)
		at[d] = nvptx_hw(l->ir, NVPTX_HW_HERE, &own[d], 1, "");
	emit_steps(l, c, true);
	memcpy(at, own, sizeof(own));
}

/* One loop for tiles that have all points, another for the rest of them. */
static void emit_loops(struct nvptx_lower *l, struct nvptx_contract *c)
{
	isl_set *whole;
	struct nvptx_branch branch;
	LLVMValueRef cond;

	if (nvptx_contract_is_redone(l, c->op)) {
		emit_loop(l, c);
		return;
	}
	whole = poly_whole_tiles(l->prog, l->kernel, c->op);
	whole = isl_set_reset_tuple_id(whole);
	whole = isl_set_gist(poly_set_coalesce(whole),
		nvptx_contract_tiles(&l->fact, c));
	cond = nvptx_condition(l, whole, c->in);
	if (!cond) {
		emit_loop(l, c);
		return;
	}
	c->guard = nvptx_contract_guard(l, c);
	cond = nvptx_contract_or_finite(l, c, cond);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, cond, ""),
		"part");
	emit_part(l, c);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, cond, "whole");
	emit_loop(l, c);
	nvptx_if_end(l->ir, &branch);
	isl_set_free(c->guard);
}

static void add_read(struct poly_expr *leaf, void *user)
{
	struct nvptx_contract *c = user;

	if (c->n_read < POLY_MAX_OPERAND)
		c->read[c->n_read++] = leaf;
}

void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	struct nvptx_contract c = { .op = s };
	bool ok = true;

	c.n_tile = isl_set_dim(s->domain, isl_dim_set);
	if (s->n_member != 1 || nvptx_at_step(&c) >= NVPTX_PLACE_DIM ||
	    s->member[0]->reduce == POLY_OP_NONE ||
	    s->member[0]->write_array->space != POLY_REGISTER) {
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"a contraction is no reduction in " "registers");
		return;
	}
	c.point = s->member[0];
	poly_expr_each_access(c.point->rhs, &add_read, &c);
	for (int i = 0; i < c.n_tile; i++)
		c.in[i] = arg[i];
	for (int d = 0; d < 2; d++) {
		c.n[d] = k->tile[d] / k->thread[d];
		c.in[nvptx_at_thread(&c) + d] = k->unit ? nvptx_thread_offset(l, d, true) :
			l->value.tid[d];
	}
	c.body = nvptx_body(k, s);
	for (int o = 0; o < c.n_read; o++) {
		c.load[o] = (struct nvptx_contract_load) { .run = { 1, 1, 1 } };
		if (s->operand[o]) {
			c.index[o] = nvptx_contract_index(l, &c, s->operand_index[o]);
			ok &= c.index[o] != NULL;
		}
	}
	nvptx_debug_stmt(l->ir, c.point);
	c.fragment = calloc(POLY_MAX_OPERAND * c.n[0] * c.n[1],
		sizeof(*c.fragment));
	if (!c.fragment || !ok)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "an operand has no index");
	else if (s->full)
		emit_loop(l, &c);
	else
		emit_loops(l, &c);
	free(c.fragment);
	nvptx_copy_done(&l->put_off);
	nvptx_unit_note(l, s);
	for (int o = 0; o < c.n_read; o++)
		isl_multi_pw_aff_free(c.index[o]);
}
