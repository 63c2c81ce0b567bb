/* Loops by "while" and "do" that count, as "for" has them:
 *
 *	while (i < n) { A; i++; }	for (; i < n; i++) { A; }
 *	do { A; i++; } while (i < n);	{ { A; i++; } for (; i < n; i++) { A; } }
 *	while (n-- > 0) A;		for (; n-- > 0;) A;
 *	while (1) { A; }		for (;;) { A; }
 *	do { A; } while (0);		{ A; }
 *
 * The tokens are put together anew, each with the place that it had, so that nobody else
 * knows of these forms. What is none of them stays, and is refused where it is read.
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* How deep "do" may stand in "do": the text of each is read twice. */
enum { MOST_DEEP = 4 };

/* Tokens that are being put together; "to" is NULL while they are counted. */
struct list {
	struct fe_c_token *to;
	int n, deep;
};
/* A statement "i++" or the like at the end of a block: its tokens, "[begin, end)", without
 * ";", the name of what it changes, and of what it adds, or NULL.
 */
struct step {
	const struct fe_c_token *begin, *end, *name, *by;
};

static void add(struct list *l, const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	for (; t < end; t++, l->n++)
		if (l->to)
			l->to[l->n] = *t;
}

/* The word or sign "text" at the place of "t". */
static void add_text(struct list *l, const struct fe_c_token *t,
	const char *text)
{
	struct fe_c_token made = *t;

	made.kind = text[0] >= 'a' && text[0] <= 'z' ? FE_C_NAME : FE_C_MARK;
	made.text = text;
	made.len = (int)strlen(text);
	add(l, &made, &made + 1);
}

static bool is_same(const struct fe_c_token *a, const struct fe_c_token *b)
{
	return a->kind == b->kind && a->len == b->len &&
		!memcmp(a->text, b->text, (size_t)a->len);
}

/* Are the tokens from "(" on a condition that is the digit "digit"? */
static bool is_digit(const struct fe_c_token *open, char digit)
{
	return open[1].kind == FE_C_NUMBER && open[1].len == 1 &&
		*open[1].text == digit && fe_c_is(open + 2, ")");
}

/* How often "name" stands in [t, end). */
static int count(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name)
{
	int n = 0;

	for (; t < end; t++)
		n += is_same(t, name);
	return n;
}

/* Behind the bracket that closes the one at "t"; NULL if none does. */
static const struct fe_c_token *close_of(const struct fe_c_token *t)
{
	const struct fe_c_token *end = fe_c_skip(t);

	return fe_c_is(end - 1, fe_c_is(t, "(") ? ")" : "}") && end - 1 > t ?
		end : NULL;
}

/* Does the statement from "t" to ";" declare "name"? Values of other names do not. */
static bool declares(const struct fe_c_token *t, const struct fe_c_token *end,
	const struct fe_c_token *name)
{
	bool in_value = false;

	if (t->kind != FE_C_NAME || fe_c_is(t, "return") ||
	    fe_c_is(t, "else") || fe_c_is(t, "goto") || fe_c_is(t, "case") ||
	    (t[1].kind != FE_C_NAME && !fe_c_is(t + 1, "*")))
		return false;
	for (t++; t < end && !fe_c_is(t, ";"); t++) {
		if (is_same(t, name) && !in_value)
			return true;
		if (fe_c_is(t, "=") || fe_c_is(t, ","))
			in_value = fe_c_is(t, "=");
		if (fe_c_is(t, "(") || fe_c_is(t, "["))
			t = fe_c_skip(t) - 1;
	}
	return false;
}

/* Does a statement of the block [open, end) declare "name"? */
static bool hides(const struct fe_c_token *open, const struct fe_c_token *end,
	const struct fe_c_token *name)
{
	for (const struct fe_c_token *t = open; t < end; t++)
		if ((fe_c_is(t, ";") || fe_c_is(t, "{") || fe_c_is(t, "}") ||
		     (fe_c_is(t, "(") && t > open && fe_c_is(t - 1, "for"))) &&
		    declares(t + 1, end, name))
			return true;
	return false;
}

/* Does "word" stand in [t, end) outside of the blocks of other loops and, with
 * "switches", of switches?
 */
static bool has_word(const struct fe_c_token *t, const struct fe_c_token *end,
	const char *word, bool switches)
{
	while (t < end) {
		const struct fe_c_token *in = t + 1;

		if (fe_c_is(t, word))
			return true;
		if ((fe_c_is(t, "for") || fe_c_is(t, "while") ||
		     (switches && fe_c_is(t, "switch"))) && fe_c_is(in, "("))
			in = fe_c_skip(in);
		else if (!fe_c_is(t, "do"))
			in = NULL;
		t = in && fe_c_is(in, "{") ? fe_c_skip(in) : t + 1;
	}
	return false;
}

/* Is "t" one of the marks of "list", which NULL ends? */
static bool is_one_of(const struct fe_c_token *t, const char *const *list)
{
	while (*list && !fe_c_is(t, *list))
		list++;
	return *list;
}

/* Read the step that is the last statement of the block "open", which ends at "end", in
 * one of the forms i++, ++i, i += 2 and i = i + 2, and with other operators.
 */
static bool find_step(const struct fe_c_token *open,
	const struct fe_c_token *end, struct step *s)
{
	static const char *const assigning[] = { "+=", "-=", "*=", "/=", "<<=",
		">>=", NULL };
	static const char *const operators[] = { "+", "-", "*", "/", "<<",
		">>", NULL };
	const struct fe_c_token *t = end - 2;
	int n;

	*s = (struct step) { .end = t };
	if (t <= open || !fe_c_is(t, ";"))
		return false;
	for (t--; t > open && !fe_c_is_between(t); t--)
		;
	s->begin = t + 1;
	n = (int)(s->end - s->begin);
	t = s->begin;
	s->name = n == 2 && t->kind != FE_C_NAME ? t + 1 : t;
	if (s->name->kind != FE_C_NAME || fe_c_is(t - 1, ":"))
		return false;
	if (n == 2)
		return fe_c_is(t, "++") || fe_c_is(t, "--") ||
			fe_c_is(t + 1, "++") || fe_c_is(t + 1, "--");
	s->by = s->end - 1;
	if (s->by->kind != FE_C_NAME && s->by->kind != FE_C_NUMBER)
		return false;
	return n == 3 ? is_one_of(t + 1, assigning) : n == 5 &&
		fe_c_is(t + 1, "=") && is_same(t + 2, t) &&
		is_one_of(t + 3, operators);
}

/* Does the block [open, end) end in a step of what the condition [cond, cond_end) asks
 * for, which may as well stand in the head of a loop?
 */
static bool counts(const struct fe_c_token *open, const struct fe_c_token *end,
	const struct fe_c_token *cond, const struct fe_c_token *cond_end,
	struct step *s)
{
	return find_step(open, end, s) && count(cond, cond_end, s->name) &&
		!has_word(open, s->begin, "continue", false) &&
		!has_word(open, s->begin, "goto", false) &&
		!hides(open, end, s->name) &&
		(!s->by || s->by->kind == FE_C_NUMBER ||
		 !count(open, s->begin, s->by));
}

static void write(struct list *l, const struct fe_c_token *t,
	const struct fe_c_token *end);

/* "for (; cond; step) {body}" of the block [open, end). */
static void write_for(struct list *l, const struct fe_c_token *at,
	const struct fe_c_token *cond, const struct fe_c_token *open,
	const struct fe_c_token *end, const struct step *s)
{
	add_text(l, at, "for");
	add(l, cond, cond + 1);
	add_text(l, cond, ";");
	add(l, cond + 1, fe_c_skip(cond) - 1);
	add_text(l, fe_c_skip(cond) - 1, ";");
	add(l, s->begin, s->end);
	add(l, fe_c_skip(cond) - 1, fe_c_skip(cond));
	write(l, open, s->begin);
	add(l, end - 1, end);
}

/* The loop at "t"; where the text goes on behind what has been written. */
static const struct fe_c_token *write_while(struct list *l,
	const struct fe_c_token *t)
{
	const struct fe_c_token *head = t + 1, *body, *end;
	bool changes = false;
	struct step s;

	body = fe_c_is(head, "(") ? close_of(head) : NULL;
	if (!body)
		return add(l, t, t + 1), t + 1;
	for (end = head; end < body; end++)
		changes |= fe_c_is(end, "++") || fe_c_is(end, "--");
	end = fe_c_is(body, "{") ? close_of(body) : NULL;
	if (!changes && end && counts(body, end, head, body, &s)) {
		write_for(l, t, head, body, end, &s);
		return end;
	}
	if (!changes && !is_digit(head, '1'))
		return add(l, t, t + 1), t + 1;
	add_text(l, t, "for");
	add(l, head, head + 1);
	add_text(l, head, ";");
	if (changes)
		add(l, head + 1, body - 1);
	add_text(l, changes ? body - 1 : head + 1, ";");
	add(l, body - 1, body);
	return body;
}

/* The same of a "do". */
static const struct fe_c_token *write_do(struct list *l,
	const struct fe_c_token *t)
{
	const struct fe_c_token *open = t + 1, *end, *head, *behind;
	struct step s;

	end = fe_c_is(open, "{") ? close_of(open) : NULL;
	head = end && fe_c_is(end, "while") && fe_c_is(end + 1, "(") ?
		end + 1 : NULL;
	behind = head ? close_of(head) : NULL;
	if (!behind || !fe_c_is(behind, ";") || l->deep == MOST_DEEP ||
	    has_word(open, end, "break", true) ||
	    has_word(open, end, "continue", false))
		return add(l, t, t + 1), t + 1;
	l->deep++;
	if (is_digit(head, '0')) {
		write(l, open, end);
	} else if (counts(open, end, head, behind, &s)) {
		add_text(l, open, "{");
		write(l, open, end);
		write_for(l, t, head, open, end, &s);
		add_text(l, behind, "}");
	} else {
		behind = t;
		add(l, t, t + 1);
	}
	l->deep--;
	return behind + 1;
}

/* Write the tokens [t, end) with the loops in them. */
static void write(struct list *l, const struct fe_c_token *t,
	const struct fe_c_token *end)
{
	while (t < end) {
		if (fe_c_is(t, "while"))
			t = write_while(l, t);
		else if (fe_c_is(t, "do"))
			t = write_do(l, t);
		else
			add(l, t, t + 1), t++;
	}
}

struct fe_c_token *fe_c_counted(struct fe_unit *u, struct fe_c_token *token)
{
	const struct fe_c_token *end = token;
	struct list l = { 0 };
	bool any = false;

	for (; end->kind != FE_C_END; end++)
		any |= fe_c_is(end, "while");
	if (!any)
		return token;
	write(&l, token, end + 1);
	l.to = fe_arena_alloc(&u->arena, (size_t)l.n * sizeof(*l.to));
	l.n = 0;
	write(&l, token, end + 1);
	return l.to;
}
