/* The verb test: cases in comments of programs; grouped by file.
 *
 *	# test: M=3 K=2 N=4			sizes; options of run, too
 *	# random: 7				the seed of the inputs
 *	# input: A = [[1, 2], [3, 4], [5, 6]]	or a .npy file
 *	# output: C = c.npy			or values, or another output
 *	# error: is not defined			what fails, and says that
 *
 * Each case is a command line of the verb run, in a process of its own.
 */
#ifndef TOOLS_CASES_H
#define TOOLS_CASES_H

#include "tools/tools.h"

/* One case. "title" is what stands behind "test:", "word" the options of run. */
struct tool_case {
	struct poly_loc loc;
	char *title;
	struct tool_args word;
	char *error;		/* the regular expression behind "error:", or NULL */
	bool is_random;		/* all inputs are, and nothing is expected */
};
struct tool_cases {
	struct tool_case *item;
	int n;
};
/* What came of a case on a device. "said" is what it printed, and why that is not
 * what the case wants.
 */
struct tool_outcome {
	const char *file, *device;
	const struct tool_case *of;
	enum tool_exit status;
	bool passed;
	struct poly_str said;
};

/* ----------------------------------------------------------------- cases.c */

/* Run the cases of all files on all devices and print a line each. TOOL_MISMATCH if
 * one fails, TOOL_INPUT if a file cannot be read or has none.
 */
enum tool_exit tool_test(struct tool_options *o);

/* ------------------------------------------------------------ cases_read.c */

/* The cases in the comments of "src"; TOOL_INPUT, having said why, if a line is wrong.
 * Call tool_cases_free in any case.
 */
enum tool_exit tool_cases_read(const struct tool_source *src,
	struct tool_cases *c);
void tool_cases_free(struct tool_cases *c);

/* ------------------------------------------------------------- cases_run.c */

/* Run out->of on out->device, with the options of "o" that all cases share. */
enum tool_exit tool_case_run(const struct tool_options *o,
	struct tool_outcome *out);
/* A random case that computed something wrong: find smaller sizes for which it does,
 * too, and add them to out->said.
 */
enum tool_exit tool_case_shrink(const struct tool_options *o,
	struct tool_outcome *out);

/* ----------------------------------------------------------- cases_junit.c */

/* Append the "n" outcomes at "all" as XML of JUnit's form. */
void tool_cases_junit(const struct tool_outcome *all, int n,
	struct poly_str *xml);

#endif
