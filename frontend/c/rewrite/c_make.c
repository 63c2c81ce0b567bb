/* Parts of a tree that rewrites make. */
#include "frontend/c/rewrite/make.h"
#include "frontend/c/rewrite/rewrite.h"

/* ----------------------------------------------------------------- expressions */

struct fe_c_expr *fe_c_make_node(const struct fe_c_maker *m,
	enum fe_c_kind kind, enum poly_type type, struct fe_c_expr *a,
	struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(m->u, kind, type, m->loc);

	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

struct fe_c_expr *fe_c_make_op(const struct fe_c_maker *m, enum poly_op op,
	enum poly_type type, struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make_node(m, FE_C_OP, type, a, b);

	e->op = op;
	return e;
}

struct fe_c_expr *fe_c_make_choice(const struct fe_c_maker *m,
	struct fe_c_expr *cond, struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make_node(m, FE_C_COND, a->type, cond, a);

	e->arg[2] = b;
	return e;
}

struct fe_c_expr *fe_c_make_read(const struct fe_c_maker *m, struct fe_c_var *v)
{
	struct fe_c_expr *e = fe_c_make_node(m, FE_C_VAR, v->type, NULL, NULL);

	e->var = v;
	return e;
}

struct fe_c_expr *fe_c_make_element(const struct fe_c_maker *m,
	struct fe_c_var *v, struct fe_c_expr *index)
{
	struct fe_c_expr *e = fe_c_make_node(m, FE_C_ELEMENT, v->type, NULL,
		NULL);

	e->var = v;
	e->index = fe_arena_alloc(&m->u->arena, sizeof(*e->index));
	e->index[0] = index;
	e->n_index = 1;
	return e;
}

struct fe_c_expr *fe_c_make_int(const struct fe_c_maker *m, enum poly_type type,
	int64_t bits)
{
	return fe_c_int(m->u, type, bits, m->loc);
}

struct fe_c_expr *fe_c_make_cast(const struct fe_c_maker *m, enum poly_type type,
	struct fe_c_expr *e)
{
	return e->type == type ? e :
		fe_c_make_node(m, FE_C_CAST, type, e, NULL);
}

/* ------------------------------------------------------------------ statements */

struct fe_c_stmt *fe_c_make_stmt(const struct fe_c_maker *m,
	enum fe_c_stmt_kind kind, struct fe_c_stmt *next)
{
	struct fe_c_stmt *s = fe_arena_alloc(&m->u->arena, sizeof(*s));

	s->kind = kind;
	s->loc = *m->loc;
	s->next = next;
	return s;
}

struct fe_c_stmt *fe_c_make_assign(const struct fe_c_maker *m,
	const struct fe_c_expr *left, struct fe_c_expr *e,
	struct fe_c_stmt *next)
{
	struct fe_c_stmt *s = fe_c_make_stmt(m, FE_C_ASSIGN, next);

	s->left = fe_c_copy_expr(m->u, left);
	s->right = fe_c_make_cast(m, left->type, e);
	s->left->var->n_write++;
	return s;
}

struct fe_c_stmt *fe_c_make_loop(const struct fe_c_maker *m,
	const struct fe_c_stmt *from, struct fe_c_stmt *body,
	struct fe_c_stmt *next)
{
	struct fe_c_stmt *s = fe_c_make_stmt(m, FE_C_FOR, next);

	*s = *from;
	s->next = next;
	s->right = fe_c_copy_expr(m->u, from->right);
	s->cond = fe_c_copy_expr(m->u, from->cond);
	s->by = from->by ? fe_c_copy_expr(m->u, from->by) : NULL;
	s->body = body;
	s->var->n_loop++;
	return s;
}

/* ------------------------------------------------------------------- variables */

struct fe_c_var *fe_c_make_var(const struct fe_c_maker *m, const char *name,
	enum poly_type type)
{
	struct fe_c_var *v = fe_arena_alloc(&m->u->arena, sizeof(*v));

	v->id = m->u->c->n_var++;
	v->name = name;
	v->type = type;
	v->loc = *m->loc;
	v->unset = true;
	*m->u->c->last_var = v;
	m->u->c->last_var = &v->next;
	return v;
}
