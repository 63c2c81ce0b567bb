/* The nest as it was written, for the interpreter: a copy from before the
 * passes that rewrite it for the lowering (c_forward.c, c_remainder.c,
 * c_linear.c, c_scatter.c), so that a fault of theirs does not look right.
 */
#include "frontend/c/rewrite/rewrite.h"

void fe_c_written(struct fe_unit *u)
{
	const struct fe_c_copying whole = { NULL, NULL, NULL, NULL };

	u->c->written = fe_c_copy_list(u, u->c->body, &whole);
}
