/* Check that layouts made of layouts hold what they must, place by place, and that
 * a conversion takes what it says: against searches through all places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "places.h"
#include "table.h"

/* "l", which is taken, holds what "t", which is freed, has; if it may be, nothing
 * is as well. Returns 1 if there is something to compare_held.
 */
static int check(struct places *p, struct poly_layout *l, struct table t,
	bool may_lack)
{
	struct table own;

	if (!l && may_lack) {
		free(t.held);
		return 0;
	}
	assert_non_null(l);
	own = table_of(l);
	qsort(own.held, (size_t) own.n, sizeof(*own.held), compare_held);
	qsort(t.held, (size_t) t.n, sizeof(*t.held), compare_held);
	if (own.n != t.n || memcmp(own.held, t.held, (size_t) t.n *
	    sizeof(*t.held)))
		fail_msg("%s: %d places, not %d", place_text(l), own.n, t.n);
	free(own.held);
	free(t.held);
	poly_layout_free(place_made(p, l));
	return 1;
}

static struct poly_layout *any(struct places *p)
{
	struct poly_layout *l;

	do {
		int kind = place_below(p, 3);

		l = place_made(p, kind == 0 ? place_tiny(p) : kind == 1 ?
			place_tile(p) : place_random(p));
	} while (!l);
	return l;
}

/* ------------------------------------------------------------------- algebra */

static void test_product(void **state)
{
	struct places p;
	int n = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 300; i++) {
		struct poly_layout *a = any(&p), *b = place_made(&p,
			place_tiny(&p));
		struct table x, y, t;
		int span[POLY_N_AT];

		if (!b)
			b = poly_layout_copy(a);
		x = table_of(a);
		y = table_of(b);
		t = table_alloc(x.n * y.n);
		for (int k = 0; k < POLY_N_AT; k++)
			span[k] = poly_layout_span(a, k);
		for (int k = 0; k < x.n * y.n; k++) {
			struct poly_held h = x.held[k / y.n];
			struct poly_held *o = &y.held[k % y.n];

			for (int j = 0; j < POLY_N_AT; j++)
				h.at[j] += o->at[j] * span[j];
			for (int j = 0; j < b->n_dim; j++)
				h.x[a->n_dim + j] = o->x[j];
			t.held[t.n++] = h;
		}
		n += poly_layout_span(b, POLY_AT_BYTE) == 1 && t.n &&
			t.n < 4000 ? check(&p, poly_layout_product(a, b), t,
			false) : (free(t.held), 0);
		free(x.held);
		free(y.held);
		poly_layout_free(a);
		poly_layout_free(b);
	}
	assert_true(n > 100);
	places_end(&p);
}

static void test_product_swizzled(void **state)
{
	struct places p;
	struct poly_layout *a, *b, *c, *d;

	(void)state;
	places_begin(&p);
	a = place_read(&p, "box [8, 32] byte 8*128 [1, 0] byte 32*4 [0, 1] "
		"swizzle 4=4^7 5=5^8 6=6^9");
	b = place_read(&p, "box [3] byte 3 [1]");
	c = poly_layout_product(a, b);
	place_is(c, "box [8, 32, 3] byte 3*1024 [0, 0, 1] byte 8*128 [1, 0, 0] "
		"byte 32*4 [0, 1, 0] swizzle 4=4^7 5=5^8 6=6^9");
	assert_null(poly_layout_product(b, a));
	assert_null(poly_layout_product(a, a));
	poly_layout_free(c);
	d = place_read(&p, "box [2] lane 2 [1]");
	c = poly_layout_product(d, a);
	poly_layout_free(d);
	place_is(c, "box [2, 8, 32] lane 2 [1, 0, 0] byte 8*128 [0, 1, 0] "
		"byte 32*4 [0, 0, 1] swizzle 4=4^7 5=5^8 6=6^9");
	poly_layout_free(c);
	c = poly_layout_restrict(a, 0, 3, 4);
	place_is(c, "box [4, 32] base byte 384 byte 4*128 [1, 0] "
		"byte 32*4 [0, 1] swizzle 4=4^7 5=5^8 6=6^9");
	poly_layout_free(c);
	poly_layout_free(a);
	poly_layout_free(b);
	places_end(&p);
}

static void test_dimensions(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 400; i++) {
		struct poly_layout *l = any(&p), *other;
		int dim = place_below(&p, l->n_dim);
		int first = place_below(&p, l->extent[dim]);
		int count = 1 + place_below(&p, l->extent[dim] - first);
		struct table x = table_of(l), t = table_alloc(x.n);

		for (int k = 0; k < x.n; k++) {
			struct poly_held h = x.held[k];

			h.x[dim] -= first;
			if (h.x[dim] >= 0 && h.x[dim] < count)
				t.held[t.n++] = h;
		}
		check(&p, poly_layout_restrict(l, dim, first, count), t,
			false);
		t = table_alloc(x.n);
		for (int k = 0; k < x.n; k++) {
			struct poly_held h = x.held[k];

			memmove(h.x + dim + 1, h.x + dim, (size_t)
				(l->n_dim - dim) * sizeof(*h.x));
			h.x[dim] = 0;
			t.held[t.n++] = h;
		}
		other = poly_layout_insert(l, dim);
		if (x.n) {
			struct poly_layout *back = poly_layout_drop(other,
				dim);

			place_is(back, place_text(l));
			poly_layout_free(back);
			check(&p, other, t, false);
		} else {
			poly_layout_free(other);
			free(t.held);
		}
		free(x.held);
		poly_layout_free(l);
	}
	places_end(&p);
}

/* Without a dimension, each place holds what is left of its x, and so do the places
 * whose x was outside along that dimension alone.
 */
static void test_drop(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 300; i++) {
		struct poly_layout *l = any(&p), *wide, *dropped;
		int dim = place_below(&p, l->n_dim);
		struct table x, t;

		wide = poly_layout_copy(l);
		wide->origin[dim] += 5000;
		wide->extent[dim] = 10000;
		wide = poly_layout_normal(wide);
		dropped = poly_layout_drop(l, dim);
		if (!wide) {
			poly_layout_free(dropped);
			poly_layout_free(l);
			continue;
		}
		x = table_of(wide);
		t = table_alloc(x.n);
		for (int k = 0; k < x.n; k++) {
			struct poly_held h = x.held[k];

			memmove(h.x + dim, h.x + dim + 1, (size_t)
				(l->n_dim - dim) * sizeof(*h.x));
			t.held[t.n++] = h;
		}
		check(&p, dropped, t, false);
		free(x.held);
		poly_layout_free(wide);
		poly_layout_free(l);
	}
	places_end(&p);
}

static void test_apply(void **state)
{
	struct places p;
	int n = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 600; i++) {
		struct poly_layout *l = any(&p);
		int n_dim = 1 + place_below(&p, 3), matrix[6], constant[3];
		int extent[3];
		struct table x = table_of(l), t = table_alloc(x.n);

		for (int k = 0; k < 6; k++)
			matrix[k] = place_below(&p, 5) - 2;
		for (int k = 0; k < 3; k++) {
			constant[k] = place_below(&p, 7) - 3;
			extent[k] = 1 + place_below(&p, 40);
		}
		for (int k = 0; k < x.n; k++) {
			struct poly_held h = { 0 };
			bool inside = true;

			memcpy(h.at, x.held[k].at, sizeof(h.at));
			for (int j = 0; j < n_dim; j++) {
				h.x[j] = constant[j];
				for (int d = 0; d < l->n_dim; d++)
					h.x[j] += matrix[j * l->n_dim + d] *
						x.held[k].x[d];
				inside &= h.x[j] >= 0 && h.x[j] < extent[j];
			}
			if (inside)
				t.held[t.n++] = h;
		}
		n += check(&p, poly_layout_apply(l, n_dim, extent, matrix,
			constant), t, true);
		free(x.held);
		poly_layout_free(l);
	}
	assert_true(n > 300);
	places_end(&p);
}

/* Division is there for tiles whose digits divide at its borders. */
static void test_divide(void **state)
{
	struct places p;
	int n = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 600; i++) {
		struct poly_layout *l = any(&p);
		int dim = place_below(&p, l->n_dim);
		int inner = 1 + place_below(&p, 8);
		struct table x = table_of(l), t = table_alloc(x.n);

		for (int k = 0; k < x.n; k++) {
			struct poly_held h = x.held[k];

			memmove(h.x + dim + 1, h.x + dim, (size_t)
				(l->n_dim - dim) * sizeof(*h.x));
			h.x[dim] = x.held[k].x[dim] / inner;
			h.x[dim + 1] %= inner;
			t.held[t.n++] = h;
		}
		n += check(&p, poly_layout_divide(l, dim, inner), t, true);
		free(x.held);
		poly_layout_free(l);
	}
	assert_true(n > 200);
	places_end(&p);
}

static void test_divide_text(void **state)
{
	static const char *const text[][3] = {
		{ "box [64] lane 32 [2] reg 2 [1]", "8",
			"box [8, 8] lane 8*4 [1, 0] lane 4 [0, 2] reg 2 [0, 1]" },
		{ "box [12] lane 2 [6] reg 6 [1]", "3",
			"box [4, 3] lane 2 [2, 0] reg 2*3 [1, 0] reg 3 [0, 1]" },
		{ "box [20] lane 5 [4] reg 4 [1]", "2",
			"box [10, 2] lane 5 [2, 0] reg 2*2 [1, 0] reg 2 [0, 1]" },
		{ "box [6] lane 2 [4] reg 2 [1]", "4",
			"box [2, 4] lane 2 [1, 0] reg 2 [0, 1]" },
		{ "box [24] lane 4 [6] reg 6 [1]", "4", "none" },
		{ "box [8] from [7] lane 8 [-1]", "4",
			"box [2, 4] from [1, 3] lane 2*4 [-1, 0] lane 4 [0, -1]" },
	};
	struct places p;

	(void)state;
	places_begin(&p);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct poly_layout *l = place_read(&p, text[i][0]);
		struct poly_layout *d = poly_layout_divide(l, 0,
			atoi(text[i][1]));

		place_is(d, text[i][2]);
		poly_layout_free(d);
		poly_layout_free(l);
	}
	places_end(&p);
}

static void test_inverse(void **state)
{
	struct places p;
	int n = 0;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 600; i++) {
		struct poly_layout *l = any(&p), *inverse;
		struct table x = table_of(l), t = table_alloc(x.n);

		for (int k = 0; k < x.n; k++) {
			struct poly_held h = { 0 };

			memcpy(h.x, x.held[k].at, sizeof(x.held[k].at));
			h.at[POLY_AT_BYTE] = x.held[k].x[0];
			for (int d = 1; d < l->n_dim; d++)
				h.at[POLY_AT_BYTE] = h.at[POLY_AT_BYTE] *
					l->extent[d] + x.held[k].x[d];
			t.held[t.n++] = h;
		}
		inverse = x.n ? poly_layout_inverse(l) : NULL;
		if (inverse)
			assert_true(poly_layout_is_injective(l));
		n += check(&p, inverse, t, true);
		free(x.held);
		poly_layout_free(l);
	}
	assert_true(n > 150);
	places_end(&p);
}

static void test_refine(void **state)
{
	struct places p;

	(void)state;
	places_begin(&p);
	for (int i = 0; i < 200; i++) {
		struct poly_layout *l = place_made(&p, place_tile(&p)), *parts;

		parts = poly_layout_copy(l);
		for (int k = 0; k < l->n_digit; k++)
			assert_int_equal(poly_layout_refine(parts, k, 2),
				l->digit[k].radix % 2 == 0);
		parts = place_made(&p, parts);
		place_is(parts, place_text(l));
		poly_layout_free(parts);
		poly_layout_free(l);
	}
	places_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_product_swizzled),
		cmocka_unit_test(test_dimensions),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_divide),
		cmocka_unit_test(test_divide_text),
		cmocka_unit_test(test_inverse),
		cmocka_unit_test(test_refine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
