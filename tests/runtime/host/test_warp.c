/* Check on the host device what lanes of a warp do together, exchanges and products of
 * matrix units, and what is said if some of them do not come.
 */
#include "checked.h"

static void one_leaves(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I != 5)
		cetane_host_barrier(t, 3);
}

static void two_barriers(struct cetane_host_thread *t, void **args)
{
	(void) args;
	cetane_host_barrier(t, 0);
	cetane_host_barrier(t, I < 3 ? 1 : 2);
}

static void later_exit(struct cetane_host_thread *t, void **args)
{
	(void) args;
	cetane_host_barrier(t, 0);
	if (BLOCK == 1 && I < 7)
		return;
	cetane_host_barrier(t, 1);
}

/* Groups of four, the second of which is not there. */
static void exchanges(struct cetane_host_thread *t, void **args)
{
	uint32_t sum = I;

	if (I / 4 == 1)
		return;
	sum += cetane_host_exchange(t, ~0u, sum, 2, 31);
	sum += cetane_host_exchange(t, ~0u, sum, 1, 31);
	store(t, B, 16 * BLOCK + I, (int32_t) sum, 0, 1);
}

static void test_exchange(void **state)
{
	(void) state;
	for (unsigned seed = 0; seed < 3; seed++) {
		struct run r = run("exchanges", exchanges, ALL, seed, 2, 12,
			0);
		int i;

		assert_int_equal(r.status, CETANE_OK);
		for (i = 0; i < 12; i++)
			if (i / 4 != 1)
				assert_int_equal(r.out[i], i < 4 ? 6 : 38);
		done(&r);
	}
}

static int a_at(int warp, int m, int k)
{
	return (7 * m + 3 * k + warp) % 11 - 5;
}

static int b_at(int k, int n)
{
	return (5 * k + 2 * n) % 7 - 3;
}

/* Lane 4 g + t of each of two warps multiplies, as PTX has it; the second one in f16.
 * The thread's output is the sum of its C, of which it has (g, 2 t), (g, 2 t + 1), and
 * those 8 rows on, times 1, 2, 3 and 4.
 */
static void multiplies(struct cetane_host_thread *t, void **args)
{
	int warp = (int)I / 32, g = (int)I % 32 / 4, l = (int)I % 4;
	uint16_t a[8], b[4];
	float c[4] = { 0, 1, 2, 3 }, sum = 0;

	for (int e = 0; e < 8; e++) {
		float x = (float)a_at(warp, e / 2 % 2 ? g + 8 : g,
			2 * l + e % 2 + (e < 4 ? 0 : 8));
		float y = e < 4 ? (float)b_at(2 * l + e % 2 + (e < 2 ? 0 : 8),
			g) : 0;

		a[e] = warp ? cetane_host_f32_to_f16(x) :
			cetane_host_f32_to_bf16(x);
		if (e < 4)
			b[e] = warp ? cetane_host_f32_to_f16(y) :
				cetane_host_f32_to_bf16(y);
	}
	cetane_host_mma(t, warp ? CETANE_HOST_MMA_F16 : CETANE_HOST_MMA_BF16,
		a, b, c);
	for (int e = 0; e < 4; e++)
		sum += (float)(e + 1) * c[e];
	store(t, B, I, (int32_t)sum, 0, 1);
}

/* What "multiplies" should store in thread "i". */
static int product_of(int i)
{
	int warp = i / 32, sum = 0;

	for (int e = 0; e < 4; e++) {
		int m = i % 32 / 4 + e / 2 * 8, n = i % 4 * 2 + e % 2, c = e;

		for (int k = 0; k < 16; k++)
			c += a_at(warp, m, k) * b_at(k, n);
		sum += (e + 1) * c;
	}
	return sum;
}

static void test_multiply(void **state)
{
	(void) state;
	for (unsigned seed = 0; seed < 3; seed++) {
		struct run r = run("multiplies", multiplies, ALL, seed, 1, 64,
			0);

		assert_int_equal(r.status, CETANE_OK);
		for (int i = 0; i < 64; i++)
			assert_int_equal(r.out[i], product_of(i));
		done(&r);
	}
}

/* The byte with the number "i" of A, or of B: all that there are. */
static uint8_t byte_at(int i)
{
	return (uint8_t)(37 * i + i / 256);
}

/* What such a byte is for the warp "warp": the second one has no signs. */
static int number_at(int warp, int i)
{
	return warp ? byte_at(i) : (int8_t)byte_at(i);
}

/* Bytes of each of two warps, as PTX has them: A[m][k] is byte 32 m + k, B[k][n] byte
 * 8 k + n. C begins near the largest number of 32 bits, and wraps.
 */
static void multiplies_bytes(struct cetane_host_thread *t, void **args)
{
	int warp = (int)I / 32, g = (int)I % 32 / 4, l = (int)I % 4;
	uint32_t c[4] = { INT32_MAX, 1, 2, 3 }, sum = 0;
	uint8_t a[16], b[8];

	for (int e = 0; e < 16; e++)
		a[e] = byte_at(32 * (e / 4 % 2 ? g + 8 : g) + 4 * l + e % 4 +
			(e < 8 ? 0 : 16));
	for (int e = 0; e < 8; e++)
		b[e] = byte_at(8 * (4 * l + e % 4 + (e < 4 ? 0 : 16)) + g);
	cetane_host_mma(t, warp ? CETANE_HOST_MMA_U8 : CETANE_HOST_MMA_S8, a, b,
		c);
	for (uint32_t e = 0; e < 4; e++)
		sum += (e + 1) * c[e];
	store(t, B, I, (int32_t)sum, 0, 1);
}

/* What "multiplies_bytes" should store in thread "i". */
static int32_t product_of_bytes(int i)
{
	static const uint32_t start[] = { INT32_MAX, 1, 2, 3 };
	uint32_t sum = 0;

	for (int e = 0; e < 4; e++) {
		int m = i % 32 / 4 + e / 2 * 8, n = i % 4 * 2 + e % 2;
		uint32_t c = start[e];

		for (int k = 0; k < 32; k++)
			c += (uint32_t)(number_at(i / 32, 32 * m + k) *
				number_at(i / 32, 8 * k + n));
		sum += (uint32_t)(e + 1) * c;
	}
	return (int32_t)sum;
}

static void test_multiply_bytes(void **state)
{
	struct run r = run("multiplies_bytes", multiplies_bytes, ALL, 0, 1, 64, 0);

	(void) state;
	assert_int_equal(r.status, CETANE_OK);
	for (int i = 0; i < 64; i++)
		assert_int_equal(r.out[i], product_of_bytes(i));
	done(&r);
}

/* A lane of the warp is not there. */
static void lane_lacks(struct cetane_host_thread *t, void **args)
{
	double a[4] = { 0 }, b[2] = { 0 }, c[4] = { 0 };

	(void) args;
	if (t->ntid[0] > 1)
		cetane_host_mma(t, CETANE_HOST_MMA_F64, a, b, c);
}

static void one_alone(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I != 5 && t->ntid[0] > 1)
		cetane_host_exchange(t, ~0u, I, 1, 31);
}

static void two_partners(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (t->ntid[0] > 1)
		cetane_host_exchange(t, ~0u, I, I < 3 ? 1 : 2, 31);
}

static void both_ways(struct cetane_host_thread *t, void **args)
{
	(void) args;
	if (I < 2 && t->ntid[0] > 1)
		cetane_host_exchange(t, ~0u, I, 1, 31);
	else
		cetane_host_barrier(t, 1);
}

static void check_deadlock(const char *name, cetane_host_kernel kernel,
	unsigned blocks, const char *text)
{
	unsigned checks;

	for (checks = 0; checks <= ALL; checks += ALL) {
		struct run r = run(name, kernel, checks, 0, blocks, 8, 0);
		const unsigned one[3] = { 1, 1, 1 };
		void *args[2] = { &r.a, &r.b };

		assert_int_equal(r.status, CETANE_DEADLOCK);
		assert_int_equal(cetane_host_findings(r.dev), 1);
		assert_string_equal(rt_finding(r.dev), text);
		assert_int_equal(cetane_host_findings(r.dev), 1);
		OK(cetane_launch(r.fn, one, one, 0, NULL, args));
		OK(cetane_stream_synchronize(r.dev, NULL));
		done(&r);
	}
}

static void test_deadlock(void **state)
{
	(void) state;
	check_deadlock("one_leaves", one_leaves, 1, "deadlock in kernel "
		"one_leaves, block (0,0,0): 7 of 8 threads wait at barrier 3 "
		"(0, 1, 2, 3, ...), 1 exited (5)");
	check_deadlock("two_barriers", two_barriers, 1, "deadlock in kernel "
		"two_barriers, block (0,0,0): 3 of 8 threads wait at barrier "
		"1 (0, 1, 2), 5 of 8 threads wait at barrier 2 (3, 4, 5, 6, "
		"...)");
	check_deadlock("later_exit", later_exit, 2, "deadlock in kernel "
		"later_exit, block (1,0,0): 1 of 8 threads wait at barrier 1 "
		"(7), 7 exited (0, 1, 2, 3, ...)");
	check_deadlock("one_alone", one_alone, 1, "deadlock in kernel "
		"one_alone, block (0,0,0): 1 of 8 threads wait at exchange 1 "
		"(4), 7 exited (0, 1, 2, 3, ...)");
	check_deadlock("lane_lacks", lane_lacks, 1, "deadlock in kernel "
		"lane_lacks, block (0,0,0): 8 of 8 threads wait at exchange 0 "
		"(0, 1, 2, 3, ...)");
	check_deadlock("two_partners", two_partners, 1, "deadlock in kernel "
		"two_partners, block (0,0,0): 1 of 8 threads wait at exchange "
		"1 (2), 1 of 8 threads wait at exchange 2 (3), 6 exited (0, 1, "
		"4, 5, ...)");
	check_deadlock("both_ways", both_ways, 1, "deadlock in kernel "
		"both_ways, block (0,0,0): 6 of 8 threads wait at barrier 1 "
		"(2, 3, 4, 5, ...), 2 exited (0, 1)");
}

/* What a kernel has found wrong. */
static int n_wrong;

/* Some lanes of a warp exchange values before they meet the others. */
static void some_first(struct cetane_host_thread *t, void **args)
{
	uint32_t v = I;

	if (I < 4)
		v = 10 * cetane_host_exchange(t, 15, v, 2, 31);
	v = cetane_host_exchange(t, ~0u, v, 4, 31);
	B[I] = (int32_t) v;
	cetane_host_barrier(t, 0);
	if (I == 0)
		for (int i = 0; i < 8; i++)
			n_wrong += B[i] != (i < 4 ? i + 4 : 10 * ((i - 4) ^ 2));
}

static void test_lanes_apart(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct run r = run("some_first", some_first, 0, seed, 1, 8, 0);

		OK(r.status);
		assert_int_equal(n_wrong, 0);
		done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_multiply),
		cmocka_unit_test(test_multiply_bytes),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_lanes_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
