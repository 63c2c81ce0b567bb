/* Workers of the command: verbs that run kernels in a worker of their own,
 * what signals do to a worker, and the reproducers of what broke.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/worker/worker.h"
#include "tools/lib/lib.h"
#include "tools/tools.h"

/* A piece of work that prints. */
struct printing {
	enum tool_exit (*fn)(void *user);
	void *user;
};

/* Leave neither a worker nor a temporary file behind. */
static void on_signal(int sig)
{
	tool_worker_kill();
	tool_output_signal();
	signal(sig, SIG_DFL);
	raise(sig);
}

void tool_catch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (sigaction(caught[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			signal(caught[i], on_signal);
}

void tool_keep_reproducer(const struct tool_options *o, const char *stage,
	const void *text, size_t len)
{
	struct tool_output out;
	char *path;

	if (asprintf(&path, "%s/cetane-crash-%s-%016" PRIx64 ".txt",
			o->crash_dir, stage, tool_hash(0, text, len)) < 0)
		return;
	if (tool_output_open_private(&out, path) && tool_write(out.fd, text, len) &&
	    tool_output_commit(&out, 1))
		tool_message(MSG_REPRODUCER, path);
	tool_output_close(&out, 1);
	free(path);
}

/* What is printed must be out before the worker ends. */
static enum tool_exit call(void *user)
{
	struct printing *p = user;
	enum tool_exit status = p->fn(p->user);

	if (fflush(stdout) != 0 && status == TOOL_OK) {
		tool_message(MSG_FILE_WRITE, "standard output",
			strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	return status;
}

enum tool_exit tool_worker(const struct tool_options *o,
	const struct tool_source *src, enum tool_exit (*fn)(void *user),
	void *user)
{
	struct printing p = { fn, user };
	struct tool_work work = { .fn = call, .user = &p };
	struct poly_str text = { 0 };
	struct tool_end end;

	fflush(NULL);
	end = tool_work(o, &work);
	if (end.stage && end.status == TOOL_INTERNAL) {
		tool_reproducer(o, src, &end, &text);
		if (!text.failed)
			tool_keep_reproducer(o, end.stage, text.s, text.len);
		poly_str_free(&text);
	}
	return end.status;
}
