/* From loops to grids, blocks and tiles. */
#ifndef POLYIR_MAP_H
#define POLYIR_MAP_H

#include <stdbool.h>

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"

struct poly_slices;

isl_stat poly_map_one(struct poly_prog *prog);
isl_stat poly_map_points(struct poly_prog *prog);
isl_stat poly_map_tiles(struct poly_prog *prog);

/* near.c: let each of "threads" of the "all_threads" of a block, which go along "points", have
 * several of these, one after another below "node".
 */
__isl_give isl_schedule_node *poly_near_steps(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	isl_union_pw_aff **points, int threads, int all_threads);
/* near.c: the same where blocks have "slices"; what says which, of the points of "stmt",
 * becomes "*first", which was another loop of points if there are "two".
 */
__isl_give isl_schedule_node *poly_slice_steps(
	__isl_take isl_schedule_node *node, const struct poly_stmt *stmt,
	const struct poly_slices *slices, isl_union_pw_aff **first,
	isl_union_pw_aff **points, bool two);

/* near.c: the statement of "domain" whose cells blocks have copies of, if what a block
 * updates lies within one copy: of lines, "*line" is the coordinate along them, and the
 * loop "first" of the points, NULL: none, tells which line it is; else -1. With
 * "slices->rows" they are slices, and "last" is the other loop. NULL: none.
 */
const struct poly_stmt *poly_near_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_keep isl_union_pw_aff *first,
	__isl_keep isl_union_pw_aff *last, int *line, struct poly_slices *slices);
/* near.c: are there ranks below the band "node", "r", and a parallel one of its "n"
 * members that counts them? Then "*p1" is that, and "*p0" is another or -1.
 */
struct poly_ranks;
bool poly_choose_ranks(struct poly_prog *prog, __isl_keep isl_schedule_node *node,
	isl_union_pw_aff **member, const bool *coincident, int n, int *p0, int *p1,
	struct poly_ranks *r);
/* near.c: let the threads of a block have the tiles of "r", which go along "points". */
__isl_give isl_schedule_node *poly_rank_steps(
	__isl_take isl_schedule_node *node, const struct poly_ranks *r,
	isl_union_pw_aff **points);

/* apart.c: remark, for each two kernels of which one computes what the other
 * needs, why they are two.
 */
isl_stat poly_explain_apart(struct poly_prog *prog);

/* map_block.c: make what is at and below "node" a kernel of one block, or of
 * blocks that run "together", still without barriers.
 */
__isl_give isl_schedule_node *poly_map_block(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, bool together);
/* Give what is at and below "node" to the threads that "thread" names. */
__isl_give isl_schedule_node *poly_in_thread(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, __isl_take isl_union_pw_aff *thread);
/* Give what is at and below "node", in the block kernel "kernel", to its threads. */
__isl_give isl_schedule_node *poly_share_in_block(struct poly_prog *prog,
	const struct poly_kernel *kernel, __isl_take isl_schedule_node *node);

/* nest.c: the statements of a kernel, as a mapping to tiles wants them. */
struct poly_nest {
	struct poly_prog *prog;
	struct poly_kernel *kernel;
	isl_union_set *domain;		/* of the kernel */
	isl_union_map *deps;		/* between them, in one launch */
	struct poly_stmt **point;	/* in an order of execution at a point */
	bool *product;	/* a reduction with loops of its own, worth tiles */
	int *loop;	/* the statement in whose loop a product runs: itself, or one before */
	isl_map **map;	/* -> [p0, p1, z..] or [p0, p1, pk, z.., u..] */
	int n, n_product;
	int n_host, n_batch, n_outer;	/* loops z: of the host, batch, both */
	bool slides;	/* windows slide along one of its axes, and come in boxes */
	int line[2];	/* dimensions of arrays that an axis goes along as if they were one
			 * with another */
	bool regular;	/* can be tiled: all of the above is there */
	int n_flat;	/* statements all of whose points have p0 = 0 */
	/* Of a row program: the axis of its rows, and what each statement does. */
	unsigned along;
	enum poly_on_line { POLY_LINE_POINTS, POLY_LINE_ONCE,
		POLY_LINE_REDUCED, POLY_LINE_SCANNED } *on_line;
};
/* The nest of "kernel", whose mark stands above a filter or its points; "at"
 * of its statements is set if it is regular. NULL without memory.
 */
struct poly_nest *poly_nest_find(struct poly_prog *prog,
	struct poly_kernel *kernel);
void poly_nest_free(struct poly_nest *nest);
/* "{ [p..] -> S[..] }", the inverse of "map", if it is affine; else NULL. */
__isl_give isl_multi_aff *poly_nest_inverse(__isl_keep isl_map *map,
	const struct poly_stmt *stmt);
/* "[p0, p1, z.., r..]" with loop "k" of the r as pk: "[p0, p1, pk, z.., u..]". */
__isl_give isl_map *poly_nest_steps_third(const struct poly_nest *nest,
	__isl_take isl_map *map, int k);

/* nest_product.c: is the reduction "stmt" worth tiles, and can it be tiled? Which of its
 * "n" loops is cut into tiles: the one that most reads move with, if it may become the
 * innermost one. Can what the product "point[i]" accumulates stay in registers?
 */
bool poly_nest_is_product(const struct poly_nest *nest,
	const struct poly_stmt *stmt);
int poly_nest_choose_steps(const struct poly_nest *nest,
	const struct poly_stmt *stmt, __isl_keep isl_map *map, int n);
bool poly_nest_can_accumulate(const struct poly_nest *nest, int i);

/* map_rows.c: "node", a band above the mark of a row program, as a band [p0, p1] of
 * points, perhaps with another one below; "thread" gets the threads of a block. NULL
 * on failure. Make "nest", which is empty, that of such a program and choose its
 * block; false if it is none.
 */
__isl_give isl_schedule_node *poly_insert_row_points(struct poly_prog *prog,
	__isl_take isl_schedule_node *node, int *thread);
isl_bool poly_nest_rows(struct poly_nest *nest);

/* nest.c: are there pairs of "deps" from "from" to "to"? Move statement "from" of "nest"
 * to "to", and those between one up.
 */
bool poly_has_pair(__isl_keep isl_union_map *deps, const struct poly_stmt *from,
	const struct poly_stmt *to);
void poly_nest_move(struct poly_nest *nest, int from, int to);

/* join.c: let products of "nest", which is regular, that share an operand and the points
 * of their loops have one loop.
 */
void poly_join_products(struct poly_nest *nest);

/* merge.c: merge short loops of the products of "nest", which is regular, with
 * others that go along the same axis, where extents are constants.
 */
isl_stat poly_merge_loops(struct poly_nest *nest);

/* map_grid.c: insert a band of "members" above "node", of which those "parallel" are
 * that; nothing if there are none.
 */
__isl_give isl_schedule_node *poly_insert_members(
	__isl_take isl_schedule_node *node,
	__isl_take isl_union_pw_aff_list *members, const bool *parallel,
	bool permutable);
/* Let all parallel loops of kernels without tiles be in the grid. */
isl_stat poly_map_grid(struct poly_prog *prog);

/* grid_beside.c: had lanes better go along the loops "outer" and "inner" as one, because
 * memory has their rows side by side? "outer" has "n" values, "inner" has "count", and the
 * loop that lanes go along has "all": that of "inner", or one that begins with it.
 */
struct poly_rows_beside {
	isl_union_pw_aff *outer, *inner;
	double n, count, all;
};
bool poly_pays_beside(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	const struct poly_rows_beside *rows);

/* block_stage.c: let kernels of one block have what they access in shared memory;
 * computes the dependences anew.
 */
isl_stat poly_stage_blocks(struct poly_prog *prog);

/* block_sync.c: insert the barriers that block kernels need. */
isl_stat poly_sync_blocks(struct poly_prog *prog);

/* tile_ops.c: add the tile operations of "nest", or of one that is a row program, to
 * "op", which has room for two of each statement; returns their number, or -1. The
 * points of statement "i".
 */
int poly_add_ops(struct poly_nest *nest, struct poly_stmt **op);
int poly_add_row_ops(struct poly_nest *nest, struct poly_stmt **op);
__isl_give isl_map *poly_at_points(const struct poly_nest *nest, int i);
/* tile_tree.c: the schedule of the "n" operations "op" of "nest", one tile a block. */
__isl_give isl_schedule *poly_tile_tree(struct poly_nest *nest,
	struct poly_stmt **op, int n);

#endif
