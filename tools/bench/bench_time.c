/* Timing the sides of a row.
 *
 * Each side is a graph of as many launches as fill a round; the launches
 * rotate over the sets of arrays. (Copies are no graph: in graphs the driver
 * makes them in a slower way than on a stream.) The protocol of the rounds is that
 * of bench_rounds.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"

/* Launches in one graph; a mode of cuStreamBeginCapture; times of which the one
 * with copies is the median.
 */
enum { END_TIMES = 5 };

/* ---------------------------------------------------------------- a side */

/* The copy of as many bytes that a launch is measured against. */
static enum tool_exit copy(struct tool_bench_timing *t,
	const struct tool_bench_side *s, const uint64_t *ptr)
{
	struct tool_cuda *g = t->gpu;

	return tool_cuda_judge(g, "cuMemcpyDtoDAsync",
		g->copy(ptr[1], ptr[0], (size_t)s->copied, g->handle));
}

enum tool_exit tool_bench_launch(struct tool_bench_timing *t, int k, int set)
{
	struct tool_bench_side *s = &t->side[k];
	uint64_t ptr[TOOL_BENCH_N_ARRAY];
	int r;

	for (r = 0; r < TOOL_BENCH_N_ARRAY; r++)
		ptr[r] = s->ptr[r] + (uint64_t)set * s->stride[r];
	if (s->program)
		return tool_bench_program_launch(s->program, t->gpu, ptr);
	if (s->copied)
		return copy(t, s, ptr);
	r = s->base->call(t->lib, t->n, ptr);
	if (r == 0)
		return TOOL_OK;
	tool_message(MSG_BENCH_CALL, s->name, "a call failed", r);
	return TOOL_ENVIRONMENT;
}

/* All launches that one time of side "k" is of, on its sets of arrays in turn.
 */
static enum tool_exit launch_all(void *user, int k)
{
	struct tool_bench_timing *t = user;
	const struct tool_round_side *s = &t->side[k].round;
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < s->calls && status == TOOL_OK; i++)
		status = tool_bench_launch(t, k, i % s->n_set);
	return status;
}

/* Side "k" is to run that many launches. */
static enum tool_exit ready(void *user, int k)
{
	struct tool_bench_timing *t = user;

	return t->side[k].copied ? TOOL_OK :
		tool_graph_make(t->gpu, launch_all, t, k, &t->side[k].graph);
}

/* The same as a graph if there is one, which takes the host less time. */
static enum tool_exit run(void *user, int k, double *ms)
{
	struct tool_bench_timing *t = user;

	return tool_graph_time(t->gpu, launch_all, t, k, t->side[k].graph, ms);
}

/* What the clocks are while our side runs. */
static enum tool_exit observe(struct tool_bench_timing *t)
{
	struct tool_cuda *g = t->gpu;
	enum tool_exit status;

	if (!g->nvml)
		return TOOL_OK;
	status = tool_graph_run(g, launch_all, t, 0, t->side[0].graph);
	t->clock = tool_cuda_clock(g);
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuStreamSynchronize",
			g->stream_synchronize(g->handle));
	return status;
}

enum tool_exit tool_bench_time(struct tool_bench_timing *t)
{
	struct tool_round_side *side[1 + TOOL_BENCH_BASES];
	enum tool_exit status;
	int k;

	for (k = 0; k < t->n_side; k++)
		side[k] = &t->side[k].round;
	t->r.side = side;
	t->r.n_side = t->n_side;
	t->r.ready = ready;
	t->r.run = run;
	t->r.user = t;
	status = tool_rounds(&t->r);
	t->r.side = NULL;
	return status == TOOL_OK ? observe(t) : status;
}

/* ------------------------------------------------------------ end to end */

/* One launch between copies; "host" has room for the largest array. */
static enum tool_exit run_end(struct tool_bench_timing *t,
	const int64_t *bytes, int n_array, int n_out, char *host)
{
	struct tool_cuda *g = t->gpu;
	const uint64_t *ptr = t->side[0].ptr;
	int i, r = g->event_record(g->start, g->handle);
	enum tool_exit status;

	for (i = 0; i < n_array - n_out && !r; i++)
		r = g->copy_to(ptr[i], host, (size_t)bytes[i], g->handle);
	status = tool_cuda_judge(g, "cuMemcpyHtoDAsync", r);
	if (status == TOOL_OK)
		status = tool_bench_launch(t, 0, 0);
	for (; i < n_array && status == TOOL_OK && !r; i++)
		r = g->copy_from(host, ptr[i], (size_t)bytes[i], g->handle);
	if (r == 0)
		r = g->event_record(g->stop, g->handle);
	return status == TOOL_OK ?
		tool_cuda_judge(g, "cuMemcpyDtoHAsync", r) : status;
}

enum tool_exit tool_bench_time_end(struct tool_bench_timing *t,
	const int64_t *bytes, int n_array, int n_out, double *ms)
{
	struct tool_cuda *g = t->gpu;
	double time[END_TIMES];
	enum tool_exit status;
	size_t most = 1;
	void *host = NULL;
	int i;

	for (i = 0; i < n_array; i++)
		most = (size_t)bytes[i] > most ? (size_t)bytes[i] : most;
	status = tool_cuda_judge(g, "cuMemHostAlloc",
		g->host_alloc(&host, most, 0));
	if (status != TOOL_OK)
		return status;
	memset(host, 0, most);
	for (i = 0; i < END_TIMES && status == TOOL_OK; i++) {
		status = run_end(t, bytes, n_array, n_out, host);
		if (status == TOOL_OK)
			status = tool_cuda_elapsed(g, &time[i]);
	}
	g->host_free(host);
	if (status == TOOL_OK)
		*ms = tool_bench_median(time, END_TIMES);
	return status;
}

void tool_bench_time_free(struct tool_bench_timing *t)
{
	int k;

	for (k = 0; k < t->n_side; k++)
		tool_graph_free(t->gpu, &t->side[k].graph);
}
