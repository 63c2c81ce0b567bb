/* Check divisions and roots without care (nvptx/optimise/careful.c): bits equal to those of
 * the C compiler, for special numbers, numbers next to where the tests change their answer,
 * and random ones; where the optimiser's code is so, and where it stays as it was.
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

/* Of each pair x / y, the root of x, the quotient of x / y by y, y / 3, and a sum of as many
 * numbers as "MORE" has; a loop whose next turn needs the quotient of this one.
 */
#define TERM(a, b) "  %" a " = fadd float %" b ", %x0\n"
#define TEN(a, b) TERM(a "0", b) TERM(a "1", a "0") TERM(a "2", a "1") \
	TERM(a "3", a "2") TERM(a "4", a "3") TERM(a "5", a "4") TERM(a "6", a "5") \
	TERM(a "7", a "6") TERM(a "8", a "7") TERM(a "9", a "8")
#define STORE(v, i) "  %p" i " = getelementptr float, ptr %o, i32 " i "\n" \
	"  store float %" v ", ptr %p" i "\n"
#define LOOP(more, sum) \
	"declare float @llvm.sqrt.f32(float)\n" \
	"define void @f(ptr %x, ptr %y, ptr %out, i32 %n) {\n" \
	"  br label %loop\n" \
	"loop:\n" \
	"  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]\n" \
	"  %old = phi float [ 0.0, %0 ], [ %q, %loop ]\n" \
	"  %px = getelementptr float, ptr %x, i32 %i\n" \
	"  %py = getelementptr float, ptr %y, i32 %i\n" \
	"  %i6 = mul i32 %i, 6\n" \
	"  %o = getelementptr float, ptr %out, i32 %i6\n" \
	"  %x0 = load float, ptr %px\n  %y0 = load float, ptr %py\n" \
	"  %q = fdiv float %x0, %y0\n" \
	"  %r = call float @llvm.sqrt.f32(float %x0)\n" \
	"  %t = fdiv float %q, %y0\n  %u = fdiv float %y0, 3.0\n" more \
	STORE("q", "0") STORE("r", "1") STORE("t", "2") STORE("u", "3") \
	STORE("old", "4") STORE(sum, "5") \
	"  %i1 = add i32 %i, 1\n" \
	"  %c = icmp slt i32 %i1, %n\n" \
	"  br i1 %c, label %loop, label %end\n" \
	"end:\n  ret void\n}\n"
static const char heavy[] = LOOP(TEN("a", "y0") TEN("b", "a9"), "b9");
static const char light[] = LOOP(TERM("a0", "y0"), "a0");

typedef void (*function)(const float *x, const float *y, float *out, int n);

enum { N = 1 << 12 };

struct state {
	struct nvptx_module *m;
	function f;
};

/* The module of "text" without care, with "n" tests. */
static struct nvptx_module *read_text(const char *text, int n)
{
	struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	struct nvptx_module *m = nvptx_read(text, strlen(text), &o, &report);
	struct poly_str printed = { 0 };
	const char *at;

	assert_non_null(m);
	nvptx_hurry_divisions(m);
	assert_int_equal(nvptx_verify(m, &report), isl_stat_ok);
	assert_int_equal(report.n_msg, 0);
	nvptx_print(m, &printed);
	for (at = printed.s; (at = strstr(at, "!prof ")); at++)
		n--;
	poly_str_free(&printed);
	assert_int_equal(n, 0);
	return m;
}

static int set_up(void **state)
{
	struct state *s = calloc(1, sizeof(*s));
	struct poly_report report = { 0 };
	void **entry;

	assert_non_null(s);
	s->m = read_text(heavy, 1);
	assert_int_equal(nvptx_jit(s->m, NULL, 0, &entry, &report), isl_stat_ok);
	s->f = (function) entry[0];
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct state *s = *state;

	nvptx_module_free(s->m);
	free(s);
	return 0;
}

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static void check(const char *what, float got, float ref, float x, float y)
{
	if (isnan(got) && isnan(ref))
		return;
	if (memcmp(&got, &ref, sizeof(got)))
		fail_msg("%s of %a and %a is %a, not %a", what, x, y, ref, got);
}

static void compare(const struct state *s, const float *x, const float *y, int n)
{
	static float out[6 * N];
	float old = 0;

	assert_true(n <= N);
	memset(out, 0xff, sizeof(out));
	s->f(x, y, out, n);
	for (int i = 0; i < n; i++) {
		const float *o = out + 6 * i;
		float sum = y[i];

		for (int k = 0; k < 20; k++)
			sum += x[i];
		check("quotient", o[0], x[i] / y[i], x[i], y[i]);
		check("root", o[1], sqrtf(x[i]), x[i], y[i]);
		check("second quotient", o[2], x[i] / y[i] / y[i], x[i], y[i]);
		check("third", o[3], y[i] / 3, x[i], y[i]);
		check("quotient before", o[4], old, x[i], y[i]);
		check("sum", o[5], sum, x[i], y[i]);
		old = o[0];
	}
}

static void test_special(void **state)
{
	enum { COUNT = N_SPECIAL };
	static float x[COUNT], y[COUNT];

	for (int i = 0; i < COUNT; i++) {
		for (int j = 0; j < COUNT; j++) {
			x[j] = special(i);
			y[j] = special(j);
		}
		compare(*state, x, y, COUNT);
	}
}

/* Any numbers, and in every other round such as need no care. */
static void test_random(void **state)
{
	static float x[N], y[N];
	uint64_t seed = 1;

	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < N; i++) {
			uint64_t r = random_bits(&seed);
			uint32_t a = r, b = r >> 32;

			if (round % 2) {
				a = (a & 0x7fffff) | (60 + (a >> 23) % 130) << 23;
				b = (b & 0x7fffff) | (110 + (b >> 23) % 32) << 23;
			}
			x[i] = float_of(a);
			y[i] = float_of(b);
		}
		compare(*state, x, y, N);
	}
}

/* Code that waits for memory anyway stays as it was. */
static void test_light(void **state)
{
	(void) state;
	nvptx_module_free(read_text(light, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_light),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
