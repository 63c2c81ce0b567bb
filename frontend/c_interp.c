/* The reference interpreter of C nests: executes the tree in the order of the
 * text, with C's types, each operation rounded once and nothing fused. It knows
 * nothing of isl: bounds, subscripts and conditions are evaluated as they
 * stand, each time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/c_internal.h"
#include "frontend/value.h"

/* A value of some type: "i" if it is an integer, else "x". */
struct value {
	int64_t i;
	double x;
};

/* What a variable holds. */
struct store {
	void *data;		/* elements, row-major */
	const void *input;	/* what it holds in the beginning, or NULL */
	int64_t dim[FE_C_MAX_RANK];
	int64_t n;
	int64_t scalar;		/* of sizes and loop variables */
};

struct fe_c_interp {
	const struct fe_unit *unit;
	struct store *store;		/* by id of the variable */
	bool done, failed;
};

/* ----------------------------------------------------------------- memory */

static struct value load(enum poly_type t, const void *data, int64_t at)
{
	struct value v = { 0, 0 };

	switch (t) {
	case POLY_F32:
		v.x = ((const float *)data)[at];
		break;
	case POLY_F64:
		v.x = ((const double *)data)[at];
		break;
	case POLY_I8:
		v.i = ((const int8_t *)data)[at];
		break;
	case POLY_I16:
		v.i = ((const int16_t *)data)[at];
		break;
	case POLY_I32:
		v.i = ((const int32_t *)data)[at];
		break;
	case POLY_BOOL:
	case POLY_U8:
		v.i = ((const uint8_t *)data)[at];
		break;
	case POLY_U16:
		v.i = ((const uint16_t *)data)[at];
		break;
	case POLY_U32:
		v.i = ((const uint32_t *)data)[at];
		break;
	default:
		v.i = ((const int64_t *)data)[at];
		break;
	}
	return v;
}

static void save(enum poly_type t, void *data, int64_t at, struct value v)
{
	switch (t) {
	case POLY_F32:
		((float *)data)[at] = (float)v.x;
		break;
	case POLY_F64:
		((double *)data)[at] = v.x;
		break;
	default:
		switch (poly_type_size(t)) {
		case 1:
			((uint8_t *)data)[at] = (uint8_t)v.i;
			break;
		case 2:
			((uint16_t *)data)[at] = (uint16_t)v.i;
			break;
		case 4:
			((uint32_t *)data)[at] = (uint32_t)v.i;
			break;
		default:
			((int64_t *)data)[at] = v.i;
			break;
		}
	}
}

static struct value evaluate(struct fe_c_interp *in,
	const struct fe_c_expr *e);

/* The position of the element in its array; 0, having failed, outside. */
static int64_t position(struct fe_c_interp *in, const struct fe_c_expr *e)
{
	const struct store *s = &in->store[e->var->id];
	int64_t at = 0, k;
	int d;

	for (d = 0; d < e->n_index; d++) {
		k = evaluate(in, e->index[d]).i;
		if (k < 0 || k >= s->dim[d]) {
			in->failed = true;
			return 0;
		}
		at = at * s->dim[d] + k;
	}
	return at;
}

/* ------------------------------------------------------------- expressions */

static struct value variable(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	const struct store *s = &in->store[e->var->id];
	struct value v = { s->scalar, 0 };

	if (e->kind == FE_C_VAR && (e->var->use == FE_C_SIZE ||
	    e->var->use == FE_C_ITERATOR))
		return v;
	if (!s->data) {
		in->failed = true;
		return v;
	}
	return load(e->type, s->data, position(in, e));
}

static int64_t compare(enum poly_op op, double a, double b)
{
	switch (op) {
	case POLY_OP_LT:
		return a < b;
	case POLY_OP_LE:
		return a <= b;
	case POLY_OP_EQ:
		return a == b;
	default:
		return a != b;
	}
}

static double apply_float(enum poly_op op, enum poly_type t, double a,
	double b)
{
	const struct fe_number x = { .f = a, .wide = a };
	const struct fe_number y = { .f = b, .wide = b };

	return fe_value_apply(op, t, &x, &y).f;
}

static struct value operation(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	enum poly_type t = e->arg[0]->type;
	struct value a = evaluate(in, e->arg[0]), b = { 0, 0 }, v = { 0, 0 };

	if (e->arg[1])
		b = evaluate(in, e->arg[1]);
	if (!poly_type_is_float(t))
		v.i = fe_c_apply(e->op, t, a.i, b.i);
	else if (poly_op_shape(e->op) == POLY_SHAPE_COMPARE)
		v.i = compare(e->op, a.x, b.x);
	else
		v.x = apply_float(e->op, t, a.x, b.x);
	return v;
}

static bool is_true(struct fe_c_interp *in, const struct fe_c_expr *e)
{
	struct value v = evaluate(in, e);

	return poly_type_is_float(e->type) ? v.x != 0 : v.i != 0;
}

/* A float to an integer: truncated, then the low bits. */
static int64_t to_integer(enum poly_type t, double x)
{
	if (t == POLY_BOOL)
		return x != 0;
	if (isnan(x))
		return 0;
	x = fmod(trunc(x), 18446744073709551616.0);
	if (x < -9223372036854775808.0)
		x += 18446744073709551616.0;
	return fe_c_wrap(t, x < 9223372036854775808.0 ? (int64_t)x :
		(int64_t)(uint64_t)x);
}

static struct value convert(enum poly_type to, enum poly_type from,
	struct value v)
{
	struct value r = { 0, 0 };

	if (poly_type_is_float(to)) {
		if (poly_type_is_float(from))
			r.x = fe_number_round(to, v.x);
		else
			r.x = fe_number_round(to, from == POLY_U64 ?
				(long double)(uint64_t)v.i :
				(long double)v.i);
	} else if (poly_type_is_float(from)) {
		r.i = to_integer(to, v.x);
	} else {
		r.i = fe_c_wrap(to, v.i);
	}
	return r;
}

static struct value evaluate(struct fe_c_interp *in,
	const struct fe_c_expr *e)
{
	struct value v = { 0, 0 };

	switch (e->kind) {
	case FE_C_INT:
		v.i = e->bits;
		return v;
	case FE_C_FLOAT:
		v.x = e->value;
		return v;
	case FE_C_VAR:
	case FE_C_ELEMENT:
		return variable(in, e);
	case FE_C_OP:
		return operation(in, e);
	case FE_C_AND:
		v.i = is_true(in, e->arg[0]) && is_true(in, e->arg[1]);
		return v;
	case FE_C_OR:
		v.i = is_true(in, e->arg[0]) || is_true(in, e->arg[1]);
		return v;
	case FE_C_NOT:
		v.i = !is_true(in, e->arg[0]);
		return v;
	case FE_C_COND:
		return evaluate(in, e->arg[is_true(in, e->arg[0]) ? 1 : 2]);
	case FE_C_CAST:
		return convert(e->type, e->arg[0]->type,
			evaluate(in, e->arg[0]));
	}
	return v;
}

/* -------------------------------------------------------------- statements */

static void run(struct fe_c_interp *in, const struct fe_c_stmt *s);

static void run_loop(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	int64_t *i = &in->store[s->var->id].scalar;

	*i = fe_c_wrap(s->var->type, evaluate(in, s->right).i);
	while (!in->failed && is_true(in, s->cond)) {
		run(in, s->body);
		*i = fe_c_wrap(s->var->type, *i + s->step);
	}
}

static void run_assign(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	struct store *to = &in->store[s->left->var->id];
	struct value v;

	if (s->left->var->use == FE_C_ITERATOR)
		return;
	v = evaluate(in, s->right);
	if (to->data)
		save(s->left->type, to->data, position(in, s->left), v);
}

static void run(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	for (; s && !in->failed; s = s->next) {
		switch (s->kind) {
		case FE_C_ASSIGN:
			run_assign(in, s);
			break;
		case FE_C_FOR:
			run_loop(in, s);
			break;
		case FE_C_IF:
			run(in, is_true(in, s->cond) ? s->body :
				s->otherwise);
			break;
		case FE_C_BLOCK:
			run(in, s->body);
			break;
		}
	}
}

/* ------------------------------------------------------------------- cost */

static double cost_of(struct fe_c_interp *in, const struct fe_c_stmt *s);

static bool is_simple(const struct fe_c_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == FE_C_BLOCK ? !is_simple(s->body) :
		    s->kind != FE_C_ASSIGN)
			return false;
	return true;
}

/* Loops are run; of the innermost only the iterations are counted. */
static double loop_cost(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	int64_t *i = &in->store[s->var->id].scalar;
	double cost = 0, each = is_simple(s->body) ? cost_of(in, s->body) : 0;

	*i = fe_c_wrap(s->var->type, evaluate(in, s->right).i);
	for (; is_true(in, s->cond) && cost < 1e10;
	     *i = fe_c_wrap(s->var->type, *i + s->step))
		cost += each ? each : cost_of(in, s->body);
	return cost;
}

static double cost_of(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	double cost = 0;

	for (; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN)
			cost++;
		else if (s->kind == FE_C_FOR)
			cost += loop_cost(in, s);
		else
			cost += cost_of(in, s->body) +
				cost_of(in, s->otherwise);
		if (s->kind == FE_C_ASSIGN && s->left->var->use == FE_C_ALIAS)
			run_assign(in, s);
	}
	return cost;
}

double fe_c_interp_cost(struct fe_c_interp *in)
{
	return cost_of(in, in->unit->c->body);
}

/* ------------------------------------------------------------- interface */

/* The extent of the dimension that is not written, from isl's text. */
static int64_t found_extent(const struct fe_unit *u, const char *text,
	const int64_t *param)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_pw_aff *extent = ctx ? isl_pw_aff_read_from_str(ctx, text) : NULL;
	isl_point *point;
	isl_val *value;
	int64_t n = 0;
	int i, at;

	if (extent) {
		point = isl_point_zero(isl_pw_aff_get_domain_space(extent));
		for (i = 0; i < u->c->n_size; i++) {
			at = isl_pw_aff_find_dim_by_name(extent,
				isl_dim_param, u->c->size[i]->lowered);
			if (at >= 0)
				point = isl_point_set_coordinate_val(point,
					isl_dim_param, at,
					isl_val_int_from_si(ctx,
						(long)param[i]));
		}
		value = isl_pw_aff_eval(extent, point);
		n = isl_val_get_num_si(value);
		isl_val_free(value);
	}
	if (ctx)
		poly_ctx_free(ctx);
	return n < 0 ? 0 : n;
}

/* Sizes first: extents need them. */
static void set_sizes(struct fe_c_interp *in, const int64_t *param)
{
	const struct fe_c_unit *c = in->unit->c;
	int i;

	for (i = 0; i < c->n_size; i++)
		in->store[c->size[i]->id].scalar = c->size[i]->fixed ?
			c->size[i]->value : param[i];
}

static bool set_extents(struct fe_c_interp *in, const int64_t *param)
{
	const struct fe_c_var *v;
	int d;

	for (v = in->unit->c->var; v; v = v->next) {
		struct store *s = &in->store[v->id];

		if (!v->used || v->use == FE_C_SIZE ||
		    v->use == FE_C_ITERATOR)
			continue;
		s->n = 1;
		for (d = 0; d < v->n_dim; d++) {
			s->dim[d] = v->dim[d] ? evaluate(in, v->dim[d]).i :
				found_extent(in->unit, v->extent, param);
			if (s->dim[d] < 0)
				s->dim[d] = 0;
			if (__builtin_mul_overflow(s->n, s->dim[d], &s->n))
				return false;
		}
		if (s->n > INT64_MAX / 16)
			return false;
		s->data = calloc((size_t)s->n + 1,
			(size_t)poly_type_size(v->type));
		if (!s->data)
			return false;
	}
	return true;
}

struct fe_c_interp *fe_c_interp_alloc(const struct fe_unit *u,
	const int64_t *param)
{
	struct fe_c_interp *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->unit = u;
	in->store = calloc((size_t)u->c->n_var + 1, sizeof(*in->store));
	if (!in->store)
		return fe_c_interp_free(in);
	set_sizes(in, param);
	return set_extents(in, param) ? in : fe_c_interp_free(in);
}

/* Free "in", which may be NULL; returns NULL. */
struct fe_c_interp *fe_c_interp_free(struct fe_c_interp *in)
{
	int i;

	if (!in)
		return NULL;
	for (i = 0; in->store && i < in->unit->c->n_var; i++)
		free(in->store[i].data);
	free(in->store);
	free(in);
	return NULL;
}

static const struct fe_c_var *find_array(const struct fe_c_interp *in,
	const char *name)
{
	const struct fe_c_var *v;

	for (v = in->unit->c->var; v; v = v->next)
		if (v->used && v->use == FE_C_CELL &&
		    !strcmp(v->lowered, name))
			return v;
	return NULL;
}

bool fe_c_interp_set_input(struct fe_c_interp *in, const char *name,
	const void *data)
{
	const struct fe_c_var *v = find_array(in, name);

	if (!v)
		return false;
	in->store[v->id].input = data;
	in->done = false;
	return true;
}

int fe_c_interp_shape(struct fe_c_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	const struct fe_c_var *v = find_array(in, name);

	if (!v)
		return -1;
	memcpy(dim, in->store[v->id].dim, (size_t)v->n_dim * sizeof(*dim));
	return v->n_dim;
}

/* Execute the nest on copies of its inputs. */
static bool execute(struct fe_c_interp *in)
{
	const struct fe_c_var *v;

	for (v = in->unit->c->var; v; v = v->next) {
		struct store *s = &in->store[v->id];

		if (s->data && s->input)
			memcpy(s->data, s->input, (size_t)s->n *
				(size_t)poly_type_size(v->type));
		else if (s->data)
			memset(s->data, 0, (size_t)s->n *
				(size_t)poly_type_size(v->type));
	}
	in->failed = false;
	run(in, in->unit->c->body);
	in->done = true;
	return !in->failed;
}

bool fe_c_interp_eval(struct fe_c_interp *in, const char *name,
	const int64_t *index, struct fe_value *v)
{
	const struct fe_c_var *var = find_array(in, name);
	const struct store *s;
	struct value value;
	int64_t at = 0;
	int d;

	if (!in->done && !execute(in))
		return false;
	s = &in->store[var->id];
	for (d = 0; d < var->n_dim; d++)
		at = at * s->dim[d] + index[d];
	value = load(var->type, s->data, at);
	*v = (struct fe_value) { .integer = value.i };
	if (poly_type_is_float(var->type)) {
		v->exact = v->wide = value.x;
		v->bound = INFINITY;
	} else {
		v->exact = v->wide = var->type == POLY_U64 ?
			(double)(uint64_t)value.i : (double)value.i;
	}
	return !in->failed;
}
