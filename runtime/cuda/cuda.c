/* CUDA devices: the operations of a device through the CUDA driver.
 *
 * A device retains the primary context, so that memory and modules are
 * shared with other users of the same GPU in the process. Each call pushes
 * that context and pops it again: the calling thread's own choice of context
 * stays as it was. Streams do not synchronise with the legacy default
 * stream, which makes them mean the same as on the host device.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/cuda/context.h"

/* The driver's numbers, from cuda.h's enumerations, which are part of its ABI:
 * no CUDA header is needed to build.
 */
enum {
	ATTRIBUTE_CC_MAJOR = 75,
	ATTRIBUTE_CC_MINOR = 76,
	FUNCTION_MAX_DYNAMIC_SHARED = 8,
	JIT_ERROR_LOG_BUFFER = 5,
	JIT_ERROR_LOG_SIZE = 6,
	SHARED_WITHOUT_ASKING = 48 * 1024
};

/* One function of a module. "max_shared" is the dynamic shared memory that
 * the driver was asked to allow.
 */
struct cuda_function {
	struct cetane_function base;
	struct cuda_function *next;
	void *handle;
	unsigned max_shared;
	char name[];
};
/* A module, and its functions that have been asked for. */
struct cuda_module {
	struct cetane_module base;
	void *handle;
	struct cuda_function *function;
};

/* ---------------------------------------------------------------- devices */

/* A context that was borrowed stays; the primary one is released. */
static void cuda_close(struct cetane_device *dev)
{
	struct cuda_device *cd = to_cuda(dev);

	if (!cd->borrowed)
		cd->driver->primary_release(cd->handle);
	pthread_mutex_destroy(&cd->lock);
	free(cd);
}

static enum cetane_status cuda_synchronize(struct cetane_device *dev)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuCtxSynchronize", ctx_synchronize());
	return s;
}

/* ---------------------------------------------------------------- modules */

/* "image" is text that no NUL ends within "size" bytes.
 *
 * The first bytes tell: an ELF file (a cubin), or a fat binary, has a length of
 * its own. The driver reads PTX up to a NUL.
 */
static int is_open_text(const unsigned char *image, size_t size)
{
	static const unsigned char elf[] = { 0x7f, 'E', 'L', 'F' };
	static const unsigned char fatbin[] = { 0x50, 0xed, 0x55, 0xba };

	if (size >= 4 && memcmp(image, elf, 4) == 0)
		return 0;
	if (size >= 4 && memcmp(image, fatbin, 4) == 0)
		return 0;
	return !memchr(image, '\0', size);
}

/* Load "image" into the current context; the driver's compiler says in its
 * log what it does not like.
 *
 * The caller has entered the context. cuModuleLoadDataEx compiles PTX, for
 * which 768 bytes of log are the first error in most cases.
 */
static enum cetane_status load_image(struct cuda_device *cd,
	const void *image, void **handle)
{
	int option[2] = { JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_SIZE };
	char log[768] = "", said[240];
	void *value[2] = { log, (void *) (uintptr_t) sizeof(log) };
	enum cetane_status s;

	s = cetane_rt_driver_status(cd->driver, "cuModuleLoadDataEx",
		cd->driver->module_load(handle, image, 2, option, value));
	if (s == CETANE_OK || log[0] == '\0')
		return s;
	log[sizeof(log) - 1] = '\0';
	memcpy(said, cetane_last_error(), sizeof(said) - 1);
	said[sizeof(said) - 1] = '\0';
	return cetane_rt_fail(s, "%s: %s", said, log);
}

/* Load "image" on "dev". PTX that does not end in a zero byte is copied to text that
 * does.
 */
static enum cetane_status cuda_module_load(struct cetane_device *dev,
	const void *image, size_t size, struct cetane_module **mod)
{
	struct cuda_device *cd = to_cuda(dev);
	struct cuda_module *m = calloc(1, sizeof(*m));
	char *text = NULL;
	enum cetane_status s = CETANE_OK;

	if (!m)
		return cetane_rt_no_memory();
	m->base.dev = dev;
	if (is_open_text(image, size)) {
		text = strndup(image, size);
		if (!text)
			s = cetane_rt_no_memory();
		image = text;
	}
	if (s == CETANE_OK)
		s = enter(cd);
	if (s == CETANE_OK) {
		s = load_image(cd, image, &m->handle);
		leave(cd);
	}
	free(text);
	if (s == CETANE_OK)
		*mod = &m->base;
	else
		free(m);
	return s;
}

/* The functions of a module end with it. */
static enum cetane_status cuda_module_unload(struct cetane_module *mod)
{
	struct cuda_module *m = (struct cuda_module *) mod;
	struct cuda_device *cd = to_cuda(mod->dev);
	struct cuda_function *f;
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuModuleUnload", module_unload(m->handle));
	while ((f = m->function)) {
		m->function = f->next;
		free(f);
	}
	free(m);
	return s;
}

/* Ask the driver for "name" and add it to the module's list.
 *
 * The caller holds the lock of the device.
 */
static enum cetane_status add_function(struct cuda_module *m,
	const char *name, struct cuda_function **fn)
{
	struct cuda_device *cd = to_cuda(m->base.dev);
	struct cuda_function *f = calloc(1, sizeof(*f) + strlen(name) + 1);
	enum cetane_status s;

	if (!f)
		return cetane_rt_no_memory();
	strcpy(f->name, name);
	f->base.mod = &m->base;
	IN_CONTEXT(s, cd, "cuModuleGetFunction",
		module_function(&f->handle, m->handle, name));
	if (s != CETANE_OK) {
		free(f);
		return s;
	}
	f->next = m->function;
	m->function = f;
	*fn = f;
	return CETANE_OK;
}

/* The function "name", which is asked for once; others may ask at the same
 * time.
 *
 * Linear through the list: a program has a handful of kernels. The result lives
 * as long as the module.
 */
static enum cetane_status cuda_module_function(struct cetane_module *mod,
	const char *name, struct cetane_function **fn)
{
	struct cuda_module *m = (struct cuda_module *) mod;
	struct cuda_device *cd = to_cuda(mod->dev);
	enum cetane_status s = CETANE_OK;
	struct cuda_function *f;

	pthread_mutex_lock(&cd->lock);
	for (f = m->function; f; f = f->next)
		if (strcmp(f->name, name) == 0)
			break;
	if (!f)
		s = add_function(m, name, &f);
	pthread_mutex_unlock(&cd->lock);
	if (s == CETANE_OK)
		*fn = &f->base;
	return s;
}

/* A GPU's kernel knows the sizes of its arguments. */
static enum cetane_status cuda_function_set_args(struct cetane_function *fn,
	const size_t *size, int n)
{
	(void) fn;
	(void) size;
	(void) n;
	return CETANE_OK;
}

/* ----------------------------------------------------------------- launch */

/* More than 48 KiB of dynamic shared memory has to be asked for.
 *
 * A launch with less needs no attribute (CUDA C programming guide, "Shared
 * memory": 48 KiB without opting in). The lock is taken, as others may launch
 * the same kernel.
 */
static enum cetane_status allow_shared(struct cuda_device *cd,
	struct cuda_function *f, unsigned bytes)
{
	enum cetane_status s = CETANE_OK;

	if (bytes <= SHARED_WITHOUT_ASKING)
		return CETANE_OK;
	pthread_mutex_lock(&cd->lock);
	if (bytes > f->max_shared)
		s = cetane_rt_driver_status(cd->driver, "cuFuncSetAttribute",
			cd->driver->function_set_attribute(f->handle,
				FUNCTION_MAX_DYNAMIC_SHARED, (int) bytes));
	if (s == CETANE_OK && bytes > f->max_shared)
		f->max_shared = bytes;
	pthread_mutex_unlock(&cd->lock);
	return s == CETANE_INVALID_VALUE ? CETANE_OUT_OF_RESOURCES : s;
}

/* Launch "fn", after it has been allowed the shared memory that it takes.
 *
 * "args" points to the arguments; the driver copies them before it returns.
 */
static enum cetane_status cuda_launch(struct cetane_function *fn,
	const struct cetane_rt_shape *shape, struct cetane_stream *stream,
	void **args)
{
	struct cuda_function *f = (struct cuda_function *) fn;
	struct cuda_device *cd = to_cuda(fn->mod->dev);
	enum cetane_status s = enter(cd);

	if (s != CETANE_OK)
		return s;
	s = allow_shared(cd, f, shape->shared_bytes);
	if (s == CETANE_OK)
		s = cetane_rt_cuda_launch(cd->driver, f->handle, shape,
			stream_handle(stream), args);
	leave(cd);
	return s;
}

enum { ELEMENTS_U8, ELEMENTS_U16, ELEMENTS_U32, ELEMENTS_U64 = 4, SWIZZLE_128 = 3,
	PROMOTE_256 = 3 };
static const int map_type[] = { [1] = ELEMENTS_U8, [2] = ELEMENTS_U16,
	[4] = ELEMENTS_U32, [8] = ELEMENTS_U64 };

/* The same as cuda_encode, with copies that slide: cuTensorMapEncodeIm2col. */
static enum cetane_status encode_pixels(struct cuda_device *cd,
	const struct cetane_rt_map *map, void *bytes)
{
	int low[CETANE_RT_MAP_DIM - 2], high[CETANE_RT_MAP_DIM - 2], i;
	uint32_t step[CETANE_RT_MAP_DIM] = { 1, 1, 1, 1, 1 };

	for (i = 0; i < map->n_dim - 2; i++) {
		low[i] = map->low[i];
		high[i] = map->high[i];
		step[i + 1] = map->step[i];
	}
	return cetane_rt_driver_status(cd->driver, "cuTensorMapEncodeIm2col",
		cd->driver->pixel_map(bytes, map_type[map->elem_bytes], map->n_dim,
			(void *) (uintptr_t) map->base, map->size, map->stride + 1, low,
			high, map->box[0], map->box[1], step, 0, SWIZZLE_128,
			PROMOTE_256, 0));
}

/* Let "bytes" be "map" as copies of boxes want it. Zeros stand in for what lies outside
 * of the array.
 *
 * cuTensorMapEncodeTiled: the innermost stride is that of an element and is
 * left out. Boxes are 128 bytes wide and swizzled so, as buffers are
 * (polyir/layout/spread.c).
 */
static enum cetane_status cuda_encode(struct cetane_device *dev,
	const struct cetane_rt_map *map, void *bytes)
{
	static const uint32_t step[CETANE_RT_MAP_DIM] = { 1, 1, 1, 1, 1 };
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	if (!cd->driver->tensor_map || !cd->driver->pixel_map || map->elem_bytes > 8)
		return cetane_rt_fail(CETANE_DRIVER_TOO_OLD, "the CUDA driver "
			"has no maps for copies of boxes");
	s = enter(cd);
	if (s != CETANE_OK)
		return s;
	s = map->slides ? encode_pixels(cd, map, bytes) :
		cetane_rt_driver_status(cd->driver, "cuTensorMapEncodeTiled",
		cd->driver->tensor_map(bytes, map_type[map->elem_bytes],
			map->n_dim, (void *) (uintptr_t) map->base, map->size,
			map->stride + 1, map->box, step, 0, SWIZZLE_128,
			PROMOTE_256, 0));
	leave(cd);
	return s;
}

static const struct cetane_backend cuda_backend = {
	.close = cuda_close,
	.synchronize = cuda_synchronize,
	.module_load = cuda_module_load,
	.module_unload = cuda_module_unload,
	.module_function = cuda_module_function,
	.function_set_args = cuda_function_set_args,
	.mem_alloc = cetane_rt_cuda_malloc,
	.mem_free = cetane_rt_cuda_free,
	.mem_rest = cetane_rt_cuda_rest,
	.copy_to = cetane_rt_cuda_copy_to,
	.copy_from = cetane_rt_cuda_copy_from,
	.mem_set = cetane_rt_cuda_memset,
	.stream_create = cetane_rt_cuda_stream_create,
	.stream_destroy = cetane_rt_cuda_stream_destroy,
	.stream_synchronize = cetane_rt_cuda_stream_synchronize,
	.stream_wait = cetane_rt_cuda_stream_wait,
	.is_captured = cetane_rt_cuda_is_captured,
	.event_create = cetane_rt_cuda_event_create,
	.event_destroy = cetane_rt_cuda_event_destroy,
	.event_record = cetane_rt_cuda_event_record,
	.event_synchronize = cetane_rt_cuda_event_synchronize,
	.event_elapsed = cetane_rt_cuda_event_elapsed,
	.launch = cuda_launch,
	.encode = cuda_encode,
};

/* Fill in name and capability of "cd".
 *
 * A capability of 9.0 is 90.
 */
static enum cetane_status query(struct cuda_device *cd)
{
	const struct cetane_rt_driver *d = cd->driver;
	enum cetane_status s;
	int major = 0, minor = 0;

	s = cetane_rt_driver_status(d, "cuDeviceGetName",
		d->device_name(cd->base.name,
			(int) sizeof(cd->base.name) - 1, cd->handle));
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDeviceGetAttribute",
			d->device_attribute(&major, ATTRIBUTE_CC_MAJOR,
				cd->handle));
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDeviceGetAttribute",
			d->device_attribute(&minor, ATTRIBUTE_CC_MINOR,
				cd->handle));
	cd->base.capability = 10 * major + minor;
	return s;
}

/* Find device "ordinal" and retain its primary context. */
static enum cetane_status retain(struct cuda_device *cd, int ordinal)
{
	const struct cetane_rt_driver *d = cd->driver;
	enum cetane_status s;

	s = cetane_rt_driver_status(d, "cuDeviceGet",
		d->device_get(&cd->handle, ordinal));
	if (s == CETANE_OK)
		s = query(cd);
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuDevicePrimaryCtxRetain",
			d->primary_retain(&cd->ctx, cd->handle));
	return s;
}

/* Take over the current context "ctx". */
static enum cetane_status borrow(struct cuda_device *cd, void *ctx)
{
	enum cetane_status s;

	cd->ctx = ctx;
	cd->borrowed = 1;
	s = cetane_rt_driver_status(cd->driver, "cuCtxGetDevice",
		cd->driver->ctx_device(&cd->handle));
	return s == CETANE_OK ? query(cd) : s;
}

/* A device with the driver open and "lock" not yet made; NULL on failure. */
static struct cuda_device *cuda_new(enum cetane_status *s)
{
	struct cuda_device *cd = calloc(1, sizeof(*cd));

	*s = cd ? cetane_rt_driver_open(&cd->driver) : cetane_rt_no_memory();
	if (*s != CETANE_OK) {
		free(cd);
		return NULL;
	}
	cd->base.ops = &cuda_backend;
	return cd;
}

/* End the making of a device: "cd" is freed after a failure, else "*dev" owns
 * it.
 *
 * A failure leaves "*dev" as it was.
 */
static enum cetane_status finish(struct cuda_device *cd,
	enum cetane_status s, struct cetane_device **dev)
{
	if (s != CETANE_OK) {
		free(cd);
		return s;
	}
	pthread_mutex_init(&cd->lock, NULL);
	*dev = &cd->base;
	return CETANE_OK;
}

enum cetane_status cetane_rt_cuda_open(int ordinal,
	struct cetane_device **dev)
{
	enum cetane_status s;
	struct cuda_device *cd = cuda_new(&s);

	return cd ? finish(cd, retain(cd, ordinal), dev) : s;
}

/* ------------------------------------------------- the caller's own context */

/* The id tells two contexts with one address apart, one made after the other
 * was destroyed; drivers before CUDA 12 have none (0).
 */
enum cetane_status cetane_rt_cuda_current(struct cetane_rt_context *ctx)
{
	const struct cetane_rt_driver *d;
	enum cetane_status s = cetane_rt_driver_open(&d);

	ctx->handle = NULL;
	ctx->id = 0;
	if (s == CETANE_OK)
		s = cetane_rt_driver_status(d, "cuCtxGetCurrent",
			d->ctx_current(&ctx->handle));
	if (s != CETANE_OK)
		return s;
	if (!ctx->handle)
		return cetane_rt_fail(CETANE_NO_CONTEXT, "this thread has no "
			"current CUDA context: make one current, or call "
			"cetane_device_use");
	if (d->ctx_id)
		s = cetane_rt_driver_status(d, "cuCtxGetId",
			d->ctx_id(ctx->handle, &ctx->id));
	return s;
}

enum cetane_status cetane_rt_cuda_borrow(const struct cetane_rt_context *ctx,
	struct cetane_device **dev)
{
	enum cetane_status s;
	struct cuda_device *cd = cuda_new(&s);

	return cd ? finish(cd, borrow(cd, ctx->handle), dev) : s;
}

struct cetane_rt_cuda_stream cetane_rt_cuda_wrap(struct cetane_device *dev,
	void *handle)
{
	return (struct cetane_rt_cuda_stream) { { dev }, handle };
}

void *cetane_rt_cuda_function(struct cetane_function *fn)
{
	return ((struct cuda_function *) fn)->handle;
}

/* The driver does not speak of the legacy stream while a capture goes on that
 * loading would break.
 *
 * Loading synchronises, which a capture forbids: so a program that is not
 * loaded yet refuses early, with advice. "dev" is NULL if the stream is the
 * caller's own.
 */
enum cetane_status cetane_rt_cuda_no_capture(struct cetane_device *dev,
	void *stream)
{
	const struct cetane_rt_driver *d;
	enum cetane_status s;
	int r, capturing = 0;

	if (dev && dev->ops != &cuda_backend)
		return CETANE_OK;
	s = cetane_rt_driver_open(&d);
	if (s != CETANE_OK || !d->stream_capturing)
		return s;
	if (dev)
		s = enter(to_cuda(dev));
	if (s != CETANE_OK)
		return s;
	r = d->stream_capturing(dev ? stream_handle(stream) : stream,
		&capturing);
	if (dev)
		leave(to_cuda(dev));
	if (r == STREAM_CAPTURE_IMPLICIT || (r == 0 && capturing))
		return cetane_rt_fail(CETANE_NOT_LOADED, "the program is not "
			"loaded and the stream is being captured: call its "
			"_load function before the capture begins");
	return cetane_rt_driver_status(d, "cuStreamIsCapturing", r);
}
