/* The interpreter by hand: values, bounds, interface, depth. */
#include <math.h>

#include "test.h"

static struct fe_value eval(struct fe_interp *in, const char *name, int64_t i,
	int64_t j)
{
	const int64_t index[] = { i, j };
	struct fe_value v = { NAN, -1, NAN, NAN };

	CHECK(fe_interp_eval(in, name, index, &v));
	return v;
}

/* The paper's Fig. 2 on small integers. */
static void check_fig2(void)
{
	static const float a[] = { 1, 2, 3, 4, 5, 6 };
	static const float b[] = { 1, 0, -1, 2, 2, 1 };
	static const float c[] = { 10, 20, 30, 40 };
	static const double want[] = { 15, 27, 41, 56 };
	static const int64_t size[] = { 2, 3, 2 }, origin[] = { 0, 0 };
	static const int64_t below[] = { 2, 0 }, left[] = { 0, -1 };
	struct fe_unit *u = test_unit("Params M, K, N; Matrix A(M,K);"
		"Matrix B(K,N); Matrix C(M,N); D = A * B; E = D + C;"
		"CodeGen(FLOAT, {E});");
	struct fe_interp *in = fe_interp_alloc(u, size);
	struct fe_value v;
	int64_t dim[FE_MAX_DIM];
	int i;

	CHECK(!fe_interp_eval(in, "E", origin, &v));
	CHECK(fe_interp_set_input(in, "A", a));
	CHECK(fe_interp_set_input(in, "B", b));
	CHECK(fe_interp_set_input(in, "C", c));
	CHECK(!fe_interp_set_input(in, "D", c));
	CHECK(!fe_interp_set_input(in, "E", c));
	for (i = 3; i >= 0; i--) {
		v = eval(in, "E", i / 2, i % 2);
		CHECK(v.exact == want[i] && v.wide == want[i]);
		CHECK(v.bound > 0 && v.bound < 1e-4);
	}
	CHECK(eval(in, "D", 1, 0).exact == 11);
	CHECK(eval(in, "B", 2, 1).exact == 1 && eval(in, "B", 2, 1).bound ==
		0);
	CHECK(!fe_interp_eval(in, "E", below, &v));
	CHECK(!fe_interp_eval(in, "E", left, &v));
	CHECK(!fe_interp_eval(in, "X", origin, &v));
	CHECK(fe_interp_shape(in, "B", dim) == 2);
	CHECK(dim[0] == 3 && dim[1] == 2);
	CHECK(fe_interp_shape(in, "X", dim) == -1);
	CHECK(fe_interp_cost(in) == 2 * 2 * 3 * 2 + 2 * 2);
	fe_interp_free(in);
	fe_unit_free(u);
}

/* Parameters: negative ones are refused, fixed ones keep their value. */
static void check_params(void)
{
	static const char text[] = "Params M, N; Matrix A(M,N); B = A + A;";
	const struct fe_define def = { "N", 7 };
	struct fe_unit *u = test_read("t", text, strlen(text), &def, 1);
	static const int64_t good[] = { 2, 3 }, bad[] = { -1, 3 };
	struct fe_interp *in = fe_interp_alloc(u, good);
	int64_t dim[FE_MAX_DIM];

	CHECK(in && !fe_interp_alloc(u, bad));
	fe_interp_shape(in, "B", dim);
	CHECK(dim[0] == 2 && dim[1] == 7);
	CHECK(!fe_interp_free(in) && !fe_interp_free(NULL));
	fe_unit_free(u);
}

/* "expr" of x, a 1 x 1 matrix of f32. */
static struct fe_value eval_f32(const char *expr, float x)
{
	struct poly_str text = { 0 };
	struct fe_unit *u;
	struct fe_interp *in;
	struct fe_value v;

	poly_str_printf(&text, "Matrix x(1,1); y = %s;", expr);
	u = test_unit(text.s);
	in = fe_interp_alloc(u, NULL);
	fe_interp_set_input(in, "x", &x);
	v = eval(in, "y", 0, 0);
	fe_interp_free(in);
	fe_unit_free(u);
	poly_str_free(&text);
	return v;
}

/* The bound is at least the distance of what is allowed, and not far more. */
static void check_bound(const char *expr, float x, double least, double most)
{
	struct fe_value v = eval_f32(expr, x);

	CHECK(isinf(v.bound) || fabs(v.exact - v.wide) <= v.bound);
	CHECK(v.bound >= least && v.bound <= most);
	if (!(v.bound >= least && v.bound <= most))
		fprintf(stderr, "%s at %g: bound %g, not in %g .. %g\n", expr,
			x, v.bound, least, most);
}

static void check_bounds(void)
{
	const double u = ldexp(1, -24);

	check_bound("x", 3, 0, 0);
	check_bound("-abs(ReLU(x))", 3, 0, 0);
	check_bound("min(x, 2) - 0", 3, 2 * u, 2.1 * u);
	check_bound("x + 1", 3, 4 * u, 4.1 * u);
	check_bound("x * x", 3, 9 * u, 2 * 9.3 * u);
	check_bound("x .* 1.5", 3, 4.5 * u, 4.6 * u);
	check_bound("exp(x)", 1, 5 * M_E * u, 5.1 * M_E * u);
	check_bound("exp(x + 1)", 1, M_E * M_E * 7 * u, M_E * M_E * 7.2 * u);
	check_bound("log(x + 1)", 1, (5 * M_LN2 + 1) * u,
		(5.1 * M_LN2 + 1.1) * u);
	check_bound("sqrt(x + 1)", 3, 3 * u, 3.1 * u);
	check_bound("sqrt(x)", 0, 0, 1e-40);
	check_bound("tanh(x)", 20, 5 * u, 5.2 * u);
	check_bound("tanh(x + 1)", 20, 5 * u, 5.2 * u);
	check_bound("sigmoid(x)", 0, 2.5 * u, 2.6 * u);
	check_bound("sigmoid(x)", -80, 0, 1e-38);
	check_bound("ReLU(x - 3)", 3, 0, 1e-40);
	check_bound("log(x)", 0, INFINITY, INFINITY);
	check_bound("log(x - 1 + 1)", 1e-8f, INFINITY, INFINITY);
	check_bound("(x - 1) * 1e38", 1e38f, INFINITY, INFINITY);
	CHECK(isinf(eval_f32("x + x", 3e38f).bound));
	CHECK(isinf(eval_f32("ReLU(x + x) .* 0", 3e38f).bound));
	CHECK(isinf(eval_f32("exp(x)", 89).bound));
	CHECK(isinf(eval_f32("x + 1", NAN).bound));
	CHECK(isnan(eval_f32("ReLU(x)", NAN).exact));
	CHECK(eval_f32("max(x, 1)", NAN).exact == 1);
	CHECK(eval_f32("exp(x)", -200).exact == 0);
	CHECK(eval_f32("exp(x)", -200).bound > 0);
}

/* Elements of a matrix of 16-bit floats "x" and its sum with itself. */
static void check_half(const char *type, double tiny, double top)
{
	static uint16_t data[65536];
	struct fe_unit *u = test_typed("Matrix X(256,256); Y = X;"
		"Z = X + X; H = 0.5 .* X;", type, "Y, Z, H");
	struct fe_interp *in = fe_interp_alloc(u, NULL);
	int i, n_finite = 0, n_nan = 0;
	bool good = true;

	for (i = 0; i < 65536; i++)
		data[i] = (uint16_t)i;
	fe_interp_set_input(in, "X", data);
	for (i = 0; i < 65536; i++) {
		double x = eval(in, "Y", i / 256, i % 256).exact;
		double z = eval(in, "Z", i / 256, i % 256).exact;
		double h = eval(in, "H", i / 256, i % 256).exact;

		n_finite += isfinite(x) != 0;
		n_nan += isnan(x) != 0;
		if (!isfinite(x))
			continue;
		good &= z == 2 * x || (isinf(z) && fabs(2 * x) > top);
		good &= h == x / 2 || (fabs(h - x / 2) <= tiny / 2 &&
			fmod(h, 2 * tiny) == 0);
		good &= fabs(x) <= top;
	}
	CHECK(good);
	CHECK(eval(in, "Y", 0, 1).exact == tiny);
	CHECK(n_finite == 65536 - 2 - n_nan);
	fe_interp_free(in);
	fe_unit_free(u);
}

/* Ties to even, and what rounds up to infinity. */
static void check_ties(void)
{
	static const struct {
		const char *type, *literal;
		double want;
	} row[] = {
		{ "HALF", "2049", 2048 }, { "HALF", "2051", 2052 },
		{ "HALF", "65519.99", 65504 }, { "HALF", "5.9e-8", 0x1p-24 },
		{ "HALF", "2.9e-8", 0 }, { "HALF", "0.1", 0.0999755859375 },
		{ "BFLOAT16", "257", 256 }, { "BFLOAT16", "259", 260 },
		{ "BFLOAT16", "-1.00390625", -1 },
		{ "FLOAT", "16777217", 16777216 },
		{ "FLOAT", "16777219", 16777220 },
		{ "FLOAT", "1e-46", 0 }, { "FLOAT", "0.1", 0.1f },
		{ "DOUBLE", "0.1", 0.1 }, { "INT", "-2147483648", INT32_MIN },
		{ "INT8", "-128", -128 },
	};
	struct poly_str text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct fe_unit *u;
		struct fe_interp *in;

		text.len = 0;
		poly_str_printf(&text, "a = %s;", row[i].literal);
		u = test_typed(text.s, row[i].type, "a");
		in = fe_interp_alloc(u, NULL);
		CHECK(eval(in, "a", 0, 0).exact == row[i].want);
		CHECK(eval(in, "a", 0, 0).bound == 0);
		fe_interp_free(in);
		fe_unit_free(u);
	}
	poly_str_free(&text);
}

/* A chain as long as is allowed, and views without end. */
static void check_depth(void)
{
	struct poly_str text = { 0 };
	static const float one = 1;
	struct fe_unit *u;
	struct fe_interp *in;
	int i;

	poly_str_add(&text, "Matrix A(1,1); B = A;");
	for (i = 0; i < 9998; i++)
		poly_str_add(&text, "B = B + A;");
	poly_str_add(&text, "C = B");
	for (i = 0; i < 100000; i++)
		poly_str_add(&text, "'");
	poly_str_add(&text, ";");
	u = test_unit(text.s);
	CHECK(u != NULL);
	in = fe_interp_alloc(u, NULL);
	fe_interp_set_input(in, "A", &one);
	CHECK(eval(in, "C", 0, 0).exact == 9999);
	CHECK(eval(in, "C", 0, 0).bound < 9999.0 * 9999 * 1e-7);
	fe_interp_free(in);
	fe_unit_free(u);
	poly_str_free(&text);
}

/* What is evaluated twice is computed once: otherwise this takes 2^60. */
static void check_memo(void)
{
	struct poly_str text = { 0 };
	static const float one = 1;
	struct fe_unit *u;
	struct fe_interp *in;
	int i;

	poly_str_add(&text, "Matrix A(1,1); B = A;");
	for (i = 0; i < 60; i++)
		poly_str_add(&text, "B = B + B;");
	u = test_unit(text.s);
	in = fe_interp_alloc(u, NULL);
	fe_interp_set_input(in, "A", &one);
	CHECK(eval(in, "B", 0, 0).exact == ldexp(1, 60));
	fe_interp_free(in);
	fe_unit_free(u);
	poly_str_free(&text);
}

/* What is not allowed is not evaluated, and what is allowed later is right:
 * "name"[0,0] takes from "least" to "most" operations.
 */
static void check_limit(const char *text, const char *name, double least,
	double most)
{
	static const float x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const int64_t at[] = { 0, 0 };
	struct fe_unit *u = test_unit(text);
	struct fe_interp *in = u ? fe_interp_alloc(u, NULL) : NULL;
	struct fe_value v;

	CHECK(in && fe_interp_set_input(in, "x", x));
	fe_interp_limit(in, least);
	CHECK(!fe_interp_eval(in, name, at, &v) && fe_interp_spent(in));
	CHECK(!fe_interp_eval(in, name, at, &v) && fe_interp_spent(in));
	fe_interp_limit(in, most);
	CHECK(!fe_interp_spent(in));
	CHECK(fe_interp_eval(in, name, at, &v) && !fe_interp_spent(in));
	CHECK(v.exact == 36);
	fe_interp_free(in);
	fe_unit_free(u);
}

static void check_limits(void)
{
	check_limit("Matrix x(1,8); Matrix o(1,8); y = x * (x^T - x^T + 1);",
		"y", 16, 1000);
	check_limit("tensor f32 x(8); out y(i,j) for 0<=i<1, 0<=j<1 = "
		"sum(k: x(k));", "y", 16, 100);
	/* Elements wait for one another when it ends. */
	check_limit("tensor f32 x(8); s(i) for 0<=i<8 = case { i == 0: x(0); "
		"else: s(i-1) + x(i); }; out y(i,j) for 0<=i<1, 0<=j<1 = s(7);",
		"y", 100, 1000);
	check_limit("Matrix x(1,8); y = x + 0; nest f(f32 y[1][8]) { for (int "
		"i = 1; i < 8; i++) y[0][0] += y[0][i]; } f(y);"
		"CodeGen(FLOAT, {y});", "y", 7, 1000);
	check_limit("nest f(const f32 x[8], f32 y[1][1]) { y[0][0] = 0;"
		"for (int i = 0; i < 8; i++) y[0][0] += x[i]; }", "y", 9, 17);
}

/* The value of the pattern "i" of a format with "digits" of fraction. */
static double eighth(int i, int digits, int bias)
{
	int fraction = i & ((1 << digits) - 1), exponent = (i & 127) >> digits;
	double x = exponent ? ldexp(1 + ldexp(fraction, -digits), exponent - bias) :
		ldexp(fraction, 1 - bias - digits);

	return i & 128 ? -x : x;
}

/* All numbers of a format of 8 bits, up to the pattern "last"; halves between them,
 * which go to the even one; and what is larger.
 */
static void check_eighths(const char *text, int digits, int bias, int last)
{
	struct fe_unit *u = test_unit(text);
	struct fe_interp *in = fe_interp_alloc(u, NULL);
	uint8_t x[256];
	double v[256];

	for (int i = 0; i < 256; i++) {
		x[i] = (uint8_t)i;
		v[i] = (i & 127) >= last ? 1e9 : (eighth(i, digits, bias) +
			eighth(i + 1, digits, bias)) / 2;
	}
	CHECK(fe_interp_set_input(in, "x", x) && fe_interp_set_input(in, "v", v));
	for (int i = 0; i < 256; i++) {
		double even = eighth((i & 127) >= last ? last : i + (i & 1),
			digits, bias);

		if ((i & 127) <= last)
			CHECK(eval(in, "y", i, 0).exact ==
				eighth(i, digits, bias));
		CHECK(eval(in, "z", i, 0).exact == even);
	}
	CHECK(isnan(eval(in, "y", 127, 0).exact));
	fe_interp_free(in);
	fe_unit_free(u);
}

/* Sums of their products are cut where that is asked for. */
static void check_cut_sums(void)
{
	static const uint8_t x[4] = { 0x38, 0x38, 0x38, 0x38 };
	struct fe_unit *u = test_unit("tensor f8e4m3 x(4); out y(i,j) for "
		"0<=i<1, 0<=j<1 = sum(k: f32(x(k)) * f32(x(k)));");

	for (int relaxed = 0; relaxed < 2; relaxed++) {
		struct fe_interp *in = fe_interp_alloc(u, NULL);

		fe_interp_relax(in, relaxed);
		CHECK(fe_interp_set_input(in, "x", x));
		CHECK(eval(in, "y", 0, 0).exact == 4);
		CHECK((eval(in, "y", 0, 0).bound > 0x1p-10) == relaxed);
		fe_interp_free(in);
	}
	fe_unit_free(u);
}

/* Numbers of tf32 and halves between them, which go to the larger one; what an input has
 * below its digits does not count.
 */
static void check_tf32(void)
{
	enum { N = 4 };
	static const float x[N] = { 0x1.003ffep0f, -0x1.005p-20f, 0x1.ffcp127f,
		0x1p-137f };
	static const double v[N] = { 0x1.002p0, -0x1.006p-20, 0x1.ffdp127,
		0x1p-137 };
	static const double y[N] = { 1, -0x1.004p-20, 0x1.ffcp127, 0 };
	static const double z[N] = { 0x1.004p0, -0x1.008p-20, 0x1.ffcp127,
		0x1p-136 };
	struct fe_unit *u = test_unit("tensor tf32 x(4); tensor f64 v(4); "
		"out y(i,j) for 0<=i<4, 0<=j<1 = f32(x(i)); out z(i,j) for "
		"0<=i<4, 0<=j<1 = tf32(v(i));");
	struct fe_interp *in = fe_interp_alloc(u, NULL);

	CHECK(fe_interp_set_input(in, "x", x) && fe_interp_set_input(in, "v", v));
	for (int i = 0; i < N; i++) {
		CHECK(eval(in, "y", i, 0).exact == y[i]);
		CHECK(eval(in, "z", i, 0).exact == z[i]);
	}
	fe_interp_free(in);
	fe_unit_free(u);
}

/* The interpreter of "text", whose N is 5 and M 3, at "size" for the others, and with
 * "data" for the input "name", unless that is NULL.
 */
static struct fe_interp *interpreter(const char *text, struct fe_unit **u,
	const int64_t *size, const char *name, const void *data)
{
	static const struct fe_define def[] = { { "N", 5 }, { "M", 3 } };
	struct fe_interp *in;

	*u = test_read("t", text, strlen(text), def, 2);
	in = fe_interp_alloc(*u, size);
	CHECK(in && (!name || fe_interp_set_input(in, name, data)));
	return in;
}

static void drop(struct fe_interp *in, struct fe_unit *u)
{
	fe_interp_free(in);
	fe_unit_free(u);
}

/* Differences of given sizes, and loops that begin below 0. */
static void check_ranges(void)
{
	static const float x[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	static const int64_t size[] = { 5, 3 };
	struct fe_unit *u;
	struct fe_interp *in = interpreter("param N, M; tensor f32 x(8);"
		"out y(i,j) for 0<=i<3, 0<=j<1 = x((N - M) * i + 1);"
		"out z(i,j) for -2<=i<2, 0<=j<1 = x(i + 3);"
		"out s(i,j) for 0<=i<2, 0<=j<1 = sum(k for -2<=k<2: x(k + 3 + i));",
		&u, size, "x", x);

	CHECK(eval(in, "y", 0, 0).exact == 2);
	CHECK(eval(in, "y", 2, 0).exact == 32);
	CHECK(eval(in, "z", 0, 0).exact == 2);
	CHECK(eval(in, "z", 3, 0).exact == 16);
	CHECK(eval(in, "s", 0, 0).exact == 2 + 4 + 8 + 16);
	CHECK(eval(in, "s", 1, 0).exact == 4 + 8 + 16 + 32);
	drop(in, u);
}

/* Positions that are data at both ends of a dimension, and beside them: the first and the
 * last one are looked at; an update beside a row is none of another row.
 */
static void check_positions(void)
{
	static const int32_t at[][4] = { { 0, 2, 2, 0 }, { 3, 0, 0, 0 },
		{ 0, 0, 0, 3 }, { -1, 0, 0, 0 }, { 0, 0, 0, -1 } };
	static const int64_t size[] = { 5, 3 };
	const float g[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	struct fe_bad_read bad;

	for (int i = 0; i < 5; i++) {
		struct fe_unit *u;
		struct fe_interp *in = interpreter("param N, M;"
			"tensor i32 k(4); tensor f32 g(2,4);"
			"y(d,b) for 0<=d<2, 0<=b<M = 0.0;"
			"out y(d,k(t)) += g(d,t);", &u, size, "k", at[i]);
		bool inside = fe_interp_set_input(in, "g", g) &&
			fe_interp_check(in, &bad);

		CHECK(inside == !i);
		CHECK(inside || (bad.update && bad.at == (i < 3 ? 3 : -1)));
		for (int d = 0; d < 2; d++)
			for (int b = 0; b < 3; b++) {
				double want = 0;

				for (int t = 0; t < 4; t++)
					want += at[i][t] == b ? g[4 * d + t] : 0;
				CHECK(eval(in, "y", d, b).exact == want);
			}
		drop(in, u);
	}
}

void test_interp(void)
{
	check_ranges();
	check_positions();
	check_eighths("tensor f8e4m3 x(256); tensor f64 v(256); out y(i,j) for "
		"0<=i<256, 0<=j<1 = f32(x(i)); out z(i,j) for 0<=i<256, "
		"0<=j<1 = f8e4m3(v(i));", 3, 7, 126);
	check_eighths("tensor f8e5m2 x(256); tensor f64 v(256); out y(i,j) for "
		"0<=i<256, 0<=j<1 = f32(x(i)); out z(i,j) for 0<=i<256, "
		"0<=j<1 = f8e5m2(v(i));", 2, 15, 123);
	check_cut_sums();
	check_tf32();
	check_limits();
	check_fig2();
	check_params();
	check_bounds();
	check_half("HALF", 0x1p-24, 65504);
	check_half("BFLOAT16", 0x1p-133, 0x1.fep127);
	check_ties();
	check_depth();
	check_memo();
}
