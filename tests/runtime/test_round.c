/* Check that the runtime's own fma, floor, ceil and trunc give the bits of
 * libm, with the processor's instruction and without: for all triples of
 * special values, for sums that lie at or beside the middle between two
 * results, and for many patterns of bits whose exponents are close.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include "rt_test.h"
#include "runtime/host_abi.h"
#include "runtime/base/base.h"

static uint64_t state64 = 88172645463325252u;

static uint64_t draw(void)
{
	state64 ^= state64 << 13;
	state64 ^= state64 >> 7;
	state64 ^= state64 << 17;
	return state64 * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t bits64(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static uint32_t bits32(float x)
{
	uint32_t u;

	memcpy(&u, &x, sizeof(u));
	return u;
}

static double from64(uint64_t u)
{
	double x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

static float from32(uint32_t u)
{
	float x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

static void same64(double got, double right, const char *what, double x,
	double y, double z)
{
	if (isnan(right) ? !isnan(got) : bits64(got) != bits64(right))
		fail_msg("%s(%a, %a, %a) is %a, not %a", what, x, y, z, got,
			right);
}

static void same32(float got, float right, const char *what, float x, float y,
	float z)
{
	if (isnan(right) ? !isnan(got) : bits32(got) != bits32(right))
		fail_msg("%s(%a, %a, %a) is %a, not %a", what, (double) x,
			(double) y, (double) z, (double) got, (double) right);
}

static void try64(double x, double y, double z)
{
	double right = fma(x, y, z);

	same64(cetane_host_fma(x, y, z), right, "fma", x, y, z);
	same64(cetane_rt_fma_exact(x, y, z), right, "exact fma", x, y, z);
}

static void try32(float x, float y, float z)
{
	float right = fmaf(x, y, z);

	same32(cetane_host_fmaf(x, y, z), right, "fmaf", x, y, z);
	same32(cetane_rt_fmaf_exact(x, y, z), right, "exact fmaf", x, y, z);
}

/* ------------------------------------------------------------------ values */

static const double special64[] = {
	0, 1, 1.5, 3, 0x1p-1074, 0x1.8p-1073, 0x1p-1022, 0x0.fffffffffffffp-1022,
	DBL_MAX, 0x1p1023, 0x1p-537, 0x1p-538, 0x1.0000000000001p0,
	0x1.fffffffffffffp0, 0x1p53, 0x1p52, 0x1p511, 0x1.6a09e667f3bcdp511,
	INFINITY, NAN, 0.5, 0x1.fffffffffffffp-1, 0x1p-52, 0x1p-53, 0x1p-54,
};
static const float special32[] = {
	0, 1, 1.5f, 3, 0x1p-149f, 0x1.8p-148f, 0x1p-126f, 0x0.fffffep-126f,
	FLT_MAX, 0x1p127f, 0x1p-75f, 0x1p-74f, 0x1.000002p0f, 0x1.fffffep0f,
	0x1p24f, 0x1p23f, 0x1p63f, 0x1.6a09e6p63f, INFINITY, NAN, 0.5f,
	0x1.fffffep-1f, 0x1p-23f, 0x1p-24f, 0x1p-25f,
};
enum { N_SPECIAL = sizeof(special64) / sizeof(special64[0]),
	N_SIGNED = 2 * N_SPECIAL };

static double signed64(int i)
{
	return i < N_SPECIAL ? special64[i] : -special64[i - N_SPECIAL];
}

static float signed32(int i)
{
	return i < N_SPECIAL ? special32[i] : -special32[i - N_SPECIAL];
}

static void test_special(void **state)
{
	int i, j, k;

	(void) state;
	for (i = 0; i < N_SIGNED; i++)
		for (j = 0; j < N_SIGNED; j++)
			for (k = 0; k < N_SIGNED; k++) {
				try64(signed64(i), signed64(j), signed64(k));
				try32(signed32(i), signed32(j), signed32(k));
			}
}

/* A product of small whole numbers scaled to anywhere, and an addend that
 * leaves the sum at the middle between two results, or one bit beside it.
 */
static void test_middle(void **state)
{
	int i, e, f;

	(void) state;
	for (i = 0; i < 200000; i++) {
		uint64_t r = draw();
		double x = (double) (r & 0x7ffffff) + 1;
		double y = (double) (r >> 27 & 0x3ffffff) + 1;
		double sign = r >> 63 ? -1 : 1;

		e = (int) (r >> 53 & 0x3ff) - 512;
		f = (int) (draw() % 120) - 60;
		try64(ldexp(x, e), ldexp(y, -e - 1000), sign * ldexp(1, f - 1000));
		try64(ldexp(x, e), y, sign * ldexp(1 + (r & 1), e + f));
		try64(ldexp(x, e / 2), ldexp(y, -1074 - e / 2 - (f & 31)),
			sign * ldexp((double) (r >> 40), -1074));
		try32((float) ldexp((double) (r & 0xfff) + 1, e / 16),
			(float) ldexp((double) (r >> 12 & 0xfff) + 1, f / 2),
			(float) (sign * ldexp(1, e / 16 + f)));
		try32((float) ldexp((double) (r & 0xfff) + 1, e / 16),
			(float) ldexp((double) (r >> 12 & 0xfff) + 1,
				-149 - e / 16 - (f & 15)),
			(float) (sign * ldexp((double) (r >> 44), -149)));
	}
}

/* Any bits; and an addend near the product, so that most of it cancels. */
static void test_many(void **state)
{
	int i;

	(void) state;
	for (i = 0; i < 500000; i++) {
		double x = from64(draw()), y = from64(draw());
		float u = from32((uint32_t) draw()), v = from32((uint32_t) draw());

		try64(x, y, from64(draw()));
		try64(x, y, from64(bits64(-x * y) + draw() % 5 - 2));
		try64(x, y, from64(bits64(x * y) + ((draw() % 129 - 64) << 52)));
		try32(u, v, from32((uint32_t) draw()));
		try32(u, v, from32(bits32(-u * v) + (uint32_t) (draw() % 5) - 2));
		try32(u, v, from32(bits32(u * v) +
			((uint32_t) (draw() % 65 - 32) << 23)));
	}
}

/* ----------------------------------------------------------- whole numbers */

static void try_whole(double x, float y)
{
	same64(cetane_host_floor(x), floor(x), "floor", x, 0, 0);
	same64(cetane_host_ceil(x), ceil(x), "ceil", x, 0, 0);
	same64(cetane_host_trunc(x), trunc(x), "trunc", x, 0, 0);
	same32(cetane_host_floorf(y), floorf(y), "floorf", y, 0, 0);
	same32(cetane_host_ceilf(y), ceilf(y), "ceilf", y, 0, 0);
	same32(cetane_host_truncf(y), truncf(y), "truncf", y, 0, 0);
}

static void test_whole(void **state)
{
	int i;

	(void) state;
	for (i = 0; i < N_SIGNED; i++)
		try_whole(signed64(i), signed32(i));
	for (i = -4000; i <= 4000; i++)
		try_whole(i * 0.25, (float) (i * 0.25));
	for (i = 0; i < 500000; i++) {
		uint64_t r = draw();
		double x = from64((r & UINT64_C(0x800fffffffffffff)) |
			(1015 + r % 70) << 52);

		try_whole(x, (float) x);
		try_whole(from64(r), from32((uint32_t) r));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
