/* nvptx: emitters of tile operations: GROUP and SYNC; the others have files of
 * their own (lower_copy.c, lower_contract.c).
 *
 * A GROUP is unrolled over the register digits: thread (t0, t1) of block
 * (b0, b1) runs its members at each of its points
 *
 *	p0 = b0 * tile0 + t0 * vec0 + R0 * thread0 * vec0 + v0	(p1 alike)
 *
 * with the digit r0 = R0 * vec0 + v0, where their own domains hold; what is
 * known of the sizes is taken out of that condition, so that sizes which are
 * multiples of the tile leave none. In a kernel without a product, where loads
 * shall not wait for one another, tiles that are whole have code of their own
 * without conditions.
 */

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

const char *nvptx_point_name(const struct poly_stmt *s, int d)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	const char *name = NULL;

	for (int i = 0; i < n && !name; i++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, i);

		if (isl_aff_involves_dims(aff, isl_dim_in, d, 1) ==
		    isl_bool_true)
			name = isl_set_get_dim_name(s->domain, isl_dim_set, i);
		isl_aff_free(aff);
	}
	return name;
}

/* Find out how the indices of "s" grow along a run. */
static void find_grown(struct nvptx_lower *l, const struct poly_stmt *s)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);

	l->grown.stmt = s;
	l->grown.known = true;
	for (int d = 0; d < n; d++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, d);
		isl_val *by = isl_aff_get_coefficient_val(aff, isl_dim_in, 1);

		for (int i = 0; i < isl_aff_dim(aff, isl_dim_div); i++)
			l->grown.known &= nvptx_same_along_run(l->kernel,
				isl_aff_get_div(aff, i));
		l->grown.known &= isl_val_is_int(by) == isl_bool_true;
		l->grown.by[d] = l->grown.known ? isl_val_get_num_si(by) : 0;
		isl_val_free(by);
		isl_aff_free(aff);
	}
}

void nvptx_stand(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *p, LLVMValueRef *in)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	isl_size n_in = isl_multi_aff_dim(s->at, isl_dim_in);
	int v = l->now.digit[1] % l->kernel->vec[1];
	LLVMValueRef first[16];
	int64_t more = 0;

	if (v && isl_multi_aff_involves_locals(s->at) == isl_bool_true &&
	    l->grown.stmt != s)
		find_grown(l, s);
	if (!v || l->grown.stmt != s || !l->grown.known) {
		nvptx_multi_aff(l, s->at, p, in);
		return;
	}
	for (int i = 0; i < n_in; i++)
		first[i] = p[i];
	first[1] = nvptx_take_constant(p[1], &more);
	first[1] = nvptx_add(l->ir, first[1], nvptx_int(l->ir, more - v), "");
	nvptx_multi_aff(l, s->at, first, in);
	for (int d = 0; d < n; d++)
		if (l->grown.by[d])
			in[d] = nvptx_add(l->ir, in[d], LLVMConstInt(
				LLVMTypeOf(in[d]), (unsigned long long)
				(l->grown.by[d] * v), 1), "");
}

/* The thread's first point of the tile "arg" of "s"; on lines, the first of each. */
static void first_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg, LLVMValueRef *base)
{
	const struct poly_kernel *k = l->kernel;
	isl_size n_coordinate = isl_set_dim(s->domain, isl_dim_set);

	for (int i = 2; i < n_coordinate; i++)
		base[i] = arg[i];
	for (int d = 0; d < 2; d++) {
		const char *name = nvptx_point_name(s->member[0], d);

		base[d] = nvptx_mul(l->ir, arg[d], nvptx_int(l->ir,
			k->tile[d]));
		if (s->kind == POLY_GROUP && (s->along & 1u << d))
			continue;
		base[d] = nvptx_add(l->ir, base[d], nvptx_thread_offset(l, d,
			false), name ? name : "");
	}
}

/* Do several threads stand on a line of the group "s"? */
static bool has_many_on_line(const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	for (int d = 0; d < 2; d++)
		if ((s->along & 1u << d) && k->tile[d] > 1)
			return true;
	return false;
}

/* Would places that stay in registers behind a reduction take those of another block, or
 * of the row? In the largest blocks, and where threads hold much of a row.
 */
static bool is_full(const struct nvptx_lower *l)
{
	const struct poly_kernel *k = l->kernel;
	int own = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);
	int n = 0;

	for (int i = 0; i < l->prog->n_array; i++)
		n += l->prog->array[i]->space == POLY_REGISTER &&
			l->value.base[i] && !l->fact.along[i];
	return k->thread[0] * k->thread[1] == POLY_MOST_THREADS ||
		n * own >= NVPTX_MANY_WORDS;
}

/* Run the REDUCE "s". */
static void run_reduce(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *base)
{
	struct nvptx_when when = nvptx_find_when(l, isl_set_list_get_at(guards, 0),
		known, nvptx_guarded_run(l, guards, known), true);

	nvptx_reduce(l, s, &when, base);
	nvptx_when_clear(&when);
	l->fact.places_apart |= is_full(l);
}

/* The operation "s" over the distribution of the kernel. */
static void points(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	isl_set *known = nvptx_covered(l, s);
	isl_set_list *guards = isl_set_list_alloc(l->prog->ctx, s->n_member);
	LLVMValueRef base[16];

	for (int i = 0; i < s->n_member; i++)
		guards = isl_set_list_add(guards,
			nvptx_member_guard(l, s->member[i], known));
	first_point(l, s, arg, base);
	if (s->kind == POLY_REDUCE)
		run_reduce(l, s, guards, known, base);
	else if (s->kind == POLY_SCAN)
		nvptx_scan(l, s, known, base);
	else if (has_many_on_line(l->kernel, s))
		nvptx_group_lines(l, s, guards, known, arg, base);
	else
		nvptx_group(l, s, guards, known, arg, base);
	isl_set_list_free(guards);
	isl_set_free(known);
}

void nvptx_tile(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);

	switch (s->kind) {
	case POLY_COPY:
		nvptx_copy(l, s, arg);
		break;
	case POLY_CONTRACT:
		nvptx_contract(l, s, arg);
		nvptx_vacate(l, s, arg);
		break;
	case POLY_GROUP:
	case POLY_REDUCE:
	case POLY_SCAN:
		nvptx_unit_end(l, arg);
		points(l, s, arg);
		nvptx_unit_begin(l, s);
		break;
	case POLY_SYNC:
		if (s->wait)
			nvptx_wait(l, s, arg);
		nvptx_wait_started(l);
		if (poly_unit_is_async(l->kernel->unit) &&
		    nvptx_writes_swizzled(l))
			nvptx_hw(l->ir, NVPTX_HW_PROXY_FENCE, NULL, 0, "");
		if (l->kernel->together)
			nvptx_meet(l);
		else if (l->now.role != NVPTX_FED)
			nvptx_go_on(l, nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1,
				""));
		break;
	default:
		nvptx_fail(l->ir, nvptx_i32(l->ir), "unknown tile operation");
	}
}
