/* The body of a function, or the region in it: what is declared in front of the region,
 * what counts behind it, and what options say of arrays.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* ----------------------------------------------------------------- region */

static bool is_name(const struct fe_c_token *t, const char *name)
{
	return t->kind == FE_C_NAME && (size_t)t->len == strlen(name) &&
		!memcmp(t->text, name, strlen(name));
}

/* How the text names the variable, or the structure that it is a member of. */
static const char *text_name(const struct fe_c_var *v)
{
	return v->object ? v->object->name : v->name;
}

/* How often "name" stands between "t" and "end", not as a member. */
static int count_name(const struct fe_c_token *t,
	const struct fe_c_token *end, const char *name)
{
	int n = 0;

	for (; t < end; t++)
		n += is_name(t, name) && !fe_c_is(t - 1, ".") &&
			!fe_c_is(t - 1, "->");
	return n;
}

/* True if a declaration may begin behind the token. */
static bool is_stmt_end(const struct fe_c_token *t)
{
	return fe_c_is(t, "{") || fe_c_is(t, "}") || fe_c_is(t, ";") ||
		fe_c_is(t, ")") || t->kind == FE_C_SCOP;
}

/* The declarations in front of the region. Blocks that ended before it take
 * their names with them. Returns how many blocks are open at the region.
 */
static int outer_declarations(struct fe_c_parse *p, const struct fe_c_function *f)
{
	int depth = 0;

	for (p->t = f->body; p->t < f->scop;) {
		const struct fe_c_token *begin = p->t;

		if (fe_c_is(p->t, "{")) {
			p->depth++;
			depth++;
		} else if (fe_c_is(p->t, "}")) {
			while (p->names && p->names->depth >= p->depth)
				p->names = p->names->next;
			p->depth--;
			depth--;
		} else if (is_stmt_end(p->t - 1) && fe_c_is_type(p)) {
			fe_c_declaration(p);
			if (!p->bad && p->t <= f->scop)
				continue;
			p->bad = false;
			p->t = begin;
		}
		p->t++;
	}
	return depth;
}

/* "return e;" where nothing else is behind the region; else NULL. */
static const struct fe_c_token *last_return(const struct fe_c_function *f)
{
	const struct fe_c_token *t = f->endscop + 1, *found, *end;

	while (fe_c_is(t, ";"))
		t++;
	found = t;
	if (!fe_c_is(t, "return") || fe_c_is(t + 1, ";"))
		return NULL;
	while (t < f->end && !fe_c_is(t, ";"))
		t++;
	for (end = t; end < f->end; end++)
		if (!fe_c_is(end, ";") && !fe_c_is(end, "}"))
			return NULL;
	return found;
}

/* Decide for each variable in front of the region whether its value comes into
 * it and goes out of it, by the names in the text.
 */
static void judge_outer(struct fe_c_parse *p, const struct fe_c_function *f,
	const struct fe_c_var *globals, int depth)
{
	struct fe_c_var *v;

	for (v = p->c->var; v; v = v->next) {
		if (v->is_param || (globals && v->id <= globals->id)) {
			v->unset = false;
			continue;
		}
		if (depth > 1 || count_name(f->body, f->scop,
		    text_name(v)) > 1)
			v->unset = false;
		v->by_value = v->is_hidden = depth <= 1 &&
			!count_name(p->c->text.rest, f->end, text_name(v));
	}
}

/* True if "e" is made of parameters, and of variables whose values have come
 * to stand inside the region.
 */
static bool is_known(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_ELEMENT ||
	    (e->var && e->var->outer && !e->var->is_param))
		return false;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!is_known(e->arg[i]))
			return false;
	return true;
}

/* "v = init" */
static struct fe_c_stmt *initialise(struct fe_c_parse *p, struct fe_c_var *v)
{
	struct fe_c_stmt *s = fe_arena_alloc(&p->u->arena, sizeof(*s));

	s->kind = FE_C_ASSIGN;
	s->loc = v->loc;
	s->declares = true;
	s->right = v->init;
	s->left = fe_c_node(p, FE_C_VAR, v->type, &v->loc);
	s->left->var = v;
	s->left->index = fe_arena_alloc(&p->u->arena,
		sizeof(*s->left->index));
	return s;
}

/* True if the text uses "name" anywhere in the function. */
static bool is_used(const struct fe_c_function *f, const char *name)
{
	return count_name(f->body, f->end, name) > 0;
}

/* Put what is declared outside with known values inside: constants, and local
 * scalars that nothing else in front of the region or behind it uses. Returns
 * the statements that give the values.
 */
static struct fe_c_stmt *move_inside(struct fe_c_parse *p,
	const struct fe_c_function *f)
{
	struct fe_c_stmt *first = NULL, **last = &first;
	struct fe_c_var *v;

	for (v = p->c->var; v; v = v->next) {
		bool local = v->by_value && !v->is_param && f->scop &&
			count_name(f->body, f->scop, text_name(v)) == 1;

		if (!v->outer || (!v->is_const && !local) ||
		    !is_used(f, text_name(v)))
			continue;
		if (v->values)
			*last = v->values;
		else if (v->init && is_known(v->init))
			*last = initialise(p, v);
		else
			continue;
		v->outer = v->by_value = false;
		for (; *last; last = &(*last)->next)
			v->n_write++;
	}
	return first;
}

/* The statements of the nest, behind those that give values. */
static void parse_statements(struct fe_c_parse *p, const struct fe_c_function *f)
{
	struct fe_c_stmt **last;

	p->c->body = move_inside(p, f);
	for (last = &p->c->body; *last; last = &(*last)->next)
		;
	*last = fe_c_statements(p);
	fe_c_check_jumps(p);
}

/* ------------------------------------------------------- what options say */

/* Let the first extent of the array "n" be "e", of structures that of each
 * member.
 */
static void set_extent(const struct fe_c_name *n, struct fe_c_expr *e)
{
	int i;

	if (n->var)
		n->var->dim[0] = e;
	for (i = 0; !n->var && i < n->view->object->n_field; i++)
		n->view->object->field[i]->dim[0] = e;
}

/* Set the extent of the array that "text" names to the size behind its "=". */
static void state_extent(struct fe_c_parse *p, const char *text)
{
	struct fe_c_token *t = fe_c_lex(p->u, text, strlen(text), NULL, 0), *one;
	const struct fe_c_name *n = fe_c_find(p, t);
	struct fe_c_var *v = n ? n->var : NULL;
	struct fe_c_expr *e;

	if (n && n->view && n->view->object)
		v = n->view->object->field[0];
	if (!v || !v->n_dim || v->dim[0] || !fe_c_is(t + 1, "=")) {
		FE_REPORT(p->u, FE_C_STATED, v ? &v->loc : NULL, text,
			!v ? "there is no such array" : !v->n_dim ?
			"this is no array" : "this array has one");
		return;
	}
	for (one = t; one->kind != FE_C_END; one++)
		one->loc = v->loc;
	p->t = t + 2;
	p->quiet = true;
	e = fe_c_expression(p);
	p->quiet = p->bad = false;
	if (e && p->t->kind == FE_C_END && !poly_type_is_float(e->type))
		set_extent(n, e);
	else
		FE_REPORT(p->u, FE_C_STATED, &v->loc, text,
			"the size is no expression of sizes that the function "
			"has");
}

/* Do what the options say of arrays, whose names are known. */
static void state_extents(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	int i;

	for (i = 0; i < p->src->n_extent; i++)
		state_extent(p, p->src->extent[i]);
	p->t = t;
}

/* The variable in front of the region that counts behind it by its name. */
static bool keep_live(struct fe_c_parse *p, const char *name)
{
	struct fe_c_var *v;
	bool found = !strcmp(name, "all");

	for (v = p->c->var; v; v = v->next) {
		if (v->is_param || v->is_global || !v->outer ||
		    (strcmp(name, "all") ? strcmp(name, text_name(v)) &&
		    strcmp(name, v->name) : !v->n_dim))
			continue;
		v->by_value = false;
		found = true;
	}
	return found;
}

/* Do what --live-out says: these variables count behind the region. Names that
 * are none of a variable in front of it are reported with the nearest one.
 */
static void state_live(struct fe_c_parse *p)
{
	int i;

	for (i = 0; i < p->src->n_live_out; i++) {
		const char *name = p->src->live_out[i], *best = NULL;
		struct fe_suggest s = fe_suggest_begin(name, strlen(name));
		struct fe_c_var *v;

		if (keep_live(p, name))
			continue;
		for (v = p->c->var; v; v = v->next)
			if (v->outer && fe_suggest_try(&s, v->name))
				best = v->name;
		FE_REPORT(p->u, FE_C_LIVE_OUT, NULL, name,
			best ? "; did you mean " : "", best ? best : "");
	}
}

/* The variable that stands for what the function returns. */
static void add_result(struct fe_c_parse *p, const struct fe_c_function *f)
{
	struct fe_c_var *v = fe_c_add_var(p, "return", p->c->type,
		&f->name->loc);

	v->is_result = v->unset = true;
}

/* "return e;" behind the region, for an object that stands in the place of the
 * function.
 */
static void parse_return(struct fe_c_parse *p, const struct fe_c_function *f)
{
	struct fe_c_stmt **last;

	p->t = last_return(f);
	for (last = &p->c->body; *last; last = &(*last)->next)
		;
	*last = fe_c_statements(p);
}

/* Parse the region of "f". What stands in front of it is read without a word
 * about what cannot be used; by their names in the text it is known which of
 * these variables come in and go out.
 */
void fe_c_parse_region(struct fe_c_parse *p, const struct fe_c_function *f,
	const struct fe_c_var *globals)
{
	bool returns;
	int depth;

	if (!f->endscop || f->endscop < f->scop) {
		FE_C_ERROR(p, FE_C_REGION, &f->scop->loc, "it does not end");
		return;
	}
	p->quiet = true;
	depth = outer_declarations(p, f);
	p->quiet = p->bad = p->outer = false;
	returns = p->src->entry && p->c->returns && last_return(f);
	p->c->text.rest = returns ? f->end : f->endscop + 1;
	judge_outer(p, f, globals, depth);
	if (returns)
		add_result(p, f);
	state_extents(p);
	fe_c_limits(p, f);
	state_live(p);
	p->t = f->scop + 1;
	p->depth++;
	parse_statements(p, f);
	if (p->t != f->endscop && !fe_has_errors(p->u))
		fe_c_unexpected(p, "the end of the region");
	if (returns)
		parse_return(p, f);
}

/* --------------------------------------------------------------- function */

/* Parse the whole body of "f", which has no region. */
void fe_c_parse_body(struct fe_c_parse *p, const struct fe_c_function *f)
{
	struct fe_c_var *v;

	if (p->c->returns)
		add_result(p, f);
	p->outer = false;
	for (v = p->c->var; v; v = v->next)
		v->unset = v->is_result;
	state_extents(p);
	fe_c_limits(p, f);
	state_live(p);
	p->depth = 1;
	p->t = f->body + 1;
	parse_statements(p, f);
	if (p->t + 1 != f->end && !fe_has_errors(p->u))
		fe_c_unexpected(p, "'}'");
}
