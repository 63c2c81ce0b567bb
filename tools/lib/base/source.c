/* The input file, read as a whole before anything else happens, so that a
 * crash report can hold it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/lib/base/base.h"

/* Read "fd" to its end; 0 or an errno: EFBIG if there are more than "most" bytes.
 *
 * A regular file is judged by its size before it is read. Others, such as
 * pipes, are read until they end or are too long. A NUL is put behind the text.
 */
static int read_all(int fd, struct tool_source *s, size_t most)
{
	struct stat st;
	size_t cap = 0;
	char *more;
	ssize_t n;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size > most)
		return EFBIG;
	for (;;) {
		if (s->len + 1 >= cap) {
			cap = cap ? 2 * cap : 1 << 16;
			more = realloc(s->text, cap);
			if (!more)
				return ENOMEM;
			s->text = more;
		}
		/* Room for that NUL is left. */
		n = read(fd, s->text + s->len, cap - s->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			break;
		s->len += (size_t)n;
		if (s->len > most)
			return EFBIG;
	}
	s->text[s->len] = '\0';
	return 0;
}

/* TOOL_OK, or the exit code for "err", having said so: a name of what is not there
 * or no file is wrong; what cannot be read is a matter of the machine.
 *
 * Names as long as the system refuses count as wrong, too.
 */
static enum tool_exit judge(struct tool_source *s, size_t most, int err)
{
	if (!err)
		return TOOL_OK;
	if (err == EFBIG)
		tool_message(MSG_FILE_LARGE, s->name, most);
	else
		tool_message(MSG_FILE_READ, s->name, strerror(err));
	tool_source_free(s);
	return err == ENOENT || err == ENOTDIR || err == EISDIR ||
		err == ENAMETOOLONG || err == EFBIG ? TOOL_INPUT :
		TOOL_ENVIRONMENT;
}

/* errno tells the reason. What was read is freed on failure. */
bool tool_source_read_fd(struct tool_source *s, int fd)
{
	int err = read_all(fd, s, TOOL_MOST_ARTIFACT);

	if (err)
		tool_source_free(s);
	errno = err;
	return !err;
}

/* The descriptor is not inherited by programs that are started. */
enum tool_exit tool_source_read_file(struct tool_source *s, const char *path,
	size_t most)
{
	int fd, err;

	*s = (struct tool_source){ .name = path };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? errno : read_all(fd, s, most);
	if (fd >= 0)
		close(fd);
	return judge(s, most, err);
}

/* "-" is the standard input. */
enum tool_exit tool_source_read(struct tool_source *s, const char *path,
	size_t most)
{
	if (strcmp(path, "-"))
		return tool_source_read_file(s, path, most);
	*s = (struct tool_source){ .name = "<stdin>" };
	return judge(s, most, read_all(STDIN_FILENO, s, most));
}

/* The name is not owned. */
void tool_source_free(struct tool_source *s)
{
	free(s->text);
	s->text = NULL;
	s->len = 0;
}

/* basename() may change its argument, so it gets a copy. NULL without memory.
 */
char *tool_base_name(const char *file)
{
	char *copy = strdup(file);
	char *name = copy ? strdup(basename(copy)) : NULL;

	free(copy);
	return name;
}

/* The whole text may be the end. */
bool tool_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* write() may write less than was asked for; a signal may interrupt it. */
bool tool_write(int fd, const void *data, size_t size)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = write(fd, p, size);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Of several prefixes that fit, the last given counts. Without one, the name
 * alone is shown: where a file lies does not matter to what is made of it.
 */
char *tool_source_shown(const struct tool_options *o, const char *name)
{
	char *shown;
	int i;

	if (o->no_provenance)
		return strdup("source");
	for (i = o->prefix_list.n - 1; i >= 0; i--) {
		const char *old = o->prefix_list.item[i];
		size_t len = strcspn(old, "=");

		if (strncmp(name, old, len))
			continue;
		return asprintf(&shown, "%s%s", old + len + 1, name + len) < 0
			? NULL : shown;
	}
	return tool_base_name(name);
}
