/* nvptx: what the files of SCAN share. */
#ifndef NVPTX_LOWER_SCAN_H
#define NVPTX_LOWER_SCAN_H

#include "polyir/ir/recurrence.h"
#include "nvptx/lower/lower.h"

/* A SCAN under way. Threads of a line are in "lanes" lanes of a warp, "step" apart, of
 * each of "rows" warps; "digits" lines go through points of one thread, which has
 * "turns" runs of "run" points on each.
 *
 * Everything follows from the kernel's threads and tile. Lanes of a line are
 * "step" apart where a warp has several rows of the block, one below the other.
 */
struct nvptx_scan {
	const struct poly_stmt *op, *stmt;
	const struct poly_kernel *kernel;
	struct poly_recurrence r;
	enum poly_type type;
	int axis, lanes, step, rows, digits, run, turns, parts;
	int64_t tiles, all_tiles;	/* of a chain, of all; 0: it has none */
	isl_set *guard, *first;	/* points of the member, and those that begin lines */
	LLVMValueRef room[2];	/* links of all points of the thread, put together */
	LLVMValueRef mine;	/* room for the link of a point */
};

/* A link: "v[0]" is the value, "v[1]" the factor, if there is one.
 *
 *	y -> v[1] * y + v[0]
 *
 * Without a factor v[1] is not used.
 */
struct nvptx_link {
	LLVMValueRef v[2];
};

/* lower_scan.c: the SCAN "op". */
struct nvptx_scan nvptx_scan_of(struct poly_prog *prog,
	const struct poly_kernel *k, const struct poly_stmt *op);

/* scan_link.c: the type of its values; the link that does nothing, and what "a" and then
 * "b" do; "a" where "cond" holds, elsewhere "b".
 */
LLVMTypeRef nvptx_scan_type(struct nvptx_ir *ir, const struct nvptx_scan *s);
struct nvptx_link nvptx_link_nothing(struct nvptx_lower *l,
	const struct nvptx_scan *s);
struct nvptx_link nvptx_link_joined(struct nvptx_lower *l,
	const struct nvptx_scan *s, struct nvptx_link a, struct nvptx_link b);
struct nvptx_link nvptx_link_chosen(struct nvptx_ir *ir, const struct nvptx_scan *s,
	LLVMValueRef cond, struct nvptx_link a, struct nvptx_link b);
/* The link of digit "d" across the lines and "i" along them, in registers. */
struct nvptx_link nvptx_link_load(struct nvptx_ir *ir, const struct nvptx_scan *s,
	int d, int i);
void nvptx_link_store(struct nvptx_ir *ir, const struct nvptx_scan *s, int d, int i,
	struct nvptx_link a);
/* What the lanes of a line have, "*all", together, and before this lane. What the lanes of
 * a warp have, "a" that of the lane "lane", in order.
 */
struct nvptx_link nvptx_link_before_lane(struct nvptx_lower *l,
	const struct nvptx_scan *s, struct nvptx_link *all);
struct nvptx_link nvptx_scan_lanes(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef lane, struct nvptx_link a);

/* lower_scan.c: places of a line in shared memory, one for each warp and turn. */
int nvptx_scan_places(const struct nvptx_scan *s);
/* What warps and turns in front of place "end" of line "d" have. */
struct nvptx_link nvptx_scan_before(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef base, int d, LLVMValueRef end);

/* scan_place.c: do whole warps, several of them, lie along each line? What "n" places of
 * each line take, and what the runs do that threads take from one another.
 */
bool nvptx_scan_has_warps(const struct nvptx_scan *s);
int64_t nvptx_scan_places_bytes(const struct nvptx_scan *s, int64_t n);
int64_t nvptx_scan_run_bytes(const struct nvptx_scan *s);
/* Put "a" into place "at" of the "n" of the thread's line "d", or take what is there; the
 * places of all lines begin at "base".
 */
void nvptx_link_put(struct nvptx_lower *l, const struct nvptx_scan *s, LLVMValueRef base,
	int n, int d, LLVMValueRef at, struct nvptx_link a);
struct nvptx_link nvptx_link_take(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, int n, int d, LLVMValueRef at);
/* Let each thread have, in "all", what runs that lie side by side do, each with those
 * before it, in place of its own, through the places "base"; let it have what comes before
 * its own runs in the place of that before those that it has taken.
 */
void nvptx_scan_take_runs(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, struct nvptx_link *all);
void nvptx_scan_give_runs(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, struct nvptx_link *before);

/* lower_relay.c: what comes before the tile of the block, whose warps have left what they
 * do in "places"; the shared memory that this takes, at "room".
 */
struct nvptx_link nvptx_scan_before_tile(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef places, LLVMValueRef room);
int64_t nvptx_scan_relay_bytes(const struct nvptx_scan *s);

#endif
