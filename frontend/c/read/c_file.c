/* A file of C: which function is meant, and what is declared around it.
 *
 * The file is scanned by brackets: whatever is neither a declaration that can
 * be used nor the function is passed over, so that headers may hold what they
 * like. The function is the one that is named, or the one with a region
 * between "#pragma scop" and "#pragma endscop", or the only one with a loop,
 * or of several the one that no other of them calls, or the only one at all.
 * Of a function with a region only the region is compiled; what is declared in
 * front of it comes from outside. A region may stand outside of all functions,
 * too.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* A declaration or a function between "begin" and "end". */
struct item {
	const struct fe_c_token *begin, *end;
	const struct fe_c_token *call;	/* first bracket behind a name */
	const struct fe_c_token *body;	/* of a function, or NULL */
	const struct fe_c_token *old_body;	/* the same, behind types */
	const struct fe_c_token *loop;	/* the first outside of functions */
};

/* --------------------------------------------------------------- scanning */

/* A name in front of a bracket that is no function's. */
static bool is_decoration(const struct fe_c_token *t)
{
	static const char *const word[] = {
		"__attribute__", "__attribute", "__asm__", "asm", "__asm",
		"_Alignas", "__typeof__", "_Static_assert", "__declspec",
		"for", "while", "if", "switch", "return", "sizeof",
	};
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (fe_c_is(t, word[i]))
			return true;
	return t->kind != FE_C_NAME;
}

/* The item that begins at "t". */
static struct item scan_item(const struct fe_c_token *t)
{
	struct item it = { .begin = t };
	bool value = false;

	while (t->kind < FE_C_SCOP && !fe_c_is(t, ";")) {
		if (fe_c_is(t, "for") && t->loc.line && !it.loop)
			it.loop = t;
		if (fe_c_is(t, "=")) {
			value = true;
		} else if (fe_c_is(t, "(")) {
			if (!it.call && t > it.begin && !is_decoration(t - 1)) {
				it.call = t;
				it.old_body = fe_c_old_style(t);
			}
			t = it.old_body ? it.old_body : fe_c_skip(t);
			continue;
		} else if (fe_c_is(t, "{") && it.call && !value) {
			it.body = t;
			it.end = fe_c_skip(t);
			return it;
		} else if (fe_c_is(t, "{") || fe_c_is(t, "[")) {
			t = fe_c_skip(t);
			continue;
		}
		t++;
	}
	it.end = t->kind < FE_C_SCOP ? t + 1 : t;
	return it;
}

/* The function that "it" is, with the region in its body if there is one. Loops
 * from headers do not count: their tokens have line 0.
 */
static struct fe_c_function *add_function(struct fe_unit *u, const struct item *it)
{
	struct fe_c_function *f = fe_arena_alloc(&u->arena, sizeof(*f));
	const struct fe_c_token *t;

	f->begin = it->begin;
	f->name = it->call - 1;
	f->is_old = it->old_body != NULL;
	f->params = f->is_old ? fe_c_new_style(u, it->call, it->body) :
		it->call + 1;
	f->body = it->body;
	f->end = it->end;
	for (t = f->body; t < f->end; t++) {
		f->has_loop |= fe_c_is(t, "for") && t->loc.line;
		if (t->kind == FE_C_SCOP) {
			if (f->scop)
				FE_REPORT(u, FE_C_REGION, &t->loc,
					"there is another one in this "
					"function");
			f->scop = t;
		}
		if (t->kind == FE_C_ENDSCOP)
			f->endscop = t;
	}
	return f;
}

/* The region that begins at "t", outside of all functions. */
static struct fe_c_function *add_region(struct fe_unit *u,
	const struct fe_c_token *t)
{
	struct fe_c_function *f = fe_arena_alloc(&u->arena, sizeof(*f));

	f->begin = f->name = f->body = f->scop = t;
	for (t++; t->kind < FE_C_SCOP; t++)
		;
	f->endscop = t->kind == FE_C_ENDSCOP ? t : NULL;
	f->end = f->endscop ? t + 1 : t;
	f->is_bare = true;
	return f;
}

/* --------------------------------------------------------------- choosing */

/* True if another function with a loop, other than main, calls "f". */
static bool is_called(const struct fe_c_function *first,
	const struct fe_c_function *f)
{
	const struct fe_c_function *by;
	const struct fe_c_token *t;

	for (by = first; by; by = by->next) {
		if (by == f || !by->has_loop || fe_c_is(by->name, "main"))
			continue;
		for (t = by->body; t < by->end; t++)
			if (t->kind == FE_C_NAME && t->len == f->name->len &&
			    !memcmp(t->text, f->name->text, (size_t)t->len) &&
			    fe_c_is(t + 1, "("))
				return true;
	}
	return false;
}

/* Whether "f" is the function "name", or how = 0: has a region, 1: a loop,
 * 2: a loop, and no other with one calls it, and it is not main, 3: any.
 */
static bool is_meant(const struct fe_c_function *first,
	const struct fe_c_function *f, const char *name, int how)
{
	if (!f->name->loc.line)
		return false;
	if (name)
		return (size_t)f->name->len == strlen(name) &&
			!memcmp(f->name->text, name, strlen(name));
	if (how == 2 && (fe_c_is(f->name, "main") || is_called(first, f)))
		return false;
	return how == 3 || (how == 0 ? f->scop != NULL : f->has_loop);
}

/* Report that no function is meant, or that one of "n" should be chosen. */
static void complain(struct fe_unit *u, struct fe_c_function *first,
	const char *name, int n, const struct fe_c_function *last)
{
	const struct poly_loc begin = { 1, 1, 1 };
	const char *best;

	if (name && !n) {
		struct fe_suggest s = fe_suggest_begin(name, strlen(name));

		best = fe_c_nearest_function(u, &s, first);
		FE_REPORT(u, FE_C_NO_FUNCTION, NULL, name,
			best ? "; did you mean " : "", best ? best : "");
	} else if (!n) {
		FE_REPORT(u, FE_C_EMPTY, &begin);
	} else if (name || last->has_loop || last->scop) {
		FE_REPORT(u, FE_C_FUNCTIONS, &last->name->loc, n);
	} else {
		FE_REPORT(u, FE_C_NO_LOOP, &last->name->loc, n);
	}
}

/* The function that is meant, or NULL, having reported why. */
static struct fe_c_function *choose(struct fe_unit *u, struct fe_c_function *first,
	const char *name)
{
	struct fe_c_function *f, *found = NULL;
	int how, n = 0, most = 0;

	for (how = 0; how < 4 && (n == 0 || (n > 1 && how == 2)) &&
	     !(how == 3 && most); how++) {
		for (f = first, n = 0; f; f = f->next)
			if (is_meant(first, f, name, how)) {
				found = f;
				n++;
			}
		most = n > most ? n : most;
	}
	if (n == 1)
		return found;
	complain(u, first, name, n ? n : most, found);
	return NULL;
}

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
static void parse_region(struct fe_c_parse *p, const struct fe_c_function *f,
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
static void parse_body(struct fe_c_parse *p, const struct fe_c_function *f)
{
	struct fe_c_var *v;

	if (p->c->returns)
		add_result(p, f);
	p->outer = false;
	for (v = p->c->var; v; v = v->next)
		v->unset = v->is_result;
	state_extents(p);
	state_live(p);
	p->depth = 1;
	p->t = f->body + 1;
	parse_statements(p, f);
	if (p->t + 1 != f->end && !fe_has_errors(p->u))
		fe_c_unexpected(p, "'}'");
}

/* Everything outside of functions from "t" up to "end", or to the end of the file:
 * types, constants, globals.
 */
static void parse_globals(struct fe_c_parse *p, const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	p->quiet = true;
	while (t != end && t->kind != FE_C_END) {
		struct item it = scan_item(t);

		p->t = it.begin;
		if (!it.body)
			fe_c_declaration(p);
		p->bad = false;
		p->nesting = 0;
		t = it.end;
	}
	p->quiet = false;
}

/* What stands in front of the function's body. */
static void parse_head(struct fe_c_parse *p, const struct fe_c_function *f)
{
	p->c->is_old = f->is_old;
	p->t = f->begin;
	p->quiet = true;
	fe_c_return_type(p);
	p->quiet = p->bad = false;
	fe_c_prototype(p);
	p->t = f->params;
	fe_c_params(p);
}

/* The function, as "caller" calls it: the tree is its text, and what is outside are
 * the caller's variables.
 */
static void parse_call(struct fe_unit *u, const struct fe_c_token *token,
	const struct fe_c_function *f, const struct fe_c_caller *caller)
{
	struct fe_how none = { 0 };
	struct fe_c_parse p = { .u = u, .c = u->c, .src = &none,
		.outer = true };
	struct fe_c_token *at = fe_arena_alloc(&u->arena, sizeof(*at));
	struct fe_c_given *given;

	*at = *f->name;
	at->loc = *caller->loc;
	u->c->text.begin = at;
	parse_globals(&p, token, NULL);
	p.file_names = p.names;
	given = fe_arena_alloc(&u->arena,
		((size_t)caller->n + 1) * sizeof(*given));
	caller->give(&p, given, caller->user);
	p.outer = false;
	p.depth = 1;
	if (!p.bad)
		u->c->body = fe_c_run_given(&p, f, at, given, caller->n);
}

/* Parse the declarations in front of "f", its head, and its region or body. */
static void parse_function(struct fe_unit *u, const struct fe_c_token *token,
	const struct fe_c_function *f, const struct fe_how *src)
{
	struct fe_c_parse p = { .u = u, .c = u->c, .src = src, .outer = true };
	struct fe_c_var *v, *globals = NULL;

	u->c->text = (struct fe_c_text) { f->begin, f->body, f->scop,
		f->end, f->end };
	if (!f->is_bare)
		u->c->function = fe_arena_text(&u->arena, f->name->text,
			(size_t)f->name->len);
	parse_globals(&p, token, f->begin);
	for (v = u->c->var; v; v = v->next) {
		globals = v;
		v->is_global = true;
	}
	p.file_names = p.names;
	p.function = f;
	if (!f->is_bare)
		parse_head(&p, f);
	if (p.bad)
		return;
	if (f->scop)
		parse_region(&p, f, globals);
	else
		parse_body(&p, f);
}

/* In a file of nests, complain about "it", which is nothing that can be used. */
static void check_stray(struct fe_unit *u, const struct item *it)
{
	struct fe_c_parse p = { .u = u, .c = u->c, .t = it->begin };

	if (it->begin->loc.line && !fe_c_is(it->begin, ";"))
		fe_c_unexpected(&p, "a nest");
}

/* Complain about a loop in "it", which is no function. */
static void check_loop(struct fe_unit *u, const struct item *it)
{
	if (it->loop)
		FE_REPORT(u, FE_C_STRAY, &it->loop->loc);
}

/* Find the functions; returns the region outside of them, or NULL. */
static struct fe_c_function *scan(struct fe_unit *u,
	const struct fe_c_token *t, bool nests)
{
	struct fe_c_function **last = &u->c->functions, *region = NULL;

	while (t->kind != FE_C_END) {
		struct item it = { .begin = t, .end = t + 1 };

		if (t->kind == FE_C_SCOP) {
			if (region)
				FE_REPORT(u, FE_C_REGION, &t->loc,
					"there is another one in this file");
			region = add_region(u, t);
			it.end = region->end;
		} else if (t->kind == FE_C_ENDSCOP) {
			FE_REPORT(u, FE_C_REGION, &t->loc,
				"it does not begin");
		} else {
			it = scan_item(t);
		}
		if (it.body) {
			*last = add_function(u, &it);
			last = &(*last)->next;
		} else if (nests) {
			check_stray(u, &it);
		} else {
			check_loop(u, &it);
		}
		t = it.end;
	}
	return region;
}

void fe_c_file(struct fe_unit *u, const struct fe_c_token *token,
	const struct fe_how *src)
{
	struct fe_c_function *region = scan(u, token, src->nests), *f;

	if (fe_has_errors(u))
		return;
	f = region && !src->function ? region :
		choose(u, u->c->functions, src->function);
	if (f && src->caller)
		parse_call(u, token, f, src->caller);
	else if (f)
		parse_function(u, token, f, src);
}
