/* Texts and messages as JSON. A message is one object on one line, with the members of
 * a diagnostic of the Language Server Protocol 3.17 and the file that it speaks of:
 *
 *	{"file": "a.dsl", "range": {"start": {"line": 2, "character": 8}, "end":
 *	 {"line": 2, "character": 9}}, "severity": 1, "code": "E201", "source": "cetane",
 *	 "message": "'X' is not defined"}
 *
 * Lines and characters count from 0, characters in units of UTF-16. A message without a
 * place has that of the first character, and the length 0.
 */
#include <string.h>

#include "tools/lib/base/base.h"

size_t tool_character(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 :
		*text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
	unsigned c = n < 2 ? *text : *text & (0x7fu >> n);

	for (i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	return c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ?
		0 : n;
}

void tool_json_text(struct poly_str *out, const char *text)
{
	size_t n;

	poly_str_add(out, "\"");
	for (; *text; text += n ? n : 1) {
		n = tool_character(text);
		if (!n)
			poly_str_add(out, "\\ufffd");
		else if (*text == '"' || *text == '\\')
			poly_str_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			poly_str_printf(out, "\\u%04x", *text);
		else
			poly_str_addn(out, text, n);
	}
	poly_str_add(out, "\"");
}

/* The start of line number "line", from 1, in the "len" bytes at "text". */
static const char *start_of(const char *text, size_t len, int line)
{
	const char *p = text, *end = text + len, *stop;

	if (len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (--line > 0) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			break;
		p = stop + 1;
	}
	return p;
}

/* How many units of UTF-16 the first "n" bytes at "p" have, which end at "end". */
static int units(const char *p, const char *end, int n)
{
	int i, count = 0;

	if (!p)
		return n;
	for (i = 0; i < n && p + i < end; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			count += (unsigned char)p[i] >= 0xf0 ? 2 : 1;
	return count;
}

static void add_place(struct poly_str *out, const char *key, int line, int at)
{
	poly_str_printf(out, "\"%s\": {\"line\": %d, \"character\": %d}", key,
		line, at);
}

/* Append one message as a line. The columns of its place are bytes of "text",
 * which become units of UTF-16; without the text they stay as they are.
 */
static void add_message(struct poly_str *out, const char *file,
	const char *text, size_t len, const struct poly_message *m)
{
	bool placed = m->loc.line > 0;
	const char *line = placed && text ?
		start_of(text, len, m->loc.line) : NULL;
	const char *end = text ? text + len : NULL;
	int row = placed ? m->loc.line - 1 : 0;
	int col = placed ? m->loc.col - 1 : 0;

	poly_str_add(out, "{\"file\": ");
	tool_json_text(out, file);
	poly_str_add(out, ", \"range\": {");
	add_place(out, "start", row, units(line, end, col));
	poly_str_add(out, ", ");
	add_place(out, "end", row,
		units(line, end, col + (placed ? m->loc.len : 0)));
	poly_str_printf(out, "}, \"severity\": %d, \"code\": \"%c%d\", "
		"\"source\": \"cetane\", \"message\": ", m->severity + 1,
		"EWR"[m->severity], m->number);
	tool_json_text(out, m->text);
	poly_str_add(out, "}\n");
}

void tool_json_messages(struct poly_str *out, const char *file,
	const char *text, size_t len, const struct poly_report *report)
{
	int i;

	for (i = 0; i < report->n_msg; i++)
		add_message(out, file, text, len, &report->msg[i]);
}
