/* Blocks that take tiles in turn and hand values on to one another.
 *
 * A block takes the tile that is next when it comes, whatever its own number is, so all
 * tiles before that have been taken by blocks that came before. It waits for words of
 * these alone. Hence the first of the blocks that have not ended can always go on, in
 * whichever order they are started, and all end: forward progress needs no two blocks at
 * one time.
 *
 * With checks blocks run one by one to their ends, in the order of the seed. A word that
 * is missing then is one of a tile that comes later, or of none: a deadlock.
 */
#include <sched.h>
#include <stdatomic.h>

#include "runtime/host/host.h"

enum { TAG_SHIFT = 32 };

uint32_t cetane_host_turn(struct cetane_host_thread *t, void *count)
{
	(void) t;
	return atomic_fetch_add_explicit((_Atomic uint32_t *) count, 1,
		memory_order_acq_rel);
}

void cetane_host_tell(struct cetane_host_thread *t, void *to, uint32_t tag,
	uint32_t value)
{
	(void) t;
	atomic_store_explicit((_Atomic uint64_t *) to,
		(uint64_t) tag << TAG_SHIFT | value, memory_order_release);
}

/* While other blocks run the caller asks again; "from" is read, never written. */
uint64_t cetane_host_hear(struct cetane_host_thread *t, const void *from,
	uint32_t least)
{
	struct host_thread *th = t->priv;
	uint64_t word = atomic_load_explicit(
		(_Atomic uint64_t *) (uintptr_t) from, memory_order_acquire);

	if (word >> TAG_SHIFT >= least)
		return word;
	if (th->w->check)
		cetane_rt_host_hears_nothing(th);
	else
		sched_yield();
	return word;
}
