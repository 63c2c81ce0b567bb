/* Check that functions whose results are rounded to f16 or bf16 are off by no more than
 * a 64th of half a unit in the last place before that, over all 65,536 numbers of the
 * type; and that their signs of zero, infinities and NaN are those of the function. Tanh
 * stands for 1 + tanh(x).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"
#include "tests/nvptx/math_reference.h"

typedef float (*function)(float);

static const enum poly_op brief[] = { POLY_OP_GELU, POLY_OP_SIGMOID, POLY_OP_SILU,
	POLY_OP_TANH };
enum { N_BRIEF = sizeof(brief) / sizeof(brief[0]), N_TYPE = 2, N = N_BRIEF * N_TYPE };

/* A type: the stored bits of its significand, the exponent of its least normal number,
 * and the greatest finite one.
 */
static const struct type {
	enum poly_type type;
	int digits, least;
	double most;
} type[N_TYPE] = {
	{ POLY_F16, 10, -14, 65504 },
	{ POLY_BF16, 7, -126, 0x1.fep+127 },
};

/* The number whose bits are "bits". */
static double number(const struct type *t, uint32_t bits)
{
	int width = 15 - t->digits, top = (1 << width) - 1;
	int expo = (int) (bits >> t->digits) & top;
	double m = bits & ((1u << t->digits) - 1), x;

	if (expo == top)
		x = m > 0 ? NAN : INFINITY;
	else if (expo)
		x = ldexp(1 + ldexp(m, -t->digits), expo - 1 + t->least);
	else
		x = ldexp(m, t->least - t->digits);
	return bits >> 15 ? -x : x;
}

/* A function of what is rounded to "to" afterwards, without that. */
static void add_function(struct nvptx_module *m, enum poly_op op, enum poly_type to)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(m->ctx), arg[1] = { f32 };
	LLVMValueRef f = LLVMAddFunction(m->module, "f",
		LLVMFunctionType(f32, arg, 1, 0)), x = LLVMGetParam(f, 0), y, z;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);

	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, ""));
	y = nvptx_math(m, b, op, &x);
	if (op == POLY_OP_TANH) {
		z = LLVMBuildFAdd(b, LLVMConstReal(f32, 2), y, "");
		assert_ptr_equal(nvptx_math_rounded(m, b, to, y), y);
		assert_ptr_equal(nvptx_math_rounded(m, b, to, z), z);
		y = LLVMBuildFAdd(b, LLVMConstReal(f32, 1), y, "");
	}
	z = nvptx_math_rounded(m, b, to, y);
	assert_ptr_not_equal(y, z);
	assert_ptr_equal(nvptx_math_rounded(m, b, to, x), x);
	LLVMBuildRet(b, z);
	LLVMDisposeBuilder(b);
}

static int set_up(void **state)
{
	const struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	struct nvptx_module *m = nvptx_module_alloc("brief", &o, &report);
	void **entry;

	assert_non_null(m);
	for (int i = 0; i < N; i++)
		add_function(m, brief[i / N_TYPE], type[i % N_TYPE].type);
	assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
	assert_int_equal(nvptx_jit(m, NULL, 0, &entry, &report), isl_stat_ok);
	*state = entry;
	return 0;
}

static double one_plus_tanh(double x)
{
	return 2 / (1 + exp(-2 * x));
}

static double (*reference(enum poly_op op))(double)
{
	if (op == POLY_OP_TANH)
		return one_plus_tanh;
	for (int i = 0; i < MATH_N_FUNCTION; i++)
		if (math_function[i].op == op)
			return math_function[i].ref;
	fail();
	return NULL;
}

/* How far "y" is off "want", as a part of what is allowed. */
static double error(const struct type *t, double y, double want)
{
	double unit = fmax(fabs(want), ldexp(1, t->least));

	if (isnan(want) || isnan(y))
		return isnan(want) && isnan(y) ? 0 : INFINITY;
	if (fabs(want) > t->most)
		return fabs(y) >= t->most && signbit(y) == signbit(want) ? 0 :
			INFINITY;
	if (signbit(y) != signbit(want))
		return INFINITY;
	return fabs(y - want) / ldexp(unit, -t->digits - 7);
}

static void test_all(void **state)
{
	function *f = *state;

	for (int i = 0; i < N; i++) {
		double (*ref)(double) = reference(brief[i / N_TYPE]), worst = 0;
		const struct type *t = &type[i % N_TYPE];
		double at = 0;

		for (uint32_t bits = 0; bits < 1 << 16; bits++) {
			double x = number(t, bits);
			double e = error(t, f[i]((float) x), ref(x));

			if (e > worst) {
				worst = e;
				at = x;
			}
		}
		print_message("%s to %s: %.3f of what is allowed, at %a\n",
			poly_op_name(brief[i / N_TYPE]), poly_type_name(t->type),
			worst, at);
		assert_true(worst <= 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
