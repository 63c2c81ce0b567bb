/* Loops that data end: what c_exit.c and c_stop.c share. */
#ifndef FRONTEND_C_REWRITE_EXIT_H
#define FRONTEND_C_REWRITE_EXIT_H

#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* The scalars that data tell, by their ids; all from "n" on. */
struct fe_c_told {
	bool *has;
	int n;
};

/* Is "e" made as affine values are, of integers that are not in "data"? */
bool fe_c_is_plain(const struct fe_c_told *data, const struct fe_c_expr *e);
/* The loop runs without a "break". */
void fe_c_end_by_data(struct fe_unit *u, const struct fe_c_told *data,
	struct fe_c_stmt *loop);

#endif
