/* Copies of expressions, with other things in the place of some parts. */
#include "frontend/c/rewrite/rewrite.h"

struct fe_c_expr *fe_c_replace(struct fe_unit *u, const struct fe_c_expr *e,
	fe_c_other *other, void *with)
{
	struct fe_c_expr *c;

	if (!e)
		return NULL;
	c = other ? other(with, e) : NULL;
	if (c)
		return c;
	c = fe_arena_alloc(&u->arena, sizeof(*c));
	*c = *e;
	for (int i = 0; i < 3; i++)
		c->arg[i] = fe_c_replace(u, e->arg[i], other, with);
	if (e->n_index)
		c->index = fe_arena_alloc(&u->arena,
			(size_t)e->n_index * sizeof(*c->index));
	for (int i = 0; i < e->n_index; i++)
		c->index[i] = fe_c_replace(u, e->index[i], other, with);
	return c;
}

struct fe_c_expr *fe_c_copy_expr(struct fe_unit *u, const struct fe_c_expr *e)
{
	return fe_c_replace(u, e, NULL, NULL);
}

struct fe_c_stmt *fe_c_copy_list(struct fe_unit *u, const struct fe_c_stmt *s,
	const struct fe_c_copying *how)
{
	struct fe_c_stmt *first = NULL, **last = &first, *c;

	for (; s; s = s->next, last = &c->next) {
		c = fe_arena_alloc(&u->arena, sizeof(*c));
		*c = *s;
		c->next = NULL;
		if (how->begin)
			how->begin(how->with, c, s);
		c->left = fe_c_replace(u, s->left, how->other, how->with);
		c->right = fe_c_replace(u, s->right, how->other, how->with);
		c->by = fe_c_replace(u, s->by, how->other, how->with);
		c->cond = fe_c_replace(u, s->cond, how->other, how->with);
		c->body = fe_c_copy_list(u, s->body, how);
		c->otherwise = fe_c_copy_list(u, s->otherwise, how);
		if (how->begin)
			how->end(how->with, c, s);
		*last = c;
	}
	return first;
}

/* What is to stand in the place of what. */
struct put {
	const struct fe_c_expr *from;
	struct fe_c_expr *to;
};

static struct fe_c_expr *other(void *with, const struct fe_c_expr *e)
{
	const struct put *p = with;

	return fe_c_same(e, p->from) ? p->to : NULL;
}

struct fe_c_expr *fe_c_put(struct fe_unit *u, const struct fe_c_expr *e,
	const struct fe_c_expr *from, struct fe_c_expr *to)
{
	struct put p = { from, to };

	return fe_c_replace(u, e, other, &p);
}
