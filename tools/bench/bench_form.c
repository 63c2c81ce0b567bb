/* The table of forms: programs of ours with what they are measured against.
 *
 * Its rows stand in a file of their own; here is what they use: lists of sizes,
 * counts of operations, and short names for bases.
 */
#include <stdio.h>
#include <string.h>

#include "tools/bench/bench_call.h"

/* Sizes for products and for forms of one or two dimensions. Some are no
 * multiples of anything, some are long and narrow.
 */
#define GEMM_SIZES "512 512 512;1024 1024 1024;2048 2048 2048;" \
	"4096 4096 4096;8192 8192 8192;128 8192 1024;8192 128 4096;" \
	"2048 8192 1024;256 256 16384;4130 663 2433"
#define VECTOR_SIZES "128 128;512 512;1024 1024;2048 2048;4096 4096;" \
	"8192 8192;16384 16384;1000 3001;3001 1000;8191 8191;16384 1024;" \
	"1024 16384"

/* Operations of a form at its sizes "n". A multiplication and an addition are
 * two.
 */
static double product(const int64_t *n)
{
	return 2.0 * (double)n[0] * (double)n[1] * (double)n[2];
}

/* Two operations for each element. */
static double pairs(const int64_t *n)
{
	return 2.0 * (double)n[0] * (double)n[1];
}

/* A product for each of the batch. */
static double batched(const int64_t *n)
{
	return product(n) * (double)n[3];
}

/* A product over four more indices. */
static double fourfold(const int64_t *n)
{
	return product(n) * (double)n[3] * (double)n[4] * (double)n[5];
}

/* Sizes M K H N: two products one behind the other. */
static double chained(const int64_t *n)
{
	return 2.0 * (double)n[0] * (double)n[2] * (double)(n[1] + n[3]);
}

/* Two updates of rank one and two products with a vector. */
static double gemver(const int64_t *n)
{
	return 8.0 * (double)n[0] * (double)n[0];
}

/* Two products with a vector. */
static double gesummv(const int64_t *n)
{
	return 4.0 * (double)n[0] * (double)n[0];
}

static double symm(const int64_t *n)
{
	return 2.0 * (double)n[0] * (double)n[0] * (double)n[1];
}

/* Half of the matrix, with its diagonal. */
static double syrk(const int64_t *n)
{
	return (double)n[0] * (double)(n[0] + 1) * (double)n[1];
}

static double syr2k(const int64_t *n)
{
	return 2.0 * syrk(n);
}

/* Half of a product. */
static double trmm(const int64_t *n)
{
	return (double)n[0] * (double)n[0] * (double)n[1];
}

/* Instructions for each pair of operations.
 *
 * A fused multiplication and addition is one; a form that cannot be fused has
 * two.
 */
static double one_each(double work)
{
	return work / 2;
}

static double two_each(double work)
{
	return work;
}

/* A base needs all libraries whose bits it has. */
#define CUBLAS (1u << TOOL_CUBLAS)
#define CUBLASLT (1u << TOOL_CUBLASLT)
#define CUDNN (1u << TOOL_CUDNN)
#define BASE(name, libraries, call, prepare) \
	{ name, libraries, call, prepare, false, NULL }
#define COPY { "copy", 0, NULL, NULL, true, NULL }
#define RIVAL { "sgemm", 0, NULL, NULL, false, "gemm" }
#define NONE { NULL, 0, NULL, NULL, false, NULL }

/* The columns are those of struct tool_bench_form. */
const struct tool_bench_form tool_bench_form[] = {
#define FORM(suite, name, text, sizes, arrays, n_out, start, is_f64, cold,	\
	work, issued, reference, base0, base1, list, marked)			\
	{ suite, name, text, sizes, arrays, n_out, start, is_f64, cold, work,	\
	  issued, reference, { base0, base1 }, list, marked, NULL, NULL },
#include "tools/bench/bench_form.def"
#undef FORM
};
const int tool_bench_n_form =
	sizeof(tool_bench_form) / sizeof(tool_bench_form[0]);

/* The type of the elements of the form's array "array". */
enum poly_type tool_bench_type(const struct tool_bench_form *f, int array)
{
	return f->element ? f->element[array] : f->is_f64 ? POLY_F64 : POLY_F32;
}

/* NULL if there is none. */
const struct tool_bench_form *tool_bench_find(const char *suite,
	const char *name)
{
	int i;

	for (i = 0; i < tool_bench_n_form; i++)
		if (!strcmp(tool_bench_form[i].suite, suite) &&
		    !strcmp(tool_bench_form[i].name, name))
			return &tool_bench_form[i];
	return NULL;
}

/* Names are parted by single spaces; an empty text would count as one. */
int tool_bench_words(const char *names)
{
	int n = 1;

	for (; *names; names++)
		n += *names == ' ';
	return n;
}

/* Word "i" of them, cut off to "size". */
void tool_bench_word(const char *names, int i, char *text, size_t size)
{
	while (i-- > 0)
		names += strcspn(names, " ") + 1;
	snprintf(text, size, "%.*s", (int)strcspn(names, " "), names);
}
