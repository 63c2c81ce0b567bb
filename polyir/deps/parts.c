/* Parts of an array that no two accesses have in common.
 *
 * Lattices keep the values of a cell side by side, and name each by a number:
 *
 *	f[t][y][x][0] = ..; f[t][y][x][1] = ..; .. f[t - 1][y][x - 1][1] ..
 *
 * What is written to one of them is never read from another. isl would ask that
 * of each pair of accesses; the parts can be asked about one by one.
 */
#include <stdlib.h>

#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"

/* More parts than this are left together. */
enum { MOST_PARTS = 64 };

/* The numbers that dimension "dim" of an array has in the accesses looked at, if
 * all of them have one there.
 */
struct numbers {
	int dim, n;
	int64_t value[MOST_PARTS];
	bool all;
};

/* Note the number that "access" has in dimension k->dim, if it is a constant.
 * Ends the walk, with "all" false, at an access that has none there, or if
 * there are more than MOST_PARTS numbers.
 */
static isl_stat look_at(__isl_take isl_basic_map *access, void *user)
{
	struct numbers *k = user;
	isl_val *v = isl_basic_map_plain_get_val_if_fixed(access, isl_dim_out,
		k->dim);
	int64_t value = isl_val_get_num_si(v);
	int i = 0;

	k->all &= isl_val_is_int(v) == isl_bool_true;
	while (k->all && i < k->n && k->value[i] != value)
		i++;
	if (k->all && i == k->n && i < MOST_PARTS)
		k->value[k->n++] = value;
	else
		k->all &= i < MOST_PARTS;
	isl_val_free(v);
	isl_basic_map_free(access);
	return k->all ? isl_stat_ok : isl_stat_error;
}

static isl_stat look_at_each(__isl_take isl_map *map, void *user)
{
	isl_stat ok = isl_map_foreach_basic_map(map, look_at, user);

	isl_map_free(map);
	return ok;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The numbers of dimension "dim" in "accesses", in order. */
static struct numbers numbers_of(int dim,
	__isl_keep isl_union_map *const accesses[POLY_N_ACCESS])
{
	struct numbers k = { .dim = dim, .all = true };

	for (int i = 0; k.all && i < POLY_N_ACCESS; i++)
		isl_union_map_foreach_map(accesses[i], look_at_each, &k);
	qsort(k.value, (size_t)k.n, sizeof(k.value[0]), compare);
	return k;
}

__isl_give isl_set_list *poly_array_parts(const struct poly_array *array,
	__isl_keep isl_union_map *const accesses[POLY_N_ACCESS])
{
	isl_set *all = isl_set_universe(
		isl_multi_pw_aff_get_space(array->extent));
	isl_set_list *list;
	struct numbers k;

	for (int d = array->n_dim - 1; d >= 0; d--) {
		k = numbers_of(d, accesses);
		if (!k.all || k.n < 2)
			continue;
		list = isl_set_list_alloc(isl_set_get_ctx(all), k.n);
		for (int i = 0; i < k.n; i++)
			list = isl_set_list_add(list, isl_set_fix_si(
				isl_set_copy(all), isl_dim_set, (unsigned)d,
				(int)k.value[i]));
		isl_set_free(all);
		return list;
	}
	return isl_set_list_from_set(all);
}
