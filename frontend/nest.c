/* A file of the language that is one nest:
 *
 *	nest f(param N, const f64 b[N], f64 x[N]) { .. }
 *
 * is read as C, in which the names of types and sizes are declared. Lines in
 * front of the text tell where it stands, as those of a preprocessor.
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

/* Past space and comments. */
static const char *skip(const char *p, const char *end)
{
	while (p < end) {
		const char *from = p;

		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p + 1 < end && p[0] == '/' && p[1] == '/')
			while (p < end && *p != '\n')
				p++;
		if (p + 1 < end && p[0] == '/' && p[1] == '*') {
			for (p += 2; p + 1 < end && (p[0] != '*' ||
			     p[1] != '/'); p++)
				;
			p = p + 2 < end ? p + 2 : end;
		}
		if (p == from)
			break;
	}
	return p;
}

bool fe_is_nest(const char *text, size_t len)
{
	const char *end = text + len, *p = skip(text, end);

	if (end - p < 5 || memcmp(p, "nest", 4) ||
	    !isspace((unsigned char)p[4]))
		return false;
	p = skip(p + 4, end);
	return p < end && (isalpha((unsigned char)*p) || *p == '_');
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
	poly_str_addn(out, text, len);
}
