/* Check the analyses of the Diesel paper: its Tables 2 and 3, D16 to D21. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "example.h"
#include "polyir/polyir.h"

static void assert_analyses(struct example *x, const char *expected)
{
	struct poly_str text = { 0 };

	assert_int_equal(poly_print_diesel(x->prog, &text), isl_stat_ok);
	assert_string_equal(text.s, expected);
	poly_str_free(&text);
}

/* Nodes are the paper's: the statement that clears the product is not one. */
static void test_fig2(void **state)
{
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	assert_analyses(&x,
		"domain P = [M, N, K] -> { P[i, j, k] : 0 <= i < M and "
			"0 <= j < N and 0 <= k < K }\n"
		"read P = { P[i, j, k] -> A[i, k] }\n"
		"read P = { P[i, j, k] -> B[k, j] }\n"
		"read P = { P[i, j, k] -> T[i, j] }\n"
		"write P = { P[i, j, k] -> T[i, j] }\n"
		"P_P = { P[i, j, k] -> P[i' = i, j' = j, k' = 1 + k] }\n"
		"LM_P = [K] -> { P[i, j, k = -1 + K] -> T[i, j] }\n"
		"domain S = [M, N] -> { S[i, j] : 0 <= i < M and "
			"0 <= j < N }\n"
		"read S = { S[i, j] -> C[i, j] }\n"
		"read S = { S[i, j] -> T[i, j] }\n"
		"write S = { S[i, j] -> E[i, j] }\n"
		"P_S = { }\n"
		"LM_S = { S[i, j] -> E[i, j] }\n"
		"RAW P -> P = { P[i, j, k] -> P[i' = i, j' = j, k' = 1 + k] "
			"}\n"
		"RAW P -> S = [K] -> { P[i, j, k = -1 + K] -> "
			"S[i' = i, j' = j] }\n"
		"RAR P -> P = { P[i, j, k] -> P[i' = i, j' = j, k']; "
			"P[i, j, k] -> P[i' = i, j', k' = k]; "
			"P[i, j, k] -> P[i', j' = j, k' = k] }\n"
		"RAR P -> S = { P[i, j, k] -> S[i' = i, j' = j] }\n"
		"RAR S -> S = { S[i, j] -> S[i' = i, j' = j] }\n");
	assert_true(example_close(&x));
}

/* With one update a cell there is no order, and each update is the last. */
static void test_depth_one(void **state)
{
	struct poly_str text = { 0 };
	struct example x;

	(void)state;
	example_fig2(&x, "1");
	assert_int_equal(poly_print_diesel(x.prog, &text), isl_stat_ok);
	assert_non_null(strstr(text.s, "\nP_P = { }\n"));
	assert_non_null(strstr(text.s,
		"\nLM_P = { P[i, j, k] -> T[i, j] }\n"));
	assert_non_null(strstr(text.s, "\nRAW P -> S = { P[i, j, k] -> "
		"S[i' = i, j' = j] }\n"));
	assert_null(strstr(text.s, "RAW P -> P"));
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* The lines of "text" that begin with "head", joined. */
static void pick(struct poly_str *out, const char *text, const char *head)
{
	const char *eol;

	for (; *text; text = eol + 1) {
		eol = strchr(text, '\n');
		if (!strncmp(text, head, strlen(head)))
			poly_str_addn(out, text, (size_t)(eol - text) + 1);
	}
}

/* Three relations: two edges, and the order within the product. */
static void test_fig7(void **state)
{
	struct poly_str text = { 0 }, raw = { 0 };
	struct example x;

	(void)state;
	example_fig7(&x);
	assert_int_equal(poly_print_diesel(x.prog, &text), isl_stat_ok);
	pick(&raw, text.s, "RAW ");
	assert_string_equal(raw.s,
		"RAW N1 -> N3 = { N1[i, j] -> N3[i' = i, j', k = j] }\n"
		"RAW N2 -> N3 = { N2[i, j] -> N3[i', j' = j, k = i] }\n"
		"RAW N3 -> N3 = { N3[i, j, k] -> N3[i' = i, j' = j, "
			"k' = 1 + k] }\n");
	poly_str_free(&text);
	poly_str_free(&raw);
	assert_true(example_close(&x));
}

/* isl alone, which the schedule pass asks first, fuses A + B with the product
 * and leaves C + D alone (D22): two nests, of which the fused one has a single
 * parallel loop outside.
 */
static void test_fig7_fused(void **state)
{
	isl_schedule_node *node, *band;
	isl_schedule *schedule;
	struct example x;

	(void)state;
	example_fig7(&x);
	assert_int_equal(poly_deps(x.prog), isl_stat_ok);
	schedule = poly_schedule_deps(x.prog);
	assert_non_null(schedule);
	node = isl_schedule_get_root(schedule);
	node = isl_schedule_node_child(node, 0);
	assert_int_equal(isl_schedule_node_n_children(node), 2);
	for (int i = 0; i < 2; i++) {
		isl_union_set *nest;
		bool fused;

		band = isl_schedule_node_get_child(node, i);
		band = isl_schedule_node_child(band, 0);
		nest = isl_schedule_node_get_domain(band);
		fused = isl_union_set_n_set(nest) > 1;
		assert_int_equal(isl_schedule_node_band_n_member(band),
			fused ? 1 : 2);
		assert_true(isl_schedule_node_band_member_get_coincident(band,
			0));
		isl_union_set_free(nest);
		isl_schedule_node_free(band);
	}
	isl_schedule_node_free(node);
	isl_schedule_free(schedule);
	assert_true(example_close(&x));
}

/* The reads and writes of a whole program, as relations. */
static void test_accesses(void **state)
{
	isl_union_map *reads, *writes, *updates, *expected;
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	reads = poly_reads(x.prog);
	writes = poly_writes(x.prog);
	updates = poly_updates(x.prog);
	expected = isl_union_map_read_from_str(x.ctx, "[M, N, K] -> { "
		"P[i,j,k] -> A[i,k] : 0 <= i < M and 0 <= j < N and "
		"0 <= k < K; P[i,j,k] -> B[k,j] : 0 <= i < M and 0 <= j < N "
		"and 0 <= k < K; P[i,j,k] -> T[i,j] : 0 <= i < M and 0 <= j < "
		"N and 0 <= k < K; S[i,j] -> T[i,j] : 0 <= i < M and 0 <= j < "
		"N; S[i,j] -> C[i,j] : 0 <= i < M and 0 <= j < N }");
	assert_int_equal(isl_union_map_is_equal(reads, expected), 1);
	isl_union_map_free(expected);
	expected = isl_union_map_read_from_str(x.ctx, "[M, N, K] -> { "
		"P[i,j,k] -> T[i,j] : 0 <= i < M and 0 <= j < N and "
		"0 <= k < K }");
	assert_int_equal(isl_union_map_is_equal(updates, expected), 1);
	assert_int_equal(isl_union_map_is_subset(updates, writes), 1);
	assert_int_equal(isl_union_map_n_map(writes), 3);
	isl_union_map_free(expected);
	isl_union_map_free(reads);
	isl_union_map_free(writes);
	isl_union_map_free(updates);
	assert_true(example_close(&x));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_fig2),
		cmocka_unit_test(test_depth_one),
		cmocka_unit_test(test_fig7),
		cmocka_unit_test(test_fig7_fused),
		cmocka_unit_test(test_accesses),
	};

	return cmocka_run_group_tests_name("polyir diesel", test, NULL, NULL);
}
