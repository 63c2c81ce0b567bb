/* The isl context, with our options set in the one place.
 *
 * Errors come back as NULL, to be looked at once at the end of a pass. The two
 * tile options change what every later tiling call produces, so they are set
 * here and never again.
 *
 * isl_ctx_free says nothing when objects still refer to the context: it just
 * does not free it. We learn it through an option group of our own, whose
 * clear function isl calls when the context really goes away.
 *
 * The budget is isl's count of operations, a measure that does not depend on
 * the machine: the same program stops at the same point everywhere. Integer
 * programming is exponential in the worst case, so without it a small program
 * could take hours.
 */
#include <stdlib.h>

#include <isl/arg.h>
#include <isl/ast_build.h>
#include <isl/options.h>
#include <isl/schedule_node.h>

#include "polyir/base/base.h"

/* "freed" points to what poly_ctx_free looks at.
 *
 * The struct is isl's, allocated as it says and freed with the context.
 */
struct option {
	bool *freed;
};

/* Called by isl while it frees the context that "freed" belongs to. */
static void note_freed(void *freed)
{
	bool *flag = *(bool **)freed;

	if (flag)
		*flag = true;
}

static struct isl_arg arg[] = {
	ISL_ARG_USER(struct option, freed, NULL, note_freed)
	{ .type = isl_arg_end },
};

static struct isl_args args = {
	.options_size = sizeof(struct option),
	.args = arg,
};

/* A new context, or NULL if there is no memory. */
isl_ctx *poly_ctx_alloc(void)
{
	struct option *option = calloc(1, sizeof(*option));
	isl_ctx *ctx;

	if (!option)
		return NULL;
	ctx = isl_ctx_alloc_with_options(&args, option);
	if (!ctx)
		return NULL;
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_options_set_tile_scale_tile_loops(ctx, 0);
	isl_options_set_tile_shift_point_loops(ctx, 1);
	isl_options_set_ast_build_detect_min_max(ctx, 1);
	isl_options_set_schedule_outer_coincidence(ctx, 1);
	poly_ctx_budget(ctx, POLY_BUDGET);
	return ctx;
}

/* 0 is no limit. What was counted before is forgotten. */
void poly_ctx_budget(isl_ctx *ctx, unsigned long operations)
{
	isl_ctx_reset_operations(ctx);
	isl_ctx_set_max_operations(ctx, operations);
}

/* isl has no question for it: an allocation is where the quota is checked. */
bool poly_ctx_spent(isl_ctx *ctx)
{
	void *p;

	if (isl_ctx_last_error(ctx) == isl_error_quota)
		return true;
	p = isl_malloc_or_die(ctx, 1);
	free(p);
	return !p && isl_ctx_last_error(ctx) == isl_error_quota;
}

/* For a search that may be given up. The result is what poly_ctx_attempted
 * gets, to go on as before.
 */
unsigned long poly_ctx_attempt(isl_ctx *ctx, unsigned long most)
{
	unsigned long all = isl_ctx_get_max_operations(ctx);

	poly_ctx_budget(ctx, most && (!all || most < all) ? most : all);
	return all;
}

bool poly_ctx_attempted(isl_ctx *ctx, unsigned long all)
{
	bool enough = !poly_ctx_spent(ctx);

	if (!enough)
		isl_ctx_reset_error(ctx);
	poly_ctx_budget(ctx, all);
	return enough;
}

/* "invalid" and "internal" are isl's own faults (or ours), unlike memory and
 * quota.
 */
bool poly_ctx_faulted(isl_ctx *ctx)
{
	enum isl_error error = isl_ctx_last_error(ctx);

	return error == isl_error_invalid || error == isl_error_internal;
}

/* True: there was one, and it is forgotten. For calls after which there is
 * another way.
 */
bool poly_ctx_forgives(isl_ctx *ctx)
{
	bool fault = poly_ctx_faulted(ctx);

	if (fault)
		isl_ctx_reset_error(ctx);
	return fault;
}

/* The context is usable and holds its objects still when false is returned. */
bool poly_ctx_free(isl_ctx *ctx)
{
	struct option *option;
	bool freed = false;

	if (!ctx)
		return true;
	option = isl_ctx_peek_options(ctx, &args);
	option->freed = &freed;
	isl_options_set_on_error(ctx, ISL_ON_ERROR_WARN);
	isl_ctx_free(ctx);
	if (!freed)
		option->freed = NULL;
	return freed;
}
