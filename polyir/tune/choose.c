/* Which blocks the versions of a product have, and which of them divide its sum.
 *
 * The model (model.c) says what each configuration takes for given sizes. Over a
 * sample of sizes from 32 to 16384, for points along either axis and for steps,
 * the set of a few configurations is looked for with which the best of the set
 * takes the least, in the geometric mean: one after another, the one that gains
 * most.
 *
 * A configuration for sizes that are whole tiles has no code for edges, which
 * costs some of the time ("edges" of polyir/cost/rate.def). One that divides the
 * sum does so in any of the ways listed, which a launch chooses; another kernel
 * adds the parts, one for all that are for whole tiles and one for the others.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/map/map.h"

/* The sample: from FIRST on, DOUBLINGS times twice as much. Sizes are multiples of
 * one of these: FINE for one of ODD of them, COARSE from LARGE on, else FIRST.
 */
enum { N_SAMPLE = 1024, FIRST = 32, DOUBLINGS = 9, ODD = 8, FINE = 4,
	COARSE = 128, LARGE = 256 };
/* Rounds in which the set gets better. More than any logarithm of cycles. */
enum { ROUNDS = 2, NOTHING = 100 };
/* No sum has more parts: steps of 32 bits, in parts of 32 at least. */
#define MOST_PARTS (1 << 26)

/* The ways to divide a sum. */
static const struct poly_division divisions[] = {
	{ 2, false }, { 3, false }, { 4, false }, { 5, false }, { 6, false },
	{ 7, false }, { 8, false }, { 9, false }, { 10, false }, { 11, false },
	{ 12, false }, { 14, false }, { 16, false }, { 20, false },
	{ 32, true }, { 64, true }, { 96, true }, { 128, true }, { 192, true },
	{ 256, true }
};
enum { N_DIVISION = sizeof(divisions) / sizeof(divisions[0]) };

/* What a configuration is for: any sizes whose rows are aligned, whole tiles, whole
 * tiles with a sum that is divided, or any sizes whose rows, and those of the parts of
 * a sum that is divided, are aligned.
 */
enum kind { ANY, WHOLE, DIVIDED, ROUGH, N_KIND };

/* A block, what it is for, and its number in the list of all configurations;
 * the "usual" one stays unless another is clearly better.
 */
struct configuration {
	struct poly_block block;
	enum kind kind;
	int number;
	bool usual;
};

/* "work" and the functions are those of the product noted, "n" how many products
 * there were; "size" is that of its steps, if it is one, and "shared" those of the
 * points along the axes, if two programs may share them; "chosen" are "n_chosen"
 * configurations.
 */
struct poly_choice {
	int n;
	bool plain;
	struct poly_work work;
	struct poly_block block;
	isl_pw_aff *points[2], *steps, *batch[POLY_MAX_BATCH];
	int n_batch;
	char *size, *shared[2];
	struct configuration *chosen;
	int n_chosen;
};

struct poly_choice *poly_choice_alloc(void)
{
	return calloc(1, sizeof(struct poly_choice));
}

/* Free what "c" has, which is empty then. */
static void forget(struct poly_choice *c)
{
	for (int d = 0; d < 2; d++)
		c->points[d] = isl_pw_aff_free(c->points[d]);
	c->steps = isl_pw_aff_free(c->steps);
	while (c->n_batch > 0)
		isl_pw_aff_free(c->batch[--c->n_batch]);
	free(c->size);
	free(c->shared[0]);
	free(c->shared[1]);
	c->size = c->shared[0] = c->shared[1] = NULL;
}

struct poly_choice *poly_choice_free(struct poly_choice *c)
{
	if (c) {
		forget(c);
		free(c->chosen);
	}
	free(c);
	return NULL;
}

/* ------------------------------------------------------------------- noting */

/* How many values dimension "dim" of "set" has, a function of the sizes. */
static __isl_give isl_pw_aff *length(struct poly_prog *prog,
	__isl_keep isl_set *set, int dim)
{
	isl_set *one = isl_set_reset_tuple_id(isl_set_copy(set));
	int n = isl_set_dim(one, isl_dim_set);

	one = isl_set_project_out(one, isl_dim_set, dim + 1, n - dim - 1);
	one = isl_set_project_out(one, isl_dim_set, 0, dim);
	return poly_range_length(prog, one);
}

/* The size that "length" is, or NULL. */
static char *size_of(__isl_keep isl_pw_aff *length, struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_param && !prog->original; i++) {
		isl_pw_aff *size = isl_pw_aff_from_aff(poly_size_at(
			isl_pw_aff_get_domain_space(length),
			prog->param[i].name));
		bool is;

		is = isl_pw_aff_plain_is_equal(length, size) == isl_bool_true;
		isl_pw_aff_free(size);
		if (is)
			return strdup(prog->param[i].name);
	}
	return NULL;
}

void poly_choice_note(const struct poly_nest *nest, const struct poly_work *w,
	const struct poly_block *b)
{
	struct poly_choice *c = nest->prog->request.choice;
	isl_set *range;
	int at = 0;

	if (!c)
		return;
	forget(c);
	c->n++;
	c->work = *w;
	c->block = *b;
	while (at < nest->n - 1 && !nest->product[at])
		at++;
	range = isl_map_range(isl_map_copy(nest->map[at]));
	c->plain = nest->n_product == 1 && !nest->n_host &&
		(int) isl_set_dim(range, isl_dim_set) == 3 + nest->n_batch;
	for (int d = 0; d < 2 && c->plain; d++)
		c->points[d] = length(nest->prog, range, d);
	if (c->plain) {
		c->steps = length(nest->prog, range, 2);
		c->size = size_of(c->steps, nest->prog);
	}
	for (int d = 0; d < 2 && c->plain && !nest->n_batch; d++)
		c->shared[d] = size_of(c->points[d], nest->prog);
	while (c->plain && c->n_batch < nest->n_batch) {
		c->batch[c->n_batch] = length(nest->prog, range,
			3 + c->n_batch);
		c->n_batch++;
	}
	isl_set_free(range);
}

/* Can the product be counted, and does it have all registers? */
static bool is_known(const struct poly_choice *c)
{
	return c->n == 1 && c->plain && c->work.target.multiprocessors > 0 &&
		!c->work.deep;
}

/* ------------------------------------------------------------------- the set */

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

/* Has a configuration of "kind" whole tiles alone; has it a sum that is divided? */
static bool is_whole(enum kind kind)
{
	return kind == WHOLE || kind == DIVIDED;
}

static bool is_divided(enum kind kind)
{
	return kind == DIVIDED || kind == ROUGH;
}

/* Of how many steps those of a part of "f" are a multiple: a tile's, or those of a run. */
static int step_unit(const struct poly_work *w, const struct configuration *f)
{
	int least = w->bytes[0] && w->bytes[0] < w->bytes[1] ? w->bytes[0] : w->bytes[1];

	return f->kind == DIVIDED || !least ? f->block.tile_k : POLY_RUN_BYTES / least;
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
	int unit = step_unit(w, f);
	double best = INFINITY;

	for (int i = 0; i < N_DIVISION; i++)
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
		if (is_whole(f->kind) &&
		    !is_multiple(sample->size[d], f->block.tile[d]))
			return INFINITY;
	}
	w.steps = sample->size[2];
	if (is_whole(f->kind) && !is_multiple(w.steps, f->block.tile_k))
		return INFINITY;
	n = is_divided(f->kind) ? best_division(&w, f) / rates->clearly :
		poly_block_cycles(&w, &f->block, &e);
	return (float)log(n * (is_whole(f->kind) ? 1 : rates->edges) *
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
	if (!is_known(c) || !c->chosen)
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

/* ------------------------------------------------------------------ results */

struct poly_config *poly_choice_config(const struct poly_choice *c, int i)
{
	return poly_config_make(&c->chosen[i].block);
}

const char *poly_choice_divided(const struct poly_choice *c, int i)
{
	return is_divided(c->chosen[i].kind) ? c->size : NULL;
}

const struct poly_division *poly_choice_divisions(int *n)
{
	*n = N_DIVISION;
	return divisions;
}

/* "set" where "n" is a multiple of "of". */
static __isl_give isl_set *with_multiple(__isl_take isl_set *set,
	__isl_take isl_pw_aff *n, int64_t of)
{
	isl_val *v = isl_val_int_from_si(isl_pw_aff_get_ctx(n), (long)of);

	return isl_set_intersect(set, isl_set_params(isl_pw_aff_zero_set(
		isl_pw_aff_mod_val(n, v))));
}

/* The sizes for which "n" is more than 0. */
static __isl_give isl_set *positive(__isl_take isl_pw_aff *n)
{
	return isl_set_params(isl_pw_aff_pos_set(n));
}

/* The sizes that have whole tiles of "f" points. */
static __isl_give isl_set *whole_tiles(const struct poly_choice *c,
	const struct configuration *f)
{
	isl_set *set = isl_set_universe(isl_space_params(
		isl_pw_aff_get_space(c->steps)));

	for (int d = 0; d < 2 && is_whole(f->kind); d++)
		set = with_multiple(set, isl_pw_aff_copy(c->points[d]),
			f->block.tile[d]);
	return set;
}

__isl_give isl_set *poly_choice_sizes(const struct poly_choice *c, int i,
	struct poly_division d)
{
	const struct configuration *f = &c->chosen[i];
	isl_set *set = whole_tiles(c, f);
	int64_t n = d.by_steps ? d.n : step_unit(&c->work, f) * (d.n ? d.n : 1);

	if (f->kind == ANY)
		return set;
	if (d.n)
		set = isl_set_intersect(set,
			positive(isl_pw_aff_copy(c->steps)));
	return with_multiple(set, isl_pw_aff_copy(c->steps), n);
}

/* "set" where the hidden size of "kind", if there is one, is a multiple of "of" and
 * from "least" to "most", which is taken; NULL: no limit.
 */
static __isl_give isl_set *with_hidden(__isl_take isl_set *set,
	const struct poly_prog *prog, enum poly_hidden kind, int of, int least,
	__isl_take isl_pw_aff *most)
{
	const struct poly_param *p = poly_prog_hidden(prog, kind);
	isl_pw_aff *n;

	if (!p) {
		isl_pw_aff_free(most);
		return set;
	}
	n = isl_pw_aff_from_aff(poly_size_at(isl_set_get_space(set), p->name));
	if (most)
		set = isl_set_intersect(set, isl_set_params(
			isl_pw_aff_ge_set(most, isl_pw_aff_copy(n))));
	set = isl_set_intersect(set, positive(isl_pw_aff_add_constant_val(
		isl_pw_aff_copy(n), isl_val_int_from_si(prog->ctx, 1 - least))));
	return with_multiple(set, n, of);
}

__isl_give isl_set *poly_choice_hidden(const struct poly_choice *c, int i,
	struct poly_prog *prog)
{
	const struct configuration *f = &c->chosen[i];
	isl_set *set = whole_tiles(c, f);
	isl_local_space *params = isl_local_space_from_space(
		isl_set_get_space(set));
	isl_pw_aff *most = isl_pw_aff_from_aff(isl_aff_val_on_domain(params,
		isl_val_int_from_si(prog->ctx, MOST_PARTS)));

	set = with_hidden(set, prog, POLY_PARTS, 1, 1, most);
	set = with_hidden(set, prog, POLY_STEPS, step_unit(&c->work, f), 1, NULL);
	for (int d = 0; d < 2; d++)
		set = with_hidden(set, prog, POLY_FIRST_0 + d, f->block.tile[d],
			0, isl_pw_aff_copy(c->points[d]));
	return set;
}

const char *poly_choice_shared(const struct poly_choice *c, int i, int axis)
{
	const char *size = c->shared[axis], *other = c->shared[!axis];

	if (!is_whole(c->chosen[i].kind) || !size)
		return NULL;
	return (c->size && !strcmp(c->size, size)) ||
		(other && !strcmp(other, size)) ? NULL : size;
}

bool poly_choice_fits(const struct poly_choice *c, int main, int rest)
{
	const struct configuration *f = &c->chosen[main];
	const struct configuration *g = &c->chosen[rest];

	return f->kind == WHOLE && g->kind == DIVIDED &&
		!memcmp(&f->block, &g->block, sizeof(f->block));
}

/* How much of the cycles configuration "f" counts: see cycles(). */
static int percent(const struct poly_work *w, const struct configuration *f,
	struct poly_division d)
{
	double all = 100;

	if (!f)
		return (int)lround(all * w->rates->general);
	all *= is_whole(f->kind) ? 1 : w->rates->edges;
	all *= f->usual ? w->rates->clearly : 1;
	return (int)lround(d.n ? all / w->rates->clearly : all);
}

void poly_choice_cost(const struct poly_choice *c, int i,
	struct poly_division d, struct poly_cost *cost)
{
	const struct configuration *f = i < 0 ? NULL : &c->chosen[i];
	struct poly_work w = c->work;

	if (!is_known(c))
		return;
	w.parts = d.n > 0;
	w.steps = d.by_steps ? (double)d.n : INFINITY;
	poly_block_cost(&w, f ? &f->block : &c->block, cost);
	for (int k = 0; k < 2; k++)
		cost->points[k] = isl_pw_aff_copy(c->points[k]);
	cost->steps = isl_pw_aff_copy(c->steps);
	for (; cost->n_batch < c->n_batch; cost->n_batch++)
		cost->batch[cost->n_batch] = isl_pw_aff_copy(
			c->batch[cost->n_batch]);
	cost->percent = percent(&w, f, d);
	cost->division = d;
	if (!d.n)
		return;
	cost->bytes[0] = 4 * w.words;
	cost->sum = 8 * w.words;
	cost->more = llround(w.rates->launch);
}

void poly_choice_rest_cost(const struct poly_choice *c, int rest, int axis,
	struct poly_division d, struct poly_cost *cost)
{
	poly_choice_cost(c, rest, d, cost);
	cost->rest = true;
	cost->axis = axis;
	cost->more += llround(c->work.rates->launch);
}
