/* Which blocks, and parts of the sum, the versions of a product have.
 *
 * The model (model.c) says what each configuration takes for given sizes. Over a
 * sample of sizes, powers of two and three times such, from 32 to 8192 for points
 * along either axis and for steps, the set of a few configurations is looked for
 * with which the best of the set takes the least, in the geometric mean: one
 * after another, the one that gains most a kernel.
 *
 * A sum is in parts of a fixed length, as many as the sizes want; another kernel
 * adds them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir_internal.h"

/* Sizes of the sample: 2^k and 3 2^k for k from 5 to 13 and to 11. */
enum { FIRST = 32, N_SIZE = 17, N_SAMPLE = N_SIZE * N_SIZE * N_SIZE };
/* Only each of so many sizes is looked at. Rounds in which the set gets better.
 * More than any logarithm of cycles.
 */
enum { STRIDE = 7, N_LOOK = (N_SAMPLE + STRIDE - 1) / STRIDE, ROUNDS = 2,
	NOTHING = 100 };

/* Steps of the parts of a sum. */
static const int lengths[] = {
	0, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072
};
enum { N_LENGTH = sizeof(lengths) / sizeof(lengths[0]) };

struct configuration {
	struct poly_block block;
	int values, number;
	bool usual;
};

/* "work" and the functions are those of the product noted, "n" how many products
 * there were; "chosen" are "n_chosen" configurations.
 */
struct poly_choice {
	int n;
	bool plain;
	struct poly_work work;
	struct poly_block block;
	isl_pw_aff *points[2], *steps, *batch[POLY_MAX_BATCH];
	int n_batch;
	struct configuration *chosen;
	int n_chosen;
};

struct poly_choice *poly_choice_alloc(void)
{
	return calloc(1, sizeof(struct poly_choice));
}

static void forget(struct poly_choice *c)
{
	for (int d = 0; d < 2; d++)
		c->points[d] = isl_pw_aff_free(c->points[d]);
	c->steps = isl_pw_aff_free(c->steps);
	while (c->n_batch > 0)
		isl_pw_aff_free(c->batch[--c->n_batch]);
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

void poly_choice_note(const struct poly_nest *nest, const struct poly_work *w,
	const struct poly_block *b)
{
	struct poly_choice *c = nest->prog->choice;
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
	if (c->plain)
		c->steps = length(nest->prog, range, 2);
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
	return c->n == 1 && c->plain && c->work.multiprocessors > 0 &&
		!c->work.deep;
}

/* ------------------------------------------------------------------- the set */

static double size_at(int i)
{
	return FIRST * (i % 2 ? 1.5 : 1.0) * (double)(1 << i / 2);
}

/* What "f" takes for the i-th sizes, as a logarithm. The usual block stays unless
 * another is clearly better.
 */
static float cycles(const struct poly_work *work, const struct configuration *f,
	int i)
{
	struct poly_work w = *work;
	struct poly_estimate e;
	double sum = 0;

	w.points[0] = size_at(i % N_SIZE);
	w.points[1] = size_at(i / N_SIZE % N_SIZE);
	w.steps = size_at(i / N_SIZE / N_SIZE);
	if (f->values) {
		int n = ceil(w.steps / f->values);

		sum = n > POLY_MOST_PARTS ? INFINITY : poly_sum_cycles(&w, n + 1);
		if (isinf(sum))
			return INFINITY;
		w.batch = n;
		w.steps = w.steps < f->values ? w.steps : f->values;
		w.out_bytes = 4 * w.words;
	}
	return (float)log((poly_block_cycles(&w, &f->block, &e) + sum) *
		(f->usual ? POLY_CLEARLY : 1));
}

/* All configurations of "work", "*n" of them; NULL without memory. */
static struct configuration *all(const struct poly_work *work, int *n)
{
	struct poly_block block[POLY_MOST_BLOCKS];
	struct poly_block usual = poly_usual_block(work);
	int n_block = poly_all_blocks(work, block, POLY_MOST_BLOCKS);
	struct configuration *list = calloc(N_LENGTH * n_block + 1,
		sizeof(*list));

	*n = 0;
	for (int i = 0; list && i < n_block * N_LENGTH; i++)
		list[(*n)++] = (struct configuration){ block[i / N_LENGTH],
			lengths[i % N_LENGTH], 0, !memcmp(&usual,
				&block[i / N_LENGTH], sizeof(usual)) };
	return list;
}

/* The search: "table" has what each of the "n" configurations "list" takes for
 * each size, "set" the best of those chosen but for number "but".
 */
struct search {
	struct poly_choice *c;
	struct configuration *list;
	int n, most, kernels;
	float *table, set[N_LOOK];
};

/* Kernels of the set without number "but" and with "more". */
static int count_kernels(const struct search *s, int but,
	const struct configuration *more)
{
	int n = more->values ? 2 : 1;

	for (int i = 0; i < s->c->n_chosen; i++)
		if (i != but)
			n += s->c->chosen[i].values ? 2 : 1;
	return n;
}

/* Let "set" be what the set takes without number "but". */
static void take_out(struct search *s, int but)
{
	for (int i = 0; i < N_LOOK; i++)
		s->set[i] = NOTHING;
	for (int k = 0; k < s->c->n_chosen; k++)
		for (int i = 0; i < N_LOOK && k != but; i++)
			s->set[i] = fminf(s->set[i], s->table[
				(size_t)s->c->chosen[k].number * N_LOOK + i]);
}

/* What is gained if configuration "k" is added. */
static double gain(const struct search *s, int k)
{
	const float *more = s->table + (size_t)k * N_LOOK;
	double sum = 0;

	for (int i = 0; i < N_LOOK; i++)
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

/* Add one after another, then replace each by what is better beside the others. */
static void find_set(struct search *s)
{
	struct poly_choice *c = s->c;

	for (int k = 0; k < s->n * N_LOOK; k++)
		s->table[k] = cycles(&c->work, &s->list[k / N_LOOK],
			k % N_LOOK * STRIDE);
	while (c->n_chosen < s->most) {
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

int poly_choose(struct poly_choice *c, int n, int kernels)
{
	struct search s = { .c = c, .most = n, .kernels = kernels };

	c->chosen = calloc(n + 1, sizeof(*c->chosen));
	if (!is_known(c) || !c->chosen)
		return 0;
	c->work.fixed = true;
	c->work.batch = 1;
	c->work.steps = size_at(N_SIZE - 1);
	s.list = all(&c->work, &s.n);
	if (s.list)
		s.table = malloc(sizeof(*s.table) * N_LOOK * (s.n + 1));
	if (s.table)
		find_set(&s);
	free(s.table);
	free(s.list);
	return c->n_chosen;
}

/* ------------------------------------------------------------------ results */

struct poly_config *poly_choice_config(const struct poly_choice *c, int i)
{
	const struct configuration *f = &c->chosen[i];

	return poly_config_make(&f->block, f->values);
}

void poly_choice_cost(const struct poly_choice *c, int i,
	struct poly_cost *cost)
{
	const struct configuration *f = i < 0 ? NULL : &c->chosen[i];
	struct poly_work w = c->work;

	if (!is_known(c))
		return;
	w.steps = f && f->values ? f->values : INFINITY;
	poly_block_cost(&w, f ? &f->block : &c->block, cost);
	for (int d = 0; d < 2; d++)
		cost->points[d] = isl_pw_aff_copy(c->points[d]);
	cost->steps = isl_pw_aff_copy(c->steps);
	for (; cost->n_batch < c->n_batch; cost->n_batch++)
		cost->batch[cost->n_batch] = isl_pw_aff_copy(
			c->batch[cost->n_batch]);
	if (!f || !f->values)
		return;
	cost->part = f->values;
	cost->sum = 8 * w.words;
	cost->more = llround(POLY_LAUNCH_CYCLES);
}
