/* How an array lies, for copies of boxes: its dimensions, the fastest one first. */
#include <inttypes.h>
#include "runtime/image/image.h"

/* Bytes of a row of a box: the width of a swizzled column
 * (polyir/layout/spread.c).
 */
enum { MAP_ROW_BYTES = 128 };

/* An empty array may begin anywhere, and have rows of no bytes, which no device takes. As
 * nothing of it is copied, let "map" tell of one element a dimension, at a place that is none.
 */
static void lie_nowhere(struct cetane_rt_map *map)
{
	map->base = MAP_ROW_BYTES;
	for (int i = 0; i < map->n_dim; i++) {
		map->size[i] = 1;
		map->stride[i] = i == 0 ? map->elem_bytes : MAP_ROW_BYTES;
	}
}

/* The dimensions between the first and the last one that a box walks along, the fastest
 * one first; false if a corner has too many bits.
 */
static bool record_walks(const struct cetane_rt_arg *a, const int64_t *extent,
	struct cetane_rt_map *map)
{
	bool fit = true;

	for (int i = 0; i < a->n_walk; i++) {
		const struct cetane_rt_walk *w = &a->walk[a->n_walk - 1 - i];
		int64_t high = w->low + (int64_t) w->step * (w->count - 1) -
			(extent[a->n_walk - i] - 1);

		fit &= w->low >= INT16_MIN && w->low <= INT16_MAX &&
			high >= INT16_MIN && high <= INT16_MAX;
		map->low[i] = (int16_t) w->low;
		map->high[i] = (int16_t) high;
		map->step[i] = (uint8_t) w->step;
	}
	map->slides = a->n_walk > 0;
	return fit;
}

/* Sizes and strides are in elements and bytes as cuTensorMapEncodeTiled wants
 * them. "a" is an argument of kind MAP, checked by image.c.
 */
enum cetane_status cetane_rt_record_map(const struct cetane_rt_record *r,
	const struct cetane_rt_arg *a, const int64_t *size, cetane_ptr at,
	struct cetane_rt_map *map)
{
	const struct cetane_rt_array *array = &r->array[a->index];
	int64_t extent[CETANE_RT_MAX_DIM], stride[CETANE_RT_MAX_DIM];
	bool empty = false;

	if (!cetane_rt_record_extents(r, a->index, size, extent))
		return cetane_rt_fail(CETANE_INVALID_VALUE,
			"%s: %s is too large for any memory", r->program,
			array->name);
	cetane_rt_record_strides(r, a->index, size, extent, stride);
	*map = (struct cetane_rt_map) { .base = at,
		.n_dim = (uint16_t) (array->n_dim - (a->across - a->line)),
		.elem_bytes = (uint16_t) array->elem_bytes };
	for (int d = array->n_dim - 1, i = 0; d >= 0; d--, i++) {
		int64_t n = extent[d];

		map->stride[i] = (uint64_t) stride[d] *
			(uint64_t) array->elem_bytes;
		map->box[i] = i == 0 ? MAP_ROW_BYTES / map->elem_bytes :
			d == a->across ? (uint32_t) a->rows : 1;
		/* what lies in memory as one dimension is one */
		for (int end = d == a->across ? a->line : d; d > end; d--)
			n *= extent[d - 1];
		if (n > INT32_MAX)
			return cetane_rt_fail(CETANE_INVALID_VALUE, "%s: a dimension "
				"of %s has %" PRId64 " elements; copies of boxes "
				"count them in 32 bits", r->program, array->name, n);
		map->size[i] = (uint64_t) n;
		empty |= n <= 0;
	}
	if (empty)
		lie_nowhere(map);
	return record_walks(a, extent, map) ? CETANE_OK : cetane_rt_fail(
		CETANE_INVALID_VALUE, "%s: %s has windows that no map has room for",
		r->program, array->name);
}
