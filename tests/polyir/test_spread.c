/* Check that the layouts of kernels and buffers are what struct poly_kernel and
 * struct poly_array say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "polyir/layout/layout.h"
#include "example.h"
#include "places.h"

/* Thread (t0, t1) owns pd = Rd * thread[d] * vec[d] + td * vec[d] + vd, and its
 * register digit is rd = Rd * vec[d] + vd.
 */
static int point(const struct poly_kernel *k, int d, int t, int r)
{
	return r / k->vec[d] * k->thread[d] * k->vec[d] + t * k->vec[d] +
		r % k->vec[d];
}

static void check(struct places *p, const struct poly_kernel *k)
{
	struct poly_layout *l = place_made(p, poly_kernel_layout(k));
	int n, columns = k->tile[1] / k->thread[1];
	struct poly_held *list = poly_layout_list(l, &n);

	assert_int_equal(n, k->tile[0] * k->tile[1]);
	for (int i = 0; i < n; i++) {
		int t = list[i].at[POLY_AT_THREAD], r = list[i].at[POLY_AT_REG];

		assert_int_equal(list[i].x[0], point(k, 0, t / k->thread[1],
			r / columns));
		assert_int_equal(list[i].x[1], point(k, 1, t % k->thread[1],
			r % columns));
	}
	assert_true(poly_layout_is_injective(l) && poly_layout_covers(l));
	for (int d = 0; d < 2; d++)
		for (int r = 0; r < k->tile[d] / k->thread[d]; r++)
			assert_int_equal(poly_digit_offset(k, d, r),
				point(k, d, 0, r));
	free(list);
	poly_layout_free(l);
}

static void test_kernels(void **state)
{
	static const int thread[] = { 1, 2, 4, 6, 8, 12, 16, 32 };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 200; i++) {
		struct poly_kernel k = { .tiled = true };

		for (int d = 0; d < 2; d++) {
			k.thread[d] = thread[place_below(&p, 8)];
			k.vec[d] = 1 + place_below(&p, 4);
			k.tile[d] = k.thread[d] * k.vec[d] *
				(1 + place_below(&p, 3));
		}
		if (k.tile[0] * k.tile[1] <= 4096)
			check(&p, &k);
		k.tiled = false;
		for (int d = 0; d < 2; d++) {
			k.tile[d] = k.thread[d];
			k.vec[d] = 1;
		}
		check(&p, &k);
	}
	places_end(&p);
}

/* Where register (r0, r1) of "thread" of "k" lies in fragments: lane 4 g + t has rows
 * g and g + 8 and columns 2 t and 2 t + 1 of each 16 x 8 points (PTX ISA,
 * "mma.m16n8k16" and, with 4 warps one below the other, "wgmma.m64"). Fragments of
 * the groups of "warps" warps lie below one another, in "across" columns, and "groups"
 * of them apart. Of pairs of these a lane has "run" = 4 columns, 4 t to 4 t + 3.
 */
static void fragment_point(int warps, int groups, int across, int run, int thread,
	int r0, int r1, int x[2])
{
	int lane = thread % 32, warp = thread / 32, group = warp / warps;

	x[0] = 16 * warps * (group % groups + r0 / 2 * groups) +
		16 * (warp % warps) + lane / 4 + 8 * (r0 % 2);
	x[1] = (r1 / run * across + group / groups) * 4 * run + lane % 4 * run +
		r1 % run;
}

/* What a thread has in a product; elsewhere its registers of 8 columns, or 16 of pairs,
 * are "vec" side by side, if that is not 2, or 4. Each point of every tile is compared;
 * those of small tiles with isl, too, which takes a hundred times as long.
 */
static void check_fragments(struct places *p, const struct poly_kernel *k, int warps)
{
	enum { SMALL = 1024 };
	struct poly_layout made[2] = { poly_product_digits(k),
		poly_kernel_digits(k) };
	int columns = k->tile[1] / k->thread[1], groups = k->thread[0] / 8 / warps;
	int across = k->thread[1] / 4, run = poly_unit_pairs(k->unit) ? 4 : 2;
	int wide = 4 * run;

	assert_true(poly_unit_fits(k));
	assert_int_equal(poly_unit_run(k->unit), run);
	assert_int_equal(poly_unit_threads(k), 32 * warps);
	assert_int_equal(poly_unit_turns(k), k->vec[1] == wide);
	for (int turned = 0; turned < 2; turned++) {
		struct poly_layout *l = poly_layout_normal(
			poly_layout_copy(&made[turned]));
		int n, x[2];
		struct poly_held *list;

		if (k->tile[0] * k->tile[1] <= SMALL)
			l = place_made(p, l);
		list = poly_layout_list(l, &n);
		assert_int_equal(n, k->tile[0] * k->tile[1]);
		for (int i = 0; i < n; i++) {
			int thread = list[i].at[POLY_AT_THREAD];
			int r0 = list[i].at[POLY_AT_REG] / columns;
			int r1 = list[i].at[POLY_AT_REG] % columns;

			fragment_point(warps, groups, across, run, thread, r0, r1,
				x);
			if (turned && k->vec[1] == wide)
				x[1] = (r1 / wide * 4 + thread % 4) * wide * across +
					thread / 32 / warps / groups * wide +
					r1 % wide;
			assert_int_equal(list[i].x[0], x[0]);
			assert_int_equal(list[i].x[1], x[1]);
		}
		assert_true(poly_layout_is_injective(l) &&
			poly_layout_covers(l));
		free(list);
		poly_layout_free(l);
	}
	for (int r = 0; r < columns; r++) {
		int x[2];

		fragment_point(warps, groups, across, run, 0, 0, r, x);
		assert_int_equal(poly_product_offset(k, 1, r), x[1]);
		assert_int_equal(poly_digit_offset(k, 1, r), k->vec[1] == wide ?
			r / wide * 4 * wide * across + r % wide : x[1]);
	}
}

/* Kernels that are nearly "k", which fits, do not. */
static void check_misfits(const struct poly_kernel *k)
{
	struct poly_kernel other = *k;

	other.tile[0] += 8;
	assert_false(poly_unit_fits(&other));
	other = *k;
	other.vec[1] = 1;
	assert_false(poly_unit_fits(&other));
	other = *k;
	other.tile_k = 12;
	assert_false(poly_unit_fits(&other));
	other = *k;
	other.thread[1] = 6;
	assert_false(poly_unit_fits(&other));
	other = *k;
	other.tiled = false;
	assert_false(poly_unit_fits(&other));
}

static void test_warps(void **state)
{
	static const int warps[] = { 1, 2, 3 };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 3 * 2 * 4 * 2; i++) {
		int w = warps[i % 3], rows = 1 + i / 3 % 2, columns = 1 + i / 6 % 4;
		int across = 1 + i / 24;
		struct poly_kernel k = { .tiled = true, .thread = { 8 * w,
			4 * across }, .tile_k = 32, .vec = { 1 } };

		for (int u = 1; u < POLY_N_UNIT; u++) {
			k.unit = (enum poly_unit)u;
			if (poly_unit_is_async(k.unit))
				continue;
			k.vec[1] = poly_unit_pairs(k.unit) ? 4 : 2;
			k.tile[0] = 16 * w * rows;
			k.tile[1] = 4 * k.vec[1] * columns * across;
			check_fragments(&p, &k, 1);
			check_misfits(&k);
			k.vec[1] *= 4;
			if (columns == 4)
				check_fragments(&p, &k, 1);
			else
				assert_false(poly_unit_fits(&k));
		}
	}
	places_end(&p);
}

static void test_warpgroups(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 4; i++) {
		int groups = 1 + i % 2, rows = 1 + i / 2 % 2;
		struct poly_kernel k = { .tiled = true,
			.thread = { 32 * groups, 4 }, .tile = {
			64 * groups * rows, 64 * (1 + i / 3) }, .tile_k = 64,
			.stages = 3, .vec = { 1, i % 3 ? 8 : 2 },
			.unit = POLY_UNIT_WGMMA_F16 };

		check_fragments(&p, &k, 4);
		check_misfits(&k);
		k.stages = 2;
		assert_false(poly_unit_fits(&k));
		k.stages = 3;
		k.tile_k = 128;
		assert_false(poly_unit_fits(&k));
	}
	places_end(&p);
}

/* The lanes that load an element of a fragment at once, those of half a warp, find it in
 * different banks of 4 bytes, in rows of 16 to 128 steps or points of a buffer; so do
 * those of 8 rows of 16 bytes. Units of bytes take 32 steps at once.
 */
static void test_pads(void **state)
{
	enum { BANKS = 32, WORD = 4, LANES = 16, ROWS = 8 };

	(void)state;
	for (int u = 1; u < POLY_N_UNIT; u++) {
		int size = poly_type_size(poly_unit((enum poly_unit)u)->element[0]);

		if (poly_unit_is_async((enum poly_unit)u))
			continue;
		for (int row = size == 1 ? 32 : 16; row <= 128; row *= 2) {
			int bytes = (row + poly_unit_pad((enum poly_unit)u)) * size;
			unsigned by_step = 0, by_point = 0, by_row = 0;

			for (int l = 0; l < LANES; l++) {
				int step = l % 4, point = l / 4;

				by_step |= 1u << (point * bytes / WORD +
					2 * step) % BANKS;
				by_point |= 1u << (step * bytes / WORD +
					2 * point) % BANKS;
			}
			for (int r = 0; r < ROWS; r++)
				by_row |= 1u << r * bytes / WORD % BANKS;
			if (size == 8) {
				assert_int_equal(by_step, 0x55555555);
				assert_int_equal(by_point, 0x55555555);
			} else {
				assert_int_equal(by_row, 0x11111111);
			}
		}
	}
}

/* Element (s, r, c) of a swizzled buffer lies in row r of its column of 64 elements, in
 * the run of 8 whose number is c / 8 exclusive or r, modulo 8. Each owner that is asked
 * for is sought among all elements, so that one of 37 is.
 */
static void test_swizzled(void **state)
{
	enum { SLOTS = 2, ROWS = 24, COLUMNS = 192, STRIDE = 37 };
	struct places p;
	struct poly_array array = { .type = POLY_F16, .n_dim = 3,
		.space = POLY_SHARED, .swizzled = true };
	struct poly_layout *l;
	int x[3];

	(void)state;
	places_begin(&p);
	array.extent = isl_multi_pw_aff_read_from_str(p.ctx,
		"{ B[(2), (24), (192)] }");
	l = place_made(&p, poly_buffer_layout(&array));
	for (int i = 0; i < SLOTS * ROWS * COLUMNS; i++) {
		int row = i / COLUMNS % ROWS, column = i % COLUMNS, byte;

		x[0] = i / COLUMNS / ROWS;
		x[1] = row;
		x[2] = column;
		byte = ((x[0] * 3 + column / 64) * ROWS + row) * 128 +
			(column / 8 % 8 ^ row % 8) * 16 + column % 8 * 2;
		assert_int_equal(poly_layout_byte(l, x), byte);
		if (i % STRIDE == 0) {
			struct poly_held h;

			assert_true(poly_layout_owner(l, x, &h));
			assert_int_equal(h.at[POLY_AT_BYTE], byte);
		}
	}
	poly_layout_free(l);
	isl_multi_pw_aff_free(array.extent);
	places_end(&p);
}

static void test_turns(void **state)
{
	struct poly_kernel k = { .thread = { 2, 48 } };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int n = 1; n < 400; n += 37) {
		struct poly_layout turn = poly_turn_digits(&k, n);
		struct poly_layout *l = place_made(&p,
			poly_layout_copy(&turn));
		struct poly_held h;

		for (int x = 0; x < n; x++) {
			assert_true(poly_layout_owner(l, &x, &h));
			assert_int_equal(h.at[POLY_AT_THREAD], x % 96);
			assert_int_equal(h.at[POLY_AT_REG], x / 96);
		}
		poly_layout_free(l);
	}
	places_end(&p);
}

static void test_buffers(void **state)
{
	static const struct {
		const char *extent, *text;
		int pad;
		enum poly_type type;
	} row[] = {
		{ "{ B[(3), (5)] }", "box [3, 5] byte 3*24 [1, 0] byte 5*4 [0, 1]",
			1, POLY_F32 },
		{ "{ B[(2), (4), (8)] }", "box [2, 4, 8] byte 2*256 [1, 0, 0] "
			"byte 4*64 [0, 1, 0] byte 8*8 [0, 0, 1]", 0, POLY_F64 },
		{ "{ B[(7)] }", "box [7] byte 7*2 [1]", 4, POLY_F16 },
		{ "{ B[] }", "box []", 0, POLY_F32 },
		{ "[N] -> { B[(N), (4)] }", "none", 0, POLY_F32 },
	};
	struct example x;

	(void)state;
	example_open(&x, "buffers");
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_array a = { .type = row[i].type,
			.row_pad = row[i].pad };
		struct poly_layout *l;

		a.extent = poly_read_index(x.prog, row[i].extent);
		a.n_dim = isl_multi_pw_aff_size(a.extent);
		l = poly_buffer_layout(&a);
		place_is(l, row[i].text);
		poly_layout_free(l);
		isl_multi_pw_aff_free(a.extent);
	}
	assert_true(example_close(&x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_warps),
		cmocka_unit_test(test_warpgroups),
		cmocka_unit_test(test_pads),
		cmocka_unit_test(test_swizzled),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
