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
 * all commands are done, the copies become statements, and the kernel one whose blocks
 * are apart and whose threads share its loops: barriers come where these depend on one
 * another (map/block_sync.c), and the checks of such kernels have the last word.
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
#include "polyir/sums/sums.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* ------------------------------------------------------------------ outside */

/* The loops that a copy of "item" is made anew for: those around it, and itself, but for
 * threads; returns how many.
 */
static int loops_outside(struct poly_item *item, struct poly_item **list)
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
static __isl_give isl_multi_pw_aff *outside_at(struct poly_item *item,
	const struct poly_item *leaf)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	int n = loops_outside(item, loop);
	isl_space *space = isl_space_add_dims(isl_space_from_domain(
		isl_set_get_space(leaf->domain)), isl_dim_out, n);
	isl_multi_pw_aff *all = isl_multi_pw_aff_zero(space);

	for (int i = 0; i < n; i++)
		all = isl_multi_pw_aff_set_at(all, i,
			isl_pw_aff_copy(loop[i]->at[leaf->number]));
	return all;
}

/* What an access of a leaf to the array asks for. */
struct box {
	struct poly_plan *plan;
	struct poly_item *item;
	const struct poly_item *leaf;
	const struct poly_near *near;
	isl_map *cells;			/* [o] -> [e] */
	isl_multi_pw_aff *low;		/* [o] -> [e] */
	int64_t size[POLY_MAX_DIM];
	struct poly_array *copy;
	isl_union_map *use;		/* S -> the copies that it reads */
	const char *name;
	bool gathers;
	int64_t threads;		/* of the kernel */
};

static void note_cells(struct poly_expr *leaf, void *user)
{
	struct box *b = user;
	isl_map *map;

	if (leaf->array != b->near->array)
		return;
	map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(leaf->index));
	map = isl_map_intersect_domain(map, isl_set_intersect_params(
		isl_set_copy(b->leaf->domain),
		isl_set_copy(b->plan->prog->context)));
	map = isl_map_apply_domain(map, isl_map_from_multi_pw_aff(
		outside_at(b->item, b->leaf)));
	map = isl_map_reset_tuple_id(map, isl_dim_out);
	b->cells = b->cells ? isl_map_union(b->cells, map) : map;
}

static void note_gather(struct poly_expr *leaf, void *user)
{
	struct box *b = user;

	b->gathers |= leaf->array == b->near->array;
}

/* The least, or with "last" the greatest, coordinate "d" of "cells" in each iteration. */
static __isl_give isl_pw_aff *end_of(__isl_keep isl_map *cells, int d, bool last)
{
	int n = isl_map_dim(cells, isl_dim_out);
	isl_map *one = isl_map_project_out(isl_map_copy(cells), isl_dim_out,
		d + 1, n - d - 1);
	isl_pw_multi_aff *end;
	isl_pw_aff *at;

	one = poly_map_coalesce(isl_map_project_out(one, isl_dim_out, 0, d));
	end = last ? isl_map_lexmax_pw_multi_aff(one) :
		isl_map_lexmin_pw_multi_aff(one);
	at = isl_pw_multi_aff_get_pw_aff(end, 0);
	isl_pw_multi_aff_free(end);
	return poly_pw_aff_coalesce(at);
}

/* Find the box of the elements of an iteration; a size that is no constant is 0. */
static void find_box(struct box *b)
{
	int n = b->near->array->n_dim;

	b->low = isl_multi_pw_aff_zero(isl_map_get_space(b->cells));
	for (int d = 0; d < n; d++) {
		isl_pw_aff *low = end_of(b->cells, d, false);
		isl_pw_aff *high = end_of(b->cells, d, true);

		b->size[d] = poly_count_between(b->plan, low, high);
		b->low = isl_multi_pw_aff_set_at(b->low, d, low);
		isl_pw_aff_free(high);
	}
}

static void clear_box(struct box *b)
{
	isl_map_free(b->cells);
	isl_multi_pw_aff_free(b->low);
	isl_union_map_free(b->use);
}

/* The box of what is staged at "item" as "near". */
static struct box box_of(struct poly_plan *plan, struct poly_item *item,
	const struct poly_near *near)
{
	struct box b = { .plan = plan, .item = item, .near = near };
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);

	for (int i = 0; i < n; i++) {
		b.leaf = leaf[i];
		poly_expr_each_access(leaf[i]->stmt->rhs, note_cells, &b);
		poly_expr_each_gather(leaf[i]->stmt->rhs, note_gather, &b);
	}
	if (b.cells)
		find_box(&b);
	return b;
}

static int64_t gcd(int64_t a, int64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Elements behind each row: those that make its length coprime with -pad, or a multiple
 * of pad.
 */
static int padding(const struct box *b)
{
	int64_t row = b->size[b->near->array->n_dim - 1];
	int more = 0, pad = b->near->pad;

	while (pad < -1 && gcd(row + more, -pad) != 1)
		more++;
	while (pad > 1 && (row + more) % pad)
		more++;
	return more;
}

/* -------------------------------------------------------------------- legal */

/* Has a statement below "item" that reads the array another piece elsewhere? */
static const struct poly_stmt *in_pieces(struct poly_plan *plan,
	struct poly_item *item, const struct poly_array *array)
{
	struct poly_item *all[POLY_MOST_LEAVES];
	int n = poly_item_leaves(plan->root, all);

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			if (k != i && all[i]->stmt == all[k]->stmt &&
			    poly_item_is_below(all[i], item) &&
			    poly_stmt_accesses(all[i]->stmt, array))
				return all[i]->stmt;
	return NULL;
}

/* Does what "kernel" writes to the array reach a read in it? Such a pair is why not. */
static isl_bool is_fresh(struct poly_plan *plan, struct poly_item *kernel,
	const struct poly_array *array, struct poly_refusal *why)
{
	isl_union_set *domain = poly_item_domain(kernel);
	isl_union_map *reads, *writes;

	poly_find_accesses(plan->prog, array, &reads, &writes);
	writes = isl_union_map_intersect_domain(writes,
		isl_union_set_copy(domain));
	reads = isl_union_map_intersect_domain(reads, domain);
	return poly_blame(plan->prog, why, 0, "the copy would not have what the "
		"kernel writes", isl_union_map_apply_range(writes,
			isl_union_map_reverse(reads)));
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

/* Can "near" be copied at "item"? Its bytes come to "*bytes". */
static isl_bool is_legal(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_item *item, const struct poly_near *near, int64_t *bytes,
	struct poly_refusal *why)
{
	const struct poly_array *array = near->array;
	const struct poly_stmt *piece = in_pieces(plan, item, array);
	isl_bool ok = is_fresh(plan, kernel, array, why);
	int64_t all = poly_type_size(array->type);
	struct box b;

	if (ok != isl_bool_true)
		return ok;
	b = box_of(plan, item, near);
	ok = isl_bool_false;
	if (!b.cells || b.gathers)
		poly_refuse(why, b.gathers ? "'%s' is read at places that data "
			"tell" : "nothing there reads '%s'", array->name);
	else if (piece)
		poly_refuse(why, "%s, which reads '%s', is in several pieces",
			piece->name, array->name);
	else if (item->unroll)
		poly_refuse(why, "loop '%s' is written out", item->name);
	else
		ok = isl_bool_true;
	for (int d = 0; d < array->n_dim && ok == isl_bool_true; d++) {
		if (!b.size[d]) {
			poly_refuse(why, "the elements of '%s' that an iteration "
				"of %s%s reads are no constant number along "
				"dimension %d", array->name, item->kind ==
				POLY_ITEM_LOOP ? "loop " : "the kernel",
				item->name, d + 1);
			ok = isl_bool_false;
		}
		all = all * (b.size[d] + (d + 1 == array->n_dim ? padding(&b) :
			0)) > INT32_MAX ? INT32_MAX : all * (b.size[d] +
			(d + 1 == array->n_dim ? padding(&b) : 0));
	}
	*bytes += all;
	clear_box(&b);
	return ok;
}

/* Ask all that is staged at and below "item". */
static isl_bool ask_items(struct poly_plan *plan, struct poly_item *kernel,
	struct poly_item *item, int64_t *bytes, struct poly_refusal *why)
{
	isl_bool ok = isl_bool_true;

	for (int i = 0; i < item->n_near && ok == isl_bool_true; i++) {
		ok = isl_bool_ok(fits_kernel(kernel, why));
		if (ok == isl_bool_true)
			ok = is_legal(plan, kernel, item, &item->near[i], bytes,
				why);
	}
	for (int i = 0; i < item->n_child && ok == isl_bool_true; i++)
		ok = ask_items(plan, kernel, item->child[i], bytes, why);
	return ok;
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

bool poly_do_stage(struct poly_plan *plan, struct poly_item *leaf,
	const char *loop, const char *name, int pad, struct poly_refusal *why)
{
	struct poly_item *kernel = poly_item_kernel(leaf), *at = kernel;
	struct poly_array *array = poly_prog_find_array(plan->prog, name);

	if (!kernel || !array || !plan->prog->original) {
		poly_refuse(why, !array ? "there is no array '%s'" : !kernel ?
			"'%s' is copied in a kernel: gpu comes first" : "'%s' is "
			"of a program whose text has no order", name);
		return false;
	}
	if (loop)
		at = poly_find_loop(plan, leaf, loop, why);
	if (!at)
		return false;
	while (at != kernel && at->parent && (at->kind != POLY_ITEM_LOOP ||
	       at->role == POLY_LOOP_THREAD))
		at = at->parent;
	for (struct poly_item *up = leaf; up != kernel && up->parent;
	     up = up->parent)
		if (up->kind == POLY_ITEM_LOOP && up->role == POLY_LOOP_BLOCK &&
		    poly_item_is_below(up, at)) {
			at = up;
			break;
		}
	if (!poly_item_is_below(at, kernel)) {
		poly_refuse(why, "loop '%s' is outside of the kernel", loop);
		return false;
	}
	for (int i = 0; i < at->n_near; i++)
		if (at->near[i].array == array) {
			poly_refuse(why, "'%s' is copied there already", name);
			return false;
		}
	if (at->n_near == POLY_MOST_NEAR || array->space != POLY_GLOBAL ||
	    array->n_dim < 1 || array->n_dim > POLY_MAX_DIM || pad < -1024 ||
	    pad > 1024) {
		poly_refuse(why, "'%s' cannot be copied there", name);
		return false;
	}
	at->near[at->n_near++] = (struct poly_near){ array, pad };
	return true;
}

/* --------------------------------------------------------------- statements */

/* "[o, r] -> [o]", of "n" and "m" coordinates. */
static __isl_give isl_multi_aff *only_outer(__isl_keep isl_space *space, int n)
{
	isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(
		isl_space_copy(space));

	all = isl_multi_aff_reset_tuple_id(all, isl_dim_out);
	return isl_multi_aff_drop_dims(all, isl_dim_out, n,
		isl_space_dim(space, isl_dim_set) - n);
}

/* "low" of coordinate "d" where the outer loops are the first of "space". */
static __isl_give isl_pw_aff *low_on(const struct box *b,
	__isl_keep isl_space *space, int d)
{
	int n = isl_multi_pw_aff_dim(b->low, isl_dim_in);

	return isl_pw_aff_pullback_multi_aff(isl_multi_pw_aff_get_at(b->low, d),
		only_outer(space, n));
}

static __isl_give isl_pw_aff *var_on(__isl_keep isl_space *space, int d)
{
	return isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, d);
}

/* The instances of the copy: "{ NAME[o, r] : o + low + r is read }". */
static __isl_give isl_set *copies_of(const struct box *b)
{
	isl_set *flat = isl_set_flatten(isl_map_wrap(isl_map_copy(b->cells)));
	isl_space *space = isl_set_get_space(flat);
	int n = isl_multi_pw_aff_dim(b->low, isl_dim_in);
	isl_multi_pw_aff *to = isl_multi_pw_aff_from_multi_aff(
		isl_multi_aff_identity_on_domain_space(isl_space_copy(space)));

	for (int d = 0; d < b->near->array->n_dim; d++)
		to = isl_multi_pw_aff_set_at(to, n + d, isl_pw_aff_sub(
			var_on(space, n + d), low_on(b, space, d)));
	isl_space_free(space);
	flat = isl_set_apply(flat, isl_map_from_multi_pw_aff(to));
	return isl_set_set_tuple_name(poly_set_coalesce(flat), b->name);
}

/* "[o, r] -> ARRAY[r]", or with "far" "ARRAY[low + r]". */
static __isl_give isl_multi_pw_aff *place_of(const struct box *b,
	__isl_keep isl_set *domain, const struct poly_array *array, bool far)
{
	isl_space *to = isl_multi_pw_aff_get_space(array->extent);
	isl_space *space = isl_space_align_params(isl_set_get_space(domain),
		isl_space_copy(to));
	isl_multi_pw_aff *place = isl_multi_pw_aff_zero(
		isl_space_map_from_domain_and_range(isl_space_copy(space),
			isl_space_align_params(to, isl_space_copy(space))));
	int n = isl_multi_pw_aff_dim(b->low, isl_dim_in);

	for (int d = 0; d < array->n_dim; d++) {
		isl_pw_aff *at = var_on(space, n + d);

		if (far)
			at = isl_pw_aff_gist(isl_pw_aff_add(at, low_on(b, space,
				d)), isl_set_copy(domain));
		place = isl_multi_pw_aff_set_at(place, d, at);
	}
	isl_space_free(space);
	return place;
}

/* Let a read of the leaf go to the copy, and note which copies it needs. */
static void use_copy(struct poly_expr *leaf, void *user)
{
	struct box *b = user;
	isl_multi_pw_aff *outer;
	isl_map *use;

	if (leaf->array != b->near->array)
		return;
	outer = outside_at(b->item, b->leaf);
	for (int d = 0; d < b->copy->n_dim; d++) {
		isl_pw_aff *low = isl_pw_aff_pullback_multi_pw_aff(
			isl_multi_pw_aff_get_at(b->low, d),
			isl_multi_pw_aff_copy(outer));

		leaf->index = isl_multi_pw_aff_set_at(leaf->index, d,
			isl_pw_aff_gist(isl_pw_aff_sub(isl_multi_pw_aff_get_at(
				leaf->index, d), low),
				isl_set_copy(b->leaf->domain)));
	}
	poly_leaf_set(leaf, b->copy);
	use = isl_map_from_multi_pw_aff(isl_multi_pw_aff_flat_range_product(
		outer, isl_multi_pw_aff_reset_tuple_id(isl_multi_pw_aff_copy(
			leaf->index), isl_dim_out)));
	use = isl_map_intersect_domain(use, isl_set_copy(b->leaf->domain));
	use = isl_map_set_tuple_name(use, isl_dim_out, b->name);
	b->use = isl_union_map_add_map(b->use, use);
}

/* "{ NAME[o, r] -> NAME[o', r] }": o' comes later in the kernel, with the same blocks
 * and loops around the kernel.
 */
static __isl_give isl_map *later(const struct box *b, __isl_keep isl_set *domain)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	struct poly_item *kernel = poly_item_kernel(b->item);
	int n = loops_outside(b->item, loop), m = isl_set_dim(domain,
		isl_dim_set);
	isl_map *map = isl_map_lex_lt(isl_set_get_space(domain));

	for (int i = 0; i < m; i++)
		if (i >= n || loop[i]->role == POLY_LOOP_BLOCK ||
		    !poly_item_is_below(loop[i], kernel))
			map = isl_map_equate(map, isl_dim_in, i, isl_dim_out,
				i);
	map = isl_map_intersect_domain(map, isl_set_copy(domain));
	return isl_map_intersect_range(map, isl_set_copy(domain));
}

/* The dependences of the copies, beside those that there are: through the copy, and, as
 * it reads what the statements have read, through the array.
 */
static void add_deps(const struct box *b, __isl_keep isl_set *domain)
{
	struct poly_deps *d = &b->plan->prog->deps;
	isl_union_map *next = isl_union_map_from_map(later(b, domain));
	isl_union_map *reads, *writes, *by;

	poly_find_accesses(b->plan->prog, b->near->array, &reads, &writes);
	isl_union_map_free(reads);
	by = isl_union_map_from_domain_and_range(isl_union_map_domain(writes),
		isl_union_map_domain(isl_union_map_copy(b->use)));
	d->flow = isl_union_map_union(d->flow, isl_union_map_apply_range(
		isl_union_map_intersect(isl_union_map_copy(d->flow),
			isl_union_map_copy(by)), isl_union_map_copy(b->use)));
	d->anti = isl_union_map_union(d->anti, isl_union_map_apply_domain(
		isl_union_map_intersect(isl_union_map_copy(d->anti),
			isl_union_map_reverse(by)), isl_union_map_copy(b->use)));
	d->flow = isl_union_map_union(d->flow, isl_union_map_reverse(
		isl_union_map_copy(b->use)));
	d->anti = isl_union_map_union(d->anti, isl_union_map_apply_range(
		isl_union_map_copy(b->use), isl_union_map_copy(next)));
	d->output = isl_union_map_union(d->output, next);
}

/* ------------------------------------------------------------------ the plan */

static __isl_give isl_pw_aff *zero_on(__isl_keep isl_set *domain)
{
	return isl_pw_aff_from_aff(isl_aff_zero_on_domain_space(
		isl_set_get_space(domain)));
}

/* A loop around "inner" that counts "at" at the leaf. */
static struct poly_item *loop_over(struct poly_item *leaf,
	struct poly_item *inner, __isl_take isl_pw_aff *at)
{
	struct poly_item *loop = poly_item_alloc(POLY_ITEM_LOOP);

	if (!loop || !inner || !poly_item_insert(loop, 0, inner)) {
		isl_pw_aff_free(at);
		return NULL;
	}
	snprintf(loop->name, sizeof(loop->name), "r");
	loop->at[leaf->number] = at;
	return loop;
}

/* How many elements "near" has along "d". */
static int64_t size_of(const struct poly_array *near, int d)
{
	isl_val *v = isl_pw_aff_max_val(isl_multi_pw_aff_get_at(near->extent, d));
	int64_t n = isl_val_get_num_si(v);

	isl_val_free(v);
	return n;
}

/* "at", which is taken, times n, plus "more". */
static __isl_give isl_pw_aff *times_plus(__isl_take isl_pw_aff *at, int64_t n,
	__isl_take isl_pw_aff *more)
{
	return isl_pw_aff_add(isl_pw_aff_scale_val(at, isl_val_int_from_si(
		isl_pw_aff_get_ctx(more), n)), more);
}

int poly_copy_rounds(const struct poly_item *leaf, int64_t n,
	isl_pw_aff **thread, isl_pw_aff **round)
{
	const struct poly_array *near = leaf->stmt->write_array;
	isl_space *space = isl_set_get_space(leaf->domain);
	int from = isl_space_dim(space, isl_dim_set) - near->n_dim;
	int d = near->n_dim - 1;
	int64_t inside = 1, all = size_of(near, d), each;
	isl_pw_aff *rest = NULL, *at = var_on(space, from + d);
	isl_val *by;

	while (d > 0 && all % n) {
		rest = rest ? times_plus(at, inside, rest) : at;
		d--;
		inside = all;
		all *= size_of(near, d);
		at = var_on(space, from + d);
	}
	isl_space_free(space);
	if (rest && n % inside) {
		at = times_plus(at, inside, rest);
		rest = NULL;
		inside = 1;
	}
	each = n / inside;
	by = isl_val_int_from_si(isl_pw_aff_get_ctx(at), each);
	*round = isl_pw_aff_floor(isl_pw_aff_scale_down_val(isl_pw_aff_copy(at),
		isl_val_copy(by)));
	at = isl_pw_aff_mod_val(at, by);
	*thread = rest ? times_plus(at, inside, rest) : at;
	return d;
}

/* Put the statement "stmt" of the copy in front of all that "b->item" has in it. */
static bool insert_copy(const struct box *b, struct poly_stmt *stmt)
{
	struct poly_item *leaf = poly_item_alloc(POLY_ITEM_LEAF), *top = leaf;
	struct poly_item *list = poly_item_alloc(POLY_ITEM_LIST), *loop[2 *
		POLY_MOST_LOOPS], *inner = b->item->child[0];
	int n = loops_outside(b->item, loop), m = isl_set_dim(stmt->domain,
		isl_dim_set);
	isl_space *space = isl_set_get_space(stmt->domain);
	isl_pw_aff *thread, *round;
	int first;

	if (!leaf || !list || b->plan->n_leaf >= POLY_MOST_LEAVES)
		return false;
	leaf->number = b->plan->n_leaf++;
	leaf->stmt = stmt;
	leaf->domain = isl_set_copy(stmt->domain);
	leaf->copy = true;
	first = poly_copy_rounds(leaf, b->threads, &thread, &round);
	isl_pw_aff_free(thread);
	for (int d = m - 1; d >= n; d--) {
		top = loop_over(leaf, top, var_on(space, d));
		if (d == n + first)
			top = loop_over(leaf, top, round);
	}
	poly_item_replace(b->plan, inner, list);
	if (!top || !poly_item_insert(list, 0, top) ||
	    !poly_item_insert(list, 1, inner))
		return false;
	for (struct poly_item *at = b->item; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP)
			at->at[leaf->number] = zero_on(leaf->domain);
	for (int i = 0; i < n; i++) {
		isl_pw_aff_free(loop[i]->at[leaf->number]);
		loop[i]->at[leaf->number] = var_on(space, i);
	}
	isl_space_free(space);
	return true;
}

/* The array that copies of "b" go to; NULL without memory. */
static struct poly_array *add_near(const struct box *b)
{
	struct poly_array *copy = poly_add_like(b->plan->prog, b->near->array,
		"near");

	if (!copy)
		return NULL;
	isl_multi_pw_aff_free(copy->extent);
	copy->extent = poly_box(b->plan->prog->ctx, copy->name, copy->n_dim,
		b->size);
	copy->space = POLY_SHARED;
	copy->row_pad = padding(b);
	return copy;
}

/* How many threads "kernel" has. */
static int64_t threads_of(struct poly_plan *plan, struct poly_item *kernel)
{
	int64_t all = 1, n;

	for (int d = 0; d < 3; d++) {
		isl_union_pw_aff *at = poly_coordinate_of(plan, kernel,
			POLY_LOOP_THREAD, d, &n);

		all *= at ? n : 1;
		isl_union_pw_aff_free(at);
	}
	return all;
}

/* Copy "near" at "item". */
static bool make_copy(struct poly_plan *plan, struct poly_item *item,
	const struct poly_near *near)
{
	struct poly_prog *prog = plan->prog;
	struct box b = box_of(plan, item, near);
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);
	char *name = poly_unique_name(prog, near->array->name, "in");
	struct poly_stmt *stmt;
	isl_set *domain;
	bool ok;

	b.name = name;
	b.threads = threads_of(plan, poly_item_kernel(item));
	b.copy = add_near(&b);
	domain = copies_of(&b);
	stmt = b.copy && name ? poly_prog_add_stmt(prog, name, POLY_POINT,
		isl_set_copy(domain)) : NULL;
	b.use = isl_union_map_empty(isl_set_get_space(prog->context));
	ok = stmt != NULL;
	if (ok) {
		stmt->loc = near->array->loc;
		poly_stmt_set_write(stmt, b.copy, place_of(&b, domain, b.copy,
			false), POLY_OP_NONE, poly_expr_access(near->array,
				place_of(&b, domain, near->array, true)));
		for (int i = 0; i < n; i++) {
			b.leaf = leaf[i];
			if (!leaf[i]->copy)
				poly_expr_each_access(leaf[i]->stmt->rhs,
					use_copy, &b);
		}
		add_deps(&b, domain);
		poly_prog_set_original(prog, isl_schedule_sequence(
			isl_schedule_from_domain(isl_union_set_from_set(
				isl_set_copy(domain))),
			isl_schedule_copy(prog->original)));
		ok = insert_copy(&b, stmt);
	}
	isl_set_free(domain);
	clear_box(&b);
	free(name);
	return ok;
}

bool poly_plan_make_copies(struct poly_plan *plan, struct poly_item *item)
{
	bool ok = true;

	for (int i = 0; i < item->n_child && ok; i++)
		ok = poly_plan_make_copies(plan, item->child[i]);
	for (int i = 0; i < item->n_near && ok; i++)
		ok = make_copy(plan, item, &item->near[i]);
	return ok;
}
