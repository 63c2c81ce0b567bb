/* Launch plans, and formulas of what a version takes. */
#ifndef NVPTX_PLAN_H
#define NVPTX_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/set.h>

#include "nvptx/nvptx.h"

struct nvptx_ir;
struct nvptx_lower;

/* Which of the program's versions is being lowered: what a caller asks for. */
struct nvptx_variant {
	int number;			/* from 0 */
	bool is_one_of;			/* there are others */
	struct poly_division division;
	const struct poly_cost *rest;	/* if it runs whole rounds first */
};

/* What the plan has of the version. */
struct nvptx_planned {
	int first_launch;		/* of it */
	bool aligned;			/* it counts on how arrays lie */
	int *number;			/* of each global array */
	int *before;			/* launches in front of that of each kernel */
};
struct nvptx_module;

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
char *nvptx_version_name(const struct nvptx_variant *version, const char *name);

/* cost.c: what a version is expected to take. */
bool nvptx_cost(struct nvptx_lower *l, const struct poly_cost *cost,
	struct nvptx_version *v);
void nvptx_plan_free(struct nvptx_plan *plan);
int nvptx_param_number(struct poly_prog *prog, const char *name);
/* How many tiles "kernel" has if they are one column, and it is known how many; 0 if not. */
int64_t nvptx_column_tiles(struct nvptx_lower *l, const struct poly_kernel *kernel);
/* Has "kernel" one column of blocks of "tiles" tiles each, more than a grid has along y? */
bool nvptx_lies_along_x(struct nvptx_lower *l, const struct poly_kernel *kernel, int tiles);
/* Let "launch" have the grid of "kernel", whose blocks have "tiles" tiles each. */
void nvptx_plan_grid(struct nvptx_lower *l, const struct poly_kernel *kernel, int tiles,
	struct nvptx_launch *launch);
/* Add a word in which the blocks of "kernel" are counted, one for all versions;
 * its number, or -1 without memory.
 */
int nvptx_plan_count(struct nvptx_ir *ir, const char *kernel);
/* Add an array of "n" dimensions in which launches hand on what they make. */
int nvptx_plan_scratch(struct nvptx_lower *l, const char *name, enum poly_type type,
	__isl_keep isl_pw_aff *const *size, int n);
/* Let "launch" have "blocks" blocks; false, reported, on failure. */
bool nvptx_plan_blocks(struct nvptx_lower *l, int blocks, struct nvptx_launch *launch);
/* Add a launch, with "n_arg" numbers as its arguments, that looks at all elements of array
 * "array" of the plan; NULL on failure.
 */
struct nvptx_launch *nvptx_plan_look(struct nvptx_lower *l, int array, int n_arg);
/* The launch of kernel "kernel" of the version that is being lowered, behind those in
 * front of it.
 */
int nvptx_planned_launch(const struct nvptx_planned *p, int kernel);
/* The same with "words" words of 64 bits, which the launch makes 0. */
int nvptx_plan_relay(struct nvptx_lower *l, const char *kernel, int64_t words);
/* Append the launches of version "like", whose program that of the version is that
 * is being lowered: the same kernels, on its own grid and temporaries.
 */
void nvptx_plan_again(struct nvptx_lower *l, int like);

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

/* cost.c: push how many points the whole rounds before have, along the axis of
 * l->version.rest.
 */
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

/* Let the formula "f" be "most" at most. */
bool nvptx_formula_at_most(struct nvptx_lower *l, int64_t most,
	struct cetane_rt_formula *f);

/* plan_steps.c: the plan's steps, from the AST of the launches. */
isl_stat nvptx_plan_steps(struct nvptx_lower *l);

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

#endif
