/* Which statements go over the same rows, and had better share a kernel?
 *
 * A reduction says what its rows are: the dimensions that its cell has tell rows
 * apart, the others go along one. From there the group grows along the arrays that
 * statements have in common, and each dimension of a statement takes the axis that
 * the other one's has at the same place of the array:
 *
 *	m[i] max= x[i, j]		i: a row, j: along it
 *	e[i, j] = exp(x[i, j] - m[i])	i by m, j by x
 *	s[i] += e[i, j]			i and j by e
 *
 * So does a recurrence that may be a scan, whose own dimension goes along a row:
 *
 *	w[i, j] = w[i, j - 1] + x[i, j]
 *
 * All statements that write one array join together, if they all can: a thread must
 * find what others of the group made at its own point, or on its own row. No
 * statement outside of the group may stand between two of it.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/schedule_node.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"
#include "polyir/rows/rows.h"

/* The search for a group. "next" are the pairs of statements of which the second needs
 * the first.
 */
struct find {
	struct poly_row_group *g;
	const int *group_of;
	const bool *next;		/* n x n */
	bool *seen;			/* during a walk */
};

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

bool poly_row_makes(const struct poly_row_group *g,
	const struct poly_array *array)
{
	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && g->prog->stmt[i]->write_array == array)
			return true;
	return false;
}

bool poly_row_is_long(const struct poly_row_group *g, int stmt)
{
	int n = isl_set_dim(g->prog->stmt[stmt]->domain, isl_dim_set);

	for (int d = 0; d < n; d++)
		if (g->axis[stmt][d] >= g->n_kept)
			return true;
	return false;
}

/* ------------------------------------------------------------------ one statement */

/* The walk over the accesses of a statement that is to join: "axis" are those of its
 * dimensions so far. With "hints", what it reads tells, but need not agree.
 */
struct join {
	struct find *f;
	struct poly_stmt *stmt, *other;
	signed char axis[POLY_ROW_DIMS];
	const signed char *other_axis;
	const struct poly_array *array;
	isl_multi_pw_aff *index;	/* of the access of "stmt" */
	bool hints, fails, whole;
};

/* Give the dimensions of the access of "stmt" the axes "a" of another one to the
 * same array.
 */
static void take_axes(struct join *j, const struct access *a)
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
static void take_places(struct join *j, __isl_keep isl_multi_pw_aff *index)
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
	struct join *j = user;
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
static void meet(struct join *j, const struct poly_array *array,
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
static bool is_made(const struct join *j, const struct poly_array *array)
{
	return j->stmt->write_array == array ||
		poly_row_makes(j->f->g, array);
}

/* Compare what the statement reads with the group's accesses: of arrays that
 * are made in it, or, for hints, of the others.
 */
static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct join *j = user;

	if (is_made(j, leaf->array) != j->hints &&
	    !poly_reads_before(j->f->g->prog, j->stmt, leaf))
		meet(j, leaf->array, leaf->index);
}

/* What is made in the group cannot be read at places that data tell. */
static void look_at_gather(struct poly_expr *leaf, void *user)
{
	struct join *j = user;

	j->fails |= is_made(j, leaf->array);
}

/* One more than the last value of dimension "d" of "stmt"; 0 if there is none, or one
 * below 0, or if it is not known; -1 if it is any.
 */
static int end_of(const struct poly_row_group *g, const struct poly_stmt *stmt,
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
static void drop_longer(struct join *j, const signed char *told)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);

	for (int d = 0; d < n; d++) {
		int axis = j->axis[d], end;

		if (told[d] >= 0 || axis < 0 || axis >= g->n_kept)
			continue;
		end = end_of(g, j->stmt, d);
		if (end < 0 ? !(g->open & 1u << axis) : end > g->extent[axis])
			j->axis[d] = -1;
	}
}

/* Give what is left without an axis, one dimension, the only axis along the rows, if
 * it has as many values.
 */
static void guess(struct join *j)
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
static bool has_axes(const struct join *j)
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

/* Can an update join: are its cells those of rows, and its sums free? */
static bool is_row_update(const struct join *j)
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
static bool is_along_row(const struct join *j)
{
	const struct poly_row_group *g = j->f->g;
	struct poly_recurrence r;

	return !poly_recurrence_read(g->prog, j->stmt, &r) ||
		(g->n_row == 1 && j->axis[r.dim] == g->n_kept);
}

/* Does the statement, which goes along rows, only hand on elements, one for each of its
 * points, to an array that no other one of the group has?
 */
static bool hands_on(const struct join *j)
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
static bool has_own_cells(const struct join *j)
{
	const struct poly_row_group *g = j->f->g;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);
	struct access a = axes_of(j->stmt, j->stmt->write_index, j->axis);

	if (poly_is_update(j->stmt))
		return is_row_update(j);
	if (!a.plain || a.n != n)
		return n == g->n_kept + g->n_row && hands_on(j);
	return j->stmt->reduce == POLY_OP_NONE && is_along_row(j) &&
		n <= g->n_kept + g->n_row;
}

/* Note whether the index of "leaf" has all dimensions of the statement. */
static void note_whole(struct poly_expr *leaf, void *user)
{
	struct join *j = user;
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);
	bool whole = true;

	for (int d = 0; d < n; d++)
		whole &= isl_multi_pw_aff_involves_dims(leaf->index, isl_dim_in,
			d, 1) == isl_bool_true;
	j->whole |= whole;
}

/* Does the statement read an element of each point, or does it not go along rows? A
 * product reads the same ones at many points.
 */
static bool is_no_product(struct join *j)
{
	int n = isl_set_dim(j->stmt->domain, isl_dim_set);

	j->whole = n == j->f->g->n_kept || !poly_is_update(j->stmt);
	poly_expr_each_access(j->stmt->rhs, note_whole, j);
	return j->whole;
}

/* Have threads room for what the scan "stmt" holds beside the group's other scans, if one of
 * these has an operator of the text? Most groups need no more registers than a scan does.
 */
static bool has_room(const struct find *f, const struct poly_stmt *stmt)
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
static bool reads_overwritten(const struct find *f, struct poly_stmt *stmt)
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

/* Find the axes of the dimensions of "stmt", if it can join. */
static bool find_axes(struct find *f, struct join *j, struct poly_stmt *stmt)
{
	signed char told[POLY_ROW_DIMS];

	*j = (struct join) { .f = f, .stmt = stmt };
	memset(j->axis, -1, sizeof(j->axis));
	if (stmt->kind != POLY_POINT || stmt->atomic || stmt->fold ||
	    stmt->across || poly_is_scatter(stmt) || !has_room(f, stmt) ||
	    reads_overwritten(f, stmt) ||
	    poly_expr_has(stmt->rhs, POLY_OP_LOOP, -1) || !poly_is_small(j->f->g->prog, stmt) ||
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
		is_no_product(j);
}

/* ---------------------------------------------------------------------- the group */

/* Note as seen the statements that need statement "i", directly or through
 * others; with one of a group all of it comes, as it stands in one place.
 */
static void walk(struct find *f, int i)
{
	int n = f->g->n_stmt;

	if (f->seen[i])
		return;
	f->seen[i] = true;
	for (int k = 0; k < n; k++) {
		if (f->next[i * n + k])
			walk(f, k);
		if (f->group_of[i] >= 0 && f->group_of[k] == f->group_of[i])
			walk(f, k);
	}
}

/* Does a statement outside of the group need one of it, and one of it that? */
static bool is_torn(struct find *f)
{
	const struct poly_row_group *g = f->g;
	int n = g->n_stmt;

	memset(f->seen, 0, n * sizeof(*f->seen));
	for (int i = 0; i < n; i++)
		for (int k = 0; g->in[i] && k < n; k++)
			if (f->next[i * n + k] && !g->in[k])
				walk(f, k);
	for (int i = 0; i < n; i++)
		if (g->in[i] && f->seen[i])
			return true;
	return false;
}

/* Does a statement of the group access what "stmt" does? */
static bool is_near(const struct poly_row_group *g, struct poly_stmt *stmt)
{
	bool near = false;

	for (int i = 0; i < g->prog->n_array && !near; i++) {
		const struct poly_array *a = g->prog->array[i];

		if (!poly_stmt_accesses(stmt, a))
			continue;
		for (int k = 0; k < g->n_stmt && !near; k++)
			near = g->in[k] &&
				poly_stmt_accesses(g->prog->stmt[k], a);
	}
	return near;
}

/* Let those of the statements that write "array" join that can; "*left" counts the
 * others.
 */
static bool join_some(struct find *f, const struct poly_array *array,
	bool *joined, int *left)
{
	struct poly_row_group *g = f->g;
	bool any = false;

	*left = 0;
	for (int i = 0; i < g->n_stmt; i++) {
		struct join j;

		if (g->prog->stmt[i]->write_array != array || joined[i])
			continue;
		if (g->in[i] || f->group_of[i] >= 0 ||
		    !find_axes(f, &j, g->prog->stmt[i])) {
			++*left;
			continue;
		}
		memcpy(g->axis[i], j.axis, sizeof(j.axis));
		joined[i] = g->in[i] = any = true;
	}
	return any;
}

/* Let all statements that write "array" join, if they can and nothing tears them
 * from the group. One may tell the axes of another.
 */
static bool join_all(struct find *f, const struct poly_array *array)
{
	struct poly_row_group *g = f->g;
	bool *joined = calloc(g->n_stmt, sizeof(*joined)), ok;
	int left = 0;

	while (joined && join_some(f, array, joined, &left) && left)
		;
	ok = joined && !left && !is_torn(f);
	for (int i = 0; i < g->n_stmt && !ok && joined; i++)
		if (joined[i])
			g->in[i] = false;
	free(joined);
	return ok;
}

/* Let one more array's statements join. */
static bool grow(struct find *f)
{
	struct poly_row_group *g = f->g;

	for (int i = 0; i < g->n_stmt; i++)
		if (!g->in[i] && f->group_of[i] < 0 &&
		    g->prog->stmt[i]->kind == POLY_POINT &&
		    is_near(g, g->prog->stmt[i]) &&
		    join_all(f, g->prog->stmt[i]->write_array))
			return true;
	return false;
}

/* Find the extent of each axis; false if that of a row is not known. Of rows themselves
 * there may be any number: SUPPOSED is what is planned for then.
 */
static bool measure(struct poly_row_group *g)
{
	enum { SUPPOSED = 1024 };
	bool known = true;

	g->open = 0;
	memset(g->extent, 0, sizeof(g->extent));
	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];
		int n = isl_set_dim(s->domain, isl_dim_set);

		for (int d = 0; g->in[i] && d < n; d++) {
			int axis = g->axis[i][d], *extent = &g->extent[axis];
			int end = end_of(g, s, d);

			if (end < 0 && axis < g->n_kept) {
				g->open |= 1u << axis;
				end = SUPPOSED;
			}
			known &= end > 0;
			*extent = end > *extent ? end : *extent;
		}
	}
	return known;
}

/* The axes of a seed that is a recurrence: that along which it goes is the last. */
static bool begin_scan(struct find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct poly_stmt *s = g->prog->stmt[seed];
	int n = isl_set_dim(s->domain, isl_dim_set);
	struct poly_recurrence r;

	if (n > POLY_ROW_DIMS || !poly_is_small(g->prog, s) ||
	    !poly_recurrence_read(g->prog, s, &r))
		return false;
	memset(g->axis[seed], -1, sizeof(g->axis[seed]));
	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(s->write_index, k, s);

		if (d != r.dim)
			g->axis[seed][d] = (signed char)g->n_kept++;
	}
	g->axis[seed][r.dim] = (signed char)g->n_kept;
	g->n_row = 1;
	g->in[seed] = true;
	return measure(g);
}

/* The axes of the seed: those of its cell, and behind them the others. */
static bool begin(struct find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct poly_stmt *s = g->prog->stmt[seed];
	int n = isl_set_dim(s->domain, isl_dim_set);
	struct join j = { .f = f, .stmt = s };

	if (n > POLY_ROW_DIMS || !poly_can_split(g->prog, s) ||
	    !poly_is_small(g->prog, s))
		return false;
	memset(g->axis[seed], -1, sizeof(g->axis[seed]));
	for (int k = 0; k < isl_multi_pw_aff_size(s->write_index); k++) {
		int d = poly_index_dim(s->write_index, k, s);

		if (d < 0 || g->axis[seed][d] >= 0)
			return false;
		g->axis[seed][d] = (signed char)g->n_kept++;
	}
	for (int d = 0; d < n; d++)
		if (g->axis[seed][d] < 0)
			g->axis[seed][d] = (signed char)(g->n_kept +
				g->n_row++);
	memcpy(j.axis, g->axis[seed], sizeof(j.axis));
	g->in[seed] = true;
	return measure(g) && g->n_row && is_row_update(&j) &&
		is_no_product(&j);
}

/* The statements that begin the cells of the seed join, too. */
static bool join_starts(struct find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct join j;

	for (int i = 0; i < g->n_stmt; i++) {
		if (i == seed || g->prog->stmt[i]->write_array !=
		    g->prog->stmt[seed]->write_array)
			continue;
		if (f->group_of[i] >= 0 ||
		    !find_axes(f, &j, g->prog->stmt[i]))
			return false;
		memcpy(g->axis[i], j.axis, sizeof(j.axis));
		g->in[i] = true;
	}
	return !is_torn(f);
}

bool poly_row_group_find(struct poly_row_group *g, struct poly_prog *prog,
	int seed, const int *group_of, const bool *next)
{
	int n = prog->n_stmt;
	struct find f = { .g = g, .group_of = group_of, .next = next,
		.seen = calloc(n, sizeof(bool)) };
	bool found = false;

	*g = (struct poly_row_group) { .prog = prog, .n_stmt = n,
		.in = calloc(n, sizeof(*g->in)),
		.axis = calloc(n, sizeof(*g->axis)) };
	if (f.seen && g->in && g->axis) {
		found = (poly_is_update(prog->stmt[seed]) ?
			begin(&f, seed) : begin_scan(&f, seed)) &&
			join_starts(&f, seed);
		while (found && grow(&f))
			;
		found = found && measure(g);
	}
	free(f.seen);
	return found;
}

/* The reading of a group from its tree. */
struct reading {
	struct poly_row_group *g;
	bool known;
};

/* The dimension of "stmt" that "member" counts and that has no axis yet, -1: none. */
static int dim_of(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt, const signed char *axis)
{
	isl_pw_aff *pa = poly_member_at(member, stmt->domain);
	int n = isl_set_dim(stmt->domain, isl_dim_set), at = -1;

	for (int values = 0; values < 2; values++)
		for (int d = 0; d < n && d < POLY_ROW_DIMS && at < 0; d++)
			if (axis[d] < 0 && poly_is_dim(pa, stmt, d, values))
				at = d;
	isl_pw_aff_free(pa);
	return at;
}

/* Give the dimension of "stmt" that member "i" of "band" counts the axis "axis". */
static void read_member(struct reading *r,
	__isl_keep isl_multi_union_pw_aff *band, int i, int stmt, int axis)
{
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(band, i);
	int d = dim_of(member, r->g->prog->stmt[stmt], r->g->axis[stmt]);

	isl_union_pw_aff_free(member);
	r->known &= d >= 0;
	if (d >= 0)
		r->g->axis[stmt][d] = (signed char)axis;
}

/* Read a band: the axes from "first" on. */
static void read_band(struct reading *r, __isl_keep isl_schedule_node *node,
	int first)
{
	struct poly_prog *prog = r->g->prog;
	isl_multi_union_pw_aff *band =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_set *domain = poly_node_domain(node);
	int n, size = isl_multi_union_pw_aff_size(band);
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	*(first ? &r->g->n_row : &r->g->n_kept) = size;
	for (int k = 0; k < n; k++) {
		int stmt = poly_stmt_position(prog, list[k]->name);

		r->g->in[stmt] = true;
		for (int i = 0; i < size; i++)
			read_member(r, band, i, stmt, first + i);
	}
	r->known &= list && first + size <= POLY_ROW_DIMS;
	free(list);
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(band);
}

/* Read a band along the rows. */
static isl_bool read_below(__isl_keep isl_schedule_node *node, void *user)
{
	struct reading *r = user;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_band)
		read_band(r, node, r->g->n_kept);
	return isl_bool_true;
}

bool poly_row_group_read(struct poly_row_group *g, struct poly_prog *prog,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *below = isl_schedule_node_get_child(node, 0);
	struct reading r = { g, true };
	int n = prog->n_stmt;

	*g = (struct poly_row_group) { .prog = prog, .n_stmt = n,
		.in = calloc(n, sizeof(*g->in)),
		.axis = calloc(n, sizeof(*g->axis)) };
	r.known = g->in && g->axis;
	for (int i = 0; r.known && i < n; i++)
		memset(g->axis[i], -1, sizeof(g->axis[i]));
	if (r.known) {
		read_band(&r, node, 0);
		isl_schedule_node_foreach_descendant_top_down(below, read_below,
			&r);
	}
	isl_schedule_node_free(below);
	return r.known && g->n_row && measure(g);
}

void poly_row_group_clear(struct poly_row_group *g)
{
	free(g->in);
	free(g->axis);
}
