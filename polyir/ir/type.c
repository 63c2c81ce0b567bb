/* Element types: the questions that can be asked of a row of type.def.
 *
 * A row has the name in texts, the bytes in memory, the class, and the digits
 * of the significand with the leading 1 (24 of f32). What depends on the
 * target, as which types have matrix units, is in nvptx.
 */
#include <math.h>
#include <string.h>

#include "polyir/ir/ir.h"

static const struct {
	const char *name;
	int bytes;
	enum poly_class class;
	int digits;
} table[POLY_N_ALL_TYPES] = {
#define TYPE(id, name, bytes, class, digits) \
	[POLY_##id] = { name, bytes, POLY_CLASS_##class, digits },
#include "polyir/ir/type.def"
#undef TYPE
	[POLY_N_TYPE] = { "", 1, POLY_CLASS_WORDS, 0 },
	/* names that no text in one of the notations can have */
	[POLY_WORDS_1] = { "words.1", 4, POLY_CLASS_WORDS, 0 },
	[POLY_WORDS_2] = { "words.2", 8, POLY_CLASS_WORDS, 0 },
	[POLY_WORDS_4] = { "words.4", 16, POLY_CLASS_WORDS, 0 },
	[POLY_WORDS_8] = { "words.8", 32, POLY_CLASS_WORDS, 0 },
};

const char *poly_type_name(enum poly_type t)
{
	return table[t].name;
}

const char *poly_type_names(void)
{
#define TYPE(id, name, bytes, class, digits) " " name
	return
#include "polyir/ir/type.def"
		;
#undef TYPE
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

/* As C does with its small integers: no hardware has 8-bit registers, and
 * 16-bit floats would round after each operation.
 */
enum poly_type poly_type_compute(enum poly_type t)
{
	bool small = table[t].bytes < table[POLY_I32].bytes;

	switch (table[t].class) {
	case POLY_CLASS_FLOAT:
		return table[t].digits < table[POLY_F32].digits ? POLY_F32 : t;
	case POLY_CLASS_INT:
		return small ? POLY_I32 : t;
	case POLY_CLASS_UINT:
		return small ? POLY_U32 : t;
	default:
		return t;
	}
}

/* A float's part is kept wide, so that putting parts together rounds once;
 * integers wrap alike whether narrow or wide, so the narrow one saves memory.
 */
enum poly_type poly_type_partial(enum poly_type t)
{
	return poly_type_is_float(t) ? poly_type_compute(t) : t;
}

/* The bits of "x" as a float with "digits" digits in "width" bits: sign,
 * exponent, fraction. Only for formats narrower than f64.
 *
 * IEEE 754 section 3.4: biased exponent, fraction without its leading 1,
 * subnormals below 1 - bias. Rounding is to nearest even, by rint, after the
 * value has been scaled so that its last digit is the unit; a carry out of the
 * fraction adds 1 to the exponent by itself. What has more than "most" for bits is
 * "beyond".
 */
static uint64_t narrow_bits(double x, int digits, int width, uint64_t most,
	uint64_t beyond)
{
	int bias = (1 << (width - digits - 1)) - 1, e, low;
	uint64_t sign = signbit(x) ? (uint64_t)1 << (width - 1) : 0, n;

	if (isinf(x) || x == 0)
		return sign | (x == 0 ? 0 : beyond);
	e = ilogb(x);
	/* a subnormal has the exponent of the smallest normal number */
	low = e < 1 - bias ? 1 - bias : e;
	if (low > bias + 1)
		return sign | beyond;
	n = (uint64_t)rint(scalbn(fabs(x), digits - 1 - low));
	n += (uint64_t)(low + bias - 1) << (digits - 1);
	return sign | (n > most ? beyond : n);
}

/* "x" with the digits of tf32, to the nearest one, of two the larger. */
static double to_tf32(double x)
{
	enum { LOW = -126, DIGITS = 11 };
	int e = x == 0 || !isfinite(x) ? 0 : ilogb(x);
	double unit = ldexp(1, (e < LOW ? LOW : e) + 1 - DIGITS);

	return round(x / unit) * unit;
}

/* tf32 are the bits of an f32, the low 13 of which are 0. The formats of 8 bits have no number beyond the largest, which stands for all such;
 * of their bits that are no number the one is taken that the hardware makes.
 */
uint64_t poly_type_bits(enum poly_type t, double value)
{
	enum { NAN_8 = 0x7f, MOST_E4M3 = 0x7e, MOST_E5M2 = 0x7b };
	int digits = table[t].digits, width = 8 * table[t].bytes;
	uint64_t bits, inf;

	if (t == POLY_F64) {
		memcpy(&bits, &value, sizeof(bits));
		return bits;
	}
	if (t == POLY_TF32)
		return poly_type_bits(POLY_F32, to_tf32(value));
	if (width == 8) {
		bits = t == POLY_F8E4M3 ? MOST_E4M3 : MOST_E5M2;
		return isnan(value) ? NAN_8 : narrow_bits(value, digits, width,
			bits, bits);
	}
	inf = ((uint64_t)1 << (width - 1)) - ((uint64_t)1 << (digits - 1));
	/* the quiet one, positive */
	return isnan(value) ? inf | (uint64_t)1 << (digits - 2) :
		narrow_bits(value, digits, width, inf - 1, inf);
}

/* Linear: there are a dozen types, and names are looked up when a text is read.
 */
enum poly_type poly_type_find(const char *name)
{
	for (int t = 0; t < POLY_N_ALL_TYPES; t++)
		if (*name && !strcmp(table[t].name, name))
			return (enum poly_type)t;
	return POLY_N_TYPE;
}

enum poly_type poly_type_words(int n)
{
	for (int t = POLY_WORDS_1; t < POLY_N_ALL_TYPES; t++)
		if (n <= poly_type_n_words((enum poly_type)t))
			return (enum poly_type)t;
	return POLY_N_TYPE;
}

int poly_type_n_words(enum poly_type t)
{
	return (table[t].bytes + POLY_WORD - 1) / POLY_WORD;
}

bool poly_type_is_words(enum poly_type t)
{
	return t > POLY_N_TYPE;
}
