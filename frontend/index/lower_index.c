/* The tensors of a unit to a polyhedral program.
 *
 * A definition that is one reduction, or that is written with "+=", is summed in
 * place. Where values are stored in another type than they are computed in, it is
 * summed in an array of the compute type and rounded by a further statement. Each
 * piece of a case is one statement, on disjoint sets; where values decide whether
 * it holds, the statement chooses between it and the pieces behind:
 *
 *	y(i) = case { a(i) > 0: b(i); i == 0: 0; else: 1; }
 *
 *	y_def[i]	y[i] = a[i] > 0 ? b[i] : 0	on i = 0
 *	y_def_1[i]	y[i] = a[i] > 0 ? b[i] : 1	elsewhere
 *
 * A statement that a matrix expression became is called by its operation:
 *
 *	D = A * B	D_init[i,j]	D[i,j] = 0
 *			D_mul[i,j,k]	D[i,j] += A[i,k] * B[k,j]
 *	E = ReLU(D)	E_relu[i,j]	E[i,j] = relu(D[i,j])
 *
 * The box of an output may be larger than its domain: the rest is set to 0.
 */
#include <stdlib.h>

#include <isl/schedule.h>
#include <isl/space.h>

#include "frontend/index/lower_index.h"
#include "frontend/index/call.h"

/* Pieces of a definition, and ways in which it may split, at most. */
enum { MAX_CHOICE = 64 };

/* ------------------------------------------------------------ definitions */

/* Set the part of the box of "t" that has no value to 0. */
static isl_stat fill_rest(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_cell *cell)
{
	char name[FE_MAX_STMT_NAME];
	struct fe_scope bounds = t->scope;
	struct fe_index index[FE_MAX_RANK];
	const struct fe_index *i;
	isl_stat done = isl_stat_ok;
	isl_set *rest, *context;
	struct fe_frame f, box;
	int d = 0;

	fe_frame_init(&f, lw->unit, lw->ctx, fe_lower_free_name(lw, t->name, "rest",
		name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	fe_frame_init(&box, lw->unit, lw->ctx, name);
	bounds.condition = NULL;
	bounds.first = t->rank ? index : NULL;
	for (i = t->scope.first; d < t->rank; i = i->next, d++) {
		index[d] = *i;
		index[d].written = false;
		index[d].next = d + 1 < t->rank ? &index[d + 1] : NULL;
		fe_frame_add(&box, &index[d]);
	}
	rest = isl_set_subtract(fe_frame_domain(&box, &bounds),
		fe_frame_run(&f, t, &t->scope));
	fe_frame_free(&box);
	context = fe_frame_context(lw->unit, lw->ctx, false);
	rest = isl_set_gist_params(isl_set_intersect_params(rest,
		isl_set_copy(context)), context);
	if (isl_set_is_empty(rest) == isl_bool_false)
		done = fe_lower_add_stmt(lw, &f, isl_set_copy(rest), cell,
			POLY_OP_NONE, poly_expr_const(poly_type_compute(
				t->type), 0));
	isl_set_free(rest);
	fe_frame_free(&f);
	return done;
}

/* The reduction that the definition is: its scope, operator and term. */
struct reduction {
	const struct fe_scope *scope;
	enum poly_op op;
	const struct fe_scalar *term;
};

/* Is "t" one reduction? */
static bool find_reduction(const struct fe_tensor *t, struct reduction *r)
{
	const struct fe_scalar *value = t->piece->value;

	if (t->update != POLY_OP_NONE) {
		*r = (struct reduction) { &t->scope, t->update, value };
		return true;
	}
	*r = (struct reduction) { value->scope, value->op, value->arg[0] };
	return value->kind == FE_S_REDUCE && !value->place &&
		!t->piece->condition;
}

/* A definition that is one reduction. */
static isl_stat lower_sum(struct fe_lower *lw, const struct fe_tensor *t,
	const struct reduction *r, const struct fe_cell *cell)
{
	struct fe_cell sum = *cell;
	char name[FE_MAX_STMT_NAME];
	isl_set *where;
	isl_stat done;
	struct fe_frame f;

	if (lw->sum[t->id])
		sum.array = lw->sum[t->id];
	fe_frame_init(&f, lw->unit, lw->ctx,
		fe_lower_free_name(lw, t->name, "round", name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	where = fe_frame_run(&f, t, &t->scope);
	done = fe_tensor_cells(t) ? fe_lower_update(lw, t, &sum, &f, where) :
		fe_lower_reduce(lw, &sum, t->name, &f, where, r->scope, r->op,
			t->type, r->term, NULL);
	if (done == isl_stat_ok && sum.array != cell->array)
		done = fe_lower_add_stmt(lw, &f, isl_set_copy(where), cell,
			POLY_OP_NONE, poly_expr_cast(t->type,
				poly_expr_access(sum.array, fe_lower_own_index(&f,
					sum.array, sum.dim, sum.n))));
	isl_set_free(where);
	fe_frame_free(&f);
	return done;
}

/* The pieces of a definition that one statement chooses among, in the order of
 * the text: the first whose condition holds, or else the last.
 */
struct choice {
	const struct fe_tensor *tensor;
	const struct fe_cell *cell;
	const struct fe_frame *frame;	/* of the tensor */
	const struct fe_piece *piece[MAX_CHOICE];
	int n_split;			/* sets where values decide */
};

/* The value at "where" of the pieces of "all" from "k" to "n" - 1, the last of
 * which holds if none before does.
 */
static struct poly_expr *lower_choice(struct fe_lower *lw,
	const struct choice *all, int k, int n, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	const struct fe_piece *p = all->piece[k];
	struct poly_expr *cond = NULL, *value;

	lw->loc = p->loc;
	if (k < n - 1)
		cond = fe_lower_guard(lw, p->condition, f, where);
	value = fe_lower_value(lw, p->value, f, where);
	if (k == n - 1)
		return value;
	return poly_expr_op3(POLY_OP_BRANCH, poly_type_compute(
		all->tensor->type), cond, value, lower_choice(lw, all, k + 1,
		n, f, where));
}

/* The first "n" pieces of "all" on "where" of its frame. */
static isl_stat lower_stmt(struct fe_lower *lw, const struct choice *all,
	int n, __isl_take isl_set *where)
{
	const struct fe_tensor *t = all->tensor;
	char name[FE_MAX_STMT_NAME];
	struct poly_expr *rhs;
	struct fe_frame f;
	isl_stat done;

	fe_frame_init(&f, lw->unit, lw->ctx, fe_lower_free_name(lw, t->name,
		fe_lower_stmt_word(t, "def"), name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	where = isl_set_set_tuple_name(where, name);
	lw->loc = all->piece[0]->loc;
	if (n == 1 && !(t->asks && fe_scope_asks(&t->scope)))
		rhs = fe_lower_stored(lw, all->piece[0]->value, &f, where,
			t->type);
	else
		rhs = poly_expr_cast(t->type, fe_lower_asked(lw, &t->scope, &f,
			lower_choice(lw, all, 0, n, &f, where), POLY_OP_NONE));
	lw->loc = all->piece[0]->loc;
	done = fe_lower_add_stmt(lw, &f, where, all->cell, POLY_OP_NONE, rhs);
	fe_frame_free(&f);
	return done;
}

static isl_stat lower_pieces(struct fe_lower *lw, struct choice *all, int n,
	const struct fe_piece *p, __isl_take isl_set *left);

/* The pieces behind "p", the last one of "n", where it may or may not hold. */
static isl_stat lower_open(struct fe_lower *lw, struct choice *all, int n,
	const struct fe_piece *p, __isl_take isl_set *where)
{
	where = poly_set_coalesce(where);
	if (isl_set_is_empty(where) == isl_bool_true) {
		isl_set_free(where);
		return isl_stat_ok;
	}
	if (n >= MAX_CHOICE || ++all->n_split > MAX_CHOICE) {
		poly_report_add(lw->prog->report, MSG_FE_CHOICES, &p->loc,
			MAX_CHOICE);
		isl_set_free(where);
		return isl_stat_error;
	}
	return lower_pieces(lw, all, n, p->next, where);
}

/* The pieces from "p" on, of which those on "left" are meant for which none of
 * the first "n" pieces of "all" holds.
 */
static isl_stat lower_pieces(struct fe_lower *lw, struct choice *all, int n,
	const struct fe_piece *p, __isl_take isl_set *left)
{
	isl_stat done = isl_stat_ok;
	isl_set *here, *sure;

	for (; p && done == isl_stat_ok; p = p->next) {
		here = isl_set_copy(left);
		if (p->condition)
			here = isl_set_intersect(here,
				fe_frame_condition(all->frame, p->condition));
		left = isl_set_subtract(left, isl_set_copy(here));
		all->piece[n] = p;
		if (p->condition && p->condition->data) {
			sure = isl_set_intersect(isl_set_copy(here),
				fe_frame_sure(all->frame, p->condition));
			here = isl_set_subtract(here, isl_set_copy(sure));
			done = lower_open(lw, all, n + 1, p, here);
			here = sure;
		}
		here = poly_set_coalesce(here);
		if (done < 0 || isl_set_is_empty(here) == isl_bool_true)
			isl_set_free(here);
		else
			done = lower_stmt(lw, all, n + 1, here);
	}
	isl_set_free(left);
	return done;
}

/* Lower a definition by its pieces, each on the points that are left for it. */
static isl_stat lower_case(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_cell *cell)
{
	struct choice all = { .tensor = t, .cell = cell };
	struct fe_frame f;
	isl_stat done;

	fe_frame_of(&f, lw->unit, lw->ctx, t);
	all.frame = &f;
	done = lower_pieces(lw, &all, 0, t->piece, fe_frame_run(&f, t,
		&t->scope));
	fe_frame_free(&f);
	return done;
}

/* Lower one definition, or what stands instead of it: first 0 in the rest of its box,
 * if it is an output, then its reduction or its pieces. Its array is there already.
 */
static isl_stat lower_tensor(struct fe_lower *lw, const struct fe_tensor *t)
{
	const struct fe_tensor *by = t->owned ? t->owned : t;
	const struct fe_index *i = by->scope.first;
	struct fe_cell cell = { .n = t->rank };
	struct reduction r;
	int d;

	lw->tensor = t;
	lw->loc = t->loc;
	for (d = 0; d < t->rank; d++, i = i->next)
		cell.dim[d] = i;
	cell.array = poly_prog_find_array(lw->prog, t->name);
	if (!cell.array)
		return isl_stat_error;
	if (t->is_output && fill_rest(lw, by, &cell) < 0)
		return isl_stat_error;
	lw->loc = t->node ? t->piece->loc : t->loc;
	if (find_reduction(by, &r))
		return lower_sum(lw, by, &r, &cell);
	return lower_case(lw, by, &cell);
}

/* ---------------------------------------------------------------- program */

/* An array called "name" over the indices of the tensor "t". */
static struct poly_array *add_tensor(struct fe_lower *lw,
	const struct fe_tensor *t, const char *name, enum poly_type type,
	enum poly_role role)
{
	const struct fe_index *dim[FE_MAX_RANK], *i = t->scope.first;
	int d;

	for (d = 0; d < t->rank; d++, i = i->next)
		dim[d] = i;
	lw->loc = t->loc;
	return fe_lower_add_array(lw, name, dim, t->rank, type, role);
}

/* The arrays of the definition "t": where it is summed, and its own, unless
 * another one has that.
 */
static isl_stat add_definition(struct fe_lower *lw, const struct fe_tensor *t)
{
	enum poly_type compute = poly_type_compute(t->type);
	char name[FE_MAX_STMT_NAME];
	struct reduction r;
	enum poly_type words = fe_join_words(lw->unit, t->join);

	if (words != POLY_N_TYPE) {
		for (int k = 0; k < t->join->n; k++)
			if (t->join->state[k]->live && !lw->words[t->id])
				lw->words[t->id] = lw->words[t->join->state[k]->id];
		if (!lw->words[t->id])
			lw->words[t->id] = add_tensor(lw, t, fe_lower_free_name(
				lw, t->name, "words", name), words, POLY_TEMP);
		return lw->words[t->id] ? isl_stat_ok : isl_stat_error;
	}
	if (t->instead)
		return isl_stat_ok;
	if (!t->call && !t->owned && compute != t->type &&
	    find_reduction(t, &r)) {
		lw->sum[t->id] = add_tensor(lw, t, fe_lower_free_name(lw, t->name,
			"acc", name), compute, POLY_TEMP);
		if (!lw->sum[t->id])
			return isl_stat_error;
	}
	if (t->is_output || t->in_place)
		return isl_stat_ok;
	return add_tensor(lw, t, t->name, t->type, POLY_TEMP) ? isl_stat_ok :
		isl_stat_error;
}

/* Add the arrays of inputs, outputs and other definitions, before any
 * statement, since definitions may read what comes later.
 */
static isl_stat add_tensors(struct fe_lower *lw)
{
	const struct fe_unit *u = lw->unit;
	const struct fe_tensor *t;
	int i;

	for (i = 0; i < u->n_input; i++) {
		struct poly_array *in = add_tensor(lw, u->in[i], u->in[i]->name,
			u->in[i]->type, POLY_INPUT);

		if (!in)
			return isl_stat_error;
		fe_limits_lower(lw, u->in[i], in);
	}
	for (i = 0; i < u->n_output; i++)
		if (!add_tensor(lw, u->out[i], u->out[i]->name,
		    u->out[i]->type, POLY_OUTPUT))
			return isl_stat_error;
	for (t = u->sorted; t; t = t->order_next)
		if (t->live && add_definition(lw, t) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}

/* Does "t" read a definition of the group, perhaps itself? */
static bool needs(const struct fe_tensor *t, int group)
{
	const struct fe_edge *edge;

	for (edge = t->edge; edge; edge = edge->next)
		if (!edge->to->is_input && edge->to->group == group)
			return true;
	return false;
}

/* The state of a join in words that is in the group of "t"; NULL: there is none. */
static const struct fe_tensor *find_joined(const struct fe_lower *lw,
	const struct fe_tensor *t)
{
	int group = t->group;

	for (; t && t->group == group; t = t->order_next)
		if (t->live && lw->words[t->id])
			return t;
	return NULL;
}

/* Is "t" the last state of its join? */
static bool is_last(const struct fe_tensor *t)
{
	const struct fe_tensor *other = t->order_next;

	while (other && !(other->live && !other->aside &&
	    other->join == t->join && other->group != t->group))
		other = other->order_next;
	return !other;
}

/* Lower "t" and what is in one group with it; "*last" is the last of these. */
static isl_stat lower_group(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_tensor **last)
{
	int first = lw->prog->n_stmt, group = t->group;
	const struct fe_tensor *joined = find_joined(lw, t);
	bool recurs = joined != NULL;

	if (joined && is_last(joined) && fe_join_lower(lw, joined) < 0)
		return isl_stat_error;
	for (; t && t->group == group; t = t->order_next) {
		*last = t;
		recurs |= needs(t, group);
		/* what else its states are made of is within their operator */
		if (!joined && t->live && !t->instead &&
		    lower_tensor(lw, t) < 0)
			return isl_stat_error;
	}
	return fe_lower_add_order(lw, first, recurs);
}

/* Lower all definitions that outputs need, in an order in which what one reads
 * comes before it, and calls of nests where they stand in that order.
 */
static isl_stat lower_tensors(struct fe_lower *lw)
{
	const struct fe_tensor *t, *last;
	isl_stat done;

	if (add_tensors(lw) < 0)
		return isl_stat_error;
	for (t = lw->unit->sorted; t; t = last->order_next) {
		last = t;
		if (t->call)
			done = t->live ? fe_lower_call(lw, t) : isl_stat_ok;
		else
			done = lower_group(lw, t, &last);
		if (done < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

isl_stat fe_index_lower(const struct fe_unit *u, struct poly_prog *prog)
{
	struct fe_lower lw = { .unit = u, .prog = prog, .ctx = prog->ctx };
	bool needs_fixed;
	isl_stat done;

	if (fe_index_domains((struct fe_unit *)u, prog->ctx, prog->report,
	    &needs_fixed) < 0)
		return isl_stat_error;
	lw.sum = calloc((size_t)u->n_tensor + 1, sizeof(*lw.sum));
	lw.words = calloc((size_t)u->n_tensor + 1, sizeof(*lw.words));
	if (!lw.sum || !lw.words) {
		free(lw.sum);
		free(lw.words);
		return isl_stat_error;
	}
	if (u->assume || needs_fixed)
		lw.assumed = fe_frame_context(u, prog->ctx, needs_fixed);
	if (lw.assumed)
		prog->context = isl_set_intersect(prog->context,
			isl_set_copy(lw.assumed));
	if (u->call)
		lw.order = isl_schedule_empty(
			isl_set_get_space(prog->context));
	done = lower_tensors(&lw);
	if (u->call)
		poly_prog_set_original(prog, lw.order);
	isl_set_free(lw.assumed);
	free(lw.sum);
	free(lw.words);
	return prog->context ? done : isl_stat_error;
}
