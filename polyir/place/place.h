/* Where the coordinates of a tile lie: in which thread, register or byte. One
 * record for every space, and what is computed from it.
 *
 * A tile is a box of coordinates x, 0 <= x < extent. A layout says which x a place
 * holds:
 *
 *	x     = origin + sum of digit * step
 *	place = base + sum of digit * weight,	0 <= digit < radix
 *
 * and the byte is swizzled. A place whose x is outside the box holds nothing. A
 * step of 0 replicates. Example, the accumulators of mma.m16n8k8:
 *
 *	box [16, 8] lane 8*4 [1, 0] lane 4 [0, 2] reg 2*2 [8, 0] reg 2 [0, 1]
 *
 * Functions take a layout as const and give a new one, which the caller frees.
 * They give NULL for NULL, without memory, and where what is asked for is no
 * layout. What they give is normal: layouts that hold the same are the same
 * record, with the same text, but for digits that reach a place twice or that the
 * box cuts unevenly.
 */
#ifndef POLYIR_PLACE_H
#define POLYIR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/ctx.h>
#include <isl/map.h>

#include "polyir/base/gpu.h"

struct poly_str;

enum { POLY_LAYOUT_DIM = 8, POLY_LAYOUT_DIGIT = 24,
	POLY_SWIZZLE_BIT = 16, POLY_LAYOUT_PLACES = 1 << 20 };

enum poly_place {
#define PLACE(id, name, coordinate, unit) POLY_PLACE_##id,
#include "polyir/place/place.def"
#undef PLACE
	POLY_N_PLACE
};
/* The coordinates of a place, from the outermost to the innermost. */
enum { POLY_AT_CLUSTER, POLY_AT_THREAD, POLY_AT_REG, POLY_AT_BYTE, POLY_N_AT };

struct poly_digit {
	enum poly_place place;
	int radix, weight;
	int step[POLY_LAYOUT_DIM];
};

/* "swizzle[i]" has the bits of the address whose sum modulo 2 is bit i of the byte;
 * the matrix has an inverse. Unused entries of arrays are 0.
 */
struct poly_layout {
	int n_dim;
	int extent[POLY_LAYOUT_DIM];
	int origin[POLY_LAYOUT_DIM];
	int base[POLY_N_AT];
	int n_digit;
	struct poly_digit digit[POLY_LAYOUT_DIGIT];
	uint32_t swizzle[POLY_SWIZZLE_BIT];
};

/* A place and the x that it holds. */
struct poly_held {
	int at[POLY_N_AT];
	int x[POLY_LAYOUT_DIM];
};
/* The order of two of these by place, for qsort. */
int poly_held_compare(const void *a, const void *b);

const char *poly_place_name(enum poly_place place);
int poly_place_coordinate(enum poly_place place);
int poly_place_unit(enum poly_place place);

/* layout.c: a layout under construction, to be freed or by value: it has no digit
 * yet, and the place 0
 * holds x = 0. Add a digit, with a step along one dimension, or along none if "dim"
 * is -1. Where a digit is too many, poly_layout_normal gives NULL.
 */
struct poly_layout *poly_layout_alloc(int n_dim, const int *extent);
struct poly_layout poly_layout_begin(int n_dim, const int *extent);
void poly_layout_add(struct poly_layout *l, enum poly_place place, int radix,
	int weight, const int *step);
void poly_layout_add_along(struct poly_layout *l, enum poly_place place,
	int radix, int weight, int dim, int step);
/* XOR bit "from" of the address to bit "to" of the byte. */
void poly_layout_add_swizzle(struct poly_layout *l, int to, int from);
struct poly_layout *poly_layout_copy(const struct poly_layout *l);
struct poly_layout *poly_layout_free(struct poly_layout *l);
/* Have "a" and "b" one box, and hold the same? */
bool poly_layout_is_equal(const struct poly_layout *a,
	const struct poly_layout *b);

/* normal.c: the normal form of "l", which is taken: the digits with the least
 * radices and of the greatest runs. NULL if a place would hold two x.
 */
struct poly_layout *poly_layout_normal(struct poly_layout *l);

/* list.c: the place before it is swizzled, and the x, inside the box or not, of
 * digits "value". The next values, the last digit fastest; false behind the last
 * ones.
 */
void poly_layout_held(const struct poly_layout *l, const int *value,
	struct poly_held *h);
bool poly_layout_next(const struct poly_layout *l, int *value);
/* The byte of the element "x" of "l", a layout of memory whose digits have one step
 * each, along one dimension.
 */
int64_t poly_layout_byte(const struct poly_layout *l, const int *x);
/* The byte at "address". All places that hold something, in their order,
 * with what they hold; free the list. NULL if there are more than
 * POLY_LAYOUT_PLACES, or if one would hold two x.
 */
int poly_layout_swizzled(const struct poly_layout *l, int address);
struct poly_held *poly_layout_list(const struct poly_layout *l, int *n);
/* Points of the box; the number of the point "x", with the last dimension inside;
 * -1 outside.
 */
int64_t poly_layout_volume(const struct poly_layout *l);
int64_t poly_layout_point(const struct poly_layout *l, const int *x);
/* For each point of the box, which entry of the list, of "n", is its least place;
 * -1: none. Free it.
 */
int *poly_layout_owners(const struct poly_layout *l,
	const struct poly_held *list, int n);

/* seek.c: what the place "at" holds; false if nothing, or if there is no such place.
 * The digits of each coordinate are in the order of a normal layout, greater weights
 * first.
 */
bool poly_layout_at(const struct poly_layout *l, const int *at, int *x);

/* spell.c: the text of "l", and back; "wrong" receives where a text that is none
 * goes wrong.
 *
 * layout	= "box" ints ["from" ints] {"base" PLACE INT} {digit} [swizzle]
 * digit	= PLACE RADIX ["*" WEIGHT] ints
 * swizzle	= "swizzle" row {row}		row = BIT "=" BIT {"^" BIT}
 * ints		= "[" [INT {"," INT}] "]"
 */
void poly_layout_print(const struct poly_layout *l, struct poly_str *out);
struct poly_layout *poly_layout_parse(const char *text, const char **wrong);

/* relation.c: what the record means, for tests: "{ [digit..] -> [cluster, thread,
 * reg, byte, x..] }", whose range pairs places with x.
 */
__isl_give isl_map *poly_layout_relation(isl_ctx *ctx,
	const struct poly_layout *l);

/* algebra.c: the places of "b" count whole spans of those of "a"; the dimensions of
 * "b" are behind those of "a". Of two swizzles there is none.
 */
struct poly_layout *poly_layout_product(const struct poly_layout *a,
	const struct poly_layout *b);
/* The "count" coordinates of "dim" from "first" on, which become 0 and on. */
struct poly_layout *poly_layout_restrict(const struct poly_layout *l, int dim,
	int first, int count);
/* Without dimension "dim": its digits have no step any more. With another one in
 * front of "dim", of extent 1.
 */
struct poly_layout *poly_layout_drop(const struct poly_layout *l, int dim);
struct poly_layout *poly_layout_insert(const struct poly_layout *l, int dim);
/* Each place holds y = matrix * x + constant instead of x, the rows of the matrix
 * one behind the other. NULL if the digits reach a y in the new box at which the
 * old box has no x.
 */
struct poly_layout *poly_layout_apply(const struct poly_layout *l,
	int n_dim, const int *extent, const int *matrix, const int *constant);
/* x / inner and x mod inner in the place of the coordinate "dim"; NULL if the
 * borders of digits do not divide these.
 */
struct poly_layout *poly_layout_divide(const struct poly_layout *l, int dim,
	int inner);
/* Make two digits of one of "l", which is not normal then: the inner one, which
 * stays where it is, with the radix "inner". False if that does not divide it.
 */
bool poly_layout_refine(struct poly_layout *l, int digit, int inner);
/* The byte that is the number of x in the box holds the four coordinates of the
 * place of x; NULL if x has several places, or if they are no digits.
 */
struct poly_layout *poly_layout_inverse(const struct poly_layout *l);

/* convert.c: what it takes to go from one layout of registers to another one of the
 * same box, the dearest of what its registers take.
 *
 * XOR, SHUFFLE: between lanes that differ by a mask, or any lanes, of a warp.
 * SHARED, CLUSTER: through shared memory of the block, or of blocks of the cluster.
 * LACKS: there is an x that the first one has nowhere.
 */
enum poly_convert { POLY_CONVERT_NOTHING, POLY_CONVERT_RENAME,
	POLY_CONVERT_XOR, POLY_CONVERT_SHUFFLE, POLY_CONVERT_SHARED,
	POLY_CONVERT_CLUSTER, POLY_CONVERT_LACKS };
const char *poly_convert_name(enum poly_convert how);
/* What register and byte "to" holds comes from "from" of the lane that differs by
 * "mask"; -1: of some lane, and of some register if "to" has several moves.
 */
struct poly_move {
	int to[2], from[2];
	int mask;
};
struct poly_conversion {
	enum poly_convert how;
	bool packs;		/* elements change their place in registers */
	int n_shuffle;		/* registers that go through shuffles */
	struct poly_move *move;	/* up to SHUFFLE; to be freed */
	int n_move;
};
/* False without memory. */
bool poly_layout_convert(const struct poly_layout *from,
	const struct poly_layout *to, struct poly_conversion *c);

/* fragment.c: the fragment "name" of a matrix instruction, NULL if there is none;
 * the name of number "i", NULL behind the last. Accumulators of wgmma.m64nN with
 * "size" bytes each. What TMA writes to shared memory: rows of 32, 64 or 128
 * "bytes", of elements of "size", swizzled by as many.
 */
const char *poly_fragment_name(int i);
struct poly_layout *poly_fragment(const char *name);
struct poly_layout *poly_fragment_wgmma(int n, int size);
/* The same in the digits that the hardware has, without a search for the normal form:
 * for compilers, which ask often.
 */
struct poly_layout *poly_fragment_wgmma_digits(int n, int size);
struct poly_layout *poly_layout_swizzled_rows(int rows, int bytes, int size);

/* ask.c: questions, computed from the list; -1 or false where there is none.
 *
 * How many values of a coordinate of places are in use: POLY_AT_REG gives the
 * registers of a thread. One more than the greatest of them.
 */
int poly_layout_count(const struct poly_layout *l, int at);
int poly_layout_span(const struct poly_layout *l, int at);
/* The least place that holds "x"; false if none does. */
bool poly_layout_owner(const struct poly_layout *l, const int *x,
	struct poly_held *owner);
/* How many places hold one x, at most. Is that 1 at most? Has every x of the box a
 * place?
 */
int poly_layout_replication(const struct poly_layout *l);
bool poly_layout_is_injective(const struct poly_layout *l);
bool poly_layout_covers(const struct poly_layout *l);
/* The greatest number into whose multiples the elements of every thread divide that
 * lie side by side along "dim": a vector that divides it loses no lane.
 */
int poly_layout_run(const struct poly_layout *l, int dim);

/* traffic.c: what an access of the lanes of a warp costs.
 *
 * transactions: sectors of 32 bytes of global memory; passes over the 32 banks of
 * shared memory, in which accesses of 8 or 16 bytes take one for each half or
 * quarter of the warp. least: what as many elements side by side need.
 */
struct poly_traffic {
	int lanes;
	int transactions;
	int least;
};
/* The "n" lanes access "size" bytes each, from "byte" on. */
struct poly_traffic poly_traffic_global(const int64_t *byte, int n, int size);
struct poly_traffic poly_traffic_shared(const int64_t *byte, int n, int size);
/* Where in memory x is; -1: there is no such element, nobody accesses it. */
struct poly_memory {
	int64_t (*byte)(const int *x, void *user);
	void *user;
	bool shared;
	int size;		/* bytes of an element */
	int vector;		/* elements of one instruction */
};
/* What all instructions together cost by which "l" moves its tile to or from
 * memory; false if they cannot have vectors that wide.
 */
bool poly_layout_traffic(const struct poly_layout *l,
	const struct poly_memory *memory, struct poly_traffic *traffic);
/* The same for global memory with "stride[d]" bytes between neighbours along
 * dimension d, and between "l" and the layout "shared" of the same box.
 */
bool poly_layout_sectors(const struct poly_layout *l, int64_t first,
	const int64_t *stride, int size, int vector,
	struct poly_traffic *traffic);
bool poly_layout_passes(const struct poly_layout *l,
	const struct poly_layout *shared, int size, int vector,
	struct poly_traffic *traffic);

/* reduce.c: how a dimension is reduced, step after step.
 *
 * REGISTERS: a thread puts together its registers r, r + weight, .. of "radix"
 *	each.
 * XOR: each lane puts together its own and that of the lane whose number differs in
 *	the bits of "weight"; the lower of the two is in front if "weight * step"
 *	is positive. Lanes without an element have the identity.
 * LANES: the lanes l, l + weight, .. of "radix" each, which no masks reach.
 * SHARED, CLUSTER: "radix" threads, of several warps, or blocks, at distance
 *	"weight", through shared memory.
 */
enum poly_combine { POLY_COMBINE_REGISTERS, POLY_COMBINE_XOR,
	POLY_COMBINE_LANES, POLY_COMBINE_SHARED, POLY_COMBINE_CLUSTER };
const char *poly_combine_name(enum poly_combine how);
struct poly_reduce_step {
	enum poly_combine how;
	int radix, weight;
	int step;		/* along the dimension */
};
struct poly_reduction {
	struct poly_layout *result;	/* without the dimension */
	int n_step;
	struct poly_reduce_step step[2 * POLY_LAYOUT_DIGIT];
};
/* How the tile with layout "l" is reduced along "dim": by operators that commute in
 * the order registers, lanes, warps, blocks; others in the order of the steps, so
 * that what is put together is always a run of x. False where it is not that
 * simple: the same x stands in several places that are put together, or the steps
 * have no such order. Free "result".
 */
bool poly_layout_reduce(const struct poly_layout *l, int dim, bool commutes,
	struct poly_reduction *r);

#endif
