/* Check that every barrier is needed, and that the host device sees planted
 * faults.
 *
 * Programs are compiled, their text is edited, and what comes out is lowered
 * without the legality checks and run on the host device with all of its
 * checks. A barrier that is removed must be reported by poly_check_barriers
 * and found as a race at run time, whatever the order of the threads.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "planted.h"

/* The paper's Fig. 2. */
static const char fig2[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);\n"
	"D = A * B;\n"
	"E = D + C;\n"
	"CodeGen fig2(FLOAT, {E});\n";

/* Two products in one kernel. */
static const char pair[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N); Matrix C(K,N);\n"
	"D = A * B;\n"
	"F = A * C;\n"
	"E = D + F;\n"
	"CodeGen pair(FLOAT, {E});\n";
/* Products that share nothing, in two loops. */
static const char two[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N); Matrix X(M,K); Matrix C(K,N);\n"
	"D = A * B;\n"
	"F = X * C;\n"
	"E = D + F;\n"
	"CodeGen two(FLOAT, {E});\n";

/* Steps each of which needs all of the one before. */
static const char steps[] =
	"param K, N;\n"
	"tensor f32 A(N);\n"
	"d(k,i) for -1<=k<K, 0<=i<N = case {\n"
	"	k == -1: A(i);\n"
	"	else: 0.25 * d(k-1,i) + 0.5 * d(k-1,N-1-i); };\n"
	"out E(i) for 0<=i<N = d(K-1,i);\n";

/* ------------------------------------------------------------------ running */

/* The number of elements of the output of "fig2" that are not A * B + C. */
static int count_wrong(const struct host *h)
{
	const float *a = array(h, "A"), *b = array(h, "B");
	const float *c = array(h, "C"), *e = array(h, "E");
	int wrong = 0;

	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < K; k++)
				sum += a[i * K + k] * b[k * N + j];
			wrong += !(e[i * N + j] == sum + c[i * N + j]);
		}
	return wrong;
}

/* ----------------------------------------------------------------- barriers */

/* As compiled, nothing is found, whatever the order of the threads. */
static void test_clean(void **state)
{
	struct poly_str text = compile(fig2);
	struct world w;
	struct host h;

	(void)state;
	open_host(&h, &w, &text);
	for (uint64_t seed = 0; seed < 5; seed++) {
		run(&h, ALL_CHECKS, seed);
		for (int i = 0; i < cetane_host_findings(h.dev); i++)
			print_error("%s\n", cetane_host_finding(h.dev, i));
		assert_int_equal(cetane_host_findings(h.dev), 0);
		assert_int_equal(count_wrong(&h), 0);
		release(&h);
	}
	close_host(&h, &w);
	poly_str_free(&text);
}

/* The names of the barriers of "text"; returns their number. */
static int find_syncs(const struct poly_str *text, char name[][64], int most)
{
	struct world w;
	int n = 0;

	open_world(&w);
	w.prog = edit_parse(w.ctx, text, &w.report);
	for (int i = 0; i < w.prog->n_stmt; i++)
		if (w.prog->stmt[i]->kind == POLY_SYNC) {
			assert_true(n < most);
			snprintf(name[n++], sizeof(name[0]), "%s",
				w.prog->stmt[i]->name);
		}
	close_world(&w);
	return n;
}

static void refuse_barriers(struct world *w)
{
	assert_int_equal(poly_check_barriers(w->prog, "a_pass"),
		isl_stat_error);
	assert_int_equal(w->report.n_msg, 1);
	assert_int_equal(w->report.msg[0].number, MSG_POLY_BARRIER);
	assert_int_equal(poly_check(w->prog, "a_pass"), isl_stat_error);
	poly_report_free(&w->report);
}

/* Without the barrier "sync" the checks refuse the program, and it has a race
 * on a shared array.
 */
static void check_without(const char *source, const char *sync)
{
	const struct edit edit = { EDIT_DROP, sync, NULL };
	struct poly_str text = broken(source, &edit, 1);
	struct world w;
	struct host h;

	open_host(&h, &w, &text);
	refuse_barriers(&w);
	for (uint64_t seed = 1; seed < 4; seed++) {
		run(&h, CETANE_CHECK_RACE, seed);
		assert_true(finds(&h, "race in kernel ", "_shared"));
		assert_true(finds(&h, "race in kernel ", " shared byte "));
		release(&h);
	}
	close_host(&h, &w);
	poly_str_free(&text);
}

static void check_each_barrier(const char *source, int n)
{
	struct poly_str text = compile(source);
	char name[16][64];

	assert_int_equal(find_syncs(&text, name, 16), n);
	poly_str_free(&text);
	for (int i = 0; i < n; i++)
		check_without(source, name[i]);
}

static void test_each_barrier(void **state)
{
	(void)state;
	check_each_barrier(fig2, 1);
}

static void test_each_barrier_of_two_products(void **state)
{
	(void)state;
	check_each_barrier(pair, 1);
	check_each_barrier(two, 2);
}

/* "steps" in three blocks that run together. */
static struct poly_str compile_steps(void)
{
	struct poly_options o = poly_options_default;

	o.request.loops = POLY_LOOPS_TOGETHER;
	o.request.blocks = 3;
	return compile_as(steps, &o);
}

static void check_steps(const struct host *h)
{
	float v[2][N];

	memcpy(v[0], array(h, "A"), sizeof(v[0]));
	for (int k = 0; k < K; k++)
		for (int i = 0; i < N; i++)
			v[(k + 1) % 2][i] = 0.25f * v[k % 2][i] +
				0.5f * v[k % 2][N - 1 - i];
	for (int i = 0; i < N; i++)
		assert_true(fabsf(array(h, "E")[i] - v[K % 2][i]) < 1e-5);
}

/* Blocks wait for one another, whatever their order and that of the threads. */
static void test_together(void **state)
{
	struct poly_str text = compile_steps();
	struct world w;
	struct host h;

	(void)state;
	assert_non_null(strstr(text.s, " together thread 1 32 "));
	open_host(&h, &w, &text);
	assert_int_equal(poly_check(w.prog, "a_pass"), isl_stat_ok);
	for (uint64_t seed = 0; seed < 16; seed++) {
		run(&h, ALL_CHECKS, seed);
		assert_int_equal(cetane_host_findings(h.dev), 0);
		check_steps(&h);
		release(&h);
	}
	close_host(&h, &w);
	poly_str_free(&text);
}

/* Without one of their barriers the checks refuse the program, with two
 * instances, and two blocks race on memory of the device.
 */
static void test_each_barrier_of_all_blocks(void **state)
{
	struct poly_str text = compile_steps();
	char name[16][64];
	int n = find_syncs(&text, name, 16);

	(void)state;
	assert_true(n >= 1);
	for (int i = 0; i < n; i++) {
		const struct edit edit = { EDIT_DROP, name[i], NULL };
		struct poly_str copy = { 0 };
		struct world w;
		struct host h;

		poly_str_add(&copy, text.s);
		edit_text(&copy, &edit, 1);
		open_host(&h, &w, &copy);
		assert_int_equal(poly_check(w.prog, "a_pass"),
			isl_stat_error);
		assert_int_equal(w.report.n_msg, 1);
		assert_int_equal(w.report.msg[0].number, MSG_POLY_BARRIER);
		assert_non_null(strstr(w.report.msg[0].text, "k"));
		for (uint64_t seed = 1; seed < 4; seed++) {
			run(&h, CETANE_CHECK_RACE, seed);
			assert_true(finds(&h, "race in kernel ",
				" global byte "));
			release(&h);
		}
		close_host(&h, &w);
		poly_str_free(&copy);
	}
	poly_str_free(&text);
}

/* ------------------------------------------------------------------- faults */

/* Run the broken "fig2" with "checks" until "release". */
static struct poly_str run_broken(struct host *h, struct world *w,
	const struct edit *edit, int n, unsigned checks)
{
	struct poly_str text = broken(fig2, edit, n);

	open_host(h, w, &text);
	run(h, checks, 1);
	return text;
}

static void done(struct host *h, struct world *w, struct poly_str *text)
{
	release(h);
	close_host(h, w);
	poly_str_free(text);
}

/* The epilogue runs over one row too many. */
static void test_wide_group(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "{ E_add[i, j] : 0 <= i < M and",
		  "{ E_add[i, j] : 0 <= i <= M and" },
		{ EDIT_REPLACE,
		  "{ E_add[i, j] -> fig2_E_points[t0, t1] : 0 <= i < M and",
		  "{ E_add[i, j] -> fig2_E_points[t0, t1] : 0 <= i <= M and" },
		{ EDIT_REPLACE, "fig2_E_points[t0, t1] : t0 >= 0 and 64t0 < M",
		  "fig2_E_points[t0, t1] : t0 >= 0 and 64t0 <= M" },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 3, CETANE_CHECK_BOUNDS);
	assert_true(finds(&h, "out of bounds in kernel fig2_E", ": C"));
	assert_true(finds(&h, "out of bounds in kernel fig2_E", ": E"));
	done(&h, &w, &text);
}

/* A copy reads rows that the array does not have. */
static void test_wide_copy(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "array A f32 input global \"[M, K] -> { "
		  "A[(M), (K)] }\"", "array A f32 input global \"[M, K] -> { "
		  "A[(1 + M), (K)] }\"" },
	};
	struct poly_str text = broken(fig2, edit, 1);
	struct world w;
	struct host h;

	(void)state;
	open_host(&h, &w, &text);
	assert_int_equal(h.plan->array[0].extent[0].op[1].value, 1);
	h.plan->array[0].extent[0].op[1].value = 0;
	run(&h, CETANE_CHECK_BOUNDS, 1);
	assert_true(finds(&h, "out of bounds in kernel fig2_E", ": A"));
	done(&h, &w, &text);
}

/* The accumulators are never set. */
static void test_no_init(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "  value (const f32 0)\n", "" },
		{ EDIT_DROP, "D_init", NULL },
		{ EDIT_DROP, "fig2_E_init", NULL },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 3, ALL_CHECKS);
	assert_int_equal(count_wrong(&h), M * N);
	assert_true(isnan(array(&h, "E")[0]));
	done(&h, &w, &text);
}

/* The accumulators start from 1. */
static void test_wrong_init(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "(const f32 0)", "(const f32 1)" },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 1, ALL_CHECKS);
	assert_int_equal(cetane_host_findings(h.dev), 0);
	assert_int_equal(count_wrong(&h), M * N);
	done(&h, &w, &text);
}

/* Only every other column of the buffer is written, by two threads. */
static void test_half_written(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "A_shared[((tk) mod 2), (r), (c)]",
		  "A_shared[((tk) mod 2), (r), (c - (c) mod 2)]" },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 1, ALL_CHECKS);
	assert_true(finds(&h, "uninitialised read in kernel fig2_E",
		"A_shared in D_mul of D_mul_tile["));
	assert_true(finds(&h, "race in kernel fig2_E", "A_shared"));
	done(&h, &w, &text);
}

/* The copies of the first round are left out. */
static void test_copy_left_out(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "tk >= 0 and 16tk < K and 0 <= r",
		  "tk >= 1 and 16tk < K and 0 <= r" },
		{ EDIT_REPLACE, "_copy[t0, t1, tk] : t0 >= 0 and 64t0 < M and "
		  "t1 >= 0 and 128t1 < N and tk >= 0",
		  "_copy[t0, t1, tk] : t0 >= 0 and 64t0 < M and t1 >= 0 and "
		  "128t1 < N and tk >= 1" },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 2, CETANE_CHECK_INIT);
	assert_true(finds(&h, "uninitialised read in kernel fig2_E",
		"A_shared"));
	assert_true(finds(&h, "uninitialised read in kernel fig2_E",
		"B_shared"));
	done(&h, &w, &text);
}

/* Half of the tile is copied, the rest filled in: wrong values only. */
static void test_half_copied(void **state)
{
	static const struct edit edit[] = {
		{ EDIT_REPLACE, "0 <= r <= 63 and 0 <= c <= 15",
		  "0 <= r <= 63 and 0 <= c <= 7" },
	};
	struct poly_str text;
	struct world w;
	struct host h;

	(void)state;
	text = run_broken(&h, &w, edit, 1, ALL_CHECKS);
	assert_int_equal(cetane_host_findings(h.dev), 0);
	assert_true(count_wrong(&h) > M * N / 4);
	done(&h, &w, &text);
}

/* What several warps put together: a row, columns, and a running sum, which each hands on to
 * the next. The row and the sum stand in registers or shared memory before and behind that.
 */
static const struct {
	const char *text;
	int n;			/* barriers */
} put_together[] = {
	{ "tensor f32 x(1,4096);\n"
	  "m(i) = max(j: x(i,j));\n"
	  "out y(i,j) = x(i,j) - m(i);\n", 1 },
	{ "tensor f32 x(1024,4);\n"
	  "m(j) = max(i: x(i,j));\n"
	  "out y(i,j) = x(i,j) - m(j);\n", 2 },
	{ "tensor f32 x(1,4096);\n"
	  "out y(i,j) for 0<=i<1, 0<=j<4096 = case {\n"
	  "	j == 0: x(i,j);\n"
	  "	else: y(i,j-1) + x(i,j); };\n", 3 },
};

/* Without any of the barriers with which threads put something together they race on the
 * places in shared memory that they do it in.
 */
static void test_each_barrier_of_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(put_together) / sizeof(put_together[0]); i++) {
		struct poly_str text = compile(put_together[i].text);
		struct world w;
		struct host h;
		int n;

		open_host(&h, &w, &text);
		n = run_without(&h, -1, 1);
		assert_int_equal(cetane_host_findings(h.dev), 0);
		assert_int_equal(n, put_together[i].n);
		release(&h);
		for (int k = 0; k < n; k++) {
			run_without(&h, k, 1);
			assert_true(finds(&h, "race in kernel ", "places in test_y"));
			release(&h);
		}
		close_host(&h, &w);
		poly_str_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_each_barrier),
		cmocka_unit_test(test_each_barrier_of_two_products),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_each_barrier_of_places),
		cmocka_unit_test(test_each_barrier_of_all_blocks),
		cmocka_unit_test(test_wide_group),
		cmocka_unit_test(test_wide_copy),
		cmocka_unit_test(test_no_init),
		cmocka_unit_test(test_wrong_init),
		cmocka_unit_test(test_half_written),
		cmocka_unit_test(test_copy_left_out),
		cmocka_unit_test(test_half_copied),
	};

	return cmocka_run_group_tests_name("run barriers", test, NULL, NULL);
}
