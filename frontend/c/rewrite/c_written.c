/* The nest as it was written, for the interpreter: a copy from before the
 * passes that rewrite it for the lowering (c_forward.c, c_remainder.c,
 * c_linear.c, c_scatter.c), so that a fault of theirs does not look right.
 */
#include "frontend/c/rewrite/rewrite.h"

/* A deep copy of the list "s"; variables are shared. */
static struct fe_c_stmt *copy_list(struct fe_unit *u,
	const struct fe_c_stmt *s)
{
	struct fe_c_stmt *first = NULL, **last = &first, *c;

	for (; s; s = s->next, last = &c->next) {
		c = fe_arena_alloc(&u->arena, sizeof(*c));
		*c = *s;
		c->next = NULL;
		c->left = fe_c_copy_expr(u, s->left);
		c->right = fe_c_copy_expr(u, s->right);
		c->by = fe_c_copy_expr(u, s->by);
		c->cond = fe_c_copy_expr(u, s->cond);
		c->body = copy_list(u, s->body);
		c->otherwise = copy_list(u, s->otherwise);
		*last = c;
	}
	return first;
}

void fe_c_written(struct fe_unit *u)
{
	u->c->written = copy_list(u, u->c->body);
}
