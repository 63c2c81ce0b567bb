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

/* Lane 4 g + t of warp w has rows g and g + 8 and columns 2 t and 2 t + 1 of each
 * 16 x 8 fragment (PTX ISA, "mma.m16n8k16"): those of a warp lie 16 rows times the
 * number of warps apart, and side by side.
 */
static void check_fragments(struct places *p, const struct poly_kernel *k)
{
	struct poly_layout *l = place_made(p, poly_kernel_layout(k));
	int n, columns = k->tile[1] / 4, warps = k->thread[0] / 8;
	struct poly_held *list = poly_layout_list(l, &n);

	assert_true(poly_unit_fits(k));
	assert_int_equal(n, k->tile[0] * k->tile[1]);
	for (int i = 0; i < n; i++) {
		int lane = list[i].at[POLY_AT_THREAD] % 32;
		int warp = list[i].at[POLY_AT_THREAD] / 32;
		int r0 = list[i].at[POLY_AT_REG] / columns;
		int r1 = list[i].at[POLY_AT_REG] % columns;

		assert_int_equal(list[i].x[0], 16 * (warp + r0 / 2 * warps) +
			lane / 4 + 8 * (r0 % 2));
		assert_int_equal(list[i].x[1], r1 / 2 * 8 + lane % 4 * 2 +
			r1 % 2);
	}
	assert_true(poly_layout_is_injective(l) && poly_layout_covers(l));
	for (int r = 0; r < k->tile[0] / k->thread[0]; r++)
		assert_int_equal(poly_digit_offset(k, 0, r),
			r / 2 * 16 * warps + r % 2 * 8);
	free(list);
	poly_layout_free(l);
}

static void test_units(void **state)
{
	static const int warps[] = { 1, 2, 3, 8 };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 4 * 3 * 3; i++) {
		int w = warps[i % 4], rows = 1 + i / 4 % 3, columns = 1 + i / 12;
		struct poly_kernel k = { .tiled = true, .thread = { 8 * w, 4 },
			.tile = { 16 * w * rows, 8 * columns }, .tile_k = 32,
			.vec = { 1, 2 }, .unit = POLY_UNIT_MMA_F16 };
		struct poly_kernel other;

		for (int u = 1; u < POLY_N_UNIT; u++) {
			k.unit = (enum poly_unit)u;
			check_fragments(&p, &k);
		}
		other = k;
		other.tile[0] += 8;
		assert_false(poly_unit_fits(&other));
		other = k;
		other.vec[1] = 1;
		assert_false(poly_unit_fits(&other));
		other = k;
		other.tile_k = 12;
		assert_false(poly_unit_fits(&other));
		other = k;
		other.thread[1] = 8;
		assert_false(poly_unit_fits(&other));
	}
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
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
