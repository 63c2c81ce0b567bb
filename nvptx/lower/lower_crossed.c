/* nvptx: reads of a GROUP that lie across its lanes go through shared memory.
 *
 * Which these are polyir/layout/crossed.c tells. A warp loads parts of rows of such an
 * array, lane by lane along axis 0, for all points of the block's tile; behind a barrier
 * each thread finds the elements of its own points:
 *
 *	%v = load float, ptr addrspace(1) %at		the tile's point (lane, row)
 *	store float %v, ptr addrspace(3) %to		tile[row][lane]
 *	call void @llvm.nvvm.barrier0()
 *	%w = load float, ptr addrspace(3) %own		tile[t1][t0]
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Elements that a thread loads before it stores any of them, at most. */
enum { AHEAD = 16 };

/* The tile of a read under way: what a thread loads of it is in "rows" rows "apart" from one
 * another, and "parts" of each; "lane" and "row" are where its first element is in
 * the tile, whose first point is "at".
 */
struct crossing {
	const struct poly_stmt *stmt;		/* the member */
	const struct nvptx_crossed *read;
	int rows, apart, parts, pitch;
	LLVMValueRef lane, row;
	LLVMValueRef at[16];
};

int64_t nvptx_crossed_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	struct poly_crossed list[POLY_MAX_OPERAND];
	int n = poly_crossed_reads(prog, k, s, list);
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += nvptx_places_bytes(poly_crossed_bytes(k, list[i].read));
	return bytes;
}

/* The place of the element at column "lane" and row "row" of the tile. */
static LLVMValueRef place_of(struct nvptx_lower *l, const struct nvptx_crossed *x,
	int pitch, LLVMValueRef lane, LLVMValueRef row)
{
	return nvptx_element(l->ir, x->type, x->room, nvptx_add(l->ir,
		nvptx_mul(l->ir, row, nvptx_int(l->ir, pitch)), lane, ""));
}

/* What the thread reads of its element number "i" of the tile, where it has one and
 * "guard" holds there.
 */
static LLVMValueRef load(struct nvptx_lower *l, const struct crossing *c,
	__isl_keep isl_set *guard, int i)
{
	int column = i % c->parts * POLY_LANES;
	bool beyond = column + POLY_LANES > l->kernel->tile[0];
	LLVMValueRef p[16], in[16], cond, inside, v;
	LLVMValueRef lane = nvptx_add(l->ir, c->lane, nvptx_int(l->ir, column), "");
	struct nvptx_branch branch;
	LLVMBasicBlockRef then;

	for (int d = 0; d < 16; d++)
		p[d] = c->at[d];
	p[0] = nvptx_add(l->ir, p[0], lane, "");
	p[1] = nvptx_add(l->ir, p[1], nvptx_add(l->ir, c->row, nvptx_int(l->ir,
		i / c->parts * c->apart), ""), "");
	cond = nvptx_condition(l, isl_set_copy(guard), p);
	inside = beyond ? LLVMBuildICmp(l->ir->b, LLVMIntULT, lane, nvptx_int(l->ir,
		l->kernel->tile[0]), "") : NULL;
	if (cond && inside)
		cond = LLVMBuildAnd(l->ir->b, inside, cond, "");
	else if (inside)
		cond = inside;
	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, c->stmt->name);
	nvptx_debug_stmt(l->ir, c->stmt);
	nvptx_stand(l, c->stmt, p, in);
	nvptx_instance(l, c->stmt, in);
	l->now.at = c->stmt->at;
	l->now.point = p;
	v = nvptx_expr(l, c->read->read, in).v;
	l->now.at = NULL;
	l->now.point = NULL;
	if (!cond)
		return v;
	then = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return nvptx_if_value(l->ir, &branch, then, v, LLVMGetUndef(LLVMTypeOf(v)),
		"");
}

/* Store "v" as the thread's element number "i" of the tile. */
static void store(struct nvptx_lower *l, const struct crossing *c, int i, LLVMValueRef v)
{
	int column = i % c->parts * POLY_LANES;
	bool beyond = column + POLY_LANES > l->kernel->tile[0];
	LLVMValueRef lane = nvptx_add(l->ir, c->lane, nvptx_int(l->ir, column), "");
	LLVMValueRef row = nvptx_add(l->ir, c->row, nvptx_int(l->ir,
		i / c->parts * c->apart), "");
	struct nvptx_branch branch;

	if (beyond)
		nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntULT,
			lane, nvptx_int(l->ir, l->kernel->tile[0]), ""), "column");
	LLVMBuildStore(l->ir->b, v, place_of(l, c->read, c->pitch, lane, row));
	if (beyond)
		nvptx_if_end(l->ir, &branch);
}

/* Move the tile of the read, as far as "guard" holds. */
static void move(struct nvptx_lower *l, const struct crossing *c,
	__isl_keep isl_set *guard)
{
	int all = c->rows * c->parts;
	LLVMValueRef v[AHEAD];

	for (int i = 0; i < all; i += AHEAD) {
		for (int k = i; k < all && k < i + AHEAD; k++)
			v[k - i] = load(l, c, guard, k);
		for (int k = i; k < all && k < i + AHEAD; k++)
			store(l, c, k, v[k - i]);
	}
}

/* Move the tiles of all reads, where the guards hold, or, without "guards", everywhere. */
static void move_all(struct nvptx_lower *l, struct crossing *c,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known)
{
	for (int i = 0; i < l->crossings.n; i++) {
		isl_set *guard = guards ? isl_set_list_get_at(guards,
			l->crossings.list[i].member) :
			isl_set_universe(isl_set_get_space(known));

		c->read = &l->crossings.list[i];
		c->stmt = l->crossings.of->member[c->read->member];
		c->pitch = poly_crossed_row(l->kernel, c->read->read);
		move(l, c, guard);
		isl_set_free(guard);
	}
}

/* Where the thread is among those that move the tile "arg" of "s". */
static struct crossing crossing_of(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	int warps = k->thread[0] * k->thread[1] / POLY_LANES;
	LLVMValueRef t = nvptx_thread_number(l, "");
	struct crossing c = { .apart = warps, .rows = k->tile[1] / warps,
		.parts = (k->tile[0] + POLY_LANES - 1) / POLY_LANES };

	c.lane = nvptx_mod(l->ir, t, nvptx_int(l->ir, POLY_LANES));
	c.row = nvptx_div(l->ir, t, nvptx_int(l->ir, POLY_LANES));
	for (int d = 0; d < isl_set_dim(s->domain, isl_dim_set); d++)
		c.at[d] = d < 2 ? nvptx_mul(l->ir, arg[d], nvptx_int(l->ir,
			k->tile[d])) : arg[d];
	return c;
}

/* Whole tiles have code of their own, without conditions. */
void nvptx_crossed_begin(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg)
{
	struct poly_crossed list[POLY_MAX_OPERAND];
	int n = poly_crossed_reads(l->prog, l->kernel, s, list);
	LLVMValueRef whole, zero = nvptx_int(l->ir, 0);
	struct nvptx_branch branch;
	struct crossing c;

	if (!n || l->ir->m->opt.wide)
		return;
	l->crossings.of = s;
	for (int i = 0; i < n; i++)
		l->crossings.list[i] = (struct nvptx_crossed){ list[i].member,
			list[i].read, nvptx_value_type(l->ir, list[i].read->type),
			nvptx_take_places(l, poly_crossed_bytes(l->kernel,
			list[i].read)) };
	l->crossings.n = n;
	l->now.digit[0] = l->now.digit[1] = 0;
	c = crossing_of(l, s, arg);
	whole = nvptx_condition(l, nvptx_whole_tiles(l, guards, known), arg);
	if (whole) {
		nvptx_if_begin(l->ir, &branch, whole, "whole");
		move_all(l, &c, NULL, known);
		nvptx_if_end(l->ir, &branch);
		nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""),
			"part");
	}
	move_all(l, &c, guards, known);
	if (whole)
		nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

bool nvptx_crossed_has(const struct nvptx_lower *l, const struct poly_stmt *s, int member)
{
	bool has = false;

	for (int i = 0; i < l->crossings.n && l->crossings.of == s; i++)
		has |= l->crossings.list[i].member == member;
	return has;
}

void nvptx_crossed_hold(struct nvptx_lower *l, const struct poly_stmt *s, int member)
{
	const struct nvptx_crossings *all = &l->crossings;
	LLVMValueRef q[2];

	if (!all->n || all->of != s)
		return;
	l->reads.n = 0;
	for (int d = 0; d < 2 && member >= 0; d++)
		q[d] = nvptx_add(l->ir, nvptx_thread_offset(l, d, false),
			nvptx_int(l->ir, poly_digit_offset(l->kernel, d,
			l->now.digit[d])), "");
	for (int i = 0; i < all->n; i++)
		if (all->list[i].member == member)
			l->reads.held[l->reads.n++] = (struct nvptx_held){
				all->list[i].read, LLVMBuildLoad2(l->ir->b,
				all->list[i].type, place_of(l, &all->list[i],
				poly_crossed_row(l->kernel, all->list[i].read),
				q[0], q[1]), "") };
}

void nvptx_crossed_end(struct nvptx_lower *l)
{
	l->crossings.n = 0;
}
