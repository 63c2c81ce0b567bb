/* How the points of a kernel's tile are spread over its threads and registers, and
 * the elements of its buffers over shared memory: as layouts.
 *
 * Until kernels carry layouts themselves, thread, tile and vec say it:
 *
 *	pd = bd*tile[d] + Rd*thread[d]*vec[d] + td*vec[d] + vd
 *
 * with the digits Rd and vd of registers and td of threads, t1 in the lanes.
 */
#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

struct poly_layout poly_kernel_digits(const struct poly_kernel *kernel)
{
	const struct poly_kernel *k = kernel;
	struct poly_layout l = poly_layout_begin(2, k->tile);
	int column = k->tile[1] / k->thread[1];

	poly_layout_add_along(&l, POLY_PLACE_THREAD, k->thread[0],
		k->thread[1], 0, k->tiled ? k->vec[0] : 1);
	poly_layout_add_along(&l, POLY_PLACE_THREAD, k->thread[1], 1, 1,
		k->tiled ? k->vec[1] : 1);
	for (int d = 0; d < 2; d++) {
		int vec = k->tiled ? k->vec[d] : 1, weight = d ? 1 : column;
		int run = k->thread[d] * vec;

		poly_layout_add_along(&l, POLY_PLACE_REG, k->tile[d] / run,
			vec * weight, d, run);
		poly_layout_add_along(&l, POLY_PLACE_REG, vec, weight, d, 1);
	}
	return l;
}

struct poly_layout *poly_kernel_layout(const struct poly_kernel *kernel)
{
	struct poly_layout l = poly_kernel_digits(kernel);

	return poly_layout_normal(poly_layout_copy(&l));
}

struct poly_layout poly_turn_digits(const struct poly_kernel *kernel, int n)
{
	struct poly_layout l = poly_layout_begin(1, &n);
	int threads = kernel->thread[0] * kernel->thread[1];

	poly_layout_add_along(&l, POLY_PLACE_THREAD, threads, 1, 0, 1);
	poly_layout_add_along(&l, POLY_PLACE_REG, (n + threads - 1) / threads,
		1, 0, threads);
	return l;
}

/* The length of "array" in dimension "d", a constant; -1 if it is none. */
static int length(const struct poly_array *array, int d)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(array->extent, d);
	isl_val *v = isl_pw_aff_max_val(pa);
	int n = isl_val_is_int(v) == isl_bool_true &&
		isl_val_cmp_si(v, POLY_LAYOUT_PLACES) <= 0 ?
		(int) isl_val_get_num_si(v) : -1;

	isl_val_free(v);
	return n;
}

struct poly_layout *poly_buffer_layout(const struct poly_array *array)
{
	int extent[POLY_LAYOUT_DIM], weight = poly_type_size(array->type);
	struct poly_layout *l;

	if (array->n_dim > POLY_LAYOUT_DIM)
		return NULL;
	for (int d = 0; d < array->n_dim; d++) {
		extent[d] = length(array, d);
		if (extent[d] < 0)
			return NULL;
	}
	l = poly_layout_alloc(array->n_dim, extent);
	for (int d = array->n_dim - 1; d >= 0; d--) {
		poly_layout_add_along(l, POLY_PLACE_BYTE, extent[d], weight, d,
			1);
		weight *= extent[d] + (d == array->n_dim - 1 ?
			array->row_pad : 0);
	}
	return poly_layout_normal(l);
}

int poly_digit_offset(const struct poly_kernel *kernel, int d, int r)
{
	struct poly_layout l = poly_kernel_digits(kernel);
	int at[POLY_N_AT] = { 0 }, x[POLY_LAYOUT_DIM];

	at[POLY_AT_REG] = d ? r : r * (kernel->tile[1] / kernel->thread[1]);
	poly_layout_at(&l, at, x);
	return x[d];
}
