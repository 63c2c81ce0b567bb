/* nvptx: what a kernel does with each array of its program. */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

static void note_read(struct poly_expr *leaf, void *user)
{
	struct nvptx_kernel_usage *u = user;

	u->read[nvptx_array_number(u->prog, leaf->array)] = true;
}

/* Note what "s" reads and writes. A reduction goes on from what its cell holds,
 * but for a fold, which begins it.
 */
static void note_point(struct nvptx_kernel_usage *u, const struct poly_stmt *s)
{
	int k = nvptx_array_number(u->prog, s->write_array);

	u->written[k] = true;
	u->read[k] |= s->reduce != POLY_OP_NONE && !s->fold;
	poly_expr_each_access(s->rhs, &note_read, u);
	poly_expr_each_gather(s->rhs, &note_read, u);
}

/* The reads of a contraction, one after another. */
struct operands {
	struct nvptx_kernel_usage *u;
	const struct poly_stmt *op;
	int n;
};

/* A contraction reads its buffers, where it has some, instead of what its
 * member names; what it gathers it reads where that lies.
 */
static void note_operand(struct poly_expr *leaf, void *user)
{
	struct operands *o = user;
	const struct poly_array *a = leaf->array;

	if (o->n < POLY_MAX_OPERAND && o->op->operand[o->n])
		a = o->op->operand[o->n];
	o->u->read[nvptx_array_number(o->u->prog, a)] = true;
	o->n++;
}

/* Note the operands of the product "s", and whether it has more loops of sums
 * than that over tiles of steps.
 */
static void note_contract(struct nvptx_kernel_usage *u, const struct poly_stmt *s)
{
	struct operands o = { u, s, 0 };

	poly_expr_each_access(s->member[0]->rhs, &note_operand, &o);
	poly_expr_each_gather(s->member[0]->rhs, &note_read, u);
	if (o.n > u->n_read)
		u->n_read = o.n;
	u->repeats |= isl_set_dim(s->domain, isl_dim_set) >
		3 + u->kernel->n_batch;
}

/* Count the dimensions in which a copy begins before the array that it reads. Copies go
 * one after another: the most of one counts.
 */
static void note_copied(struct poly_expr *leaf, void *user)
{
	struct operands *o = user;
	int pads = poly_index_pads(leaf->index, o->op->domain);

	o->u->pads = pads > o->u->pads ? pads : o->u->pads;
}

/* Add what the statement "s" and its members use to the usage "user". */
static void note_stmt(struct poly_stmt *s, void *user)
{
	struct nvptx_kernel_usage *u = user;

	if (!u->loc && s->loc.line > 0)
		u->loc = &s->loc;
	u->lanes |= s->across > 0;
	u->down |= s->down;
	u->bulk |= s->bulk;
	u->across_bytes += nvptx_across_bytes(u->kernel, s) +
		nvptx_reduce_bytes(u->kernel, s) +
		nvptx_scan_bytes(u->prog, u->kernel, s);
	if (s->kind == POLY_POINT)
		note_point(u, s);
	for (int i = 0; i < s->n_member; i++) {
		const struct poly_stmt *m = s->member[i];

		u->across_bytes += nvptx_fold_bytes(u->prog, u->kernel, m);
		if (!u->loc && m->loc.line > 0)
			u->loc = &m->loc;
		if (s->kind != POLY_CONTRACT)
			note_point(u, m);
		else
			u->written[nvptx_array_number(u->prog,
				m->write_array)] = true;
	}
	if (s->kind == POLY_CONTRACT)
		note_contract(u, s);
	if (s->kind == POLY_COPY)
		poly_expr_each_access(s->member[0]->rhs, &note_copied,
			&(struct operands){ u, s->member[0], 0 });
}

bool nvptx_is_used(const struct nvptx_kernel_usage *u, int i)
{
	return u->read[i] || u->written[i];
}

bool nvptx_is_argument(const struct nvptx_kernel_usage *u, int i)
{
	return nvptx_is_used(u, i) && u->prog->array[i]->space == POLY_GLOBAL;
}

bool nvptx_needs_map(const struct nvptx_kernel_usage *u, const struct nvptx_ir *ir,
	const struct poly_stmt *s)
{
	return nvptx_copies_boxes(ir, s) && nvptx_is_used(u,
		nvptx_array_number(u->prog, s->member[0]->write_array));
}

isl_stat nvptx_kernel_usage_init(struct nvptx_kernel_usage *u, struct nvptx_lower *l,
	__isl_keep isl_ast_node *ast)
{
	memset(u, 0, sizeof(*u));
	u->prog = l->prog;
	u->kernel = l->kernel;
	u->read = calloc(l->prog->n_array + 1, sizeof(*u->read));
	u->written = calloc(l->prog->n_array + 1, sizeof(*u->written));
	if (!u->read || !u->written)
		return isl_stat_error;
	return nvptx_ast_stmts(l->prog, ast, &note_stmt, u);
}

void nvptx_kernel_usage_clear(struct nvptx_kernel_usage *u)
{
	free(u->read);
	free(u->written);
}
