/* nvptx: what LLVM is told of accesses to memory: which may be the same, and how they are
 * aligned.
 *
 * Where some reads of an array touch nothing that a launch writes, LLVM is told
 * so: other accesses to it have an alias scope, from which these are set apart.
 * In kernels of one block so are the arrays from one another: "noalias" arguments
 * would let loads pass barriers, behind which other threads have written.
 */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/lower_mem.h"

/* Scopes that one access is set apart from, at most.
 *
 * A list of scopes is metadata of each access; beyond this many arrays some
 * facts are not told, which is only slower.
 */
enum { MOST_SCOPES = 32 };

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
void nvptx_alias_scope(struct nvptx_lower *l, const struct poly_array *a,
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

void nvptx_alias_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef call)
{
	const struct poly_array *a[2] = { s->write_array, s->rhs->array };
	LLVMMetadataRef scope[MOST_SCOPES], own[2];
	int n = 0;

	if (!has_scope(l, a[0]) || !has_scope(l, a[1]))
		return;
	for (int i = 0; i < l->prog->n_array && n < MOST_SCOPES; i++) {
		const struct poly_array *other = l->prog->array[i];

		if (other != a[0] && other != a[1] && l->value.base[i] &&
		    has_scope(l, other))
			scope[n++] = scope_of(l, other);
	}
	for (int i = 0; i < 2; i++)
		own[i] = scope_of(l, a[i]);
	add_scopes(l->ir, call, "alias.scope", own, 2);
	add_scopes(l->ir, call, "noalias", scope, n);
}

/* The largest power of two up to POLY_RUN_BYTES that divides "v" as it is written, at
 * most "depth" operations deep.
 *
 * Proved by the operations alone: a product has the divisors of both, a sum
 * those that both have, "x and mask" at least those of either.
 */
int64_t nvptx_divisor(LLVMValueRef v, int depth)
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
		return nvptx_divisor(LLVMGetOperand(v, 0), depth);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMAnd:
		a = nvptx_divisor(LLVMGetOperand(v, 0), depth);
		b = nvptx_divisor(LLVMGetOperand(v, 1), depth);
		break;
	case LLVMSelect:
		a = nvptx_divisor(LLVMGetOperand(v, 1), depth);
		b = nvptx_divisor(LLVMGetOperand(v, 2), depth);
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

/* How aligned an access to the element "index" of "a" is by its place in a run, in bytes;
 * 0: no more than elements are. LLVM does not look deep for a multiple, and not across the
 * blocks that it shares a value among.
 *
 * So four loads of f32 side by side may become ld.global.v4 (PTX ISA: vector
 * accesses must be aligned to their whole size). Rows that begin within a run, where the
 * index is in any but row 0, have parts of it: of 8 elements of bf16 in rows of 8 bytes
 * each half is one store.
 */
unsigned nvptx_run_alignment(const struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index)
{
	int64_t run = l->kernel->vec[1], size = poly_type_size(a->type), bytes;
	int row = a->n_dim - 1;
	bool is_first = true;

	if (run == 1 || a->space != POLY_GLOBAL || row < 0 ||
	    l->ir->m->opt.wide)
		return 0;
	bytes = nvptx_divisor(index[row], NVPTX_DIVISOR_DEPTH);
	bytes = (bytes < run ? bytes : run) * size;
	bytes = bytes < POLY_RUN_BYTES ? bytes : POLY_RUN_BYTES;
	if (bytes == size || poly_row_dim(l->prog, a) != row)
		return 0;
	for (int i = 0; i < row; i++)
		is_first &= LLVMIsNull(index[i]) == 1;
	if (!is_first) {
		int64_t all = poly_row_align(l->prog, a);

		bytes = bytes < all ? bytes : all;
	}
	return bytes > size ? (unsigned)bytes : 0;
}

void nvptx_align_run(const struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, LLVMValueRef v)
{
	unsigned bytes = nvptx_run_alignment(l, a, index);

	if (bytes)
		LLVMSetAlignment(v, bytes);
}
