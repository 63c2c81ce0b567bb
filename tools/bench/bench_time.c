/* Timing the sides of a row.
 *
 * Each side is a graph of as many launches as fill a round; the launches
 * rotate over the sets of arrays. (Copies are no graph: in graphs the driver
 * makes them in a slower way than on a stream.) Rounds go through the sides in an order that
 * is shuffled each time, until the ratio of the medians is known well enough:
 * 7 rounds, then more until the 95 % interval of its median is within half a
 * percent.
 *
 * Regimes: "plain" is back to back; "burst" waits before each side of a
 * round, so that a device whose power is limited runs at its full clock;
 * "steady" works without a pause for two seconds first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/bench/bench.h"

/* Launches in one graph; a mode of cuStreamBeginCapture; times of which the one
 * with copies is the median.
 */
enum { CALLS_MOST = TOOL_BENCH_N_SET, CAPTURE_RELAXED = 2,
	END_TIMES = 5 };
/* No more rounds once the ratio is known that well. */
static const double SPREAD_ENOUGH = 0.005;

/* ------------------------------------------------------------- statistics */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double tool_bench_median(const double *x, int n)
{
	double sorted[TOOL_BENCH_N_ROUND];

	memcpy(sorted, x, (size_t)n * sizeof(*x));
	qsort(sorted, (size_t)n, sizeof(*sorted), compare);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double tool_bench_ratio(const double *a, const double *b, int n,
	double *spread)
{
	double r[TOOL_BENCH_N_ROUND], median;
	int i, low;

	for (i = 0; i < n; i++)
		r[i] = a[i] / b[i];
	median = tool_bench_median(r, n);
	qsort(r, (size_t)n, sizeof(*r), compare);
	low = (int)floor((n - 1.96 * sqrt(n)) / 2);
	low = low < 0 ? 0 : low;
	*spread = (r[n - 1 - low] - r[low]) / 2 / median;
	return median;
}

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
static enum tool_exit launch_all(struct tool_bench_timing *t, int k)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < t->side[k].calls && status == TOOL_OK; i++)
		status = tool_bench_launch(t, k, i % t->side[k].n_set);
	return status;
}

/* Record the launches of a round as a graph. */
static enum tool_exit capture(struct tool_bench_timing *t, int k)
{
	struct tool_cuda *g = t->gpu;
	enum tool_exit status, ended;
	void *graph = NULL;

	if (t->side[k].copied)
		return TOOL_OK;
	status = tool_cuda_judge(g, "cuStreamBeginCapture",
		g->capture_begin(g->handle, CAPTURE_RELAXED));
	if (status != TOOL_OK)
		return status;
	status = launch_all(t, k);
	ended = tool_cuda_judge(g, "cuStreamEndCapture",
		g->capture_end(g->handle, &graph));
	if (status == TOOL_OK)
		status = ended;
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuGraphInstantiate",
			g->graph_make(&t->side[k].graph, graph, 0));
	if (ended == TOOL_OK && graph)
		g->graph_destroy(graph);
	return status;
}

/* The same as a graph if there is one, which takes the host less time. */
static enum tool_exit run_side(struct tool_bench_timing *t, int k)
{
	struct tool_cuda *g = t->gpu;

	if (!t->side[k].graph)
		return launch_all(t, k);
	return tool_cuda_judge(g, "cuGraphLaunch",
		g->graph_launch(t->side[k].graph, g->handle));
}

/* The time of a launch, when all of a round run. */
static enum tool_exit replay(struct tool_bench_timing *t, int k, double *ms)
{
	struct tool_cuda *g = t->gpu;
	enum tool_exit status;

	status = tool_cuda_judge(g, "cuEventRecord",
		g->event_record(g->start, g->handle));
	if (status == TOOL_OK)
		status = run_side(t, k);
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuEventRecord",
			g->event_record(g->stop, g->handle));
	if (status == TOOL_OK)
		status = tool_cuda_elapsed(g, ms);
	*ms /= t->side[k].calls;
	return status;
}

static void drop_graph(struct tool_bench_timing *t, int k)
{
	if (t->side[k].graph)
		t->gpu->exec_destroy(t->side[k].graph);
	t->side[k].graph = NULL;
}

/* Choose the number of launches: a round takes "round_ms", and goes through
 * the sets as often as others do.
 */
static enum tool_exit prepare(struct tool_bench_timing *t, int k)
{
	struct tool_bench_side *s = &t->side[k];
	enum tool_exit status;
	double ms = 0, want;

	s->calls = s->n_set;
	status = capture(t, k);
	if (status == TOOL_OK)
		status = replay(t, k, &ms);
	if (status == TOOL_OK)
		status = replay(t, k, &ms);
	drop_graph(t, k);
	want = ms > 0 ? ceil(t->round_ms / ms / s->n_set) : 1;
	want = want * s->n_set > CALLS_MOST ? CALLS_MOST / s->n_set : want;
	s->calls = s->n_set * (want < 1 ? 1 : (int)want);
	return status == TOOL_OK ? capture(t, k) : status;
}

/* ----------------------------------------------------------------- rounds */

static void wait_ms(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3),
		(long)(fmod(ms, 1e3) * 1e6) };

	if (ms > 0)
		nanosleep(&t, NULL);
}

/* Put "order" into one of its orders by chance, the same for the same seed and
 * round.
 */
static void shuffle(int *order, int n, uint64_t seed, int round)
{
	int i, k, swap;

	for (i = n - 1; i > 0; i--) {
		k = (int)(tool_random_bits(seed, (uint64_t)(round * n + i)) %
			(uint64_t)(i + 1));
		swap = order[i];
		order[i] = order[k];
		order[k] = swap;
	}
}

/* Time each side once, in an order of the round's own, so that none always
 * follows the same one.
 */
static enum tool_exit run_round(struct tool_bench_timing *t, int round)
{
	int order[1 + TOOL_BENCH_BASES], i;
	enum tool_exit status = TOOL_OK;

	for (i = 0; i < t->n_side; i++)
		order[i] = i;
	shuffle(order, t->n_side, t->seed, round);
	for (i = 0; i < t->n_side && status == TOOL_OK; i++) {
		wait_ms(t->idle_ms);
		status = replay(t, order[i], &t->side[order[i]].ms[round]);
	}
	return status;
}

/* True if each ratio is known well enough. */
static bool is_settled(const struct tool_bench_timing *t)
{
	double spread;
	int k;

	for (k = 1; k < t->n_side; k++) {
		tool_bench_ratio(t->side[k].ms, t->side[0].ms, t->rounds,
			&spread);
		if (spread > SPREAD_ENOUGH)
			return false;
	}
	return true;
}

/* Work without a pause for "warm_ms" by the device's own count. */
static enum tool_exit warm_up(struct tool_bench_timing *t)
{
	enum tool_exit status = TOOL_OK;
	double passed = 0, before = -1;
	int k;

	while (passed < t->warm_ms && passed > before && status == TOOL_OK) {
		before = passed;
		status = run_round(t, 0);
		for (k = 0; k < t->n_side; k++)
			passed += t->side[k].ms[0] * t->side[k].calls;
	}
	return status;
}

/* What the clocks are while our side runs. */
static enum tool_exit observe(struct tool_bench_timing *t)
{
	struct tool_cuda *g = t->gpu;
	enum tool_exit status;

	if (!g->nvml)
		return TOOL_OK;
	status = run_side(t, 0);
	t->clock = tool_cuda_clock(g);
	if (status == TOOL_OK)
		status = tool_cuda_judge(g, "cuStreamSynchronize",
			g->stream_synchronize(g->handle));
	return status;
}

enum tool_exit tool_bench_time(struct tool_bench_timing *t)
{
	enum tool_exit status = TOOL_OK;
	int k;

	for (k = 0; k < t->n_side && status == TOOL_OK; k++)
		status = prepare(t, k);
	if (status == TOOL_OK)
		status = warm_up(t);
	for (t->rounds = 0; t->rounds < t->most && status == TOOL_OK;
	     t->rounds++) {
		if (t->rounds >= t->least && is_settled(t))
			break;
		status = run_round(t, t->rounds);
	}
	if (status == TOOL_OK)
		status = observe(t);
	for (k = 0; k < t->n_side && status == TOOL_OK; k++)
		t->side[k].median = tool_bench_median(t->side[k].ms,
			t->rounds);
	return status;
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
		drop_graph(t, k);
}
