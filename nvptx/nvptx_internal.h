/* nvptx, inside: what the files of this folder share. Only files that include
 * this header see LLVM's C API.
 */
#ifndef NVPTX_INTERNAL_H
#define NVPTX_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>

#include "nvptx/nvptx.h"

/* ---------------------------------------------------------------- modules */

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
/* Code of "m" of the kind "type"; m's module stays as it is. NULL (reported)
 * on failure; the caller disposes.
 */
LLVMMemoryBufferRef nvptx_emit(struct nvptx_module *m,
	LLVMCodeGenFileType type, struct poly_report *report);

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

/* float_bits.c: hide sums of the bits of floats in m's optimised module from LLVM's
 * code generator, where they are many. Of a GPU's module only.
 */
void nvptx_hide_float_bits(struct nvptx_module *m);

/* opt.c: LLVM's verifier over m's module. */
isl_stat nvptx_verify(struct nvptx_module *m, struct poly_report *report);

/* process.c: programs of the CUDA toolkit. nvptx_program_find returns the path
 * of "name" (the caller frees it): what the environment variable says, unless
 * that is "none"; or from PATH, or from the toolkit's usual places; or NULL,
 * with ENOMEM in errno for want of memory.
 * nvptx_program_run runs it in a folder that nvptx_folder_make has made, its
 * messages go to "log"; a failure is reported. The folder's files are written
 * and read as a whole, false with errno set on failure; nvptx_folder_remove
 * takes NULL, too.
 */
char *nvptx_program_find(const char *name, const char *variable);
isl_stat nvptx_program_run(const char *path, char *const *arg,
	const char *folder, struct poly_str *log, struct poly_report *report);
isl_stat nvptx_cannot_run(const char *path, const char *why,
	struct poly_report *report);
char *nvptx_folder_make(void);
void nvptx_folder_remove(char *folder);
bool nvptx_folder_write(const char *folder, const char *name,
	const struct poly_str *text);
bool nvptx_folder_read(const char *folder, const char *name,
	struct poly_str *text);

/* ptxas.c: the assembler as a program. nvptx_ptxas_find returns its path
 * (the caller frees it) or NULL as nvptx_program_find; nvptx_ptxas runs it. The
 * remarks of the assembler are added to "log" in any case.
 */
char *nvptx_ptxas_find(void);
isl_stat nvptx_ptxas(const char *path, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report);

/* nvjitlink.c: the assembler as a library. nvptx_jitlink_open returns a handle
 * for dlclose, or NULL if there is none, with ENOMEM in errno for want of
 * memory; "tried" receives the names tried.
 */
void *nvptx_jitlink_open(struct poly_str *tried);
/* "13.0", owned by the caller; NULL if the library does not say, with ENOMEM in
 * errno for want of memory.
 */
char *nvptx_jitlink_version(void *library);
isl_stat nvptx_jitlink(void *library, const struct poly_str *ptx,
	const struct nvptx_target *target, struct poly_str *cubin,
	struct poly_str *log, struct poly_report *report);

/* usage.c: find in "log", the remarks of the assembler "name", the resources
 * of each kernel (caller frees) and what deserves a warning.
 */
isl_stat nvptx_usage_parse(const struct poly_str *log, const char *name,
	struct nvptx_usage **usage, int *n_usage, struct poly_report *report);

/* math.c: the function "op" of x[0] and, if it takes two arguments, x[1] (f32
 * or f64) at "b", without fast-math flags and with the same bits on both
 * devices: a call of an internal function, made on first use. NULL if "op" is
 * no such function.
 */
LLVMValueRef nvptx_math(struct nvptx_module *m, LLVMBuilderRef b,
	enum poly_op op, const LLVMValueRef *x);

/* --------------------------------------------------------------- lowering */

/* A name of the kernel's AST (parameter, block or thread index, loop
 * iterator) and its value, an i32 or, where that is too short, an i64.
 */
struct nvptx_var {
	char *name;
	LLVMValueRef value;
};

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

/* State while one program is lowered. Functions that return an LLVM value
 * return one in every case; after nvptx_fail it is poison and "failed" is set,
 * and the module is thrown away.
 */
/* A read of an expression whose value is there already. */
struct nvptx_held {
	const struct poly_expr *read;
	LLVMValueRef v;
};

/* What a cell of the array "sum" writes holds before it, kept by the thread. */
struct nvptx_start {
	const struct poly_stmt *stmt, *sum;
	LLVMValueRef room;
};
enum { NVPTX_MAX_START = 4 };

/* What the thread's points of a tile have made so far of the fold "stmt", for each
 * digit across the "axis" that its lines lie along (lower_fold.c).
 */
struct nvptx_fold {
	const struct poly_stmt *stmt;
	int axis;
	LLVMValueRef room;
};

/* What the indices of "stmt" may be in "kernel", as far as it is known (lower_ast.c). */
struct nvptx_entered {
	const struct poly_stmt *stmt;
	const struct poly_kernel *kernel;
	bool known[16];
	struct nvptx_range range[16];
};

/* Cells of memory that a loop updates, in registers while it runs (lower_sum.c): as
 * many in each iteration, one after another, of which "at" is the next.
 */
enum { NVPTX_MAX_CELLS = 8 };
enum nvptx_cells_way { NVPTX_CELLS_LOAD, NVPTX_CELLS_ADD, NVPTX_CELLS_STORE };
struct nvptx_cells {
	LLVMValueRef room[NVPTX_MAX_CELLS];
	enum nvptx_cells_way way;
	int n, at;
};

struct nvptx_lower {
	struct nvptx_module *m;
	struct poly_prog *prog;
	struct poly_report *report;
	bool failed;
	bool is_one_of;			/* several versions */
	int version;			/* that is being lowered, from 0 */
	struct poly_division division;	/* of it */
	const struct poly_cost *rest;	/* if it runs whole rounds first */
	int first_launch;		/* of it, in the plan */
	bool aligned;			/* it counts on how arrays lie */

	LLVMBuilderRef b;
	LLVMDIBuilderRef di;		/* NULL: the program has no file */
	LLVMMetadataRef di_file, di_scope;

	/* of the kernel that is being lowered */
	const struct poly_kernel *kernel;
	bool lanes;			/* put values together */
	bool places_apart;		/* see nvptx_own_place */
	LLVMValueRef live;		/* where updates of registers count */
	LLVMValueRef own;		/* threads that write; NULL: all */
	struct nvptx_entered entered;
	struct nvptx_cells *cells;	/* that are in registers, or NULL */
	struct nvptx_start start[NVPTX_MAX_START];
	int n_start;
	struct nvptx_fold fold[POLY_MAX_FOLDS];	/* of a group */
	int n_fold;
	int64_t shared_at;		/* bytes of shared memory in use */
	int put_off_turns;		/* of the product that follows, or 0 */
	struct nvptx_put_off *put_off;	/* copies that it starts */
	int n_put_off;
	const struct poly_stmt *stmt;	/* whose code is being emitted */
	isl_set *known;			/* parameter set: facts about sizes */
	isl_set *places;		/* and about what numbers the kernel */
	LLVMValueRef fn;
	LLVMValueRef thread;		/* HOST: struct cetane_host_thread */
	LLVMValueRef instance;		/* checked: indices of that at work */
	LLVMValueRef tid[2];		/* t0, t1 */
	LLVMValueRef count;		/* of blocks that have arrived, or NULL */
	LLVMValueRef *base;		/* per array of the program, or NULL */
	LLVMValueRef *barrier;		/* of the first slot of one that is
					 * filled in bulk */
	int *number;			/* of each global one in the plan */
	const struct poly_expr **untouched; /* reads that no write touches */
	int n_untouched;
	bool is_untouched;		/* what is being read is one of them */
	int digit[2];			/* register digits r0, r1 in force */
	struct nvptx_held held[POLY_MAX_OPERAND];
	int n_held;
	struct nvptx_var *var;
	int n_var, cap_var;
	struct nvptx_known *seen;	/* that dominate the builder's place */
	int n_seen, cap_seen;
	struct nvptx_ranged *range;	/* by value, with gaps */
	int n_range, cap_range;
	bool is_long;			/* an index that may pass 2^31 */
};

/* A value of an expression. f16 and bf16 are LLVM's half and bfloat on the GPU
 * and i16 on the host; a bool is an i1, in memory an i8. In wide mode floats
 * are f64 and "bound" is the f64 bound of the error of any value; a NULL bound
 * is 0. In ring mode floats are integers of their size.
 */
struct nvptx_value {
	LLVMValueRef v, bound;
};

/* lower.c */
/* Report an internal error once, and remember it. Returns poison of "type". */
LLVMValueRef nvptx_fail(struct nvptx_lower *l, LLVMTypeRef type,
	const char *what);
void nvptx_bind(struct nvptx_lower *l, const char *name, LLVMValueRef value);
/* Forget what was bound since l->n_var was "n_var". */
void nvptx_unbind(struct nvptx_lower *l, int n_var);
LLVMValueRef nvptx_find_var(struct nvptx_lower *l, const char *name);
bool nvptx_has_var(const struct nvptx_lower *l, const char *name);

/* build.c: constants, types, and integer arithmetic that drops neutral
 * operands and uses values again that are there already; the flags no-wrap are
 * set where overflow cannot be (not in checked code, where planted faults must
 * stay defined).
 */
LLVMTypeRef nvptx_i32(struct nvptx_lower *l);
LLVMTypeRef nvptx_i64(struct nvptx_lower *l);
LLVMValueRef nvptx_int(struct nvptx_lower *l, int64_t value);
LLVMValueRef nvptx_add(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b,
	const char *name);
LLVMValueRef nvptx_sub(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_mul(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b);
/* a / d and a mod d, for a >= 0 and d > 0 */
LLVMValueRef nvptx_div(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef d);
LLVMValueRef nvptx_mod(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef d);
LLVMValueRef nvptx_compare(struct nvptx_lower *l, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b);
/* "a" sign-extended to "type", or cut to it. */
LLVMValueRef nvptx_extend(struct nvptx_lower *l, LLVMValueRef a,
	LLVMTypeRef type);
/* The number of the thread in its block. */
LLVMValueRef nvptx_thread_number(struct nvptx_lower *l, const char *name);
/* Address of element "index" behind "base". */
LLVMValueRef nvptx_element(struct nvptx_lower *l, LLVMTypeRef type,
	LLVMValueRef base, LLVMValueRef index);
/* floor(a / d), for constant d > 0 */
LLVMValueRef nvptx_floor_div(struct nvptx_lower *l, LLVMValueRef a, int64_t d);
/* Call the LLVM intrinsic "name" overloaded on the type of arg[0]. */
LLVMValueRef nvptx_intrinsic(struct nvptx_lower *l, const char *name,
	LLVMValueRef *arg, int n_arg);
LLVMBasicBlockRef nvptx_block(struct nvptx_lower *l, const char *name);
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
void nvptx_loop_begin(struct nvptx_lower *l, struct nvptx_loop *loop,
	const char *name, LLVMValueRef init, LLVMValueRef step);
void nvptx_loop_body(struct nvptx_lower *l, struct nvptx_loop *loop,
	LLVMValueRef cond);
void nvptx_loop_end(struct nvptx_lower *l, struct nvptx_loop *loop,
	int unroll);
/* "if (cond)": "begin" enters the block "name", "end" the block behind it. */
struct nvptx_branch {
	LLVMBasicBlockRef from, join;
	int n_seen;
};
void nvptx_if_begin(struct nvptx_lower *l, struct nvptx_branch *branch,
	LLVMValueRef cond, const char *name);
void nvptx_if_end(struct nvptx_lower *l, struct nvptx_branch *branch);
/* After nvptx_if_end: "then", computed in "then_block", if the condition
 * held, else "other".
 */
LLVMValueRef nvptx_if_value(struct nvptx_lower *l,
	const struct nvptx_branch *branch, LLVMBasicBlockRef then_block,
	LLVMValueRef then, LLVMValueRef other, const char *name);
LLVMTypeRef nvptx_memory_type(struct nvptx_lower *l, enum poly_type t);
LLVMTypeRef nvptx_value_type(struct nvptx_lower *l, enum poly_type t);

/* range.c: exact arithmetic: results are i32 where they surely fit, else i64,
 * and so may be the operands. The second operand of FLOOR, DIV and MOD (which
 * take what is not negative) and REM (of C) is a positive constant.
 */
enum nvptx_exact {
	NVPTX_EXACT_ADD, NVPTX_EXACT_SUB, NVPTX_EXACT_MUL, NVPTX_EXACT_MIN,
	NVPTX_EXACT_MAX, NVPTX_EXACT_FLOOR, NVPTX_EXACT_DIV, NVPTX_EXACT_MOD,
	NVPTX_EXACT_REM
};
LLVMValueRef nvptx_exact(struct nvptx_lower *l, enum nvptx_exact op,
	LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_exact_int(struct nvptx_lower *l, int64_t value);
LLVMValueRef nvptx_exact_compare(struct nvptx_lower *l, LLVMIntPredicate p,
	LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_exact_select(struct nvptx_lower *l, LLVMValueRef cond,
	LLVMValueRef a, LLVMValueRef b);
/* Say, ask, forget what values can be; the type that all of "r" fit. */
void nvptx_range_set(struct nvptx_lower *l, LLVMValueRef v,
	struct nvptx_range r);
struct nvptx_range nvptx_range_of(struct nvptx_lower *l, LLVMValueRef v);
void nvptx_range_clear(struct nvptx_lower *l);
/* Bounds of "aff" on "set", the ends of 64 bits where there are none; lo > hi if the
 * set is empty. They are those over fractions, rounded, which isl has in a small part
 * of the time of the others.
 */
struct nvptx_range nvptx_range_on(__isl_keep isl_set *set,
	__isl_keep isl_aff *aff);
LLVMTypeRef nvptx_range_type(struct nvptx_lower *l, struct nvptx_range r);

/* hw.c: operations of the hardware table. */
enum nvptx_hw {
#define HW(id, cc, form, nvptx, host, offset, sig, attr) NVPTX_HW_##id,
#include "nvptx/llvm/hw.def"
#undef HW
	NVPTX_N_HW
};
/* Emit operation "op" with "arg" (without the thread pointer). */
LLVMValueRef nvptx_hw(struct nvptx_lower *l, enum nvptx_hw op,
	LLVMValueRef *arg, int n_arg, const char *name);

/* lower_aff.c: affine functions on LLVM values. "in" has one integer for each
 * input dimension (set dimension); parameters are found by name.
 */
LLVMValueRef nvptx_pw_aff(struct nvptx_lower *l, __isl_take isl_pw_aff *pa,
	const LLVMValueRef *in);
/* Evaluate each output of "index", of an element of "a", into out[0..n). */
void nvptx_index(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in,
	LLVMValueRef *out);
void nvptx_multi_aff(struct nvptx_lower *l, __isl_keep isl_multi_aff *ma,
	const LLVMValueRef *in, LLVMValueRef *out);
/* Whether "in" lies in "set", as an i1; NULL if it always does. */
LLVMValueRef nvptx_condition(struct nvptx_lower *l, __isl_take isl_set *set,
	const LLVMValueRef *in);

/* lower_ast.c: code of "ast", that of l->kernel. */
void nvptx_ast(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);
/* The statement that the user node "n" calls, and the call; NULL on error. */
struct poly_stmt *nvptx_called(struct poly_prog *prog,
	__isl_keep isl_ast_node *n, isl_ast_expr **call);
/* Call "fn" on each statement that "ast" calls. */
isl_stat nvptx_ast_stmts(struct poly_prog *prog,
	__isl_keep isl_ast_node *ast,
	void (*fn)(struct poly_stmt *stmt, void *user), void *user);

/* lower_sum.c: loops that add up what they read, several iterations at a time.
 * nvptx_sum_times says how many of the loop "s", of which it needs the iterator, the
 * step and the body; 0: it is no such loop.
 */
struct nvptx_sum {
	isl_id *id;			/* kept: the iterator, in the AST */
	const char *name, *iterator;	/* in LLVM IR and in the AST */
	LLVMValueRef init, last;
	int64_t step;
	struct nvptx_range range;	/* of the iterator while the loop runs */
	int times;
	isl_ast_node *body;		/* kept */
};
int nvptx_sum_times(struct nvptx_lower *l, const struct nvptx_sum *s);
/* The loop "for (i = init; i <= last; i += step) body", with "times" iterations
 * together; "range" and as many steps beyond fit 32 bits.
 */
void nvptx_sum_loop(struct nvptx_lower *l, const struct nvptx_sum *s);
/* Is such a loop under way that updates cells of memory? */
bool nvptx_adds_cells(const struct nvptx_lower *l);

/* lower_expr.c: in exact mode and, through lower_wide.c, in wide mode. */
struct nvptx_value nvptx_expr(struct nvptx_lower *l,
	const struct poly_expr *e, const LLVMValueRef *in);
/* x * y + z of type "t": fused for floats, unless that is switched off. */
LLVMValueRef nvptx_fma(struct nvptx_lower *l, enum poly_type t,
	LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
/* One instance "in" of the point statement "s". */
void nvptx_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in);

/* lower_cast.c. nvptx_cast_exact leaves bounds alone. */
struct nvptx_value nvptx_const(struct nvptx_lower *l, enum poly_type t,
	double value);
struct nvptx_value nvptx_cast(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
LLVMValueRef nvptx_cast_exact(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, LLVMValueRef x);
/* True if values of "t" are f64 with a bound. */
bool nvptx_is_wide(struct nvptx_lower *l, enum poly_type t);

/* lower_op.c: "op" on arguments of type "t" (of a comparison: the type of what
 * is compared; of a select: of what is selected). nvptx_op_exact leaves bounds
 * alone; nvptx_int_op takes integers, two even where "op" has one argument;
 * nvptx_float_op takes f32 or f64.
 */
struct nvptx_value nvptx_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg);
LLVMValueRef nvptx_op_exact(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const LLVMValueRef *arg);
LLVMValueRef nvptx_int_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const LLVMValueRef *x);
LLVMValueRef nvptx_float_op(struct nvptx_lower *l, enum poly_op op,
	LLVMValueRef *x);

/* lower_index.c: the value of "index", which has one dimension, as "t" (I32 or
 * I64).
 */
LLVMValueRef nvptx_index_value(struct nvptx_lower *l, enum poly_type t,
	__isl_keep isl_multi_pw_aff *index, const LLVMValueRef *in);

/* lower_ring.c: "op" where floats are integers modulo 2^32 or 2^64. */
LLVMValueRef nvptx_ring_op(struct nvptx_lower *l, enum poly_op op,
	const LLVMValueRef *x);

/* lower_wide.c */
struct nvptx_value nvptx_wide_op(struct nvptx_lower *l, enum poly_op op,
	enum poly_type t, const struct nvptx_value *arg);
struct nvptx_value nvptx_wide_cast(struct nvptx_lower *l, enum poly_type to,
	enum poly_type from, struct nvptx_value x);
/* What a statement other than a sum stores into "a": its bound, for sums that
 * begin with it.
 */
struct nvptx_value nvptx_wide_begin(struct nvptx_lower *l,
	const struct poly_array *a, struct nvptx_value x);
/* acc + term of the sum "s" makes over the reduction dimension. */
struct nvptx_value nvptx_wide_accumulate(struct nvptx_lower *l,
	const struct poly_stmt *s, const LLVMValueRef *in,
	struct nvptx_value acc);

/* lower_mem.c: elements of arrays. */
/* The address of the element "index" of "a". */
LLVMValueRef nvptx_address(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index);
/* Element "number", an i64, of the array; 0 if there is none. */
struct nvptx_value nvptx_gather(struct nvptx_lower *l,
	const struct poly_array *a, LLVMValueRef number);
struct nvptx_value nvptx_load(struct nvptx_lower *l,
	const struct poly_array *a, const LLVMValueRef *index);
/* True if tiles have an instance of the statement that "index" is a function of
 * at which 32 bits do not hold the element of "a" in a dimension.
 */
bool nvptx_index_is_long(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index);
/* How many elements an access to "a" moves on in memory from one value of input
 * "dim" of "index" to the next, both in "box"; false if that is no constant.
 */
bool nvptx_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride);
/* The same if rows may have any length: "*stride" elements and "*more", an i64,
 * which is NULL if all is constant. False if what is moved on in some dimension
 * of "a" is no constant.
 */
bool nvptx_long_stride(struct nvptx_lower *l, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *box, int dim,
	int64_t *stride, LLVMValueRef *more);
/* The element of "a", which is in shared memory, that lies "offset" elements
 * behind the address "base", or "n" from there on as a vector. The number of the
 * first one is a multiple of "aligned".
 */
LLVMValueRef nvptx_load_run(struct nvptx_lower *l, const struct poly_array *a,
	LLVMValueRef base, int64_t offset, int n, int64_t aligned);
/* Do "op" with "v" on an element of "a" in memory, at once. */
void nvptx_atomic(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, enum poly_op op, LLVMValueRef v);
void nvptx_store(struct nvptx_lower *l, const struct poly_array *a,
	const LLVMValueRef *index, struct nvptx_value x);
int nvptx_array_number(const struct poly_prog *prog,
	const struct poly_array *a);
/* In checked code: the accesses that follow are those of "s" at "in". */
void nvptx_instance(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *in);
/* Make room for a register array at the function's entry. */
LLVMValueRef nvptx_registers(struct nvptx_lower *l,
	const struct poly_array *a);
/* Elements (bytes) of a shared array with its padding; its extent in
 * dimension "dim" as a constant.
 */
int64_t nvptx_extent(const struct poly_array *a, int dim);
int64_t nvptx_shared_size(const struct poly_array *a);

/* lower_across.c: what the values "v" of the threads that run "s" together are
 * when put together; begins the branch of the threads that have it, the first
 * ones. nvptx_across_bytes is the shared memory that this takes.
 */
LLVMValueRef nvptx_across(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef v, struct nvptx_branch *branch);
int64_t nvptx_across_bytes(const struct poly_kernel *k,
	const struct poly_stmt *s);
/* What the thread "with" lanes off has in the place of "v"; "mask" are the lanes that
 * come here.
 */
LLVMValueRef nvptx_exchange(struct nvptx_lower *l, LLVMValueRef mask,
	LLVMValueRef v, int with);
/* Let the threads of columns that a block lacks do again what those of its first
 * or last column do, so that all of them come to where they wait for one another.
 */
void nvptx_across_columns(struct nvptx_lower *l);
/* lower_fold.c: begin the folds of the group "s"; where the thread has what the fold
 * "m" has made for the digits in force; put together what all threads have, where
 * "guards", one for each member, hold. "base" is the thread's first point, "arg" are
 * the tile's coordinates. The shared memory that the fold "m" takes.
 */
void nvptx_folds_begin(struct nvptx_lower *l, const struct poly_stmt *s);
LLVMValueRef nvptx_fold_cell(struct nvptx_lower *l, const struct poly_stmt *m);
void nvptx_folds_end(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, const LLVMValueRef *arg,
	const LLVMValueRef *base);
int64_t nvptx_fold_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *m);
/* lower_expr.c: an alloca at the start of the function. */
LLVMValueRef nvptx_room(struct nvptx_lower *l, LLVMTypeRef type,
	const char *name);
/* lower_expr.c: keep what such threads put into a cell before, where they do. */
void nvptx_keep_starts(struct nvptx_lower *l);

/* share.c: how the "threads" threads of a block share the box of a copy, "size"
 * elements, in runs of "run" elements that lie side by side along dimension
 * "along": each thread moves "n" runs at most. With "side", that many threads go
 * along a line of the box, side by side, and the others along the next lines;
 * without, threads go from the end of a line to the beginning of the next.
 */
struct nvptx_share {
	int64_t threads, size[2];
	int along, run;
	int64_t side, n;
};
/* Where one run of each thread begins: that of thread "lane" of the block in line
 * (lane + first) / width + add[!along], behind (lane + first) % width +
 * add[along] other runs. Only lines below "lines", and threads below "threads",
 * have such a run; 0: all have.
 */
struct nvptx_run {
	int64_t first, width, add[2], lines, threads;
};
/* Let consecutive threads take consecutive runs of "run" elements along
 * s->along, and then go on in the other direction. So they do sooner if lines
 * are columns of the buffer. Sets run, side and n.
 */
void nvptx_share_out(struct nvptx_share *s, int run);
/* Let what a thread copies in one of "turns" turns lie in as few lines as whole
 * warps allow: from one address, the others of a line are as near as constants in
 * an asynchronous copy reach, those of other lines seldom; and what is asked of
 * columns is the same in all turns.
 */
void nvptx_share_in_lines(struct nvptx_share *s, int turns);
/* Runs of each of "turns" turns if the thread's runs can be divided into so many
 * equal groups of whole lines; 0: they cannot.
 */
int64_t nvptx_share_turn(const struct nvptx_share *s, int turns);
/* The run "e", from 0 to s->n - 1, of each thread. */
struct nvptx_run nvptx_share_run(const struct nvptx_share *s, int64_t e);
/* Do the runs of all threads, in "turns" turns, move each element of the box
 * exactly once? An error only without memory.
 */
isl_bool nvptx_share_covers(const struct nvptx_share *s, int turns);
/* Which of "rows" rows, moved as a whole, the threads start in turn "e": thread
 * "lane" that of number lane / width + add[0], if "width" divides "lane" and that
 * is below "lines" (0: any). There are as many turns as the rows need.
 */
struct nvptx_run nvptx_share_rows(int64_t threads, int64_t rows, int64_t e);
/* Does one thread start each row? An error only without memory. */
isl_bool nvptx_share_covers_rows(int64_t threads, int64_t rows);
/* Fail as "covers" says, the answer of one of the two; true if it is true. */
bool nvptx_share_checked(struct nvptx_lower *l, isl_bool covers);

/* lower_copy.c: a COPY, and the wait of the SYNC "s" for the asynchronous
 * copies of the tile "arg".
 */
void nvptx_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
/* lower_mem.c: start the asynchronous copy of "n" bytes and zeros up to "size"
 * from the address at[1] in the array that the member "s" of a copy reads to
 * at[0] in that which it writes.
 */
void nvptx_start_copy(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], int size, LLVMValueRef n);
/* lower_mem.c: start the copy in bulk of "size" bytes, as above, that "barrier"
 * counts.
 */
void nvptx_start_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	LLVMValueRef at[2], LLVMValueRef barrier, int64_t size);
/* lower_bulk.c: is the copy "s" done in bulk? Start it; wait for it. Give the
 * barriers of the kernel's buffers their places from byte "at" of shared memory on:
 * where they end; begin to use them.
 */
bool nvptx_is_bulk(const struct nvptx_lower *l, const struct poly_stmt *s);
void nvptx_copy_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
void nvptx_wait_bulk(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
int64_t nvptx_bind_barriers(struct nvptx_lower *l, int64_t at);
void nvptx_init_barriers(struct nvptx_lower *l);
/* Do copies and loads run ahead? On a GPU; and in checked code of the host
 * device, so that it has the same loops.
 */
bool nvptx_goes_ahead(const struct nvptx_lower *l);
/* A thread's place "t" for one tile operation: where loops repeat the whole product
 * and sizes are not fixed, LLVM would keep all that follows from it, a condition
 * and an offset an element, in registers from one operation to the next, and the
 * product between them needs these.
 */
LLVMValueRef nvptx_own_place(struct nvptx_lower *l, LLVMValueRef t);
/* Does the code of the copy "s" only start it? */
bool nvptx_is_async(struct nvptx_lower *l, const struct poly_stmt *s);
/* Copies that were put off (l->put_off_turns) are started by the product that
 * follows: all at once, or a part of each in each turn, after which they are
 * committed. "done" forgets them. "step" is the one of a turn's "steps" that is
 * best for the part, which was measured. "whole" is the condition that their
 * boxes lie inside the arrays, or NULL if there is none to tell; code that is
 * emitted while that is assumed does not ask for each element.
 */
LLVMValueRef nvptx_copy_whole(struct nvptx_lower *l);
void nvptx_copy_assume_whole(struct nvptx_lower *l, bool whole);
void nvptx_copy_all(struct nvptx_lower *l);
int nvptx_copy_step(struct nvptx_lower *l, int steps);
void nvptx_copy_part(struct nvptx_lower *l, LLVMValueRef turn);
/* Carry the addresses of those whose rows are not equally far for all sizes through
 * the loop over turns that begins behind "from"; at the end of its body.
 */
void nvptx_copy_carry(struct nvptx_lower *l, LLVMBasicBlockRef from);
void nvptx_copy_carried(struct nvptx_lower *l);
void nvptx_copy_commit(struct nvptx_lower *l);
void nvptx_copy_done(struct nvptx_lower *l);
void nvptx_wait(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
/* lower_meet.c: a barrier of all blocks of the launch. */
void nvptx_meet(struct nvptx_lower *l);
/* lower_tile.c: narrow "set" to what "index" takes into "a". */
__isl_give isl_set *nvptx_inside(__isl_take isl_set *set,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index);
/* lower_contract.c: steps of a body of the loop over a product's tile. */
int nvptx_body(const struct poly_kernel *k, const struct poly_stmt *product);
/* lower_tile.c, lower_contract.c: emitters of tile operations. "arg" are the
 * tile coordinates.
 */
void nvptx_tile(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
void nvptx_contract(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);

/* Name of the index of member "s" that runs along tile dimension "d" (2: the
 * reduction), for reading; NULL if it has none.
 */
const char *nvptx_point_name(const struct poly_stmt *s, int d);

/* debug.c: line numbers. */
void nvptx_debug_begin(struct nvptx_lower *l);
void nvptx_debug_kernel(struct nvptx_lower *l, const struct poly_loc *loc);
void nvptx_debug_stmt(struct nvptx_lower *l, const struct poly_stmt *s);
void nvptx_debug_end(struct nvptx_lower *l);

/* plan.c: the launch plan: sizes, arrays, and what is known of versions. */
isl_stat nvptx_plan_init(struct nvptx_lower *l);
/* Append the version that is being lowered, the steps of which are the last
 * "n_step" of the plan.
 */
isl_stat nvptx_plan_version(struct nvptx_lower *l,
	const struct poly_version *v, int n_step);
/* What the version that is being lowered calls its own "name", of a kernel or a
 * temporary; owned by the caller, NULL without memory.
 */
char *nvptx_version_name(const struct nvptx_lower *l, const char *name);
/* cost.c: what a version is expected to take. */
bool nvptx_cost(struct nvptx_lower *l, const struct poly_cost *cost,
	struct nvptx_version *v);
void nvptx_plan_free(struct nvptx_plan *plan);
int nvptx_param_number(struct poly_prog *prog, const char *name);
/* Let "launch" have the grid of "kernel". */
void nvptx_plan_grid(struct nvptx_lower *l, const struct poly_kernel *kernel,
	struct nvptx_launch *launch);
/* Add a word in which the blocks of "kernel" are counted, one for all versions;
 * its number, or -1 without memory.
 */
int nvptx_plan_count(struct nvptx_lower *l, const char *kernel);
/* Append the launches of version "like", whose program that of the version is that
 * is being lowered: the same kernels, on its own grid and temporaries.
 */
void nvptx_plan_again(struct nvptx_lower *l, int like);

/* same.c: let "launch" have, in place of the kernel that has been lowered, an earlier
 * one that does the same, if there is one.
 */
void nvptx_share(struct nvptx_lower *l, struct nvptx_launch *launch);

/* plan_formula.c: formulas. Parameters "h0", "h1", .. are iterators. */
struct nvptx_postfix {
	struct cetane_rt_formula f;
	int cap;
	bool failed;
};
void nvptx_push(struct nvptx_postfix *c, enum cetane_rt_code code,
	int64_t value);
/* Push size "k" of the program; a hidden one is computed from the others. */
void nvptx_push_size(struct nvptx_lower *l, struct nvptx_postfix *c, int k);
/* cost.c: push how many points along l->rest->axis the whole rounds before have. */
void nvptx_push_first(struct nvptx_lower *l, struct nvptx_postfix *c);
/* Hand over what "c" holds; false, having reported it, if that is none. */
bool nvptx_postfix_end(struct nvptx_lower *l, struct nvptx_postfix *c,
	struct cetane_rt_formula *f);
/* 1 if the sizes of the program are in "set", else 0; false if that cannot be
 * told. The same for a text of isl.
 */
bool nvptx_formula_of_set(struct nvptx_lower *l, __isl_take isl_set *set,
	struct cetane_rt_formula *f);
bool nvptx_sizes_meet(struct nvptx_module *m, struct poly_prog *prog,
	const char *set, struct cetane_rt_formula *f);
/* The formula of "pa", a function of the parameters. */
bool nvptx_formula(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa,
	struct cetane_rt_formula *f);
/* Multiply the formula "f" by "pa". */
bool nvptx_formula_times(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa,
	struct cetane_rt_formula *f);

/* plan_steps.c: the plan's steps, from the AST of the launches. */
isl_stat nvptx_plan_steps(struct nvptx_lower *l);

#endif
