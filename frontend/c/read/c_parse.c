/* What all parsers of C share: tokens, errors, names in scope.
 *
 * The parser's state, struct fe_c_parse, is one for a file. p->t is the next
 * token; the last token is FE_C_END and is never passed. After an error p->bad
 * is set, and further messages are kept back until the statement ends.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* By its text; words and marks alike. */
bool fe_c_accept(struct fe_c_parse *p, const char *text)
{
	if (!fe_c_is(p->t, text))
		return false;
	p->t++;
	return true;
}

/* True for "=", "+=", "++" and so on.
 *
 * Comparisons end in "=" as well.
 */
bool fe_c_has_effect(const struct fe_c_token *t)
{
	return t->kind == FE_C_MARK && (fe_c_is(t, "++") ||
		fe_c_is(t, "--") || (t->text[t->len - 1] == '=' &&
		!fe_c_is(t, "==") && !fe_c_is(t, "!=") &&
		!fe_c_is(t, "<=") && !fe_c_is(t, ">=")));
}

/* Report that "wanted" should stand where the token is.
 *
 * An assignment within an expression has a message of its own.
 */
void fe_c_unexpected(struct fe_c_parse *p, const char *wanted)
{
	char found[40];
	const struct fe_c_token *t = p->t;

	if (fe_c_has_effect(t)) {
		FE_C_ERROR(p, FE_C_EFFECT, &t->loc);
		return;
	}
	if (t->kind == FE_C_END)
		strcpy(found, "the end of the file");
	else if (t->kind == FE_C_ENDSCOP || t->kind == FE_C_SCOP)
		strcpy(found, "the end of the region");
	else
		snprintf(found, sizeof(found), "'%.*s'",
			t->len < 32 ? t->len : 32, t->text);
	FE_C_ERROR(p, FE_EXPECTED, &t->loc, wanted, found, "");
}

/* False, having reported. */
bool fe_c_expect(struct fe_c_parse *p, const char *text)
{
	char wanted[16];

	if (fe_c_accept(p, text))
		return true;
	snprintf(wanted, sizeof(wanted), "'%s'", text);
	fe_c_unexpected(p, wanted);
	return false;
}

/* Each needs its fe_c_leave, even if it fails. */
bool fe_c_enter(struct fe_c_parse *p)
{
	if (++p->nesting <= FE_C_MAX_NEST)
		return true;
	FE_C_ERROR(p, FE_C_NESTING, &p->t->loc, FE_C_MAX_NEST);
	return false;
}

void fe_c_leave(struct fe_c_parse *p)
{
	p->nesting--;
}

/* "t" is an opening bracket; all kinds are counted together, as the compiler
 * has matched them. The end of the file, if none closes.
 */
const struct fe_c_token *fe_c_skip(const struct fe_c_token *t)
{
	int depth = 0;

	for (; t->kind != FE_C_END; t++) {
		if (t->kind != FE_C_MARK)
			continue;
		if (t->len == 1 && strchr("([{", *t->text))
			depth++;
		else if (t->len == 1 && strchr(")]}", *t->text) && !--depth)
			return t + 1;
	}
	return t;
}

/* From the beginning of "a" to the end of "b", as far as that is one line.
 *
 * For messages, which underline a part of one line.
 */
struct poly_loc fe_c_span(const struct poly_loc *a, const struct poly_loc *b)
{
	struct poly_loc loc = *a;

	if (a->line == b->line && b->col + b->len > a->col + a->len)
		loc.len = b->col + b->len - a->col;
	return loc;
}

/* The newest thing that the name stands for, or NULL.
 *
 * Scopes are a list with the newest first; tags are others' names.
 */
struct fe_c_name *fe_c_find(struct fe_c_parse *p, const struct fe_c_token *t)
{
	struct fe_c_name *n;

	for (n = p->names; n; n = n->next)
		if (!n->is_tag && n->len == t->len &&
		    !memcmp(n->text, t->text, (size_t)t->len))
			return n;
	return NULL;
}

/* The usable name in scope that is most like the token, or NULL. Short names are
 * all alike.
 *
 * Types and what cannot be used are not suggested.
 */
static const char *nearest(struct fe_c_parse *p, const struct fe_c_token *t)
{
	struct fe_suggest s = fe_suggest_begin(t->text, (size_t)t->len);
	const char *best = NULL, *text;
	const struct fe_c_name *n;

	for (n = t->len < 3 ? NULL : p->names; n; n = n->next) {
		if (n->is_type || n->is_tag || n->bad)
			continue;
		text = fe_arena_text(&p->u->arena, n->text, (size_t)n->len);
		if (fe_suggest_try(&s, text))
			best = text;
	}
	return best;
}

/* Is it what CUDA calls the place of a thread? */
static bool is_of_cuda(const struct fe_c_token *t)
{
	static const char *const word[] = { "threadIdx", "blockIdx", "blockDim",
		"gridDim" };

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if ((size_t)t->len == strlen(word[i]) &&
		    !memcmp(t->text, word[i], (size_t)t->len))
			return true;
	return false;
}

/* At the place of the token. */
void fe_c_undeclared(struct fe_c_parse *p, const struct fe_c_token *t)
{
	const char *best = nearest(p, t);

	if (is_of_cuda(t))
		FE_C_ERROR(p, FE_C_UNDECLARED, &t->loc, t->len, t->text, "; loops "
			"become threads and blocks by themselves", "");
	else
		FE_C_ERROR(p, FE_C_UNDECLARED, &t->loc, t->len, t->text,
			best ? "; did you mean " : "", best ? best : "");
}

/* A new meaning of the name, in the innermost block.
 *
 * NULL, reported, if the block has one of that name. At the outermost level C
 * allows declarations again.
 */
struct fe_c_name *fe_c_bind(struct fe_c_parse *p, const struct fe_c_token *t)
{
	struct fe_c_name *n = fe_c_find(p, t);

	if (n && n->depth == p->depth && !p->outer && !p->quiet) {
		FE_C_ERROR(p, FE_C_TWICE, &t->loc, t->len, t->text);
		return NULL;
	}
	n = fe_arena_alloc(&p->u->arena, sizeof(*n));
	n->text = t->text;
	n->len = t->len;
	n->depth = p->depth;
	n->next = p->names;
	p->names = n;
	return n;
}
