/* Check divisions that share their tests (nvptx/optimise/division.c): bits equal to those
 * of the C compiler, for special numbers, numbers next to where the tests change
 * their answer, random ones, and the quotients that are next to the middle of two
 * numbers, where an error of a billionth of the last place would show.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/optimise/optimise.h"
#include "pick_number.h"

/* Of each round, x[0] / y[0], x[1] / y[0], x[0] / y[1], x[1] / y[1] and y[0] / y[1]; the
 * first of these / y[1] and / y[0]; the third of the round before;
 * the first four as f16.
 */
#define AT(r, type, p, i) "  " r " = getelementptr " type ", ptr " p ", i32 " i "\n"
#define LOAD(r, p) "  " r " = load float, ptr " p "\n"
#define DIV(r, x, y) "  " r " = fdiv float " x ", " y "\n"
#define HALF(i, x, y) DIV("%r" i, x, y) "  %t" i " = fptrunc float %r" i " to half\n" \
	STORE("half", "%t" i, "%h" i)
#define STORE(type, v, p) "  store " type " " v ", ptr " p "\n"
static const char text[] =
	"define void @f(ptr %x, ptr %y, ptr %out, ptr %half, i32 %n) {\n"
	"  br label %loop\n"
	"loop:\n"
	"  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]\n"
	"  %old = phi float [ 0.0, %0 ], [ %q2, %loop ]\n"
	"  %i2 = mul i32 %i, 2\n  %i4 = mul i32 %i, 4\n"
	"  %i8 = mul i32 %i, 8\n"
	AT("%px0", "float", "%x", "%i2") AT("%px1", "float", "%px0", "1")
	AT("%py0", "float", "%y", "%i2") AT("%py1", "float", "%py0", "1")
	AT("%o0", "float", "%out", "%i8") AT("%o1", "float", "%o0", "1")
	AT("%o2", "float", "%o0", "2") AT("%o3", "float", "%o0", "3")
	AT("%o4", "float", "%o0", "4") AT("%o5", "float", "%o0", "5")
	AT("%o6", "float", "%o0", "6") AT("%o7", "float", "%o0", "7")
	AT("%h0", "half", "%half", "%i4") AT("%h1", "half", "%h0", "1")
	AT("%h2", "half", "%h0", "2") AT("%h3", "half", "%h0", "3")
	LOAD("%x0", "%px0") LOAD("%x1", "%px1")
	LOAD("%y0", "%py0") LOAD("%y1", "%py1")
	STORE("float", "%old", "%o7")
	DIV("%q0", "%x0", "%y0") STORE("float", "%q0", "%o0")
	DIV("%q1", "%x1", "%y0") STORE("float", "%q1", "%o1")
	DIV("%q2", "%x0", "%y1") STORE("float", "%q2", "%o2")
	DIV("%q3", "%x1", "%y1") STORE("float", "%q3", "%o3")
	DIV("%q4", "%y0", "%y1") STORE("float", "%q4", "%o4")
	DIV("%q5", "%q0", "%y1") STORE("float", "%q5", "%o5")
	DIV("%q6", "%q0", "%y0") STORE("float", "%q6", "%o6")
	HALF("0", "%x0", "%y0") HALF("1", "%x1", "%y0")
	HALF("2", "%x0", "%y1") HALF("3", "%x1", "%y1")
	"  %i1 = add i32 %i, 1\n"
	"  %c = icmp slt i32 %i1, %n\n"
	"  br i1 %c, label %loop, label %end\n"
	"end:\n  ret void\n}\n";

/* A number that is stored behind a division, and loaded behind that; one that is
 * stored between divisions, and needs none.
 */
static const char changed[] =
	"define void @f(ptr %p, half %h, float %a, float %b, float %y) {\n"
	"  store half %h, ptr %p\n"
	DIV("%q", "%a", "%y") STORE("float", "%q", "%p")
	LOAD("%l", "%p")
	DIV("%r", "%b", "%y") "  %s = fadd float %r, %l\n" STORE("float", "%s", "%p")
	"  ret void\n}\n";

static const char between[] =
	"define void @f(ptr %p, half %h, float %a, float %b, float %y) {\n"
	"  store half %h, ptr %p\n"
	DIV("%q", "%a", "%y") STORE("float", "%q", "%p")
	AT("%p1", "float", "%p", "1") STORE("float", "%a", "%p1")
	DIV("%r", "%b", "%y") AT("%p2", "float", "%p", "2") STORE("float", "%r", "%p2")
	"  ret void\n}\n";

/* A division by "y" behind a branch, what it makes being stored as "type". */
#define BEHIND(y, type, s) \
	"define void @f(ptr %p, i1 %c, float %a, float %b, float %y, float %z) {\n" \
	DIV("%q", "%a", "%y") "  %h = fptrunc float %q to half\n" \
	"  br i1 %c, label %more, label %end\n" \
	"more:\n" DIV("%r", "%b", y) "  %s = fptrunc float %r to half\n" \
	STORE(type, s, "%p") "  br label %end\n" \
	"end:\n" AT("%p1", "float", "%p", "1") STORE("half", "%h", "%p1") \
	"  ret void\n}\n"
static const char behind[] = BEHIND("%y", "half", "%s");
static const char other[] = BEHIND("%z", "half", "%s");

/* Bytes, as a run, of divisions by what a division by a constant makes; beside a run of
 * "float", which takes longer than divisions do.
 */
#define RUN(more) \
	"define void @f(ptr %p, <4 x float> %x, float %z) {\n" \
	DIV("%y", "%z", "127.0") \
	"  %x0 = extractelement <4 x float> %x, i32 0\n" \
	"  %x1 = extractelement <4 x float> %x, i32 1\n" \
	DIV("%q0", "%x0", "%y") DIV("%q1", "%x1", "%y") \
	"  %i0 = fptosi float %q0 to i8\n  %i1 = fptosi float %q1 to i8\n" \
	"  %v0 = insertelement <4 x i8> zeroinitializer, i8 %i0, i32 0\n" \
	"  %v1 = insertelement <4 x i8> %v0, i8 %i1, i32 1\n" \
	STORE("<4 x i8>", "%v1", "%p") more "  ret void\n}\n"
static const char bytes[] = RUN("");
static const char beside[] = RUN(AT("%p1", "<4 x float>", "%p", "1")
	STORE("<4 x float>", "%x", "%p1"));
/* Divisions by constants, none of which is met twice. */
static const char constants[] =
	"define void @f(ptr %p, float %a, float %b) {\n"
	DIV("%q", "%a", "3.0") DIV("%r", "%b", "5.0") "  %s = fadd float %q, %r\n"
	"  %h = fptrunc float %s to half\n" STORE("half", "%h", "%p")
	"  ret void\n}\n";

typedef void (*function)(const float *x, const float *y, float *out, uint16_t *half,
	int n);

enum { N = 1 << 12 };

struct state {
	struct nvptx_module *m[2];	/* joined, as it was */
	function f[2];
};

/* The branches of "m" that divisions have. */
static int count_groups(struct nvptx_module *m)
{
	struct poly_str printed = { 0 };
	const char *at;
	int n = 0;

	nvptx_print(m, &printed);
	for (at = printed.s; (at = strstr(at, "!prof ")); at++)
		n++;
	poly_str_free(&printed);
	return n;
}

static void make(struct state *s, int which)
{
	struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	void **entry;

	s->m[which] = nvptx_read(text, strlen(text), &o, &report);
	assert_non_null(s->m[which]);
	if (which == 0) {
		nvptx_join_divisions(s->m[0]);
		assert_int_equal(nvptx_verify(s->m[0], &report), isl_stat_ok);
		/* of nine, more than one group has; two need another, and stay */
		assert_int_equal(count_groups(s->m[0]), 2);
	}
	assert_int_equal(nvptx_jit(s->m[which], NULL, 0, &entry, &report), isl_stat_ok);
	s->f[which] = (function) entry[0];
	assert_int_equal(report.n_msg, 0);
}

static int set_up(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	make(s, 0);
	make(s, 1);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct state *s = *state;

	nvptx_module_free(s->m[0]);
	nvptx_module_free(s->m[1]);
	free(s);
	return 0;
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static void check(float got, float ref, float x, float y)
{
	if (isnan(got) && isnan(ref))
		return;
	if (memcmp(&got, &ref, sizeof(got)))
		fail_msg("%a / %a is %a, not %a", x, y, ref, got);
}

/* Divide 2 n numbers by 2 n. */
static void divide(const struct state *s, const float *x, const float *y, int n)
{
	static float out[8 * N];
	static uint16_t half[4 * N], as_it_was[4 * N];
	float old = 0;

	assert_true(n <= N);
	s->f[1](x, y, out, as_it_was, n);
	memset(out, 0xff, sizeof(out));
	s->f[0](x, y, out, half, n);
	for (int i = 0; i < n; i++, x += 2, y += 2) {
		const float *o = out + 8 * i;

		check(o[0], x[0] / y[0], x[0], y[0]);
		check(o[1], x[1] / y[0], x[1], y[0]);
		check(o[2], x[0] / y[1], x[0], y[1]);
		check(o[3], x[1] / y[1], x[1], y[1]);
		check(o[4], y[0] / y[1], y[0], y[1]);
		check(o[5], o[0] / y[1], o[0], y[1]);
		check(o[6], o[0] / y[0], o[0], y[0]);
		check(o[7], old, x[0], y[1]);
		old = o[2];
		for (int k = 0; k < 4; k++)
			if (half[4 * i + k] != as_it_was[4 * i + k] && !isnan(o[k]))
				fail_msg("f16 of %a / %a: %x, not %x", x[k % 2],
					y[k / 2], half[4 * i + k],
					as_it_was[4 * i + k]);
	}
}

static void test_special(void **state)
{
	enum { COUNT = N_SPECIAL };
	static float x[2 * N], y[2 * N];
	int n = 0;

	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < COUNT; j++) {
			x[n] = special(i);
			y[n] = special(j);
			x[n + 1] = special((i + 5) % COUNT);
			y[n + 1] = special((j + 7) % COUNT);
			n += 2;
			if (n == 2 * N || (i == COUNT - 1 && j == COUNT - 1)) {
				divide(*state, x, y, n / 2);
				n = 0;
			}
		}
}

static void test_random(void **state)
{
	static float x[2 * N], y[2 * N];
	uint64_t seed = 1;

	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 2 * N; i++) {
			uint64_t r = random_bits(&seed);
			uint32_t a = r, b = r >> 32;

			/* any numbers, and some that need no care */
			if (round % 2)
				b = (b & 0xfffff) | (110 + b % 32) << 23;
			x[i] = float_of(a);
			y[i] = float_of(b);
		}
		divide(*state, x, y, N);
	}
}

/* The inverse of an odd number, modulo 2^32. */
static uint32_t inverse(uint32_t y)
{
	uint32_t v = y;

	for (int i = 0; i < 5; i++)
		v *= 2 - y * v;
	return v;
}

/* Numbers X of 24 bits with X 2^s = (2k + 1) Y + d, for 2k + 1 of 25 bits: X / Y is d
 * / 2^s from the middle of two numbers, or nothing in the last places where d is small.
 */
static void test_middle(void **state)
{
	static float x[2 * N], y[2 * N];
	uint64_t seed = 3;
	int n = 0;

	for (int round = 0; round < 200000; round++) {
		uint32_t Y = 1 << 23 | (random_bits(&seed) >> 41);
		int s = 24 + round % 2, d = 2 * (int) (random_bits(&seed) % 16) - 15;
		uint64_t k, X;

		Y |= 1;
		k = (uint32_t) (-d * inverse(Y)) & ((1u << s) - 1);
		k |= s == 24 ? 1 << 24 : 0;
		if (k >> 24 == 0)
			continue;
		X = (k * Y + d) >> s;
		if (X >> 23 != 1 || (X >= Y) != (s == 24))
			continue;
		x[n] = x[n + 1] = X;
		y[n] = y[n + 1] = Y;
		n += 2;
		if (n == 2 * N) {
			divide(*state, x, y, N);
			n = 0;
		}
	}
	divide(*state, x, y, n / 2);
}

/* Check that the divisions of "body" make "n" groups. */
static void check_groups(const char *body, int n)
{
	struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	struct nvptx_module *m = nvptx_read(body, strlen(body), &o, &report);

	assert_non_null(m);
	nvptx_join_divisions(m);
	assert_int_equal(count_groups(m), n);
	assert_int_equal(nvptx_verify(m, &report), isl_stat_ok);
	nvptx_module_free(m);
	assert_int_equal(report.n_msg, 0);
}

/* A division behind a branch joins those in front of it, if it is by their number. */
static void test_behind(void **state)
{
	(void) state;
	check_groups(behind, 1);
	check_groups(other, 0);
}

/* Divisions are not joined where an access of memory would wait for another one. */
static void test_apart(void **state)
{
	(void) state;
	check_groups(changed, 0);
	check_groups(between, 0);
}

/* A divisor may come from a division by a constant; runs of narrow numbers count. */
static void test_runs(void **state)
{
	(void) state;
	check_groups(bytes, 1);
	check_groups(beside, 0);
	check_groups(constants, 1);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(test, set_up, tear_down);
}
