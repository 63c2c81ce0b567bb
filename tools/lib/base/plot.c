/* Panels of plots as SVG: both axes are logarithmic. */
#include <math.h>

#include "tools/lib/base/plot.h"

/* The layout of one panel in pixels; several panels stand one below the other.
 */
enum { WIDTH = TOOL_PLOT_WIDTH, HEIGHT = TOOL_PLOT_HEIGHT,
	LEFT = TOOL_PLOT_LEFT, RIGHT = TOOL_PLOT_RIGHT, TOP = TOOL_PLOT_TOP,
	BOTTOM = TOOL_PLOT_BOTTOM, MARGIN = 4 };
/* What a character takes at most, on the average of a text.
 *
 * A text that may be wider than its room is squeezed (tool_plot_text).
 */
#define CHARACTER 7.0

/* Values are positive: the axes are logarithms. x0 and x1 are logarithms
 * already.
 */
double tool_plot_x(const struct tool_plot *p, double x)
{
	return LEFT + (log10(x) - p->x0) / (p->x1 - p->x0) *
		(WIDTH - LEFT - RIGHT);
}

/* Pixels count downwards, values upwards. */
double tool_plot_y(const struct tool_plot *p, double y)
{
	return p->top + TOP + (p->y1 - log10(y)) / (p->y1 - p->y0) *
		(HEIGHT - TOP - BOTTOM);
}

/* "low" and "high" are logarithms; they begin at infinity and its negation. */
void tool_plot_include(double *low, double *high, double value)
{
	*low = fmin(*low, log10(value));
	*high = fmax(*high, log10(value));
}

/* Coordinates are values and not pixels. */
void tool_plot_line(const struct tool_plot *p, double xa, double ya, double xb,
	double yb, const char *color)
{
	fprintf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
		"y2=\"%.1f\" stroke=\"%s\"/>\n", tool_plot_x(p, xa), tool_plot_y(p, ya),
		tool_plot_x(p, xb), tool_plot_y(p, yb), color);
}

/* The three characters that have a meaning between tags. Quotes have none
 * there.
 */
void tool_xml_text(struct poly_str *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '<':
			poly_str_add(out, "&lt;");
			break;
		case '>':
			poly_str_add(out, "&gt;");
			break;
		case '&':
			poly_str_add(out, "&amp;");
			break;
		default:
			poly_str_addn(out, text + i, 1);
		}
}

/* The pixels between a text that is anchored at "x" and the border.
 *
 * A text in the middle is limited by the nearer border, on both sides.
 */
static double room_at(double x, const char *anchor)
{
	if (!strcmp(anchor, "start"))
		return WIDTH - x;
	return !strcmp(anchor, "end") ? x : 2 * fmin(x, WIDTH - x);
}

/* The text is squeezed to its room if it may be wider: a title of an unknown
 * length then stays inside. "x" and "y" are pixels.
 */
void tool_plot_text(const struct tool_plot *p, double x, double y,
	const char *anchor, const char *what)
{
	tool_plot_fit(p->out, x, y, anchor, what, room_at(x, anchor) - MARGIN);
}

void tool_plot_fit(FILE *out, double x, double y, const char *anchor,
	const char *what, double room)
{
	struct poly_str text = { 0 };

	tool_xml_text(&text, what, strlen(what));
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y,
		anchor);
	if ((double)strlen(what) * CHARACTER > room)
		fprintf(out, " textLength=\"%.1f\" "
			"lengthAdjust=\"spacingAndGlyphs\"", room);
	fprintf(out, ">%s</text>\n", text.s ? text.s : "");
	poly_str_free(&text);
}

/* A line for each power of ten, along x. Along y there are lines at 2 and 5 as
 * well where the range is less than two powers. The line of y = 1 is darker:
 * there both programs that a quotient compares are equal.
 */
void tool_plot_frame(const struct tool_plot *p, const char *title,
	const char *below)
{
	static const double steps[] = { 1, 2, 5 };
	bool fine = p->y1 - p->y0 < 2;
	double x, y;
	char label[32];
	int e, s;

	tool_plot_text(p, LEFT, p->top + TOP - 12, "start", title);
	tool_plot_text(p, (LEFT + WIDTH - RIGHT) / 2.0, p->top + HEIGHT - 6, "middle",
		below);
	for (e = (int)ceil(p->x0); e <= (int)floor(p->x1); e++) {
		x = pow(10, e);
		tool_plot_line(p, x, pow(10, p->y0), x, pow(10, p->y1), "#dddddd");
		snprintf(label, sizeof(label), "1e%d", e);
		tool_plot_text(p, tool_plot_x(p, x), p->top + HEIGHT - BOTTOM + 16, "middle",
			label);
	}
	for (e = (int)floor(p->y0); e <= (int)floor(p->y1); e++)
		for (s = 0; s < (fine ? 3 : 1); s++) {
			y = steps[s] * pow(10, e);
			if (log10(y) < p->y0 || log10(y) > p->y1)
				continue;
			tool_plot_line(p, pow(10, p->x0), y, pow(10, p->x1), y,
				y == 1 ? "#888888" : "#dddddd");
			snprintf(label, sizeof(label), "%g", y);
			tool_plot_text(p, LEFT - 6, tool_plot_y(p, y) + 4, "end", label);
		}
}

/* Points are transparent, so that several at one place look darker. */
void tool_plot_point(const struct tool_plot *p, double x, double y, int radius,
	const char *color)
{
	fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" "
		"fill=\"%s\" fill-opacity=\"0.7\"/>\n", tool_plot_x(p, x),
		tool_plot_y(p, y), radius, color);
}

/* The caller writes the end of the document. */
void tool_plot_open(FILE *out, int panels)
{
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n", WIDTH, panels * HEIGHT);
}
