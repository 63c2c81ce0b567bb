/* nvptx: statements that the AST of isl calls. */
#include <isl/ast.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

struct poly_stmt *nvptx_called(struct poly_prog *prog,
	__isl_keep isl_ast_node *n, isl_ast_expr **call)
{
	isl_ast_expr *fn;
	isl_id *id;
	struct poly_stmt *s;

	*call = isl_ast_node_user_get_expr(n);
	fn = isl_ast_expr_op_get_arg(*call, 0);
	id = isl_ast_expr_id_get_id(fn);
	s = id ? poly_prog_find_stmt(prog, isl_id_get_name(id)) : NULL;
	isl_id_free(id);
	isl_ast_expr_free(fn);
	return s;
}
/* Whom the walk over an AST calls. */
struct visit {
	struct poly_prog *prog;
	void (*fn)(struct poly_stmt *stmt, void *user);
	void *user;
};

static isl_bool visit_stmt(__isl_keep isl_ast_node *n, void *user)
{
	struct visit *v = user;
	isl_ast_expr *call;
	struct poly_stmt *s;

	if (isl_ast_node_get_type(n) != isl_ast_node_user)
		return isl_bool_true;
	s = nvptx_called(v->prog, n, &call);
	isl_ast_expr_free(call);
	if (s)
		v->fn(s, v->user);
	return isl_bool_false;
}

isl_stat nvptx_ast_stmts(struct poly_prog *prog,
	__isl_keep isl_ast_node *ast,
	void (*fn)(struct poly_stmt *stmt, void *user), void *user)
{
	struct visit v = { prog, fn, user };

	return isl_ast_node_foreach_descendant_top_down(ast, &visit_stmt, &v);
}
