/* From a program's tree and its tile operations to LLVM IR. */
#ifndef NVPTX_LOWER_H
#define NVPTX_LOWER_H

#include "nvptx/contract/contract.h"

/* ------------------------------------------------------------- ast_calls.c */

/* Ast_calls.c: the statement that the user node "n" calls, and the call; NULL on error. */
struct poly_stmt *nvptx_called(struct poly_prog *prog,
	__isl_keep isl_ast_node *n, isl_ast_expr **call);
/* Call "fn" on each statement that "ast" calls. */
isl_stat nvptx_ast_stmts(struct poly_prog *prog,
	__isl_keep isl_ast_node *ast,
	void (*fn)(struct poly_stmt *stmt, void *user), void *user);

/* -------------------------------------------------------------- ast_expr.c */

/* Ast_expr.c: the value of "e", which is taken; "v", a number or a condition, as a
 * condition.
 */
LLVMValueRef nvptx_ast_expr(struct nvptx_lower *l, __isl_take isl_ast_expr *e);
LLVMValueRef nvptx_ast_condition(struct nvptx_ir *ir, LLVMValueRef v);

/* ----------------------------------------------------------- lower_apart.c */

/* Emit the loop "n" of the iterator "id", which begins at "init", with the conditions
 * asked in front of it that do not change in it; false: it has none.
 */
bool nvptx_loops_apart(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init,
	__isl_keep isl_ast_node *body);
/* Is "cond" one of those that are assumed to hold, or not to? */
bool nvptx_is_assumed(const struct nvptx_lower *l,
	__isl_keep isl_ast_expr *cond, bool *holds);
/* Are all names in "e", which is taken, known? */
bool nvptx_is_known(const struct nvptx_names *names,
	__isl_take isl_ast_expr *e);

/* ------------------------------------------------------------- lower_ast.c */

/* Code of "ast", that of l->kernel; of the loop "n", with "body", which is taken. */
void nvptx_ast(struct nvptx_lower *l, __isl_keep isl_ast_node *ast);
void nvptx_for_loop(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init, __isl_take isl_ast_node *body);

/* --------------------------------------------------------- lower_crossed.c */

/* Load what the group "s" reads across its lanes (polyir/layout/crossed.c) into shared
 * memory: each where its member's guard holds. Does member number "member" read something
 * so? Let expressions find that at the thread's point of the digits in force; with -1,
 * nothing more. The shared memory that all takes.
 */
void nvptx_crossed_begin(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg);
bool nvptx_crossed_has(const struct nvptx_lower *l, const struct poly_stmt *s, int member);
void nvptx_crossed_hold(struct nvptx_lower *l, const struct poly_stmt *s, int member);
void nvptx_crossed_end(struct nvptx_lower *l);
int64_t nvptx_crossed_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *s);

/* ------------------------------------------------------------ lower_fold.c */

/* Begin the folds of the group "s"; put together what all threads have,
 * where "guards", one for each member, hold. "base" is the thread's first point, "arg" are
 * the tile's coordinates. The shared memory that the fold "m" takes.
 */
void nvptx_folds_begin(struct nvptx_lower *l, const struct poly_stmt *s);
void nvptx_folds_end(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, const LLVMValueRef *arg,
	const LLVMValueRef *base);
int64_t nvptx_fold_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *m);

/* ----------------------------------------------------------- lower_group.c */

/* Let "p" be the point of digits "r0" and "r1" of the operation "s";
 * "base" is the thread's first one.
 */
void nvptx_set_point(struct nvptx_lower *l, const struct poly_stmt *s, int r0,
	int r1, const LLVMValueRef *base, LLVMValueRef *p);
/* Run the members of the GROUP "s" at their own points, of "known", those of
 * "guards", one for each member; "arg" are the tile's coordinates, "base" is the thread's
 * first point.
 */
void nvptx_group(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base);
/* Run them once on each line: all its threads do, the first one writes. */
void nvptx_group_lines(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base);

/* ---------------------------------------------------------- lower_pieces.c */

/* What the member "one" stores at the point "p". */
LLVMValueRef nvptx_value_at(struct nvptx_lower *l, const struct poly_stmt *one,
	const LLVMValueRef *p);
/* Members that are pieces of one array, at all points of the tiles "tiles": member i at
 * those of guards[i], "rest" at what is left. Without "guards" there are none.
 * nvptx_pieces_clear is due.
 */
struct nvptx_pieces {
	isl_set *tiles;
	isl_set_list *guards;
	int rest;
};
struct nvptx_pieces nvptx_find_pieces(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set_list *guards,
	__isl_keep isl_set *known);
void nvptx_pieces_clear(struct nvptx_pieces *p);
/* Run the members at all points of the thread, which begin at "base", in a tile of
 * "p".
 */
void nvptx_run_pieces(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct nvptx_pieces *p, const LLVMValueRef *base);

/* ---------------------------------------------------------- lower_reduce.c */

/* The REDUCE "op", whose member runs at "when", "base" being the
 * thread's first point. The shared memory that it takes.
 */
void nvptx_reduce(struct nvptx_lower *l, const struct poly_stmt *op,
	const struct nvptx_when *when, const LLVMValueRef *base);
int64_t nvptx_reduce_bytes(const struct poly_kernel *k,
	const struct poly_stmt *op);

/* ----------------------------------------------------------- lower_relay.c */

/* The words of 64 bits that blocks of the kernel hand on to one another, the first of
 * which counts tiles that are taken; 0: it has no SCAN that goes on over tiles. The
 * shared memory that the number of the tile takes.
 */
int64_t nvptx_relay_words(struct nvptx_lower *l);
/* How many blocks a multiprocessor has registers for, without spills. */
int nvptx_relay_blocks(struct nvptx_lower *l);
int64_t nvptx_relay_bytes(void);

/* ------------------------------------------------------------ lower_scan.c */

/* The SCAN "op", "known" being its points and "base" the thread's first
 * one. The shared memory that it takes.
 */
void nvptx_scan(struct nvptx_lower *l, const struct poly_stmt *op,
	__isl_keep isl_set *known, const LLVMValueRef *base);
int64_t nvptx_scan_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *op);

/* ------------------------------------------------------------- lower_sum.c */

/* Loops that add up what they read, several iterations at a time.
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
/* How often to unroll the loop around "body", whose iterator is in "r". */
int nvptx_unrolling(struct nvptx_lower *l, __isl_keep isl_ast_node *body,
	struct nvptx_range r);
/* The loop "for (i = init; i <= last; i += step) body", with "times" iterations
 * together; "range" and as many steps beyond fit 32 bits.
 */
void nvptx_sum_loop(struct nvptx_lower *l, const struct nvptx_sum *s);

/* ------------------------------------------------------------ lower_tile.c */

/* The instance of "s" that stands at the point "p" of the digits in
 * force: one that divides does so once in a run.
 */
void nvptx_stand(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *p, LLVMValueRef *in);
/* The emitter of tile operations. "arg" are the tile coordinates. */
void nvptx_tile(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg);
/* Name of the index of member "s" that runs along tile dimension "d" (2: the
 * reduction), for reading; NULL if it has none.
 */
const char *nvptx_point_name(const struct poly_stmt *s, int d);

/* ----------------------------------------------------------- reduce_line.c */

/* The bytes that blocks of a cluster send to each of them where "op" puts together what they
 * have; 0: nothing; -1: a line has too few threads for that.
 */
int64_t nvptx_sent_bytes(struct nvptx_lower *l, const struct poly_stmt *op);

#endif
