/* Loops whose variable is multiplied or divided: their iterations, one behind another.
 *
 *	for (k = 1; k < n; k *= 2)	if (1 < n) {
 *		A(k);				A(1);
 *						if (2 < n) {
 *							A(2);
 *							if (4 < n) ..
 *
 * There are as many as the type of the variable has bits, at most, or sizes have. So
 * each A is made of values that are affine: multiples of what the loop begins with, or
 * quotients. What A declares is another variable in each of them.
 */
#include <string.h>

#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* Iterations of a loop, and statements that are written for all loops together. */
enum { MOST_TURNS = 64, MOST_WRITTEN = 4 * FE_C_MAX_STMT };

/* A loop that is written out. In turn "turn" its variable is "value", a constant if
 * "known"; "own" are the variables that the body declares, by their ids, of this turn.
 * "stays": the variable is read elsewhere, too.
 */
struct power {
	struct fe_c_maker m;
	const struct fe_c_stmt *loop;
	struct fe_c_expr *value;
	int64_t constant;
	bool known, stays;
	int turn, n_own, *written;
	struct fe_c_var **own;
};

/* ------------------------------------------------------------------ variables */

/* What stands in the place of "v" in this turn. */
static struct fe_c_var *own_of(const struct power *x, struct fe_c_var *v)
{
	return v && v->id < x->n_own && x->own[v->id] ? x->own[v->id] : v;
}

/* What stands in the place of "e". */
static struct fe_c_expr *other(void *with, const struct fe_c_expr *e)
{
	struct power *x = with;
	struct fe_c_expr *c;

	if (e->kind == FE_C_VAR && e->var == x->loop->var)
		return fe_c_make_cast(&x->m, e->type, x->value);
	if (!e->var || own_of(x, e->var) == e->var)
		return NULL;
	c = fe_c_make(x->m.u, e->kind, e->type, &e->loc);
	*c = *e;
	c->var = own_of(x, e->var);
	for (int i = 0; i < 3; i++)
		c->arg[i] = fe_c_replace(x->m.u, e->arg[i], other, x);
	c->index = fe_arena_alloc(&x->m.u->arena,
		((size_t)e->n_index + 1) * sizeof(*c->index));
	for (int i = 0; i < e->n_index; i++)
		c->index[i] = fe_c_replace(x->m.u, e->index[i], other, x);
	return c;
}

static struct fe_c_expr *put(struct power *x, const struct fe_c_expr *e)
{
	return fe_c_replace(x->m.u, e, other, x);
}

/* Make variables of this turn in the place of those that the block "s" declares. */
static void declare(struct power *x, const struct fe_c_stmt *s)
{
	struct fe_c_unit *c = x->m.u->c;
	struct fe_c_var *v = c->var;

	while (v && v->id < s->first_id)
		v = v->next;
	for (; v && v->id < s->first_id + s->n_id; v = v->next) {
		struct fe_c_var *new = fe_c_make_var(&x->m, v->name, v->type);
		int id = new->id;

		*new = *v;
		new->next = NULL;
		new->id = id;
		x->own[v->id] = new;
	}
	for (v = c->var; v; v = v->next) {
		if (v->id < s->first_id || v->id >= s->first_id + s->n_id)
			continue;
		for (int d = 0; d < v->n_dim; d++)
			own_of(x, v)->dim[d] = put(x, v->dim[d]);
		for (int d = 0; d < 2; d++)
			own_of(x, v)->limit[d] = put(x, v->limit[d]);
		own_of(x, v)->init = put(x, v->init);
	}
}

/* ------------------------------------------------------------------ statements */

/* A block of this turn has variables of its own. */
static void begin_copy(void *with, struct fe_c_stmt *c, const struct fe_c_stmt *s)
{
	struct power *x = with;

	c->first_id = x->m.u->c->n_var;
	if (s->kind == FE_C_BLOCK)
		declare(x, s);
}

/* Count what the copy "c" of "s" writes. */
static void end_copy(void *with, struct fe_c_stmt *c, const struct fe_c_stmt *s)
{
	struct power *x = with;

	c->var = own_of(x, s->var);
	if (s->kind == FE_C_ASSIGN && c->left->var == s->left->var)
		c->left->var->n_write++;
	if (s->kind == FE_C_FOR && c->var == s->var)
		c->var->n_loop++;
	++*x->written;
}

/* The list "s" in this turn. */
static struct fe_c_stmt *copy_list(struct power *x, const struct fe_c_stmt *s)
{
	const struct fe_c_copying how = { other, begin_copy, end_copy, x };

	return fe_c_copy_list(x->m.u, s, &how);
}

/* The list "s" is gone: its writes, and those of loops, count no more. */
static void uncount(const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN)
			s->left->var->n_write--;
		if (s->kind == FE_C_FOR)
			s->var->n_loop--;
		uncount(s->body);
		uncount(s->otherwise);
	}
}

/* -------------------------------------------------------------------- turns */

/* The type in which the variable is multiplied. */
static enum poly_type wide(const struct power *x)
{
	return poly_type_size(x->loop->var->type) < 4 ? POLY_I32 :
		x->loop->var->type;
}

/* The largest value of the type of "v". */
static int64_t largest(const struct fe_c_var *v)
{
	int bits = 8 * (int)poly_type_size(v->type) -
		(poly_type_class(v->type) == POLY_CLASS_INT);

	return bits > 62 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

/* A constant value becomes that of the next turn; is there one? What would wrap is
 * none: a size is never larger.
 */
static bool multiply(struct power *x, int64_t by)
{
	const struct fe_c_stmt *s = x->loop;
	int64_t next = x->constant;

	if (s->scale == POLY_OP_SHL)
		by = (int64_t)1 << by;
	if (s->scale == POLY_OP_MUL || s->scale == POLY_OP_SHL) {
		if (__builtin_mul_overflow(next, by, &next) ||
		    next > largest(s->var) || next < -largest(s->var))
			return false;
	} else {
		next = fe_c_apply(s->scale, wide(x), next, by);
	}
	if (next == x->constant)
		return false;
	x->constant = next;
	x->value = fe_c_make_int(&x->m, s->var->type, next);
	return true;
}

/* Go on to the next turn, if there can be one. */
static bool advance(struct power *x)
{
	const struct fe_c_stmt *s = x->loop;
	bool shifts = s->scale == POLY_OP_SHL || s->scale == POLY_OP_SHR;
	int64_t by = 0, all = 1;

	fe_c_constant(s->by, &by);
	if (++x->turn == MOST_TURNS)
		return false;
	if (x->known)
		return multiply(x, by);
	for (int i = 0; i < x->turn; i++) {
		all *= shifts ? (int64_t)1 << by : by;
		if (all > (int64_t)1 << (poly_type_size(wide(x)) == 8 ? 40 : 30))
			return false;
	}
	x->value = fe_c_make_op(&x->m, shifts ? s->scale == POLY_OP_SHL ?
		POLY_OP_MUL : POLY_OP_SHR : s->scale, wide(x),
		fe_c_make_cast(&x->m, wide(x), fe_c_copy_expr(x->m.u, s->right)),
		fe_c_make_int(&x->m, wide(x), s->scale == POLY_OP_SHR ?
		by * x->turn : all));
	x->value = fe_c_make_cast(&x->m, s->var->type, x->value);
	return true;
}

/* The program holds for the values of the sizes in "e" alone. */
static void fold(const struct fe_c_expr *e)
{
	struct fe_c_var *v = e->kind == FE_C_VAR ? e->var : NULL;

	if (v && v->use == FE_C_CELL && v->fixed)
		v->used = v->sized = v->folded = true;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		fold(e->arg[i]);
}

/* Is the condition sure to fail? */
static bool fails(const struct fe_c_expr *cond)
{
	int64_t value;

	if (!fe_c_known(cond, &value) || value)
		return false;
	fold(cond);
	return true;
}

/* What the variable is in this turn is its value behind the loop, if one asks. (Behind
 * the last turn that sizes can have, which divided, that is 0.)
 */
static struct fe_c_stmt *keep(const struct power *x)
{
	return x->stays ? fe_c_make_assign(&x->m, fe_c_make_read(&x->m,
		x->loop->var), fe_c_copy_expr(x->m.u, x->value), NULL) : NULL;
}

/* All turns from this one on. */
static struct fe_c_stmt *turns(struct power *x)
{
	struct fe_c_expr *cond = put(x, x->loop->cond);
	struct fe_c_stmt *s, **last;

	if (fails(cond) || *x->written > MOST_WRITTEN)
		return keep(x);
	s = fe_c_make_stmt(&x->m, FE_C_IF, NULL);
	s->cond = cond;
	s->otherwise = keep(x);
	memset(x->own, 0, (size_t)x->n_own * sizeof(*x->own));
	s->body = copy_list(x, x->loop->body);
	for (last = &s->body; *last; last = &(*last)->next)
		;
	if (advance(x)) {
		*last = turns(x);
	} else {
		x->value = fe_c_make_int(&x->m, x->loop->var->type, 0);
		*last = keep(x);
	}
	return s;
}

/* --------------------------------------------------------------------- the walk */

/* What the loop, in "list", begins with, if the statements in front of it say so. */
static const struct fe_c_expr *first_value(const struct fe_c_stmt *loop,
	const struct fe_c_stmt *list)
{
	const struct fe_c_expr *e = loop->right;
	int64_t value;

	if (e->kind != FE_C_VAR)
		return e;
	for (; list != loop; list = list->next) {
		struct fe_c_stmt one = *list;

		one.next = NULL;
		if (list->kind == FE_C_ASSIGN && !list->left->n_index &&
		    list->left->var == loop->right->var)
			e = fe_c_constant(list->right, &value) ? list->right :
				loop->right;
		else if (fe_c_writes(&one, loop->right->var))
			e = loop->right;
	}
	return e;
}

/* Can "e" be larger than sums of sizes are? What is multiplied can, and what is read. */
static bool is_large(const void *with, const struct fe_c_expr *e)
{
	int64_t by;

	(void)with;
	return e->kind == FE_C_ELEMENT || poly_type_is_float(e->type) ||
		(e->kind == FE_C_OP && (e->op == POLY_OP_MUL ||
		 e->op == POLY_OP_SHL) && !fe_c_constant(e->arg[0], &by) &&
		 !fe_c_constant(e->arg[1], &by));
}

/* Can the turns of the loop be told one by one? 0 stays 0. */
static bool is_told(struct power *x)
{
	const struct fe_c_stmt *s = x->loop;

	if (s->breaks || fe_c_writes(s->body, s->var) ||
	    fe_c_changes(s, s->right))
		return false;
	return x->known ? x->constant || fails(put(x, s->cond)) :
		!fe_c_any(s->right, is_large, NULL);
}

/* Write out the loop "s" of "list". "all" counts what is written. */
static void write_out(struct fe_unit *u, struct fe_c_stmt *s,
	const struct fe_c_stmt *list, int *all)
{
	struct power x = { .m = { u, &s->loc }, .written = all };
	struct fe_c_stmt block;
	const struct fe_c_expr *first = first_value(s, list);
	struct fe_c_var *v = s->var;

	x.loop = s;
	x.known = fe_c_known(first, &x.constant);
	x.value = x.known ? fe_c_make_int(&x.m, v->type, x.constant) :
		fe_c_copy_expr(u, s->right);
	x.n_own = u->c->n_var;
	x.own = fe_arena_alloc(&u->arena, ((size_t)x.n_own + 1) *
		sizeof(*x.own));
	x.stays = fe_c_list_reads(u->c->body, v) || (v->outer && !v->by_value) ||
		v->is_result;
	if (!is_told(&x)) {
		FE_REPORT(u, FE_C_LOOP, &s->step_loc, FE_C_BAD_STEP);
		return;
	}
	if (x.known)
		fold(first);
	block = *fe_c_make_stmt(&x.m, FE_C_BLOCK, s->next);
	block.body = turns(&x);
	if (*all > MOST_WRITTEN)
		FE_REPORT(u, FE_C_LOOP, &s->step_loc,
			"written out it has too many statements");
	v->n_loop--;
	uncount(s->body);
	*s = block;
}

/* Loops around first: those inside may begin with what their variables are. */
static void walk(struct fe_unit *u, struct fe_c_stmt *list, int *all)
{
	for (struct fe_c_stmt *s = list; s; s = s->next) {
		if (s->kind == FE_C_FOR && s->scales)
			write_out(u, s, list, all);
		walk(u, s->body, all);
		walk(u, s->otherwise, all);
	}
}

void fe_c_powers(struct fe_unit *u)
{
	int all = 0;

	walk(u, u->c->body, &all);
}
