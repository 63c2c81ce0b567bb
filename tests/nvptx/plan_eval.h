/* The value of a formula of a launch plan, for tests that launch by the plan
 * itself instead of the runtime's record of it.
 */
#ifndef PLAN_EVAL_H
#define PLAN_EVAL_H

#include "nvptx/nvptx.h"

static inline int64_t plan_eval(const struct cetane_rt_formula *f,
	const int64_t *param)
{
	const int64_t iter[CETANE_RT_MAX_ITER] = { 0 };
	int64_t n = -1;

	return cetane_rt_formula_value(f, param, iter, &n) ? n : -1;
}

#endif
