/* Check for devices of capability 7.5 to 12.1 which image they get, and that
 * the driver receives the launches of that image's own record.
 */
#include <stdio.h>
#include "pair.h"
#include "rt_test.h"

#define CUBIN(cc) { .capability = cc }
#define CHIP(cc) { .capability = cc, .specific = true }
#define PTX(cc) { .capability = cc, .ptx = true }

static const struct pair_image all[] = {
	CUBIN(75), PTX(75), CUBIN(80), CUBIN(86), CUBIN(89), CHIP(90),
	CUBIN(90), CUBIN(100), CHIP(103), PTX(80), CUBIN(120), { 0 }
};
static const struct pair_image few[] = { CUBIN(120), PTX(90), CHIP(100),
	CUBIN(87), CHIP(86) };

/* Which image of "all" and of "few" a capability gets; -1: none. */
static const struct {
	int capability, all, few;
} best[] = {
	{ 70, -1, -1 }, { 72, -1, -1 }, { 75, 0, -1 }, { 80, 2, -1 },
	{ 86, 3, 4 }, { 87, 3, 3 }, { 88, 3, 3 }, { 89, 4, 3 }, { 90, 5, 1 },
	{ 100, 7, 2 }, { 101, 7, 1 }, { 103, 8, 1 }, { 110, 9, 1 },
	{ 120, 10, 0 }, { 121, 10, 0 }, { 130, 9, 1 }
};

static int32_t a[PAIR_N], b[PAIR_N];
static _Alignas(256) char work[256];

/* The launch "l" is that of kernel "k" of image "i". */
static void assert_launch(const struct fake_launch *l, int i, int k,
	void *stream)
{
	const uintptr_t arg[2][2] = {
		{ (uintptr_t) a, (uintptr_t) work },
		{ (uintptr_t) work, (uintptr_t) b }
	};
	struct fake_launch want;

	pair_expect(i, k, &want);
	assert_string_equal(l->name, want.name);
	assert_memory_equal(l->grid, want.grid, sizeof(want.grid));
	assert_memory_equal(l->block, want.block, sizeof(want.block));
	assert_int_equal(l->shared, want.shared);
	assert_ptr_equal(l->stream, stream);
	assert_ptr_equal(l->ctx, pair_fake->current);
	assert_int_equal(l->arg[0], arg[k][0]);
	assert_int_equal(l->arg[1], arg[k][1]);
	assert_int_equal(l->arg[2], PAIR_N);
}

/* Load and launch on the device as it is; it must get image "i" of "image". */
static void check(const struct pair_image *image, int n, int i)
{
	const struct fake_launch *l = pair_fake->launch;
	struct cetane_program p;
	char name[32];
	int k, stream;

	pair_make(&p, image, n);
	pair_fake->launches = 0;
	assert_int_equal(pair_launch(&p, &stream, a, b, work, true),
		i < 0 ? CETANE_NO_IMAGE : CETANE_OK);
	assert_int_equal(pair_fake->launches, i < 0 ? 0 : 2);
	assert_int_equal(pair_fake->modules, i >= 0);
	if (i >= 0) {
		snprintf(name, sizeof(name), "%s %d%s", image[i].ptx ? "ptx" :
			"cubin", image[i].capability,
			image[i].specific ? "a" : "");
		assert_string_equal(pair_fake->image, name);
		for (k = 0; k < 2; k++)
			assert_launch(&l[k], i, k, &stream);
		assert_int_equal(pair_fake->max_shared, l[1].shared);
		for (k = 0; k < PAIR_N; k++)
			assert_int_equal(b[k], 2 * (a[k] + 1));
	}
	OK(cetane_program_unload(&p));
	pair_drop(&p);
}

static void test_each_capability(void **state)
{
	char text[8];
	size_t i;

	(void) state;
	pair_fake->current = text;
	for (i = 0; i < PAIR_N; i++)
		a[i] = 5 * i - 11;
	for (i = 0; i < sizeof(best) / sizeof(best[0]); i++) {
		snprintf(text, sizeof(text), "%d", best[i].capability);
		setenv("FAKE_CUDA_CAPABILITY", text, 1);
		memset(b, 0, sizeof(b));
		check(all, sizeof(all) / sizeof(all[0]), best[i].all);
		memset(b, 0, sizeof(b));
		check(few, sizeof(few) / sizeof(few[0]), best[i].few);
	}
	pair_fake->current = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_capability)
	};

	if (!pair_open(FAKE_CUDA))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
