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
