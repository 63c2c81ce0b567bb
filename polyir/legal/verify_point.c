/* Structure of point statements: what they write, and expressions. */
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/legal/legal.h"
#include "polyir/prepare/prepare.h"

/* Do the types of "e" and its arguments fit together, where words are put together or
 * taken apart?
 */
static bool words_fit(const struct poly_expr *e)
{
	const struct poly_expr *part = e->op == POLY_OP_PUT ? e->arg[1] : e;

	if (!poly_type_is_words(e->arg[0]->type))
		return false;
	if (e->op == POLY_OP_JOIN)
		return e->type == e->arg[0]->type && e->arg[1]->type == e->type &&
			e->arg[2]->type == e->type && e->arg[3]->type == e->type;
	return (e->op == POLY_OP_PART || e->type == e->arg[0]->type) &&
		!poly_type_is_words(part->type) && e->value >= 0 &&
		e->value + poly_type_n_words(part->type) <=
		poly_type_n_words(e->arg[0]->type);
}

/* Do the types of "e" and its arguments fit together? */
static bool types_fit(const struct poly_expr *e)
{
	enum poly_type first = e->arg[0] ? e->arg[0]->type : e->type;

	switch (poly_op_shape(e->op)) {
	case POLY_SHAPE_CAST:
		return e->op != POLY_OP_BITS ||
			(first == POLY_F32 && e->type == POLY_U32) ||
			(first == POLY_F64 && e->type == POLY_U64);
	case POLY_SHAPE_LEAF:
		return true;
	case POLY_SHAPE_SELECT:
		return first == POLY_BOOL && e->arg[1]->type == e->type &&
			e->arg[2]->type == e->type;
	case POLY_SHAPE_COMPARE:
		return e->type == POLY_BOOL && e->arg[1]->type == first;
	case POLY_SHAPE_SCATTER:
		return first == e->type && e->arg[1]->type == POLY_I64;
	case POLY_SHAPE_LOOP:
		return first == POLY_I64 && e->arg[1]->type == POLY_I64 &&
			e->arg[2]->type == e->type && e->arg[3]->type == e->type;
	case POLY_SHAPE_WORDS:
		return words_fit(e);
	default:
		return first == e->type &&
			(!e->arg[1] || e->arg[1]->type == first) &&
			(!e->arg[2] || e->arg[2]->type == first);
	}
}

/* Check the INDEX "e" of "stmt". */
static bool check_integer(struct poly_verifier *v,
	const struct poly_stmt *stmt, const struct poly_expr *e)
{
	isl_space *space = isl_multi_pw_aff_get_space(e->index);
	bool ok = poly_verify_names(v, space, isl_dim_in) &&
		isl_space_dim(space, isl_dim_out) == 1 &&
		isl_space_has_tuple_name(space, isl_dim_out) ==
			isl_bool_false && (e->type == POLY_I32 ||
		e->type == POLY_I64);

	isl_space_free(space);
	return ok || poly_verify_fail(v, "%s has an index that is no integer",
		stmt->name);
}

/* Check the GATHER "e" of "stmt": passes that rename, move or split temporaries leave
 * those alone that are gathered from (poly_is_temp).
 */
static bool check_gather(struct poly_verifier *v,
	const struct poly_stmt *stmt, const struct poly_expr *e)
{
	if (e->index && !poly_verify_index(v, stmt, e->array, e->index))
		return false;
	if (e->type != e->array->type || e->arg[0]->type != POLY_I64)
		return poly_verify_fail(v, "%s gathers from %s by another type",
			stmt->name, e->array->name);
	return (e->array->space == POLY_GLOBAL &&
		stmt->write_array != e->array) || poly_verify_fail(v,
		"%s cannot gather from %s", stmt->name, e->array->name);
}

/* Check the EARLIER "e" of "stmt": it is that of the place of a SCATTER, and counts from
 * multiples of a number on.
 */
static bool check_earlier(struct poly_verifier *v,
	const struct poly_stmt *stmt, const struct poly_expr *e)
{
	const struct poly_expr *n = e->arg[1];

	return (e == poly_earlier(stmt) && e->type == POLY_I32 && n &&
		n->op == POLY_OP_CONST && n->value >= 1 &&
		isl_set_dim(stmt->domain, isl_dim_set) > 0) ||
		poly_verify_fail(v, "%s cannot count what is earlier",
			stmt->name);
}

/* Check the expression "e" of "stmt": types fit, leaves resolve. */
static bool check_expr(struct poly_verifier *v, const struct poly_stmt *stmt,
	const struct poly_expr *e)
{
	int i;

	if (!e)
		return poly_verify_fail(v, "%s has no value", stmt->name);
	if (e->op == POLY_OP_ACCESS)
		return poly_verify_index(v, stmt, e->array, e->index) &&
			(e->type == e->array->type || poly_verify_fail(v,
				"%s reads %s as another type", stmt->name,
				e->array->name));
	if (e->op == POLY_OP_PARAM &&
	    !poly_prog_find_param(v->prog, e->param))
		return poly_verify_fail(v, "%s uses an unknown parameter",
			stmt->name);
	if (e->op == POLY_OP_INDEX)
		return check_integer(v, stmt, e);
	if (e->op == POLY_OP_GATHER && !check_gather(v, stmt, e))
		return false;
	if (e->op == POLY_OP_SCATTER && e != stmt->rhs)
		return poly_verify_fail(v, "%s scatters in the midst of a value",
			stmt->name);
	if (e->op == POLY_OP_EARLIER && !check_earlier(v, stmt, e))
		return false;
	for (i = 0; i < poly_op_n_arg(e->op); i++)
		if (!check_expr(v, stmt, e->arg[i]))
			return false;
	return types_fit(e) || poly_verify_fail(v,
		"%s mixes types without a cast", stmt->name);
}

/* Do the steps and what is carried in "e" belong to loops around them? "loop" are
 * these, by their numbers.
 */
static bool loops_fit(const struct poly_expr *e, const struct poly_expr **loop)
{
	int number = (int)e->value;
	bool ok = true, is_loop = e->op == POLY_OP_LOOP;

	if (e->op == POLY_OP_STEP)
		return loop[number] != NULL;
	if (e->op == POLY_OP_CARRY)
		return loop[number] && loop[number]->type == e->type;
	if (is_loop && loop[number])
		return false;
	for (int i = 0; i < poly_op_n_arg(e->op) && ok; i++) {
		if (is_loop && i == 3)
			loop[number] = e;
		ok = loops_fit(e->arg[i], loop);
	}
	if (is_loop)
		loop[number] = NULL;
	return ok;
}

/* Are the sides in "e" those of a JOIN around, of the type "side", POLY_N_TYPE: there is
 * none, and is what changes nothing in a JOIN made of numbers?
 */
static bool sides_fit(const struct poly_expr *e, enum poly_type side)
{
	bool ok = true, is_join = e->op == POLY_OP_JOIN;

	if (e->op == POLY_OP_LEFT || e->op == POLY_OP_RIGHT)
		return e->type == side && side != POLY_N_TYPE;
	if (is_join && (side != POLY_N_TYPE || !poly_expr_is_number(e->arg[3])))
		return false;
	for (int i = 0; i < poly_op_n_arg(e->op) && ok; i++)
		ok = sides_fit(e->arg[i], is_join ? i == 2 ? e->type :
			POLY_N_TYPE : side);
	return ok;
}

/* Can "stmt" begin its cells itself: has it a temporary in memory to itself that it
 * does not read?
 */
static bool is_fold(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	const struct poly_array *a = stmt->write_array;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i] != stmt && prog->stmt[i]->write_array == a)
			return false;
	return stmt->reduce != POLY_OP_NONE && !stmt->across &&
		!stmt->atomic && poly_is_temp(a) &&
		a->space == POLY_GLOBAL && !poly_expr_accesses(stmt->rhs, a);
}

/* Does "stmt" copy an element of global to shared memory as it is? */
static bool is_copy(const struct poly_stmt *stmt)
{
	const struct poly_expr *e = stmt->rhs;

	return stmt->write_array->space == POLY_SHARED &&
		stmt->reduce == POLY_OP_NONE && e->op == POLY_OP_ACCESS &&
		e->array->space == POLY_GLOBAL && e->index &&
		e->type == stmt->write_array->type;
}

/* Is "stmt" a SCATTER, as all that write its array are, or are none of these? */
static bool check_scatter(struct poly_verifier *v, const struct poly_stmt *stmt)
{
	const struct poly_array *a = stmt->write_array;

	if (poly_is_scatter(stmt) != a->scattered)
		return poly_verify_fail(v, "%s writes %s beside a scatter",
			stmt->name, a->name);
	return !a->scattered || (stmt->kind == POLY_POINT &&
		stmt->reduce == POLY_OP_NONE && a->space == POLY_GLOBAL &&
		stmt->rhs->value < a->n_dim) || poly_verify_fail(v,
		"%s cannot scatter into %s", stmt->name, a->name);
}

bool poly_verify_point(struct poly_verifier *v, const struct poly_stmt *stmt)
{
	const struct poly_expr *loop[POLY_MAX_LOOP] = { NULL };
	enum poly_type type;

	if (!poly_verify_index(v, stmt, stmt->write_array, stmt->write_index) ||
	    !check_expr(v, stmt, stmt->rhs))
		return false;
	if (!loops_fit(stmt->rhs, loop))
		return poly_verify_fail(v, "%s has a step without its loop",
			stmt->name);
	if (!sides_fit(stmt->rhs, POLY_N_TYPE))
		return poly_verify_fail(v, "%s has a side without its join",
			stmt->name);
	type = stmt->write_array->type;
	if (stmt->rhs->type != type &&
	    stmt->rhs->type != poly_type_compute(type))
		return poly_verify_fail(v, "%s writes a value of another type",
			stmt->name);
	if (stmt->reduce != POLY_OP_NONE && poly_op_n_arg(stmt->reduce) != 2)
		return poly_verify_fail(v, "%s cannot reduce with %s",
			stmt->name, poly_op_name(stmt->reduce));
	if (stmt->across && (stmt->reduce == POLY_OP_NONE ||
	    (stmt->across & (stmt->across - 1))))
		return poly_verify_fail(v,
			"%s is nothing for %d threads together", stmt->name,
			stmt->across);
	if (stmt->fold && !is_fold(v->prog, stmt))
		return poly_verify_fail(v, "%s is no fold", stmt->name);
	if (stmt->async && !is_copy(stmt))
		return poly_verify_fail(v, "%s is no copy that is only started",
			stmt->name);
	if (!check_scatter(v, stmt))
		return false;
	if (stmt->atomic && !poly_is_atomic(v->prog, stmt))
		return poly_verify_fail(v, "%s is no atomic update",
			stmt->name);
	return true;
}
