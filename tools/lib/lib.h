/* tools/lib: the compiler as a library, libcetane: requests; grouped by file. The
 * interface for others is cetane.h.
 */
#ifndef TOOLS_LIB_LIB_H
#define TOOLS_LIB_LIB_H

#include <stdbool.h>

#include "tools/lib/base/base.h"

/* --------------------------------------------------------------- request.c */

/* What to compile or check, as the options say, and how. */
struct tool_request {
	const struct tool_options *o;
	const struct tool_source *src;
	const char *helper;	/* program to execute as the worker, or NULL */
	bool quiet;
	struct tool_reply *reply;
};
/* Compile in a worker. Outputs and messages are added to the reply; a worker
 * that broke, not at a limit, gives the output "reproducer". Returns how it ended.
 */
struct tool_end tool_request(const struct tool_request *q);
/* The command as a worker of another process: true if the arguments ask for
 * that; "status" is then the exit code.
 */
bool tool_serve(int argc, char **argv, enum tool_exit *status);
/* The text of a report of how "end" came about: command line and source. */
void tool_reproducer(const struct tool_options *o,
	const struct tool_source *src, const struct tool_end *end,
	struct poly_str *out);

/* ------------------------------------------------------------------ make.c */

/* Compile or check as the options say, and add the outputs to "reply". */
enum tool_exit tool_make(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);
struct tool_compile;
/* Add what "c", which has read the program, knows for a dependency file, if
 * there is to be one.
 */
enum tool_exit tool_make_headers(const struct tool_compile *c,
	struct tool_reply *reply);

/* ----------------------------------------------------------- make_object.c */

enum { TOOL_PART_OBJECT, TOOL_PART_HEADER, TOOL_PART_MANIFEST, TOOL_N_PART };
extern const char *const tool_part_suffix[TOOL_N_PART];
/* The object for all architectures, its header and its manifest. */
enum tool_exit tool_make_object(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);

/* A fat binary of the same images. */
enum tool_exit tool_make_fatbin(const struct tool_options *o,
	const struct tool_source *src, struct tool_reply *reply);

#endif
