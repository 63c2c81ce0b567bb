/* nvptx: updates of elements in memory, at once. */
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

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
