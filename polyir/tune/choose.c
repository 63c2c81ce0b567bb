/* What the versions of a product can have, and what those that are chosen (choose_set.c)
 * are for.
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
#include "polyir/tune/choose.h"
#include "polyir/map/map.h"

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

bool poly_choice_is_known(const struct poly_choice *c)
{
	return c->n == 1 && c->plain && c->work.target.multiprocessors > 0 &&
		!c->work.deep;
}

/* -------------------------------------------------------------------- kinds */

bool poly_is_whole(enum kind kind)
{
	return kind == WHOLE || kind == DIVIDED;
}

bool poly_is_divided(enum kind kind)
{
	return kind == DIVIDED || kind == ROUGH;
}

int poly_step_unit(const struct poly_work *w, const struct configuration *f)
{
	int least = w->bytes[0] && w->bytes[0] < w->bytes[1] ? w->bytes[0] : w->bytes[1];

	return f->kind == DIVIDED || !least ? f->block.tile_k : POLY_RUN_BYTES / least;
}

/* ------------------------------------------------------------------ results */

struct poly_config *poly_choice_config(const struct poly_choice *c, int i)
{
	return poly_config_make(&c->chosen[i].block);
}

const char *poly_choice_divided(const struct poly_choice *c, int i)
{
	return poly_is_divided(c->chosen[i].kind) ? c->size : NULL;
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

	for (int d = 0; d < 2 && poly_is_whole(f->kind); d++)
		set = with_multiple(set, isl_pw_aff_copy(c->points[d]),
			f->block.tile[d]);
	return set;
}

__isl_give isl_set *poly_choice_sizes(const struct poly_choice *c, int i,
	struct poly_division d)
{
	const struct configuration *f = &c->chosen[i];
	isl_set *set = whole_tiles(c, f);
	int64_t n = d.by_steps ? d.n : poly_step_unit(&c->work, f) * (d.n ? d.n : 1);

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
	set = with_hidden(set, prog, POLY_STEPS, poly_step_unit(&c->work, f), 1, NULL);
	for (int d = 0; d < 2; d++)
		set = with_hidden(set, prog, POLY_FIRST_0 + d, f->block.tile[d],
			0, isl_pw_aff_copy(c->points[d]));
	return set;
}

const char *poly_choice_shared(const struct poly_choice *c, int i, int axis)
{
	const char *size = c->shared[axis], *other = c->shared[!axis];

	if (!poly_is_whole(c->chosen[i].kind) || !size)
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
	all *= poly_is_whole(f->kind) ? 1 : w->rates->edges;
	all *= f->usual ? w->rates->clearly : 1;
	return (int)lround(d.n ? all / w->rates->clearly : all);
}

void poly_choice_cost(const struct poly_choice *c, int i,
	struct poly_division d, struct poly_cost *cost)
{
	const struct configuration *f = i < 0 ? NULL : &c->chosen[i];
	struct poly_work w = c->work;

	if (!poly_choice_is_known(c))
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
