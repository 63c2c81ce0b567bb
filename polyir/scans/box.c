/* The box of a recurrence: which dimensions tell its rows apart, and how many values
 * each has.
 */
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/scans/scans.h"

/* The least value of dimension "d" of "set", or the greatest; false if it has none. */
static bool find_end(__isl_keep isl_set *set, int d, bool greatest, int64_t *end)
{
	isl_val *v = greatest ? isl_set_dim_max_val(isl_set_copy(set), d) :
		isl_set_dim_min_val(isl_set_copy(set), d);
	bool is = isl_val_is_int(v) == isl_bool_true &&
		isl_val_cmp_si(v, INT32_MAX) < 0 &&
		isl_val_cmp_si(v, -INT32_MAX) > 0;

	*end = is ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return is;
}

/* Is "set" the box of the values that its dimensions have? */
static bool is_box(__isl_keep isl_set *set)
{
	isl_set *box = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_copy(set)));
	int n = isl_set_dim(set, isl_dim_set);
	bool is;

	for (int d = 0; d < n; d++) {
		int64_t first, last;

		if (!find_end(set, d, false, &first) ||
		    !find_end(set, d, true, &last)) {
			isl_set_free(box);
			return false;
		}
		box = isl_set_drop_constraints_involving_dims(box, isl_dim_set,
			d, 1);
		box = isl_set_lower_bound_si(box, isl_dim_set, d, (int)first);
		box = isl_set_upper_bound_si(box, isl_dim_set, d, (int)last);
	}
	is = isl_set_is_subset(box, set) == isl_bool_true;
	isl_set_free(box);
	return is;
}

/* Find the dimensions of the rows of "stmt", whose instances are "set". */
static bool find_dims(__isl_keep isl_set *set, struct poly_scan_box *box)
{
	struct poly_stmt *s = box->stmt;
	int n = isl_set_dim(set, isl_dim_set);

	for (int k = 0; k < n; k++) {
		int d = poly_index_dim(s->write_index, k, s);
		int64_t first, last;

		if (!find_end(set, d, false, &first) ||
		    !find_end(set, d, true, &last))
			return false;
		if (d == box->r.dim) {
			box->coord = k;
			box->first = first;
			box->end = last + 1;
			continue;
		}
		if (first < 0)
			return false;
		box->count[box->n_outer] = last + 1;
		box->outer[box->n_outer++] = d;
	}
	return true;
}

bool poly_scan_box(struct poly_prog *prog, struct poly_stmt *stmt,
	struct poly_scan_box *box)
{
	isl_set *set;
	bool found;

	*box = (struct poly_scan_box) { .stmt = stmt };
	if (!poly_prog_is_fixed(prog) ||
	    !poly_recurrence_read(prog, stmt, &box->r) || box->r.over >= 0 ||
	    isl_set_dim(stmt->domain, isl_dim_set) > POLY_SCAN_DIMS - 2)
		return false;
	set = isl_set_intersect_params(isl_set_copy(stmt->domain),
		poly_known_sizes(prog));
	found = isl_set_is_empty(set) == isl_bool_false && is_box(set) &&
		find_dims(set, box);
	isl_set_free(set);
	return found;
}

int64_t poly_scan_rows(const struct poly_scan_box *box)
{
	double rows = 1;

	for (int i = 0; i < box->n_outer; i++)
		rows *= (double)box->count[i];
	return rows > (double)INT64_MAX / 2 ? INT64_MAX : (int64_t)rows;
}
