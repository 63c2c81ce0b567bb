/* Which updates at places that data tell had better be sorted by their cells.
 *
 * Those that memory cannot make in any order at once: sums of floats whose order counts,
 * or that shall have the same bits in each run, and products. Asked of every cell, such an
 * update takes as many steps as there are pairs of cells and terms.
 */
#include <math.h>

#include <isl/val.h>

#include "polyir/cost/cost.h"
#include "polyir/deps/deps.h"
#include "polyir/sets/sets.h"
#include "polyir/cut/owners.h"
#include "polyir/prepare/prepare.h"

/* Cells that are worth a sort where the number of terms is not known, and those whose terms
 * have an order: fewer of them are found sooner by threads that ask.
 */
enum { MANY_CELLS = 256, MANY_IN_ORDER = 8 };
/* Launches of a pass of the sort, and of what comes before and behind. */
enum { PASS_LAUNCHES = 6, OTHER_LAUNCHES = 4 };

/* ---------------------------------------------------------------- statements */

/* Does "s" put numbers of a type together in memory, by sums or products that are not
 * atomic, where it is meant?
 */
static bool is_update(const struct poly_prog *prog, const struct poly_stmt *s)
{
	const struct poly_array *a = s->write_array;

	if (s->kind != POLY_POINT || s->atomic || s->across || s->fold ||
	    (s->reduce != POLY_OP_ADD && s->reduce != POLY_OP_MUL) ||
	    a->space != POLY_GLOBAL || a->stride || a->scattered || !a->n_dim ||
	    !poly_type_is_float(a->type) || poly_type_compute(a->type) != a->type ||
	    s->rhs->op != POLY_OP_SELECT || s->rhs->type != a->type)
		return false;
	return !poly_expr_accesses(s->rhs, a) && poly_skips(s) &&
		!poly_is_atomic(prog, s);
}

/* ----------------------------------------------------------------- dimensions */

/* Tell the dimensions of the update apart: one for each coordinate, one of which data
 * tell, and one that counts terms.
 */
static bool find_dims(struct poly_owners *o)
{
	const struct poly_stmt *s = o->s;
	int n = isl_set_dim(s->domain, isl_dim_set), n_told = 0;
	bool seen[POLY_OWN_DIMS] = { false };

	if (n != s->write_array->n_dim + 1 || n > POLY_OWN_DIMS)
		return false;
	for (int d = 0; d < n - 1; d++) {
		int dim = poly_index_dim(s->write_index, d, s);

		if (dim < 0 || seen[dim])
			return false;
		seen[dim] = true;
		if (!poly_wanted(s, dim))
			continue;
		o->told = d;
		o->cell = dim;
		n_told++;
	}
	while (seen[o->term])
		o->term++;
	o->wanted = n_told == 1 ? poly_wanted(s, o->cell) : NULL;
	return o->wanted != NULL;
}

/* Does "e" need no more than the term? */
static bool is_of_term(const struct poly_owners *o, const struct poly_expr *e)
{
	int n = isl_set_dim(o->s->domain, isl_dim_set);

	for (int d = 0; d < n; d++)
		if (d != o->term && poly_expr_moves(e, d))
			return false;
	return true;
}

/* Keep what "cond" asks beside which cell is meant. */
static void find_rest(struct poly_owners *o, const struct poly_expr *cond)
{
	struct poly_expr *one;

	if (cond->op == POLY_OP_AND && cond->type == POLY_BOOL) {
		find_rest(o, cond->arg[0]);
		find_rest(o, cond->arg[1]);
		return;
	}
	if (cond->op == POLY_OP_EQ && (cond->arg[0] == o->wanted ||
	    cond->arg[1] == o->wanted))
		return;
	one = poly_expr_copy(cond);
	o->rest = o->rest ? poly_expr_op(POLY_OP_AND, POLY_BOOL, o->rest, one) : one;
}

/* Are the terms of all cells the same, from 0 to one end? Fills in that, and the cells, which
 * are there without a term, too.
 */
static bool is_box(struct poly_owners *o)
{
	struct poly_stmt *s = o->s;
	isl_pw_aff *most = isl_set_dim_max(isl_set_copy(s->domain), o->term);
	isl_pw_aff *end = poly_first_piece(most);
	isl_set *known = poly_known_sizes(o->prog), *all, *own;
	bool is = false;

	isl_pw_aff_free(most);
	if (end) {
		o->n = isl_pw_aff_add_constant_val(end, isl_val_one(o->prog->ctx));
		o->m = isl_multi_pw_aff_get_at(s->write_array->extent, o->told);
		all = isl_set_drop_constraints_involving_dims(isl_set_copy(s->domain),
			isl_dim_set, (unsigned)o->term, 1);
		o->cells = isl_map_range(isl_map_intersect_domain(
			isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(
			s->write_index)), all));
		all = isl_set_preimage_multi_pw_aff(isl_set_copy(o->cells),
			isl_multi_pw_aff_copy(s->write_index));
		all = poly_owners_below(all, o->term, isl_pw_aff_copy(o->n));
		all = isl_set_intersect_params(all, isl_set_copy(known));
		own = isl_set_intersect_params(isl_set_copy(s->domain),
			isl_set_copy(known));
		is = isl_set_is_equal(all, own) == isl_bool_true;
		isl_set_free(all);
		isl_set_free(own);
	}
	isl_set_free(known);
	return is;
}

/* ----------------------------------------------------------------- the order */

/* The instances that "node" has: of a filter those that it lets through. */
static __isl_give isl_union_set *instances_of(__isl_keep isl_schedule_node *node)
{
	isl_union_set *domain = isl_schedule_node_get_domain(node);

	return isl_schedule_node_get_type(node) == isl_schedule_node_filter ?
		isl_union_set_intersect(domain, isl_schedule_node_filter_get_filter(node)) :
		domain;
}

/* Is the statement the only one of the text's loops that it stands in? */
static bool is_apart(const struct poly_prog *prog, const struct poly_stmt *s)
{
	isl_schedule_node *node = isl_schedule_get_root(prog->original);
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	bool alone = false, ok = true;

	while (ok && !alone) {
		isl_union_set *domain;
		isl_size n = isl_schedule_node_n_children(node);
		bool here = false;

		for (int i = 0; i < n && !here; i++) {
			isl_set *own;

			node = isl_schedule_node_child(node, i);
			domain = instances_of(node);
			own = isl_union_set_extract_set(domain, isl_set_get_space(
				s->domain));
			here = isl_set_is_empty(own) == isl_bool_false;
			alone = here && isl_union_set_n_set(domain) == 1 &&
				isl_schedule_node_get_type(node) !=
				isl_schedule_node_filter;
			isl_set_free(own);
			isl_union_set_free(domain);
			if (!here)
				node = isl_schedule_node_parent(node);
		}
		type = isl_schedule_node_get_type(node);
		ok = here && (alone || type == isl_schedule_node_filter ||
			type == isl_schedule_node_sequence);
	}
	isl_schedule_node_free(node);
	return ok;
}

/* Do all others that write the array only give cells what they begin with? */
static bool begins(const struct poly_prog *prog, const struct poly_stmt *s)
{
	const struct poly_array *a = s->write_array;

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *other = prog->stmt[i];

		if (other != s && other->write_array == a && (other->kind !=
		    POLY_POINT || other->reduce != POLY_OP_NONE ||
		    poly_is_scatter(other) || poly_expr_accesses(other->rhs, a)))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------- the cost */

/* The bits that a number below "n" has. */
static int count_bits(int64_t n)
{
	int bits = 1;

	while ((n - 1) >> bits > 0)
		bits++;
	return bits;
}

/* Is "pa", a function of the sizes, a number of 32 bits, whatever these are? */
static bool is_short(struct poly_prog *prog, __isl_keep isl_pw_aff *pa)
{
	isl_pw_aff *rest = isl_pw_aff_add_constant_val(isl_pw_aff_copy(pa),
		isl_val_int_from_si(prog->ctx, -(long)INT32_MAX - 1));
	isl_set *more = isl_set_intersect(isl_pw_aff_nonneg_set(rest),
		poly_known_sizes(prog));
	bool is = isl_set_is_empty(more) == isl_bool_true;

	isl_set_free(more);
	return is;
}

/* Is a sort expected to be done sooner than the questions, where sizes are known? A cell
 * that takes its terms in the order of the text asks one after the other.
 */
static bool is_sooner(const struct poly_owners *o)
{
	const struct poly_rates *r = poly_rates_of(&o->prog->target);
	int n = isl_set_dim(o->s->domain, isl_dim_set);
	int passes = (o->bits + POLY_OWN_BITS - 1) / POLY_OWN_BITS;
	double terms = poly_range_count(o->prog, isl_set_copy(o->s->domain), o->term);
	double pairs = 1, asked, sorted;

	for (int d = 0; d < n; d++)
		pairs *= poly_range_count(o->prog, isl_set_copy(o->s->domain), d);
	asked = pairs * r->price_asked;
	if (!poly_is_free_update(o->prog, o->s))
		asked = fmax(asked, terms * r->price_chain);
	sorted = (passes * PASS_LAUNCHES + OTHER_LAUNCHES) * r->launch +
		terms * passes * r->price_sorted;
	return sorted < asked;
}

/* Fills in what is known of "s" up to where that says no. */
bool poly_owners_find(struct poly_owners *o, struct poly_prog *prog,
	struct poly_stmt *s)
{
	int64_t m;

	*o = (struct poly_owners){ .prog = prog, .s = s };
	if (!is_update(prog, s) || !find_dims(o) || !is_of_term(o, o->wanted))
		return false;
	find_rest(o, s->rhs->arg[0]);
	if ((o->rest && !is_of_term(o, o->rest)) || poly_expr_moves(s->rhs->arg[1],
	    o->cell) || !is_box(o))
		return false;
	if (prog->original ? !is_apart(prog, s) : !begins(prog, s))
		return false;
	m = poly_fixed_extent(prog, s->write_array, o->told);
	if (!is_short(prog, o->n) || !is_short(prog, o->m))
		return false;
	o->bits = m < 0 ? 8 * (int)poly_type_size(POLY_I32) : count_bits(m);
	return poly_prog_is_fixed(prog) ? is_sooner(o) : m < 0 || m >=
		(poly_is_free_update(prog, s) ? MANY_CELLS : MANY_IN_ORDER);
}

void poly_owners_end(struct poly_owners *o)
{
	poly_expr_free(o->rest);
	isl_pw_aff_free(o->n);
	isl_pw_aff_free(o->m);
	isl_set_free(o->cells);
}
