/* nvptx: the emitter of COPY, and the wait for asynchronous ones.
 *
 * A COPY gives consecutive elements of the box, in the direction of
 * "coalesce", to consecutive threads. All reads come before the writes to
 * shared memory, so that their latencies overlap. An asynchronous one has no
 * such writes: it starts the copy of each element, or of each run of them that
 * is aligned on both sides, by itself, all as one group, and a SYNC that waits
 * for it counts groups. If a product follows and an asynchronous copy goes
 * element by element, these are started bit by bit while the product runs: all
 * at once they would keep the loads of other warps waiting. Copies in bulk are
 * another matter (lower_bulk.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Elements that a thread reads before it writes the first of them. */
#define COPY_BATCH 8

static __isl_give isl_set *limit_const(__isl_take isl_set *set, int pos,
	int64_t bound)
{
	set = isl_set_lower_bound_si(set, isl_dim_set, pos, 0);
	return isl_set_upper_bound_si(set, isl_dim_set, pos, (int) bound - 1);
}

/* A copy in the making. */
struct copy {
	const struct poly_stmt *op, *point;
	isl_set *inside;	/* elements that are read, not filled */
	int n_arg;		/* tile coordinates */
	struct nvptx_share share;	/* of the box */
	LLVMValueRef in[16];	/* tile coordinates, r, c */
	LLVMValueRef lane;	/* linear index of the thread */
	LLVMValueRef later;	/* rows (across "coalesce") to go on, or NULL */
	LLVMValueRef row;	/* where in the array the last run's row begins, */
	int64_t n_row;		/* this behind the first one; NULL: none yet */
	bool whole;		/* where all of the box is known to be inside */
};

/* Narrow a set of instances to those that read "leaf" inside its array. */
static void read_inside(struct poly_expr *leaf, void *user)
{
	isl_set **set = user;

	*set = nvptx_inside(*set, leaf->array, leaf->index);
}

/* Instances that the tree runs over the box, as a set on the copy's points. */
static __isl_give isl_set *box(const struct nvptx_facts *fact,
	const struct copy *c)
{
	isl_set *set = isl_set_copy(c->op->domain);

	set = isl_set_add_dims(set, isl_dim_set, 2);
	set = isl_set_set_tuple_id(set,
		isl_set_get_tuple_id(c->point->domain));
	for (int d = 0; d < 2; d++)
		set = limit_const(set, c->n_arg + d, c->share.size[d]);
	return isl_set_intersect_params(set, isl_set_copy(fact->known));
}

/* The points of the box at which the member reads inside its array, given that
 * they are in the box.
 */
static __isl_give isl_set *copy_inside(const struct nvptx_facts *fact,
	const struct copy *c)
{
	isl_set *set = isl_set_copy(c->point->domain);

	poly_expr_each_access(c->point->rhs, &read_inside, &set);
	return isl_set_gist(poly_set_coalesce(set), box(fact, c));
}

bool nvptx_share_checked(struct nvptx_ir *ir, isl_bool covers)
{
	if (covers != isl_bool_true)
		nvptx_fail(ir, nvptx_i32(ir), covers < 0 ?
			"isl cannot tell what the threads of a copy move" :
			"the threads of a copy do not move each element once");
	return covers == isl_bool_true;
}

/* Place of the thread's e-th run in the box; the condition that there is such a
 * run, or NULL.
 */
static LLVMValueRef copy_place(struct nvptx_ir *ir, struct copy *c,
	int64_t e)
{
	int dir = c->share.along;
	struct nvptx_run r = nvptx_share_run(&c->share, e);
	LLVMValueRef *at = &c->in[c->n_arg], present = NULL;
	LLVMValueRef width = nvptx_int(ir, r.width);
	LLVMValueRef index = nvptx_add(ir, c->lane, nvptx_int(ir, r.first), "");

	at[dir] = nvptx_add(ir, nvptx_mod(ir, index, width),
		nvptx_int(ir, r.add[dir]), "");
	at[!dir] = nvptx_add(ir, nvptx_div(ir, index, width),
		nvptx_int(ir, r.add[!dir]), "");
	if (r.lines)
		present = nvptx_compare(ir, LLVMIntULT, at[!dir],
			nvptx_int(ir, r.lines));
	if (r.threads)
		present = nvptx_compare(ir, LLVMIntULT, c->lane,
			nvptx_int(ir, r.threads));
	at[dir] = nvptx_mul(ir, at[dir], nvptx_int(ir, c->share.run));
	if (c->later)
		at[!dir] = nvptx_add(ir, at[!dir], c->later, "");
	return present;
}

/* The element at c->in: what the member reads, or the fill value. */
static LLVMValueRef copy_read(struct nvptx_lower *l, struct copy *c,
	LLVMValueRef present)
{
	const struct poly_array *a = c->point->write_array;
	const struct poly_expr *e = c->point->rhs;
	LLVMValueRef cond, fill, v;
	struct nvptx_branch branch;
	LLVMBasicBlockRef then;
	char name[64];

	cond = nvptx_condition(l, isl_set_copy(c->inside), c->in);
	if (cond && present)
		cond = LLVMBuildAnd(l->ir->b, present, cond, "");
	else if (!cond)
		cond = present;
	snprintf(name, sizeof(name), "%s.load", a->name);
	if (!cond)
		return nvptx_cast(l->ir, a->type, e->type,
			nvptx_expr(l, e, c->in)).v;
	fill = nvptx_const(l->ir, a->type, c->op->fill).v;
	nvptx_if_begin(l->ir, &branch, cond, name);
	v = nvptx_cast(l->ir, a->type, e->type, nvptx_expr(l, e, c->in)).v;
	then = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return nvptx_if_value(l->ir, &branch, then, v, fill, "");
}

/* Write "v" to the buffer at c->in, if "present", which may be NULL, holds. */
static void copy_write(struct nvptx_lower *l, struct copy *c,
	LLVMValueRef present, LLVMValueRef v)
{
	const struct poly_array *a = c->point->write_array;
	struct nvptx_value x = { v, NULL };
	struct nvptx_branch branch;
	LLVMValueRef index[16];
	char name[64];

	snprintf(name, sizeof(name), "%s.store", a->name);
	if (present)
		nvptx_if_begin(l->ir, &branch, present, name);
	nvptx_index(l, c->point->write_array, c->point->write_index, c->in,
		index);
	nvptx_store(l, a, index, x);
	if (present)
		nvptx_if_end(l->ir, &branch);
}

/* Elements [e, e + n) of each thread. */
static void copy_batch(struct nvptx_lower *l, struct copy *c, int64_t e,
	int64_t n)
{
	LLVMValueRef value[COPY_BATCH], present[COPY_BATCH];
	LLVMValueRef at[COPY_BATCH][2];

	for (int64_t i = 0; i < n; i++) {
		present[i] = copy_place(l->ir, c, e + i);
		at[i][0] = c->in[c->n_arg];
		at[i][1] = c->in[c->n_arg + 1];
		value[i] = copy_read(l, c, present[i]);
	}
	for (int64_t i = 0; i < n; i++) {
		c->in[c->n_arg] = at[i][0];
		c->in[c->n_arg + 1] = at[i][1];
		copy_write(l, c, present[i], value[i]);
	}
}

/* Copy all elements, one by one. */
static void copy_now(struct nvptx_lower *l, struct copy *c)
{
	int64_t n;

	nvptx_share_out(&c->share, 1);
	if (!nvptx_share_checked(l->ir, nvptx_share_covers(&c->share, 1)))
		return;
	n = c->share.n;
	for (int64_t e = 0; e < n; e += COPY_BATCH)
		copy_batch(l, c, e, n - e < COPY_BATCH ? n - e : COPY_BATCH);
}

/* "{ COPY[.., r, c] -> COPY[.., r, n floor(c/n)] }": where the run of "n" columns
 * begins that a place is in; "*within": how far behind that it is.
 */
static __isl_give isl_multi_aff *run_begin(const struct copy *c,
	__isl_keep isl_set *box, int n, isl_pw_aff **within)
{
	isl_space *space = isl_set_get_space(box);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	isl_aff *column = isl_aff_var_on_domain(local, isl_dim_set,
		c->n_arg + 1);
	isl_val *run = isl_val_int_from_si(isl_set_get_ctx(box), n);
	isl_aff *begin = isl_aff_floor(isl_aff_scale_down_val(
		isl_aff_copy(column), isl_val_copy(run)));

	begin = isl_aff_scale_val(begin, run);
	*within = isl_pw_aff_from_aff(isl_aff_sub(column,
		isl_aff_copy(begin)));
	return isl_multi_aff_set_aff(isl_multi_aff_identity_on_domain_space(
		space), c->n_arg + 1, begin);
}

/* Does each run of "n" columns of the box go along a row of the array, from an
 * element on whose number is a multiple of "n"?
 */
static bool is_row_of(struct nvptx_lower *l, const struct copy *c, int n)
{
	const struct poly_expr *e = c->point->rhs;
	int row_dim = poly_row_dim(l->prog, e->array);
	isl_set *at = box(&l->fact, c), *good = isl_set_copy(at);
	isl_pw_aff *within;
	isl_multi_aff *begin = run_begin(c, at, n, &within);
	bool is;

	for (int d = 0; d < e->array->n_dim; d++) {
		isl_pw_aff *x = isl_multi_pw_aff_get_at(e->index, d);
		isl_pw_aff *first = isl_pw_aff_pullback_multi_aff(
			isl_pw_aff_copy(x), isl_multi_aff_copy(begin));

		if (d == row_dim) {
			good = isl_set_intersect(good, isl_pw_aff_zero_set(
				isl_pw_aff_mod_val(isl_pw_aff_copy(first),
				isl_val_int_from_si(l->prog->ctx, n))));
			first = isl_pw_aff_add(first,
				isl_pw_aff_copy(within));
		}
		good = isl_set_intersect(good, isl_pw_aff_eq_set(x, first));
	}
	isl_pw_aff_free(within);
	isl_multi_aff_free(begin);
	is = isl_set_is_subset(at, good) == isl_bool_true;
	isl_set_free(good);
	isl_set_free(at);
	return is;
}

/* The most elements of a row that can be moved at once: 16 bytes if the maps
 * show that rows begin at a multiple of that. A run is then inside or outside
 * of its array as a whole.
 */
static int run_length(struct nvptx_lower *l, const struct copy *c)
{
	const struct poly_array *to = c->point->write_array;
	int n = poly_row_align(l->prog, c->point->rhs->array) /
		poly_type_size(to->type);

	if (c->share.along != 1)
		return 1;
	while (n > 1 && (c->share.size[1] % n || to->row_pad % n ||
	    !is_row_of(l, c, n)))
		n /= 2;
	return n;
}

/* The copy "s" at the tile "arg" (NULL: any), without its condition; false if it
 * has no box.
 */
static bool begin_copy(struct nvptx_lower *l, struct copy *c,
	const struct poly_stmt *s, const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	const struct poly_array *to = s->member[0]->write_array;

	*c = (struct copy) { .op = s, .point = s->member[0] };
	c->n_arg = isl_set_dim(s->domain, isl_dim_set);
	c->share.threads = (int64_t) k->thread[0] * k->thread[1];
	c->share.along = s->coalesce;
	for (int d = 0; d < 2; d++)
		c->share.size[d] = nvptx_extent(to, to->n_dim - 2 + d);
	for (int i = 0; arg && i < c->n_arg; i++)
		c->in[i] = arg[i];
	return c->share.size[0] > 0 && c->share.size[1] > 0 &&
		isl_set_dim(c->point->domain, isl_dim_set) == c->n_arg + 2;
}

bool nvptx_goes_ahead(const struct nvptx_ir *ir)
{
	const struct nvptx_options *o = &ir->m->opt;

	return o->device == NVPTX_GPU || (o->checked && !o->wide);
}

LLVMValueRef nvptx_own_place(struct nvptx_lower *l, LLVMValueRef t)
{
	return l->fact.places_apart ? nvptx_hw(l->ir, NVPTX_HW_HERE, &t, 1,
		"") : t;
}

/* Less than a word cannot be copied so, nor can older targets. */
bool nvptx_is_async(struct nvptx_lower *l, const struct poly_stmt *s)
{
	int size = poly_type_size(s->member[0]->write_array->type);
	const struct nvptx_target *target = l->ir->m->opt.target;
	struct copy c;

	if (!s->async || !nvptx_goes_ahead(l->ir) ||
	    (l->ir->m->opt.device == NVPTX_GPU && target->cc < 80) ||
	    s->member[0]->rhs->op != POLY_OP_ACCESS)
		return false;
	return size >= 4 || (begin_copy(l, &c, s, NULL) &&
		run_length(l, &c) * size >= 4);
}

/* Addresses of the thread's first run in the buffer and in the array, and what
 * must be added to them from one row or column of the box to the next, if it is
 * the same for all: a constant, and in the array "more", unless that is NULL.
 */
struct walk {
	LLVMValueRef at[2], more[2];
	int64_t stride[2][2];
	bool steady;
	bool swizzled;		/* the buffer is, whose addresses are no sums */
};

static LLVMValueRef buffer_address(struct nvptx_lower *l, const struct copy *c)
{
	LLVMValueRef index[16];

	nvptx_index(l, c->point->write_array, c->point->write_index, c->in,
		index);
	return nvptx_address(l, c->point->write_array, index);
}

/* The addresses of the place c->in in the buffer and in the array. */
static void address(struct nvptx_lower *l, struct copy *c,
	LLVMValueRef at[2])
{
	const struct poly_expr *e = c->point->rhs;
	LLVMValueRef index[16];

	at[0] = buffer_address(l, c);
	nvptx_index(l, e->array, e->index, c->in, index);
	at[1] = nvptx_address(l, e->array, index);
}

/* Set "w": whether a thread goes from one of its runs to the next by distances that
 * are the same all over the box, how far, and where it begins.
 */
static void plan_walk(struct nvptx_lower *l, struct copy *c, struct walk *w)
{
	const struct poly_expr *e = c->point->rhs;
	const struct poly_array *to = c->point->write_array;
	isl_set *at = box(&l->fact, c);

	w->steady = c->share.side != 0;
	w->swizzled = to->swizzled;
	for (int d = 0; d < 2 && w->steady; d++)
		w->steady = (to->swizzled || nvptx_stride(l, to,
			c->point->write_index, at, c->n_arg + d,
			&w->stride[0][d])) &&
			nvptx_long_stride(l, e->array, e->index, at,
			c->n_arg + d, &w->stride[1][d], &w->more[d]);
	isl_set_free(at);
	if (!w->steady)
		return;
	copy_place(l->ir, c, 0);
	address(l, c, w->at);
}

/* Elements from the first row to the one "later". */
static LLVMValueRef go_on(struct nvptx_ir *ir, const struct copy *c,
	int64_t stride)
{
	int64_t most = c->share.size[!c->share.along] * stride;

	if (most > INT32_MAX || most < INT32_MIN)
		return LLVMBuildMul(ir->b, nvptx_extend(ir, c->later,
			nvptx_i64(ir)), LLVMConstInt(nvptx_i64(ir), stride, 1),
			"");
	return nvptx_mul(ir, c->later, nvptx_int(ir, stride));
}

/* "at", in the array, and so many rows or columns "d" more. */
static LLVMValueRef add_more(struct nvptx_ir *ir, const struct copy *c,
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
static LLVMValueRef go_to_row(struct nvptx_ir *ir, struct copy *c,
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

/* Addresses in buffer and array of the e-th run, whose place is in c->in. */
static void run_address(struct nvptx_lower *l, struct copy *c,
	const struct walk *w, int64_t e, LLVMValueRef at[2])
{
	LLVMTypeRef type = nvptx_memory_type(l->ir,
		c->point->write_array->type);
	int dir = c->share.along;
	struct nvptx_run r = nvptx_share_run(&c->share, e);
	int64_t move[2];

	if (!w->steady) {
		address(l, c, at);
		return;
	}
	move[dir] = r.add[dir] * c->share.run;
	move[!dir] = r.add[!dir];
	for (int i = 0; i < 2; i++) {
		at[i] = i ? go_to_row(l->ir, c, w, move[!dir]) : w->at[0];
		if (i == 0 && w->swizzled) {
			at[i] = buffer_address(l, c);
			continue;
		}
		if (c->later)
			at[i] = nvptx_element(l->ir, type, at[i],
				go_on(l->ir, c, w->stride[i][!dir]));
		if (i)
			at[i] = add_more(l->ir, c, w, dir, move[dir], at[i]);
		at[i] = nvptx_element(l->ir, type, at[i], nvptx_exact_int(l->ir,
			move[0] * w->stride[i][0] + move[1] * w->stride[i][1]));
	}
}

/* Start the copy of the thread's e-th run; of one that lies outside the array,
 * nothing is read, whatever its address is, and its elements become 0. LLVM would
 * make two selections of two conditions at once, which costs where the runs are
 * single elements, and many.
 */
static void start_run(struct nvptx_lower *l, struct copy *c,
	const struct walk *w, int64_t e)
{
	int64_t size = c->share.run * poly_type_size(c->point->write_array->type);
	LLVMValueRef present = copy_place(l->ir, c, e), row = c->row, cond,
		at[2], n;
	int64_t n_row = c->n_row;
	struct nvptx_branch branch;

	if (present)
		nvptx_if_begin(l->ir, &branch, present, "copy");
	cond = c->whole ? NULL :
		nvptx_condition(l, isl_set_copy(c->inside), c->in);
	run_address(l, c, w, e, at);
	n = nvptx_int(l->ir, size);
	if (cond && c->share.run == 1)
		cond = nvptx_hw(l->ir, NVPTX_HW_HIDE, &cond, 1, "");
	if (cond)
		n = LLVMBuildSelect(l->ir->b, cond, n, nvptx_int(l->ir, 0), "");
	nvptx_start_copy(l, c->point, at, size, n);
	if (!present)
		return;
	nvptx_if_end(l->ir, &branch);
	c->row = row;
	c->n_row = n_row;
}

/* A copy of elements that is started while a product runs, so many runs and rows
 * in each turn; "carried", if rows are not equally far for all sizes, is the first
 * one of a turn.
 */
struct nvptx_start_later {
	struct copy c;
	struct walk w;
	LLVMValueRef carried;
	int64_t runs, rows;
};

/* Start all runs of the thread as one group. */
static void start_all(struct nvptx_lower *l, struct copy *c,
	const struct walk *w)
{
	c->row = NULL;
	for (int64_t e = 0; e < c->share.n; e++)
		start_run(l, c, w, e);
	nvptx_hw(l->ir, NVPTX_HW_COPY_COMMIT, NULL, 0, "");
}

/* Start all of the thread's runs, as one group, or leave it to the product
 * that follows. True if that owns "c" then.
 */
static bool start_copy(struct nvptx_lower *l, struct copy *c)
{
	int turns = l->put_off.turns;
	struct nvptx_start_later *more;
	struct walk w;
	int64_t runs;

	nvptx_share_out(&c->share, run_length(l, c));
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
	l->put_off.list = more;
	more[l->put_off.n++] = (struct nvptx_start_later) { *c, w, NULL, runs,
		c->share.size[!c->share.along] / turns };
	return true;
}

/* The tiles whose box lies inside the array. */
static __isl_give isl_set *whole_boxes(const struct nvptx_facts *fact,
	const struct copy *c)
{
	isl_set *all = isl_set_reset_tuple_id(isl_set_intersect_params(
		isl_set_copy(c->op->domain), isl_set_copy(fact->known)));
	isl_set *part = isl_set_subtract(box(fact, c), isl_set_copy(c->inside));

	part = isl_set_project_out(part, isl_dim_set, c->n_arg, 2);
	return isl_set_gist(isl_set_subtract(isl_set_copy(all), part), all);
}

LLVMValueRef nvptx_copy_whole(struct nvptx_lower *l)
{
	LLVMValueRef all = NULL;

	for (int i = 0; i < l->put_off.n; i++) {
		const struct copy *c = &l->put_off.list[i].c;
		isl_set *whole = whole_boxes(&l->fact, c);
		bool none = isl_set_is_empty(whole) != isl_bool_false;
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
		for (int64_t e = p->c.share.n * i / n;
		     e < p->c.share.n * (i + 1) / n; e++)
			start_run(l, &p->c, &p->w, e);
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

		p->c.later = nvptx_mul(l->ir, turn, nvptx_int(l->ir, p->rows));
		p->c.row = p->carried;
		p->c.n_row = 0;
		for (int64_t e = 0; e < p->runs; e++)
			start_run(l, &p->c, &p->w, e);
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
		next = go_to_row(l->ir, &p->c, &p->w, p->rows);
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

/* The tiles of "wait" for which "copy" has one "ahead" tiles later. */
static __isl_give isl_set *has_later(const struct poly_stmt *wait,
	const struct poly_stmt *copy, int ahead)
{
	isl_space *tile = poly_tile_tuple(wait, wait->name);
	int n = (int)isl_set_dim(copy->domain, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(tile), n);
	isl_multi_aff *later;

	list = poly_add_at(list, tile, 0, 2);
	list = isl_aff_list_add(list, isl_aff_add_constant_si(
		poly_at(tile, "tk"), ahead));
	list = poly_add_at(list, tile, 3, n);
	later = poly_function(tile, copy->name, list);
	isl_space_free(tile);
	return isl_set_preimage_multi_aff(isl_set_copy(copy->domain), later);
}

/* The tiles of "wait" for which "copy" has each one that may be on its way. */
static __isl_give isl_set *has_all_later(const struct nvptx_facts *fact,
	const struct poly_stmt *wait, const struct poly_stmt *copy)
{
	isl_set *known = isl_set_intersect_params(isl_set_copy(wait->domain),
		isl_set_copy(fact->known));
	isl_set *all = has_later(wait, copy, wait->ahead);

	for (int k = 1; k < wait->ahead; k++)
		all = isl_set_intersect(all, has_later(wait, copy, k));
	return isl_set_gist(poly_set_coalesce(all), known);
}

static bool is_operand(const struct poly_stmt *op, const struct poly_array *a)
{
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		if (op->operand[i] == a)
			return true;
	return false;
}

/* Wait until no more than the last "pending" groups are on their way. */
static void wait_group(struct nvptx_ir *ir, int pending)
{
	LLVMValueRef n = nvptx_int(ir, pending);

	nvptx_hw(ir, NVPTX_HW_COPY_WAIT, &n, 1, "");
}

/* Each copy is a group, so if there is a copy for each tile ahead, that many may
 * be pending; else none. Copies in bulk are waited for one by one.
 */
void nvptx_wait(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_stmt *copy = NULL;
	struct nvptx_branch branch;
	LLVMValueRef cond;
	int n = 0;

	for (int i = 0; i < l->prog->n_stmt; i++) {
		const struct poly_stmt *c = l->prog->stmt[i];

		if (c->kind != POLY_COPY || !nvptx_is_async(l, c) ||
		    !is_operand(s->wait, c->member[0]->write_array))
			continue;
		if (nvptx_is_bulk(l->ir, c)) {
			nvptx_wait_bulk(l, c, arg);
			continue;
		}
		copy = c;
		n++;
	}
	if (!copy)
		return;
	cond = nvptx_condition(l, has_all_later(&l->fact, s, copy), arg);
	if (!cond) {
		wait_group(l->ir, n * s->ahead);
		return;
	}
	nvptx_if_begin(l->ir, &branch, cond, "ahead");
	wait_group(l->ir, n * s->ahead);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, cond, ""),
		"last");
	wait_group(l->ir, 0);
	nvptx_if_end(l->ir, &branch);
}

void nvptx_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	struct copy c;

	if (nvptx_is_bulk(l->ir, s)) {
		nvptx_copy_bulk(l, s, arg);
		return;
	}
	if (!begin_copy(l, &c, s, arg)) {
		nvptx_fail(l->ir, nvptx_i32(l->ir), "a copy has no box");
		return;
	}
	c.lane = nvptx_own_place(l, nvptx_thread_number(l, "lane"));
	c.inside = copy_inside(&l->fact, &c);
	if (!nvptx_is_async(l, s))
		copy_now(l, &c);
	else if (start_copy(l, &c))
		return;
	isl_set_free(c.inside);
}

