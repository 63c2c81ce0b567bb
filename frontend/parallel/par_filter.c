/* Data-parallel functions: filters.
 *
 * How many elements are kept up to each is a scan. It tells where each of them goes:
 *
 *	count(0) = int(keep(0))		count(i) = count(i-1) + int(keep(i))
 *	length = count(N-1), or 0 if N is 0
 *	kept(at(i)) = keep(i) ? x(i) : 0
 *	at(i) = keep(i) ? count(i) - 1 : N - 1 - i + count(i)
 *
 * The others, as zeros, fill the array from its end on, so that each element has one
 * place, whatever the data are, and none waits for the length. "kept" has as many places
 * as the array; its length is a number that data tell, bound by that.
 */
#include "frontend/parallel/par_eval.h"

/* A call of filter on "xs", and what the formulas above make of it. */
struct filter {
	struct fe_par *p;
	const struct fe_par_expr *e;
	const struct fe_par_array *xs;
	const struct poly_loc *loc;
	const struct fe_par_scalar *i, *keep, *upto, *length;
};

static const struct fe_par_callee add = { .kind = FE_PAR_C_OP,
	.op = POLY_OP_ADD, .n_arg = 2, .spelling = "+" };
static const struct fe_par_callee subtract = { .kind = FE_PAR_C_OP,
	.op = POLY_OP_SUB, .n_arg = 2, .spelling = "-" };
static const struct fe_par_callee equal = { .kind = FE_PAR_C_OP,
	.op = POLY_OP_EQ, .n_arg = 2, .spelling = "==" };

static const struct fe_par_scalar *apply2(struct filter *f,
	const struct fe_par_callee *c, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b)
{
	const struct fe_par_scalar *arg[2] = { a, b };

	return fe_par_operation(f->p, c, arg, 2, f->loc);
}

/* Is the element "x" at the position of the loop kept? */
static void find_keep(struct filter *f, const struct fe_par_value *arg,
	struct fe_par_value x)
{
	struct fe_par *p = f->p;
	struct fe_par_value keep;

	if (f->xs == arg[0].array)
		keep = fe_par_element_at(p, arg[1].array, f->i);
	else
		keep = fe_par_round_all(p, fe_par_apply(p, &f->e->arg->callee,
			&x, 1, f->loc));
	keep.scalar = fe_par_guard(p, fe_par_inner(p, 1), keep.scalar,
		fe_par_number(p, POLY_BOOL, 0, f->loc), f->loc);
	f->keep = fe_par_force(p, keep, "keep", f->loc).scalar;
}

/* A store for one number: "n_own" of its positions are its own. */
static struct fe_par_store *number_store(struct fe_par *p, int n_own)
{
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));

	s->type = fe_par_plain(POLY_I32);
	s->type.rank = n_own;
	s->n_own = n_own;
	s->symbol = fe_arena_alloc(&p->unit->arena, sizeof(*s->symbol));
	return s;
}

/* Let the length be a number of its own, the last one of "count", so that the others are
 * read nowhere but where elements are put.
 */
static void define_length(struct filter *f, const struct fe_par_store *count)
{
	struct fe_par *p = f->p;
	const struct fe_par_scalar *bound = fe_par_bound(f->xs->length);
	const struct fe_par_scalar *end = fe_par_plus(p, bound, -1, f->loc);
	const struct fe_par_scalar *zero = fe_par_number(p, POLY_I32, 0, f->loc);
	const struct fe_par_scalar *last = fe_par_stored(p, count, &end, 1,
		f->loc).scalar;
	struct fe_par_scalar *length = fe_arena_alloc(&p->unit->arena,
		sizeof(*length));
	struct fe_par_store *s = number_store(p, 0);
	struct fe_tensor *t = fe_par_define(p, "length", f->loc, POLY_I32,
		last->loops, 0, s);
	int64_t n = 0;
	bool known;

	s->symbol[0] = t->symbol;
	known = fe_par_known(p, bound, &n);
	if (!known || !n)
		fe_par_piece(p, t, known ? NULL : apply2(f, &equal, bound,
			zero)->place, zero->data);
	if (!known || n)
		fe_par_piece(p, t, NULL, fe_par_guard(p, last->loops, last, zero,
			f->loc)->data);
	*length = *fe_par_stored(p, s, NULL, 0, f->loc).scalar;
	length->bound = bound;
	f->length = length;
}

/* How many elements are kept up to each, and in all. */
static void count_kept(struct filter *f)
{
	static const struct fe_par_callee to_int = { .kind = FE_PAR_C_CAST,
		.type = POLY_I32, .n_arg = 1, .spelling = "int" };
	struct fe_par *p = f->p;
	const struct fe_par_scalar *zero = fe_par_number(p, POLY_I32, 0, f->loc);
	const struct fe_par_scalar *one = fe_par_operation(p, &to_int, &f->keep,
		1, f->loc), *back = fe_par_plus(p, f->i, -1, f->loc);
	struct fe_par_store *s = number_store(p, 1);
	struct fe_tensor *t;

	t = fe_par_define(p, "count", f->loc, POLY_I32, f->keep->loops, 1, s);
	s->symbol[0] = t->symbol;
	fe_par_piece(p, t, apply2(f, &equal, f->i, zero)->place, one->data);
	fe_par_piece(p, t, NULL, apply2(f, &add, fe_par_stored(p, s, &back, 1,
		f->loc).scalar, one)->data);
	f->upto = fe_par_stored(p, s, &f->i, 1, f->loc).scalar;
	define_length(f, s);
}

/* "a" where the element is kept, else 0, at its place. */
static struct fe_scalar *scattered(struct filter *f,
	const struct fe_par_scalar *a)
{
	struct fe_par *p = f->p;
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_OP, f->loc);
	const struct fe_par_scalar *behind = apply2(f, &add, apply2(f, &subtract,
		fe_par_plus(p, fe_par_bound(f->xs->length), -1, f->loc), f->i),
		f->upto), *at;

	at = fe_par_select(p, POLY_OP_SELECT, f->keep, fe_par_plus(p, f->upto, -1,
		f->loc), behind, f->loc);
	e->op = POLY_OP_SCATTER;
	e->spelling = f->e->symbol->name;
	e->arg[0] = fe_par_select(p, POLY_OP_BRANCH, f->keep, a, fe_par_number(p,
		a->type, 0, f->loc), f->loc)->data;
	e->arg[1] = at->data;
	e->arg[2] = f->i->place;
	e->n_arg = 3;
	return e;
}

/* The length of dimension "d" of what is kept, where that of the elements may depend on
 * the positions before. All loops of "s" are entered.
 */
static const struct fe_par_scalar *keep_length(struct filter *f,
	const struct fe_par_store *s, int d)
{
	struct fe_par *p = f->p;
	const struct fe_par_scalar *a = s->length[d], *at[FE_MAX_RANK];
	unsigned own = fe_par_inner(p, s->n_own);
	int k, n_loop = p->n_loop, first = n_loop - s->n_own;
	struct fe_par_store *lengths;
	struct fe_par_scalar *kept;
	struct fe_tensor *t;

	if (fe_par_bound(a)->loops & own) {
		FE_REPORT(p->unit, FE_PAR_RAGGED, f->loc);
		fe_par_stop(p);
	}
	if (!(a->loops & own))
		return a;
	lengths = number_store(p, d);
	p->n_loop = first + d;
	t = fe_par_define(p, "length", f->loc, POLY_I32, a->loops |
		f->keep->loops, d, lengths);
	lengths->symbol[0] = t->symbol;
	fe_par_piece(p, t, NULL, scattered(f, a));
	for (k = 0; k < d; k++)
		at[k] = fe_par_name(p, p->loop[first + k].symbol,
			1u << (first + k), f->loc);
	kept = fe_arena_alloc(&p->unit->arena, sizeof(*kept));
	*kept = *fe_par_stored(p, lengths, at, d, f->loc).scalar;
	kept->bound = a->bound;
	p->n_loop = n_loop;
	return kept;
}

/* The store of what is kept of the elements "x". */
static struct fe_par_store *keep_all(struct filter *f, struct fe_par_value x)
{
	struct fe_par *p = f->p;
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	const struct fe_par_scalar **leaf;
	unsigned loops = f->keep->loops;
	struct fe_par_value at;
	struct fe_tensor *t;
	int i, n;

	s->type = fe_par_array_of(x.type);
	s->n_own = s->type.rank;
	s->length[0] = f->length;
	at = fe_par_enter_all(p, x, f->loc, s->length + 1);
	fe_par_own_loops(p, s);
	for (i = 1; i < s->n_own; i++)
		s->length[i] = keep_length(f, s, i);
	leaf = fe_par_leaves(p, &at, &n);
	s->symbol = fe_arena_alloc(&p->unit->arena,
		((size_t)n + 1) * sizeof(*s->symbol));
	for (i = 0; i < n; i++)
		loops |= leaf[i]->loops;
	for (i = 0; i < n; i++) {
		t = fe_par_define(p, fe_par_leaf_name(p, &at.type, i, "kept"),
			f->loc, leaf[i]->type, loops, s->n_own, s);
		fe_par_piece(p, t, NULL, scattered(f, leaf[i]));
		s->symbol[i] = t->symbol;
	}
	fe_par_leave(p, s->n_own - 1);
	return s;
}

struct fe_par_value fe_par_filter(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg)
{
	struct filter f = { .p = p, .e = e, .loc = &e->loc };
	struct fe_par_store *s;
	struct fe_par_value x;

	f.xs = arg[0].array ? arg[0].array : arg[1].array;
	if (arg[0].array)
		fe_par_need_equal(p, f.xs->length, arg[1].array->length, f.loc);
	f.i = fe_par_enter(p, f.xs->length, f.loc);
	x = fe_par_element_at(p, f.xs, f.i);
	find_keep(&f, arg, x);
	count_kept(&f);
	s = keep_all(&f, x);
	fe_par_leave(p, 1);
	return fe_par_stored(p, s, NULL, 0, f.loc);
}
