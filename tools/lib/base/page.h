/* tools/lib/base: what a worker process and its parent share, one page of memory.
 * worker/worker.c is the parent's side, stage.c the worker's.
 */
#ifndef TOOLS_LIB_PAGE_H
#define TOOLS_LIB_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/lib/base/base.h"

/* "magic" tells that a file given to the command is such a page. */
enum { TOOL_PAGE_MAGIC = 0x63746e70 };

struct tool_page {
	uint32_t magic;
	atomic_int ready;	/* the worker runs */
	atomic_int error;	/* why it could not be executed, or hand over its
				 * results: an errno */
	atomic_int stage;
	atomic_int done;	/* the worker has returned "status" */
	atomic_int status;
	atomic_int memory_out;	/* how an allocation failed, 0: none */
	/* ns of processor time at which the worker is killed, 0: none; like
	 * tool_used, with what it took before the compilation
	 */
	_Atomic int64_t time_limit;
};

/* What the processes of a group have used, as far as is known. */
struct tool_used {
	int64_t ns;	/* of the processors */
	bool runs;	/* one of them runs, or waits for a processor only */
};

/* The memory limit was hit; or the system gave none for another reason. */
enum { TOOL_OVER_LIMIT = 1, TOOL_REFUSED };

/* The numbers of files in a worker that was executed. */
enum {
	TOOL_FD_PAGE = 3,
	TOOL_FD_SOURCE,
	TOOL_FD_REPLY,
	TOOL_FD_ALIVE,	/* closed when the worker ends */
	TOOL_FD_END
};

#ifdef __SANITIZE_ADDRESS__
enum { TOOL_SANITIZED = 1 };
#else
enum { TOOL_SANITIZED = 0 };
#endif

/* ns of the monotonic clock */
int64_t tool_now(void);
/* ns of processor time that this process has used, with all threads, and the
 * processes that it has started and waited for.
 */
int64_t tool_used(void);
/* What the processes of the group of the worker "group" have used. */
void tool_group_used(pid_t group, struct tool_used *used);
/* memory.c: the number behind "key" in /proc/self/status; 0 if unknown. Safe in a
 * signal handler.
 */
size_t tool_process_status(const char *key);
/* The work begins: nothing is refused yet, and there is no limit. */
void tool_memory_begin(void);
/* From here on memory is limited to "bytes" (0: to nothing), and no longer; false if
 * there is more already.
 */
bool tool_memory_limit_on(int64_t bytes);
void tool_memory_limit_off(void);
/* From here on, stages of this thread are told to "page". "alone": this process
 * is a worker, so that limits apply.
 */
void tool_page_enter(struct tool_page *page, const struct tool_options *o,
	bool alone);
/* The results of this thread's work cannot be handed over, for errno. */
void tool_page_error(void);
/* The work is done with "status"; returns it, or TOOL_LIMIT or TOOL_ENVIRONMENT
 * if it failed for want of memory.
 */
enum tool_exit tool_page_leave(enum tool_exit status);

#endif
