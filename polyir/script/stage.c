/* Copies in shared memory: what the threads of a block read in one iteration of a loop,
 * they load together at its beginning.
 *
 *	kernel (block ii, thread i)		kernel (block ii, thread i)
 *	  loop k				  loop k
 *	    loop j		 stage(0, "b", "k")   b_in: b_near[r] = b[16 k + r]
 *	      a[i] += c[i][j] * b[j]		    loop j
 *						      .. * b_near[j - 16 k]
 *
 * To the plan a copy is a property of its loop. What it needs is asked after each
 * command: nothing in the kernel writes the array, which would make the copy stale; the
 * elements of an iteration lie in a box of constant size, and all boxes have room. When
 * all commands are done, the copies become statements (stage_make.c), and the kernel one
 * whose blocks are apart and whose threads share its loops: barriers come where these
 * depend on one another (map/block_sync.c), and the checks of such kernels have the last
 * word.
 *
 * Outside of kernels a copy goes to global memory; nothing in the iteration itself may
 * write what the copy reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/sets/sets.h"
#include "polyir/sums/sums.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"
#include "polyir/script/stage.h"

/* ------------------------------------------------------------------ outside */

/* The loops that a copy of "item" is made anew for: those around it, and itself, but for
 * threads; returns how many.
 */
int poly_loops_outside(struct poly_item *item, struct poly_item **list)
{
	int n = 0, i = 0;

	for (struct poly_item *at = item; at; at = at->parent)
		n += at->kind == POLY_ITEM_LOOP && at->role != POLY_LOOP_THREAD;
	for (struct poly_item *at = item; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP && at->role != POLY_LOOP_THREAD)
			list[n - ++i] = at;
	return n;
}

/* "{ S[..] -> [o..] }", the loops outside of "item" at leaf "leaf". */
__isl_give isl_multi_pw_aff *poly_outside_at(struct poly_item *item,
	const struct poly_item *leaf)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	int n = poly_loops_outside(item, loop);
	isl_space *space = isl_space_add_dims(isl_space_from_domain(
		isl_set_get_space(leaf->domain)), isl_dim_out, n);
	isl_multi_pw_aff *all = isl_multi_pw_aff_zero(space);

	for (int i = 0; i < n; i++)
		all = isl_multi_pw_aff_set_at(all, i,
			isl_pw_aff_copy(loop[i]->at[leaf->number]));
	return all;
}

/* -------------------------------------------------------------------- legal */

/* Does what "kernel" writes, or, of a copy in global memory, an iteration of "b->item"
 * writes, "writes", reach "reads"? Such a pair is why not.
 */
static isl_bool is_kept(struct poly_plan *plan, struct poly_item *kernel,
	const struct poly_box_of_cells *b, __isl_take isl_union_map *reads,
	__isl_take isl_union_map *writes, struct poly_refusal *why)
{
	isl_union_set *domain = poly_item_domain(kernel ? kernel : b->item);

	reads = isl_union_map_intersect_domain(reads,
		isl_union_set_copy(domain));
	writes = isl_union_map_apply_range(isl_union_map_intersect_domain(
		writes, domain), isl_union_map_reverse(reads));
	for (struct poly_item *at = b->item; at && !kernel; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP)
			writes = isl_union_map_eq_at_multi_union_pw_aff(writes,
				isl_multi_union_pw_aff_from_union_pw_aff(
					poly_loop_values(at)));
	return poly_blame(plan->prog, why, 0, kernel ? "the copy would not have "
		"what the kernel writes" : "the copy would not have what the "
		"iteration writes", writes);
}

/* Does what is written there leave alone what the copy reads? */
static isl_bool is_fresh(struct poly_plan *plan, struct poly_item *kernel,
	const struct poly_box_of_cells *b, struct poly_refusal *why)
{
	isl_union_map *reads, *writes;

	poly_find_accesses(plan->prog, b->near->array, &reads, &writes);
	if (!kernel || b->near->reads) {
		isl_union_map_free(reads);
		reads = isl_union_map_copy(b->reads);
	}
	return is_kept(plan, kernel, b, reads, writes, why);
}

/* "{ ARRAY[..] -> MAKER[..] }", what the maker of "b" computes. */
static __isl_give isl_union_map *made_by(const struct poly_box_of_cells *b)
{
	return isl_union_map_reverse(isl_union_map_from_map(
		poly_stmt_write(b->near->maker)));
}

/* "{ S[..] -> MAKER[..] }", what is computed in the iteration of those that read some of
 * it: the smallest convex set of elements that has all of these.
 */
static __isl_give isl_union_map *needs_of(const struct poly_box_of_cells *b)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(b->item, leaf);
	isl_id *id = isl_multi_pw_aff_get_tuple_id(b->near->array->extent,
		isl_dim_out);
	isl_union_set *readers = isl_union_map_domain(
		isl_union_map_copy(b->reads));
	isl_union_map *all = isl_union_map_empty(
		isl_set_get_space(b->plan->prog->context));

	for (int i = 0; i < n; i++) {
		isl_map *at = isl_map_from_multi_pw_aff(poly_outside_at(b->item,
			leaf[i]));

		at = isl_map_apply_range(isl_map_intersect_domain(at,
			isl_set_copy(leaf[i]->domain)), isl_map_copy(b->cells));
		all = isl_union_map_add_map(all, isl_map_set_tuple_id(at,
			isl_dim_out, isl_id_copy(id)));
	}
	isl_id_free(id);
	all = isl_union_map_intersect_domain(all, readers);
	return isl_union_map_apply_range(all, made_by(b));
}

/* Are all elements that "b" reads such that its maker computes, before that? */
static isl_bool is_made(struct poly_plan *plan, const struct poly_box_of_cells *b,
	struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	isl_union_map *rest = isl_union_map_subtract_range(
		isl_union_map_copy(b->reads), isl_union_set_from_set(
			isl_map_range(poly_stmt_write(b->near->maker))));
	isl_bool ok;

	rest = isl_union_map_intersect_params(isl_union_map_intersect_params(
		rest, isl_set_copy(prog->context)), poly_known_sizes(prog));
	ok = isl_union_map_is_empty(rest);
	isl_union_map_free(rest);
	if (ok == isl_bool_false)
		poly_refuse(why, "there are elements of '%s' that statement %s "
			"does not compute", b->near->array->name,
			b->near->maker->name);
	if (ok != isl_bool_true)
		return ok;
	return poly_blame(prog, why, POLY_DEP_ANTI, "what is read is what the "
		"array held before", isl_union_map_subtract(
			isl_union_map_apply_range(isl_union_map_copy(b->reads),
				made_by(b)), isl_union_map_reverse(
				isl_union_map_copy(prog->deps.flow))));
}

/* Can what "b" reads be computed anew: is it made, and does nothing there write what its
 * maker takes?
 */
static isl_bool can_make(struct poly_plan *plan, struct poly_item *kernel,
	const struct poly_box_of_cells *b, struct poly_refusal *why)
{
	struct poly_prog *prog = plan->prog;
	struct poly_stmt *maker = b->near->maker;
	isl_bool ok = is_made(plan, b, why);

	for (int i = 0; i < prog->n_array && ok == isl_bool_true; i++) {
		isl_union_map *reads, *writes;

		if (!poly_expr_accesses(maker->rhs, prog->array[i]))
			continue;
		poly_find_accesses(prog, prog->array[i], &reads, &writes);
		reads = isl_union_map_intersect_domain(reads,
			isl_union_set_from_set(isl_set_copy(maker->domain)));
		reads = isl_union_map_apply_range(needs_of(b), reads);
		ok = is_kept(plan, kernel, b, reads, writes, why);
	}
	return ok;
}

/* Add what the makers of "item", and of what is in it, ask for to "*all". */
static void add_pairs(const struct poly_plan *plan, struct poly_item *item,
	isl_union_map **all)
{
	for (int i = 0; i < item->n_near; i++) {
		struct poly_box_of_cells b;

		if (!item->near[i].maker)
			continue;
		b = poly_find_box((struct poly_plan *)plan, item,
			&item->near[i]);
		if (!b.cells) {
			poly_clear_box(&b);
			continue;
		}
		*all = isl_union_map_union(*all, isl_union_map_apply_range(
			needs_of(&b), isl_union_map_copy(
				plan->prog->deps.anti)));
		poly_clear_box(&b);
	}
	for (int i = 0; i < item->n_child; i++)
		add_pairs(plan, item->child[i], all);
}

__isl_give isl_union_map *poly_made_pairs(const struct poly_plan *plan)
{
	isl_union_map *all = isl_union_map_empty(
		isl_set_get_space(plan->prog->context));

	add_pairs(plan, plan->root, &all);
	return all;
}

/* Are there at most two loops of blocks at and below "item"? */
static bool fits_kernel(struct poly_item *item, struct poly_refusal *why)
{
	if (item->kind == POLY_ITEM_LOOP && item->role == POLY_LOOP_BLOCK &&
	    item->axis > 1) {
		poly_refuse(why, "a kernel with copies has two loops of blocks "
			"at most");
		return false;
	}
	for (int i = 0; i < item->n_child; i++)
		if (!fits_kernel(item->child[i], why))
			return false;
	return true;
}

/* Is what is copied, "b", a box of constant size? Its bytes come to "*bytes". */
static bool is_box(const struct poly_box_of_cells *b, int64_t *bytes,
	struct poly_refusal *why)
{
	const struct poly_array *array = b->near->array;
	const struct poly_item *item = b->item;
	int last = poly_near_dim(b->near, array->n_dim - 1);
	int64_t all = poly_type_size(array->type) * (b->near->ahead ? 2 : 1);

	for (int d = 0; d < array->n_dim; d++) {
		int64_t n = b->size[d] + (d == last ? poly_near_padding(b) : 0);

		if (!b->size[d]) {
			poly_refuse(why, "the elements of '%s' that an iteration "
				"of %s%s reads are no constant number along "
				"dimension %d", array->name, item->kind ==
				POLY_ITEM_LOOP ? "loop " : "the kernel",
				item->name, d + 1);
			return false;
		}
		all = all * n > INT32_MAX ? INT32_MAX : all * n;
	}
	*bytes += all;
	return true;
}

/* Can "near" be copied at "item"? Its bytes come to "*bytes". */
static isl_bool is_legal(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_item *item, const struct poly_near *near, int64_t *bytes,
	struct poly_refusal *why)
{
	const char *name = near->array->name;
	struct poly_box_of_cells b = poly_find_box(plan, item, near);
	isl_bool ok = near->maker && b.cells ? can_make(plan, kernel, &b, why) :
		is_fresh(plan, kernel, &b, why);

	if (ok == isl_bool_true && (!b.cells || b.gathers)) {
		poly_refuse(why, b.gathers ? "'%s' is read at places that data "
			"tell" : "nothing there reads '%s'", name);
		ok = isl_bool_false;
	} else if (ok == isl_bool_true && item->unroll) {
		poly_refuse(why, "loop '%s' is written out", item->name);
		ok = isl_bool_false;
	} else if (ok == isl_bool_true) {
		ok = isl_bool_ok(is_box(&b, bytes, why));
	}
	poly_clear_box(&b);
	return ok;
}

/* Is no loop of blocks below "item"? An iteration of it is one of a block then, which copies
 * for itself alone.
 */
static bool is_in_block(const struct poly_item *item, const struct poly_item *below,
	struct poly_refusal *why)
{
	for (int i = 0; i < below->n_child; i++) {
		const struct poly_item *child = below->child[i];

		if (child->kind == POLY_ITEM_LOOP &&
		    child->role == POLY_LOOP_BLOCK) {
			poly_refuse(why, "the copies of loop '%s' are made by one "
				"block, and loop '%s' below it is one of blocks",
				item->name, child->name);
			return false;
		}
		if (!is_in_block(item, child, why))
			return false;
	}
	return true;
}

/* Ask all that is staged at and below "item", in "kernel", or, if that is NULL, in none. */
static isl_bool ask_items(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_item *item, int64_t *bytes, struct poly_refusal *why)
{
	isl_bool ok = isl_bool_ok(!kernel || !item->n_near ||
		(fits_kernel(kernel, why) && is_in_block(item, item, why)));

	for (int i = 0; i < item->n_near && ok == isl_bool_true; i++)
		ok = is_legal(plan, kernel, item, &item->near[i], bytes, why);
	for (int i = 0; i < item->n_child && ok == isl_bool_true; i++)
		if (kernel || item->child[i]->kind != POLY_ITEM_KERNEL)
			ok = ask_items(plan, kernel, item->child[i], bytes, why);
	return ok;
}

isl_bool poly_far_stages_hold(struct poly_plan *plan, struct poly_refusal *why)
{
	int64_t bytes = 0;

	return ask_items(plan, NULL, plan->root, &bytes, why);
}

isl_bool poly_stages_hold(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_refusal *why)
{
	int64_t bytes = 0;
	isl_bool ok = ask_items(plan, kernel, kernel, &bytes, why);

	if (ok == isl_bool_true && bytes > POLY_SHARED_BYTES) {
		poly_refuse(why, "the copies take %lld bytes of shared memory, "
			"and a block has %d", (long long)bytes,
			POLY_SHARED_BYTES);
		return isl_bool_false;
	}
	return ok;
}

bool poly_item_is_staged(const struct poly_item *item)
{
	bool is = item->n_near > 0;

	for (int i = 0; i < item->n_child && !is; i++)
		is = poly_item_is_staged(item->child[i]);
	return is;
}

/* ------------------------------------------------------------------ command */

/* Note in "*mask" the accesses of a statement to an array, those in "want" of them. */
struct numbered {
	const struct poly_array *array;
	unsigned want, mask;
	int access, read;
};

static void note_number(struct poly_expr *leaf, void *user)
{
	struct numbered *n = user;

	if (leaf->array == n->array && n->read < 32 && n->access < 32) {
		n->mask |= n->want >> n->read & 1 ? 1u << n->access : 0;
		n->read++;
	}
	n->access++;
}

/* The loop, or kernel, at whose iterations a copy at "loop" is made; NULL for none. */
static struct poly_item *place_of(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, struct poly_refusal *why)
{
	struct poly_item *kernel = poly_item_kernel(leaf), *at = kernel;

	if (loop)
		at = poly_find_loop(plan, leaf, loop, why);
	else if (!kernel)
		poly_refuse(why, "outside of kernels a copy needs a loop");
	if (!at || !kernel)
		return at;
	while (at != kernel && at->parent && (at->kind != POLY_ITEM_LOOP ||
	       at->role == POLY_LOOP_THREAD))
		at = at->parent;
	for (struct poly_item *up = leaf; up != kernel && up->parent;
	     up = up->parent)
		if (up->kind == POLY_ITEM_LOOP && up->role == POLY_LOOP_BLOCK &&
		    poly_item_is_below(up, at))
			return up;
	if (poly_item_is_below(at, kernel))
		return at;
	poly_refuse(why, "loop '%s' is outside of the kernel", loop);
	return NULL;
}

bool poly_do_stage(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const char *name, struct poly_near near,
	struct poly_refusal *why)
{
	struct poly_array *array = poly_prog_find_array(plan->prog, name);
	struct numbered reads = { .array = array, .want = near.reads };
	struct poly_item *at;

	if (!array || !plan->prog->original) {
		poly_refuse(why, !array ? "there is no array '%s'" : "'%s' is of "
			"a program whose text has no order", name);
		return false;
	}
	if (array->space != POLY_GLOBAL || array->n_dim < 1 ||
	    array->n_dim >= POLY_MAX_DIM || near.pad < -1024 ||
	    near.pad > 1024 || near.last >= array->n_dim) {
		poly_refuse(why, "'%s' cannot be copied so", name);
		return false;
	}
	at = place_of(plan, leaf, loop, why);
	if (!at)
		return false;
	near.array = array;
	near.number = near.reads ? leaf->number : -1;
	poly_expr_each_access(leaf->stmt->rhs, note_number, &reads);
	near.reads = reads.mask;
	for (int i = 0; i < at->n_near; i++)
		if (at->near[i].array == array && (near.number < 0 ||
		    at->near[i].number < 0 || (at->near[i].number ==
		    near.number && at->near[i].reads & near.reads))) {
			poly_refuse(why, "'%s' is copied there already", name);
			return false;
		}
	if (at->n_near == POLY_MOST_NEAR) {
		poly_refuse(why, "%d arrays are copied there already",
			POLY_MOST_NEAR);
		return false;
	}
	at->near[at->n_near++] = near;
	return true;
}

static void note_any(struct poly_expr *leaf, void *user)
{
	(void)leaf;
	*(bool *)user = true;
}

/* Is the statement of "leaf" the only one that gives elements of its array their values,
 * each once, of other arrays?
 */
static bool is_maker(struct poly_plan *plan, const struct poly_item *leaf,
	struct poly_refusal *why)
{
	struct poly_stmt *s = leaf->stmt;
	struct poly_item *all[POLY_MOST_LEAVES];
	int n = poly_item_leaves(plan->root, all), writers = 0;
	isl_map *write = poly_stmt_write(s);
	bool gathers = false;

	poly_expr_each_gather(s->rhs, note_any, &gathers);
	for (int i = 0; i < n; i++)
		writers += all[i]->stmt->write_array == s->write_array;
	if (s->kind != POLY_POINT || s->reduce != POLY_OP_NONE || s->atomic ||
	    poly_expr_accesses(s->rhs, s->write_array))
		poly_refuse(why, "statement %d (%s) is a sum or a recurrence: it "
			"computes no element at once", leaf->number, s->name);
	else if (gathers || isl_map_is_injective(write) != isl_bool_true)
		poly_refuse(why, "statement %d (%s) reads or writes at places that "
			"data tell, or writes one twice", leaf->number, s->name);
	else if (writers > 1)
		poly_refuse(why, "'%s' is computed by %d statements, or pieces of "
			"them", s->write_array->name, writers);
	else
		writers = 0;
	isl_map_free(write);
	return !writers;
}

bool poly_do_compute_at(struct poly_plan *plan, struct poly_item *leaf,
	struct poly_item *maker, const char *loop, struct poly_near near,
	struct poly_refusal *why)
{
	struct poly_item *at = poly_find_loop(plan, leaf, loop, why);

	if (!at || !is_maker(plan, maker, why))
		return false;
	if (poly_item_is_below(maker, at) || poly_item_kernel(maker)) {
		poly_refuse(why, "statement %d (%s) is in the loop or in a kernel "
			"already", maker->number, maker->stmt->name);
		return false;
	}
	near.maker = maker->stmt;
	return poly_do_stage(plan, leaf, loop, maker->stmt->write_array->name,
		near, why);
}

bool poly_do_pipeline(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);

	if (!loop)
		return false;
	if (!loop->n_near || loop->role || !poly_item_kernel(loop)) {
		poly_refuse(why, loop->role ? "loop '%s' is one of blocks or "
			"threads" : "no copy in shared memory is made in loop "
			"'%s'", name);
		return false;
	}
	for (int i = 0; i < loop->n_near; i++)
		loop->near[i].ahead = true;
	return true;
}
