/* Data-parallel functions: types, and literals that take the type beside them.
 *
 * A literal is "open": it takes the type of what it meets. 1 + x of a u8 x is
 * u8 arithmetic, as if 1 had been u8. What is left open alone becomes int or
 * float.
 */
#include <math.h>
#include <stdio.h>

#include "frontend/parallel/parallel.h"

/* Do "a" and "b", one of which has no name, have fields of the same types?
 *
 * Structures of zip have no name and equal any with their fields.
 */
static bool same_fields(const struct fe_par_record *a,
	const struct fe_par_record *b)
{
	const struct fe_par_var *v = a->field, *w = b->field;

	if ((!a->unnamed && !b->unnamed) || a->n_field != b->n_field)
		return false;
	for (; v && fe_par_same(&v->type, &w->type); v = v->next)
		w = w->next;
	return !v;
}

/* By name for structures that have one. */
bool fe_par_same(const struct fe_par_type *a, const struct fe_par_type *b)
{
	if (a->rank != b->rank || !a->record != !b->record)
		return false;
	if (!a->record)
		return a->base == b->base;
	return a->record == b->record || same_fields(a->record, b->record);
}

/* Is "t" one number, no bool? */
bool fe_par_is_number(const struct fe_par_type *t)
{
	return !t->rank && !t->record && t->base != POLY_BOOL;
}

struct fe_par_type fe_par_plain(enum poly_type base)
{
	return (struct fe_par_type) { .base = base };
}

/* Of an array. */
struct fe_par_type fe_par_element(struct fe_par_type t)
{
	t.rank--;
	return t;
}

struct fe_par_type fe_par_array_of(struct fe_par_type t)
{
	t.rank++;
	t.open = false;
	return t;
}

/* "text" has the result: float[][]. */
const char *fe_par_type_name(const struct fe_par_type *t, char text[96])
{
	const char *name = t->record ? t->record->symbol->name :
		t->base == POLY_I32 ? "int" : t->base == POLY_F32 ? "float" :
		poly_type_name(t->base);
	int i, n = snprintf(text, 96, "%s", name);

	for (i = 0; i < t->rank && n < 90; i++)
		n += snprintf(text + n, 96 - (size_t)n, "[]");
	return text;
}

/* The value of the literal "e" in the type "base".
 *
 * 0xffffffff is -1 as an i32: hexadecimal literals are bit patterns. Reports a
 * number that the type cannot hold.
 */
static void settle_number(struct fe_unit *u, struct fe_par_expr *e,
	enum poly_type base)
{
	double value = e->value;

	if (e->hex && poly_type_size(base) == 4 && base != POLY_F32 &&
	    base != POLY_U32 && value > 2147483647.0 && value < 4294967296.0)
		value -= 4294967296.0;
	if (poly_type_is_float(base))
		value = fe_number_round(base, value);
	else if (!fe_number_fits(base, value))
		value = INFINITY;
	if (!isfinite(value))
		FE_REPORT(u, FE_RANGE, &e->loc, e->value, poly_type_name(base));
	e->value = value;
}

/* Goes down through operations to literals; the condition of a choice keeps its
 * own type.
 */
void fe_par_settle(struct fe_unit *u, struct fe_par_expr *e,
	enum poly_type base)
{
	struct fe_par_expr *a = e->arg;

	if (!e->type.open)
		return;
	e->type.open = false;
	e->type.base = base;
	if (e->kind == FE_PAR_E_NUMBER)
		settle_number(u, e, base);
	if (e->kind == FE_PAR_E_CHOOSE)
		a = a->next;
	for (; a; a = a->next)
		fe_par_settle(u, a, base);
}

/* With the type that it has so far. */
void fe_par_settle_alone(struct fe_unit *u, struct fe_par_expr *e)
{
	fe_par_settle(u, e, e->type.base);
}

/* Can literals of the type "open" be of the type "t"?
 *
 * A literal of floats cannot be an integer.
 */
static bool can_be(const struct fe_par_type *open, const struct fe_par_type *t)
{
	return fe_par_is_number(t) &&
		(open->base == POLY_I32 || poly_type_is_float(t->base));
}

/* "e" gets the type "t", or a message. */
bool fe_par_require(struct fe_unit *u, struct fe_par_expr *e,
	const struct fe_par_type *t)
{
	char want[96], found[96];

	if (e->type.open && can_be(&e->type, t)) {
		fe_par_settle(u, e, t->base);
		return true;
	}
	if (!e->type.open && fe_par_same(&e->type, t))
		return true;
	FE_REPORT(u, FE_PAR_TYPE, &e->loc, fe_par_type_name(t, want),
		fe_par_type_name(&e->type, found));
	return false;
}

/* Operands of one operation: whichever has a type gives it to the other; two
 * open ones become float if one is. "what" is the operator for the message.
 */
bool fe_par_join(struct fe_unit *u, struct fe_par_expr *a,
	struct fe_par_expr *b, const char *what, const struct poly_loc *loc)
{
	char one[96], other[96];

	if (a->type.open && b->type.open) {
		if (b->type.base == POLY_F32)
			a->type.base = POLY_F32;
		b->type.base = a->type.base;
		return true;
	}
	if (a->type.open && can_be(&a->type, &b->type)) {
		fe_par_settle(u, a, b->type.base);
		return true;
	}
	if (b->type.open && can_be(&b->type, &a->type)) {
		fe_par_settle(u, b, a->type.base);
		return true;
	}
	if (!a->type.open && !b->type.open && fe_par_same(&a->type, &b->type))
		return true;
	FE_REPORT(u, FE_MIX, loc, what, fe_par_type_name(&a->type, one),
		fe_par_type_name(&b->type, other));
	return false;
}
