/* Times of single kernels, while the whole program runs: each launch is between two
 * events. On a GPU the memory that fills the cache is cleared before, on the same
 * stream: no kernel finds there what the run before has left, and the launches
 * are all waiting by the time the first of them runs. On the host device the clock of
 * the system is read, and each launch is waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/profile/profile.h"

/* Launches of a run that are timed, at most; runs on the host device. */
enum { MOST = 4096, HOST_ROUNDS = 3, CACHES = 2 };

/* Of launch "i" of a run: its kernel in the record, and two events. */
struct watch {
	struct tool_profile *p;
	void *event[2 * MOST];
	int kernel[MOST], n_event, n;
	bool more;
	double began;
	double *ms;		/* of each kernel of the record, in this run */
	enum tool_exit status;
};

/* Record the next event of the run, which is made when it is needed first. */
static enum tool_exit record(struct watch *w, int i)
{
	struct tool_cuda *g = &w->p->gpu;
	enum tool_exit status = TOOL_OK;

	if (i >= w->n_event) {
		status = tool_cuda_judge(g, "cuEventCreate",
			g->event_create(&w->event[i], 0));
		w->n_event += status == TOOL_OK;
	}
	return status == TOOL_OK ? tool_cuda_judge(g, "cuEventRecord",
		g->event_record(w->event[i], g->handle)) : status;
}

/* Callback of cetane_rt_record_watch on a GPU. */
static enum cetane_status see_cuda(void *user, int kernel, bool done)
{
	struct watch *w = user;

	w->more |= w->n == MOST;
	if (w->n == MOST)
		return CETANE_OK;
	w->kernel[w->n] = kernel;
	w->status = record(w, 2 * w->n + done);
	w->n += done;
	return w->status == TOOL_OK ? CETANE_OK : CETANE_DRIVER_ERROR;
}

/* The same on the host device. */
static enum cetane_status see_host(void *user, int kernel, bool done)
{
	struct watch *w = user;
	struct tool_exec *x = &w->p->own.x;
	enum cetane_status s = CETANE_OK;

	if (done)
		s = cetane_stream_synchronize(x->dev, x->stream);
	if (done)
		w->ms[kernel] += 1e3 * (tool_bench_seconds() - w->began);
	w->began = tool_bench_seconds();
	return s;
}

/* Add up the times between the events of the run. */
static enum tool_exit read_events(struct watch *w)
{
	struct tool_cuda *g = &w->p->gpu;
	enum tool_exit status = tool_cuda_judge(g, "cuStreamSynchronize",
		g->stream_synchronize(g->handle));
	float ms;
	int i;

	for (i = 0; i < w->n && status == TOOL_OK; i++) {
		status = tool_cuda_judge(g, "cuEventElapsedTime",
			g->event_elapsed(&ms, w->event[2 * i],
				w->event[2 * i + 1]));
		if (status == TOOL_OK)
			w->ms[w->kernel[i]] += (double)ms;
	}
	return status;
}

/* Run the program once; "flush" is memory of CACHES caches on a GPU. */
static enum tool_exit run(struct watch *w, uint64_t flush)
{
	struct tool_profile *p = w->p;
	struct tool_exec *x = &p->own.x;
	const struct cetane_rt_watch watch = {
		p->is_cuda ? see_cuda : see_host, w };
	enum tool_exit status = TOOL_OK;
	enum cetane_status s;

	w->n = 0;
	memset(w->ms, 0, (size_t)x->record->n_kernel * sizeof(*w->ms));
	if (p->is_cuda)
		status = tool_cuda_judge(&p->gpu, "cuMemsetD8Async",
			p->gpu.mem_set(flush, 0, CACHES * (size_t)p->gpu.l2,
				p->gpu.handle));
	if (status != TOOL_OK)
		return status;
	s = cetane_rt_record_watch(x->record, x->fn, x->param, p->own.at,
		p->is_cuda ? &p->own.stream.base : x->stream, &watch);
	if (w->status != TOOL_OK)
		return w->status;
	if (s != CETANE_OK)
		return tool_device_error("cannot run the kernels", s);
	return p->is_cuda ? read_events(w) : TOOL_OK;
}

/* How many kernels of the profile with the name of kernel "i" stand in front of it, and in
 * all.
 */
static int count_alike(const struct tool_profile *p, int i, int *all)
{
	int before = 0;

	*all = 0;
	for (int j = 0; j < p->n_kernel; j++)
		if (!strcmp(p->kernel[j].name, p->kernel[i].name)) {
			before += j < i;
			++*all;
		}
	return before;
}

/* Add the times of the run to the kernels, by their names: one of the facts may be
 * several of a record, one of each version, and those of the host device are another
 * record. Launches of a version that share a name have one order in both.
 */
static void note(const struct watch *w)
{
	const struct cetane_rt_record *r = w->p->own.x.record;
	struct tool_profile_kernel *k = w->p->kernel;
	int i, j, all;

	for (i = 0; i < w->p->n_kernel; i++) {
		int own = count_alike(w->p, i, &all), seen = 0;
		bool found = false;

		k[i].ms[k[i].n_ms] = 0;
		for (j = 0; j < r->n_kernel; j++) {
			if (strcmp(r->kernel[j].name, k[i].name) ||
			    seen++ % all != own)
				continue;
			k[i].ms[k[i].n_ms] += w->ms[j];
			found = true;
		}
		k[i].n_ms += found;
	}
}

/* A run that counts for nothing, and then those that do. */
static enum tool_exit run_all(struct watch *w, uint64_t flush)
{
	struct tool_profile *p = w->p;
	enum tool_exit status = run(w, flush);
	int i;

	for (i = 0; i < p->n_round && status == TOOL_OK; i++) {
		status = run(w, flush);
		if (status == TOOL_OK)
			note(w);
	}
	if (status == TOOL_OK && p->is_cuda)
		p->clock = tool_cuda_clock(&p->gpu);
	for (i = 0; i < p->n_kernel; i++)
		p->kernel[i].median = tool_bench_median(p->kernel[i].ms,
			p->kernel[i].n_ms);
	p->more_launches |= w->more;
	return status;
}

enum tool_exit tool_profile_time(struct tool_profile *p)
{
	struct watch *w = calloc(1, sizeof(*w));
	int most = p->is_cuda ? TOOL_BENCH_N_ROUND : HOST_ROUNDS;
	enum tool_exit status = TOOL_OK;
	uint64_t flush = 0;

	p->n_round = p->o->repeat < most ? (int)p->o->repeat : most;
	if (w)
		w->ms = calloc((size_t)p->own.x.record->n_kernel + 1,
			sizeof(*w->ms));
	if (!w || !w->ms) {
		free(w);
		return tool_no_memory("the times");
	}
	w->p = p;
	if (p->is_cuda)
		status = tool_cuda_judge(&p->gpu, "cuMemAlloc",
			p->gpu.mem_alloc(&flush, CACHES * (size_t)p->gpu.l2));
	if (status == TOOL_OK)
		status = run_all(w, flush);
	while (w->n_event > 0)
		p->gpu.event_destroy(w->event[--w->n_event]);
	if (flush)
		p->gpu.mem_free(flush);
	free(w->ms);
	free(w);
	return status;
}
