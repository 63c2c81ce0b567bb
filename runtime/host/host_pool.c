/* OS threads that share the blocks of a launch with the caller.
 *
 * They are started when a launch first has use for them and sleep between
 * launches. Each has a worker of its own: stacks, shared memory, fibers.
 *
 * A launch is shared by a counter: whoever is free takes the next block. So
 * uneven blocks need no plan. The caller works, too.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include "runtime/host/host.h"

/* Threads start later (add_helpers). */
void cetane_rt_host_pool_init(struct host_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	pthread_cond_init(&p->done, NULL);
}

/* Note the first failure of a launch; it keeps further blocks from starting.
 */
static void note(struct host_launch *launch, enum cetane_status s)
{
	int ok = CETANE_OK;

	if (s != CETANE_OK)
		atomic_compare_exchange_strong(&launch->status, &ok, (int) s);
}

/* Take blocks of "launch" until none is left.
 *
 * Shared memory of a block is the worker's, so two blocks never share it. What
 * a block wrote past its shared memory is found in the canaries behind it.
 */
static void run_blocks(struct host_worker *w, struct host_launch *launch)
{
	enum cetane_status s = cetane_rt_host_worker_prepare(w, launch);

	if (s != CETANE_OK) {
		note(launch, s);
		return;
	}
	while (atomic_load(&launch->status) == CETANE_OK) {
		uint64_t i = atomic_fetch_add(&launch->next_block, 1);

		if (i >= launch->n_block)
			break;
		note(launch, cetane_rt_host_block(w,
			cetane_rt_host_nth_block(launch, i)));
	}
	note(launch, cetane_rt_host_canaries(w));
}

/* What an OS thread of the pool needs to know at its start.
 *
 * Freed by the thread itself.
 */
struct helper {
	struct host_pool *pool;
	struct host_worker *worker;
	unsigned generation;
};

/* What a helping thread does: run blocks of each launch until the pool stops.
 *
 * "generation" counts launches: a helper that sleeps through none waits for the
 * next number.
 */
static void *help(void *arg)
{
	struct helper h = *(struct helper *) arg;
	struct host_pool *p = h.pool;

	free(arg);
	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->stop && p->generation == h.generation)
			pthread_cond_wait(&p->wake, &p->lock);
		if (p->stop)
			break;
		h.generation = p->generation;
		pthread_mutex_unlock(&p->lock);
		run_blocks(h.worker, p->launch);
		pthread_mutex_lock(&p->lock);
		if (--p->busy == 0)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Start one more OS thread, with all signals blocked: handlers of the
 * program run on threads of the program.
 *
 * False if the system has no more threads; the launch goes on with fewer.
 */
static bool add_helper(struct host_pool *p)
{
	int i = p->n_thread + 1;
	struct host_worker *w = calloc(1, sizeof(*w));
	struct helper *h = malloc(sizeof(*h));
	sigset_t all, old;
	bool ok = w && h;

	if (ok) {
		h->pool = p;
		h->worker = w;
		h->generation = p->generation;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		ok = pthread_create(&p->thread[i], NULL, help, h) == 0;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (!ok) {
		free(w);
		free(h);
		return false;
	}
	p->worker[i] = w;
	p->n_thread = i;
	return true;
}

/* Cores that this process may use, at most HOST_MAX_WORKERS.
 *
 * Affinity counts, as containers and batch systems restrict it.
 */
static int cores(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < HOST_MAX_WORKERS ? n : HOST_MAX_WORKERS;
}

/* Start the helpers that "launch" can use; fewer will do.
 *
 * The caller is one of them.
 */
static void add_helpers(struct host_pool *p, const struct host_launch *launch)
{
	int want = cores() - 1;

	if (launch->n_block <= (uint64_t) want)
		want = (int) launch->n_block - 1;
	while (p->n_thread < want && add_helper(p))
		;
}

/* Run "launch" on the caller and all helpers.
 *
 * "busy" counts helpers that have yet to finish this launch.
 */
static void run_shared(struct host_pool *p, struct host_launch *launch)
{
	add_helpers(p, launch);
	pthread_mutex_lock(&p->lock);
	p->launch = launch;
	p->generation++;
	p->busy = p->n_thread;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	run_blocks(p->worker[0], launch);
	pthread_mutex_lock(&p->lock);
	while (p->busy)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

/* "serial" is for checked code, whose shadow memory has no locks. A failure of
 * a block is the launch's status.
 */
enum cetane_status cetane_rt_host_pool_run(struct host_pool *p,
	struct host_launch *launch, bool serial)
{
	if (!p->worker[0])
		p->worker[0] = calloc(1, sizeof(*p->worker[0]));
	if (!p->worker[0])
		return CETANE_OUT_OF_MEMORY;
	if (serial || launch->n_block == 1)
		run_blocks(p->worker[0], launch);
	else
		run_shared(p, launch);
	return (enum cetane_status) atomic_load(&launch->status);
}

/* No launch is under way. Waits for the helpers to end. */
void cetane_rt_host_pool_free(struct host_pool *p)
{
	int i;

	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (i = 1; i <= p->n_thread; i++)
		pthread_join(p->thread[i], NULL);
	for (i = 0; i < HOST_MAX_WORKERS; i++)
		cetane_rt_host_worker_free(p->worker[i]);
	pthread_cond_destroy(&p->wake);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
}
