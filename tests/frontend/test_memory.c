/* Each allocation fails once: there is a message or a value, and no leak. */
#include "test.h"

static const char program[] =
	"Params M, N; Matrix A(M,N); Matrix B(N,M);"
	"C = A * B; D = ReLU(C + 1) * 0.5; U = D^T; V = U + D;"
	"CodeGen(HALF, {U, V});";
static const char indexed[] =
	"Params M, N; Matrix A(M,N); tensor f16 B(N,M); assume N <= 9;"
	"C = A + A; D(i,j) += C(i,k) * B(k,j) * C(0,j);"
	"V(i,j) for 0<=i<M = case { i < 1: D(i,j) + sum(k: D(i,k));"
	"else: D(i-1,j); };"
	"CodeGen(HALF, {V});";

/* True if reading came to its end although the n-th allocation failed. */
static bool read_fails(const char *text, long n)
{
	struct fe_unit *u;
	bool done;

	test_fail_at = n;
	u = test_read("t.dsl", text, strlen(text), NULL, 0);
	done = test_fail_at > 0;
	test_fail_at = 0;
	if (!u && test_report.n_msg)
		CHECK(test_report.msg[0].number == MSG_NO_MEMORY);
	fe_unit_free(u);
	return !done;
}

/* The same for lowering; what isl allocates does not fail. */
static bool lower_fails(const struct fe_unit *u, long n)
{
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_report report = { 0 };
	struct poly_prog *prog;
	bool done;

	test_fail_at = n;
	prog = fe_lower(u, ctx, &report);
	done = test_fail_at > 0;
	test_fail_at = 0;
	CHECK(prog || report.n_error);
	poly_prog_free(prog);
	poly_report_free(&report);
	CHECK(poly_ctx_free(ctx));
	return !done;
}

/* The same for evaluation. */
static bool interp_fails(const struct fe_unit *u, long n)
{
	static const int64_t param[2] = { 2, 2 }, one[2] = { 1, 1 };
	static const uint16_t data[4];
	struct fe_interp *in;
	struct fe_value v;
	bool done;

	test_fail_at = n;
	in = fe_interp_alloc(u, param);
	if (in && fe_interp_set_input(in, "A", data) &&
		fe_interp_set_input(in, "B", data)) {
		done = fe_interp_eval(in, "V", one, &v);
		CHECK(done == (test_fail_at > 0));
	}
	done = test_fail_at > 0;
	test_fail_at = 0;
	fe_interp_free(in);
	return !done;
}

static void check_program(const char *text)
{
	struct fe_unit *u = test_unit(text);
	long n;

	for (n = 1; read_fails(text, n); n++)
		;
	CHECK(n > 2);
	for (n = 1; lower_fails(u, n); n++)
		;
	CHECK(n > 20);
	for (n = 1; interp_fails(u, n); n++)
		;
	CHECK(n > 6);
	fe_unit_free(u);
}

void test_memory(void)
{
	check_program(program);
	check_program(indexed);
}
