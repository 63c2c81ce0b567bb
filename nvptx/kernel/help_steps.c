/* nvptx: several steps of a loop whose bounds are data at once (help.c), so that what they
 * load is under way together:
 *
 *	the same step of points beside one another, whose rows lie beside one another,
 *	steps of one loop that follow one another; those behind the last do not count.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Steps of one loop at once, and of one that stays in the order of the text, which a thread
 * has alone; steps that are written out where points are beside others.
 */
enum { STEPS = 4, ORDERED_STEPS = 8, UNROLL = 4 };

/* "n" steps: instances, what they carry, and which indices move from one to the next; with
 * "step", they are those of one loop, which are there if "live" says so.
 */
struct beside {
	LLVMValueRef in[NVPTX_HELP_STEPS][16], carry[NVPTX_HELP_STEPS];
	LLVMValueRef step[NVPTX_HELP_STEPS], live[NVPTX_HELP_STEPS];
	bool moves[16];
	int n, number;
};

/* Is "e" the same at all steps? */
static bool is_same(const struct beside *s, const struct poly_expr *e)
{
	bool same = !poly_expr_has(e, POLY_OP_CARRY, s->number) &&
		(!s->step[0] || !poly_expr_has(e, POLY_OP_STEP, s->number));

	for (int d = 0; d < 16 && same; d++)
		same = !s->moves[d] || !poly_expr_moves(e, d);
	return same;
}

/* Has "e" arguments that are all computed, and nothing else? Checked code computes one arm
 * of a choice alone.
 */
static bool is_plain(const struct nvptx_lower *l, const struct poly_expr *e)
{
	switch (e->op) {
	case POLY_OP_CAST:
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_MUL:
		return true;
	case POLY_OP_SELECT:
	case POLY_OP_AND:
	case POLY_OP_OR:
	case POLY_OP_LT:
	case POLY_OP_LE:
	case POLY_OP_EQ:
	case POLY_OP_NE:
		return !l->ir->m->opt.checked && !l->ir->m->opt.wide;
	default:
		return false;
	}
}

/* Is "e" an element of a row whose number is the step of loop "number"? */
static bool is_at_step(const struct poly_expr *e, int number)
{
	const struct poly_expr *at = e->arg[0];

	while (at && at->op == POLY_OP_CAST && poly_type_class(at->type) ==
	       POLY_CLASS_INT && poly_type_size(at->type) >= 4)
		at = at->arg[0];
	return e->op == POLY_OP_GATHER && !e->index && e->array->n_dim == 1 &&
		at->op == POLY_OP_STEP && (int)at->value == number;
}

/* The elements that "e" gathers, of the numbers "at", each for itself. Steps that are not
 * there read no element, by its number: elements that lie anywhere take a turn of the
 * cache each.
 */
static void gather_each(struct nvptx_lower *l, const struct beside *s,
	const struct poly_expr *e, const LLVMValueRef *at, LLVMValueRef *v)
{
	bool along = is_at_step(e, s->number);

	l->now.sure = along;
	for (int i = 0; i < s->n; i++) {
		LLVMValueRef n = at[i];

		if (s->live[i] && !along)
			n = LLVMBuildSelect(l->ir->b, s->live[i], n,
				LLVMConstAllOnes(LLVMTypeOf(n)), "");
		v[i] = nvptx_gather(l, e->array, n).v;
	}
	l->now.sure = false;
}

static void values(struct nvptx_lower *l, struct beside *s, const struct poly_expr *e,
	LLVMValueRef *v);

/* The values of "e" from those of its arguments, or of its own, step by step. */
static void each_value(struct nvptx_lower *l, struct beside *s, const struct poly_expr *e,
	LLVMValueRef arg[POLY_MAX_ARG][NVPTX_HELP_STEPS], int n_arg, LLVMValueRef *v)
{
	struct nvptx_carried *c = &l->carried[s->number];

	for (int i = 0; i < s->n; i++) {
		struct nvptx_value x[POLY_MAX_ARG] = { { NULL, NULL } };

		for (int k = 0; k < n_arg; k++)
			x[k].v = arg[k][i];
		c->value = (struct nvptx_value){ s->carry[i], NULL };
		if (s->step[i])
			c->step = s->step[i];
		v[i] = !n_arg ? nvptx_expr(l, e, s->in[i]).v :
			e->op == POLY_OP_CAST ? nvptx_cast(l->ir, e->type,
			e->arg[0]->type, x[0]).v :
			nvptx_op(l->ir, e->op, poly_op_shape(e->op) ==
			POLY_SHAPE_COMPARE ? e->arg[0]->type : e->type, x).v;
	}
}

/* The values "v" of "e" at all steps. Elements of a row that lies in memory as points do
 * are loaded in one. What chooses a position may read the same element again, which is
 * loaded once, as nothing asks in between whether it is there.
 */
static void values(struct nvptx_lower *l, struct beside *s, const struct poly_expr *e,
	LLVMValueRef *v)
{
	LLVMValueRef arg[POLY_MAX_ARG][NVPTX_HELP_STEPS] = { { NULL } };
	bool gathers = e->op == POLY_OP_GATHER && !e->index;
	int n_arg = is_plain(l, e) ? poly_op_n_arg(e->op) : gathers;

	if (is_same(s, e)) {
		v[0] = nvptx_expr(l, e, s->in[0]).v;
		for (int i = 1; i < s->n; i++)
			v[i] = v[0];
		return;
	}
	for (int k = 0; k < n_arg; k++)
		values(l, s, e->arg[k], arg[k]);
	if (!gathers)
		each_value(l, s, e, arg, n_arg, v);
	else if (s->step[0])
		gather_each(l, s, e, arg[0], v);
	else
		nvptx_gather_run(l, e->array, arg[0], s->n, v);
}

/* Is what the LOOP adds a product, which is added as an update adds it? */
static const struct poly_expr *product(struct nvptx_lower *l)
{
	const struct poly_expr *e = l->help->stmt->rhs, *next = e->arg[3];

	return next->op == POLY_OP_ADD && next->arg[1]->op == POLY_OP_MUL &&
		poly_type_is_float(e->type) ? next->arg[1] : NULL;
}

/* ---------------------------------------------------------- points beside others */

/* What the points carry behind a step. */
static void carried_on(struct nvptx_lower *l, struct beside *s, LLVMValueRef *v)
{
	const struct poly_expr *e = l->help->stmt->rhs, *by = product(l);
	LLVMValueRef arg[2][NVPTX_HELP_STEPS];

	if (!by) {
		values(l, s, e->arg[3], v);
		return;
	}
	for (int k = 0; k < 2; k++)
		values(l, s, by->arg[k], arg[k]);
	for (int i = 0; i < s->n; i++)
		v[i] = nvptx_fma(l->ir, e->type, arg[0][i], arg[1][i],
			s->carry[i]);
}

/* Run the loops of the run, "steps", as one; "v" is what they carry behind it. */
static void run_beside(struct nvptx_lower *l, struct beside *s,
	const struct nvptx_steps *steps, LLVMValueRef *v)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);
	LLVMValueRef next[NVPTX_MAX_RUN], first = steps->first.v;
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "step", steps->low, steps->by);
	for (int i = 0; i < s->n; i++) {
		v[i] = LLVMBuildPhi(l->ir->b, LLVMTypeOf(first), "carried");
		LLVMAddIncoming(v[i], &first, &from, 1);
		s->carry[i] = v[i];
	}
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT,
		loop.i, steps->high, ""));
	l->carried[s->number].step = loop.i;
	carried_on(l, s, next);
	from = LLVMGetInsertBlock(l->ir->b);
	for (int i = 0; i < s->n; i++)
		LLVMAddIncoming(v[i], &next[i], &from, 1);
	nvptx_loop_end(l->ir, &loop, UNROLL);
}

void nvptx_help_run(struct nvptx_lower *l, const LLVMValueRef (*in)[16], int n,
	const struct nvptx_steps *steps, LLVMValueRef *v)
{
	const struct poly_stmt *s = l->help->stmt;
	struct beside b = { .n = n, .number = (int)s->rhs->value };

	for (int d = 0; d < isl_multi_aff_dim(s->at, isl_dim_out); d++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, d);

		b.moves[d] = isl_aff_involves_dims(aff, isl_dim_in, 1, 1) !=
			isl_bool_false;
		isl_aff_free(aff);
	}
	for (int i = 0; i < n; i++)
		for (int d = 0; d < 16; d++)
			b.in[i][d] = in[i][d];
	run_beside(l, &b, steps, v);
}

/* ------------------------------------------------------ steps behind one another */

int nvptx_help_parts(struct nvptx_lower *l, const struct poly_expr *part[2])
{
	const struct poly_expr *by = product(l);

	part[0] = by ? by->arg[0] : l->help->stmt->rhs->arg[3]->arg[1];
	part[1] = by ? by->arg[1] : NULL;
	return by ? 2 : 1;
}

LLVMValueRef nvptx_help_added(struct nvptx_lower *l, LLVMValueRef v,
	const LLVMValueRef part[2])
{
	const struct poly_expr *e = l->help->stmt->rhs;
	struct nvptx_value x[2] = { { v, NULL }, { part[0], NULL } };

	return product(l) ? nvptx_fma(l->ir, e->type, part[0], part[1], v) :
		nvptx_op(l->ir, e->arg[3]->op, e->type, x).v;
}

void nvptx_help_terms(struct nvptx_lower *l, const LLVMValueRef *in,
	const LLVMValueRef *step, int n, const struct poly_expr *e, LLVMValueRef *v)
{
	struct beside s = { .n = n, .number = (int)l->help->stmt->rhs->value };

	for (int i = 0; i < n; i++) {
		s.step[i] = step[i];
		for (int d = 0; d < isl_set_dim(l->help->stmt->domain,
				isl_dim_set); d++)
			s.in[i][d] = in[d];
	}
	values(l, &s, e, v);
}

/* What the loop carries behind the steps of "s", one after another. */
static LLVMValueRef carried_behind(struct nvptx_lower *l, struct beside *s, LLVMValueRef v)
{
	LLVMValueRef arg[2][NVPTX_HELP_STEPS];
	const struct poly_expr *part[2];
	int n = nvptx_help_parts(l, part);

	for (int k = 0; k < n; k++)
		values(l, s, part[k], arg[k]);
	for (int i = 0; i < s->n; i++) {
		LLVMValueRef next = nvptx_help_added(l, v, (LLVMValueRef[]){
			arg[0][i], n > 1 ? arg[1][i] : NULL });

		v = s->live[i] ? LLVMBuildSelect(l->ir->b, s->live[i], next, v,
			"") : next;
	}
	return v;
}

/* Is the index "e" one size of the program, or a number? */
static bool is_size(const struct poly_expr *e)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(e->index, 0);
	isl_aff *aff = isl_pw_aff_isa_aff(pa) == isl_bool_true ?
		isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;
	int n = isl_aff_dim(aff, isl_dim_param), n_size = 0, n_in = 0;
	bool is = aff && isl_aff_involves_locals(aff) == isl_bool_false;
	isl_val *v = aff ? isl_aff_get_constant_val(aff) : NULL;

	n_in = aff ? isl_aff_dim(aff, isl_dim_in) : 0;
	is = is && isl_aff_involves_dims(aff, isl_dim_in, 0, (unsigned)n_in) ==
		isl_bool_false && isl_val_cmp_si(v, INT32_MAX) <= 0 &&
		isl_val_cmp_si(v, 0) >= 0;
	for (int i = 0; is && i < n; i++) {
		isl_val *by = isl_aff_get_coefficient_val(aff, isl_dim_param, i);

		n_size += isl_val_is_zero(by) == isl_bool_false;
		is = isl_val_is_zero(by) == isl_bool_true ||
			(isl_val_is_one(by) == isl_bool_true &&
			isl_val_is_zero(v) == isl_bool_true);
		isl_val_free(by);
	}
	isl_val_free(v);
	isl_aff_free(aff);
	isl_pw_aff_free(pa);
	return is && n_size <= 1;
}

/* Has "e", an I64, values of 32 bits? */
static bool is_narrow(const struct poly_expr *e)
{
	switch (e->op) {
	case POLY_OP_CAST:
		return e->arg[0]->type != POLY_U32 &&
			poly_type_size(e->arg[0]->type) <= 4 &&
			!poly_type_is_float(e->arg[0]->type);
	case POLY_OP_CONST:
		return e->value >= 0 && e->value <= INT32_MAX;
	case POLY_OP_INDEX:
		return is_size(e);
	case POLY_OP_SELECT:
		return is_narrow(e->arg[1]) && is_narrow(e->arg[2]);
	default:
		return false;
	}
}

/* Do the bounds of the loop have 32 bits? Then so do its steps. */
static bool is_short(const struct nvptx_help *h)
{
	const struct poly_expr *low = h->stmt->rhs->arg[0];

	return is_narrow(h->lane ? low->arg[0] : low) && is_narrow(
		h->stmt->rhs->arg[1]);
}

/* The steps of "s" from "step" on in the instance "in", of which as many are left as "rest"
 * says; in the place of others stands the first.
 */
static void find_live(struct nvptx_lower *l, struct beside *s, const LLVMValueRef *in,
	LLVMValueRef step, LLVMValueRef rest, int64_t by)
{
	LLVMTypeRef type = LLVMTypeOf(rest);

	for (int i = 0; i < s->n; i++) {
		LLVMValueRef far = LLVMConstInt(type, (unsigned long long)(i * by), 0);
		LLVMValueRef at = step;

		s->live[i] = NULL;
		if (i) {
			s->live[i] = LLVMBuildICmp(l->ir->b, LLVMIntUGT, rest, far,
				"");
			at = LLVMBuildSelect(l->ir->b, s->live[i], LLVMBuildAdd(
				l->ir->b, step, far, ""), step, "");
		}
		s->step[i] = LLVMBuildSExtOrBitCast(l->ir->b, at, nvptx_i64(l->ir),
			"");
		for (int d = 0; d < isl_set_dim(l->help->stmt->domain,
				isl_dim_set); d++)
			s->in[i][d] = in[d];
	}
}

/* What is left of "rest" steps behind "far"; how many there are from "low" below "high". */
static LLVMValueRef behind(struct nvptx_lower *l, LLVMValueRef rest, LLVMValueRef far)
{
	return LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntUGT, rest,
		far, ""), LLVMBuildSub(l->ir->b, rest, far, ""), LLVMConstNull(
		LLVMTypeOf(rest)), "");
}

static LLVMValueRef count(struct nvptx_lower *l, LLVMValueRef low, LLVMValueRef high)
{
	return LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntSLT, low,
		high, ""), LLVMBuildSub(l->ir->b, high, low, ""), LLVMConstNull(
		LLVMTypeOf(low)), "");
}

/* Of bounds of 32 bits the difference has as many, without a sign. */
static LLVMValueRef run_groups(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, const void *with)
{
	const struct poly_expr *e = l->help->stmt->rhs;
	LLVMTypeRef type = is_short(l->help) ? nvptx_i32(l->ir) : nvptx_i64(l->ir);
	int64_t by = (int64_t)LLVMConstIntGetZExtValue(steps->by);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);
	struct beside s = { .n = l->help->ordered ? ORDERED_STEPS : STEPS,
		.number = (int)e->value };
	LLVMValueRef v, next, first = steps->first.v, rest, left, far;
	struct nvptx_loop loop;

	(void)with;
	far = LLVMConstInt(type, (unsigned long long)(s.n * by), 0);
	left = LLVMBuildTruncOrBitCast(l->ir->b, count(l, steps->low, steps->high),
		type, "");
	nvptx_loop_begin(l->ir, &loop, "step", LLVMBuildTruncOrBitCast(l->ir->b,
		steps->low, type, ""), far);
	v = LLVMBuildPhi(l->ir->b, LLVMTypeOf(first), "carried");
	LLVMAddIncoming(v, &first, &from, 1);
	rest = LLVMBuildPhi(l->ir->b, type, "rest");
	LLVMAddIncoming(rest, &left, &from, 1);
	nvptx_loop_body(l->ir, &loop, LLVMBuildIsNotNull(l->ir->b, rest, ""));
	find_live(l, &s, in, loop.i, rest, by);
	next = carried_behind(l, &s, v);
	left = behind(l, rest, far);
	from = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(v, &next, &from, 1);
	LLVMAddIncoming(rest, &left, &from, 1);
	nvptx_loop_end(l->ir, &loop, 1);
	return v;
}

/* Rows of which the loop gathers at its step, so that they have elements at all steps if
 * they have some at the first and at the last.
 */
struct rows {
	const struct poly_array *list[NVPTX_MAX_RUN];
	int n, number;
};

static void note_row(struct poly_expr *leaf, void *user)
{
	struct rows *r = user;

	if (!is_at_step(leaf, r->number))
		return;
	for (int i = 0; i < r->n; i++)
		if (r->list[i] == leaf->array)
			return;
	if (r->n < NVPTX_MAX_RUN)
		r->list[r->n] = leaf->array;
	r->n++;
}

/* Do all rows that the loop reads reach as far as its "steps"? NULL: they are too many. */
static LLVMValueRef all_inside(struct nvptx_lower *l, const struct nvptx_steps *steps)
{
	const struct poly_expr *e = l->help->stmt->rhs;
	struct rows rows = { .number = (int)e->value };
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef inside = LLVMBuildICmp(l->ir->b, LLVMIntSGE, steps->low,
		LLVMConstNull(i64), "");

	poly_expr_each_gather(e->arg[3], note_row, &rows);
	for (int i = 0; i < rows.n && i < NVPTX_MAX_RUN; i++)
		inside = LLVMBuildAnd(l->ir->b, inside, LLVMBuildICmp(l->ir->b,
			LLVMIntSLE, steps->high, nvptx_row_length(l, rows.list[i],
			0, i64), ""), "");
	return rows.n <= NVPTX_MAX_RUN ? inside : NULL;
}

LLVMValueRef nvptx_help_whole(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, nvptx_help_groups *groups,
	const void *with)
{
	const struct poly_expr *e = l->help->stmt->rhs;
	LLVMValueRef inside = l->ir->m->opt.checked ? NULL : all_inside(l, steps), v;
	struct nvptx_steps none = *steps;
	struct nvptx_branch branch;
	LLVMBasicBlockRef from;

	if (!inside)
		return nvptx_run_steps(l, e, in, steps).v;
	nvptx_if_begin(l->ir, &branch, inside, "inside");
	v = groups(l, in, steps, with);
	from = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	none.first.v = nvptx_if_value(l->ir, &branch, from, v, steps->first.v, "");
	none.high = LLVMBuildSelect(l->ir->b, inside, steps->low, steps->high, "");
	none.unroll = 1;
	return nvptx_run_steps(l, e, in, &none).v;
}

LLVMValueRef nvptx_help_steps(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps)
{
	return nvptx_help_whole(l, in, steps, run_groups, NULL);
}
