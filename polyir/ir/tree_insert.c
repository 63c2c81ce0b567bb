/* Statements put into a schedule tree beside others that are there.
 *
 * isl cannot add statements to the domain of a schedule. So the tree is copied
 * (tree_copy.c), and every new statement (a "companion") gets the place of an existing
 * one (its "anchor"):
 *
 *	before: filter {D[t,k]}     after: filter {D[t,k]; cp[t,k]}
 *	          band {D -> k}              band {D -> k; cp -> k}
 *	            leaf                       sequence
 *	                                         filter {cp[t,k]}
 *	                                         filter {D[t,k]}
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/tree_copy.h"
#include "polyir/loops/loops.h"

/* ---------------------------------------------------------------- domains */

struct narrow {
	isl_union_set *other, *result;
	struct poly_answers answers;
};

/* What "set" and "part", which are taken, have in common. */
static __isl_give isl_set *intersect(struct narrow *n, __isl_take isl_set *set,
	__isl_take isl_set *part)
{
	struct poly_answer *of = poly_answer_of(&n->answers, set, part);
	isl_set *both;

	if (!of->known)
		of->set = isl_set_intersect(isl_set_copy(set),
			isl_set_copy(part));
	of->known = true;
	both = poly_named_like(isl_set_copy(of->set), set);
	isl_set_free(set);
	isl_set_free(part);
	return both;
}

/* Most filters name statements and have all of their instances. */
static isl_stat narrow_set(__isl_take isl_set *set, void *user)
{
	struct narrow *n = user;
	isl_set *part = isl_union_set_extract_set(n->other,
		isl_set_get_space(set));

	if (isl_set_plain_is_universe(part) == isl_bool_true)
		isl_set_free(part);
	else if (isl_set_plain_is_universe(set) == isl_bool_true) {
		isl_set_free(set);
		set = part;
	} else {
		set = intersect(n, set, part);
	}
	n->result = isl_union_set_add_set(n->result, set);
	return isl_stat_ok;
}

__isl_give isl_union_set *poly_narrow(__isl_take isl_union_set *set,
	__isl_take isl_union_set *other)
{
	struct narrow n = { .other = other };

	n.result = isl_union_set_empty(isl_union_set_get_space(set));
	isl_union_set_foreach_set(set, narrow_set, &n);
	poly_answers_free(&n.answers);
	isl_union_set_free(set);
	isl_union_set_free(other);
	return n.result;
}

/* "domain", or everything if it is NULL, within "other". */
static __isl_give isl_union_set *within(__isl_take isl_union_set *domain,
	__isl_take isl_union_set *other)
{
	return domain ? poly_narrow(domain, other) : other;
}

__isl_give isl_union_set *poly_node_domain(__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *at = isl_schedule_node_copy(node);
	isl_union_set *domain = NULL;

	while (isl_schedule_node_has_parent(at) == isl_bool_true) {
		at = isl_schedule_node_parent(at);
		if (isl_schedule_node_get_type(at) ==
			isl_schedule_node_filter)
			domain = within(domain,
				isl_schedule_node_filter_get_filter(at));
		else if (isl_schedule_node_get_type(at) ==
			isl_schedule_node_domain)
			domain = within(domain,
				isl_schedule_node_domain_get_domain(at));
	}
	isl_schedule_node_free(at);
	return domain;
}

/* ------------------------------------------------------------- companions */

struct insertion {
	const struct poly_companion *c;
	int n;
};

/* Give "set" the name of "stmt". */
static __isl_give isl_set *rename_set(__isl_take isl_set *set,
	const struct poly_stmt *stmt)
{
	isl_id *id = isl_set_get_tuple_id(stmt->domain);

	return isl_set_set_tuple_id(set, id);
}

/* Add to "domain", for every companion whose anchor is in it, the anchor's
 * part under the companion's name.
 */
static __isl_give isl_union_set *extend_set(__isl_take isl_union_set *domain,
	const void *user)
{
	const struct insertion *ins = user;
	isl_union_set *result = isl_union_set_copy(domain);

	for (int i = 0; i < ins->n; i++) {
		isl_space *space =
			isl_set_get_space(ins->c[i].anchor->domain);
		isl_set *part = isl_union_set_extract_set(domain, space);

		part = rename_set(part, ins->c[i].stmt);
		result = isl_union_set_add_set(result, part);
	}
	isl_union_set_free(domain);
	return result;
}

struct extend {
	const struct insertion *ins;
	isl_union_pw_aff *result;
};

/* Add the companions' copies of "pa", one member of a band for one statement.
 */
static isl_stat extend_piece(__isl_take isl_pw_aff *pa, void *user)
{
	struct extend *e = user;
	isl_id *in = isl_pw_aff_get_tuple_id(pa, isl_dim_in);

	for (int i = 0; i < e->ins->n; i++) {
		const struct poly_companion *c = &e->ins->c[i];
		isl_id *id;
		isl_pw_aff *copy;

		if (strcmp(isl_id_get_name(in), c->anchor->name))
			continue;
		id = isl_set_get_tuple_id(c->stmt->domain);
		copy = isl_pw_aff_set_tuple_id(isl_pw_aff_copy(pa),
			isl_dim_in, id);
		e->result = isl_union_pw_aff_union_add(e->result,
			isl_union_pw_aff_from_pw_aff(copy));
	}
	isl_id_free(in);
	isl_pw_aff_free(pa);
	return isl_stat_ok;
}

/* Extend the functions of a band to the companions. */
static __isl_give isl_multi_union_pw_aff *extend_partial(
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *src, const void *user)
{
	const struct insertion *ins = user;
	int n = isl_multi_union_pw_aff_size(partial);

	(void)src;
	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *member =
			isl_multi_union_pw_aff_get_at(partial, i);
		struct extend e = { ins, isl_union_pw_aff_copy(member) };

		isl_union_pw_aff_foreach_pw_aff(member, extend_piece, &e);
		isl_union_pw_aff_free(member);
		partial = isl_multi_union_pw_aff_set_at(partial, i, e.result);
	}
	return partial;
}

/* Add the filters of the companions on the side "after" of the statements in
 * "domain" to "filters".
 */
static __isl_give isl_union_set_list *add_side(
	__isl_take isl_union_set_list *filters,
	__isl_keep isl_union_set *domain, const struct insertion *ins,
	bool after)
{
	for (int i = 0; i < ins->n; i++) {
		isl_set *part;

		if (ins->c[i].after != after)
			continue;
		part = isl_union_set_extract_set(domain,
			isl_set_get_space(ins->c[i].anchor->domain));
		if (isl_set_is_empty(part)) {
			isl_set_free(part);
			continue;
		}
		part = rename_set(part, ins->c[i].stmt);
		filters = isl_union_set_list_add(filters,
			isl_union_set_from_set(part));
	}
	return filters;
}

/* The filters that take the place of "domain", a set of statements without a
 * band between them: companions before, themselves, companions after.
 */
static __isl_give isl_union_set_list *add_around(
	__isl_take isl_union_set_list *filters,
	__isl_keep isl_union_set *domain, const struct insertion *ins)
{
	filters = add_side(filters, domain, ins, false);
	filters = isl_union_set_list_add(filters, isl_union_set_copy(domain));
	return add_side(filters, domain, ins, true);
}

/* At the leaf "dst" whose anchors' instances are "domain": put the companions
 * in a sequence around them.
 */
static __isl_give isl_schedule_node *insert_companions(
	__isl_take isl_schedule_node *dst, __isl_keep isl_union_set *domain,
	const struct insertion *ins)
{
	isl_ctx *ctx = isl_schedule_node_get_ctx(dst);
	isl_union_set_list *filters = isl_union_set_list_alloc(ctx, 3);

	filters = add_around(filters, domain, ins);
	if (isl_union_set_list_size(filters) == 1) {
		isl_union_set_list_free(filters);
		return dst;
	}
	return isl_schedule_node_insert_sequence(dst, filters);
}

/* Put the companions around the statements of the leaf "src". */
static bool at_leaf(isl_schedule_node **dst, __isl_keep isl_schedule_node *src,
	const void *user)
{
	isl_union_set *set;

	if (isl_schedule_node_get_type(src) != isl_schedule_node_leaf)
		return false;
	set = isl_union_set_universe(poly_node_domain(src));
	*dst = insert_companions(*dst, set, user);
	isl_union_set_free(set);
	return true;
}

/* The companions of a child without bands become its siblings. */
static bool beside_leaf(isl_union_set_list **filters,
	__isl_keep isl_schedule_node *filter, const void *user)
{
	isl_schedule_node *child = isl_schedule_node_get_child(filter, 0);
	bool leaf = isl_schedule_node_get_type(child) ==
		isl_schedule_node_leaf;
	isl_union_set *set;

	isl_schedule_node_free(child);
	if (!leaf)
		return false;
	set = isl_schedule_node_filter_get_filter(filter);
	*filters = add_around(*filters, set, user);
	isl_union_set_free(set);
	return true;
}

__isl_give isl_schedule_node *poly_join_bands(
	__isl_take isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	int n = isl_schedule_node_band_n_member(node);
	int m = isl_schedule_node_band_n_member(child);
	bool permutable = m == 1 || isl_schedule_node_band_get_permutable(
		child) == isl_bool_true;
	isl_multi_union_pw_aff *partial;

	partial = isl_multi_union_pw_aff_flat_range_product(
		isl_schedule_node_band_get_partial_schedule(node),
		isl_schedule_node_band_get_partial_schedule(child));
	node = isl_schedule_node_delete(isl_schedule_node_delete(node));
	node = isl_schedule_node_insert_partial_schedule(node, partial);
	for (int i = 0; i < n + m; i++)
		node = isl_schedule_node_band_member_set_coincident(node, i,
			i < n || isl_schedule_node_band_member_get_coincident(
				child, i - n) == isl_bool_true);
	isl_schedule_node_free(child);
	return isl_schedule_node_band_set_permutable(node, permutable);
}

isl_stat poly_tree_insert(struct poly_prog *prog,
	const struct poly_companion *c, int n)
{
	const struct insertion ins = { c, n };
	const struct poly_copying how = { extend_set, extend_partial, at_leaf,
		beside_leaf, &ins, n };
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);

	for (int i = 0; i < n; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(c[i].stmt->domain));
	return poly_tree_anew(prog, domain, &how);
}

__isl_give isl_schedule *poly_add_band(__isl_take isl_schedule *schedule,
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *like)
{
	int n = isl_multi_union_pw_aff_size(partial);
	isl_schedule_node *band;

	schedule = isl_schedule_insert_partial_schedule(schedule, partial);
	band = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
	isl_schedule_free(schedule);
	band = isl_schedule_node_band_set_permutable(band,
		isl_schedule_node_band_get_permutable(like));
	band = isl_schedule_node_band_set_ast_build_options(band,
		isl_schedule_node_band_get_ast_build_options(like));
	for (int i = 0; i < n; i++)
		band = isl_schedule_node_band_member_set_coincident(band, i,
			isl_schedule_node_band_member_get_coincident(like, i));
	schedule = isl_schedule_node_get_schedule(band);
	isl_schedule_node_free(band);
	return schedule;
}

__isl_give isl_schedule *poly_add_mark(__isl_take isl_schedule *schedule,
	__isl_take isl_id *id)
{
	isl_schedule_node *top = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	top = isl_schedule_node_insert_mark(
		isl_schedule_node_child(top, 0), id);
	schedule = isl_schedule_node_get_schedule(top);
	isl_schedule_node_free(top);
	return schedule;
}

__isl_give isl_schedule_node *poly_unrolled(__isl_take isl_schedule_node *node)
{
	isl_space *space = poly_add_dim(poly_tuple(
		isl_schedule_node_get_ctx(node), "unroll"), "i");
	isl_set *first = isl_pw_aff_zero_set(isl_pw_aff_from_aff(
		poly_at(space, "i")));

	isl_space_free(space);
	return isl_schedule_node_band_set_ast_build_options(node,
		isl_union_set_from_set(first));
}
