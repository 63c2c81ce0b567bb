/* A plot of the results as SVG, two panels: the ratio of each row over its
 * work, and what a second does over the operations a byte, under the roofs of
 * memory and arithmetic. Both axes of both are logarithmic.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench.h"

enum { WIDTH = 900, HEIGHT = 380, LEFT = 70, RIGHT = 220, TOP = 40,
	BOTTOM = 45 };

static const char *const colors[] = { "#1f77b4", "#d62728", "#2ca02c",
	"#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f", "#bcbd22",
	"#e377c2", "#000080", "#008080", "#800000", "#556b2f" };
enum { N_COLOR = sizeof(colors) / sizeof(colors[0]) };

/* A panel: logarithms to base 10 at its borders, and where it begins. */
struct panel {
	FILE *out;
	double x0, x1, y0, y1;
	int top;
};

static double at_x(const struct panel *p, double x)
{
	return LEFT + (log10(x) - p->x0) / (p->x1 - p->x0) *
		(WIDTH - LEFT - RIGHT);
}

static double at_y(const struct panel *p, double y)
{
	return p->top + TOP + (p->y1 - log10(y)) / (p->y1 - p->y0) *
		(HEIGHT - TOP - BOTTOM);
}

static void include(double *low, double *high, double value)
{
	*low = fmin(*low, log10(value));
	*high = fmax(*high, log10(value));
}

static void line(const struct panel *p, double xa, double ya, double xb,
	double yb, const char *color)
{
	fprintf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
		"y2=\"%.1f\" stroke=\"%s\"/>\n", at_x(p, xa), at_y(p, ya),
		at_x(p, xb), at_y(p, yb), color);
}

static void text(const struct panel *p, double x, double y,
	const char *anchor, const char *what)
{
	fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s"
		"</text>\n", x, y, anchor, what);
}

/* A frame with lines at powers of ten, and at 1, 2 and 5 if there are few. */
static void draw_frame(const struct panel *p, const char *title,
	const char *below)
{
	static const double steps[] = { 1, 2, 5 };
	bool fine = p->y1 - p->y0 < 2;
	double x, y;
	char label[32];
	int e, s;

	text(p, LEFT, p->top + TOP - 12, "start", title);
	text(p, (LEFT + WIDTH - RIGHT) / 2.0, p->top + HEIGHT - 6, "middle",
		below);
	for (e = (int)ceil(p->x0); e <= (int)floor(p->x1); e++) {
		x = pow(10, e);
		line(p, x, pow(10, p->y0), x, pow(10, p->y1), "#dddddd");
		snprintf(label, sizeof(label), "1e%d", e);
		text(p, at_x(p, x), p->top + HEIGHT - BOTTOM + 16, "middle",
			label);
	}
	for (e = (int)floor(p->y0); e <= (int)floor(p->y1); e++)
		for (s = 0; s < (fine ? 3 : 1); s++) {
			y = steps[s] * pow(10, e);
			if (log10(y) < p->y0 || log10(y) > p->y1)
				continue;
			line(p, pow(10, p->x0), y, pow(10, p->x1), y,
				y == 1 ? "#888888" : "#dddddd");
			snprintf(label, sizeof(label), "%g", y);
			text(p, LEFT - 6, at_y(p, y) + 4, "end", label);
		}
}

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

static void draw_legend(const struct panel *p, const struct tool_bench *b)
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
		text(p, WIDTH - RIGHT + 24, p->top + TOP + 16 * g + 4,
			"start", label);
	}
}

static void draw_points(const struct panel *p, const struct tool_bench *b,
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
		fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
			"fill=\"%s\" fill-opacity=\"0.7\"/>\n", at_x(p, x),
			at_y(p, y), colors[group_of(b, i) % N_COLOR]);
	}
}

static struct panel begin(const struct tool_bench *b, FILE *out, int top,
	bool is_roof)
{
	struct panel p = { out, 99, -99, 99, -99, top };
	const struct tool_bench_result *r;
	int i;

	for (i = 0; i < b->n_result; i++) {
		r = &b->result[i];
		if (r->state != TOOL_BENCH_RIGHT || (is_roof && !r->work))
			continue;
		include(&p.x0, &p.x1, is_roof ? r->work / r->bytes :
			r->work ? r->work : r->bytes);
		include(&p.y0, &p.y1, is_roof ? r->work / r->ours_ms * 1e-9 :
			r->ratio);
	}
	if (!is_roof)
		include(&p.y0, &p.y1, 1);
	if (is_roof && b->gpu.flops[0] > 0)
		include(&p.y0, &p.y1, b->gpu.flops[0] * 1e-12);
	if (p.x1 < p.x0)
		p = (struct panel){ out, 0, 1, 0, 1, top };
	p.x0 -= 0.2;
	p.x1 += 0.2;
	p.y0 -= 0.1;
	p.y1 += 0.1;
	return p;
}

/* What memory and f32 arithmetic allow. */
static void draw_roof(const struct panel *p, const struct tool_bench *b)
{
	double peak = b->gpu.flops[0] * 1e-12, rate = b->gpu.copy_rate * 1e-12;
	double knee, x0 = pow(10, p->x0), x1 = pow(10, p->x1);

	if (peak <= 0 || rate <= 0)
		return;
	knee = fmin(fmax(peak / rate, x0), x1);
	x0 = fmax(x0, pow(10, p->y0) / rate);
	if (x0 < knee)
		line(p, x0, x0 * rate, knee, knee * rate, "#000000");
	if (knee < x1)
		line(p, knee, peak, x1, peak, "#000000");
}

void tool_bench_write_svg(const struct tool_bench *b, FILE *out)
{
	struct panel p;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n", WIDTH, 2 * HEIGHT);
	p = begin(b, out, 0, false);
	draw_frame(&p, "speed-up: their time / ours",
		"operations (bytes where there are none)");
	draw_points(&p, b, false);
	draw_legend(&p, b);
	p = begin(b, out, HEIGHT, true);
	draw_frame(&p, "TFLOP/s", "operations a byte");
	draw_roof(&p, b);
	draw_points(&p, b, true);
	fprintf(out, "</svg>\n");
}
