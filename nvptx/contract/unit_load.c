/* nvptx: fragments of operands, loaded from the buffers of a product. */
#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* Bytes of a row of a matrix that ldmatrix loads. */
enum { ROW_BYTES = 16 };

/* Are the rows of matrices rows of the buffer, along steps or, for "trans", points,
 * and does each begin where ldmatrix wants it: at a multiple of its length?
 */
static bool has_rows(const struct nvptx_side *s)
{
	int run = ROW_BYTES / poly_type_size(s->buffer->type);
	int64_t slot = nvptx_shared_size(s->buffer) /
		poly_type_size(s->buffer->type);

	if (s->buffer->n_dim > 2)
		slot /= nvptx_extent(s->buffer, 0);
	return slot % run == 0 && s->stride[s->trans] % run == 0 &&
		s->stride[!s->trans] == 1;
}

/* Does the last dimension of the buffer of "s" count steps? */
static bool has_rows_of_steps(const struct nvptx_fragments *u, const struct nvptx_side *s)
{
	isl_pw_aff *last = isl_multi_pw_aff_get_at(s->index,
		s->buffer->n_dim - 1);
	bool is = isl_pw_aff_involves_dims(last, isl_dim_in, u->op->step, 1) ==
		isl_bool_true;

	isl_pw_aff_free(last);
	return is;
}

/* Describe operand "read" of "u". False if its address is no sum of multiples of the
 * digits and the step.
 */
bool nvptx_side_begin(struct nvptx_lower *l, struct nvptx_fragments *u, int read, int axis)
{
	const struct nvptx_unit_op *op = u->op;
	struct nvptx_side *s = &u->side[axis];
	int size;

	s->buffer = op->op->operand[read];
	s->index = op->index[read];
	s->point = axis ? 1 : 0;
	s->step = !s->point;
	s->trans = !has_rows_of_steps(u, s);
	if (poly_unit_is_async(l->kernel->unit))
		return true;
	size = poly_type_size(s->buffer->type);
	s->n_element = size < 4 ? 4 / size : 1;
	if (!nvptx_stride(l, s->buffer, s->index, op->box, op->digit + axis,
		&s->stride[0]) ||
	    !nvptx_stride(l, s->buffer, s->index, op->box, op->step,
		&s->stride[1]))
		return false;
	s->rows = (size == 2 || (size < 8 && !s->trans) ||
		(axis && poly_unit_pairs(l->kernel->unit))) &&
		l->ir->m->opt.device == NVPTX_GPU && has_rows(s);
	s->pairs = s->rows && s->trans && size == 1;
	return true;
}

/* ------------------------------------------------------------------- loads */

/* How far the fragment "i" of "s", step "k", is from the first one. */
static int64_t distance(const struct poly_kernel *kernel, const struct nvptx_side *s,
	int i, int k)
{
	return s->stride[1] * k + s->stride[0] *
		poly_product_offset(kernel, s->axis, i * s->each);
}

/* The registers of fragment "i", or of that and the next one, by ldmatrix. */
static void load_rows(struct nvptx_lower *l, const struct nvptx_side *s, int i, int k,
	int n, LLVMValueRef *reg)
{
	static const enum nvptx_hw op[2][2] = {
		{ NVPTX_HW_LDMATRIX_2, NVPTX_HW_LDMATRIX_4 },
		{ NVPTX_HW_LDMATRIX_TRANS_2, NVPTX_HW_LDMATRIX_TRANS_4 } };
	LLVMValueRef at = nvptx_element(l->ir, nvptx_memory_type(l->ir,
		s->buffer->type), s->first[n - 1], nvptx_int(l->ir,
		distance(l->kernel, s, i, k)));
	LLVMValueRef all = nvptx_hw(l->ir, op[s->trans][n * s->n_reg == 4], &at,
		1, "");

	for (int r = 0; r < n * s->n_reg; r++)
		reg[r] = LLVMBuildExtractValue(l->ir->b, all, r, "");
}

/* The registers of the fragment "i" of pairs of bytes: for either column those of the
 * first and of the other steps.
 */
static void load_pairs(struct nvptx_lower *l, const struct nvptx_side *s, int i, int k,
	LLVMValueRef *reg)
{
	LLVMValueRef at = nvptx_element(l->ir, nvptx_memory_type(l->ir,
		s->buffer->type), s->first[0], nvptx_int(l->ir,
		distance(l->kernel, s, i, k)));
	LLVMValueRef all = nvptx_hw(l->ir, NVPTX_HW_LDMATRIX_TRANS_4, &at, 1, "");

	for (int r = 0; r < s->n_reg; r++) {
		LLVMValueRef arg[3] = {
			LLVMBuildExtractValue(l->ir->b, all, r % 2 * 2, ""),
			LLVMBuildExtractValue(l->ir->b, all, r % 2 * 2 + 1, ""),
			s->order[r / 2] };

		reg[r] = nvptx_hw(l->ir, NVPTX_HW_PERMUTE, arg, 3, "");
	}
}

/* Element "e" of register "r" of the fragment "i". */
static LLVMValueRef load_element(struct nvptx_lower *l, const struct nvptx_side *s, int i,
	int k, int r, int e)
{
	int at[POLY_N_AT] = { [POLY_AT_REG] = r }, x[POLY_LAYOUT_DIM];

	at[POLY_AT_BYTE] = e * poly_type_size(s->buffer->type);
	poly_layout_at(s->f, at, x);
	return nvptx_load_run(l, s->buffer, s->first[0], distance(l->kernel, s,
		i, k + x[s->step]) + s->stride[0] * x[s->point], 1, 1);
}

/* The registers of fragment "i", element by element. */
static void load_elements(struct nvptx_lower *l, const struct nvptx_side *s, int i, int k,
	LLVMValueRef *reg)
{
	int bits = 32 / s->n_element;
	LLVMTypeRef part = LLVMIntTypeInContext(l->ir->m->ctx, bits);

	for (int r = 0; r < s->n_reg; r++) {
		reg[r] = load_element(l, s, i, k, r, 0);
		for (int e = 0; s->n_element > 1 && e < s->n_element; e++) {
			LLVMValueRef v = e ? load_element(l, s, i, k, r, e) : reg[r];

			v = LLVMBuildZExt(l->ir->b, LLVMBuildBitCast(l->ir->b, v,
				part, ""), nvptx_i32(l->ir), "");
			reg[r] = e ? LLVMBuildOr(l->ir->b, reg[r],
				LLVMBuildShl(l->ir->b, v, nvptx_int(l->ir,
				bits * e), ""), "") : v;
		}
	}
}

/* All fragments of "s" at the step "k". */
void nvptx_side_load(struct nvptx_lower *l, const struct nvptx_side *s, int k,
	LLVMValueRef *reg)
{
	for (int i = 0; i < s->n;) {
		int n = s->rows && 2 * s->n_reg <= 4 && i + 1 < s->n ? 2 : 1;

		if (s->pairs)
			load_pairs(l, s, i, k, reg + i * s->n_reg);
		else if (s->rows)
			load_rows(l, s, i, k, n, reg + i * s->n_reg);
		else
			load_elements(l, s, i, k, reg + i * s->n_reg);
		i += n;
	}
}
