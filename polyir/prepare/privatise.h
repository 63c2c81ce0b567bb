/* poly: what the files of privatisation share. */
#ifndef POLY_PRIVATISE_H
#define POLY_PRIVATISE_H

#include "polyir/prepare/prepare.h"

/* Dimensions of a temporary with its loops; loops that it may get. */
enum { POLY_PRIVATE_DIM = 8, POLY_PRIVATE_LOOP = 6 };

/* A temporary: its statements, and the pairs of instances that its storage
 * puts in an order and between which its values flow; "loop" are the loops to
 * be added, the last of them inside of "depth" others; "parallel": they are.
 *
 * One for each candidate, in the order of the program's arrays.
 */
struct poly_private {
	/* the program's; another one after poly_copy_out */
	struct poly_array *array;
	/* owned: all instances that access it */
	isl_union_set *domain;
	/* owned, both; "order" loses what the loops chosen so far keep apart */
	isl_union_map *order, *flow;
	/* owned; from outside to inside */
	isl_union_pw_aff *loop[POLY_PRIVATE_LOOP];
	int n, depth;
	bool parallel;
};

/* privatise_storage.c: make the array of "t" longer by its loops, and let all its accesses
 * have their values.
 */
void poly_private_lengthen(struct poly_prog *prog, struct poly_private *t);

#endif
