/* Check that no chain of min or max reaches ptxas in which it could lose a sign
 * (nvptx/optimise/min_max.c), and that all others reach it as they are.
 *
 * Each row is the body of a function of the integers %a, %b, %x and %n, with the
 * number of values that are kept apart in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/optimise/optimise.h"
#include "rewritten.h"

#define MAX(r, a, b) "  " r " = call i32 @llvm.smax.i32(i32 " a ", i32 " b ")\n"
#define MIN(r, a, b) "  " r " = call i32 @llvm.smin.i32(i32 " a ", i32 " b ")\n"
#define NEG(r, a) "  " r " = sub i32 0, " a "\n"
#define END "  ret i32 %r\n"
/* A loop over the elements %l of %p; %s is %a, then what %r was in the round before. */
#define LOOP \
	"  br label %loop\n" \
	"loop:\n" \
	"  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]\n" \
	"  %s = phi i32 [ %a, %0 ], [ %r, %loop ]\n" \
	"  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i\n" \
	"  %l = load i32, ptr addrspace(1) %at\n"
#define NEXT \
	"  %i1 = add i32 %i, 1\n" \
	"  %c = icmp slt i32 %i1, %n\n" \
	"  br i1 %c, label %loop, label %end\n" \
	"end:\n"

static const struct {
	const char *what, *body;
	int n_apart;
} row[] = {
	{ "a negation, then another operand",
		NEG("%y", "%x") MAX("%m", "%a", "%y") MAX("%r", "%m", "%b") END, 1 },
	{ "a negation last",
		NEG("%y", "%x") MIN("%m", "%a", "%b") MIN("%r", "%y", "%m") END, 1 },
	{ "two chains meet",
		NEG("%y", "%x") MIN("%m", "%a", "%y") MIN("%k", "%b", "%n")
		MIN("%r", "%m", "%k") END, 2 },
	{ "of four operands",
		NEG("%y", "%x") MAX("%m", "%a", "%y") MAX("%k", "%m", "%b")
		MAX("%r", "%k", "%n") END, 1 },
	{ "a difference, a negation once %a is known",
		"  %y = sub i32 %a, %x\n" MAX("%m", "%n", "%y")
		MAX("%r", "%m", "%b") END, 1 },
	{ "times a negative number",
		"  %y = mul i32 %x, -3\n" MAX("%m", "%n", "%y")
		MAX("%r", "%m", "%b") END, 1 },
	{ "by comparison",
		NEG("%y", "%x")
		"  %c = icmp slt i32 %a, %y\n"
		"  %m = select i1 %c, i32 %a, i32 %y\n"
		"  %d = icmp sgt i32 %m, %b\n"
		"  %r = select i1 %d, i32 %b, i32 %m\n" END, 1 },
	{ "of 16 bits",
		"  %u = trunc i32 %a to i16\n  %v = trunc i32 %b to i16\n"
		"  %w = trunc i32 %x to i16\n  %y = sub i16 0, %w\n"
		"  %m = call i16 @llvm.smax.i16(i16 %u, i16 %y)\n"
		"  %k = call i16 @llvm.smax.i16(i16 %m, i16 %v)\n"
		"  %r = sext i16 %k to i32\n" END, 1 },
	{ "of 8 bits",
		"  %u = trunc i32 %a to i8\n  %v = trunc i32 %b to i8\n"
		"  %w = trunc i32 %x to i8\n  %y = sub i8 0, %w\n"
		"  %m = call i8 @llvm.smax.i8(i8 %u, i8 %y)\n"
		"  %k = call i8 @llvm.smax.i8(i8 %m, i8 %v)\n"
		"  %r = sext i8 %k to i32\n" END, 1 },
	{ "of vectors",
		"  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 2\n"
		"  %u = load <2 x i32>, ptr addrspace(1) %p\n"
		"  %v = load <2 x i32>, ptr addrspace(1) %p2\n"
		"  %y = sub <2 x i32> zeroinitializer, %v\n"
		"  %m = call <2 x i32> @llvm.smax.v2i32(<2 x i32> %u, <2 x i32> %y)\n"
		"  %k = call <2 x i32> @llvm.smax.v2i32(<2 x i32> %m, <2 x i32> %v)\n"
		"  %r = extractelement <2 x i32> %k, i32 1\n" END, 2 },
	{ "from a vector",
		"  %u = load <2 x i32>, ptr addrspace(1) %p\n"
		"  %y = sub <2 x i32> zeroinitializer, %u\n"
		"  %e = extractelement <2 x i32> %y, i32 1\n"
		MAX("%m", "%a", "%e") MAX("%r", "%m", "%b") END, 1 },
	{ "from one round of a loop to the next",
		LOOP
		NEG("%y", "%l") MAX("%r", "%s", "%y")
		NEXT END, 1 },
	{ "of an induction variable",
		"  br label %loop\n"
		"loop:\n"
		"  %i = phi i32 [ 0, %0 ], [ %i1, %loop ]\n"
		MIN("%m", "%a", "%i") MIN("%k", "%m", "%b")
		"  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i\n"
		"  store i32 %k, ptr addrspace(1) %at\n"
		"  %i1 = add i32 %i, 1\n"
		"  %c = icmp slt i32 %i1, %n\n"
		"  br i1 %c, label %loop, label %end\n"
		"end:\n  ret i32 %k\n", 1 },
	{ "no negation",
		MAX("%m", "%a", "%x") MAX("%r", "%m", "%b") END, 0 },
	{ "no chain",
		NEG("%y", "%x") MAX("%r", "%a", "%y") END, 0 },
	{ "a chain of two kinds",
		NEG("%y", "%x") MIN("%m", "%a", "%y") MAX("%r", "%m", "%b") END, 0 },
	{ "without a sign",
		NEG("%y", "%x")
		"  %m = call i32 @llvm.umax.i32(i32 %a, i32 %y)\n"
		"  %r = call i32 @llvm.umax.i32(i32 %m, i32 %b)\n" END, 0 },
	{ "of 64 bits",
		"  %u = sext i32 %a to i64\n  %v = sext i32 %b to i64\n"
		"  %w = sext i32 %x to i64\n  %y = sub i64 0, %w\n"
		"  %m = call i64 @llvm.smax.i64(i64 %u, i64 %y)\n"
		"  %k = call i64 @llvm.smax.i64(i64 %m, i64 %v)\n"
		"  %r = trunc i64 %k to i32\n" END, 0 },
	{ "loaded values from one round to the next",
		LOOP
		MAX("%r", "%s", "%l")
		NEXT END, 0 },
};

/* What stands in front of a row's body. */
static const char head[] =
	"declare i32 @llvm.smax.i32(i32, i32)\n"
	"declare i32 @llvm.smin.i32(i32, i32)\n"
	"declare i32 @llvm.umax.i32(i32, i32)\n"
	"declare i8 @llvm.smax.i8(i8, i8)\n"
	"declare <2 x i32> @llvm.smax.v2i32(<2 x i32>, <2 x i32>)\n"
	"declare i16 @llvm.smax.i16(i16, i16)\n"
	"declare i64 @llvm.smax.i64(i64, i64)\n"
	"define i32 @f(i32 %a, i32 %b, i32 %x, i32 %n, ptr addrspace(1) %p)";

static void test_rows(void **state)
{
	int n_wrong = 0;

	(void) state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_str before = rewritten(head, row[i].body, NULL);
		struct poly_str after = rewritten(head, row[i].body,
			nvptx_part_min_max);
		int n = occurrences(after.s, "= call i32 asm") +
			occurrences(after.s, "= call i16 asm");

		if (n != row[i].n_apart ||
		    (n == 0 && strcmp(before.s, after.s))) {
			print_error("%s: %d apart, not %d\n%s\n", row[i].what, n,
				row[i].n_apart, after.s);
			n_wrong++;
		}
		poly_str_free(&before);
		poly_str_free(&after);
	}
	assert_int_equal(n_wrong, 0);
}

/* The optimiser's own result is what counts: PTX of the first row, for a GPU that
 * joins and through all stages.
 */
static void test_ptx(void **state)
{
	static const char kernel[] =
		"declare i32 @llvm.smax.i32(i32, i32)\n"
		"define ptx_kernel void @k(ptr addrspace(1) %p, i32 %a, i32 %b, "
		"i32 %x) {\n"
		NEG("%y", "%x") MAX("%m", "%a", "%y") MAX("%r", "%m", "%b")
		"  store i32 %r, ptr addrspace(1) %p\n  ret void\n}\n";
	struct nvptx_options o = {
		.device = NVPTX_GPU, .target = nvptx_target_find("sm_90a"),
	};
	struct poly_report report = { 0 };
	struct poly_str ptx = { 0 };
	struct nvptx_module *m = nvptx_read(kernel, strlen(kernel), &o, &report);

	(void) state;
	assert_non_null(m);
	assert_int_equal(nvptx_opt(m, &report), isl_stat_ok);
	assert_int_equal(nvptx_emit_ptx(m, &ptx, &report), isl_stat_ok);
	assert_int_equal(occurrences(ptx.s, "max.s32"), 2);
	assert_int_equal(occurrences(ptx.s, "xor.b32"), 1);
	assert_int_equal(occurrences(ptx.s, ", -2147483648;"), 2);
	poly_str_free(&ptx);
	nvptx_module_free(m);
	assert_int_equal(report.n_msg, 0);
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_ptx),
	};

	return cmocka_run_group_tests(test, NULL, NULL);
}
