/* Verification of what a run computed, between its files.
 */
#ifndef TOOLS_VERIFY_H
#define TOOLS_VERIFY_H

#include "tools/tools.h"

/* What came of comparing one output. */
struct tool_judge {
	const struct tool_run *run;
	const struct tool_matrix *m;
	int64_t n;		/* elements compared */
	int64_t n_loose;	/* of them, without a finite bound */
	int64_t loose;		/* the first of these */
	double loose_value;	/* and what it should be */
	int64_t n_bad;
	double worst;		/* largest error / bound */
};

/* What an element should be: "value" of a float, else "integer", give or take
 * "bound".
 */
struct tool_expected {
	double value;
	int64_t integer;
	double bound;
};

/* --------------------------------------------------------- verify_judge.c */

/* Compare element "i" with "e"; tell the first that is wrong. */
void tool_judge_element(struct tool_judge *j, int64_t i,
	const struct tool_expected *e);
/* The same in the ring: compare with the bits at "want". */
void tool_judge_bits(struct tool_judge *j, int64_t i, const void *want);
/* Print the line for the output, which "agrees" with "what", such as "verified
 * against" "the interpreter".
 */
enum tool_exit tool_judge_print(const struct tool_judge *j,
	const char *agrees, const char *what);
/* Begin the line for an output: its name, type and sizes. Returns where lines
 * go.
 */
FILE *tool_judge_begin(const struct tool_run *r, const struct tool_matrix *m);

/* --------------------------------------------------------- verify_naive.c */

/* Compare the outputs for which "wanted", NULL: all, with those of the naive
 * kernel; each of the lines begins with "agrees".
 */
enum tool_exit tool_verify_naive(struct tool_run *r, const bool *wanted,
	const char *agrees);

#endif
