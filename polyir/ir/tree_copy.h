/* How a schedule tree is copied where the copy is to have other statements. */
#ifndef POLYIR_TREE_COPY_H
#define POLYIR_TREE_COPY_H

#include <stdbool.h>

#include <isl/schedule_node.h>
#include <isl/union_set.h>

/* What a copy has that is not in the tree: each may be NULL and gets "user".
 *
 * "filter" gives a filter, which it takes, the statements of the copy; "band" does so
 * with the functions of the band "src". "instead" puts something else than a copy of
 * "src" at "*dst"; false: it has not. "list" adds, in the place of the child "filter" of
 * a sequence, children with nothing below them, "n_more" more at most; false: it has not.
 */
struct poly_copying {
	isl_union_set *(*filter)(__isl_take isl_union_set *set,
		const void *user);
	isl_multi_union_pw_aff *(*band)(
		__isl_take isl_multi_union_pw_aff *partial,
		__isl_keep isl_schedule_node *src, const void *user);
	bool (*instead)(isl_schedule_node **dst,
		__isl_keep isl_schedule_node *src, const void *user);
	bool (*list)(isl_union_set_list **filters,
		__isl_keep isl_schedule_node *filter, const void *user);
	const void *user;
	int n_more;
};

/* tree_copy.c: copy "src" and all below it to the leaf "dst"; the result points to the
 * copy of "src".
 */
__isl_give isl_schedule_node *poly_tree_copy_as(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct poly_copying *how);

struct poly_prog;
/* Let the schedule of "prog" be its tree, copied as "how" says, for the instances
 * "domain".
 */
isl_stat poly_tree_anew(struct poly_prog *prog, __isl_take isl_union_set *domain,
	const struct poly_copying *how);

#endif
