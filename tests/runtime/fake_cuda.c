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
 * fake_cuda_stream.c has memory, streams, the clock and launches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include "fake_cuda_object.h"

enum { MAX_DEVICE = 8, MAX_CONTEXT = 16, MAX_PUSHED = 8, FIRST_DEVICE = 70,
	NOT_INITIALIZED = 3 };

static void set_current(void *ctx);
static int end_context(void *ctx);

struct fake_cuda fake_cuda = { .device_count = 1,
	.set_current = set_current, .end_context = end_context };

/* A context in which a call failed for good. */
struct broken {
	void *ctx;
	int result;
};

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
struct object *fake_alive;
static struct broken broken[MAX_CONTEXT];
static int primary[MAX_DEVICE];		/* how often retained */
static _Thread_local void *own_context, *pushed[MAX_PUSHED];
static _Thread_local int n_pushed;

/* --------------------------------------------------------------- contexts */

void *fake_current(void)
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
	struct object **link = &fake_alive;
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

	pthread_mutex_lock(&fake_lock);
	n = forget_context(ctx);
	pthread_mutex_unlock(&fake_lock);
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
int fake_begin(const char *name)
{
	static pid_t owner;
	int r;

	pthread_mutex_lock(&fake_lock);
	fake_cuda.calls++;
	r = script(name);
	if (!owner)
		owner = getpid();
	/* Of a process that has called a driver, no child can. */
	return owner == getpid() ? r : NOT_INITIALIZED;
}

/* The same for a call that needs a context. */
int fake_begin_inside(const char *name)
{
	int r = fake_begin(name);
	void *ctx = fake_current();
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

int fake_end(int r)
{
	pthread_mutex_unlock(&fake_lock);
	return r;
}

/* ---------------------------------------------------------------- objects */

/* Where "handle" is linked, if it is alive and in the current context. */
struct object **fake_find(void *handle, enum kind kind)
{
	struct object **link;

	for (link = &fake_alive; *link; link = &(*link)->next)
		if ((*link)->kind == kind && (*link)->ctx == fake_current() &&
			(kind == ALLOCATION ? (*link)->memory :
				(void *) *link) == handle)
			return link;
	fake_cuda.misused++;
	return NULL;
}

struct object *fake_add(enum kind kind)
{
	struct object *o = calloc(1, sizeof(*o));

	o->kind = kind;
	o->ctx = fake_current();
	o->next = fake_alive;
	fake_alive = o;
	++*count_of(kind);
	return o;
}

int fake_make(const char *name, void **handle, enum kind kind)
{
	int r = fake_begin_inside(name);

	*handle = r ? (void *) 0xbad : fake_add(kind);
	return fake_end(r);
}

/* What is destroyed is gone, even if the call reports a failure. */
int fake_destroy(const char *name, void *handle, enum kind kind)
{
	int r = fake_begin_inside(name);
	struct object **link = fake_find(handle, kind);

	if (!link)
		return fake_end(r ? r : INVALID_HANDLE);
	if (kind == MODULE)
		remove_all(NULL, *link);
	link = fake_find(handle, kind);
	remove_object(link);
	return fake_end(r);
}

/* A call on an object that stays. */
int fake_use(const char *name, void *handle, enum kind kind)
{
	int r = fake_begin_inside(name);

	if (r == 0 && !fake_find(handle, kind))
		r = INVALID_HANDLE;
	return fake_end(r);
}

/* ------------------------------------------------------ driver and devices */

static int number(const char *variable, int otherwise)
{
	const char *text = getenv(variable);

	return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
	int r = fake_begin("cuInit");

	return fake_end(r ? r : flags != 0);
}

int cuDriverGetVersion(int *version)
{
	int r = fake_begin("cuDriverGetVersion");

	*version = r ? -1 : number("FAKE_CUDA_VERSION", 12080);
	return fake_end(r);
}

int cuDeviceGetCount(int *n)
{
	int r = fake_begin("cuDeviceGetCount");

	fake_cuda.device_count = number("FAKE_CUDA_DEVICES",
		fake_cuda.device_count);
	*n = r ? -1 : fake_cuda.device_count;
	return fake_end(r);
}

int cuDeviceGet(int *dev, int ordinal)
{
	int r = fake_begin("cuDeviceGet");

	if (r == 0 && (ordinal < 0 || ordinal >= fake_cuda.device_count))
		r = 101;
	*dev = r ? -1 : FIRST_DEVICE + ordinal;
	return fake_end(r);
}

int cuDeviceGetName(char *name, int len, int dev)
{
	int r = fake_begin("cuDeviceGetName");

	snprintf(name, len, r ? "rubbish" : "Fake GPU %d",
		dev - FIRST_DEVICE);
	return fake_end(r);
}

int cuDeviceGetAttribute(int *value, int attribute, int dev)
{
	int r = fake_begin("cuDeviceGetAttribute");
	int capability = number("FAKE_CUDA_CAPABILITY", 121);

	(void) dev;
	*value = r ? -1 : attribute == 75 ? capability / 10 :
		attribute == 76 ? capability % 10 :
		attribute == 16 ? 100 : attribute == 13 ? 1500000 :
		attribute == 38 ? 1 << 20 : attribute == 39 ? 2048 : -1;
	return fake_end(r);
}

int cuDeviceTotalMem_v2(size_t *size, int dev)
{
	int r = fake_begin("cuDeviceTotalMem");

	*size = r ? 3 : (size_t) (dev - FIRST_DEVICE + 1) << 33;
	return fake_end(r);
}

/* --------------------------------------------------------------- contexts */

int cuDevicePrimaryCtxRetain(void **ctx, int dev)
{
	int r = fake_begin("cuDevicePrimaryCtxRetain"), i = dev - FIRST_DEVICE;

	if (r == 0 && (i < 0 || i >= MAX_DEVICE))
		r = 101;
	*ctx = r ? (void *) 0xbad : &primary[i];
	if (r == 0) {
		primary[i]++;
		fake_cuda.contexts++;
	}
	return fake_end(r);
}

int cuDevicePrimaryCtxRelease_v2(int dev)
{
	int r = fake_begin("cuDevicePrimaryCtxRelease"), i = dev - FIRST_DEVICE;

	if (i < 0 || i >= MAX_DEVICE || primary[i] == 0) {
		fake_cuda.misused++;
		return fake_end(101);
	}
	fake_cuda.contexts--;
	if (--primary[i] == 0)
		fake_cuda.orphans += forget_context(&primary[i]);
	return fake_end(r);
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

	pthread_mutex_lock(&fake_lock);
	r = script("cuCtxPushCurrent");
	if (r == 0 && (is_gone(ctx) || n_pushed == MAX_PUSHED)) {
		fake_cuda.misused++;
		r = CONTEXT_MISSING;
	}
	if (r == 0) {
		pushed[n_pushed++] = ctx;
		fake_cuda.pushed++;
	}
	return fake_end(r);
}

/* Pops even if it reports a failure, which is that of an earlier call. */
int cuCtxPopCurrent_v2(void **ctx)
{
	int r;

	pthread_mutex_lock(&fake_lock);
	r = script("cuCtxPopCurrent");
	if (n_pushed == 0) {
		fake_cuda.misused++;
		return fake_end(CONTEXT_MISSING);
	}
	*ctx = pushed[--n_pushed];
	fake_cuda.pushed--;
	return fake_end(r);
}

int cuCtxGetCurrent(void **ctx)
{
	int r = fake_begin("cuCtxGetCurrent");

	*ctx = r ? (void *) 0xbad : fake_current();
	return fake_end(r);
}

int cuCtxSetCurrent(void *ctx)
{
	int r = fake_begin("cuCtxSetCurrent");

	if (r == 0)
		set_current(ctx);
	return fake_end(r);
}

int cuDeviceGetPCIBusId(char *text, int len, int dev)
{
	int r = fake_begin("cuDeviceGetPCIBusId");

	snprintf(text, len, "0000:%02x:00.0", r ? 255 : dev);
	return fake_end(r);
}

int cuCtxGetDevice(int *dev)
{
	int r = fake_begin_inside("cuCtxGetDevice");

	*dev = r ? -1 : FIRST_DEVICE;
	return fake_end(r);
}

int cuCtxGetId(void *ctx, unsigned long long *id)
{
	int r = fake_begin("cuCtxGetId");

	*id = r ? 0xbad : fake_cuda.context_id ? fake_cuda.context_id :
		(uintptr_t) ctx;
	return fake_end(r);
}

int cuCtxSynchronize(void)
{
	return fake_end(fake_begin_inside("cuCtxSynchronize"));
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
	pthread_mutex_lock(&fake_lock);
	fake_cuda.loaded = image;
	snprintf(fake_cuda.image, sizeof(fake_cuda.image), "%s",
		(const char *) image);
	if (fake_cuda.log)
		snprintf(value[buffer], (size_t) (uintptr_t) value[size], "%s",
			fake_cuda.log);
	pthread_mutex_unlock(&fake_lock);
	return fake_make("cuModuleLoadDataEx", mod, MODULE);
}

int cuModuleUnload(void *mod)
{
	return fake_destroy("cuModuleUnload", mod, MODULE);
}

/* The function "name" of "mod", made on first use. */
static struct object *function_of(struct object *mod, const char *name)
{
	struct object *o;

	for (o = fake_alive; o; o = o->next)
		if (o->module == mod && strcmp(o->name, name) == 0)
			return o;
	o = fake_add(FUNCTION);
	o->module = mod;
	snprintf(o->name, sizeof(o->name), "%s", name);
	return o;
}

int cuModuleGetFunction(void **fn, void *mod, const char *name)
{
	int r = fake_begin_inside("cuModuleGetFunction");

	if (r == 0 && strcmp(name, "missing") == 0)
		r = NOT_FOUND;
	if (r == 0 && !fake_find(mod, MODULE))
		r = INVALID_HANDLE;
	*fn = r ? (void *) 0xbad : function_of(mod, name);
	return fake_end(r);
}

int cuFuncSetAttribute(void *fn, int attribute, int value)
{
	int r = fake_begin_inside("cuFuncSetAttribute");

	if (r == 0 && (!fake_find(fn, FUNCTION) || attribute != 8))
		r = 1;
	if (r == 0)
		fake_cuda.max_shared = value;
	return fake_end(r);
}

/* What the assembler would tell of a kernel. */
int cuFuncGetAttribute(int *value, int attribute, void *fn)
{
	int r = fake_begin_inside("cuFuncGetAttribute");

	if (r == 0 && !fake_find(fn, FUNCTION))
		r = INVALID_HANDLE;
	*value = r ? -1 : attribute == 4 ? 96 : attribute == 3 ? 16 :
		attribute == 1 ? 1024 : -1;
	return fake_end(r);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *fn,
	int threads, size_t shared)
{
	int r = fake_begin_inside("cuOccupancyMaxActiveBlocks");

	(void) shared;
	if (r == 0 && !fake_find(fn, FUNCTION))
		r = INVALID_HANDLE;
	*blocks = r ? -1 : 1024 / threads;
	return fake_end(r);
}
