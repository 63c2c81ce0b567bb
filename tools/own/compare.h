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
/* The least first. */
void tool_rank_sort(double *x, int n);
/* Between which factors "b" lies from "a", but for a probability of "level". False if the
 * samples are too few to tell, or without memory.
 */
bool tool_rank_interval(const double *a, int n_a, const double *b, int n_b,
	double level, double *low, double *high);

/* -------------------------------------------------------------- compare.c */

enum tool_exit tool_benchcmp(struct tool_options *o);

#endif
