/* Fuzz the reader of poly IR up to isl, whose own readers crash on hostile
 * text (which is why the command reads such text in a worker).
 *
 * First the scanner alone, asked for everything that it can give. Then the
 * whole parser, but with isl's readers replaced (by the linker): they read
 * the quoted texts of README.md's example, and refuse any other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include "fuzz.h"
#include "polyir/text/text.h"

/* The text of polyir/README.md, the only one that isl sees. */
static const char *example(void)
{
	static char text[64 << 10];
	FILE *file;

	if (text[0])
		return text;
	file = fopen(SOURCE_DIR "/polyir/README.md", "r");
	if (!file || !fread(text, 1, sizeof(text) - 1, file))
		abort();
	fclose(file);
	return text;
}

static bool is_known(const char *text)
{
	size_t len = strlen(text);
	const char *p = example();

	while ((p = strstr(p, text))) {
		if (p[-1] == '"' && p[len] == '"')
			return true;
		p++;
	}
	return false;
}

#define REPLACE(type)							\
	type *__real_##type##_read_from_str(isl_ctx *ctx, const char *text); \
	type *__wrap_##type##_read_from_str(isl_ctx *ctx, const char *text); \
	type *__wrap_##type##_read_from_str(isl_ctx *ctx, const char *text) \
	{								\
		return is_known(text) ?					\
			__real_##type##_read_from_str(ctx, text) : NULL; \
	}
REPLACE(isl_set)
REPLACE(isl_map)
REPLACE(isl_multi_pw_aff)
REPLACE(isl_multi_aff)
REPLACE(isl_pw_aff)

/* Ask for something else at each token. */
static void scan_token(struct poly_scan *s, int turn)
{
	struct poly_loc loc;
	int64_t value;
	double number;

	if (poly_scan_peek(s)->kind == POLY_TOKEN_PUNCT) {
		poly_scan_expect(s, poly_scan_peek(s)->text);
	} else if (poly_scan_peek(s)->kind == POLY_TOKEN_STRING) {
		if (turn % 2)
			poly_scan_isl(s, "a set");
		else
			poly_scan_string(s, "a string");
	} else if (turn % 4 == 0) {
		poly_scan_int(s, "a number", -99, 1 << 20, &value);
	} else if (turn % 4 == 1) {
		poly_scan_number(s, &number);
	} else if (!poly_scan_loc(s, &loc) || poly_scan_peek(s)->len) {
		poly_scan_word(s, "a word");
	}
}

static void scan(isl_ctx *ctx, const char *text, size_t len, int turn)
{
	struct poly_report report = { 0 };
	struct poly_scan s;

	if (poly_scan_start(&s, ctx, text, len, &report))
		while (poly_scan_line(&s))
			while (!s.failed && s.pos < s.n_token)
				scan_token(&s, turn++);
	poly_scan_free(&s);
	poly_report_free(&report);
}

/* Read a program; one that is accepted must print as what reads the same. */
static void parse(isl_ctx *ctx, const char *text, size_t len)
{
	struct poly_report report = { 0 };
	struct poly_str out = { 0 };
	struct poly_prog *p = poly_parse(ctx, text, len, &report);

	if (!p != (report.n_error > 0))
		abort();
	if (p)
		poly_print(p, &out);
	poly_str_free(&out);
	poly_prog_free(p);
	poly_report_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	isl_ctx *ctx = poly_ctx_alloc();
	int turn;

	if (!ctx)
		abort();
	for (turn = 0; turn < 4; turn++)
		scan(ctx, (const char *)data, size, turn);
	parse(ctx, (const char *)data, size);
	if (!poly_ctx_free(ctx))
		abort();
	return 0;
}
