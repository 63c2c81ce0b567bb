/* nvptx: the address of an element as a sum of what each axis of a tile tells.
 *
 * A copy that makes a matrix of windows over an image reads, at r along the axis of the
 * sum and c along that of the pixels,
 *
 *	X[r / 9][c / 56 + r / 3 mod 3][c mod 56 + r mod 3]
 *
 * which is, in an image of 58 x 58, the element
 *
 *	c + 2 (c / 56)		+	r + 55 (r / 3) + 3190 (r / 9)
 *
 * of which a thread that copies R x C elements needs each side R or C times, not R C times.
 * LLVM sees sums of both axes, of which products are taken, and does not find that.
 *
 * The straight line strength reduction of the NVPTX back end (LLVM 22) compares all addresses
 * of an array in pairs, as far as it sees into them: it is shown two numbers for each.
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/value/lower_mem.h"
#include "nvptx/value/value.h"

/* Elements of an array whose numbers, and sums that are no larger but for a constant below
 * it, have 32 bits.
 */
enum { FEW = 1 << 30 };

/* Is "v", which is taken, 0 or more? */
static bool is_none_or_more(__isl_take isl_val *v)
{
	bool is = isl_val_is_nonneg(v) == isl_bool_true;

	isl_val_free(v);
	return is;
}

/* Are all terms of "aff" but the constant, which is no large one, added? Then no part of
 * the sum is larger than all of it.
 */
static bool only_adds(__isl_keep isl_aff *aff)
{
	static const enum isl_dim_type type[] = {
		isl_dim_param, isl_dim_in, isl_dim_div
	};
	isl_val *c = isl_val_abs(isl_aff_get_constant_val(aff));
	bool adds = isl_val_cmp_si(c, FEW) < 0;

	isl_val_free(c);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < isl_aff_dim(aff, type[k]); i++)
			adds &= is_none_or_more(isl_aff_get_coefficient_val(aff,
				type[k], i));
	return adds;
}

/* Is input "d" in the floor "i" of "aff"? */
static bool floor_has(__isl_keep isl_aff *aff, int i, int d)
{
	isl_aff *div = isl_aff_get_div(aff, i);
	bool has = isl_aff_involves_dims(div, isl_dim_in, d, 1) != isl_bool_false;

	isl_aff_free(div);
	return has;
}

/* Take the terms with input "d" out of "*aff" and return them; NULL if the input before it
 * is in one of these, too.
 */
static __isl_give isl_aff *take_terms(__isl_keep isl_aff **aff, int d)
{
	isl_aff *all = isl_aff_copy(*aff), *sum = isl_aff_scale_val(
		isl_aff_var_on_domain(isl_aff_get_domain_local_space(all),
			isl_dim_set, d),
		isl_aff_get_coefficient_val(all, isl_dim_in, d));

	*aff = isl_aff_set_coefficient_si(*aff, isl_dim_in, d, 0);
	for (int i = 0; sum && i < isl_aff_dim(all, isl_dim_div); i++) {
		isl_val *times = isl_aff_get_coefficient_val(all, isl_dim_div, i);

		if (isl_val_is_zero(times) == isl_bool_true || !floor_has(all, i, d)) {
			isl_val_free(times);
			continue;
		}
		if (floor_has(all, i, d - 1))
			sum = isl_aff_free(sum);
		else
			sum = isl_aff_add(sum, isl_aff_scale_val(isl_aff_floor(
				isl_aff_get_div(all, i)), isl_val_copy(times)));
		*aff = isl_aff_set_coefficient_si(*aff, isl_dim_div, i, 0);
		isl_val_free(times);
	}
	isl_aff_free(all);
	return sum;
}

/* The number of the element of "a" at "index", if it is one function of 32 bits, though
 * "index" has floors; else NULL.
 */
static __isl_give isl_aff *small_number(struct nvptx_lower *l,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index)
{
	isl_pw_aff *all;
	isl_aff *aff = NULL;
	bool divides;

	if (l->kernel->near || l->ir->m->opt.checked || a->stride || a->space != POLY_GLOBAL ||
	    !nvptx_has_at_most(l, a, FEW))
		return NULL;
	all = nvptx_element_number(l, a, index, &divides);
	if (all && divides && isl_pw_aff_isa_aff(all) == isl_bool_true)
		aff = isl_pw_aff_as_aff(isl_pw_aff_copy(all));
	isl_pw_aff_free(all);
	return aff && only_adds(aff) ? aff : isl_aff_free(aff);
}

/* "base" and "aff", which is taken, elements more: what is constant comes last. Of the
 * inputs outside of floors constants are taken out. What divides is hidden from LLVM with
 * "hide".
 */
static LLVMValueRef go_on(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, __isl_take isl_aff *aff, const LLVMValueRef *in,
	bool hide)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	bool divides = isl_aff_involves_locals(aff) == isl_bool_true;
	int n = isl_aff_dim(aff, isl_dim_in);
	LLVMValueRef x[16], at;
	int64_t more = 0;

	for (int i = 0; i < n; i++) {
		isl_val *times = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
		int64_t own = 0;

		x[i] = divides ? in[i] : nvptx_take_constant(in[i], &own);
		more += own * isl_val_get_num_si(times);
		isl_val_free(times);
	}
	at = nvptx_take_constant(nvptx_pw_aff(l, isl_pw_aff_from_aff(aff), x), &more);
	if (divides && hide) {
		at = nvptx_extend(l->ir, at, nvptx_i64(l->ir));
		if (!LLVMIsConstant(at))
			at = nvptx_hw(l->ir, NVPTX_HW_HIDE, &at, 1, "");
	}
	base = nvptx_element(l->ir, type, base, at);
	return nvptx_element(l->ir, type, base, LLVMConstInt(nvptx_i64(l->ir),
		(unsigned long long) more, 1));
}

LLVMValueRef nvptx_axes_address(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in)
{
	int k = nvptx_array_number(l->prog, a);
	int d = isl_multi_pw_aff_dim(index, isl_dim_in) - 1;
	LLVMValueRef base = k < 0 || d < 1 || l->now.at ? NULL : l->value.base[k];
	isl_aff *number = base ? small_number(l, a, index) : NULL, *last;

	if (!number)
		return NULL;
	if (isl_aff_involves_locals(number) != isl_bool_true)
		return go_on(l, a, base, number, in, false);
	last = take_terms(&number, d);
	if (!last) {
		isl_aff_free(number);
		return NULL;
	}
	return go_on(l, a, go_on(l, a, base, last, in, false), number, in, true);
}
