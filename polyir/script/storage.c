/* How arrays are kept: fewer cells along a dimension, and the order of dimensions.
 *
 *	fold("u", 1, 2)		u[t][i]		->	u[t mod 2][i]
 *	store("u", {2, 1})	u[t][i]		->	u[i][t]
 *
 * Only temporaries, which the caller does not see. A value may have to leave its cell
 * before another one comes: the pairs "access of a, write of a + n or more" are
 * dependences of the plan from then on, and every command is asked for them, too. The
 * accesses themselves change when all commands are done, and those of a fold at the end
 * of all passes (memory/shrink.c).
 */
#include <stdio.h>
#include <string.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* How the array "name" is kept, as nothing if the script has not said so yet; NULL,
 * having said why, if it is none that a script may change.
 */
static struct poly_kept *kept_of(struct poly_plan *plan, const char *name,
	struct poly_refusal *why)
{
	struct poly_array *array = poly_prog_find_array(plan->prog, name);
	struct poly_kept *k = plan->kept;

	if (!array || array->role != POLY_TEMP || array->scattered) {
		poly_refuse(why, !array ? "there is no array '%s'" :
			array->scattered ? "'%s' is written at places that data "
			"tell" : "'%s' is the caller's, who says where its "
			"elements are", name);
		return NULL;
	}
	while (k < plan->kept + plan->n_kept && k->array != array)
		k++;
	if (k == plan->kept + POLY_MOST_KEPT) {
		poly_refuse(why, "more than %d arrays are folded or stored",
			POLY_MOST_KEPT);
		return NULL;
	}
	if (k == plan->kept + plan->n_kept) {
		*k = (struct poly_kept){ .array = array, .fold = false };
		plan->n_kept++;
	}
	return k;
}

/* Does the tree, with the array kept as "k" says, run the first of each pair first? */
static bool is_legal_so(struct poly_plan *plan)
{
	struct poly_refusal why = { .kind = NULL };
	bool is = poly_plan_is_legal(plan, &why) == isl_bool_true;

	poly_refusal_clear(&why);
	return is;
}

/* Find the pairs that "k" adds. */
static void find_pairs(struct poly_plan *plan, struct poly_kept *k)
{
	isl_union_map *reads, *writes;

	isl_union_map_free(k->anti);
	isl_union_map_free(k->output);
	poly_find_accesses(plan->prog, k->array, &reads, &writes);
	k->anti = poly_cell_pairs(k->array, &k->cells, reads,
		isl_union_map_copy(writes));
	k->output = poly_cell_pairs(k->array, &k->cells,
		isl_union_map_copy(writes), writes);
}

bool poly_do_fold(struct poly_plan *plan, const char *array, int dim, int64_t n,
	struct poly_refusal *why)
{
	struct poly_kept *k = kept_of(plan, array, why);

	if (!k)
		return false;
	if (k->fold) {
		poly_refuse(why, "'%s' is folded already", array);
		return false;
	}
	if (dim < 0 || dim >= k->array->n_dim || n < 1 || n > INT32_MAX) {
		poly_refuse(why, "'%s' has %d dimensions, and a dimension has at "
			"least one cell", array, k->array->n_dim);
		return false;
	}
	k->fold = true;
	k->cells = (struct poly_cells){ .dim = dim, .n = n, .down = true };
	find_pairs(plan, k);
	if (is_legal_so(plan))
		return true;
	k->cells.down = false;
	find_pairs(plan, k);
	return true;
}

bool poly_do_store(struct poly_plan *plan, const char *array, const int64_t *order,
	int n, struct poly_refusal *why)
{
	struct poly_kept *k = kept_of(plan, array, why);
	unsigned seen = 0;

	if (!k)
		return false;
	for (int d = 0; d < n; d++)
		if (order[d] >= 0 && order[d] < n)
			seen |= 1u << order[d];
	if (n != k->array->n_dim || seen != (1u << n) - 1) {
		poly_refuse(why, "these are not the %d dimensions of '%s', each "
			"once", k->array->n_dim, array);
		return false;
	}
	k->n_order = n;
	for (int d = 0; d < n; d++)
		k->order[d] = (int)order[d];
	return true;
}

/* ------------------------------------------------------------------ the end */

/* "index" with its coordinates in the order that "k" says. */
static __isl_give isl_multi_pw_aff *turned(__isl_take isl_multi_pw_aff *index,
	const struct poly_kept *k)
{
	isl_multi_pw_aff *as = isl_multi_pw_aff_copy(index);

	for (int d = 0; d < k->n_order; d++)
		index = isl_multi_pw_aff_set_at(index, d,
			isl_multi_pw_aff_get_at(as, k->order[d]));
	isl_multi_pw_aff_free(as);
	return index;
}

static void turn_read(struct poly_expr *leaf, void *user)
{
	const struct poly_kept *k = user;

	if (leaf->array == k->array)
		leaf->index = turned(leaf->index, k);
}

/* Turn all accesses to the array, and its extent. */
static void turn(struct poly_prog *prog, struct poly_kept *k)
{
	k->array->extent = turned(k->array->extent, k);
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *stmt = prog->stmt[i];

		if (stmt->kind != POLY_POINT)
			continue;
		poly_expr_each_access(stmt->rhs, turn_read, k);
		if (stmt->write_array == k->array)
			stmt->write_index = turned(stmt->write_index, k);
	}
}

/* Add the pairs of "k" to the dependences, and it to what shrink.c does at the end:
 * passes in between see values with a cell each.
 */
static void add_fold(struct poly_prog *prog, struct poly_kept *k)
{
	struct poly_deps *d = &prog->deps;
	struct poly_folds *all = prog->request.folds;
	struct poly_fold *f = &all->fold[all->n++];

	d->anti = isl_union_map_union(d->anti, k->anti);
	d->output = isl_union_map_union(d->output, k->output);
	snprintf(f->array, sizeof(f->array), "%s", k->array->name);
	f->dim = k->cells.dim;
	for (int i = 0; i < k->n_order; i++)
		if (k->order[i] == k->cells.dim)
			f->dim = i;
	f->n = k->cells.n;
	f->down = k->cells.down;
}

void poly_plan_keep(struct poly_plan *plan)
{
	for (int i = 0; i < plan->n_kept; i++) {
		struct poly_kept *k = &plan->kept[i];

		if (k->fold)
			add_fold(plan->prog, k);
		if (k->n_order)
			turn(plan->prog, k);
	}
	plan->n_kept = 0;
}
