/* nvptx: kernels as functions, between these files. */
#ifndef NVPTX_KERNEL_H
#define NVPTX_KERNEL_H

#include "nvptx/lower/lower.h"

/* --------------------------------------------------------- kernel_usage.c */

/* What one kernel does with each array of the program. */
struct nvptx_kernel_usage {
	struct poly_prog *prog;
	bool *read, *written;
	const struct poly_loc *loc;	/* of the first statement */
	int n_read;			/* the most that a contraction has */
	int pads;			/* dimensions in which a copy is padded */
	bool repeats;			/* loops over tiles of products stand
					 * in another */
	bool lanes, down;		/* go across some statement */
	bool bulk;			/* rows of arrays are copied so */
	const struct poly_kernel *kernel;
	int64_t across_bytes;
};
/* Note what the kernel of "l" does, whose AST is "ast", in "u", which is to be cleared
 * in any case.
 */
isl_stat nvptx_kernel_usage_init(struct nvptx_kernel_usage *u, struct nvptx_lower *l,
	__isl_keep isl_ast_node *ast);
void nvptx_kernel_usage_clear(struct nvptx_kernel_usage *u);
/* Does the kernel access array "i"? Is it an argument? */
bool nvptx_is_used(const struct nvptx_kernel_usage *u, int i);
bool nvptx_is_argument(const struct nvptx_kernel_usage *u, int i);
/* Does the kernel copy boxes by "s", of an array whose map is an argument? */
bool nvptx_needs_map(const struct nvptx_kernel_usage *u, const struct nvptx_ir *ir,
	const struct poly_stmt *s);

/* --------------------------------------------------------------- launch.c */

/* Threads of a block, that of a feeder among them. */
int nvptx_block_threads(const struct nvptx_lower *l);
/* The plan's launch of the kernel, with its arguments; NULL on failure. */
struct nvptx_launch *nvptx_plan_launch(struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u);
/* Registers that a thread of a product's kernel may have. */
int nvptx_thread_registers(const struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u);
/* Are its blocks in clusters? */
bool nvptx_has_clusters(const struct nvptx_launch *launch);
/* Add the function of the kernel, "l->ir->fn", for a GPU or the host device. */
void nvptx_gpu_function(struct nvptx_lower *l, const struct nvptx_kernel_usage *u,
	const struct nvptx_launch *launch);
void nvptx_host_function(struct nvptx_ir *ir,
	const struct nvptx_launch *launch);

/* ------------------------------------------------------------- argument.c */

void nvptx_bind_arguments(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
/* Lay the kernel's shared arrays out one behind the other. Returns their size in
 * bytes.
 */
int64_t nvptx_bind_shared(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
void nvptx_bind_registers(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
/* The block and the thread; blocks behind the last tile leave. */
void nvptx_bind_places(struct nvptx_lower *l);

/* Bind the tile of number "tile", where blocks take one after another; how many there
 * are.
 */
void nvptx_bind_tile(struct nvptx_lower *l, LLVMValueRef tile);
LLVMValueRef nvptx_count_tiles(struct nvptx_lower *l);

/* ---------------------------------------------------------------- turns.c */

/* The code of "ast" for one tile after another. */
void nvptx_turns(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);

/* ---------------------------------------------------------------- ranks.c */

/* The code of "ast" of a kernel whose blocks rank what is alike; false, with nothing
 * emitted: they do not. The shared memory that this takes.
 */
bool nvptx_ranks(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);
int64_t nvptx_ranks_bytes(struct poly_prog *prog, const struct poly_kernel *k);

/* ----------------------------------------------------------------- help.c */

/* Do the blocks of the kernel, whose code is "ast", help one another with loops? How, in
 * "h". The words that "l->help" needs, and the shared memory; what stands in front of
 * all others in the kernel, and behind.
 */
bool nvptx_find_help(struct nvptx_lower *l, struct nvptx_help *h,
	__isl_keep isl_ast_node *ast);
int64_t nvptx_help_words(struct nvptx_lower *l);
int64_t nvptx_help_bytes(const struct nvptx_help *h);
void nvptx_help_begin(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);
void nvptx_help_end(struct nvptx_lower *l);
/* Where sum "i" of the block is in shared memory; what changes nothing; two sums put
 * together.
 */
LLVMValueRef nvptx_help_sum(struct nvptx_lower *l, LLVMValueRef i);
LLVMValueRef nvptx_help_nothing(struct nvptx_lower *l);
LLVMValueRef nvptx_help_joined(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b);

/* ----------------------------------------------------------- help_value.c */

/* The bounds of the loop of instance "in", without its lane; is one from "low" to "high"
 * long? The thread's row, where each has one with its lanes; is it the first of these?
 * NULL: there are no others.
 */
LLVMValueRef nvptx_help_low(struct nvptx_lower *l, const LLVMValueRef *in);
LLVMValueRef nvptx_help_high(struct nvptx_lower *l, const LLVMValueRef *in);
LLVMValueRef nvptx_help_is_long(struct nvptx_lower *l, LLVMValueRef low,
	LLVMValueRef high);
LLVMValueRef nvptx_help_row(struct nvptx_lower *l);
LLVMValueRef nvptx_help_lane(struct nvptx_lower *l, const LLVMValueRef *in);
/* "bounds" and "value" of struct nvptx_help. */
void nvptx_help_bounds(struct nvptx_lower *l, const LLVMValueRef *in,
	struct nvptx_steps *s);
struct nvptx_value nvptx_help_value(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in);

/* ----------------------------------------------------------------- same.c */

/* Let "launch" have, in place of the kernel that has been lowered, an earlier one that
 * does the same, if there is one.
 */
void nvptx_share(struct nvptx_ir *ir, struct nvptx_launch *launch);

/* cluster.c: let blocks of the kernel's cluster be ready to send one another what their
 * lines have, if the target can; let them end together if they do not. The shared memory
 * that this takes.
 */
void nvptx_cluster_begin(struct nvptx_lower *l);
void nvptx_cluster_end(struct nvptx_lower *l);
int64_t nvptx_cluster_bytes(struct nvptx_lower *l);

#endif
