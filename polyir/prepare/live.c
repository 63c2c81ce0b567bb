/* One name, several variables: a temporary that is used again for something
 * else is split.
 *
 *	for (i) { w = a[i]; .. w .. }	for (i) { w = a[i]; .. w .. }
 *	for (i) { w = b[i]; .. w .. }	for (i) { v = b[i]; .. v .. }
 *
 * Statements between which values flow through the temporary belong together;
 * what no value connects needs no common storage.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* The statements of one temporary in groups: "group" has for each statement of
 * the program the number of another of its group, or its own.
 */
struct live {
	struct poly_prog *prog;
	struct poly_array *array;
	int *group;
};

static bool is_this(const struct poly_array *array, const void *user)
{
	return array == user;
}

/* The first statement of the group of "s". */
static int head(const struct live *v, int s)
{
	while (v->group[s] != s)
		s = v->group[s];
	return s;
}

/* The number of the statement whose instances "end" has, one end of a
 * dependence; that of all statements if it is none of the program.
 */
static int number_of(const struct live *v, __isl_take isl_set *end)
{
	const struct poly_stmt *stmt = poly_stmt_of_set(v->prog, end);
	int i = 0;

	isl_set_free(end);
	while (i < v->prog->n_stmt && v->prog->stmt[i] != stmt)
		i++;
	return i;
}

/* Make one group of those of both ends of "map"; the first statement of both
 * stands for it.
 */
static isl_stat join(__isl_take isl_map *map, void *user)
{
	struct live *v = user;
	int a = number_of(v, isl_map_domain(isl_map_copy(map)));
	int b = number_of(v, isl_map_range(map));

	if (a == v->prog->n_stmt || b == v->prog->n_stmt)
		return isl_stat_error;
	a = head(v, a);
	b = head(v, b);
	v->group[a > b ? a : b] = a > b ? b : a;
	return isl_stat_ok;
}

/* Put statements between which a value flows through the array into one group.
 */
static isl_stat find_groups(struct live *v)
{
	struct poly_deps d = { 0 };
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < v->prog->n_stmt; i++)
		v->group[i] = i;
	poly_deps_ordered(v->prog, &d, POLY_DEPS_VALUE, is_this, v->array);
	if (isl_union_map_foreach_map(d.flow, join, v) < 0 ||
	    isl_union_map_foreach_map(d.reduction, join, v) < 0)
		ok = isl_stat_error;
	poly_deps_clear(&d);
	return ok;
}

/* Give each group but the first an array of its own; "*n" counts them. */
static isl_stat split(struct live *v, int *n)
{
	int first = -1;

	for (int g = 0; g < v->prog->n_stmt; g++) {
		struct poly_array *to = NULL;

		if (v->group[g] != g ||
		    !poly_stmt_accesses(v->prog->stmt[g], v->array))
			continue;
		if (first < 0) {
			first = g;
			continue;
		}
		to = poly_add_like(v->prog, v->array, "again");
		if (!to)
			return isl_stat_error;
		++*n;
		for (int i = g; i < v->prog->n_stmt; i++)
			if (head(v, i) == g)
				poly_stmt_rename(v->prog->stmt[i],
					v->array, to);
	}
	return isl_stat_ok;
}

int poly_split_live(struct poly_prog *prog)
{
	struct live v = { .prog = prog };
	int most = prog->n_array, n = 0;
	isl_stat ok = isl_stat_ok;

	v.group = calloc(prog->n_stmt + 1, sizeof(*v.group));
	for (int i = 0; i < most && v.group && ok == isl_stat_ok; i++) {
		v.array = prog->array[i];
		if (!poly_is_temp(v.array) ||
		    v.array->space != POLY_GLOBAL)
			continue;
		ok = find_groups(&v);
		if (ok == isl_stat_ok)
			ok = split(&v, &n);
	}
	if (!v.group)
		ok = isl_stat_error;
	free(v.group);
	return ok < 0 ? -1 : n;
}
