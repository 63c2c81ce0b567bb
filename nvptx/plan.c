/* nvptx: the launch plan: what a caller must know to run the kernels. Sizes
 * of grids and arrays are stored as floor((c + sum coef param) / div), which
 * the runtime evaluates without isl.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/nvptx_internal.h"

static int param_number(struct poly_prog *prog, const char *name)
{
	for (int i = 0; i < prog->n_param; i++)
		if (name && !strcmp(prog->param[i].name, name))
			return i;
	return -1;
}

static bool val_int(__isl_take isl_val *v, int64_t *n)
{
	bool ok = isl_val_is_int(v) == isl_bool_true;

	*n = ok ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return ok;
}

/* Add scale * (the constant and the parameters of "aff") to "out". */
static bool add_linear(struct poly_prog *prog, __isl_keep isl_aff *aff,
	int64_t scale, struct nvptx_affine *out)
{
	isl_size n = isl_aff_dim(aff, isl_dim_param);
	int64_t c;

	if (!val_int(isl_aff_get_constant_val(aff), &c))
		return false;
	out->c += scale * c;
	for (int i = 0; i < n; i++) {
		int k = param_number(prog,
			isl_aff_get_dim_name(aff, isl_dim_param, i));

		if (!val_int(isl_aff_get_coefficient_val(aff, isl_dim_param,
		    i), &c))
			return false;
		if (c && k < 0)
			return false;
		if (c)
			out->coef[k] += scale * c;
	}
	return true;
}

/* The one floor term of "aff", if it has one: coefficient (1 or -1) and
 * position; false if its form is another.
 */
static bool find_div(__isl_keep isl_aff *aff, int *pos, int64_t *coef)
{
	isl_size n = isl_aff_dim(aff, isl_dim_div);

	*pos = -1;
	for (int i = 0; i < n; i++) {
		int64_t c;

		if (!val_int(isl_aff_get_coefficient_val(aff, isl_dim_div, i),
		    &c))
			return false;
		if (!c)
			continue;
		if (*pos >= 0 || (c != 1 && c != -1))
			return false;
		*pos = i;
		*coef = c;
	}
	return true;
}

/* True if "aff" has no floor term. */
static bool is_linear(__isl_keep isl_aff *aff)
{
	int64_t coef;
	int pos;

	return find_div(aff, &pos, &coef) && pos < 0;
}

/* rest + floor(e / d) = floor((d rest + e) / d);
 * rest - floor(e / d) = floor((d rest - e + d - 1) / d)
 */
static bool from_div(struct poly_prog *prog, __isl_keep isl_aff *aff, int pos,
	int64_t coef, struct nvptx_affine *out)
{
	isl_aff *div = isl_aff_get_div(aff, pos);
	isl_val *den = isl_aff_get_denominator_val(div);
	bool ok;

	out->div = isl_val_get_num_si(den);
	div = isl_aff_scale_val(div, den);
	ok = is_linear(div) && add_linear(prog, aff, out->div, out) &&
		add_linear(prog, div, coef, out);
	if (coef < 0)
		out->c += out->div - 1;
	isl_aff_free(div);
	return ok;
}

static bool from_aff(struct poly_prog *prog, __isl_keep isl_aff *aff,
	struct nvptx_affine *out)
{
	int64_t coef = 0;
	int pos;

	out->div = 1;
	if (!find_div(aff, &pos, &coef))
		return false;
	if (pos >= 0)
		return from_div(prog, aff, pos, coef, out);
	return add_linear(prog, aff, 1, out);
}

struct single {
	isl_aff *aff;
	int n;
};

static isl_stat keep_piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct single *s = user;

	isl_set_free(set);
	isl_aff_free(s->aff);
	s->aff = aff;
	s->n++;
	return isl_stat_ok;
}

bool nvptx_affine_from(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa,
	struct nvptx_affine *out)
{
	struct single s = { NULL, 0 };
	isl_pw_aff *one = isl_pw_aff_copy(pa);
	bool ok;

	one = isl_pw_aff_gist_params(one, isl_set_copy(l->known));
	one = isl_pw_aff_coalesce(one);
	isl_pw_aff_foreach_piece(one, &keep_piece, &s);
	isl_pw_aff_free(one);
	memset(out, 0, sizeof(*out));
	out->coef = calloc(l->prog->n_param + 1, sizeof(*out->coef));
	ok = out->coef && s.n == 1 && s.aff && from_aff(l->prog, s.aff, out);
	isl_aff_free(s.aff);
	if (!ok)
		nvptx_fail(l, nvptx_i32(l), "a size is no affine function");
	return ok;
}

static bool add_params(struct nvptx_lower *l, struct nvptx_plan *plan)
{
	struct poly_prog *prog = l->prog;
	int n = prog->n_param;

	plan->param = calloc(n + 1, sizeof(*plan->param));
	plan->fixed = calloc(n + 1, sizeof(*plan->fixed));
	plan->value = calloc(n + 1, sizeof(*plan->value));
	if (!plan->param || !plan->fixed || !plan->value)
		return false;
	plan->n_param = n;
	for (int i = 0; i < n; i++) {
		plan->param[i] = strdup(prog->param[i].name);
		plan->fixed[i] = prog->param[i].fixed;
		plan->value[i] = prog->param[i].value;
		if (!plan->param[i])
			return false;
	}
	return true;
}

static bool add_array(struct nvptx_lower *l, struct nvptx_plan *plan,
	const struct poly_array *a)
{
	struct nvptx_plan_array *p = &plan->array[plan->n_array++];
	int max = sizeof(p->extent) / sizeof(p->extent[0]);

	p->name = strdup(a->name);
	p->type = a->type;
	p->role = a->role;
	p->elem_bytes = l->m->opt.wide ? 16 : poly_type_size(a->type);
	if (!p->name || a->n_dim > max)
		return false;
	for (int i = 0; i < a->n_dim; i++) {
		isl_pw_aff *e = isl_multi_pw_aff_get_at(a->extent, i);
		bool ok = nvptx_affine_from(l, e, &p->extent[i]);

		isl_pw_aff_free(e);
		p->n_dim = i + 1;
		if (!ok)
			return false;
	}
	return true;
}

isl_stat nvptx_plan_init(struct nvptx_lower *l)
{
	struct nvptx_plan *plan = &l->m->plan;
	struct poly_prog *prog = l->prog;

	l->m->has_plan = true;
	plan->array = calloc(prog->n_array + 1, sizeof(*plan->array));
	plan->launch = calloc(prog->n_kernel + 1, sizeof(*plan->launch));
	if (!plan->array || !plan->launch || !add_params(l, plan))
		return isl_stat_error;
	for (int i = 0; i < prog->n_array; i++)
		if (prog->array[i]->space == POLY_GLOBAL &&
		    !add_array(l, plan, prog->array[i]))
			return isl_stat_error;
	return isl_stat_ok;
}

void nvptx_plan_free(struct nvptx_plan *plan)
{
	for (int i = 0; i < plan->n_param; i++)
		free(plan->param[i]);
	free(plan->param);
	free(plan->fixed);
	free(plan->value);
	for (int i = 0; i < plan->n_array; i++) {
		free(plan->array[i].name);
		for (int d = 0; d < plan->array[i].n_dim; d++)
			free(plan->array[i].extent[d].coef);
	}
	free(plan->array);
	for (int i = 0; i < plan->n_launch; i++) {
		free(plan->launch[i].kernel);
		free(plan->launch[i].n[0].coef);
		free(plan->launch[i].n[1].coef);
		free(plan->launch[i].arg);
	}
	free(plan->launch);
	memset(plan, 0, sizeof(*plan));
}
