/* The protocol of all times: rounds of several sides in turn.
 *
 * A round runs each side as often as fills it; the launches rotate over the sets of
 * arrays. Rounds go through the sides in an order that is shuffled each time, until
 * the ratio of the medians is known well enough: 7 rounds, then more until the 95 %
 * interval of its median is within half a percent.
 *
 * Regimes: "plain" is back to back; "burst" waits before each side of a round, so
 * that a device whose power is limited runs at its full clock; "steady" works without
 * a pause for two seconds first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/bench/bench.h"

enum { CALLS_MOST = TOOL_BENCH_N_SET, ROUNDS_LEAST = 7 };
static const double SPREAD_ENOUGH = 0.005, ROUND_MS = 3, BURST_MS = 6,
	BURST_IDLE_MS = 60, STEADY_MS = 2000;

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

/* ----------------------------------------------------------------- rounds */

void tool_rounds_regime(struct tool_rounds *r, const struct tool_options *o)
{
	bool is_burst = !strcmp(o->regime_name, "burst");
	int most = (int)(o->repeat < TOOL_BENCH_N_ROUND ? o->repeat :
		TOOL_BENCH_N_ROUND);

	r->most = most;
	r->least = most < ROUNDS_LEAST ? most : ROUNDS_LEAST;
	r->round_ms = is_burst ? BURST_MS : ROUND_MS;
	r->idle_ms = is_burst ? BURST_IDLE_MS : 0;
	r->warm_ms = strcmp(o->regime_name, "steady") ? 0 : STEADY_MS;
	r->seed = (uint64_t)o->seed;
}

/* The time of a launch, when all of a round run. */
static enum tool_exit run_side(struct tool_rounds *r, int k, double *ms)
{
	enum tool_exit status = r->run(r->user, k, ms);

	*ms /= r->side[k]->calls;
	return status;
}

/* Choose the number of launches: a round takes "round_ms", and goes through
 * the sets as often as others do.
 */
static enum tool_exit prepare(struct tool_rounds *r, int k)
{
	struct tool_round_side *s = r->side[k];
	enum tool_exit status;
	double ms = 0, want;

	s->calls = s->n_set;
	status = r->ready(r->user, k);
	if (status == TOOL_OK)
		status = run_side(r, k, &ms);
	if (status == TOOL_OK)
		status = run_side(r, k, &ms);
	want = ms > 0 ? ceil(r->round_ms / ms / s->n_set) : 1;
	want = want * s->n_set > CALLS_MOST ? CALLS_MOST / s->n_set : want;
	s->calls = s->n_set * (want < 1 ? 1 : (int)want);
	return status == TOOL_OK ? r->ready(r->user, k) : status;
}

static void wait_ms(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3),
		(long)(fmod(ms, 1e3) * 1e6) };

	if (ms > 0)
		nanosleep(&t, NULL);
}

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

static enum tool_exit run_round(struct tool_rounds *r, int *order, int round)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < r->n_side; i++)
		order[i] = i;
	shuffle(order, r->n_side, r->seed, round);
	for (i = 0; i < r->n_side && status == TOOL_OK; i++) {
		wait_ms(r->idle_ms);
		status = run_side(r, order[i], &r->side[order[i]]->ms[round]);
	}
	return status;
}

/* True if each ratio is known well enough. */
static bool is_settled(const struct tool_rounds *r)
{
	double spread;
	int k;

	for (k = 1; k < r->n_side; k++) {
		tool_bench_ratio(r->side[k]->ms, r->side[0]->ms, r->rounds,
			&spread);
		if (spread > SPREAD_ENOUGH)
			return false;
	}
	return true;
}

/* Work without a pause for "warm_ms" by the device's own count. */
static enum tool_exit warm_up(struct tool_rounds *r, int *order)
{
	enum tool_exit status = TOOL_OK;
	double passed = 0, before = -1;
	int k;

	while (passed < r->warm_ms && passed > before && status == TOOL_OK) {
		before = passed;
		status = run_round(r, order, 0);
		for (k = 0; k < r->n_side; k++)
			passed += r->side[k]->ms[0] * r->side[k]->calls;
	}
	return status;
}

enum tool_exit tool_rounds(struct tool_rounds *r)
{
	int *order = calloc((size_t)r->n_side, sizeof(*order)), k;
	enum tool_exit status = order ? TOOL_OK : tool_no_memory("the rounds");

	for (k = 0; k < r->n_side && status == TOOL_OK; k++)
		status = prepare(r, k);
	if (status == TOOL_OK)
		status = warm_up(r, order);
	for (r->rounds = 0; r->rounds < r->most && status == TOOL_OK;
	     r->rounds++) {
		if (r->rounds >= r->least && is_settled(r))
			break;
		status = run_round(r, order, r->rounds);
	}
	for (k = 0; k < r->n_side && status == TOOL_OK; k++)
		r->side[k]->median = tool_bench_median(r->side[k]->ms,
			r->rounds);
	free(order);
	return status;
}
