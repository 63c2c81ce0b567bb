/* Floating-point operations that a processor may lack: x * y + z rounded once,
 * and rounding to whole numbers.
 *
 * Objects are made for the oldest processor of their kind, where a compiler
 * calls libm for these. Ours give the same bits, so that neither objects nor
 * this library need libm. fma is the instruction where the processor has one;
 * elsewhere the exact sum of product and addend is kept in 128 bits:
 *
 *	124..125                                      20         0
 *	|  product of two fractions of 53 digits       | 0 .... 0 |
 *	|  addend  | 0 ............................. 0 | lost: 1  |
 *
 * The lower of the two is shifted down to the exponent of the other. What
 * falls out then is far below the last digit of the result, and all that
 * matters is whether it is zero: its last bit stays set if it is not.
 */
#include <stdbool.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/host_abi.h"

__extension__ typedef unsigned __int128 cetane_rt_wide;

/* Digits of the significand, and the exponent of the least positive number. */
enum { DIGITS_F32 = 24, LEAST_F32 = -149, DIGITS_F64 = 53, LEAST_F64 = -1074 };

/* fraction * 2^exponent, its sign apart; 2^52 <= fraction < 2^53 */
struct parts {
	uint64_t fraction;
	int exponent;
	bool negative;
};

static uint64_t bits_of_double(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static double double_of(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

static int exponent_of(double x)
{
	return (int) (bits_of_double(x) >> 52 & 0x7ff);
}

static bool is_finite(double x)
{
	return exponent_of(x) != 0x7ff;
}

/* The parts of a number that is finite and not zero. */
static struct parts take_apart(double x)
{
	uint64_t u = bits_of_double(x), hidden = UINT64_C(1) << 52;
	uint64_t fraction = u & (hidden - 1);
	int exponent = exponent_of(x), shift;

	if (exponent)
		fraction |= hidden;
	else
		exponent = 1;
	shift = __builtin_clzll(fraction) - 11;
	return (struct parts) { fraction << shift, exponent - 1075 - shift,
		u >> 63 };
}

static double power_of_two(int n)
{
	return double_of((uint64_t) (n + 1023) << 52);
}

/* "u" shifted down by "n"; its last bit is set if a bit was lost. */
static cetane_rt_wide shift_down(cetane_rt_wide u, int n)
{
	cetane_rt_wide kept = n < 128 ? u >> n : 0;
	bool lost = n < 128 ? kept << n != u : u != 0;

	return kept | lost;
}

/* The number of the highest bit that is 1; "u" is not 0. */
static int highest_bit(cetane_rt_wide u)
{
	uint64_t high = (uint64_t) (u >> 64);

	return high ? 127 - __builtin_clzll(high) :
		63 - __builtin_clzll((uint64_t) u);
}

/* u * 2^exponent, 0 < u < 2^127, rounded to nearest, ties to even, to a number
 * of so many digits that is a multiple of 2^least.
 */
static double round_to(cetane_rt_wide u, int exponent, int digits, int least)
{
	int drop = highest_bit(u) - (digits - 1);
	cetane_rt_wide half, rest;
	uint64_t kept;

	if (drop < least - exponent)
		drop = least - exponent;
	if (drop > 127)
		return 0;
	if (drop <= 0) {
		kept = (uint64_t) (u << -drop);
	} else {
		half = (cetane_rt_wide) 1 << (drop - 1);
		rest = u & (2 * half - 1);
		kept = (uint64_t) (u >> drop);
		kept += rest > half || (rest == half && (kept & 1));
	}
	exponent += drop;
	return (double) kept * power_of_two(exponent / 2) *
		power_of_two(exponent - exponent / 2);
}

/* x * y + z, finite and not zero, rounded by round_to. */
static double multiply_add(double x, double y, double z, int digits, int least)
{
	struct parts a = take_apart(x), b = take_apart(y), c = take_apart(z);
	cetane_rt_wide product = (cetane_rt_wide) a.fraction * b.fraction << 20;
	cetane_rt_wide addend = (cetane_rt_wide) c.fraction << 72, sum;
	int exponent = a.exponent + b.exponent - 20;
	int down = exponent - (c.exponent - 72);
	bool negative = a.negative != b.negative, opposite;

	opposite = negative != c.negative;
	if (down < 0) {
		product = shift_down(product, -down);
		exponent -= down;
	} else {
		addend = shift_down(addend, down);
	}
	if (!opposite) {
		sum = product + addend;
	} else if (product >= addend) {
		sum = product - addend;
	} else {
		sum = addend - product;
		negative = c.negative;
	}
	if (!sum)
		return 0;
	return round_to(sum, exponent, digits, least) * (negative ? -1 : 1);
}

/* Is the product 0, infinite or not a number, so that two operators do? */
static bool is_easy(double x, double y)
{
	return x == 0 || y == 0 || !is_finite(x) || !is_finite(y);
}

double cetane_rt_fma_exact(double x, double y, double z)
{
	if (is_easy(x, y))
		return x * y + z;
	if (!is_finite(z))
		return z;
	return z == 0 ? x * y :
		multiply_add(x, y, z, DIGITS_F64, LEAST_F64);
}

float cetane_rt_fmaf_exact(float x, float y, float z)
{
	if (is_easy(x, y))
		return x * y + z;
	if (!is_finite(z))
		return z;
	return z == 0 ? x * y : (float) multiply_add(x, y, z, DIGITS_F32,
		LEAST_F32);
}

/* ---------------------------------------------------------- by instruction */

#if defined(__x86_64__)
__attribute__((target("fma"))) static double fma_f64(double x, double y,
	double z)
{
	return __builtin_fma(x, y, z);
}

__attribute__((target("fma"))) static float fma_f32(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("fma");
}
#elif defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
static double fma_f64(double x, double y, double z)
{
	return __builtin_fma(x, y, z);
}

static float fma_f32(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}

static bool has_fma(void)
{
	return true;
}
#else
static double fma_f64(double x, double y, double z)
{
	return cetane_rt_fma_exact(x, y, z);
}

static float fma_f32(float x, float y, float z)
{
	return cetane_rt_fmaf_exact(x, y, z);
}

static bool has_fma(void)
{
	return false;
}
#endif

double cetane_host_fma(double x, double y, double z)
{
	return has_fma() ? fma_f64(x, y, z) : cetane_rt_fma_exact(x, y, z);
}

float cetane_host_fmaf(float x, float y, float z)
{
	return has_fma() ? fma_f32(x, y, z) : cetane_rt_fmaf_exact(x, y, z);
}

/* ----------------------------------------------------------- whole numbers */

/* The fraction's digits below the unit are cleared; all of them are if the
 * exponent is below that of 1, and none from 2^52 on.
 */
double cetane_host_trunc(double x)
{
	uint64_t u = bits_of_double(x), sign = UINT64_C(1) << 63;
	int exponent = exponent_of(x) - 1023;

	if (exponent >= 52)
		return x;
	return double_of(exponent < 0 ? u & sign :
		u & ~((UINT64_C(1) << (52 - exponent)) - 1));
}

double cetane_host_floor(double x)
{
	double whole = cetane_host_trunc(x);

	return whole > x ? whole - 1 : whole;
}

double cetane_host_ceil(double x)
{
	double whole = cetane_host_trunc(x);

	return whole < x ? whole + 1 : whole;
}

float cetane_host_truncf(float x)
{
	return (float) cetane_host_trunc(x);
}

float cetane_host_floorf(float x)
{
	return (float) cetane_host_floor(x);
}

float cetane_host_ceilf(float x)
{
	return (float) cetane_host_ceil(x);
}
