/* How the points of a kernel's tile are spread over its threads and registers, and
 * the elements of its buffers over shared memory: as layouts.
 *
 * Until kernels carry layouts themselves, thread, tile and vec say it:
 *
 *	pd = bd*tile[d] + Rd*thread[d]*vec[d] + td*vec[d] + vd
 *
 * with the digits Rd and vd of registers and td of threads, t1 in the lanes. In a
 * kernel with a unit the tile is made of fragments of C instead: those of the groups
 * of threads that hold one lie below one another, in one column or several side by
 * side, and more of them follow. Where its
 * runs are longer than those of fragments, threads hold these in products alone, and
 * hand elements on to have the runs elsewhere.
 *
 * The form of both is struct poly_layout (place.h): a coordinate of the tile is
 * a sum of digits, each of which is a part of a thread's number or of a
 * register's. Passes and emitters ask the layout, not the formula, so that
 * fragments of matrix units are no special case for them.
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
 *
 * Fragments of 8 columns of which a thread has 2: digits {2 registers, step 1},
 * then further fragments at 8, 16, .. Axis 1 has the nearest registers, so that
 * runs are contiguous.
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

/* The threads of the digits of "c", along "d" or, if that is negative, all.
 *
 * A warp has 32 in all, of which 8 along rows for a fragment of 16 x 8.
 */
static int threads_of(const struct poly_layout *c, int d)
{
	int n = 1;

	for (int i = 0; i < c->n_digit; i++)
		if (!is_register(&c->digit[i]) &&
		    (d < 0 || c->digit[i].step[d]))
			n *= c->digit[i].radix;
	return n;
}

/* The greater weights first, as poly_layout_at needs them.
 *
 * Insertion sort: there are fewer than ten digits.
 */
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

/* The points of a thread that lie side by side along axis 1 if it hands the others
 * on: "vec" of them, in rows of as many for each thread of a fragment's row, which
 * lie "groups" runs apart.
 *
 * Threads of a row side by side along axis 1, each with "vec" points: a warp stores
 * whole rows.
 */
static void add_runs(struct poly_layout *l, const struct poly_kernel *k, int groups)
{
	int vec = k->vec[1], row = k->thread[1] * vec;

	poly_layout_add_along(l, POLY_PLACE_THREAD, k->thread[1] / groups, 1, 1,
		vec * groups);
	poly_layout_add_along(l, POLY_PLACE_REG, vec, 1, 1, 1);
	poly_layout_add_along(l, POLY_PLACE_REG, k->tile[1] / row, vec, 1, row);
}

/* The tile of "k" in fragments "c", or, if "runs", in runs along axis 1.
 *
 * Without "runs": threads as the instruction has them, then groups of warps one
 * below the other, then what registers add.
 */
static struct poly_layout fragments(const struct poly_kernel *k,
	const struct poly_layout *c, bool runs)
{
	struct poly_layout l = poly_layout_begin(2, k->tile);
	int column = k->tile[1] / k->thread[1], weight = threads_of(c, -1), groups;

	for (int i = 0; i < c->n_digit; i++) {
		const struct poly_digit *g = &c->digit[i];

		if (!is_register(g) && !(runs && g->step[1]))
			poly_layout_add(&l, POLY_PLACE_THREAD, g->radix,
				g->weight * poly_place_unit(g->place), g->step);
	}
	for (int d = 0; d < 2; d++) {
		groups = k->thread[d] / threads_of(c, d);
		poly_layout_add_along(&l, POLY_PLACE_THREAD, groups, weight, d,
			c->extent[d]);
		weight *= groups;
		if (d == 0 || !runs)
			add_registers(&l, c, d, groups, d ? 1 : column);
	}
	if (runs)
		add_runs(&l, k, groups);
	sort_digits(&l);
	return l;
}

/* The points of a kernel without a unit.
 *
 * The digits of the formula at the head of the file.
 */
static struct poly_layout cyclic(const struct poly_kernel *k)
{
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

/* The digits of "k" in its products, or else in all else.
 *
 * A product needs the instruction's own fragments, whatever runs stores have.
 */
static struct poly_layout digits(const struct poly_kernel *k, bool product)
{
	struct poly_layout *c = poly_unit_sums(k), l;

	if (!c)
		return cyclic(k);
	l = fragments(k, c, !product && poly_unit_turns(k));
	poly_layout_free(c);
	return l;
}

struct poly_layout poly_kernel_digits(const struct poly_kernel *kernel)
{
	return digits(kernel, false);
}

struct poly_layout poly_product_digits(const struct poly_kernel *kernel)
{
	return digits(kernel, true);
}

struct poly_layout *poly_kernel_layout(const struct poly_kernel *kernel)
{
	struct poly_layout l = poly_kernel_digits(kernel);

	return poly_layout_normal(poly_layout_copy(&l));
}

/* n elements dealt to the threads of the block in turn: element e is in thread
 * e mod threads. Used where rows go through all threads.
 */
struct poly_layout poly_turn_digits(const struct poly_kernel *kernel, int n)
{
	struct poly_layout l = poly_layout_begin(1, &n);
	int threads = kernel->thread[0] * kernel->thread[1];

	poly_layout_add_along(&l, POLY_PLACE_THREAD, threads, 1, 0, 1);
	poly_layout_add_along(&l, POLY_PLACE_REG, (n + threads - 1) / threads,
		1, 0, threads);
	return l;
}

/* The length of "array" in dimension "d", a constant; -1 if it is none.
 *
 * Shared arrays have constant extents; -1 tells a bug, or sizes that are not
 * fixed yet.
 */
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

/* Add to "l", whose last two dimensions are rows and columns of elements of "size"
 * bytes, columns of 128 bytes, one behind the other, and what is above them; bits 4 to
 * 6 of an address, which run of 16 bytes it is, are swizzled with the row's.
 *
 * That is the 128-byte swizzle of the tensor memory accelerator: address bits 4
 * to 6 are exclusive-ored with bits 7 to 9 (PTX ISA, "Tensor swizzling modes").
 * Threads that read a column then meet all banks.
 */
static struct poly_layout *swizzled(struct poly_layout *l, int size)
{
	enum { ROW = 128, BIT = 4, BITS = 3 };
	int n = l->n_dim, column = ROW / size, weight;

	poly_layout_add_along(l, POLY_PLACE_BYTE, column, size, n - 1, 1);
	poly_layout_add_along(l, POLY_PLACE_BYTE, l->extent[n - 2], ROW, n - 2,
		1);
	weight = l->extent[n - 2] * ROW;
	poly_layout_add_along(l, POLY_PLACE_BYTE, l->extent[n - 1] / column,
		weight, n - 1, column);
	weight *= l->extent[n - 1] / column;
	for (int d = n - 3; d >= 0; d--) {
		poly_layout_add_along(l, POLY_PLACE_BYTE, l->extent[d], weight,
			d, 1);
		weight *= l->extent[d];
	}
	for (int bit = BIT; bit < BIT + BITS; bit++)
		poly_layout_add_swizzle(l, bit, bit + BITS);
	return l;
}

struct poly_layout *poly_buffer_layout(const struct poly_array *array)
{
	return poly_layout_normal(poly_buffer_digits(array));
}

/* Row-major, with "row_pad" elements behind each row; the caller frees it. NULL
 * if an extent is no constant or there are too many dimensions.
 */
struct poly_layout *poly_buffer_digits(const struct poly_array *array)
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
	if (array->swizzled)
		return swizzled(l, weight);
	for (int d = array->n_dim - 1; d >= 0; d--) {
		poly_layout_add_along(l, POLY_PLACE_BYTE, extent[d], weight, d,
			1);
		weight *= extent[d] + (d == array->n_dim - 1 ?
			array->row_pad : 0);
	}
	return l;
}

/* How far register digit "r" along axis "d" is from the first one of the
 * thread.
 *
 * Threads see the first point by their own coordinates; registers move from
 * there.
 */
static int offset(const struct poly_kernel *kernel, const struct poly_layout *l,
	int d, int r)
{
	int at[POLY_N_AT] = { 0 }, x[POLY_LAYOUT_DIM];

	at[POLY_AT_REG] = d ? r : r * (kernel->tile[1] / kernel->thread[1]);
	poly_layout_at(l, at, x);
	return x[d];
}

int poly_digit_offset(const struct poly_kernel *kernel, int d, int r)
{
	struct poly_layout l = digits(kernel, false);

	return offset(kernel, &l, d, r);
}

int poly_product_offset(const struct poly_kernel *kernel, int d, int r)
{
	struct poly_layout l = digits(kernel, true);

	return offset(kernel, &l, d, r);
}
