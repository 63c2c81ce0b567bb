/* nvptx: loops whose iterations all ask the same conditions, as loops that ask none.
 *
 * Where a script writes out the elements of a thread, those behind the end of an array
 * are under conditions that do not change while the loop runs:
 *
 *	for (int k = 0; k < K; k += 1) { S(i, k); if (i <= 2998) S(i + 1, k); }
 *
 * LLVM keeps what is updated in registers only where it surely runs. So the conditions
 * are asked in front of the loop, of which there is one for each answer:
 *
 *	if (i <= 2998) for (..) { S(i, k); S(i + 1, k); }
 *	else for (..) S(i, k);
 *
 * With more than MOST_ASKED conditions there are two loops: one where all hold, and the
 * loop as it was.
 */
#include <isl/ast.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* The conditions that are kept, at most; those for each answer of which there is a loop;
 * and the calls in all of these loops.
 */
enum { MOST_KEPT = 64, MOST_ASKED = 2, MOST_CALLS = 1024 };

/* The conditions of a loop, and how many statements it calls; "fails": it has another
 * loop, or more than points.
 */
struct asked {
	struct nvptx_lower *l;
	isl_ast_expr *cond[MOST_KEPT];
	int n, n_call;
	bool fails;
};

/* The loop "n" with the iterator "id", from "init" on. */
struct apart {
	struct nvptx_lower *l;
	isl_ast_node *n, *body;
	isl_id *id;
	LLVMValueRef init;
};

bool nvptx_is_known(const struct nvptx_names *names,
	__isl_take isl_ast_expr *e)
{
	bool known = true;

	if (isl_ast_expr_get_type(e) == isl_ast_expr_id) {
		isl_id *id = isl_ast_expr_id_get_id(e);

		known = nvptx_has_var(names, isl_id_get_name(id));
		isl_id_free(id);
	} else if (isl_ast_expr_get_type(e) == isl_ast_expr_op) {
		isl_size n = isl_ast_expr_op_get_n_arg(e);

		for (int i = 0; i < n && known; i++)
			known = nvptx_is_known(names, isl_ast_expr_op_get_arg(e, i));
	}
	isl_ast_expr_free(e);
	return known;
}

bool nvptx_is_assumed(const struct nvptx_lower *l, __isl_keep isl_ast_expr *cond,
	bool *holds)
{
	const struct nvptx_assumed *a = l->now.assumed;

	while (a && isl_ast_expr_is_equal(a->cond, cond) != isl_bool_true)
		a = a->outer;
	if (a)
		*holds = a->holds;
	return a != NULL;
}

/* Keep "cond", which is taken, unless it is there, or changes in the loop. */
static void keep(struct asked *a, __isl_take isl_ast_expr *cond)
{
	bool known = !nvptx_is_known(&a->l->name, isl_ast_expr_copy(cond));

	for (int i = 0; i < a->n && !known; i++)
		known = isl_ast_expr_is_equal(a->cond[i], cond) == isl_bool_true;
	if (known || a->n == MOST_KEPT) {
		isl_ast_expr_free(cond);
		return;
	}
	a->cond[a->n++] = cond;
}

/* Note what the node "n" in the loop is. */
static isl_bool note(__isl_keep isl_ast_node *n, void *user)
{
	enum isl_ast_node_type type = isl_ast_node_get_type(n);
	struct asked *a = user;
	struct poly_stmt *s;
	isl_ast_expr *call;

	if (type == isl_ast_node_if)
		keep(a, isl_ast_node_if_get_cond(n));
	if (type == isl_ast_node_user) {
		s = nvptx_called(a->l->prog, n, &call);
		isl_ast_expr_free(call);
		a->fails |= !s || s->kind != POLY_POINT;
		a->n_call++;
	}
	a->fails |= type == isl_ast_node_for;
	return isl_bool_ok(!a->fails);
}

/* The loop, with what is assumed. */
static void one(const struct apart *p)
{
	int n_var = p->l->name.n;

	nvptx_for_loop(p->l, p->n, p->id, p->init, isl_ast_node_copy(p->body));
	nvptx_unbind(&p->l->name, n_var);
}

/* A loop for each answer of the conditions from number "i" on. */
static void each(const struct apart *p, const struct asked *a, int i)
{
	struct nvptx_lower *l = p->l;
	struct nvptx_assumed assumed = { .outer = l->now.assumed };
	struct nvptx_branch branch;
	LLVMValueRef holds;

	if (i == a->n) {
		one(p);
		return;
	}
	assumed.cond = a->cond[i];
	holds = nvptx_ast_condition(l->ir, nvptx_ast_expr(l,
		isl_ast_expr_copy(assumed.cond)));
	for (int no = 0; no < 2; no++) {
		assumed.holds = !no;
		l->now.assumed = &assumed;
		nvptx_if_begin(l->ir, &branch, no ? LLVMBuildNot(l->ir->b, holds,
			"") : holds, no ? "else" : "if");
		each(p, a, i + 1);
		nvptx_if_end(l->ir, &branch);
		l->now.assumed = assumed.outer;
	}
}

/* A loop where all conditions hold, and the loop as it was. */
static void all_or_none(const struct apart *p, const struct asked *a)
{
	struct nvptx_lower *l = p->l;
	const struct nvptx_assumed *before = l->now.assumed;
	struct nvptx_assumed assumed[MOST_KEPT];
	LLVMValueRef holds = nvptx_true(l->ir);
	struct nvptx_branch branch;

	for (int i = 0; i < a->n; i++) {
		assumed[i] = (struct nvptx_assumed){ a->cond[i], true,
			i ? &assumed[i - 1] : before };
		holds = LLVMBuildAnd(l->ir->b, holds,
			nvptx_ast_condition(l->ir, nvptx_ast_expr(l,
				isl_ast_expr_copy(a->cond[i]))), "");
	}
	l->now.assumed = &assumed[a->n - 1];
	nvptx_if_begin(l->ir, &branch, holds, "if");
	one(p);
	nvptx_if_end(l->ir, &branch);
	l->now.assumed = before;
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, holds, ""), "else");
	one(p);
	nvptx_if_end(l->ir, &branch);
}

bool nvptx_loops_apart(struct nvptx_lower *l, __isl_keep isl_ast_node *n,
	__isl_keep isl_id *id, LLVMValueRef init, __isl_keep isl_ast_node *body)
{
	struct apart p = { l, n, body, id, init };
	struct asked a = { .l = l };
	int loops;
	bool apart;

	if (!l->kernel->given)
		return false;
	isl_ast_node_foreach_descendant_top_down(body, &note, &a);
	loops = a.n > MOST_ASKED ? 2 : 1 << a.n;
	apart = !a.fails && a.n && a.n_call * loops <= MOST_CALLS;
	if (apart && a.n > MOST_ASKED)
		all_or_none(&p, &a);
	else if (apart)
		each(&p, &a, 0);
	for (int i = 0; i < a.n; i++)
		isl_ast_expr_free(a.cond[i]);
	return apart;
}
