/* Threads that wait for others: lanes that exchange values, and what warps do together. */
#include <stdlib.h>
#include "runtime/host/host.h"

/* Put the threads that go on into another order, if there is a seed. */
void cetane_rt_host_shuffle(struct host_worker *w)
{
	unsigned i;

	if (!w->launch->seed)
		return;
	for (i = w->n_list; i > 1; i--) {
		unsigned j = (unsigned) (cetane_rt_host_random(&w->random) % i);
		struct host_thread *th = w->list[j];

		w->list[j] = w->list[i - 1];
		w->list[i - 1] = th;
	}
}

/* Give each of the lanes of a warp the values of all; false if not all of them wait for
 * that.
 */
static bool tell_lanes(struct host_thread *const *lane)
{
	for (int k = 0; k < HOST_LANES; k++)
		if (!lane[k] || !lane[k]->sum || lane[k]->kind != HOST_LANES_ALL)
			return false;
	for (int k = 0; k < HOST_LANES; k++)
		for (int i = 0; i < HOST_LANES; i++)
			((uint32_t *)lane[k]->sum)[i] = lane[i]->value;
	return true;
}

/* Do what the warp of thread "i" waits for, if that is its first thread; false if not
 * all of them wait for it.
 */
static bool multiplied(struct host_thread *const *waiting, unsigned i)
{
	struct host_thread *const *lane = waiting + i - i % HOST_LANES;

	if (lane[0] && lane[0]->sum && lane[0]->kind == HOST_LANES_ALL)
		return i % HOST_LANES || tell_lanes(lane);
	return lane[0] && lane[0]->sum &&
		(i % HOST_LANES || cetane_rt_host_multiply(lane));
}

/* Does thread "i", which waits, get what it waits for? "served" says so of those before. */
static bool hand_over(struct host_thread *const *waiting, const bool *served,
	unsigned i)
{
	const struct host_thread *th = waiting[i], *other;

	if (th->sum)
		return i % HOST_LANES ? served[i - i % HOST_LANES] :
			multiplied(waiting, i);
	other = (i ^ th->barrier) < HOST_MAX_THREADS ?
		waiting[i ^ th->barrier] : NULL;
	if (!other || other->sum || other->barrier != th->barrier)
		return false;
	waiting[i]->received = other->value;
	return true;
}

/* Give those that wait their partners' values, or what their warp multiplies, and let
 * them go on, behind the others in the list. Lanes of one warp may be at different
 * exchanges; false if none has a partner.
 */
bool cetane_rt_host_serve_partners(struct host_worker *w)
{
	struct host_thread *waiting[HOST_MAX_THREADS] = { NULL };
	bool served[HOST_MAX_THREADS] = { false };
	unsigned i, n = w->n_list;

	for (i = 0; i < w->n_list; i++)
		if (w->list[i]->exchanges)
			waiting[w->list[i]->linear] = w->list[i];
	for (i = 0; i < w->launch->n_thread; i++)
		served[i] = waiting[i] && hand_over(waiting, served, i);
	for (i = w->n_list; i-- > 0;) {
		struct host_thread *th = w->list[i];

		if (!served[th->linear])
			continue;
		w->list[i] = w->list[--n];
		w->list[n] = th;
		w->n_wait--;
		w->n_exchange--;
	}
	w->position = n;
	if (!n)
		cetane_rt_host_shuffle(w);
	return n < w->n_list;
}
