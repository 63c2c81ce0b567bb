/* How the points of a kernel's tile are spread over its threads and registers, and
 * the elements of its buffers over shared memory: as layouts.
 *
 * Until kernels carry layouts themselves, thread, tile and vec say it:
 *
 *	pd = bd*tile[d] + Rd*thread[d]*vec[d] + td*vec[d] + vd
 *
 * with the digits Rd and vd of registers and td of threads, t1 in the lanes. In a
 * kernel with a unit the tile is made of fragments of C instead: those of the groups
 * of threads that hold one lie below one another, and more of them follow.
 */
#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

/* Is digit "g" one of the registers of a thread? */
static bool is_register(const struct poly_digit *g)
{
	return g->place == POLY_PLACE_REG;
}

/* Add the registers of fragments "c" along "d" to "l", the nearest points in the
 * nearest registers, of which "weight" are one step; they hold more fragments behind
 * that, "groups" of which lie between two.
 */
static void add_registers(struct poly_layout *l, const struct poly_layout *c, int d,
	int groups, int weight)
{
	int step = 0, run = c->extent[d] * groups;

	for (;;) {
		const struct poly_digit *next = NULL;

		for (int i = 0; i < c->n_digit; i++) {
			const struct poly_digit *g = &c->digit[i];

			if (is_register(g) && g->step[d] > step &&
			    (!next || g->step[d] < next->step[d]))
				next = g;
		}
		if (!next)
			break;
		step = next->step[d];
		poly_layout_add_along(l, POLY_PLACE_REG, next->radix, weight, d,
			step);
		weight *= next->radix;
	}
	poly_layout_add_along(l, POLY_PLACE_REG, l->extent[d] / run, weight, d,
		run);
}

/* The threads of the digits of "c", along "d" or, if that is negative, all. */
static int threads_of(const struct poly_layout *c, int d)
{
	int n = 1;

	for (int i = 0; i < c->n_digit; i++)
		if (!is_register(&c->digit[i]) &&
		    (d < 0 || c->digit[i].step[d]))
			n *= c->digit[i].radix;
	return n;
}

/* The greater weights first, as poly_layout_at needs them. */
static void sort_digits(struct poly_layout *l)
{
	for (int i = 1; i < l->n_digit; i++)
		for (int k = i; k > 0 && l->digit[k - 1].weight <
		     l->digit[k].weight; k--) {
			struct poly_digit g = l->digit[k];

			l->digit[k] = l->digit[k - 1];
			l->digit[k - 1] = g;
		}
}

/* The tile of "k" in fragments "c". */
static struct poly_layout fragments(const struct poly_kernel *k,
	const struct poly_layout *c)
{
	struct poly_layout l = poly_layout_begin(2, k->tile);
	int column = k->tile[1] / k->thread[1];

	for (int i = 0; i < c->n_digit; i++) {
		const struct poly_digit *g = &c->digit[i];

		if (!is_register(g))
			poly_layout_add(&l, POLY_PLACE_THREAD, g->radix,
				g->weight * poly_place_unit(g->place), g->step);
	}
	for (int d = 0; d < 2; d++) {
		int groups = k->thread[d] / threads_of(c, d);

		poly_layout_add_along(&l, POLY_PLACE_THREAD, groups,
			threads_of(c, -1), d, c->extent[d]);
		add_registers(&l, c, d, groups, d ? 1 : column);
	}
	sort_digits(&l);
	return l;
}

struct poly_layout poly_kernel_digits(const struct poly_kernel *kernel)
{
	const struct poly_kernel *k = kernel;
	struct poly_layout *c = poly_unit_sums(k);
	struct poly_layout l = poly_layout_begin(2, k->tile);
	int column = k->tile[1] / k->thread[1];

	if (c) {
		l = fragments(k, c);
		poly_layout_free(c);
		return l;
	}
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
