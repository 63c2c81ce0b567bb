/* Check that mapped programs become kernels that compute the right values on
 * the host device, whatever the sizes, and code that the GPU's assembler
 * accepts without stack or spills. The programs are mapped by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program.h"

#define MAX_DIM 40
#define MAX_ELEM (MAX_DIM * MAX_DIM)

/* ----------------------------------------------------------------- numbers */

/* Small integers, so that sums of products are exact in every type. */
static double number(int i)
{
	return (i * 37 + 11) % 15 - 7;
}

static void put(enum poly_type t, void *data, int i, double v)
{
	switch (t) {
	case POLY_I8:
		((int8_t *) data)[i] = (int8_t) (int) v;
		break;
	case POLY_I32:
		((int32_t *) data)[i] = (int32_t) v;
		break;
	case POLY_F16:
		((uint16_t *) data)[i] = cetane_host_f32_to_f16((float) v);
		break;
	case POLY_BF16:
		((uint16_t *) data)[i] = cetane_host_f32_to_bf16((float) v);
		break;
	case POLY_F32:
		((float *) data)[i] = (float) v;
		break;
	default:
		((double *) data)[i] = v;
	}
}

static double get(enum poly_type t, const void *data, int i)
{
	switch (t) {
	case POLY_I8:
		return ((const int8_t *) data)[i];
	case POLY_I32:
		return ((const int32_t *) data)[i];
	case POLY_F16:
		return cetane_host_f16_to_f32(((const uint16_t *) data)[i]);
	case POLY_BF16:
		return cetane_host_bf16_to_f32(((const uint16_t *) data)[i]);
	case POLY_F32:
		return ((const float *) data)[i];
	default:
		return ((const double *) data)[i];
	}
}

/* relu(A B + b) as the type "t" stores it. */
static double expected(enum poly_type t, const int64_t *size, void *const *d,
	int i, int j)
{
	double sum = 0, b = get(t, d[2], j);
	union { double d; float f; uint16_t h; int8_t i8; int32_t i; } out;

	for (int k = 0; k < size[2]; k++)
		sum += get(t, d[0], i * size[2] + k) *
			get(t, d[1], k * size[1] + j);
	put(t, &out, 0, fmax(sum + b, 0));
	return get(t, &out, 0);
}

struct data {
	double a[MAX_ELEM], b[MAX_ELEM], bias[MAX_ELEM], c[MAX_ELEM];
	void *array[4];
};

static struct data *data_new(enum poly_type t)
{
	struct data *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	d->array[0] = d->a;
	d->array[1] = d->b;
	d->array[2] = d->bias;
	d->array[3] = d->c;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < MAX_ELEM; i++)
			put(t, d->array[k], i, number(i + k));
	memset(d->c, 0x5a, sizeof(d->c));
	return d;
}

/* -------------------------------------------------------------- tiled GEMM */

static const int64_t sizes[][3] = {	/* M, N, K */
	{ 1, 1, 1 }, { 8, 8, 4 }, { 7, 9, 5 }, { 9, 7, 3 }, { 16, 24, 8 },
	{ 17, 15, 13 }, { 5, 6, 0 }, { 0, 3, 2 }, { 3, 0, 2 }, { 33, 31, 1 },
};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void check_gemm(struct host *h, enum poly_type t, const int64_t *size)
{
	struct data *d = data_new(t);

	assert_int_equal(host_run(h, size, d->array), CETANE_OK);
	for (int i = 0; i < size[0]; i++)
		for (int j = 0; j < size[1]; j++)
			assert_true(get(t, d->c, i * size[1] + j) ==
				expected(t, size, d->array, i, j));
	free(d);
}

static void gemm_type(enum poly_type t, enum poly_type acc, bool checked)
{
	struct unit u;
	struct host h;

	gemm(&u, t, acc, false, GEMM_RIGHT);
	host_begin(&h, &u, checked, false);
	for (int i = 0; i < N_SIZES; i++)
		check_gemm(&h, t, sizes[i]);
	if (cetane_host_findings(h.dev))
		print_error("%s\n", cetane_host_finding(h.dev, 0));
	assert_int_equal(cetane_host_findings(h.dev), 0);
	host_end(&h);
	unit_end(&u);
}

static void gemm_all_types(void **state)
{
	(void) state;
	gemm_type(POLY_F32, POLY_F32, false);
	gemm_type(POLY_F64, POLY_F64, false);
	gemm_type(POLY_F16, POLY_F32, false);
	gemm_type(POLY_BF16, POLY_F32, false);
	gemm_type(POLY_I32, POLY_I32, false);
	gemm_type(POLY_I8, POLY_I32, false);
}

static void gemm_passes_checks(void **state)
{
	(void) state;
	gemm_type(POLY_F32, POLY_F32, true);
	gemm_type(POLY_I8, POLY_I32, true);
}

/* Sizes given at compile time are no arguments, and need no guards when they
 * are multiples of the tile.
 */
static void gemm_fixed(void **state)
{
	static const int64_t fixed[2][3] = { { 16, 24, 8 }, { 17, 15, 13 } };
	static const char *const name[3] = { "M", "N", "K" };

	(void) state;
	for (int i = 0; i < 2; i++) {
		struct poly_str text = { 0 };
		struct nvptx_module *m;
		struct unit u;
		struct host h;

		gemm(&u, POLY_F32, POLY_F32, false, GEMM_RIGHT);
		for (int k = 0; k < 3; k++)
			poly_prog_fix(u.prog, name[k], fixed[i][k]);
		host_begin(&h, &u, false, false);
		assert_int_equal(nvptx_module_plan(h.module)->launch[0].n_arg,
			4);
		check_gemm(&h, POLY_F32, fixed[i]);
		host_end(&h);
		m = gpu_module(&u, "sm_80");
		nvptx_print(m, &text);
		assert_int_equal(!!strstr(text.s, "\nout:"), i);
		assert_int_equal(!!strstr(text.s, "\nAs.load:"), i);
		assert_null(strstr(text.s, "\nleave:"));
		nvptx_module_free(m);
		poly_str_free(&text);
		unit_end(&u);
	}
}

/* A finding of the checked run of a program with "flaw" has "part" in it. */
static void expect_finding(enum gemm_flaw flaw, const char *part)
{
	static const int64_t size[3] = { 16, 16, 8 };
	struct data *d = data_new(POLY_F32);
	struct unit u;
	struct host h;
	bool found = false;

	gemm(&u, POLY_F32, POLY_F32, false, flaw);
	host_begin(&h, &u, true, false);
	host_run(&h, size, d->array);
	for (int i = 0; i < cetane_host_findings(h.dev); i++)
		found |= cetane_host_finding(h.dev, i) &&
			strstr(cetane_host_finding(h.dev, i), part);
	assert_true(found);
	host_end(&h);
	unit_end(&u);
	free(d);
}

static void checks_catch_faults(void **state)
{
	(void) state;
	expect_finding(GEMM_NO_BARRIER, "race");
	expect_finding(GEMM_WRONG_INDEX, "test.dsl:4: b");
}

/* ------------------------------------------------------------------- naive */

/* The k order and the fused multiply-add are part of the contract: bits are
 * compared.
 */
static void naive_product(void **state)
{
	struct data *d = data_new(POLY_F32);
	void *array[3] = { d->a, d->b, d->c };
	struct unit u;
	struct host h;

	(void) state;
	for (int i = 0; i < MAX_ELEM; i++) {
		put(POLY_F32, d->a, i, sin(i));
		put(POLY_F32, d->b, i, cos(3 * i));
	}
	naive_matmul(&u, POLY_F32);
	host_begin(&h, &u, false, false);
	for (int n = 0; n < N_SIZES; n++) {
		const int64_t *s = sizes[n];

		assert_int_equal(host_run(&h, s, array), CETANE_OK);
		for (int64_t c = 0; c < s[0] * s[1]; c++) {
			float sum = 0;

			for (int64_t k = 0; k < s[2]; k++)
				sum = fmaf(get(POLY_F32, d->a,
					c / s[1] * s[2] + k), get(POLY_F32,
					d->b, k * s[1] + c % s[1]), sum);
			assert_true(get(POLY_F32, d->c, c) == sum);
		}
	}
	host_end(&h);
	unit_end(&u);
	free(d);
}

/* Reference mode gives the f64 value and a bound that is neither violated by
 * the exact run nor far above it.
 */
static void wide_product(void **state)
{
	static const int64_t s[3] = { 5, 6, 30 };
	static double a[5 * 30][2], b[30 * 6][2], c[30][2];
	void *array[3] = { a, b, c };
	struct unit u;
	struct host h;

	(void) state;
	for (int i = 0; i < 5 * 30; i++)
		a[i][0] = (float) sin(i);
	for (int i = 0; i < 30 * 6; i++)
		b[i][0] = (float) cos(3 * i);
	naive_matmul(&u, POLY_F32);
	host_begin(&h, &u, false, true);
	assert_int_equal(nvptx_module_plan(h.module)->array[0].elem_bytes, 16);
	assert_int_equal(host_run(&h, s, array), CETANE_OK);
	for (int i = 0; i < 30; i++) {
		double sum = 0, size = 0;
		float f = 0;

		for (int k = 0; k < 30; k++) {
			double x = a[i / 6 * 30 + k][0];
			double y = b[k * 6 + i % 6][0];

			sum += x * y;
			size += fabs(x * y);
			f = (float) (f + (float) (x * y));
		}
		assert_true(fabs(c[i][0] - sum) <= 1e-13 * size);
		assert_true(fabs(f - c[i][0]) <= c[i][1]);
		assert_true(c[i][1] >= 32 * 0x1p-24 * size * 0.999);
		assert_true(c[i][1] <= 33 * 0x1p-24 * size);
	}
	host_end(&h);
	unit_end(&u);
}

/* One statement S[i,j] = A at "index", one thread a point. */
static void copy_program(struct unit *u, const char *index)
{
	static const int thread[2] = { 2, 4 };
	struct poly_array *a, *c;
	struct poly_stmt *s;

	unit_begin(u, "copy");
	param(u, "M");
	param(u, "N");
	a = array(u, "A", POLY_I32, POLY_INPUT, "[M,N] -> { A[(M),(N)] }");
	c = array(u, "C", POLY_I32, POLY_OUTPUT, "[M,N] -> { C[(M),(N)] }");
	s = stmt(u, "S", POLY_POINT,
		"[M,N] -> { S[i,j] : 0 <= i < M and 0 <= j < N }");
	writes(u, s, c, "{ S[i,j] -> C[(i),(j)] }", POLY_OP_NONE,
		reads(u, a, index));
	kernel(u, false, thread, thread, 0,
		"[M] -> { [(floor((M + 1)/2))] }",
		"[N] -> { [(floor((N + 3)/4))] }");
	schedule(u, "{ domain: \"[M,N] -> { S[i,j] : 0 <= i < M and "
		"0 <= j < N }\", child: { mark: \"kernel:k\", child: { "
		"filter: \"[b0,b1,t0,t1] -> { "
		"S[2b0 + t0, 4b1 + t1] : 0 <= t0 < 2 and "
		"0 <= t1 < 4 }\", child: { schedule: "
		"\"[{ S[i,j] -> [(i)] }, { S[i,j] -> [(j)] }]\" } } } }");
}

/* Index functions with floors, pieces and parameters. */
static void index_functions(void **state)
{
	static const int64_t s[2] = { 11, 13 };
	static const char *const index[] = {
		"{ S[i,j] -> A[(floor((2i)/3)),((j + 5) mod 7)] }",
		"{ S[i,j] -> A[((0) : j < i; (i) : j >= i),(j)] }",
		"[M,N] -> { S[i,j] -> A[(M - 1 - i),(floor((N - 1 - j)/2))] }",
		"{ S[i,j] -> A[(i),(-floor((-j)/2))] }",
	};
	int32_t a[11 * 13], c[11 * 13];
	void *array[2] = { a, c };

	(void) state;
	for (int i = 0; i < 11 * 13; i++)
		a[i] = i;
	for (int n = 0; n < 4; n++) {
		struct unit u;
		struct host h;

		copy_program(&u, index[n]);
		host_begin(&h, &u, true, false);
		assert_int_equal(host_run(&h, s, array), CETANE_OK);
		assert_int_equal(cetane_host_findings(h.dev), 0);
		for (int i = 0; i < 11; i++)
			for (int j = 0; j < 13; j++) {
				const int want[4] = {
					2 * i / 3 * 13 + (j + 5) % 7,
					(j < i ? 0 : i) * 13 + j,
					(10 - i) * 13 + (12 - j) / 2,
					i * 13 + (j + 1) / 2,
				};

				assert_int_equal(c[i * 13 + j], want[n]);
			}
		host_end(&h);
		unit_end(&u);
	}
}

/* More tiles than the grid's second dimension has: the third takes over, and
 * its surplus blocks do nothing.
 */
static void tall_grid(void **state)
{
	static const int64_t s[2] = { 2 * 65535 + 3, 1 };
	int32_t *a = calloc(s[0], sizeof(*a)), *c = calloc(s[0], sizeof(*c));
	void *data[2] = { a, c };
	struct unit u;
	struct host h;

	(void) state;
	assert_non_null(a);
	assert_non_null(c);
	for (int i = 0; i < s[0]; i++)
		a[i] = i;
	copy_program(&u, "{ S[i,j] -> A[(i),(j)] }");
	host_begin(&h, &u, false, false);
	assert_int_equal(host_run(&h, s, data), CETANE_OK);
	assert_memory_equal(a, c, s[0] * sizeof(*a));
	host_end(&h);
	unit_end(&u);
	free(a);
	free(c);
}

/* A consumer that runs transposed, fused by "at": C[i,j] = A[i,j] and
 * D[j,i] = 2 A[i,j] as a statement over [j,i].
 */
static void transposed_member(void **state)
{
	static const int64_t s[2] = { 9, 6 };
	static const int thread[2] = { 2, 4 }, tile[2] = { 4, 8 };
	float a[54], c[54], d[54];
	void *array_data[3] = { a, c, d };
	struct poly_array *in, *t, *out;
	struct poly_stmt *op, *first, *second;
	struct unit u;
	struct host h;

	(void) state;
	unit_begin(&u, "group");
	param(&u, "M");
	param(&u, "N");
	in = array(&u, "A", POLY_F32, POLY_INPUT, "[M,N] -> { A[(M),(N)] }");
	t = array(&u, "C", POLY_F32, POLY_OUTPUT, "[M,N] -> { C[(M),(N)] }");
	out = array(&u, "D", POLY_F32, POLY_OUTPUT, "[M,N] -> { D[(N),(M)] }");
	op = stmt(&u, "points", POLY_GROUP, "[M,N] -> { points[t0,t1] : "
		"0 <= 4t0 < M and 0 <= 8t1 < N }");
	first = stmt(&u, "first", POLY_POINT,
		"[M,N] -> { first[i,j] : 0 <= i < M and 0 <= j < N }");
	writes(&u, first, t, "{ first[i,j] -> C[(i),(j)] }", POLY_OP_NONE,
		reads(&u, in, "{ first[i,j] -> A[(i),(j)] }"));
	second = stmt(&u, "second", POLY_POINT,
		"[M,N] -> { second[j,i] : 0 <= i < M and 0 <= j < N }");
	writes(&u, second, out, "{ second[j,i] -> D[(j),(i)] }", POLY_OP_NONE,
		poly_expr_op(POLY_OP_MUL, POLY_F32,
			poly_expr_const(POLY_F32, 2),
			reads(&u, in, "{ second[j,i] -> A[(i),(j)] }")));
	has_member(&u, op, first, "{ [p0,p1] -> first[(p0),(p1)] }");
	has_member(&u, op, second, "{ [p0,p1] -> second[(p1),(p0)] }");
	kernel(&u, true, thread, tile, 1, "[M] -> { [(-floor((-M)/4))] }",
		"[N] -> { [(N - floor((7N)/8))] }");
	schedule(&u, "{ domain: \"[M,N] -> { points[t0,t1] : 0 <= 4t0 < M and "
		"0 <= 8t1 < N }\", child: { mark: \"kernel:k\", child: { "
		"filter: \"[b0,b1] -> { points[b0,b1] }\" } } }");
	for (int i = 0; i < 54; i++)
		a[i] = i + 1;
	host_begin(&h, &u, false, false);
	assert_int_equal(host_run(&h, s, array_data), CETANE_OK);
	for (int i = 0; i < 54; i++) {
		assert_true(c[i] == a[i]);
		assert_true(d[i % 6 * 9 + i / 6] == 2 * a[i]);
	}
	host_end(&h);
	unit_end(&u);
}

/* --------------------------------------------------------------------- GPU */

/* The text before optimisation is for reading. */
static void text_has_names(void **state)
{
	static const char *const part[] = {
		"; domain", "kernel:k", "define ptx_kernel void @k(ptr "
		"addrspace(1) noalias readonly %A, ", "noalias %C", "i64 %M",
		"\"nvvm.reqntid\"=\"16,16,1\"", "%i = ", "for.k.tile:",
		"As.load:", "mul nsw i32 %kk, 65", "!DILocation(line: 4",
		"test.dsl",
	};
	struct poly_str text = { 0 };
	struct nvptx_module *m;
	struct unit u;

	(void) state;
	gemm(&u, POLY_F32, POLY_F32, true, GEMM_RIGHT);
	m = gpu_module(&u, "sm_80");
	nvptx_print(m, &text);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (!strstr(text.s, part[i]))
			print_error("no \"%s\"\n", part[i]);
		assert_non_null(strstr(text.s, part[i]));
	}
	poly_str_free(&text);
	nvptx_module_free(m);
	unit_end(&u);
}

/* The default tile in every type: no stack, no spills, what it must use. */
static void assembles(enum poly_type t, enum poly_type acc, const char *target,
	const char *part)
{
	struct nvptx_usage *usage = NULL;
	struct poly_str ptx, cubin = { 0 };
	struct unit u;
	int n = 0;

	gemm(&u, t, acc, true, GEMM_RIGHT);
	ptx = gpu_text(&u, target);
	assert_non_null(strstr(ptx.s, part));
	assert_non_null(strstr(ptx.s, "bar.sync"));
	assert_non_null(strstr(ptx.s, ".reqntid 16, 16"));
	assert_non_null(strstr(ptx.s, ".extern .shared .align 1024"));
	assert_null(strstr(ptx.s, ".local"));
	if (nvptx_assemble(&ptx, nvptx_target_find(target), &cubin, &usage, &n,
			&u.report) == isl_stat_ok) {
		assert_int_equal(n, 1);
		assert_int_equal(usage[0].stack, 0);
		assert_int_equal(usage[0].spill_stores, 0);
		assert_int_equal(usage[0].spill_loads, 0);
	} else {
		print_message("no assembler: %s not checked\n", target);
	}
	nvptx_usage_free(usage, n);
	poly_str_free(&cubin);
	poly_str_free(&ptx);
	unit_end(&u);
}

static void gpu_code(void **state)
{
	(void) state;
	assembles(POLY_F32, POLY_F32, "sm_75", "fma.rn.f32");
	assembles(POLY_F32, POLY_F32, "sm_90a", "fma.rn.f32");
	assembles(POLY_F64, POLY_F64, "sm_80", "fma.rn.f64");
	assembles(POLY_F16, POLY_F32, "sm_75", "cvt.f32.f16");
	assembles(POLY_BF16, POLY_F32, "sm_75", "fma.rn.f32");
	assembles(POLY_BF16, POLY_F32, "sm_80", "cvt.rn.bf16.f32");
	assembles(POLY_I8, POLY_I32, "sm_100", "mad.lo.s32");
}

/* ------------------------------------------------------------------ errors */

/* Lowering fails with message "id". */
static void refuses(struct unit *u, const struct nvptx_options *o,
	enum poly_msg id)
{
	assert_null(nvptx_lower(u->prog, o, &u->report));
	assert_int_equal(u->report.n_msg, 1);
	assert_int_equal(u->report.msg[0].number, id);
	unit_end(u);
}

static void limits_are_messages(void **state)
{
	struct nvptx_options gpu = { .device = NVPTX_GPU };
	struct nvptx_options wide = { .device = NVPTX_HOST, .wide = true };
	struct unit u;

	(void) state;
	gpu.target = nvptx_target_find("sm_80");
	gemm(&u, POLY_F32, POLY_F32, false, GEMM_RIGHT);
	poly_prog_find_array(u.prog, "As")->row_pad = 100000;
	refuses(&u, &gpu, MSG_NVPTX_SHARED);
	naive_matmul(&u, POLY_F32);
	u.prog->kernel[0]->thread[0] = 1024;
	refuses(&u, &gpu, MSG_NVPTX_THREADS);
	gemm(&u, POLY_F32, POLY_F32, false, GEMM_RIGHT);
	refuses(&u, &wide, MSG_NVPTX_LOWER);
	gemm(&u, POLY_F32, POLY_F32, false, GEMM_RIGHT);
	poly_prog_find_stmt(u.prog, "mul")->reduce = POLY_OP_NONE;
	refuses(&u, &gpu, MSG_NVPTX_LOWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemm_all_types),
		cmocka_unit_test(gemm_passes_checks),
		cmocka_unit_test(gemm_fixed),
		cmocka_unit_test(checks_catch_faults),
		cmocka_unit_test(naive_product),
		cmocka_unit_test(wide_product),
		cmocka_unit_test(index_functions),
		cmocka_unit_test(tall_grid),
		cmocka_unit_test(transposed_member),
		cmocka_unit_test(text_has_names),
		cmocka_unit_test(gpu_code),
		cmocka_unit_test(limits_are_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
