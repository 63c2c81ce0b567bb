/* Programs in several versions: which one runs for which sizes, what workspace
 * it needs, and records with versions written and read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/image/image.h"

/* Version 1 is for multiples of 4 and takes 10 n + 5, version 0 takes 12 n and
 * has a temporary of n bytes, version 2 takes n n and is for no more than 7.
 */
static struct cetane_rt_op op_n[] = { { CETANE_RT_SIZE, 0 } };
static struct cetane_rt_op op_one[] = { { CETANE_RT_CONST, 1 } };
static struct cetane_rt_op op_fours[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 4 }, { CETANE_RT_MOD, 0 },
	{ CETANE_RT_CONST, 0 }, { CETANE_RT_EQ, 0 }
};
static struct cetane_rt_op op_few[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 7 }, { CETANE_RT_LE, 0 }
};
static struct cetane_rt_op op_twelve[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 12 }, { CETANE_RT_MUL, 0 }
};
static struct cetane_rt_op op_ten[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_CONST, 10 }, { CETANE_RT_MUL, 0 }
};
static struct cetane_rt_op op_more[] = {
	{ CETANE_RT_ITER, 0 }, { CETANE_RT_CONST, 5 }, { CETANE_RT_ADD, 0 }
};
static struct cetane_rt_op op_square[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_SIZE, 0 }, { CETANE_RT_MUL, 0 }
};
static struct cetane_rt_op op_fifth[] = {
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_SIZE, 0 }, { CETANE_RT_MUL, 0 },
	{ CETANE_RT_SIZE, 0 }, { CETANE_RT_MUL, 0 }, { CETANE_RT_SIZE, 0 },
	{ CETANE_RT_MUL, 0 }, { CETANE_RT_SIZE, 0 }, { CETANE_RT_MUL, 0 }
};
#define F(op) { op, sizeof(op) / sizeof(op[0]) }

static struct cetane_rt_size sizes[] = { { (char *) "n", false, 0, 0 } };
static struct cetane_rt_array arrays[] = {
	{ (char *) "T", (char *) "i8", CETANE_RT_TEMP, 1, 1, { F(op_n) }, 0, 1, 0,
		{ { NULL, 0 } } },
	{ (char *) "U", (char *) "i16", CETANE_RT_TEMP, 2, 1, { F(op_n) }, 0,
		2, 0, { { NULL, 0 } } }
};
static struct cetane_rt_kernel kernels[] = {
	{ (char *) "k", { F(op_n), F(op_one) }, { 1, 32 },
		{ 1, 1 }, 0, 0, NULL, 0, 0, false }
};
static struct cetane_rt_step steps[] = {
	{ CETANE_RT_LAUNCH, 0, 0, NULL, 0 }, { CETANE_RT_LAUNCH, 0, 0, NULL, 0 },
	{ CETANE_RT_LAUNCH, 0, 0, NULL, 0 }
};
static struct cetane_rt_version versions[] = {
	{ F(op_one), { F(op_twelve) }, 1, 0, 1, false },
	{ F(op_fours), { F(op_ten), F(op_more) }, 2, 1, 1, true },
	{ F(op_few), { F(op_square) }, 1, 2, 1, false }
};
static struct cetane_rt_record record = { (char *) "three", sizes, arrays,
	kernels, versions, steps, 1, 2, 1, 3, 3, 0 };

static int pick(const struct cetane_rt_record *r, int64_t n)
{
	int version = -2;

	assert_int_equal(cetane_rt_record_version(r, &n, &version), CETANE_OK);
	return version;
}

static int64_t workspace(const struct cetane_rt_record *r, int64_t n)
{
	int64_t total = -1;

	assert_int_equal(cetane_rt_record_layout(r, &n, NULL, &total),
		CETANE_OK);
	return total;
}

static void expect_choices(const struct cetane_rt_record *r)
{
	assert_int_equal(pick(r, 0), 0);	/* 0 < 5, and the first of two */
	assert_int_equal(pick(r, 4), 2);	/* 48, 45, 16 */
	assert_int_equal(pick(r, 7), 2);
	assert_int_equal(pick(r, 8), 1);	/* 96, 85 */
	assert_int_equal(pick(r, 9), 0);
	assert_int_equal(workspace(r, 4), 0);
	assert_int_equal(workspace(r, 300), 768);
	assert_int_equal(workspace(r, 301), 512);
}

static void test_choice(void **state)
{
	(void) state;
	expect_choices(&record);
}

static struct cetane_rt_record *reread(const struct cetane_rt_record *r,
	enum cetane_status want)
{
	struct cetane_rt_image image = { .kind = CETANE_RT_HOST, .record = r };
	struct cetane_rt_record *copy = NULL;
	size_t size;
	void *bytes = cetane_rt_image_write(&image, 1, &size);

	assert_non_null(bytes);
	assert_int_equal(cetane_rt_image_get(bytes, size, 0, &image),
		CETANE_OK);
	assert_int_equal(cetane_rt_record_read(&image, &copy), want);
	free(bytes);
	return copy;
}

static void test_written(void **state)
{
	struct cetane_rt_record *copy = reread(&record, CETANE_OK);

	(void) state;
	expect_choices(copy);
	assert_int_equal(copy->version[2].first, 2);
	assert_true(copy->version[1].aligned);
	assert_false(copy->version[2].aligned);
	cetane_rt_record_free(copy);
}

/* What was chosen last is not told of other sizes, or of another record, though it be where
 * the first one was; nor of sizes of which only the first is the same.
 */
static void test_remembered(void **state)
{
	static struct cetane_rt_op second[] = { { CETANE_RT_SIZE, 1 },
		{ CETANE_RT_CONST, 7 }, { CETANE_RT_LE, 0 } };
	static struct cetane_rt_version two[] = {
		{ F(op_one), { F(op_twelve) }, 1, 0, 1, false },
		{ F(second), { F(op_n) }, 1, 1, 1, false }
	};
	static struct cetane_rt_size n_and_m[] = { { (char *) "n", false, 0, 0 },
		{ (char *) "m", false, 0, 0 } };
	static const struct cetane_rt_record wide = { (char *) "two", n_and_m,
		NULL, kernels, two, steps, 2, 0, 1, 2, 2, 0 };
	static const int64_t size[][2] = { { 5, 9 }, { 5, 3 }, { 5, 9 } };
	struct cetane_rt_version list[3];
	struct cetane_rt_record other = record, *a, *b;
	int version;

	(void) state;
	memcpy(list, versions, sizeof(list));
	list[1].cost[0] = (struct cetane_rt_formula) F(op_square);
	other.version = list;
	a = reread(&record, CETANE_OK);
	b = reread(&other, CETANE_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pick(a, 8), 1);
		assert_int_equal(pick(a, 9), 0);
		assert_int_equal(pick(a, 8), 1);
		assert_int_equal(pick(a, 16), 1);
		assert_int_equal(pick(b, 16), 0);
		assert_int_equal(pick(a, 16), 1);
		expect_choices(a);
		cetane_rt_record_free(a);
		a = reread(&other, CETANE_OK);
		assert_int_equal(pick(a, 8), 1);
		assert_int_equal(pick(a, 16), 0);
		cetane_rt_record_free(a);
		a = reread(&record, CETANE_OK);
	}
	cetane_rt_record_free(a);
	cetane_rt_record_free(b);
	a = reread(&wide, CETANE_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cetane_rt_record_version(a, size[i], &version),
			CETANE_OK);
		assert_int_equal(version, i % 2);
	}
	cetane_rt_record_free(a);
}

/* Steps that belong to no version, a version without a cost, and a value that
 * a formula cannot have yet.
 */
static void test_damaged(void **state)
{
	struct cetane_rt_version list[3];
	struct cetane_rt_record r = record;

	(void) state;
	r.version = list;
	memcpy(list, versions, sizeof(list));
	list[1].n_step = 0;
	assert_null(reread(&r, CETANE_BAD_CONTAINER));
	memcpy(list, versions, sizeof(list));
	list[1].n_step = 3;
	assert_null(reread(&r, CETANE_BAD_CONTAINER));
	memcpy(list, versions, sizeof(list));
	list[0].n_cost = 0;
	assert_null(reread(&r, CETANE_BAD_CONTAINER));
	memcpy(list, versions, sizeof(list));
	list[0].cost[0] = (struct cetane_rt_formula) F(op_more);
	assert_null(reread(&r, CETANE_BAD_CONTAINER));
}

static void fails(const struct cetane_rt_record *r, int64_t n,
	const char *why)
{
	int version;

	assert_int_equal(cetane_rt_record_version(r, &n, &version),
		CETANE_INVALID_VALUE);
	assert_non_null(strstr(cetane_last_error(), why));
}

static void test_no_version(void **state)
{
	struct cetane_rt_version list[2] = { versions[1], versions[2] };
	struct cetane_rt_record r = record;
	int64_t n = 9, total;

	(void) state;
	r.version = list;
	r.n_version = 2;
	assert_int_equal(pick(&r, 8), 0);
	fails(&r, 9, "three: none of its versions is for these sizes");
	assert_int_equal(cetane_rt_record_layout(&r, &n, NULL, &total),
		CETANE_INVALID_VALUE);
	list[0].condition = (struct cetane_rt_formula) F(op_one);
	list[0].cost[1] = (struct cetane_rt_formula) F(op_fifth);
	assert_int_equal(pick(&r, 4000), 0);
	fails(&r, 40000, "the cost of version 0 has no value");
	list[1].condition = (struct cetane_rt_formula) F(op_fifth);
	list[0].cost[1] = (struct cetane_rt_formula) F(op_one);
	fails(&r, 40000, "the condition of version 1 has no value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_no_version)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
