/* The mapping of points to threads: the walk over the tree, and what makes a kernel. */
#ifndef POLYIR_MAP_POINTS_H
#define POLYIR_MAP_POINTS_H

#include <stdbool.h>

#include <isl/schedule_node.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"

/* Threads of a block, as a rule: along one dimension, or two. */
#define POLY_LINE 64
#define POLY_BLOCK_ROWS 8
#define POLY_BLOCK_COLUMNS 32

/* The walk over the tree. */
struct poly_mapping {
	struct poly_prog *prog;
	bool failed;
};

/* What becomes of the members of a band. */
struct poly_points {
	isl_union_pw_aff *member[16];
	bool coincident[16];
	int n;
	int p0, p1;		/* their numbers, p0 may be -1 */
	bool tiles;		/* these are for tiles */
	isl_union_pw_aff *lane;	/* NULL: none */
	int across, run;	/* how many lanes, how many elements each */
	int columns;		/* that they go down, or 0 */
};

/* map_band.c: insert a band [p0, p1] at "node"; both are taken. */
__isl_give isl_schedule_node *poly_insert_points(
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *p0,
	__isl_take isl_union_pw_aff *p1);
/* Make the band [p0, p1] at "node" a kernel with blocks of that many threads.
 */
__isl_give isl_schedule_node *poly_make_kernel(struct poly_mapping *m,
	__isl_take isl_schedule_node *node, int thread0, int thread1);
/* The band "node" as a kernel. */
__isl_give isl_schedule_node *poly_map_parallel(struct poly_mapping *m,
	__isl_take isl_schedule_node *node);

/* first_point.c: "member" counted from its first value in a launch, for the sizes that
 * are possible.
 */
__isl_give isl_union_pw_aff *poly_from_first(const struct poly_mapping *m,
	__isl_keep isl_schedule_node *node,
	__isl_take isl_union_pw_aff *member);

/* block_threads.c: rows of a block with "across" lanes each, where "member" counts the
 * rows: fewer where these are few.
 */
int poly_lane_rows(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *member, int across);
/* Threads of a block along "points", the only parallel loop of what is at "node": a
 * warp if that has blocks on more multiprocessors, and much to do on each.
 */
int poly_line_threads(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *points);
/* Rows of threads of a block for the points "p0" x "p1" of what is at "node": fewer
 * where a block of all of them would leave multiprocessors without one.
 */
int poly_row_threads(struct poly_mapping *m, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_pw_aff *p0, __isl_keep isl_union_pw_aff *p1);

/* several.c: how many cells side by side along the member c->p1 a thread has, whose values
 * are sums over windows or the like; 1 of others.
 */
int poly_run_of_windows(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	const struct poly_points *c);

#endif
