/* Conversions between f32 and the 16-bit formats.
 *
 * Ours, because the compiler's helper functions for them are not in every
 * libgcc. All round to nearest, ties to even; a NaN stays a NaN (and becomes
 * a quiet one when narrowed), what is too large becomes infinite, and what
 * is too small becomes a subnormal or zero. Signs are kept.
 */
#include <string.h>
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
