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

/* Read "fd" to its end; 0 or an errno: EFBIG if there are more than "most" bytes. */
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

bool tool_source_read_fd(struct tool_source *s, int fd)
{
	int err = read_all(fd, s, TOOL_MOST_ARTIFACT);

	if (err)
		tool_source_free(s);
	errno = err;
	return !err;
}

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

enum tool_exit tool_source_read(struct tool_source *s, const char *path,
	size_t most)
{
	if (strcmp(path, "-"))
		return tool_source_read_file(s, path, most);
	*s = (struct tool_source){ .name = "<stdin>" };
	return judge(s, most, read_all(STDIN_FILENO, s, most));
}

void tool_source_free(struct tool_source *s)
{
	free(s->text);
	s->text = NULL;
	s->len = 0;
}

char *tool_base_name(const char *file)
{
	char *copy = strdup(file);
	char *name = copy ? strdup(basename(copy)) : NULL;

	free(copy);
	return name;
}

bool tool_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

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

char *tool_source_shown(const struct tool_options *o, const char *name)
{
	char *shown;
	int i;

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
