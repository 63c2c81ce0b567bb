/* The plan of a script: a tree of loops, sequences and statements, which a command
 * changes at once.
 *
 *	loop i				S1: c[i][j] = 0;
 *	  loop j			S2: c[i][j] += a[i][k] * b[k][j];
 *	    list
 *	      0: S1
 *	      loop k
 *	        1: S2
 *
 * It says what a schedule tree of bands, sequences and filters says (emit.c makes
 * that tree of it), and has in addition what a script talks about: names of loops
 * and numbers of statements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "polyir/text/text.h"
#include "polyir/script/plan.h"

/* ------------------------------------------------------------------- items */

struct poly_item *poly_item_alloc(enum poly_item_kind kind)
{
	struct poly_item *item = calloc(1, sizeof(*item));

	if (item)
		item->kind = kind;
	if (item && kind == POLY_ITEM_LOOP) {
		item->at = calloc(POLY_MOST_LEAVES, sizeof(*item->at));
		item->step = 1;
		if (!item->at) {
			free(item);
			return NULL;
		}
	}
	return item;
}

void poly_item_drop(struct poly_item *item)
{
	for (int i = 0; item->at && i < POLY_MOST_LEAVES; i++)
		isl_pw_aff_free(item->at[i]);
	free(item->at);
	isl_set_free(item->domain);
	free(item->child);
	free(item);
}

struct poly_item *poly_item_free(struct poly_item *item)
{
	for (int i = 0; item && i < item->n_child; i++)
		poly_item_free(item->child[i]);
	if (item)
		poly_item_drop(item);
	return NULL;
}

struct poly_item *poly_item_copy_alone(const struct poly_item *item)
{
	struct poly_item *copy = poly_item_alloc(item->kind);
	isl_pw_aff **at = copy ? copy->at : NULL;

	if (!copy)
		return NULL;
	*copy = *item;
	copy->at = at;
	copy->parent = NULL;
	copy->child = NULL;
	copy->n_child = 0;
	for (int i = 0; at && i < POLY_MOST_LEAVES; i++)
		at[i] = item->at[i] ? isl_pw_aff_copy(item->at[i]) : NULL;
	copy->domain = item->domain ? isl_set_copy(item->domain) : NULL;
	return copy;
}

struct poly_item *poly_item_copy(const struct poly_item *item)
{
	struct poly_item *copy = poly_item_copy_alone(item);

	for (int i = 0; copy && i < item->n_child; i++) {
		struct poly_item *child = poly_item_copy(item->child[i]);

		if (!child || !poly_item_insert(copy, i, child)) {
			if (child)
				poly_item_free(child);
			return poly_item_free(copy);
		}
	}
	return copy;
}

bool poly_item_insert(struct poly_item *item, int i, struct poly_item *child)
{
	struct poly_item **list = realloc(item->child,
		((size_t)item->n_child + 1) * sizeof(*list));

	if (!list)
		return false;
	item->child = list;
	memmove(list + i + 1, list + i,
		(size_t)(item->n_child - i) * sizeof(*list));
	list[i] = child;
	item->n_child++;
	child->parent = item;
	return true;
}

int poly_item_place(const struct poly_item *item)
{
	int i = 0;

	while (item->parent->child[i] != item)
		i++;
	return i;
}

void poly_item_take(struct poly_item *item)
{
	struct poly_item *parent = item->parent;
	int i = poly_item_place(item);

	memmove(parent->child + i, parent->child + i + 1,
		(size_t)(parent->n_child - i - 1) * sizeof(*parent->child));
	parent->n_child--;
	item->parent = NULL;
}

void poly_item_replace(struct poly_plan *plan, struct poly_item *item,
	struct poly_item *by)
{
	struct poly_item *parent = item->parent;

	if (parent)
		parent->child[poly_item_place(item)] = by;
	else
		plan->root = by;
	by->parent = parent;
	item->parent = NULL;
}

bool poly_item_wrap(struct poly_plan *plan, struct poly_item *item,
	struct poly_item *loop)
{
	poly_item_replace(plan, item, loop);
	return poly_item_insert(loop, 0, item);
}

void poly_item_unwrap(struct poly_plan *plan, struct poly_item *item)
{
	struct poly_item *child = item->child[0];

	item->n_child = 0;
	poly_item_replace(plan, item, child);
	poly_item_drop(item);
}

/* ------------------------------------------------------------------- looks */

int poly_item_leaves(struct poly_item *item, struct poly_item **list)
{
	int n = 0;

	if (item->kind == POLY_ITEM_LEAF)
		list[n++] = item;
	for (int i = 0; i < item->n_child; i++)
		n += poly_item_leaves(item->child[i], list + n);
	return n;
}

/* The leaf of number "number" at or below "item", or NULL. */
static struct poly_item *find_leaf(struct poly_item *item, int number)
{
	struct poly_item *found = item->kind == POLY_ITEM_LEAF &&
		item->number == number ? item : NULL;

	for (int i = 0; i < item->n_child && !found; i++)
		found = find_leaf(item->child[i], number);
	return found;
}

struct poly_item *poly_plan_leaf(const struct poly_plan *plan, int number)
{
	return find_leaf(plan->root, number);
}

int poly_leaf_loops(struct poly_item *leaf, struct poly_item **loop)
{
	int n = 0, i = 0;

	for (struct poly_item *at = leaf; at; at = at->parent)
		n += at->kind == POLY_ITEM_LOOP;
	for (struct poly_item *at = leaf; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP)
			loop[n - ++i] = at;
	return n;
}

struct poly_item *poly_leaf_loop(struct poly_item *leaf, const char *name)
{
	for (struct poly_item *at = leaf; at; at = at->parent)
		if (at->kind == POLY_ITEM_LOOP && !strcmp(at->name, name))
			return at;
	return NULL;
}

bool poly_item_is_below(const struct poly_item *item,
	const struct poly_item *above)
{
	while (item && item != above)
		item = item->parent;
	return item != NULL;
}

/* The most loops around one another at and below "item". */
static int depth_below(const struct poly_item *item)
{
	int most = 0;

	for (int i = 0; i < item->n_child; i++) {
		int depth = depth_below(item->child[i]);

		most = depth > most ? depth : most;
	}
	return most + (item->kind == POLY_ITEM_LOOP);
}

int poly_item_depth(const struct poly_item *item)
{
	int depth = depth_below(item);

	for (item = item->parent; item; item = item->parent)
		depth += item->kind == POLY_ITEM_LOOP;
	return depth;
}

struct poly_item *poly_item_kernel(struct poly_item *item)
{
	while (item && item->kind != POLY_ITEM_KERNEL)
		item = item->parent;
	return item;
}

/* ------------------------------------------------------------------- plans */

struct poly_plan *poly_plan_free(struct poly_plan *plan)
{
	if (!plan)
		return NULL;
	if (plan->root)
		poly_item_free(plan->root);
	isl_schedule_free(plan->tree);
	for (int i = 0; i < plan->n_kept; i++) {
		isl_union_map_free(plan->kept[i].anti);
		isl_union_map_free(plan->kept[i].output);
	}
	while (plan->gone) {
		struct poly_gone *next = plan->gone->next;

		free(plan->gone);
		plan->gone = next;
	}
	free(plan);
	return NULL;
}

void poly_plan_become(struct poly_plan **plan, struct poly_plan *other)
{
	other->gone = (*plan)->gone;
	(*plan)->gone = NULL;
	memcpy(other->kept, (*plan)->kept, sizeof(other->kept));
	other->n_kept = (*plan)->n_kept;
	(*plan)->n_kept = 0;
	poly_plan_free(*plan);
	*plan = other;
}

/* A copy; "gone" stays with the original. */
struct poly_plan *poly_plan_copy(const struct poly_plan *plan)
{
	struct poly_plan *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->prog = plan->prog;
	copy->n_leaf = plan->n_leaf;
	copy->closed = plan->closed;
	memcpy(copy->kept, plan->kept, sizeof(copy->kept));
	copy->n_kept = plan->n_kept;
	for (int i = 0; i < copy->n_kept; i++) {
		struct poly_kept *k = &copy->kept[i];

		k->anti = k->anti ? isl_union_map_copy(k->anti) : NULL;
		k->output = k->output ? isl_union_map_copy(k->output) : NULL;
	}
	copy->tree = plan->tree ? isl_schedule_copy(plan->tree) : NULL;
	copy->root = poly_item_copy(plan->root);
	return copy->root ? copy : poly_plan_free(copy);
}

/* The dimension of its statement that "at" is, or -1. */
static int dim_of(const struct poly_stmt *stmt, __isl_keep isl_pw_aff *at)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);

	for (int i = 0; i < 2 * n; i++)
		if (poly_is_dim(at, stmt, i % n, i >= n))
			return i % n;
	return -1;
}

/* Name the loop "item" after the index that it counts at the leaf "leaf", or "cN" at
 * depth N; a name that is around it already gets a number.
 */
static void name_loop(struct poly_item *item, const struct poly_item *leaf)
{
	int d = dim_of(leaf->stmt, item->at[leaf->number]), depth = 0, again = 2;
	const char *index = d < 0 ? NULL : isl_set_get_dim_name(
		leaf->stmt->domain, isl_dim_set, d);
	char name[POLY_LOOP_TEXT - 16];

	for (struct poly_item *at = item->parent; at; at = at->parent)
		depth += at->kind == POLY_ITEM_LOOP;
	if (index)
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, index);
	else
		snprintf(name, sizeof(name), "c%d", depth);
	snprintf(item->name, sizeof(item->name), "%s", name);
	while (item->parent && poly_leaf_loop(item->parent, item->name))
		snprintf(item->name, sizeof(item->name), "%s_%d", name, again++);
}

/* Name all loops at and below "item". */
static void name_loops(struct poly_item *item)
{
	struct poly_item *leaf = item;

	if (item->kind == POLY_ITEM_LOOP) {
		while (leaf->kind != POLY_ITEM_LEAF)
			leaf = leaf->child[0];
		name_loop(item, leaf);
	}
	for (int i = 0; i < item->n_child; i++)
		name_loops(item->child[i]);
}

static struct poly_item *read_node(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node);

/* The statements that end at the leaf "node", a list if they are several. */
static struct poly_item *read_leaf(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	struct poly_item *list = poly_item_alloc(POLY_ITEM_LIST);
	int n;
	struct poly_stmt **stmt = poly_stmts_of(plan->prog, domain, &n);

	for (int i = 0; list && i < n; i++) {
		struct poly_item *leaf = plan->n_leaf < POLY_MOST_LEAVES ?
			poly_item_alloc(POLY_ITEM_LEAF) : NULL;

		if (!leaf || !poly_item_insert(list, i, leaf)) {
			free(leaf);
			list = poly_item_free(list);
			break;
		}
		leaf->number = plan->n_leaf++;
		leaf->stmt = stmt[i];
		plan->closed |= stmt[i]->across || stmt[i]->fold;
		leaf->domain = poly_set_of_stmt(domain, stmt[i]);
	}
	free(stmt);
	isl_union_set_free(domain);
	if (list && list->n_child == 1) {
		struct poly_item *only = list->child[0];

		poly_item_take(only);
		poly_item_drop(list);
		return only;
	}
	return list;
}

/* Give "loop" member "i" of the band "node" at all leaves below. */
static void read_member(struct poly_item *loop,
	__isl_keep isl_schedule_node *node, int i)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_pw_aff *member = isl_multi_union_pw_aff_get_at(partial, i);
	struct poly_item *leaf[POLY_MOST_LEAVES];
	int n = poly_item_leaves(loop, leaf);

	for (int k = 0; k < n; k++)
		loop->at[leaf[k]->number] = poly_member_at(member,
			leaf[k]->stmt->domain);
	isl_union_pw_aff_free(member);
	isl_multi_union_pw_aff_free(partial);
}

/* Is "item" a list of nothing? A tree may name statements that are there no more. */
static bool is_empty(const struct poly_item *item)
{
	return item->kind == POLY_ITEM_LIST && !item->n_child;
}

/* The members of the band "node", and what is below it; what is empty has no loops. */
static struct poly_item *read_band(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	struct poly_item *item = read_node(plan, child);
	int n = isl_schedule_node_band_n_member(node);

	isl_schedule_node_free(child);
	while (item && !is_empty(item) && n-- > 0) {
		struct poly_item *loop = poly_item_alloc(POLY_ITEM_LOOP);

		if (!loop || !poly_item_insert(loop, 0, item)) {
			if (loop)
				poly_item_free(loop);
			return poly_item_free(item);
		}
		read_member(loop, node, n);
		item = loop;
	}
	return item;
}

/* The children of a sequence or set as a list; NULL without memory or if one of
 * them is nothing that a plan has. Sets have an order from here on.
 */
static struct poly_item *read_list(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node)
{
	struct poly_item *list = poly_item_alloc(POLY_ITEM_LIST);
	int n = isl_schedule_node_n_children(node);

	for (int i = 0; list && i < n; i++) {
		isl_schedule_node *filter = isl_schedule_node_get_child(node, i);
		isl_schedule_node *child = isl_schedule_node_get_child(filter, 0);
		struct poly_item *item = read_node(plan, child);

		isl_schedule_node_free(child);
		isl_schedule_node_free(filter);
		if (item && is_empty(item)) {
			poly_item_free(item);
			continue;
		}
		if (!item || !poly_item_insert(list, list->n_child, item)) {
			if (item)
				poly_item_free(item);
			list = poly_item_free(list);
		}
	}
	return list;
}

/* The mark "node" and what is below it as an item, which the caller owns; the plan is
 * closed then. NULL without memory.
 */
static struct poly_item *read_mark(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);
	struct poly_item *item = read_node(plan, child);
	struct poly_item *mark = poly_item_alloc(POLY_ITEM_MARK);
	isl_id *id = isl_schedule_node_mark_get_id(node);

	plan->closed = true;
	if (mark)
		snprintf(mark->name, sizeof(mark->name), "%s",
			isl_id_get_name(id));
	isl_id_free(id);
	isl_schedule_node_free(child);
	if (item && is_empty(item)) {
		free(mark);
		return item;
	}
	if (!item || !mark || !poly_item_insert(mark, 0, item)) {
		if (item)
			poly_item_free(item);
		free(mark);
		return NULL;
	}
	return mark;
}

/* The plan at and below "node"; NULL if it has nodes of another kind. */
static struct poly_item *read_node(struct poly_plan *plan,
	__isl_keep isl_schedule_node *node)
{
	switch (isl_schedule_node_get_type(node)) {
	case isl_schedule_node_leaf:
		return read_leaf(plan, node);
	case isl_schedule_node_band:
		return read_band(plan, node);
	case isl_schedule_node_sequence:
	case isl_schedule_node_set:
		return read_list(plan, node);
	case isl_schedule_node_mark:
		return read_mark(plan, node);
	default:
		return NULL;
	}
}

struct poly_plan *poly_plan_of(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule)
{
	struct poly_plan *plan = calloc(1, sizeof(*plan));
	isl_schedule_node *node = isl_schedule_get_root(schedule);

	node = isl_schedule_node_child(node, 0);
	if (plan && node) {
		plan->prog = prog;
		plan->root = read_node(plan, node);
	}
	isl_schedule_node_free(node);
	if (!plan || !plan->root ||
	    poly_item_depth(plan->root) > POLY_MOST_LOOPS)
		return poly_plan_free(plan);
	name_loops(plan->root);
	plan->tree = isl_schedule_copy(schedule);
	return plan;
}
