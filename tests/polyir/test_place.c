/* Check that a layout holds what its digits say, written in any way: compared point
 * by point with the digits as they are written and with isl's relation; that equal
 * layouts have equal text, which reads back; and what is computed from layouts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "places.h"

/* ------------------------------------------------------------- normal form */

static void test_text(void **state)
{
	static const char *const text[][2] = {
		{ "box []", "box []" },
		{ "box [4]", "box [4]" },
		{ "box [4] from [2]", "box [4] from [2]" },
		{ "box [4] from [7] reg 2 [1]", "box [4] from [-1]" },
		{ "box [32] lane 32 [1]", "box [32] lane 32 [1]" },
		{ "box [32] lane 2*16 [16] lane 16 [1]",
			"box [32] lane 32 [1]" },
		{ "box[64]thread 64[1]", "box [64] warp 2 [32] lane 32 [1]" },
		{ "box [20] lane 32 [1]", "box [20] lane 20 [1]" },
		{ "box [20] from [-1] lane 32 [1]",
			"box [20] base thread 1 lane 20 [1]" },
		{ "box [20] lane 8 [1] lane 4*8 [8]", "box [20] lane 20 [1]" },
		{ "box [40] thread 64 [1]", "box [40] thread 40 [1]" },
		{ "box [1] lane 4 [0] lane 8*4 [0]", "box [1] lane 32 [0]" },
		{ "box [6] reg 3 [2] reg 2*3 [1]",
			"box [6] reg 2*3 [1] reg 3 [2]" },
		{ "box [5] reg 3 [1] reg 2*2 [2]", "box [5] reg 5 [1]" },
		{ "box [4, 8] byte 8*4 [0, 1] byte 4*32 [1, 0]",
			"box [4, 8] byte 4*32 [1, 0] byte 8*4 [0, 1]" },
		{ "box [8, 64] byte 8*128 [1, 0] byte 64*2 [0, 1] "
			"swizzle 4=4^7 5=5^8 6=6^9",
			"box [8, 64] byte 8*128 [1, 0] byte 64*2 [0, 1] "
			"swizzle 4=4^7 5=5^8 6=6^9" },
		{ "box [4] byte 4*4 [1] swizzle 2=3 3=2",
			"box [4] byte 2*8 [1] byte 2*4 [2]" },
		{ "box [4] byte 4*4 [1] swizzle 2=2^9",
			"box [4] byte 4*4 [1]" },
		{ "box [2] base byte 512 byte 2*4 [1] swizzle 2=2^9",
			"box [2] from [1] base byte 512 byte 2*4 [-1]" },
		{ "box [16, 8] reg 2 [0, 1] reg 2*2 [8, 0] lane 4 [0, 2] "
			"lane 8*4 [1, 0]",
			"box [16, 8] lane 8*4 [1, 0] lane 4 [0, 2] "
			"reg 2*2 [8, 0] reg 2 [0, 1]" },
	};
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct poly_layout *l = place_read(&p, text[i][0]);

		place_is(l, text[i][1]);
		poly_layout_free(l);
	}
	places_end(&p);
}

static void test_no_layout(void **state)
{
	static const struct {
		const char *text;
		int wrong;		/* -1: reads, and is none */
	} none[] = {
		{ "", 0 }, { "bix [1]", 0 }, { "box", 3 }, { "box [1", 6 },
		{ "box [-1]", 5 }, { "box [1] lane", 12 },
		{ "box [1] lanes 4 [1]", 8 }, { "box [1] lane 0 [1]", 13 },
		{ "box [1] lane 4*0 [1]", 15 }, { "box [1] lane 4 []", 17 },
		{ "box [1] lane 4 [1, 2]", 19 },
		{ "box [1] base lane 3", 13 },
		{ "box [1] swizzle", 15 }, { "box [1] swizzle 4", 17 },
		{ "box [1] swizzle 16=1", 18 },
		{ "box [1000000000]", 5 },
		{ "box [1,1,1,1,1,1,1,1,1]", 21 },
		{ "box [2] reg 2 [1] reg 2 [0]", -1 },
		{ "box [2] byte 2 [1] swizzle 0=1", -1 },
		{ "box [9] reg 2000 [1] lane 2000 [1]", -1 },
		{ "box [9] reg 999999999*999999999 [1]", -1 },
		{ "box [9] reg 3 [999999999]", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		const char *wrong, *text = none[i].text;
		size_t at = none[i].wrong < 0 ? strlen(text) :
			(size_t) none[i].wrong;

		assert_null(poly_layout_parse(text, &wrong));
		if (wrong != text + at)
			fail_msg("%s: %d", text, (int) (wrong - text));
	}
}

/* Random layouts, each written in another way, too. */
static void test_random(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 2000; i++) {
		struct poly_layout *raw = place_random(&p), *l, *other;

		l = place_made(&p, poly_layout_copy(raw));
		other = place_made(&p, place_respelled(&p, raw));
		assert_true(!l == !other);
		if (l)
			place_is(other, place_text(l));
		poly_layout_free(raw);
		poly_layout_free(l);
		poly_layout_free(other);
	}
	assert_true(p.n_made > 1500);
	places_end(&p);
}

/* Layouts that hold the same have one text; others have another one. */
static void test_equal(void **state)
{
	enum { N = 600 };
	static struct poly_layout *l[N];
	struct places p;
	int n_same = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < N; i++)
		l[i] = place_made(&p, place_tiny(&p));
	for (int i = 0; i < N; i++)
		for (int k = 0; k < i; k++) {
			bool same = poly_layout_is_equal(l[i], l[k]);

			if (l[i] && l[k] && same != !strcmp(
			    place_text(l[i]), place_text(l[k])))
				fail_msg("%s: %d %s", place_text(l[i]), same,
					place_text(l[k]));
			n_same += same;
		}
	assert_true(n_same > N);
	for (int i = 0; i < N; i++)
		poly_layout_free(l[i]);
	places_end(&p);
}

/* ---------------------------------------------------------------- questions */

static void test_questions(void **state)
{
	static const struct {
		const char *text;
		int regs, threads, span, replication, run0, run1;
		bool covers;
	} row[] = {
		{ "box [16, 8] lane 8*4 [1, 0] lane 4 [0, 2] reg 2*2 [8, 0] "
			"reg 2 [0, 1]", 4, 32, 32, 1, 1, 2, true },
		{ "box [6, 4] lane 4 [0, 1] reg 6 [1, 0]", 6, 4, 4, 1, 6, 1,
			true },
		{ "box [1, 8] lane 8 [0, 1] lane 4*8 [0, 0]", 1, 32, 32, 4, 1,
			1, true },
		{ "box [1, 10] base thread 5 lane 3 [0, 4] reg 4 [0, 1]", 4, 3,
			8, 1, 1, 2, true },
		{ "box [1, 12] lane 3 [0, 4] reg 2 [0, 1]", 2, 3, 3, 1, 1, 2,
			false },
		{ "box [2, 6] reg 2*8 [1, 0] reg 3*2 [0, 2] reg 2 [0, 1]", 12,
			1, 1, 1, 2, 6, true },
		{ "box [4, 4] lane 2 [2, 2] reg 2 [1, 1]", 2, 2, 2, 1, 1, 1,
			false },
	};
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_layout *l = place_read(&p, row[i].text);

		assert_int_equal(poly_layout_count(l, POLY_AT_REG),
			row[i].regs);
		assert_int_equal(poly_layout_count(l, POLY_AT_THREAD),
			row[i].threads);
		assert_int_equal(poly_layout_span(l, POLY_AT_THREAD),
			row[i].span);
		assert_int_equal(poly_layout_replication(l),
			row[i].replication);
		assert_int_equal(poly_layout_is_injective(l),
			row[i].replication == 1);
		assert_int_equal(poly_layout_run(l, 0), row[i].run0);
		assert_int_equal(poly_layout_run(l, 1), row[i].run1);
		assert_int_equal(poly_layout_covers(l), row[i].covers);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* The owner is the least of the places that hold x, as a search finds it. */
static void test_owner(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 200; i++) {
		struct poly_layout *l = place_made(&p, place_tiny(&p));
		struct poly_held *list, owner;
		int n, most = 0;

		if (!l)
			continue;
		list = poly_layout_list(l, &n);
		for (int k = 0; k < n; k++) {
			int first = 0, count = 0;

			while (memcmp(list[first].x, list[k].x,
			       sizeof(list[k].x)))
				first++;
			for (int j = 0; j < n; j++)
				count += !memcmp(list[j].x, list[k].x,
					sizeof(list[k].x));
			most = count > most ? count : most;
			assert_true(poly_layout_owner(l, list[k].x, &owner));
			assert_memory_equal(&owner, &list[first],
				sizeof(owner));
		}
		assert_int_equal(poly_layout_replication(l), most);
		free(list);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* ------------------------------------------------------------------ traffic */

static void test_sectors(void **state)
{
	static const struct {
		const char *text;
		int64_t first, stride[2];
		int size, vector, lanes, sectors, least;
	} row[] = {
		{ "box [1, 32] lane 32 [0, 1]", 0, { 128, 4 }, 4, 1, 32, 4, 4 },
		{ "box [1, 32] lane 32 [0, 1]", 4, { 128, 4 }, 4, 1, 32, 5, 4 },
		{ "box [32, 1] lane 32 [1, 0]", 0, { 128, 4 }, 4, 1, 32, 32,
			4 },
		{ "box [1, 128] lane 32 [0, 4] reg 4 [0, 1]", 0, { 512, 4 }, 4,
			4, 32, 16, 16 },
		{ "box [1, 128] lane 32 [0, 4] reg 4 [0, 1]", 0, { 512, 4 }, 4,
			1, 128, 64, 16 },
		{ "box [8, 32] warp 2 [1, 0] lane 32 [0, 1] reg 4 [2, 0]", 0,
			{ 4096, 8 }, 8, 1, 256, 64, 64 },
		{ "box [1, 1] lane 32 [0, 0]", 0, { 4, 4 }, 4, 1, 32, 1, 1 },
	};
	struct poly_traffic t;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_layout *l = place_read(&p, row[i].text);

		assert_true(poly_layout_sectors(l, row[i].first, row[i].stride,
			row[i].size, row[i].vector, &t));
		assert_int_equal(t.lanes, row[i].lanes);
		assert_int_equal(t.transactions, row[i].sectors);
		assert_int_equal(t.least, row[i].least);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* What does not lie in vectors has none. */
static void test_no_vectors(void **state)
{
	static const char *const text[] = {
		"box [1, 128] lane 32 [0, 2] reg 2*2 [0, 64] reg 2 [0, 1]",
		"box [1, 96] lane 32 [0, 3] reg 3 [0, 1]",
		"box [1, 126] lane 32 [0, 4] reg 4 [0, 1]",
	};
	int64_t stride[2] = { 512, 4 };
	struct poly_traffic t;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct poly_layout *l = place_read(&p, text[i]);

		assert_false(poly_layout_sectors(l, 0, stride, 4, 4, &t));
		assert_true(poly_layout_sectors(l, 0, stride, 4, 1, &t));
		poly_layout_free(l);
	}
	places_end(&p);
}

static void test_passes(void **state)
{
	static const struct {
		const char *text, *shared;
		int size, vector, passes, least;
	} row[] = {
		{ "box [32, 32] lane 32 [0, 1] reg 32 [1, 0]",
			"box [32, 32] byte 32*128 [1, 0] byte 32*4 [0, 1]", 4,
			1, 32, 32 },
		{ "box [32, 32] lane 32 [1, 0] reg 32 [0, 1]",
			"box [32, 32] byte 32*128 [1, 0] byte 32*4 [0, 1]", 4,
			1, 1024, 32 },
		{ "box [32, 32] lane 32 [1, 0] reg 32 [0, 1]",
			"box [32, 32] byte 32*132 [1, 0] byte 32*4 [0, 1]", 4,
			1, 32, 32 },
		{ "box [32, 32] lane 32 [1, 0] reg 32 [0, 1]",
			"box [32, 32] byte 32*128 [1, 0] byte 32*4 [0, 1] "
			"swizzle 2=2^7 3=3^8 4=4^9 5=5^10 6=6^11", 4, 1, 32,
			32 },
		{ "box [32, 64] lane 32 [1, 0] reg 64 [0, 1]",
			"box [32, 64] byte 32*128 [1, 0] byte 64*2 [0, 1] "
			"swizzle 4=4^7 5=5^8 6=6^9", 2, 8, 32, 32 },
		{ "box [32, 64] lane 32 [1, 0] reg 64 [0, 1]",
			"box [32, 64] byte 32*128 [1, 0] byte 64*2 [0, 1]", 2,
			8, 256, 32 },
	};
	struct poly_traffic t;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_layout *l = place_read(&p, row[i].text);
		struct poly_layout *s = place_read(&p, row[i].shared);

		assert_true(poly_layout_passes(l, s, row[i].size,
			row[i].vector, &t));
		assert_int_equal(t.transactions, row[i].passes);
		assert_int_equal(t.least, row[i].least);
		poly_layout_free(l);
		poly_layout_free(s);
	}
	places_end(&p);
}

/* --------------------------------------------------------------- reductions */

static void test_reduce(void **state)
{
	static const struct {
		const char *text;
		int dim;
		bool commutes;
		const char *steps, *result;
	} row[] = {
		{ "box [1, 512] warp 2 [0, 256] lane 32 [0, 4] reg 2*4 [0, 128] "
			"reg 4 [0, 1]", 1, true,
			"registers 4*1, registers 2*4, xor 2*1, xor 2*2, "
			"xor 2*4, xor 2*8, xor 2*16, shared 2*32",
			"box [1] warp 2 [0] lane 32 [0]" },
		{ "box [1, 512] warp 2 [0, 256] lane 32 [0, 4] reg 2*4 [0, 128] "
			"reg 4 [0, 1]", 1, false,
			"registers 4*1, xor 2*1, xor 2*2, xor 2*4, xor 2*8, "
			"xor 2*16, registers 2*4, shared 2*32",
			"box [1] warp 2 [0] lane 32 [0]" },
		{ "box [2, 20] lane 20 [0, 1] reg 2 [1, 0]", 1, true,
			"xor 2*1, xor 2*2, xor 2*4, xor 2*8, xor 2*16",
			"box [2] lane 32 [0] reg 2 [1]" },
		{ "box [2, 20] lane 2 [1, 0] lane 10*2 [0, 1]", 1, true,
			"xor 2*2, xor 2*4, xor 2*8, xor 2*16",
			"box [2] lane 16*2 [0] lane 2 [1]" },
		{ "box [1, 1000] thread 250 [0, 4] reg 4 [0, 1]", 1, true,
			"registers 4*1, xor 2*1, xor 2*2, xor 2*4, xor 2*8, "
			"xor 2*16, shared 8*32",
			"box [1] warp 8 [0] lane 32 [0]" },
		{ "box [3, 5] lane 3 [1, 0] lane 5*3 [0, 1]", 1, true,
			"lanes 5*3", "box [3] lane 5*3 [0] lane 3 [1]" },
		{ "box [3, 5] lane 3 [1, 0] lane 5*3 [0, 1]", 0, true,
			"lanes 3*1", "box [5] lane 5*3 [1] lane 3 [0]" },
		{ "box [6, 8] lane 8 [0, 1] reg 6 [1, 0]", 0, true,
			"registers 6*1", "box [8] lane 8 [1]" },
		{ "box [6, 8] reg 6*8 [1, 0] reg 8 [0, 1]", 1, true,
			"registers 8*1", "box [6] reg 6 [1]" },
		{ "box [4, 4] cluster 4 [1, 0] warp 4*2 [0, 1]", 0, true,
			"cluster 4*1", "box [4] cluster 4 [0] warp 4*2 [1]" },
		{ "box [4, 4] cluster 4 [1, 0] warp 4*2 [0, 1]", 1, true,
			"shared 4*64", "box [4] cluster 4 [1] warp 4*2 [0]" },
		{ "box [4, 4] lane 4 [-1, 0] reg 4 [0, 1]", 1, true,
			"registers 4*1", "box [4]" },
		{ "box [4] from [3] lane 4 [-1]", 0, false,
			"xor 2*1, xor 2*2", "box [] lane 4 []" },
	};
	struct poly_reduction r;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_layout *l = place_read(&p, row[i].text);

		assert_true(poly_layout_reduce(l, row[i].dim, row[i].commutes,
			&r));
		assert_string_equal(place_steps(&r), row[i].steps);
		place_is(r.result, row[i].result);
		poly_layout_free(r.result);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* What has no such order is refused. */
static void test_no_reduce(void **state)
{
	static const char *const text[] = {
		"box [4, 4] lane 4 [1, 1]",
		"box [1, 4] lane 3 [0, 1] reg 2 [0, 1]",
		"box [1, 5] lane 3 [0, 1] reg 2 [0, 2]",
		"box [1, 8] byte 8 [0, 1]",
	};
	struct poly_reduction r;
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct poly_layout *l = place_read(&p, text[i]);

		assert_false(poly_layout_reduce(l, 1, true, &r));
		assert_null(r.result);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* Random layouts: the steps, executed on sets of x, give each place of the result
 * all x of its row, each once, in order if the operator does not commute.
 */
static void test_reduce_random(void **state)
{
	struct places p;
	int n = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 500; i++) {
		struct poly_layout *l = place_made(&p, place_tile(&p));

		for (int dim = 0; l && dim < l->n_dim; dim++)
			for (int commutes = 0; commutes < 2; commutes++)
				n += place_reduces(&p, l, dim, commutes);
		poly_layout_free(l);
	}
	assert_true(n > 500);
	places_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_no_layout),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_sectors),
		cmocka_unit_test(test_no_vectors),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_no_reduce),
		cmocka_unit_test(test_reduce_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
