/* Row programs in a tree: the mark that stands above the statements of one.
 *
 * rows.c sets the mark, passes that come later ask for it: what stands below
 * belongs together and is not cut, split or skewed.
 */
#include "polyir/ir/ir.h"
#include "polyir/ir/in_rows.h"

bool poly_is_rows(__isl_keep isl_schedule_node *node)
{
	return poly_is_mark(node, POLY_ROWS);
}

bool poly_is_above_rows(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	bool is = poly_is_rows(child);

	isl_schedule_node_free(child);
	return is;
}

/* The search for instances of a statement in row programs. */
struct search {
	isl_set *domain;
	bool found;
};

/* Note if instances of the statement reach the mark of a row program.
 *
 * Does not go below the mark.
 */
static isl_bool look_below(__isl_keep isl_schedule_node *node, void *user)
{
	struct search *s = user;
	isl_union_set *domain;
	isl_set *own;

	if (!poly_is_rows(node))
		return isl_bool_true;
	domain = poly_node_domain(node);
	own = isl_union_set_extract_set(domain, isl_set_get_space(s->domain));
	s->found |= isl_set_is_empty(own) == isl_bool_false;
	isl_set_free(own);
	isl_union_set_free(domain);
	return isl_bool_false;
}

/* False before the pass has run. */
bool poly_in_rows(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	struct search s = { stmt->domain, false };

	if (prog->schedule && (prog->have & POLY_HAVE_ROWS))
		isl_schedule_foreach_schedule_node_top_down(prog->schedule,
			look_below, &s);
	return s.found;
}
