/* nvptx: which kernels have long loops that launches of their own make (help.c), and which
 * loops these have.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/ilp.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"
#include "nvptx/lower/lower.h"
#include "nvptx/kernel/kernel.h"

/* Loops of a thread in the order of the text of which warps, which take an eighth of the time
 * for a step, make no more sooner than threads do; steps for which one of fewer is long.
 */
enum { FEW_LOOPS = 32768, ORDERED_STEPS = 256 };
/* Features of a piece; steps of a lane for which a loop is long, of one of many features,
 * and of one without lanes; steps of a piece, and of one of many features. Room for pieces
 * of loops that are hardly longer than others, and where nothing says how many steps all
 * have. A loop is not long if it has no more steps than FAR times what all have in the mean:
 * others have as many.
 */
enum { WIDTH = 32, LANE_STEPS = 48, WIDE_STEPS = 128, ALONE_STEPS = 64, PIECE = 512,
	WIDE_PIECE = 128, SPARE = 64, ROOM = 65536, FAR = 4 };

/* Arrays that the kernel's statements write, and whether something reads one. */
struct written {
	struct poly_stmt **list;
	int n;
	const struct poly_stmt *loop;
	bool read;
};

static void note_read(struct poly_expr *leaf, void *user)
{
	struct written *w = user;

	for (int i = 0; i < w->n; i++)
		w->read |= w->list[i]->write_array == leaf->array;
}

/* Does what the LOOP begins with need nothing that another statement writes, nor another cell
 * of its own array? Then it is there before the kernel begins.
 */
static void note_first(struct poly_expr *leaf, void *user)
{
	struct written *w = user;
	const struct poly_stmt *s = w->loop;

	for (int i = 0; i < w->n; i++)
		w->read |= w->list[i]->write_array == leaf->array &&
			(w->list[i] != s || leaf->op != POLY_OP_ACCESS ||
			isl_multi_pw_aff_plain_is_equal(leaf->index,
			s->write_index) != isl_bool_true);
}

/* Has the kernel one LOOP, which needs nothing that the kernel writes but its cell, so that
 * it can be computed in front of all others, and by other blocks? Where its steps stay in
 * their order, what it begins with is computed there, too.
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
	w.loop = h->stmt;
	h->op = ok && h->stmt ? poly_loop_adds(h->stmt) : POLY_OP_NONE;
	if (h->op != POLY_OP_NONE && poly_loop_operator(l->prog, h->stmt) !=
	    POLY_OP_NONE)
		h->ordered = false;
	else if (h->op == POLY_OP_ADD || h->op == POLY_OP_SUB || h->op == POLY_OP_MUL ||
		 (h->op == POLY_OP_DIV && !l->ir->m->opt.ring))
		h->ordered = true;
	else
		h->op = POLY_OP_NONE;
	for (int i = 0; i < 4 && h->op != POLY_OP_NONE; i++) {
		void (*note)(struct poly_expr *leaf, void *user) = i == 2 ? note_first :
			note_read;

		if (i == 2 && !h->ordered)
			continue;
		poly_expr_each_access(h->stmt->rhs->arg[i], note, &w);
		poly_expr_each_gather(h->stmt->rhs->arg[i], note, &w);
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
	h->width = h->run = 1;
	if (h->lanes > 1)
		h->lane = low->arg[1];
	return h->lanes == 1 || (h->lanes == l->kernel->thread[1] &&
		low->op == POLY_OP_ADD && h->lane->op == POLY_OP_INDEX);
}

/* Do bounds of the loop stay the same along axis 1 of the tile? Of loops whose steps stay in
 * their order each point may have one, which a warp makes.
 */
static bool has_features(const struct nvptx_lower *l, struct nvptx_help *h)
{
	const struct poly_stmt *s = h->stmt;
	const int *tile = l->kernel->tile;
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	bool is = isl_multi_aff_dim(s->at, isl_dim_in) == 2 && s->rhs->stride == 1 &&
		isl_multi_aff_involves_locals(s->at) == isl_bool_false;
	bool same = is;

	for (int d = 0; d < n && same; d++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, d);

		same = isl_aff_involves_dims(aff, isl_dim_in, 1, 1) ==
			isl_bool_false || !(poly_expr_moves(s->rhs->arg[0], d) ||
			poly_expr_moves(s->rhs->arg[1], d));
		isl_aff_free(aff);
	}
	h->by_points = true;
	h->lanes = 1;
	h->width = tile[1] < WIDTH ? tile[1] : WIDTH;
	h->run = 1;
	same = same && tile[1] % h->width == 0 && !(h->width & (h->width - 1));
	if (is && !same && h->ordered)
		h->width = 1;
	return same || (is && h->ordered);
}

/* Has a tiled kernel but one operation for all points of a tile, and one tile a block? */
static bool is_simple(struct nvptx_lower *l)
{
	isl_union_set *domain = poly_kernel_domain(l->prog, l->kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(l->prog, domain, &n);
	bool simple = op && (!l->kernel->tiled || (n == 1 &&
		op[0]->kind == POLY_GROUP && !l->kernel->tile_k &&
		!l->kernel->n_batch));

	isl_union_set_free(domain);
	free(op);
	return simple;
}

/* ------------------------------------------------------------- its loops */

/* The instances of the loops of a launch, with lanes each but the first. */
static __isl_give isl_set *instances(struct nvptx_lower *l, const struct nvptx_help *h)
{
	isl_space *space = isl_set_get_space(h->stmt->domain);
	isl_union_set *all = poly_kernel_domain(l->prog, l->kernel);
	isl_set *set = isl_union_set_extract_set(all, isl_space_copy(space));
	isl_multi_union_pw_aff *launch = poly_kernel_launch(l->prog, l->kernel);
	int n = poly_kernel_n_host(l->prog, l->kernel);

	for (int i = 0; i < n; i++) {
		isl_union_pw_aff *of = isl_multi_union_pw_aff_get_at(launch, i);
		isl_pw_aff *at = isl_union_pw_aff_extract_pw_aff(of,
			isl_space_copy(space));
		isl_id *name = isl_id_alloc(l->prog->ctx, poly_coordinate(
			l->prog, POLY_LAUNCH + i), NULL);

		isl_union_pw_aff_free(of);
		set = isl_set_intersect(set, isl_pw_aff_eq_set(at,
			isl_pw_aff_param_on_domain_id(isl_set_universe(
			isl_space_copy(space)), name)));
	}
	isl_multi_union_pw_aff_free(launch);
	isl_union_set_free(all);
	isl_space_free(space);
	if (h->lane)
		set = isl_set_intersect(set, isl_pw_aff_zero_set(
			isl_multi_pw_aff_get_at(h->lane->index, 0)));
	return isl_set_intersect_params(set, isl_set_copy(l->fact.known));
}

/* Dimension "d" of the box around "set": from "low" on, "size" long, NULL if that is 1;
 * false if that takes more than one formula each.
 */
static bool find_side(struct nvptx_lower *l, __isl_keep isl_set *set, int d,
	isl_pw_aff **low, isl_pw_aff **size)
{
	isl_pw_aff *high = isl_set_dim_max(isl_set_copy(set), d);
	isl_set *known = isl_set_copy(l->fact.known);
	bool one, simple;

	*low = isl_pw_aff_gist_params(isl_set_dim_min(isl_set_copy(set), d),
		isl_set_copy(known));
	high = isl_pw_aff_gist_params(high, known);
	simple = isl_pw_aff_n_piece(*low) == 1 && isl_pw_aff_n_piece(high) == 1;
	*size = isl_pw_aff_add_constant_val(isl_pw_aff_sub(high, isl_pw_aff_copy(
		*low)), isl_val_one(l->prog->ctx));
	one = isl_pw_aff_is_cst(*size) == isl_bool_true &&
		isl_pw_aff_n_piece(*size) == 1;
	if (one) {
		isl_val *v = isl_pw_aff_max_val(isl_pw_aff_copy(*size));

		one = isl_val_is_one(v) == isl_bool_true;
		isl_val_free(v);
	}
	if (one)
		*size = isl_pw_aff_free(*size);
	return simple;
}

/* Where the loops are that the launch has, as a box around them. Points of tiles begin at
 * 0; along axis 1 they are counted in pieces.
 */
static bool find_box(struct nvptx_lower *l, struct nvptx_help *h)
{
	const struct poly_kernel *k = l->kernel;
	bool ok = true;

	if (h->by_points) {
		h->n = 2;
		h->domain = isl_set_preimage_multi_aff(isl_set_copy(
			h->stmt->domain), isl_multi_aff_copy(h->stmt->at));
		for (int d = 0; d < 2; d++)
			h->size[d] = isl_pw_aff_scale_val(isl_pw_aff_copy(
				k->grid[d]), isl_val_int_from_si(l->prog->ctx,
				k->tile[d] / (d ? h->width : 1)));
		return true;
	}
	h->domain = instances(l, h);
	h->n = isl_set_dim(h->domain, isl_dim_set);
	if (h->n > NVPTX_HELP_INDEX || isl_set_is_empty(h->domain) != isl_bool_false) {
		h->n = 0;
		return false;
	}
	for (int d = 0; d < h->n; d++)
		ok &= find_side(l, h->domain, d, &h->low[d], &h->size[d]);
	return ok;
}

/* How many elements a row has of which "leaf" gathers at the loop's step; kept in "user",
 * unless that is known.
 */
static void note_steps(struct poly_expr *leaf, void *user)
{
	isl_pw_aff **all = user;
	const struct poly_expr *at = leaf->arg[0];

	while (at->op == POLY_OP_CAST)
		at = at->arg[0];
	if (!*all && at->op == POLY_OP_STEP && leaf->array->n_dim == 1)
		*all = isl_multi_pw_aff_get_at(leaf->array->extent, 0);
}

/* "a" / "by", rounded down. */
static __isl_give isl_pw_aff *share(__isl_keep isl_pw_aff *a, int by)
{
	return isl_pw_aff_floor(isl_pw_aff_scale_down_val(isl_pw_aff_copy(a),
		isl_val_int_from_si(isl_pw_aff_get_ctx(a), by)));
}

/* Room for pieces. Rows of a matrix have no element together: of loops that are long there
 * are so few, and their pieces are as many as these, and one more for each.
 */
static __isl_give isl_pw_aff *find_room(struct nvptx_lower *l, struct nvptx_help *h)
{
	isl_pw_aff *steps = NULL, *room;

	poly_expr_each_gather(h->stmt->rhs->arg[3], note_steps, &steps);
	if (!steps)
		return isl_pw_aff_val_on_domain(isl_set_universe(isl_set_get_space(
			l->fact.known)), isl_val_int_from_si(l->prog->ctx, ROOM));
	room = isl_pw_aff_add(share(steps, h->most), share(steps, h->piece));
	isl_pw_aff_free(steps);
	return isl_pw_aff_add_constant_val(room, isl_val_int_from_si(l->prog->ctx,
		SPARE));
}

/* How many features side by side a lane may have: those of a run, if all of these are
 * there where the first is.
 */
static int find_run(struct nvptx_lower *l, const struct nvptx_help *h)
{
	int run = l->kernel->vec[1];
	isl_set *first, *all_there;
	isl_multi_aff *last;
	isl_bool all;

	if (!h->by_points || h->ordered || run < 2 || run > NVPTX_MAX_RUN || run > h->width ||
	    h->width % run || l->ir->m->opt.checked)
		return 1;
	last = isl_multi_aff_identity_on_domain_space(isl_set_get_space(h->domain));
	last = isl_multi_aff_set_at(last, 1, isl_aff_add_constant_si(
		isl_multi_aff_get_at(last, 1), run - 1));
	first = isl_set_intersect_params(isl_set_copy(h->domain), isl_set_copy(
		l->fact.known));
	first = isl_set_intersect(first, isl_pw_aff_zero_set(isl_pw_aff_mod_val(
		isl_pw_aff_from_aff(isl_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(first)), isl_dim_set, 1)), isl_val_int_from_si(
		l->prog->ctx, run))));
	all_there = isl_set_preimage_multi_aff(isl_set_copy(h->domain), last);
	all = isl_set_is_subset(first, all_there);
	isl_set_free(all_there);
	isl_set_free(first);
	return all == isl_bool_true ? run : 1;
}

/* The greatest value of "pa", or 1 if that is less or not known. */
static double most_of(struct nvptx_lower *l, __isl_keep isl_pw_aff *pa)
{
	return fmax((double)poly_greatest(l->prog, pa), 1);
}

/* How many steps a loop has in the mean, where sizes are fixed and say how many all have
 * together; else 0.
 */
static double mean_steps(struct nvptx_lower *l, const struct nvptx_help *h)
{
	isl_pw_aff *steps = NULL;
	double mean;

	if (!poly_prog_is_fixed(l->prog))
		return 0;
	poly_expr_each_gather(h->stmt->rhs->arg[3], note_steps, &steps);
	mean = steps ? most_of(l, steps) : 0;
	isl_pw_aff_free(steps);
	for (int d = 0; d < h->n; d++)
		if (h->size[d])
			mean /= most_of(l, h->size[d]);
	return mean;
}

/* Are there so few loops, of whose steps the order stays, that each had better have a warp? */
static bool are_few(struct nvptx_lower *l, const struct nvptx_help *h)
{
	double n = 1;

	for (int d = 0; d < h->n; d++)
		if (h->size[d])
			n *= most_of(l, h->size[d]);
	return h->ordered && h->width == 1 && poly_prog_is_fixed(l->prog) &&
		n <= FEW_LOOPS;
}

void nvptx_help_clear(struct nvptx_help *h)
{
	for (int d = 0; d < NVPTX_HELP_INDEX; d++) {
		h->low[d] = isl_pw_aff_free(h->low[d]);
		h->size[d] = isl_pw_aff_free(h->size[d]);
	}
	h->domain = isl_set_free(h->domain);
	h->room = isl_pw_aff_free(h->room);
}

bool nvptx_may_help(struct nvptx_lower *l)
{
	const struct poly_kernel *k = l->kernel;
	int n = 0;
	struct poly_stmt **list = poly_kernel_stmts(l->prog, k, &n);
	bool may = false;

	for (int i = 0; list && i < n; i++)
		may |= list[i]->rhs && list[i]->rhs->op == POLY_OP_LOOP;
	free(list);
	return may && !l->ir->m->opt.wide && !k->blocks && !k->block &&
		!k->together && !k->given && k->cluster[0] * k->cluster[1] <= 1 &&
		!k->near && !k->ranked && k->thread[0] * k->thread[1] %
		POLY_LANES == 0 && !l->prog->n_hidden;
}

/* Has the kernel whose code is "ast" such loops, each of a thread or a lane? */
static bool are_loops(struct nvptx_lower *l, struct nvptx_help *h,
	__isl_keep isl_ast_node *ast)
{
	struct around around = { .l = l };

	if (!nvptx_may_help(l) || !is_simple(l) || !find_loop(l, h))
		return false;
	around.stmt = h->stmt;
	isl_ast_node_foreach_descendant_top_down(ast, &note_loop, &around);
	return !around.found && (l->kernel->tiled ? has_features(l, h) : has_lanes(l, h));
}

bool nvptx_find_help(struct nvptx_lower *l, struct nvptx_help *h,
	__isl_keep isl_ast_node *ast)
{
	const struct poly_kernel *k = l->kernel;
	bool helped = l->prog->request.helped;

	*h = (struct nvptx_help){ .threads = k->thread[0] * k->thread[1],
		.part = NVPTX_HELP_USES };
	if (!are_loops(l, h, ast) || !find_box(l, h)) {
		nvptx_help_clear(h);
		return false;
	}
	h->most = helped ? 2 : h->width > 1 ? WIDE_STEPS : h->lanes > 1 ?
		LANE_STEPS * h->lanes : ALONE_STEPS;
	if (!helped && are_few(l, h))
		h->most = ORDERED_STEPS;
	else if (!helped && h->most < FAR * mean_steps(l, h))
		h->most = (int)(FAR * mean_steps(l, h));
	h->piece = helped ? 3 : h->by_points ? WIDE_PIECE : PIECE;
	h->run = find_run(l, h);
	h->room = find_room(l, h);
	return true;
}
