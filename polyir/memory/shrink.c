/* A temporary is as small as the lives of its values.
 *
 * A dimension that counts steps which go on in order needs a cell for each step only
 * as long as its values are read:
 *
 *	for (t) { u[t][i] = f(u[t - 1][i - 1], u[t - 1][i + 1]) }
 *	u[T + 1][N]: u[t][i]	->	u[2][N]: u[t mod 2][i]
 *
 * A value lives from its first write to its last read. "M" cells do if whoever writes
 * element a + M, a + M + 1, .. of the dimension comes after all who access element a:
 * the least such M is one more than the largest distance at which somebody still
 * accesses a when, or after, a + distance is written (shrink_cells.c; clock.c has the times; all that a
 * launch does is done at one time, as its threads run in any order). One less may do
 * where the instance that overwrites a value is the last one that reads it.
 *
 * That is only where M comes from. What makes it right is that the pairs "access of a,
 * write of a + M and more" are dependences of the program from then on, beside those
 * that it has: the checks are asked whether the mapped tree respects them, by launches,
 * threads and barriers, before the array is changed, and again at the end.
 *
 * This is the last pass, so that the others see values with a cell each. What comes
 * behind reads the indices of accesses, and nothing else says where an element is:
 * - The operand of a product in shared memory is where its copy put it (legal_copies.c),
 *   and the copy is an access like any other: both change alike.
 * - A copy fills in zeros where it reads outside of an array. The dimension is inside
 *   of it wherever it is read, or it stays.
 * - Copies in bulk move rows, runs of the last dimension; in which row each begins is
 *   the index of the copy again. Within a block, even a launch, the dimension has one
 *   value, so a run is never broken up; and the length of rows stays what it is, but of
 *   an array of one dimension, of which such a run is one element.
 * - The interpreter and the reference in one thread have the program without it.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"
#include "polyir/memory/memory.h"
#include "polyir/memory/shrink.h"

/* Operations of isl that may go into one array: a tenth of a second. */
#define MOST_OPERATIONS 200000ul

static void release(struct poly_shrink *s)
{
	s->reads = isl_union_map_free(s->reads);
	s->writes = isl_union_map_free(s->writes);
}

/* ------------------------------------------------------------------ legal */

/* What keeping an array in fewer cells adds to the dependences. */
struct pairs {
	isl_union_map *anti, *output;
};

/* Are the checks content with "pairs"? They are asked about these alone. */
static bool pass_checks(struct poly_prog *prog, const struct pairs *pairs)
{
	isl_union_map *none = isl_union_map_empty(
		isl_set_get_space(prog->context));
	struct poly_deps all = prog->deps;
	struct poly_report *report = prog->report, silent = { 0 };
	bool pass;

	prog->deps = (struct poly_deps){ none, pairs->anti, pairs->output,
		none, none };
	prog->report = &silent;
	pass = poly_check_order(prog, "shrink") == isl_stat_ok &&
		poly_check_place(prog, "shrink") == isl_stat_ok &&
		poly_check_barriers(prog, "shrink") == isl_stat_ok;
	prog->deps = all;
	prog->report = report;
	poly_report_free(&silent);
	isl_union_map_free(none);
	return pass;
}

/* Is the first of each of "pairs" in an earlier launch than the second? */
static bool are_launched_in_order(__isl_keep isl_union_map *pairs,
	const struct poly_clock *launch)
{
	isl_union_map *wrong = isl_union_map_lex_ge_at_multi_union_pw_aff(
		isl_union_map_copy(pairs),
		isl_multi_union_pw_aff_from_union_map(
			isl_union_map_copy(launch->time)));
	bool none = isl_union_map_is_empty(wrong) == isl_bool_true;

	isl_union_map_free(wrong);
	return none;
}

/* Does the mapped tree respect "pairs": by the order of launches, or by what the checks
 * see inside of kernels?
 */
static bool is_legal(struct poly_prog *prog, const struct pairs *pairs,
	const struct poly_clock *clock)
{
	if (clock->inside)
		return pass_checks(prog, pairs);
	return are_launched_in_order(pairs->anti, clock) &&
		are_launched_in_order(pairs->output, clock);
}

/* ------------------------------------------------------------------ apply */

/* "index", which is taken, in the cells of "f". */
static __isl_give isl_multi_pw_aff *folded(__isl_take isl_multi_pw_aff *index,
	const struct poly_cells *f)
{
	isl_pw_aff *at = isl_multi_pw_aff_get_at(index, f->dim);

	at = isl_pw_aff_mod_val(at, isl_val_int_from_si(
		isl_multi_pw_aff_get_ctx(index), (long)f->n));
	return isl_multi_pw_aff_set_at(index, f->dim, at);
}

/* The cells "f" that the elements of an array become. */
struct apply {
	const struct poly_array *array;
	const struct poly_cells *f;
};

/* Let a read of the array name the cells that its elements become. */
static void fold_read(struct poly_expr *leaf, void *user)
{
	const struct apply *a = user;

	if (leaf->array == a->array)
		leaf->index = folded(leaf->index, a->f);
}

/* Keep "array" as "f" says: all accesses to it, its extent, and the dependences, to
 * which the pairs "anti" and "output" come.
 */
static void keep_in_cells(struct poly_prog *prog, struct poly_array *array,
	const struct poly_cells *f, __isl_take isl_union_map *anti,
	__isl_take isl_union_map *output)
{
	struct apply a = { array, f };
	struct poly_deps *d = &prog->deps;
	isl_pw_aff *n = isl_multi_pw_aff_get_at(array->extent, f->dim);
	isl_set *domain = isl_pw_aff_domain(n);

	d->anti = isl_union_map_union(d->anti, anti);
	d->output = isl_union_map_union(d->output, output);
	array->extent = isl_multi_pw_aff_set_at(array->extent, f->dim,
		isl_pw_aff_val_on_domain(domain, isl_val_int_from_si(
			prog->ctx, (long)f->n)));
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *stmt = prog->stmt[i];

		if (stmt->kind != POLY_POINT)
			continue;
		poly_expr_each_access(stmt->rhs, fold_read, &a);
		if (stmt->write_array == array)
			stmt->write_index = folded(stmt->write_index, f);
	}
}

/* A look at what statements read that write the array: is what is "cells.n" elements away
 * from what they write at the same place but for that, and is there any?
 */
struct places {
	const struct poly_shrink *s;
	const struct poly_stmt *stmt;
	struct poly_cells cells;
	bool same, any;
};

/* Have "a" and "b", on "domain", the same dimensions but for "dim"? */
static bool is_same_place(__isl_keep isl_multi_pw_aff *a,
	__isl_keep isl_multi_pw_aff *b, int dim, __isl_keep isl_set *domain)
{
	bool same = true;

	for (int i = 0; i < isl_multi_pw_aff_size(a) && same; i++) {
		isl_set *equal;

		if (i == dim)
			continue;
		equal = isl_pw_aff_eq_set(isl_multi_pw_aff_get_at(a, i),
			isl_multi_pw_aff_get_at(b, i));
		same = isl_set_is_subset(domain, equal) == isl_bool_true;
		isl_set_free(equal);
	}
	return same;
}

/* Callback of may_overwrite for each access in an expression: where it reads
 * what lies "cells.n" elements from the element written, is the rest of its
 * index that of the write?
 */
static void look_at_place(struct poly_expr *leaf, void *user)
{
	struct places *k = user;
	int64_t n = k->cells.down ? -k->cells.n : k->cells.n;
	isl_pw_aff *apart;
	isl_set *at;

	if (leaf->array != k->s->array)
		return;
	apart = isl_pw_aff_sub(isl_multi_pw_aff_get_at(k->stmt->write_index,
		k->cells.dim), isl_multi_pw_aff_get_at(leaf->index,
		k->cells.dim));
	apart = isl_pw_aff_add_constant_val(apart,
		isl_val_int_from_si(k->s->prog->ctx, (long)-n));
	at = isl_set_intersect(isl_pw_aff_zero_set(apart),
		isl_set_copy(k->stmt->domain));
	if (isl_set_is_empty(at) == isl_bool_false) {
		k->any = true;
		k->same &= is_same_place(k->stmt->write_index, leaf->index,
			k->cells.dim, at);
	}
	isl_set_free(at);
}

/* Is it worth a look whether "cells" do, one less than the launches say, since whoever
 * writes an element overwrites what it is the last to read?
 */
static bool may_overwrite(const struct poly_shrink *s,
	const struct poly_cells *cells)
{
	struct places k = { s, NULL, *cells, true, false };

	for (int i = 0; i < s->prog->n_stmt && k.same; i++) {
		k.stmt = s->prog->stmt[i];
		if (k.stmt->write_array == s->array)
			poly_expr_each_access(k.stmt->rhs, look_at_place, &k);
	}
	return k.same && k.any;
}

/* Find the pairs that keeping the array as "f" says adds; "sure": they are respected.
 * False, and no pairs, if they are not.
 */
static bool find_legal(const struct poly_shrink *s, const struct poly_cells *f,
	const struct poly_clock *clock, bool sure, struct pairs *pairs)
{
	pairs->anti = poly_cell_pairs(s->array, f,
		isl_union_map_copy(s->reads), isl_union_map_copy(s->writes));
	pairs->output = poly_cell_pairs(s->array, f,
		isl_union_map_copy(s->writes), isl_union_map_copy(s->writes));
	if (pairs->anti && pairs->output &&
	    (sure || is_legal(s->prog, pairs, clock)))
		return true;
	pairs->anti = isl_union_map_free(pairs->anti);
	pairs->output = isl_union_map_free(pairs->output);
	return false;
}

/* Find how the array can shrink along one dimension by "clock": "f", and "pairs". */
static bool find_shrink(const struct poly_shrink *s, const struct poly_clock *clock,
	struct poly_cells *f, struct pairs *pairs)
{
	struct poly_cells less;

	if (!poly_fewest_cells(s, clock, f))
		return false;
	less = *f;
	less.n--;
	if (less.n > 0 && may_overwrite(s, &less) &&
	    find_legal(s, &less, clock, false, pairs)) {
		*f = less;
		return true;
	}
	return find_legal(s, f, clock, !clock->inside, pairs);
}

/* Shrink the array along one dimension, if that can be by "clock", and if that is found
 * out soon.
 */
static bool shrink_by(struct poly_shrink *s, const struct poly_clock *clock)
{
	unsigned long all = poly_ctx_attempt(s->prog->ctx, MOST_OPERATIONS);
	struct pairs pairs;
	struct poly_cells f;
	bool found = find_shrink(s, clock, &f, &pairs);

	if (!poly_ctx_attempted(s->prog->ctx, all) && found) {
		isl_union_map_free(pairs.anti);
		isl_union_map_free(pairs.output);
		found = false;
	}
	if (found)
		keep_in_cells(s->prog, s->array, &f, pairs.anti,
			pairs.output);
	return found;
}

/* ------------------------------------------------------------------- pass */

/* Loops that go on in order around what writes an array: of the host, in kernels. */
enum { HOST = 1, INSIDE = 2 };

/* Which of them may be why arrays, by their positions, are as large as they are. */
struct steps {
	struct poly_prog *prog;
	unsigned *array;
};

static int position_of(const struct poly_prog *prog,
	const struct poly_array *array)
{
	int i = 0;

	while (prog->array[i] != array)
		i++;
	return i;
}

/* Do "member" and what "stmt" writes move with one dimension of it? */
static bool moves_along(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt)
{
	isl_pw_aff *at = poly_member_at(member, stmt->domain);
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	bool along = false;

	for (int d = 0; d < n; d++)
		along |= isl_pw_aff_involves_dims(at, isl_dim_in, d, 1) ==
			isl_bool_true &&
			isl_multi_pw_aff_involves_dims(stmt->write_index,
				isl_dim_in, d, 1) == isl_bool_true;
	isl_pw_aff_free(at);
	return along;
}

/* Note what the statements and tile operations "list" write, which "member" of "where",
 * in order, goes around.
 */
static void note_written(const struct steps *k, unsigned where,
	__isl_keep isl_union_pw_aff *member, struct poly_stmt *const *list,
	int n)
{
	for (int i = 0; i < n; i++) {
		const struct poly_stmt *s = list[i];

		for (int m = 0; m < s->n_member; m++)
			k->array[position_of(k->prog,
				s->member[m]->write_array)] |= where;
		if (s->kind == POLY_POINT && moves_along(member, s))
			k->array[position_of(k->prog, s->write_array)] |=
				where;
	}
}

/* Is "node" inside of a kernel? */
static bool is_inside_kernel(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *up = isl_schedule_node_copy(node);
	bool inside = false;

	while (!inside && isl_schedule_node_has_parent(up) == isl_bool_true) {
		up = isl_schedule_node_parent(up);
		inside = poly_mark_kernel(up) != NULL;
	}
	isl_schedule_node_free(up);
	return inside;
}

/* Note what the members in order of the band "node" go around. Kernels with tiles have
 * none inside that count.
 */
static isl_bool note_steps(__isl_keep isl_schedule_node *node, void *user)
{
	struct steps *k = user;
	const char *name = poly_mark_kernel(node);
	isl_multi_union_pw_aff *partial;
	isl_union_set *domain;
	struct poly_stmt **list;
	unsigned where;
	int n;

	if (name && poly_prog_find_kernel(k->prog, name)->tiled)
		return isl_bool_false;
	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return isl_bool_true;
	domain = poly_node_domain(node);
	list = poly_stmts_of(k->prog, domain, &n);
	where = is_inside_kernel(node) ? INSIDE : HOST;
	partial = isl_schedule_node_band_get_partial_schedule(node);
	for (int i = 0; list && i < isl_multi_union_pw_aff_size(partial); i++) {
		isl_union_pw_aff *member;

		if (isl_schedule_node_band_member_get_coincident(node, i) !=
		    isl_bool_false)
			continue;
		member = isl_multi_union_pw_aff_get_at(partial, i);
		note_written(k, where, member, list, n);
		isl_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
	isl_union_set_free(domain);
	free(list);
	return isl_bool_ok(list != NULL);
}

/* Shrink the arrays of "k" that are noted with one of the loops "where", by the order of
 * these; what has been is not noted any more.
 */
static isl_stat shrink_arrays(struct steps *k, unsigned where)
{
	struct poly_clock clock = { false, NULL, NULL };
	struct poly_prog *prog = k->prog;
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < prog->n_array && ok == isl_stat_ok; i++) {
		struct poly_shrink s = { .prog = prog, .array = prog->array[i] };

		if (!(k->array[i] & where))
			continue;
		if (!clock.time)
			ok = poly_clock_read(prog, where == INSIDE, &clock);
		if (ok == isl_stat_ok)
			poly_find_accesses(prog, s.array, &s.reads, &s.writes);
		if (ok == isl_stat_ok && shrink_by(&s, &clock))
			k->array[i] = 0;
		release(&s);
	}
	poly_clock_free(&clock);
	return ok;
}

/* Keep an array in as many cells as the script says, which has asked its own order for
 * that; say so if the kernels that the mapping has made do not keep it.
 */
static void fold_given(struct poly_prog *prog, const struct poly_fold *f)
{
	struct poly_array *array = poly_prog_find_array(prog, f->array);
	struct poly_shrink s = { .prog = prog, .array = array };
	struct poly_cells cells = { f->dim, f->n, f->down };
	struct poly_clock clock = { false, NULL, NULL };
	struct pairs pairs = { NULL, NULL };
	bool ok;

	if (!array || array->space != POLY_GLOBAL)
		return;
	poly_find_accesses(prog, array, &s.reads, &s.writes);
	ok = poly_clock_read(prog, true, &clock) == isl_stat_ok &&
		poly_is_of_steps(&s, f->dim, &clock) && poly_is_inside(&s, f->dim) &&
		find_legal(&s, &cells, &clock, false, &pairs);
	if (ok)
		keep_in_cells(prog, array, &cells, pairs.anti,
			pairs.output);
	else
		poly_report_add(prog->report, MSG_SCRIPT_UNFOLDED, NULL,
			f->array);
	poly_clock_free(&clock);
	release(&s);
}

static bool is_temporary(const struct poly_array *array)
{
	return poly_is_temp(array) && array->space == POLY_GLOBAL;
}

/* Has a script said how array "i" is kept? */
static bool is_given(const struct poly_prog *prog, int i)
{
	const struct poly_folds *f = prog->request.folds;

	for (int k = 0; f && k < f->n; k++)
		if (!strcmp(f->fold[k].array, prog->array[i]->name))
			return true;
	return false;
}

/* Give temporaries in global memory as few cells along a dimension of steps as their
 * values need. The order of a text says what its arrays hold, so there they stay.
 *
 * requires sync; establishes cells
 */
isl_stat poly_shrink(struct poly_prog *prog)
{
	struct steps k = { prog, calloc(prog->n_array + 1, sizeof(unsigned)) };
	isl_schedule_node *root = isl_schedule_get_root(prog->schedule);
	isl_stat ok = k.array ? isl_stat_ok : isl_stat_error;

	for (int i = 0; prog->request.folds && i < prog->request.folds->n; i++)
		fold_given(prog, &prog->request.folds->fold[i]);
	if (ok == isl_stat_ok && !prog->original)
		ok = isl_schedule_node_foreach_descendant_top_down(root,
			note_steps, &k);
	isl_schedule_node_free(root);
	for (int i = 0; k.array && i < prog->n_array; i++)
		if (!is_temporary(prog->array[i]) || is_given(prog, i))
			k.array[i] = 0;
	if (ok == isl_stat_ok)
		ok = shrink_arrays(&k, HOST);
	if (ok == isl_stat_ok)
		ok = shrink_arrays(&k, INSIDE);
	free(k.array);
	return ok == isl_stat_ok && prog->deps.anti && prog->deps.output ?
		isl_stat_ok : poly_isl_error(prog, "shrink");
}
