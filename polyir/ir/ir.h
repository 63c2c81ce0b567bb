/* What a program is: arrays, statements, kernels, one schedule tree, and the
 * dependences.
 */
#ifndef POLYIR_IR_H
#define POLYIR_IR_H

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
 *	a "stride" elements lie as many apart as sizes say.
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
	bool async, bulk;
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
 * tile[d] == thread[d]. Where its sums have lanes, "vec_k" steps of them lie
 * side by side.
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

/* prog.c. Everything added is owned by the program; names must be unique
 * identifiers, and not words of isl (poly_is_word). "fix" gives param "name" a value.
 */
struct poly_prog *poly_prog_alloc(isl_ctx *ctx, const char *name,
	struct poly_report *report);
struct poly_prog *poly_prog_free(struct poly_prog *prog);
bool poly_is_word(const char *word);
struct poly_param *poly_prog_add_param(struct poly_prog *prog,
	const char *name);
isl_stat poly_prog_fix(struct poly_prog *prog, const char *name, int64_t v);
struct poly_array *poly_prog_add_array(struct poly_prog *prog,
	const char *name, enum poly_type type, enum poly_role role,
	__isl_take isl_multi_pw_aff *extent);
struct poly_stmt *poly_prog_add_stmt(struct poly_prog *prog,
	const char *name, enum poly_kind kind, __isl_take isl_set *domain);
struct poly_kernel *poly_prog_add_kernel(struct poly_prog *prog,
	const char *name);
/* The name of coordinate "c", a parameter of isl's sets that is no size of the
 * program (coordinate.c); which coordinate "name" is, or -1; is it one of a launch?
 */
const char *poly_coordinate(const struct poly_prog *prog, int c);
int poly_find_coordinate(const struct poly_prog *prog, const char *name);
bool poly_is_launch(const struct poly_prog *prog, const char *name);
/* The statements run as "schedule", a tree of all their domains made of bands,
 * sequences and filters, says (LANGUAGE rule M).
 */
void poly_prog_set_original(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
void poly_stmt_set_write(struct poly_stmt *stmt, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_op reduce,
	struct poly_expr *rhs);
/* How many coordinates of the tile operation "op" come before the z. */
int poly_op_first_outer(const struct poly_stmt *op);
void poly_stmt_add_member(struct poly_stmt *stmt, struct poly_stmt *member);
/* Have all sizes one value? */
bool poly_prog_is_fixed(const struct poly_prog *prog);
struct poly_param *poly_prog_find_param(struct poly_prog *p, const char *name);
/* gaps.c: give the caller's arrays of several dimensions strides, sizes behind the others; an
 * error, reported, where elements of one are numbered. Let those from "param" on be those of
 * "a". Has an array some? The name of that of dimension "d". */
isl_stat poly_add_strides(struct poly_prog *prog);
void poly_array_set_stride(struct poly_prog *prog, struct poly_array *a, int param);
bool poly_has_strides(const struct poly_prog *prog);
const char *poly_array_stride(const struct poly_prog *prog, const struct poly_array *a, int d);

/* The hidden size of that kind, or NULL; add one named after the size "size", NULL
 * without memory.
 */
const struct poly_param *poly_prog_hidden(const struct poly_prog *prog,
	enum poly_hidden kind);
struct poly_param *poly_prog_add_hidden(struct poly_prog *prog,
	const char *size, enum poly_hidden kind);
struct poly_array *poly_prog_find_array(struct poly_prog *p, const char *name);
struct poly_stmt *poly_prog_find_stmt(struct poly_prog *p, const char *name);
struct poly_kernel *poly_prog_find_kernel(struct poly_prog *p,
	const char *name);

/* True if "stmt" is reached through a tile operation, not by the tree. */
bool poly_stmt_is_member(const struct poly_prog *p,
	const struct poly_stmt *stmt);

/* access.c: unions over point statements (members included). */
__isl_give isl_union_set *poly_point_domains(struct poly_prog *prog);
/* Every element of the array, as far as the dimensions from "first" on say. */
__isl_give isl_set *poly_array_box(const struct poly_array *array, int first);
/* Is "array" a temporary, from which nobody gathers, so that passes may move it? */
bool poly_is_temp(const struct poly_array *array);
__isl_give isl_union_map *poly_reads(struct poly_prog *prog);
__isl_give isl_union_map *poly_writes(struct poly_prog *prog);
__isl_give isl_union_map *poly_updates(struct poly_prog *prog);
__isl_give isl_union_map *poly_stmt_reads(struct poly_stmt *stmt);
__isl_give isl_map *poly_stmt_write(struct poly_stmt *stmt);
/* What "stmt" reads by "leaf", an access in one of its expressions; or a GATHER. */
__isl_give isl_map *poly_stmt_read(const struct poly_stmt *stmt,
	const struct poly_expr *leaf);
__isl_give isl_map *poly_stmt_gathered(const struct poly_stmt *stmt,
	const struct poly_expr *leaf);

/* The loops of the mapped "prog", from outside to inside for each statement;
 * the caller frees them, in case of an error, too.
 */
isl_stat poly_loops(struct poly_prog *prog, struct poly_loop **list, int *n);

/* The passes, one file each, in the order in which poly_compile runs them.
 * Each header comment states what the pass requires, establishes and breaks.
 */
isl_stat poly_deps(struct poly_prog *prog);

/* kernel.c: the blocks of the block kernel "kernel". */
int poly_kernel_n_block(const struct poly_kernel *kernel);
/* kernel.c: the point statements that "kernel" runs, in program order; copies
 * to shared memory are left out. "*n" receives their number. Free the array.
 */
struct poly_stmt **poly_kernel_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);

/* tree.c: how many members the bands around the mark of "kernel" have. */
int poly_kernel_n_host(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* prog.c: the statements, and the loops around each. In the order of isl's
 * scheduler are programs of up to POLY_LARGE.
 */
enum { POLY_LARGE = 200 };
int poly_measure(const struct poly_prog *prog);

/* The text behind "kernel:" if "node" is a mark of a kernel, else NULL.
 * Owned by isl's identifier, which the tree keeps.
 */
const char *poly_mark_kernel(__isl_keep isl_schedule_node *node);
/* Insert the mark "kernel:NAME" above "node". */
__isl_give isl_schedule_node *poly_insert_kernel_mark(
	__isl_take isl_schedule_node *node, const char *name);
/* Insert the band "partial" of parallel loops above "node"; nothing if it has none. 0
 * on all that reaches "node".
 */
__isl_give isl_schedule_node *poly_insert_parallel(
	__isl_take isl_schedule_node *node,
	__isl_take isl_multi_union_pw_aff *partial);
__isl_give isl_union_pw_aff *poly_zero_at(__isl_keep isl_schedule_node *node);
/* The child 0 of the mark of "kernel" in the program's tree, or NULL. */
__isl_give isl_schedule_node *poly_kernel_node(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* Which launch an instance below the mark of "kernel" is in: the bands above,
 * whatever the domains of the statements if there are any.
 */
__isl_give isl_multi_union_pw_aff *poly_kernel_launch(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The statement instances below the mark of "kernel". */
__isl_give isl_union_set *poly_kernel_domain(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The "*n" statements that the next filter above "kernel" names, all of its own
 * among them, in program order. Free the list.
 */
struct poly_stmt **poly_named_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);
/* The statement instances that reach "node", as isl_schedule_node_get_domain
 * gives them; but that intersects the filters above from the root down, all
 * statements of the program, and this from "node" up, those that reach it.
 */
__isl_give isl_union_set *poly_node_domain(__isl_keep isl_schedule_node *node);
/* The band "node" with a loop that is written out. */
__isl_give isl_schedule_node *poly_unrolled(__isl_take isl_schedule_node *node);
/* The intersection of "set" with "other", of which only the statements of "set"
 * are looked at.
 */
__isl_give isl_union_set *poly_narrow(__isl_take isl_union_set *set,
	__isl_take isl_union_set *other);

/* kernel.c: the kernel that runs "stmt", by itself or as a member, or NULL. */
const struct poly_kernel *poly_kernel_of(struct poly_prog *prog,
	const struct poly_stmt *stmt);

/* Copy the tree below "src" to the leaf "dst", restricted to the statements
 * that reach "dst".
 */
__isl_give isl_schedule_node *poly_tree_copy(
	__isl_take isl_schedule_node *dst, __isl_keep isl_schedule_node *src);
/* The tree below "src" for the instances "domain"; below the root of "schedule". */
__isl_give isl_schedule *poly_tree_over(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule_node *src);
__isl_give isl_schedule *poly_tree_of(__isl_take isl_union_set *domain,
	__isl_keep isl_schedule *schedule);
/* The band "node", all of whose members are parallel, and the band right below it
 * as one.
 */
__isl_give isl_schedule_node *poly_join_bands(
	__isl_take isl_schedule_node *node);
/* "schedule" without children that no statement reaches. */
__isl_give isl_schedule *poly_tidy(__isl_take isl_schedule *schedule);
/* "schedule" below the band "partial", which has the properties of the band
 * "like", or below the mark "id".
 */
__isl_give isl_schedule *poly_add_band(__isl_take isl_schedule *schedule,
	__isl_take isl_multi_union_pw_aff *partial,
	__isl_keep isl_schedule_node *like);
__isl_give isl_schedule *poly_add_mark(__isl_take isl_schedule *schedule,
	__isl_take isl_id *id);
/* Rebuild the program's tree with "n" companions added, several of one
 * anchor and side in the order given. The statements are in prog already.
 */
isl_stat poly_tree_insert(struct poly_prog *prog,
	const struct poly_companion *c, int n);
/* Replace the program's schedule by "schedule" (NULL: error). */
isl_stat poly_set_schedule(struct poly_prog *prog,
	__isl_take isl_schedule *schedule);
/* Statement called "name" in a set or tuple of that name. */
struct poly_stmt *poly_stmt_of_set(struct poly_prog *prog,
	__isl_keep isl_set *set);
/* Where the statement "name" stands in the program, from 0; n_stmt if there is
 * none, or no name.
 */
int poly_stmt_position(const struct poly_prog *prog, const char *name);
/* Set edge[i * n_stmt + k] where "deps" has pairs from statement i to another one, k. */
void poly_note_edges(const struct poly_prog *prog,
	__isl_keep isl_union_map *deps, bool *edge);
/* Move the statement at position "from" to "at", which is not behind it. */
void poly_move_stmt(struct poly_prog *prog, int from, int at);
/* The statements of "domain" in program order; "*n" receives their number.
 * Free the array.
 */
struct poly_stmt **poly_stmts_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, int *n);

/* Is it a SCATTER that "stmt" writes? */
bool poly_is_scatter(const struct poly_stmt *stmt);
/* access.c: does "s" go on from what its cell holds? Does "s" access "array"? Does one of
 * the "n" statements "list" write it, or what is beside them access it? Let the access "leaf"
 * be one to "array", all of "s" to "from" such to "to". A temporary like "array"; or NULL.
 */
bool poly_is_update(const struct poly_stmt *s);
bool poly_stmt_accesses(struct poly_stmt *s, const struct poly_array *array);
bool poly_any_writes(struct poly_stmt *const *list, int n, const struct poly_array *array);
bool poly_accessed_beside(const struct poly_prog *prog,
	struct poly_stmt *const *list, int n, const struct poly_array *array);
void poly_leaf_set(struct poly_expr *leaf, struct poly_array *array);
void poly_stmt_rename(struct poly_stmt *s, const struct poly_array *from,
	struct poly_array *to);
struct poly_array *poly_add_like(struct poly_prog *prog,
	const struct poly_array *array, const char *suffix);

/* Is "pa" dimension "d" of "stmt", by its form or, with "values", by what it is? */
bool poly_is_dim(__isl_keep isl_pw_aff *pa, const struct poly_stmt *stmt, int d,
	bool values);
/* The dimension of "stmt" that "index", a function of its instances, is at
 * position "pos"; -1 if it is something else.
 */
int poly_index_dim(__isl_keep isl_multi_pw_aff *index, int pos,
	const struct poly_stmt *stmt);

/* The first members of "band", the axes and the batch of "kernel", as a map,
 * instance -> [p0, p1, z..]: whatever the domains of the statements, and for what
 * reaches the band.
 */
__isl_give isl_union_map *poly_kernel_axes(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band);
__isl_give isl_union_map *poly_kernel_points(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *band);
/* Set the grid from the points "range", "{ [p0, p1, batch..] }", of the kernel's
 * tile space and its tile sizes.
 */
isl_stat poly_kernel_set_grid(struct poly_kernel *kernel,
	__isl_take isl_set *range);
/* What reaches "node", with the members of the bands above as the parameters
 * h0, h1, ..
 */
__isl_give isl_union_set *poly_launch_filter(const struct poly_prog *prog,
	__isl_keep isl_schedule_node *node);
/* Map the kernel whose outer band is "band" with one thread a point, in
 * blocks of "thread0" x "thread1"; the "n_batch" members behind the first two are
 * digits of the grid. The result is the mapping filter above the band.
 */
__isl_give isl_schedule_node *poly_kernel_thread_a_point(struct poly_prog *prog,
	struct poly_kernel *kernel, __isl_take isl_schedule_node *band,
	int thread0, int thread1, int n_batch);
/* Which threads of the block kernel "kernel" run an instance: "{ S[..] -> [t0,
 * t1] }", or, of blocks that run together, "{ S[..] -> [b1, t0, t1] }", in a
 * launch, where the host runs loops around it.
 */
__isl_give isl_union_map *poly_kernel_threads(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* Which block of the kernel, whose blocks are apart, runs an instance: "{ S[..] -> [b0,
 * b1] }", in any launch.
 */
__isl_give isl_union_map *poly_kernel_blocks(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* "set" whatever the coordinates of the thread, and, with "block", of its block. */
__isl_give isl_union_set *poly_any_thread(const struct poly_prog *prog,
	__isl_take isl_union_set *set, bool block);
/* The tiles of the grid of "kernel": "{ [b0, b1, b2..] : 0 <= bd < gridd }". */
__isl_give isl_set *poly_kernel_tiles(struct poly_prog *prog,
	const struct poly_kernel *k);
/* How many threads go together across the statements of "domain"; 0: none do. */
int poly_across(struct poly_prog *prog, __isl_keep isl_union_set *domain);
/* A new kernel, named after the last array that "domain" writes, but for parts of
 * others; NULL without memory.
 */
struct poly_kernel *poly_kernel_add(struct poly_prog *prog,
	__isl_keep isl_union_set *domain);

/* model.c: the block of a product's kernel, as struct poly_kernel has it. */
struct poly_block {
	int thread[2], tile[2], vec[2], vec_k, tile_k, stages;
	enum poly_unit unit;
	int cluster[2];		/* 0: none */
};

/* unit.c: the name of an instruction, and back: POLY_UNIT_NONE if there is none. */
const char *poly_unit_name(enum poly_unit unit);
enum poly_unit poly_find_unit(const char *name);
/* kernel.c: how many blocks of "kernel" along axis "d" are a cluster, 1 at least. */
int poly_cluster(const struct poly_kernel *kernel, int d);
/* kernel.c: give "kernel" the block "b"; the block that it has. */
void poly_kernel_set_block(struct poly_kernel *kernel,
	const struct poly_block *b);
struct poly_block poly_kernel_block(const struct poly_kernel *kernel);

/* prog.c: release kernel "i", which has no mark; statement "i"; an array without accesses. */
void poly_prog_drop_kernel(struct poly_prog *prog, int i);
void poly_prog_drop_stmt(struct poly_prog *prog, int i);
void poly_prog_drop_array(struct poly_prog *prog, struct poly_array *array);

/* swap.c: kernels of "prog" whose statements become members of tile operations:
 * "tree" is the schedule of kernel "kernel" over these, from its mark on.
 */
struct poly_swap {
	const struct poly_kernel *kernel;
	isl_union_set *domain;		/* of the statements */
	struct poly_stmt **op;		/* the tile operations */
	int n_op;
	isl_schedule *tree;
};
/* Put the trees of the "n" swaps into that of "prog". */
isl_stat poly_tree_swap(struct poly_prog *prog, const struct poly_swap *swap,
	int n);

/* coordinate.c: name the coordinates, as the sizes of "prog" are now; before any
 * filter binds one.
 */
void poly_coordinates_choose(struct poly_prog *prog);

/* A unique name made of "base" and "suffix". Free it. */
char *poly_unique_name(struct poly_prog *prog, const char *base,
	const char *suffix);
/* Failure of isl inside "pass": reports what isl said; isl_stat_error. */
isl_stat poly_isl_error(struct poly_prog *prog, const char *pass);

/* reshape.c: the size, or another parameter, "name" as a function on "space". */
__isl_give isl_aff *poly_size_at(__isl_take isl_space *space, const char *name);

#endif
