/* Check that LLVM IR becomes PTX, cubin and host code for every target, and
 * that whatever is wrong on the way is a message and nothing else.
 *
 * Where the machine has no assembler, the tests that need one say so.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emitted.h"
#include "nvptx/math/math.h"
#include "runtime/host_abi.h"

/* ------------------------------------------------------------------ helpers */

static struct nvptx_options host(void)
{
	return (struct nvptx_options) { .device = NVPTX_HOST };
}

/* ------------------------------------------------------------------ targets */

static void test_targets(void **state)
{
	const struct nvptx_target *t;
	struct nvptx_usage use;
	char line[64];
	bool can = have_ptxas();
	int i;

	(void) state;
	for (i = 0; (t = nvptx_target_at(i)); i++) {
		struct poly_str ptx = ptx_of(kernel, t->name);

		assert_ptr_equal(nvptx_target_find(t->name), t);
		snprintf(line, sizeof(line), ".version %d.%d\n.target %s\n",
			t->ptx / 10, t->ptx % 10, t->name);
		assert_non_null(strstr(ptx.s, line));
		assert_non_null(strstr(ptx.s, ".visible .entry k("));
		if (can) {
			assemble(&ptx, t->name, &use);
			assert_true(use.registers > 4);
			assert_int_equal(use.shared, 128);
		}
		poly_str_free(&ptx);
	}
	assert_true(i >= 18);
	assert_null(nvptx_target_find("sm_12"));
	assert_null(nvptx_target_at(-1));
}

/* A kernel that calls all functions of one float in both types. */
static void add_math_kernel(struct nvptx_module *m)
{
	LLVMTypeRef f32 = LLVMFloatTypeInContext(m->ctx);
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->ctx);
	LLVMTypeRef arg[] = { LLVMPointerTypeInContext(m->ctx, 1) };
	LLVMValueRef k = LLVMAddFunction(m->module, "k", LLVMFunctionType(
		LLVMVoidTypeInContext(m->ctx), arg, 1, 0));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
	LLVMValueRef one = LLVMConstInt(LLVMInt64TypeInContext(m->ctx), 1, 0);
	LLVMValueRef p = LLVMGetParam(k, 0), x, y;

	LLVMSetFunctionCallConv(k, 71);
	LLVMPositionBuilderAtEnd(b,
		LLVMAppendBasicBlockInContext(m->ctx, k, ""));
	x = LLVMBuildLoad2(b, f32, p, "");
	y = LLVMBuildLoad2(b, f64, p, "");
	for (int op = POLY_OP_SQRT; op < POLY_OP_ATAN2; op++) {
		x = nvptx_math(m, b, (enum poly_op) op, &x);
		y = nvptx_math(m, b, (enum poly_op) op, &y);
	}
	assert_null(nvptx_math(m, b, POLY_OP_ADD, &x));
	LLVMBuildStore(b, LLVMBuildFPExt(b, x, f64, ""), p);
	LLVMBuildStore(b, y, LLVMBuildGEP2(b, f64, p, &one, 1, ""));
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
}

/* Is the instruction that has "part" at "at" the start of what becomes a rounded
 * reciprocal or root?
 */
static bool is_start(const char *at, const char *part)
{
	static const char *const start[] = { "rcp.approx.ftz.f32",
		"rsqrt.approx.ftz.f32" };

	for (int i = 0; i < 2; i++) {
		const char *begin = at - (strstr(start[i], part) - start[i]);

		if (!strncmp(begin, start[i], strlen(start[i])))
			return true;
	}
	return false;
}

/* Only operations with IEEE rounding, which the assembler may not fuse, but for
 * starts.
 */
static void expect_ieee(const char *ptx)
{
	static const char *const bad[] = {
		".func", "\tadd.f", "\tsub.f", "\tmul.f", "\tfma.f",
		"\tdiv.full",
	};

	for (const char *s = ptx; (s = strstr(s, ".approx")); s++)
		assert_true(is_start(s, ".approx"));
	for (const char *s = ptx; (s = strstr(s, ".ftz")); s++)
		assert_true(is_start(s, ".ftz"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(strstr(ptx, bad[i]));
	assert_non_null(strstr(ptx, "fma.rn.f32"));
	assert_non_null(strstr(ptx, "fma.rn.f64"));
}

static void test_math(void **state)
{
	static const char *const name[] = { "sm_75", "sm_90a", "sm_120" };
	bool can = have_ptxas();
	struct nvptx_usage use;

	(void) state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct nvptx_options o = gpu(name[i]);
		struct poly_report report = { 0 };
		struct poly_str ptx = { 0 };
		struct nvptx_module *m;

		m = nvptx_module_alloc("math", &o, &report);
		add_math_kernel(m);
		assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
		assert_int_equal(nvptx_emit_ptx(m, &ptx, &report),
			isl_stat_ok);
		expect_ieee(ptx.s);
		if (can)
			assemble(&ptx, name[i], &use);
		poly_str_free(&ptx);
		nvptx_module_free(m);
		expect_silence(&report);
	}
}

/* Emission leaves the module as it is. */
static void test_emit_twice(void **state)
{
	struct nvptx_options o = gpu("sm_80");
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(kernel, &o, &report);
	struct poly_str before = { 0 }, after = { 0 }, one = { 0 }, two = { 0 };

	(void) state;
	nvptx_print(m, &before);
	assert_int_equal(nvptx_emit_ptx(m, &one, &report), isl_stat_ok);
	assert_int_equal(nvptx_emit_ptx(m, &two, &report), isl_stat_ok);
	nvptx_print(m, &after);
	assert_string_equal(before.s, after.s);
	assert_string_equal(one.s, two.s);
	poly_str_free(&before);
	poly_str_free(&after);
	poly_str_free(&one);
	poly_str_free(&two);
	nvptx_module_free(m);
	expect_silence(&report);
}

/* -------------------------------------------------------------------- read */

/* An edited constant arrives in the PTX: 2.5 is 0f40200000, 3.5 0f40600000. */
static void test_edit(void **state)
{
	struct nvptx_options o = gpu("sm_90a");
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(kernel, &o, &report);
	struct poly_str text = { 0 }, ptx;
	char *p;

	(void) state;
	nvptx_print(m, &text);
	nvptx_module_free(m);
	ptx = ptx_of(text.s, "sm_90a");
	assert_non_null(strstr(ptx.s, "0f40200000"));
	poly_str_free(&ptx);
	p = strstr(text.s, "2.5");
	assert_non_null(p);
	*p = '3';
	ptx = ptx_of(text.s, "sm_90a");
	assert_null(strstr(ptx.s, "0f40200000"));
	assert_non_null(strstr(ptx.s, "0f40600000"));
	poly_str_free(&ptx);
	poly_str_free(&text);
	expect_silence(&report);
}

static void test_malformed(void **state)
{
	static const struct {
		const char *text;
		int line;
		enum poly_msg id;
		const char *part;
	} row[] = {
		{ "nonsense", 1, MSG_NVPTX_TEXT, "expected top-level entity" },
		{ "\n\ndefine void @f() {\n  ret i32 %x\n}\n", 4,
			MSG_NVPTX_TEXT, "value doesn't match" },
		{ "define void @f() {\n  call void @g()\n  ret void\n}\n", 2,
			MSG_NVPTX_TEXT, "undefined value '@g'" },
		{ "define void @f() {", 1, MSG_NVPTX_TEXT, "" },
		{ "define i32 @f() {\n  %a = add i32 %b, 1\n"
			"  %b = add i32 1, 1\n  ret i32 %a\n}\n", 0,
			MSG_NVPTX_INVALID, "does not dominate" },
		{ "target triple = \"x86_64-pc-linux-gnu\"\n", 0,
			MSG_NVPTX_INVALID, "x86_64-pc-linux-gnu, not for "
			"nvptx64-nvidia-cuda" },
		{ "target datalayout = \"q\"\n", 0, MSG_NVPTX_TEXT, "" },
	};
	struct nvptx_options o = gpu("sm_80");

	(void) state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_report report = { 0 };

		assert_null(read_text(row[i].text, &o, &report));
		assert_int_equal(report.n_error, 1);
		if (row[i].line)
			assert_int_equal(report.msg[0].loc.line, row[i].line);
		expect_message(&report, row[i].id, row[i].part);
	}
}

/* What LLVM says through its context becomes a message. */
static void test_diagnostics(void **state)
{
	struct nvptx_options o = gpu("sm_80");
	struct poly_report report = { 0 };
	struct poly_str ptx = { 0 };
	struct nvptx_module *m;

	(void) state;
	m = read_text("define void @f() {\n  %x = call i32 asm \"\", \"=Z\"()\n"
		"  ret void\n}\n", &o, &report);
	assert_non_null(m);
	assert_int_equal(nvptx_emit_ptx(m, &ptx, &report), isl_stat_error);
	assert_int_equal(ptx.len, 0);
	expect_message(&report, MSG_NVPTX_LLVM, "constraint");
	nvptx_module_free(m);
	m = read_text("!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!3}\n"
		"!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2)\n"
		"!2 = !DIFile(filename: \"a\", directory: \"b\")\n"
		"!3 = !{i32 2, !\"Debug Info Version\", i32 1}\n", &o, &report);
	assert_non_null(m);
	assert_int_equal(report.n_error, 0);
	expect_message(&report, MSG_NVPTX_LLVM_WARNING, "debug info");
	nvptx_module_free(m);
}

/* --------------------------------------------------------------------- JIT */

static const char host_kernel[] =
	"declare void @cetane_host_barrier(ptr, i32)\n"
	"declare double @exp(double)\n"
	"define internal void @hidden() {\n  ret void\n}\n"
	"define void @k(ptr %t, ptr %args) {\n"
	"  call void @cetane_host_barrier(ptr %t, i32 7)\n"
	"  %p = load ptr, ptr %args\n"
	"  %x = load double, ptr %p\n"
	"  %y = call double @exp(double %x)\n"
	"  store double %y, ptr %p\n"
	"  ret void\n"
	"}\n";

static uint32_t barrier_id;

static void barrier(struct cetane_host_thread *t, uint32_t id)
{
	(void) t;
	barrier_id = id;
}

static void test_jit(void **state)
{
	const struct nvptx_symbol symbol = {
		"cetane_host_barrier", (void *) barrier
	};
	struct nvptx_options o = host();
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(host_kernel, &o, &report);
	struct cetane_host_thread thread = { .shared = NULL };
	double x = 1;
	void *arg[] = { &x }, **entry, **again;

	(void) state;
	assert_non_null(m);
	assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
	assert_int_equal(nvptx_jit(m, &symbol, 1, &entry, &report),
		isl_stat_ok);
	((cetane_host_kernel) entry[0])(&thread, arg);
	assert_int_equal(barrier_id, 7);
	assert_true(x == exp(1));
	assert_int_equal(nvptx_jit(m, &symbol, 1, &again, &report),
		isl_stat_ok);
	assert_ptr_equal(entry, again);
	nvptx_module_free(m);
	expect_silence(&report);
}

static void test_jit_unresolved(void **state)
{
	struct nvptx_options o = host();
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(
		"declare void @cetane_no_such_function()\n"
		"define void @k(ptr %t, ptr %args) {\n"
		"  call void @cetane_no_such_function()\n  ret void\n}\n",
		&o, &report);
	void **entry;

	(void) state;
	assert_non_null(m);
	assert_int_equal(nvptx_jit(m, NULL, 0, &entry, &report),
		isl_stat_error);
	assert_int_equal(report.n_msg, 1);
	expect_message(&report, MSG_NVPTX_JIT, "cetane_no_such_function");
	nvptx_module_free(m);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_math),
		cmocka_unit_test(test_emit_twice),
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_diagnostics),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_jit_unresolved),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
