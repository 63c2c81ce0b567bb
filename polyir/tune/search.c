/* What a search for a better configuration may try: the blocks that the model
 * (model.c) ranks for each kernel with a product, and the numbers of parts that
 * its sums can be divided into.
 *
 *	parts C 4
 *	kernel chain_C_part thread 8 16 tile 128 128 32 vec 4 4 stages 3
 *
 * Blocks are there only if they are legal, fit into the memory of a block and,
 * as the model counts them, into the registers of a thread. What blocks a
 * kernel can have depends on the parts: for each number of them the program is
 * compiled, and its space noted, anew.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"

/* Blocks that are ranked. */
enum { MOST_BLOCKS = 512 };

void poly_search_free(struct poly_search *s)
{
	for (int i = 0; i < s->n; i++) {
		struct poly_search_choice *c = &s->choice[i];

		for (int k = 0; k < c->n; k++)
			free(c->item[k].line);
		free(c->item);
		free(c->used.line);
		free(c->name);
		free(c->factors);
	}
	free(s->choice);
	*s = (struct poly_search){ 0 };
}

/* A new choice about "name"; NULL without memory. */
static struct poly_search_choice *add_choice(struct poly_search *s,
	const char *name)
{
	struct poly_search_choice *c = realloc(s->choice,
		(s->n + 1) * sizeof(*c));

	if (c)
		s->choice = c;
	else
		return NULL;
	c = &s->choice[s->n++];
	*c = (struct poly_search_choice){ .name = strdup(name), .chosen = -1 };
	return c->name ? c : NULL;
}

/* Keep the text "line" with its cycles; false without memory. */
static bool fill(struct poly_search_item *item, struct poly_str *line,
	double cycles)
{
	*item = (struct poly_search_item){ .cycles = cycles };
	if (!line->failed && line->s)
		item->line = strdup(line->s);
	poly_str_free(line);
	return item->line != NULL;
}

/* Add an alternative to "c"; "is_used" if it is what was chosen. */
static bool add_item(struct poly_search_choice *c, struct poly_str *line,
	double cycles, bool is_used)
{
	struct poly_search_item *item = realloc(c->item,
		(c->n + 1) * sizeof(*item));

	if (item)
		c->item = item;
	if (!item || !fill(&item[c->n], line, cycles)) {
		poly_str_free(line);
		return false;
	}
	if (is_used)
		c->chosen = c->n;
	c->n++;
	return true;
}

/* ------------------------------------------------------------------ blocks */

static struct poly_str block_line(const char *name, const struct poly_block *b)
{
	struct poly_str s = { 0 };

	poly_str_printf(&s, "kernel %s ", name);
	poly_print_block(b, &s);
	return s;
}

static bool same(const struct poly_block *a, const struct poly_block *b)
{
	return a->thread[0] == b->thread[0] && a->thread[1] == b->thread[1] &&
		a->tile[0] == b->tile[0] && a->tile[1] == b->tile[1] &&
		a->vec[0] == b->vec[0] && a->vec[1] == b->vec[1] &&
		a->vec_k == b->vec_k && a->tile_k == b->tile_k &&
		a->stages == b->stages && a->unit == b->unit &&
		a->cluster[0] == b->cluster[0] && a->cluster[1] == b->cluster[1];
}

static bool is_legal(const struct poly_work *w, const struct poly_ranked *r)
{
	return !poly_block_fault(&r->block, w) &&
		r->estimate.registers <= POLY_THREAD_REGISTERS;
}

/* The legal blocks, and what was used. */
static bool add_blocks(struct poly_search_choice *c, const struct poly_work *w,
	const struct poly_block *chosen, const struct poly_ranked *list)
{
	struct poly_estimate e;
	struct poly_str s;

	for (int i = 0; i < MOST_BLOCKS && list[i].estimate.cycles; i++) {
		const struct poly_block *b = &list[i].block;

		s = block_line(c->name, b);
		if (!is_legal(w, &list[i]))
			poly_str_free(&s);
		else if (!add_item(c, &s, list[i].estimate.cycles,
				same(b, chosen)))
			return false;
	}
	s = block_line(c->name, chosen);
	return fill(&c->used, &s, poly_block_cycles(w, chosen, &e));
}

void poly_search_note_blocks(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen, bool chained)
{
	struct poly_ranked *list = prog->request.search ?
		calloc(MOST_BLOCKS, sizeof(*list)) : NULL;
	struct poly_search_choice *c;
	struct poly_str s = { 0 };

	if (!prog->request.search)
		return;
	c = list ? add_choice(prog->request.search, name) : NULL;
	if (list)
		poly_rank_blocks(w, list, MOST_BLOCKS);
	poly_block_factors(w, &s);
	if (c && !s.failed && s.s)
		c->factors = strdup(s.s);
	prog->request.search->failed |= !c || !c->factors ||
		!add_blocks(c, w, chosen, list);
	if (c)
		c->chained = chained;
	poly_str_free(&s);
	free(list);
}

/* ------------------------------------------------------------------- parts */

static struct poly_str parts_line(const char *name, int parts)
{
	struct poly_str s = { 0 };

	poly_str_printf(&s, "parts %s %d", name, parts);
	return s;
}

/* The powers of two that give as many parts, and the number that was used. */
static bool add_parts(struct poly_search_choice *c, const struct poly_work *w,
	int parts)
{
	struct poly_str s;

	for (int n = 1; n <= POLY_MOST_PARTS; n++) {
		int each, made = poly_given_parts(w, n, &each);
		double cycles = poly_sum_cycles(w, n);

		if (made != n || isinf(cycles) || (n != parts && (n & (n - 1))))
			continue;
		s = parts_line(c->name, n);
		if (!add_item(c, &s, cycles, n == parts))
			return false;
	}
	s = parts_line(c->name, parts);
	return fill(&c->used, &s, poly_sum_cycles(w, parts));
}

void poly_search_note_parts(struct poly_prog *prog, const char *array,
	const struct poly_work *w, int parts)
{
	struct poly_search_choice *c;

	if (!prog->request.search)
		return;
	c = add_choice(prog->request.search, array);
	prog->request.search->failed |= !c || !add_parts(c, w, parts);
	if (c)
		c->is_sum = true;
}
