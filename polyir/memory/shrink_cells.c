/* How few cells of a dimension do, by the times at which its elements are accessed.
 *
 *	u[t] written at t, last read at t + 1		cells: u[t mod 2]
 *
 * "M" cells do if whoever writes element a + M, a + M + 1, .. of the dimension comes
 * after all who access element a. The dimension is one that no threads count, and all
 * accesses are inside of it.
 */
#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/memory/memory.h"
#include "polyir/memory/shrink.h"

static __isl_give isl_union_map *accesses(const struct poly_shrink *s)
{
	return isl_union_map_union(isl_union_map_copy(s->reads),
		isl_union_map_copy(s->writes));
}

/* A look at the accesses of statement "stmt" to an array. */
struct look {
	const struct poly_shrink *s;
	const struct poly_stmt *stmt;
	isl_union_map *block;
	int dim;
	bool uniform;
};

/* Is dimension "dim" of "index" a function of where the statement's instances are, but
 * for threads and tiles?
 */
static bool is_uniform(const struct look *k,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_map *value = isl_map_from_pw_aff(
		isl_multi_pw_aff_get_at(index, k->dim));
	isl_union_map *at = isl_union_map_apply_domain(
		isl_union_map_from_map(value), isl_union_map_copy(k->block));
	bool is = isl_union_map_is_single_valued(at) == isl_bool_true;

	isl_union_map_free(at);
	return is;
}

/* The dimension must be uniform in a read of the array, too. */
static void look_at_read(struct poly_expr *leaf, void *user)
{
	struct look *k = user;

	if (leaf->array == k->s->array && k->uniform)
		k->uniform = is_uniform(k, leaf->index);
}

bool poly_is_of_steps(const struct poly_shrink *s, int dim,
	const struct poly_clock *clock)
{
	struct look k = { s, NULL, clock->block, dim, true };

	for (int i = 0; i < s->prog->n_stmt && k.uniform; i++) {
		struct poly_stmt *stmt = s->prog->stmt[i];

		if (stmt->kind != POLY_POINT)
			continue;
		k.stmt = stmt;
		poly_expr_each_access(stmt->rhs, look_at_read, &k);
		if (stmt->write_array == s->array && k.uniform)
			k.uniform = is_uniform(&k, stmt->write_index);
	}
	return k.uniform;
}

bool poly_is_inside(const struct poly_shrink *s, int dim)
{
	isl_set *all = isl_set_from_union_set(isl_union_map_range(
		accesses(s)));
	isl_set *box = poly_array_box(s->array, dim);
	isl_set *range = poly_range_of(all, dim);
	isl_set *room = poly_range_of(box, dim);
	bool is;

	range = isl_set_intersect_params(range, poly_known_sizes(s->prog));
	is = isl_set_is_subset(range, room) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(box);
	isl_set_free(range);
	isl_set_free(room);
	return is;
}

/* "[t..] -> [t'..]" where t' is at or before t. */
static __isl_give isl_union_map *not_after(__isl_keep isl_union_map *time)
{
	isl_union_set *all = isl_union_map_range(isl_union_map_copy(time));
	isl_set *set = isl_set_from_union_set(all);
	isl_space *space = isl_set_get_space(set);

	isl_set_free(set);
	return isl_union_map_from_map(isl_map_lex_ge(space));
}

/* "access" at its times. What each statement accesses is taken for a whole: of six faces
 * of a cube, with what lies between, there is less to ask, and the same steps.
 */
static __isl_give isl_union_map *at_times(__isl_take isl_union_map *access,
	__isl_keep isl_union_map *time)
{
	return isl_union_map_apply_domain(isl_union_map_simple_hull(access),
		isl_union_map_copy(time));
}

/* How far apart elements are along "dim" of which the first is accessed when, or after,
 * the second is written: the second's place less the first's.
 */
static __isl_give isl_set *find_distances(const struct poly_shrink *s, int dim,
	__isl_keep isl_union_map *time)
{
	isl_union_map *access = at_times(accesses(s), time);
	isl_union_map *write = at_times(isl_union_map_copy(s->writes), time);
	isl_union_map *both = isl_union_map_apply_range(
		isl_union_map_reverse(access), not_after(time));
	isl_set *apart, *range;

	both = isl_union_map_apply_range(both, write);
	both = isl_union_map_intersect(both,
		isl_union_map_from_map(poly_along(s->array, dim)));
	both = isl_union_map_intersect_params(both,
		poly_known_sizes(s->prog));
	if (isl_union_map_n_map(both) != 1) {
		isl_union_map_free(both);
		return NULL;
	}
	apart = isl_map_deltas(isl_map_from_union_map(both));
	range = poly_range_of(apart, dim);
	isl_set_free(apart);
	return range;
}

/* The whole number "v", which is taken, or -1 if it is none. */
static int64_t number_of(__isl_take isl_val *v)
{
	int64_t n = isl_val_is_int(v) == isl_bool_true ?
		isl_val_get_num_si(v) : -1;

	isl_val_free(v);
	return n;
}

/* Set "f" to the way to keep dimension "dim" that needs the fewest cells by "time";
 * false if no number of them does for all sizes, or if it would be no smaller.
 */
static bool find_cells(const struct poly_shrink *s, int dim,
	__isl_keep isl_union_map *time, struct poly_cells *f)
{
	int64_t extent = poly_fixed_extent(s->prog, s->array, dim), up, down;
	isl_set *apart = find_distances(s, dim, time);
	isl_val *least;

	if (!apart)
		return false;
	least = isl_set_dim_min_val(isl_set_copy(apart), 0);
	up = number_of(isl_set_dim_max_val(apart, 0));
	down = number_of(isl_val_neg(least));
	*f = (struct poly_cells){ .dim = dim, .down = up < 0 ||
		(down >= 0 && down < up) };
	f->n = (f->down ? down : up) + 1;
	return f->n > 0 && (extent < 0 || f->n < extent);
}

/* How many elements "array" has along "dim", typically. */
static double length_of(const struct poly_shrink *s, int dim)
{
	isl_set *box = poly_array_box(s->array, dim);
	double n = poly_range_count(s->prog, poly_range_of(box, dim), 0);

	isl_set_free(box);
	return n;
}

bool poly_fewest_cells(const struct poly_shrink *s, const struct poly_clock *clock,
	struct poly_cells *best)
{
	double gain = 1;

	for (int d = 0; d < s->array->n_dim; d++) {
		struct poly_cells f;

		if (poly_fixed_extent(s->prog, s->array, d) == 1 ||
		    !poly_is_of_steps(s, d, clock) ||
		    !find_cells(s, d, clock->time, &f) ||
		    length_of(s, d) <= gain * f.n || !poly_is_inside(s, d))
			continue;
		gain = length_of(s, d) / f.n;
		*best = f;
	}
	return gain > 1;
}
