/* nvptx: functions of the sizes as formulas of the launch plan.
 *
 * "floor((M + 31)/32)" becomes CONST 31, SIZE 0, ADD, CONST 32, DIV; a function
 * of several pieces chooses among them by their conditions.
 *
 * Values are 64-bit integers on a stack; cetane_rt_formula_is_valid checks each
 * formula before it gets into a plan, so that evaluation needs no checks.
 * Division is floor division by a positive constant.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/value/value.h"

static void add_floor(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_take isl_aff *aff);

/* Without memory "failed" is set, and the end of the formula reports it. */
void nvptx_push(struct nvptx_postfix *c, enum cetane_rt_code code,
	int64_t value)
{
	struct cetane_rt_op *op = c->f.op;

	if (c->f.n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 16;
		op = realloc(op, c->cap * sizeof(*op));
	}
	if (!op) {
		c->cap = c->f.n;
		c->failed = true;
		return;
	}
	c->f.op = op;
	op[c->f.n++] = (struct cetane_rt_op) { code, value };
}

/* Push how many points along its axis the first of two programs has, which "p"
 * counts: all, unless the version's cost says otherwise.
 *
 * POLY_FIRST_d is how many points the first of two programs has; the program
 * "behind" has none before, so 0.
 */
static void push_first(struct nvptx_lower *l, struct nvptx_postfix *c,
	const struct poly_param *p)
{
	if (l->version.rest && l->version.rest->axis == (int)(p->hidden -
	    POLY_FIRST_0))
		nvptx_push_first(l, c);
	else if (p->behind)
		nvptx_push(c, CETANE_RT_CONST, 0);
	else
		nvptx_push(c, CETANE_RT_SIZE, p->of);
}

/* A hidden size is what the version makes of it: a number, or a share of the
 * size that it belongs to.
 */
void nvptx_push_size(struct nvptx_lower *l, struct nvptx_postfix *c, int k)
{
	const struct poly_param *p = &l->prog->param[k];

	if (p->hidden == POLY_KNOWN) {
		nvptx_push(c, CETANE_RT_SIZE, k);
	} else if (p->hidden >= POLY_FIRST_0) {
		push_first(l, c, p);
	} else if ((p->hidden == POLY_STEPS) == l->version.division.by_steps) {
		nvptx_push(c, CETANE_RT_CONST, l->version.division.n);
	} else {
		nvptx_push(c, CETANE_RT_SIZE, p->of);
		nvptx_push(c, CETANE_RT_CONST, l->version.division.n);
		nvptx_push(c, CETANE_RT_DIV, 0);
	}
}

/* Takes what "c" has, in any case. False, reported, if it is no formula. */
bool nvptx_postfix_end(struct nvptx_lower *l, struct nvptx_postfix *c,
	struct cetane_rt_formula *f)
{
	*f = c->f;
	if (!c->failed && !l->ir->failed && cetane_rt_formula_is_valid(f,
	    l->prog->n_param, CETANE_RT_MAX_ITER))
		return true;
	cetane_rt_formula_clear(f);
	nvptx_fail(l->ir, nvptx_i32(l->ir), "a size has no formula");
	return false;
}

/* "v", which is taken, as a number; it fails for one that is not whole.
 *
 * isl's coefficients are rational until an aff has been scaled.
 */
static int64_t val_int(struct nvptx_postfix *c, __isl_take isl_val *v)
{
	int64_t n = 0;

	if (isl_val_is_int(v) == isl_bool_true)
		n = isl_val_get_num_si(v);
	else
		c->failed = true;
	isl_val_free(v);
	return n;
}

/* Push the size, or the iterator of the launch, called "name".
 *
 * h0 to h7, the launch's own iterators; what else is a name is a mistake.
 */
static void add_name(struct nvptx_lower *l, struct nvptx_postfix *c,
	const char *name)
{
	int k = nvptx_param_number(l->prog, name);

	if (k >= 0)
		nvptx_push_size(l, c, k);
	else if (name && name[0] == 'h' && name[1] >= '0' && name[1] <= '7')
		nvptx_push(c, CETANE_RT_ITER, name[1] - '0');
	else
		c->failed = true;
}

/* Push the variable "i" of "aff".
 *
 * Formulas have no inputs: sizes and floors alone.
 */
static void add_variable(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_keep isl_aff *aff, enum isl_dim_type type, int i)
{
	if (type == isl_dim_param)
		add_name(l, c, isl_aff_get_dim_name(aff, type, i));
	else
		add_floor(l, c, isl_aff_get_div(aff, i));
}

/* Add the terms of "aff" with variables of "type", which have integer
 * coefficients; "*first" tells whether nothing has been pushed yet.
 *
 * a - 2*b is pushed as a, 2, b, MUL, SUB: a negative coefficient costs no
 * operation more unless it comes first.
 */
static void add_terms(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_keep isl_aff *aff, enum isl_dim_type type, bool *first)
{
	isl_size n = isl_aff_dim(aff, type);

	for (int i = 0; i < n; i++) {
		int64_t coef = val_int(c,
			isl_aff_get_coefficient_val(aff, type, i));
		int64_t size = coef < 0 && !*first ? -coef : coef;

		if (!coef)
			continue;
		if (size != 1)
			nvptx_push(c, CETANE_RT_CONST, size);
		add_variable(l, c, aff, type, i);
		if (size != 1)
			nvptx_push(c, CETANE_RT_MUL, 0);
		if (!*first)
			nvptx_push(c, size == coef ? CETANE_RT_ADD :
				CETANE_RT_SUB, 0);
		*first = false;
	}
}

/* Push "aff", which has integer coefficients: variables, then the constant.
 *
 * An empty sum is the constant 0.
 */
static void add_sum(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_keep isl_aff *aff)
{
	int64_t rest = val_int(c, isl_aff_get_constant_val(aff));
	bool first = true;

	add_terms(l, c, aff, isl_dim_param, &first);
	add_terms(l, c, aff, isl_dim_div, &first);
	if (first || rest)
		nvptx_push(c, CETANE_RT_CONST, rest < 0 && !first ?
			-rest : rest);
	if (!first && rest)
		nvptx_push(c, rest < 0 ? CETANE_RT_SUB : CETANE_RT_ADD,
			0);
}

/* rest + floor(e/d), with one floor, as rest + e/d, of which the floor is the
 * same.
 *
 * Takes "aff". floor(n + e/d) = n + floor(e/d) for whole n: so the floor on the
 * outside is enough. With two floors nothing can be merged.
 */
static __isl_give isl_aff *merge_floor(__isl_take isl_aff *aff)
{
	isl_size n = isl_aff_dim(aff, isl_dim_div);
	int pos = -1;

	for (int i = 0; i < n; i++) {
		isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
		bool zero = isl_val_is_zero(v) == isl_bool_true;
		bool one = isl_val_is_one(v) == isl_bool_true;

		isl_val_free(v);
		if (zero)
			continue;
		if (!one || pos >= 0)
			return aff;
		pos = i;
	}
	if (pos >= 0) {
		isl_aff *div = isl_aff_get_div(aff, pos);

		aff = isl_aff_set_coefficient_si(aff, isl_dim_div, pos, 0);
		aff = isl_aff_add(aff, div);
	}
	return aff;
}

/* Push floor(aff).
 *
 * Takes "aff". One division at most for each floor that is left.
 */
static void add_floor(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_take isl_aff *aff)
{
	isl_val *d = isl_aff_get_denominator_val(aff);
	int64_t den;

	if (isl_val_is_one(d) == isl_bool_true) {
		isl_val_free(d);
		aff = merge_floor(aff);
		d = isl_aff_get_denominator_val(aff);
	}
	den = val_int(c, isl_val_copy(d));
	aff = isl_aff_scale_val(aff, d);
	add_sum(l, c, aff);
	isl_aff_free(aff);
	if (den == 1)
		return;
	nvptx_push(c, CETANE_RT_CONST, den);
	nvptx_push(c, CETANE_RT_DIV, 0);
}

/* The walk over the parts of a set or function; "n" have been pushed.
 *
 * "c" is the formula in the making.
 */
struct walk {
	struct nvptx_lower *l;
	struct nvptx_postfix *c;
	int n;
};

/* Push whether 0 <= sum, or 0 = sum, and join it to the constraints before.
 *
 * Takes the constraint.
 */
static isl_stat add_constraint(__isl_take isl_constraint *constraint,
	void *user)
{
	struct walk *w = user;
	bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
	isl_aff *aff = isl_constraint_get_aff(constraint);

	isl_constraint_free(constraint);
	aff = isl_aff_scale_val(aff, isl_aff_get_denominator_val(aff));
	nvptx_push(w->c, CETANE_RT_CONST, 0);
	add_sum(w->l, w->c, aff);
	isl_aff_free(aff);
	nvptx_push(w->c, equal ? CETANE_RT_EQ : CETANE_RT_LE, 0);
	if (w->n++)
		nvptx_push(w->c, CETANE_RT_AND, 0);
	return isl_stat_ok;
}

/* Push whether all constraints of "bset" hold, and join it to the sets before.
 *
 * A basic set without constraints is all: 1.
 */
static isl_stat add_disjunct(__isl_take isl_basic_set *bset, void *user)
{
	struct walk *w = user;
	struct walk inner = { w->l, w->c, 0 };
	isl_stat r = isl_basic_set_foreach_constraint(bset, add_constraint,
		&inner);

	isl_basic_set_free(bset);
	if (!inner.n)
		nvptx_push(w->c, CETANE_RT_CONST, 1);
	if (w->n++)
		nvptx_push(w->c, CETANE_RT_OR, 0);
	return r;
}

/* Push 1 if the sizes are in "set", else 0.
 *
 * Takes "set". isl's existentially quantified divisions are made explicit
 * first, as a formula cannot search.
 */
static void add_condition(struct nvptx_lower *l, struct nvptx_postfix *c,
	__isl_take isl_set *set)
{
	struct walk w = { l, c, 0 };

	set = isl_set_compute_divs(poly_set_coalesce(set));
	if (isl_set_foreach_basic_set(set, add_disjunct, &w) < 0 || !w.n)
		c->failed = true;
	isl_set_free(set);
}

/* The first piece is the value wherever no later one is.
 *
 * SELECT takes three values: condition, then, else. So the new piece goes
 * before what there is, which becomes the "else".
 */
static isl_stat add_piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct walk *w = user;
	struct nvptx_postfix *c = w->c;
	struct nvptx_postfix rest = *c;

	if (!w->n++) {
		isl_set_free(set);
		add_floor(w->l, c, aff);
		return isl_stat_ok;
	}
	*c = (struct nvptx_postfix) { .failed = rest.failed };
	add_condition(w->l, c, set);
	add_floor(w->l, c, aff);
	for (int i = 0; i < rest.f.n; i++)
		nvptx_push(c, rest.f.op[i].code, rest.f.op[i].value);
	nvptx_push(c, CETANE_RT_SELECT, 0);
	cetane_rt_formula_clear(&rest.f);
	return isl_stat_ok;
}

/* What is defined for no size that there can be, such as the grid of a kernel
 * that never runs, is 0.
 *
 * "f" is the caller's to clear if true is returned.
 */
bool nvptx_formula(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };
	struct walk w = { l, &c, 0 };
	isl_pw_aff *one = isl_pw_aff_copy(pa);

	one = isl_pw_aff_gist_params(one, isl_set_copy(l->fact.known));
	one = poly_pw_aff_coalesce(one);
	if (isl_pw_aff_foreach_piece(one, add_piece, &w) < 0)
		c.failed = true;
	isl_pw_aff_free(one);
	if (!w.n)
		nvptx_push(&c, CETANE_RT_CONST, 0);
	return nvptx_postfix_end(l, &c, f);
}

/* A version's condition knows no iterators, hence the 0. */
bool nvptx_formula_of_set(struct nvptx_lower *l, __isl_take isl_set *set,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };

	add_condition(l, &c, set);
	*f = c.f;
	if (!c.failed && cetane_rt_formula_is_valid(f, l->prog->n_param, 0))
		return true;
	cetane_rt_formula_clear(f);
	return false;
}

/* For callers without a lowering under way: conditions that the front end keeps
 * as text.
 */
bool nvptx_sizes_meet(struct nvptx_module *m, struct poly_prog *prog,
	const char *set, struct cetane_rt_formula *f)
{
	struct nvptx_ir ir = { .m = m };
	struct nvptx_lower l = { .ir = &ir, .prog = prog };

	return nvptx_formula_of_set(&l, isl_set_read_from_str(prog->ctx, set),
		f);
}

/* "f" becomes its product with "pa". On failure it is empty. */
bool nvptx_formula_times(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };
	struct cetane_rt_formula factor;

	if (!nvptx_formula(l, pa, &factor))
		return false;
	for (int i = 0; i < f->n; i++)
		nvptx_push(&c, f->op[i].code, f->op[i].value);
	for (int i = 0; i < factor.n; i++)
		nvptx_push(&c, factor.op[i].code, factor.op[i].value);
	nvptx_push(&c, CETANE_RT_MUL, 0);
	cetane_rt_formula_clear(&factor);
	cetane_rt_formula_clear(f);
	return nvptx_postfix_end(l, &c, f);
}

/* "f" becomes min(f, most). */
bool nvptx_formula_at_most(struct nvptx_lower *l, int64_t most,
	struct cetane_rt_formula *f)
{
	struct nvptx_postfix c = { .cap = 0 };

	for (int i = 0; i < f->n; i++)
		nvptx_push(&c, f->op[i].code, f->op[i].value);
	nvptx_push(&c, CETANE_RT_CONST, most);
	nvptx_push(&c, CETANE_RT_MIN, 0);
	cetane_rt_formula_clear(f);
	return nvptx_postfix_end(l, &c, f);
}
