/* The sides of a row: ours, and each base that can run, with their arrays.
 *
 * All sides read the same inputs. Ours writes outputs of its own, libraries
 * share others. Rows whose caches are to be cold have so many sets of arrays
 * that a round goes through three times the L2 cache.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_row.h"

/* Array "i" of a side, as often as it has sets.
 *
 * Sets follow each other at a stride, so that set "k" begins at ptr + k *
 * stride. The memory is one block.
 */
static enum tool_exit allocate(struct row *r, struct tool_bench_side *s,
	int i, int64_t size)
{
	struct tool_cuda *g = &r->b->gpu;
	uint64_t stride = ((uint64_t)size + ALIGN - 1) / ALIGN * ALIGN;
	uint64_t all = stride * (uint64_t)(s->round.n_set - 1) + (uint64_t)size;
	enum tool_exit status;

	status = tool_cuda_judge(g, "cuMemAlloc",
		g->mem_alloc(&s->ptr[i], all ? all : 1));
	if (status == TOOL_OK)
		r->block[r->n_block++] = s->ptr[i];
	s->stride[i] = stride;
	return status;
}

/* Fill all sets of array "i", which have "size" bytes.
 *
 * All sets hold the same, so that it does not matter which one a launch reads.
 */
static enum tool_exit fill(struct row *r, const struct tool_bench_side *s,
	int i, int64_t size, enum poly_type type)
{
	enum tool_exit status = TOOL_OK;
	int set;

	for (set = 0; set < s->round.n_set && status == TOOL_OK; set++)
		status = tool_bench_fill(&r->b->data, &r->b->gpu, i, type,
			s->ptr[i] + (uint64_t)set * s->stride[i],
			size / poly_type_size(type));
	return status;
}

/* Outputs are the last of a form's arrays. */
static bool is_output(const struct tool_bench_form *f, int array)
{
	return array >= tool_bench_words(f->arrays) - f->n_out;
}

/* How many sets a row has: one, or enough to fill the cache three times.
 *
 * Two more than three caches take: the set that is used again has then left the
 * cache.
 */
int tool_bench_count_sets(const struct row *r)
{
	int64_t want = 3 * r->b->gpu.l2 / (r->bytes ? r->bytes : 1) + 2;

	if (!r->p->form->cold)
		return 1;
	return want > TOOL_BENCH_N_SET ? TOOL_BENCH_N_SET : (int)want;
}

/* ------------------------------------------------------------------ sides */

/* A new side of the row at the end, with as many sets of arrays as the row has.
 *
 * The place in the list is the number of the side; ours is the first.
 */
static struct tool_bench_side *add_side(struct row *r, const char *name)
{
	struct tool_bench_side *s = &r->t.side[r->t.n_side++];

	s->name = name;
	s->round.n_set = r->n_set;
	s->scale = 1;
	return s;
}

/* Inputs and outputs of a program of ours.
 *
 * Each side that writes has outputs of its own, and inputs may be shared.
 */
static enum tool_exit make_arrays(struct row *r, struct tool_bench_side *s)
{
	const struct tool_bench_program *p = s->program;
	int n = tool_bench_words(p->form->arrays), i;
	enum tool_exit status = TOOL_OK;

	for (i = 0; i < n && status == TOOL_OK; i++) {
		status = allocate(r, s, i, p->bytes[i]);
		if (status == TOOL_OK && !is_output(p->form, i))
			status = fill(r, s, i, p->bytes[i],
				tool_bench_type(p->form, i));
	}
	return status;
}

/* The inputs of ours, and outputs that libraries share.
 *
 * "before" is the side whose arrays are taken over. Behind ours, outputs are
 * new; behind another library they are the same.
 */
static enum tool_exit share_arrays(struct row *r, struct tool_bench_side *s,
	const struct tool_bench_side *before)
{
	enum tool_exit status = TOOL_OK;
	int i;

	for (i = 0; i < r->n_array && status == TOOL_OK; i++) {
		s->ptr[i] = before->ptr[i];
		s->stride[i] = before->stride[i];
		if (is_output(r->p->form, i) && before == &r->t.side[0])
			status = allocate(r, s, i, r->p->bytes[i]);
	}
	return status;
}

/* A copy reads one half of the bytes and writes the other.
 *
 * Bytes in multiples of 16; at least that many.
 */
static enum tool_exit make_copy(struct row *r, struct tool_bench_side *s)
{
	int64_t half = r->bytes / 2 / 16 * 16;
	enum tool_exit status;

	s->copied = half ? half : 16;
	status = allocate(r, s, 0, s->copied);
	if (status == TOOL_OK)
		status = allocate(r, s, 1, s->copied);
	return status == TOOL_OK ? fill(r, s, 0, s->copied, POLY_F32) : status;
}

/* Our own product of matrices of as many points; its time is scaled to as many
 * instructions as ours has.
 *
 * The rival's instructions have one multiplication and one addition each. A
 * form whose instructions do less is scaled by how many it needs for its work.
 */
static enum tool_exit make_rival(struct row *r, struct tool_bench_side *s)
{
	const struct tool_bench_form *f = r->p->form;
	struct tool_bench_size size = tool_bench_rival_size(f, &r->p->size);
	enum tool_exit status;

	s->program = tool_bench_program_of(r->b,
		tool_bench_find(s->base->rival, "nn"), &size, r->p->how);
	/* One set: its arrays need not leave the cache. */
	s->round.n_set = 1;
	if (!s->program || s->program->failed)
		return TOOL_INPUT;
	r->rival = s->program;
	status = tool_bench_program_load(s->program, &r->b->gpu);
	s->scale = 2 * f->issued(f->work(r->p->size.n)) /
		s->program->form->work(size.n);
	return status == TOOL_OK ? make_arrays(r, s) : status;
}

/* Bases that are programs of ours and stand in no table. */
static const struct tool_bench_base fixed = { .name = "fixed" };
static const struct tool_bench_base tuned = { .name = "tuned" };
static const struct tool_bench_base configured = { .name = "config" };
static const struct tool_bench_base model = { .name = "model" };
const struct tool_bench_base tool_bench_against = { .name = "against" };

/* How the program of "base" is compiled.
 *
 * Each is a file of its own (bench_plan.c).
 */
static enum tool_bench_how how_of(const struct tool_bench_base *base)
{
	return base == &tuned ? TOOL_BENCH_TUNED : base == &configured ?
		TOOL_BENCH_CONFIGURED : TOOL_BENCH_FIXED;
}

/* The same program: as it is compiled for these sizes, otherwise, or by another
 * build.
 *
 * The side of another build has been compiled there; only its file is read.
 */
static enum tool_exit make_fixed(struct row *r, struct tool_bench_side *s)
{
	s->program = r->alone ? r->against :
		s->base == &tool_bench_against ? &r->other :
		tool_bench_program_of(r->b, r->p->form, &r->p->size,
			how_of(s->base));
	if (!s->program || s->program->failed)
		return TOOL_INPUT;
	r->own[r->n_own++] = s->program;
	return tool_bench_program_load(s->program, &r->b->gpu);
}

/* Base "i" of a row of "form", or NULL; if our program is for any sizes, the
 * same for these sizes is one more; with --tuning and --config, what those
 * give, too. With --against there is that build alone.
 *
 * Numbers from TOOL_BENCH_N_BASE on are those of the bases that options add.
 */
const struct tool_bench_base *tool_bench_base_at(const struct tool_bench *b,
	const struct tool_bench_form *form, int i)
{
	if (b->o->against)
		return i == 0 ? &tool_bench_against : NULL;
	if (i < TOOL_BENCH_N_BASE)
		return form->base[i].name ? &form->base[i] : NULL;
	if (i == TOOL_BENCH_N_BASE)
		return b->o->parametric && !form->base[0].rival ? &fixed :
			NULL;
	if (i == TOOL_BENCH_N_BASE + 1)
		return b->tuning ? &tuned : NULL;
	return b->config ? &configured : NULL;
}

/* True if what the base needs is there.
 *
 * Each bit of "libraries" is one that has to be there.
 */
bool tool_bench_has_base(const struct tool_bench *b,
	const struct tool_bench_base *base)
{
	int i;

	for (i = 0; base && i < TOOL_N_LIBRARY; i++)
		if ((base->libraries >> i & 1) && !b->lib.there[i])
			return false;
	return base != NULL;
}

/* The number of rows that a form has in the results. */
int tool_bench_bases(const struct tool_bench *b,
	const struct tool_bench_form *form)
{
	int i, n = 0;

	for (i = 0; i < TOOL_BENCH_BASES; i++)
		n += tool_bench_has_base(b, tool_bench_base_at(b, form, i));
	return n;
}

/* Base "i" of row "r", or NULL.
 *
 * A row that is measured alone has one base at most: what it is measured
 * against.
 */
static const struct tool_bench_base *base_of(const struct row *r, int i)
{
	if (r->alone)
		return i == 0 && r->against ? &model : NULL;
	return tool_bench_base_at(r->b, r->p->form, i);
}

/* What a base runs on. Libraries and the fixed program write other outputs
 * than ours, which they share: those of the side "*shared".
 *
 * A copy and a rival have arrays of their own, since their sizes are others.
 */
static enum tool_exit make_base(struct row *r, struct tool_bench_side *s,
	struct tool_bench_side **shared)
{
	enum tool_exit status = TOOL_OK;

	if (s->base->is_copy)
		return make_copy(r, s);
	if (s->base->rival)
		return make_rival(r, s);
	if (!s->base->call)
		status = make_fixed(r, s);
	if (status == TOOL_OK)
		status = share_arrays(r, s, *shared);
	*shared = s;
	return status;
}

/* Make the sides: ours, then each base whose libraries are there.
 *
 * The first side is ours: all others are compared with it.
 */
enum tool_exit tool_bench_make_sides(struct row *r)
{
	struct tool_bench_side *s = add_side(r, "cetane"), *shared = s;
	const struct tool_bench_base *base;
	enum tool_exit status;
	int i;

	s->program = r->p;
	status = make_arrays(r, s);
	for (i = 0; i < TOOL_BENCH_BASES && status == TOOL_OK; i++) {
		base = base_of(r, i);
		if (!tool_bench_has_base(r->b, base))
			continue;
		s = add_side(r, base->name);
		s->base = base;
		status = make_base(r, s, &shared);
	}
	return status;
}
