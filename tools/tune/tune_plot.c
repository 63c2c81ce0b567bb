/* A plot of the search as SVG, a panel for each program and size: the time of
 * each candidate over its rank in the order of the model, the best so far as a
 * line, and the model's choice as a ring. Both axes are logarithmic; the first
 * rank is drawn at 1.
 */
#include <math.h>

#include "tools/lib/base/plot.h"
#include "tools/tune/tune.h"

static bool same_task(const struct tool_tune_row *a,
	const struct tool_tune_row *b)
{
	return !strcmp(a->program, b->program) && !strcmp(a->sizes, b->sizes);
}

/* Is "r" a time of the panel of "first"? */
static bool is_point(const struct tool_tune_row *first,
	const struct tool_tune_row *r)
{
	return same_task(first, r) && !r->is_final &&
		r->state == TOOL_BENCH_RIGHT && r->ms > 0;
}

/* The panel of the times that belong to "first", whose axes hold all of them.
 */
static struct tool_plot begin(const struct tool_tune *t,
	const struct tool_tune_row *first, FILE *out, int top)
{
	struct tool_plot p = { out, 0, 0.1, 99, -99, top };
	const struct tool_tune_row *r;

	for (r = first; r < t->row + t->n_row; r++) {
		if (!is_point(first, r))
			continue;
		tool_plot_include(&p.x0, &p.x1, r->rank + 1);
		tool_plot_include(&p.y0, &p.y1, r->ms);
	}
	if (p.y1 < p.y0)
		p.y0 = 0, p.y1 = 1;
	p.y0 -= 0.05;
	p.y1 += 0.05;
	return p;
}

/* The points, and the best of them so far: rows are in the order of ranks. */
static void draw(const struct tool_plot *p, const struct tool_tune *t,
	const struct tool_tune_row *first)
{
	const struct tool_tune_row *r;
	double best = 0, from = 1;

	for (r = first; r < t->row + t->n_row; r++) {
		if (!is_point(first, r))
			continue;
		tool_plot_point(p, r->rank + 1, r->ms, 3, "#1f77b4");
		if (r->rank == 0)
			fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" "
				"r=\"6\" fill=\"none\" stroke=\"#d62728\"/>\n",
				tool_plot_x(p, 1), tool_plot_y(p, r->ms));
		if (best && r->ms >= best)
			continue;
		if (best) {
			tool_plot_line(p, from, best, r->rank + 1, best,
				"#2ca02c");
			tool_plot_line(p, r->rank + 1, best, r->rank + 1,
				r->ms, "#2ca02c");
		}
		best = r->ms;
		from = r->rank + 1;
	}
	if (best)
		tool_plot_line(p, from, best, pow(10, p->x1), best, "#2ca02c");
}

void tool_tune_write_svg(const struct tool_tune *t, FILE *out)
{
	const struct tool_tune_row *r;
	struct tool_plot p;
	char title[1024];
	int n = 0, top = 0;

	for (r = t->row; r < t->row + t->n_row; r++)
		n += tool_tune_is_first(t, r);
	tool_plot_open(out, n ? n : 1);
	for (r = t->row; r < t->row + t->n_row; r++) {
		if (!tool_tune_is_first(t, r))
			continue;
		p = begin(t, r, out, top);
		snprintf(title, sizeof(title), "%s %s: ms of each candidate; "
			"ring: the model's choice; line: best so far", r->name,
			r->sizes);
		tool_plot_frame(&p, title, "rank by the model");
		draw(&p, t, r);
		top += TOOL_PLOT_HEIGHT;
	}
	fprintf(out, "</svg>\n");
}
