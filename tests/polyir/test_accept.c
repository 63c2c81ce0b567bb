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

/* All checks after every pass, with both mappings, with and without a round
 * trip.
 */
static void check_legal(const char *folder, const char *name)
{
	char *text = read_file(folder, name);
	struct poly_report report = { 0 };
	struct fe_unit *u = fe_read(name, text, strlen(text), NULL, 0,
		&report);

	for (int i = 0; i < 4; i++) {
		struct poly_options o = poly_options_default;
		isl_ctx *ctx = poly_ctx_alloc();
		isl_stat ok;

		assert_true(o.check);
		o.mapping = i & 1 ? POLY_MAP_NAIVE : POLY_MAP_TILED;
		o.roundtrip = i & 2;
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

static void test_golden(void **state)
{
	(void)state;
	check_folder("tests/golden/polyir", 10);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_golden),
	};

	return cmocka_run_group_tests_name("polyir accept", test, NULL, NULL);
}
