/* The calls of cetane_rt.h: check the arguments, then hand over to the
 * operations of the device.
 *
 * What can be checked without knowing the kind of device is checked here,
 * once, and with the same answer on all of them. A call on an address range
 * of 0 bytes succeeds and does nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/cuda/cuda.h"
#include "runtime/device/device.h"
#include "runtime/host/host.h"

/* Threads of a block, on all architectures so far (CUDA C programming guide,
 * "Technical specifications").
 */
#define MAX_BLOCK 1024

/* For mistakes that the type of an argument allows. */
static enum cetane_status invalid(const char *what)
{
	return cetane_rt_fail(CETANE_INVALID_VALUE, "%s", what);
}

/* "stream" may be used with "dev".
 *
 * NULL is the default stream of any device.
 */
static int fits(const struct cetane_device *dev,
	const struct cetane_stream *stream)
{
	return !stream || stream->dev == dev;
}

/* ---------------------------------------------------------------- devices */

/* 0 devices is no failure; no driver is one. */
enum cetane_status cetane_cuda_count(int *n)
{
	const struct cetane_rt_driver *driver;
	enum cetane_status s;
	int count;

	if (!n)
		return invalid("cetane_cuda_count: NULL");
	s = cetane_rt_driver_open(&driver);
	if (s != CETANE_OK)
		return s;
	s = cetane_rt_driver_status(driver, "cuDeviceGetCount",
		driver->device_count(&count));
	if (s == CETANE_OK)
		*n = count;
	return s;
}

/* Read "cuda" or "cuda:N"; -1 if "name" is neither.
 *
 * "cuda" is device 0. Numbers of 1024 and more are no devices.
 */
static int cuda_ordinal(const char *name)
{
	char *end;
	long n;

	if (strncmp(name, "cuda", 4) != 0)
		return -1;
	if (name[4] == '\0')
		return 0;
	if (name[4] != ':' || name[5] < '0' || name[5] > '9')
		return -1;
	n = strtol(name + 5, &end, 10);
	return *end == '\0' && n < 1024 ? (int) n : -1;
}

/* NULL is refused before anything is opened. The device is freed by
 * cetane_device_close.
 */
enum cetane_status cetane_device_open(const char *name,
	struct cetane_device **dev)
{
	int ordinal;

	if (!name || !dev)
		return invalid("cetane_device_open: NULL");
	if (strcmp(name, "host") == 0)
		return cetane_rt_host_open(dev);
	ordinal = cuda_ordinal(name);
	if (ordinal < 0)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "unknown device "
			"\"%s\": use host, cuda or cuda:N", name);
	return cetane_rt_cuda_open(ordinal, dev);
}

/* 0 of the host device, and of NULL. */
int cetane_device_capability(const struct cetane_device *dev)
{
	return dev ? dev->capability : 0;
}

const char *cetane_device_name(const struct cetane_device *dev)
{
	return dev ? dev->name : "";
}

/* Failures of work that was queued are returned here. */
enum cetane_status cetane_device_synchronize(struct cetane_device *dev)
{
	if (!dev)
		return invalid("cetane_device_synchronize: NULL");
	return dev->ops->synchronize(dev);
}

/* ---------------------------------------------------------------- modules */

/* What an image is, the device knows: PTX, a cubin or a fat binary on a GPU. */
enum cetane_status cetane_module_load(struct cetane_device *dev,
	const void *image, size_t size, struct cetane_module **mod)
{
	if (!dev || !image || !mod)
		return invalid("cetane_module_load: NULL");
	if (size == 0)
		return invalid("cetane_module_load: an empty image");
	return dev->ops->module_load(dev, image, size, mod);
}

/* NULL is allowed, as with free(). The functions of the module are void
 * afterwards.
 */
enum cetane_status cetane_module_unload(struct cetane_module *mod)
{
	return mod ? mod->dev->ops->module_unload(mod) : CETANE_OK;
}

/* The function is the module's; it needs no freeing. */
enum cetane_status cetane_module_function(struct cetane_module *mod,
	const char *name, struct cetane_function **fn)
{
	if (!mod || !name || !fn)
		return invalid("cetane_module_function: NULL");
	return mod->dev->ops->module_function(mod, name, fn);
}

/* Bytes of each argument: the host device copies them, a GPU knows them. */
enum cetane_status cetane_function_set_args(struct cetane_function *fn,
	const size_t *size, int n)
{
	if (!fn || n < 0 || (n > 0 && !size))
		return invalid("cetane_function_set_args: NULL");
	return fn->mod->dev->ops->function_set_args(fn, size, n);
}

/* ----------------------------------------------------------------- memory */

/* 0 bytes are address 0, for which no device is asked. */
enum cetane_status cetane_malloc(struct cetane_device *dev, size_t size,
	cetane_ptr *ptr)
{
	if (!dev || !ptr)
		return invalid("cetane_malloc: NULL");
	if (size == 0) {
		*ptr = 0;
		return CETANE_OK;
	}
	return dev->ops->mem_alloc(dev, size, ptr);
}

/* 0 is allowed. */
enum cetane_status cetane_free(struct cetane_device *dev, cetane_ptr ptr)
{
	if (!dev)
		return invalid("cetane_free: NULL");
	return ptr ? dev->ops->mem_free(dev, ptr) : CETANE_OK;
}

/* Queued: "src" must stay as it is until the stream has been waited for. */
enum cetane_status cetane_copy_to_device(struct cetane_device *dev,
	cetane_ptr dst, const void *src, size_t size,
	struct cetane_stream *stream)
{
	if (!dev || !fits(dev, stream))
		return invalid("cetane_copy_to_device: device or stream");
	if (size == 0)
		return CETANE_OK;
	if (!dst || !src)
		return invalid("cetane_copy_to_device: NULL");
	return dev->ops->copy_to(dev, dst, src, size, stream);
}

/* Queued: "dst" has the bytes when the stream has been waited for. */
enum cetane_status cetane_copy_from_device(struct cetane_device *dev,
	void *dst, cetane_ptr src, size_t size, struct cetane_stream *stream)
{
	if (!dev || !fits(dev, stream))
		return invalid("cetane_copy_from_device: device or stream");
	if (size == 0)
		return CETANE_OK;
	if (!dst || !src)
		return invalid("cetane_copy_from_device: NULL");
	return dev->ops->copy_from(dev, dst, src, size, stream);
}

enum cetane_status cetane_memset(struct cetane_device *dev, cetane_ptr dst,
	unsigned char value, size_t size, struct cetane_stream *stream)
{
	if (!dev || !fits(dev, stream))
		return invalid("cetane_memset: device or stream");
	if (size == 0)
		return CETANE_OK;
	if (!dst)
		return invalid("cetane_memset: NULL");
	return dev->ops->mem_set(dev, dst, value, size, stream);
}

/* ------------------------------------------------------ streams and events */

/* Owned by the caller, to be destroyed before its device is closed. */
enum cetane_status cetane_stream_create(struct cetane_device *dev,
	struct cetane_stream **stream)
{
	if (!dev || !stream)
		return invalid("cetane_stream_create: NULL");
	return dev->ops->stream_create(dev, stream);
}

/* NULL is allowed; what is queued still runs. */
void cetane_stream_destroy(struct cetane_stream *stream)
{
	if (stream)
		stream->dev->ops->stream_destroy(stream);
}

/* NULL waits for the default stream alone. */
enum cetane_status cetane_stream_synchronize(struct cetane_device *dev,
	struct cetane_stream *stream)
{
	if (!dev || !fits(dev, stream))
		return invalid("cetane_stream_synchronize: device or stream");
	return dev->ops->stream_synchronize(dev, stream);
}

enum cetane_status cetane_event_create(struct cetane_device *dev,
	struct cetane_event **event)
{
	if (!dev || !event)
		return invalid("cetane_event_create: NULL");
	return dev->ops->event_create(dev, event);
}

void cetane_event_destroy(struct cetane_event *event)
{
	if (event)
		event->dev->ops->event_destroy(event);
}

/* An event may be recorded again; then the last time counts. */
enum cetane_status cetane_event_record(struct cetane_event *event,
	struct cetane_stream *stream)
{
	if (!event || !fits(event->dev, stream))
		return invalid("cetane_event_record: event or stream");
	return event->dev->ops->event_record(event, stream);
}

enum cetane_status cetane_event_synchronize(struct cetane_event *event)
{
	if (!event)
		return invalid("cetane_event_synchronize: NULL");
	return event->dev->ops->event_synchronize(event);
}

/* Both must have been reached. */
enum cetane_status cetane_event_elapsed(struct cetane_event *start,
	struct cetane_event *stop, float *ms)
{
	if (!start || !stop || !ms || start->dev != stop->dev)
		return invalid("cetane_event_elapsed: NULL or two devices");
	return start->dev->ops->event_elapsed(start, stop, ms);
}

/* ----------------------------------------------------------------- launch */

/* The limits that every CUDA architecture has; grid 0 is left to the caller.
 *
 * In one launch: x up to 2^31 - 1, y and z up to 65535 blocks (CUDA C
 * programming guide). A grid of 0 blocks is a size of 0, which is allowed.
 */
static enum cetane_status check_shape(const unsigned *grid,
	const unsigned *block)
{
	if (!block[0] || !block[1] || !block[2])
		return invalid("cetane_launch: a block dimension is 0");
	if (block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > 64 ||
		block[0] * block[1] * block[2] > MAX_BLOCK)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "cetane_launch: "
			"a block of %u x %u x %u threads is too large",
			block[0], block[1], block[2]);
	if (grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535)
		return cetane_rt_fail(CETANE_INVALID_VALUE, "cetane_launch: "
			"a grid of %u x %u x %u blocks is too large",
			grid[0], grid[1], grid[2]);
	return CETANE_OK;
}

/* Check the grid and launch it; one of no blocks does nothing. The word at
 * "count", in which blocks that wait for one another count themselves, is 0
 * before.
 *
 * The count must be 0 in the order of the stream: so it is set by a queued
 * memset.
 */
static enum cetane_status launch_shape(struct cetane_function *fn,
	const struct cetane_rt_shape *shape, struct cetane_stream *stream,
	void **args, cetane_ptr count)
{
	struct cetane_device *dev = fn->mod->dev;
	enum cetane_status s = check_shape(shape->grid, shape->block);

	if (s != CETANE_OK)
		return s;
	if (!shape->grid[0] || !shape->grid[1] || !shape->grid[2])
		return CETANE_OK;
	if (shape->together)
		s = dev->ops->mem_set(dev, count, 0, 4, stream);
	return s == CETANE_OK ? dev->ops->launch(fn, shape, stream, args) : s;
}

/* Blocks by themselves: clusters of one. */
enum cetane_status cetane_launch(struct cetane_function *fn,
	const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
	struct cetane_stream *stream, void **args)
{
	struct cetane_rt_shape shape = { .shared_bytes = shared_bytes,
		.cluster = { 1, 1 } };

	if (!fn || !grid || !block)
		return invalid("cetane_launch: function, shape or stream");
	memcpy(shape.grid, grid, sizeof(shape.grid));
	memcpy(shape.block, block, sizeof(shape.block));
	return cetane_rt_launch_clusters(fn, &shape, stream, args);
}

/* A grid that is no whole number of clusters cannot be launched. */
enum cetane_status cetane_rt_launch_clusters(struct cetane_function *fn,
	const struct cetane_rt_shape *shape, struct cetane_stream *stream,
	void **args)
{
	if (!fits(fn->mod->dev, stream))
		return invalid("cetane_launch: function, shape or stream");
	if (shape->grid[0] % shape->cluster[0] ||
		shape->grid[1] % shape->cluster[1])
		return invalid("cetane_launch: a grid of whole clusters");
	return launch_shape(fn, shape, stream, args, 0);
}

/* "count" is a word of device memory. */
enum cetane_status cetane_rt_launch_together(struct cetane_function *fn,
	const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
	struct cetane_stream *stream, void **args, cetane_ptr count)
{
	struct cetane_rt_shape shape = { .shared_bytes = shared_bytes,
		.together = true, .cluster = { 1, 1 } };

	memcpy(shape.grid, grid, sizeof(shape.grid));
	memcpy(shape.block, block, sizeof(shape.block));
	return launch_shape(fn, &shape, stream, args, count);
}
