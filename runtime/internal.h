/* What the files of runtime/ share: the records behind the opaque types of
 * cetane_rt.h and the table of operations that each kind of device fills.
 *
 * Every record of a backend starts with the record declared here, so that a
 * call of cetane_rt.h finds the operations of the device without knowing its
 * kind. Names that only the library uses start with cetane_rt_.
 */
#ifndef CETANE_INTERNAL_H
#define CETANE_INTERNAL_H

#include <stdbool.h>
#include "cetane_rt.h"

#define CETANE_INTERNAL __attribute__((visibility("hidden")))

struct cetane_backend;

struct cetane_device {
	const struct cetane_backend *ops;
	int capability;
	char name[256];
};
struct cetane_module {
	struct cetane_device *dev;
};
struct cetane_function {
	struct cetane_module *mod;
};
struct cetane_stream {
	struct cetane_device *dev;
};
struct cetane_event {
	struct cetane_device *dev;
};

/* The shape of one launch; checked by cetane_launch before a backend sees
 * it: no dimension is 0 and all are within the limits of CUDA. "together": all
 * blocks must be on the device at once, as they wait for one another. "cluster": so
 * must that many neighbouring ones along x and y, of which the grid has whole
 * numbers.
 */
struct cetane_rt_shape {
	unsigned grid[3], block[3], cluster[2], shared_bytes;
	bool together;
};

/* One kind of device. Arguments were checked for NULL and for belonging to
 * "dev" before; "stream" may be NULL, "size" is at least 1. Each function
 * that fails has set the calling thread's last error.
 */
struct cetane_backend {
	void (*close)(struct cetane_device *dev);
	enum cetane_status (*synchronize)(struct cetane_device *dev);

	enum cetane_status (*module_load)(struct cetane_device *dev,
		const void *image, size_t size, struct cetane_module **mod);
	enum cetane_status (*module_unload)(struct cetane_module *mod);
	enum cetane_status (*module_function)(struct cetane_module *mod,
		const char *name, struct cetane_function **fn);
	enum cetane_status (*function_set_args)(struct cetane_function *fn,
		const size_t *size, int n);

	enum cetane_status (*mem_alloc)(struct cetane_device *dev, size_t size,
		cetane_ptr *ptr);
	enum cetane_status (*mem_free)(struct cetane_device *dev,
		cetane_ptr ptr);
	/* The bytes from "ptr" to the end of its allocation, or of a part of
	 * it that the device keeps apart; CETANE_INVALID_ADDRESS if there is
	 * none.
	 */
	enum cetane_status (*mem_rest)(struct cetane_device *dev,
		cetane_ptr ptr, size_t *rest);
	enum cetane_status (*copy_to)(struct cetane_device *dev,
		cetane_ptr dst, const void *src, size_t size,
		struct cetane_stream *stream);
	enum cetane_status (*copy_from)(struct cetane_device *dev, void *dst,
		cetane_ptr src, size_t size, struct cetane_stream *stream);
	enum cetane_status (*mem_set)(struct cetane_device *dev,
		cetane_ptr dst, unsigned char value, size_t size,
		struct cetane_stream *stream);

	enum cetane_status (*stream_create)(struct cetane_device *dev,
		struct cetane_stream **stream);
	void (*stream_destroy)(struct cetane_stream *stream);
	enum cetane_status (*stream_synchronize)(struct cetane_device *dev,
		struct cetane_stream *stream);
	enum cetane_status (*event_create)(struct cetane_device *dev,
		struct cetane_event **event);
	void (*event_destroy)(struct cetane_event *event);
	enum cetane_status (*event_record)(struct cetane_event *event,
		struct cetane_stream *stream);
	enum cetane_status (*event_synchronize)(struct cetane_event *event);
	enum cetane_status (*event_elapsed)(struct cetane_event *start,
		struct cetane_event *stop, float *ms);

	enum cetane_status (*launch)(struct cetane_function *fn,
		const struct cetane_rt_shape *shape,
		struct cetane_stream *stream, void **args);
};

/* api.c */

/* As cetane_launch, of blocks that wait for one another: they count themselves in
 * the four bytes at "count", which are made 0 first.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_launch_together(
	struct cetane_function *fn, const unsigned grid[3],
	const unsigned block[3], unsigned shared_bytes,
	struct cetane_stream *stream, void **args, cetane_ptr count);

/* As cetane_launch, of clusters of blocks, which their kernel names for a GPU. */
CETANE_INTERNAL enum cetane_status cetane_rt_launch_clusters(
	struct cetane_function *fn, const unsigned grid[3],
	const unsigned block[3], const unsigned cluster[2],
	unsigned shared_bytes, struct cetane_stream *stream, void **args);

/* error.c */

/* Set the calling thread's last error and return "s". The text is cut at
 * 1023 bytes.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_fail(enum cetane_status s,
	const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The host has no memory left. */
CETANE_INTERNAL enum cetane_status cetane_rt_no_memory(void);

/* driver.c */

/* The entry points of the CUDA driver, one member for each row of
 * driver.def.
 */
struct cetane_rt_driver {
#define DRIVER(name, symbol, params) int (*name) params;
#define OPTIONAL(name, symbol, params) int (*name) params;
#include "driver.def"
#undef DRIVER
#undef OPTIONAL
};
/* Open and initialise the driver, once per process. On success "*driver"
 * lives as long as the process.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_driver_open(
	const struct cetane_rt_driver **driver);
/* Turn the result "r" of the driver's entry point "what" into a status; text
 * of the driver becomes the last error.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_driver_status(
	const struct cetane_rt_driver *driver, const char *what, int r);

/* cuda.c */

/* Open the CUDA device "ordinal". */
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_open(int ordinal,
	struct cetane_device **dev);
/* A CUDA context that the caller made current, and its number, which is never
 * given again (0 if the driver is too old to tell).
 */
struct cetane_rt_context {
	void *handle;
	unsigned long long id;
};
/* The calling thread's current context; CETANE_NO_CONTEXT without one. */
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_current(
	struct cetane_rt_context *ctx);
/* A device for the context "ctx", which is current and stays the caller's. */
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_borrow(
	const struct cetane_rt_context *ctx, struct cetane_device **dev);
/* A stream of the driver as a stream of ours; valid while both are. */
struct cetane_rt_cuda_stream {
	struct cetane_stream base;
	void *handle;
};
CETANE_INTERNAL struct cetane_rt_cuda_stream cetane_rt_cuda_wrap(
	struct cetane_device *dev, void *handle);
/* The driver's handle of a function of a CUDA device. */
CETANE_INTERNAL void *cetane_rt_cuda_function(struct cetane_function *fn);
/* CETANE_OK, unless "stream" is being captured into a graph: then
 * CETANE_NOT_LOADED, or what the driver says of the stream. It is a struct
 * cetane_stream * of "dev", or, if that is NULL, a CUstream of the current
 * context.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_no_capture(
	struct cetane_device *dev, void *stream);

/* host.c */

/* Open the host device. */
CETANE_INTERNAL enum cetane_status cetane_rt_host_open(
	struct cetane_device **dev);
/* The table of the host device, to tell it from others. */
CETANE_INTERNAL extern const struct cetane_backend cetane_rt_host_backend;

/* round.c */

/* cetane_host_fma and cetane_host_fmaf without the processor's instruction. */
CETANE_INTERNAL double cetane_rt_fma_exact(double x, double y, double z);
CETANE_INTERNAL float cetane_rt_fmaf_exact(float x, float y, float z);

/* program.c */

/* The device is about to be closed: unload what is loaded on it. */
CETANE_INTERNAL void cetane_rt_program_leave(struct cetane_device *dev);

#endif
