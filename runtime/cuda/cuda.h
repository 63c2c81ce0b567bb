/* GPUs, through the entry points of the CUDA driver. */
#ifndef CETANE_CUDA_H
#define CETANE_CUDA_H

#include "runtime/base/base.h"

/* driver.c */

/* The entry points of the CUDA driver, one member for each row of
 * driver.def.
 */
struct cetane_rt_driver {
#define DRIVER(name, symbol, params) int (*name) params;
#define OPTIONAL(name, symbol, params) int (*name) params;
#include "runtime/cuda/driver.def"
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

/* launch.c */

/* Launch the driver's function "fn" on its stream "stream"; "args" points to the arguments,
 * which the driver copies before it returns.
 */
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_launch(
	const struct cetane_rt_driver *driver, void *fn,
	const struct cetane_rt_shape *shape, void *stream, void **args);

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

#endif
