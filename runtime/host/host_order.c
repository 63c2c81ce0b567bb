/* What barriers in shared memory put in order, for the checks of the host device.
 *
 * Of each thread of a block the checks keep up to which segment it knows what each other
 * thread has done: accesses of earlier segments are before what it does now. Who arrives
 * at a barrier of bytes tells that what it knows, and that of itself all up to now; who
 * has waited for a phase knows what the barrier was told. Copies that land at the end of a
 * phase are done by who started them.
 *
 *	thread 5	reads A		arrive	->	segment 8
 *	thread 0				wait	known[0][5] = 8
 *			writes A: the read of segment 7 is before
 *
 * All is in order anyway that lies before the last barrier of the block. Where threads are
 * those of a cluster a barrier of one block is one at which its threads tell all they know.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* What a barrier was told: a row of segments, one a thread. */
struct told {
	const void *barrier;
	uint32_t *row;
};

struct host_order {
	unsigned n_thread;
	uint32_t *known;	/* a row for each thread */
	struct told *told;
	size_t n_told, cap_told;
};

struct host_order *cetane_rt_host_order_new(unsigned n_thread)
{
	struct host_order *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->n_thread = n_thread;
	o->known = calloc((size_t) n_thread * n_thread, sizeof(*o->known));
	if (!o->known) {
		free(o);
		return NULL;
	}
	return o;
}

void cetane_rt_host_order_free(struct host_order *o)
{
	size_t i;

	if (!o)
		return;
	for (i = 0; i < o->n_told; i++)
		free(o->told[i].row);
	free(o->told);
	free(o->known);
	free(o);
}

/* The row of "barrier", or NULL without memory. */
static uint32_t *row_told(struct host_order *o, const void *barrier)
{
	size_t i, cap = o->cap_told ? 2 * o->cap_told : 16;
	struct told *more;

	for (i = 0; i < o->n_told; i++)
		if (o->told[i].barrier == barrier)
			return o->told[i].row;
	if (o->n_told == o->cap_told) {
		more = realloc(o->told, cap * sizeof(*more));
		if (!more)
			return NULL;
		o->told = more;
		o->cap_told = cap;
	}
	o->told[i].barrier = barrier;
	o->told[i].row = calloc(o->n_thread, sizeof(*o->told[i].row));
	if (o->told[i].row)
		o->n_told++;
	return o->told[i].row;
}

static void join(uint32_t *to, const uint32_t *from, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (from[i] > to[i])
			to[i] = from[i];
}

static uint32_t *known_to(const struct host_order *o, unsigned thread)
{
	return o->known + (size_t) thread * o->n_thread;
}

bool cetane_rt_host_order_tell(struct host_order *o, unsigned thread,
	const void *barrier, uint32_t segment)
{
	uint32_t *row = row_told(o, barrier);

	if (!row)
		return false;
	known_to(o, thread)[thread] = segment;
	join(row, known_to(o, thread), o->n_thread);
	return true;
}

bool cetane_rt_host_order_hear(struct host_order *o, unsigned thread,
	const void *barrier)
{
	uint32_t *row = row_told(o, barrier);

	if (row)
		join(known_to(o, thread), row, o->n_thread);
	return row != NULL;
}

void cetane_rt_host_order_meet(struct host_order *o, unsigned first, unsigned n,
	uint32_t segment)
{
	unsigned i;

	for (i = first; i < first + n; i++) {
		known_to(o, i)[i] = segment;
		join(known_to(o, first), known_to(o, i), o->n_thread);
	}
	for (i = first; i < first + n; i++)
		join(known_to(o, i), known_to(o, first), o->n_thread);
}

uint32_t cetane_rt_host_order_known(const struct host_order *o, unsigned thread,
	unsigned other)
{
	return o && thread < o->n_thread && other < o->n_thread ?
		known_to(o, thread)[other] : 0;
}
