/* Copies become statements (stage.c), in front of all else in an iteration of their loop.
 *
 *	loop k { .. b[j] .. }	->	loop k { b_in: b_near[r] = b[16 k + r]
 *						 .. b_near[j - 16 k] .. }
 *
 * An early copy is made in the iteration before, in one of two copies in turn:
 * b_near[k mod 2][r]. So an iteration has one barrier in the place of two, and what it
 * loads is on its way while it computes: the statement only starts the copy ("async"),
 * which has landed behind that barrier.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"
#include "polyir/script/stage.h"

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
static __isl_give isl_pw_aff *low_on(const struct poly_box_of_cells *b,
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
static __isl_give isl_set *copies_of(const struct poly_box_of_cells *b)
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

/* Which of two copies is that of the iteration "at" of the loop of "b", from 0. */
static __isl_give isl_pw_aff *turn_of(const struct poly_box_of_cells *b,
	__isl_take isl_pw_aff *at)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	at = isl_pw_aff_floor(isl_pw_aff_scale_down_val(at,
		isl_val_int_from_si(ctx, b->item->step)));
	return isl_pw_aff_mod_val(at, isl_val_int_from_si(ctx, 2));
}

/* "{ [o, r] -> ARRAY[low + r] }", what a copy reads. */
static __isl_give isl_multi_pw_aff *far_place(const struct poly_box_of_cells *b,
	__isl_keep isl_set *domain)
{
	const struct poly_array *array = b->near->array;
	isl_space *to = isl_multi_pw_aff_get_space(array->extent);
	isl_space *space = isl_space_align_params(isl_set_get_space(domain),
		isl_space_copy(to));
	isl_multi_pw_aff *place = isl_multi_pw_aff_zero(
		isl_space_map_from_domain_and_range(isl_space_copy(space),
			isl_space_align_params(to, isl_space_copy(space))));
	int n = isl_multi_pw_aff_dim(b->low, isl_dim_in);

	for (int d = 0; d < array->n_dim; d++)
		place = isl_multi_pw_aff_set_at(place, d, isl_pw_aff_gist(
			isl_pw_aff_add(var_on(space, n + d),
				low_on(b, space, d)), isl_set_copy(domain)));
	isl_space_free(space);
	return place;
}

/* Where elements "r" from the low end are in the copy that is made, or read, in iteration
 * "at" of its loop, which is taken and NULL for copies that are not early.
 */
static __isl_give isl_multi_pw_aff *near_place(const struct poly_box_of_cells *b,
	__isl_take isl_pw_aff *at, __isl_keep isl_multi_pw_aff *r)
{
	isl_space *to = isl_multi_pw_aff_get_space(b->copy->extent);
	isl_space *from = isl_space_domain(isl_multi_pw_aff_get_space(r));
	int first = at ? 1 : 0;
	isl_multi_pw_aff *place;

	from = isl_space_align_params(from, isl_space_copy(to));
	to = isl_space_align_params(to, isl_space_copy(from));
	place = isl_multi_pw_aff_zero(isl_space_map_from_domain_and_range(from,
		to));
	if (at)
		place = isl_multi_pw_aff_set_at(place, 0, turn_of(b, at));
	for (int d = 0; d < b->near->array->n_dim; d++)
		place = isl_multi_pw_aff_set_at(place, first + d,
			isl_multi_pw_aff_get_at(r, poly_near_dim(b->near, d)));
	return place;
}

/* "{ [o, r] -> COPY[r] }", what a copy writes. */
static __isl_give isl_multi_pw_aff *written_place(
	const struct poly_box_of_cells *b, __isl_keep isl_set *domain)
{
	isl_space *space = isl_set_get_space(domain);
	int n = isl_multi_pw_aff_dim(b->low, isl_dim_in);
	isl_multi_pw_aff *r = isl_multi_pw_aff_zero(isl_space_add_dims(
		isl_space_from_domain(isl_space_copy(space)), isl_dim_out,
		b->near->array->n_dim)), *place;

	for (int d = 0; d < b->near->array->n_dim; d++)
		r = isl_multi_pw_aff_set_at(r, d, var_on(space, n + d));
	place = near_place(b, b->near->ahead ? var_on(space, n - 1) : NULL, r);
	isl_multi_pw_aff_free(r);
	isl_space_free(space);
	return place;
}

/* "{ NAME[o, r] -> MAKER[..] }", the instances that compute what "place" tells. */
static __isl_give isl_map *made_by(const struct poly_box_of_cells *b,
	__isl_keep isl_set *domain)
{
	isl_map *place = isl_map_from_multi_pw_aff(far_place(b, domain));

	place = isl_map_intersect_domain(place, isl_set_copy(domain));
	return isl_map_apply_range(place, isl_map_reverse(
		poly_stmt_write(b->near->maker)));
}

/* Make the indices in "e" functions of the instances of the copy. */
static void pull_back(struct poly_expr *e, __isl_keep isl_multi_pw_aff *at,
	__isl_keep isl_set *domain)
{
	if (!e)
		return;
	if (e->index)
		e->index = isl_multi_pw_aff_gist(isl_multi_pw_aff_coalesce(
			isl_multi_pw_aff_pullback_multi_pw_aff(e->index,
				isl_multi_pw_aff_copy(at))),
			isl_set_copy(domain));
	for (int i = 0; i < POLY_MAX_ARG; i++)
		pull_back(e->arg[i], at, domain);
}

/* What a copy holds: what it reads of the array, or what its maker computes. */
static struct poly_expr *value_of(const struct poly_box_of_cells *b,
	__isl_keep isl_set *domain)
{
	struct poly_expr *value;
	isl_multi_pw_aff *at;

	if (!b->near->maker)
		return poly_expr_access(b->near->array, far_place(b, domain));
	value = poly_expr_copy(b->near->maker->rhs);
	at = isl_multi_pw_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(
		made_by(b, domain)));
	pull_back(value, at, domain);
	isl_multi_pw_aff_free(at);
	return value;
}

/* Let a read of the leaf go to the copy, and note which copies it needs. */
static void use_copy(struct poly_expr *leaf, void *user)
{
	struct poly_box_of_cells *b = user;
	isl_multi_pw_aff *outer, *r;
	isl_map *use;
	int n;

	if (!poly_box_has(b, leaf))
		return;
	outer = poly_outside_at(b->item, b->leaf);
	n = isl_multi_pw_aff_dim(outer, isl_dim_out);
	r = isl_multi_pw_aff_reset_tuple_id(leaf->index, isl_dim_out);
	leaf->index = NULL;
	for (int d = 0; d < b->near->array->n_dim; d++) {
		isl_pw_aff *low = isl_pw_aff_pullback_multi_pw_aff(
			isl_multi_pw_aff_get_at(b->low, d),
			isl_multi_pw_aff_copy(outer));

		r = isl_multi_pw_aff_set_at(r, d, isl_pw_aff_gist(isl_pw_aff_sub(
			isl_multi_pw_aff_get_at(r, d), low),
			isl_set_copy(b->leaf->domain)));
	}
	leaf->index = near_place(b, b->near->ahead ?
		isl_multi_pw_aff_get_at(outer, n - 1) : NULL, r);
	poly_leaf_set(leaf, b->copy);
	use = isl_map_from_multi_pw_aff(isl_multi_pw_aff_flat_range_product(
		outer, r));
	use = isl_map_intersect_domain(use, isl_set_copy(b->leaf->domain));
	use = isl_map_set_tuple_name(use, isl_dim_out, b->name);
	b->use = isl_union_map_add_map(b->use, use);
}

/* "{ NAME[o, r] -> NAME[o', r'] }", copies of one cell, of which o' comes later in the
 * kernel, with the same blocks and loops around the kernel.
 */
static __isl_give isl_map *later(const struct poly_box_of_cells *b,
	__isl_keep isl_set *domain)
{
	struct poly_item *loop[2 * POLY_MOST_LOOPS];
	struct poly_item *kernel = poly_item_kernel(b->item);
	int n = poly_loops_outside(b->item, loop), m = isl_set_dim(domain,
		isl_dim_set);
	isl_map *map = isl_map_lex_lt(isl_set_get_space(domain));

	for (int i = 0; i < m; i++)
		if (i >= n || (kernel && (loop[i]->role == POLY_LOOP_BLOCK ||
		    !poly_item_is_below(loop[i], kernel))))
			map = isl_map_equate(map, isl_dim_in, i, isl_dim_out,
				i);
	if (b->near->ahead) {
		isl_space *space = isl_set_get_space(domain);
		isl_map *turn = isl_map_from_pw_aff(turn_of(b, var_on(space,
			n - 1))), *back = isl_map_reverse(isl_map_copy(turn));

		map = isl_map_intersect(map, isl_map_apply_range(turn, back));
		isl_space_free(space);
	}
	map = isl_map_intersect_domain(map, isl_set_copy(domain));
	return isl_map_intersect_range(map, isl_set_copy(domain));
}

/* The dependences of what is computed anew: those of its maker. */
static void add_made(const struct poly_box_of_cells *b, __isl_keep isl_set *domain)
{
	struct poly_deps *d = &b->plan->prog->deps;
	isl_union_map *as = isl_union_map_from_map(isl_map_reverse(
		made_by(b, domain)));

	d->flow = isl_union_map_union(d->flow, isl_union_map_apply_range(
		isl_union_map_copy(d->flow), isl_union_map_copy(as)));
	d->anti = isl_union_map_union(d->anti, isl_union_map_apply_domain(
		isl_union_map_copy(d->anti), as));
}

/* The dependences of the copies, beside those that there are: through the copy, and, as
 * it reads what the statements have read, through the array.
 */
static void add_deps(const struct poly_box_of_cells *b, __isl_keep isl_set *domain)
{
	struct poly_deps *d = &b->plan->prog->deps;
	isl_union_map *next = isl_union_map_from_map(later(b, domain));
	isl_union_map *reads, *writes, *by;

	if (b->near->maker)
		add_made(b, domain);
	poly_find_accesses(b->plan->prog, b->near->array, &reads, &writes);
	isl_union_map_free(reads);
	if (b->near->maker) {
		isl_union_map_free(writes);
		writes = isl_union_map_empty(isl_set_get_space(domain));
	}
	by = isl_union_map_apply_range(writes, isl_union_map_reverse(
		isl_union_map_copy(b->reads)));
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

/* How many elements the copy "leaf" has along dimension "d" of its array. */
static int64_t size_of(const struct poly_item *leaf, int d)
{
	const struct poly_array *copy = leaf->stmt->write_array;
	int64_t n;
	isl_val *v;
	int at = 0;

	while (poly_dim_at(leaf->last, leaf->n_dim, at) != d)
		at++;
	v = isl_pw_aff_max_val(isl_multi_pw_aff_get_at(copy->extent,
		at + copy->n_dim - leaf->n_dim));
	n = isl_val_get_num_si(v);
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
	isl_space *space = isl_set_get_space(leaf->domain);
	int m = leaf->n_dim, d = m - 1;
	int from = isl_space_dim(space, isl_dim_set) - m;
	int64_t inside = 1, all = size_of(leaf, d), each;
	isl_pw_aff *rest = NULL, *at = var_on(space, from + d);
	isl_val *by;

	while (d > 0 && all % n) {
		rest = rest ? times_plus(at, inside, rest) : at;
		d--;
		inside = all;
		all *= size_of(leaf, d);
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
static bool insert_copy(const struct poly_box_of_cells *b, struct poly_stmt *stmt)
{
	struct poly_item *leaf = poly_item_alloc(POLY_ITEM_LEAF), *top = leaf;
	struct poly_item *list = poly_item_alloc(POLY_ITEM_LIST), *loop[2 *
		POLY_MOST_LOOPS], *inner = b->item->child[0];
	int n = poly_loops_outside(b->item, loop), m = isl_set_dim(stmt->domain,
		isl_dim_set);
	isl_space *space = isl_set_get_space(stmt->domain);
	isl_pw_aff *thread, *round = NULL;
	int first = -1 - n;

	if (!leaf || !list || b->plan->n_leaf >= POLY_MOST_LEAVES)
		return false;
	leaf->number = b->plan->n_leaf++;
	leaf->stmt = stmt;
	leaf->domain = isl_set_copy(stmt->domain);
	leaf->n_dim = b->near->array->n_dim;
	leaf->last = b->near->last;
	leaf->copy = poly_item_kernel(b->item) != NULL;
	if (leaf->copy) {
		first = poly_copy_rounds(leaf, b->threads, &thread, &round);
		isl_pw_aff_free(thread);
	}
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
	if (b->near->ahead)
		b->item->at[leaf->number] = isl_pw_aff_add_constant_val(
			b->item->at[leaf->number], isl_val_int_from_si(
				b->plan->prog->ctx, -b->item->step));
	isl_space_free(space);
	return true;
}

/* The array that copies of "b" go to; NULL without memory. */
static struct poly_array *add_near(const struct poly_box_of_cells *b)
{
	const struct poly_array *array = b->near->array;
	struct poly_prog *prog = b->plan->prog;
	int64_t size[POLY_MAX_DIM];
	int n = 0;
	char *name = poly_unique_name(prog, array->name, "near");
	struct poly_array *copy;

	if (b->near->ahead)
		size[n++] = 2;
	for (int d = 0; d < array->n_dim; d++)
		size[n++] = b->size[poly_near_dim(b->near, d)];
	copy = name ? poly_prog_add_array(prog, name, array->type, POLY_TEMP,
		poly_box(prog->ctx, name, n, size)) : NULL;
	free(name);
	if (!copy)
		return NULL;
	copy->loc = array->loc;
	if (poly_item_kernel(b->item)) {
		copy->space = POLY_SHARED;
		copy->row_pad = poly_near_padding(b);
	}
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
	struct poly_box_of_cells b = poly_find_box(plan, item, near);
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);
	char *name = poly_unique_name(prog, near->array->name, "in");
	struct poly_stmt *stmt;
	isl_set *domain;
	bool ok;

	b.name = name;
	b.threads = poly_item_kernel(item) ? threads_of(plan,
		poly_item_kernel(item)) : 1;
	b.copy = add_near(&b);
	domain = copies_of(&b);
	stmt = b.copy && name ? poly_prog_add_stmt(prog, name, POLY_POINT,
		isl_set_copy(domain)) : NULL;
	b.use = isl_union_map_empty(isl_set_get_space(prog->context));
	ok = stmt != NULL;
	if (ok) {
		stmt->loc = near->array->loc;
		stmt->async = near->ahead && !near->maker &&
			b.copy->space == POLY_SHARED;
		poly_stmt_set_write(stmt, b.copy, written_place(&b, domain),
			POLY_OP_NONE, value_of(&b, domain));
		for (int i = 0; i < n; i++) {
			b.leaf = leaf[i];
			b.access = 0;
			if (!leaf[i]->copy)
				poly_expr_each_access(leaf[i]->stmt->rhs,
					use_copy, &b);
		}
		add_deps(&b, domain);
		ok = insert_copy(&b, stmt);
	}
	isl_set_free(domain);
	poly_clear_box(&b);
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

/* Is there a statement that reads "array"? */
static bool is_read(const struct poly_prog *prog, const struct poly_array *array)
{
	bool is = false;

	for (int i = 0; i < prog->n_stmt && !is; i++)
		is = poly_expr_accesses(prog->stmt[i]->rhs, array);
	return is;
}

/* Is "stmt" the maker of what is computed at or below "item"? */
static bool is_maker(const struct poly_item *item, const struct poly_stmt *stmt)
{
	bool is = false;

	for (int i = 0; i < item->n_near; i++)
		is |= item->near[i].maker == stmt;
	for (int i = 0; i < item->n_child && !is; i++)
		is = is_maker(item->child[i], stmt);
	return is;
}

/* The pairs of "deps" without those of "domain". */
static __isl_give isl_union_map *without(__isl_take isl_union_map *deps,
	__isl_keep isl_union_set *domain)
{
	deps = isl_union_map_subtract_domain(deps, isl_union_set_copy(domain));
	return isl_union_map_subtract_range(deps, isl_union_set_copy(domain));
}

void poly_plan_drop_unread(struct poly_plan *plan)
{
	struct poly_item *leaf[POLY_MOST_LEAVES];
	struct poly_prog *prog = plan->prog;
	struct poly_deps *d = &prog->deps;
	int n = poly_item_leaves(plan->root, leaf);

	for (int i = 0; i < n; i++) {
		struct poly_stmt *s = leaf[i]->stmt;
		isl_union_set *domain;

		if (!is_maker(plan->root, s) || s->write_array->role != POLY_TEMP ||
		    is_read(prog, s->write_array))
			continue;
		domain = isl_union_set_universe(isl_union_set_from_set(
			isl_set_copy(s->domain)));
		d->flow = without(d->flow, domain);
		d->anti = without(d->anti, domain);
		d->output = without(d->output, domain);
		isl_union_set_free(domain);
		poly_plan_drop_leaf(plan, leaf[i], plan->root);
		poly_prog_drop_writer(prog, s);
	}
}
