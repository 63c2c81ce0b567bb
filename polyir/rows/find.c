/* Which statements go over the same rows, and had better share a kernel?
 *
 * A reduction says what its rows are: the dimensions that its cell has tell rows
 * apart, the others go along one. From there the group grows along the arrays that
 * statements have in common (row_join.c):
 *
 *	m[i] max= x[i, j]		i: a row, j: along it
 *	e[i, j] = exp(x[i, j] - m[i])	i by m, j by x
 *	s[i] += e[i, j]			i and j by e
 *
 * So does a recurrence that may be a scan, whose own dimension goes along a row:
 *
 *	w[i, j] = w[i, j - 1] + x[i, j]
 *
 * All statements that write one array join together, if they all can: a thread must
 * find what others of the group made at its own point, or on its own row. No
 * statement outside of the group may stand between two of it.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"
#include "polyir/rows/rows.h"
#include "polyir/rows/row_accesses.h"
#include "polyir/rows/row_join.h"

/* Values that are worth a kernel. */
enum { MANY = 1 << 20 };

bool poly_row_makes(const struct poly_row_group *g,
	const struct poly_array *array)
{
	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && g->prog->stmt[i]->write_array == array)
			return true;
	return false;
}

bool poly_row_is_long(const struct poly_row_group *g, int stmt)
{
	int n = isl_set_dim(g->prog->stmt[stmt]->domain, isl_dim_set);

	for (int d = 0; d < n; d++)
		if (g->axis[stmt][d] >= g->n_kept)
			return true;
	return false;
}

/* Note as seen the statements that need statement "i", directly or through
 * others; with one of a group all of it comes, as it stands in one place.
 */
static void walk(struct poly_row_find *f, int i)
{
	int n = f->g->n_stmt;

	if (f->seen[i])
		return;
	f->seen[i] = true;
	for (int k = 0; k < n; k++) {
		if (f->next[i * n + k])
			walk(f, k);
		if (f->group_of[i] >= 0 && f->group_of[k] == f->group_of[i])
			walk(f, k);
	}
}

/* Does a statement outside of the group need one of it, and one of it that? */
static bool is_torn(struct poly_row_find *f)
{
	const struct poly_row_group *g = f->g;
	int n = g->n_stmt;

	memset(f->seen, 0, n * sizeof(*f->seen));
	for (int i = 0; i < n; i++)
		for (int k = 0; g->in[i] && k < n; k++)
			if (f->next[i * n + k] && !g->in[k])
				walk(f, k);
	for (int i = 0; i < n; i++)
		if (g->in[i] && f->seen[i])
			return true;
	return false;
}

/* Does a statement of the group access what "stmt" does? */
static bool is_near(const struct poly_row_group *g, struct poly_stmt *stmt)
{
	bool near = false;

	for (int i = 0; i < g->prog->n_array && !near; i++) {
		const struct poly_array *a = g->prog->array[i];

		if (!poly_stmt_accesses(stmt, a))
			continue;
		for (int k = 0; k < g->n_stmt && !near; k++)
			near = g->in[k] &&
				poly_stmt_accesses(g->prog->stmt[k], a);
	}
	return near;
}

/* Let those of the statements that write "array" join that can; "*left" counts the
 * others.
 */
static bool join_some(struct poly_row_find *f, const struct poly_array *array,
	bool *joined, int *left)
{
	struct poly_row_group *g = f->g;
	bool any = false;

	*left = 0;
	for (int i = 0; i < g->n_stmt; i++) {
		struct poly_row_join j;

		if (g->prog->stmt[i]->write_array != array || joined[i])
			continue;
		if (g->in[i] || f->group_of[i] >= 0 ||
		    !poly_row_find_axes(f, &j, g->prog->stmt[i])) {
			++*left;
			continue;
		}
		memcpy(g->axis[i], j.axis, sizeof(j.axis));
		joined[i] = g->in[i] = any = true;
	}
	return any;
}

/* Let all statements that write "array" join, if they can and nothing tears them
 * from the group. One may tell the axes of another.
 */
static bool join_all(struct poly_row_find *f, const struct poly_array *array)
{
	struct poly_row_group *g = f->g;
	bool *joined = calloc(g->n_stmt, sizeof(*joined)), ok;
	int left = 0;

	while (joined && join_some(f, array, joined, &left) && left)
		;
	ok = joined && !left && !is_torn(f);
	for (int i = 0; i < g->n_stmt && !ok && joined; i++)
		if (joined[i])
			g->in[i] = false;
	free(joined);
	return ok;
}

/* Let one more array's statements join. */
static bool grow(struct poly_row_find *f)
{
	struct poly_row_group *g = f->g;

	for (int i = 0; i < g->n_stmt; i++)
		if (!g->in[i] && f->group_of[i] < 0 &&
		    g->prog->stmt[i]->kind == POLY_POINT &&
		    is_near(g, g->prog->stmt[i]) &&
		    join_all(f, g->prog->stmt[i]->write_array))
			return true;
	return false;
}

bool poly_row_measure(struct poly_row_group *g)
{
	enum { SUPPOSED = 1024 };
	bool known = true;

	g->open = 0;
	memset(g->extent, 0, sizeof(g->extent));
	for (int i = 0; i < g->n_stmt; i++) {
		const struct poly_stmt *s = g->prog->stmt[i];
		int n = isl_set_dim(s->domain, isl_dim_set);

		for (int d = 0; g->in[i] && d < n; d++) {
			int axis = g->axis[i][d], *extent = &g->extent[axis];
			int end = poly_row_end_of(g, s, d);

			if (end < 0 && axis < g->n_kept) {
				g->open |= 1u << axis;
				end = SUPPOSED;
			}
			known &= end > 0;
			*extent = end > *extent ? end : *extent;
		}
	}
	return known;
}

/* Do all that read what statement "i" makes stand outside, in no group yet, and go over no
 * more dimensions than it does, as products do?
 */
static bool is_read_outside(const struct poly_row_find *f, int i)
{
	const struct poly_row_group *g = f->g;
	const struct poly_stmt *s = g->prog->stmt[i];
	int n = isl_set_dim(s->domain, isl_dim_set);

	for (int k = 0; k < g->n_stmt; k++) {
		struct poly_stmt *r = g->prog->stmt[k];

		if (k != i && poly_stmt_accesses(r, s->write_array) &&
		    (g->in[k] || f->group_of[k] >= 0 ||
		    isl_set_dim(r->domain, isl_dim_set) > n))
			return false;
	}
	return true;
}

/* Let a map leave that no member reads, if those that do had better make its values
 * themselves; false if there is none.
 */
static bool leave(struct poly_row_find *f)
{
	struct poly_row_group *g = f->g;

	for (int i = 0; i < g->n_stmt; i++)
		if (g->in[i] && poly_is_temp(g->prog->stmt[i]->write_array) &&
		    poly_row_is_long(g, i) && is_read_outside(f, i) &&
		    poly_row_remakes(g->prog,
			    g->prog->stmt[i]->write_array)) {
			g->in[i] = false;
			return true;
		}
	return false;
}

/* Does a statement but number "i" access what that writes? */
static bool is_accessed_elsewhere(const struct poly_row_group *g, int i)
{
	const struct poly_array *array = g->prog->stmt[i]->write_array;

	for (int k = 0; k < g->n_stmt; k++)
		if (k != i && poly_stmt_accesses(g->prog->stmt[k], array))
			return true;
	return false;
}

/* Does the map number "i" store what others see, and nobody of the group reads, in an array
 * that lies along another axis than what the others access, and so much of it that each
 * element costs a sector? Then a kernel that has a square of points, which goes along both
 * axes, had better store it.
 */
static bool is_across(const struct poly_row_group *g, int i)
{
	struct poly_stmt *s = g->prog->stmt[i];
	const struct poly_array *a = s->write_array;
	int row = poly_row_dim(g->prog, a), size = poly_type_size(a->type);
	struct poly_row_look k = { .g = g, .lane = -1, .run = POLY_ROW_RUN,
		.packed = g->n_row > 1, .without = a };
	int axis, d, lane;
	double n = 1;

	if (!g->in[i] || poly_is_temp(a) || poly_is_update(s) ||
	    !poly_row_is_long(g, i) || row < 0 || is_accessed_elsewhere(g, i))
		return false;
	d = poly_index_dim(s->write_index, row, s);
	if (d < 0)
		return false;
	for (int e = 0; e < isl_set_dim(s->domain, isl_dim_set); e++)
		n *= g->extent[(int)g->axis[i][e]];
	poly_row_look_at(&k);
	lane = poly_row_lane_axis(&k);
	axis = g->axis[i][d];
	return axis != lane && n >= MANY && !(g->open & 1u << axis) &&
		g->extent[axis] * size >= POLY_SECTOR &&
		g->extent[lane] * size >= POLY_SECTOR;
}

/* Let a map leave that stores across the others; false if there is none. */
static bool leave_across(struct poly_row_find *f)
{
	struct poly_row_group *g = f->g;

	if (!poly_row_measure(g))
		return false;
	for (int i = 0; i < g->n_stmt; i++)
		if (is_across(g, i)) {
			g->in[i] = false;
			return true;
		}
	return false;
}

/* The axes of a seed that is a recurrence: that along which it goes is the last. */
static bool begin_scan(struct poly_row_find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct poly_stmt *s = g->prog->stmt[seed];
	int n = isl_set_dim(s->domain, isl_dim_set);
	struct poly_recurrence r;

	if (n > POLY_ROW_DIMS || !poly_recurrence_read(g->prog, s, &r) ||
	    !(r.over < 0 ? poly_is_small(g->prog, s) :
	    poly_is_small_in_tiles(g->prog, s, r.dim)))
		return false;
	memset(g->axis[seed], -1, sizeof(g->axis[seed]));
	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(s->write_index, k, s);

		if (d != r.dim)
			g->axis[seed][d] = (signed char)g->n_kept++;
	}
	g->axis[seed][r.dim] = (signed char)g->n_kept;
	g->n_row = 1;
	g->in[seed] = true;
	return poly_row_measure(g);
}

/* The axes of the seed: those of its cell, and behind them the others. */
static bool begin(struct poly_row_find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct poly_stmt *s = g->prog->stmt[seed];
	int n = isl_set_dim(s->domain, isl_dim_set);
	struct poly_row_join j = { .f = f, .stmt = s };

	if (n > POLY_ROW_DIMS || !poly_can_split(g->prog, s) ||
	    (!poly_is_small(g->prog, s) && !poly_has_small_places(g->prog, s)))
		return false;
	memset(g->axis[seed], -1, sizeof(g->axis[seed]));
	for (int k = 0; k < isl_multi_pw_aff_size(s->write_index); k++) {
		int d = poly_index_dim(s->write_index, k, s);

		if (d < 0 || g->axis[seed][d] >= 0)
			return false;
		g->axis[seed][d] = (signed char)g->n_kept++;
	}
	for (int d = 0; d < n; d++)
		if (g->axis[seed][d] < 0)
			g->axis[seed][d] = (signed char)(g->n_kept +
				g->n_row++);
	memcpy(j.axis, g->axis[seed], sizeof(j.axis));
	g->in[seed] = true;
	return poly_row_measure(g) && g->n_row && poly_row_is_update(&j) &&
		poly_row_is_no_product(&j);
}

/* The statements that begin the cells of the seed join, too. */
static bool join_starts(struct poly_row_find *f, int seed)
{
	struct poly_row_group *g = f->g;
	struct poly_row_join j;

	for (int i = 0; i < g->n_stmt; i++) {
		if (i == seed || g->prog->stmt[i]->write_array !=
		    g->prog->stmt[seed]->write_array)
			continue;
		if (f->group_of[i] >= 0 ||
		    !poly_row_find_axes(f, &j, g->prog->stmt[i]))
			return false;
		memcpy(g->axis[i], j.axis, sizeof(j.axis));
		g->in[i] = true;
	}
	return !is_torn(f);
}

bool poly_row_group_find(struct poly_row_group *g, struct poly_prog *prog,
	int seed, const int *group_of, const bool *next)
{
	int n = prog->n_stmt;
	struct poly_row_find f = { .g = g, .group_of = group_of, .next = next,
		.seen = calloc(n, sizeof(bool)) };
	bool found = false;

	*g = (struct poly_row_group) { .prog = prog, .n_stmt = n,
		.in = calloc(n, sizeof(*g->in)),
		.axis = calloc(n, sizeof(*g->axis)) };
	if (f.seen && g->in && g->axis) {
		found = (poly_is_update(prog->stmt[seed]) ?
			begin(&f, seed) : begin_scan(&f, seed)) &&
			join_starts(&f, seed);
		while (found && grow(&f))
			;
		while (found && (leave_across(&f) || leave(&f)))
			;
		found = found && poly_row_measure(g);
	}
	free(f.seen);
	return found;
}

void poly_row_group_clear(struct poly_row_group *g)
{
	free(g->in);
	free(g->axis);
}
