/* A CUDA driver for tests: a library with the entry points that the runtime
 * looks up. It counts what is alive, notes what it was given, and fails where
 * the test says. Device memory is memory of the process. In the environment,
 * FAKE_CUDA_CAPABILITY gives the compute capability, 75 for 7.5,
 * FAKE_CUDA_VERSION that of the driver, FAKE_CUDA_DEVICES their number, and
 * FAKE_CUDA_FAIL an entry point that fails.
 *
 * With FAKE_CUDA_OLD, one entry point is missing.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <stddef.h>
#include "fake_cuda.h"

struct fake_cuda fake_cuda = { .device_count = 1 };

/* The prototypes, from the table that the runtime reads. */
#define DRIVER(name, symbol, params) int symbol params;
#define OPTIONAL(name, symbol, params) int symbol params;
#include "../../runtime/driver.def"
#undef DRIVER
#undef OPTIONAL

/* Count a call and return what the script says of it. */
static int script(const char *name)
{
	const char *fail = getenv("FAKE_CUDA_FAIL");

	fake_cuda.calls++;
	if (fail && strcmp(fail, name) == 0)
		return 999;
	if ((fake_cuda.fail_at && --fake_cuda.fail_at == 0) ||
		(fake_cuda.fail_name &&
			strcmp(fake_cuda.fail_name, name) == 0)) {
		fake_cuda.last = name;
		return fake_cuda.result;
	}
	return 0;
}

/* The same for a call that needs a context. */
static int in_context(const char *name)
{
	if (fake_cuda.pushed == 0)
		fake_cuda.no_context++;
	return script(name);
}

/* A handle is the address of a byte of its own, so that leaks are seen. */
static int make(const char *name, void **handle, int *count)
{
	int r = in_context(name);

	if (r == 0) {
		*handle = malloc(1);
		++*count;
	}
	return r;
}

/* What is destroyed is gone, even if the call reports a failure. */
static int destroy(const char *name, void *handle, int *count)
{
	int r = in_context(name);

	free(handle);
	--*count;
	return r;
}

int cuInit(unsigned flags)
{
	return flags ? 1 : script("cuInit");
}

int cuDriverGetVersion(int *version)
{
	const char *text = getenv("FAKE_CUDA_VERSION");

	*version = text ? atoi(text) : 12080;
	return script("cuDriverGetVersion");
}

int cuDeviceGetCount(int *n)
{
	const char *text = getenv("FAKE_CUDA_DEVICES");

	if (text)
		fake_cuda.device_count = atoi(text);
	*n = fake_cuda.device_count;
	return script("cuDeviceGetCount");
}

int cuDeviceGet(int *dev, int ordinal)
{
	int r = script("cuDeviceGet");

	if (r == 0 && ordinal >= fake_cuda.device_count)
		return 101;
	*dev = 70 + ordinal;
	return r;
}

int cuDeviceGetName(char *name, int len, int dev)
{
	snprintf(name, len, "Fake GPU %d", dev - 70);
	return script("cuDeviceGetName");
}

int cuDeviceGetAttribute(int *value, int attribute, int dev)
{
	const char *text = getenv("FAKE_CUDA_CAPABILITY");
	int capability = text ? atoi(text) : 121;

	(void) dev;
	*value = attribute == 75 ? capability / 10 :
		attribute == 76 ? capability % 10 : -1;
	return script("cuDeviceGetAttribute");
}

int cuDeviceTotalMem_v2(size_t *size, int dev)
{
	*size = (size_t) (dev - 69) << 33;
	return script("cuDeviceTotalMem");
}

int cuDevicePrimaryCtxRetain(void **ctx, int dev)
{
	int r = script("cuDevicePrimaryCtxRetain");

	if (r == 0) {
		*ctx = &fake_cuda.contexts;
		fake_cuda.contexts += dev >= 70;
	}
	return r;
}

int cuDevicePrimaryCtxRelease_v2(int dev)
{
	fake_cuda.contexts -= dev >= 70;
	return script("cuDevicePrimaryCtxRelease");
}

int cuCtxPushCurrent_v2(void *ctx)
{
	if (fake_cuda.fail_name &&
		strcmp(fake_cuda.fail_name, "cuCtxPushCurrent") == 0)
		return fake_cuda.result;
	fake_cuda.pushed += ctx == &fake_cuda.contexts ||
		(ctx && ctx == fake_cuda.current);
	return 0;
}

int cuCtxGetCurrent(void **ctx)
{
	*ctx = fake_cuda.current;
	return script("cuCtxGetCurrent");
}

int cuCtxGetDevice(int *dev)
{
	*dev = 70;
	return script("cuCtxGetDevice");
}

int cuCtxGetId(void *ctx, unsigned long long *id)
{
	*id = ctx == fake_cuda.current ? fake_cuda.context_id : 0;
	return script("cuCtxGetId");
}

int cuStreamIsCapturing(void *stream, int *status)
{
	fake_cuda.stream = stream;
	*status = fake_cuda.capturing;
	return 0;
}

int cuCtxPopCurrent_v2(void **ctx)
{
	*ctx = &fake_cuda.contexts;
	fake_cuda.pushed--;
	return 0;
}

int cuCtxSynchronize(void)
{
	return in_context("cuCtxSynchronize");
}

int cuModuleLoadDataEx(void **mod, const void *image, unsigned n, int *option,
	void **value)
{
	unsigned i, buffer = n, size = n;

	for (i = 0; i < n; i++) {
		if (option[i] == 5)
			buffer = i;
		if (option[i] == 6)
			size = i;
	}
	if (buffer == n || size == n)
		return 1;
	fake_cuda.loaded = image;
	snprintf(fake_cuda.image, sizeof(fake_cuda.image), "%s",
		(const char *) image);
	if (fake_cuda.log)
		snprintf(value[buffer], (size_t) (uintptr_t) value[size], "%s",
			fake_cuda.log);
	return make("cuModuleLoadDataEx", mod, &fake_cuda.modules);
}

int cuModuleUnload(void *mod)
{
	return destroy("cuModuleUnload", mod, &fake_cuda.modules);
}

int cuModuleGetFunction(void **fn, void *mod, const char *name)
{
	int r = in_context("cuModuleGetFunction");

	(void) mod;
	if (r == 0 && strcmp(name, "missing") == 0)
		return 500;
	*fn = &fake_cuda.grid;
	return r;
}

int cuFuncSetAttribute(void *fn, int attribute, int value)
{
	int r = in_context("cuFuncSetAttribute");

	if (r == 0 && (fn != &fake_cuda.grid || attribute != 8))
		return 1;
	if (r == 0)
		fake_cuda.max_shared = value;
	return r;
}

int cuMemAlloc_v2(uint64_t *ptr, size_t size)
{
	int r = in_context("cuMemAlloc");

	if (r == 0) {
		*ptr = (uintptr_t) malloc(size);
		fake_cuda.allocations++;
	}
	return r;
}

int cuMemFree_v2(uint64_t ptr)
{
	return destroy("cuMemFree", (void *) (uintptr_t) ptr,
		&fake_cuda.allocations);
}

int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t size,
	void *stream)
{
	int r = in_context("cuMemcpyHtoDAsync");

	fake_cuda.stream = stream;
	if (r == 0)
		memcpy((void *) (uintptr_t) dst, src, size);
	return r;
}

int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t size, void *stream)
{
	int r = in_context("cuMemcpyDtoHAsync");

	fake_cuda.stream = stream;
	if (r == 0)
		memcpy(dst, (void *) (uintptr_t) src, size);
	return r;
}

int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t size,
	void *stream)
{
	int r = in_context("cuMemsetD8Async");

	fake_cuda.stream = stream;
	if (r == 0)
		memset((void *) (uintptr_t) dst, value, size);
	return r;
}

int cuStreamCreate(void **stream, unsigned flags)
{
	fake_cuda.stream_flags = flags;
	return make("cuStreamCreate", stream, &fake_cuda.streams);
}

int cuStreamDestroy_v2(void *stream)
{
	return destroy("cuStreamDestroy", stream, &fake_cuda.streams);
}

int cuStreamSynchronize(void *stream)
{
	fake_cuda.stream = stream;
	return in_context("cuStreamSynchronize");
}

int cuEventCreate(void **event, unsigned flags)
{
	(void) flags;
	return make("cuEventCreate", event, &fake_cuda.events);
}

int cuEventDestroy_v2(void *event)
{
	return destroy("cuEventDestroy", event, &fake_cuda.events);
}

int cuEventRecord(void *event, void *stream)
{
	(void) event;
	fake_cuda.stream = stream;
	return in_context("cuEventRecord");
}

int cuEventSynchronize(void *event)
{
	(void) event;
	return in_context("cuEventSynchronize");
}

int cuEventElapsedTime(float *ms, void *start, void *stop)
{
	(void) start;
	(void) stop;
	*ms = 1.5f;
	return in_context("cuEventElapsedTime");
}

#ifndef FAKE_CUDA_OLD
int cuLaunchKernel(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args, void **extra)
{
	int r = in_context("cuLaunchKernel");

	if (fn != &fake_cuda.grid || extra)
		return 1;
	if (r)
		return r;
	memcpy(fake_cuda.grid, (unsigned[]) { gx, gy, gz }, 12);
	memcpy(fake_cuda.block, (unsigned[]) { bx, by, bz }, 12);
	fake_cuda.shared = shared;
	fake_cuda.stream = stream;
	memcpy(&fake_cuda.arg0, args[0], sizeof(fake_cuda.arg0));
	memcpy(&fake_cuda.arg1, args[1], sizeof(fake_cuda.arg1));
	return 0;
}
#endif

int cuGetErrorName(int error, const char **text)
{
	*text = error == 999 ? NULL : "FAKE_ERROR";
	return 0;
}

int cuGetErrorString(int error, const char **text)
{
	*text = error == 999 ? NULL : "the script says so";
	return 0;
}
