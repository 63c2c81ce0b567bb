/* What the two halves of the choice of versions share: choose.c, what a product can have, and
 * choose_set.c, the search for the best few.
 */
#ifndef POLYIR_CHOOSE_H
#define POLYIR_CHOOSE_H

#include "polyir/cost/cost.h"
#include "polyir/tune/tune.h"

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

/* Do blocks of "kind" have whole tiles alone; have they a sum that is divided? */
bool poly_is_whole(enum kind kind);
bool poly_is_divided(enum kind kind);
/* Of how many steps those of a part of "f" are a multiple: a tile's, or those of a run. */
int poly_step_unit(const struct poly_work *w, const struct configuration *f);
/* Can the product be counted, and does it have all registers? */
bool poly_choice_is_known(const struct poly_choice *c);

#endif
