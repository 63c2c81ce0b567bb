/* Which blocks the versions of a product have, and which of them divide its sum.
 *
 * The model (model.c) says what each configuration takes for given sizes. Over a
 * sample of sizes from 32 to 16384, for points along either axis and for steps,
 * the set of a few configurations is looked for with which the best of the set
 * takes the least, in the geometric mean: one after another, the one that gains
 * most.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/cost/cost.h"
#include "polyir/tune/choose.h"

/* The sample: from FIRST on, DOUBLINGS times twice as much. Sizes are multiples of
 * one of these: FINE for one of ODD of them, COARSE from LARGE on, else FIRST.
 */
enum { N_SAMPLE = 1024, FIRST = 32, DOUBLINGS = 9, ODD = 8, FINE = 4,
	COARSE = 128, LARGE = 256 };
/* Rounds in which the set gets better. More than any logarithm of cycles. */
enum { ROUNDS = 2, NOTHING = 100 };

/* The sizes of the sample: points along the axes, and steps. */
struct sample {
	double size[3];
};

/* The next size; "state" is that of a generator. */
static double draw(uint64_t *state)
{
	double u, x;
	int unit;

	*state = *state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	u = (double)(*state >> 11) * 0x1p-53;
	x = FIRST * exp2(DOUBLINGS * u);
	unit = (*state >> 8) % ODD == 0 ? FINE : x < LARGE ? FIRST : COARSE;
	return unit * round(x / unit);
}

static bool is_multiple(double x, int n)
{
	return fmod(x, n) == 0;
}

/* Can "steps" be divided as "d" says into parts of multiples of "unit"? */
static bool can_divide(double steps, struct poly_division d, int unit)
{
	return is_multiple(steps, (int)d.n * (d.by_steps ? 1 : unit)) &&
		is_multiple(d.n, d.by_steps ? unit : 1) && steps > d.n;
}

/* What "w" takes in "block" if its sum is divided as "d" says. */
static double divided_cycles(const struct poly_work *w,
	const struct poly_block *block, struct poly_division d)
{
	int parts = d.by_steps ? (int)(w->steps / d.n) : (int)d.n;
	double sum = poly_sum_cycles(w, parts) + w->rates->part * parts;
	struct poly_work part = *w;
	struct poly_estimate e;

	part.parts = true;
	part.batch = parts;
	part.steps = w->steps / parts;
	part.out_bytes = 4 * w->words;
	return poly_block_cycles(&part, block, &e) + sum;
}

/* The least that "w" takes in blocks of "f" if its sum is divided. */
static double best_division(const struct poly_work *w, const struct configuration *f)
{
	int unit = poly_step_unit(w, f), n;
	const struct poly_division *divisions = poly_choice_divisions(&n);
	double best = INFINITY;

	for (int i = 0; i < n; i++)
		if (can_divide(w->steps, divisions[i], unit))
			best = fmin(best, divided_cycles(w, &f->block,
				divisions[i]));
	return best;
}

/* What "f" takes for the sizes, as a logarithm. The usual block stays unless
 * another is clearly better, and so does a whole sum.
 */
static float cycles(const struct poly_work *work, const struct configuration *f,
	const struct sample *sample)
{
	const struct poly_rates *rates = work->rates;
	struct poly_work w = *work;
	struct poly_estimate e;
	double n;

	for (int d = 0; d < 2; d++) {
		w.points[d] = sample->size[d];
		if (poly_is_whole(f->kind) &&
		    !is_multiple(sample->size[d], f->block.tile[d]))
			return INFINITY;
	}
	w.steps = sample->size[2];
	if (poly_is_whole(f->kind) && !is_multiple(w.steps, f->block.tile_k))
		return INFINITY;
	n = poly_is_divided(f->kind) ? best_division(&w, f) / rates->clearly :
		poly_block_cycles(&w, &f->block, &e);
	return (float)log(n * (poly_is_whole(f->kind) ? 1 : rates->edges) *
		(f->usual ? rates->clearly : 1));
}

/* All configurations of "work", "*n" of them; NULL without memory. Products on cores share
 * rounds of tiles with a rest (take.c), which wants whole ones: none of them is rough.
 */
static struct configuration *all(const struct poly_choice *c, int *n)
{
	struct poly_block block[POLY_MOST_BLOCKS];
	struct poly_block usual = poly_usual_block(&c->work);
	int n_block = poly_all_blocks(&c->work, block, POLY_MOST_BLOCKS);
	int kinds = !c->size ? DIVIDED : c->work.units ? N_KIND : ROUGH;
	struct configuration *list = calloc(N_KIND * n_block + 1,
		sizeof(*list));

	*n = 0;
	for (int i = 0; list && i < n_block; i++)
		for (int k = 0; k < kinds; k++)
			list[(*n)++] = (struct configuration){ block[i], k, 0,
				!memcmp(&usual, &block[i], sizeof(usual)) };
	return list;
}

/* The search: "table" has what each of the "n" configurations "list" takes for
 * each sample, "set" the best of those chosen but for number "but". Programs have
 * "each" kernels.
 */
struct search {
	struct poly_choice *c;
	struct configuration *list;
	int n, each, kernels;
	float *table, set[N_SAMPLE];
};

/* Kernels of the set without number "but" and with "more". */
static int count_kernels(const struct search *s, int but,
	const struct configuration *more)
{
	bool has[N_KIND] = { false };
	int n = s->each;

	has[more->kind] = true;
	for (int i = 0; i < s->c->n_chosen; i++)
		if (i != but) {
			n += s->each;
			has[s->c->chosen[i].kind] = true;
		}
	return n + has[DIVIDED] + has[ROUGH];
}

/* Let "set" be what the set takes without number "but". */
static void take_out(struct search *s, int but)
{
	for (int i = 0; i < N_SAMPLE; i++)
		s->set[i] = NOTHING;
	for (int k = 0; k < s->c->n_chosen; k++)
		for (int i = 0; i < N_SAMPLE && k != but; i++)
			s->set[i] = fminf(s->set[i], s->table[
				(size_t)s->c->chosen[k].number * N_SAMPLE +
				i]);
}

/* What is gained if configuration "k" is added. */
static double gain(const struct search *s, int k)
{
	const float *more = s->table + (size_t)k * N_SAMPLE;
	double sum = 0;

	for (int i = 0; i < N_SAMPLE; i++)
		sum += more[i] < s->set[i] ? s->set[i] - more[i] : 0;
	return sum;
}

/* The configuration that gains most beside all but number "but"; -1: none. */
static int find_best(struct search *s, int but)
{
	double best = 0;
	int found = -1;

	take_out(s, but);
	for (int k = 0; k < s->n; k++) {
		double g;

		if (count_kernels(s, but, &s->list[k]) > s->kernels)
			continue;
		g = gain(s, k);
		if (g <= best)
			continue;
		best = g;
		found = k;
	}
	return found;
}

/* Fill the table. */
static void fill_table(struct search *s)
{
	struct sample sample;
	uint64_t state = 1;

	for (int i = 0; i < N_SAMPLE; i++) {
		for (int d = 0; d < 3; d++)
			sample.size[d] = draw(&state);
		for (int k = 0; k < s->n; k++)
			s->table[(size_t)k * N_SAMPLE + i] = cycles(
				&s->c->work, &s->list[k], &sample);
	}
}

/* Add one after another, then replace each by what is better beside the others. */
static void find_set(struct search *s, int most)
{
	struct poly_choice *c = s->c;

	fill_table(s);
	while (c->n_chosen < most) {
		int one = find_best(s, -1);

		if (one < 0)
			break;
		c->chosen[c->n_chosen] = s->list[one];
		c->chosen[c->n_chosen++].number = one;
	}
	for (int i = 0; i < ROUNDS * c->n_chosen; i++) {
		int at = i % c->n_chosen, one = find_best(s, at);

		if (one < 0)
			continue;
		c->chosen[at] = s->list[one];
		c->chosen[at].number = one;
	}
}

int poly_choose(struct poly_choice *c, int each, int kernels)
{
	struct search s = { .c = c, .each = each, .kernels = kernels };
	int most = kernels / each;

	c->chosen = calloc(most + 1, sizeof(*c->chosen));
	if (!poly_choice_is_known(c) || !c->chosen)
		return 0;
	c->work.fixed = true;
	c->work.open = true;
	c->work.batch = 1;
	c->work.steps = INFINITY;
	s.list = all(c, &s.n);
	if (s.list)
		s.table = malloc(sizeof(*s.table) * N_SAMPLE * (s.n + 1));
	if (s.table)
		find_set(&s, most);
	free(s.table);
	free(s.list);
	return c->n_chosen;
}
