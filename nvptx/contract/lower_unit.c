/* nvptx: the emitter of CONTRACT on matrix units: each warp multiplies fragments.
 *
 *	for (s = 0; s < tile_k; s += k)
 *		a[i] = fragments of X[..][s..];  b[j] = fragments of Y[s..][..];
 *		c[i][j] = mma(a[i], b[j], c[i][j])		for all i, j
 *
 * Which element of a fragment a lane holds is read from its layout (place/fragment.def),
 * and where that is in the operand's buffer from the index that was checked. Elements of 16 bits whose rows lie
 * side by side, and of 8 and 32 bits where rows go along steps, are loaded by ldmatrix, to which lane l gives the address of row
 * l mod 8 of matrix l / 8; others, and all on the host device, one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"
#include "runtime/host_abi.h"

/* Registers of a fragment. */
enum { MAX_REG = 8 };
/* Digits of a thread along an axis. */
enum { MAX_DIGIT = 128 };

static const struct {
	enum nvptx_hw mma;
	unsigned host;
} hardware[POLY_N_UNIT] = {
	[POLY_UNIT_MMA_BF16] = { NVPTX_HW_MMA_BF16, CETANE_HOST_MMA_BF16 },
	[POLY_UNIT_MMA_F16] = { NVPTX_HW_MMA_F16, CETANE_HOST_MMA_F16 },
	[POLY_UNIT_MMA_TF32] = { NVPTX_HW_MMA_TF32, CETANE_HOST_MMA_TF32 },
	[POLY_UNIT_MMA_S8] = { NVPTX_HW_MMA_S8, CETANE_HOST_MMA_S8 },
	[POLY_UNIT_MMA_U8] = { NVPTX_HW_MMA_U8, CETANE_HOST_MMA_U8 },
	[POLY_UNIT_MMA_E4M3] = { NVPTX_HW_MMA_E4M3, CETANE_HOST_MMA_E4M3 },
	[POLY_UNIT_MMA_E5M2] = { NVPTX_HW_MMA_E5M2, CETANE_HOST_MMA_E5M2 },
	[POLY_UNIT_MMA_E4M3_E5M2] = { NVPTX_HW_MMA_E4M3_E5M2,
		CETANE_HOST_MMA_E4M3_E5M2 },
	[POLY_UNIT_MMA_E5M2_E4M3] = { NVPTX_HW_MMA_E5M2_E4M3,
		CETANE_HOST_MMA_E5M2_E4M3 },
	[POLY_UNIT_MMA_S8_PAIRS] = { NVPTX_HW_MMA_S8, CETANE_HOST_MMA_S8 },
	[POLY_UNIT_MMA_U8_PAIRS] = { NVPTX_HW_MMA_U8, CETANE_HOST_MMA_U8 },
	[POLY_UNIT_MMA_E4M3_PAIRS] = { NVPTX_HW_MMA_E4M3, CETANE_HOST_MMA_E4M3 },
	[POLY_UNIT_MMA_E5M2_PAIRS] = { NVPTX_HW_MMA_E5M2, CETANE_HOST_MMA_E5M2 },
	[POLY_UNIT_MMA_E4M3_E5M2_PAIRS] = { NVPTX_HW_MMA_E4M3_E5M2,
		CETANE_HOST_MMA_E4M3_E5M2 },
	[POLY_UNIT_MMA_E5M2_E4M3_PAIRS] = { NVPTX_HW_MMA_E5M2_E4M3,
		CETANE_HOST_MMA_E5M2_E4M3 },
	[POLY_UNIT_MMA_F64] = { NVPTX_HW_MMA_F64, CETANE_HOST_MMA_F64 },
};

/* ---------------------------------------------------------------- products */

/* Let the digits in force be those of register "r" of the fragment (i, j) of C. */
static void set_digits(struct nvptx_lower *l, const struct nvptx_fragments *u, int i, int j,
	int r)
{
	l->now.digit[0] = i * u->side[0].each + u->digit[r][0];
	l->now.digit[1] = j * u->side[1].each + u->digit[r][1];
}

/* The registers of the fragment (i, j) of C. */
static void load_sums(struct nvptx_lower *l, const struct nvptx_fragments *u, int i, int j,
	LLVMValueRef *c)
{
	for (int r = 0; r < u->n_c; r++) {
		set_digits(l, u, i, j, r);
		c[r] = nvptx_load(l, u->sum, NULL).v;
	}
}

static void store_sums(struct nvptx_lower *l, const struct nvptx_fragments *u, int i, int j,
	const LLVMValueRef *c)
{
	for (int r = 0; r < u->n_c; r++) {
		set_digits(l, u, i, j, r);
		nvptx_store(l, u->sum, NULL, (struct nvptx_value){ c[r], NULL });
	}
}

/* What the instruction takes for a register of an operand. */
static LLVMValueRef as_operand(struct nvptx_ir *ir, const struct nvptx_fragments *u,
	LLVMValueRef v)
{
	LLVMTypeRef half = LLVMHalfTypeInContext(ir->m->ctx);

	return u->row->element[0] == POLY_F16 ?
		LLVMBuildBitCast(ir->b, v, LLVMVectorType(half, 2), "") : v;
}

/* Has the target no instruction for floats of 8 bits that warps run? Then ptxas makes one
 * of conversions to f16 and products of these, whose sums it adds one by one.
 */
static bool widens(const struct nvptx_lower *l)
{
	enum { FIRST = 90, END = 120 };
	const struct nvptx_target *t = l->ir->m->opt.target;

	return poly_unit_widens(l->kernel->unit) && t && t->cc >= FIRST &&
		t->cc < END;
}

/* Two numbers of the register "reg" of A (0) or B (1), with the high bits or the low
 * ones, as f16.
 */
static LLVMValueRef as_halves(struct nvptx_ir *ir, const struct nvptx_fragments *u, int side,
	LLVMValueRef reg, bool high)
{
	LLVMValueRef pair = high ? LLVMBuildLShr(ir->b, reg, nvptx_int(ir, 16),
		"") : reg;

	pair = LLVMBuildTrunc(ir->b, pair, LLVMInt16TypeInContext(ir->m->ctx), "");
	return nvptx_hw(ir, u->row->element[side] == POLY_F8E4M3 ?
		NVPTX_HW_E4M3_TO_F16 : NVPTX_HW_E5M2_TO_F16, &pair, 1, "");
}

/* The same as two products of f16. These take as steps 2 t, 2 t + 1 and 8 more of a lane
 * what are its steps 4 t to 4 t + 3 there, of both operands.
 */
static void multiply_halves(struct nvptx_lower *l, const struct nvptx_fragments *u,
	const LLVMValueRef *a, const LLVMValueRef *b, LLVMValueRef *c)
{
	enum { N_A = 4, N_B = 2, N_C = 4 };
	LLVMValueRef arg[N_A + N_B + N_C], all;

	for (int k = 0; k < 2; k++) {
		for (int r = 0; r < N_A; r++)
			arg[r] = as_halves(l->ir, u, 0, a[2 * k + r % 2], r > 1);
		for (int r = 0; r < N_B; r++)
			arg[N_A + r] = as_halves(l->ir, u, 1, b[k], r);
		memcpy(arg + N_A + N_B, c, N_C * sizeof(*c));
		all = nvptx_hw(l->ir, NVPTX_HW_MMA_F16, arg, N_A + N_B + N_C, "");
		for (int r = 0; r < N_C; r++)
			c[r] = LLVMBuildExtractValue(l->ir->b, all, r, "");
	}
}

/* "c" and the product of "a" and "n_b" registers of "b", in place, on a GPU. */
static void multiply(struct nvptx_lower *l, const struct nvptx_fragments *u,
	const LLVMValueRef *a, const LLVMValueRef *b, int n_b, LLVMValueRef *c,
	int n_c)
{
	LLVMValueRef arg[3 * MAX_REG], all;
	int n = 0;

	if (widens(l)) {
		multiply_halves(l, u, a, b, c);
		return;
	}
	for (int r = 0; r < u->side[0].n_reg; r++)
		arg[n++] = as_operand(l->ir, u, a[r]);
	for (int r = 0; r < n_b; r++)
		arg[n++] = as_operand(l->ir, u, b[r]);
	for (int r = 0; r < n_c; r++)
		arg[n++] = c[r];
	all = nvptx_hw(l->ir, hardware[l->kernel->unit].mma, arg, n, "");
	for (int r = 0; r < n_c; r++)
		c[r] = LLVMBuildExtractValue(l->ir->b, all, r, "");
}

/* "n" values in memory of the thread. */
static LLVMValueRef in_memory(struct nvptx_ir *ir, const LLVMValueRef *v, int n)
{
	LLVMTypeRef type = LLVMTypeOf(v[0]);
	LLVMValueRef room = nvptx_room(ir, LLVMArrayType2(type, n),
		"fragment");

	for (int i = 0; i < n; i++)
		LLVMBuildStore(ir->b, v[i], nvptx_element(ir, type, room,
			nvptx_int(ir, i)));
	return room;
}

/* The same on the host device. */
static void multiply_on_host(struct nvptx_lower *l, const struct nvptx_fragments *u,
	const LLVMValueRef *a, const LLVMValueRef *b, int n_b, LLVMValueRef *c,
	int n_c)
{
	LLVMTypeRef type = LLVMTypeOf(c[0]);
	LLVMValueRef arg[4] = {
		nvptx_int(l->ir, hardware[l->kernel->unit].host),
		in_memory(l->ir, a, u->side[0].n_reg),
		in_memory(l->ir, b, n_b), in_memory(l->ir, c,
		n_c) };

	nvptx_hw(l->ir, NVPTX_HW_MMA_HOST, arg, 4, "");
	for (int r = 0; r < n_c; r++)
		c[r] = LLVMBuildLoad2(l->ir->b, type, nvptx_element(l->ir, type,
			arg[3], nvptx_int(l->ir, r)), "");
}

/* Add what fragments "a" and "b" make to the fragment (i, j) of C, whose columns go in turn
 * where there are two instructions.
 */
static void update(struct nvptx_lower *l, const struct nvptx_fragments *u, int i, int j,
	const LLVMValueRef *a, const LLVMValueRef *b)
{
	LLVMValueRef c[NVPTX_MAX_SUM], part[NVPTX_MAX_SUM];
	int n = poly_unit_pairs(l->kernel->unit) ? 2 : 1;
	int n_b = u->side[1].n_reg / n, n_c = u->n_c / n;

	load_sums(l, u, i, j, c);
	for (int p = 0; p < n; p++) {
		for (int r = 0; r < n_c; r++)
			part[r] = c[n * r + p];
		if (l->ir->m->opt.device == NVPTX_GPU)
			multiply(l, u, a, b + p * n_b, n_b, part, n_c);
		else
			multiply_on_host(l, u, a, b + p * n_b, n_b, part, n_c);
		for (int r = 0; r < n_c; r++)
			c[n * r + p] = part[r];
	}
	store_sums(l, u, i, j, c);
}

/* All products of the fragments in "reg", along rows to the right and to the left in
 * turn; behind each row, one of "n" shares of the copies that were put off, from the
 * share "slice" on.
 */
static void update_all(struct nvptx_lower *l, const struct nvptx_fragments *u,
	LLVMValueRef *const reg[2], int slice, int n)
{
	const struct nvptx_side *a = &u->side[0], *b = &u->side[1];

	for (int i = 0; i < a->n; i++) {
		for (int k = 0; k < b->n; k++) {
			int j = i % 2 ? b->n - 1 - k : k;

			update(l, u, i, j, reg[0] + i * a->n_reg,
				reg[1] + j * b->n_reg);
		}
		if (n)
			nvptx_copy_slice(l, slice + i, n);
	}
}

/* --------------------------------------------------------- the step put off */

/* May the last step of a tile be multiplied while the next tile's first fragments are
 * loaded? Both are in registers then; and the kernel has one product, so that no other
 * wants these.
 */
static bool may_be_late(const struct nvptx_lower *l, const struct nvptx_fragments *u)
{
	enum { OTHERS = 32, EDGES = 32, WORD = 4 };
	int sums = u->side[0].n * u->side[1].n * u->n_c *
		poly_type_size(u->row->sum) / WORD;
	int n = u->side[0].n * u->side[0].n_reg + u->side[1].n * u->side[1].n_reg;
	int words = poly_type_size(u->row->element[0]) < 2 * WORD &&
		!poly_unit_widens(l->kernel->unit) ? 1 : 2;

	return l->late.products == 1 && sums + 2 * n * words + OTHERS +
		(nvptx_copy_is_plain(&l->put_off) ? 0 : EDGES) <= l->late.registers;
}

/* Where register "i" of the fragments that are multiplied later is kept. */
static LLVMValueRef late_place(const struct nvptx_lower *l, int i)
{
	return nvptx_element(l->ir, l->late.type, l->late.room, nvptx_int(l->ir, i));
}

/* Have room for "n" registers of "type", and no step put off when the kernel begins. */
static void begin_late(struct nvptx_lower *l, const struct poly_stmt *op,
	LLVMTypeRef type, int n)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->ir->b);
	LLVMTypeRef i1 = LLVMInt1TypeInContext(l->ir->m->ctx);

	if (l->late.op)
		return;
	l->late.op = op;
	l->late.type = type;
	l->late.room = nvptx_room(l->ir, LLVMArrayType2(type, n), "late");
	l->late.has = nvptx_room(l->ir, i1, "has");
	LLVMPositionBuilderBefore(l->ir->b, LLVMGetNextInstruction(l->late.has));
	LLVMBuildStore(l->ir->b, LLVMConstInt(i1, 0, 0), l->late.has);
	LLVMPositionBuilderAtEnd(l->ir->b, here);
}

/* Keep the fragments in "reg" for later. */
static void put_off(struct nvptx_lower *l, const LLVMValueRef *reg, int n)
{
	for (int i = 0; i < n; i++)
		LLVMBuildStore(l->ir->b, reg[i], late_place(l, i));
	LLVMBuildStore(l->ir->b, LLVMConstInt(LLVMInt1TypeInContext(
		l->ir->m->ctx), 1, 0), l->late.has);
}

/* Multiply what was put off, if anything was; "reg" has room for its fragments. */
static void catch_up(struct nvptx_lower *l, const struct nvptx_fragments *u, LLVMValueRef *reg)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(l->ir->m->ctx);
	int n_a = u->side[0].n * u->side[0].n_reg;
	int n = n_a + u->side[1].n * u->side[1].n_reg;
	LLVMValueRef *const side[2] = { reg, reg + n_a };
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, LLVMBuildLoad2(l->ir->b, i1, l->late.has,
		""), "late");
	for (int i = 0; i < n; i++)
		reg[i] = LLVMBuildLoad2(l->ir->b, l->late.type, late_place(l, i),
			"");
	update_all(l, u, side, 0, 0);
	LLVMBuildStore(l->ir->b, LLVMConstInt(i1, 0, 0), l->late.has);
	nvptx_if_end(l->ir, &branch);
}

/* The steps of the tile. Fragments of the next step are loaded before those of this
 * one are multiplied, into the other half of "room"; those of the first one before the
 * last step of the tile before is multiplied, where that is put off.
 */
static void emit(struct nvptx_lower *l, struct nvptx_fragments *u, LLVMValueRef *room)
{
	int k = u->row->size[2], steps = l->kernel->tile_k / k, n[2], rows;
	bool late = may_be_late(l, u);
	LLVMValueRef *reg[2][2];

	for (int d = 0; d < 2; d++)
		n[d] = u->side[d].n * u->side[d].n_reg;
	for (int i = 0; i < 2; i++) {
		reg[i][0] = room + i * (n[0] + n[1]);
		reg[i][1] = reg[i][0] + n[0];
	}
	for (int d = 0; d < 2; d++)
		nvptx_side_load(l, &u->side[d], 0, reg[0][d]);
	if (late) {
		begin_late(l, u->op->op, LLVMTypeOf(room[0]), n[0] + n[1]);
		catch_up(l, u, reg[1][0]);
	}
	rows = (steps - late) * u->side[0].n;
	if (!rows)
		nvptx_copy_slice(l, 0, 1);
	for (int s = 0; s < steps; s++) {
		for (int d = 0; d < 2 && s + 1 < steps; d++)
			nvptx_side_load(l, &u->side[d], (s + 1) * k,
				reg[(s + 1) % 2][d]);
		if (late && s + 1 == steps)
			put_off(l, reg[s % 2][0], n[0] + n[1]);
		else
			update_all(l, u, reg[s % 2], s * u->side[0].n, rows);
	}
	nvptx_copy_commit(l);
}

/* Can the unit do the operation, whose buffers are as it wants them? "*first" is the
 * read that moves along axis 0.
 */
static bool can_run(struct nvptx_lower *l, const struct poly_stmt *op, int *first)
{
	const struct poly_stmt *point = op->member[0];
	bool is_async = poly_unit_is_async(l->kernel->unit);
	struct poly_expr *leaf[POLY_MAX_OPERAND];

	if (l->ir->m->opt.wide || l->ir->m->opt.ring || l->now.live ||
	    !poly_unit_does(l->kernel->unit, point, point->at) ||
	    !op->operand[0] || !op->operand[1] ||
	    op->operand[0] == op->operand[1] ||
	    (is_async && l->ir->m->opt.device != NVPTX_GPU))
		return false;
	for (int i = 0; i < 2; i++)
		if (op->operand[i]->swizzled != is_async)
			return false;
	poly_leaves(point, leaf);
	*first = poly_leaf_moves(leaf[0], point->at) & POLY_MOVES_0 ? 0 : 1;
	return true;
}

/* ------------------------------------------------------------- warpgroups */

/* What the hardware wants to know of an operand in shared memory whose rows of 128
 * bytes are swizzled: the address, and how far apart columns of rows and groups of 8
 * rows are, in units of 16 bytes.
 */
static LLVMValueRef descriptor(struct nvptx_lower *l, const struct nvptx_fragments *u,
	const struct nvptx_side *s)
{
	enum { UNIT = 16, ROW = 128, ADDRESS = 0x3fff, LEADING = 16, STRIDE = 32 };
	int64_t column = nvptx_extent(s->buffer, s->buffer->n_dim - 2) * ROW;
	uint64_t rest = (uint64_t)(s->trans ? column / UNIT : 1) << LEADING |
		(uint64_t)(NVPTX_MATRIX_ROWS * ROW / UNIT) << STRIDE | UINT64_C(1) << 62;
	LLVMValueRef at, zero = nvptx_int(l->ir, 0);

	nvptx_side_go_to(l, u, s, zero, zero, zero);
	at = LLVMBuildPtrToInt(l->ir->b, nvptx_side_address(l, u, s), nvptx_i32(l->ir),
		"");
	at = LLVMBuildAnd(l->ir->b, LLVMBuildLShr(l->ir->b, at, nvptx_int(l->ir,
		4), ""), nvptx_int(l->ir, ADDRESS), "");
	at = LLVMBuildZExt(l->ir->b, at, nvptx_i64(l->ir), "");
	return LLVMBuildOr(l->ir->b, at, LLVMConstInt(nvptx_i64(l->ir), rest,
		0), "");
}

/* The descriptor "first", of "s", "points" and "steps" further. */
static LLVMValueRef go_on(struct nvptx_ir *ir, const struct nvptx_side *s,
	LLVMValueRef first, int points, int steps)
{
	struct poly_layout *buffer = poly_buffer_digits(s->buffer);
	int n = s->buffer->n_dim, x[POLY_LAYOUT_DIM] = { 0 };
	int64_t bytes;

	x[n - 2] = s->trans ? steps : points;
	x[n - 1] = s->trans ? points : steps;
	bytes = poly_layout_byte(buffer, x);
	poly_layout_free(buffer);
	return LLVMBuildAdd(ir->b, first, LLVMConstInt(nvptx_i64(ir),
		(uint64_t)bytes / 16, 0), "");
}

/* Does the next product of the loop of "op" go on with it in any case, so that both are
 * waited for as one?
 */
static bool is_followed(struct nvptx_lower *l, const struct poly_stmt *op)
{
	const struct poly_stmt *next = poly_next_in_loop(l->prog, op);
	int first;

	return next && op->full && next->full && can_run(l, next, &first);
}

/* Multiply all steps of the tile, and let that go on until the product of the next
 * tile has begun; meanwhile start the copies that were put off.
 */
static void emit_groups(struct nvptx_lower *l, struct nvptx_fragments *u)
{
	const struct nvptx_side *a = &u->side[0], *b = &u->side[1];
	const bool trans[2] = { a->trans, b->trans };
	LLVMValueRef first[2], operand[2], c[NVPTX_MAX_SUM];
	LLVMValueRef pending = LLVMConstInt(nvptx_i64(l->ir), 1, 0);
	enum { STEP_BYTES = 32 };
	int steps = STEP_BYTES / poly_type_size(u->row->element[0]);

	for (int d = 0; d < 2; d++)
		first[d] = descriptor(l, u, &u->side[d]);
	for (int i = 0; i < a->n; i++) {
		int row = poly_product_offset(l->kernel, 0, i * a->each);

		load_sums(l, u, i, 0, c);
		nvptx_hw(l->ir, NVPTX_HW_WGMMA_FENCE, NULL, 0, "");
		for (int k = 0; k < l->kernel->tile_k; k += steps) {
			operand[0] = go_on(l->ir, a, first[0], row, k);
			operand[1] = go_on(l->ir, b, first[1], 0, k);
			nvptx_wgmma(l->ir, u->row->element, c, u->n_c,
				operand, trans);
		}
		store_sums(l, u, i, 0, c);
	}
	if (!is_followed(l, u->op->op))
		nvptx_hw(l->ir, NVPTX_HW_WGMMA_COMMIT, NULL, 0, "");
	nvptx_copy_slice(l, 0, 1);
	nvptx_copy_commit(l);
	if (!is_followed(l, u->op->op))
		nvptx_hw(l->ir, NVPTX_HW_WGMMA_WAIT, &pending, 1, "");
}

/* ------------------------------------------------------------- the operation */

/* Describe C: which digits its registers have. */
static void begin_sums(const struct poly_kernel *kernel, struct nvptx_fragments *u,
	const struct poly_stmt *op)
{
	bool is_async = poly_unit_is_async(kernel->unit);
	int offset[2][MAX_DIGIT];

	*u = (struct nvptx_fragments){ .row = poly_unit(kernel->unit),
		.sum = op->member[0]->write_array,
		.c = poly_unit_sums(kernel) };
	u->threads = poly_unit_threads(kernel);
	u->n_c = poly_unit_digits(kernel, 0) *
		poly_unit_digits(kernel, 1);
	for (int d = 0; d < 2; d++) {
		struct nvptx_side *s = &u->side[d];

		s->axis = d;
		s->each = poly_unit_digits(kernel, d);
		s->n = kernel->tile[d] / kernel->thread[d] / s->each;
		s->f = is_async ? NULL : poly_fragment(u->row->fragment[d]);
		s->n_reg = is_async ? 0 : poly_layout_span(s->f, POLY_AT_REG);
		for (int r = 0; r < s->each; r++)
			offset[d][r] = poly_product_offset(kernel, d, r);
	}
	for (int r = 0; r < u->n_c; r++) {
		int at[POLY_N_AT] = { [POLY_AT_REG] = r }, x[POLY_LAYOUT_DIM];

		poly_layout_at(u->c, at, x);
		for (int d = 0; d < 2; d++)
			while (offset[d][u->digit[r][d]] != x[d])
				u->digit[r][d]++;
	}
}

static void end_unit(struct nvptx_fragments *u)
{
	poly_layout_free(u->c);
	for (int d = 0; d < 2; d++)
		poly_layout_free(u->side[d].f);
}

/* Run "u" with fragments in registers. */
static void run_warps(struct nvptx_lower *l, struct nvptx_fragments *u)
{
	int n = 0;
	LLVMValueRef *room;

	for (int d = 0; d < 2; d++)
		n += u->side[d].n * u->side[d].n_reg;
	room = calloc(2 * n, sizeof(*room));
	if (!room) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return;
	}
	u->lane = nvptx_mod(l->ir, nvptx_thread_number(l, ""), nvptx_int(l->ir,
		POLY_LANES));
	for (int d = 0; d < 2; d++) {
		struct nvptx_side *s = &u->side[d];

		for (int k = 0; k < 2 && s->rows && !s->pairs; k++)
			s->first[k] = nvptx_side_row(l, u, s, k + 1);
		if (s->pairs)
			s->first[0] = nvptx_side_pair(l, u, s);
		if (!s->rows)
			s->first[0] = nvptx_side_element(l, u, s);
	}
	emit(l, u, room);
	free(room);
}

bool nvptx_unit(struct nvptx_lower *l, const struct nvptx_unit_op *op)
{
	bool is_async = poly_unit_is_async(l->kernel->unit), ok = true;
	struct nvptx_fragments u;
	int first;

	if (!can_run(l, op->op, &first))
		return false;
	begin_sums(l->kernel, &u, op->op);
	u.op = op;
	for (int d = 0; d < 2 && ok; d++)
		ok = nvptx_side_begin(l, &u, d ? !first : first, d);
	if (ok && is_async)
		emit_groups(l, &u);
	else if (ok)
		run_warps(l, &u);
	end_unit(&u);
	return ok;
}

/* Multiply the last step of "op", if it was put off. */
static void wait_for_late(struct nvptx_lower *l, const struct poly_stmt *op)
{
	struct nvptx_fragments u;
	LLVMValueRef *reg;
	int n = 0;

	begin_sums(l->kernel, &u, op);
	for (int d = 0; d < 2; d++)
		n += u.side[d].n * u.side[d].n_reg;
	reg = calloc(n, sizeof(*reg));
	if (reg)
		catch_up(l, &u, reg);
	else
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	free(reg);
	end_unit(&u);
}

bool nvptx_unit_goes_on(struct nvptx_lower *l, const struct poly_stmt *op)
{
	int first;

	return poly_unit_is_async(l->kernel->unit) && can_run(l, op, &first);
}

bool nvptx_unit_wait(struct nvptx_lower *l, const struct poly_stmt *op)
{
	LLVMValueRef c[NVPTX_MAX_SUM];
	struct nvptx_fragments u;

	if (l->late.op == op) {
		wait_for_late(l, op);
		return false;
	}
	if (!nvptx_unit_goes_on(l, op))
		return false;
	begin_sums(l->kernel, &u, op);
	for (int i = 0; i < u.side[0].n; i++)
		load_sums(l, &u, i, 0, c + i * u.n_c);
	nvptx_wgmma_wait(l->ir, c, u.side[0].n * u.n_c);
	for (int i = 0; i < u.side[0].n; i++)
		store_sums(l, &u, i, 0, c + i * u.n_c);
	end_unit(&u);
	return true;
}
