/* What a program takes, the sizes that belong to shapes, and programs out of the
 * bytes of an object.
 */
#include "container.h"

static struct cetane_program program;
static struct cetane_signature *s;

static int set_up(void **state)
{
	(void)state;
	make(&program, images, N_IMAGE);
	OK(cetane_signature_read(&program, &s));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cetane_signature_free(s);
	drop(&program);
	return 0;
}

/* Solve for shapes of A and B, or of A alone if "b" is NULL. */
static enum cetane_status solve(const int64_t *a, const int64_t *b,
	int64_t n, int64_t m, int64_t *size)
{
	const int64_t *extent[2] = { a, b };

	size[0] = n;
	size[1] = m;
	return cetane_signature_solve(s, extent, size);
}

static void test_list(void **state)
{
	(void)state;
	assert_string_equal(s->name, "pair");
	assert_int_equal(s->n_size, 2);
	assert_string_equal(s->size[1].name, "m");
	assert_false(s->size[1].fixed);
	assert_int_equal(s->n_array, 2);	/* temporaries are no business */
	assert_string_equal(s->array[0].name, "A");
	assert_string_equal(s->array[1].type, "f32");
	assert_int_equal(s->array[0].role, CETANE_INPUT);
	assert_int_equal(s->array[1].role, CETANE_OUTPUT);
	assert_int_equal(s->array[1].n_dim, 2);
	assert_int_equal(s->array[1].elem_bytes, 4);
	assert_int_equal(s->array[1].align, 4);
}

static void test_extents(void **state)
{
	const int64_t size[2] = { 3, 5 }, bad[2] = { 3, -5 };
	int64_t extent[2] = { 0, 0 };

	(void)state;
	OK(cetane_signature_extents(s, 1, size, extent));
	assert_int_equal(extent[0], 3);
	assert_int_equal(extent[1], 5);
	assert_int_equal(cetane_signature_extents(s, 1, bad, extent),
		CETANE_INVALID_VALUE);
	assert_int_equal(cetane_signature_extents(s, 2, size, extent),
		CETANE_INVALID_VALUE);
	for (int i = -1; i < 3; i++)	/* no array may have gaps */
		assert_int_equal(cetane_signature_strides(s, i), 0);
}

static void test_solve(void **state)
{
	const int64_t a[2] = { 3, 5 }, b[2] = { 3, 6 }, none[2] = { 0, 5 };
	int64_t size[2];

	(void)state;
	OK(solve(none, NULL, -1, -1, size));
	assert_int_equal(size[0], 0);
	assert_int_equal(size[1], 5);
	OK(solve(a, NULL, -1, -1, size));
	assert_int_equal(size[0], 3);
	assert_int_equal(size[1], 5);
	OK(solve(NULL, a, -1, -1, size));
	OK(solve(NULL, NULL, 7, 8, size));
	assert_int_equal(solve(a, b, -1, -1, size), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "pair: dimension 1 of B has extent 6, it must "
		"be 5 where m = 5");
	assert_int_equal(solve(a, NULL, -1, 4, size), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "dimension 1 of A has extent 5, it must be 4");
	assert_int_equal(solve(NULL, NULL, 7, -1, size), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the size m does not follow from the shapes");
}

/* Extents that are not a size alone. */
static void test_formulas(void **state)
{
	static struct cetane_rt_op twice[] = { { CETANE_RT_SIZE, 0 },
		{ CETANE_RT_CONST, 2 }, { CETANE_RT_MUL, 0 },
		{ CETANE_RT_CONST, 1 }, { CETANE_RT_ADD, 0 } };
	static struct cetane_rt_op half[] = { { CETANE_RT_SIZE, 1 },
		{ CETANE_RT_CONST, 2 }, { CETANE_RT_DIV, 0 } };
	const struct cetane_rt_array before = arrays[0];
	const struct cetane_rt_image image[] = { HOST };
	const int64_t a[2] = { 7, 5 }, even[2] = { 6, 5 };
	const int64_t least[2] = { 1, 0 }, less[2] = { -1, 5 };
	struct cetane_signature *other = s;
	struct cetane_program p;
	int64_t size[2];

	(void)state;
	arrays[0].extent[0] = (struct cetane_rt_formula){ twice, 5 };
	arrays[0].extent[1] = (struct cetane_rt_formula){ half, 3 };
	make(&p, image, 1);
	arrays[0] = before;
	OK(cetane_signature_read(&p, &s));
	OK(solve(a, NULL, -1, 11, size));
	assert_int_equal(size[0], 3);
	assert_int_equal(solve(a, NULL, -1, -1, size), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the size m does not follow");
	assert_int_equal(solve(even, NULL, -1, 11, size), CETANE_INVALID_VALUE);
	HAS(cetane_last_error(), "the size n does not follow");
	OK(solve(least, NULL, -1, 1, size));
	assert_int_equal(size[0], 0);
	assert_int_equal(solve(less, NULL, -1, 11, size), CETANE_INVALID_VALUE);
	cetane_signature_free(s);
	drop(&p);
	s = other;
}

static void test_open(void **state)
{
	size_t size = (size_t)program.size + 200;
	char *bytes = calloc(1, size);
	struct cetane_program *p;
	struct cetane_signature *same;
	struct cetane_device *dev;

	(void)state;
	assert_non_null(bytes);
	/* A magic by itself is not a container. */
	memcpy(bytes + 10, program.container, 8);
	memcpy(bytes + 99, program.container, (size_t)program.size);
	OK(cetane_program_open(bytes, size, &p));
	memset(bytes + 99, 0, (size_t)program.size);
	OK(cetane_signature_read(p, &same));
	assert_string_equal(same->name, "pair");
	cetane_signature_free(same);
	dev = rt_open(0, 0);
	OK(cetane_device_use(dev));
	assert_int_equal(cetane_program_load(p), CETANE_UNSUPPORTED);
	HAS(cetane_last_error(), "runs on GPUs alone");
	cetane_device_close(dev);
	cetane_program_close(p);
	cetane_program_close(NULL);
	assert_int_equal(cetane_program_open(bytes, size, &p),
		CETANE_BAD_CONTAINER);
	assert_int_equal(cetane_program_open(bytes, 0, &p),
		CETANE_BAD_CONTAINER);
	free(bytes);
}

static void test_broken(void **state)
{
	struct cetane_program bad = program;
	struct cetane_signature *none;

	(void)state;
	bad.abi++;
	assert_int_equal(cetane_signature_read(&bad, &none),
		CETANE_BAD_CONTAINER);
	bad = program;
	bad.size--;
	assert_int_equal(cetane_signature_read(&bad, &none),
		CETANE_BAD_CONTAINER);
	cetane_signature_free(NULL);
}

/* A visit ends after as many steps as it may take, and says whether there were more. */
static enum cetane_status see(void *user, int kernel, const int64_t *iter)
{
	int *n = user;

	(void)iter;
	assert_int_equal(kernel, (*n)++);
	return CETANE_OK;
}

static void test_visit(void **state)
{
	const int64_t size[2] = { 3, 5 };

	(void)state;
	for (int most = 0; most < 4; most++) {
		int n = 0;
		struct cetane_rt_visit visit = { see, &n, most, false };

		OK(cetane_rt_record_visit(&record, size, &visit));
		assert_int_equal(n, most < 2 ? most : 2);
		assert_int_equal(visit.more, most < 2);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_extents),
		cmocka_unit_test(test_solve),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_visit),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests_name("signature", test, set_up,
		tear_down);
}
