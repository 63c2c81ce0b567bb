/* Can a statement join a group of others that go over the same rows?
 *
 * Each dimension of it takes the axis that one of another statement's has at the same
 * place of an array that both access. What the group makes must agree; what it only
 * reads gives hints:
 *
 *	s[i] += e[i, j]			in the group: i is axis 0, j axis 1
 *	y[a, b] = e[a, b] / s[a]	joins: a is axis 0, b axis 1, by e and s
 */
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/sums/split.h"
#include "polyir/rows/rows.h"
#include "polyir/rows/row_join.h"

/* The axes of the dimensions of an array, as an access of "stmt" has them. */
struct access {
	int n, axis[POLY_ROW_DIMS];
	bool plain;		/* each dimension is one of the statement */
};

/* An access at "index" by "stmt", whose dimensions have the axes "axis". */
static struct access axes_of(const struct poly_stmt *stmt,
	__isl_keep isl_multi_pw_aff *index, const signed char *axis)
{
	struct access a = { .n = isl_multi_pw_aff_size(index), .plain = true };

	for (int k = 0; k < a.n && a.plain; k++) {
		int d = a.n > POLY_ROW_DIMS ? -1 :
			poly_index_dim(index, k, stmt);

		a.plain = d >= 0;
		if (d >= 0)
			a.axis[k] = axis[d];
	}
	return a;
}

/* Give the dimensions of the access of "stmt" the axes "a" of another one to the
 * same array.
 */
static void take_axes(struct poly_row_join *j, const struct access *a)
{
	signed char axis[POLY_ROW_DIMS];
	bool agrees = a->plain && a->n == isl_multi_pw_aff_size(j->index);

	memcpy(axis, j->axis, sizeof(axis));
	for (int k = 0; agrees && k < a->n; k++) {
		int d = poly_index_dim(j->index, k, j->stmt);

		agrees = d >= 0 && a->axis[k] >= 0 &&
			(axis[d] < 0 || axis[d] == a->axis[k]);
		for (int e = 0; agrees && e < POLY_ROW_DIMS; e++)
			agrees = e == d || axis[e] != a->axis[k];
		if (agrees)
			axis[d] = a->axis[k];
	}
	if (agrees)
		memcpy(j->axis, axis, sizeof(axis));
	else
		j->fails |= !j->hints;
}

/* Give the dimensions of "stmt" the axes of the other statement's, if both access the
 * array at the same function of dimensions in the same places: with hints.
 */
static void take_places(struct poly_row_join *j, __isl_keep isl_multi_pw_aff *index)
{
	isl_multi_pw_aff *own = isl_multi_pw_aff_reset_tuple_id(
		isl_multi_pw_aff_copy(j->index), isl_dim_in);
	isl_multi_pw_aff *other = isl_multi_pw_aff_reset_tuple_id(
		isl_multi_pw_aff_copy(index), isl_dim_in);
	int n = isl_multi_pw_aff_dim(own, isl_dim_in);
	bool same = isl_multi_pw_aff_dim(other, isl_dim_in) == n &&
		isl_multi_pw_aff_plain_is_equal(own, other) == isl_bool_true;

	for (int d = 0; d < n && same; d++)
		same = j->axis[d] < 0;
	if (same)
		memcpy(j->axis, j->other_axis, sizeof(j->axis));
	isl_multi_pw_aff_free(own);
	isl_multi_pw_aff_free(other);
}

/* Compare the access of "stmt" with a read of the same array by "other", but
 * for what a recurrence reads of its own.
 */
static void meet_leaf(struct poly_expr *leaf, void *user)
{
	struct poly_row_join *j = user;
	struct access a;

	if (leaf->array != j->array ||
	    poly_reads_before(j->f->g->prog, j->other, leaf))
		return;
	a = axes_of(j->other, leaf->index, j->other_axis);
	take_axes(j, &a);
	if (j->hints && !a.plain)
		take_places(j, leaf->index);
}

/* Compare an access of "stmt" with all those of the group to the same array. */
static void meet(struct poly_row_join *j, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	const struct poly_row_group *g = j->f->g;

	j->array = array;
	j->index = index;
	for (int i = 0; i < g->n_stmt; i++) {
		struct access a;

		if (!g->in[i])
			continue;
		j->other = g->prog->stmt[i];
		j->other_axis = g->axis[i];
		if (j->other->write_array == array) {
			a = axes_of(j->other, j->other->write_index,
				j->other_axis);
			take_axes(j, &a);
		}
		poly_expr_each_access(j->other->rhs, meet_leaf, j);
	}
}

/* Does a statement of the group, or the one that is to join, write "array"? */
static bool is_made(const struct poly_row_join *j, const struct poly_array *array)
{
	return j->stmt->write_array == array ||
		poly_row_makes(j->f->g, array);
}

/* Compare what the statement reads with the group's accesses: of arrays that
 * are made in it, or, for hints, of the others.
 */
static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct poly_row_join *j = user;

	if (is_made(j, leaf->array) != j->hints &&
	    !poly_reads_before(j->f->g->prog, j->stmt, leaf))
		meet(j, leaf->array, leaf->index);
}

/* What is made in the group cannot be read at places that data tell. */
static void look_at_gather(struct poly_expr *leaf, void *user)
{
	struct poly_row_join *j = user;

	j->fails |= is_made(j, leaf->array);
}

int poly_row_end_of(const struct poly_row_group *g, const struct poly_stmt *stmt,
	int d)
{
	isl_set *range = isl_set_intersect_params(
		poly_range_of(stmt->domain, d), poly_known_sizes(g->prog));
	isl_val *first = isl_set_dim_min_val(isl_set_copy(range), 0);
	isl_val *last = isl_set_dim_max_val(range, 0);
	int end = 0;

	if (isl_val_is_int(first) != isl_bool_true ||
	    isl_val_is_nonneg(first) != isl_bool_true)
		end = 0;
	else if (isl_val_is_infty(last) == isl_bool_true)
		end = -1;
	else if (isl_val_is_int(last) == isl_bool_true &&
	    isl_val_cmp_si(last, INT32_MAX / 2) < 0)
		end = (int)isl_val_get_num_si(last) + 1;
	isl_val_free(first);
	isl_val_free(last);
	return end;
}

/* Take back the axes of rows that only hints have given, where "told" has none, to
 * dimensions with more values than the group has rows: it would have rows of which nothing
 * but this statement knows. The first element of a tile may stand for any of its row:
 *
 *	s[b, 0] = x[0]		b: 3 tiles
 *	y[i] = x[i]		i: 20,000 elements
 */
static void drop_longer(struct poly_row_join *j, const signed char *told)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);

	for (int d = 0; d < n; d++) {
		int axis = j->axis[d], end;

		if (told[d] >= 0 || axis < 0 || axis >= g->n_kept)
			continue;
		end = poly_row_end_of(g, j->stmt, d);
		if (end < 0 ? !(g->open & 1u << axis) : end > g->extent[axis])
			j->axis[d] = -1;
	}
}

/* Give what is left without an axis, one dimension, the only axis along the rows, if
 * it has as many values.
 */
static void guess(struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set), left = -1, n_left = 0;

	for (int d = 0; d < n; d++) {
		if (j->axis[d] >= g->n_kept)
			return;
		if (j->axis[d] < 0) {
			left = d;
			n_left++;
		}
	}
	if (n_left == 1 && g->n_row == 1 && poly_range_count(g->prog,
		isl_set_copy(j->stmt->domain), left) == g->extent[g->n_kept])
		j->axis[left] = g->n_kept;
}

/* Has the statement the axes of all rows, and all along them or none? */
static bool has_axes(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set), kept = 0, row = 0;

	for (int d = 0; d < n; d++) {
		if (j->axis[d] < 0)
			return false;
		kept += j->axis[d] < g->n_kept;
		row += j->axis[d] >= g->n_kept;
	}
	return kept == g->n_kept && (row == 0 || row == g->n_row);
}

bool poly_row_is_update(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	struct poly_stmt *s = j->stmt;
	struct access a = axes_of(s, s->write_index, j->axis);

	if (!poly_can_split(g->prog, s) || a.n != g->n_kept || !a.plain)
		return false;
	for (int k = 0; k < a.n; k++)
		if (a.axis[k] >= g->n_kept)
			return false;
	return true;
}

/* Does the statement, if it is a recurrence, go along the only axis of rows? */
static bool is_along_row(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	struct poly_recurrence r;

	return !poly_recurrence_read(g->prog, j->stmt, &r) ||
		(g->n_row == 1 && j->axis[r.dim] == g->n_kept);
}

/* Does the statement, which goes along rows, only hand on elements, one for each of its
 * points, to an array that no other one of the group has?
 */
static bool hands_on(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	struct poly_stmt *s = j->stmt;
	isl_map *write = poly_stmt_write(s);
	bool apart = isl_map_is_injective(write) == isl_bool_true &&
		s->reduce == POLY_OP_NONE;

	isl_map_free(write);
	for (int i = 0; i < g->n_stmt && apart; i++)
		apart = !g->in[i] || !poly_stmt_accesses(g->prog->stmt[i],
			s->write_array);
	return apart && !poly_expr_accesses(s->rhs, s->write_array);
}

/* Is each element that the statement makes one of a point, or of a row? */
static bool has_own_cells(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);
	struct access a = axes_of(j->stmt, j->stmt->write_index, j->axis);

	if (poly_is_update(j->stmt))
		return poly_row_is_update(j);
	if (!a.plain || a.n != n)
		return n == g->n_kept + g->n_row && hands_on(j);
	return j->stmt->reduce == POLY_OP_NONE && is_along_row(j) &&
		n <= g->n_kept + g->n_row;
}

/* Note whether the index of "leaf" has all dimensions of the statement. */
static void note_whole(struct poly_expr *leaf, void *user)
{
	struct poly_row_join *j = user;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);
	bool whole = true;

	for (int d = 0; d < n; d++)
		whole &= isl_multi_pw_aff_involves_dims(leaf->index, isl_dim_in,
			d, 1) == isl_bool_true;
	j->whole |= whole;
}

bool poly_row_is_no_product(struct poly_row_join *j)
{
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);

	j->whole = n == j->f->g->n_kept || !poly_is_update(j->stmt);
	poly_expr_each_access(j->stmt->rhs, note_whole, j);
	return j->whole;
}

/* Have threads room for what the scan "stmt" holds beside the group's other scans, if one of
 * these has an operator of the text? Most groups need no more registers than a scan does.
 */
static bool has_room(const struct poly_row_find *f, const struct poly_stmt *stmt)
{
	enum { MOST_SCANNED = 4 };
	const struct poly_row_group *g = f->g;
	struct poly_recurrence r;
	bool joins, any = false;
	int words = poly_type_n_words(stmt->write_array->type);

	if (!poly_recurrence_read(g->prog, stmt, &r))
		return true;
	joins = r.join != NULL;
	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];

		if (!g->in[i] || !poly_recurrence_read(g->prog, s, &r))
			continue;
		any = true;
		joins |= r.join != NULL;
		words += poly_type_n_words(s->write_array->type);
	}
	return !joins || !any || words <= MOST_SCANNED;
}

/* Does the statement read what an array had that a member overwrites, or a member what the
 * statement does? Of what is made in a group members have the new value alone.
 */
static bool reads_overwritten(const struct poly_row_find *f, struct poly_stmt *stmt)
{
	const struct poly_row_group *g = f->g;
	int at = poly_stmt_position(g->prog, stmt->name), n = g->n_stmt;

	for (int i = 0; i < n; i++) {
		struct poly_stmt *s = g->prog->stmt[i];

		if (!g->in[i] || i == at)
			continue;
		if ((s->write_array->role == POLY_INOUT && !f->next[i * n + at] &&
		    poly_expr_accesses(stmt->rhs, s->write_array)) ||
		    (stmt->write_array->role == POLY_INOUT &&
		    !f->next[at * n + i] &&
		    poly_expr_accesses(s->rhs, stmt->write_array)))
			return true;
	}
	return false;
}

/* Does the statement read what a member scatters, or a member what the statement does? Which
 * instance has written an element, only the data tell.
 */
static bool reads_scattered(const struct poly_row_find *f, const struct poly_stmt *stmt)
{
	const struct poly_row_group *g = f->g;

	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];

		if (g->in[i] && s != stmt && ((poly_is_scatter(s) &&
		    poly_expr_accesses(stmt->rhs, s->write_array)) ||
		    (poly_is_scatter(stmt) &&
		    poly_expr_accesses(s->rhs, stmt->write_array))))
			return true;
	}
	return false;
}

/* Do 32 bits hold what the statement computes in the tiles of the group? Those that a scan
 * goes on over have nothing behind them but along the row. Where a row is reduced, it is
 * enough that they hold each coordinate: what is made of these has 64 bits then.
 */
static bool is_small(const struct poly_row_join *j)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set), along = -1;

	if (!poly_row_goes_on(g))
		return poly_is_small(g->prog, j->stmt) || (!poly_row_has_scan(g) &&
			poly_has_small_places(g->prog, j->stmt));
	for (int d = 0; d < n; d++)
		along = j->axis[d] == g->n_kept ? d : along;
	return poly_is_small_in_tiles(g->prog, j->stmt, along);
}

bool poly_row_find_axes(struct poly_row_find *f, struct poly_row_join *j, struct poly_stmt *stmt)
{
	signed char told[POLY_ROW_DIMS];

	*j = (struct poly_row_join) { .f = f, .stmt = stmt };
	memset(j->axis, -1, sizeof(j->axis));
	if (stmt->kind != POLY_POINT || stmt->atomic || stmt->fold ||
	    stmt->across || poly_earlier(stmt) || !has_room(f, stmt) ||
	    reads_overwritten(f, stmt) || reads_scattered(f, stmt) ||
	    poly_expr_has(stmt->rhs, POLY_OP_LOOP, -1) ||
	    isl_set_dim(stmt->domain, isl_dim_set) > POLY_ROW_DIMS)
		return false;
	poly_expr_each_gather(stmt->rhs, look_at_gather, j);
	meet(j, stmt->write_array, stmt->write_index);
	poly_expr_each_access(stmt->rhs, look_at_leaf, j);
	memcpy(told, j->axis, sizeof(told));
	j->hints = true;
	poly_expr_each_access(stmt->rhs, look_at_leaf, j);
	drop_longer(j, told);
	guess(j);
	j->hints = false;
	return !j->fails && has_axes(j) && has_own_cells(j) &&
		poly_row_is_no_product(j) && is_small(j);
}
