/* Dependences once registers hold an array's elements inside a kernel.
 *
 * Where the order of the text is the meaning, dependences cannot be computed
 * anew from statements that the text does not have. They follow from those that
 * there are: at one point of the kernel the pairs stay, through registers now;
 * a pair through the array that enters or leaves the kernel, or goes to another
 * launch, gets the load or the store of its point as that end:
 *
 *	before: W -> S		after: W -> load -> S -> store -> R
 *		S -> R
 */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/memory/memory.h"

/* The dependences through "array", as they are and as they become. */
struct reroute {
	struct poly_prog *prog;
	__isl_keep isl_union_map *points;	/* members -> [p0, p1, z..] */
	isl_union_map *same;			/* members at one point */
	isl_union_map *load, *store;		/* members -> their own */
	const struct poly_array *array;
	isl_union_map *kept, *moved;
	bool by_sink;	/* what the sink writes tells the array of a pair */
	isl_union_map *source, *sink;	/* what the ends become */
};

/* Members -> the instance of "move" at their point. */
static __isl_give isl_union_map *to_move(struct poly_prog *prog,
	__isl_keep isl_union_map *points, const struct poly_stmt *move)
{
	isl_map *at;

	if (!move)
		return isl_union_map_empty(isl_set_get_space(prog->context));
	at = isl_map_from_multi_aff(isl_multi_aff_copy(move->at));
	at = isl_map_intersect_range(at, isl_set_copy(move->domain));
	return isl_union_map_apply_range(isl_union_map_copy(points),
		isl_union_map_from_map(at));
}

/* Is "map" one of pairs through the array? The statement at the end that tells
 * so writes it.
 */
static bool is_through(const struct reroute *r, __isl_keep isl_map *map)
{
	const char *name = isl_map_get_tuple_name(map,
		r->by_sink ? isl_dim_out : isl_dim_in);
	struct poly_stmt *stmt = name ? poly_prog_find_stmt(r->prog, name) :
		NULL;

	return stmt && stmt->write_array == r->array;
}

/* The pairs of "map" with members as sources, or else sinks, replaced. */
static __isl_give isl_union_map *replace(const struct reroute *r,
	__isl_take isl_union_map *map, bool source)
{
	isl_union_set *members =
		isl_union_map_domain(isl_union_map_copy(r->points));
	isl_union_map *part = isl_union_map_copy(map);

	if (source) {
		part = isl_union_map_intersect_domain(part,
			isl_union_set_copy(members));
		map = isl_union_map_subtract_domain(map, members);
		part = isl_union_map_apply_domain(part,
			isl_union_map_copy(r->source));
	} else {
		part = isl_union_map_intersect_range(part,
			isl_union_set_copy(members));
		map = isl_union_map_subtract_range(map, members);
		part = isl_union_map_apply_range(part,
			isl_union_map_copy(r->sink));
	}
	return isl_union_map_union(map, part);
}

/* Keep the pairs of "map" that are not through the array, or stay at one point;
 * of the others the members become loads or stores.
 */
static isl_stat reroute_map(__isl_take isl_map *map, void *user)
{
	struct reroute *r = user;
	bool through = is_through(r, map);
	isl_union_map *all = isl_union_map_from_map(map), *stay;

	if (!through) {
		r->kept = isl_union_map_union(r->kept, all);
		return isl_stat_ok;
	}
	stay = isl_union_map_intersect(isl_union_map_copy(all),
		isl_union_map_copy(r->same));
	all = isl_union_map_subtract(all, isl_union_map_copy(stay));
	r->kept = isl_union_map_union(r->kept, stay);
	all = replace(r, replace(r, all, true), false);
	r->moved = isl_union_map_union(r->moved, all);
	return isl_stat_ok;
}

/* Reroute "*deps", whose sources become "source" and sinks "sink"; what changes
 * goes to "*moved".
 */
static void reroute(struct reroute *r, isl_union_map **deps, bool by_sink,
	__isl_keep isl_union_map *source, __isl_keep isl_union_map *sink,
	isl_union_map **moved)
{
	r->by_sink = by_sink;
	r->source = source;
	r->sink = sink;
	r->kept = isl_union_map_empty(isl_set_get_space(r->prog->context));
	r->moved = isl_union_map_copy(r->kept);
	isl_union_map_foreach_map(*deps, reroute_map, r);
	isl_union_map_free(*deps);
	*deps = r->kept;
	*moved = poly_union_map_coalesce(isl_union_map_union(*moved, r->moved));
}

/* The members that touch the array, with their points. */
static __isl_give isl_union_map *touching(const struct reroute *r)
{
	isl_union_map *result = isl_union_map_empty(
		isl_set_get_space(r->prog->context));

	for (int i = 0; i < r->prog->n_stmt; i++) {
		struct poly_stmt *s = r->prog->stmt[i];

		if (s->kind == POLY_POINT && poly_touches(s, r->array))
			result = isl_union_map_union(result,
				isl_union_map_intersect_domain(
					isl_union_map_copy(r->points),
					isl_union_set_from_set(
						isl_set_copy(s->domain))));
	}
	return result;
}

/* Order the members between the load and the store of their point. */
static void add_own(const struct reroute *r, const struct poly_stmt *load,
	const struct poly_stmt *store)
{
	struct poly_deps *d = &r->prog->deps;
	isl_union_map *points = touching(r);
	isl_union_map *from = to_move(r->prog, points, load);
	isl_union_map *to = to_move(r->prog, points, store);

	d->anti = isl_union_map_union(d->anti, isl_union_map_apply_range(
		isl_union_map_reverse(isl_union_map_copy(from)),
		isl_union_map_copy(to)));
	d->flow = isl_union_map_union(d->flow, isl_union_map_reverse(from));
	d->flow = isl_union_map_union(d->flow, to);
	isl_union_map_free(points);
}

isl_stat poly_reroute(struct poly_prog *prog,
	__isl_take isl_union_map *points, const struct poly_array *array,
	const struct poly_stmt *load, const struct poly_stmt *store)
{
	struct reroute r = { .prog = prog, .points = points, .array = array };
	struct poly_deps *d = &prog->deps;
	isl_union_map *flow = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_union_map *anti = isl_union_map_copy(flow);
	isl_union_map *output = isl_union_map_copy(flow);

	r.load = to_move(prog, points, load);
	r.store = to_move(prog, points, store);
	r.same = isl_union_map_apply_range(isl_union_map_copy(points),
		isl_union_map_reverse(isl_union_map_copy(points)));
	reroute(&r, &d->flow, false, r.store, r.load, &flow);
	reroute(&r, &d->reduction, false, r.store, r.load, &flow);
	reroute(&r, &d->output, false, r.store, r.store, &output);
	reroute(&r, &d->anti, true, r.load, r.store, &anti);
	d->flow = isl_union_map_union(d->flow, flow);
	d->anti = isl_union_map_union(d->anti, anti);
	d->output = isl_union_map_union(d->output, output);
	add_own(&r, load, store);
	isl_union_map_free(points);
	isl_union_map_free(r.load);
	isl_union_map_free(r.store);
	isl_union_map_free(r.same);
	return d->flow && d->anti && d->output ? isl_stat_ok : isl_stat_error;
}
