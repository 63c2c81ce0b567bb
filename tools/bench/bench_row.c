/* One row: arrays, sides, verification, times, results.
 *
 * All sides read the same inputs. Ours writes outputs of its own, libraries
 * share others. Rows whose caches are to be cold have so many sets of arrays
 * that a round goes through three times the L2 cache.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/bench_call.h"

/* Allocations of a row; bytes at multiples of which arrays begin; how often a
 * row is measured against another build.
 *
 * The row's arrays are freed one by one, from this list.
 */
enum { BLOCKS_MOST = 4 * TOOL_BENCH_N_ARRAY, ALIGN = 256, AGAINST_TIMES = 3 };

/* The arrays of a row, to be freed.
 *
 * Everything that lives as long as the row does. What several rows need is in
 * "b".
 */
struct row {
	struct tool_bench *b;
	struct tool_bench_program *p, *rival;
	struct tool_bench_program *against;	/* if alone, or NULL */
	struct tool_bench_program other;	/* of --against */
	struct tool_bench_program *own[2];	/* of bases, to be freed */
	int n_own;
	bool alone;		/* without the bases of the form */
	struct tool_bench_timing t;
	uint64_t block[BLOCKS_MOST];
	struct tool_usage usage;
	int n_block, n_set, n_array;
	int64_t bytes;			/* of one set */
	enum tool_exit dropped;		/* why a side was, TOOL_OK: none was */
	double error, end_ms;
};

/* Array "i" of a side, as often as it has sets.
 *
 * Sets follow each other at a stride, so that set "k" begins at ptr + k *
 * stride. The memory is one block.
 */
static enum tool_exit allocate(struct row *r, struct tool_bench_side *s,
	int i, int64_t size)
{
	struct tool_cuda *g = &r->b->gpu;
	uint64_t stride = ((uint64_t)size + ALIGN - 1) / ALIGN * ALIGN;
	uint64_t all = stride * (uint64_t)(s->round.n_set - 1) + (uint64_t)size;
	enum tool_exit status;

	status = tool_cuda_judge(g, "cuMemAlloc",
		g->mem_alloc(&s->ptr[i], all ? all : 1));
	if (status == TOOL_OK)
		r->block[r->n_block++] = s->ptr[i];
	s->stride[i] = stride;
	return status;
}

/* Fill all sets of array "i", which have "size" bytes.
 *
 * All sets hold the same, so that it does not matter which one a launch reads.
 */
static enum tool_exit fill(struct row *r, const struct tool_bench_side *s,
	int i, int64_t size, bool is_f64)
{
	enum tool_exit status = TOOL_OK;
	int set;

	for (set = 0; set < s->round.n_set && status == TOOL_OK; set++)
		status = tool_bench_fill(&r->b->data, &r->b->gpu, i, is_f64,
			s->ptr[i] + (uint64_t)set * s->stride[i],
			size / (is_f64 ? 8 : 4));
	return status;
}

/* Outputs are the last of a form's arrays. */
static bool is_output(const struct tool_bench_form *f, int array)
{
	return array >= tool_bench_words(f->arrays) - f->n_out;
}

/* How many sets a row has: one, or enough to fill the cache three times.
 *
 * Two more than three caches take: the set that is used again has then left the
 * cache.
 */
static int count_sets(const struct row *r)
{
	int64_t want = 3 * r->b->gpu.l2 / (r->bytes ? r->bytes : 1) + 2;

	if (!r->p->form->cold)
		return 1;
	return want > TOOL_BENCH_N_SET ? TOOL_BENCH_N_SET : (int)want;
}

/* ------------------------------------------------------------------ sides */

/* A new side of the row at the end, with as many sets of arrays as the row has.
 *
 * The place in the list is the number of the side; ours is the first.
 */
static struct tool_bench_side *add_side(struct row *r, const char *name)
{
	struct tool_bench_side *s = &r->t.side[r->t.n_side++];

	s->name = name;
	s->round.n_set = r->n_set;
	s->scale = 1;
	return s;
}

/* Inputs and outputs of a program of ours.
 *
 * Each side that writes has outputs of its own, and inputs may be shared.
 */
static enum tool_exit make_arrays(struct row *r, struct tool_bench_side *s)
{
	const struct tool_bench_program *p = s->program;
	int n = tool_bench_words(p->form->arrays), i;
	enum tool_exit status = TOOL_OK;

	for (i = 0; i < n && status == TOOL_OK; i++) {
		status = allocate(r, s, i, p->bytes[i]);
		if (status == TOOL_OK && !is_output(p->form, i))
			status = fill(r, s, i, p->bytes[i], p->form->is_f64);
	}
	return status;
}

/* The inputs of ours, and outputs that libraries share.
 *
 * "before" is the side whose arrays are taken over. Behind ours, outputs are
 * new; behind another library they are the same.
 */
static enum tool_exit share_arrays(struct row *r, struct tool_bench_side *s,
	const struct tool_bench_side *before)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < r->n_array && status == TOOL_OK; i++) {
		s->ptr[i] = before->ptr[i];
		s->stride[i] = before->stride[i];
		if (is_output(r->p->form, i) && before == &r->t.side[0])
			status = allocate(r, s, i, r->p->bytes[i]);
	}
	return status;
}

/* A copy reads one half of the bytes and writes the other.
 *
 * Bytes in multiples of 16; at least that many.
 */
static enum tool_exit make_copy(struct row *r, struct tool_bench_side *s)
{
	int64_t half = r->bytes / 2 / 16 * 16;
	enum tool_exit status;

	s->copied = half ? half : 16;
	status = allocate(r, s, 0, s->copied);
	if (status == TOOL_OK)
		status = allocate(r, s, 1, s->copied);
	return status == TOOL_OK ? fill(r, s, 0, s->copied, false) : status;
}

/* Our own product of matrices of as many points; its time is scaled to as many
 * instructions as ours has.
 *
 * The rival's instructions have one multiplication and one addition each. A
 * form whose instructions do less is scaled by how many it needs for its work.
 */
static enum tool_exit make_rival(struct row *r, struct tool_bench_side *s)
{
	const struct tool_bench_form *f = r->p->form;
	struct tool_bench_size size = tool_bench_rival_size(f, &r->p->size);
	enum tool_exit status;

	s->program = tool_bench_program_of(r->b,
		tool_bench_find(s->base->rival, "nn"), &size, r->p->how);
	/* One set: its arrays need not leave the cache. */
	s->round.n_set = 1;
	if (!s->program || s->program->failed)
		return TOOL_INPUT;
	r->rival = s->program;
	status = tool_bench_program_load(s->program, &r->b->gpu);
	s->scale = 2 * f->issued(f->work(r->p->size.n)) /
		s->program->form->work(size.n);
	return status == TOOL_OK ? make_arrays(r, s) : status;
}

/* Bases that are programs of ours and stand in no table. */
static const struct tool_bench_base fixed = { .name = "fixed" };
static const struct tool_bench_base tuned = { .name = "tuned" };
static const struct tool_bench_base configured = { .name = "config" };
static const struct tool_bench_base model = { .name = "model" };
static const struct tool_bench_base other = { .name = "against" };

/* How the program of "base" is compiled.
 *
 * Each is a file of its own (bench_plan.c).
 */
static enum tool_bench_how how_of(const struct tool_bench_base *base)
{
	return base == &tuned ? TOOL_BENCH_TUNED : base == &configured ?
		TOOL_BENCH_CONFIGURED : TOOL_BENCH_FIXED;
}

/* The same program: as it is compiled for these sizes, otherwise, or by another
 * build.
 *
 * The side of another build has been compiled there; only its file is read.
 */
static enum tool_exit make_fixed(struct row *r, struct tool_bench_side *s)
{
	s->program = r->alone ? r->against : s->base == &other ? &r->other :
		tool_bench_program_of(r->b, r->p->form, &r->p->size,
			how_of(s->base));
	if (!s->program || s->program->failed)
		return TOOL_INPUT;
	r->own[r->n_own++] = s->program;
	return tool_bench_program_load(s->program, &r->b->gpu);
}

/* Base "i" of a row of "form", or NULL; if our program is for any sizes, the
 * same for these sizes is one more; with --tuning and --config, what those
 * give, too. With --against there is that build alone.
 *
 * Numbers from TOOL_BENCH_N_BASE on are those of the bases that options add.
 */
static const struct tool_bench_base *base_at(const struct tool_bench *b,
	const struct tool_bench_form *form, int i)
{
	if (b->o->against)
		return i == 0 ? &other : NULL;
	if (i < TOOL_BENCH_N_BASE)
		return form->base[i].name ? &form->base[i] : NULL;
	if (i == TOOL_BENCH_N_BASE)
		return b->o->parametric && !form->base[0].rival ? &fixed :
			NULL;
	if (i == TOOL_BENCH_N_BASE + 1)
		return b->tuning ? &tuned : NULL;
	return b->config ? &configured : NULL;
}

/* True if what the base needs is there.
 *
 * Each bit of "libraries" is one that has to be there.
 */
static bool has_base(const struct tool_bench *b,
	const struct tool_bench_base *base)
{
	int i;

	for (i = 0; base && i < TOOL_N_LIBRARY; i++)
		if ((base->libraries >> i & 1) && !b->lib.there[i])
			return false;
	return base != NULL;
}

/* The number of rows that a form has in the results. */
int tool_bench_bases(const struct tool_bench *b,
	const struct tool_bench_form *form)
{
	int i, n = 0;

	for (i = 0; i < TOOL_BENCH_BASES; i++)
		n += has_base(b, base_at(b, form, i));
	return n;
}

/* Base "i" of row "r", or NULL.
 *
 * A row that is measured alone has one base at most: what it is measured
 * against.
 */
static const struct tool_bench_base *base_of(const struct row *r, int i)
{
	if (r->alone)
		return i == 0 && r->against ? &model : NULL;
	return base_at(r->b, r->p->form, i);
}

/* What a base runs on. Libraries and the fixed program write other outputs
 * than ours, which they share: those of the side "*shared".
 *
 * A copy and a rival have arrays of their own, since their sizes are others.
 */
static enum tool_exit make_base(struct row *r, struct tool_bench_side *s,
	struct tool_bench_side **shared)
{
	enum tool_exit status = TOOL_OK;

	if (s->base->is_copy)
		return make_copy(r, s);
	if (s->base->rival)
		return make_rival(r, s);
	if (!s->base->call)
		status = make_fixed(r, s);
	if (status == TOOL_OK)
		status = share_arrays(r, s, *shared);
	*shared = s;
	return status;
}

/* Make the sides: ours, then each base whose libraries are there.
 *
 * The first side is ours: all others are compared with it.
 */
static enum tool_exit make_sides(struct row *r)
{
	struct tool_bench_side *s = add_side(r, "cetane"), *shared = s;
	const struct tool_bench_base *base;
	enum tool_exit status;
	int i;

	s->program = r->p;
	status = make_arrays(r, s);
	for (i = 0; i < TOOL_BENCH_BASES && status == TOOL_OK; i++) {
		base = base_of(r, i);
		if (!has_base(r->b, base))
			continue;
		s = add_side(r, base->name);
		s->base = base;
		status = make_base(r, s, &shared);
	}
	return status;
}

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
		base = base_at(r->b, r->p->form, k);
		if (!has_base(r->b, base))
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
	r->n_set = count_sets(r);
	status = make_sides(r);
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
	snprintf(q->base, sizeof(q->base), "%s", other.name);
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
