/* The verb benchcmp: what its files share; grouped by file. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "tools/tools.h"

/* ----------------------------------------------------------------- rank.c */

enum { TOOL_RANK_MOST = 64 };	/* most values of a sample */
/* How likely two samples that differ as these do, or more, are if both are of one
 * distribution; negative without memory.
 */
double tool_rank_test(const double *a, int n_a, const double *b, int n_b);

/* -------------------------------------------------------------- compare.c */

enum tool_exit tool_benchcmp(struct tool_options *o);

#endif
