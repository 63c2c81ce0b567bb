/* polyir: the polyhedral intermediate representation and its passes.
 *
 * A "program" holds parameters (symbolic sizes), arrays, statements, kernels,
 * one schedule tree and one set of dependences. Passes transform the program
 * or its tree; poly_compile (driver.c) runs them in order, validates after
 * each, and dumps on request. See README.md for the text form.
 *
 * isl objects are owned by the named structs below; everything else that
 * these structs point to is owned by them too, and poly_prog_free frees all.
 * Functions that return isl_stat or isl_bool report failure through the
 * program's report (struct poly_report); nothing here prints or exits.
 */
#ifndef POLYIR_H
#define POLYIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <isl/ctx.h>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/set.h>
#include <isl/map.h>
#include <isl/union_set.h>
#include <isl/union_map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/ast.h>

/* ------------------------------------------------------------------ text */

/* A growing string. Zero-initialised it is empty; "s" is NUL-terminated once
 * anything was added. Allocation failure sets "failed" and drops the text.
 */
struct poly_str {
	char *s;
	size_t len, cap;
	bool failed;
};
void poly_str_add(struct poly_str *b, const char *text);
void poly_str_addn(struct poly_str *b, const char *text, size_t n);
void poly_str_printf(struct poly_str *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append "text", a name, as it is shown in a line: control bytes as "\n", "\x1b". */
void poly_str_add_shown(struct poly_str *b, const char *text);
/* What is shown for the byte "c": itself, or as above. */
const char *poly_shown(char c, char text[8]);
/* Drop the text and set "failed": a part of it could not be had. */
void poly_str_fail(struct poly_str *b);
void poly_str_free(struct poly_str *b);

/* A place in the user's source: 1-based line and column, length in bytes.
 * line 0 means "no place".
 */
struct poly_loc {
	int line, col, len;
};

/* -------------------------------------------------------------- messages */

enum poly_severity { POLY_ERROR, POLY_WARNING, POLY_REMARK };

enum poly_msg {
#define MSG(number, id, severity, format) MSG_##id = number,
#include "polyir/base/message.def"
#undef MSG
};

/* One reported message. "text" is owned by the report. */
struct poly_message {
	int number;
	enum poly_severity severity;
	struct poly_loc loc;
	char *text;
};

/* What a stage has to say, in order. The front end's diagnostics and the
 * passes' failures both end up here; the command prints them.
 */
struct poly_report {
	struct poly_message *msg;
	int n_msg, cap;
	int n_error;
	bool remarks;	/* passes explain what they decide, in remarks */
};
/* memory.c: a thread's record of whether an allocation has failed since it began:
 * one of any library, as far as errno tells, or one that was noted.
 */
void poly_memory_begin(void);
void poly_memory_note(void);
bool poly_memory_refused(void);

/* Add the message "id" at "loc" (NULL: no place); the arguments are those of
 * its format in message.def.
 */
void poly_report_add(struct poly_report *r, enum poly_msg id,
	const struct poly_loc *loc, ...);
/* Is there a message "id"? */
bool poly_report_has(const struct poly_report *r, enum poly_msg id);
/* Remove the errors, which are consequences of one that will be added. */
void poly_report_drop_errors(struct poly_report *r);
/* Remove the remarks "id" whose text begins with "begin": they hold no more. */
void poly_report_drop(struct poly_report *r, enum poly_msg id,
	const char *begin);
/* Forget the messages from "first" on that say what earlier ones say of the same
 * place.
 */
void poly_report_drop_told(struct poly_report *r, int first);
/* Move the remarks from one report to the end of another. */
void poly_report_take_remarks(struct poly_report *from,
	struct poly_report *to);
void poly_report_free(struct poly_report *r);

/* ----------------------------------------------------------------- types */

enum poly_type {
#define TYPE(id, name, bytes, class, digits) POLY_##id,
#include "polyir/ir/type.def"
#undef TYPE
	POLY_N_TYPE
};
enum poly_class {
	POLY_CLASS_INT, POLY_CLASS_UINT, POLY_CLASS_BOOL, POLY_CLASS_FLOAT
};
const char *poly_type_name(enum poly_type t);	/* "f32" */
int poly_type_size(enum poly_type t);		/* bytes */
enum poly_class poly_type_class(enum poly_type t);
bool poly_type_is_float(enum poly_type t);
int poly_type_digits(enum poly_type t);		/* significand bits */
/* Type in which values stored as "t" are computed (LANGUAGE section 5):
 * f16, bf16 -> f32; i8, i16 -> i32; u8, u16 -> u32; others themselves.
 */
enum poly_type poly_type_compute(enum poly_type t);
/* Type of a part of what is stored as "t", before it is rounded: integers wrap alike
 * in their own.
 */
enum poly_type poly_type_partial(enum poly_type t);
/* The bit pattern of "value", rounded to the float type "t". */
uint64_t poly_type_bits(enum poly_type t, double value);
/* The type named "name", or POLY_N_TYPE. */
enum poly_type poly_type_find(const char *name);

/* ----------------------------------------------------------- expressions */

enum poly_op {
#define OP(id, name, n_arg, ulp, shape) POLY_OP_##id,
#include "polyir/ir/op.def"
#undef OP
	POLY_OP_NONE
};
/* How the types of arguments and result belong together: see op.def. */
enum poly_shape {
	POLY_SHAPE_LEAF, POLY_SHAPE_CAST, POLY_SHAPE_SAME, POLY_SHAPE_COMPARE,
	POLY_SHAPE_SELECT
};
enum { POLY_MAX_ARG = 3 };
const char *poly_op_name(enum poly_op op);
enum poly_shape poly_op_shape(enum poly_op op);
int poly_op_n_arg(enum poly_op op);
int poly_op_ulp(enum poly_op op);
enum poly_op poly_op_find(const char *name);	/* or POLY_OP_NONE */

struct poly_array;

/* A typed expression tree: the right-hand side of a statement.
 * CONST: "value" (f64, exact for the type; integers, which lie within 2^53, and
 *	bools are held as such).
 * PARAM: "param" names a size parameter, type I32.
 * INDEX: an integer that is an affine function of the instance: "index" maps
 *	the statement's domain to a space of one dimension without a name;
 *	type I32 or I64.
 * GATHER: reads element number arg[0], an I64 counted row by row, of "array",
 * which nothing writes; -1 gives 0.
 * ACCESS: reads "array" at "index" (domain of the statement -> array space);
 *	its type is the array's.
 * CAST: converts arg[0] to "type" (to float rounds to nearest even; to int
 *	truncates and wraps; to bool asks whether it is not 0).
 * Comparisons have type BOOL, "select" takes arg[0] of type BOOL: see op.def.
 */
struct poly_expr {
	enum poly_op op;
	enum poly_type type;
	struct poly_expr *arg[POLY_MAX_ARG];
	double value;
	char *param;
	struct poly_array *array;
	isl_multi_pw_aff *index;
};
/* Constructors take their arguments and return NULL if one is NULL (the
 * others are then freed). poly_expr_cast returns "e" itself when the type is
 * already "t".
 */
struct poly_expr *poly_expr_const(enum poly_type t, double value);
struct poly_expr *poly_expr_param(const char *name);
struct poly_expr *poly_expr_access(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index);
struct poly_expr *poly_expr_gather(struct poly_array *array,
	struct poly_expr *at);
/* The value of "index", which has one dimension, as "t" (I32 or I64). */
struct poly_expr *poly_expr_index(enum poly_type t,
	__isl_take isl_multi_pw_aff *index);
struct poly_expr *poly_expr_op(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b);
/* The same for operators of three arguments. */
struct poly_expr *poly_expr_op3(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b, struct poly_expr *c);
/* "cond", a BOOL, chooses "a" or "b", which have one type. */
struct poly_expr *poly_expr_select(struct poly_expr *cond,
	struct poly_expr *a, struct poly_expr *b);
struct poly_expr *poly_expr_cast(enum poly_type t, struct poly_expr *e);
/* What changes nothing in a reduction by "op" (add, mul, min, max, and, or,
 * xor) of values of "t", in the type in which these are computed.
 */
struct poly_expr *poly_expr_identity(enum poly_op op, enum poly_type t);
struct poly_expr *poly_expr_copy(const struct poly_expr *e);
struct poly_expr *poly_expr_free(struct poly_expr *e);
/* Make the indices in "e" functions of the domain of "ma". */
void poly_expr_pullback(struct poly_expr *e, __isl_keep isl_multi_aff *ma);
/* Call "fn" on each ACCESS leaf, left to right. */
void poly_expr_each_access(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user);
/* Does an ACCESS leaf of "e" read "array"? */
bool poly_expr_accesses(struct poly_expr *e, const struct poly_array *array);
/* The same for each GATHER. */
void poly_expr_each_gather(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user);

/* ---------------------------------------------------------------- arrays */

enum poly_role { POLY_INPUT, POLY_OUTPUT, POLY_INOUT, POLY_TEMP };
enum poly_space { POLY_GLOBAL, POLY_SHARED, POLY_REGISTER };

/* An array. "extent" is a 0-dimensional-domain function of the parameters to
 * the array's space, one entry a dimension: "[M,N] -> { A[(M), (N)] }" as an
 * isl_multi_pw_aff; row-major, the last dimension is contiguous.
 * GLOBAL: lives in device memory; inputs and outputs are the caller's (INOUT
 *	is both: its values before count), temporaries are in the workspace.
 * "n_dim" may be 0: a scalar.
 * SHARED: one per block of "kernel"; constant extents; "row_pad" elements
 *	are added to each row (the last dimension) in memory.
 * REGISTER: each thread of "kernel" holds the elements that the kernel's
 *	distribution gives it; the index space is still that of the whole array.
 */
struct poly_array {
	char *name;
	enum poly_type type;
	int n_dim;
	isl_multi_pw_aff *extent;
	enum poly_role role;
	enum poly_space space;
	int row_pad;
	struct poly_loc loc;
};

/* ------------------------------------------------------------ statements */

enum poly_kind {
	POLY_POINT,	/* executed by one thread per instance */
	POLY_COPY,	/* tile operation: global -> shared by the block */
	POLY_CONTRACT,	/* tile operation: product tile from shared buffers */
	POLY_GROUP,	/* tile operation: points over the kernel's distribution */
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
 * whose second choice changes nothing. A "fold" begins its cells itself: each
 * becomes what all of its instances make, which are the points of a tile that lie
 * in a line along one axis; the block puts them together (fold.c).
 *
 * Tile operations (COPY, CONTRACT, GROUP) stand for the point statements
 * named in "member" (in their order of execution within one instance); the
 * members leave the domain of the schedule tree and are reached through
 * "contraction", a union map from the members' instances to this statement's.
 * Every tile operation of a kernel has the domain NAME[t0, t1, z..] or, inside
 * the loops over the reduction, NAME[t0, t1, tk, z.., u..]; tN are tile
 * coordinates, the z are the host's loops around the kernel and the batch
 * digits of its grid, the u are reduction loops outside of that over tk.
 *
 * COPY has one member, COPYPOINT[t0,t1,tk,z..,u..,r,c] (r, c in the shared
 * buffer's box), that writes the shared buffer at [r,c] and reads a global
 * array; an instance whose read lies outside the array stores "fill" instead.
 * "coalesce" names the position (0: r, 1: c) along which consecutive threads
 * go, so that global accesses are contiguous. With "async" it only starts the
 * copy, which has landed when a SYNC that waits for it has run; "bulk", an async
 * one of whole rows (bulk.c), moves each row at once where the target can.
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
 * SYNC has no members. With "wait", a CONTRACT over the same tiles, the
 * asynchronous copies to its buffers for this tile and those before have
 * landed behind it; those of the next "ahead" tiles may be on their way.
 *
 * "at" is set for members of GROUP and CONTRACT: the instance that stands at a
 * point of the kernel's tile space, "{ [p0, p1, z..] -> S[i, j] }" for a GROUP
 * and "{ [p0, p1, pk, z.., u..] -> S[i, j, k] }" for a CONTRACT. (A transposed
 * consumer has { [p0, p1] -> S[p1, p0] }.) All accesses to a REGISTER array,
 * pulled back by "at", are one and the same injective function of [p0, p1, z..],
 * so a thread's element of it is named by the register digits (r0, r1) alone.
 */
enum { POLY_MAX_OPERAND = 8 };
struct poly_stmt {
	char *name;
	enum poly_kind kind;
	isl_set *domain;
	struct poly_loc loc;

	struct poly_array *write_array;
	isl_multi_pw_aff *write_index;
	enum poly_op reduce;
	struct poly_expr *rhs;
	int across;
	bool down, atomic, fold;

	struct poly_stmt **member;
	int n_member;
	isl_union_map *contraction;
	isl_multi_aff *at;

	struct poly_array *operand[POLY_MAX_OPERAND];
	isl_multi_pw_aff *operand_index[POLY_MAX_OPERAND];
	bool full;
	double fill;
	int coalesce;
	bool async, bulk;

	struct poly_stmt *wait;
	int ahead;
};

/* --------------------------------------------------------------- kernels */

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
 * A tiled kernel may have further parallel dimensions, its batch: block (b0,
 * b1, b2, ..) executes tiles of batch digits b2, b3, .. with 0 <= b(2+i) <
 * batch[i].
 *
 * Block kernels (block == true): one block of 1 x thread[1] threads. Point
 * statements, each instance in the thread that a filter on the way to it names
 * by the parameter "t1", and SYNC statements, which all threads run, under
 * loops that all threads go through together. With "together", the same for
 * grid[1] blocks, a constant, that are on the device at once: the filter names
 * block "b1", too, and a SYNC statement holds all threads of all of them.
 *
 * A "chained" kernel hands what it computes to the next one, which has the same
 * blocks: chain.c makes one of the two.
 *
 * The linear thread index is t0*thread[1] + t1, so t1 is the lane direction.
 *
 * "legal" is what poly_check saw of it when it was right in order, place and
 * copies, "ordered" what poly_find_race saw when no barrier was missing (seen.c);
 * "known" is set while it is checked and is what "legal" says.
 */
enum { POLY_MAX_HOST = 8 };	/* bands around a kernel */
enum { POLY_MAX_BATCH = 4 };
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
struct poly_seen;
struct poly_kernel {
	char *name;
	bool tiled, block, together;
	int thread[2];
	int tile[2];
	int tile_k;
	int vec[2], vec_k;
	int stages;
	isl_pw_aff *grid[2];
	isl_pw_aff *batch[POLY_MAX_BATCH];
	int n_batch;
	bool chained;
	struct poly_seen *legal, *ordered;	/* NULL: none */
	bool known;
};

/* How far the point of register digit "r" lies behind that of digit 0 in
 * dimension "d" of the tile.
 */
int poly_digit_offset(const struct poly_kernel *kernel, int d, int r);

/* --------------------------------------------------------------- program */

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
	bool fixed;
	int64_t value;		/* if fixed */
	enum poly_hidden hidden;
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

/* Which floating-point sums and products may be regrouped: none, any in a way
 * that is fixed at compile time, or also at run time.
 */
enum poly_fp { POLY_FP_STRICT, POLY_FP_REASSOC, POLY_FP_RELAXED };

struct poly_prog {
	isl_ctx *ctx;
	char *name;		/* of the entry point */
	char *file;		/* of the source, relative, for debug locations */
	struct poly_param *param;
	int n_param;
	int n_hidden;		/* the last of them */
	char coordinate[POLY_N_COORDINATE][POLY_COORDINATE_TEXT];
	int divided;		/* the size that is parts times steps */
	int shared[2];		/* those that FIRST_0, FIRST_1 are parts of */
	bool others;		/* the program has the points behind these */
	struct poly_array **array;
	int n_array;
	struct poly_stmt **stmt;	/* in program (topological) order */
	int n_stmt;
	struct poly_kernel **kernel;	/* in order of execution */
	int n_kernel;
	isl_set *context;	/* parameter set: what is known of the sizes */
	enum poly_fp fp;
	int shared_bytes;	/* that a block may use; 0: not known */
	int multiprocessors;	/* of the target; 0: not known */
	bool bulk;		/* the target copies rows in bulk */
	enum poly_loops loops;
	int blocks;		/* of loops in several; 0: as many as useful */
	bool chains;		/* products in a row: wherever that can be */
	bool unfolded;		/* no folds */
	bool whole;		/* no sum of a product is divided */
	int64_t guess;		/* of sizes that are not fixed, while something
				 * is measured; 0: a typical one */
	struct poly_config *config;	/* not owned, NULL: none */
	struct poly_search *search;	/* not owned, NULL: none */
	struct poly_choice *choice;	/* not owned, NULL: none */
	isl_schedule *original;	/* order of the text; NULL: it has none */
	struct poly_deps deps;
	struct poly_found *found;	/* of these, array by array */
	isl_schedule *schedule;
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
void poly_stmt_add_member(struct poly_stmt *stmt, struct poly_stmt *member);
/* Have all sizes one value? */
bool poly_prog_is_fixed(const struct poly_prog *prog);
struct poly_param *poly_prog_find_param(struct poly_prog *p, const char *name);
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
/* range.c: what is known of the sizes: the context, the fixed ones, and that no
 * size is negative; a set with all of them as parameters.
 */
__isl_give isl_set *poly_known_sizes(struct poly_prog *prog);
/* Is "prog" for sizes of these values, in the order of its parameters, of which the
 * hidden ones are none? If it is not, append what it is for.
 */
isl_bool poly_prog_fits(struct poly_prog *prog, const int64_t *size,
	struct poly_str *out);
/* The most bytes, at most those of the widest access, of which the length of a
 * row of "a" is a multiple for all sizes.
 */
enum { POLY_RUN_BYTES = 16 };
/* The dimension of "a" along which elements lie side by side: the last one that
 * is longer than 1, 0 if there is none, -1 if "a" has no dimensions.
 */
int poly_row_dim(struct poly_prog *prog, const struct poly_array *a);
int poly_row_align(struct poly_prog *prog, const struct poly_array *a);
/* True if "stmt" is reached through a tile operation, not by the tree. */
bool poly_stmt_is_member(const struct poly_prog *p,
	const struct poly_stmt *stmt);

/* Text as isl reads it -> object in the program's context, for builders and
 * tests; trusted text only.
 */
__isl_give isl_set *poly_read_set(struct poly_prog *p, const char *text);
__isl_give isl_multi_pw_aff *poly_read_index(struct poly_prog *p,
	const char *text);

/* access.c: unions over point statements (members included). */
__isl_give isl_union_set *poly_point_domains(struct poly_prog *prog);
/* Every element of the array, as far as the dimensions from "first" on say. */
__isl_give isl_set *poly_array_box(const struct poly_array *array, int first);
__isl_give isl_union_map *poly_reads(struct poly_prog *prog);
__isl_give isl_union_map *poly_writes(struct poly_prog *prog);
__isl_give isl_union_map *poly_updates(struct poly_prog *prog);
__isl_give isl_union_map *poly_stmt_reads(struct poly_stmt *stmt);
__isl_give isl_map *poly_stmt_write(struct poly_stmt *stmt);
/* What "stmt" reads by "leaf", an access in one of its expressions. */
__isl_give isl_map *poly_stmt_read(const struct poly_stmt *stmt,
	const struct poly_expr *leaf);

/* print.c, parse.c: the whole program as text (README.md gives the grammar).
 * Reading the text of a program gives the same text again. poly_parse
 * bounds length, nesting, number size and powers before isl sees anything,
 * verifies the result with poly_verify, and reports errors with line and
 * column; NULL on error. Only the worker child may call it (isl's readers
 * crash on hostile text).
 */
void poly_print(struct poly_prog *prog, struct poly_str *out);
void poly_print_tree(struct poly_prog *prog, struct poly_str *out,
	const char *prefix);
void poly_print_expr(const struct poly_expr *e, struct poly_str *out);
struct poly_prog *poly_parse(isl_ctx *ctx, const char *text, size_t len,
	struct poly_report *report);

/* diesel.c: the analyses of the Diesel paper as text (FEATURES D16-D21):
 * per point statement iteration domain, accesses, intra-node dependence,
 * last-writer map; per edge the RAW relation; the RAR relation.
 */
isl_stat poly_print_diesel(struct poly_prog *prog, struct poly_str *out);

/* warp.c: what one access costs the first warp of a kernel, in its block (0,
 * 0). "size" has a value for each parameter of the program, which is mapped.
 * "*list" is the caller's to free, in the order of kernels and statements.
 */
struct poly_access {
	const struct poly_kernel *kernel;
	const struct poly_stmt *stmt;	/* the point statement */
	const struct poly_array *array;	/* in global or shared memory */
	bool write;
	bool bulk;		/* done with the whole rows of a copy */
	int lanes;		/* of the warp that take part */
	int vector;		/* elements of one instruction: 1, 2, 4.. */
	int transactions;	/* global: sectors of 32 bytes; shared: passes */
	int least;		/* that as many elements can do with */
};
isl_stat poly_accesses(struct poly_prog *prog, const int64_t *size,
	struct poly_access **list, int *n);

/* count.c: the points of "set" for any values of its parameters; clears "*exact" if
 * it is only known that there are no more.
 */
double poly_count_points(__isl_take isl_set *set, bool *exact);
/* count.c: what all launches of "kernel" do: operators of floats and integers that
 * are not part of an index, and the bytes of the elements of global memory that
 * are read, and written, each element once. "size" as for poly_accesses; not
 * "exact": no more than that.
 */
struct poly_kernel_work {
	double operations, read, written;
	bool exact;
};
isl_stat poly_kernel_work(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size,
	struct poly_kernel_work *work);

/* loops.c: one loop around the point statement "stmt", which "kernel" runs:
 * "counts" is what it counts, a function of the statement's indices. A loop
 * that is not parallel names, if there is one, a dependence that it carries:
 * its kind ("flow", "anti", "output", "reduction"), the array, and two
 * instances. Tiled kernels have none.
 */
struct poly_loop {
	const struct poly_stmt *stmt;
	const struct poly_kernel *kernel;
	char *counts;
	bool parallel;
	const char *kind;
	const struct poly_array *array;
	char *source, *sink;
};
/* The loops of the mapped "prog", from outside to inside for each statement;
 * the caller frees them, in case of an error, too.
 */
isl_stat poly_loops(struct poly_prog *prog, struct poly_loop **list, int *n);
void poly_loops_free(struct poly_loop *list, int n);

/* verify.c: structure of the program and its tree (bands total on the
 * domain, sequence filters partition, flags count, names resolve, kernels and
 * marks agree). Called after every pass and after reading.
 */
isl_stat poly_verify(struct poly_prog *prog, const char *pass);

/* legal.c: the legality checks (DESIGN section 4). Each reports the first
 * violation with two instances and fails. "pass" names who is to blame.
 * order: the tree respects deps (order walk; at tile level with contracted
 *	dependences, and at instance level on the expanded tree).
 * place: no dependence crosses blocks inside a kernel; reductions have one
 *	owner thread; a register is read at the point that wrote it; every
 *	tile and point is in the block and thread that the kernel says.
 * barriers: a dependence between threads of a block has a barrier between.
 * copies: what is read through a shared buffer is the original element, which
 *	has been copied by then and not been overwritten.
 */
isl_stat poly_check_order(struct poly_prog *prog, const char *pass);
isl_stat poly_check_place(struct poly_prog *prog, const char *pass);
isl_stat poly_check_barriers(struct poly_prog *prog, const char *pass);
isl_stat poly_check_copies(struct poly_prog *prog, const char *pass);
isl_stat poly_check(struct poly_prog *prog, const char *pass);

/* config.c: blocks and parts in place of those that are chosen, as text (see
 * there and README.md); NULL, reported, if it cannot be read. Passes note in it
 * what they use.
 */
struct poly_config *poly_config_read(isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report);
struct poly_config *poly_config_free(struct poly_config *c);

/* search.c: what a search for a better configuration may try. A choice is that
 * of a block for the kernel "name", best first, or, if it "is_sum", that of the
 * parts of the sum into the array "name". "factors" says how many there are of
 * what. An alternative is a line of a configuration, and the cycles that the
 * model (model.c) expects of it; a sum's are those of adding the parts.
 */
struct poly_search_item {
	char *line;
	double cycles;
};
struct poly_search_choice {
	char *name, *factors;
	bool is_sum;
	struct poly_search_item *item;
	int n;
	int chosen;	/* the alternative that was chosen; -1: none of these */
	struct poly_search_item used;	/* what was chosen */
};
/* All zero before. Passes add what they choose among. */
struct poly_search {
	struct poly_search_choice *choice;
	int n;
	bool failed;	/* without memory */
};
void poly_search_free(struct poly_search *s);

/* version.c: versions of a program that is compiled for sizes that it does not
 * know: each is right for some sizes, and faster for some of these than others.
 *
 * The steps of a sum in parts (reshape.c): "n" parts, or parts of "n" steps if
 * "by_steps"; n = 0: the sum is whole.
 */
struct poly_division {
	int64_t n;
	bool by_steps;
};
/* What a version is expected to take, in cycles as model.c counts them: "more",
 * and, unless points[0] is NULL, those of a product of so many points and steps,
 * "batch" times, functions of the sizes, in tiles of "tile" points and "tile_k"
 * steps. If its sum is divided, as "division" says, to add the parts moves "sum"
 * bytes for each part of a point, half of that its own; parts of more than
 * "most_bytes" are out of the question. "resident" blocks run at once on each of
 * "multiprocessors", and "n" at once take "cycles[n]" for a tile; a round of
 * blocks begins with "fill" cycles. "bytes" are those of a point of the result and
 * of the operands along either axis, of which "bytes_cycle" go in a cycle, and of
 * parts "sum_cycle", each part "part" cycles of waiting. All of it counts "percent" of that.
 * With "rest", the tiles of points along "axis" that fill whole rounds are done
 * before, with whole sums, and all of this is about the others.
 */
enum { POLY_MAX_RESIDENT = 32 };
struct poly_cost {
	isl_pw_aff *points[2], *steps, *batch[POLY_MAX_BATCH];
	int n_batch;
	struct poly_division division;
	bool rest;
	int axis, tile[2], tile_k, sum, multiprocessors, resident, percent;
	int64_t cycles[POLY_MAX_RESIDENT + 1], fill, more, most_bytes;
	int bytes[3], bytes_cycle, sum_cycle, part;
};
/* "sizes": of which the program takes all; NULL: any. If the program has hidden
 * sizes, "division" says what they are. "cost" owns its functions; "prog" and
 * "sizes" are owned, too. With "like", the program and its kernels are those of the
 * version of that number, which owns them. With "main", the program of the version
 * of that number runs before, for the points that poly_take leaves it.
 */
struct poly_version {
	struct poly_prog *prog;
	isl_set *sizes;
	struct poly_cost cost;
	struct poly_division division;
	int like, main;
};
/* Release what "v" owns. */
void poly_version_clear(struct poly_version *v);
void poly_cost_clear(struct poly_cost *cost);
/* Has a compiled program products whose sizes are not all fixed? */
bool poly_wants_versions(struct poly_prog *prog);
/* The sizes for which all rows of the arrays that the caller passes are a multiple
 * of POLY_RUN_BYTES long; NULL if all sizes are such, or none.
 */
__isl_give isl_set *poly_aligned_sizes(struct poly_prog *prog);
/* Let "prog", which is not compiled yet, be for sizes of "sizes" only. */
void poly_assume_sizes(struct poly_prog *prog, __isl_take isl_set *sizes);

/* reshape.c: make the size "size", over which sums go, the product of two hidden
 * sizes of "prog", which is not compiled yet: parts and steps of a part.
 * False if that cannot be, or without memory; "prog" can only be freed then.
 */
bool poly_reshape(struct poly_prog *prog, const char *size);

/* take.c: can the points that the size "size" counts be shared by two programs, one
 * of which takes the first and one the others? Then make "prog", which is not
 * compiled yet, one of these; a hidden size says how many the first are. Both axes
 * may be shared, one after the other.
 */
bool poly_can_take(struct poly_prog *prog, const char *size);
bool poly_take(struct poly_prog *prog, const char *size, int axis, bool others);

/* choose.c: which blocks versions have, and which of them have parts of the sum. A
 * compilation notes its product in a choice; NULL without memory.
 */
struct poly_choice;
struct poly_choice *poly_choice_alloc(void);
struct poly_choice *poly_choice_free(struct poly_choice *c);
/* Choose configurations of the one product noted, each of whose programs has
 * "each" kernels, and, if sums are divided, one more that all of those share; no
 * more than "kernels" in all. Returns their number, 0 if the product is none that
 * the model knows.
 */
int poly_choose(struct poly_choice *c, int each, int kernels);
/* Configuration "i" of them, which the caller frees, NULL without memory; the size
 * that its sum goes over if that is divided, else NULL; the ways to divide it, of
 * which there are "*n"; the sizes that it is for if it is divided as "d" says,
 * and what it takes then; for i < 0, what the block takes that was noted.
 */
struct poly_config *poly_choice_config(const struct poly_choice *c, int i);
const char *poly_choice_divided(const struct poly_choice *c, int i);
/* The size that counts the points along "axis" if configuration "i" has whole tiles
 * of them, which two programs may share, else NULL; may those of "rest" come behind
 * those of "main"? What the latter two take.
 */
const char *poly_choice_shared(const struct poly_choice *c, int i, int axis);
bool poly_choice_fits(const struct poly_choice *c, int main, int rest);
void poly_choice_rest_cost(const struct poly_choice *c, int rest, int axis,
	struct poly_division d, struct poly_cost *cost);
const struct poly_division *poly_choice_divisions(int *n);
__isl_give isl_set *poly_choice_sizes(const struct poly_choice *c, int i,
	struct poly_division d);
void poly_choice_cost(const struct poly_choice *c, int i,
	struct poly_division d, struct poly_cost *cost);
/* What the program of configuration "i" may count on if it has hidden sizes: the
 * steps of a part, and the points that are shared, are whole tiles.
 */
__isl_give isl_set *poly_choice_hidden(const struct poly_choice *c, int i,
	struct poly_prog *prog);

/* The passes, one file each, in the order in which poly_compile runs them.
 * Each header comment states what the pass requires, establishes and breaks.
 */
isl_stat poly_deps(struct poly_prog *prog);
isl_stat poly_cut(struct poly_prog *prog);
isl_stat poly_privatise(struct poly_prog *prog);
isl_stat poly_schedule(struct poly_prog *prog);
isl_stat poly_split(struct poly_prog *prog);
isl_stat poly_cut_loops(struct poly_prog *prog);
isl_stat poly_order(struct poly_prog *prog);
isl_stat poly_map_one(struct poly_prog *prog);
isl_stat poly_fold(struct poly_prog *prog);
isl_stat poly_map_points(struct poly_prog *prog);
isl_stat poly_map_tiles(struct poly_prog *prog);
isl_stat poly_chain(struct poly_prog *prog);
isl_stat poly_promote_registers(struct poly_prog *prog);
isl_stat poly_promote_shared(struct poly_prog *prog);
isl_stat poly_pipeline(struct poly_prog *prog);
isl_stat poly_sync(struct poly_prog *prog);

/* driver.c */
enum poly_mapping { POLY_MAP_TILED, POLY_MAP_NAIVE };
struct poly_options {
	enum poly_mapping mapping;
	bool roundtrip;		/* print -> parse after every pass */
	bool check;		/* legality checks (default on) */
	const char *dump_after;	/* pass name, "all", or NULL */
	const char *stop_after;	/* pass name, or NULL: run all */
	bool time;		/* time each pass */
	int shared_bytes;	/* of shared memory, for a block: half of what
				 * there is, so that two run; 0: 48 KiB */
	int multiprocessors;	/* of the target; 0: choose no block by sizes */
	bool bulk;		/* the target copies rows in bulk */
	enum poly_loops loops;
	int blocks;		/* that POLY_LOOPS_TOGETHER has, for tests; 0:
				 * as many as useful */
	bool chains;	/* products in a row become one kernel wherever that can
			 * be, for tests; otherwise where a model says so */
	bool unfolded;	/* reductions of what products compute stay kernels of
			 * their own, for tests */
	struct poly_config *config;	/* of blocks, or NULL */
	struct poly_search *search;	/* to be noted, or NULL */
	struct poly_choice *choice;	/* to be noted, or NULL */
	/* receives dumps and timings; NULL: dropped */
	void (*log)(void *user, const char *text);
	void *log_user;
};
extern const struct poly_options poly_options_default;
/* Run all passes; on failure returns isl_stat_error with the reason in the
 * program's report. "*prog" may be replaced (roundtrip).
 */
isl_stat poly_compile(struct poly_prog **prog, const struct poly_options *o);
/* Run the one pass called "name", checked, dumped and timed as in
 * poly_compile. Fails, having changed nothing, if the program lacks what the
 * pass requires or if there is no such pass.
 */
isl_stat poly_run(struct poly_prog **prog, const struct poly_options *o,
	const char *name);

/* kernel.c: the blocks of the block kernel "kernel". */
int poly_kernel_n_block(const struct poly_kernel *kernel);
/* kernel.c: the point statements that "kernel" runs, in program order; copies
 * to shared memory are left out. "*n" receives their number. Free the array.
 */
struct poly_stmt **poly_kernel_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n);

/* scatter.c: what dimension "dim" of "stmt" has to be equal to where that selects
 * another value than the one that changes nothing; NULL if it is not said. It does
 * not depend on that dimension.
 */
const struct poly_expr *poly_wanted(const struct poly_stmt *stmt, int dim);
/* Does the value of "e" depend on dimension "dim" of its statement? */
bool poly_is_moved(const struct poly_expr *e, int dim);

/* Folds of a group, at most. */
enum { POLY_MAX_FOLDS = 8 };
/* legal_fold.c: the axis of the tiles of "kernel" along which the instances of the
 * fold "s", a member of one of its groups, lie that make one cell, and along which
 * no two cells have instances in a tile; -1 if there is none.
 */
int poly_fold_axis(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *s);

/* untouched.c: the reads of a kernel's statements, of arrays that it writes, no
 * element of which is written in the same launch, as "*n" leaves of their
 * expressions. The caller frees the list, in case of an error, too.
 */
isl_stat poly_untouched(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_expr ***list, int *n);

/* full.c: tiles of the product "op" of "kernel" all of whose points its member
 * has, but for such as accumulate what nobody uses; all of these tiles, where it
 * takes no search for integers to tell which they are.
 */
__isl_give isl_set *poly_whole_tiles(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op);

/* tree.c: how many members the bands around the mark of "kernel" have. */
int poly_kernel_n_host(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* ast.c: isl's ASTs, made from the tree with the context (sizes, sign of the
 * parameters, ranges of launches, blocks and threads) inserted last.
 * A kernel's is what one thread runs, in the mark "kernel:NAME"; user nodes
 * are calls STMT(e0, e1, ...) of point statements or tile operations. NULL if
 * isl fails, or makes loops that run other instances than the tree holds (which
 * ast_check.c finds out); prog->no_loops tells if that is its own fault.
 */
__isl_give isl_ast_node *poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The values that sizes (at most INT32_MAX), iterators of launches, blocks and
 * threads of "kernel" have together where an instance runs: a parameter set.
 */
__isl_give isl_set *poly_kernel_places(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The least, or the last, t1 of a block of "kernel", which is not tiled, where an
 * instance runs: a function of the sizes, launches and blocks. It is that of the
 * block itself where none does.
 */
__isl_give isl_pw_aff *poly_end_column(struct poly_prog *prog,
	const struct poly_kernel *kernel, bool last);
/* The statement that gives the cells of "s", which threads of "kernel" run
 * together, what they hold before it, if one does, in the thread that updates
 * them, which runs neither for another cell; else NULL.
 */
struct poly_stmt *poly_across_start(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *s);
/* What stands above the kernels: user nodes are calls KERNEL(h0, h1, ...). */
__isl_give isl_ast_node *poly_ast_launches(struct poly_prog *prog);
/* Append the text of both; of the launches if they have loops or conditions.
 */
isl_stat poly_print_ast(struct poly_prog *prog, struct poly_str *out);

/* coalesce.c: what the functions of isl are for, checked. */
__isl_give isl_set *poly_set_coalesce(__isl_take isl_set *set);
__isl_give isl_map *poly_map_coalesce(__isl_take isl_map *map);
__isl_give isl_union_set *poly_union_set_coalesce(
	__isl_take isl_union_set *set);
__isl_give isl_union_map *poly_union_map_coalesce(
	__isl_take isl_union_map *map);
__isl_give isl_pw_aff *poly_pw_aff_coalesce(__isl_take isl_pw_aff *pa);

/* ctx.c: an isl context with our options set, in the one place. */
isl_ctx *poly_ctx_alloc(void);
/* What isl may do from here on, in operations, of which each is about an
 * allocation; their number is the same on every machine. Everything fails
 * beyond it. A new context has POLY_BUDGET, which is about a minute's work.
 */
#define POLY_BUDGET 50000000ul
void poly_ctx_budget(isl_ctx *ctx, unsigned long operations);
/* True if that was not enough, and isl does nothing more. */
bool poly_ctx_spent(isl_ctx *ctx);
/* Begin what may take "most" operations, and no more than a context has ("most" is 0:
 * all of them). Returns what poly_ctx_attempted() is to be given.
 */
unsigned long poly_ctx_attempt(isl_ctx *ctx, unsigned long most);
/* The end of that: "ctx" has "all" its operations again, whatever it took. False if
 * they were not enough, which is forgotten: isl goes on.
 */
bool poly_ctx_attempted(isl_ctx *ctx, unsigned long all);
/* True if isl's last error is a fault of its own: it takes what it is asked, or
 * what it made of that, for invalid.
 */
bool poly_ctx_faulted(isl_ctx *ctx);
/* Frees "ctx"; returns false, having leaked it, if objects still refer to it
 * (isl prints "isl_ctx not freed" then).
 */
bool poly_ctx_free(isl_ctx *ctx);

#endif
