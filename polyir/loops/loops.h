/* isl's AST of a tree, and its check. */
#ifndef POLYIR_LOOPS_H
#define POLYIR_LOOPS_H

#include <stdbool.h>

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ctx.h>
#include <isl/schedule.h>
#include <isl/set.h>

#include "polyir/ir/ir.h"

struct poly_str;

/* ast.c: isl's ASTs, made from the tree with the context (sizes, sign of the
 * parameters, ranges of launches, blocks and threads) inserted last.
 * A kernel's is what one thread runs, in the mark "kernel:NAME"; user nodes
 * are calls STMT(e0, e1, ...) of point statements or tile operations. NULL if
 * isl fails, or makes loops that run other instances than the tree holds (which
 * ast_check.c finds out); prog->no_loops tells if that is its own fault.
 */
__isl_give isl_ast_node *poly_ast_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The values that sizes (at most INT32_MAX), iterators of launches, blocks and
 * threads of "kernel" have together where an instance runs: a parameter set.
 */
__isl_give isl_set *poly_kernel_places(struct poly_prog *prog,
	const struct poly_kernel *kernel);
/* The least, or the last, t1 of a block of "kernel", which is not tiled, where an
 * instance runs: a function of the sizes, launches and blocks. It is that of the
 * block itself where none does.
 */
__isl_give isl_pw_aff *poly_end_column(struct poly_prog *prog,
	const struct poly_kernel *kernel, bool last);
/* What stands above the kernels: user nodes are calls KERNEL(h0, h1, ...). */
__isl_give isl_ast_node *poly_ast_launches(struct poly_prog *prog);
/* Append the text of both; of the launches if they have loops or conditions.
 */
isl_stat poly_print_ast(struct poly_prog *prog, struct poly_str *out);

/* ast_check.c: does "ast", made of "schedule", run for the names of "context"
 * all instances of the leaves, and no others? Not in which order, nor whether
 * one runs twice. Error if isl fails.
 */
isl_bool poly_ast_is_right(__isl_keep isl_ast_node *ast,
	__isl_keep isl_schedule *schedule, __isl_keep isl_set *context);

/* one_order.c: the tree of "src" for the instances "domain", which is taken: its root. If
 * it has a long list, all sets have the parameters of all of them, and of "context", in
 * one order, and bands with one value for each block and thread are left out.
 */
__isl_give isl_schedule_node *poly_tree_for_loops(
	__isl_take isl_union_set *domain, __isl_keep isl_set *context,
	__isl_keep isl_schedule_node *src);
/* Where a new statement goes: next to "anchor", whose domain (but for the
 * name) and whose place in every band it shares.
 */
struct poly_companion {
	struct poly_stmt *stmt;
	struct poly_stmt *anchor;
	bool after;
};

#endif
