/* nvptx: programs of the CUDA toolkit as child processes.
 *
 * Each works in a private temporary folder and on files whose names are always
 * the same, so that its messages and its output do not depend on where it ran;
 * the folder is removed in every case. Standard input is closed, output and
 * errors go to the file "log" there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvptx/assemble/assemble.h"

/* Bytes of a file that a program may write; of what it says, and of what it says when
 * it fails.
 */
enum { MOST_FILE = 256 << 20, MOST_LOG = 1 << 20, MOST_REASON = 16 << 10 };

/* ------------------------------------------------------------------ search */

static bool is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

/* "folder" (n bytes) and "name" behind it, if that is a program. */
static char *program_in(const char *folder, size_t n, const char *name)
{
	char *path;

	if (asprintf(&path, "%.*s/%s", (int) n, folder, name) < 0)
		return NULL;
	if (is_program(path))
		return path;
	free(path);
	return NULL;
}

/* In the folders of PATH. Relative and empty ones are left out: what is run would
 * depend on the current folder, in which others may have put a program.
 */
static char *find_in_path(const char *name)
{
	const char *p = getenv("PATH");
	char *found = NULL;

	p = p ? p : "/usr/local/bin:/usr/bin:/bin";
	while (*p && !found && errno != ENOMEM) {
		size_t n = strcspn(p, ":");

		if (*p == '/')
			found = program_in(p, n, name);
		p += n + (p[n] == ':');
	}
	return found;
}

char *nvptx_path_find(const char *name)
{
	errno = 0;
	return strchr(name, '/') ? strdup(name) : find_in_path(name);
}

/* In the newest of the toolkits that lie side by side. */
static char *find_in_toolkits(const char *name)
{
	const char *newest = NULL;
	char *found = NULL, *pattern;
	glob_t g;

	if (asprintf(&pattern, "/usr/local/cuda-*/bin/%s", name) < 0)
		return NULL;
	switch (glob(pattern, 0, NULL, &g)) {
	case 0:
		break;
	case GLOB_NOSPACE:
		errno = ENOMEM;
		/* fall through */
	default:
		free(pattern);
		return NULL;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (is_program(g.gl_pathv[i]) && (!newest ||
				strverscmp(g.gl_pathv[i], newest) > 0))
			newest = g.gl_pathv[i];
	if (newest)
		found = strdup(newest);
	globfree(&g);
	free(pattern);
	return found;
}

char *nvptx_program_find(const char *name, const char *variable)
{
	static const char toolkit[] = "/usr/local/cuda/bin";
	const char *wanted = getenv(variable);
	char *found;

	errno = 0;
	if (wanted && !strcmp(wanted, "none"))
		return NULL;
	if (wanted && *wanted) {
		found = nvptx_path_find(wanted);
		return found || errno == ENOMEM ? found : strdup(wanted);
	}
	found = find_in_path(name);
	if (!found && errno != ENOMEM)
		found = program_in(toolkit, strlen(toolkit), name);
	if (!found && errno != ENOMEM)
		found = find_in_toolkits(name);
	return found;
}

/* --------------------------------------------------------------- the folder */

/* "folder"/"name"; NULL without memory. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

char *nvptx_folder_make(void)
{
	const char *base = getenv("TMPDIR");
	char *folder = join(base && *base ? base : "/tmp", "cetane-XXXXXX");

	if (folder && !mkdtemp(folder)) {
		free(folder);
		folder = NULL;
	}
	return folder;
}

void nvptx_folder_remove(char *folder)
{
	DIR *d = folder ? opendir(folder) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (folder)
		rmdir(folder);
	free(folder);
}

bool nvptx_folder_write(const char *folder, const char *name,
	const struct poly_str *text)
{
	char *path = join(folder, name);
	FILE *f = path ? fopen(path, "w") : NULL;
	bool ok;

	free(path);
	if (!f)
		return false;
	ok = fwrite(text->s, 1, text->len, f) == text->len;
	return fclose(f) == 0 && ok;
}

/* The file's first "most" bytes. */
static bool read_begin(const char *folder, const char *name, size_t most,
	struct poly_str *text)
{
	char *path = join(folder, name), buffer[8192];
	FILE *f = path ? fopen(path, "r") : NULL;
	size_t n;
	bool ok;

	free(path);
	if (!f)
		return false;
	while (text->len < most &&
	       (n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		poly_str_addn(text, buffer, n);
	ok = !ferror(f);
	fclose(f);
	return ok && !text->failed;
}

bool nvptx_folder_read(const char *folder, const char *name,
	struct poly_str *text)
{
	return read_begin(folder, name, MOST_FILE, text);
}

/* -------------------------------------------------------------- the process */

/* Start "path" in "folder"; 0 or an errno value. */
static int start(const char *path, char *const *arg, const char *folder,
	const char *log, pid_t *pid)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC), e = errno;
	int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const struct nvptx_child c = { .path = path, .folder = folder,
		.arg = arg, .fd = { in, out, out }, .most_file = MOST_FILE };

	e = out < 0 ? errno : in < 0 ? e : nvptx_child_start(&c, pid);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return e;
}

/* An absolute form of "path", since the child has another folder; a name without a
 * folder was not found in PATH, and is no file of the current one.
 */
static char *absolute(const char *path)
{
	char *folder, *result;

	if (path[0] == '/' || !strchr(path, '/'))
		return strdup(path);
	folder = getcwd(NULL, 0);
	result = folder ? join(folder, path) : NULL;
	free(folder);
	return result;
}

/* Run and wait: 0 and the wait status, or an errno value. */
static int run(const char *path, char *const *arg, const char *folder,
	int *status)
{
	char *program = absolute(path), *log = join(folder, "log");
	int e = !program || !log ? ENOMEM : *program == '/' ? 0 : ENOENT;
	pid_t pid;

	if (!e)
		e = start(program, arg, folder, log, &pid);
	free(program);
	free(log);
	if (e)
		return e;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

isl_stat nvptx_cannot_run(const char *path, const char *why,
	struct poly_report *report)
{
	poly_report_add(report, MSG_NVPTX_ASSEMBLER, NULL, path, why);
	return isl_stat_error;
}

/* Does the program speak of what it was given, rather than of itself and of the
 * machine?
 */
static bool is_about_input(const char *log)
{
	static const char *const other[] = { "Unsupported .version",
		"gpu-name", "ould not open", "annot open", "No space",
		"ile too large", "emory" };
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (strstr(log, other[i]))
			return false;
	return strstr(log, "error") || strstr(log, "fatal");
}

isl_stat nvptx_program_run(const char *path, char *const *arg,
	const char *folder, struct poly_str *log, struct poly_report *report)
{
	int status = 0, e = run(path, arg, folder, &status);
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char text[64];

	if (e)
		return nvptx_cannot_run(path, strerror(e), report);
	if (!read_begin(folder, "log", MOST_LOG, log))
		return nvptx_cannot_run(path, strerror(errno), report);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return nvptx_cannot_run(path, strerror(EFBIG), report);
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "it was ended by signal %d",
			WTERMSIG(status));
		return nvptx_cannot_run(path, text, report);
	}
	if (!WEXITSTATUS(status))
		return isl_stat_ok;
	if (log->len > MOST_REASON)
		log->s[log->len = MOST_REASON] = '\0';
	if (!is_about_input(log->len ? log->s : ""))
		return nvptx_cannot_run(path, log->len ? log->s :
			"it fails without a reason", report);
	poly_report_add(report, MSG_NVPTX_ASSEMBLY, NULL, name, log->s);
	return isl_stat_error;
}
