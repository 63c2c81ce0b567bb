/* Outputs that appear whole or not at all.
 *
 * A regular file is written under a temporary name in its own folder and
 * renamed when everything has succeeded; standard output, pipes and devices
 * are written from memory at that moment. The files are opened before any
 * work is done, so that a folder that cannot be written to is found at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tools.h"

static struct tool_output *temporary;

void tool_output_signal(void)
{
	struct tool_output *out;

	for (out = temporary; out; out = out->next)
		unlink(out->temp);
}

static bool cannot_write(const char *path, int err)
{
	tool_message(MSG_FILE_WRITE, path, strerror(err));
	return false;
}

/* True if "path" has to be written in place: it exists, and is no file. */
static bool is_stream(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The file that "path" means, links followed; owned by the caller. */
static char *real_target(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

/* Create the file "out->temp" and put it on the list of temporary files. A
 * signal waits until both are done, since its handler removes what is listed.
 */
static int create_listed(struct tool_output *out)
{
	sigset_t all, before;
	int fd, err;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = mkostemp(out->temp, O_CLOEXEC);
	err = errno;
	if (fd >= 0) {
		out->next = temporary;
		temporary = out;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

/* Open a new file beside "out->path" with the usual permissions. */
static int open_temporary(struct tool_output *out)
{
	char *copy = strdup(out->path), *base = strdup(out->path);
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (copy && base && asprintf(&out->temp, "%s/.%.100s.XXXXXX",
			dirname(copy), basename(base)) < 0)
		out->temp = NULL;
	free(copy);
	free(base);
	if (!out->temp) {
		errno = ENOMEM;
		return -1;
	}
	fd = create_listed(out);
	if (fd < 0) {
		free(out->temp);
		out->temp = NULL;
		return -1;
	}
	fchmod(fd, 0666 & ~mask);
	return fd;
}

bool tool_output_open(struct tool_output *out, const char *path)
{
	bool standard = !strcmp(path, "-");
	struct stat st;

	*out = (struct tool_output){ .fd = -1 };
	if (!standard && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return cannot_write(path, EISDIR);
	if (!standard && !(out->path = real_target(path)))
		return cannot_write(path, ENOMEM);
	if (standard || is_stream(path))
		out->fd = memfd_create("cetane", MFD_CLOEXEC);
	else
		out->fd = open_temporary(out);
	return out->fd >= 0 || cannot_write(path, errno);
}

/* Copy what was written to "out->fd" to the stream "to". */
static bool copy_to(struct tool_output *out, int to)
{
	char buffer[1 << 16];
	ssize_t n;

	if (lseek(out->fd, 0, SEEK_SET) < 0)
		return false;
	while ((n = read(out->fd, buffer, sizeof(buffer))) > 0)
		if (!tool_write(to, buffer, (size_t)n))
			return false;
	return n == 0;
}

static bool commit_stream(struct tool_output *out)
{
	int to = out->path ? open(out->path, O_WRONLY | O_CLOEXEC) :
		STDOUT_FILENO;
	bool ok = to >= 0 && copy_to(out, to);
	int err = errno;

	if (out->path && to >= 0 && close(to) < 0 && ok) {
		err = errno;
		ok = false;
	}
	return ok || cannot_write(out->path ? out->path : "standard output",
		err);
}

/* Take "out" off the list of temporary files. */
static void forget(struct tool_output *out)
{
	struct tool_output **link;

	for (link = &temporary; *link; link = &(*link)->next)
		if (*link == out)
			break;
	if (*link)
		*link = out->next;
	free(out->temp);
	out->temp = NULL;
}

static bool commit_file(struct tool_output *out)
{
	if (rename(out->temp, out->path) < 0)
		return cannot_write(out->path, errno);
	forget(out);
	return true;
}

bool tool_output_commit(struct tool_output *out, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!out[i].temp && !commit_stream(&out[i]))
			return false;
	for (i = 0; i < n; i++)
		if (out[i].temp && !commit_file(&out[i]))
			return false;
	return true;
}

void tool_output_close(struct tool_output *out, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (out[i].temp) {
			unlink(out[i].temp);
			forget(&out[i]);
		}
		if (out[i].fd >= 0)
			close(out[i].fd);
		free(out[i].path);
		out[i] = (struct tool_output){ .fd = -1 };
	}
}
