/* frontend/c: C loop nests as a notation. */
#ifndef FRONTEND_C_H
#define FRONTEND_C_H

#include "frontend/base/base.h"

/* ---------------------------------------------------------------- c_unit.c */

void fe_c_print_check(const struct fe_unit *u, struct poly_str *out);

#endif
