/* Index notation: ranges as "check" prints them, statements that it becomes,
 * and values that are known without the interpreter.
 */
#include <math.h>

#include "test.h"

/* What "check" prints in the line "what". */
static char *check_line(const char *text, const char *what)
{
	struct fe_unit *u = test_unit(text);
	struct poly_str out = { 0 };
	char *line = NULL, *at;

	CHECK(u != NULL);
	if (u) {
		fe_print_check(u, &out);
		at = out.s ? strstr(out.s, what) : NULL;
		CHECK(at != NULL);
		if (at)
			line = strndup(at, strcspn(at, "\n"));
	}
	fe_unit_free(u);
	poly_str_free(&out);
	return line;
}

/* The definitions of "text" have these ranges. */
static void ranges(const char *text, const char *want)
{
	struct poly_str source = { 0 };
	char *line;

	poly_str_printf(&source, "param N, M; tensor f32 x(N), y(M), "
		"A(N,M), B(M,N+1), z(2*N-3); %s", text);
	line = check_line(source.s, "definition");
	SAME(line, want);
	free(line);
	poly_str_free(&source);
}

static void check_ranges(void)
{
	ranges("a(i) = x(i);", "definition: f32 a[N]");
	ranges("a(i) = x(i) + y(i);", "definition: f32 a[min(N,M)]");
	ranges("a(i) = x(i-2);", "definition: f32 a[2:N+2]");
	ranges("a(i) = x(5-i);", "definition: f32 a[-N+6:6]");
	ranges("a(i) = x(3*i+1);", "definition: f32 a[floor((N-2)/3)+1]");
	ranges("a(i) = x(-2*i);", "definition: f32 a[ceil((-N+1)/2):1]");
	ranges("a(i) = x(i/2);", "definition: f32 a[2*N]");
	ranges("a(i) = x((i+1)/3-2);", "definition: f32 a[5:3*N+5]");
	ranges("a(i) = x(-i/2);", "definition: f32 a[-2*N+1:1]");
	ranges("a(i) = x(2*(i/2));", "definition: f32 a[2*((N+1)/2)]");
	ranges("a(i) = x(i/2/3) + y(i%2);", "definition: f32 a[6*N]");
	ranges("a(i) = h(i); tensor f32 h(N/2);", "definition: f32 a[N/2]");
	ranges("a(i) = h(i); tensor f32 h((3*N-1)/2+(M+2)/2-N%2);",
		"definition: f32 a[(N+1)/2+M/2+2*(N/2)]");
	ranges("a(i) = h(i); tensor f32 h(N/2/3-N/6+N%4*0+4/2*M);",
		"definition: f32 a[2*M]");
	ranges("a(i) for 0 <= i < N/2, i < N = 1.0;",
		"definition: f32 a[N/2]");
	ranges("a(i) for 0 <= i/2 < M/3 = 1.0;",
		"definition: f32 a[2*(M/3)]");
	ranges("a(i,j) for 0 <= j < N/2, 0 <= i < j/2 = 1.0;",
		"definition: f32 a[floor((N/2-3)/2)+1,2:N/2]");
	ranges("a(i) for 0 <= i, i + i/2 < N = 1.0;",
		"definition: f32 a[floor((2*N-1)/3)+1]");
	ranges("a(i,j) for 0 <= j < N, j < M, 0 <= (i+j/2)/2 < 5 = 1.0;",
		"definition: f32 a[-((N+1)/2)+1:10,min(N,M,2*((N+1)/2)+18)]");
	ranges("a(i) for 0 <= i < N, i%4 == 1 = x(i);",
		"definition: f32 a[N]");
	ranges("a(i) += x(i/2 + r/2) * y(r);",
		"definition: f32 a[2*N-2*((M+1)/2)+2]");
	ranges("a(i,j) = A(i,j) * B(j,i);", "definition: f32 a[N,M]");
	ranges("a(i) = z(i);", "definition: f32 a[2*N-3]");
	ranges("a(p) = sum(r for 0<=r<3: x(p+r));", "definition: f32 a[N-2]");
	ranges("a(p) = sum(r: x(2*p-r) * y(r));",
		"definition: f32 a[ceil((M-1)/2):floor((N-1)/2)+1]");
	ranges("a(i) for 0<=i<N = case { i == 0: 0; else: a(i-1); };",
		"definition: f32 a[N]");
	ranges("a(i) = b(i); b(i) = x(i);",
		"definitions: f32 b[N] f32 a[N]");
	ranges("a(i,j) for 0<=j<=i<N = x(i);", "definition: f32 a[N,N]");
	ranges("a(i,j) for 0<=i<=j<M, 2*j<N = y(i);",
		"definition: f32 a[min(M,floor((N-1)/2)+1),"
		"min(M,floor((N-1)/2)+1)]");
	ranges("a(i) for 0<=i<N = sum(j for 0<=j<i: x(j));",
		"definition: f32 a[N]");
}

/* The inner condition bounds j alone, and what is said of the indices of a
 * reduction does not bound the definition.
 */
static void check_written(void)
{
	ranges("a(i) for 0<=i<N, 0<=k<=i += x(k);", "definition: f32 a[N]");
	ranges("a(t,i) for 0<=t<=M, 0<=i<N = case { t == 0: x(i); else:"
		" a(t-1,i) + sum(j for i<j<N: a(t-1,j)); };",
		"definition: f32 a[M+1,N]");
	ranges("h(t,b) for 0<=t<N = case { t == 0: y(b); else: h(t-1,b); };",
		"definition: f32 h[N,M]");
	ranges("g(t,b) = 2 * h(t-1,b); h(t,b) for 0<=t<N = case {"
		" t == 0: y(b); else: g(t,b); };",
		"definitions: f32 g[1:N+1,M] f32 h[N,M]");
}

/* Types of the definitions of "text". */
static void types(const char *text, const char *want)
{
	struct poly_str source = { 0 };
	char *line;

	poly_str_printf(&source, "param N; tensor f32 x(N); tensor f16 h(N);"
		"tensor i8 k(N); tensor u64 u(N); %s", text);
	line = check_line(source.s, "definition");
	SAME(line, want);
	free(line);
	poly_str_free(&source);
}

static void check_types(void)
{
	types("a(i) = h(i) * 2 + 0.5;", "definition: f16 a[N]");
	types("a(i) = k(i) + 1 < 3;", "definition: bool a[N]");
	types("a(i) for 0<=i<N = i;", "definition: i32 a[N]");
	types("a(i) = u(i) + i;", "definition: u64 a[N]");
	types("a(i) for 0<=i<N = 1;", "definition: f32 a[N]");
	types("a(i) for 0<=i<N = case { i == 0: 1; else: b(i-1); };"
		"b(i) for 0<=i<N = f64(x(i)) + a(i);",
		"definitions: f64 a[N] f64 b[N]");
	types("a() = sum(i: f64(x(i)));", "definition: f64 a[]");
	types("a(i) = x(i) > 0 ? k(i) : 1;", "definition: i8 a[N]");
	types("a(i) = case { x(i) > 0: k(i); else: 1; };",
		"definition: i8 a[N]");
	types("a(i) = lerp(h(i), 1, 0.5);", "definition: f16 a[N]");
	types("a(i) = case { not (b(i) and i > 0): 1; else: u(i); };"
		"b(i) = k(i) < 3;", "definitions: bool b[N] u64 a[N]");
}

/* Statements of the lowered program, with a space between. */
static void statements(const char *text, const char *want)
{
	struct fe_unit *u = test_unit(text);
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *p = u ? fe_lower(u, ctx, &test_report) : NULL;
	struct poly_str names = { 0 };
	int i;

	CHECK(p != NULL);
	for (i = 0; p && i < p->n_stmt; i++)
		poly_str_printf(&names, "%s%s", i ? " " : "",
			p->stmt[i]->name);
	CHECK(!p || poly_verify(p, "fe_lower") == isl_stat_ok);
	SAME(names.s, want);
	poly_str_free(&names);
	poly_prog_free(p);
	fe_unit_free(u);
	CHECK(poly_ctx_free(ctx));
}

static void check_statements(void)
{
	statements("param N; tensor f32 x(N); a(i) += x(i) * x(j);",
		"a_init a_add");
	statements("param N; tensor f16 x(N); a() = sum(i: x(i));",
		"a_init a_add a_round");
	statements("param N; tensor f32 x(N);"
		"a(i) = x(i) + sum(j: x(j)) + max(j: x(j) * x(i));",
		"a_sum_init a_sum_add a_most_init a_most_max a_def");
	statements("param N; tensor f32 x(N);"
		"a() max= max(r for 0<=r<N, r<=u: x(r) + x(u));",
		"a_init a_most_init a_most_max a_max");
	statements("param N; tensor f32 x(N);"
		"a(i,j) for 0<=j<i<N = x(i) * x(j);", "a_rest a_def");
	statements("param N; tensor f32 x(N); a_def(i) = x(i); a(i) = "
		"case { i < 2: a_def(i); else: x(i); };",
		"a_def_def a_def_1 a_def_2");
	statements("param N; tensor f32 x(N); a(i) = case { x(i) > 0: 1.;"
		" i == 0: x(i); else: 0; };", "a_def a_def_1");
	statements("param N; tensor f32 x(N); a(i) = case {"
		" i < 3 and x(i) > 0: 1.; i > 5 or x(i) < 0: 2;"
		" sum(j: x(j)) > 0: 3; else: 0; };",
		"a_sum_init a_sum_add a_def a_sum_1_init a_sum_1_add a_def_1 "
		"a_def_2");
	statements("Params N; Matrix A(N,N); Matrix B(N,N); C = A * B;"
		"d(i) = C(i,i); D = C^T; CodeGen(FLOAT, {d, D});",
		"C_init C_mul d_def D_copy");
}

/* The program that "text" becomes has the line "line" in it. */
static void lowered(const char *text, const char *line)
{
	struct poly_str source = { 0 }, out = { 0 };
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *p;
	struct fe_unit *u;

	poly_str_printf(&source, "param N; tensor f32 x(N); %s", text);
	u = test_unit(source.s);
	p = u ? fe_lower(u, ctx, &test_report) : NULL;
	CHECK(p != NULL);
	if (p)
		poly_print(p, &out);
	CHECK(out.s && strstr(out.s, line));
	if (!out.s || !strstr(out.s, line))
		fprintf(stderr, "%s\nis not in\n%s", line,
			out.s ? out.s : "");
	poly_str_free(&out);
	poly_str_free(&source);
	poly_prog_free(p);
	fe_unit_free(u);
	CHECK(poly_ctx_free(ctx));
}

/* Positions are shifted to 0, pieces are disjoint, reductions begin with what
 * changes nothing.
 */
static void check_lowered(void)
{
	lowered("h(i) for -1<=i<N = case { i < 0: 0; else: x(i); };"
		"out a(i) = h(i-1);", "-> h[(i)] }");
	lowered("out a(i) for 2<=i<N = x(i);",
		"write a \"{ a_def[i] -> a[(-2 + i)] }\"");
	lowered("out a(i) for 0<=i<N = case { i < 3: x(i); i < 5: 0;"
		" else: 1; };", "a_def_1[i] : 3 <= i <= 4 and i < N }");
	lowered("out a(i) = case { x(i) > 0: 1; i == 0: 2; else: 3; };",
		"a_def[i = 0] : N > 0 }\"");
	lowered("out a(i) for 0<=i<N = case { x(i) > 0 and i < 3 or"
		" x(i) < 5: 1; else: 3; };",
		"value (branch (or (and (lt (const f32 0) (read x \"{ "
		"a_def[i] -> x[(i)] }\")) (lt (index i64");
	lowered("out a(i) = case { i > 0 and x(i) > 0: 1; else: 3; };",
		"value (branch (lt (const f32 0) (read x \"{ a_def[i] -> "
		"x[(i)] }\")) (const f32 1) (const f32 3))");
	lowered("out a() min= x(i);", "value (const f32 inf)");
	lowered("out a() max= x(i);", "value (const f32 -inf)");
	lowered("out a() *= x(i);", "value (const f32 1)");
	lowered("out a() = min(i: i64(x(i)));",
		"value (not (shl (const i64 1) (const i64 63)))");
	lowered("out a() = max(i: u8(x(i)));", "value (const u32 0)");
	lowered("out a(i) = x(i) * f32(i/2 + N);",
		"(cast f32 (index i64 \"[N] -> { a_def[i] -> "
		"[(N + floor((i)/2))] }\"))");
	lowered("out a(i,j) for 0<=j<=i<N = x(i);",
		"a_rest[i, j] : i >= 0 and i < j < N }");
	lowered("assume N >= 7; out a() = x(6);", "N >= 7 }\"\narray");
}

/* A value of "name" at (i,j) for N = 5 and x = 1, -2, 3, -4, 5. */
static void value(const char *text, double want)
{
	static const float x[] = { 1, -2, 3, -4, 5 };
	static const int8_t k[] = { 100, 27, -128, -1, 7 };
	static const uint64_t g[] = { 1, ~UINT64_C(0), 3, 0, 9 };
	const int64_t size = 5, none[1] = { 0 };
	struct poly_str source = { 0 };
	struct fe_interp *in;
	struct fe_value v = { NAN, -1, NAN, NAN };
	struct fe_unit *u;

	poly_str_printf(&source, "param N; tensor f32 x(N); tensor i8 k(N);"
		"tensor u64 g(N); %s", text);
	u = test_unit(source.s);
	in = u ? fe_interp_alloc(u, &size) : NULL;
	CHECK(in && fe_interp_set_input(in, "x", x) &&
		fe_interp_set_input(in, "k", k) &&
		fe_interp_set_input(in, "g", g));
	CHECK(in && fe_interp_eval(in, "v", none, &v));
	CHECK(v.exact == want);
	CHECK(fabs(v.wide - want) <= v.bound + 1e-6 * fabs(want));
	if (v.exact != want)
		fprintf(stderr, "%s\nis %.17g, not %.17g\n", text, v.exact,
			want);
	fe_interp_free(in);
	fe_unit_free(u);
	poly_str_free(&source);
}

static void check_values(void)
{
	value("out v() = sum(i: x(i));", 3);
	value("out v() = prod(i: x(i));", 120);
	value("out v() = min(i: x(i)) - max(i: x(i) * x(i));", -29);
	value("out v() = sum(i, j for 0<=j<i<N: x(i) * x(j));", -23);
	value("out v() = sum(i for 0<=i<N: i32(i)) + 0 * i32(k(0));", 10);
	value("out v() = min(i for 0<=i<0: k(i));", 127);
	value("out v() = max(i for 0<=i<0: k(i));", -128);
	value("out v() = k(0) + k(1) + k(4);", -122);
	value("out v() = k(2) / -1;", -128);
	value("out v() = i32(k(3)) % 3 + i32(k(2)) / 100;", -2);
	value("out v() = g(1) / 3 % 1000;", 205);
	value("out v() = i32(u8(k(3)));", 255);
	value("out v() = sum(i for -5<=i<5: i32(i/2) + i32(i%3));", 5);
	value("p(i) for 0<=i<N = case { i == 0: x(0); else: p(i-1) + x(i); };"
		"out v() = p(N-1);", 3);
	value("f(i) for 0<=i<=40 = case { i < 2: i64(i); else: f(i-1) + f(i-2);"
		" }; out v() = f(40);", 102334155);
	value("s(i) for 0<=i<N = x(N-1-i); out v() = s(0) - s(4);", 4);
	value("t(i) for -2<=i<3 = x(i+2); out v() = t(-2) + t(2);", 6);
	value("c(i) = case { i%2 == 0: x(i); else: -x(i); };"
		"out v() = sum(i: c(i));", 15);
	value("m() max= x(i); out v() = sum(i: x(i) == m() ? i32(i) : 0);", 4);
	value("out v() = f32(f16(x(2) / 3 + 0.0001));", 1);
	value("out v() = select(true and not false, x(1), x(2)) .* 2;", -4);
	value("out v() = lerp(x(0), x(2), 0.1);",
		(double)(1 * (1 - 0.1f) + 3 * 0.1f));
	value("out v() = lerp(x(0), x(2), 0) * 8 + lerp(x(0), x(2), 1);", 11);
	value("out v() = fma(x(0) + 0.000244140625, x(0) + 0.000244140625,"
		" -1);", 0x1.0008p-11);
	value("out v() = copysign(x(2), x(1)) * hypot(x(2), f32(x(3)));", -15);
	value("c(i) = case { x(i) > 0 and i > 0: 10 * x(i); i == 3: 7;"
		" k(i) > 50: x(1); else: 2; };"
		"out v() = c(0) + 100 * c(1) + 1000 * c(3) + c(4);", 7248);
	value("b(i) = k(i) > 50; c(i) = case { x(i) > 0 or b(i) or i == 3: 1;"
		" not (b(i) or i == 1): 2; else: 4; };"
		"out v() = sum(i: c(i));", 8);
	value("c(i) for 0<=i<=N = case { x(i) > 0 and (i < N and k(i) > 0): 1;"
		" i == N or x(i) > 0 : 2; else: 4; }; out v() = sum(i: c(i));",
		14);
	value("s(i) for 0<=i<N = case { i == 0: x(0); s(i-1) > 0: s(i-1) + 1;"
		" else: x(i); }; out v() = s(4);", 5);
	value("y(i) for 0<=i<N, 0<=k2<=i += x(k2); out v() = y(3);", -2);
}

/* Values that cannot be evaluated end the evaluation; nothing hangs. */
static void check_invalid(void)
{
	static const char *const text[] = {
		"param N; out v(i) for 0<=i<N = v(i) + 1;",
		"param N; a(i) for 0<=i<N = v(i); out v(i) for 0<=i<N = a(i);",
		"param N; out v(i) for 0<=i<N = v(i-1) + 1;",
		"param N; out v(i) for 0<=i<N = case { i > 0: 1; };",
	};
	const int64_t size = 3, first[1] = { 0 };
	struct fe_value v;
	size_t i;

	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct fe_unit *u = test_unit(text[i]);
		struct fe_interp *in = u ? fe_interp_alloc(u, &size) : NULL;

		CHECK(in && !fe_interp_eval(in, "v", first, &v));
		fe_interp_free(in);
		fe_unit_free(u);
	}
}

/* A chain of instances much longer than the stack is deep. */
static void check_long(void)
{
	const int64_t size = 300000, last[1] = { 299999 };
	struct fe_unit *u = test_unit("param N; out v(i) for 0<=i<N = case {"
		" i == 0: i64(1); else: v(i-1) + 1; };");
	struct fe_interp *in = u ? fe_interp_alloc(u, &size) : NULL;
	struct fe_value v = { 0, 0, 0, 0 };

	CHECK(in && fe_interp_eval(in, "v", last, &v));
	CHECK(v.integer == 300000);
	fe_interp_free(in);
	fe_unit_free(u);
}

void test_index(void)
{
	check_ranges();
	check_written();
	check_types();
	check_statements();
	check_lowered();
	check_values();
	check_invalid();
	check_long();
}
