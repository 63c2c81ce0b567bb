/* Where the instances of a kernel are: their points of its tile space, and the block
 * and thread that these have.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

struct poly_stmt **poly_kernel_list(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	struct poly_stmt **list = poly_stmts_of(prog, domain, n);

	isl_union_set_free(domain);
	return list;
}

__isl_give isl_union_map *poly_naive_points(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_map *points;

	node = isl_schedule_node_child(node, 0);
	points = poly_kernel_points(kernel, node);
	isl_schedule_node_free(node);
	return points;
}

void poly_places_free(struct poly_places *p)
{
	isl_union_map_free(p->at);
	isl_union_set_free(p->domain);
}

/* "{ S[..] -> [p0, p1, z..] }" of the members of tile operations. */
static void member_points(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_places *p)
{
	int n_outer = poly_kernel_n_outer(prog, kernel), n;
	struct poly_stmt **op = poly_kernel_list(prog, kernel, &n);

	p->at = isl_union_map_empty(isl_set_get_space(prog->context));
	p->domain = isl_union_set_empty(isl_set_get_space(prog->context));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < op[i]->n_member; j++) {
			struct poly_stmt *m = op[i]->member[j];
			isl_map *map;

			if (!m->at)
				continue;
			map = isl_map_reverse(poly_own_points(isl_map_reverse(
				poly_member_points(op[i], m)), n_outer));
			p->at = isl_union_map_add_map(p->at, map);
			p->domain = isl_union_set_add_set(p->domain,
				isl_set_copy(m->domain));
		}
	free(op);
}

struct forget {
	isl_union_map *all;
	isl_id *id;
};

/* Callback of forget: project the parameter out of "map" if the map has it. */
static isl_stat forget_param(__isl_take isl_map *map, void *user)
{
	struct forget *f = user;
	int pos = isl_map_find_dim_by_id(map, isl_dim_param, f->id);

	if (pos >= 0)
		map = isl_map_project_out(map, isl_dim_param, pos, 1);
	f->all = isl_union_map_add_map(f->all, map);
	return isl_stat_ok;
}

/* "at" for all values of the parameter "name", a coordinate of a launch, which is
 * "value".
 */
static __isl_give isl_union_map *forget(__isl_take isl_union_map *at,
	const char *name, __isl_take isl_union_pw_aff *value)
{
	struct forget f = { isl_union_map_empty(isl_union_map_get_space(at)),
		isl_id_alloc(isl_union_map_get_ctx(at), name, NULL) };
	isl_union_set *all = isl_union_pw_aff_domain(
		isl_union_pw_aff_copy(value));

	value = isl_union_pw_aff_sub(value,
		isl_union_pw_aff_param_on_domain_id(all, isl_id_copy(f.id)));
	at = isl_union_map_intersect_domain(at,
		isl_union_pw_aff_zero_union_set(value));
	isl_union_map_foreach_map(at, forget_param, &f);
	isl_union_map_free(at);
	isl_id_free(f.id);
	return f.all;
}

/* "at", which knows the coordinates of a launch as parameters, without these. */
static __isl_give isl_union_map *any_launch(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_union_map *at)
{
	isl_multi_union_pw_aff *launch = poly_kernel_launch(prog, kernel);
	int n = poly_kernel_n_host(prog, kernel);

	for (int i = 0; i < n; i++)
		at = forget(at, poly_coordinate(prog, POLY_LAUNCH + i),
			isl_multi_union_pw_aff_get_at(launch, i));
	isl_multi_union_pw_aff_free(launch);
	return at;
}

void poly_find_places(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_places *p)
{
	isl_schedule_node *node;

	if (kernel->tiled) {
		member_points(prog, kernel, p);
		return;
	}
	node = isl_schedule_node_child(poly_kernel_node(prog, kernel), 0);
	p->at = any_launch(prog, kernel, poly_kernel_axes(kernel, node));
	p->domain = poly_kernel_domain(prog, kernel);
	isl_schedule_node_free(node);
}

/* Add floor(p0/4) mod 8, ..: the digits of the thread that has the point. */
static __isl_give isl_aff_list *add_threads(__isl_take isl_aff_list *list,
	__isl_keep isl_space *point, const struct poly_kernel *k)
{
	struct poly_layout l = poly_kernel_digits(k);

	for (int i = 0; i < l.n_digit; i++) {
		const struct poly_digit *g = &l.digit[i];

		for (int d = 0; d < 2 && g->place == POLY_PLACE_THREAD; d++)
			if (g->step[d])
				list = isl_aff_list_add(list, poly_modulo(
					poly_floor(poly_at(point, "p%d", d),
						g->step[d]), g->radix));
	}
	return list;
}

__isl_give isl_union_map *poly_place_of(struct poly_prog *prog,
	const struct poly_kernel *k, bool thread)
{
	int n = k->tiled ? poly_kernel_n_outer(prog, k) : k->n_batch;
	int from = thread || !k->tiled ? 0 : poly_kernel_n_host(prog, k);
	isl_space *point = poly_point_tuple(prog->ctx, n);
	isl_aff_list *list = isl_aff_list_alloc(prog->ctx, 2 + n);

	for (int d = 0; d < 2; d++)
		list = isl_aff_list_add(list, poly_floor(
			poly_at(point, "p%d", d), k->tile[d]));
	list = poly_add_at(list, point, 2 + from, 2 + n);
	if (thread)
		list = add_threads(list, point, k);
	return isl_union_map_from_map(poly_function_map(point, NULL, list));
}
