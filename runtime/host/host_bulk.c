/* Copies in bulk on the host device, and the barriers that count their bytes.
 *
 * As other asynchronous copies, they land as late as they may: when the first
 * thread waits for the phase in which they were started, which ends with that.
 */
#include <stdlib.h>
#include "runtime/host/host.h"

/* Both addresses and the size of a copy in bulk are multiples of it. */
enum { BULK_UNIT = 16 };

/* What a barrier is in shared memory: the threads that each phase is for, and
 * those that have not arrived in this one; bytes that are expected and have not
 * been copied.
 */
struct host_mbarrier {
	uint16_t phase : 1, count : 15;
	uint16_t pending;
	int32_t bytes;
};
_Static_assert(sizeof(struct host_mbarrier) == 8, "as large as on a GPU");

/* End the phase of "m": its copies land. */
static void end_phase(struct host_worker *w, struct host_mbarrier *m)
{
	size_t i, n = 0;

	for (i = 0; i < w->n_bulk; i++)
		if (w->bulk[i].barrier == m)
			cetane_rt_host_land(&w->bulk[i].thread->t,
				&w->bulk[i].copy);
		else
			w->bulk[n++] = w->bulk[i];
	w->n_bulk = n;
	m->phase = !m->phase;
	m->pending = m->count;
}

static bool is_full(const struct host_mbarrier *m)
{
	return m->pending == 0 && m->bytes == 0;
}

bool cetane_rt_host_ends(const struct host_mbarrier *m, uint32_t parity)
{
	return m->phase != parity || is_full(m);
}

void cetane_host_mbarrier_init(struct cetane_host_thread *t, void *barrier,
	uint32_t count)
{
	struct host_mbarrier *m = barrier;

	(void)t;
	*m = (struct host_mbarrier){ .count = count & 0x7fff };
	m->pending = m->count;
}

/* Who arrives at a phase that may have ended begins the next one. */
void cetane_host_mbarrier_expect(struct cetane_host_thread *t, void *barrier,
	uint32_t bytes)
{
	struct host_thread *th = t->priv;
	struct host_mbarrier *m = barrier;

	if (is_full(m))
		end_phase(th->w, m);
	m->pending--;
	m->bytes += (int32_t) bytes;
}

void cetane_host_mbarrier_wait(struct cetane_host_thread *t, void *barrier,
	uint32_t parity)
{
	struct host_thread *th = t->priv;
	struct host_mbarrier *m = barrier;

	while (!cetane_rt_host_ends(m, parity))
		cetane_rt_host_wait_bytes(th, m, parity);
	if (m->phase == parity)
		end_phase(th->w, m);
}

/* Room for one more; false without memory. */
static bool make_room(struct host_worker *w)
{
	size_t cap = w->cap_bulk ? 2 * w->cap_bulk : 64;
	struct host_bulk *more;

	if (w->n_bulk < w->cap_bulk)
		return true;
	more = realloc(w->bulk, cap * sizeof(*more));
	if (!more)
		return false;
	w->bulk = more;
	w->cap_bulk = cap;
	return true;
}

void cetane_host_copy_bulk(struct cetane_host_thread *t, void *to,
	void *barrier, const void *base, const void *from, uint32_t size,
	uint32_t site_to, uint32_t site_from)
{
	struct host_thread *th = t->priv;
	struct host_mbarrier *m = barrier;
	struct host_bulk b = { th, m,
		{ to, from, size, size, site_to, 0 } };

	m->bytes -= (int32_t) size;
	if (!cetane_rt_host_is_aligned(t, to, from, size, BULK_UNIT))
		return;
	if (!cetane_host_check(t, base, from, size, 0, site_from))
		b.copy.n = 0;
	if (!cetane_host_check(t, t->shared, to, size, CETANE_HOST_WRITE |
		CETANE_HOST_SHARED | CETANE_HOST_LATER, site_to))
		return;
	if (make_room(th->w))
		th->w->bulk[th->w->n_bulk++] = b;
	else
		cetane_rt_host_land(t, &b.copy);
}
