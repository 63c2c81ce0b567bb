/* frontend/c: C loop nests as a notation. */
#ifndef FRONTEND_C_H
#define FRONTEND_C_H

#include "frontend/base/base.h"

/* ---------------------------------------------------------------- c_unit.c */

/* What the rows of C and of nests have. */
extern const struct fe_executor fe_c_executor;
struct fe_unit *fe_read_c(const char *file, const char *text, size_t len,
	const struct fe_how *src, const struct fe_define *def, int n_def,
	struct poly_report *report);
void fe_c_print_check(const struct fe_unit *u, struct poly_str *out);
struct poly_prog *fe_c_lower_unit(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report);

#endif
