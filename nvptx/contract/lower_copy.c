/* nvptx: the emitter of COPY. nvptx_copy_run gives its vector width, called a run here.
 *
 * A COPY gives consecutive elements of the box, in the direction of
 * "coalesce", to consecutive threads. All reads come before the writes to
 * shared memory, so that their latencies overlap. An asynchronous one has no
 * such writes: it starts the copy of each element, or of each run of them that
 * is aligned on both sides, by itself, all as one group, and a SYNC that waits
 * for it (copy_wait.c) counts groups. If a product follows and an asynchronous copy goes
 * element by element, these are started bit by bit while the product runs: all
 * at once they would keep the loads of other warps waiting. Copies in bulk are
 * another matter (lower_bulk.c).
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/lower_copy.h"

/* Elements that a thread reads before it writes the first of them. */
#define COPY_BATCH 8

static __isl_give isl_set *limit_const(__isl_take isl_set *set, int pos,
	int64_t bound)
{
	set = isl_set_lower_bound_si(set, isl_dim_set, pos, 0);
	return isl_set_upper_bound_si(set, isl_dim_set, pos, (int) bound - 1);
}

/* Narrow a set of instances to those that read "leaf" inside its array. */
static void read_inside(struct poly_expr *leaf, void *user)
{
	isl_set **set = user;

	*set = nvptx_inside(*set, leaf->array, leaf->index);
}

/* Instances that the tree runs over the box, as a set on the copy's points. */
__isl_give isl_set *nvptx_copy_box(const struct nvptx_facts *fact,
	const struct nvptx_copy *c)
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
	const struct nvptx_copy *c)
{
	isl_set *set = isl_set_copy(c->point->domain);

	poly_expr_each_access(c->point->rhs, &read_inside, &set);
	return isl_set_gist(poly_set_coalesce(set), nvptx_copy_box(fact, c));
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
LLVMValueRef nvptx_copy_place(struct nvptx_ir *ir, struct nvptx_copy *c,
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

/* What the member reads at c->in. */
static LLVMValueRef copy_value(struct nvptx_lower *l, const struct nvptx_copy *c)
{
	const struct poly_expr *e = c->point->rhs;
	struct nvptx_value v;

	l->now.copies = true;
	v = nvptx_expr(l, e, c->in);
	l->now.copies = false;
	return nvptx_cast(l->ir, c->point->write_array->type, e->type, v).v;
}

/* The element at c->in: what the member reads, or the fill value. */
static LLVMValueRef copy_read(struct nvptx_lower *l, struct nvptx_copy *c,
	LLVMValueRef present)
{
	const struct poly_array *a = c->point->write_array;
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
		return copy_value(l, c);
	fill = nvptx_const(l->ir, a->type, c->op->fill).v;
	nvptx_if_begin(l->ir, &branch, cond, name);
	v = copy_value(l, c);
	then = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return nvptx_if_value(l->ir, &branch, then, v, fill, "");
}

/* Write "v" to the buffer at c->in, if "present", which may be NULL, holds. */
static void copy_write(struct nvptx_lower *l, struct nvptx_copy *c,
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
static void copy_batch(struct nvptx_lower *l, struct nvptx_copy *c, int64_t e,
	int64_t n)
{
	LLVMValueRef value[COPY_BATCH], present[COPY_BATCH];
	LLVMValueRef at[COPY_BATCH][2];

	for (int64_t i = 0; i < n; i++) {
		present[i] = nvptx_copy_place(l->ir, c, e + i);
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
static void copy_now(struct nvptx_lower *l, struct nvptx_copy *c)
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
static __isl_give isl_multi_aff *run_begin(const struct nvptx_copy *c,
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
static bool is_row_of(struct nvptx_lower *l, const struct nvptx_copy *c, int n)
{
	const struct poly_expr *e = c->point->rhs;
	int row_dim = poly_row_dim(l->prog, e->array);
	isl_set *at = nvptx_copy_box(&l->fact, c), *good = isl_set_copy(at);
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

/* The vector width: the most elements of a row that a thread can move at once, 16 bytes
 * if the maps show that rows begin at a multiple of that. A run is then inside or outside
 * of its array as a whole.
 */
int nvptx_copy_run(struct nvptx_lower *l, const struct nvptx_copy *c)
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
static bool begin_copy(struct nvptx_lower *l, struct nvptx_copy *c,
	const struct poly_stmt *s, const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	const struct poly_array *to = s->member[0]->write_array;

	*c = (struct nvptx_copy) { .op = s, .point = s->member[0] };
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

/* Less than a word cannot be copied so, nor can older targets. */
bool nvptx_is_async(struct nvptx_lower *l, const struct poly_stmt *s)
{
	int size = poly_type_size(s->member[0]->write_array->type);
	const struct nvptx_target *target = l->ir->m->opt.target;
	struct nvptx_copy c;

	if (!s->async || !nvptx_goes_ahead(l->ir) ||
	    (l->ir->m->opt.device == NVPTX_GPU && target->cc < 80) ||
	    s->member[0]->rhs->op != POLY_OP_ACCESS)
		return false;
	return size >= 4 || (begin_copy(l, &c, s, NULL) &&
		nvptx_copy_run(l, &c) * size >= 4);
}

void nvptx_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	struct nvptx_copy c;

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
	else if (nvptx_copy_start(l, &c))
		return;
	isl_set_free(c.inside);
}
