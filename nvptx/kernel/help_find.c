/* nvptx: which kernels have blocks that help one another with long loops (help.c). */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Features side by side; loops on the list, of one cell and of WIDTH of them; steps of a
 * thread for which a loop is long, and that a thread has of a chunk, at least; chunks of
 * a loop of WIDTH cells with which its block is left alone.
 *
 * The list has room for the longest rows of 10^5 whose lengths follow a power law.
 */
enum { WIDTH = 32, LOOPS = 256, WIDE_LOOPS = 512, STEPS = 128, CHUNK_STEPS = 8, ALONE = 8 };
/* Lanes that a loop without lanes is thought to have. */
enum { NO_LANES = 4 };

/* Arrays that the kernel's statements write, and whether something reads one. */
struct written {
	struct poly_stmt **list;
	int n;
	bool read;
};

static void note_read(struct poly_expr *leaf, void *user)
{
	struct written *w = user;

	for (int i = 0; i < w->n; i++)
		w->read |= w->list[i]->write_array == leaf->array;
}

/* Has the kernel one LOOP, which needs nothing that the kernel writes but its cell, so that
 * it can be computed in front of all others, and by other blocks?
 */
static bool find_loop(struct nvptx_lower *l, struct nvptx_help *h)
{
	struct written w = { .n = 0 };
	bool ok = true;

	w.list = poly_kernel_stmts(l->prog, l->kernel, &w.n);
	for (int i = 0; w.list && i < w.n && ok; i++) {
		const struct poly_stmt *s = w.list[i];

		ok = !s->atomic && !s->fold;
		if (!s->rhs || !poly_expr_has(s->rhs, POLY_OP_LOOP, -1))
			continue;
		ok = ok && !h->stmt && s->rhs->op == POLY_OP_LOOP;
		h->stmt = s;
	}
	h->op = ok && h->stmt ? poly_loop_operator(l->prog, h->stmt) :
		POLY_OP_NONE;
	for (int i = 0; i < 4 && h->op != POLY_OP_NONE; i++) {
		if (i == 2)
			continue;
		poly_expr_each_access(h->stmt->rhs->arg[i], note_read, &w);
		poly_expr_each_gather(h->stmt->rhs->arg[i], note_read, &w);
	}
	free(w.list);
	return h->op != POLY_OP_NONE && !w.read;
}

/* Whether loops of the AST, of more than one iteration, stand around the statement. */
struct around {
	struct nvptx_lower *l;
	const struct poly_stmt *stmt;
	bool found;
};

static void note_stmt(struct poly_stmt *s, void *user)
{
	struct around *a = user;

	a->found |= s == a->stmt;
	for (int i = 0; i < s->n_member; i++)
		a->found |= s->member[i] == a->stmt;
}

static isl_bool note_loop(__isl_keep isl_ast_node *n, void *user)
{
	struct around *a = user;

	if (isl_ast_node_get_type(n) != isl_ast_node_for ||
	    isl_ast_node_for_is_degenerate(n) == isl_bool_true)
		return isl_bool_true;
	nvptx_ast_stmts(a->l->prog, n, note_stmt, a);
	return isl_bool_false;
}

/* Is the lane of "h" the thread along axis 1, and are there no others? */
static bool has_lanes(const struct nvptx_lower *l, struct nvptx_help *h)
{
	const struct poly_expr *low = h->stmt->rhs->arg[0];

	h->lanes = h->stmt->rhs->stride;
	h->width = 1;
	h->rows = h->threads / h->lanes;
	h->n_index = isl_set_dim(h->stmt->domain, isl_dim_set);
	if (h->lanes > 1)
		h->lane = low->arg[1];
	return h->n_index <= NVPTX_HELP_INDEX && (h->lanes == 1 ||
		(h->lanes == l->kernel->thread[1] && low->op == POLY_OP_ADD &&
		h->lane->op == POLY_OP_INDEX));
}

/* Do bounds of the loop stay the same along axis 1 of the tile? */
static bool has_features(const struct nvptx_lower *l, struct nvptx_help *h)
{
	const struct poly_stmt *s = h->stmt;
	const int *tile = l->kernel->tile;
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	bool same = isl_multi_aff_dim(s->at, isl_dim_in) == 2 &&
		s->rhs->stride == 1 && isl_multi_aff_involves_locals(s->at) ==
		isl_bool_false;

	for (int d = 0; d < n && same; d++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, d);

		same = isl_aff_involves_dims(aff, isl_dim_in, 1, 1) ==
			isl_bool_false || !(poly_expr_moves(s->rhs->arg[0], d) ||
			poly_expr_moves(s->rhs->arg[1], d));
		isl_aff_free(aff);
	}
	h->by_points = true;
	h->lanes = 1;
	h->n_index = 2;
	h->width = tile[1] < WIDTH ? tile[1] : WIDTH;
	h->rows = tile[0] * (tile[1] / h->width);
	return same && tile[1] % h->width == 0 && h->rows <= h->threads &&
		h->threads % h->width == 0;
}

/* Has a tiled kernel but one operation for all points of a tile, and one tile a block? */
static bool is_simple(struct nvptx_lower *l)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);
	bool simple = op && (!l->kernel->tiled || (n == 1 &&
		op[0]->kind == POLY_GROUP && !l->kernel->tile_k));

	isl_union_set_free(domain);
	free(op);
	return simple;
}

bool nvptx_find_help(struct nvptx_lower *l, struct nvptx_help *h,
	__isl_keep isl_ast_node *ast)
{
	const struct poly_kernel *k = l->kernel;
	struct around around = { .l = l };
	bool helped = l->prog->request.helped;

	*h = (struct nvptx_help){ .threads = k->thread[0] * k->thread[1] };
	if (l->ir->m->opt.wide || k->blocks || k->block || k->together ||
	    k->given || k->cluster[0] * k->cluster[1] > 1 || k->near ||
	    k->ranked || (h->threads & (h->threads - 1)) || !is_simple(l) ||
	    !find_loop(l, h))
		return false;
	around.stmt = h->stmt;
	isl_ast_node_foreach_descendant_top_down(ast, &note_loop, &around);
	if (around.found || !(k->tiled ? has_features(l, h) : has_lanes(l, h)))
		return false;
	h->loops = h->width > 1 ? WIDE_LOOPS : LOOPS;
	h->alone = h->width > 1 && !helped ? ALONE : 1;
	h->most = helped ? 2 : STEPS * (h->lanes > 1 ? h->lanes : NO_LANES);
	h->chunk = helped ? 3 : CHUNK_STEPS * (h->threads / h->width);
	h->chunk = h->width > 1 && !helped ? 4 * CHUNK_STEPS * (h->threads / h->width) :
		h->chunk;
	return true;
}
