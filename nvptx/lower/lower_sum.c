/* nvptx: loops of a thread that adds up what it reads.
 *
 * Such a loop waits for memory: a thread must have many loads under way at one
 * time, in the last iterations, too. So several iterations go together, and
 * what is left at the end is no loop: a value behind the last one is loaded
 * from the place of the first of these, and dropped.
 *
 *	for (i = 0; i <= n; i++)	for (i = 0; i + 7 <= n; i += 8)
 *		p += a[i];			p += a[i]; .. p += a[i + 7];
 *					if (i <= n) {
 *						p += a[i];
 *						q = p + a[i + 1 <= n ? i + 1 : i];
 *						p = i + 1 <= n ? q : p; ..
 *					}
 *
 * This needs iterations that only read memory, and that may be run for nothing:
 * updates of registers, by arithmetic that takes little code.
 *
 * A kernel that adds the parts of a sum, as many as a launch wants, updates a cell
 * of memory in that way, or a run of cells side by side. While the loop runs they
 * are in registers; what is left at the end has code of its own for each number of
 * iterations, so that all loads of it are under way at one time:
 *
 *	x = *c;
 *	for (i = 0; i + 15 <= n; i += 16)
 *		x += a[i]; .. x += a[i + 15];
 *	switch (n + 1 - i) {
 *	case 1:  x += a[i]; break;
 *	case 2:  x += a[i]; x += a[i + 1]; break; ..
 *	}
 *	*c = x;
 */
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Bytes of a lane under way at one time, reads of an iteration. */
enum { BYTES = 64, MOST_TIMES = 16, MOST_READS = 2 };

/* ---------------------------------------------------------------- which ones */

/* Does "e" take few instructions: no division, root or function, and no index
 * that is data?
 */
static bool is_short_code(const struct poly_expr *e)
{
	bool is = e->op != POLY_OP_DIV && e->op != POLY_OP_REM &&
		e->op != POLY_OP_SQRT && e->op != POLY_OP_GATHER &&
		e->op != POLY_OP_LOOP &&
		!poly_op_ulp(e->op);

	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		is &= is_short_code(e->arg[i]);
	return is;
}

/* What the statements of a body are: of "kind" if all are one statement, whose
 * reads do not touch what it writes.
 */
struct body {
	enum poly_space space;
	bool sums, same;
	const struct poly_stmt *kind;
	int n_stmt, n_read, bytes;
};

/* Count a read and its bytes; one of the array that is written makes the body
 * no sum.
 */
static void count_read(struct poly_expr *leaf, void *user)
{
	struct body *b = user;

	b->n_read++;
	b->bytes += poly_type_size(leaf->array->type);
	b->same &= leaf->array != b->kind->write_array;
}

/* Note one more statement of the body: is it the same as those before, and an
 * update of an array of the space whose code is short?
 */
static void look_at(struct poly_stmt *s, void *user)
{
	struct body *b = user;

	b->same &= !b->n_stmt++ || b->kind == s;
	b->kind = s;
	b->sums &= s->kind == POLY_POINT && s->reduce != POLY_OP_NONE &&
		s->write_array->space == b->space && is_short_code(s->rhs);
	poly_expr_each_access(s->rhs, count_read, b);
}

/* Note in "user" that there is a loop. */
static isl_bool find_loop(__isl_keep isl_ast_node *n, void *user)
{
	bool *found = user;

	*found |= isl_ast_node_get_type(n) == isl_ast_node_for &&
		isl_ast_node_for_is_degenerate(n) != isl_bool_true;
	return isl_bool_ok(!*found);
}

/* Whether the cell of a statement moves with the loop over "id". */
struct moving {
	struct nvptx_lower *l;
	isl_id *id;
	bool moves;
};

/* Does "e", which is taken, have "id" in it? */
static bool has_id(__isl_take isl_ast_expr *e, __isl_keep isl_id *id)
{
	bool has = false;

	if (isl_ast_expr_get_type(e) == isl_ast_expr_id) {
		isl_id *own = isl_ast_expr_id_get_id(e);

		has = own == id;
		isl_id_free(own);
	} else if (isl_ast_expr_get_type(e) == isl_ast_expr_op) {
		isl_size n = isl_ast_expr_op_get_n_arg(e);

		for (int i = 0; i < n && !has; i++)
			has = has_id(isl_ast_expr_op_get_arg(e, i), id);
	}
	isl_ast_expr_free(e);
	return has;
}

/* Note if the cell of a statement has an index that the iterator is in. */
static isl_bool find_moving(__isl_keep isl_ast_node *n, void *user)
{
	struct moving *m = user;
	isl_ast_expr *call;
	struct poly_stmt *s;
	int dim;

	if (isl_ast_node_get_type(n) != isl_ast_node_user)
		return isl_bool_true;
	s = nvptx_called(m->l->prog, n, &call);
	dim = s ? isl_set_dim(s->domain, isl_dim_set) : 0;
	for (int i = 0; i < dim; i++)
		m->moves |= isl_multi_pw_aff_involves_dims(s->write_index,
			isl_dim_in, i, 1) != isl_bool_false &&
			has_id(isl_ast_expr_op_get_arg(call, i + 1), m->id);
	isl_ast_expr_free(call);
	return isl_bool_false;
}

/* Are the cells of "b" the same in all iterations, and few enough for registers? */
static bool cells_stay(struct nvptx_lower *l, const struct nvptx_sum *s,
	const struct body *b)
{
	struct moving m = { l, s->id, false };

	isl_ast_node_foreach_descendant_top_down(s->body, &find_moving, &m);
	return b->same && !m.moves && s->step == 1 && !b->kind->atomic &&
		!b->kind->across && b->n_stmt <= NVPTX_MAX_CELLS;
}

int nvptx_sum_times(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	struct body b = { .sums = true, .same = true,
		.space = l->fact.lanes ? POLY_REGISTER : POLY_GLOBAL };
	bool loop = false;
	int times;

	isl_ast_node_foreach_descendant_top_down(s->body, &find_loop, &loop);
	nvptx_ast_stmts(l->prog, s->body, &look_at, &b);
	if (loop || !b.sums || !b.n_read || b.n_read > MOST_READS * b.n_stmt)
		return 0;
	if (!l->fact.lanes)
		return cells_stay(l, s, &b) ? MOST_TIMES : 0;
	times = BYTES * b.n_read / (b.n_stmt * b.bytes);
	return times < 2 ? 0 : times < MOST_TIMES ? times : MOST_TIMES;
}

/* -------------------------------------------------------------------- loops */

/* The body where the iterator is "i". */
static void once(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i)
{
	int n_var = l->name.n;

	if (!LLVMIsAConstantInt(i))
		nvptx_range_set(l->ir, i, s->range);
	nvptx_bind(l, s->iterator, i);
	nvptx_ast(l, s->body);
	nvptx_unbind(&l->name, n_var);
}

/* The iterator "n" iterations behind "i". */
static LLVMValueRef behind(struct nvptx_ir *ir, const struct nvptx_sum *s,
	LLVMValueRef i, int n)
{
	return nvptx_exact(ir, NVPTX_EXACT_ADD, i, nvptx_int(ir, n * s->step));
}

/* The least and the greatest number of iterations. */
static void count(struct nvptx_ir *ir, const struct nvptx_sum *s,
	int64_t n[2])
{
	struct nvptx_range first = nvptx_range_of(ir, s->init);
	struct nvptx_range last = nvptx_range_of(ir, s->last);

	n[0] = (last.lo - first.hi) / s->step + 1;
	n[1] = (last.hi - first.lo) / s->step + 1;
}

/* All iterations but fewer than "times". Returns the next one. */
static LLVMValueRef whole(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	struct nvptx_range wide = s->range;
	struct nvptx_loop loop;
	LLVMValueRef c;

	wide.hi += s->times * s->step;
	nvptx_loop_begin(l->ir, &loop, s->name, s->init,
		nvptx_int(l->ir, s->times * s->step));
	nvptx_range_set(l->ir, loop.i, wide);
	c = nvptx_exact_compare(l->ir, LLVMIntSLE,
		behind(l->ir, s, loop.i, s->times - 1), s->last);
	nvptx_loop_body(l->ir, &loop, c);
	for (int k = 0; k < s->times; k++)
		once(l, s, behind(l->ir, s, loop.i, k));
	nvptx_loop_end(l->ir, &loop, 1);
	return loop.i;
}

/* At most "n" iterations from "i" on. */
static void rest(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i, int64_t n)
{
	struct nvptx_branch branch;

	nvptx_if_begin(l->ir, &branch, nvptx_exact_compare(l->ir, LLVMIntSLE, i,
		s->last), "rest");
	for (int k = 0; k < n; k++) {
		LLVMValueRef at = behind(l->ir, s, i, k), live = NULL;

		if (k) {
			live = nvptx_exact_compare(l->ir, LLVMIntSLE, at,
				s->last);
			at = nvptx_exact_select(l->ir, live, at, i);
		}
		l->now.live = live;
		once(l, s, at);
		l->now.live = NULL;
	}
	nvptx_if_end(l->ir, &branch);
}

/* ------------------------------------------------------------ cells of memory */

/* Move the cells of "s" to registers, or back. */
static void move_cells(struct nvptx_lower *l, const struct nvptx_sum *s,
	struct nvptx_cells *cells, enum nvptx_cells_way way)
{
	cells->way = way;
	cells->at = 0;
	l->cells = cells;
	once(l, s, s->init);
	l->cells = NULL;
}

/* Let LLVM not see that the cells get what others do, too: it would move that, and
 * the last loads with it, behind all of them.
 */
static void hide_cells(struct nvptx_lower *l)
{
	for (int k = 0; k < l->cells->n; k++) {
		LLVMValueRef room = l->cells->room[k];
		LLVMValueRef v = LLVMBuildLoad2(l->ir->b,
			LLVMGetAllocatedType(room), room, "");

		v = nvptx_hw(l->ir, NVPTX_HW_HIDE, &v, 1, "");
		LLVMBuildStore(l->ir->b, v, room);
	}
}

/* As many iterations as are left, from "i" on, which are fewer than s->times. */
static void each_rest(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i)
{
	LLVMValueRef left = nvptx_exact(l->ir, NVPTX_EXACT_SUB,
		nvptx_exact(l->ir, NVPTX_EXACT_ADD, s->last, nvptx_int(l->ir,
		1)), i);
	LLVMBasicBlockRef end = nvptx_block(l->ir, "rest.end"), at;
	LLVMValueRef choice = LLVMBuildSwitch(l->ir->b, left, end,
		s->times - 1);
	int n_seen = l->ir->n_seen;

	for (int n = 1; n < s->times; n++) {
		at = nvptx_block(l->ir, "rest");
		LLVMAddCase(choice, LLVMConstInt(LLVMTypeOf(left), n, 0), at);
		LLVMPositionBuilderAtEnd(l->ir->b, at);
		for (int k = 0; k < n; k++)
			once(l, s, behind(l->ir, s, i, k));
		hide_cells(l);
		LLVMBuildBr(l->ir->b, end);
		l->ir->n_seen = n_seen;
	}
	LLVMMoveBasicBlockAfter(end, LLVMGetInsertBlock(l->ir->b));
	LLVMPositionBuilderAtEnd(l->ir->b, end);
}

/* A sum into cells of memory, of one iteration at least. */
static void cell_loop(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	struct nvptx_cells cells = { .n = 0 };
	LLVMValueRef i;

	move_cells(l, s, &cells, NVPTX_CELLS_LOAD);
	cells.way = NVPTX_CELLS_ADD;
	cells.at = 0;
	l->cells = &cells;
	i = whole(l, s);
	each_rest(l, s, i);
	move_cells(l, s, &cells, NVPTX_CELLS_STORE);
}

void nvptx_sum_loop(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	LLVMValueRef i = s->init;
	int64_t n[2];
	bool few;

	count(l->ir, s, n);
	if (!l->fact.lanes && n[0] > 0) {
		cell_loop(l, s);
		return;
	}
	few = n[1] <= (n[0] == n[1] ? 2 : 1) * s->times;
	if (!few)
		i = whole(l, s);
	if (few)
		rest(l, s, i, n[1]);
	else if (n[0] > 0 && n[0] / s->times == n[1] / s->times)
		rest(l, s, i, n[1] % s->times);
	else
		rest(l, s, i, s->times - 1);
}

/* ------------------------------------------------------------- unrolling */

/* A loop whose iterator stays below it is short. */
enum { SHORT_LOOP = 64 };

static void count_one(struct poly_expr *leaf, void *user)
{
	int *n = user;

	*n += leaf != NULL;
}

/* Is "body" nothing but an update of a reduction that reads little? */
static bool is_sum(struct poly_prog *prog, __isl_keep isl_ast_node *body)
{
	isl_ast_expr *call;
	struct poly_stmt *s;
	int n = 0;

	if (isl_ast_node_get_type(body) != isl_ast_node_user)
		return false;
	s = nvptx_called(prog, body, &call);
	isl_ast_expr_free(call);
	if (!s || s->kind != POLY_POINT || s->reduce == POLY_OP_NONE)
		return false;
	poly_expr_each_access(s->rhs, count_one, &n);
	return n > 0 && n <= 2;
}

/* Where a thread, or a lane, goes through a sum, several of its loads shall be under
 * way: 64 bytes, or 8 if they are short. Of a short loop LLVM leaves nothing.
 */
int nvptx_unrolling(struct nvptx_lower *l, __isl_keep isl_ast_node *body,
	struct nvptx_range r)
{
	bool is_short = r.lo >= 0 && r.hi < SHORT_LOOP && !l->fact.lanes;

	if (l->kernel->tiled || l->ir->m->opt.device != NVPTX_GPU ||
	    is_short || (!l->fact.lanes && !is_sum(l->prog, body)))
		return 0;
	return l->kernel->vec_k > 1 ? 4 : 8;
}
