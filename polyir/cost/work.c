/* What a product has to do, as the model (model.c) counts it: how much of each
 * operand a step of the reduction needs, and how copies can move it.
 *
 *	C[i,j] += A[i,k] * B[k,j]	4 bytes a point of either axis; A goes
 *					along the steps, so its rows are loaded
 *					in runs of these; both are copied 16
 *					bytes at a time if rows are multiples
 */
#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"

void poly_work_begin(struct poly_work *w, const struct poly_prog *prog)
{
	*w = (struct poly_work){ .batch = 1, .together = 1,
		.rows_of_steps = true, .fixed = poly_prog_is_fixed(prog),
		.target = prog->target,
		.rates = poly_rates_of(&prog->target) };
	for (int i = 0; i < prog->n_stmt; i++)
		w->lines |= prog->stmt[i]->fold;
}

/* The units of the target that do the product "stmt". */
static unsigned units_of(const struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at)
{
	unsigned units = 0;

	for (int u = 1; u < POLY_N_UNIT; u++)
		if (prog->target.units >> u & 1 && poly_unit_may_add(prog->fp, u) &&
		    poly_unit_does(u, stmt, at))
			units |= 1u << u;
	return units;
}

/* The bytes of "a", whose extents are fixed. */
static double array_bytes(struct poly_prog *prog, const struct poly_array *a)
{
	double bytes = poly_type_size(a->type);

	for (int d = 0; d < a->n_dim; d++)
		bytes *= poly_fixed_extent(prog, a, d);
	return bytes;
}

/* Does some row of "a", which has whole runs, begin within a line of the cache and reach
 * into the next, for the sizes given?
 */
static bool is_bent(struct poly_prog *prog, const struct poly_array *a)
{
	enum { LINE_BYTES = 128 };
	int64_t row = a->n_dim > 1 && poly_row_dim(prog, a) == a->n_dim - 1 ?
		poly_fixed_extent(prog, a, a->n_dim - 1) * poly_type_size(a->type) : 0;

	return row > 0 && row % POLY_RUN_BYTES == 0 && row % LINE_BYTES != 0 &&
		LINE_BYTES % row != 0;
}

/* Does an index of "leaf" move with several coordinates, as those of windows do? */
static bool has_windows(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at)
{
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index), isl_multi_aff_copy(at));
	int n = isl_multi_pw_aff_dim(index, isl_dim_in);
	bool has = false;

	for (int d = 0; d < leaf->array->n_dim && !has; d++) {
		isl_pw_aff *one = isl_multi_pw_aff_get_at(index, d);
		int moves = 0;

		for (int i = 0; i < n; i++)
			moves += isl_pw_aff_involves_dims(one, isl_dim_in, i, 1) ==
				isl_bool_true;
		isl_pw_aff_free(one);
		has = moves > 1;
	}
	isl_multi_pw_aff_free(index);
	return has;
}

/* Add the shared operand "leaf", which moves with "moves". */
static void add_leaf(struct poly_work *w, struct poly_prog *prog,
	const struct poly_expr *leaf, __isl_keep isl_multi_aff *at, int moves)
{
	int size = poly_type_size(leaf->array->type);
	int axis = moves & POLY_MOVES_0 ? 0 : moves & POLY_MOVES_1 ? 1 : -1;
	bool steps = poly_leaf_has_steps(leaf, at);
	int run = steps && axis == 1 && !w->units ? 1 :
		poly_row_align(prog, leaf->array) / size;

	if (w->units && w->fixed && run > 1 && !poly_leaf_has_runs(leaf, at, run))
		run = 1;
	w->small |= size < 4;
	/* Copies of small elements move runs if neighbours lie in one tile. */
	w->async |= size >= 4 || (run * size >= 4 &&
		poly_leaf_goes_along(leaf, at, 0, 3));
	w->deep |= !w->slides && leaf->array->n_dim -
		(axis < 0 ? 0 : w->line[axis]) > 2;
	if (axis < 0) {
		w->bytes_step += size;
		return;
	}
	w->bytes[axis] += size;
	w->bent[axis] |= w->fixed && w->units && is_bent(prog, leaf->array) &&
		!has_windows(leaf, at);
	w->held[axis] += w->slides ? array_bytes(prog, leaf->array) : 0;
	w->run[axis] = w->run[axis] && w->run[axis] < run ? w->run[axis] : run;
	if (axis == 0)
		w->rows_of_steps &= steps;
}

void poly_work_add(struct poly_work *w, struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at,
	const struct poly_stmt *with)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf);
	int size = poly_type_size(stmt->write_array->type);
	unsigned units = units_of(prog, stmt, at);

	w->units = w->words ? w->units & units : units;
	if (!w->words || w->lack == POLY_LACKS_NOTHING)
		w->lack = units ? POLY_LACKS_NOTHING : poly_unit_lacks(
			prog->target.units, prog->fp, stmt, at);
	w->words += (size + 3) / 4;
	w->out_bytes += size;
	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++) {
		int moves = poly_leaf_moves(leaf[i], at);

		if (poly_is_shared_leaf(leaf[i], moves) && !(with &&
		    poly_find_read(stmt, leaf[i], with) >= 0))
			add_leaf(w, prog, leaf[i], at, moves);
	}
	w->rows_of_steps &= w->bytes[0] > 0;
}

bool poly_work_is_known(const struct poly_work *w)
{
	return w->fixed && w->target.multiprocessors > 0;
}

/* ------------------------------------------------------------- explanations */

/* What is known of a block as a remark on "name". */
static void explain(struct poly_prog *prog, const char *name, const char *role,
	const struct poly_ranked *r)
{
	const struct poly_block *b = &r->block;
	const struct poly_estimate *e = &r->estimate;
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s tile %d x %d, %d deep, of %d x %d threads, %d "
		"stages: %.0f blocks, %.0f at once on a multiprocessor, %.0f "
		"rounds, about %d registers, %.0f bytes shared, %.0f %% beyond "
		"the edges: %.0f cycles", role, b->tile[1], b->tile[0],
		b->tile_k, b->thread[1], b->thread[0], b->stages, e->blocks,
		e->resident, e->waves, e->registers, e->shared,
		100 * e->padding, e->cycles);
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL, name,
		s.s ? s.s : "");
	poly_str_free(&s);
}

void poly_explain_block(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen)
{
	enum { NEXT = 3 };
	struct poly_ranked list[NEXT + 1] = { { .estimate = { 0 } } };
	struct poly_ranked one = { .block = *chosen };

	if (!prog->report || !prog->report->remarks)
		return;
	poly_block_cycles(w, &one.block, &one.estimate);
	explain(prog, name, "chosen:", &one);
	one.block = poly_usual_block(w);
	poly_block_cycles(w, &one.block, &one.estimate);
	explain(prog, name, "for large sizes:", &one);
	poly_rank_blocks(w, list, NEXT);
	for (int i = 0; i < NEXT && list[i].estimate.cycles; i++)
		explain(prog, name, "ranked:", &list[i]);
}

void poly_explain_unit(struct poly_prog *prog, const char *name,
	const struct poly_work *w)
{
	struct poly_str s = { 0 };

	if (w->units || !prog->report || !prog->report->remarks)
		return;
	poly_str_printf(&s, "no matrix unit: %s", w->lack == POLY_LACKS_NOTHING ?
		"none does all of its products" : poly_unit_lack_text(w->lack));
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL, name, s.s ? s.s : "");
	poly_str_free(&s);
}

void poly_explain_parts(struct poly_prog *prog, const char *name,
	const struct poly_work *w, int parts, int values)
{
	struct poly_work divided = *w;
	struct poly_str s = { 0 };

	if (!prog->report || !prog->report->remarks)
		return;
	divided.parts = true;
	poly_str_printf(&s, "whole: %.0f cycles",
		poly_best_block(w).estimate.cycles);
	if (parts > 1)
		poly_str_printf(&s, "; in %d parts of %d steps: %.0f", parts,
			values, poly_parts_cycles(&divided, parts, values));
	poly_report_add(prog->report, MSG_POLY_CHOICE, NULL, name,
		s.s ? s.s : "");
	poly_str_free(&s);
}
