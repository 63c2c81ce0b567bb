/* Two concrete instances of a violated dependence: of the statements that come
 * first in the program, the smallest sizes, and for these the first source and
 * sink.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"

/* The pair of statements that comes first in program order. */
struct first {
	struct poly_prog *prog;
	isl_map *map;
	int source, sink;
};

/* Callback of poly_witness_apart: keep "map" if it is not empty and its source,
 * or else its sink, comes before that of the map kept so far.
 */
static isl_stat keep_first(__isl_take isl_map *map, void *user)
{
	struct first *f = user;
	int source = poly_stmt_position(f->prog,
		isl_map_get_tuple_name(map, isl_dim_in));
	int sink = poly_stmt_position(f->prog,
		isl_map_get_tuple_name(map, isl_dim_out));
	bool before = !f->map || source < f->source ||
		(source == f->source && sink < f->sink);

	if (!before || isl_map_is_empty(map) != isl_bool_false) {
		isl_map_free(map);
		return isl_stat_ok;
	}
	isl_map_free(f->map);
	f->map = map;
	f->source = source;
	f->sink = sink;
	return isl_stat_ok;
}

/* Coordinate "i" of the points of parts of a set: the least one, NULL if there is none. */
struct least {
	int i;
	isl_val *v;
};

/* Callback for each part, some of which may have no point. */
static isl_stat take_least(__isl_take isl_basic_set *part, void *user)
{
	struct least *l = user;
	isl_set *set = isl_set_from_basic_set(part);
	isl_aff *own = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(set)), isl_dim_set, l->i);

	if (isl_set_is_empty(set) == isl_bool_false) {
		isl_val *v = isl_set_min_val(set, own);

		l->v = l->v ? isl_val_min(l->v, v) : v;
	}
	isl_aff_free(own);
	isl_set_free(set);
	return isl_stat_ok;
}

/* The first point of "set", one coordinate after the other: isl_set_lexmin, which has all
 * of them in one tableau, takes minutes where loops over millions are cut into parts.
 */
static __isl_give isl_point *first_of(__isl_take isl_set *set)
{
	int n = isl_set_dim(set, isl_dim_set);

	for (int i = 0; i < n; i++) {
		struct least l = { .i = i };

		isl_set_foreach_basic_set(set, take_least, &l);
		if (l.v && isl_val_is_int(l.v) == isl_bool_true)
			set = isl_set_fix_val(set, isl_dim_set, i, l.v);
		else
			isl_val_free(l.v);
	}
	return isl_set_sample_point(set);
}

/* The first point of "map" with nonnegative parameters, as a point of
 * [params, source, sink].
 */
static __isl_give isl_point *first_point(__isl_keep isl_map *map)
{
	isl_set *set = isl_map_wrap(isl_map_copy(map));
	int n_param = isl_set_dim(set, isl_dim_param);

	for (int i = 0; i < n_param; i++)
		set = isl_set_lower_bound_si(set, isl_dim_param, i, 0);
	set = isl_set_flatten(set);
	set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0,
		n_param);
	return first_of(set);
}

static void add_coordinate(struct poly_str *s, __isl_keep isl_point *point,
	int i)
{
	isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, i);

	poly_str_printf(s, "%ld", isl_val_get_num_si(v));
	isl_val_free(v);
}

/* Add "NAME[0, 1]", the instance whose coordinates "point" has from "first" on.
 * "type" says which end of "map" it is.
 */
static void add_tuple(struct poly_str *s, __isl_keep isl_map *map,
	enum isl_dim_type type, __isl_keep isl_point *point, int first)
{
	int n = isl_map_dim(map, type);
	const char *name = isl_map_get_tuple_name(map, type);

	poly_str_printf(s, "%s[", name ? name : "");
	for (int i = 0; i < n; i++) {
		poly_str_add(s, i ? ", " : "");
		add_coordinate(s, point, first + i);
	}
	poly_str_add(s, "]");
}

/* Add "[M = 1, N = 2] ", the values of the parameters of "map", which come
 * first in "point"; nothing if there are none.
 */
static void add_params(struct poly_str *s, __isl_keep isl_map *map,
	__isl_keep isl_point *point)
{
	int n = isl_map_dim(map, isl_dim_param);

	for (int i = 0; i < n; i++) {
		poly_str_printf(s, "%s%s = ", i ? ", " : "[",
			isl_map_get_dim_name(map, isl_dim_param, i));
		add_coordinate(s, point, i);
	}
	poly_str_add(s, n ? "] " : "");
}

/* Say how far the sink is from the source along the outer indices that both have
 * by one name: "i 0, k 1".
 */
static void add_distance(struct poly_str *s, struct poly_prog *prog,
	__isl_keep isl_map *map, __isl_keep isl_point *point)
{
	const struct poly_stmt *from = poly_prog_find_stmt(prog,
		isl_map_get_tuple_name(map, isl_dim_in));
	const struct poly_stmt *to = poly_prog_find_stmt(prog,
		isl_map_get_tuple_name(map, isl_dim_out));
	int n_param = isl_map_dim(map, isl_dim_param);
	int n_in = isl_map_dim(map, isl_dim_in);
	int n_out = isl_map_dim(map, isl_dim_out);

	for (int i = 0; from && to && i < n_in && i < n_out; i++) {
		const char *a = isl_set_get_dim_name(from->domain,
			isl_dim_set, i);
		const char *b = isl_set_get_dim_name(to->domain,
			isl_dim_set, i);
		isl_val *d;

		if (!a || !b || strcmp(a, b))
			break;
		d = isl_val_sub(isl_point_get_coordinate_val(point,
			isl_dim_set, n_param + n_in + i),
			isl_point_get_coordinate_val(point, isl_dim_set,
				n_param + i));
		poly_str_printf(s, "%s%s %ld", i ? ", " : "", a,
			isl_val_get_num_si(d));
		isl_val_free(d);
	}
}

struct poly_pair poly_witness_apart(struct poly_prog *prog,
	__isl_keep isl_union_map *deps, struct poly_str *distance)
{
	struct poly_str source = { 0 }, sink = { 0 };
	struct first f = { .prog = prog };
	isl_point *point;
	isl_map *map;

	isl_union_map_foreach_map(deps, keep_first, &f);
	map = f.map;
	point = map ? first_point(map) : NULL;
	if (point && isl_point_is_void(point) == isl_bool_false) {
		int n_param = isl_map_dim(map, isl_dim_param);
		int n_in = isl_map_dim(map, isl_dim_in);

		add_params(&source, map, point);
		add_tuple(&source, map, isl_dim_in, point, n_param);
		add_tuple(&sink, map, isl_dim_out, point, n_param + n_in);
		if (distance)
			add_distance(distance, prog, map, point);
	} else {
		poly_str_add(&source, "an instance");
		poly_str_add(&sink, "another");
	}
	isl_point_free(point);
	isl_map_free(map);
	return (struct poly_pair){ source.s, sink.s };
}

struct poly_pair poly_witness(struct poly_prog *prog,
	__isl_keep isl_union_map *deps)
{
	return poly_witness_apart(prog, deps, NULL);
}
