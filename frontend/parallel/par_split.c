/* Data-parallel functions that stand among other definitions.
 *
 * An item that begins "type name(..) {", or "struct name {", is taken out of the
 * text; what is left is read as before. A call of such a function in index notation
 * has the function's value in its place.
 *
 * Why by hand and not by the grammar: the text around is of another notation,
 * with other tokens. Only heads of items are looked at, so that a definition
 * like a(i) = {..} is none.
 */
#include <ctype.h>
#include <string.h>

#include "frontend/parallel/par_eval.h"

/* Past space and comments.
 *
 * Ends when nothing more is skipped.
 */
static const char *skip_space(const char *p, const char *end)
{
	const char *from = NULL;

	while (p < end && p != from) {
		from = p;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p < end)
			p = fe_skip_comment(p, end);
	}
	return p;
}

/* Past a name at "p", and the space behind it; NULL: there is none.
 *
 * Returns what is behind the space.
 */
static const char *skip_name(const char *p, const char *end)
{
	if (p == end || (!isalpha((unsigned char)*p) && *p != '_'))
		return NULL;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return skip_space(p, end);
}

/* Past the brackets that open at "p", of any kinds.
 *
 * Comments within are skipped. Unbalanced brackets end at the end of the text,
 * and the parser reports them.
 */
static const char *skip_brackets(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		const char *behind = fe_skip_comment(p, end);

		if (behind != p) {
			p = behind - 1;
			continue;
		}
		depth += *p == '(' || *p == '{' || *p == '[';
		if ((*p == ')' || *p == '}' || *p == ']') && --depth <= 0)
			return p + 1;
	}
	return end;
}

/* Does "word" stand at "p"?
 *
 * Not as a part of a longer word.
 */
static bool at_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) > n && !memcmp(p, word, n) &&
		!isalnum((unsigned char)p[n]) && p[n] != '_';
}

/* Past the function or structure that begins at "p"; NULL if none does. "out" begins
 * a definition.
 *
 * type [] .. name ( .. ) {, or struct name {.
 */
static const char *skip_item(const char *p, const char *end)
{
	bool record = at_word(p, end, "struct");

	p = at_word(p, end, "out") ? NULL : skip_name(p, end);
	while (p && p + 1 < end && *p == '[') {
		p = skip_space(p + 1, end);
		p = p < end && *p == ']' ? skip_space(p + 1, end) : NULL;
	}
	p = p ? skip_name(p, end) : NULL;
	if (!p || p == end)
		return NULL;
	if (!record) {
		if (*p != '(')
			return NULL;
		p = skip_space(skip_brackets(p, end), end);
	}
	if (p == end || *p != '{')
		return NULL;
	p = skip_space(skip_brackets(p, end), end);
	return record && p < end && *p == ';' ? p + 1 : p;
}

/* Past the item of any other kind that begins at "p": its semicolon.
 *
 * The end of the text if there is none.
 */
static const char *skip_other(const char *p, const char *end)
{
	while (p < end && *p != ';') {
		const char *behind = fe_skip_comment(p, end);

		if (behind != p)
			p = behind;
		else if (*p == '(' || *p == '{' || *p == '[')
			p = skip_brackets(p, end);
		else
			p++;
	}
	return p < end ? p + 1 : end;
}

/* Make the text blank, but keep its lines and columns.
 *
 * So that places in messages stay right.
 */
static void blank(char *from, const char *to)
{
	for (; from < to; from++)
		if (*from != '\n' && *from != '\t')
			*from = ' ';
}

/* The functions of the text, which nothing else may have the names of.
 *
 * A function of the text is a name of the unit.
 */
static void declare_all(struct fe_unit *u)
{
	struct fe_par_function *f;

	for (f = u->functions->function; f; f = f->next) {
		if (fe_par_has_meaning(f->symbol))
			FE_REPORT(u, FE_FUNCTION_NAME, &f->loc,
				f->symbol->name);
		else if (!fe_has_errors(u))
			fe_declare(u, f->symbol, &f->loc);
	}
}

/* Two texts of the same length: "alone" has functions only, "rest" everything
 * else. Each is lexed by its own lexer.
 */
void fe_par_split(struct fe_unit *u)
{
	const char *text = u->text, *end = text + u->len, *p, *next;
	const char *last = text;
	char *rest = NULL, *alone = NULL;

	for (p = skip_space(text, end); p < end; p = skip_space(next, end)) {
		next = skip_item(p, end);
		if (!next) {
			next = skip_other(p, end);
			continue;
		}
		if (!rest) {
			rest = fe_arena_text(&u->arena, text, u->len);
			alone = fe_arena_text(&u->arena, text, u->len);
		}
		blank(alone + (last - text), alone + (p - text));
		blank(rest + (p - text), rest + (next - text));
		last = next;
	}
	if (!rest)
		return;
	blank(alone + (last - text), alone + u->len);
	u->text = alone;
	u->functions = fe_par_parse(u, fe_par_lex(u));
	u->text = rest;
	if (!fe_has_errors(u))
		fe_par_check(u, u->functions);
	declare_all(u);
	u->inline_call = fe_par_inline;
}

/* ------------------------------------------------------------------- calls */

/* The argument "e" as a value of the parameter "v", whose type it must have.
 *
 * Stops for arrays and structures. The argument's expression becomes data,
 * converted to the parameter's type.
 */
static struct fe_par_value argument(struct fe_par *p, struct fe_scalar *e,
	const struct fe_par_var *v)
{
	struct fe_par_value value = { .type = v->type };
	struct fe_par_scalar *a = fe_arena_alloc(&p->unit->arena, sizeof(*a));
	struct fe_scalar *cast = fe_scalar_new(p->unit, FE_S_CAST, &e->loc);

	if (v->type.rank || v->type.record) {
		FE_REPORT(p->unit, FE_PAR_YET, &e->loc, v->symbol->name,
			"definitions give functions numbers alone");
		fe_par_stop(p);
	}
	cast->type = v->type.base;
	cast->given = true;
	cast->arg[0] = e;
	cast->n_arg = 1;
	cast->depth = e->depth + 1;
	a->type = v->type.base;
	a->data = cast;
	a->size = 1;
	value.scalar = a;
	return value;
}

/* The value of "f" for the arguments of "e".
 *
 * As if the body stood in its place.
 */
static const struct fe_par_scalar *evaluate(struct fe_par *p,
	struct fe_par_function *f, const struct fe_scalar *e)
{
	struct fe_par_value arg[FE_MAX_RANK];
	const struct fe_par_callee callee = { .kind = FE_PAR_C_FUNCTION,
		.function = f, .n_arg = f->n_param };
	const struct fe_par_var *v = f->param;
	int i;

	if (f->type.rank || f->type.record) {
		FE_REPORT(p->unit, FE_PAR_YET, &e->loc, f->symbol->name,
			"definitions take numbers alone from functions");
		fe_par_stop(p);
	}
	for (i = 0; i < e->n_arg; i++, v = v->next)
		arg[i] = argument(p, e->arg[i], v);
	return fe_par_apply(p, &callee, arg, e->n_arg, &e->loc).scalar;
}

/* The same, or NULL, having reported.
 *
 * Lets fe_par_stop come back here.
 */
static const struct fe_par_scalar *try(struct fe_par *p,
	struct fe_par_function *f, const struct fe_scalar *e)
{
	if (setjmp(p->stop))
		return NULL;
	return evaluate(p, f, e);
}

/* The call "e" of index notation, replaced by what the function computes; "e"
 * itself if it is no call of such. Called for each call while names are
 * checked.
 */
struct fe_scalar *fe_par_inline(struct fe_unit *u, struct fe_scalar *e)
{
	struct fe_par *p;
	struct fe_par_function *f;
	const struct fe_par_scalar *value;

	for (f = u->functions->function; f; f = f->next)
		if (f->symbol == e->symbol)
			break;
	if (!f || fe_has_errors(u))
		return e;
	if (e->n_arg != f->n_param) {
		FE_REPORT(u, FE_ARGUMENTS, &e->loc, f->symbol->name, f->n_param,
			f->n_param == 1 ? "" : "s", e->n_arg, "");
		return NULL;
	}
	p = fe_arena_alloc(&u->arena, sizeof(*p));
	p->unit = u;
	p->need_tail = &p->need;
	p->tensor_tail = &p->tensor;
	p->plain = true;
	value = try(p, f, e);
	return value ? fe_scalar_copy(p->unit, value->data, NULL, NULL) : NULL;
}
