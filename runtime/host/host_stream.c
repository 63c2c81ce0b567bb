/* Streams of the host device: queues of work that runs when it is waited for.
 *
 * Nothing runs before a call waits for it. A program that reads a result
 * without waiting, or waits for another stream than it used, sees what was
 * there before: the same mistake fails here every time and on a GPU now and
 * then. For the same reason a copy to the device reads its source when the
 * copy runs, not when it is queued.
 *
 * Work that waits for other streams has these run first, up to where it waits
 * for. Of several streams that it waits for at one place, a seed chooses which
 * runs its next operation, so that they mix in any order.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* Its queue is empty: "tail" is where the next operation is hung on. */
void cetane_rt_host_stream_init(struct host_device *hd,
	struct host_stream *hs)
{
	memset(hs, 0, sizeof(*hs));
	hs->base.dev = &hd->base;
	hs->tail = &hs->head;
}

/* NULL is the device's default stream. */
struct host_stream *cetane_rt_host_stream(struct host_device *hd,
	struct cetane_stream *stream)
{
	return stream ? (struct host_stream *) stream : &hd->stream0;
}

/* "op" is copied. NULL, having failed, without memory. The caller holds the
 * device's lock.
 */
struct host_op *cetane_rt_host_push(struct host_stream *hs,
	const struct host_op *op)
{
	struct host_op *copy = malloc(sizeof(*copy));

	if (!copy) {
		cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	*copy = *op;
	copy->next = NULL;
	*hs->tail = copy;
	hs->tail = &copy->next;
	hs->n_pushed++;
	return copy;
}

/* Take the first operation off the queue, which is not empty.
 *
 * The operation is the caller's to free.
 */
static struct host_op *pop(struct host_stream *hs)
{
	struct host_op *op = hs->head;

	hs->head = op->next;
	if (!hs->head)
		hs->tail = &hs->head;
	hs->n_begun++;
	return op;
}

/* The mark of "e" was reached with status "s".
 *
 * The time is that of the machine, which is enough for events: an interval is
 * what the host needed.
 */
static void complete(struct host_event *e, enum cetane_status s)
{
	e->op = NULL;
	e->completed = true;
	e->status = s;
	clock_gettime(CLOCK_MONOTONIC, &e->when);
}

static enum cetane_status run_first(struct host_device *hd,
	struct host_stream *hs);

/* Has "op", a wait, got what it waits for? */
static bool is_over(const struct host_op *op)
{
	return op->other->n_begun >= op->number;
}

/* The failure of what "op", a wait, waits for, if it failed. */
static enum cetane_status failure_of(const struct host_op *op)
{
	const struct host_stream *of = op->other;

	if (op->number < of->first || op->number > of->last)
		return CETANE_OK;
	return cetane_rt_fail(of->status, "work on another stream failed, for "
		"which this one waits: %s", cetane_status_text(of->status));
}

/* The waits that stand at the head of a queue, all of which come before anything else
 * of it does.
 */
enum { MOST_WAITS = 32 };

/* Run what "first", a wait, and those right behind it in "hs" wait for, in an order that
 * the seed chooses. The first failure.
 */
static enum cetane_status run_awaited(struct host_device *hd, struct host_stream *hs,
	const struct host_op *first)
{
	struct host_op wait[MOST_WAITS] = { *first };
	uint64_t mix = hd->seed ^ first->number;
	enum cetane_status s = CETANE_OK, one;
	int n = 1, left = 1, i, k;

	while (n < MOST_WAITS && hs->head && hs->head->kind == HOST_WAIT) {
		struct host_op *op = pop(hs);

		wait[n++] = *op;
		free(op);
	}
	while (left) {
		for (i = left = 0; i < n; i++)
			left += !is_over(&wait[i]);
		k = left && hd->seed ? (int) (cetane_rt_host_random(&mix) %
			(unsigned) left) : 0;
		for (i = 0; i < n && left; i++)
			if (!is_over(&wait[i]) && k-- == 0) {
				one = run_first(hd, wait[i].other);
				s = s == CETANE_OK ? one : s;
			}
	}
	for (i = 0; i < n && s == CETANE_OK; i++)
		s = failure_of(&wait[i]);
	return s;
}

/* Do "op", whose turn has come in its stream "hs".
 *
 * Ranges were checked when it was queued; memory that was freed since then has
 * run the queue first (cetane_rt_host_free).
 */
static enum cetane_status run_op(struct host_device *hd,
	struct host_stream *hs, const struct host_op *op)
{
	switch (op->kind) {
	case HOST_COPY_TO:
		memcpy((void *) (uintptr_t) op->device, op->src, op->size);
		cetane_rt_host_wrote(hd, op->device, op->size);
		break;
	case HOST_COPY_FROM:
		memcpy(op->dst, (const void *) (uintptr_t) op->device,
			op->size);
		break;
	case HOST_MEMSET:
		memset((void *) (uintptr_t) op->device, op->value, op->size);
		cetane_rt_host_wrote(hd, op->device, op->size);
		break;
	case HOST_LAUNCH:
		return cetane_rt_host_run(op->launch);
	case HOST_MARK:
		if (op->event)
			complete(op->event, CETANE_OK);
		break;
	case HOST_WAIT:
		return run_awaited(hd, hs, op);
	}
	return CETANE_OK;
}

static void free_op(struct host_op *op)
{
	free(op->launch);
	free(op);
}

/* Drop the queue because of failure "s".
 *
 * What is behind a failure does not run, as on a GPU, whose context is lost.
 */
static void drop(struct host_stream *hs, enum cetane_status s)
{
	hs->status = s;
	hs->first = hs->n_begun;
	hs->last = hs->n_pushed;
	while (hs->head) {
		struct host_op *op = pop(hs);

		if (op->kind == HOST_MARK && op->event)
			complete(op->event, s);
		free_op(op);
	}
}

/* Run the first operation of "hs", which has one; a failure ends the queue. */
static enum cetane_status run_first(struct host_device *hd,
	struct host_stream *hs)
{
	struct host_op *op = pop(hs);
	enum cetane_status s = run_op(hd, hs, op);

	free_op(op);
	if (s != CETANE_OK)
		drop(hs, s);
	return s;
}

/* Runs up to "last", or all of it if that is NULL. Returns the first failure.
 */
enum cetane_status cetane_rt_host_drain_stream(struct host_device *hd,
	struct host_stream *hs, const struct host_op *last)
{
	enum cetane_status s = CETANE_OK;
	bool end = false;

	while (hs->head && !end) {
		end = hs->head == last;
		s = run_first(hd, hs);
		end |= s != CETANE_OK;
	}
	return s;
}

/* All streams in the order in which they were made; all run, even if one fails,
 * and the first failure is returned.
 */
enum cetane_status cetane_rt_host_drain(struct host_device *hd)
{
	enum cetane_status first = CETANE_OK;
	struct host_stream *hs;

	for (hs = &hd->stream0; hs; hs = hs->next) {
		enum cetane_status s =
			cetane_rt_host_drain_stream(hd, hs, NULL);

		if (first == CETANE_OK)
			first = s;
	}
	return first;
}

enum cetane_status cetane_rt_host_synchronize(struct cetane_device *dev)
{
	struct host_device *hd = (struct host_device *) dev;
	enum cetane_status s;

	pthread_mutex_lock(&hd->lock);
	s = cetane_rt_host_drain(hd);
	pthread_mutex_unlock(&hd->lock);
	return s;
}

/* Queue an operation on device memory after checking its range.
 *
 * The range must lie in one allocation, whatever the operation.
 */
static enum cetane_status push_memory(struct cetane_device *dev,
	const struct host_op *op, struct cetane_stream *stream)
{
	struct host_device *hd = (struct host_device *) dev;
	enum cetane_status s = CETANE_OK;

	pthread_mutex_lock(&hd->lock);
	if (!cetane_rt_host_range(hd, op->device, op->size))
		s = cetane_rt_fail(CETANE_INVALID_ADDRESS,
			"%zu bytes at %#llx are not in one allocation",
			op->size, (unsigned long long) op->device);
	else if (!cetane_rt_host_push(cetane_rt_host_stream(hd, stream), op))
		s = CETANE_OUT_OF_MEMORY;
	pthread_mutex_unlock(&hd->lock);
	return s;
}

enum cetane_status cetane_rt_host_copy_to(struct cetane_device *dev,
	cetane_ptr dst, const void *src, size_t size,
	struct cetane_stream *stream)
{
	struct host_op op = {
		.kind = HOST_COPY_TO, .device = dst, .src = src, .size = size
	};

	return push_memory(dev, &op, stream);
}

enum cetane_status cetane_rt_host_copy_from(struct cetane_device *dev,
	void *dst, cetane_ptr src, size_t size, struct cetane_stream *stream)
{
	struct host_op op = {
		.kind = HOST_COPY_FROM, .device = src, .dst = dst,
		.size = size
	};

	return push_memory(dev, &op, stream);
}

enum cetane_status cetane_rt_host_memset(struct cetane_device *dev,
	cetane_ptr dst, unsigned char value, size_t size,
	struct cetane_stream *stream)
{
	struct host_op op = {
		.kind = HOST_MEMSET, .device = dst, .value = value,
		.size = size
	};

	return push_memory(dev, &op, stream);
}

/* An event that was never recorded is complete, as on a GPU. */
enum cetane_status cetane_rt_host_stream_wait(struct cetane_device *dev,
	struct cetane_stream *stream, struct cetane_event *event)
{
	struct host_device *hd = (struct host_device *) dev;
	const struct host_event *e = (struct host_event *) event;
	struct host_op op = { .kind = HOST_WAIT };
	enum cetane_status s = CETANE_OK;

	pthread_mutex_lock(&hd->lock);
	op.other = e->stream;
	op.number = e->number;
	if (e->number && !cetane_rt_host_push(cetane_rt_host_stream(hd, stream),
			&op))
		s = CETANE_OUT_OF_MEMORY;
	pthread_mutex_unlock(&hd->lock);
	return s;
}

enum cetane_status cetane_rt_host_is_captured(struct cetane_device *dev,
	struct cetane_stream *stream, bool *yes)
{
	(void) dev;
	(void) stream;
	*yes = false;
	return CETANE_OK;
}

/* Arguments are copied now: the caller may reuse them at once. */
enum cetane_status cetane_rt_host_launch(struct cetane_function *fn,
	const struct cetane_rt_shape *shape, struct cetane_stream *stream,
	void **args)
{
	struct host_device *hd = (struct host_device *) fn->mod->dev;
	struct host_op op = { .kind = HOST_LAUNCH };
	enum cetane_status s;

	pthread_mutex_lock(&hd->lock);
	s = cetane_rt_host_launch_new((struct host_function *) fn, shape,
		args, &op.launch);
	if (s == CETANE_OK &&
		!cetane_rt_host_push(cetane_rt_host_stream(hd, stream), &op)) {
		free(op.launch);
		s = CETANE_OUT_OF_MEMORY;
	}
	pthread_mutex_unlock(&hd->lock);
	return s;
}

/* The new stream goes to the end of the device's list, so that a device runs
 * its streams in the order in which they were made.
 *
 * The default stream is the head of the list and is never removed.
 */
enum cetane_status cetane_rt_host_stream_create(struct cetane_device *dev,
	struct cetane_stream **stream)
{
	struct host_device *hd = (struct host_device *) dev;
	struct host_stream *hs = malloc(sizeof(*hs)), *last;

	if (!hs)
		return cetane_rt_fail(CETANE_OUT_OF_MEMORY, "out of memory");
	cetane_rt_host_stream_init(hd, hs);
	pthread_mutex_lock(&hd->lock);
	for (last = &hd->stream0; last->next; last = last->next)
		;
	last->next = hs;
	pthread_mutex_unlock(&hd->lock);
	*stream = &hs->base;
	return CETANE_OK;
}

/* What is waited for on "gone", a stream on which nothing is left, is over. */
static void end_waits(struct host_device *hd, const struct host_stream *gone)
{
	for (struct host_stream *hs = &hd->stream0; hs; hs = hs->next)
		for (struct host_op *op = hs->head; op; op = op->next)
			if (op->kind == HOST_WAIT && op->other == gone) {
				op->kind = HOST_MARK;
				op->event = NULL;
			}
}

/* What is queued runs first.
 *
 * The failure of what runs here is lost, as of cuStreamDestroy.
 */
void cetane_rt_host_stream_destroy(struct cetane_stream *stream)
{
	struct host_stream *hs = (struct host_stream *) stream, *p;
	struct host_device *hd = (struct host_device *) stream->dev;

	pthread_mutex_lock(&hd->lock);
	cetane_rt_host_drain_stream(hd, hs, NULL);
	end_waits(hd, hs);
	for (p = &hd->stream0; p->next != hs; p = p->next)
		;
	p->next = hs->next;
	pthread_mutex_unlock(&hd->lock);
	free(hs);
}

enum cetane_status cetane_rt_host_stream_synchronize(
	struct cetane_device *dev, struct cetane_stream *stream)
{
	struct host_device *hd = (struct host_device *) dev;
	enum cetane_status s;

	pthread_mutex_lock(&hd->lock);
	s = cetane_rt_host_drain_stream(hd,
		cetane_rt_host_stream(hd, stream), NULL);
	pthread_mutex_unlock(&hd->lock);
	return s;
}
