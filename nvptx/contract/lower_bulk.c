/* nvptx: copies in bulk, the barriers that count their bytes, and that of all blocks.
 *
 * Each slot of a buffer that is filled in bulk has a barrier in shared memory. A
 * copy says there how many bytes it is going to move, and one thread a row starts
 * that of the row; these threads are spread over the warps, since a warp starts one
 * row after the other. All threads wait for the barrier's phase, a parity, which
 * the tile tells: it is the (tk / slots)th one in its slot (polyir/layout/bulk.c), behind
 * those of the tiles that the block had before, if it takes several.
 *
 *	B_copy(b0, b1, k + 2)	->  mbarrier.arrive.expect_tx  [slot], 16384
 *				    cp.async.bulk [row], [global], 512, [slot]
 *	wait(b0, b1, k)		->  mbarrier.try_wait.parity [slot], k / 3 % 2
 *
 * Boxes are started by one thread:
 *
 *	B_copy(b0, b1, k + 2)	->  mbarrier.arrive.expect_tx  [slot], 32768
 *				    cp.async.bulk.tensor.2d [column of 128 bytes],
 *					[map of the array, {128 b1, 64 k + 128}], [slot]
 *
 * The barrier of the block that comes with the wait keeps a slot from being filled
 * while it is read: the copies come behind the reads that it orders before them. Where a
 * warp of its own starts all copies (kernel/turns.c), it waits for a second barrier of the
 * slot, at which those arrive that have read it, and there is none of the block:
 *
 *	feeder	mbarrier.try_wait.parity [vacant], (k / 3 + 1) % 2; the copy
 *	others	mbarrier.try_wait.parity [slot], k / 3 % 2; product; mbarrier.arrive [vacant]
 *
 * What blocks of a cluster have in common (poly_copy_parts) comes in as many parts as there
 * are blocks, each of which one of them sends to the same place of all. So its slot is free
 * when all blocks have read it, and they say so to all:
 *
 *	feeder	wait for [vacant], at which all blocks arrive; expect the bytes of all parts;
 *		cp.async.bulk.tensor.2d..multicast::cluster [part of this block], ..
 *	others	product; mbarrier.arrive [vacant of block 0], [vacant of block 1]
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"

enum { BARRIER_BYTES = 8 };

bool nvptx_is_bulk(const struct nvptx_ir *ir, const struct poly_stmt *s)
{
	const struct nvptx_options *o = &ir->m->opt;

	return s->bulk && nvptx_goes_ahead(ir) &&
		(o->device != NVPTX_GPU || nvptx_has_bulk(o->target));
}

/* The buffer that "s", a copy in bulk of the kernel, fills; else NULL. */
static const struct poly_array *filled(const struct nvptx_lower *l,
	const struct poly_stmt *s)
{
	const struct poly_array *a;

	if (s->kind != POLY_COPY || !nvptx_is_bulk(l->ir, s))
		return NULL;
	a = s->member[0]->write_array;
	return l->value.base[nvptx_array_number(l->prog, a)] ? a : NULL;
}

bool nvptx_has_feeder(const struct nvptx_lower *l)
{
	const struct nvptx_options *o = &l->ir->m->opt;

	return l->kernel->blocks && nvptx_goes_ahead(l->ir) &&
		(o->device != NVPTX_GPU || nvptx_has_bulk(o->target));
}

int nvptx_cluster_blocks(const struct nvptx_lower *l)
{
	return nvptx_has_feeder(l) ? poly_cluster(l->kernel, 0) *
		poly_cluster(l->kernel, 1) : 1;
}

bool nvptx_has_part(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	return l->now.role == NVPTX_ALONE ||
		(l->now.role == NVPTX_FEEDS) == (s->kind == POLY_COPY);
}

bool nvptx_copies_boxes(const struct nvptx_ir *ir, const struct poly_stmt *s)
{
	return poly_copies_boxes(s) && nvptx_is_bulk(ir, s);
}

bool nvptx_writes_swizzled(const struct nvptx_lower *l)
{
	bool writes = false;

	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_stmt *s = l->prog->stmt[i];

		for (int k = 0; k < s->n_member; k++) {
			const struct poly_array *a = s->member[k]->write_array;

			writes |= a && a->swizzled && !filled(l, s) &&
				l->value.base[nvptx_array_number(l->prog, a)];
		}
	}
	return writes;
}

/* The barrier of slot "k" of "a". */
static LLVMValueRef barrier_of(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef k)
{
	return nvptx_element(l->ir, nvptx_i64(l->ir),
		l->value.barrier[nvptx_array_number(l->prog, a)], k);
}

/* That which the feeder waits at before it fills slot "k" of "a". */
static LLVMValueRef vacant_of(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef k)
{
	return nvptx_element(l->ir, nvptx_i64(l->ir),
		l->value.vacant[nvptx_array_number(l->prog, a)], k);
}

/* Byte "at" of shared memory. */
static LLVMValueRef shared_byte(struct nvptx_lower *l, int64_t at)
{
	LLVMValueRef offset = nvptx_int(l->ir, at);

	return LLVMBuildInBoundsGEP2(l->ir->b, LLVMInt8TypeInContext(
		l->ir->m->ctx), l->value.shared, &offset, 1, "");
}

int64_t nvptx_bind_barriers(struct nvptx_lower *l, int64_t at)
{
	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_array *a = filled(l, l->prog->stmt[i]);
		int number = a ? nvptx_array_number(l->prog, a) : 0;

		if (!a)
			continue;
		l->value.barrier[number] = shared_byte(l, at);
		at += nvptx_extent(a, 0) * BARRIER_BYTES;
		if (!nvptx_has_feeder(l))
			continue;
		l->value.vacant[number] = shared_byte(l, at);
		at += nvptx_extent(a, 0) * BARRIER_BYTES;
	}
	return at;
}

/* Who says that a slot may be filled again: of warpgroups, whose products go on, one
 * thread for all, else each thread for itself.
 */
static int vacating(struct nvptx_lower *l)
{
	int threads = l->kernel->thread[0] * l->kernel->thread[1];

	return l->ir->m->opt.device == NVPTX_GPU ? threads / POLY_GROUP_THREADS :
		threads;
}

/* One thread arrives at the barriers of "a", which "copy" fills, in each phase, and all
 * that vacate a slot, of all blocks that get what one copies.
 */
static void init(struct nvptx_lower *l, const struct poly_stmt *copy,
	const struct poly_array *a)
{
	for (int64_t k = 0; k < nvptx_extent(a, 0); k++) {
		LLVMValueRef at = nvptx_int(l->ir, k);
		LLVMValueRef arg[2] = { barrier_of(l, a, at),
			nvptx_int(l->ir, 1) };

		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_INIT, arg, 2, "");
		if (!nvptx_has_feeder(l))
			continue;
		arg[0] = vacant_of(l, a, at);
		arg[1] = nvptx_int(l->ir, vacating(l) *
			poly_copy_parts(l->kernel, copy));
		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_INIT, arg, 2, "");
	}
}

void nvptx_init_barriers(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);
	struct nvptx_branch branch;
	bool any = false;

	for (int i = 0; i < l->prog->n_stmt; i++)
		any |= filled(l, l->prog->stmt[i]) != NULL;
	if (!any)
		return;
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_thread_number(l, "lane"), zero, ""), "init");
	for (int i = 0; i < l->prog->n_stmt; i++)
		if (l->value.map[i])
			nvptx_hw(l->ir, NVPTX_HW_PREFETCH_MAP, &l->value.map[i],
				1, "");
	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_array *a = filled(l, l->prog->stmt[i]);

		if (a)
			init(l, l->prog->stmt[i], a);
	}
	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_FENCE, NULL, 0, "");
	nvptx_hw(l->ir, NVPTX_HW_PROXY_FENCE, NULL, 0, "");
	nvptx_if_end(l->ir, &branch);
	if (nvptx_cluster_blocks(l) > 1)
		nvptx_cluster_sync(l->ir);
	else
		nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* Start the copy of row "r" of the tile "in". */
static void start_row(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef *in, LLVMValueRef r, LLVMValueRef barrier)
{
	const struct poly_stmt *element = s->member[0];
	const struct poly_array *to = element->write_array;
	const struct poly_expr *e = element->rhs;
	int n = isl_set_dim(s->domain, isl_dim_set);
	LLVMValueRef index[16], at[2];

	in[n] = r;
	in[n + 1] = nvptx_int(l->ir, 0);
	nvptx_index(l, to, element->write_index, in, index);
	at[0] = nvptx_address(l, to, index);
	nvptx_index(l, e->array, e->index, in, index);
	at[1] = nvptx_address(l, e->array, index);
	nvptx_start_bulk(l, element, at, barrier,
		nvptx_extent(to, to->n_dim - 1) * poly_type_size(to->type));
}

/* Start all rows: every thread, or as many as there are rows, one of them, or
 * several.
 */
static void start_rows(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef *in, LLVMValueRef lane, LLVMValueRef barrier)
{
	const struct poly_array *to = s->member[0]->write_array;
	int64_t threads = (int64_t) l->kernel->thread[0] * l->kernel->thread[1];
	int64_t rows = nvptx_extent(to, to->n_dim - 2);
	LLVMValueRef apart = nvptx_int(l->ir,
		nvptx_share_rows(threads, rows, 0).width);
	LLVMValueRef mine = nvptx_div(l->ir, lane, apart), r, cond;
	struct nvptx_branch branch, starts;

	if (!nvptx_share_checked(l->ir, nvptx_share_covers_rows(threads, rows)))
		return;
	cond = nvptx_compare(l->ir, LLVMIntEQ, nvptx_mod(l->ir, lane, apart),
		nvptx_int(l->ir, 0));
	nvptx_if_begin(l->ir, &starts, cond, "starts");
	for (int64_t e = 0; e * threads < rows; e++) {
		struct nvptx_run run = nvptx_share_rows(threads, rows, e);

		r = nvptx_add(l->ir, mine, nvptx_int(l->ir, run.add[0]), "");
		if (run.lines)
			nvptx_if_begin(l->ir, &branch, nvptx_compare(l->ir,
				LLVMIntULT, r, nvptx_int(l->ir, run.lines)),
				"row");
		start_row(l, s, in, r, barrier);
		if (run.lines)
			nvptx_if_end(l->ir, &branch);
	}
	nvptx_if_end(l->ir, &starts);
}

/* Which block of its cluster this one is. */
static LLVMValueRef rank(struct nvptx_lower *l)
{
	return nvptx_mod(l->ir, nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, ""),
		nvptx_int(l->ir, nvptx_cluster_blocks(l)));
}

/* Of boxes of "from" that slide, turn "index", of the element "in", into that of its pixel,
 * and find how far its window is "off".
 */
static void go_to_pixels(struct nvptx_lower *l, const struct poly_array *from,
	const struct poly_boxes *b, LLVMValueRef *in, LLVMValueRef *index,
	LLVMValueRef *off)
{
	for (int d = 1; b->slide && d < from->n_dim - 1; d++) {
		off[d] = nvptx_sub(l->ir, nvptx_pw_aff(l, isl_pw_aff_copy(b->begin[d]),
			in), nvptx_int(l->ir, b->low[d]));
		index[d] = nvptx_sub(l->ir, index[d], off[d]);
	}
}

/* Start all boxes of the tile "in", each a column of 128 bytes, or this block's part of
 * one.
 */
static void start_boxes(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef *in, LLVMValueRef barrier)
{
	const struct poly_stmt *element = s->member[0];
	const struct poly_array *to = element->write_array;
	const struct poly_expr *e = element->rhs;
	LLVMValueRef map = l->value.map[poly_stmt_position(l->prog, s->name)];
	int n = isl_set_dim(s->domain, isl_dim_set);
	int parts = poly_copy_parts(l->kernel, s);
	struct poly_boxes boxes;
	LLVMValueRef index[16], off[POLY_MOST_BOX_DIM], at;

	if (!poly_boxes_of(l->prog, s, &boxes))
		nvptx_fail(l->ir, nvptx_i32(l->ir), "a copy in bulk has no boxes");

	in[n] = parts == 1 ? nvptx_int(l->ir, 0) : nvptx_mul(l->ir, rank(l),
		nvptx_int(l->ir, nvptx_extent(to, to->n_dim - 2) / parts));
	for (int64_t c = 0; c < nvptx_extent(to, to->n_dim - 1);
	     c += poly_swizzled_column(to->type)) {
		in[n + 1] = nvptx_int(l->ir, c);
		nvptx_index(l, to, element->write_index, in, index);
		at = nvptx_address(l, to, index);
		nvptx_index(l, e->array, e->index, in, index);
		go_to_pixels(l, e->array, &boxes, in, index, off);
		nvptx_start_box(l, element, at, barrier, map, index, off, parts,
			&boxes);
	}
	poly_boxes_free(&boxes);
}

LLVMValueRef nvptx_copy_steps(struct nvptx_lower *l, const struct poly_stmt *copy)
{
	int64_t steps = poly_copy_steps(l->prog, copy);

	return steps ? nvptx_int(l->ir, steps) : nvptx_extend(l->ir, nvptx_pw_aff(l,
		poly_copy_length(l->prog, copy), NULL), nvptx_i32(l->ir));
}

/* How often the copy "s" has filled "slot" in the tiles that the block had before. */
static LLVMValueRef filled_before(struct nvptx_lower *l,
	const struct poly_stmt *s, LLVMValueRef slot)
{
	int64_t slots = nvptx_extent(s->member[0]->write_array, 0);
	LLVMValueRef last;

	if (!l->value.turn)
		return nvptx_int(l->ir, 0);
	last = nvptx_add(l->ir, nvptx_copy_steps(l, s), nvptx_int(l->ir, slots - 1),
		"");
	return nvptx_mul(l->ir, l->value.turn, nvptx_div(l->ir, nvptx_sub(l->ir,
		last, slot), nvptx_int(l->ir, slots)));
}

/* The phase of the barriers of "slot" that belongs to tile "arg" of the copy "s", and
 * "more" ones behind: phases 0 and 1 are in turn.
 */
static LLVMValueRef phase(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg, LLVMValueRef slot, int more)
{
	LLVMValueRef slots = nvptx_int(l->ir, nvptx_extent(
		s->member[0]->write_array, 0));
	LLVMValueRef n = nvptx_add(l->ir, nvptx_div(l->ir, arg[2], slots),
		filled_before(l, s, slot), "");

	return nvptx_mod(l->ir, nvptx_add(l->ir, n, nvptx_int(l->ir, more), ""),
		nvptx_int(l->ir, 2));
}

/* Wait until nobody reads slot "slot" any more that tile "arg" of "s" is to fill: until
 * the phase before, which has ended if there was none.
 */
static void wait_for_slot(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg, LLVMValueRef slot)
{
	LLVMValueRef wait[2] = { vacant_of(l, s->member[0]->write_array, slot),
		phase(l, s, arg, slot, 1) };

	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_WAIT, wait, 2, "");
}

void nvptx_copy_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_array *to = s->member[0]->write_array;
	int n = isl_set_dim(s->domain, isl_dim_set);
	LLVMValueRef lane = nvptx_thread_number(l, "lane"), in[16];
	LLVMValueRef slot = nvptx_mod(l->ir, arg[2], nvptx_int(l->ir,
		nvptx_extent(to, 0)));
	LLVMValueRef barrier = barrier_of(l, to, slot);
	LLVMValueRef expect[2] = { barrier, nvptx_int(l->ir,
		nvptx_extent(to, 1) * nvptx_extent(to, 2) *
		poly_type_size(to->type)) };
	LLVMValueRef all = nvptx_int(l->ir, -1);
	struct nvptx_branch branch;

	for (int i = 0; i < n; i++)
		in[i] = arg[i];
	if (l->now.role == NVPTX_FEEDS) {
		wait_for_slot(l, s, arg, slot);
		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_EXPECT, expect, 2, "");
		start_boxes(l, s, in, barrier);
		return;
	}
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ, lane,
		nvptx_int(l->ir, 0), ""), "expect");
	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_EXPECT, expect, 2, "");
	if (to->swizzled)
		start_boxes(l, s, in, barrier);
	nvptx_if_end(l->ir, &branch);
	if (!to->swizzled)
		start_rows(l, s, in, lane, barrier);
	if (l->kernel->thread[0] * l->kernel->thread[1] % POLY_LANES == 0)
		nvptx_hw(l->ir, NVPTX_HW_WARP_SYNC, &all, 1, "");
}

void nvptx_wait_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_array *to = s->member[0]->write_array;
	LLVMValueRef slots = nvptx_int(l->ir, nvptx_extent(to, 0));
	LLVMValueRef slot = nvptx_mod(l->ir, arg[2], slots);
	LLVMValueRef wait[2] = { barrier_of(l, to, slot),
		phase(l, s, arg, slot, 0) };

	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_WAIT, wait, 2, "");
}

/* Arrive at the barrier "at" of all "n" blocks that copy for one another. */
static void arrive_at_all(struct nvptx_lower *l, LLVMValueRef at, int n)
{
	if (n == 1)
		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_ARRIVE, &at, 1, "");
	for (int i = 0; n > 1 && i < n; i++) {
		LLVMValueRef arg[2] = { at, nvptx_int(l->ir, i) };

		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_ARRIVE_AT, arg, 2, "");
	}
}

/* Say that nobody reads the slots of tile arg + "tile" of the operands any more, if "cond"
 * (NULL: in any case): with warpgroups the first thread of each does.
 */
static void vacate(struct nvptx_lower *l, int64_t tile, LLVMValueRef arg,
	LLVMValueRef cond)
{
	LLVMValueRef step = nvptx_add(l->ir, arg, nvptx_int(l->ir, tile), ""), at;
	struct nvptx_branch branch;

	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, "vacate");
	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_array *a = filled(l, l->prog->stmt[i]);

		if (!a)
			continue;
		at = vacant_of(l, a, nvptx_mod(l->ir, step, nvptx_int(l->ir,
			nvptx_extent(a, 0))));
		arrive_at_all(l, at, poly_copy_parts(l->kernel, l->prog->stmt[i]));
	}
	if (cond)
		nvptx_if_end(l->ir, &branch);
}

/* Is the thread the first one of its warpgroup? */
static LLVMValueRef is_first(struct nvptx_lower *l)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntEQ, nvptx_mod(l->ir,
		nvptx_thread_number(l, ""), nvptx_int(l->ir,
		POLY_GROUP_THREADS)), nvptx_int(l->ir, 0), "");
}

/* Does a product in the loop of "s" go on? */
static bool goes_on(struct nvptx_lower *l, const struct poly_stmt *s)
{
	const struct poly_stmt *op = poly_first_in_loop(s);

	while (op && !nvptx_unit_goes_on(l, op))
		op = poly_next_in_loop(l->prog, op);
	return op != NULL;
}

/* The last product of a loop frees its slots. One that goes on reads the slot until the
 * next one has begun: what this one frees is the slot before.
 */
void nvptx_vacate(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	LLVMValueRef later;

	if (l->now.role != NVPTX_FED || poly_next_in_loop(l->prog, s))
		return;
	if (!goes_on(l, s)) {
		vacate(l, 0, arg[2], NULL);
		return;
	}
	later = LLVMBuildICmp(l->ir->b, LLVMIntSGT, arg[2], nvptx_int(l->ir, 0),
		"");
	vacate(l, -1, arg[2], LLVMBuildAnd(l->ir->b, is_first(l), later, ""));
}

void nvptx_vacate_last(struct nvptx_lower *l)
{
	LLVMValueRef steps = NULL, first = NULL;

	if (l->now.role != NVPTX_FED)
		return;
	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_array *a = filled(l, l->prog->stmt[i]);

		if (a)
			steps = nvptx_copy_steps(l, l->prog->stmt[i]);
	}
	if (!steps)
		return;
	first = is_first(l);
	if (!LLVMIsAConstantInt(steps))
		first = LLVMBuildAnd(l->ir->b, first, LLVMBuildICmp(l->ir->b, LLVMIntSGT,
			steps, nvptx_int(l->ir, 0), ""), "");
	vacate(l, -1, steps, first);
}

/* ---------------------------------------------------- the barrier of all blocks */

static LLVMValueRef is_zero(struct nvptx_ir *ir, LLVMValueRef v)
{
	return LLVMBuildICmp(ir->b, LLVMIntEQ, v, nvptx_int(ir, 0), "");
}

/* What the block adds to the count. */
static LLVMValueRef share(struct nvptx_lower *l)
{
	int others = poly_kernel_n_block(l->kernel) - 1;
	LLVMValueRef b1 = nvptx_find_var(l,
		poly_coordinate(l->prog, POLY_BLOCK + 1));

	return LLVMBuildSelect(l->ir->b, is_zero(l->ir, b1),
		nvptx_int(l->ir, (int64_t) INT32_MIN - others), nvptx_int(l->ir,
		1), "share");
}

/* Count the block, and wait for all others. */
static void arrive(struct nvptx_lower *l)
{
	unsigned scope = LLVMGetSyncScopeID(l->ir->m->ctx, "device", 6);
	LLVMBasicBlockRef again = nvptx_block(l->ir, "meet");
	LLVMBasicBlockRef done = nvptx_block(l->ir, "met");
	LLVMValueRef was, now;

	LLVMBuildFenceSyncScope(l->ir->b, LLVMAtomicOrderingAcquireRelease,
		scope, "");
	was = LLVMBuildAtomicRMWSyncScope(l->ir->b, LLVMAtomicRMWBinOpAdd,
		l->value.count, share(l), LLVMAtomicOrderingMonotonic, scope);
	LLVMBuildBr(l->ir->b, again);
	LLVMPositionBuilderAtEnd(l->ir->b, again);
	now = LLVMBuildLoad2(l->ir->b, nvptx_i32(l->ir), l->value.count, "now");
	LLVMSetOrdering(now, LLVMAtomicOrderingAcquire);
	LLVMSetAtomicSyncScopeID(now, scope);
	LLVMSetAlignment(now, 4);
	LLVMBuildCondBr(l->ir->b, LLVMBuildICmp(l->ir->b, LLVMIntSGE,
		LLVMBuildXor(l->ir->b, was, now, ""), nvptx_int(l->ir, 0), ""),
		again, done);
	LLVMPositionBuilderAtEnd(l->ir->b, done);
}

/* All blocks of a launch that meet are on the device, so that they may wait for one
 * another. What they have arrived at is counted in memory, of which the launch makes
 * the first word 0:
 *
 *	barrier of the block		what its threads wrote is before ..
 *	if (t1 == 0) {
 *	    fence			.. what this one does
 *	    was = add(count, b1 == 0 ? 2^31 - (blocks - 1) : 1)
 *	    do now = load(count), acquire
 *	    while (was and now have the same bit 31)
 *	}
 *	barrier of the block		for its other threads, too
 *
 * The sum of what all blocks add is 2^31: the last of them turns the highest bit,
 * and the others are 0 again for the next time.
 */
void nvptx_meet(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);
	LLVMBasicBlockRef first, rest;

	if (l->ir->m->opt.device != NVPTX_GPU) {
		nvptx_hw(l->ir, NVPTX_HW_MEET, &zero, 1, "");
		return;
	}
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	first = nvptx_block(l->ir, "first");
	rest = nvptx_block(l->ir, "rest");
	LLVMBuildCondBr(l->ir->b, is_zero(l->ir, l->value.tid[1]), first, rest);
	LLVMPositionBuilderAtEnd(l->ir->b, first);
	arrive(l);
	LLVMBuildBr(l->ir->b, rest);
	LLVMPositionBuilderAtEnd(l->ir->b, rest);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}
