/* poly: the box of cells that a stage copies. */
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

bool poly_box_has(struct poly_box_of_cells *b, const struct poly_expr *leaf)
{
	unsigned bit = b->access < 32 ? 1u << b->access : 0;

	b->access++;
	if (b->near->number >= 0 && b->leaf->number != b->near->number)
		return false;
	return leaf->array == b->near->array &&
		(!b->near->reads || (b->near->reads & bit));
}

static void note_cells(struct poly_expr *leaf, void *user)
{
	struct poly_box_of_cells *b = user;
	isl_map *map;

	if (!poly_box_has(b, leaf))
		return;
	map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(leaf->index));
	map = isl_map_intersect_domain(map, isl_set_intersect_params(
		isl_set_copy(b->leaf->domain),
		isl_set_copy(b->plan->prog->context)));
	b->reads = isl_union_map_add_map(b->reads, isl_map_copy(map));
	map = isl_map_apply_domain(map, isl_map_from_multi_pw_aff(
		poly_outside_at(b->item, b->leaf)));
	map = isl_map_reset_tuple_id(map, isl_dim_out);
	b->cells = b->cells ? isl_map_union(b->cells, map) : map;
}

static void note_gather(struct poly_expr *leaf, void *user)
{
	struct poly_box_of_cells *b = user;

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

/* Add the function of a piece to the list in "user", as one of the domain there. */
struct pieces {
	isl_pw_aff_list *list;
	isl_set *domain;
};

static isl_stat add_piece(__isl_take isl_set *set, __isl_take isl_aff *aff,
	void *user)
{
	struct pieces *p = user;

	isl_set_free(set);
	p->list = isl_pw_aff_list_add(p->list, isl_pw_aff_alloc(
		isl_set_copy(p->domain), aff));
	return isl_stat_ok;
}

/* The functions that "pa" is in pieces, each on all of "domain". */
static __isl_give isl_pw_aff_list *pieces_on(__isl_keep isl_pw_aff *pa,
	__isl_keep isl_set *domain)
{
	struct pieces p = { isl_pw_aff_list_alloc(isl_pw_aff_get_ctx(pa), 2),
		domain };

	isl_pw_aff_foreach_piece(pa, add_piece, &p);
	return p.list;
}

/* The first of the functions that "low" is in pieces, if it is nowhere more than "low" and
 * as near to "high" as that: the box of a first tile then begins in front of the array,
 * as those of all others do in front of their tile. "low" is taken.
 */
static __isl_give isl_pw_aff *same_in_all(const struct poly_box_of_cells *b,
	__isl_take isl_pw_aff *low, __isl_keep isl_pw_aff *high)
{
	int64_t size = poly_count_between(b->plan, low, high);
	isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(low));
	isl_pw_aff_list *list = pieces_on(low, domain);
	int n = isl_pw_aff_list_n_pw_aff(list);

	for (int i = 0; i < n && n > 1; i++) {
		isl_pw_aff *one = isl_pw_aff_list_get_at(list, i);
		isl_set *over = isl_pw_aff_gt_set(isl_pw_aff_copy(one),
			isl_pw_aff_copy(low));
		bool is = isl_set_is_empty(over) == isl_bool_true &&
			poly_count_between(b->plan, one, high) == size;

		isl_set_free(over);
		if (is) {
			isl_pw_aff_free(low);
			low = one;
			break;
		}
		isl_pw_aff_free(one);
	}
	isl_pw_aff_list_free(list);
	isl_set_free(domain);
	return low;
}

/* Find the box of the elements of an iteration; a size that is no constant is 0. */
static void find_box(struct poly_box_of_cells *b)
{
	int n = b->near->array->n_dim;

	b->low = isl_multi_pw_aff_zero(isl_map_get_space(b->cells));
	for (int d = 0; d < n; d++) {
		isl_pw_aff *low = end_of(b->cells, d, false);
		isl_pw_aff *high = end_of(b->cells, d, true);

		if (b->near->maker)
			low = same_in_all(b, low, high);
		b->size[d] = poly_count_between(b->plan, low, high);
		b->low = isl_multi_pw_aff_set_at(b->low, d, low);
		isl_pw_aff_free(high);
	}
}

void poly_clear_box(struct poly_box_of_cells *b)
{
	isl_map_free(b->cells);
	isl_union_map_free(b->reads);
	isl_multi_pw_aff_free(b->low);
	isl_union_map_free(b->use);
}

/* The elements that the maker of "near" computes. */
static __isl_give isl_set *made_cells(const struct poly_near *near)
{
	return isl_set_reset_tuple_id(isl_map_range(poly_stmt_write(
		near->maker)));
}

struct poly_box_of_cells poly_find_box(struct poly_plan *plan,
	struct poly_item *item, const struct poly_near *near)
{
	struct poly_box_of_cells b = { .plan = plan, .item = item, .near = near };
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(item, leaf);

	b.reads = isl_union_map_empty(isl_set_get_space(plan->prog->context));
	for (int i = 0; i < n; i++) {
		b.leaf = leaf[i];
		b.access = 0;
		poly_expr_each_access(leaf[i]->stmt->rhs, note_cells, &b);
		if (near->number < 0 || near->number == leaf[i]->number)
			poly_expr_each_gather(leaf[i]->stmt->rhs, note_gather,
				&b);
	}
	if (b.cells && near->maker)
		b.cells = isl_map_intersect_range(isl_map_from_basic_map(
			isl_map_simple_hull(b.cells)), made_cells(near));
	if (b.cells)
		find_box(&b);
	return b;
}

int poly_dim_at(int last, int n, int d)
{
	if (last < 0 || d < last)
		return d;
	return d + 1 < n ? d + 1 : last;
}

int poly_near_dim(const struct poly_near *near, int d)
{
	return poly_dim_at(near->last, near->array->n_dim, d);
}

static int64_t gcd(int64_t a, int64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* Elements that make the length of a row coprime with -pad, or a multiple of pad. */
int poly_near_padding(const struct poly_box_of_cells *b)
{
	int64_t row = b->size[poly_near_dim(b->near, b->near->array->n_dim - 1)];
	int more = 0, pad = b->near->pad;

	while (pad < -1 && gcd(row + more, -pad) != 1)
		more++;
	while (pad > 1 && (row + more) % pad)
		more++;
	return more;
}
