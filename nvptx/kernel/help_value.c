/* nvptx: the loops of a kernel that has some that are long (help.c), where their values are
 * needed: the long ones have been made, in pieces, which are put together here; the others
 * are run.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Pieces that are loaded at once. */
enum { UNROLL = 8 };

static LLVMValueRef below(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntSLT, a, b, "");
}

static LLVMValueRef wide(struct nvptx_lower *l, LLVMValueRef v)
{
	return nvptx_extend(l->ir, v, nvptx_i64(l->ir));
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

LLVMValueRef nvptx_help_is_long(struct nvptx_lower *l, LLVMValueRef low, LLVMValueRef high)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);

	return LLVMBuildAnd(l->ir->b, below(l, low, high), LLVMBuildICmp(l->ir->b,
		LLVMIntUGT, LLVMBuildSub(l->ir->b, high, low, ""), LLVMConstInt(
		i64, (unsigned)l->help->most, 0), ""), "long");
}

/* What changes nothing. */
LLVMValueRef nvptx_help_nothing(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;
	struct poly_expr *e = poly_expr_nothing(h->op, h->stmt->rhs->type);
	LLVMValueRef v = e ? nvptx_expr(l, e, NULL).v : nvptx_fail(l->ir,
		nvptx_help_type(l), "no memory for a constant");

	poly_expr_free(e);
	return v;
}

LLVMValueRef nvptx_help_joined(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(l->ir, l->help->op, l->help->stmt->rhs->type, a, b);
}

/* The number of the loop of the instance "in" in its box: of dimension "d" alone. */
static LLVMValueRef index_of(struct nvptx_lower *l, const LLVMValueRef *in, int d)
{
	const struct nvptx_help *h = l->help;
	int tile;

	if (!h->by_points)
		return LLVMBuildSub(l->ir->b, wide(l, in[d]), wide(l,
			nvptx_pw_aff(l, isl_pw_aff_copy(h->low[d]), NULL)), "");
	tile = d ? h->width : 1;
	return wide(l, nvptx_div(l->ir, l->now.point[d], nvptx_int(l->ir, tile)));
}

LLVMValueRef nvptx_help_number(struct nvptx_lower *l, const LLVMValueRef *in)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef n = LLVMConstNull(nvptx_i64(l->ir));

	for (int d = 0; d < h->n; d++) {
		if (!h->size[d])
			continue;
		n = LLVMBuildMul(l->ir->b, n, nvptx_help_size(l, d), "");
		n = LLVMBuildAdd(l->ir->b, n, index_of(l, in, d), "");
	}
	return n;
}

/* Are the pieces of the loop of "in" made: is it long, and was there room for all? */
static LLVMValueRef is_made(struct nvptx_lower *l, LLVMValueRef low, LLVMValueRef high)
{
	LLVMValueRef is = nvptx_help_is_long(l, low, high), room;
	struct nvptx_branch branch;
	LLVMBasicBlockRef inside;

	nvptx_if_begin(l->ir, &branch, is, "long");
	room = nvptx_help_has_room(l);
	inside = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return nvptx_if_value(l->ir, &branch, inside, room, LLVMConstNull(
		LLVMTypeOf(room)), "made");
}

/* Steps of the loop of the instance "in": none if it is made. */
static void find_steps(struct nvptx_lower *l, const LLVMValueRef *in,
	struct nvptx_steps *s)
{
	struct nvptx_help *h = l->help;
	LLVMValueRef low = nvptx_help_low(l, in), high = nvptx_help_high(l, in);

	h->made = is_made(l, low, high);
	*s = (struct nvptx_steps){ .low = nvptx_expr(l, h->stmt->rhs->arg[0], in).v };
	s->high = LLVMBuildSelect(l->ir->b, h->made, s->low, high, "");
	s->by = LLVMConstInt(nvptx_i64(l->ir), (unsigned)h->stmt->rhs->stride, 0);
}

/* Put the pieces of the loop of "in", those of the thread's lane, together with "v", one
 * behind the other. A loop whose steps stay in their order is one piece, with all it carries.
 */
static LLVMValueRef add_pieces(struct nvptx_lower *l, const LLVMValueRef *in,
	LLVMValueRef v)
{
	const struct nvptx_help *h = l->help;
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef low = nvptx_help_low(l, in), at, phi, feature, next;
	LLVMValueRef lane = h->lane ? wide(l, nvptx_expr(l, h->lane, in).v) :
		LLVMConstNull(i64);
	struct nvptx_help_pieces p = nvptx_help_pieces_of(l, LLVMBuildSub(l->ir->b,
		nvptx_help_high(l, in), low, ""));
	LLVMBasicBlockRef from;
	struct nvptx_loop loop;

	at = nvptx_help_load(l, NVPTX_HELP_BEGIN, nvptx_help_number(l, in));
	feature = h->by_points ? nvptx_mod(l->ir, l->now.point[1], nvptx_int(l->ir,
		h->width)) : nvptx_int(l->ir, 0);
	from = LLVMGetInsertBlock(l->ir->b);
	nvptx_loop_begin(l->ir, &loop, "piece", lane, LLVMConstInt(i64,
		(unsigned)h->lanes, 0));
	phi = LLVMBuildPhi(l->ir->b, LLVMTypeOf(v), "pieces");
	LLVMAddIncoming(phi, &v, &from, 1);
	nvptx_loop_body(l->ir, &loop, below(l, loop.i, p.n));
	next = nvptx_help_load(l, NVPTX_HELP_SUM, nvptx_help_sum(l, LLVMBuildAdd(
		l->ir->b, at, loop.i, ""), feature));
	if (!h->ordered)
		next = nvptx_help_joined(l, phi, next);
	from = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(phi, &next, &from, 1);
	nvptx_loop_end(l->ir, &loop, UNROLL);
	return phi;
}

/* What the loop of the instance "in" carries behind it, and where it is long its pieces;
 * put together with what its cell holds. It may have been run with others of a run.
 */
struct nvptx_value nvptx_help_value(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in)
{
	struct nvptx_help *h = l->help;
	LLVMBasicBlockRef inside;
	struct nvptx_steps steps;
	struct nvptx_branch branch;
	struct nvptx_value r = nvptx_expr(l, e->arg[2], in);
	LLVMValueRef v;

	if (h->by_points && h->n_beside) {
		r.v = nvptx_help_joined(l, r.v, h->beside[l->now.digit[1] -
			h->first]);
	} else {
		find_steps(l, in, &steps);
		steps.first = r;
		r.v = nvptx_help_steps(l, in, &steps);
	}
	nvptx_if_begin(l->ir, &branch, h->made, "made");
	if (nvptx_begins_early(&l->ir->m->opt))
		nvptx_hw(l->ir, NVPTX_HW_LAUNCH_WAIT, NULL, 0, "");
	v = add_pieces(l, in, r.v);
	inside = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	r.v = nvptx_if_value(l->ir, &branch, inside, v, r.v, "");
	r.bound = NULL;
	return r;
}

/* Run the loops of the "run[2]" points from digits run[0], run[1] on as one: rows of what
 * they gather are read in runs then. Checked code asks for each element.
 */
void nvptx_help_beside(struct nvptx_lower *l, const struct poly_stmt *s,
	const int run[3], const LLVMValueRef *base)
{
	struct nvptx_help *h = l->help;
	LLVMValueRef p[16], in[NVPTX_MAX_RUN][16] = { { NULL } };
	struct nvptx_steps steps;

	h->n_beside = 0;
	if (!h->by_points || h->ordered || run[2] < 2 || run[2] > NVPTX_MAX_RUN ||
	    l->ir->m->opt.checked)
		return;
	for (int v = 0; v < run[2]; v++) {
		nvptx_set_point(l, s, run[0], run[1] + v, base, p);
		nvptx_stand(l, h->stmt, p, in[v]);
	}
	nvptx_debug_stmt(l->ir, h->stmt);
	find_steps(l, in[0], &steps);
	steps.first.v = nvptx_help_nothing(l);
	nvptx_help_run(l, (const LLVMValueRef (*)[16])in, run[2], &steps, h->beside);
	h->first = run[1];
	h->n_beside = run[2];
}
