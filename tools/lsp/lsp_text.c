/* Texts that are open in an editor: places, names, and where names are defined. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lsp/lsp.h"

/* ------------------------------------------------------------------ places */

/* The protocol counts lines and, within one, units of UTF-16; both from 0. */

/* -1 if it is no digit. The order keeps letters beyond "f" out. */
static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' :
		isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* The path that a "file:" URI names, with %XX decoded; other URIs stay as they
 * are. The caller frees it.
 */
char *tool_uri_file(const char *uri)
{
	const char *p = !strncmp(uri, "file://", 7) ? uri + 7 : uri;
	char *file = malloc(strlen(p) + 1), *to = file;

	for (; file && *p; p++) {
		/* %00 is left as it is: it would end the name. */
		if (*p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0 &&
		    (hex(p[1]) || hex(p[2]))) {
			*to++ = (char)(hex(p[1]) * 16 + hex(p[2]));
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	if (file)
		*to = '\0';
	return file;
}

/* Units of UTF-16 of the character that begins with "c"; 0 inside of one.
 *
 * Bytes of UTF-8: one of a character begins it, the others have their two
 * highest bits 10.
 */
static int units(char c)
{
	unsigned char b = (unsigned char)c;

	return (b & 0xc0) == 0x80 ? 0 : b >= 0xf0 ? 2 : 1;
}

/* A position behind the end of a line is that end, and one behind the text the
 * end of it.
 */
size_t tool_text_offset(const struct tool_document *d, int line, int character)
{
	const char *p = d->text, *end = d->text + d->len, *stop;

	for (; line > 0; line--) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			return d->len;
		p = stop + 1;
	}
	for (; p < end && *p != '\n' && character > 0; p++) {
		character -= units(*p);
		/* The rest of a character belongs to its beginning. */
		while (p + 1 < end && !units(p[1]))
			p++;
	}
	return (size_t)(p - d->text);
}

/* Counts from the beginning of the text each time. */
static void add_place(const struct tool_document *d, const char *name,
	size_t at, struct poly_str *out)
{
	int line = 0, character = 0;
	size_t i;

	for (i = 0; i < at && i < d->len; i++) {
		character += units(d->text[i]);
		if (d->text[i] == '\n') {
			line++;
			character = 0;
		}
	}
	poly_str_printf(out, "\"%s\": {\"line\": %d, \"character\": %d}", name,
		line, character);
}

/* As JSON. */
void tool_text_range(const struct tool_document *d, size_t at, size_t len,
	struct poly_str *out)
{
	poly_str_add(out, "{");
	add_place(d, "start", at, out);
	poly_str_add(out, ", ");
	add_place(d, "end", at + len, out);
	poly_str_add(out, "}");
}

/* ------------------------------------------------------------------- names */

/* The server does not parse: it looks for words and brackets, so that a text
 * with errors still has names.
 */

/* Of a name or a number. */
static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The word around "at"; no length if there is none, or if it is a number. */
size_t tool_text_name(const struct tool_document *d, size_t at, size_t *len)
{
	size_t from = at, to = at;

	while (from > 0 && is_part(d->text[from - 1]))
		from--;
	while (to < d->len && is_part(d->text[to]))
		to++;
	*len = to - from;
	if (from < d->len && isdigit((unsigned char)d->text[from]))
		*len = 0;
	return from;
}

/* The byte behind the comment at "at", or "at".
 *
 * Comments nest. One without an end goes to the end of the text.
 */
static size_t skip_comment(const struct tool_document *d, size_t at)
{
	const char *p = d->text + at;
	size_t left = d->len - at, i;
	int depth = 0;

	if (left && (*p == '#' || (left > 1 && p[0] == '/' && p[1] == '/'))) {
		for (i = 0; i < left && p[i] != '\n'; i++)
			;
		return at + i;
	}
	if (left < 2 || p[0] != '/' || p[1] != '*')
		return at;
	for (i = 0; i + 1 < left;) {
		bool open = p[i] == '/' && p[i + 1] == '*';
		bool close = p[i] == '*' && p[i + 1] == '/';

		depth += open - close;
		i += open || close ? 2 : 1;
		if (!depth)
			return at + i;
	}
	return d->len;
}

/* A name of the text. "first" begins a statement, behind "out" too; "kind" is what the
 * first word of its statement makes of it.
 *
 * "order" counts the names from 0.
 */
enum kind { OTHER, SIZES, MATRIX, TENSORS };
struct name {
	size_t at, len, statement;
	int depth, order;	/* brackets around; its number in the statement */
	enum kind kind;
	char behind;		/* the byte behind it, and behind blanks */
};
/* False ends the walk. */
typedef bool see_name(void *user, const struct name *n);

/* Words are compared as they are: case matters. */
static bool is_word(const struct tool_document *d, const struct name *n,
	const char *word)
{
	return strlen(word) == n->len && !memcmp(d->text + n->at, word, n->len);
}

/* Comments are not skipped over here. */
static char behind(const struct tool_document *d, size_t at)
{
	while (at < d->len && isspace((unsigned char)d->text[at]))
		at++;
	return at < d->len ? d->text[at] : '\0';
}

/* What the first word of a statement says of those behind it.
 *
 *	Params M, N;		Matrix A(M, N);
 *	param M;		tensor f32 X(M);
 *
 * "param" and "tensor" are words only if a name follows.
 */
static enum kind kind_of(const struct tool_document *d, const struct name *n)
{
	if (is_word(d, n, "Params") || (is_word(d, n, "param") &&
			is_part(n->behind)))
		return SIZES;
	if (is_word(d, n, "Matrix"))
		return MATRIX;
	return is_word(d, n, "tensor") && is_part(n->behind) ? TENSORS : OTHER;
}

/* Show "see" all names, in turn, until it says false.
 *
 * Comments and numbers are skipped over. A statement ends with a semicolon
 * outside of brackets.
 */
static void each_name(const struct tool_document *d, see_name *see, void *user)
{
	struct name n = { .order = 0 };
	size_t at = 0, next;
	char c;

	while (at < d->len) {
		next = skip_comment(d, at);
		if (next > at) {
			at = next;
			continue;
		}
		c = d->text[at];
		if (isalpha((unsigned char)c) || c == '_') {
			n.at = tool_text_name(d, at, &n.len);
			n.behind = behind(d, n.at + n.len);
			if (n.order == 0)
				n.kind = kind_of(d, &n);
			if (!see(user, &n))
				return;
			/* Behind "out" the count begins anew. */
			n.order += !(n.order == 0 && is_word(d, &n, "out") &&
				is_part(n.behind));
			at = n.at + n.len;
			continue;
		}
		at++;
		/* A number may have letters, such as an exponent. */
		if (isdigit((unsigned char)c))
			while (at < d->len && is_part(d->text[at]))
				at++;
		n.depth += (c == '(' || c == '{') - (c == ')' || c == '}');
		if (c == ';' && n.depth <= 0) {
			n.depth = n.order = 0;
			n.kind = OTHER;
			n.statement = at;
		}
	}
}

/* -------------------------------------------------------------- definitions */

/* What is looked for, what was found: the last definition in front of the statement of the
 * name, that in it, any; and the first such name in the statement.
 *
 * "at" and "len" are the name's.
 */
struct search {
	const struct tool_document *d;
	size_t at, len, statement;
	size_t before, here, after, local;
	bool has_before, has_here, has_after, has_local, here_is_head;
};

/* Which statement the name stands in: that of its offset. */
static bool find_statement(void *user, const struct name *n)
{
	struct search *s = user;

	if (n->at != s->at)
		return true;
	s->statement = n->statement;
	return false;
}

/* Of what kind the statement is decides where the names are that it defines:
 * behind the word, or in front of "=" or a bracket.
 */
static bool defines(const struct name *n)
{
	if (n->kind == SIZES)
		return n->order > 0;
	if (n->kind == MATRIX)
		return n->order == 1;
	if (n->kind == TENSORS)
		return n->order > 1 && n->depth == 0;
	return n->order == 0 && n->depth == 0 && n->behind &&
		strchr("=(", n->behind);
}

/* Callback of a walk over names: note where the name that is looked for stands first
 * in its statement, and where statements before, at and behind it define it. Goes on
 * to the last name.
 *
 * A later definition in front of the statement replaces an earlier one, since
 * it is the one that holds there.
 */
static bool find_definition(void *user, const struct name *n)
{
	struct search *s = user;

	if (n->len != s->len ||
	    memcmp(s->d->text + n->at, s->d->text + s->at, n->len))
		return true;
	if (n->statement == s->statement && !s->has_local) {
		s->local = n->at;
		s->has_local = true;
	}
	if (!defines(n))
		return true;
	if (n->statement < s->statement) {
		s->before = n->at;
		s->has_before = true;
	} else if (n->statement == s->statement) {
		s->here = n->at;
		s->has_here = true;
		/* The head of a definition holds inside of it, so it is
		 * preferred to one before.
		 */
		s->here_is_head = n->behind == '(' || n->at == s->at ||
			n->kind != OTHER;
	} else if (!s->has_after) {
		s->after = n->at;
		s->has_after = true;
	}
	return true;
}

/* In order: the head of the statement itself, the last definition before it,
 * one that assigns in the statement, the first behind it, and the first place
 * of the name there, as of an index.
 */
bool tool_text_definition(const struct tool_document *d, size_t at, size_t len,
	size_t *found)
{
	struct search s = { .d = d, .at = at, .len = len };

	each_name(d, find_statement, &s);
	each_name(d, find_definition, &s);
	*found = s.has_here && s.here_is_head ? s.here :
		s.has_before ? s.before : s.has_here ? s.here :
		s.has_after ? s.after : s.local;
	return s.has_here || s.has_before || s.has_after || s.has_local;
}
