/* Checks of calls that take arrays apart or put them together: filters, sorts, zips, and
 * elements at positions that data tell.
 */
#include <string.h>

#include "frontend/parallel/parallel.h"

/* Fields of zip are called a to z. */
enum { MAX_ZIP = 26 };	/* arrays of zip */

/* Is "a" an operator, or the name of a function?
 *
 * As fe_par_need_function, without a message.
 */
static bool is_function(const struct fe_par_checker *ck,
	const struct fe_par_expr *a)
{
	return a->kind == FE_PAR_E_OPERATOR ||
		(a->kind == FE_PAR_E_NAME && !fe_par_find_var(ck, a->symbol));
}

/* filter_with(xs, bs), or filter_with(f, xs)
 *
 * Two forms: truths beside the elements, or a function that makes them.
 */
bool fe_par_check_filter(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type truths = { .base = POLY_BOOL, .rank = 1 };
	const struct fe_par_type truth = fe_par_plain(POLY_BOOL);
	struct fe_par_expr *first = e->arg, *second = first->next;
	struct fe_par_type one, result;

	if (is_function(ck, first)) {
		if (!fe_par_need_function(ck, first, e) || !fe_par_check_all(ck, second) ||
		    !fe_par_need_array(ck, second, e->symbol->name, 1))
			return false;
		one = fe_par_element(second->type);
		e->type = second->type;
		return fe_par_apply_type(ck->unit, &first->callee, &one, 1,
			&first->loc, &result) &&
			fe_par_need_same(ck, first, &result, &truth);
	}
	if (!fe_par_check_all(ck, first) ||
	    !fe_par_need_array(ck, first, e->symbol->name, 1))
		return false;
	e->type = first->type;
	return fe_par_require(ck->unit, second, &truths);
}

/* "e", of type "t", has to be a number, a key of a sort. */
static bool need_key(struct fe_par_checker *ck, const struct fe_par_expr *e,
	const struct fe_par_type *t, const struct fe_par_expr *call)
{
	char name[96];

	if (fe_par_is_number(t))
		return true;
	FE_REPORT(ck->unit, FE_OPERAND, &e->loc, call->symbol->name,
		fe_par_type_name(t, name));
	return false;
}

/* sort(xs) */
bool fe_par_check_sort(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_type one;

	if (!fe_par_check_all(ck, e->arg) ||
	    !fe_par_need_array(ck, e->arg, e->symbol->name, 1))
		return false;
	e->type = one = e->arg->type;
	one.rank = 0;
	return need_key(ck, e->arg, &one, e);
}

/* sort_by(ks, xs), or sort_by(f, xs) */
bool fe_par_check_sort_by(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_expr *keys = e->arg, *xs = keys->next;
	struct fe_par_type one, key;

	if (!is_function(ck, keys)) {
		if (!fe_par_check_all(ck, keys) ||
		    !fe_par_need_array(ck, keys, e->symbol->name, 1) ||
		    !fe_par_need_array(ck, xs, e->symbol->name, 1))
			return false;
		e->type = xs->type;
		key = fe_par_element(keys->type);
		return need_key(ck, keys, &key, e);
	}
	if (!fe_par_need_function(ck, keys, e) || !fe_par_check_all(ck, xs) ||
	    !fe_par_need_array(ck, xs, e->symbol->name, 1))
		return false;
	one = fe_par_element(xs->type);
	e->type = xs->type;
	if (!fe_par_apply_type(ck->unit, &keys->callee, &one, 1, &keys->loc,
	    &key) || !need_key(ck, keys, &key, e))
		return false;
	e->key = key.base;
	return true;
}

/* Add a field of the type "t" to "r", by the name of a letter.
 *
 * The letters go on from field to field.
 */
static void add_field(struct fe_unit *u, struct fe_par_record *r,
	const struct fe_par_expr *e, struct fe_par_type t)
{
	struct fe_par_var *field = fe_arena_alloc(&u->arena, sizeof(*field));
	struct fe_par_var **tail = &r->field;
	const char letter = (char)('a' + r->n_field++);

	field->symbol = fe_symbol_find(u, &letter, 1);
	field->loc = e->loc;
	field->type = t;
	while (*tail)
		tail = &(*tail)->next;
	*tail = field;
}

/* What messages call the structure "r", which has no name: "(int, float)".
 *
 * The text is a name like any other, so equal structures look equal in
 * messages.
 */
static struct fe_symbol *name_fields(struct fe_unit *u,
	const struct fe_par_record *r)
{
	const struct fe_par_var *v;
	struct fe_symbol *symbol;
	struct poly_str s = { 0 };
	char name[96];

	for (v = r->field; v; v = v->next)
		poly_str_printf(&s, "%s%s", v == r->field ? "(" : ", ",
			fe_par_type_name(&v->type, name));
	poly_str_add(&s, ")");
	symbol = fe_symbol_find(u, s.s ? s.s : "?", s.s ? strlen(s.s) : 1);
	poly_str_free(&s);
	return symbol;
}

/* zip(xs, ys, ..): structures of the elements at one position.
 *
 * At most MAX_ZIP arrays of numbers or structures; arrays in a structure have
 * no layout yet.
 */
bool fe_par_check_zip(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_record *r = fe_arena_alloc(&ck->unit->arena, sizeof(*r));
	struct fe_par_expr *a;
	bool good = fe_par_check_all(ck, e->arg);

	for (a = e->arg; good && a; a = a->next) {
		good = fe_par_need_array(ck, a, e->symbol->name, 1);
		if (good && (a->type.rank > 1 || r->n_field == MAX_ZIP)) {
			FE_REPORT(ck->unit, FE_PAR_YET, &a->loc, e->symbol->name,
				a->type.rank > 1 ? "there is an array in a "
				"struct" : "there are too many arrays");
			return false;
		}
		if (good)
			add_field(ck->unit, r, a, fe_par_element(a->type));
	}
	r->loc = e->loc;
	r->unnamed = true;
	r->symbol = name_fields(ck->unit, r);
	e->type = (struct fe_par_type) { .base = POLY_N_TYPE, .record = r,
		.rank = 1 };
	return good;
}

/* unzip(ps): the same array, whose fields are arrays.
 *
 * Nothing happens: a field of an array of structures is an array already
 * (check_field).
 */
bool fe_par_check_unzip(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	char name[96];

	if (!fe_par_check_all(ck, e->arg) ||
	    !fe_par_need_array(ck, e->arg, e->symbol->name, 1))
		return false;
	e->type = e->arg->type;
	if (e->type.record)
		return true;
	FE_REPORT(ck->unit, FE_OPERAND, &e->loc, e->symbol->name,
		fe_par_type_name(&e->type, name));
	return false;
}

/* "e" has to be an array of integers; false, having reported.
 *
 * A literal alone becomes i32.
 */
static bool need_positions(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	char name[96];

	fe_par_settle_alone(ck->unit, e);
	if (e->type.rank == 1 && fe_par_is_number(&(struct fe_par_type) {
	    .base = e->type.base, .record = e->type.record }) &&
	    !poly_type_is_float(e->type.base))
		return true;
	FE_REPORT(ck->unit, FE_PAR_TYPE, &e->loc, "int[]",
		fe_par_type_name(&e->type, name));
	return false;
}

/* gather(xs, is) and histogram(n, is)
 *
 * gather takes elements of xs at is; histogram counts how often each number
 * below n is in is.
 */
bool fe_par_check_positions(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type whole = fe_par_plain(POLY_I32);
	struct fe_par_expr *xs = e->arg, *is = xs->next;

	if (!fe_par_check_all(ck, xs) || !need_positions(ck, is))
		return false;
	e->type = e->builtin == FE_PAR_B_GATHER ? xs->type :
		fe_par_array_of(whole);
	return e->builtin == FE_PAR_B_GATHER ?
		fe_par_need_array(ck, xs, e->symbol->name, 1) :
		fe_par_require(ck->unit, xs, &whole);
}

/* scatter(f, xs, is, ys)
 *
 * ys are put into copies of xs by the operator, where is says; several may
 * meet, hence the associative operator.
 */
bool fe_par_check_scatter(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_expr *op = e->arg, *xs = op->next, *is = xs->next;
	struct fe_par_type one[2], result;
	char name[96];

	if (!fe_par_need_function(ck, op, e) || !fe_par_check_all(ck, xs) ||
	    !fe_par_need_array(ck, xs, e->symbol->name, 1) || !need_positions(ck, is))
		return false;
	if (!fe_par_is_chain(&op->callee)) {
		FE_REPORT(ck->unit, FE_PAR_CHAIN, &op->loc,
			op->callee.spelling, e->symbol->name);
		return false;
	}
	one[0] = one[1] = fe_par_element(xs->type);
	if (one[0].rank || one[0].record) {
		FE_REPORT(ck->unit, FE_OPERAND, &xs->loc, e->symbol->name,
			fe_par_type_name(&one[0], name));
		return false;
	}
	e->type = xs->type;
	return fe_par_require(ck->unit, is->next, &xs->type) &&
		fe_par_apply_type(ck->unit, &op->callee, one, 2, &op->loc,
			&result) && fe_par_need_same(ck, op, &result, &one[0]);
}
