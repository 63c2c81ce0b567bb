/* Check that LLVM IR becomes PTX, cubin and host code for every target, and
 * that whatever is wrong on the way is a message and nothing else.
 *
 * Where the machine has no assembler, the tests that need one say so.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/math/math.h"
#include "nvptx/assemble/assemble.h"
#include "runtime/host_abi.h"

/* s[tid] = x * 2.5; p[tid] = s[31 - tid] */
static const char kernel[] =
	"@s = internal addrspace(3) global [32 x float] poison, align 128\n"
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %p, float %x) #0 {\n"
	"  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	"  %y = fmul float %x, 2.5\n"
	"  %w = getelementptr float, ptr addrspace(3) @s, i32 %t\n"
	"  store float %y, ptr addrspace(3) %w\n"
	"  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
	"  %u = sub i32 31, %t\n"
	"  %r = getelementptr float, ptr addrspace(3) @s, i32 %u\n"
	"  %v = load float, ptr addrspace(3) %r\n"
	"  %q = getelementptr float, ptr addrspace(1) %p, i32 %t\n"
	"  store float %v, ptr addrspace(1) %q\n"
	"  ret void\n"
	"}\n"
	"attributes #0 = { \"nvvm.reqntid\"=\"32\" }\n";

/* ------------------------------------------------------------------ helpers */

static struct nvptx_options gpu(const char *name)
{
	struct nvptx_options o = {
		.device = NVPTX_GPU, .target = nvptx_target_find(name),
	};

	assert_non_null(o.target);
	return o;
}

static struct nvptx_options host(void)
{
	return (struct nvptx_options) { .device = NVPTX_HOST };
}

static struct nvptx_module *read_text(const char *text,
	const struct nvptx_options *o, struct poly_report *report)
{
	return nvptx_read(text, strlen(text), o, report);
}

/* The last message of "report" is number "id" and holds "part"; the report is
 * emptied.
 */
static void expect_message(struct poly_report *report, enum poly_msg id,
	const char *part)
{
	const struct poly_message *m;

	assert_true(report->n_msg > 0);
	m = &report->msg[report->n_msg - 1];
	if (m->number != (int) id || !strstr(m->text, part))
		print_error("message %d: %s\n", m->number, m->text);
	assert_int_equal(m->number, id);
	assert_non_null(strstr(m->text, part));
	poly_report_free(report);
	*report = (struct poly_report) { 0 };
}

static void expect_silence(struct poly_report *report)
{
	for (int i = 0; i < report->n_msg; i++)
		print_error("message: %s\n", report->msg[i].text);
	assert_int_equal(report->n_msg, 0);
	poly_report_free(report);
}

/* PTX of "text" for "target", through all stages. */
static struct poly_str ptx_of(const char *text, const char *target)
{
	struct nvptx_options o = gpu(target);
	struct poly_report report = { 0 };
	struct nvptx_module *m = read_text(text, &o, &report);
	struct poly_str ptx = { 0 };

	assert_non_null(m);
	assert_null(nvptx_module_plan(m));
	assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
	assert_int_equal(nvptx_emit_ptx(m, &ptx, &report), isl_stat_ok);
	nvptx_module_free(m);
	expect_silence(&report);
	return ptx;
}

static bool have_ptxas(void)
{
	char *path = nvptx_ptxas_find();

	free(path);
	if (!path)
		print_message("no ptxas on this machine: not assembled\n");
	return path;
}

static void assemble(const struct poly_str *ptx, const char *target,
	struct nvptx_usage *first)
{
	struct poly_str cubin = { 0 };
	struct poly_report report = { 0 };
	struct nvptx_usage *usage = NULL;
	int n = 0;

	if (nvptx_assemble(ptx, nvptx_target_find(target), &cubin, &usage, &n,
			&report) < 0)
		print_error("%s: %s\n", target, report.msg[0].text);
	expect_silence(&report);
	assert_true(cubin.len > 4);
	assert_memory_equal(cubin.s, "\177ELF", 4);
	assert_int_equal(n, 1);
	*first = usage[0];
	assert_string_equal(first->kernel, "k");
	assert_int_equal(first->stack, 0);
	assert_int_equal(first->spill_loads, 0);
	assert_int_equal(first->spill_stores, 0);
	nvptx_usage_free(usage, n);
	poly_str_free(&cubin);
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

/* Only operations with IEEE rounding, which the assembler may not fuse, but for the
 * start of what becomes a rounded reciprocal.
 */
static void expect_ieee(const char *ptx)
{
	static const char start[] = "rcp.approx.ftz.f32";
	static const char *const bad[] = {
		".func", "\tadd.f", "\tsub.f", "\tmul.f", "\tfma.f",
		"\tdiv.full",
	};

	for (const char *s = ptx; (s = strstr(s, ".approx")); s++)
		assert_int_equal(strncmp(s - 3, start, strlen(start)), 0);
	for (const char *s = ptx; (s = strstr(s, ".ftz")); s++)
		assert_int_equal(strncmp(s - 10, start, strlen(start)), 0);
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

/* --------------------------------------------------------------- assemblers */

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
		cmocka_unit_test_teardown(test_nvjitlink, reset_environment),
		cmocka_unit_test_teardown(test_no_assembler,
			reset_environment),
		cmocka_unit_test_teardown(test_wrong_library,
			reset_environment),
		cmocka_unit_test_teardown(test_rejected, reset_environment),
		cmocka_unit_test_teardown(test_fake, reset_environment),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_diagnostics),
		cmocka_unit_test(test_jit),
		cmocka_unit_test(test_jit_unresolved),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
