/* Data-parallel functions: the evaluation of expressions on symbols. */
#include "frontend/parallel/par_eval.h"

/* Begin one more step; stops, having reported, if there are too many, or too many
 * inside one another.
 */
static void enter(struct fe_par *p, const struct poly_loc *loc)
{
	if (++p->open > FE_PAR_INSIDE) {
		FE_REPORT(p->unit, FE_DEPTH, loc, FE_PAR_INSIDE);
		fe_par_stop(p);
	}
	if (++p->steps <= FE_PAR_STEPS)
		return;
	FE_REPORT(p->unit, FE_PAR_LARGE, loc, FE_PAR_STEPS);
	fe_par_stop(p);
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

static struct fe_par_value of_scalar(const struct fe_par_scalar *a)
{
	return (struct fe_par_value) { .type = fe_par_plain(a->type),
		.scalar = a };
}

static struct fe_par_value of_array(const struct fe_par_array *a)
{
	return (struct fe_par_value) { .type = a->type, .array = a };
}

const struct fe_par_env *fe_par_bind(struct fe_par *p,
	const struct fe_par_env *env, const struct fe_par_var *var,
	struct fe_par_value value)
{
	struct fe_par_env *inner = fe_arena_alloc(&p->unit->arena,
		sizeof(*inner));

	value = fe_par_round_all(p, value);
	if (var->uses > 1 || (value.array && value.array->lazy > FE_PAR_LAZY))
		value = fe_par_force(p, value, var->symbol->name, &var->loc);
	inner->outer = env;
	inner->var = var;
	inner->value = value;
	inner->lazy = most(env ? env->lazy : 0, value.array ?
		value.array->lazy : 0);
	return inner;
}

struct fe_par_value fe_par_run(struct fe_par *p, const struct fe_par_stmt *s,
	const struct fe_par_env *env)
{
	for (; s->var; s = s->next)
		if (s->var->uses)
			env = fe_par_bind(p, env, s->var,
				fe_par_eval(p, s->value, env));
	return fe_par_eval(p, s->value, env);
}

/* -------------------------------------------------------------------- calls */

/* The number "v", computed by itself where too many operators wait for one another.
 * What is narrower than what it is computed in would be rounded there.
 */
static const struct fe_par_scalar *flat(struct fe_par *p,
	const struct fe_par_value *v, const struct poly_loc *loc)
{
	enum poly_type type = v->scalar->type;

	if (v->scalar->data->depth <= FE_PAR_DEEP)
		return v->scalar;
	if (p->plain || poly_type_compute(type) != type) {
		FE_REPORT(p->unit, FE_DEPTH, loc, FE_PAR_DEEP);
		fe_par_stop(p);
	}
	return fe_par_compute(p, v->scalar, "part", loc);
}

struct fe_par_value fe_par_apply(struct fe_par *p, const struct fe_par_callee *c,
	const struct fe_par_value *arg, int n, const struct poly_loc *loc)
{
	const struct fe_par_scalar *number[3] = { NULL, NULL, NULL };
	const struct fe_par_env *env = NULL;
	const struct fe_par_var *v;
	int i;

	if (c->kind == FE_PAR_C_FUNCTION) {
		for (i = 0, v = c->function->param; i < n; i++, v = v->next)
			env = fe_par_bind(p, env, v, arg[i]);
		return fe_par_round_all(p, fe_par_run(p, c->function->body,
			env));
	}
	for (i = 0; i < n && i < 3; i++)
		number[i] = flat(p, &arg[i], loc);
	return of_scalar(fe_par_operation(p, c, number, n, loc));
}

/* The arrays from argument "first" on, which are equally long, as one. */
static struct fe_par_array *together(struct fe_par *p,
	enum fe_par_array_kind kind, const struct fe_par_expr *e,
	const struct fe_par_value *arg, int first)
{
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		(size_t)e->n_arg * sizeof(*source));
	struct fe_par_array *a;
	int i, lazy = 0;

	for (i = first; i < e->n_arg; i++) {
		source[i - first] = arg[i].array;
		lazy = most(lazy, arg[i].array->lazy);
		if (i > first)
			fe_par_need_equal(p, source[0]->length,
				source[i - first]->length, &e->loc);
	}
	a = fe_par_array(p, kind, e->type, source[0]->length, &e->loc);
	a->source = source;
	a->n_source = e->n_arg - first;
	a->lazy = lazy + 1;
	return a;
}

/* map and zip_with of the arrays behind the function. */
static struct fe_par_value eval_map(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_value *arg)
{
	struct fe_par_array *a = together(p, FE_PAR_A_APPLY, e, arg, 1);

	a->callee = &e->arg->callee;
	return of_array(a);
}

/* The keys that the function of sort_by makes of the elements "xs". */
static const struct fe_par_array *keys_by(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_array *xs)
{
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		sizeof(*source));
	const struct fe_par_callee *f = &e->arg->callee;
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_APPLY,
		fe_par_array_of(fe_par_plain(e->key)), xs->length, &e->loc);

	*source = xs;
	a->source = source;
	a->n_source = 1;
	a->callee = f;
	a->lazy = xs->lazy + 1;
	return a;
}

/* The length of dimension "dim" of "a". */
static struct fe_par_value eval_dim(struct fe_par *p, const struct fe_par_array *a,
	int dim, const struct poly_loc *loc)
{
	int entered = 0;

	for (; dim > 1; dim--, entered++)
		a = fe_par_element_at(p, a, fe_par_enter(p, a->length,
			loc)).array;
	a = dim ? fe_par_array(p, FE_PAR_A_RANGE, a->type,
		fe_par_row_length(p, a, loc), loc) : a;
	fe_par_leave(p, entered);
	if (!(a->length->loops >> p->n_loop))
		return of_scalar(a->length);
	FE_REPORT(p->unit, FE_PAR_RAGGED, loc);
	fe_par_stop(p);
}

/* The array whose element [i][j] is element [j][i] of "of"; nothing is computed
 * until an element is read.
 */
static struct fe_par_value eval_transpose(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_array *of)
{
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		sizeof(*source));
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_TRANSPOSE, e->type,
		fe_par_row_length(p, of, &e->loc), &e->loc);

	*source = of;
	a->source = source;
	a->n_source = 1;
	a->lazy = of->lazy + 1;
	return of_array(a);
}

/* The value of a call of what is built in, with the arguments "arg"; those that
 * are functions have none.
 */
static struct fe_par_value eval_builtin(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_value *arg)
{
	switch (e->builtin) {
	case FE_PAR_B_MAP:
	case FE_PAR_B_ZIP_WITH:
		return eval_map(p, e, arg);
	case FE_PAR_B_RANGE:
		fe_par_need_length(p, arg[0].scalar, &e->arg->loc);
		return of_array(fe_par_array(p, FE_PAR_A_RANGE, e->type,
			arg[0].scalar, &e->loc));
	case FE_PAR_B_TRANSPOSE:
		return eval_transpose(p, e, arg[0].array);
	case FE_PAR_B_FILTER:
		return fe_par_filter(p, e, arg);
	case FE_PAR_B_ZIP:
		return of_array(together(p, FE_PAR_A_ZIP, e, arg, 0));
	case FE_PAR_B_UNZIP:
		return arg[0];
	case FE_PAR_B_GATHER:
		return fe_par_gather(p, e, arg);
	case FE_PAR_B_SCATTER:
	case FE_PAR_B_HISTOGRAM:
		return fe_par_scatter(p, e, arg);
	case FE_PAR_B_SORT:
		return fe_par_sort(p, e, arg[0].array);
	case FE_PAR_B_SORT_BY:
		return fe_par_sort_by(p, e, arg[0].array ? arg[0].array :
			keys_by(p, e, arg[1].array), arg[1].array);
	case FE_PAR_B_DIM:
		return eval_dim(p, arg[0].array, e->dim, &e->loc);
	default:
		return fe_par_reduction(p, e, arg);
	}
}

/* Is the argument "a" an operator, or the name of a function? */
static bool is_function(const struct fe_par_expr *a)
{
	return a->kind == FE_PAR_E_OPERATOR ||
		(a->kind == FE_PAR_E_NAME && !a->var);
}

/* The value of a call: the arguments first, but for functions that are passed.
 */
static struct fe_par_value eval_call(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	struct fe_par_value *arg = fe_arena_alloc(&p->unit->arena,
		((size_t)e->n_arg + 1) * sizeof(*arg));
	const struct fe_par_expr *a;
	int n = 0;

	for (a = e->arg; a; a = a->next, n++)
		if (!is_function(a))
			arg[n] = fe_par_eval(p, a, env);
	if (e->builtin != FE_PAR_B_NONE)
		return eval_builtin(p, e, arg);
	return fe_par_apply(p, &e->callee, arg, n, &e->loc);
}

/* -------------------------------------------------------------- expressions */

/* The value of an operation of one or two operands. */
static struct fe_par_value eval_op(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	struct fe_par_value arg[2];

	arg[0] = fe_par_eval(p, e->arg, env);
	if (e->n_arg > 1)
		arg[1] = fe_par_eval(p, e->arg->next, env);
	return fe_par_apply(p, &e->callee, arg, e->n_arg, &e->loc);
}

static struct fe_par_value eval_index(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	struct fe_par_value a = fe_par_eval(p, e->arg, env);
	struct fe_par_value i = fe_par_eval(p, e->arg->next, env);

	return fe_par_pick(p, e->arg->next, a.array, i.scalar);
}

/* A structure, with its fields rounded to their types. */
static struct fe_par_value eval_record(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	struct fe_par_value v = { .type = e->type };
	struct fe_par_value *field = fe_arena_alloc(&p->unit->arena,
		((size_t)e->n_arg + 1) * sizeof(*field));
	const struct fe_par_expr *a;
	int k = 0;

	for (a = e->arg; a; a = a->next)
		field[k++] = fe_par_round_all(p, fe_par_eval(p, a, env));
	v.field = field;
	return v;
}

/* The array that a "for" makes. Its body is evaluated when an element is read,
 * with the variables that are known here.
 */
static struct fe_par_value eval_for(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	struct fe_par_value over = fe_par_eval(p, e->arg, env);
	const struct fe_par_array **source = fe_arena_alloc(&p->unit->arena,
		sizeof(*source));
	struct fe_par_array *a = fe_par_array(p, FE_PAR_A_FOR, e->type,
		over.array->length, &e->loc);

	*source = over.array;
	a->expr = e;
	a->env = env;
	a->lazy = most(over.array->lazy, env ? env->lazy : 0) + 1;
	a->source = source;
	a->n_source = 1;
	return of_array(a);
}

/* -------------------------------------------------------------------- choices */

/* The value of "e" where the condition "c" holds. */
static struct fe_par_value eval_under(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env,
	const struct fe_par_scalar *c)
{
	struct fe_par_value v;

	if (p->n_path == FE_MAX_NESTING) {
		FE_REPORT(p->unit, FE_NESTING, &e->loc, FE_MAX_NESTING);
		fe_par_stop(p);
	}
	p->path[p->n_path++] = c;
	v = fe_par_round_all(p, fe_par_eval(p, e, env));
	p->n_path--;
	return v;
}

/* "a" where "c" holds, elsewhere "b": a definition of two pieces, which reads only
 * what its pieces need.
 */
static const struct fe_par_scalar *define_choice(struct fe_par *p,
	const struct fe_par_scalar *c, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc)
{
	struct fe_par_store *s = fe_arena_alloc(&p->unit->arena, sizeof(*s));
	struct fe_tensor *t;

	s->type = fe_par_plain(a->type);
	s->symbol = fe_arena_alloc(&p->unit->arena, sizeof(*s->symbol));
	fe_par_place(p, c, loc);
	t = fe_par_define(p, "choice", loc, a->type,
		a->loops | b->loops | c->loops, 0, s);
	s->symbol[0] = t->symbol;
	fe_par_piece(p, t, c->place, a->data);
	fe_par_piece(p, t, NULL, b->data);
	return fe_par_stored(p, s, NULL, 0, loc).scalar;
}

/* "c ? a : b" of each number of two values; "apart": one of them has no value where
 * the other has.
 */
static struct fe_par_value choose(struct fe_par *p,
	const struct fe_par_scalar *c, const struct fe_par_value *a,
	const struct fe_par_value *b, bool apart, const struct poly_loc *loc)
{
	int i, n = fe_par_count(&a->type);
	const struct fe_par_scalar **leaf = fe_arena_alloc(&p->unit->arena,
		2 * ((size_t)n + 1) * sizeof(*leaf));

	fe_par_flatten(a, leaf);
	fe_par_flatten(b, leaf + n);
	for (i = 0; i < n; i++)
		leaf[i] = apart ? define_choice(p, c, leaf[i], leaf[n + i],
			loc) : fe_par_select(p, POLY_OP_SELECT, c, leaf[i],
			leaf[n + i], loc);
	return fe_par_unflatten(p, a->type, leaf);
}

/* "c ? a : b". A condition on data selects between two values that are computed
 * in any case. If it tells positions apart, each value is evaluated under it;
 * if something in them, such as a read, is right only there, the choice becomes
 * a definition of two pieces.
 */
static struct fe_par_value eval_choice(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	const struct fe_par_expr *then = e->arg->next;
	const struct fe_par_scalar *c = fe_par_eval(p, e->arg, env).scalar;
	struct fe_par_value a, b;
	bool before = p->guarded, apart;

	if (!c->place) {
		a = fe_par_round_all(p, fe_par_eval(p, then, env));
		b = fe_par_round_all(p, fe_par_eval(p, then->next, env));
		return choose(p, c, &a, &b, false, &e->loc);
	}
	p->guarded = false;
	a = eval_under(p, then, env, c);
	b = eval_under(p, then->next, env, fe_par_not(p, c, &e->loc));
	apart = p->guarded;
	p->guarded = before;
	return choose(p, c, &a, &b, apart, &e->loc);
}

/* "a && b" is "a ? b : false", "a || b" is "a ? true : b", where "a" tells positions
 * apart.
 */
static struct fe_par_value eval_logic(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_env *env)
{
	bool both = e->callee.op == POLY_OP_AND;
	struct fe_par_value arg[2], other;
	const struct fe_par_scalar *c;
	bool before = p->guarded, apart;

	arg[0] = fe_par_eval(p, e->arg, env);
	c = arg[0].scalar;
	if (!c->place) {
		arg[1] = fe_par_eval(p, e->arg->next, env);
		return fe_par_apply(p, &e->callee, arg, 2, &e->loc);
	}
	p->guarded = false;
	arg[1] = eval_under(p, e->arg->next, env, both ? c :
		fe_par_not(p, c, &e->loc));
	apart = p->guarded;
	p->guarded = before;
	if (!apart)
		return fe_par_apply(p, &e->callee, arg, 2, &e->loc);
	other = of_scalar(fe_par_number(p, POLY_BOOL, !both, &e->loc));
	return choose(p, c, both ? &arg[1] : &other, both ? &other : &arg[1],
		true, &e->loc);
}

/* The value of "e" by what it is. */
static struct fe_par_value eval(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_env *env)
{
	switch (e->kind) {
	case FE_PAR_E_NUMBER:
	case FE_PAR_E_BOOL:
		return of_scalar(fe_par_number(p, e->type.base, e->value,
			&e->loc));
	case FE_PAR_E_NAME:
		while (env->var != e->var)
			env = env->outer;
		return env->value;
	case FE_PAR_E_CALL:
		return eval_call(p, e, env);
	case FE_PAR_E_INDEX:
		return eval_index(p, e, env);
	case FE_PAR_E_FIELD:
		return fe_par_field(p, fe_par_eval(p, e->arg, env), e->field,
			e->type);
	case FE_PAR_E_RECORD:
		return eval_record(p, e, env);
	case FE_PAR_E_CHOOSE:
		return eval_choice(p, e, env);
	case FE_PAR_E_FOR:
		return eval_for(p, e, env);
	default:
		return e->callee.logic && e->n_arg == 2 ?
			eval_logic(p, e, env) : eval_op(p, e, env);
	}
}

struct fe_par_value fe_par_eval(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_env *env)
{
	struct fe_par_value v;

	enter(p, &e->loc);
	v = eval(p, e, env);
	p->open--;
	return v;
}
