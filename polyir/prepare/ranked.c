/* Scatters whose places are ranks among what is alike in a tile.
 *
 *	y[first[i / T][b(i)] + earlier(b(i), T)] = x[i]
 *
 * puts what a tile of T elements has in one of a few bins side by side, in its order,
 * from a place on that the tile has for that bin. The threads of a block can count
 * together: each warp has counters of the bins, and what a block has in one bin can be
 * written side by side. For that the place must be of this form, the bins few, and each
 * number of a bin one that "first" has.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/prepare/prepare.h"

/* Bins, and elements of a tile, that a block has room for. */
enum { MOST_BINS = 1024, MOST_TILE = 8192 };

static const struct poly_expr *uncast(const struct poly_expr *e)
{
	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return e;
}

static bool same_text(const struct poly_expr *a, const struct poly_expr *b)
{
	struct poly_str x = { 0 }, y = { 0 };
	bool same;

	poly_print_expr(a, &x);
	poly_print_expr(b, &y);
	same = x.s && y.s && !strcmp(x.s, y.s);
	poly_str_free(&x);
	poly_str_free(&y);
	return same;
}

/* The largest number that the integer "e" can be, if it is never negative; -1: that is
 * not seen. Bits that AND keeps bound a value, whatever it is.
 */
static double most_of(const struct poly_expr *e)
{
	double a, b;

	e = uncast(e);
	if (poly_type_is_float(e->type) || e->type == POLY_BOOL)
		return -1;
	if (e->op == POLY_OP_CONST)
		return e->value;
	a = e->op == POLY_OP_AND || e->op == POLY_OP_OR || e->op == POLY_OP_XOR ||
		e->op == POLY_OP_SUB ? most_of(e->arg[0]) : -1;
	b = poly_op_n_arg(e->op) > 1 ? most_of(e->arg[1]) : -1;
	switch (e->op) {
	case POLY_OP_AND:
		return a < 0 ? b : b < 0 || a < b ? a : b;
	case POLY_OP_OR:
	case POLY_OP_XOR:
		if (a < 0 || b < 0)
			return -1;
		for (a = a > b ? a : b, b = 1; b <= a; b *= 2)
			;
		return b - 1;
	case POLY_OP_SUB:
		return uncast(e->arg[0])->op == POLY_OP_CONST && b >= 0 &&
			b <= a ? a : -1;
	case POLY_OP_SELECT:
	case POLY_OP_BRANCH:
		a = most_of(e->arg[2]);
		return a < 0 || b < 0 ? -1 : a > b ? a : b;
	default:
		return -1;
	}
}

/* Is the INDEX "e" the number "n"? */
static bool is_number(const struct poly_expr *e, int n)
{
	isl_pw_aff *pa, *rest;
	isl_set *all;
	bool is;

	if (e->op != POLY_OP_INDEX)
		return false;
	pa = isl_multi_pw_aff_get_at(e->index, 0);
	rest = isl_pw_aff_add_constant_val(pa, isl_val_int_from_si(
		isl_multi_pw_aff_get_ctx(e->index), -n));
	all = isl_set_complement(isl_pw_aff_zero_set(rest));
	is = isl_set_is_empty(all) == isl_bool_true;
	isl_set_free(all);
	return is;
}

/* Is "at" the bin "bin", of "bins", perhaps behind a question whether it is one of these,
 * as reads at places that data tell have it?
 */
static bool is_bin(const struct poly_expr *at, const struct poly_expr *bin, int bins)
{
	const struct poly_expr *cond = at->arg[0], *low, *high;

	if (at->op != POLY_OP_SELECT)
		return same_text(uncast(at), uncast(bin));
	if (cond->op != POLY_OP_AND || !same_text(uncast(at->arg[1]), uncast(bin)))
		return false;
	low = cond->arg[0];
	high = cond->arg[1];
	return low->op == POLY_OP_LE && low->arg[0]->op == POLY_OP_CONST &&
		low->arg[0]->value <= 0 && high->op == POLY_OP_LT &&
		same_text(uncast(low->arg[1]), uncast(bin)) &&
		same_text(uncast(high->arg[0]), uncast(bin)) &&
		is_number(high->arg[1], bins);
}

/* Is the index of "base" the same for all instances of "stmt" of a tile of "tile"? */
static bool is_of_tile(const struct poly_stmt *stmt,
	const struct poly_expr *base, int tile)
{
	int last = isl_set_dim(stmt->domain, isl_dim_set) - 1;
	isl_multi_aff *ma = isl_multi_aff_identity(isl_space_map_from_set(
		isl_set_get_space(stmt->domain)));
	isl_aff *aff = isl_aff_floor(isl_aff_scale_down_val(
		isl_multi_aff_get_at(ma, last), isl_val_int_from_si(
		isl_set_get_ctx(stmt->domain), tile)));
	isl_map *to = isl_map_intersect_domain(isl_map_from_multi_aff(
		isl_multi_aff_set_at(ma, last, aff)),
		isl_set_copy(stmt->domain));
	bool is;

	to = isl_map_apply_range(isl_map_reverse(to),
		isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(base->index)));
	is = isl_map_is_single_valued(to) == isl_bool_true;
	isl_map_free(to);
	return is;
}

/* Read the place of "stmt" as that of a rank. */
static bool read_ranks(struct poly_prog *prog, const struct poly_stmt *stmt,
	struct poly_ranks *r)
{
	const struct poly_expr *e = poly_earlier(stmt), *base;
	int last = isl_set_dim(stmt->domain, isl_dim_set) - 1;
	double most;

	if (stmt->kind != POLY_POINT || !e || last < 0)
		return false;
	base = uncast(uncast(stmt->rhs->arg[1])->arg[0]);
	if (base->op != POLY_OP_GATHER || !base->index ||
	    base->array->n_dim < 1 || base->type != POLY_I32)
		return false;
	*r = (struct poly_ranks) { .bin = e->arg[0], .base = base,
		.tile = (int)e->arg[1]->value, .last = last };
	most = most_of(r->bin);
	r->bins = (int)poly_fixed_extent(prog, base->array,
		base->array->n_dim - 1);
	return most >= 0 && most < r->bins &&
		is_bin(base->arg[0], r->bin, r->bins) && r->bins <= MOST_BINS &&
		r->tile <= MOST_TILE && r->tile % (POLY_LANES *
		POLY_RANK_ITEMS) == 0 && is_of_tile(stmt, base, r->tile);
}

bool poly_ranks_read(struct poly_prog *prog,
	struct poly_stmt *const *list, int n, struct poly_ranks *r)
{
	struct poly_ranks other;

	if (n < 1 || !read_ranks(prog, list[0], r))
		return false;
	for (int i = 1; i < n; i++)
		if (!read_ranks(prog, list[i], &other) ||
		    other.tile != r->tile || other.bins != r->bins ||
		    other.base->array != r->base->array ||
		    other.last != r->last)
			return false;
	return n == 1;
}

bool poly_ranks_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, struct poly_ranks *r)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	bool is = list && poly_ranks_read(prog, list, n, r);

	free(list);
	return is;
}
