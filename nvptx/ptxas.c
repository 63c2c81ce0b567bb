/* nvptx: the assembler ptxas as a child process.
 *
 * It works in a private temporary folder and under names that are always the
 * same, so that its messages do not depend on where it ran; the folder is
 * removed in every case. Standard input is closed, output and errors go to a
 * file there.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvptx/nvptx_internal.h"

extern char **environ;

/* ------------------------------------------------------------------ search */

static bool is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

/* "folder" (n bytes) and "ptxas" behind it, if that is a program. */
static char *program_in(const char *folder, size_t n)
{
	char *path;

	if (asprintf(&path, "%.*s/ptxas", (int) n, folder) < 0)
		return NULL;
	if (is_program(path))
		return path;
	free(path);
	return NULL;
}

static char *find_in_path(void)
{
	const char *p = getenv("PATH");
	char *found = NULL;

	while (p && *p && !found) {
		size_t n = strcspn(p, ":");

		if (n)
			found = program_in(p, n);
		p += n + (p[n] == ':');
	}
	return found;
}

/* In the newest of the toolkits that lie side by side. */
static char *find_in_toolkits(void)
{
	const char *newest = NULL;
	char *found = NULL;
	glob_t g;

	if (glob("/usr/local/cuda-*/bin/ptxas", 0, NULL, &g))
		return NULL;
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (is_program(g.gl_pathv[i]) && (!newest ||
				strverscmp(g.gl_pathv[i], newest) > 0))
			newest = g.gl_pathv[i];
	if (newest)
		found = strdup(newest);
	globfree(&g);
	return found;
}

char *nvptx_ptxas_find(void)
{
	static const char toolkit[] = "/usr/local/cuda/bin";
	const char *wanted = getenv("CETANE_PTXAS");
	char *found;

	if (wanted && *wanted)
		return strcmp(wanted, "none") ? strdup(wanted) : NULL;
	found = find_in_path();
	if (!found)
		found = program_in(toolkit, strlen(toolkit));
	if (!found)
		found = find_in_toolkits();
	return found;
}

/* --------------------------------------------------------------- the folder */

/* The private folder and the paths of the files in it. */
struct place {
	char *folder, *ptx, *cubin, *log;
};

static void place_remove(struct place *p)
{
	if (p->ptx)
		unlink(p->ptx);
	if (p->cubin)
		unlink(p->cubin);
	if (p->log)
		unlink(p->log);
	if (p->folder)
		rmdir(p->folder);
	free(p->ptx);
	free(p->cubin);
	free(p->log);
	free(p->folder);
}

/* "folder"/"name"; NULL without memory. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool place_make(struct place *p)
{
	const char *base = getenv("TMPDIR");

	p->folder = join(base && *base ? base : "/tmp", "cetane-XXXXXX");
	if (!p->folder)
		return false;
	if (!mkdtemp(p->folder)) {
		free(p->folder);
		p->folder = NULL;
		return false;
	}
	p->ptx = join(p->folder, "kernel.ptx");
	p->cubin = join(p->folder, "kernel.cubin");
	p->log = join(p->folder, "log");
	return p->ptx && p->cubin && p->log;
}

static bool write_file(const char *path, const struct poly_str *text)
{
	FILE *f = fopen(path, "w");
	bool ok;

	if (!f)
		return false;
	ok = fwrite(text->s, 1, text->len, f) == text->len;
	return fclose(f) == 0 && ok;
}

static bool read_file(const char *path, struct poly_str *text)
{
	FILE *f = fopen(path, "r");
	char buffer[8192];
	size_t n;
	bool ok;

	if (!f)
		return false;
	while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
		poly_str_addn(text, buffer, n);
	ok = !ferror(f);
	fclose(f);
	return ok && !text->failed;
}

/* -------------------------------------------------------------- the process */

/* Start "path" in the folder of "p"; 0 or an errno value. */
static int start(const char *path, char *const *arg, const struct place *p,
	pid_t *pid)
{
	posix_spawn_file_actions_t a;
	int e = posix_spawn_file_actions_init(&a);

	if (e)
		return e;
	e = posix_spawn_file_actions_addopen(&a, 0, "/dev/null", O_RDONLY, 0);
	if (!e)
		e = posix_spawn_file_actions_addopen(&a, 1, p->log,
			O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!e)
		e = posix_spawn_file_actions_adddup2(&a, 1, 2);
	if (!e)
		e = posix_spawn_file_actions_addchdir_np(&a, p->folder);
	if (!e)
		e = posix_spawn(pid, path, &a, NULL, arg, environ);
	posix_spawn_file_actions_destroy(&a);
	return e;
}

/* Run and wait: 0 and the wait status, or an errno value. */
static int run(const char *path, const struct nvptx_target *target,
	const struct place *p, int *status)
{
	char arch[32];
	char *arg[] = {
		(char *) path, arch, (char *) "-v", (char *) "-lineinfo",
		(char *) "-o", (char *) "kernel.cubin", (char *) "kernel.ptx",
		NULL
	};
	pid_t pid;
	int e;

	snprintf(arch, sizeof(arch), "-arch=%s", target->name);
	e = start(path, arg, p, &pid);
	if (e)
		return e;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

/* An absolute form of "path", since the child has another folder. */
static char *absolute(const char *path)
{
	char *folder, *result;

	if (path[0] == '/')
		return strdup(path);
	folder = getcwd(NULL, 0);
	result = folder ? join(folder, path) : NULL;
	free(folder);
	return result;
}

static isl_stat cannot_run(const char *path, const char *why,
	struct poly_report *report)
{
	poly_report_add(report, MSG_NVPTX_ASSEMBLER, NULL, path, why);
	return isl_stat_error;
}

/* What came of a run that ended with "status". */
static isl_stat collect(const char *path, const struct place *p, int status,
	struct poly_str *cubin, struct poly_str *log,
	struct poly_report *report)
{
	char text[64];

	if (!read_file(p->log, log))
		return cannot_run(path, strerror(errno), report);
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "it was ended by signal %d",
			WTERMSIG(status));
		return cannot_run(path, text, report);
	}
	if (WEXITSTATUS(status)) {
		poly_report_add(report, MSG_NVPTX_ASSEMBLY, NULL, "ptxas",
			log->len ? log->s : "it gives no reason");
		return isl_stat_error;
	}
	if (!read_file(p->cubin, cubin))
		return cannot_run(path, strerror(errno), report);
	return isl_stat_ok;
}

isl_stat nvptx_ptxas(const char *path, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report)
{
	struct place p = { 0 };
	char *program = absolute(path);
	isl_stat result;
	int e, status = 0;

	if (!program || !place_make(&p) || !write_file(p.ptx, ptx))
		e = errno;
	else
		e = run(program, target, &p, &status);
	if (e)
		result = cannot_run(path, strerror(e), report);
	else
		result = collect(path, &p, status, cubin, log, report);
	place_remove(&p);
	free(program);
	return result;
}
