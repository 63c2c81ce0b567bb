/* Questions about a layout, answered from the list of its places. */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

/* --------------------------------------------------------- counts of places */

int poly_layout_span(const struct poly_layout *l, int at)
{
	int n, most = -1;
	struct poly_held *list = poly_layout_list(l, &n);

	for (int i = 0; list && i < n; i++)
		if (list[i].at[at] > most)
			most = list[i].at[at];
	if (!list)
		return -1;
	free(list);
	return most + 1;
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *) a, y = *(const int *) b;

	return (x > y) - (x < y);
}

int poly_layout_count(const struct poly_layout *l, int at)
{
	int n, count = -1;
	struct poly_held *list = poly_layout_list(l, &n);
	int *v = list ? malloc(((size_t) n + 1) * sizeof(*v)) : NULL;

	for (int i = 0; v && i < n; i++)
		v[i] = list[i].at[at];
	if (v) {
		qsort(v, (size_t) n, sizeof(*v), compare_ints);
		count = n > 0;
		for (int i = 1; i < n; i++)
			count += v[i] != v[i - 1];
	}
	free(v);
	free(list);
	return count;
}

/* ---------------------------------------------------------- places of an x */

bool poly_layout_owner(const struct poly_layout *l, const int *x,
	struct poly_held *owner)
{
	int n, i = 0;
	struct poly_held *list = poly_layout_list(l, &n);
	bool found;

	while (i < n && memcmp(list[i].x, x,
	       (size_t) l->n_dim * sizeof(*x)))
		i++;
	found = i < n;
	if (found)
		*owner = list[i];
	free(list);
	return found;
}

/* For each point of the box, how many places hold it; NULL without memory. */
static int *holders(const struct poly_layout *l, int64_t *volume)
{
	int n, *count = NULL;
	struct poly_held *list = poly_layout_list(l, &n);

	*volume = l ? poly_layout_volume(l) : 0;
	if (list && *volume <= POLY_LAYOUT_PLACES)
		count = calloc((size_t) *volume + 1, sizeof(*count));
	for (int i = 0; count && i < n; i++)
		count[poly_layout_point(l, list[i].x)]++;
	free(list);
	return count;
}

int poly_layout_replication(const struct poly_layout *l)
{
	int64_t volume;
	int *count = holders(l, &volume), most = count ? 0 : -1;

	for (int64_t i = 0; count && i < volume; i++)
		most = count[i] > most ? count[i] : most;
	free(count);
	return most;
}

bool poly_layout_is_injective(const struct poly_layout *l)
{
	int most = poly_layout_replication(l);

	return most == 0 || most == 1;
}

bool poly_layout_covers(const struct poly_layout *l)
{
	int64_t volume;
	int *count = holders(l, &volume);
	bool covers = count != NULL;

	for (int64_t i = 0; covers && i < volume; i++)
		covers = count[i] > 0;
	free(count);
	return covers;
}

/* --------------------------------------------------------------------- runs */

static int compare_points(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static int common_divisor(int a, int b)
{
	while (b) {
		int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* "run" and the lengths of all runs in the "n" points, in lines of "line". */
static int divide_runs(int64_t *point, int n, int line, int run)
{
	int length = 1;

	qsort(point, (size_t) n, sizeof(*point), compare_points);
	for (int i = 1; i <= n; i++) {
		if (i < n && point[i] == point[i - 1])
			continue;
		if (i < n && point[i] == point[i - 1] + 1 && point[i] % line) {
			length++;
			continue;
		}
		run = common_divisor(run, length);
		length = 1;
	}
	return run;
}

/* The number of "x" in the box, with dimension "dim" inside. */
static int64_t along(const struct poly_layout *l, const int *x, int dim)
{
	int64_t point = 0;

	for (int i = 0; i < l->n_dim; i++)
		if (i != dim)
			point = point * l->extent[i] + x[i];
	return point * l->extent[dim] + x[dim];
}

static bool is_same_thread(const struct poly_held *a,
	const struct poly_held *b)
{
	return a->at[POLY_AT_CLUSTER] == b->at[POLY_AT_CLUSTER] &&
		a->at[POLY_AT_THREAD] == b->at[POLY_AT_THREAD];
}

int poly_layout_run(const struct poly_layout *l, int dim)
{
	int n, run = 0, from = 0;
	struct poly_held *list = poly_layout_list(l, &n);
	int64_t *point = list ? malloc(((size_t) n + 1) * sizeof(*point)) :
		NULL;

	for (int i = 0; point && i < n; i++)
		point[i] = along(l, list[i].x, dim);
	for (int i = 1; point && i <= n; i++) {
		if (i < n && is_same_thread(&list[i], &list[from]))
			continue;
		run = divide_runs(point + from, i - from, l->extent[dim], run);
		from = i;
	}
	if (!point)
		run = -1;
	free(point);
	free(list);
	return run;
}
