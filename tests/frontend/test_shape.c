/* Shapes of all rules, broadcast, sizes, names, and what the checks print. */
#include "test.h"

/* The printed form of "text": of its declarations, or of its DAG. */
static char *print_unit(const char *text, bool dag)
{
	struct poly_str out = { 0 };
	struct fe_unit *u = test_unit(text);

	CHECK(u != NULL);
	if (u && dag)
		fe_print_dag(u, &out);
	else if (u)
		fe_print_check(u, &out);
	fe_unit_free(u);
	return out.s;
}

static void check_print(const char *text, bool dag, const char *want)
{
	char *got = print_unit(text, dag);

	SAME(got, want);
	free(got);
}

#define DECLARED "Params M, K, N; Matrix A(M,K); Matrix B(K,N);" \
	"Matrix C(M,N); Matrix D(M,N); Matrix r(1,N); Matrix c(M,1);" \
	"Matrix s(1,1); Matrix F(3,4); Matrix f(1,4); Matrix g(3,1);"

/* "expr" has the shape "want", such as "[M,N]"; NULL: it has none. */
static void check_shape(const char *expr, const char *want)
{
	struct poly_str text = { 0 };
	const char *mark;
	char *got;

	poly_str_printf(&text, DECLARED "X = %s;", expr);
	if (!want) {
		CHECK(!test_unit(text.s));
		CHECK(test_report.n_error == 1);
		poly_str_free(&text);
		return;
	}
	got = print_unit(text.s, false);
	mark = got ? strstr(got, " X") : NULL;
	CHECK(mark && !strncmp(mark + 2, want, strlen(want)) &&
		mark[2 + strlen(want)] == '\n');
	if (mark && strncmp(mark + 2, want, strlen(want)))
		fprintf(stderr, "%s is %s\n", expr, mark);
	free(got);
	poly_str_free(&text);
}

/* Table 1 of the paper: the seven rules, and what breaks them. */
static void check_rules(void)
{
	check_shape("C + D", "[M,N]");
	check_shape("C + A", NULL);
	check_shape("C - D", "[M,N]");
	check_shape("A - B", NULL);
	check_shape("A * B", "[M,N]");
	check_shape("B * A", NULL);
	check_shape("F * F", NULL);
	check_shape("F * F^T", "[3,3]");
	check_shape("A^T", "[K,M]");
	check_shape("A^T * A", "[K,K]");
	check_shape("ReLU(A)", "[M,K]");
	check_shape("Sigmoid(B)", "[K,N]");
	check_shape("Tanh(A * B)", "[M,N]");
	check_shape("exp(r) + log(r)", "[1,N]");
	check_shape("-c", "[M,1]");
}

static void check_broadcast(void)
{
	check_shape("C + r", "[M,N]");
	check_shape("r + C", "[M,N]");
	check_shape("C - c", "[M,N]");
	check_shape("c .* C", "[M,N]");
	check_shape("min(s, C)", "[M,N]");
	check_shape("max(C, s)", "[M,N]");
	check_shape("r + s", "[1,N]");
	check_shape("s + c", "[M,1]");
	check_shape("F + f - g", "[3,4]");
	check_shape("f + g", NULL);
	check_shape("r + c", NULL);
	check_shape("C + f", NULL);
	check_shape("C + r^T", NULL);
	check_shape("C + c^T", NULL);
	check_shape("A + r", NULL);
	check_shape("F + C", NULL);
	check_shape("C + 1", "[M,N]");
	check_shape("1 - s", "[1,1]");
	check_shape("2 + 3", "[1,1]");
}

/* "*" with something of one element. */
static void check_scaling(void)
{
	check_shape("2 * A", "[M,K]");
	check_shape("A * 2", "[M,K]");
	check_shape("2 * f", "[1,4]");
	check_shape("(2 * 3) * A", "[M,K]");
	check_shape("A * (1 - 0.5)", "[M,K]");
	check_shape("s * A", "[M,K]");
	check_shape("A * s", "[M,K]");
	check_shape("s * f", "[1,4]");
	check_shape("c * s", "[M,1]");
	check_shape("g * f", "[3,4]");
	check_shape("c * r", "[M,N]");
	check_shape("r * c", NULL);
	check_shape("f * F^T", "[1,3]");
	check_shape("exp(1) * A", "[M,K]");
}

/* A factor made of literals never makes a product, nor rounds what it scales;
 * an operand of one element does where the inner sizes agree.
 */
static void check_factor(void)
{
	char *dag = print_unit("Matrix f(1,4); X = 2 * f; Y = f' * (2 - 3);",
		true);

	CHECK(dag && !strstr(dag, ": * "));
	free(dag);
	dag = print_unit("Matrix f(1,4); Matrix s(1,1); X = s * f;", true);
	CHECK(dag && strstr(dag, "node 2: * 1 0 : "));
	free(dag);
}

/* Sizes agree by name or by value. */
static void check_sizes(void)
{
	static const char text[] = "Params M, N; Matrix A(M,N);"
		"Matrix B(N,M); Matrix C(3,3); X = A + B; Y = X * C;";
	static const char scalar[] = "Params M, N; Matrix A(M,N);"
		"Matrix B(5,N); X = A + B;";
	const struct fe_define same[] = { { "M", 3 }, { "N", 3 } };
	const struct fe_define one[] = { { "M", 1 } };
	const struct fe_define zero[] = { { "M", 0 }, { "N", 0 } };
	struct poly_str out = { 0 };
	struct fe_unit *u;

	CHECK(!test_read("t", text, strlen(text), NULL, 0));
	CHECK(test_report.n_error == 1);
	u = test_read("t", text, strlen(text), same, 2);
	CHECK(u != NULL);
	fe_unit_free(u);
	CHECK(!test_read("t", scalar, strlen(scalar), NULL, 0));
	u = test_read("t", scalar, strlen(scalar), one, 1);
	CHECK(u != NULL);
	if (u)
		fe_print_dag(u, &out);
	CHECK(out.s && strstr(out.s, "{ N2[i,j] -> A[0,j] }"));
	poly_str_free(&out);
	fe_unit_free(u);
	u = test_read("t", "Params M, N; Matrix A(M,N); B = A + A';", 39,
		zero, 2);
	CHECK(u != NULL);
	fe_unit_free(u);
	fe_unit_free(test_unit("Matrix A(0,0); B = A * A;"));
	CHECK(test_report.n_msg == 0);
}

#define FIG2 "Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\n" \
	"Matrix C(M,N);\nD = A * B;\nE = D + C;\nCodeGen(FLOAT, {E});\n"

static void check_declared(void)
{
	check_print(FIG2, false,
		"3 params: M K N\n"
		"3 inputs: A[M,K] B[K,N] C[M,N]\n"
		"2 derived matrices: D[M,N] E[M,N]\n"
		"1 output: E[M,N]\n"
		"stored as f32, computed in f32\n");
	check_print("Matrix A(0,3); C = A; C = C + A; CodeGen(HALF, {C});",
		false,
		"0 params:\n"
		"1 input: A[0,3]\n"
		"2 derived matrices: C[0,3] C[0,3]\n"
		"1 output: C[0,3]\n"
		"stored as f16, computed in f32\n");
}

static void check_dag(void)
{
	check_print(FIG2, true,
		"node 0: A : [M,K] -> "
		"{ A[i,j] : 0 <= i < M and 0 <= j < K }\n"
		"node 1: B : [K,N] -> "
		"{ B[i,j] : 0 <= i < K and 0 <= j < N }\n"
		"node 2: C : [M,N] -> "
		"{ C[i,j] : 0 <= i < M and 0 <= j < N }\n"
		"node 3: * 0 1 : [M,N] -> "
		"{ D[i,j] : 0 <= i < M and 0 <= j < N }\n"
		"node 4: + 3 2 : [M,N] -> "
		"{ E[i,j] : 0 <= i < M and 0 <= j < N }\n");
	check_print("Params N; Matrix A(2,N); Matrix v(1,2);"
		"B = A^T^T + v^T; C = (A^T + v)^T; D = B^T;", true,
		"node 0: A : [N] -> { A[i,j] : 0 <= i < 2 and 0 <= j < N }\n"
		"node 1: v : { v[i,j] : 0 <= i < 1 and 0 <= j < 2 }\n"
		"node 2: T 0 : [N] -> "
		"{ N2[i,j] : 0 <= i < N and 0 <= j < 2 }, "
		"{ N2[i,j] -> A[j,i] }\n"
		"node 3: T 2 : [N] -> "
		"{ N3[i,j] : 0 <= i < 2 and 0 <= j < N }, "
		"{ N3[i,j] -> A[i,j] }\n"
		"node 4: T 1 : { N4[i,j] : 0 <= i < 2 and 0 <= j < 1 }, "
		"{ N4[i,j] -> v[j,i] }\n"
		"node 5: Bcast 4 : [N] -> "
		"{ N5[i,j] : 0 <= i < 2 and 0 <= j < N }, "
		"{ N5[i,j] -> v[0,i] }\n"
		"node 6: + 3 5 : [N] -> "
		"{ B[i,j] : 0 <= i < 2 and 0 <= j < N }\n"
		"node 7: T 0 : [N] -> "
		"{ N7[i,j] : 0 <= i < N and 0 <= j < 2 }, "
		"{ N7[i,j] -> A[j,i] }\n"
		"node 8: Bcast 1 : [N] -> "
		"{ N8[i,j] : 0 <= i < N and 0 <= j < 2 }, "
		"{ N8[i,j] -> v[0,j] }\n"
		"node 9: + 7 8 : [N] -> "
		"{ N9[i,j] : 0 <= i < N and 0 <= j < 2 }\n"
		"node 10: T 9 : [N] -> "
		"{ C[i,j] : 0 <= i < 2 and 0 <= j < N }, "
		"{ C[i,j] -> N9[j,i] }\n"
		"node 11: T 6 : [N] -> "
		"{ D[i,j] : 0 <= i < N and 0 <= j < 2 }, "
		"{ D[i,j] -> B[j,i] }\n");
}

/* The names of inputs, outputs and parameters, and the unit's types. */
static void check_interface(void)
{
	struct fe_unit *u = test_unit("Params N, mod, i; Matrix A(N,mod);"
		"Matrix B(N,i); C = A .* 2; A = A + A; mat = B;"
		"floor = B; CodeGen(BFLOAT16, {A, floor, C});");

	CHECK(u != NULL);
	if (!u)
		return;
	CHECK(fe_unit_n_param(u) == 3 && fe_unit_n_input(u) == 2 &&
		fe_unit_n_output(u) == 3);
	SAME(fe_unit_param(u, 0), "N");
	SAME(fe_unit_param(u, 1), "mod_1");
	SAME(fe_unit_param(u, 2), "i");
	SAME(fe_unit_param_text(u, 2), "i");
	SAME(fe_unit_input(u, 0).name, "A_0");
	SAME(fe_unit_input(u, 1).name, "B");
	SAME(fe_unit_output(u, 0).name, "A");
	SAME(fe_unit_output(u, 1).name, "floor_1");
	SAME(fe_unit_output(u, 2).name, "C");
	CHECK(fe_unit_input(u, 0).type == POLY_BF16);
	CHECK(fe_unit_input(u, 0).is_input && !fe_unit_output(u, 0).is_input);
	fe_unit_free(u);
	CHECK(!fe_unit_free(NULL));
}

/* Without CodeGen: never-read matrices, of type f32. */
static void check_no_codegen(void)
{
	struct fe_unit *u = test_unit("Matrix A(2,2); B = A + A; C = B;"
		"D = B; E = A; E = E + A; F = C - C;");

	CHECK(u && fe_unit_n_output(u) == 3);
	if (!u)
		return;
	SAME(fe_unit_output(u, 0).name, "D");
	SAME(fe_unit_output(u, 1).name, "E");
	SAME(fe_unit_output(u, 2).name, "F");
	CHECK(fe_unit_output(u, 2).type == POLY_F32);
	fe_unit_free(u);
}

void test_shape(void)
{
	check_rules();
	check_broadcast();
	check_scaling();
	check_factor();
	check_sizes();
	check_declared();
	check_dag();
	check_interface();
	check_no_codegen();
}
