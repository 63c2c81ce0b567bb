/* Pointers that walk along an array, as an array and a place in it:
 *
 *	float *p = a + k;		float *p_begin = a + k; long p = 0;
 *	*p++ = *p + p[2];		p_begin[p++] = p_begin[p] + (p_begin + p)[2];
 *	p += 3;				p += 3;
 *
 * The tokens are put together anew, each with the place that it had, so that nobody else
 * knows of this form. A pointer that is given another value, or whose address is taken,
 * stays, and is refused where it is read.
 */
#include <string.h>

#include "frontend/c/tree/tree.h"

/* Pointers of a file that are written so, at most. */
enum { MOST_WALKING = 64 };

/* Tokens that are being put together; "to" is NULL while they are counted. */
struct text {
	struct fe_c_token *to;
	int n;
};
/* The declaration [begin, name[2] ..] up to "end", its ";"; what stands in its block behind
 * it ends at "close". "base" is a name that the file does not have.
 */
struct walking {
	const struct fe_c_token *begin, *name, *end, *close;
	const char *base;
};

static void put(struct text *x, const struct fe_c_token *t, const struct fe_c_token *end)
{
	for (; t < end; t++, x->n++)
		if (x->to)
			x->to[x->n] = *t;
}

/* The word, number or sign "text" at the place of "t". */
static void put_text(struct text *x, const struct fe_c_token *t, const char *text,
	enum fe_c_token_kind kind)
{
	struct fe_c_token made = *t;

	made.kind = kind;
	made.text = text;
	made.len = (int)strlen(text);
	put(x, &made, &made + 1);
}

static bool is_name(const struct fe_c_token *t, const struct fe_c_token *name)
{
	return t->kind == FE_C_NAME && t->len == name->len &&
		!memcmp(t->text, name->text, (size_t)t->len) &&
		!fe_c_is(t - 1, ".") && !fe_c_is(t - 1, "->");
}

static bool is_step(const struct fe_c_token *t)
{
	return fe_c_is(t, "++") || fe_c_is(t, "--");
}

/* Behind which words "*" takes what a pointer points to. */
static bool is_no_type(const struct fe_c_token *t)
{
	return t->kind != FE_C_NAME || fe_c_is(t, "return") || fe_c_is(t, "else") ||
		fe_c_is(t, "do");
}

/* Does "*" at "star" take what the pointer at "name" points to, rather than multiply by one
 * of its elements, or declare it?
 */
static bool is_taken(const struct fe_c_token *star, const struct fe_c_token *name)
{
	bool declares = !is_no_type(star - 1) && (fe_c_is(name + 1, "=") ||
		fe_c_is(name + 1, ";") || fe_c_is(name + 1, ","));

	return fe_c_is(star, "*") && !fe_c_is(name + 1, "[") && !declares;
}

/* Is a pointer changed at "t" in a way that it may be? "*walks" is set; "fine" is not if it
 * is anything else than read.
 */
static bool is_fine(const struct fe_c_token *t, bool *walks)
{
	bool deref = is_taken(t - 1, t);

	if (is_step(t + 1) || is_step(t - 1)) {
		*walks = true;
		return !(is_step(t + 1) && is_step(t - 1));
	}
	if (deref)
		return true;
	if (fe_c_is(t + 1, "+=") || fe_c_is(t + 1, "-=")) {
		*walks = true;
		return fe_c_is(t - 1, ";") || fe_c_is(t - 1, "{") ||
			fe_c_is(t - 1, "}") || fe_c_is(t - 1, ")") ||
			fe_c_is(t - 1, ",");
	}
	return !fe_c_is(t - 1, "&") && is_no_type(t - 1) && !fe_c_is(t + 1, "=") &&
		(!fe_c_is(t - 1, "*") || fe_c_is(t + 1, "["));
}

/* Where the block around "t" ends. */
static const struct fe_c_token *close_around(const struct fe_c_token *t)
{
	int depth = 0;

	for (; t->kind != FE_C_END; t++) {
		depth += fe_c_is(t, "{") - fe_c_is(t, "}");
		if (depth < 0)
			return t;
	}
	return t;
}

/* Does a declaration of pointers begin at "t", and nothing else? */
static bool is_pointers(const struct fe_c_token *t)
{
	const struct fe_c_token *type = t;

	while (t->kind == FE_C_NAME && !is_no_type(t))
		t++;
	return t > type && fe_c_is(t, "*");
}

/* Is "name" a pointer that is declared with a value, perhaps among others? */
static bool is_declared(const struct fe_c_token *first, const struct fe_c_token *name,
	struct walking *w)
{
	const struct fe_c_token *t = name - 1;
	int depth = 0;

	if (name->kind != FE_C_NAME || !fe_c_is(name + 1, "=") || name - first < 3)
		return false;
	while (t > first && t->kind == FE_C_NAME)
		t--;
	if (!fe_c_is(t, "*"))
		return false;
	while (t > first && !fe_c_is(t, ";") && !fe_c_is(t, "{") && !fe_c_is(t, "}"))
		t--;
	*w = (struct walking){ t + 1, name, t + 1, NULL, NULL };
	for (; w->end->kind < FE_C_SCOP && !fe_c_is(w->end, ";"); w->end++) {
		depth += fe_c_is(w->end, "(") - fe_c_is(w->end, ")");
		if (fe_c_is(w->end, "{") || (w->end == name && depth))
			return false;
	}
	w->close = close_around(w->end);
	return t > first && is_pointers(w->begin) && fe_c_is(w->end, ";") &&
		fe_c_is(w->close, "}");
}

/* Does the pointer walk, and is nothing else done with it? */
static bool does_walk(struct fe_unit *u, const struct fe_c_token *first, struct walking *w)
{
	struct poly_str base = { 0 };
	const struct fe_c_token *t;
	bool walks = false;

	for (t = w->end; t < w->close; t++)
		if (is_name(t, w->name) && !is_fine(t, &walks))
			return false;
	if (!walks)
		return false;
	poly_str_printf(&base, "%.*s_begin", w->name->len, w->name->text);
	for (t = first; base.s && t->kind != FE_C_END; t++)
		if (fe_c_is(t, base.s))
			walks = false;
	w->base = base.s ? fe_arena_text(&u->arena, base.s, base.len) : NULL;
	poly_str_free(&base);
	return walks && w->base;
}

/* Write the use of the pointer at "t"; "*" in front of it, and of "++" there, has not been
 * written. Returns what follows.
 */
static const struct fe_c_token *write_use(struct text *x, const struct fe_c_token *t,
	const struct fe_c_token *name, const char *base, bool deref)
{
	const struct fe_c_token *end = t + 1;

	while (!is_name(end - 1, name))
		end++;
	if (end == t + 1 && is_step(end))
		end++;
	if (!deref && (end > t + 1 || fe_c_is(end, "+=") || fe_c_is(end, "-="))) {
		put(x, t, end);
		return end;
	}
	put_text(x, t, deref ? base : "(", deref ? FE_C_NAME : FE_C_MARK);
	if (!deref)
		put_text(x, t, base, FE_C_NAME);
	put_text(x, t, deref ? "[" : "+", FE_C_MARK);
	put(x, t, end);
	put_text(x, t, deref ? "]" : ")", FE_C_MARK);
	return end;
}

/* Write the whole file with the pointer of "w" as an array and a place. */
static void write_file(struct text *x, const struct fe_c_token *t, const struct walking *w)
{
	put(x, t, w->name);
	put_text(x, w->name, w->base, FE_C_NAME);
	put(x, w->name + 1, w->end + 1);
	put_text(x, w->name, "long", FE_C_NAME);
	put(x, w->name, w->name + 1);
	put_text(x, w->name, "=", FE_C_MARK);
	put_text(x, w->name, "0", FE_C_NUMBER);
	put(x, w->end, w->end + 1);
	for (t = w->end + 1; t < w->close; ) {
		bool star = fe_c_is(t, "*");
		const struct fe_c_token *use = t + star, *name = use + is_step(use);

		if (is_name(name, w->name) && (!star || is_taken(t, name)))
			t = write_use(x, use, w->name, w->base, star);
		else
			put(x, t, t + 1), t++;
	}
	while (t->kind != FE_C_END)
		put(x, t, t + 1), t++;
	put(x, t, t + 1);
}

struct fe_c_token *fe_c_walking(struct fe_unit *u, struct fe_c_token *token)
{
	struct walking w;
	int n = 0;

	for (struct fe_c_token *t = token; t->kind != FE_C_END && n < MOST_WALKING; t++) {
		struct text x = { 0 };
		int at = (int)(t - token);

		if (!is_declared(token, t, &w) || !does_walk(u, token, &w))
			continue;
		write_file(&x, token, &w);
		x.to = fe_arena_alloc(&u->arena, (size_t)x.n * sizeof(*x.to));
		x.n = 0;
		write_file(&x, token, &w);
		token = x.to;
		t = token + at;
		n++;
	}
	return token;
}
