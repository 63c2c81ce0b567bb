/* Along which two parallel loops a kernel is cut into tiles, or has its points.
 *
 * A reduction is worth tiles if some of what it reads moves with one parallel
 * loop and its steps, but not with another, and something else with the other
 * one: threads of a tile along either share it. Of such pairs of loops, the one
 * is best that goes along memory, what is written first:
 *
 *	C(b,j,i) += A(i,b,k) * B(b,k,j)		j and i, both share; b is in all
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Points of a tile along an axis that are as good as more. */
#define FULL 64
/* A loop of fewer turns fills no tile, whatever lies along it. */
#define FEW 8
/* Rows of a tile of points, at most. */
#define ROWS 32

/* A reduction and a pair of its dimensions. */
struct pair {
	const struct poly_stmt *stmt;
	int dim[2];
	int along[2];		/* reads shared along the other one */
	bool few[2];
	int score;
};

static bool involves(__isl_keep isl_multi_pw_aff *index, int dim)
{
	return isl_multi_pw_aff_involves_dims(index, isl_dim_in, dim, 1) ==
		isl_bool_true;
}

/* Does the last entry of "index" move with "dim"? */
static bool goes_along(__isl_keep isl_multi_pw_aff *index, int dim)
{
	int n = isl_multi_pw_aff_size(index);
	isl_pw_aff *last;
	bool along;

	if (n < 1)
		return false;
	last = isl_multi_pw_aff_get_at(index, n - 1);
	along = isl_pw_aff_involves_dims(last, isl_dim_in, dim, 1) ==
		isl_bool_true;
	isl_pw_aff_free(last);
	return along;
}

/* Does "index" move with a dimension that the written cell does not name? */
static bool moves_with_steps(const struct poly_stmt *stmt,
	__isl_keep isl_multi_pw_aff *index)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);

	for (int d = 0; d < n; d++)
		if (!involves(stmt->write_index, d) && involves(index, d))
			return true;
	return false;
}

/* Count "leaf" if it moves with the steps and with one dimension of the pair
 * but not with the other: threads along that one share it. It scores one more
 * where the row of the array goes along its dimension.
 */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct pair *p = user;

	for (int i = 0; i < 2; i++) {
		if (!involves(leaf->index, p->dim[i]) ||
		    involves(leaf->index, p->dim[!i]) ||
		    !moves_with_steps(p->stmt, leaf->index))
			continue;
		p->along[i]++;
		p->score += !p->few[i] && goes_along(leaf->index, p->dim[i]);
	}
}

/* How good the loops of the dimensions "d0" and "d1" are for tiles of "stmt"; of
 * those that are alike, the longer ones, if tiles would not be full; 0: of no
 * use.
 */
static int pair_score(struct poly_prog *prog, const struct poly_stmt *stmt,
	int d0, int d1)
{
	struct pair p = { .stmt = stmt, .dim = { d0, d1 }, .score = 1 };
	int fill = 0;

	for (int i = 0; i < 2; i++) {
		double n = poly_range_count(prog, isl_set_copy(stmt->domain),
			p.dim[i]);

		if (n <= 1)
			return 0;
		fill += n < FULL ? (int) n : FULL;
		p.few[i] = n < FEW;
	}
	poly_expr_each_access(stmt->rhs, add_read, &p);
	if (!p.along[0] || !p.along[1])
		return 0;
	p.score += 4 * (!p.few[1] && goes_along(stmt->write_index, d1));
	return p.score * (2 * FULL + 1) + fill;
}

bool poly_choose_axes(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	isl_union_pw_aff **member, const bool *coincident, int n, int axis[2])
{
	int n_stmt, best = 0;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n_stmt);

	for (int s = 0; s < n_stmt; s++)
		for (int i = 0; i < n * n; i++) {
			int m[2] = { i / n, i % n }, d[2], score;

			if (!poly_is_update(list[s]) || m[0] == m[1] ||
			    !coincident[m[0]] || !coincident[m[1]])
				continue;
			for (int k = 0; k < 2; k++)
				d[k] = poly_counted_dim(member[m[k]], list[s]);
			if (d[0] < 0 || d[1] < 0)
				continue;
			score = pair_score(prog, list[s], d[0], d[1]);
			if (score < best || !score)
				continue;
			best = score;
			axis[0] = m[0];
			axis[1] = m[1];
		}
	free(list);
	return best > 0;
}

/* How many of the values of "member" fill the rows of a tile. */
static int fill(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	__isl_keep isl_union_pw_aff *member)
{
	double n = poly_value_count(prog, domain,
		isl_union_pw_aff_copy(member));

	return n < ROWS ? (int)n : ROWS;
}

/* The parallel member, but "but", with the best strides; of several the last one, or,
 * with "rows", the last of those that fill the rows of a tile best; -1 if there is none.
 */
static int best_member(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	isl_union_pw_aff **member, const bool *coincident, int n, int but,
	bool rows)
{
	int at = -1, best = 0;

	for (int i = 0; i < n; i++) {
		int score;

		if (!coincident[i] || i == but)
			continue;
		score = poly_stride_score(prog, member[i], domain) * (ROWS + 1);
		if (rows)
			score += fill(prog, domain, member[i]);
		if (at < 0 || score >= best) {
			best = score;
			at = i;
		}
	}
	return at;
}

/* Two members for tiles; if these would share nothing, the lane direction, the last
 * of those with the best strides, and of the others the best: where what is read and
 * what is written lie along different ones, a tile goes along both; else its rows are
 * near one another.
 */
bool poly_choose_points(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, isl_union_pw_aff **member,
	const bool *coincident, int n, int point[2])
{
	if (poly_choose_axes(prog, domain, member, coincident, n, point))
		return true;
	point[1] = best_member(prog, domain, member, coincident, n, -1, false);
	point[0] = best_member(prog, domain, member, coincident, n, point[1],
		true);
	return false;
}

bool poly_stmt_axes(struct poly_prog *prog, const struct poly_stmt *stmt,
	const bool *parallel, int axis[2])
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), best = 0;

	for (int i = 0; i < n * n; i++) {
		int d[2] = { i / n, i % n }, score;

		if (d[0] == d[1] || !parallel[d[0]] || !parallel[d[1]])
			continue;
		score = pair_score(prog, stmt, d[0], d[1]);
		if (score < best || !score)
			continue;
		best = score;
		axis[0] = d[0];
		axis[1] = d[1];
	}
	return best > 0;
}
