/* nvptx: what a compilation would use on this machine: LLVM, and which
 * assembler. The assembler tells its version itself, since a toolkit may be
 * older than the PTX that is asked for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvptx/assemble/assemble.h"

/* Bytes of what is read of a version. */
enum { MOST_TEXT = 64 << 10 };

/* Start "path --version" with its output in "fd"; false, with errno set, if
 * that fails.
 */
static bool start(const char *path, int fd, pid_t *pid)
{
	char *arg[] = { (char *) path, (char *) "--version", NULL };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const struct nvptx_child c = { .path = path, .arg = arg,
		.fd = { null, fd, fd }, .most_file = MOST_TEXT };
	int e = null < 0 ? errno : strchr(path, '/') ?
		nvptx_child_start(&c, pid) : ENOENT;

	if (null >= 0)
		close(null);
	errno = e;
	return e == 0;
}

/* What comes out of "fd", but for what goes beyond the most. */
static void read_text(int fd, struct poly_str *text)
{
	char buffer[1024];
	ssize_t n;

	while (text->len < MOST_TEXT &&
	       (n = read(fd, buffer, sizeof(buffer))) > 0)
		poly_str_addn(text, buffer, (size_t) n);
}

/* The "13.0.88" in "release 13.0, V13.0.88"; NULL if there is none. */
static char *version_in(const char *text)
{
	const char *p = text ? strstr(text, ", V") : NULL;

	return p ? strndup(p + 3, strspn(p + 3, "0123456789.")) : NULL;
}

/* What the program says of its version; NULL if it does not run, with ENOMEM in
 * errno for want of memory.
 */
static char *version_of(const char *path)
{
	struct poly_str text = { 0 };
	char *version;
	int fd[2];
	pid_t pid;
	bool started;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return NULL;
	started = start(path, fd[1], &pid);
	close(fd[1]);
	if (started) {
		read_text(fd[0], &text);
		close(fd[0]);
		waitpid(pid, NULL, 0);
	} else {
		close(fd[0]);
	}
	if (started)
		errno = 0;
	version = version_in(text.s);
	if (text.failed)
		errno = ENOMEM;
	poly_str_free(&text);
	return version;
}

/* False, with ENOMEM in errno, without memory. */
static bool find_library(struct nvptx_found *f)
{
	void *library = nvptx_jitlink_open(&f->jitlink_tried);
	struct link_map *map;
	bool ok;

	if (!library)
		return errno != ENOMEM;
	f->jitlink_version = nvptx_jitlink_version(library);
	ok = f->jitlink_version || errno != ENOMEM;
	if (ok && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
		f->jitlink = strdup(map->l_name);
		ok = f->jitlink != NULL;
	}
	dlclose(library);
	if (!ok)
		errno = ENOMEM;
	return ok;
}

bool nvptx_find(struct nvptx_found *f, bool both)
{
	unsigned major, minor, patch;

	*f = (struct nvptx_found){ 0 };
	LLVMGetVersion(&major, &minor, &patch);
	snprintf(f->llvm, sizeof(f->llvm), "%u.%u.%u", major, minor, patch);
	f->ptxas = nvptx_ptxas_find();
	if (f->ptxas)
		f->ptxas_version = version_of(f->ptxas);
	if ((!f->ptxas || !f->ptxas_version) && errno == ENOMEM)
		return false;
	return (!both && f->ptxas_version) || find_library(f);
}

void nvptx_found_free(struct nvptx_found *f)
{
	free(f->ptxas);
	free(f->ptxas_version);
	free(f->jitlink);
	free(f->jitlink_version);
	poly_str_free(&f->jitlink_tried);
	*f = (struct nvptx_found){ 0 };
}
