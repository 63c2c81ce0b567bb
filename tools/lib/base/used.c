/* The processor time of a process group: the worker, and what it starts.
 *
 * /proc tells the time of each process and of the children that it has waited
 * for. A process is read before its children, whose numbers are higher, so
 * that one that ends in between is missed once rather than counted twice; only
 * where numbers have wrapped around is it the other way round. Nothing here
 * allocates memory. Where /proc cannot be read, only the worker is counted.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tools/lib/base/page.h"

static int64_t to_ns(struct timeval t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_usec * INT64_C(1000);
}

/* The nanoseconds of processor time that "who" has used (getrusage). */
static int64_t used_by(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return to_ns(r.ru_utime) + to_ns(r.ru_stime);
}

int64_t tool_used(void)
{
	return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

/* Add the process "name" of "proc" if it belongs to "group"; false if not. */
static bool add_process(int proc, const char *name, pid_t group,
	struct tool_used *used)
{
	unsigned long user, system;
	long user_below, system_below;
	char path[300], text[1024], state;
	const char *p;
	ssize_t n;
	int fd, its_group;

	snprintf(path, sizeof(path), "%s/stat", name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	p = strrchr(text, ')');		/* the end of the program's name */
	if (!p || sscanf(p + 1, " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u "
			"%lu %lu %ld %ld", &state, &its_group, &user, &system,
			&user_below, &system_below) != 6 ||
	    its_group != group)
		return false;
	used->runs |= state == 'R';
	used->ns += ((int64_t)user + (int64_t)system + user_below +
		system_below) * (1000000000 / sysconf(_SC_CLK_TCK));
	return true;
}

/* Add all processes of the group; false if none was found. */
static bool read_group(int proc, pid_t group, struct tool_used *used)
{
	_Alignas(struct dirent64) char buffer[4096];
	const struct dirent64 *d;
	bool found = false;
	ssize_t n, at;

	while ((n = getdents64(proc, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < n; at += d->d_reclen) {
			d = (const struct dirent64 *)(buffer + at);
			found |= isdigit((unsigned char)d->d_name[0]) &&
				add_process(proc, d->d_name, group, used);
		}
	return found;
}

/* Nothing is known of what the worker waits for: it counts as running. */
static void read_worker(pid_t pid, struct tool_used *used)
{
	struct timespec t = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &t);
	*used = (struct tool_used){ .runs = true,
		.ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec };
}

void tool_group_used(pid_t group, struct tool_used *used)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*used = (struct tool_used){ 0 };
	if (proc < 0 || !read_group(proc, group, used))
		read_worker(group, used);
	if (proc >= 0)
		close(proc);
}
