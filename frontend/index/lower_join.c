/* Recurrences whose values are put together by an operator of the text:
 *
 *	a(s): s == 0: 1; else: f(a(s-1), b(s-1), x(s-1), y(s-1))	state a
 *	b(s): s == 0: 0; else: g(a(s-1), b(s-1), x(s-1), y(s-1))	state b
 *
 * are one recurrence over words that hold what goes together, if the operator (f, g) is
 * made of the two sides alone:
 *
 *	start	w[0] = (1, 0)
 *	join	w[s] = w[s-1] joined with (x[s-1], y[s-1])
 *
 * by which compilers know what may be grouped in another way (polyir/ir/expr.h, JOIN).
 * Who reads a(s) takes it from w[s]. The definitions stay what they are for everything
 * else; the sides are definitions of their own ("aside"), that nothing else reads.
 */
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/index/lower_index.h"

/* Is "e" made of numbers alone? */
static bool is_number(const struct fe_scalar *e)
{
	bool is = e->kind == FE_S_NUMBER || ((e->kind == FE_S_OP ||
		e->kind == FE_S_CAST) && e->n_arg > 0);

	for (int i = 0; i < e->n_arg && is; i++)
		is = is_number(e->arg[i]);
	return is;
}

/* What an expression may read: the sides of "join"; or nothing of it by positions that
 * data tell.
 */
struct look {
	const struct fe_join *join;
	bool fails;
};

/* Note whether "e" is anything but what an operator makes of the two sides. */
static void look_inside(struct fe_scalar *e, void *user)
{
	struct look *look = user;

	look->fails |= e->kind == FE_S_REDUCE ||
		(e->kind == FE_S_READ && e->tensor->join != look->join);
}

/* Does "e" need an index or a size, but for where the sides are read? */
static bool needs_place(const struct fe_scalar *e)
{
	bool needs = e->kind == FE_S_INDEX || e->kind == FE_S_SIZE;

	for (int i = 0; e->kind != FE_S_READ && i < e->n_arg && !needs; i++)
		needs = needs_place(e->arg[i]);
	return needs;
}

/* Note whether "e" reads a state at a position that data tell. */
static void look_outside(struct fe_scalar *e, void *user)
{
	struct look *look = user;

	look->fails |= e->kind == FE_S_READ &&
		e->tensor->join == look->join && fe_scalar_gathers(e);
}

/* Has "t" two values, the first of them where it begins? */
static bool has_two(const struct fe_tensor *t)
{
	const struct fe_piece *p = t->piece;

	return p && p->condition && !p->condition->data && p->next &&
		!p->next->condition && !p->next->next;
}

/* Can member "k" of "join" be part of words? */
static bool is_member(const struct fe_join *join, int k)
{
	const struct fe_tensor *t = join->state[k], *b = join->body[k];
	struct look look = { join, false };

	if (t->is_output || t->in_place || t->newer || t->call || !has_two(t) ||
	    !has_two(b) || !has_two(join->right[k]) ||
	    !is_number(t->piece->value) || needs_place(b->piece->next->value))
		return false;
	fe_scalar_each(b->piece->next->value, look_inside, &look);
	return !look.fails;
}

/* The word that member "k" begins in, the number of members: how many words there are. */
static int word_of(const struct fe_join *join, int k)
{
	int at = 0;

	for (int i = 0; i < k; i++)
		at += i < join->n ? poly_type_n_words(join->state[i]->type) : 1;
	return at;
}

enum poly_type fe_join_words(const struct fe_unit *u, const struct fe_join *join)
{
	struct look look = { join, false };
	bool can = join != NULL;

	for (int k = 0; can && k < join->n; k++)
		can = is_member(join, k);
	for (const struct fe_tensor *t = u->sorted; can && t; t = t->order_next)
		if (t->live)
			fe_tensor_each((struct fe_tensor *)t, look_outside, &look);
	return can && !look.fails ? poly_type_words(word_of(join, join->n +
		(join->begins != NULL))) : POLY_N_TYPE;
}

/* The words that "t", a state or what is on the right, is a part of: its place. */
static int place_of(const struct fe_tensor *t)
{
	int k = 0;

	while (k < t->join->n && t->join->state[k] != t && t->join->right[k] != t)
		k++;
	return word_of(t->join, k);
}

struct poly_expr *fe_join_read(struct fe_lower *lw, const struct fe_tensor *t,
	__isl_take isl_multi_pw_aff *index)
{
	struct poly_array *array = lw->words[t->id];

	if (lw->join == t->join) {
		isl_multi_pw_aff_free(index);
		return poly_expr_part(t->type, place_of(t), poly_expr_side(
			t->aside ? POLY_OP_RIGHT : POLY_OP_LEFT, lw->side));
	}
	index = isl_multi_pw_aff_set_tuple_name(index, isl_dim_out, array->name);
	return poly_expr_part(t->type, place_of(t), poly_expr_access(array,
		index));
}

/* Which values are put into words. */
enum what { FIRST, ON_THE_RIGHT, BOTH };

/* The value "e" of "t" on "where", in the type "t" is stored in. */
static struct poly_expr *value_of(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_scalar *e, __isl_keep isl_set *where)
{
	struct poly_expr *value;
	struct fe_frame f;

	fe_frame_init(&f, lw->unit, lw->ctx, isl_set_get_tuple_name(where));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	value = fe_lower_stored(lw, e, &f, where, t->type);
	fe_frame_free(&f);
	return value;
}

/* What member "k" is where another segment may have begun on the right: "value" unless it
 * has.
 */
static struct poly_expr *cut(const struct fe_join *join, int k,
	enum poly_type words, struct poly_expr *value)
{
	struct poly_expr *begins;
	enum poly_type type = join->state[k]->type;

	if (!join->begins)
		return value;
	begins = poly_expr_part(POLY_BOOL, word_of(join, join->n),
		poly_expr_side(POLY_OP_RIGHT, words));
	return poly_expr_select(begins, poly_expr_part(type, word_of(join, k),
		poly_expr_side(POLY_OP_RIGHT, words)), value);
}

/* Whether a segment begins, as a member of the words "what". */
static struct poly_expr *begins_of(struct fe_lower *lw, const struct fe_join *join,
	enum what what, enum poly_type words, __isl_keep isl_set *where)
{
	struct poly_expr *side[2];
	int at = word_of(join, join->n);

	if (what == FIRST)
		return poly_expr_const(POLY_BOOL, 0);
	if (what == ON_THE_RIGHT)
		return value_of(lw, join->begins, join->begins->piece->next->value,
			where);
	for (int i = 0; i < 2; i++)
		side[i] = poly_expr_part(POLY_BOOL, at, poly_expr_side(i ?
			POLY_OP_RIGHT : POLY_OP_LEFT, words));
	return poly_expr_op(POLY_OP_OR, POLY_BOOL, side[0], side[1]);
}

/* The values "what" on "where", in words. */
static struct poly_expr *pack(struct fe_lower *lw, const struct fe_join *join,
	enum what what, enum poly_type words, __isl_keep isl_set *where)
{
	struct poly_expr *e = poly_expr_const(words, 0), *v;

	lw->join = what == BOTH ? join : NULL;
	lw->side = words;
	for (int k = 0; k < join->n; k++) {
		const struct fe_tensor *t = what == FIRST ? join->state[k] :
			what == BOTH ? join->body[k] : join->right[k];

		v = value_of(lw, t, what == FIRST ? t->piece->value :
			t->piece->next->value, where);
		e = poly_expr_put(e, word_of(join, k), what == BOTH ? cut(join,
			k, words, v) : v);
	}
	lw->join = NULL;
	if (join->begins)
		e = poly_expr_put(e, word_of(join, join->n), begins_of(lw, join,
			what, words, where));
	return e;
}

/* The words of the element before. */
static struct poly_expr *before(const struct fe_frame *f,
	const struct fe_cell *cell)
{
	isl_multi_pw_aff *index = fe_lower_own_index(f, cell->array, cell->dim,
		cell->n);
	isl_pw_aff *last = isl_multi_pw_aff_get_at(index, cell->n - 1);

	last = isl_pw_aff_add_constant_val(last, isl_val_negone(
		isl_multi_pw_aff_get_ctx(index)));
	return poly_expr_access(cell->array, isl_multi_pw_aff_set_at(index,
		cell->n - 1, last));
}

/* One of the two statements: that which begins, or that which goes on. */
static isl_stat add_joined(struct fe_lower *lw, const struct fe_join *join,
	const struct fe_cell *cell, bool begins)
{
	const struct fe_tensor *t = join->state[0];
	enum poly_type words = cell->array->type;
	char name[FE_MAX_STMT_NAME];
	struct poly_expr *rhs;
	struct fe_frame f;
	isl_set *where, *first;
	isl_stat done;

	fe_frame_init(&f, lw->unit, lw->ctx, fe_lower_free_name(lw,
		lw->tensor->name, begins ? "start" : "join", name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	where = fe_frame_tensor(&f, t);
	first = fe_frame_condition(&f, t->piece->condition);
	where = begins ? isl_set_intersect(where, first) :
		isl_set_subtract(where, first);
	rhs = pack(lw, join, begins ? FIRST : ON_THE_RIGHT, words, where);
	if (!begins)
		rhs = poly_expr_join(before(&f, cell), rhs, pack(lw, join, BOTH,
			words, where), pack(lw, join, FIRST, words, where));
	done = fe_lower_add_stmt(lw, &f, where, cell, POLY_OP_NONE, rhs);
	fe_frame_free(&f);
	return done;
}

isl_stat fe_join_lower(struct fe_lower *lw, const struct fe_tensor *t)
{
	const struct fe_index *i = t->join->state[0]->scope.first;
	struct fe_cell cell = { .n = t->rank, .array = lw->words[t->id] };

	lw->tensor = t;
	lw->loc = t->loc;
	for (int d = 0; d < t->rank; d++, i = i->next)
		cell.dim[d] = i;
	return add_joined(lw, t->join, &cell, true) < 0 ? isl_stat_error :
		add_joined(lw, t->join, &cell, false);
}
