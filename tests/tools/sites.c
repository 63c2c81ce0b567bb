/* A library to be preloaded into the command, which refuses memory at every
 * place that asks for it, in one run. In the environment:
 *
 *	SITES=WHERE:HOW:DEPTH:EVERY:FIRST
 *		In WHERE, "parent" or "worker", refuse at each new site: that
 *		request alone if HOW is "once", or with all that follow if it
 *		is "on". Of the sites, take each whose number modulo EVERY is
 *		FIRST.
 *	SITES_LOG=FOLDER
 *		Where results go.
 *
 * A site is the place that asks for memory, as the first DEPTH return addresses
 * from there, together with the innermost one in the command itself. There the
 * process is forked: the child gets no memory and runs to its end, and the
 * process goes on when the child has ended, unharmed. For that the child has
 * its own copies of what the two would share: files without a name, the page
 * that parent and worker share, the standard streams. The files in $TMPDIR,
 * where the assembler works, are put back as they were when it has ended. It
 * has twenty seconds of the processor.
 *
 * For each child the file FOLDER/log gets a line
 *
 *	COUNT STATUS OUT RESULT ADDRESS...
 *
 * with the number of the request in its process, what waitpid has said, whether
 * a worker has told that memory was out, the name of a file in FOLDER with all
 * that the child has written, and where the site is in the command. The first
 * child is refused nothing, and its count is 0. In the parent, what became of
 * the files "x*" in the current folder belongs to the result, and they are put
 * back to "old".
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lib/base/page.h"

enum { MOST_SITES = 1 << 20, MOST_FD = 64, MOST_FRAMES = 128, SHOWN = 3,
	SECONDS = 20, N_COPY = MOST_FD };

/* How deep this process is; -1: not the command, or a child of ours. */
static int level = -1;
static int where, depth;
static bool on;
static unsigned long every, first;
static char folder[512];
static bool child, busy, tried;
static int refuse;		/* 1: the next request, 2: all */
static long count;
static uint64_t *site;		/* a hash table of those that were met */
static const char *low, *high;	/* the command's code */
static struct {
	void *at;
	size_t size;
} shared;			/* the page */

/* Copies of files for the next child: of "fd" in "copy". */
static struct copy {
	int fd, copy;
	bool page;
} copy[N_COPY];
static int n_copy;
static off_t offset[MOST_FD];	/* of open files */
static bool saved;		/* there were temporary files */

/* ------------------------------------------------------------------- files */

static void write_all(int fd, const char *data, size_t size)
{
	ssize_t n;

	for (; size && (n = write(fd, data, size)) > 0; data += n, size -= n)
		;
}

/* Append the content of "from", from its beginning on, to "to". */
static void pour(int from, int to)
{
	char name[32], buffer[4096];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", from);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, buffer, sizeof(buffer))) > 0)
		write_all(to, buffer, (size_t)n);
	if (fd >= 0)
		close(fd);
}

/* A file without a name on the same file system as "fd", which is st. */
static int open_like(const struct stat *st)
{
	struct stat here;

	if (stat(".", &here) == 0 && here.st_dev == st->st_dev)
		return open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	return memfd_create("copy", MFD_CLOEXEC);
}

static bool is_page(const struct stat *st)
{
	struct tool_page *page = shared.at;

	return page && st->st_size == (off_t)sizeof(*page);
}

/* Files without a name are the ones that count; standard streams begin empty.
 */
static void copy_files(void)
{
	struct stat st;
	int fd;

	n_copy = 0;
	for (fd = 1; fd < MOST_FD && n_copy < N_COPY; fd++) {
		struct copy *c = &copy[n_copy];
		bool stream = fd <= STDERR_FILENO;

		if (fstat(fd, &st) < 0 || (!stream &&
				(!S_ISREG(st.st_mode) || st.st_nlink)))
			continue;
		*c = (struct copy){ fd, stream ? memfd_create("out",
			MFD_CLOEXEC) : open_like(&st), is_page(&st) };
		if (!stream)
			pour(fd, c->copy);
		if (!stream)
			lseek(c->copy, lseek(fd, 0, SEEK_CUR), SEEK_SET);
		n_copy++;
	}
}

/* In the child: take the copies for the files. */
static void use_copies(void)
{
	int i, flags;

	for (i = 0; i < n_copy; i++) {
		flags = fcntl(copy[i].fd, F_GETFD);
		dup2(copy[i].copy, copy[i].fd);
		fcntl(copy[i].fd, F_SETFD, flags);
		if (copy[i].page)
			mmap(shared.at, shared.size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED, copy[i].fd, 0);
	}
}

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		h = (h ^ *p++) * UINT64_C(1099511628211);
	return h;
}

/* What lies in the current folder of the outputs, which are then as before. */
static void take_outputs(int to)
{
	DIR *d = opendir(".");
	struct dirent *e;
	int fd;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] != 'x' && (e->d_name[0] != '.' ||
				strlen(e->d_name) < 3))
			continue;
		dprintf(to, "\nfile %s\n", e->d_name);
		fd = open(e->d_name, O_RDONLY | O_CLOEXEC);
		pour(fd, to);
		close(fd);
		unlink(e->d_name);
		if (e->d_name[0] != 'x')
			continue;
		fd = open(e->d_name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		write_all(fd, "old", 3);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* Gather what the child has written into one file, in the folder of results
 * under the name of its hash, which is returned.
 */
static uint64_t gather(void)
{
	int all = memfd_create("all", MFD_CLOEXEC), fd, i;
	char path[600], *data;
	struct stat st = { 0 };
	uint64_t h;

	for (i = 0; i < n_copy; i++)
		if (!copy[i].page && (where || copy[i].fd <= STDERR_FILENO))
			pour(copy[i].copy, all);
	if (where == 0)
		take_outputs(all);
	fstat(all, &st);
	data = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ,
		MAP_PRIVATE, all, 0) : NULL;
	h = hash(14695981039346656037u, data, (size_t)st.st_size);
	snprintf(path, sizeof(path), "%s/%016llx", folder,
		(unsigned long long)h);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		write_all(fd, data, (size_t)st.st_size);
		close(fd);
	}
	if (data)
		munmap(data, (size_t)st.st_size);
	close(all);
	return h;
}

static void tell(long n, int status, int out, uint64_t result, void **frame,
	int n_frame)
{
	char path[600], line[200];
	int fd, i, at, shown = 0;

	at = snprintf(line, sizeof(line), "%ld %d %d %016llx", n, status, out,
		(unsigned long long)result);
	for (i = 0; i < n_frame && shown < SHOWN; i++) {
		const char *p = frame[i];

		if (p < low || p >= high)
			continue;
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %#lx",
			(unsigned long)(p - low));
		shown++;
	}
	line[at++] = '\n';
	snprintf(path, sizeof(path), "%s/log", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	write_all(fd, line, (size_t)at);
	close(fd);
}

/* -------------------------------------------------------- temporary files */

/* Run a command with the name of the temporary folder in the place of each
 * "$1".
 */
static void shell(const char *text)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", text, "sh", getenv("TMPDIR"),
			(char *)NULL);
		_exit(1);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool has_temporary(void)
{
	const char *path = getenv("TMPDIR");
	DIR *d = path ? opendir(path) : NULL;
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n > 2;
}

/* Remember the temporary files, and how far open files have been read or
 * written, before a child; put all back behind it, each file in its place.
 */
static void save_temporary(void)
{
	int fd;

	for (fd = 0; fd < MOST_FD; fd++)
		offset[fd] = lseek(fd, 0, SEEK_CUR);
	saved = has_temporary();
	if (saved)
		shell("rm -rf \"$1.saved\"; cp -a \"$1\" \"$1.saved\"");
}

static void restore_temporary(void)
{
	int fd;

	if (saved)
		shell("cd \"$1\" && for f in *; do test -e \"$1.saved/$f\" ||"
			" rm -rf \"$f\"; done; cp -r \"$1.saved/.\" .");
	else if (has_temporary())
		shell("rm -rf \"$1\"/*");
	for (fd = 0; fd < MOST_FD; fd++)
		if (offset[fd] >= 0)
			lseek(fd, offset[fd], SEEK_SET);
}

/* ------------------------------------------------------------------- sites */

/* Is the site of these frames met for the first time, and to be taken? */
static bool is_new(void **frame, int n_frame)
{
	uint64_t h, own = 0;
	size_t at;
	int i;

	for (i = n_frame - 1; i >= 0; i--)
		if ((char *)frame[i] >= low && (char *)frame[i] < high)
			own = (uint64_t)frame[i] - (uint64_t)low;
	h = hash(own + 1, frame, (size_t)(n_frame < depth ? n_frame : depth) *
		sizeof(*frame));
	h += !h;
	for (at = h % MOST_SITES; site[at]; at = (at + 1) % MOST_SITES)
		if (site[at] == h)
			return false;
	site[at] = h;
	site[MOST_SITES]++;
	return site[MOST_SITES] < MOST_SITES / 2 &&
		site[MOST_SITES] % every == first;
}

static void become_child(void)
{
	struct rlimit limit = { SECONDS, SECONDS + 1 };

	child = true;
	level = -1;
	setrlimit(RLIMIT_CPU, &limit);
	use_copies();
}

static void close_copies(void)
{
	for (; n_copy; n_copy--)
		close(copy[n_copy - 1].copy);
}

/* Whether the child, a worker, has said that memory was out. */
static int said_out(void)
{
	struct tool_page page = { 0 };
	int i;

	for (i = 0; i < n_copy; i++)
		if (copy[i].page &&
		    pread(copy[i].copy, &page, sizeof(page), 0) < 0)
			return 0;
	return atomic_load(&page.memory_out);
}

/* Fork a child and wait for its end. Returns true in the child. */
static bool try_child(long n, void **frame, int n_frame)
{
	int status = 0;
	pid_t pid;

	copy_files();
	save_temporary();
	pid = fork();
	if (pid == 0) {
		become_child();
		return true;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	tell(n, status, said_out(), gather(), frame, n_frame);
	close_copies();
	restore_temporary();
	return false;
}

/* In a child: true if this request is to be refused. */
static bool is_refused(void)
{
	return refuse && (refuse == 2 || refuse--);
}

/* A request for memory of the process itself: in a child for this request,
 * return true.
 */
static bool visit(void)
{
	void *frame[MOST_FRAMES];
	int n = backtrace(frame, MOST_FRAMES) - 3;

	if (n <= 0 || !is_new(frame + 3, n))
		return false;
	if (!tried) {
		tried = true;
		if (try_child(0, NULL, 0))
			return false;
	}
	if (!try_child(count, frame + 3, n))
		return false;
	refuse = on ? 2 : 1;
	return true;
}

/* True if the request is to be refused. */
static bool ask(void)
{
	int err = errno;

	if (level < 0 || level != where || busy)
		return is_refused();
	count++;
	busy = true;
	visit();
	busy = false;
	errno = err;
	return is_refused();
}

static bool refused(void)
{
	if (!ask())
		return false;
	errno = ENOMEM;
	return true;
}

/* ------------------------------------------------------------------- start */

/* In the child of a fork: of ours, or the worker, or another program. */
static void after_fork(void)
{
	if (busy)
		return;
	level += level >= 0;
	refuse = 0;
	child = false;
	count = 0;
	if (site)
		memset(site, 0, (MOST_SITES + 1) * sizeof(*site));
}

static void find_code(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/cetane\n") ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		if (!low)
			low = (const char *)from;
		high = (const char *)to;
	}
	if (maps)
		fclose(maps);
}

__attribute__((constructor)) static void start(void)
{
	const char *request = getenv("SITES"), *log = getenv("SITES_LOG");
	char place[16], how[16];
	void *frame[4];

	if (strcmp(program_invocation_short_name, "cetane") || !request ||
	    !log || sscanf(request, "%15[^:]:%15[^:]:%d:%lu:%lu", place, how,
			&depth, &every, &first) != 5)
		return;
	snprintf(folder, sizeof(folder), "%s", log);
	where = strcmp(place, "worker") == 0;
	on = strcmp(how, "on") == 0;
	site = mmap(NULL, (MOST_SITES + 1) * sizeof(*site),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (site == MAP_FAILED)
		return;
	find_code();
	backtrace(frame, 4);
	pthread_atfork(NULL, NULL, after_fork);
	level = 0;
}

/* -------------------------------------------------------------- wrappers */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t from)
{
	void *p = (void *)syscall(SYS_mmap, at, size, prot, flags, fd, from);

	if (level == 0 && p != MAP_FAILED && (flags & MAP_SHARED) &&
	    size == sizeof(struct tool_page)) {
		shared.at = p;
		shared.size = size;
	}
	return p;
}

/* A child leaves the files of the process where they are. */
int unlinkat(int fd, const char *path, int flags)
{
	return child && where ? 0 : (int)syscall(SYS_unlinkat, fd, path, flags);
}

int rmdir(const char *path)
{
	return child && where ? 0 : (int)syscall(SYS_rmdir, path);
}

void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return refused() ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return refused() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	void *q = refused() ? NULL : __libc_memalign(align, size);

	if (q)
		*p = q;
	return q ? 0 : ENOMEM;
}
