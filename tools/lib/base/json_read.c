/* Reading JSON (RFC 8259): a text becomes a tree of values. A text with something behind
 * its value, or one that nests deeper than DEPTH_MOST, is no JSON. A NUL ends a string.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/base/json.h"

/* Values in values; the reader recurses once for each. */
enum { DEPTH_MOST = 64 };

/* The text that is left. */
struct reader {
	const char *p, *end;
	int depth;
};

static bool read_value(struct reader *r, struct tool_json *j);

/* A NUL is no space, although strchr() finds it. */
static void skip_space(struct reader *r)
{
	while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
		r->p++;
}

/* Step over the character "c" and what is white in front of it. */
static bool take(struct reader *r, char c)
{
	skip_space(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* Nothing is stepped over in front of it. */
static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len))
		return false;
	r->p += len;
	return true;
}

/* ----------------------------------------------------------------- strings */

/* The number of the four digits of "\u".
 *
 * Digits in either case: the bit that tells the cases apart is set first.
 */
static bool read_unit(struct reader *r, unsigned *unit)
{
	int i;

	*unit = 0;
	for (i = 0; i < 4; i++, r->p++) {
		static const char digits[] = "0123456789abcdef";
		const char *d;

		if (r->p == r->end || !*r->p)
			return false;
		d = strchr(digits, *r->p | 0x20);
		if (!d)
			return false;
		*unit = *unit << 4 | (unsigned)(d - digits);
	}
	return true;
}

/* In UTF-8: the first byte says how many follow, and each of these has 6 bits.
 */
static void add_character(struct poly_str *s, unsigned c)
{
	char text[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	if (c == 0) {
		poly_str_add(s, TOOL_JSON_ZERO);
		return;
	}
	if (n == 1) {
		text[0] = (char)c;
	} else {
		for (i = n - 1; i > 0; i--, c >>= 6)
			text[i] = (char)(0x80 | (c & 0x3f));
		/* The leading ones of the first byte: as many as there are
		 * bytes.
		 */
		text[0] = (char)((0xf00 >> n & 0xff) | c);
	}
	poly_str_addn(s, text, n);
}

/* What stands behind a backslash. Half of a pair becomes U+FFFD.
 *
 * A pair of "\u" makes one character beyond 16 bits. U+FFFD is what stands for
 * a character that is none.
 */
static bool read_escape(struct reader *r, struct poly_str *s)
{
	static const char plain[] = "\"\\/", from[] = "bfnrt",
		to[] = "\b\f\n\r\t";
	unsigned high, low;
	const char *at;
	char c;

	if (r->p == r->end || !*r->p)
		return false;
	c = *r->p++;
	if (strchr(plain, c)) {
		poly_str_addn(s, &c, 1);
		return true;
	}
	at = strchr(from, c);
	if (at) {
		poly_str_addn(s, &to[at - from], 1);
		return true;
	}
	if (c != 'u' || !read_unit(r, &high))
		return false;
	if (high >= 0xd800 && high < 0xdc00 && take_word(r, "\\u")) {
		if (!read_unit(r, &low))
			return false;
		high = low >= 0xdc00 && low < 0xe000 ?
			0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) :
			0xfffd;
	}
	add_character(s, high >= 0xd800 && high < 0xe000 ? 0xfffd : high);
	return true;
}

/* The text of a string, which the caller frees; NULL if none is next, if it has a
 * control character or a wrong escape, or without memory.
 *
 * Plain characters are appended in one piece, up to the next escape or the end.
 */
static char *read_string(struct reader *r)
{
	struct poly_str s = { 0 };
	const char *from;

	if (!take(r, '"'))
		return NULL;
	poly_str_add(&s, "");
	for (;;) {
		from = r->p;
		while (r->p < r->end && *r->p != '"' && *r->p != '\\' &&
		       (unsigned char)*r->p >= 0x20)
			r->p++;
		poly_str_addn(&s, from, (size_t)(r->p - from));
		if (r->p == r->end || (unsigned char)*r->p < 0x20)
			break;
		if (*r->p++ == '"') {
			/* Without memory the string is not shortened, but
			 * missing.
			 */
			if (!s.failed)
				return s.s ? s.s : strdup("");
			break;
		}
		if (!read_escape(r, &s))
			break;
	}
	poly_str_free(&s);
	return NULL;
}

/* ------------------------------------------------------------------ values */

/* Numbers are those of strtod() without its extras: no sign "+" and no point in
 * front, no words, no hexadecimal digits. More than 63 characters are no
 * number.
 */
static bool read_number(struct reader *r, struct tool_json *j)
{
	char text[64], *end;
	size_t len = 0;

	while (r->p + len < r->end && len + 1 < sizeof(text) &&
	       strchr("+-.0123456789eE", r->p[len]) && r->p[len])
		len++;
	memcpy(text, r->p, len);
	text[len] = '\0';
	if (!len || text[0] == '+' || text[0] == '.' || text[0] == 'e' ||
	    text[0] == 'E')
		return false;
	j->kind = TOOL_JSON_NUMBER;
	j->number = strtod(text, &end);
	r->p += len;
	return !*end;
}

/* Room for one more item of "j"; NULL without memory.
 *
 * Items move when the list grows: no pointer to one is kept.
 */
static struct tool_json *add_item(struct tool_json *j)
{
	struct tool_json *more = realloc(j->item,
		(size_t)(j->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	j->item = more;
	more[j->n] = (struct tool_json){ 0 };
	return &more[j->n++];
}

/* The items of a list, or of an object, which have names, up to "close".
 *
 * A comma must be followed by another item.
 */
static bool read_items(struct reader *r, struct tool_json *j, char close)
{
	struct tool_json *item;
	bool named = close == '}';

	j->kind = named ? TOOL_JSON_OBJECT : TOOL_JSON_LIST;
	if (take(r, close))
		return true;
	do {
		item = add_item(j);
		if (!item)
			return false;
		if (named) {
			item->name = read_string(r);
			if (!item->name || !take(r, ':'))
				return false;
		}
		if (!read_value(r, item))
			return false;
	} while (take(r, ','));
	return take(r, close);
}

/* Read the value that is next, of any kind, into "j"; false if there is none. What
 * has been read stays in "j", for the caller to free.
 *
 * A number is what is left when nothing else fits. Its kind is set when it has
 * been read.
 */
static bool read_value(struct reader *r, struct tool_json *j)
{
	bool ok;

	skip_space(r);
	if (r->p == r->end)
		return false;
	if (*r->p == '"') {
		j->kind = TOOL_JSON_TEXT;
		j->text = read_string(r);
		return j->text != NULL;
	}
	if (*r->p == '{' || *r->p == '[') {
		if (++r->depth > DEPTH_MOST)
			return false;
		ok = read_items(r, j, *r->p++ == '{' ? '}' : ']');
		r->depth--;
		return ok;
	}
	j->kind = TOOL_JSON_BOOL;
	if (take_word(r, "true")) {
		j->number = 1;
		return true;
	}
	if (take_word(r, "false"))
		return true;
	j->kind = TOOL_JSON_NULL;
	return take_word(r, "null") || read_number(r, j);
}

/* Recurses as deep as the value nests, which is limited. */
static void free_value(struct tool_json *j)
{
	int i;

	for (i = 0; i < j->n; i++)
		free_value(&j->item[i]);
	free(j->item);
	free(j->name);
	free(j->text);
}

/* On failure "j" is empty. */
bool tool_json_read(struct tool_json *j, const char *text, size_t len)
{
	struct reader r = { text, text + len, 0 };
	bool ok;

	*j = (struct tool_json){ 0 };
	ok = read_value(&r, j);
	skip_space(&r);
	if (ok && r.p == r.end)
		return true;
	tool_json_free(j);
	return false;
}

/* May be called twice. */
void tool_json_free(struct tool_json *j)
{
	free_value(j);
	*j = (struct tool_json){ 0 };
}

/* ----------------------------------------------------------------- members */

/* Members are looked for one by one: objects here are small. */

/* NULL if "j" is NULL or no object, so that calls can be nested. */
const struct tool_json *tool_json_member(const struct tool_json *j,
	const char *name)
{
	int i;

	for (i = 0; j && j->kind == TOOL_JSON_OBJECT && i < j->n; i++)
		if (!strcmp(j->item[i].name, name))
			return &j->item[i];
	return NULL;
}

/* NULL if it is missing or no text. */
const char *tool_json_string(const struct tool_json *j, const char *name)
{
	const struct tool_json *m = tool_json_member(j, name);

	return m && m->kind == TOOL_JSON_TEXT ? m->text : NULL;
}

/* What is no number counts as missing. */
double tool_json_number(const struct tool_json *j, const char *name,
	double otherwise)
{
	const struct tool_json *m = tool_json_member(j, name);

	return m && m->kind == TOOL_JSON_NUMBER ? m->number : otherwise;
}
