/* The checks of the host device: alignment, bounds, uninitialised reads and races.
 *
 * Generated code calls cetane_host_check before each access. Time on the
 * device is cut into "segments", numbered on: a block begins one, each of its
 * barriers begins the next, and so does a thread that arrives at a barrier in shared
 * memory (host_order.c). Blocks run one after the other while checks
 * are on, so a segment belongs to one block, and two accesses to a byte,
 * at least one a write, race
 *
 *	if their segments belong to different blocks of one launch, or
 *	if they are of different threads of a block, with no barrier of it between
 *	them, and the later one does not know of the earlier one
 *
 * (for shared memory, whose contents end with the block, only the latter; a
 * barrier of all blocks is for the checks the end of a launch), unless
 * both are atomic updates, which are kept among the reads, but conflict with these.
 * Blocks of a cluster, which take turns, are one block with all their threads and shared
 * memory: barriers of one of them are for its threads alone.
 * For each byte the last write and two reads are kept. Two suffice: read[0]
 * is the latest, read[1] one that a writer may conflict with although it is
 * the thread of read[0]; a read by an earlier block conflicts with every
 * later writer and is therefore never given up for another.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host_check.h"

struct host_check *cetane_rt_host_check_new(void)
{
	return calloc(1, sizeof(struct host_check));
}

static void free_shared(struct host_check *c)
{
	free(c->shared.init);
	free(c->shared.race);
	c->shared.init = NULL;
	c->shared.race = NULL;
	c->shared_size = 0;
}

void cetane_rt_host_check_free(struct host_check *c)
{
	if (!c)
		return;
	free_shared(c);
	free(c->first);
	cetane_rt_host_order_free(c->order);
	free(c);
}

/* -------------------------------------------------------------- life cycle */

/* Room for the shadow of the shared memory of "c->launch". */
static bool reserve_shadow(struct host_check *c)
{
	size_t size = (size_t) c->launch->shape.shared_bytes * c->n_peer;

	if (size <= c->shared_size)
		return true;
	free_shared(c);
	c->shared.init = calloc(size, 1);
	c->shared.race = calloc(size, sizeof(*c->shared.race));
	if (!c->shared.init || !c->shared.race) {
		free_shared(c);
		return false;
	}
	c->shared_size = size;
	return true;
}

enum cetane_status cetane_rt_host_check_launch(struct host_check *c,
	struct host_launch *launch)
{
	const unsigned *cluster = launch->shape.cluster;
	unsigned n = launch->shape.together ? 1 : cluster[0] * cluster[1];

	c->launch = launch;
	c->launch_segment = c->segment + 1;
	c->n_first = 0;
	c->n_peer = n > 1 && n <= HOST_MAX_CLUSTER ? n : 1;
	c->recent = NULL;
	c->called = c->no_memory = false;
	cetane_rt_host_order_free(c->order);
	c->order = NULL;
	return reserve_shadow(c) ? CETANE_OK : CETANE_OUT_OF_MEMORY;
}

/* All threads begin, or have met. */
static void forget_order(struct host_check *c)
{
	unsigned i;

	cetane_rt_host_order_free(c->order);
	c->order = NULL;
	c->met_segment = c->segment;
	for (i = 0; i < c->n_peer; i++)
		c->barrier_segment[i] = c->segment;
}

/* Forget all accesses: the segments are numbered from 1 again. What follows
 * is not compared with what came before, which may miss a race in a launch
 * of four thousand million barriers.
 */
static void restart(struct host_check *c)
{
	struct host_memory *m = &c->launch->hd->memory;
	int i;

	for (i = 0; i < m->n_alloc; i++) {
		free(m->alloc[i].shadow.race);
		m->alloc[i].shadow.race = NULL;
	}
	if (c->shared.race)
		memset(c->shared.race, 0,
			c->shared_size * sizeof(*c->shared.race));
	c->segment = c->launch_segment = c->block_segment = 1;
	forget_order(c);
	if (c->n_first) {
		c->first[0] = c->first[c->n_first - 1];
		c->first[0].segment = 1;
		c->n_first = 1;
	}
}

static void next_segment(struct host_check *c)
{
	if (c->segment == UINT32_MAX)
		restart(c);
	else
		c->segment++;
}

void cetane_rt_host_check_barrier(struct host_check *c, uint64_t rank)
{
	next_segment(c);
	if (c->order && c->n_peer > 1)
		cetane_rt_host_order_meet(c->order, (unsigned) rank *
			c->launch->n_thread, c->launch->n_thread, c->segment);
	c->barrier_segment[rank] = c->segment;
}

/* The number of the thread in the block, or in its cluster. */
static unsigned number_of(const struct cetane_host_thread *t)
{
	const struct host_thread *th = t->priv;

	return th->linear + (unsigned) th->w->rank * th->w->launch->n_thread;
}

void cetane_rt_host_check_arrive(struct host_check *c,
	const struct cetane_host_thread *t, const void *barrier)
{
	next_segment(c);
	if (!c->order)
		c->order = cetane_rt_host_order_new(c->launch->n_thread *
			c->n_peer);
	if (!c->order || !cetane_rt_host_order_tell(c->order, number_of(t),
		barrier, c->segment))
		c->no_memory = true;
}

void cetane_rt_host_check_wait(struct host_check *c,
	const struct cetane_host_thread *t, const void *barrier)
{
	if (c->order && !cetane_rt_host_order_hear(c->order, number_of(t),
		barrier))
		c->no_memory = true;
}

void cetane_rt_host_check_meeting(struct host_check *c)
{
	if (c->n_peer > 1) {
		next_segment(c);
		forget_order(c);
		return;
	}
	c->launch_segment = c->segment + 1;
	c->n_first = 0;
}

void cetane_rt_host_check_block(struct host_check *c, uint64_t index)
{
	size_t cap = c->cap_first ? 2 * c->cap_first : 64;
	struct host_first *first;

	next_segment(c);
	forget_order(c);
	c->block_segment = c->segment;
	if (c->shared.init)
		memset(c->shared.init, 0, (size_t) c->n_peer *
			c->launch->shape.shared_bytes);
	if (c->n_first == c->cap_first) {
		first = realloc(c->first, cap * sizeof(*first));
		if (!first) {
			c->no_memory = true;
			return;
		}
		c->first = first;
		c->cap_first = cap;
	}
	c->first[c->n_first++] = (struct host_first){ c->segment, index };
}

/* A kernel that never asked was compiled without checks: it may have written
 * anything.
 */
enum cetane_status cetane_rt_host_check_done(struct host_check *c)
{
	if (!c->called)
		cetane_rt_host_wrote_all(c->launch->hd);
	return c->no_memory ? CETANE_OUT_OF_MEMORY : CETANE_OK;
}

/* ------------------------------------------------------------------ checks */

/* The first of "n" bytes that is 0, or NULL: most have the size of a type. */
static inline unsigned char *first_hole(unsigned char *init, uint32_t n)
{
	uint32_t i = 0;

	if (n > 2 * sizeof(uint64_t))
		return memchr(init, 0, n);
	while (i < n && init[i])
		i++;
	return i < n ? init + i : NULL;
}

/* A write makes its bytes readable, or not, if they are written later. A read,
 * or an atomic update, must find all of its bytes readable.
 */
static void check_init(const struct host_access *a)
{
	unsigned char *init = a->shadow->init, *hole;

	if (!init)
		return;
	init += a->at;
	if ((a->flags & CETANE_HOST_WRITE) &&
	    !(a->flags & CETANE_HOST_ATOMIC)) {
		memset(init, !(a->flags & CETANE_HOST_LATER), a->bytes);
		return;
	}
	hole = first_hole(init, a->bytes);
	if (hole)
		cetane_rt_host_report_init(a, a->offset + (size_t) (hole - init));
}

/* "old" is live (of this launch or, for shared memory, of this block), and of
 * an earlier block.
 */
static bool earlier_block(const struct host_access *a, uint64_t old)
{
	return host_segment_of(old) >= a->first && host_segment_of(old) <
		a->c->block_segment;
}

/* The first segment that no barrier tells the thread of "now" to be behind "old". */
static uint32_t last_barrier(const struct host_check *c, uint64_t old, uint64_t now)
{
	unsigned rank;

	if (c->n_peer == 1)
		return c->barrier_segment[0];
	rank = host_thread_of(now) / c->launch->n_thread;
	return rank == host_thread_of(old) / c->launch->n_thread ?
		c->barrier_segment[rank] : c->met_segment;
}

/* "old" and "now" are not ordered. Most accesses meet none of theirs: what "old" has is
 * of an earlier launch then, or, for shared memory, block.
 */
static inline bool conflict(const struct host_access *a, uint64_t old, uint64_t now)
{
	if (host_segment_of(old) < a->first)
		return false;
	return earlier_block(a, old) ||
		(host_segment_of(old) >= last_barrier(a->c, old, now) &&
		host_thread_of(old) != host_thread_of(now) &&
		host_segment_of(old) >= cetane_rt_host_order_known(a->c->order,
		host_thread_of(now), host_thread_of(old)));
}

/* Compare a write of one byte with the accesses that are kept, report one race
 * at most, and keep the write.
 */
static void write_byte(const struct host_access *a, struct host_race *r,
	size_t byte, uint64_t now)
{
	if (conflict(a, r->write, now))
		cetane_rt_host_report_race(a, byte, r->write, true);
	else if (conflict(a, r->read[0], now))
		cetane_rt_host_report_race(a, byte, r->read[0],
			host_is_atomic(r->read[0]));
	else if (conflict(a, r->read[1], now))
		cetane_rt_host_report_race(a, byte, r->read[1],
			host_is_atomic(r->read[1]));
	r->write = now;
}

/* A read or an atomic update. */
static void read_byte(const struct host_access *a, struct host_race *r,
	size_t byte, uint64_t now)
{
	uint64_t old = r->read[0];
	int i;

	if (conflict(a, r->write, now))
		cetane_rt_host_report_race(a, byte, r->write, true);
	for (i = 0; i < 2; i++)
		if (host_is_atomic(r->read[i]) != host_is_atomic(now) &&
		    conflict(a, r->read[i], now)) {
			cetane_rt_host_report_race(a, byte, r->read[i],
				host_is_atomic(r->read[i]));
			break;
		}
	if (earlier_block(a, old) ||
		(conflict(a, old, now) && !earlier_block(a, r->read[1])))
		r->read[1] = old;
	r->read[0] = now;
}

static bool same_record(const struct host_race *r, const struct host_race *s)
{
	return r->write == s->write && r->read[0] == s->read[0] &&
		r->read[1] == s->read[1];
}

/* The bytes of an access mostly have one record: what becomes of that of one
 * becomes of the next, and a race that was found is found once.
 */
static void check_bytes(const struct host_access *a, struct host_race *r,
	uint64_t now)
{
	bool writes = (a->flags & CETANE_HOST_WRITE) && !host_is_atomic(now);
	struct host_race old, new;
	uint32_t i;

	for (i = 0; i < a->bytes; i++) {
		if (i > 0 && same_record(&r[i], &old)) {
			r[i] = new;
			continue;
		}
		old = r[i];
		if (writes)
			write_byte(a, &r[i], a->offset + i, now);
		else
			read_byte(a, &r[i], a->offset + i, now);
		new = r[i];
	}
}

/* Compare the access "a" with those that its bytes have had since the block began,
 * or, in global memory, since the launch did, and note it there.
 */
static void check_race(struct host_access *a)
{
	bool atomic = (a->flags & CETANE_HOST_ATOMIC) != 0;
	uint64_t now = (uint64_t) a->c->segment << SEGMENT_SHIFT |
		(uint64_t) number_of(a->t) << THREAD_SHIFT |
		(uint64_t) atomic << SITE_BITS |
		(a->site < MAX_SITE ? a->site : MAX_SITE);
	struct host_race *race = a->shadow->race;

	if (!race)
		race = a->shadow->race = calloc(a->size, sizeof(*race));
	if (!race) {
		a->c->no_memory = true;
		return;
	}
	a->first = a->flags & CETANE_HOST_SHARED ? a->c->block_segment :
		a->c->launch_segment;
	check_bytes(a, &race[a->at], now);
}

/* The block of the thread's cluster in whose shared memory "addr" is: its own, if it is in
 * none.
 */
static const struct host_worker *worker_at(const struct host_access *a,
	const void *addr)
{
	const struct host_worker *w = ((struct host_thread *) a->t->priv)->w;
	uint64_t i;

	for (i = 0; i < w->n_peer && a->c->n_peer > 1; i++)
		if ((uintptr_t) addr - (uintptr_t) w->peer[i]->shared <
		    a->c->launch->shape.shared_bytes)
			return w->peer[i];
	return w;
}

/* Fill in the array that "base" belongs to; return its start, or NULL. */
static const void *find_array(struct host_access *a, const void *base,
	const void *addr)
{
	struct host_check *c = a->c;
	struct host_alloc *found = c->recent;

	if (a->flags & CETANE_HOST_SHARED) {
		const struct host_worker *w = worker_at(a, addr);

		a->shadow = &c->shared;
		a->size = c->launch->shape.shared_bytes;
		a->at = (size_t) w->rank * a->size;
		return w->shared;
	}
	if (!found || (uintptr_t) base - (uintptr_t) found->base > found->size)
		found = cetane_rt_host_find(c->launch->hd, (uintptr_t) base);
	if (!found)
		return NULL;
	c->recent = found;
	a->shadow = &found->shadow;
	a->size = found->size;
	return found->base;
}

/* Code that is not checked has told nothing of what it wrote. */
bool cetane_rt_host_check_peer(struct cetane_host_thread *t, const void *addr, uint32_t bytes)
{
	const struct host_check *c = ((struct host_thread *) t->priv)->w->check;

	return !c || !c->called || cetane_host_check(t, addr, addr, bytes,
		CETANE_HOST_SHARED, MAX_SITE);
}

uint32_t cetane_host_check(struct cetane_host_thread *t, const void *base,
	const void *addr, uint32_t bytes, uint32_t flags, uint32_t site)
{
	struct host_check *c = ((struct host_thread *) t->priv)->w->check;
	struct host_access a = {
		.t = t, .c = c, .bytes = bytes, .flags = flags, .site = site
	};
	const void *start;

	if (!c)
		return 1;
	c->called = true;
	start = find_array(&a, base, addr);
	if ((uintptr_t) addr % host_alignment_of(flags)) {
		cetane_rt_host_report_alignment(&a, addr);
		return 0;
	}
	a.offset = (uintptr_t) addr - (uintptr_t) start;
	a.at += a.offset;
	if (!start || a.offset > a.size || bytes > a.size - a.offset) {
		if (!(c->launch->checks & CETANE_CHECK_BOUNDS))
			return 1;
		cetane_rt_host_report_bounds(&a, start, addr);
		return 0;
	}
	if (c->launch->checks & CETANE_CHECK_INIT)
		check_init(&a);
	if (c->launch->checks & CETANE_CHECK_RACE)
		check_race(&a);
	return 1;
}
