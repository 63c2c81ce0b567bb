/* Modules of LLVM: building, ranges of integers, printing. */
#ifndef NVPTX_LLVM_H
#define NVPTX_LLVM_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/set.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "nvptx/nvptx.h"

/* Allocated zeroed by nvptx_module_alloc, freed by nvptx_module_free.
 * "tree" is the schedule tree as LLVM comment lines; nvptx_print puts it on
 * top, nvptx_opt frees and clears it. "has_plan" is false after nvptx_read.
 * "jit" belongs to jit.c, which links object code only and leaves context and
 * module as they are; when it is set, jit_free releases it before anything
 * else goes. "kernel" holds the entry points in it.
 */
struct nvptx_module {
	LLVMContextRef ctx;
	LLVMModuleRef module;
	LLVMTargetMachineRef tm;
	struct nvptx_options opt;
	struct nvptx_plan plan;
	bool has_plan;
	char *tree;
	char **site;
	int n_site;
	void *jit;
	void (*jit_free)(void *jit);
	void **kernel;
};

/* module.c: a module with context, empty LLVM module "name", target machine,
 * triple and data layout. NULL (reported) on failure.
 */
struct nvptx_module *nvptx_module_alloc(const char *name,
	const struct nvptx_options *o, struct poly_report *report);

/* emit.c: register LLVM's back ends, once in a process. */
void nvptx_initialize(void);

/* emit.c: target machine of "o": nvptx64-nvidia-cuda with the target's name
 * and PTX version, or the native host. NULL (reported) on failure; the caller
 * disposes.
 */
LLVMTargetMachineRef nvptx_target_machine(const struct nvptx_options *o,
	struct poly_report *report);

/* emit.c: what LLVM says of m's context goes into "report" from here on; NULL
 * drops it, which is right between the calls of a stage. (LLVM's own handler
 * would print, and exit on an error.)
 */
void nvptx_listen(struct nvptx_module *m, struct poly_report *report);
/* Append the PTX "ptx" to "out", with the waits of kernels that begin early. */
void nvptx_add_waits(const char *ptx, struct poly_str *out);
/* Code of "m" of the kind "type"; m's module stays as it is. NULL (reported)
 * on failure; the caller disposes.
 */
LLVMMemoryBufferRef nvptx_emit(struct nvptx_module *m,
	LLVMCodeGenFileType type, struct poly_report *report);

/* build.c: call "change" for each instruction of m's functions, with one builder for
 * all of them. It may erase that instruction, and add others in front of it.
 */
void nvptx_each_instruction(struct nvptx_module *m,
	void (*change)(struct nvptx_module *m, LLVMBuilderRef build,
	LLVMValueRef v));

/* An integer operation that was emitted before, and its value. */
struct nvptx_known {
	int op;
	LLVMValueRef a, b, value;
};

/* The values from "lo" to "hi" that an integer can have. */
struct nvptx_range {
	int64_t lo, hi;
};
struct nvptx_ranged {
	LLVMValueRef v;
	struct nvptx_range r;
};

/* LLVM IR that is being written, at the builder's place. Functions that return an
 * LLVM value return one in every case; after nvptx_fail it is poison and "failed" is
 * set, and the module is thrown away.
 */
struct nvptx_ir {
	struct nvptx_module *m;		/* whose options tell what IR it is */
	struct poly_report *report;
	bool failed;
	LLVMBuilderRef b;
	LLVMDIBuilderRef di;		/* NULL: the program has no file */
	LLVMMetadataRef di_file, di_scope;
	LLVMValueRef fn;		/* the function that is being written */
	LLVMValueRef thread;		/* HOST: struct cetane_host_thread */
	const struct poly_stmt *stmt;	/* whose code it is, or NULL */
	struct nvptx_known *seen;	/* that dominate the builder's place */
	int n_seen, cap_seen;
	struct nvptx_ranged *range;	/* by value, with gaps */
	int n_range, cap_range;
	bool narrow;			/* sums of indices fit 32 bits */
};

/* A value of an expression. f16 and bf16 are LLVM's half and bfloat on the GPU
 * and i16 on the host; a bool is an i1, in memory an i8. In wide mode floats
 * are f64 and "bound" is the f64 bound of the error of any value; a NULL bound
 * is 0. In ring mode floats are integers of their size.
 */
struct nvptx_value {
	LLVMValueRef v, bound;
};

/* build.c: constants, types, and integer arithmetic that drops neutral
 * operands and uses values again that are there already; the flags no-wrap are
 * set where overflow cannot be (not in checked code, where planted faults must
 * stay defined).
 */
LLVMTypeRef nvptx_i32(struct nvptx_ir *ir);
LLVMTypeRef nvptx_i64(struct nvptx_ir *ir);
LLVMValueRef nvptx_int(struct nvptx_ir *ir, int64_t value);
LLVMValueRef nvptx_true(struct nvptx_ir *ir);
LLVMValueRef nvptx_add(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b,
	const char *name);
LLVMValueRef nvptx_sub(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_mul(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef b);
/* a / d and a mod d, for a >= 0 and d > 0 */
LLVMValueRef nvptx_div(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef d);
LLVMValueRef nvptx_mod(struct nvptx_ir *ir, LLVMValueRef a, LLVMValueRef d);
LLVMValueRef nvptx_compare(struct nvptx_ir *ir, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b);
/* "a" sign-extended to "type", or cut to it. */
LLVMValueRef nvptx_extend(struct nvptx_ir *ir, LLVMValueRef a,
	LLVMTypeRef type);
/* Address of element "index" behind "base". */
LLVMValueRef nvptx_element(struct nvptx_ir *ir, LLVMTypeRef type,
	LLVMValueRef base, LLVMValueRef index);
/* floor(a / d), for constant d > 0 */
LLVMValueRef nvptx_floor_div(struct nvptx_ir *ir, LLVMValueRef a, int64_t d);
/* Call the LLVM intrinsic "name" overloaded on the type of arg[0]. */
LLVMValueRef nvptx_build_intrinsic(LLVMModuleRef module, LLVMBuilderRef b,
	const char *name, LLVMValueRef *arg, int n_arg);
LLVMValueRef nvptx_intrinsic(struct nvptx_ir *ir, const char *name,
	LLVMValueRef *arg, int n_arg);
/* The number of the intrinsic that "v" calls, 0 if it calls none. */
unsigned nvptx_called_intrinsic(LLVMValueRef v);
/* part.c: have the operation of "v", which is returned, say that it is from 0 to 1, or NaN.
 * Does "v" say so?
 */
LLVMValueRef nvptx_set_part_of_one(LLVMModuleRef m, LLVMValueRef v);
bool nvptx_is_part_of_one(LLVMModuleRef m, LLVMValueRef v);
LLVMBasicBlockRef nvptx_block(struct nvptx_ir *ir, const char *name);
/* A loop: "begin" leaves the builder in its head, where "i" is the iterator;
 * "body" leaves for good unless "cond"; "end" closes it and goes on behind.
 */
struct nvptx_loop {
	const char *name;
	LLVMBasicBlockRef head, exit;
	LLVMValueRef i, step;
	int n_seen;
};
/* How often to unroll: 0 leaves it to LLVM, 1 forbids it. */
enum { NVPTX_UNROLL_ALL = -1 };
void nvptx_loop_begin(struct nvptx_ir *ir, struct nvptx_loop *loop,
	const char *name, LLVMValueRef init, LLVMValueRef step);
void nvptx_loop_body(struct nvptx_ir *ir, struct nvptx_loop *loop,
	LLVMValueRef cond);
void nvptx_loop_end(struct nvptx_ir *ir, struct nvptx_loop *loop,
	int unroll);
/* "if (cond)": "begin" enters the block "name", "end" the block behind it. */
struct nvptx_branch {
	LLVMBasicBlockRef from, join;
	int n_seen;
};
void nvptx_if_begin(struct nvptx_ir *ir, struct nvptx_branch *branch,
	LLVMValueRef cond, const char *name);
void nvptx_if_end(struct nvptx_ir *ir, struct nvptx_branch *branch);
/* After nvptx_if_end: "then", computed in "then_block", if the condition
 * held, else "other".
 */
LLVMValueRef nvptx_if_value(struct nvptx_ir *ir,
	const struct nvptx_branch *branch, LLVMBasicBlockRef then_block,
	LLVMValueRef then, LLVMValueRef other, const char *name);
LLVMTypeRef nvptx_memory_type(struct nvptx_ir *ir, enum poly_type t);
LLVMTypeRef nvptx_value_type(struct nvptx_ir *ir, enum poly_type t);

/* range.c: exact arithmetic: results are i32 where they surely fit, else i64,
 * and so may be the operands. The second operand of FLOOR, DIV and MOD (which
 * take what is not negative) and REM (of C) is a positive constant.
 */
enum nvptx_exact {
	NVPTX_EXACT_ADD, NVPTX_EXACT_SUB, NVPTX_EXACT_MUL, NVPTX_EXACT_MIN,
	NVPTX_EXACT_MAX, NVPTX_EXACT_FLOOR, NVPTX_EXACT_DIV, NVPTX_EXACT_MOD,
	NVPTX_EXACT_REM
};
LLVMValueRef nvptx_exact(struct nvptx_ir *ir, enum nvptx_exact op,
	LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_exact_int(struct nvptx_ir *ir, int64_t value);
LLVMValueRef nvptx_exact_compare(struct nvptx_ir *ir, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_exact_select(struct nvptx_ir *ir, LLVMValueRef cond,
	LLVMValueRef a, LLVMValueRef b);
/* Say, ask, forget what values can be; the type that all of "r" fit. */
void nvptx_range_set(struct nvptx_ir *ir, LLVMValueRef v,
	struct nvptx_range r);
struct nvptx_range nvptx_range_of(struct nvptx_ir *ir, LLVMValueRef v);
void nvptx_range_clear(struct nvptx_ir *ir);
/* Bounds of "aff" on "set", the ends of 64 bits where there are none; lo > hi if the
 * set is empty. They are those over fractions, rounded, which isl has in a small part
 * of the time of the others.
 */
struct nvptx_range nvptx_range_on(__isl_keep isl_set *set,
	__isl_keep isl_aff *aff);
LLVMTypeRef nvptx_range_type(struct nvptx_ir *ir, struct nvptx_range r);

/* terms.c: a sum as values, each "times" some, and a constant. "failed": there are too
 * many, or a number is too large.
 */
enum { NVPTX_MOST_TERMS = 12 };
struct nvptx_terms {
	LLVMValueRef v[NVPTX_MOST_TERMS];
	int64_t times[NVPTX_MOST_TERMS];
	int64_t c;
	int n;
	bool failed;
};
/* Add "times" the value "v" to "t", which is zero at first: its parts, if it is a sum that
 * does not wrap.
 */
void nvptx_take_apart(struct nvptx_terms *t, LLVMValueRef v, int64_t times);
/* Make a quotient, times its divisor, of each value and its remainder that is subtracted
 * from it.
 */
void nvptx_join_remainders(struct nvptx_ir *ir, struct nvptx_terms *t);
/* The sum again, with its constant last; its quotient by "d", rounded down, if all but
 * multiples of that is known to stay below it. NULL if that is not so.
 */
LLVMValueRef nvptx_terms_value(struct nvptx_ir *ir, const struct nvptx_terms *t);
LLVMValueRef nvptx_terms_floor(struct nvptx_ir *ir, const struct nvptx_terms *t,
	int64_t d);

/* hw.c: operations of the hardware table. */
enum nvptx_hw {
#define HW(id, cc, form, nvptx, host, offset, sig, attr) NVPTX_HW_##id,
#include "nvptx/llvm/hw.def"
#undef HW
	NVPTX_N_HW
};
/* Emit operation "op" with "arg" (without the thread pointer). */
LLVMValueRef nvptx_hw(struct nvptx_ir *ir, enum nvptx_hw op,
	LLVMValueRef *arg, int n_arg, const char *name);
/* Does "v" call the function of "op" on the host device? */
bool nvptx_hw_calls(LLVMValueRef v, enum nvptx_hw op);
/* 1 / x in f32, rounded once, on a GPU, for x from 2^-64 to 2^64: other numbers need
 * tests.
 */
LLVMValueRef nvptx_hw_inverse(LLVMModuleRef module, LLVMBuilderRef b,
	LLVMValueRef x);
/* The function "op" of "x", of f32 both, on a GPU. */
LLVMValueRef nvptx_hw_approximate(LLVMModuleRef module, LLVMBuilderRef b,
	enum nvptx_hw op, LLVMValueRef x);

/* wgmma.c: "sum", "n" accumulators of a warpgroup, and the product of the operands
 * that the descriptors "operand" tell, A and B of types "type", 32 bytes of steps of them;
 * "trans": their rows in shared memory are steps, as those of f16 and bf16 may be. It
 * goes on until the wait.
 */
void nvptx_wgmma(struct nvptx_ir *ir, const enum poly_type type[2],
	LLVMValueRef *sum, int n, const LLVMValueRef operand[2], const bool trans[2]);
void nvptx_wgmma_wait(struct nvptx_ir *ir, LLVMValueRef *sum, int n);
/* Have "sum" in a register each: a constant would get there behind the fence, where
 * ptxas makes the warpgroup wait for it.
 */
void nvptx_wgmma_hold(struct nvptx_ir *ir, LLVMValueRef *sum, int n);

/* words.c: values that go together, in words of type "t"; loads and stores of them, whose
 * address need not be a multiple of more than "most"; word number "i"; the value "v", with its bound, which
 * may be NULL, in the words from number "at" on; that of "type" in them. Of other types
 * nvptx_words_align changes nothing.
 */
LLVMTypeRef nvptx_words_type(struct nvptx_ir *ir, enum poly_type t);
bool nvptx_is_words(LLVMTypeRef type);
LLVMValueRef nvptx_words_align(LLVMValueRef access, LLVMTypeRef type, int most);
LLVMValueRef nvptx_word(struct nvptx_ir *ir, LLVMValueRef words, int i);
LLVMValueRef nvptx_with_word(struct nvptx_ir *ir, LLVMValueRef words, int i,
	LLVMValueRef word);
LLVMValueRef nvptx_words_put(struct nvptx_ir *ir, LLVMValueRef words, int at,
	LLVMValueRef v, LLVMValueRef bound);
LLVMValueRef nvptx_words_part(struct nvptx_ir *ir, LLVMValueRef words, int at,
	LLVMTypeRef type, LLVMValueRef *bound);
/* The integer that has the bits of a number of "type". */
LLVMTypeRef nvptx_bits_type(struct nvptx_ir *ir, LLVMTypeRef type);

/* relay.c: words of 64 bits that blocks hand on, which the launch has made 0. How many
 * have asked at "count" before; how many words a value of "type" has; let the words from
 * "at" on be "v", tagged "tag"; read "n" values of "type" into "v", once their tag, which
 * is the result, is "least" or more. Tags are from 1 on.
 */
enum { NVPTX_RELAY_MOST = 4 };
LLVMValueRef nvptx_relay_turn(struct nvptx_ir *ir, LLVMValueRef count);
int nvptx_relay_size(struct nvptx_ir *ir, LLVMTypeRef type);
void nvptx_relay_tell(struct nvptx_ir *ir, LLVMValueRef at, LLVMValueRef tag,
	LLVMValueRef v);
LLVMValueRef nvptx_relay_hear(struct nvptx_ir *ir, LLVMValueRef at,
	LLVMValueRef least, LLVMTypeRef type, LLVMValueRef *v, int n);
/* The word "i" of 32 bits of "v"; the value of "type" that words are, of 32 bits or in the
 * lower halves of 64.
 */
LLVMValueRef nvptx_relay_word(struct nvptx_ir *ir, LLVMValueRef v, int i);
LLVMValueRef nvptx_relay_value(struct nvptx_ir *ir, LLVMTypeRef type,
	const LLVMValueRef *word);
/* Wait for all threads of the cluster, so that nobody reads the shared memory of a
 * block that is not there yet, or any more.
 */
void nvptx_cluster_sync(struct nvptx_ir *ir);

/* debug.c: line numbers. */
void nvptx_debug_begin(struct nvptx_ir *ir, const char *path);
void nvptx_debug_kernel(struct nvptx_ir *ir, const char *name,
	const struct poly_loc *loc);
void nvptx_debug_stmt(struct nvptx_ir *ir, const struct poly_stmt *s);
void nvptx_debug_end(struct nvptx_ir *ir);

/* Report an internal error once, and remember it. Returns poison of "type". */
LLVMValueRef nvptx_fail(struct nvptx_ir *ir, LLVMTypeRef type,
	const char *what);

#endif
