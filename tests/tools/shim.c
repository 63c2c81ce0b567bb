/* A library to be preloaded into the command, which lets calls of the system
 * fail. In the environment:
 *
 *	SHIM=WHERE:CALL:N:WHAT
 *		In WHERE, "parent" or "worker", the N-th CALL fails with the
 *		errno WHAT; WHAT may be "short" (a write of half the bytes,
 *		a read of one), "kill" (the process is killed before) or
 *		"killed" (after). With "+" behind N, all from then on. CALL is
 *		a function below, "malloc" for all that give memory, or
 *		"system" for all others together but strdup and poll.
 *	SHIM_NAMED=1
 *		The file system knows no files without a name.
 *	SHIM_COUNT=FILE
 *		Add to FILE lines "WHERE CALL COUNT" as a process ends.
 *
 * Other programs, such as the assembler, are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS(X) X(open) X(mkostemp) X(memfd_create) X(write) X(read) \
	X(lseek) X(fchmod) X(fsync) X(dup) X(close) X(linkat) X(rename) X(unlink) \
	X(poll) X(pipe2) X(fork) X(access) X(malloc) X(strdup) X(system)

enum call {
#define X(name) CALL_##name,
	CALLS(X)
#undef X
	N_CALL
};

static const char *const names[] = {
#define X(name) #name,
	CALLS(X)
#undef X
};

static const char *const processes[] = { "parent", "worker" };

static atomic_long count[N_CALL];
/* How deep this process is; -1: not the command. */
static int level = -1;

/* The request, if there is one for this process: level is that of "where". */
static struct {
	int where;
	enum call call;
	long n;
	char more, what[16];
} request = { .where = -1 };

static void count_anew(void)
{
	int i;

	level += level >= 0;
	for (i = 0; i < N_CALL; i++)
		count[i] = 0;
}

static void read_request(void)
{
	char where[16] = "", call[16] = "", n[16] = "";
	const char *text = getenv("SHIM");
	int i;

	if (!text || sscanf(text, "%15[^:]:%15[^:]:%15[^:]:%15s", where, call,
			n, request.what) != 4)
		return;
	request.n = strtol(n, NULL, 10);
	request.more = strchr(n, '+') != NULL;
	for (i = 0; i < N_CALL; i++)
		if (!strcmp(names[i], call))
			request.call = (enum call)i;
	request.where = strcmp(where, "worker") == 0;
}

__attribute__((constructor)) static void start(void)
{
	if (strcmp(program_invocation_short_name, "cetane"))
		return;
	read_request();
	pthread_atfork(NULL, NULL, count_anew);
	level = 0;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("SHIM_COUNT");
	FILE *f;
	int i;

	if (level < 0 || level > 1 || !path)
		return;
	f = fopen(path, "a");
	for (i = 0; f && i < N_CALL; i++)
		fprintf(f, "%s %s %ld\n", processes[level], names[i],
			(long)count[i]);
	if (f)
		fclose(f);
}

/* A process may end without its destructors. */
void _exit(int status)
{
	void (*real)(int status) __attribute__((noreturn));

	*(void **)&real = dlsym(RTLD_NEXT, "_exit");
	finish();
	real(status);
}

/* Count the call; what the request says of it, or NULL. */
static const char *one(enum call call)
{
	long n = level < 0 ? 0 : ++count[call];

	if (level < 0 || level != request.where || call != request.call ||
	    (request.more ? n < request.n : n != request.n))
		return NULL;
	if (!strcmp(request.what, "kill"))
		kill(getpid(), SIGKILL);
	return request.what;
}

/* The same for a call that counts as a call of the system, too; not so those
 * of poll, whose number is a matter of time.
 */
static const char *ask(enum call call)
{
	const char *what = one(call);
	const char *also = call == CALL_poll ? NULL : one(CALL_system);

	return what ? what : also;
}

static int refused(const char *what)
{
	int err = what ? atoi(what) : 0;

	if (err)
		errno = err;
	return err;
}

static void after(const char *what)
{
	if (what && !strcmp(what, "killed"))
		kill(getpid(), SIGKILL);
}

/* ------------------------------------------------------------- the system */

/* Define "name" with the body of a call that may fail with "bad". */
#define REAL(type, name, params) \
	static type (*real) params; \
	if (!real) \
		*(void **)&real = dlsym(RTLD_NEXT, #name)
#define WRAP(type, name, params, args, bad) \
	type name params \
	{ \
		REAL(type, name, params); \
		const char *what = ask(CALL_##name); \
		type r = refused(what) ? (bad) : real args; \
		after(what); \
		return r; \
	}

WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1)
WRAP(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, dup, (int fd), (fd), -1)
WRAP(int, linkat, (int from, const char *old, int to, const char *new,
	int flags), (from, old, to, new, flags), -1)
WRAP(int, rename, (const char *old, const char *new), (old, new), -1)
WRAP(int, unlink, (const char *path), (path), -1)
WRAP(int, poll, (struct pollfd *p, nfds_t n, int ms), (p, n, ms), -1)
WRAP(int, pipe2, (int fd[2], int flags), (fd, flags), -1)
WRAP(pid_t, fork, (void), (), -1)
WRAP(int, access, (const char *path, int mode), (path, mode), -1)

int open(const char *path, int flags, ...)
{
	REAL(int, open, (const char *path, int flags, mode_t mode));
	const char *what = ask(CALL_open);
	va_list ap;
	int mode, r;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && getenv("SHIM_NAMED")) {
		errno = EOPNOTSUPP;
		r = -1;
	} else {
		r = refused(what) ? -1 : real(path, flags, (mode_t)mode);
	}
	after(what);
	return r;
}

/* The descriptor is closed in any case. */
int close(int fd)
{
	REAL(int, close, (int fd));
	const char *what = ask(CALL_close);
	int r = real(fd);

	after(what);
	return refused(what) ? -1 : r;
}

ssize_t write(int fd, const void *data, size_t size)
{
	REAL(ssize_t, write, (int fd, const void *data, size_t size));
	const char *what = ask(CALL_write);
	ssize_t r;

	if (what && !strcmp(what, "short"))
		size = (size + 1) / 2;
	r = refused(what) ? -1 : real(fd, data, size);
	after(what);
	return r;
}

ssize_t read(int fd, void *data, size_t size)
{
	REAL(ssize_t, read, (int fd, void *data, size_t size));
	const char *what = ask(CALL_read);
	ssize_t r;

	if (what && !strcmp(what, "short"))
		size = size > 0;
	r = refused(what) ? -1 : real(fd, data, size);
	after(what);
	return r;
}

/* ----------------------------------------------------------------- memory */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static int no_memory(void)
{
	const char *what = one(CALL_malloc);

	after(what);
	return refused(what);
}

void *malloc(size_t size)
{
	return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return no_memory() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return no_memory() ? NULL : __libc_realloc(p, size);
}

/* What isl returns of a text is the copy that strdup makes. */
char *strdup(const char *text)
{
	const char *what = one(CALL_strdup);
	size_t size = strlen(text) + 1;
	char *copy = refused(what) ? NULL : malloc(size);

	after(what);
	return copy ? memcpy(copy, text, size) : NULL;
}

void *aligned_alloc(size_t align, size_t size)
{
	return no_memory() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	void *q = no_memory() ? NULL : __libc_memalign(align, size);

	if (q)
		*p = q;
	return q ? 0 : ENOMEM;
}
