/* nvptx: blocks of a cluster that put together what their lines have.
 *
 * polyir/rows/shape.c decides whether there is a cluster. Each block sends its values to
 * all, and a barrier of each counts the bytes that come:
 *
 *	begin	barriers are there, and expect their bytes; the block says so
 *	..	rows are loaded
 *	REDUCE	all blocks have said so; st.async to each; wait for the barrier; read
 *
 * A barrier of the cluster for each reduction does so, too, as targets before PTX 8.1 and
 * the host device have it: the values lie in shared memory, where the others read them. But
 * its release is a fence for all memory, and its acquire forgets the first cache.
 *
 * The bytes of a barrier are counted when they lie in shared memory, and what is read
 * behind the wait for its phase comes after them. The wait acquires for the block alone:
 * for the cluster it would be the same instruction, and one more that empties the first
 * cache, which shared memory does not go through. compute-sanitizer's racecheck warns of
 * these reads all the same.
 *
 * A block ends when it has got all that is sent to it, so nobody sends to one that is not
 * there any more.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* The version of PTX in which blocks send; bytes of a barrier. */
enum { PTX_SEND = 81, BARRIER_BYTES = 8 };

/* The reductions of the kernel for which blocks send, "*n" of them, in a list that the
 * caller frees.
 */
static struct poly_stmt **sending(struct nvptx_lower *l, int *n)
{
	isl_union_set *domain;
	struct poly_stmt **op;
	bool few = false;
	int all = 0;

	*n = 0;
	if (l->ir->m->opt.device != NVPTX_GPU ||
	    l->ir->m->opt.target->ptx < PTX_SEND ||
	    poly_cluster(l->kernel, 0) * poly_cluster(l->kernel, 1) == 1)
		return NULL;
	domain = poly_kernel_domain(l->prog, l->kernel);
	op = poly_stmts_of(l->prog, domain, &all);
	for (int i = 0; op && i < all; i++) {
		int64_t bytes = nvptx_sent_bytes(l, op[i]);

		few |= bytes < 0;
		if (bytes)
			op[(*n)++] = op[i];
	}
	isl_union_set_free(domain);
	*n = few ? 0 : *n;
	return op;
}

int64_t nvptx_cluster_bytes(struct nvptx_lower *l)
{
	int n;

	free(sending(l, &n));
	return nvptx_places_bytes(n * (int64_t)BARRIER_BYTES);
}

static LLVMValueRef barrier_at(struct nvptx_lower *l, int i)
{
	return nvptx_element(l->ir, nvptx_i64(l->ir), l->value.joins,
		nvptx_int(l->ir, i));
}

/* Let one thread make the barriers of the "n" reductions "op". */
static void init(struct nvptx_lower *l, struct poly_stmt *const *op, int n)
{
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_thread_number(l, ""), nvptx_int(l->ir, 0), ""), "init");
	for (int i = 0; i < n; i++) {
		LLVMValueRef arg[2] = { barrier_at(l, i), nvptx_int(l->ir, 1) };

		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_INIT, arg, 2, "");
	}
	nvptx_hw(l->ir, NVPTX_HW_MBARRIER_FENCE, NULL, 0, "");
	for (int i = 0; i < n; i++) {
		LLVMValueRef arg[2] = { barrier_at(l, i), nvptx_int(l->ir,
			nvptx_sent_bytes(l, op[i])) };

		nvptx_hw(l->ir, NVPTX_HW_MBARRIER_EXPECT, arg, 2, "");
	}
	nvptx_if_end(l->ir, &branch);
}

void nvptx_cluster_begin(struct nvptx_lower *l)
{
	int n;
	struct poly_stmt **op = sending(l, &n);

	l->value.joins = NULL;
	l->value.n_join = 0;
	if (n) {
		l->value.joins = nvptx_take_places(l, nvptx_cluster_bytes(l));
		init(l, op, n);
		nvptx_hw(l->ir, NVPTX_HW_CLUSTER_ARRIVE_RELAXED, NULL, 0, "");
	}
	free(op);
}

void nvptx_cluster_end(struct nvptx_lower *l)
{
	if (!l->value.joins)
		nvptx_cluster_sync(l->ir);
}
