/* Literals of C: integers, floats, characters.
 *
 * A literal has the value and the type that C gives it. One that C gives none,
 * because no type holds it, is an error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/c/read/read.h"

static struct fe_c_expr *no_number(struct fe_c_parse *p)
{
	FE_C_ERROR(p, FE_NUMBER_FORM, &p->t->loc, p->t->len, p->t->text, "");
	return NULL;
}

static struct fe_c_expr *wrong(struct fe_c_parse *p, const char *why)
{
	FE_C_ERROR(p, FE_C_LITERAL, &p->t->loc, why);
	return NULL;
}

/* The value of the digit "c", or 99. */
static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* ---------------------------------------------------------------- floats */

/* Does "text" have the point or the exponent of a float? */
static bool is_floating(const char *text)
{
	bool hex = !strncasecmp(text, "0x", 2);

	return strpbrk(text, hex ? ".pP" : ".eE") != NULL;
}

/* Is a digit of "text" in front of the exponent other than 0? */
static bool is_positive(const char *text)
{
	bool hex = !strncasecmp(text, "0x", 2);

	for (text += hex ? 2 : 0; digit(*text) < (hex ? 16 : 10) ||
	     *text == '.'; text++)
		if (*text != '0' && *text != '.')
			return true;
	return false;
}

/* Why the literal "text" is not "value", or NULL. */
static const char *out_of_range(const char *text, double value,
	enum poly_type type)
{
	bool single = type == POLY_F32;

	if (isinf(value))
		return single ?
			"it is larger than every float; math.h has INFINITY" :
			"it is larger than every double; math.h has INFINITY";
	if (value == 0 && is_positive(text))
		return single ? "it is so small that 0 is the nearest float" :
			"it is so small that 0 is the nearest double";
	return NULL;
}

/* The type that the suffix "end" of a float gives it, POLY_BOOL: none. One of
 * type _Float16 is computed with as a float (c_expr.c).
 */
static enum poly_type float_type(const char *end)
{
	static const struct {
		const char *text;
		enum poly_type type;
	} suffix[] = {
		{ "", POLY_F64 }, { "f", POLY_F32 }, { "f16", POLY_F32 },
		{ "f32", POLY_F32 }, { "f64", POLY_F64 }, { "f32x", POLY_F64 },
	};
	size_t i;

	for (i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (!strcasecmp(end, suffix[i].text))
			return suffix[i].type;
	return POLY_BOOL;
}

/* The float constant "text"; NULL, having reported why it is none or is no
 * value of its type.
 */
static struct fe_c_expr *floating(struct fe_c_parse *p, const char *text)
{
	enum poly_type type;
	struct fe_c_expr *e;
	const char *why;
	double value;
	char *end;

	if (!strncasecmp(text, "0x", 2) && !strpbrk(text, "pP"))
		return wrong(p, "a hexadecimal float needs an exponent, as in "
			"0x1.8p0");
	value = strtod(text, &end);
	type = float_type(end);
	if (!strcasecmp(end, "l"))
		FE_C_ERROR(p, FE_C_TYPE, &p->t->loc, "a long double");
	if (type == POLY_BOOL)
		return no_number(p);
	if (type == POLY_F32)
		value = strtof(text, &end);
	if (!strcasecmp(end, "f16") && value >= 65520)
		return wrong(p, "it is larger than every _Float16");
	why = out_of_range(text, value, type);
	if (why)
		return wrong(p, why);
	e = fe_c_node(p, FE_C_FLOAT, type, &p->t->loc);
	e->value = value;
	return e;
}

/* --------------------------------------------------------------- integers */

/* The first of int, unsigned, long, unsigned long that holds "value" and that
 * the suffix and base allow; POLY_BOOL: none.
 */
static enum poly_type integer_type(uint64_t value, bool decimal, bool is_u,
	bool is_l)
{
	if (!is_l && !is_u && value <= INT32_MAX)
		return POLY_I32;
	if (!is_l && (is_u || !decimal) && value <= UINT32_MAX)
		return POLY_U32;
	if (!is_u && value <= INT64_MAX)
		return POLY_I64;
	return is_u || !decimal ? POLY_U64 : POLY_BOOL;
}

/* Read "u", "l", "ll" in any order and case; false if there is more. */
static bool suffix(const char *text, bool *is_u, bool *is_l)
{
	const char *l;

	*is_u = *text == 'u' || *text == 'U';
	l = text + *is_u;
	text = l + (*l == 'l' || *l == 'L');
	*is_l = text > l;
	text += *is_l && *text == *l;
	if (!*is_u && (*text == 'u' || *text == 'U')) {
		*is_u = true;
		text++;
	}
	return !*text;
}

/* Read digits of "base" to "*value"; false if that does not hold them. */
static bool read_digits(const char **text, int base, uint64_t *value)
{
	bool fits = true;

	for (*value = 0; digit(**text) < base; (*text)++)
		fits &= !__builtin_mul_overflow(*value, base, value) &&
			!__builtin_add_overflow(*value, digit(**text), value);
	return fits;
}

/* The integer constant "text" of base 2, 8, 10 or 16, in the first type that
 * holds it; NULL, having reported why there is none.
 */
static struct fe_c_expr *integer(struct fe_c_parse *p, const char *text)
{
	bool decimal = *text != '0', is_u, is_l, fits;
	int base = decimal ? 10 : 8;
	enum poly_type type;
	const char *begin;
	uint64_t value;

	if (!strncasecmp(text, "0x", 2) || !strncasecmp(text, "0b", 2)) {
		base = text[1] == 'x' || text[1] == 'X' ? 16 : 2;
		text += 2;
	}
	begin = text;
	fits = read_digits(&text, base, &value);
	if (text == begin || !suffix(text, &is_u, &is_l))
		return no_number(p);
	if (!fits)
		return wrong(p, "it is larger than 18446744073709551615, the "
			"largest unsigned long");
	type = integer_type(value, decimal, is_u, is_l);
	if (type == POLY_BOOL)
		return wrong(p, "it is larger than 9223372036854775807, the "
			"largest long; with the suffix U it is unsigned");
	return fe_c_int(p->u, type, (int64_t)value, &p->t->loc);
}

/* ------------------------------------------------------------- characters */

/* The number behind a backslash at "*c"; "*c" is behind it then. False if it is
 * larger than "most".
 */
static bool escaped_number(const char **c, uint32_t most, uint32_t *value)
{
	bool hex = **c == 'x';
	const char *end = hex ? *c + 1 : *c;
	uint64_t n = 0;

	for (; digit(*end) < (hex ? 16 : 8) && (hex || end < *c + 3); end++)
		if (n <= most)
			n = n * (hex ? 16 : 8) + (uint64_t)digit(*end);
	*c = end;
	*value = (uint32_t)n;
	return n <= most;
}

/* The character at "*c", at most "most"; "*c" is behind it then. Returns why
 * there is none, or NULL.
 */
static const char *next_character(const char **c, uint32_t most,
	uint32_t *value)
{
	static const char escape[] = "a\ab\bf\fn\nr\rt\tv\ve\033E\033\\\\''"
		"\"\"??";
	const char *at = *c;
	size_t i;

	*value = (unsigned char)*(*c)++;
	if (*value > 127)
		return "it has a character outside of ASCII";
	if (*at++ != '\\')
		return NULL;
	if (digit(*at) < 8 || (*at == 'x' && digit(at[1]) < 16)) {
		*c = at;
		return escaped_number(c, most, value) ? NULL :
			"no character has the number behind the backslash";
	}
	for (i = 0; i + 1 < sizeof(escape); i += 2)
		if (escape[i] == *at) {
			*value = (unsigned char)escape[i + 1];
			*c = at + 1;
			return NULL;
		}
	return "there is no such character behind a backslash";
}

/* 'a', or up to four characters, of which the first counts most; with a prefix
 * one, which has another type.
 */
static struct fe_c_expr *character(struct fe_c_parse *p)
{
	const char *c = p->t->text, *end = c + p->t->len - 1, *why;
	bool plain = *c == '\'';
	enum poly_type type = *c == 'u' ? POLY_U16 : *c == 'U' ? POLY_U32 :
		POLY_I32;
	uint32_t most = plain ? 0xff : type == POLY_U16 ? 0xffff : 0xffffffff;
	uint32_t value = 0, one;
	int n = 0;

	if (*end != '\'')
		return no_number(p);
	for (c += plain ? 1 : 2; c < end; n++) {
		why = next_character(&c, most, &one);
		if (why)
			return wrong(p, why);
		value = value << 8 | one;
	}
	if (n < 1 || n > (plain ? 4 : 1))
		return wrong(p, n < 1 ? "it has no character" :
			"it has more characters than its type holds");
	if (n == 1)
		value = plain && !p->src->unsigned_char ?
			(uint32_t)(int8_t)one : one;
	return fe_c_int(p->u, type, (int32_t)value, &p->t->loc);
}

struct fe_c_expr *fe_c_literal(struct fe_c_parse *p)
{
	const char *text;

	if (p->t->kind == FE_C_TEXT)
		return character(p);
	text = fe_arena_text(&p->u->arena, p->t->text, (size_t)p->t->len);
	return is_floating(text) ? floating(p, text) : integer(p, text);
}
