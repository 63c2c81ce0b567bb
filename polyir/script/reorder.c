/* Commands that change the order of iterations within the loops of a statement, and
 * with it that of all others in these loops.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* Iterations that a command writes out. */
enum { MOST_COPIES = 128 };

/* ------------------------------------------------------------------- names */

struct poly_item *poly_find_loop(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why)
{
	struct poly_item *loop = poly_leaf_loop(leaf, name);

	for (struct poly_gone *g = plan->gone; g && !loop; g = g->next)
		if (!strcmp(g->name, name)) {
			poly_refuse(why, "loop '%s' is gone: %s in line %d "
				"consumed it", name, g->by, g->line);
			return NULL;
		}
	if (!loop)
		poly_refuse(why, "statement %d (%s) is in no loop '%s'",
			leaf->number, leaf->stmt->name, name);
	return loop;
}

/* Is there a loop "name" at or below "item"? */
static bool is_used_below(const struct poly_item *item, const char *name)
{
	bool used = item->kind == POLY_ITEM_LOOP && !strcmp(item->name, name);

	for (int i = 0; i < item->n_child && !used; i++)
		used = is_used_below(item->child[i], name);
	return used;
}

/* Can a loop be called "name"? It must leave room for what is put behind names.
 */
static bool is_identifier(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return *name && !name[n] && n < POLY_LOOP_TEXT - 8 &&
		!(*name >= '0' && *name <= '9');
}

bool poly_is_free_name(struct poly_item *item, const char *name,
	struct poly_refusal *why)
{
	bool ok = is_identifier(name);

	if (!ok)
		poly_refuse(why, "'%s' is no name for a loop", name);
	else if (poly_leaf_loop(item, name) || is_used_below(item, name))
		poly_refuse(why, "there is a loop '%s' already", name);
	else if (poly_item_depth(item) >= POLY_MOST_LOOPS)
		poly_refuse(why, "there are %d loops around one another, and "
			"may be no more", POLY_MOST_LOOPS);
	else
		return true;
	return false;
}

/* ------------------------------------------------------------------- chains */

/* Loops directly within one another, from outside to inside. */
struct chain {
	struct poly_item *loop[POLY_MOST_LOOPS];
	int n;
};

/* The chain from "top" to "bottom", a loop below it; false, having said what stands
 * in between.
 */
static bool find_chain(struct chain *c, struct poly_item *top,
	struct poly_item *bottom, struct poly_refusal *why)
{
	int n = 0;

	for (struct poly_item *at = bottom; at != top->parent; at = at->parent) {
		n++;
		if (at->kind == POLY_ITEM_LOOP)
			continue;
		poly_refuse(why, at->kind == POLY_ITEM_KERNEL ?
			"loops '%s' and '%s' are not in one kernel" :
			"loops '%s' and '%s' are not directly within one another: "
			"other statements stand in between, which distribute "
			"takes away", top->name, bottom->name);
		return false;
	}
	if (n > POLY_MOST_LOOPS) {
		poly_refuse(why, "there are more than %d loops", POLY_MOST_LOOPS);
		return false;
	}
	c->n = n;
	for (struct poly_item *at = bottom; n-- > 0; at = at->parent)
		c->loop[n] = at;
	return true;
}

/* The chain that holds all the "n" loops "list", which are around one leaf. */
static bool chain_around(struct chain *c, struct poly_item **list, int n,
	struct poly_refusal *why)
{
	struct poly_item *top = list[0], *bottom = list[0];

	for (int i = 1; i < n; i++) {
		if (poly_item_is_below(top, list[i]))
			top = list[i];
		if (poly_item_is_below(list[i], bottom))
			bottom = list[i];
	}
	return find_chain(c, top, bottom, why);
}

/* "at" divided by "n" and rounded down, times "by". */
static __isl_give isl_pw_aff *quotient(__isl_take isl_pw_aff *at, int64_t n,
	int64_t by)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(at);

	at = isl_pw_aff_floor(isl_pw_aff_scale_down_val(at,
		isl_val_int_from_si(ctx, n)));
	return by == 1 ? at : isl_pw_aff_scale_val(at,
		isl_val_int_from_si(ctx, by));
}

/* Is "tiles" the loop over the tiles whose points "loop" goes through? */
static bool is_over(const struct poly_item *tiles, const struct poly_item *loop)
{
	for (int i = 0; i < POLY_MOST_LEAVES; i++)
		if (loop->at[i]) {
			isl_pw_aff *number = quotient(isl_pw_aff_copy(
				loop->at[i]), loop->tile, tiles->step);
			bool is = isl_pw_aff_plain_is_equal(number,
				tiles->at[i]) == isl_bool_true;

			isl_pw_aff_free(number);
			return is;
		}
	return false;
}

/* The points of tiles that "loop" goes through are counted in each tile. */
static void count_in_tile(struct poly_item *loop)
{
	for (int i = 0; i < POLY_MOST_LEAVES; i++)
		if (loop->at[i])
			loop->at[i] = isl_pw_aff_mod_val(loop->at[i],
				isl_val_int_from_si(isl_pw_aff_get_ctx(
					loop->at[i]), loop->tile));
}

/* Put the loops of "c" into the order "order". What goes through the points of tiles,
 * and comes outside of the loop over these, takes the first point of all tiles first.
 */
static void relink(struct poly_plan *plan, const struct chain *c,
	struct poly_item **order)
{
	struct poly_item *parent = c->loop[0]->parent;
	struct poly_item *inner = c->loop[c->n - 1]->child[0];
	struct poly_item **slot = parent ?
		&parent->child[poly_item_place(c->loop[0])] : &plan->root;

	for (int i = 0; i < c->n; i++) {
		*slot = order[i];
		order[i]->parent = parent;
		parent = order[i];
		slot = &order[i]->child[0];
	}
	*slot = inner;
	inner->parent = parent;
	for (int i = 0; i < c->n; i++)
		for (int k = i + 1; k < c->n && order[i]->tile; k++)
			if (is_over(order[k], order[i])) {
				count_in_tile(order[i]);
				break;
			}
}

static bool is_among(struct poly_item *const *list, int n,
	const struct poly_item *item)
{
	for (int i = 0; i < n; i++)
		if (list[i] == item)
			return true;
	return false;
}

/* Put the "n" loops "list" into this order at the places that they have. */
static bool permute(struct poly_plan *plan, struct poly_item **list, int n,
	struct poly_refusal *why)
{
	struct poly_item *order[POLY_MOST_LOOPS];
	struct chain c;
	int next = 0;

	if (!chain_around(&c, list, n, why))
		return false;
	for (int i = 0; i < c.n; i++)
		order[i] = is_among(list, n, c.loop[i]) ? list[next++] :
			c.loop[i];
	relink(plan, &c, order);
	return true;
}

/* The loops "names" around "leaf", each of them once. */
static bool find_loops(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *names, struct poly_item **list,
	struct poly_refusal *why)
{
	for (int i = 0; i < names->n; i++) {
		list[i] = poly_find_loop(plan, leaf, names->text[i], why);
		if (!list[i])
			return false;
		if (is_among(list, i, list[i])) {
			poly_refuse(why, "loop '%s' is named twice",
				names->text[i]);
			return false;
		}
	}
	if (!names->n)
		poly_refuse(why, "no loop is named");
	return names->n > 0;
}

bool poly_do_permute(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *names, struct poly_refusal *why)
{
	struct poly_item *list[POLY_MOST_NAMES];

	return find_loops(plan, leaf, names, list, why) &&
		permute(plan, list, names->n, why);
}

/* -------------------------------------------------------------------- tiles */

/* A loop "name" right above "loop", over its tiles of "size" iterations; NULL without
 * memory.
 */
static struct poly_item *strip_mine(struct poly_plan *plan,
	struct poly_item *loop, const char *name, int64_t size, bool strided)
{
	struct poly_item *tiles = poly_item_alloc(POLY_ITEM_LOOP);
	int64_t span = size * loop->step;

	if (!tiles)
		return NULL;
	snprintf(tiles->name, sizeof(tiles->name), "%s", name);
	for (int i = 0; i < POLY_MOST_LEAVES; i++)
		if (loop->at[i])
			tiles->at[i] = quotient(isl_pw_aff_copy(loop->at[i]),
				span, strided ? span : 1);
	tiles->step = strided ? span : 1;
	if (!poly_item_wrap(plan, loop, tiles))
		return NULL;
	loop->tile = span;
	return tiles;
}

/* All of "c" but the loops over tiles, behind these. */
static void tiles_first(const struct chain *c, struct poly_item *const *tiles,
	int n, struct poly_item **order)
{
	int next = 0;

	for (int i = 0; i < n; i++)
		order[next++] = tiles[i];
	for (int i = 0; i < c->n; i++)
		if (!is_among(tiles, n, c->loop[i]))
			order[next++] = c->loop[i];
}

/* Strip-mine the loops that have a size; "list" gets the new ones, "*n" their number. */
static bool make_tiles(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_tiling *t, struct poly_item **list, int *n,
	struct poly_refusal *why)
{
	*n = 0;
	for (int i = 0; i < t->loop.n; i++) {
		struct poly_item *loop = poly_find_loop(plan, leaf,
			t->loop.text[i], why);
		char name[POLY_LOOP_TEXT];

		if (!loop)
			return false;
		if (t->size[i] < 0 || t->size[i] > INT32_MAX) {
			poly_refuse(why, "a tile of loop '%s' cannot have %lld "
				"iterations", loop->name, (long long)t->size[i]);
			return false;
		}
		if (!t->size[i])
			continue;
		snprintf(name, sizeof(name), "%s", t->ctrl.text[i]);
		if (!*name)
			snprintf(name, sizeof(name), "%.*s_o",
				POLY_LOOP_TEXT - 12, loop->name);
		if (!poly_is_free_name(loop, name, why))
			return false;
		list[*n] = strip_mine(plan, loop, name, t->size[i], t->strided);
		if (!list[(*n)++]) {
			poly_refuse(why, "there is not enough memory");
			return false;
		}
	}
	return true;
}

bool poly_do_tile(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_tiling *t, struct poly_refusal *why)
{
	struct poly_item *list[POLY_MOST_NAMES], *all[2 * POLY_MOST_NAMES];
	struct poly_item *order[POLY_MOST_LOOPS];
	struct chain c;
	int n;

	if (!find_loops(plan, leaf, &t->loop, list, why) ||
	    !make_tiles(plan, leaf, t, all, &n, why))
		return false;
	if (t->order.n)
		return poly_do_permute(plan, leaf, &t->order, why);
	for (int i = 0; i < t->loop.n; i++)
		all[n + i] = list[i];
	if (!chain_around(&c, all, n + t->loop.n, why))
		return false;
	tiles_first(&c, all, n, order);
	relink(plan, &c, order);
	return true;
}

/* -------------------------------------------------------------------- values */

/* What "loop" counts is another function from now on. */
static void recount(struct poly_item *loop)
{
	loop->tile = 0;
	loop->step = 1;
}

bool poly_do_skew(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, const struct poly_names *by, const int64_t *factor,
	struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);
	struct poly_item *below[POLY_MOST_LEAVES];
	int n = loop ? poly_item_leaves(loop, below) : 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < by->n; k++) {
			struct poly_item *other = poly_find_loop(plan, below[i],
				by->text[k], why);
			isl_pw_aff *add;

			if (!other)
				return false;
			if (other == loop) {
				poly_refuse(why, "loop '%s' cannot be skewed by "
					"itself", name);
				return false;
			}
			add = isl_pw_aff_scale_val(isl_pw_aff_copy(
				other->at[below[i]->number]),
				isl_val_int_from_si(plan->prog->ctx,
					factor[k]));
			loop->at[below[i]->number] = isl_pw_aff_add(
				loop->at[below[i]->number], add);
		}
	if (loop)
		recount(loop);
	return loop != NULL;
}

/* What loop "i" of the "n" loops "list" counts at leaf "k", by "row" and "constant". */
static __isl_give isl_pw_aff *combination(struct poly_item *const *list, int n,
	int k, const int64_t *row, int64_t constant)
{
	isl_ctx *ctx = isl_pw_aff_get_ctx(list[0]->at[k]);
	isl_pw_aff *sum = NULL;

	for (int i = 0; i < n; i++) {
		isl_pw_aff *part = isl_pw_aff_scale_val(
			isl_pw_aff_copy(list[i]->at[k]),
			isl_val_int_from_si(ctx, row[i]));

		sum = sum ? isl_pw_aff_add(sum, part) : part;
	}
	return isl_pw_aff_add_constant_val(sum, isl_val_int_from_si(ctx,
		constant));
}

bool poly_do_affine(struct poly_plan *plan, struct poly_item *leaf,
	const struct poly_names *names, const int64_t *row,
	const int64_t *constant, struct poly_refusal *why)
{
	struct poly_item *list[POLY_MOST_NAMES];
	isl_pw_aff *at[POLY_MOST_NAMES];
	struct chain c;
	int n = names->n;

	if (!find_loops(plan, leaf, names, list, why) ||
	    !chain_around(&c, list, n, why))
		return false;
	for (int k = 0; k < POLY_MOST_LEAVES; k++) {
		if (!list[0]->at[k] || !list[n - 1]->at[k])
			continue;
		for (int i = 0; i < n; i++)
			at[i] = combination(list, n, k, row + i * n,
				constant[i]);
		for (int i = 0; i < n; i++) {
			isl_pw_aff_free(list[i]->at[k]);
			list[i]->at[k] = at[i];
		}
	}
	for (int i = 0; i < n; i++)
		recount(list[i]);
	return true;
}

bool poly_do_shift(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t by, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);

	if (!loop)
		return false;
	loop->at[leaf->number] = isl_pw_aff_add_constant_val(
		loop->at[leaf->number],
		isl_val_int_from_si(plan->prog->ctx, by));
	recount(loop);
	return true;
}

bool poly_do_scale(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t factor, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);
	int64_t step;

	if (!loop)
		return false;
	if (!factor || factor > INT32_MAX || factor < -INT32_MAX) {
		poly_refuse(why, "loop '%s' cannot be scaled by %lld", name,
			(long long)factor);
		return false;
	}
	for (int i = 0; i < POLY_MOST_LEAVES; i++)
		if (loop->at[i])
			loop->at[i] = isl_pw_aff_scale_val(loop->at[i],
				isl_val_int_from_si(plan->prog->ctx, factor));
	step = loop->step * (factor < 0 ? -factor : factor);
	recount(loop);
	loop->step = step <= INT32_MAX ? step : 1;
	return true;
}

bool poly_do_flatten(struct poly_plan *plan, struct poly_item *leaf,
	const char *outer, const char *inner, const char *name,
	struct poly_refusal *why)
{
	struct poly_item *out = poly_find_loop(plan, leaf, outer, why);
	struct poly_item *in = out ? poly_find_loop(plan, leaf, inner, why) : NULL;
	isl_ctx *ctx = plan->prog->ctx;
	int64_t first, last;

	if (!in)
		return false;
	if (in->parent != out || out->role || in->role || in->n_near || out->unroll ||
	    in->unroll || !poly_loop_bounds(plan, in, &first, &last)) {
		poly_refuse(why, "loop '%s' is not right within '%s', between two "
			"numbers, and neither blocks, threads nor written out",
			inner, outer);
		return false;
	}
	if (strcmp(name, inner) && strcmp(name, outer) &&
	    !poly_is_free_name(out, name, why))
		return false;
	for (int i = 0; i < POLY_MOST_LEAVES; i++) {
		isl_pw_aff *at = out->at[i];

		if (!at)
			continue;
		at = isl_pw_aff_scale_val(at, isl_val_int_from_si(ctx,
			last - first + 1));
		at = isl_pw_aff_add(at, isl_pw_aff_copy(in->at[i]));
		out->at[i] = isl_pw_aff_add_constant_val(at,
			isl_val_int_from_si(ctx, -first));
	}
	snprintf(out->name, sizeof(out->name), "%s", name);
	recount(out);
	poly_item_unwrap(plan, in);
	return true;
}

bool poly_do_normalize(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);

	if (loop && !loop->tile) {
		poly_refuse(why, "loop '%s' does not go through the points of "
			"tiles", name);
		return false;
	}
	if (loop)
		count_in_tile(loop);
	return loop != NULL;
}

bool poly_do_rename(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, const char *to, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);

	if (!loop || !poly_is_free_name(loop, to, why))
		return false;
	snprintf(loop->name, sizeof(loop->name), "%s", to);
	return true;
}

bool poly_do_unroll(struct poly_plan *plan, struct poly_item *leaf,
	const char *name, int64_t factor, struct poly_refusal *why)
{
	struct poly_item *loop = poly_find_loop(plan, leaf, name, why);
	char inner[POLY_LOOP_TEXT];
	int64_t n;

	if (!loop)
		return false;
	if (loop->role) {
		poly_refuse(why, "loop '%s' is one of blocks or threads", name);
		return false;
	}
	n = factor ? factor : poly_loop_extent(plan, loop);
	if (n < 1 || n > MOST_COPIES) {
		poly_refuse(why, n ? "loop '%s' would be written out more than "
			"%d times" : "loop '%s' has no constant number of "
			"iterations, of at most %d", name, MOST_COPIES);
		return false;
	}
	if (factor) {
		snprintf(inner, sizeof(inner), "%.*s_u", POLY_LOOP_TEXT - 12,
			name);
		if (!poly_is_free_name(loop, inner, why))
			return false;
		if (!strip_mine(plan, loop, loop->name, factor, true)) {
			poly_refuse(why, "there is not enough memory");
			return false;
		}
		snprintf(loop->name, sizeof(loop->name), "%s", inner);
	}
	loop->unroll = true;
	return true;
}
