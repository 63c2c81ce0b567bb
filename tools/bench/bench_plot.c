/* Plots of the results as SVG: bars of ratios or of shares of the roofline; and two
 * panels, the ratio of each row over its work, and what a second does over the operations
 * a byte, under the roofs of memory and arithmetic, all of whose axes are logarithmic.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/lib/base/plot.h"

enum { WIDTH = TOOL_PLOT_WIDTH, HEIGHT = TOOL_PLOT_HEIGHT,
	RIGHT = TOOL_PLOT_RIGHT, TOP = TOOL_PLOT_TOP };

static const char *const colors[] = { "#1f77b4", "#d62728", "#2ca02c",
	"#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f", "#bcbd22",
	"#e377c2", "#000080", "#008080", "#800000", "#556b2f" };
enum { N_COLOR = sizeof(colors) / sizeof(colors[0]) };

/* The number of the group of result "i": form and base, in order. */
static int group_of(const struct tool_bench *b, int i)
{
	int k, g, n = 0, first[64];

	for (k = 0; k <= i; k++) {
		for (g = 0; g < n; g++)
			if (b->result[first[g]].form == b->result[k].form &&
			    !strcmp(b->result[first[g]].base,
				b->result[k].base))
				break;
		if (k == i)
			return g;
		if (g == n && n < 64)
			first[n++] = k;
	}
	return 0;
}

/* Draw the colour and the name of each group, in the order of the results. */
static void draw_legend(const struct tool_plot *p, const struct tool_bench *b)
{
	char label[128];
	int i, g, n = 0;

	for (i = 0; i < b->n_result; i++) {
		g = group_of(b, i);
		if (g < n)
			continue;
		n = g + 1;
		snprintf(label, sizeof(label), "%s %s / %s",
			b->result[i].form->suite, b->result[i].form->name,
			b->result[i].base);
		fprintf(p->out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" "
			"fill=\"%s\"/>\n", WIDTH - RIGHT + 14,
			p->top + TOP + 16 * g, colors[g % N_COLOR]);
		tool_plot_text(p, WIDTH - RIGHT + 24, p->top + TOP + 16 * g + 4,
			"start", label);
	}
}

/* Draw a point for each result that is right: in the panel of roofs rate over
 * operations a byte, else ratio over work. Rows without arithmetic have no
 * place among roofs.
 */
static void draw_points(const struct tool_plot *p, const struct tool_bench *b,
	bool is_roof)
{
	const struct tool_bench_result *r;
	double x, y;
	int i;

	for (i = 0; i < b->n_result; i++) {
		r = &b->result[i];
		if (r->state != TOOL_BENCH_RIGHT || (is_roof && !r->work))
			continue;
		x = is_roof ? r->work / r->bytes :
			r->work ? r->work : r->bytes;
		y = is_roof ? r->work / r->ours_ms * 1e-9 : r->ratio;
		tool_plot_point(p, x, y, 3, colors[group_of(b, i) % N_COLOR]);
	}
}

/* The panel at "top", whose axes hold all points, with a margin; that of ratios
 * has 1 in it, that of roofs the peak of arithmetic. Without points it is from
 * 1 to 10.
 */
static struct tool_plot begin(const struct tool_bench *b, FILE *out, int top,
	bool is_roof)
{
	struct tool_plot p = { out, 99, -99, 99, -99, top };
	const struct tool_bench_result *r;
	int i;

	for (i = 0; i < b->n_result; i++) {
		r = &b->result[i];
		if (r->state != TOOL_BENCH_RIGHT || (is_roof && !r->work))
			continue;
		tool_plot_include(&p.x0, &p.x1, is_roof ? r->work / r->bytes :
			r->work ? r->work : r->bytes);
		tool_plot_include(&p.y0, &p.y1, is_roof ? r->work / r->ours_ms * 1e-9 :
			r->ratio);
	}
	if (!is_roof)
		tool_plot_include(&p.y0, &p.y1, 1);
	if (is_roof && b->gpu.flops[0] > 0)
		tool_plot_include(&p.y0, &p.y1, b->gpu.flops[0] * 1e-12);
	if (p.x1 < p.x0)
		p = (struct tool_plot){ out, 0, 1, 0, 1, top };
	p.x0 -= 0.2;
	p.x1 += 0.2;
	p.y0 -= 0.1;
	p.y1 += 0.1;
	return p;
}

/* What memory and f32 arithmetic allow. */
static void draw_roof(const struct tool_plot *p, const struct tool_bench *b)
{
	double peak = b->gpu.flops[0] * 1e-12, rate = b->gpu.copy_rate * 1e-12;
	double knee, x0 = pow(10, p->x0), x1 = pow(10, p->x1);

	if (peak <= 0 || rate <= 0)
		return;
	knee = fmin(fmax(peak / rate, x0), x1);
	x0 = fmax(x0, pow(10, p->y0) / rate);
	if (x0 < knee)
		tool_plot_line(p, x0, x0 * rate, knee, knee * rate, "#000000");
	if (knee < x1)
		tool_plot_line(p, knee, peak, x1, peak, "#000000");
}

/* ------------------------------------------------------------------- bars */

/* The bar of row "r": its ratio if there are "rivals", else its share of the roofline. */
static void fill_bar(struct tool_bar *bar, const struct tool_bench_result *r,
	bool rivals)
{
	char size[96];

	tool_bench_size_text(&r->size, size, sizeof(size));
	snprintf(bar->label, sizeof(bar->label), "%s %.30s %.40s%s%.32s",
		r->form->suite, r->form->name, size, *r->base ? " / " : "",
		r->base);
	if (r->state != TOOL_BENCH_RIGHT) {
		snprintf(bar->note, sizeof(bar->note), "no time");
		return;
	}
	bar->value = rivals ? r->ratio : r->roof;
	bar->weak = rivals && r->ratio < 1;
	if (rivals)
		snprintf(bar->note, sizeof(bar->note), "%.3f (%.4f ms)",
			r->ratio, r->ours_ms);
	else
		snprintf(bar->note, sizeof(bar->note), "%.0f%% (%.4f ms)",
			100 * r->roof, r->ours_ms);
}

void tool_bench_bars(const struct tool_bench_result *r, int n,
	const char *device, FILE *out)
{
	struct tool_bar *bar = calloc((size_t)n + 1, sizeof(*bar));
	struct poly_str title = { 0 };
	bool rivals = false;
	int i;

	for (i = 0; i < n; i++)
		rivals |= r[i].ratio > 0;
	for (i = 0; bar && i < n; i++)
		fill_bar(&bar[i], &r[i], rivals);
	poly_str_printf(&title, "%s, on the %s", rivals ?
		"their time / ours; the line is 1, what is slower is grey" :
		"share of what the device can do; the line is all of it",
		device);
	if (bar)
		tool_bars_write(out, title.s ? title.s : "", bar, n, 1);
	poly_str_free(&title);
	free(bar);
}

/* ------------------------------------------------------------------ panels */

void tool_bench_write_svg(const struct tool_bench *b, FILE *out)
{
	struct tool_plot p;

	tool_plot_open(out, 2);
	p = begin(b, out, 0, false);
	tool_plot_frame(&p, "speed-up: their time / ours",
		"operations (bytes where there are none)");
	draw_points(&p, b, false);
	draw_legend(&p, b);
	p = begin(b, out, HEIGHT, true);
	tool_plot_frame(&p, "TFLOP/s", "operations a byte");
	draw_roof(&p, b);
	draw_points(&p, b, true);
	fprintf(out, "</svg>\n");
}
