/* The search for one program at one size: list what there is to try, measure each
 * candidate for a short time, the fastest once more, and keep what was found.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/compile/tuning.h"
#include "tools/tune/tune.h"

/* Candidates that are measured at full length; rounds of the first time.
 *
 * A first time tells which candidates are worth a long one.
 */
enum { FINALISTS = 4, FIRST_ROUNDS = 3 };
/* The length of a round of the first time. */
static const double FIRST_MS = 1;

/* What is tuned at the moment: program 0 is the model's choice.
 *
 * One program at one size; made anew for each.
 */
struct task {
	struct tool_tune *t;
	const struct tool_bench_program *p;
	struct tool_space space;
	struct tool_bench_program *program;
	int n;
	char what[160];
	/* "M=1,N=2" */
	char sizes[TOOL_BENCH_N_SIZE * (TOOL_BENCH_NAME + 21)];
	double until;		/* seconds, 0: any time */
};

/* ------------------------------------------------------------- the dry run */

/* The number of all configurations may be larger than that of the candidates.
 */
static void print_head(const struct task *k)
{
	printf("%s: program %s, %.0f configurations\n  %s\n", k->what,
		k->space.hash, k->space.total, k->space.factors);
}

/* Print the candidates in the order of the model, with the cycles that it
 * expects.
 *
 * Nothing has been compiled or measured then.
 */
static void print_space(const struct task *k)
{
	const struct tool_candidate *c = k->space.item;
	int i;

	for (i = 0; i < k->n; i++)
		printf("  %4d %12.0f cycles  %s%s\n", i, c[i].cycles,
			c[i].config, i ? "" : "  (the model's choice)");
}

/* ------------------------------------------------------------- preparation */

/* List the candidates for the program and size. A program with nothing to
 * choose is refused.
 *
 * The worker has the same options as a build of that program at that size. Listing what
 * a script leaves open takes a third of the time that there is: the rest is for the clock.
 */
static enum tool_exit list_space(struct task *k)
{
	struct tool_bench *b = &k->t->b;
	double now = tool_bench_seconds();
	struct tool_bench_task task;
	enum tool_exit status;

	tool_bench_task_set(&task, b->o, k->p);
	status = b->o->schedule ? tool_space_script(&k->space, &task.o,
			&task.src, b->target, k->until > 0 ?
			now + (k->until - now) / 3 : 0) :
		tool_space_list(&k->space, &task.o, &task.src, b->target);
	if (status != TOOL_OK || k->space.n)
		return status;
	tool_message(MSG_TUNE_NOTHING, task.src.name,
		"no kernel has a product, or a size is not known");
	return TOOL_INPUT;
}

/* Set the names of the program and its size, for people and for the database.
 *
 *	what:	"gemm nn 512x512x512"
 *	sizes:	"M=512,N=512,K=512", or "-" without sizes
 */
static void name_task(struct task *k)
{
	const struct tool_bench_program *p = k->p;
	size_t at = 0, size = sizeof(k->sizes);
	char text[96], name[TOOL_BENCH_NAME];
	int i;

	tool_bench_size_text(&p->size, text, sizeof(text));
	snprintf(k->what, sizeof(k->what), "%s %s %s", p->form->suite,
		p->form->name, text);
	snprintf(k->sizes, size, "-");
	for (i = 0; i < p->size.count && at < size; i++) {
		tool_bench_word(p->form->sizes, i, name, sizeof(name));
		at += (size_t)snprintf(k->sizes + at, size - at, "%s%s=%lld",
			i ? "," : "", name, (long long)p->size.n[i]);
	}
}

/* Give "p" the choices of candidate "i"; false without memory. The model's choice is
 * built as without a configuration: it may divide a sum in ways that one cannot say.
 *
 * A script has all that it leaves open decided, for candidate 0, too.
 */
static bool set_choices(const struct task *k, int i,
	struct tool_bench_program *p)
{
	struct tool_tuned r = { .config = k->space.item[i].config };
	struct poly_str s = { 0 };

	if (k->t->b.o->schedule)
		return (p->decisions = tool_space_decisions(r.config)) != NULL;
	if (!i)
		return true;
	if (!tool_tuning_config(&r, k->space.name, &s)) {
		poly_str_free(&s);
		return false;
	}
	p->config = s.s;
	return true;
}

/* The programs of all candidates that are tried.
 *
 * Candidate 0 is the model's choice; its configuration is only a name for it in
 * rows.
 */
static enum tool_exit make_programs(struct task *k)
{
	struct tool_bench_program *p;
	int i;

	k->program = calloc((size_t)k->n, sizeof(*k->program));
	if (!k->program)
		return tool_no_memory("the candidates");
	for (i = 0; i < k->n; i++) {
		p = &k->program[i];
		*p = (struct tool_bench_program){ .form = k->p->form,
			.size = k->p->size };
		if (!set_choices(k, i, p) ||
		    asprintf(&p->path, "%s/candidate-%d.cetane",
				k->t->b.folder, i) < 0) {
			p->path = NULL;
			return tool_no_memory("the candidates");
		}
	}
	return TOOL_OK;
}

/* Remove the compiled candidates, and free the task.
 *
 * The files lie in the folder of the run, which is removed at its end.
 */
static void free_task(struct task *k)
{
	int i;

	for (i = 0; k->program && i < k->n; i++) {
		if (k->program[i].path)
			unlink(k->program[i].path);
		free(k->program[i].path);
		free((char *)(uintptr_t)k->program[i].config);
		free((char *)(uintptr_t)k->program[i].decisions);
	}
	free(k->program);
	tool_space_free(&k->space);
}

/* Compile the programs "number", "n" of them, unless they are there. What
 * cannot be compiled has said so, and is a candidate that failed.
 *
 * The list is made of those that are needed, and what failed is put back into
 * the task.
 */
static enum tool_exit compile(struct task *k, const int *number, int n)
{
	struct tool_bench *b = &k->t->b;
	struct tool_bench_program *list = calloc((size_t)n + 1, sizeof(*list));
	int i;

	if (!list)
		return tool_no_memory("the candidates");
	for (i = 0; i < n; i++)
		list[i] = k->program[number[i]];
	if (n)
		tool_bench_compile(b->o, b->target, list, n, false);
	for (i = 0; i < n; i++)
		k->program[number[i]].failed = list[i].failed;
	free(list);
	return tool_bench_stopped() ? TOOL_LIMIT : TOOL_OK;
}

/* A candidate has a row of its first time and, if it was among the fastest, one
 * of its last.
 */

/* Rows of an earlier run count as well (--resume). */
static const struct tool_tune_row *row_of(const struct task *k, int i,
	bool is_final)
{
	return tool_tune_find(k->t, k->space.hash, k->sizes,
		k->space.item[i].config, is_final);
}

/* Keep what came of candidate "i".
 *
 * The row is written to the journal at once, so that nothing is measured twice
 * if the run is stopped.
 */
static enum tool_exit keep_row(struct task *k, int i, bool is_final,
	const struct tool_bench_result *q)
{
	struct tool_tune_row r = { .name = k->space.name,
		.program = k->space.hash, .sizes = k->sizes,
		.config = k->space.item[i].config, .rank = i,
		.cycles = k->space.item[i].cycles, .is_final = is_final,
		.state = q->state, .ms = q->ours_ms, .ratio = q->ratio,
		.mhz = q->clock.mhz, .spread = q->spread };

	if (!tool_tune_append(k->t, &r))
		return tool_no_memory("the rows");
	if (!k->t->journal)
		return TOOL_OK;
	tool_tune_write_row(&r, k->t->journal);
	if (fflush(k->t->journal) == 0)
		return TOOL_OK;
	tool_message(MSG_FILE_WRITE, k->t->b.o->resume, strerror(errno));
	return TOOL_ENVIRONMENT;
}

/* Asked for between two candidates. */
static bool is_over(const struct task *k)
{
	return tool_bench_stopped() ||
		(k->until > 0 && tool_bench_seconds() >= k->until);
}

/* Measure candidate "i", alone or against the model's choice. A device that
 * fails ends the search; a candidate that does, does not.
 *
 * The times of the run are put back after a short one.
 */
static enum tool_exit measure(struct task *k, int i, bool is_final)
{
	struct tool_bench *b = &k->t->b;
	struct tool_bench_timing usual = b->timing;
	struct tool_bench_result q;
	enum tool_exit status, kept;

	if (!is_final) {
		b->timing.r.least = b->timing.r.most = FIRST_ROUNDS;
		b->timing.r.round_ms = FIRST_MS;
		b->timing.r.warm_ms = 0;
	}
	status = tool_bench_measure(b, &k->program[i],
		is_final ? &k->program[0] : NULL, &q);
	b->timing = usual;
	/* A wrong result is a row like any other: its state says so. */
	kept = keep_row(k, i, is_final, &q);
	return kept != TOOL_OK ? kept : status == TOOL_ENVIRONMENT ? status :
		TOOL_OK;
}

/* Candidates that have no row yet, each alone. The first is measured in any case, so
 * that there is a best one whatever the limit is.
 *
 * They are compiled in lots, each twice as large as that before: compiling beside a
 * measurement would disturb it, and what is compiled when time is over was for nothing.
 */
static enum tool_exit measure_first(struct task *k)
{
	int *todo = calloc((size_t)k->n, sizeof(*todo)), n = 0, i, lot;
	enum tool_exit status = TOOL_OK;

	if (!todo)
		return tool_no_memory("the candidates");
	for (i = 0; i < k->n; i++)
		if (!row_of(k, i, false))
			todo[n++] = i;
	for (i = lot = 0; i < n && status == TOOL_OK; i++) {
		tool_bench_progress(k->what, i, n);
		if (i && is_over(k)) {
			status = TOOL_LIMIT;
			break;
		}
		if (i == lot) {
			lot = 2 * i + 1 < n ? 2 * i + 1 : n;
			status = compile(k, todo + i, lot - i);
		}
		if (status == TOOL_OK)
			status = measure(k, todo[i], false);
	}
	tool_bench_progress(NULL, 0, 0);
	free(todo);
	return status;
}

/* The numbers of the fastest candidates but for the model's choice, which is
 * the last: returns how many they are.
 *
 * The list is sorted by insertion: it has at most FINALISTS places.
 */
static int choose_finalists(const struct task *k, int *list)
{
	const struct tool_tune_row *r, *other;
	int i, f, n = 0;

	for (i = 1; i < k->n; i++) {
		r = row_of(k, i, false);
		if (!r || r->state != TOOL_BENCH_RIGHT)
			continue;
		for (f = n; f > 0; f--) {
			other = row_of(k, list[f - 1], false);
			if (other->ms <= r->ms)
				break;
			if (f < FINALISTS)
				list[f] = list[f - 1];
		}
		if (f < FINALISTS)
			list[f] = i;
		n += f < FINALISTS && n < FINALISTS;
	}
	/* The place behind the last one is the model's. */
	list[n] = 0;
	return n;
}

/* Measure the fastest candidates once more, each against the model's choice,
 * unless that was not right. Rows that --resume has are kept.
 *
 * The model's choice is compiled, too: it is what the others are measured
 * against.
 */
static enum tool_exit measure_finals(struct task *k)
{
	const struct tool_tune_row *own = row_of(k, 0, false);
	int list[FINALISTS + 1], n = choose_finalists(k, list), todo = 0, i;
	enum tool_exit status = TOOL_OK;

	if (!own || own->state != TOOL_BENCH_RIGHT)
		return TOOL_OK;
	for (i = 0; i < n; i++)
		todo += !row_of(k, list[i], true);
	if (todo)
		status = compile(k, list, n + 1);
	for (i = 0; i < n && status == TOOL_OK; i++)
		if (!row_of(k, list[i], true))
			status = is_over(k) ? TOOL_LIMIT :
				measure(k, list[i], true);
	return status;
}

/* What was found, of "tried" candidates.
 *
 * Rows of earlier runs are among them.
 */
static void print_best(const struct task *k)
{
	const struct tool_tune_row *r, *first = NULL, *best;
	int right = 0, tried = 0;
	double ms;

	for (r = k->t->row; r < k->t->row + k->t->n_row; r++) {
		if (r->is_final || strcmp(r->program, k->space.hash) ||
		    strcmp(r->sizes, k->sizes))
			continue;
		first = first ? first : r;
		tried++;
		right += r->state == TOOL_BENCH_RIGHT;
	}
	best = first ? tool_tune_best(k->t, first) : NULL;
	printf("  %d tried, %d verified", tried, right);
	if (best) {
		ms = tool_tune_model_ms(k->t, best);
		printf("; model %.4f ms, best %.4f ms, rank %d: %.3f\n  %s", ms,
			best->ms, best->rank, ms / best->ms, best->config);
	}
	printf("\n");
	fflush(stdout);
}

/* Write the best values of a script to the file of --decisions; returns "status",
 * unless that fails.
 */
static enum tool_exit keep_best(const struct task *k, enum tool_exit status)
{
	const struct tool_options *o = k->t->b.o;
	const struct tool_tune_row *best = o->schedule && k->t->n_row ?
		tool_tune_best(k->t, k->t->row) : NULL;
	enum tool_exit kept;
	char why[160];

	if (!best)
		return status;
	snprintf(why, sizeof(why), "%.4f ms on %s, the model's best %.4f ms",
		best->ms, cetane_device_name(k->t->b.gpu.dev),
		tool_tune_model_ms(k->t, best));
	kept = tool_script_keep(&k->space, o, o->decisions, best->config, why);
	return kept != TOOL_OK ? kept : status;
}

/* ----------------------------------------------------------------- one size */

/* Is no GPU asked? Then a script's values are what the model thinks best. */
bool tool_tune_is_on_host(const struct tool_options *o)
{
	return o->schedule && !strcmp(o->gpu, "host");
}

/* Tune one program at one size: list, try as many as --budget allows, and
 * measure the best again. With --dry-run only list; on the host device run the
 * model's best, too.
 *
 * Whatever was found is printed, even if a measurement failed.
 */
static enum tool_exit tune_one(struct task *k)
{
	const struct tool_options *o = k->t->b.o;
	struct tool_bench_task task;
	enum tool_exit status;

	name_task(k);
	status = list_space(k);
	if (status != TOOL_OK)
		return status;
	k->n = o->budget && o->budget < k->space.n ? (int)o->budget :
		k->space.n;
	print_head(k);
	if (o->dry_run) {
		print_space(k);
		return TOOL_OK;
	}
	if (tool_tune_is_on_host(o)) {
		print_space(k);
		tool_bench_task_set(&task, o, k->p);
		return tool_script_host(&k->space, &task.o, o->decisions);
	}
	status = make_programs(k);
	if (status == TOOL_OK)
		status = measure_first(k);
	if (status == TOOL_OK)
		status = measure_finals(k);
	print_best(k);
	return keep_best(k, status);
}

/* Tune all programs of the plan one after the other, until one fails or the
 * time is over.
 *
 * A dry run has the same loop, and measures nothing.
 */
enum tool_exit tool_tune_all(struct tool_tune *t)
{
	double limit = t->b.o->limit;
	double until = limit > 0 ? tool_bench_seconds() + limit : 0;
	enum tool_exit status = TOOL_OK;
	int i, done = 0, n = 0;

	for (i = 0; i < t->b.n_program; i++)
		n += t->b.program[i].is_row;
	for (i = 0; i < t->b.n_program && status == TOOL_OK; i++) {
		struct task k = { .t = t, .p = &t->b.program[i],
			.until = until };

		if (!t->b.program[i].is_row)
			continue;
		status = tune_one(&k);
		free_task(&k);
		done += status == TOOL_OK;
	}
	if (status == TOOL_LIMIT)
		tool_message(MSG_BENCH_STOPPED, done, n);
	return status;
}
