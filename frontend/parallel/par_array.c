/* Data-parallel functions: arrays, and what stands at their positions.
 *
 * An array is a description: nothing is stored until fe_par_force defines it.
 * fe_par_element_at asks for one element, which builds the expression of it; so
 * map(f, map(g, xs)) becomes f(g(xs(i))) without an array between.
 */
#include <string.h>

#include "frontend/parallel/par_eval.h"

/* Owned by the arena; the fields of its kind are set by the caller. */
struct fe_par_array *fe_par_array(struct fe_par *p, enum fe_par_array_kind kind,
	struct fe_par_type type, const struct fe_par_scalar *length,
	const struct poly_loc *loc)
{
	struct fe_par_array *a = fe_arena_alloc(&p->unit->arena, sizeof(*a));

	a->kind = kind;
	a->type = type;
	a->length = length;
	a->loc = loc;
	return a;
}

/* As a value, with its type. */
static struct fe_par_value array_value(const struct fe_par_array *a)
{
	return (struct fe_par_value) { .type = a->type, .array = a };
}

static struct fe_par_value int_value(const struct fe_par_scalar *a)
{
	return (struct fe_par_value) { .type = fe_par_plain(a->type),
		.scalar = a };
}

/* ------------------------------------------------------------------- stores */

/* Number "leaf" of the store at all its positions.
 *
 * Positions of outer loops first, then "at". A store that is shifted (exscan)
 * counts its last dimension from "shift" on. Positions without a place are
 * computed as data.
 */
static const struct fe_par_scalar *read_leaf(struct fe_par *p,
	const struct fe_par_store *s, const struct fe_par_scalar *const *at,
	int leaf, enum poly_type type, const struct poly_loc *loc)
{
	struct fe_par_scalar *r = fe_arena_alloc(&p->unit->arena, sizeof(*r));
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_READ, loc);
	const struct fe_par_scalar *one;
	int i;

	e->symbol = s->symbol[leaf];
	for (i = 0; i < s->n_outer + s->n_own; i++) {
		one = i < s->n_outer ? s->outer[i] : at[i - s->n_outer];
		if (i == s->n_outer + s->n_own - 1 && i >= s->n_outer &&
		    s->shift)
			one = fe_par_plus(p, one, s->shift, loc);
		e->arg[e->n_arg++] = one->place ? fe_par_place(p, one, loc) :
			fe_par_computed(p, one, loc);
		if (!one->place)
			r->size += one->size;
		r->loops |= one->loops;
	}
	r->type = type;
	r->data = e;
	r->size++;
	return r;
}

/* The length of dimension "n" of the store behind its positions "at".
 *
 * A length of rows that depends on the row is copied with the row's position in
 * the place of the index.
 */
static const struct fe_par_scalar *length_at(struct fe_par *p,
	const struct fe_par_store *s, const struct fe_par_scalar *const *at,
	int n, const struct poly_loc *loc)
{
	const struct fe_par_scalar *a = s->length[n];
	struct fe_par_scalar *moved;
	int k;

	if (!a->bound || !(a->loops & s->own_loops))
		return a;
	moved = fe_arena_alloc(&p->unit->arena, sizeof(*moved));
	*moved = *a;
	moved->loops &= ~s->own_loops;
	for (k = 0; k < n; k++) {
		moved->data = fe_scalar_copy(p->unit, moved->data, s->own[k],
			fe_par_place(p, at[k], loc));
		moved->loops |= at[k]->loops;
	}
	return moved;
}

/* With fewer positions than dimensions the value is an array of what is left;
 * else the numbers of a whole element.
 */
struct fe_par_value fe_par_stored(struct fe_par *p,
	const struct fe_par_store *store,
	const struct fe_par_scalar *const *at, int n, const struct poly_loc *loc)
{
	struct fe_par_type type = store->type;
	const struct fe_par_scalar **leaf;
	struct fe_par_array *a;
	int i, count;

	type.rank -= n;
	if (n < store->n_own) {
		a = fe_par_array(p, FE_PAR_A_STORE, type, length_at(p, store,
			at, n, loc), loc);
		a->store = store;
		for (i = 0; i < n; i++)
			a->at[i] = at[i];
		a->n_at = n;
		return array_value(a);
	}
	count = fe_par_count(&type);
	leaf = fe_arena_alloc(&p->unit->arena,
		((size_t)count + 1) * sizeof(*leaf));
	for (i = 0; i < count; i++)
		leaf[i] = read_leaf(p, store, at, i, fe_par_leaf_type(&type, i),
			loc);
	return fe_par_unflatten(p, type, leaf);
}

/* ----------------------------------------------------------------- elements */

/* What "callee" makes of the elements of the sources at "i".
 *
 * Rounded to the storage type, as the definition of an array would.
 */
static struct fe_par_value apply_at(struct fe_par *p,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	struct fe_par_value *arg = fe_arena_alloc(&p->unit->arena,
		((size_t)a->n_source + 1) * sizeof(*arg));
	int k;

	for (k = 0; k < a->n_source; k++)
		arg[k] = fe_par_element_at(p, a->source[k], i);
	return fe_par_round_all(p, fe_par_apply(p, a->callee, arg, a->n_source,
		a->loc));
}

/* Column "i" of the array of rows that "a" transposes.
 *
 * xss transposed at [i] is an array: j -> xss[j][i].
 */
static struct fe_par_value column_at(struct fe_par *p,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	struct fe_par_array *column = fe_par_array(p, FE_PAR_A_COLUMN,
		fe_par_element(a->type), a->source[0]->length, a->loc);

	column->lazy = a->lazy;
	column->source = a->source;
	column->column = i;
	return array_value(column);
}

/* The structure of the elements of the sources at "i".
 *
 * No array of structures exists in memory: each field is one.
 */
static struct fe_par_value zip_at(struct fe_par *p,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	struct fe_par_value v = { .type = fe_par_element(a->type) };
	struct fe_par_value *field = fe_arena_alloc(&p->unit->arena,
		((size_t)a->n_source + 1) * sizeof(*field));
	int k;

	for (k = 0; k < a->n_source; k++)
		field[k] = fe_par_element_at(p, a->source[k], i);
	v.field = field;
	return v;
}

/* Of a structure, its field; of an array of structures, the array of that
 * field.
 */
struct fe_par_value fe_par_field(struct fe_par *p, struct fe_par_value v,
	int field, struct fe_par_type type)
{
	const struct fe_par_array **source;
	struct fe_par_array *a;

	if (!v.type.rank)
		return v.field[field];
	source = fe_arena_alloc(&p->unit->arena, sizeof(*source));
	*source = v.array;
	a = fe_par_array(p, FE_PAR_A_FIELD, type, v.array->length,
		v.array->loc);
	a->source = source;
	a->n_source = 1;
	a->field = field;
	a->lazy = v.array->lazy + 1;
	return array_value(a);
}

/* "i" is within the array. By kinds: a store is read, a range is its position,
 * a loop's body is evaluated with its variable bound, and so on. The default is
 * a column of a transposed array.
 */
struct fe_par_value fe_par_element_at(struct fe_par *p,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	const struct fe_par_scalar *at[FE_MAX_RANK];
	const struct fe_par_env *env;

	switch (a->kind) {
	case FE_PAR_A_STORE:
		memcpy(at, a->at, sizeof(at));
		at[a->n_at] = i;
		return fe_par_stored(p, a->store, at, a->n_at + 1, a->loc);
	case FE_PAR_A_RANGE:
		return int_value(i);
	case FE_PAR_A_FOR:
		env = fe_par_bind(p, a->env, a->expr->var,
			fe_par_element_at(p, a->source[0], i));
		return fe_par_round_all(p, fe_par_run(p, a->expr->body, env));
	case FE_PAR_A_APPLY:
		return apply_at(p, a, i);
	case FE_PAR_A_TRANSPOSE:
		return column_at(p, a, i);
	case FE_PAR_A_ZIP:
		return zip_at(p, a, i);
	case FE_PAR_A_GATHER:
		return fe_par_pick(p, a->expr->arg->next, a->source[0],
			fe_par_element_at(p, a->source[1], i).scalar);
	case FE_PAR_A_SORT:
		return fe_par_sort(p, a->expr, fe_par_element_at(p,
			a->source[0], i).array);
	case FE_PAR_A_PART:
		return fe_par_element_at(p, a->source[0], fe_par_infix(p,
			POLY_OP_ADD, "+", a->column, i, a->loc));
	case FE_PAR_A_FIELD:
		return fe_par_field(p, fe_par_element_at(p, a->source[0], i),
			a->field, fe_par_element(a->type));
	default:
		return fe_par_element_at(p, fe_par_element_at(p, a->source[0],
			i).array, a->column);
	}
}

/* All rows must have one length: arrays are boxes. A loop is entered only to
 * ask.
 */
const struct fe_par_scalar *fe_par_row_length(struct fe_par *p,
	const struct fe_par_array *a, const struct poly_loc *loc)
{
	const struct fe_par_scalar *length;
	int depth = p->n_loop;

	if (a->kind == FE_PAR_A_STORE &&
	    !a->store->length[a->n_at + 1]->bound)
		return a->store->length[a->n_at + 1];
	length = fe_par_element_at(p, a, fe_par_enter(p, a->length,
		loc)).array->length;
	fe_par_leave(p, 1);
	if (!(length->loops & 1u << depth))
		return length;
	FE_REPORT(p->unit, FE_PAR_RAGGED, loc);
	fe_par_stop(p);
}

/* Reading an element of a view costs no computation: it need not be stored. */
bool fe_par_is_view(const struct fe_par_array *a)
{
	int k;

	switch (a->kind) {
	case FE_PAR_A_STORE:
	case FE_PAR_A_RANGE:
		return true;
	case FE_PAR_A_TRANSPOSE:
	case FE_PAR_A_COLUMN:
	case FE_PAR_A_PART:
	case FE_PAR_A_FIELD:
		return fe_par_is_view(a->source[0]);
	case FE_PAR_A_ZIP:
		for (k = 0; k < a->n_source; k++)
			if (!fe_par_is_view(a->source[k]))
				return false;
		return true;
	default:
		return false;
	}
}
