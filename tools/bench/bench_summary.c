/* The summary behind the table: a line for each form and base, and what only
 * several rows tell: layouts against the plain one, and sizes that are no
 * multiple of 16 against the next that is.
 */
#include <math.h>
#include <string.h>

#include "tools/bench/bench.h"

/* Ratios of which the geometric mean is wanted. */
struct ratios {
	double log_sum, least;
	int n, reach;
};

/* Take one more ratio into the summary; "reach" counts those of 1 at least. */
static void add(struct ratios *s, double ratio)
{
	s->least = s->n && s->least < ratio ? s->least : ratio;
	s->log_sum += log(ratio);
	s->reach += ratio >= 1;
	s->n++;
}

static void print(const struct ratios *s, FILE *out)
{
	if (s->n)
		fprintf(out, "geometric mean %.3f, least %.3f, %d of %d >= 1",
			exp(s->log_sum / s->n), s->least, s->reach, s->n);
}

static void print_head(const struct tool_bench_result *r, const char *against,
	FILE *out)
{
	fprintf(out, "%-14s %-10s against %-14s ", r->form->suite,
		r->form->name, against);
}

static bool same_group(const struct tool_bench_result *a,
	const struct tool_bench_result *b)
{
	return a->form == b->form && !strcmp(a->base, b->base);
}

/* Print the line of the form and base of "r", over all results of that group.
 */
static void print_group(const struct tool_bench *b,
	const struct tool_bench_result *r, FILE *out)
{
	const struct tool_bench_result *q = b->result;
	struct ratios s = { 0 };
	int bad = 0, same = 0;

	for (; q < b->result + b->n_result; q++) {
		if (!same_group(q, r))
			continue;
		if (q->state == TOOL_BENCH_RIGHT)
			add(&s, q->ratio);
		else if (q->state == TOOL_BENCH_SAME)
			same++;
		else
			bad++;
	}
	print_head(r, r->base, out);
	print(&s, out);
	if (bad)
		fprintf(out, "%s%d without a time", s.n ? ", " : "", bad);
	if (same)
		fprintf(out, "%s%d of the same program", s.n || bad ? ", " :
			"", same);
	fprintf(out, "\n");
}

/* The result of "form" at "size" against the same base as "r"; NULL if there
 * is none.
 */
static const struct tool_bench_result *find(const struct tool_bench *b,
	const struct tool_bench_result *r, const struct tool_bench_form *form,
	const struct tool_bench_size *size)
{
	const struct tool_bench_result *q = b->result;

	for (; q < b->result + b->n_result; q++)
		if (q->form == form && q->state == TOOL_BENCH_RIGHT &&
		    !strcmp(q->base, r->base) &&
		    tool_bench_same_size(&q->size, size))
			return q;
	return NULL;
}

/* Our rate in a layout against ours in the layout nn. */
static void print_layout(const struct tool_bench *b,
	const struct tool_bench_result *r, FILE *out)
{
	const struct tool_bench_form *plain = tool_bench_find(r->form->suite,
		"nn");
	const struct tool_bench_result *q = b->result, *nn;
	struct ratios s = { 0 };

	if (!plain || plain == r->form)
		return;
	for (; q < b->result + b->n_result; q++) {
		nn = find(b, r, plain, &q->size);
		if (same_group(q, r) && q->state == TOOL_BENCH_RIGHT && nn)
			add(&s, nn->ours_ms / q->ours_ms);
	}
	if (!s.n)
		return;
	print_head(r, "our nn", out);
	print(&s, out);
	fprintf(out, "\n");
}

/* The size with each number rounded up to a multiple of 16; false if it is one
 * already.
 */
static bool round_up(const struct tool_bench_size *size,
	struct tool_bench_size *rounded)
{
	int i;

	*rounded = *size;
	for (i = 0; i < size->count; i++)
		rounded->n[i] = (size->n[i] + 15) / 16 * 16;
	return !tool_bench_same_size(size, rounded);
}

/* Our rate at sizes that are no multiple of 16 against ours at the next. */
static void print_odd(const struct tool_bench *b,
	const struct tool_bench_result *r, FILE *out)
{
	const struct tool_bench_result *q = b->result, *even;
	struct tool_bench_size size;
	struct ratios s = { 0 };

	for (; q < b->result + b->n_result; q++) {
		if (!same_group(q, r) || q->state != TOOL_BENCH_RIGHT ||
		    !q->work || !round_up(&q->size, &size))
			continue;
		even = find(b, r, r->form, &size);
		if (even)
			add(&s, q->work / q->ours_ms /
				(even->work / even->ours_ms));
	}
	if (!s.n)
		return;
	print_head(r, "multiples of 16", out);
	print(&s, out);
	fprintf(out, "\n");
}

void tool_bench_print_summary(const struct tool_bench *b, FILE *out)
{
	int i, k;

	for (i = 0; i < b->n_result; i++) {
		for (k = 0; k < i; k++)
			if (same_group(&b->result[k], &b->result[i]))
				break;
		if (k < i)
			continue;
		print_group(b, &b->result[i], out);
		print_layout(b, &b->result[i], out);
		print_odd(b, &b->result[i], out);
	}
}
