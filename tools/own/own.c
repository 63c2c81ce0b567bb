/* The verb bench with a file: a program of the user's own, at one or more sizes, on a
 * GPU or on the host device, alone or beside rivals.
 *
 * All runs in one worker, as the verb run does; the rows are printed as they come, and
 * written behind the last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/own/own.h"

/* A run of the verb. "form" describes the program in rows.
 *
 * Lives in the worker, but for what opens files.
 */
struct bench {
	struct tool_options *o;
	struct tool_source src;
	struct tool_output *out;
	int n_out;
	struct tool_bench_sizes sizes;
	struct tool_cuda gpu;
	bool is_cuda;
	double copy_rate;
	struct tool_bench_form form;
	char *stem;
	struct tool_bench_result *row;
	int n_row;
};

/* ------------------------------------------------------------------- facts */

/* Facts stand in front of the table and in the JSON. */

/* The host device has no name of its own. */
static const char *device_name(const struct bench *b)
{
	return b->is_cuda ? cetane_device_name(b->gpu.dev) : "host device";
}

/* What a reader must know of the times: version, device, peak rates, and how often each
 * was taken.
 *
 * Times of the host device say so in the first lines: they are easily mistaken
 * for those of a GPU.
 */
static void print_facts(const struct bench *b, FILE *out)
{
	const struct tool_options *o = b->o;

	fprintf(out, "cetane %s, %s, seed %lld\n", CETANE_VERSION, o->file,
		(long long)o->seed);
	if (b->is_cuda)
		fprintf(out, "%s, CUDA %d.%d; peak %.1f TFLOP/s f32, %.1f f64; "
			"copy %.0f GB/s read and written\n", device_name(b),
			b->gpu.version / 1000, b->gpu.version % 1000 / 10,
			b->gpu.flops[0] * 1e-12, b->gpu.flops[1] * 1e-12,
			b->copy_rate * 1e-9);
	else
		fprintf(out, "times are of the host device, which runs kernels "
			"on %ld processors: they say nothing of a GPU\n"
			"copy %.1f GB/s read and written; of max: the share of "
			"that\n", sysconf(_SC_NPROCESSORS_ONLN),
			b->copy_rate * 1e-9);
	fprintf(out, "times are medians of up to %lld rounds, regime %s, on "
		"as many sets of arrays as fill the cache three times, at "
		"most 64\n",
		(long long)(o->repeat < TOOL_BENCH_N_ROUND ? o->repeat :
			TOOL_BENCH_N_ROUND), o->regime_name);
}

/* -------------------------------------------------------------------- rows */

/* A row for each rival, or one without. */

/* The sizes are those of the run, in the order of the text. */
static struct tool_bench_result *add_row(struct bench *b,
	const struct tool_own *w)
{
	struct tool_bench_result *more = realloc(b->row,
		(size_t)(b->n_row + 1) * sizeof(*more));
	int i;

	if (!more)
		return NULL;
	b->row = more;
	more = &b->row[b->n_row++];
	*more = (struct tool_bench_result){ .form = &b->form,
		.work = w->work, .bytes = (double)w->bytes,
		.predicted_ms = w->predicted_ms,
		.state = TOOL_BENCH_RIGHT };
	more->size.count = w->r.n_value;
	for (i = 0; i < w->r.n_value; i++)
		more->size.n[i] = w->r.value[i].value;
	return more;
}

/* A row against the rival "v", or without one.
 *
 * "ours" and "theirs" are the two sides that were timed together.
 */
static enum tool_exit report(struct bench *b, struct tool_own *w,
	const struct tool_rival *v, const struct tool_round_side *ours,
	const struct tool_round_side *theirs, int rounds,
	const struct tool_clock *clock)
{
	struct tool_bench_result *q = add_row(b, w);
	enum tool_exit status = TOOL_OK;

	if (!q)
		return tool_no_memory("the rows");
	q->rounds = q->n_sample = rounds;
	q->calls = ours->calls;
	q->clock = *clock;
	q->ours_ms = ours->median;
	q->roof = tool_own_share(b->is_cuda ? &b->gpu : NULL, b->copy_rate,
		b->form.type, w->work, (double)w->bytes, q->ours_ms);
	memcpy(q->ours, ours->ms, sizeof(q->ours));
	if (v) {
		snprintf(q->base, sizeof(q->base), "%s", v->shown);
		memcpy(q->theirs, theirs->ms, sizeof(q->theirs));
		q->base_ms = theirs->median;
		q->ratio = tool_bench_ratio(theirs->ms, ours->ms, rounds,
			&q->spread);
	}
	/* Only a GPU tells registers and occupancy. */
	if (b->is_cuda) {
		status = tool_bench_usage(w->x.record, w->x.fn, &b->gpu,
			&q->usage);
		q->usage.is_ptx = !w->c.cubin.len;
	}
	tool_bench_print_row(q, stdout);
	return status;
}

/* Ours is side 0, rival "k" side k + 1. The head is printed once there are
 * times.
 */
static enum tool_exit time_and_report(struct bench *b, struct tool_own *w,
	struct tool_rival *v, int n)
{
	struct tool_round_side side[1 + TOOL_OWN_RIVALS];
	struct tool_clock clock;
	enum tool_exit status;
	int i, rounds;

	status = tool_own_time(w, v, n, side, &rounds, &clock);
	if (status == TOOL_OK)
		tool_bench_print_head(w->predicted_ms > 0, stdout);
	if (status == TOOL_OK && !n)
		status = report(b, w, NULL, side, NULL, rounds, &clock);
	for (i = 0; i < n && status == TOOL_OK; i++)
		status = report(b, w, &v[i], side, &side[i + 1], rounds,
			&clock);
	return status;
}

/* Open and verify the rivals; those that are open are "*n".
 *
 * "*n" counts one that failed as well, so that it is closed.
 */
static enum tool_exit open_rivals(const struct bench *b, struct tool_own *w,
	struct tool_rival *v, int *n)
{
	const struct tool_list *list = &b->o->rival_list;
	enum tool_exit status = TOOL_OK;

	while (*n < list->n && status == TOOL_OK) {
		printf("%s:\n", list->item[*n]);
		status = tool_rival_open(&v[*n], list->item[*n], w);
		if (status == TOOL_OK)
			/* A rival that is wrong ends the run: its times would
			 * mean nothing.
			 */
			status = tool_own_judge(w, &v[*n]);
		++*n;
	}
	return status;
}

/* The type of the outputs, or of the widest.
 *
 * Rows have one type: this one.
 */
static const char *type_of(const struct tool_run *r)
{
	enum poly_type type = r->out[0].type;
	int i;

	for (i = 1; i < r->n_out; i++)
		if (poly_type_size(r->out[i].type) > poly_type_size(type))
			type = r->out[i].type;
	return poly_type_name(type);
}

/* Build the program for the sizes of "o", open its rivals, and time all of them.
 *
 * Rivals are closed in the reverse order, the program behind them.
 */
static enum tool_exit run_size(struct bench *b, const struct tool_options *o)
{
	struct tool_rival v[TOOL_OWN_RIVALS];
	struct tool_own w;
	enum tool_exit status;
	int n = 0;

	printf("cetane:\n");
	status = tool_own_open(&w, o, &b->src, b->is_cuda ? &b->gpu : NULL);
	if (status == TOOL_OK) {
		/* The name in rows is the file's, without folder and suffix. */
		b->form = (struct tool_bench_form){ .suite = "own",
			.name = b->stem, .type = type_of(&w.r) };
		status = open_rivals(b, &w, v, &n);
	}
	if (status == TOOL_OK)
		status = time_and_report(b, &w, v, n);
	while (n > 0)
		tool_rival_close(&v[--n]);
	fflush(stdout);
	return tool_own_close(&w, status);
}

/* ------------------------------------------------------------------- sizes */

/* A file of sizes has numbers alone: which is which the program says. */

/* Read the names of the sizes, which those of the file are in the order of.
 *
 * The text is read once for that, without any lowering.
 */
static enum tool_exit read_names(struct bench *b, struct fe_define *define,
	int n)
{
	struct tool_compile c;
	enum tool_exit status;
	int i;

	tool_compile_init(&c, b->o, &b->src, NVPTX_HOST, TOOL_STAGE_FE_READ,
		NULL);
	status = tool_compile(&c);
	if (status == TOOL_OK && fe_unit_n_param(c.unit) != n) {
		tool_message(MSG_BENCH_SIZES, b->o->sizes, 1,
			"not as many numbers as the program has sizes");
		status = TOOL_INPUT;
	}
	for (i = 0; i < n && status == TOOL_OK; i++) {
		define[i].name = strdup(fe_unit_param_text(c.unit, i));
		if (!define[i].name)
			status = tool_no_memory("the sizes");
	}
	return tool_compile_free(&c, status);
}

/* All sizes of the file, or those of -D.
 *
 * The limit of time is looked at between two sizes, so that a row is whole or
 * not there.
 */
static enum tool_exit run_sizes(struct bench *b, const struct tool_options *o)
{
	struct fe_define define[TOOL_BENCH_N_SIZE] = { 0 };
	double until = tool_bench_seconds() + o->limit;
	int n = b->sizes.n ? b->sizes.item[0].count : 0, i, k;
	struct tool_options one = *o;
	enum tool_exit status;

	if (!n)
		return run_size(b, o);
	status = read_names(b, define, n);
	one.define = define;
	one.n_define = n;
	for (i = 0; i < b->sizes.n && status == TOOL_OK; i++) {
		if (o->limit > 0 && tool_bench_seconds() >= until) {
			tool_message(MSG_BENCH_STOPPED, i, b->sizes.n);
			status = TOOL_LIMIT;
			break;
		}
		for (k = 0; k < n; k++)
			define[k].value = b->sizes.item[i].n[k];
		status = run_size(b, &one);
	}
	/* The names are copies; the compilation they came from is gone. */
	for (k = 0; k < n; k++)
		free((char *)(uintptr_t)define[k].name);
	return status;
}

/* --------------------------------------------------------------- the whole */

static enum tool_exit cannot_write(const char *path)
{
	tool_message(MSG_FILE_WRITE, path, strerror(errno));
	return TOOL_ENVIRONMENT;
}

/* Draw the rows, if --svg asks for that: its file is behind the others. */
static enum tool_exit write_svg(struct bench *b)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = b->o->svg_file ? open_memstream(&text, &size) : NULL;
	enum tool_exit status = TOOL_OK;

	if (f) {
		tool_bench_bars(b->row, b->n_row, device_name(b), f);
		fclose(f);
	}
	if (b->o->svg_file && (!text ||
			!tool_write(b->out[b->n_out - 1].fd, text, size)))
		status = cannot_write(b->o->svg_file);
	free(text);
	return status;
}

/* Write the rows and what was printed of the run to each output file. What fails is
 * told.
 *
 * Several files get the same text.
 */
static enum tool_exit write_json(struct bench *b)
{
	char *facts = NULL, *text = NULL;
	size_t n_facts = 0, size = 0;
	FILE *f = open_memstream(&facts, &n_facts);
	enum tool_exit status = TOOL_OK;
	int i;

	if (f) {
		print_facts(b, f);
		fclose(f);
	}
	f = open_memstream(&text, &size);
	if (f) {
		tool_bench_write_rows(device_name(b), facts ? facts : "",
			b->row, b->n_row, f);
		fclose(f);
	}
	for (i = 0; i < b->o->output_list.n && status == TOOL_OK; i++)
		if (!text || !tool_write(b->out[i].fd, text, size))
			status = cannot_write(b->o->output_list.item[i]);
	free(facts);
	free(text);
	return status == TOOL_OK ? write_svg(b) : status;
}

/* Open the device, measure its copies, and time the program for each of its sizes. Rows
 * that were timed before a limit was reached are written, too.
 *
 * In the worker. Options are changed in a copy: the run has no outputs of its
 * own.
 */
static enum tool_exit work(void *user)
{
	struct bench *b = user;
	struct tool_options o = *b->o;
	enum tool_exit status = TOOL_OK;

	o.device = b->o->gpu;
	o.output_list.n = 0;
	b->is_cuda = strcmp(o.device, "host") != 0;
	if (b->is_cuda) {
		status = tool_cuda_open(&b->gpu, o.device);
		if (status == TOOL_OK)
			status = tool_cuda_measure_copy(&b->gpu);
		b->copy_rate = b->gpu.copy_rate;
	} else {
		b->copy_rate = tool_host_copy_rate();
	}
	if (status == TOOL_OK) {
		print_facts(b, stdout);
		status = run_sizes(b, &o);
	}
	/* What was measured is written even when the limit was reached. */
	if (status == TOOL_OK || status == TOOL_LIMIT) {
		enum tool_exit written;

		tool_own_print_error(b->row, b->n_row, stdout);
		if (b->is_cuda)
			tool_own_print_limits(b->row, b->n_row, stdout);
		written = write_json(b);
		status = written == TOOL_OK ? status : written;
	}
	tool_cuda_close(&b->gpu);
	free(b->row);
	return status;
}

/* Rows are written as JSON only. */
static enum tool_exit check_outputs(const struct tool_options *o)
{
	int i;

	for (i = 0; i < o->output_list.n; i++)
		if (!tool_ends_with(o->output_list.item[i], ".json")) {
			tool_message(MSG_USAGE_VALUE, "output", "with FILE, a "
				"file that ends in .json (--svg=FILE draws)",
				o->output_list.item[i], "", "");
			return TOOL_USAGE;
		}
	return TOOL_OK;
}

/* The check of options looks at o->device, and bench keeps its device in
 * o->gpu.
 */
enum tool_exit tool_own_check_device(const struct tool_options *o)
{
	if (!strcmp(o->gpu, "host") || !strcmp(o->gpu, "cuda") ||
	    !strncmp(o->gpu, "cuda:", 5))
		return TOOL_OK;
	tool_message(MSG_USAGE_VALUE, "device", "host, cuda or cuda:N", o->gpu,
		"", "");
	return TOOL_USAGE;
}

/* Refuse more rivals than there is room for, and those that no name can mean.
 *
 * Names are looked at before anything is compiled.
 */
static enum tool_exit check_rivals(const struct tool_options *o)
{
	const char *wrong;
	int i;

	if (o->rival_list.n > TOOL_OWN_RIVALS) {
		tool_message(MSG_USAGE_CONFLICT, "there are at most four rivals");
		return TOOL_USAGE;
	}
	for (i = 0; i < o->rival_list.n; i++) {
		wrong = tool_rival_wrong(o->rival_list.item[i]);
		if (wrong) {
			tool_message(MSG_USAGE_VALUE, "rival", wrong,
				o->rival_list.item[i], "", "");
			return TOOL_USAGE;
		}
	}
	return TOOL_OK;
}

/* Files are opened before the worker starts: a folder that cannot be written to
 * is found at once.
 */
static enum tool_exit open_outputs(struct bench *b)
{
	const struct tool_list *list = &b->o->output_list;
	int i;

	b->out = calloc((size_t)list->n + 2, sizeof(*b->out));
	if (!b->out)
		return tool_no_memory("the outputs");
	for (i = 0; i < list->n + (b->o->svg_file != NULL); i++) {
		b->n_out++;
		if (!tool_output_open(&b->out[i], i < list->n ?
				list->item[i] : b->o->svg_file))
			return TOOL_ENVIRONMENT;
	}
	return TOOL_OK;
}

/* Everything that can be wrong without compiling is checked first. Files are
 * put in place only if all went well, or as far as the limit allowed.
 */
enum tool_exit tool_own_bench(struct tool_options *o)
{
	struct bench b = { .o = o };
	enum tool_exit status = check_outputs(o);

	if (status == TOOL_OK)
		status = tool_own_check_device(o);
	if (status == TOOL_OK)
		status = check_rivals(o);
	if (status == TOOL_OK)
		status = tool_source_read(&b.src, o->file, TOOL_MOST_TEXT);
	if (status == TOOL_OK)
		status = tool_bench_sizes_read(&b.sizes, o);
	b.stem = tool_stem(o->file);
	if (status == TOOL_OK && !b.stem)
		status = tool_no_memory("a name");
	if (status == TOOL_OK)
		status = open_outputs(&b);
	if (status == TOOL_OK)
		status = tool_worker(o, &b.src, work, &b);
	if ((status == TOOL_OK || status == TOOL_LIMIT) &&
	    !tool_output_commit(b.out, b.n_out))
		status = TOOL_ENVIRONMENT;
	if (b.out)
		tool_output_close(b.out, b.n_out);
	free(b.out);
	free(b.stem);
	tool_bench_sizes_free(&b.sizes);
	tool_source_free(&b.src);
	return status;
}
