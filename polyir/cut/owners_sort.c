/* The terms of an update, sorted by the cells that they go to.
 *
 * By eight bits of their keys after eight, the lowest first, as sort of data-parallel
 * functions does it (frontend/parallel/par_sort.c), from tiles of 4096 terms:
 *
 *	digits[t, d] = how many keys of tile t have the digit d
 *	before[t, d] = before[t - 1, d] + digits[t - 1, d]	those of earlier tiles
 *	least[d] = the sum of before[tiles, e], e < d		those of lower digits
 *	first[t, d] = least[d] + before[t, d]
 *	key'[first[i / 4096, d] + earlier] = key[i]		d of key[i]
 *
 * where "earlier" counts the terms of the tile in front of i that have the digit.
 * polyir/prepare/ranked.c knows the form of that place.
 */
#include <isl/val.h>

#include "polyir/cut/owners.h"

/* What is behind nothing: negative, and a multiple of any run of elements. */
#define NOWHERE (-0x1p62)

/* One pass: by the digit from bit "shift" on. */
struct pass {
	struct poly_owners *o;
	int shift;
	struct poly_array *keys, *digits, *before, *least, *first;
};

static struct poly_expr *number(enum poly_type t, double v)
{
	return poly_expr_const(t, v);
}

/* The tiles of "n" terms, and "more". */
static __isl_give isl_pw_aff *tiles(const struct poly_owners *o, int more)
{
	isl_pw_aff *n = isl_pw_aff_add_constant_val(isl_pw_aff_copy(o->n),
		isl_val_int_from_si(o->prog->ctx, POLY_OWN_TILE - 1));

	n = isl_pw_aff_floor(isl_pw_aff_scale_down_val(n, isl_val_int_from_si(
		o->prog->ctx, POLY_OWN_TILE)));
	return isl_pw_aff_add_constant_val(n, isl_val_int_from_si(o->prog->ctx, more));
}

/* The number "v" as a function of the sizes. */
static __isl_give isl_pw_aff *constant(const struct poly_owners *o, int64_t v)
{
	isl_space *space = isl_set_get_space(o->prog->context);

	return isl_pw_aff_val_on_domain(isl_set_universe(space), isl_val_int_from_si(
		o->prog->ctx, (long)v));
}

/* The digit of the key number "at", which is taken, at points of "space". */
static struct poly_expr *digit(const struct pass *p, __isl_keep isl_space *space,
	__isl_take isl_aff *at)
{
	struct poly_expr *key = poly_owners_read(space, p->keys, at, NULL);

	return poly_expr_op(POLY_OP_AND, POLY_I32, poly_expr_op(POLY_OP_SHR, POLY_I32,
		key, number(POLY_I32, p->shift)), number(POLY_I32,
		POLY_OWN_DIGITS - 1));
}

/* The points [t, d] of "space" for t below "end", which is taken. */
static __isl_give isl_set *by_digit(const struct poly_owners *o,
	__isl_keep isl_space *space, __isl_take isl_pw_aff *end)
{
	isl_set *set = poly_owners_below(isl_set_universe(isl_space_copy(space)), 0,
		end);

	return poly_owners_below(set, 1, constant(o, POLY_OWN_DIGITS));
}

/* "array" at [t + more, d]. */
static __isl_give isl_multi_pw_aff *at_tile(__isl_keep isl_space *space,
	const struct poly_array *array, int more)
{
	return poly_owners_at(space, array, isl_aff_add_constant_si(poly_owners_var(
		space, 0), more), poly_owners_var(space, 1));
}

/* Add the statement that writes "array" at [t, d] of "set". */
static void add(struct pass *p, __isl_take isl_space *space, __isl_take isl_set *set,
	struct poly_array *array, enum poly_op op, struct poly_expr *value)
{
	isl_multi_pw_aff *index = at_tile(space, array, 0);

	poly_owners_add(p->o, space, set, array, index, op, value);
}

/* ------------------------------------------------------------------- counting */

/* Count the digits of each tile. */
static void count_in_tiles(struct pass *p)
{
	struct poly_owners *o = p->o;
	isl_space *space = poly_owners_points(o, "none", 2);
	isl_set *set = by_digit(o, space, tiles(o, 0));
	isl_aff *at;
	isl_set *inside;
	struct poly_expr *is;

	add(p, space, set, p->digits, POLY_OP_NONE, number(POLY_I32, 0));
	space = poly_owners_points(o, "count", 3);
	set = poly_owners_below(by_digit(o, space, tiles(o, 0)), 2, constant(o,
		POLY_OWN_TILE));
	at = isl_aff_scale_val(poly_owners_var(space, 0), isl_val_int_from_si(
		o->prog->ctx, POLY_OWN_TILE));
	at = isl_aff_add(at, poly_owners_var(space, 2));
	inside = isl_pw_aff_lt_set(isl_pw_aff_from_aff(isl_aff_copy(at)),
		poly_owners_size(space, isl_pw_aff_copy(o->n)));
	is = poly_expr_op(POLY_OP_EQ, POLY_BOOL, poly_expr_cast(POLY_I64, digit(p, space,
		at)), poly_owners_index(POLY_I64, space, 1));
	add(p, space, isl_set_intersect(set, inside), p->digits, POLY_OP_ADD,
		poly_expr_select(is, number(POLY_I32, 1), number(POLY_I32, 0)));
}

/* Add up those of earlier tiles. */
static void count_before(struct pass *p)
{
	struct poly_owners *o = p->o;
	isl_space *space = poly_owners_points(o, "start", 2);
	isl_set *set = isl_set_fix_si(by_digit(o, space, tiles(o, 1)), isl_dim_set, 0,
		0);
	struct poly_expr *v;

	add(p, space, set, p->before, POLY_OP_NONE, number(POLY_I32, 0));
	space = poly_owners_points(o, "before", 2);
	set = isl_set_lower_bound_si(by_digit(o, space, tiles(o, 1)), isl_dim_set, 0, 1);
	v = poly_expr_op(POLY_OP_ADD, POLY_I32, poly_expr_access(p->before, at_tile(
		space, p->before, -1)), poly_expr_access(p->digits, at_tile(space,
		p->digits, -1)));
	add(p, space, set, p->before, POLY_OP_NONE, v);
}

/* Where the first one of each digit goes. */
static void count_lower(struct pass *p)
{
	struct poly_owners *o = p->o;
	isl_space *space = poly_owners_points(o, "zero", 1);
	isl_set *set = poly_owners_below(isl_set_universe(isl_space_copy(space)), 0,
		constant(o, POLY_OWN_DIGITS));
	isl_multi_pw_aff *index = poly_owners_at(space, p->least, poly_owners_var(space,
		0), NULL);
	isl_pw_aff *last;
	isl_multi_pw_aff *all;

	poly_owners_add(o, space, set, p->least, index, POLY_OP_NONE, number(POLY_I32,
		0));
	space = poly_owners_points(o, "lower", 2);
	set = by_digit(o, space, constant(o, POLY_OWN_DIGITS));
	set = isl_set_intersect(set, isl_aff_lt_set(poly_owners_var(space, 1),
		poly_owners_var(space, 0)));
	last = poly_owners_size(space, tiles(o, 0));
	all = isl_multi_pw_aff_set_at(at_tile(space, p->before, 0), 0, last);
	index = poly_owners_at(space, p->least, poly_owners_var(space, 0), NULL);
	poly_owners_add(o, space, set, p->least, index, POLY_OP_ADD, poly_expr_access(
		p->before, all));
	space = poly_owners_points(o, "first", 2);
	set = by_digit(o, space, tiles(o, 0));
	add(p, space, set, p->first, POLY_OP_NONE, poly_expr_op(POLY_OP_ADD, POLY_I32,
		poly_owners_read(space, p->least, poly_owners_var(space, 1), NULL),
		poly_expr_access(p->before, at_tile(space, p->before, 0))));
}

/* -------------------------------------------------------------------- moving */

/* The place of the term at a point of "space", [i]. */
static struct poly_expr *place(const struct pass *p, __isl_keep isl_space *space)
{
	isl_aff *tile = isl_aff_floor(isl_aff_scale_down_val(poly_owners_var(space, 0),
		isl_val_int_from_si(p->o->prog->ctx, POLY_OWN_TILE)));
	struct poly_expr *d = digit(p, space, poly_owners_var(space, 0)), *far, *inside;
	struct poly_expr *end = poly_expr_index(POLY_I64, isl_multi_pw_aff_from_pw_aff(
		isl_pw_aff_from_aff(poly_owners_number(space, POLY_OWN_DIGITS))));

	far = poly_expr_cast(POLY_I64, poly_expr_copy(d));
	inside = poly_expr_op(POLY_OP_AND, POLY_BOOL, poly_expr_op(POLY_OP_LE, POLY_BOOL,
		number(POLY_I64, 0), poly_expr_copy(far)), poly_expr_op(POLY_OP_LT,
		POLY_BOOL, poly_expr_copy(far), end));
	far = poly_expr_gather_from(p->first, poly_owners_at(space, p->first, tile,
		poly_owners_number(space, 0)), poly_expr_select(inside, far, number(
		POLY_I64, NOWHERE)));
	d = poly_expr_op(POLY_OP_EARLIER, POLY_I32, d, number(POLY_I32, POLY_OWN_TILE));
	return poly_expr_cast(POLY_I64, poly_expr_op(POLY_OP_ADD, POLY_I32, far, d));
}

/* "from", moved to its places. */
static struct poly_array *move(struct pass *p, struct poly_array *from,
	const char *suffix)
{
	struct poly_owners *o = p->o;
	isl_pw_aff *n[1] = { isl_pw_aff_copy(o->n) };
	struct poly_array *to = poly_owners_array(o, suffix, from->type, n, 1);
	isl_space *space;
	isl_set *set;

	if (!to)
		return from;
	space = poly_owners_points(o, suffix, 1);
	set = poly_owners_below(isl_set_universe(isl_space_copy(space)), 0,
		isl_pw_aff_copy(o->n));
	poly_owners_add(o, space, set, to, poly_owners_at(space, to, poly_owners_var(
		space, 0), NULL), POLY_OP_NONE, poly_expr_scatter(0, poly_owners_read(
		space, from, poly_owners_var(space, 0), NULL), place(p, space)));
	return to;
}

/* The arrays of a pass. */
static void add_arrays(struct pass *p)
{
	struct poly_owners *o = p->o;
	isl_pw_aff *in_tile[2] = { tiles(o, 0), constant(o, POLY_OWN_DIGITS) };
	isl_pw_aff *over[2] = { tiles(o, 1), constant(o, POLY_OWN_DIGITS) };
	isl_pw_aff *one[1] = { constant(o, POLY_OWN_DIGITS) };
	isl_pw_aff *first[2] = { tiles(o, 0), constant(o, POLY_OWN_DIGITS) };

	p->digits = poly_owners_array(o, "digits", POLY_I32, in_tile, 2);
	p->before = poly_owners_array(o, "before", POLY_I32, over, 2);
	p->least = poly_owners_array(o, "least", POLY_I32, one, 1);
	p->first = poly_owners_array(o, "first", POLY_I32, first, 2);
}

void poly_owners_sort(struct poly_owners *o, struct poly_array **keys,
	struct poly_array **beside)
{
	for (int shift = 0; shift < o->bits && !o->failed; shift += POLY_OWN_BITS) {
		struct pass p = { .o = o, .shift = shift, .keys = *keys };
		struct poly_array *moved;

		add_arrays(&p);
		if (o->failed)
			return;
		count_in_tiles(&p);
		count_before(&p);
		count_lower(&p);
		moved = move(&p, *keys, "key");
		*beside = move(&p, *beside, "place");
		*keys = moved;
	}
}
