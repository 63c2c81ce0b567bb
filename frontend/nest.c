/* A file of the language that is a nest, or several:
 *
 *	nest f(param N, const f64 b[N], f64 x[N]) { .. }
 *
 * is read as C, in which the names of types and sizes are declared, and comments
 * from # on are left out. Lines in front of the text tell where it stands, as those
 * of a preprocessor.
 */
#include <ctype.h>
#include <string.h>

#include "frontend/frontend_internal.h"

static const char declared[] =
	"typedef void nest; typedef long param;\n"
	"typedef float f32; typedef double f64;\n"
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

bool fe_is_nest(const char *text, size_t len)
{
	return begins(skip(text, text + len), text + len);
}

/* "nest f(" means nothing else wherever it stands. */
bool fe_has_nest(const char *text, size_t len, struct poly_loc *loc)
{
	const char *end = text + len, *p = skip(text, end), *q;

	while (p < end) {
		q = begins(p, end) ? skip_name(skip(p + 4, end), end) : end;
		q = skip(q, end);
		if (q < end && *q == '(')
			break;
		p = skip(is_name(p, end) ? skip_name(p, end) : p + 1, end);
	}
	*loc = (struct poly_loc) { 1, 1, 4 };
	for (q = text; q < p; q++) {
		loc->col = *q == '\n' ? 1 : loc->col + 1;
		loc->line += *q == '\n';
	}
	return p < end;
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

void fe_nest_text(const char *file, const char *text, size_t len,
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
