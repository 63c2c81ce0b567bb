/* The tensors of a unit to a polyhedral program.
 *
 *	y(i) = a(i) + sum(j: b(i,j))
 *
 *	y_sum_init[i]	y_sum[i] = 0
 *	y_sum_add[i,j]	y_sum[i] += b[i,j]
 *	y_def[i]	y[i] = a[i] + y_sum[i]
 *
 * A reduction inside an expression gets an array of its own over the indices
 * around it that it uses; a definition that is one reduction, or that is
 * written with "+=", is summed in place. Where values are stored in another
 * type than they are computed in, it is summed in an array of the compute type
 * and rounded by a further statement. Each piece of a case is one statement,
 * on disjoint sets; where values decide whether it holds, the statement chooses
 * between it and the pieces behind:
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
 *
 * Arrays begin at 0: positions are shifted by the first values of the ranges.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/schedule.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/index/frame.h"
#include "frontend/c/lower/lower.h"

enum { MAX_CHOICE = 64 };

struct lower {
	const struct fe_unit *unit;
	struct poly_prog *prog;
	isl_ctx *ctx;
	const struct fe_tensor *tensor;	/* being lowered */
	isl_set *assumed;		/* of the sizes, or NULL */
	struct poly_loc loc;
	struct poly_array **sum;	/* by id, in which one is summed that is
					 * stored in another type */
	isl_schedule *order;		/* of all so far, if there are calls */
};

/* A reduction: the array that holds it, and the indices of that. */
struct cell {
	struct poly_array *array;
	const struct fe_index *dim[FE_MAX_LOOP];
	int n;
};

static struct poly_expr *lower_value(struct lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where);

/* ----------------------------------------------------------------- arrays */

/* Write a name that neither the program nor its text has: "base_suffix", or with
 * a number behind it.
 */
static const char *free_name(struct lower *lw, const char *base,
	const char *suffix, char text[FE_MAX_NAME + 128])
{
	int n = 0;

	snprintf(text, FE_MAX_NAME + 100, "%s_%s", base, suffix);
	while (fe_symbol_is_used(lw->unit, text) ||
	       poly_prog_find_array(lw->prog, text) ||
	       poly_prog_find_stmt(lw->prog, text) ||
	       poly_prog_find_param(lw->prog, text))
		snprintf(text, FE_MAX_NAME + 128, "%s_%s_%d", base, suffix,
			++n);
	return text;
}

/* The functions of "list" as one of "space", with no sizes but those that they
 * use.
 */
static __isl_give isl_multi_pw_aff *make_multi(__isl_take isl_space *space,
	__isl_take isl_pw_aff_list *list)
{
	isl_size n = isl_pw_aff_list_n_pw_aff(list), i;

	for (i = 0; i < n; i++)
		list = isl_pw_aff_list_set_pw_aff(list, (int)i,
			isl_pw_aff_drop_unused_params(
				isl_pw_aff_list_get_pw_aff(list, (int)i)));
	return isl_multi_pw_aff_from_pw_aff_list(
		isl_space_drop_all_params(space), list);
}

/* "extent" without pieces for sizes that there cannot be. isl makes such where no
 * point meets all bounds, which it finds out by and by, in ever larger numbers.
 */
static __isl_give isl_pw_aff *possible_extent(const struct lower *lw,
	__isl_take isl_pw_aff *extent)
{
	isl_set *sizes;

	if (isl_pw_aff_n_piece(extent) < 2)
		return extent;
	sizes = fe_possible(isl_set_universe(
		isl_set_get_space(lw->prog->context)));
	extent = isl_pw_aff_intersect_params(extent, isl_set_copy(sizes));
	return isl_pw_aff_gist_params(extent, sizes);
}

/* "domain", or nothing if it has points for sizes alone that there cannot be. */
static __isl_give isl_set *possible_points(__isl_take isl_set *domain)
{
	isl_space *space;

	if (!fe_never_is(domain))
		return domain;
	space = isl_set_get_space(domain);
	isl_set_free(domain);
	return isl_set_empty(space);
}

/* An array called "name" over the boxes of the "n" indices. */
static struct poly_array *add_array(struct lower *lw, const char *name,
	const struct fe_index *const *dim, int n, enum poly_type type,
	enum poly_role role)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(lw->ctx, n);
	struct poly_array *array;
	isl_multi_pw_aff *extent;
	struct fe_frame f;
	isl_space *space;
	int i;

	fe_frame_init(&f, lw->unit, lw->ctx, NULL);
	for (i = 0; i < n; i++)
		list = isl_pw_aff_list_add(list,
			possible_extent(lw, isl_pw_aff_project_domain_on_params(
				fe_frame_extent(&f, dim[i]))));
	space = fe_frame_tuple(&f, name, n);
	fe_frame_free(&f);
	extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
	array = poly_prog_add_array(lw->prog, name, type, role, extent);
	if (array)
		array->loc = lw->loc;
	return array;
}

/* The positions "at" of an array as a function on the frame; takes them. */
static __isl_give isl_multi_pw_aff *make_index(const struct fe_frame *f,
	const char *name, int n, __isl_take isl_pw_aff_list *at)
{
	isl_space *range = fe_frame_tuple(f, name, n);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_copy(f->space), range);

	return make_multi(space, at);
}

/* The element of "array" at the values of the indices "dim" of the frame. */
static __isl_give isl_multi_pw_aff *own_index(const struct fe_frame *f,
	const struct poly_array *array, const struct fe_index *const *dim,
	int n)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(
		isl_space_get_ctx(f->space), n);
	isl_pw_aff *at;
	int i;

	for (i = 0; i < n; i++) {
		struct fe_scalar e = { .kind = FE_S_INDEX,
			.index = (struct fe_index *)dim[i] };

		at = fe_frame_value(f, &e);
		list = isl_pw_aff_list_add(list, isl_pw_aff_sub(at,
			fe_frame_lower(f, dim[i])));
	}
	return make_index(f, array->name, n, list);
}

/* The element that the read "e" names. */
static __isl_give isl_multi_pw_aff *read_index(const struct fe_frame *f,
	const struct fe_scalar *e)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(
		isl_space_get_ctx(f->space), e->n_arg);
	const struct fe_index *to = e->tensor->scope.first;
	isl_pw_aff *at;
	int i;

	for (i = 0; i < e->n_arg; i++, to = to->next) {
		at = fe_frame_value(f, e->arg[i]);
		list = isl_pw_aff_list_add(list, isl_pw_aff_sub(at,
			fe_frame_lower(f, to)));
	}
	return make_index(f, e->tensor->name, e->n_arg, list);
}

/* ------------------------------------------------------------- statements */

/* What the statement that computes "t" is called behind the name of its array:
 * "other", unless it is a matrix.
 */
static const char *stmt_word(const struct fe_tensor *t, const char *other)
{
	if (t->node)
		return poly_op_name(t->piece->value->op);
	return t->def ? "copy" : other;
}

/* "set" with the names that the dimensions of the frame have. */
static __isl_give isl_set *name_dims(__isl_take isl_set *set,
	const struct fe_frame *f)
{
	int d;

	for (d = 0; d < f->n; d++)
		if (fe_index_name(f->dim[d]))
			set = isl_set_set_dim_name(set, isl_dim_set,
				(unsigned)d, fe_index_name(f->dim[d]));
	return set;
}

/* The statement of the frame's name on "domain": cell[dim] (reduce)= rhs. */
static isl_stat add_stmt(struct lower *lw, const struct fe_frame *f,
	__isl_take isl_set *domain, const struct cell *cell,
	enum poly_op reduce, struct poly_expr *rhs)
{
	const char *name = isl_space_get_tuple_name(f->space, isl_dim_set);
	isl_multi_pw_aff *index = own_index(f, cell->array, cell->dim,
		cell->n);
	struct poly_stmt *stmt;

	if (lw->assumed)
		domain = isl_set_intersect_params(domain,
			isl_set_copy(lw->assumed));
	domain = possible_points(poly_set_coalesce(domain));
	domain = name_dims(isl_set_drop_unused_params(domain), f);
	stmt = poly_prog_add_stmt(lw->prog, name, POLY_POINT, domain);
	if (!stmt || !index || !rhs) {
		isl_multi_pw_aff_free(index);
		poly_expr_free(rhs);
		return isl_stat_error;
	}
	stmt->loc = lw->loc;
	poly_stmt_set_write(stmt, cell->array, index, reduce, rhs);
	return isl_stat_ok;
}

/* "set" on the dimensions of the frame "from" as one on those of "to". */
static __isl_give isl_set *move_to(__isl_take isl_set *set,
	const struct fe_frame *from, const struct fe_frame *to)
{
	int d, k, n = 0;

	for (d = 0; d < from->n; d++) {
		for (k = 0; k < to->n; k++)
			if (to->dim[k] == from->dim[d])
				break;
		if (k == to->n)
			set = isl_set_project_out(set, isl_dim_set,
				(unsigned)n, 1);
		else
			n++;
	}
	set = isl_set_add_dims(set, isl_dim_set, (unsigned)(to->n - n));
	return isl_set_set_tuple_name(set,
		isl_space_get_tuple_name(to->space, isl_dim_set));
}

/* ------------------------------------------------------------- reductions */

/* Initialise "cell" on "where" of the frame "f" and reduce "e" into it over
 * the indices of "scope" that "f" lacks. "base" begins the statements' names.
 */
static isl_stat reduce_into(struct lower *lw, const struct cell *cell,
	const char *base, const struct fe_frame *f,
	__isl_keep isl_set *where, const struct fe_scope *scope,
	enum poly_op op, enum poly_type type, const struct fe_scalar *e)
{
	char name[FE_MAX_NAME + 128];
	const struct fe_index *i;
	struct fe_frame g;
	struct poly_expr *rhs;
	isl_set *set;
	isl_stat done;
	int d;

	fe_frame_init(&g, lw->unit, lw->ctx,
		free_name(lw, base, "init", name));
	for (d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	set = move_to(isl_set_copy(where), f, &g);
	done = add_stmt(lw, &g, set, cell, POLY_OP_NONE,
		poly_expr_identity(op, type));
	fe_frame_free(&g);
	if (done < 0)
		return done;
	fe_frame_init(&g, lw->unit, lw->ctx,
		free_name(lw, base, stmt_word(lw->tensor, poly_op_name(op)),
			name));
	for (d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	for (i = scope->first; i; i = i->next) {
		for (d = 0; d < cell->n; d++)
			if (cell->dim[d] == i)
				break;
		if (d == cell->n)
			fe_frame_add(&g, i);
	}
	set = move_to(isl_set_copy(where), f, &g);
	set = isl_set_intersect(set, fe_frame_domain(&g, scope));
	rhs = lower_value(lw, e, &g, set);
	done = add_stmt(lw, &g, set, cell, op, rhs);
	fe_frame_free(&g);
	return done;
}

struct uses {
	const struct fe_frame *frame;
	bool used[FE_MAX_LOOP];
};

static void note_use(struct fe_scalar *e, void *user)
{
	struct uses *uses = user;
	int d;

	for (d = 0; d < uses->frame->n; d++)
		if (e->kind == FE_S_INDEX && e->index == uses->frame->dim[d])
			uses->used[d] = true;
}

/* What the array of a reduction by "op" is called; no statement's name ends
 * like that.
 */
static const char *array_suffix(enum poly_op op)
{
	return op == POLY_OP_ADD ? "sum" : op == POLY_OP_MUL ? "prod" :
		op == POLY_OP_MIN ? "least" : "most";
}

/* The value of the reduction "e" at the frame: an array over the indices that
 * it uses, which is filled first.
 */
static struct poly_expr *lower_reduction(struct lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	struct uses uses = { .frame = f };
	struct cell cell = { .n = 0 };
	char name[FE_MAX_NAME + 128];
	int d;

	fe_scalar_each((struct fe_scalar *)e, note_use, &uses);
	for (d = 0; d < f->n; d++)
		if (uses.used[d])
			cell.dim[cell.n++] = f->dim[d];
	free_name(lw, lw->tensor->name, array_suffix(e->op), name);
	cell.array = add_array(lw, name, cell.dim, cell.n,
		poly_type_compute(e->type), POLY_TEMP);
	if (!cell.array || reduce_into(lw, &cell, cell.array->name, f, where,
		e->scope, e->op, e->type, e->arg[0]) < 0)
		return NULL;
	return poly_expr_access(cell.array, own_index(f, cell.array, cell.dim,
		cell.n));
}

/* ----------------------------------------------------------------- values */

/* The value of the index expression "e". */
static struct poly_expr *lower_integer(const struct fe_scalar *e,
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

static struct poly_expr *lower_op(struct lower *lw, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	enum poly_type type = poly_type_compute(e->type);
	struct poly_expr *arg[POLY_MAX_ARG] = { NULL };
	bool compare = poly_op_shape(e->op) == POLY_SHAPE_COMPARE;
	int i;

	for (i = 0; i < e->n_arg; i++) {
		arg[i] = lower_value(lw, e->arg[i], f, where);
		if (!compare && !(e->op == POLY_OP_SELECT && i == 0))
			arg[i] = poly_expr_cast(type, arg[i]);
	}
	if (e->op == POLY_OP_SELECT)
		return poly_expr_select(arg[0], arg[1], arg[2]);
	if (e->n_arg == 3)
		return poly_expr_op3(e->op, type, arg[0], arg[1], arg[2]);
	return poly_expr_op(e->op, compare ? POLY_BOOL : type, arg[0],
		arg[1]);
}

/* The value of "e" at "where" of the frame, in its compute type. */
static struct poly_expr *lower_value(struct lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	enum poly_type type = poly_type_compute(e->type);
	struct poly_array *array;

	if (e->kind == FE_S_NUMBER)
		return poly_expr_const(type, e->value);
	if (e->affine)
		return lower_integer(e, f);
	switch (e->kind) {
	case FE_S_READ:
		array = poly_prog_find_array(lw->prog, e->tensor->name);
		return poly_expr_cast(type, poly_expr_access(array,
			array ? read_index(f, e) : NULL));
	case FE_S_CAST:
		return poly_expr_cast(type, poly_expr_cast(e->type,
			lower_value(lw, e->arg[0], f, where)));
	case FE_S_REDUCE:
		return lower_reduction(lw, e, f, where);
	default:
		return lower_op(lw, e, f, where);
	}
}

/* ------------------------------------------------------------ definitions */

/* Set the part of the box of "t" that has no value to 0. */
static isl_stat fill_rest(struct lower *lw, const struct fe_tensor *t,
	const struct cell *cell)
{
	char name[FE_MAX_NAME + 128];
	struct fe_scope bounds = t->scope;
	struct fe_index index[FE_MAX_RANK];
	const struct fe_index *i;
	isl_stat done = isl_stat_ok;
	isl_set *rest, *context;
	struct fe_frame f, box;
	int d = 0;

	fe_frame_init(&f, lw->unit, lw->ctx, free_name(lw, t->name, "rest",
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
		fe_frame_tensor(&f, t));
	fe_frame_free(&box);
	context = fe_frame_context(lw->unit, lw->ctx, false);
	rest = isl_set_gist_params(isl_set_intersect_params(rest,
		isl_set_copy(context)), context);
	if (isl_set_is_empty(rest) == isl_bool_false)
		done = add_stmt(lw, &f, isl_set_copy(rest), cell,
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
	return value->kind == FE_S_REDUCE && !t->piece->condition;
}

/* A definition that is one reduction. */
static isl_stat lower_sum(struct lower *lw, const struct fe_tensor *t,
	const struct reduction *r, const struct cell *cell)
{
	struct cell sum = *cell;
	char name[FE_MAX_NAME + 128];
	isl_set *where;
	isl_stat done;
	struct fe_frame f;

	if (lw->sum[t->id])
		sum.array = lw->sum[t->id];
	fe_frame_init(&f, lw->unit, lw->ctx, free_name(lw, t->name, "round",
		name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	where = fe_frame_tensor(&f, t);
	done = reduce_into(lw, &sum, t->name, &f, where, r->scope, r->op,
		t->type, r->term);
	if (done == isl_stat_ok && sum.array != cell->array)
		done = add_stmt(lw, &f, isl_set_copy(where), cell,
			POLY_OP_NONE, poly_expr_cast(t->type,
				poly_expr_access(sum.array, own_index(&f,
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
	const struct cell *cell;
	const struct fe_frame *frame;	/* of the tensor */
	const struct fe_piece *piece[MAX_CHOICE];
	int n_split;			/* sets where values decide */
};

/* The affine condition "c" of the frame "f" as a value. */
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
			lower_integer(&side, f);
	}
	return poly_expr_op(c->op, POLY_BOOL, arg[0], arg[1]);
}

/* Does the affine condition "c" hold for all or none of "where"? */
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

/* The condition "c" at "where", as a bool. What is affine and the same for all
 * of it is left out.
 */
static struct poly_expr *lower_guard(struct lower *lw,
	const struct fe_scalar *c, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	struct poly_expr *arg[2] = { NULL, NULL };
	int i;

	if (!c->data || c->asked)
		return lower_affine(c, f);
	if (!fe_scalar_joins(c))
		return lower_value(lw, c, f, where);
	for (i = 0; c->op != POLY_OP_NOT && i < c->n_arg; i++)
		if (!c->arg[i]->data && is_settled(c->arg[i], f, where,
		    c->op == POLY_OP_AND))
			return lower_guard(lw, c->arg[1 - i], f, where);
	for (i = 0; i < c->n_arg; i++)
		arg[i] = lower_guard(lw, c->arg[i], f, where);
	return poly_expr_op(c->op, POLY_BOOL, arg[0], arg[1]);
}

/* The value at "where" of the pieces of "all" from "k" to "n" - 1, the last of
 * which holds if none before does.
 */
static struct poly_expr *lower_choice(struct lower *lw,
	const struct choice *all, int k, int n, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	const struct fe_piece *p = all->piece[k];
	struct poly_expr *cond = NULL, *value;

	lw->loc = p->loc;
	if (k < n - 1)
		cond = lower_guard(lw, p->condition, f, where);
	value = lower_value(lw, p->value, f, where);
	if (k == n - 1)
		return value;
	return poly_expr_op3(POLY_OP_BRANCH, poly_type_compute(
		all->tensor->type), cond, value, lower_choice(lw, all, k + 1,
		n, f, where));
}

/* The value of "e" at "where" of the frame, as it is stored in "type". */
static struct poly_expr *lower_stored(struct lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, enum poly_type type)
{
	struct poly_array *array;

	if (e->kind == FE_S_NUMBER && e->type == type)
		return poly_expr_const(type, e->value);
	if (e->kind != FE_S_READ || e->tensor->type != type)
		return poly_expr_cast(type, lower_value(lw, e, f, where));
	array = poly_prog_find_array(lw->prog, e->tensor->name);
	return poly_expr_access(array, array ? read_index(f, e) : NULL);
}

/* The first "n" pieces of "all" on "where" of its frame. */
static isl_stat lower_stmt(struct lower *lw, const struct choice *all,
	int n, __isl_take isl_set *where)
{
	const struct fe_tensor *t = all->tensor;
	char name[FE_MAX_NAME + 128];
	struct poly_expr *rhs;
	struct fe_frame f;
	isl_stat done;

	fe_frame_init(&f, lw->unit, lw->ctx, free_name(lw, t->name,
		stmt_word(t, "def"), name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	where = isl_set_set_tuple_name(where, name);
	lw->loc = all->piece[0]->loc;
	if (n == 1)
		rhs = lower_stored(lw, all->piece[0]->value, &f, where,
			t->type);
	else
		rhs = poly_expr_cast(t->type, lower_choice(lw, all, 0, n, &f,
			where));
	lw->loc = all->piece[0]->loc;
	done = add_stmt(lw, &f, where, all->cell, POLY_OP_NONE, rhs);
	fe_frame_free(&f);
	return done;
}

static isl_stat lower_pieces(struct lower *lw, struct choice *all, int n,
	const struct fe_piece *p, __isl_take isl_set *left);

/* The pieces behind "p", the last one of "n", where it may or may not hold. */
static isl_stat lower_open(struct lower *lw, struct choice *all, int n,
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
static isl_stat lower_pieces(struct lower *lw, struct choice *all, int n,
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

static isl_stat lower_case(struct lower *lw, const struct fe_tensor *t,
	const struct cell *cell)
{
	struct choice all = { .tensor = t, .cell = cell };
	struct fe_frame f;
	isl_stat done;

	fe_frame_of(&f, lw->unit, lw->ctx, t);
	all.frame = &f;
	done = lower_pieces(lw, &all, 0, t->piece, fe_frame_tensor(&f, t));
	fe_frame_free(&f);
	return done;
}

static isl_stat lower_tensor(struct lower *lw, const struct fe_tensor *t)
{
	const struct fe_index *i = t->scope.first;
	struct cell cell = { .n = t->rank };
	struct reduction r;
	int d;

	lw->tensor = t;
	lw->loc = t->loc;
	for (d = 0; d < t->rank; d++, i = i->next)
		cell.dim[d] = i;
	cell.array = poly_prog_find_array(lw->prog, t->name);
	if (!cell.array)
		return isl_stat_error;
	if (t->is_output && fill_rest(lw, t, &cell) < 0)
		return isl_stat_error;
	lw->loc = t->node ? t->piece->loc : t->loc;
	if (find_reduction(t, &r))
		return lower_sum(lw, t, &r, &cell);
	return lower_case(lw, t, &cell);
}

/* ------------------------------------------------------------------ calls */

/* Put "order" behind what there is. What is empty gets no place in the sequence. */
static void put_last(struct lower *lw, __isl_take isl_schedule *order)
{
	isl_union_set *domain = isl_schedule_get_domain(order);
	isl_union_set *before = isl_schedule_get_domain(lw->order);

	if (isl_union_set_is_empty(domain) == isl_bool_true) {
		isl_schedule_free(order);
	} else if (isl_union_set_is_empty(before) == isl_bool_true) {
		isl_schedule_free(lw->order);
		lw->order = order;
	} else {
		lw->order = isl_schedule_sequence(lw->order, order);
	}
	isl_union_set_free(before);
	isl_union_set_free(domain);
}

/* The old version of "t" goes where "t" will be. */
static isl_stat copy_version(struct lower *lw, const struct fe_tensor *t)
{
	const struct fe_index *i = t->scope.first;
	char name[FE_MAX_NAME + 128];
	struct cell cell = { .n = t->rank };
	struct poly_array *from;
	struct fe_frame f;
	isl_stat done;
	int d;

	for (d = 0; d < t->rank; d++, i = i->next)
		cell.dim[d] = i;
	lw->loc = t->loc;
	cell.array = poly_prog_find_array(lw->prog, t->name);
	from = poly_prog_find_array(lw->prog, t->from->name);
	fe_frame_init(&f, lw->unit, lw->ctx,
		free_name(lw, t->name, "copy", name));
	fe_frame_add_scope(&f, &t->scope, t->rank);
	done = add_stmt(lw, &f, fe_frame_domain(&f, &t->scope), &cell,
		POLY_OP_NONE, poly_expr_access(from, own_index(&f, from,
			cell.dim, cell.n)));
	fe_frame_free(&f);
	return done;
}

/* The statements of the call, behind all that it reads. */
static isl_stat lower_nest(struct lower *lw, const struct fe_call *c)
{
	const struct fe_c_unit *nest = c->unit->c;
	struct poly_array **array = calloc((size_t)nest->n_var + 1,
		sizeof(struct poly_array *));
	const struct fe_c_var *v;
	isl_schedule *order;
	struct fe_frame f;

	for (v = array ? nest->var : NULL; v; v = v->next) {
		const struct fe_arg *a = fe_call_arg(c, v);

		if (a)
			array[v->id] = poly_prog_find_array(lw->prog,
				(a->to ? a->to : a->from)->name);
	}
	fe_frame_init(&f, lw->unit, lw->ctx, NULL);
	order = array ? fe_c_lower_into(c->unit, lw->prog,
		isl_space_params(isl_space_copy(f.space)), array) : NULL;
	fe_frame_free(&f);
	free(array);
	if (!order)
		return isl_stat_error;
	if (lw->prog->n_stmt >= FE_C_MAX_STMT) {
		poly_report_add(lw->prog->report, MSG_FE_C_STATEMENTS, &c->loc,
			FE_C_MAX_STMT);
		isl_schedule_free(order);
		return isl_stat_error;
	}
	put_last(lw, order);
	return isl_stat_ok;
}

/* ------------------------------------------------------------------ order */

/* The loops of "s", in the order of its indices. */
static __isl_give isl_schedule *order_of(const struct poly_stmt *s)
{
	isl_schedule *order = isl_schedule_from_domain(
		isl_union_set_from_set(isl_set_copy(s->domain)));
	isl_multi_aff *loops = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(s->domain));

	if (isl_multi_aff_dim(loops, isl_dim_out) > 0)
		order = isl_schedule_insert_partial_schedule(order,
			isl_multi_union_pw_aff_reset_tuple_id(
			isl_multi_union_pw_aff_from_multi_aff(loops),
			isl_dim_set));
	else
		isl_multi_aff_free(loops);
	return order;
}

/* Definitions that need one another, the statements from "first" on, in an order
 * that isl finds.
 */
static __isl_give isl_schedule *found_order(struct lower *lw, int first)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(lw->prog->context));
	isl_union_map *reads, *writes, *flow;
	isl_schedule_constraints *sc;
	int i;

	for (i = first; i < lw->prog->n_stmt; i++)
		domain = isl_union_set_add_set(domain,
			isl_set_copy(lw->prog->stmt[i]->domain));
	reads = isl_union_map_intersect_domain(poly_reads(lw->prog),
		isl_union_set_copy(domain));
	writes = isl_union_map_intersect_domain(poly_writes(lw->prog),
		isl_union_set_copy(domain));
	flow = isl_union_map_apply_range(writes, isl_union_map_reverse(reads));
	sc = isl_schedule_constraints_on_domain(domain);
	sc = isl_schedule_constraints_set_validity(sc,
		isl_union_map_copy(flow));
	sc = isl_schedule_constraints_set_proximity(sc, flow);
	return isl_schedule_constraints_compute_schedule(sc);
}

/* Put the statements from "first" on behind what there is. */
static isl_stat add_order(struct lower *lw, int first, bool recurs)
{
	int i;

	if (!lw->unit->call)
		return isl_stat_ok;
	if (recurs)
		put_last(lw, found_order(lw, first));
	for (i = first; !recurs && i < lw->prog->n_stmt; i++)
		put_last(lw, order_of(lw->prog->stmt[i]));
	return lw->order ? isl_stat_ok : isl_stat_error;
}

/* Lower the call that makes "t", unless that has been done. */
static isl_stat lower_call(struct lower *lw, const struct fe_tensor *t)
{
	const struct fe_tensor *other;
	const struct fe_arg *a;
	int first = lw->prog->n_stmt;

	for (other = lw->unit->sorted; other != t; other = other->order_next)
		if (other->live && other->call == t->call)
			return isl_stat_ok;
	for (a = t->call->arg; a; a = a->next)
		if (a->to && !a->from->in_place && copy_version(lw, a->to) < 0)
			return isl_stat_error;
	if (add_order(lw, first, false) < 0)
		return isl_stat_error;
	return lower_nest(lw, t->call);
}

/* ---------------------------------------------------------------- program */

/* An array called "name" over the indices of the tensor "t". */
static struct poly_array *add_tensor(struct lower *lw,
	const struct fe_tensor *t, const char *name, enum poly_type type,
	enum poly_role role)
{
	const struct fe_index *dim[FE_MAX_RANK], *i = t->scope.first;
	int d;

	for (d = 0; d < t->rank; d++, i = i->next)
		dim[d] = i;
	lw->loc = t->loc;
	return add_array(lw, name, dim, t->rank, type, role);
}

/* The arrays of the definition "t": where it is summed, and its own, unless
 * another one has that.
 */
static isl_stat add_definition(struct lower *lw, const struct fe_tensor *t)
{
	enum poly_type compute = poly_type_compute(t->type);
	char name[FE_MAX_NAME + 128];
	struct reduction r;

	if (!t->call && compute != t->type && find_reduction(t, &r)) {
		lw->sum[t->id] = add_tensor(lw, t, free_name(lw, t->name,
			"acc", name), compute, POLY_TEMP);
		if (!lw->sum[t->id])
			return isl_stat_error;
	}
	if (t->is_output || t->in_place)
		return isl_stat_ok;
	return add_tensor(lw, t, t->name, t->type, POLY_TEMP) ? isl_stat_ok :
		isl_stat_error;
}

static isl_stat add_tensors(struct lower *lw)
{
	const struct fe_unit *u = lw->unit;
	const struct fe_tensor *t;
	int i;

	for (i = 0; i < u->n_input; i++)
		if (!add_tensor(lw, u->in[i], u->in[i]->name, u->in[i]->type,
		    POLY_INPUT))
			return isl_stat_error;
	for (i = 0; i < u->n_output; i++)
		if (!add_tensor(lw, u->out[i], u->out[i]->name,
		    u->out[i]->type, POLY_OUTPUT))
			return isl_stat_error;
	for (t = u->sorted; t; t = t->order_next)
		if (t->live && add_definition(lw, t) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}

static bool needs(const struct fe_tensor *t, int group)
{
	const struct fe_edge *edge;

	for (edge = t->edge; edge; edge = edge->next)
		if (!edge->to->is_input && edge->to->group == group)
			return true;
	return false;
}

/* Lower "t" and what is in one group with it; "*last" is the last of these. */
static isl_stat lower_group(struct lower *lw, const struct fe_tensor *t,
	const struct fe_tensor **last)
{
	int first = lw->prog->n_stmt, group = t->group;
	bool recurs = false;

	for (; t && t->group == group; t = t->order_next) {
		*last = t;
		recurs |= needs(t, group);
		if (t->live && lower_tensor(lw, t) < 0)
			return isl_stat_error;
	}
	return add_order(lw, first, recurs);
}

static isl_stat lower_tensors(struct lower *lw)
{
	const struct fe_tensor *t, *last;
	isl_stat done;

	if (add_tensors(lw) < 0)
		return isl_stat_error;
	for (t = lw->unit->sorted; t; t = last->order_next) {
		last = t;
		if (t->call)
			done = t->live ? lower_call(lw, t) : isl_stat_ok;
		else
			done = lower_group(lw, t, &last);
		if (done < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

isl_stat fe_index_lower(const struct fe_unit *u, struct poly_prog *prog)
{
	struct lower lw = { .unit = u, .prog = prog, .ctx = prog->ctx };
	bool needs_fixed;
	isl_stat done;

	if (fe_index_domains((struct fe_unit *)u, prog->ctx, prog->report,
	    &needs_fixed) < 0)
		return isl_stat_error;
	lw.sum = calloc((size_t)u->n_tensor + 1, sizeof(*lw.sum));
	if (!lw.sum)
		return isl_stat_error;
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
	return prog->context ? done : isl_stat_error;
}
