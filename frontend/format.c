/* Programs in matrix expressions and index notation, formatted.
 *
 * The text is a row of tokens, comments, and parts that are taken out of it before it is
 * lexed (functions in C or data-parallel ones), which stay as they are. A statement is a
 * line, and so is a piece of a case; a blank line between them stays, several become one.
 * Marks have a blank on both sides or on none. Of arithmetic, and of commas in brackets,
 * the text decides which, so that u(t-1,i) and A * B both stay. A line beyond 80 columns
 * is broken at a blank outside of most brackets.
 *
 * No blank goes where two tokens would become one, or is added to one, so that the result
 * has the same tokens. A break is where a blank was: formatted again, nothing changes.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/nest.h"
#include "frontend/parallel/parallel.h"

/* a tab counts 8 columns; DEEP is more than any rank */
enum { COLUMNS = 80, TAB = 8, DEEP = 1 << 20 };
enum kind { TOKEN, LINE_COMMENT, BLOCK_COMMENT, VERBATIM };

/* A part of the text; "lines" are the line feeds in front of it, "spaced" whether anything
 * stands between it and the part before.
 *
 * "len" bytes at "text", which is the unit's text.
 */
struct item {
	enum kind kind;
	enum fe_token_kind token;
	const char *text;
	size_t len;
	int lines;
	bool spaced;
};
/* A piece of a line: what may be broken in front of a piece if it is "spaced". "forced":
 * the line ends behind it. The line is broken where "rank" is least.
 */
struct piece {
	const char *text;
	size_t len;
	bool spaced, forced;
	int rank;
};
/* All lists are owned and freed by fe_format and format_all. */
struct format {
	struct fe_unit *u;
	struct poly_str *out;
	struct item *item;
	int n, cap;
	struct piece *piece;
	int n_piece;
	int depth, level;	/* brackets, braces of cases */
	int *pending;		/* question marks at each depth */
	bool failed;
};

/* -------------------------------------------------------------------- items */

/* Without memory the item is lost and "failed" set. */
static void add_item(struct format *f, struct item item)
{
	struct item *more = f->item;

	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 256;
		more = realloc(f->item, (size_t)f->cap * sizeof(*more));
		f->failed |= !more;
		if (!more)
			return;
		f->item = more;
	}
	f->item[f->n++] = item;
}

/* The end of what was taken out of the text at "p": there "text" is blank.
 *
 * A part that was cut out has blanks in u->text where u->whole has its text; it
 * ends where both agree again, behind its last byte that is no blank.
 */
static const char *skip_taken(const struct format *f, const char *p,
	const char *end)
{
	const char *text = f->u->text + (p - f->u->whole), *last = p;

	for (; p < end && (*text == *p || strchr(" \t\n", *text)); p++, text++)
		if (!strchr(" \t\r\n", *p))
			last = p;
	return last + 1;
}

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\v\f", c);
}

/* The comments between "p" and "end", and what was taken out there; returns line feeds
 * behind the last of them.
 *
 * The item that is returned is the begin of what follows: only "lines" and
 * "spaced" are set.
 */
static struct item scan_gap(struct format *f, const char *p, const char *end)
{
	struct item next = { .spaced = false };
	const char *stop;
	bool taken;

	while (p < end) {
		if (is_blank(*p)) {
			next.lines += *p++ == '\n';
			next.spaced = true;
			continue;
		}
		taken = f->u->text[p - f->u->whole] != *p;
		stop = taken ? skip_taken(f, p, end) :
			fe_skip_comment(p, end);
		if (stop == p)
			stop = p + 1;
		next.kind = taken ? VERBATIM : *p == '#' ||
			(stop - p > 1 && p[1] == '/') ? LINE_COMMENT :
			BLOCK_COMMENT;
		next.text = p;
		next.len = (size_t)(stop - p);
		while (next.len && is_blank(p[next.len - 1]))
			next.len--;
		add_item(f, next);
		next = (struct item){ .spaced = true };
		p = stop;
	}
	return next;
}

/* Take down the tokens from "t" on, and the comments and empty lines between them,
 * as items of the text as it was written.
 *
 * Tokens have their places in u->text, which is as long as u->whole.
 */
static void scan(struct format *f, const struct fe_token *t)
{
	const struct fe_unit *u = f->u;
	const char *p = fe_cursor_begin(f->u).p, *at;
	struct item item;

	p = u->whole + (p - u->text);
	for (;; t = t->next) {
		at = t->kind == FE_END ? u->whole + u->len :
			u->whole + (t->text - u->text);
		item = scan_gap(f, p, at);
		if (t->kind == FE_END)
			return;
		item.kind = TOKEN;
		item.token = t->kind;
		item.text = at;
		item.len = (size_t)t->loc.len;
		add_item(f, item);
		p = at + t->loc.len;
	}
}

/* -------------------------------------------------------------------- lines */

/* The column behind the piece if it begins at "at". Bytes of UTF-8 that
 * continue a character take none.
 */
static int width(const struct piece *p, int at)
{
	size_t i;

	for (i = 0; i < p->len; i++) {
		if (p->text[i] == '\n')
			at = 0;
		else
			at += p->text[i] == '\t' ? TAB - at % TAB :
				((unsigned char)p->text[i] & 0xc0) != 0x80;
	}
	return at;
}

/* Append a piece, a line feed in it without the return in front of it.
 *
 * Line ends become "\n".
 */
static void put(struct format *f, const struct piece *p)
{
	size_t i;

	for (i = 0; i < p->len; i++)
		if (p->text[i] != '\r' || i + 1 == p->len ||
		    p->text[i + 1] != '\n')
			poly_str_addn(f->out, p->text + i, 1);
}

static void indent(struct format *f, int tabs)
{
	while (tabs-- > 0)
		poly_str_add(f->out, "\t");
}

/* Where a line that begins with piece "from" ends: in front of "to", or in front of the
 * last piece of the least depth of those that fit, whose line is not much too short.
 *
 * Prefers breaks that part least (rank); a line that is too long without any
 * place to break stays.
 */
static int line_end(const struct format *f, int from, int to, int at)
{
	int i, best = to, least = DEEP;

	for (i = from; i < to; i++) {
		const struct piece *p = &f->piece[i];

		if (i > from && p->spaced && (at <= COLUMNS || best == to) &&
		    p->rank <= least) {
			least = p->rank;
			best = i;
		}
		at = width(p, at + (i > from && p->spaced));
		if (at > COLUMNS && best < to)
			return best;
		if (p->forced)
			return i + 1;
	}
	return to;
}

/* Write the pieces as lines; those behind the first have one tab more.
 *
 * The first line of a statement has f->level tabs.
 */
static void end_line(struct format *f)
{
	int i, from = 0, tabs = f->level, stop;

	while (from < f->n_piece) {
		indent(f, tabs);
		stop = line_end(f, from, f->n_piece, tabs * TAB);
		for (i = from; i < stop; i++) {
			if (i > from && f->piece[i].spaced)
				poly_str_add(f->out, " ");
			put(f, &f->piece[i]);
		}
		poly_str_add(f->out, "\n");
		from = stop;
		tabs = f->level + 1;
	}
	f->n_piece = 0;
}

/* ------------------------------------------------------------------ spacing */

/* Operators whose spacing the text decides. */
static bool is_arithmetic(enum fe_token_kind k)
{
	return k == FE_PLUS || k == FE_MINUS || k == FE_STAR ||
		k == FE_DOT_STAR || k == FE_SLASH || k == FE_PERCENT ||
		k == FE_LEFT || k == FE_RIGHT || k == FE_AND || k == FE_OR;
}

/* Is it a word behind which an operand stands?
 *
 * Such a word is no operand: "-" behind it is a sign.
 */
static bool is_word(const struct item *t)
{
	static const char *const word[] = { "and", "or", "not", "for", "else",
		"case", "out" };
	size_t i;

	for (i = 0; t->token == FE_NAME && i < sizeof(word) / sizeof(word[0]);
	     i++)
		if (strlen(word[i]) == t->len &&
		    !memcmp(word[i], t->text, t->len))
			return true;
	return false;
}

/* Is "t" the end of an operand, so that a minus behind it subtracts? */
static bool ends_operand(const struct item *t)
{
	return t->kind != TOKEN || (t->token == FE_NAME && !is_word(t)) ||
		t->token == FE_NUMBER || t->token == FE_CLOSE ||
		t->token == FE_POWER_T || t->token == FE_QUOTE;
}

/* Is item "i" a sign in front of an operand?
 *
 * ! and ~ always are.
 */
static bool is_unary(const struct format *f, int i)
{
	const struct item *t = &f->item[i];

	if (t->token == FE_BANG || t->token == FE_TILDE)
		return true;
	return t->token == FE_MINUS && (i == 0 || !ends_operand(t - 1));
}

/* Does the text put a blank around the operator "i"?
 *
 * On either side: "a +b" becomes a + b.
 */
static bool is_loose(const struct format *f, int i)
{
	return f->item[i].spaced || (i + 1 < f->n && f->item[i + 1].spaced);
}

/* Marks come behind the words in the list of tokens. */
static bool is_mark(const struct item *t)
{
	return t->token > FE_CODEGEN;
}

/* The blank between two tokens, of which one is an operator, or none is.
 *
 * "min=" and "max=" of updates stay one where the text has them so.
 */
static bool operator_spaced(const struct format *f, int i)
{
	const struct item *next = &f->item[i], *prev = next - 1;

	if (is_arithmetic(prev->token))
		return is_loose(f, i - 1);
	if (is_arithmetic(next->token) && !is_unary(f, i))
		return is_loose(f, i);
	if (next->token == FE_EQUALS && prev->token == FE_NAME)
		return next->spaced || !(prev->len == 3 &&
			(!memcmp(prev->text, "min", 3) ||
			 !memcmp(prev->text, "max", 3)));
	return true;
}

/* Does a blank stand in front of token "i", which follows another one? A colon of a
 * choice is "ternary".
 *
 * Rules in order: never before a comma, semicolon or closing bracket; never
 * behind an opening one; of a sign, a call and a colon by what they are; else
 * as operators say.
 */
static bool token_spaced(const struct format *f, int i, bool ternary)
{
	const struct item *next = &f->item[i], *prev = next - 1;

	if (next->token == FE_COMMA || next->token == FE_SEMICOLON ||
	    next->token == FE_CLOSE || next->token == FE_POWER_T ||
	    next->token == FE_QUOTE)
		return false;
	if (prev->token == FE_OPEN || (f->depth && (prev->token ==
			FE_OPEN_BRACE || next->token == FE_CLOSE_BRACE)))
		return false;
	if (is_unary(f, i - 1))
		return next->spaced && is_mark(next) && next->token != FE_OPEN;
	if (next->token == FE_COLON)
		return ternary;
	if (prev->token == FE_COMMA)
		return !f->depth || next->spaced;
	if (next->token == FE_OPEN && (prev->token == FE_NAME ||
			prev->token == FE_CODEGEN) && !is_word(prev))
		return false;
	return operator_spaced(f, i);
}

/* ----------------------------------------------------------------- the whole */

/* How much a break in front of item "i" would part: brackets most, then products, then
 * sums; behind an operator more than in front of it.
 *
 * A break outside of brackets parts less than one inside.
 */
static int rank(const struct format *f, int i)
{
	enum fe_token_kind next = f->item[i].token,
		prev = i ? f->item[i - 1].token : FE_END;
	bool behind = is_arithmetic(prev);
	enum fe_token_kind k = behind ? prev : next;

	return 8 * f->depth + (!is_arithmetic(k) ? 0 :
		k == FE_PLUS || k == FE_MINUS ? 2 : 4) + behind;
}

/* A line comment ends its line. */
static void add_piece(struct format *f, int i, bool spaced)
{
	const struct item *item = &f->item[i];

	f->piece[f->n_piece++] = (struct piece){ item->text, item->len,
		spaced, item->kind == LINE_COMMENT, rank(f, i) };
}

/* Count brackets; a brace outside of them is that of a case. Returns whether the line ends
 * behind the token.
 *
 * Question marks are counted for each depth of brackets, so that a colon finds
 * out whether it belongs to one.
 */
static bool pass(struct format *f, const struct item *t)
{
	switch (t->token) {
	case FE_OPEN:
		f->pending[++f->depth] = 0;
		break;
	case FE_CLOSE:
		f->depth -= f->depth > 0;
		break;
	case FE_QUESTION:
		f->pending[f->depth]++;
		break;
	case FE_COLON:
		f->pending[f->depth] -= f->pending[f->depth] > 0;
		break;
	case FE_OPEN_BRACE:
		return !f->depth;
	case FE_SEMICOLON:
		f->pending[f->depth] = 0;
		return !f->depth;
	default:
		break;
	}
	return false;
}

/* A comment that begins no line belongs to the line before.
 *
 * A comment on a line of its own stays there; VERBATIM parts always do.
 */
static void format_other(struct format *f, int i)
{
	const struct item *t = &f->item[i];

	if (f->n_piece) {
		add_piece(f, i, true);
		return;
	}
	if (i > 0 && !t->lines && t->kind != VERBATIM && f->out->len) {
		f->out->s[--f->out->len] = '\0';
		poly_str_add(f->out, " ");
		put(f, &(struct piece){ t->text, t->len, 0, 0, 0 });
		poly_str_add(f->out, "\n");
		return;
	}
	if (i > 0 && t->lines > 1)
		poly_str_add(f->out, "\n");
	add_piece(f, i, false);
	end_line(f);
}

/* Put item "i", a token, on the line that is being made, and end the line where the
 * token ends a statement. Braces move what is between them to the right; one empty
 * line in front of a statement is kept.
 *
 * Closing brackets are spaced by the depth outside of them.
 */
static void format_token(struct format *f, int i)
{
	const struct item *t = &f->item[i];
	bool first = !f->n_piece, ternary = f->pending[f->depth] > 0;
	bool ends;

	if (t->token == FE_CLOSE_BRACE && !f->depth && f->level) {
		end_line(f);
		f->level--;
		first = true;
	}
	if (first && i > 0 && t->lines > 1)
		poly_str_add(f->out, "\n");
	if (t->token == FE_CLOSE && f->depth > 0)
		f->depth--;
	add_piece(f, i, !first && (f->item[i - 1].kind != TOKEN ||
		token_spaced(f, i, ternary)));
	f->depth += t->token == FE_CLOSE;
	ends = pass(f, t);
	if (!ends)
		return;
	end_line(f);
	f->level += t->token == FE_OPEN_BRACE;
}

/* Format all items into f->out. f->failed if memory runs out.
 *
 * All that is allocated here is freed here.
 */
static void format_all(struct format *f)
{
	int i;

	f->piece = calloc((size_t)f->n + 1, sizeof(*f->piece));
	f->pending = calloc((size_t)f->n + 2, sizeof(*f->pending));
	f->failed |= !f->piece || !f->pending;
	for (i = 0; i < f->n && !f->failed; i++) {
		if (f->item[i].kind == TOKEN)
			format_token(f, i);
		else
			format_other(f, i);
		f->failed |= f->out->failed;
	}
	if (!f->failed)
		end_line(f);
	free(f->piece);
	free(f->pending);
}

/* fe_unit_make calls this.
 *
 * Reads only as far as the lexer: a program with errors of other kinds can be
 * formatted.
 */
static void read_and_format(struct fe_unit *u, void *user)
{
	struct format *f = user;
	struct fe_token *t;

	f->u = u;
	if (u->len > FE_MAX_TEXT) {
		FE_REPORT(u, FE_LONG_TEXT, NULL, FE_MAX_TEXT, u->len);
		return;
	}
	fe_nest_split(u);
	fe_par_split(u);
	t = fe_lex(u);
	if (fe_has_errors(u))
		return;
	scan(f, t);
	format_all(f);
}

/* False, reported, if the text has characters that are none, or memory runs
 * out; "out" is then not complete.
 */
bool fe_format(const char *file, const char *text, size_t len,
	struct poly_str *out, struct poly_report *report)
{
	struct format f = { .out = out };
	struct fe_unit *u = fe_unit_make(file, text, len, report,
		read_and_format, &f);
	bool ok = u && !f.failed && !out->failed;

	if (u && !ok)
		poly_report_add(report, MSG_NO_MEMORY, NULL, "the text");
	free(f.item);
	fe_unit_free(u);
	return ok;
}
