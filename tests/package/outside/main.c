/* Run both programs on the device that the first argument names, "host" by
 * default, and compare with loops. Prints the device and "right".
 */
#include <cetane_rt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fig2.h"
#include "scale.h"

enum { M = 70, K = 37, N = 65 };

static struct cetane_device *dev;
static float a[M * K], b[K * N], c[M * N], e[M * N], x[N * N], y[N * N];

static void ok(int status, const char *what)
{
	if (!status)
		return;
	printf("%s: %s: %s\n", what,
		cetane_status_text((enum cetane_status)status),
		cetane_last_error());
	exit(1);
}

/* A copy on the device. */
static float *copy(const float *data, size_t size)
{
	cetane_ptr p;

	ok(cetane_malloc(dev, size, &p), "allocation");
	ok(cetane_copy_to_device(dev, p, data, size, NULL), "copy");
	return (float *)(uintptr_t)p;
}

static void fetch(float *data, const float *from, size_t size)
{
	ok(cetane_copy_from_device(dev, data, (cetane_ptr)(uintptr_t)from,
		size, NULL), "copy");
	ok(cetane_stream_synchronize(dev, NULL), "kernel");
	ok(cetane_free(dev, (cetane_ptr)(uintptr_t)from), "free");
}

static void fill(float *data, int n)
{
	static unsigned seed = 1;
	int i;

	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = (float)(seed >> 20) / 2048 - 1;
	}
}

static void run_fig2(void)
{
	float *at_a = copy(a, sizeof(a)), *at_b = copy(b, sizeof(b));
	float *at_c = copy(c, sizeof(c)), *at_e = copy(e, sizeof(e));
	int64_t bytes = fig2_workspace_size(M, K, N);
	float *work = copy(e, bytes > 0 ? (size_t)bytes : 0);
	int i, j, k;

	ok(fig2_checked(NULL, M, K, N, at_a, at_b, at_c, at_e, work), "fig2");
	fetch(e, at_e, sizeof(e));
	for (i = 0; i < M; i++) {
		for (j = 0; j < N; j++) {
			double sum = c[i * N + j];

			for (k = 0; k < K; k++)
				sum += (double)a[i * K + k] * b[k * N + j];
			if (!(fabs(sum - e[i * N + j]) < 1e-4))
				ok(CETANE_LAUNCH_FAILED, "wrong element");
		}
	}
	ok(fig2_unload(), "unload");
}

static void run_scale(void)
{
	float *at_x = copy(x, sizeof(x)), *at_y = copy(y, sizeof(y));
	int i;

	ok(scale_load(), "load");
	ok(scale(NULL, N, at_x, at_y, NULL), "scale");
	fetch(y, at_y, sizeof(y));
	for (i = 0; i < N * N; i++)
		if (y[i] != x[i] * 0.5f)
			ok(CETANE_LAUNCH_FAILED, "wrong element");
	ok(scale_unload(), "unload");
}

int main(int argc, char **argv)
{
	ok(cetane_device_open(argc > 1 ? argv[1] : "host", &dev), "open");
	ok(cetane_device_use(dev), "use");
	fill(a, M * K);
	fill(b, K * N);
	fill(c, M * N);
	fill(x, N * N);
	run_fig2();
	run_scale();
	printf("%s: right\n", cetane_device_name(dev));
	cetane_device_use(NULL);
	cetane_device_close(dev);
	return 0;
}
