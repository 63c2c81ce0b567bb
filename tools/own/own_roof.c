/* What the processors of the host can do at most, copies of memory by all of them, and
 * the share of what a device can do.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/own/own.h"

enum { THREADS_MOST = 256, TIMES = 5, CACHES = 4 };
static const int64_t CACHE_LEAST = 4 << 20, CACHE_MOST = 64 << 20;

/* The part of a thread. */
struct part {
	pthread_t thread;
	bool started;
	char *to;
	const char *from;
	size_t size;
};

int64_t tool_host_cache(void)
{
	int64_t size = sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (size < CACHE_LEAST)
		size = CACHE_LEAST;
	return size > CACHE_MOST ? CACHE_MOST : size;
}

static void *copy(void *user)
{
	struct part *p = user;

	memcpy(p->to, p->from, p->size);
	return NULL;
}

/* Copy "size" bytes by "n" threads; seconds. */
static double copy_all(struct part *part, int n, char *to, const char *from,
	size_t size)
{
	double began = tool_bench_seconds();
	int i;

	for (i = 0; i < n; i++) {
		size_t first = size / (size_t)n * (size_t)i;

		part[i] = (struct part){ .to = to + first, .from = from + first,
			.size = size / (size_t)n };
		part[i].started = i + 1 < n && pthread_create(&part[i].thread,
			NULL, copy, &part[i]) == 0;
		if (!part[i].started)
			copy(&part[i]);
	}
	for (i = 0; i < n; i++)
		if (part[i].started)
			pthread_join(part[i].thread, NULL);
	return tool_bench_seconds() - began;
}

double tool_host_copy_rate(void)
{
	size_t size = (size_t)(CACHES * tool_host_cache());
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	char *from = malloc(size), *to = malloc(size);
	struct part part[THREADS_MOST];
	double best = 0, seconds;
	int i;

	n = n < 1 ? 1 : n > THREADS_MOST ? THREADS_MOST : n;
	if (from && to) {
		memset(from, 1, size);
		memset(to, 2, size);
	}
	for (i = 0; from && to && i < TIMES; i++) {
		seconds = copy_all(part, (int)n, to, from, size);
		best = i == 0 || seconds < best ? seconds : best;
	}
	free(from);
	free(to);
	return best > 0 ? 2 * (double)size / best : 0;
}

double tool_own_share(const struct tool_cuda *g, double copy_rate,
	const char *type, double work, double bytes, double ms)
{
	double least = copy_rate > 0 ? bytes / copy_rate : 0;
	bool is_f64 = !strcmp(type, "f64");
	double peak = g ? g->flops[is_f64] : 0;

	if (peak > 0 && (is_f64 || !strcmp(type, "f32")))
		least = fmax(least, work / peak);
	return ms > 0 ? least / (1e-3 * ms) : 0;
}
