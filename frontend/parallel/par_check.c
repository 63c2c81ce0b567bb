/* Data-parallel functions: names and types of the whole program.
 *
 * Functions may stand in any order, and none may call itself, directly or through
 * others. A variable has one value and no name that one around it has.
 *
 * A checker goes through the tree once, from outside to inside; the scope is a
 * list that is cut back when a block ends. Types are found bottom up, but for
 * literals, which stay "open" until something beside them has a type
 * (par_types.c).
 */
#include <string.h>

#include "frontend/parallel/parallel.h"

/* The variables that can be seen, the innermost first.
 *
 * In the arena; "scope" of the checker points to the innermost.
 */
struct fe_par_scope {
	const struct fe_par_scope *outer;
	struct fe_par_var *var;
};
/* "from" calls "to".
 *
 * Made for each call in the text, for report_circle.
 */
struct fe_par_call_edge {
	struct fe_par_call_edge *next;
	struct fe_par_function *from, *to;
	struct poly_loc loc;
};

/* Other callees cannot lead back. */
void fe_par_note_call(struct fe_par_checker *ck, const struct fe_par_callee *c,
	const struct poly_loc *loc)
{
	struct fe_par_call_edge *edge;

	if (c->kind != FE_PAR_C_FUNCTION)
		return;
	edge = fe_arena_alloc(&ck->unit->arena, sizeof(*edge));
	edge->from = ck->function;
	edge->to = c->function;
	edge->loc = *loc;
	edge->next = ck->function->edge;
	ck->function->edge = edge;
}

/* NULL if there is none: the name may be a function's. */
struct fe_par_var *fe_par_find_var(const struct fe_par_checker *ck,
	const struct fe_symbol *s)
{
	const struct fe_par_scope *scope;

	for (scope = ck->scope; scope; scope = scope->outer)
		if (scope->var->symbol == s)
			return scope->var;
	return NULL;
}

/* From here on "v" can be named; reports if something around has its name.
 *
 * Added even then, so that the rest of the block is checked with it.
 */
static bool add_var(struct fe_par_checker *ck, struct fe_par_var *v)
{
	struct fe_par_scope *scope = fe_arena_alloc(&ck->unit->arena,
		sizeof(*scope));
	const struct fe_par_var *other = fe_par_find_var(ck, v->symbol);

	if (other)
		FE_REPORT(ck->unit, FE_REDECLARED, &v->loc, v->symbol->name,
			other->loc.line);
	v->depth = ck->depth;
	scope->var = v;
	scope->outer = ck->scope;
	ck->scope = scope;
	return !other;
}

/* The type that "w" writes; false, having reported.
 *
 * int and float are i32 and f32; other names are those of element types. A
 * structure hides them.
 */
static bool resolve(struct fe_par_checker *ck, const struct fe_par_written *w,
	struct fe_par_type *t)
{
	const char *name = w->symbol->name;
	const struct fe_par_record *r;
	char text[FE_ADVICE];

	*t = (struct fe_par_type) { .rank = w->rank };
	for (r = ck->prog->record; r; r = r->next)
		if (r->symbol == w->symbol)
			t->record = r;
	t->base = !strcmp(name, "int") ? POLY_I32 : !strcmp(name, "float") ?
		POLY_F32 : poly_type_find(name);
	if (t->record)
		t->base = POLY_N_TYPE;
	if (t->record || t->base != POLY_N_TYPE)
		return true;
	FE_REPORT(ck->unit, FE_PAR_TYPE_NAME, &w->loc, name, poly_type_names(),
		fe_advice(FE_AT_TYPE, name, text));
	return false;
}

/* -------------------------------------------------------------- expressions */

/* Forward, as loops and bodies contain one another. */
static bool check_body(struct fe_par_checker *ck, struct fe_par_stmt *s,
	const struct poly_loc *loc, const struct fe_par_type *want,
	struct fe_par_type *found);

/* A name as a value: a variable in scope. Uses inside of a loop that is not
 * around the variable count twice, as its value is needed there again and
 * again.
 *
 * uses decide whether a value is worth a definition of its own (par_eval.c).
 */
static bool check_name(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_var *v = fe_par_find_var(ck, e->symbol);

	if (!v) {
		FE_REPORT(ck->unit, FE_UNDEFINED, &e->loc, e->symbol->name,
			"", "");
		return false;
	}
	v->uses += v->depth == ck->depth ? 1 : 2;
	e->var = v;
	e->type = v->type;
	return true;
}

/* "a[i]": an array, and an int.
 *
 * Positions out of bounds are found in evaluation.
 */
static bool check_index(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type whole = fe_par_plain(POLY_I32);
	struct fe_par_expr *a = e->arg, *i = a->next;
	char name[96];

	if (!fe_par_check_expr(ck, a) || !fe_par_check_expr(ck, i))
		return false;
	if (!a->type.rank) {
		FE_REPORT(ck->unit, FE_PAR_ARRAY, &a->loc, "[]", 1,
			fe_par_type_name(&a->type, name));
		return false;
	}
	e->type = fe_par_element(a->type);
	return fe_par_require(ck->unit, i, &whole);
}

/* The number of the field "s" of "r", or -1; its variable.
 *
 * "*field" is NULL then.
 */
static int find_field(const struct fe_par_record *r, const struct fe_symbol *s,
	struct fe_par_var **field)
{
	int n = 0;

	for (*field = r->field; *field; *field = (*field)->next, n++)
		if ((*field)->symbol == s)
			return n;
	return -1;
}

/* A field of a structure, or an array of that of the elements.
 *
 * xs.a of an array of structures is the array of the a's.
 */
static bool check_field(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type *t = &e->arg->type;
	struct fe_par_var *field;
	char name[96];

	if (!fe_par_check_expr(ck, e->arg))
		return false;
	e->field = t->record ? find_field(t->record, e->symbol, &field) : -1;
	if (e->field < 0) {
		FE_REPORT(ck->unit, FE_PAR_FIELD, &e->loc,
			fe_par_type_name(t, name), e->symbol->name);
		return false;
	}
	e->type = field->type;
	e->type.rank = t->rank;
	return true;
}

/* Put the value of the member "m" among the arguments of "e", at its field.
 *
 * Twice the same field, or one that there is none, is the same message.
 */
static bool place_member(struct fe_par_checker *ck, struct fe_par_expr *e,
	struct fe_par_member *m, struct fe_par_expr **value)
{
	struct fe_par_var *field;
	int n = find_field(e->record, m->symbol, &field);
	bool good;

	if (n < 0 || value[n]) {
		FE_REPORT(ck->unit, FE_PAR_FIELD, &m->loc,
			e->symbol->name, m->symbol->name);
		return false;
	}
	good = fe_par_check_expr(ck, m->value) &&
		fe_par_require(ck->unit, m->value, &field->type);
	value[n] = m->value;
	return good;
}

/* "struct name { .. }": each field once, in any order.
 *
 * Afterwards the arguments are in the order of the fields, whatever the text
 * had.
 */
static bool check_record(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_written w = { .symbol = e->symbol, .loc = e->loc };
	struct fe_par_expr **value, **tail = &e->arg;
	struct fe_par_member *m;
	const struct fe_par_var *field;
	bool good = true;
	int i = 0;

	if (!resolve(ck, &w, &e->type))
		return false;
	e->record = (struct fe_par_record *)e->type.record;
	if (!e->record) {
		FE_REPORT(ck->unit, FE_PAR_TYPE_NAME, &e->loc, e->symbol->name,
			poly_type_names(), "");
		return false;
	}
	value = fe_arena_alloc(&ck->unit->arena,
		((size_t)e->record->n_field + 1) * sizeof(*value));
	for (m = e->member; m; m = m->next)
		good &= place_member(ck, e, m, value);
	for (field = e->record->field; good && field; field = field->next) {
		if (!value[i]) {
			FE_REPORT(ck->unit, FE_PAR_NO_VALUE, &e->loc,
				e->symbol->name, field->symbol->name);
			return false;
		}
		*tail = value[i++];
		tail = &(*tail)->next;
		e->n_arg++;
	}
	return good;
}

/* An operation. Literals alone stay open, but for comparisons.
 *
 * 1 + 2 has no type of its own yet; 1 < 2 must choose one to be compared in.
 */
static bool check_op(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	struct fe_par_expr *a = e->arg, *b = a->next;
	struct fe_par_type arg[2];
	bool open;

	if (!fe_par_check_expr(ck, a) || (b && !fe_par_check_expr(ck, b)) ||
	    (b && !fe_par_join(ck->unit, a, b, e->callee.spelling, &e->loc)))
		return false;
	open = a->type.open;
	arg[0] = a->type;
	arg[1] = b ? b->type : a->type;
	if (!fe_par_apply_type(ck->unit, &e->callee, arg, e->n_arg, &e->loc,
	    &e->type))
		return false;
	if (poly_op_shape(e->callee.op) == POLY_SHAPE_COMPARE) {
		fe_par_settle_alone(ck->unit, a);
		fe_par_settle_alone(ck->unit, b);
		return true;
	}
	e->type.open = open;
	return true;
}

/* "c ? a : b": a bool, and two values of one type, which are no arrays.
 *
 * Both are checked, whatever the condition.
 */
static bool check_choice(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_type truth = fe_par_plain(POLY_BOOL);
	struct fe_par_expr *c = e->arg, *a = c->next, *b = a->next;
	bool good = fe_par_check_expr(ck, c);

	good &= fe_par_check_expr(ck, a);
	good &= fe_par_check_expr(ck, b);
	good = good && fe_par_require(ck->unit, c, &truth) &&
		fe_par_join(ck->unit, a, b, "?:", &e->loc);
	if (good && a->type.rank) {
		FE_REPORT(ck->unit, FE_PAR_YET, &e->loc, "?:",
			"it chooses between arrays");
		return false;
	}
	e->type = a->type;
	return good;
}

/* "for (type x : xs) { .. }": "xs" is an array of "type"; the value is an array
 * of what the body returns. The name of the element ends with the loop.
 *
 * The body's depth counts for uses.
 */
static bool check_for(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	const struct fe_par_scope *scope = ck->scope;
	struct fe_par_type element, result, whole;
	char name[96];
	bool good = fe_par_check_expr(ck, e->arg);

	if (good && !e->arg->type.rank) {
		FE_REPORT(ck->unit, FE_PAR_ARRAY, &e->arg->loc, "for", 1,
			fe_par_type_name(&e->arg->type, name));
		return false;
	}
	if (!resolve(ck, &e->var->written, &e->var->type) || !good)
		return false;
	element = e->var->type;
	whole = fe_par_array_of(element);
	good = fe_par_require(ck->unit, e->arg, &whole);
	ck->depth++;
	good &= add_var(ck, e->var);
	good &= check_body(ck, e->body, &e->loc, NULL, &result);
	ck->depth--;
	ck->scope = scope;
	e->type = fe_par_array_of(result);
	return good;
}

/* Sets e->type if true. An operator without operands is an expression only as
 * an argument.
 */
bool fe_par_check_expr(struct fe_par_checker *ck, struct fe_par_expr *e)
{
	switch (e->kind) {
	case FE_PAR_E_NUMBER:
		/* a literal: int or float so far */
		e->type = fe_par_plain(e->whole ? POLY_I32 : POLY_F32);
		e->type.open = true;
		return true;
	case FE_PAR_E_BOOL:
		e->type = fe_par_plain(POLY_BOOL);
		return true;
	case FE_PAR_E_NAME:
		return check_name(ck, e);
	case FE_PAR_E_CALL:
		return fe_par_check_call(ck, e);
	case FE_PAR_E_INDEX:
		return check_index(ck, e);
	case FE_PAR_E_FIELD:
		return check_field(ck, e);
	case FE_PAR_E_RECORD:
		return check_record(ck, e);
	case FE_PAR_E_OP:
		return check_op(ck, e);
	case FE_PAR_E_CHOOSE:
		return check_choice(ck, e);
	case FE_PAR_E_FOR:
		return check_for(ck, e);
	default:
		FE_REPORT(ck->unit, FE_EXPECTED, &e->loc, "an expression",
			e->callee.spelling, "");
		return false;
	}
}

/* --------------------------------------------------------------- statements */

/* "type var = value;" The variable has its type even if the value is wrong.
 *
 * So that later uses are no further errors.
 */
static bool check_let(struct fe_par_checker *ck, struct fe_par_stmt *s)
{
	bool good = resolve(ck, &s->var->written, &s->var->type);

	good = fe_par_check_expr(ck, s->value) && good &&
		fe_par_require(ck->unit, s->value, &s->var->type);
	return add_var(ck, s->var) && good;
}

/* The statements from "s" on, which end by a return: of the type "want", or NULL: of
 * any, "*found".
 *
 * "loc" is where a missing return is reported.
 */
static bool check_body(struct fe_par_checker *ck, struct fe_par_stmt *s,
	const struct poly_loc *loc, const struct fe_par_type *want,
	struct fe_par_type *found)
{
	bool good = true;

	for (; s && s->var; s = s->next)
		good &= check_let(ck, s);
	if (!s) {
		FE_REPORT(ck->unit, FE_PAR_NO_RETURN, loc);
		return false;
	}
	if (s->next) {
		FE_REPORT(ck->unit, FE_EXPECTED, &s->next->loc, "'}'",
			"a statement", "");
		good = false;
	}
	if (!fe_par_check_expr(ck, s->value))
		return false;
	if (want)
		return fe_par_require(ck->unit, s->value, want) && good;
	fe_par_settle_alone(ck->unit, s->value);
	*found = s->value->type;
	return good;
}

/* Check the body of "f", in which only its parameters are in scope.
 *
 * The result's type is the declared one.
 */
static void check_function(struct fe_par_checker *ck, struct fe_par_function *f)
{
	struct fe_par_type found;
	struct fe_par_var *v;
	bool good = true;

	ck->scope = NULL;
	ck->function = f;
	for (v = f->param; v; v = v->next)
		good &= add_var(ck, v);
	if (good)
		check_body(ck, f->body, &f->loc, &f->type, &found);
}

/* ------------------------------------------------------------- declarations */

/* Check the structure "r": a name of its own, and fields with different names
 * that are no arrays.
 *
 * Fields of other structures are allowed, arrays are not.
 */
static void declare_record(struct fe_par_checker *ck, struct fe_par_record *r)
{
	const struct fe_par_record *other = ck->prog->record;
	struct fe_par_var *v, *w;

	while (other->symbol != r->symbol)
		other = other->next;
	if (other != r)
		FE_REPORT(ck->unit, FE_REDECLARED, &r->loc, r->symbol->name,
			other->loc.line);
	if (!r->n_field)
		FE_REPORT(ck->unit, FE_PAR_YET, &r->loc, r->symbol->name,
			"it has no fields");
	for (v = r->field; v; v = v->next) {
		resolve(ck, &v->written, &v->type);
		for (w = r->field; w != v; w = w->next)
			if (w->symbol == v->symbol)
				FE_REPORT(ck->unit, FE_REDECLARED, &v->loc,
					v->symbol->name, w->loc.line);
		if (v->type.rank)
			FE_REPORT(ck->unit, FE_PAR_YET, &v->loc,
				v->symbol->name, "it is an array in a struct");
	}
}

/* Does "r" have itself among its fields, or theirs?
 *
 * Marks: 0 not visited, 1 on the way, 2 done; depth first.
 */
static bool is_circular(struct fe_par_record *r)
{
	const struct fe_par_var *v;
	bool circular = r->mark == 1;

	if (r->mark)
		return circular;
	r->mark = 1;
	for (v = r->field; v; v = v->next)
		if (v->type.record)
			circular |= is_circular(
				(struct fe_par_record *)v->type.record);
	r->mark = 2;
	return circular;
}

/* Check the head of "f": a name that no other function has, nor what is built
 * in, and the types of its result and parameters.
 *
 * Names of functions that the report's language has cannot be given to others.
 */
static void declare_function(struct fe_par_checker *ck,
	struct fe_par_function *f)
{
	static const char *const own[] = {
#define BUILTIN(id, name, n) name,
#include "frontend/parallel/par_builtin.def"
#undef BUILTIN
		"min", "max", "log2", "float_of_int", "int_of_float",
	};
	const struct fe_par_function *other = ck->prog->function;
	struct fe_par_var *v;
	size_t i;

	while (other->symbol != f->symbol)
		other = other->next;
	if (other != f)
		FE_REPORT(ck->unit, FE_REDECLARED, &f->loc, f->symbol->name,
			other->loc.line);
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(own[i], f->symbol->name))
			FE_REPORT(ck->unit, FE_FUNCTION_NAME, &f->loc, own[i]);
	resolve(ck, &f->written, &f->type);
	for (v = f->param; v; v = v->next)
		resolve(ck, &v->written, &v->type);
}

/* ------------------------------------------------------------------ circles */

/* Report the calls that lead from "to" back to itself, the last one "edge".
 *
 * At most 32 names are told.
 */
static void report_circle(struct fe_par_checker *ck,
	const struct fe_par_call_edge *edge)
{
	const struct fe_par_function *f;
	struct poly_str path = { 0 };
	const char *names[32];
	int n = 0;

	for (f = edge->from; f != edge->to && n < 31; f = f->from)
		names[n++] = f->symbol->name;
	poly_str_printf(&path, "%s", edge->to->symbol->name);
	while (n--)
		poly_str_printf(&path, " -> %s", names[n]);
	poly_str_printf(&path, " -> %s", edge->to->symbol->name);
	FE_REPORT(ck->unit, FE_PAR_RECURSION, &edge->loc,
		edge->to->symbol->name, path.s ? path.s : "?");
	poly_str_free(&path);
}

/* Follow the calls of "f"; "mark": 1 on the way, 2 done.
 *
 * Recursion is as deep as calls nest; "from" remembers the way for the message.
 */
static void follow(struct fe_par_checker *ck, struct fe_par_function *f)
{
	const struct fe_par_call_edge *edge;

	f->mark = 1;
	for (edge = f->edge; edge; edge = edge->next) {
		if (edge->to->mark == 1)
			report_circle(ck, edge);
		if (edge->to->mark)
			continue;
		edge->to->from = f;
		follow(ck, edge->to);
	}
	f->mark = 2;
}

/* In this order: structures, heads, bodies, circles. A mistake in a head ends
 * the check, as every call would repeat it.
 */
void fe_par_check(struct fe_unit *u, struct fe_par_program *prog)
{
	struct fe_par_checker ck = { .unit = u, .prog = prog };
	struct fe_par_function *f;
	struct fe_par_record *r;

	for (r = prog->record; r; r = r->next)
		declare_record(&ck, r);
	for (r = prog->record; r; r = r->next)
		if (is_circular(r))
			FE_REPORT(u, FE_PAR_YET, &r->loc, r->symbol->name,
				"it holds itself");
	for (f = prog->function; f; f = f->next)
		declare_function(&ck, f);
	if (fe_has_errors(u))
		return;
	for (f = prog->function; f; f = f->next)
		check_function(&ck, f);
	for (f = prog->function; f; f = f->next)
		if (!f->mark)
			follow(&ck, f);
}
