/* Check the layouts of fragments and swizzles, point by point, against the
 * formulas of the PTX ISA, written here as they stand there: rows and columns of
 * element i of a lane by its group, lane / 4, and its place in the group, lane %
 * 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "places.h"

/* Where element i is of the lane "lane" of warp "warp". */
struct spot {
	int row, column;
};
typedef struct spot formula(int warp, int lane, int i);

/* ------------------------------------------------------------------ formulas */

static struct spot f16_k8_a(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i < 2 ? l / 4 : l / 4 + 8, l % 4 * 2 + (i & 1) };
}

static struct spot f16_k8_b(int w, int l, int i)
{
	(void) w;
	return (struct spot){ l % 4 * 2 + i, l / 4 };
}

static struct spot f16_k16_a(int w, int l, int i)
{
	bool upper = i < 2 || (4 <= i && i < 6);

	(void) w;
	return (struct spot){ upper ? l / 4 : l / 4 + 8,
		i < 4 ? l % 4 * 2 + (i & 1) : l % 4 * 2 + (i & 1) + 8 };
}

static struct spot f16_k16_b(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i < 2 ? l % 4 * 2 + (i & 1) :
		l % 4 * 2 + (i & 1) + 8, l / 4 };
}

static struct spot m16n8_c(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i < 2 ? l / 4 : l / 4 + 8, l % 4 * 2 + (i & 1) };
}

static struct spot k4_a(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i == 0 ? l / 4 : l / 4 + 8, l % 4 };
}

static struct spot k4_b(int w, int l, int i)
{
	(void) w;
	(void) i;
	return (struct spot){ l % 4, l / 4 };
}

static struct spot k8_a(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i == 0 || i == 2 ? l / 4 : l / 4 + 8,
		i == 0 || i == 1 ? l % 4 : l % 4 + 4 };
}

static struct spot k8_b(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i == 0 ? l % 4 : l % 4 + 4, l / 4 };
}

static struct spot m8n8k4_a(int w, int l, int i)
{
	(void) w;
	(void) i;
	return (struct spot){ l >> 2, l % 4 };
}

static struct spot m8n8_c(int w, int l, int i)
{
	(void) w;
	return (struct spot){ l >> 2, l % 4 * 2 + (i & 1) };
}

static struct spot f64_k16_a(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i % 2 == 0 ? l >> 2 : (l >> 2) + 8,
		i * 2 - i % 2 * 2 + l % 4 };
}

static struct spot f64_k16_b(int w, int l, int i)
{
	(void) w;
	return (struct spot){ l % 4 + i * 4, l >> 2 };
}

static struct spot s8_k32_a(int w, int l, int i)
{
	bool upper = i < 4 || (8 <= i && i < 12);

	(void) w;
	return (struct spot){ upper ? l / 4 : l / 4 + 8,
		i < 8 ? l % 4 * 4 + (i & 3) : l % 4 * 4 + (i & 3) + 16 };
}

static struct spot s8_k32_b(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i < 4 ? l % 4 * 4 + (i & 3) :
		l % 4 * 4 + (i & 3) + 16, l / 4 };
}

/* Columns of pairs: 2 g and 2 g + 1 of B for lane 4 g + t, of C 4 t to 4 t + 3. */
static struct spot pairs_b(int w, int l, int i)
{
	struct spot of_one = s8_k32_b(w, l, i & 7);

	return (struct spot){ of_one.row, 2 * of_one.column + i / 8 };
}

static struct spot pairs_c(int w, int l, int i)
{
	(void) w;
	return (struct spot){ i < 4 ? l / 4 : l / 4 + 8, l % 4 * 4 + (i & 3) };
}

/* Element l of a matrix of 64 elements is half l % 2 of lane l / 2. */
static struct spot ldmatrix(int w, int l, int i)
{
	int element = 2 * l + i % 2;

	(void) w;
	return (struct spot){ i / 2 * 8 + element / 8, element % 8 };
}

static struct spot ldmatrix_trans(int w, int l, int i)
{
	int element = 2 * l + i % 2;

	(void) w;
	return (struct spot){ i / 2 * 8 + element % 8, element / 8 };
}

static struct spot rows(int w, int l, int i)
{
	(void) w;
	(void) i;
	return (struct spot){ l, 0 };
}

static struct spot wgmma_f16_a(int w, int l, int i)
{
	struct spot s = f16_k16_a(0, l, i);

	return (struct spot){ 16 * w + s.row, s.column };
}

static struct spot wgmma_tf32_a(int w, int l, int i)
{
	struct spot s = k8_a(0, l, i);

	return (struct spot){ 16 * w + s.row, s.column };
}

static struct spot wgmma_c(int w, int l, int i)
{
	return (struct spot){ 16 * w + l / 4 + i / 2 % 2 * 8,
		i / 4 * 8 + l % 4 * 2 + i % 2 };
}

/* -------------------------------------------------------------- comparison */

/* "l", which is taken, holds elements of "in_register" a register, and "n" a lane,
 * where the formula says; the others of the "lanes" of "warps".
 */
static void compare(struct places *p, struct poly_layout *l, formula *where,
	int warps, int lanes, int n, int in_register)
{
	struct poly_held *list;
	int size = in_register == 4 ? 1 : 2, n_held;

	l = place_made(p, l);
	list = poly_layout_list(l, &n_held);
	assert_int_equal(n_held, warps * lanes * n);
	for (int i = 0; i < n_held; i++) {
		const struct poly_held *h = &list[i];
		int lane = h->at[POLY_AT_THREAD] % 32;
		struct spot s = where(h->at[POLY_AT_THREAD] / 32, lane,
			h->at[POLY_AT_REG] * in_register +
			h->at[POLY_AT_BYTE] / size);

		assert_int_equal(h->at[POLY_AT_CLUSTER], 0);
		assert_true(lane < lanes && h->at[POLY_AT_BYTE] % size == 0);
		assert_int_equal(h->x[0], s.row);
		assert_int_equal(h->x[1], s.column);
	}
	assert_true(poly_layout_covers(l));
	free(list);
	poly_layout_free(l);
}

static const struct row {
	const char *name;
	formula *where;
	int warps, lanes, n, in_register;
} table[] = {
	{ "mma.m16n8k8.f16.a", f16_k8_a, 1, 32, 4, 2 },
	{ "mma.m16n8k8.f16.b", f16_k8_b, 1, 32, 2, 2 },
	{ "mma.m16n8k16.f16.a", f16_k16_a, 1, 32, 8, 2 },
	{ "mma.m16n8k16.f16.b", f16_k16_b, 1, 32, 4, 2 },
	{ "mma.m16n8.f16.c", m16n8_c, 1, 32, 4, 2 },
	{ "mma.m16n8k4.tf32.a", k4_a, 1, 32, 2, 1 },
	{ "mma.m16n8k4.tf32.b", k4_b, 1, 32, 1, 1 },
	{ "mma.m16n8k8.tf32.a", k8_a, 1, 32, 4, 1 },
	{ "mma.m16n8k8.tf32.b", k8_b, 1, 32, 2, 1 },
	{ "mma.m16n8.f32.c", m16n8_c, 1, 32, 4, 1 },
	{ "mma.m8n8k4.f64.a", m8n8k4_a, 1, 32, 1, 1 },
	{ "mma.m8n8k4.f64.b", k4_b, 1, 32, 1, 1 },
	{ "mma.m8n8.f64.c", m8n8_c, 1, 32, 2, 1 },
	{ "mma.m16n8k4.f64.a", k4_a, 1, 32, 2, 1 },
	{ "mma.m16n8k4.f64.b", k4_b, 1, 32, 1, 1 },
	{ "mma.m16n8k8.f64.a", k8_a, 1, 32, 4, 1 },
	{ "mma.m16n8k8.f64.b", k8_b, 1, 32, 2, 1 },
	{ "mma.m16n8k16.f64.a", f64_k16_a, 1, 32, 8, 1 },
	{ "mma.m16n8k16.f64.b", f64_k16_b, 1, 32, 4, 1 },
	{ "mma.m16n8.f64.c", m16n8_c, 1, 32, 4, 1 },
	{ "mma.m16n8k32.s8.a", s8_k32_a, 1, 32, 16, 4 },
	{ "mma.m16n8k32.s8.b", s8_k32_b, 1, 32, 8, 4 },
	{ "mma.m16n8.s32.c", m16n8_c, 1, 32, 4, 1 },
	{ "mma.m16n16k32.s8.b", pairs_b, 1, 32, 16, 4 },
	{ "mma.m16n16.s32.c", pairs_c, 1, 32, 8, 1 },
	{ "ldmatrix.x1", ldmatrix, 1, 32, 2, 2 },
	{ "ldmatrix.x2", ldmatrix, 1, 32, 4, 2 },
	{ "ldmatrix.x4", ldmatrix, 1, 32, 8, 2 },
	{ "ldmatrix.x1.trans", ldmatrix_trans, 1, 32, 2, 2 },
	{ "ldmatrix.x2.trans", ldmatrix_trans, 1, 32, 4, 2 },
	{ "ldmatrix.x4.trans", ldmatrix_trans, 1, 32, 8, 2 },
	{ "ldmatrix.x1.rows", rows, 1, 8, 1, 1 },
	{ "ldmatrix.x2.rows", rows, 1, 16, 1, 1 },
	{ "ldmatrix.x4.rows", rows, 1, 32, 1, 1 },
	{ "wgmma.m64k16.f16.a", wgmma_f16_a, 4, 32, 8, 2 },
	{ "wgmma.m64k8.tf32.a", wgmma_tf32_a, 4, 32, 4, 1 },
};

/* Every row of fragment.def has a formula, in the same order. */
static void test_fragments(void **state)
{
	int n = sizeof(table) / sizeof(table[0]);
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < n; i++) {
		const struct row *r = &table[i];

		assert_string_equal(poly_fragment_name(i), r->name);
		compare(&p, poly_fragment(r->name), r->where, r->warps,
			r->lanes, r->n, r->in_register);
	}
	assert_null(poly_fragment_name(n));
	assert_null(poly_fragment("mma"));
	places_end(&p);
}

static void test_wgmma(void **state)
{
	static const int n[] = { 8, 16, 24, 40, 64, 128, 256 };
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 7; i++)
		for (int size = 2; size <= 4; size += 2)
			compare(&p, poly_fragment_wgmma(n[i], size), wgmma_c,
				4, 32, n[i] / 2, 4 / size);
	assert_null(poly_fragment_wgmma(0, 4));
	assert_null(poly_fragment_wgmma(12, 4));
	assert_null(poly_fragment_wgmma(264, 4));
	assert_null(poly_fragment_wgmma(64, 8));
	places_end(&p);
}

/* The number of a chunk of 16 bytes in its line of 128 bytes is XORed with that of
 * the line, modulo 8, 4 or 2; its other bits stay.
 */
static int swizzled(int row, int column, int bytes, int size)
{
	int byte = row * bytes + column * size;
	int line = byte / 128, chunk = byte % 128 / 16;

	return line * 128 + (chunk ^ line % (bytes / 16)) * 16 + byte % 16;
}

static void test_swizzles(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 3 * 5 * 4; i++) {
		int bytes = 32 << i % 3, size = 1 << i / 3 % 5;
		int n, n_row = 4 * (1 + i / 15);
		struct poly_layout *l = place_made(&p,
			poly_layout_swizzled_rows(n_row, bytes, size));
		struct poly_held *list = poly_layout_list(l, &n);

		assert_int_equal(n, n_row * bytes / size);
		for (int k = 0; k < n; k++)
			assert_int_equal(list[k].at[POLY_AT_BYTE], swizzled(
				list[k].x[0], list[k].x[1], bytes, size));
		assert_true(poly_layout_is_injective(l));
		free(list);
		poly_layout_free(l);
	}
	assert_null(poly_layout_swizzled_rows(8, 256, 4));
	assert_null(poly_layout_swizzled_rows(8, 128, 3));
	places_end(&p);
}

/* ldmatrix reads rows of a swizzled buffer without conflicts, and gives what mma
 * wants of A; four rows of a plain one share a bank.
 */
static void test_together(void **state)
{
	struct places p;
	struct poly_layout *x4, *a, *rows16, *moved;
	struct poly_conversion c;
	int to_a[] = { 1, 0, 0, 1 }, constant[] = { 0, 0 };
	int extent[] = { 16, 8 };

	(void)state;
	places_begin(&p);
	x4 = poly_fragment("ldmatrix.x2");
	a = poly_fragment("mma.m16n8k8.f16.a");
	moved = poly_layout_apply(x4, 2, extent, to_a, constant);
	assert_true(poly_layout_convert(moved, a, &c));
	assert_int_equal(c.how, POLY_CONVERT_NOTHING);
	free(c.move);
	poly_layout_free(moved);
	poly_layout_free(x4);
	poly_layout_free(a);
	for (int i = 0; i < 2; i++) {
		struct poly_traffic t;

		rows16 = place_read(&p, "box [32, 8] lane 32 [1, 0] "
			"reg 8 [0, 1]");
		a = i ? place_read(&p, "box [32, 64] byte 32*128 [1, 0] "
			"byte 64*2 [0, 1]") : poly_layout_swizzled_rows(32, 128,
			2);
		moved = poly_layout_restrict(a, 1, 8, 8);
		assert_true(poly_layout_passes(rows16, moved, 2, 8, &t));
		assert_int_equal(t.transactions, i ? 32 : 4);
		poly_layout_free(rows16);
		poly_layout_free(moved);
		poly_layout_free(a);
	}
	places_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_wgmma),
		cmocka_unit_test(test_swizzles),
		cmocka_unit_test(test_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
