/* poly: where loops are cut, and the ranges between. */
#ifndef POLY_CUT_RANGES_H
#define POLY_CUT_RANGES_H

#include "polyir/schedule/schedule.h"

/* Cuts of one loop; functions that are tried as such; ranges. */
enum { POLY_MOST_CUTS = 4, POLY_MOST_TRIED = 8, POLY_MOST_RANGES = 1 << POLY_MOST_CUTS };

/* The sets "[.., v]" from a cut on, "v >= c(..)". */
struct poly_cuts {
	isl_set *from[POLY_MOST_TRIED];
	int n;
	bool bad;	/* they are too many, or no ranges begin there */
};

/* The ranges that have values, in their order. */
struct poly_ranges {
	isl_set *range[POLY_MOST_RANGES];
	int n;
};
/* Find the cuts that part all of "pairs"; false if there are none. */
bool poly_find_cuts(__isl_keep isl_map *pairs, struct poly_cuts *c);
void poly_cuts_clear(struct poly_cuts *c);
/* The ranges of "all" between the cuts; is one of them worth it? */
void poly_find_ranges(const struct poly_cuts *c, __isl_keep isl_set *all,
	struct poly_ranges *r);
bool poly_has_long_range(struct poly_prog *prog, const struct poly_ranges *r);
void poly_ranges_clear(struct poly_ranges *r);

#endif
