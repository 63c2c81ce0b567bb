/* A GPU by its context, and calls of the driver inside it: what the operations in
 * cuda.c, cuda_memory.c and cuda_stream.c share. Each of them is a row of the table
 * in cuda.c (runtime/device/device.h says what it does).
 */
#ifndef CETANE_CUDA_CONTEXT_H
#define CETANE_CUDA_CONTEXT_H

#include <pthread.h>
#include <stdint.h>
#include "runtime/cuda/cuda.h"

/* A CUresult: of the legacy stream, while a capture goes on that it would break. */
enum { STREAM_CAPTURE_IMPLICIT = 906 };

/* A GPU by its context. */
struct cuda_device {
	struct cetane_device base;
	const struct cetane_rt_driver *driver;
	int handle;		/* CUdevice */
	void *ctx;
	int borrowed;		/* the context is the caller's */
	pthread_mutex_t lock;	/* functions of modules, their max_shared */
};

static inline struct cuda_device *to_cuda(struct cetane_device *dev)
{
	return (struct cuda_device *) dev;
}

/* NULL is the legacy default stream to the driver. */
static inline void *stream_handle(struct cetane_stream *stream)
{
	return stream ? ((struct cetane_rt_cuda_stream *) stream)->handle : NULL;
}

static inline enum cetane_status enter(struct cuda_device *cd)
{
	return cetane_rt_driver_status(cd->driver, "cuCtxPushCurrent",
		cd->driver->ctx_push(cd->ctx));
}

static inline void leave(struct cuda_device *cd)
{
	void *ctx;

	cd->driver->ctx_pop(&ctx);
}

/* Evaluate a call of the driver inside the device's context: "s" becomes
 * its status.
 *
 * cd->driver->__VA_ARGS__ is the call with its arguments; "what" its name for
 * messages.
 */
#define IN_CONTEXT(s, cd, what, ...) \
	do { \
		(s) = enter(cd); \
		if ((s) == CETANE_OK) { \
			(s) = cetane_rt_driver_status((cd)->driver, what, \
				(cd)->driver->__VA_ARGS__); \
			leave(cd); \
		} \
	} while (0)

/* The same where nobody asks for the status; the last error stays. What the
 * driver does not destroy then ends with its context.
 */
#define QUIETLY(cd, ...) \
	do { \
		if ((cd)->driver->ctx_push((cd)->ctx) == 0) { \
			(cd)->driver->__VA_ARGS__; \
			leave(cd); \
		} \
	} while (0)

/* cuda_memory.c */

CETANE_INTERNAL enum cetane_status cetane_rt_cuda_malloc(
	struct cetane_device *dev, size_t size, cetane_ptr *ptr);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_free(
	struct cetane_device *dev, cetane_ptr ptr);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_rest(
	struct cetane_device *dev, cetane_ptr ptr, size_t *rest);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_copy_to(
	struct cetane_device *dev, cetane_ptr dst, const void *src, size_t size,
	struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_copy_from(
	struct cetane_device *dev, void *dst, cetane_ptr src, size_t size,
	struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_memset(
	struct cetane_device *dev, cetane_ptr dst, unsigned char value,
	size_t size, struct cetane_stream *stream);

/* cuda_stream.c */

CETANE_INTERNAL enum cetane_status cetane_rt_cuda_stream_create(
	struct cetane_device *dev, struct cetane_stream **stream);
CETANE_INTERNAL void cetane_rt_cuda_stream_destroy(
	struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_stream_synchronize(
	struct cetane_device *dev, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_stream_wait(
	struct cetane_device *dev, struct cetane_stream *stream,
	struct cetane_event *event);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_is_captured(
	struct cetane_device *dev, struct cetane_stream *stream, bool *yes);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_event_create(
	struct cetane_device *dev, struct cetane_event **event);
CETANE_INTERNAL void cetane_rt_cuda_event_destroy(struct cetane_event *event);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_event_record(
	struct cetane_event *event, struct cetane_stream *stream);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_event_synchronize(
	struct cetane_event *event);
CETANE_INTERNAL enum cetane_status cetane_rt_cuda_event_elapsed(
	struct cetane_event *start, struct cetane_event *stop, float *ms);

#endif
