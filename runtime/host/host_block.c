/* One block of a launch: its threads as fibers that meet at barriers.
 *
 * A worker keeps a stack for each thread of the largest block it ever ran.
 * A block starts with one fiber, which runs thread after thread until one of
 * them waits at a barrier; then the next stack takes over where it stopped.
 * A kernel without barriers thus runs as a plain loop on one stack, and only
 * one that waits costs a stack a thread:
 *
 *	fiber 0: thread 0 -> barrier | ...
 *	fiber 1: thread 1 -> exit, thread 2 -> barrier | ...	(an error)
 *
 * When no thread can run, the worker looks what became of them: all exited,
 * or all wait at the same barrier and go on, or those that are left wait in
 * pairs to exchange values, or else it is a deadlock. After
 * a deadlock the waiting threads are abandoned: each jumps back to where its
 * fiber waits for the next block, so that no stack is left in use.
 *
 * Stacks lie above a canary, which is looked at after the launch, and that
 * above a guard page, for overflows too large for the canary.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/host/host.h"

enum {
	CHUNK = 32,		/* stacks in one mapping */
	COLOURS = 64,		/* different tops, one cache line apart */
	LINE = 64,
	CANARY_BYTE = 0x5C	/* also behind the shared memory */
};

_Static_assert(offsetof(struct cetane_host_thread, tid) == 0 &&
	offsetof(struct cetane_host_thread, ctaid) == 12 &&
	offsetof(struct cetane_host_thread, ntid) == 24 &&
	offsetof(struct cetane_host_thread, nctaid) == 36 &&
	offsetof(struct cetane_host_thread, shared) == 48 &&
	offsetof(struct cetane_host_thread, priv) == 56,
	"generated code reads the indices at these offsets");

uint64_t cetane_rt_host_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* ----------------------------------------------------------------- stacks */

static size_t guard_size(void)
{
	return (size_t) sysconf(_SC_PAGESIZE);
}

/* Bytes of address space of one stack, a multiple of the page size: guard,
 * canary, stack, and room to shift the top of the stack. Stacks whose tops
 * are equal modulo the size of a cache way would evict one another.
 */
static size_t stride(void)
{
	size_t page = guard_size();
	size_t size = HOST_CANARY + HOST_STACK + COLOURS * LINE;

	return page + (size + page - 1) / page * page;
}

/* Map CHUNK more stacks. */
static bool map_chunk(struct host_worker *w)
{
	size_t size = CHUNK * stride(), i;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED)
		return false;
	madvise(p, size, MADV_NOHUGEPAGE);
	for (i = 0; i < CHUNK && !w->unguarded; i++)
		if (mprotect(p + i * stride(), guard_size(), PROT_NONE)) {
			munmap(p, size);
			return false;
		}
	w->chunk[w->n_chunk++] = p;
	return true;
}

static unsigned char *canary(const struct host_worker *w, int i)
{
	return (unsigned char *) w->chunk[i / CHUNK] + i % CHUNK * stride() +
		guard_size();
}

static void thread_main(void *arg);

/* Add one fiber with its stack to "w". */
static bool add_thread(struct host_worker *w)
{
	struct host_thread *th;
	int i = w->n_stack;
	size_t top;

	if (i / CHUNK == w->n_chunk && !map_chunk(w))
		return false;
	th = calloc(1, sizeof(*th));
	if (!th)
		return false;
	memset(canary(w, i), CANARY_BYTE, HOST_CANARY);
	th->w = w;
	th->t.priv = th;
	top = stride() - guard_size() - (size_t) (i % COLOURS) * LINE;
	cetane_rt_fiber_init(&th->fiber, canary(w, i), top, thread_main, th);
	w->thread[w->n_stack++] = th;
	return true;
}

/* All "n" bytes at "p" are as they were set; they are set again if not. */
static bool intact(unsigned char *p, size_t n)
{
	if (p[0] == CANARY_BYTE && memcmp(p, p + 1, n - 1) == 0)
		return true;
	memset(p, CANARY_BYTE, n);
	return false;
}

enum cetane_status cetane_rt_host_canaries(struct host_worker *w)
{
	const struct host_launch *launch = w->launch;
	struct host_key stack = { FINDING_STACK, launch->fn->id, { 0, 0 } };
	struct host_key shared = { FINDING_REDZONE, launch->fn->id, { 1, 0 } };
	enum cetane_status s = CETANE_OK;
	unsigned i;

	if (!intact(w->shared + launch->shape.shared_bytes, HOST_REDZONE)) {
		cetane_rt_host_find_add(&launch->hd->findings, &shared,
			"write outside of shared memory in kernel %s, which "
			"has %u bytes", launch->fn->name,
			launch->shape.shared_bytes);
		s = CETANE_OUT_OF_BOUNDS;
	}
	for (i = 0; i < w->most_threads; i++)
		if (!intact(canary(w, (int) i), HOST_CANARY)) {
			cetane_rt_host_find_add(&launch->hd->findings, &stack,
				"stack overflow in kernel %s: a thread uses "
				"more than %d bytes", launch->fn->name,
				HOST_STACK);
			s = CETANE_STACK_OVERFLOW;
		}
	return s;
}

/* ---------------------------------------------------------------- workers */

/* Shared memory of at least "bytes" bytes. */
static bool reserve_shared(struct host_worker *w, size_t bytes)
{
	if (bytes <= w->shared_cap)
		return true;
	free(w->shared);
	w->shared_cap = (bytes + 1023) / 1024 * 1024;
	w->shared = aligned_alloc(1024, w->shared_cap);
	if (!w->shared)
		w->shared_cap = 0;
	return w->shared != NULL;
}

enum cetane_status cetane_rt_host_worker_prepare(struct host_worker *w,
	struct host_launch *launch)
{
	size_t bytes = launch->shape.shared_bytes;

	w->launch = launch;
	w->check = launch->checks ? launch->hd->check : NULL;
	w->most_threads = 0;
	cetane_rt_fiber_main(&w->main);
	if (!reserve_shared(w, bytes + HOST_REDZONE))
		return CETANE_OUT_OF_MEMORY;
	memset(w->shared + bytes, CANARY_BYTE, HOST_REDZONE);
	return CETANE_OK;
}

void cetane_rt_host_worker_free(struct host_worker *w)
{
	int i;

	if (!w)
		return;
	cetane_rt_fiber_main(&w->main);
	w->quit = true;
	for (i = 0; i < w->n_stack; i++) {
		if (w->thread[i]->started)
			cetane_rt_fiber_switch(&w->main,
				&w->thread[i]->fiber);
		cetane_rt_fiber_free(&w->thread[i]->fiber);
		free(w->thread[i]->copy);
		free(w->thread[i]);
	}
	for (i = 0; i < w->n_chunk; i++)
		munmap(w->chunk[i], CHUNK * stride());
	free(w->shared);
	free(w->bulk);
	free(w);
}

/* ---------------------------------------------------------------- threads */

/* The fiber that runs next: one that the barrier has released, or a further
 * one if threads are left to start, or else the worker itself.
 */
static struct host_fiber *next_fiber(struct host_worker *w)
{
	if (w->position == w->n_list && w->n_started < w->launch->n_thread) {
		if ((int) w->n_list == w->n_stack && !add_thread(w)) {
			w->no_memory = true;
			return &w->main;
		}
		w->list[w->n_list] = w->thread[w->n_list];
		w->n_list++;
	}
	if (w->position == w->n_list)
		return &w->main;
	return &w->list[w->position++]->fiber;
}

/* Make "th" the next thread of the block; false if all have started. */
static bool begin_thread(struct host_thread *th)
{
	struct host_worker *w = th->w;
	const struct cetane_rt_shape *shape = &w->launch->shape;
	unsigned i;

	if (w->n_started == w->launch->n_thread)
		return false;
	th->linear = i = w->order[w->n_started++];
	th->t.tid[0] = i % shape->block[0];
	th->t.tid[1] = i / shape->block[0] % shape->block[1];
	th->t.tid[2] = i / shape->block[0] / shape->block[1];
	memcpy(th->t.ctaid, w->ctaid, sizeof(w->ctaid));
	memcpy(th->t.ntid, shape->block, sizeof(shape->block));
	memcpy(th->t.nctaid, shape->grid, sizeof(shape->grid));
	th->t.shared = w->shared;
	th->meets = th->hears = false;
	th->n_copy = 0;
	th->group = 0;
	th->at_work = false;
	return true;
}

/* Run threads until none is left to start, then let others run. */
static void serve(struct host_thread *th)
{
	struct host_worker *w = th->w;

	while (begin_thread(th))
		w->launch->fn->kernel(&th->t, w->launch->args);
	cetane_rt_fiber_switch(&th->fiber, next_fiber(w));
}

/* What a fiber runs: threads of one block after another. When a block is given
 * up, its fibers jump to the place of _setjmp.
 */
static void thread_main(void *arg)
{
	struct host_thread *th = arg;

	th->started = true;
	_setjmp(th->base);
	while (!th->w->quit)
		serve(th);
	cetane_rt_fiber_exit(&th->fiber, &th->w->main);
}

void cetane_host_barrier(struct cetane_host_thread *t, uint32_t id)
{
	struct host_thread *th = t->priv;
	struct host_worker *w = th->w;

	if (w->n_wait++ == w->n_bytes)
		w->barrier = id;
	else if (id != w->barrier)
		w->diverged = true;
	th->barrier = id;
	th->waits = true;
	cetane_rt_fiber_switch(&th->fiber, next_fiber(w));
	th->waits = false;
	if (w->abandon)
		_longjmp(th->base, 1);
}

void cetane_host_meet(struct cetane_host_thread *t, uint32_t id)
{
	struct host_thread *th = t->priv;

	th->w->n_meet++;
	th->meets = true;
	cetane_host_barrier(t, id);
	th->meets = false;
}

void cetane_rt_host_hears_nothing(struct host_thread *th)
{
	th->hears = true;
	th->w->diverged = true;
	cetane_host_barrier(&th->t, 0);
}

/* Wait for the threads that "th" exchanges something with. */
static void wait_for_partners(struct host_thread *th)
{
	struct host_worker *w = th->w;

	w->n_wait++;
	w->n_exchange++;
	th->waits = th->exchanges = true;
	cetane_rt_fiber_switch(&th->fiber, next_fiber(w));
	th->waits = th->exchanges = false;
	if (w->abandon)
		_longjmp(th->base, 1);
}

uint32_t cetane_host_exchange(struct cetane_host_thread *t, uint32_t mask,
	uint32_t value, uint32_t with, uint32_t last)
{
	struct host_thread *th = t->priv;

	(void)mask;
	(void)last;
	th->barrier = with;
	th->value = value;
	th->sum = NULL;
	wait_for_partners(th);
	return th->received;
}

void cetane_host_lanes(struct cetane_host_thread *t, uint32_t value, uint32_t *all)
{
	struct host_thread *th = t->priv;

	th->barrier = 0;
	th->value = value;
	th->kind = HOST_LANES_ALL;
	th->sum = all;
	wait_for_partners(th);
}

void cetane_host_mma(struct cetane_host_thread *t, uint32_t kind, const void *a,
	const void *b, void *c)
{
	struct host_thread *th = t->priv;

	th->barrier = 0;
	th->kind = kind;
	th->operand[0] = a;
	th->operand[1] = b;
	th->sum = c;
	wait_for_partners(th);
}

void cetane_rt_host_wait_bytes(struct host_thread *th,
	const struct host_mbarrier *barrier, uint32_t parity)
{
	struct host_worker *w = th->w;

	w->n_wait++;
	w->n_bytes++;
	th->barrier = (uint32_t) ((const unsigned char *) barrier - w->shared);
	th->bytes = barrier;
	th->parity = parity;
	th->waits = true;
	cetane_rt_fiber_switch(&th->fiber, next_fiber(w));
	th->waits = false;
	th->bytes = NULL;
	if (w->abandon)
		_longjmp(th->base, 1);
}

/* --------------------------------------------------------------- deadlock */

/* Send the threads that wait back to the start of their fibers. */
static void abandon(struct host_worker *w)
{
	unsigned i;

	w->abandon = true;
	w->n_started = w->launch->n_thread;
	w->position = w->n_list;
	for (i = 0; i < w->n_list; i++)
		if (w->list[i]->waits)
			cetane_rt_fiber_switch(&w->main, &w->list[i]->fiber);
	w->abandon = false;
}

/* ------------------------------------------------------------------ block */

/* Exchange each element with a random one before it (Fisher, Yates). */
static void shuffle_order(struct host_worker *w)
{
	unsigned i;

	for (i = 0; i < w->launch->n_thread; i++) {
		unsigned j = i;

		if (w->launch->seed)
			j = (unsigned) (cetane_rt_host_random(&w->random) %
				(i + 1));
		w->order[i] = w->order[j];
		w->order[j] = (unsigned short) i;
	}
}

void cetane_rt_host_block_begin(struct host_worker *w, uint64_t index)
{
	const struct cetane_rt_shape *shape = &w->launch->shape;

	w->ctaid[0] = (uint32_t) (index % shape->grid[0]);
	w->ctaid[1] = (uint32_t) (index / shape->grid[0] % shape->grid[1]);
	w->ctaid[2] = (uint32_t) (index / shape->grid[0] / shape->grid[1]);
	w->random = w->launch->seed ^ (index * 0xd1342543de82ef95u);
	w->n_list = w->position = w->n_started = w->n_wait = 0;
	w->n_exchange = w->n_meet = w->n_bytes = 0;
	w->n_bulk = 0;
	w->diverged = w->no_memory = w->stuck = false;
	memset(w->shared, HOST_POISON, shape->shared_bytes);
	shuffle_order(w);
	if (w->check && !w->peer)
		cetane_rt_host_check_block(w->check, index);
}

/* All threads wait at one barrier: let them go on. */
static void release_barrier(struct host_worker *w)
{
	w->n_wait = 0;
	w->position = 0;
	cetane_rt_host_shuffle(w);
	if (w->check)
		cetane_rt_host_check_barrier(w->check, w->rank);
}

/* Let those go on that wait for copies in bulk which may have landed, behind the
 * others in the list; false if there are none.
 */
static bool end_phases(struct host_worker *w)
{
	unsigned i, n = w->n_list;

	for (i = w->n_list; i-- > 0;) {
		struct host_thread *th = w->list[i];

		if (!th->bytes || !cetane_rt_host_ends(th->bytes, th->parity))
			continue;
		w->list[i] = w->list[--n];
		w->list[n] = th;
		w->n_wait--;
		w->n_bytes--;
	}
	w->position = n;
	return n < w->n_list;
}

/* Let the threads that wait go on; false if they cannot. */
static bool go_on(struct host_worker *w)
{
	if (w->n_bytes && end_phases(w))
		return true;
	if (w->n_exchange)
		return cetane_rt_host_serve_partners(w);
	if (w->n_bytes || w->n_wait != w->launch->n_thread || w->diverged ||
	    w->n_meet)
		return false;
	release_barrier(w);
	return true;
}

void cetane_rt_host_block_release(struct host_worker *w)
{
	w->n_meet = w->n_wait = w->position = 0;
	cetane_rt_host_shuffle(w);
}

void cetane_rt_host_block_abandon(struct host_worker *w)
{
	if (w->n_wait)
		abandon(w);
}

enum cetane_status cetane_rt_host_block_run(struct host_worker *w,
	bool *all_wait)
{
	struct host_fiber *next;
	bool stuck = w->stuck;

	*all_wait = w->stuck = false;
	if (stuck && !go_on(w)) {
		w->stuck = true;
		return CETANE_OK;
	}
	w->n_turn += stuck;
	while ((next = next_fiber(w)) != &w->main) {
		cetane_rt_fiber_switch(&w->main, next);
		*all_wait = cetane_rt_host_all_meet(w);
		if (*all_wait || w->no_memory || (w->n_wait && !go_on(w)))
			break;
	}
	if (w->n_list > w->most_threads)
		w->most_threads = w->n_list;
	w->stuck = w->peer && w->n_bytes && !w->no_memory && !*all_wait;
	if (*all_wait || w->stuck || (!w->n_wait && !w->no_memory))
		return CETANE_OK;
	return cetane_rt_host_block_fail(w);
}

enum cetane_status cetane_rt_host_block_fail(struct host_worker *w)
{
	if (!w->no_memory)
		cetane_rt_host_deadlock(w);
	abandon(w);
	return w->no_memory ? CETANE_OUT_OF_MEMORY : CETANE_DEADLOCK;
}

enum cetane_status cetane_rt_host_block(struct host_worker *w,
	uint64_t index)
{
	bool all_wait;

	cetane_rt_host_block_begin(w, index);
	return cetane_rt_host_block_run(w, &all_wait);
}
