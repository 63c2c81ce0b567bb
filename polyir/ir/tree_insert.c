/* polyir: statements put into a schedule tree beside others that are there. */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/loops/loops.h"

/* ---------------------------------------------------------------- domains */

struct narrow {
	isl_union_set *other, *result;
};

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
		set = isl_set_intersect(set, part);
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
	const struct insertion *ins)
{
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

static __isl_give isl_multi_union_pw_aff *extend_partial(
	__isl_take isl_multi_union_pw_aff *partial,
	const struct insertion *ins)
{
	int n = isl_multi_union_pw_aff_size(partial);

	for (int i = 0; ins->n && i < n; i++) {
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

/* --------------------------------------------------------------- copying */

static __isl_give isl_schedule_node *copy_below(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct insertion *ins);

/* Copy what hangs below child 0 of "src" below "dst" and return to "dst". */
static __isl_give isl_schedule_node *copy_child(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct insertion *ins)
{
	isl_schedule_node *child = isl_schedule_node_get_child(src, 0);

	dst = isl_schedule_node_child(dst, 0);
	dst = copy_below(dst, child, ins);
	isl_schedule_node_free(child);
	return isl_schedule_node_parent(dst);
}

static isl_stat add_universe(__isl_take isl_set *set, void *user)
{
	isl_union_set **all = user;
	isl_space *space = isl_space_drop_all_params(isl_set_get_space(set));

	isl_set_free(set);
	*all = isl_union_set_add_set(*all, isl_set_universe(space));
	return isl_stat_non_null(*all);
}

/* All points of the spaces of what reaches "node", without the coordinates that
 * filters above it name: these are no parameters of the bands below.
 */
static __isl_give isl_union_set *reaching_spaces(
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node), *all;

	all = isl_union_set_empty(isl_space_params_alloc(
		isl_schedule_node_get_ctx(node), 0));
	if (isl_union_set_foreach_set(domain, add_universe, &all) < 0)
		all = isl_union_set_free(all);
	isl_union_set_free(domain);
	return all;
}

/* Copy the band "src", with its flags and options, and what is below it; its
 * functions are extended to the companions that reach "dst".
 */
static __isl_give isl_schedule_node *copy_band(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct insertion *ins)
{
	isl_union_set *options =
		isl_schedule_node_band_get_ast_build_options(src);
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(src);
	int n = isl_schedule_node_band_n_member(src);

	partial = extend_partial(partial, ins);
	if (n > 0)
		partial = isl_multi_union_pw_aff_intersect_domain(partial,
			reaching_spaces(dst));
	dst = isl_schedule_node_insert_partial_schedule(dst, partial);
	dst = isl_schedule_node_band_set_permutable(dst,
		isl_schedule_node_band_get_permutable(src));
	for (int i = 0; i < n; i++)
		dst = isl_schedule_node_band_member_set_coincident(dst, i,
			isl_schedule_node_band_member_get_coincident(src, i));
	dst = isl_schedule_node_band_set_ast_build_options(dst, options);
	return copy_child(dst, src, ins);
}

/* The filter of "child", a child of a sequence or set, for the statements of
 * "domain".
 */
static __isl_give isl_union_set *child_filter(
	__isl_keep isl_schedule_node *child, __isl_keep isl_union_set *domain,
	const struct insertion *ins)
{
	isl_union_set *filter = isl_schedule_node_filter_get_filter(child);

	filter = extend_set(filter, ins);
	return isl_union_set_intersect(filter,
		isl_union_set_universe(isl_union_set_copy(domain)));
}

static isl_bool has_leaf(__isl_keep isl_schedule_node *filter)
{
	isl_schedule_node *child = isl_schedule_node_get_child(filter, 0);
	enum isl_schedule_node_type type = isl_schedule_node_get_type(child);

	isl_schedule_node_free(child);
	return isl_bool_ok(type == isl_schedule_node_leaf);
}

/* The children of the copy of the sequence or set "src": their filters, and
 * in "from" the child each is to be copied from (-1: nothing below). Children
 * that no statement reaches are dropped; companions of a child without bands
 * become its siblings.
 */
static __isl_give isl_union_set_list *list_children(
	__isl_keep isl_schedule_node *src, __isl_keep isl_union_set *domain,
	const struct insertion *ins, int *from)
{
	int n = isl_schedule_node_n_children(src), kept = 0;
	isl_union_set_list *filters = isl_union_set_list_alloc(
		isl_schedule_node_get_ctx(src), n);

	for (int i = 0; i < n; i++) {
		isl_schedule_node *c = isl_schedule_node_get_child(src, i);
		isl_union_set *f = child_filter(c, domain, ins);

		if (isl_union_set_is_empty(f)) {
			isl_union_set_free(f);
		} else if (ins->n && has_leaf(c)) {
			isl_union_set_free(f);
			f = isl_schedule_node_filter_get_filter(c);
			filters = add_around(filters, f, ins);
			isl_union_set_free(f);
			while (kept < isl_union_set_list_size(filters))
				from[kept++] = -1;
		} else {
			from[kept++] = i;
			filters = isl_union_set_list_add(filters, f);
		}
		isl_schedule_node_free(c);
	}
	return filters;
}

/* Copy a sequence or set. */
static __isl_give isl_schedule_node *copy_list(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct insertion *ins)
{
	isl_union_set *domain = poly_node_domain(dst);
	int most = isl_schedule_node_n_children(src) + ins->n;
	int *from = calloc(most + 1, sizeof(*from));
	isl_union_set_list *filters = from ?
		list_children(src, domain, ins, from) : NULL;
	int n = isl_union_set_list_size(filters);

	isl_union_set_free(domain);
	if (isl_schedule_node_get_type(src) == isl_schedule_node_set)
		dst = isl_schedule_node_insert_set(dst, filters);
	else
		dst = isl_schedule_node_insert_sequence(dst, filters);
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child;

		if (from[i] < 0)
			continue;
		child = isl_schedule_node_get_child(src, from[i]);
		dst = isl_schedule_node_child(dst, i);
		dst = copy_child(dst, child, ins);
		dst = isl_schedule_node_parent(dst);
		isl_schedule_node_free(child);
	}
	free(from);
	return dst;
}

/* Copy "src" and all below it to the leaf "dst"; the result points to the
 * copy of "src".
 */
static __isl_give isl_schedule_node *copy_below(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src,
	const struct insertion *ins)
{
	isl_union_set *set;

	switch (isl_schedule_node_get_type(src)) {
	case isl_schedule_node_leaf:
		if (!ins->n)
			return dst;
		set = isl_union_set_universe(poly_node_domain(src));
		dst = insert_companions(dst, set, ins);
		isl_union_set_free(set);
		return dst;
	case isl_schedule_node_band:
		return copy_band(dst, src, ins);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return copy_list(dst, src, ins);
	case isl_schedule_node_filter:
		set = isl_schedule_node_filter_get_filter(src);
		set = extend_set(set, ins);
		dst = isl_schedule_node_insert_filter(dst, set);
		return copy_child(dst, src, ins);
	case isl_schedule_node_mark:
		dst = isl_schedule_node_insert_mark(dst,
			isl_schedule_node_mark_get_id(src));
		return copy_child(dst, src, ins);
	case isl_schedule_node_context:
		dst = isl_schedule_node_insert_context(dst,
			isl_schedule_node_context_get_context(src));
		return copy_child(dst, src, ins);
	default:
		return isl_schedule_node_free(dst);
	}
}

__isl_give isl_schedule_node *poly_tree_copy(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src)
{
	struct insertion none = { NULL, 0 };

	return copy_below(dst, src, &none);
}

__isl_give isl_schedule *poly_tree_over(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule_node *src)
{
	isl_schedule_node *node = isl_schedule_node_from_domain(domain);
	isl_schedule *schedule;

	node = poly_tree_copy(isl_schedule_node_child(node, 0), src);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

__isl_give isl_schedule *poly_tree_of(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule *schedule)
{
	isl_schedule_node *src = isl_schedule_get_root(schedule);

	src = isl_schedule_node_child(src, 0);
	schedule = poly_tree_over(domain, src);
	isl_schedule_node_free(src);
	return schedule;
}

__isl_give isl_schedule *poly_tidy(__isl_take isl_schedule *schedule)
{
	isl_schedule *tidy = poly_tree_of(isl_schedule_get_domain(schedule),
		schedule);

	isl_schedule_free(schedule);
	return tidy;
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
	struct insertion ins = { c, n };
	isl_schedule_node *src, *dst;
	isl_union_set *domain = isl_schedule_get_domain(prog->schedule);
	isl_schedule *result;

	for (int i = 0; i < n; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(c[i].stmt->domain));
	src = isl_schedule_get_root(prog->schedule);
	src = isl_schedule_node_child(src, 0);
	dst = isl_schedule_node_from_domain(domain);
	dst = isl_schedule_node_child(dst, 0);
	dst = copy_below(dst, src, &ins);
	isl_schedule_node_free(src);
	result = isl_schedule_node_get_schedule(dst);
	isl_schedule_node_free(dst);
	return poly_set_schedule(prog, result);
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
