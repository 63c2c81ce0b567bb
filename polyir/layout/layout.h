/* Where the elements of a kernel's tiles lie, and what one access costs a warp. */
#ifndef POLYIR_LAYOUT_H
#define POLYIR_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"
#include "polyir/place/place.h"

struct poly_nest;
struct poly_str;

/* warp.c: what one access costs the first warp of a kernel, in its block (0,
 * 0). "size" has a value for each parameter of the program, which is mapped.
 * "*list" is the caller's to free, in the order of kernels and statements.
 */
struct poly_access {
	const struct poly_kernel *kernel;
	const struct poly_stmt *stmt;	/* the point statement */
	const struct poly_array *array;	/* in global or shared memory */
	__isl_keep isl_multi_pw_aff *index;	/* of a point statement, which has it */
	bool write;
	bool bulk;		/* done with the whole rows of a copy */
	int lanes;		/* of the warp that take part */
	int vector;		/* elements of one instruction: 1, 2, 4.., that price.c
				 * counts: 1 of global memory */
	int run;		/* elements of one instruction, where it may be so */
	int transactions;	/* global: sectors of 32 bytes; shared: passes */
	int least;		/* that as many elements, in such runs, can do with */
};
isl_stat poly_accesses(struct poly_prog *prog, const int64_t *size,
	struct poly_access **list, int *n);

/* spread.c: where the points [p0, p1] of block (0, 0) of "kernel" lie, a thread's
 * with register digits (r0, r1) in its register r0 * (tile[1] / thread[1]) + r1: as
 * a normal layout, and as the digits of struct poly_kernel.
 */
struct poly_layout *poly_kernel_layout(const struct poly_kernel *kernel);
struct poly_layout poly_kernel_digits(const struct poly_kernel *kernel);
/* The same while its products run: fragments, if it has a unit. */
struct poly_layout poly_product_digits(const struct poly_kernel *kernel);
/* Where the points of a box of "n" are, counted, if consecutive threads of "kernel"
 * have consecutive ones: a thread's e-th in register e.
 */
struct poly_layout poly_turn_digits(const struct poly_kernel *kernel, int n);
/* Where the elements of "array", in shared memory, lie; NULL if it is too large. */
struct poly_layout *poly_buffer_layout(const struct poly_array *array);
/* The same without a search for the normal form. */
struct poly_layout *poly_buffer_digits(const struct poly_array *array);
/* How far the point of register digit "r" lies behind that of digit 0 in
 * dimension "d" of the tile.
 */
int poly_digit_offset(const struct poly_kernel *kernel, int d, int r);
int poly_product_offset(const struct poly_kernel *kernel, int d, int r);

/* full.c: may the product "op", which is not full, run for all points of its tiles where
 * those operands are finite that "finite" then names?
 */
bool poly_runs_full_finite(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op,
	bool finite[POLY_MAX_OPERAND]);
/* full.c: tiles of the product "op" of "kernel" all of whose points its member
 * has, but for such as accumulate what nobody uses; all of these tiles, where it
 * takes no search for integers to tell which they are.
 */
__isl_give isl_set *poly_whole_tiles(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op);

/* stride.c: the higher, the better for memory if the lanes of a warp go along
 * dimension "dim" of "stmt", or along "member" of a band over "domain".
 */
int poly_dim_stride(struct poly_prog *prog, const struct poly_stmt *stmt,
	int dim);
/* The same of the accesses that are others in each turn of the loop over "turn". */
int poly_turn_stride(struct poly_prog *prog, const struct poly_stmt *stmt,
	int turn, int dim);
int poly_stride_score(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain);
/* "member" as a function of the instances of the statement with "domain". */
__isl_give isl_pw_aff *poly_member_at(__isl_keep isl_union_pw_aff *member,
	__isl_keep isl_set *domain);
/* The same of the member "i" of a band and the instances of "stmt". */
__isl_give isl_pw_aff *poly_band_member_at(
	__isl_keep isl_multi_union_pw_aff *partial, int i,
	const struct poly_stmt *stmt);
/* The dimension of "stmt" that "member" counts, -1 if there is none. */
int poly_counted_dim(__isl_keep isl_union_pw_aff *member,
	const struct poly_stmt *stmt);

/* The reads of "stmt" from left to right; returns their number, which may be
 * more than there is room for. Owned by "stmt".
 */
int poly_leaves(const struct poly_stmt *stmt,
	struct poly_expr *leaf[POLY_MAX_OPERAND]);
/* Which of p0, p1 and pk a read moves with: "at" is { [p0, p1, pk, ..] ->
 * S[..] }.
 */
enum { POLY_MOVES_0 = 1, POLY_MOVES_1 = 2, POLY_MOVES_K = 4 };
int poly_leaf_moves(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at);
/* Does the contiguous dimension of what "leaf" reads move with one of the "n"
 * coordinates from "first" on; with the steps?
 */
bool poly_leaf_goes_along(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at, int first, int n);
bool poly_leaf_has_steps(const struct poly_expr *leaf,
	__isl_keep isl_multi_aff *at);
/* Are the first "n" elements that "leaf" reads along one of these coordinates side by
 * side?
 */
bool poly_leaf_has_runs(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at, int n);
/* The dimensions along which "index" begins before its array at some of "points": those
 * of windows that are padded, each with a condition of its own for each copy.
 */
int poly_index_pads(__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *points);
/* Do the threads of a block share what "leaf" reads, an array in memory? */
bool poly_is_shared_leaf(const struct poly_expr *leaf, int moves);
/* Are "leaf", a read at "at", and "other", at "other_at", one element at each point? */
bool poly_is_same_read(const struct poly_expr *leaf, __isl_keep isl_multi_aff *at,
	const struct poly_expr *other, __isl_keep isl_multi_aff *other_at);
/* The read of "other" that is one element with "leaf", of "stmt", at each point; -1 if
 * there is none. Both have an "at".
 */
int poly_find_read(const struct poly_stmt *stmt, const struct poly_expr *leaf,
	const struct poly_stmt *other);
/* The first CONTRACT in the loop of "op", and the next one behind it, or NULL. */
const struct poly_stmt *poly_first_in_loop(const struct poly_stmt *op);
const struct poly_stmt *poly_next_in_loop(const struct poly_prog *prog,
	const struct poly_stmt *op);
/* "NAME[t0, t1, tk, e3, e4]" with the coordinates of the tile operation "op", and
 * "[p0, p1, pk, e3, e4]", those of its points.
 */
__isl_give isl_space *poly_tile_tuple(const struct poly_stmt *op,
	const char *name);
__isl_give isl_space *poly_point_of_tile(const struct poly_stmt *op);
/* "{ S[..] -> [p0, p1, z..] }", or to [p0, p1, pk, z.., u..]: the point at which
 * "op" has the instances of "member", whatever its domain; the first one of the line,
 * where "op" has each on one.
 */
__isl_give isl_map *poly_member_points(const struct poly_stmt *op,
	const struct poly_stmt *member);
/* small.c: do 32 bits hold all that is computed for the indices and conditions of
 * "stmt" at coordinates for which they hold these? No divisions, small multiples.
 */
bool poly_is_small(struct poly_prog *prog, const struct poly_stmt *stmt);
/* The same at all coordinates of tiles that have nothing behind them but, along dimension
 * "along", -1: nowhere, what makes these whole.
 */
bool poly_is_small_in_tiles(struct poly_prog *prog, const struct poly_stmt *stmt, int along);
/* The same, floors included, at the coordinates in "set", all that there are. */
bool poly_is_small_on(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_take isl_set *set);
/* Do 32 bits hold each coordinate of "stmt" by itself, and what a tile has behind it? False
 * where sizes that are not known bound one, and where "stmt" divides.
 */
bool poly_has_small_places(struct poly_prog *prog, const struct poly_stmt *stmt);
/* line.c: the axes of the lines on which the operations, "n" in "op", stand that write
 * "array"; 0: each at its own point.
 */
unsigned poly_lines_of(struct poly_stmt *const *op, int n,
	const struct poly_array *array);
/* "{ [p0, p1, z..] -> [p0, 0, z..] }": the line of a point along "along". */
__isl_give isl_map *poly_line_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, unsigned along);
/* The pairs of instances on one line of which the first writes a register that all
 * threads of the line hold: "op" are the operations of "kernel".
 */
__isl_give isl_union_map *poly_line_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel, struct poly_stmt *const *op, int n);
/* How many coordinates z.. the tile operations of "kernel" have: the host's
 * loops around it and its batch digits.
 */
int poly_kernel_n_outer(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* A map from [p0, p1, z..], or from [p0, p1, pk, z.., u..] without pk and u. */
__isl_give isl_map *poly_own_points(__isl_take isl_map *map, int n_outer);
/* "{ [p0, p1, z..] -> OP[t0, t1, z..] }" or "{ [p0, p1, pk, z.., u..] -> OP[t0,
 * t1, tk, z.., u..] }": which tile a point of the kernel belongs to.
 */
__isl_give isl_map *poly_tile_map(struct poly_prog *prog,
	const struct poly_kernel *kernel, const struct poly_stmt *op);

/* axes.c: the two of the "n" loops "member" of a band over "domain" that tiles
 * of its reductions are best cut along, into "axis", the lane direction second;
 * false if tiles would share nothing that is read.
 */
bool poly_choose_axes(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	isl_union_pw_aff **member, const bool *coincident, int n, int axis[2]);
/* Which of the "n" loops "member" become points: those for tiles, else the lane
 * direction second, and in the first place another parallel one, or -1. True if
 * they are for tiles.
 */
bool poly_choose_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, isl_union_pw_aff **member,
	const bool *coincident, int n, int point[2]);
/* The same for the dimensions of the reduction "stmt" that are "parallel". */
bool poly_stmt_axes(struct poly_prog *prog, const struct poly_stmt *stmt,
	const bool *parallel, int axis[2]);

/* "{ [p0, p1, z..] -> element }": where all accesses to "array" of the "n"
 * statements "list" are, if they are at one element of their own point, which
 * is that of no other point; with "n_fixed", of no other one that has the same
 * first n_fixed of the z. NULL if not, or if there are none.
 */
__isl_give isl_map *poly_own_view(const struct poly_array *array,
	struct poly_stmt **list, int n, int n_outer, int n_fixed);
/* Does "stmt" read or write "array"? Does it read it, or update it? */
bool poly_touches(struct poly_stmt *stmt, const struct poly_array *array);
bool poly_reads_cell(struct poly_stmt *stmt, const struct poly_array *array);

/* runs.c: blocks and tiles of the kernel of "nest", which has no product. True
 * if that gains something: threads have several points, which lie in runs or
 * are many in one launch.
 */
bool poly_choose_runs(struct poly_nest *nest);

/* crossed.c: does "leaf" of "stmt", which has an "at", lie along axis 0, where lanes go
 * along axis 1? Then a kernel of points may load it by rows and keep it in shared memory.
 * The reads that "group" of "k" has so, each with the number of its member, into "list";
 * their number. The elements from one row to the next and the bytes that one takes.
 */
struct poly_crossed {
	int member;
	const struct poly_expr *read;
};
bool poly_is_crossed(struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_expr *leaf);
int poly_crossed_reads(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *group, struct poly_crossed list[POLY_MAX_OPERAND]);
int poly_crossed_row(const struct poly_kernel *k, const struct poly_expr *read);
int64_t poly_crossed_bytes(const struct poly_kernel *k, const struct poly_expr *read);

/* phase.c: "member" of the instances "domain", which is taken, or a constant more:
 * what makes most of the accesses along it begin runs at its multiples.
 */
__isl_give isl_union_pw_aff *poly_in_phase(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_take isl_union_pw_aff *member);
/* How many elements side by side all reads of "stmt" that move with dimension
 * "dim" can take at once.
 */
int poly_run_of(struct poly_prog *prog, const struct poly_stmt *stmt, int dim);
/* How many cells side by side along "member" a thread takes at once where the
 * statements of "domain" add the parts of sums up, as many as a launch wants: what
 * all they read and write can; else 1.
 */
int poly_run_of_cells(struct poly_prog *prog,
	__isl_keep isl_union_pw_aff *member, __isl_keep isl_union_set *domain);

/* on_unit.c: the instruction "unit" of matrix units: C[m, n] += A[m, k] * B[k, n] of
 * types "element" with the extents "size", m, n and k, and fragments with the names "fragment", of A, B
 * and C.
 */
struct poly_unit_row {
	const char *name;
	int cc;
	bool own;
	int rate;
	enum poly_type element[2], sum;
	int size[3];
	const char *fragment[3];
};
const struct poly_unit_row *poly_unit(enum poly_unit unit);
/* Do warpgroups run it, which go on meanwhile, from swizzled buffers? */
bool poly_unit_is_async(enum poly_unit unit);
/* Has a lane two columns of each fragment of B, as bytes lie side by side? Points side by
 * side that a thread has of its sums.
 */
bool poly_unit_pairs(enum poly_unit unit);
int poly_unit_run(enum poly_unit unit);
/* By how many elements rows of the buffers of "unit" are padded, so that no two lanes of
 * a fragment find theirs in one bank.
 */
int poly_unit_pad(enum poly_unit unit);
/* Do warps of sm_90 convert its elements to f16, in registers of their own? */
bool poly_unit_widens(enum poly_unit unit);
/* Elements of "type" in a swizzled row, which has 128 bytes. */
int poly_swizzled_column(enum poly_type type);
/* Threads of a warpgroup. */
enum { POLY_GROUP_THREADS = 128 };
/* What matrix units can do "stmt", an update, with "at" { [p0, p1, pk, ..] -> S[..] }?
 * It adds products of two reads of the unit's type, one that moves with [p0, pk] and
 * one with [p1, pk].
 */
bool poly_unit_does(enum poly_unit unit, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at);
/* What is in the way of all "units", a set of bits, and where sums are added in any order
 * or as "fp" says: what the one lacks that comes closest. Each of these comes closer than
 * those in front of it; and in words.
 */
enum poly_unit_lack { POLY_LACKS_UNIT, POLY_LACKS_PRODUCT, POLY_LACKS_AXES,
	POLY_LACKS_TYPE, POLY_LACKS_ROWS, POLY_LACKS_ORDER, POLY_LACKS_NOTHING };
enum poly_unit_lack poly_unit_lacks(unsigned units, enum poly_fp fp,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at);
const char *poly_unit_lack_text(enum poly_unit_lack lack);
/* May sums of "fp" be added as "unit" does? */
bool poly_unit_may_add(enum poly_fp fp, enum poly_unit unit);
/* A fragment of C as the unit of "kernel" has it: box [m, n]; NULL: it has no unit. */
struct poly_layout *poly_unit_sums(const struct poly_kernel *kernel);
/* How many threads hold one of these; how many registers of a thread along axis "d"
 * are of one.
 */
int poly_unit_threads(const struct poly_kernel *kernel);
int poly_unit_digits(const struct poly_kernel *kernel, int d);
/* How many threads along axis 1 hold one; 1: the kernel has no unit. */
int poly_unit_columns(const struct poly_kernel *kernel);
/* Do the threads of "kernel" hold other points in products than elsewhere? Then the
 * registers of "vec[1]" points lie along axis 1 in as many threads as fragments have,
 * and the other way round.
 */
bool poly_unit_turns(const struct poly_kernel *kernel);
/* Do the threads of "kernel" hold whole fragments of its unit? Groups of them
 * lie below one another, and, of warps, columns of these side by side.
 */
bool poly_unit_fits(const struct poly_kernel *kernel);

/* full.c: may the product "op" run for all points of its tiles, because those
 * that its member lacks add nothing to what is used?
 */
bool poly_runs_full(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_stmt *op);

/* Make "member" a member of the tile operation "stmt"; "to_tile" maps its
 * instances to those of "stmt".
 */
void poly_tile_add_member(struct poly_stmt *stmt, struct poly_stmt *member,
	__isl_take isl_map *to_tile);

/* "{ OP[t0, t1, tk] -> BUFFER[slot] }": the slots of "buffer" that the COPY or
 * CONTRACT "op" touches through its member's "index"; "BUFFER[]" if it has
 * but one.
 */
__isl_give isl_map *poly_buffer_slots(const struct poly_stmt *op,
	const struct poly_array *buffer, __isl_keep isl_multi_pw_aff *index);
/* The first copy, or group, that fills "buffer", or NULL; is "stmt" one? Its member
 * that writes elements of an array there, or NULL.
 */
struct poly_stmt *poly_buffer_copy(struct poly_prog *prog,
	const struct poly_array *buffer);
bool poly_fills_buffer(const struct poly_stmt *stmt,
	const struct poly_array *buffer);
struct poly_stmt *poly_buffer_element(const struct poly_stmt *stmt,
	const struct poly_array *buffer);
/* The tiles of "op" that the instances of its member with access "index" are in. */
__isl_give isl_map *poly_member_tile(const struct poly_stmt *op,
	__isl_keep isl_multi_pw_aff *index);
/* Of the "buffer" that "group" fills: does it hold zeros where it holds no elements?
 * Do these stay there, whatever else the group writes?
 */
bool poly_is_zero_around(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer);
bool poly_is_kept(struct poly_prog *prog, const struct poly_stmt *group,
	const struct poly_array *buffer);
/* The pairs of a write and a read of the same element that "kernel" makes only
 * through buffers that groups fill: what the threads of the block hand on.
 */
__isl_give isl_union_map *poly_handed_pairs(struct poly_prog *prog,
	const struct poly_kernel *kernel);

/* turns.c: may blocks of the kernel take one tile after another? How many steps of tiles
 * a copy in bulk has; how many tiles the kernel has, 0 if that is not known.
 */
bool poly_may_take_turns(struct poly_prog *prog, const struct poly_kernel *k);
/* Steps of tiles from which on a warp starts copies of small tiles: as many as were timed. */
enum { POLY_FED_STEPS = 32 };
__isl_give isl_pw_aff *poly_copy_length(struct poly_prog *prog,
	const struct poly_stmt *copy);
int64_t poly_copy_steps(struct poly_prog *prog, const struct poly_stmt *copy);
int64_t poly_kernel_count(struct poly_prog *prog, const struct poly_kernel *k);
/* turns.c: of how many blocks each copies a part for all, 1 if it copies for itself. */
int poly_copy_parts(const struct poly_kernel *k, const struct poly_stmt *copy);

/* window.c: do the windows that the product "stmt", with "at" { [p0, p1, pk, ..] ->
 * S[..] }, reads of an array slide along its parallel loops, where "k" is the dimension of its
 * steps? Those of "leaf" along the "n" coordinates "x" of its points, among which pk is that of
 * the steps?
 */
enum { POLY_MOST_BOX_STEP = 8 };
bool poly_windows_slide(struct poly_prog *prog, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at, int k);
bool poly_leaf_slides(struct poly_prog *prog, const struct poly_stmt *stmt,
	const struct poly_expr *leaf, const int *x, int n);

/* bulk.c: can "copy" move whole rows or, into a swizzled buffer, boxes? Does each block
 * fill the tiles 0, 1, 2, .. of "copy", and each of them once?
 *
 * Boxes have rows along the dimension "across" of the array; those from "line" on are one with
 * it. Boxes that "slide" walk over its pixels, one a row: along each dimension "d" between
 * the first and the last one "count[d]" of them, "step[d]" apart, from "low[d]" + 0 to
 * "reach[d]" on, which "begin[d]" tells of each element; after them comes the next one
 * of the dimension before.
 */
enum { POLY_MOST_BOX_ROWS = 256, POLY_MOST_BOX_DIM = 5 };
struct poly_boxes {
	int line, across;
	bool slide;
	int low[POLY_MOST_BOX_DIM], reach[POLY_MOST_BOX_DIM];
	int step[POLY_MOST_BOX_DIM], count[POLY_MOST_BOX_DIM];
	isl_pw_aff *begin[POLY_MOST_BOX_DIM];
};
bool poly_moves_in_bulk(struct poly_prog *prog, const struct poly_stmt *copy);
/* Is "s" a copy in bulk whose boxes go into a swizzled buffer? */
bool poly_copies_boxes(const struct poly_stmt *s);
/* False if "copy" moves none. */
bool poly_boxes_of(struct poly_prog *prog, const struct poly_stmt *copy,
	struct poly_boxes *boxes);
void poly_boxes_free(struct poly_boxes *boxes);
/* window.c: do boxes with the elements "box", [.., row, column], that are at "index" in "from",
 * slide?
 */
bool poly_boxes_slide(struct poly_prog *prog, const struct poly_array *from,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box,
	struct poly_boxes *boxes);
/* Is each array whose boxes "prog" copies one of "like", with as many dimensions? What
 * tells the GPU of boxes has the dimensions that the caller's array is known by.
 */
bool poly_boxes_are_of(struct poly_prog *prog, struct poly_prog *like);
bool poly_fills_in_turn(struct poly_prog *prog, const struct poly_stmt *copy);

/* term.c: what each term of a REDUCE of "s" is, a part of what "s" adds, and by which
 * operator terms are put together; what is left of the expression around "e" is done once, to
 * what they make.
 */
struct poly_term {
	const struct poly_expr *e;
	enum poly_op op;
};
struct poly_term poly_term_of(struct poly_prog *prog, struct poly_stmt *s);

#endif
