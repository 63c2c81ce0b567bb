/* Arrays that are changed in place while their old values are still needed.
 *
 * Where each read of an array sees what it held at the beginning, and only the
 * writes that come later keep a loop from being parallel, the reads are made
 * of a copy:
 *
 *	for (i)				for (i) old[i] = a[i];
 *	  for (k = i + 1; ..)		for (i)
 *	    a[i] += b[k][i] * a[k];	  for (k = i + 1; ..)
 *					    a[i] += b[k][i] * old[k];
 *
 * That costs one pass over the elements which are read so. It is done for what
 * a statement reads that overwrites the elements itself, if a dimension of its
 * instances then has no dependences within the statement, which it had before.
 * An update reads its own cell as before; where it reads nothing else of the
 * array any more, it is one that may be done in any order, if sums may be. All
 * of the array is copied for it, if what it reads spans most: tiles of the copy
 * have no holes then.
 *
 * It is done, too, for what another statement overwrites, where statements need one
 * another in a circle, and nothing of them is parallel, but for these reads (circle.c):
 *
 *	for (i) {			for (i) old[i + 1] = a[i + 1];
 *	  a[i] = b[i] * c[i];		for (i) a[i] = b[i] * c[i];
 *	  d[i] = a[i] * a[i + 1];	for (i) d[i] = a[i] * old[i + 1];
 *	}
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* Pieces that the elements to be copied may come in. */
enum { MOST_PIECES = 4 };

/* Reads of "array" by "stmt". "apart" are the reads to be made of the copy,
 * "cells" their elements; "order" are pairs of instances of "stmt", and of one of it and
 * one of what writes the array if "all" is asked for, of which a read keeps the second
 * behind the first, those of "apart" left out.
 */
struct reads {
	struct poly_prog *prog;
	struct poly_array *array;
	struct poly_stmt *stmt;
	bool all;
	struct poly_expr *apart[16];
	int n_apart;
	isl_set *cells;
	isl_union_map *order, *dropped;
};

/* Pairs of an access in "first", which is taken, and a later one in "second"
 * to one cell.
 */
static __isl_give isl_union_map *in_order(struct poly_prog *prog,
	__isl_take isl_union_map *first, __isl_take isl_union_map *second)
{
	isl_union_map *pairs = isl_union_map_apply_range(first,
		isl_union_map_reverse(second));

	pairs = poly_pairs_before(prog->original,
		isl_union_map_intersect_params(pairs,
			isl_set_copy(prog->context)));
	return poly_deps_of_sizes(prog, pairs);
}

/* Does the program write no element before "read" reads it? */
static bool is_first(struct poly_prog *prog, __isl_keep isl_map *read)
{
	isl_union_map *before = in_order(prog, poly_writes(prog),
		isl_union_map_from_map(isl_map_copy(read)));
	bool is = isl_union_map_is_empty(before) == isl_bool_true;

	isl_union_map_free(before);
	return is;
}

/* The writes that may keep a read from being done later. */
static __isl_give isl_union_map *writers(const struct reads *r)
{
	isl_union_map *all = NULL;

	if (!r->all)
		return isl_union_map_from_map(poly_stmt_write(r->stmt));
	all = isl_union_map_empty(isl_set_get_space(r->prog->context));
	for (int i = 0; i < r->prog->n_stmt; i++)
		if (r->prog->stmt[i]->write_array == r->array)
			all = isl_union_map_add_map(all,
				poly_stmt_write(r->prog->stmt[i]));
	return all;
}

/* Callback for each access in an expression: a read of the array goes to "apart" if
 * the element is written later, by those that are asked for, and no one writes it
 * before. The order of other reads stays. There are 16 reads apart at most.
 */
static void sort_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;
	isl_map *read;
	isl_union_map *later;

	if (leaf->array != r->array)
		return;
	read = poly_stmt_read(r->stmt, leaf);
	later = in_order(r->prog, isl_union_map_from_map(isl_map_copy(read)),
		writers(r));
	if (isl_union_map_is_empty(later) == isl_bool_false &&
	    r->n_apart < 16 && is_first(r->prog, read)) {
		r->apart[r->n_apart++] = leaf;
		r->cells = isl_set_union(r->cells, isl_map_range(read));
		r->dropped = isl_union_map_union(r->dropped, later);
		return;
	}
	isl_map_free(read);
	r->order = isl_union_map_union(r->order, later);
}

/* The part of "deps" between instances of "s", which is added to "to". */
static __isl_give isl_union_map *add_own(__isl_take isl_union_map *to,
	__isl_keep isl_union_map *deps, const struct poly_stmt *s)
{
	isl_union_set *all = isl_union_set_from_set(isl_set_copy(s->domain));
	isl_union_map *own = isl_union_map_intersect_domain(
		isl_union_map_copy(deps), isl_union_set_copy(all));

	return isl_union_map_union(to,
		isl_union_map_intersect_range(own, all));
}

/* Is dimension "d" of the instances of "s" the same at both ends of "deps"? */
static bool keeps(__isl_keep isl_union_map *deps, const struct poly_stmt *s,
	int d)
{
	isl_local_space *space = isl_local_space_from_space(
		isl_set_get_space(s->domain));
	isl_union_pw_aff *at = isl_union_pw_aff_from_pw_aff(
		isl_pw_aff_var_on_domain(space, isl_dim_set, d));
	isl_union_map *equal = isl_union_map_eq_at_multi_union_pw_aff(
		isl_union_map_copy(deps),
		isl_multi_union_pw_aff_from_union_pw_aff(at));
	bool is = isl_union_map_is_subset(deps, equal) == isl_bool_true;

	isl_union_map_free(equal);
	return is;
}

static bool is_this(const struct poly_array *array, const void *user)
{
	return array == user;
}

/* Is a dimension free of dependences without those of the reads apart? */
static bool is_worth(struct reads *r)
{
	struct poly_deps d = { 0 };
	int n = isl_set_dim(r->stmt->domain, isl_dim_set);
	bool is = false;

	poly_deps_ordered(r->prog, &d, POLY_DEPS_ALL, is_this, r->array);
	r->order = add_own(r->order, d.flow, r->stmt);
	r->order = add_own(r->order, d.output, r->stmt);
	r->order = add_own(r->order, d.reduction, r->stmt);
	poly_deps_clear(&d);
	for (int i = 0; i < n && !is; i++)
		is = !keeps(r->dropped, r->stmt, i) &&
			keeps(r->order, r->stmt, i);
	r->cells = poly_set_coalesce(r->cells);
	return is && isl_set_n_basic_set(r->cells) <= MOST_PIECES;
}

/* Is "e" what "s" has in the cell that it writes? */
static bool is_own_cell(const struct poly_stmt *s, const struct poly_expr *e)
{
	return e->op == POLY_OP_ACCESS && e->array == s->write_array &&
		isl_multi_pw_aff_plain_is_equal(e->index, s->write_index) ==
		isl_bool_true;
}

/* If "s" is x = x + e, where e does not read the array, and sums may be done in
 * any order: x += e, true.
 */
static bool make_update(const struct poly_prog *prog, struct poly_stmt *s)
{
	struct poly_expr *sum = s->rhs;
	int own;

	if (s->reduce != POLY_OP_NONE || sum->op != POLY_OP_ADD ||
	    sum->type != s->write_array->type)
		return false;
	own = is_own_cell(s, sum->arg[0]) ? 0 : 1;
	if (!is_own_cell(s, sum->arg[own]) ||
	    poly_expr_accesses(sum->arg[1 - own], s->write_array))
		return false;
	s->reduce = POLY_OP_ADD;
	if (poly_is_free_update(prog, s)) {
		struct poly_expr *e = sum->arg[1 - own];

		sum->arg[1 - own] = NULL;
		poly_stmt_set_write(s, s->write_array, isl_multi_pw_aff_copy(
			s->write_index), POLY_OP_ADD, e);
		return true;
	}
	s->reduce = POLY_OP_NONE;
	return false;
}

/* The elements to copy: those of "cells", which is taken, or all. */
static __isl_give isl_set *without_holes(const struct reads *r,
	__isl_take isl_set *cells)
{
	double all = poly_array_count(r->prog, r->array), span = 1;

	for (int d = 0; d < r->array->n_dim; d++)
		span *= poly_range_count(r->prog, isl_set_copy(cells), d);
	if (2 * span < all)
		return cells;
	isl_set_free(cells);
	return poly_array_box(r->array, 0);
}

/* Begin the program with a copy of "r->cells", of which "r->apart" read. */
static isl_stat insert_copy(struct reads *r)
{
	struct poly_prog *prog = r->prog;
	char *name = poly_unique_name(prog, r->array->name, "keep");
	struct poly_array *old = poly_add_like(prog, r->array, "old");
	isl_set *domain;
	isl_stat ok;

	if (!name || !old) {
		free(name);
		return isl_stat_error;
	}
	for (int i = 0; i < r->n_apart; i++)
		poly_leaf_set(r->apart[i], old);
	domain = isl_set_copy(r->cells);
	if (make_update(prog, r->stmt))
		domain = without_holes(r, domain);
	domain = isl_set_gist_params(domain, isl_set_copy(prog->context));
	domain = isl_set_set_tuple_name(domain, name);
	ok = poly_add_copy(prog, name, isl_set_copy(domain), old, r->array);
	free(name);
	if (ok == isl_stat_ok)
		poly_prog_set_original(prog, isl_schedule_sequence(
			isl_schedule_from_domain(isl_union_set_from_set(
				isl_set_copy(domain))),
			isl_schedule_copy(prog->original)));
	isl_set_free(domain);
	return ok;
}

/* Does the copy make a circle of statements parallel? "known" are the dependences of the
 * program, which are found when they are first needed.
 */
static bool ends_circle(struct reads *r, struct poly_deps *known)
{
	if (!known->flow)
		poly_deps_ordered(r->prog, known, POLY_DEPS_ALL, NULL, NULL);
	r->cells = poly_set_coalesce(r->cells);
	return isl_set_n_basic_set(r->cells) <= MOST_PIECES &&
		poly_is_circle(r->prog, known, r->stmt, r->array, r->order,
			r->dropped);
}

/* Make a copy for what "s" reads of "array" if that is worth it: how many, or -1. With
 * "known", for what others write.
 */
static int copy_for(struct poly_prog *prog, struct poly_stmt *s,
	struct poly_array *array, struct poly_deps *known)
{
	isl_space *space = isl_set_get_space(prog->context);
	struct reads r = { .prog = prog, .array = array, .stmt = s,
		.all = known };
	int n = 0;

	r.cells = isl_set_empty(isl_multi_pw_aff_get_space(r.array->extent));
	r.order = isl_union_map_empty(isl_space_copy(space));
	r.dropped = isl_union_map_empty(space);
	poly_expr_each_access(s->rhs, sort_read, &r);
	if (r.n_apart && (known ? ends_circle(&r, known) : is_worth(&r)))
		n = insert_copy(&r) == isl_stat_ok ? 1 : -1;
	isl_set_free(r.cells);
	isl_union_map_free(r.order);
	isl_union_map_free(r.dropped);
	return n;
}

/* Make copies of what statements read and others overwrite: how many, or -1. */
static int copy_for_others(struct poly_prog *prog)
{
	int n_stmt = prog->n_stmt, n_array = prog->n_array, n = 0, made;
	struct poly_deps known = { 0 };

	for (int i = 0; i < n_stmt * n_array && n >= 0; i++) {
		struct poly_stmt *s = prog->stmt[i / n_array];
		struct poly_array *a = prog->array[i % n_array];

		if (s->kind != POLY_POINT || !a->n_dim || a->role != POLY_INOUT ||
		    !poly_expr_accesses(s->rhs, a))
			continue;
		made = copy_for(prog, s, a, &known);
		n = made < 0 ? -1 : n + made;
		if (made)
			poly_deps_clear(&known);
	}
	poly_deps_clear(&known);
	return n;
}

int poly_snapshot(struct poly_prog *prog)
{
	int n_stmt = prog->n_stmt, n = 0, more = 0;

	for (int i = 0; i < n_stmt && n >= 0; i++) {
		struct poly_stmt *s = prog->stmt[i];
		int made = 0;

		if (s->kind == POLY_POINT && s->write_array->n_dim > 0 &&
		    s->write_array->role == POLY_INOUT &&
		    poly_expr_accesses(s->rhs, s->write_array))
			made = copy_for(prog, s, s->write_array, NULL);
		n = made < 0 ? -1 : n + made;
	}
	if (n >= 0 && n_stmt > 1 && n_stmt <= POLY_MOST_IN_CIRCLE)
		more = copy_for_others(prog);
	return more < 0 ? -1 : n + more;
}
