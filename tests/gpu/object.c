/* Run the objects fig2 and chain on a GPU, in contexts of our own, as an
 * application with the CUDA driver API would.
 *
 * object FIG2.cubin BLOCKX BLOCKY SHARED
 *
 * Checks results against loops on the host; that a capture without a load is
 * refused and stays usable, that a captured graph computes the same, that two
 * contexts have an instance each; and prints what a call of fig2 takes beyond
 * cuLaunchKernel of the same kernel, which FIG2.cubin holds for this GPU, with
 * that block and that many bytes of shared memory.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chain.h"
#include "fig2.h"
#include "runtime/cetane_rt.h"

enum { M = 257, K = 190, N = 131, BATCH = 500, ROUNDS = 101 };

/* The entry points of the driver that an application would link. */
static int (*init)(unsigned flags);
static int (*ctx_create)(void **ctx, unsigned flags, int dev);
static int (*ctx_destroy)(void *ctx);
static int (*ctx_set)(void *ctx);
static int (*ctx_synchronize)(void);
static int (*allocate)(uint64_t *p, size_t size);
static int (*copy_to)(uint64_t dst, const void *src, size_t size);
static int (*copy_from)(void *dst, uint64_t src, size_t size);
static int (*set)(uint64_t dst, unsigned char value, size_t size);
static int (*stream_create)(void **stream, unsigned flags);
static int (*stream_synchronize)(void *stream);
static int (*begin_capture)(void *stream, int mode);
static int (*end_capture)(void *stream, void **graph);
static int (*instantiate)(void **exec, void *graph, unsigned long long flags);
static int (*graph_launch)(void *exec, void *stream);
static int (*module_load)(void **mod, const char *file);
static int (*module_function)(void **fn, void *mod, const char *name);
static int (*function_set)(void *fn, int attribute, int value);
static int (*launch)(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args, void **extra);

/* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
enum { MOST_DYNAMIC_SHARED = 8 };

static const struct {
	const char *name;
	void *slot;
} entry[] = {
	{ "cuInit", &init }, { "cuCtxCreate_v2", &ctx_create },
	{ "cuCtxDestroy_v2", &ctx_destroy },
	{ "cuCtxSetCurrent", &ctx_set },
	{ "cuCtxSynchronize", &ctx_synchronize },
	{ "cuMemAlloc_v2", &allocate }, { "cuMemcpyHtoD_v2", &copy_to },
	{ "cuMemcpyDtoH_v2", &copy_from }, { "cuMemsetD8_v2", &set },
	{ "cuStreamCreate", &stream_create },
	{ "cuStreamSynchronize", &stream_synchronize },
	{ "cuStreamBeginCapture_v2", &begin_capture },
	{ "cuStreamEndCapture", &end_capture },
	{ "cuGraphInstantiateWithFlags", &instantiate },
	{ "cuGraphLaunch", &graph_launch },
	{ "cuModuleLoad", &module_load },
	{ "cuModuleGetFunction", &module_function },
	{ "cuFuncSetAttribute", &function_set },
	{ "cuLaunchKernel", &launch }
};

static void stop(const char *what, int status)
{
	printf("FAIL %s: %d: %s\n", what, status, cetane_last_error());
	exit(1);
}

#define OK(call) \
	do { \
		int ok_status = (call); \
		if (ok_status) \
			stop(#call, ok_status); \
	} while (0)

static void look_up(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW), *p;
	size_t i;

	for (i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		p = lib ? dlsym(lib, entry[i].name) : NULL;
		if (!p)
			stop(entry[i].name, -1);
		memcpy(entry[i].slot, &p, sizeof(p));
	}
}

/* ----------------------------------------------------------------- matrices */

static float *random_matrix(int n, unsigned seed, float **device)
{
	float *x = malloc((size_t) n * sizeof(*x));
	uint64_t p;
	int i;

	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		x[i] = (float) (seed >> 20) / 2048 - 1;
	}
	OK(allocate(&p, (size_t) n * sizeof(*x)));
	OK(copy_to(p, x, (size_t) n * sizeof(*x)));
	*device = (float *) (uintptr_t) p;
	return x;
}

/* c += a * b for a[m,k], b[k,n]. */
static void add_product(float *c, const float *a, const float *b, int m,
	int k, int n)
{
	int i, j, l;

	for (i = 0; i < m; i++)
		for (l = 0; l < k; l++)
			for (j = 0; j < n; j++)
				c[i * n + j] += a[i * k + l] * b[l * n + j];
}

/* Fetch "device", which must be near "want", and wipe it. */
static void compare(const char *what, float *device, const float *want, int n)
{
	size_t size = (size_t) n * sizeof(*want);
	float *x = malloc(size);
	int i;

	OK(copy_from(x, (uintptr_t) device, size));
	OK(set((uintptr_t) device, 0xff, size));
	for (i = 0; i < n; i++)
		if (!(fabsf(x[i] - want[i]) < 2e-3f * (1 + fabsf(want[i]))))
			stop(what, i);
	free(x);
}

/* -------------------------------------------------------------------- checks */

struct fig2_data {
	float *a, *b, *c, *e, *want;
};

static struct fig2_data make_fig2(void)
{
	struct fig2_data d;
	float *a = random_matrix(M * K, 1, &d.a);
	float *b = random_matrix(K * N, 2, &d.b);

	d.want = random_matrix(M * N, 3, &d.c);
	free(random_matrix(M * N, 4, &d.e));
	add_product(d.want, a, b, M, K, N);
	free(a);
	free(b);
	return d;
}

static int call_fig2(const struct fig2_data *d, void *stream)
{
	return fig2(stream, M, K, N, d->a, d->b, d->c, d->e, NULL);
}

static void check_capture(const struct fig2_data *d, void *stream)
{
	void *graph, *exec;

	OK(begin_capture(stream, 0));
	if (call_fig2(d, stream) != CETANE_NOT_LOADED)
		stop("a launch that is not loaded, in a capture", 0);
	OK(end_capture(stream, &graph));
	OK(fig2_load());
	OK(begin_capture(stream, 0));
	OK(call_fig2(d, stream));
	OK(end_capture(stream, &graph));
	OK(instantiate(&exec, graph, 0));
	OK(graph_launch(exec, stream));
	OK(stream_synchronize(stream));
	compare("the graph's result", d->e, d->want, M * N);
	printf("captured into a graph\n");
}

static void check_chain(void)
{
	float *dx, *dy, *dw, *dz, *t = calloc(M * N, sizeof(*t));
	float *x = random_matrix(M * K, 5, &dx);
	float *y = random_matrix(K * N, 6, &dy);
	float *w = random_matrix(N * K, 7, &dw), *z = calloc(M * K, 4);
	uint64_t work;

	free(random_matrix(M * K, 8, &dz));
	OK(allocate(&work, (size_t) chain_workspace_size(M, K, N)));
	OK(chain_checked(NULL, M, K, N, dw, dx, dy, dz,
		(void *) (uintptr_t) work));
	OK(ctx_synchronize());
	add_product(t, x, y, M, K, N);
	add_product(z, t, w, M, N, K);
	compare("chain", dz, z, M * K);
	free(t);
	free(x);
	free(y);
	free(w);
	free(z);
	printf("chain with a workspace\n");
}

/* The same in a second context, and again where its address may come back. */
static void check_contexts(void *first)
{
	struct fig2_data d;
	void *ctx;
	int i;

	for (i = 0; i < 3; i++) {
		OK(ctx_create(&ctx, 0, 0));
		d = make_fig2();
		OK(call_fig2(&d, NULL));
		OK(ctx_synchronize());
		compare("another context", d.e, d.want, M * N);
		free(d.want);
		if (i != 1)
			OK(fig2_unload());
		OK(ctx_destroy(ctx));
	}
	OK(ctx_set(first));
	printf("contexts\n");
}

/* --------------------------------------------------------------------- time */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static double median(double *x)
{
	qsort(x, ROUNDS, sizeof(*x), by_size);
	return x[ROUNDS / 2];
}

/* "word": file, block and bytes of shared memory of the bare kernel. */
static void measure(const struct fig2_data *d, void *stream, char **word)
{
	unsigned x = (unsigned) atoi(word[1]), y = (unsigned) atoi(word[2]);
	unsigned shared = (unsigned) atoi(word[3]);
	int64_t size[3] = { 1, 1, 1 };
	void *args[] = { (void *) &d->a, (void *) &d->b, (void *) &d->c,
		(void *) &d->e, &size[0], &size[1], &size[2] };
	static double bare[ROUNDS], ours[ROUNDS];
	void *mod, *fn;
	double t;
	int i, k;

	OK(module_load(&mod, word[0]));
	OK(module_function(&fn, mod, "fig2_E"));
	OK(function_set(fn, MOST_DYNAMIC_SHARED, (int) shared));
	for (i = 0; i < ROUNDS; i++) {
		for (k = 0, t = now(); k < BATCH; k++)
			OK(launch(fn, 1, 1, 1, x, y, 1, shared, stream, args,
				NULL));
		bare[i] = (now() - t) / BATCH;
		OK(stream_synchronize(stream));
		for (k = 0, t = now(); k < BATCH; k++)
			OK(fig2(stream, 1, 1, 1, d->a, d->b, d->c, d->e,
				NULL));
		ours[i] = (now() - t) / BATCH;
		OK(stream_synchronize(stream));
	}
	t = median(bare);
	printf("cuLaunchKernel %.3f us, fig2 %.3f us: %.3f us more\n", t,
		median(ours), median(ours) - t);
}

int main(int argc, char **argv)
{
	void *ctx, *stream;
	struct fig2_data d;

	if (argc != 5)
		return 2;
	look_up();
	OK(init(0));
	if (fig2_load() != CETANE_NO_CONTEXT)
		stop("fig2_load without a context", 0);
	OK(ctx_create(&ctx, 0, 0));
	OK(stream_create(&stream, 1));
	d = make_fig2();
	check_capture(&d, stream);
	OK(call_fig2(&d, NULL));
	OK(ctx_synchronize());
	compare("fig2", d.e, d.want, M * N);
	check_chain();
	check_contexts(ctx);
	measure(&d, stream, argv + 1);
	OK(fig2_unload());
	OK(chain_unload());
	printf("all right\n");
	free(d.want);
	return 0;
}
