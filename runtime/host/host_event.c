/* Events of the host device: a mark in a stream's queue.
 *
 * Recording an event again moves it: its former mark becomes void. Waiting
 * for an event runs its stream up to the mark and no further.
 */
#include <stdlib.h>
#include "runtime/host/host.h"

enum cetane_status cetane_rt_host_event_create(struct cetane_device *dev,
	struct cetane_event **event)
{
	struct host_event *e = calloc(1, sizeof(*e));

	if (!e)
		return cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
	e->base.dev = dev;
	*event = &e->base;
	return CETANE_OK;
}

void cetane_rt_host_event_destroy(struct cetane_event *event)
{
	struct host_device *hd = (struct host_device *) event->dev;
	struct host_event *e = (struct host_event *) event;

	pthread_mutex_lock(&hd->lock);
	if (e->op)
		e->op->event = NULL;
	pthread_mutex_unlock(&hd->lock);
	free(e);
}

enum cetane_status cetane_rt_host_event_record(struct cetane_event *event,
	struct cetane_stream *stream)
{
	struct host_device *hd = (struct host_device *) event->dev;
	struct host_event *e = (struct host_event *) event;
	struct host_op op = { .kind = HOST_MARK, .event = e };
	struct host_op *mark;

	pthread_mutex_lock(&hd->lock);
	mark = cetane_rt_host_push(cetane_rt_host_stream(hd, stream), &op);
	if (mark) {
		if (e->op)
			e->op->event = NULL;
		e->op = mark;
		e->stream = cetane_rt_host_stream(hd, stream);
		e->number = e->stream->n_pushed;
		e->completed = false;
	}
	pthread_mutex_unlock(&hd->lock);
	return mark ? CETANE_OK : CETANE_OUT_OF_MEMORY;
}

/* An event that was never recorded is complete, as on a GPU. */
enum cetane_status cetane_rt_host_event_synchronize(
	struct cetane_event *event)
{
	struct host_device *hd = (struct host_device *) event->dev;
	struct host_event *e = (struct host_event *) event;
	enum cetane_status s = CETANE_OK;

	pthread_mutex_lock(&hd->lock);
	if (e->op)
		s = cetane_rt_host_drain_stream(hd, e->stream, e->op);
	else if (e->completed && e->status != CETANE_OK)
		s = cetane_rt_fail(e->status, "work before the event failed: "
			"%s", cetane_status_text(e->status));
	pthread_mutex_unlock(&hd->lock);
	return s;
}

enum cetane_status cetane_rt_host_event_elapsed(struct cetane_event *start,
	struct cetane_event *stop, float *ms)
{
	struct host_device *hd = (struct host_device *) start->dev;
	const struct host_event *a = (struct host_event *) start;
	const struct host_event *b = (struct host_event *) stop;
	bool ready;

	pthread_mutex_lock(&hd->lock);
	ready = a->completed && b->completed && a->status == CETANE_OK &&
		b->status == CETANE_OK;
	if (ready)
		*ms = (float) ((b->when.tv_sec - a->when.tv_sec) * 1e3 +
			(b->when.tv_nsec - a->when.tv_nsec) * 1e-6);
	pthread_mutex_unlock(&hd->lock);
	return ready ? CETANE_OK : cetane_rt_fail(CETANE_NOT_READY,
		"cetane_event_elapsed: an event is not complete");
}
