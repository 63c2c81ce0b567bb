/* Lanes for loops whose bounds are data, where what they carry may be put together in
 * any order.
 *
 * A thread that has a row of a sparse matrix to itself reads memory badly, and waits for
 * the longest row of its warp. So the steps of a row are dealt out, one after the other,
 * and the sum over lanes is a reduction as any other, for which threads go together
 * (sums/split.c):
 *
 *	y[i] = loop (j from row[i]; carry = y[i]) carry + a[j] * x[col[j]]
 *
 *	y[i] += loop (j from row[i] + l by 32; carry = 0) carry + a[j] * x[col[j]]
 *	for 0 <= l < 32
 *
 * Where cells are side by side and so is what they read, as with features of a dense
 * matrix, threads have these, and a lane more would only scatter them.
 */
#include <isl/aff.h>
#include <isl/schedule_node.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/prepare.h"
#include "polyir/sets/sets.h"

/* Lanes that are worth going together, and steps that a warp has to have in all of its
 * rows, where both can be: a warp takes about 4 us on an H200, whatever it has to do, so
 * that 64 steps are too few (rows of 16 steps by a vector take 344 us with 8 lanes, 264 us
 * with 4), and more steps than 128 read memory in shorter runs (rows of 64: 143 us with 8
 * lanes, 134 with 16).
 */
enum { LEAST_LANES = 2, WARP_STEPS = 96 };

/* ----------------------------------------------------------------- which loops */

/* Is "e" what the cell of "stmt" holds? */
static bool is_own_cell(const struct poly_stmt *stmt, const struct poly_expr *e)
{
	return e->op == POLY_OP_ACCESS && e->array == stmt->write_array &&
		isl_multi_pw_aff_plain_is_equal(e->index, stmt->write_index) ==
		isl_bool_true;
}

/* Is "e" a constant that changes nothing by "op"? */
static bool is_nothing(enum poly_op op, const struct poly_expr *e)
{
	struct poly_expr *none = poly_expr_identity(op, e->type);
	bool is = none && e->op == POLY_OP_CONST && none->op == e->op &&
		none->value == e->value;

	poly_expr_free(none);
	return is;
}

/* May values of "type" be put together by "op" in any order, as far as "stmt" and the
 * class of the program say?
 */
static bool is_open(const struct poly_prog *prog, const struct poly_stmt *stmt,
	enum poly_op op, enum poly_type type)
{
	bool rounds = poly_type_is_float(type) && op != POLY_OP_MIN &&
		op != POLY_OP_MAX;

	if (op != POLY_OP_ADD && op != POLY_OP_MUL && op != POLY_OP_MIN &&
	    op != POLY_OP_MAX && op != POLY_OP_AND && op != POLY_OP_OR &&
	    op != POLY_OP_XOR)
		return false;
	return !rounds || (prog->fp != POLY_FP_STRICT && !stmt->ordered);
}

/* A step adds by it something that does not need what is carried. */
enum poly_op poly_loop_adds(const struct poly_stmt *stmt)
{
	const struct poly_expr *e = stmt->rhs, *next;
	int number = (int)e->value;

	if (stmt->kind != POLY_POINT || e->op != POLY_OP_LOOP ||
	    e->type == POLY_BOOL || poly_type_compute(e->type) != e->type)
		return POLY_OP_NONE;
	next = e->arg[3];
	if (poly_op_n_arg(next->op) != 2 ||
	    next->arg[0]->op != POLY_OP_CARRY || next->arg[0]->value != number ||
	    poly_expr_has(next->arg[1], POLY_OP_CARRY, number))
		return POLY_OP_NONE;
	return next->op;
}

enum poly_op poly_loop_operator(const struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	enum poly_op op = poly_loop_adds(stmt);

	return op != POLY_OP_NONE && is_open(prog, stmt, op, stmt->rhs->type) ? op :
		POLY_OP_NONE;
}

/* The operator by which the LOOP that is the value of "stmt" adds to its cell; NONE if it
 * does not, or has lanes already.
 */
static enum poly_op operator_of(const struct poly_prog *prog,
	const struct poly_stmt *stmt)
{
	enum poly_op op = poly_loop_operator(prog, stmt);
	const struct poly_expr *e = stmt->rhs;

	if (op == POLY_OP_NONE || e->stride != 1 || stmt->across ||
	    stmt->atomic || stmt->write_array->type != e->type)
		return POLY_OP_NONE;
	if (stmt->reduce == POLY_OP_NONE)
		return is_own_cell(stmt, e->arg[2]) ? op : POLY_OP_NONE;
	return stmt->reduce == op && is_nothing(op, e->arg[2]) ? op :
		POLY_OP_NONE;
}

/* Does dimension "d" of "stmt" go along memory where "e" gathers: is it what is added
 * last to a position?
 */
static bool goes_along(const struct poly_expr *e, int d)
{
	const struct poly_expr *at = e->op == POLY_OP_GATHER ? e->arg[0] : NULL;

	while (at && (at->op == POLY_OP_CAST || at->op == POLY_OP_ADD))
		at = at->op == POLY_OP_ADD ? at->arg[1] : at->arg[0];
	if (at && at->op == POLY_OP_INDEX && poly_expr_moves(at, d))
		return true;
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		if (goes_along(e->arg[i], d))
			return true;
	return false;
}

/* Are cells of "stmt" that lie side by side made of such? */
static bool has_features(const struct poly_stmt *stmt)
{
	int n = isl_multi_pw_aff_size(stmt->write_index);
	int d = n > 0 ? poly_index_dim(stmt->write_index, n - 1, stmt) : -1;

	return d >= 0 && goes_along(stmt->rhs->arg[3], d);
}

/* How many elements do arrays have that "e" reads at the step of loop "number"? At most
 * "most", which is 0 at first.
 */
static double most_steps(struct poly_prog *prog, const struct poly_expr *e,
	int number, double most)
{
	const struct poly_expr *at = e->op == POLY_OP_GATHER ? e->arg[0] : NULL;

	while (at && at->op == POLY_OP_CAST)
		at = at->arg[0];
	if (at && at->op == POLY_OP_STEP && at->value == number) {
		double n = 1;
		int n_dim = e->array->n_dim;

		for (int d = 0; d < n_dim; d++)
			n *= poly_range_count(prog, poly_array_box(e->array, 0), d);
		most = n > most ? n : most;
	}
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		most = most_steps(prog, e->arg[i], number, most);
	return most;
}

/* Lanes for the loop of "stmt": as many as a warp has, or, where sizes are known, fewer if
 * the elements of all rows together say that most rows are short.
 */
static int lanes_for(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	double steps = most_steps(prog, stmt->rhs->arg[3],
		(int)stmt->rhs->value, 0);
	int n = POLY_LANES, n_dim = isl_set_dim(stmt->domain, isl_dim_set);

	for (int d = 0; d < n_dim; d++)
		steps /= poly_range_count(prog, isl_set_copy(stmt->domain), d);
	while (n > LEAST_LANES && poly_prog_is_fixed(prog) && steps > 0 &&
	       steps * POLY_LANES < WARP_STEPS * n)
		n /= 2;
	return n;
}

/* ------------------------------------------------------------------- new loops */

/* { S[.., l] -> S[..] } */
static __isl_give isl_multi_aff *without_lane(const struct poly_stmt *stmt)
{
	isl_space *space = isl_set_get_space(stmt->domain);
	int n = isl_space_dim(space, isl_dim_set);
	isl_multi_aff *ma;

	space = isl_space_set_tuple_name(isl_space_add_dims(space, isl_dim_set,
		1), isl_dim_set, stmt->name);
	ma = isl_multi_aff_project_out_map(space, isl_dim_set, (unsigned)n, 1);
	return isl_multi_aff_set_tuple_name(ma, isl_dim_out, stmt->name);
}

/* For the walk of order_lanes. */
struct lane {
	const struct poly_stmt *stmt;
	isl_union_pw_aff *at;
};

/* Below the last loop of the statement its lanes go one after the other. */
static __isl_give isl_schedule_node *insert_lane(
	__isl_take isl_schedule_node *node, void *user)
{
	const struct lane *lane = user;
	isl_union_set *domain;
	isl_set *own;
	bool here;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_leaf)
		return node;
	domain = poly_node_domain(node);
	own = isl_union_set_extract_set(domain, isl_set_get_space(
		lane->stmt->domain));
	here = isl_set_is_empty(own) == isl_bool_false;
	isl_set_free(own);
	isl_union_set_free(domain);
	return here ? isl_schedule_node_insert_partial_schedule(node,
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_copy(lane->at))) : node;
}

/* Bring the lanes of "stmt" into the order of the text. */
static isl_stat order_lanes(struct poly_prog *prog, const struct poly_stmt *stmt)
{
	isl_local_space *ls = isl_local_space_from_space(isl_set_get_space(
		stmt->domain));
	int n = isl_set_dim(stmt->domain, isl_dim_set);
	struct lane lane = { stmt, isl_union_pw_aff_from_pw_aff(
		isl_pw_aff_from_aff(isl_aff_var_on_domain(ls, isl_dim_set,
			(unsigned)n - 1))) };

	poly_prog_set_original(prog, isl_schedule_map_schedule_node_bottom_up(
		isl_schedule_copy(prog->original), insert_lane, &lane));
	isl_union_pw_aff_free(lane.at);
	return prog->original ? isl_stat_ok : isl_stat_error;
}

/* The lane of an instance of "stmt", whose last dimension it is, as a value. */
static struct poly_expr *lane_of(const struct poly_stmt *stmt)
{
	isl_local_space *ls = isl_local_space_from_space(isl_set_get_space(
		stmt->domain));
	int n = isl_set_dim(stmt->domain, isl_dim_set);

	return poly_expr_index(POLY_I64, isl_multi_pw_aff_from_pw_aff(
		isl_pw_aff_from_aff(isl_aff_var_on_domain(ls, isl_dim_set,
			(unsigned)n - 1))));
}

/* Deal the steps of "stmt", which updates by "op", out to "n" lanes. */
static isl_stat deal(struct poly_prog *prog, struct poly_stmt *stmt,
	enum poly_op op, int n)
{
	isl_multi_aff *without = without_lane(stmt);
	struct poly_expr *e = stmt->rhs;
	int d = isl_set_dim(stmt->domain, isl_dim_set);
	isl_set *domain;

	poly_stmt_pull(stmt, without);
	domain = isl_set_set_dim_name(stmt->domain, isl_dim_set, d, "lane");
	domain = isl_set_lower_bound_si(domain, isl_dim_set, d, 0);
	stmt->domain = isl_set_upper_bound_si(domain, isl_dim_set, d, n - 1);
	stmt->reduce = op;
	e->arg[0] = poly_expr_op(POLY_OP_ADD, POLY_I64, e->arg[0],
		lane_of(stmt));
	poly_expr_free(e->arg[2]);
	e->arg[2] = poly_expr_nothing(op, e->type);
	e->stride = n;
	if (!e->arg[0] || !e->arg[2]) {
		isl_multi_aff_free(without);
		return isl_stat_error;
	}
	if (poly_pull_stmt(prog, stmt, without) < 0)
		return isl_stat_error;
	return prog->original ? order_lanes(prog, stmt) : isl_stat_ok;
}

int poly_lane_dim(const struct poly_stmt *stmt)
{
	return stmt->kind == POLY_POINT && stmt->rhs &&
		stmt->rhs->op == POLY_OP_LOOP && stmt->rhs->stride > 1 ?
		isl_set_dim(stmt->domain, isl_dim_set) - 1 : -1;
}

/* What the lanes of "stmt" do the first one does alone. */
isl_stat poly_undeal_loop(struct poly_prog *prog, struct poly_stmt *stmt)
{
	isl_union_set *all = isl_union_set_empty(isl_set_get_space(
		prog->context));
	isl_stat ok = isl_stat_ok;

	stmt->domain = isl_set_fix_si(stmt->domain, isl_dim_set, (unsigned)
		poly_lane_dim(stmt), 0);
	stmt->rhs->stride = 1;
	for (int i = 0; i < prog->n_stmt; i++)
		all = isl_union_set_add_set(all, isl_set_copy(
			prog->stmt[i]->domain));
	if (prog->original) {
		poly_prog_set_original(prog, isl_schedule_intersect_domain(
			isl_schedule_copy(prog->original),
			isl_union_set_copy(all)));
		ok = prog->original ? isl_stat_ok : isl_stat_error;
	}
	if (poly_set_schedule(prog, isl_schedule_intersect_domain(
	    isl_schedule_copy(prog->schedule), all)) < 0)
		ok = isl_stat_error;
	return ok;
}

isl_stat poly_deal_loops(struct poly_prog *prog)
{
	isl_stat ok = isl_stat_ok;

	for (int i = 0; i < prog->n_stmt && ok == isl_stat_ok; i++) {
		struct poly_stmt *stmt = prog->stmt[i];
		enum poly_op op = operator_of(prog, stmt);

		if (op != POLY_OP_NONE && !has_features(stmt))
			ok = deal(prog, stmt, op, lanes_for(prog, stmt));
	}
	return ok;
}
