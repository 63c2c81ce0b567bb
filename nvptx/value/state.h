/* What is known, made and under way while a kernel is lowered: struct nvptx_lower. */
#ifndef NVPTX_VALUE_STATE_H
#define NVPTX_VALUE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/set.h>
#include <llvm-c/Core.h>

#include "nvptx/nvptx.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"

/* What is known of the program's sizes and of the kernel before any of the kernel's
 * code is written.
 */
struct nvptx_facts {
	isl_set *known;			/* of the sizes: a parameter set */
	isl_set *places;		/* and of the kernel's coordinates */
	bool lanes;			/* threads put values together */
	bool places_apart;		/* see nvptx_own_place */
	bool has_lines;			/* it has operations on lines of a tile */
	bool narrow;			/* 32 bits hold what indices are made of */
	unsigned *along;		/* by array: lines whose threads hold the same */
	const struct poly_expr **untouched; /* reads that no write touches */
	int n_untouched;
};

/* Values that are the same in all code of the kernel, and how many bytes of shared
 * memory are taken. Lists have an entry for each array of the program, or NULL.
 */
struct nvptx_values {
	LLVMValueRef tid[2];		/* t0, t1 */
	LLVMValueRef count;		/* of blocks that have arrived, or NULL */
	LLVMValueRef relay;		/* what blocks hand on, or NULL */
	LLVMValueRef help[4];		/* kernel/help.c: what it hands on */
	LLVMValueRef tile;		/* its number, where blocks come in turn */
	LLVMValueRef *base;		/* where an array begins, or, with "is_part", */
	bool *is_part;			/* the one index of its first dimension */
	LLVMValueRef *barrier;		/* of the first slot, if it is filled in bulk; */
	LLVMValueRef *vacant;		/* that a feeder waits at before it fills it */
	LLVMValueRef *map;		/* by statement: of the array whose boxes it copies */
	LLVMValueRef turn;		/* tiles that the block had before, or NULL */
	LLVMValueRef instance;		/* checked: room for the instance's indices */
	LLVMValueRef near;		/* the block's copy of what it updates, or NULL */
	LLVMValueRef line;		/* where that is a line: room for where it is */
	LLVMValueRef joins;		/* barriers of what blocks of a cluster send, or NULL */
	int n_join;			/* of them that are taken */
	LLVMValueRef shared;		/* where shared memory begins */
	int64_t shared_at;
};

/* A name of the kernel's AST (parameter, block or thread index, loop
 * iterator) and its value, an i32 or, where that is too short, an i64.
 */
struct nvptx_var {
	char *name;
	LLVMValueRef value;
};
struct nvptx_names {
	struct nvptx_var *var;
	int n, cap;
};

/* Whose code is written: of all, or, with a feeder (kernel/turns.c), its or the others'. */
enum nvptx_role { NVPTX_ALONE, NVPTX_FEEDS, NVPTX_FED };

/* A condition that is asked in front of a loop, and what it is in there. */
struct nvptx_assumed {
	isl_ast_expr *cond;		/* not owned */
	bool holds;
	const struct nvptx_assumed *outer;
};

/* Where the code that is being written stands, and under which conditions. */
struct nvptx_now {
	enum nvptx_role role;
	int digit[2];			/* register digits r0, r1 in force */
	isl_multi_aff *at;		/* kept: the statement's instances by points */
	const LLVMValueRef *point;	/* the point that it is at */
	LLVMValueRef live;		/* does its update count? NULL: yes */
	LLVMValueRef own;		/* does the thread write? NULL: yes */
	bool sure;			/* what it gathers is there */
	bool whole;			/* all that may be guarded is there */
	LLVMValueRef ready;		/* what it stores, if that is there already */
	bool is_untouched;		/* no write touches what it reads */
	bool copies;			/* it is an element that a COPY moves */
	const struct nvptx_assumed *assumed;	/* NULL: nothing */
};

/* lower_contract.c, lower_expr.c: reads whose values are there already. */
struct nvptx_held {
	const struct poly_expr *read;
	LLVMValueRef v;
};
struct nvptx_reads {
	struct nvptx_held held[POLY_MAX_OPERAND];
	int n;
};

/* lower_expr.c: of a LOOP that is being written, its step and what it carries. */
struct nvptx_carried {
	LLVMValueRef step;
	struct nvptx_value value;
};

/* lower_expr.c: what a cell that "sum" adds to holds before it, as "stmt" has left it,
 * kept by the thread.
 */
enum { NVPTX_MAX_START = 4 };
struct nvptx_start {
	const struct poly_stmt *stmt, *sum;
	LLVMValueRef room;
};
struct nvptx_starts {
	struct nvptx_start list[NVPTX_MAX_START];
	int n;
};

/* lower_fold.c: what the thread's points of a tile have made so far of the fold
 * "stmt", for each digit across the "axis" that its lines lie along; the folds of a
 * group.
 */
struct nvptx_fold {
	const struct poly_stmt *stmt;
	int axis;
	LLVMValueRef room;
};
struct nvptx_folds {
	struct nvptx_fold list[POLY_MAX_FOLDS];
	int n;
};

/* lower_crossed.c: a read of member number "member" of the group "of" that is in shared
 * memory, at "room", for all points of the tile; those of a group.
 */
struct nvptx_crossed {
	int member;
	const struct poly_expr *read;
	LLVMTypeRef type;
	LLVMValueRef room;
};
struct nvptx_crossings {
	const struct poly_stmt *of;
	struct nvptx_crossed list[POLY_MAX_OPERAND];
	int n;
};

/* lower_tile.c: how the indices of "stmt" grow along a run of points, if that is
 * known.
 */
struct nvptx_grown {
	const struct poly_stmt *stmt;
	bool known;
	int64_t by[16];
};

/* lower_ast.c: what the indices of "stmt" may be in "kernel", as far as it is known. */
struct nvptx_entered {
	const struct poly_stmt *stmt;
	const struct poly_kernel *kernel;
	bool known[16];
	struct nvptx_range range[16];
};

/* lower_sum.c, lower_expr.c: cells of memory that a loop updates, in registers while
 * it runs: as many in each iteration, one after another, of which "at" is the next.
 */
enum { NVPTX_MAX_CELLS = 8 };
enum nvptx_cells_way { NVPTX_CELLS_LOAD, NVPTX_CELLS_ADD, NVPTX_CELLS_STORE };
struct nvptx_cells {
	LLVMValueRef room[NVPTX_MAX_CELLS];
	enum nvptx_cells_way way;
	int n, at;
};

/* lower_copy.c: copies that the product behind them starts in its turns. */
struct nvptx_put_off {
	int turns;			/* of that product; 0: put none off */
	struct nvptx_start_later *list;
	int n;
};

/* lower_across.c: products on matrix units whose sums no group has seen yet. */
enum { NVPTX_MAX_SUMMED = 8 };
struct nvptx_summed {
	const struct poly_stmt *op[NVPTX_MAX_SUMMED];
	int n;
};

/* lower_unit.c: the last step of a tile of the product "op", the only one of its kernel,
 * put off until the next tile's first fragments are loaded: its fragments are in "room",
 * if "has" is set.
 */
struct nvptx_late {
	int products, registers;	/* of the kernel; that a thread may have */
	const struct poly_stmt *op;	/* NULL: none is put off */
	LLVMTypeRef type;
	LLVMValueRef room, has;
	void (*bind)(struct nvptx_lower *l);	/* binds the block behind the product;
						 * NULL: as in front of it */
};

/* kernel/ranks.c: what takes note of instances, in the place of doing what they do. */
struct nvptx_ranks {
	void (*note)(struct nvptx_lower *l, const struct poly_stmt *s,
		const LLVMValueRef *in);
};

/* Points of a run, at most. */
#define NVPTX_MAX_RUN 16

/* lower_expr.c: steps of a LOOP, i64, what they begin with; how often to unroll. */
struct nvptx_steps {
	LLVMValueRef low, high, by;
	struct nvptx_value first;
	int unroll;
};

/* kernel/help.c: the LOOP "loop", NULL: none, of which long ones are made in front of the
 * kernel; the value of one; what runs those of the "run[2]" points from digits run[0],
 * run[1] on, before their values are needed.
 */
struct nvptx_made {
	const struct poly_expr *loop;
	struct nvptx_value (*value)(struct nvptx_lower *l,
		const struct poly_expr *e, const LLVMValueRef *in);
	void (*beside)(struct nvptx_lower *l, const struct poly_stmt *s,
		const int run[3], const LLVMValueRef *base);
};

/* Registers of a thread for a row that are many. */
enum { NVPTX_MANY_WORDS = 64 };
/* Registers of the sums of a thread, at most. */
enum { NVPTX_MAX_SUM = 128 };

/* One program while it is lowered. What follows "now" belongs to single emitters: only
 * the files that its struct names use it.
 */
struct nvptx_lower {
	/* asked for */
	struct poly_prog *prog;
	const struct poly_kernel *kernel;	/* of it, that is being lowered */
	struct nvptx_variant version;

	/* known */
	struct nvptx_facts fact;

	/* made */
	struct nvptx_ir *ir;			/* not owned */
	struct nvptx_planned planned;
	struct nvptx_values value;
	struct nvptx_names name;

	struct nvptx_now now;
	struct nvptx_carried carried[POLY_MAX_LOOP];
	struct nvptx_value side[2];		/* of the JOIN that is written */
	struct nvptx_reads reads;
	struct nvptx_starts starts;
	struct nvptx_folds folds;
	struct nvptx_crossings crossings;
	struct nvptx_grown grown;
	struct nvptx_entered entered;
	struct nvptx_cells *cells;		/* NULL: none in registers */
	struct nvptx_put_off put_off;
	struct nvptx_summed summed;
	struct nvptx_late late;
	struct nvptx_ranks *ranks;		/* NULL: none */
	struct nvptx_made made;
	struct nvptx_help *help;		/* kernel/kernel.h; NULL: none */
	struct nvptx_reuse *reuse;		/* kernel/reuse.c */
};

#endif
