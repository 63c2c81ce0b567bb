/* Tokens, grammar, limits, and how messages print. */
#include "test.h"

#define A "Matrix A(2,2);"

/* What the lexer takes and refuses. */
static void check_tokens(void)
{
	SAME(test_numbers(A "B = A+A;"), "");
	SAME(test_numbers(A "B=A^T+A'+A^T^T'';"), "");
	SAME(test_numbers(A "B = A + A\v\f\r\n\t;"), "");
	SAME(test_numbers("Matrix _a1(2,2); B = _a1 + _a1;"), "");
	SAME(test_numbers(A "B = A + 1 + 1.5 + .5 + 5. + 1e3 + 1E-3 + 1.e+2;"),
		"");
	SAME(test_numbers(A "B = 2.*A + 2. .*A + 2 .* A + A.*2;"), "");
	SAME(test_numbers(A "B = A /* x */ + /* /* y */ // */ A; // z"), "");
	SAME(test_numbers(A "# CodeGen\nB = A + A; #"), "");
	SAME(test_numbers(A "T = A + A; B = T^T + T'; D = A^T;"), "");
	SAME(test_numbers(A "B = A $ A;"), "101");
	SAME(test_numbers(A "B = A \x01 A;"), "101");
	SAME(test_numbers(A "B = \xc3\xa9\xc3 A;"), "101");
	SAME(test_numbers(A "B = A; /*"), "102");
	SAME(test_numbers(A "B = 1a * 1..2 * A;"), "103 103");
	SAME(test_numbers(A "B = 1.5.*A;"), "");
	SAME(test_numbers("tensor i64 x(2); out y(i) = x(i) + 9007199254740992 - "
		"00000000000000000000009007199254740992;"), "");
	SAME(test_numbers("tensor i64 x(2); out y(i) = x(i) - 9007199254740993;"),
		"117");
}

/* Bytes that no text file should have. */
static void check_bytes(void)
{
	static const char nul[] = A "B = A\0A;";
	static const char hidden[] = A "B = A + A; // \0 \xff\n";
	static const char mark[] = "\xef\xbb\xbf" A "B = A $ A;";

	CHECK(!test_read("t", nul, sizeof(nul) - 1, NULL, 0));
	CHECK(test_report.msg[0].number == MSG_FE_CHARACTER);
	CHECK(strstr(test_report.msg[0].text, "0x00") != NULL);
	CHECK(test_report.msg[0].loc.col == 20);
	fe_unit_free(test_read("t", hidden, sizeof(hidden) - 1, NULL, 0));
	CHECK(test_report.n_msg == 0);
	CHECK(!test_read("t", mark, sizeof(mark) - 1, NULL, 0));
	CHECK(test_report.msg[0].loc.col == 21);
	CHECK(!test_read("t", "", 0, NULL, 0));
	CHECK(!test_read("t", "\xef\xbb\xbf", 3, NULL, 0));
}

/* The shape of a unit whose last line is "line". */
static void check_tree(const char *line, const char *want)
{
	struct poly_str text = { 0 }, out = { 0 };
	struct fe_unit *u;
	char *mark;

	poly_str_printf(&text, "Matrix A(2,2); Matrix B(2,2); Matrix C(2,2);"
		"X = %s;", line);
	u = test_unit(text.s);
	CHECK(u != NULL);
	if (u)
		fe_print_dag(u, &out);
	mark = out.s ? strstr(out.s, "node 3:") : NULL;
	for (text.len = 0; mark && *mark; mark = strchr(mark, '\n') + 1) {
		mark = strchr(mark, ':') + 2;
		poly_str_printf(&text, "%s%.*s", text.len ? "; " : "",
			(int)(strstr(mark, " :") - mark), mark);
	}
	SAME(text.s, want);
	poly_str_free(&text);
	poly_str_free(&out);
	fe_unit_free(u);
}

/* Precedence and association, seen in the nodes: inputs are 0, 1, 2. */
static void check_precedence(void)
{
	check_tree("A + B + C", "+ 0 1; + 3 2");
	check_tree("A - B - C", "- 0 1; - 3 2");
	check_tree("A - (B - C)", "- 1 2; - 0 3");
	check_tree("A + B * C", "* 1 2; + 0 3");
	check_tree("A * B * C", "* 0 1; * 3 2");
	check_tree("A * B .* C", "* 0 1; .* 3 2");
	check_tree("A .* B * C", ".* 0 1; * 3 2");
	check_tree("A * B^T", "T 1; * 0 3");
	check_tree("(A * B)^T", "* 0 1; T 3");
	check_tree("-A * B", "neg 0; * 3 1");
	check_tree("-A^T", "T 0; neg 3");
	check_tree("A * -B", "neg 1; * 0 3");
	check_tree("A - -B", "neg 1; - 0 3");
	check_tree("-(-A)", "neg 0; neg 3");
	check_tree("--A", "neg 0; neg 3");
	check_tree("-2 + A", "-2; Bcast 3; + 4 0");
	check_tree("A''", "T 0; T 3");
	check_tree("transpose(A)^T'", "T 0; T 3; T 4");
	check_tree("ReLU(A) + Sigmoid(B) + Tanh(C)",
		"ReLU 0; Sigmoid 1; + 3 4; Tanh 2; + 5 6");
	check_tree("exp(A) - log(B) - sqrt(C) - abs(A)",
		"exp 0; log 1; - 3 4; sqrt 2; - 5 6; abs 0; - 7 8");
	check_tree("min(A, B + C)", "+ 1 2; min 0 3");
	check_tree("MAX(A, elementwise_mul(B, C))", ".* 1 2; max 0 3");
	check_tree("rElU(A)", "ReLU 0");
}

/* Repeat "part" "n" times between "head" and "tail". */
static char *repeat(const char *head, const char *part, int n,
	const char *tail)
{
	struct poly_str text = { 0 };
	int i;

	poly_str_add(&text, head);
	for (i = 0; i < n; i++)
		poly_str_add(&text, part);
	poly_str_add(&text, tail);
	return text.s;
}

/* A program made by repetition has just the messages "numbers". */
static void check_repeated(const char *head, const char *part, int n,
	const char *tail, const char *numbers)
{
	char *text = repeat(head, part, n, tail);

	SAME(test_numbers(text), numbers);
	free(text);
}

static void check_limits(void)
{
	char *text;

	check_repeated(A "B = ", "", 0, "A;", "");
	text = repeat(A "B = ", "(", 256, "A");
	check_repeated(text, ")", 256, ";", "");
	free(text);
	check_repeated(A "B = ", "(", 257, "A;", "106");
	check_repeated(A "B = ", "-", 256, "A;", "");
	check_repeated(A "B = ", "-", 257, "A;", "106");
	check_repeated(A "B = ", "ReLU(", 100000, "A;", "106");
	check_repeated(A "B = A", " + (A) - -ReLU(-A)", 300, ";", "");
	check_repeated(A, "B = A + A;", 1, "", "");
	check_repeated(A "B = A;", "B = B;", 9999, "", "");
	check_repeated(A "B = A;", "B = B;", 10000, "C = C;", "108");
	check_repeated(A "B = A", " + A", 200000, ";", "");
	check_repeated(A "B = A", "'", 200000, ";", "");
	text = repeat(A "B = A; //", "x", (1 << 20) - 23, "");
	CHECK(strlen(text) == 1 << 20);
	SAME(test_numbers(text), "");
	free(text);
	check_repeated(A "B = A; //", "x", (1 << 20) - 22, "", "105");
	text = repeat("Matrix ", "a", 64, "(2,2);B=");
	check_repeated(text, "a", 64, ";", "");
	free(text);
	check_repeated(A "B = A +", "a", 65, ";", "104");
}

/* Many errors end at a limit, in every stage, and those of one number sooner. */
static void check_many(void)
{
	char *text;
	int i;

	text = repeat(A, "B = @; D = A + A(1); F = sum(A, A); H = A .; J = A A;\n"
		"Matrix Q(99999999999, 2);\n", 5000, "");
	CHECK(!test_unit(text));
	CHECK(test_report.n_error == 51);
	CHECK(test_report.msg[test_report.n_msg - 1].number == MSG_FE_ERRORS);
	free(text);
	text = repeat(A "B = A", " + C(", 1, "");
	CHECK(!test_unit(text));
	free(text);
	text = repeat(A "Matrix D(3,3); B = A", ";B = A * D", 5000, ";");
	CHECK(!test_unit(text));
	CHECK(test_report.n_error == 10);
	for (i = 0; i < 10; i++)
		CHECK(test_report.msg[i].number == MSG_FE_INNER);
	CHECK(test_report.msg[10].number == MSG_FE_KIND);
	free(text);
}

static void check_printed(const char *text, const char *want)
{
	char *printed;

	fe_unit_free(test_unit(text));
	printed = test_printed("d/test.dsl", text, strlen(text));
	SAME(printed, want);
	free(printed);
}

static void check_print(void)
{
	char *text, *printed;

	check_printed("Matrix A(2,2);\n\tB = A +\tUndefined; // x\r\nC = A;\n",
		"d/test.dsl:2:10: error[E201]: 'Undefined' is not defined\n"
		"    \tB = A +\tUndefined; // x\n"
		"    \t       \t^~~~~~~~~\n");
	check_printed("/* \xc3\xa9 \x01 */ Matrix A(2,2);\nB = A + A",
		"d/test.dsl:2:10: error[E107]: expected ';', "
		"found the end of the file\n"
		"    B = A + A\n"
		"             ^\n");
	check_printed("/*\xc3\xa9\x01*/ Matrix A(2,2); B = C;",
		"d/test.dsl:1:28: error[E201]: 'C' is not defined\n"
		"    /*\xc3\xa9?*/ Matrix A(2,2); B = C;\n"
		"                              ^\n");
	check_printed("Matrix A(2,2); Matrix B(2,2); C = A + A;",
		"d/test.dsl:1:23: warning[W231]: the matrix 'B' is never "
		"read\n"
		"    Matrix A(2,2); Matrix B(2,2); C = A + A;\n"
		"                          ^\n");
	check_printed("// nothing",
		"d/test.dsl: error[E219]: the program defines no matrix\n");
	text = repeat(A "B = ", "A + ", 2000, "X;");
	fe_unit_free(test_unit(text));
	printed = test_printed("t", text, strlen(text));
	CHECK(strlen(printed) < 500);
	CHECK(strstr(printed, "X;\n") && strstr(printed, "  ^\n"));
	free(printed);
	printed = test_printed("t", NULL, 0);
	SAME(printed, "t:1:8019: error[E201]: 'X' is not defined\n");
	free(printed);
	free(text);
}

/* Messages come in the order of the text, whoever found them. */
static void check_order(void)
{
	SAME(test_numbers(A "B = A A; C = @; D = A A;"), "107 101 107");
	SAME(test_numbers("Matrix A(2,N); B = X; Matrix B(3,3);"), "109");
	SAME(test_numbers("Matrix A(2,N); Params N, N; B = X + A;"),
		"203 201");
}

void test_text(void)
{
	check_tokens();
	check_bytes();
	check_precedence();
	check_limits();
	check_many();
	check_print();
	check_order();
}
