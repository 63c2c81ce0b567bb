/* Names that a pass makes up, and its last words when isl fails. */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"

/* Has something in the program the name already?
 *
 * Coordinates count, too: a size of that name would rename them in a program
 * that is mapped already.
 */
static bool is_taken(struct poly_prog *prog, const char *name)
{
	return poly_prog_find_param(prog, name) ||
		poly_prog_find_array(prog, name) ||
		poly_prog_find_stmt(prog, name) ||
		poly_prog_find_kernel(prog, name) ||
		poly_find_coordinate(prog, name) >= 0;
}

/* "c" and "part" give c_part, then c_part2, c_part3, .. The names tell users of
 * dumps where a temporary comes from.
 */
char *poly_unique_name(struct poly_prog *prog, const char *base,
	const char *suffix)
{
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s_%s", base, suffix);
	for (int i = 2; !s.failed && is_taken(prog, s.s); i++) {
		poly_str_free(&s);
		s = (struct poly_str){ 0 };
		poly_str_printf(&s, "%s_%s%d", base, suffix, i);
	}
	return s.failed ? NULL : s.s;
}

/* Two causes are told apart. The budget of operations was spent: that is the
 * size of the program, and the message says which limit to raise. Or isl failed
 * by itself, which is a bug, and its words are passed on. The error is reset,
 * so that what is freed afterwards does not report it again.
 */
isl_stat poly_isl_error(struct poly_prog *prog, const char *pass)
{
	const char *text = isl_ctx_last_error_msg(prog->ctx);

	if (poly_ctx_spent(prog->ctx)) {
		poly_report_add(prog->report, MSG_BUDGET, NULL, pass,
			isl_ctx_get_max_operations(prog->ctx));
		return isl_stat_error;
	}
	poly_report_add(prog->report, MSG_POLY_ISL, NULL, pass,
		text ? text : "no reason given");
	isl_ctx_reset_error(prog->ctx);
	return isl_stat_error;
}
