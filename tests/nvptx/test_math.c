/* Check that the functions of nvptx/math*.c, compiled for the host device, are
 * as accurate as they promise, and exact where the result is.
 *
 * f32 runs over every 9973rd bit pattern against double; with an argument N it
 * runs over every N-th (1: all of them, some minutes). f64 runs over special
 * and random numbers against long double. An error is counted in units in the
 * last place of the exact result.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/optimise/optimise.h"
#include "nvptx/math/math.h"
#include "tests/nvptx/math_reference.h"
#include "pick_number.h"

typedef float (*function_f32)(float);
typedef double (*function_f64)(double);
typedef float (*pair_f32)(float, float);
typedef double (*pair_f64)(double, double);

static uint64_t stride = 9973;

enum { N_FUNCTION = MATH_N_FUNCTION, N_PAIR = MATH_N_PAIR };

/* ------------------------------------------------------------------- module */

/* Two functions for each row: f32, f64; optimised or as they were built. */
struct code {
	struct nvptx_module *m;
	function_f32 f32[N_FUNCTION];
	function_f64 f64[N_FUNCTION];
	pair_f32 p32[N_PAIR];
	pair_f64 p64[N_PAIR];
};

/* -|x| */
static LLVMValueRef fall(struct nvptx_module *m, LLVMBuilderRef b, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module,
		LLVMLookupIntrinsicID("llvm.fabs", 9), &type, 1);

	x = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, &x, 1, "");
	return LLVMBuildFNeg(b, x, "");
}

static void add_function(struct nvptx_module *m, LLVMTypeRef type,
	enum poly_op op, bool falling)
{
	LLVMTypeRef arg[2] = { type, type };
	LLVMTypeRef signature = LLVMFunctionType(type, arg,
		poly_op_n_arg(op), 0);
	LLVMValueRef f = LLVMAddFunction(m->module, "f", signature), x[2];
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);

	LLVMPositionBuilderAtEnd(b,
		LLVMAppendBasicBlockInContext(m->ctx, f, ""));
	LLVMGetParams(f, x);
	if (falling)
		x[0] = fall(m, b, x[0]);
	LLVMBuildRet(b, nvptx_math(m, b, op, x));
	LLVMDisposeBuilder(b);
}

static void add_functions(struct nvptx_module *m, enum poly_op op, bool falling)
{
	add_function(m, LLVMFloatTypeInContext(m->ctx), op, falling);
	add_function(m, LLVMDoubleTypeInContext(m->ctx), op, falling);
}

static void code_make(struct code *c, bool optimise)
{
	const struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	void **entry;
	int i;

	c->m = nvptx_module_alloc("math", &o, &report);
	assert_non_null(c->m);
	for (i = 0; i < N_FUNCTION; i++)
		add_functions(c->m, math_function[i].op, math_function[i].falling);
	for (i = 0; i < N_PAIR; i++)
		add_functions(c->m, math_pair[i].op, false);
	assert_int_equal(nvptx_verify(c->m, &report), isl_stat_ok);
	if (optimise)
		assert_int_equal(nvptx_opt(c->m, &report), isl_stat_ok);
	assert_int_equal(nvptx_jit(c->m, NULL, 0, &entry, &report),
		isl_stat_ok);
	for (i = 0; i < N_FUNCTION; i++) {
		c->f32[i] = (function_f32) entry[2 * i];
		c->f64[i] = (function_f64) entry[2 * i + 1];
	}
	entry += 2 * N_FUNCTION;
	for (i = 0; i < N_PAIR; i++) {
		c->p32[i] = (pair_f32) entry[2 * i];
		c->p64[i] = (pair_f64) entry[2 * i + 1];
	}
	assert_int_equal(report.n_msg, 0);
	poly_report_free(&report);
}

static int set_up(void **state)
{
	struct code *c = calloc(2, sizeof(*c));

	assert_non_null(c);
	code_make(&c[0], true);
	code_make(&c[1], false);
	*state = c;
	return 0;
}

static int tear_down(void **state)
{
	struct code *c = *state;

	nvptx_module_free(c[0].m);
	nvptx_module_free(c[1].m);
	free(c);
	return 0;
}

/* ---------------------------------------------------------------------- signs */

/* A float of "x" and "y" in reverse Polish notation: + - * and ~ (minus), | (fabs), r
 * (relu), m (llvm.minimum), M (llvm.maximum), digits, h (1/2).
 */
static LLVMValueRef build_float(struct nvptx_module *m, LLVMBuilderRef b,
	const LLVMValueRef *param, const char *text)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(m->ctx);
	LLVMValueRef zero = LLVMConstReal(f32, 0), v[16], f, low;
	const char *name;
	int n = 0;

	for (; *text; text++) {
		switch (*text) {
		case 'x':
		case 'y':
			v[n++] = param[*text - 'x'];
			break;
		case '+':
			n--;
			v[n - 1] = LLVMBuildFAdd(b, v[n - 1], v[n], "");
			break;
		case '-':
			n--;
			v[n - 1] = LLVMBuildFSub(b, v[n - 1], v[n], "");
			break;
		case '*':
			n--;
			v[n - 1] = LLVMBuildFMul(b, v[n - 1], v[n], "");
			break;
		case '~':
			v[n - 1] = LLVMBuildFNeg(b, v[n - 1], "");
			break;
		case 'r':
			low = LLVMBuildFCmp(b, LLVMRealOLE, v[n - 1], zero, "");
			v[n - 1] = LLVMBuildSelect(b, low, zero, v[n - 1], "");
			break;
		case '|':
		case 'm':
		case 'M':
			name = *text == '|' ? "llvm.fabs" : *text == 'm' ?
				"llvm.minimum" : "llvm.maximum";
			f = LLVMGetIntrinsicDeclaration(m->module,
				LLVMLookupIntrinsicID(name, strlen(name)), &f32, 1);
			n -= *text != '|';
			v[n - 1] = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f,
				&v[n - 1], *text == '|' ? 1 : 2, "");
			break;
		default:
			v[n++] = LLVMConstReal(f32, *text == 'h' ? .5 : *text - '0');
			break;
		}
	}
	return v[0];
}

static void test_signs(void **state)
{
	static const char *const never[] = {
		"0", "1~", "x|~", "xr~", "xx*~", "h~x*x*", "xh~x**", "x|~yy*-",
		"x0m", "x1M~", "x|y|*~", "x|y|~*", "x|y~r+~", "xx*1+~",
	};
	static const char *const perhaps[] = {
		"1", "x", "x~", "x|", "xr", "xx*", "xy*~", "hx*x*", "h~x*y*",
		"x|~y+", "x|y|-", "x1m", "x1~M~", "x|y*~", "xy|~*", "xx*1-",
	};
	const struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	struct nvptx_module *m = nvptx_module_alloc("signs", &o, &report);
	LLVMTypeRef f32 = LLVMFloatTypeInContext(m->ctx), arg[2] = { f32, f32 };
	LLVMValueRef f = LLVMAddFunction(m->module, "f",
		LLVMFunctionType(f32, arg, 2, 0)), x[2];
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);

	(void) state;
	LLVMGetParams(f, x);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, ""));
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (!nvptx_never_positive(build_float(m, b, x, never[i])))
			fail_msg("%s is never positive", never[i]);
	for (size_t i = 0; i < sizeof(perhaps) / sizeof(perhaps[0]); i++)
		if (nvptx_never_positive(build_float(m, b, x, perhaps[i])))
			fail_msg("%s can be positive", perhaps[i]);
	LLVMDisposeBuilder(b);
	nvptx_module_free(m);
	assert_int_equal(report.n_msg, 0);
}

/* ------------------------------------------------------------------ numbers */

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static double double_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint64_t bits_of(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* ----------------------------------------------------------------- accuracy */

/* The worst error seen, and where. */
struct worst {
	double error, x;
};

static void note(struct worst *w, double error, double x)
{
	if (error > w->error)
		*w = (struct worst) { error, x };
}

/* Functions that are further off than they promise. */
static int n_far;

static void show(enum poly_op op, const char *type, const struct worst *w,
	double most)
{
	print_message("%s.%s: at most %.4f ulp, at %a%s\n", poly_op_name(op),
		type, w->error, w->x, w->error <= most ? "" : ": too far");
	n_far += !(w->error <= most);
}

static void test_f32(void **state)
{
	struct code *c = *state;

	n_far = 0;
	for (int i = 0; i < N_FUNCTION; i++) {
		struct worst w = { 0 };

		for (uint64_t k = 0; k < (uint64_t) 1 << 32; k += stride) {
			float x = float_of(k), y = c[0].f32[i](x);

			note(&w, math_error_f32(y, math_function[i].ref(x)), x);
		}
		show(math_function[i].op, "f32", &w, math_function[i].ulp);
	}
	assert_int_equal(n_far, 0);
}

/* Numbers near powers of two and multiples of ln 2, of all magnitudes, and
 * within the range where the functions are neither 0 nor 1 nor infinite.
 */
static double sample_f64(uint64_t *seed)
{
	uint64_t r = random_bits(seed), kind = r >> 60;
	double t = (double) (int64_t) random_bits(seed) * 0x1p-63;

	if (kind < 4)
		return double_of(random_bits(seed));
	if (kind < 8)
		return t * 750;
	if (kind < 12)
		return t * ldexp(1, (int) (r % 40) - 30);
	if (kind < 14)
		return 1 + t * ldexp(1, -(int) (r % 52));
	return ((int) (r % 2048) - 1024) * (M_LN2 / 2) + t * 1e-6;
}

static void test_f64(void **state)
{
	struct code *c = *state;

	n_far = 0;
	for (int i = 0; i < N_FUNCTION; i++) {
		struct worst w = { 0 };
		uint64_t seed = 2;

		for (int k = 0; k < 300000; k++) {
			double x = sample_f64(&seed), y = c[0].f64[i](x);

			note(&w, math_error_f64(y, math_function[i].refl(x)), x);
		}
		show(math_function[i].op, "f64", &w, math_function[i].ulp);
	}
	assert_int_equal(n_far, 0);
}

/* Two arguments: of like and of unlike size, whole numbers, any bits. */
static void sample_pair(uint64_t *seed, double *x, double *y)
{
	uint64_t kind = random_bits(seed) >> 61;

	*x = sample_f64(seed);
	*y = sample_f64(seed);
	if (kind < 2)
		*y = *x * (1 + *y * 1e-3);
	else if (kind < 4)
		*y = rint(*y);
	else if (kind == 4)
		*x = fabs(*x);
	else if (kind == 5)
		*y = 1e3 / log(fabs(*x)) * (*y < 0 ? *y : 1 / *y);
}

static void test_pairs(void **state)
{
	struct code *c = *state;

	n_far = 0;
	for (int i = 0; i < N_PAIR; i++) {
		struct worst w = { 0 }, v = { 0 };
		uint64_t seed = 5;
		double x, y;

		for (int k = 0; k < 300000; k++) {
			sample_pair(&seed, &x, &y);
			note(&w, math_error_f64(c[0].p64[i](x, y),
				math_pair[i].refl(x, y)), x);
			x = (float) x;
			y = (float) y;
			note(&v, math_error_f32(c[0].p32[i]((float) x, (float) y),
				math_pair[i].ref(x, y)), x);
		}
		show(math_pair[i].op, "f64", &w, math_pair[i].ulp);
		show(math_pair[i].op, "f32", &v, math_pair[i].ulp);
	}
	assert_int_equal(n_far, 0);
}

/* The numbers whose multiples of pi/2 are nearest to whole ones, and those
 * that need the table's end.
 */
static void test_reduction(void **state)
{
	static const double x[] = {
		0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0,
		0x1.921fb54442d18p+1, 0x1.2d97c7f3321d2p+2,
		0x1.fffffffffffffp+1023, 0x1p+1023, 0x1.951e93c3b0ab3p+54,
		0x1.921fb54442d19p-1, 0x1.921fb54442d17p-1, 1e22, 355,
	};
	static const int op[] = { 7, 8, 9 };
	struct code *c = *state;

	for (size_t k = 0; k < sizeof(x) / sizeof(x[0]); k++)
		for (int i = 0; i < 3; i++) {
			long double ref = math_function[op[i]].refl(x[k]);

			assert_true(math_error_f64(c[0].f64[op[i]](x[k]), ref) <=
				0.9);
			assert_true(math_error_f64(c[0].f64[op[i]](-x[k]),
				math_function[op[i]].refl(-(long double) x[k])) <=
				0.9);
		}
}

/* ----------------------------------------------------------- special values */

static bool same_bits(double got, double want)
{
	return (isnan(got) && isnan(want)) || bits_of(got) == bits_of(want);
}

/* All pairs of special values as the C library has them, but for the sign of
 * NaN.
 */
static void test_special_pairs(void **state)
{
	static const double v[] = {
		0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, INFINITY,
		-INFINITY, NAN, 0x1p53, -0x1p53 + 1, 1e300, -1e300
	};
	const int n = sizeof(v) / sizeof(v[0]);
	struct code *c = *state;

	for (int i = 0; i < N_PAIR; i++)
		for (int k = 0; k < n * n; k++) {
			double x = v[k / n], y = v[k % n];
			double got = c->p64[i](x, y), want = math_pair[i].ref(x, y);
			bool good = same_bits(got, want) || (isfinite(want) &&
				want != 0 && math_error_f64(got,
				math_pair[i].refl(x, y)) <= math_pair[i].ulp);

			if (!good)
				print_error("%s(%g, %g): %a, not %a\n",
					poly_op_name(math_pair[i].op), x, y, got,
					want);
			assert_true(good);
		}
}

/* The same for functions of one argument. */
static void test_special_values(void **state)
{
	static const double v[] = {
		0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2, -2, INFINITY,
		-INFINITY, NAN, 0x1p-1074, -0x1p-1074, 1e300, -1e300, 710.4,
		-710.4, 0x1.fffffffffffffp-1, 0x1.0000000000001p0, 0x1p-149
	};
	struct code *c = *state;

	for (int i = 0; i < N_FUNCTION; i++)
		for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++) {
			double got = c->f64[i](v[k]);
			double want = math_function[i].ref(v[k]);
			float x = (float) v[k];
			bool good = same_bits(got, want) || (isfinite(want) &&
				want != 0 && math_error_f64(got,
				math_function[i].refl(v[k])) <= math_function[i].ulp);

			good = good && math_error_f32(c->f32[i](x),
				math_function[i].ref(x)) <= 1;
			if (!good)
				print_error("%s(%g): %a, not %a\n",
					poly_op_name(math_function[i].op), v[k],
					got, want);
			assert_true(good);
		}
}

static void expect(struct code *c, int i, double x, double y)
{
	double got = c->f64[i](x);
	float got32 = c->f32[i]((float) x);

	if (isnan(y)) {
		assert_true(isnan(got) && isnan(got32));
		return;
	}
	assert_true(bits_of(got) == bits_of(y));
	assert_true(bits_of(got32) == bits_of(y));
}

static void test_special(void **state)
{
	static const struct {
		int i;
		double x, y;
	} row[] = {
		{ 0, 0.0, 1 }, { 0, -0.0, 1 }, { 0, INFINITY, INFINITY },
		{ 0, -INFINITY, 0.0 }, { 0, NAN, NAN }, { 0, 1e30, INFINITY },
		{ 0, -1e30, 0.0 },
		{ 1, 0.0, -INFINITY }, { 1, -0.0, -INFINITY }, { 1, 1, 0.0 },
		{ 1, INFINITY, INFINITY }, { 1, -INFINITY, NAN },
		{ 1, -1, NAN }, { 1, NAN, NAN }, { 1, -1e-30, NAN },
		{ 2, 0.0, 0.0 }, { 2, -0.0, -0.0 }, { 2, INFINITY, 1 },
		{ 2, -INFINITY, -1 }, { 2, NAN, NAN }, { 2, 0x1p-120, 0x1p-120 },
		{ 2, -0x1p-120, -0x1p-120 }, { 2, 100, 1 }, { 2, -1e30, -1 },
		{ 3, 0.0, 0.5 }, { 3, -0.0, 0.5 }, { 3, INFINITY, 1 },
		{ 3, -INFINITY, 0.0 }, { 3, NAN, NAN }, { 3, 1e30, 1 },
		{ 3, -1e30, 0.0 }, { 3, 0x1p-120, 0.5 },
	};

	for (size_t k = 0; k < sizeof(row) / sizeof(row[0]); k++)
		expect(*state, row[k].i, row[k].x, row[k].y);
}

/* Denormals: tanh is the identity there, exp reaches them. */
static void test_denormal(void **state)
{
	struct code *c = *state;

	for (int k = -149; k < -126; k++) {
		assert_true(c->f32[2](ldexpf(1, k)) == ldexpf(1, k));
		assert_true(c->f32[1](ldexpf(1, k)) == (float) (k * M_LN2));
	}
	for (int k = -1074; k < -1022; k++) {
		assert_true(c->f64[2](ldexp(1, k)) == ldexp(1, k));
		assert_true(math_error_f64(c->f64[1](ldexp(1, k)),
			logl(ldexpl(1, k))) <= 1);
	}
	assert_true(c->f32[0](-103) == 0x1p-149f);
	assert_true(c->f64[0](-745) == 0x1p-1074);
	assert_true(c->f32[3](-103) == 0x1p-149f);
	assert_true(c->f64[3](-745) == 0x1p-1074);
}

/* The functions never leave their range. */
static void test_range(void **state)
{
	struct code *c = *state;
	uint64_t seed = 7;

	for (int k = 0; k < 200000; k++) {
		double x = sample_f64(&seed);

		if (isnan(x))
			continue;
		assert_true(fabs(c->f64[2](x)) <= 1);
		assert_true(fabsf(c->f32[2]((float) x)) <= 1);
		assert_true(c->f64[3](x) >= 0 && c->f64[3](x) <= 1);
		assert_true(c->f32[3]((float) x) >= 0);
		assert_true(c->f32[3]((float) x) <= 1);
	}
}

/* The optimiser does not change a bit. */
static void test_unoptimised(void **state)
{
	struct code *c = *state;
	uint64_t seed = 11;

	for (int k = 0; k < 200000; k++) {
		double x = sample_f64(&seed);
		int i = k % N_FUNCTION;

		assert_true(same_bits(c[0].f64[i](x), c[1].f64[i](x)));
		assert_true(same_bits(c[0].f32[i]((float) x),
			c[1].f32[i]((float) x)));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_f32),
		cmocka_unit_test(test_f64),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_reduction),
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_special_values),
		cmocka_unit_test(test_special_pairs),
		cmocka_unit_test(test_denormal),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_unoptimised),
	};

	if (argc > 1)
		stride = strtoull(argv[1], NULL, 10);
	if (!stride)
		return 2;
	return cmocka_run_group_tests(test, set_up, tear_down);
}
