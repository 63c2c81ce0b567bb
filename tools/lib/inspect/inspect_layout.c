/* cetane inspect --layout: which thread and register of a block holds which point
 * of each kernel's tile, and which bytes of shared memory hold the elements of its
 * buffers; as text, or as a drawing.
 *
 * Both show, row by row, runs: points side by side in consecutive registers of one
 * thread, or in consecutive bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/layout/layout.h"
#include "tools/lib/base/plot.h"
#include "tools/lib/inspect/inspect.h"

/* Pixels: of the shortest run and of a row, around them, of a title, and of a
 * character.
 *
 * Widths in a font of fixed width.
 */
enum { SHORTEST = 52, ROW = 14, MARGIN = 12, TITLE = 18 };
#define CHARACTER 6.6
/* Colours that neighbours in threads, or rows of memory, differ by.
 *
 * Twelve colours are enough for neighbours to differ.
 */
enum { N_COLOR = 12, LINE_BYTES = 128 };

/* What is written or drawn: "next" is the line of the drawing that is free.
 *
 * "right" is the right end of what was drawn so far. As text there is no body.
 */
struct view {
	struct poly_str *out, body;
	bool draws;
	int y, right;
};

/* A layout on show: its list, the owners of its points, and what one takes.
 *
 * "owner" has for each point the number in "list" of the place that holds it,
 * or -1.
 */
struct shown {
	const struct poly_layout *l;
	struct poly_held *list;
	int *owner;
	int n, size;		/* bytes of an element, in memory; else 0 */
	int point;		/* pixels of a point */
};

/* A run: points from "first" to "last" of a row, which begin at a place.
 *
 * Runs do not go beyond a row.
 */
struct run {
	int first, last;
	const struct poly_held *at;	/* NULL: nowhere */
};

/* ---------------------------------------------------------------------- runs */

/* Is "b" right behind "a": the next register of its thread, the next bytes?
 *
 * In memory the next element begins "size" bytes further; in registers it is in
 * the next one.
 */
static bool follows(const struct shown *s, const struct poly_held *a,
	const struct poly_held *b)
{
	int step[POLY_N_AT] = { 0 };

	step[s->size ? POLY_AT_BYTE : POLY_AT_REG] = s->size ? s->size : 1;
	for (int i = 0; i < POLY_N_AT; i++)
		if (b->at[i] - a->at[i] != step[i])
			return false;
	return true;
}

/* NULL for a point that no place holds. */
static const struct poly_held *owner(const struct shown *s, int64_t point)
{
	return s->owner[point] < 0 ? NULL : &s->list[s->owner[point]];
}

/* The run that begins at "first" of the row whose points begin at "row".
 *
 * Points that no one holds are one run, too.
 */
static struct run run_at(const struct shown *s, int64_t row, int columns,
	int first)
{
	struct run r = { first, first, owner(s, row + first) };

	while (r.last + 1 < columns) {
		const struct poly_held *here = owner(s, row + r.last);
		const struct poly_held *next = owner(s, row + r.last + 1);

		if (!here != !next || (here && !follows(s, here, next)))
			break;
		r.last++;
	}
	return r;
}

/* "t5 r0..3", or "byte 16" of memory; "brief", where it begins: "t5 r0".
 *
 * A run in registers names its first and last; in memory its first byte.
 */
static void add_place(const struct shown *s, const struct run *r, bool brief,
	struct poly_str *out)
{
	const int *at = r->at ? r->at->at : NULL;

	if (!at) {
		poly_str_add(out, "nowhere");
	} else if (s->size) {
		poly_str_printf(out, "byte %d", at[POLY_AT_BYTE]);
	} else {
		poly_str_printf(out, "t%d r%d", at[POLY_AT_THREAD],
			at[POLY_AT_REG]);
		if (r->last > r->first && !brief)
			poly_str_printf(out, "..%d", at[POLY_AT_REG] + r->last -
				r->first);
	}
}

/* "[3, 0..7]", the points of a run of row number "row".
 *
 * The row is a number over all dimensions but the last.
 */
static void add_points(const struct shown *s, int row, const struct run *r,
	struct poly_str *out)
{
	int at[POLY_LAYOUT_DIM];

	for (int i = s->l->n_dim - 2; i >= 0; i--) {
		at[i] = row % s->l->extent[i];
		row /= s->l->extent[i];
	}
	poly_str_add(out, "[");
	for (int i = 0; i < s->l->n_dim - 1; i++)
		poly_str_printf(out, "%d, ", at[i]);
	poly_str_printf(out, r->last > r->first ? "%d..%d]" : "%d]", r->first,
		r->last);
}

/* ------------------------------------------------------------------- drawing */

/* The drawing is put together without its width: that is known at the end. */

/* The colour of a run: that of its thread, or of its line of memory; white if
 * no one holds it.
 *
 * Lines of memory have as many bytes as one access of a warp moves.
 */
static const char *color_of(const struct shown *s, const struct run *r)
{
	static const char *const colors[N_COLOR] = { "#d5e5f5", "#ffe4b8",
		"#d8f0d0", "#f5e0ec", "#ece0f5", "#e5e5e5", "#b8d4ee",
		"#ffd08a", "#b4e2a4", "#eec0d8", "#d8c0ee", "#cccccc" };

	if (!r->at)
		return "white";
	return colors[(s->size ? r->at->at[POLY_AT_BYTE] / LINE_BYTES :
		r->at->at[POLY_AT_THREAD]) % N_COLOR];
}

/* Draw a run of row number "row" as a rectangle with its place in it, if there
 * is room, and its points in the text that a mouse shows.
 *
 * The place is left out where it would be wider than the run.
 */
static void draw_run(struct view *v, const struct shown *s, int row,
	const struct run *r)
{
	int width = (r->last - r->first + 1) * s->point;
	int x = MARGIN + r->first * s->point, y = v->y + row * ROW;
	struct poly_str text = { 0 };

	add_place(s, r, true, &text);
	poly_str_printf(&v->body, "<g><title>");
	add_points(s, row, r, &v->body);
	poly_str_add(&v->body, " ");
	add_place(s, r, false, &v->body);
	poly_str_printf(&v->body, "</title><rect x=\"%d\" y=\"%d\" "
		"width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#888888\"/>",
		x, y, width, ROW, color_of(s, r));
	if ((double) text.len * CHARACTER <= width)
		poly_str_printf(&v->body, "<text x=\"%d\" y=\"%d\">%s</text>",
			x + 2, y + ROW - 3, text.s ? text.s : "");
	poly_str_add(&v->body, "</g>\n");
	if (x + width > v->right)
		v->right = x + width;
	poly_str_free(&text);
}

/* Append a line of text, or draw it.
 *
 * In a drawing a title has a line of its own.
 */
static void add_title(struct view *v, int indent, const char *text)
{
	if (!v->draws) {
		poly_str_printf(v->out, "%*s%s\n", indent, "", text);
		return;
	}
	v->y += TITLE;
	poly_str_printf(&v->body, "<text x=\"%d\" y=\"%d\">", MARGIN + indent,
		v->y - 4);
	tool_xml_text(&v->body, text, strlen(text));
	poly_str_add(&v->body, "</text>\n");
}

/* Append the drawing, now that its width and height are known.
 *
 * A part that is missing for want of memory makes the whole fail.
 */
static void end_drawing(struct view *v)
{
	poly_str_printf(v->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" font-family=\"monospace\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"white\"/>\n", v->right + MARGIN, v->y + MARGIN);
	poly_str_add(v->out, v->body.s ? v->body.s : "");
	poly_str_add(v->out, "</svg>\n");
	if (v->body.failed)
		poly_str_fail(v->out);
	poly_str_free(&v->body);
}

/* --------------------------------------------------------------- one layout */

/* The last dimension runs along a row. A layout of one point has one column. */
static int columns_of(const struct shown *s)
{
	return s->l->n_dim ? s->l->extent[s->l->n_dim - 1] : 1;
}

/* No rows where the last dimension is empty. */
static int rows_of(const struct shown *s)
{
	int columns = columns_of(s);

	return columns ? (int) (poly_layout_volume(s->l) / columns) : 0;
}

/* The width of a point, such that the name of a place is as wide as the shortest
 * run.
 *
 * All runs are looked at first; the shortest one decides.
 */
static int point_width(const struct shown *s)
{
	int columns = columns_of(s), n_row = rows_of(s), least = SHORTEST;

	for (int row = 0; row < n_row; row++)
		for (struct run r = { .last = -1 }; r.last + 1 < columns;) {
			r = run_at(s, (int64_t) row * columns, columns,
				r.last + 1);
			if (r.last - r.first + 1 < least)
				least = r.last - r.first + 1;
		}
	return (SHORTEST + least - 1) / least;
}

/* All rows of the layout, each run of them.
 *
 * In text a row is one line, with its runs separated by commas.
 */
static void show_rows(struct view *v, const struct shown *s)
{
	int columns = columns_of(s), n_row = rows_of(s);

	for (int row = 0; row < n_row; row++) {
		const char *before = "    ";
		struct run r = { .last = -1 };

		while (r.last + 1 < columns) {
			r = run_at(s, (int64_t) row * columns, columns,
				r.last + 1);
			if (v->draws) {
				draw_run(v, s, row, &r);
				continue;
			}
			poly_str_add(v->out, before);
			add_points(s, row, &r, v->out);
			poly_str_add(v->out, " ");
			add_place(s, &r, false, v->out);
			before = ", ";
		}
		if (!v->draws)
			poly_str_add(v->out, "\n");
	}
	v->y += n_row * ROW;
}

/* The layout "l", which is taken, of "what"; false without memory, or if it has
 * more places than are listed.
 *
 * Why it is not shown is said in its place.
 */
static bool show(struct view *v, const char *what, struct poly_layout *l,
	int size)
{
	struct shown s = { .l = l, .size = size };
	struct poly_str text = { 0 };
	bool ok;

	s.list = poly_layout_list(l, &s.n);
	s.owner = s.list ? poly_layout_owners(l, s.list, s.n) : NULL;
	ok = s.owner != NULL;
	poly_str_printf(&text, "%s: ", what);
	if (ok) {
		poly_layout_print(l, &text);
		add_title(v, 2, text.s ? text.s : "");
		s.point = v->draws ? point_width(&s) : 0;
		show_rows(v, &s);
	} else {
		poly_str_add(&text, "more places than can be shown");
		add_title(v, 2, text.s ? text.s : "");
	}
	poly_str_free(&text);
	free(s.owner);
	free(s.list);
	poly_layout_free(l);
	return ok;
}

/* ------------------------------------------------------------------- kernels */

/* Does the statement "s" of a kernel, or a member of it, access "array"?
 *
 * Members are statements that one statement of the schedule stands for;
 * operands are arrays of a whole block operation.
 */
static bool accesses(struct poly_stmt *s, const struct poly_array *array)
{
	bool does = s->kind == POLY_POINT && poly_stmt_accesses(s, array);

	for (int i = 0; !does && i < s->n_member; i++)
		does = poly_stmt_accesses(s->member[i], array);
	for (int i = 0; !does && i < POLY_MAX_OPERAND; i++)
		does = s->operand[i] == array;
	return does;
}

/* Show the shared buffers that one of the "n" statements of a kernel accesses.
 *
 * Buffers in registers or global memory have no layout of this kind.
 */
static void show_buffers(struct view *v, struct poly_prog *prog,
	struct poly_stmt **stmt, int n)
{
	for (int i = 0; i < prog->n_array; i++) {
		struct poly_array *a = prog->array[i];
		int k = 0;

		while (k < n && !accesses(stmt[k], a))
			k++;
		if (k < n && a->space == POLY_SHARED)
			show(v, a->name, poly_buffer_layout(a),
				poly_type_size(a->type));
	}
}

/* Show a kernel: its threads, who holds the points of its tile, and its
 * buffers. A block kernel has no tile.
 *
 * Kernels whose blocks share loops have no tile that a thread could hold points
 * of.
 */
static void show_kernel(struct view *v, struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	int n, threads = kernel->thread[0] * kernel->thread[1];
	struct poly_stmt **stmt = poly_stmts_of(prog, domain, &n);
	struct poly_layout *l = kernel->block ? NULL :
		poly_kernel_layout(kernel);
	struct poly_str text = { 0 };

	poly_str_printf(&text, "kernel %s: %d threads", kernel->name, threads);
	if (l)
		poly_str_printf(&text, ", points in %d registers",
			poly_layout_count(l, POLY_AT_REG));
	add_title(v, 0, text.s ? text.s : "");
	poly_str_free(&text);
	if (kernel->block)
		add_title(v, 2, "its threads share loops, no tile");
	else
		show(v, "points", l, 0);
	if (stmt)
		show_buffers(v, prog, stmt, n);
	free(stmt);
	isl_union_set_free(domain);
}

/* All kernels, in one text or one drawing. */
void tool_inspect_layouts(struct poly_prog *prog, bool draws,
	struct poly_str *out)
{
	struct view v = { .out = out, .draws = draws, .y = MARGIN };

	for (int i = 0; i < prog->n_kernel; i++)
		show_kernel(&v, prog, prog->kernel[i]);
	if (draws)
		end_drawing(&v);
}
