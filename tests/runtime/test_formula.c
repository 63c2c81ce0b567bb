/* Check formulas and launch programs: values, limits, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "runtime/image/formula.h"

#define N_OP(op) ((int) (sizeof(op) / sizeof((op)[0])))

/* The value of "a" code "b". */
static bool apply(enum cetane_rt_code code, int64_t a, int64_t b, int64_t *v)
{
	struct cetane_rt_op op[] = {
		{ CETANE_RT_SIZE, 0 }, { CETANE_RT_ITER, 1 }, { code, 0 }
	};
	struct cetane_rt_formula f = { op, 3 };
	int64_t iter[] = { 0, b };

	assert_true(cetane_rt_formula_is_valid(&f, 1, 2));
	return cetane_rt_formula_value(&f, &a, iter, v);
}

static void test_values(void **state)
{
	static const struct {
		enum cetane_rt_code code;
		int64_t a, b, value;
	} row[] = {
		{ CETANE_RT_ADD, 3, -5, -2 }, { CETANE_RT_SUB, 3, -5, 8 },
		{ CETANE_RT_MUL, 3, -5, -15 }, { CETANE_RT_DIV, 7, 2, 3 },
		{ CETANE_RT_DIV, -7, 2, -4 }, { CETANE_RT_DIV, -8, 2, -4 },
		{ CETANE_RT_MOD, 7, 4, 3 }, { CETANE_RT_MOD, -7, 4, 1 },
		{ CETANE_RT_MIN, 7, 4, 4 }, { CETANE_RT_MAX, 7, 4, 7 },
		{ CETANE_RT_LT, 4, 4, 0 }, { CETANE_RT_LT, 3, 4, 1 },
		{ CETANE_RT_LE, 4, 4, 1 }, { CETANE_RT_LE, 5, 4, 0 },
		{ CETANE_RT_EQ, 4, 4, 1 }, { CETANE_RT_EQ, 5, 4, 0 },
		{ CETANE_RT_AND, 2, 1, 1 }, { CETANE_RT_AND, 2, 0, 0 },
		{ CETANE_RT_OR, 2, 0, 1 }, { CETANE_RT_OR, 0, 0, 0 },
	};
	int64_t v;
	int i;

	(void) state;
	for (i = 0; i < N_OP(row); i++) {
		assert_true(apply(row[i].code, row[i].a, row[i].b, &v));
		assert_int_equal(v, row[i].value);
	}
}

static void test_no_value(void **state)
{
	int64_t v;

	(void) state;
	assert_false(apply(CETANE_RT_ADD, INT64_MAX, 1, &v));
	assert_false(apply(CETANE_RT_SUB, INT64_MIN, 1, &v));
	assert_false(apply(CETANE_RT_MUL, INT64_MAX, 2, &v));
	assert_false(apply(CETANE_RT_DIV, 1, 0, &v));
	assert_false(apply(CETANE_RT_DIV, INT64_MIN, -1, &v));
	assert_false(apply(CETANE_RT_MOD, 1, -2, &v));
}

static void test_select(void **state)
{
	struct cetane_rt_op op[] = {
		{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 11 },
		{ CETANE_RT_CONST, 22 }, { CETANE_RT_SELECT, 0 }
	};
	struct cetane_rt_formula f = { op, N_OP(op) };
	int64_t size = 1, v;

	(void) state;
	assert_true(cetane_rt_formula_is_valid(&f, 1, 0));
	assert_true(cetane_rt_formula_value(&f, &size, NULL, &v));
	assert_int_equal(v, 11);
	size = 0;
	assert_true(cetane_rt_formula_value(&f, &size, NULL, &v));
	assert_int_equal(v, 22);
}

static void test_refused(void **state)
{
	struct cetane_rt_op many[40], one = { CETANE_RT_CONST, 1 };
	struct cetane_rt_op add[] = { one, { CETANE_RT_ADD, 0 } };
	struct cetane_rt_op two[] = { one, one };
	struct cetane_rt_op size = { CETANE_RT_SIZE, 2 };
	struct cetane_rt_op iter = { CETANE_RT_ITER, -1 };
	struct cetane_rt_op code = { CETANE_RT_N_CODE, 0 };
	const struct cetane_rt_formula bad[] = {
		{ &one, 0 }, { add, 2 }, { two, 2 }, { &size, 1 },
		{ &iter, 1 }, { &code, 1 }, { many, 40 }
	};
	int i;

	(void) state;
	for (i = 0; i < 40; i++)
		many[i] = one;
	for (i = 0; i < N_OP(bad); i++)
		assert_false(cetane_rt_formula_is_valid(&bad[i], 2, 2));
	for (i = 20; i < 39; i++)
		many[i].code = CETANE_RT_ADD;
	assert_true(cetane_rt_formula_is_valid(
		&(struct cetane_rt_formula) { many, 39 }, 2, 2));
}

#define LOOP(i) { CETANE_RT_LOOP, i, 0, NULL, 0 }
#define IF { CETANE_RT_IF, 0, 0, NULL, 0 }
#define LAUNCH { CETANE_RT_LAUNCH, 0, 0, NULL, 0 }
#define END { CETANE_RT_END, 0, 0, NULL, 0 }

static void test_link(void **state)
{
	struct cetane_rt_step good[] = {
		LAUNCH, LOOP(0), IF, LAUNCH, END, LOOP(1), LAUNCH, END, END,
		LOOP(0), END
	};
	struct cetane_rt_step open[] = { LOOP(0), LAUNCH };
	struct cetane_rt_step closed[] = { LAUNCH, END };
	struct cetane_rt_step twice[] = { LOOP(0), IF, LOOP(0), END, END, END };
	struct cetane_rt_step far[] = { LOOP(CETANE_RT_MAX_ITER), END };

	(void) state;
	assert_true(cetane_rt_steps_link(good, N_OP(good)));
	assert_int_equal(good[1].mate, 8);
	assert_int_equal(good[8].mate, 1);
	assert_int_equal(good[2].mate, 4);
	assert_int_equal(good[7].mate, 5);
	assert_int_equal(good[10].mate, 9);
	assert_false(cetane_rt_steps_link(open, 2));
	assert_false(cetane_rt_steps_link(closed, 2));
	assert_false(cetane_rt_steps_link(twice, 6));
	assert_false(cetane_rt_steps_link(far, 2));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
