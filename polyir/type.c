/* Element types: the questions that can be asked of a row of type.def. */
#include <string.h>

#include "polyir/polyir.h"

static const struct {
	const char *name;
	int bytes;
	enum poly_class class;
	int digits;
} table[POLY_N_TYPE] = {
#define TYPE(id, name, bytes, class, digits) \
	{ name, bytes, POLY_CLASS_##class, digits },
#include "polyir/type.def"
#undef TYPE
};

const char *poly_type_name(enum poly_type t)
{
	return table[t].name;
}

int poly_type_size(enum poly_type t)
{
	return table[t].bytes;
}

enum poly_class poly_type_class(enum poly_type t)
{
	return table[t].class;
}

bool poly_type_is_float(enum poly_type t)
{
	return table[t].class == POLY_CLASS_FLOAT;
}

int poly_type_digits(enum poly_type t)
{
	return table[t].digits;
}

enum poly_type poly_type_compute(enum poly_type t)
{
	switch (t) {
	case POLY_F16:
	case POLY_BF16:
		return POLY_F32;
	case POLY_I8:
	case POLY_I16:
		return POLY_I32;
	case POLY_U8:
	case POLY_U16:
		return POLY_U32;
	default:
		return t;
	}
}

enum poly_type poly_type_find(const char *name)
{
	int t;

	for (t = 0; t < POLY_N_TYPE; t++)
		if (!strcmp(table[t].name, name))
			break;
	return (enum poly_type)t;
}
