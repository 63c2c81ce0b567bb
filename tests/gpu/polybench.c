/* One kernel of PolyBench/C on a CUDA device and on a core of the CPU: the
 * script "polybench" puts pb_gpu and pb_end around the call in the file's main.
 *
 * The first argument "gpu" measures the kernel on the GPU alone, the least of three
 * times on the arrays as the file fills them; "cpu" on the CPU alone; "both"
 * compares. The second is the device's name, the third says after how many seconds of
 * either SIGALRM ends it. Processes that fill their arrays at one time take turns on
 * the GPU. What it prints is a line "gpu SECONDS", "cpu SECONDS", or a word on
 * each output that differs, and "bits" (all are equal), "same" (close), or "differs".
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "polybench.h"
#include "runtime/cetane_rt.h"

enum { MOST = 32, RUNS = 3, LONG = 3 };

static double started;
static void *back[MOST];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void need(int status, const char *what)
{
	if (!status)
		return;
	printf("failed %s: %s\n", what, cetane_last_error());
	exit(1);
}

static void copy_in(struct cetane_device *dev, const struct pb_array *a, int n,
	const cetane_ptr *at)
{
	for (int i = 0; i < n; i++)
		need(cetane_copy_to_device(dev, at[i], a[i].host, a[i].bytes,
			NULL), "copy");
	need(cetane_device_synchronize(dev), "copy");
}

/* The least time of a few calls. */
static double measure(struct cetane_device *dev, const struct pb_array *a,
	int n, const cetane_ptr *at, void *workspace)
{
	void *p[MOST];
	double best = INFINITY;

	for (int i = 0; i < n; i++)
		p[i] = (void *)(uintptr_t)at[i];
	for (int r = 0; r < RUNS; r++) {
		double t;

		copy_in(dev, a, n, at);
		t = now();
		need(pb_call(p, workspace), "call");
		need(cetane_device_synchronize(dev), "run");
		t = now() - t;
		best = t < best ? t : best;
		if (t > LONG)
			break;
	}
	return best;
}

static int begin_cpu(void)
{
	alarm((unsigned)atoi(pb_limit));
	started = now();
	return 1;
}

int pb_gpu(struct pb_array *a, int n)
{
	struct cetane_device *dev;
	cetane_ptr at[MOST], workspace = 0;
	int turn;

	if (!strcmp(pb_mode, "cpu"))
		return begin_cpu();
	turn = open("turn", O_CREAT | O_RDWR, 0666);
	need(turn < 0 || flock(turn, LOCK_EX), "turn");
	alarm((unsigned)atoi(pb_limit));
	need(cetane_device_open(pb_device, &dev), "open");
	need(cetane_device_use(dev), "use");
	need(pb_load(), "load");
	for (int i = 0; i < n; i++)
		need(cetane_malloc(dev, a[i].bytes, &at[i]), "memory");
	if (pb_workspace() > 0)
		need(cetane_malloc(dev, pb_workspace(), &workspace), "memory");
	printf("gpu %.9f\n", measure(dev, a, n, at,
		(void *)(uintptr_t)workspace));
	fflush(stdout);
	if (!strcmp(pb_mode, "gpu"))
		exit(0);
	for (int i = 0; i < n; i++) {
		back[i] = malloc(a[i].bytes);
		need(!back[i], "memory of the host");
		need(cetane_copy_from_device(dev, back[i], at[i], a[i].bytes,
			NULL), "copy");
	}
	need(cetane_device_synchronize(dev), "copy");
	close(turn);
	return begin_cpu();
}

static double element(const struct pb_array *a, const void *data, size_t i)
{
	return a->digits == 'd' ? ((const double *)data)[i] :
		((const float *)data)[i];
}

/* Is what came back close to what the CPU has? */
static int is_close(const struct pb_array *a, const void *got)
{
	double scale = 0, worst = 0;
	size_t n = a->bytes / (a->digits == 'd' ? 8 : 4);

	if (a->digits == 'i')
		return !memcmp(a->host, got, a->bytes);
	for (size_t i = 0; i < n; i++) {
		double x = element(a, a->host, i), y = element(a, got, i);

		if (isnan(x) && isnan(y))
			continue;
		scale = fmax(scale, fabs(x));
		worst = isnan(x - y) ? INFINITY : fmax(worst, fabs(x - y));
	}
	if (worst <= (a->digits == 'd' ? 1e-6 : 1e-2) * scale)
		return 1;
	printf("%s is off by %g of %g\n", a->name, worst, scale);
	return 0;
}

void pb_end(struct pb_array *a, int n)
{
	int same = 1, bits = 1;

	printf("cpu %.9f\n", now() - started);
	for (int i = 0; i < n && !strcmp(pb_mode, "both"); i++) {
		if (!a[i].output)
			continue;
		bits &= !memcmp(a[i].host, back[i], a[i].bytes);
		same &= is_close(&a[i], back[i]);
	}
	if (!strcmp(pb_mode, "both"))
		printf("%s\n", bits ? "bits" : same ? "same" : "differs");
	exit(!same);
}
