/* Numbers of C: literals, and integer arithmetic as the machine does it.
 *
 * An integer of any type is held in 64 bits, sign or zero extended. What C
 * leaves undefined is defined as everywhere in the compiler (polyir/op.def):
 * signed integers wrap, a quotient by 0 is 0, shifts take the count modulo the
 * width.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/c_internal.h"

int64_t fe_c_wrap(enum poly_type t, int64_t x)
{
	switch (t) {
	case POLY_BOOL:
		return x != 0;
	case POLY_I8:
		return (int8_t)x;
	case POLY_U8:
		return (uint8_t)x;
	case POLY_I16:
		return (int16_t)x;
	case POLY_U16:
		return (uint16_t)x;
	case POLY_I32:
		return (int32_t)x;
	case POLY_U32:
		return (uint32_t)x;
	default:
		return x;
	}
}

static bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

static bool is_less(enum poly_type t, int64_t a, int64_t b)
{
	return is_signed(t) ? a < b : (uint64_t)a < (uint64_t)b;
}

static int64_t divide(enum poly_type t, int64_t a, int64_t b, bool rest)
{
	if (b == 0)
		return 0;
	if (!is_signed(t))
		return rest ? (int64_t)((uint64_t)a % (uint64_t)b) :
			(int64_t)((uint64_t)a / (uint64_t)b);
	if (b == -1)
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

static int64_t shift(enum poly_type t, int64_t a, int64_t b, bool left)
{
	int count = (int)(b & (8 * poly_type_size(t) - 1));

	if (left)
		return (int64_t)((uint64_t)a << count);
	return is_signed(t) ? a >> count : (int64_t)((uint64_t)a >> count);
}

int64_t fe_c_apply(enum poly_op op, enum poly_type t, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case POLY_OP_ADD:
		return fe_c_wrap(t, (int64_t)(x + y));
	case POLY_OP_SUB:
		return fe_c_wrap(t, (int64_t)(x - y));
	case POLY_OP_MUL:
		return fe_c_wrap(t, (int64_t)(x * y));
	case POLY_OP_NEG:
		return fe_c_wrap(t, (int64_t)(0 - x));
	case POLY_OP_NOT:
		return fe_c_wrap(t, (int64_t)~x);
	case POLY_OP_AND:
		return a & b;
	case POLY_OP_OR:
		return a | b;
	case POLY_OP_XOR:
		return a ^ b;
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return fe_c_wrap(t, divide(t, a, b, op == POLY_OP_REM));
	case POLY_OP_SHL:
	case POLY_OP_SHR:
		return fe_c_wrap(t, shift(t, a, b, op == POLY_OP_SHL));
	case POLY_OP_LT:
		return is_less(t, a, b);
	case POLY_OP_LE:
		return !is_less(t, b, a);
	case POLY_OP_EQ:
		return a == b;
	case POLY_OP_NE:
		return a != b;
	case POLY_OP_ABS:
		return a < 0 ? fe_c_wrap(t, (int64_t)(0 - x)) : a;
	case POLY_OP_MIN:
		return is_less(t, a, b) ? a : b;
	case POLY_OP_MAX:
		return is_less(t, a, b) ? b : a;
	default:
		return 0;
	}
}

/* -------------------------------------------------------------- literals */

static struct fe_c_expr *bad_number(struct fe_c_parse *p)
{
	FE_C_ERROR(p, FE_NUMBER_FORM, &p->t->loc, p->t->len, p->t->text);
	return NULL;
}

static struct fe_c_expr *floating(struct fe_c_parse *p, const char *text)
{
	struct fe_c_expr *e;
	double value;
	char *end;

	value = strtod(text, &end);
	if (!strcasecmp(end, "f"))
		value = strtof(text, &end);
	if (!strcasecmp(end, "l")) {
		FE_C_ERROR(p, FE_C_TYPE, &p->t->loc,
			"a long double");
		return NULL;
	}
	if (*end && strcasecmp(end, "f"))
		return bad_number(p);
	e = fe_c_node(p, FE_C_FLOAT, *end ? POLY_F32 : POLY_F64, &p->t->loc);
	e->value = value;
	return e;
}

/* The first of int, unsigned, long, unsigned long that holds "value" and that
 * the suffix and base allow.
 */
static enum poly_type integer_type(uint64_t value, bool decimal, bool is_u,
	bool is_l)
{
	if (!is_l && !is_u && value <= INT32_MAX)
		return POLY_I32;
	if (!is_l && (is_u || !decimal) && value <= UINT32_MAX)
		return POLY_U32;
	return !is_u && value <= INT64_MAX ? POLY_I64 : POLY_U64;
}

static struct fe_c_expr *integer(struct fe_c_parse *p, const char *text)
{
	bool binary = !strncasecmp(text, "0b", 2);
	bool decimal = *text != '0', is_u = false;
	int n_l = 0, n_u = 0;
	uint64_t value;
	char *end;

	value = strtoull(binary ? text + 2 : text, &end, binary ? 2 : 0);
	for (; *end; end++) {
		if (*end == 'u' || *end == 'U')
			is_u = ++n_u;
		else if (*end == 'l' || *end == 'L')
			n_l++;
		else
			return bad_number(p);
	}
	if (n_u > 1 || n_l > 2)
		return bad_number(p);
	return fe_c_int(p, integer_type(value, decimal, is_u, n_l > 0),
		(int64_t)value, &p->t->loc);
}

static struct fe_c_expr *character(struct fe_c_parse *p)
{
	const char *text = p->t->text;
	static const char escape[] = "0\0n\nt\tr\r\\\\''";
	size_t i;

	if (*text == '\'' && p->t->len == 3)
		return fe_c_int(p, POLY_I32, text[1], &p->t->loc);
	if (*text == '\'' && p->t->len == 4 && text[1] == '\\')
		for (i = 0; i + 1 < sizeof(escape); i += 2)
			if (escape[i] == text[2])
				return fe_c_int(p, POLY_I32, escape[i + 1],
					&p->t->loc);
	return bad_number(p);
}

struct fe_c_expr *fe_c_literal(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	char text[128];
	bool hex;

	if (t->kind == FE_C_TEXT)
		return character(p);
	if ((size_t)t->len >= sizeof(text))
		return bad_number(p);
	memcpy(text, t->text, (size_t)t->len);
	text[t->len] = '\0';
	hex = !strncasecmp(text, "0x", 2);
	if (strpbrk(text, hex ? ".pP" : ".eE"))
		return floating(p, text);
	return integer(p, text);
}
