/* plot.c: panels of plots as SVG, one below the other. */
#ifndef TOOLS_PLOT_H
#define TOOLS_PLOT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "polyir/polyir.h"

enum { TOOL_PLOT_WIDTH = 900, TOOL_PLOT_HEIGHT = 380, TOOL_PLOT_LEFT = 70,
	TOOL_PLOT_RIGHT = 220, TOOL_PLOT_TOP = 40, TOOL_PLOT_BOTTOM = 45 };

/* A panel: logarithms to base 10 at its borders, and where it begins. */
struct tool_plot {
	FILE *out;
	double x0, x1, y0, y1;
	int top;
};
/* Begin the text of "panels" panels; "</svg>" ends it. */
void tool_plot_open(FILE *out, int panels);
/* Where a value is, in pixels. */
double tool_plot_x(const struct tool_plot *p, double x);
double tool_plot_y(const struct tool_plot *p, double y);
/* Move the borders apart for "value". */
void tool_plot_include(double *low, double *high, double value);
/* Append the "len" bytes of "text" as XML. */
void tool_xml_text(struct poly_str *out, const char *text, size_t len);
/* Between two points; text at pixels, narrower where it would not fit in; a disc of
 * "radius" pixels.
 */
void tool_plot_line(const struct tool_plot *p, double xa, double ya, double xb,
	double yb, const char *color);
void tool_plot_text(const struct tool_plot *p, double x, double y,
	const char *anchor, const char *what);
void tool_plot_point(const struct tool_plot *p, double x, double y, int radius,
	const char *color);
/* Text at pixels, of at most "room" of them. */
void tool_plot_fit(FILE *out, double x, double y, const char *anchor,
	const char *what, double room);
/* A frame with lines at powers of ten, and at 1, 2 and 5 if there are few. */
void tool_plot_frame(const struct tool_plot *p, const char *title,
	const char *below);

/* bars.c: a bar of a chart: what it is of, how long it is, at least 0, and what stands
 * behind it. "weak": it is drawn in grey.
 */
struct tool_bar {
	char label[128], note[96];
	double value;
	bool weak;
};
/* Write a chart of "n" bars, one below the other, from 0 on, as SVG; a line across them
 * is at "mark", unless that is 0.
 */
void tool_bars_write(FILE *out, const char *title, const struct tool_bar *bar,
	int n, double mark);

#endif
