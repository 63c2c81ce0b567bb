/* How an array lies, for copies of boxes: its dimensions, the fastest one first. */
#include "runtime/image/image.h"

/* Bytes of a row of a box: the width of a swizzled column
 * (polyir/layout/spread.c).
 */
enum { MAP_ROW_BYTES = 128 };

/* Sizes and strides are in elements and bytes as cuTensorMapEncodeTiled wants
 * them. "a" is an argument of kind MAP, checked by image.c.
 */
enum cetane_status cetane_rt_record_map(const struct cetane_rt_record *r,
	const struct cetane_rt_arg *a, const int64_t *size, cetane_ptr at,
	struct cetane_rt_map *map)
{
	const struct cetane_rt_array *array = &r->array[a->index];
	uint64_t stride = (uint64_t) array->elem_bytes;

	*map = (struct cetane_rt_map) { .base = at,
		.n_dim = (uint32_t) array->n_dim,
		.elem_bytes = (uint32_t) array->elem_bytes };
	for (int i = 0; i < array->n_dim; i++) {
		int d = array->n_dim - 1 - i;
		int64_t n;

		if (!cetane_rt_formula_value(&array->extent[d], size, NULL, &n))
			return cetane_rt_fail(CETANE_INVALID_VALUE,
				"%s: %s is too large for any memory",
				r->program, array->name);
		/* of an empty array nothing is copied */
		map->size[i] = n > 0 ? (uint64_t) n : 1;
		map->stride[i] = stride;
		if (i == 0)
			stride *= (uint64_t) cetane_rt_record_row(r, a->index,
				size, n > 0 ? n : 1);
		else
			stride *= map->size[i];
		map->box[i] = i == 0 ? MAP_ROW_BYTES / map->elem_bytes :
			d == a->across ? (uint32_t) a->rows : 1;
	}
	return CETANE_OK;
}
