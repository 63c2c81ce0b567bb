/* Check that no two bits of one byte of a number reach ptxas as tests that it could
 * join (nvptx/optimise/bit_test.c), and that all other tests reach it as they are.
 *
 * Each row is the body of a function of the integers %a, %b, %w of 64 bits and %h of 16;
 * with what becomes of it: parts of its text, shifts to the left, comparisons of signs.
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

/* %name is whether the bits "mask" of "of" are what "how" says. */
#define TEST(name, of, type, mask, how) \
	"  %t" name " = and " type " " of ", " mask "\n" \
	"  %" name " = icmp " how " " type " %t" name ", 0\n"
#define END "  %r = select i1 %p, i1 %q, i1 %b\n  ret i1 %r\n"

static const struct {
	const char *what, *body, *part[2];
	int n_bit, n_set, n_clear;
} row[] = {
	{ "two bits of a byte",
		TEST("p", "%a", "i32", "1", "eq") TEST("q", "%a", "i32", "2", "ne") END,
		{ "$1, 31;" }, 1, 0, 1 },
	{ "the other way round",
		TEST("p", "%a", "i32", "2", "ne") TEST("q", "%a", "i32", "1", "eq") END,
		{ "$1, 30;" }, 1, 1, 0 },
	{ "the first and the last but one",
		TEST("p", "%a", "i32", "256", "ne") TEST("q", "%a", "i32", "16384", "ne") END,
		{ "$1, 23;" }, 1, 1, 0 },
	{ "against the bit itself",
		"  %m = and i32 %a, 8\n  %p = icmp eq i32 %m, 8\n"
		"  %k = and i32 %a, 4\n  %q = icmp ne i32 %k, 4\n" END,
		{ "$1, 28;" }, 1, 1, 0 },
	{ "cut off",
		"  %p = trunc i32 %a to i1\n  %s = lshr i32 %a, 3\n"
		"  %q = trunc i32 %s to i1\n" END,
		{ "$1, 31;" }, 1, 1, 0 },
	{ "of 64 bits",
		TEST("p", "%w", "i64", "8589934592", "eq")
		TEST("q", "%w", "i64", "17179869184", "ne") END,
		{ "$1, 30;", "lshr i64 %w, 32" }, 1, 0, 1 },
	{ "of 16 bits",
		TEST("p", "%h", "i16", "16", "eq") TEST("q", "%h", "i16", "32", "ne") END,
		{ "$1, 27;" }, 1, 0, 1 },
	{ "of a word of 64 bits and of both",
		"  %l = trunc i64 %w to i32\n"
		TEST("p", "%l", "i32", "16", "eq") TEST("q", "%w", "i64", "32", "ne") END,
		{ "$1, 27;" }, 1, 0, 1 },
	{ "three bits",
		TEST("p", "%a", "i32", "1", "eq") TEST("q", "%a", "i32", "2", "ne")
		TEST("s", "%a", "i32", "4", "ne")
		"  %z = select i1 %s, i1 %p, i1 %q\n  ret i1 %z\n",
		{ "$1, 31;", "$1, 30;" }, 2, 1, 1 },
	{ "one bit twice",
		TEST("p", "%a", "i32", "2", "eq") TEST("q", "%a", "i32", "2", "ne") END,
		{ 0 }, 0, 0, 0 },
	{ "of two bytes",
		TEST("p", "%a", "i32", "64", "eq") TEST("q", "%a", "i32", "256", "ne") END,
		{ 0 }, 0, 0, 0 },
	{ "the last bit of a byte",
		TEST("p", "%a", "i32", "1", "eq") TEST("q", "%a", "i32", "128", "ne") END,
		{ 0 }, 0, 0, 0 },
	{ "of two numbers",
		TEST("p", "%a", "i32", "1", "eq") TEST("q", "%c", "i32", "2", "ne") END,
		{ 0 }, 0, 0, 0 },
	{ "of several bits each",
		TEST("p", "%a", "i32", "3", "eq") TEST("q", "%a", "i32", "6", "ne") END,
		{ 0 }, 0, 0, 0 },
	{ "one bit of two",
		"  %m = and i32 %a, 8\n  %p = icmp eq i32 %m, 4\n"
		TEST("q", "%a", "i32", "2", "ne") END,
		{ 0 }, 0, 0, 0 },
};

/* What stands in front of a row's body. */
static const char head[] =
	"define i1 @f(i32 %a, i1 %b, i32 %c, i64 %w, i16 %h)";

static void test_rows(void **state)
{
	int n_wrong = 0;

	(void) state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct poly_str before = rewritten(head, row[i].body, NULL);
		struct poly_str after = rewritten(head, row[i].body,
			nvptx_hide_bit_tests);
		bool right = occurrences(after.s, "= call i32 asm") == row[i].n_bit &&
			occurrences(after.s, "icmp slt") == row[i].n_set &&
			occurrences(after.s, "icmp sge") == row[i].n_clear;

		for (int k = 0; k < 2 && row[i].part[k]; k++)
			right &= strstr(after.s, row[i].part[k]) != NULL;
		if (!right || (!row[i].n_bit && strcmp(before.s, after.s))) {
			print_error("%s:\n%s\n", row[i].what, after.s);
			n_wrong++;
		}
		poly_str_free(&before);
		poly_str_free(&after);
	}
	assert_int_equal(n_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest test[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(test, NULL, NULL);
}
