/* poly: into how many parts the sum of a product is cut, and how long that takes. */
#include <math.h>

#include "polyir/base/base.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"
#include "polyir/cost/model.h"

double poly_sum_cycles(const struct poly_work *w, int n)
{
	double bytes = n * w->points[0] * w->points[1] * w->batch * 4 *
		w->words;

	return n == 1 ? 0 : bytes > w->rates->cache_bytes ? INFINITY :
		w->rates->launch + 2 * bytes /
		(w->rates->cache * w->target.multiprocessors);
}

/* "w" in "n" parts of "each" steps. */
static struct poly_work part_of(const struct poly_work *w, int n, int each)
{
	struct poly_work part = *w;

	part.steps = each;
	part.batch = w->batch * n;
	part.out_bytes = 4 * w->words;
	return part;
}

double poly_parts_cycles(const struct poly_work *w, int n, int each)
{
	double sum = poly_sum_cycles(w, n);
	struct poly_work part;

	if (isinf(sum))
		return sum;
	part = part_of(w, n, each);
	return poly_best_block(&part).estimate.cycles + sum;
}

int poly_given_parts(const struct poly_work *w, int parts, int *values)
{
	int each = poly_part_steps(w, MOST_STEPS);

	*values = each * ceil(w->steps / parts / each);
	return ceil(w->steps / *values);
}

/* The best number of parts, "whole" being the cycles of one; those of them. */
static double best_parts(const struct poly_work *w, double whole, int *parts,
	int *values)
{
	double best = whole;

	*parts = 1;

	for (int p = 2; p <= POLY_MOST_PARTS && poly_sum_cycles(w, p) < best; p++) {
		int each, n = poly_given_parts(w, p, &each);
		double cycles = n == p ? poly_parts_cycles(w, n, each) : INFINITY;

		if (cycles >= best)
			continue;
		best = cycles;
		*parts = n;
		*values = each;
	}
	return best;
}

int poly_best_parts(const struct poly_work *w, int *values)
{
	double whole = poly_best_block(w).estimate.cycles;
	struct poly_work divided = *w;
	int parts;

	divided.parts = true;
	return best_parts(&divided, whole, &parts, values) <
		w->rates->clearly * whole ? parts : 1;
}

double poly_chosen_cycles(const struct poly_work *w, bool parts)
{
	struct poly_work whole = *w, part;
	struct poly_estimate e;
	struct poly_block b;
	int values, n;

	whole.ends[0] = whole.ends[1] = false;
	n = parts && poly_work_is_known(w) ? poly_best_parts(&whole, &values) : 1;
	if (n > 1) {
		whole.parts = true;
		whole = part_of(&whole, n, values);
	}
	b = poly_work_is_known(w) ? poly_best_block(&whole).block :
		poly_usual_block(w);
	part = whole;
	for (int d = 0; d < 2; d++)
		part.ends[d] = w->ends[d];
	return poly_block_cycles(&part, &b, &e) + poly_sum_cycles(w, n);
}

double poly_divided_cycles(const struct poly_work *w)
{
	int parts, values;

	return best_parts(w, poly_best_block(w).estimate.cycles, &parts,
		&values);
}
