/* frontend: what notations whose programs become definitions have in common
 * (definitions.c).
 */
#ifndef FRONTEND_DEFINITIONS_H
#define FRONTEND_DEFINITIONS_H

#include "frontend/base/base.h"

/* Name what has been checked, and show it to others. */
void fe_definitions_show(struct fe_unit *u);
/* struct fe_notation has these. */
void fe_definitions_print_check(const struct fe_unit *u, struct poly_str *out);
void fe_definitions_print_dag(const struct fe_unit *u, struct poly_str *out);
struct poly_prog *fe_definitions_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report);
extern const struct fe_executor fe_definitions_executor;

#endif
