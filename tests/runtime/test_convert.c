/* Check that the 16-bit formats convert exactly as IEEE 754 says: all 65536
 * patterns to f32 by their definition, and f32 to them by looking for the
 * nearest of all finite values; and those of 8 bits as OCP's specification of them and
 * the PTX ISA say, with the largest number for what is larger.
 */
#include <float.h>
#include <math.h>
#include "rt_test.h"

/* One format: fraction bits, exponent bias, and the conversions. */
struct format {
	int fraction, bias;
	float (*widen)(uint16_t x);
	uint16_t (*narrow)(float x);
};
static const struct format f16 = { 10, 15, cetane_host_f16_to_f32,
	cetane_host_f32_to_f16 };
static const struct format bf16 = { 7, 127, cetane_host_bf16_to_f32,
	cetane_host_f32_to_bf16 };

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

/* Pattern of infinity, one more than the largest finite one. */
static int infinity_of(const struct format *f)
{
	return 0x7fff >> f->fraction << f->fraction;
}

/* The value of a finite pattern, by definition. For infinity: the value that
 * would follow the largest finite one.
 */
static double value_of(const struct format *f, int pattern)
{
	int fraction = pattern & ((1 << f->fraction) - 1);
	int exponent = (pattern & 0x7fff) >> f->fraction;
	double x;

	if (exponent == 0)
		x = ldexp(fraction, 1 - f->bias - f->fraction);
	else
		x = ldexp(fraction + (1 << f->fraction),
			exponent - f->bias - f->fraction);
	return pattern & 0x8000 ? -x : x;
}

/* The nearest pattern to |x|, ties to even. */
static int nearest(const struct format *f, double x)
{
	int low = 0, high = infinity_of(f);
	double below, above;

	if (x >= value_of(f, high))
		return high;
	while (high - low > 1) {
		int mid = (low + high) / 2;

		if (value_of(f, mid) <= x)
			low = mid;
		else
			high = mid;
	}
	below = x - value_of(f, low);
	above = value_of(f, high) - x;
	if (below != above)
		return below < above ? low : high;
	return low & 1 ? high : low;
}

static void check_widen(const struct format *f)
{
	int i, inf = infinity_of(f);

	for (i = 0; i < 0x10000; i++) {
		float x = f->widen((uint16_t) i);

		if ((i & 0x7fff) > inf) {
			assert_true(isnan(x));
			assert_true(!signbit(x) == !(i & 0x8000));
		} else if ((i & 0x7fff) == inf) {
			assert_true(isinf(x));
			assert_true(!signbit(x) == !(i & 0x8000));
		} else {
			assert_true(x == value_of(f, i));
			assert_true(!signbit(x) == !(i & 0x8000));
		}
	}
}

/* What is widened comes back. */
static void check_round_trip(const struct format *f)
{
	int i, inf = infinity_of(f);

	for (i = 0; i < 0x10000; i++) {
		int back = f->narrow(f->widen((uint16_t) i));

		if ((i & 0x7fff) > inf)
			assert_true((back & 0x7fff) > inf);
		else
			assert_int_equal(back, i);
	}
}

static void check_one(const struct format *f, uint32_t u)
{
	float x = float_of(u);
	int got = f->narrow(x), sign = signbit(x) ? 0x8000 : 0;

	if (isnan(x)) {
		assert_true((got & 0x7fff) > infinity_of(f));
		assert_int_equal(got & 0x8000, sign);
	} else if (got != (nearest(f, fabs((double) x)) | sign)) {
		fail_msg("%a (%#x) became %#x", (double) x, (unsigned) u, got);
	}
}

/* Ties between neighbours, and the floats next to them on both sides; every
 * second neighbour pair ends in an even and an odd pattern.
 */
static void check_ties(const struct format *f)
{
	int i;

	for (i = 0; i < infinity_of(f); i++) {
		uint32_t u = bits_of((float) ((value_of(f, i) +
			value_of(f, i + 1)) / 2));
		uint32_t sign = (uint32_t) (i % 3 == 0) << 31;

		check_one(f, u | sign);
		check_one(f, (u - 1) | sign);
		check_one(f, (u + 1) | sign);
	}
}

/* Special values, and a million patterns of all exponents. */
static void check_many(const struct format *f)
{
	static const uint32_t special[] = {
		0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000,
		0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001,
		0xff800001, 0x7fffffff, 0xffffffff, 0x7fc00000, 0x7f80ffff,
		0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x38800000,
		0x387fffff
	};
	uint32_t u = 12345;
	size_t i;

	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		check_one(f, special[i]);
	for (i = 0; i < 1000000; i++) {
		u = u * 1664525u + 1013904223u;
		check_one(f, u ^ u >> 16);
	}
}

static void test_f16(void **state)
{
	(void) state;
	check_widen(&f16);
	check_round_trip(&f16);
	check_ties(&f16);
	check_many(&f16);
}

static void test_bf16(void **state)
{
	(void) state;
	check_widen(&bf16);
	check_round_trip(&bf16);
	check_ties(&bf16);
	check_many(&bf16);
}

/* A format of 8 bits: fraction bits, exponent bias, the pattern of the largest number,
 * and that of infinity, if there is one.
 */
struct eighth {
	int fraction, bias, last, infinity;
	float (*widen)(uint8_t x);
	uint8_t (*narrow)(float x);
};
static const struct eighth e4m3 = { 3, 7, 0x7e, -1, cetane_host_e4m3_to_f32,
	cetane_host_f32_to_e4m3 };
static const struct eighth e5m2 = { 2, 15, 0x7b, 0x7c, cetane_host_e5m2_to_f32,
	cetane_host_f32_to_e5m2 };

/* The value of the pattern "i" of a number without a sign. */
static double eighth_value(const struct eighth *f, int i)
{
	int fraction = i & ((1 << f->fraction) - 1), exponent = i >> f->fraction;

	return exponent ? ldexp(1 + ldexp(fraction, -f->fraction),
		exponent - f->bias) : ldexp(fraction, 1 - f->bias - f->fraction);
}

static void check_eighth_widens(const struct eighth *f)
{
	for (int i = 0; i < 256; i++) {
		float x = f->widen((uint8_t) i);
		int size = i & 0x7f;

		if (size <= f->last)
			assert_true(fabs((double) x) == eighth_value(f, size));
		else if (size == f->infinity)
			assert_true(isinf(x));
		else
			assert_true(isnan(x));
		assert_true(!signbit(x) == !(i & 0x80));
		if (size <= f->last)
			assert_int_equal(f->narrow(x), i);
	}
}

/* "x" becomes the pattern "i" without its sign. */
static void check_eighth(const struct eighth *f, float x, int i)
{
	if (f->narrow(x) != i || f->narrow(-x) != (i | 0x80))
		fail_msg("%a became %#x, not %#x", (double) x, f->narrow(x), i);
}

/* Between two neighbours: what is in the middle goes to the even one. */
static void check_eighth_ties(const struct eighth *f)
{
	for (int i = 0; i < f->last; i++) {
		float tie = (float) ((eighth_value(f, i) +
			eighth_value(f, i + 1)) / 2);

		check_eighth(f, tie, i + (i & 1));
		check_eighth(f, float_of(bits_of(tie) - 1), i);
		check_eighth(f, float_of(bits_of(tie) + 1), i + 1);
	}
}

static void check_eighth_ends(const struct eighth *f)
{
	float last = (float) eighth_value(f, f->last);

	for (float x = last; !isinf(x); x *= 1.01f)
		check_eighth(f, x, f->last);
	check_eighth(f, INFINITY, f->last);
	check_eighth(f, 0, 0);
	check_eighth(f, 0x1p-149f, 0);
	assert_int_equal(f->narrow(NAN), 0x7f);
	assert_int_equal(f->narrow(-NAN), 0x7f);
}

static void test_eighths(void **state)
{
	(void) state;
	for (int i = 0; i < 2; i++) {
		check_eighth_widens(i ? &e5m2 : &e4m3);
		check_eighth_ties(i ? &e5m2 : &e4m3);
		check_eighth_ends(i ? &e5m2 : &e4m3);
	}
}

/* What lies between two numbers of tf32 goes to the nearer one, and to the larger if both
 * are as near, of all exponents and some fractions; nothing counts below its 19 bits.
 */
static void test_tf32(void **state)
{
	enum { STEP = 0x2000, HALF = 0x1000 };

	(void) state;
	for (uint32_t u = 0; u < 0x7f800000; u += 7 * STEP)
		for (uint32_t sign = 0; sign < 2; sign++) {
			uint32_t x = u | sign << 31;

			assert_int_equal(cetane_host_f32_to_tf32(float_of(x)), x);
			assert_int_equal(cetane_host_f32_to_tf32(
				float_of(x + HALF - 1)), x);
			assert_int_equal(cetane_host_f32_to_tf32(
				float_of(x + HALF)), x + STEP);
			assert_int_equal(cetane_host_f32_to_tf32(
				float_of(x + STEP - 1)), x + STEP);
			assert_int_equal(bits_of(cetane_host_tf32_to_f32(
				x + STEP - 1)), x);
		}
	assert_int_equal(cetane_host_f32_to_tf32(-INFINITY), 0xff800000);
	assert_int_equal(cetane_host_f32_to_tf32(FLT_MAX), 0x7f800000);
	assert_int_equal(cetane_host_f32_to_tf32(NAN), 0x7fffe000);
	assert_int_equal(cetane_host_f32_to_tf32(-NAN), 0x7fffe000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_f16),
		cmocka_unit_test(test_bf16),
		cmocka_unit_test(test_eighths),
		cmocka_unit_test(test_tf32),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
