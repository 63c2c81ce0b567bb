/* The record of a program: arrays, statements, kernels, one schedule tree, and the
 * dependences.
 */
#ifndef POLYIR_RECORD_H
#define POLYIR_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/base/base.h"
#include "polyir/base/gpu.h"
#include "polyir/ir/expr.h"

struct poly_companion;
struct poly_found;
struct poly_loop;
struct poly_script;
struct poly_search;

/* INPUT: the caller's, only read. OUTPUT: the caller's, whose values before do not
 * count. INOUT: the caller's, read and written. TEMP: the program's
 * own, which no caller sees.
 */
enum poly_role { POLY_INPUT, POLY_OUTPUT, POLY_INOUT, POLY_TEMP };
enum poly_space { POLY_GLOBAL, POLY_SHARED, POLY_REGISTER };

/* An array. "extent" is a 0-dimensional-domain function of the parameters to
 * the array's space, one entry a dimension: "[M,N] -> { A[(M), (N)] }" as an
 * isl_multi_pw_aff; row-major, the last dimension is contiguous.
 * GLOBAL: lives in device memory; inputs and outputs are the caller's (INOUT
 *	is both: its values before count), temporaries are in the workspace. With
 *	a "stride" elements lie as many apart as sizes say. An input of integers may be
 *	"within" two functions of the sizes, the least and the greatest that it holds:
 *	nobody but who runs the program can tell.
 * "n_dim" may be 0: a scalar.
 * SHARED: one per block of "kernel"; constant extents; "row_pad" elements
 *	are added to each row (the last dimension) in memory. "swizzled": rows are
 *	cut into columns of 128 bytes, which lie one behind the other, and runs of
 *	16 bytes are swizzled in them (layout/spread.c).
 * REGISTER: each thread of "kernel" holds the elements that the kernel's
 *	distribution gives it; the index space is still that of the whole array.
 */
struct poly_array {
	/* an identifier, unique among sizes, arrays and statements */
	char *name;
	/* of one element as it lies in memory */
	enum poly_type type;
	int n_dim;
	/* owned by the array, never NULL */
	isl_multi_pw_aff *extent;
	isl_multi_pw_aff *within;	/* or NULL */
	/* of the whole program: who fills it, who reads it in the end */
	enum poly_role role;
	/* GLOBAL until promote_registers or promote_shared moves it */
	enum poly_space space;
	/* SHARED only: elements, not bytes; promote_shared sets it */
	int row_pad;
	int stride;		/* 1 + the number of its first size; 0: none (gaps.c) */
	bool swizzled;
	bool scattered;		/* a SCATTER writes it */
	bool gathered;		/* a GATHER reads it */
	/* where the source declares it; for messages */
	struct poly_loc loc;
};

enum poly_kind {
	POLY_POINT,	/* executed by one thread per instance */
	POLY_COPY,	/* tile operation: global -> shared by the block */
	POLY_CONTRACT,	/* tile operation: product tile from shared buffers */
	POLY_GROUP,	/* tile operation: points over the kernel's distribution */
	POLY_REDUCE,	/* tile operation: an update along lines of the tile */
	POLY_SCAN,	/* tile operation: a recurrence along lines of the tile */
	POLY_SYNC	/* block barrier */
};

/* A statement.
 *
 * POINT: writes "write_array" at "write_index" the value "rhs"; when
 * "reduce" is not POLY_OP_NONE, the cell becomes cell reduce rhs. With "across",
 * a power of two, that many threads of a naive kernel, side by side along t1,
 * or, if "down", along t0, run it together, an instance each, of one cell;
 * their values are put together in a tree, and the first of the threads updates
 * the cell. Along t1 more of them than a warp has are a block; along t0 they
 * always go through the whole block. An "atomic" update of a cell in global
 * memory may meet others of its statement in any order; its value is a selection
 * whose second choice changes nothing. An "ordered" one keeps floats in the order of
 * the text. A "fold" begins its cells itself: each becomes what all of its instances
 * make, points of a tile in a line along one axis; the block adds them up (fold.c).
 *
 * Tile operations (COPY, CONTRACT, GROUP) stand for the point statements
 * named in "member" (in their order of execution within one instance); the
 * members leave the domain of the schedule tree and are reached through
 * "contraction", a union map from the members' instances to this statement's.
 * Every GROUP, REDUCE and SCAN of a kernel has the domain NAME[t0, t1, z..]; the others,
 * inside the loops over the reduction, NAME[t0, t1, tk, z.., u..]; tN are tile
 * coordinates, the z are the host's loops around the kernel and the batch
 * digits of its grid, the u are reduction loops outside of that over tk.
 *
 * COPY has one member, COPYPOINT[t0,t1,tk,z..,u..,r,c] (r, c in the shared
 * buffer's box), that writes the shared buffer at [r,c] and reads a global
 * array; an instance whose read lies outside the array stores "fill" instead.
 * "coalesce" names the position (0: r, 1: c) along which consecutive threads
 * go, so that global accesses are contiguous. With "async" it only starts the
 * copy, which has landed when a SYNC that waits for it has run; "bulk", an async
 * one of whole rows or boxes (bulk.c), moves each at once where the target can.
 * In a kernel with several stages the buffers have a first dimension more,
 * the slot of the tile: [tk mod stages, r, c].
 *
 * CONTRACT has one member, an update of acc[i,j] with any value. What its
 * reads, from left to right, find in shared memory, is in the buffers "operand"
 * at "operand_index" (maps from the member's domain to the buffer's box, stored
 * reduction dimension first: [k][i]); NULL: the read is as it stands. If it is
 * "full", it may run for all points of its tiles, since those that its member
 * lacks change nothing; otherwise it leaves them out.
 *
 * GROUP has any number of members; each thread runs them in order on each of
 * its points, a member only where its own domain holds. Members that write a
 * shared array fill a buffer in the place of a COPY, from registers: one of them
 * with elements, others with zeros (chain.c).
 *
 * Points of a tile that differ along the axes "along", a set of POLY_AXIS_d, are a
 * line of it, which goes on in the other tiles of a cluster. A GROUP with such axes has members that stand once on each line: their
 * "at" does not move along it, and every thread of the line runs them, but one alone
 * writes memory. Along these axes the kernel has one tile, or those of one cluster.
 *
 * REDUCE has one member, an update of a REGISTER array, whose cell is the same at all
 * points of a line along one axis. The threads of the line put together what the
 * member makes at their points; with what the cell held before, that is what all of
 * them hold afterwards.
 *
 * SCAN has one member, a recurrence (recurrence.h) of a REGISTER array, whose
 * instances lie side by side along the one axis "along", in their order, on each line
 * that has any. What the array holds at the point before the first of them is where
 * the recurrence begins; each thread holds its own points of the result.
 *
 * SYNC has no members. With "wait", a CONTRACT over the same tiles, the
 * asynchronous copies to its buffers for this tile and those before have
 * landed behind it; those of the next "ahead" tiles may be on their way.
 * A CONTRACT "with" one over the same tiles, above, that has none is in the loop of that.
 * "at" is set for members of GROUP, REDUCE, SCAN and CONTRACT: the instance that
 * stands at a point of the kernel's tile space, "{ [p0, p1, z..] -> S[i, j] }" for the
 * first three and "{ [p0, p1, pk, z.., u..] -> S[i, j, k] }" for a CONTRACT. (A transposed
 * consumer has { [p0, p1] -> S[p1, p0] }.) All accesses to a REGISTER array, but for
 * what a SCAN reads of the point before,
 * pulled back by "at", are one and the same injective function of [p0, p1, z..],
 * so a thread's element of it is named by the register digits (r0, r1) alone; by one
 * of them, if what writes the array stands on lines, for whose points that function
 * is one element.
 */
enum { POLY_AXIS_0 = 1, POLY_AXIS_1 = 2 };
enum { POLY_MAX_OPERAND = 8 };
struct poly_stmt {
	/* unique; the name of the tuple of "domain", too */
	char *name;
	enum poly_kind kind;
	/* owned; instances, under the names of the loops */
	isl_set *domain;
	/* where the source has it; for messages */
	struct poly_loc loc;

	/* POINT only, the index is owned: what an instance writes, and where */
	struct poly_array *write_array;
	isl_multi_pw_aff *write_index;
	/* NONE: the value replaces what the cell held */
	enum poly_op reduce;
	struct poly_expr *rhs;
	/* 0: each thread runs an instance alone */
	int across;
	bool down, atomic, fold, ordered;

	/* owned is the list, not the members, which the program has */
	struct poly_stmt **member;
	int n_member;
	/* owned; NULL of a statement without members */
	isl_union_map *contraction;
	/* owned; NULL of one that is no member */
	isl_multi_aff *at;

	/* CONTRACT only; by the order of the reads in the member's value */
	struct poly_array *operand[POLY_MAX_OPERAND];
	isl_multi_pw_aff *operand_index[POLY_MAX_OPERAND];
	/* CONTRACT only */
	bool full;
	struct poly_stmt *with;
	/* COPY only; promote_shared sets 0 */
	double fill;
	int coalesce;
	bool async, bulk;	/* "async": of a POINT, too (legal/race.c) */
	unsigned along;

	/* SYNC only */
	struct poly_stmt *wait;
	int ahead;
};

/* How a kernel's blocks and threads cover a two-dimensional tile space; or,
 * with "block", how threads share the loops of the tree, those of one block or
 * of several.
 *
 * Block (b0, b1) executes tiles with tile coordinates (b0, b1); in the tree
 * b0 and b1 are the parameters "b0" and "b1", bound by a filter
 * below the mark "kernel:NAME"; b1 runs over the contiguous dimension.
 * grid[d] (a function of the parameters) is the number of tiles in dimension d.
 *
 * Naive kernels (tiled == false): no tile operations; a thread executes one
 * point of the two outer dimensions. Thread coordinates are the parameters
 * "t0", "t1" (0 <= td < thread[d]), bound by the same filter, and
 * tile[d] == thread[d]. "vec_k" steps of a sum that has lanes, or cells of one that has
 * none, lie side by side in a thread.
 *
 * Tiled kernels: the tile of tile[0] x tile[1] points is distributed block
 * cyclically in runs of vec[d] points; thread (t0, t1) owns the points
 *	pd = bd*tile[d] + Rd*thread[d]*vec[d] + td*vec[d] + vd,  0 <= vd < vec[d]
 * whose register digit is rd = Rd*vec[d] + vd, 0 <= rd < tile[d]/thread[d];
 * tile[d] is a multiple of thread[d]*vec[d]. "tile_k" is the tile size of the
 * reduction dimension, a multiple of "vec_k": that many steps of an operand
 * which does not lie in runs of points are loaded as one. Shared buffers have
 * "stages" slots, one a tile.
 *
 * Blocks of a tiled kernel may be in clusters, "cluster[d]" neighbours along one axis,
 * which are all that the grid has there: they are on the device at once and read the
 * shared memory of one another.
 *
 * A tiled kernel with "blocks" has that many at most, each of which takes one tile after
 * another (layout/turns.c); those of a cluster copy for one another what tiles have in common.
 *
 * A tiled kernel may have further parallel dimensions, its batch: block (b0,
 * b1, b2, ..) executes tiles of batch digits b2, b3, .. with 0 <= b(2+i) <
 * batch[i].
 *
 * Block kernels (block == true): one block of 1 x thread[1] threads. Point
 * statements, each instance in the thread that a filter on the way to it names
 * by the parameter "t1", and SYNC statements, which all threads run, under
 * loops that all threads go through together. With "together", the same for
 * grid[1] blocks, a constant, that are on the device at once: the filter names
 * block "b1", too, and a SYNC statement holds all threads of all of them. With
 * "apart", the same for any number of blocks that have nothing to do with one another:
 * the kernel's filter names them by "b0" and "b1", and a SYNC statement holds the
 * threads of one.
 *
 * A "chained" kernel hands what it computes to the next one, which has the same
 * blocks: chain.c makes one of the two. A "given" one keeps those of a script.
 *
 * The linear thread index is t0*thread[1] + t1, so t1 is the lane direction.
 *
 * "legal" is what poly_check saw of it when it was right in order, place and
 * copies, "ordered" what poly_find_race saw when no barrier was missing (seen.c);
 * "known" is set while it is checked and is what "legal" says.
 */
/* With a "unit" contractions run on that instruction where they can (layout/on_unit.c),
 * and what a thread holds of a tile is what it holds of fragments of C.
 */
enum poly_unit {
	POLY_UNIT_NONE,
#define UNIT(id, name, cc, own, rate, one, two, sum, m, n, k, a, b, c) POLY_UNIT_##id,
#include "polyir/ir/unit.def"
#undef UNIT
	POLY_N_UNIT
};
enum { POLY_MAX_HOST = 8 };	/* bands around a kernel */
enum { POLY_MAX_BATCH = 6 };
/* The coordinates of a launch, of its blocks and of their threads, for which
 * poly_coordinate has the names. "h0", "b0" and "t0" in comments are these.
 */
enum poly_coordinate {
	POLY_LAUNCH,				/* h0, .. */
	POLY_BLOCK = POLY_LAUNCH + POLY_MAX_HOST,	/* b0, .. */
	POLY_THREAD = POLY_BLOCK + 2 + POLY_MAX_BATCH,	/* t0, t1 */
	POLY_N_COORDINATE = POLY_THREAD + 2
};
enum { POLY_COORDINATE_TEXT = 16 };
struct poly_kernel {
	/* unique among kernels; a kernel may share it with an array */
	char *name;
	bool tiled, block, together, apart;
	int thread[2];
	/* points of one block along each axis, at least 1 */
	int tile[2];
	/* steps of the sum at a time; 0 of a naive kernel */
	int tile_k;
	int vec[2], vec_k;
	int stages;
	enum poly_unit unit;
	int cluster[2];			/* 0: none */
	int blocks;			/* 0: one a tile */
	/* owned; the number of tiles, and of blocks unless "blocks" is set */
	isl_pw_aff *grid[2];
	isl_pw_aff *batch[POLY_MAX_BATCH];
	int n_batch;
	bool chained, given;
	/* a block updates a copy of its own of cells that data tell, or counts together */
	bool near, ranked;	/* which places its scatter has */
	int slice;		/* near: b0's rows of the array; 0: all, or a line */
	struct poly_seen *legal, *ordered;	/* NULL: none */
	bool known;
};

/* What runs the loops that go on in order: what a model expects to be done first, or
 * launches, or a kernel of one block, or of blocks that are on the device at once.
 */
enum poly_loops {
	POLY_LOOPS_BEST,
	POLY_LOOPS_LAUNCHES,
	POLY_LOOPS_BLOCK,
	POLY_LOOPS_TOGETHER
};

/* Hidden sizes are the last ones, which no caller knows: whoever launches the
 * program computes them. PARTS and STEPS: see poly_reshape, FIRST_0 and FIRST_1, along
 * either axis: poly_take.
 */
enum poly_hidden {
	POLY_KNOWN,
	POLY_PARTS,
	POLY_STEPS,
	POLY_FIRST_0,
	POLY_FIRST_1
};
struct poly_param {
	char *name;
	/* -D or the source gives it; else a launch does */
	bool fixed;
	int64_t value;		/* if fixed */
	enum poly_hidden hidden;
	int of;			/* hidden: the size that it is a share of */
	bool behind;		/* FIRST_d: the program has the points behind */
	/* of an array, no domain has it: that of rows, or one in front, of 64 bits */
	enum { POLY_NO_STRIDE, POLY_PITCH, POLY_STRIDE } stride;
	struct poly_loc loc;
};

/* Dependences, all on the unmapped point statements. Without an original
 * schedule (single-assignment definitions) the text has no order; with one,
 * its order is the meaning, and reads see the last write before them.
 * flow: value from writer to reader, except between updates of one cell.
 * anti, output: memory order (empty for single-assignment definitions).
 * reduction: updates of one cell, in any order where the floating-point
 *	class allows it.
 * rar: pairs of reads of one cell; proximity only.
 */
struct poly_deps {
	isl_union_map *flow, *anti, *output, *reduction, *rar;
};

/* Facts that passes establish and break, one bit each: see have.def. */
enum poly_have_bit {
#define HAVE(id, name, text) POLY_HAVE_BIT_##id,
#include "polyir/ir/have.def"
#undef HAVE
	POLY_N_HAVE
};
enum poly_have {
#define HAVE(id, name, text) POLY_HAVE_##id = 1 << POLY_HAVE_BIT_##id,
#include "polyir/ir/have.def"
#undef HAVE
};

/* May floating-point sums be regrouped: not, as fixed at compile time, or at run time? */
enum poly_fp { POLY_FP_STRICT, POLY_FP_REASSOC, POLY_FP_RELAXED };

/* What passes know of the target; 0: nothing. */
struct poly_target {
	int shared_bytes;	/* of shared memory, for a block: half of what
				 * there is, so that two run; 0: 48 KiB */
	int multiprocessors;	/* 0: choose no block by sizes */
	int threads, blocks;	/* that a multiprocessor has room for */
	const struct poly_rates *rates;	/* polyir/cost/cost.h; NULL: of an H200 */
	bool bulk;		/* copies rows in bulk */
	int cluster;		/* the most blocks of a cluster; 0: it has none */
	unsigned units;		/* the sum of 1 << u for each unit u that it has */
};

/* What the passes do to the schedule, noted for a script that does it again (record.c):
 * for each pass before the mapping, and "chain", whether it has changed statements or
 * the tree, and the tree behind it as text; the tree that is mapped.
 */
enum { POLY_MOST_NOTED = 8 };
struct poly_noted {
	const char *pass;
	bool statements, moved;
	struct poly_str tree;
};
struct poly_record {
	struct poly_noted noted[POLY_MOST_NOTED];
	int n;
	struct poly_str mapped;
};

/* Arrays of which a script says how many cells a dimension has (shrink.c). */
enum { POLY_MOST_FOLDS = 16 };
struct poly_folds {
	struct poly_fold {
		char array[64];
		int dim;
		int64_t n;
		bool down;
	} fold[POLY_MOST_FOLDS];
	int n;
};

/* What is asked of the passes. */
struct poly_request {
	enum poly_loops loops;
	int blocks;		/* that POLY_LOOPS_TOGETHER has, for tests; 0:
				 * as many as useful */
	bool chains;	/* products in a row become one kernel wherever that can
			 * be, for tests; otherwise where a model says so */
	bool unfolded;	/* reductions of what products compute stay kernels of
			 * their own, for tests */
	bool helped;	/* loops whose bounds are data are soon long, for tests */
	bool apart;	/* so do maps and reductions over the same rows */
	struct poly_config *config;	/* of blocks; not owned, NULL: none */
	struct poly_search *search;	/* to be noted; not owned, NULL: none */
	struct poly_choice *choice;	/* to be noted; not owned, NULL: none */
	struct poly_record *record;	/* to be noted; not owned, NULL: none */
	struct poly_script *script;	/* not owned, NULL: none */
	struct poly_folds *folds;	/* the script's, NULL: none */
};

/* What holds of a copy of a program while something is tried with it. */
struct poly_trial {
	bool whole;	/* no sum of a product is divided */
	int64_t guess;	/* of sizes that are not fixed; 0: a typical one */
};

struct poly_prog {
	isl_ctx *ctx;
	char *name;		/* of the entry point */
	char *file;		/* of the source, relative, for debug locations */
	struct poly_param *param;
	int n_param;
	int n_hidden;		/* the last of them */
	char coordinate[POLY_N_COORDINATE][POLY_COORDINATE_TEXT];
	struct poly_array **array;
	int n_array;
	struct poly_stmt **stmt;	/* in program (topological) order */
	int n_stmt;
	struct poly_kernel **kernel;	/* in order of execution */
	int n_kernel;
	isl_set *context;	/* parameter set: what is known of the sizes */
	enum poly_fp fp;
	struct poly_target target;
	struct poly_request request;
	struct poly_trial trial;
	/* A copy that further passes have tried, up to "pass", without checks; NULL
	 * if that fails. The driver, who knows the passes, sets it.
	 *
	 * Whoever calls owns the copy. What it finds wrong goes to "report",
	 * which is not the program's: a trial that fails is no error of the
	 * user's.
	 */
	struct poly_prog *(*try_passes)(struct poly_prog *prog,
		const char *pass, struct poly_report *report);
	isl_schedule *original;	/* order of the text; NULL: it has none */
	struct poly_deps deps;
	struct poly_found *found;	/* of these, array by array */
	isl_schedule *schedule;
	/* of enum poly_have; passes run while a fact is missing */
	unsigned have;
	const struct poly_kernel *no_loops;	/* isl failed, see poly_ast_kernel */
	struct poly_report *report;	/* not owned */
};

#endif
