/* The dependences through an array, for as long as they are what they were.
 *
 * Several passes ask for them: what is read from a temporary, which loops it
 * keeps from being parallel, what must stay in order once it is an array. They
 * follow from the accesses to the array and the order of the text alone. Both
 * are held here, so that isl changes none of them in place, beside what was
 * found; others count as the same only where isl sees that without computing
 * anything. A pass that gives other accesses the same flow of values says so.
 */
#include <stdlib.h>

#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/deps/flow_order.h"

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

static bool is_this(const struct poly_array *array, const void *user)
{
	return array == user;
}

struct poly_found *poly_found_values(struct poly_prog *prog,
	const struct poly_array *array)
{
	int n;
	struct poly_accesses *list = poly_list_accesses(prog, is_this, array,
		&n);
	struct poly_found *f = n ? poly_found_at(prog, array, list->of) : NULL;

	poly_free_accesses_list(list, n);
	return f && (f->kinds & POLY_DEPS_VALUE) ? f : NULL;
}

/* Which accesses meet in a cell is another matter: those dependences are left to be
 * found.
 */
void poly_found_keep_values(struct poly_prog *prog, struct poly_found *f)
{
	isl_space *space = isl_set_get_space(prog->context);
	int n;
	struct poly_accesses *list = poly_list_accesses(prog, is_this,
		f->array, &n);

	for (int i = 0; i < POLY_N_ACCESS; i++) {
		isl_union_map_free(f->access[i]);
		f->access[i] = n ? isl_union_map_copy(list->of[i]) : NULL;
	}
	poly_free_accesses_list(list, n);
	isl_union_map_free(f->deps.anti);
	isl_union_map_free(f->deps.output);
	f->deps.anti = isl_union_map_empty(isl_space_copy(space));
	f->deps.output = isl_union_map_empty(space);
	f->kinds = POLY_DEPS_VALUE;
	if (!n)
		poly_found_clear(f);
}
