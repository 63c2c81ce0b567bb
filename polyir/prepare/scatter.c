/* Updates at places that data tell, as atomic ones.
 *
 *	for (i) h[a[i]] += 1;
 *
 * is, as the front end has it, a statement S[i, e] that asks each element e of
 * h whether it is meant:
 *
 *	h[e] += e == a[i] ? 1 : 0;
 *
 * Gathered, a thread for each e goes over all i, as many steps as there are
 * pairs. Where h is long, S becomes atomic instead: its instances need neither
 * an order nor an owner, so that there is a thread for each i. The loop over e
 * stays in that thread, and is none in the code, since no e but one is meant:
 *
 *	before: band [e, i] 1 0		after: band [e, i] 0 1
 *
 * Integers are the same in any order. Floats are not, and are summed so if any
 * result will do (--fp=relaxed).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/prepare/prepare.h"

/* Elements of which a comparison with each costs more than an atomic update: in global
 * memory, or in a copy that a block has.
 */
#define MANY 256
#define MANY_NEAR 8
/* Bytes of such a copy, at most. */
#define NEAR_BYTES (32 << 10)
/* Updates for each cell, and in all, that pay for the copy: a block begins each of its
 * cells, and puts each together with the array's in the end.
 */
#define NEAR_UPDATES 4
#define NEAR_LEAST 4096
/* Slices of an array, each of which looks at all updates, and steps of a thread. */
#define MOST_SLICES 8
#define MOST_SLICE_STEPS 4096

/* -------------------------------------------------------------- statements */

/* Does an update by "e" change nothing in a reduction by "op"?
 *
 * By value for constants, by text for what is made of several nodes (the
 * largest i64).
 */
static bool is_identity(enum poly_op op, const struct poly_expr *e)
{
	struct poly_expr *none = poly_expr_identity(op, e->type);
	struct poly_str a = { 0 }, b = { 0 };
	bool is;

	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	poly_print_expr(e, &a);
	if (none)
		poly_print_expr(none, &b);
	is = e->op == POLY_OP_CONST && none && none->op == POLY_OP_CONST ?
		e->value == none->value : a.s && b.s && !strcmp(a.s, b.s);
	poly_str_free(&a);
	poly_str_free(&b);
	poly_expr_free(none);
	return is;
}

/* Is there an atomic operation for what "stmt" does to its cell?
 *
 * PTX's red and atom (ISA section "atom") have add, min, max, and, or, xor for
 * 32 and 64 bits; of floats, add alone. A product has none.
 */
static bool is_atomic_op(const struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	enum poly_type t = stmt->write_array->type;

	if (!poly_is_free_update(prog, stmt) || t == POLY_BOOL ||
	    poly_type_size(t) < 4)
		return false;
	if (poly_type_is_float(t))
		return stmt->reduce == POLY_OP_ADD &&
			prog->fp == POLY_FP_RELAXED;
	return stmt->reduce != POLY_OP_MUL;
}

/* How many elements "stmt" asks whether they are meant, for one of the others'
 * values.
 *
 * 1 if it asks for none.
 */
static double count_asked(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	double all = 1;

	for (int d = 0; d < n; d++)
		if (poly_wanted(stmt, d))
			all *= poly_range_count(prog,
				isl_set_copy(stmt->domain), d);
	return all;
}

/* The one coordinate of what "stmt" updates that data tell; -1: there are several, or
 * none.
 */
static int told_coordinate(const struct poly_stmt *stmt)
{
	int at = -1, n = 0;

	for (int d = 0; d < stmt->write_array->n_dim; d++) {
		int dim = poly_index_dim(stmt->write_index, d, stmt);

		if (dim < 0 || !poly_wanted(stmt, dim))
			continue;
		at = d;
		n++;
	}
	return n == 1 ? at : -1;
}

/* 0: the block has no room, or the length is not known when compiling. */
int64_t poly_near_cells(struct poly_prog *prog, const struct poly_stmt *stmt,
	int *dim)
{
	const struct poly_array *array = stmt->write_array;
	int64_t most = NEAR_BYTES / (int64_t)poly_type_size(array->type), n = 1;

	*dim = -1;
	if (array->space != POLY_GLOBAL || !array->n_dim)
		return 0;
	for (int d = 0; d < array->n_dim && n; d++) {
		int64_t extent = poly_fixed_extent(prog, array, d);

		n = extent < 1 || extent > most / n ? 0 : n * extent;
	}
	if (!n && array->n_dim > 1)
		*dim = told_coordinate(stmt);
	if (*dim < 0)
		return n;
	n = poly_fixed_extent(prog, array, *dim);
	return n < 1 || n > most ? 0 : n;
}

/* The updates that "stmt" makes, if sizes are known. */
static double count_updates(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	double all = 1;

	for (int d = 0; d < n; d++)
		if (!poly_wanted(stmt, d))
			all *= poly_range_count(prog,
				isl_set_copy(stmt->domain), d);
	return all;
}

/* Does "stmt" update each of its cells, on the average, often enough for a copy? It
 * does for sizes that are not known.
 *
 * Too few updates in all do not pay even for the launch of blocks that begin
 * copies.
 */
static bool updates_often(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	int line;
	double cells = (double)poly_near_cells(prog, stmt, &line);
	double all = count_updates(prog, stmt);

	for (int d = 0; d < stmt->write_array->n_dim && line >= 0; d++) {
		int dim = d == line ? -1 : poly_index_dim(stmt->write_index, d,
			stmt);

		if (dim >= 0)
			cells *= poly_range_count(prog,
				isl_set_copy(stmt->domain), dim);
	}
	return cells > 0 && (!poly_prog_is_fixed(prog) || (all >= NEAR_LEAST &&
		all >= NEAR_UPDATES * cells));
}

/* All coordinates must be told by data: a loop over one would be one of the points. */
int64_t poly_slice_cells(struct poly_prog *prog, const struct poly_stmt *stmt,
	int rows)
{
	const struct poly_array *array = stmt->write_array;
	int64_t n = array->space == POLY_GLOBAL && array->n_dim > 0 ? rows : 0;

	for (int d = 0; d < array->n_dim && n; d++) {
		int64_t extent = poly_fixed_extent(prog, array, d);
		int dim = poly_index_dim(stmt->write_index, d, stmt);

		if (dim < 0 || !poly_wanted(stmt, dim) || extent < 1 ||
		    (d && extent > INT32_MAX / n))
			return 0;
		n *= d ? extent : 1;
	}
	return n;
}

int poly_slice_count(struct poly_prog *prog, const struct poly_stmt *stmt, int rows)
{
	return (int) ((poly_fixed_extent(prog, stmt->write_array, 0) + rows - 1) / rows);
}

/* Choose how many blocks a slice of "cells" cells has, and so how many "steps" each of
 * their threads: more are done sooner, and put more copies together with the array. "n"
 * updates, all of which each slice looks at, pay for that if they take no longer than
 * in memory; twice as long, as there they wait for one another where cells are alike.
 */
static bool price_slices(const struct poly_prog *prog, enum poly_type type, double n,
	double cells, struct poly_slices *s)
{
	const struct poly_rates *r = poly_rates_of(&prog->target);
	double look = poly_type_is_float(type) ? r->price_slice_float : r->price_slice;
	const struct poly_target *t = &prog->target;
	double best = INFINITY, room = fmax(1, t->multiprocessors) *
		fmax(1, t->threads / POLY_MOST_THREADS);

	for (double blocks = fmax(1, floor(room / s->n)); blocks >= 1;
	     blocks = floor(blocks / 2)) {
		double cycles = n * s->n * look / fmin(room, blocks * s->n);

		cycles += blocks * s->n * cells * r->price_beside;
		if (cycles < best)
			s->steps = (int) fmin(ceil(n / (blocks *
				POLY_MOST_THREADS)), MOST_SLICE_STEPS);
		best = fmin(best, cycles);
	}
	return best <= 2 * n * r->price_update;
}

/* Slices are as large as two blocks of a multiprocessor have room for, and alike. */
bool poly_slice(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_slices *s)
{
	const struct poly_array *array = stmt->write_array;
	int64_t room = prog->target.shared_bytes ? prog->target.shared_bytes :
		POLY_SHARED_BYTES, row = poly_slice_cells(prog, stmt, 1);
	int64_t extent = row ? poly_fixed_extent(prog, array, 0) : 0, most;
	double cells, n;

	room = room / (int64_t) poly_type_size(array->type) - POLY_LANES;
	most = row ? room / row : 0;
	if (most < 1 || extent > most * MOST_SLICES || extent <= 1)
		return false;
	s->n = (int) ((extent + most - 1) / most);
	s->rows = (int) ((extent + s->n - 1) / s->n);
	if (!poly_near_array(prog, &stmt, 1, s->rows))
		return false;
	cells = (double) row * s->rows;
	n = count_updates(prog, stmt);
	if (poly_prog_is_fixed(prog))
		return n >= NEAR_LEAST && price_slices(prog, array->type, n, cells, s);
	s->steps = (int) fmax(NEAR_UPDATES * cells / POLY_MOST_THREADS, 1);
	return true;
}

/* All statements of a kernel must update one array by one operator, so that one
 * copy, and one way to put copies together, serves them.
 */
const struct poly_array *poly_near_array(struct poly_prog *prog,
	struct poly_stmt *const *list, int n, int rows)
{
	const struct poly_array *a = n ? list[0]->write_array : NULL;
	int line = -1;

	for (int i = 0; i < n; i++)
		if (list[i]->kind != POLY_POINT || !list[i]->atomic ||
		    list[i]->write_array != a ||
		    list[i]->reduce != list[0]->reduce ||
		    poly_expr_accesses(list[i]->rhs, a))
			return NULL;
	if (!a || (rows ? poly_slice_cells(prog, list[0], rows) :
	    poly_near_cells(prog, list[0], &line)) <= 0)
		return NULL;
	return (line < 0 && !rows) || n == 1 ? a : NULL;
}

const struct poly_array *poly_near(struct poly_prog *prog,
	__isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	const struct poly_array *a = poly_near_array(prog, list, n, 0);
	bool often = false;

	for (int i = 0; i < n && a; i++)
		often |= updates_often(prog, list[i]);
	a = often ? a : NULL;
	free(list);
	return a;
}

/* Is it better for "stmt" to be atomic than to ask each cell?
 *
 * For a long array always; for one that fits into a block's copy from a few
 * cells on.
 */
static bool asks_many(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	double n = count_asked(prog, stmt);

	return n >= MANY || (n >= MANY_NEAR &&
		updates_often(prog, stmt));
}

/* A selection whose second choice changes nothing: whoever is not meant leaves
 * the cell as it is, whatever the order.
 */
bool poly_is_atomic(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	return stmt->kind == POLY_POINT && stmt->reduce != POLY_OP_NONE &&
		stmt->write_array->space == POLY_GLOBAL && !stmt->across &&
		stmt->rhs->op == POLY_OP_SELECT && is_atomic_op(prog, stmt) &&
		!poly_expr_accesses(stmt->rhs, stmt->write_array) &&
		is_identity(stmt->reduce, stmt->rhs->arg[2]);
}

/* ------------------------------------------------------------- float sums */

/* Is "e" the cell that "stmt" writes?
 *
 * By form: the front end makes both from one expression.
 */
static bool is_cell(const struct poly_stmt *stmt, const struct poly_expr *e)
{
	return e->op == POLY_OP_ACCESS && e->array == stmt->write_array &&
		isl_multi_pw_aff_plain_is_equal(e->index,
			stmt->write_index) == isl_bool_true;
}

/* Which operand "stmt" adds to its cell, or takes off it, where that is meant; -1
 * if it does something else, or does not keep its cell otherwise.
 *
 * s + v and v + s, but of a difference only s - v.
 */
static int addend(const struct poly_stmt *stmt)
{
	const struct poly_expr *add = stmt->rhs->arg[1];

	if ((add->op != POLY_OP_ADD && add->op != POLY_OP_SUB) ||
	    add->type != stmt->write_array->type ||
	    !is_cell(stmt, stmt->rhs->arg[2]))
		return -1;
	for (int i = add->op == POLY_OP_SUB; i < 2; i++)
		if (is_cell(stmt, add->arg[1 - i]) && !poly_expr_accesses(
			add->arg[i], stmt->write_array))
			return i;
	return -1;
}

/* Is "stmt" a sum of floats, s = e == x ? s + v : s, whose order does not matter?
 *
 * The condition must not look at the cell, or the order would matter after all.
 */
static bool is_sum(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	return stmt->kind == POLY_POINT && stmt->reduce == POLY_OP_NONE &&
		stmt->rhs->op == POLY_OP_SELECT &&
		prog->fp == POLY_FP_RELAXED &&
		poly_type_is_float(stmt->write_array->type) &&
		poly_type_size(stmt->write_array->type) >= 4 &&
		!poly_expr_accesses(stmt->rhs->arg[0], stmt->write_array) &&
		addend(stmt) >= 0 && count_asked(prog, stmt) >= MANY;
}

/* Such an instance can be left out where its condition fails: the loop over
 * elements that may be meant then needs no turn for the others.
 */
bool poly_skips(const struct poly_stmt *stmt)
{
	const struct poly_expr *e = stmt->rhs;

	if (stmt->kind != POLY_POINT || !e || e->op != POLY_OP_SELECT ||
	    stmt->across || stmt->fold ||
	    poly_expr_accesses(e->arg[0], stmt->write_array))
		return false;
	return stmt->reduce == POLY_OP_NONE ? is_cell(stmt, e->arg[2]) :
		is_identity(stmt->reduce, e->arg[2]);
}

/* Make the sum "stmt" the reduction s += e == x ? v : 0. The text of a program has
 * it in the other form, as for floats this is not the same.
 *
 * Takes the parts of the old value that it needs; what is left is freed.
 */
static isl_stat make_sum(struct poly_stmt *stmt)
{
	struct poly_expr *e = stmt->rhs, *add = e->arg[1];
	int i = addend(stmt);
	struct poly_expr *v = add->arg[i];

	add->arg[i] = NULL;
	if (add->op == POLY_OP_SUB)
		v = poly_expr_op(POLY_OP_NEG, v->type, v, NULL);
	poly_expr_free(add);
	poly_expr_free(e->arg[2]);
	e->arg[1] = v;
	e->arg[2] = poly_expr_identity(POLY_OP_ADD, e->type);
	stmt->reduce = POLY_OP_ADD;
	return e->arg[1] && e->arg[2] ? isl_stat_ok : isl_stat_error;
}

/* ------------------------------------------------------------------- atomic */

/* Runs after dependences are known and before there is a schedule; makes its
 * own anew where a sum takes another form. The dependences among atomic updates
 * are dropped in the end: these are what they need no order for.
 */
isl_stat poly_scatter(struct poly_prog *prog)
{
	bool any = false;

	for (int i = 0; i < prog->n_stmt && prog->original; i++) {
		if (!is_sum(prog, prog->stmt[i]))
			continue;
		any = true;
		if (make_sum(prog->stmt[i]) < 0)
			return isl_stat_error;
	}
	if (any && poly_deps(prog) < 0)
		return isl_stat_error;
	any = false;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (!s->atomic && poly_is_atomic(prog, s) &&
		    asks_many(prog, s))
			s->atomic = any = true;
	}
	if (any)
		poly_forget_atomic(prog);
	return prog->deps.reduction ? isl_stat_ok : isl_stat_error;
}

/* ---------------------------------------------------------------- schedule */

/* Does "member" of a band count, for an atomic statement, the elements that may
 * be meant?
 *
 * poly_counted_dim says which dimension of the statement the loop counts.
 */
static bool counts_asked(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	bool does = false;

	for (int i = 0; i < n; i++) {
		int dim = list[i]->atomic ?
			poly_counted_dim(member, list[i]) : -1;

		does |= dim >= 0 && poly_wanted(list[i], dim);
	}
	free(list);
	return does;
}

/* Callback for each node of the tree; "user" is the program. A loop over the
 * elements that an atomic update may mean is no parallel loop any more: threads
 * would only find out that theirs is not meant.
 */
static __isl_give isl_schedule_node *keep_inside(
	__isl_take isl_schedule_node *node, void *user)
{
	isl_multi_union_pw_aff *partial;
	isl_union_set *domain;
	int n;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
		return node;
	partial = isl_schedule_node_band_get_partial_schedule(node);
	domain = poly_node_domain(node);
	n = isl_multi_union_pw_aff_size(partial);
	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);

		if (counts_asked(user, member, domain))
			node = isl_schedule_node_band_member_set_coincident(
				node, i, 0);
		isl_union_pw_aff_free(member);
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
	return node;
}

/* Nothing to do in programs without atomic updates, which are most. */
__isl_give isl_schedule *poly_scatter_inside(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	bool any = false;

	for (int i = 0; i < prog->n_stmt; i++)
		any |= prog->stmt[i]->atomic;
	return any ? isl_schedule_map_schedule_node_bottom_up(schedule,
		keep_inside, prog) : schedule;
}
