/* nvptx: affine functions and sets of isl, evaluated on LLVM values; the values that
 * names stand for.
 *
 * A quasi-affine expression is a sum of terms; it is emitted as
 *
 *	(variables + parameters + floors) - negative terms + constant
 *
 * with the constant last, so that expressions which differ in a constant (the
 * digits of a register tile) share everything else. Arguments that are LLVM
 * constants join the constant. A constraint becomes one comparison of its
 * positive with its negative terms: "M - 1 - i >= 0" is "i < M".
 *
 * isl's div is a floor, of which the numerator is an aff itself; so the
 * evaluation is recursive. What LLVM is told about values (that they do not
 * wrap, that they are in 32 bits) is proved by ranges (nvptx/llvm/range.c), not
 * assumed.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Names nest: a loop's iterator hides one of the same name outside of it, until
 * nvptx_unbind.
 */
void nvptx_bind(struct nvptx_lower *l, const char *name, LLVMValueRef value)
{
	struct nvptx_var *var = l->name.var;

	if (l->name.n == l->name.cap) {
		int cap = l->name.cap ? 2 * l->name.cap : 32;

		var = realloc(l->name.var, cap * sizeof(*var));
		if (!var) {
			nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
			return;
		}
		l->name.var = var;
		l->name.cap = cap;
	}
	var[l->name.n].name = strdup(name);
	var[l->name.n++].value = value;
}

/* Back to "n_var" names, as a block of C leaves its scope. */
void nvptx_unbind(struct nvptx_names *names, int n_var)
{
	while (names->n > n_var)
		free(names->var[--names->n].name);
}

/* The innermost variable of that name, or -1. */
static int find_var(const struct nvptx_names *names, const char *name)
{
	int i = names->n - 1;

	while (i >= 0 && !(name && names->var[i].name &&
	       !strcmp(names->var[i].name, name)))
		i--;
	return i;
}

bool nvptx_has_var(const struct nvptx_names *names, const char *name)
{
	return find_var(names, name) >= 0;
}

LLVMValueRef nvptx_find_var(struct nvptx_lower *l, const char *name)
{
	int i = find_var(&l->name, name);

	return i >= 0 ? l->name.var[i].value : nvptx_fail(l->ir,
		nvptx_i32(l->ir), "a name of the AST has no value");
}

/* A sum that is being built: plus - minus + c.
 *
 * Both may be NULL, for nothing.
 */
struct sum {
	LLVMValueRef plus, minus;
	int64_t c;
};

static LLVMValueRef aff_floor(struct nvptx_lower *l, __isl_take isl_aff *aff,
	const LLVMValueRef *in);

/* "v", which is taken, as a number of 64 bits; it fails for all others.
 *
 * Chunks of 7 bytes: numbers of more than 56 bits are refused, so that sums of
 * a few of them fit.
 */
static int64_t val_int(struct nvptx_ir *ir, __isl_take isl_val *v)
{
	int64_t n = 0;

	if (isl_val_is_int(v) != isl_bool_true)
		nvptx_fail(ir, nvptx_i32(ir),
			"a coefficient is not an integer");
	else if (isl_val_n_abs_num_chunks(v, 7) > 1)
		nvptx_fail(ir, nvptx_i32(ir), "a coefficient is too large");
	else
		n = isl_val_get_num_si(v);
	isl_val_free(v);
	return n;
}

static LLVMValueRef join(struct nvptx_ir *ir, LLVMValueRef sum,
	LLVMValueRef term)
{
	return sum ? nvptx_exact(ir, NVPTX_EXACT_ADD, sum, term) : term;
}

/* Add "coef" times "v" to "s". Terms with negative coefficients are summed apart, so
 * that all that is added has one sign.
 */
static void add_term(struct nvptx_ir *ir, struct sum *s, int64_t coef,
	LLVMValueRef v)
{
	int64_t constant;

	if (LLVMIsAConstantInt(v)) {
		if (__builtin_mul_overflow(coef, LLVMConstIntGetSExtValue(v),
		    &constant) ||
		    __builtin_add_overflow(s->c, constant, &s->c))
			nvptx_fail(ir, nvptx_i32(ir),
				"a constant is too large");
		return;
	}
	v = nvptx_exact(ir, NVPTX_EXACT_MUL, v,
		nvptx_exact_int(ir, coef < 0 ? -coef : coef));
	if (coef < 0)
		s->minus = join(ir, s->minus, v);
	else
		s->plus = join(ir, s->plus, v);
}

/* The value of a variable of "aff": one of "in", what a name stands for, or a
 * floor.
 *
 * "in" has a value for each input dimension.
 */
static LLVMValueRef dim_value(struct nvptx_lower *l, __isl_keep isl_aff *aff,
	enum isl_dim_type type, int pos, const LLVMValueRef *in)
{
	if (type == isl_dim_in)
		return in[pos];
	if (type == isl_dim_param)
		return nvptx_find_var(l,
			isl_aff_get_dim_name(aff, isl_dim_param, pos));
	return aff_floor(l, isl_aff_get_div(aff, pos), in);
}

/* The terms of "aff", which has integer coefficients.
 *
 * Nothing is emitted for coefficients of 0.
 */
static struct sum aff_terms(struct nvptx_lower *l, __isl_keep isl_aff *aff,
	const LLVMValueRef *in)
{
	static const enum isl_dim_type order[] = {
		isl_dim_in, isl_dim_param, isl_dim_div
	};
	struct sum s = { NULL, NULL, 0 };

	s.c = val_int(l->ir, isl_aff_get_constant_val(aff));
	for (int k = 0; k < 3; k++) {
		isl_size n = isl_aff_dim(aff, order[k]);

		for (int i = 0; i < n; i++) {
			int64_t coef = val_int(l->ir,
				isl_aff_get_coefficient_val(aff, order[k], i));

			if (coef)
				add_term(l->ir, &s, coef,
					dim_value(l, aff, order[k], i, in));
		}
	}
	return s;
}

/* The value of "s", with its constant last.
 *
 * A sum with only negative terms is c - minus.
 */
static LLVMValueRef sum_value(struct nvptx_ir *ir, const struct sum *s)
{
	LLVMValueRef v = s->plus;

	LLVMValueRef c = nvptx_exact_int(ir, s->c);

	if (!v && !s->minus)
		return c;
	if (!v)
		return nvptx_exact(ir, NVPTX_EXACT_SUB, c, s->minus);
	if (s->minus)
		v = nvptx_exact(ir, NVPTX_EXACT_SUB, v, s->minus);
	return nvptx_exact(ir, NVPTX_EXACT_ADD, v, c);
}

/* floor(s / d) in a kernel of a script, as the same of its parts; NULL if it has too many,
 * or that is not known. Iterations that a script has written out then have in common what
 * does not differ by a constant.
 */
static LLVMValueRef parts_floor(struct nvptx_lower *l, const struct sum *s,
	int64_t d)
{
	struct nvptx_terms t = { .c = s->c };

	if (!l->kernel || !l->kernel->given)
		return NULL;
	if (s->plus)
		nvptx_take_apart(&t, s->plus, 1);
	if (s->minus)
		nvptx_take_apart(&t, s->minus, -1);
	nvptx_join_remainders(l->ir, &t);
	return d == 1 ? nvptx_terms_value(l->ir, &t) :
		nvptx_terms_floor(l->ir, &t, d);
}

/* floor(aff)
 *
 * Integer and exact: nvptx_exact chooses the width in which nothing overflows.
 */
static LLVMValueRef aff_floor(struct nvptx_lower *l, __isl_take isl_aff *aff,
	const LLVMValueRef *in)
{
	isl_val *den = isl_aff_get_denominator_val(aff);
	int64_t d = den ? val_int(l->ir, isl_val_copy(den)) : 1;
	struct sum s;
	LLVMValueRef v;

	if (!aff || isl_aff_is_nan(aff) == isl_bool_true) {
		isl_val_free(den);
		isl_aff_free(aff);
		return nvptx_fail(l->ir, nvptx_i32(l->ir),
			"an index has no value");
	}
	aff = isl_aff_scale_val(aff, den);
	s = aff_terms(l, aff, in);
	isl_aff_free(aff);
	v = parts_floor(l, &s, d);
	if (v)
		return v;
	v = sum_value(l->ir, &s);
	if (LLVMIsAConstantInt(v) && d > 1) {
		int64_t n = LLVMConstIntGetSExtValue(v);

		return nvptx_exact_int(l->ir, n / d - (n % d < 0));
	}
	return d == 1 ? v : nvptx_exact(l->ir, NVPTX_EXACT_FLOOR, v,
		nvptx_exact_int(l->ir, d));
}

/* The comparison that "s" is >= 0, or == 0; NULL if it is always true.
 *
 * The constant goes to the side on which it is positive. "a - b - 1 >= 0" is "b
 * < a", so that no 1 is added for a strict comparison.
 */
static LLVMValueRef sum_compare(struct nvptx_ir *ir, const struct sum *s,
	bool equal)
{
	LLVMValueRef zero = nvptx_int(ir, 0);
	LLVMValueRef plus = s->plus ? s->plus : zero;
	LLVMValueRef minus = s->minus ? s->minus : zero;

	if (!s->plus && !s->minus)
		return (equal ? s->c == 0 : s->c >= 0) ? NULL :
			LLVMConstInt(LLVMInt1TypeInContext(ir->m->ctx), 0, 0);
	if (s->c > 0)
		plus = join(ir, plus, nvptx_exact_int(ir, s->c));
	if (equal) {
		if (s->c < 0)
			minus = join(ir, minus, nvptx_exact_int(ir, -s->c));
		return nvptx_exact_compare(ir, LLVMIntEQ, plus, minus);
	}
	if (s->c >= 0)
		return nvptx_exact_compare(ir, LLVMIntSLE, minus, plus);
	minus = join(ir, minus, nvptx_exact_int(ir, -s->c - 1));
	return nvptx_exact_compare(ir, LLVMIntSLT, minus, plus);
}

/* Conjunction, respectively disjunction, where NULL is "true".
 *
 * No instruction for what is always true.
 */
static LLVMValueRef both(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	if (!a || !b)
		return a ? a : b;
	return LLVMBuildAnd(ir->b, a, b, "");
}

/* The walk over the pieces of a set or function at the point "in"; "v" is the
 * value of those so far, and "always" says that a condition always holds.
 */
struct walk {
	struct nvptx_lower *l;
	const LLVMValueRef *in;
	LLVMValueRef v;
	bool first, always;
};

/* Require "c", which is taken, besides what the walk has required before.
 *
 * Constraints of one basic set are all required.
 */
static isl_stat constraint(__isl_take isl_constraint *c, void *user)
{
	struct walk *w = user;
	bool equal = isl_constraint_is_equality(c) == isl_bool_true;
	isl_aff *aff = isl_constraint_get_aff(c);
	struct sum s;

	isl_constraint_free(c);
	if (!aff)
		return isl_stat_error;
	aff = isl_aff_scale_val(aff, isl_aff_get_denominator_val(aff));
	s = aff_terms(w->l, aff, w->in);
	isl_aff_free(aff);
	w->v = both(w->l->ir, w->v, sum_compare(w->l->ir, &s, equal));
	return isl_stat_ok;
}

/* Whether the point is in "bset" or in what the walk "user" has seen before.
 *
 * A basic set without constraints is everything; the walk then needs no
 * comparison at all.
 */
static isl_stat disjunct(__isl_take isl_basic_set *bset, void *user)
{
	struct walk *w = user;
	struct walk inner = { w->l, w->in, NULL, true, false };
	isl_stat r = isl_basic_set_foreach_constraint(bset, &constraint,
		&inner);

	isl_basic_set_free(bset);
	if (r < 0)
		return r;
	if (!inner.v)
		w->always = true;
	else if (w->first)
		w->v = inner.v;
	else
		w->v = LLVMBuildOr(w->l->ir->b, w->v, inner.v, "");
	w->first = false;
	return isl_stat_ok;
}

/* NULL if the condition always holds; so callers leave out a branch. Takes
 * "set".
 */
LLVMValueRef nvptx_condition(struct nvptx_lower *l, __isl_take isl_set *set,
	const LLVMValueRef *in)
{
	LLVMTypeRef i1 = LLVMInt1TypeInContext(l->ir->m->ctx);
	struct walk w = { l, in, LLVMConstNull(i1), true, false };
	isl_stat r;

	set = isl_set_compute_divs(poly_set_coalesce(set));
	r = isl_set_foreach_basic_set(set, &disjunct, &w);
	isl_set_free(set);
	if (r < 0)
		return nvptx_fail(l->ir, i1, "a condition has no affine form");
	return w.always ? NULL : w.v;
}

/* Choose the value of this piece where it is defined, and that of those before
 * elsewhere; the first one needs no condition.
 *
 * The order of pieces does not matter, as domains have nothing in common.
 */
static isl_stat piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct walk *w = user;
	LLVMValueRef v = aff_floor(w->l, aff, w->in);
	LLVMValueRef cond;

	if (w->first) {
		isl_set_free(set);
		w->v = v;
	} else {
		cond = nvptx_condition(w->l, set, w->in);
		w->v = cond ? nvptx_exact_select(w->l->ir, cond, v, w->v) : v;
	}
	w->first = false;
	return isl_stat_ok;
}

/* The pieces' domains are disjoint, so that one of them needs no test; a
 * single piece is evaluated wherever "in" lies.
 *
 * Takes "pa". What "in" is must lie in the domain, as nothing is defined
 * elsewhere.
 */
LLVMValueRef nvptx_pw_aff(struct nvptx_lower *l, __isl_take isl_pw_aff *pa,
	const LLVMValueRef *in)
{
	struct walk w = { l, in, NULL, true, false };
	isl_stat r;

	pa = poly_pw_aff_coalesce(pa);
	r = isl_pw_aff_foreach_piece(pa, &piece, &w);
	isl_pw_aff_free(pa);
	if (r < 0 || !w.v)
		return nvptx_fail(l->ir, nvptx_i32(l->ir),
			"an index has no value");
	return w.v;
}

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
	isl_pw_aff *all = NULL;
	int64_t size = 1;
	bool divides = false;

	if (!l->now.at || l->ir->m->opt.checked || a->space != POLY_GLOBAL ||
	    isl_multi_aff_involves_locals(l->now.at) != isl_bool_true)
		return NULL;
	at = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), isl_multi_aff_copy(l->now.at));
	for (int i = a->n_dim - 1; i >= 0 && size > 0; i--) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(at, i);

		divides |= !is_straight(pa);
		pa = isl_pw_aff_scale_val(pa, isl_val_int_from_si(
			isl_pw_aff_get_ctx(pa), size));
		all = all ? isl_pw_aff_add(all, pa) : pa;
		size = i ? size * nvptx_fixed_step(l, a, i) : size;
	}
	isl_multi_pw_aff_free(at);
	if (divides && size > 0)
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
	l->ir->narrow = l->kernel->tiled && poly_array_count(l->prog,
		a) <= INT32_MAX;
	whole = divides && is_multiple(isl_aff_get_constant_val(aff),
		l->kernel->vec[1]);
	out[a->n_dim - 1] = nvptx_pw_aff(l, isl_pw_aff_from_aff(aff), p);
	if (whole)
		out[a->n_dim - 1] = as_run(l, out[a->n_dim - 1]);
	l->ir->narrow = l->kernel->tiled;
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
	l->ir->narrow = l->kernel->tiled && !nvptx_index_is_long(l, a, index);
	for (int i = 0; i < n; i++)
		out[i] = nvptx_pw_aff(l, isl_multi_pw_aff_get_at(index, i), in);
	l->ir->narrow = l->kernel->tiled;
}

/* For functions of which no piece or range is of interest: the instances of
 * members.
 */
void nvptx_multi_aff(struct nvptx_lower *l, __isl_keep isl_multi_aff *ma,
	const LLVMValueRef *in, LLVMValueRef *out)
{
	isl_size n = isl_multi_aff_dim(ma, isl_dim_out);

	for (int i = 0; i < n; i++)
		out[i] = aff_floor(l, isl_multi_aff_get_at(ma, i), in);
}
