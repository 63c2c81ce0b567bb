/* Check what the plan of a program says of its launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan_eval.h"
#include "program.h"

static void plan_is_complete(void **state)
{
	static const int64_t value[3] = { 65, 128, 7 };
	const struct nvptx_launch *l;
	const struct nvptx_plan *plan;
	struct nvptx_module *m;
	struct unit u;

	(void) state;
	gemm(&u, POLY_F32, POLY_F32, true, GEMM_RIGHT);
	m = gpu_module(&u, "sm_80");
	plan = nvptx_module_plan(m);
	assert_int_equal(plan->n_param, 3);
	assert_int_equal(plan->n_array, 4);
	assert_int_equal(plan->n_launch, 1);
	l = &plan->launch[0];
	assert_int_equal(plan_eval(&l->n[0], value), 2);
	assert_int_equal(plan_eval(&l->n[1], value), 2);
	assert_int_equal(l->shared_bytes, 4224 + 4096);
	assert_int_equal(l->n_arg, 7);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(l->arg[i].kind, i >= 4 ?
			NVPTX_ARG_SIZE : NVPTX_ARG_ARRAY);
		assert_int_equal(l->arg[i].index, i % 4);
	}
	nvptx_module_free(m);
	unit_end(&u);
}

/* Does the only launch of "u" begin early on "target"? */
static bool begins_early(struct unit *u, const char *target)
{
	struct nvptx_module *m = gpu_module(u, target);
	bool early = nvptx_module_plan(m)->launch[0].early;

	assert_int_equal(nvptx_module_plan(m)->n_launch, 1);
	nvptx_module_free(m);
	unit_end(u);
	return early;
}

/* Launches begin early where the hardware can, but for products without a unit. */
static void which_begin_early(void **state)
{
	struct unit u;

	(void) state;
	naive_matmul(&u, POLY_F32);
	assert_true(begins_early(&u, "sm_90"));
	naive_matmul(&u, POLY_F32);
	assert_false(begins_early(&u, "sm_89"));
	gemm(&u, POLY_F32, POLY_F32, true, GEMM_RIGHT);
	assert_false(begins_early(&u, "sm_90"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_is_complete),
		cmocka_unit_test(which_begin_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
