/* The worker: one process in which everything happens that may crash, hang or
 * eat memory (isl, LLVM, the assembler, compiled kernels).
 *
 * Parent and worker share one page: the worker publishes its stage, its time
 * limit, and at the end that it is done; the parent waits, kills it when it
 * has reached the limit, and turns every other end into a status with the
 * stage's name. A worker that exits without saying that it is done has
 * crashed, too: LLVM's fatal errors may call exit().
 *
 * The limit counts the processor time of the worker and of all that it starts,
 * so that what else the machine does is no matter. A worker that waits for
 * something that never comes uses no processor time. It is killed when all its
 * processes have slept, in a row, ten times as long as the time limit and at
 * least a minute; a process that only waits for a processor does not sleep.
 *
 * The worker is a fork of this process, or a program that is executed: in a
 * process with threads a fork may find any lock taken for ever. Between fork
 * and exec only calls are made that are safe in signal handlers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "tools/lib/worker/worker.h"
#include "tools/lib/base/page.h"

/* What a helper may take beyond the time limit before it compiles. */
enum { START_SECONDS = 10 };

/* The sleep that ends a worker: time limits, and seconds at least. */
enum { SLEEP_FACTOR = 10, SLEEP_LEAST = 60 };

/* ns from one look at the worker to the next: as long as it must be, and as it
 * may be.
 */
static const int64_t look_least = 20000000, look_most = 1000000000;

/* Why the parent has killed the worker. */
enum killed { NOT_KILLED, TIME_LIMIT, ASLEEP };

/* A worker and what belongs to it in the parent. */
struct worker {
	const struct tool_options *o;
	const struct tool_work *work;
	struct tool_page *page;
	int page_fd;
	int alive[2];		/* a pipe; the worker holds the other end */
	pid_t parent, pid;
	sigset_t mask;		/* of the caller */
	int wait_status;	/* -1: somebody else has waited for it */
	enum killed killed;
	double sleep_limit;	/* seconds */
	int64_t looked, look;	/* when the parent looked, will look; 0: not yet */
	int64_t slept;		/* ns in a row, as far as the parent has seen */
	struct tool_used used;	/* at the last look */
	bool over;		/* the limit, at the last look */
};

/* The worker that was started last, for tool_worker_kill. */
static _Atomic pid_t running;

/* ----------------------------------------------------------- in the worker */

/* Is the handler of "sig" a sanitizer's? */
static bool is_reported(int sig)
{
	return TOOL_SANITIZED && (sig == SIGSEGV || sig == SIGBUS ||
		sig == SIGFPE || sig == SIGILL || sig == SIGABRT);
}

/* Take every signal as a new process does; what is ignored stays ignored,
 * except that the worker waits for children of its own.
 */
static void reset_signals(void)
{
	struct sigaction action, none = { .sa_handler = SIG_DFL };
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (!is_reported(sig) && sigaction(sig, NULL, &action) == 0 &&
		    (action.sa_handler != SIG_IGN || sig == SIGCHLD) &&
		    action.sa_handler != SIG_DFL)
			sigaction(sig, &none, NULL);
	none.sa_handler = SIG_IGN;
	sigaction(SIGTTOU, &none, NULL);
	sigaction(SIGXFSZ, &none, NULL);
	sigemptyset(&none.sa_mask);
	sigprocmask(SIG_SETMASK, &none.sa_mask, NULL);
}

/* Be on our own, die with the parent, dump no core. */
static void settle(const struct worker *w)
{
	struct rlimit none = { 0, 0 };

	setpgid(0, 0);
	reset_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != w->parent)
		_exit(TOOL_INTERNAL);
	setrlimit(RLIMIT_CORE, &none);
}

/* Send standard output and error to the log; there is no input. */
static void redirect(const struct worker *w)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int log = w->o->log < 0 ? null : w->o->log;

	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	dup2(null, STDIN_FILENO);
}

/* Execute the helper, which finds its files where tool_serve looks. */
static void execute(const struct worker *w)
{
	const int from[] = { w->page_fd, w->work->source, w->work->reply,
		w->alive[1] };
	enum { N = sizeof(from) / sizeof(from[0]) };
	int i, high[N];

	for (i = 0; i < N; i++)
		high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 2 * TOOL_FD_END);
	for (i = 0; i < N; i++)
		if (high[i] < 0 || dup2(high[i], TOOL_FD_PAGE + i) < 0)
			break;
	if (i == N) {
		close_range(TOOL_FD_END, ~0U, 0);
		execv(w->work->helper, w->work->argv);
	}
	atomic_store(&w->page->error, errno);
}

/* Be the worker, in the child of the fork; never returns. The parent learns the
 * status from the page and from the exit code, which must agree.
 */
static _Noreturn void be_worker(const struct worker *w)
{
	const struct tool_work *work = w->work;
	enum tool_exit status;

	settle(w);
	if (work->quiet)
		redirect(w);
	if (work->helper) {
		execute(w);
		_exit(TOOL_ENVIRONMENT);
	}
	close(w->alive[0]);
	atomic_store(&w->page->ready, 1);
	tool_page_enter(w->page, w->o, true);
	status = tool_page_leave(work->fn(work->user));
#ifdef __SANITIZE_ADDRESS__
	__lsan_do_leak_check();
#endif
	_exit((int)status);
}

/* ----------------------------------------------------------- in the parent */

void tool_worker_kill(void)
{
	pid_t pid = atomic_load(&running);

	if (pid > 0)
		kill(-pid, SIGKILL);
}

/* How long the worker may sleep. Tests would not wait for that. */
static double find_sleep_limit(const struct tool_options *o)
{
	const char *text = getenv("CETANE_TEST_SLEEP");
	double limit = SLEEP_FACTOR * o->time_limit;

	if (text)
		return strtod(text, NULL);
	return limit < SLEEP_LEAST ? SLEEP_LEAST : limit;
}

/* Fork with all signals held back, so that no handler of the caller's runs in
 * the worker. A helper sets the limit anew when it compiles.
 */
static bool start(struct worker *w)
{
	sigset_t all;
	int err;

	if (pipe2(w->alive, O_CLOEXEC) < 0)
		return false;
	w->sleep_limit = find_sleep_limit(w->o);
	if (w->work->helper && w->o->time_limit > 0)
		atomic_store(&w->page->time_limit,
			(int64_t)((w->o->time_limit + START_SECONDS) * 1e9));
	w->parent = getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &w->mask);
	w->pid = fork();
	err = errno;
	if (w->pid == 0)
		be_worker(w);
	if (w->pid > 0) {
		setpgid(w->pid, w->pid);
		atomic_store(&running, w->pid);
	}
	pthread_sigmask(SIG_SETMASK, &w->mask, NULL);
	close(w->alive[1]);
	if (w->pid < 0)
		close(w->alive[0]);
	errno = err;
	return w->pid > 0;
}

/* Add what has passed to the time that the worker sleeps, or begin anew. Where
 * the parent was late to look, it knows little of what was in between.
 */
static void count_sleep(struct worker *w, const struct tool_used *used,
	int64_t now)
{
	int64_t passed = now - w->looked;

	if (used->runs || used->ns != w->used.ns)
		w->slept = 0;
	else
		w->slept += passed < look_most ? passed : look_most;
	w->used = *used;
}

/* The next look comes before the worker, with "left" ns of its limit left, can be far
 * over. A look reads all of /proc, which takes a few ms.
 */
static void plan_look(struct worker *w, int64_t now, int64_t left)
{
	w->looked = now;
	w->look = now + (left / 2 < look_least ? look_least :
		left / 2 < look_most ? left / 2 : look_most);
}

/* Look whether the worker has reached its limit, or sleeps. That it is over the
 * limit counts if it is so at two looks, since one process may be counted twice
 * while it ends. Most workers have ended before there is anything to look at.
 */
static void look_after(struct worker *w)
{
	int64_t limit = atomic_load(&w->page->time_limit), now, left;
	struct tool_used used;

	if (!limit || w->killed || (now = tool_now()) < w->look)
		return;
	if (!w->look) {
		plan_look(w, now, limit);
		return;
	}
	tool_group_used(w->pid, &used);
	count_sleep(w, &used, now);
	left = limit - used.ns;
	if (left <= 0 && w->over)
		w->killed = TIME_LIMIT;
	else if ((double)w->slept > w->sleep_limit * 1e9)
		w->killed = ASLEEP;
	if (w->killed)
		kill(-w->pid, SIGKILL);
	w->over = left <= 0;
	plan_look(w, now, left);
}

/* Wait for the worker, whose death closes the pipe, and look after it. What it
 * has started dies before its number can be given to others.
 */
static void wait_for(struct worker *w)
{
	struct pollfd p = { .fd = w->alive[0], .events = POLLIN };
	siginfo_t info;
	pid_t pid = w->pid;
	int r;

	while (poll(&p, 1, 20) <= 0)
		look_after(w);
	while (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		;
	kill(-w->pid, SIGKILL);
	while ((r = waitpid(w->pid, &w->wait_status, 0)) < 0 &&
	       errno == EINTR)
		;
	if (r < 0)
		w->wait_status = -1;
	atomic_compare_exchange_strong(&running, &pid, 0);
	close(w->alive[0]);
}

static struct tool_end cannot_start(const char *why)
{
	tool_message(MSG_WORKER, why);
	return (struct tool_end){ .status = TOOL_ENVIRONMENT };
}

/* What a worker did that never ran. */
static struct tool_end not_ready(const struct worker *w)
{
	char why[512];
	int err = atomic_load(&w->page->error);

	snprintf(why, sizeof(why), "%s: %s", w->work->helper, err ?
		strerror(err) : "it is not the command cetane "
		CETANE_VERSION);
	return cannot_start(why);
}

/* Was the worker given no memory? It has said so, or the dynamic linker has ended
 * it, which in a process that runs is for want of memory for a library's
 * thread-local data.
 */
static bool got_no_memory(const struct worker *w)
{
	enum { BY_LINKER = 127 };

	return atomic_load(&w->page->memory_out) == TOOL_REFUSED ||
		(atomic_load(&w->page->ready) && w->wait_status != -1 &&
			WIFEXITED(w->wait_status) &&
			WEXITSTATUS(w->wait_status) == BY_LINKER);
}

/* Say why the worker was killed. */
static void explain_kill(const struct worker *w, struct tool_end *end)
{
	if (w->killed == ASLEEP) {
		snprintf(end->reason, sizeof(end->reason), "asleep for %g s",
			w->sleep_limit);
		tool_message(MSG_WORKER_SLEEPS, end->stage, w->sleep_limit);
		return;
	}
	snprintf(end->reason, sizeof(end->reason), "time limit %g s",
		w->o->time_limit);
	tool_message(MSG_TIME_LIMIT, end->stage, w->o->time_limit);
}

/* Write "bytes" in the largest unit that it is a whole number of. */
static void write_bytes(char *text, size_t size, long long bytes)
{
	const char *unit[] = { "bytes", "KiB", "MiB" };
	int i = 0;

	for (; i < 2 && bytes && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(text, size, "%lld %s", bytes, unit[i]);
}

/* Say how the worker broke. */
static void explain(const struct worker *w, struct tool_end *end)
{
	const struct tool_options *o = w->o;
	int s = w->wait_status;

	if (!w->killed && got_no_memory(w)) {
		*end = (struct tool_end){ .status = TOOL_ENVIRONMENT };
		tool_message(MSG_NO_MEMORY, "the compilation");
		return;
	}
	end->status = TOOL_LIMIT;
	if (w->killed) {
		explain_kill(w, end);
		return;
	}
	if (atomic_load(&w->page->memory_out)) {
		char limit[32];

		write_bytes(limit, sizeof(limit), o->memory_limit);
		snprintf(end->reason, sizeof(end->reason), "memory limit %s",
			limit);
		tool_message(MSG_MEMORY_LIMIT, end->stage, limit);
		return;
	}
	if (s != -1 && WIFSIGNALED(s) && WTERMSIG(s) == SIGXCPU) {
		snprintf(end->reason, sizeof(end->reason),
			"processor time limit of the system");
		tool_message(MSG_CPU_LIMIT, end->stage);
		return;
	}
	end->status = TOOL_INTERNAL;
	if (s != -1 && WIFSIGNALED(s))
		snprintf(end->reason, sizeof(end->reason),
			"killed by signal %d (%s)", WTERMSIG(s),
			strsignal(WTERMSIG(s)));
	else if (atomic_load(&w->page->done))
		snprintf(end->reason, sizeof(end->reason), "failed");
	else
		snprintf(end->reason, sizeof(end->reason),
			"ended with exit code %d",
			s == -1 ? 0 : WEXITSTATUS(s));
	tool_message(MSG_CRASH, end->stage, end->reason);
}

/* How the worker ended: as it said, if it was done with another status than
 * TOOL_INTERNAL, exited with the same and was refused no memory. Anything else
 * is a break in the stage that ran last, which is told.
 */
static struct tool_end judge(const struct worker *w)
{
	int stage = atomic_load(&w->page->stage);
	int status = atomic_load(&w->page->status);
	struct tool_end end = { .status = (enum tool_exit)status,
		.error = atomic_load(&w->page->error) };

	if (!atomic_load(&w->page->ready) && w->work->helper && !w->killed)
		return not_ready(w);
	if (!w->killed && atomic_load(&w->page->done) &&
	    !atomic_load(&w->page->memory_out) && status != TOOL_INTERNAL &&
	    (w->wait_status == -1 || (WIFEXITED(w->wait_status) &&
			WEXITSTATUS(w->wait_status) == status)))
		return end;
	end.stage = tool_stage_name(stage >= 0 && stage < TOOL_N_STAGE ?
		(enum tool_stage)stage : TOOL_STAGE_FE_READ);
	explain(w, &end);
	return end;
}

/* Make the page that parent and worker share: a file in memory, so that a
 * helper can map it, too.
 */
static bool open_page(struct worker *w)
{
	void *p;

	w->page_fd = memfd_create("cetane", MFD_CLOEXEC);
	if (w->page_fd < 0)
		return false;
	p = ftruncate(w->page_fd, sizeof(*w->page)) < 0 ? MAP_FAILED :
		mmap(NULL, sizeof(*w->page), PROT_READ | PROT_WRITE,
			MAP_SHARED, w->page_fd, 0);
	if (p == MAP_FAILED) {
		close(w->page_fd);
		return false;
	}
	w->page = p;
	w->page->magic = TOOL_PAGE_MAGIC;
	return true;
}

struct tool_end tool_work(const struct tool_options *o,
	const struct tool_work *work)
{
	struct worker w = { .o = o, .work = work };
	struct tool_end end = { 0 };

	if (!open_page(&w))
		return cannot_start(strerror(errno));
	if (o->in_process) {
		tool_page_enter(w.page, o, false);
		end.status = tool_page_leave(work->fn(work->user));
	} else if (start(&w)) {
		wait_for(&w);
		end = judge(&w);
	} else {
		end = cannot_start(strerror(errno));
	}
	munmap(w.page, sizeof(*w.page));
	close(w.page_fd);
	return end;
}
