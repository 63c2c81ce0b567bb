/* build --verify-reproducible: the outputs are made again, and all bytes compared.
 *
 * What the build reads is copied into a new folder, under which each file has the path
 * that it had under /; the second build runs there. It has other variables of the
 * environment (language, zone of time, home, folder of temporary files), one processor,
 * an empty standard error, no cache, and a process of its own, whose addresses differ.
 *
 *	/home/u/gemm.dsl	/tmp/cetane-8hX2aK/home/u/gemm.dsl
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lib/lib.h"
#include "tools/lib/worker/worker.h"
#include "tools/tools.h"

/* The copy: its folder, and the folder that the command was called in. */
struct copy {
	char root[4096], from[4096];
	const struct tool_options *o;
	const struct tool_source *src;
	bool failed;	/* having said so */
};

/* -------------------------------------------------------------------- the copy */

/* The path of "path" in the copy; owned by the caller. NULL without memory. */
static char *copied_path(const struct copy *c, const char *path)
{
	bool absolute = path[0] == '/';
	char *all;

	return asprintf(&all, "%s%s%s%s", c->root, absolute ? "" : c->from,
		absolute ? "" : "/", path) < 0 ? NULL : all;
}

/* Make the folders that the file "path" is to lie in. */
static void make_folders(char *path)
{
	char *at;

	for (at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

/* Copy the file "path"; one that cannot be read was not read by the build either, or
 * the second build says so.
 */
static void copy_file(struct copy *c, const char *path)
{
	struct tool_source file = { 0 };
	int from = open(path, O_RDONLY | O_CLOEXEC), to;
	char *name = copied_path(c, path);
	struct stat st;

	if (from >= 0 && fstat(from, &st) == 0 && S_ISREG(st.st_mode) && name &&
	    tool_source_read_fd(&file, from)) {
		make_folders(name);
		to = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (to < 0 || !tool_write(to, file.text, file.len)) {
			tool_message(MSG_FILE_WRITE, name, strerror(errno));
			c->failed = true;
		}
		if (to >= 0)
			close(to);
	}
	tool_source_free(&file);
	free(name);
	if (from >= 0)
		close(from);
}

/* Copy the scripts beside the script "path", which may ask for them. */
static void copy_scripts(struct copy *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash + 1 - path) : 0;
	char *folder = NULL, *name;
	struct dirent *entry;
	DIR *dir;

	if (asprintf(&folder, "%.*s.", len, path) < 0)
		return;
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)))
		if (tool_ends_with(entry->d_name, ".lua") && asprintf(&name,
				"%.*s%s", len, path, entry->d_name) >= 0) {
			copy_file(c, name);
			free(name);
		}
	if (dir)
		closedir(dir);
	free(folder);
}

/* Copy all that the build has read: the program, the files "header" that it includes, a
 * line each, and those that options name.
 */
static void copy_all(struct copy *c, const char *header)
{
	const struct tool_options *o = c->o;
	const char *const file[] = { o->file, o->config, o->tuning, o->schedule,
		o->decisions, o->profile };
	char *name, *folder = copied_path(c, "x"), *temp = copied_path(c,
		"/tmp/x");
	size_t i, len;

	if (folder)
		make_folders(folder);
	if (temp)
		make_folders(temp);
	for (i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		if (file[i] && strcmp(file[i], "-"))
			copy_file(c, file[i]);
	if (o->schedule)
		copy_scripts(c, o->schedule);
	for (; *header; header += len + 1) {
		len = strcspn(header, "\n");
		name = strndup(header, len);
		if (name)
			copy_file(c, name);
		free(name);
	}
	free(folder);
	free(temp);
}

/* nftw: folders come behind what is in them. */
static int remove_one(const char *path, const struct stat *st, int type,
	struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

/* ------------------------------------------------------------- the second build */

/* The word of the command line that names in the copy what "word" names; owned by the
 * caller. Absolute paths are changed, behind an option, too, if the copy has them.
 */
static char *copied_word(const struct copy *c, const char *word)
{
	static const char map[] = "--file-prefix-map=";
	const char *path = strchr(word, '/'), *equals = strchr(word, '=');
	bool is_path = path == word || (path && equals == path - 1) ||
		(path == word + 2 && word[0] == '-' && word[1] == 'I');
	char *copied = is_path ? copied_path(c, path) : NULL, *all = NULL;
	bool has = copied && (!strncmp(word, map, strlen(map)) ||
		access(copied, F_OK) == 0);

	if (has && asprintf(&all, "%.*s%s", (int)(path - word), word,
			copied) < 0)
		all = NULL;
	free(copied);
	return has ? all : strdup(word);
}

/* Fill "o" with the options for the copy. */
static enum tool_exit read_words(const struct copy *c, struct tool_options *o)
{
	enum tool_exit status = TOOL_OK;
	int i;

	tool_options_init(o);
	for (i = 0; i < c->o->args.n && status == TOOL_OK; i++) {
		char *word = copied_word(c, c->o->args.item[i]);

		status = word ? tool_args_add(&o->args, word) :
			TOOL_ENVIRONMENT;
		free(word);
	}
	o->log = -1;
	if (status == TOOL_OK)
		status = tool_options_read(o);
	if (status == TOOL_OK)
		status = tool_options_check(o);
	o->in_process = false;
	return status;
}

/* Change what a build must not depend on. False if a folder is not there. */
static bool change_surroundings(const struct copy *c)
{
	const char *language = getenv("LC_ALL");
	char *folder = copied_path(c, "."), *temp = copied_path(c, "/tmp");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok = folder && temp && chdir(folder) == 0 && null >= 0 &&
		dup2(null, STDERR_FILENO) >= 0;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu() < 0 ? 0 : sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	umask(077);
	setenv("LC_ALL", language && !strncmp(language, "de", 2) ? "C" :
		"de_DE.UTF-8", 1);
	setenv("LANGUAGE", "de", 1);
	setenv("TZ", "Asia/Kathmandu", 1);
	setenv("HOME", c->root, 1);
	setenv("USER", "another", 1);
	setenv("PWD", folder ? folder : "", 1);
	setenv("SOURCE_DATE_EPOCH", "1", 1);
	if (temp)
		setenv("TMPDIR", temp, 1);
	unsetenv("CETANE_CACHE_DIR");
	free(folder);
	free(temp);
	return ok;
}

/* In a process of its own: build in the copy, and send what came of it to "fd". */
static enum tool_exit build_again(const struct copy *c, int fd)
{
	struct tool_options o;
	struct tool_source src = *c->src;
	struct tool_reply reply = { 0 };
	struct tool_request q = { .o = &o, .src = &src, .reply = &reply,
		.helper = "/proc/self/exe", .quiet = true };
	enum tool_exit status = read_words(c, &o);

	if (status == TOOL_OK) {
		if (strcmp(o.file, "-"))
			src.name = o.file;
		status = change_surroundings(c) ? tool_request(&q).status :
			TOOL_ENVIRONMENT;
	}
	if (!tool_reply_send(&reply, fd))
		status = TOOL_ENVIRONMENT;
	tool_reply_free(&reply);
	tool_options_free(&o);
	return status;
}

/* Run that process; its exit status, or -1. "again" gets what it has sent. */
static int run_again(const struct copy *c, struct tool_reply *again)
{
	int fd = memfd_create("cetane", MFD_CLOEXEC), how = -1;
	pid_t pid = -1;

	fflush(NULL);
	if (fd >= 0)
		pid = fork();
	if (pid == 0)
		_exit((int)build_again(c, fd));
	if (pid > 0)
		while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
			;
	if (fd >= 0) {
		tool_reply_receive(again, fd);
		close(fd);
	}
	return pid > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/* ------------------------------------------------------------------- comparing */

static bool is_text(const struct cetane_output *x)
{
	return !memchr(x->data, '\0', x->size);
}

/* The line around byte "at" of a text, without white space in front. */
static void add_line(struct poly_str *out, const struct cetane_output *x,
	size_t at)
{
	const char *text = x->data;
	size_t from = at < x->size ? at : x->size, to = from;

	while (from && text[from - 1] != '\n')
		from--;
	while (to < x->size && text[to] != '\n')
		to++;
	while (from < to && (text[from] == ' ' || text[from] == '\t'))
		from++;
	poly_str_addn(out, text + from, to - from > 100 ? 100 : to - from);
}

/* Append how "b" differs from "a", from byte "at" on. */
static void add_difference(struct poly_str *out, const struct cetane_output *a,
	const struct cetane_output *b, size_t at)
{
	const char *text = a->data;
	size_t i, line = 1;

	if (!is_text(a) || !is_text(b)) {
		poly_str_printf(out, "from byte %zu of %zu on, and has %zu", at,
			a->size, b->size);
		return;
	}
	for (i = 0; i < at; i++)
		line += text[i] == '\n';
	poly_str_printf(out, "in line %zu: it has \"", line);
	add_line(out, b, at);
	poly_str_add(out, "\", not \"");
	add_line(out, a, at);
	poly_str_add(out, "\"");
}

/* Are the outputs "a" and "b", of the file "name", the same? Says what differs. */
static bool compare(const char *name, const struct cetane_output *a,
	const struct cetane_output *b)
{
	const char *x = a->data, *y = b->data;
	size_t least = a->size < b->size ? a->size : b->size, at = 0;
	struct poly_str how = { 0 };

	while (at < least && x[at] == y[at])
		at++;
	if (at == a->size && at == b->size)
		return true;
	add_difference(&how, a, b, at);
	tool_message(MSG_NOT_REPRODUCED, name, how.s ? how.s : "");
	poly_str_free(&how);
	return false;
}

/* Compare the "n" outputs of both builds, whose names are those of "file". */
static enum tool_exit compare_all(const struct tool_output *file, int n,
	const struct tool_reply *first, const struct tool_reply *again)
{
	enum tool_exit status = TOOL_OK;
	size_t bytes = 0;
	int i;

	for (i = 0; i < n; i++) {
		const struct cetane_output *a = &first->output[i];

		if (!compare(file[i].name ? file[i].name : a->kind, a,
				&again->output[i]))
			status = TOOL_MISMATCH;
		bytes += a->size;
	}
	if (status == TOOL_OK)
		tool_message(MSG_REPRODUCED, n, n == 1 ? "" : "s", bytes);
	return status;
}

/* Say why the second build has no outputs. */
static enum tool_exit tell_failure(const struct tool_reply *again,
	const char *name)
{
	int i;

	for (i = 0; i < again->n_message; i++)
		fputs(again->message[i].rendered, stderr);
	tool_message(MSG_SECOND_BUILD, name);
	return TOOL_MISMATCH;
}

/* The names of headers that stand behind the outputs of "r", or "". */
static const char *find_headers(const struct tool_reply *r)
{
	int n = r->n_output;

	return n && !strcmp(r->output[n - 1].kind, "headers") ?
		r->output[n - 1].data : "";
}

enum tool_exit tool_reproduce(const struct tool_options *o,
	const struct tool_source *src, const struct tool_output *file, int n,
	const struct tool_reply *first)
{
	const char *temp = getenv("TMPDIR");
	struct copy c = { .o = o, .src = src };
	struct tool_reply again = { 0 };
	enum tool_exit status = TOOL_ENVIRONMENT;

	snprintf(c.root, sizeof(c.root), "%s/cetane-XXXXXX", temp && *temp ?
		temp : "/tmp");
	if (!getcwd(c.from, sizeof(c.from)) || !mkdtemp(c.root)) {
		tool_message(MSG_FILE_WRITE, c.root, strerror(errno));
		return status;
	}
	copy_all(&c, find_headers(first));
	if (!c.failed)
		status = run_again(&c, &again) == TOOL_OK &&
			again.n_output >= n ? compare_all(file, n, first,
			&again) : tell_failure(&again, src->name);
	nftw(c.root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	tool_reply_free(&again);
	return status;
}
