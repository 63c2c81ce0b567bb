/* Barriers where threads of a block depend on one another.
 *
 *	before: band [tk]            after: band [tk]
 *	          sequence                    sequence
 *	            A_copy                      A_copy
 *	            B_copy                      B_copy
 *	            D_tile                      D_sync
 *	                                        D_tile
 *	                                        D_sync2
 *
 * The dependences decide: as long as one lacks a barrier, one is put before
 * its sink, or, if a loop separates the two, behind its source.
 */
#include <stdlib.h>

#include "polyir_internal.h"

/* Add a barrier for "race". */
static isl_stat add_sync(struct poly_prog *prog, const struct poly_race *race)
{
	struct poly_companion c = { .after = race->carried };
	char *name;

	c.anchor = race->carried ? race->source : race->sink;
	name = c.anchor ? poly_unique_name(prog, c.anchor->name, "sync") :
		NULL;
	if (name)
		c.stmt = poly_prog_add_stmt(prog, name, POLY_SYNC,
			isl_set_set_tuple_name(
				isl_set_copy(c.anchor->domain), name));
	free(name);
	if (!c.stmt)
		return isl_stat_error;
	c.stmt->loc = c.anchor->loc;
	return poly_tree_insert(prog, &c, 1);
}

/* Insert barriers until no dependence between threads lacks one.
 *
 * requires shared; establishes sync
 */
isl_stat poly_sync(struct poly_prog *prog)
{
	struct poly_race race;
	isl_bool found;
	int most = 4 * prog->n_stmt;

	while ((found = poly_find_race(prog, &race)) == isl_bool_true) {
		isl_stat ok = most-- ? add_sync(prog, &race) : isl_stat_error;

		free(race.pair.source);
		free(race.pair.sink);
		if (ok < 0)
			return poly_isl_error(prog, "poly_sync");
	}
	if (found < 0)
		return poly_isl_error(prog, "poly_sync");
	return isl_stat_ok;
}
