/* nvptx: the launch plan: what a caller must know to run the kernels. Extents,
 * grids and loops are formulas, which the runtime evaluates without isl.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/nvptx_internal.h"

int nvptx_param_number(struct poly_prog *prog, const char *name)
{
	for (int i = 0; i < prog->n_param; i++)
		if (name && !strcmp(prog->param[i].name, name))
			return i;
	return -1;
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
		bool ok = nvptx_formula(l, e, &p->extent[i]);

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
			cetane_rt_formula_clear(&plan->array[i].extent[d]);
	}
	free(plan->array);
	for (int i = 0; i < plan->n_launch; i++) {
		free(plan->launch[i].kernel);
		cetane_rt_formula_clear(&plan->launch[i].n[0]);
		cetane_rt_formula_clear(&plan->launch[i].n[1]);
		free(plan->launch[i].arg);
	}
	free(plan->launch);
	cetane_rt_steps_free(plan->step, plan->n_step);
	memset(plan, 0, sizeof(*plan));
}
