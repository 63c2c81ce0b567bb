/* Blocks and parts: given by a configuration, searched, chosen; versions by size. */
#ifndef POLYIR_TUNE_H
#define POLYIR_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/set.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"

struct poly_nest;
struct poly_report;
struct poly_work;

/* config.c: blocks and parts in place of those that are chosen, as text (see
 * there and README.md); NULL, reported, if it cannot be read. Passes note in it
 * what they use.
 */
struct poly_config *poly_config_read(isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report);
struct poly_config *poly_config_free(struct poly_config *c);
/* One that says nothing, NULL without memory; add what "text", such a text, says to
 * "c". False, reported, if that cannot be read, which may leave a part of it in "c".
 */
struct poly_config *poly_config_alloc(void);
bool poly_config_add(struct poly_config *c, isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report);

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
	bool chained;	/* two kernels that became one have the block */
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
 * "multiprocessors", and "n" at once take "cycles[n]" for a tile, "few[n]" if there are
 * fewer tiles of steps than "slots"; the first round of blocks takes "fill" cycles beside
 * its steps, each other one "again", and each block of a multiprocessor but the first
 * "block". "bytes" are those of a point of the result and
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
	int axis, tile[2], tile_k, slots, sum, multiprocessors, resident, percent;
	int64_t cycles[POLY_MAX_RESIDENT + 1], few[POLY_MAX_RESIDENT + 1];
	int64_t fill, again, block, more, most_bytes;
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
/* Are not all sizes of "prog" fixed; has it, when it is compiled, products in tiles? */
bool poly_has_open_sizes(const struct poly_prog *prog);
bool poly_has_products(const struct poly_prog *prog);
/* The sizes for which all rows of the arrays that the caller passes are a multiple
 * of POLY_RUN_BYTES long; NULL if all sizes are such, or none.
 */
__isl_give isl_set *poly_aligned_sizes(struct poly_prog *prog);
/* The sizes for which no reduction of "prog", which is not compiled yet, goes over more
 * than "most" values along a loop; NULL if all sizes are such, or none.
 */
__isl_give isl_set *poly_short_sizes(struct poly_prog *prog, int most);
/* Let "prog", which is not compiled yet, be for sizes of "sizes" only. */
void poly_assume_sizes(struct poly_prog *prog, __isl_take isl_set *sizes);
/* The same, but domains stay as they are: those of rows are to be alike for all sizes. */
void poly_assume_context(struct poly_prog *prog, __isl_take isl_set *sizes);

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
void poly_choice_note(const struct poly_nest *nest, const struct poly_work *w,
	const struct poly_block *b);

/* search.c: note, if prog->search is set, the blocks that the kernel "name" could
 * have and the one that it has; the parts that the sum into "array" could be in,
 * and the number that it is in. "chained": two kernels that become one have that block.
 */
void poly_search_note_blocks(struct poly_prog *prog, const char *name,
	const struct poly_work *w, const struct poly_block *chosen, bool chained);
void poly_search_note_parts(struct poly_prog *prog, const char *array,
	const struct poly_work *w, int parts);

/* config.c: what the program's configuration says: the block of the kernel with
 * a product, false if nothing, or nothing for this target, which lacks the unit; into how many parts the sum of a product into
 * "array" is divided, 0 if nothing; whether copies are in bulk, BEST if nothing. The configuration of one product, NULL without
 * memory. Refuse what it says about "name"; or if it says something about the
 * program that nobody asked for. Why "b" cannot be the block for "w", or NULL.
 */
enum poly_copies { POLY_COPIES_BEST, POLY_COPIES_ASYNC, POLY_COPIES_BULK };
bool poly_config_block(const struct poly_prog *prog, const char *kernel,
	struct poly_block *block);
int poly_config_parts(const struct poly_prog *prog, const char *array);
enum poly_copies poly_config_copies(const struct poly_prog *prog);
isl_stat poly_config_refuse(struct poly_prog *prog, const char *name,
	const char *why);
isl_stat poly_config_check(struct poly_prog *prog);
struct poly_config *poly_config_make(const struct poly_block *block);
const char *poly_block_fault(const struct poly_block *b,
	const struct poly_work *w);

#endif
