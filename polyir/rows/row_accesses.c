/* Where the rows of a group lie in memory: what its accesses say.
 *
 *	x[i, j]		neighbours along j are neighbours in memory: lanes go along j
 *	y[i, j + 1]	so are these, but runs of several do not begin with the row
 *
 * Each array counts once along the axis that it lies along, with the most elements that a
 * statement accesses so; the axis with the most is that of the lanes.
 */
#include <string.h>

#include <isl/aff.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/rows/rows.h"
#include "polyir/rows/row_accesses.h"

/* Find where the rows of "array" begin that an access at "index" goes along, its
 * dimension "row"; false if that is not known.
 */
static bool find_phase(const struct poly_row_look *k, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, int row, struct poly_row_phase *phase)
{
	const struct poly_row_group *g = k->g;
	int64_t step = 1;

	*phase = (struct poly_row_phase) { .votes = 1 };
	for (int i = array->n_dim - 1; i > 0; i--) {
		int64_t extent = array->stride && i == array->n_dim - 1 ? -1 :
			poly_fixed_extent(g->prog, array, i);
		int d = poly_index_dim(index, i - 1, g->prog->stmt[k->stmt]);

		if (extent < 0)
			return false;
		step = step * extent % POLY_ROW_RUN;
		if (i > row)
			continue;
		if (d < 0)
			return step == 0;
		phase->step[(int)g->axis[k->stmt][d]] += (int)step;
	}
	for (int i = 0; i < POLY_ROW_DIMS; i++)
		phase->step[i] %= POLY_ROW_RUN;
	return true;
}

/* Count an access whose rows begin so. */
static void vote(struct poly_row_look *k, const struct poly_row_phase *phase)
{
	for (int i = 0; i < k->n_phase; i++)
		if (!memcmp(k->phase[i].step, phase->step,
		    sizeof(phase->step))) {
			k->phase[i].votes++;
			return;
		}
	if (k->n_phase < POLY_ROW_PHASES)
		k->phase[k->n_phase++] = *phase;
}

/* Do the last dimensions of "array", which an access has at "index", count a row of all
 * its axes, so that neighbours of the row are neighbours in memory?
 *
 *	x[b, c, s]	row c, s	element s + S c of row b
 */
static bool is_packed(const struct poly_row_look *k, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	const struct poly_row_group *g = k->g;
	int n = array->n_dim;

	if (n < g->n_row || array->stride)
		return false;
	for (int i = 1; i <= g->n_row; i++) {
		int axis = g->n_kept + g->n_row - i;
		int d = poly_index_dim(index, n - i, g->prog->stmt[k->stmt]);

		if (d < 0 || g->axis[k->stmt][d] != axis ||
		    (i < g->n_row && poly_fixed_extent(g->prog, array, n - i) !=
		    g->extent[axis]))
			return false;
	}
	return true;
}

/* The bytes that divide where the rows begin that go through "array", up to those of a
 * run.
 */
static int align_of(const struct poly_row_look *k, const struct poly_array *array)
{
	int size = poly_type_size(array->type), n = 1;

	if (array->n_dim == 1 || (k->packed && array->n_dim == k->g->n_row))
		return POLY_RUN_BYTES;
	if (!k->packed)
		return poly_row_align(k->g->prog, array);
	for (int i = 0; i < k->g->n_row; i++)
		n = n * k->g->extent[k->g->n_kept + i] % POLY_RUN_BYTES;
	n = n ? (n & -n) * size : POLY_RUN_BYTES;
	return n < POLY_RUN_BYTES ? n : POLY_RUN_BYTES;
}

/* Note the element and the runs of "array", which lies along the lanes. */
static void note_run(struct poly_row_look *k, const struct poly_array *array)
{
	int size = poly_type_size(array->type), run;
	int align = align_of(k, array);

	run = align == POLY_RUN_BYTES ? POLY_ROW_RUN : align / size;
	run = run < 1 ? 1 : run;
	k->run = run < k->run ? run : k->run;
	k->size = !k->size || size < k->size ? size : k->size;
	k->most = size > k->most ? size : k->most;
}

/* Is "pa" 0 everywhere? */
static bool is_zero(__isl_keep isl_pw_aff *pa)
{
	isl_set *other = isl_pw_aff_non_zero_set(isl_pw_aff_copy(pa));
	bool is = isl_set_is_empty(other) == isl_bool_true;

	isl_set_free(other);
	return is;
}

/* Is "index" the same at position "row" for all instances? */
static bool is_fixed(__isl_keep isl_multi_pw_aff *index, int row)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, row);
	bool fixed = isl_pw_aff_is_cst(pa) == isl_bool_true;

	isl_pw_aff_free(pa);
	return fixed;
}

/* Has dimension "d" of "stmt" several values? */
static bool moves(const struct poly_row_look *k, const struct poly_stmt *stmt, int d)
{
	return poly_range_count(k->g->prog, isl_set_copy(stmt->domain), d) > 1;
}

/* The dimension of "stmt" that "index" counts at position "row", -1 if it counts none;
 * "*even": from a multiple of POLY_ROW_RUN on.
 */
static int run_dim(__isl_keep isl_multi_pw_aff *index, int row,
	const struct poly_stmt *stmt, bool *even)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, row);
	int n = isl_set_dim(stmt->domain, isl_dim_set), found = -1;
	isl_multi_aff *own = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(stmt->domain));

	for (int d = 0; d < n && found < 0; d++) {
		isl_pw_aff *rest = isl_pw_aff_sub(isl_pw_aff_copy(pa),
			isl_pw_aff_from_aff(isl_multi_aff_get_at(own, d)));

		if (isl_pw_aff_involves_dims(rest, isl_dim_in, d, 1) ==
		    isl_bool_false)
			found = d;
		rest = isl_pw_aff_mod_val(rest, isl_val_int_from_si(
			isl_pw_aff_get_ctx(pa), POLY_ROW_RUN));
		*even = is_zero(rest);
		isl_pw_aff_free(rest);
	}
	isl_multi_aff_free(own);
	isl_pw_aff_free(pa);
	return found;
}

/* The elements that an access at "index" of statement k->stmt goes through, of axes of any
 * length those that are planned for: what it does not move with counts for nothing.
 */
static double elements_of(const struct poly_row_look *k,
	__isl_keep isl_multi_pw_aff *index)
{
	const struct poly_stmt *s = k->g->prog->stmt[k->stmt];
	double elements = 1;

	for (int d = 0; d < isl_set_dim(s->domain, isl_dim_set); d++) {
		int axis = k->g->axis[k->stmt][d];

		if (isl_multi_pw_aff_involves_dims(index, isl_dim_in, d, 1) ==
		    isl_bool_false)
			continue;
		elements *= k->g->open & 1u << axis ? k->g->extent[axis] :
			poly_range_count(k->g->prog, isl_set_copy(s->domain), d);
	}
	return elements;
}

/* Note that "array", at "index", lies along "axis". */
static void note_along(struct poly_row_look *k, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, int axis)
{
	double elements = elements_of(k, index);
	int i = 0;

	while (i < k->n_noted && (k->noted[i].array != array ||
	       k->noted[i].axis != axis))
		i++;
	if (i == POLY_ROW_NOTED)
		return;
	if (i == k->n_noted)
		k->noted[k->n_noted++] = (struct poly_row_noted) { array, axis, 0 };
	if (elements > k->noted[i].elements)
		k->noted[i].elements = elements;
}

/* Note the access to "array" at "index" by statement k->stmt: the axis that it
 * lies along in memory, and, if lanes go along that axis, the size of its
 * elements and where its rows begin. What the group hands on itself lies in
 * registers and does not count.
 */
static void look_at(struct poly_row_look *k, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	const struct poly_stmt *s = k->g->prog->stmt[k->stmt];
	int row = poly_row_dim(k->g->prog, array), d, axis;
	bool even = true;
	struct poly_row_phase phase;

	if (row < 0 || array->n_dim > POLY_ROW_DIMS || array == k->without ||
	    (poly_is_temp(array) && poly_row_makes(k->g, array)) ||
	    is_fixed(index, row))
		return;
	d = poly_index_dim(index, row, s);
	if (d < 0)
		d = run_dim(index, row, s, &even);
	if (d < 0 || !moves(k, s, d))
		return;
	axis = k->g->axis[k->stmt][d];
	if (k->lane < 0)
		note_along(k, array, index, axis);
	if (axis == k->g->n_kept + k->g->n_row - 1)
		k->packed &= is_packed(k, array, index);
	if (axis != k->lane || !even)
		return;
	k->part |= poly_index_dim(index, row, s) < 0;
	note_run(k, array);
	k->n_access++;
	if (find_phase(k, array, index, row, &phase))
		vote(k, &phase);
}

static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	look_at(user, leaf->array, leaf->index);
}

void poly_row_look_at(struct poly_row_look *k)
{
	for (k->stmt = 0; k->stmt < k->g->n_stmt; k->stmt++) {
		struct poly_stmt *s = k->g->prog->stmt[k->stmt];

		if (!k->g->in[k->stmt] || !poly_row_is_long(k->g, k->stmt))
			continue;
		if (!poly_is_update(s))
			look_at(k, s->write_array, s->write_index);
		poly_expr_each_access(s->rhs, look_at_leaf, k);
	}
}

int poly_row_lane_axis(const struct poly_row_look *k)
{
	int best = k->g->n_kept + k->g->n_row - 1;
	double along[POLY_ROW_DIMS] = { 0 };

	for (int i = 0; i < k->n_noted; i++)
		along[k->noted[i].axis] += k->noted[i].elements;
	for (int i = best - 1; i >= 0; i--)
		if (along[i] > along[best])
			best = i;
	return best;
}
