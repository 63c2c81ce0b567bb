/* What came of a profile: a table, JSON, and a plot.
 *
 * Bytes and operations are those that a kernel cannot do without: each byte of global
 * memory once, whatever its loops read again. The share of the roofline is theirs.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tools/lib/base/plot.h"
#include "tools/profile/profile.h"

static const char *device_name(const struct tool_profile *p)
{
	return p->is_cuda ? cetane_device_name(p->gpu.dev) : "host device";
}

/* The sum of what all kernels take. */
static double total(const struct tool_profile *p)
{
	double sum = 0;
	int i;

	for (i = 0; i < p->n_kernel; i++)
		sum += p->kernel[i].median;
	return sum;
}

/* Append the lines of "k": "3, 5-7". */
static void add_lines(const struct tool_profile_kernel *k, struct poly_str *out)
{
	int i, last;

	for (i = 0; i < k->n_line; i = last + 1) {
		last = i;
		while (last + 1 < k->n_line &&
				k->line[last + 1] == k->line[last] + 1)
			last++;
		poly_str_printf(out, last > i ? "%s%d-%d" : "%s%d",
			i ? ", " : "", k->line[i], k->line[last]);
	}
	if (!k->n_line)
		poly_str_add(out, "-");
}

/* ------------------------------------------------------------------- text */

/* What a reader must know of the numbers. */
static void add_facts(const struct tool_profile *p, struct poly_str *out)
{
	const struct tool_cuda *g = &p->gpu;
	int i;

	poly_str_printf(out, "cetane %s, %s for %s", CETANE_VERSION,
		p->o->file, p->facts.compile->nvptx.target->name);
	for (i = 0; i < p->facts.record->n_size; i++)
		poly_str_printf(out, ", %s = %lld",
			p->facts.record->size[i].name,
			(long long)p->facts.size[i]);
	if (p->is_cuda)
		poly_str_printf(out, "\n%s, CUDA %d.%d; peak %.1f TFLOP/s f32, "
			"%.1f f64; copy %.0f GB/s read and written\n",
			device_name(p), g->version / 1000,
			g->version % 1000 / 10, g->flops[0] * 1e-12,
			g->flops[1] * 1e-12, p->copy_rate * 1e-9);
	else
		poly_str_printf(out, "\ntimes are of the host device, which runs "
			"kernels on %ld processors: they say nothing of a "
			"GPU\n", sysconf(_SC_NPROCESSORS_ONLN));
	poly_str_printf(out, "times are medians of %d runs of the program; "
		"bytes count once, however often a kernel reads them\n",
		p->n_round);
	if (p->more_launches)
		poly_str_add(out, "there are more launches than were counted\n");
}

/* Append "text" to a line, or "-" if it is empty, to the right of "width" columns. */
static void add_cell(struct poly_str *out, int width, const char *text)
{
	poly_str_printf(out, " %*s", width, *text ? text : "-");
}

static void add_number(struct poly_str *out, int width, const char *format,
	double value, bool known)
{
	char text[48] = "";

	if (known)
		snprintf(text, sizeof(text), format, value);
	add_cell(out, width, text);
}

/* Append the row of a kernel; "sum" is the time of all. */
static void add_row(const struct tool_profile *p,
	const struct tool_profile_kernel *k, double sum, struct poly_str *out)
{
	const struct nvptx_occupancy *o = &k->occupancy;
	bool timed = k->n_ms > 0;
	char warps[32] = "";

	if (o->most_warps)
		snprintf(warps, sizeof(warps), "%d/%d", o->warps,
			o->most_warps);
	poly_str_printf(out, "%-28s %8lld", k->name, (long long)k->launches);
	add_number(out, 10, "%.4f", k->median, timed);
	add_number(out, 6, "%.1f%%", sum > 0 ? 100 * k->median / sum : 0, timed);
	add_number(out, 10, "%.4g", k->work.read * 1e-6, p->facts.n_part);
	add_number(out, 10, "%.4g", k->work.written * 1e-6, p->facts.n_part);
	add_number(out, 10, "%.4g", k->work.operations * 1e-6, p->facts.n_part);
	add_number(out, 6, "%.0f%%", 100 * k->share, k->share > 0);
	add_cell(out, 6, warps);
	add_number(out, 5, "%.0f", k->registers, k->registers >= 0);
	add_number(out, 7, "%.0f", k->shared, k->shared >= 0);
	if (p->is_cuda)
		add_number(out, 10, "%.4f", k->predicted_ms,
			k->predicted_ms > 0);
	else
		add_number(out, 10, "%.0f", k->cycles, k->cycles > 0);
	poly_str_add(out, "  ");
	add_lines(k, out);
	poly_str_add(out, "\n");
}

void tool_profile_text(const struct tool_profile *p, struct poly_str *out)
{
	double sum = total(p);
	int i;

	add_facts(p, out);
	poly_str_printf(out, "%-28s %8s %10s %6s %10s %10s %10s %6s %6s %5s %7s "
		"%10s  %s\n", "kernel", "launches", "ms", "time", "read MB",
		"written MB", "operations", "of max", "warps", "regs",
		"shared", p->is_cuda ? "predicted" : "cycles", "lines");
	for (i = 0; i < p->n_kernel; i++)
		add_row(p, &p->kernel[i], sum, out);
	poly_str_printf(out, "%d kernel%s, %.4f ms; operations are millions; warps: "
		"that a multiprocessor takes; %s: what a model expects\n", p->n_kernel,
		p->n_kernel == 1 ? "" : "s", sum,
		p->is_cuda ? "predicted ms" : "cycles");
	if (p->is_cuda)
		poly_str_add(out, "cetane inspect --explain says what limits each "
			"kernel\n");
}

/* ------------------------------------------------------------------- JSON */

static void add_key(const char *key, const char *value, struct poly_str *out)
{
	poly_str_printf(out, "\"%s\": ", key);
	tool_json_text(out, value);
}

/* What kernel "k" takes of a multiprocessor, as far as that is known. */
static void add_occupancy(const struct tool_profile_kernel *k,
	struct poly_str *out)
{
	const struct nvptx_occupancy *o = &k->occupancy;

	if (k->registers >= 0)
		poly_str_printf(out, ",\n     \"registers\": %d, "
			"\"shared_bytes\": %d, \"local_bytes\": %d",
			k->registers, k->shared, k->local);
	if (!o->most_warps)
		return;
	poly_str_printf(out, ",\n     \"occupancy\": {\"blocks\": %d, \"warps\": "
		"%d, \"most_warps\": %d", o->blocks, o->warps, o->most_warps);
	if (o->limit) {
		poly_str_add(out, ", ");
		add_key("limit", o->limit, out);
	}
	poly_str_add(out, "}");
}

/* The times of "k", and what they are against. */
static void add_times(const struct tool_profile_kernel *k, struct poly_str *out)
{
	int i;

	if (k->n_ms) {
		poly_str_printf(out, ",\n     \"ms\": %.6g, \"samples\": [",
			k->median);
		for (i = 0; i < k->n_ms; i++)
			poly_str_printf(out, "%s%.6g", i ? ", " : "", k->ms[i]);
		poly_str_add(out, "]");
	}
	if (k->share > 0)
		poly_str_printf(out, ", \"roof\": %.4g", k->share);
	if (k->cycles > 0)
		poly_str_printf(out, ",\n     \"predicted_cycles\": %.0f",
			k->cycles);
	if (k->predicted_ms > 0)
		poly_str_printf(out, ", \"predicted_ms\": %.6g",
			k->predicted_ms);
}

/* Append the object of kernel "k". */
static void add_kernel(const struct tool_profile *p,
	const struct tool_profile_kernel *k, struct poly_str *out)
{
	int i;

	poly_str_add(out, "    {");
	add_key("name", k->name, out);
	poly_str_printf(out, ", \"launches\": %lld, \"threads\": %d, \"lines\": [",
		(long long)k->launches, k->threads);
	for (i = 0; i < k->n_line; i++)
		poly_str_printf(out, "%s%d", i ? ", " : "", k->line[i]);
	poly_str_add(out, "]");
	if (p->facts.n_part) {
		poly_str_printf(out, ",\n     \"bytes_read\": %.0f, "
			"\"bytes_written\": %.0f, \"operations\": %.0f, "
			"\"exact\": %s, ", k->work.read, k->work.written,
			k->work.operations, k->work.exact ? "true" : "false");
		add_key("type", k->type, out);
	}
	add_times(k, out);
	add_occupancy(k, out);
	poly_str_add(out, "}");
}

void tool_profile_json(const struct tool_profile *p, struct poly_str *out)
{
	const struct cetane_rt_record *r = p->facts.record;
	int i;

	poly_str_add(out, "{");
	add_key("device", device_name(p), out);
	poly_str_printf(out, ", \"host\": %s,\n ", p->is_cuda ? "false" : "true");
	add_key("file", p->o->file, out);
	poly_str_add(out, ", ");
	add_key("arch", p->facts.compile->nvptx.target->name, out);
	poly_str_printf(out, ",\n \"runs\": %d, \"ms\": %.6g, \"copy_rate\": %.6g, "
		"\"more_launches\": %s,\n \"sizes\": {", p->n_round, total(p),
		p->copy_rate, p->more_launches ? "true" : "false");
	for (i = 0; i < r->n_size; i++) {
		poly_str_add(out, i ? ", " : "");
		tool_json_text(out, r->size[i].name);
		poly_str_printf(out, ": %lld", (long long)p->facts.size[i]);
	}
	poly_str_add(out, "},\n \"kernels\": [\n");
	for (i = 0; i < p->n_kernel; i++) {
		poly_str_add(out, i ? ",\n" : "");
		add_kernel(p, &p->kernel[i], out);
	}
	poly_str_add(out, "]}\n");
}

/* ------------------------------------------------------------------- plot */

/* A bar for each kernel, of its time; on a GPU with its share of the roofline. */
void tool_profile_svg(const struct tool_profile *p, FILE *out)
{
	struct tool_bar *bar = calloc((size_t)p->n_kernel + 1, sizeof(*bar));
	struct poly_str title = { 0 };
	int i;

	poly_str_printf(&title, "%s: ms of each kernel on the %s%s", p->o->file,
		device_name(p), p->is_cuda ? "" :
		", which say nothing of a GPU");
	for (i = 0; bar && i < p->n_kernel; i++) {
		const struct tool_profile_kernel *k = &p->kernel[i];

		snprintf(bar[i].label, sizeof(bar[i].label), "%s", k->name);
		bar[i].value = k->median;
		bar[i].weak = !p->is_cuda;
		if (k->share > 0)
			snprintf(bar[i].note, sizeof(bar[i].note),
				"%.4f ms, %.0f%% of max", k->median,
				100 * k->share);
		else
			snprintf(bar[i].note, sizeof(bar[i].note), k->n_ms ?
				"%.4f ms" : "not timed", k->median);
	}
	if (bar)
		tool_bars_write(out, title.s ? title.s : "", bar, p->n_kernel, 0);
	poly_str_free(&title);
	free(bar);
}
