/* nvptx: affine integers as values (POLY_OP_INDEX), and what digits of layouts add up
 * to.
 *
 * An index of an array is one of its elements; the value of an affine
 * expression is not, it wraps in its type as any integer. So it is computed
 * in 64 bits without promises, which is exact modulo 2^64, and cut. Numerators
 * of floors are taken to lie below 2^63.
 *
 * aff_value is lower_aff.c's evaluation without exactness: there an index may
 * be taken not to overflow, as it names an element; here a user's i + j may
 * wrap, and must do so as LANGUAGE says.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* What the pieces of a function are evaluated with. */
struct eval {
	struct nvptx_lower *l;
	const LLVMValueRef *in;
	LLVMValueRef v;
};

static LLVMValueRef aff_value(struct eval *w, __isl_take isl_aff *aff);

/* "v", which is taken, as an i64; 0 if it is no integer. */
static LLVMValueRef constant(struct nvptx_ir *ir, __isl_take isl_val *v)
{
	int64_t n = isl_val_is_int(v) == isl_bool_true ?
		isl_val_get_num_si(v) : 0;

	isl_val_free(v);
	return LLVMConstInt(nvptx_i64(ir), (unsigned long long) n, 1);
}

/* The input, parameter or floor at "pos", as an i64. */
static LLVMValueRef dim_value(struct eval *w, __isl_keep isl_aff *aff,
	enum isl_dim_type type, int pos)
{
	LLVMTypeRef i64 = nvptx_i64(w->l->ir);

	if (type == isl_dim_in)
		return nvptx_extend(w->l->ir, w->in[pos], i64);
	if (type == isl_dim_param)
		return nvptx_extend(w->l->ir, nvptx_find_var(w->l,
			isl_aff_get_dim_name(aff, isl_dim_param, pos)), i64);
	return aff_value(w, isl_aff_get_div(aff, pos));
}

static bool is_one(LLVMValueRef constant)
{
	return LLVMConstIntGetSExtValue(constant) == 1;
}

/* floor(aff)
 *
 * Takes "aff". Terms with 0 are left out, factors of 1 not multiplied.
 */
static LLVMValueRef aff_value(struct eval *w, __isl_take isl_aff *aff)
{
	static const enum isl_dim_type order[] = {
		isl_dim_in, isl_dim_param, isl_dim_div
	};
	LLVMBuilderRef b = w->l->ir->b;
	isl_val *den = isl_aff_get_denominator_val(aff);
	int64_t d = isl_val_get_num_si(den);
	LLVMValueRef sum, term;

	aff = isl_aff_scale_val(aff, den);
	sum = constant(w->l->ir, isl_aff_get_constant_val(aff));
	for (int k = 0; k < 3; k++) {
		isl_size n = isl_aff_dim(aff, order[k]);

		for (int i = 0; i < n; i++) {
			term = constant(w->l->ir,
				isl_aff_get_coefficient_val(aff, order[k], i));
			if (LLVMIsNull(term))
				continue;
			if (is_one(term))
				term = dim_value(w, aff, order[k], i);
			else
				term = LLVMBuildMul(b, dim_value(w, aff,
					order[k], i), term, "");
			sum = LLVMIsNull(sum) ? term : LLVMBuildAdd(b, sum,
				term, "");
		}
	}
	isl_aff_free(aff);
	return nvptx_floor_div(w->l->ir, sum, d);
}

/* Choose the value of this piece where it is defined, and that of those before
 * elsewhere; the first one needs no condition.
 *
 * As the function of this name in lower_aff.c, in 64 bits.
 */
static isl_stat piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct eval *w = user;
	LLVMValueRef v = aff_value(w, aff), cond;

	if (!w->v) {
		isl_set_free(set);
		w->v = v;
		return isl_stat_ok;
	}
	cond = nvptx_condition(w->l, set, w->in);
	w->v = cond ? LLVMBuildSelect(w->l->ir->b, cond, v, w->v, "") : v;
	return isl_stat_ok;
}

/* "index" has one dimension. Cut to 32 bits, or kept, by "t". */
LLVMValueRef nvptx_index_value(struct nvptx_lower *l, enum poly_type t,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in)
{
	struct eval w = { l, in, NULL };
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, 0);
	isl_stat r;

	pa = poly_pw_aff_coalesce(pa);
	r = isl_pw_aff_foreach_piece(pa, &piece, &w);
	isl_pw_aff_free(pa);
	if (r < 0 || !w.v)
		return nvptx_fail(l->ir, nvptx_value_type(l->ir, t),
			"an index has no value");
	return LLVMBuildIntCast2(l->ir->b, w.v, nvptx_value_type(l->ir, t), 1,
		"");
}

/* ----------------------------------------------------------------- layouts */

/* (v / weight) mod radix
 *
 * A digit of a place's number, as layouts have it (polyir/place/place.h).
 */
static LLVMValueRef digit_of(struct nvptx_ir *ir, LLVMValueRef v, int weight,
	int radix)
{
	return nvptx_mod(ir, nvptx_div(ir, v, nvptx_int(ir, weight)),
		nvptx_int(ir, radix));
}

/* The coordinate along "d" that the place "v" (a thread, a register)
 * contributes. A layout's coordinate is the sum over places.
 */
LLVMValueRef nvptx_layout_offset(struct nvptx_ir *ir,
	const struct poly_layout *layout, enum poly_place place, LLVMValueRef v,
	int d)
{
	LLVMValueRef x = nvptx_int(ir, 0);

	for (int i = 0; i < layout->n_digit; i++) {
		const struct poly_digit *g = &layout->digit[i];

		if (g->place == place && g->step[d])
			x = nvptx_add(ir, x, nvptx_mul(ir, digit_of(ir, v,
				g->weight, g->radix),
				nvptx_int(ir, g->step[d])), "");
	}
	return x;
}

/* The address before the swizzle is the sum of all digits; then each bit "to"
 * is exclusive-ored with bit "from". Bits that move by one distance are moved
 * at once, by a shift and a mask.
 */
LLVMValueRef nvptx_swizzled_address(struct nvptx_ir *ir,
	const struct poly_array *a, LLVMValueRef base, const LLVMValueRef *index)
{
	struct poly_layout *layout = poly_buffer_digits(a);
	uint32_t moved[POLY_SWIZZLE_BIT] = { 0 };	/* bits, by how far they are from */
	LLVMValueRef at = nvptx_int(ir, 0), flat;

	for (int i = 0; i < layout->n_digit; i++) {
		const struct poly_digit *g = &layout->digit[i];

		for (int d = 0; d < a->n_dim; d++)
			if (g->step[d])
				at = nvptx_add(ir, at, nvptx_mul(ir,
					digit_of(ir, index[d], g->step[d],
					g->radix), nvptx_int(ir, g->weight)),
					"");
	}
	for (int to = 0; to < POLY_SWIZZLE_BIT; to++)
		for (int from = to + 1; from < POLY_SWIZZLE_BIT; from++)
			if (layout->swizzle[to] >> from & 1)
				moved[from - to] |= 1u << to;
	poly_layout_free(layout);
	flat = at;
	for (int k = 1; k < POLY_SWIZZLE_BIT; k++)
		if (moved[k])
			at = LLVMBuildXor(ir->b, at, LLVMBuildAnd(ir->b,
				LLVMBuildLShr(ir->b, flat, nvptx_int(ir, k),
				""), nvptx_int(ir, moved[k]), ""), "");
	return nvptx_element(ir, LLVMInt8TypeInContext(ir->m->ctx), base, at);
}

/* t0 * thread[1] + t1, so neighbours along axis 1 are neighbouring lanes. */
LLVMValueRef nvptx_thread_number(struct nvptx_lower *l, const char *name)
{
	LLVMValueRef row = nvptx_mul(l->ir, l->value.tid[0],
		nvptx_int(l->ir, l->kernel->thread[1]));

	return nvptx_add(l->ir, row, l->value.tid[1], name);
}

LLVMValueRef nvptx_own_place(struct nvptx_lower *l, LLVMValueRef t)
{
	return l->fact.places_apart ? nvptx_hw(l->ir, NVPTX_HW_HERE, &t, 1,
		"") : t;
}

/* The thread's place along axis "d" of its block. Of one that is computed anew behind a
 * reduction LLVM shall know as much as before, so that guards of tiles stay what they are.
 */
static LLVMValueRef own_thread(struct nvptx_lower *l, int d)
{
	LLVMValueRef t = nvptx_own_place(l, l->value.tid[d]);
	int n = l->kernel->thread[d];

	return t == l->value.tid[d] || !l->fact.has_lines || (n & (n - 1)) ? t :
		LLVMBuildAnd(l->ir->b, t, nvptx_int(l->ir, n - 1), "");
}

LLVMValueRef nvptx_thread_offset(struct nvptx_lower *l, int d, bool product)
{
	struct poly_layout layout;

	if (!l->kernel->unit)
		return nvptx_mul(l->ir, own_thread(l, d),
			nvptx_int(l->ir, l->kernel->vec[d]));
	layout = product ? poly_product_digits(l->kernel) :
		poly_kernel_digits(l->kernel);
	return nvptx_layout_offset(l->ir, &layout, POLY_PLACE_THREAD,
		nvptx_own_place(l, nvptx_thread_number(l, "")), d);
}
