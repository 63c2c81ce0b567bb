/* nvptx: elements of arrays: loads, stores and their checks; lower_address.c knows
 * where they are.
 *
 * Where some reads of an array touch nothing that a launch writes, LLVM is told
 * so: other accesses to it have an alias scope, from which these are set apart.
 * In kernels of one block so are the arrays from one another: "noalias" arguments
 * would let loads pass barriers, behind which other threads have written.
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

#include <isl/ilp.h>
#include <isl/point.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "runtime/host_abi.h"

/* Scopes that one access is set apart from, at most.
 *
 * A list of scopes is metadata of each access; beyond this many arrays some
 * facts are not told, which is only slower.
 */
enum { MOST_SCOPES = 32 };
/* Operations that a divisor is looked for in.
 *
 * What LLVM sees of an index is a sum of a few products.
 */
enum { DEEP = 16 };

/* The number of "s", which is taken, in the table of sites.
 *
 * "s" is freed, or becomes the table's. Equal texts share a number, so the
 * table has as many rows as there are different accesses.
 */
static int number_of(struct nvptx_ir *ir, struct poly_str *s)
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
	return number_of(l->ir, &s);
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
	arg[2] = nvptx_int(l->ir, number_of(l->ir, &name));
	nvptx_hw(l->ir, NVPTX_HW_INSTANCE, arg, 3, "");
}

/* A register is the thread's own: it cannot be accessed wrongly by others, and
 * its index is a constant.
 */
static bool is_checked(struct nvptx_ir *ir, const struct poly_array *a)
{
	return ir->m->opt.checked && a->space != POLY_REGISTER;
}

/* Ask the runtime whether the access to "n" elements may go on; enters the
 * block where it does.
 *
 * "flags" say whether it writes, and whether atomically; "n" elements are one
 * access, as of a run.
 */
static void check_begin(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, LLVMValueRef at, int n, unsigned flags,
	struct nvptx_branch *branch)
{
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->ir->m->module);
	LLVMValueRef arg[5], ok;

	if (a->space == POLY_SHARED)
		flags |= CETANE_HOST_SHARED;
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

static LLVMMetadataRef text(struct nvptx_ir *ir, const char *s)
{
	return LLVMMDStringInContext2(ir->m->ctx, s, strlen(s));
}

/* Do accesses to "a" have a scope?
 *
 * In kernels of one block all arrays have, in others those with reads that no
 * launch writes.
 */
static bool has_scope(struct nvptx_lower *l, const struct poly_array *a)
{
	bool some = l->kernel->block;

	for (int i = 0; i < l->fact.n_untouched; i++)
		some |= l->fact.untouched[i]->array == a;
	return some && (a->space == POLY_GLOBAL ||
		(l->kernel->block && a->space == POLY_SHARED));
}

/* The scope of accesses to "a".
 *
 * !{!"A", !{!"kernel"}}: LLVM's form of a scope within a domain (LangRef,
 * "noalias and alias.scope metadata").
 */
static LLVMMetadataRef scope_of(struct nvptx_lower *l,
	const struct poly_array *a)
{
	LLVMMetadataRef pair[2];

	pair[0] = text(l->ir, l->kernel->name);
	pair[1] = LLVMMDNodeInContext2(l->ir->m->ctx, pair, 1);
	pair[0] = text(l->ir, a->name);
	return LLVMMDNodeInContext2(l->ir->m->ctx, pair, 2);
}

/* Attach the list of "n" scopes to "v", as "kind". */
static void add_scopes(struct nvptx_ir *ir, LLVMValueRef v,
	const char *kind, LLVMMetadataRef *scope, int n)
{
	LLVMMetadataRef list = LLVMMDNodeInContext2(ir->m->ctx, scope,
		(size_t)n);

	if (n)
		LLVMSetMetadata(v, LLVMGetMDKindIDInContext(ir->m->ctx, kind,
			(unsigned)strlen(kind)),
			LLVMMetadataAsValue(ir->m->ctx, list));
}

/* Say of the access "v" to "a" what it does not touch: other arrays, where the
 * kernel's arguments do not say so, and "a" itself if nothing writes there.
 *
 * An untouched read gets no scope of its own: it may pass the writes to the
 * same array, as it reads other elements.
 */
static void set_scope(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef v)
{
	LLVMMetadataRef scope[MOST_SCOPES], own;
	int n = 0;

	if (!has_scope(l, a))
		return;
	for (int i = 0; i < l->prog->n_array && n < MOST_SCOPES; i++) {
		const struct poly_array *other = l->prog->array[i];

		if (other == a ? l->now.is_untouched :
		    l->kernel->block && l->value.base[i] && has_scope(l, other))
			scope[n++] = scope_of(l, other);
	}
	own = scope_of(l, a);
	if (!l->now.is_untouched)
		add_scopes(l->ir, v, "alias.scope", &own, 1);
	add_scopes(l->ir, v, "noalias", scope, n);
}

/* The largest power of two up to POLY_RUN_BYTES that divides "v" as it is written, at
 * most "depth" operations deep.
 *
 * Proved by the operations alone: a product has the divisors of both, a sum
 * those that both have, "x and mask" at least those of either.
 */
static int64_t divisor_of(LLVMValueRef v, int depth)
{
	int64_t a, b, n;

	if (LLVMIsAConstantInt(v)) {
		n = LLVMConstIntGetSExtValue(v);
		n = n ? n & -n : POLY_RUN_BYTES;
		return n < POLY_RUN_BYTES ? n : POLY_RUN_BYTES;
	}
	if (!depth-- || !LLVMIsAInstruction(v))
		/* what comes from memory, or a phi, may be anything */
		return 1;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMSExt:
	case LLVMZExt:
	case LLVMTrunc:
		return divisor_of(LLVMGetOperand(v, 0), depth);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMAnd:
		a = divisor_of(LLVMGetOperand(v, 0), depth);
		b = divisor_of(LLVMGetOperand(v, 1), depth);
		break;
	case LLVMSelect:
		a = divisor_of(LLVMGetOperand(v, 1), depth);
		b = divisor_of(LLVMGetOperand(v, 2), depth);
		break;
	default:
		return 1;
	}
	if (LLVMGetInstructionOpcode(v) == LLVMMul)
		return a * b < POLY_RUN_BYTES ? a * b : POLY_RUN_BYTES;
	if (LLVMGetInstructionOpcode(v) == LLVMAnd)
		return a > b ? a : b;
	return a < b ? a : b;
}

/* Let the access "v" to the element "index" of "a" begin a run, if it does: LLVM does
 * not look deep for a multiple, and not across the blocks that it shares a value among.
 *
 * So four loads of f32 side by side may become ld.global.v4 (PTX ISA: vector
 * accesses must be aligned to their whole size). All rows must begin aligned,
 * too, unless the index is in row 0.
 */
static void align_run(const struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, LLVMValueRef v)
{
	int64_t run = l->kernel->vec[1], bytes = run * poly_type_size(a->type);
	int row = poly_row_dim(l->prog, a);

	if (run == 1 || a->space != POLY_GLOBAL || !a->n_dim ||
	    l->ir->m->opt.wide || row != a->n_dim - 1 ||
	    divisor_of(index[row], DEEP) < run)
		return;
	bytes = bytes < POLY_RUN_BYTES ? bytes : POLY_RUN_BYTES;
	for (int i = 0; i < row; i++)
		if (!LLVMIsNull(index[i]) &&
		    poly_row_align(l->prog, a) < bytes)
			return;
	LLVMSetAlignment(v, (unsigned)bytes);
}

/* Load the element of "a" at the address "at": in reference mode with its
 * bound. A bool is a byte in memory, and true unless that is 0.
 *
 * The bool is compared with 0, since a caller may store any byte.
 */
static struct nvptx_value load_at(struct nvptx_lower *l,
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
	set_scope(l, a, x.v);
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
		x = load_at(l, a, at);
		if (LLVMIsALoadInst(x.v))
			align_run(l, a, index, x.v);
		return x;
	}
	check_begin(l, a, base, at, 1, 0, &branch);
	return or_zero(l->ir, &branch, load_at(l, a, at));
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
	nvptx_if_begin(l->ir, &branch, inside, a->name);
	at = nvptx_element(l->ir, nvptx_memory_type(l->ir, a->type), base,
		number);
	if (is_checked(l->ir, a))
		check_begin(l, a, base, at, 1, 0, &checked);
	x = load_at(l, a, at);
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
		whole[i] = load_at(l, a, nvptx_element(l->ir, type, base,
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
		check_begin(l, a, base, at, 1, 0, &branch);
		return or_zero(l->ir, &branch, load_at(l, a, at));
	}
	behind = LLVMBuildSelect(b, in, behind, LLVMConstNull(
		nvptx_i64(l->ir)), "");
	x = load_at(l, a, nvptx_element(l->ir, type, at, behind));
	if (LLVMIsALoadInst(x.v) && divisor_of(behind, DEEP) >=
	    l->kernel->vec[1])
		align_run(l, a, index, x.v);
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

	if (is_checked(l->ir, a))
		check_begin(l, a, l->value.base[nvptx_array_number(l->prog, a)],
			at, n, 0, &branch);
	if (n > 1)
		type = LLVMVectorType(type, n);
	x.v = LLVMBuildLoad2(l->ir->b, type, at, "");
	while (n % (2 * side) == 0 && aligned % (2 * side) == 0)
		side *= 2;
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
	LLVMValueRef arg[7] = { at[0], at[1], n };

	if (l->ir->m->opt.device == NVPTX_GPU) {
		nvptx_hw(l->ir, size == 4 ? NVPTX_HW_COPY_ASYNC_4 : size == 8 ?
			NVPTX_HW_COPY_ASYNC_8 : NVPTX_HW_COPY_ASYNC_16, arg,
			3, "");
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

/* The coordinates of an element of "from", the fastest one first, as 32 bits.
 *
 * PTX wants coordinates from the innermost dimension outwards.
 */
static int coordinates(struct nvptx_lower *l, const struct poly_array *from,
	const LLVMValueRef *at, LLVMValueRef *x)
{
	for (int i = 0; i < from->n_dim; i++)
		x[i] = LLVMBuildIntCast2(l->ir->b, at[from->n_dim - 1 - i],
			nvptx_i32(l->ir), 1, "");
	return from->n_dim;
}

/* cp.async.bulk.tensor of PTX, for 2 to 5 dimensions: "map" is the tensor map
 * that the host has made for the array. On the host device coordinates are
 * passed in memory.
 */
void nvptx_start_box(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef to, LLVMValueRef barrier, LLVMValueRef map,
	const LLVMValueRef *at)
{
	const struct poly_array *from = s->rhs->array;
	LLVMValueRef x[POLY_MOST_BOX_DIM], room;
	int n = coordinates(l, from, at, x);

	if (l->ir->m->opt.device == NVPTX_GPU) {
		LLVMValueRef gpu[3 + POLY_MOST_BOX_DIM] = { to, map, barrier };

		memcpy(gpu + 3, x, n * sizeof(*x));
		nvptx_hw(l->ir, NVPTX_HW_COPY_BOX_2 + n - 2, gpu, 3 + n, "");
		return;
	}
	room = nvptx_room(l->ir, LLVMArrayType2(nvptx_i32(l->ir), n), "at");
	for (int i = 0; i < n; i++)
		LLVMBuildStore(l->ir->b, x[i], nvptx_element(l->ir,
			nvptx_i32(l->ir), room, nvptx_int(l->ir, i)));
	nvptx_hw(l->ir, NVPTX_HW_COPY_BOX_HOST, (LLVMValueRef[]){ to, barrier,
		map, room, nvptx_int(l->ir, site_number(l, s->write_array)),
		nvptx_int(l->ir, site_number(l, from)) }, 6, "");
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
	set_scope(l, a, at);
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
		align_run(l, a, index, store_at(l, a, at, x));
		return;
	}
	check_begin(l, a, base, at, 1, CETANE_HOST_WRITE, &branch);
	store_at(l, a, at, x);
	nvptx_if_end(l->ir, &branch);
}

/* The instruction that does "op" on an element of "type" of class "c".
 *
 * MIN and MAX of floats are not here: poly_is_atomic lets no such update
 * through.
 */
static LLVMAtomicRMWBinOp atomic_op(enum poly_op op, enum poly_class c,
	LLVMTypeRef type)
{
	bool is_signed = c != POLY_CLASS_UINT;

	switch (op) {
	case POLY_OP_MIN:
		return is_signed ? LLVMAtomicRMWBinOpMin :
			LLVMAtomicRMWBinOpUMin;
	case POLY_OP_MAX:
		return is_signed ? LLVMAtomicRMWBinOpMax :
			LLVMAtomicRMWBinOpUMax;
	case POLY_OP_AND:
		return LLVMAtomicRMWBinOpAnd;
	case POLY_OP_OR:
		return LLVMAtomicRMWBinOpOr;
	case POLY_OP_XOR:
		return LLVMAtomicRMWBinOpXor;
	default:
		return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ?
			LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpFAdd;
	}
}

/* "scope" is LLVM's name of who sees it: "device" for memory, "block" for a
 * copy in shared memory. Relaxed order, as nothing else is read by it. The host
 * device has one address space and the strongest scope.
 */
LLVMValueRef nvptx_atomic_at(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef at, enum poly_op op, LLVMValueRef v, const char *scope)
{
	if (l->ir->m->opt.device != NVPTX_GPU)
		scope = "";
	return LLVMBuildAtomicRMWSyncScope(l->ir->b, atomic_op(op,
		poly_type_class(a->type), LLVMTypeOf(v)), at, v,
		LLVMAtomicOrderingMonotonic, LLVMGetSyncScopeID(l->ir->m->ctx,
			scope, strlen(scope)));
}

void nvptx_atomic(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v)
{
	struct nvptx_branch branch;
	LLVMValueRef base, at;

	if (!locate(l, a, index, &base, &at))
		return;
	if (is_checked(l->ir, a))
		check_begin(l, a, base, at, 1, CETANE_HOST_WRITE |
			CETANE_HOST_ATOMIC, &branch);
	v = nvptx_atomic_at(l, a, at, op, v, "device");
	set_scope(l, a, v);
	if (is_checked(l->ir, a))
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

/* What checked code finds in a register that was never written.
 *
 * A NaN, or a pattern that tests recognise: a register that is read before it
 * is written must not pass by luck.
 */
static LLVMValueRef unset(struct nvptx_ir *ir, enum poly_type t)
{
	LLVMTypeRef type = nvptx_memory_type(ir, t);

	if (nvptx_is_words(type))
		return LLVMConstAllOnes(type);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		return LLVMConstInt(type, poly_type_is_float(t) ?
			0x7fff : 0x55555555, 0);
	return LLVMConstReal(type, __builtin_nan(""));
}

/* In a kernel with lines all are begun with 0, as threads beyond a line's end
 * load nothing and their registers would be undefined.
 */
LLVMValueRef nvptx_registers(struct nvptx_lower *l,
	const struct poly_array *a)
{
	const struct poly_kernel *k = l->kernel;
	int n = k->tile[0] / k->thread[0] * (k->tile[1] / k->thread[1]);
	LLVMTypeRef type = nvptx_memory_type(l->ir, a->type);
	LLVMValueRef room;

	room = LLVMBuildAlloca(l->ir->b, LLVMArrayType2(type, n), a->name);
	if (l->fact.has_lines)
		LLVMBuildStore(l->ir->b, LLVMConstNull(LLVMArrayType2(type, n)),
			room);
	for (int i = 0; l->ir->m->opt.checked && i < n; i++)
		LLVMBuildStore(l->ir->b, unset(l->ir, a->type),
			nvptx_element(l->ir, type, room, nvptx_int(l->ir, i)));
	return room;
}
