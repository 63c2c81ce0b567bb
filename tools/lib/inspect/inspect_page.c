/* One page about a program (HTML): its source, the schedule tree, the LLVM IR, the PTX, the
 * machine code if there is a disassembler, times of kernels, and what inspect says of each:
 * registers, spills, bank conflicts, sectors, the roofline. They stand side by side; a line
 * of one that comes of a line of the source is marked together with all others that do. The page needs nothing else, and may load nothing.
 *
 * Which line a text comes of, it says itself: PTX by ".loc", LLVM IR by "!dbg", machine code
 * by comments of the disassembler, a schedule by the names of its statements.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/inspect/inspect.h"

/* More lines than that are not marked. */
enum { LINES_MOST = 16, PANES_MOST = 7 };

/* Lines of the source, each once.
 *
 * A set of few.
 */
struct lines {
	int line[LINES_MOST], n;
};

/* Line 0 is none. */
static void add_line(struct lines *l, int line)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (l->line[i] == line)
			return;
	if (line > 0 && l->n < LINES_MOST)
		l->line[l->n++] = line;
}

/* ------------------------------------------------------------------- escape */

/* Append a line of "len" bytes; what is no character of UTF-8 becomes U+FFFD.
 *
 * A "\r" at the end is part of the line's end.
 */
static void escape(struct poly_str *out, const char *text, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n ? n : 1) {
		n = tool_character(text + i);
		if (text[i] == '\r' && i + 1 == len)
			return;
		if (text[i] == '&')
			poly_str_add(out, "&amp;");
		else if (text[i] == '<')
			poly_str_add(out, "&lt;");
		else if (text[i] == '>')
			poly_str_add(out, "&gt;");
		else if (text[i] == '"')
			poly_str_add(out, "&quot;");
		else if (!n || i + n > len || ((unsigned char)text[i] < 0x20 &&
				text[i] != '\t'))
			poly_str_add(out, "\xef\xbf\xbd");
		else
			poly_str_addn(out, text + i, n);
	}
}

/* ---------------------------------------------------------------- the panes */

/* A pane: "find" tells of the line of text from "p" to "end" which lines of the source it
 * comes of; "state" is its own.
 *
 * "line_of" is filled when the first line of LLVM IR is asked about.
 */
struct pane {
	const char *id, *title, *text;
	size_t len;
	void (*find)(struct pane *pane, const char *p, const char *end,
		struct lines *l);
	const struct poly_prog *prog;
	int now;		/* the line of the source, or of the text */
	int told;		/* the last one that a comment has told */
	int *line_of;		/* of each "!N", n_line_of of them */
	int n_line_of;
	const struct tool_times *times;
};

/* Each line of the source comes of itself. */
static void of_source(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	(void)p;
	(void)end;
	add_line(l, ++pane->now);
}

/* Members may come from several lines. */
static void add_stmt(struct lines *l, const struct poly_stmt *s)
{
	int i;

	add_line(l, s->loc.line);
	for (i = 0; i < s->n_member; i++)
		add_stmt(l, s->member[i]);
}

/* Names in front of a bracket.
 *
 *	{ S[i,j] -> .. }	names S
 *
 * Every word before a bracket is compared with the names of statements.
 */
static void of_schedule(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	const struct poly_prog *prog = pane->prog;
	const char *from;
	int i;

	for (; p < end; p++) {
		from = p;
		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		if (p == from || p == end || *p != '[')
			continue;
		for (i = 0; i < prog->n_stmt; i++)
			if (strlen(prog->stmt[i]->name) == (size_t)(p - from) &&
			    !memcmp(prog->stmt[i]->name, from,
				(size_t)(p - from)))
				add_stmt(l, prog->stmt[i]);
	}
}

/* The number behind "word" in the line, or -1.
 *
 * The first such word in the line counts.
 */
static int number_behind(const char *p, const char *end, const char *word)
{
	const char *at = memmem(p, (size_t)(end - p), word, strlen(word));

	at = at ? at + strlen(word) : end;
	return at < end && isdigit((unsigned char)*at) ? atoi(at) : -1;
}

/* What "!N = !DILocation(line: L, ..)" says of each N.
 *
 * The first pass finds the largest N, the second one fills in the lines.
 */
static void read_metadata(struct pane *pane)
{
	const char *p = pane->text, *stop = p + pane->len, *end;
	int n, line, pass;

	for (pass = 0; pass < 2; pass++) {
		for (p = pane->text; p < stop; p = end + 1) {
			end = memchr(p, '\n', (size_t)(stop - p));
			end = end ? end : stop;
			n = *p == '!' ? number_behind(p, end, "!") : -1;
			line = number_behind(p, end, "line: ");
			if (n < 0 || line < 0)
				continue;
			if (!pass)
				pane->n_line_of = n + 1 > pane->n_line_of ?
					n + 1 : pane->n_line_of;
			else
				pane->line_of[n] = line;
		}
		if (!pass)
			pane->line_of = calloc((size_t)pane->n_line_of + 1,
				sizeof(*pane->line_of));
		if (!pane->line_of)
			break;
	}
}

/* The metadata stand at the end of the text, so they are read once, before the
 * first line.
 */
static void of_llvm(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	int n = number_behind(p, end, "!dbg !");

	if (!pane->line_of && !pane->n_line_of)
		read_metadata(pane);
	if (n >= 0 && n < pane->n_line_of && pane->line_of)
		add_line(l, pane->line_of[n]);
}

/* An instruction is of the line that was told last, up to the end of its function.
 *
 * "\t.loc\tFILE LINE .." sets it. Directives inside of a function are no
 * instructions.
 */
static void of_ptx(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	static const char loc[] = ".loc\t";
	const char *at = memmem(p, (size_t)(end - p), loc, strlen(loc));

	if (at) {
		at += strlen(loc);
		at += strcspn(at, " ");
		pane->now = atoi(at);
	} else if (*p == '}') {
		pane->now = 0;
	} else if (*p != '\t' || p[1] == '.') {
		return;
	}
	add_line(l, pane->now);
}

/* Is "p" to "end", behind ".section", that of the code of a kernel of "prog"? NULL has none. */
static bool is_of_kernel(const struct poly_prog *prog, const char *p, const char *end)
{
	static const char text[] = "\t.text.";
	size_t n = strlen(text), len;

	if ((size_t)(end - p) <= n || strncmp(p, text, n))
		return false;
	p += n;
	len = strcspn(p, ",\n");
	for (int i = 0; prog && i < prog->n_kernel; i++)
		if (strlen(prog->kernel[i]->name) == len &&
		    !strncmp(prog->kernel[i]->name, p, len))
			return true;
	return false;
}

/* An instruction begins with its place in a comment; it is of the line that a comment has
 * told last, up to the end of its section: where a kernel begins with the line that the
 * one before it ends with, nothing tells it again.
 */
static void of_sass(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	static const char file[] = "//## File \"", line[] = "\", line ";
	static const char section[] = "\t.section";
	const char *at = memmem(p, (size_t)(end - p), file, strlen(file));
	const char *word = p;

	while (word < end && (*word == ' ' || *word == '\t'))
		word++;
	if (at && number_behind(at, end, line) >= 0)
		pane->now = pane->told = number_behind(at, end, line);
	else if ((size_t)(end - p) >= strlen(section) &&
			!strncmp(p, section, strlen(section)))
		pane->now = is_of_kernel(pane->prog, p + strlen(section), end) ?
			pane->told : 0;
	else if (end - word < 3 || strncmp(word, "/*", 2) ||
			!isxdigit((unsigned char)word[2]))
		return;
	add_line(l, pane->now);
}

/* The lines of the kernel whose row it is, below the head. */
static void of_times(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	const struct tool_times *t = pane->times;
	int i, at = pane->now++ - 1;

	(void)p;
	(void)end;
	for (i = 0; at >= 0 && at < t->n && i < t->row[at].n; i++)
		add_line(l, t->row[at].line[i]);
}

/* A line that is about an access tells its line of the source. */
static void of_facts(struct pane *pane, const char *p, const char *end,
	struct lines *l)
{
	static const char word[] = "    line ";

	(void)pane;
	if ((size_t)(end - p) > strlen(word) && !strncmp(p, word, strlen(word)))
		add_line(l, atoi(p + strlen(word)));
}

/* Write the pane, a line of it a span, which says the lines of the source that it
 * belongs to.
 *
 * The numbers of lines are in an attribute, which the script of the page
 * compares.
 */
static void write_pane(struct pane *pane, struct poly_str *out)
{
	const char *p = pane->text, *stop = p + pane->len, *end;
	struct lines l;
	int i;

	poly_str_printf(out, "<section id=\"%s\"><h2>%s</h2><pre>", pane->id,
		pane->title);
	for (; p < stop; p = end + 1) {
		end = memchr(p, '\n', (size_t)(stop - p));
		end = end ? end : stop;
		l = (struct lines){ .n = 0 };
		if (pane->find)
			pane->find(pane, p, end, &l);
		poly_str_add(out, "<span");
		for (i = 0; i < l.n; i++)
			poly_str_printf(out, "%s%d", i ? " " : " data-l=\"",
				l.line[i]);
		poly_str_add(out, l.n ? "\">" : ">");
		escape(out, p, (size_t)(end - p));
		poly_str_add(out, "\n</span>");
	}
	poly_str_add(out, "</pre></section>\n");
	free(pane->line_of);
}

/* ------------------------------------------------------------------ the page */

/* The policy forbids to load anything from elsewhere. */
static const char head[] =
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
"<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
"body { margin: 0; font: 14px sans-serif; height: 100vh; display: flex;\n"
"  flex-direction: column }\n"
"h1, h2 { font-size: 14px; margin: 0; padding: 4px 8px; background: #eee }\n"
"main { flex: 1; display: grid; grid-template-columns: 1fr 1fr;\n"
"  grid-auto-rows: minmax(0, 1fr); gap: 4px; min-height: 0 }\n"
"section { display: flex; flex-direction: column; min-height: 0; min-width: 0 }\n"
"pre { flex: 1; margin: 0; padding: 4px 8px; overflow: auto; tab-size: 8;\n"
"  font: 12px/1.4 monospace; counter-reset: n }\n"
"span { display: block; min-height: 1.4em }\n"
"span::before { counter-increment: n; content: counter(n); display: inline-block;\n"
"  width: 4em; color: #888; user-select: none }\n"
"span[data-l] { cursor: pointer }\nspan[data-l]:hover { background: #eef }\n"
"span.on { background: #fd8 }\n</style>\n";

/* A click marks all lines with a common line of the source, and scrolls the
 * other panes there.
 */
static const char script[] =
"<script>\n"
"addEventListener('click', function (e) {\n"
"  var to = e.target.closest('span[data-l]');\n"
"  if (!to) return;\n"
"  var want = to.dataset.l.split(' ');\n"
"  document.querySelectorAll('section').forEach(function (s) {\n"
"    var first = null;\n"
"    s.querySelectorAll('span').forEach(function (x) {\n"
"      var on = (x.dataset.l || '').split(' ').some(function (l) {\n"
"        return want.indexOf(l) >= 0; });\n"
"      x.classList.toggle('on', on);\n"
"      first = first || (on ? x : null);\n"
"    });\n"
"    if (first && !s.contains(to))\n"
"      first.parentNode.scrollTop = first.offsetTop -\n"
"        first.parentNode.offsetTop - 40;\n"
"  });\n"
"});\n"
"</script>\n";

/* Append the machine code, assembled for this if it was not before. What goes wrong is
 * no message of this compilation: the page has it in the place of the code.
 */
static void add_sass(const struct tool_compile *c, const char *path,
	struct poly_str *out)
{
	const struct poly_str *cubin = &c->cubin;
	struct poly_report report = { 0 };
	struct poly_str made = { 0 };
	bool ok = true;
	int i;

	if (!cubin->len) {
		ok = nvptx_assemble(&c->ptx, c->nvptx.target, &made, NULL, NULL,
			&report) == isl_stat_ok;
		cubin = &made;
	}
	if (ok)
		nvptx_disassemble(path, cubin, out, &report);
	for (i = 0; i < report.n_msg && !out->len; i++)
		poly_str_printf(out, "%s\n", report.msg[i].text);
	poly_report_free(&report);
	poly_str_free(&made);
}

static struct pane pane_of(const char *id, const char *title,
	const struct poly_str *text, void (*find)(struct pane *pane,
		const char *p, const char *end, struct lines *l))
{
	return (struct pane){ .id = id, .title = title,
		.text = text->s ? text->s : "", .len = text->len,
		.find = find };
}

/* What stands above the panes, up to these. */
static void write_head(const struct tool_compile *c, struct poly_str *out)
{
	const char *file = c->source->name;

	file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	poly_str_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		"<meta charset=\"utf-8\">\n<title>");
	escape(out, file, strlen(file));
	poly_str_printf(out, "</title>\n%s</head><body>\n<h1>", head);
	escape(out, file, strlen(file));
	poly_str_printf(out, ", %s, cetane %s: a click on a line marks what "
		"comes of the same line of the source</h1>\n<main>\n",
		c->nvptx.target->name, CETANE_VERSION);
}

/* Write the panes: machine code has none without a disassembler. */
static void write_panes(const struct tool_facts *f,
	const struct tool_times *times, struct poly_str *out)
{
	const struct tool_compile *c = f->compile;
	const struct poly_str source = { .s = c->source->text,
		.len = c->source->len };
	struct pane pane[PANES_MOST];
	struct poly_str sass = { 0 }, facts = { 0 };
	char *path = nvptx_disassembler();
	int i, n = 0;

	pane[n++] = pane_of("source", "source", &source, of_source);
	pane[n] = pane_of("schedule", "schedule tree",
		&c->out[TOOL_EMIT_SCHEDULE], c->prog ? of_schedule : NULL);
	pane[n++].prog = c->prog;
	pane[n++] = pane_of("llvm", "LLVM IR", &c->out[TOOL_EMIT_LLVM_OPT],
		of_llvm);
	pane[n++] = pane_of("ptx", "PTX", &c->ptx, of_ptx);
	if (path) {
		add_sass(c, path, &sass);
		pane[n] = pane_of("sass", "machine code", &sass, of_sass);
		pane[n++].prog = c->prog;
	}
	pane[n] = pane_of("times", "times of kernels", &times->text, of_times);
	pane[n++].times = times;
	tool_facts_text(f, &facts);
	pane[n++] = pane_of("kernels", "kernels", &facts, of_facts);
	for (i = 0; i < n; i++)
		write_pane(&pane[i], out);
	poly_str_free(&sass);
	poly_str_free(&facts);
	free(path);
}

enum tool_exit tool_inspect_page(struct tool_compile *c, struct poly_str *out)
{
	struct tool_times times = { .n = 0 };
	struct tool_facts f = { 0 };
	enum tool_exit status = tool_facts_gather(&f, c->options, c);

	if (status == TOOL_OK)
		status = tool_times_make(&f, &times);

	if (status == TOOL_OK) {
		write_head(c, out);
		write_panes(&f, &times, out);
		poly_str_printf(out, "</main>\n%s</body></html>\n", script);
	}
	tool_times_free(&times);
	tool_facts_free(&f);
	return status;
}
