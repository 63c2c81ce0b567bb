/* Charts of bars as SVG: a row a bar, with its name on the left and a note behind it. */
#include <math.h>

#include "tools/lib/base/plot.h"

enum { WIDTH = 900, TOP = 36, ROW = 20, THICK = 12, LABEL = 280, NOTE = 190,
	GAP = 6, LEFT = LABEL + GAP, LENGTH = WIDTH - LEFT - NOTE };

/* The bar of row "i", its name and its note; "most" is the value of a full length. */
static void draw(FILE *out, const struct tool_bar *bar, int i, double most)
{
	double y = TOP + ROW * i + (ROW - THICK) / 2.0;
	double length = most > 0 && bar->value > 0 ?
		LENGTH * fmin(bar->value / most, 1) : 0;

	tool_plot_fit(out, LABEL, y + THICK - 2, "end", bar->label,
		LABEL - GAP);
	fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
		"fill=\"%s\"/>\n", LEFT, y, length, THICK,
		bar->weak ? "#b0b0b0" : "#1f77b4");
	tool_plot_fit(out, LEFT + length + GAP, y + THICK - 2, "start",
		bar->note, WIDTH - LEFT - length - 2 * GAP);
}

void tool_bars_write(FILE *out, const char *title, const struct tool_bar *bar,
	int n, double mark)
{
	double most = mark;
	int i;

	for (i = 0; i < n; i++)
		most = isfinite(bar[i].value) ? fmax(most, bar[i].value) : most;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n", WIDTH, TOP + ROW * n + GAP);
	tool_plot_fit(out, GAP, TOP - 16, "start", title, WIDTH - 2 * GAP);
	for (i = 0; i < n; i++)
		draw(out, &bar[i], i, most);
	if (mark > 0)
		fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
			"y2=\"%d\" stroke=\"#d62728\"/>\n",
			LEFT + LENGTH * mark / most, TOP - 4,
			LEFT + LENGTH * mark / most, TOP + ROW * n);
	fprintf(out, "</svg>\n");
}
