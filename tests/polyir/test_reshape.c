/* Check that the steps of a sum become parts and steps of a part, that points of an
 * axis are shared by two programs, and that only programs that can be seen so are
 * changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "example.h"

static struct poly_stmt *stmt(struct example *x, const char *name)
{
	return poly_prog_find_stmt(x->prog, name);
}

static void assert_set(struct example *x, __isl_keep isl_set *set,
	const char *text)
{
	isl_set *want = poly_read_set(x->prog, text);

	assert_int_equal(isl_set_is_equal(set, want), isl_bool_true);
	isl_set_free(want);
}

/* The image of "domain" under "index" is "text". */
static void assert_image(struct example *x, __isl_keep isl_set *domain,
	__isl_keep isl_multi_pw_aff *index, const char *text)
{
	isl_map *map = isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index));
	isl_set *image = isl_set_apply(isl_set_copy(domain), map);

	assert_set(x, image, text);
	isl_set_free(image);
}

/* C = A * B, with "depth" steps. */
static void open_product(struct example *x, const char *depth)
{
	example_open(x, "p");
	example_array(x, "A", POLY_INPUT, "M", "K");
	example_array(x, "B", POLY_INPUT, "K", "N");
	example_array(x, "C", POLY_OUTPUT, "M", "N");
	example_product(x, "S", "C", "A", "B", depth);
}

/* The text of the program says "what" of its hidden sizes, and reads back as itself. */
static void check_text(struct example *x, const char *what)
{
	struct poly_str text = { 0 }, again = { 0 };
	struct poly_prog *copy;

	poly_print(x->prog, &text);
	assert_non_null(strstr(text.s, what));
	copy = poly_parse(x->ctx, text.s, text.len, &x->report);
	assert_non_null(copy);
	poly_print(copy, &again);
	assert_string_equal(text.s, again.s);
	assert_int_equal(copy->n_hidden, x->prog->n_hidden);
	poly_prog_free(copy);
	poly_str_free(&text);
	poly_str_free(&again);
}

static void test_product(void **state)
{
	struct example x;
	struct poly_stmt *s;

	(void)state;
	open_product(&x, "K");
	assert_true(poly_reshape(x.prog, "K"));
	s = stmt(&x, "S");
	assert_set(&x, s->domain, "[M, N, K_parts, K_steps] -> { "
		"S[i, j, p, l] : 0 <= i < M and 0 <= j < N and "
		"0 <= p < K_parts and 0 <= l < K_steps }");
	assert_image(&x, s->domain, s->rhs->arg[0]->index,
		"[M, N, K_parts, K_steps] -> { A[i, p, l] : 0 <= i < M and "
		"N > 0 and 0 <= p < K_parts and 0 <= l < K_steps }");
	assert_image(&x, s->domain, s->rhs->arg[1]->index,
		"[M, N, K_parts, K_steps] -> { B[p, l, j] : 0 <= j < N and "
		"M > 0 and 0 <= p < K_parts and 0 <= l < K_steps }");
	assert_set(&x, stmt(&x, "S_init")->domain, "[M, N] -> { "
		"S_init[i, j] : 0 <= i < M and 0 <= j < N }");
	assert_int_equal(poly_prog_find_array(x.prog, "A")->n_dim, 3);
	assert_int_equal(poly_prog_find_array(x.prog, "C")->n_dim, 2);
	assert_int_equal(x.prog->n_hidden, 2);
	assert_string_equal(x.prog->param[x.prog->param[3].of].name, "K");
	check_text(&x, "param K_parts parts of K\nparam K_steps steps of K\n");
	assert_int_equal(poly_verify(x.prog, "test"), isl_stat_ok);
	assert_false(poly_reshape(x.prog, "N"));
	assert_true(example_close(&x));
}

/* Programs whose arrays cannot be seen so. */
static void test_refused(void **state)
{
	static const char *const depth[] = { "K - 1", "M" };
	struct example x;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_product(&x, depth[i]);
		assert_false(poly_reshape(x.prog, "K"));
		assert_true(example_close(&x));
	}
	example_open(&x, "p");
	example_array(&x, "A", POLY_INPUT, "K", "K");
	example_array(&x, "B", POLY_INPUT, "K", "N");
	example_array(&x, "C", POLY_OUTPUT, "K", "N");
	example_product(&x, "S", "C", "A", "B", "K");
	assert_false(poly_reshape(x.prog, "K"));
	assert_true(example_close(&x));
}

/* Both shares of the columns: which instances each has, and what they read and
 * write.
 */
static void test_shares(void **state)
{
	struct example x;
	struct poly_stmt *s;

	(void)state;
	open_product(&x, "K");
	assert_true(poly_can_take(x.prog, "N"));
	assert_true(poly_take(x.prog, "N", 1, false));
	s = stmt(&x, "S");
	assert_set(&x, s->domain, "[M, N_first, K] -> { S[i, j, k] : "
		"0 <= i < M and 0 <= j < N_first and 0 <= k < K }");
	assert_set(&x, stmt(&x, "S_init")->domain, "[M, N_first] -> { "
		"S_init[i, j] : 0 <= i < M and 0 <= j < N_first }");
	assert_int_equal(x.prog->n_hidden, 1);
	check_text(&x, "param N_first first 1 of N\n");
	assert_true(poly_can_take(x.prog, "M"));
	assert_false(poly_can_take(x.prog, "N"));
	assert_int_equal(poly_verify(x.prog, "test"), isl_stat_ok);
	assert_true(example_close(&x));
	open_product(&x, "K");
	assert_true(poly_take(x.prog, "N", 1, true));
	s = stmt(&x, "S");
	check_text(&x, "param N_first first 1 of N behind\n");
	assert_set(&x, s->domain, "[M, N, N_first, K] -> { S[i, j, k] : "
		"0 <= i < M and 0 <= j < N - N_first and 0 <= k < K }");
	assert_image(&x, s->domain, s->write_index, "[M, N, N_first, K] -> "
		"{ C[i, j] : 0 <= i < M and N_first <= j < N and K > 0 }");
	assert_image(&x, s->domain, s->rhs->arg[1]->index,
		"[M, N, N_first, K] -> { B[k, j] : 0 <= k < K and "
		"N_first <= j < N and M > 0 }");
	assert_int_equal(poly_verify(x.prog, "test"), isl_stat_ok);
	assert_true(example_close(&x));
}

/* Columns that need one another, or that are counted by the size of rows, too. */
static void test_shares_refused(void **state)
{
	struct example x;

	(void)state;
	open_product(&x, "K");
	example_array(&x, "D", POLY_OUTPUT, "M", "N");
	example_array(&x, "E", POLY_INPUT, "N", "N");
	example_product(&x, "T", "D", "C", "E", "N");
	assert_false(poly_can_take(x.prog, "N"));
	assert_true(poly_can_take(x.prog, "M"));
	assert_true(example_close(&x));
	open_product(&x, "K");
	assert_false(poly_can_take(x.prog, "K"));
	assert_true(example_close(&x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_shares_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
