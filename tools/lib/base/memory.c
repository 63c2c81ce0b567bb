/* The worker's memory limit: how much it is, and whether it is what refused an
 * allocation.
 *
 * The limit is on all memory that the process may write (RLIMIT_DATA), not on
 * what the compilation adds to what was there; the arrays of a run that are there
 * already come on top. Libraries' code, and addresses that are reserved only, do
 * not count: a driver of a GPU reserves more than any machine has.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/lib/base/page.h"

static _Thread_local struct {
	size_t begun;		/* bytes that were there when the work began */
	size_t bytes;		/* the limit, 0: none */
	bool spent;		/* by what was there before */
	struct rlimit before;
} limit;

size_t tool_process_status(const char *key)
{
	char text[4096];
	const char *p;
	size_t value = 0;
	ssize_t n;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	p = strstr(text, key);
	if (!p)
		return 0;
	for (p += strlen(key); *p == ' ' || *p == '\t'; p++)
		;
	for (; *p >= '0' && *p <= '9'; p++)
		value = 10 * value + (size_t)(*p - '0');
	return value;
}

static size_t bytes_of(const char *key)
{
	return tool_process_status(key) * 1024;
}

void tool_memory_begin(void)
{
	memset(&limit, 0, sizeof(limit));
	limit.begun = bytes_of("VmData:");
	poly_memory_begin();
}

bool tool_memory_limit_on(int64_t bytes)
{
	size_t now = bytes_of("VmData:");
	struct rlimit r;

	if (bytes <= 0 || TOOL_SANITIZED || getrlimit(RLIMIT_DATA, &r) < 0)
		return true;
	limit.bytes = (size_t)bytes +
		(now > limit.begun ? now - limit.begun : 0);
	limit.spent = now >= limit.bytes;
	limit.before = r;
	if (limit.bytes < r.rlim_cur)
		r.rlim_cur = limit.bytes;
	setrlimit(RLIMIT_DATA, &r);
	return !limit.spent;
}

void tool_memory_limit_off(void)
{
	if (limit.bytes)
		setrlimit(RLIMIT_DATA, &limit.before);
	limit.bytes = 0;
}

/* Has the process come close to the limit, or can it have no more? */
static bool is_near(void)
{
	const size_t probe = 16 << 20, most = 64 << 20;
	size_t slack = limit.bytes / 16 < most ? limit.bytes / 16 : most;
	void *p;

	if (bytes_of("VmHWM:") + slack >= limit.bytes)
		return true;
	p = mmap(NULL, probe, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return true;
	munmap(p, probe);
	return false;
}

bool tool_memory_over(void)
{
	return limit.bytes && (limit.spent ||
		(poly_memory_refused() && is_near()));
}
