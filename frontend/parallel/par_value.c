/* Data-parallel functions: values of all types, and which of them are computed once.
 *
 * A value is a number, a structure of values, or an array. Structures are
 * flattened where numbers are needed: a leaf is one number, counted in the
 * order of fields, depth first.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/parallel/par_eval.h"

/* 1 of a number; arrays count as their elements' structure. */
int fe_par_count(const struct fe_par_type *t)
{
	const struct fe_par_var *v;
	int n = 0;

	if (!t->record)
		return 1;
	for (v = t->record->field; v; v = v->next)
		n += fe_par_count(&v->type);
	return n;
}

/* The field of "t" that has number "*i", which becomes the number in that.
 *
 * Without running past the last field: "*i" is below the count.
 */
static const struct fe_par_var *field_of(const struct fe_par_type *t, int *i)
{
	const struct fe_par_var *v;

	for (v = t->record->field; *i >= fe_par_count(&v->type); v = v->next)
		*i -= fe_par_count(&v->type);
	return v;
}

/* The type of leaf "i". */
enum poly_type fe_par_leaf_type(const struct fe_par_type *t, int i)
{
	while (t->record)
		t = &field_of(t, &i)->type;
	return t->base;
}

/* base_field_inner, for names of definitions. */
const char *fe_par_leaf_name(struct fe_par *p, const struct fe_par_type *t,
	int i, const char *base)
{
	struct poly_str s = { 0 };
	const char *name;

	poly_str_add(&s, base);
	while (t->record) {
		const struct fe_par_var *v = field_of(t, &i);

		poly_str_printf(&s, "_%s", v->symbol->name);
		t = &v->type;
	}
	name = s.s ? fe_arena_text(&p->unit->arena, s.s,
		strlen(s.s) > FE_MAX_NAME ? FE_MAX_NAME : strlen(s.s)) : base;
	poly_str_free(&s);
	return name;
}

/* "leaf" has room for all. Of no arrays. */
void fe_par_flatten(const struct fe_par_value *v,
	const struct fe_par_scalar **leaf)
{
	const struct fe_par_var *f;
	int k = 0;

	if (!v->type.record) {
		*leaf = v->scalar;
		return;
	}
	for (f = v->type.record->field; f; f = f->next, k++) {
		fe_par_flatten(&v->field[k], leaf);
		leaf += fe_par_count(&f->type);
	}
}

/* The inverse. */
struct fe_par_value fe_par_unflatten(struct fe_par *p, struct fe_par_type t,
	const struct fe_par_scalar *const *leaf)
{
	struct fe_par_value v = { .type = t }, *field;
	const struct fe_par_var *f;
	int k = 0;

	if (!t.record) {
		v.scalar = leaf[0];
		return v;
	}
	field = fe_arena_alloc(&p->unit->arena,
		((size_t)t.record->n_field + 1) * sizeof(*field));
	for (f = t.record->field; f; f = f->next, k++) {
		field[k] = fe_par_unflatten(p, f->type, leaf);
		leaf += fe_par_count(&f->type);
	}
	v.field = field;
	return v;
}

/* In the arena; "*n" receives how many. */
const struct fe_par_scalar **fe_par_leaves(struct fe_par *p,
	const struct fe_par_value *v, int *n)
{
	const struct fe_par_scalar **leaf;

	*n = fe_par_count(&v->type);
	leaf = fe_arena_alloc(&p->unit->arena,
		((size_t)*n + 1) * sizeof(*leaf));
	fe_par_flatten(v, leaf);
	return leaf;
}

/* Arrays stay: their elements are rounded when they are asked for. */
struct fe_par_value fe_par_round_all(struct fe_par *p, struct fe_par_value v)
{
	const struct fe_par_scalar **leaf;
	int i, n;

	if (v.type.rank)
		return v;
	leaf = fe_par_leaves(p, &v, &n);
	for (i = 0; i < n; i++)
		leaf[i] = fe_par_rounded(p, leaf[i]);
	return fe_par_unflatten(p, v.type, leaf);
}

/* ------------------------------------------------------------------ computed once */

/* A store for values of "type", of "n_leaf" definitions that have yet to get
 * names.
 *
 * Lengths and outer indices are set by whoever defines it.
 */
static struct fe_par_store *new_store(struct fe_par *p, struct fe_par_type type,
	int n_leaf)
{
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));

	s->type = type;
	s->n_own = type.rank;
	s->symbol = fe_arena_alloc(&p->unit->arena,
		((size_t)n_leaf + 1) * sizeof(*s->symbol));
	return s;
}

/* Is there a sum or the like in "e"?
 *
 * Such an expression is expensive, however short it is.
 */
static bool reduces(const struct fe_scalar *e)
{
	bool any = e->kind == FE_S_REDUCE;
	int i;

	for (i = 0; i < e->n_arg; i++)
		any |= reduces(e->arg[i]);
	return any;
}

/* A definition of "a" over the loops that it needs, and a read of it. */
const struct fe_par_scalar *fe_par_compute(struct fe_par *p,
	const struct fe_par_scalar *a, const char *hint,
	const struct poly_loc *loc)
{
	struct fe_par_store *s = new_store(p, fe_par_plain(a->type), 1);
	struct fe_tensor *t = fe_par_define(p, hint, loc, a->type, a->loops, 0,
		s);

	fe_par_piece(p, t, NULL, fe_par_guard(p, a->loops, a, fe_par_number(p,
		a->type, 0, loc), loc)->data);
	s->symbol[0] = t->symbol;
	return fe_par_stored(p, s, NULL, 0, loc).scalar;
}

/* The number "a" as it is, or a definition of it.
 *
 * Expressions of up to FE_PAR_SMALL operations, without a reduction, are
 * repeated; others get a definition. So are those of an operator of the text, which is one
 * expression if it can be. In "plain" evaluation, within index
 * notation, there are no definitions, and growth is bounded.
 */
static const struct fe_par_scalar *force_scalar(struct fe_par *p,
	const struct fe_par_scalar *a, const char *hint,
	const struct poly_loc *loc)
{
	if (p->plain && a->size > FE_PAR_LARGEST) {
		FE_REPORT(p->unit, FE_PAR_LARGE, loc, FE_PAR_LARGEST);
		fe_par_stop(p);
	}
	if (p->plain || (p->again && a->size <= FE_PAR_LARGEST) ||
	    fe_par_is_leaf(a) ||
	    (a->size <= FE_PAR_SMALL && !reduces(a->data)))
		return a;
	return fe_par_compute(p, a, hint, loc);
}

/* Enters a loop for each dimension of "v" and returns its element there.
 * "length" receives the lengths. Ragged arrays stop it.
 */
struct fe_par_value fe_par_enter_all(struct fe_par *p, struct fe_par_value v,
	const struct poly_loc *loc, const struct fe_par_scalar **length)
{
	int first = p->n_loop, n = 0;

	while (v.type.rank) {
		length[n] = v.array->length;
		if (fe_par_bound(length[n])->loops >> first) {
			FE_REPORT(p->unit, FE_PAR_RAGGED, loc);
			fe_par_stop(p);
		}
		v = fe_par_element_at(p, v.array, fe_par_enter(p, length[n++],
			loc));
	}
	return v;
}

/* Definitions of the numbers of "at", which stands at all positions of the array
 * "type".
 *
 * One definition a leaf: arrays of structures are structures of arrays.
 */
static struct fe_par_store *define_all(struct fe_par *p, struct fe_par_type type,
	const struct fe_par_value *at, const char *hint,
	const struct poly_loc *loc)
{
	const struct fe_par_scalar **leaf;
	struct fe_par_store *s;
	struct fe_tensor *t;
	unsigned loops = 0;
	int i, n;

	leaf = fe_par_leaves(p, at, &n);
	s = new_store(p, type, n);
	for (i = 0; i < n; i++)
		loops |= leaf[i]->loops;
	for (i = 0; i < n; i++) {
		t = fe_par_define(p, fe_par_leaf_name(p, &at->type, i, hint),
			loc, leaf[i]->type, loops, type.rank, s);
		fe_par_piece(p, t, NULL, fe_par_guard(p, loops |
			fe_par_inner(p, type.rank), leaf[i], fe_par_number(p,
			leaf[i]->type, 0, loc), loc)->data);
		s->symbol[i] = t->symbol;
	}
	return s;
}

/* An array that is no view, unless all its elements are.
 *
 * The element is built once, in loops over all dimensions; then it is seen
 * whether it was worth it.
 */
static struct fe_par_value force_array(struct fe_par *p, struct fe_par_value v,
	const char *hint, const struct poly_loc *loc)
{
	const struct fe_par_scalar *length[FE_MAX_LOOP], **leaf;
	struct fe_par_value at = fe_par_enter_all(p, v, loc, length);
	struct fe_par_store *s;
	bool view = true;
	int i, n;

	leaf = fe_par_leaves(p, &at, &n);
	for (i = 0; i < n; i++)
		view &= fe_par_is_leaf(leaf[i]);
	if (view) {
		fe_par_leave(p, v.type.rank);
		return v;
	}
	if (v.type.rank > FE_MAX_RANK) {
		FE_REPORT(p->unit, FE_RANK, loc, FE_MAX_RANK);
		fe_par_stop(p);
	}
	s = define_all(p, v.type, &at, hint, loc);
	memcpy(s->length, length, sizeof(s->length));
	fe_par_own_loops(p, s);
	fe_par_leave(p, v.type.rank);
	return fe_par_stored(p, s, NULL, 0, loc);
}

/* Used where a value is named or read several times, so that work is done once.
 */
struct fe_par_value fe_par_force(struct fe_par *p, struct fe_par_value v,
	const char *hint, const struct poly_loc *loc)
{
	const struct fe_par_scalar **leaf;
	int i, n;

	if (v.type.rank)
		return fe_par_is_view(v.array) ? v : force_array(p, v, hint,
			loc);
	leaf = fe_par_leaves(p, &v, &n);
	for (i = 0; i < n; i++)
		leaf[i] = force_scalar(p, leaf[i], fe_par_leaf_name(p, &v.type,
			i, hint), loc);
	return fe_par_unflatten(p, v.type, leaf);
}
