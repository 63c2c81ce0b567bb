/* Contractions on matrix units: which updates they do, and which threads of a kernel
 * hold their fragments.
 *
 * C[m, n] += A[m, k] * B[k, n], with C in fragments of the unit; what a thread holds of
 * a tile is what it holds of these (spread.c).
 */
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

static const struct poly_unit_row table[POLY_N_UNIT] = {
#define UNIT(id, name, cc, rate, element, sum, m, n, k, a, b, c) [POLY_UNIT_##id] = \
	{ name, cc, rate, POLY_##element, POLY_##sum, { m, n, k }, { a, b, c } },
#include "polyir/ir/unit.def"
#undef UNIT
};

const struct poly_unit_row *poly_unit(enum poly_unit unit)
{
	return &table[unit];
}

/* ----------------------------------------------------------------- updates */

/* The read that "e" is, converted to the type "sum" or of that type; NULL if it is
 * none of elements "element".
 */
static const struct poly_expr *read_of(const struct poly_expr *e,
	const struct poly_unit_row *row)
{
	if (e->op == POLY_OP_CAST && e->type == row->sum)
		e = e->arg[0];
	return e->op == POLY_OP_ACCESS && e->array->type == row->element ? e :
		NULL;
}

bool poly_unit_does(enum poly_unit unit, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at)
{
	const struct poly_unit_row *row = &table[unit];
	const struct poly_expr *e = stmt->rhs, *read;
	int moves[2];

	if (!unit || stmt->reduce != POLY_OP_ADD || e->op != POLY_OP_MUL ||
	    stmt->write_array->type != row->sum || e->type != row->sum)
		return false;
	for (int i = 0; i < 2; i++) {
		read = read_of(e->arg[i], row);
		if (!read)
			return false;
		moves[i] = poly_leaf_moves(read, at);
		if (!poly_is_shared_leaf(read, moves[i]))
			return false;
	}
	return moves[0] != moves[1] && (moves[0] & moves[1]) == POLY_MOVES_K &&
		(moves[0] | moves[1]) ==
		(POLY_MOVES_0 | POLY_MOVES_1 | POLY_MOVES_K);
}

/* --------------------------------------------------------------- fragments */

struct poly_layout *poly_unit_sums(const struct poly_kernel *kernel)
{
	const struct poly_unit_row *row = &table[kernel->unit];

	return kernel->unit ? poly_fragment(row->fragment[2]) : NULL;
}

/* The product of the radices of the digits of "c" along "d" that are registers, or
 * of those that are not.
 */
static int values(const struct poly_layout *c, bool registers, int d)
{
	int n = 1;

	for (int i = 0; i < c->n_digit; i++)
		if ((c->digit[i].place == POLY_PLACE_REG) == registers &&
		    c->digit[i].step[d])
			n *= c->digit[i].radix;
	return n;
}

int poly_unit_digits(const struct poly_kernel *kernel, int d)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	int n = c ? values(c, true, d) : 1;

	poly_layout_free(c);
	return n;
}

/* Is the tile of "k" along "d" made of fragments "c", with a row of threads for those
 * of one along axis 1?
 */
static bool fits(const struct poly_kernel *k, const struct poly_layout *c, int d)
{
	int threads = values(c, false, d);

	return k->thread[d] % threads == 0 &&
		(d == 0 || k->thread[d] == threads) &&
		k->tile[d] % (k->thread[d] / threads * c->extent[d]) == 0 &&
		k->vec[d] == poly_layout_run(c, d);
}

bool poly_unit_fits(const struct poly_kernel *kernel)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	bool ok = c && kernel->tiled && !kernel->block &&
		kernel->tile_k % table[kernel->unit].size[2] == 0 &&
		fits(kernel, c, 0) && fits(kernel, c, 1);

	poly_layout_free(c);
	return ok;
}
