/* Fuzz the reader of loop nests in C, of preprocessed text: tokens,
 * declarations, loops, accesses, and what is printed of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "fuzz.h"

static void print(const char *text, size_t len, const struct fe_unit *u,
	const struct poly_report *report)
{
	struct poly_str out = { 0 };
	FILE *null = fopen("/dev/null", "w");

	if (!null)
		abort();
	fe_diag_print(null, "fuzz.c", text, len, report, false);
	fclose(null);
	if (u)
		fe_print_check(u, &out);
	poly_str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fe_how src = { 0 };
	const char *text = (const char *)data;
	struct poly_report report = { 0 };
	struct fe_unit *u;

	fe_c_declares("fuzz.c", text, size, "N");
	u = fe_read_as(fe_notation_of("fuzz.c"), "fuzz.c", text, size, &src,
		NULL, 0, &report);
	if (!u != (report.n_error > 0))
		abort();
	print(text, size, u, &report);
	fe_unit_free(u);
	poly_report_free(&report);
	return 0;
}
