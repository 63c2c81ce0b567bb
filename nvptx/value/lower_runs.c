/* nvptx: indices of arrays along runs of points. */
#include <string.h>

#include <isl/constraint.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/lower_mem.h"
#include "nvptx/value/value.h"

/* Is "pa" one function without divisions?
 *
 * Such an index costs additions alone.
 */
static bool is_straight(__isl_keep isl_pw_aff *pa)
{
	isl_aff *aff;
	bool is;

	if (isl_pw_aff_isa_aff(pa) != isl_bool_true)
		return false;
	aff = isl_pw_aff_as_aff(isl_pw_aff_copy(pa));
	is = isl_aff_involves_locals(aff) == isl_bool_false;
	isl_aff_free(aff);
	return is;
}

/* Is "v", which is taken, a multiple of "run"? */
static bool is_multiple(__isl_take isl_val *v, int run)
{
	bool is;

	v = isl_val_div_ui(v, run);
	is = isl_val_is_int(v) == isl_bool_true;
	isl_val_free(v);
	return is;
}

/* Is "v", which is taken, times "times" one?
 *
 * "times" brings it to whole numbers.
 */
static bool is_multiple_by(__isl_take isl_val *v, __isl_keep isl_val *times,
	int run)
{
	return is_multiple(isl_val_mul(v, isl_val_copy(times)), run);
}

/* Is coordinate 1 in "div", by itself, and all else there a multiple of "run"?
 *
 * floor((p1 + 8*x) / 8): within a run of 8 from a multiple of 8 on it has one
 * value.
 */
static bool moves_by_runs(__isl_keep isl_aff *div, int run)
{
	isl_val *m = isl_aff_get_denominator_val(div);
	isl_val *one = isl_val_mul(isl_aff_get_coefficient_val(div, isl_dim_in,
		1), isl_val_copy(m));
	bool moves = isl_val_is_one(one) == isl_bool_true &&
		isl_aff_involves_dims(div, isl_dim_param, 0,
			isl_aff_dim(div, isl_dim_param)) == isl_bool_false &&
		is_multiple(isl_val_copy(m), run) &&
		is_multiple_by(isl_aff_get_constant_val(div), m, run);

	for (int i = 0; i < isl_aff_dim(div, isl_dim_in); i++)
		moves &= i == 1 || is_multiple_by(isl_aff_get_coefficient_val(
			div, isl_dim_in, i), m, run);
	for (int i = 0; i < isl_aff_dim(div, isl_dim_div); i++) {
		isl_val *v = isl_aff_get_coefficient_val(div, isl_dim_div, i);

		moves &= isl_val_is_zero(v) == isl_bool_true;
		isl_val_free(v);
	}
	isl_val_free(one);
	isl_val_free(m);
	return moves;
}

/* Takes "div". A floor that is the same in a run is computed once for it. */
bool nvptx_same_along_run(const struct poly_kernel *kernel,
	__isl_take isl_aff *div)
{
	bool same = isl_aff_involves_dims(div, isl_dim_in, 1, 1) ==
		isl_bool_false || moves_by_runs(div, kernel->vec[1]);

	isl_aff_free(div);
	return same;
}

/* Is all of "aff" but coordinate 1, which it has as it is and divides nowhere, and a
 * constant, a multiple of the run of the kernel? So it is with rows that are shifted
 * (polyir/rows/shape.c).
 *
 * Then the element's number is a multiple of the run plus p1, and LLVM can be
 * shown so.
 */
static bool moves_in_runs(const struct poly_kernel *kernel,
	__isl_keep isl_aff *aff)
{
	static const enum isl_dim_type part[] = {
		isl_dim_param, isl_dim_in, isl_dim_div
	};
	int run = kernel->vec[1];
	isl_val *one;
	bool is;

	if (run == 1 || isl_aff_dim(aff, isl_dim_in) < 2)
		return false;
	one = isl_aff_get_coefficient_val(aff, isl_dim_in, 1);
	is = isl_val_is_one(one) == isl_bool_true;
	isl_val_free(one);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < isl_aff_dim(aff, part[k]); i++)
			is &= (part[k] == isl_dim_in && i == 1) || is_multiple(
				isl_aff_get_coefficient_val(aff, part[k], i),
				run);
	for (int i = 0; i < isl_aff_dim(aff, isl_dim_div) && is; i++) {
		isl_aff *div = isl_aff_get_div(aff, i);

		is = isl_aff_involves_dims(div, isl_dim_in, 1, 1) ==
			isl_bool_false;
		isl_aff_free(div);
	}
	return is;
}

/* Is "pa", which is taken, better computed at once than from its dimensions?
 *
 * NULL if it is no single function. Owned by the caller.
 */
static __isl_give isl_aff *number_of(const struct poly_kernel *kernel,
	__isl_take isl_pw_aff *pa)
{
	isl_aff *aff;

	if (isl_pw_aff_isa_aff(pa) != isl_bool_true) {
		isl_pw_aff_free(pa);
		return NULL;
	}
	aff = isl_pw_aff_as_aff(pa);
	if (isl_aff_involves_locals(aff) == isl_bool_false ||
	    moves_in_runs(kernel, aff))
		return aff;
	return isl_aff_free(aff);
}

__isl_give isl_pw_aff *nvptx_element_number(struct nvptx_lower *l,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index,
	bool *divides)
{
	int first = nvptx_is_part(l, a);
	isl_pw_aff *all = NULL;
	int64_t size = 1;

	*divides = false;
	for (int i = a->n_dim - 1; i >= first && size > 0; i--) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		*divides |= !is_straight(pa);
		pa = isl_pw_aff_scale_val(pa, isl_val_int_from_si(
			isl_pw_aff_get_ctx(pa), size));
		all = all ? isl_pw_aff_add(all, pa) : pa;
		size = i ? size * nvptx_fixed_step(l, a, i) : size;
	}
	return size > 0 ? all : isl_pw_aff_free(all);
}

/* The number of the element of "a" at "index", whose statement stands at the points
 * "l->now.at", as a function of these, if that takes no divisions though some index does,
 * as rows of several dimensions that lie side by side; or if LLVM sees by it where a
 * run begins. Else NULL.
 *
 * An example: X[i][j] of fixed 100 x 7 read at [p / 7, p mod 7] is element p:
 * no division. The extents but the first must be fixed. In checked code each
 * index is asked by itself.
 */
static __isl_give isl_aff *straight(struct nvptx_lower *l,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index)
{
	isl_multi_pw_aff *at;
	isl_pw_aff *all;
	bool divides;

	if (!l->now.at || l->ir->m->opt.checked || a->space != POLY_GLOBAL ||
	    isl_multi_aff_involves_locals(l->now.at) != isl_bool_true)
		return NULL;
	at = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), isl_multi_aff_copy(l->now.at));
	all = nvptx_element_number(l, a, at, &divides);
	isl_multi_pw_aff_free(at);
	if (divides && all)
		return number_of(l->kernel, all);
	isl_pw_aff_free(all);
	return NULL;
}

/* Coordinate "i" of the point, the first of its run, which is "*own" behind that.
 *
 * The digit of a register is a constant, so the first element of the run is the
 * same value for all of them.
 */
static LLVMValueRef run_start(struct nvptx_lower *l, int i, int64_t *own)
{
	int v = i == 1 ? l->now.digit[1] % l->kernel->vec[1] : 0;
	int64_t more = 0;
	LLVMValueRef first;

	*own = v;
	if (!v)
		return l->now.point[i];
	first = nvptx_take_constant(l->now.point[i], &more);
	return nvptx_add(l->ir, first, nvptx_int(l->ir, more - v), "");
}

/* "v", a multiple of the run of the kernel, as nvptx_load and nvptx_store see.
 *
 * The "and" changes nothing; it is how LLVM learns that the low bits are 0.
 */
static LLVMValueRef as_run(struct nvptx_lower *l, LLVMValueRef v)
{
	return LLVMBuildAnd(l->ir->b, v, LLVMConstInt(LLVMTypeOf(v),
		(unsigned long long)-(int64_t)l->kernel->vec[1], 1), "");
}

/* Let "out" be the element number "aff", which is taken, of "a": what is constant
 * comes last, for nvptx_address to see; of what divides, what is constant in a run.
 *
 * Indices but the last are 0: the last one is the number of the element.
 */
static void straight_index(struct nvptx_lower *l, const struct poly_array *a,
	__isl_take isl_aff *aff, LLVMValueRef *out)
{
	bool divides = isl_aff_involves_locals(aff) == isl_bool_true, whole;
	LLVMValueRef p[16];
	int64_t more = 0;
	int n = isl_aff_dim(aff, isl_dim_in);

	for (int i = 0; i < n; i++) {
		isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, i);
		int64_t own = 0;

		p[i] = divides ? run_start(l, i, &own) :
			nvptx_take_constant(l->now.point[i], &own);
		more += own * isl_val_get_num_si(v);
		isl_val_free(v);
	}
	/* number below 2^31: 32 bits, as the tile's code has them */
	l->ir->narrow = l->fact.narrow && nvptx_has_at_most(l, a, INT32_MAX);
	whole = divides && is_multiple(isl_aff_get_constant_val(aff),
		l->kernel->vec[1]);
	out[a->n_dim - 1] = nvptx_pw_aff(l, isl_pw_aff_from_aff(aff), p);
	if (whole)
		out[a->n_dim - 1] = as_run(l, out[a->n_dim - 1]);
	l->ir->narrow = l->fact.narrow;
	if (more)
		out[a->n_dim - 1] = nvptx_add(l->ir, out[a->n_dim - 1],
			LLVMConstInt(LLVMTypeOf(out[a->n_dim - 1]),
				(unsigned long long) more, 1), "");
	for (int i = 0; i < a->n_dim - 1; i++)
		out[i] = nvptx_int(l->ir, 0);
}

/* "out" has room for as many as "a" has dimensions. */
void nvptx_index(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in,
	LLVMValueRef *out)
{
	isl_size n = isl_multi_pw_aff_dim(index, isl_dim_out);
	isl_aff *number = straight(l, a, index);

	if (number) {
		straight_index(l, a, number, out);
		return;
	}
	l->ir->narrow = l->fact.narrow && !nvptx_index_is_long(l, a, index);
	for (int i = 0; i < n; i++)
		out[i] = nvptx_pw_aff(l, isl_multi_pw_aff_get_at(index, i), in);
	l->ir->narrow = l->fact.narrow;
}
