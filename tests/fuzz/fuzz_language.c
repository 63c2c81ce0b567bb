/* Fuzz the language: text -> tokens -> program -> checks, and all that is
 * printed of it.
 *
 * A program that is accepted is read again with a value for each size, which
 * makes further sizes agree, and is evaluated in one place if it is small.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/frontend.h"
#include "fuzz.h"

enum { MOST_ELEMENTS = 4096, MOST_COST = 20000, MOST_PARAM = 64 };

static const double zeros[MOST_ELEMENTS];

/* Print everything that is printed of a text. */
static void print(const char *text, size_t len, const struct fe_unit *u,
	const struct poly_report *report)
{
	struct poly_str out = { 0 };
	FILE *null = fopen("/dev/null", "w");

	if (!null)
		abort();
	fe_diag_print(null, "fuzz.dsl", text, len, report, true);
	fclose(null);
	if (!u)
		return;
	fe_print_check(u, &out);
	fe_print_dag(u, &out);
	poly_str_free(&out);
}

static bool set_inputs(const struct fe_unit *u, struct fe_interp *in)
{
	int64_t dim[FE_MAX_DIM];
	int i;

	for (i = 0; i < fe_unit_n_input(u); i++) {
		const char *name = fe_unit_input(u, i).name;

		fe_interp_shape(in, name, dim);
		if (dim[0] && dim[1] > MOST_ELEMENTS / dim[0])
			return false;
		if (!fe_interp_set_input(in, name, zeros))
			abort();
	}
	return true;
}

/* Evaluate the last element of each output. A program that reads outside of
 * its inputs has none; only fe_lower finds that out.
 */
static void evaluate(const struct fe_unit *u, const int64_t *param)
{
	struct fe_interp *in = fe_interp_alloc(u, param);
	struct fe_value v;
	int64_t dim[FE_MAX_DIM];
	int i, d, n_dim;

	if (!in)
		abort();
	if (fe_interp_cost(in) > MOST_COST || !set_inputs(u, in)) {
		fe_interp_free(in);
		return;
	}
	for (i = 0; i < fe_unit_n_output(u); i++) {
		const char *name = fe_unit_output(u, i).name;

		n_dim = fe_interp_shape(in, name, dim);
		for (d = 0; d < n_dim && dim[d]; d++)
			dim[d]--;
		if (d == n_dim)
			fe_interp_eval(in, name, dim, &v);
	}
	fe_interp_free(in);
}

/* Read once more, with values for the sizes of "u". */
static void read_fixed(const char *text, size_t len, const struct fe_unit *u)
{
	struct poly_report report = { 0 };
	struct fe_define def[MOST_PARAM];
	int64_t param[MOST_PARAM];
	struct fe_unit *fixed;
	int i, n = fe_unit_n_param(u);

	if (n > MOST_PARAM)
		return;
	for (i = 0; i < n; i++) {
		param[i] = i % 4;
		def[i].name = fe_unit_param_text(u, i);
		def[i].value = param[i];
	}
	fixed = fe_read("fuzz.dsl", text, len, def, n, &report);
	print(text, len, fixed, &report);
	if (fixed)
		evaluate(fixed, param);
	fe_unit_free(fixed);
	poly_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct poly_report report = { 0 };
	struct fe_unit *u;

	u = fe_read("fuzz.dsl", text, size, NULL, 0, &report);
	if (!u != (report.n_error > 0))
		abort();
	print(text, size, u, &report);
	if (u)
		read_fixed(text, size, u);
	fe_unit_free(u);
	poly_report_free(&report);
	return 0;
}
