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

/* --------------------------------------------------------------- function */

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
		fe_c_parse_region(&p, f, globals);
	else
		fe_c_parse_body(&p, f);
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
