/* Names of files in the line markers of a preprocessor, # 12 "name" 1, where
 * quotes, backslashes and bytes that do not print may be written by a backslash.
 *
 * The compiler hands the preprocessor the name of the source with "?" in the place
 * of control bytes, which would tear lines apart.
 */
#include <string.h>

#include "frontend/frontend.h"

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_octal(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '7';
}

/* Add what the escape sequence at "p", behind its backslash, is; returns what
 * follows it.
 */
static const char *unescape(const char *p, const char *end,
	struct poly_str *name)
{
	char c = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
	int i, value = 0;

	if (!is_octal(p, end)) {
		poly_str_addn(name, &c, 1);
		return p + 1;
	}
	for (i = 0; i < 3 && is_octal(p, end); i++)
		value = 8 * value + *p++ - '0';
	c = (char)value;
	poly_str_addn(name, &c, 1);
	return p;
}

bool fe_marker_read(const char *text, const char *end, struct poly_str *name)
{
	for (text++; text < end && *text != '"' && *text != '\n'; ) {
		if (*text == '\\' && text + 1 < end) {
			text = unescape(text + 1, end, name);
			continue;
		}
		poly_str_addn(name, text++, 1);
	}
	return text < end && *text == '"' && name->s;
}

void fe_marker_write(const char *file, struct poly_str *out)
{
	for (; *file; file++) {
		if (*file == '"' || *file == '\\')
			poly_str_add(out, "\\");
		poly_str_addn(out, is_control(*file) ? "?" : file, 1);
	}
}

size_t fe_marker_match(const char *name, const char *file)
{
	size_t n;

	for (n = 0; file[n]; n++)
		if (name[n] != (is_control(file[n]) ? '?' : file[n]))
			return 0;
	return n;
}
