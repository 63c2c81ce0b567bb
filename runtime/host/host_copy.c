/* Asynchronous copies on the host device: they land as late as they may, when
 * their thread waits for them, so that code which does not wait finds what was
 * there before. With checks, what they write cannot be read until then.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

void cetane_rt_host_land(struct cetane_host_thread *t,
	const struct host_copy *c)
{
	struct host_thread *th = t->priv;

	memcpy(c->to, c->from, c->n);
	memset((char *) c->to + c->n, 0, c->size - c->n);
	th->at_work = false;	/* what is at work did not start it */
	cetane_host_check(t, t->shared, c->to, c->size,
		CETANE_HOST_WRITE | CETANE_HOST_SHARED, c->site);
}

bool cetane_rt_host_is_aligned(const struct cetane_host_thread *t,
	const void *to, const void *from, uint32_t size, uint32_t unit)
{
	const struct host_thread *th = t->priv;
	struct host_launch *l = th->w->launch;
	struct host_key key = { FINDING_ALIGNMENT, l->fn->id, { unit, 0 } };
	int ok = CETANE_OK;

	if ((uintptr_t) to % unit == 0 && (uintptr_t) from % unit == 0 &&
	    size % unit == 0)
		return true;
	cetane_rt_host_find_add(&l->hd->findings, &key, "misaligned copy in "
		"kernel %s, block (%u,%u,%u): thread %u copies %u bytes from "
		"%p to shared byte %td, which are not all multiples of %u",
		l->fn->name, t->ctaid[0], t->ctaid[1], t->ctaid[2], th->linear,
		size, from, (const char *) to - (const char *) t->shared, unit);
	atomic_compare_exchange_strong(&l->status, &ok, CETANE_LAUNCH_FAILED);
	return false;
}

/* Room for one copy more; false without memory. */
static bool reserve(struct host_thread *th)
{
	size_t cap = th->cap_copy ? 2 * th->cap_copy : 64;
	struct host_copy *more;

	if (th->n_copy < th->cap_copy)
		return true;
	more = realloc(th->copy, cap * sizeof(*more));
	if (!more)
		return false;
	th->copy = more;
	th->cap_copy = cap;
	return true;
}

void cetane_host_copy(struct cetane_host_thread *t, void *to,
	const void *base, const void *from, uint32_t size, uint32_t n,
	uint32_t site_to, uint32_t site_from)
{
	struct host_thread *th = t->priv;
	struct host_copy c = { to, from, size, n, site_to, th->group };

	if (!cetane_rt_host_is_aligned(t, to, n ? from : NULL, size, size))
		return;
	if (n && !cetane_host_check(t, base, from, n, 0, site_from))
		c.n = 0;
	if (!cetane_host_check(t, t->shared, to, size, CETANE_HOST_WRITE |
		CETANE_HOST_SHARED | CETANE_HOST_LATER, site_to))
		return;
	if (reserve(th))
		th->copy[th->n_copy++] = c;
	else
		cetane_rt_host_land(t, &c);
}

void cetane_host_copy_commit(struct cetane_host_thread *t)
{
	struct host_thread *th = t->priv;

	th->group++;
}

void cetane_host_copy_wait(struct cetane_host_thread *t, uint32_t pending)
{
	struct host_thread *th = t->priv;
	size_t n = 0;

	while (n < th->n_copy && th->group - th->copy[n].group > pending)
		cetane_rt_host_land(t, &th->copy[n++]);
	th->n_copy -= n;
	if (n)
		memmove(th->copy, th->copy + n, th->n_copy *
			sizeof(*th->copy));
}
