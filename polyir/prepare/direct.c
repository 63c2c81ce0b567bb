/* Running values that a statement copies: the recurrence writes the copy.
 *
 *	t[0] = 0;
 *	for (i) {				y[0] = 0 + x[0];
 *		t[i + 1] = t[i] + x[i];		for (i > 0)
 *		y[i] = t[i + 1];			y[i] = y[i - 1] + x[i];
 *	}
 *
 * A scan with a copy behind it moves each value four times, the scan alone twice. The
 * copy may stand wherever it likes: nobody else writes its cells, and who reads them
 * reads them behind it, so nobody sees that they are written sooner. What reads t reads
 * y instead, so t must not be read where the recurrence begins.
 */
#include <stdlib.h>

#include <isl/map.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* "from" is the array of running values, which "in" writes but for those that "begins"
 * does; "copy" puts those of "in" into "to": "place" says where each of them, "cells",
 * goes.
 */
struct direct {
	struct poly_prog *prog;
	struct poly_array *from, *to;
	struct poly_stmt *in, *begins, *copy;
	isl_set *cells;
	isl_map *place;
};

/* { instance -> element }, of the instances of "s", where "index" says which. */
static __isl_give isl_map *elements(const struct direct *d,
	const struct poly_stmt *s, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(index));

	map = isl_map_intersect_domain(map, isl_set_copy(s->domain));
	return isl_map_intersect_params(map, isl_set_copy(d->prog->context));
}

/* --------------------------------------------------------------------- questions */

/* Find the one statement that copies; false if there is none, or several. */
static bool find_copy(struct direct *d)
{
	for (int i = 0; i < d->prog->n_stmt; i++) {
		struct poly_stmt *s = d->prog->stmt[i];

		if (s == d->in || s->kind != POLY_POINT || s->atomic ||
		    s->reduce != POLY_OP_NONE || !s->rhs ||
		    s->rhs->op != POLY_OP_ACCESS || s->rhs->array != d->from)
			continue;
		if (d->copy)
			return false;
		d->copy = s;
	}
	if (!d->copy)
		return false;
	d->to = d->copy->write_array;
	return d->to != d->from && d->to->type == d->from->type &&
		d->to->n_dim == d->from->n_dim && d->to->space == POLY_GLOBAL;
}

/* Is "e" made of numbers and sizes alone? */
static bool is_fixed(const struct poly_expr *e)
{
	return !poly_expr_has(e, POLY_OP_ACCESS, -1) &&
		!poly_expr_has(e, POLY_OP_GATHER, -1) &&
		!poly_expr_has(e, POLY_OP_INDEX, -1) &&
		!poly_expr_has(e, POLY_OP_LOOP, -1);
}

/* Where the values go: each cell to one place, no two to the same. */
static bool find_place(struct direct *d)
{
	isl_set *all;
	bool is;

	d->cells = isl_map_range(elements(d, d->in, d->in->write_index));
	d->place = isl_map_apply_range(isl_map_reverse(elements(d, d->copy,
		d->copy->rhs->index)), elements(d, d->copy,
		d->copy->write_index));
	all = isl_map_domain(isl_map_copy(d->place));
	is = isl_set_is_equal(all, d->cells) == isl_bool_true &&
		isl_map_is_single_valued(d->place) == isl_bool_true &&
		isl_map_is_injective(d->place) == isl_bool_true;
	isl_set_free(all);
	return is;
}

/* Does "s" write one of the places? */
static bool writes_place(const struct direct *d, const struct poly_stmt *s)
{
	isl_set *set, *places;
	bool is;

	if (s == d->copy || s->write_array != d->to)
		return false;
	set = isl_map_range(elements(d, s, s->write_index));
	places = isl_map_range(isl_map_copy(d->place));
	is = isl_set_is_disjoint(set, places) != isl_bool_true;
	isl_set_free(set);
	isl_set_free(places);
	return is;
}

/* "index" of "s", an index of "from", as one of "to"; NULL: it has several pieces. */
static __isl_give isl_multi_pw_aff *moved(const struct direct *d,
	const struct poly_stmt *s, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *map = isl_map_apply_range(elements(d, s, index),
		isl_map_copy(d->place));
	isl_set *domain = isl_map_domain(isl_map_copy(map));
	isl_pw_multi_aff *pma = isl_pw_multi_aff_from_map(map);

	pma = isl_pw_multi_aff_coalesce(isl_pw_multi_aff_gist(pma, domain));
	if (isl_pw_multi_aff_n_piece(pma) != 1) {
		isl_pw_multi_aff_free(pma);
		return NULL;
	}
	return isl_multi_pw_aff_from_pw_multi_aff(pma);
}

/* The reads of running values by "stmt": "lost" if one has no place. */
struct reader {
	const struct direct *d;
	const struct poly_stmt *stmt;
	bool lost;
};

static void find_lost(struct poly_expr *leaf, void *user)
{
	struct reader *x = user;
	isl_multi_pw_aff *index;
	isl_set *read;

	if (leaf->array != x->d->from)
		return;
	read = isl_map_range(elements(x->d, x->stmt, leaf->index));
	index = moved(x->d, x->stmt, leaf->index);
	x->lost |= !index ||
		isl_set_is_subset(read, x->d->cells) != isl_bool_true;
	isl_multi_pw_aff_free(index);
	isl_set_free(read);
}

/* Would all others see the same: who writes the places, and reads values? */
static bool others_agree(const struct direct *d)
{
	for (int i = 0; i < d->prog->n_stmt; i++) {
		struct poly_stmt *s = d->prog->stmt[i];
		struct reader x = { d, s, false };

		if (writes_place(d, s))
			return false;
		if (s->rhs && s != d->in)
			poly_expr_each_access(s->rhs, find_lost, &x);
		if (x.lost)
			return false;
	}
	return !poly_expr_accesses(d->in->rhs, d->to) &&
		(poly_is_temp(d->to) || poly_is_scratch(d->prog, d->to));
}

/* Is "index" one whose recurrence can be a scan, each dimension a loop by itself? */
static bool is_straight(const struct poly_stmt *s,
	__isl_keep isl_multi_pw_aff *index)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	unsigned seen = 0;

	if (isl_multi_pw_aff_size(index) != n || n > 31)
		return false;
	for (int k = 0; k < n; k++) {
		isl_aff *by = NULL;
		int d = 0;

		for (; d < n && !by; d += !by)
			by = seen & 1u << d ? NULL : poly_dim_offset(
				isl_multi_pw_aff_get_at(index, k), s, d);
		if (!by)
			return false;
		isl_aff_free(by);
		seen |= 1u << d;
	}
	return true;
}

/* The only read of running values in "in", which is noted where it stands. */
struct before {
	const struct poly_array *from;
	struct poly_expr *leaf;
	int n;
};

static void find_before(struct poly_expr *leaf, void *user)
{
	struct before *b = user;

	if (leaf->array != b->from)
		return;
	b->leaf = leaf;
	b->n++;
}

static struct poly_expr *before(const struct direct *d)
{
	struct before b = { d->from, NULL, 0 };

	poly_expr_each_access(d->in->rhs, find_before, &b);
	return b.n == 1 ? b.leaf : NULL;
}

/* -------------------------------------------------------------------- the change */

static void move_read(struct poly_expr *leaf, void *user)
{
	const struct reader *x = user;
	isl_multi_pw_aff *index;

	if (leaf->array != x->d->from)
		return;
	index = moved(x->d, x->stmt, leaf->index);
	isl_multi_pw_aff_free(leaf->index);
	leaf->index = index;
	leaf->array = x->d->to;
}

/* Put the value that the recurrence begins with in the place of a read. */
static void put_first(struct poly_expr *leaf, void *user)
{
	const struct direct *d = user;
	struct poly_expr *value;

	value = leaf->array == d->from ? poly_expr_copy(d->begins->rhs) : NULL;
	if (!value)
		return;
	isl_multi_pw_aff_free(leaf->index);
	*leaf = *value;
	free(value);
}

/* Let "in" write the copy at "write", where its read of the value before, at "read", is
 * one of those; what it does with the first value becomes a statement of its own.
 */
static isl_stat change(struct direct *d, __isl_take isl_multi_pw_aff *write,
	__isl_take isl_multi_pw_aff *read)
{
	isl_set *on = isl_map_domain(isl_map_intersect_range(elements(d, d->in,
		before(d)->index), isl_set_copy(d->cells)));
	isl_set *piece[2] = { isl_set_copy(on), isl_set_subtract(isl_set_copy(
		d->in->domain), on) };
	struct poly_expr *leaf = before(d);
	int at;

	for (int i = 0; i < d->prog->n_stmt; i++) {
		struct reader x = { d, d->prog->stmt[i], false };

		if (x.stmt != d->in && x.stmt->rhs)
			poly_expr_each_access(d->prog->stmt[i]->rhs, move_read,
				&x);
	}
	isl_multi_pw_aff_free(d->in->write_index);
	d->in->write_index = write;
	d->in->write_array = d->to;
	poly_prog_drop_stmt(d->prog, poly_stmt_position(d->prog,
		d->copy->name));
	if (poly_cut_stmt(d->prog, d->in, piece, 2) < 0) {
		isl_multi_pw_aff_free(read);
		return isl_stat_error;
	}
	isl_multi_pw_aff_free(leaf->index);
	leaf->index = read;
	leaf->array = d->to;
	at = poly_stmt_position(d->prog, d->in->name) + 1;
	poly_expr_each_access(d->prog->stmt[at]->rhs, put_first, d);
	poly_prog_drop_writer(d->prog, d->begins);
	return poly_pull_same(d->prog);
}

int poly_write_directly(struct poly_prog *prog, struct poly_stmt *in,
	struct poly_stmt *begins)
{
	struct direct d = { .prog = prog, .from = in->write_array, .in = in,
		.begins = begins };
	isl_multi_pw_aff *write = NULL, *read = NULL;
	int done = 0;

	if (before(&d) && is_fixed(begins->rhs) && find_copy(&d) &&
	    find_place(&d) && others_agree(&d)) {
		write = moved(&d, in, in->write_index);
		read = moved(&d, in, before(&d)->index);
	}
	if (write && read && is_straight(in, write)) {
		done = change(&d, write, read) < 0 ? -1 : 1;
	} else {
		isl_multi_pw_aff_free(write);
		isl_multi_pw_aff_free(read);
	}
	isl_set_free(d.cells);
	isl_map_free(d.place);
	return done;
}
