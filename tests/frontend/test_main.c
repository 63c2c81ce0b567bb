/* Runs the groups of tests that are named, or all of them. */
#include "test.h"

static const struct {
	const char *name;
	void (*run)(void);
} group[] = {
	{ "text", test_text },
	{ "files", test_files },
	{ "shape", test_shape },
	{ "lower", test_lower },
	{ "interp", test_interp },
	{ "cases", test_cases },
	{ "memory", test_memory },
	{ "index", test_index },
	{ "nest", test_nest },
};

struct poly_report test_report;
long test_fail_at;
static int n_check, n_failed;
static bool seen[1000];

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* True if the allocation that is due has to fail. */
static bool fails(void)
{
	return test_fail_at > 0 && !--test_fail_at;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(align, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void test_check(bool good, const char *file, int line, const char *what)
{
	n_check++;
	if (good)
		return;
	n_failed++;
	fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

void test_same(const char *got, const char *want, const char *file, int line)
{
	bool good = got && !strcmp(got, want);

	test_check(good, file, line, "texts are the same");
	if (!good)
		fprintf(stderr, "--- got\n%s\n--- want\n%s\n---\n",
			got ? got : "(nothing)", want);
}

struct fe_unit *test_read(const char *file, const char *text, size_t len,
	const struct fe_define *def, int n_def)
{
	struct fe_unit *u;
	int i;

	poly_report_free(&test_report);
	test_report = (struct poly_report) { 0 };
	u = fe_read(file, text, len, def, n_def, &test_report);
	CHECK(!u == (test_report.n_error > 0));
	for (i = 0; i < test_report.n_msg; i++)
		seen[test_report.msg[i].number] = true;
	return u;
}

bool test_lowers(const struct fe_unit *u)
{
	isl_ctx *ctx = poly_ctx_alloc();
	struct poly_prog *prog = fe_lower(u, ctx, &test_report);
	bool good = prog != NULL;
	int i;

	CHECK(good == (test_report.n_error == 0));
	for (i = 0; i < test_report.n_msg; i++)
		seen[test_report.msg[i].number] = true;
	poly_prog_free(prog);
	CHECK(poly_ctx_free(ctx));
	return good;
}

struct fe_unit *test_unit(const char *text)
{
	return test_read("test.dsl", text, strlen(text), NULL, 0);
}

struct fe_unit *test_typed(const char *text, const char *type,
	const char *outputs)
{
	struct poly_str program = { 0 };
	struct fe_unit *u;

	poly_str_printf(&program, "%s CodeGen(%s, {%s});", text, type,
		outputs);
	u = test_unit(program.s);
	poly_str_free(&program);
	return u;
}

const char *test_numbers(const char *text)
{
	static char numbers[400];
	size_t len = 0;
	int i;

	fe_unit_free(test_unit(text));
	numbers[0] = '\0';
	for (i = 0; i < test_report.n_msg && len < sizeof(numbers) - 8; i++)
		len += (size_t)snprintf(numbers + len, sizeof(numbers) - len,
			"%s%d", i ? " " : "", test_report.msg[i].number);
	return numbers;
}

bool test_seen(int number)
{
	return seen[number];
}

char *test_printed(const char *file, const char *text, size_t len)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	if (!out)
		abort();
	fe_diag_print(out, file, text, len, &test_report, false);
	fclose(out);
	return printed;
}

char *test_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 2 << 20;
	char *text = malloc(cap);

	if (!f || !text) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	*len = fread(text, 1, cap - 1, f);
	text[*len] = '\0';
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	size_t g;
	int i;

	for (g = 0; g < sizeof(group) / sizeof(group[0]); g++) {
		bool chosen = argc == 1;

		for (i = 1; i < argc; i++)
			chosen |= !strcmp(argv[i], group[g].name);
		if (chosen)
			group[g].run();
	}
	poly_report_free(&test_report);
	printf("%d checks, %d failed\n", n_check, n_failed);
	return n_failed || !n_check;
}
