/* One row: verification, times, results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/bench_row.h"

/* ----------------------------------------------------------- verification */

/* What a side finds in its outputs: NaN, or the input that it updates.
 *
 * 0xff bytes are NaN in both types. A library that updates its output finds the
 * input there.
 */
static enum tool_exit poison(struct row *r, const struct tool_bench_side *s)
{
	const struct tool_bench_program *p = s->program ? s->program : r->p;
	const struct tool_bench_form *f = p->form;
	struct tool_cuda *g = &r->b->gpu;
	int n = tool_bench_words(f->arrays), i;
	enum tool_exit status = TOOL_OK;

	for (i = n - f->n_out; i < n && status == TOOL_OK; i++) {
		status = tool_cuda_judge(g, "cuMemsetD8Async",
			g->mem_set(s->ptr[i], 0xff, (size_t)p->bytes[i],
				g->handle));
		if (status == TOOL_OK && !s->program && f->start >= 0)
			status = tool_cuda_judge(g, "cuMemcpyDtoDAsync",
				g->copy(s->ptr[i], s->ptr[f->start],
					(size_t)p->bytes[i], g->handle));
	}
	return status;
}

/* Launch side "k" and verify it; one of a library against ours, too.
 *
 * The output of a library is judged by the same bounds as ours, and also
 * compared with ours (tool_bench_verify).
 */
static enum tool_exit verify(struct row *r, int k)
{
	struct tool_bench_side *s = &r->t.side[k];
	double error = 0;
	enum tool_exit status;

	/* A copy has nothing to verify. */
	if (s->copied)
		return tool_bench_launch(&r->t, k, 0);
	status = poison(r, s);
	/* Libraries make plans before the first call: these are not timed. */
	if (status == TOOL_OK && s->base && s->base->prepare &&
	    s->base->prepare(&r->b->lib, r->t.n, s->ptr) != 0) {
		tool_message(MSG_BENCH_CALL, s->name, "it has nothing for "
			"this row", 1);
		status = TOOL_ENVIRONMENT;
	}
	if (status == TOOL_OK)
		status = tool_bench_launch(&r->t, k, 0);
	if (status == TOOL_OK)
		status = tool_cuda_judge(&r->b->gpu, "cuStreamSynchronize",
			r->b->gpu.stream_synchronize(r->b->gpu.handle));
	if (status == TOOL_OK)
		status = tool_bench_verify(r->b, &r->t, k,
			k == 0 || (s->program && !r->alone) ? -1 : 0, &error);
	if (k == 0)
		r->error = error;
	return status;
}

/* ---------------------------------------------------------------- results */

/* The list grows in steps; what it holds may move. */
struct tool_bench_result *tool_bench_append(struct tool_bench *b)
{
	struct tool_bench_result *more;

	if (b->n_result == b->cap_result) {
		more = realloc(b->result, (size_t)(2 * b->cap_result + 64) *
			sizeof(*more));
		if (!more)
			return NULL;
		b->result = more;
		b->cap_result = 2 * b->cap_result + 64;
	}
	more = &b->result[b->n_result++];
	*more = (struct tool_bench_result){ 0 };
	return more;
}

/* The share of what memory and arithmetic allow.
 *
 * The least time is that of moving each byte once or of all operations,
 * whichever is more.
 */
static double roof(const struct tool_bench *b,
	const struct tool_bench_result *r)
{
	const struct tool_cuda *g = &b->gpu;
	double least = 0, peak = g->flops[r->form->is_f64];

	if (g->copy_rate > 0)
		least = r->bytes / g->copy_rate;
	if (peak > 0)
		least = fmax(least, r->work / peak);
	return r->ours_ms > 0 ? least / (1e-3 * r->ours_ms) : 0;
}

/* Fill in the result against the side "s": times, their ratio, and what the row
 * has in common.
 *
 * Samples are kept, so that later runs can be tested against them (compare.c).
 */
static void fill_result(const struct row *r, struct tool_bench_result *q,
	const struct tool_bench_side *s)
{
	const struct tool_bench_side *ours = &r->t.side[0];
	int i;

	q->work = r->p->form->work ? r->p->form->work(r->p->size.n) : 0;
	q->bytes = (double)r->bytes;
	q->usage = r->usage;
	q->rounds = r->t.r.rounds;
	q->calls = ours->round.calls;
	q->clock = r->t.clock;
	q->error = r->error;
	q->end_ms = r->end_ms;
	q->ours_ms = ours->round.median;
	q->base_ms = s->round.median * s->scale;
	q->ratio = s->scale * tool_bench_ratio(s->round.ms, ours->round.ms, r->t.r.rounds,
		&q->spread);
	q->roof = roof(r->b, q);
	q->n_sample = r->t.r.rounds;
	for (i = 0; i < q->n_sample; i++) {
		q->ours[i] = ours->round.ms[i];
		q->theirs[i] = s->round.ms[i] * s->scale;
	}
	q->state = TOOL_BENCH_RIGHT;
}

/* The side of "base" that was timed, or NULL.
 *
 * A side that was dropped has no time.
 */
static const struct tool_bench_side *side_of(const struct row *r,
	const struct tool_bench_base *base)
{
	int k;

	for (k = 1; k < r->t.n_side; k++)
		if (r->t.side[k].base == base && r->t.side[k].round.median > 0)
			return &r->t.side[k];
	return NULL;
}

/* A result for each base; without times if the row, or its side, failed.
 *
 * Every base gets its row, so that a run has the same rows whatever fails.
 */
static enum tool_exit report(const struct row *r, enum tool_exit status)
{
	const struct tool_bench_base *base;
	const struct tool_bench_side *s;
	struct tool_bench_result *q;
	int k;

	for (k = 0; k < TOOL_BENCH_BASES; k++) {
		base = tool_bench_base_at(r->b, r->p->form, k);
		if (!tool_bench_has_base(r->b, base))
			continue;
		q = tool_bench_append(r->b);
		if (!q)
			return tool_no_memory("the rows");
		q->form = r->p->form;
		q->size = r->p->size;
		snprintf(q->base, sizeof(q->base), "%s", base->name);
		s = side_of(r, base);
		if (s)
			fill_result(r, q, s);
		else
			q->state = status == TOOL_MISMATCH ?
				TOOL_BENCH_WRONG : TOOL_BENCH_FAILED;
	}
	return status;
}

/* Verify all sides. One of a library that cannot run this row is dropped: its
 * failure is kept, and others go on.
 *
 * Only libraries are dropped, and only if they cannot: a wrong result of theirs
 * is an error like any other.
 */
static enum tool_exit verify_all(struct row *r)
{
	enum tool_exit status = verify(r, 0), one;
	struct tool_bench_side *s;
	int i = 1;

	while (i < r->t.n_side && status == TOOL_OK) {
		s = &r->t.side[i];
		one = verify(r, i++);
		if (one != TOOL_ENVIRONMENT || !s->base->call) {
			status = one;
			continue;
		}
		r->dropped = one;
		r->t.n_side--;
		i--;
		/* The sides behind it move up; the one that is next has this
		 * number now.
		 */
		memmove(s, s + 1, (size_t)(r->t.n_side - i) * sizeof(*s));
	}
	return status;
}

/* Time the sides. Against another build this is done three times, and the one
 * with the median of the ratios counts.
 *
 * Two builds may differ by how memory happens to lie. The seed changes each
 * time, and so does the order of the rounds.
 */
static enum tool_exit time_row(struct row *r)
{
	int n = r->b->o->against ? AGAINST_TIMES : 1, i;
	struct tool_bench_timing t[AGAINST_TIMES];
	double ratio[AGAINST_TIMES] = { 0 }, spread;
	enum tool_exit status = TOOL_OK;

	if (n == 1)
		return tool_bench_time(&r->t);
	for (i = 0; i < n && status == TOOL_OK; i++) {
		r->t.r.seed++;
		status = tool_bench_time(&r->t);
		tool_bench_time_free(&r->t);
		t[i] = r->t;
		ratio[i] = tool_bench_ratio(t[i].side[1].round.ms,
			t[i].side[0].round.ms, t[i].r.rounds, &spread);
	}
	for (i = 0; i < n && status == TOOL_OK; i++)
		if (ratio[i] == tool_bench_median(ratio, n))
			r->t = t[i];
	return status;
}

/* Load, verify and time the row. Returns the first failure, or that of a side
 * that was dropped.
 *
 * "bytes" is the sum of all arrays, which decides how many sets there are.
 */
static enum tool_exit run(struct row *r)
{
	enum tool_exit status;
	int i;

	status = tool_bench_program_load(r->p, &r->b->gpu);
	if (status != TOOL_OK)
		return status;
	for (i = 0; i < r->n_array; i++)
		r->bytes += r->p->bytes[i];
	r->n_set = tool_bench_count_sets(r);
	status = tool_bench_make_sides(r);
	if (status == TOOL_OK)
		status = verify_all(r);
	if (status == TOOL_OK)
		/* Registers and memory of our kernels, from the driver. */
		status = tool_bench_usage(r->p->record, r->p->fn, &r->b->gpu,
			&r->usage);
	r->usage.is_ptx = r->p->is_ptx;
	if (status == TOOL_OK)
		status = time_row(r);
	if (status == TOOL_OK && r->b->o->end_to_end)
		status = tool_bench_time_end(&r->t, r->p->bytes, r->n_array,
			r->p->form->n_out, &r->end_ms);
	return status == TOOL_OK ? r->dropped : status;
}

/* A new row of "p"; NULL without memory.
 *
 * The row's times are copied from those of the run: limits and regime are set
 * there.
 */
static struct row *begin(struct tool_bench *b, struct tool_bench_program *p)
{
	struct row *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct row){ .b = b, .p = p,
		.n_array = tool_bench_words(p->form->arrays) };
	r->other = (struct tool_bench_program){ .form = p->form,
		.size = p->size, .path = p->other };
	r->t = b->timing;
	r->t.n = p->size.n;
	return r;
}

/* Free what the row has allocated and loaded, and the row.
 *
 * The sides' programs are unloaded here; their files stay.
 */
static void end(struct row *r)
{
	struct tool_bench *b = r->b;

	tool_bench_time_free(&r->t);
	tool_library_forget(&b->lib);
	while (r->n_block > 0)
		b->gpu.mem_free(r->block[--r->n_block]);
	if (r->rival)
		tool_bench_program_free(r->rival, &b->gpu);
	while (r->n_own > 0)
		tool_bench_program_free(r->own[--r->n_own], &b->gpu);
	tool_bench_program_free(r->p, &b->gpu);
	free(r);
}

/* Is the program of the other build the same, byte for byte? What cannot be read
 * is not, and the row says so.
 *
 * Then their times are equal but for chance, and measuring them would show
 * nothing else.
 */
static bool is_same(const struct tool_bench_program *p)
{
	struct tool_source ours, theirs = { 0 };
	bool same;

	if (!p->other || access(p->other, R_OK) < 0 || tool_source_read_file(
			&ours, p->path, TOOL_MOST_ARTIFACT) != TOOL_OK)
		return false;
	same = tool_source_read_file(&theirs, p->other,
			TOOL_MOST_ARTIFACT) == TOOL_OK &&
		ours.len == theirs.len &&
		!memcmp(ours.text, theirs.text, ours.len);
	tool_source_free(&theirs);
	tool_source_free(&ours);
	return same;
}

/* A row that need not run.
 *
 * It stands in the results with a state of its own.
 */
static enum tool_exit leave_out(struct tool_bench *b,
	const struct tool_bench_program *p)
{
	struct tool_bench_result *q = tool_bench_append(b);

	if (!q)
		return tool_no_memory("the rows");
	q->form = p->form;
	q->size = p->size;
	snprintf(q->base, sizeof(q->base), "%s", tool_bench_against.name);
	q->state = TOOL_BENCH_SAME;
	return TOOL_OK;
}

/* Run the row of "p" and append its results, whatever came of it.
 *
 * A program that was not compiled has its rows, too: without times.
 */
static enum tool_exit run_and_report(struct tool_bench *b,
	struct tool_bench_program *p)
{
	struct row *r = begin(b, p);
	enum tool_exit status;

	if (!r)
		return tool_no_memory("the rows");
	status = report(r, p->failed ? TOOL_INPUT : run(r));
	end(r);
	return status;
}

/* "p" has been compiled, or has failed. */
enum tool_exit tool_bench_row(struct tool_bench *b,
	struct tool_bench_program *p)
{
	return !p->failed && is_same(p) ? leave_out(b, p) :
		run_and_report(b, p);
}

/* For the tuner: one program, alone or against another, and no list of results.
 */
enum tool_exit tool_bench_measure(struct tool_bench *b,
	struct tool_bench_program *p, struct tool_bench_program *against,
	struct tool_bench_result *q)
{
	struct row *r = begin(b, p);
	enum tool_exit status;

	*q = (struct tool_bench_result){ .form = p->form, .size = p->size };
	if (!r)
		return tool_no_memory("the rows");
	r->alone = true;
	r->against = against;
	status = p->failed ? TOOL_INPUT : run(r);
	if (status == TOOL_OK)
		fill_result(r, q, &r->t.side[against ? 1 : 0]);
	else if (status == TOOL_MISMATCH)
		q->state = TOOL_BENCH_WRONG;
	end(r);
	return status;
}
