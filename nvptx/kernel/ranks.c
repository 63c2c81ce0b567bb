/* Kernels whose blocks rank what is alike in a tile (polyir/prepare/ranked.c).
 *
 *	y[first[t][b(i)] + earlier(b(i))] = x[i]
 *
 * Warp w has the elements from P w on, P = 32 * ITEMS, its lane l those at 32 k + l, so
 * that the k-th elements of its lanes come in front of the next ones:
 *
 *	each warp counts: lanes with the same bin find one another, the last of them adds
 *	how many they are to the warp's counter of that bin, and tells the others
 *	what it was before; an element's rank in its warp is that, and the lanes
 *	with the same bin below its own,
 *	a thread for each bin adds up the counters of the warps, and threads those of
 *	the bins: counters become what comes before in the block,
 *	elements go to the place of their rank in shared memory; what lies there side by
 *	side goes to neighbours in memory, as far as it has one bin.
 *
 * Elements that the last tile lacks count for the last bin, behind all that are there,
 * and are marked by a bin that is none.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

enum { ITEMS = POLY_RANK_ITEMS, MOST_INDEX = 8 };

/* Where what lies in shared memory begins, in bytes. */
struct room {
	int64_t counter, start, total, index, bin, value, bytes;
};

/* A kernel under way: "r" of its statement "stmt", and rooms of the thread for the bins
 * and the values of its elements, and for the indices of the tile in "base" and in what
 * is written.
 */
struct ranks {
	struct nvptx_ranks note;
	struct poly_ranks r;
	const struct poly_stmt *stmt;
	int warps, threads, bits, n_index, at;
	struct room room;
	LLVMTypeRef type;
	LLVMValueRef shared, bin[ITEMS], value[ITEMS], index[MOST_INDEX];
};

/* ------------------------------------------------------------------- places */

static int64_t after(int64_t *at, int64_t bytes)
{
	int64_t here = *at;

	*at += nvptx_places_bytes(bytes);
	return here;
}

static struct room room_of(const struct poly_ranks *r, const struct poly_stmt *stmt)
{
	int warps = r->tile / (POLY_LANES * ITEMS);
	struct room m = { 0 };

	m.counter = after(&m.bytes, (int64_t)warps * r->bins * 4);
	m.start = after(&m.bytes, (int64_t)r->bins * 4);
	m.total = after(&m.bytes, POLY_LANES * 4);
	m.index = after(&m.bytes, MOST_INDEX * 8);
	m.bin = after(&m.bytes, (int64_t)r->tile * 2);
	m.value = after(&m.bytes, (int64_t)r->tile *
		(int64_t)poly_type_size(poly_type_compute(stmt->write_array->type)));
	return m;
}

/* The statement of the kernel, and how it ranks. */
static const struct poly_stmt *ranked(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_ranks *r)
{
	const struct poly_stmt *s = NULL;
	int n;
	struct poly_stmt **list = k->ranked ? poly_kernel_stmts(prog, k, &n) : NULL;

	if (list && poly_ranks_read(prog, list, n, r))
		s = list[0];
	free(list);
	return s;
}

int64_t nvptx_ranks_bytes(struct poly_prog *prog, const struct poly_kernel *k)
{
	struct poly_ranks r;
	const struct poly_stmt *s = ranked(prog, k, &r);

	return s ? room_of(&r, s).bytes : 0;
}

/* Element "i" of those of "type" that begin "bytes" behind the first byte. */
static LLVMValueRef place(struct nvptx_ir *ir, const struct ranks *s, int64_t bytes,
	LLVMTypeRef type, LLVMValueRef i)
{
	LLVMValueRef base = nvptx_element(ir, LLVMInt8TypeInContext(ir->m->ctx),
		s->shared, nvptx_int(ir, bytes));

	return nvptx_element(ir, type, base, i);
}

static LLVMValueRef load(struct nvptx_ir *ir, LLVMTypeRef type, LLVMValueRef at)
{
	return LLVMBuildLoad2(ir->b, type, at, "");
}

static LLVMValueRef add(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildAdd(ir->b, a, b, "");
}

static void barrier(struct nvptx_ir *ir)
{
	LLVMValueRef zero = nvptx_int(ir, 0);

	nvptx_hw(ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* The counter of the thread's warp, or of warp "warp", of bin "bin". */
static LLVMValueRef counter(struct nvptx_lower *l, const struct ranks *s,
	LLVMValueRef warp, LLVMValueRef bin)
{
	return place(l->ir, s, s->room.counter, nvptx_i32(l->ir), add(l->ir,
		LLVMBuildMul(l->ir->b, warp, nvptx_int(l->ir, s->r.bins), ""),
		bin));
}

static LLVMValueRef lane_of(struct nvptx_lower *l)
{
	return LLVMBuildAnd(l->ir->b, nvptx_thread_number(l, ""),
		nvptx_int(l->ir, POLY_LANES - 1), "");
}

static LLVMValueRef warp_of(struct nvptx_lower *l)
{
	return LLVMBuildLShr(l->ir->b, nvptx_thread_number(l, ""),
		nvptx_int(l->ir, 5), "");
}

/* -------------------------------------------------------------------- lanes */

/* The lanes that have the same "bin", one bit each: those that agree in each bit. */
static LLVMValueRef alike(struct nvptx_ir *ir, const struct ranks *s,
	LLVMValueRef bin)
{
	LLVMValueRef all = nvptx_int(ir, -1), mask = all, bit, vote, room;

	if (ir->m->opt.device != NVPTX_GPU) {
		room = nvptx_all_lanes(ir, bin);
		mask = nvptx_int(ir, 0);
		for (int i = 0; i < POLY_LANES; i++) {
			bit = LLVMBuildICmp(ir->b, LLVMIntEQ, bin, load(ir,
				nvptx_i32(ir), nvptx_element(ir, nvptx_i32(ir),
				room, nvptx_int(ir, i))), "");
			mask = LLVMBuildOr(ir->b, mask, LLVMBuildShl(ir->b,
				LLVMBuildZExt(ir->b, bit, nvptx_i32(ir), ""),
				nvptx_int(ir, i), ""), "");
		}
		return mask;
	}
	for (int i = 0; i < s->bits; i++) {
		bit = LLVMBuildICmp(ir->b, LLVMIntNE, LLVMBuildAnd(ir->b, bin,
			nvptx_int(ir, 1 << i), ""), nvptx_int(ir, 0), "");
		vote = nvptx_hw(ir, NVPTX_HW_VOTE, (LLVMValueRef[]){ all, bit },
			2, "");
		mask = LLVMBuildAnd(ir->b, mask, LLVMBuildSelect(ir->b, bit, vote,
			LLVMBuildNot(ir->b, vote, ""), ""), "");
	}
	return mask;
}

static LLVMValueRef count_bits(struct nvptx_ir *ir, LLVMValueRef v)
{
	return nvptx_intrinsic(ir, "llvm.ctpop", &v, 1);
}

/* Count one more element, of "bin", of each lane of a warp: how many of the warp are in
 * front of it in its bin.
 */
static LLVMValueRef rank_in_warp(struct nvptx_lower *l, const struct ranks *s,
	LLVMValueRef bin)
{
	struct nvptx_ir *ir = l->ir;
	LLVMValueRef lane = lane_of(l), mask = alike(ir, s, bin), last, old, below;
	LLVMValueRef arg[2] = { mask, LLVMConstNull(LLVMInt1TypeInContext(
		ir->m->ctx)) };
	struct nvptx_branch branch;
	LLVMBasicBlockRef here;

	last = nvptx_sub(ir, nvptx_int(ir, POLY_LANES - 1), nvptx_intrinsic(ir,
		"llvm.ctlz", arg, 2));
	below = LLVMBuildSub(ir->b, LLVMBuildShl(ir->b, nvptx_int(ir, 1), lane,
		""), nvptx_int(ir, 1), "");
	nvptx_if_begin(ir, &branch, LLVMBuildICmp(ir->b, LLVMIntEQ, lane, last,
		""), "last");
	old = LLVMBuildAtomicRMWSyncScope(ir->b, LLVMAtomicRMWBinOpAdd,
		counter(l, s, warp_of(l), bin), count_bits(ir, mask),
		LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(ir->m->ctx,
		ir->m->opt.device == NVPTX_GPU ? "block" : "",
		ir->m->opt.device == NVPTX_GPU ? 5 : 0));
	here = LLVMGetInsertBlock(ir->b);
	nvptx_if_end(ir, &branch);
	old = nvptx_if_value(ir, &branch, here, old, nvptx_int(ir, 0), "");
	return add(ir, nvptx_from_lane(ir, old, last), count_bits(ir,
		LLVMBuildAnd(ir->b, mask, below, "")));
}

/* --------------------------------------------------------------------- bins */

/* Let the warp's counters of bin "bin" be what warps before have; the sum of all. */
static LLVMValueRef add_warps(struct nvptx_lower *l, const struct ranks *s,
	LLVMValueRef bin)
{
	LLVMValueRef sum = nvptx_int(l->ir, 0);

	for (int w = 0; w < s->warps; w++) {
		LLVMValueRef at = counter(l, s, nvptx_int(l->ir, w), bin);
		LLVMValueRef n = load(l->ir, nvptx_i32(l->ir), at);

		LLVMBuildStore(l->ir->b, sum, at);
		sum = add(l->ir, sum, n);
	}
	return sum;
}

/* What the threads before this one have of "v" all together. */
static LLVMValueRef before_thread(struct nvptx_lower *l, const struct ranks *s,
	LLVMValueRef v)
{
	struct nvptx_ir *ir = l->ir;
	LLVMValueRef lane = lane_of(l), warp = warp_of(l), all = v;
	LLVMValueRef before = nvptx_int(ir, 0), zero = before, later, other;
	struct nvptx_branch branch;

	for (int i = 1; i < POLY_LANES; i *= 2) {
		other = nvptx_exchange(ir, nvptx_int(ir, -1), all, i);
		later = LLVMBuildICmp(ir->b, LLVMIntNE, LLVMBuildAnd(ir->b, lane,
			nvptx_int(ir, i), ""), zero, "");
		before = add(ir, before, LLVMBuildSelect(ir->b, later, other,
			zero, ""));
		all = add(ir, all, other);
	}
	nvptx_if_begin(ir, &branch, LLVMBuildICmp(ir->b, LLVMIntEQ, lane, zero,
		""), "total");
	LLVMBuildStore(ir->b, all, place(ir, s, s->room.total, nvptx_i32(ir),
		warp));
	nvptx_if_end(ir, &branch);
	barrier(ir);
	for (int w = 0; w < s->warps - 1; w++) {
		later = LLVMBuildICmp(ir->b, LLVMIntULT, nvptx_int(ir, w), warp,
			"");
		other = load(ir, nvptx_i32(ir), place(ir, s, s->room.total,
			nvptx_i32(ir), nvptx_int(ir, w)));
		before = add(ir, before, LLVMBuildSelect(ir->b, later, other,
			zero, ""));
	}
	return before;
}

/* Index "i" of the tile, which the first thread has told. */
static LLVMValueRef tile_index(struct nvptx_lower *l, const struct ranks *s, int i)
{
	return load(l->ir, nvptx_i64(l->ir), place(l->ir, s, s->room.index,
		nvptx_i64(l->ir), nvptx_int(l->ir, i)));
}

/* What is in "bin" begins at "start" in the block: note where it goes in memory, less
 * "start", and let the counters of the warps begin there.
 */
static void begin_bin(struct nvptx_lower *l, const struct ranks *s,
	LLVMValueRef bin, LLVMValueRef start)
{
	const struct poly_array *a = s->r.base->array;
	LLVMValueRef index[MOST_INDEX], at;
	struct nvptx_value first;

	for (int d = 0; d < a->n_dim; d++)
		index[d] = tile_index(l, s, d);
	first = nvptx_gather_from(l, a, index, LLVMBuildZExt(l->ir->b, bin,
		nvptx_i64(l->ir), ""));
	LLVMBuildStore(l->ir->b, LLVMBuildSub(l->ir->b, first.v, start, ""),
		place(l->ir, s, s->room.start, nvptx_i32(l->ir), bin));
	for (int w = 0; w < s->warps; w++) {
		at = counter(l, s, nvptx_int(l->ir, w), bin);
		LLVMBuildStore(l->ir->b, add(l->ir, load(l->ir,
			nvptx_i32(l->ir), at), start), at);
	}
}

/* From the counters of each warp and bin to what comes before in the block. A thread has
 * some bins, one behind the other.
 */
static void join_counters(struct nvptx_lower *l, const struct ranks *s)
{
	struct nvptx_ir *ir = l->ir;
	int own = (s->r.bins + s->threads - 1) / s->threads;
	LLVMValueRef first = nvptx_mul(ir, nvptx_thread_number(l, ""),
		nvptx_int(ir, own)), n = nvptx_int(ir, 0), start;
	LLVMValueRef room = nvptx_room(ir, LLVMArrayType2(nvptx_i32(ir), own),
		"own");
	struct nvptx_branch branch;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < own; i++) {
			LLVMValueRef bin = nvptx_add(ir, first, nvptx_int(ir, i),
				""), at = nvptx_element(ir, nvptx_i32(ir), room,
				nvptx_int(ir, i)), v;

			if (!pass)
				LLVMBuildStore(ir->b, nvptx_int(ir, 0), at);
			nvptx_if_begin(ir, &branch, LLVMBuildICmp(ir->b,
				LLVMIntULT, bin, nvptx_int(ir, s->r.bins), ""),
				"bin");
			if (pass)
				begin_bin(l, s, bin, n);
			else
				LLVMBuildStore(ir->b, add_warps(l, s, bin), at);
			nvptx_if_end(ir, &branch);
			v = load(ir, nvptx_i32(ir), at);
			n = add(ir, n, v);
		}
		start = pass ? n : before_thread(l, s, n);
		n = start;
	}
}

/* ------------------------------------------------------------------ elements */

/* Note element number "k" of the thread, "in". */
static void note(struct nvptx_lower *l, const struct poly_stmt *stmt,
	const LLVMValueRef *in)
{
	struct ranks *s = (struct ranks *)l->ranks;
	const struct poly_array *a = stmt->write_array;
	const struct poly_array *base = s->r.base->array;
	LLVMValueRef index[16], x;
	int n = 0, k = s->at++ % ITEMS;

	if (!k) {
		nvptx_index(l, base, s->r.base->index, in, index);
		for (; n < base->n_dim; n++)
			LLVMBuildStore(l->ir->b, nvptx_extend(l->ir, index[n],
				nvptx_i64(l->ir)), s->index[n]);
		for (int d = 0; d < a->n_dim; d++, n++)
			if (d != (int)stmt->rhs->value)
				LLVMBuildStore(l->ir->b, nvptx_extend(l->ir,
					nvptx_pw_aff(l, isl_multi_pw_aff_get_at(
					stmt->write_index, d), in),
					nvptx_i64(l->ir)), s->index[n]);
	}
	x = nvptx_cast(l->ir, a->type, stmt->rhs->type, nvptx_expr(l,
		stmt->rhs->arg[0], in)).v;
	LLVMBuildStore(l->ir->b, x, s->value[k]);
	LLVMBuildStore(l->ir->b, nvptx_expr(l, s->r.bin, in).v, s->bin[k]);
}

/* Rooms for what the thread notes; all elements are missing so far. */
static void make_rooms(struct nvptx_lower *l, struct ranks *s)
{
	struct nvptx_ir *ir = l->ir;

	s->type = nvptx_value_type(ir, s->stmt->write_array->type);
	for (int k = 0; k < ITEMS; k++) {
		s->bin[k] = nvptx_room(ir, nvptx_i32(ir), "bin");
		s->value[k] = nvptx_room(ir, s->type, "value");
		LLVMBuildStore(ir->b, nvptx_int(ir, s->r.bins), s->bin[k]);
		LLVMBuildStore(ir->b, LLVMConstNull(s->type), s->value[k]);
	}
	s->n_index = s->r.base->array->n_dim + s->stmt->write_array->n_dim;
	if (s->n_index > MOST_INDEX)
		nvptx_fail(ir, nvptx_i32(ir), "a tile has too many indices");
	for (int i = 0; i < s->n_index && i < MOST_INDEX; i++) {
		s->index[i] = nvptx_room(ir, nvptx_i64(ir), "index");
		LLVMBuildStore(ir->b, LLVMConstNull(nvptx_i64(ir)),
			s->index[i]);
	}
}

/* Have the counters begin with nothing. */
static void clear_counters(struct nvptx_lower *l, const struct ranks *s)
{
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "counter", nvptx_thread_number(l, ""),
		nvptx_int(l->ir, s->threads));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT, loop.i,
		nvptx_int(l->ir, s->warps * s->r.bins), ""));
	LLVMBuildStore(l->ir->b, nvptx_int(l->ir, 0), place(l->ir, s,
		s->room.counter, nvptx_i32(l->ir), loop.i));
	nvptx_loop_end(l->ir, &loop, 0);
	barrier(l->ir);
}

/* Have the first thread, whose first element is there in every tile, tell all others the
 * indices of the tile.
 */
static void tell_indices(struct nvptx_lower *l, const struct ranks *s)
{
	struct nvptx_ir *ir = l->ir;
	struct nvptx_branch branch;

	nvptx_if_begin(ir, &branch, LLVMBuildICmp(ir->b, LLVMIntEQ,
		nvptx_thread_number(l, ""), nvptx_int(ir, 0), ""), "tile");
	for (int i = 0; i < s->n_index; i++)
		LLVMBuildStore(ir->b, load(ir, nvptx_i64(ir), s->index[i]),
			place(ir, s, s->room.index, nvptx_i64(ir),
			nvptx_int(ir, i)));
	nvptx_if_end(ir, &branch);
}

/* Put the elements where their ranks "rank" in warps and the counters say. */
static void put(struct nvptx_lower *l, const struct ranks *s,
	const LLVMValueRef *bin, const LLVMValueRef *counted,
	const LLVMValueRef *rank)
{
	struct nvptx_ir *ir = l->ir;
	LLVMTypeRef i16 = LLVMInt16TypeInContext(ir->m->ctx);

	for (int k = 0; k < ITEMS; k++) {
		LLVMValueRef at = add(ir, rank[k], load(ir, nvptx_i32(ir),
			counter(l, s, warp_of(l), counted[k])));

		LLVMBuildStore(ir->b, LLVMBuildTrunc(ir->b, bin[k], i16, ""),
			place(ir, s, s->room.bin, i16, at));
		LLVMBuildStore(ir->b, load(ir, s->type, s->value[k]),
			place(ir, s, s->room.value, s->type, at));
	}
}

/* Write what stands at "q" in shared memory, if it is there, where its bin says. */
static void write_out(struct nvptx_lower *l, const struct ranks *s, LLVMValueRef q)
{
	struct nvptx_ir *ir = l->ir;
	const struct poly_array *a = s->stmt->write_array;
	LLVMTypeRef i16 = LLVMInt16TypeInContext(ir->m->ctx);
	LLVMValueRef bin = LLVMBuildZExt(ir->b, load(ir, i16, place(ir, s,
		s->room.bin, i16, q)), nvptx_i32(ir), ""), index[16], at, in;
	int dim = (int)s->stmt->rhs->value, first = s->r.base->array->n_dim;
	struct nvptx_branch branch, inside;
	struct nvptx_value x = { load(ir, s->type, place(ir, s, s->room.value,
		s->type, q)), NULL };

	nvptx_if_begin(ir, &branch, LLVMBuildICmp(ir->b, LLVMIntULT, bin,
		nvptx_int(ir, s->r.bins), ""), "there");
	at = add(ir, q, load(ir, nvptx_i32(ir), place(ir, s, s->room.start,
		nvptx_i32(ir), bin)));
	for (int d = 0; d < a->n_dim; d++)
		index[d] = d == dim ? LLVMBuildSExt(ir->b, at, nvptx_i64(ir),
			"") : tile_index(l, s, first + d);
	in = LLVMBuildICmp(ir->b, LLVMIntULT, index[dim], nvptx_extend(ir,
		nvptx_pw_aff(l, isl_multi_pw_aff_get_at(a->extent, dim), NULL),
		nvptx_i64(ir)), "");
	nvptx_if_begin(ir, &inside, in, a->name);
	nvptx_store(l, a, index, x);
	nvptx_if_end(ir, &inside);
	nvptx_if_end(ir, &branch);
}

/* What the threads do when all elements of the tile have been noted. */
static void rank(struct nvptx_lower *l, const struct ranks *s)
{
	struct nvptx_ir *ir = l->ir;
	LLVMValueRef bin[ITEMS], counted[ITEMS], ranks[ITEMS], none;

	none = nvptx_int(ir, s->r.bins);
	tell_indices(l, s);
	for (int k = 0; k < ITEMS; k++) {
		bin[k] = load(ir, nvptx_i32(ir), s->bin[k]);
		counted[k] = LLVMBuildSelect(ir->b, LLVMBuildICmp(ir->b,
			LLVMIntULT, bin[k], none, ""), bin[k],
			nvptx_int(ir, s->r.bins - 1), "");
	}
	for (int k = 0; k < ITEMS; k++)
		ranks[k] = rank_in_warp(l, s, counted[k]);
	barrier(ir);
	join_counters(l, s);
	barrier(ir);
	put(l, s, bin, counted, ranks);
	barrier(ir);
	for (int k = 0; k < ITEMS; k++)
		write_out(l, s, nvptx_add(ir, nvptx_thread_number(l, ""),
			nvptx_int(ir, k * s->threads), ""));
}

/* Does the block have a whole tile, as an i1; NULL: each has. The tile of a block is its
 * number along axis 1.
 */
static LLVMValueRef is_whole(struct nvptx_lower *l, const struct ranks *s)
{
	isl_set *range = poly_range_of(s->stmt->domain, s->r.last);
	isl_pw_aff *end = isl_pw_aff_add_constant_val(isl_set_dim_max(range, 0),
		isl_val_one(l->prog->ctx));
	isl_set *known = poly_known_sizes(l->prog);
	isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_copy(end),
		isl_val_int_from_si(l->prog->ctx, s->r.tile));
	isl_set *all = isl_pw_aff_zero_set(rest);
	LLVMValueRef tile, n;
	bool whole = isl_set_is_subset(known, all) == isl_bool_true;

	isl_set_free(known);
	isl_set_free(all);
	if (whole) {
		isl_pw_aff_free(end);
		return NULL;
	}
	tile = nvptx_extend(l->ir, nvptx_find_var(l, poly_coordinate(l->prog,
		POLY_BLOCK + 1)), nvptx_i64(l->ir));
	n = nvptx_extend(l->ir, nvptx_pw_aff(l, end, NULL), nvptx_i64(l->ir));
	tile = LLVMBuildMul(l->ir->b, LLVMBuildAdd(l->ir->b, tile, nvptx_extend(
		l->ir, nvptx_int(l->ir, 1), nvptx_i64(l->ir)), ""), nvptx_extend(
		l->ir, nvptx_int(l->ir, s->r.tile), nvptx_i64(l->ir)), "");
	return LLVMBuildICmp(l->ir->b, LLVMIntSLE, tile, n, "");
}

/* Note all elements: those of a whole tile without asking whether they are there. The
 * code is written twice then, each time from the first element of a thread on.
 */
static void note_all(struct nvptx_lower *l, struct ranks *s,
	__isl_keep isl_ast_node *ast)
{
	LLVMValueRef whole = is_whole(l, s);
	struct nvptx_branch branch;

	if (!whole) {
		nvptx_ast(l, ast);
		return;
	}
	nvptx_if_begin(l->ir, &branch, whole, "whole");
	l->now.whole = true;
	nvptx_ast(l, ast);
	l->now.whole = false;
	nvptx_if_end(l->ir, &branch);
	s->at = 0;
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""), "part");
	nvptx_ast(l, ast);
	nvptx_if_end(l->ir, &branch);
}

bool nvptx_ranks(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	struct ranks s = { .note = { note } };

	s.stmt = l->ir->m->opt.wide ? NULL : ranked(l->prog, l->kernel, &s.r);
	if (!s.stmt)
		return false;
	s.threads = l->kernel->thread[1];
	s.warps = s.threads / POLY_LANES;
	while (1 << s.bits < s.r.bins)
		s.bits++;
	s.room = room_of(&s.r, s.stmt);
	s.shared = nvptx_take_places(l, s.room.bytes);
	make_rooms(l, &s);
	clear_counters(l, &s);
	l->ranks = &s.note;
	note_all(l, &s, ast);
	l->ranks = NULL;
	if (s.at)
		rank(l, &s);
	return true;
}
