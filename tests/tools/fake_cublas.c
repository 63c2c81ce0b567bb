/* A cuBLAS for tests, and kernels for the fake CUDA driver: both multiply
 * matrices on the host. As libnvidia-ml.so.1 it tells clocks, too.
 *
 * Each product takes FAKE_CUBLAS_MS of the driver's clock. FAKE_CUBLAS_FAIL
 * names a function that fails, FAKE_CUBLAS_WRONG makes the element of that
 * number wrong. The kernels compute C = A * B in the sizes that the arrays
 * have, or the sum of arrays if they are called so; with FAKE_KERNEL_WRONG the
 * element of that number is wrong, and with FAKE_KERNEL_IDLE those of that many
 * threads a block write nothing. With FAKE_KERNEL_BF16 their arrays are of bf16.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/fake_cuda.h"

/* The entry points that must be there, but are not called. */
#define MISSING(name) \
	int name(void); \
	int name(void) { return 1; }
MISSING(cublasSgemv_v2)
MISSING(cublasDgemm_v2)
MISSING(cublasDgemv_v2)
MISSING(cublasDger_v2)
MISSING(cublasDcopy_v2)
MISSING(cublasDsymm_v2)
MISSING(cublasDsyrk_v2)
MISSING(cublasDsyr2k_v2)
#ifndef FAKE_CUBLAS_OLD
MISSING(cublasDtrmm_v2)
#endif

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGetVersion_v2(void *handle, int *version);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, uint64_t ptr, size_t size);
int cublasSetMathMode(void *handle, int mode);
int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k,
	const float *alpha, uint64_t a, int lda, uint64_t b, int ldb,
	const float *beta, uint64_t c, int ldc);
void fake_kernel(const struct fake_launch *l);

/* The management library: what it knows of its one device. */
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **dev);
int nvmlDeviceGetClockInfo(void *dev, int kind, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *dev, unsigned *mw);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *dev,
	unsigned long long *mask);

static int the_handle;

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **dev)
{
	*dev = &the_handle;
	return strcmp(id, "0000:46:00.0") != 0;
}

int nvmlDeviceGetClockInfo(void *dev, int kind, unsigned *mhz)
{
	*mhz = 1410;
	return dev != &the_handle || kind != 1;
}

int nvmlDeviceGetPowerUsage(void *dev, unsigned *mw)
{
	*mw = 321900;
	return dev != &the_handle;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *dev,
	unsigned long long *mask)
{
	*mask = 0x4;
	return dev != &the_handle;
}

static int script(const char *name)
{
	const char *fail = getenv("FAKE_CUBLAS_FAIL");

	return fail && !strcmp(fail, name) ? 13 : 0;
}

int cublasCreate_v2(void **handle)
{
	*handle = script("cublasCreate") ? NULL : &the_handle;
	return script("cublasCreate");
}

int cublasDestroy_v2(void *handle)
{
	return handle != &the_handle;
}

int cublasGetVersion_v2(void *handle, int *version)
{
	*version = 130100;
	return handle != &the_handle;
}

int cublasSetStream_v2(void *handle, void *stream)
{
	return handle != &the_handle || !stream;
}

int cublasSetWorkspace_v2(void *handle, uint64_t ptr, size_t size)
{
	return handle != &the_handle || !ptr || size != 32 << 20;
}

int cublasSetMathMode(void *handle, int mode)
{
	return handle != &the_handle || mode != 0;
}

/* C(i,j) = sum of A(i,k) B(k,j), each with the steps given. */
static void multiply(const int *n, const float *a, const int64_t *step_a,
	const float *b, const int64_t *step_b, float *c, int64_t ldc)
{
	int64_t i, j, k;
	double sum;

	for (i = 0; i < n[0]; i++)
		for (j = 0; j < n[1]; j++) {
			sum = 0;
			for (k = 0; k < n[2]; k++)
				sum += (double)a[i * step_a[0] +
					k * step_a[1]] *
					(double)b[k * step_b[0] +
					j * step_b[1]];
			c[i + j * ldc] = (float)sum;
		}
}

static void spoil(float *c, const char *variable)
{
	const char *text = getenv(variable);

	if (text)
		c[atoi(text)] += 1;
}

/* The function "name" of the driver. */
static void *of_driver(const char *name)
{
	void *driver = dlopen(getenv("CETANE_DRIVER"), RTLD_NOW);

	return driver ? dlsym(driver, name) : NULL;
}

static void spend(void)
{
	const char *ms = getenv("FAKE_CUBLAS_MS");
	void *sym = of_driver("fake_cuda_spend");
	void (*fn)(double);

	memcpy(&fn, &sym, sizeof(fn));
	if (ms && fn)
		fn(atof(ms));
}

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k,
	const float *alpha, uint64_t a, int lda, uint64_t b, int ldb,
	const float *beta, uint64_t c, int ldc)
{
	const int size[3] = { m, n, k };
	const int64_t step_a[2] = { op_a ? lda : 1, op_a ? 1 : lda };
	const int64_t step_b[2] = { op_b ? ldb : 1, op_b ? 1 : ldb };

	if (handle != &the_handle || *alpha != 1 || *beta != 0)
		return 7;
	spend();
	multiply(size, (float *)(uintptr_t)a, step_a, (float *)(uintptr_t)b,
		step_b, (float *)(uintptr_t)c, ldc);
	spoil((float *)(uintptr_t)c, "FAKE_CUBLAS_WRONG");
	return script("cublasSgemm");
}

static void add_up(const struct fake_launch *l, size_t n)
{
	const float *x = (float *)(uintptr_t)l->arg[0];
	const float *z = (float *)(uintptr_t)l->arg[1];
	float *y = (float *)(uintptr_t)l->arg[2];
	size_t i;

	for (i = 0; i < n; i++)
		y[i] = x[i] + z[i];
}

/* The "n" numbers of bf16 at "from", as f32; the caller frees them. */
static float *widen(uint64_t from, size_t n)
{
	const uint16_t *half = (uint16_t *)(uintptr_t)from;
	float *wide = calloc(n + 1, sizeof(*wide));
	size_t i;

	if (!wide)
		abort();
	for (i = 0; i < n; i++) {
		uint32_t bits = (uint32_t)half[i] << 16;

		memcpy(&wide[i], &bits, sizeof(bits));
	}
	return wide;
}

/* Store the "n" numbers "wide", which are freed, as bf16, to the nearest, to even. */
static void narrow(float *wide, uint64_t to, size_t n)
{
	uint16_t *half = (uint16_t *)(uintptr_t)to;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &wide[i], sizeof(bits));
		half[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
	}
	free(wide);
}

/* In row-major order: the transposes multiply the other way round. Of the
 * sizes, M^2 is |A| |C| / |B|, and so on.
 */
void fake_kernel(const struct fake_launch *l)
{
	const char *idle = getenv("FAKE_KERNEL_IDLE");
	void *sym = of_driver("fake_cuda_size");
	size_t (*fn)(uint64_t);
	double elements[3];
	bool half = getenv("FAKE_KERNEL_BF16") != NULL;
	int64_t step_a[2] = { 1, 0 }, step_b[2] = { 1, 0 };
	float *array[3];
	int size[3], i;

	memcpy(&fn, &sym, sizeof(fn));
	if (idle && l->block[0] * l->block[1] == (unsigned)atoi(idle))
		return;
	if (strstr(l->name, "add")) {
		add_up(l, fn(l->arg[0]) / 4);
		return;
	}
	for (i = 0; i < 3; i++) {
		elements[i] = (double)fn(l->arg[i]) / (half ? 2 : 4);
		array[i] = half ? widen(l->arg[i], (size_t)elements[i]) :
			(float *)(uintptr_t)l->arg[i];
	}
	size[0] = (int)sqrt(elements[1] * elements[2] / elements[0]);
	size[1] = (int)sqrt(elements[0] * elements[2] / elements[1]);
	size[2] = (int)sqrt(elements[0] * elements[1] / elements[2]);
	step_a[1] = size[0];
	step_b[1] = size[2];
	multiply(size, array[1], step_a, array[0], step_b, array[2], size[0]);
	spoil(array[2], "FAKE_KERNEL_WRONG");
	if (!half)
		return;
	narrow(array[2], l->arg[2], (size_t)elements[2]);
	free(array[0]);
	free(array[1]);
}
