/* Two programs that share the points of an axis.
 *
 * Where tiles are some rounds of the machine and a few more, these few are a
 * product of their own, whose sum is divided (rest.c). For sizes that are not
 * known the place of the cut is a size, too, which the launch chooses. Two
 * programs share the points there: one takes the first, one the others.
 *
 *	S[i, j, k], j < N:  C[i, j] += A[i, k] B[k, j]
 *
 *	first:	S[i, j, k], j < F:	C[i, j] += A[i, k] B[k, j]
 *	others:	S[i, j, k], j < N - F:	C[i, j + F] += A[i, k] B[k, j + F]
 *
 * Each has tiles and sums of its own, and has its dependences checked. One after
 * the other, they are the whole: every instance is in one of them, and none needs
 * the other one's, since what the program writes is read at the points of the same
 * j. Other programs cannot be shared.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/tune/tune.h"

/* "dim" is the dimension of "stmt", the statement at hand, that goes over "size". */
struct take {
	struct poly_prog *prog;
	const char *size;
	const struct poly_stmt *stmt;
	int dim;
	bool ok;
};

/* The only dimension of "stmt" that goes over "size", else -1. */
static int find_dim(const struct poly_stmt *stmt, const char *size)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set), found = -1;

	for (int d = 0; d < n; d++) {
		if (!poly_goes_over(stmt->domain, d, size))
			continue;
		if (found >= 0)
			return -1;
		found = d;
	}
	return found;
}

/* The only dimension of "a" that is as long as the size, else -1. */
static int find_extent(const struct take *t, const struct poly_array *a)
{
	isl_pw_aff *size = isl_pw_aff_from_aff(poly_size_at(
		isl_set_get_space(t->prog->context), t->size));
	int found = -1, n = 0;

	for (int d = 0; d < a->n_dim; d++) {
		isl_pw_aff *length = isl_multi_pw_aff_get_at(a->extent, d);

		if (isl_pw_aff_is_equal(length, size) == isl_bool_true) {
			found = d;
			n++;
		}
		isl_pw_aff_free(length);
	}
	isl_pw_aff_free(size);
	return n == 1 ? found : -1;
}

/* What the program writes must be accessed at the statement's own point. */
static void check_access(struct take *t, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	int at = find_extent(t, a);

	if (a->role != POLY_INPUT)
		t->ok &= at >= 0 && poly_index_dim(index, at, t->stmt) ==
			t->dim;
}

static void check_read(struct poly_expr *leaf, void *user)
{
	check_access(user, leaf->array, leaf->index);
}

/* What data tell the place of must be an input. */
static void check_gather(struct poly_expr *leaf, void *user)
{
	struct take *t = user;

	t->ok &= leaf->array->role == POLY_INPUT;
}

bool poly_can_take(struct poly_prog *prog, const char *size)
{
	struct take t = { .prog = prog, .size = size };

	t.ok = !prog->original;
	for (int i = 0; i < prog->n_stmt && t.ok; i++) {
		t.stmt = prog->stmt[i];
		t.dim = find_dim(t.stmt, size);
		t.ok = t.dim >= 0 && !poly_is_scatter(t.stmt);
		if (!t.ok)
			return false;
		check_access(&t, t.stmt->write_array, t.stmt->write_index);
		poly_expr_each_access(t.stmt->rhs, check_read, &t);
		poly_expr_each_gather(t.stmt->rhs, check_gather, &t);
	}
	return t.ok;
}

/* "{ S[.., j, ..] -> S[.., j + FIRST, ..] }" on the space of "set", "d" being j. */
static __isl_give isl_multi_aff *shift(__isl_keep isl_set *set, int d,
	const char *first)
{
	isl_aff *more = poly_size_at(isl_set_get_space(set), first);
	isl_multi_aff *to = isl_multi_aff_identity_on_domain_space(
		isl_aff_get_domain_space(more));

	return isl_multi_aff_set_at(to, d, isl_aff_add(
		isl_multi_aff_get_at(to, d), more));
}

/* "set" where dimension "d" has only as many values as are behind FIRST. */
static __isl_give isl_set *leave_others(__isl_take isl_set *set, int d,
	const char *size, const char *first)
{
	isl_pw_aff *end = isl_pw_aff_from_aff(poly_size_at(
		isl_set_get_space(set), size));
	isl_pw_aff *less = isl_pw_aff_from_aff(poly_size_at(
		isl_set_get_space(set), first));
	isl_pw_aff *at = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(set)), isl_dim_set, d);

	set = isl_set_lower_bound_si(set, isl_dim_set, d, 0);
	return isl_set_intersect(set, isl_pw_aff_lt_set(at,
		isl_pw_aff_sub(end, less)));
}

/* Let "stmt" have its share of the points of dimension "d". */
static void take_points(struct poly_stmt *stmt, int d, const char *size,
	const struct poly_param *first)
{
	isl_set *some = isl_set_params(isl_set_copy(stmt->domain));
	isl_set *now = isl_set_gist_params(poly_replace_dim(stmt->domain, d, 1),
		some);
	isl_multi_aff *to;

	stmt->domain = first->behind ?
		leave_others(now, d, size, first->name) :
		poly_bound_dim(now, d, first->name);
	if (!first->behind)
		return;
	to = shift(stmt->domain, d, first->name);
	stmt->write_index = isl_multi_pw_aff_pullback_multi_aff(
		stmt->write_index, isl_multi_aff_copy(to));
	poly_expr_pullback(stmt->rhs, to);
	isl_multi_aff_free(to);
}

bool poly_take(struct poly_prog *prog, const char *size, int axis, bool others)
{
	struct poly_param *first = poly_prog_add_hidden(prog, size,
		POLY_FIRST_0 + axis);

	if (!first)
		return false;
	first->behind = others;
	for (int i = 0; i < prog->n_stmt; i++)
		take_points(prog->stmt[i], find_dim(prog->stmt[i], size), size,
			first);
	return true;
}
