/* Loops whose iterations depend only on what lies a number of iterations before: as
 * many loops side by side.
 *
 *	for (i = 4; i < n; i++)		for (r = 0; r < 4; r++)	in parallel
 *		a[i] = a[i - 4] + b[i];		for (q = 1; 4 * q + r < n; q++)
 *							a[4 * q + r] = ..
 *
 * So is a loop that updates few cells in turn, "h[i % 64] += x[i]", whose sums are
 * over q then. It is done where no other loop around the statement is parallel, and
 * not for a script, whose loops are those of the text.
 */
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/stride_info.h>
#include <isl/union_map.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/prepare/prepare.h"

/* Iterations between those that depend on one another, at most: of more, ranges are
 * parallel (cut_loops). Dimensions.
 */
enum { MOST_STRIDE = 1024, MOST_DIM = 8 };

/* The cells of the array of "stmt" that it accesses. */
struct access {
	struct poly_stmt *stmt;
	isl_map *map;
};

static void add_read(struct poly_expr *leaf, void *user)
{
	struct access *a = user;

	if (leaf->array == a->stmt->write_array)
		a->map = isl_map_union(a->map, poly_stmt_read(a->stmt, leaf));
}

/* Pairs of instances of "stmt" of which one writes what the other accesses, for the
 * sizes that are known.
 */
static __isl_give isl_map *pairs_of(struct poly_prog *prog,
	struct poly_stmt *stmt)
{
	isl_map *write = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(stmt->write_index)),
		isl_set_copy(stmt->domain));
	struct access a = { stmt, isl_map_copy(write) };

	poly_expr_each_access(stmt->rhs, add_read, &a);
	return isl_map_intersect_params(isl_map_apply_range(a.map,
		isl_map_reverse(write)), poly_known_sizes(prog));
}

/* Do all instances that lie one of "distance" apart depend on one another? In
 * "a[i] = a[n - i]", which has other ways to run in parallel, they do not.
 */
static bool is_everywhere(const struct poly_prog *prog,
	const struct poly_stmt *stmt, __isl_keep isl_map *pairs,
	__isl_keep isl_set *distance)
{
	isl_map *all = isl_set_unwrap(isl_set_apply(isl_set_copy(distance),
		isl_map_reverse(isl_map_deltas_map(isl_map_universe(
		isl_map_get_space(pairs))))));
	bool are;

	all = isl_map_intersect_domain(all, isl_set_copy(stmt->domain));
	all = isl_map_intersect_range(all, isl_set_copy(stmt->domain));
	all = isl_map_intersect_params(all, isl_set_copy(prog->context));
	pairs = isl_map_union(isl_map_copy(pairs), isl_map_reverse(
		isl_map_copy(pairs)));
	are = isl_map_is_subset(all, pairs) == isl_bool_true;
	isl_map_free(all);
	isl_map_free(pairs);
	return are;
}

static int64_t gcd(int64_t a, int64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* The absolute value of "v", which is taken; 1 if that is large, or no number. */
static int64_t small_number(__isl_take isl_val *v)
{
	int64_t n = 1;

	v = isl_val_abs(v);
	if (isl_val_is_int(v) == isl_bool_true &&
	    isl_val_cmp_si(v, MOST_STRIDE) <= 0)
		n = isl_val_get_num_si(v);
	isl_val_free(v);
	return n;
}

/* Let "*k" divide all numbers of "bset", which has one dimension. */
static isl_stat add_numbers(__isl_take isl_basic_set *bset, void *user)
{
	int64_t *k = user;
	isl_set *set = isl_set_from_basic_set(bset);
	isl_stride_info *info;
	isl_val *v = isl_set_plain_get_val_if_fixed(set, isl_dim_set, 0);
	isl_aff *offset;

	if (isl_val_is_int(v) == isl_bool_true) {
		*k = gcd(*k, small_number(v));
		isl_set_free(set);
		return isl_stat_ok;
	}
	isl_val_free(v);
	info = isl_set_get_stride_info(set, 0);
	offset = isl_stride_info_get_offset(info);
	*k = gcd(*k, small_number(isl_stride_info_get_stride(info)));
	*k = gcd(*k, isl_aff_is_cst(offset) == isl_bool_true ?
		small_number(isl_aff_get_constant_val(offset)) : 1);
	isl_aff_free(offset);
	isl_stride_info_free(info);
	isl_set_free(set);
	return isl_stat_ok;
}

/* The number of iterations of dimension "d" between those that depend on one another
 * in one iteration of the loops before; 0: none do.
 */
static int64_t stride(__isl_keep isl_set *distance, int d)
{
	int n = isl_set_dim(distance, isl_dim_set);
	isl_set *set = isl_set_copy(distance);
	int64_t k = 0;

	for (int i = 0; i < d; i++)
		set = isl_set_fix_si(set, isl_dim_set, i, 0);
	set = isl_set_project_out(set, isl_dim_set, d + 1, n - d - 1);
	set = isl_set_project_out(set, isl_dim_set, 0, d);
	isl_set_foreach_basic_set(set, add_numbers, &k);
	isl_set_free(set);
	return k;
}

/* The dimension of "stmt" to be divided, by "*k"; -1: none. */
static int find_dim(struct poly_prog *prog, struct poly_stmt *stmt,
	int64_t *k)
{
	isl_map *pairs = pairs_of(prog, stmt);
	isl_set *distance = isl_map_deltas(isl_map_copy(pairs));
	int n = isl_set_dim(stmt->domain, isl_dim_set), found = -1;

	for (int d = 0; d < n && distance; d++) {
		int64_t by = stride(distance, d);

		if (!by) {
			found = -1;
			break;
		}
		if (by > 1 && found < 0) {
			found = d;
			*k = by;
		}
	}
	if (found >= 0 && !is_everywhere(prog, stmt, pairs, distance))
		found = -1;
	isl_set_free(distance);
	isl_map_free(pairs);
	return found;
}

/* The instances of "stmt" as they were, where dimension "d" is "k" times the one behind
 * it and itself.
 */
static __isl_give isl_multi_aff *divided(const struct poly_stmt *stmt, int d,
	int64_t k)
{
	isl_space *to = isl_set_get_space(stmt->domain), *from;
	int n = isl_space_dim(to, isl_dim_set);
	isl_id *name = isl_space_get_tuple_id(to, isl_dim_set);
	isl_multi_aff *ma;

	from = isl_space_insert_dims(isl_space_copy(to), isl_dim_set, d + 1, 1);
	from = isl_space_set_tuple_id(from, isl_dim_set, name);
	ma = isl_multi_aff_zero(isl_space_map_from_domain_and_range(
		isl_space_copy(from), to));
	for (int i = 0; i < n; i++) {
		isl_aff *aff = isl_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(from)),
			isl_dim_set, i + (i > d));

		if (i == d)
			aff = isl_aff_set_coefficient_si(aff, isl_dim_in,
				d + 1, (int)k);
		ma = isl_multi_aff_set_at(ma, i, aff);
	}
	isl_space_free(from);
	return ma;
}

static void simplify_read(struct poly_expr *leaf, void *user)
{
	const struct poly_stmt *stmt = user;

	leaf->index = isl_multi_pw_aff_gist(leaf->index,
		isl_set_copy(stmt->domain));
}

/* Divide dimension "d" of "stmt" by "k". */
static isl_stat divide(struct poly_prog *prog, struct poly_stmt *stmt, int d,
	int64_t k)
{
	isl_multi_aff *ma = divided(stmt, d, k);

	poly_stmt_pull(stmt, ma);
	stmt->domain = isl_set_lower_bound_si(stmt->domain, isl_dim_set, d, 0);
	stmt->domain = isl_set_upper_bound_si(stmt->domain, isl_dim_set, d,
		(int)k - 1);
	stmt->write_index = isl_multi_pw_aff_gist(stmt->write_index,
		isl_set_copy(stmt->domain));
	poly_expr_each_access(stmt->rhs, simplify_read, stmt);
	return poly_pull_stmt(prog, stmt, ma);
}

int poly_divide_strides(struct poly_prog *prog)
{
	int n = 0, d;
	int64_t k = 0;

	if (!prog->original)
		return 0;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (s->kind != POLY_POINT || !s->rhs || s->atomic ||
		    s->rhs->op == POLY_OP_SCATTER ||
		    isl_set_dim(s->domain, isl_dim_set) >= MOST_DIM ||
		    (s->reduce == POLY_OP_NONE &&
		     !poly_expr_accesses(s->rhs, s->write_array)))
			continue;
		d = find_dim(prog, s, &k);
		if (d < 0)
			continue;
		if (divide(prog, s, d, k) < 0)
			return -1;
		n++;
	}
	return n;
}
