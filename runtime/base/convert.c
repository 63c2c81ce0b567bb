/* Conversions between f32 and the formats of 16 and 8 bits.
 *
 * Ours, because the compiler's helper functions for them are not in every
 * libgcc. All round to nearest, ties to even; a NaN stays a NaN (and becomes
 * a quiet one when narrowed), what is too large becomes infinite, and what
 * is too small becomes a subnormal or zero. Signs are kept. In 8 bits there is one
 * NaN, 0x7f, and what is too large becomes the largest number, as GPUs have it.
 */
#include <string.h>
#include "runtime/base/convert.h"
#include "runtime/host_abi.h"

static uint32_t bits_of(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static float float_of(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

/* "u" without its low "n" bits, 1 <= n <= 31, rounded to nearest even. */
static uint32_t round_bits(uint32_t u, unsigned n)
{
	uint32_t half = (1u << (n - 1)) - 1;

	return (uint32_t) (((uint64_t) u + half + ((u >> n) & 1)) >> n);
}

/* f32 has 8 bits of exponent and 23 of fraction, f16 5 and 10: a normal
 * number drops 13 bits of fraction after its exponent was moved by
 * 127 - 15; a carry out of the fraction goes into the exponent, where it
 * belongs. Below 2^-14, the fraction with its hidden bit is shifted down to
 * units of 2^-24.
 */
uint16_t cetane_host_f32_to_f16(float x)
{
	uint32_t u = bits_of(x), sign = (u >> 16) & 0x8000;
	unsigned exponent;

	u &= 0x7fffffff;
	if (u > 0x7f800000)
		return (uint16_t) (sign | 0x7e00 | ((u >> 13) & 0x3ff));
	if (u >= 0x477ff000)
		return (uint16_t) (sign | 0x7c00);
	if (u >= 0x38800000)
		return (uint16_t) (sign | round_bits(u - (112u << 23), 13));
	exponent = u >> 23;
	if (exponent < 102)
		return (uint16_t) sign;
	u = (u & 0x7fffff) | 0x800000;
	return (uint16_t) (sign | round_bits(u, 126 - exponent));
}

float cetane_host_f16_to_f32(uint16_t x)
{
	uint32_t sign = (uint32_t) (x & 0x8000) << 16, u = x & 0x7fff;

	if (u >= 0x7c00)
		return float_of(sign | 0x7f800000 | (u & 0x3ff) << 13);
	if (u >= 0x400)
		return float_of(sign | ((u << 13) + (112u << 23)));
	return float_of(sign | bits_of((float) u * 0x1p-24f));
}

/* bf16 is the upper half of f32. */
uint16_t cetane_host_f32_to_bf16(float x)
{
	uint32_t u = bits_of(x);

	if ((u & 0x7fffffff) > 0x7f800000)
		return (uint16_t) (u >> 16 | 0x40);
	return (uint16_t) round_bits(u, 16);
}

float cetane_host_bf16_to_f32(uint16_t x)
{
	return float_of((uint32_t) x << 16);
}

/* tf32 has the low 13 bits of f32 zero. A number in the middle goes to the larger one,
 * which is what GPUs have; a NaN has all other bits.
 */
uint32_t cetane_host_f32_to_tf32(float x)
{
	uint32_t u = bits_of(x);

	return ((u & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : u + 0x1000) &
		~0x1fffu;
}

float cetane_host_tf32_to_f32(uint32_t x)
{
	return float_of(x & ~0x1fffu);
}

/* "u", of an f32 without its sign, in 8 bits: "digits" of fraction, and what is less
 * by 127 - 15 or 127 - 7 in the exponent, "shift". Below the normal numbers the unit is
 * that of the smallest one. "most" is the f32 of the largest number, "beyond" its bits.
 */
static uint32_t eighth_bits(uint32_t u, unsigned digits, unsigned shift,
	uint32_t most, uint32_t beyond)
{
	unsigned exponent = u >> 23, drop = 23 - digits;

	if (u > most)
		return u > 0x7f800000 ? 0x7f : beyond;
	if (exponent > shift)
		return round_bits(u - (shift << 23), drop);
	if (exponent + 1 + digits <= shift)
		return 0;
	return round_bits((u & 0x7fffff) | 0x800000,
		drop + shift + 1 - exponent);
}

/* 4 bits of exponent and 3 of fraction; bits that would be infinite are numbers. */
uint8_t cetane_host_f32_to_e4m3(float x)
{
	uint32_t u = bits_of(x), n = eighth_bits(u & 0x7fffffff, 3, 120,
		0x43e00000, 0x7e);

	return (uint8_t) (n == 0x7f ? n : n | (u >> 24 & 0x80));
}

float cetane_host_e4m3_to_f32(uint8_t x)
{
	uint32_t sign = (uint32_t) (x & 0x80) << 24, u = x & 0x7f;

	if (u == 0x7f)
		return float_of(sign | 0x7fc00000);
	if (u >= 8)
		return float_of(sign | ((u << 20) + (120u << 23)));
	return float_of(sign | bits_of((float) u * 0x1p-9f));
}

/* 5 bits of exponent and 2 of fraction: the upper half of f16. */
uint8_t cetane_host_f32_to_e5m2(float x)
{
	uint32_t u = bits_of(x), n = eighth_bits(u & 0x7fffffff, 2, 112,
		0x47600000, 0x7b);

	return (uint8_t) (n == 0x7f ? n : n | (u >> 24 & 0x80));
}

float cetane_host_e5m2_to_f32(uint8_t x)
{
	return cetane_host_f16_to_f32((uint16_t) (x << 8));
}

double cetane_rt_float_load(const char *type, const void *data, int64_t i)
{
	if (!strcmp(type, "f64"))
		return ((const double *) data)[i];
	if (!strcmp(type, "f32"))
		return ((const float *) data)[i];
	if (!strcmp(type, "tf32"))
		return cetane_host_tf32_to_f32(((const uint32_t *) data)[i]);
	if (!strcmp(type, "f8e4m3"))
		return cetane_host_e4m3_to_f32(((const uint8_t *) data)[i]);
	if (!strcmp(type, "f8e5m2"))
		return cetane_host_e5m2_to_f32(((const uint8_t *) data)[i]);
	return !strcmp(type, "f16") ?
		cetane_host_f16_to_f32(((const uint16_t *) data)[i]) :
		cetane_host_bf16_to_f32(((const uint16_t *) data)[i]);
}

void cetane_rt_float_store(const char *type, void *data, int64_t i, double x)
{
	if (!strcmp(type, "f64"))
		((double *) data)[i] = x;
	else if (!strcmp(type, "f32"))
		((float *) data)[i] = (float) x;
	else if (!strcmp(type, "tf32"))
		((uint32_t *) data)[i] = cetane_host_f32_to_tf32((float) x);
	else if (!strcmp(type, "f8e4m3"))
		((uint8_t *) data)[i] = cetane_host_f32_to_e4m3((float) x);
	else if (!strcmp(type, "f8e5m2"))
		((uint8_t *) data)[i] = cetane_host_f32_to_e5m2((float) x);
	else if (!strcmp(type, "f16"))
		((uint16_t *) data)[i] = cetane_host_f32_to_f16((float) x);
	else
		((uint16_t *) data)[i] = cetane_host_f32_to_bf16((float) x);
}
