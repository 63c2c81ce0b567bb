/* Updates that the text writes as more than one operation.
 *
 * A statement that puts values together in the cell it reads is an update of it, in
 * whatever form the text has it:
 *
 *	t = (t + a) - b			t += a - b
 *	t = c ? t + a : t		t += c ? a : -0
 *	t = c ? t + a : t - b		t += c ? a : -b
 *
 * An update may be made in any order where its operator is associative, so that its
 * loop may be parallel. That regroups the operations of the text: floats are left
 * alone where the program asks for its own order.
 */
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* A statement, and the operator that it updates its cell by. */
struct update {
	const struct poly_stmt *stmt;
	enum poly_op op;
	int n_own, n_other;	/* reads of its own cell, and of others of the array */
};

static bool is_integer(enum poly_type t)
{
	return !poly_type_is_float(t) && t != POLY_BOOL;
}

/* ------------------------------------------------------------------- the form */

static void count_own(struct poly_expr *leaf, void *user)
{
	struct update *up = user;
	const struct poly_stmt *s = up->stmt;

	if (leaf->array != s->write_array)
		return;
	if (leaf->op == POLY_OP_ACCESS && isl_multi_pw_aff_is_equal(
		leaf->index, s->write_index) == isl_bool_true)
		up->n_own++;
	else
		up->n_other++;
}

/* Does "e" read the array that the statement writes? */
static bool has_own(const struct update *up, struct poly_expr *e)
{
	return poly_expr_accesses(e, up->stmt->write_array);
}

/* The operator that puts the cell and what lies beside it together in "e", which
 * reads the cell; NONE: none that updates have.
 */
static enum poly_op find_op(const struct update *up, struct poly_expr *e)
{
	enum poly_op op = POLY_OP_NONE;

	switch (e->op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
		return POLY_OP_ADD;
	case POLY_OP_MUL:
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_AND:
	case POLY_OP_OR:
	case POLY_OP_XOR:
		return e->op;
	case POLY_OP_CAST:
		return find_op(up, e->arg[0]);
	case POLY_OP_SELECT:
	case POLY_OP_BRANCH:
		for (int i = 1; i < 3 && op == POLY_OP_NONE; i++)
			if (has_own(up, e->arg[i]))
				op = find_op(up, e->arg[i]);
		return op;
	default:
		return POLY_OP_NONE;
	}
}

/* Does the choice "e" take the cell, with something or nothing put to it, on both
 * sides, and not to decide? The larger one of a NaN and nothing would be nothing.
 */
static bool chooses(const struct update *up, const struct poly_expr *e)
{
	bool skips = !poly_type_is_float(e->type) ||
		(up->op != POLY_OP_MIN && up->op != POLY_OP_MAX);

	return skips && !has_own(up, e->arg[0]) && has_own(up, e->arg[1]) &&
		has_own(up, e->arg[2]);
}

/* Does a conversion of integers to "e" keep the bits that the cell has, and does the
 * operator make these of those alone?
 */
static bool keeps_bits(const struct update *up, const struct poly_expr *e)
{
	enum poly_type cell = up->stmt->write_array->type;

	return up->op != POLY_OP_MIN && up->op != POLY_OP_MAX &&
		is_integer(e->type) && is_integer(e->arg[0]->type) &&
		poly_type_size(e->type) >= poly_type_size(cell) &&
		poly_type_size(e->arg[0]->type) >= poly_type_size(cell);
}

/* Is the operation "e" one by the operator, whose other side does not read the cell?
 * "*own" is the side that does.
 */
static bool puts_to(const struct update *up, const struct poly_expr *e, int *own)
{
	bool minus = e->op == POLY_OP_SUB && up->op == POLY_OP_ADD;

	if (e->op != up->op && !minus)
		return false;
	*own = !has_own(up, e->arg[0]);
	return !(minus && *own) && !has_own(up, e->arg[!*own]);
}

/* Is "e", which reads the cell, made of it by the operator alone? */
static bool has_form(const struct update *up, const struct poly_expr *e)
{
	int own;

	switch (e->op) {
	case POLY_OP_ACCESS:
		return true;
	case POLY_OP_CAST:
		return keeps_bits(up, e) && has_form(up, e->arg[0]);
	case POLY_OP_SELECT:
	case POLY_OP_BRANCH:
		return chooses(up, e) && has_form(up, e->arg[1]) &&
			has_form(up, e->arg[2]);
	default:
		return puts_to(up, e, &own) && has_form(up, e->arg[own]);
	}
}

/* --------------------------------------------------------------------- the rest */

static struct poly_expr *rest(const struct update *up,
	const struct poly_expr *e);

/* What side "own" of the operation "e" is put together with. */
static struct poly_expr *beside(const struct update *up,
	const struct poly_expr *e, int own)
{
	struct poly_expr *other = poly_expr_copy(e->arg[!own]);

	if (e->arg[own]->op == POLY_OP_ACCESS)
		return e->op == POLY_OP_SUB ? poly_expr_op(POLY_OP_NEG,
			e->type, other, NULL) : other;
	return poly_expr_op(e->op, e->type, rest(up, e->arg[own]), other);
}

/* What is put to the cell in "e", which has the form; NULL without memory. */
static struct poly_expr *rest(const struct update *up,
	const struct poly_expr *e)
{
	int own = 0;

	switch (e->op) {
	case POLY_OP_ACCESS:
		return poly_expr_nothing(up->op, e->type);
	case POLY_OP_CAST:
		return poly_expr_cast(e->type, rest(up, e->arg[0]));
	case POLY_OP_SELECT:
	case POLY_OP_BRANCH:
		return poly_expr_op3(e->op, e->type, poly_expr_copy(e->arg[0]),
			rest(up, e->arg[1]), rest(up, e->arg[2]));
	default:
		puts_to(up, e, &own);
		return beside(up, e, own);
	}
}

/* --------------------------------------------------------------------- the pass */

/* May what "stmt" does be done in another order? */
static bool is_free(const struct poly_prog *prog, const struct update *up)
{
	struct poly_stmt as = *up->stmt;

	as.reduce = up->op;
	return !as.ordered && poly_is_free_update(prog, &as);
}

/* Make "stmt" an update if it has the form of one; 1 if so, -1 without memory. */
static int make_update(const struct poly_prog *prog, struct poly_stmt *stmt)
{
	struct update up = { .stmt = stmt };
	struct poly_expr *value;

	if (stmt->kind != POLY_POINT || stmt->reduce != POLY_OP_NONE ||
	    !stmt->rhs || stmt->atomic || stmt->rhs->op == POLY_OP_SCATTER ||
	    stmt->write_array->type == POLY_BOOL)
		return 0;
	poly_expr_each_access(stmt->rhs, count_own, &up);
	poly_expr_each_gather(stmt->rhs, count_own, &up);
	if (!up.n_own || up.n_other)
		return 0;
	up.op = find_op(&up, stmt->rhs);
	if (up.op == POLY_OP_NONE || !is_free(prog, &up) ||
	    !has_form(&up, stmt->rhs))
		return 0;
	value = rest(&up, stmt->rhs);
	if (!value)
		return -1;
	poly_expr_free(stmt->rhs);
	stmt->rhs = value;
	stmt->reduce = up.op;
	return 1;
}

int poly_make_updates(struct poly_prog *prog)
{
	int n = 0, made;

	for (int i = 0; i < prog->n_stmt; i++) {
		made = make_update(prog, prog->stmt[i]);
		if (made < 0)
			return -1;
		n += made;
	}
	return n;
}
