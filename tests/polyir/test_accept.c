/* Check that what passes make of legal programs passes all legality checks,
 * after every pass, and when it is printed and read back in between.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "frontend/frontend.h"

static char *read_file(const char *folder, const char *name)
{
	struct poly_str path = { 0 }, text = { 0 };
	char block[4096];
	size_t n;
	FILE *f;

	poly_str_printf(&path, "%s/%s/%s", SOURCE_DIR, folder, name);
	f = fopen(path.s, "rb");
	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)))
		poly_str_addn(&text, block, n);
	fclose(f);
	poly_str_free(&path);
	return text.s;
}

static void print_errors(const struct poly_report *report)
{
	for (int i = 0; i < report->n_msg; i++)
		if (report->msg[i].severity == POLY_ERROR)
			print_error("E%d: %s\n", report->msg[i].number,
				report->msg[i].text);
}

static isl_stat compile(isl_ctx *ctx, const struct fe_unit *u,
	const struct poly_options *o, struct poly_report *report)
{
	struct poly_prog *prog = fe_lower(u, ctx, report);
	isl_stat ok = prog ? poly_compile(&prog, o) : isl_stat_error;

	if (ok == isl_stat_ok)
		ok = poly_check(prog, "test");
	poly_prog_free(prog);
	return ok;
}

/* All checks after every pass, with both mappings, and a round trip. */
static void check_legal(const char *folder, const char *name)
{
	char *text = read_file(folder, name);
	struct poly_report report = { 0 };
	struct fe_unit *u = fe_read(name, text, strlen(text), NULL, 0,
		&report);

	for (int i = 0; i < 2; i++) {
		struct poly_options o = poly_options_default;
		isl_ctx *ctx = poly_ctx_alloc();
		isl_stat ok;

		assert_true(o.check);
		o.mapping = i ? POLY_MAP_NAIVE : POLY_MAP_TILED;
		o.roundtrip = !i;
		ok = u ? compile(ctx, u, &o, &report) : isl_stat_error;
		print_errors(&report);
		if (ok < 0)
			fail_msg("%s is legal", name);
		assert_true(poly_ctx_free(ctx));
	}
	poly_report_free(&report);
	fe_unit_free(u);
	free(text);
}

/* Check the programs of "folder"; at least "least". */
static void check_folder(const char *folder, int least)
{
	struct poly_str path = { 0 };
	struct dirent *e;
	DIR *dir;
	int n = 0;

	poly_str_printf(&path, "%s/%s", SOURCE_DIR, folder);
	dir = opendir(path.s);
	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".dsl")) {
			check_legal(folder, e->d_name);
			n++;
		}
	closedir(dir);
	poly_str_free(&path);
	assert_true(n >= least);
}

static void test_accepted(void **state)
{
	(void)state;
	check_folder("tests/frontend/accept", 10);
}

/* The program of "text" with all passes; without read-after-read pairs if
 * "rar" is false.
 */
static void compile_text(const char *text, bool rar, struct poly_str *out)
{
	static const char *const pass[] = { "schedule", "fold", "rows",
		"split", "cut_loops", "map_points", "map_tiles", "chain", "promote_registers", "promote_shared", "pipeline",
		"sync", "shrink" };
	static const char *const first[] = { "cut", "privatise", "deps" };
	struct poly_options o = poly_options_default;
	struct poly_report report = { 0 };
	struct fe_unit *u = fe_read("t", text, strlen(text), NULL, 0, &report);
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog = fe_lower(u, ctx, &report);

	for (int i = 0; i < 3; i++)
		assert_int_equal(poly_run(&prog, &o, first[i]), isl_stat_ok);
	assert_false(isl_union_map_is_empty(prog->deps.rar));
	if (!rar)
		prog->deps.rar = isl_union_map_subtract(prog->deps.rar,
			isl_union_map_copy(prog->deps.rar));
	for (size_t i = 0; i < sizeof(pass) / sizeof(pass[0]); i++)
		assert_int_equal(poly_run(&prog, &o, pass[i]), isl_stat_ok);
	assert_int_equal(poly_check(prog, "test"), isl_stat_ok);
	poly_print_tree(prog, out, "");
	poly_prog_free(prog);
	fe_unit_free(u);
	poly_report_free(&report);
	assert_true(poly_ctx_free(ctx));
}

/* Pairs of reads are for proximity only (D21): without them the program is
 * as legal as with them, and here even the same.
 */
static void test_read_after_read(void **state)
{
	static const char text[] = "Params M, K, N; Matrix A(M,K);"
		"Matrix B(M,K); Matrix C(K,N); Matrix D(K,N);"
		"E = A + B; F = C + D; G = E * F; H = E - A;"
		"CodeGen(FLOAT, {G, H});";
	struct poly_str with = { 0 }, without = { 0 };

	(void)state;
	compile_text(text, true, &with);
	compile_text(text, false, &without);
	assert_string_equal(with.s, without.s);
	poly_str_free(&with);
	poly_str_free(&without);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_read_after_read),
	};

	return cmocka_run_group_tests_name("polyir accept", test, NULL, NULL);
}
