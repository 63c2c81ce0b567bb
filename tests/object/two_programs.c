/* Run the programs fig2 and chain of two objects on the host device and
 * compare with plain loops. Prints "right" at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "fig2.h"
#include "runtime/cetane_rt.h"

enum { M = 70, K = 37, N = 65 };

static struct cetane_device *dev;

static void ok(int status, const char *what)
{
	if (status == CETANE_OK)
		return;
	printf("%s: %s: %s\n", what, cetane_status_text(status),
		cetane_last_error());
	exit(1);
}

static void fails(int status, const char *says)
{
	if (status == CETANE_INVALID_VALUE &&
	    strstr(cetane_last_error(), says))
		return;
	printf("status %d, \"%s\", not: %s\n", status, cetane_last_error(),
		says);
	exit(1);
}

/* A matrix on the host and on the device. */
struct matrix {
	int rows, columns;
	float *x, *at;
};

static struct matrix matrix(int rows, int columns, unsigned seed)
{
	struct matrix a = { rows, columns, NULL, NULL };
	size_t i, n = (size_t) rows * columns;
	cetane_ptr p;

	a.x = malloc(n * sizeof(*a.x));
	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		a.x[i] = (float) (seed >> 20) / 2048 - 1;
	}
	ok(cetane_malloc(dev, n * sizeof(*a.x), &p), "allocation");
	a.at = (float *) (uintptr_t) p;
	ok(cetane_copy_to_device(dev, p, a.x, n * sizeof(*a.x), NULL),
		"copy");
	ok(cetane_stream_synchronize(dev, NULL), "copy");
	return a;
}

static void fetch(struct matrix *a, struct cetane_stream *stream)
{
	ok(cetane_copy_from_device(dev, a->x, (cetane_ptr) (uintptr_t) a->at,
		(size_t) a->rows * a->columns * sizeof(*a->x), stream),
		"copy");
	ok(cetane_stream_synchronize(dev, stream), "kernels");
}

static struct matrix product(const struct matrix *a, const struct matrix *b)
{
	struct matrix c = { a->rows, b->columns, NULL, NULL };
	int i, j, k;

	c.x = calloc((size_t) c.rows * c.columns, sizeof(*c.x));
	for (i = 0; i < c.rows; i++)
		for (j = 0; j < c.columns; j++)
			for (k = 0; k < a->columns; k++)
				c.x[i * c.columns + j] +=
					a->x[i * a->columns + k] *
					b->x[k * b->columns + j];
	return c;
}

static void compare(const struct matrix *a, const struct matrix *want,
	const char *what)
{
	int i;

	for (i = 0; i < a->rows * a->columns; i++)
		if (!(fabsf(a->x[i] - want->x[i]) <
				1e-3f * (1 + fabsf(want->x[i])))) {
			printf("%s[%d] is %g, not %g\n", what, i,
				(double) a->x[i], (double) want->x[i]);
			exit(1);
		}
}

static void drop(struct matrix *a)
{
	free(a->x);
	if (a->at)
		ok(cetane_free(dev, (cetane_ptr) (uintptr_t) a->at), "free");
}

/* E = A * B + C on "stream". */
static void run_fig2(struct cetane_stream *stream)
{
	struct matrix a = matrix(M, K, 1), b = matrix(K, N, 2);
	struct matrix c = matrix(M, N, 3), e = matrix(M, N, 4), want;
	int i;

	if (fig2_workspace_size(M, K, N) != 0)
		ok(1, "fig2 needs no workspace");
	ok(fig2(stream, M, K, N, a.at, b.at, c.at, e.at, NULL), "fig2");
	fetch(&e, stream);
	want = product(&a, &b);
	for (i = 0; i < M * N; i++)
		want.x[i] += c.x[i];
	compare(&e, &want, "fig2");
	fails(fig2_checked(stream, M, K, N, a.at, b.at, c.at, a.at, NULL),
		"A and E overlap");
	fails(fig2_checked(stream, M, K, N, a.at, NULL, c.at, e.at, NULL),
		"B is NULL");
	fails(fig2_checked(stream, M + 1, K, N, a.at, b.at, c.at, e.at, NULL),
		"A has ");
	fails(fig2(stream, M, -K, N, a.at, b.at, c.at, e.at, NULL),
		"the size K is -37");
	ok(fig2_checked(stream, M, K, N, a.at, b.at, c.at, e.at, NULL),
		"fig2_checked");
	ok(fig2_checked(stream, 0, K, N, NULL, b.at, NULL, NULL, NULL),
		"fig2_checked");
	ok(cetane_stream_synchronize(dev, stream), "kernels");
	drop(&a);
	drop(&b);
	drop(&c);
	drop(&e);
	drop(&want);
}

/* Z = (X * Y) * W, with X * Y in the workspace. */
static void run_chain(void)
{
	struct matrix x = matrix(M, K, 5), y = matrix(K, N, 6);
	struct matrix w = matrix(N, K, 7), z = matrix(M, K, 8), t, want;
	int64_t size = chain_workspace_size(M, K, N);
	cetane_ptr work;

	if (size < (int64_t) sizeof(float) * M * N || size % 256)
		ok(1, "the size of chain's workspace");
	ok(cetane_malloc(dev, (size_t) size, &work), "the workspace");
	fails(chain(NULL, M, K, N, w.at, x.at, y.at, z.at, NULL),
		"the workspace is NULL");
	ok(chain_checked(NULL, M, K, N, w.at, x.at, y.at, z.at,
		(void *) (uintptr_t) work), "chain");
	fetch(&z, NULL);
	t = product(&x, &y);
	want = product(&t, &w);
	compare(&z, &want, "chain");
	ok(cetane_free(dev, work), "free");
	drop(&x);
	drop(&y);
	drop(&w);
	drop(&z);
	drop(&t);
	drop(&want);
}

int main(void)
{
	struct cetane_stream *stream;
	int round;

	if (fig2_load() == CETANE_OK)
		ok(1, "fig2_load without a device");
	ok(cetane_device_open("host", &dev), "host device");
	ok(cetane_device_use(dev), "cetane_device_use");
	ok(cetane_stream_create(dev, &stream), "stream");
	for (round = 0; round < 2; round++) {
		ok(fig2_load(), "fig2_load");
		ok(fig2_load(), "fig2_load again");
		run_fig2(stream);
		run_chain();
		ok(fig2_unload(), "fig2_unload");
		ok(fig2_unload(), "fig2_unload again");
		ok(chain_unload(), "chain_unload");
	}
	run_fig2(NULL);
	cetane_stream_destroy(stream);
	cetane_device_close(dev);
	printf("right\n");
	return 0;
}
