/* Recurrences that become scans.
 *
 * A first-order recurrence goes through its row in one thread. Where its operator is
 * associative, rows that a block has room for are scanned by it (polyir/rows); longer
 * ones, where there are too few of them to keep the target busy, are divided into
 * tiles (divide.c), which other statements of the program put together. What these
 * leave to be scanned may be long itself, and is divided in turn.
 *
 * A C program whose text writes each cell once, and reads none before, or only for what
 * it writes there, means the same without its order.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/sets/sets.h"
#include "polyir/scans/scans.h"

/* Elements of a tile, of one word each, and of a row that is scanned whole, at most, more
 * of them if there are many rows of one word an element; the same of rows that lie across
 * memory; rows that are enough to keep a target busy that nothing is known of; columns that
 * do so, for each of these; what tiles that hold a row have a multiple of. Tiles are shorter where elements have more words, so that
 * threads have room for them.
 */
enum {
	TILE = 8192, WHOLE = 8192, MOST_WHOLE = 32768, TILE_DOWN = 512,
	WHOLE_DOWN = 1024, ROWS = 64, COLUMNS = 64, ALIGN = POLY_SCAN_ALIGN
};

/* ---------------------------------------------------------------- the choice */

/* Do elements go to where what "stmt" makes tells? A thread then keeps these, too. */
static bool tells_places(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (poly_is_scatter(prog->stmt[i]) &&
		    poly_expr_accesses(prog->stmt[i]->rhs, stmt->write_array))
			return true;
	return false;
}

/* The elements of a tile of the rows of "box", 0: they stay as they are. A row that
 * is scanned whole may still need a dimension to stand in. No row has a tile and little
 * more: of one and a single element isl finds no order.
 */
static int64_t tile_length(struct poly_prog *prog,
	const struct poly_scan_box *box)
{
	int64_t n = box->end - box->first + 1, rows = poly_scan_rows(box);
	int busy = prog->target.multiprocessors > 1 ?
		prog->target.multiprocessors / 2 : ROWS;
	const struct poly_array *array = box->stmt->write_array;
	bool last = box->coord == array->n_dim - 1;
	int words = poly_type_n_words(array->type) + tells_places(prog, box->stmt);
	int tile = TILE / words, whole = words > 2 ? 2 * tile : WHOLE + ALIGN;
	int most = words > 1 ? whole : MOST_WHOLE;

	if (!last && box->r.join)
		return 0;
	if (box->n_outer && n <= whole && box->r.join &&
	    !poly_scan_is_read_apart(prog, box->stmt))
		return 0;
	if (!box->n_outer || box->r.join)
		return n <= whole ? (n + 2 * ALIGN) / ALIGN * ALIGN : tile;
	if (!last)
		return n <= WHOLE_DOWN || rows >= (int64_t)busy * COLUMNS ? 0 :
			TILE_DOWN;
	return n <= whole || (rows >= busy && n <= most) ? 0 : tile;
}

/* Is "stmt" a recurrence that is to be divided, in "box", into tiles of "*length"? */
static bool is_long(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_scan_box *box, int64_t *length)
{
	if (!poly_scan_box(prog, stmt, box))
		return false;
	*length = tile_length(prog, box);
	return *length && !poly_scan_needs(prog, stmt, stmt);
}

/* Divide all that is to be divided, and find the new dependences, until nothing is: what
 * tiles leave to be scanned may be long.
 */
static isl_stat divide_all(struct poly_prog *prog)
{
	struct poly_stmt **list;
	struct poly_scan_box box;
	int64_t length;
	isl_stat ok = isl_stat_ok;
	int n = 0;

	list = calloc((size_t)prog->n_stmt + 1, sizeof(struct poly_stmt *));
	for (int i = 0; i < prog->n_stmt && list; i++)
		if (is_long(prog, prog->stmt[i], &box, &length))
			list[n++] = prog->stmt[i];
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		ok = poly_scan_box(prog, list[i], &box) ? poly_scan_divide(prog,
			&box, tile_length(prog, &box)) : isl_stat_error;
	free(list);
	if (!list || ok < 0 || (n && poly_deps(prog) < 0))
		return isl_stat_error;
	return n ? divide_all(prog) : isl_stat_ok;
}

static bool has_recurrence(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (poly_recurrence_read(prog, prog->stmt[i], NULL))
			return true;
	return false;
}

/* What is said of the pairs of "output" that begin a cell and update it: the update needs
 * what begins it.
 */
static __isl_give isl_union_map *without_begins(const struct poly_prog *prog)
{
	isl_union_map *output = isl_union_map_copy(prog->deps.output);
	isl_union_set *updates = isl_union_set_empty(isl_set_get_space(prog->context));
	isl_union_map *begins;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->reduce != POLY_OP_NONE)
			updates = isl_union_set_add_set(updates, isl_set_copy(
				prog->stmt[i]->domain));
	begins = isl_union_map_subtract_domain(isl_union_map_copy(prog->deps.flow),
		isl_union_set_copy(updates));
	begins = isl_union_map_intersect_range(begins, updates);
	return isl_union_map_subtract(output, begins);
}

/* Is a cell overwritten only by what needs what it held? */
static bool is_told_by_values(const struct poly_prog *prog)
{
	const struct poly_deps *d = &prog->deps;
	isl_union_map *told = without_begins(prog);
	bool is = isl_union_map_is_empty(told) == isl_bool_true;

	isl_union_map_free(told);
	if (!is)
		return false;
	told = poly_in_flow(d->flow, d->anti);
	is = isl_union_map_is_subset(d->anti, told) == isl_bool_true;
	isl_union_map_free(told);
	return is;
}

/* Are these the same for all sizes that there may be? */
static bool are_same(struct poly_prog *prog, __isl_keep isl_union_map *a,
	__isl_keep isl_union_map *b)
{
	isl_set *known = poly_known_sizes(prog);
	bool is;

	a = isl_union_map_intersect_params(isl_union_map_copy(a), isl_set_copy(known));
	b = isl_union_map_intersect_params(isl_union_map_copy(b), known);
	is = isl_union_map_is_equal(a, b) == isl_bool_true;

	isl_union_map_free(a);
	isl_union_map_free(b);
	return is;
}

/* Let go of the order of the text, if it is nothing that the values do not say: without it,
 * these are the same.
 */
static isl_stat drop_order(struct poly_prog *prog)
{
	isl_schedule *original = prog->original;
	isl_union_map *flow;
	isl_stat ok;

	if (!original || !has_recurrence(prog) || !poly_prog_is_fixed(prog) ||
	    !is_told_by_values(prog))
		return isl_stat_ok;
	prog->original = NULL;
	if (isl_union_map_is_empty(prog->deps.anti) == isl_bool_true &&
	    isl_union_map_is_empty(prog->deps.output) == isl_bool_true) {
		isl_schedule_free(original);
		return isl_stat_ok;
	}
	flow = isl_union_map_copy(prog->deps.flow);
	ok = poly_deps(prog);
	if (ok == isl_stat_ok && !are_same(prog, flow, prog->deps.flow)) {
		prog->original = original;
		ok = poly_deps(prog);
	} else {
		isl_schedule_free(original);
	}
	isl_union_map_free(flow);
	return ok;
}

/* Divide rows of recurrences that may be scanned.
 *
 * requires deps, before schedule; establishes scans, and new deps
 */
isl_stat poly_scans(struct poly_prog *prog)
{
	if (prog->request.apart)
		return isl_stat_ok;
	if (drop_order(prog) < 0)
		return poly_isl_error(prog, "scans");
	if (!prog->original && divide_all(prog) < 0)
		return poly_isl_error(prog, "scans");
	if (!prog->original)
		poly_scan_read_alike(prog);
	return isl_stat_ok;
}
