/* frontend/c: C loop nests as a notation. */
#ifndef FRONTEND_C_H
#define FRONTEND_C_H

#include "frontend/base/base.h"

/* ---------------------------------------------------------------- c_unit.c */

/* Fill the unit, whose text is preprocessed. */
void fe_c_read(struct fe_unit *u, const struct fe_c_source *src,
	const struct fe_define *def, int n_def);
void fe_c_print_check(const struct fe_unit *u, struct poly_str *out);

#endif
