/* nvptx: kernels whose blocks take one tile after another (polyir/layout/turns.c).
 *
 * The first copies of a tile, those that are started before its product begins, are
 * started as soon as the product of the tile before has ended, while its results are
 * stored:
 *
 *	start the first copies of the tile
 *	do	begin its sums
 *		its product
 *		barrier; start the first copies of the next tile, if there is one
 *		store its sums
 *	while there is a next tile
 */
#include <stdlib.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* What a part of a tile's code has: copies alone, a product, or neither. */
enum what { OTHER, COPIES, PRODUCT };
enum { MOST_PARTS = 64 };

/* The parts of a tile's code, in order: those before "first" and those that are no
 * copies before "end" come before the next tile's copies.
 */
struct parts {
	isl_ast_node *node[MOST_PARTS];
	enum what what[MOST_PARTS];
	int n, first, end;
};

static void note_what(struct poly_stmt *s, void *user)
{
	bool *has = user;

	has[s->kind == POLY_COPY ? COPIES :
		s->kind == POLY_CONTRACT ? PRODUCT : OTHER] = true;
}

static enum what what_of(struct nvptx_lower *l, __isl_keep isl_ast_node *node)
{
	bool has[3] = { false, false, false };

	if (nvptx_ast_stmts(l->prog, node, &note_what, has) < 0)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "the AST cannot be walked");
	return has[PRODUCT] ? PRODUCT : has[COPIES] && !has[OTHER] ? COPIES :
		OTHER;
}

/* Add the parts of "node", which is taken. */
static void add_parts(struct nvptx_lower *l, struct parts *p,
	__isl_take isl_ast_node *node)
{
	isl_ast_node_list *list;

	if (isl_ast_node_get_type(node) == isl_ast_node_mark) {
		add_parts(l, p, isl_ast_node_mark_get_node(node));
		isl_ast_node_free(node);
		return;
	}
	if (isl_ast_node_get_type(node) != isl_ast_node_block) {
		if (p->n == MOST_PARTS) {
			nvptx_fail(l->ir, nvptx_i32(l->ir),
				"a tile has too many parts");
			isl_ast_node_free(node);
			return;
		}
		p->what[p->n] = what_of(l, node);
		p->node[p->n++] = node;
		return;
	}
	list = isl_ast_node_block_get_children(node);
	for (int i = 0; i < isl_ast_node_list_size(list); i++)
		add_parts(l, p, isl_ast_node_list_get_at(list, i));
	isl_ast_node_list_free(list);
	isl_ast_node_free(node);
}

static void find_ends(struct parts *p)
{
	for (int i = p->n; i-- > 0;)
		if (p->what[i] == PRODUCT) {
			p->first = i;
			p->end = p->end ? p->end : i + 1;
		}
}

/* Start the first copies of the tile. */
static void start(struct nvptx_lower *l, const struct parts *p)
{
	for (int i = 0; i < p->first; i++)
		if (p->what[i] == COPIES)
			nvptx_ast(l, p->node[i]);
}

/* Behind the product of a tile: start the copies of the tile "next" if there is one,
 * the condition "more".
 */
static void start_next(struct nvptx_lower *l, const struct parts *p,
	LLVMValueRef next, LLVMValueRef more)
{
	LLVMValueRef zero = nvptx_int(l->ir, 0);
	struct nvptx_branch branch;
	int n_var = l->name.n;

	for (int i = 0; i < l->summed.n; i++)
		nvptx_unit_wait(l, l->summed.op[i]);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
	nvptx_if_begin(l->ir, &branch, more, "next");
	nvptx_bind_tile(l, next);
	start(l, p);
	nvptx_if_end(l->ir, &branch);
	nvptx_unbind(&l->name, n_var);
}

/* The code of one tile, of number "tile"; "next" and "more" as above. */
static void one_tile(struct nvptx_lower *l, const struct parts *p,
	LLVMValueRef tile, LLVMValueRef next, LLVMValueRef more)
{
	int n_var = l->name.n;

	nvptx_bind_tile(l, tile);
	for (int i = 0; i < p->end; i++)
		if (i >= p->first || p->what[i] != COPIES)
			nvptx_ast(l, p->node[i]);
	start_next(l, p, next, more);
	for (int i = p->end; i < p->n; i++)
		nvptx_ast(l, p->node[i]);
	nvptx_unbind(&l->name, n_var);
}

/* The loop over tiles from "first" on. */
static void all_tiles(struct nvptx_lower *l, const struct parts *p,
	LLVMValueRef first)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->ir->b), last;
	LLVMBasicBlockRef body = nvptx_block(l->ir, "tile");
	LLVMBasicBlockRef end = nvptx_block(l->ir, "tile.end");
	LLVMValueRef n = nvptx_count_tiles(l), zero = nvptx_int(l->ir, 0);
	LLVMValueRef tile, next, turn, more;

	LLVMBuildBr(l->ir->b, body);
	LLVMPositionBuilderAtEnd(l->ir->b, body);
	tile = LLVMBuildPhi(l->ir->b, nvptx_i32(l->ir), "tile");
	turn = LLVMBuildPhi(l->ir->b, nvptx_i32(l->ir), "turn");
	l->value.turn = turn;
	next = LLVMBuildAdd(l->ir->b, tile, nvptx_int(l->ir, l->kernel->blocks),
		"");
	more = LLVMBuildICmp(l->ir->b, LLVMIntULT, next, n, "");
	one_tile(l, p, tile, next, more);
	last = LLVMGetInsertBlock(l->ir->b);
	LLVMAddIncoming(tile, &first, &before, 1);
	LLVMAddIncoming(tile, &next, &last, 1);
	LLVMAddIncoming(turn, &zero, &before, 1);
	next = LLVMBuildAdd(l->ir->b, turn, nvptx_int(l->ir, 1), "");
	LLVMAddIncoming(turn, &next, &last, 1);
	LLVMBuildCondBr(l->ir->b, more, body, end);
	LLVMPositionBuilderAtEnd(l->ir->b, end);
	l->value.turn = NULL;
}

void nvptx_turns(struct nvptx_lower *l, __isl_keep isl_ast_node *ast)
{
	struct parts p = { .n = 0 };
	LLVMValueRef first = nvptx_hw(l->ir, NVPTX_HW_CTAID_X, NULL, 0, "");
	int n_var = l->name.n;

	add_parts(l, &p, isl_ast_node_copy(ast));
	find_ends(&p);
	nvptx_bind_tile(l, first);
	start(l, &p);
	nvptx_unbind(&l->name, n_var);
	all_tiles(l, &p, first);
	for (int i = 0; i < p.n; i++)
		isl_ast_node_free(p.node[i]);
}
