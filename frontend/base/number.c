/* Numbers as the element types have them: loading and rounding.
 *
 * Everything here is exact or rounded once. Values of all types fit a double.
 *
 * Independent of the compiler's own arithmetic (nvptx), since the interpreter
 * checks that. Literals are rounded by fe_number_round before a program is lowered, where
 * they take their types: index/tensor/type.c, matrix/shape.c, parallel/par_types.c; those of
 * C have C's value (c/read/c_literal.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "frontend/base/base.h"

/* Binary digits, the exponent of the smallest normal number; unit roundoff, the
 * smallest number and the largest.
 *
 * "low" is the exponent of the smallest normal number 2^low; "tiny" the
 * smallest subnormal.
 */
struct format {
	int digits, low;
	long double unit, tiny, max;
};

/* The format of the float type "t"; of others, that of f64, in which they are
 * computed.
 *
 * IEEE 754 table 3.5 for f16, f32 and f64; bf16 is the upper half of f32, f8e5m2 that
 * of f16; tf32 has the exponents of f32. f8e4m3 has numbers where others have infinities.
 */
static const struct format *format_of(enum poly_type t)
{
	static const struct format e4m3 = { 4, -6, 0x1p-4L, 0x1p-9L, 448 };
	static const struct format e5m2 = { 3, -14, 0x1p-3L, 0x1p-16L, 57344 };
	static const struct format f16 = { 11, -14, 0x1p-11L, 0x1p-24L,
		65504 };
	static const struct format bf16 = { 8, -126, 0x1p-8L, 0x1p-133L,
		0x1.fep127L };
	static const struct format tf32 = { 11, -126, 0x1p-11L, 0x1p-136L,
		0x1.ffcp127L };
	static const struct format f32 = { 24, -126, 0x1p-24L, 0x1p-149L,
		FLT_MAX };
	static const struct format f64 = { 53, -1022, 0x1p-53L, 0x1p-1074L,
		DBL_MAX };

	switch (t) {
	case POLY_F8E4M3:
		return &e4m3;
	case POLY_F8E5M2:
		return &e5m2;
	case POLY_F16:
		return &f16;
	case POLY_BF16:
		return &bf16;
	case POLY_TF32:
		return &tf32;
	case POLY_F32:
		return &f32;
	default:
		return &f64;
	}
}

/* The value of the 16 bits of an f16.
 *
 * Sign, 5 bits of exponent with a bias of 15, 10 of fraction.
 */
static double half_value(unsigned bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, x;

	if (exponent == 31)
		x = fraction ? NAN : INFINITY;
	else if (exponent)
		x = ldexp(1024 + fraction, exponent - 25);
	else
		x = ldexp(fraction, -24);
	return bits & 0x8000 ? -x : x;
}

/* Sign, 4 bits of exponent with a bias of 7, 3 of fraction; all of them: no number. */
static double e4m3_value(unsigned bits)
{
	int exponent = bits >> 3 & 15;
	double fraction = bits & 7, x;

	if ((bits & 127) == 127)
		x = NAN;
	else if (exponent)
		x = ldexp(8 + fraction, exponent - 10);
	else
		x = ldexp(fraction, -9);
	return bits & 128 ? -x : x;
}

/* Its bits are the upper ones of an f32. */
static double bfloat_value(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float x;

	memcpy(&x, &wide, sizeof(x));
	return x;
}

/* Its bits are the upper 19 of an f32; the others do not count. */
static double tfloat_value(uint32_t bits)
{
	float x;

	bits &= ~UINT32_C(0x1fff);
	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Types that are not here have their loads in value.c (fe_value_load). */
double fe_number_load(enum poly_type t, const void *data, int64_t i)
{
	switch (t) {
	case POLY_I8:
		return ((const int8_t *)data)[i];
	case POLY_I32:
		return ((const int32_t *)data)[i];
	case POLY_F8E4M3:
		return e4m3_value(((const uint8_t *)data)[i]);
	case POLY_F8E5M2:
		return half_value(256u * ((const uint8_t *)data)[i]);
	case POLY_F16:
		return half_value(((const uint16_t *)data)[i]);
	case POLY_BF16:
		return bfloat_value(((const uint16_t *)data)[i]);
	case POLY_TF32:
		return tfloat_value(((const uint32_t *)data)[i]);
	case POLY_F32:
		return ((const float *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

/* The 16 bits of an f16.
 *
 * "x" is a number of the format already: fe_number_round comes first.
 */
static uint16_t half_bits(double x)
{
	unsigned sign = signbit(x) ? 0x8000 : 0;
	int exponent;

	if (isnan(x))
		return (uint16_t)(sign | 0x7e00);
	x = fabs(x);
	if (isinf(x))
		return (uint16_t)(sign | 0x7c00);
	if (x < 0x1p-14)
		return (uint16_t)(sign | (unsigned)ldexp(x, 24));
	x = frexp(x, &exponent);
	return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 |
		((unsigned)ldexp(x, 11) & 1023));
}

/* The same, of an f8e4m3: the one of 127 numbers that it is. */
static uint8_t e4m3_bits(double x)
{
	unsigned bits = 0;

	if (isnan(x))
		return 127;
	while (e4m3_value(bits) < fabs(x))
		bits++;
	return (uint8_t)(bits | (signbit(x) ? 128 : 0));
}

/* The same. */
static uint16_t bfloat_bits(double x)
{
	float f = (float)x;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

void fe_number_save(enum poly_type t, void *data, int64_t i, double x)
{
	switch (t) {
	case POLY_F8E4M3:
		((uint8_t *)data)[i] = e4m3_bits(x);
		break;
	case POLY_F8E5M2:
		((uint8_t *)data)[i] = isnan(x) ? 127 : half_bits(x) >> 8;
		break;
	case POLY_F16:
		((uint16_t *)data)[i] = half_bits(x);
		break;
	case POLY_BF16:
		((uint16_t *)data)[i] = bfloat_bits(x);
		break;
	case POLY_TF32:
	case POLY_F32:
		((float *)data)[i] = (float)x;
		break;
	default:
		((double *)data)[i] = x;
		break;
	}
}

long double fe_number_max(enum poly_type t)
{
	return format_of(t)->max;
}

long double fe_number_tiny(enum poly_type t)
{
	return format_of(t)->tiny;
}

long double fe_number_unit(enum poly_type t)
{
	return format_of(t)->unit;
}

/* "x" rounded to the digits that a value of "t" of its size has.
 *
 * Rounding to nearest at the last digit, of two to the even one, of tf32 to the larger
 * one; below "low" that is the digit of subnormals. Values beyond the largest finite one,
 * after rounding, are infinite; in 8 bits they are that one, as infinite ones are.
 */
static double round_small(enum poly_type t, long double x)
{
	const struct format *f = format_of(t);
	long double unit, most = poly_type_size(t) == 1 ? f->max : INFINITY;
	int exponent;

	if (isinf(x))
		return (double)(x < 0 ? -most : most);
	if (x == 0 || isnan(x))
		return (double)x;
	frexpl(x, &exponent);
	exponent = exponent - 1 < f->low ? f->low : exponent - 1;
	unit = ldexpl(1, exponent + 1 - f->digits);
	x = (t == POLY_TF32 ? roundl(x / unit) : rintl(x / unit)) * unit;
	if (fabsl(x) > f->max)
		return (double)(x < 0 ? -most : most);
	return (double)x;
}

/* The low "bits" bits of "x", as a signed number.
 *
 * Two's complement, for types of less than 64 bits.
 */
static double wrap(int64_t x, int bits)
{
	int64_t span = (int64_t)1 << bits, low = x & (span - 1);

	return (double)(low >= span / 2 ? low - span : low);
}

/* Exactly one rounding, from long double. Integers wrap. */
double fe_number_round(enum poly_type t, long double x)
{
	switch (t) {
	case POLY_F64:
		return (double)x;
	case POLY_F32:
		return (float)x;
	case POLY_F8E4M3:
	case POLY_F8E5M2:
	case POLY_F16:
	case POLY_BF16:
	case POLY_TF32:
		return round_small(t, x);
	default:
		return wrap((int64_t)x, 8 * poly_type_size(t));
	}
}

/* Is "x" a value of "t" without rounding? For literals of integers. */
bool fe_number_fits(enum poly_type t, double x)
{
	int bits = 8 * poly_type_size(t);

	if (x != floor(x))
		return false;
	switch (poly_type_class(t)) {
	case POLY_CLASS_BOOL:
		return x == 0 || x == 1;
	case POLY_CLASS_UINT:
		return x >= 0 && x < ldexp(1, bits);
	default:
		return x >= -ldexp(1, bits - 1) && x < ldexp(1, bits - 1);
	}
}

bool fe_number_is_exact(const char *text, size_t n, int base)
{
	const uint64_t most = UINT64_C(1) << 53;
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < n && value <= most; i++) {
		char c = text[i];
		int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;

		value = value * (uint64_t)base + (uint64_t)digit;
	}
	return value <= most;
}
