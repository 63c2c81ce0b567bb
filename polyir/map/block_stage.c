/* Arrays of a block kernel in shared memory.
 *
 * Each step of a loop that one block runs waits for what the one before has
 * written. So what the kernel accesses again and again lies in shared memory, as
 * far as there is room (block_arrays.c): temporaries that
 * no other kernel knows move there, and of other arrays there is a copy, which the
 * threads make at the beginning and bring back at the end:
 *
 *	before: mark kernel:K		after: mark kernel:K
 *		  filter			 filter
 *		    band [k]			   sequence
 *		      S			     A_in	A_near = A
 *						     band [k]
 *						       S	of A_near
 *						     A_out	A = A_near
 *
 * Only what may be read before it is written is copied in, and only what is
 * written, out. In the order of a text, the copies stand at its beginning and at
 * its end, so that an array that other kernels access has none, but where nobody
 * writes it. Barriers come later (block_sync.c).
 */
#include <stdlib.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"
#include "polyir/memory/memory.h"
#include "polyir/map/map.h"
#include "polyir/map/block_stage.h"

/* ------------------------------------------------------------------ copies */

/* The extent of "array" as that of "name", in numbers.
 *
 * Shared memory wants numbers: the largest that each extent can have.
 */
static __isl_give isl_multi_pw_aff *fixed_extent(struct poly_prog *prog,
	const struct poly_array *array, const char *name)
{
	int64_t *size = calloc((size_t)array->n_dim + 1, sizeof(*size));
	isl_multi_pw_aff *fixed;

	if (!size)
		return NULL;
	for (int d = 0; d < array->n_dim; d++)
		size[d] = poly_largest_extent(prog, array, d);
	fixed = poly_box(prog->ctx, name, array->n_dim, size);
	free(size);
	return fixed;
}

/* Move "array" to shared memory.
 *
 * Only a temporary of this kernel alone: its values need not survive.
 */
static isl_stat move(struct poly_prog *prog, struct poly_array *array)
{
	isl_multi_pw_aff *fixed = fixed_extent(prog, array, array->name);

	if (!fixed)
		return isl_stat_error;
	isl_multi_pw_aff_free(array->extent);
	array->extent = fixed;
	array->space = POLY_SHARED;
	return isl_stat_ok;
}

/* Add the statement that copies the elements "cells", which are taken, from one
 * array to the other, to "*all"; nothing if there are none.
 *
 * Takes "cells". Name and place tell the user what it is: A_in, A_out.
 */
static isl_stat add_copy(struct poly_stage *s, __isl_take isl_set *cells,
	struct poly_array *to, struct poly_array *from, const char *suffix,
	isl_union_set **all)
{
	const struct poly_array *far = to->space == POLY_SHARED ? from : to;
	char *name;
	isl_stat ok;

	if (!cells)
		return isl_stat_ok;
	name = poly_unique_name(s->prog, far->name, suffix);
	cells = isl_set_set_tuple_name(cells, name);
	ok = name ? poly_add_copy(s->prog, name, isl_set_copy(cells), to,
		from) : isl_stat_error;
	free(name);
	*all = isl_union_set_add_set(*all, cells);
	return ok;
}

/* Give the kernel its own "near" array.
 *
 * The kernel's statements then access the copy; all others keep the array.
 */
static isl_stat bring(struct poly_stage *s, struct poly_near *near)
{
	struct poly_prog *prog = s->prog;
	struct poly_array *array = near->array;
	isl_stat ok;

	if (poly_is_temp(array))
		return move(prog, array);
	near->copy = poly_add_like(prog, array, "near");
	if (!near->copy || move(prog, near->copy) < 0)
		return isl_stat_error;
	for (int i = 0; i < s->n_stmt; i++)
		poly_stmt_rename(s->stmt[i], array, near->copy);
	ok = add_copy(s, near->in, near->copy, array, "in", &s->first);
	near->in = NULL;
	if (ok == isl_stat_ok)
		ok = add_copy(s, near->out, array, near->copy, "out",
			&s->last);
	near->out = NULL;
	return ok;
}

/* -------------------------------------------------------------------- tree */

/* "schedule" and then "more"; NULL is nothing. */
static __isl_give isl_schedule *in_order(__isl_take isl_schedule *schedule,
	__isl_take isl_schedule *more)
{
	if (!schedule || !more)
		return schedule ? schedule : more;
	return isl_schedule_sequence(schedule, more);
}

/* One statement that copies, in a loop over its elements, which threads share.
 *
 * Threads share its loop as all other loops of the kernel do.
 */
static __isl_give isl_schedule *copy_tree(struct poly_stage *s,
	const struct poly_stmt *copy)
{
	isl_schedule *schedule = isl_schedule_from_domain(
		isl_union_set_from_set(isl_set_copy(copy->domain)));
	isl_schedule_node *node = isl_schedule_get_root(schedule);
	isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(copy->domain));
	int n = isl_set_dim(copy->domain, isl_dim_set);

	isl_schedule_free(schedule);
	node = isl_schedule_node_child(node, 0);
	all = isl_multi_aff_reset_tuple_id(all, isl_dim_out);
	if (n)
		node = isl_schedule_node_insert_partial_schedule(node,
			isl_multi_union_pw_aff_from_multi_pw_aff(
				isl_multi_pw_aff_from_multi_aff(
					isl_multi_aff_copy(all))));
	for (int i = 0; i < n; i++)
		node = isl_schedule_node_band_member_set_coincident(node, i,
			1);
	isl_multi_aff_free(all);
	if (n)
		node = isl_schedule_node_band_set_permutable(node, 1);
	node = poly_share_in_block(s->prog, s->kernel, node);
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return schedule;
}

/* The statements of "copies", one after another; NULL if there are none. */
static __isl_give isl_schedule *copies_tree(struct poly_stage *s,
	__isl_keep isl_union_set *copies)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(s->prog, copies, &n);
	isl_schedule *schedule = NULL;

	for (int i = 0; i < n; i++)
		schedule = in_order(schedule, copy_tree(s, list[i]));
	free(list);
	return schedule;
}

/* The block and the threads of "filter", a kernel's, whatever the sizes are.
 *
 * So the copies run in all of the kernel's threads for every size.
 */
static __isl_give isl_set *places_of(struct poly_prog *prog,
	__isl_keep isl_union_set *filter)
{
	isl_set *places = isl_union_set_params(isl_union_set_copy(filter));

	for (int i = isl_set_dim(places, isl_dim_param) - 1; i >= 0; i--)
		if (poly_prog_find_param(prog, isl_set_get_dim_name(places,
			isl_dim_param, i)))
			places = isl_set_project_out(places, isl_dim_param, i,
				1);
	return places;
}

/* The tree of the kernel with its copies, from its mark on.
 *
 * mark, filter, sequence of copies in, the tree as it was, copies out.
 */
static __isl_give isl_schedule *kernel_tree(struct poly_stage *s)
{
	isl_schedule_node *node = poly_kernel_node(s->prog, s->kernel);
	isl_union_set *filter = isl_schedule_node_filter_get_filter(node);
	isl_set *places = places_of(s->prog, filter);
	isl_union_set *copies = isl_union_set_union(
		isl_union_set_copy(s->first), isl_union_set_copy(s->last));
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(s->prog->context));
	isl_schedule *tree;

	for (int i = 0; i < s->n_stmt; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(s->stmt[i]->domain));
	node = isl_schedule_node_child(node, 0);
	tree = poly_tree_over(domain, node);
	isl_schedule_node_free(node);
	tree = in_order(copies_tree(s, s->first), tree);
	tree = in_order(tree, copies_tree(s, s->last));
	node = isl_schedule_node_child(isl_schedule_get_root(tree), 0);
	isl_schedule_free(tree);
	filter = isl_union_set_union(filter,
		isl_union_set_intersect_params(copies, places));
	node = isl_schedule_node_insert_filter(node, filter);
	node = poly_insert_kernel_mark(node, s->kernel->name);
	tree = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	return tree;
}

/* Put the copies into the order of the text, if there is one.
 *
 * First of all and last of all: a copy in reads what the caller gave, a copy
 * out writes what the caller gets. That is why arrays of other kernels are left
 * alone.
 */
static void extend_original(struct poly_stage *s)
{
	isl_schedule *order = s->prog->original;

	if (!order)
		return;
	order = isl_schedule_copy(order);
	if (isl_union_set_is_empty(s->first) == isl_bool_false)
		order = isl_schedule_sequence(isl_schedule_from_domain(
			isl_union_set_copy(s->first)), order);
	if (isl_union_set_is_empty(s->last) == isl_bool_false)
		order = isl_schedule_sequence(order, isl_schedule_from_domain(
			isl_union_set_copy(s->last)));
	poly_prog_set_original(s->prog, order);
}

/* Replace the kernel's tree by one with the copies.
 *
 * All statements of the kernel are "operations" of the swap, those that it had
 * and the copies.
 */
static isl_stat insert_copies(struct poly_stage *s)
{
	isl_union_set *all = isl_union_set_union(isl_union_set_copy(s->first),
		isl_union_set_copy(s->last));
	int n_copy;
	struct poly_stmt **copy = poly_stmts_of(s->prog, all, &n_copy);
	struct poly_stmt **op = calloc(s->n_stmt + n_copy + 1, sizeof(*op));
	struct poly_swap swap = { .kernel = s->kernel, .op = op,
		.domain = poly_kernel_domain(s->prog, s->kernel) };
	isl_stat ok = isl_stat_error;

	isl_union_set_free(all);
	for (int i = 0; op && i < s->n_stmt + n_copy; i++)
		op[swap.n_op++] = i < s->n_stmt ? s->stmt[i] :
			copy[i - s->n_stmt];
	swap.tree = kernel_tree(s);
	if (op && swap.tree)
		ok = poly_tree_swap(s->prog, &swap, 1);
	extend_original(s);
	isl_schedule_free(swap.tree);
	isl_union_set_free(swap.domain);
	free(copy);
	free(op);
	return ok;
}

/* Stage what "s->kernel" accesses; "*any" if that changes anything.
 *
 * False starts are not undone: an error ends the compilation.
 */
static isl_stat stage(struct poly_stage *s, bool *any)
{
	isl_stat ok = isl_stat_ok;
	int n_array = s->prog->n_array;

	for (int i = 0; i < n_array; i++)
		poly_note_near(s, s->prog->array[i]);
	poly_keep_fitting(s);
	for (int i = 0; i < s->n && ok == isl_stat_ok; i++)
		ok = bring(s, &s->near[i]);
	*any |= s->n > 0;
	if (ok == isl_stat_ok && (isl_union_set_n_set(s->first) > 0 ||
	    isl_union_set_n_set(s->last) > 0))
		ok = insert_copies(s);
	return ok;
}

/* Does "kernel" run all instances of the "n" statements "list"? Where a script has cut a
 * loop in two, another kernel may run the others, and finds nothing in this one's
 * shared memory.
 */
static bool runs_all(struct poly_prog *prog, const struct poly_kernel *kernel,
	struct poly_stmt **list, int n)
{
	isl_union_set *domain = isl_union_set_intersect_params(
		poly_kernel_domain(prog, kernel), isl_set_copy(prog->context));
	bool all = true;

	for (int i = 0; i < n && all; i++) {
		isl_union_set *own = isl_union_set_from_set(
			isl_set_intersect_params(isl_set_copy(list[i]->domain),
				isl_set_copy(prog->context)));

		all = isl_union_set_is_subset(own, domain) == isl_bool_true;
		isl_union_set_free(own);
	}
	isl_union_set_free(domain);
	return all;
}

/* Bring the arrays that "kernel" accesses again and again into its shared
 * memory; "*any" is set if that changes the program. A kernel that runs only a
 * part of its statements' instances is left as it is.
 */
static isl_stat stage_kernel(struct poly_prog *prog,
	struct poly_kernel *kernel, bool *any)
{
	isl_union_set *none = isl_union_set_empty(
		isl_set_get_space(prog->context));
	struct poly_stage s = { .prog = prog, .kernel = kernel,
		.first = none, .last = isl_union_set_copy(none) };
	isl_stat ok = isl_stat_error;

	s.stmt = poly_kernel_stmts(prog, kernel, &s.n_stmt);
	s.near = calloc(prog->n_array + 1, sizeof(*s.near));
	if (s.stmt && s.near)
		ok = runs_all(prog, kernel, s.stmt, s.n_stmt) ?
			stage(&s, any) : isl_stat_ok;
	for (int i = 0; s.near && i < s.n; i++) {
		isl_set_free(s.near[i].in);
		isl_set_free(s.near[i].out);
	}
	isl_union_set_free(s.first);
	isl_union_set_free(s.last);
	free(s.stmt);
	free(s.near);
	return ok;
}

/* Where a script has staged what it wanted, its copies have no place in the order of the
 * text, from which dependences would be found anew.
 *
 * Dependences are computed anew, as the copies are statements of the text now.
 */
isl_stat poly_stage_blocks(struct poly_prog *prog)
{
	bool any = false;

	for (int i = 0; i < prog->n_kernel; i++)
		if (prog->kernel[i]->apart)
			return isl_stat_ok;
	for (int i = 0; i < prog->n_kernel; i++) {
		struct poly_kernel *k = prog->kernel[i];

		if (k->block && !k->together &&
		    poly_kernel_n_host(prog, k) == 0 &&
		    stage_kernel(prog, k, &any) < 0)
			return isl_stat_error;
	}
	return any ? poly_deps_again(prog) : isl_stat_ok;
}
