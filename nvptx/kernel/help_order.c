/* nvptx: long loops whose steps stay in the order of the text (help.c). A warp has one:
 *
 *	next = terms of the first group of steps, of which each lane loads its own
 *	for each group that is whole:
 *		terms = next, next = terms of the group behind it
 *		v = v + terms of lane 0, v = v + terms of lane 1, ..	in every lane
 *
 * The sum waits for nothing but itself: what it adds has been on its way while the group in
 * front of it was added. Where cells lie side by side lanes have these, and all terms of
 * their own.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Terms that a lane loads for a group: of lanes that go together, and of one alone; on the
 * host device, where nothing is on its way, so few that tests have several groups.
 */
enum { TOGETHER = 8, ALONE = 32, HOST = 2 };

/* The loop of the instance "in": its "steps", the terms of a group, "n" of a lane, and the
 * steps of a group; "lane" is the lane, or NULL if each has a loop of its own. A term is
 * put together from "n_part" values.
 */
struct order {
	const LLVMValueRef *in;
	const struct nvptx_steps *steps;
	LLVMValueRef lane;
	const struct poly_expr *part[2];
	int n, group, n_part;
};

/* The values of the terms of a group. */
struct terms {
	LLVMValueRef v[2][NVPTX_HELP_STEPS];
};

static LLVMValueRef number(struct nvptx_lower *l, int64_t n)
{
	return LLVMConstInt(nvptx_i64(l->ir), (unsigned long long)n, 1);
}

/* Load the terms of the group from step "at" on. In the place of steps behind the last
 * stands the first.
 */
static void load_terms(struct nvptx_lower *l, const struct order *o, LLVMValueRef at,
	struct terms *t)
{
	LLVMValueRef step[NVPTX_HELP_STEPS];
	int by = o->lane ? POLY_LANES : 1;

	if (o->lane)
		at = LLVMBuildAdd(l->ir->b, at, o->lane, "");
	for (int i = 0; i < o->n; i++) {
		step[i] = LLVMBuildAdd(l->ir->b, at, number(l, i * by), "");
		step[i] = LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b,
			LLVMIntSLT, step[i], o->steps->high, ""), step[i],
			o->steps->low, "");
	}
	for (int k = 0; k < o->n_part; k++)
		nvptx_help_terms(l, o->in, step, o->n, o->part[k], t->v[k]);
}

/* "v" and then term "i" of all lanes, one after the other. */
static LLVMValueRef add_lanes(struct nvptx_lower *l, const struct order *o,
	const struct terms *t, int i, LLVMValueRef v)
{
	int unroll = l->ir->m->opt.device == NVPTX_GPU ? NVPTX_UNROLL_ALL : 1;
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);
	LLVMValueRef sum, next, part[2] = { NULL, NULL };
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "lane", nvptx_int(l->ir, 0), nvptx_int(l->ir,
		1));
	sum = LLVMBuildPhi(l->ir->b, LLVMTypeOf(v), "carried");
	LLVMAddIncoming(sum, &v, &from, 1);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntSLT, loop.i,
		nvptx_int(l->ir, POLY_LANES), ""));
	for (int k = 0; k < o->n_part; k++)
		part[k] = nvptx_from_lane(l->ir, t->v[k][i], loop.i);
	next = nvptx_help_added(l, sum, part);
	from = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(sum, &next, &from, 1);
	nvptx_loop_end(l->ir, &loop, unroll);
	return sum;
}

/* "v" and then the terms of a whole group. */
static LLVMValueRef add_group(struct nvptx_lower *l, const struct order *o,
	const struct terms *t, LLVMValueRef v)
{
	for (int i = 0; i < o->n; i++)
		v = o->lane ? add_lanes(l, o, t, i, v) : nvptx_help_added(l, v,
			(LLVMValueRef[]){ t->v[0][i], t->v[1][i] });
	return v;
}

/* Value "k" of a term that leaves what is carried as it is, to the bit: floats keep the sign
 * of a zero if -0 is added, as which a product of -0 and 0 counts, too. Only quotients of
 * ring mode have no such term.
 */
static LLVMValueRef nothing(struct nvptx_lower *l, int k, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	enum poly_op op = l->help->op;
	bool one = op == POLY_OP_MUL || op == POLY_OP_DIV;

	if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		return LLVMConstInt(type, one, 0);
	return LLVMConstReal(type, one ? 1 : op == POLY_OP_ADD && !k ? -0.0 : 0.0);
}

/* "v" and then terms "i" of the lanes that are among the first "rest" steps of a group. */
static LLVMValueRef add_some(struct nvptx_lower *l, const struct order *o,
	const struct terms *t, int i, LLVMValueRef rest, LLVMValueRef v)
{
	LLVMBuilderRef b = l->ir->b;
	LLVMValueRef first = number(l, i * POLY_LANES), there, sum;
	struct nvptx_branch branch;
	struct terms some = *t;
	LLVMBasicBlockRef from;

	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(b, LLVMIntSGT, rest, first, ""),
		"some");
	there = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildAdd(b, o->lane, first, ""), rest,
		"");
	for (int k = 0; k < o->n_part; k++)
		some.v[k][i] = LLVMBuildSelect(b, there, t->v[k][i], nothing(l, k,
			LLVMTypeOf(t->v[k][i])), "");
	sum = add_lanes(l, o, &some, i, v);
	from = LLVMGetInsertBlock(b);
	nvptx_if_end(l->ir, &branch);
	return nvptx_if_value(l->ir, &branch, from, sum, v, "");
}

/* "v" and then the terms of the first "rest" steps of a group. */
static LLVMValueRef add_rest(struct nvptx_lower *l, const struct order *o,
	const struct terms *t, LLVMValueRef rest, LLVMValueRef v)
{
	for (int i = 0; i < o->n; i++) {
		LLVMValueRef next;

		if (o->lane) {
			v = add_some(l, o, t, i, rest, v);
			continue;
		}
		next = nvptx_help_added(l, v, (LLVMValueRef[]){ t->v[0][i],
			t->v[1][i] });
		v = LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntSGT,
			rest, number(l, i), ""), next, v, "");
	}
	return v;
}

/* Values of "t" as phis, whose first values these are, from block "from"; what they are
 * behind a turn of the loop, which ends in block "to".
 */
static void carry_terms(struct nvptx_lower *l, const struct order *o, struct terms *t,
	LLVMBasicBlockRef from)
{
	for (int k = 0; k < o->n_part; k++)
		for (int i = 0; i < o->n; i++) {
			LLVMValueRef first = t->v[k][i];

			t->v[k][i] = LLVMBuildPhi(l->ir->b, LLVMTypeOf(first),
				"term");
			LLVMAddIncoming(t->v[k][i], &first, &from, 1);
		}
}

static void carry_on(const struct order *o, struct terms *t, struct terms *next,
	LLVMBasicBlockRef to)
{
	for (int k = 0; k < o->n_part; k++)
		for (int i = 0; i < o->n; i++)
			LLVMAddIncoming(t->v[k][i], &next->v[k][i], &to, 1);
}

/* What the loop carries behind all of its steps, of which there are some. */
static LLVMValueRef run_groups(struct nvptx_lower *l, const struct order *o)
{
	LLVMBuilderRef b = l->ir->b;
	LLVMValueRef v = o->steps->first.v, sum, by = number(l, o->group);
	struct terms terms = { { { NULL } } }, next = { { { NULL } } };
	LLVMBasicBlockRef from;
	struct nvptx_loop loop;

	load_terms(l, o, o->steps->low, &terms);
	from = LLVMGetInsertBlock(b);
	nvptx_loop_begin(l->ir, &loop, "group", o->steps->low, by);
	sum = LLVMBuildPhi(b, LLVMTypeOf(v), "carried");
	LLVMAddIncoming(sum, &v, &from, 1);
	carry_terms(l, o, &terms, from);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(b, LLVMIntSLE, LLVMBuildAdd(b,
		loop.i, by, ""), o->steps->high, ""));
	load_terms(l, o, LLVMBuildAdd(b, loop.i, by, ""), &next);
	v = add_group(l, o, &terms, sum);
	from = LLVMGetInsertBlock(b);
	LLVMAddIncoming(sum, &v, &from, 1);
	carry_on(o, &terms, &next, from);
	nvptx_loop_end(l->ir, &loop, 1);
	return add_rest(l, o, &terms, LLVMBuildSub(b, o->steps->high, loop.i, ""), sum);
}

/* The whole loop; "with" is its lane. */
static LLVMValueRef in_groups(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, const void *with)
{
	const LLVMValueRef lane = *(const LLVMValueRef *)with;
	bool gpu = l->ir->m->opt.device == NVPTX_GPU;
	struct order o = { .in = in, .steps = steps, .lane = lane,
		.n = !gpu ? HOST : lane ? TOGETHER : ALONE };

	o.group = o.n * (lane ? POLY_LANES : 1);
	o.n_part = nvptx_help_parts(l, o.part);
	return run_groups(l, &o);
}

LLVMValueRef nvptx_help_in_order(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, LLVMValueRef lane)
{
	return nvptx_help_whole(l, in, steps, in_groups, &lane);
}
