/* nvptx: sums of products on matrix units, from fragments to the runs that groups behind
 * them want, and back.
 * 
 * Lanes that have parts of one another's runs exchange them as squares of values.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* ------------------------------------------------------------------- squares */

/* What the lane that differs in "mask" has.
 *
 * The bound of the reference mode is exchanged as well.
 */
static struct nvptx_value exchange(struct nvptx_ir *ir, struct nvptx_value x,
	int mask)
{
	LLVMValueRef all = nvptx_int(ir, -1);

	x.v = nvptx_exchange(ir, all, x.v, mask);
	if (x.bound)
		x.bound = nvptx_exchange(ir, all, x.bound, mask);
	return x;
}

/* With its bound, if it has one. */
static struct nvptx_value choose(struct nvptx_ir *ir, LLVMValueRef cond,
	struct nvptx_value a, struct nvptx_value b)
{
	a.v = LLVMBuildSelect(ir->b, cond, a.v, b.v, "");
	if (a.bound)
		a.bound = LLVMBuildSelect(ir->b, cond, a.bound, b.bound, "");
	return a;
}

/* Let the lanes that differ in "mask" exchange "*a", of the one that has the bit, for
 * "*b" of the other.
 *
 * One exchange does both: each lane gives what the other one wants.
 */
static void swap(struct nvptx_ir *ir, LLVMValueRef has, int mask,
	struct nvptx_value *a, struct nvptx_value *b)
{
	struct nvptx_value got = exchange(ir, choose(ir, has, *a, *b), mask);

	*a = choose(ir, has, got, *a);
	*b = choose(ir, has, *b, got);
}

/* After the exchanges lane "i" has what the lanes had at number "i": a square
 * of values is transposed.
 */
void nvptx_turn(struct nvptx_lower *l, struct nvptx_value *v, int n, int run)
{
	for (int mask = 1; mask < n; mask *= 2) {
		LLVMValueRef bit = LLVMBuildAnd(l->ir->b, nvptx_thread_number(l,
			""), nvptx_int(l->ir, mask), "");
		LLVMValueRef has = LLVMBuildICmp(l->ir->b, LLVMIntNE, bit,
			nvptx_int(l->ir, 0), "");

		for (int i = 0; i < n * run; i++)
			if (!(i / run & mask))
				swap(l->ir, has, mask, &v[i],
					&v[i + mask * run]);
	}
}

/* ------------------------------------------------------- sums in fragments */

/* Count reads of "sum" below "e", and those that are rounded to 16 bits of one type. */
struct roundings {
	const struct poly_array *sum;
	int n_read, n_rounded;
	enum poly_type type;
};

static void count_roundings(const struct poly_expr *e, struct roundings *r)
{
	bool is_half = e->type == POLY_F16 || e->type == POLY_BF16;

	r->n_read += e->op == POLY_OP_ACCESS && e->array == r->sum;
	if (e->op == POLY_OP_CAST && is_half && e->arg[0]->op == POLY_OP_ACCESS &&
	    e->arg[0]->array == r->sum && (!r->n_rounded || e->type == r->type)) {
		r->type = e->type;
		r->n_rounded++;
	}
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		if (e->arg[i])
			count_roundings(e->arg[i], r);
}

/* The type of 16 bits to which whoever reads "sum" rounds it first, or its own. */
static enum poly_type rounded_to(const struct nvptx_lower *l,
	const struct poly_array *sum)
{
	struct roundings r = { .sum = sum };

	for (int i = 0; i < l->prog->n_stmt; i++)
		if (l->prog->stmt[i]->rhs)
			count_roundings(l->prog->stmt[i]->rhs, &r);
	return sum->type == POLY_F32 && r.n_read && r.n_rounded == r.n_read &&
		!l->ir->m->opt.ring ? r.type : sum->type;
}

/* nvptx_turn for runs of 2 values of "v", which are to be rounded to "half" anyway: then two
 * fit into a register, and half as many are exchanged.
 */
static void turn_rounded(struct nvptx_lower *l, struct nvptx_value *v, int n,
	enum poly_type half)
{
	bool f16 = half == POLY_F16;
	struct nvptx_value word[NVPTX_MAX_SUM];
	LLVMTypeRef pair = NULL;

	for (int i = 0; i < 2 * n; i++) {
		LLVMValueRef x = nvptx_hw(l->ir, f16 ? NVPTX_HW_F32_TO_F16 :
			NVPTX_HW_F32_TO_BF16, &v[i].v, 1, "");

		pair = LLVMVectorType(LLVMTypeOf(x), 2);
		word[i / 2].v = LLVMBuildInsertElement(l->ir->b, i % 2 ?
			word[i / 2].v : LLVMGetPoison(pair), x,
			nvptx_int(l->ir, i % 2), "");
		word[i / 2].bound = NULL;
	}
	for (int i = 0; i < n; i++)
		word[i].v = LLVMBuildBitCast(l->ir->b, word[i].v,
			nvptx_i32(l->ir), "");
	nvptx_turn(l, word, n, 1);
	for (int i = 0; i < 2 * n; i++) {
		LLVMValueRef x = LLVMBuildExtractElement(l->ir->b,
			LLVMBuildBitCast(l->ir->b, word[i / 2].v, pair, ""),
			nvptx_int(l->ir, i % 2), "");

		v[i].v = nvptx_hw(l->ir, f16 ? NVPTX_HW_F16_TO_F32 :
			NVPTX_HW_BF16_TO_F32, &x, 1, "");
	}
}

void nvptx_turn_sums(struct nvptx_lower *l, const struct poly_array *sum, bool round)
{
	enum poly_type type = round ? rounded_to(l, sum) : sum->type;
	const struct poly_kernel *k = l->kernel;
	int rows = k->tile[0] / k->thread[0], columns = k->tile[1] / k->thread[1];
	int vec = k->vec[1], lanes = poly_unit_columns(k);
	struct nvptx_value v[NVPTX_MAX_SUM];

	for (int r = 0; r < rows * columns; r += vec) {
		l->now.digit[0] = r / columns;
		for (int i = 0; i < vec; i++) {
			l->now.digit[1] = r % columns + i;
			v[i] = nvptx_load(l, sum, NULL);
		}
		if (type != sum->type && vec == 2 * lanes)
			turn_rounded(l, v, lanes, type);
		else
			nvptx_turn(l, v, lanes, vec / lanes);
		for (int i = 0; i < vec; i++) {
			l->now.digit[1] = r % columns + i;
			nvptx_store(l, sum, NULL, v[i]);
		}
	}
}

void nvptx_unit_note(struct nvptx_lower *l, const struct poly_stmt *op)
{
	for (int i = 0; i < l->summed.n; i++)
		if (l->summed.op[i] == op)
			return;
	if (l->kernel->unit && l->summed.n == NVPTX_MAX_SUMMED)
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"a kernel has too many products");
	else if (l->kernel->unit)
		l->summed.op[l->summed.n++] = op;
}

void nvptx_unit_bind(struct nvptx_lower *l, const struct poly_stmt *s)
{
	if (s->kind == POLY_GROUP && l->summed.n && l->late.bind)
		l->late.bind(l);
}

void nvptx_unit_end(struct nvptx_lower *l, const LLVMValueRef *arg)
{
	const struct poly_array *sum;
	bool went_on = false;

	for (int i = 0; i < l->summed.n; i++)
		went_on |= nvptx_unit_wait(l, l->summed.op[i]);
	if (went_on)
		nvptx_vacate_last(l);
	for (int i = 0; i < l->summed.n; i++)
		nvptx_contract_redo(l, l->summed.op[i], arg);
	for (int i = 0; i < l->summed.n; i++) {
		sum = l->summed.op[i]->member[0]->write_array;
		if (poly_unit_turns(l->kernel))
			nvptx_turn_sums(l, sum, true);
	}
	l->summed.n = 0;
}

/* Does "group" give all elements of "a" that it writes one value? */
static bool is_even(const struct poly_stmt *group, const struct poly_array *a)
{
	bool even = false;

	for (int i = 0; i < group->n_member; i++) {
		const struct poly_stmt *m = group->member[i];

		if (m->write_array != a)
			continue;
		if (m->rhs->op != POLY_OP_CONST || m->reduce != POLY_OP_NONE)
			return false;
		even = true;
	}
	return even;
}

/* Put "sum" into registers, for the warpgroups that add to it. */
static void hold_sums(struct nvptx_lower *l, const struct poly_array *sum)
{
	const struct poly_kernel *k = l->kernel;
	int columns = k->tile[1] / k->thread[1];
	int n = k->tile[0] / k->thread[0] * columns;
	LLVMValueRef c[NVPTX_MAX_SUM];

	for (int r = 0; r < n; r++) {
		l->now.digit[0] = r / columns;
		l->now.digit[1] = r % columns;
		c[r] = nvptx_load(l, sum, NULL).v;
	}
	nvptx_wgmma_hold(l->ir, c, n);
	for (int r = 0; r < n; r++) {
		l->now.digit[0] = r / columns;
		l->now.digit[1] = r % columns;
		nvptx_store(l, sum, NULL, (struct nvptx_value){ c[r], NULL });
	}
}

/* Behind "group", let a product add to "sum". */
static void begin_product(struct nvptx_lower *l, const struct poly_stmt *group,
	const struct poly_array *sum)
{
	if (poly_unit_turns(l->kernel) && !is_even(group, sum))
		nvptx_turn_sums(l, sum, false);
	if (poly_unit_is_async(l->kernel->unit) &&
	    l->ir->m->opt.device == NVPTX_GPU)
		hold_sums(l, sum);
}

void nvptx_unit_begin(struct nvptx_lower *l, const struct poly_stmt *group)
{
	isl_union_set *domain;
	struct poly_stmt **op;
	int n, i = 0;

	if (!l->kernel->unit)
		return;
	domain = poly_kernel_domain(l->prog, l->kernel);
	op = poly_stmts_of(l->prog, domain, &n);
	isl_union_set_free(domain);
	while (op && i < n && op[i] != group)
		i++;
	for (i++; op && i < n && op[i]->kind != POLY_GROUP; i++)
		if (op[i]->kind == POLY_CONTRACT)
			begin_product(l, group, op[i]->member[0]->write_array);
	free(op);
}
