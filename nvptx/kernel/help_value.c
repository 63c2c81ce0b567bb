/* nvptx: the loops that blocks help one another with, where their values are needed
 * (help.c): those that are long have been made, the others are run.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Steps of a loop that are written out, where rows of features lie side by side. */
enum { UNROLL = 4 };

static LLVMValueRef below(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntSLT, a, b, "");
}

/* The bounds of the loop, without its lane. */
LLVMValueRef nvptx_help_low(struct nvptx_lower *l, const LLVMValueRef *in)
{
	struct poly_expr *const *arg = l->help->stmt->rhs->arg;

	return nvptx_expr(l, l->help->lane ? arg[0]->arg[0] : arg[0], in).v;
}

LLVMValueRef nvptx_help_high(struct nvptx_lower *l, const LLVMValueRef *in)
{
	return nvptx_expr(l, l->help->stmt->rhs->arg[1], in).v;
}

/* Is a loop from "low" to "high" long? */
LLVMValueRef nvptx_help_is_long(struct nvptx_lower *l, LLVMValueRef low, LLVMValueRef high)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);

	return LLVMBuildAnd(l->ir->b, below(l, low, high), LLVMBuildICmp(l->ir->b,
		LLVMIntUGT, LLVMBuildSub(l->ir->b, high, low, ""), LLVMConstInt(
		i64, (unsigned)l->help->most, 0), ""), "long");
}

/* The row of the thread, where each has one with its lanes. */
LLVMValueRef nvptx_help_row(struct nvptx_lower *l)
{
	return nvptx_div(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		l->help->lanes));
}

/* Is the thread the first lane of its row? NULL: there are no others. */
LLVMValueRef nvptx_help_lane(struct nvptx_lower *l, const LLVMValueRef *in)
{
	if (l->help->lanes == 1)
		return NULL;
	return LLVMBuildIsNull(l->ir->b, nvptx_expr(l, l->help->lane, in).v, "");
}

/* Steps of the loop of the instance "in" but for its lane: none if it is long. */
void nvptx_help_bounds(struct nvptx_lower *l, const LLVMValueRef *in,
	struct nvptx_steps *s)
{
	LLVMValueRef low = nvptx_help_low(l, in);

	*s = (struct nvptx_steps){ .low = nvptx_expr(l, l->help->stmt->rhs->arg[0],
		in).v, .high = nvptx_help_high(l, in), .first.v = nvptx_help_nothing(l) };
	s->high = LLVMBuildSelect(l->ir->b, nvptx_help_is_long(l, low, s->high), s->low,
		s->high, "");
	s->by = LLVMConstInt(nvptx_i64(l->ir), (unsigned)l->help->stmt->rhs->stride,
		0);
	s->unroll = l->help->by_points ? UNROLL : 0;
}

/* Where the sum of the point or row is that the thread is at. */
static LLVMValueRef own_sum(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef p[2], width = nvptx_int(l->ir, h->width), row;

	if (!h->by_points)
		return nvptx_help_sum(l, nvptx_help_row(l));
	for (int d = 0; d < 2; d++)
		p[d] = nvptx_sub(l->ir, l->now.point[d], nvptx_mul(l->ir,
			nvptx_find_var(l, poly_coordinate(l->prog, POLY_BLOCK +
			d)), nvptx_int(l->ir, l->kernel->tile[d])));
	row = nvptx_add(l->ir, nvptx_mul(l->ir, p[0], nvptx_int(l->ir,
		l->kernel->tile[1] / h->width)), nvptx_div(l->ir, p[1], width),
		"");
	return nvptx_help_sum(l, nvptx_add(l->ir, nvptx_mul(l->ir, row, width), nvptx_mod(
		l->ir, p[1], width), ""));
}

/* The sum of the instance "in" if its loop is long, else the loop itself, which may have
 * been made with others of a run; put together with what its cell holds.
 */
struct nvptx_value nvptx_help_value(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef is, first, v;
	struct nvptx_steps steps;
	LLVMBasicBlockRef inside;
	struct nvptx_branch branch;
	struct nvptx_value r;

	nvptx_help_bounds(l, in, &steps);
	steps.first = nvptx_expr(l, e->arg[2], in);
	if (h->by_points && h->n)
		r.v = nvptx_help_joined(l, steps.first.v, h->beside[l->now.digit[1] -
			h->first]);
	else
		r.v = nvptx_run_steps(l, e, in, &steps).v;
	r.bound = NULL;
	is = nvptx_help_is_long(l, nvptx_help_low(l, in), nvptx_help_high(l, in));
	first = nvptx_help_lane(l, in);
	if (first)
		is = LLVMBuildAnd(l->ir->b, is, first, "");
	nvptx_if_begin(l->ir, &branch, is, "helped");
	v = nvptx_help_joined(l, r.v, LLVMBuildLoad2(
		l->ir->b, LLVMTypeOf(r.v), own_sum(l), ""));
	inside = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	r.v = nvptx_if_value(l->ir, &branch, inside, v, r.v, "");
	return r;
}
