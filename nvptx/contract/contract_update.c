/* nvptx: what a step of a CONTRACT does: the fragments that it loads, and the update. */
#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* Factors of a product, at most. */
enum { MAX_FACTOR = 8 };

static bool uses_digit(const struct nvptx_contract *c, int o, int d)
{
	return c->index[o] && isl_multi_pw_aff_involves_dims(c->index[o],
		isl_dim_in, nvptx_at_digit(c) + d, 1) == isl_bool_true;
}

/* Let "in" be at the digits r0, r1. */
static void set_digits(struct nvptx_lower *l, struct nvptx_contract *c, int r0,
	int r1)
{
	l->now.digit[0] = r0;
	l->now.digit[1] = r1;
	c->in[nvptx_at_digit(c)] = nvptx_int(l->ir,
		poly_product_offset(l->kernel, 0, r0));
	c->in[nvptx_at_digit(c) + 1] = nvptx_int(l->ir,
		poly_product_offset(l->kernel, 1, r1));
}

/* The first read that finds its elements where read "o" does. */
int nvptx_contract_first_read(const struct nvptx_contract *c, int o)
{
	int same = 0;

	while (c->op->operand[same] != c->op->operand[o])
		same++;
	return same;
}

/* Must read "o" be loaded? */
bool nvptx_contract_is_loaded(const struct nvptx_contract *c, int o)
{
	return c->index[o] && nvptx_contract_first_read(c, o) == o;
}

/* Where the fragment of read "o" has the element for a pair of digits: pairs
 * that name the same element, or are loaded together, share an entry.
 */
int nvptx_contract_entry(const struct nvptx_contract *c, int o, int r0, int r1)
{
	const int *run = c->load[o].run;

	r0 = uses_digit(c, o, 0) ? r0 - r0 % run[0] : 0;
	r1 = uses_digit(c, o, 1) ? r1 - r1 % run[1] : 0;
	return r0 * c->n[1] + r1;
}

/* Load what the step reads from shared memory. */
void nvptx_contract_load_step(struct nvptx_lower *l, struct nvptx_contract *c)
{
	int size = c->n[0] * c->n[1];
	LLVMValueRef index[16];

	for (int i = 0; i < c->n_read * size; i++) {
		int o = i / size, r0 = i % size / c->n[1], r1 = i % c->n[1];

		if (!nvptx_contract_is_loaded(c, o) || nvptx_contract_entry(c, o, r0, r1) != i % size)
			continue;
		set_digits(l, c, r0, r1);
		nvptx_index(l, c->op->operand[o], c->index[o], c->in, index);
		c->fragment[i] = nvptx_load(l, c->op->operand[o], index).v;
	}
}

/* ------------------------------------------------------------- the update */

/* What was loaded for read "o" and the digits in force, step "s" of a body. */
static LLVMValueRef element(struct nvptx_lower *l, const struct nvptx_contract *c,
	int o, int s)
{
	int from = nvptx_contract_first_read(c, o), r0 = l->now.digit[0], r1 = l->now.digit[1];
	const int *run = c->load[from].run;
	LLVMValueRef v = c->fragment[from * c->n[0] * c->n[1] +
		nvptx_contract_entry(c, from, r0, r1)];

	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
		v = LLVMBuildExtractElement(l->ir->b, v, nvptx_int(l->ir,
			r0 % run[0] + r1 % run[1] + s % run[2]), "");
	return v;
}

/* Let expressions find it. */
static void hold_reads(struct nvptx_lower *l, const struct nvptx_contract *c, int s)
{
	l->reads.n = 0;
	for (int o = 0; o < c->n_read; o++)
		if (c->index[o])
			l->reads.held[l->reads.n++] = (struct nvptx_held) {
				c->read[o], element(l, c, o, s) };
}

/* Does "e" read something that moves with axis "d"? */
static bool moves(const struct nvptx_contract *c, const struct poly_expr *e, int d)
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
static LLVMValueRef multiply(struct nvptx_lower *l, const struct nvptx_contract *c,
	const struct poly_expr **factor, int n, bool along, enum poly_type t,
	const LLVMValueRef *in)
{
	struct nvptx_value pair[2] = { { NULL, NULL }, { NULL, NULL } };

	for (int i = 0; i < n; i++) {
		if (moves(c, factor[i], 1) != along)
			continue;
		pair[1] = nvptx_cast(l->ir, t, factor[i]->type,
			nvptx_expr(l, factor[i], in));
		pair[0] = pair[0].v ? nvptx_op(l->ir, POLY_OP_MUL, t, pair) :
			pair[1];
	}
	return pair[0].v;
}

/* May the factors of the product "e" be multiplied in any order? */
static bool is_free(const struct nvptx_lower *l, const struct poly_expr *e)
{
	return l->prog->fp != POLY_FP_STRICT || l->ir->m->opt.ring ||
		!poly_type_is_float(e->type);
}

/* The two factors of "e", a product, that one fused operation takes: those of
 * its factors that move with axis 1 and the others, if there are both.
 */
static void split_product(struct nvptx_lower *l, const struct nvptx_contract *c,
	const struct poly_expr *e, enum poly_type t, const LLVMValueRef *in,
	LLVMValueRef pair[2])
{
	const struct poly_expr *factor[MAX_FACTOR];
	int n = is_free(l, e) ? add_factors(e, factor, 0) : 0;

	pair[0] = pair[1] = NULL;
	if (n > 2 && n <= MAX_FACTOR)
		for (int i = 0; i < 2; i++)
			pair[i] = multiply(l, c, factor, n, i, t, in);
	if (pair[0] && pair[1])
		return;
	for (int i = 0; i < 2; i++)
		pair[i] = nvptx_cast(l->ir, t, e->arg[i]->type,
			nvptx_expr(l, e->arg[i], in)).v;
}

/* acc = x * y + acc in the type that values of its type are computed in. */
static void accumulate_product(struct nvptx_lower *l, const struct nvptx_contract *c,
	const LLVMValueRef *in)
{
	const struct poly_array *acc = c->point->write_array;
	enum poly_type t = acc->type, compute = poly_type_compute(t);
	struct nvptx_value v = nvptx_cast(l->ir, compute, t,
		nvptx_load(l, acc, NULL));
	LLVMValueRef pair[2];

	split_product(l, c, c->point->rhs, compute, in, pair);
	v.v = nvptx_fma(l->ir, compute, pair[0], pair[1], v.v);
	nvptx_store(l, acc, NULL, nvptx_cast(l->ir, t, compute, v));
}

/* Is the update one operation, which needs no register of its own? */
bool nvptx_contract_is_fused(const struct nvptx_contract *c)
{
	return c->point->reduce == POLY_OP_ADD &&
		c->point->rhs->op == POLY_OP_MUL;
}

/* Update the accumulator of the digits in force in step "at" of a body. */
static void update(struct nvptx_lower *l, struct nvptx_contract *c, int at)
{
	const struct poly_stmt *s = c->point;
	LLVMValueRef p[NVPTX_PLACE_DIM], in[16];

	for (int d = 0; d < 2; d++)
		p[d] = nvptx_add(l->ir, nvptx_add(l->ir, nvptx_mul(l->ir,
			c->in[d], nvptx_int(l->ir, l->kernel->tile[d])),
			nvptx_mul(l->ir, c->in[nvptx_at_thread(c) + d],
				nvptx_int(l->ir, nvptx_thread_step(l->kernel,
				d))), ""), c->in[nvptx_at_digit(c) + d], "");
	p[2] = nvptx_add(l->ir, nvptx_mul(l->ir, c->in[2],
		nvptx_int(l->ir, l->kernel->tile_k)), c->in[nvptx_at_step(c)],
		"");
	for (int i = 3; i < c->n_tile; i++)
		p[i] = c->in[i];
	nvptx_multi_aff(l, s->at, p, in);
	hold_reads(l, c, at);
	if (nvptx_contract_is_fused(c))
		accumulate_product(l, c, in);
	else
		nvptx_point(l, s, in);
	l->reads.n = 0;
}

/* Update the accumulators of all digits, along rows, to the right and to the
 * left in turn: two multiply-adds in a row then share an operand, which the
 * hardware keeps from one to the next, so that fewer reads of registers
 * collide.
 */
void nvptx_contract_update(struct nvptx_lower *l, struct nvptx_contract *c, int at,
	bool ask)
{
	struct nvptx_branch branch;
	LLVMValueRef cond = NULL;

	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		int row = i / c->n[1], column = i % c->n[1];

		set_digits(l, c, row, row % 2 ? c->n[1] - 1 - column : column);
		if (ask)
			cond = nvptx_condition(l, isl_set_copy(c->guard),
				c->in);
		if (cond)
			nvptx_if_begin(l->ir, &branch, cond, "inside");
		update(l, c, at);
		if (cond)
			nvptx_if_end(l->ir, &branch);
	}
}
