/* nvptx: the links that a SCAN puts together. */
#include "polyir/sets/sets.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_scan.h"

/* ---------------------------------------------------------------------- links */

/* In the ring that is the integer of the float's size. */
LLVMTypeRef nvptx_scan_type(struct nvptx_ir *ir, const struct nvptx_scan *s)
{
	return nvptx_value_type(ir, s->type);
}

/* What changes nothing by "op". In the ring that is no literal, as these stand for
 * other numbers there.
 */
static LLVMValueRef identity(struct nvptx_lower *l, const struct nvptx_scan *s,
	enum poly_op op)
{
	LLVMTypeRef type = nvptx_scan_type(l->ir, s);
	unsigned long long sign;

	if (s->r.join)
		return nvptx_expr(l, s->r.join->arg[3], NULL).v;
	if (!l->ir->m->opt.ring || !poly_type_is_float(s->type))
		return nvptx_identity(l, op, s->type);
	sign = 1ull << (8 * poly_type_size(s->type) - 1);
	return LLVMConstInt(type, op == POLY_OP_MUL ? 1 :
		op == POLY_OP_MAX ? sign : op == POLY_OP_MIN ? sign - 1 : 0, 0);
}

/* The link that does nothing.
 *
 *	y op identity		y * 1 + identity
 */
struct nvptx_link nvptx_link_nothing(struct nvptx_lower *l, const struct nvptx_scan *s)
{
	struct nvptx_link n = { { identity(l, s, s->r.op), NULL } };

	if (s->parts > 1)
		n.v[1] = identity(l, s, POLY_OP_MUL);
	return n;
}

/* What "a" and then "b" do.
 *
 *	b(a(y)) = b1 * (a1 * y + a0) + b0 = (a1 * b1) * y + (b1 * a0 + b0)
 */
struct nvptx_link nvptx_link_joined(struct nvptx_lower *l, const struct nvptx_scan *s,
	struct nvptx_link a, struct nvptx_link b)
{
	struct nvptx_ir *ir = l->ir;

	if (s->r.join) {
		a.v[0] = nvptx_joined(l, s->r.join, a.v[0], b.v[0]);
		return a;
	}
	if (s->parts == 1) {
		a.v[0] = nvptx_combined(ir, s->r.op, s->type, a.v[0], b.v[0]);
		return a;
	}
	a.v[0] = nvptx_combined(ir, POLY_OP_ADD, s->type, nvptx_combined(ir,
		POLY_OP_MUL, s->type, b.v[1], a.v[0]), b.v[0]);
	a.v[1] = nvptx_combined(ir, POLY_OP_MUL, s->type, a.v[1], b.v[1]);
	return a;
}

/* "a" if "cond" holds, else "b".
 *
 * Both values are computed; one is taken.
 */
struct nvptx_link nvptx_link_chosen(struct nvptx_ir *ir, const struct nvptx_scan *s,
	LLVMValueRef cond, struct nvptx_link a, struct nvptx_link b)
{
	for (int i = 0; i < s->parts; i++)
		a.v[i] = LLVMBuildSelect(ir->b, cond, a.v[i], b.v[i], "");
	return a;
}

/* The link of the lane whose number differs by the mask "with".
 *
 * All lanes take part: the mask is that of a whole warp.
 */
static struct nvptx_link exchange(struct nvptx_ir *ir, const struct nvptx_scan *s,
	struct nvptx_link a, int with)
{
	for (int i = 0; i < s->parts; i++)
		a.v[i] = nvptx_exchange(ir, nvptx_int(ir, -1), a.v[i], with);
	return a;
}

/* "own" and "other", whichever comes first in front: "later" says that "own" does not.
 *
 * Without a factor the order does not matter to an operation that may be put
 * together in any order, so no choice is needed; an operator of the text may not.
 */
static struct nvptx_link in_order(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef later, struct nvptx_link own, struct nvptx_link other)
{
	if (s->parts == 1 && !s->r.join)
		return nvptx_link_joined(l, s, own, other);
	return nvptx_link_joined(l, s, nvptx_link_chosen(l->ir, s, later, other, own),
		nvptx_link_chosen(l->ir, s, later, own, other));
}

/* Is "bit" set in "n"? */
static LLVMValueRef has_bit(struct nvptx_ir *ir, LLVMValueRef n, int bit)
{
	return LLVMBuildICmp(ir->b, LLVMIntNE, LLVMBuildAnd(ir->b, n,
		nvptx_int(ir, bit), ""), nvptx_int(ir, 0), "");
}

/* ---------------------------------------------------------- lanes of a warp */

/* Put together what the lanes of a line have, in order: "*all" is what all of them
 * have, and the result what those before this one have.
 *
 * After each exchange a lane knows what twice as many lanes have.
 */
struct nvptx_link nvptx_link_before_lane(struct nvptx_lower *l, const struct nvptx_scan *s,
	struct nvptx_link *all)
{
	LLVMValueRef lane = nvptx_mod(l->ir, l->value.tid[s->axis],
		nvptx_int(l->ir, s->lanes));
	struct nvptx_link before = nvptx_link_nothing(l, s);

	for (int i = 1; i < s->lanes; i *= 2) {
		struct nvptx_link other = exchange(l->ir, s, *all, i * s->step);
		LLVMValueRef later = has_bit(l->ir, lane, i);

		before = nvptx_link_chosen(l->ir, s, later, nvptx_link_joined(l, s, other,
			before), before);
		*all = in_order(l, s, later, *all, other);
	}
	return before;
}

/* What all lanes of a warp have, in order, in a tree. */
struct nvptx_link nvptx_scan_lanes(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef lane, struct nvptx_link a)
{
	for (int i = 1; i < POLY_LANES; i *= 2)
		a = in_order(l, s, has_bit(l->ir, lane, i), a,
			exchange(l->ir, s, a, i));
	return a;
}

/* -------------------------------------------------------- links of one thread */

/* Part "part" of the link of digit "d" across the lines and "i" along them.
 *
 * The room holds all links of the thread, a line after the other.
 */
static LLVMValueRef cell(struct nvptx_ir *ir, const struct nvptx_scan *s, int part,
	int d, int i)
{
	return nvptx_element(ir, nvptx_scan_type(ir, s), s->room[part],
		nvptx_int(ir, d * s->turns * s->run + i));
}

/* The link of digit "d" across the lines and "i" along them. */
struct nvptx_link nvptx_link_load(struct nvptx_ir *ir, const struct nvptx_scan *s, int d,
	int i)
{
	struct nvptx_link a = { { NULL, NULL } };

	for (int k = 0; k < s->parts; k++)
		a.v[k] = LLVMBuildLoad2(ir->b, nvptx_scan_type(ir, s),
			cell(ir, s, k, d, i), "");
	/* The counterpart of nvptx_link_load(). */
	return a;
}

void nvptx_link_store(struct nvptx_ir *ir, const struct nvptx_scan *s, int d, int i,
	struct nvptx_link a)
{
	for (int k = 0; k < s->parts; k++)
		LLVMBuildStore(ir->b, a.v[k], cell(ir, s, k, d, i));
}
