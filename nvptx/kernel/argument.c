/* nvptx: what names stand for where a kernel begins: arguments, arrays in shared memory
 * and registers, the block and the thread.
 */
#include <string.h>

#include <isl/ilp.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

#define SHARED_ALIGN 128
#define SWIZZLED_ALIGN 1024
/* Rows of tiles that blocks which take turns go down together. */
enum { GROUP_ROWS = 16 };

/* The k-th argument, as a value of "type" called "name". */
static LLVMValueRef argument(struct nvptx_ir *ir, int k, LLVMTypeRef type,
	const char *name)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(ir->m->ctx, 0);
	LLVMValueRef v, at = nvptx_int(ir, k);

	if (ir->m->opt.device == NVPTX_GPU) {
		v = LLVMGetParam(ir->fn, k);
		LLVMSetValueName2(v, name, strlen(name));
		return v;
	}
	v = LLVMBuildInBoundsGEP2(ir->b, ptr, LLVMGetParam(ir->fn, 1), &at, 1,
		"");
	v = LLVMBuildLoad2(ir->b, ptr, v, "");
	return LLVMBuildLoad2(ir->b, type, v, name);
}

/* The address of the k-th argument, a map. */
static LLVMValueRef map_argument(struct nvptx_ir *ir, int k)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(ir->m->ctx, 0);
	LLVMValueRef at = nvptx_int(ir, k);

	if (ir->m->opt.device == NVPTX_GPU)
		return LLVMGetParam(ir->fn, k);
	return LLVMBuildLoad2(ir->b, ptr, LLVMBuildInBoundsGEP2(ir->b, ptr,
		LLVMGetParam(ir->fn, 1), &at, 1, ""), "map");
}

/* What the size, block, thread or iterator "name" can be. */
static struct nvptx_range place_range(struct nvptx_lower *l, const char *name)
{
	struct nvptx_range r = { INT32_MIN, INT32_MAX };
	int pos = isl_set_find_dim_by_name(l->fact.places, isl_dim_param, name);
	struct nvptx_range on;
	isl_aff *aff;

	if (pos < 0)
		return r;
	aff = isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(l->fact.places)), isl_dim_param, pos);
	on = nvptx_range_on(l->fact.places, aff);
	isl_aff_free(aff);
	if (on.lo > on.hi)
		return r;
	if (on.lo != INT64_MIN && on.hi != INT64_MAX)
		return on;
	return poly_is_launch(l->prog, name) ? on : r;
}

/* Bind "name", and say of what is not tiled what it can be. */
static void bind_place(struct nvptx_lower *l, const char *name, LLVMValueRef v)
{
	nvptx_bind(l, name, v);
	if (!l->kernel->tiled && !LLVMIsAConstantInt(v))
		nvptx_range_set(l->ir, v, place_range(l, name));
}

/* "v", the size "name", as LLVM sees that it is a multiple of what it always is: so
 * it knows how rows are aligned, of whatever number.
 */
static LLVMValueRef as_multiple(struct nvptx_lower *l, const char *name,
	LLVMValueRef v)
{
	int pos = isl_set_find_dim_by_name(l->fact.known, isl_dim_param, name);
	int n = pos < 0 ? 1 : POLY_RUN_BYTES;

	for (; n > 1; n /= 2) {
		isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_from_aff(
			isl_aff_var_on_domain(isl_local_space_from_space(
			isl_set_get_space(l->fact.known)), isl_dim_param, pos)),
			isl_val_int_from_si(l->prog->ctx, n));
		isl_set *whole = isl_set_params(isl_pw_aff_zero_set(rest));
		bool is = isl_set_is_subset(l->fact.known,
			whole) == isl_bool_true;

		isl_set_free(whole);
		if (is)
			break;
	}
	return n > 1 ? LLVMBuildAnd(l->ir->b, v, LLVMConstInt(LLVMTypeOf(v),
		(unsigned long long) -(int64_t) n, 1), name) : v;
}

/* Bind the size "p": a constant, or the k-th argument, cut to 32 bits unless it is a
 * stride that needs more.
 */
static void bind_param(struct nvptx_lower *l, const struct poly_param *p,
	int k)
{
	struct poly_str name = { 0 };
	LLVMValueRef v;

	if (p->fixed) {
		nvptx_bind(l, p->name, nvptx_int(l->ir, p->value));
		return;
	}
	poly_str_printf(&name, "%s.arg", p->name);
	v = argument(l->ir, k, nvptx_i64(l->ir), name.s ? name.s : "");
	if (p->stride == POLY_STRIDE) {
		nvptx_bind(l, p->name, as_multiple(l, p->name, v));
	} else {
		v = LLVMBuildTrunc(l->ir->b, v, nvptx_i32(l->ir), p->name);
		bind_place(l, p->name, as_multiple(l, p->name, v));
	}
	poly_str_free(&name);
}

/* Bind the launch's iterator "i", the k-th argument. */
static void bind_iterator(struct nvptx_lower *l, int i, int k)
{
	const char *name = poly_coordinate(l->prog, POLY_LAUNCH + i);
	LLVMValueRef v;

	v = argument(l->ir, k, nvptx_i64(l->ir), "");
	if (nvptx_range_type(l->ir, place_range(l, name)) == nvptx_i32(l->ir))
		v = LLVMBuildTrunc(l->ir->b, v, nvptx_i32(l->ir), name);
	bind_place(l, name, v);
}

void nvptx_bind_arguments(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	struct poly_prog *prog = l->prog;
	static const char *const help[] = { "count", "begin", "owner", "sum" };
	LLVMTypeRef ptr = LLVMPointerTypeInContext(l->ir->m->ctx, 0);
	int k = 0;

	for (int i = 0; i < prog->n_array; i++) {
		l->value.is_part[i] = nvptx_is_argument(u, i) &&
			nvptx_part_offset(l, u, i) > 0;
		if (nvptx_is_argument(u, i))
			l->value.base[i] = argument(l->ir, k++, ptr,
				prog->array[i]->name);
	}
	for (int i = 0; i < prog->n_param; i++) {
		bind_param(l, &prog->param[i], k);
		k += !prog->param[i].fixed;
	}
	for (int i = 0; i < poly_kernel_n_host(prog, l->kernel); i++)
		bind_iterator(l, i, k++);
	l->value.count = l->kernel->together ? argument(l->ir, k++, ptr,
		"arrived") :
		NULL;
	l->value.relay = nvptx_relay_words(l) ? argument(l->ir, k++, ptr,
		"relay") : NULL;
	for (int i = 0; l->help && i < NVPTX_N_HELP_ARRAY; i++)
		l->value.help[i] = argument(l->ir, k++, ptr, help[i]);
	for (int i = 0; i < prog->n_stmt; i++)
		if (nvptx_needs_map(u, l->ir, prog->stmt[i]))
			l->value.map[i] = map_argument(l->ir, k++);
}

/* Lay the kernel's shared arrays out one behind the other. Returns their
 * size in bytes.
 */
int64_t nvptx_bind_shared(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->ir->m->ctx);
	LLVMValueRef offset;
	int64_t at = 0, align;

	for (int i = 0; i < l->prog->n_array; i++) {
		const struct poly_array *a = l->prog->array[i];

		if (!nvptx_is_used(u, i) || a->space != POLY_SHARED)
			continue;
		align = a->swizzled ? SWIZZLED_ALIGN : SHARED_ALIGN;
		at = (at + align - 1) / align * align;
		offset = nvptx_int(l->ir, at);
		l->value.base[i] = LLVMBuildInBoundsGEP2(l->ir->b, byte,
			l->value.shared,
			&offset, 1, a->name);
		at += nvptx_shared_size(a);
		at = (at + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
	}
	return at;
}

/* Note which arrays all threads of a line hold, in "l->fact.along". */
static void note_lines(struct nvptx_lower *l)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);

	l->fact.has_lines = false;
	l->summed.n = 0;
	l->late = (struct nvptx_late){ 0 };
	for (int i = 0; i < n; i++) {
		l->fact.has_lines |= op[i]->kind == POLY_REDUCE ||
			op[i]->kind == POLY_SCAN;
		l->late.products += op[i]->kind == POLY_CONTRACT;
	}
	if (l->fact.has_lines && op)
		l->fact.narrow = l->ir->narrow = nvptx_is_small(l, op, n);
	for (int i = 0; op && i < l->prog->n_array; i++)
		l->fact.along[i] = poly_lines_of(op, n, l->prog->array[i]);
	isl_union_set_free(domain);
	free(op);
}

void nvptx_bind_registers(struct nvptx_lower *l, const struct nvptx_kernel_usage *u)
{
	note_lines(l);
	l->late.registers = nvptx_thread_registers(l, u);
	for (int i = 0; i < l->prog->n_array; i++)
		if (nvptx_is_used(u, i) && l->prog->array[i]->space == POLY_REGISTER)
			l->value.base[i] = nvptx_registers(l,
				l->prog->array[i]);
}

/* True if the grid has at most GRID_Y tiles in dimension 0, the batch among
 * them, for all sizes, and these are fixed.
 */
static bool is_short_grid(struct nvptx_lower *l)
{
	double all = 1;

	for (int i = 0; i <= l->kernel->n_batch; i++) {
		isl_pw_aff *n = isl_pw_aff_intersect_params(isl_pw_aff_copy(
			i ? l->kernel->batch[i - 1] : l->kernel->grid[0]),
			isl_set_copy(l->fact.known));
		isl_val *max = isl_pw_aff_max_val(n);

		all *= isl_val_is_int(max) == isl_bool_true ?
			(double) isl_val_get_num_si(max) : POLY_GRID_Y + 1.;
		isl_val_free(max);
	}
	return all <= POLY_GRID_Y;
}

/* Blocks behind the last of "n" leave. */
static void guard_block(struct nvptx_ir *ir, LLVMValueRef b0, LLVMValueRef n)
{
	LLVMBasicBlockRef body = nvptx_block(ir, "tile");
	LLVMBasicBlockRef leave = nvptx_block(ir, "leave");

	LLVMBuildCondBr(ir->b, LLVMBuildICmp(ir->b, LLVMIntSLT, b0, n, ""),
		body, leave);
	LLVMPositionBuilderAtEnd(ir->b, leave);
	LLVMBuildRetVoid(ir->b);
	LLVMPositionBuilderAtEnd(ir->b, body);
}

/* A size of the grid, which has as many bits as the numbers of blocks. */
static LLVMValueRef grid_size(struct nvptx_lower *l, __isl_keep isl_pw_aff *n)
{
	return nvptx_extend(l->ir, nvptx_pw_aff(l, isl_pw_aff_copy(n), NULL),
		nvptx_i32(l->ir));
}

/* The digit of the batch that is number "i" to move from block to block. Where tiles have
 * no product, memory is what blocks share, and those side by side have the innermost loop.
 */
static int batch_digit(const struct poly_kernel *k, int i)
{
	return k->tile_k || !k->tiled ? i : k->n_batch - 1 - i;
}

/* Take the batch digits b2, .. from "row", of which the tile's b0 is left: row
 * = b0 + n0 (b2 + n2 (b3 + ..)), or the last digit in the place of the first.
 */
static LLVMValueRef bind_batch(struct nvptx_lower *l, LLVMValueRef row,
	LLVMValueRef n0)
{
	const struct poly_kernel *k = l->kernel;
	LLVMValueRef b0 = nvptx_mod(l->ir, row, n0), rest = row, n = n0;

	for (int i = 0; i < k->n_batch; i++) {
		int digit = batch_digit(k, i);
		bool last = i == k->n_batch - 1;

		rest = nvptx_div(l->ir, rest, n);
		n = last ? NULL : grid_size(l, k->batch[digit]);
		nvptx_bind(l, poly_coordinate(l->prog, POLY_BLOCK + 2 + digit),
			last ? rest : nvptx_mod(l->ir, rest, n));
	}
	return b0;
}

/* The tile that the thread's warp has, where a block has "tiles" in one column. Warps behind
 * the last one leave.
 */
static LLVMValueRef tile_of_warp(struct nvptx_lower *l, LLVMValueRef block,
	LLVMValueRef warp, int tiles)
{
	int64_t all = nvptx_column_tiles(l, l->kernel);
	LLVMValueRef tile = nvptx_add(l->ir, nvptx_mul(l->ir, block,
		nvptx_int(l->ir, tiles)), warp, "b0");

	if (all % tiles)
		guard_block(l->ir, tile, nvptx_int(l->ir, all));
	return tile;
}

/* Bind the row of the grid that the block is in: b0 and the batch. Where it has several
 * "tiles" it is in that of its "warp"; rows may lie "along_x".
 */
static void bind_row(struct nvptx_lower *l, LLVMValueRef warp, int tiles, bool along_x)
{
	const struct poly_kernel *k = l->kernel;
	bool is_short = along_x || tiles > 1 || is_short_grid(l);
	LLVMValueRef row, z, n0 = NULL, n;

	row = nvptx_hw(l->ir, along_x ? NVPTX_HW_CTAID_X : NVPTX_HW_CTAID_Y, NULL, 0,
		is_short && tiles == 1 ? "b0" : "");
	if (tiles > 1)
		row = tile_of_warp(l, row, warp, tiles);
	if (!is_short) {
		z = nvptx_hw(l->ir, NVPTX_HW_CTAID_Z, NULL, 0, "");
		z = nvptx_mul(l->ir, z, nvptx_int(l->ir, POLY_GRID_Y));
		row = nvptx_add(l->ir, z, row, "b0");
	}
	if (!is_short || k->n_batch)
		n0 = grid_size(l, k->grid[0]);
	n = n0;
	for (int i = 0; i < k->n_batch && !is_short; i++)
		n = nvptx_mul(l->ir, n, grid_size(l, k->batch[i]));
	if (!is_short)
		guard_block(l->ir, row, n);
	bind_place(l, poly_coordinate(l->prog, POLY_BLOCK),
		k->n_batch ? bind_batch(l, row, n0) : row);
}

LLVMValueRef nvptx_count_tiles(struct nvptx_lower *l)
{
	int64_t n = poly_kernel_count(l->prog, l->kernel);
	LLVMValueRef all;

	if (n)
		return nvptx_int(l->ir, n);
	all = nvptx_extend(l->ir, grid_size(l, l->kernel->grid[0]), nvptx_i64(l->ir));
	all = nvptx_mul(l->ir, all, nvptx_extend(l->ir, grid_size(l,
		l->kernel->grid[1]), nvptx_i64(l->ir)));
	for (int i = 0; i < l->kernel->n_batch; i++)
		all = nvptx_mul(l->ir, all, nvptx_extend(l->ir, grid_size(l,
			l->kernel->batch[i]), nvptx_i64(l->ir)));
	return all;
}

/* The column of the tile "rest" of a group, whose first row is "first" of "rows": the last
 * group may be lower than others. Where "rows" are known both heights are constants, by
 * which ptxas divides without a call.
 */
static LLVMValueRef column_of(struct nvptx_lower *l, LLVMValueRef rest, LLVMValueRef first,
	LLVMValueRef rows, LLVMValueRef *height)
{
	LLVMValueRef high = nvptx_int(l->ir, GROUP_ROWS), low, left, is_low;
	bool known = LLVMIsAConstantInt(rows);
	int last = known ? (int)(LLVMConstIntGetZExtValue(rows) % GROUP_ROWS) : 0;

	left = nvptx_sub(l->ir, rows, first);
	is_low = LLVMBuildICmp(l->ir->b, LLVMIntULT, left, high, "");
	low = !known ? left : last ? nvptx_int(l->ir, last) : high;
	*height = LLVMBuildSelect(l->ir->b, is_low, low, high, "");
	if (!known)
		return LLVMBuildUDiv(l->ir->b, rest, *height, "");
	return LLVMBuildSelect(l->ir->b, is_low, nvptx_div(l->ir, rest, low),
		nvptx_div(l->ir, rest, high), "");
}

/* Tiles of a group of rows go down its columns, one after another, so that those that
 * run at once share what they read:
 *
 *	tile  = rows * columns * group + rest,	rest = column * height + row
 *
 * Those of a cluster along rows lie side by side: then "column" is that of a cluster.
 */
void nvptx_bind_tile(struct nvptx_lower *l, LLVMValueRef tile)
{
	const struct poly_kernel *k = l->kernel;
	LLVMValueRef n0 = grid_size(l, k->grid[0]), rows = n0, columns, all;
	LLVMValueRef first, rest, height, high = nvptx_int(l->ir, GROUP_ROWS);
	LLVMValueRef side = nvptx_int(l->ir, poly_cluster(k, 1)), beside, column, b1;

	for (int i = 0; i < k->n_batch; i++)
		rows = nvptx_mul(l->ir, rows, grid_size(l, k->batch[i]));
	columns = grid_size(l, k->grid[1]);
	all = nvptx_mul(l->ir, columns, high);
	all = nvptx_extend(l->ir, all, LLVMTypeOf(tile));
	first = nvptx_mul(l->ir, nvptx_extend(l->ir, LLVMBuildUDiv(l->ir->b, tile,
		all, ""), nvptx_i32(l->ir)), high);
	rest = nvptx_extend(l->ir, LLVMBuildURem(l->ir->b, tile, all, ""),
		nvptx_i32(l->ir));
	beside = nvptx_mod(l->ir, rest, side);
	rest = nvptx_div(l->ir, rest, side);
	column = column_of(l, rest, first, rows, &height);
	b1 = nvptx_mul(l->ir, column, side);
	nvptx_bind(l, poly_coordinate(l->prog, POLY_BLOCK + 1),
		nvptx_add(l->ir, b1, beside, "b1"));
	first = LLVMBuildAdd(l->ir->b, first, nvptx_sub(l->ir, rest, nvptx_mul(l->ir,
		column, height)), "b0");
	nvptx_bind(l, poly_coordinate(l->prog, POLY_BLOCK),
		k->n_batch ? bind_batch(l, first, n0) : first);
}

/* Are the blocks of a product on matrix units, whose numbers are known, so many rounds
 * that those which run at once had better share what they read?
 */
static bool has_groups(struct nvptx_lower *l)
{
	enum { ROUNDS = 8 };
	const struct poly_kernel *k = l->kernel;

	return k->unit && poly_cluster(k, 0) * poly_cluster(k, 1) == 1 &&
		is_short_grid(l) && poly_kernel_count(l->prog, k) >
		ROUNDS * l->prog->target.multiprocessors;
}

/* Bind the tile of the block, of which "y" and "x" read the place in the grid. */
static void bind_block(struct nvptx_lower *l, enum nvptx_hw y, enum nvptx_hw x)
{
	LLVMValueRef row = nvptx_hw(l->ir, y, NULL, 0, "");

	row = nvptx_mul(l->ir, row, grid_size(l, l->kernel->grid[1]));
	nvptx_bind_tile(l, nvptx_add(l->ir, row, nvptx_hw(l->ir, x, NULL, 0, ""),
		""));
}

static void bind_again(struct nvptx_lower *l)
{
	bind_block(l, NVPTX_HW_CTAID_Y_ANEW, NVPTX_HW_CTAID_X_ANEW);
}

/* Bind the tile of a block whose kernel hands values on: the next one in the order in
 * which blocks come. One thread asks for all. Blocks that come when all are taken leave.
 */
static void bind_next(struct nvptx_lower *l)
{
	const struct poly_kernel *k = l->kernel;
	LLVMValueRef zero = nvptx_int(l->ir, 0), at, tile;
	struct nvptx_branch branch;

	at = nvptx_take_places(l, nvptx_relay_bytes());
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_thread_number(l, ""), zero, ""), "next");
	LLVMBuildStore(l->ir->b, nvptx_relay_turn(l->ir, l->value.relay), at);
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	tile = LLVMBuildLoad2(l->ir->b, nvptx_i32(l->ir), at, "tile");
	if (!is_short_grid(l))
		guard_block(l->ir, tile, nvptx_count_tiles(l));
	nvptx_bind(l, poly_coordinate(l->prog, POLY_BLOCK + 1), zero);
	nvptx_bind(l, poly_coordinate(l->prog, POLY_BLOCK), k->n_batch ?
		bind_batch(l, tile, grid_size(l, k->grid[0])) : tile);
	l->value.tile = tile;
}

/* Bind the thread. Returns which of the block's "tiles" its warp has; 0 where it is one. */
static LLVMValueRef bind_thread(struct nvptx_lower *l, int tiles)
{
	LLVMValueRef rows = nvptx_int(l->ir, l->kernel->thread[0]), warp = nvptx_int(l->ir, 0);
	LLVMValueRef row = nvptx_hw(l->ir, NVPTX_HW_TID_Y, NULL, 0, tiles > 1 ? "" : "t0");

	if (tiles > 1) {
		warp = nvptx_div(l->ir, row, rows);
		row = nvptx_mod(l->ir, row, rows);
	}
	l->value.tid[0] = row;
	l->value.tid[1] = nvptx_hw(l->ir, NVPTX_HW_TID_X, NULL, 0, "t1");
	bind_place(l, poly_coordinate(l->prog, POLY_THREAD), l->value.tid[0]);
	bind_place(l, poly_coordinate(l->prog, POLY_THREAD + 1),
		l->value.tid[1]);
	return warp;
}

void nvptx_bind_threads(struct nvptx_lower *l)
{
	bind_thread(l, 1);
}

void nvptx_bind_places(struct nvptx_lower *l, int tiles)
{
	LLVMValueRef warp = bind_thread(l, tiles);
	bool along_x;

	if (l->kernel->blocks)
		return;
	if (l->value.relay) {
		bind_next(l);
		return;
	}
	if (has_groups(l)) {
		bind_block(l, NVPTX_HW_CTAID_Y, NVPTX_HW_CTAID_X);
		l->late.bind = bind_again;
		return;
	}
	along_x = nvptx_lies_along_x(l, l->kernel, tiles);
	bind_place(l, poly_coordinate(l->prog, POLY_BLOCK + 1),
		tiles > 1 || along_x ? nvptx_int(l->ir, 0) :
		nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, "b1"));
	bind_row(l, warp, tiles, along_x);
}
