/* tools/lib/worker: the process that compiles, under limits (worker.c). */
#ifndef TOOLS_LIB_WORKER_H
#define TOOLS_LIB_WORKER_H

#include <stdbool.h>

#include "tools/lib/base/base.h"

/* ---------------------------------------------------------------- worker.c */

/* What a worker does: call "fn" in a fork of this process; or execute the
 * program "helper", which compiles the program in the file "source" and writes
 * to the file "reply". "quiet": what it prints goes to the log.
 */
struct tool_work {
	enum tool_exit (*fn)(void *user);
	void *user;
	const char *helper;	/* a path, or NULL */
	char **argv;
	int source, reply;
	bool quiet;
};
/* How it ended. "stage" is NULL if that was in good order, else where it broke
 * for what reason: then "status" is TOOL_INTERNAL or TOOL_LIMIT. "error": why it
 * could not hand over its results, an errno, or 0.
 */
struct tool_end {
	enum tool_exit status;
	int error;
	const char *stage;
	char reason[128];
};
/* Work, in this process if the options say so, and wait for the end. What
 * broke is told.
 */
struct tool_end tool_work(const struct tool_options *o,
	const struct tool_work *work);
/* Kill the worker that was started last; for signal handlers. */
void tool_worker_kill(void);

#endif
