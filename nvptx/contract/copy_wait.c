/* nvptx: the wait for asynchronous copies. */
#include <stdlib.h>

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/contract/contract.h"

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

/* Does a product in the loop of "first" read "a"? */
static bool is_operand(const struct poly_prog *prog, const struct poly_stmt *first,
	const struct poly_array *a)
{
	const struct poly_stmt *op = first;

	for (; op; op = poly_next_in_loop(prog, op))
		for (int i = 0; i < POLY_MAX_OPERAND; i++)
			if (op->operand[i] == a)
				return true;
	return false;
}

/* Wait until no more than the last "pending" groups are on their way. */
static LLVMValueRef wait_group(struct nvptx_ir *ir, int pending)
{
	LLVMValueRef n = nvptx_int(ir, pending);

	return nvptx_hw(ir, NVPTX_HW_COPY_WAIT, &n, 1, "");
}

/* At a barrier of the threads of a block, all that is on its way lands. */
void nvptx_wait_started(struct nvptx_lower *l)
{
	bool some = false;
	int n;
	struct poly_stmt **list = poly_kernel_stmts(l->prog, l->kernel, &n);

	for (int i = 0; list && i < n; i++)
		some |= nvptx_only_starts(l, list[i]);
	free(list);
	if (!some)
		return;
	nvptx_go_on(l, nvptx_hw(l->ir, NVPTX_HW_COPY_COMMIT, NULL, 0, ""));
	nvptx_go_on(l, wait_group(l->ir, 0));
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
		    !is_operand(l->prog, s->wait, c->member[0]->write_array))
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
