/* Data-parallel functions: sorts.
 *
 * Keys are sorted by eight bits after eight, the lowest first; what has equal digits
 * stays in its order. For each digit, of tiles of 4096 elements:
 *
 *	digits(t, d) = how many of x(4096 t + r) have the digit d
 *	before(t+1, d) = before(t, d) + digits(t, d)	those of earlier tiles
 *	least(d) = the sum of before(tiles, e), e < d	those of lower digits
 *	first(t, d) = least(d) + before(t, d)
 *	y(first(t, d) + earlier) = x(i)			with t = i / 4096, d of x(i)
 *
 * where "earlier" counts the elements of the tile in front of i that have its digit.
 * What data leave out stands
 * behind all others and stays there, as if it had the last digit. Digits of floats are
 * those of their bits, turned around for negative ones, so that they have the order of
 * the numbers; -0 has the digits of 0, and NaN those behind all others. Integers with a
 * sign have the highest bit turned around.
 *
 * sort_by sorts the keys with the elements that stand beside them, or, where these are
 * longer, with the positions that they come from, and reads the elements there.
 */
#include "frontend/parallel/par_eval.h"

/* Bits of a digit, and elements of a tile. */
enum { BITS = 8, DIGITS = 1 << BITS, TILE = 4096 };

/* A sort under way: of keys of the type "type", which stand in "keys", and the
 * positions that they come from, or the elements "beside" them, in "places", NULL: where
 * they are; before the first pass keys are those of "source". There are "length" keys, at most "bound", in "tiles" tiles.
 * The digit is that from bit "shift" on, perhaps the "last".
 */
struct sorter {
	struct fe_par *p;
	const struct fe_par_expr *e;
	const struct poly_loc *loc;
	enum poly_type type;
	const struct fe_par_scalar *length, *bound, *tiles;
	const struct fe_par_array *source, *beside;
	const struct fe_par_store *keys, *places;
	unsigned loops;			/* that the keys need */
	int shift;
	bool last;
};

/* ---------------------------------------------------------------- operations */

static const struct fe_par_scalar *number(const struct sorter *s,
	enum poly_type type, double value)
{
	return fe_par_number(s->p, type, value, s->loc);
}

static const struct fe_par_scalar *apply(const struct sorter *s, enum poly_op op,
	const struct fe_par_scalar *a, const struct fe_par_scalar *b)
{
	const struct fe_par_callee c = { .kind = FE_PAR_C_OP, .op = op,
		.n_arg = b ? 2 : 1, .logic = a->type == POLY_BOOL,
		.spelling = s->e->symbol->name };
	const struct fe_par_scalar *arg[2] = { a, b };

	return fe_par_operation(s->p, &c, arg, b ? 2 : 1, s->loc);
}

static const struct fe_par_scalar *cast(const struct sorter *s,
	enum poly_type type, const struct fe_par_scalar *a)
{
	const struct fe_par_callee c = { .kind = FE_PAR_C_CAST, .type = type,
		.n_arg = 1, .spelling = poly_type_name(type) };

	return a->type == type ? a : fe_par_operation(s->p, &c, &a, 1, s->loc);
}

/* c ? a : b */
static const struct fe_par_scalar *choose(const struct sorter *s,
	const struct fe_par_scalar *c, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b)
{
	return fe_par_select(s->p, POLY_OP_SELECT, c, a, b, s->loc);
}

/* The bits of the float "x", which is computed in f32 or f64. */
static const struct fe_par_scalar *bits_of(const struct sorter *s,
	const struct fe_par_scalar *x)
{
	struct fe_par_scalar *a = fe_arena_alloc(&s->p->unit->arena, sizeof(*a));
	struct fe_scalar *e = fe_scalar_new(s->p->unit, FE_S_CAST, s->loc);

	*a = *x;
	a->type = poly_type_compute(x->type) == POLY_F64 ? POLY_U64 : POLY_U32;
	a->size++;
	a->data = e;
	e->type = a->type;
	e->bits = true;
	e->arg[0] = x->data;
	e->n_arg = 1;
	e->depth = x->data->depth + 1;
	return a;
}

/* -------------------------------------------------------------------- digits */

/* "d", the digit of the bits of the float "x", as its order has it. */
static const struct fe_par_scalar *float_digit(const struct sorter *s,
	const struct fe_par_scalar *x, const struct fe_par_scalar *d)
{
	const struct fe_par_scalar *top = number(s, POLY_I32, DIGITS - 1);
	const struct fe_par_scalar *turned = apply(s, POLY_OP_SUB, top, d);

	if (s->last)
		d = apply(s, POLY_OP_OR, d, number(s, POLY_I32, DIGITS / 2));
	d = choose(s, apply(s, POLY_OP_LT, x, number(s, x->type, 0)), turned, d);
	return choose(s, apply(s, POLY_OP_NE, x, x), top, d);
}

/* The digit of the key "x", an i32. */
static const struct fe_par_scalar *digit(const struct sorter *s,
	const struct fe_par_scalar *x)
{
	bool is_float = poly_type_is_float(s->type);
	const struct fe_par_scalar *v = is_float ? bits_of(s, x) : cast(s,
		poly_type_compute(s->type), x), *d;

	d = cast(s, POLY_I32, apply(s, POLY_OP_AND, apply(s, POLY_OP_SHR, v,
		number(s, v->type, s->shift)), number(s, v->type, DIGITS - 1)));
	if (is_float)
		return float_digit(s, x, d);
	if (s->last && poly_type_class(s->type) == POLY_CLASS_INT)
		d = apply(s, POLY_OP_XOR, d, number(s, POLY_I32, DIGITS / 2));
	return d;
}

/* The lowest bit that keys of the type "t" differ in, as they are computed: of digits
 * that a float lacks, those are 0 that fill a digit of the sort.
 */
static int first_bit(enum poly_type t)
{
	int zero = poly_type_digits(poly_type_compute(t)) - poly_type_digits(t);

	return zero / BITS * BITS;
}

static int end_bit(enum poly_type t)
{
	return 8 * (int)poly_type_size(poly_type_is_float(t) ?
		poly_type_compute(t) : t);
}

/* --------------------------------------------------------------------- cells */

/* Does what stands at "i" count? */
static const struct fe_par_scalar *counts(const struct sorter *s,
	const struct fe_par_scalar *i)
{
	return apply(s, POLY_OP_LT, i, s->length);
}

/* The element of tile "t" at "r". */
static const struct fe_par_scalar *cell_of(const struct sorter *s,
	const struct fe_par_scalar *t, const struct fe_par_scalar *r)
{
	return apply(s, POLY_OP_ADD, apply(s, POLY_OP_MUL, t, number(s,
		POLY_I32, TILE)), r);
}

/* Enter a loop over the tiles of "length" elements. */
static const struct fe_par_scalar *enter_tiles(const struct sorter *s,
	const struct fe_par_scalar *length)
{
	const struct fe_par_scalar *t = fe_par_enter(s->p, length, s->loc);

	s->p->loop[s->p->n_loop - 1].tile = TILE;
	return t;
}

static const struct fe_par_scalar *stored(const struct sorter *s,
	const struct fe_par_store *from, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b)
{
	const struct fe_par_scalar *at[2] = { a, b };

	return fe_par_stored(s->p, from, at, b ? 2 : 1, s->loc).scalar;
}

/* A definition of the type "type" over the "n_own" innermost loops; "*store" tells
 * which.
 */
static struct fe_tensor *define(const struct sorter *s, const char *hint,
	enum poly_type type, int n_own, struct fe_par_store **store)
{
	struct fe_par_store *new = fe_arena_alloc(&s->p->unit->arena,
		sizeof(*new));
	struct fe_tensor *t;

	new->type = fe_par_plain(type);
	new->type.rank = n_own;
	new->n_own = n_own;
	new->symbol = fe_arena_alloc(&s->p->unit->arena, sizeof(*new->symbol));
	t = fe_par_define(s->p, hint, s->loc, type, s->loops, n_own, new);
	new->symbol[0] = t->symbol;
	*store = new;
	return t;
}

/* Add a piece to "t": "value" where "condition", NULL: everywhere else, holds. */
static void piece(const struct sorter *s, struct fe_tensor *t,
	const struct fe_par_scalar *condition, const struct fe_par_scalar *value)
{
	fe_par_piece(s->p, t, condition ? condition->place : NULL, value->data);
}

/* The element of "a" at "i". What does not count is not read. */
static const struct fe_par_scalar *element_at(const struct sorter *s,
	const struct fe_par_array *a, const struct fe_par_scalar *i)
{
	const struct fe_par_scalar *x = fe_par_rounded(s->p, fe_par_element_at(
		s->p, a, i).scalar);

	return s->length->bound ? fe_par_select(s->p, POLY_OP_BRANCH, counts(s,
		i), x, number(s, x->type, 0), s->loc) : x;
}

/* The key at "i": an element of the array that is sorted, or what the pass before has
 * left.
 */
static const struct fe_par_scalar *key_at(const struct sorter *s,
	const struct fe_par_scalar *i)
{
	return s->keys ? stored(s, s->keys, i, NULL) : element_at(s, s->source,
		i);
}

/* Have the keys "keys" at hand, and find the loops around that they need. */
static void find_keys(struct sorter *s, const struct fe_par_array *keys)
{
	const struct fe_par_value v = { .type = keys->type, .array = keys };
	unsigned own = 1u << s->p->n_loop;

	const struct fe_par_scalar *i;

	s->source = fe_par_force(s->p, v, "key", s->loc).array;
	i = fe_par_enter(s->p, s->bound, s->loc);
	s->loops = key_at(s, i)->loops;
	if (s->beside)
		s->loops |= element_at(s, s->beside, i)->loops;
	s->loops = (s->loops & ~own) | s->length->loops | s->bound->loops;
	fe_par_leave(s->p, 1);
}

/* -------------------------------------------------------------------- passes */

/* The digit of what stands at "i"; what data leave out has the last one, and as it
 * stands behind all others, it stays there.
 */
static const struct fe_par_scalar *digit_at(const struct sorter *s,
	const struct fe_par_scalar *i)
{
	const struct fe_par_scalar *d = digit(s, key_at(s, i));

	return s->length->bound ? choose(s, counts(s, i), d, number(s, POLY_I32,
		DIGITS - 1)) : d;
}

/* Count the digits of each tile. */
static struct fe_par_store *count_in_tiles(struct sorter *s)
{
	struct fe_par *p = s->p;
	const struct fe_par_scalar *t = enter_tiles(s, s->bound), *i, *d, *inside;
	const struct fe_par_scalar *one = number(s, POLY_I32, 1);
	struct fe_par_store *store;
	struct fe_par_loop inner;
	struct fe_tensor *e;

	fe_par_enter(p, number(s, POLY_I32, DIGITS), s->loc);
	i = cell_of(s, t, fe_par_enter(p, number(s, POLY_I32, TILE), s->loc));
	inside = apply(s, POLY_OP_LT, i, s->bound);
	p->path[p->n_path++] = inside;
	d = digit_at(s, i);
	p->n_path--;
	inner = p->loop[p->n_loop - 1];
	fe_par_leave(p, 1);
	e = define(s, "digits", POLY_I32, 2, &store);
	e->start = fe_scalar_copy(p->unit, number(s, POLY_I32, 0)->data, NULL,
		NULL);
	p->loop[p->n_loop++] = inner;
	fe_par_piece(p, e, NULL, fe_par_cells(p, s->e, POLY_OP_ADD, one, d,
		inside, e));
	fe_par_leave(p, 3);
	return store;
}

/* Where the first one of each digit of each tile goes. */
static struct fe_par_store *count_over_tiles(struct sorter *s,
	const struct fe_par_store *in_tile)
{
	struct fe_par *p = s->p;
	const struct fe_par_scalar *zero = number(s, POLY_I32, 0);
	const struct fe_par_scalar *digits = number(s, POLY_I32, DIGITS);
	const struct fe_par_scalar *t = enter_tiles(s, fe_par_plus(p, s->bound,
		TILE, s->loc)), *back = fe_par_plus(p, t, -1, s->loc);
	const struct fe_par_scalar *d = fe_par_enter(p, digits, s->loc), *one;
	struct fe_par_store *before, *least, *first;
	struct fe_tensor *e;

	e = define(s, "before", POLY_I32, 2, &before);
	piece(s, e, apply(s, POLY_OP_EQ, t, zero), zero);
	piece(s, e, NULL, apply(s, POLY_OP_ADD, stored(s, before, back, d),
		stored(s, in_tile, back, d)));
	fe_par_leave(p, 2);
	d = fe_par_enter(p, digits, s->loc);
	one = stored(s, before, s->tiles, fe_par_enter(p, d, s->loc));
	one = fe_par_sum(p, one, s->loc);
	e = define(s, "least", POLY_I32, 1, &least);
	piece(s, e, NULL, one);
	fe_par_leave(p, 1);
	t = enter_tiles(s, s->bound);
	d = fe_par_enter(p, digits, s->loc);
	e = define(s, "first", POLY_I32, 2, &first);
	piece(s, e, NULL, apply(s, POLY_OP_ADD, stored(s, least, d, NULL),
		stored(s, before, t, d)));
	fe_par_leave(p, 2);
	return first;
}

/* How many of the tile of "i" in front of it have the digit "d". */
static const struct fe_par_scalar *earlier(const struct sorter *s,
	const struct fe_par_scalar *i, const struct fe_par_scalar *d)
{
	struct fe_par_scalar *a = fe_arena_alloc(&s->p->unit->arena, sizeof(*a));
	struct fe_scalar *e = fe_scalar_new(s->p->unit, FE_S_OP, s->loc);

	*a = *d;
	a->size++;
	a->data = e;
	e->op = POLY_OP_EARLIER;
	e->spelling = s->e->symbol->name;
	e->type = POLY_I32;
	e->arg[0] = d->data;
	e->arg[1] = number(s, POLY_I32, TILE)->data;
	e->arg[2] = i->place;
	e->n_arg = 3;
	e->depth = d->data->depth + 1;
	return a;
}

/* The cells "v" of the loop entered, at "i", moved to "to". */
static const struct fe_par_store *move(const struct sorter *s, const char *hint,
	const struct fe_par_scalar *v, const struct fe_par_scalar *i,
	const struct fe_par_scalar *to)
{
	struct fe_scalar *e = fe_scalar_new(s->p->unit, FE_S_OP, s->loc);
	struct fe_par_store *store;
	struct fe_tensor *t = define(s, hint, v->type, 1, &store);

	e->op = POLY_OP_SCATTER;
	e->spelling = s->e->symbol->name;
	e->arg[0] = v->data;
	e->arg[1] = to->data;
	e->arg[2] = i->place;
	e->n_arg = 3;
	fe_par_piece(s->p, t, NULL, e);
	return store;
}

/* Sort by one digit, and take the positions along if "by". */
static void sort_digit(struct sorter *s, bool by)
{
	struct fe_par *p = s->p;
	const struct fe_par_store *first = count_over_tiles(s,
		count_in_tiles(s));
	const struct fe_par_scalar *i = fe_par_enter(p, s->bound, s->loc);
	const struct fe_par_scalar *x = key_at(s, i);
	const struct fe_par_scalar *d = digit_at(s, i), *to, *place;

	to = apply(s, POLY_OP_ADD, stored(s, first, apply(s, POLY_OP_DIV, i,
		number(s, POLY_I32, TILE)), d), earlier(s, i, d));
	place = s->places ? stored(s, s->places, i, NULL) : s->beside ?
		element_at(s, s->beside, i) : i;
	s->keys = move(s, "key", x, i, to);
	if (by)
		s->places = move(s, "place", place, i, to);
	fe_par_leave(p, 1);
}

/* Sort "keys", of which the bits before "end" count, with what is "beside" them, or if
 * "by" without that find where they come from.
 */
static struct sorter sort_keys(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *keys, int end, bool by,
	const struct fe_par_array *beside)
{
	struct sorter s = { .p = p, .e = e, .loc = &e->loc,
		.type = keys->type.base, .length = keys->length,
		.bound = fe_par_bound(keys->length), .beside = beside };

	s.tiles = apply(&s, POLY_OP_DIV, fe_par_plus(p, s.bound, TILE - 1,
		s.loc), number(&s, POLY_I32, TILE));
	find_keys(&s, keys);
	for (s.shift = first_bit(s.type); s.shift < end; s.shift += BITS) {
		s.last = s.shift + BITS >= end_bit(s.type);
		sort_digit(&s, by);
	}
	return s;
}

/* The array that the store "s" has, of the type "t". */
static struct fe_par_array *array_of(struct fe_par *p,
	const struct fe_par_store *s, struct fe_par_type t,
	const struct fe_par_scalar *length, const struct poly_loc *loc)
{
	struct fe_par_store *own = fe_arena_alloc(&p->unit->arena, sizeof(*own));
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_STORE, t, length, loc);

	*own = *s;
	own->type = t;
	own->length[0] = length;
	a->store = own;
	return a;
}

const struct fe_par_array *fe_par_sort_beside(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_array *keys, int bits,
	const struct fe_par_array **xs)
{
	struct sorter s = sort_keys(p, e, keys, bits, true, *xs);

	*xs = array_of(p, s.places, (*xs)->type, keys->length, &e->loc);
	return array_of(p, s.keys, keys->type, keys->length, &e->loc);
}

struct fe_par_value fe_par_sort(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *xs)
{
	const struct fe_par_array **source;
	struct fe_par_array *a;
	struct sorter s;

	if (xs->type.rank > 1) {
		source = fe_arena_alloc(&p->unit->arena, sizeof(*source));
		source[0] = xs;
		a = fe_par_array(p, FE_PAR_A_SORT, xs->type, xs->length, &e->loc);
		a->expr = e;
		a->source = source;
		a->n_source = 1;
		a->lazy = xs->lazy + 1;
		return (struct fe_par_value) { .type = a->type, .array = a };
	}
	s = sort_keys(p, e, xs, end_bit(xs->type.base), false, NULL);
	a = array_of(p, s.keys, xs->type, xs->length, &e->loc);
	return (struct fe_par_value) { .type = a->type, .array = a };
}

/* Are these elements as short as the places where they are? */
static bool is_word(const struct fe_par_type *t)
{
	return t->rank == 1 && !t->record && poly_type_size(t->base) <=
		poly_type_size(POLY_I32);
}

struct fe_par_value fe_par_sort_by(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *keys, const struct fe_par_array *xs)
{
	struct fe_par_value arg[2] = { { .array = xs }, { .array = NULL } };
	struct sorter s;

	fe_par_need_equal(p, keys->length, xs->length, &e->loc);
	if (is_word(&xs->type)) {
		fe_par_sort_beside(p, e, keys, end_bit(keys->type.base), &xs);
		return (struct fe_par_value) { .type = xs->type, .array = xs };
	}
	s = sort_keys(p, e, keys, end_bit(keys->type.base), true, NULL);
	arg[1].array = array_of(p, s.places, fe_par_array_of(fe_par_plain(
		POLY_I32)), keys->length, &e->loc);
	return fe_par_gather(p, e, arg);
}
