/* nvptx: the launches that make the long loops of a kernel (help.c), in front of it, and the
 * arrays in which they hand on what they have made.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Does the launch plan have launches in front of "kernel"? */
static bool has_help(struct nvptx_lower *l, const struct poly_kernel *kernel)
{
	struct nvptx_help help;
	isl_ast_node *ast;
	bool has;

	l->kernel = kernel;
	if (!nvptx_may_help(l))
		return false;
	ast = poly_ast_kernel(l->prog, kernel);
	has = ast && nvptx_find_help(l, &help, ast);
	if (has)
		nvptx_help_clear(&help);
	isl_ast_node_free(ast);
	return has;
}

bool nvptx_plan_before(struct nvptx_lower *l)
{
	l->planned.before = calloc(l->prog->n_kernel + 1, sizeof(*l->planned.before));
	for (int i = 0; l->planned.before && i < l->prog->n_kernel; i++)
		l->planned.before[i] = has_help(l, l->prog->kernel[i]) ?
			NVPTX_HELP_USES : 0;
	l->kernel = NULL;
	return l->planned.before != NULL;
}

/* Add array "a" of the launch "name" to the plan. */
static void add_array(struct nvptx_lower *l, const char *name, enum nvptx_help_array a,
	__isl_keep isl_pw_aff *const *size, int n)
{
	static const char *const what[] = { "count", "begin", "owner", "sum" };
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s_%s", name, what[a]);
	l->help->array[a] = s.failed ? -1 : nvptx_plan_scratch(l, s.s, a ==
		NVPTX_HELP_SUM ? l->help->stmt->rhs->type : POLY_I64, size, n);
	poly_str_free(&s);
	if (l->help->array[a] < 0)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "an array has no place");
}

/* Add the arrays of the kernel "name" to the plan. */
static void add_arrays(struct nvptx_lower *l, const char *name)
{
	struct nvptx_help *h = l->help;
	isl_pw_aff *one = isl_pw_aff_val_on_domain(isl_set_universe(
		isl_set_get_space(l->fact.known)), isl_val_one(l->prog->ctx));
	isl_pw_aff *width = isl_pw_aff_scale_val(isl_pw_aff_copy(one),
		isl_val_int_from_si(l->prog->ctx, h->width));
	isl_pw_aff *size[NVPTX_HELP_INDEX] = { one };
	int n = 0;

	add_array(l, name, NVPTX_HELP_COUNT, size, 1);
	for (int d = 0; d < h->n; d++)
		if (h->size[d])
			size[n++] = h->size[d];
	add_array(l, name, NVPTX_HELP_BEGIN, size, n);
	size[0] = h->room;
	add_array(l, name, NVPTX_HELP_OWNER, size, 1);
	size[1] = width;
	add_array(l, name, NVPTX_HELP_SUM, size, 2);
	isl_pw_aff_free(one);
	isl_pw_aff_free(width);
}

void nvptx_help_name(struct nvptx_lower *l, struct poly_str *name)
{
	static const char *const part[] = { "$long", "$pieces", "" };

	if (l->help)
		poly_str_add(name, part[l->help->part]);
}

void nvptx_help_arguments(struct nvptx_lower *l, struct nvptx_launch *launch)
{
	struct nvptx_help *h = l->help;
	bool first = h->part == NVPTX_HELP_FINDS;

	if (first)
		add_arrays(l, launch->kernel);
	for (int i = 0; i < NVPTX_N_HELP_ARRAY; i++)
		launch->arg[launch->n_arg++] = (struct nvptx_arg){ .kind = first &&
			i == NVPTX_HELP_COUNT ? NVPTX_ARG_CLEAR : NVPTX_ARG_ARRAY,
			.index = h->array[i] };
	launch->before = h->part != NVPTX_HELP_USES;
	if (launch->before && !nvptx_plan_blocks(l, nvptx_help_blocks(l), launch))
		l->ir->failed = true;
}
