/* Outputs that appear whole or not at all.
 *
 * A regular file is written without a name in its own folder, so that nothing
 * of it stays however the process ends. When everything has succeeded it gets
 * a temporary name and is renamed. Where the file system knows no files
 * without a name, it has the temporary one from the start. Standard output,
 * pipes and devices are written from memory at the end. The files are opened
 * before any work is done, so that a folder that cannot be written to is
 * found at once.
 *
 * Names may lie where others can write, so that no output goes through a link: a
 * link is replaced. Only names of our own streams, such as /dev/stdout, are links of
 * the system's. A file is on the disk before it gets its name, and the name before
 * we say that all went well.
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

/* The list of temporary files, for the handler of signals. */
static struct tool_output *temporary;

/* Called by a handler: it only unlinks. */
void tool_output_signal(void)
{
	struct tool_output *out;

	for (out = temporary; out; out = out->next)
		unlink(out->temp);
}

/* Always false, for the callers to return. */
static bool cannot_write(const char *path, int err)
{
	tool_message(MSG_FILE_WRITE, path, strerror(err));
	return false;
}

/* The number of our own stream that "path" names, or -1.
 *
 * Links of the system to our streams are told by their names, before they are
 * followed.
 */
static int stream_number(const char *path)
{
	static const char *const fd[] = { "/dev/fd/", "/proc/self/fd/" };
	size_t i;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < sizeof(fd) / sizeof(fd[0]); i++) {
		const char *digits = path + strlen(fd[i]);

		if (!strncmp(path, fd[i], strlen(fd[i])) && *digits &&
		    strlen(digits) < 6 &&
		    strspn(digits, "0123456789") == strlen(digits))
			return atoi(digits);
	}
	return -1;
}

/* True unless "fd" is a number that the process was not started with; what we open
 * is closed when others are executed.
 *
 * Otherwise an output could go into a file that we opened for something else.
 */
static bool is_inherited(int fd)
{
	return fd < 0 || !((unsigned)fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* True if "path" has to be written in place: it exists, and is no file that can be
 * replaced.
 *
 * A link is no stream: it is replaced.
 */
static bool is_stream(const char *path)
{
	struct stat st;

	return stream_number(path) >= 0 || (lstat(path, &st) == 0 &&
		!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode));
}

/* The name "path" in its folder, the links of which are followed; owned by the
 * caller. NULL without memory.
 *
 * Only the folder's links are followed; the last part of the name stays.
 */
static char *real_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder, *end, *real = NULL;

	if (stream_number(path) >= 0)
		return strdup(path);
	folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
	end = folder ? realpath(slash ? folder : ".", NULL) : NULL;
	if (!end)
		real = folder ? strdup(path) : NULL;
	else if (asprintf(&real, "%s%s%s", end, end[1] ? "/" : "",
			slash ? slash + 1 : path) < 0)
		real = NULL;
	free(folder);
	free(end);
	return real;
}

/* The folder of "out->path", and in "out->temp" the pattern of temporary names
 * there; NULL without memory. The caller frees the folder.
 *
 * A name of 100 characters is enough to recognise it, and leaves room for the
 * rest.
 */
static char *plan_temporary(struct tool_output *out)
{
	char *copy = strdup(out->path), *base = strdup(out->path);
	char *folder = copy ? strdup(dirname(copy)) : NULL;

	if (!folder || !base || asprintf(&out->temp, "%s/.%.100s.XXXXXX",
			folder, basename(base)) < 0) {
		out->temp = NULL;
		free(folder);
		folder = NULL;
	}
	free(copy);
	free(base);
	return folder;
}

/* Make the file "out->temp" with "make" and put it on the list of temporary
 * files; false, errno set. A signal waits until both are done, since its
 * handler removes what is listed.
 *
 * Between making and listing nothing may happen: the file would stay.
 */
static bool make_listed(struct tool_output *out,
	bool (*make)(struct tool_output *out))
{
	sigset_t all, before;
	bool ok;
	int err;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	ok = make(out);
	err = errno;
	if (ok) {
		out->listed = true;
		out->next = temporary;
		temporary = out;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return ok;
}

/* Open a new file under a temporary name with the usual permissions.
 *
 * The usual permissions are those of the mask, which mkostemp() does not apply.
 */
static bool create_named(struct tool_output *out)
{
	mode_t mask = umask(0);

	umask(mask);
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd < 0)
		return false;
	fchmod(out->fd, out->mode & ~mask);
	return true;
}

/* The name under which a file without one can be linked.
 *
 * The system's own name for an open file.
 */
static void name_in_proc(const struct tool_output *out, char name[32])
{
	snprintf(name, 32, "/proc/self/fd/%d", out->fd);
}

/* Open a file without a name in "folder"; false if that cannot be had.
 *
 * Without the system's names of open files it could not be linked later.
 */
static bool create_unnamed(struct tool_output *out, const char *folder)
{
	char name[32];

	out->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, out->mode);
	if (out->fd < 0)
		return false;
	name_in_proc(out, name);
	if (access(name, F_OK) == 0)
		return true;
	close(out->fd);
	out->fd = -1;
	return false;
}

/* Give a file without a name a temporary one.
 *
 * The digits begin with the number of the process and go on until a name is
 * free.
 */
static bool link_unnamed(struct tool_output *out)
{
	char *digits = out->temp + strlen(out->temp) - 6;
	unsigned n = (unsigned)getpid(), end = n + 1000;
	char name[32];

	name_in_proc(out, name);
	do {
		snprintf(digits, 7, "%06u", n % 1000000);
		if (linkat(AT_FDCWD, name, AT_FDCWD, out->temp,
				AT_SYMLINK_FOLLOW) == 0)
			return true;
	} while (errno == EEXIST && ++n != end);
	return false;
}

/* Open a new file for "out->path".
 *
 * First without a name, then with one.
 */
static bool open_file(struct tool_output *out)
{
	char *folder = plan_temporary(out);
	bool ok;

	if (!folder) {
		errno = ENOMEM;
		return false;
	}
	out->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A folder may be written to without being read. */
	ok = (out->folder >= 0 || errno == EACCES) &&
		(create_unnamed(out, folder) || make_listed(out, create_named));
	free(folder);
	return ok;
}

/* Open the output "path" with these permissions for a new file; false, having
 * printed why. Standard output and streams are collected in memory.
 *
 * Nothing has been written so far; the file gets its contents by out->fd.
 */
static bool open_output(struct tool_output *out, const char *path, mode_t mode)
{
	bool standard = !strcmp(path, "-");
	struct stat st;

	*out = (struct tool_output){ .fd = -1, .folder = -1,
		.mode = mode };
	if (!standard && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return cannot_write(path, EISDIR);
	if (!standard && (!(out->name = strdup(path)) ||
	    !(out->path = real_target(path))))
		return cannot_write(path, ENOMEM);
	if (!standard && !is_inherited(stream_number(path)))
		return cannot_write(path, EBADF);
	if (standard || is_stream(path))
		out->fd = memfd_create("cetane", MFD_CLOEXEC);
	else
		open_file(out);
	return out->fd >= 0 || cannot_write(path, errno);
}

/* For everyone who may read the folder, within the mask. */
bool tool_output_open(struct tool_output *out, const char *path)
{
	return open_output(out, path, 0666);
}

/* For the user alone: reports of crashes have the user's program in them. */
bool tool_output_open_private(struct tool_output *out, const char *path)
{
	return open_output(out, path, 0600);
}

/* The same file, whatever its names. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The file and what a link at that name points to both count. */
bool tool_output_replaces(const struct tool_output *out, const char *path)
{
	struct stat old, other;

	if (!out->path || is_stream(out->path) || lstat(out->path, &old) < 0)
		return false;
	return (stat(path, &other) == 0 && is_same(&old, &other)) ||
		(lstat(path, &other) == 0 && is_same(&old, &other));
}

/* By their names: neither exists yet. */
bool tool_output_same(const struct tool_output *a, const struct tool_output *b)
{
	return a->path && b->path && !is_stream(a->path) &&
		!strcmp(a->path, b->path);
}

/* Copy what was written to "out->fd" to the stream "to".
 *
 * Both reading and writing may fail; errno says why.
 */
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

/* Copy what was collected to its stream, which is opened unless it is one of
 * our own; false, having printed why.
 */
static bool commit_stream(struct tool_output *out)
{
	int own = out->path ? stream_number(out->path) : STDOUT_FILENO;
	int to = own >= 0 ? own :
		open(out->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = to >= 0 && copy_to(out, to);
	int err = errno;

	if (own < 0 && to >= 0 && close(to) < 0 && ok) {
		err = errno;
		ok = false;
	}
	return ok || cannot_write(out->name ? out->name : "standard output",
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
	out->listed = false;
}

/* Wait until what was written to "fd" is on the disk; where that cannot be asked for,
 * it is as good.
 */
static bool sync_file(int fd)
{
	int r;

	while ((r = fsync(fd)) < 0 && errno == EINTR)
		;
	return r == 0 || errno == EINVAL;
}

/* Make sure that all bytes have left: some file systems tell a full or broken
 * disk only when a descriptor is closed. Then see that there is a name.
 */
static bool prepare_file(struct tool_output *out)
{
	int copy = dup(out->fd);

	return (copy >= 0 && sync_file(copy) && close(copy) == 0 &&
		(out->listed || make_listed(out, link_unnamed))) ||
		cannot_write(out->name, errno);
}

/* Give the temporary file the name that it is for; nobody sees a part of it. */
static bool commit_file(struct tool_output *out)
{
	if (rename(out->temp, out->path) < 0)
		return cannot_write(out->name, errno);
	forget(out);
	return true;
}

/* See that the new name of "out" is on the disk. */
static bool sync_folder(const struct tool_output *out)
{
	return out->folder < 0 || sync_file(out->folder) ||
		cannot_write(out->name, errno);
}

bool tool_output_commit(struct tool_output *out, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (out[i].temp && !prepare_file(&out[i]))
			return false;
	for (i = 0; i < n; i++)
		if (!out[i].temp && !commit_stream(&out[i]))
			return false;
	for (i = 0; i < n; i++)
		if (out[i].temp && !commit_file(&out[i]))
			return false;
	for (i = 0; i < n; i++)
		if (out[i].temp && !sync_folder(&out[i]))
			return false;
	return true;
}

void tool_output_close(struct tool_output *out, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (out[i].listed) {
			unlink(out[i].temp);
			forget(&out[i]);
		}
		if (out[i].fd >= 0)
			close(out[i].fd);
		if (out[i].folder >= 0)
			close(out[i].folder);
		free(out[i].temp);
		free(out[i].name);
		free(out[i].path);
		out[i] = (struct tool_output){ .fd = -1, .folder = -1 };
	}
}

FILE *tool_output_append(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
		O_CLOEXEC, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "a");

	if (f)
		return f;
	cannot_write(path, errno);
	if (fd >= 0)
		close(fd);
	return NULL;
}

bool tool_output_cut(const char *path, off_t size)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && ftruncate(fd, size) == 0;
	int err = errno;

	if (fd >= 0)
		close(fd);
	return ok || cannot_write(path, err);
}

bool tool_is_folder(const char *path)
{
	struct stat st;
	size_t len = strlen(path);

	return (len && path[len - 1] == '/') ||
		(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

char *tool_stem(const char *file)
{
	char *stem = tool_base_name(strcmp(file, "-") ? file : "stdin");
	char *dot = stem ? strrchr(stem, '.') : NULL;

	if (dot && dot != stem)
		*dot = '\0';
	return stem;
}

enum tool_exit tool_write_output(const char *path,
	void (*write)(const void *user, const char *path, FILE *f),
	const void *user)
{
	struct tool_output out;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	enum tool_exit status = TOOL_ENVIRONMENT;

	if (!f)
		return tool_no_memory("the results");
	write(user, path, f);
	if (fclose(f) != 0) {
		status = tool_no_memory("the results");
	} else if (tool_output_open(&out, path)) {
		if (!tool_write(out.fd, text, size))
			tool_message(MSG_FILE_WRITE, path, strerror(errno));
		else if (tool_output_commit(&out, 1))
			status = TOOL_OK;
		tool_output_close(&out, 1);
	}
	free(text);
	return status;
}
