/* Tokens of preprocessed C.
 *
 * The preprocessor leaves line markers, "# 12 "file.c" 1", which tell where
 * the text comes from. With the original text at hand the places of tokens are
 * places in it: the line of the marker, and the column at which the token
 * stands in that line, or if a macro made the token, the first visible column.
 * Tokens of other files have line 0.
 *
 * Tokens refer to the text, which must stay. Comments are gone if a
 * preprocessor ran, and are skipped if none did.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c/tree/tree.h"

/* The preprocessor's text, read up to "p", and the tokens that it has.
 *
 * "original" lines are what the user sees in an editor.
 */
struct lexer {
	struct fe_unit *u;
	const char *p, *end;
	const char *begin;		/* of the line */
	int line;			/* as the markers say */
	bool ours;			/* the line is of the user's file */
	const char **original;		/* its lines, or NULL */
	int n_original;
	int shown;			/* how far the line has been matched */
	unsigned packed;		/* #pragma pack; bit 0: the newest */
	int ended;			/* the line of which "end" is known */
	const char *line_end;		/* of what of it is no comment */
	struct fe_c_token *token;
	size_t n, cap;
};

/* Marks of more than one character, longest first.
 *
 * longest first, so that the first match is right
 */
static const char *const mark[] = {
	"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
	"!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
};

/* Texts in quotes are never equal to one. */
bool fe_c_is(const struct fe_c_token *t, const char *text)
{
	size_t len = strlen(text);

	return (t->kind == FE_C_NAME || t->kind == FE_C_MARK) &&
		(size_t)t->len == len && !memcmp(t->text, text, len);
}

/* ---------------------------------------------------------------- places */

/* The beginnings of the lines of the original text; the last entry is behind
 * its end.
 *
 * n_original lines, and one entry more.
 */
static void split_lines(struct lexer *lx, const char *text, size_t len)
{
	size_t i, n = 2;

	for (i = 0; i < len; i++)
		n += text[i] == '\n';
	lx->original = fe_arena_alloc(&lx->u->arena,
		n * sizeof(*lx->original));
	lx->original[lx->n_original++] = text;
	for (i = 0; i < len; i++)
		if (text[i] == '\n')
			lx->original[lx->n_original++] = text + i + 1;
	lx->original[lx->n_original] = text + len;
}

static bool is_part(int c)
{
	return isalnum(c) || c == '_';
}

/* Where "len" bytes at "text" stand as a whole word in [from, end), or NULL.
 *
 * A word is not found within a longer one; a mark is found anywhere.
 */
static const char *find_word(const char *begin, const char *from,
	const char *end, const char *text, int len)
{
	const char *p;

	for (p = from; p + len <= end; p++) {
		if (memcmp(p, text, (size_t)len))
			continue;
		if (!is_part((unsigned char)*text) ||
		    ((p == begin || !is_part((unsigned char)p[-1])) &&
		     (p + len == end || !is_part((unsigned char)p[len]))))
			return p;
	}
	return NULL;
}

/* Where the comment to the end of the line begins, or "end".
 *
 * Quotes are watched, so that "//" in a text is none.
 */
static const char *comment(const char *p, const char *end)
{
	for (char quote = 0; p < end; p++) {
		if (*p == '\\')
			p++;
		else if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '/' && p + 1 < end && p[1] == '/')
			return p;
	}
	return end;
}

/* The place of the token in the line of the original text.
 *
 * From where the last token of the line was found on, so that equal tokens get
 * places one after another. A token that is not in the line came out of a
 * macro.
 */
static struct poly_loc original_place(struct lexer *lx, const char *text,
	int len)
{
	struct poly_loc loc = { lx->line, 1, 1 };
	const char *begin, *end, *at;

	if (lx->line < 1 || lx->line > lx->n_original)
		return loc;
	begin = lx->original[lx->line - 1];
	if (lx->ended != lx->line)
		lx->line_end = comment(begin, lx->original[lx->line]);
	lx->ended = lx->line;
	end = lx->line_end;
	at = find_word(begin, begin + lx->shown, end, text, len);
	if (!at)
		at = find_word(begin, begin, end, text, len);
	if (at) {
		lx->shown = (int)(at - begin) + len;
		loc.col = (int)(at - begin) + 1;
		loc.len = len;
		return loc;
	}
	for (at = begin; at < end && isspace((unsigned char)*at); at++)
		loc.col++;
	while (end > at + 1 && isspace((unsigned char)end[-1]))
		end--;
	loc.len = end > at ? (int)(end - at) : 1;
	return loc;
}

/* Where "text" stands in the user's file: in its own lines if they are known,
 * as the preprocessor may have changed them; line 0 if it is from elsewhere.
 *
 * Columns count bytes from 1.
 */
static struct poly_loc place(struct lexer *lx, const char *text, int len)
{
	if (!lx->ours)
		return (struct poly_loc) { 0, 0, 0 };
	if (lx->original)
		return original_place(lx, text, len);
	return (struct poly_loc) { lx->line, (int)(text - lx->begin) + 1,
		len };
}

/* ---------------------------------------------------------------- tokens */

/* The list grows by doubling, in the arena: the old ones stay there until the
 * unit ends.
 */
static void add_token(struct lexer *lx, enum fe_c_token_kind kind,
	const char *text, int len)
{
	struct fe_c_token *more;

	if (lx->n == lx->cap) {
		lx->cap = lx->cap ? 2 * lx->cap : 1024;
		more = fe_arena_alloc(&lx->u->arena,
			lx->cap * sizeof(*more));
		if (lx->n)
			memcpy(more, lx->token, lx->n * sizeof(*more));
		lx->token = more;
	}
	lx->token[lx->n++] = (struct fe_c_token) { kind,
		place(lx, text, len), text, len, lx->packed & 1 };
}

/* lx->p is behind the line feed. */
static void next_line(struct lexer *lx)
{
	lx->line++;
	lx->begin = lx->p;
	lx->shown = 0;
}

/* The word at "p" in [p, end); its length.
 *
 * "*p" moves to its begin.
 */
static int word(const char **p, const char *end)
{
	const char *q;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	for (q = *p; q < end && is_part((unsigned char)*q); q++)
		;
	return (int)(q - *p);
}

static bool is_word(const char *p, int len, const char *text)
{
	return (int)strlen(text) == len && !memcmp(p, text, (size_t)len);
}

/* The number behind blanks at "p"; one that is too large, or none, is 0.
 *
 * "most" keeps it within an int.
 */
static int line_number(const char *p, const char *end)
{
	int line = 0, most = 1 << 26;

	word(&p, end);
	for (; p < end && isdigit((unsigned char)*p); p++)
		line = line < most ? 10 * line + *p - '0' : 0;
	return line;
}

/* A marker: number and name of the line that follows.
 *
 * Only with the original at hand: without it lines are those of the given text.
 */
static void read_marker(struct lexer *lx, const char *p, const char *end)
{
	int line = line_number(p, end);
	const char *at = memchr(p, '"', (size_t)(end - p));
	struct poly_str name = { 0 };

	if (!lx->original)
		return;
	lx->line = line > 0 ? line - 1 : 0;
	if (!at)
		return;
	lx->ours = fe_marker_read(at, end, &name) &&
		fe_marker_match(name.s, lx->u->file) == name.len;
	poly_str_free(&name);
}

/* Behind "#pragma pack": "(push, 2)" and "(2)" change the layout of structures
 * from here on, "(pop)" goes back to what was, and "()" to what is usual.
 *
 * A stack of bits, 32 deep.
 */
static void read_pack(struct lexer *lx, const char *p, const char *end)
{
	const char *name = p + strspn(p, " \t(");
	int len = name < end ? word(&name, end) : 0;
	const char *more = name + len;

	if (is_word(name, len, "pop")) {
		lx->packed >>= 1;
		return;
	}
	if (is_word(name, len, "push"))
		lx->packed = lx->packed << 1 | (lx->packed & 1);
	while (more < end && strchr(" \t,)", *more))
		more++;
	if (!len || !is_word(name, len, "push"))
		lx->packed = (lx->packed & ~1u) | (len > 0);
	else if (more < end)
		lx->packed |= 1;
}

/* Keep what "#pragma cetane" says from "p" on. */
static void add_pragma(struct lexer *lx, const char *p, const char *end)
{
	struct fe_c_pragma *a = fe_arena_alloc(&lx->u->arena, sizeof(*a));
	struct fe_c_pragma **last = &lx->u->c->pragma;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*a = (struct fe_c_pragma){ NULL, place(lx, p, (int)(end - p)), p,
		(int)(end - p) };
	while (*last)
		last = &(*last)->next;
	*last = a;
}

/* A line that begins with "#", without its end.
 *
 * Other pragmas have no meaning here. Directives that only a preprocessor
 * understands are reported.
 */
static void read_directive(struct lexer *lx, const char *end)
{
	const char *p = lx->p + 1, *name = p;
	int len = word(&name, end);

	if (len && isdigit((unsigned char)*name)) {
		read_marker(lx, name, end);
	} else if (is_word(name, len, "line")) {
		read_marker(lx, name + len, end);
	} else if (is_word(name, len, "pragma")) {
		name += len;
		len = word(&name, end);
		if (is_word(name, len, "scop"))
			add_token(lx, FE_C_SCOP, name, len);
		else if (is_word(name, len, "endscop"))
			add_token(lx, FE_C_ENDSCOP, name, len);
		else if (is_word(name, len, "pack") ||
			 is_word(name, len, "scalar_storage_order"))
			read_pack(lx, name + len, end);
		else if (is_word(name, len, "cetane") && lx->u->c)
			add_pragma(lx, name + len, end);
	} else if (len) {
		struct poly_loc loc = place(lx, lx->p, (int)(end - lx->p));

		FE_REPORT(lx->u, FE_C_DIRECTIVE, &loc, len, name);
	}
	lx->p = end;
}

/* Past a comment; false, having reported it, if it does not end.
 *
 * Lines within are counted.
 */
static bool skip_comment(struct lexer *lx)
{
	struct poly_loc loc = place(lx, lx->p, 2);

	if (lx->p[1] == '/') {
		while (lx->p < lx->end && *lx->p != '\n')
			lx->p++;
		return true;
	}
	for (lx->p += 2; lx->p + 1 < lx->end; lx->p++) {
		if (lx->p[0] == '*' && lx->p[1] == '/') {
			lx->p += 2;
			return true;
		}
		if (*lx->p == '\n') {
			lx->line++;
			lx->begin = lx->p + 1;
			lx->shown = 0;
		}
	}
	FE_REPORT(lx->u, FE_COMMENT, &loc);
	lx->p = lx->end;
	return false;
}

/* The length of the text, in quotes and perhaps with a prefix, that begins at
 * "p"; 0: it does not end. -1: none begins there.
 *
 * A character or string; with L, u or U in front.
 */
static int text_length(const char *p, const char *end)
{
	const char *q = p;
	char quote;

	q += (*q == 'L' || *q == 'u' || *q == 'U') && q + 1 < end;
	quote = *q++;
	if (quote != '"' && quote != '\'')
		return -1;
	for (; q < end && *q != quote && *q != '\n'; q++)
		if (*q == '\\' && q + 1 < end)
			q++;
	return q < end && *q == quote ? (int)(q - p) + 1 : 0;
}

/* The length of a number, name, text or mark at "p"; 0: none.
 *
 * Numbers are taken as C's preprocessing numbers: c_number.c reads them.
 */
static int token_length(const char *p, const char *end,
	enum fe_c_token_kind *kind)
{
	const char *q = p + 1;
	int len = text_length(p, end);
	size_t i;

	*kind = FE_C_TEXT;
	if (len >= 0)
		return len;

	if (isdigit((unsigned char)*p) ||
	    (*p == '.' && q < end && isdigit((unsigned char)*q))) {
		*kind = FE_C_NUMBER;
		while (q < end && (is_part((unsigned char)*q) || *q == '.' ||
		       ((*q == '+' || *q == '-') && strchr("eEpP", q[-1]))))
			q++;
		return (int)(q - p);
	}
	if (isalpha((unsigned char)*p) || *p == '_') {
		*kind = FE_C_NAME;
		while (q < end && is_part((unsigned char)*q))
			q++;
		return (int)(q - p);
	}
	*kind = FE_C_MARK;
	for (i = 0; i < sizeof(mark) / sizeof(mark[0]); i++)
		if ((size_t)(end - p) >= strlen(mark[i]) &&
		    !memcmp(p, mark[i], strlen(mark[i])))
			return (int)strlen(mark[i]);
	return strchr("+-*/%<>=!&|^~?:;,.(){}[]", *p) && *p ? 1 : 0;
}

/* Add the next token; a character that begins none is reported and left out.
 *
 * One byte is left out.
 */
static void read_token(struct lexer *lx)
{
	enum fe_c_token_kind kind;
	int len = token_length(lx->p, lx->end, &kind);
	struct poly_loc loc;
	char text[8];

	if (len) {
		add_token(lx, kind, lx->p, len);
		lx->p += len;
		return;
	}
	loc = place(lx, lx->p, 1);
	snprintf(text, sizeof(text), isprint((unsigned char)*lx->p) ?
		"'%c'" : "\\x%02x", (unsigned char)*lx->p);
	FE_REPORT(lx->u, FE_CHARACTER, &loc, text, "");
	lx->p++;
}

/* The text need not end in a NUL. "original" NULL: no markers are obeyed. */
struct fe_c_token *fe_c_lex(struct fe_unit *u, const char *text, size_t len,
	const char *original, size_t original_len)
{
	struct lexer lx = { .u = u, .p = text, .end = text + len,
		.begin = text, .line = 1, .ours = true };
	bool fresh = true;	/* nothing but space in this line so far */

	if (original)
		split_lines(&lx, original, original_len);
	while (lx.p < lx.end) {
		char c = *lx.p;

		if (c == '\n') {
			lx.p++;
			next_line(&lx);
			fresh = true;
		} else if (isspace((unsigned char)c)) {
			lx.p++;
		} else if (c == '#' && fresh) {
			const char *end = memchr(lx.p, '\n',
				(size_t)(lx.end - lx.p));

			read_directive(&lx, end ? end : lx.end);
		} else if (c == '/' && lx.p + 1 < lx.end &&
			   (lx.p[1] == '/' || lx.p[1] == '*')) {
			skip_comment(&lx);
		} else {
			fresh = false;
			read_token(&lx);
		}
	}
	/* the end is at the end of the user's file, whatever file was last */
	lx.ours = true;
	if (lx.original && lx.n_original) {
		lx.line = lx.n_original;
		lx.shown = 0;
	}
	add_token(&lx, FE_C_END, lx.p, 0);
	return lx.token;
}
