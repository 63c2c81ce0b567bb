/* The value of a formula of a launch plan, for tests that launch by the plan
 * itself instead of the runtime's record of it.
 */
#ifndef PLAN_EVAL_H
#define PLAN_EVAL_H

#include "nvptx/nvptx.h"

static inline int64_t plan_eval(const struct nvptx_affine *a, int n_param,
	const int64_t *param)
{
	int64_t n = a->c;
	int i;

	for (i = 0; i < n_param; i++)
		n += a->coef[i] * param[i];
	return n / a->div - (n % a->div < 0);
}

#endif
