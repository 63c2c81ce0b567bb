/* Dependences of a program some of whose sizes are fixed.
 *
 * Domains stay symbolic, as constants in them change what the scheduler fuses
 * (prog.c). A dependence is another matter where its distance has a size:
 *
 *	for (i = 0; i < n; i++) a[i + m] = a[i] + b[i];
 *
 *	{ S[i] -> S[i + m] : 0 <= i and i + m < n }
 *
 * With m = 2000 the distance is a number; with n = 1000, too, there is none. So a
 * part of a dependence that is empty for the sizes that are fixed is left out,
 * and where a constraint of a part says by a size how far the sink is from the
 * source, that size gets its value there. Of other sizes than those that are fixed
 * what is left says nothing: which parts a relation has changes from pass to pass.
 */
#include <isl/constraint.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"

/* The part that is looked at, the part as it will be, and the sizes. */
struct part {
	const struct poly_prog *prog;
	isl_basic_map *out;
	int at;			/* the dimension of the size, in "out" */
	bool spans;		/* a constraint has it, a source and a sink */
	isl_union_map *all;
};

/* Has one of the integer divisions of the constraint the size? */
static bool is_in_division(__isl_keep isl_constraint *c, int n, int size)
{
	bool found = false;

	for (int i = 0; i < n; i++) {
		isl_aff *div;

		if (!isl_constraint_involves_dims(c, isl_dim_div, i, 1))
			continue;
		div = isl_constraint_get_div(c, i);
		found |= isl_aff_involves_dims(div, isl_dim_param, size, 1);
		isl_aff_free(div);
	}
	return found;
}

/* Note whether the constraint says by the size where the sink is seen from the
 * source.
 */
static isl_stat look(__isl_take isl_constraint *c, void *user)
{
	struct part *p = user;
	int n_in = isl_constraint_dim(c, isl_dim_in);
	int n_out = isl_constraint_dim(c, isl_dim_out);
	int n_div = isl_constraint_dim(c, isl_dim_div);

	if (isl_constraint_involves_dims(c, isl_dim_in, 0, n_in) &&
	    isl_constraint_involves_dims(c, isl_dim_out, 0, n_out) &&
	    (isl_constraint_involves_dims(c, isl_dim_param, p->at, 1) ||
	     is_in_division(c, n_div, p->at)))
		p->spans = true;
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* "map" with the value of the size "param", if it has that dimension. */
static __isl_give isl_basic_map *fix(__isl_take isl_basic_map *map,
	const struct poly_param *param)
{
	int at = isl_basic_map_find_dim_by_name(map, isl_dim_param,
		param->name);
	isl_val *value;

	if (!param->fixed || at < 0)
		return map;
	value = isl_val_int_from_si(isl_basic_map_get_ctx(map), param->value);
	return isl_basic_map_fix_val(map, isl_dim_param, at, value);
}

/* Is the part empty for the sizes that are fixed? */
static bool is_never(const struct part *p)
{
	isl_basic_map *map = isl_basic_map_copy(p->out);
	bool never;

	for (int i = 0; i < p->prog->n_param; i++)
		map = fix(map, &p->prog->param[i]);
	never = isl_basic_map_is_empty(map) == isl_bool_true;
	isl_basic_map_free(map);
	return never;
}

/* Does the part tell, without integer divisions, that its sizes are others? */
static bool is_of_others(const struct part *p)
{
	isl_set *sizes = isl_set_remove_divs(isl_map_params(
		isl_map_from_basic_map(isl_basic_map_copy(p->out))));
	bool others;

	for (int i = 0; i < p->prog->n_param; i++) {
		const struct poly_param *param = &p->prog->param[i];
		int at = isl_set_find_dim_by_name(sizes, isl_dim_param,
			param->name);

		if (param->fixed && at >= 0)
			sizes = isl_set_fix_val(sizes, isl_dim_param, at,
				isl_val_int_from_si(p->prog->ctx,
				param->value));
	}
	others = isl_set_is_empty(sizes) == isl_bool_true;
	isl_set_free(sizes);
	return others;
}

/* The constraints of "map" that need no integer division without a formula. */
static __isl_give isl_basic_map_list *known_part(__isl_keep isl_basic_map *map)
{
	isl_map *known = isl_map_remove_unknown_divs(isl_map_from_basic_map(
		isl_basic_map_copy(map)));
	isl_basic_map_list *list = isl_map_get_basic_map_list(known);

	isl_map_free(known);
	return list;
}

/* Add "map" to "all", with the values of sizes that its distance has. */
static isl_stat add_part(__isl_take isl_basic_map *map, void *user)
{
	isl_basic_map_list *list = known_part(map);
	isl_basic_map *known = isl_basic_map_list_get_at(list, 0);
	struct part *p = user;
	bool any = false;

	p->out = map;
	for (int i = 0; i < p->prog->n_param; i++) {
		const struct poly_param *param = &p->prog->param[i];

		p->at = isl_basic_map_find_dim_by_name(known, isl_dim_param,
			param->name);
		p->spans = false;
		if (param->fixed && p->at >= 0)
			isl_basic_map_foreach_constraint(known, look, p);
		if (p->spans)
			p->out = fix(p->out, param);
		any |= p->spans;
	}
	isl_basic_map_free(known);
	isl_basic_map_list_free(list);
	if (any ? is_never(p) : is_of_others(p))
		isl_basic_map_free(p->out);
	else
		p->all = isl_union_map_union(p->all,
			isl_union_map_from_basic_map(p->out));
	return isl_stat_ok;
}

/* Callback: look at each piece of "map". */
static isl_stat add_map(__isl_take isl_map *map, void *user)
{
	isl_stat s = isl_map_foreach_basic_map(map, add_part, user);

	isl_map_free(map);
	return s;
}

/* The pairs "deps" as they are for the sizes that are fixed. */
__isl_give isl_union_map *poly_deps_of_sizes(struct poly_prog *prog,
	__isl_take isl_union_map *deps)
{
	struct part p = { .prog = prog };
	bool any = false;

	for (int i = 0; i < prog->n_param; i++)
		any |= prog->param[i].fixed;
	if (!any || !deps)
		return deps;
	p.all = isl_union_map_empty(isl_union_map_get_space(deps));
	if (isl_union_map_foreach_map(deps, add_map, &p) < 0)
		p.all = isl_union_map_free(p.all);
	isl_union_map_free(deps);
	return poly_union_map_coalesce(p.all);
}
