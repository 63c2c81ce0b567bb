/* Relations in which numbers are compared two at a time.
 *
 * Where every constraint is x - y + c >= 0, x + c >= 0 or c - x >= 0, or such an
 * equation, what follows from some of them is of that kind, too: the same is true
 * of intersections, projections, complements, least and greatest elements. So
 * isl needs no existentially quantified variables for any of these. A stride is
 * no difference, nor is a subscript i + j.
 */
#include <isl/constraint.h>
#include <isl/val.h>

#include "polyir/sets/sets.h"

/* Count the factors of "c" in dimensions of "type": "*n_up" are 1, "*n_down" -1.
 * Are there no others?
 */
static bool count_factors(__isl_keep isl_constraint *c, enum isl_dim_type type,
	int *n_up, int *n_down)
{
	isl_size n = isl_constraint_dim(c, type);
	bool units = n >= 0;

	for (int i = 0; units && i < n; i++) {
		isl_val *v = isl_constraint_get_coefficient_val(c, type, i);
		bool up = isl_val_is_one(v) == isl_bool_true;
		bool down = isl_val_is_negone(v) == isl_bool_true;

		*n_up += up;
		*n_down += down;
		units = up || down || isl_val_is_zero(v) == isl_bool_true;
		isl_val_free(v);
	}
	return units;
}

/* Is "c" one of those above? "*ok" says so; the search ends where it is not. */
static isl_stat see_constraint(__isl_take isl_constraint *c, void *user)
{
	bool *ok = user;
	int n_up = 0, n_down = 0;

	*ok = count_factors(c, isl_dim_param, &n_up, &n_down) &&
		count_factors(c, isl_dim_in, &n_up, &n_down) &&
		count_factors(c, isl_dim_out, &n_up, &n_down) &&
		n_up <= 1 && n_down <= 1;
	isl_constraint_free(c);
	return *ok ? isl_stat_ok : isl_stat_error;
}

/* Is "piece" without quotients, and each constraint such a comparison? */
static isl_stat see_piece(__isl_take isl_basic_map *piece, void *user)
{
	bool *ok = user;

	*ok = isl_basic_map_dim(piece, isl_dim_div) == 0;
	if (*ok)
		isl_basic_map_foreach_constraint(piece, see_constraint, ok);
	isl_basic_map_free(piece);
	return *ok ? isl_stat_ok : isl_stat_error;
}

static isl_stat see_map(__isl_take isl_map *map, void *user)
{
	isl_stat ok = isl_map_foreach_basic_map(map, see_piece, user);

	isl_map_free(map);
	return ok;
}

bool poly_are_differences(__isl_keep isl_union_map *maps)
{
	bool ok = true;

	return isl_union_map_foreach_map(maps, see_map, &ok) == isl_stat_ok &&
		ok;
}
