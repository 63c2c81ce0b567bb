/* Blocks of a launch that wait for one another: all of them, or those of a cluster,
 * which read the shared memory of one another, too.
 *
 * Each has a worker of its own, that is, stacks for all its threads, and all run
 * on the calling thread: one block until its threads have ended or all wait for
 * the other blocks, then the next, in an order that the seed chooses anew each
 * time that all have met. A block of a cluster that waits for what others copy for it, or
 * for their leave to copy, has its turn again after these. The stacks have no guard pages, of which a process
 * may have too few for so many threads, and are given back at the end.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/host/host.h"

/* The blocks "first", "first" + "stride", .., "n" of them, of one launch; "start" is
 * the one that begins.
 */
struct meeting {
	struct host_launch *launch;
	bool cluster;
	struct host_worker **block;
	uint64_t n, first, stride, start, random;
	bool began;
};

/* A worker for block number "i" of the meeting, which sees the others as its
 * peers.
 */
static enum cetane_status add_block(struct meeting *m, uint64_t i)
{
	struct host_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return CETANE_OUT_OF_MEMORY;
	m->block[i] = w;
	w->unguarded = true;
	w->peer = m->block;
	w->n_peer = m->n;
	w->rank = m->cluster ? i : 0;
	return cetane_rt_host_worker_prepare(w, m->launch);
}

/* Say how many blocks wait for others that have ended. */
static enum cetane_status deadlock(const struct meeting *m, uint64_t n_wait)
{
	const struct host_launch *l = m->launch;
	struct host_key key = { FINDING_DEADLOCK, l->fn->id, { 0, 1 } };

	cetane_rt_host_find_add(&l->hd->findings, &key, "deadlock in kernel "
		"%s: %llu of %llu blocks wait at a barrier of all blocks, the "
		"others exited", l->fn->name, (unsigned long long) n_wait,
		(unsigned long long) m->n);
	return CETANE_DEADLOCK;
}

/* Choose an order of the blocks: another one each time, for a seed. */
static void choose_start(struct meeting *m)
{
	if (m->launch->seed)
		m->start = cetane_rt_host_random(&m->random) % m->n;
}

/* Run block "k" until it has ended, or waits. For the checks the blocks of a cluster are
 * one, and others are new whenever they go on.
 */
static enum cetane_status run_block(struct meeting *m, uint64_t k, bool *meets)
{
	struct host_launch *l = m->launch;
	struct host_check *check = l->checks ? l->hd->check : NULL;
	uint64_t index = m->first + k * m->stride;

	if (!m->began)
		cetane_rt_host_block_begin(m->block[k], index);
	if (check && !m->cluster)
		cetane_rt_host_check_block(check, index);
	return cetane_rt_host_block_run(m->block[k], meets);
}

/* Give the blocks that are stuck turns until none is; if none of them gets on they wait
 * in vain. Those that then wait for all are added to "*n_wait".
 */
static enum cetane_status run_stuck(struct meeting *m, uint64_t *n_wait)
{
	enum cetane_status s = CETANE_OK;
	uint64_t i, n_stuck = m->n, before;
	bool meets, moved = true;

	while (s == CETANE_OK && n_stuck && moved) {
		before = n_stuck;
		n_stuck = 0;
		moved = false;
		for (i = 0; i < m->n && s == CETANE_OK; i++) {
			struct host_worker *w = m->block[(m->start + i) % m->n];
			uint64_t turns = w->n_turn;

			if (!w->stuck)
				continue;
			s = cetane_rt_host_block_run(w, &meets);
			*n_wait += meets;
			n_stuck += w->stuck;
			moved |= w->n_turn > turns;
		}
		moved |= n_stuck < before;
	}
	for (i = 0; i < m->n && s == CETANE_OK; i++)
		if (m->block[i]->stuck)
			s = cetane_rt_host_block_fail(m->block[i]);
	return s;
}

/* Run all blocks to their ends or to the next barrier of all of them, which
 * "*again" tells.
 */
static enum cetane_status run_phase(struct meeting *m, bool *again)
{
	struct host_launch *l = m->launch;
	struct host_check *check = l->checks ? l->hd->check : NULL;
	enum cetane_status s = CETANE_OK;
	uint64_t i, n_wait = 0;
	bool meets;

	for (i = 0; i < m->n && s == CETANE_OK; i++) {
		s = run_block(m, (m->start + i) % m->n, &meets);
		n_wait += meets;
	}
	m->began = true;
	if (s == CETANE_OK)
		s = run_stuck(m, &n_wait);
	*again = s == CETANE_OK && n_wait == m->n;
	if (s == CETANE_OK && n_wait && !*again)
		s = deadlock(m, n_wait);
	for (i = 0; i < m->n && *again; i++)
		cetane_rt_host_block_release(m->block[i]);
	if (check && *again)
		cetane_rt_host_check_meeting(check);
	choose_start(m);
	return s;
}

/* Give up what waits, look at the canaries, and release the blocks. */
static enum cetane_status end(struct meeting *m, enum cetane_status s)
{
	uint64_t i;

	for (i = 0; i < m->n; i++) {
		struct host_worker *w = m->block[i];
		enum cetane_status intact;

		if (!w)
			continue;
		if (m->began)
			cetane_rt_host_block_abandon(w);
		intact = w->shared ? cetane_rt_host_canaries(w) : s;
		s = s == CETANE_OK ? intact : s;
		cetane_rt_host_worker_free(w);
	}
	free(m->block);
	return s;
}

/* Run the blocks of "m" to their ends. */
static enum cetane_status run_meeting(struct meeting *m)
{
	enum cetane_status s = CETANE_OK;
	bool again = true;
	uint64_t i;

	m->block = calloc(m->n, sizeof(*m->block));
	if (!m->block)
		return CETANE_OUT_OF_MEMORY;
	choose_start(m);
	if (m->cluster && m->launch->checks)
		cetane_rt_host_check_block(m->launch->hd->check, m->first);
	for (i = 0; i < m->n && s == CETANE_OK; i++)
		s = add_block(m, i);
	while (s == CETANE_OK && again)
		s = run_phase(m, &again);
	return end(m, s);
}

enum cetane_status cetane_rt_host_together(struct host_launch *launch)
{
	struct meeting m = { .launch = launch, .random = launch->seed,
		.n = launch->n_block, .stride = 1 };

	return run_meeting(&m);
}

/* Clusters are rows of blocks, along x or along y. */
enum cetane_status cetane_rt_host_clusters(struct host_launch *launch)
{
	const struct cetane_rt_shape *shape = &launch->shape;
	unsigned along = shape->cluster[0] > 1 ? 0 : 1;
	uint64_t n = shape->cluster[along], stride = along ? shape->grid[0] : 1;
	enum cetane_status s = CETANE_OK;
	uint64_t i;

	for (i = 0; i < launch->n_block && s == CETANE_OK; i++) {
		struct meeting m = { .launch = launch, .cluster = true, .n = n,
			.first = i, .stride = stride, .random = launch->seed ^ i };

		if (i / stride % n == 0)
			s = run_meeting(&m);
	}
	return s;
}

void cetane_host_cluster_sync(struct cetane_host_thread *t)
{
	cetane_host_meet(t, 0);
}

uint32_t cetane_host_cluster_read(struct cetane_host_thread *t,
	const void *own, uint32_t rank)
{
	const struct host_worker *w = ((struct host_thread *) t->priv)->w;
	size_t offset = (size_t) ((const unsigned char *) own - w->shared);
	const unsigned char *at;
	uint32_t value = 0;

	if (rank >= w->n_peer)
		return 0;
	at = w->peer[rank]->shared + offset;
	if (cetane_rt_host_check_peer(t, at, sizeof(value)))
		memcpy(&value, at, sizeof(value));
	return value;
}
