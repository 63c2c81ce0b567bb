/* What a kernel is expected to take: its work, and a model of the target. */
#ifndef POLYIR_COST_H
#define POLYIR_COST_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

struct poly_cost;
struct poly_str;

/* What was measured on a device: rate.def says of each what it is. */
struct poly_rates {
#define RATE(name, h200, unit, text) double name;
#include "polyir/cost/rate.def"
#undef RATE
};
extern const struct poly_rates poly_rates_h200;
/* The rates of "target"; if it has none, those of an H200. */
const struct poly_rates *poly_rates_of(const struct poly_target *target);

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
/* count.c: the bytes among those read of elements that "kernel" reads only after it has
 * written them itself, such as cells of sums that it begins: memory need not give them.
 */
double poly_kernel_own_reads(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size);

/* swept.c: a statement whose loops over what is "inner", its terms, each thread has; others
 * count cells, of which those along "dim", -1: none, are neighbours.
 */
enum { POLY_SWEPT_DIMS = 16, POLY_SWEPT_TERMS = 32 };
struct poly_swept {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	int dim, n;
	bool inner[POLY_SWEPT_DIMS];
	int64_t count[POLY_SWEPT_DIMS];
};
/* Note how many values each of the "n" dimensions has. Is every instance of these there,
 * from 0 on along "dim"?
 */
bool poly_swept_is_box(struct poly_swept *s);
/* Its terms, which are written out if they are POLY_SWEPT_TERMS at most. */
double poly_swept_terms(const struct poly_swept *s);
/* Does the cell that it writes move with dimension "d"? */
bool poly_swept_moves(const struct poly_swept *s, int d);
/* What a cell reads of an array: "wide" elements of each of "rows" rows by "terms" accesses
 * to a row; "step" elements further for the next cell, in the same rows if "straight"; all
 * that "again" and again, in loops that it does not move with.
 */
struct poly_reach {
	double rows, again;
	int64_t step, wide, terms;
	bool straight;
};
/* That of the access to "a" at "index"; false if it is not of the kind. */
bool poly_reach_of(const struct poly_swept *s, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, struct poly_reach *r);
/* The instructions with which a thread that has "run" cells loads all that, "*vector"
 * elements at once.
 */
double poly_reach_loads(struct poly_prog *prog, const struct poly_array *a,
	const struct poly_reach *r, int run, int *vector);

/* price.c: what all launches of "kernel" are expected to take, "launched" being how many
 * there are, blocks in the largest, and registers of a thread, 0 if they are not known:
 * cycles in which memory, the cache, shared memory, the
 * schedulers and the longest thread are busy, or the tiles of products, and those of
 * launches and barriers; the "cycles", and microseconds, of all that; not "exact":
 * some set was too large to be counted. "width" are the iterations of a launch that
 * could run side by side: those of parallel loops, and the terms of sums that may be
 * regrouped. "access" are those of poly_accesses.
 */
struct poly_launched {
	double n, blocks, threads;
	int registers;
};
struct poly_price {
	double launches, blocks;
	double memory, cache, shared, issue, chain, product, fixed;
	double cycles, us, width;
	bool exact;
};
struct poly_access;
isl_stat poly_price_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *size,
	const struct poly_access *access, int n_access,
	const struct poly_launched *launched, struct poly_price *price);
/* price.c: the instructions that a thread takes for the operators of "e", once. */
double poly_price_operators(const struct poly_prog *prog,
	const struct poly_expr *e);

/* 32-bit registers of a thread that accumulators may take: half of all there
 * are, so that two fragments of each operand fit beside them.
 */
enum { POLY_ACCUMULATOR_WORDS = 128 };
/* What there is to do: "points" of the tile space and "steps" of the sum, at
 * least 1 each, "batch" times. "words": 32-bit registers for what one point
 * accumulates. "bytes": of the operands for one step of one point along an axis,
 * which copies move "run" elements at a time; "bytes_step": of those that move
 * with the steps alone. "out_bytes": that a point writes. "rows_of_steps": what
 * threads share along axis 0 is loaded in runs of steps. "deep": an operand has
 * more than two dimensions; "small": its elements are smaller than a word, so
 * that only runs of them can be copied without waiting; "async": some can.
 * "parts": it is those of a divided sum, all in one kernel. "beside": bytes like
 * "bytes" of another product in the kernel, whose buffers are there, too; "kept":
 * of a buffer that holds "kept_steps" steps of all points of an axis (chain.c).
 * "narrow": what is made of the points is stored in 16 bits; "odd_out": in rows of which
 * some begin within a run of 16 bytes. "lines": threads of a
 * line of points put together what they have, and lie side by side (fold.c).
 * "bent": rows of an operand along an axis begin within lines of 128 bytes, for the sizes
 * given.
 * "units": those that do all products of it, as struct poly_target has them; "lack":
 * what the first product lacks that none does.
 * "target" is that of the program, "rates" what is known of it. "open": kernels are made
 * for sizes that are not known, of which these are an example.
 * "ends": the points along an axis are of one number for all sizes, and nothing is
 * computed beyond them where all that a thread holds in a row lies there.
 */
struct poly_work {
	double points[2], steps, batch;
	int words, bytes[2], bytes_step, run[2], out_bytes;
	bool rows_of_steps, async, fixed, deep, small, parts, narrow, odd_out, lines, ends[2], bent[2];
	bool open;
	bool slides;		/* windows do, over pixels (layout/window.c) */
	int line[2];		/* dimensions that are one with another along an axis */
	struct poly_target target;
	const struct poly_rates *rates;
	unsigned units;
	enum poly_unit_lack lack;
	int beside[2], beside_step, kept[2];
	int together;		/* products in one loop: a step is one of each */
	double kept_steps;
	double held[2];		/* bytes of the arrays of an axis, of which windows read each
				 * element several times; 0: each once */
};
/* An axis of so many points is cut into tiles that are full enough: further loops that
 * move the same operands are no part of it.
 */
enum { POLY_LONG_AXIS = 512 };
/* What the model expects: blocks of the grid, those that a multiprocessor has
 * room for, rounds of them, registers of a thread, bytes of shared memory, the
 * part of the points that lies beyond the edges, and cycles; "busy": those that all but
 * memory takes.
 */
struct poly_estimate {
	double blocks, resident, waves, padding, shared, cycles, busy;
	int registers;
};
struct poly_ranked {
	struct poly_block block;
	struct poly_estimate estimate;
};
/* Are both operands copied one element at a time, whatever their buffers are? Then
 * columns of steps take no more copies than runs of them.
 */
bool poly_copies_elements(const struct poly_work *w);
/* The bytes of the buffers of a block "b". Beside these a block may take
 * POLY_SHARED_REST bytes for alignment and barriers.
 */
enum { POLY_SHARED_REST = 1024 };
double poly_shared_bytes(const struct poly_work *w, const struct poly_block *b);
/* The block for products of large or unknown sizes. */
struct poly_block poly_usual_block(const struct poly_work *w);
/* The cycles that "w" takes in blocks "b", and "*e". */
double poly_block_cycles(const struct poly_work *w,
	const struct poly_block *b, struct poly_estimate *e);
/* The "n" best blocks, best first, into "list", which is zero; if there are
 * fewer, the rest stays zero.
 */
void poly_rank_blocks(const struct poly_work *w, struct poly_ranked *list,
	int n);
/* The cycles that both "w" take in blocks "b", one after the other in each of
 * these (chain.c), and "*e".
 */
double poly_chain_cycles(const struct poly_work w[2],
	const struct poly_block *b, struct poly_estimate *e);
/* Add to "out" how many blocks there are: of what kinds. */
void poly_block_factors(const struct poly_work *w, struct poly_str *out);
/* The block to use: the usual one, or the best one if that is clearly better. */
struct poly_ranked poly_best_block(const struct poly_work *w);
/* Into how many parts the steps are divided best, 1: not at all; "*values"
 * receives the steps of one, which are whole tiles.
 */
int poly_best_parts(const struct poly_work *w, int *values);
/* How many parts it makes to divide the steps into "parts" or a few less. */
int poly_given_parts(const struct poly_work *w, int parts, int *values);
/* Parts of a sum that are worth it, at most. */
enum { POLY_MOST_PARTS = 64 };
/* The cycles of the kernel that adds "n" parts, 0 for one; INFINITY if they take
 * too much memory. Those of the parts, of "each" steps, with it.
 */
double poly_sum_cycles(const struct poly_work *w, int n);
double poly_parts_cycles(const struct poly_work *w, int n, int each);
/* The cycles of the best division of "w", 1 part among them; those of the block and
 * the parts that are chosen for a product, which may have "parts".
 */
double poly_divided_cycles(const struct poly_work *w);
double poly_chosen_cycles(const struct poly_work *w, bool parts);

/* The constants of model.c for blocks "b", into "cost". */
void poly_block_cost(const struct poly_work *w, const struct poly_block *b,
	struct poly_cost *cost);
/* The blocks there are, up to "n" of them, into "list"; returns their number. */
enum { POLY_MOST_BLOCKS = 1024 };
int poly_all_blocks(const struct poly_work *w, struct poly_block *list, int n);

/* work.c: begin to describe work: what is known of the sizes and the target;
 * add what the product "stmt" does, "at" being { [p0, p1, pk, ..] -> S[..] }, in the loop
 * of "with" (NULL: its own), whose copies it need not make;
 * once all are added, find out how rows are copied. Is the work known well
 * enough for the model?
 */
void poly_work_begin(struct poly_work *w, const struct poly_prog *prog);
void poly_work_add(struct poly_work *w, struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at,
	const struct poly_stmt *with);
bool poly_work_is_known(const struct poly_work *w);
/* Remark, if the report wants to hear it, why no matrix unit does the products of the
 * kernel "name", if none does; why it has the blocks "chosen"; or why the reduction "name" is in "parts" of "values" steps.
 */
void poly_explain_unit(struct poly_prog *prog, const char *name,
	const struct poly_work *w);
void poly_explain_block(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen);
void poly_explain_parts(struct poly_prog *prog, const char *name,
	const struct poly_work *w, int parts, int values);

#endif
