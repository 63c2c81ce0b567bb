/* How far the mathematical functions of f32 are off, as a table.
 *
 * usage: ulp [--stride=N] [--jobs=N] [--mpfr] [--allow=ULP] [NAME...]
 *
 * Each function of one argument runs on the host device over every N-th of the 2^32
 * inputs (65537; 1: all), over all special values, powers of two and their neighbours
 * and the first and last denormals, of both signs. It is compared with the C library in
 * double, whose own error is some 2^-29 ulp of f32; --mpfr: with MPFR at 160 bits, if
 * the tool was built with it, which is slow. The last column is a sum of the results
 * and their places, which a GPU must have, too: all NaNs count as one. Exits with 1 if a
 * function is further off than math_reference.c, or ULP, allows, with 77 if there is no
 * MPFR.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"
#include "tests/nvptx/math_exact.h"
#include "tests/nvptx/math_reference.h"

typedef float (*function_f32)(float);

/* What a part of the inputs has shown. */
struct seen {
	double error;
	uint32_t at;
	uint64_t n, sum;
};

struct job {
	const struct math_function *row;
	function_f32 f;
	uint64_t stride;
	bool mpfr;
};

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? 0x7fc00000 : bits;
}

static void look(const struct job *j, uint32_t bits, struct seen *s)
{
	float x = float_of(bits), y = j->f(x);
	double error = j->mpfr ? math_exact_error(j->row, x, y) :
		math_error_f32(y, j->row->ref(j->row->falling ? -fabs(x) : x));

	s->n++;
	s->sum += bits_of(y) * (2 * (uint64_t) bits + 1);
	if (error > s->error) {
		s->error = error;
		s->at = bits;
	}
}

/* The inputs that no stride is to miss. */
static void look_at_special(const struct job *j, struct seen *s)
{
	for (uint32_t sign = 0; sign < 2; sign++) {
		for (uint32_t e = 0; e < 256; e++)
			for (uint32_t k = 0; k < 7; k++)
				look(j, (sign << 31) + (e << 23) + k - 3, s);
		for (uint32_t k = 0; k < 64; k++)
			look(j, (sign << 31) + (k << 17) + 0x123, s);
	}
}

/* Part "k" of "n" of the inputs. */
static struct seen run_part(const struct job *j, uint64_t k, uint64_t n)
{
	uint64_t total = ((uint64_t) 1 << 32) / j->stride + 1;
	struct seen s = { 0 };

	for (uint64_t i = total * k / n; i < total * (k + 1) / n; i++)
		if (i * j->stride >> 32 == 0)
			look(j, (uint32_t) (i * j->stride), &s);
	return s;
}

/* All inputs, by "n" processes. */
static struct seen run_all(const struct job *j, int n)
{
	struct seen all = { 0 }, part;
	int end[2];

	if (pipe(end))
		exit(3);
	for (int k = 0; k < n; k++) {
		if (fork())
			continue;
		part = run_part(j, (uint64_t) k, (uint64_t) n);
		_exit(write(end[1], &part, sizeof(part)) != sizeof(part));
	}
	close(end[1]);
	while (read(end[0], &part, sizeof(part)) == sizeof(part)) {
		all.n += part.n;
		all.sum += part.sum;
		if (part.error > all.error) {
			all.error = part.error;
			all.at = part.at;
		}
	}
	close(end[0]);
	while (wait(NULL) > 0)
		;
	part = (struct seen) { 0 };
	look_at_special(j, &part);
	if (part.error > all.error) {
		all.error = part.error;
		all.at = part.at;
	}
	return all;
}

static LLVMValueRef add_function(struct nvptx_module *m,
	const struct math_function *row)
{
	LLVMTypeRef type = LLVMFloatTypeInContext(m->ctx), arg[1] = { type };
	LLVMValueRef f = LLVMAddFunction(m->module, "f",
		LLVMFunctionType(type, arg, 1, 0)), x = LLVMGetParam(f, 0), fabs;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);

	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, ""));
	if (row->falling) {
		fabs = LLVMGetIntrinsicDeclaration(m->module,
			LLVMLookupIntrinsicID("llvm.fabs", 9), &type, 1);
		x = LLVMBuildFNeg(b, LLVMBuildCall2(b,
			LLVMGlobalGetValueType(fabs), fabs, &x, 1, ""), "");
	}
	LLVMBuildRet(b, nvptx_math(m, b, row->op, &x));
	LLVMDisposeBuilder(b);
	return f;
}

static bool is_asked(const struct math_function *row, char **name, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name[i], poly_op_name(row->op)))
			return true;
	return !n;
}

static int run(struct job *j, int jobs, double allow, char **name, int n)
{
	const struct nvptx_options o = { .device = NVPTX_HOST };
	struct poly_report report = { 0 };
	struct nvptx_module *m = nvptx_module_alloc("ulp", &o, &report);
	void **entry;
	int n_far = 0;

	for (int i = 0; m && i < MATH_N_FUNCTION; i++)
		add_function(m, &math_function[i]);
	if (!m || nvptx_opt(m, &report) ||
	    nvptx_jit(m, NULL, 0, &entry, &report))
		return 70;
	printf("%-10s %8s %15s %11s %17s\n", "function", "ulp", "at", "inputs",
		"sum");
	for (int i = 0; i < MATH_N_FUNCTION; i++) {
		struct seen s;

		j->row = &math_function[i];
		j->f = (function_f32) entry[i];
		if (!is_asked(j->row, name, n))
			continue;
		fflush(stdout);
		s = run_all(j, jobs);
		printf("%-10s %8.4f %15a %11llu  %016llx%s\n", j->row->falling ?
			"exp(-|x|)" : poly_op_name(j->row->op), s.error,
			float_of(s.at), (unsigned long long) s.n,
			(unsigned long long) s.sum,
			s.error > (allow < 0 ? j->row->ulp : allow) ?
			" too far" : "");
		n_far += s.error > (allow < 0 ? j->row->ulp : allow);
	}
	nvptx_module_free(m);
	poly_report_free(&report);
	return n_far ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct job j = { .stride = 65537 };
	double allow = -1;
	int jobs = 1, i;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strncmp(argv[i], "--stride=", 9))
			j.stride = strtoull(argv[i] + 9, NULL, 10);
		else if (!strncmp(argv[i], "--jobs=", 7))
			jobs = atoi(argv[i] + 7);
		else if (!strncmp(argv[i], "--allow=", 8))
			allow = strtod(argv[i] + 8, NULL);
		else if (!strcmp(argv[i], "--mpfr"))
			j.mpfr = true;
		else
			return 2;
	}
	if (!j.stride || jobs < 1)
		return 2;
	if (j.mpfr && !math_has_exact)
		return 77;
	return run(&j, jobs, allow, argv + i, argc - i);
}
