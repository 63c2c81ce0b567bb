/* What the record of a layout means, as isl has it: the specification that tests
 * compare the list with.
 */
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/place/place.h"

/* The space in which a relation is made: places, x, and, from "digit" on, digits.
 */
struct coordinates {
	const struct poly_layout *l;
	isl_local_space *space;
	int digit;
};

static __isl_give isl_aff *variable(const struct coordinates *c, int i)
{
	return isl_aff_var_on_domain(isl_local_space_copy(c->space),
		isl_dim_set, (unsigned) i);
}

static __isl_give isl_aff *constant(const struct coordinates *c, int value)
{
	isl_ctx *ctx = isl_local_space_get_ctx(c->space);

	return isl_aff_val_on_domain(isl_local_space_copy(c->space),
		isl_val_int_from_si(ctx, value));
}

/* "sum" + "factor" * coordinate "i". */
static __isl_give isl_aff *plus(const struct coordinates *c,
	__isl_take isl_aff *sum, int factor, int i)
{
	isl_aff *v = isl_aff_scale_val(variable(c, i), isl_val_int_from_si(
		isl_local_space_get_ctx(c->space), factor));

	return isl_aff_add(sum, v);
}

/* "set" where coordinate "i" is "value", or is not negative and less than "below".
 */
static __isl_give isl_set *set_equal(const struct coordinates *c,
	__isl_take isl_set *set, int i, __isl_take isl_aff *value)
{
	return isl_set_intersect(set, isl_aff_eq_set(variable(c, i), value));
}

static __isl_give isl_set *set_below(const struct coordinates *c,
	__isl_take isl_set *set, int i, int below)
{
	set = isl_set_intersect(set, isl_aff_ge_set(variable(c, i),
		constant(c, 0)));
	return isl_set_intersect(set, isl_aff_lt_set(variable(c, i),
		constant(c, below)));
}

/* Bit "bit" of "address". */
static __isl_give isl_aff *bit_of(__isl_keep isl_aff *address, int bit)
{
	isl_ctx *ctx = isl_aff_get_ctx(address);
	isl_aff *part = isl_aff_scale_down_ui(isl_aff_copy(address), 1u << bit);

	return isl_aff_mod_val(isl_aff_floor(part),
		isl_val_int_from_si(ctx, 2));
}

/* The byte at "address": each of its bits is the sum of some, modulo 2. */
static __isl_give isl_aff *swizzled(const struct coordinates *c,
	__isl_take isl_aff *address)
{
	isl_ctx *ctx = isl_local_space_get_ctx(c->space);
	isl_aff *byte = isl_aff_copy(address);

	for (int i = 0; i < POLY_SWIZZLE_BIT; i++) {
		isl_aff *sum = constant(c, 0);

		if (c->l->swizzle[i] == 1u << i) {
			isl_aff_free(sum);
			continue;
		}
		for (int k = 0; k < POLY_SWIZZLE_BIT; k++)
			if (c->l->swizzle[i] >> k & 1)
				sum = isl_aff_add(sum, bit_of(address, k));
		sum = isl_aff_mod_val(sum, isl_val_int_from_si(ctx, 2));
		sum = isl_aff_sub(sum, bit_of(address, i));
		byte = isl_aff_add(byte, isl_aff_scale_val(sum,
			isl_val_int_from_si(ctx, 1 << i)));
	}
	isl_aff_free(address);
	return byte;
}

/* The points of all coordinates of "c" that the record allows. */
static __isl_give isl_set *points(const struct coordinates *c)
{
	const struct poly_layout *l = c->l;
	isl_set *set = isl_set_universe(isl_local_space_get_space(c->space));

	for (int i = 0; i < l->n_digit; i++)
		set = set_below(c, set, c->digit + i, l->digit[i].radix);
	for (int k = 0; k < l->n_dim; k++) {
		isl_aff *sum = constant(c, l->origin[k]);

		for (int i = 0; i < l->n_digit; i++)
			sum = plus(c, sum, l->digit[i].step[k], c->digit + i);
		set = set_equal(c, set, POLY_N_AT + k, sum);
		set = set_below(c, set, POLY_N_AT + k, l->extent[k]);
	}
	for (int at = 0; at < POLY_N_AT; at++) {
		isl_aff *sum = constant(c, l->base[at]);

		for (int i = 0; i < l->n_digit; i++) {
			const struct poly_digit *d = &l->digit[i];

			if (poly_place_coordinate(d->place) == at)
				sum = plus(c, sum, d->weight *
					poly_place_unit(d->place),
					c->digit + i);
		}
		set = set_equal(c, set, at, at == POLY_AT_BYTE ?
			swizzled(c, sum) : sum);
	}
	return set;
}

__isl_give isl_map *poly_layout_relation(isl_ctx *ctx,
	const struct poly_layout *l)
{
	struct coordinates c = { .l = l, .digit = POLY_N_AT + l->n_dim };
	isl_set *set;

	c.space = isl_local_space_from_space(isl_space_set_alloc(ctx, 0,
		(unsigned) (c.digit + l->n_digit)));
	set = points(&c);
	isl_local_space_free(c.space);
	return isl_map_move_dims(isl_map_from_range(set), isl_dim_in, 0,
		isl_dim_out, (unsigned) c.digit, (unsigned) l->n_digit);
}
