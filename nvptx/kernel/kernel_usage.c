/* nvptx: what a kernel does with each array of its program. */
#include <stdlib.h>
#include <string.h>

#include "polyir/sets/sets.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/plan/plan.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Note an access at "index" to array "k", in u->part. */
static void note_part(struct nvptx_kernel_usage *u, int k,
	__isl_keep isl_multi_pw_aff *index)
{
	const struct poly_array *a = u->prog->array[k];
	int64_t at;

	if (a->space != POLY_GLOBAL || a->n_dim < 2 || u->part[k] == -1)
		return;
	at = poly_only_value(isl_multi_pw_aff_get_at(index, 0));
	u->part[k] = u->part[k] == -2 || u->part[k] == at ? at : -1;
}

static void note_read(struct poly_expr *leaf, void *user)
{
	struct nvptx_kernel_usage *u = user;
	int k = nvptx_array_number(u->prog, leaf->array);

	u->read[k] = true;
	note_part(u, k, leaf->index);
}

/* It may be anywhere. */
static void note_gather(struct poly_expr *leaf, void *user)
{
	struct nvptx_kernel_usage *u = user;
	int k = nvptx_array_number(u->prog, leaf->array);

	u->read[k] = true;
	u->part[k] = -1;
}

/* Note what "s" reads and writes. A reduction goes on from what its cell holds,
 * but for a fold, which begins it.
 */
static void note_point(struct nvptx_kernel_usage *u, const struct poly_stmt *s)
{
	int k = nvptx_array_number(u->prog, s->write_array);

	u->written[k] = true;
	note_part(u, k, s->write_index);
	u->read[k] |= s->reduce != POLY_OP_NONE && !s->fold;
	poly_expr_each_access(s->rhs, &note_read, u);
	poly_expr_each_gather(s->rhs, &note_gather, u);
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
	if (a == leaf->array)
		note_read(leaf, o->u);
	else
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
	poly_expr_each_gather(s->member[0]->rhs, &note_gather, u);
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
	u->meets |= s->kind != POLY_POINT && s->kind != POLY_GROUP && s->kind != POLY_REDUCE;
	u->across_bytes += nvptx_across_bytes(u->kernel, s) +
		nvptx_reduce_bytes(u->kernel, s) +
		nvptx_scan_bytes(u->prog, u->kernel, s) +
		nvptx_crossed_bytes(u->prog, u->kernel, s);
	if (s->kind == POLY_POINT)
		note_point(u, s);
	for (int i = 0; i < s->n_member; i++) {
		const struct poly_stmt *m = s->member[i];

		u->across_bytes += nvptx_fold_bytes(u->prog, u->kernel, m);
		if (!u->loc && m->loc.line > 0)
			u->loc = &m->loc;
		if (s->kind != POLY_CONTRACT) {
			note_point(u, m);
		} else {
			int k = nvptx_array_number(u->prog, m->write_array);

			u->written[k] = true;
			note_part(u, k, m->write_index);
		}
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

/* Not of kernels whose arrays are found by other ways than an element's address, and not
 * where an argument would not be aligned.
 */
int64_t nvptx_part_offset(struct nvptx_lower *l, const struct nvptx_kernel_usage *u, int i)
{
	const struct poly_array *a = l->prog->array[i];
	const struct nvptx_options *o = &l->ir->m->opt;
	int64_t bytes = poly_type_size(a->type);

	if (u->part[i] <= 0 || a->space != POLY_GLOBAL || a->stride || a->scattered ||
	    a->gathered || l->kernel->near || l->kernel->ranked || u->bulk || o->checked ||
	    o->wide)
		return 0;
	for (int d = 1; d < a->n_dim; d++) {
		int64_t n = nvptx_fixed_extent(l, a, d);

		if (n <= 0 || bytes > INT32_MAX)
			return 0;
		bytes *= n;
	}
	return bytes > INT32_MAX || bytes % POLY_RUN_BYTES || u->part[i] > INT32_MAX ? 0 :
		bytes * u->part[i];
}

bool nvptx_needs_map(const struct nvptx_kernel_usage *u, const struct nvptx_ir *ir,
	const struct poly_stmt *s)
{
	return nvptx_copies_boxes(ir, s) && nvptx_is_used(u,
		nvptx_array_number(u->prog, s->member[0]->write_array));
}

bool nvptx_kernel_usage_alloc(struct nvptx_kernel_usage *u, const struct poly_prog *prog)
{
	u->read = calloc(prog->n_array + 1, sizeof(*u->read));
	u->written = calloc(prog->n_array + 1, sizeof(*u->written));
	u->part = calloc(prog->n_array + 1, sizeof(*u->part));
	return u->read && u->written && u->part;
}

isl_stat nvptx_kernel_usage_init(struct nvptx_kernel_usage *u, struct nvptx_lower *l,
	__isl_keep isl_ast_node *ast)
{
	memset(u, 0, sizeof(*u));
	u->prog = l->prog;
	u->kernel = l->kernel;
	u->tiles = 1;
	if (!nvptx_kernel_usage_alloc(u, l->prog))
		return isl_stat_error;
	for (int i = 0; i < l->prog->n_array; i++)
		u->part[i] = -2;
	return nvptx_ast_stmts(l->prog, ast, &note_stmt, u);
}

void nvptx_kernel_usage_clear(struct nvptx_kernel_usage *u)
{
	free(u->read);
	free(u->written);
	free(u->part);
}
