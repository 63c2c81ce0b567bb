/* A CUDA driver for tests: a library with the entry points that the runtime
 * looks up. It knows what is alive and in which context, notes what it was
 * given, and fails where the test says; a call that fails leaves rubbish where
 * its result would be. Device memory is memory of the process. Any number of
 * threads may call it.
 *
 * In the environment, FAKE_CUDA_CAPABILITY gives the compute capability, 75
 * for 7.5, FAKE_CUDA_VERSION that of the driver, FAKE_CUDA_DEVICES their
 * number, and FAKE_CUDA_FAIL an entry point that fails. With FAKE_CUDA_OLD,
 * one entry point is missing.
 *
 * Time is told by a clock of its own: a launch takes FAKE_CUDA_LAUNCH_MS, and
 * FAKE_CUDA_THREAD_MS for each thread of a block, a copy from device to device FAKE_CUDA_COPY_MS, one to or from the host
 * FAKE_CUDA_HOST_MS, and fake_cuda_spend is for others. Without the first,
 * every two events are 1.5 ms apart. What is captured into a graph runs at
 * once, once; the graph takes as long as that took. FAKE_CUDA_KERNELS is a library whose function fake_kernel runs
 * launches of three arguments. FAKE_CUDA_LAUNCHES is a file to which each launch
 * adds a line: the function's name, as far as it fits, grid and block.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake_cuda.h"

enum { MAX_DEVICE = 8, MAX_CONTEXT = 16, MAX_PUSHED = 8, FIRST_DEVICE = 70 };
enum { CONTEXT_MISSING = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };

/* The prototypes, from the table that the runtime reads. */
#define DRIVER(name, symbol, params) int symbol params;
#define OPTIONAL(name, symbol, params) int symbol params;
#include "../../runtime/driver.def"
#undef DRIVER
#undef OPTIONAL
#define CUDA(name, symbol, params) int symbol params;
#include "../../tools/bench/bench_cuda.def"
#undef CUDA

static void set_current(void *ctx);
static int end_context(void *ctx);

struct fake_cuda fake_cuda = { .device_count = 1,
	.set_current = set_current, .end_context = end_context };

enum kind { MODULE, FUNCTION, ALLOCATION, STREAM, EVENT, GRAPH };

/* What is alive. A handle is the address of its object, but for memory. */
struct object {
	struct object *next;
	enum kind kind;
	void *ctx;
	struct object *module;	/* of a function */
	void *memory;		/* of an allocation, */
	size_t size;		/* its bytes */
	char name[32];		/* of a function */
	double ms;		/* the time of an event, the cost of a graph */
};

/* A context in which a call failed for good. */
struct broken {
	void *ctx;
	int result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *alive;
static struct broken broken[MAX_CONTEXT];
static int primary[MAX_DEVICE];		/* how often retained */
static _Thread_local void *own_context, *pushed[MAX_PUSHED];
static _Thread_local int n_pushed;

/* --------------------------------------------------------------- contexts */

static void *current(void)
{
	if (n_pushed)
		return pushed[n_pushed - 1];
	return own_context ? own_context : fake_cuda.current;
}

static void set_current(void *ctx)
{
	own_context = ctx;
}

static struct broken *find_broken(void *ctx)
{
	int i;

	for (i = 0; i < MAX_CONTEXT; i++)
		if (broken[i].ctx == ctx)
			return &broken[i];
	return NULL;
}

static int *count_of(enum kind kind)
{
	static int functions;

	return kind == GRAPH ? &fake_cuda.graphs :
		kind == MODULE ? &fake_cuda.modules :
		kind == ALLOCATION ? &fake_cuda.allocations :
		kind == STREAM ? &fake_cuda.streams :
		kind == EVENT ? &fake_cuda.events : &functions;
}

static void remove_object(struct object **link)
{
	struct object *o = *link;

	--*count_of(o->kind);
	*link = o->next;
	free(o->memory);
	free(o);
}

/* Remove what is in "ctx", or, if that is not NULL, what is of "module";
 * returns how much it was, without the functions.
 */
static int remove_all(void *ctx, const struct object *module)
{
	struct object **link = &alive;
	int n = 0;

	while (*link) {
		struct object *o = *link;

		if (module ? o->module == module : o->ctx == ctx) {
			n += o->kind != FUNCTION;
			remove_object(link);
		} else {
			link = &o->next;
		}
	}
	return n;
}

static int forget_context(void *ctx)
{
	struct broken *b = find_broken(ctx);

	if (b)
		*b = (struct broken) { NULL, 0 };
	return remove_all(ctx, NULL);
}

static int end_context(void *ctx)
{
	int n;

	pthread_mutex_lock(&lock);
	n = forget_context(ctx);
	pthread_mutex_unlock(&lock);
	return n;
}

/* ----------------------------------------------------------------- script */

/* What the script says of a call. */
static int script(const char *name)
{
	const char *fail = getenv("FAKE_CUDA_FAIL");

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

/* Begin a call: to be ended by "end". */
static int begin(const char *name)
{
	pthread_mutex_lock(&lock);
	fake_cuda.calls++;
	return script(name);
}

/* The same for a call that needs a context. */
static int begin_inside(const char *name)
{
	int r = begin(name);
	void *ctx = current();
	struct broken *b = find_broken(ctx);

	if (!ctx) {
		fake_cuda.no_context++;
		return r ? r : CONTEXT_MISSING;
	}
	if (b)
		return b->result;
	if (r && fake_cuda.sticky && (b = find_broken(NULL)))
		*b = (struct broken) { ctx, r };
	return r;
}

static int end(int r)
{
	pthread_mutex_unlock(&lock);
	return r;
}

/* ---------------------------------------------------------------- objects */

/* Where "handle" is linked, if it is alive and in the current context. */
static struct object **find(void *handle, enum kind kind)
{
	struct object **link;

	for (link = &alive; *link; link = &(*link)->next)
		if ((*link)->kind == kind && (*link)->ctx == current() &&
			(kind == ALLOCATION ? (*link)->memory :
				(void *) *link) == handle)
			return link;
	fake_cuda.misused++;
	return NULL;
}

static struct object *add(enum kind kind)
{
	struct object *o = calloc(1, sizeof(*o));

	o->kind = kind;
	o->ctx = current();
	o->next = alive;
	alive = o;
	++*count_of(kind);
	return o;
}

static int make(const char *name, void **handle, enum kind kind)
{
	int r = begin_inside(name);

	*handle = r ? (void *) 0xbad : add(kind);
	return end(r);
}

/* What is destroyed is gone, even if the call reports a failure. */
static int destroy(const char *name, void *handle, enum kind kind)
{
	int r = begin_inside(name);
	struct object **link = find(handle, kind);

	if (!link)
		return end(r ? r : INVALID_HANDLE);
	if (kind == MODULE)
		remove_all(NULL, *link);
	link = find(handle, kind);
	remove_object(link);
	return end(r);
}

/* A call on an object that stays. */
static int use(const char *name, void *handle, enum kind kind)
{
	int r = begin_inside(name);

	if (r == 0 && !find(handle, kind))
		r = INVALID_HANDLE;
	return end(r);
}

/* ------------------------------------------------------ driver and devices */

static int number(const char *variable, int otherwise)
{
	const char *text = getenv(variable);

	return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
	int r = begin("cuInit");

	return end(r ? r : flags != 0);
}

int cuDriverGetVersion(int *version)
{
	int r = begin("cuDriverGetVersion");

	*version = r ? -1 : number("FAKE_CUDA_VERSION", 12080);
	return end(r);
}

int cuDeviceGetCount(int *n)
{
	int r = begin("cuDeviceGetCount");

	fake_cuda.device_count = number("FAKE_CUDA_DEVICES",
		fake_cuda.device_count);
	*n = r ? -1 : fake_cuda.device_count;
	return end(r);
}

int cuDeviceGet(int *dev, int ordinal)
{
	int r = begin("cuDeviceGet");

	if (r == 0 && (ordinal < 0 || ordinal >= fake_cuda.device_count))
		r = 101;
	*dev = r ? -1 : FIRST_DEVICE + ordinal;
	return end(r);
}

int cuDeviceGetName(char *name, int len, int dev)
{
	int r = begin("cuDeviceGetName");

	snprintf(name, len, r ? "rubbish" : "Fake GPU %d",
		dev - FIRST_DEVICE);
	return end(r);
}

int cuDeviceGetAttribute(int *value, int attribute, int dev)
{
	int r = begin("cuDeviceGetAttribute");
	int capability = number("FAKE_CUDA_CAPABILITY", 121);

	(void) dev;
	*value = r ? -1 : attribute == 75 ? capability / 10 :
		attribute == 76 ? capability % 10 :
		attribute == 16 ? 100 : attribute == 13 ? 1500000 :
		attribute == 38 ? 1 << 20 : attribute == 39 ? 2048 : -1;
	return end(r);
}

int cuDeviceTotalMem_v2(size_t *size, int dev)
{
	int r = begin("cuDeviceTotalMem");

	*size = r ? 3 : (size_t) (dev - FIRST_DEVICE + 1) << 33;
	return end(r);
}

/* --------------------------------------------------------------- contexts */

int cuDevicePrimaryCtxRetain(void **ctx, int dev)
{
	int r = begin("cuDevicePrimaryCtxRetain"), i = dev - FIRST_DEVICE;

	if (r == 0 && (i < 0 || i >= MAX_DEVICE))
		r = 101;
	*ctx = r ? (void *) 0xbad : &primary[i];
	if (r == 0) {
		primary[i]++;
		fake_cuda.contexts++;
	}
	return end(r);
}

int cuDevicePrimaryCtxRelease_v2(int dev)
{
	int r = begin("cuDevicePrimaryCtxRelease"), i = dev - FIRST_DEVICE;

	if (i < 0 || i >= MAX_DEVICE || primary[i] == 0) {
		fake_cuda.misused++;
		return end(101);
	}
	fake_cuda.contexts--;
	if (--primary[i] == 0)
		fake_cuda.orphans += forget_context(&primary[i]);
	return end(r);
}

/* True if "ctx" is a primary context that nobody retains. */
static int is_gone(const void *ctx)
{
	int i;

	for (i = 0; i < MAX_DEVICE; i++)
		if (ctx == &primary[i])
			return primary[i] == 0;
	return !ctx;
}

int cuCtxPushCurrent_v2(void *ctx)
{
	int r;

	pthread_mutex_lock(&lock);
	r = script("cuCtxPushCurrent");
	if (r == 0 && (is_gone(ctx) || n_pushed == MAX_PUSHED)) {
		fake_cuda.misused++;
		r = CONTEXT_MISSING;
	}
	if (r == 0) {
		pushed[n_pushed++] = ctx;
		fake_cuda.pushed++;
	}
	return end(r);
}

/* Pops even if it reports a failure, which is that of an earlier call. */
int cuCtxPopCurrent_v2(void **ctx)
{
	int r;

	pthread_mutex_lock(&lock);
	r = script("cuCtxPopCurrent");
	if (n_pushed == 0) {
		fake_cuda.misused++;
		return end(CONTEXT_MISSING);
	}
	*ctx = pushed[--n_pushed];
	fake_cuda.pushed--;
	return end(r);
}

int cuCtxGetCurrent(void **ctx)
{
	int r = begin("cuCtxGetCurrent");

	*ctx = r ? (void *) 0xbad : current();
	return end(r);
}

int cuCtxSetCurrent(void *ctx)
{
	int r = begin("cuCtxSetCurrent");

	if (r == 0)
		set_current(ctx);
	return end(r);
}

int cuDeviceGetPCIBusId(char *text, int len, int dev)
{
	int r = begin("cuDeviceGetPCIBusId");

	snprintf(text, len, "0000:%02x:00.0", r ? 255 : dev);
	return end(r);
}

int cuCtxGetDevice(int *dev)
{
	int r = begin_inside("cuCtxGetDevice");

	*dev = r ? -1 : FIRST_DEVICE;
	return end(r);
}

int cuCtxGetId(void *ctx, unsigned long long *id)
{
	int r = begin("cuCtxGetId");

	*id = r ? 0xbad : fake_cuda.context_id ? fake_cuda.context_id :
		(uintptr_t) ctx;
	return end(r);
}

int cuCtxSynchronize(void)
{
	return end(begin_inside("cuCtxSynchronize"));
}

/* ---------------------------------------------------------------- modules */

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
	pthread_mutex_lock(&lock);
	fake_cuda.loaded = image;
	snprintf(fake_cuda.image, sizeof(fake_cuda.image), "%s",
		(const char *) image);
	if (fake_cuda.log)
		snprintf(value[buffer], (size_t) (uintptr_t) value[size], "%s",
			fake_cuda.log);
	pthread_mutex_unlock(&lock);
	return make("cuModuleLoadDataEx", mod, MODULE);
}

int cuModuleUnload(void *mod)
{
	return destroy("cuModuleUnload", mod, MODULE);
}

/* The function "name" of "mod", made on first use. */
static struct object *function_of(struct object *mod, const char *name)
{
	struct object *o;

	for (o = alive; o; o = o->next)
		if (o->module == mod && strcmp(o->name, name) == 0)
			return o;
	o = add(FUNCTION);
	o->module = mod;
	snprintf(o->name, sizeof(o->name), "%s", name);
	return o;
}

int cuModuleGetFunction(void **fn, void *mod, const char *name)
{
	int r = begin_inside("cuModuleGetFunction");

	if (r == 0 && strcmp(name, "missing") == 0)
		r = NOT_FOUND;
	if (r == 0 && !find(mod, MODULE))
		r = INVALID_HANDLE;
	*fn = r ? (void *) 0xbad : function_of(mod, name);
	return end(r);
}

int cuFuncSetAttribute(void *fn, int attribute, int value)
{
	int r = begin_inside("cuFuncSetAttribute");

	if (r == 0 && (!find(fn, FUNCTION) || attribute != 8))
		r = 1;
	if (r == 0)
		fake_cuda.max_shared = value;
	return end(r);
}

/* What the assembler would tell of a kernel. */
int cuFuncGetAttribute(int *value, int attribute, void *fn)
{
	int r = begin_inside("cuFuncGetAttribute");

	if (r == 0 && !find(fn, FUNCTION))
		r = INVALID_HANDLE;
	*value = r ? -1 : attribute == 4 ? 96 : attribute == 3 ? 16 :
		attribute == 1 ? 1024 : -1;
	return end(r);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *fn,
	int threads, size_t shared)
{
	int r = begin_inside("cuOccupancyMaxActiveBlocks");

	(void) shared;
	if (r == 0 && !find(fn, FUNCTION))
		r = INVALID_HANDLE;
	*blocks = r ? -1 : 1024 / threads;
	return end(r);
}

/* ----------------------------------------------------------------- memory */

int cuMemAlloc_v2(uint64_t *ptr, size_t size)
{
	int r = begin_inside("cuMemAlloc");
	struct object *o;

	*ptr = 0xbad;
	if (r == 0) {
		o = add(ALLOCATION);
		o->size = size;
		o->memory = aligned_alloc(256, (size + 255) & ~(size_t) 255);
		*ptr = (uintptr_t) o->memory;
	}
	return end(r);
}

size_t fake_cuda_size(uint64_t ptr)
{
	struct object **o = find((void *) (uintptr_t) ptr, ALLOCATION);

	return o ? (*o)->size : 0;
}

/* The allocation that "ptr" lies in, or NULL. */
static const struct object *allocation_of(uint64_t ptr)
{
	const struct object *o = alive;

	while (o && (o->kind != ALLOCATION || o->ctx != current() ||
		ptr - (uintptr_t) o->memory >= o->size))
		o = o->next;
	return o;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *size, uint64_t ptr)
{
	int r = begin_inside("cuMemGetAddressRange");
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
	return end(r);
}

int cuMemFree_v2(uint64_t ptr)
{
	return destroy("cuMemFree", (void *) (uintptr_t) ptr, ALLOCATION);
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	int r = begin_inside("cuMemGetInfo");

	*unused = *total = r ? 3 : (size_t) 8 << 30;
	return end(r);
}

int cuMemHostAlloc(void **ptr, size_t size, unsigned flags)
{
	int r = begin_inside("cuMemHostAlloc");

	(void) flags;
	*ptr = r ? (void *) 0xbad : malloc(size);
	return end(r);
}

int cuMemFreeHost(void *ptr)
{
	int r = begin_inside("cuMemFreeHost");

	free(ptr);
	return end(r);
}

static double cost(const char *variable)
{
	const char *text = getenv(variable);

	return text ? atof(text) : 0;
}

/* A call on "stream"; the locked part of it. */
static int begin_on(const char *name, void *stream)
{
	int r = begin_inside(name);

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
	return end(r);
}

int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t size, void *stream)
{
	int r = begin_on("cuMemcpyDtoHAsync", stream);

	if (r == 0)
		memcpy(dst, (void *) (uintptr_t) src, size);
	fake_cuda.ms += r ? 0 : cost("FAKE_CUDA_HOST_MS");
	return end(r);
}

int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t size,
	void *stream)
{
	int r = begin_on("cuMemsetD8Async", stream);

	if (r == 0)
		memset((void *) (uintptr_t) dst, value, size);
	return end(r);
}

/* ------------------------------------------------------ streams and events */

int cuStreamCreate(void **stream, unsigned flags)
{
	pthread_mutex_lock(&lock);
	fake_cuda.stream_flags = flags;
	pthread_mutex_unlock(&lock);
	return make("cuStreamCreate", stream, STREAM);
}

int cuStreamDestroy_v2(void *stream)
{
	return destroy("cuStreamDestroy", stream, STREAM);
}

int cuStreamSynchronize(void *stream)
{
	return end(begin_on("cuStreamSynchronize", stream));
}

int cuStreamIsCapturing(void *stream, int *status)
{
	int r = begin_on("cuStreamIsCapturing", stream);

	*status = r ? -1 : fake_cuda.capturing;
	return end(r);
}

int cuEventCreate(void **event, unsigned flags)
{
	(void) flags;
	return make("cuEventCreate", event, EVENT);
}

int cuEventDestroy_v2(void *event)
{
	return destroy("cuEventDestroy", event, EVENT);
}

int cuEventRecord(void *event, void *stream)
{
	int r = begin_inside("cuEventRecord");
	struct object **o = find(event, EVENT);

	fake_cuda.stream = stream;
	if (r == 0 && o)
		(*o)->ms = fake_cuda.ms;
	return end(r ? r : o ? 0 : INVALID_HANDLE);
}

int cuEventSynchronize(void *event)
{
	return use("cuEventSynchronize", event, EVENT);
}

int cuEventElapsedTime(float *ms, void *start, void *stop)
{
	int r = begin_inside("cuEventElapsedTime");
	struct object **a = find(start, EVENT), **b = find(stop, EVENT);

	if (r == 0 && (!a || !b))
		r = INVALID_HANDLE;
	*ms = r ? -1.0f : getenv("FAKE_CUDA_LAUNCH_MS") ?
		(float) ((*b)->ms - (*a)->ms) : 1.5f;
	return end(r);
}

/* --------------------------------------------------------- clock and graphs */

void fake_cuda_spend(double ms)
{
	pthread_mutex_lock(&lock);
	fake_cuda.ms += ms;
	pthread_mutex_unlock(&lock);
}

int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t size, void *stream)
{
	int r = begin_on("cuMemcpyDtoDAsync", stream);

	if (r == 0)
		memmove((void *) (uintptr_t) dst, (void *) (uintptr_t) src,
			size);
	fake_cuda.ms += r ? 0 : cost("FAKE_CUDA_COPY_MS");
	return end(r);
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
	return end(r);
}

int cuStreamEndCapture(void *stream, void **graph)
{
	int r = begin_on("cuStreamEndCapture", stream);
	struct object *o;

	*graph = NULL;
	if (!fake_cuda.capturing)
		return end(r ? r : 901);
	fake_cuda.capturing = 0;
	if (r == 0) {
		o = add(GRAPH);
		o->ms = fake_cuda.ms - fake_cuda.captured_at;
		*graph = o;
	}
	fake_cuda.ms = fake_cuda.captured_at;
	return end(r);
}

int cuGraphInstantiateWithFlags(void **exec, void *graph,
	unsigned long long flags)
{
	int r = begin_inside("cuGraphInstantiate");
	struct object **from = find(graph, GRAPH), *o;

	if (r == 0 && (!from || flags))
		r = INVALID_HANDLE;
	*exec = (void *) 0xbad;
	if (r == 0) {
		double ms = (*from)->ms;

		o = add(GRAPH);
		o->ms = ms;
		*exec = o;
	}
	return end(r);
}

int cuGraphLaunch(void *exec, void *stream)
{
	int r = begin_on("cuGraphLaunch", stream);
	struct object **o = find(exec, GRAPH);

	if (r == 0 && !o)
		r = INVALID_HANDLE;
	if (r == 0)
		fake_cuda.ms += (*o)->ms;
	return end(r);
}

int cuGraphDestroy(void *graph)
{
	return destroy("cuGraphDestroy", graph, GRAPH);
}

int cuGraphExecDestroy(void *exec)
{
	return destroy("cuGraphExecDestroy", exec, GRAPH);
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

/* The shape of a launch that is made with "name". */
static int launch(const char *name, void *fn, const unsigned *grid,
	const unsigned *block, unsigned shared, void *stream, void **args)
{
	int r = begin_inside(name);
	struct object **f = find(fn, FUNCTION);
	struct fake_launch *l;

	if (!f)
		return end(r ? r : 1);
	if (r)
		return end(r);
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
	log_launch(l);
	fake_cuda.ms += cost("FAKE_CUDA_LAUNCH_MS") +
		block[0] * block[1] * cost("FAKE_CUDA_THREAD_MS");
	if (fake_cuda.kernel)
		fake_cuda.kernel(l);
	return end(0);
}

int cuLaunchKernel(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args, void **extra)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };

	return extra ? 1 : launch("cuLaunchKernel", fn, grid, block, shared,
		stream, args);
}

int cuLaunchCooperativeKernel(void *fn, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **args)
{
	const unsigned grid[3] = { gx, gy, gz }, block[3] = { bx, by, bz };

	return launch("cuLaunchCooperativeKernel", fn, grid, block, shared,
		stream, args);
}
#endif

/* ------------------------------------------------------------------ texts */

/* Asked only after a failure, these can be told to fail, too. */
static int text_of(const char *name, int error, const char *known,
	const char **text)
{
	int r;

	pthread_mutex_lock(&lock);
	r = fake_cuda.fail_name && strcmp(fake_cuda.fail_name, name) == 0 ?
		fake_cuda.result : 0;
	*text = r || error == 999 ? NULL : known;
	return end(r);
}

int cuGetErrorName(int error, const char **text)
{
	return text_of("cuGetErrorName", error, "FAKE_ERROR", text);
}

int cuGetErrorString(int error, const char **text)
{
	return text_of("cuGetErrorString", error, "the script says so", text);
}
