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
 * of memory in that way.
 */
#include "nvptx/nvptx_internal.h"

/* Bytes of a lane under way at one time, reads of an iteration. */
enum { BYTES = 64, MOST_TIMES = 16, MOST_READS = 2, LEAST_TIMES = 4 };

/* ---------------------------------------------------------------- which ones */

static bool is_short_code(const struct poly_expr *e)
{
	bool is = e->op != POLY_OP_DIV && e->op != POLY_OP_REM &&
		e->op != POLY_OP_SQRT && e->op != POLY_OP_GATHER &&
		!poly_op_ulp(e->op);

	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		is &= is_short_code(e->arg[i]);
	return is;
}

/* What the statements of a body are. */
struct body {
	enum poly_space space;
	bool sums;
	int n_stmt, n_read, bytes;
};

static void count_read(struct poly_expr *leaf, void *user)
{
	struct body *b = user;

	b->n_read++;
	b->bytes += poly_type_size(leaf->array->type);
}

static void look_at(struct poly_stmt *s, void *user)
{
	struct body *b = user;

	b->n_stmt++;
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

int nvptx_sum_times(struct nvptx_lower *l, __isl_keep isl_ast_node *body)
{
	struct body b = { .sums = true,
		.space = l->lanes ? POLY_REGISTER : POLY_GLOBAL };
	bool loop = false;
	int times;

	isl_ast_node_foreach_descendant_top_down(body, &find_loop, &loop);
	nvptx_ast_stmts(l->prog, body, &look_at, &b);
	if (loop || !b.sums || !b.n_read || b.n_read > MOST_READS * b.n_stmt)
		return 0;
	times = BYTES * b.n_read / (b.n_stmt * b.bytes);
	if (!l->lanes && b.n_stmt > 1)
		return 0;
	return times < 2 ? 0 : times < MOST_TIMES ? times : MOST_TIMES;
}

/* -------------------------------------------------------------------- loops */

/* The body where the iterator is "i". */
static void once(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i)
{
	int n_var = l->n_var;

	if (!LLVMIsAConstantInt(i))
		nvptx_range_set(l, i, s->range);
	nvptx_bind(l, s->iterator, i);
	nvptx_ast(l, s->body);
	nvptx_unbind(l, n_var);
}

/* The iterator "n" iterations behind "i". */
static LLVMValueRef behind(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i, int n)
{
	return nvptx_exact(l, NVPTX_EXACT_ADD, i, nvptx_int(l, n * s->step));
}

/* The least and the greatest number of iterations. */
static void count(struct nvptx_lower *l, const struct nvptx_sum *s,
	int64_t n[2])
{
	struct nvptx_range first = nvptx_range_of(l, s->init);
	struct nvptx_range last = nvptx_range_of(l, s->last);

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
	nvptx_loop_begin(l, &loop, s->name, s->init,
		nvptx_int(l, s->times * s->step));
	nvptx_range_set(l, loop.i, wide);
	c = nvptx_exact_compare(l, LLVMIntSLE,
		behind(l, s, loop.i, s->times - 1), s->last);
	nvptx_loop_body(l, &loop, c);
	for (int k = 0; k < s->times; k++)
		once(l, s, behind(l, s, loop.i, k));
	nvptx_loop_end(l, &loop, 1);
	return loop.i;
}

/* At most "n" iterations from "i" on. */
static void rest(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i, int64_t n)
{
	struct nvptx_branch branch;

	nvptx_if_begin(l, &branch, nvptx_exact_compare(l, LLVMIntSLE, i,
		s->last), "rest");
	for (int k = 0; k < n; k++) {
		LLVMValueRef at = behind(l, s, i, k), live = NULL;

		if (k) {
			live = nvptx_exact_compare(l, LLVMIntSLE, at, s->last);
			at = nvptx_exact_select(l, live, at, i);
		}
		l->live = live;
		once(l, s, at);
		l->live = NULL;
	}
	nvptx_if_end(l, &branch);
}

/* At most "n" iterations from "i" on, each dropped if it is behind the last. There
 * has been one, or there is one now: "init".
 */
static void dropped_rest(struct nvptx_lower *l, const struct nvptx_sum *s,
	LLVMValueRef i, int n)
{
	for (int k = 0; k < n; k++) {
		LLVMValueRef at = behind(l, s, i, k);
		LLVMValueRef live = nvptx_exact_compare(l, LLVMIntSLE, at,
			s->last);

		l->live = live;
		once(l, s, nvptx_exact_select(l, live, at, s->init));
		l->live = NULL;
	}
}

/* A sum into a cell of memory, of one iteration at least: what is left of many at
 * a time are half as many at a time, and so on. As nothing of it is under a
 * condition in the end, the cell is stored once.
 */
static void cell_loop(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	struct nvptx_sum part = *s;

	for (; part.times >= LEAST_TIMES; part.times /= 2)
		part.init = whole(l, &part);
	dropped_rest(l, s, part.init, LEAST_TIMES - 1);
}

void nvptx_sum_loop(struct nvptx_lower *l, const struct nvptx_sum *s)
{
	LLVMValueRef i = s->init;
	int64_t n[2];
	bool few;

	count(l, s, n);
	if (!l->lanes && n[0] > 0) {
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
