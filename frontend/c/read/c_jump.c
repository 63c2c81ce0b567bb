/* Ways through a list of statements: "continue", "break", "return", and "goto" to what
 * is further down.
 *
 * A statement ends in places, the ends of lists inside of it, from which it goes on
 * behind it or at a label; or nothing of the list runs any more. Where all ways
 * meet, the list simply goes on. Until then the text is read once for each way, to
 * the end of the list inside of the statement from which it comes:
 *
 *	if (a) goto L;		if (a) ; else { A; }
 *	A;
 *	L: B;			B;
 *
 *	if (a) continue;	if (a) ; else if (b) { B; } else { A; B; }
 *	if (b) goto L;
 *	A;
 *	L: B;
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* How often text behind "continue" and the like is read again. */
enum { MAX_AGAIN = 64 };

/* ------------------------------------------------------------------- ends */

struct fe_c_end *fe_c_new_end(struct fe_c_parse *p,
	struct fe_c_stmt **list)
{
	struct fe_c_end *e = fe_arena_alloc(&p->u->arena, sizeof(*e));

	e->list = list;
	e->names = p->names;
	return e;
}

void fe_c_add_end(struct fe_c_end **last, struct fe_c_end *e)
{
	while (*last)
		last = &(*last)->next;
	e->next = NULL;
	*last = e;
}

void fe_c_list_end(struct fe_c_parse *p, struct fe_c_ends *ends,
	struct fe_c_stmt **list)
{
	struct fe_c_end *e, *next;

	if (!p->ends.leaves) {
		fe_c_add_end(&ends->first, fe_c_new_end(p, list));
		return;
	}
	ends->leaves = true;
	ends->dead |= p->ends.dead;
	ends->at = p->ends.at;
	for (e = p->ends.first; e; e = next) {
		next = e->next;
		e->list = e->list ? e->list : list;
		fe_c_add_end(&ends->first, e);
	}
}

void fe_c_leaves(struct fe_c_parse *p, const struct fe_c_token *at)
{
	p->ends = (struct fe_c_ends) { .leaves = true, .dead = true, .at = at };
}

/* From "at" on the list goes to "label". */
static void jump(struct fe_c_parse *p, const struct fe_c_token *at,
	const struct fe_c_token *label)
{
	struct fe_c_end *e = fe_c_new_end(p, NULL);

	e->at = at;
	e->label = label;
	p->ends = (struct fe_c_ends) { .leaves = true, .at = at, .first = e };
}

/* ----------------------------------------------------------------- labels */

static bool list_ends(const struct fe_c_parse *p)
{
	return p->t->kind >= FE_C_SCOP || fe_c_is(p->t, "}") ||
		p->t == p->stop;
}

const struct fe_c_token *fe_c_step_over(const struct fe_c_token *t)
{
	return fe_c_is(t, "(") || fe_c_is(t, "{") || fe_c_is(t, "[") ?
		fe_c_skip(t) : t + 1;
}

static bool is_label(const struct fe_c_token *t)
{
	return t->kind == FE_C_NAME && fe_c_is(t + 1, ":") &&
		!fe_c_is(t, "default") && !fe_c_is(t, "case");
}

bool fe_c_is_between(const struct fe_c_token *t)
{
	return fe_c_is(t, ";") || fe_c_is(t, "{") || fe_c_is(t, "}") ||
		fe_c_is(t, ":") || t->kind >= FE_C_SCOP;
}

static bool same_name(const struct fe_c_token *a, const struct fe_c_token *b)
{
	return a->kind == FE_C_NAME && a->len == b->len &&
		!memcmp(a->text, b->text, (size_t)a->len);
}

/* Where "label" is in the rest of the list that begins at "t", or NULL. */
static const struct fe_c_token *find_label(const struct fe_c_parse *p,
	const struct fe_c_token *t, const struct fe_c_token *label)
{
	const struct fe_c_token *begin = t;

	for (; t->kind < FE_C_SCOP && t != p->stop && !fe_c_is(t, "}");
	     t = fe_c_step_over(t))
		if (t == label || (is_label(t) && same_name(t, label) &&
		    (t == begin || fe_c_is_between(t - 1))))
			return t;
	return t == label ? t : NULL;
}

/* The names that are known in the list that is read, of those in "names". */
static struct fe_c_name *names_of_list(const struct fe_c_parse *p,
	struct fe_c_name *names)
{
	while (names && names->depth > p->depth)
		names = names->next;
	return names;
}

/* ------------------------------------------------------------- going on */

/* Ways at one place of the list, of those that are still on their way. */
struct flow {
	struct fe_c_end *ways;	/* each to its "to" */
	struct fe_c_ends out;	/* those that leave the list */
};

/* Sort the ways of "p->ends", which go on at "t" or at labels behind it. */
static void sort_ways(struct fe_c_parse *p, struct flow *f,
	const struct fe_c_token *t)
{
	struct fe_c_end *e, *next;

	f->out.dead |= p->ends.dead;
	for (e = p->ends.first; e; e = next) {
		next = e->next;
		e->to = e->label ? find_label(p, t, e->label) : t;
		if (e->to)
			e->names = names_of_list(p, e->names);
		fe_c_add_end(e->to ? &f->ways : &f->out.first, e);
	}
}

/* Take those that are at "t" from the others. */
static struct fe_c_end *take(struct flow *f, const struct fe_c_token *t)
{
	struct fe_c_end *here = NULL, *others = NULL, *e, *next;

	for (e = f->ways; e; e = next) {
		next = e->next;
		fe_c_add_end(e->to == t ? &here : &others, e);
	}
	f->ways = others;
	return here;
}

/* The ways "here" leave the list at its end. */
static void leave_list(struct flow *f, struct fe_c_end *here)
{
	struct fe_c_end *next;

	for (; here; here = next) {
		next = here->next;
		here->label = NULL;
		fe_c_add_end(&f->out.first, here);
	}
}

/* The first of the places to which the ends of blocks jump. */
static const struct fe_c_token *first_of(const struct fe_c_end *e)
{
	const struct fe_c_token *t = e ? e->to : NULL;

	for (; e; e = e->next)
		t = e->to < t ? e->to : t;
	return t;
}

static int count_names(const struct fe_c_name *n)
{
	int count = 0;

	for (; n; n = n->next)
		count++;
	return count;
}

/* Do all ways know the same names? Of those that do not, one may have jumped over a
 * declaration, which is an error.
 */
static bool same_names(struct fe_c_parse *p, const struct fe_c_end *e)
{
	const struct fe_c_end *first = e, *jumped;
	bool same = true;

	for (; e; e = e->next) {
		same &= e->names == first->names;
		jumped = e->at ? e : first;
		if (count_names(e->names) != count_names(first->names) &&
		    jumped->at)
			FE_C_ERROR(p, FE_C_GOTO, &jumped->at->loc,
				"a declaration stands between it and its label");
	}
	return same;
}

/* Read from "t" up to "next" at the end of the way "e". */
static void read_way(struct fe_c_parse *p, struct flow *f,
	struct fe_c_end *e, const struct fe_c_token *t,
	const struct fe_c_token *next)
{
	const struct fe_c_token *stop = p->stop;
	struct fe_c_stmt **list = e->list;
	struct fe_c_ends ends = { 0 };

	while (*list)
		list = &(*list)->next;
	p->t = t;
	p->names = e->names;
	p->stop = next;
	*list = fe_c_statements(p);
	p->stop = stop;
	fe_c_list_end(p, &ends, e->list);
	p->ends = ends;
	sort_ways(p, f, next);
}

/* Read up to "next" for all ways "here", which are at "t"; false after an error. */
static bool read_ways(struct fe_c_parse *p, struct flow *f,
	struct fe_c_end *here, const struct fe_c_token *t,
	const struct fe_c_token *next)
{
	const struct fe_c_token *at = f->out.at;
	int n_error = p->u->report->n_error;
	struct fe_c_end *e, *behind;

	for (e = here; e; e = behind) {
		behind = e->next;
		p->n_again += e != here;
		if (p->n_again == MAX_AGAIN + 1)
			FE_C_ERROR(p, FE_C_STATEMENT, &at->loc, at->len,
				at->text);
		if (p->n_again > MAX_AGAIN)
			return false;
		read_way(p, f, e, t, next);
		if (p->bad || n_error != p->u->report->n_error)
			return false;
	}
	return true;
}

/* Follow the ways of "f" to where they meet, if they "may", which is where the list
 * that is read goes on; or else to the end of the list.
 */
static void follow_to(struct fe_c_parse *p, struct flow *f,
	const struct fe_c_token *end, bool may_meet)
{
	const struct fe_c_token *t, *next;
	struct fe_c_end *here;
	bool same;

	while ((t = first_of(f->ways))) {
		here = take(f, t);
		same = same_names(p, here);
		if (p->bad)
			return;
		if (may_meet && same && !f->ways && !f->out.dead &&
		    !f->out.first) {
			p->t = t;
			p->names = here->names;
			p->ends.leaves = false;
			return;
		}
		next = first_of(f->ways);
		if (t == end)
			leave_list(f, here);
		else if (!read_ways(p, f, here, t, next ? next : end)) {
			p->bad = true;	/* which has been said */
			return;
		}
	}
	p->t = end;
	p->ends = f->out;
}

/* The end of the list that is read. */
static const struct fe_c_token *end_of_list(const struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;

	while (t->kind < FE_C_SCOP && t != p->stop && !fe_c_is(t, "}"))
		t = fe_c_step_over(t);
	return t;
}

/* Read what follows a statement that has ended in "p->ends". */
static void follow(struct fe_c_parse *p)
{
	struct flow f = { .out = { .leaves = true, .at = p->ends.at } };

	sort_ways(p, &f, p->t);
	follow_to(p, &f, end_of_list(p), true);
}

void fe_c_follow_body(struct fe_c_parse *p, const struct fe_c_token *end)
{
	struct flow f = { .out = { .leaves = true, .at = p->ends.at } };

	sort_ways(p, &f, p->t);
	follow_to(p, &f, end, false);
}

/* ------------------------------------------------------------------ words */

struct fe_c_stmt *fe_c_goto(struct fe_c_parse *p)
{
	const struct fe_c_token *at = p->t;

	p->t += 2;
	if (at[1].kind != FE_C_NAME)
		FE_C_ERROR(p, FE_C_STATEMENT, &at->loc, at->len, at->text);
	else if (fe_c_expect(p, ";"))
		jump(p, at, at + 1);
	return NULL;
}

struct fe_c_stmt *fe_c_jump(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	bool breaks = !fe_c_is(t, "continue");

	p->t += 2;
	if (fe_c_is(t, "break") && p->switch_end) {
		jump(p, t, p->switch_end);
		return NULL;
	}
	fe_c_leaves(p, t);
	if (p->loops == p->outer_loops) {
		FE_C_ERROR(p, FE_C_STATEMENT, &t->loc, t->len, t->text);
		return NULL;
	}
	if (!breaks)
		return NULL;
	p->loops->breaks = true;
	return fe_c_new_stmt(p, FE_C_BREAK, &t->loc);
}

/* Why no label that "goto" at "at" names is further down in its function. */
static const char *why_lost(const struct fe_c_parse *p,
	const struct fe_c_token *at)
{
	const struct fe_c_token *t;
	const char *why = "there is no such label";

	for (t = p->function->body; t < p->function->end; t++)
		if (is_label(t) && same_name(t, at + 1))
			why = t < at ? "its label is in front of it" :
				"its label is inside of another statement, "
				"or outside of the loop or the region";
	return why;
}

void fe_c_check_jumps(struct fe_c_parse *p)
{
	const struct fe_c_end *e;

	for (e = p->ends.leaves ? p->ends.first : NULL; e && !p->bad;
	     e = e->next)
		if (e->label)
			FE_C_ERROR(p, FE_C_GOTO, &e->at->loc,
				why_lost(p, e->at));
}

void fe_c_end_loop(struct fe_c_parse *p, struct fe_c_stmt *loop,
	struct fe_c_stmt *body, bool in_list)
{
	struct fe_c_end *e;
	struct fe_c_stmt **last;

	for (e = p->ends.leaves ? p->ends.first : NULL; e; e = e->next) {
		if (!e->label || !in_list || !is_label(p->t) ||
		    !same_name(p->t, e->label))
			continue;
		for (last = e->list ? e->list : &body->body; *last; )
			last = &(*last)->next;
		*last = fe_c_new_stmt(p, FE_C_BREAK, &e->at->loc);
		loop->breaks = true;
		e->label = NULL;
	}
	fe_c_check_jumps(p);
	p->ends.leaves = false;
}

/* ------------------------------------------------------------------- lists */

/* Go on behind the statement that was wrong. */
static void recover(struct fe_c_parse *p, const struct fe_c_token *first,
	int nesting)
{
	const struct fe_c_token *t = first;

	while (t->kind < FE_C_SCOP && !fe_c_is(t, "}") &&
	       !(fe_c_is(t, ";") && t >= p->t)) {
		bool block_ends = fe_c_is(t, "{");

		t = fe_c_is(t, "(") || block_ends ? fe_c_skip(t) : t + 1;
		if (block_ends && t >= p->t && !fe_c_is(t, "else") &&
		    !fe_c_is(t, "while"))
			break;
	}
	p->t = fe_c_is(t, ";") ? t + 1 : t;
	p->bad = false;
	p->ends.leaves = false;
	p->nesting = nesting;
}

/* Past the labels in front of a statement of the list. */
static void skip_labels(struct fe_c_parse *p)
{
	while (!p->bad && p->t != p->stop && (is_label(p->t) ||
	       (fe_c_is_case(p->t) && p->depth == p->switch_depth)))
		if (is_label(p->t))
			p->t += 2;
		else
			fe_c_case_label(p);
}

struct fe_c_stmt *fe_c_statements(struct fe_c_parse *p)
{
	struct fe_c_stmt *first = NULL, **last = &first;

	p->ends.leaves = false;
	for (skip_labels(p); !list_ends(p); skip_labels(p)) {
		const struct fe_c_token *begin = p->t;
		int nesting = p->nesting, depth = p->depth;

		p->in_list = true;
		*last = fe_c_statement(p);
		if (!p->bad && p->ends.leaves)
			follow(p);
		if (p->bad) {
			*last = NULL;
			p->depth = depth;
			recover(p, begin, nesting);
			continue;
		}
		while (*last)
			last = &(*last)->next;
	}
	return first;
}
