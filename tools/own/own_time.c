/* Times of a program of the user's own and of its rivals, by the protocol of all times.
 * On a GPU the launches of a round are a graph, as those of suites are; on the host
 * device they run one after another, by the clock of the system.
 */
#include <stdlib.h>

#include "tools/own/own.h"

/* Given to all callbacks. */
struct timing {
	struct tool_own *w;
	struct tool_rival *rival;
	struct tool_round_side *side;
	void *graph[1 + TOOL_OWN_RIVALS];
};

/* Launch side "k", not one of Python, as often as a round does.
 *
 * Launches go through the sets in turn.
 */
static enum tool_exit launch_all(void *user, int k)
{
	struct timing *t = user;
	enum tool_exit status = TOOL_OK;
	int i, set;

	for (i = 0; i < t->side[k].calls && status == TOOL_OK; i++) {
		set = i % t->w->n_set;
		status = k == 0 ? tool_own_launch(t->w, set) :
			tool_rival_call(&t->rival[k - 1], t->w, set);
	}
	return status;
}

/* On a GPU the launches become a graph before they are timed. */
static enum tool_exit ready(void *user, int k)
{
	struct timing *t = user;

	return t->w->gpu ? tool_graph_make(t->w->gpu, launch_all, t, k,
		&t->graph[k]) : TOOL_OK;
}

/* A side of Python is timed where it runs; one of C by the clock here, all
 * calls of a round together.
 */
static enum tool_exit run(void *user, int k, double *ms)
{
	struct timing *t = user;
	enum tool_exit status;
	double began;

	if (t->w->gpu)
		return tool_graph_time(t->w->gpu, launch_all, t, k,
			t->graph[k], ms);
	if (k > 0 && t->rival[k - 1].python)
		return tool_python_run(t->rival[k - 1].python,
			t->side[k].calls, ms);
	began = tool_bench_seconds();
	status = launch_all(t, k);
	*ms = 1e3 * (tool_bench_seconds() - began);
	return status;
}

/* What the clocks are while the program runs.
 *
 * One more round, behind those that were timed. Without the management library
 * nothing is known.
 */
static enum tool_exit observe(struct timing *t, struct tool_clock *clock)
{
	struct tool_cuda *g = t->w->gpu;
	enum tool_exit status;

	if (!g || !g->nvml)
		return TOOL_OK;
	status = tool_graph_run(g, launch_all, t, 0, t->graph[0]);
	*clock = tool_cuda_clock(g);
	return status == TOOL_OK ? tool_cuda_judge(g, "cuStreamSynchronize",
		g->stream_synchronize(g->handle)) : status;
}

/* "side" has room for the program and its rivals. Graphs are freed whatever
 * comes of it.
 */
enum tool_exit tool_own_time(struct tool_own *w, struct tool_rival *v, int n,
	struct tool_round_side *side, int *rounds, struct tool_clock *clock)
{
	struct timing t = { .w = w, .rival = v, .side = side };
	struct tool_round_side *list[1 + TOOL_OWN_RIVALS];
	struct tool_rounds r = { .side = list, .n_side = 1 + n,
		.ready = ready, .run = run, .user = &t };
	enum tool_exit status;
	int k;

	for (k = 0; k <= n; k++) {
		side[k] = (struct tool_round_side){ .n_set = w->n_set };
		list[k] = &side[k];
	}
	tool_rounds_regime(&r, w->o);
	status = tool_rounds(&r);
	*rounds = r.rounds;
	*clock = (struct tool_clock){ 0 };
	if (status == TOOL_OK)
		status = observe(&t, clock);
	for (k = 0; k <= n; k++)
		tool_graph_free(w->gpu, &t.graph[k]);
	return status;
}
