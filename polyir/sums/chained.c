/* Which products are to become one kernel with another (chain.c), so that their
 * sums stay whole and their tiles in one piece?
 *
 * A sum is divided, and the rest of its tiles cut off, before there are kernels.
 * Whether it is better to go on in one kernel with the next product shows only
 * behind these: a copy of the program in which all sums of products stay whole
 * goes through the passes up to the tiles, where the model compares one kernel of
 * both with each by itself, its sum divided if that is best (link.c):
 *
 *	before: Z_1 += X V, in 8 parts?		copy: kernel z_Z_2 .. chained
 *		Z_2 = relu(Z_1)			      kernel z_Z
 *		Z += Z_2 W			Z_1, Z: whole
 */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* Columns of a tile at most. */
enum { MOST_COLUMNS = 512 };

/* Does an index of "leaf" move both with loops of the sum of "s" and with others, as
 * windows do? What a block has computed is not all that these see.
 */
static bool has_window(const struct split *s, const struct poly_expr *leaf)
{
	int n = isl_multi_pw_aff_size(leaf->index);
	bool both = false;

	for (int i = 0; i < n && !both; i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(leaf->index, i);
		bool moves[2] = { false, false };

		for (int d = 0; d < s->n; d++)
			moves[s->p.sum[d]] |= isl_pw_aff_involves_dims(pa,
				isl_dim_in, d, 1) == isl_bool_true;
		isl_pw_aff_free(pa);
		both = moves[0] && moves[1];
	}
	return both;
}

/* Does the statement of "s" read what the program itself computes, and a block may
 * have?
 */
static bool reads_temporary(const struct split *s)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(s->p.stmt, leaf);
	bool reads = false;

	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++)
		reads |= poly_is_temp(leaf[i]->array) && !has_window(s, leaf[i]);
	return reads;
}

/* Is "stmt" a product of what was computed before, over so few steps that a block
 * may have them all?
 */
static bool may_go_on(struct poly_prog *prog, struct poly_stmt *stmt)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt } };
	struct poly_work w;
	int axis[2], k;

	if (!poly_can_split(prog, stmt) || !poly_split_read(&s) ||
	    !reads_temporary(&s) || !poly_split_product(&s, axis, &k, &w))
		return false;
	return k < 0 || s.count[k] <= MOST_COLUMNS;
}

/* A copy of "prog", whose sums are not divided yet, in which kernels are chained if
 * they may be; NULL if there cannot be any.
 */
struct poly_prog *poly_try_chains(struct poly_prog *prog)
{
	struct poly_report report = { 0 };
	struct poly_prog *trial;
	unsigned long all;
	bool may = false;

	if (prog->original || prog->trial.whole || !poly_prog_is_fixed(prog))
		return NULL;
	for (int i = 0; i < prog->n_stmt && !may; i++)
		may = may_go_on(prog, prog->stmt[i]);
	if (!may)
		return NULL;
	prog->trial.whole = true;
	all = poly_ctx_attempt(prog->ctx, 0);
	trial = prog->try_passes(prog, "map_tiles", &report);
	prog->trial.whole = false;
	if (trial)
		trial->report = NULL;
	poly_report_free(&report);
	poly_ctx_attempted(prog->ctx, all);
	isl_ctx_reset_error(prog->ctx);
	return trial;
}

bool poly_is_chained(struct poly_prog *trial, const char *name)
{
	struct poly_stmt *stmt = trial ? poly_prog_find_stmt(trial, name) : NULL;
	const struct poly_kernel *k = stmt ? poly_kernel_of(trial, stmt) : NULL;
	bool chained = k && k->chained;

	for (int i = 1; k && i < trial->n_kernel; i++)
		chained |= trial->kernel[i] == k && trial->kernel[i - 1]->chained;
	return chained;
}
