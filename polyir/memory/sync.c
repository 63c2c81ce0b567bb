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
 * its sink, or, if a loop separates the two, or its source is a group, which stands
 * outside of the loop over the sink, behind its source. Kernels of one
 * block have theirs already (block_sync.c).
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"
#include "polyir/memory/memory.h"
#include "polyir/loops/loops.h"

/* Make "c" the barrier that "race" lacks. */
static isl_stat add_sync(struct poly_prog *prog, const struct poly_race *race,
	struct poly_companion *c)
{
	bool after = race->carried ||
		(race->source && race->source->kind == POLY_GROUP);
	struct poly_stmt *anchor = after ? race->source : race->sink;
	char *name = anchor ? poly_unique_name(prog, anchor->name, "sync") :
		NULL;

	c->anchor = anchor;
	c->after = after;
	c->stmt = name ? poly_prog_add_stmt(prog, name, POLY_SYNC,
		isl_set_set_tuple_name(isl_set_copy(anchor->domain), name)) :
		NULL;
	free(name);
	if (!c->stmt)
		return isl_stat_error;
	c->stmt->loc = anchor->loc;
	return isl_stat_ok;
}

/* Insert into every kernel that still has a race the barrier for its first
 * one; "*n" receives the number of barriers.
 */
static isl_stat sync_kernels(struct poly_prog *prog, struct poly_companion *c,
	int *n)
{
	*n = 0;
	for (int i = 0; i < prog->n_kernel; i++) {
		struct poly_race race;
		isl_stat ok = isl_stat_ok;
		isl_bool found;

		if (prog->kernel[i]->block)
			continue;
		found = poly_find_race(prog, prog->kernel[i], &race);
		if (found == isl_bool_true)
			ok = add_sync(prog, &race, &c[(*n)++]);
		free(race.pair.source);
		free(race.pair.sink);
		if (found < 0 || ok < 0)
			return isl_stat_error;
	}
	return *n ? poly_tree_insert(prog, c, *n) : isl_stat_ok;
}

/* Insert barriers until no dependence between threads lacks one.
 *
 * requires pipeline; establishes sync
 */
isl_stat poly_sync(struct poly_prog *prog)
{
	struct poly_companion *c = calloc(prog->n_kernel + 1, sizeof(*c));
	isl_stat ok = c ? isl_stat_ok : isl_stat_error;
	int most = 4 * prog->n_stmt + 1, n = 1;

	while (n && ok == isl_stat_ok)
		ok = most-- ? sync_kernels(prog, c, &n) : isl_stat_error;
	free(c);
	return ok < 0 ? poly_isl_error(prog, "sync") : isl_stat_ok;
}
