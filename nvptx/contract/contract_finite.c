/* nvptx: are the factors of a CONTRACT finite? */
#include <math.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* ------------------------------------------------------------- finite factors */

/* The bits of the float "v" without its sign, or NULL if it is no f32 or f64. */
static LLVMValueRef magnitude(struct nvptx_lower *l, LLVMValueRef v)
{
	LLVMContextRef ctx = l->ir->m->ctx;
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	LLVMTypeRef type = kind == LLVMFloatTypeKind ?
		LLVMInt32TypeInContext(ctx) : LLVMInt64TypeInContext(ctx);

	if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		return NULL;
	v = LLVMBuildBitCast(l->ir->b, v, type, "");
	return LLVMBuildLShr(l->ir->b, LLVMBuildShl(l->ir->b, v,
		LLVMConstInt(type, 1, 0), ""), LLVMConstInt(type, 1, 0), "");
}

/* The greater of "a", which may be NULL, and "b". */
static LLVMValueRef greater(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return !a ? b : LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b,
		LLVMIntUGT, a, b, ""), a, b, "");
}

/* The greatest magnitude of what was loaded of the reads "which", or NULL. */
static LLVMValueRef greatest(struct nvptx_lower *l, const struct nvptx_contract *c,
	const bool *which)
{
	int size = c->n[0] * c->n[1];
	LLVMValueRef most = NULL;

	for (int i = 0; i < c->n_read * size; i++) {
		LLVMValueRef v = which[i / size] ? c->fragment[nvptx_contract_first_read(c,
			i / size) * size + i % size] : NULL;

		if (v)
			most = greater(l, most, magnitude(l, v));
	}
	return most;
}

/* Is all finite that the thread reads of the operands "which" of the tile? */
static LLVMValueRef are_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	const bool *which, enum poly_type t)
{
	LLVMContextRef ctx = l->ir->m->ctx;
	LLVMTypeRef type = t == POLY_F32 ? LLVMInt32TypeInContext(ctx) :
		LLVMInt64TypeInContext(ctx);
	LLVMValueRef zero = LLVMConstNull(type), phi, most;
	LLVMBasicBlockRef block = LLVMGetInsertBlock(l->ir->b);
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "finite", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	phi = LLVMBuildPhi(l->ir->b, type, "");
	LLVMAddIncoming(phi, &zero, &block, 1);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, nvptx_int(l->ir, l->kernel->tile_k), ""));
	c->in[nvptx_at_step(c)] = loop.i;
	nvptx_contract_load_step(l, c);
	most = greater(l, greatest(l, c, which), phi);
	block = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(phi, &most, &block, 1);
	nvptx_loop_end(l->ir, &loop, 0);
	return LLVMBuildICmp(l->ir->b, LLVMIntULT, phi, LLVMConstInt(type,
		poly_type_bits(t, HUGE_VAL), 0), "");
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
		are_finite(l, c, which, c->point->rhs->type);
	block = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return !finite ? whole :
		nvptx_if_value(l->ir, &branch, block, finite, whole, "");
}
