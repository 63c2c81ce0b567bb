/* Where points are counted from, so that runs lie where they may.
 *
 * A thread moves a run of 16 bytes at once only from a multiple of that:
 *
 *	for (j = 1; ..) B[j] = A[j - 1] + A[j] + A[j + 1];
 *
 * Counted from the first point, p = j - 1, the runs of B are none. Counted so
 * that most of what is accessed begins with a run, p = j here, the first point is
 * not the first of its run any more; the guards of the first tile see to it.
 *
 * Accesses vote: a write counts twice, since it is stored whole or element by
 * element, while a read that is not aligned still finds its bytes in a cache
 * line. The winner is the remainder that most accesses have.
 */
#include <stdlib.h>

#include <isl/aff.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"

/* Elements of a run, at most, of those that count here. */
enum { MOST_RUN = 4 };

/* How many accesses begin a run where "member" is a multiple of "run" less k.
 *
 * "vote[k]": accesses that begin a run if points are counted from k more.
 */
struct phase {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	isl_pw_aff *member;		/* at the instances of "stmt" */
	int run, vote[MOST_RUN];
};

/* The constant that "pa", which is taken, is on "domain"; false if it is none.
 *
 * Takes "pa"; "*value" is set only if true.
 */
static bool constant(__isl_take isl_pw_aff *pa, __isl_keep isl_set *domain,
	long *value)
{
	bool is;
	isl_aff *aff;
	isl_val *v;

	pa = isl_pw_aff_gist(pa, isl_set_copy(domain));
	is = isl_pw_aff_isa_aff(pa) == isl_bool_true &&
		isl_pw_aff_is_cst(pa) == isl_bool_true;
	if (!is) {
		isl_pw_aff_free(pa);
		return false;
	}
	aff = isl_pw_aff_as_aff(pa);
	v = isl_aff_get_constant_val(aff);
	is = isl_val_is_int(v) == isl_bool_true;
	*value = isl_val_get_num_si(v);
	isl_val_free(v);
	isl_aff_free(aff);
	return is;
}

/* Count an access by "weight".
 *
 * Rows that are not aligned to runs themselves begin anywhere: no phase helps.
 */
static void add_access(struct phase *p, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, int weight)
{
	int last = poly_row_dim(p->prog, array);
	isl_pw_aff *away;
	long k;

	if (last < 0 || (array->n_dim > 1 && poly_row_align(p->prog, array) <
	    p->run * poly_type_size(array->type)))
		return;
	away = isl_pw_aff_sub(isl_multi_pw_aff_get_at(index, last),
		isl_pw_aff_copy(p->member));
	if (constant(away, p->stmt->domain, &k))
		p->vote[(k % p->run + p->run) % p->run] += weight;
}

static void add_read(struct poly_expr *leaf, void *user)
{
	add_access(user, leaf->array, leaf->index, 1);
}

/* Keep the largest size of an element that is read. */
static void largest_read(struct poly_expr *leaf, void *user)
{
	int *size = user, own = poly_type_size(leaf->array->type);

	*size = own > *size ? own : *size;
}

/* The elements of a run in the "n" statements; 1 if one of them sums.
 *
 * Sums have no runs of points: their runs go along the sum.
 */
static int run_of(struct poly_stmt **stmt, int n)
{
	int size = POLY_RUN_BYTES / MOST_RUN;

	for (int i = 0; i < n; i++) {
		int own = poly_type_size(stmt[i]->write_array->type);

		poly_expr_each_access(stmt[i]->rhs, largest_read, &size);
		size = own > size ? own : size;
		if (stmt[i]->reduce != POLY_OP_NONE)
			size = POLY_RUN_BYTES;
	}
	return POLY_RUN_BYTES / size;
}

/* Takes "member"; returns it, shifted by a constant or as it was. The tree
 * below stays legal, as a shift of all of a loop is.
 */
__isl_give isl_union_pw_aff *poly_in_phase(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_take isl_union_pw_aff *member)
{
	int n, best = 0;
	struct poly_stmt **stmt = poly_stmts_of(prog, domain, &n);
	struct phase p = { .prog = prog, .run = stmt ? run_of(stmt, n) : 1 };
	isl_val *first;

	for (int i = 0; p.run > 1 && i < n; i++) {
		p.stmt = stmt[i];
		p.member = poly_member_at(member, stmt[i]->domain);
		add_access(&p, stmt[i]->write_array, stmt[i]->write_index, 2);
		poly_expr_each_access(stmt[i]->rhs, add_read, &p);
		isl_pw_aff_free(p.member);
	}
	free(stmt);
	for (int k = 1; k < p.run; k++)
		best = p.vote[k] > p.vote[best] ? k : best;
	if (!best)
		return member;
	first = isl_val_int_from_si(prog->ctx, best);
	return isl_union_pw_aff_add(member, isl_union_pw_aff_val_on_domain(
		isl_union_set_universe(isl_union_set_copy(domain)), first));
}
