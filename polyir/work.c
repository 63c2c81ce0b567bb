/* What a product has to do, as the model (model.c) counts it: how much of each
 * operand a step of the reduction needs, and how copies can move it.
 *
 *	C[i,j] += A[i,k] * B[k,j]	4 bytes a point of either axis; A goes
 *					along the steps, so its rows are loaded
 *					in runs of these; both are copied 16
 *					bytes at a time if rows are multiples
 */
#include "polyir_internal.h"

void poly_work_begin(struct poly_work *w, const struct poly_prog *prog)
{
	*w = (struct poly_work){ .batch = 1, .async = true,
		.rows_of_steps = true, .fixed = poly_prog_is_fixed(prog),
		.multiprocessors = prog->multiprocessors,
		.shared = prog->shared_bytes };
}

/* Add the shared operand "leaf", which moves with "moves". */
static void add_leaf(struct poly_work *w, struct poly_prog *prog,
	const struct poly_expr *leaf, __isl_keep isl_multi_aff *at, int moves)
{
	int size = poly_type_size(leaf->array->type);
	int axis = moves & POLY_MOVES_0 ? 0 : moves & POLY_MOVES_1 ? 1 : -1;
	bool steps = poly_leaf_has_steps(leaf, at);
	int run = steps && axis == 1 ? 1 :
		poly_row_align(prog, leaf->array) / size;

	w->async &= size >= 4;
	if (axis < 0) {
		w->bytes_step += size;
		return;
	}
	w->bytes[axis] += size;
	w->run[axis] = w->run[axis] && w->run[axis] < run ? w->run[axis] : run;
	if (axis == 0)
		w->rows_of_steps &= steps;
}

void poly_work_add(struct poly_work *w, struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n = poly_leaves(stmt, leaf);
	int size = poly_type_size(stmt->write_array->type);

	w->words += (size + 3) / 4;
	w->out_bytes += size;
	for (int i = 0; i < n && i < POLY_MAX_OPERAND; i++) {
		int moves = poly_leaf_moves(leaf[i], at);

		if (poly_is_shared_leaf(leaf[i], moves))
			add_leaf(w, prog, leaf[i], at, moves);
	}
	w->rows_of_steps &= w->bytes[0] > 0;
}

bool poly_work_is_known(const struct poly_work *w)
{
	return w->fixed && w->multiprocessors > 0;
}
