/* A unit to a polyhedral program.
 *
 * Each operation of the DAG becomes one statement and its value one array;
 * views become index maps of the reads. For "D = A * B; E = ReLU(D + c)":
 *
 *	D_init[i,j]	D[i,j] = 0
 *	D_mul[i,j,k]	D[i,j] += A[i,k] * B[k,j]
 *	E_1_add[i,j]	E_1[i,j] = D[i,j] + c[0,j]
 *	E_relu[i,j]	E[i,j] = relu(E_1[i,j])
 *
 * Where values are stored in another type than they are computed in, a
 * product is summed in an array D_acc of the compute type and D_round[i,j]
 * stores it. Definitions and operands of products are rounded, other values
 * are kept in the compute type (README.md, "Numbers").
 *
 * A definition that is a transposed operation is computed in place: its
 * statements go over the elements of the result, and read their operands
 * transposed. A definition that is only another name or view of a matrix
 * becomes a copy if it is an output, otherwise nothing.
 *
 * Sizes stay symbolic where they are parameters, whatever -D says.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/index/frame.h"
#include "frontend/c/c_internal.h"

struct lower {
	const struct fe_unit *unit;
	struct poly_prog *prog;
	struct poly_array **array;	/* of each node */
};

/* ---------------------------------------------------------------- text */

/* Write "[M,N] -> " for the parameters among the sizes. */
static void print_params(const struct fe_size *const *size, int n,
	struct poly_str *out)
{
	int i, k, count = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++)
			if (size[k]->param == size[i]->param)
				break;
		if (!size[i]->param || k < i)
			continue;
		poly_str_printf(out, "%s%s", count++ ? "," : "[",
			size[i]->param->name);
	}
	if (count)
		poly_str_add(out, "] -> ");
}

static void print_size(const struct fe_size *s, struct poly_str *out)
{
	if (s->param)
		poly_str_add(out, s->param->name);
	else
		poly_str_printf(out, "%lld", (long long)s->value);
}

/* "[M,N] -> { A[(M),(N)] }" as an extent. */
static __isl_give isl_multi_pw_aff *read_extent(struct lower *lw,
	const char *name, const struct fe_size *rows,
	const struct fe_size *columns)
{
	const struct fe_size *size[2] = { rows, columns };
	struct poly_str text = { 0 };
	isl_multi_pw_aff *extent = NULL;

	print_params(size, 2, &text);
	poly_str_printf(&text, "{ %s[(", name);
	print_size(rows, &text);
	poly_str_add(&text, "),(");
	print_size(columns, &text);
	poly_str_add(&text, ")] }");
	if (!text.failed)
		extent = poly_read_index(lw->prog, text.s);
	poly_str_free(&text);
	return extent;
}

/* "0 <= D < size" for dimension "d" of "set". */
static __isl_give isl_set *bound_dim(__isl_take isl_set *set, unsigned d,
	const struct fe_size *size)
{
	isl_ctx *ctx = isl_set_get_ctx(set);
	isl_local_space *ls;
	isl_constraint *c;
	int pos;

	set = isl_set_lower_bound_si(set, isl_dim_set, d, 0);
	if (!size->param)
		return isl_set_upper_bound_val(set, isl_dim_set, d,
			isl_val_int_from_si(ctx, (long)size->value - 1));
	set = isl_set_align_params(set, isl_space_add_param_id(
		isl_space_params_alloc(ctx, 0),
		isl_id_alloc(ctx, size->param->name, NULL)));
	pos = isl_set_find_dim_by_name(set, isl_dim_param, size->param->name);
	ls = isl_local_space_from_space(isl_set_get_space(set));
	c = isl_constraint_alloc_inequality(ls);
	c = isl_constraint_set_coefficient_si(c, isl_dim_param, pos, 1);
	c = isl_constraint_set_coefficient_si(c, isl_dim_set, (int)d, -1);
	return isl_set_add_constraint(set,
		isl_constraint_set_constant_si(c, -1));
}

/* "[M,N,K] -> { S[i,j,k] : 0 <= i < M and 0 <= j < N and 0 <= k < K }"; a size
 * may be called like a dimension.
 */
static __isl_give isl_set *make_domain(struct lower *lw, const char *name,
	const struct fe_size *const *size, unsigned n)
{
	static const char *const dim[] = { "i", "j", "k" };
	isl_set *domain = isl_set_universe(
		isl_space_set_alloc(lw->prog->ctx, 0, n));
	unsigned d;

	domain = isl_set_set_tuple_name(domain, name);
	for (d = 0; d < n; d++) {
		domain = isl_set_set_dim_name(domain, isl_dim_set, d, dim[d]);
		domain = bound_dim(domain, d, size[d]);
	}
	return domain;
}

/* "{ S[i,j,k] -> A[(i),(k)] }" for a statement of "n" dimensions. */
static __isl_give isl_multi_pw_aff *read_index(struct lower *lw,
	const struct poly_stmt *stmt, int n, const char *array,
	const char *row, const char *column)
{
	struct poly_str text = { 0 };
	isl_multi_pw_aff *index = NULL;

	poly_str_printf(&text, "{ %s[%s] -> %s[(%s),(%s)] }", stmt->name,
		n == 3 ? "i,j,k" : "i,j", array, row, column);
	if (!text.failed)
		index = poly_read_index(lw->prog, text.s);
	poly_str_free(&text);
	return index;
}

/* --------------------------------------------------------------- arrays */

/* Add the array "name" for the value of "n"; "flipped" tells that it holds
 * the transposed matrix.
 */
static struct poly_array *add_array(struct lower *lw, const char *name,
	const struct fe_node *n, bool flipped, enum poly_type type,
	enum poly_role role)
{
	struct poly_array *array = NULL;
	isl_multi_pw_aff *extent;

	extent = read_extent(lw, name, &n->dim[flipped], &n->dim[!flipped]);
	if (extent)
		array = poly_prog_add_array(lw->prog, name, type, role, extent);
	if (array)
		array->loc = n->def ? n->def->loc : n->loc;
	return array;
}

static isl_stat add_inputs(struct lower *lw)
{
	const struct fe_unit *u = lw->unit;
	const struct fe_node *n;

	for (n = u->input; n && n->kind == FE_INPUT; n = n->next) {
		lw->array[n->id] = add_array(lw, n->array, n, false, u->type,
			POLY_INPUT);
		if (!lw->array[n->id])
			return isl_stat_error;
	}
	return isl_stat_ok;
}

static isl_stat add_outputs(struct lower *lw)
{
	const struct fe_unit *u = lw->unit;
	const struct fe_output *o;

	for (o = u->output; o; o = o->next) {
		const struct fe_node *n = o->def->node;
		struct poly_array *array;

		array = add_array(lw, o->def->array, n, false, u->type,
			POLY_OUTPUT);
		if (!array)
			return isl_stat_error;
		array->loc = o->def->loc;
		if (o->def->owns_node)
			lw->array[n->base->id] = array;
	}
	return isl_stat_ok;
}

/* The type in which the value of "n" is stored. */
static enum poly_type value_type(const struct lower *lw,
	const struct fe_node *n)
{
	if (n->rounded || n->kind == FE_INPUT)
		return lw->unit->type;
	return lw->unit->compute;
}

/* The array of the operation "n", which is added if it is no output. */
static struct poly_array *operation_array(struct lower *lw,
	const struct fe_node *n)
{
	if (!lw->array[n->id])
		lw->array[n->id] = add_array(lw, n->array, n, n->flipped,
			value_type(lw, n), POLY_TEMP);
	return lw->array[n->id];
}

/* ----------------------------------------------------------- statements */

/* A statement "name" over the elements of the array of "n", and over the
 * terms of the sum if "n_dim" is 3.
 */
static struct poly_stmt *add_stmt(struct lower *lw, const char *name,
	const struct fe_node *n, bool flipped, int n_dim)
{
	const struct fe_size *size[3] = {
		&n->dim[flipped], &n->dim[!flipped],
		n_dim == 3 ? &n->arg[0]->dim[1] : NULL,
	};
	struct poly_stmt *stmt = NULL;
	isl_set *domain = make_domain(lw, name, size, (unsigned)n_dim);

	if (domain)
		stmt = poly_prog_add_stmt(lw->prog, name, POLY_POINT, domain);
	if (stmt)
		stmt->loc = n->loc;
	return stmt;
}

/* Let "stmt" of "n_dim" dimensions write "rhs" to "array" at [i,j]. */
static isl_stat set_write(struct lower *lw, struct poly_stmt *stmt, int n_dim,
	struct poly_array *array, enum poly_op reduce, struct poly_expr *rhs)
{
	isl_multi_pw_aff *index;

	if (!stmt || !array || !rhs) {
		poly_expr_free(rhs);
		return isl_stat_error;
	}
	index = read_index(lw, stmt, n_dim, array->name, "i", "j");
	poly_stmt_set_write(stmt, array, index, reduce, rhs);
	return index ? isl_stat_ok : isl_stat_error;
}

/* What "stmt" of "n_dim" dimensions reads at [row,column] of "n", as a value
 * of "type".
 */
static struct poly_expr *read_as(struct lower *lw, enum poly_type type,
	const struct poly_stmt *stmt, int n_dim, const struct fe_node *n,
	const char *row, const char *column)
{
	const char *const from[] = { row, column, "0" };
	const struct fe_node *base = n->base;
	struct poly_array *array = lw->array[base->id];

	if (base->kind == FE_CONST)
		return poly_expr_const(type, base->value);
	if (!stmt || !array)
		return NULL;
	row = from[n->select[base->flipped]];
	column = from[n->select[!base->flipped]];
	return poly_expr_cast(type, poly_expr_access(array,
		read_index(lw, stmt, n_dim, array->name, row, column)));
}

/* The same in the compute type. */
static struct poly_expr *read_node(struct lower *lw,
	const struct poly_stmt *stmt, int n_dim, const struct fe_node *n,
	const char *row, const char *column)
{
	return read_as(lw, lw->unit->compute, stmt, n_dim, n, row, column);
}

static isl_stat lower_elementwise(struct lower *lw, const struct fe_node *n)
{
	const char *row = n->flipped ? "j" : "i";
	const char *column = n->flipped ? "i" : "j";
	struct poly_array *array = operation_array(lw, n);
	struct poly_stmt *stmt = add_stmt(lw, n->stmt, n, n->flipped, 2);
	struct poly_expr *a, *b = NULL, *rhs;

	a = read_node(lw, stmt, 2, n->arg[0], row, column);
	if (n->n_arg == 2)
		b = read_node(lw, stmt, 2, n->arg[1], row, column);
	rhs = poly_expr_op(n->op, lw->unit->compute, a, b);
	rhs = poly_expr_cast(value_type(lw, n), rhs);
	return set_write(lw, stmt, 2, array, POLY_OP_NONE, rhs);
}

/* The array in which the product "n" is summed. */
static struct poly_array *sum_array(struct lower *lw, const struct fe_node *n)
{
	if (!n->round)
		return operation_array(lw, n);
	return add_array(lw, n->acc, n, n->flipped, lw->unit->compute,
		POLY_TEMP);
}

/* The term of the product "n", whose first factor goes with the rows of the
 * array.
 */
static struct poly_expr *product_term(struct lower *lw,
	const struct poly_stmt *stmt, const struct fe_node *n)
{
	const char *row = n->flipped ? "j" : "i";
	const char *column = n->flipped ? "i" : "j";
	struct poly_expr *a, *b;

	a = read_node(lw, stmt, 3, n->arg[0], row, "k");
	b = read_node(lw, stmt, 3, n->arg[1], "k", column);
	return poly_expr_op(POLY_OP_MUL, lw->unit->compute,
		n->flipped ? b : a, n->flipped ? a : b);
}

/* Store the sum of the product "n" in the element type. */
static isl_stat lower_round(struct lower *lw, const struct fe_node *n,
	struct poly_array *sum)
{
	struct poly_array *array = operation_array(lw, n);
	struct poly_stmt *stmt = add_stmt(lw, n->round, n, n->flipped, 2);
	struct poly_expr *value = NULL;

	if (stmt)
		value = poly_expr_access(sum,
			read_index(lw, stmt, 2, sum->name, "i", "j"));
	return set_write(lw, stmt, 2, array, POLY_OP_NONE,
		poly_expr_cast(value_type(lw, n), value));
}

static isl_stat lower_product(struct lower *lw, const struct fe_node *n)
{
	struct poly_array *sum = sum_array(lw, n);
	struct poly_stmt *stmt = add_stmt(lw, n->init, n, n->flipped, 2);

	if (set_write(lw, stmt, 2, sum, POLY_OP_NONE,
		poly_expr_const(lw->unit->compute, 0)) < 0)
		return isl_stat_error;
	stmt = add_stmt(lw, n->stmt, n, n->flipped, 3);
	if (set_write(lw, stmt, 3, sum, POLY_OP_ADD,
		product_term(lw, stmt, n)) < 0)
		return isl_stat_error;
	return n->round ? lower_round(lw, n, sum) : isl_stat_ok;
}

/* The output "def", which is a name or view of another matrix. */
static isl_stat lower_copy(struct lower *lw, const struct fe_def *def)
{
	struct poly_stmt *stmt = add_stmt(lw, def->copy, def->node, false, 2);
	struct poly_expr *value;

	if (stmt)
		stmt->loc = def->loc;
	value = read_as(lw, lw->unit->type, stmt, 2, def->node, "i", "j");
	return set_write(lw, stmt, 2,
		poly_prog_find_array(lw->prog, def->array), POLY_OP_NONE,
		value);
}

static isl_stat lower_def(struct lower *lw, const struct fe_def *def)
{
	const struct fe_node *n;
	isl_stat done = isl_stat_ok;

	for (n = def->first; n && n->owner == def; n = n->next) {
		if (n->kind == FE_OP)
			done = lower_elementwise(lw, n);
		else if (n->kind == FE_PRODUCT)
			done = lower_product(lw, n);
		if (done < 0)
			return done;
	}
	return def->copy ? lower_copy(lw, def) : done;
}

static isl_stat add_params(struct lower *lw)
{
	const struct fe_param *p;

	for (p = lw->unit->param; p; p = p->next) {
		struct poly_param *param;

		param = poly_prog_add_param(lw->prog, p->name);
		if (!param)
			return isl_stat_error;
		param->loc = p->loc;
		if (p->fixed &&
			poly_prog_fix(lw->prog, p->name, p->value) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

static isl_stat lower_unit(struct lower *lw)
{
	const struct fe_def *def;

	if (add_params(lw) < 0)
		return isl_stat_error;
	if (lw->unit->indexed)
		return fe_index_lower(lw->unit, lw->prog);
	if (add_inputs(lw) < 0 || add_outputs(lw) < 0)
		return isl_stat_error;
	for (def = lw->unit->def; def; def = def->next)
		if (def->live && lower_def(lw, def) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}

/* Why lowering failed: for want of memory, or for isl's last error. */
static void report_failure(isl_ctx *ctx, struct poly_report *report)
{
	const char *why = isl_ctx_last_error_msg(ctx);

	if (poly_memory_refused())
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
	else
		poly_report_add(report, MSG_POLY_ISL, NULL, "fe_lower",
			why ? why : "no reason given");
}

/* Lower what is no C; NULL on failure. */
static struct poly_prog *lower_text(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	struct lower lw = { .unit = u };
	isl_stat done = isl_stat_error;

	lw.array = calloc((size_t)u->n_node + 1, sizeof(*lw.array));
	lw.prog = poly_prog_alloc(ctx, u->name, report);
	if (lw.prog && lw.array) {
		free(lw.prog->file);
		lw.prog->file = strdup(u->file);
		if (lw.prog->file)
			done = lower_unit(&lw);
	}
	free(lw.array);
	return done == isl_stat_ok ? lw.prog : poly_prog_free(lw.prog);
}

/* The program belongs to the caller; it refers to "report" and not to "u". */
struct poly_prog *fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	int before = report->n_error;
	struct poly_prog *prog;

	isl_ctx_reset_error(ctx);
	prog = u->c ? fe_c_lower(u, ctx, report, true) :
		lower_text(u, ctx, report);
	if (!prog && report->n_error == before)
		report_failure(ctx, report);
	return prog;
}
