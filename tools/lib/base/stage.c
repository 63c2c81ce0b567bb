/* The worker's side: which stage runs, how long it took, and the limits.
 *
 * CETANE_TEST_CRASH=STAGE:HOW in the environment makes the worker fail when
 * it enters that stage; HOW is signal, abort, exit, memory, spin (it works
 * without end), hang (it sleeps without end) or stop (it goes on at SIGCONT).
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/lib/base/page.h"

static const char *const stage_names[] = {
#define STAGE(id, name) name,
#include "tools/lib/base/stage.def"
#undef STAGE
};

/* The work of this thread. */
static _Thread_local struct {
	struct tool_page *page;
	bool alone;
	int times;		/* where times of stages go, or -1 */
	int64_t stage_began;
} work;

const char *tool_stage_name(enum tool_stage stage)
{
	return stage_names[stage];
}

const char *tool_stage_current(void)
{
	return work.page ? stage_names[atomic_load(&work.page->stage)] :
		"cetane";
}

int64_t tool_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---------------------------------------------------------------- limits */

/* Libraries abort when memory runs out, or use what they did not get: tell
 * that from other reasons.
 */
static void on_death(int sig)
{
	if (tool_memory_over())
		atomic_store(&work.page->memory_out, TOOL_OVER_LIMIT);
	else if (poly_memory_refused())
		atomic_store(&work.page->memory_out, TOOL_REFUSED);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A library has ended the process. */
static void on_exit_inside(void)
{
	if (work.page && poly_memory_refused())
		atomic_store(&work.page->memory_out, TOOL_REFUSED);
}

/* Have it noted, whichever way a library ends the process, whether memory was
 * the reason.
 */
static void catch_death(void)
{
	static const int caught[] = { SIGABRT, SIGSEGV, SIGBUS };
	size_t i;

	atexit(on_exit_inside);
	nvptx_abort_without_memory();
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		signal(caught[i], on_death);
}

bool tool_limits_on(const struct tool_options *o)
{
	if (!work.alone)
		return true;
	if (o->time_limit > 0)
		atomic_store(&work.page->time_limit,
			tool_used() + (int64_t)(o->time_limit * 1e9));
	return tool_memory_limit_on(o->memory_limit);
}

void tool_limits_off(void)
{
	if (!work.alone)
		return;
	atomic_store(&work.page->time_limit, 0);
	tool_memory_limit_off();
}

/* ---------------------------------------------------------------- stages */

/* Use up all memory there is: for tests of the limit. */
static void eat_memory(void)
{
	const size_t size = 16 << 20;
	char *p;

	while ((p = malloc(size)))
		memset(p, 1, size);
	abort();
}

/* Do what CETANE_TEST_CRASH asks for at this stage. */
static void crash_on_request(const char *stage)
{
	const char *request = getenv("CETANE_TEST_CRASH");
	size_t len = strlen(stage);

	if (!request || strncmp(request, stage, len) || request[len] != ':')
		return;
	request += len + 1;
	if (!strcmp(request, "signal"))
		raise(SIGSEGV);
	else if (!strcmp(request, "abort"))
		abort();
	else if (!strcmp(request, "exit"))
		_exit(0);
	else if (!strcmp(request, "memory"))
		eat_memory();
	else if (!strcmp(request, "stop"))
		raise(SIGSTOP);
	while (!strcmp(request, "spin"))
		;
	while (!strcmp(request, "hang"))
		pause();
}

/* Print, if that is wanted, how long the stage took that ends at "now", in
 * nanoseconds; the next one begins.
 */
static void tell_time(int64_t now)
{
	char text[80];

	if (work.times >= 0 && work.stage_began) {
		snprintf(text, sizeof(text), "%10.3f ms  %s\n",
			(double)(now - work.stage_began) * 1e-6,
			stage_names[atomic_load(&work.page->stage)]);
		tool_write(work.times, text, strlen(text));
	}
	work.stage_began = now;
}

void tool_stage(enum tool_stage stage)
{
	if (!work.page)
		return;
	poly_memory_refused();
	tell_time(tool_now());
	atomic_store(&work.page->stage, (int)stage);
	if (work.alone)
		crash_on_request(stage_names[stage]);
}

void tool_page_enter(struct tool_page *page, const struct tool_options *o,
	bool alone)
{
	work.page = page;
	work.alone = alone;
	work.times = o->time_passes ? o->log : -1;
	work.stage_began = 0;
	tool_memory_begin();
	if (alone && !TOOL_SANITIZED)
		catch_death();
}

void tool_page_error(void)
{
	if (work.page)
		atomic_store(&work.page->error, poly_memory_refused() ?
			ENOMEM : errno ? errno : EIO);
}

enum tool_exit tool_page_leave(enum tool_exit status)
{
	struct tool_page *page = work.page;

	if (status != TOOL_OK && tool_memory_over()) {
		atomic_store(&page->memory_out, TOOL_OVER_LIMIT);
		status = TOOL_LIMIT;
	} else if (status == TOOL_INTERNAL && poly_memory_refused()) {
		atomic_store(&page->memory_out, TOOL_REFUSED);
		status = TOOL_ENVIRONMENT;
	}
	tell_time(tool_now());
	atomic_store(&page->status, (int)status);
	atomic_store(&page->done, 1);
	work.page = NULL;
	work.alone = false;
	return status;
}
