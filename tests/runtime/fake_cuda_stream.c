/* The fake driver's memory, streams, clock, graphs and launches (fake_cuda.c).
 *
 * Time is told by a clock of its own: a launch takes FAKE_CUDA_LAUNCH_MS, and
 * FAKE_CUDA_THREAD_MS for each thread of a block, a copy from device to device
 * FAKE_CUDA_COPY_MS, one to or from the host FAKE_CUDA_HOST_MS, and fake_cuda_spend is
 * for others. Without the first, every two events are 1.5 ms apart. What is captured
 * into a graph runs at once, once; the graph takes as long as that took.
 * FAKE_CUDA_KERNELS is a library whose function fake_kernel runs launches of three
 * arguments. FAKE_CUDA_LAUNCHES is a file to which each launch adds a line: the
 * function's name, as far as it fits, grid and block.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_cuda_object.h"

/* ----------------------------------------------------------------- memory */

int cuMemAlloc_v2(uint64_t *ptr, size_t size)
{
	int r = fake_begin_inside("cuMemAlloc");
	struct object *o;

	*ptr = 0xbad;
	if (r == 0) {
		o = fake_add(ALLOCATION);
		o->size = size;
		o->memory = aligned_alloc(256, (size + 255) & ~(size_t) 255);
		*ptr = (uintptr_t) o->memory;
	}
	return fake_end(r);
}

size_t fake_cuda_size(uint64_t ptr)
{
	struct object **o = fake_find((void *) (uintptr_t) ptr, ALLOCATION);

	return o ? (*o)->size : 0;
}

/* The allocation that "ptr" lies in, or NULL. */
static const struct object *allocation_of(uint64_t ptr)
{
	const struct object *o = fake_alive;

	while (o && (o->kind != ALLOCATION || o->ctx != fake_current() ||
		ptr - (uintptr_t) o->memory >= o->size))
		o = o->next;
	return o;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t ptr)
{
	int r = fake_begin_inside("cuMemGetAddressRange");
	const struct object *o = r == 0 ? allocation_of(ptr) : NULL;
	size_t page = fake_cuda.page, at;

	*base = 0xbad;
	*size = 7;
	if (r == 0 && !o && fake_cuda.any_memory) {
		*base = 0;
		*size = SIZE_MAX;
	} else if (r == 0 && !o) {
		r = NOT_FOUND;
	}
	if (o) {
		at = ptr - (uintptr_t) o->memory;
		at = page ? at / page * page : 0;
		*base = (uintptr_t) o->memory + at;
		*size = page && page < o->size - at ? page : o->size - at;
	}
	return fake_end(r);
}

int cuMemFree_v2(uint64_t ptr)
{
	return fake_destroy("cuMemFree", (void *) (uintptr_t) ptr, ALLOCATION);
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	int r = fake_begin_inside("cuMemGetInfo");

	*unused = *total = r ? 3 : (size_t) 8 << 30;
	return fake_end(r);
}

int cuMemHostAlloc(void **ptr, size_t size, unsigned flags)
{
	int r = fake_begin_inside("cuMemHostAlloc");

	(void) flags;
	*ptr = r ? (void *) 0xbad : malloc(size);
	return fake_end(r);
}

int cuMemFreeHost(void *ptr)
{
	int r = fake_begin_inside("cuMemFreeHost");

	free(ptr);
	return fake_end(r);
}

static double cost(const char *variable)
{
	const char *text = getenv(variable);

	return text ? atof(text) : 0;
}

/* A call on "stream"; the locked part of it. */
static int begin_on(const char *name, void *stream)
{
	int r = fake_begin_inside(name);

	fake_cuda.stream = stream;
	return r;
}

int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t size,
	void *stream)
{
	int r = begin_on("cuMemcpyHtoDAsync", stream);

	if (r == 0)
		memcpy((void *) (uintptr_t) dst, src, size);
	fake_cuda.ms += r ? 0 : cost("FAKE_CUDA_HOST_MS");
	return fake_end(r);
}

int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t size, void *stream)
{
	int r = begin_on("cuMemcpyDtoHAsync", stream);

	if (r == 0)
		memcpy(dst, (void *) (uintptr_t) src, size);
	fake_cuda.ms += r ? 0 : cost("FAKE_CUDA_HOST_MS");
	return fake_end(r);
}

int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t size,
	void *stream)
{
	int r = begin_on("cuMemsetD8Async", stream);

	if (r == 0)
		memset((void *) (uintptr_t) dst, value, size);
	return fake_end(r);
}

/* ------------------------------------------------------ streams and events */

int cuStreamCreate(void **stream, unsigned flags)
{
	pthread_mutex_lock(&fake_lock);
	fake_cuda.stream_flags = flags;
	pthread_mutex_unlock(&fake_lock);
	return fake_make("cuStreamCreate", stream, STREAM);
}

int cuStreamDestroy_v2(void *stream)
{
	return fake_destroy("cuStreamDestroy", stream, STREAM);
}

int cuStreamSynchronize(void *stream)
{
	return fake_end(begin_on("cuStreamSynchronize", stream));
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	int r = begin_on("cuStreamWaitEvent", stream);

	if (r == 0 && flags)
		r = 1;
	fake_cuda.waits += r == 0;
	return fake_end(r ? r : fake_find(event, EVENT) ? 0 : INVALID_HANDLE);
}

int cuStreamIsCapturing(void *stream, int *status)
{
	int r = begin_on("cuStreamIsCapturing", stream);

	*status = r ? -1 : fake_cuda.capturing;
	return fake_end(r);
}

int cuEventCreate(void **event, unsigned flags)
{
	(void) flags;
	return fake_make("cuEventCreate", event, EVENT);
}

int cuEventDestroy_v2(void *event)
{
	return fake_destroy("cuEventDestroy", event, EVENT);
}

int cuEventRecord(void *event, void *stream)
{
	int r = fake_begin_inside("cuEventRecord");
	struct object **o = fake_find(event, EVENT);

	fake_cuda.stream = stream;
	if (r == 0 && o)
		(*o)->ms = fake_cuda.ms;
	return fake_end(r ? r : o ? 0 : INVALID_HANDLE);
}

int cuEventSynchronize(void *event)
{
	return fake_use("cuEventSynchronize", event, EVENT);
}

int cuEventElapsedTime(float *ms, void *start, void *stop)
{
	int r = fake_begin_inside("cuEventElapsedTime");
	struct object **a = fake_find(start, EVENT), **b = fake_find(stop, EVENT);

	if (r == 0 && (!a || !b))
		r = INVALID_HANDLE;
	*ms = r ? -1.0f : getenv("FAKE_CUDA_LAUNCH_MS") ?
		(float) ((*b)->ms - (*a)->ms) : 1.5f;
	return fake_end(r);
}

/* --------------------------------------------------------- clock and graphs */

void fake_cuda_spend(double ms)
{
	pthread_mutex_lock(&fake_lock);
	fake_cuda.ms += ms;
	pthread_mutex_unlock(&fake_lock);
}

int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t size, void *stream)
{
	int r = begin_on("cuMemcpyDtoDAsync", stream);

	if (r == 0)
		memmove((void *) (uintptr_t) dst, (void *) (uintptr_t) src,
			size);
	fake_cuda.ms += r ? 0 : cost("FAKE_CUDA_COPY_MS");
	return fake_end(r);
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
	int r = begin_on("cuStreamBeginCapture", stream);

	(void) mode;
	if (r == 0 && fake_cuda.capturing)
		r = 900;
	if (r == 0) {
		fake_cuda.capturing = 1;
		fake_cuda.captured_at = fake_cuda.ms;
	}
	return fake_end(r);
}

int cuStreamEndCapture(void *stream, void **graph)
{
	int r = begin_on("cuStreamEndCapture", stream);
	struct object *o;

	*graph = NULL;
	if (!fake_cuda.capturing)
		return fake_end(r ? r : 901);
	fake_cuda.capturing = 0;
	if (r == 0) {
		o = fake_add(GRAPH);
		o->ms = fake_cuda.ms - fake_cuda.captured_at;
		*graph = o;
	}
	fake_cuda.ms = fake_cuda.captured_at;
	return fake_end(r);
}

int cuGraphInstantiateWithFlags(void **exec, void *graph,
	unsigned long long flags)
{
	int r = fake_begin_inside("cuGraphInstantiate");
	struct object **from = fake_find(graph, GRAPH), *o;

	if (r == 0 && (!from || flags))
		r = INVALID_HANDLE;
	*exec = (void *) 0xbad;
	if (r == 0) {
		double ms = (*from)->ms;

		o = fake_add(GRAPH);
		o->ms = ms;
		*exec = o;
	}
	return fake_end(r);
}

int cuGraphLaunch(void *exec, void *stream)
{
	int r = begin_on("cuGraphLaunch", stream);
	struct object **o = fake_find(exec, GRAPH);

	if (r == 0 && !o)
		r = INVALID_HANDLE;
	if (r == 0)
		fake_cuda.ms += (*o)->ms;
	return fake_end(r);
}

int cuGraphDestroy(void *graph)
{
	return fake_destroy("cuGraphDestroy", graph, GRAPH);
}

int cuGraphExecDestroy(void *exec)
{
	return fake_destroy("cuGraphExecDestroy", exec, GRAPH);
}

/* ----------------------------------------------------------------- launch */

#ifndef FAKE_CUDA_OLD
static void note_args(struct fake_launch *l, void **args)
{
	int i;

	if (fake_cuda.n_arg == 0) {
		memcpy(&fake_cuda.arg0, args[0], sizeof(fake_cuda.arg0));
		memcpy(&fake_cuda.arg1, args[1], sizeof(fake_cuda.arg1));
	}
	for (i = 0; i < fake_cuda.n_arg; i++)
		memcpy(&l->arg[i], args[i], sizeof(l->arg[i]));
}

/* Let the library of the environment run launches, if there is one. */
static void find_kernels(void)
{
	const char *path = getenv("FAKE_CUDA_KERNELS");
	void *lib = path && !fake_cuda.kernel ? dlopen(path, RTLD_NOW) : NULL;
	void *sym = lib ? dlsym(lib, "fake_kernel") : NULL;

	if (!sym)
		return;
	memcpy(&fake_cuda.kernel, &sym, sizeof(sym));
	fake_cuda.n_arg = 3;
}

/* Tell the launch to the file of the environment, if there is one. */
static void log_launch(const struct fake_launch *l)
{
	const char *path = getenv("FAKE_CUDA_LAUNCHES");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%.*s %u %u %u %u %u\n", (int) sizeof(l->name) - 1,
		l->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1]);
	fclose(f);
}

static const char ex[] = "cuLaunchKernelEx";

/* The shape of a launch that is made with "name". */
static int launch(const char *name, void *fn, const unsigned *grid,
	const unsigned *block, unsigned shared, void *stream, void **args)
{
	int r = fake_begin_inside(name);
	struct object **f = fake_find(fn, FUNCTION);
	void (*kernel)(const struct fake_launch *l);
	struct fake_launch *l, own;

	if (!f)
		return fake_end(r ? r : 1);
	if (r)
		return fake_end(r);
	find_kernels();
	memcpy(fake_cuda.grid, grid, 12);
	memcpy(fake_cuda.block, block, 12);
	fake_cuda.shared = shared;
	fake_cuda.stream = stream;
	l = &fake_cuda.launch[fake_cuda.launches++ % FAKE_LAUNCHES];
	*l = (struct fake_launch) { .shared = shared, .stream = stream,
		.ctx = (*f)->ctx };
	memcpy(l->grid, grid, 12);
	memcpy(l->block, block, 12);
	memcpy(l->name, (*f)->name, sizeof(l->name));
	note_args(l, args);
	fake_cuda.early += name == ex;
	log_launch(l);
	fake_cuda.ms += cost("FAKE_CUDA_LAUNCH_MS") +
		block[0] * block[1] * cost("FAKE_CUDA_THREAD_MS");
	own = *l;
	kernel = fake_cuda.kernel;
	fake_end(0);
	/* It may call the driver. */
	if (kernel)
		kernel(&own);
	return 0;
}

int cuLaunchKernel(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args, void **extra)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };

	return extra ? 1 : launch("cuLaunchKernel", fn, grid, block, shared,
		stream, args);
}

/* With the one attribute that blocks may begin early. */
int cuLaunchKernelEx(const void *config, void *fn, void **args, void **extra)
{
	const struct {
		unsigned grid[3], block[3], shared;
		void *stream;
		const struct { int id, pad, value; } *attribute;
		unsigned n;
	} *c = config;

	if (extra || c->n != 1 || c->attribute->id != 6 ||
	    c->attribute->value != 1)
		return 1;
	return launch(ex, fn, c->grid, c->block, c->shared, c->stream, args);
}

int cuLaunchCooperativeKernel(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };

	return launch("cuLaunchCooperativeKernel", fn, grid, block, shared,
		stream, args);
}

/* A map is the bytes of its boxes here. */
int cuTensorMapEncodeTiled(void *map, int type, uint32_t n_dim, void *base,
	const uint64_t *size, const uint64_t *stride, const uint32_t *box,
	const uint32_t *step, int interleave, int swizzle, int promotion, int fill)
{
	int r = fake_begin_inside("cuTensorMapEncodeTiled");
	int ok = base && size && stride && step && type >= 0 && !interleave &&
		swizzle == 3 && promotion == 3 && !fill;

	if (!r && ok)
		memcpy(map, box, n_dim * sizeof(*box));
	return fake_end(r ? r : !ok);
}

/* A map of pixels is the corners of its boxes. */
int cuTensorMapEncodeIm2col(void *map, int type, uint32_t n_dim, void *base,
	const uint64_t *size, const uint64_t *stride, const int *low, const int *high,
	uint32_t columns, uint32_t pixels, const uint32_t *step, int interleave,
	int swizzle, int promotion, int fill)
{
	int r = fake_begin_inside("cuTensorMapEncodeIm2col");
	int ok = base && size && stride && step && type >= 0 && !interleave &&
		swizzle == 3 && promotion == 3 && !fill && columns && pixels &&
		n_dim >= 3 && n_dim <= 5;

	if (!r && ok) {
		memcpy(map, low, (n_dim - 2) * sizeof(*low));
		memcpy((int *) map + n_dim - 2, high, (n_dim - 2) * sizeof(*high));
	}
	return fake_end(r ? r : !ok);
}
#endif

/* ------------------------------------------------------------------ texts */

/* Asked only after a failure, these can be told to fail, too. */
static int text_of(const char *name, int error, const char *known,
	const char **text)
{
	int r;

	pthread_mutex_lock(&fake_lock);
	r = fake_cuda.fail_name && strcmp(fake_cuda.fail_name, name) == 0 ?
		fake_cuda.result : 0;
	*text = r || error == 999 ? NULL : known;
	return fake_end(r);
}

int cuGetErrorName(int error, const char **text)
{
	return text_of("cuGetErrorName", error, "FAKE_ERROR", text);
}

int cuGetErrorString(int error, const char **text)
{
	return text_of("cuGetErrorString", error, "the script says so", text);
}
