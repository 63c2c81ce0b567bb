/* Streams and events of a GPU. */
#include <stdlib.h>
#include <string.h>
#include "runtime/cuda/context.h"

/* The driver's numbers, from cuda.h's enumerations (CUstream_flags, CUevent_flags). */
enum { STREAM_NON_BLOCKING = 1, EVENT_DEFAULT = 0 };

/* An event of the driver. */
struct cuda_event {
	struct cetane_event base;
	void *handle;
};

static void *event_handle(struct cetane_event *event)
{
	return ((struct cuda_event *) event)->handle;
}

/* A stream that does not wait for the legacy default stream. */
enum cetane_status cetane_rt_cuda_stream_create(struct cetane_device *dev,
	struct cetane_stream **stream)
{
	struct cuda_device *cd = to_cuda(dev);
	struct cetane_rt_cuda_stream *cs = calloc(1, sizeof(*cs));
	enum cetane_status s;

	if (!cs)
		return cetane_rt_no_memory();
	cs->base.dev = dev;
	IN_CONTEXT(s, cd, "cuStreamCreate",
		stream_create(&cs->handle, STREAM_NON_BLOCKING));
	if (s == CETANE_OK)
		*stream = &cs->base;
	else
		free(cs);
	return s;
}

void cetane_rt_cuda_stream_destroy(struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(stream->dev);

	QUIETLY(cd, stream_destroy(stream_handle(stream)));
	free(stream);
}

enum cetane_status cetane_rt_cuda_stream_synchronize(struct cetane_device *dev,
	struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuStreamSynchronize",
		stream_synchronize(stream_handle(stream)));
	return s;
}

enum cetane_status cetane_rt_cuda_stream_wait(struct cetane_device *dev,
	struct cetane_stream *stream, struct cetane_event *event)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuStreamWaitEvent",
		stream_wait(stream_handle(stream), event_handle(event), 0));
	return s;
}

/* The legacy stream counts as captured while a capture goes on that it would break. */
enum cetane_status cetane_rt_cuda_is_captured(struct cetane_device *dev,
	struct cetane_stream *stream, bool *yes)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s = CETANE_OK;
	int r, captured = 0;

	*yes = false;
	if (!cd->driver->stream_capturing)
		return s;
	s = enter(cd);
	if (s != CETANE_OK)
		return s;
	r = cd->driver->stream_capturing(stream_handle(stream), &captured);
	leave(cd);
	*yes = r == STREAM_CAPTURE_IMPLICIT || (r == 0 && captured);
	return *yes ? CETANE_OK : cetane_rt_driver_status(cd->driver,
		"cuStreamIsCapturing", r);
}

enum cetane_status cetane_rt_cuda_event_create(struct cetane_device *dev,
	struct cetane_event **event)
{
	struct cuda_device *cd = to_cuda(dev);
	struct cuda_event *ce = calloc(1, sizeof(*ce));
	enum cetane_status s;

	if (!ce)
		return cetane_rt_no_memory();
	ce->base.dev = dev;
	IN_CONTEXT(s, cd, "cuEventCreate",
		event_create(&ce->handle, EVENT_DEFAULT));
	if (s == CETANE_OK)
		*event = &ce->base;
	else
		free(ce);
	return s;
}

void cetane_rt_cuda_event_destroy(struct cetane_event *event)
{
	struct cuda_device *cd = to_cuda(event->dev);

	QUIETLY(cd, event_destroy(event_handle(event)));
	free(event);
}

enum cetane_status cetane_rt_cuda_event_record(struct cetane_event *event,
	struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(event->dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuEventRecord",
		event_record(event_handle(event), stream_handle(stream)));
	return s;
}

enum cetane_status cetane_rt_cuda_event_synchronize(struct cetane_event *event)
{
	struct cuda_device *cd = to_cuda(event->dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuEventSynchronize",
		event_synchronize(event_handle(event)));
	return s;
}

/* Milliseconds, with the driver's resolution of about half a microsecond
 * (cuEventElapsedTime). Fails with NOT_READY if one of the two has not been
 * reached.
 */
enum cetane_status cetane_rt_cuda_event_elapsed(struct cetane_event *start,
	struct cetane_event *stop, float *ms)
{
	struct cuda_device *cd = to_cuda(start->dev);
	enum cetane_status s;
	float t = 0;

	IN_CONTEXT(s, cd, "cuEventElapsedTime", event_elapsed(&t,
		event_handle(start), event_handle(stop)));
	if (s == CETANE_OK)
		*ms = t;
	return s;
}
