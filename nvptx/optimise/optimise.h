/* The optimised module, LLVM's own optimisations and ours, what ptxas must not see, and edited
 * LLVM IR read back.
 */
#ifndef NVPTX_OPTIMISE_H
#define NVPTX_OPTIMISE_H

#include "nvptx/llvm/llvm.h"

/* portable.c: let m's module call the runtime for what LLVM would call libm
 * for.
 */
void nvptx_make_portable(struct nvptx_module *m);

/* min_max.c: keep min and max of m's optimised module apart where ptxas would join
 * them wrongly. Of a GPU's module only.
 */
void nvptx_part_min_max(struct nvptx_module *m);

/* An integer "v", a vector's elements one by one, of which ptxas does not see which
 * operation it comes from.
 */
LLVMValueRef nvptx_apart(struct nvptx_module *m, LLVMBuilderRef build, LLVMValueRef v);
/* The type of an element, for a vector; else "type". */
LLVMTypeRef nvptx_element_type(LLVMTypeRef type);

/* negation.c: hide the absolute values of integers in m's optimised module from
 * ptxas, which compares their negations wrongly, and what can become a negation of
 * 16 bits, whose overflow it forgets. Of a GPU's module only.
 */
void nvptx_hide_negations(struct nvptx_module *m);

/* multiple.c: hide from ptxas the factors of 64 bits in m's optimised module that it
 * may take for multiples of 2^32, whose products it forgets. Of a GPU's module only.
 */
void nvptx_hide_multiples(struct nvptx_module *m);

/* bit_test.c: hide from ptxas that several bits of one number are tested in m's
 * optimised module, since it forgets of which number a bit was. Of a GPU's module only.
 */
void nvptx_hide_bit_tests(struct nvptx_module *m);

/* packed.c: make the sums of vectors of 16-bit integers in m's optimised module
 * element by element, since ptxas loses constants of them. Of a GPU's module only.
 */
void nvptx_part_packed_sums(struct nvptx_module *m);

/* base.c: let elements side by side have addresses a constant apart in m's optimised
 * module. Of a GPU's module only.
 */
void nvptx_share_bases(struct nvptx_module *m);

/* float_bits.c: hide sums of the bits of floats in m's optimised module from LLVM's
 * code generator, where they are many. Of a GPU's module only.
 */
void nvptx_hide_float_bits(struct nvptx_module *m);

/* ahead.c: have loads of m's kernels ahead of functions that branch, and stores behind
 * them, before these are inlined. Of a GPU's module only.
 */
void nvptx_part_accesses(struct nvptx_module *m);
/* The same of the loads of loops in m's optimised module and of their divisions, of which
 * ptxas makes branches.
 */
void nvptx_lift_loads(struct nvptx_module *m);

/* threads.c: tell LLVM how many threads m's kernels have along each axis. Of a GPU's module
 * only.
 */
void nvptx_bound_threads(struct nvptx_module *m);

/* division.c: let the divisions in f32 of m's optimised module that can be computed
 * at once share their test for special cases. Results stay the same bits.
 */
void nvptx_join_divisions(struct nvptx_module *m);
/* take_back.c: is "v" a division in f32 that is to be replaced: by what is no constant, or
 * by one from 2^NVPTX_DIVISOR_LOW up to 2^NVPTX_DIVISOR_HIGH? Have such divisions back in
 * "block" of "m" that stand behind it alone, where it divides by the same number.
 */
enum { NVPTX_DIVISOR_LOW = -24, NVPTX_DIVISOR_HIGH = 24 };
bool nvptx_is_division(LLVMValueRef v);
void nvptx_take_back_divisions(struct nvptx_module *m, LLVMBasicBlockRef block);

/* opt.c: LLVM's verifier over m's module. */
isl_stat nvptx_verify(struct nvptx_module *m, struct poly_report *report);

#endif
