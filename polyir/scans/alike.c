/* What begins a recurrence reads elements as the recurrence does.
 *
 *	y[i, 0] = x[i, 0]		y[i, j] = x[i, j], where j = 0
 *	S: y[i, j] = y[i, j - 1] + x[i, j]
 *
 * so that one load of a row has them all.
 */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/scans/scans.h"

/* The reads of "stmt", which begins "scan": "leaf" is the one that is looked at. */
struct alike {
	struct poly_stmt *stmt, *scan;
	struct poly_expr *leaf;
};

/* "index", of an instance of the recurrence, as that of what begins it, whose
 * dimensions are as many.
 */
static __isl_give isl_multi_pw_aff *moved(const struct alike *a,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_space *from = isl_set_get_space(a->stmt->domain);
	isl_space *to = isl_set_get_space(a->scan->domain);
	int n = isl_space_dim(to, isl_dim_set);
	isl_aff_list *list = isl_aff_list_alloc(isl_space_get_ctx(to), n);

	from = isl_space_align_params(from, isl_space_params(
		isl_space_copy(to)));
	to = isl_space_align_params(to, isl_space_params(
		isl_space_copy(from)));
	for (int d = 0; d < n; d++)
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(from)),
			isl_dim_set, d));
	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(index), isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(from, to), list));
}

/* Is "index" what "a->leaf" reads, at all instances? */
static bool is_same(const struct alike *a, __isl_keep isl_multi_pw_aff *index)
{
	isl_map *own = poly_stmt_read(a->stmt, a->leaf);
	isl_map *other = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)), isl_set_copy(a->stmt->domain));
	bool same = isl_map_is_equal(own, other) == isl_bool_true;

	isl_map_free(own);
	isl_map_free(other);
	return same;
}

/* Let "a->leaf" have the index of "other", a read of the recurrence, if it can. */
static void take_index(struct poly_expr *other, void *user)
{
	struct alike *a = user;
	isl_multi_pw_aff *index;

	if (other->array != a->leaf->array)
		return;
	index = moved(a, other->index);
	if (is_same(a, index)) {
		isl_multi_pw_aff_free(a->leaf->index);
		a->leaf->index = index;
	} else {
		isl_multi_pw_aff_free(index);
	}
}

/* Compare the read "leaf" with all reads of the recurrence. */
static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct alike *a = user;

	a->leaf = leaf;
	poly_expr_each_access(a->scan->rhs, take_index, a);
}

void poly_scan_read_alike(struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_stmt; i++) {
		struct alike a = { .scan = prog->stmt[i] };

		if (!poly_recurrence_read(prog, a.scan, NULL))
			continue;
		for (int k = 0; k < prog->n_stmt; k++) {
			a.stmt = prog->stmt[k];
			if (k != i && a.stmt->kind == POLY_POINT &&
			    a.stmt->write_array == a.scan->write_array &&
			    isl_set_dim(a.stmt->domain, isl_dim_set) ==
			    isl_set_dim(a.scan->domain, isl_dim_set))
				poly_expr_each_access(a.stmt->rhs, look_at_leaf,
					&a);
		}
	}
}
