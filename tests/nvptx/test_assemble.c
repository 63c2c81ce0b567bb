/* Check the assemblers: which one is taken, what is wrong with one is a message and
 * nothing else, and what it says of registers and stack.
 *
 * Where the machine has none, the tests that need one say so.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "emitted.h"

static isl_stat try_assemble(const struct poly_str *ptx,
	struct poly_report *report)
{
	struct poly_str cubin = { 0 };
	isl_stat result = nvptx_assemble(ptx, nvptx_target_find("sm_90"),
		&cubin, NULL, NULL, report);

	if (result < 0)
		assert_int_equal(cubin.len, 0);
	poly_str_free(&cubin);
	return result;
}

static int reset_environment(void **state)
{
	(void) state;
	unsetenv("CETANE_PTXAS");
	unsetenv("CETANE_NVJITLINK");
	unsetenv("TMPDIR");
	return 0;
}

static void test_nvjitlink(void **state)
{
	struct poly_str ptx = ptx_of(kernel, "sm_90a"), tried = { 0 };
	struct nvptx_usage program, library;
	void *handle = nvptx_jitlink_open(&tried);
	bool can = have_ptxas();

	(void) state;
	if (!handle) {
		print_message("no nvJitLink on this machine: %s\n", tried.s);
	} else {
		dlclose(handle);
		setenv("CETANE_PTXAS", "none", 1);
		assemble(&ptx, "sm_90a", &library);
		assert_true(library.registers > 4);
		unsetenv("CETANE_PTXAS");
		if (can) {
			assemble(&ptx, "sm_90a", &program);
			assert_int_equal(library.registers, program.registers);
		}
	}
	poly_str_free(&ptx);
	poly_str_free(&tried);
}

static void test_no_assembler(void **state)
{
	struct poly_str ptx = ptx_of(kernel, "sm_90");
	struct poly_report report = { 0 };

	(void) state;
	setenv("CETANE_PTXAS", "none", 1);
	setenv("CETANE_NVJITLINK", "none", 1);
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_NO_ASSEMBLER,
		"no nvJitLink (CETANE_NVJITLINK=none)");
	setenv("CETANE_NVJITLINK", "/no/such/library.so", 1);
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_NO_ASSEMBLER, "/no/such/library.so");
	setenv("CETANE_PTXAS", "/no/such/ptxas", 1);
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "/no/such/ptxas: No such");
	unsetenv("CETANE_PTXAS");
	setenv("TMPDIR", "/no/such/folder", 1);
	setenv("CETANE_PTXAS", "/bin/sh", 1);
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "No such file");
	poly_str_free(&ptx);
}

/* A library that is no nvJitLink. */
static void test_wrong_library(void **state)
{
	struct poly_str ptx = ptx_of(kernel, "sm_90");
	struct poly_report report = { 0 };

	(void) state;
	setenv("CETANE_PTXAS", "none", 1);
	setenv("CETANE_NVJITLINK", "libm.so.6", 1);
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "it lacks nvJitLinkCreate");
	poly_str_free(&ptx);
}

static void test_rejected(void **state)
{
	struct poly_str ptx = { 0 }, tried = { 0 };
	struct poly_report report = { 0 };
	void *handle = nvptx_jitlink_open(&tried);

	(void) state;
	poly_str_add(&ptx, ".version 8.0\n.target sm_90\n.nonsense\n");
	if (have_ptxas()) {
		assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
		expect_message(&report, MSG_NVPTX_ASSEMBLY,
			"ptxas rejects the PTX: ptxas kernel.ptx, line 3");
	}
	setenv("CETANE_PTXAS", "none", 1);
	if (handle) {
		assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
		expect_message(&report, MSG_NVPTX_ASSEMBLY, "line 3");
		dlclose(handle);
	}
	poly_str_free(&tried);
	poly_str_free(&ptx);
}

/* A script in the place of ptxas, in a folder of its own where the temporary
 * files go, too: what it says and how it ends is under the test's control.
 */
struct fake {
	char folder[32], script[64];
};

static void fake_make(struct fake *f, const char *body)
{
	FILE *out;

	strcpy(f->folder, "/tmp/test-emit-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->script, sizeof(f->script), "%s/ptxas", f->folder);
	out = fopen(f->script, "w");
	assert_non_null(out);
	fprintf(out, "#!/bin/sh\n%s\n", body);
	fclose(out);
	chmod(f->script, 0700);
	setenv("TMPDIR", f->folder, 1);
	setenv("CETANE_PTXAS", f->script, 1);
}

/* Nothing but the script may be left. */
static void fake_remove(struct fake *f)
{
	assert_int_equal(unlink(f->script), 0);
	assert_int_equal(rmdir(f->folder), 0);
	reset_environment(NULL);
}

static void test_fake(void **state)
{
	struct poly_str ptx = ptx_of(kernel, "sm_90");
	struct poly_report report = { 0 };
	struct fake f;

	(void) state;
	fake_make(&f, "cat kernel.ptx >kernel.cubin\n"
		"echo 'ptxas info : (C7517) Potential Performance Loss'\n"
		"echo 'ptxas info : Used 1 registers'");
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_ok);
	assert_int_equal(report.n_msg, 1);
	assert_int_equal(report.n_error, 0);
	expect_message(&report, MSG_NVPTX_ASSEMBLY_WARNING, "C7517");
	fake_remove(&f);
	fake_make(&f, "kill -9 $$");
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "signal 9");
	fake_remove(&f);
	fake_make(&f, "exit 0");
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "No such file");
	fake_remove(&f);
	fake_make(&f, "echo 'ptxas fatal : error'; exit 1");
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	assert_memory_equal(report.msg[0].text, "ptxas rejects", 13);
	expect_message(&report, MSG_NVPTX_ASSEMBLY, "ptxas fatal");
	fake_remove(&f);
	fake_make(&f, "exit 3");
	assert_int_equal(try_assemble(&ptx, &report), isl_stat_error);
	expect_message(&report, MSG_NVPTX_ASSEMBLER, "without a reason");
	fake_remove(&f);
	poly_str_free(&ptx);
}

/* Two kernels, one with a stack frame, and a function between them. */
static void test_usage(void **state)
{
	struct poly_str log = { 0 };
	struct poly_report report = { 0 };
	struct nvptx_usage *u = NULL;
	int n = 0;

	(void) state;
	poly_str_add(&log, "ptxas info    : 0 bytes gmem\n"
		"ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
		"ptxas info    : Function properties for a\n"
		"    16 bytes stack frame, 8 bytes spill stores, "
		"12 bytes spill loads\n"
		"ptxas info    : Used 255 registers, used 1 barriers, "
		"1024 bytes smem, 368 bytes cmem[0], 8 bytes cmem[2]\n"
		"ptxas info    : Function properties for helper\n"
		"    99 bytes stack frame, 0 bytes spill stores, "
		"0 bytes spill loads\n"
		"ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
		"ptxas info    : Used 7 registers\n");
	assert_int_equal(nvptx_usage_parse(&log, "ptxas", &u, &n, &report),
		isl_stat_ok);
	expect_silence(&report);
	assert_int_equal(n, 2);
	assert_string_equal(u[0].kernel, "a");
	assert_int_equal(u[0].registers, 255);
	assert_int_equal(u[0].stack, 16);
	assert_int_equal(u[0].spill_stores, 8);
	assert_int_equal(u[0].spill_loads, 12);
	assert_int_equal(u[0].shared, 1024);
	assert_int_equal(u[0].constant, 376);
	assert_string_equal(u[1].kernel, "b");
	assert_int_equal(u[1].registers, 7);
	assert_int_equal(u[1].shared, 0);
	nvptx_usage_free(u, n);
	poly_str_free(&log);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test_teardown(test_nvjitlink, reset_environment),
		cmocka_unit_test_teardown(test_no_assembler,
			reset_environment),
		cmocka_unit_test_teardown(test_wrong_library,
			reset_environment),
		cmocka_unit_test_teardown(test_rejected, reset_environment),
		cmocka_unit_test_teardown(test_fake, reset_environment),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
