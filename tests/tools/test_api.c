/* The library by its header alone: results and failures as values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "builds.h"
#include "runtime/program.h"

/* The same with a new build of Fig. 2 and one option. */
static void option_fails(const char *option, const char *value, int number,
	const char *part)
{
	struct cetane_build *b = new_build(fig2);

	set(b, option, value);
	fails(b, CETANE_BUILD_USAGE, number, part);
	cetane_build_free(b);
}

static void test_outputs(void **state)
{
	struct cetane_build *b = new_build(fig2);
	const struct cetane_output *out;

	(void)state;
	set(b, "emit", "dag,ptx");
	set(b, "define", "M=64");
	set(b, "define", "N=64");
	set(b, "arch", "sm_80");
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_outputs(b), 2);
	assert_string_equal(cetane_build_output(b, 0)->kind, "dag");
	out = cetane_build_find(b, "ptx");
	assert_ptr_equal(out, cetane_build_output(b, 1));
	assert_string_equal(out->suffix, ".ptx");
	assert_int_equal(strlen(out->data), out->size);
	assert_non_null(strstr(out->data, ".target sm_80"));
	assert_null(cetane_build_output(b, 2));
	assert_null(cetane_build_output(b, -1));
	assert_null(cetane_build_find(b, "cubin"));
	assert_null(cetane_build_message(b, 0));
	assert_int_equal(cetane_build_check(b), CETANE_BUILD_USAGE);
	assert_int_equal(cetane_build_outputs(b), 0);
	cetane_build_free(b);
	cetane_build_free(NULL);
	assert_string_equal(cetane_version(), CETANE_VERSION);
}

static void test_check(void **state)
{
	struct cetane_build *b = new_build(fig2);

	(void)state;
	assert_int_equal(cetane_build_check(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_outputs(b), 1);
	assert_non_null(strstr(cetane_build_find(b, "check")->data, "E"));
	cetane_build_free(b);
}

/* Facts about a program, as text and as JSON. */
static void test_inspect(void **state)
{
	struct cetane_build *b = new_build(fig2);

	(void)state;
	assert_int_equal(cetane_build_inspect(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_outputs(b), 1);
	assert_non_null(strstr(cetane_build_output(b, 0)->data,
		"program fig2 for sm_90a"));
	set(b, "json", NULL);
	assert_int_equal(cetane_build_inspect(b), CETANE_BUILD_OK);
	assert_string_equal(cetane_build_find(b, "inspect")->suffix, ".json");
	assert_int_equal(*(const char *)cetane_build_output(b, 0)->data, '{');
	cetane_build_free(b);
}

static void test_wrong_program(void **state)
{
	struct cetane_build *b = new_build("Params N;\nMatrix A(N,N);\n"
		"B = A * X;\nCodeGen(FLOAT, {B});\n");
	const struct cetane_message *m;

	(void)state;
	fails(b, CETANE_BUILD_INPUT, 201, "'X' is not defined");
	m = first_error(b);
	assert_int_equal(m->line, 3);
	assert_int_equal(m->column, 9);
	assert_string_equal(m->rendered, "fig2.dsl:3:9: error[E201]: 'X' is "
		"not defined\n    B = A * X;\n            ^\n");
	set(b, "color", "always");
	fails(b, CETANE_BUILD_INPUT, 201, "'X' is not defined");
	assert_non_null(strstr(first_error(b)->rendered, "\033[1;31merror"));
	cetane_build_free(b);

	b = new_build("Params N, M;\nMatrix A(N,N);\nB = A * A;\n"
		"CodeGen(FLOAT, {B});\n");
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_messages(b), 1);
	m = cetane_build_message(b, 0);
	assert_int_equal(m->severity, CETANE_WARNING);
	assert_int_equal(m->number, 232);
	cetane_build_free(b);
}

static void test_wrong_options(void **state)
{
	(void)state;
	option_fails("arch", "sm_81", 603, "\"sm_81\"");
	option_fails("arhc", "sm_80", 601, "did you mean --arch");
	option_fails("emit", "elf", 603, "\"elf\"");
	option_fails("in-process", "yes", 605, "in-process");
	option_fails("arch", "sm_80,sm_90", 607, "several");
	option_fails("output", "file", 601, "only the command");
	option_fails("help", NULL, 601, "only the command");
	option_fails("seed", "1", 601, "--seed");
	option_fails("memory-limit", "much", 603, "\"much\"");
}

static void test_files(void **state)
{
	char path[] = "/tmp/cetane-api-XXXXXX";
	struct cetane_build *b;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, fig2, sizeof(fig2) - 1),
		sizeof(fig2) - 1);
	close(fd);
	b = cetane_build_open(path);
	assert_non_null(b);
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_OK);
	assert_int_equal(cetane_build_outputs(b), 1);
	cetane_build_free(b);
	unlink(path);
	b = cetane_build_open(path);
	assert_non_null(b);
	fails(b, CETANE_BUILD_INPUT, 551, path);
	fails(b, CETANE_BUILD_INPUT, 551, path);
	cetane_build_free(b);
}

/* ----------------------------------------------------------------- loading */

static void test_symbol(void **state)
{
	struct cetane_build *b = new_build(fig2);
	int64_t (*bytes)(int64_t m, int64_t k, int64_t n);

	(void)state;
	set(b, "name", "f");
	assert_int_equal(cetane_build_run(b), CETANE_BUILD_USAGE);
	set(b, "emit", "object");
	if (cetane_build_run(b) == CETANE_BUILD_ENVIRONMENT) {
		assert_int_equal(first_error(b)->number, 501);
		cetane_build_free(b);
		skip();
	}
	assert_int_equal(cetane_build_outputs(b), 3);
	assert_non_null(strstr(cetane_build_find(b, "header")->data,
		"f_load"));
	assert_null(cetane_build_symbol(b, "fig2"));
	assert_int_equal(first_error(b)->number, 457);
	*(void **)&bytes = cetane_build_symbol(b, "f_workspace_size");
	assert_non_null(bytes);
	assert_true(bytes(10, 20, 30) >= 0);
	assert_true(bytes(-10, 20, 30) < 0);
	assert_int_equal(cetane_build_check(b), CETANE_BUILD_USAGE);
	assert_null(cetane_build_symbol(b, "f"));
	cetane_build_free(b);
}

/* An object that was made before, in the place of a program. */
static void test_object(void **state)
{
	struct cetane_build *b = new_build(fig2), *c;
	struct cetane_program *(*program)(void);
	struct cetane_signature *s;
	const struct cetane_output *object;

	(void)state;
	set(b, "emit", "object");
	if (cetane_build_run(b) == CETANE_BUILD_ENVIRONMENT) {
		cetane_build_free(b);
		skip();
	}
	object = cetane_build_find(b, "object");
	c = cetane_build_new("fig2.o", object->data, object->size);
	cetane_build_free(b);
	assert_int_equal(cetane_build_inspect(c), CETANE_BUILD_OK);
	assert_non_null(strstr(cetane_build_find(c, "inspect")->data,
		"program fig2"));
	*(void **)&program = cetane_build_symbol(c, "fig2_program");
	assert_non_null(program);
	assert_int_equal(cetane_signature_read(program(), &s), CETANE_OK);
	assert_string_equal(s->name, "fig2");
	assert_int_equal(s->n_array, 4);
	cetane_signature_free(s);
	assert_null(cetane_build_symbol(c, "other"));
	assert_int_equal(first_error(c)->number, 457);
	cetane_build_free(c);
	c = cetane_build_new("fig2.dsl", fig2, strlen(fig2));
	assert_null(cetane_build_symbol(c, "fig2"));
	cetane_build_free(c);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_inspect),
		cmocka_unit_test(test_wrong_program),
		cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_symbol),
		cmocka_unit_test(test_object),
	};

	use_helper(true);
	return cmocka_run_group_tests_name("library", test, NULL, NULL);
}
