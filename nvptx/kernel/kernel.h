/* nvptx: kernels as functions, between these files. */
#ifndef NVPTX_KERNEL_H
#define NVPTX_KERNEL_H

#include "nvptx/lower/lower.h"

/* --------------------------------------------------------- kernel_usage.c */

/* What one kernel does with each array of the program. */
struct nvptx_kernel_usage {
	struct poly_prog *prog;
	bool *read, *written;
	int64_t *part;			/* the only index of their first dimension;
					 * -1: none that is known; -2: no access yet */
	const struct poly_loc *loc;	/* of the first statement */
	int n_read;			/* the most that a contraction has */
	int pads;			/* dimensions in which a copy is padded */
	bool repeats;			/* loops over tiles of products stand
					 * in another */
	bool lanes, down;		/* go across some statement */
	bool bulk;			/* rows of arrays are copied so */
	bool meets;			/* threads wait for one another, or are a product's */
	const struct poly_kernel *kernel;
	int64_t across_bytes;
	int tiles;			/* of a block, a warp each */
};
/* Note what the kernel of "l" does, whose AST is "ast", in "u", which is to be cleared
 * in any case.
 */
isl_stat nvptx_kernel_usage_init(struct nvptx_kernel_usage *u, struct nvptx_lower *l,
	__isl_keep isl_ast_node *ast);
/* Give "u" room for what is noted of each array of "prog". False without memory. */
bool nvptx_kernel_usage_alloc(struct nvptx_kernel_usage *u, const struct poly_prog *prog);
void nvptx_kernel_usage_clear(struct nvptx_kernel_usage *u);
/* Does the kernel access array "i"? Is it an argument? */
bool nvptx_is_used(const struct nvptx_kernel_usage *u, int i);
bool nvptx_is_argument(const struct nvptx_kernel_usage *u, int i);
/* How many bytes behind the first of array "i" begins all that the kernel accesses of it, if
 * that is only one index of its first dimension; else 0. The kernel gets this address, so
 * that kernels which differ in such an index alone are one.
 */
int64_t nvptx_part_offset(struct nvptx_lower *l, const struct nvptx_kernel_usage *u, int i);
/* Does the kernel copy boxes by "s", of an array whose map is an argument? */
bool nvptx_needs_map(const struct nvptx_kernel_usage *u, const struct nvptx_ir *ir,
	const struct poly_stmt *s);

/* --------------------------------------------------------------- launch.c */

/* Does the feeder, a warpgroup then, give three others the registers that it does not need? */
bool nvptx_moves_registers(const struct nvptx_lower *l);
/* Threads of a block, that of a feeder among them. */
int nvptx_block_threads(const struct nvptx_lower *l);
/* The plan's launch of the kernel, with its arguments; NULL on failure. */
struct nvptx_launch *nvptx_plan_launch(struct nvptx_lower *l,
	const struct nvptx_kernel_usage *u);
/* How many tiles a block of the kernel has, each with a warp of its own; as a rule 1. */
int nvptx_block_tiles(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
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

/* --------------------------------------------------------- check_places.c */

/* In checked code, let accesses to shared memory ask first that are not to elements of
 * arrays; "loc" is the kernel's.
 */
void nvptx_check_places(struct nvptx_lower *l, const struct poly_loc *loc);

/* ------------------------------------------------------------- argument.c */

void nvptx_bind_arguments(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
/* Lay the kernel's shared arrays out one behind the other. Returns their size in
 * bytes.
 */
int64_t nvptx_bind_shared(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
void nvptx_bind_registers(struct nvptx_lower *l, const struct nvptx_kernel_usage *u);
/* The block and the thread; blocks behind the last tile leave. The thread alone. */
void nvptx_bind_places(struct nvptx_lower *l, int tiles);
void nvptx_bind_threads(struct nvptx_lower *l);

/* Bind the tile of number "tile", where blocks take one after another; how many there
 * are.
 */
void nvptx_bind_tile(struct nvptx_lower *l, LLVMValueRef tile);
LLVMValueRef nvptx_count_tiles(struct nvptx_lower *l);

/* ---------------------------------------------------------------- turns.c */

/* Where shared memory begins. */
LLVMValueRef nvptx_shared_start(struct nvptx_lower *l);
/* The code of "ast" for one tile after another. */
void nvptx_turns(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);

/* ---------------------------------------------------------------- ranks.c */

/* The code of "ast" of a kernel whose blocks rank what is alike; false, with nothing
 * emitted: they do not. The shared memory that this takes.
 */
bool nvptx_ranks(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);
int64_t nvptx_ranks_bytes(struct poly_prog *prog, const struct poly_kernel *k);

/* ------------------------------------------------------------ help_find.c */

/* A kernel with LOOPs whose bounds are data, those of "stmt", which add up
 * by "op". Two launches in front of it make those that are long.
 */
enum { NVPTX_HELP_INDEX = 8 };
/* Which launch of them is written: that which finds long loops, that which makes them, or
 * the kernel itself.
 */
enum nvptx_help_part { NVPTX_HELP_FINDS, NVPTX_HELP_MAKES, NVPTX_HELP_USES };
/* What they hand on, in global memory: how many pieces there are; of each loop, where its
 * pieces begin; of each piece, which loop it is of, and its sums.
 */
enum nvptx_help_array { NVPTX_HELP_COUNT, NVPTX_HELP_BEGIN, NVPTX_HELP_OWNER,
	NVPTX_HELP_SUM, NVPTX_N_HELP_ARRAY };
struct nvptx_help {
	const struct poly_stmt *stmt;
	const struct poly_expr *lane;		/* NULL: a row has one */
	enum poly_op op;
	bool ordered;				/* steps stay in the order of the text */
	enum nvptx_help_part part;
	bool by_points;				/* of a tile, whose axis 1 has features */
	int threads, lanes;			/* of a block, of a loop */
	int width, run;				/* features of a piece, of a lane */
	int most, piece;			/* steps: more is long; of a piece */
	isl_set *domain;			/* of loops: instances, or points */
	int n;					/* its dimensions, where they begin, and */
	isl_pw_aff *low[NVPTX_HELP_INDEX];	/* how long they are, NULL: 1 */
	isl_pw_aff *size[NVPTX_HELP_INDEX];
	isl_pw_aff *room;			/* for pieces */
	int array[NVPTX_N_HELP_ARRAY];		/* of the plan */
	LLVMValueRef beside[NVPTX_MAX_RUN];	/* loops of a run from digit "first" on */
	int first, n_beside;
	LLVMValueRef made;			/* are they made already? */
};

/* Has the kernel, whose code is "ast", loops whose bounds are data, the long ones of which
 * launches of their own make? How, in "h", which nvptx_help_clear empties; false, quickly:
 * it has none in any case.
 */
bool nvptx_find_help(struct nvptx_lower *l, struct nvptx_help *h,
	__isl_keep isl_ast_node *ast);
bool nvptx_may_help(struct nvptx_lower *l);
void nvptx_help_clear(struct nvptx_help *h);

/* ---------------------------------------------------------- help_launch.c */

/* Note how many launches stand in front of that of each kernel; false without memory. */
bool nvptx_plan_before(struct nvptx_lower *l);
/* What the name of the launch ends in; its arguments behind others, and its blocks, if
 * these are not the kernel's own.
 */
void nvptx_help_name(struct nvptx_lower *l, struct poly_str *name);
void nvptx_help_arguments(struct nvptx_lower *l, struct nvptx_launch *launch);

/* ----------------------------------------------------------------- help.c */

/* The code of the launches in front of the kernel, and their blocks. */
void nvptx_help_find(struct nvptx_lower *l);
void nvptx_help_make(struct nvptx_lower *l);
int nvptx_help_blocks(const struct nvptx_lower *l);
/* The type of what loops carry. Element "i" of an array; that of "feature" of a piece among
 * all sums. How long dimension "d" of the box of loops is. Is there room for all pieces?
 */
LLVMTypeRef nvptx_help_type(struct nvptx_lower *l);
LLVMValueRef nvptx_help_load(struct nvptx_lower *l, enum nvptx_help_array a,
	LLVMValueRef i);
LLVMValueRef nvptx_help_sum(struct nvptx_lower *l, LLVMValueRef piece,
	LLVMValueRef feature);
LLVMValueRef nvptx_help_size(struct nvptx_lower *l, int d);
LLVMValueRef nvptx_help_has_room(struct nvptx_lower *l);
/* The pieces of a loop of "steps" steps, and how many each has. */
struct nvptx_help_pieces {
	LLVMValueRef steps, n;
};
struct nvptx_help_pieces nvptx_help_pieces_of(struct nvptx_lower *l, LLVMValueRef steps);

/* ----------------------------------------------------------- help_value.c */

/* The bounds of the loop of instance "in", without its lane; is one from "low" to "high"
 * long? What changes nothing; two sums put together; the number of the loop.
 */
LLVMValueRef nvptx_help_low(struct nvptx_lower *l, const LLVMValueRef *in);
LLVMValueRef nvptx_help_high(struct nvptx_lower *l, const LLVMValueRef *in);
LLVMValueRef nvptx_help_is_long(struct nvptx_lower *l, LLVMValueRef low,
	LLVMValueRef high);
LLVMValueRef nvptx_help_nothing(struct nvptx_lower *l);
LLVMValueRef nvptx_help_joined(struct nvptx_lower *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nvptx_help_number(struct nvptx_lower *l, const LLVMValueRef *in);
/* "beside" and "value" of struct nvptx_made. */
void nvptx_help_beside(struct nvptx_lower *l, const struct poly_stmt *s,
	const int run[3], const LLVMValueRef *base);
struct nvptx_value nvptx_help_value(struct nvptx_lower *l, const struct poly_expr *e,
	const LLVMValueRef *in);

/* ----------------------------------------------------------- help_steps.c */

/* What the loop of "in" carries behind "steps"; of the "n" instances "in", points of a run
 * whose loops have the same steps, in "v".
 */
LLVMValueRef nvptx_help_steps(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps);
void nvptx_help_run(struct nvptx_lower *l, const LLVMValueRef (*in)[16], int n,
	const struct nvptx_steps *steps, LLVMValueRef *v);

/* What the loop of "in" carries behind all "steps", of whose rows each has elements there. */
typedef LLVMValueRef nvptx_help_groups(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, const void *with);

/* The same by "groups", which gets "with". Where rows are too short, which those of a matrix
 * are not, or too many to ask, and in checked code, one step after another finds what is
 * missing.
 */
LLVMValueRef nvptx_help_whole(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, nvptx_help_groups *groups, const void *with);
/* From what a term is put together: how many values; what is carried behind "v" and a term;
 * the values of "e", one of these, at "n" steps of the loop of "in".
 */
enum { NVPTX_HELP_STEPS = 32 };
int nvptx_help_parts(struct nvptx_lower *l, const struct poly_expr *part[2]);
LLVMValueRef nvptx_help_added(struct nvptx_lower *l, LLVMValueRef v,
	const LLVMValueRef part[2]);
void nvptx_help_terms(struct nvptx_lower *l, const LLVMValueRef *in,
	const LLVMValueRef *step, int n, const struct poly_expr *e, LLVMValueRef *v);

/* ----------------------------------------------------------- help_order.c */

/* What the loop of "in" carries behind "steps", of which there are some, one after the other;
 * the warp's lanes run it together, of which "lane" is this one, or each has its own: NULL.
 */
LLVMValueRef nvptx_help_in_order(struct nvptx_lower *l, const LLVMValueRef *in,
	const struct nvptx_steps *steps, LLVMValueRef lane);

/* --------------------------------------------------------------- within.c */

/* Add a kernel for each array of the plan that is within numbers, which looks for what is
 * not.
 */
void nvptx_within(struct nvptx_lower *l);

/* ----------------------------------------------------------------- same.c */

/* Let "launch" have, in place of the kernel that has been lowered, an earlier one that
 * does the same to its arguments, if there is one.
 */
void nvptx_share(struct nvptx_ir *ir, struct nvptx_launch *launch);

/* ---------------------------------------------------------------- reuse.c */

/* The kernels of "prog" that have been lowered; NULL without memory. Returns NULL. */
struct nvptx_reuse *nvptx_reuse_alloc(const struct poly_prog *prog);
struct nvptx_reuse *nvptx_reuse_free(struct nvptx_reuse *r);
/* Launch the function of a kernel that is like the one at hand, if there is one. */
bool nvptx_reuse(struct nvptx_lower *l);
/* Note that the kernel at hand, which nvptx_reuse was asked for, has been lowered; its usage
 * is taken.
 */
void nvptx_reuse_note(struct nvptx_lower *l, struct nvptx_kernel_usage *u,
	const struct nvptx_launch *launch);

/* cluster.c: let blocks of the kernel's cluster be ready to send one another what their
 * lines have, if the target can; let them end together if they do not. The shared memory
 * that this takes.
 */
void nvptx_cluster_begin(struct nvptx_lower *l);
void nvptx_cluster_end(struct nvptx_lower *l);
int64_t nvptx_cluster_bytes(struct nvptx_lower *l);

#endif
