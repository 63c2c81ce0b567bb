/* Cut statements where they read what they write.
 *
 * In the order of the text, in place,
 *
 *	for (k) for (i) for (j) S: p[i][j] = min(p[i][j], p[i][k] + p[k][j]);
 *
 * an instance with j < k reads p[i][k] as it was, one with j > k as the step k
 * has made it. One affine order for all of S has to respect both and has no
 * parallel loop; but the pieces j < k, j = k, j > k, by i < k, i = k, i > k,
 * have little to do with one another in a step, and each is parallel. So a
 * statement whose value comes from the array it writes, at a place where one
 * of its dimensions stands for another, is cut where the two are equal:
 *
 *	S: i < k, j < k	| S_cut: i < k, j = k | S_cut2: i < k, j > k | ..
 *
 * The order of the text is left as it is: no two pieces have an iteration in
 * common.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"
#include "polyir/cut/cut.h"

/* Planes that cut a statement, at most: nine pieces. */
enum { MOST_PLANES = 2 };

/* The pairs of dimensions that stand for one another. */
struct planes {
	const struct poly_stmt *stmt;
	int a[MOST_PLANES], b[MOST_PLANES], n;
	bool many;
};

/* Note the plane at which dimensions "a" and "b" are equal, once; "many" if
 * there is no room for one more.
 */
static void add_plane(struct planes *p, int a, int b)
{
	for (int i = 0; i < p->n; i++)
		if ((p->a[i] == a && p->b[i] == b) ||
		    (p->a[i] == b && p->b[i] == a))
			return;
	p->many |= p->n == MOST_PLANES;
	if (p->many)
		return;
	p->a[p->n] = a;
	p->b[p->n++] = b;
}

/* Note where a read of the array that is written has, in one of its subscripts,
 * another dimension than the write has there.
 */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct planes *p = user;

	if (leaf->array != p->stmt->write_array)
		return;
	for (int i = 0; i < leaf->array->n_dim; i++) {
		int a = poly_index_dim(p->stmt->write_index, i, p->stmt);
		int b = poly_index_dim(leaf->index, i, p->stmt);

		if (a >= 0 && b >= 0 && a != b)
			add_plane(p, a, b);
	}
}

/* "set" where dimension "a" is before (-1), at (0), or behind (1) "b". */
static __isl_give isl_set *side(__isl_take isl_set *set, int a, int b,
	int where)
{
	isl_local_space *local = isl_local_space_from_space(
		isl_set_get_space(set));
	isl_pw_aff *x = isl_pw_aff_var_on_domain(
		isl_local_space_copy(local), isl_dim_set, a);
	isl_pw_aff *y = isl_pw_aff_var_on_domain(local, isl_dim_set, b);

	return isl_set_intersect(set, where < 0 ? isl_pw_aff_lt_set(x, y) :
		where ? isl_pw_aff_gt_set(x, y) : isl_pw_aff_eq_set(x, y));
}

/* The pieces of the statement's domain that have instances. */
static int find_pieces(struct poly_prog *prog, const struct planes *p,
	isl_set **piece)
{
	int all = 1, n = 0;

	for (int i = 0; i < p->n; i++)
		all *= 3;
	for (int k = 0; k < all; k++) {
		isl_set *set = isl_set_intersect_params(
			isl_set_copy(p->stmt->domain),
			isl_set_copy(prog->context));

		for (int i = 0, rest = k; i < p->n; i++, rest /= 3)
			set = side(set, p->a[i], p->b[i], rest % 3 - 1);
		if (isl_set_is_empty(set) == isl_bool_false)
			piece[n++] = set;
		else
			isl_set_free(set);
	}
	return n;
}

/* Cut "stmt" if it has planes; "*n" counts. */
static isl_stat cut_stmt(struct poly_prog *prog, struct poly_stmt *stmt,
	int *n)
{
	struct planes p = { .stmt = stmt };
	isl_set *piece[9];
	int n_piece;

	if (stmt->kind != POLY_POINT)
		return isl_stat_ok;
	poly_expr_each_access(stmt->rhs, add_read, &p);
	if (!p.n || p.many)
		return isl_stat_ok;
	n_piece = find_pieces(prog, &p, piece);
	if (n_piece < 2) {
		for (int i = 0; i < n_piece; i++)
			isl_set_free(piece[i]);
		return isl_stat_ok;
	}
	++*n;
	return poly_cut_stmt(prog, stmt, piece, n_piece);
}

/* Cut the statements of a program whose text has an order; sums of definitions that
 * have one term become reads, and those over what lies between two values loops. Updates at
 * places that data tell are sorted by their cells where those had better own them.
 *
 * requires nothing, before deps and privatise; establishes pieces
 */
isl_stat poly_cut(struct poly_prog *prog)
{
	int most = prog->n_stmt, n = 0, owned;
	struct poly_stmt **list = calloc(most + 1, sizeof(*list));
	isl_stat ok = list ? isl_stat_ok : isl_stat_error;

	if (list && most)
		memcpy(list, prog->stmt, most * sizeof(*list));
	for (int i = 0; prog->original && ok == isl_stat_ok && i < most; i++)
		ok = cut_stmt(prog, list[i], &n);
	free(list);
	n += poly_pick(prog) + poly_span(prog);
	owned = ok < 0 ? 0 : poly_own_updates(prog);
	n += owned;
	if (ok < 0 || owned < 0)
		return poly_isl_error(prog, "cut");
	if (n)
		poly_forget_deps(prog);
	return isl_stat_ok;
}
