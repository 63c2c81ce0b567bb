/* nvptx: the emitter of COPY, and the wait for asynchronous ones.
 *
 * A COPY gives consecutive elements of the box, in the direction of
 * "coalesce", to consecutive threads. All reads come before the writes to
 * shared memory, so that their latencies overlap. An asynchronous one has no
 * such writes: it starts each element's copy by itself, all as one group, and
 * a SYNC that waits for it counts groups.
 */
#include <stdio.h>

#include "nvptx/nvptx_internal.h"

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
	int64_t size[2];	/* of the box */
	int64_t n;		/* elements a thread */
	int64_t threads;
	LLVMValueRef in[16];	/* tile coordinates, r, c */
	LLVMValueRef lane;	/* linear index of the thread */
};

/* Narrow a set of instances to those that read "leaf" inside its array. */
static void read_inside(struct poly_expr *leaf, void *user)
{
	isl_set **set = user;

	*set = nvptx_inside(*set, leaf->array, leaf->index);
}

/* Instances that the tree runs over the box, as a set on the copy's points. */
static __isl_give isl_set *box(struct nvptx_lower *l, const struct copy *c)
{
	isl_set *set = isl_set_copy(c->op->domain);

	set = isl_set_add_dims(set, isl_dim_set, 2);
	set = isl_set_set_tuple_id(set,
		isl_set_get_tuple_id(c->point->domain));
	for (int d = 0; d < 2; d++)
		set = limit_const(set, c->n_arg + d, c->size[d]);
	return isl_set_intersect_params(set, isl_set_copy(l->known));
}

static __isl_give isl_set *copy_inside(struct nvptx_lower *l,
	const struct copy *c)
{
	isl_set *set = isl_set_copy(c->point->domain);

	poly_expr_each_access(c->point->rhs, &read_inside, &set);
	return isl_set_gist(isl_set_coalesce(set), box(l, c));
}

/* Place of the thread's e-th element in the box; the condition that there is
 * such an element, or NULL.
 */
static LLVMValueRef copy_place(struct nvptx_lower *l, struct copy *c,
	int64_t e)
{
	int dir = c->op->coalesce;
	int64_t inner = c->size[dir], total = c->size[0] * c->size[1];
	int64_t first = e * c->threads;
	LLVMValueRef width = nvptx_int(l, inner), *at = &c->in[c->n_arg];
	LLVMValueRef index;

	if (c->threads % inner == 0) {
		at[dir] = nvptx_mod(l, c->lane, width);
		at[!dir] = nvptx_add(l, nvptx_div(l, c->lane, width),
			nvptx_int(l, first / inner), "");
	} else if (inner % c->threads == 0) {
		at[dir] = nvptx_add(l, c->lane, nvptx_int(l, first % inner),
			"");
		at[!dir] = nvptx_int(l, first / inner);
	} else {
		index = nvptx_add(l, c->lane, nvptx_int(l, first), "");
		at[dir] = nvptx_mod(l, index, width);
		at[!dir] = nvptx_div(l, index, width);
	}
	if (first + c->threads <= total)
		return NULL;
	return nvptx_compare(l, LLVMIntULT, c->lane,
		nvptx_int(l, total - first));
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
		cond = LLVMBuildAnd(l->b, present, cond, "");
	else if (!cond)
		cond = present;
	snprintf(name, sizeof(name), "%s.load", a->name);
	if (!cond)
		return nvptx_cast(l, a->type, e->type,
			nvptx_expr(l, e, c->in)).v;
	fill = nvptx_const(l, a->type, c->op->fill).v;
	nvptx_if_begin(l, &branch, cond, name);
	v = nvptx_cast(l, a->type, e->type, nvptx_expr(l, e, c->in)).v;
	then = LLVMGetInsertBlock(l->b);
	nvptx_if_end(l, &branch);
	return nvptx_if_value(l, &branch, then, v, fill, "");
}

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
		nvptx_if_begin(l, &branch, present, name);
	nvptx_index(l, c->point->write_index, c->in, index);
	nvptx_store(l, a, index, x);
	if (present)
		nvptx_if_end(l, &branch);
}

/* Elements [e, e + n) of each thread. */
static void copy_batch(struct nvptx_lower *l, struct copy *c, int64_t e,
	int64_t n)
{
	LLVMValueRef value[COPY_BATCH], present[COPY_BATCH];
	LLVMValueRef at[COPY_BATCH][2];

	for (int64_t i = 0; i < n; i++) {
		present[i] = copy_place(l, c, e + i);
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

/* Does the code of the copy "s" only start it? Smaller elements than a word
 * cannot be copied so, nor can older targets and the host device.
 */
static bool is_async(struct nvptx_lower *l, const struct poly_stmt *s)
{
	const struct poly_array *a = s->member[0]->write_array;

	return s->async && l->m->opt.device == NVPTX_GPU &&
		l->m->opt.target->cc >= 80 && poly_type_size(a->type) >= 4 &&
		s->member[0]->rhs->op == POLY_OP_ACCESS;
}

/* Start the copy of the element at c->in; of what lies outside the array,
 * nothing is read, and the element becomes 0.
 */
static void start_element(struct nvptx_lower *l, struct copy *c,
	LLVMValueRef present)
{
	const struct poly_array *to = c->point->write_array;
	const struct poly_expr *e = c->point->rhs;
	int64_t size = poly_type_size(to->type);
	LLVMValueRef cond, index[16], arg[3];
	struct nvptx_branch branch;

	if (present)
		nvptx_if_begin(l, &branch, present, "copy");
	cond = nvptx_condition(l, isl_set_copy(c->inside), c->in);
	nvptx_index(l, c->point->write_index, c->in, index);
	arg[0] = nvptx_address(l, to, index);
	nvptx_index(l, e->index, c->in, index);
	arg[1] = nvptx_address(l, e->array, index);
	arg[2] = nvptx_int(l, size);
	if (cond) {
		arg[1] = LLVMBuildSelect(l->b, cond, arg[1],
			nvptx_base(l, e->array), "");
		arg[2] = LLVMBuildSelect(l->b, cond, arg[2], nvptx_int(l, 0),
			"");
	}
	nvptx_hw(l, size == 4 ? NVPTX_HW_COPY_ASYNC_4 : NVPTX_HW_COPY_ASYNC_8,
		arg, 3, "");
	if (present)
		nvptx_if_end(l, &branch);
}

/* Start all of the thread's elements, as one group. */
static void start_copy(struct nvptx_lower *l, struct copy *c)
{
	for (int64_t e = 0; e < c->n; e++)
		start_element(l, c, copy_place(l, c, e));
	nvptx_hw(l, NVPTX_HW_COPY_COMMIT, NULL, 0, "");
}

/* "OP[t0, t1, K, e3, ..]" with "k" as K. */
static void add_tile(struct poly_str *s, const struct poly_stmt *op,
	const char *k)
{
	isl_size n = isl_set_dim(op->domain, isl_dim_set);

	poly_str_printf(s, "%s[t0, t1, %s", op->name, k);
	for (int i = 3; i < n; i++)
		poly_str_printf(s, ", e%d", i);
	poly_str_add(s, "]");
}

/* The tiles of "wait" for which "copy" has one, "ahead" tiles later. */
static __isl_give isl_set *has_later(struct nvptx_lower *l,
	const struct poly_stmt *wait, const struct poly_stmt *copy)
{
	struct poly_str s = { 0 };
	isl_set *set = isl_set_copy(copy->domain), *known;
	isl_multi_aff *later = NULL;
	char k[32];

	snprintf(k, sizeof(k), "tk + %d", wait->ahead);
	poly_str_add(&s, "{ ");
	add_tile(&s, wait, "tk");
	poly_str_add(&s, " -> ");
	add_tile(&s, copy, k);
	poly_str_add(&s, " }");
	if (!s.failed)
		later = isl_multi_aff_read_from_str(l->prog->ctx, s.s);
	poly_str_free(&s);
	set = isl_set_preimage_multi_aff(set, later);
	known = isl_set_intersect_params(isl_set_copy(wait->domain),
		isl_set_copy(l->known));
	return isl_set_gist(isl_set_coalesce(set), known);
}

static bool is_operand(const struct poly_stmt *op, const struct poly_array *a)
{
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		if (op->operand[i] == a)
			return true;
	return false;
}

static void wait_group(struct nvptx_lower *l, int pending)
{
	LLVMValueRef n = nvptx_int(l, pending);

	nvptx_hw(l, NVPTX_HW_COPY_WAIT, &n, 1, "");
}

/* Each copy is a group, so if all copies of the tiles ahead have been started,
 * that many may be pending.
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

		if (c->kind != POLY_COPY || !is_async(l, c) ||
		    !is_operand(s->wait, c->member[0]->write_array))
			continue;
		copy = c;
		n++;
	}
	if (!copy)
		return;
	cond = nvptx_condition(l, has_later(l, s, copy), arg);
	if (!cond) {
		wait_group(l, n * s->ahead);
		return;
	}
	nvptx_if_begin(l, &branch, cond, "ahead");
	wait_group(l, n * s->ahead);
	nvptx_if_end(l, &branch);
	nvptx_if_begin(l, &branch, LLVMBuildNot(l->b, cond, ""), "last");
	wait_group(l, 0);
	nvptx_if_end(l, &branch);
}

void nvptx_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	struct copy c = { .op = s, .point = s->member[0] };
	int64_t total;

	c.n_arg = isl_set_dim(s->domain, isl_dim_set);
	c.threads = (int64_t) k->thread[0] * k->thread[1];
	for (int d = 0; d < 2; d++)
		c.size[d] = nvptx_extent(c.point->write_array,
			c.point->write_array->n_dim - 2 + d);
	total = c.size[0] * c.size[1];
	if (total <= 0 || isl_set_dim(c.point->domain, isl_dim_set) !=
	    c.n_arg + 2) {
		nvptx_fail(l, nvptx_i32(l), "a copy has no box");
		return;
	}
	for (int i = 0; i < c.n_arg; i++)
		c.in[i] = arg[i];
	c.lane = nvptx_mul(l, l->tid[0], nvptx_int(l, k->thread[1]));
	c.lane = nvptx_add(l, c.lane, l->tid[1], "lane");
	c.n = (total + c.threads - 1) / c.threads;
	c.inside = copy_inside(l, &c);
	if (is_async(l, s))
		start_copy(l, &c);
	for (int64_t e = 0; e < c.n && !is_async(l, s); e += COPY_BATCH)
		copy_batch(l, &c, e,
			c.n - e < COPY_BATCH ? c.n - e : COPY_BATCH);
	isl_set_free(c.inside);
}

