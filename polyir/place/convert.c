/* What it takes to go from one layout of registers to another one of the same box.
 *
 * Each register of the second layout is asked for what it holds over all threads:
 * whether one register of the first has the same in the same thread; in the lane
 * whose number differs by one mask; or in some lane of the warp. Registers are
 * named at compile time, so that it must be one register for all threads.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/place/place.h"

static const char *const name[] = {
	[POLY_CONVERT_NOTHING] = "nothing", [POLY_CONVERT_RENAME] = "rename",
	[POLY_CONVERT_XOR] = "xor", [POLY_CONVERT_SHUFFLE] = "shuffle",
	[POLY_CONVERT_SHARED] = "shared", [POLY_CONVERT_CLUSTER] = "cluster",
	[POLY_CONVERT_LACKS] = "lacks"
};

const char *poly_convert_name(enum poly_convert how)
{
	return name[how];
}

/* The first layout: its places in their order, and in that of what they hold. */
struct source {
	struct poly_held *by_place, *by_x;
	int n;
};

static int compare_ints(const int *a, const int *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_x(const void *a, const void *b)
{
	const struct poly_held *x = a, *y = b;
	int order = compare_ints(x->x, y->x, POLY_LAYOUT_DIM);

	return order ? order : compare_ints(x->at, y->at, POLY_N_AT);
}

static int compare_places(const void *a, const void *b)
{
	const struct poly_held *x = a, *y = b;

	return compare_ints(x->at, y->at, POLY_N_AT);
}

/* By registers first: what one of them holds in all threads stands together. */
static int compare_slots(const void *a, const void *b)
{
	const struct poly_held *x = a, *y = b;
	int order = compare_ints(x->at + POLY_AT_REG, y->at + POLY_AT_REG, 2);

	return order ? order : compare_ints(x->at, y->at, POLY_AT_REG);
}

/* List what "l" holds, in both orders; false without memory. The lists belong
 * to "s", also then.
 */
static bool open_source(struct source *s, const struct poly_layout *l)
{
	s->by_place = poly_layout_list(l, &s->n);
	s->by_x = malloc(((size_t) s->n + 1) * sizeof(*s->by_x));
	if (!s->by_place || !s->by_x)
		return false;
	memcpy(s->by_x, s->by_place, (size_t) s->n * sizeof(*s->by_x));
	qsort(s->by_x, (size_t) s->n, sizeof(*s->by_x), compare_x);
	return true;
}

static void close_source(struct source *s)
{
	free(s->by_place);
	free(s->by_x);
}

/* The places that hold the x of "e", of which there are "*n". */
static const struct poly_held *holders(const struct source *s,
	const struct poly_held *e, int *n)
{
	int low = 0, high = s->n;

	while (low < high) {
		int middle = (low + high) / 2;

		if (compare_ints(s->by_x[middle].x, e->x, POLY_LAYOUT_DIM) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < s->n && !compare_ints(s->by_x[low + *n].x,
	     e->x, POLY_LAYOUT_DIM); ++*n)
		;
	return s->by_x + low;
}

/* ------------------------------------------------------------------ one slot */

static bool is_same_slot(const struct poly_held *a, const struct poly_held *b)
{
	return !compare_ints(a->at + POLY_AT_REG, b->at + POLY_AT_REG, 2);
}

static bool is_same_warp(const struct poly_held *a, const struct poly_held *b)
{
	return a->at[POLY_AT_CLUSTER] == b->at[POLY_AT_CLUSTER] &&
		a->at[POLY_AT_THREAD] / POLY_LANES ==
		b->at[POLY_AT_THREAD] / POLY_LANES;
}

/* Is the x of "e" in slot "from" of the lane that differs by "mask", or, if that is
 * negative, of some lane of the warp?
 */
static bool is_there(const struct source *s, const struct poly_held *e,
	const struct poly_held *from, int mask)
{
	struct poly_held key = *from;
	const struct poly_held *h;
	int n;

	if (mask >= 0) {
		key.at[POLY_AT_CLUSTER] = e->at[POLY_AT_CLUSTER];
		key.at[POLY_AT_THREAD] = e->at[POLY_AT_THREAD] ^ mask;
		h = bsearch(&key, s->by_place, (size_t) s->n, sizeof(key),
			compare_places);
		return h && !compare_ints(h->x, e->x, POLY_LAYOUT_DIM);
	}
	h = holders(s, e, &n);
	for (int i = 0; i < n; i++)
		if (is_same_warp(&h[i], e) && is_same_slot(&h[i], from))
			return true;
	return false;
}

static struct poly_move move_of(const struct poly_held *e,
	const struct poly_held *from, int mask)
{
	return (struct poly_move){ { e->at[POLY_AT_REG], e->at[POLY_AT_BYTE] },
		{ from->at[POLY_AT_REG], from->at[POLY_AT_BYTE] }, mask };
}

/* Is "a" less work than "b": the same lane, the same register? */
static bool is_better(const struct poly_move *a, const struct poly_move *b)
{
	if ((a->mask < 0) != (b->mask < 0))
		return b->mask < 0;
	if (a->mask != b->mask)
		return a->mask < b->mask;
	return !compare_ints(a->to, a->from, 2) &&
		compare_ints(b->to, b->from, 2);
}

/* The one move that serves all of the "n" entries "e", which are of one slot; false
 * if there is none.
 */
static bool find_move(const struct source *s, const struct poly_held *e, int n,
	struct poly_move *best)
{
	int n_holder;
	const struct poly_held *h = holders(s, e, &n_holder);
	bool found = false;

	for (int i = 0; i < 2 * n_holder; i++) {
		const struct poly_held *from = &h[i / 2];
		int mask = i % 2 ? -1 : e->at[POLY_AT_THREAD] ^
			from->at[POLY_AT_THREAD];
		struct poly_move move = move_of(e, from, mask);
		int k = 0;

		if (!is_same_warp(from, e) || (found &&
		    !is_better(&move, best)))
			continue;
		while (k < n && is_there(s, &e[k], from, mask))
			k++;
		if (k < n)
			continue;
		*best = move;
		found = true;
	}
	return found;
}

/* --------------------------------------------------------------- all of them */

/* Add "move" unless it is there already; false without memory. */
static bool add_move(struct poly_conversion *c, struct poly_move move)
{
	struct poly_move *more;

	for (int i = 0; i < c->n_move; i++)
		if (!memcmp(&c->move[i], &move, sizeof(move)))
			return true;
	more = realloc(c->move, (size_t) (c->n_move + 1) * sizeof(*more));
	if (!more)
		return false;
	c->move = more;
	c->move[c->n_move++] = move;
	return true;
}

/* How far what the entry "e" wants is; its holder, or NULL. */
static enum poly_convert distance(const struct source *s,
	const struct poly_held *e, const struct poly_held **from)
{
	int n;
	const struct poly_held *h = holders(s, e, &n);
	enum poly_convert how = n ? POLY_CONVERT_CLUSTER : POLY_CONVERT_LACKS;

	*from = NULL;
	for (int i = 0; i < n; i++) {
		if (is_same_warp(&h[i], e)) {
			*from = &h[i];
			return POLY_CONVERT_SHUFFLE;
		}
		if (h[i].at[POLY_AT_CLUSTER] == e->at[POLY_AT_CLUSTER])
			how = POLY_CONVERT_SHARED;
	}
	return how;
}

/* The moves for the "n" entries "e" of one slot; how these are. -1 without memory.
 */
static int convert_slot(const struct source *s, const struct poly_held *e,
	int n, struct poly_conversion *c)
{
	const struct poly_held *from;
	struct poly_move move;
	int most = POLY_CONVERT_SHUFFLE;

	if (find_move(s, e, n, &move)) {
		most = move.mask < 0 ? POLY_CONVERT_SHUFFLE : move.mask > 0 ?
			POLY_CONVERT_XOR : compare_ints(move.to, move.from, 2) ?
			POLY_CONVERT_RENAME : POLY_CONVERT_NOTHING;
		return add_move(c, move) ? most : -1;
	}
	for (int i = 0; i < n; i++) {
		int how = (int) distance(s, &e[i], &from);

		most = how > most ? how : most;
		if (from && !add_move(c, move_of(&e[i], from, -1)))
			return -1;
	}
	return most;
}

/* How many shuffles the moves are; whether elements change their place in
 * registers, or come together from several.
 */
static void count_moves(struct poly_conversion *c)
{
	for (int i = 0; i < c->n_move; i++) {
		const struct poly_move *m = &c->move[i];
		bool again = false;

		c->packs |= m->to[1] != m->from[1];
		for (int k = 0; k < i; k++) {
			const struct poly_move *o = &c->move[k];

			if (o->to[0] != m->to[0])
				continue;
			again |= o->from[0] == m->from[0] && o->mask == m->mask;
			c->packs |= o->from[0] != m->from[0] &&
				o->to[1] != m->to[1];
		}
		c->n_shuffle += m->mask && !again;
	}
}

bool poly_layout_convert(const struct poly_layout *from,
	const struct poly_layout *to, struct poly_conversion *c)
{
	int n = 0, how = 0;
	struct poly_held *list = poly_layout_list(to, &n);
	struct source s = { 0 };
	bool ok = list && from && open_source(&s, from);

	*c = (struct poly_conversion){ 0 };
	if (ok)
		qsort(list, (size_t) n, sizeof(*list), compare_slots);
	for (int i = 0, next; ok && i < n; i = next) {
		int own;

		for (next = i + 1; next < n && is_same_slot(&list[i],
		     &list[next]); next++)
			;
		own = convert_slot(&s, list + i, next - i, c);
		ok = own >= 0;
		how = own > how ? own : how;
	}
	close_source(&s);
	free(list);
	c->how = (enum poly_convert) how;
	if (ok && how < POLY_CONVERT_SHARED) {
		count_moves(c);
	} else {
		free(c->move);
		c->move = NULL;
		c->n_move = 0;
	}
	return ok;
}
