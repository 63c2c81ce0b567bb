/* nvptx: kernels that are alike before they are lowered (polyir/legal/same_kernels.c), such as the
 * layers of a network: the function of the first is launched for the others, too, which
 * need no code of their own.
 *
 * What a function has beside the text that is compared, such as a count of blocks, or
 * launches in front of it, leaves a kernel alone. So do arrays of which the kernels access
 * different parts where these are not arguments. Functions that come to the same by other
 * ways are found by their code (same.c).
 */
#include <stdlib.h>
#include <string.h>

#include "polyir/legal/legal.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* A kernel that has been lowered; its launch is number "launch" of the plan. */
struct lowered {
	struct poly_alike *like;
	struct nvptx_kernel_usage usage;
	int launch;
};
struct nvptx_reuse {
	struct lowered *list;
	int n;
	struct poly_alike *like;	/* of the kernel at hand, or NULL */
};

struct nvptx_reuse *nvptx_reuse_alloc(const struct poly_prog *prog)
{
	struct nvptx_reuse *r = calloc(1, sizeof(*r));

	if (r)
		r->list = calloc(prog->n_kernel + 1, sizeof(*r->list));
	return r && r->list ? r : nvptx_reuse_free(r);
}

struct nvptx_reuse *nvptx_reuse_free(struct nvptx_reuse *r)
{
	if (!r)
		return NULL;
	for (int i = 0; i < r->n; i++) {
		poly_alike_free(r->list[i].like);
		nvptx_kernel_usage_clear(&r->list[i].usage);
	}
	poly_alike_free(r->like);
	free(r->list);
	free(r);
	return NULL;
}

/* The number of the kernel at hand in its program. */
static int number_of(const struct nvptx_lower *l)
{
	int i = 0;

	while (l->prog->kernel[i] != l->kernel)
		i++;
	return i;
}

/* Is all that the function will have in what is compared? Checks name arrays. */
static bool is_plain(struct nvptx_lower *l)
{
	const struct poly_kernel *k = l->kernel;
	const struct nvptx_options *o = &l->ir->m->opt;

	return !o->checked && !o->wide && !k->together && !k->near && !k->ranked && !k->given &&
		!l->planned.before[number_of(l)] && !l->fact.n_untouched &&
		!nvptx_relay_words(l);
}

/* Do the arrays of "like" come in the order in which those of "one" do? Arguments, and
 * what lies in shared memory, go by it.
 */
static bool have_one_order(const struct poly_alike *one, const struct poly_alike *like)
{
	if (one->n_array != like->n_array)
		return false;
	for (int i = 0; i < one->n_array; i++)
		for (int j = 0; j < i; j++)
			if ((one->array[i] < one->array[j]) !=
			    (like->array[i] < like->array[j]))
				return false;
	return true;
}

/* Let "u" have what "one" uses, under the names of "like". False without memory. */
static bool translate(struct nvptx_lower *l, const struct lowered *one,
	const struct poly_alike *like, struct nvptx_kernel_usage *u)
{
	*u = one->usage;
	u->kernel = l->kernel;
	if (!nvptx_kernel_usage_alloc(u, l->prog))
		return false;
	for (int i = 0; i < like->n_array; i++) {
		int from = one->like->array[i], to = like->array[i];

		u->read[to] = one->usage.read[from];
		u->written[to] = one->usage.written[from];
		u->part[to] = one->like->part[from] == like->part[to] ?
			one->usage.part[from] : like->part[to];
	}
	return true;
}

/* Is every array of which "one" and "u" access different parts an argument that begins
 * with the part?
 */
static bool parts_fit(struct nvptx_lower *l, const struct lowered *one,
	const struct poly_alike *like, const struct nvptx_kernel_usage *u)
{
	for (int i = 0; i < like->n_array; i++) {
		int from = one->like->array[i], to = like->array[i];
		int64_t a = one->like->part[from], b = like->part[to];

		if (a == b || !nvptx_is_argument(u, to))
			continue;
		if (one->usage.part[from] != a ||
		    (a && !nvptx_part_offset(l, &one->usage, from)) ||
		    (b && !nvptx_part_offset(l, u, to)))
			return false;
	}
	return true;
}

/* Let the arrays of "launch" be aligned as the function "fn" of "one" has its arguments. */
static void align_arrays(struct nvptx_lower *l, const struct nvptx_launch *launch,
	LLVMValueRef fn)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);

	for (int i = 0; l->ir->m->opt.device == NVPTX_GPU && i < launch->n_arg; i++) {
		LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, i + 1, kind);
		struct nvptx_plan_array *p;
		int align;

		if (!a || launch->arg[i].kind != NVPTX_ARG_ARRAY)
			continue;
		align = (int)LLVMGetEnumAttributeValue(a);
		p = &l->ir->m->plan.array[launch->arg[i].index];
		p->align = align > p->align ? align : p->align;
		l->planned.aligned = true;
	}
}

/* Plan a launch of the function of "one" for the kernel at hand, which uses "u". */
static void launch_again(struct nvptx_lower *l, const struct lowered *one,
	const struct nvptx_kernel_usage *u)
{
	struct nvptx_launch *launch = nvptx_plan_launch(l, u);
	const struct nvptx_launch *first = &l->ir->m->plan.launch[one->launch];

	if (!launch || l->ir->failed)
		return;
	launch->shared_bytes = first->shared_bytes;
	free(launch->kernel);
	launch->kernel = strdup(first->kernel);
	if (!launch->kernel)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	else
		align_arrays(l, launch, LLVMGetNamedFunction(l->ir->m->module,
			launch->kernel));
}

bool nvptx_reuse(struct nvptx_lower *l)
{
	struct nvptx_reuse *r = l->reuse;
	bool done = false;

	r->like = poly_alike_free(r->like);
	if (l->prog->n_kernel < 2 || !is_plain(l))
		return false;
	r->like = poly_alike_take(l->prog, l->kernel);
	for (int i = 0; i < r->n && !done; i++) {
		const struct lowered *one = &r->list[i];
		struct nvptx_kernel_usage u;

		if (!poly_alike_same(one->like, r->like) ||
		    !have_one_order(one->like, r->like))
			continue;
		done = translate(l, one, r->like, &u) && parts_fit(l, one, r->like, &u);
		if (done)
			launch_again(l, one, &u);
		nvptx_kernel_usage_clear(&u);
	}
	return done;
}

void nvptx_reuse_note(struct nvptx_lower *l, struct nvptx_kernel_usage *u,
	const struct nvptx_launch *launch)
{
	struct nvptx_reuse *r = l->reuse;

	if (!r->like)
		return;
	r->list[r->n++] = (struct lowered){ r->like, *u,
		(int)(launch - l->ir->m->plan.launch) };
	r->like = NULL;
	u->read = u->written = NULL;
	u->part = NULL;
}
