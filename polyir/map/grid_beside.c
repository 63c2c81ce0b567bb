/* Loops of a kernel without tiles whose rows lie beside one another in memory:
 *
 *	s(j,k) += x(i,j,k), k < 7	lanes along k: 28 bytes of a row, in two sectors
 *	with 7 j + k			128 bytes, which lie in a line
 *
 * What a warp's accesses cost is counted on average over all places where rows begin: the
 * sectors that each meets, and one for the instruction, for each lane that has a point.
 */
#include <math.h>
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/map/map.h"

/* Part of the costs that one loop has, at most, to be better than two. */
#define BETTER 0.8

/* The question about the accesses of "stmt", whose dimensions "outer" and "inner" are the
 * loops, of which the inner one has "count" values; what a point costs in all.
 */
struct beside {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	int outer, inner;
	const struct poly_rows_beside *rows;
	double apart, one;
	bool is;
};

/* What each point of a row of "n" elements of "size" bytes costs. A warp has a piece of it,
 * or several short ones.
 */
static double point_cost(double n, double size)
{
	double pieces = ceil(n / POLY_LANES), rows = 1, align = 1, sectors;

	while (align < POLY_SECTOR && fmod(n * size, 2 * align) == 0)
		align *= 2;
	while (2 * rows * n <= POLY_LANES)
		rows *= 2;
	sectors = (n * size - pieces * align) / POLY_SECTOR + pieces;
	return (rows * fmax(sectors, n * size / POLY_SECTOR) + pieces) / (rows * n);
}

/* Note an access to "array" at "index". */
static void ask(struct beside *b, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	double size = poly_type_size(array->type), all = b->rows->all;
	int outer = -1, inner = -1;

	if (array->space == POLY_REGISTER)
		return;
	for (int d = 0; d < array->n_dim && b->is; d++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, d);
		int dim = poly_index_dim(index, d, b->stmt);

		outer = dim == b->outer ? d : outer;
		inner = dim == b->inner ? d : inner;
		b->is = dim >= 0 || !(isl_pw_aff_involves_dims(pa, isl_dim_in,
			b->outer, 1) || isl_pw_aff_involves_dims(pa, isl_dim_in,
			b->inner, 1));
		isl_pw_aff_free(pa);
	}
	if (outer < 0 || inner < 0)
		return;
	b->is &= inner == outer + 1 && !array->stride && poly_fixed_extent(b->prog, array,
		inner) == (int64_t)b->rows->count;
	b->apart += point_cost(all, size);
	b->one += point_cost(all * b->rows->n, size);
}

static void ask_read(struct poly_expr *leaf, void *user)
{
	ask(user, leaf->array, leaf->index);
}

bool poly_pays_beside(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	const struct poly_rows_beside *rows)
{
	struct beside b = { .prog = prog, .rows = rows, .is = true };
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);

	for (int i = 0; list && i < n && b.is; i++) {
		struct poly_stmt *s = list[i];

		b.stmt = s;
		b.outer = poly_counted_dim(rows->outer, s);
		b.inner = poly_counted_dim(rows->inner, s);
		/* What is read at positions that are data lies anywhere. */
		b.is = b.outer >= 0 && b.inner >= 0 && s->kind == POLY_POINT &&
			!poly_expr_has(s->rhs, POLY_OP_GATHER, -1);
		if (!b.is)
			break;
		ask(&b, s->write_array, s->write_index);
		poly_expr_each_access(s->rhs, ask_read, &b);
	}
	b.is &= list && b.one < BETTER * b.apart;
	free(list);
	return b.is;
}
