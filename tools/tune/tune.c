/* The verb tune: which configuration of a program is fastest on this GPU.
 *
 * For each program and size the space is listed (tune_space.c), in the order of
 * the model, and what --budget leaves of it compiled, on all processors, and
 * timed: each candidate alone and for a short time, the fastest then against
 * what the model chooses, as benchmarks are. A result counts only if it was
 * verified, and beats the model's choice in the same rounds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/compile/tuning.h"
#include "tools/tune/tune.h"

/* ----------------------------------------------------------------- one size */

/* How far the model is from what was found.
 *
 * A row for each size counts once: the first of them.
 */
static void print_summary(const struct tool_tune *t)
{
	const struct tool_tune_row *r, *best;
	double sum = 0;
	int n = 0;

	for (r = t->row; r < t->row + t->n_row; r++) {
		best = tool_tune_is_first(t, r) ? tool_tune_best(t, r) : NULL;
		if (!best)
			continue;
		sum += log(tool_tune_model_ms(t, best) / best->ms);
		n++;
	}
	if (n)
		printf("%d sizes: the model's choice takes %.3f of the best "
			"time, geometric mean\n", n, exp(sum / n));
}

/* --------------------------------------------------------------- the whole */

static enum tool_exit conflict(const char *text)
{
	tool_message(MSG_USAGE_CONFLICT, text);
	return TOOL_USAGE;
}

/* Refuse a device that is no GPU, unless nothing is measured, and what is not there for
 * scripts.
 *
 * A dry run needs no device.
 */
static enum tool_exit check_options(const struct tool_options *o)
{
	int i;

	if (!o->dry_run && strcmp(o->gpu, "cuda") &&
	    strncmp(o->gpu, "cuda:", 5) && !tool_tune_is_on_host(o)) {
		tool_message(MSG_USAGE_VALUE, "device", "cuda or cuda:N, or "
			"--dry-run or --schedule beside it", o->gpu, "", "");
		return TOOL_USAGE;
	}
	for (i = 0; o->schedule && i < o->output_list.n; i++)
		if (!tool_ends_with(o->output_list.item[i], ".svg") &&
		    !tool_ends_with(o->output_list.item[i], ".tsv"))
			return conflict("with --schedule tune writes no "
				"database: --decisions=FILE receives the best "
				"values");
	return o->schedule && o->resume ? conflict("rows of --resume are of blocks "
		"that are chosen: it goes without --schedule") : TOOL_OK;
}

/* The rows of a file.
 *
 * The interpreter gives the references of such a program (tune_file.c).
 */
static enum tool_exit plan_file(struct tool_tune *t)
{
	struct tool_bench *b = &t->b;
	enum tool_exit status = tool_tune_file_sizes(&t->file, b->o,
		&b->sizes);
	int i;

	for (i = 0; i < b->sizes.n && status == TOOL_OK; i++)
		if (!tool_bench_add_row(b, &t->file.form, &b->sizes.item[i]))
			status = tool_no_memory("the rows");
	b->data.user = &t->file;
	return status;
}

/* Is nothing measured on a GPU? */
static bool is_without_gpu(const struct tool_options *o)
{
	return o->dry_run || tool_tune_is_on_host(o);
}

/* Find what to tune: the program of the command line, or the forms of suites,
 * at their sizes. Without a dry run, the device is opened, too.
 *
 * Without a device the architecture is that of --arch, or the one that builds
 * have.
 */
static enum tool_exit plan(struct tool_tune *t)
{
	struct tool_bench *b = &t->b;
	enum tool_exit status = b->o->file ?
		tool_tune_file_open(&t->file, b->o) :
		tool_bench_check_suites(b->o->suite);

	if (status == TOOL_OK)
		status = tool_bench_sizes_read(&b->sizes, b->o);
	if (status == TOOL_OK && !is_without_gpu(b->o))
		status = tool_bench_open(b);
	if (status == TOOL_OK && is_without_gpu(b->o)) {
		b->target = b->o->target ? b->o->target :
			nvptx_target_find(TOOL_DEFAULT_ARCH);
		b->folder = strdup("");
	}
	if (status != TOOL_OK)
		return status;
	return b->o->file ? plan_file(t) : tool_bench_plan(b);
}

/* Write the rows, as a drawing or as tab-separated values, as the name tells.
 *
 * The name's end tells which.
 */
static void write_rows(const void *user, const char *path, FILE *f)
{
	const struct tool_tune *t = user;
	int i;

	if (tool_ends_with(path, ".svg")) {
		tool_tune_write_svg(t, f);
		return;
	}
	tool_tune_write_head(t, f);
	for (i = 0; i < t->n_row; i++)
		tool_tune_write_row(&t->row[i], f);
}

/* Write each output; one that is neither a drawing nor values is a database.
 *
 * Several outputs may be asked for.
 */
static enum tool_exit write_outputs(const struct tool_tune *t)
{
	const struct tool_list *list = &t->b.o->output_list;
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < list->n && status == TOOL_OK; i++)
		status = tool_ends_with(list->item[i], ".svg") ||
			tool_ends_with(list->item[i], ".tsv") ?
			tool_write_output(list->item[i], write_rows, t) :
			tool_tune_write_database(t, list->item[i]);
	return status;
}

/* A wrong result ends no search, but is not kept back.
 *
 * The exit code tells it.
 */
static enum tool_exit judge(const struct tool_tune *t)
{
	int i;

	for (i = 0; i < t->n_row; i++)
		if (t->row[i].state == TOOL_BENCH_WRONG)
			return TOOL_MISMATCH;
	return TOOL_OK;
}

/* Measure, print and write; the outputs are written whatever came of the
 * search.
 *
 * Rows that --resume has are read before the first measurement.
 */
static enum tool_exit run(struct tool_tune *t)
{
	enum tool_exit status = tool_bench_begin(&t->b), written;

	if (status == TOOL_OK)
		status = tool_tune_resume(t);
	if (status != TOOL_OK)
		return status;
	tool_bench_print_facts(&t->b, "", stdout);
	status = tool_tune_all(t);
	print_summary(t);
	written = write_outputs(t);
	if (status == TOOL_OK)
		status = judge(t);
	return written == TOOL_OK ? status : written;
}

/* What was made so far is freed whatever comes of it. */
enum tool_exit tool_tune(struct tool_options *o)
{
	struct tool_tune t = { .b = { .o = o } };
	enum tool_exit status = check_options(o);

	if (status == TOOL_OK)
		status = plan(&t);
	if (status == TOOL_OK)
		status = is_without_gpu(o) ? tool_tune_all(&t) : run(&t);
	tool_tune_free(&t);
	tool_tune_file_close(&t.file);
	return status;
}
