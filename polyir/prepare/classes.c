/* Sums over what lies a stride apart: cells in classes, the sum in loops of its own.
 *
 *	Y(b,k,u) = sum(c, i for 0 <= u - 2 i < 4: X(b,c,i) * F(c,k,u - 2 i))
 *
 * lays a filter at every second cell. Which of its elements meet a cell depends on the
 * remainder of u, and where the loop i stands on u itself: as it is, a tile of cells
 * would go over all of X. With u = 2 a + t - 3 + 1 and i = a + p
 *
 *	Y(b,k,2 a + t - 2) = sum(c, p for 0 <= p < 2: X(b,c,a + p) * F(c,k,t - 2 p + 2))
 *
 * each class t is a product of dense matrices over windows, and t is one more
 * parallel loop. Such are sums whose bounds are a window that moves with the cell
 * (0 <= u - 2 i + c < R), with or without a stride, or that take every second step (2 i
 * + r = u, of which one loop goes away first). What scatters (y[2 i + r] += ..) counts
 * cells in the place of r before. What begins the cells, and what is computed of each
 * of them alone, is divided into the same classes, so that it stays in one loop with
 * the sum.
 *
 * Nothing is changed but what the loops count: no instance comes or goes.
 */
#include <stdlib.h>

#include "polyir/base/base.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/classes.h"
#include "polyir/prepare/prepare.h"

/* An array of POLY_MAX_DIM dimensions needs as many. */
enum { MOST_FACTS = 64 };

/* Coordinate "dim" of "array" is divided so.
 *
 * Found where a sum is divided; whatever writes or reads the array elsewhere
 * follows.
 */
struct fact {
	const struct poly_array *array;
	int dim;
	struct poly_split split;
};

/* What becomes of the program. */
struct classes {
	/* owned; sums and what follows them */
	struct poly_prog *prog;
	struct fact fact[MOST_FACTS];
	int n_fact;
	/* owned, n_stmt of them */
	bool *done;		/* of each statement */
	/* owned; new instances of changed statements -> the old ones */
	isl_union_pw_multi_aff *pull;
};

/* --------------------------------------------------------------------- facts */

/* The dimension of "v" that coordinate "dim" of "index" is but for "*by", or -1.
 *
 * C[u + 3] has u and 3. Anything else than a single dimension with the
 * coefficient 1 is -1: such an access can not follow.
 */
static int shifted_dim(const struct poly_view *v, __isl_keep isl_multi_pw_aff *index,
	int dim, struct poly_linear *by)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, dim);
	isl_constraint *c;
	int at = -1, some = 0;
	bool is = isl_pw_aff_isa_aff(pa) == isl_bool_true;

	if (!is) {
		isl_pw_aff_free(pa);
		return -1;
	}
	c = isl_inequality_from_aff(isl_pw_aff_as_aff(pa));
	is = isl_constraint_dim(c, isl_dim_div) == 0 &&
		poly_linear_of(v->prog, c, 1, by);
	for (int d = 0; is && d < poly_view_dims(v); d++) {
		int64_t n;

		is = poly_coefficient(c, isl_dim_set, d, &n) && (n == 0 || n == 1);
		some += n != 0;
		at = n ? d : at;
	}
	isl_constraint_free(c);
	return is && some == 1 ? at : -1;
}

/* Add "times" * "b" to "a". */
static void add_linear(struct poly_linear *a, const struct poly_linear *b, int64_t times)
{
	a->at += times * b->at;
	for (int i = 0; i < POLY_VIEW_SIZES; i++)
		a->size[i] += times * b->size[i];
}

/* NULL if the coordinate is as it was. */
static const struct fact *fact_of(const struct classes *c,
	const struct poly_array *array, int dim)
{
	for (int i = 0; i < c->n_fact; i++)
		if (c->fact[i].array == array && c->fact[i].dim == dim)
			return &c->fact[i];
	return NULL;
}

/* Divide the dimensions of "v" that "index" has at coordinates of "array" as the facts
 * say.
 *
 * C[u + 3] counts from 3 more than the fact says: "by" grows by the shift.
 */
static void split_by_facts(const struct classes *c, struct poly_view *v,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index)
{
	for (int i = 0; i < array->n_dim; i++) {
		const struct fact *f = fact_of(c, array, i);
		struct poly_split s;
		struct poly_linear by;
		int d = f ? shifted_dim(v, index, i, &by) : -1;

		if (d < 0 || poly_view_split_of(v, d, true))
			continue;
		s = f->split;
		s.cell = d;
		s.loop = -1;
		add_linear(&s.by, &by, s.sign);
		poly_view_add_split(v, &s);
	}
}

/* Note how the cells of "array", at "index", are divided in "v"; false if there is no
 * room.
 *
 * The reverse: what the split of the statement says about the array itself,
 * without the statement's shift.
 */
static bool add_facts(struct classes *c, const struct poly_view *v,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index)
{
	for (int i = 0; i < array->n_dim; i++) {
		struct poly_linear by;
		int d = shifted_dim(v, index, i, &by);
		const struct poly_split *s = d < 0 ? NULL : poly_view_split_of(v, d, true);
		struct fact *f = &c->fact[c->n_fact];

		if (!poly_split_has_classes(s) || fact_of(c, array, i))
			continue;
		if (c->n_fact == MOST_FACTS)
			return false;
		f->array = array;
		f->dim = i;
		f->split = *s;
		add_linear(&f->split.by, &by, -s->sign);
		c->n_fact++;
	}
	return true;
}

/* -------------------------------------------------------------- what is changed */

/* Let the statement of "v" be what it became.
 *
 * Domain, index and value change together; the tree follows at the end, for all
 * statements at once (keep_order).
 */
static void change(struct classes *c, struct poly_view *v)
{
	struct poly_stmt *s = v->stmt;
	int n = poly_stmt_position(c->prog, s->name);

	poly_expr_pullback(s->rhs, v->pull);
	s->write_index = isl_multi_pw_aff_pullback_multi_aff(s->write_index,
		isl_multi_aff_copy(v->pull));
	isl_set_free(s->domain);
	s->domain = isl_set_copy(v->domain);
	c->pull = isl_union_pw_multi_aff_add_pw_multi_aff(c->pull,
		isl_pw_multi_aff_from_multi_aff(isl_multi_aff_copy(v->pull)));
	c->done[n] = true;
}

/* Is the sum of "v", as it would become, a product, whose tiles share what they read?
 *
 * The statement is not touched: a copy on the stack has the new domain. Sums
 * that would not be products of dense matrices gain nothing by classes.
 */
static bool is_product(const struct poly_view *v)
{
	struct poly_stmt s = *v->stmt;
	int axis[2];
	bool is = poly_view_dims(v) <= POLY_MAX_DIM;

	s.domain = v->domain;
	s.write_index = poly_view_cell(v);
	s.rhs = poly_expr_copy(v->stmt->rhs);
	poly_expr_pullback(s.rhs, v->pull);
	is = is && s.rhs && poly_stmt_axes(v->prog, &s, v->cell, axis);
	isl_multi_pw_aff_free(s.write_index);
	poly_expr_free(s.rhs);
	return is;
}

/* The search of is_tied; "is" once one equation is found. */
struct tied {
	const struct poly_view *v;
	bool is;
};

static isl_stat look_at_tie(__isl_take isl_constraint *c, void *user)
{
	struct tied *t = user;
	bool cell = false, loop = false;

	for (int d = 0; d < poly_view_dims(t->v); d++) {
		bool some = isl_constraint_involves_dims(c, isl_dim_set, d, 1) ==
			isl_bool_true;

		cell |= some && t->v->cell[d];
		loop |= some && !t->v->cell[d];
	}
	t->is |= cell && loop;
	isl_constraint_free(c);
	return isl_stat_ok;
}

/* Does an equation still bind a loop of the sum to the cell (2 i = u, for filters of one
 * point)? isl finds no order for the classes of another dimension beside it.
 */
static bool is_tied(const struct poly_view *v)
{
	struct tied t = { v, false };
	isl_basic_set *hull = isl_set_affine_hull(isl_set_copy(v->domain));

	isl_basic_set_foreach_constraint(hull, look_at_tie, &t);
	isl_basic_set_free(hull);
	return t.is;
}

/* Could "stmt" be a sum of products?
 *
 * One factor alone, a plain sum over a window, shares nothing between cells.
 */
static bool is_sum(const struct poly_stmt *stmt)
{
	struct poly_expr *leaf[POLY_MAX_OPERAND];
	int n_dim = isl_set_dim(stmt->domain, isl_dim_set);

	return stmt->kind == POLY_POINT && stmt->reduce != POLY_OP_NONE &&
		!stmt->atomic && !poly_is_scatter(stmt) &&
		n_dim <= POLY_MAX_DIM && poly_leaves(stmt, leaf) > 1;
}

/* Divide the sum "stmt" into classes, if it is a product then; false if there is no room
 * for what follows.
 *
 * Looks at what the loops tell in an order that matters: equations first, which
 * leave a loop away; then scattered cells; then facts of arrays divided before;
 * windows; remainders.
 */
static bool divide_sum(struct classes *c, struct poly_stmt *stmt)
{
	struct poly_view v;
	isl_multi_pw_aff *cell;
	int n_fact = c->n_fact;
	bool ok = true;

	poly_view_begin(&v, c->prog, stmt);
	poly_view_drop_told(&v);
	poly_view_gather(&v);
	cell = poly_view_cell(&v);
	split_by_facts(c, &v, stmt->write_array, cell);
	poly_view_windows(&v);
	poly_view_steps(&v);
	if (v.n_split || v.moved) {
		ok = add_facts(c, &v, stmt->write_array, cell);
		poly_view_divide(&v);
		if (ok && !is_tied(&v) && is_product(&v))
			change(c, &v);
		else
			c->n_fact = n_fact;
	}
	isl_multi_pw_aff_free(cell);
	poly_view_end(&v);
	return ok;
}

/* Reads of arrays that are divided. */
struct reads {
	struct classes *c;
	struct poly_view *v;
	const struct poly_array *array;	/* NULL: any */
	bool alone;		/* each element alone is all that a cell needs */
};

/* Is what "leaf" reads of "array" at the cell's own place?
 *
 * An element at another place, X[u - 1] for the cell u, has another class: then
 * the reader can not follow.
 */
static void look_at_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	if (leaf->array != r->array)
		return;
	for (int i = 0; i < r->array->n_dim; i++) {
		struct poly_linear by;
		int d;

		if (!fact_of(r->c, r->array, i))
			continue;
		d = leaf->index ? shifted_dim(r->v, leaf->index, i, &by) : -1;
		r->alone &= d >= 0 && r->v->cell[d];
	}
}

/* Do all statements that read "array" need, for a cell, one element of it alone?
 *
 * A product that reads the array must not follow: its tiles want all classes of
 * it.
 */
static bool is_read_alone(struct classes *c, const struct poly_array *array)
{
	bool alone = true;

	for (int i = 0; i < c->prog->n_stmt && alone; i++) {
		struct poly_stmt *s = c->prog->stmt[i];
		struct poly_view v;
		struct reads r = { c, &v, array, true };

		if (s->kind != POLY_POINT || !s->rhs ||
		    !poly_expr_accesses(s->rhs, array))
			continue;
		poly_view_begin(&v, c->prog, s);
		poly_expr_each_access(s->rhs, look_at_read, &r);
		alone = r.alone && !poly_is_update(s) && !poly_is_scatter(s) &&
			!c->done[i];
		poly_view_end(&v);
	}
	return alone;
}

/* Divide the dimensions of the statement that reads "leaf" as that is divided.
 *
 * For arrays of the caller nothing is known that must be followed.
 */
static void split_by_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	if (leaf->index && leaf->array && leaf->array->role == POLY_TEMP &&
	    is_read_alone(r->c, leaf->array))
		split_by_facts(r->c, r->v, leaf->array, leaf->index);
}

/* Divide "stmt" as what it writes is divided, or what it reads of each cell alone;
 * returns whether it was.
 *
 * Returns false, too, where another round of loops would make more dimensions
 * than passes take.
 */
static bool follow(struct classes *c, struct poly_stmt *stmt)
{
	struct poly_view v;
	struct reads r = { c, &v, NULL, true };
	bool follows;

	poly_view_begin(&v, c->prog, stmt);
	split_by_facts(c, &v, stmt->write_array, stmt->write_index);
	if (!v.n_split && !poly_is_update(stmt))
		poly_expr_each_access(stmt->rhs, split_by_read, &r);
	follows = v.n_split > 0 && poly_view_dims(&v) + v.n_split <= POLY_MAX_DIM &&
		add_facts(c, &v, stmt->write_array, stmt->write_index);
	if (follows) {
		poly_view_divide(&v);
		change(c, &v);
	}
	poly_view_end(&v);
	return follows;
}

/* Divide what begins the cells of sums, and what follows of them.
 *
 * To a fixed point: a statement that follows may be the writer of another
 * array. Each round changes a statement or ends it.
 */
static void follow_all(struct classes *c)
{
	bool more = c->n_fact > 0;

	while (more) {
		more = false;
		for (int i = 0; i < c->prog->n_stmt; i++) {
			struct poly_stmt *s = c->prog->stmt[i];

			if (!c->done[i] && s->kind == POLY_POINT && s->rhs &&
			    isl_set_dim(s->domain, isl_dim_set) <= POLY_MAX_DIM)
				more |= follow(c, s);
		}
	}
}

/* The order of the text for the statements as they are now.
 *
 * What does not change is pulled back by the identity.
 */
static isl_stat keep_order(struct classes *c)
{
	for (int i = 0; i < c->prog->n_stmt; i++)
		if (!c->done[i])
			c->pull = isl_union_pw_multi_aff_add_pw_multi_aff(
				c->pull, isl_pw_multi_aff_from_multi_aff(
				isl_multi_aff_identity_on_domain_space(
				isl_set_get_space(c->prog->stmt[i]->domain))));
	return poly_pull_order(c->prog, c->pull);
}

/* Let the text go over the cells of the sums first.
 *
 * Only for sums that changed. Where the order of a sum's terms would be
 * another, poly_cells_first leaves the text as it is.
 */
static isl_stat order_cells(struct classes *c)
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < c->prog->n_stmt && ok == isl_stat_ok; i++) {
		struct poly_stmt *s = c->prog->stmt[i];
		bool last[POLY_MAX_DIM];
		struct poly_view v;

		if (!c->done[i] || s->reduce == POLY_OP_NONE)
			continue;
		poly_view_begin(&v, c->prog, s);
		for (int d = 0; d < POLY_MAX_DIM; d++)
			last[d] = !v.cell[d];
		poly_view_end(&v);
		ok = poly_cells_first(c->prog, s, last);
	}
	return ok;
}

/* Divide chains that go over every k-th iteration into their k chains, and sums whose
 * terms lie a stride apart into classes, and deal loops whose bounds are data out to
 * lanes.
 *
 * requires nothing, before deps; establishes classes
 */
isl_stat poly_classes(struct poly_prog *prog)
{
	struct classes *c = calloc(1, sizeof(*c));
	isl_stat ok = isl_stat_ok;
	int divided = poly_divide_strides(prog);
	bool any = false;

	if (divided > 0)
		poly_forget_deps(prog);
	if (!c || divided < 0 || poly_deal_loops(prog) < 0) {
		free(c);
		return poly_isl_error(prog, "classes");
	}
	c->prog = prog;
	c->done = calloc(prog->n_stmt + 1, sizeof(*c->done));
	c->pull = isl_union_pw_multi_aff_empty(isl_set_get_space(
		prog->context));
	for (int i = 0; c->done && i < prog->n_stmt; i++) {
		/* Where there is no room for another fact, sums behind stay as
		 * they are, which is right, only slower.
		 */
		if (is_sum(prog->stmt[i]) && !divide_sum(c, prog->stmt[i]))
			break;
		any |= c->done[i];
	}
	if (any) {
		follow_all(c);
		ok = keep_order(c) < 0 || order_cells(c) < 0 ? isl_stat_error :
			isl_stat_ok;
		poly_forget_deps(prog);
	}
	if (!c->done)
		ok = isl_stat_error;
	isl_union_pw_multi_aff_free(c->pull);
	free(c->done);
	free(c);
	return ok < 0 ? poly_isl_error(prog, "classes") : isl_stat_ok;
}
