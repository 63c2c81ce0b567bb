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

/* What of "stmt" is not as "unit" wants it, the first of these. */
static enum poly_unit_lack lack_of(enum poly_unit unit, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at)
{
	const struct poly_unit_row *row = &table[unit];
	const struct poly_expr *e = stmt->rhs, *read[2];
	int moves[2], axis[2];

	if (stmt->reduce != POLY_OP_ADD || e->op != POLY_OP_MUL)
		return POLY_LACKS_PRODUCT;
	for (int i = 0; i < 2; i++) {
		read[i] = read_of(e->arg[i], row);
		if (!read[i])
			return POLY_LACKS_PRODUCT;
		moves[i] = poly_leaf_moves(read[i], at);
		axis[i] = !(moves[i] & POLY_MOVES_0);
		if (!poly_is_shared_leaf(read[i], moves[i]))
			return POLY_LACKS_AXES;
	}
	if (moves[0] == moves[1] || (moves[0] & moves[1]) != POLY_MOVES_K ||
	    (moves[0] | moves[1]) != (POLY_MOVES_0 | POLY_MOVES_1 | POLY_MOVES_K))
		return POLY_LACKS_AXES;
	for (int i = 0; i < 2; i++)
		if (read[i]->array->type != row->element[axis[i]])
			return POLY_LACKS_TYPE;
	if (!is_alike(stmt->write_array->type, row->sum) || !is_alike(e->type, row->sum))
		return POLY_LACKS_TYPE;
	for (int i = 0; i < 2; i++)
		if (!goes_right(unit, read[i], at, axis[i]))
			return POLY_LACKS_ROWS;
	return POLY_LACKS_NOTHING;
}

bool poly_unit_does(enum poly_unit unit, const struct poly_stmt *stmt,
	__isl_keep isl_multi_aff *at)
{
	return unit && lack_of(unit, stmt, at) == POLY_LACKS_NOTHING;
}

/* Those of integers may be in any order; floats have no order there; and warpgroups cut
 * sums of products of 8 bits to 13 digits or so, which is for those who do not mind alone.
 */
bool poly_unit_may_add(enum poly_fp fp, enum poly_unit unit)
{
	const struct poly_unit_row *row = &table[unit];

	if (!poly_type_is_float(row->sum))
		return true;
	return poly_type_size(row->element[0]) == 1 && poly_unit_is_async(unit) ?
		fp == POLY_FP_RELAXED : fp != POLY_FP_STRICT;
}

enum poly_unit_lack poly_unit_lacks(unsigned units, enum poly_fp fp,
	const struct poly_stmt *stmt, __isl_keep isl_multi_aff *at)
{
	enum poly_unit_lack most = POLY_LACKS_UNIT, lack;

	for (int u = 1; u < POLY_N_UNIT; u++) {
		if (!(units >> u & 1))
			continue;
		lack = lack_of(u, stmt, at);
		if (lack == POLY_LACKS_NOTHING && !poly_unit_may_add(fp, u))
			lack = POLY_LACKS_ORDER;
		most = lack > most ? lack : most;
	}
	return most;
}

const char *poly_unit_lack_text(enum poly_unit_lack lack)
{
	static const char *const text[] = {
		[POLY_LACKS_UNIT] = "the target has none",
		[POLY_LACKS_PRODUCT] = "what is added is no product of two reads",
		[POLY_LACKS_AXES] = "the reads do not go along one axis of the tile each, "
			"and both along the sum",
		[POLY_LACKS_TYPE] = "none of the target multiplies these types",
		[POLY_LACKS_ROWS] = "rows of an operand lie across what lanes hold",
		[POLY_LACKS_ORDER] = "the order of the sum is that of the text",
		[POLY_LACKS_NOTHING] = "",
	};

	return text[lack];
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
