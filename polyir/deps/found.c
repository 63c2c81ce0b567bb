/* The dependences through an array, for as long as they are what they were.
 *
 * Several passes ask for them: what is read from a temporary, which loops it
 * keeps from being parallel, what must stay in order once it is an array. They
 * follow from the accesses to the array and the order of the text alone. Both
 * are held here, so that isl changes none of them in place, beside what was
 * found; others count as the same only where isl sees that without computing
 * anything.
 */
#include <stdlib.h>

#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"

/* Has the union map "user" this map, too? An error, which ends the search, says
 * no.
 */
static isl_stat is_map_in(__isl_take isl_map *map, void *user)
{
	isl_union_map *other = user;
	isl_map *same = isl_union_map_extract_map(other, isl_map_get_space(map));
	isl_bool equal = isl_map_plain_is_equal(map, same);

	isl_map_free(same);
	isl_map_free(map);
	return equal == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

/* Are both the same maps, as far as isl sees that without computing anything?
 */
static bool is_same(__isl_keep isl_union_map *a, __isl_keep isl_union_map *b)
{
	return a == b || (isl_union_map_n_map(a) == isl_union_map_n_map(b) &&
		isl_union_map_foreach_map(a, is_map_in, b) == isl_stat_ok);
}

/* Was "f" found with the same accesses, in the same order of the text? */
static bool holds(const struct poly_found *f, const struct poly_prog *prog,
	__isl_keep isl_union_map **access)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		if (!is_same(f->access[i], access[i]))
			return false;
	return isl_schedule_plain_is_equal(f->original, prog->original) ==
		isl_bool_true;
}

struct poly_found *poly_found_at(struct poly_prog *prog,
	const struct poly_array *array, __isl_keep isl_union_map **access)
{
	struct poly_found *f = prog->found;

	while (f && f->array != array)
		f = f->next;
	if (f && holds(f, prog, access))
		return f;
	if (f) {
		poly_found_clear(f);
	} else {
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		f->array = array;
		f->next = prog->found;
		prog->found = f;
	}
	for (int i = 0; i < POLY_N_ACCESS; i++)
		f->access[i] = isl_union_map_copy(access[i]);
	f->original = isl_schedule_copy(prog->original);
	return f;
}
