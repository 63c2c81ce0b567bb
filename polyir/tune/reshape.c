/* Steps of a sum as parts times steps of a part, whose numbers are sizes.
 *
 * A part of a sum has as many steps as the sizes of a launch want. As a function
 * of the step k, the part floor(k / n) is not affine where n is no number. It is
 * a dimension where the step is a pair from the beginning:
 *
 *	[K] -> { S[i, j, k] : k < K }		A[M][K]
 *	[P, L] -> { S[i, j, p, l] : p < P and l < L }	A[M][P][L]
 *
 * An array whose rows have K elements lies in memory as one whose rows are P
 * times L, if K = P L. So the new program is right for whoever sees to that. The
 * two sizes stand behind those of the program, which no caller knows; the launch
 * computes them (nvptx/plan/plan_formula.c).
 *
 *	before: C[i, j] += A[i, k] B[k, j]
 *	after:  C[i, j] += A[i, p, l] B[p, l, j]
 */
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/tune/tune.h"
#include "polyir/sums/sums.h"

/* "size" is K, an "extent" of arrays, "some" where it is not 0, and "name" are those
 * of P and L. Of the statement at hand, "over" says which of its "n" dimensions go
 * over all of K, and "back" maps the new instances to the old ones with the step 0.
 */
struct reshape {
	struct poly_prog *prog;
	isl_pw_aff *extent;
	isl_set *some;
	const char *size;
	char *name[2];
	isl_set *domain;
	bool over[POLY_MAX_DIM];
	int n;
	isl_multi_aff *back;
	bool ok;
};

/* ------------------------------------------------------------- statements */

/* "back" for the domain "now". */
static __isl_give isl_multi_aff *make_back(const struct reshape *t,
	__isl_keep isl_set *now)
{
	isl_local_space *local = isl_local_space_from_space(
		isl_set_get_space(now));
	isl_aff_list *list = isl_aff_list_alloc(t->prog->ctx, t->n);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_set_get_space(now), isl_space_align_params(
		isl_set_get_space(t->domain), isl_set_get_space(now)));

	for (int d = 0, at = 0; d < t->n; d++) {
		list = isl_aff_list_add(list, t->over[d] ?
			isl_aff_zero_on_domain(isl_local_space_copy(local)) :
			isl_aff_var_on_domain(isl_local_space_copy(local),
				isl_dim_set, at));
		at += t->over[d] ? 2 : 1;
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(space, list);
}

/* Let "t" be about "stmt", which gets its new domain. */
static void begin(struct reshape *t, struct poly_stmt *stmt)
{
	isl_set *now = isl_set_copy(stmt->domain);

	t->n = isl_set_dim(now, isl_dim_set);
	t->ok &= t->n <= POLY_MAX_DIM;
	for (int d = t->n - 1; d >= 0 && t->ok; d--) {
		t->over[d] = poly_goes_over(stmt->domain, d, t->size);
		if (!t->over[d])
			continue;
		t->ok &= stmt->reduce != POLY_OP_NONE &&
			isl_multi_pw_aff_involves_dims(stmt->write_index,
				isl_dim_in, d, 1) == isl_bool_false;
		now = isl_set_gist_params(poly_replace_dim(now, d, 2),
			isl_set_copy(t->some));
		now = poly_bound_dim(now, d, t->name[0]);
		now = poly_bound_dim(now, d + 1, t->name[1]);
	}
	t->domain = stmt->domain;
	t->back = make_back(t, now);
	stmt->domain = now;
}

static void end(struct reshape *t)
{
	t->domain = isl_set_free(t->domain);
	t->back = isl_multi_aff_free(t->back);
}

/* The dimension over the size that "at" is on the old domain, or -1. */
static int dim_of(const struct reshape *t, __isl_keep isl_pw_aff *at)
{
	for (int d = 0; d < t->n; d++) {
		isl_pw_aff *var = isl_pw_aff_var_on_domain(
			isl_local_space_from_space(isl_set_get_space(
			t->domain)), isl_dim_set, d);
		isl_pw_aff *one = isl_pw_aff_intersect_domain(
			isl_pw_aff_copy(at), isl_set_copy(t->domain));
		bool same;

		var = isl_pw_aff_intersect_domain(var,
			isl_set_copy(t->domain));
		same = t->over[d] &&
			isl_pw_aff_is_equal(one, var) == isl_bool_true;
		isl_pw_aff_free(one);
		isl_pw_aff_free(var);
		if (same)
			return d;
	}
	return -1;
}

/* Is "at" without the dimensions over the size? */
static bool is_without(const struct reshape *t, __isl_keep isl_pw_aff *at)
{
	for (int d = 0; d < t->n; d++)
		if (t->over[d] && isl_pw_aff_involves_dims(at, isl_dim_in, d,
			1) != isl_bool_false)
			return false;
	return true;
}

/* The new dimensions of part and step for the old one "d". */
static __isl_give isl_pw_aff_list *add_pair(const struct reshape *t,
	__isl_take isl_pw_aff_list *list, int d)
{
	isl_space *space = isl_multi_aff_get_domain_space(t->back);
	int at = d;

	for (int i = 0; i < d; i++)
		at += t->over[i];
	for (int i = 0; i < 2; i++)
		list = isl_pw_aff_list_add(list, isl_pw_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(space)),
			isl_dim_set, at + i));
	isl_space_free(space);
	return list;
}

/* Is extent "d" of "a", as it was before, the size? */
static bool is_size(const struct reshape *t, const struct poly_array *a, int d)
{
	isl_pw_aff *n = isl_multi_pw_aff_get_at(a->extent, d);
	bool is = isl_pw_aff_is_equal(n, t->extent) == isl_bool_true;

	isl_pw_aff_free(n);
	return is;
}

/* "index" into "a" as a function of the new instances. */
static __isl_give isl_multi_pw_aff *reshape_index(struct reshape *t,
	__isl_take isl_multi_pw_aff *index, const struct poly_array *a)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(t->prog->ctx, 0);
	isl_space *space = isl_multi_aff_get_domain_space(t->back);
	isl_space *to = isl_space_set_from_params(isl_space_params(
		isl_space_copy(space)));
	isl_size n = isl_multi_pw_aff_dim(index, isl_dim_out);

	for (int i = 0; i < n; i++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(index, i);
		bool pair = is_size(t, a, i);
		int d = pair ? dim_of(t, at) : -1;

		t->ok &= pair ? d >= 0 : is_without(t, at);
		if (d >= 0)
			list = add_pair(t, list, d);
		else
			list = isl_pw_aff_list_add(list,
				isl_pw_aff_pullback_multi_aff(
				isl_pw_aff_copy(at),
				isl_multi_aff_copy(t->back)));
		isl_pw_aff_free(at);
	}
	to = isl_space_add_dims(to, isl_dim_set, isl_pw_aff_list_size(list));
	to = isl_space_set_tuple_id(to, isl_dim_set,
		isl_multi_pw_aff_get_tuple_id(index, isl_dim_out));
	isl_multi_pw_aff_free(index);
	return isl_multi_pw_aff_from_pw_aff_list(
		isl_space_map_from_domain_and_range(space, to), list);
}

/* Make all indices of "e" functions of the new instances. t->ok becomes false
 * for what cannot be said without the old step: indices computed from it,
 * gathers and scatters.
 */
static void reshape_expr(struct reshape *t, struct poly_expr *e)
{
	if (!e || !t->ok)
		return;
	if (e->op == POLY_OP_ACCESS) {
		e->index = reshape_index(t, e->index, e->array);
	} else if (e->index) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(e->index, 0);

		t->ok &= is_without(t, at);
		isl_pw_aff_free(at);
		e->index = isl_multi_pw_aff_pullback_multi_aff(e->index,
			isl_multi_aff_copy(t->back));
	}
	t->ok &= e->op != POLY_OP_GATHER && e->op != POLY_OP_SCATTER &&
		e->op != POLY_OP_LOOP;
	for (int i = 0; i < POLY_MAX_ARG; i++)
		reshape_expr(t, e->arg[i]);
}

/* Give "stmt" the new domain, and the accesses that go with it. */
static void reshape_stmt(struct reshape *t, struct poly_stmt *stmt)
{
	begin(t, stmt);
	if (t->ok)
		stmt->write_index = reshape_index(t, stmt->write_index,
			stmt->write_array);
	reshape_expr(t, stmt->rhs);
	end(t);
}

/* ----------------------------------------------------------------- arrays */

/* Each dimension of "a" whose extent is the size becomes two, of the parts and
 * of the steps of one; elements stay where they are in memory.
 */
static void reshape_array(struct reshape *t, struct poly_array *a)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(t->prog->ctx, a->n_dim);
	isl_space *params = isl_set_get_space(t->prog->context);
	isl_space *space = isl_space_set_from_params(isl_space_copy(params));

	for (int d = 0; d < a->n_dim; d++) {
		for (int i = 0; i < 2 && is_size(t, a, d); i++)
			list = isl_pw_aff_list_add(list, isl_pw_aff_from_aff(
				poly_size_at(isl_space_copy(params), t->name[i])));
		if (!is_size(t, a, d))
			list = isl_pw_aff_list_add(list,
				isl_multi_pw_aff_get_at(a->extent, d));
	}
	isl_space_free(params);
	a->n_dim = isl_pw_aff_list_size(list);
	space = isl_space_add_dims(space, isl_dim_set, a->n_dim);
	space = isl_space_set_tuple_name(space, isl_dim_set, a->name);
	isl_multi_pw_aff_free(a->extent);
	a->extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
}

/* Add the two sizes; false without memory. */
static bool add_sizes(struct reshape *t)
{
	for (int i = 0; i < 2; i++) {
		const struct poly_param *p = poly_prog_add_hidden(t->prog,
			t->size, POLY_PARTS + i);

		t->name[i] = p ? strdup(p->name) : NULL;
		if (!t->name[i])
			return false;
	}
	return true;
}

bool poly_reshape(struct poly_prog *prog, const char *size)
{
	struct reshape t = { .prog = prog, .size = size };

	/* the dimensions of an array with strides are not divided */
	t.ok = !prog->original && !prog->n_hidden && !poly_has_strides(prog) &&
		add_sizes(&t);
	t.extent = isl_pw_aff_from_aff(poly_size_at(
		isl_set_get_space(prog->context), size));
	t.some = isl_pw_aff_pos_set(isl_pw_aff_copy(t.extent));
	for (int i = 0; i < prog->n_stmt && t.ok; i++)
		reshape_stmt(&t, prog->stmt[i]);
	for (int i = 0; i < prog->n_array && t.ok; i++)
		reshape_array(&t, prog->array[i]);
	isl_pw_aff_free(t.extent);
	isl_set_free(t.some);
	free(t.name[0]);
	free(t.name[1]);
	return t.ok;
}
