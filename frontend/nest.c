/* A file of the language that is a nest, or several:
 *
 *	nest f(param N, const f64 b[N], f64 x[N]) { .. }
 *
 * is read as C, in which the names of types and sizes are declared, and comments
 * from # on are left out. Lines in front of the text tell where it stands, as those
 * of a preprocessor. Nests that stand beside definitions are the same text without
 * these.
 */
#include <ctype.h>
#include <string.h>

#include "frontend/nest.h"
#include "frontend/notation.h"
#include "frontend/index/call.h"
#include "frontend/c/c.h"

static const char declared[] =
	"typedef void nest; typedef long param;\n"
	"typedef _Float16 f16; typedef float f32; typedef double f64;\n"
	"typedef signed char i8; typedef short i16;\n"
	"typedef int i32; typedef long i64;\n"
	"typedef unsigned char u8; typedef unsigned short u16;\n"
	"typedef unsigned u32; typedef unsigned long u64;\n"
	"typedef _Bool bool;\n";

/* Past the comment, or the directive of a preprocessor, that begins at "p", if one
 * does.
 */
static const char *skip_comment(const char *p, const char *end)
{
	if (*p == '#' || (p + 1 < end && p[0] == '/' && p[1] == '/'))
		while (p < end && *p != '\n')
			p++;
	else if (p + 1 < end && p[0] == '/' && p[1] == '*') {
		for (p += 2; p + 1 < end && (p[0] != '*' || p[1] != '/'); p++)
			;
		p = p + 2 < end ? p + 2 : end;
	}
	return p;
}

/* Past space and comments. */
static const char *skip(const char *p, const char *end)
{
	const char *from = NULL;

	while (p < end && p != from) {
		from = p;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p < end)
			p = skip_comment(p, end);
	}
	return p;
}

static bool is_name(const char *p, const char *end)
{
	return p < end && (isalpha((unsigned char)*p) || *p == '_');
}

/* Past a name. */
static const char *skip_name(const char *p, const char *end)
{
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p;
}

/* Does a nest begin at "p"? */
static bool begins(const char *p, const char *end)
{
	if (end - p < 5 || memcmp(p, "nest", 4) ||
	    !isspace((unsigned char)p[4]))
		return false;
	return is_name(skip(p + 4, end), end);
}

/* Does "static f32 f(" begin at "p", a function that nests call? */
static bool begins_function(const char *p, const char *end)
{
	const char *from = p;

	if (end - p < 7 || memcmp(p, "static", 6) ||
	    !isspace((unsigned char)p[6]))
		return false;
	for (; is_name(p, end); p = skip(p, end)) {
		from = p;
		p = skip_name(p, end);
	}
	return p < end && *p == '(' && from < p;
}

/* The first "nest f(" from "p" on, which means nothing else wherever it stands,
 * or function; else "end".
 */
static const char *find(const char *p, const char *end)
{
	const char *q;

	for (p = skip(p, end); p < end;
	     p = skip(is_name(p, end) ? skip_name(p, end) : p + 1, end)) {
		q = begins(p, end) ? skip_name(skip(p + 4, end), end) : end;
		q = skip(q, end);
		if ((q < end && *q == '(') || begins_function(p, end))
			break;
	}
	return p;
}

/* Past the braces that "p" has first; the end if they do not close. */
static const char *skip_body(const char *p, const char *end)
{
	int depth = 0;

	for (p = skip(p, end); p < end; p = skip(p + 1, end)) {
		depth += *p == '{';
		depth -= *p == '}';
		if (*p == '}' && depth <= 0)
			return p + 1;
	}
	return end;
}

/* Is the name at "p" one that begins items of other notations only? */
static bool is_item(const char *p, const char *end)
{
	static const char *const word[] = {
		"Params", "Matrix", "CodeGen", "param", "tensor", "assume", "out",
	};
	size_t i, len = (size_t)(skip_name(p, end) - p);

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (len == strlen(word[i]) && !memcmp(word[i], p, len))
			return true;
	return false;
}

/* Is the text made of nests alone, or does it look like that? */
static bool is_only_nests(const char *text, size_t len)
{
	const char *end = text + len, *p = skip(text, end);
	bool found = false;
	int depth = 0;

	if (!begins(p, end) && !begins_function(p, end))
		return false;
	while (p < end) {
		found |= !depth && begins(p, end);
		depth += *p == '{' || *p == '(';
		depth -= *p == '}' || *p == ')';
		if (is_name(p, end) && !depth && is_item(p, end))
			return false;
		p = skip(is_name(p, end) ? skip_name(p, end) : p + 1, end);
	}
	return found;
}

/* Make the text blank, but keep its lines. */
static void blank(char *p, const char *end)
{
	for (; p < end; p++)
		if (*p != '\n')
			*p = ' ';
}

/* List the nest at "p" of the unit's text. */
static struct fe_nest *add_nest(struct fe_unit *u, struct fe_nest *last,
	const char *p)
{
	struct fe_nest *n = fe_arena_alloc(&u->arena, sizeof(*n));
	const char *end = u->text + u->len, *name = skip(p + 4, end), *q;

	n->loc = (struct poly_loc) { 1, 1, 0 };
	for (q = u->text; q < name; q++) {
		n->loc.col = *q == '\n' ? 1 : n->loc.col + 1;
		n->loc.line += *q == '\n';
	}
	n->loc.len = (int)(skip_name(name, end) - name);
	n->symbol = fe_symbol_find(u, name, (size_t)n->loc.len);
	if (last)
		last->next = n;
	else
		u->nest = n;
	return n;
}

/* Is the line that begins with # one for the preprocessor? */
static bool is_directive(const char *p, const char *end)
{
	static const char *const word[] = {
		"#pragma", "#define", "#undef", "#include", "#if", "#else",
		"#elif", "#endif", "#error", "#line",
	};
	size_t i, left = (size_t)(end - p);

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (strlen(word[i]) <= left &&
		    !memcmp(p, word[i], strlen(word[i])))
			return true;
	return false;
}

/* "text" with space in the place of comments from # on. */
static void add_text(const char *text, size_t len, struct poly_str *out)
{
	const char *p = text, *end = text + len, *next;

	for (; p < end; p = next) {
		bool gone = *p == '#' && !is_directive(p, end);

		next = skip_comment(p, end);
		if (next == p)
			next++;
		for (; gone && p < next; p++)
			poly_str_add(out, " ");
		poly_str_addn(out, p, (size_t)(next - p));
	}
}

/* The text as a preprocessed file of C. */
static void nest_text(const char *file, const char *text, size_t len,
	struct poly_str *out)
{
	const char *c;

	poly_str_add(out, "# 1 \"types\"\n");
	poly_str_add(out, declared);
	poly_str_add(out, "# 1 \"");
	for (c = file; *c; c++)
		poly_str_addn(out, c, 1);
	poly_str_add(out, "\"\n");
	add_text(text, len, out);
}

/* Nests, and functions, stay where they are in the text of their own; the type of
 * nests is void.
 */
void fe_nest_split(struct fe_unit *u)
{
	const char *end = u->text + u->len, *p, *from = u->text;
	struct poly_str c = { 0 };
	struct fe_nest *last = NULL;
	char *rest, *alone;

	p = find(u->text, end);
	if (p == end)
		return;
	rest = fe_arena_text(&u->arena, u->text, u->len);
	alone = fe_arena_text(&u->arena, u->text, u->len);
	for (; p < end; p = find(from, end)) {
		blank(alone + (from - u->text), alone + (p - u->text));
		if (*p == 'n') {
			last = add_nest(u, last, p);
			memcpy(alone + (p - u->text), "void", 4);
		}
		from = skip_body(p, end);
		blank(rest + (p - u->text), rest + (from - u->text));
	}
	if (!last)
		return;
	blank(alone + (from - u->text), alone + u->len);
	nest_text(u->file, alone, u->len, &c);
	if (c.failed) {
		poly_str_free(&c);
		longjmp(u->arena.no_memory, 1);
	}
	u->nest_text = fe_arena_text(&u->arena, c.s, c.len);
	poly_str_free(&c);
	u->text = rest;
}

/* ----------------------------------------------------------------- notation */

/* A text of nests alone. */
static struct fe_unit *read_nests(const char *file, const char *text,
	size_t len, const struct fe_how *how, const struct fe_define *def,
	int n_def, struct poly_report *report)
{
	struct fe_how nests = { .original = text, .original_len = len,
		.function = how->function, .nests = true };
	struct poly_str c = { 0 };
	struct fe_unit *u;

	nest_text(file, text, len, &c);
	u = c.failed ? NULL : fe_read_c(file, c.s, c.len, &nests, def, n_def,
		report);
	if (c.failed)
		poly_report_add(report, MSG_NO_MEMORY, NULL, "the program");
	poly_str_free(&c);
	return u;
}

const struct fe_notation fe_notation_nests = {
	.name = "nests",
	.help = "loops in C with lists of the sizes and arrays that they take",
	.has = is_only_nests,
	.read = read_nests,
	.print_check = fe_c_print_check,
	.lower = fe_c_lower_unit,
	.executor = &fe_c_executor,
};
