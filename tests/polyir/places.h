/* Layouts for tests: each that is made is compared with what its digits say. */
#ifndef PLACES_H
#define PLACES_H

#include <isl/ctx.h>

#include "polyir/place/place.h"

/* A context of isl, a state of random numbers, and how many layouts were made. */
struct places {
	isl_ctx *ctx;
	unsigned random;
	int n_made;
};
void places_begin(struct places *p);
void places_end(struct places *p);

/* A random number from 0 on. */
int place_below(struct places *p, int n);

/* The normal form of "raw", which is taken: checked against its digits as they are
 * written and against isl, printed and read back. NULL where two x share a place.
 */
struct poly_layout *place_made(struct places *p, struct poly_layout *raw);
/* The layout that is written "text". */
struct poly_layout *place_read(struct places *p, const char *text);
/* The text of "l", one of the last eight that were asked for. */
const char *place_text(const struct poly_layout *l);
void place_is(const struct poly_layout *l, const char *text);

/* Random layouts, not normal yet: of any digits; the same in other words; small
 * ones, of which many are alike; tiles that a kernel could have.
 */
struct poly_layout *place_random(struct places *p);
struct poly_layout *place_respelled(struct places *p,
	const struct poly_layout *l);
struct poly_layout *place_tiny(struct places *p);
struct poly_layout *place_tile(struct places *p);

/* The steps of a reduction as text, until the next call. */
const char *place_steps(const struct poly_reduction *r);
/* Execute the reduction of "l" along "dim"; returns 0 if it is refused. */
int place_reduces(struct places *p, const struct poly_layout *l, int dim,
	bool commutes);

#endif
