/* Formulas as text: what people read must have the formula's value.
 *
 * Random formulas are printed, and their text is read again by the usual rules:
 * products bind more than sums, those more than comparisons, all from left to
 * right. The value for random sizes must be that of the formula.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/lib/object/object.h"

enum { N_SIZE = 3, N_ITER = 2, MOST_OPS = 64 };

static int64_t sizes[N_SIZE], iters[N_ITER];
static const char *const name[N_SIZE] = { "M", "max_n", "h" };

/* ---------------------------------------------------------------- reading */

static const char *at;
static bool failed;

static int64_t compare(void);

static bool accept(const char *word)
{
	size_t n = strlen(word);

	while (*at == ' ')
		at++;
	if (strncmp(at, word, n))
		return false;
	at += n;
	return true;
}

static void expect(const char *word)
{
	failed |= !accept(word);
}

static int64_t rounded_down(int64_t a, int64_t b)
{
	failed |= !b;
	return b ? a / b - (a % b && (a < 0) != (b < 0)) : 0;
}

/* What the function "f" makes of two values. */
static int64_t called(const char *f)
{
	int64_t a = compare(), b;

	expect(",");
	b = compare();
	expect(")");
	if (!strcmp(f, "mod("))
		return a - b * rounded_down(a, b);
	if (!strcmp(f, "min("))
		return a < b ? a : b;
	if (!strcmp(f, "max("))
		return a > b ? a : b;
	return !strcmp(f, "and(") ? a && b : a || b;
}

/* A choice, or brackets, behind the opening one. */
static int64_t inside(void)
{
	int64_t v = compare(), a, b;

	if (accept("?")) {
		a = compare();
		expect(":");
		b = compare();
		v = v ? a : b;
	}
	expect(")");
	return v;
}

static int64_t number(void)
{
	char *end;
	int64_t v = strtoll(at, &end, 10);

	failed |= end == at;
	at = end;
	return v;
}

static int64_t atom(void)
{
	static const char *const function[] = {
		"mod(", "min(", "max(", "and(", "or("
	};
	char iter[8];

	if (accept("("))
		return inside();
	for (int i = 0; i < 5; i++)
		if (accept(function[i]))
			return called(function[i]);
	for (int i = 0; i < N_ITER; i++) {
		snprintf(iter, sizeof(iter), "h%d", i);
		if (accept(iter))
			return iters[i];
	}
	for (int i = 0; i < N_SIZE; i++)
		if (accept(name[i]))
			return sizes[i];
	failed |= *at < '0' || *at > '9';
	return number();
}

static int64_t product(void)
{
	int64_t v = atom();

	for (;;)
		if (accept("*"))
			v *= atom();
		else if (accept("/"))
			v = rounded_down(v, atom());
		else
			return v;
}

/* A summand, which may be a number below zero. */
static int64_t summand(void)
{
	while (*at == ' ')
		at++;
	return *at == '-' ? number() : product();
}

static int64_t sum(void)
{
	int64_t v = summand();

	for (;;)
		if (accept("+"))
			v += summand();
		else if (accept("-"))
			v -= summand();
		else
			return v;
}

static int64_t compare(void)
{
	int64_t v = sum();

	for (;;)
		if (accept("<="))
			v = v <= sum();
		else if (accept("<"))
			v = v < sum();
		else if (accept("=="))
			v = v == sum();
		else
			return v;
}

/* ---------------------------------------------------------------- formulas */

static int below(int n)
{
	return (int)((unsigned)rand() % (unsigned)n);
}

/* Append a formula of at most "depth" operations on one another. */
static void make(struct cetane_rt_formula *f, int depth)
{
	enum cetane_rt_code code = (enum cetane_rt_code)(depth && below(5) ?
		CETANE_RT_ADD + below(CETANE_RT_N_CODE - CETANE_RT_ADD) :
		below(CETANE_RT_ADD));
	int n = code == CETANE_RT_SELECT ? 3 : 2;
	int64_t value = code == CETANE_RT_CONST ? below(15) - 7 :
		code == CETANE_RT_SIZE ? below(N_SIZE) : below(N_ITER);

	for (int i = 0; i < n && code >= CETANE_RT_ADD; i++)
		make(f, depth - 1);
	f->op[f->n++] = (struct cetane_rt_op){ code, value };
}

static void test_text(void **state)
{
	struct cetane_rt_size size[N_SIZE];
	struct cetane_rt_record r = { .size = size, .n_size = N_SIZE };
	struct cetane_rt_op op[MOST_OPS];
	int n_value = 0;

	(void)state;
	memset(size, 0, sizeof(size));
	for (int i = 0; i < N_SIZE; i++)
		size[i].name = (char *)(uintptr_t)name[i];
	for (int i = 0; i < 20000; i++) {
		struct cetane_rt_formula f = { op, 0 };
		struct poly_str text = { 0 };
		int64_t value, is;

		make(&f, 1 + below(3));
		for (int k = 0; k < N_SIZE; k++)
			sizes[k] = 1 + below(20);
		for (int k = 0; k < N_ITER; k++)
			iters[k] = below(20) - 5;
		tool_formula_text(&r, &f, &text);
		failed = false;
		at = text.s;
		is = compare();
		failed |= *at != '\0';
		if (cetane_rt_formula_value(&f, sizes, iters, &value)) {
			n_value++;
			if (failed || is != value)
				fail_msg("%s is %lld, not %lld", text.s,
					(long long)is, (long long)value);
		}
		poly_str_free(&text);
	}
	assert_true(n_value > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
