/* Kernels whose blocks help one another with long loops, those whose bounds are data.
 *
 *	y[i] += loop (j from row[i] + lane by 8 below row[i + 1]) ..	lanes of a row
 *	C[i][f] = loop (j from row[i] below row[i + 1]) ..	a thread a feature f
 *
 * Rows of a sparse matrix may have any length, and where one is long its threads work
 * when all others have ended. So at its begin a block looks for loops of its rows that are
 * long. It shares each with all blocks that have nothing else to do:
 *
 *	the loop is cut into chunks, by its length alone,
 *	a chunk is summed by all threads of a block: WIDTH features side by side, or
 *	one cell, its steps one after another to the others,
 *	the block that has the row takes one chunk after another, and puts the loop on
 *	a list in global memory; blocks that have ended look at that, and take
 *	chunks, too, until none is left,
 *	the first block waits for what others have taken, and puts chunks together in
 *	their order: the same bits, whoever has made them.
 *
 * Who waits does so for blocks that run and wait for nothing themselves: all end, in
 * whichever order blocks are started. Where the list is full a block makes its loop
 * alone, with the same bits.
 *
 * In global memory, words that blocks hand on (nvptx/llvm/relay.c): how many loops are on
 * the list; then for each loop how many chunks are taken, how many it has, its note, and
 * what each chunk has made. A note has the bounds, and which instance it is: its indices,
 * or the point of a tile.
 */
#include <string.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Chunks of a loop, at most; rows of the grid at its end that always look whether they can
 * help; steps that are written out.
 */
enum { CHUNKS = 128, LATE = 2048, UNROLL = 4 };
/* Bounds, in front of the indices in a note; words of the list in front of its loops, and
 * of a loop in front of its note.
 */
enum { LOW, HIGH, FIRST_INDEX, HEAD_WORDS = 1, NOTE = 2 };
/* What the block's threads tell one another. */
enum { ANY, EARLY, CHUNK, OPEN, N_SHARED };

/* -------------------------------------------------------------------- places */

static LLVMTypeRef type_of(struct nvptx_lower *l, const struct nvptx_help *h)
{
	return nvptx_value_type(l->ir, h->stmt->rhs->type);
}

static int note_words(const struct nvptx_help *h)
{
	return 2 * (FIRST_INDEX + h->n_index);
}

/* Words of a loop on the list: how many chunks are taken, how many it has, its note, its
 * chunks.
 */
static int loop_words(struct nvptx_lower *l, const struct nvptx_help *h)
{
	return NOTE + note_words(h) + CHUNKS * h->width *
		nvptx_relay_size(l->ir, type_of(l, h));
}

int64_t nvptx_help_words(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;

	return h ? HEAD_WORDS + (int64_t)h->loops * loop_words(l, h) : 0;
}

/* Bytes of shared memory: notes of all rows, and one for a loop of another block; sums
 * of rows; a value for each thread; what threads tell; places on the list.
 */
static int64_t notes_bytes(const struct nvptx_help *h)
{
	return nvptx_places_bytes((h->rows + 1) * (int64_t)note_words(h) * 4);
}

static int64_t sums_bytes(const struct nvptx_help *h)
{
	return nvptx_places_bytes((int64_t)h->rows * h->width *
		poly_type_size(h->stmt->rhs->type));
}

static int64_t values_bytes(const struct nvptx_help *h)
{
	return nvptx_places_bytes((int64_t)h->threads *
		poly_type_size(h->stmt->rhs->type));
}

int64_t nvptx_help_bytes(const struct nvptx_help *h)
{
	return h ? notes_bytes(h) + sums_bytes(h) + values_bytes(h) +
		nvptx_places_bytes((N_SHARED + (int64_t)h->rows) * 4) : 0;
}

/* Element "i" of "type" behind the first "bytes" of what the block has. */
static LLVMValueRef place(struct nvptx_lower *l, int64_t bytes, LLVMTypeRef type,
	LLVMValueRef i)
{
	LLVMValueRef base = nvptx_element(l->ir, LLVMInt8TypeInContext(
		l->ir->m->ctx), l->help->base, nvptx_int(l->ir, bytes));

	return nvptx_element(l->ir, type, base, i);
}

/* Part "i" of the note of row "r". */
static LLVMValueRef note_at(struct nvptx_lower *l, LLVMValueRef r, int i)
{
	int n = note_words(l->help) / 2;

	return place(l, 0, nvptx_i64(l->ir), nvptx_add(l->ir, nvptx_mul(l->ir, r,
		nvptx_int(l->ir, n)), nvptx_int(l->ir, i), ""));
}

LLVMValueRef nvptx_help_sum(struct nvptx_lower *l, LLVMValueRef i)
{
	return place(l, notes_bytes(l->help), type_of(l, l->help), i);
}

static LLVMValueRef value_at(struct nvptx_lower *l, LLVMValueRef i)
{
	return place(l, notes_bytes(l->help) + sums_bytes(l->help),
		type_of(l, l->help), i);
}

static LLVMValueRef told_at(struct nvptx_lower *l, LLVMValueRef i)
{
	return place(l, notes_bytes(l->help) + sums_bytes(l->help) +
		values_bytes(l->help), nvptx_i32(l->ir), i);
}

static LLVMValueRef shared_at(struct nvptx_lower *l, int which)
{
	return told_at(l, nvptx_int(l->ir, which));
}

/* The place of the loop of "row" on the list, or -1. */
static LLVMValueRef slot_at(struct nvptx_lower *l, LLVMValueRef row)
{
	return told_at(l, nvptx_add(l->ir, row, nvptx_int(l->ir, N_SHARED), ""));
}

static LLVMValueRef load(struct nvptx_lower *l, LLVMTypeRef type, LLVMValueRef at)
{
	return LLVMBuildLoad2(l->ir->b, type, at, "");
}

static LLVMValueRef told(struct nvptx_lower *l, int which)
{
	return load(l, nvptx_i32(l->ir), shared_at(l, which));
}

static void share(struct nvptx_lower *l, int which, LLVMValueRef v)
{
	LLVMBuildStore(l->ir->b, v, shared_at(l, which));
}

/* Word "i" of loop "slot" on the list; word "i" of what is in front of all. */
static LLVMValueRef word_at(struct nvptx_lower *l, LLVMValueRef slot, LLVMValueRef i)
{
	LLVMValueRef at = nvptx_mul(l->ir, slot, nvptx_int(l->ir, loop_words(l,
		l->help)));

	at = nvptx_add(l->ir, nvptx_add(l->ir, at, i, ""), nvptx_int(l->ir,
		HEAD_WORDS), "");
	return nvptx_element(l->ir, nvptx_i64(l->ir), l->value.helped, at);
}

static LLVMValueRef head_at(struct nvptx_lower *l, int i)
{
	return nvptx_element(l->ir, nvptx_i64(l->ir), l->value.helped,
		nvptx_int(l->ir, i));
}

/* Where chunk "q" of loop "slot" has what feature "f" makes. */
static LLVMValueRef chunk_at(struct nvptx_lower *l, LLVMValueRef slot, LLVMValueRef q,
	LLVMValueRef f)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef i = nvptx_add(l->ir, nvptx_mul(l->ir, q, nvptx_int(l->ir,
		h->width)), f, "");

	i = nvptx_mul(l->ir, i, nvptx_int(l->ir, nvptx_relay_size(l->ir, type_of(l,
		h))));
	return word_at(l, slot, nvptx_add(l->ir, i, nvptx_int(l->ir, NOTE +
		note_words(h)), ""));
}

static LLVMValueRef below(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntSLT, a, b, "");
}

static LLVMValueRef equal(struct nvptx_lower *l, LLVMValueRef a, int64_t b)
{
	return LLVMBuildICmp(l->ir->b, LLVMIntEQ, a, LLVMConstInt(LLVMTypeOf(a),
		(unsigned long long)b, 1), "");
}

static void barrier(struct nvptx_lower *l)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);

	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* Do what follows, up to nvptx_if_end, in the block's first thread alone. */
static void first_begin(struct nvptx_lower *l, struct nvptx_branch *branch)
{
	nvptx_if_begin(l->ir, branch, equal(l, nvptx_thread_number(l, ""), 0),
		"first");
}

/* What word "at" holds now, without waiting. */
static LLVMValueRef look(struct nvptx_lower *l, LLVMValueRef at)
{
	LLVMValueRef v;

	nvptx_relay_hear(l->ir, at, nvptx_int(l->ir, 0), nvptx_i32(l->ir), &v, 1);
	return v;
}

/* -------------------------------------------------------------------- chunks */

/* A loop that is shared: its row in the notes, its place on the list, or -1; bounds; steps
 * of a chunk, and how many of these it has; the thread's feature and place in a chunk.
 */
struct job {
	LLVMValueRef row, slot, low, high, chunk, n, feature, place;
};

/* The job that the note of "row" tells. */
static struct job job_of(struct nvptx_lower *l, LLVMValueRef row)
{
	const struct nvptx_help *h = l->help;
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef tid = nvptx_thread_number(l, ""), size, least, most;
	struct job j = { .row = row };

	least = LLVMConstInt(i64, (unsigned)h->chunk, 0);
	most = LLVMConstInt(i64, CHUNKS - 1, 0);
	j.low = load(l, i64, note_at(l, row, LOW));
	j.high = load(l, i64, note_at(l, row, HIGH));
	size = LLVMBuildSub(l->ir->b, j.high, j.low, "");
	j.chunk = LLVMBuildLShr(l->ir->b, LLVMBuildAdd(l->ir->b, size, most, ""),
		LLVMConstInt(i64, 7, 0), "");
	j.chunk = LLVMBuildSelect(l->ir->b, below(l, j.chunk, least), least,
		j.chunk, "chunk");
	j.n = LLVMBuildUDiv(l->ir->b, LLVMBuildAdd(l->ir->b, size, LLVMBuildSub(
		l->ir->b, j.chunk, LLVMConstInt(i64, 1, 0), ""), ""), j.chunk, "");
	j.n = LLVMBuildTrunc(l->ir->b, j.n, nvptx_i32(l->ir), "chunks");
	j.feature = nvptx_mod(l->ir, tid, nvptx_int(l->ir, h->width));
	j.place = nvptx_div(l->ir, tid, nvptx_int(l->ir, h->width));
	return j;
}

/* The instance of the note of "row", feature "f", in "in"; the condition that there is
 * one, or NULL.
 */
static LLVMValueRef instance(struct nvptx_lower *l, LLVMValueRef row, LLVMValueRef f,
	LLVMValueRef *in)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef index[NVPTX_HELP_INDEX];

	for (int d = 0; d < h->n_index; d++)
		index[d] = LLVMBuildTrunc(l->ir->b, load(l, nvptx_i64(l->ir),
			note_at(l, row, FIRST_INDEX + d)), h->by_points ?
			nvptx_i32(l->ir) : h->type[d], "");
	if (!h->by_points) {
		memcpy(in, index, h->n_index * sizeof(*in));
		return NULL;
	}
	index[1] = nvptx_add(l->ir, index[1], f, "");
	nvptx_multi_aff(l, h->stmt->at, index, in);
	return nvptx_condition(l, isl_set_preimage_multi_aff(isl_set_copy(
		h->stmt->domain), isl_multi_aff_copy(h->stmt->at)), index);
}

/* What changes nothing. */
LLVMValueRef nvptx_help_nothing(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;
	struct poly_expr *e = poly_expr_nothing(h->op, h->stmt->rhs->type);
	LLVMValueRef v = e ? nvptx_expr(l, e, NULL).v : nvptx_fail(l->ir,
		type_of(l, h), "no memory for a constant");

	poly_expr_free(e);
	return v;
}

LLVMValueRef nvptx_help_joined(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return nvptx_combined(l->ir, l->help->op, l->help->stmt->rhs->type, a, b);
}

/* Have "v" of all threads put together, in a tree, for each feature: the first threads have
 * it in the place of theirs. They must not write there before a barrier.
 */
static void put_together(struct nvptx_lower *l, LLVMValueRef v)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef tid = nvptx_thread_number(l, ""), at = value_at(l, tid);
	LLVMTypeRef type = type_of(l, h);
	struct nvptx_branch branch;

	LLVMBuildStore(l->ir->b, v, at);
	for (int n = h->threads / 2; n >= h->width; n /= 2) {
		barrier(l);
		nvptx_if_begin(l->ir, &branch, below(l, tid, nvptx_int(l->ir, n)),
			"tree");
		v = load(l, type, value_at(l, nvptx_add(l->ir, tid, nvptx_int(l->ir,
			n), "")));
		LLVMBuildStore(l->ir->b, nvptx_help_joined(l, load(l, type, at), v), at);
		nvptx_if_end(l->ir, &branch);
	}
	barrier(l);
}

/* Sum chunk "q" of the job. */
static void sum_chunk(struct nvptx_lower *l, const struct job *j, LLVMValueRef q)
{
	const struct nvptx_help *h = l->help;
	const struct poly_expr *e = h->stmt->rhs;
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	LLVMValueRef in[16], low, high, cond;
	struct nvptx_steps steps = { .unroll = UNROLL };

	cond = instance(l, j->row, j->feature, in);
	low = LLVMBuildAdd(l->ir->b, j->low, LLVMBuildMul(l->ir->b, nvptx_extend(
		l->ir, q, i64), j->chunk, ""), "");
	high = LLVMBuildAdd(l->ir->b, low, j->chunk, "");
	high = LLVMBuildSelect(l->ir->b, below(l, high, j->high), high, j->high,
		"");
	nvptx_debug_stmt(l->ir, h->stmt);
	nvptx_instance(l, h->stmt, in);
	steps.low = LLVMBuildAdd(l->ir->b, low, nvptx_extend(l->ir, j->place, i64),
		"");
	steps.high = cond ? LLVMBuildSelect(l->ir->b, cond, high, steps.low, "") :
		high;
	steps.by = LLVMConstInt(i64, (unsigned)(h->threads / h->width), 0);
	steps.first.v = nvptx_help_nothing(l);
	put_together(l, nvptx_run_steps(l, e, in, &steps).v);
}

/* In the first threads: tell all what chunk "q" of loop "slot" has made. */
static void tell_chunk(struct nvptx_lower *l, LLVMValueRef slot, LLVMValueRef q)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef tid = nvptx_thread_number(l, "");
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, below(l, tid, nvptx_int(l->ir, h->width)),
		"tell");
	nvptx_relay_tell(l->ir, chunk_at(l, slot, q, tid), nvptx_int(l->ir, 1),
		load(l, type_of(l, h), value_at(l, tid)));
	nvptx_if_end(l->ir, &branch);
}

/* Let all threads know the chunk that the block has next: of the list, or "own", the
 * next one of a loop that is not on it.
 */
static LLVMValueRef next_chunk(struct nvptx_lower *l, LLVMValueRef slot,
	LLVMValueRef own)
{
	struct nvptx_branch first, listed;

	first_begin(l, &first);
	if (own)
		share(l, CHUNK, own);
	nvptx_if_begin(l->ir, &listed, LLVMBuildNot(l->ir->b, below(l, slot,
		nvptx_int(l->ir, 0)), ""), "listed");
	share(l, CHUNK, nvptx_relay_turn(l->ir, word_at(l, slot, nvptx_int(l->ir,
		0))));
	nvptx_if_end(l->ir, &listed);
	nvptx_if_end(l->ir, &first);
	barrier(l);
	return told(l, CHUNK);
}

/* --------------------------------------------------------------- one's own loops */

/* Put the job on the list, if it has chunks for others and there is room. Of one thread. */
static void list_job(struct nvptx_lower *l, const struct job *j)
{
	const struct nvptx_help *h = l->help;
	LLVMTypeRef i32 = nvptx_i32(l->ir);
	struct nvptx_branch more, room;
	LLVMValueRef slot, pieces;

	LLVMBuildStore(l->ir->b, nvptx_int(l->ir, -1), slot_at(l, j->row));
	nvptx_if_begin(l->ir, &more, below(l, nvptx_int(l->ir, h->alone), j->n), "more");
	slot = nvptx_relay_turn(l->ir, head_at(l, 0));
	nvptx_if_begin(l->ir, &room, LLVMBuildICmp(l->ir->b, LLVMIntULT, slot,
		nvptx_int(l->ir, h->loops), ""), "room");
	LLVMBuildStore(l->ir->b, slot, slot_at(l, j->row));
	pieces = note_at(l, j->row, 0);
	for (int i = 0; i < note_words(h); i++)
		nvptx_relay_tell(l->ir, word_at(l, slot, nvptx_int(l->ir, NOTE + i)),
			nvptx_int(l->ir, 1), load(l, i32, nvptx_element(l->ir,
			i32, pieces, nvptx_int(l->ir, i))));
	nvptx_relay_tell(l->ir, word_at(l, slot, nvptx_int(l->ir, 1)),
		nvptx_int(l->ir, 1), j->n);
	nvptx_if_end(l->ir, &room);
	nvptx_if_end(l->ir, &more);
}

/* A loop over the rows of the block that are long. */
struct long_rows {
	struct nvptx_loop loop;
	struct nvptx_branch branch;
};

static LLVMValueRef long_rows_begin(struct nvptx_lower *l, struct long_rows *rows)
{
	LLVMTypeRef i64 = nvptx_i64(l->ir);
	struct nvptx_loop *loop = &rows->loop;
	LLVMValueRef high;

	nvptx_loop_begin(l->ir, loop, "row", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	nvptx_loop_body(l->ir, loop, below(l, loop->i, nvptx_int(l->ir,
		l->help->rows)));
	high = load(l, i64, note_at(l, loop->i, HIGH));
	nvptx_if_begin(l->ir, &rows->branch, below(l, load(l, i64, note_at(l,
		loop->i, LOW)), high), "long");
	return loop->i;
}

static void long_rows_end(struct nvptx_lower *l, struct long_rows *rows)
{
	nvptx_if_end(l->ir, &rows->branch);
	nvptx_loop_end(l->ir, &rows->loop, 1);
}

/* Put all loops of the block on the list, before it takes a chunk of one: others can
 * help with the last while it has the first.
 */
static void list_rows(struct nvptx_lower *l)
{
	struct nvptx_branch first;
	struct long_rows rows;
	struct job j;

	first_begin(l, &first);
	j = job_of(l, long_rows_begin(l, &rows));
	list_job(l, &j);
	long_rows_end(l, &rows);
	nvptx_if_end(l->ir, &first);
	barrier(l);
}

/* Put what the thread has of chunk "q", which is not on the list, into "room": the
 * chunks that a thread has are those "q" of its place.
 */
static void keep_chunk(struct nvptx_lower *l, const struct job *j, LLVMValueRef q,
	LLVMValueRef room)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef own = nvptx_mod(l->ir, q, nvptx_int(l->ir, h->threads /
		h->width)), v = load(l, type_of(l, h), room);
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ, own,
		j->place, ""), "own");
	LLVMBuildStore(l->ir->b, nvptx_help_joined(l, v, load(l, type_of(l, h), value_at(l,
		j->feature))), room);
	nvptx_if_end(l->ir, &branch);
}

/* Put the chunks of the list that the thread has into "room". */
static void hear_chunks(struct nvptx_lower *l, const struct job *j, LLVMValueRef room)
{
	struct nvptx_loop loop;
	LLVMValueRef v;

	nvptx_loop_begin(l->ir, &loop, "chunk", j->place, nvptx_int(l->ir,
		l->help->threads / l->help->width));
	nvptx_loop_body(l->ir, &loop, below(l, loop.i, j->n));
	nvptx_relay_hear(l->ir, chunk_at(l, j->slot, loop.i, j->feature),
		nvptx_int(l->ir, 1), type_of(l, l->help), &v, 1);
	LLVMBuildStore(l->ir->b, nvptx_help_joined(l, load(l, LLVMTypeOf(v), room), v), room);
	nvptx_loop_end(l->ir, &loop, 1);
}

/* Take one chunk after another of the job; a barrier stands behind the last. */
static void take_chunks(struct nvptx_lower *l, const struct job *j, LLVMValueRef room)
{
	LLVMValueRef listed = LLVMBuildNot(l->ir->b, below(l, j->slot, nvptx_int(
		l->ir, 0)), ""), q;
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "own", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	q = next_chunk(l, j->slot, loop.i);
	nvptx_loop_body(l->ir, &loop, below(l, q, j->n));
	sum_chunk(l, j, q);
	nvptx_if_begin(l->ir, &branch, listed, "listed");
	tell_chunk(l, j->slot, q);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, listed, ""), "alone");
	keep_chunk(l, j, q, room);
	nvptx_if_end(l->ir, &branch);
	barrier(l);
	nvptx_loop_end(l->ir, &loop, 1);
	nvptx_if_begin(l->ir, &branch, listed, "listed");
	hear_chunks(l, j, room);
	nvptx_if_end(l->ir, &branch);
}

/* Make the sums of the loop of "row", which is long. */
static void share_row(struct nvptx_lower *l, LLVMValueRef row, LLVMValueRef room)
{
	const struct nvptx_help *h = l->help;
	struct job j = job_of(l, row);
	LLVMValueRef tid = nvptx_thread_number(l, "");
	struct nvptx_branch branch;

	j.slot = load(l, nvptx_i32(l->ir), slot_at(l, row));
	LLVMBuildStore(l->ir->b, nvptx_help_nothing(l), room);
	take_chunks(l, &j, room);
	put_together(l, load(l, type_of(l, h), room));
	nvptx_if_begin(l->ir, &branch, below(l, tid, nvptx_int(l->ir, h->width)),
		"sum");
	LLVMBuildStore(l->ir->b, load(l, type_of(l, h), value_at(l, tid)), nvptx_help_sum(
		l, nvptx_add(l->ir, nvptx_mul(l->ir, row, nvptx_int(l->ir,
		h->width)), tid, "")));
	nvptx_if_end(l->ir, &branch);
	barrier(l);
}

/* Make the sums of all loops of the block that are long. */
static void share_rows(struct nvptx_lower *l)
{
	LLVMValueRef room = nvptx_room(l->ir, type_of(l, l->help), "chunks");
	struct long_rows rows;

	list_rows(l);
	share_row(l, long_rows_begin(l, &rows), room);
	long_rows_end(l, &rows);
}

/* Note the loop of the instance "in", row "row" of the block, if it is long; "index"
 * says which it is.
 */
static void note_row(struct nvptx_lower *l, LLVMValueRef row, const LLVMValueRef *in,
	const LLVMValueRef *index)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef low = nvptx_help_low(l, in), high = nvptx_help_high(l, in);
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, nvptx_help_is_long(l, low, high), "long");
	LLVMBuildStore(l->ir->b, low, note_at(l, row, LOW));
	LLVMBuildStore(l->ir->b, high, note_at(l, row, HIGH));
	for (int d = 0; d < h->n_index; d++)
		LLVMBuildStore(l->ir->b, nvptx_extend(l->ir, index[d],
			nvptx_i64(l->ir)), note_at(l, row, FIRST_INDEX + d));
	share(l, ANY, nvptx_int(l->ir, 1));
	nvptx_if_end(l->ir, &branch);
}

/* In the place of what instances do: take note of those that have a long loop. */
static void note(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	struct nvptx_help *h = l->help;
	LLVMValueRef first;
	struct nvptx_branch branch;

	if (s != h->stmt)
		return;
	for (int d = 0; d < h->n_index; d++)
		h->type[d] = LLVMTypeOf(in[d]);
	first = nvptx_help_lane(l, in);
	if (first)
		nvptx_if_begin(l->ir, &branch, first, "lane");
	note_row(l, nvptx_help_row(l), in, in);
	if (first)
		nvptx_if_end(l->ir, &branch);
}

/* Note the rows of the tile, each WIDTH features of one. */
static void note_points(struct nvptx_lower *l)
{
	const struct nvptx_help *h = l->help;
	int n = l->kernel->tile[1] / h->width;
	LLVMValueRef tid = nvptx_thread_number(l, ""), p[2], in[16], cond;
	LLVMValueRef by[2] = { nvptx_div(l->ir, tid, nvptx_int(l->ir, n)),
		nvptx_mul(l->ir, nvptx_mod(l->ir, tid, nvptx_int(l->ir, n)),
			nvptx_int(l->ir, h->width)) };
	struct nvptx_branch branch, there;

	nvptx_if_begin(l->ir, &branch, below(l, tid, nvptx_int(l->ir, h->rows)),
		"row");
	for (int d = 0; d < 2; d++)
		p[d] = nvptx_add(l->ir, nvptx_mul(l->ir, nvptx_find_var(l,
			poly_coordinate(l->prog, POLY_BLOCK + d)), nvptx_int(
			l->ir, l->kernel->tile[d])), by[d], "");
	nvptx_multi_aff(l, h->stmt->at, p, in);
	cond = nvptx_condition(l, isl_set_preimage_multi_aff(isl_set_copy(
		h->stmt->domain), isl_multi_aff_copy(h->stmt->at)), p);
	if (cond)
		nvptx_if_begin(l->ir, &there, cond, "there");
	nvptx_instance(l, h->stmt, in);
	note_row(l, tid, in, p);
	if (cond)
		nvptx_if_end(l->ir, &there);
	nvptx_if_end(l->ir, &branch);
}

/* No row has a long loop yet. */
static void clear_notes(struct nvptx_lower *l)
{
	LLVMValueRef tid = nvptx_thread_number(l, ""), zero = LLVMConstNull(nvptx_i64(l->ir));
	struct nvptx_branch branch;

	first_begin(l, &branch);
	share(l, ANY, nvptx_int(l->ir, 0));
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, below(l, tid, nvptx_int(l->ir,
		l->help->rows)), "clear");
	LLVMBuildStore(l->ir->b, zero, note_at(l, tid, LOW));
	LLVMBuildStore(l->ir->b, zero, note_at(l, tid, HIGH));
	nvptx_if_end(l->ir, &branch);
	barrier(l);
}

void nvptx_help_begin(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	struct nvptx_help *h = l->help;
	struct nvptx_ranks notes = { .note = note };
	LLVMValueRef early = nvptx_room(l->ir, nvptx_i32(l->ir), "early");
	struct nvptx_branch branch;

	h->value = nvptx_help_value;
	h->bounds = nvptx_help_bounds;
	h->base = nvptx_take_places(l, nvptx_help_bytes(h));
	first_begin(l, &branch);
	LLVMBuildStore(l->ir->b, look(l, head_at(l, 0)), early);
	nvptx_if_end(l->ir, &branch);
	clear_notes(l);
	if (h->by_points) {
		note_points(l);
	} else {
		l->ranks = &notes;
		nvptx_ast(l, ast);
		l->ranks = NULL;
	}
	first_begin(l, &branch);
	share(l, EARLY, load(l, nvptx_i32(l->ir), early));
	nvptx_if_end(l->ir, &branch);
	barrier(l);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, equal(l, told(l,
		ANY), 0), ""), "any");
	share_rows(l);
	nvptx_if_end(l->ir, &branch);
}

/* ------------------------------------------------------------ loops of others */

/* May the list have become longer since the block began, and the rest of the grid be too
 * short to see it?
 */
static LLVMValueRef is_late(struct nvptx_lower *l)
{
	LLVMValueRef n = nvptx_extend(l->ir, nvptx_pw_aff(l, isl_pw_aff_copy(
		l->kernel->grid[0]), NULL), nvptx_i64(l->ir)), at;

	at = nvptx_extend(l->ir, nvptx_find_var(l, poly_coordinate(l->prog,
		POLY_BLOCK)), nvptx_i64(l->ir));
	return below(l, n, LLVMBuildAdd(l->ir->b, at, LLVMConstInt(
		nvptx_i64(l->ir), LATE, 0), ""));
}

/* Have the note of loop "slot" behind those of the block's own rows. */
static void hear_note(struct nvptx_lower *l, LLVMValueRef slot)
{
	const struct nvptx_help *h = l->help;
	LLVMValueRef tid = nvptx_thread_number(l, ""), v;
	LLVMTypeRef i32 = nvptx_i32(l->ir);
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "piece", tid, nvptx_int(l->ir, h->threads));
	nvptx_loop_body(l->ir, &loop, below(l, loop.i, nvptx_int(l->ir,
		note_words(h))));
	nvptx_relay_hear(l->ir, word_at(l, slot, nvptx_add(l->ir, loop.i,
		nvptx_int(l->ir, NOTE), "")), nvptx_int(l->ir, 1), i32, &v, 1);
	LLVMBuildStore(l->ir->b, v, nvptx_element(l->ir, i32, note_at(l,
		nvptx_int(l->ir, h->rows), 0), loop.i));
	nvptx_loop_end(l->ir, &loop, 1);
	barrier(l);
}

/* Take chunks of loop "slot" until none is left. */
static void help_with(struct nvptx_lower *l, LLVMValueRef slot)
{
	struct nvptx_loop loop;
	struct job j;
	LLVMValueRef q;

	hear_note(l, slot);
	j = job_of(l, nvptx_int(l->ir, l->help->rows));
	nvptx_loop_begin(l->ir, &loop, "other", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	q = next_chunk(l, slot, NULL);
	nvptx_loop_body(l->ir, &loop, below(l, q, j.n));
	sum_chunk(l, &j, q);
	tell_chunk(l, slot, q);
	barrier(l);
	nvptx_loop_end(l->ir, &loop, 1);
}

/* Number "i" of the list, counted on from "start", round it. */
static LLVMValueRef round_list(struct nvptx_lower *l, LLVMValueRef i, LLVMValueRef start)
{
	return nvptx_mod(l->ir, nvptx_add(l->ir, i, start, ""), nvptx_int(l->ir,
		l->help->loops));
}

/* Let all threads know the first loop from "start" on, round the list, that has a chunk
 * left, as a number counted from there; the length of the list if there is none. The
 * threads look at all loops at once.
 */
static LLVMValueRef find_open(struct nvptx_lower *l, LLVMValueRef start)
{
	const struct nvptx_help *h = l->help;
	struct nvptx_branch branch;
	struct nvptx_loop loop;
	LLVMValueRef slot;
	bool gpu = l->ir->m->opt.device == NVPTX_GPU;

	first_begin(l, &branch);
	share(l, OPEN, nvptx_int(l->ir, h->loops));
	nvptx_if_end(l->ir, &branch);
	barrier(l);
	nvptx_loop_begin(l->ir, &loop, "listed", nvptx_thread_number(l, ""),
		nvptx_int(l->ir, h->threads));
	nvptx_loop_body(l->ir, &loop, below(l, loop.i, nvptx_int(l->ir, h->loops)));
	slot = round_list(l, loop.i, start);
	nvptx_if_begin(l->ir, &branch, below(l, look(l, word_at(l, slot,
		nvptx_int(l->ir, 0))), look(l, word_at(l, slot, nvptx_int(l->ir,
		1)))), "open");
	LLVMBuildAtomicRMWSyncScope(l->ir->b, LLVMAtomicRMWBinOpMin, shared_at(l,
		OPEN), loop.i, LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(
		l->ir->m->ctx, gpu ? "block" : "", gpu ? 5 : 0));
	nvptx_if_end(l->ir, &branch);
	nvptx_loop_end(l->ir, &loop, 1);
	barrier(l);
	return told(l, OPEN);
}

/* Blocks begin at different places of the list, so that they do not all help with the
 * same loop.
 */
void nvptx_help_end(struct nvptx_lower *l)
{
	LLVMValueRef some = LLVMBuildNot(l->ir->b, equal(l, told(l, EARLY), 0), "");
	LLVMValueRef size = nvptx_int(l->ir, l->help->loops), start, open;
	struct nvptx_branch branch;
	struct nvptx_loop loop;

	nvptx_if_begin(l->ir, &branch, LLVMBuildOr(l->ir->b, some, is_late(l), ""),
		"help");
	start = nvptx_mod(l->ir, nvptx_find_var(l, poly_coordinate(l->prog,
		POLY_BLOCK)), size);
	nvptx_loop_begin(l->ir, &loop, "help", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	open = find_open(l, start);
	nvptx_loop_body(l->ir, &loop, below(l, open, size));
	help_with(l, round_list(l, open, start));
	nvptx_loop_end(l->ir, &loop, 1);
	nvptx_if_end(l->ir, &branch);
}
