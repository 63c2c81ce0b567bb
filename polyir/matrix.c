/* Which programs the tiled mapping is for.
 *
 * Matrix expressions become statements over [i, j], products over [i, j, k],
 * whose accesses are plain: each index is one of i, j, k or a constant. All of
 * them have two parallel dimensions, so that distribute.c finds kernels that
 * map_tiles.c can cut into tiles. Everything else takes the general way
 * (map_points.c): other ranks, products with vectors, recurrences, triangles,
 * and what has an order of its own.
 */
#include "polyir_internal.h"

/* True if "pa" is one of the statement's dimensions or a constant; sets "*dim"
 * to the dimension, or to -1.
 */
static bool is_plain(__isl_keep isl_pw_aff *pa, int *dim)
{
	isl_pw_aff *one;
	int n = isl_pw_aff_dim(pa, isl_dim_in);
	bool found = isl_pw_aff_is_cst(pa) == isl_bool_true;

	*dim = -1;
	for (int i = 0; i < n && !found; i++) {
		isl_space *space = isl_pw_aff_get_domain_space(pa);

		one = isl_pw_aff_var_on_domain(
			isl_local_space_from_space(space), isl_dim_set, i);
		found = isl_pw_aff_plain_is_equal(pa, one) == isl_bool_true;
		isl_pw_aff_free(one);
		if (found)
			*dim = i;
	}
	return found;
}

/* Are the entries of "index" plain, and no dimension used twice? */
static bool is_plain_index(__isl_keep isl_multi_pw_aff *index)
{
	int n = isl_multi_pw_aff_size(index), used = 0;
	bool ok = n == 2;

	for (int i = 0; i < n && ok; i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);
		int dim;

		ok = is_plain(pa, &dim);
		isl_pw_aff_free(pa);
		if (ok && dim >= 0) {
			ok = !(used & 1 << dim);
			used |= 1 << dim;
		}
	}
	return ok;
}

static void check_read(struct poly_expr *leaf, void *user)
{
	bool *ok = user;

	*ok = *ok && leaf->array->n_dim == 2 && is_plain_index(leaf->index);
}

static bool has_index(const struct poly_expr *e)
{
	bool found = e->op == POLY_OP_INDEX;

	for (int i = 0; i < poly_op_n_arg(e->op) && !found; i++)
		found = has_index(e->arg[i]);
	return found;
}

/* "set" without what ties its dimension "i" to the others. */
static __isl_give isl_set *range_of(__isl_keep isl_set *set, int i, int n)
{
	isl_set *range = isl_set_project_out(isl_set_copy(set), isl_dim_set,
		i + 1, n - i - 1);

	range = isl_set_project_out(range, isl_dim_set, 0, i);
	range = isl_set_insert_dims(range, isl_dim_set, 1, n - i - 1);
	range = isl_set_insert_dims(range, isl_dim_set, 0, i);
	return isl_set_set_tuple_id(range, isl_set_get_tuple_id(set));
}

/* Is the domain of "s" the product of its dimensions' ranges? */
static bool is_box(const struct poly_stmt *s)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	isl_set *box = isl_set_universe(isl_set_get_space(s->domain));
	isl_bool equal;

	for (int i = 0; i < n; i++)
		box = isl_set_intersect(box, range_of(s->domain, i, n));
	equal = isl_set_is_equal(box, s->domain);
	isl_set_free(box);
	return equal == isl_bool_true;
}

/* A value of one element, or of a product's operand, which may be cast. */
static bool is_operand(const struct poly_expr *e)
{
	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return e->op == POLY_OP_ACCESS;
}

/* Does "s", a product, write a vector? Tiles would have one row. */
static bool writes_vector(const struct poly_stmt *s)
{
	for (int i = 0; i < 2; i++) {
		isl_val *v = isl_set_plain_get_val_if_fixed(s->domain,
			isl_dim_set, i);
		bool fixed = isl_val_is_int(v) == isl_bool_true;

		isl_val_free(v);
		if (fixed)
			return true;
	}
	return false;
}

static bool is_matrix_stmt(const struct poly_stmt *s)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	const struct poly_expr *e = s->rhs;
	bool ok = s->kind == POLY_POINT && s->write_array->n_dim == 2 &&
		is_plain_index(s->write_index) && !has_index(e);

	poly_expr_each_access(s->rhs, check_read, &ok);
	if (!ok || !is_box(s))
		return false;
	if (s->reduce == POLY_OP_NONE)
		return n == 2;
	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return n == 3 && !writes_vector(s) && s->reduce == POLY_OP_ADD &&
		e->op == POLY_OP_MUL &&
		is_operand(e->arg[0]) && is_operand(e->arg[1]);
}

/* How many plain statements write "a". */
static int n_writer(const struct poly_prog *prog, const struct poly_array *a)
{
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		n += prog->stmt[i]->write_array == a &&
			prog->stmt[i]->reduce == POLY_OP_NONE;
	return n;
}

bool poly_is_matrix(const struct poly_prog *prog)
{
	if (prog->original)
		return false;
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    (!is_matrix_stmt(prog->stmt[i]) ||
		     n_writer(prog, prog->stmt[i]->write_array) > 1))
			return false;
	return true;
}
