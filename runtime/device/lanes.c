/* Lanes: streams of the library's own, on which what does not depend on one another
 * runs at one time.
 *
 *	stream	.. fork			join ..
 *	lane 0		1st	4th
 *	lane 1		2nd	5th
 *	lane 2		3rd
 *
 * Each part of a fork goes to the next lane in turn, which waits for what was in front of
 * the fork; what is behind the join waits for all lanes that have got a part. They belong
 * to the device and are made before its first program that forks can be launched, so
 * that a launch allocates nothing. Whoever forks holds them until it joins: events have
 * one meaning at a time.
 *
 * While a stream is captured into a graph its parts stay on it, one after another: lanes
 * would belong to the capture until it ends, and nobody else could fork.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/device/device.h"

struct cetane_rt_lanes {
	pthread_mutex_t lock;
	struct cetane_stream *stream[CETANE_RT_LANES];
	struct cetane_event *fork, *join[CETANE_RT_LANES];
};

static pthread_mutex_t make_lock = PTHREAD_MUTEX_INITIALIZER;

/* Destroy what there is of "lanes". */
static void free_lanes(struct cetane_rt_lanes *lanes)
{
	for (int i = 0; i < CETANE_RT_LANES; i++) {
		cetane_event_destroy(lanes->join[i]);
		cetane_stream_destroy(lanes->stream[i]);
	}
	cetane_event_destroy(lanes->fork);
	pthread_mutex_destroy(&lanes->lock);
	free(lanes);
}

/* Make the lanes of "dev". */
static enum cetane_status make_lanes(struct cetane_device *dev)
{
	struct cetane_rt_lanes *lanes = calloc(1, sizeof(*lanes));
	enum cetane_status s;

	if (!lanes)
		return cetane_rt_no_memory();
	pthread_mutex_init(&lanes->lock, NULL);
	s = dev->ops->event_create(dev, &lanes->fork);
	for (int i = 0; i < CETANE_RT_LANES && s == CETANE_OK; i++) {
		s = dev->ops->stream_create(dev, &lanes->stream[i]);
		if (s == CETANE_OK)
			s = dev->ops->event_create(dev, &lanes->join[i]);
	}
	if (s == CETANE_OK)
		dev->lanes = lanes;
	else
		free_lanes(lanes);
	return s;
}

enum cetane_status cetane_rt_lanes_make(struct cetane_device *dev)
{
	enum cetane_status s = CETANE_OK;

	pthread_mutex_lock(&make_lock);
	if (!dev->lanes)
		s = make_lanes(dev);
	pthread_mutex_unlock(&make_lock);
	return s;
}

void cetane_rt_lanes_free(struct cetane_device *dev)
{
	if (!dev->lanes)
		return;
	free_lanes(dev->lanes);
	dev->lanes = NULL;
}

enum cetane_status cetane_rt_fork(struct cetane_rt_fork *f,
	struct cetane_device *dev, struct cetane_stream *from)
{
	enum cetane_status s;
	bool captured = true;

	*f = (struct cetane_rt_fork) { .dev = dev, .from = from };
	s = dev->lanes ? dev->ops->is_captured(dev, from, &captured) : CETANE_OK;
	if (s != CETANE_OK || captured)
		return s;
	f->lanes = dev->lanes;
	pthread_mutex_lock(&f->lanes->lock);
	s = dev->ops->event_record(f->lanes->fork, from);
	if (s != CETANE_OK)
		pthread_mutex_unlock(&f->lanes->lock);
	if (s != CETANE_OK)
		f->lanes = NULL;
	return s;
}

enum cetane_status cetane_rt_fork_next(struct cetane_rt_fork *f,
	struct cetane_stream **stream)
{
	int lane = (int) (f->n_part++ % CETANE_RT_LANES);

	*stream = f->lanes ? f->lanes->stream[lane] : f->from;
	if (!f->lanes || f->n_part > CETANE_RT_LANES)
		return CETANE_OK;
	return f->dev->ops->stream_wait(f->dev, *stream, f->lanes->fork);
}

/* Go on with the failure "*s", whose text is "why"; or else that of "one", a call. */
static void keep_first(enum cetane_status *s, char *why, size_t size,
	enum cetane_status one)
{
	if (*s != CETANE_OK || one == CETANE_OK)
		return;
	*s = one;
	snprintf(why, size, "%s", cetane_last_error());
}

/* All lanes are joined, even if one of them fails. The text of the first failure stays. */
enum cetane_status cetane_rt_join(struct cetane_rt_fork *f,
	enum cetane_status before)
{
	struct cetane_rt_lanes *lanes = f->lanes;
	enum cetane_status s = CETANE_OK;
	char why[1024];

	if (!lanes)
		return before;
	keep_first(&s, why, sizeof(why), before);
	for (uint64_t i = 0; i < CETANE_RT_LANES && i < f->n_part; i++)
		keep_first(&s, why, sizeof(why), f->dev->ops->event_record(
			lanes->join[i], lanes->stream[i]));
	for (uint64_t i = 0; i < CETANE_RT_LANES && i < f->n_part; i++)
		keep_first(&s, why, sizeof(why), f->dev->ops->stream_wait(
			f->dev, f->from, lanes->join[i]));
	f->lanes = NULL;
	pthread_mutex_unlock(&lanes->lock);
	return s == CETANE_OK ? s : cetane_rt_fail(s, "%s", why);
}
