/* From the launch plan of a compilation to the record that the runtime
 * launches by, for `cetane run` and for objects alike.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/image/image.h"
#include "tools/lib/object/object.h"

/* What is being converted. "place" is the number in the record of each array
 * of the plan.
 */
struct convert {
	const struct nvptx_plan *plan;
	const struct fe_unit *unit;	/* or NULL */
	struct cetane_rt_record *record;
	int *place;
};

/* False without memory; the record owns the copy. */
static bool copy_text(char **to, const char *from)
{
	*to = strdup(from);
	return *to != NULL;
}

/* The name that the size "name" of the plan has in the text.
 *
 * The plan has the names of the lowered program. Without a unit these are kept.
 */
static const char *text_name(const struct fe_unit *unit, const char *name)
{
	int i;

	for (i = 0; unit && i < fe_unit_n_param(unit); i++)
		if (!strcmp(fe_unit_param(unit, i), name))
			return fe_unit_param_text(unit, i);
	return name;
}

/* Add the sizes of the plan, by their names in the text.
 *
 * Numbers of sizes are the same in plan and record, so that formulas stay
 * valid.
 */
static bool convert_sizes(struct convert *c)
{
	const struct nvptx_plan *plan = c->plan;
	struct cetane_rt_record *r = c->record;
	int i;

	for (i = 0; i < plan->n_param; i++) {
		struct cetane_rt_size *s = &r->size[r->n_size++];

		s->fixed = plan->fixed[i];
		s->value = plan->value[i];
		if (!copy_text(&s->name, text_name(c->unit, plan->param[i])))
			return false;
	}
	return true;
}

/* The sizes "s" are the strides of the array "name", the last that was added, of "n"
 * dimensions: named after it. False without memory.
 */
static bool name_strides(struct convert *c, struct cetane_rt_size *s, int n,
	const char *name)
{
	bool ok = true;

	for (int d = 0; d < n - 1; d++) {
		struct poly_str text = { 0 };

		if (d == n - 2)
			poly_str_printf(&text, "pitch_%s", name);
		else
			poly_str_printf(&text, "stride%d_%s", d, name);
		free(s[d].name);
		s[d].name = text.s;
		s[d].stride_of = c->record->n_array;
		ok = ok && !text.failed;
	}
	return ok;
}

/* Append array "i" of the plan.
 *
 * c->place[i] is its number in the record, which kernels' arguments need.
 */
static bool add_array(struct convert *c, int i)
{
	static const enum cetane_rt_role role[] = {
		[POLY_INPUT] = CETANE_RT_INPUT,
		[POLY_OUTPUT] = CETANE_RT_OUTPUT,
		[POLY_INOUT] = CETANE_RT_INOUT,
		[POLY_TEMP] = CETANE_RT_TEMP
	};
	const struct nvptx_plan_array *from = &c->plan->array[i];
	struct cetane_rt_array *to = &c->record->array[c->record->n_array];

	c->place[i] = c->record->n_array++;
	to->role = role[from->role];
	to->elem_bytes = from->elem_bytes;
	to->align = from->align;
	if (from->stride && !name_strides(c, &c->record->size[from->stride - 1],
			from->n_dim, from->name))
		return false;
	to->version = from->version;
	if (!copy_text(&to->name, from->name) ||
	    !copy_text(&to->type, poly_type_name(from->type)))
		return false;
	while (to->n_dim < from->n_dim) {
		int d = to->n_dim++;

		if (!cetane_rt_formula_copy(&to->extent[d],
			&from->extent[d]))
			return false;
	}
	to->look = from->look;
	for (int k = 0; k < 2 && from->look; k++)
		if (!cetane_rt_formula_copy(&to->within[k], &from->within[k]))
			return false;
	return true;
}

/* Append the plan's array "name"; false if it has none.
 *
 * Where a record and a unit do not fit each other, there is no record.
 */
static bool add_named(struct convert *c, const char *name)
{
	int i;

	for (i = 0; i < c->plan->n_array; i++)
		if (!strcmp(c->plan->array[i].name, name))
			return add_array(c, i);
	return false;
}

/* True if the output "name" is an input, too.
 *
 * It is in the list of inputs then, once.
 */
static bool is_input(const struct fe_unit *u, const char *name)
{
	int i;

	for (i = 0; i < fe_unit_n_input(u); i++)
		if (!strcmp(fe_unit_input(u, i).name, name))
			return true;
	return false;
}

/* Append the arrays of the plan that have this role, in its order.
 *
 * Used where there is no text, and for temporaries, which a text does not name.
 */
static bool add_role(struct convert *c, enum poly_role role)
{
	int i;

	for (i = 0; i < c->plan->n_array; i++)
		if (c->plan->array[i].role == role && !add_array(c, i))
			return false;
	return true;
}

/* Inputs in the order of the text, among them what is changed in place,
 * outputs in that of CodeGen, temporaries.
 *
 * The caller's order is that of the text: this is the order of the arguments of
 * what an object exports.
 */
static bool convert_arrays(struct convert *c)
{
	const char *name;
	int i;

	if (!c->unit)
		return add_role(c, POLY_INPUT) && add_role(c, POLY_INOUT) &&
			add_role(c, POLY_OUTPUT) && add_role(c, POLY_TEMP);
	for (i = 0; i < fe_unit_n_input(c->unit); i++)
		if (!add_named(c, fe_unit_input(c->unit, i).name))
			return false;
	for (i = 0; i < fe_unit_n_output(c->unit); i++) {
		name = fe_unit_output(c->unit, i).name;
		if (!is_input(c->unit, name) && !add_named(c, name))
			return false;
	}
	return add_role(c, POLY_TEMP);
}

/* Convert a launch: "to" gets copies of its name, its grid and its arguments,
 * whose arrays are numbered as in the record. False without memory.
 *
 * Sizes and iterators have the numbers of the plan. Arrays, what counts them
 * and maps have those of the record.
 */
static bool convert_launch(struct convert *c, struct cetane_rt_kernel *to,
	const struct nvptx_launch *from)
{
	static const enum cetane_rt_arg_kind kind[] = {
		[NVPTX_ARG_ARRAY] = CETANE_RT_ARG_ARRAY,
		[NVPTX_ARG_SIZE] = CETANE_RT_ARG_SIZE,
		[NVPTX_ARG_ITER] = CETANE_RT_ARG_ITER,
		[NVPTX_ARG_COUNT] = CETANE_RT_ARG_COUNT,
		[NVPTX_ARG_MAP] = CETANE_RT_ARG_MAP,
		[NVPTX_ARG_CLEAR] = CETANE_RT_ARG_CLEAR
	};
	int i;

	to->n_iter = from->n_iter;
	to->thread[0] = from->thread[0];
	to->thread[1] = from->thread[1];
	to->cluster[0] = from->cluster[0];
	to->cluster[1] = from->cluster[1];
	to->shared_bytes = from->shared_bytes;
	to->early = from->early;
	to->arg = calloc((size_t)from->n_arg + 1, sizeof(*to->arg));
	if (!to->arg || !copy_text(&to->name, from->kernel) ||
	    !cetane_rt_formula_copy(&to->n[0], &from->n[0]) ||
	    !cetane_rt_formula_copy(&to->n[1], &from->n[1]))
		return false;
	for (i = 0; i < from->n_arg; i++) {
		to->arg[i].kind = kind[from->arg[i].kind];
		to->arg[i].index = from->arg[i].kind == NVPTX_ARG_SIZE ||
			from->arg[i].kind == NVPTX_ARG_ITER ?
			from->arg[i].index : c->place[from->arg[i].index];
		to->arg[i].offset = from->arg[i].offset;
		to->arg[i].line = from->arg[i].line;
		to->arg[i].across = from->arg[i].across;
		to->arg[i].rows = from->arg[i].rows;
		to->arg[i].n_walk = from->arg[i].n_walk;
		memcpy(to->arg[i].walk, from->arg[i].walk, sizeof(to->arg[i].walk));
		to->n_map += from->arg[i].kind == NVPTX_ARG_MAP;
	}
	to->n_arg = from->n_arg;
	return true;
}

/* Copy a step with its formulas; false without memory.
 *
 * Steps have as many formulas as their kind says.
 */
static bool convert_step(struct cetane_rt_step *to,
	const struct cetane_rt_step *from)
{
	*to = (struct cetane_rt_step) { from->kind, from->index, from->mate,
		calloc((size_t)from->n_formula + 1, sizeof(*to->formula)), 0 };
	if (!to->formula)
		return false;
	while (to->n_formula < from->n_formula) {
		int i = to->n_formula++;

		if (!cetane_rt_formula_copy(&to->formula[i],
				&from->formula[i]))
			return false;
	}
	return true;
}

/* Copy a version, whose steps begin at "first"; false without memory.
 *
 * The condition says for which sizes the version is right; costs decide between
 * several.
 */
static bool convert_version(struct cetane_rt_version *to,
	const struct nvptx_version *from, int first)
{
	to->first = first;
	to->n_step = from->n_step;
	to->aligned = from->aligned;
	if (!cetane_rt_formula_copy(&to->condition, &from->condition))
		return false;
	while (to->n_cost < from->n_cost) {
		int i = to->n_cost++;

		if (!cetane_rt_formula_copy(&to->cost[i], &from->cost[i]))
			return false;
	}
	return true;
}

/* Copy the steps; those of the versions stand in their order, without gaps.
 *
 * "first" is the sum of the steps of all versions before.
 */
static bool convert_steps(struct convert *c)
{
	const struct nvptx_plan *plan = c->plan;
	struct cetane_rt_record *r = c->record;
	int i, first = 0;

	for (i = 0; i < plan->n_version; i++) {
		if (!convert_version(&r->version[r->n_version++],
				&plan->version[i], first))
			return false;
		first += plan->version[i].n_step;
	}
	for (i = 0; i < plan->n_step; i++)
		if (!convert_step(&r->step[r->n_step++], &plan->step[i]))
			return false;
	return true;
}

/* Fill in the record; false without memory. It can be freed at any time, since
 * entries that are counted and not filled in are zero.
 *
 * The arrays before the launches: these need the numbers.
 */
static bool convert(struct convert *c, const char *program)
{
	const struct nvptx_plan *plan = c->plan;
	struct cetane_rt_record *r = c->record;
	int i;

	r->size = calloc((size_t)plan->n_param + 1, sizeof(*r->size));
	r->array = calloc((size_t)plan->n_array + 1, sizeof(*r->array));
	r->kernel = calloc((size_t)plan->n_launch + 1, sizeof(*r->kernel));
	r->version = calloc((size_t)plan->n_version + 1, sizeof(*r->version));
	r->step = calloc((size_t)plan->n_step + 1, sizeof(*r->step));
	if (!r->size || !r->array || !r->kernel || !r->version || !r->step ||
	    !copy_text(&r->program, program) || !convert_sizes(c) ||
	    !convert_arrays(c))
		return false;
	for (i = 0; i < plan->n_launch; i++)
		if (!convert_launch(c, &r->kernel[r->n_kernel++],
				&plan->launch[i]))
			return false;
	return convert_steps(c);
}

/* NULL without memory. The caller frees the record. */
struct cetane_rt_record *tool_record(const struct nvptx_plan *plan,
	const struct fe_unit *unit, const char *program)
{
	struct convert c = { .plan = plan, .unit = unit };
	bool ok;

	c.record = calloc(1, sizeof(*c.record));
	c.place = calloc((size_t)plan->n_array + 1, sizeof(*c.place));
	ok = c.record && c.place && convert(&c, program);
	free(c.place);
	if (ok)
		return c.record;
	cetane_rt_record_free(c.record);
	return NULL;
}
