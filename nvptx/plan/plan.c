/* nvptx: the launch plan: what a caller must know to run the kernels. Extents,
 * grids and loops are formulas, which the runtime evaluates without isl.
 *
 * A plan outlives the program: nothing in it refers to isl or LLVM. It is
 * printed into objects (nvptx/out) and read by the runtime, and bindings for
 * other languages are made from it.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/sets/sets.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/value/value.h"

/* Sizes are numbered as the program has them; hidden ones come last and no
 * caller gives them.
 */
int nvptx_param_number(struct poly_prog *prog, const char *name)
{
	for (int i = 0; i < prog->n_param; i++)
		if (name && !strcmp(prog->param[i].name, name))
			return i;
	return -1;
}

/* The sizes of "prog" that a caller gives, in "plan". False without memory.
 *
 * Versions have the same sizes, so this runs once.
 */
static bool add_params(struct poly_prog *prog, struct nvptx_plan *plan)
{
	int n = prog->n_param - prog->n_hidden;

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

/* What version "version" calls its own "name".
 *
 * NULL without memory; version 0 keeps the names of the source.
 */
static char *name_in(int version, const char *name)
{
	struct poly_str s = { 0 };

	poly_str_add(&s, name);
	if (version)
		poly_str_printf(&s, "$v%d", version);
	return s.s;
}

/* The caller frees it. */
char *nvptx_version_name(const struct nvptx_variant *version, const char *name)
{
	return name_in(version->number, name);
}

/* The number of the array "name" of the plan, or -1. */
static int find_array(const struct nvptx_plan *plan, const char *name)
{
	for (int i = 0; name && i < plan->n_array; i++)
		if (!strcmp(plan->array[i].name, name))
			return i;
	return -1;
}

/* Add array "i" of the program; versions share what is not a temporary.
 *
 * An array of the caller has one number for all versions, by name; temporaries
 * are of a version, so that only those of the version that runs take room in
 * the workspace.
 */
static bool add_array(struct nvptx_lower *l, struct nvptx_plan *plan, int i)
{
	const struct poly_array *a = l->prog->array[i];
	struct nvptx_plan_array *p;
	int max = sizeof(p->extent) / sizeof(p->extent[0]);
	char *name = a->role == POLY_TEMP ? nvptx_version_name(&l->version,
		a->name) :
		strdup(a->name);

	l->planned.number[i] = find_array(plan, name);
	if (l->planned.number[i] >= 0) {
		free(name);
		return true;
	}
	l->planned.number[i] = plan->n_array++;
	p = &plan->array[l->planned.number[i]];
	p->name = name;
	p->version = l->version.is_one_of && a->role == POLY_TEMP ?
		l->version.number + 1 : 0;
	p->type = a->type;
	p->role = a->role;
	p->stride = a->stride;
	p->elem_bytes = !l->ir->m->opt.wide ? poly_type_size(a->type) :
		poly_type_is_words(a->type) ? 16 * poly_type_n_words(a->type) :
		16;
	if (!p->name || a->n_dim > max)
		return false;
	for (int d = 0; d < a->n_dim; d++) {
		isl_pw_aff *e = isl_multi_pw_aff_get_at(a->extent, d);
		bool ok = nvptx_formula(l, e, &p->extent[d]);

		isl_pw_aff_free(e);
		p->n_dim = d + 1;
		if (!ok)
			return false;
	}
	for (int k = 0; a->within && k < 2; k++) {
		isl_pw_aff *e = isl_multi_pw_aff_get_at(a->within, k);
		bool ok = nvptx_formula(l, e, &p->within[k]);

		isl_pw_aff_free(e);
		if (!ok)
			return false;
	}
	return true;
}

/* Make room for "more" members of "size" bytes, zeroed, behind "n".
 *
 * One more than asked for, so that an empty list is no NULL.
 */
static bool grow(void **list, int n, int more, size_t size)
{
	char *p = realloc(*list, (n + more + 1) * size);

	if (!p)
		return false;
	memset(p + n * size, 0, (more + 1) * size);
	*list = p;
	return true;
}

/* A counter in the workspace at which blocks of a kernel meet; -1 without
 * memory. It has no dimensions: one u32.
 */
int nvptx_plan_count(struct nvptx_ir *ir, const char *kernel)
{
	struct nvptx_plan *plan = &ir->m->plan;
	struct poly_str name = { 0 };
	struct nvptx_plan_array *p;

	poly_str_printf(&name, "%s_arrived", kernel);
	if (name.failed || !grow((void **)&plan->array, plan->n_array, 1,
			sizeof(*plan->array))) {
		poly_str_free(&name);
		return -1;
	}
	p = &plan->array[plan->n_array];
	p->name = name.s;
	p->type = POLY_U32;
	p->role = POLY_TEMP;
	p->elem_bytes = poly_type_size(p->type);
	return plan->n_array++;
}

/* Words of 64 bits that blocks of a kernel hand on; -1 without memory. */
int nvptx_plan_relay(struct nvptx_lower *l, const char *kernel, int64_t words)
{
	int number = nvptx_plan_count(l->ir, kernel);
	struct nvptx_plan_array *p = &l->ir->m->plan.array[number < 0 ? 0 :
		number];
	struct nvptx_postfix n = { .cap = 0 };

	if (number < 0)
		return number;
	p->type = POLY_U64;
	p->elem_bytes = poly_type_size(p->type);
	nvptx_push(&n, CETANE_RT_CONST, words);
	p->n_dim = 1;
	return nvptx_postfix_end(l, &n, &p->extent[0]) ? number : -1;
}

/* It has the name "name", which no array of a program has. */
int nvptx_plan_scratch(struct nvptx_lower *l, const char *name, enum poly_type type,
	__isl_keep isl_pw_aff *const *size, int n)
{
	int number = nvptx_plan_count(l->ir, name);
	struct nvptx_plan_array *p = &l->ir->m->plan.array[number < 0 ? 0 :
		number];

	if (number < 0)
		return number;
	p->type = type;
	p->elem_bytes = poly_type_size(type);
	for (int d = 0; d < n; d++) {
		p->n_dim = d + 1;
		if (!nvptx_formula(l, size[d], &p->extent[d]))
			return -1;
	}
	return number;
}

bool nvptx_plan_blocks(struct nvptx_lower *l, int blocks, struct nvptx_launch *launch)
{
	for (int d = 0; d < 2; d++) {
		struct nvptx_postfix n = { .cap = 0 };

		nvptx_push(&n, CETANE_RT_CONST, d ? blocks : 1);
		if (!nvptx_postfix_end(l, &n, &launch->n[d]))
			return false;
	}
	return true;
}

struct nvptx_launch *nvptx_plan_look(struct nvptx_lower *l, int array, int n_arg)
{
	struct nvptx_plan *plan = &l->ir->m->plan;
	struct poly_str name = { 0 };
	struct nvptx_launch *launch;

	if (!grow((void **)&plan->launch, plan->n_launch, 1, sizeof(*plan->launch)))
		return NULL;
	launch = &plan->launch[plan->n_launch++];
	poly_str_printf(&name, "%s$within", plan->array[array].name);
	launch->kernel = name.s;
	launch->arg = calloc(n_arg + 1, sizeof(*launch->arg));
	for (; launch->arg && launch->n_arg < n_arg; launch->n_arg++)
		launch->arg[launch->n_arg] = (struct nvptx_arg){
			.kind = NVPTX_ARG_ITER, .index = launch->n_arg };
	launch->n_iter = launch->n_arg;
	launch->cluster[0] = launch->cluster[1] = launch->thread[0] = 1;
	launch->before = true;
	plan->array[array].look = plan->n_launch;
	return name.failed || !launch->arg || !nvptx_plan_blocks(l, 1, launch) ? NULL :
		launch;
}

int nvptx_planned_launch(const struct nvptx_planned *p, int kernel)
{
	int at = p->first_launch;

	for (int i = 0; i <= kernel; i++)
		at += p->before[i] + (i < kernel);
	return at;
}

/* Called once for each version, before its kernels are lowered. What it adds
 * stays even if lowering fails; nvptx_plan_free frees all.
 */
isl_stat nvptx_plan_init(struct nvptx_lower *l)
{
	struct nvptx_plan *plan = &l->ir->m->plan;
	struct poly_prog *prog = l->prog;
	int n_launch = nvptx_planned_launch(&l->planned, prog->n_kernel) -
		l->planned.first_launch;

	l->ir->m->has_plan = true;
	l->planned.first_launch = plan->n_launch;
	if (!grow((void **)&plan->array, plan->n_array, prog->n_array,
			sizeof(*plan->array)) ||
	    !grow((void **)&plan->launch, plan->n_launch, n_launch,
			sizeof(*plan->launch)) ||
	    (!plan->param && !add_params(l->prog, plan)))
		return isl_stat_error;
	for (int i = 0; i < prog->n_array; i++)
		if (prog->array[i]->space == POLY_GLOBAL &&
		    !add_array(l, plan, i))
			return isl_stat_error;
	return isl_stat_ok;
}

/* Let the formula "f" be "n". */
static void set_constant(struct nvptx_lower *l, struct cetane_rt_formula *f, int64_t n)
{
	struct nvptx_postfix p = { .cap = 0 };

	nvptx_push(&p, CETANE_RT_CONST, n);
	cetane_rt_formula_clear(f);
	nvptx_postfix_end(l, &p, f);
}

/* Let "launch" have one row of blocks, which take all tiles in turn.
 *
 * Of a persistent kernel: blocks = min(tiles, kernel->blocks), in one row. Its
 * blocks count tiles themselves (nvptx/kernel/turns.c).
 */
static void one_row(struct nvptx_lower *l, const struct poly_kernel *kernel,
	struct nvptx_launch *launch)
{
	bool ok = nvptx_formula_times(l, kernel->grid[0], &launch->n[1]);

	for (int i = 0; i < kernel->n_batch; i++)
		ok = ok && nvptx_formula_times(l, kernel->batch[i],
			&launch->n[1]);
	if (ok && nvptx_formula_at_most(l, kernel->blocks, &launch->n[1]))
		set_constant(l, &launch->n[0], 1);
}

int64_t nvptx_column_tiles(struct nvptx_lower *l, const struct poly_kernel *kernel)
{
	double rows;

	if (!poly_prog_is_fixed(l->prog) || kernel->blocks ||
	    poly_cluster(kernel, 0) * poly_cluster(kernel, 1) != 1 ||
	    poly_most_tiles(l->prog, kernel, 1) != 1)
		return 0;
	rows = (double)poly_most_tiles(l->prog, kernel, 0);
	for (int i = 0; i < kernel->n_batch; i++)
		rows *= (double)poly_greatest(l->prog, kernel->batch[i]);
	return rows <= INT32_MAX ? (int64_t)rows : 0;
}

/* Its blocks lie along x then, of which a grid has 2^31 - 1. Along y and z 65,536 blocks
 * would be 131,070, as z counts whole rows of 65,535, and each that leaves at once takes
 * its time to come. Clusters stay, whose sides the kernel has been made for.
 */
bool nvptx_lies_along_x(struct nvptx_lower *l, const struct poly_kernel *kernel, int tiles)
{
	return nvptx_column_tiles(l, kernel) > (int64_t)POLY_GRID_Y * tiles;
}

/* Batch digits multiply the rows of the grid; the kernel takes them apart
 * again.
 */
void nvptx_plan_grid(struct nvptx_lower *l, const struct poly_kernel *kernel, int tiles,
	struct nvptx_launch *launch)
{
	struct cetane_rt_formula rows;
	bool ok = true;

	for (int d = 0; d < 2; d++)
		ok = ok && nvptx_formula(l, kernel->grid[d], &launch->n[d]);
	for (int i = 0; i < kernel->n_batch; i++)
		ok = ok && nvptx_formula_times(l, kernel->batch[i],
			&launch->n[0]);
	if (ok && kernel->blocks)
		one_row(l, kernel, launch);
	if (ok && tiles > 1)
		set_constant(l, &launch->n[0], (nvptx_column_tiles(l, kernel) + tiles - 1) /
			tiles);
	if (ok && nvptx_lies_along_x(l, kernel, tiles)) {
		rows = launch->n[0];
		launch->n[0] = launch->n[1];
		launch->n[1] = rows;
	}
}

/* The array of the plan that is to version "like" what "number" is to that which is
 * being lowered.
 *
 * Temporaries of the two versions correspond by their names.
 */
static int array_again(struct nvptx_lower *l, int like, int number)
{
	const struct nvptx_plan *plan = &l->ir->m->plan;

	for (int i = 0; i < l->prog->n_array; i++) {
		char *name = name_in(like, l->prog->array[i]->name);
		bool is = name && !strcmp(plan->array[number].name, name);

		free(name);
		if (is)
			return l->planned.number[i];
	}
	return number;
}

/* Copy "from" for the version that is being lowered.
 *
 * Arguments that are arrays, or maps of arrays, change their numbers; all
 * others are alike. False without memory; the launch is then half made and
 * nvptx_plan_free copes.
 */
static bool copy_launch(struct nvptx_lower *l, int like,
	const struct nvptx_launch *from, struct nvptx_launch *to)
{
	*to = *from;
	memset(to->n, 0, sizeof(to->n));
	to->kernel = strdup(from->kernel);
	to->arg = calloc(from->n_arg + 1, sizeof(*to->arg));
	for (int i = 0; to->arg && i < from->n_arg; i++) {
		to->arg[i] = from->arg[i];
		if (to->arg[i].kind == NVPTX_ARG_ARRAY ||
		    to->arg[i].kind == NVPTX_ARG_MAP)
			to->arg[i].index = array_again(l, like,
				from->arg[i].index);
	}
	return to->kernel && to->arg;
}

/* Let "to" have as many blocks as "from", whatever the version. */
static bool copy_blocks(const struct nvptx_launch *from, struct nvptx_launch *to)
{
	return cetane_rt_formula_copy(&to->n[0], &from->n[0]) &&
		cetane_rt_formula_copy(&to->n[1], &from->n[1]);
}

/* For a version whose kernels are the very same code as those of version
 * "like": only grids differ.
 */
void nvptx_plan_again(struct nvptx_lower *l, int like)
{
	struct nvptx_plan *plan = &l->ir->m->plan;
	const struct nvptx_version *v = &plan->version[like];

	l->planned.aligned |= v->aligned;
	for (int i = 0, from = v->first_launch; i < l->prog->n_kernel &&
	     !l->ir->failed; from++) {
		struct nvptx_launch *to = &plan->launch[plan->n_launch++];

		if (!copy_launch(l, like, &plan->launch[from], to) ||
		    (to->before && !copy_blocks(&plan->launch[from], to)))
			nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		else if (!to->before)
			nvptx_plan_grid(l, l->prog->kernel[i++], 1, to);
	}
}

/* "n_step" is where its steps begin, as the caller has counted. Without a set
 * of sizes the version is for all.
 */
isl_stat nvptx_plan_version(struct nvptx_lower *l,
	const struct poly_version *v, int n_step)
{
	struct nvptx_plan *plan = &l->ir->m->plan;
	struct nvptx_version *version;
	isl_set *sizes = v->sizes ? isl_set_copy(v->sizes) :
		isl_set_universe(isl_set_get_space(v->prog->context));

	if (!grow((void **)&plan->version, plan->n_version, 1,
			sizeof(*plan->version))) {
		isl_set_free(sizes);
		return isl_stat_error;
	}
	version = &plan->version[plan->n_version++];
	version->n_step = n_step;
	version->first_launch = l->planned.first_launch;
	version->aligned = l->planned.aligned;
	return nvptx_formula_of_set(l, sizes, &version->condition) &&
		nvptx_cost(l, &v->cost, version) ? isl_stat_ok :
		isl_stat_error;
}

/* Free the versions with their conditions and costs. */
static void free_versions(struct nvptx_plan *plan)
{
	for (int i = 0; i < plan->n_version; i++) {
		struct nvptx_version *v = &plan->version[i];

		cetane_rt_formula_clear(&v->condition);
		for (int k = 0; k < v->n_cost; k++)
			cetane_rt_formula_clear(&v->cost[k]);
	}
	free(plan->version);
}

/* The struct itself is the caller's, and is empty afterwards. */
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
		for (int k = 0; k < 2; k++)
			cetane_rt_formula_clear(&plan->array[i].within[k]);
	}
	free(plan->array);
	for (int i = 0; i < plan->n_launch; i++) {
		free(plan->launch[i].kernel);
		cetane_rt_formula_clear(&plan->launch[i].n[0]);
		cetane_rt_formula_clear(&plan->launch[i].n[1]);
		free(plan->launch[i].arg);
	}
	free(plan->launch);
	free_versions(plan);
	cetane_rt_steps_free(plan->step, plan->n_step);
	memset(plan, 0, sizeof(*plan));
}
