/* nvptx: what the blocks of a cluster put together along a line. */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_reduce.h"

/* --------------------------------------------------------------- other blocks */

/* The place of "line", behind those of warps, or behind those, too, what all blocks have
 * "together".
 *
 * Behind the places of warps comes one for each line, behind these one more.
 */
static LLVMValueRef line_place(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef line, bool together)
{
	int64_t first = (nvptx_line_rows(n) + together) * nvptx_line_count(n);

	return nvptx_line_place(l->ir, n, base, nvptx_add(l->ir, line, nvptx_int(l->ir,
		first), ""));
}

/* The number of digit "r" of the thread's line.
 *
 * As line_place() counts them.
 */
static LLVMValueRef line_number(struct nvptx_lower *l, const struct nvptx_line *n,
	int r)
{
	return nvptx_add(l->ir, nvptx_mul(l->ir, l->value.tid[!n->axis],
		nvptx_int(l->ir, n->digits)), nvptx_int(l->ir, r), "");
}

/* What the block "rank" has in the place "own" of this one, or has sent to one behind it.
 *
 * The instruction reads a word: a value of 64 bits takes two.
 */
static LLVMValueRef read_block(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef own, LLVMValueRef rank)
{
	struct nvptx_ir *ir = l->ir;
	LLVMTypeRef type = nvptx_line_type(ir, n);
	LLVMValueRef word[2];

	if (l->value.joins)
		return LLVMBuildLoad2(ir->b, type, nvptx_line_place(ir, n, own, nvptx_mul(ir,
			rank, nvptx_int(ir, nvptx_line_count(n)))), "");
	for (int i = 0; i < nvptx_line_bytes(n) / 4; i++) {
		LLVMValueRef arg[2] = { nvptx_element(ir, nvptx_i32(ir), own,
			nvptx_int(ir, i)), rank };

		word[i] = nvptx_hw(ir, NVPTX_HW_CLUSTER_READ, arg, 2, "");
	}
	return nvptx_relay_value(ir, type, word);
}

/* Put "v" into the place "own", from where other blocks read it: all of its words, since
 * these are what they read.
 */
static void show_block(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef own, LLVMValueRef v)
{
	for (int i = 0; i < nvptx_line_bytes(n) / 4; i++)
		LLVMBuildStore(l->ir->b, nvptx_relay_word(l->ir, v, i),
			nvptx_element(l->ir, nvptx_i32(l->ir), own,
				nvptx_int(l->ir, i)));
}

/* What all blocks have in the place "own", put together by the thread.
 *
 * In the order of the blocks, so that each has the same bits.
 */
static LLVMValueRef read_all(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef own)
{
	LLVMValueRef v = read_block(l, n, own, nvptx_int(l->ir, 0));

	for (int i = 1; i < n->blocks; i++)
		v = nvptx_line_combined(l->ir, n, v, read_block(l, n, own,
			nvptx_int(l->ir, i)));
	return v;
}

/* The least power of two that is not below "n".
 *
 * Lanes exchange in groups of powers of two.
 */
static int power_from(int n)
{
	int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* The same, by the threads of a line together: a lane reads one, where lanes are on one
 * line, or a thread all.
 *
 * Lanes beyond the number of blocks have a value that changes nothing.
 */
static LLVMValueRef all_blocks(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef own)
{
	int lanes = power_from(n->blocks);
	LLVMValueRef rank, v;

	if (n->lanes < lanes)
		return read_all(l, n, own);
	rank = nvptx_mod(l->ir, l->value.tid[1], nvptx_int(l->ir, lanes));
	v = LLVMBuildICmp(l->ir->b, LLVMIntULT, rank, nvptx_int(l->ir,
		n->blocks), "");
	rank = LLVMBuildSelect(l->ir->b, v, rank, nvptx_int(l->ir, 0), "");
	v = LLVMBuildSelect(l->ir->b, v, read_block(l, n, own, rank),
		nvptx_line_nothing(l, n), "");
	return nvptx_line_exchanged(l->ir, n, v, lanes, 1);
}

/* Let one thread a line put together what all blocks have, and all others read that, "v"
 * of each digit: a place of another block is far away.
 *
 * The threads of the block take lines in turn.
 */
static void share_blocks(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	int threads = n->kernel->thread[0] * n->kernel->thread[1];
	LLVMValueRef zero = nvptx_int(l->ir, 0);
	int64_t all = nvptx_line_count(n);

	for (int64_t i = 0; i < all; i += threads) {
		LLVMValueRef line = nvptx_add(l->ir, nvptx_thread_number(l, ""),
			nvptx_int(l->ir, i), "");
		struct nvptx_branch branch;

		nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b,
			LLVMIntULT, line, nvptx_int(l->ir, all), ""), "line");
		LLVMBuildStore(l->ir->b, read_all(l, n, line_place(l, n, base,
			line, false)), line_place(l, n, base, line, true));
		nvptx_if_end(l->ir, &branch);
	}
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	for (int r = 0; r < n->digits; r++)
		v[r] = LLVMBuildLoad2(l->ir->b, nvptx_line_type(l->ir, n),
			line_place(l, n, base, line_number(l, n, r), true), "");
}

/* The place of what the first block sends of "line"; those of others are all lines apart. */
static LLVMValueRef sent_place(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef line)
{
	int64_t first = (nvptx_line_rows(n) + (n->axis ? 1 : 2)) * nvptx_line_count(n);

	return nvptx_line_place(l->ir, n, base, nvptx_add(l->ir, line, nvptx_int(l->ir,
		first), ""));
}

/* Send "v" of each digit to all blocks: a thread of the line each to one. Wait for what all
 * have sent, and put that together.
 */
static void exchange_blocks(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	LLVMValueRef barrier = nvptx_element(l->ir, nvptx_i64(l->ir),
		l->value.joins, nvptx_int(l->ir, l->value.n_join)), rank;
	LLVMValueRef to = l->value.tid[n->axis];
	LLVMValueRef wait[2] = { barrier, nvptx_int(l->ir, 0) };
	struct nvptx_branch branch;

	if (!l->value.n_join++)
		nvptx_hw(l->ir, NVPTX_HW_CLUSTER_WAIT, NULL, 0, "");
	rank = nvptx_hw(l->ir, NVPTX_HW_CLUSTER_RANK, NULL, 0, "");
	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntULT, to,
		nvptx_int(l->ir, n->blocks), ""), "send");
	for (int r = 0; r < n->digits; r++) {
		LLVMValueRef place = nvptx_line_place(l->ir, n, sent_place(l, n, base,
			line_number(l, n, r)), nvptx_mul(l->ir, rank,
			nvptx_int(l->ir, nvptx_line_count(n))));

		for (int i = 0; i < nvptx_line_bytes(n) / 4; i++) {
			LLVMValueRef arg[4] = { nvptx_element(l->ir,
				nvptx_i32(l->ir), place, nvptx_int(l->ir, i)),
				barrier, to, nvptx_relay_word(l->ir, v[r], i) };

			nvptx_hw(l->ir, NVPTX_HW_CLUSTER_SEND, arg, 4, "");
		}
	}
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_WAIT, wait, 2, "");
	for (int r = 0; r < n->digits; r++) {
		LLVMValueRef own = sent_place(l, n, base, line_number(l, n, r));

		v[r] = n->axis ? all_blocks(l, n, own) : read_all(l, n, own);
	}
}

/* Put together what all blocks of the cluster have, "v" of each digit.
 *
 * The first thread of each line writes; behind the barrier of the cluster
 * others may read. The block must not end before they have.
 */
void nvptx_line_join_blocks(struct nvptx_lower *l, const struct nvptx_line *n,
	LLVMValueRef base, LLVMValueRef *v)
{
	struct nvptx_branch branch;
	LLVMValueRef first;

	if (l->value.joins) {
		exchange_blocks(l, n, base, v);
		return;
	}
	first = LLVMBuildICmp(l->ir->b, LLVMIntEQ, l->value.tid[n->axis],
		nvptx_int(l->ir, 0), "");
	nvptx_if_begin(l->ir, &branch, first, "block");
	for (int r = 0; r < n->digits; r++)
		show_block(l, n, line_place(l, n, base, line_number(l, n, r), false),
			v[r]);
	nvptx_if_end(l->ir, &branch);
	nvptx_cluster_sync(l->ir);
	if (!n->axis) {
		share_blocks(l, n, base, v);
		return;
	}
	for (int r = 0; r < n->digits; r++)
		v[r] = all_blocks(l, n, line_place(l, n, base,
			line_number(l, n, r), false));
}
