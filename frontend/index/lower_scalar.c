/* Expressions of index notation to values of statements, and the arrays and
 * statements that reductions inside of them need.
 *
 * A reduction inside an expression gets an array of its own over the indices around
 * it that it uses:
 *
 *	y(i) = a(i) + sum(j: b(i,j))
 *
 *	y_sum_init[i]	y_sum[i] = 0
 *	y_sum_add[i,j]	y_sum[i] += b[i,j]
 *	y_def[i]	y[i] = a[i] + y_sum[i]
 */
#include <isl/space.h>

#include "frontend/index/lower_index.h"

/* ------------------------------------------------------------- reductions */

/* A reduction makes two statements: one that sets the cells to what changes
 * nothing, and one that updates them.
 */

/* An affine expression as a value. It is made as a 64 bit integer, but for 32
 * bit ones, and rounded to the expression's type before it becomes one for
 * computing.
 */
struct poly_expr *fe_lower_integer(const struct fe_scalar *e,
	const struct fe_frame *f)
{
	isl_space *range = fe_frame_tuple(f, NULL, 1);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_copy(f->space), range);
	isl_pw_aff_list *list = isl_pw_aff_list_from_pw_aff(
		fe_frame_value(f, e));
	struct poly_expr *value;

	value = poly_expr_index(e->type == POLY_I32 ? POLY_I32 : POLY_I64,
		isl_multi_pw_aff_from_pw_aff_list(space, list));
	return poly_expr_cast(poly_type_compute(e->type),
		poly_expr_cast(e->type, value));
}

/* The index "i" where "value" is what the cell "most" holds, elsewhere what changes no
 * minimum.
 *
 * "argmax" is two reductions: the first finds the largest value, the second the
 * least index that has it. Where several have it, the first counts.
 */
static struct poly_expr *place_of(const struct fe_frame *f, struct fe_index *i,
	struct poly_expr *value, const struct fe_cell *most)
{
	struct fe_scalar index = { .kind = FE_S_INDEX, .index = i,
		.type = POLY_I64, .affine = true };
	struct poly_expr *is = poly_expr_op(POLY_OP_EQ, POLY_BOOL, value,
		poly_expr_access(most->array, fe_lower_own_index(f,
			most->array, most->dim, most->n)));

	return poly_expr_select(is, fe_lower_integer(&index, f),
		poly_expr_identity(POLY_OP_MIN, POLY_I64));
}

/* Let "cell" hold what changes nothing in a reduction by "op", on "where" of "f".
 *
 * The statement has the indices of the cell alone: "where" is projected onto
 * them.
 */
static isl_stat begin_cells(struct fe_lower *lw, const struct fe_cell *cell,
	const char *base, const struct fe_frame *f,
	__isl_keep isl_set *where, enum poly_op op, enum poly_type type)
{
	char name[FE_MAX_STMT_NAME];
	struct fe_frame g;
	isl_stat done;

	fe_frame_init(&g, lw->unit, lw->ctx,
		fe_lower_free_name(lw, base, "init", name));
	for (int d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	done = fe_lower_add_stmt(lw, &g, fe_lower_move(isl_set_copy(where), f,
		&g), cell, POLY_OP_NONE, poly_expr_identity(op, type));
	fe_frame_free(&g);
	return done;
}

/* Add the indices of "cell" to "g", then those of "scope" that it lacks.
 *
 * So the cell's indices come first, as fe_lower_move() wants them.
 */
static void add_indices(struct fe_frame *g, const struct fe_cell *cell,
	const struct fe_scope *scope)
{
	const struct fe_index *i;
	int d;

	for (d = 0; d < cell->n; d++)
		fe_frame_add(g, cell->dim[d]);
	for (i = scope->first; i; i = i->next) {
		for (d = 0; d < cell->n; d++)
			if (cell->dim[d] == i)
				break;
		if (d == cell->n)
			fe_frame_add(g, i);
	}
}

/* "where" of "f" is what the reduction is needed for. The frame "g" has the
 * indices of the cell and those that are reduced over; its domain is "where"
 * there, cut to the scope.
 *
 * A sum of terms that are gathered may have a form of its own
 * (fe_lower_gathered). It is asked for first, since it may add statements of
 * its own.
 */
isl_stat fe_lower_reduce(struct fe_lower *lw, const struct fe_cell *cell,
	const char *base, const struct fe_frame *f,
	__isl_keep isl_set *where, const struct fe_scope *scope,
	enum poly_op op, enum poly_type type, const struct fe_scalar *e,
	const struct fe_cell *most)
{
	struct poly_expr *rhs = NULL;
	char name[FE_MAX_STMT_NAME];
	struct fe_frame g;
	isl_set *set;
	isl_stat done;

	fe_frame_init(&g, lw->unit, lw->ctx,
		fe_lower_free_name(lw, base, fe_lower_stmt_word(lw->tensor,
			poly_op_name(op)), name));
	add_indices(&g, cell, scope);
	set = fe_lower_move(isl_set_copy(where), f, &g);
	set = isl_set_intersect(set, fe_frame_run(&g, lw->tensor, scope));
	if (op == POLY_OP_ADD && !lw->tensor->asks)
		rhs = fe_lower_gathered(lw, e, &g, set);
	done = begin_cells(lw, cell, base, f, where, op, type);
	if (!rhs && done == isl_stat_ok)
		rhs = fe_lower_value(lw, e, &g, set);
	if (rhs && most)
		rhs = place_of(&g, scope->first, rhs, most);
	rhs = fe_lower_asked(lw, scope, &g, rhs, op);
	if (done == isl_stat_ok) {
		done = fe_lower_add_stmt(lw, &g, set, cell, op, rhs);
	} else {
		poly_expr_free(rhs);
		isl_set_free(set);
	}
	fe_frame_free(&g);
	return done;
}

/* What the array of a reduction by "op" is called; no statement's name ends
 * like that.
 *
 * The suffixes of statements are names of operations (fe_lower_stmt_word), and
 * of initializations "init".
 */
static const char *array_suffix(enum poly_op op)
{
	return op == POLY_OP_ADD ? "sum" : op == POLY_OP_MUL ? "prod" :
		op == POLY_OP_MIN ? "least" : op == POLY_OP_MAX ? "most" :
		"bits";
}

/* Make "cell" an array of "type" over its indices, for what the reduction "e"
 * makes by "op", and fill it (fe_lower_reduce).
 *
 * "most" is NULL but for the second reduction of one that asks for a place.
 */
static bool fill_cell(struct fe_lower *lw, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where, enum poly_op op,
	enum poly_type type, const struct fe_cell *most, struct fe_cell *cell)
{
	char name[FE_MAX_STMT_NAME];

	fe_lower_free_name(lw, lw->tensor->name, array_suffix(op), name);
	cell->array = fe_lower_add_array(lw, name, cell->dim, cell->n,
		poly_type_compute(type), POLY_TEMP);
	return cell->array && fe_lower_reduce(lw, cell, cell->array->name, f,
		where, e->scope, op, type, e->arg[0], most) >= 0;
}

/* The value of "cell" at the frame.
 *
 * Each instance of the frame reads the cell of its own indices.
 */
static struct poly_expr *read_cell(const struct fe_frame *f,
	const struct fe_cell *cell)
{
	return poly_expr_access(cell->array, fe_lower_own_index(f, cell->array,
		cell->dim, cell->n));
}

/* The value of the reduction "e" at the frame: an array over the indices that
 * it uses, which is filled first; of one that asks for a place, a second one.
 *
 * An empty reduction for a place has none: no index beats what changes no
 * minimum. Its value is -1.
 */
static struct poly_expr *lower_reduction(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	struct fe_cell cell = { .n = 0 }, place;
	enum poly_type type = e->place ?
		poly_type_compute(e->arg[0]->type) : e->type;
	struct poly_expr *none;

	/* Both arrays have the same indices. */
	fe_lower_uses(e, f, &cell);
	place = cell;
	if (!fill_cell(lw, e, f, where, e->op, type, NULL, &cell))
		return NULL;
	if (!e->place)
		return read_cell(f, &cell);
	if (!fill_cell(lw, e, f, where, POLY_OP_MIN, POLY_I64, &cell, &place))
		return NULL;
	none = poly_expr_op(POLY_OP_EQ, POLY_BOOL, read_cell(f, &place),
		poly_expr_identity(POLY_OP_MIN, POLY_I64));
	return poly_expr_select(none, poly_expr_const(POLY_I64, -1),
		read_cell(f, &place));
}

/* ----------------------------------------------------------------- values */

/* What the read "e" reads, in the type of its tensor.
 *
 * The array of the tensor has its name. Where it does not exist an error has
 * been reported.
 */
static struct poly_expr *lower_read(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	struct poly_array *array;

	if (e->tensor->join && (e->tensor->join == lw->join ||
	    lw->words[e->tensor->id]))
		return fe_join_read(lw, e->tensor, fe_lower_read_index(f, e));
	array = poly_prog_find_array(lw->prog, e->tensor->name);
	if (!array)
		return NULL;
	if (fe_scalar_gathers(e))
		return fe_lower_gather(lw, e, f, where, array, fe_lower_read_index(f,
			e));
	return poly_expr_access(array, fe_lower_read_index(f, e));
}

/* The operation "e" over "f": computed in the type of its result, to which all
 * operands are cast but those of comparisons and the condition of a choice.
 *
 * The condition of a choice stays a truth value, and operands of a comparison
 * keep their own type: the checks have made these equal.
 */
static struct poly_expr *lower_op(struct fe_lower *lw, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	enum poly_type type = poly_type_compute(e->type);
	struct poly_expr *arg[POLY_MAX_ARG] = { NULL };
	bool compare = poly_op_shape(e->op) == POLY_SHAPE_COMPARE;
	int i, n = e->op == POLY_OP_EARLIER ? 2 : e->n_arg;

	for (i = 0; i < n; i++) {
		arg[i] = fe_lower_value(lw, e->arg[i], f, where);
		if (!compare && !(i == 0 &&
		    poly_op_shape(e->op) == POLY_SHAPE_SELECT))
			arg[i] = poly_expr_cast(type, arg[i]);
	}
	if (n == 3)
		return poly_expr_op3(e->op, type, arg[0], arg[1], arg[2]);
	return poly_expr_op(e->op, compare ? POLY_BOOL : type, arg[0],
		arg[1]);
}

/* Values are in the type for computing: a read of a narrow type is widened, and
 * a cast to one rounds to it and widens again.
 */
struct poly_expr *fe_lower_value(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	enum poly_type type = poly_type_compute(e->type);

	if (e->kind == FE_S_NUMBER)
		return poly_expr_const(type, e->value);
	if (e->affine)
		return fe_lower_integer(e, f);
	switch (e->kind) {
	case FE_S_READ:
		return poly_expr_cast(type, lower_read(lw, e, f, where));
	case FE_S_CAST:
		if (e->bits)
			return poly_expr_op(POLY_OP_BITS, type, fe_lower_value(
				lw, e->arg[0], f, where), NULL);
		return poly_expr_cast(type, poly_expr_cast(e->type,
			fe_lower_value(lw, e->arg[0], f, where)));
	case FE_S_REDUCE:
		return lower_reduction(lw, e, f, where);
	default:
		return lower_op(lw, e, f, where);
	}
}

/* The value of the SCATTER "e". Arrays begin at 0.
 *
 * The place is an integer of 64 bits, whatever type it is computed in. "dim" is
 * the dimension of the frame that the place replaces.
 */
static struct poly_expr *lower_scatter(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, enum poly_type type)
{
	struct poly_expr *value = fe_lower_stored(lw, e->arg[0], f, where,
		type);
	int dim = 0;

	while (dim < f->n && f->dim[dim] != e->arg[2]->index)
		dim++;
	return poly_expr_scatter(dim, value, poly_expr_cast(POLY_I64,
		fe_lower_value(lw, e->arg[1], f, where)));
}

/* The value as it is written into an array of "type". A read or a number of
 * that very type needs no cast, so that a copy stays a copy of bits.
 */
struct poly_expr *fe_lower_stored(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, enum poly_type type)
{
	if (e->kind == FE_S_OP && e->op == POLY_OP_SCATTER)
		return lower_scatter(lw, e, f, where, type);
	if (e->kind == FE_S_NUMBER && e->type == type)
		return poly_expr_const(type, e->value);
	if (e->kind != FE_S_READ || e->tensor->type != type)
		return poly_expr_cast(type, fe_lower_value(lw, e, f, where));
	return lower_read(lw, e, f, where);
}

/* ------------------------------------------------------------- conditions */

/* The affine condition "c" of the frame "f" as a value.
 *
 * Both sides of a comparison become integers of 64 bits, so that no type of the
 * source decides it. Joints of conditions are taken apart.
 */
static struct poly_expr *lower_affine(const struct fe_scalar *c,
	const struct fe_frame *f)
{
	struct poly_expr *arg[2] = { NULL, NULL };
	struct fe_scalar side;
	int i;

	for (i = 0; i < c->n_arg; i++) {
		side = *c->arg[i];
		side.type = POLY_I64;
		arg[i] = fe_scalar_joins(c) ? lower_affine(c->arg[i], f) :
			fe_lower_integer(&side, f);
	}
	return poly_expr_op(c->op, POLY_BOOL, arg[0], arg[1]);
}

/* Does the affine condition "c" hold for all or none of "where"?
 *
 * With "holds" the question is for all, without it for none.
 */
static bool is_settled(const struct fe_scalar *c, const struct fe_frame *f,
	__isl_keep isl_set *where, bool holds)
{
	isl_set *set = fe_frame_condition(f, c);
	isl_bool settled;

	settled = holds ? isl_set_is_subset(where, set) :
		isl_set_is_disjoint(where, set);
	isl_set_free(set);
	return settled == isl_bool_true;
}

/* A condition on data as a value. What only asks for indices and is settled for
 * all instances is left out of a conjunction or a disjunction: it would be
 * computed for nothing.
 */
struct poly_expr *fe_lower_guard(struct fe_lower *lw,
	const struct fe_scalar *c, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	struct poly_expr *arg[2] = { NULL, NULL };
	int i;

	if (!c->data || c->asked)
		return lower_affine(c, f);
	if (!fe_scalar_joins(c))
		return fe_lower_value(lw, c, f, where);
	/* Of "a and b", "a" can be left out where it always holds; of "a or b",
	 * where it never does.
	 */
	for (i = 0; c->op != POLY_OP_NOT && i < c->n_arg; i++)
		if (!c->arg[i]->data && is_settled(c->arg[i], f, where,
		    c->op == POLY_OP_AND))
			return fe_lower_guard(lw, c->arg[1 - i], f, where);
	for (i = 0; i < c->n_arg; i++)
		arg[i] = fe_lower_guard(lw, c->arg[i], f, where);
	return poly_expr_op(c->op, POLY_BOOL, arg[0], arg[1]);
}

struct poly_expr *fe_lower_asked(struct fe_lower *lw,
	const struct fe_scope *scope, const struct fe_frame *f,
	struct poly_expr *value, enum poly_op op)
{
	struct poly_expr *all = NULL, *one;
	const struct fe_scalar *c;

	if (!value || !lw->tensor->asks)
		return value;
	for (; scope; scope = scope->outer) {
		for (c = scope->condition; c; c = c->next) {
			if (!c->asked || fe_frame_lacks(f, c))
				continue;
			one = lower_affine(c, f);
			all = all ? poly_expr_op(POLY_OP_AND, POLY_BOOL, all,
				one) : one;
		}
	}
	return !all ? value : poly_expr_op3(POLY_OP_BRANCH, value->type, all,
		value, op == POLY_OP_NONE ? poly_expr_const(value->type, 0) :
			poly_expr_identity(op, value->type));
}
