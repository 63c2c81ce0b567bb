/* The verb benchcmp: what two runs of cetane bench differ by, and whether that is more
 * than chance.
 *
 * Rows of the same program, size and base are compared by our times: their medians, and
 * a rank test over the samples (rank.c). As many rows are tested at once, the least
 * probability must be below the level divided by the number of rows, the next below it
 * divided by one less, and so on (Holm), so that the level is that of one false alarm
 * among all rows. The samples of a run are of one process: what differs from process to
 * process, such as where memory lies, they do not show. A difference counts, therefore,
 * only if the medians are apart by a threshold, too; how far the rows are apart is told
 * by an interval, for each row alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/json.h"
#include "tools/lib/base/plot.h"
#include "tools/own/compare.h"

/* How likely one false alarm among all rows may be. */
static const double LEVEL = 0.05;
/* By how many percent medians must differ at least, if the options do not tell. */
static const double THRESHOLD = 1;

/* A row of both files.
 *
 * "x" and "y" are the samples before and after.
 */
struct pair {
	const struct tool_json *a, *b;
	double x[TOOL_RANK_MOST], y[TOOL_RANK_MOST];
	int n_x, n_y;
	double before, after;	/* medians */
	double p;
	bool significant;	/* it is more than chance */
	bool counts;		/* it reaches the threshold, too */
	bool between;		/* "low" and "high" are known */
	double low, high;	/* factors of times */
};
/* One of the two files. "rows" points into "json". */
struct results {
	const char *path;
	struct tool_source src;
	struct tool_json json;
	const struct tool_json *rows;
};

/* Always TOOL_INPUT, for the callers to return. */
static enum tool_exit bad(const char *path, const char *why)
{
	tool_message(MSG_BENCH_RESULTS, path, why);
	return TOOL_INPUT;
}

/* What is missing in the file is told; the rows themselves are looked at later.
 */
static enum tool_exit read_results(struct results *r, const char *path)
{
	enum tool_exit status = tool_source_read(&r->src, path,
		TOOL_MOST_TEXT);

	r->path = path;
	if (status != TOOL_OK)
		return status;
	if (!tool_json_read(&r->json, r->src.text, r->src.len))
		return bad(path, "this is no JSON");
	r->rows = tool_json_member(&r->json, "rows");
	if (!r->rows || r->rows->kind != TOOL_JSON_LIST ||
	    !tool_json_string(&r->json, "device"))
		return bad(path, "it has no rows of cetane bench");
	return TOOL_OK;
}

/* -------------------------------------------------------------------- rows */

/* Rows are found by what they measure. */

/* Both must have the member, as a text. */
static bool same(const struct tool_json *a, const struct tool_json *b,
	const char *name)
{
	const char *x = tool_json_string(a, name);
	const char *y = tool_json_string(b, name);

	return x && y && !strcmp(x, y);
}

/* The first that fits. NULL if the other file has none. */
static const struct tool_json *find_row(const struct results *r,
	const struct tool_json *row)
{
	int i;

	for (i = 0; i < r->rows->n; i++)
		if (same(&r->rows->item[i], row, "suite") &&
		    same(&r->rows->item[i], row, "form") &&
		    same(&r->rows->item[i], row, "size") &&
		    same(&r->rows->item[i], row, "base"))
			return &r->rows->item[i];
	return NULL;
}

/* The samples of a row; returns their number.
 *
 * Samples that are no positive numbers are left out.
 */
static int samples(const struct tool_json *row, double *x)
{
	const struct tool_json *list = tool_json_member(row, "ours_samples");
	int i, n = 0;

	for (i = 0; list && i < list->n && n < TOOL_RANK_MOST; i++)
		if (list->item[i].kind == TOOL_JSON_NUMBER &&
		    list->item[i].number > 0)
			x[n++] = list->item[i].number;
	return n;
}

/* Of two in the middle their mean. */
static double median(const double *x, int n)
{
	double sorted[TOOL_RANK_MOST];

	memcpy(sorted, x, (size_t)n * sizeof(*x));
	tool_rank_sort(sorted, n);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* False if one of them has no samples or the test cannot be made. */
static bool make_pair(struct pair *q, const struct tool_json *a,
	const struct tool_json *b)
{
	*q = (struct pair){ .a = a, .b = b };
	q->n_x = samples(a, q->x);
	q->n_y = samples(b, q->y);
	if (!q->n_x || !q->n_y)
		return false;
	q->before = median(q->x, q->n_x);
	q->after = median(q->y, q->n_y);
	q->p = tool_rank_test(q->x, q->n_x, q->y, q->n_y);
	q->between = tool_rank_interval(q->x, q->n_x, q->y, q->n_y, LEVEL,
		&q->low, &q->high);
	return q->p >= 0;
}

/* For qsort(): the least probability first. */
static int by_p(const void *a, const void *b)
{
	double x = (*(struct pair *const *)a)->p;
	double y = (*(struct pair *const *)b)->p;

	return (x > y) - (x < y);
}

/* By how many percent medians must differ. A gate for less lowers it. */
static double threshold(const struct tool_options *o)
{
	if (o->threshold >= 0)
		return o->threshold;
	return o->fail_on >= 0 && o->fail_on < THRESHOLD ? o->fail_on :
		THRESHOLD;
}

/* As soon as one is not significant, none behind it is. */
static enum tool_exit judge(const struct tool_options *o, struct pair *q, int n)
{
	struct pair **order = calloc((size_t)n + 1, sizeof(*order));
	int i;

	if (!order)
		return tool_no_memory("the rows");
	for (i = 0; i < n; i++)
		order[i] = &q[i];
	qsort(order, (size_t)n, sizeof(*order), by_p);
	for (i = 0; i < n && order[i]->p < LEVEL / (n - i); i++)
		order[i]->significant = true;
	for (i = 0; i < n; i++)
		q[i].counts = q[i].significant && 100 *
			fabs(q[i].after / q[i].before - 1) >= threshold(o);
	free(order);
	return TOOL_OK;
}

/* ------------------------------------------------------------------ output */

/* A table, then one line for all rows. */

/* Two medians may be equal although the samples differ: that is said, too, as is a
 * difference that is more than chance, and less than the threshold.
 */
static void print_pair(const struct pair *q, double least)
{
	const char *base = tool_json_string(q->a, "base");
	double change = q->after / q->before - 1;
	char form[64], between[32] = "-", less[32] = "";

	snprintf(form, sizeof(form), "%s %s", tool_json_string(q->a, "suite"),
		tool_json_string(q->a, "form"));
	if (q->between)
		snprintf(between, sizeof(between), "%+.2f to %+.2f%%",
			100 * (q->low - 1), 100 * (q->high - 1));
	if (q->significant && !q->counts)
		snprintf(less, sizeof(less), ", by less than %g%%", least);
	printf("%-24s %-22s %-13s %10.4f %10.4f %+8.2f%%  %-19s %9.2g  %s%s\n",
		form, tool_json_string(q->a, "size"), *base ? base : "-",
		q->before, q->after, 100 * change, between, q->p,
		!q->significant ? "no difference" : change > 0 ? "slower" :
		change < 0 ? "faster" : "differs", less);
}

/* The mean is that of the quotients: a row that takes twice the time and one
 * that takes half cancel out.
 */
static void print_all(const struct pair *q, int n, double least)
{
	int i, faster = 0, slower = 0, small = 0;
	double sum = 0;

	printf("%-24s %-22s %-13s %10s %10s %9s  %-19s %9s  %s\n", "form",
		"size", "against", "before ms", "after ms", "change",
		"interval of 95%", "p", "verdict");
	for (i = 0; i < n; i++) {
		print_pair(&q[i], least);
		sum += log(q[i].after / q[i].before);
		faster += q[i].counts && q[i].after < q[i].before;
		slower += q[i].counts && q[i].after > q[i].before;
		small += q[i].significant && !q[i].counts;
	}
	printf("%d %s: %d faster, %d slower, ", n, n == 1 ? "row" : "rows",
		faster, slower);
	if (small)
		printf("%d by less than %g%%, ", small, least);
	printf("%d without a significant difference; geometric mean %+.2f%%\n",
		n - faster - slower - small, 100 * (exp(sum / n) - 1));
}

/* What is drawn: pairs of rows. */
struct drawing {
	const struct pair *q;
	int n;
};

/* A bar for each pair: our time before as a part of that after. */
static void draw(const void *user, const char *path, FILE *out)
{
	const struct drawing *d = user;
	struct tool_bar *bar = calloc((size_t)d->n + 1, sizeof(*bar));
	const struct pair *q;
	int i;

	(void)path;
	for (i = 0; bar && i < d->n; i++) {
		q = &d->q[i];
		snprintf(bar[i].label, sizeof(bar[i].label),
			"%.20s %.30s %.40s%s%.30s",
			tool_json_string(q->a, "suite"),
			tool_json_string(q->a, "form"),
			tool_json_string(q->a, "size"),
			*tool_json_string(q->a, "base") ? " / " : "",
			tool_json_string(q->a, "base"));
		bar[i].value = q->before / q->after;
		bar[i].weak = !q->counts;
		snprintf(bar[i].note, sizeof(bar[i].note), "%.3f%s",
			q->before / q->after, q->counts ? "" :
			q->significant ? ", little" : ", no difference");
	}
	if (bar)
		tool_bars_write(out, "time before / time after; the line is 1, "
			"what is little or may be chance is grey", bar, d->n, 1);
	free(bar);
}

/* TOOL_MISMATCH if a row is slower by more than --fail-on allows.
 *
 * Without --fail-on differences are only printed.
 */
static enum tool_exit verdict(const struct tool_options *o,
	const struct pair *q, int n)
{
	int i;

	for (i = 0; i < n && o->fail_on >= 0; i++)
		if (q[i].counts && q[i].after / q[i].before - 1 >
				o->fail_on / 100)
			return TOOL_MISMATCH;
	return TOOL_OK;
}

/* Compare the rows that both files have, print a line for each, and tell by the exit
 * status whether one became slower, if the options ask for that.
 *
 * Rows of the second file that the first has not are not counted.
 */
static enum tool_exit compare(const struct tool_options *o,
	const struct results *a, const struct results *b)
{
	struct pair *q = calloc((size_t)a->rows->n + 1, sizeof(*q));
	enum tool_exit status = TOOL_OK, written = TOOL_OK;
	const struct tool_json *row;
	int i, n = 0, left = 0;

	if (!q)
		return tool_no_memory("the rows");
	for (i = 0; i < a->rows->n; i++) {
		row = find_row(b, &a->rows->item[i]);
		if (row && make_pair(&q[n], &a->rows->item[i], row))
			n++;
		else
			left++;
	}
	if (!n)
		status = bad(b->path, "no row with samples is in both files");
	if (status == TOOL_OK)
		status = judge(o, q, n);
	if (status == TOOL_OK) {
		/* Comparing two devices is not forbidden. */
		if (!same(&a->json, &b->json, "device"))
			printf("the devices differ: %s, and %s\n",
				tool_json_string(&a->json, "device"),
				tool_json_string(&b->json, "device"));
		print_all(q, n, threshold(o));
		if (left)
			printf("%d rows of %s are not in the other file, or "
				"have no samples\n", left, a->path);
		status = verdict(o, q, n);
		if (o->svg_file)
			written = tool_write_output(o->svg_file, draw,
				&(struct drawing){ q, n });
	}
	free(q);
	return written == TOOL_OK ? status : written;
}

/* Neither file is changed. Both are read as wholes. */
enum tool_exit tool_benchcmp(struct tool_options *o)
{
	struct results a = { 0 }, b = { 0 };
	enum tool_exit status = TOOL_OK;

	if (o->file_list.n != 2)
		status = tool_bad_operand("two files of results are needed, "
			"before and after");
	if (status == TOOL_OK)
		status = read_results(&a, o->file_list.item[0]);
	if (status == TOOL_OK)
		status = read_results(&b, o->file_list.item[1]);
	if (status == TOOL_OK)
		status = compare(o, &a, &b);
	tool_json_free(&a.json);
	tool_json_free(&b.json);
	tool_source_free(&a.src);
	tool_source_free(&b.src);
	return status;
}
