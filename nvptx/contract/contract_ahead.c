/* nvptx: the steps of a CONTRACT whose loads run a step ahead. */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"
#include "nvptx/contract/lower_contract.h"

/* Pieces of a number of steps, at most, that the loop asks. */
enum { MOST_PIECES = 4 };

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

void nvptx_contract_forget_loads(struct nvptx_contract *c)
{
	for (int o = 0; o < c->n_read; o++)
		c->load[o] = (struct nvptx_contract_load) { .run = { 1, 1, 1 } };
}

/* Plan loads of all operands that run a step ahead; false, and there are none,
 * if one of them cannot.
 */
bool nvptx_contract_plan_loads(struct nvptx_lower *l, struct nvptx_contract *c)
{
	bool ok = true;

	for (int o = 0; o < c->n_read && ok; o++)
		ok = !nvptx_contract_is_loaded(c, o) || plan_load(l, c, o);
	if (!ok)
		nvptx_contract_forget_loads(c);
	return ok;
}

/* Load the fragment of read "o" at the step that is "s" behind "from". */
void nvptx_contract_load_ahead(struct nvptx_lower *l, struct nvptx_contract *c, int o,
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

		if (nvptx_contract_entry(c, o, r[0], r[1]) != i)
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
	return nvptx_contract_is_loaded(c, o) && (s + 1) % c->load[o].run[2] == 0;
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
			nvptx_contract_load_ahead(l, c, o, last ? next : here,
				last ? 0 : s + 1, spare + o * size);
	c->in[nvptx_at_step(c)] = nvptx_add(l->ir, here, nvptx_int(l->ir, s),
		"");
	nvptx_contract_update(l, c, s, false);
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
		if (nvptx_contract_is_loaded(c, o))
			nvptx_contract_load_ahead(l, c, o, nvptx_int(l->ir, 0), 0,
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
void nvptx_contract_ahead(struct nvptx_lower *l, struct nvptx_contract *c,
	LLVMValueRef *phi)
{
	LLVMValueRef whole = nvptx_contract_is_fused(c) ? nvptx_copy_whole(l) : NULL;
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
