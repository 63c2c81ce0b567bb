/* nvptx: where elements of arrays are.
 *
 *	GLOBAL		base + row * (row length) + column; the row's offset is
 *			64 bits wide, the column's 32 if it surely fits, unless
 *			fixed extents keep the whole array below 2^31 elements
 *	SHARED		32 bits, row-major, rows are row_pad elements longer
 *	REGISTER	an alloca indexed by the register digits in force, which
 *			are constants, so that SROA dissolves it
 */
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/point.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* -1 of a register that the program has dropped; linear, as all tables of a
 * program.
 */
int nvptx_array_number(const struct poly_prog *prog,
	const struct poly_array *a)
{
	for (int i = 0; i < prog->n_array; i++)
		if (prog->array[i] == a)
			return i;
	return -1;
}

/* The largest value that extent "dim" may have, -1 if there is no bound.
 *
 * What a launch is known to have (fact.known) bounds sizes that have no value.
 */
static int64_t extent_bound(struct nvptx_lower *l, const struct poly_array *a,
	int dim)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(a->extent, dim);
	isl_val *v;
	int64_t n = -1;

	if (l && l->fact.known)
		pa = isl_pw_aff_intersect_params(pa,
			isl_set_copy(l->fact.known));
	v = isl_pw_aff_max_val(pa);
	if (isl_val_is_int(v) == isl_bool_true)
		n = isl_val_get_num_si(v);
	isl_val_free(v);
	return n;
}

/* Without what is known of sizes: for shared arrays, whose extents are
 * constants.
 */
int64_t nvptx_extent(const struct poly_array *a, int dim)
{
	return extent_bound(NULL, a, dim);
}

/* -1 if it is not fixed: least and greatest value differ. */
int64_t nvptx_fixed_extent(struct nvptx_lower *l, const struct poly_array *a,
	int dim)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(a->extent, dim);
	isl_val *v;
	int64_t n = -1, most = extent_bound(l, a, dim);

	pa = isl_pw_aff_intersect_params(pa, isl_set_copy(l->fact.known));
	v = isl_pw_aff_min_val(pa);
	if (isl_val_is_int(v) == isl_bool_true)
		n = isl_val_get_num_si(v);
	isl_val_free(v);
	return n == most ? n : -1;
}

int64_t nvptx_fixed_step(struct nvptx_lower *l, const struct poly_array *a, int dim)
{
	return a->stride && dim == a->n_dim - 1 ? -1 :
		nvptx_fixed_extent(l, a, dim);
}

/* Bytes, with the padding of each row; a block's allocation adds them up. */
int64_t nvptx_shared_size(const struct poly_array *a)
{
	int64_t n = poly_type_size(a->type);

	for (int i = 0; i < a->n_dim; i++)
		n *= nvptx_extent(a, i) + (i == a->n_dim - 1 ? a->row_pad : 0);
	return n;
}

/* The constant by which "pa" grows from one value of input "dim" to the one that is "by"
 * greater while both are in "box"; false if there is none.
 *
 * Takes "pa". The difference between neighbours is a function of its own; if
 * its values on the box are one number, that is the growth. isl decides
 * exactly.
 */
static bool find_growth(__isl_take isl_pw_aff *pa, __isl_keep isl_set *box,
	int dim, int by, int64_t *growth)
{
	isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(box));
	isl_set *both, *values;
	isl_pw_aff *diff;
	isl_point *point;
	isl_val *v;
	bool is;

	next = isl_multi_aff_set_at(next, dim, isl_aff_add_constant_si(
		isl_multi_aff_get_at(next, dim), by));
	both = isl_set_intersect(isl_set_copy(box), isl_set_preimage_multi_aff(
		isl_set_copy(box), isl_multi_aff_copy(next)));
	diff = isl_pw_aff_pullback_multi_aff(isl_pw_aff_copy(pa), next);
	diff = isl_pw_aff_intersect_domain(isl_pw_aff_sub(diff, pa), both);
	values = isl_map_range(isl_map_from_pw_aff(diff));
	values = isl_set_project_out(values, isl_dim_param, 0,
		isl_set_dim(values, isl_dim_param));
	is = isl_set_is_singleton(values) == isl_bool_true;
	point = isl_set_sample_point(values);
	v = isl_point_get_coordinate_val(point, isl_dim_set, 0);
	*growth = is ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	isl_point_free(point);
	return is;
}

/* False where there is no constant: rows of unknown length, or another growth
 * in another place. A swizzle has none.
 */
bool nvptx_stride_by(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim, int by,
	int64_t *stride)
{
	*stride = 0;
	if (a->swizzled)
		return false;
	for (int i = 0; i < a->n_dim; i++) {
		/* the first dimension's own extent is no row length */
		int64_t row = i ? nvptx_fixed_step(l, a, i) : 1, growth;

		if (row < 0 || !find_growth(isl_multi_pw_aff_get_at(index, i),
		    box, dim, by, &growth))
			return false;
		row += i && i == a->n_dim - 1 ? a->row_pad : 0;
		*stride = *stride * row + growth;
	}
	return true;
}

bool nvptx_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride)
{
	return nvptx_stride_by(l, a, index, box, dim, 1, stride);
}

/* Do 32 bits hold all values of the piece? An empty one has none.
 *
 * An interval by linear programming (nvptx_range_on); it may be wider than the
 * set, which only makes the answer more careful.
 */
static isl_bool piece_is_short(__isl_keep isl_set *set, __isl_keep isl_aff *aff,
	void *user)
{
	struct nvptx_range r = nvptx_range_on(set, aff);

	(void)user;
	return isl_bool_ok(r.lo > r.hi ||
		(r.lo >= INT32_MIN && r.hi <= INT32_MAX));
}

/* True if 32 bits hold all values of "pa", which are finitely many. */
static bool is_short(__isl_take isl_pw_aff *pa)
{
	bool is = isl_pw_aff_every_piece(pa, piece_is_short, NULL) ==
		isl_bool_true;

	isl_pw_aff_free(pa);
	return is;
}

/* Is each index of "index" short where it is a function of "domain"?
 *
 * Takes "domain".
 */
static bool all_short(__isl_keep isl_multi_pw_aff *index,
	__isl_take isl_set *domain)
{
	isl_size n = isl_multi_pw_aff_dim(index, isl_dim_out);
	bool is = true;

	for (int i = 0; i < n && is; i++)
		is = is_short(isl_pw_aff_intersect_domain(
			isl_multi_pw_aff_get_at(index, i),
			isl_set_copy(domain)));
	isl_set_free(domain);
	return is;
}

/* Asked for tiled kernels, whose index arithmetic is of 32 bits otherwise. In a
 * small array every index is small, so the domain is not asked.
 */
bool nvptx_index_is_long(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	const char *name = isl_multi_pw_aff_get_tuple_name(index, isl_dim_in);
	struct poly_stmt *s;

	if (!l->kernel->tiled || a->space != POLY_GLOBAL ||
	    all_short(a->extent, isl_set_copy(l->fact.places)))
		return false;
	s = name ? poly_prog_find_stmt(l->prog, name) : NULL;
	return !s || !all_short(index, isl_set_intersect_params(
		isl_set_copy(s->domain), isl_set_copy(l->fact.places)));
}

/* Of the last dimension that is the padded length. */
LLVMValueRef nvptx_row_length(struct nvptx_lower *l,
	const struct poly_array *a, int dim, LLVMTypeRef type)
{
	LLVMValueRef n;

	n = nvptx_pw_aff(l, isl_multi_pw_aff_get_at(a->extent, dim), NULL);
	if (dim == a->n_dim - 1)
		n = nvptx_add(l->ir, n, nvptx_int(l->ir, a->row_pad), "");
	return nvptx_extend(l->ir, n, type);
}

/* How many elements lie from one index of dimension "dim" of "a", which has strides, to
 * the next.
 */
static LLVMValueRef dim_stride(struct nvptx_lower *l, const struct poly_array *a,
	int dim, LLVMTypeRef type)
{
	return nvptx_extend(l->ir, nvptx_find_var(l,
		poly_array_stride(l->prog, a, dim)), type);
}

/* "sum", NULL for 0, with "index" of dimension "dim" of "a", which is not the last one:
 * all of them together give how far in front of the row its elements begin.
 *
 * ((i0 * n1 + i1) * n2 + ..), or i0 * s0 + i1 * s1 + .. with strides.
 */
static LLVMValueRef add_index(struct nvptx_lower *l, const struct poly_array *a,
	int dim, LLVMValueRef sum, LLVMValueRef index)
{
	LLVMTypeRef type = LLVMTypeOf(index);

	if (a->stride)
		index = nvptx_mul(l->ir, index, dim_stride(l, a, dim, type));
	if (sum)
		index = nvptx_add(l->ir, sum, index, "");
	return a->stride ? index : nvptx_mul(l->ir, index,
		nvptx_row_length(l, a, dim + 1, type));
}

/* Where rows have lengths that only a launch knows: the growth is stride +
 * more, with "more" computed at run time, in elements. False, too, if there is
 * no constant growth in some dimension.
 */
bool nvptx_long_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride, LLVMValueRef *more)
{
	LLVMTypeRef wide = nvptx_i64(l->ir);
	int64_t growth;

	*more = NULL;
	if (nvptx_stride(l, a, index, box, dim, stride))
		return true;
	*stride = 0;
	for (int i = 0; i < a->n_dim; i++) {
		if (!find_growth(isl_multi_pw_aff_get_at(index, i), box, dim,
			1, &growth))
			return false;
		if (i == a->n_dim - 1) {
			*stride = growth;
			continue;
		}
		*more = add_index(l, a, i, *more, LLVMConstInt(wide, growth, 1));
	}
	return *more != NULL;
}

/* Computed in double, so nothing overflows. */
bool nvptx_has_at_most(struct nvptx_lower *l, const struct poly_array *a, int64_t most)
{
	double n = 1;

	if (a->space != POLY_GLOBAL || a->stride)
		return !a->stride;
	for (int i = 0; i < a->n_dim; i++) {
		int64_t e = extent_bound(l, a, i);

		if (e < 0)
			return false;
		n *= (double) e;
	}
	return n <= (double) most;
}

/* The instruction that added the constant may become dead; LLVM removes it. */
LLVMValueRef nvptx_take_constant(LLVMValueRef v, int64_t *offset)
{
	while (LLVMIsAInstruction(v) &&
	       LLVMGetInstructionOpcode(v) == LLVMAdd &&
	       LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
		*offset += LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
		v = LLVMGetOperand(v, 0);
	}
	return v;
}

/* Number of the first element of the row of "index". */
static LLVMValueRef row_offset(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index,
	LLVMTypeRef type)
{
	LLVMValueRef at = NULL;

	for (int i = 0; i < a->n_dim - 1; i++)
		at = add_index(l, a, i, at, nvptx_extend(l->ir, index[i], type));
	return at ? at : LLVMConstNull(type);
}

/* "n", a multiple of the runs of the kernel: what LLVM makes of sums of products
 * would take more code than these, and it looks no deeper for a multiple.
 */
static LLVMValueRef whole_runs(struct nvptx_lower *l, LLVMValueRef n)
{
	/* HIDE is inline assembly that does nothing: behind it LLVM knows
	 * nothing of the value, and the "and" says that it is a multiple.
	 */
	if (LLVMTypeOf(n) != nvptx_i64(l->ir) || LLVMIsConstant(n))
		return n;
	n = nvptx_hw(l->ir, NVPTX_HW_HIDE, &n, 1, "");
	return LLVMBuildAnd(l->ir->b, n, LLVMConstInt(nvptx_i64(l->ir),
		(unsigned long long) -(int64_t) l->kernel->vec_k, 1), "");
}

/* The same where iterations of a sum are under way at one time, which differ in what
 * is constant in "index": that times how far apart they are is in "*more".
 *
 * Only updates of several cells under way at one time use it
 * (nvptx_adds_cells).
 */
static LLVMValueRef apart_rows(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, LLVMTypeRef type, LLVMValueRef *more)
{
	LLVMValueRef at = LLVMConstNull(type), step = LLVMConstInt(type, 1, 0);

	*more = at;
	for (int i = a->n_dim - 2; i >= 0; i--) {
		int64_t own = 0;
		LLVMValueRef v = nvptx_take_constant(index[i], &own);

		step = a->stride ? dim_stride(l, a, i, type) : nvptx_mul(l->ir,
			step, nvptx_row_length(l, a, i + 1, type));
		at = nvptx_add(l->ir, at, nvptx_mul(l->ir,
			nvptx_extend(l->ir, v, type), step), "");
		*more = own ? nvptx_add(l->ir, *more, nvptx_mul(l->ir,
			whole_runs(l, step), LLVMConstInt(type,
			(unsigned long long) own, 1)), "") : *more;
	}
	return whole_runs(l, at);
}

/* True if each of "index" has 32 bits: others may have no such element.
 *
 * An index of 64 bits may name no element at all, and its low half one.
 */
static bool has_short_index(struct nvptx_ir *ir, const struct poly_array *a,
	const LLVMValueRef *index)
{
	for (int i = 0; i < a->n_dim; i++)
		if (LLVMTypeOf(index[i]) != nvptx_i32(ir))
			return false;
	return true;
}

/* Take what is constant out of "index", as far as it is a number of elements,
 * which is returned. The elements of a run then have one address and offsets
 * that LLVM sees to be those of neighbours.
 *
 * A[i + 1][j + 2] of rows of 100 elements has the offset 102. It stops at the
 * first dimension whose length is not fixed.
 */
static int64_t take_offset(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef *index)
{
	int64_t size = 1, all = 0, step;

	for (int i = a->n_dim - 1; i >= 0 && size > 0; i--) {
		int64_t own = 0;

		index[i] = nvptx_take_constant(index[i], &own);
		all += own * size;
		step = i ? nvptx_fixed_step(l, a, i) : 0;
		size *= step + (step > 0 && i == a->n_dim - 1 ? a->row_pad : 0);
	}
	return all;
}

/* Do threads of the kernel run several points each, or steps in runs, at
 * elements of "a"? A script may have written out iterations in a kernel that it has
 * given: what differs in a constant alone is then seen not to be one element.
 *
 * Others have one element each, whose constant is not worth taking out.
 */
static bool has_digits(const struct poly_kernel *kernel,
	const struct poly_array *a)
{
	return kernel->given ? !a->swizzled : a->space == POLY_GLOBAL &&
		(kernel->tiled || kernel->vec_k > 1);
}

bool nvptx_is_part(const struct nvptx_lower *l, const struct poly_array *a)
{
	int k = a->space == POLY_GLOBAL ? nvptx_array_number(l->prog, a) : -1;

	return k >= 0 && l->value.is_part[k];
}

/* Elements are counted in elements, not bytes: LLVM's getelementptr scales. The
 * row and the column are added to the pointer one after the other if their sum
 * may not fit.
 */
LLVMValueRef nvptx_element_address(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, const LLVMValueRef *from)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	bool small = nvptx_has_at_most(l, a, INT32_MAX) &&
		has_short_index(l->ir, a, from);
	LLVMTypeRef wide = small ? nvptx_i32(l->ir) : nvptx_i64(l->ir);
	LLVMValueRef index[16], last, row, offset, more = NULL;
	int64_t apart = 0;

	memcpy(index, from, a->n_dim * sizeof(*index));
	if (nvptx_is_part(l, a))
		index[0] = LLVMConstNull(LLVMTypeOf(index[0]));
	if (has_digits(l->kernel, a) && !l->ir->m->opt.checked)
		apart = take_offset(l, a, index);
	last = a->n_dim ? index[a->n_dim - 1] : nvptx_int(l->ir, 0);
	row = nvptx_adds_cells(l) ? apart_rows(l, a, index, wide, &more) :
		row_offset(l, a, index, wide);
	if (small) {
		base = nvptx_element(l->ir, type, base,
			nvptx_add(l->ir, row, last, ""));
	} else {
		base = nvptx_element(l->ir, type, base, row);
		base = nvptx_element(l->ir, type, base, last);
	}
	if (more)
		base = nvptx_element(l->ir, type, base, more);
	offset = LLVMConstInt(nvptx_i64(l->ir), (unsigned long long) apart, 1);
	return nvptx_element(l->ir, type, base, offset);
}

/* Row digits first: a thread holds (tile/thread) points along each axis. Along
 * lines there is one element for all points of the axis.
 */
LLVMValueRef nvptx_register_address(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef base)
{
	unsigned along = l->fact.along[nvptx_array_number(l->prog, a)];
	int columns = l->kernel->tile[1] / l->kernel->thread[1];
	int r0 = along & POLY_AXIS_0 ? 0 : l->now.digit[0];
	int r1 = along & POLY_AXIS_1 ? 0 : l->now.digit[1];
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);

	return nvptx_element(l->ir, type, base, nvptx_int(l->ir,
		r0 * columns + r1));
}

/* What checked code finds in a register that was never written.
 *
 * A NaN, or a pattern that tests recognise: a register that is read before it
 * is written must not pass by luck.
 */
static LLVMValueRef unset(struct nvptx_ir *ir, enum poly_type t)
{
	LLVMTypeRef type = nvptx_memory_type(ir, t);

	if (nvptx_is_words(type))
		return LLVMConstAllOnes(type);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		return LLVMConstInt(type, poly_type_is_float(t) ?
			0x7fff : 0x55555555, 0);
	return LLVMConstReal(type, __builtin_nan(""));
}

/* In a kernel with lines all are begun with 0, as threads beyond a line's end
 * load nothing and their registers would be undefined.
 */
LLVMValueRef nvptx_registers(struct nvptx_lower *l,
	const struct poly_array *a)
{
	const struct poly_kernel *k = l->kernel;
	int n = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMValueRef room;

	room = LLVMBuildAlloca(l->ir->b, LLVMArrayType2(type, n), a->name);
	if (l->fact.has_lines)
		LLVMBuildStore(l->ir->b, LLVMConstNull(LLVMArrayType2(type, n)),
			room);
	for (int i = 0; l->ir->m->opt.checked && i < n; i++)
		LLVMBuildStore(l->ir->b, unset(l->ir, a->type),
			nvptx_element(l->ir, type, room, nvptx_int(l->ir, i)));
	return room;
}

bool nvptx_adds_cells(const struct nvptx_lower *l)
{
	return l->cells && l->cells->way == NVPTX_CELLS_ADD;
}
