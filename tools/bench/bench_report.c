/* What came of the rows: a table, tab-separated values and JSON; and reading
 * the values back.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench/bench.h"

/* What files call a state; the order is that of the enumeration. */
static const char *const state_name[] = {
	[TOOL_BENCH_FAILED] = "failed",
	[TOOL_BENCH_WRONG] = "wrong",
	[TOOL_BENCH_RIGHT] = "verified",
	[TOOL_BENCH_SAME] = "same",
};

/* Forms of suites have one of two types; those of a program of the user's own
 * say theirs.
 */
static const char *type_of(const struct tool_bench_form *f)
{
	return f->type ? f->type : f->is_f64 ? "f64" : "f32";
}

/* Below so many operations a byte, memory is what limits.
 *
 * A row above it shows its rate in operations, one below it in bytes.
 */
static const double BALANCE = 16;

/*	4096x4096x32 */
void tool_bench_size_text(const struct tool_bench_size *s, char *text,
	size_t size)
{
	int i, at = 0;

	text[0] = '\0';
	for (i = 0; i < s->count && at < (int)size; i++)
		at += snprintf(text + at, size - (size_t)at, "%s%lld",
			i ? "x" : "", (long long)s->n[i]);
}

/* Operations or bytes in 1e12 a second; 0 without a time. */
static double tera(double amount, double ms)
{
	return ms > 0 ? amount / ms * 1e-9 : 0;
}

/* ------------------------------------------------------------------ facts */

/* Print versions and places of the libraries that are there.
 *
 * The path tells which of several installations was used.
 */
static void print_libraries(const struct tool_bench *b, const char *mark,
	FILE *out)
{
	int i;

	for (i = 0; i < TOOL_N_LIBRARY; i++)
		if (b->lib.there[i])
			fprintf(out, "%s%s %d: %s\n", mark,
				tool_library_name((enum tool_library)i),
				b->lib.number[i], b->lib.path[i]);
}

/* All that must be equal for two runs to be compared stands in the first line:
 * rows of another run are only taken up if that is the same (has_same_facts).
 */
void tool_bench_print_facts(const struct tool_bench *b, const char *mark,
	FILE *out)
{
	const struct tool_cuda *g = &b->gpu;

	fprintf(out, "%scetane %s (%08x), --arch=%s, PTX %d.%d, --map=%s%s, "
		"tuning %s%s%s%s%s, seed %lld\n", mark, CETANE_VERSION,
		b->build, b->target->name, b->target->ptx / 10, b->target->ptx % 10,
		b->o->map_name, b->o->parametric ? ", --parametric" : "",
		b->o->tuning, b->o->config ? ", config " : "",
		b->o->config ? b->o->config : "",
		b->o->against ? ", against " : "",
		b->o->against ? b->o->against : "",
		(long long)b->o->seed);
	fprintf(out, "%s%s, %d multiprocessors, %d MHz, L2 %.0f MiB, CUDA "
		"%d.%d\n", mark, cetane_device_name(g->dev),
		g->multiprocessors, g->clock_mhz,
		(double)g->l2 / (1 << 20), g->version / 1000,
		g->version % 1000 / 10);
	fprintf(out, "%speak %.1f TFLOP/s f32, %.1f f64; copy %.0f GB/s "
		"read and written\n", mark, g->flops[0] * 1e-12,
		g->flops[1] * 1e-12, g->copy_rate * 1e-9);
	print_libraries(b, mark, out);
	fprintf(out, "%stimes are medians of up to %d rounds of %g ms, "
		"regime %s\n", mark, b->timing.r.most, b->timing.r.round_ms,
		b->o->regime_name);
}

/* ------------------------------------------------------------------ table */

/* The columns of print_row(), in the same widths. */
void tool_bench_print_head(bool predicted, FILE *out)
{
	fprintf(out, "%-24s %-22s %-13s %10s %10s ", "form", "size", "against",
		"theirs ms", "ours ms");
	if (predicted)
		fprintf(out, "%12s ", "predicted ms");
	fprintf(out, "%7s %6s %13s %6s\n", "ratio", "+-%", "rate", "of max");
}

/* Why clocks were low while the row ran, in the bits of the management
 * library; "" if they were not.
 *
 * A power cap is what a loaded device runs into; the others say that something
 * is wrong with cooling or supply.
 */
static const char *slowed(unsigned long long throttle)
{
	enum { POWER_CAP = 0x4, SLOWDOWN = 0x8, HOT = 0x20 | 0x40,
		BRAKE = 0x80 };

	return throttle & (SLOWDOWN | HOT | BRAKE) ? "  slowed down" :
		throttle & POWER_CAP ? "  power cap" : "";
}

/* Times against the base, or of ours alone.
 *
 * Without a base there is one time, and no ratio.
 */
static void print_times(const struct tool_bench_result *r, FILE *out)
{
	if (*r->base)
		fprintf(out, "%10.4f ", r->base_ms);
	else
		fprintf(out, "%10s ", "-");
	fprintf(out, "%10.4f ", r->ours_ms);
	if (r->predicted_ms > 0)
		fprintf(out, "%12.4f ", r->predicted_ms);
	if (*r->base)
		fprintf(out, "%7.3f %6.2f ", r->ratio, 100 * r->spread);
	else
		fprintf(out, "%7s %6s ", "-", "-");
}

/* A row that has no times shows its state instead. The rate is in operations or
 * bytes, whichever limits the form.
 */
void tool_bench_print_row(const struct tool_bench_result *r, FILE *out)
{
	bool is_flops = r->work > BALANCE * r->bytes;
	char size[96], form[64], rate[32];
	double amount;

	tool_bench_size_text(&r->size, size, sizeof(size));
	snprintf(form, sizeof(form), "%s %s", r->form->suite, r->form->name);
	fprintf(out, "%-24s %-22s %-13s ", form, size, *r->base ? r->base : "-");
	if (r->state != TOOL_BENCH_RIGHT) {
		fprintf(out, "%s\n", state_name[r->state]);
		return;
	}
	amount = is_flops ? tera(r->work, r->ours_ms) :
		1e3 * tera(r->bytes, r->ours_ms);
	snprintf(rate, sizeof(rate), amount < 1 ? "%.4f %s" : "%.1f %s",
		amount, is_flops ? "TFLOP/s" : "GB/s");
	print_times(r, out);
	fprintf(out, "%13s ", rate);
	/* Without a roof its share is not shown. */
	if (r->roof > 0)
		fprintf(out, "%5.0f%%%s\n", 100 * r->roof,
			slowed(r->clock.throttle));
	else
		fprintf(out, "%6s\n", "-");
}

/* -------------------------------------------------- tab-separated values */

/* One line a row, for other programs and for --resume. */

/* The facts stand in front as comments. */
void tool_bench_write_tsv_head(const struct tool_bench *b, FILE *out)
{
	tool_bench_print_facts(b, "# ", out);
	fprintf(out, "suite\tform\tsize\ttype\tbase\tstate\tbase_ms\tours_ms\t"
		"ratio\tspread\trounds\tcalls\twork\tbytes\tours_tflops\t"
		"base_tflops\tours_gbs\troof\terror\tkernels\tregisters\t"
		"shared\tlocal\toccupancy\timage\tend_ms\tmhz\twatt\tthrottle\n");
}

/* Times have six digits, counts are whole. A field is never empty, but for a
 * base that there is none of.
 */
void tool_bench_write_tsv_row(const struct tool_bench_result *r, FILE *out)
{
	const struct tool_usage *u = &r->usage;
	char size[96];

	tool_bench_size_text(&r->size, size, sizeof(size));
	fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%.6g\t%.6g\t%.5g\t%.3g\t%d\t%d\t"
		"%.9g\t%.9g\t", r->form->suite, r->form->name, size,
		type_of(r->form), r->base, state_name[r->state],
		r->base_ms, r->ours_ms, r->ratio, r->spread, r->rounds,
		r->calls, r->work, r->bytes);
	fprintf(out, "%.5g\t%.5g\t%.5g\t%.4g\t%.3g\t", tera(r->work,
		r->ours_ms), tera(r->work, r->base_ms),
		1e3 * tera(r->bytes, r->ours_ms), r->roof, r->error);
	fprintf(out, "%d\t%d\t%d\t%d\t%.3g\t%s\t%.5g\t%u\t%u\t%#llx\n", u->kernels,
		u->registers, u->shared, u->local, u->occupancy,
		u->is_ptx ? "ptx" : "cubin", r->end_ms, r->clock.mhz,
		r->clock.watt, r->clock.throttle);
}

/* --------------------------------------------------------------- reading */

/* What is between tabs, in turn.
 *
 * The line is cut at the tab. NULL behind the last field.
 */
static char *next_field(char **line)
{
	char *field = *line, *end;

	if (!field)
		return NULL;
	end = strchr(field, '\t');
	*line = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return field;
}

/* NaN for a field that is missing. */
static double next_number(char **line)
{
	const char *field = next_field(line);

	return field ? strtod(field, NULL) : NAN;
}

/* Read the name of a state; false if it is none.
 *
 * By the same table as it was written.
 */
static bool read_state(const char *name, enum tool_bench_state *state)
{
	int i;

	for (i = 0; i <= TOOL_BENCH_SAME; i++)
		if (!strcmp(name, state_name[i])) {
			*state = (enum tool_bench_state)i;
			return true;
		}
	return false;
}

/* Read "4096x4096x32"; false if it is no size.
 *
 * Numbers with "x" between them.
 */
static bool read_size(const char *text, struct tool_bench_size *s)
{
	char *end;

	for (; *text && s->count < TOOL_BENCH_N_SIZE; text = end) {
		s->n[s->count++] = strtoll(text, &end, 10);
		if (end == text)
			return false;
		end += *end == 'x';
	}
	return s->count > 0 && !*text;
}

/* Read the fields of a row behind its state, in the order of
 * tool_bench_write_tsv_head. Rates are computed from others, and skipped.
 *
 * A number that cannot be read is 0 or NaN, as strtod() says.
 */
static void read_numbers(struct tool_bench_result *r, char *line)
{
	const char *image;

	r->base_ms = next_number(&line);
	r->ours_ms = next_number(&line);
	r->ratio = next_number(&line);
	r->spread = next_number(&line);
	r->rounds = (int)next_number(&line);
	r->calls = (int)next_number(&line);
	r->work = next_number(&line);
	r->bytes = next_number(&line);
	next_number(&line);
	next_number(&line);
	next_number(&line);
	r->roof = next_number(&line);
	r->error = next_number(&line);
	r->usage.kernels = (int)next_number(&line);
	r->usage.registers = (int)next_number(&line);
	r->usage.shared = (int)next_number(&line);
	r->usage.local = (int)next_number(&line);
	r->usage.occupancy = next_number(&line);
	image = next_field(&line);
	r->usage.is_ptx = image && !strcmp(image, "ptx");
	r->end_ms = next_number(&line);
	r->clock.mhz = (unsigned)next_number(&line);
	r->clock.watt = (unsigned)next_number(&line);
	r->clock.throttle = (unsigned long long)next_number(&line);
}

/* Read a row; false if it is none.
 *
 * The form must exist in this build: rows keep a pointer to it.
 */
static bool read_row(struct tool_bench_result *r, char *line)
{
	const char *suite = next_field(&line), *name = next_field(&line);
	const char *size = next_field(&line), *type = next_field(&line);
	const char *base = next_field(&line), *state = next_field(&line);
	char *rest = line;
	int n = 1;

	*r = (struct tool_bench_result){ 0 };
	if (!suite || !name || !size || !type || !base || !state || !rest)
		return false;
	/* The fields behind the state are counted before they are read, so that
	 * a line which was cut off counts as none.
	 */
	while ((rest = strchr(rest, '\t'))) {
		rest++;
		n++;
	}
	r->form = tool_bench_find(suite, name);
	if (n != 23 || !r->form || !read_size(size, &r->size) ||
	    !read_state(state, &r->state))
		return false;
	snprintf(r->base, sizeof(r->base), "%s", base);
	read_numbers(r, line);
	return true;
}

/* True if "text" begins with the facts of this run, as they stand in front of
 * rows.
 *
 * Only the first line counts: it has the versions, the options and the seed.
 */
static bool has_same_facts(const struct tool_bench *b, const char *text)
{
	char *want = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&want, &size);
	bool same;

	if (!f)
		return false;
	tool_bench_print_facts(b, "# ", f);
	fclose(f);
	same = !strncmp(text, want, strcspn(want, "\n") + 1);
	free(want);
	return same;
}

/* Always TOOL_INPUT, for the callers to return. */
enum tool_exit tool_bench_bad_row(const char *path, const char *why)
{
	tool_message(MSG_BENCH_RESUME, path, why);
	return TOOL_INPUT;
}

/* Keep the rows that have a time or need none; others run again.
 *
 * Rows that failed or were wrong run again.
 */
static enum tool_exit read_rows(void *user, const char *path, char *text)
{
	struct tool_bench *b = user;
	struct tool_bench_result r, *q;
	char *line, *next;

	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		/* A last line without its end was being written when the run
		 * stopped. It is left out, and its row runs again.
		 */
		if (!next)
			return TOOL_OK;
		*next++ = '\0';
		if (*line == '#' || !strncmp(line, "suite\t", 6))
			continue;
		if (!read_row(&r, line))
			return tool_bench_bad_row(path,
				"a line is no row of results");
		if (r.state < TOOL_BENCH_RIGHT)
			continue;
		q = tool_bench_append(b);
		if (!q)
			return tool_no_memory("the rows");
		*q = r;
	}
	return TOOL_OK;
}

/* The file is cut behind its last whole line, so that rows can be appended to
 * it.
 */
enum tool_exit tool_bench_read_rows(const struct tool_bench *b,
	const char *path, tool_bench_rows *read, void *user)
{
	struct tool_source src;
	enum tool_exit status = tool_source_read_file(&src, path,
		TOOL_MOST_TEXT);
	const char *end;
	off_t kept;

	if (status != TOOL_OK)
		return status;
	end = strrchr(src.text, '\n');
	kept = end ? end + 1 - src.text : 0;
	/* An empty file has no facts yet: it is begun. */
	if (src.len && !has_same_facts(b, src.text))
		status = tool_bench_bad_row(path, "its rows were made with "
			"other options, or another version");
	else
		status = read(user, path, src.text);
	if (status == TOOL_OK && !tool_output_cut(path, kept))
		status = TOOL_ENVIRONMENT;
	tool_source_free(&src);
	return status;
}

/* "b" gets the rows of the file as its first results. */
enum tool_exit tool_bench_resume(struct tool_bench *b, const char *path)
{
	return tool_bench_read_rows(b, path, read_rows, b);
}

/* ------------------------------------------------------------------- JSON */

/* JSON has the samples as well, which a table of values has no room for. */

/* "scale" turns samples of another amount of work into those of this one. */
void tool_bench_write_samples(const char *name, const double *x, int n,
	double scale, FILE *out)
{
	int i;

	fprintf(out, ",\n     \"%s\": [", name);
	for (i = 0; i < n; i++)
		fprintf(out, "%s%.6g", i ? ", " : "", x[i] * scale);
	fprintf(out, "]");
}

/* What our side has, and what the device says of it.
 *
 * A program that runs on the host has no kernels to ask about.
 */
static void write_ours(const struct tool_bench_result *r, FILE *out)
{
	const struct tool_usage *u = &r->usage;

	fprintf(out, ",\n     \"ours_ms\": %.6g, \"rounds\": %d, \"calls\": %d, "
		"\"work\": %.9g, \"bytes\": %.9g", r->ours_ms, r->rounds,
		r->calls, r->work, r->bytes);
	if (r->roof > 0)
		fprintf(out, ", \"roof\": %.4g", r->roof);
	if (r->predicted_ms > 0)
		fprintf(out, ", \"predicted_ms\": %.6g", r->predicted_ms);
	if (r->form->reference)
		fprintf(out, ", \"error\": %.3g", r->error);
	if (u->kernels)
		fprintf(out, ",\n     \"kernels\": %d, \"registers\": %d, "
			"\"shared\": %d, \"local\": %d, "
			"\"occupancy\": %.3g, \"image\": \"%s\", "
			"\"end_ms\": %.5g, \"mhz\": %u, \"watt\": %u, "
			"\"throttle\": %llu", u->kernels, u->registers,
			u->shared, u->local, u->occupancy,
			u->is_ptx ? "ptx" : "cubin", r->end_ms, r->clock.mhz,
			r->clock.watt, r->clock.throttle);
	if (r->n_sample)
		tool_bench_write_samples("ours_samples", r->ours, r->n_sample,
			1, out);
}

/* Write a row as a JSON object; times only if the results were right, and those of a
 * rival if it had one.
 *
 * The names are written as JSON texts: they may hold anything.
 */
static void write_json_row(const struct tool_bench_result *r, FILE *out)
{
	struct poly_str form = { 0 }, base = { 0 };
	char size[96];

	tool_bench_size_text(&r->size, size, sizeof(size));
	tool_json_text(&form, r->form->name);
	tool_json_text(&base, r->base);
	fprintf(out, "    {\"suite\": \"%s\", \"form\": %s, "
		"\"size\": \"%s\", \"type\": \"%s\", \"base\": %s, "
		"\"state\": \"%s\"", r->form->suite, form.s ? form.s : "\"\"",
		size, type_of(r->form), base.s ? base.s : "\"\"",
		state_name[r->state]);
	poly_str_free(&form);
	poly_str_free(&base);
	if (r->state == TOOL_BENCH_RIGHT)
		write_ours(r, out);
	if (r->state == TOOL_BENCH_RIGHT && *r->base) {
		fprintf(out, ",\n     \"base_ms\": %.6g, \"ratio\": %.5g, "
			"\"spread\": %.3g", r->base_ms, r->ratio, r->spread);
		if (r->n_sample)
			tool_bench_write_samples("base_samples", r->theirs,
				r->n_sample, 1, out);
	}
	fprintf(out, "}");
}

/* Print "text" as strings of JSON, a list item for each line.
 *
 * No comma stands behind the last line.
 */
static void write_lines(const char *text, FILE *out)
{
	const char *end;
	char *line;

	for (; *text; text = *end ? end + 1 : end) {
		struct poly_str item = { 0 };

		end = text + strcspn(text, "\n");
		line = strndup(text, (size_t)(end - text));
		tool_json_text(&item, line ? line : "");
		fprintf(out, "    %s%s\n", item.s ? item.s : "\"\"",
			*end && end[1] ? "," : "");
		poly_str_free(&item);
		free(line);
	}
}

/* "facts" is the text that print_facts() gives, a line each. */
void tool_bench_write_rows(const char *device, const char *facts,
	const struct tool_bench_result *r, int n, FILE *out)
{
	struct poly_str name = { 0 };
	int i;

	tool_json_text(&name, device);
	fprintf(out, "{\n  \"device\": %s,\n  \"facts\": [\n",
		name.s ? name.s : "\"\"");
	poly_str_free(&name);
	write_lines(facts, out);
	fprintf(out, "  ],\n  \"rows\": [\n");
	for (i = 0; i < n; i++) {
		write_json_row(&r[i], out);
		fprintf(out, "%s\n", i + 1 < n ? "," : "");
	}
	fprintf(out, "  ]\n}\n");
}

/* Without memory for the facts the rows are written all the same. */
void tool_bench_write_json(const struct tool_bench *b, FILE *out)
{
	char *facts = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&facts, &size);

	if (f) {
		tool_bench_print_facts(b, "", f);
		fclose(f);
	}
	tool_bench_write_rows(cetane_device_name(b->gpu.dev),
		facts ? facts : "", b->result, b->n_result, out);
	free(facts);
}
