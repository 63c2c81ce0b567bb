/* Sums with one term, whose place data tell, are reads of that place:
 *
 *	s[i] = sum(j: j == t[i] ? x[i, j] : 0)		s[i] = 0 <= t[i] < N ? x[i, t[i]] : 0
 *
 * That is any reduction of a definition whose value is what changes nothing but where
 * the loop is what data say, and whose values lie side by side along the loop. Each
 * cell then takes one element in the place of a comparison with each.
 *
 * Sums whose loop has one place, 0, are what begins their cells and that term, which is
 * no sum for the passes behind: C[i, j] = 0 + A[i, 0] * B[0, j].
 */
#include <isl/aff.h>
#include <isl/set.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/cut/pick.h"
#include "polyir/prepare/prepare.h"
#include "polyir/cut/cut.h"

/* Note whether the access "leaf" is one along the loop, or does not move with it. */
static void check_leaf(struct poly_expr *leaf, void *user)
{
	struct poly_pick *p = user;
	int last = leaf->array->n_dim - 1;

	for (int pos = 0; pos <= last; pos++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(leaf->index, pos);

		if (pos < last || poly_index_dim(leaf->index, pos, p->s) != p->dim)
			p->refused |= isl_pw_aff_involves_dims(pa, isl_dim_in,
				p->dim, 1) != isl_bool_false;
		isl_pw_aff_free(pa);
	}
	if (poly_expr_moves(leaf, p->dim))
		p->refused |= leaf->array->role != POLY_INPUT ||
			leaf->array->stride;
}

/* Refuse indices that are values, and gathers, if they move with the loop. */
static void check_rest(struct poly_pick *p, const struct poly_expr *e)
{
	if (!e)
		return;
	p->refused |= (e->op == POLY_OP_INDEX || e->op == POLY_OP_GATHER ||
		e->op == POLY_OP_SCATTER) && poly_expr_moves(e, p->dim);
	for (int i = 0; i < POLY_MAX_ARG; i++)
		check_rest(p, e->arg[i]);
}

/* The statement that begins the cells of "s"; NULL: there is none, or another one. */
static struct poly_stmt *begin_of(const struct poly_prog *prog,
	const struct poly_stmt *s)
{
	struct poly_stmt *found = NULL;
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i] != s &&
		    prog->stmt[i]->write_array == s->write_array) {
			found = prog->stmt[i];
			n++;
		}
	return n == 1 && found->kind == POLY_POINT &&
		found->reduce == POLY_OP_NONE && found->rhs->op == POLY_OP_CONST ?
		found : NULL;
}

bool poly_is_box(const struct poly_pick *p, isl_pw_aff **length)
{
	isl_set *known = poly_known_sizes(p->prog), *own = isl_set_intersect_params(
		isl_set_copy(p->s->domain), isl_set_copy(known));
	isl_set *points = isl_set_intersect_params(isl_set_copy(
		p->begin->domain), known);
	isl_set *all = isl_set_set_tuple_name(isl_set_insert_dims(
		isl_set_copy(points), isl_dim_set, p->dim, 1), p->s->name);
	isl_pw_aff *most = isl_set_dim_max(isl_set_copy(p->s->domain), p->dim);
	isl_pw_aff *end = poly_first_piece(most);
	isl_space *space = isl_set_get_space(own);
	isl_pw_aff *j = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_space_copy(space)), isl_dim_set, p->dim);
	bool is;

	isl_pw_aff_free(most);
	all = isl_set_lower_bound_si(all, isl_dim_set, p->dim, 0);
	all = isl_set_intersect(all, isl_pw_aff_le_set(j,
		isl_pw_aff_insert_domain(isl_pw_aff_copy(end), space)));
	is = isl_set_is_equal(all, own) == isl_bool_true;
	isl_set_free(all);
	isl_set_free(own);
	*length = isl_pw_aff_insert_domain(end, isl_set_get_space(points));
	isl_set_free(points);
	return is;
}

/* "{ P[i..] -> S[i.., 0] }", NULL if the cells that "begin" begins are not in order. */
static __isl_give isl_multi_aff *first_term(const struct poly_pick *p)
{
	isl_space *to = isl_set_get_space(p->s->domain);
	isl_space *from = isl_space_align_params(
		isl_set_get_space(p->begin->domain), isl_space_copy(to));
	int n = isl_space_dim(to, isl_dim_set);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(from));
	isl_multi_aff *ma;

	to = isl_space_align_params(to, isl_space_copy(from));
	ma = isl_multi_aff_zero(isl_space_map_from_domain_and_range(from, to));
	for (int d = 0; d < n; d++)
		if (d != p->dim)
			ma = isl_multi_aff_set_at(ma, d, isl_aff_var_on_domain(
				isl_local_space_copy(local), isl_dim_set,
				d - (d > p->dim)));
	isl_local_space_free(local);
	return ma;
}

/* Do both statements write the same cell at a point? */
static bool write_alike(const struct poly_pick *p)
{
	isl_multi_pw_aff *own = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(p->s->write_index),
		isl_multi_aff_copy(p->first));
	bool alike = isl_multi_pw_aff_is_equal(own, p->begin->write_index) ==
		isl_bool_true;

	isl_multi_pw_aff_free(own);
	return alike;
}

/* "e", an expression of the statement, at the points, its accesses along the loop at what
 * data say.
 */
static struct poly_expr *at_place(const struct poly_pick *p, struct poly_expr *e)
{
	bool along = e && e->op == POLY_OP_ACCESS &&
		poly_expr_moves(e, p->dim);

	if (!e)
		return NULL;
	if (e->index)
		e->index = isl_multi_pw_aff_pullback_multi_aff(e->index,
			isl_multi_aff_copy(p->first));
	if (along) {
		struct poly_expr *far = poly_expr_select(
			poly_expr_copy(p->inside), poly_expr_copy(p->at),
			poly_expr_const(POLY_I64, -1));
		struct poly_expr *gather = poly_expr_gather(e->array, far);

		if (gather) {
			gather->index = e->index;
			e->index = NULL;
		}
		poly_expr_free(e);
		return gather;
	}
	for (int i = 0; i < POLY_MAX_ARG; i++)
		e->arg[i] = at_place(p, e->arg[i]);
	return e;
}

/* The same as poly_find_points, whatever the statement does. */
static bool find_points(struct poly_pick *p)
{
	p->begin = begin_of(p->prog, p->s);
	if (!p->begin || isl_set_dim(p->begin->domain, isl_dim_set) + 1 !=
	    isl_set_dim(p->s->domain, isl_dim_set))
		return false;
	p->first = first_term(p);
	return p->first && write_alike(p);
}

bool poly_find_points(struct poly_pick *p)
{
	return poly_skips(p->s) && find_points(p);
}

/* Is the statement one that is a read? Fills in all but what is made of data. */
static bool is_pick(struct poly_pick *p)
{
	const struct poly_expr *value = p->s->rhs->arg[1];

	if (!poly_find_points(p))
		return false;
	p->refused = p->s->rhs->arg[0]->op != POLY_OP_EQ ||
		p->begin->rhs->type != p->s->rhs->type;
	poly_expr_each_access(p->s->rhs->arg[1], check_leaf, p);
	check_rest(p, value);
	return !p->refused && poly_expr_moves(value, p->dim);
}

/* Let what begins the cells have the whole value, and drop the statement, number "i". */
static void make_read(struct poly_pick *p, int i, const struct poly_expr *wanted,
	__isl_take isl_pw_aff *length)
{
	struct poly_stmt *s = p->s, *b = p->begin;
	struct poly_expr *value, *end = poly_expr_index(POLY_I64,
		isl_multi_pw_aff_from_pw_aff(length));

	p->at = poly_expr_copy(wanted);
	poly_expr_pullback(p->at, p->first);
	p->at = poly_expr_cast(POLY_I64, p->at);
	p->inside = poly_expr_op(POLY_OP_AND, POLY_BOOL,
		poly_expr_op(POLY_OP_LE, POLY_BOOL, poly_expr_const(POLY_I64, 0),
			poly_expr_copy(p->at)),
		poly_expr_op(POLY_OP_LE, POLY_BOOL, poly_expr_copy(p->at), end));
	value = at_place(p, poly_expr_copy(s->rhs->arg[1]));
	value = poly_expr_select(poly_expr_copy(p->inside), value,
		poly_expr_nothing(s->reduce, s->rhs->type));
	value = poly_expr_op(s->reduce, s->rhs->type, poly_expr_copy(b->rhs),
		value);
	poly_expr_free(b->rhs);
	b->rhs = value;
	b->loc = s->loc;
	poly_expr_free(p->at);
	poly_expr_free(p->inside);
	poly_prog_drop_stmt(p->prog, i);
}

/* Has the statement the first term of each cell that is begun, for all sizes that there may
 * be, and no other?
 */
static bool has_one_term(struct poly_pick *p)
{
	isl_set *known = poly_known_sizes(p->prog), *own, *first;
	bool has;

	if (!find_points(p) || p->begin->rhs->type != p->s->rhs->type) {
		isl_set_free(known);
		return false;
	}
	own = isl_set_intersect_params(isl_set_copy(p->s->domain),
		isl_set_copy(known));
	first = isl_set_intersect_params(isl_set_copy(p->begin->domain), known);
	first = isl_set_insert_dims(first, isl_dim_set, p->dim, 1);
	first = isl_set_fix_si(isl_set_set_tuple_name(first, p->s->name),
		isl_dim_set, p->dim, 0);
	has = isl_set_is_equal(first, own) == isl_bool_true;
	isl_set_free(first);
	isl_set_free(own);
	return has;
}

/* Let what begins the cells have the term, too, and drop the statement, number "i". */
static void join_term(struct poly_pick *p, int i)
{
	struct poly_expr *term = poly_expr_copy(p->s->rhs);

	poly_expr_pullback(term, p->first);
	p->begin->rhs = poly_expr_op(p->s->reduce, p->s->rhs->type, p->begin->rhs,
		term);
	p->begin->loc = p->s->loc;
	poly_prog_drop_stmt(p->prog, i);
}

/* Statement "i", if it is such a sum; was it? */
static bool pick(struct poly_prog *prog, int i)
{
	struct poly_pick p = { .prog = prog, .s = prog->stmt[i] };
	int n = isl_set_dim(p.s->domain, isl_dim_set);
	bool is = false;

	if (p.s->kind != POLY_POINT || p.s->reduce == POLY_OP_NONE)
		return false;
	for (p.dim = 0; p.dim < n && !is; p.dim++) {
		const struct poly_expr *wanted = poly_wanted(p.s, p.dim);
		isl_pw_aff *length = NULL;

		is = wanted && is_pick(&p) && poly_is_box(&p, &length);
		if (is)
			make_read(&p, i, wanted, length);
		else
			isl_pw_aff_free(length);
		p.first = isl_multi_aff_free(p.first);
		if (!is && has_one_term(&p)) {
			join_term(&p, i);
			is = true;
		}
		p.first = isl_multi_aff_free(p.first);
	}
	return is;
}

int poly_pick(struct poly_prog *prog)
{
	int n = 0;

	for (int i = prog->original ? prog->n_stmt : 0; i < prog->n_stmt; i++)
		if (pick(prog, i)) {
			n++;
			i--;
		}
	return n;
}
