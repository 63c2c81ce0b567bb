/* nvptx: start a program that is not ours, such as ptxas or the preprocessor.
 *
 * Nobody knows what it makes of an input, so it has limits: the size of a file that
 * it writes, and its memory. They are set between fork and exec, so that they hold
 * from its first instruction on and for what it starts. Who writes beyond the limit
 * is killed, without a core file: many programs go on after an error of write.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvptx/assemble/assemble.h"

extern char **environ;

/* Lower the limit "which" to "bytes", unless it is lower already, and let
 * nobody raise it again; 0: leave it.
 */
static void lower_limit(int which, size_t bytes)
{
	struct rlimit r;

	if (!bytes || getrlimit(which, &r) < 0)
		return;
	if (bytes < r.rlim_cur)
		r.rlim_cur = bytes;
	if (r.rlim_cur < r.rlim_max)
		r.rlim_max = r.rlim_cur;
	setrlimit(which, &r);
}

/* Make "fd" the stream "i" of this process. */
static bool use_stream(int fd, int i)
{
	return fd == i ? fcntl(fd, F_SETFD, 0) == 0 : dup2(fd, i) == i;
}

/* In the child: become the program, or tell "tell" why not. */
static _Noreturn void become(const struct nvptx_child *c, int tell)
{
	static const struct rlimit no_core = { 0, 0 };
	bool ok = !c->folder || chdir(c->folder) == 0;
	int i, err;

	for (i = 0; i < 3 && ok; i++)
		ok = use_stream(c->fd[i], i);
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	lower_limit(RLIMIT_FSIZE, c->most_file);
	lower_limit(RLIMIT_DATA, c->most_memory);
	if (ok)
		execve(c->path, c->arg, environ);
	err = errno;
	while (write(tell, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* What the child tells: an errno, or nothing when it has become the program. */
static int ask(int fd)
{
	int err = 0;
	ssize_t n;

	while ((n = read(fd, &err, sizeof(err))) < 0 && errno == EINTR)
		;
	return n == sizeof(err) ? err : 0;
}

int nvptx_child_start(const struct nvptx_child *c, pid_t *pid)
{
	int fd[2], err;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return errno;
	*pid = fork();
	if (!*pid)
		become(c, fd[1]);
	err = errno;
	close(fd[1]);
	if (*pid > 0)
		err = ask(fd[0]);
	close(fd[0]);
	if (*pid > 0 && err)
		waitpid(*pid, NULL, 0);
	return err;
}
