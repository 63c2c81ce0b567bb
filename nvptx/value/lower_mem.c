/* nvptx: elements of arrays: loads, stores and their checks; lower_address.c knows
 * where they are.
 *
 * In checked code the runtime is told which instance is at work, and every access
 * to memory asks it first; a refused load gives 0, a refused store is left out:
 *
 *	%ok = call i32 @cetane_host_check(ptr %t, ptr %A, ptr %at, i32 4, ..)
 *	%in = icmp ne i32 %ok, 0
 *	br i1 %in, label %A.in, label %A.in.end
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/lower_mem.h"
#include "runtime/host_abi.h"

/* "s" is freed, or becomes the table's. Equal texts share a number, so the
 * table has as many rows as there are different accesses.
 */
int nvptx_site(struct nvptx_ir *ir, struct poly_str *s)
{
	struct nvptx_module *m = ir->m;
	char **site;

	for (int i = 0; s->s && i < m->n_site; i++)
		if (!strcmp(m->site[i], s->s)) {
			poly_str_free(s);
			return i;
		}
	site = s->s ? realloc(m->site, (m->n_site + 1) * sizeof(*site)) : NULL;
	if (!site) {
		poly_str_free(s);
		nvptx_fail(ir, nvptx_i32(ir), "out of memory");
		return 0;
	}
	m->site = site;
	site[m->n_site] = s->s;
	return m->n_site++;
}

/* The number of the site at which "l->ir->stmt" accesses "a".
 *
 * FILE:LINE: ARRAY in STATEMENT, which is what a user reads when checked code
 * finds a fault.
 */
static int site_number(struct nvptx_lower *l, const struct poly_array *a)
{
	struct poly_str s = { 0 };

	poly_str_printf(&s, "%s:%d: %s",
		l->prog->file && *l->prog->file ? l->prog->file :
		l->prog->name,
		l->ir->stmt ? l->ir->stmt->loc.line : 0, a->name);
	if (l->ir->stmt)
		poly_str_printf(&s, " in %s", l->ir->stmt->name);
	return nvptx_site(l->ir, &s);
}

/* Tells the runtime, in checked code alone, which instance runs: "in" are its
 * coordinates. 16 is the most dimensions a statement has.
 */
void nvptx_instance(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in)
{
	LLVMTypeRef type = nvptx_i64(l->ir);
	isl_size n = isl_set_dim(s->domain, isl_dim_set);
	struct poly_str name = { 0 };
	LLVMValueRef arg[3];

	if (!l->ir->m->opt.checked)
		return;
	if (!l->value.instance)
		l->value.instance = nvptx_room(l->ir, LLVMArrayType2(type, 16),
			"instance");
	for (int i = 0; i < n; i++)
		LLVMBuildStore(l->ir->b, nvptx_extend(l->ir, in[i], type),
			nvptx_element(l->ir, type, l->value.instance,
			nvptx_int(l->ir, i)));
	poly_str_printf(&name, "%s", s->name);
	arg[0] = l->value.instance;
	arg[1] = nvptx_int(l->ir, n);
	arg[2] = nvptx_int(l->ir, nvptx_site(l->ir, &name));
	nvptx_hw(l->ir, NVPTX_HW_INSTANCE, arg, 3, "");
}

/* A register is the thread's own: it cannot be accessed wrongly by others, and
 * its index is a constant.
 */
static bool is_checked(struct nvptx_ir *ir, const struct poly_array *a)
{
	return ir->m->opt.checked && a->space != POLY_REGISTER;
}

/* How aligned accesses to elements of "type" are of themselves. */
static unsigned own_alignment(const struct nvptx_lower *l, LLVMTypeRef type)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->ir->m->module);
	unsigned bytes = LLVMABIAlignmentOfType(layout, type);

	return bytes < POLY_RUN_BYTES ? bytes : POLY_RUN_BYTES;
}

/* Ask the runtime whether the access to "n" elements may go on; enters the
 * block where it does.
 *
 * "flags" say whether it writes, and whether atomically; "n" elements are one
 * access, as of a run, at a multiple of "align" bytes, or as elements are.
 */
static void check_begin(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, LLVMValueRef at, int n, unsigned align, unsigned flags,
	struct nvptx_branch *branch)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->ir->m->module);
	LLVMValueRef arg[5], ok;

	if (a->space == POLY_SHARED)
		flags |= CETANE_HOST_SHARED;
	for (align = align ? align : own_alignment(l, type); align > 1; align /= 2)
		flags += CETANE_HOST_ALIGN;
	arg[0] = base;
	arg[1] = at;
	arg[2] = nvptx_int(l->ir, n * (int64_t) LLVMABISizeOfType(layout,
		type));
	arg[3] = nvptx_int(l->ir, flags);
	arg[4] = nvptx_int(l->ir, site_number(l, a));
	ok = nvptx_hw(l->ir, NVPTX_HW_CHECK, arg, 5, "ok");
	ok = LLVMBuildICmp(l->ir->b, LLVMIntNE, ok, nvptx_int(l->ir, 0), "");
	nvptx_if_begin(l->ir, branch, ok, a->name);
}

/* The place of an element: its array's base and its address.
 *
 * False, after a message, if the kernel has not bound the array: a bug of the
 * passes. Indices of a register are not looked at, as its digits tell the
 * element.
 */
static bool locate(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, LLVMValueRef *base, LLVMValueRef *at)
{
	int k = nvptx_array_number(l->prog, a);

	*base = k < 0 ? NULL : l->value.base[k];
	if (!*base) {
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"an array is not in the kernel");
		return false;
	}
	*at = a->space == POLY_REGISTER ? nvptx_register_address(l, a, *base) :
		a->swizzled ? nvptx_swizzled_address(l->ir, a, *base, index) :
		nvptx_element_address(l, a, *base, index);
	return true;
}

/* The wide pair {value, bound}; integers lie in it as an i64.
 *
 * Reference mode holds each value as f64 with a bound of its error beside it
 * (lower_wide.c). Integers need no bound, and 64 bits of them fit the same 8
 * bytes.
 */
static struct nvptx_value load_wide(struct nvptx_ir *ir,
	const struct poly_array *a, LLVMValueRef at)
{
	LLVMTypeRef type = nvptx_memory_type(ir, a->type);
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(ir->m->ctx);
	struct nvptx_value x = { NULL, NULL };

	x.bound = LLVMBuildLoad2(ir->b, f64,
		LLVMBuildStructGEP2(ir->b, type, at, 1, ""), "");
	if (poly_type_is_float(a->type)) {
		x.v = LLVMBuildLoad2(ir->b, f64, at, "");
		return x;
	}
	x.v = LLVMBuildLoad2(ir->b, nvptx_i64(ir), at, "");
	x.v = LLVMBuildTrunc(ir->b, x.v, nvptx_value_type(ir, a->type), "");
	return x;
}

/* Load the element of "a" at the address "at": in reference mode with its
 * bound. A bool is a byte in memory, and true unless that is 0.
 *
 * The bool is compared with 0, since a caller may store any byte.
 */
struct nvptx_value nvptx_load_at(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef at)
{
	struct nvptx_value x = { NULL, NULL };
	char name[64];

	if (l->ir->m->opt.wide && !poly_type_is_words(a->type))
		return load_wide(l->ir, a, at);
	snprintf(name, sizeof(name), "%s.load", a->name);
	x.v = LLVMBuildLoad2(l->ir->b, nvptx_memory_type(l->ir, a->type), at,
		name);
	nvptx_words_align(x.v, LLVMTypeOf(x.v), POLY_RUN_BYTES);
	nvptx_alias_scope(l, a, x.v);
	if (a->type == POLY_BOOL)
		x.v = LLVMBuildICmp(l->ir->b, LLVMIntNE, x.v,
			LLVMConstNull(LLVMTypeOf(x.v)), "");
	return x;
}

/* The value of "x" if the branch was taken to compute it, else 0.
 *
 * LLVM's phi of the two ways. "x" was computed in the block that is the current
 * one.
 */
static struct nvptx_value or_zero(struct nvptx_ir *ir,
	struct nvptx_branch *branch, struct nvptx_value x)
{
	LLVMBasicBlockRef then = LLVMGetInsertBlock(ir->b);

	nvptx_if_end(ir, branch);
	x.v = nvptx_if_value(ir, branch, then, x.v,
		LLVMConstNull(LLVMTypeOf(x.v)), "");
	if (x.bound)
		x.bound = nvptx_if_value(ir, branch, then, x.bound,
			LLVMConstNull(LLVMTypeOf(x.bound)), "");
	return x;
}

/* An array that is not there gives 0, and compilation has failed. */
struct nvptx_value nvptx_load(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index)
{
	struct nvptx_branch branch;
	struct nvptx_value x;
	LLVMValueRef base, at;

	if (!locate(l, a, index, &base, &at))
		return nvptx_const(l->ir, a->type, 0);
	if (!is_checked(l->ir, a)) {
		x = nvptx_load_at(l, a, at);
		if (LLVMIsALoadInst(x.v))
			nvptx_align_run(l, a, index, x.v);
		return x;
	}
	check_begin(l, a, base, at, 1, nvptx_run_alignment(l, a, index), 0,
		&branch);
	return or_zero(l->ir, &branch, nvptx_load_at(l, a, at));
}

/* The number of elements of "a".
 *
 * In 64 bits: a product of sizes passes 2^31 easily.
 */
static LLVMValueRef count_elements(struct nvptx_lower *l,
	const struct poly_array *a)
{
	LLVMValueRef n = LLVMConstInt(nvptx_i64(l->ir), 1, 0);

	for (int i = 0; i < a->n_dim; i++)
		n = nvptx_mul(l->ir, n, nvptx_row_length(l, a, i,
			nvptx_i64(l->ir)));
	return n;
}

/* Bounds are always asked, checked or not: data tell "number", so nothing has
 * proved it. In checked code a number that is not -1 goes on to the runtime,
 * which tells the user about it. One unsigned comparison catches numbers below
 * 0, too.
 */
struct nvptx_value nvptx_gather(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef number)
{
	struct nvptx_branch branch, checked;
	LLVMValueRef base, at, inside;
	struct nvptx_value x;
	int k = nvptx_array_number(l->prog, a);

	base = k < 0 ? NULL : l->value.base[k];
	if (!base) {
		nvptx_fail(l->ir, nvptx_i32(l->ir),
			"an array is not in the kernel");
		return nvptx_const(l->ir, a->type, 0);
	}
	inside = is_checked(l->ir, a) ? LLVMBuildICmp(l->ir->b, LLVMIntNE,
		number, LLVMConstAllOnes(nvptx_i64(l->ir)), "") :
		LLVMBuildICmp(l->ir->b, LLVMIntULT, number, count_elements(l,
			a), "");
	nvptx_if_begin(l->ir, &branch, l->now.sure ? LLVMConstAllOnes(
		LLVMTypeOf(inside)) : inside, a->name);
	at = nvptx_element(l->ir, nvptx_memory_type(l->ir, a->type), base, number);
	if (is_checked(l->ir, a))
		check_begin(l, a, base, at, 1, 0, 0, &checked);
	x = nvptx_load_at(l, a, at);
	if (is_checked(l->ir, a))
		x = or_zero(l->ir, &checked, x);
	return or_zero(l->ir, &branch, x);
}

void nvptx_gather_run(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *number, int n, LLVMValueRef *v)
{
	LLVMValueRef all = NULL, in, count = count_elements(l, a);
	LLVMValueRef base = l->value.base[nvptx_array_number(l->prog, a)];
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	struct nvptx_branch branch, rest;
	LLVMValueRef whole[NVPTX_MAX_RUN];
	LLVMBasicBlockRef from;

	for (int i = 0; i < n; i++) {
		in = LLVMBuildICmp(l->ir->b, LLVMIntULT, number[i], count, "");
		all = all ? LLVMBuildAnd(l->ir->b, all, in, "") : in;
	}
	nvptx_if_begin(l->ir, &branch, all, "all");
	for (int i = 0; i < n; i++)
		whole[i] = nvptx_load_at(l, a, nvptx_element(l->ir, type, base,
			number[i])).v;
	from = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	for (int i = 0; i < n; i++)
		whole[i] = nvptx_if_value(l->ir, &branch, from, whole[i],
			LLVMConstNull(LLVMTypeOf(whole[i])), "");
	nvptx_if_begin(l->ir, &rest, LLVMBuildNot(l->ir->b, all, ""), "rest");
	for (int i = 0; i < n; i++)
		v[i] = nvptx_gather(l, a, number[i]).v;
	from = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &rest);
	for (int i = 0; i < n; i++)
		v[i] = nvptx_if_value(l->ir, &rest, from, v[i], whole[i], "");
}

/* "x", or 0 where "in" does not hold.
 *
 * NULL stays NULL: the bound of a value that has none.
 */
static LLVMValueRef zero_unless(struct nvptx_ir *ir, LLVMValueRef in,
	LLVMValueRef x)
{
	return x ? LLVMBuildSelect(ir->b, in, x, LLVMConstNull(LLVMTypeOf(x)),
		"") : NULL;
}

/* In code that is not checked nothing branches, so that loads side by side are one:
 * where there is no such element the one at "index" is loaded, and not used.
 */
struct nvptx_value nvptx_gather_from(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index,
	LLVMValueRef behind)
{
	struct nvptx_value x = nvptx_const(l->ir, a->type, 0);
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMBuilderRef b = l->ir->b;
	struct nvptx_branch branch;
	LLVMValueRef base, at, in;

	if (!locate(l, a, index, &base, &at))
		return x;
	in = LLVMBuildICmp(b, LLVMIntSGE, behind, nvptx_extend(l->ir,
		nvptx_int(l->ir, 0), nvptx_i64(l->ir)), "");
	/* checked: what is not there becomes the address before the array,
	 * which the runtime refuses, as -1 means "no element" to it
	 */
	if (is_checked(l->ir, a)) {
		at = LLVMBuildSelect(b, in, nvptx_element(l->ir, type, at,
			behind), nvptx_element(l->ir, type, base,
			LLVMConstAllOnes(nvptx_i64(l->ir))), "");
		check_begin(l, a, base, at, 1, 0, 0, &branch);
		return or_zero(l->ir, &branch, nvptx_load_at(l, a, at));
	}
	behind = LLVMBuildSelect(b, in, behind, LLVMConstNull(
		nvptx_i64(l->ir)), "");
	x = nvptx_load_at(l, a, nvptx_element(l->ir, type, at, behind));
	if (LLVMIsALoadInst(x.v) && nvptx_divisor(behind, NVPTX_DIVISOR_DEPTH) >=
	    l->kernel->vec[1])
		nvptx_align_run(l, a, index, x.v);
	x.v = zero_unless(l->ir, in, x.v);
	x.bound = zero_unless(l->ir, in, x.bound);
	return x;
}

/* "n" elements from "base" + "offset" on, of which "aligned" is known to divide
 * the address in elements. The alignment is that of the largest power of two
 * that divides both.
 */
LLVMValueRef nvptx_load_run(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, int64_t offset, int n, int64_t aligned)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	int side = 1;
	LLVMValueRef at = nvptx_element(l->ir, type, base, nvptx_int(l->ir,
		offset));
	struct nvptx_branch branch;
	struct nvptx_value x = { NULL, NULL };

	while (n % (2 * side) == 0 && aligned % (2 * side) == 0)
		side *= 2;
	if (is_checked(l->ir, a))
		check_begin(l, a, l->value.base[nvptx_array_number(l->prog, a)],
			at, n, side * poly_type_size(a->type), 0, &branch);
	if (n > 1)
		type = LLVMVectorType(type, n);
	x.v = LLVMBuildLoad2(l->ir->b, type, at, "");
	LLVMSetAlignment(x.v, side * poly_type_size(a->type));
	return is_checked(l->ir, a) ? or_zero(l->ir, &branch, x).v : x.v;
}

/* cp.async of PTX: "n" bytes are copied, and the rest of "size" is filled with
 * zeros. The host device copies at once, and the runtime checks both sides.
 */
void nvptx_start_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], int size, LLVMValueRef n)
{
	const struct poly_array *from = s->rhs->array;
	LLVMValueRef arg[7] = { at[0], at[1], n }, call;

	if (l->ir->m->opt.device == NVPTX_GPU) {
		call = nvptx_hw(l->ir, size == 4 ? NVPTX_HW_COPY_ASYNC_4 :
			size == 8 ? NVPTX_HW_COPY_ASYNC_8 :
			NVPTX_HW_COPY_ASYNC_16, arg, 3, "");
		nvptx_go_on(l, call);
		if (l->kernel->given)
			nvptx_alias_copy(l, s, call);
		return;
	}
	arg[1] = l->value.base[nvptx_array_number(l->prog, from)];
	arg[2] = at[1];
	arg[3] = nvptx_int(l->ir, size);
	arg[4] = n;
	arg[5] = nvptx_int(l->ir, site_number(l, s->write_array));
	arg[6] = nvptx_int(l->ir, site_number(l, from));
	nvptx_hw(l->ir, NVPTX_HW_COPY_HOST, arg, 7, "");
}

/* cp.async.bulk of PTX: one thread starts it, and the mbarrier "barrier" counts
 * its bytes.
 */
void nvptx_start_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], LLVMValueRef barrier, int64_t size)
{
	const struct poly_array *from = s->rhs->array;
	LLVMValueRef n = nvptx_int(l->ir, size);
	LLVMValueRef gpu[4] = { at[0], at[1], n, barrier };
	LLVMValueRef host[7] = { at[0], barrier,
		l->value.base[nvptx_array_number(l->prog, from)], at[1], n,
		NULL, NULL };

	if (l->ir->m->opt.device == NVPTX_GPU) {
		nvptx_hw(l->ir, NVPTX_HW_COPY_BULK, gpu, 4, "");
		return;
	}
	host[5] = nvptx_int(l->ir, site_number(l, s->write_array));
	host[6] = nvptx_int(l->ir, site_number(l, from));
	nvptx_hw(l->ir, NVPTX_HW_COPY_BULK_HOST, host, 7, "");
}

/* The coordinates of an element of "from", the fastest one first, as 32 bits, of which those
 * from line[0] to line[1] are one.
 *
 * PTX wants coordinates from the innermost dimension outwards.
 */
static int coordinates(struct nvptx_lower *l, const struct poly_array *from,
	const LLVMValueRef *at, const struct poly_boxes *b, LLVMValueRef *x)
{
	int n = 0;

	for (int d = from->n_dim - 1; d >= 0; d--) {
		LLVMValueRef v = LLVMBuildIntCast2(l->ir->b, at[d],
			nvptx_i32(l->ir), 1, "");
		int64_t rows = 1;

		for (int end = d == b->across ? b->line : d; d > end; d--) {
			rows *= poly_fixed_extent(l->prog, from, d);
			v = LLVMBuildAdd(l->ir->b, v, LLVMBuildMul(l->ir->b,
				LLVMBuildIntCast2(l->ir->b, at[d - 1],
				nvptx_i32(l->ir), 1, ""), nvptx_int(l->ir, rows),
				""), "");
		}
		x[n++] = v;
	}
	return n;
}

/* Which instruction copies boxes of "n" dimensions to "blocks". */
static int box_copy(int n, int blocks, bool slides)
{
	if (slides)
		return (blocks > 1 ? NVPTX_HW_COPY_PIXELS_TO_ALL_3 :
			NVPTX_HW_COPY_PIXELS_3) + n - 3;
	return (blocks > 1 ? NVPTX_HW_COPY_BOX_TO_ALL_2 : NVPTX_HW_COPY_BOX_2) + n - 2;
}

/* cp.async.bulk.tensor of PTX, for 2 to 5 dimensions: "map" is the tensor map
 * that the host has made for the array, "blocks" those of the cluster that get the box. On
 * the host device coordinates are passed in memory, and how far windows are off behind
 * them.
 */
void nvptx_start_box(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef to, LLVMValueRef barrier, LLVMValueRef map,
	const LLVMValueRef *at, const LLVMValueRef *off, int blocks,
	const struct poly_boxes *boxes)
{
	const struct poly_array *from = s->rhs->array;
	LLVMValueRef x[2 * POLY_MOST_BOX_DIM], room;
	int n_dim = coordinates(l, from, at, boxes, x), n = n_dim;
	int first = blocks > 1 ? 4 : 3;

	for (int d = from->n_dim - 2; boxes->slide && d > 0; d--)
		x[n++] = LLVMBuildIntCast2(l->ir->b, off[d], nvptx_i32(l->ir), 1, "");
	if (l->ir->m->opt.device == NVPTX_GPU) {
		LLVMValueRef gpu[4 + 2 * POLY_MOST_BOX_DIM] = { to, map, barrier,
			nvptx_int(l->ir, (1 << blocks) - 1) };

		memcpy(gpu + first, x, n * sizeof(*x));
		nvptx_hw(l->ir, box_copy(n_dim, blocks, boxes->slide), gpu, first + n,
			"");
		return;
	}
	room = nvptx_room(l->ir, LLVMArrayType2(nvptx_i32(l->ir), n), "at");
	for (int i = 0; i < n; i++)
		LLVMBuildStore(l->ir->b, x[i], nvptx_element(l->ir,
			nvptx_i32(l->ir), room, nvptx_int(l->ir, i)));
	nvptx_hw(l->ir, blocks > 1 ? NVPTX_HW_COPY_BOX_TO_ALL_HOST :
		NVPTX_HW_COPY_BOX_HOST, (LLVMValueRef[]){ to, barrier,
		map, room, nvptx_int(l->ir, site_number(l, s->write_array)),
		nvptx_int(l->ir, site_number(l, from)),
		nvptx_int(l->ir, blocks) }, blocks > 1 ? 7 : 6, "");
}

/* Store "x" at the address "at" of an element of "a": in reference mode with its
 * bound. Returns the store.
 *
 * In reference mode the bound is stored first; a value that comes without one,
 * as a constant, is exact.
 */
static LLVMValueRef store_at(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef at, struct nvptx_value x)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->ir->m->ctx);

	if (l->ir->m->opt.wide && !poly_type_is_words(a->type)) {
		if (!poly_type_is_float(a->type))
			x.v = LLVMBuildIntCast2(l->ir->b, x.v, nvptx_i64(l->ir),
				poly_type_class(a->type) == POLY_CLASS_INT,
				"");
		if (!x.bound)
			x.bound = LLVMConstNull(f64);
		LLVMBuildStore(l->ir->b, x.bound,
			LLVMBuildStructGEP2(l->ir->b, type, at, 1, ""));
	}
	if (a->type == POLY_BOOL && !l->ir->m->opt.wide)
		x.v = LLVMBuildZExt(l->ir->b, x.v, type, "");
	at = nvptx_words_align(LLVMBuildStore(l->ir->b, x.v, at), type,
		POLY_RUN_BYTES);
	nvptx_alias_scope(l, a, at);
	return at;
}

/* In code that is not checked the store may begin a run, as loads do. */
void nvptx_store(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, struct nvptx_value x)
{
	struct nvptx_branch branch;
	LLVMValueRef base, at;

	if (!locate(l, a, index, &base, &at))
		return;
	if (!is_checked(l->ir, a)) {
		nvptx_align_run(l, a, index, store_at(l, a, at, x));
		return;
	}
	check_begin(l, a, base, at, 1, nvptx_run_alignment(l, a, index),
		CETANE_HOST_WRITE, &branch);
	store_at(l, a, at, x);
	nvptx_if_end(l->ir, &branch);
}

/* What nvptx_load would load from, for copies that take addresses. */
LLVMValueRef nvptx_address(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index)
{
	LLVMValueRef base, at;

	if (!locate(l, a, index, &base, &at))
		return LLVMGetPoison(LLVMPointerTypeInContext(l->ir->m->ctx,
			0));
	return at;
}

void nvptx_atomic(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v)
{
	struct nvptx_branch branch;
	LLVMValueRef base, at;

	if (!locate(l, a, index, &base, &at))
		return;
	if (is_checked(l->ir, a))
		check_begin(l, a, base, at, 1, 0, CETANE_HOST_WRITE |
			CETANE_HOST_ATOMIC, &branch);
	v = nvptx_atomic_at(l, a, at, op, v, "device");
	nvptx_alias_scope(l, a, v);
	if (is_checked(l->ir, a))
		nvptx_if_end(l->ir, &branch);
}
