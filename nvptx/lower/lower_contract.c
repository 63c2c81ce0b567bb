/* nvptx: the emitter of CONTRACT: a tile of a reduction whose reads come from
 * shared buffers, one register tile a thread.
 *
 *	for (kk = 0; kk < tile_k; kk++)
 *		x[r0] = X[kk][..];  y[r1] = Y[kk][..];
 *		acc[r0][r1] = fma(x[r0], y[r1], acc[r0][r1])	for all r0, r1
 *
 * Which digits an operand depends on follows from the maps (contract_place.c). The
 * update is any expression of what was loaded; of a
 * sum of products, factors that move with one axis are multiplied first.
 *
 * On a GPU, and where the host device checks, the loads run a step ahead, and
 * are as wide as the runs of points or steps that a thread has (kernel.vec,
 * vec_k) where these lie side by side.
 *
 * If points of a tile must be left out, there are two loops: one for tiles that
 * lack none, and one that asks at each point. Where a zero was filled in, a point
 * adds zero if what that is multiplied by is finite: so threads that see nothing else
 * take the first loop, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/lower/lower_contract.h"

enum { MAX_FACTOR = 8, MOST_PIECES = 4 };

static bool uses_digit(const struct nvptx_contract *c, int o, int d)
{
	return c->index[o] && isl_multi_pw_aff_involves_dims(c->index[o],
		isl_dim_in, nvptx_at_digit(c) + d, 1) == isl_bool_true;
}

/* Let "in" be at the digits r0, r1. */
static void set_digits(struct nvptx_lower *l, struct nvptx_contract *c, int r0,
	int r1)
{
	l->now.digit[0] = r0;
	l->now.digit[1] = r1;
	c->in[nvptx_at_digit(c)] = nvptx_int(l->ir,
		poly_product_offset(l->kernel, 0, r0));
	c->in[nvptx_at_digit(c) + 1] = nvptx_int(l->ir,
		poly_product_offset(l->kernel, 1, r1));
}

/* The first read that finds its elements where read "o" does. */
static int first_read(const struct nvptx_contract *c, int o)
{
	int same = 0;

	while (c->op->operand[same] != c->op->operand[o])
		same++;
	return same;
}

/* Must read "o" be loaded? */
static bool is_loaded(const struct nvptx_contract *c, int o)
{
	return c->index[o] && first_read(c, o) == o;
}

/* Where the fragment of read "o" has the element for a pair of digits: pairs
 * that name the same element, or are loaded together, share an entry.
 */
static int entry(const struct nvptx_contract *c, int o, int r0, int r1)
{
	const int *run = c->load[o].run;

	r0 = uses_digit(c, o, 0) ? r0 - r0 % run[0] : 0;
	r1 = uses_digit(c, o, 1) ? r1 - r1 % run[1] : 0;
	return r0 * c->n[1] + r1;
}

/* Load what the step reads from shared memory. */
static void load_fragments(struct nvptx_lower *l, struct nvptx_contract *c)
{
	int size = c->n[0] * c->n[1];
	LLVMValueRef index[16];

	for (int i = 0; i < c->n_read * size; i++) {
		int o = i / size, r0 = i % size / c->n[1], r1 = i % c->n[1];

		if (!is_loaded(c, o) || entry(c, o, r0, r1) != i % size)
			continue;
		set_digits(l, c, r0, r1);
		nvptx_index(l, c->op->operand[o], c->index[o], c->in, index);
		c->fragment[i] = nvptx_load(l, c->op->operand[o], index).v;
	}
}

/* ------------------------------------------------------------- the update */

/* What was loaded for read "o" and the digits in force, step "s" of a body. */
static LLVMValueRef element(struct nvptx_lower *l, const struct nvptx_contract *c,
	int o, int s)
{
	int from = first_read(c, o), r0 = l->now.digit[0], r1 = l->now.digit[1];
	const int *run = c->load[from].run;
	LLVMValueRef v = c->fragment[from * c->n[0] * c->n[1] +
		entry(c, from, r0, r1)];

	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
		v = LLVMBuildExtractElement(l->ir->b, v, nvptx_int(l->ir,
			r0 % run[0] + r1 % run[1] + s % run[2]), "");
	return v;
}

/* Let expressions find it. */
static void hold_reads(struct nvptx_lower *l, const struct nvptx_contract *c, int s)
{
	l->reads.n = 0;
	for (int o = 0; o < c->n_read; o++)
		if (c->index[o])
			l->reads.held[l->reads.n++] = (struct nvptx_held) {
				c->read[o], element(l, c, o, s) };
}

/* Does "e" read something that moves with axis "d"? */
static bool moves(const struct nvptx_contract *c, const struct poly_expr *e, int d)
{
	bool found = false;

	for (int o = 0; o < c->n_read && e->op == POLY_OP_ACCESS; o++)
		found |= c->read[o] == e && uses_digit(c, o, d);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		found |= moves(c, e->arg[i], d);
	return found;
}

/* The factors of "e" into "list", which has "n". */
static int add_factors(const struct poly_expr *e, const struct poly_expr **list,
	int n)
{
	if (e->op != POLY_OP_MUL || n == MAX_FACTOR) {
		if (n < MAX_FACTOR)
			list[n] = e;
		return n + 1;
	}
	n = add_factors(e->arg[0], list, n);
	return add_factors(e->arg[1], list, n);
}

/* The product of those of the "n" factors that move with axis 1, or of the
 * others, in the type "t"; NULL if there are none.
 */
static LLVMValueRef multiply(struct nvptx_lower *l, const struct nvptx_contract *c,
	const struct poly_expr **factor, int n, bool along, enum poly_type t,
	const LLVMValueRef *in)
{
	struct nvptx_value pair[2] = { { NULL, NULL }, { NULL, NULL } };

	for (int i = 0; i < n; i++) {
		if (moves(c, factor[i], 1) != along)
			continue;
		pair[1] = nvptx_cast(l->ir, t, factor[i]->type,
			nvptx_expr(l, factor[i], in));
		pair[0] = pair[0].v ? nvptx_op(l->ir, POLY_OP_MUL, t, pair) :
			pair[1];
	}
	return pair[0].v;
}

/* May the factors of the product "e" be multiplied in any order? */
static bool is_free(const struct nvptx_lower *l, const struct poly_expr *e)
{
	return l->prog->fp != POLY_FP_STRICT || l->ir->m->opt.ring ||
		!poly_type_is_float(e->type);
}

/* The two factors of "e", a product, that one fused operation takes: those of
 * its factors that move with axis 1 and the others, if there are both.
 */
static void split_product(struct nvptx_lower *l, const struct nvptx_contract *c,
	const struct poly_expr *e, enum poly_type t, const LLVMValueRef *in,
	LLVMValueRef pair[2])
{
	const struct poly_expr *factor[MAX_FACTOR];
	int n = is_free(l, e) ? add_factors(e, factor, 0) : 0;

	pair[0] = pair[1] = NULL;
	if (n > 2 && n <= MAX_FACTOR)
		for (int i = 0; i < 2; i++)
			pair[i] = multiply(l, c, factor, n, i, t, in);
	if (pair[0] && pair[1])
		return;
	for (int i = 0; i < 2; i++)
		pair[i] = nvptx_cast(l->ir, t, e->arg[i]->type,
			nvptx_expr(l, e->arg[i], in)).v;
}

/* acc = x * y + acc in the type that values of its type are computed in. */
static void accumulate_product(struct nvptx_lower *l, const struct nvptx_contract *c,
	const LLVMValueRef *in)
{
	const struct poly_array *acc = c->point->write_array;
	enum poly_type t = acc->type, compute = poly_type_compute(t);
	struct nvptx_value v = nvptx_cast(l->ir, compute, t,
		nvptx_load(l, acc, NULL));
	LLVMValueRef pair[2];

	split_product(l, c, c->point->rhs, compute, in, pair);
	v.v = nvptx_fma(l->ir, compute, pair[0], pair[1], v.v);
	nvptx_store(l, acc, NULL, nvptx_cast(l->ir, t, compute, v));
}

/* Is the update one operation, which needs no register of its own? */
static bool is_fused(const struct nvptx_contract *c)
{
	return c->point->reduce == POLY_OP_ADD &&
		c->point->rhs->op == POLY_OP_MUL;
}

/* Update the accumulator of the digits in force in step "at" of a body. */
static void update(struct nvptx_lower *l, struct nvptx_contract *c, int at)
{
	const struct poly_stmt *s = c->point;
	LLVMValueRef p[NVPTX_PLACE_DIM], in[16];

	for (int d = 0; d < 2; d++)
		p[d] = nvptx_add(l->ir, nvptx_add(l->ir, nvptx_mul(l->ir,
			c->in[d], nvptx_int(l->ir, l->kernel->tile[d])),
			nvptx_mul(l->ir, c->in[nvptx_at_thread(c) + d],
				nvptx_int(l->ir, nvptx_thread_step(l->kernel,
				d))), ""), c->in[nvptx_at_digit(c) + d], "");
	p[2] = nvptx_add(l->ir, nvptx_mul(l->ir, c->in[2],
		nvptx_int(l->ir, l->kernel->tile_k)), c->in[nvptx_at_step(c)],
		"");
	for (int i = 3; i < c->n_tile; i++)
		p[i] = c->in[i];
	nvptx_multi_aff(l, s->at, p, in);
	hold_reads(l, c, at);
	if (is_fused(c))
		accumulate_product(l, c, in);
	else
		nvptx_point(l, s, in);
	l->reads.n = 0;
}

/* Update the accumulators of all digits, along rows, to the right and to the
 * left in turn: two multiply-adds in a row then share an operand, which the
 * hardware keeps from one to the next, so that fewer reads of registers
 * collide.
 */
static void update_all(struct nvptx_lower *l, struct nvptx_contract *c, int at,
	bool ask)
{
	struct nvptx_branch branch;
	LLVMValueRef cond = NULL;

	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		int row = i / c->n[1], column = i % c->n[1];

		set_digits(l, c, row, row % 2 ? c->n[1] - 1 - column : column);
		if (ask)
			cond = nvptx_condition(l, isl_set_copy(c->guard),
				c->in);
		if (cond)
			nvptx_if_begin(l->ir, &branch, cond, "inside");
		update(l, c, at);
		if (cond)
			nvptx_if_end(l->ir, &branch);
	}
}

/* --------------------------------------------------------------- the loops */

/* What the guard says of the step alone, as a condition, or NULL; the guard
 * keeps the rest, and what would need a search for integers.
 */
static LLVMValueRef ask_step(struct nvptx_lower *l, struct nvptx_contract *c)
{
	isl_set *steps = isl_set_eliminate(isl_set_copy(c->guard), isl_dim_set,
		nvptx_at_digit(c), 4);

	steps = isl_set_remove_unknown_divs(steps);
	c->guard = isl_set_gist(c->guard, isl_set_copy(steps));
	return nvptx_condition(l, steps, c->in);
}

/* The loop over the steps of a tile; with "ask", points that the member lacks
 * are left out, and steps that have none.
 */
static void emit_steps(struct nvptx_lower *l, struct nvptx_contract *c, bool ask)
{
	struct nvptx_branch branch;
	struct nvptx_loop loop;
	LLVMValueRef cond;

	nvptx_unit_wait(l, c->op);
	nvptx_copy_all(l);
	nvptx_loop_begin(l->ir, &loop, "kk", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, nvptx_int(l->ir, l->kernel->tile_k), ""));
	c->in[nvptx_at_step(c)] = loop.i;
	cond = ask ? ask_step(l, c) : NULL;
	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, "inside");
	load_fragments(l, c);
	update_all(l, c, 0, ask);
	if (cond)
		nvptx_if_end(l->ir, &branch);
	nvptx_loop_end(l->ir, &loop, ask ? 1 : 0);
}

/* ------------------------------------------------ loads run a step ahead */

/* Steps of a body that lie side by side in "a" and that one load takes: more
 * would only wait in registers.
 */
static int run_of_steps(const struct nvptx_contract *c, const struct poly_kernel *k,
	const struct poly_array *a)
{
	int n = POLY_RUN_BYTES / poly_type_size(a->type);

	while (n > 1 && (k->vec_k % n || c->body % n))
		n /= 2;
	return n;
}

/* The greatest common divisor of "a", which may be 0, and "b". */
static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* The greatest number of which the elements are multiples, counted from the
 * beginning of buffer "a", where loads as "load" says begin: what moves an
 * address is the slot and the row of the tile, the thread, the digits, and the
 * step.
 */
static int64_t load_aligned(const struct poly_kernel *k,
	const struct poly_array *a, const struct nvptx_contract_load *load)
{
	int64_t n = nvptx_shared_size(a) / poly_type_size(a->type) /
		(a->n_dim > 2 ? nvptx_extent(a, 0) : 1);

	for (int d = 0; d < 2; d++)
		n = divisor(n, load->stride[d] * divisor(k->vec[d],
			load->run[d]));
	return divisor(n, load->stride[2] * load->run[2]);
}

/* How read "o" is loaded; false if its address is no sum of multiples of the
 * digits and the step.
 */
static bool plan_load(struct nvptx_lower *l, struct nvptx_contract *c, int o)
{
	const struct poly_kernel *k = l->kernel;
	const int dim[3] = { nvptx_at_digit(c), nvptx_at_digit(c) + 1, nvptx_at_step(c) };
	const int run[3] = { k->vec[0], k->vec[1],
		run_of_steps(c, k, c->op->operand[o]) };
	struct nvptx_contract_load *load = &c->load[o];
	bool ok = true, found = false;
	LLVMValueRef index[16];
	isl_set *box;

	isl_multi_aff_free(nvptx_contract_instance(l, c, &box));
	for (int d = 0; d < 3 && ok; d++) {
		ok = nvptx_stride(l, c->op->operand[o], c->index[o], box,
			dim[d], &load->stride[d]);
		if (!ok || found || load->stride[d] != 1)
			continue;
		load->run[d] = run[d];
		found = true;
	}
	isl_set_free(box);
	if (!ok)
		return false;
	load->aligned = load_aligned(k, c->op->operand[o], load);
	c->in[nvptx_at_step(c)] = c->in[nvptx_at_digit(c)] = c->in[nvptx_at_digit(c) + 1] =
		nvptx_int(l->ir, 0);
	nvptx_index(l, c->op->operand[o], c->index[o], c->in, index);
	load->first = nvptx_address(l, c->op->operand[o], index);
	return true;
}

/* Plan loads of all operands that run a step ahead; false, and there are none,
 * if one of them cannot.
 */
static bool plan_loads(struct nvptx_lower *l, struct nvptx_contract *c)
{
	bool ok = true;

	for (int o = 0; o < c->n_read && ok; o++)
		ok = !is_loaded(c, o) || plan_load(l, c, o);
	for (int o = 0; o < c->n_read && !ok; o++)
		c->load[o] = (struct nvptx_contract_load) { .run = { 1, 1, 1 } };
	return ok;
}

/* Load the fragment of read "o" at the step that is "s" behind "from". */
static void load_ahead(struct nvptx_lower *l, struct nvptx_contract *c, int o,
	LLVMValueRef from, int s, LLVMValueRef *frag)
{
	const struct poly_array *a = c->op->operand[o];
	const struct nvptx_contract_load *load = &c->load[o];
	LLVMValueRef base = nvptx_element(l->ir, nvptx_memory_type(l->ir,
		a->type), load->first, nvptx_mul(l->ir, from,
			nvptx_int(l->ir, load->stride[2])));

	for (int i = 0; i < c->n[0] * c->n[1]; i++) {
		int r[2] = { i / c->n[1], i % c->n[1] };
		int64_t offset = load->stride[2] * s;

		if (entry(c, o, r[0], r[1]) != i)
			continue;
		for (int d = 0; d < 2; d++)
			offset += load->stride[d] *
				poly_product_offset(l->kernel, d, r[d]);
		frag[i] = nvptx_load_run(l, a, base, offset,
			load->run[0] * load->run[1] * load->run[2],
			load->aligned);
	}
}

/* Are the elements of read "o" that step "s" uses the last of a load? */
static bool is_used_up(const struct nvptx_contract *c, int o, int s)
{
	return is_loaded(c, o) && (s + 1) % c->load[o].run[2] == 0;
}

/* Step "s" of the body that begins at "here": update with the fragments there
 * are, while those of the next step are loaded into "spare" and take their
 * place: in the last step those of the body that begins at "next".
 */
static void emit_step(struct nvptx_lower *l, struct nvptx_contract *c, int s,
	LLVMValueRef here, LLVMValueRef next, LLVMValueRef *spare)
{
	int size = c->n[0] * c->n[1];
	bool last = s + 1 == c->body;

	for (int o = 0; o < c->n_read; o++)
		if (is_used_up(c, o, s))
			load_ahead(l, c, o, last ? next : here,
				last ? 0 : s + 1, spare + o * size);
	c->in[nvptx_at_step(c)] = nvptx_add(l->ir, here, nvptx_int(l->ir, s),
		"");
	update_all(l, c, s, false);
	if (s == nvptx_copy_step(&l->put_off, c->body))
		nvptx_copy_part(l, nvptx_div(l->ir, here, nvptx_int(l->ir,
			c->body)));
	for (int o = 0; o < c->n_read; o++)
		if (is_used_up(c, o, s))
			memcpy(c->fragment + o * size, spare + o * size,
				size * sizeof(*spare));
}

/* Make the "n" values of "list" phis that begin as they are. */
static void carry(struct nvptx_ir *ir, LLVMBasicBlockRef from,
	LLVMValueRef *list, LLVMValueRef *phi, int n)
{
	for (int i = 0; i < n; i++) {
		if (!list[i])
			continue;
		phi[i] = LLVMBuildPhi(ir->b, LLVMTypeOf(list[i]), "");
		LLVMAddIncoming(phi[i], &list[i], &from, 1);
		list[i] = phi[i];
	}
}

/* Where the loop over a tile's steps ends, in whole bodies: sooner in a tile
 * that lacks steps, if nothing else is to be done in all turns.
 */
static LLVMValueRef end_of_steps(struct nvptx_lower *l,
	const struct nvptx_contract *c)
{
	LLVMValueRef all = nvptx_int(l->ir, l->kernel->tile_k), n;
	isl_pw_aff *steps;

	if (!c->op->full || l->put_off.n || c->body == 1)
		return all;
	steps = nvptx_contract_steps(l, c);
	if (isl_pw_aff_n_piece(steps) < 1 ||
	    isl_pw_aff_n_piece(steps) > MOST_PIECES) {
		isl_pw_aff_free(steps);
		return all;
	}
	n = nvptx_pw_aff(l, steps, c->in);
	n = nvptx_add(l->ir, n, nvptx_int(l->ir, c->body - 1), "");
	return nvptx_mul(l->ir, nvptx_div(l->ir, n, nvptx_int(l->ir, c->body)),
		nvptx_int(l->ir, c->body));
}

/* A loop of bodies of a few steps. The last one loads the first fragments
 * again, or what follows: nobody uses them. The fences keep LLVM from moving
 * loads behind the loop's head, to their uses.
 */
static void emit_bodies(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef *phi)
{
	int n = c->n_read * c->n[0] * c->n[1], steps = l->kernel->tile_k;
	LLVMBasicBlockRef block;
	LLVMValueRef next, end = end_of_steps(l, c);
	struct nvptx_loop loop;

	for (int o = 0; o < c->n_read; o++)
		if (is_loaded(c, o))
			load_ahead(l, c, o, nvptx_int(l->ir, 0), 0,
				c->fragment + o * c->n[0] * c->n[1]);
	nvptx_hw(l->ir, NVPTX_HW_FENCE, NULL, 0, "");
	block = LLVMGetInsertBlock(l->ir->b);
	nvptx_loop_begin(l->ir, &loop, "kk", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, c->body));
	carry(l->ir, block, c->fragment, phi, n);
	nvptx_copy_carry(l, block);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, end, ""));
	next = nvptx_mod(l->ir, nvptx_add(l->ir, loop.i, nvptx_int(l->ir,
		c->body), ""), nvptx_int(l->ir, steps));
	for (int s = 0; s < c->body; s++)
		emit_step(l, c, s, loop.i, next, phi + n);
	nvptx_hw(l->ir, NVPTX_HW_FENCE, NULL, 0, "");
	nvptx_copy_carried(l);
	block = LLVMGetInsertBlock(l->ir->b);
	for (int i = 0; i < n; i++)
		if (phi[i])
			LLVMAddIncoming(phi[i], &c->fragment[i], &block, 1);
	nvptx_loop_end(l->ir, &loop, 1);
	nvptx_copy_commit(l);
}

/* Two loops, if the copies that are started in them must ask for each element
 * only in some tiles, and registers suffice.
 */
static void emit_ahead(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef *phi)
{
	LLVMValueRef whole = is_fused(c) ? nvptx_copy_whole(l) : NULL;
	struct nvptx_branch branch;

	if (!whole) {
		emit_bodies(l, c, phi);
		return;
	}
	nvptx_copy_assume_whole(&l->put_off, true);
	nvptx_if_begin(l->ir, &branch, whole, "inside");
	emit_bodies(l, c, phi);
	nvptx_if_end(l->ir, &branch);
	nvptx_copy_assume_whole(&l->put_off, false);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""),
		"edge");
	emit_bodies(l, c, phi);
	nvptx_if_end(l->ir, &branch);
}

/* Run the tile on a matrix unit; false if it cannot be. */
static bool emit_unit(struct nvptx_lower *l, struct nvptx_contract *c)
{
	struct nvptx_unit_op op = { .op = c->op, .index = c->index,
		.in = c->in, .digit = nvptx_at_digit(c), .thread = nvptx_at_thread(c),
		.step = nvptx_at_step(c) };
	LLVMValueRef own[2] = { c->in[nvptx_at_thread(c)], c->in[nvptx_at_thread(c) + 1] };
	bool ran;

	if (!l->kernel->unit)
		return false;
	isl_multi_aff_free(nvptx_contract_instance(l, c, &op.box));
	ran = nvptx_unit(l, &op);
	isl_set_free(op.box);
	for (int d = 0; d < 2; d++)
		c->in[nvptx_at_thread(c) + d] = own[d];
	return ran;
}

/* The loop over the steps of a tile that has all points. */
static void emit_loop(struct nvptx_lower *l, struct nvptx_contract *c)
{
	LLVMValueRef *phi = calloc(2 * c->n_read * c->n[0] * c->n[1] + 1,
		sizeof(*phi));

	memset(c->fragment, 0, c->n_read * c->n[0] * c->n[1] *
		sizeof(*c->fragment));
	if (!phi)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	else if (emit_unit(l, c))
		;
	else if (!l->kernel->unit && nvptx_goes_ahead(l->ir) && plan_loads(l,
		c)) emit_ahead(l, c, phi);
	else
		emit_steps(l, c, false);
	free(phi);
}

/* ------------------------------------------------------------- finite factors */

/* The bits of the float "v" without its sign, or NULL if it is no f32 or f64. */
static LLVMValueRef magnitude(struct nvptx_lower *l, LLVMValueRef v)
{
	LLVMContextRef ctx = l->ir->m->ctx;
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	LLVMTypeRef type = kind == LLVMFloatTypeKind ?
		LLVMInt32TypeInContext(ctx) : LLVMInt64TypeInContext(ctx);

	if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		return NULL;
	v = LLVMBuildBitCast(l->ir->b, v, type, "");
	return LLVMBuildLShr(l->ir->b, LLVMBuildShl(l->ir->b, v,
		LLVMConstInt(type, 1, 0), ""), LLVMConstInt(type, 1, 0), "");
}

/* The greater of "a", which may be NULL, and "b". */
static LLVMValueRef greater(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b)
{
	return !a ? b : LLVMBuildSelect(l->ir->b, LLVMBuildICmp(l->ir->b,
		LLVMIntUGT, a, b, ""), a, b, "");
}

/* The greatest magnitude of what was loaded of the reads "which", or NULL. */
static LLVMValueRef greatest(struct nvptx_lower *l, const struct nvptx_contract *c,
	const bool *which)
{
	int size = c->n[0] * c->n[1];
	LLVMValueRef most = NULL;

	for (int i = 0; i < c->n_read * size; i++) {
		LLVMValueRef v = which[i / size] ? c->fragment[first_read(c,
			i / size) * size + i % size] : NULL;

		if (v)
			most = greater(l, most, magnitude(l, v));
	}
	return most;
}

/* Is all finite that the thread reads of the operands "which" of the tile? */
static LLVMValueRef are_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	const bool *which, enum poly_type t)
{
	LLVMContextRef ctx = l->ir->m->ctx;
	LLVMTypeRef type = t == POLY_F32 ? LLVMInt32TypeInContext(ctx) :
		LLVMInt64TypeInContext(ctx);
	LLVMValueRef zero = LLVMConstNull(type), phi, most;
	LLVMBasicBlockRef block = LLVMGetInsertBlock(l->ir->b);
	struct nvptx_loop loop;

	nvptx_loop_begin(l->ir, &loop, "finite", nvptx_int(l->ir, 0),
		nvptx_int(l->ir, 1));
	phi = LLVMBuildPhi(l->ir->b, type, "");
	LLVMAddIncoming(phi, &zero, &block, 1);
	nvptx_loop_body(l->ir, &loop, LLVMBuildICmp(l->ir->b, LLVMIntULT,
		loop.i, nvptx_int(l->ir, l->kernel->tile_k), ""));
	c->in[nvptx_at_step(c)] = loop.i;
	load_fragments(l, c);
	most = greater(l, greatest(l, c, which), phi);
	block = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(phi, &most, &block, 1);
	nvptx_loop_end(l->ir, &loop, 0);
	return LLVMBuildICmp(l->ir->b, LLVMIntULT, phi, LLVMConstInt(type,
		poly_type_bits(t, HUGE_VAL), 0), "");
}

/* Can threads ask whether what the tile reads is finite? With a unit all ask at once, on
 * a GPU, if all multiply, and elsewhere leave out what is not there.
 */
static bool can_ask(const struct nvptx_lower *l, const struct nvptx_contract *c)
{
	enum poly_type t = c->point->rhs->type;
	bool can = (t == POLY_F32 || t == POLY_F64) &&
		!l->ir->m->opt.ring && !l->ir->m->opt.wide;

	if (l->kernel->unit)
		return can && c->n_read == 2 && !l->kernel->blocks &&
			l->ir->m->opt.device == NVPTX_GPU;
	for (int o = 0; o < c->n_read; o++)
		can &= c->read[o]->array->type == t;
	return can;
}

/* "whole", or is all finite that makes points, which are left out otherwise, add zero? */
static LLVMValueRef or_finite(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef whole)
{
	bool which[POLY_MAX_OPERAND];
	struct nvptx_branch branch;
	LLVMValueRef finite;
	LLVMBasicBlockRef block;

	if (!can_ask(l, c) || !poly_runs_full_finite(l->prog, l->kernel, c->op,
	    which))
		return whole;
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""),
		"ask");
	finite = l->kernel->unit ? nvptx_unit_finite(l, c, which) :
		are_finite(l, c, which, c->point->rhs->type);
	block = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	return !finite ? whole :
		nvptx_if_value(l->ir, &branch, block, finite, whole, "");
}

/* One loop for tiles that have all points, another for the rest of them. */
static void emit_loops(struct nvptx_lower *l, struct nvptx_contract *c)
{
	isl_set *whole = poly_whole_tiles(l->prog, l->kernel, c->op);
	struct nvptx_branch branch;
	LLVMValueRef cond;

	whole = isl_set_reset_tuple_id(whole);
	whole = isl_set_gist(poly_set_coalesce(whole),
		nvptx_contract_tiles(&l->fact, c));
	cond = nvptx_condition(l, whole, c->in);
	if (!cond) {
		emit_loop(l, c);
		return;
	}
	c->guard = nvptx_contract_guard(l, c);
	cond = or_finite(l, c, cond);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, cond, ""),
		"part");
	emit_steps(l, c, true);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, cond, "whole");
	emit_loop(l, c);
	nvptx_if_end(l->ir, &branch);
	isl_set_free(c->guard);
}

static void add_read(struct poly_expr *leaf, void *user)
{
	struct nvptx_contract *c = user;

	if (c->n_read < POLY_MAX_OPERAND)
		c->read[c->n_read++] = leaf;
}

void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	const struct poly_kernel *k = l->kernel;
	struct nvptx_contract c = { .op = s };
	bool ok = true;

	c.n_tile = isl_set_dim(s->domain, isl_dim_set);
	if (s->n_member != 1 || nvptx_at_step(&c) >= NVPTX_PLACE_DIM ||
	    s->member[0]->reduce == POLY_OP_NONE ||
	    s->member[0]->write_array->space != POLY_REGISTER) {
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"a contraction is no reduction in " "registers");
		return;
	}
	c.point = s->member[0];
	poly_expr_each_access(c.point->rhs, &add_read, &c);
	for (int i = 0; i < c.n_tile; i++)
		c.in[i] = arg[i];
	for (int d = 0; d < 2; d++) {
		c.n[d] = k->tile[d] / k->thread[d];
		c.in[nvptx_at_thread(&c) + d] = k->unit ? nvptx_thread_offset(l, d, true) :
			l->value.tid[d];
	}
	c.body = nvptx_body(k, s);
	for (int o = 0; o < c.n_read; o++) {
		c.load[o] = (struct nvptx_contract_load) { .run = { 1, 1, 1 } };
		if (s->operand[o]) {
			c.index[o] = nvptx_contract_index(l, &c, s->operand_index[o]);
			ok &= c.index[o] != NULL;
		}
	}
	nvptx_debug_stmt(l->ir, c.point);
	c.fragment = calloc(POLY_MAX_OPERAND * c.n[0] * c.n[1],
		sizeof(*c.fragment));
	if (!c.fragment || !ok)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "an operand has no index");
	else if (s->full)
		emit_loop(l, &c);
	else
		emit_loops(l, &c);
	free(c.fragment);
	nvptx_copy_done(&l->put_off);
	nvptx_unit_note(l, s);
	for (int o = 0; o < c.n_read; o++)
		isl_multi_pw_aff_free(c.index[o]);
}
