/* The command "cetane": find the verb, run it, return its exit code. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/cases/cases.h"
#include "tools/lib/lib.h"
#include "tools/lsp/lsp.h"
#include "tools/own/compare.h"
#include "tools/own/own.h"
#include "tools/profile/profile.h"
#include "tools/tune/tune.h"

/* Run the verb that the options name; returns the exit code. */
static enum tool_exit run_verb(struct tool_options *o)
{
	switch (o->verb) {
	case TOOL_BUILD:
		return tool_build(o);
	case TOOL_CHECK:
		return tool_check(o);
	case TOOL_RUN:
		return tool_run(o);
	case TOOL_TEST:
		return tool_test(o);
	case TOOL_EXPLAIN:
		return tool_explain(o);
	case TOOL_INSPECT:
		return tool_inspect(o);
	case TOOL_DOCTOR:
		return tool_doctor();
	case TOOL_BENCH:
		return o->file ? tool_own_bench(o) : tool_bench(o);
	case TOOL_BENCHCMP:
		return tool_benchcmp(o);
	case TOOL_PROFILE:
		return tool_profile(o);
	case TOOL_TUNE:
		return tool_tune(o);
	case TOOL_CACHE:
		return tool_cache(o);
	case TOOL_FMT:
		return tool_format(o);
	case TOOL_LSP:
		return tool_lsp(o);
	case TOOL_CONFIG:
		return tool_config(o);
	case TOOL_HELP:
		return tool_help(o);
	case TOOL_N_VERB:
		break;
	}
	return TOOL_INTERNAL;
}

/* Let no file that we open take the number of a closed standard stream, and
 * let a write to a closed pipe, or beyond the limit on the size of files, fail
 * instead of killing us half-way.
 */
static void settle_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
				O_RDONLY);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct tool_options o;
	enum tool_exit status;
	bool done;

	tool_keep_numbers();
	if (tool_serve(argc, argv, &status))
		return (int)status;
	settle_streams();
	tool_catch_signals();
	status = tool_options_parse(&o, argc, argv, &done);
	if (status == TOOL_OK && !done)
		status = run_verb(&o);
	if (fflush(stdout) != 0 && status == TOOL_OK) {
		tool_message(MSG_FILE_WRITE, "standard output",
			strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	tool_options_free(&o);
	return (int)status;
}
