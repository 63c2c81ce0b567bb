/* Structure of the schedule tree.
 *
 * isl builds trees that mean nothing: bands that miss statements, sequences
 * whose filters overlap or leave something out, filters that drop instances.
 * Code generation fails on some and is silently wrong on others, and the order
 * walk of legal.c is sound only on trees that pass this check.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/legal/legal.h"

/* The walk: "kernel" is the one whose mark stands above, "n_kernel" counts the
 * marks seen, "domain" are the instances that reach the node for sizes of the
 * context: for others a tree need not say anything.
 */
struct walk {
	struct poly_verifier *v;
	const struct poly_kernel *kernel;
	int n_kernel;
	isl_union_set *domain;
};

static bool check_node(struct walk *w, __isl_keep isl_schedule_node *node);

/* What the tree must schedule: all statements but members. */
static __isl_give isl_union_set *tree_domain(struct poly_prog *prog)
{
	isl_union_set *all;
	int i;

	all = isl_union_set_empty(isl_space_params_alloc(prog->ctx, 0));
	for (i = 0; i < prog->n_stmt; i++)
		if (!poly_stmt_is_member(prog, prog->stmt[i]))
			all = isl_union_set_union(all, isl_union_set_from_set(
				isl_set_copy(prog->stmt[i]->domain)));
	return all;
}

static isl_bool has_known_name(__isl_keep isl_set *set, void *user)
{
	isl_space *space = isl_set_get_space(set);
	bool ok = poly_verify_names(user, space, isl_dim_set);

	isl_space_free(space);
	return isl_bool_ok(ok);
}

static bool check_names(struct walk *w, __isl_keep isl_union_set *set,
	const char *what)
{
	return poly_verify_that(w->v, isl_union_set_every_set(set,
		has_known_name, w->v), "a %s names no statement", what);
}

/* The root names all statements but members, with all their instances. */
static bool check_domain(struct walk *w, __isl_keep isl_schedule_node *node)
{
	isl_union_set *all = tree_domain(w->v->prog), *domain;
	isl_bool equal;
	bool ok;

	domain = isl_schedule_node_domain_get_domain(node);
	ok = check_names(w, domain, "domain");
	domain = isl_union_set_intersect_params(domain,
		isl_set_copy(w->v->prog->context));
	all = isl_union_set_intersect_params(all,
		isl_set_copy(w->v->prog->context));
	equal = poly_union_set_is_part(domain, all);
	if (equal == isl_bool_true)
		equal = poly_union_set_is_part(all, domain);
	isl_union_set_free(domain);
	isl_union_set_free(all);
	return ok && poly_verify_that(w->v, equal,
		"its domain is not that of the statements");
}

/* An option for AST generation names a loop: "separate[0]", "atomic[x]",
 * "unroll[x]" or "isolate[[outer] -> [band]]".
 */
static isl_bool is_option(__isl_keep isl_set *set, void *user)
{
	static const char *const name[] = { "separate", "atomic", "unroll" };
	isl_space *space = isl_set_get_space(set);
	const char *has = "";
	bool ok = false;
	size_t i;

	(void)user;
	if (isl_space_has_tuple_name(space, isl_dim_set) == isl_bool_true)
		has = isl_space_get_tuple_name(space, isl_dim_set);
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		ok |= !strcmp(has, name[i]) &&
			isl_space_dim(space, isl_dim_set) == 1;
	ok |= !strcmp(has, "isolate") &&
		isl_space_is_wrapping(space) == isl_bool_true;
	isl_space_free(space);
	return isl_bool_ok(ok);
}

/* The band has members and is defined on everything that reaches it. */
static bool check_band(struct walk *w, __isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial;
	isl_union_set *options, *defined, *domain;
	isl_bool known, total;

	if (isl_schedule_node_band_n_member(node) < 1)
		return poly_verify_fail(w->v, "a band has no members");
	options = isl_schedule_node_band_get_ast_build_options(node);
	known = isl_union_set_every_set(options, is_option, NULL);
	isl_union_set_free(options);
	partial = isl_schedule_node_band_get_partial_schedule(node);
	defined = isl_multi_union_pw_aff_domain(partial);
	domain = isl_union_set_copy(w->domain);
	total = poly_union_set_is_part(domain, defined);
	isl_union_set_free(domain);
	isl_union_set_free(defined);
	return poly_verify_that(w->v, known, "a band has unknown options") &&
		poly_verify_that(w->v, total,
			"a band is not defined on all that reaches it");
}

/* Is parameter "i" of "set" a coordinate, and no size? */
static bool is_place(const struct poly_prog *prog, __isl_keep isl_set *set, int i)
{
	const char *name = isl_set_get_dim_name(set, isl_dim_param, (unsigned)i);

	for (int k = 0; k < prog->n_param; k++)
		if (name && !strcmp(prog->param[k].name, name))
			return false;
	return true;
}

/* Has "set" any condition on coordinates of block and thread? */
static bool has_places(const struct poly_prog *prog, __isl_keep isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_param);

	for (int i = 0; i < n; i++)
		if (is_place(prog, set, i) && isl_set_involves_dims(set,
		    isl_dim_param, (unsigned)i, 1) != isl_bool_false)
			return true;
	return n < 0;
}

/* "set" whatever the coordinates of block and thread. */
static __isl_give isl_set *project_places(const struct poly_prog *prog,
	__isl_take isl_set *set)
{
	isl_size n = isl_set_dim(set, isl_dim_param);

	while (n-- > 0)
		if (is_place(prog, set, n))
			set = isl_set_project_out(set, isl_dim_param,
				(unsigned)n, 1);
	return set;
}

/* Do all instances of "stmt" in "domain" pass "filter", for some coordinates? Where none
 * of these has been bound further up, the filter is asked alone: each piece of the domain
 * would stand once more in what passes, and isl compare all with all.
 */
static isl_bool all_pass(const struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_keep isl_union_set *filter,
	const struct poly_stmt *stmt)
{
	isl_set *before = poly_set_of_stmt(domain, stmt);
	isl_set *after = poly_set_of_stmt(filter, stmt);
	isl_bool all;

	if (has_places(prog, before))
		after = isl_set_intersect(after, isl_set_copy(before));
	before = project_places(prog, before);
	after = project_places(prog, after);
	all = isl_set_is_subset(before, after);
	isl_set_free(before);
	isl_set_free(after);
	return all;
}

/* A filter that is no child of a sequence binds coordinates: for some values
 * of them every instance of the possible sizes must pass.
 */
static bool check_filter(struct walk *w, __isl_keep isl_schedule_node *node)
{
	struct poly_prog *prog = w->v->prog;
	isl_union_set *filter, *domain;
	bool ok;

	filter = isl_schedule_node_filter_get_filter(node);
	ok = check_names(w, filter, "filter");
	domain = isl_union_set_intersect_params(isl_union_set_copy(w->domain),
		poly_known_sizes(prog));
	for (int i = 0; ok && i < prog->n_stmt; i++)
		ok = poly_verify_that(w->v, all_pass(prog, domain, filter,
			prog->stmt[i]), "a filter drops instances of %s",
			prog->stmt[i]->name);
	isl_union_set_free(filter);
	isl_union_set_free(domain);
	return ok;
}

/* Add what passes the filter of child "i" to "*seen", which it must not meet.
 */
static bool check_part(struct walk *w, __isl_keep isl_schedule_node *node,
	isl_size i, __isl_keep isl_union_set *domain, isl_union_set **seen)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, (int)i);
	isl_union_set *part;
	isl_bool disjoint;
	bool ok;

	if (isl_schedule_node_get_type(child) != isl_schedule_node_filter) {
		isl_schedule_node_free(child);
		return poly_verify_fail(w->v, "a child is no filter");
	}
	part = isl_schedule_node_filter_get_filter(child);
	isl_schedule_node_free(child);
	ok = check_names(w, part, "filter");
	part = poly_narrow(part, isl_union_set_copy(domain));
	disjoint = isl_union_set_is_disjoint(part, *seen);
	*seen = isl_union_set_union(*seen, part);
	return ok && poly_verify_that(w->v, disjoint,
		"the filters of a sequence overlap");
}

/* The children of a sequence or set are filters that partition. */
static bool check_sequence(struct walk *w, __isl_keep isl_schedule_node *node)
{
	isl_size i, n = isl_schedule_node_n_children(node);
	isl_union_set *domain, *seen;
	isl_bool covered;
	bool ok = true;

	domain = isl_union_set_copy(w->domain);
	seen = isl_union_set_empty(isl_union_set_get_space(domain));
	for (i = 0; ok && i < n; i++)
		ok = check_part(w, node, i, domain, &seen);
	covered = poly_union_set_is_part(domain, seen);
	isl_union_set_free(domain);
	isl_union_set_free(seen);
	return ok && poly_verify_that(w->v, covered,
		"the filters of a sequence leave something out");
}

/* Marks have valid names; those of kernels stand in the kernels' order, none
 * inside another.
 */
static bool check_mark(struct walk *w, __isl_keep isl_schedule_node *node)
{
	struct poly_prog *prog = w->v->prog;
	isl_id *id = isl_schedule_node_mark_get_id(node);
	const char *name = id ? isl_id_get_name(id) : NULL;
	bool ok = name && poly_mark_is_valid(name);
	const char *kernel = ok ? poly_mark_kernel(node) : NULL;

	if (!ok)
		poly_verify_fail(w->v, "a mark has no valid name");
	if (kernel && w->kernel)
		ok = poly_verify_fail(w->v, "mark %s is inside a kernel",
			name);
	else if (kernel && (w->n_kernel == prog->n_kernel ||
	    strcmp(prog->kernel[w->n_kernel]->name, kernel)))
		ok = poly_verify_fail(w->v, "mark %s is not that of the next "
			"kernel", name);
	else if (kernel)
		w->kernel = prog->kernel[w->n_kernel++];
	isl_id_free(id);
	return ok;
}

/* Once there are kernels, everything runs in one. */
static bool check_leaf(struct walk *w)
{
	if (w->kernel || !(w->v->prog->have & POLY_HAVE_KERNELS))
		return true;
	return poly_verify_that(w->v, isl_union_set_is_empty(w->domain),
		"a statement is outside of all kernels");
}

/* Check "node" alone by the rules of its kind; kinds that no program has are
 * refused.
 */
static bool check_this(struct walk *w, __isl_keep isl_schedule_node *node)
{
	switch (isl_schedule_node_get_type(node)) {
	case isl_schedule_node_domain:
		return check_domain(w, node);
	case isl_schedule_node_band:
		return check_band(w, node);
	case isl_schedule_node_filter:
		return check_filter(w, node);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return check_sequence(w, node);
	case isl_schedule_node_mark:
		return check_mark(w, node);
	case isl_schedule_node_leaf:
		return check_leaf(w);
	case isl_schedule_node_context:
		return true;
	default:
		return poly_verify_fail(w->v, "a node is of a kind that "
			"programs do not have");
	}
}

/* The part of "domain" that goes on below "node". */
static __isl_give isl_union_set *below(__isl_keep isl_union_set *domain,
	__isl_keep isl_schedule_node *node)
{
	domain = isl_union_set_copy(domain);
	if (isl_schedule_node_get_type(node) != isl_schedule_node_filter)
		return domain;
	return poly_narrow(isl_schedule_node_filter_get_filter(node), domain);
}

/* Check below "node", stepping over the filters of a sequence: check_sequence
 * has seen them.
 */
static bool check_children(struct walk *w, __isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	bool parts = type == isl_schedule_node_sequence ||
		type == isl_schedule_node_set;
	isl_size i, n = isl_schedule_node_n_children(node);
	isl_union_set *outer = w->domain;
	bool ok = true;

	w->domain = below(outer, node);
	for (i = 0; ok && i < n; i++) {
		isl_schedule_node *child;

		child = isl_schedule_node_get_child(node, (int)i);
		ok = parts ? check_children(w, child) : check_node(w, child);
		isl_schedule_node_free(child);
	}
	isl_union_set_free(w->domain);
	w->domain = outer;
	return ok;
}

/* Check "node" and what is below it. */
static bool check_node(struct walk *w, __isl_keep isl_schedule_node *node)
{
	const struct poly_kernel *outer = w->kernel;
	bool ok = check_this(w, node) && check_children(w, node);

	w->kernel = outer;
	return ok;
}

bool poly_verify_tree(struct poly_verifier *v)
{
	struct walk w = { .v = v, .domain = isl_union_set_intersect_params(
		isl_schedule_get_domain(v->prog->schedule),
		isl_set_copy(v->prog->context)) };
	isl_schedule_node *root;
	bool ok;

	root = isl_schedule_get_root(v->prog->schedule);
	if (isl_schedule_node_get_type(root) == isl_schedule_node_domain)
		ok = check_node(&w, root);
	else
		ok = poly_verify_fail(v, "its root is no domain");
	isl_schedule_node_free(root);
	isl_union_set_free(w.domain);
	if (ok && w.n_kernel < v->prog->n_kernel)
		ok = poly_verify_fail(v, "kernel %s has no mark",
			v->prog->kernel[w.n_kernel]->name);
	return ok;
}
