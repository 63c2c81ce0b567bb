/* Single elements of the outputs of all forms, computed on the host in f64.
 *
 * The bound beside a sum of n terms is (n + 4) u times the sum of their
 * absolute values, with u the unit roundoff of the type: it holds for any
 * order, with and without fused operations, for each term a product of up to
 * three factors, and for a few operations behind the sum (Higham, Accuracy and
 * Stability, section 3.1).
 */
#include <math.h>

#include "tools/bench/bench_call.h"

/* The unit roundoffs of both types of the suites. */
static const double U32 = 0x1p-24, U64 = 0x1p-53;

/* A sum that is being formed.
 *
 * "size" is the sum of the absolute values of the terms.
 */
struct sum {
	double value, size;
	int64_t n;
};

/* Add a term, and its size to that of all, from which the bound follows.
 *
 * The terms are added in f64, whatever type the program has.
 */
static void add(struct sum *s, double term)
{
	s->value += term;
	s->size += fabs(term);
	s->n++;
}

/* The sum, and how far off it may be in any order of terms, for a unit roundoff
 * "u".
 *
 * 1e-37 is there so that a sum of zeros has a bound that is not 0.
 */
static struct tool_bench_value finish(const struct sum *s, double u)
{
	double factor = (double)(s->n + 4) * u;

	return (struct tool_bench_value){ s->value,
		s->size * factor / (1 - factor) + 1e-37 };
}

/* For forms of f32. */
static struct tool_bench_value finish32(const struct sum *s)
{
	return finish(s, U32);
}

/* The bound of a sum holds behind it as well: it moves no two values apart. */
static double relu(double x)
{
	return x > 0 ? x : 0;
}

/* Element "i" of the first input, and so on.
 *
 * The functions below read like the texts of the forms.
 */
static double in0(const struct tool_bench_data *d, int64_t i)
{
	return tool_bench_element(d, 0, i);
}

static double in1(const struct tool_bench_data *d, int64_t i)
{
	return tool_bench_element(d, 1, i);
}

static double in2(const struct tool_bench_data *d, int64_t i)
{
	return tool_bench_element(d, 2, i);
}

/* --------------------------------------------------------------- products */

/* Element "i" of a product of the first two inputs: sizes M N K.
 *
 * A transposed matrix is stored as its transpose: A(k,row) instead of A(row,k).
 */
static struct sum multiply(const struct tool_bench_data *d, const int64_t *n,
	int64_t i, bool a_is_t, bool b_is_t)
{
	int64_t row = i / n[1], column = i % n[1], k;
	struct sum s = { 0 };

	for (k = 0; k < n[2]; k++)
		add(&s, in0(d, a_is_t ? k * n[0] + row : row * n[2] + k) *
			in1(d, b_is_t ? column * n[2] + k :
				k * n[1] + column));
	return s;
}

/* All references have one signature. "n" has the sizes in the form's order,
 * "out" the number of the output, and "i" the position in it, row by row.
 */
#define REFERENCE(name)							\
	struct tool_bench_value tool_ref_##name(			\
		const struct tool_bench_data *d, const int64_t *n, int out,\
		int64_t i)

/* The four products differ by which operand is stored transposed. */
REFERENCE(gemm_nn)
{
	struct sum s = multiply(d, n, i, false, false);

	(void)out;
	return finish32(&s);
}

REFERENCE(gemm_tn)
{
	struct sum s = multiply(d, n, i, true, false);

	(void)out;
	return finish32(&s);
}

REFERENCE(gemm_nt)
{
	struct sum s = multiply(d, n, i, false, true);

	(void)out;
	return finish32(&s);
}

REFERENCE(gemm_tt)
{
	struct sum s = multiply(d, n, i, true, true);

	(void)out;
	return finish32(&s);
}

/*	3 A B + 2 C */
REFERENCE(gemm_scaled)
{
	struct sum s = multiply(d, n, i, false, false);

	(void)out;
	s.value *= 3;
	s.size *= 3;
	add(&s, 2 * in2(d, i));
	return finish32(&s);
}

/*	relu(A B + b), with b along the rows */
REFERENCE(bias_relu)
{
	struct sum s = multiply(d, n, i, false, false);

	(void)out;
	add(&s, in2(d, i % n[1]));
	s.value = relu(s.value);
	return finish32(&s);
}

/*	y(i) = sum(j: A(i,j) x(j)) */
REFERENCE(gemv_n)
{
	struct sum s = { 0 };
	int64_t j;

	(void)out;
	for (j = 0; j < n[1]; j++)
		add(&s, in0(d, i * n[1] + j) * in1(d, j));
	return finish32(&s);
}

/*	y(i) = sum(j: A(j,i) x(j)) */
REFERENCE(gemv_t)
{
	struct sum s = { 0 };
	int64_t j;

	(void)out;
	for (j = 0; j < n[0]; j++)
		add(&s, in0(d, j * n[1] + i) * in1(d, j));
	return finish32(&s);
}

/* ----------------------------------------------------------- contractions */

/*	C(i,j) = min(k: A(i,k) + B(k,j))
 *
 * A minimum rounds nothing: the bound is that of one addition, with room.
 */
REFERENCE(min_plus)
{
	int64_t row = i / n[1], column = i % n[1], k;
	double x, least = INFINITY;

	(void)out;
	for (k = 0; k < n[2]; k++) {
		x = in0(d, row * n[2] + k) + in1(d, k * n[1] + column);
		least = x < least ? x : least;
	}
	return (struct tool_bench_value){ least, 16 * U32 };
}

/*	C(i,j) = sum(k: |A(i,k) - B(k,j)|) */
REFERENCE(distance)
{
	int64_t row = i / n[1], column = i % n[1], k;
	struct sum s = { 0 };

	(void)out;
	for (k = 0; k < n[2]; k++)
		add(&s, fabs(in0(d, row * n[2] + k) -
			in1(d, k * n[1] + column)));
	return finish32(&s);
}

/*	C(i,j) = sum(k: A(i,k) B(k,j) w(k)) */
REFERENCE(weighted)
{
	int64_t row = i / n[1], column = i % n[1], k;
	struct sum s = { 0 };

	(void)out;
	for (k = 0; k < n[2]; k++)
		add(&s, in0(d, row * n[2] + k) *
			in1(d, k * n[1] + column) * in2(d, k));
	return finish32(&s);
}

/* Sizes M N K P; C(b,j,i) with b below P, j below N, i below M.
 *
 * A(i,b,k) has the batch in its second place, B(b,k,j) in its first.
 */
REFERENCE(batch)
{
	int64_t row = i % n[0], column = i / n[0] % n[1];
	int64_t b = i / n[0] / n[1], k;
	struct sum s = { 0 };

	(void)out;
	for (k = 0; k < n[2]; k++)
		add(&s, in0(d, (row * n[3] + b) * n[2] + k) *
			in1(d, (b * n[2] + k) * n[1] + column));
	return finish32(&s);
}

/* Sizes I J P Q K L; C(i,j,p,q).
 *
 * A(i,k,p,l) and B(l,j,k,q): two indices are summed over.
 */
REFERENCE(four)
{
	int64_t q = i % n[3], p = i / n[3] % n[2];
	int64_t j = i / n[3] / n[2] % n[1], row = i / n[3] / n[2] / n[1];
	int64_t k, l;
	struct sum s = { 0 };

	(void)out;
	for (k = 0; k < n[4]; k++)
		for (l = 0; l < n[5]; l++)
			add(&s, in0(d, ((row * n[4] + k) * n[2] + p) * n[5] +
				l) * in1(d, ((l * n[1] + j) * n[4] + k) *
				n[3] + q));
	return finish32(&s);
}

/* ----------------------------------------------------------------- chains */

/* Sizes M K H N: each element of the first product is rounded.
 *
 * The error of an element of the first product goes into the second one times
 * the absolute value of its factor; all that is added up in "within".
 */
static struct tool_bench_value chain(const struct tool_bench_data *d,
	const int64_t *n, int64_t i, bool is_relu)
{
	int64_t row = i / n[3], column = i % n[3], k, h;
	struct sum s = { 0 }, one;
	double w, within = 0;

	for (h = 0; h < n[2]; h++) {
		one = (struct sum){ 0 };
		for (k = 0; k < n[1]; k++)
			add(&one, in0(d, row * n[1] + k) *
				in1(d, k * n[2] + h));
		w = in2(d, h * n[3] + column);
		within += finish32(&one).bound * fabs(w);
		add(&s, (is_relu ? relu(one.value) : one.value) * w);
	}
	return (struct tool_bench_value){ s.value, finish32(&s).bound +
		within * (1 + (double)(n[2] + 4) * U32) };
}

/*	(A B) C, and relu(A B) C */
REFERENCE(chain)
{
	(void)out;
	return chain(d, n, i, false);
}

REFERENCE(chain_relu)
{
	(void)out;
	return chain(d, n, i, true);
}

/* ------------------------------------------------- element-wise and sums */

/* No operation rounds: the element must be exact. */
REFERENCE(relu)
{
	(void)out;
	(void)n;
	return (struct tool_bench_value){ relu(in0(d, i)), 0 };
}

/*	A + B */
REFERENCE(add)
{
	struct sum s = { 0 };

	(void)out;
	(void)n;
	add(&s, in0(d, i));
	add(&s, in1(d, i));
	return finish32(&s);
}

/*	relu(A + b), with b along the rows */
REFERENCE(row)
{
	struct sum s = { 0 };

	(void)out;
	add(&s, in0(d, i));
	add(&s, in1(d, i % n[1]));
	s.value = relu(s.value);
	return finish32(&s);
}

/*	A(i,j) b(i) */
REFERENCE(column)
{
	struct sum s = { 0 };

	(void)out;
	add(&s, in0(d, i) * in1(d, i / n[1]));
	return finish32(&s);
}

/*	relu(A B + c) + A / 2, element by element */
REFERENCE(chained)
{
	struct sum s = { 0 };

	(void)out;
	add(&s, in0(d, i) * in1(d, i));
	add(&s, in2(d, i % n[1]));
	s.value = relu(s.value);
	add(&s, 0.5 * in0(d, i));
	return finish32(&s);
}

/*	y(i) = sum(j: A(i,j)) */
REFERENCE(rows)
{
	struct sum s = { 0 };
	int64_t j;

	(void)out;
	for (j = 0; j < n[1]; j++)
		add(&s, in0(d, i * n[1] + j));
	return finish32(&s);
}

/*	y(j) = sum(i: A(i,j)) */
REFERENCE(columns)
{
	struct sum s = { 0 };
	int64_t j;

	(void)out;
	for (j = 0; j < n[0]; j++)
		add(&s, in0(d, j * n[1] + i));
	return finish32(&s);
}

/* The largest of a row, which is exact. */
REFERENCE(row_max)
{
	double most = -INFINITY;
	int64_t j;

	(void)out;
	for (j = 0; j < n[1]; j++)
		most = fmax(most, in0(d, i * n[1] + j));
	return (struct tool_bench_value){ most, 0 };
}

/*	B(j,i) = A(i,j) */
REFERENCE(transpose)
{
	(void)out;
	return (struct tool_bench_value){
		in0(d, i % n[0] * n[1] + i / n[0]), 0 };
}

/* -------------------------------------------------------------- PolyBench */

/* The forms of PolyBench are in f64, with the constants that its programs have.
 */

static const double alpha = 1.5, beta = 1.2;

/* For forms of f64. */
static struct tool_bench_value finish64(const struct sum *s)
{
	return finish(s, U64);
}

/*	C = alpha A B + beta C */
REFERENCE(p_gemm)
{
	struct sum s = multiply(d, n, i, false, false);

	(void)out;
	s.value *= alpha;
	s.size *= alpha;
	add(&s, beta * in2(d, i));
	return finish64(&s);
}

/* Element (i,j) of A + a b^T + c d^T.
 *
 * The arrays are A a b c d y z, in this order.
 */
static double updated(const struct tool_bench_data *d, int64_t n, int64_t i,
	int64_t j)
{
	return in0(d, i * n + j) + in1(d, i) * in2(d, j) +
		tool_bench_element(d, 3, i) * tool_bench_element(d, 4, j);
}

/* Element "i" of x = beta S^T y + z; S is rounded.
 *
 * Each element of S has a rounding error of its own, so the bound of the sum is
 * doubled.
 */
static struct tool_bench_value gemver_x(const struct tool_bench_data *d,
	int64_t n, int64_t i)
{
	struct sum s = { 0 };
	struct tool_bench_value v;
	int64_t j;

	for (j = 0; j < n; j++)
		add(&s, beta * updated(d, n, j, i) *
			tool_bench_element(d, 5, j));
	add(&s, tool_bench_element(d, 6, i));
	v = finish64(&s);
	v.bound *= 2;
	return v;
}

/* Element "i" of w = alpha S x; the error of x is as large as the sum's.
 *
 * Each element of x is computed once more for each element of w: references are
 * for single elements.
 */
static struct tool_bench_value gemver_w(const struct tool_bench_data *d,
	int64_t n, int64_t i)
{
	struct tool_bench_value x, v;
	struct sum s = { 0 };
	double within = 0, a;
	int64_t j;

	for (j = 0; j < n; j++) {
		x = gemver_x(d, n, j);
		a = alpha * updated(d, n, i, j);
		within += fabs(a) * x.bound;
		add(&s, a * x.value);
	}
	v = finish64(&s);
	v.bound = 2 * v.bound + within;
	return v;
}

/* Output 0 is S, output 1 is x, output 2 is w. */
REFERENCE(p_gemver)
{
	struct sum s = { 0 };

	if (out == 1)
		return gemver_x(d, n[0], i);
	if (out == 2)
		return gemver_w(d, n[0], i);
	add(&s, in0(d, i));
	add(&s, in1(d, i / n[0]) * in2(d, i % n[0]));
	add(&s, tool_bench_element(d, 3, i / n[0]) *
		tool_bench_element(d, 4, i % n[0]));
	return finish64(&s);
}

/*	y = alpha A x + beta B x */
REFERENCE(p_gesummv)
{
	struct sum s = { 0 };
	int64_t j;

	(void)out;
	for (j = 0; j < n[0]; j++) {
		add(&s, alpha * in0(d, i * n[0] + j) * in2(d, j));
		add(&s, beta * in1(d, i * n[0] + j) * in2(d, j));
	}
	return finish64(&s);
}

/* Only the lower half of A is read; the other elements are those below the
 * diagonal.
 */
REFERENCE(p_symm)
{
	int64_t row = i / n[1], column = i % n[1], k;
	struct sum s = { 0 };

	(void)out;
	for (k = 0; k < n[0]; k++)
		add(&s, alpha * in0(d, k < row ? row * n[0] + k :
			k * n[0] + row) * in1(d, k * n[1] + column));
	add(&s, beta * in2(d, i));
	return finish64(&s);
}

/* Above the diagonal, C stays as it was.
 *
 *	C = alpha A A^T + beta C, for j <= i
 */
REFERENCE(p_syrk)
{
	int64_t row = i / n[0], column = i % n[0], k;
	struct sum s = { 0 };

	(void)out;
	if (column > row)
		return (struct tool_bench_value){ in1(d, i), 0 };
	for (k = 0; k < n[1]; k++)
		add(&s, alpha * in0(d, row * n[1] + k) *
			in0(d, column * n[1] + k));
	add(&s, beta * in1(d, i));
	return finish64(&s);
}

/*	C = alpha (A B^T + B A^T) + beta C, for j <= i */
REFERENCE(p_syr2k)
{
	int64_t row = i / n[0], column = i % n[0], k;
	struct sum s = { 0 };

	(void)out;
	if (column > row)
		return (struct tool_bench_value){ in2(d, i), 0 };
	for (k = 0; k < n[1]; k++) {
		add(&s, alpha * in0(d, column * n[1] + k) *
			in1(d, row * n[1] + k));
		add(&s, alpha * in1(d, column * n[1] + k) *
			in0(d, row * n[1] + k));
	}
	add(&s, beta * in2(d, i));
	return finish64(&s);
}

/* A is a lower triangle with ones on the diagonal, and transposed. */
REFERENCE(p_trmm)
{
	int64_t row = i / n[1], column = i % n[1], k;
	struct sum s = { 0 };

	(void)out;
	add(&s, alpha * in1(d, i));
	for (k = row + 1; k < n[0]; k++)
		add(&s, alpha * in0(d, k * n[0] + row) *
			in1(d, k * n[1] + column));
	return finish64(&s);
}
