/* Calls of cuBLAS, cuBLASLt and cuDNN that compute what a form does.
 *
 * Our matrices are in row-major order: to these libraries each is its
 * transpose, in column-major order. So C = A * B is asked for as
 * C^T = B^T * A^T, without moving anything.
 */
#include "tools/bench/bench_call.h"

/* The constants are read by the libraries through pointers, from memory of the
 * host.
 */
static const float zero = 0, one = 1;
static const double d_zero = 0, d_one = 1, alpha = 1.5, beta = 1.2;

/* What a library calls "as it is" and "transposed", the right side, the upper
 * half, and a diagonal of ones.
 */
enum { N, T };			/* operations */
enum { RIGHT = 1 };
enum { UPPER = 1 };
enum { UNIT = 1 };

/* Attributes and values of cuBLASLt. */
enum { R_32F = 0, COMPUTE_32F = 68, EPILOGUE = 7, BIAS_POINTER = 8,
	RELU_BIAS = 6, MOST_WORK = 1 };
/* Values of cuDNN. */
enum { NCHW = 0, FLOAT32 = 0, RELU = 1, SKIP_NAN = 0 };
/* Places in the plan. */
enum { DESC, LAYOUT_A, LAYOUT_B, LAYOUT_C, PREF, TENSOR_B, TENSOR_C, RELU_OP };

/* Evaluate calls in turn until one fails.
 *
 * So that a sequence of calls returns the first number that is not 0.
 */
#define THEN(r, call) ((r) ? (r) : (call))

/* The handle of the library for products. */
static void *blas(const struct tool_libraries *l)
{
	return l->handle[TOOL_CUBLAS];
}

/* --------------------------------------------------------------- products */

/* C(m,n) = op(A) * op(B), all in row-major order.
 *
 * The operands change places, and so do the rows and columns (see above). A
 * leading dimension is the length of a row as it is stored.
 */
static int gemm(struct tool_libraries *l, int op_a, int op_b, int64_t m,
	int64_t n, int64_t k, uint64_t a, uint64_t b, uint64_t c)
{
	return l->sgemm(blas(l), op_b, op_a, (int)n, (int)m, (int)k, &one, b,
		(int)(op_b ? k : n), a, (int)(op_a ? m : k), &zero, c, (int)n);
}

/* All calls take the sizes "n" of their form and the addresses "p" of its
 * arrays, and return 0 or the library's error.
 */
int tool_call_gemm_nn(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return gemm(l, N, N, n[0], n[1], n[2], p[0], p[1], p[2]);
}

int tool_call_gemm_tn(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return gemm(l, T, N, n[0], n[1], n[2], p[0], p[1], p[2]);
}

int tool_call_gemm_nt(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return gemm(l, N, T, n[0], n[1], n[2], p[0], p[1], p[2]);
}

int tool_call_gemm_tt(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return gemm(l, T, T, n[0], n[1], n[2], p[0], p[1], p[2]);
}

/* The output holds the input C when the call begins (poison in bench_row.c). */
int tool_call_gemm_scaled(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	static const float three = 3, two = 2;

	return l->sgemm(blas(l), N, N, (int)n[1], (int)n[0], (int)n[2], &three,
		p[1], (int)n[1], p[0], (int)n[2], &two, p[3], (int)n[1]);
}

/* In column-major order A is its transpose: so the product that we call plain
 * is the transposed one there.
 */
int tool_call_gemv_n(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->sgemv(blas(l), T, (int)n[1], (int)n[0], &one, p[0],
		(int)n[1], p[1], 1, &zero, p[2], 1);
}

int tool_call_gemv_t(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->sgemv(blas(l), N, (int)n[1], (int)n[0], &one, p[0],
		(int)n[1], p[1], 1, &zero, p[2], 1);
}

/* --------------------------------------------------------- with epilogues */

/* What a plan has is made once a row, by the "prepare" of the base. */

/* A matrix is a tensor with two dimensions of 1. */
static int make_tensor(struct tool_libraries *l, int at, int64_t rows,
	int64_t columns)
{
	int r = l->tensor_create(&l->plan[at]);

	return THEN(r, l->tensor_set(l->plan[at], NCHW, FLOAT32, (int)rows,
		(int)columns, 1, 1));
}

/* The last number is a limit, which this activation does not use. */
static int make_relu(struct tool_libraries *l)
{
	int r = l->activation_create(&l->plan[RELU_OP]);

	return THEN(r, l->activation_set(l->plan[RELU_OP], RELU, SKIP_NAN,
		0.0));
}

/* C and the row that is added to it, as tensors. */
int tool_prepare_bias_relu(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	int r = make_tensor(l, TENSOR_C, n[0], n[1]);

	(void)p;
	r = THEN(r, make_tensor(l, TENSOR_B, 1, n[1]));
	return THEN(r, make_relu(l));
}

/* In place. */
static int relu(struct tool_libraries *l, uint64_t c)
{
	return l->activate(l->handle[TOOL_CUDNN], l->plan[RELU_OP], &one,
		l->plan[TENSOR_C], c, &zero, l->plan[TENSOR_C], c);
}

/* Three calls: the product, the addition, the activation. */
int tool_call_bias_relu(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	int r = gemm(l, N, N, n[0], n[1], n[2], p[0], p[1], p[3]);

	r = THEN(r, l->add_tensor(l->handle[TOOL_CUDNN], &one,
		l->plan[TENSOR_B], p[2], &one, l->plan[TENSOR_C], p[3]));
	return THEN(r, relu(l, p[3]));
}

/* Describe the arrays of C = A B. The library reads matrices column by column,
 * so each is described as its transpose.
 *
 * Row-major M x K is column-major K x M with the same leading dimension.
 */
static int make_layouts(struct tool_libraries *l, const int64_t *n)
{
	int r = l->lt_layout_create(&l->plan[LAYOUT_A], R_32F,
		(uint64_t)n[2], (uint64_t)n[0], n[2]);

	r = THEN(r, l->lt_layout_create(&l->plan[LAYOUT_B], R_32F,
		(uint64_t)n[1], (uint64_t)n[2], n[1]));
	return THEN(r, l->lt_layout_create(&l->plan[LAYOUT_C], R_32F,
		(uint64_t)n[1], (uint64_t)n[0], n[1]));
}

/* Let the library choose how it computes C' = B' A' with the workspace that
 * there is; not 0 if it finds no way.
 *
 * One way is asked for: the one that the library thinks best.
 */
static int choose(struct tool_libraries *l)
{
	const size_t most = TOOL_LIBRARY_WORK;
	int r = l->lt_pref_create(&l->plan[PREF]), found = 0;

	r = THEN(r, l->lt_pref_set(l->plan[PREF], MOST_WORK, &most,
		sizeof(most)));
	r = THEN(r, l->lt_choose(l->handle[TOOL_CUBLASLT], l->plan[DESC],
		l->plan[LAYOUT_B], l->plan[LAYOUT_A], l->plan[LAYOUT_C],
		l->plan[LAYOUT_C], l->plan[PREF], 1, &l->choice, &found));
	return r ? r : found < 1;
}

/* Product, addition and activation are one call here. */
int tool_prepare_lt(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	const int epilogue = RELU_BIAS;
	int r = l->lt_desc_create(&l->plan[DESC], COMPUTE_32F, R_32F);

	r = THEN(r, l->lt_desc_set(l->plan[DESC], EPILOGUE, &epilogue,
		sizeof(epilogue)));
	r = THEN(r, l->lt_desc_set(l->plan[DESC], BIAS_POINTER, &p[2],
		sizeof(p[2])));
	r = THEN(r, make_layouts(l, n));
	return THEN(r, choose(l));
}

/* All that it needs is in the plan. */
int tool_call_lt(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	(void)n;
	return l->lt_matmul(l->handle[TOOL_CUBLASLT], l->plan[DESC], &one,
		p[1], l->plan[LAYOUT_B], p[0], l->plan[LAYOUT_A], &zero, p[3],
		l->plan[LAYOUT_C], p[3], l->plan[LAYOUT_C], l->choice.algo,
		l->work, l->choice.work_size, l->gpu->handle);
}

/* ----------------------------------------------------------------- chains */

/* Sizes M K H N; the first product goes to memory of the plan.
 *
 * The activation needs the second library; the plain chain does without.
 */
int tool_prepare_chain(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	int r = l->gpu->mem_alloc(&l->temp, (size_t)(4 * n[0] * n[2]));

	(void)p;
	if (!l->there[TOOL_CUDNN])
		return r;
	r = THEN(r, make_tensor(l, TENSOR_C, n[0], n[2]));
	return THEN(r, make_relu(l));
}

/* The intermediate result goes through memory. */
int tool_call_chain(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	int r = gemm(l, N, N, n[0], n[2], n[1], p[0], p[1], l->temp);

	return THEN(r, gemm(l, N, N, n[0], n[3], n[2], l->temp, p[2], p[3]));
}

/* Three calls. */
int tool_call_chain_relu(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	int r = gemm(l, N, N, n[0], n[2], n[1], p[0], p[1], l->temp);

	r = THEN(r, relu(l, l->temp));
	return THEN(r, gemm(l, N, N, n[0], n[3], n[2], l->temp, p[2], p[3]));
}

/* -------------------------------------------------------------- PolyBench */

/* In f64. Each output that is updated holds its input before. */

int tool_call_p_gemm(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->dgemm(blas(l), N, N, (int)n[1], (int)n[0], (int)n[2],
		&alpha, p[1], (int)n[1], p[0], (int)n[2], &beta, p[3],
		(int)n[1]);
}

/* The arrays are A a b c d y z S x w.
 *
 *	S = A + a b^T + c d^T
 *	x = beta S^T y + z
 *	w = alpha S x
 */
int tool_call_p_gemver(struct tool_libraries *l, const int64_t *size,
	const uint64_t *p)
{
	int n = (int)size[0], r;

	r = l->dcopy(blas(l), n * n, p[0], 1, p[7], 1);
	r = THEN(r, l->dger(blas(l), n, n, &d_one, p[2], 1, p[1], 1, p[7],
		n));
	r = THEN(r, l->dger(blas(l), n, n, &d_one, p[4], 1, p[3], 1, p[7],
		n));
	r = THEN(r, l->dcopy(blas(l), n, p[6], 1, p[8], 1));
	r = THEN(r, l->dgemv(blas(l), N, n, n, &beta, p[7], n, p[5], 1,
		&d_one, p[8], 1));
	return THEN(r, l->dgemv(blas(l), T, n, n, &alpha, p[7], n, p[8], 1,
		&d_zero, p[9], 1));
}

/*	y = alpha A x, then y += beta B x */
int tool_call_p_gesummv(struct tool_libraries *l, const int64_t *size,
	const uint64_t *p)
{
	int n = (int)size[0], r;

	r = l->dgemv(blas(l), T, n, n, &alpha, p[0], n, p[2], 1, &d_zero,
		p[3], 1);
	return THEN(r, l->dgemv(blas(l), T, n, n, &beta, p[1], n, p[2], 1,
		&d_one, p[3], 1));
}

/* The symmetric matrix stands on the left for us, so on the right for the
 * library; our lower half is its upper one.
 */
int tool_call_p_symm(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->dsymm(blas(l), RIGHT, UPPER, (int)n[1], (int)n[0], &alpha,
		p[0], (int)n[0], p[1], (int)n[1], &beta, p[3], (int)n[1]);
}

/* The same exchange of halves. */
int tool_call_p_syrk(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->dsyrk(blas(l), UPPER, T, (int)n[0], (int)n[1], &alpha, p[0],
		(int)n[1], &beta, p[2], (int)n[0]);
}

int tool_call_p_syr2k(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->dsyr2k(blas(l), UPPER, T, (int)n[0], (int)n[1], &alpha, p[0],
		(int)n[1], p[1], (int)n[1], &beta, p[3], (int)n[0]);
}

/* B is copied: the output is another array. */
int tool_call_p_trmm(struct tool_libraries *l, const int64_t *n,
	const uint64_t *p)
{
	return l->dtrmm(blas(l), RIGHT, UPPER, T, UNIT, (int)n[1], (int)n[0],
		&alpha, p[0], (int)n[0], p[1], (int)n[1], p[2], (int)n[1]);
}

/* ----------------------------------------------------------------- ending */

/* Whatever parts the plan has. Each row makes its own. */
void tool_library_forget(struct tool_libraries *l)
{
	int i;

	if (l->plan[DESC])
		l->lt_desc_destroy(l->plan[DESC]);
	for (i = LAYOUT_A; i <= LAYOUT_C; i++)
		if (l->plan[i])
			l->lt_layout_destroy(l->plan[i]);
	if (l->plan[PREF])
		l->lt_pref_destroy(l->plan[PREF]);
	for (i = TENSOR_B; i <= TENSOR_C; i++)
		if (l->plan[i])
			l->tensor_destroy(l->plan[i]);
	if (l->plan[RELU_OP])
		l->activation_destroy(l->plan[RELU_OP]);
	if (l->temp)
		l->gpu->mem_free(l->temp);
	for (i = 0; i <= RELU_OP; i++)
		l->plan[i] = NULL;
	l->temp = 0;
}
