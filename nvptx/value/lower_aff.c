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
#include "nvptx/value/value.h"

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
 * Nothing is emitted for coefficients of 0. With "apart", what is constant in the
 * dimensions is one with the constant, so that points of one thread have all else in common.
 */
static struct sum aff_terms(struct nvptx_lower *l, __isl_keep isl_aff *aff,
	const LLVMValueRef *in, bool apart)
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

			int64_t own = 0;
			LLVMValueRef v;

			if (!coef)
				continue;
			v = dim_value(l, aff, order[k], i, in);
			if (apart)
				v = nvptx_take_constant(v, &own);
			s.c += coef * own;
			add_term(l->ir, &s, coef, v);
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
	s = aff_terms(l, aff, in, false);
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
	s = aff_terms(w->l, aff, w->in, w->l->fact.has_lines);
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
