/* Contractions on matrix units: which updates they do, and which threads of a kernel
 * hold their fragments.
 *
 * C[m, n] += A[m, k] * B[k, n], with C in fragments of the unit; what a thread holds of
 * a tile is what it holds of these (spread.c).
 */
#include "polyir/ir/ir.h"
#include "polyir/layout/layout.h"

static const struct poly_unit_row table[POLY_N_UNIT] = {
#define UNIT(id, name, cc, own, rate, one, two, sum, m, n, k, a, b, c) [POLY_UNIT_##id] = \
	{ name, cc, own, rate, { POLY_##one, POLY_##two }, POLY_##sum, { m, n, k }, { a, b, c } },
#include "polyir/ir/unit.def"
#undef UNIT
};

const struct poly_unit_row *poly_unit(enum poly_unit unit)
{
	return &table[unit];
}

bool poly_unit_is_async(enum poly_unit unit)
{
	return unit && !table[unit].fragment[0];
}

bool poly_unit_widens(enum poly_unit unit)
{
	enum poly_type one = table[unit].element[0];

	return unit && !poly_unit_is_async(unit) && poly_type_is_float(one) &&
		poly_type_size(one) == 1;
}

bool poly_unit_pairs(enum poly_unit unit)
{
	enum { COLUMNS = 8 };

	return unit && table[unit].size[1] > COLUMNS;
}

/* ldmatrix reads 8 rows of 16 bytes at a time. Of 64 bits the lanes of half a warp read
 * 4 steps of 4 points, so that 4 rows lie 32 bytes apart, counted in banks.
 */
int poly_unit_pad(enum poly_unit unit)
{
	int size = poly_type_size(table[unit].element[0]);

	return poly_unit_is_async(unit) ? 0 : size < 8 ? 16 / size : 4;
}

/* ----------------------------------------------------------------- updates */

/* Are numbers of types "a" and "b" the same bits? Whole numbers of as many bits wrap
 * alike, whether they have a sign or not.
 */
static bool is_alike(enum poly_type a, enum poly_type b)
{
	return a == b || (!poly_type_is_float(a) && !poly_type_is_float(b) &&
		poly_type_size(a) == poly_type_size(b));
}

/* The read that "e" is, converted to the type of the sums of "row" or of that type,
 * perhaps by way of one with the same bits; NULL if it is none.
 */
static const struct poly_expr *read_of(const struct poly_expr *e,
	const struct poly_unit_row *row)
{
	while (e->op == POLY_OP_CAST && is_alike(e->type, row->sum))
		e = e->arg[0];
	return e->op == POLY_OP_ACCESS ? e : NULL;
}

int poly_swizzled_column(enum poly_type type)
{
	enum { ROW = 128 };

	return ROW / poly_type_size(type);
}

/* Does "unit" find "read", its operand along "axis", as it wants it? Warpgroups turn
 * elements of 16 bits alone, warps bytes of B that come in pairs.
 */
static bool goes_right(enum poly_unit unit, const struct poly_expr *read,
	__isl_keep isl_multi_aff *at, int axis)
{
	int size = poly_type_size(read->array->type);
	bool is_async = poly_unit_is_async(unit);

	if ((is_async && size == 2) || (!is_async && (size > 1 || !axis)))
		return true;
	return poly_leaf_has_steps(read, at) != poly_unit_pairs(unit);
}

bool poly_unit_does(enum poly_unit unit, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at)
{
	const struct poly_unit_row *row = &table[unit];
	const struct poly_expr *e = stmt->rhs, *read;
	int moves[2], axis;

	if (!unit || stmt->reduce != POLY_OP_ADD || e->op != POLY_OP_MUL ||
	    !is_alike(stmt->write_array->type, row->sum) ||
	    !is_alike(e->type, row->sum))
		return false;
	for (int i = 0; i < 2; i++) {
		read = read_of(e->arg[i], row);
		if (!read)
			return false;
		moves[i] = poly_leaf_moves(read, at);
		axis = !(moves[i] & POLY_MOVES_0);
		if (read->array->type != row->element[axis] ||
		    !poly_is_shared_leaf(read, moves[i]) ||
		    !goes_right(unit, read, at, axis))
			return false;
	}
	return moves[0] != moves[1] && (moves[0] & moves[1]) == POLY_MOVES_K &&
		(moves[0] | moves[1]) ==
		(POLY_MOVES_0 | POLY_MOVES_1 | POLY_MOVES_K);
}

/* --------------------------------------------------------------- fragments */

struct poly_layout *poly_unit_sums(const struct poly_kernel *kernel)
{
	enum { SUM_BYTES = 4 };
	const char *name = table[kernel->unit].fragment[2];

	return poly_unit_is_async(kernel->unit) ?
		poly_fragment_wgmma_digits(kernel->tile[1], SUM_BYTES) :
		kernel->unit ? poly_fragment(name) : NULL;
}

/* The product of the radices of the digits of "c" along "d", or of all if that is
 * negative, that are registers, or of those that are not.
 */
static int values(const struct poly_layout *c, bool registers, int d)
{
	int n = 1;

	for (int i = 0; i < c->n_digit; i++)
		if ((c->digit[i].place == POLY_PLACE_REG) == registers &&
		    (d < 0 || c->digit[i].step[d]))
			n *= c->digit[i].radix;
	return n;
}

/* Points of a thread that lie side by side along "d" in fragments "c". */
static int run_of(const struct poly_layout *c, int d)
{
	int run = 1;

	for (int i = c->n_digit - 1; i >= 0; i--)
		if (c->digit[i].place == POLY_PLACE_REG &&
		    c->digit[i].step[d] == run)
			run *= c->digit[i].radix;
	return run;
}

int poly_unit_run(enum poly_unit unit)
{
	struct poly_layout *c = poly_unit_is_async(unit) ? NULL :
		poly_fragment(table[unit].fragment[2]);
	int run = c ? run_of(c, 1) : 2;

	poly_layout_free(c);
	return run;
}

int poly_unit_threads(const struct poly_kernel *kernel)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	int n = c ? values(c, false, -1) : 1;

	poly_layout_free(c);
	return n;
}

int poly_unit_digits(const struct poly_kernel *kernel, int d)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	int n = c ? values(c, true, d) : 1;

	poly_layout_free(c);
	return n;
}

int poly_unit_columns(const struct poly_kernel *kernel)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	int n = c ? values(c, false, 1) : 1;

	poly_layout_free(c);
	return n;
}

/* Are the runs of "k" along axis 1 as many times longer than those of fragments "c" as
 * these have threads there, and is the tile made of them?
 */
static bool has_turns(const struct poly_kernel *k, const struct poly_layout *c)
{
	return k->vec[1] == values(c, false, 1) * run_of(c, 1) &&
		k->tile[1] % (k->thread[1] * k->vec[1]) == 0;
}

bool poly_unit_turns(const struct poly_kernel *kernel)
{
	struct poly_layout *c = poly_unit_sums(kernel);
	bool turns = c && has_turns(kernel, c);

	poly_layout_free(c);
	return turns;
}

/* Is the tile of "k" along "d" made of fragments "c"? Warpgroups lie below one another
 * alone.
 */
static bool fits(const struct poly_kernel *k, const struct poly_layout *c, int d)
{
	int threads = values(c, false, d);

	return k->thread[d] % threads == 0 &&
		(d == 0 || k->thread[d] == threads ||
		!poly_unit_is_async(k->unit)) &&
		k->tile[d] % (k->thread[d] / threads * c->extent[d]) == 0 &&
		(k->vec[d] == run_of(c, d) || (d == 1 && has_turns(k, c)));
}

bool poly_unit_fits(const struct poly_kernel *kernel)
{
	enum { GROUP_COLUMNS = 64 };
	struct poly_layout *c = poly_unit_sums(kernel);
	int k = table[kernel->unit].size[2];
	bool is_async = poly_unit_is_async(kernel->unit);
	bool ok = c && kernel->tiled && !kernel->block &&
		kernel->tile_k % k == 0 && fits(kernel, c, 0) &&
		fits(kernel, c, 1);

	if (is_async)
		ok = ok && kernel->tile_k == k && kernel->stages > 2 &&
			kernel->tile[1] % GROUP_COLUMNS == 0;

	poly_layout_free(c);
	return ok;
}
