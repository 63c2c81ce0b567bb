/* The worker: one forked process in which a verb does everything that may
 * crash, hang or eat memory (isl, LLVM, the assembler, compiled kernels).
 *
 * Parent and worker share one page: the worker publishes its stage, its
 * deadline, and at the end that it is done; the parent waits, kills it when
 * the deadline has passed, and turns every other end into an exit code with
 * the stage's name and a reproducer file. A worker that exits without saying
 * that it is done has crashed, too: LLVM's fatal errors may call exit().
 *
 * CETANE_TEST_CRASH=STAGE:HOW in the environment makes the worker fail when
 * it enters that stage; HOW is signal, abort, exit, hang or memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/tools.h"

/* What parent and worker share. */
struct page {
	atomic_int stage;
	atomic_int done;	/* the worker returned "status" */
	atomic_int status;
	atomic_int memory_out;	/* an allocation hit the limit */
	_Atomic int64_t deadline;	/* ns of the monotonic clock, 0: none */
};

/* How the worker ended. */
struct end {
	int wait_status;
	bool timed_out;
};

static const char *const stage_names[] = {
#define STAGE(id, name) name,
#include "tools/lib/stage.def"
#undef STAGE
};

static struct page *page;
static pid_t worker;		/* in the parent */
static bool show_times;		/* in the worker */
static int64_t stage_began;
static size_t address_limit;

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

const char *tool_stage_name(enum tool_stage stage)
{
	return stage_names[stage];
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---------------------------------------------------------------- limits */

/* The number behind "key" in /proc/self/status, in bytes; 0 if unknown. Safe
 * in a signal handler.
 */
static size_t status_bytes(const char *key)
{
	char text[4096];
	const char *p;
	size_t kib = 0;
	ssize_t n;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	p = strstr(text, key);
	if (!p)
		return 0;
	for (p += strlen(key); *p == ' ' || *p == '\t'; p++)
		;
	for (; *p >= '0' && *p <= '9'; p++)
		kib = 10 * kib + (size_t)(*p - '0');
	return kib * 1024;
}

/* True if the address space has come close to its limit. */
static bool memory_is_out(void)
{
	const size_t probe = 16 << 20;
	size_t slack = address_limit / 16;
	void *p;

	if (!address_limit)
		return false;
	if (slack > (size_t)64 << 20)
		slack = (size_t)64 << 20;
	if (status_bytes("VmPeak:") + slack >= address_limit)
		return true;
	p = mmap(NULL, probe, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return true;
	munmap(p, probe);
	return false;
}

/* Programs abort when memory runs out: tell that from other reasons. */
static void on_abort(int sig)
{
	if (memory_is_out())
		atomic_store(&page->memory_out, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_address_limit(rlim_t bytes)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) < 0)
		return;
	r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
	setrlimit(RLIMIT_AS, &r);
}

void tool_limits_on(const struct tool_options *o)
{
	if (!page || o->in_process)
		return;
	if (o->time_limit > 0)
		atomic_store(&page->deadline,
			now_ns() + (int64_t)(o->time_limit * 1e9));
	if (o->memory_limit > 0 && !SANITIZED) {
		address_limit = status_bytes("VmSize:") +
			(size_t)o->memory_limit;
		set_address_limit(address_limit);
	}
}

void tool_limits_off(void)
{
	if (!page)
		return;
	atomic_store(&page->deadline, 0);
	if (address_limit)
		set_address_limit(RLIM_INFINITY);
	address_limit = 0;
}

/* ---------------------------------------------------------------- stages */

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
	while (!strcmp(request, "hang"))
		pause();
}

static void show_time(int64_t now)
{
	if (show_times && stage_began)
		fprintf(stderr, "%10.3f ms  %s\n",
			(double)(now - stage_began) * 1e-6,
			stage_names[atomic_load(&page->stage)]);
	stage_began = now;
}

void tool_stage(enum tool_stage stage)
{
	show_time(now_ns());
	atomic_store(&page->stage, (int)stage);
	crash_on_request(stage_names[stage]);
}

/* ------------------------------------------------------------ the worker */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_CAUGHT = sizeof(caught) / sizeof(caught[0]) };

/* Set the handler of each signal that is not ignored. */
static void handle_all(void (*handler)(int))
{
	struct sigaction action;
	int i;

	for (i = 0; i < N_CAUGHT; i++)
		if (sigaction(caught[i], NULL, &action) == 0 &&
		    action.sa_handler != SIG_IGN)
			signal(caught[i], handler);
}

/* In the worker: be on our own, die with the parent, dump no core. */
static void settle(pid_t parent)
{
	struct rlimit none = { 0, 0 };

	setpgid(0, 0);
	handle_all(SIG_DFL);
	signal(SIGTTOU, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(TOOL_INTERNAL);
	setrlimit(RLIMIT_CORE, &none);
	if (!SANITIZED)
		signal(SIGABRT, on_abort);
}

static enum tool_exit finish(enum tool_exit status)
{
	show_time(now_ns());
	if (status != TOOL_OK && memory_is_out()) {
		atomic_store(&page->memory_out, 1);
		status = TOOL_LIMIT;
	}
	if (fflush(stdout) != 0 && status == TOOL_OK) {
		tool_message(MSG_FILE_WRITE, "standard output",
			strerror(errno));
		status = TOOL_ENVIRONMENT;
	}
	atomic_store(&page->status, (int)status);
	atomic_store(&page->done, 1);
	return status;
}

/* ------------------------------------------------------------ the parent */

/* In the parent: a signal ends the worker and removes temporary files. */
static void on_signal(int sig)
{
	if (worker > 0)
		kill(-worker, SIGKILL);
	tool_output_signal();
	signal(sig, SIG_DFL);
	raise(sig);
}

void tool_catch_signals(void)
{
	handle_all(on_signal);
}

/* Wait for the worker, whose death closes "fd"; kill it at its deadline. */
static struct end wait_for_worker(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct end end = { 0 };
	int64_t deadline;

	while (poll(&p, 1, 20) <= 0) {
		deadline = atomic_load(&page->deadline);
		if (deadline && now_ns() > deadline && !end.timed_out) {
			end.timed_out = true;
			kill(-worker, SIGKILL);
		}
	}
	while (waitpid(worker, &end.wait_status, 0) < 0 && errno == EINTR)
		;
	kill(-worker, SIGKILL);
	worker = 0;
	return end;
}

/* Write what is needed to see the failure again; remarks where it is. */
static void write_reproducer(const struct tool_options *o,
	const struct tool_source *src, const char *stage, const char *reason)
{
	const char *mark = o->from == TOOL_FROM_LLVM ? ";" : "#";
	struct poly_str text = { 0 };
	struct tool_output out;
	uint64_t hash;
	char *path;
	int i;

	poly_str_printf(&text, "%s cetane %s: %s: %s\n%s command:", mark,
		CETANE_VERSION, stage, reason, mark);
	for (i = 0; i < o->args.n; i++)
		poly_str_printf(&text, " '%s'", o->args.item[i]);
	poly_str_printf(&text, "\n%s %s, %zu bytes:\n", mark, src->name,
		src->len);
	poly_str_addn(&text, src->text, src->len);
	hash = tool_hash(0, text.s, text.len);
	if (!text.failed && asprintf(&path, "%s/cetane-crash-%s-%016" PRIx64
			".txt", o->crash_dir, stage, hash) > 0) {
		if (tool_output_open(&out, path) &&
		    tool_write(out.fd, text.s, text.len) &&
		    tool_output_commit(&out, 1))
			tool_message(MSG_REPRODUCER, path);
		tool_output_close(&out, 1);
		free(path);
	}
	poly_str_free(&text);
}

/* Say how the worker ended; "reason" is for the reproducer. */
static enum tool_exit explain(const struct tool_options *o, struct end end,
	char *reason, size_t size)
{
	const char *stage = stage_names[atomic_load(&page->stage)];

	if (end.timed_out) {
		snprintf(reason, size, "time limit %g s", o->time_limit);
		tool_message(MSG_TIME_LIMIT, stage, o->time_limit);
		return TOOL_LIMIT;
	}
	if (atomic_load(&page->memory_out)) {
		snprintf(reason, size, "memory limit %lld MiB",
			(long long)(o->memory_limit >> 20));
		tool_message(MSG_MEMORY_LIMIT, stage,
			(long long)(o->memory_limit >> 20));
		return TOOL_LIMIT;
	}
	if (WIFSIGNALED(end.wait_status))
		snprintf(reason, size, "killed by signal %d (%s)",
			WTERMSIG(end.wait_status),
			strsignal(WTERMSIG(end.wait_status)));
	else if (atomic_load(&page->done))
		snprintf(reason, size, "failed");
	else
		snprintf(reason, size, "ended with exit code %d",
			WEXITSTATUS(end.wait_status));
	tool_message(MSG_CRASH, stage, reason);
	return TOOL_INTERNAL;
}

static enum tool_exit judge(const struct tool_options *o,
	const struct tool_source *src, struct end end)
{
	int status = atomic_load(&page->status);
	enum tool_exit result;
	char reason[128];

	if (!end.timed_out && atomic_load(&page->done) &&
	    !atomic_load(&page->memory_out) && status != TOOL_INTERNAL &&
	    WIFEXITED(end.wait_status) &&
	    WEXITSTATUS(end.wait_status) == status)
		return (enum tool_exit)status;
	result = explain(o, end, reason, sizeof(reason));
	write_reproducer(o, src, stage_names[atomic_load(&page->stage)],
		reason);
	return result;
}

static enum tool_exit cannot_start(void)
{
	tool_message(MSG_WORKER, strerror(errno));
	return TOOL_ENVIRONMENT;
}

/* Fork, and in the worker never return. */
static enum tool_exit run_forked(const struct tool_options *o,
	const struct tool_source *src, enum tool_exit (*fn)(void *user),
	void *user)
{
	pid_t parent = getpid();
	struct end end = { 0 };
	int fd[2];
	bool started;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return cannot_start();
	fflush(NULL);
	worker = fork();
	if (worker == 0) {
		close(fd[0]);
		settle(parent);
		exit(finish(fn(user)));
	}
	close(fd[1]);
	started = worker > 0;
	if (started) {
		setpgid(worker, worker);
		end = wait_for_worker(fd[0]);
	}
	close(fd[0]);
	return started ? judge(o, src, end) : cannot_start();
}

enum tool_exit tool_worker(const struct tool_options *o,
	const struct tool_source *src, enum tool_exit (*fn)(void *user),
	void *user)
{
	enum tool_exit status;

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED) {
		page = NULL;
		return cannot_start();
	}
	show_times = o->time_passes;
	status = o->in_process ? finish(fn(user)) :
		run_forked(o, src, fn, user);
	munmap(page, sizeof(*page));
	page = NULL;
	return status;
}
