/* nvptx: are the factors of a CONTRACT finite? */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* ------------------------------------------------------------- finite factors */

/* Sums of what is loaded times zero: numbers, unless something is an Inf or a NaN. So
 * many, added to in turn, do not wait for one another.
 */
enum { SUMS = 4 };

/* "sum" and "v" times zero: of each element, if "v" is a vector; they take the sums from
 * "*next" on, which counts.
 */
static void add(struct nvptx_lower *l, enum poly_type t, LLVMValueRef v,
	LLVMValueRef sum[SUMS], int *next)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	int n = vector ? (int)LLVMGetVectorSize(type) : 1;

	for (int i = 0; i < n; i++) {
		LLVMValueRef x = vector ? LLVMBuildExtractElement(l->ir->b, v,
			nvptx_int(l->ir, i), "") : v, *own = &sum[(*next)++ % SUMS];

		*own = nvptx_fma(l->ir, t, x, LLVMConstNull(LLVMTypeOf(x)), *own);
	}
}

/* Add what the step "s" behind "from" reads of the operands "which"; "ahead": as planned. */
static void add_step(struct nvptx_lower *l, struct nvptx_contract *c, const bool *which,
	bool ahead, LLVMValueRef from, int s, LLVMValueRef sum[SUMS])
{
	int size = c->n[0] * c->n[1], next = 0;
	enum poly_type t = c->point->rhs->type;

	c->in[nvptx_at_step(c)] = nvptx_add(l->ir, from, nvptx_int(l->ir, s), "");
	if (!ahead)
		nvptx_contract_load_step(l, c);
	for (int o = 0; o < c->n_read; o++) {
		int first = nvptx_contract_first_read(c, o);
		LLVMValueRef *frag = c->fragment + first * size;

		if (!which[o] || !c->index[o] || (ahead && s % c->load[first].run[2]))
			continue;
		if (ahead)
			nvptx_contract_load_ahead(l, c, first, from, s, frag);
		for (int i = 0; i < size; i++)
			if (frag[i])
				add(l, t, frag[i], sum, &next);
	}
}

/* Is all finite that the thread reads of the operands "which" of the tile? */
static LLVMValueRef are_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	const bool *which)
{
	bool ahead = nvptx_goes_ahead(l->ir) && nvptx_contract_plan_loads(l, c);
	LLVMTypeRef type = nvptx_memory_type(l->ir, c->point->rhs->type);
	LLVMValueRef zero = LLVMConstNull(type), phi[SUMS], sum[SUMS];
	LLVMBasicBlockRef block = LLVMGetInsertBlock(l->ir->b);
	int steps = ahead ? c->body : 1;
	struct nvptx_loop loop;

	memset(c->fragment, 0, c->n_read * c->n[0] * c->n[1] * sizeof(*c->fragment));
	nvptx_loop_begin(l->ir, &loop, "finite", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, steps));
	for (int i = 0; i < SUMS; i++) {
		sum[i] = phi[i] = LLVMBuildPhi(l->ir->b, type, "");
		LLVMAddIncoming(phi[i], &zero, &block, 1);
	}
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, nvptx_int(l->ir, l->kernel->tile_k), ""));
	for (int s = 0; s < steps; s++)
		add_step(l, c, which, ahead, loop.i, s, sum);
	block = LLVMGetInsertBlock(l->ir->b);
	for (int i = 0; i < SUMS; i++)
		LLVMAddIncoming(phi[i], &sum[i], &block, 1);
	nvptx_loop_end(l->ir, &loop, 1);
	nvptx_contract_forget_loads(c);
	for (int i = 1; i < SUMS; i++)
		phi[0] = LLVMBuildFAdd(l->ir->b, phi[0], phi[i], "");
	return LLVMBuildFCmp(l->ir->b, LLVMRealORD, phi[0], phi[0], "");
}

/* Can threads ask whether what the tile reads is finite? With a unit all ask at once, on
 * a GPU, if all multiply, and elsewhere leave out what is not there.
 */
static bool can_ask(const struct nvptx_lower *l, const struct nvptx_contract *c)
{
	enum poly_type t = c->point->rhs->type;
	bool can = (t == POLY_F32 || t == POLY_F64) &&
		!l->ir->m->opt.ring && !l->ir->m->opt.wide;

	if (l->kernel->unit)
		return can && c->n_read == 2 && !l->kernel->blocks &&
			l->ir->m->opt.device == NVPTX_GPU;
	for (int o = 0; o < c->n_read; o++)
		can &= c->read[o]->array->type == t;
	return can;
}

/* "whole", or is all finite that makes points, which are left out otherwise, add zero? */
LLVMValueRef nvptx_contract_or_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef whole)
{
	bool which[POLY_MAX_OPERAND];
	struct nvptx_branch branch;
	LLVMValueRef finite;
	LLVMBasicBlockRef block;

	if (!can_ask(l, c) || !poly_runs_full_finite(l->prog, l->kernel, c->op,
	    which))
		return whole;
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""),
		"ask");
	finite = l->kernel->unit ? nvptx_unit_finite(l, c, which) :
		are_finite(l, c, which);
	block = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return !finite ? whole :
		nvptx_if_value(l->ir, &branch, block, finite, whole, "");
}
