/* nvptx: asynchronous copies, at once or bit by bit while the product behind them runs. */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/lower_copy.h"

/* Addresses of the thread's first run in the buffer and in the array, and what
 * must be added to them from one row or column of the box to the next, if it is
 * the same for all: a constant, and in the array "more", unless that is NULL.
 */
struct walk {
	LLVMValueRef at[2], more[2];
	int64_t stride[2][2];
	bool steady;
	bool swizzled;		/* the buffer is, whose addresses are no sums */
	int64_t repeat, far;	/* nvptx_copy_repeats, where that is not steady */
};

static LLVMValueRef buffer_address(struct nvptx_lower *l, const struct nvptx_copy *c)
{
	LLVMValueRef index[16];

	nvptx_index(l, c->point->write_array, c->point->write_index, c->in,
		index);
	return nvptx_address(l, c->point->write_array, index);
}

/* The addresses of the place c->in in the buffer and in the array. */
static void address(struct nvptx_lower *l, struct nvptx_copy *c,
	LLVMValueRef at[2])
{
	const struct poly_expr *e = c->point->rhs;
	LLVMValueRef index[16];

	at[0] = buffer_address(l, c);
	at[1] = nvptx_axes_address(l, e->array, e->index, c->in);
	if (at[1])
		return;
	nvptx_index(l, e->array, e->index, c->in, index);
	at[1] = nvptx_address(l, e->array, index);
}

/* The rows of "box" after which the array's part of the copy repeats itself, where the
 * buffer's is steady. Rows of a turn are whole repetitions.
 */
static void plan_repeats(struct nvptx_lower *l, struct nvptx_copy *c, struct walk *w,
	__isl_keep isl_set *box)
{
	const struct poly_array *to = c->point->write_array;
	bool steady = !w->swizzled && c->share.side;

	for (int d = 0; d < 2 && steady; d++)
		steady = nvptx_stride(l, to, c->point->write_index, box, c->n_arg + d,
			&w->stride[0][d]);
	w->repeat = steady ? nvptx_copy_repeats(l, c, box, &w->far) : 0;
	if (!w->repeat)
		return;
	nvptx_copy_place(l->ir, c, 0);
	w->at[0] = buffer_address(l, c);
}

/* Set "w": whether a thread goes from one of its runs to the next by distances that
 * are the same all over the box, how far, and where it begins.
 */
static void plan_walk(struct nvptx_lower *l, struct nvptx_copy *c, struct walk *w)
{
	const struct poly_expr *e = c->point->rhs;
	const struct poly_array *to = c->point->write_array;
	isl_set *at = nvptx_copy_box(&l->fact, c);

	*w = (struct walk){ .steady = c->share.side != 0, .swizzled = to->swizzled };
	for (int d = 0; d < 2 && w->steady; d++)
		w->steady = (to->swizzled || nvptx_stride(l, to,
			c->point->write_index, at, c->n_arg + d,
			&w->stride[0][d])) &&
			nvptx_long_stride(l, e->array, e->index, at,
			c->n_arg + d, &w->stride[1][d], &w->more[d]);
	if (!w->steady)
		plan_repeats(l, c, w, at);
	isl_set_free(at);
	if (!w->steady)
		return;
	nvptx_copy_place(l->ir, c, 0);
	address(l, c, w->at);
}

/* "n" times "stride", which is no more than that of all rows. */
static LLVMValueRef times(struct nvptx_ir *ir, const struct nvptx_copy *c,
	LLVMValueRef n, int64_t stride)
{
	int64_t most = c->share.size[!c->share.along] * stride;

	if (most > INT32_MAX || most < INT32_MIN)
		return LLVMBuildMul(ir->b, nvptx_extend(ir, n, nvptx_i64(ir)),
			LLVMConstInt(nvptx_i64(ir), stride, 1), "");
	return nvptx_mul(ir, n, nvptx_int(ir, stride));
}

/* "at", in the array, and so many rows or columns "d" more. */
static LLVMValueRef add_more(struct nvptx_ir *ir, const struct nvptx_copy *c,
	const struct walk *w, int d, int64_t move, LLVMValueRef at)
{
	LLVMTypeRef type = nvptx_memory_type(ir, c->point->write_array->type);

	if (!w->more[d] || !move)
		return at;
	return nvptx_element(ir, type, at, nvptx_mul(ir, w->more[d],
		LLVMConstInt(nvptx_i64(ir), move, 1)));
}

/* The row "n" behind the first one, from that of the run before: so one distance
 * does for all of them.
 */
static LLVMValueRef go_to_row(struct nvptx_ir *ir, struct nvptx_copy *c,
	const struct walk *w, int64_t n)
{
	if (!c->row) {
		c->row = w->at[1];
		c->n_row = 0;
	}
	c->row = add_more(ir, c, w, !c->share.along, n - c->n_row, c->row);
	c->n_row = n;
	return c->row;
}

/* The address in the buffer, 0, or the array, 1, of the run in "r", whose place is in c->in:
 * distances are the same all over the box.
 */
static LLVMValueRef steady_address(struct nvptx_lower *l, struct nvptx_copy *c,
	const struct walk *w, const struct nvptx_run *r, int i)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, c->point->write_array->type);
	int dir = c->share.along;
	int64_t move[2];
	LLVMValueRef at;

	if (i == 0 && w->swizzled)
		return buffer_address(l, c);
	move[dir] = r->add[dir] * c->share.run;
	move[!dir] = r->add[!dir];
	at = i ? go_to_row(l->ir, c, w, move[!dir]) : w->at[0];
	if (c->later)
		at = nvptx_element(l->ir, type, at, times(l->ir, c, c->later,
			w->stride[i][!dir]));
	if (i)
		at = add_more(l->ir, c, w, dir, move[dir], at);
	return nvptx_element(l->ir, type, at, nvptx_exact_int(l->ir,
		move[0] * w->stride[i][0] + move[1] * w->stride[i][1]));
}

/* Addresses in buffer and array of the run in "r", whose place is in c->in. */
static void run_address(struct nvptx_lower *l, struct nvptx_copy *c,
	const struct walk *w, const struct nvptx_run *r, LLVMValueRef at[2])
{
	if (!w->steady) {
		address(l, c, at);
		return;
	}
	for (int i = 0; i < 2; i++)
		at[i] = steady_address(l, c, w, r, i);
}

/* The address in the array and the bytes of a run in the first rows; NULL: not known. */
struct nvptx_first_run {
	LLVMValueRef at, n;
};

/* The bytes that the run at c->in, of "size", reads: none if it lies outside the array. LLVM
 * would make two selections of two conditions at once, which costs where the runs are
 * single elements, and many.
 */
static LLVMValueRef run_bytes(struct nvptx_lower *l, const struct nvptx_copy *c, int64_t size)
{
	LLVMValueRef n = nvptx_int(l->ir, size), cond = c->whole ? NULL :
		nvptx_condition(l, isl_set_copy(c->inside), c->in);

	if (cond && c->share.run == 1)
		cond = nvptx_hw(l->ir, NVPTX_HW_HIDE, &cond, 1, "");
	return cond ? LLVMBuildSelect(l->ir->b, cond, n, nvptx_int(l->ir, 0), "") : n;
}

/* The run in "r", which is at c->in, where that repeats an earlier one: its address in the
 * array, and the bytes "*n" that it reads. Those of the first rows are in "seen", by row,
 * then columns that "columns" counts; NULL: they need not be where this run is.
 */
static LLVMValueRef repeated(struct nvptx_lower *l, struct nvptx_copy *c, const struct walk *w,
	const struct nvptx_run *r, int64_t size, struct nvptx_first_run *seen, LLVMValueRef *n)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, c->point->write_array->type);
	int dir = c->share.along, row = (int)(r->add[!dir] % w->repeat);
	int64_t columns = c->share.size[dir] / (c->share.side * c->share.run);
	int64_t rows = r->add[!dir] - row;
	struct nvptx_first_run own = { NULL, NULL }, *first = seen ? &seen[row * columns +
		r->add[dir] / c->share.side] : &own;
	LLVMValueRef at[2];

	if (!first->at) {
		c->in[c->n_arg + !dir] = nvptx_add(l->ir, nvptx_div(l->ir, c->lane,
			nvptx_int(l->ir, r->width)), nvptx_int(l->ir, row), "");
		first->n = run_bytes(l, c, size);
		address(l, c, at);
		first->at = at[1];
	}
	*n = first->n;
	at[1] = first->at;
	if (c->later)
		at[1] = nvptx_element(l->ir, type, at[1], times(l->ir, c, c->turn,
			c->rows / w->repeat * w->far));
	return nvptx_element(l->ir, type, at[1], nvptx_exact_int(l->ir,
		rows / w->repeat * w->far));
}

/* Start the copy of the thread's e-th run; of one that lies outside the array,
 * nothing is read, whatever its address is, and its elements become 0.
 */
static void start_run(struct nvptx_lower *l, struct nvptx_copy *c,
	const struct walk *w, int64_t e, struct nvptx_first_run *seen)
{
	int64_t size = c->share.run * poly_type_size(c->point->write_array->type);
	LLVMValueRef present = nvptx_copy_place(l->ir, c, e), row = c->row,
		at[2], n;
	struct nvptx_run r = nvptx_share_run(&c->share, e);
	int64_t n_row = c->n_row;
	struct nvptx_branch branch;

	if (present)
		nvptx_if_begin(l->ir, &branch, present, "copy");
	if (w->repeat) {
		at[0] = steady_address(l, c, w, &r, 0);
		at[1] = repeated(l, c, w, &r, size, present ? NULL : seen, &n);
	} else {
		n = run_bytes(l, c, size);
		run_address(l, c, w, &r, at);
	}
	nvptx_start_copy(l, c->point, at, size, n);
	if (!present)
		return;
	nvptx_if_end(l->ir, &branch);
	c->row = row;
	c->n_row = n_row;
}

/* Start the runs of the thread from "e" on, up to "end". */
static void start_runs(struct nvptx_lower *l, struct nvptx_copy *c, const struct walk *w,
	int64_t e, int64_t end)
{
	struct nvptx_first_run *seen = w->repeat ? calloc(w->repeat * c->share.size[
		c->share.along] + 1, sizeof(*seen)) : NULL;

	for (; e < end; e++)
		start_run(l, c, w, e, seen);
	free(seen);
}

/* A copy of elements that is started while a product runs, so many runs in each turn; "carried", if rows are not equally far for all sizes, is the first
 * one of a turn.
 */
struct nvptx_start_later {
	struct nvptx_copy c;
	struct walk w;
	LLVMValueRef carried;
	int64_t runs;
};

/* Start all runs of the thread as one group. */
static void start_all(struct nvptx_lower *l, struct nvptx_copy *c,
	const struct walk *w)
{
	c->row = NULL;
	start_runs(l, c, w, 0, c->share.n);
	nvptx_hw(l->ir, NVPTX_HW_COPY_COMMIT, NULL, 0, "");
}

/* Start all of the thread's runs, as one group, or leave it to the product
 * that follows. True if that owns "c" then.
 */
bool nvptx_copy_start(struct nvptx_lower *l, struct nvptx_copy *c)
{
	int turns = l->put_off.turns;
	struct nvptx_start_later *more;
	struct walk w;
	int64_t runs;

	nvptx_share_out(&c->share, nvptx_copy_run(l, c));
	if (l->kernel->unit)
		turns = turns ? 1 : 0;
	else if (turns)
		nvptx_share_in_lines(&c->share, turns);
	plan_walk(l, c, &w);
	runs = !turns ? 0 : l->kernel->unit ? c->share.n :
		nvptx_share_turn(&c->share, turns);
	if (!nvptx_share_checked(l->ir, nvptx_share_covers(&c->share,
	    l->kernel->unit || !runs ? 1 : turns)))
		return false;
	if (!runs) {
		start_all(l, c, &w);
		return false;
	}
	more = realloc(l->put_off.list, (l->put_off.n + 1) * sizeof(*more));
	if (!more) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
		return false;
	}
	c->rows = c->share.size[!c->share.along] / turns;
	if (w.repeat && c->rows % w.repeat)
		w.repeat = 0;
	l->put_off.list = more;
	more[l->put_off.n++] = (struct nvptx_start_later) { *c, w, NULL, runs };
	return true;
}

/* The tiles whose box lies inside the array. */
static __isl_give isl_set *whole_boxes(const struct nvptx_facts *fact,
	const struct nvptx_copy *c)
{
	isl_set *all = isl_set_reset_tuple_id(isl_set_intersect_params(
		isl_set_copy(c->op->domain), isl_set_copy(fact->known)));
	isl_set *part = isl_set_subtract(nvptx_copy_box(fact, c), isl_set_copy(c->inside));

	part = isl_set_project_out(part, isl_dim_set, c->n_arg, 2);
	return isl_set_gist(isl_set_subtract(isl_set_copy(all), part), all);
}

LLVMValueRef nvptx_copy_whole(struct nvptx_lower *l)
{
	LLVMValueRef all = NULL;

	for (int i = 0; i < l->put_off.n; i++) {
		const struct nvptx_copy *c = &l->put_off.list[i].c;
		/* Where turns repeat it, what is asked is asked before the loop. */
		isl_set *whole = l->put_off.list[i].w.repeat ? NULL :
			whole_boxes(&l->fact, c);
		bool none = !whole || isl_set_is_empty(whole) != isl_bool_false;
		LLVMValueRef cond = none ? NULL :
			nvptx_condition(l, isl_set_copy(whole), c->in);

		isl_set_free(whole);
		if (none)
			return NULL;
		if (all && cond)
			cond = LLVMBuildAnd(l->ir->b, all, cond, "");
		all = cond ? cond : all;
	}
	return all;
}

bool nvptx_copy_is_plain(const struct nvptx_put_off *put_off)
{
	bool plain = true;

	for (int i = 0; i < put_off->n; i++)
		plain = plain && isl_set_plain_is_universe(
			put_off->list[i].c.inside) == isl_bool_true;
	return plain;
}

void nvptx_copy_assume_whole(struct nvptx_put_off *put_off, bool whole)
{
	for (int i = 0; i < put_off->n; i++)
		put_off->list[i].c.whole = whole;
}

void nvptx_copy_all(struct nvptx_lower *l)
{
	for (int i = 0; i < l->put_off.n; i++)
		start_all(l, &l->put_off.list[i].c, &l->put_off.list[i].w);
}

void nvptx_copy_slice(struct nvptx_lower *l, int i, int n)
{
	for (int k = 0; k < l->put_off.n; k++) {
		struct nvptx_start_later *p = &l->put_off.list[k];

		if (i == 0)
			p->c.row = NULL;
		start_runs(l, &p->c, &p->w, p->c.share.n * i / n,
			p->c.share.n * (i + 1) / n);
	}
}

int nvptx_copy_step(const struct nvptx_put_off *put_off, int steps)
{
	return put_off->n == 1 ? steps - 1 : 0;
}

void nvptx_copy_part(struct nvptx_lower *l, LLVMValueRef turn)
{
	for (int i = 0; i < l->put_off.n; i++) {
		struct nvptx_start_later *p = &l->put_off.list[i];

		p->c.later = nvptx_mul(l->ir, turn, nvptx_int(l->ir, p->c.rows));
		p->c.turn = turn;
		p->c.row = p->carried;
		p->c.n_row = 0;
		start_runs(l, &p->c, &p->w, 0, p->runs);
		p->c.later = NULL;
	}
}

void nvptx_copy_carry(struct nvptx_lower *l, LLVMBasicBlockRef from)
{
	for (int i = 0; i < l->put_off.n; i++) {
		struct nvptx_start_later *p = &l->put_off.list[i];

		p->carried = NULL;
		if (!p->w.steady || !p->w.more[!p->c.share.along])
			continue;
		p->carried = LLVMBuildPhi(l->ir->b, LLVMTypeOf(p->w.at[1]), "");
		LLVMAddIncoming(p->carried, &p->w.at[1], &from, 1);
	}
}

void nvptx_copy_carried(struct nvptx_lower *l)
{
	LLVMBasicBlockRef from = LLVMGetInsertBlock(l->ir->b);

	for (int i = 0; i < l->put_off.n; i++) {
		struct nvptx_start_later *p = &l->put_off.list[i];
		LLVMValueRef next;

		if (!p->carried)
			continue;
		next = go_to_row(l->ir, &p->c, &p->w, p->c.rows);
		next = nvptx_hw(l->ir, NVPTX_HW_HIDE, &next, 1, "");
		LLVMAddIncoming(p->carried, &next, &from, 1);
	}
}

void nvptx_copy_commit(struct nvptx_lower *l)
{
	for (int i = 0; i < l->put_off.n; i++)
		nvptx_hw(l->ir, NVPTX_HW_COPY_COMMIT, NULL, 0, "");
}

void nvptx_copy_done(struct nvptx_put_off *put_off)
{
	for (int i = 0; i < put_off->n; i++)
		isl_set_free(put_off->list[i].c.inside);
	free(put_off->list);
	put_off->list = NULL;
	put_off->n = 0;
}
