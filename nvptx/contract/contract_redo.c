/* nvptx: sums of a CONTRACT that are no numbers are computed again, point by point.
 *
 * Where boxes begin or end outside of an array, zeros stand in for what a window has there,
 * and blocks with a feeder multiply these like all else: that adds zero, unless the other
 * factor is an Inf or NaN. Then the sum is a NaN, as nothing makes a number of one again:
 * so behind the last step a thread asks whether it has a NaN among its sums, and
 * computes these from the arrays, of the points that there are alone.
 *
 *	multiply all steps, whole tiles
 *	if (any sum is no number)
 *		for (each sum that is none)
 *			x = 0; for (all steps) if (the point is there) x += X[..] * F[..]
 */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* Is the sum of "op" 0 before its first step, as all groups of the kernel have it? */
static bool begins_at_zero(const struct nvptx_lower *l, const struct poly_stmt *op)
{
	const struct poly_array *sum = op->member[0]->write_array;
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	bool zero = true, begins = false;
	struct poly_stmt **list;
	int n;

	list = poly_stmts_of(l->prog, domain, &n);
	isl_union_set_free(domain);
	for (int i = 0; list && i < n; i++)
		for (int k = 0; k < list[i]->n_member; k++) {
			const struct poly_stmt *m = list[i]->member[k];

			if (m->write_array != sum || list[i] == op)
				continue;
			begins = true;
			zero &= m->reduce == POLY_OP_NONE &&
				m->rhs->op == POLY_OP_CONST && m->rhs->value == 0;
		}
	free(list);
	return begins && zero;
}

bool nvptx_contract_is_redone(const struct nvptx_lower *l, const struct poly_stmt *op)
{
	const struct poly_stmt *point = op->member[0];
	bool which[POLY_MAX_OPERAND];

	return !op->full && l->kernel->blocks && l->kernel->unit &&
		point->write_array->type == POLY_F32 && point->rhs->type == POLY_F32 &&
		!l->ir->m->opt.ring && !l->ir->m->opt.wide &&
		isl_set_dim(op->domain, isl_dim_set) == 3 +
		poly_kernel_n_outer(l->prog, l->kernel) &&
		poly_runs_full_finite(l->prog, l->kernel, op, which) &&
		begins_at_zero(l, op);
}

/* Let the digits in force be those of sum "i". */
static void set_digits(struct nvptx_lower *l, const struct nvptx_contract *c, int i)
{
	l->now.digit[0] = i / c->n[1];
	l->now.digit[1] = i % c->n[1];
}

/* The sums of the thread into "sum". */
static void load_sums(struct nvptx_lower *l, const struct nvptx_contract *c,
	LLVMValueRef *sum)
{
	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		set_digits(l, c, i);
		sum[i] = nvptx_load(l, c->point->write_array, NULL).v;
	}
}

/* Is any of the "n" sums no number? Two are asked at once. */
static LLVMValueRef has_nan(struct nvptx_lower *l, const LLVMValueRef *sum, int n)
{
	LLVMValueRef any = NULL;

	for (int i = 0; i < n; i += 2) {
		LLVMValueRef nan = LLVMBuildFCmp(l->ir->b, LLVMRealUNO, sum[i],
			sum[i + 1 < n ? i + 1 : i], "");

		any = any ? LLVMBuildOr(l->ir->b, any, nan, "") : nan;
	}
	return any;
}

/* The one of "v" whose number is "i"; those of axis "d" are where its digits stand. */
static LLVMValueRef choose(struct nvptx_lower *l, const LLVMValueRef *v, int n,
	LLVMValueRef i)
{
	LLVMValueRef one = v[0];

	for (int k = 1; k < n; k++)
		one = LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntEQ, i,
			nvptx_int(l->ir, k), ""), v[k], one, "");
	return one;
}

static LLVMValueRef offset(struct nvptx_lower *l, const struct nvptx_contract *c, int d,
	LLVMValueRef digit)
{
	LLVMValueRef v[NVPTX_MAX_SUM];

	for (int r = 0; r < c->n[d]; r++)
		v[r] = nvptx_int(l->ir, poly_product_offset(l->kernel, d, r));
	return choose(l, v, c->n[d], digit);
}

/* What read "o" finds in its array, through the copy that fills its buffer. */
static LLVMValueRef element(struct nvptx_lower *l, const struct nvptx_contract *c, int o)
{
	const struct poly_array *buffer = c->op->operand[o];
	const struct poly_stmt *copy = poly_buffer_copy(l->prog, buffer);
	const struct poly_expr *from = copy->member[0]->rhs;
	LLVMValueRef at[16], in[NVPTX_PLACE_DIM], index[16];

	nvptx_index(l, buffer, c->index[o], (LLVMValueRef *)c->in, at);
	for (int i = 0; i < c->n_tile; i++)
		in[i] = c->in[i];
	in[c->n_tile] = at[buffer->n_dim - 2];
	in[c->n_tile + 1] = at[buffer->n_dim - 1];
	nvptx_index(l, from->array, from->index, in, index);
	return nvptx_load(l, from->array, index).v;
}

/* What the point in force adds. */
static LLVMValueRef term(struct nvptx_lower *l, struct nvptx_contract *c)
{
	LLVMValueRef p[NVPTX_PLACE_DIM], in[16], v;

	for (int d = 0; d < 2; d++)
		p[d] = nvptx_add(l->ir, nvptx_add(l->ir, nvptx_mul(l->ir, c->in[d],
			nvptx_int(l->ir, l->kernel->tile[d])),
			c->in[nvptx_at_thread(c) + d], ""), c->in[nvptx_at_digit(c) + d],
			"");
	p[2] = nvptx_add(l->ir, nvptx_mul(l->ir, c->in[2], nvptx_int(l->ir,
		l->kernel->tile_k)), c->in[nvptx_at_step(c)], "");
	for (int i = 3; i < c->n_tile; i++)
		p[i] = c->in[i];
	nvptx_multi_aff(l, c->point->at, p, in);
	l->reads.n = 0;
	for (int o = 0; o < c->n_read; o++)
		l->reads.held[l->reads.n++] = (struct nvptx_held){ c->read[o],
			element(l, c, o) };
	v = nvptx_expr(l, c->point->rhs, in).v;
	l->reads.n = 0;
	return v;
}

/* The sum at the digits in force, over all "steps". */
static LLVMValueRef again(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef steps)
{
	LLVMTypeRef type = LLVMFloatTypeInContext(l->ir->m->ctx);
	LLVMValueRef x = nvptx_room(l->ir, type, "again"), cond, sum;
	LLVMValueRef n = nvptx_int(l->ir, l->kernel->tile_k);
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	LLVMBuildStore(l->ir->b, LLVMConstNull(type), x);
	nvptx_loop_begin(l->ir, &loop, "again", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT, loop.i,
		nvptx_mul(l->ir, steps, n), ""));
	c->in[2] = nvptx_div(l->ir, loop.i, n);
	c->in[nvptx_at_step(c)] = nvptx_mod(l->ir, loop.i, n);
	cond = nvptx_condition(l, isl_set_copy(c->guard), c->in);
	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, "there");
	sum = LLVMBuildLoad2(l->ir->b, type, x, "");
	LLVMBuildStore(l->ir->b, LLVMBuildFAdd(l->ir->b, sum, term(l, c), ""), x);
	if (cond)
		nvptx_if_end(l->ir, &branch);
	nvptx_loop_end(l->ir, &loop, 1);
	return LLVMBuildLoad2(l->ir->b, type, x, "");
}

/* Compute each sum that is no number again. */
static void redo_all(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef steps)
{
	int n = c->n[0] * c->n[1];
	LLVMValueRef sum[NVPTX_MAX_SUM], columns = nvptx_int(l->ir, c->n[1]), own, x;
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "redo", nvptx_int(l->ir, 0), nvptx_int(l->ir, 1));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT, loop.i,
		nvptx_int(l->ir, n), ""));
	load_sums(l, c, sum);
	own = choose(l, sum, n, loop.i);
	nvptx_if_begin(l->ir, &branch, LLVMBuildFCmp(l->ir->b, LLVMRealUNO, own, own, ""),
		"nan");
	c->in[nvptx_at_digit(c)] = offset(l, c, 0, nvptx_div(l->ir, loop.i, columns));
	c->in[nvptx_at_digit(c) + 1] = offset(l, c, 1, nvptx_mod(l->ir, loop.i, columns));
	x = again(l, c, steps);
	load_sums(l, c, sum);
	for (int i = 0; i < n; i++) {
		LLVMValueRef is = LLVMBuildICmp(l->ir->b, LLVMIntEQ, loop.i,
			nvptx_int(l->ir, i), "");

		set_digits(l, c, i);
		nvptx_store(l, c->point->write_array, NULL, (struct nvptx_value){
			LLVMBuildSelect(l->ir->b, is, x, sum[i], ""), NULL });
	}
	nvptx_if_end(l->ir, &branch);
	nvptx_loop_end(l->ir, &loop, 1);
}

static void add_read(struct poly_expr *leaf, void *user)
{
	struct nvptx_contract *c = user;

	if (c->n_read < POLY_MAX_OPERAND)
		c->read[c->n_read++] = leaf;
}

void nvptx_contract_redo(struct nvptx_lower *l, const struct poly_stmt *op,
	const LLVMValueRef *arg)
{
	struct nvptx_contract c = { .op = op, .point = op->member[0] };
	LLVMValueRef sum[NVPTX_MAX_SUM];
	struct nvptx_branch branch;
	LLVMValueRef steps;

	if (!nvptx_contract_is_redone(l, op))
		return;
	c.n_tile = isl_set_dim(op->domain, isl_dim_set);
	poly_expr_each_access(c.point->rhs, &add_read, &c);
	steps = nvptx_copy_steps(l, poly_buffer_copy(l->prog, op->operand[0]));
	for (int i = 0; i < c.n_tile; i++)
		c.in[i] = i == 2 ? NULL : arg[i < 2 ? i : i - 1];
	for (int d = 0; d < 2; d++) {
		c.n[d] = l->kernel->tile[d] / l->kernel->thread[d];
		c.in[nvptx_at_thread(&c) + d] = nvptx_thread_offset(l, d, true);
	}
	for (int o = 0; o < c.n_read; o++)
		c.index[o] = nvptx_contract_index(l, &c, op->operand_index[o]);
	c.guard = nvptx_contract_guard(l, &c);
	load_sums(l, &c, sum);
	nvptx_if_begin(l->ir, &branch, has_nan(l, sum, c.n[0] * c.n[1]), "again");
	redo_all(l, &c, steps);
	nvptx_if_end(l->ir, &branch);
	isl_set_free(c.guard);
	for (int o = 0; o < c.n_read; o++)
		isl_multi_pw_aff_free(c.index[o]);
}
