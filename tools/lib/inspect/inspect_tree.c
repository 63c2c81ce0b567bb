/* cetane inspect --schedule --svg: the schedule tree as a drawing.
 *
 * Each node is a box, as far to the right as it is deep in the tree, with a line
 * from its parent; inside of it stand its sets or functions, one a statement. The
 * text form has all that: two blanks a level, four more before a node's texts.
 * Each text has the width that its box was made for, whatever font it is drawn in.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"
#include "tools/lib/base/plot.h"

/* Pixels: of a level, of a line and a character, around and between boxes. */
enum { INDENT = 28, LINE = 16, PAD = 6, GAP = 8, MARGIN = 12, TEXT_AT = 12 };
#define CHARACTER 6.6
/* Characters that a line shows; all of them are in the box's title. */
enum { SHOWN = 150, MOST_DEPTH = 1000 };

static const struct kind {
	const char *word, *color;
} kinds[] = {
	{ "domain", "#d5e5f5" }, { "context", "#e5e5e5" },
	{ "band", "#d8f0d0" }, { "filter", "#f7f7f7" },
	{ "mark", "#ffe4b8" }, { "sequence", "#ece0f5" },
	{ "set", "#f5e0ec" }
};
enum { N_KIND = sizeof(kinds) / sizeof(kinds[0]) };

/* A line of the text; the lines of a node are one behind the other. */
struct line {
	const char *text;
	size_t len;
	int depth;
	const struct kind *kind;	/* NULL: of the node above */
};

/* The kind of node that a line begins with; NULL if it goes on with the node
 * above.
 */
static const struct kind *find_kind(const char *text, size_t len)
{
	for (int i = 0; i < N_KIND; i++) {
		size_t n = strlen(kinds[i].word);

		if (len >= n && !memcmp(text, kinds[i].word, n) &&
		    (len == n || text[n] == ' '))
			return &kinds[i];
	}
	return NULL;
}

/* The lines of "text"; NULL without memory. */
static struct line *split(const char *text, int *n)
{
	struct line *list = NULL, *bigger;
	size_t len, blanks;

	for (*n = 0; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		blanks = strspn(text, " ");
		if (blanks >= len)
			continue;
		bigger = realloc(list, (size_t)(*n + 1) * sizeof(*list));
		if (!bigger) {
			free(list);
			return NULL;
		}
		list = bigger;
		list[(*n)++] = (struct line){ text + blanks, len - blanks,
			(int)blanks / 2, find_kind(text + blanks,
				len - blanks) };
	}
	return list;
}

/* The bytes of "line" that are shown, which end with a character. */
static size_t shown(const struct line *line)
{
	size_t n = line->len > SHOWN ? SHOWN : line->len;

	while (n < line->len && n && ((unsigned char)line->text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Pixels that "line" takes, with dots behind it if a part is not shown. */
static int text_width(const struct line *line)
{
	size_t bytes = shown(line), i, n = bytes < line->len ? 4 : 0;

	for (i = 0; i < bytes; i++)
		n += ((unsigned char)line->text[i] & 0xc0) != 0x80;
	return (int)((double)n * CHARACTER + 1);
}

/* The lines of the node that begins at "i". */
static int node_lines(const struct line *list, int n, int i)
{
	int k = i + 1;

	while (k < n && !list[k].kind)
		k++;
	return k - i;
}

/* Draw the lines of a node in its box, whose corner is at "x" and "y": the
 * first one bold, the others further in.
 */
static void draw_lines(const struct line *list, int n, int x, int y,
	struct poly_str *out)
{
	for (int i = 0; i < n; i++) {
		poly_str_printf(out, "<text x=\"%d\" y=\"%d\" "
			"textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\""
			"%s>", x + PAD + (i ? INDENT / 2 : 0),
			y + PAD + TEXT_AT + i * LINE, text_width(&list[i]),
			i ? "" : " font-weight=\"bold\"");
		tool_xml_text(out, list[i].text, shown(&list[i]));
		poly_str_add(out, shown(&list[i]) < list[i].len ?
			" ...</text>\n" : "</text>\n");
	}
}

static int box_left(const struct line *node)
{
	return MARGIN + node->depth * INDENT;
}

/* The width of the box of a node with these lines. */
static int box_width(const struct line *list, int n)
{
	int longest = 0;

	for (int i = 0; i < n; i++) {
		int width = text_width(&list[i]) + (i ? INDENT / 2 : 0);

		if (width > longest)
			longest = width;
	}
	return longest + 2 * PAD;
}

/* The node of "n" lines at "y"; returns where it ends. */
static int draw_node(const struct line *list, int n, int y,
	struct poly_str *out)
{
	int x = box_left(list), height = n * LINE + 2 * PAD;

	poly_str_printf(out, "<g><title>");
	for (int i = 0; i < n; i++) {
		tool_xml_text(out, list[i].text, list[i].len);
		poly_str_add(out, i + 1 < n ? "\n" : "</title>\n");
	}
	poly_str_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" "
		"height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#888888\"/>\n", x,
		y, box_width(list, n), height, list->kind ? list->kind->color : "white");
	draw_lines(list, n, x, y, out);
	poly_str_add(out, "</g>\n");
	return y + height;
}

/* From the parent, whose box ends at "from", to the node at "y". */
static void draw_edge(int depth, int from, int y, struct poly_str *out)
{
	int x = MARGIN + (depth - 1) * INDENT + INDENT / 2;
	int to = y + PAD + LINE / 2;

	poly_str_printf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" "
		"stroke=\"#888888\"/>\n", x, from, to, x + INDENT / 2);
}

void tool_tree_draw(const char *text, struct poly_str *out)
{
	int n, i, lines, end, y = MARGIN, right = 0, bottom[MOST_DEPTH + 1];
	struct line *list = split(text, &n);
	struct poly_str body = { 0 };

	for (i = 0; list && i < n; i += lines) {
		int depth = list[i].depth;

		lines = node_lines(list, n, i);
		if (depth > MOST_DEPTH)
			continue;
		if (depth)
			draw_edge(depth, bottom[depth - 1], y, &body);
		bottom[depth] = draw_node(&list[i], lines, y, &body);
		y = bottom[depth] + GAP;
		end = box_left(&list[i]) + box_width(&list[i], lines);
		right = end > right ? end : right;
	}
	poly_str_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" font-family=\"monospace\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n", right + MARGIN, y);
	poly_str_add(out, body.s ? body.s : "");
	poly_str_add(out, "</svg>\n");
	if (!list && *text)
		poly_str_fail(out);
	poly_str_free(&body);
	free(list);
}
