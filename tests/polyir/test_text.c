/* Check that programs print, read back and print as the same text, and that
 * text which is no program is refused with a place, whatever it is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "refused_texts.h"
#include "example.h"

/* Read "text" and print it again; NULL if it is refused. */
static char *reprint(struct example *x, const char *text)
{
	struct poly_str again = { 0 };
	struct poly_prog *prog;

	prog = poly_parse(x->ctx, text, strlen(text), &x->report);
	if (!prog)
		return NULL;
	poly_print(prog, &again);
	poly_prog_free(prog);
	return again.s;
}

/* The program prints as a fixed point of reading and printing. */
static void assert_fixed_point(struct example *x)
{
	struct poly_str text = { 0 };
	char *again;

	poly_print(x->prog, &text);
	again = reprint(x, text.s);
	if (!again)
		print_error("%s", x->report.msg[0].text);
	assert_non_null(again);
	assert_string_equal(again, text.s);
	free(again);
	poly_str_free(&text);
}

static void assert_prints(struct example *x, const char *line)
{
	struct poly_str text = { 0 };

	poly_print(x->prog, &text);
	if (!strstr(text.s, line)) {
		fputs(text.s, stderr);
		fail_msg("missing: %s", line);
	}
	poly_str_free(&text);
}

/* The program verifies; if not, say why. */
static void assert_verifies(struct example *x)
{
	if (poly_verify(x->prog, "test") != isl_stat_ok)
		fail_msg("%s", x->report.msg[0].text);
}

static void test_unmapped(void **state)
{
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	assert_verifies(&x);
	assert_prints(&x, "\nparam N\n");
	assert_prints(&x, "\narray A f32 input global "
		"\"[M, K] -> { A[(M), (K)] }\"\n");
	assert_prints(&x, "\nstmt P point \"[M, N, K] -> { P[i, j, k] : "
		"0 <= i < M and 0 <= j < N and 0 <= k < K }\" loc 4:1:5\n"
		"  write T \"{ P[i, j, k] -> T[(i), (j)] }\" reduce add\n"
		"  value (mul (read A \"{ P[i, j, k] -> A[(i), (k)] }\") "
		"(read B \"{ P[i, j, k] -> B[(k), (j)] }\"))\n");
	assert_fixed_point(&x);
	poly_prog_fix(x.prog, "N", 128);
	assert_prints(&x, "\nparam N = 128\n");
	assert_fixed_point(&x);
	assert_true(example_close(&x));
}

static void test_mapped(void **state)
{
	struct example x;

	(void)state;
	example_mapped(&x);
	assert_verifies(&x);
	assert_prints(&x, "\n      filter\n"
		"          \"{ P_init[i, j] }\"\n"
		"          \"{ P[i, j, k] }\"\n"
		"        mark kernel:k0\n");
	assert_prints(&x, "\n            band permutable coincident 1 1\n"
		"                \"{ P_init[i, j] -> [(i), (j)] }\"\n"
		"                \"{ P[i, j, k] -> [(i), (j)] }\"\n"
		"              sequence\n"
		"                filter \"{ P_init[i, j] }\"\n"
		"                filter \"{ P[i, j, k] }\"\n"
		"                  band permutable coincident 0 "
		"\"{ P[i, j, k] -> [(k)] }\"\n");
	assert_fixed_point(&x);
	assert_true(example_close(&x));
}

/* The tree that is read is the tree that was printed. */
static void test_same_tree(void **state)
{
	struct poly_str text = { 0 };
	struct poly_prog *prog;
	struct example x;

	(void)state;
	example_mapped(&x);
	poly_print(x.prog, &text);
	prog = poly_parse(x.ctx, text.s, text.len, &x.report);
	assert_non_null(prog);
	assert_int_equal(isl_schedule_plain_is_equal(prog->schedule,
		x.prog->schedule), isl_bool_true);
	assert_int_equal(prog->have, x.prog->have);
	assert_int_equal(prog->kernel[1]->tile[0], 16);
	assert_string_equal(prog->stmt[1]->name, "P");
	assert_int_equal(prog->stmt[1]->loc.line, 4);
	assert_int_equal(prog->stmt[1]->reduce, POLY_OP_ADD);
	poly_prog_free(prog);
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* Whatever a pass may put into a tree comes back. */
static void test_nodes(void **state)
{
	isl_schedule_node *node;
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	node = isl_schedule_node_from_domain(poly_point_domains(x.prog));
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_context(node, isl_set_read_from_str(
		x.ctx, "[M, N] -> { [] : M = 5 and N >= 1 }"));
	node = isl_schedule_node_child(node, 0);
	node = isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_read_from_str(x.ctx, "[{ P[i,j,k] -> "
		"[floor(i/32)]; P_init[i,j] -> [floor(i/32)]; S[i,j] -> [i] : "
		"i < 7; S[i,j] -> [2i] : i >= 7 }]"));
	node = isl_schedule_node_band_set_ast_build_options(node,
		isl_union_set_read_from_str(x.ctx, "[M] -> { separate[0]; "
		"isolate[[] -> [a]] : 32a + 31 < M }"));
	x.prog->schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	assert_verifies(&x);
	assert_prints(&x, "\n          options \"{ separate[0] }\"\n");
	assert_prints(&x, "\n          options \"[M] -> { isolate[[] -> [a]] :");
	assert_prints(&x, "\n    context \"[M, N] -> { [] : ");
	assert_fixed_point(&x);
	assert_true(example_close(&x));
}

static void test_deps(void **state)
{
	struct poly_deps *deps;
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	deps = &x.prog->deps;
	deps->flow = isl_union_map_read_from_str(x.ctx, "[K, M] -> { "
		"P[i,j,k] -> S[i,j] : k < K; P_init[i,j] -> P[i,j,k]; "
		"P_init[i,j] -> S[i,j] : i < M }");
	deps->anti = isl_union_map_read_from_str(x.ctx, "{ }");
	deps->output = isl_union_map_copy(deps->anti);
	deps->rar = isl_union_map_copy(deps->anti);
	deps->reduction = isl_union_map_read_from_str(x.ctx,
		"{ P[i,j,k] -> P[i,j,l] : l > k }");
	x.prog->have = POLY_HAVE_DEPS;
	assert_prints(&x, "\ndeps\n"
		"  flow \"{ P_init[i, j] -> P[i' = i, j' = j, k] }\"\n"
		"  flow \"[M] -> { P_init[i, j] -> S[i' = i, j' = j] : "
		"i < M }\"\n"
		"  flow \"[K] -> { P[i, j, k] -> S[i' = i, j' = j] : "
		"k < K }\"\n"
		"  reduction \"{ P[i, j, k] -> P[i' = i, j' = j, k'] : "
		"k' > k }\"\n");
	assert_prints(&x, "\nhave deps\n");
	assert_fixed_point(&x);
	assert_true(example_close(&x));
}

/* A pass may leave a group empty for the next to fill: it has a contraction
 * before and after.
 */
static void test_empty_group(void **state)
{
	struct poly_str text = { 0 };
	struct poly_prog *prog;
	struct poly_stmt *group;
	struct example x;

	(void)state;
	example_fig2(&x, "K");
	group = poly_prog_add_stmt(x.prog, "G", POLY_GROUP,
		poly_read_set(x.prog, "{ G[t0, t1] }"));
	group->contraction = isl_union_map_read_from_str(x.ctx, "{ }");
	assert_verifies(&x);
	assert_fixed_point(&x);
	poly_print(x.prog, &text);
	prog = poly_parse(x.ctx, text.s, text.len, &x.report);
	assert_non_null(prog);
	assert_non_null(poly_prog_find_stmt(prog, "G")->contraction);
	poly_prog_free(prog);
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* Constants are exact, strings may hold anything. */
static void test_values(void **state)
{
	static const double value[] = {
		0.0, -0.0, 0.1, 1.0 / 3, 1e300, 4.9e-324, INFINITY, -INFINITY,
		NAN, 2147483647
	};
	struct example x;
	size_t i;

	(void)state;
	example_fig2(&x, "K");
	free(x.prog->file);
	x.prog->file = strdup("a \"b\"\\c\nd\x7f\xc3\xa9");
	assert_prints(&x, " file \"a \\\"b\\\"\\\\c\\x0ad\\x7f\xc3\xa9\"\n");
	for (i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
		x.prog->stmt[0]->rhs->value = value[i];
		assert_fixed_point(&x);
	}
	x.prog->stmt[0]->rhs->value = -0.0;
	assert_prints(&x, "  value (const f32 -0)\n");
	poly_expr_free(x.prog->stmt[0]->rhs);
	x.prog->stmt[0]->rhs = poly_expr_op(POLY_OP_NEG, POLY_F32,
		poly_expr_cast(POLY_F32, poly_expr_param("K")), NULL);
	assert_prints(&x, "  value (neg (cast f32 (param K)))\n");
	assert_fixed_point(&x);
	assert_true(example_close(&x));
}

/* The text between the fences behind "cetane-poly 1" of the README. */
static char *readme_example(void)
{
	FILE *file = fopen(SOURCE_DIR "/polyir/README.md", "r");
	char *text, *begin, *end;
	size_t n;

	assert_non_null(file);
	text = calloc(1, 1 << 20);
	n = fread(text, 1, (1 << 20) - 1, file);
	fclose(file);
	assert_true(n > 0);
	begin = strstr(text, "```\ncetane-poly 1");
	assert_non_null(begin);
	begin += strlen("```\n");
	end = strstr(begin, "```");
	assert_non_null(end);
	*end = '\0';
	memmove(text, begin, strlen(begin) + 1);
	return text;
}

static void test_readme(void **state)
{
	struct example x;
	char *text = readme_example(), *again;

	(void)state;
	example_open(&x, "x");
	again = reprint(&x, text);
	if (!again)
		print_error("%d: %s\n", x.report.msg[0].loc.line,
			x.report.msg[0].text);
	assert_non_null(again);
	assert_string_equal(again, text);
	free(text);
	free(again);
	assert_true(example_close(&x));
}

/* A loop nest: a scalar, an array that is read and written, every shape of
 * operator, and the order of the text.
 */
static void test_nest(void **state)
{
	static const char text[] =
		"cetane-poly 1\nprogram \"nest\" file \"nest.c\"\n"
		"param N\ncontext \"[N] -> {  : N >= 0 }\"\nfp strict\n"
		"array A i64 inout global \"[N] -> { A[(N)] }\"\n"
		"array s bool temp global \"{ s[] }\"\n"
		"stmt S point \"[N] -> { S[i] : 0 <= i < N }\"\n"
		"  write s \"{ S[i] -> s[] }\"\n"
		"  value (lt (read A \"{ S[i] -> A[(i)] }\") "
		"(index i64 \"[N] -> { S[i] -> [(-1 + N - i)] }\"))\n"
		"stmt T point \"[N] -> { T[i] : 0 <= i < N }\"\n"
		"  write A \"{ T[i] -> A[(i)] }\"\n"
		"  value (select (read s \"{ T[i] -> s[] }\") "
		"(const i64 1) (cast i64 (pow (const f64 2) (const f64 3))))\n"
		"original\n"
		"  domain\n"
		"      \"[N] -> { S[i] : 0 <= i < N }\"\n"
		"      \"[N] -> { T[i] : 0 <= i < N }\"\n"
		"    band coincident 0\n"
		"        \"{ S[i] -> [(i)] }\"\n"
		"        \"{ T[i] -> [(i)] }\"\n"
		"      sequence\n"
		"        filter \"{ S[i] }\"\n"
		"        filter \"{ T[i] }\"\n";
	struct example x;
	char *again;

	(void)state;
	example_open(&x, "x");
	again = reprint(&x, text);
	if (!again)
		print_error("%d: %s\n", x.report.msg[0].loc.line,
			x.report.msg[0].text);
	assert_non_null(again);
	assert_string_equal(again, text);
	free(again);
	assert_true(example_close(&x));
}

/* "text" is refused with one message that has a place. */
static void assert_refused(struct example *x, const char *text, size_t len)
{
	struct poly_prog *prog;

	poly_report_free(&x->report);
	prog = poly_parse(x->ctx, text, len, &x->report);
	assert_null(prog);
	assert_int_equal(x->report.n_error, 1);
	assert_true(x->report.msg[0].loc.line >= 1);
	assert_true(x->report.msg[0].loc.col >= 1);
}

/* Cut at any line, and in its middle: refused, or a program with less. */
static void test_truncated(void **state)
{
	char *text = readme_example(), *eol, *line = text;
	struct poly_prog *prog;
	struct example x;

	(void)state;
	example_open(&x, "x");
	for (; (eol = strchr(line, '\n')); line = eol + 1) {
		size_t half = (size_t)(line - text) + (size_t)(eol - line) / 2;

		poly_report_free(&x.report);
		prog = poly_parse(x.ctx, text, (size_t)(line - text),
			&x.report);
		if (!prog)
			assert_true(x.report.msg[0].loc.line >= 1);
		poly_prog_free(prog);
		if (memchr(line, '"', half - (size_t)(line - text)))
			assert_refused(&x, text, half);
	}
	free(text);
	assert_true(example_close(&x));
}

static void test_refused(void **state)
{
	struct poly_str text = { 0 };
	const struct poly_message *m;
	struct example x;
	size_t i;

	(void)state;
	example_open(&x, "x");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		poly_str_free(&text);
		poly_str_printf(&text, "%s%s", HEAD, refused[i].text);
		assert_refused(&x, text.s, text.len);
		m = &x.report.msg[0];
		if (m->number != refused[i].number ||
		    m->loc.line != refused[i].line ||
		    m->loc.col != refused[i].col ||
		    !strstr(m->text, refused[i].message))
			fail_msg("\"%s\" gives E%d %d:%d %s", refused[i].text,
				m->number, m->loc.line, m->loc.col, m->text);
	}
	poly_str_free(&text);
	assert_true(example_close(&x));
}

/* A program with "n" times "more" between "before" and "after". */
static void repeat(struct poly_str *text, const char *before, const char *more,
	int n, const char *after)
{
	poly_str_free(text);
	poly_str_add(text, before);
	while (n-- > 0)
		poly_str_add(text, more);
	poly_str_add(text, after);
}

static void assert_limit(struct example *x, const struct poly_str *text,
	const char *message)
{
	assert_refused(x, text->s, text->len);
	assert_int_equal(x->report.msg[0].number, MSG_POLY_LIMIT);
	if (!strstr(x->report.msg[0].text, message))
		fail_msg("%s", x->report.msg[0].text);
}

static void assert_accepted(struct example *x, const struct poly_str *text)
{
	struct poly_prog *prog;

	poly_report_free(&x->report);
	prog = poly_parse(x->ctx, text->s, text->len, &x->report);
	if (!prog)
		fail_msg("%s", x->report.msg[0].text);
	poly_prog_free(prog);
}

/* Limits hold before isl sees anything, and do not bite a step earlier. */
static void test_limits(void **state)
{
	struct poly_str t = { 0 };
	struct example x;

	(void)state;
	example_open(&x, "x");
	repeat(&t, HEAD "context \"{ : ", "(", 200000, "\"\n");
	assert_limit(&x, &t, "a set has more than");
	repeat(&t, HEAD "context \"{ : ", "(", 60000, "\"\n");
	assert_limit(&x, &t, "deeper than 64");
	repeat(&t, HEAD "context \"{ : ", "[", 20000, "\"\n");
	assert_limit(&x, &t, "deeper than 64");
	repeat(&t, HEAD "context \"[M] -> { : ", "M >= 0 and ", 7000,
		"M = 0 }\"\n");
	assert_limit(&x, &t, "a set has more than");
	repeat(&t, HEAD CONTEXT, "a", 1 << 20, "b\n");
	assert_limit(&x, &t, "the line has more than");
	repeat(&t, HEAD CONTEXT, "#\n", 8 << 20, "");
	assert_limit(&x, &t, "the text has more than");
	repeat(&t, HEAD POINT "  value ", "(neg ", 1000, "(const f32 1)");
	assert_limit(&x, &t, "nested deeper than 1000");
	repeat(&t, HEAD DOMAIN "    band coincident", " 1", 17, "\n");
	assert_limit(&x, &t, "more than 16 members");
	repeat(&t, HEAD POINT "  value ", "(neg ", 200000, "");
	assert_limit(&x, &t, "nested deeper than 1000");
	poly_str_free(&t);
	assert_true(example_close(&x));
}

/* A chain of "n" marks below the domain. */
static void nest_marks(struct poly_str *t, int n)
{
	int i;

	poly_str_free(t);
	poly_str_add(t, HEAD DOMAIN);
	for (i = 0; i < n; i++)
		poly_str_printf(t, "%*smark x\n", 2 * i + 4, "");
}

static void test_deepest(void **state)
{
	struct poly_str t = { 0 };
	struct example x;
	int i;

	(void)state;
	example_open(&x, "x");
	nest_marks(&t, 64);
	assert_accepted(&x, &t);
	nest_marks(&t, 65);
	assert_limit(&x, &t, "deeper than 64 nodes");
	repeat(&t, HEAD POINT "  value ", "(neg ", 999, "(const f32 1)");
	for (i = 0; i < 999; i++)
		poly_str_add(&t, ")");
	assert_accepted(&x, &t);
	poly_str_add(&t, "\n# a comment\n\n   \n");
	assert_accepted(&x, &t);
	poly_str_free(&t);
	assert_true(example_close(&x));
}

static void test_not_ours(void **state)
{
	static const char nul[] = "cetane-poly 1\nprogram \"x\0y\" file \"\"\n";
	struct example x;

	(void)state;
	example_open(&x, "x");
	assert_refused(&x, "", 0);
	assert_refused(&x, "\n", 1);
	assert_refused(&x, "\xff\xfe", 2);
	assert_refused(&x, "cetane-poly 2\n", 14);
	assert_refused(&x, nul, sizeof(nul) - 1);
	assert_true(example_close(&x));
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_mapped),
		cmocka_unit_test(test_same_tree),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_deps),
		cmocka_unit_test(test_empty_group),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_readme),
		cmocka_unit_test(test_nest),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_deepest),
		cmocka_unit_test(test_not_ours),
	};

	return cmocka_run_group_tests_name("polyir text", test, NULL, NULL);
}
