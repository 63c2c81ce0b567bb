/* Calls of functions that the file defines: their text in the place of the
 * call.
 *
 * A function whose text is declarations, conditions and returned values is an
 * expression: names of parameters and locals stand for values. Of any other
 * the statements run before the one that calls, and the value that is returned
 * is a variable. Parameters that are pointers are views of the caller's arrays.
 *
 *	static float sq(float x) { return x * x; }
 *	static void scale(int n, float *x, float a)
 *	{ for (int i = 0; i < n; i++) x[i] *= a; }
 *
 *	y[j] = sq(b[j]) + 1;	y[j] = b[j] * b[j] + 1
 *	scale(m, A[k], 2);	for (i = 0; i < m; i++) A[k][i] *= 2;
 *
 * Nothing is compiled apart: there is one nest in the end, whose loops are
 * known to the scheduler. So a call costs nothing, and arrays that are passed
 * are the caller's own.
 */
#include <assert.h>

#include "frontend/c/read/call_read.h"

/* Calls within calls. */
enum { MAX_INLINE = 16 };

/* ------------------------------------------------------------------ pending */

/* Pending statements run before the one that is being read (fe_c_statement). */
void fe_c_add_pending(struct fe_c_parse *p, struct fe_c_stmt *s)
{
	struct fe_c_stmt **last;

	for (last = &p->pending; *last; last = &(*last)->next)
		;
	*last = s;
}

/* A new variable "name" with the value "e" before this statement. */
static struct fe_c_var *keep(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr *e)
{
	struct fe_c_stmt *s = fe_arena_alloc(&p->u->arena, sizeof(*s));
	struct fe_c_var *v;

	v = fe_c_add_var(p, fe_arena_text(&p->u->arena, name->text,
		(size_t)name->len), e->type, &e->loc);
	v->init = e;
	v->n_write = 1;
	s->kind = FE_C_ASSIGN;
	s->loc = e->loc;
	s->left = fe_c_scalar(p, v, &e->loc);
	s->right = e;
	s->declares = true;
	fe_c_add_pending(p, s);
	return v;
}

/* ------------------------------------------------------------------ pointers */

/* "e", or a variable that keeps its value if that may change.
 *
 * So that a[i] passed as a pointer does not move when i changes in the
 * function.
 */
static struct fe_c_expr *settled(struct fe_c_parse *p,
	const struct fe_c_token *name, struct fe_c_expr *e)
{
	if (!e || fe_c_is_stable(p, e))
		return e;
	return fe_c_scalar(p, keep(p, name, e), &e->loc);
}

/* Whatever may change in the view is kept. */
void fe_c_settle_view(struct fe_c_parse *p, const struct fe_c_token *name,
	struct fe_c_view *v)
{
	int i;

	for (i = 0; i < v->n_index; i++)
		v->index[i] = settled(p, name, v->index[i]);
	v->offset = settled(p, name, v->offset);
	for (i = 0; i < v->n_dim; i++)
		v->dim[i] = settled(p, name, v->dim[i]);
}

/* ---------------------------------------------------------------- expressions */

/* Does the token begin the type of a structure? */
static bool is_struct(struct fe_c_parse *p, const struct fe_c_token *t)
{
	const struct fe_c_name *n = t->kind == FE_C_NAME ? fe_c_find(p, t) :
		NULL;

	return fe_c_is(t, "struct") || (n && n->is_type && n->st);
}

bool fe_c_returns_struct(struct fe_c_parse *p, const struct fe_c_function *f)
{
	const struct fe_c_token *t;

	for (t = f->begin; t < f->name; t++)
		if (is_struct(p, t))
			return true;
	return false;
}

/* True if the function is an expression: no loop, and nothing changes.
 *
 * Then a call is a value and may stand in any expression, also within a
 * condition, without a statement.
 */
static bool is_expression(struct fe_c_parse *p, const struct fe_c_call *c)
{
	static const char *const word[] = {
		"for", "while", "do", "switch", "goto", "break", "continue"
	};
	const struct fe_c_token *t;
	size_t i;

	for (t = c->f->body; t < c->f->end; t++) {
		for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
			if (fe_c_is(t, word[i]))
				return false;
		if (is_struct(p, t))
			return false;
		if (fe_c_is_effect(t) && (!fe_c_is(t, "=") ||
		    t[-1].kind != FE_C_NAME || (t[-2].kind != FE_C_NAME &&
		     !fe_c_is(t - 2, ","))))
			return false;
		if (fe_c_is(t, "[") && t[-1].kind == FE_C_NAME &&
		    t[-2].kind == FE_C_NAME && !fe_c_is(t - 2, "return"))
			return false;
	}
	return !c->is_void && !c->st;
}

static struct fe_c_expr *returned(struct fe_c_parse *p, const struct fe_c_call *c);

/* "type name = e, ..;"
 *
 * A local of an expression function is a name for its value: it is evaluated
 * where it is used.
 */
static bool local(struct fe_c_parse *p)
{
	enum poly_type type;
	const char *bad;
	bool is_void;

	if (!fe_c_base_type(p, &type, &is_void, &bad, NULL))
		return false;
	do {
		const struct fe_c_token *name = p->t;
		struct fe_c_name *n;

		if (bad || is_void || name->kind != FE_C_NAME) {
			fe_c_unexpected(p, "a name");
			return false;
		}
		n = fe_c_bind(p, p->t++);
		if (!n || !fe_c_expect(p, "="))
			return false;
		n->value = fe_c_convert(p, type, fe_c_expression(p));
		if (!n->value)
			return false;
	} while (fe_c_accept(p, ","));
	return fe_c_expect(p, ";");
}

/* "if (cond) statement else statement", or the statements behind it. */
static struct fe_c_expr *choice(struct fe_c_parse *p, const struct fe_c_call *c)
{
	const struct poly_loc *loc = &p->t++->loc;
	struct fe_c_name *names = p->names;
	struct fe_c_expr *e, *cond;

	if (!fe_c_expect(p, "("))
		return NULL;
	cond = fe_c_expression(p);
	if (!cond || !fe_c_expect(p, ")"))
		return NULL;
	p->conditional++;
	e = fe_c_node(p, FE_C_COND, c->type, loc);
	e->arg[0] = cond;
	e->arg[1] = returned(p, c);
	p->names = names;
	if (e->arg[1]) {
		fe_c_accept(p, "else");
		e->arg[2] = returned(p, c);
	}
	p->conditional--;
	return e->arg[1] && e->arg[2] ? e : NULL;
}

/* The value that statements return which begin here.
 *
 * Declarations, a block, an if, or the return itself.
 */
static struct fe_c_expr *returned(struct fe_c_parse *p, const struct fe_c_call *c)
{
	struct fe_c_expr *e;

	while (fe_c_is_type(p))
		if (!local(p))
			return NULL;
	if (fe_c_accept(p, "{")) {
		p->depth++;
		e = returned(p, c);
		p->depth--;
		while (fe_c_accept(p, ";"))
			;
		return e && fe_c_expect(p, "}") ? e : NULL;
	}
	if (fe_c_is(p->t, "if"))
		return choice(p, c);
	if (!fe_c_expect(p, "return"))
		return NULL;
	e = fe_c_convert(p, c->type, fe_c_expression(p));
	return e && fe_c_expect(p, ";") ? e : NULL;
}

/* ----------------------------------------------------------------- the call */

/* A copy of the structure that is passed as "a". */
static const struct fe_c_view *copied(struct fe_c_parse *p,
	const struct fe_c_argument *a)
{
	struct fe_c_view *view = fe_c_new_object(p, a->st, a->name, 0, NULL);
	struct fe_c_list l = { .loc = a->name->loc, .declares = true };
	struct fe_c_stmt *first = NULL;

	l.last = &first;
	fe_c_copy(p, view, a->view, &l);
	fe_c_add_pending(p, first);
	return view;
}

/* Give the parameters their meaning; "pure": nothing changes meanwhile.
 *
 * Of a pure function all parameters are the arguments; else what may change
 * meanwhile is kept in a variable first.
 */
static void bind_params(struct fe_c_parse *p, struct fe_c_call *c, bool pure)
{
	int i;

	for (i = 0; i < c->n; i++) {
		struct fe_c_argument *a = &c->param[i];
		bool changed = fe_c_is_changed(c->f->body, c->f->end, a->name);
		struct fe_c_name *n;

		if (a->is_pointer && !pure)
			fe_c_settle_view(p, a->name, a->view);
		n = fe_c_bind(p, a->name);
		if (!n)
			return;
		/* p++ on a pointer has no view */
		if (a->is_pointer && changed)
			n->bad = "a pointer that changes";
		else if (a->st && !a->is_pointer && !pure)
			n->view = copied(p, a);
		else if (a->is_pointer || a->st)
			n->view = a->view;
		else if (pure || (!changed && fe_c_is_stable(p, a->value)))
			n->value = a->value;
		else
			n->var = keep(p, a->name, a->value);
	}
}

/* True if the function has more than two "return".
 *
 * A function of one return, or of an if with two, gives its value exactly once.
 */
static bool returns_often(const struct fe_c_function *f)
{
	const struct fe_c_token *t;
	int n = 0;

	for (t = f->body; t < f->end; t++)
		n += fe_c_is(t, "return");
	return n > 2;
}

/* The variable that has the value of the call; where several statements may
 * give it one, it begins with 0.
 */
static struct fe_c_var *value_of(struct fe_c_parse *p, const struct fe_c_call *c)
{
	struct fe_c_var *v;

	if (returns_often(c->f))
		return keep(p, c->at, fe_c_convert(p, c->type,
			fe_c_int(p->u, POLY_I32, 0, &c->at->loc)));
	v = fe_c_add_var(p, fe_arena_text(&p->u->arena, c->at->text,
		(size_t)c->at->len), c->type, &c->at->loc);
	v->unset = true;
	return v;
}

/* The same of a structure. */
static struct fe_c_view *struct_of(struct fe_c_parse *p, const struct fe_c_call *c)
{
	struct fe_c_view *view = fe_c_new_object(p, c->st, c->at, 0, NULL);
	struct fe_c_list l = { .loc = c->at->loc, .declares = true };
	struct fe_c_stmt *first = NULL;
	int i;

	l.last = &first;
	if (returns_often(c->f)) {
		fe_c_copy(p, view, NULL, &l);
		fe_c_add_pending(p, first);
	}
	for (i = 0; i < view->object->n_field && !first; i++)
		view->object->field[i]->unset = true;
	return view;
}

/* Put the statements of the function before this one; its value.
 *
 * The statements become a block before the one with the call. Under a condition
 * (?:, &&) they would run even if the value is not wanted, which is refused.
 */
static struct fe_c_expr *run(struct fe_c_parse *p, struct fe_c_call *c)
{
	struct fe_c_stmt *pending, *block;
	struct fe_c_var *result = NULL;

	if (p->conditional) {
		FE_C_ERROR(p, FE_C_UNDER, &c->at->loc, c->at->len,
			c->at->text);
		return NULL;
	}
	if (c->st)
		c->result = struct_of(p, c);
	else if (!c->is_void)
		result = value_of(p, c);
	p->result = result;
	p->result_view = c->result;
	p->outer_loops = p->loops;
	pending = p->pending;
	p->pending = NULL;
	p->depth++;
	block = fe_arena_alloc(&p->u->arena, sizeof(*block));
	block->kind = FE_C_BLOCK;
	block->loc = c->at->loc;
	block->body = fe_c_statements(p);
	fe_c_check_jumps(p);
	p->ends.leaves = false;
	p->depth--;
	p->pending = pending;
	fe_c_add_pending(p, block);
	return result ? fe_c_scalar(p, result, &c->at->loc) : NULL;
}

/* The text of the function in the place of the call.
 *
 * What belongs to the surrounding text is saved and put back: names in scope,
 * jumps, result, loops.
 */
static struct fe_c_expr *expand(struct fe_c_parse *p, struct fe_c_call *c)
{
	const struct fe_c_token *t = p->t;
	const struct fe_c_function *function = p->function;
	struct fe_c_name *names = p->names;
	struct fe_c_var *result = p->result;
	const struct fe_c_view *result_view = p->result_view;
	struct fe_c_stmt *outer_loops = p->outer_loops;
	const struct fe_c_token *stop = p->stop, *switch_end = p->switch_end;
	struct fe_c_expr *e;
	bool pure;
	int depth = p->depth, switch_depth = p->switch_depth;

	p->names = p->file_names;
	p->depth = 1;
	pure = is_expression(p, c);
	bind_params(p, c, pure);
	p->function = c->f;
	p->stop = p->switch_end = NULL;
	p->switch_depth = 0;
	p->t = c->f->body + 1;
	e = p->bad ? NULL : pure ? returned(p, c) : run(p, c);
	p->t = t;
	p->stop = stop;
	p->switch_end = switch_end;
	p->switch_depth = switch_depth;
	p->function = function;
	p->names = names;
	p->depth = depth;
	p->result = result;
	p->result_view = result_view;
	p->outer_loops = outer_loops;
	return e;
}

const char *fe_c_nearest_function(struct fe_unit *u, struct fe_suggest *s,
	const struct fe_c_function *list)
{
	const char *best = NULL, *text;

	for (; list; list = list->next) {
		text = fe_arena_text(&u->arena, list->name->text,
			(size_t)list->name->len);
		if (list->name->loc.line && fe_suggest_try(s, text))
			best = text;
	}
	return best;
}

bool fe_c_is_itself(const struct fe_c_parse *p, const struct fe_c_token *t)
{
	const struct fe_c_function *f;

	for (f = p->c->functions; f; f = f->next)
		if (fe_c_same_name(t, f->name))
			return f->body == p->c->text.open;
	return false;
}

const struct fe_c_function *fe_c_defined(struct fe_c_parse *p,
	const struct fe_c_token *t)
{
	const struct fe_c_function *f;

	for (f = p->c->functions; f; f = f->next)
		if (fe_c_same_name(t, f->name) && f->body != p->c->text.open)
			return f;
	return NULL;
}

/* What the function returns and which parameters it has. */
static bool find_head(struct fe_c_parse *p, struct fe_c_call *c)
{
	const struct fe_c_token *t = p->t;
	struct fe_c_name *names = p->names;
	const char *bad = NULL;

	p->t = c->f->begin;
	p->names = p->file_names;
	if (!fe_c_base_type(p, &c->type, &c->is_void, &bad, &c->st) || bad ||
	    fe_c_is(p->t, "*"))
		fe_c_refuse_call(p, c, "it returns what is no number");
	p->names = names;
	p->t = t;
	return !p->bad && fe_c_find_params(p, c);
}

/* The call "c" at "p->t"; its value, if that is a number. */
static struct fe_c_expr *expand_call(struct fe_c_parse *p, struct fe_c_call *c)
{
	struct fe_c_expr *e = NULL;

	if (++p->n_inline > MAX_INLINE) {
		fe_c_refuse_call(p, c, "it calls itself, or calls are nested too deeply");
		p->n_inline--;
		return NULL;
	}
	p->t += 2;
	if (find_head(p, c) && fe_c_call_arguments(p, c))
		e = expand(p, c);
	p->n_inline--;
	return p->bad ? NULL : e;
}

/* For calls that a definition makes (frontend/index): arguments are values and
 * arrays, not text. Returns the statements.
 */
struct fe_c_stmt *fe_c_run_given(struct fe_c_parse *p,
	const struct fe_c_function *f, const struct fe_c_token *at,
	const struct fe_c_given *given, int n)
{
	struct fe_c_call c = { .f = f, .at = at };
	int i;

	p->n_inline++;
	if (!find_head(p, &c))
		return NULL;
	assert(c.n == n && c.is_void && "the caller has seen the function");
	for (i = 0; i < n && !p->bad; i++) {
		struct fe_c_argument *a = &c.param[i];

		if (!fe_c_param_type(p, &c, a))
			return NULL;
		if (!a->is_pointer) {
			a->value = fe_c_convert(p, a->type, given[i].value);
			continue;
		}
		a->view = fe_arena_alloc(&p->u->arena, sizeof(*a->view));
		a->view->var = given[i].var;
	}
	expand(p, &c);
	p->n_inline--;
	return p->bad ? NULL : p->pending;
}

struct fe_c_expr *fe_c_inline(struct fe_c_parse *p,
	const struct fe_c_function *f)
{
	struct fe_c_call c = { .f = f, .at = p->t };

	return expand_call(p, &c);
}

bool fe_c_inline_struct(struct fe_c_parse *p, const struct fe_c_function *f,
	struct fe_c_view *view)
{
	struct fe_c_call c = { .f = f, .at = p->t };

	expand_call(p, &c);
	if (!p->bad && !c.result)
		FE_C_ERROR(p, FE_C_TYPE, &c.at->loc, "a number here");
	if (!p->bad)
		*view = *c.result;
	return !p->bad;
}
