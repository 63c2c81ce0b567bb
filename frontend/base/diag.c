/* Messages as text, with the line that they speak of.
 *
 *	file:line:col: error[E203]: text
 *	    line of source
 *	         ^~~~
 *
 * Control bytes in names and texts print as "\n" or "\x1b", so that a message
 * begins with the name and is one line; only what LLVM and assemblers say has
 * several. In the line of the source tabs are kept, so that the caret stands where
 * the editor shows the place; other control bytes print as "?". Of a very long line a part is shown. In
 * colour, the place is bold, the severity has its colour, the caret is green.
 */
#include <string.h>

#include "frontend/base/base.h"

/* Bytes of a source line that are shown, and of those in front of the column.
 */
enum { LINE_SHOWN = 240, LINE_BEFORE = 100 };

/* Select Graphic Rendition of ECMA-48, or nothing at all. */
struct style {
	const char *bold, *caret, *off;
	const char *severity[3];	/* by enum poly_severity */
};
static const struct style plain = { "", "", "", { "", "", "" } };
static const struct style colored = {
	"\033[1m", "\033[1;32m", "\033[0m",
	{ "\033[1;31m", "\033[1;35m", "\033[1;36m" }
};

/* The source line "line": from "*text", "*len" bytes. */
static void find_line(const char **text, size_t *len, int line)
{
	const char *p = *text, *end = *text + *len, *stop;

	if (*len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (--line > 0) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			break;
		p = stop + 1;
	}
	stop = memchr(p, '\n', (size_t)(end - p));
	if (!stop)
		stop = end;
	if (stop > p && stop[-1] == '\r')
		stop--;
	*text = p;
	*len = (size_t)(stop - p);
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* "text" without control bytes, but perhaps with its line breaks. */
static void print_text(FILE *out, const char *text, bool lines)
{
	char shown[8];

	for (; *text; text++)
		if (lines && *text == '\n')
			fputc('\n', out);
		else
			fputs(poly_shown(*text, shown), out);
}

static void print_line(FILE *out, const char *line, size_t len)
{
	size_t i;

	fputs("    ", out);
	for (i = 0; i < len; i++) {
		char c = line[i];

		fputc(is_control(c) && c != '\t' ? '?' : c, out);
	}
	fputc('\n', out);
}

/* The caret below "line", "col" bytes from its beginning. */
static void print_caret(FILE *out, const struct style *style,
	const char *line, size_t len, size_t col, int width)
{
	size_t i;

	fputs("    ", out);
	for (i = 0; i < col && i < len; i++)
		if (!is_continuation(line[i]))
			fputc(line[i] == '\t' ? '\t' : ' ', out);
	fprintf(out, "%s^", style->caret);
	for (i = col + 1; i < len && i < col + (size_t)width; i++)
		if (!is_continuation(line[i]))
			fputc('~', out);
	fprintf(out, "%s\n", style->off);
}

/* Print the source line of "loc", of a long one what is around the column, and
 * the caret below.
 */
static void print_place(FILE *out, const struct style *style,
	const char *text, size_t len, const struct poly_loc *loc)
{
	size_t col = (size_t)loc->col - 1, skip = 0;

	find_line(&text, &len, loc->line);
	if (len > LINE_SHOWN && col > LINE_BEFORE)
		skip = (col < len ? col : len) - LINE_BEFORE;
	text += skip;
	len -= skip;
	if (len > LINE_SHOWN)
		len = LINE_SHOWN;
	print_line(out, text, len);
	print_caret(out, style, text, len, col - skip, loc->len);
}

/* "text" is the source of "len" bytes, or NULL: then no lines are shown. A
 * message of severity warning is numbered "W231", a remark "R...".
 */
void fe_diag_print(FILE *out, const char *file, const char *text, size_t len,
	const struct poly_report *report, bool color)
{
	static const char *const severity[] = { "error", "warning", "remark" };
	static const char letter[] = "EWR";
	const struct style *style = color ? &colored : &plain;
	int i;

	for (i = 0; i < report->n_msg; i++) {
		const struct poly_message *m = &report->msg[i];

		fputs(style->bold, out);
		print_text(out, file, false);
		fputc(':', out);
		if (m->loc.line)
			fprintf(out, "%d:%d:", m->loc.line, m->loc.col);
		fprintf(out, "%s %s%s[%c%d]:%s ", style->off,
			style->severity[m->severity], severity[m->severity],
			letter[m->severity], m->number, style->off);
		print_text(out, m->text, m->number / 100 == 4 ||
			m->number / 100 == 9);
		fputc('\n', out);
		if (m->loc.line && text)
			print_place(out, style, text, len, &m->loc);
	}
}

/* Has the report so many errors "number" that it shows no further ones? Says so once. */
static bool has_enough(struct fe_unit *u, int number)
{
	const struct poly_report *r = u->report;
	bool told = false;
	char name[16];
	int n = 0;

	snprintf(name, sizeof(name), " E%d ", number);
	for (int i = 0; i < r->n_msg; i++) {
		n += r->msg[i].number == number &&
			r->msg[i].severity == POLY_ERROR;
		told |= r->msg[i].number == MSG_FE_KIND &&
			strstr(r->msg[i].text, name);
	}
	if (n >= FE_MAX_KIND && !told)
		poly_report_add(u->report, MSG_FE_KIND, NULL, FE_MAX_KIND, number);
	return n >= FE_MAX_KIND;
}

bool fe_may_report(struct fe_unit *u, int number)
{
	int n = u->report->n_error - u->n_error;

	if (n == FE_MAX_ERROR)
		poly_report_add(u->report, MSG_FE_ERRORS, NULL, FE_MAX_ERROR);
	return n < FE_MAX_ERROR && !has_enough(u, number);
}

bool fe_is_told(const struct poly_report *report, int number,
	const struct poly_loc *loc)
{
	int i;

	for (i = 0; i < report->n_msg; i++)
		if (report->msg[i].number == number &&
		    report->msg[i].loc.line == loc->line &&
		    report->msg[i].loc.col == loc->col)
			return true;
	return false;
}
