/* Values of a kernel that is being lowered: affine functions, elements of arrays,
 * expressions, what threads put together.
 */
#ifndef NVPTX_VALUE_H
#define NVPTX_VALUE_H

#include "nvptx/value/state.h"

/* ---------------------------------------------------------- lower_across.c */

/* What the values "v" of the threads that run "s" together are
 * when put together; begins the branch of the threads that have it, the first
 * ones. nvptx_across_bytes is the shared memory that this takes.
 */
LLVMValueRef nvptx_across(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v, struct nvptx_branch *branch);
int64_t nvptx_across_bytes(const struct poly_kernel *k,
	const struct poly_stmt *s);
/* What the thread "with" lanes off has in the place of "v"; "mask" are the lanes that
 * come here.
 */
LLVMValueRef nvptx_exchange(struct nvptx_ir *ir, LLVMValueRef mask,
	LLVMValueRef v, int with);
/* What lane "lane" of a warp, all of whose lanes come here, has in the place of "v"; what all
 * have in the place of "v", of 32 bits, in memory of the host device.
 */
LLVMValueRef nvptx_from_lane(struct nvptx_ir *ir, LLVMValueRef v, LLVMValueRef lane);
LLVMValueRef nvptx_all_lanes(struct nvptx_ir *ir, LLVMValueRef v);
/* The bytes that places of "bytes" take in shared memory, so that what comes behind is
 * aligned, whatever it is: to the bytes of a place; where those that come next begin.
 */
enum { NVPTX_PLACE = 8 };
int64_t nvptx_places_bytes(int64_t bytes);
LLVMValueRef nvptx_take_places(struct nvptx_lower *l, int64_t bytes);
/* Let the threads of columns that a block lacks do again what those of its first
 * or last column do, so that all of them come to where they wait for one another.
 */
void nvptx_across_columns(struct nvptx_lower *l);

/* --------------------------------------------------------- lower_address.c */

/* Is such a loop under way that updates cells of memory? */
bool nvptx_adds_cells(const struct nvptx_lower *l);
/* True if tiles have an instance of the statement that "index" is a function of
 * at which 32 bits do not hold the element of "a" in a dimension.
 */
bool nvptx_index_is_long(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index);
/* How many elements an access to "a" moves on in memory from one value of input
 * "dim" of "index" to the next, both in "box"; false if that is no constant.
 */
bool nvptx_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride);
/* The same to the value that is "by" greater. */
bool nvptx_stride_by(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim, int by,
	int64_t *stride);
/* The same of nvptx_stride if rows may have any length: "*stride" elements and "*more", an i64,
 * which is NULL if all is constant. False if what is moved on in some dimension
 * of "a" is no constant.
 */
bool nvptx_long_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride, LLVMValueRef *more);
/* Make room for a register array at the function's entry. */
LLVMValueRef nvptx_registers(struct nvptx_lower *l,
	const struct poly_array *a);
/* Elements (bytes) of a shared array with its padding; its extent in
 * dimension "dim" as a constant.
 */
int64_t nvptx_extent(const struct poly_array *a, int dim);
/* Extent "dim" if all sizes give it the same value, else -1. */
int64_t nvptx_fixed_extent(struct nvptx_lower *l, const struct poly_array *a,
	int dim);
/* The same of how far elements lie apart along dimension "dim" - 1: -1 if sizes of
 * the array say it.
 */
int64_t nvptx_fixed_step(struct nvptx_lower *l, const struct poly_array *a, int dim);
/* Take what is constant out of the sum "v" and add it to "*offset". */
LLVMValueRef nvptx_take_constant(LLVMValueRef v, int64_t *offset);
int64_t nvptx_shared_size(const struct poly_array *a);
/* Has "a" at most "most" elements, however large the sizes are that have no value yet? So
 * with all arrays that are not global; with none that has strides.
 */
bool nvptx_has_at_most(struct nvptx_lower *l, const struct poly_array *a, int64_t most);
/* Is "a" an argument that begins at the only index of its first dimension which the kernel
 * accesses? An element's number does not count that index then.
 */
bool nvptx_is_part(const struct nvptx_lower *l, const struct poly_array *a);
/* The address of the element "index" of "a", in global or shared
 * memory, or, in force, in registers, from that of the array; the elements of
 * dimensions "i" and behind it, as a "type".
 */
LLVMValueRef nvptx_element_address(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, const LLVMValueRef *index);
LLVMValueRef nvptx_register_address(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef base);
LLVMValueRef nvptx_row_length(struct nvptx_lower *l, const struct poly_array *a,
	int i, LLVMTypeRef type);

/* ------------------------------------------------------------- lower_aff.c */

void nvptx_bind(struct nvptx_lower *l, const char *name, LLVMValueRef value);
/* Forget what was bound since names->n was "n_var". */
void nvptx_unbind(struct nvptx_names *names, int n_var);
LLVMValueRef nvptx_find_var(struct nvptx_lower *l, const char *name);
bool nvptx_has_var(const struct nvptx_names *names, const char *name);
/* Affine functions on LLVM values. "in" has one integer for each
 * input dimension (set dimension); parameters are found by name.
 */
LLVMValueRef nvptx_pw_aff(struct nvptx_lower *l, __isl_take isl_pw_aff *pa,
	const LLVMValueRef *in);
/* Whether "in" lies in "set", as an i1; NULL if it always does. */
LLVMValueRef nvptx_condition(struct nvptx_lower *l, __isl_take isl_set *set,
	const LLVMValueRef *in);

/* ---------------------------------------------------------- lower_atomic.c */

/* The instruction that updates what is at "at", of the type of "a", by "op" of "v". */
LLVMValueRef nvptx_atomic_at(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef at, enum poly_op op, LLVMValueRef v, const char *scope);
void nvptx_atomic(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v);
void nvptx_store(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, struct nvptx_value x);
int nvptx_array_number(const struct poly_prog *prog,
	const struct poly_array *a);

/* ------------------------------------------------------------ lower_cast.c */

/* Nvptx_cast_exact leaves bounds alone. */
struct nvptx_value nvptx_const(struct nvptx_ir *ir, enum poly_type t,
	double value);
/* The float "x" as the integer that has its bits. */
struct nvptx_value nvptx_bits(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
struct nvptx_value nvptx_cast(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
LLVMValueRef nvptx_cast_exact(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, LLVMValueRef x);
/* True if values of "t" are f64 with a bound. */
bool nvptx_is_wide(struct nvptx_ir *ir, enum poly_type t);

/* ------------------------------------------------------------ lower_expr.c */

/* What the JOIN "e" makes of two words. */
LLVMValueRef nvptx_joined(struct nvptx_lower *l, const struct poly_expr *e,
	LLVMValueRef left, LLVMValueRef right);
/* In exact mode and, through lower_wide.c, in wide mode. */
struct nvptx_value nvptx_expr(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in);
/* What the LOOP "e" carries behind "steps". */
struct nvptx_value nvptx_run_steps(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in, const struct nvptx_steps *steps);
/* X * y + z of type "t": fused for floats, unless that is switched off. */
LLVMValueRef nvptx_fma(struct nvptx_ir *ir, enum poly_type t,
	LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);

/* ----------------------------------------------------------- lower_index.c */

/* The value of "index", which has one dimension, as "t" (I32 or
 * I64).
 */
LLVMValueRef nvptx_index_value(struct nvptx_lower *l, enum poly_type t,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in);
/* The address of the element "index" of "a", a swizzled array at "base". */
LLVMValueRef nvptx_swizzled_address(struct nvptx_ir *ir,
	const struct poly_array *a, LLVMValueRef base, const LLVMValueRef *index);
/* How far along "d" the thread's first point of a tile lies behind that of the tile, in a
 * "product" or elsewhere; the number of the thread in its block; what the digits of "v" at
 * "place" of "layout" add up to.
 */
LLVMValueRef nvptx_thread_offset(struct nvptx_lower *l, int d, bool product);
LLVMValueRef nvptx_thread_number(struct nvptx_lower *l, const char *name);
LLVMValueRef nvptx_layout_offset(struct nvptx_ir *ir,
	const struct poly_layout *layout, enum poly_place place, LLVMValueRef v,
	int d);
/* A thread's place "t" for one tile operation: where loops repeat the whole product
 * and sizes are not fixed, or behind a reduction along lines, LLVM would keep all that
 * follows from it, a condition and an offset an element, in registers from one operation
 * to the next, and the product between them, or the row, needs these.
 */
LLVMValueRef nvptx_own_place(struct nvptx_lower *l, LLVMValueRef t);

/* ------------------------------------------------------------- lower_mem.c */

/* The address of the element "index" of "a". */
LLVMValueRef nvptx_address(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index);
/* Element "number", an i64, of the array; 0 if there is none. */
struct nvptx_value nvptx_gather(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef number);
/* The elements number[0], .. of "a", "n" of them: where all are there, by loads that may
 * be one.
 */
void nvptx_gather_run(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *number, int n, LLVMValueRef *v);
/* The element that is "behind" the one at "index"; 0 if that is negative. */
struct nvptx_value nvptx_gather_from(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index,
	LLVMValueRef behind);
struct nvptx_value nvptx_load(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index);
/* The element of "a" at the address "at"; not in checked code. */
struct nvptx_value nvptx_load_at(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef at);
/* lower_axes.c: the address of the element of "a" at "index", as the sum of what the last
 * two of "in" tell; NULL where that is not known to be better than nvptx_address.
 */
LLVMValueRef nvptx_axes_address(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in);
/* The element of "a", which is in shared memory, that lies "offset" elements
 * behind the address "base", or "n" from there on as a vector. The number of the
 * first one is a multiple of "aligned".
 */
LLVMValueRef nvptx_load_run(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, int64_t offset, int n, int64_t aligned);
/* The number of the text "s", which is taken, in the table of sites. */
int nvptx_site(struct nvptx_ir *ir, struct poly_str *s);
/* In checked code: the accesses that follow are those of "s" at "in". */
void nvptx_instance(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in);
/* Do copies and loads run ahead? On a GPU; and in checked code of the host
 * device, so that it has the same loops.
 */
bool nvptx_goes_ahead(const struct nvptx_ir *ir);
/* All threads go on behind "call", a barrier or what copies wait for: in kernels of
 * scripts LLVM is told, since what a loop does behind one is then done whenever the loop
 * runs.
 */
void nvptx_go_on(struct nvptx_lower *l, LLVMValueRef call);
/* Does an instance of "s" only start the copy that it is (lower_stmt.c)? */
bool nvptx_only_starts(const struct nvptx_lower *l, const struct poly_stmt *s);
/* Start the asynchronous copy of "n" bytes and zeros up to "size"
 * from the address at[1] in the array that "s", a copy of elements, reads to
 * at[0] in that which it writes.
 */
void nvptx_start_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], int size, LLVMValueRef n);
/* Start the copy in bulk of "size" bytes, as above, that "barrier"
 * counts.
 */
void nvptx_start_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], LLVMValueRef barrier, int64_t size);
/* Start the copy of the box at the coordinates "at" of the array of "map",
 * that which the member "s" of a copy reads, to "to", in that which it writes, of all
 * "blocks" of the cluster; "boxes" tells of its dimensions, and windows that slide are "off"
 * from their pixels.
 */
void nvptx_start_box(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef to, LLVMValueRef barrier, LLVMValueRef map,
	const LLVMValueRef *at, const LLVMValueRef *off, int blocks,
	const struct poly_boxes *boxes);

/* ------------------------------------------------------------ lower_near.c */

/* Let the block have a copy of the cells that it updates, if the kernel wants one; put
 * what it has made together with the array. "nvptx_near_bytes" is the shared memory that
 * this takes.
 */
void nvptx_near_begin(struct nvptx_lower *l);
/* Update element "index" of the copy where "cond" holds, else what nobody reads: loads of
 * several updates go together, as nothing branches.
 */
void nvptx_near_update(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v,
	LLVMValueRef cond);
void nvptx_near_end(struct nvptx_lower *l);
int64_t nvptx_near_bytes(struct poly_prog *prog, const struct poly_kernel *k);

/* -------------------------------------------------------------- lower_op.c */

/* "op" on arguments of type "t" (of a comparison: the type of what
 * is compared; of a select: of what is selected). nvptx_op_exact leaves bounds
 * alone; nvptx_int_op takes integers, two even where "op" has one argument;
 * nvptx_float_op takes f32 or f64.
 */
struct nvptx_value nvptx_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg);
LLVMValueRef nvptx_op_exact(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const LLVMValueRef *arg);
/* The f32 or f64 next to "x[0]" on the way to "x[1]". */
LLVMValueRef nvptx_neighbour(struct nvptx_ir *ir, const LLVMValueRef *x);
/* What "a" and "b" of type "t" make by "op", without bounds; the value of that type
 * that changes nothing in a reduction by "op".
 */
LLVMValueRef nvptx_combined(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_identity(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t);
LLVMValueRef nvptx_int_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const LLVMValueRef *x);
LLVMValueRef nvptx_float_op(struct nvptx_ir *ir, enum poly_op op,
	LLVMValueRef *x);

/* ------------------------------------------------------------ lower_ring.c */

/* "op" where floats are integers modulo 2^32 or 2^64. */
LLVMValueRef nvptx_ring_op(struct nvptx_ir *ir, enum poly_op op,
	const LLVMValueRef *x);

/* ------------------------------------------------------------ lower_runs.c */

/* Evaluate each output of "index", of an element of "a", into out[0..n). */
void nvptx_index(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in,
	LLVMValueRef *out);
void nvptx_multi_aff(struct nvptx_lower *l, __isl_keep isl_multi_aff *ma,
	const LLVMValueRef *in, LLVMValueRef *out);
/* Is the floor of "div", which is taken, a function of the points of "kernel", the
 * same all along a run, which begins at a multiple of its length? Then all but
 * coordinate 1 moves it in runs.
 */
bool nvptx_same_along_run(const struct poly_kernel *kernel,
	__isl_take isl_aff *div);

/* ------------------------------------------------------------ lower_stmt.c */

/* The value of the cell of "s", an update, which holds "cell", behind instance "in". */
struct nvptx_value nvptx_updated(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value cell);
/* The same by "op" with the term "e" in the place of its own; not for reference mode. */
struct nvptx_value nvptx_updated_by(struct nvptx_lower *l,
	const struct poly_stmt *s, const struct poly_expr *e, enum poly_op op,
	const LLVMValueRef *in, struct nvptx_value cell);
/* One instance "in" of the point statement "s". */
void nvptx_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in);
/* An alloca at the start of the function. */
LLVMValueRef nvptx_room(struct nvptx_ir *ir, LLVMTypeRef type,
	const char *name);
/* Keep what such threads put into a cell before, where they do. */
void nvptx_keep_starts(struct nvptx_lower *l);

/* ------------------------------------------------------------ lower_when.c */

/* Does the value of "s" come from memory, or some of it? */
bool nvptx_reads_memory(const struct poly_stmt *s);
/* Where a member runs: at the points "guard", which has all of "run" points along axis
 * 1 or none; "all", if it is not NULL, are those whose whole run it has, "some" those
 * of whose run it has any; "ragged": rows have many of these, and others few.
 */
struct nvptx_when {
	isl_set *guard, *all, *some;
	int run;
	bool ragged;
};
/* The points of the group "s" that the grid covers, 0 <= pd < tiled *
 * gridd.
 */
__isl_give isl_set *nvptx_covered(struct nvptx_lower *l,
	const struct poly_stmt *s);
/* Do 32 bits hold what members of "op", "n" operations, compute at points that the grid
 * covers?
 */
bool nvptx_is_small(struct nvptx_lower *l, struct poly_stmt *const *op, int n);
/* The runs that "set", which is taken, has a point of. */
__isl_give isl_set *nvptx_runs_of(struct nvptx_lower *l,
	__isl_take isl_set *set);
/* Does "s" make a value of a row program, which nobody else writes, from inputs? */
bool nvptx_is_row_load(const struct nvptx_lower *l, const struct poly_stmt *s);
/* The points of "set", which is taken, at which the load "s" reads what is in memory. */
__isl_give isl_set *nvptx_can_load(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_take isl_set *set);
/* Where member "s" runs, as points that "known" does not promise already. */
__isl_give isl_set *nvptx_member_guard(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set *known);
/* Where members of the guard "guard" run, which is taken; with "split", point by point
 * only in runs that are not whole.
 */
struct nvptx_when nvptx_find_when(struct nvptx_lower *l,
	__isl_take isl_set *guard, __isl_keep isl_set *known, int run, bool split);
/* Release the sets of "when". */
void nvptx_when_clear(struct nvptx_when *when);
/* For how many points the guards of all members can be asked at once. */
int nvptx_guarded_run(struct nvptx_lower *l, __isl_keep isl_set_list *guards,
	__isl_keep isl_set *known);
/* Has "e" a division or a function, which take many instructions, or a loop? */
bool nvptx_is_long(const struct poly_expr *e);
/* All points of the tiles that have a point of "set", which is taken. The tiles of the
 * points "known" that have none of "bad", which is taken.
 */
__isl_give isl_set *nvptx_points_of_tiles(struct nvptx_lower *l,
	__isl_take isl_set *set);
__isl_give isl_set *nvptx_tiles_without(struct nvptx_lower *l,
	__isl_take isl_set *bad, __isl_keep isl_set *known);
/* The tiles at all of whose points, of "known", all of "guards" hold, as far
 * as that is not so everywhere; none where few can be.
 */
__isl_give isl_set *nvptx_whole_tiles(struct nvptx_lower *l,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known);
/* Begin the branch of threads whose run, of which "p" is the first point,
 * is in "when" as a whole; false if all are, and there is no branch. Go on with that of
 * those that have some points of it, which nvptx_if_end ends.
 */
struct nvptx_run_branch {
	struct nvptx_branch branch;
	LLVMValueRef whole, some;
};
bool nvptx_run_begin(struct nvptx_lower *l, struct nvptx_run_branch *b,
	const struct nvptx_when *when, const LLVMValueRef *p);
void nvptx_run_else(struct nvptx_ir *ir, struct nvptx_run_branch *b);
/* Narrow "set" to what "index" takes into "a". */
__isl_give isl_set *nvptx_inside(__isl_take isl_set *set,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index);

/* ------------------------------------------------------------ lower_wide.c */

struct nvptx_value nvptx_wide_op(struct nvptx_ir *ir, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg);
struct nvptx_value nvptx_wide_bits(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
struct nvptx_value nvptx_wide_cast(struct nvptx_ir *ir, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
/* What a statement other than a sum stores into "a": its bound, for sums that
 * begin with it.
 */
struct nvptx_value nvptx_wide_begin(struct nvptx_lower *l,
	const struct poly_array *a, struct nvptx_value x);
/* Acc + term of the sum "s" makes over the reduction dimension. */
struct nvptx_value nvptx_wide_accumulate(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value acc);

#endif
