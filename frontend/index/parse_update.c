/* Updates of definitions at positions that data tell.
 *
 *	h(b) for 0 <= b < 256 = i32(0);		h(bin(i)) += 1;
 *
 * is one tensor, whose cells start with the value of the definition above. Its value
 * is a reduction over the indices that are new, of which each term goes to one cell:
 *
 *	h(b) = sum(i: 1 if b == bin(i))
 *
 * A definition above that is no single value becomes a tensor of its own, which the
 * start reads.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/base/parse.h"
#include "frontend/index/index.h"

/* The positions on the left: an index, or "at", which tells the position. */
struct place {
	const struct fe_token *name;
	struct fe_scalar *at;
};

/* ----------------------------------------------------------------- the left */

/* The token behind the bracket that closes the one at "t"; NULL: there is none. */
static const struct fe_token *behind_bracket(const struct fe_token *t)
{
	int depth = 0;

	for (; t->next && t->kind != FE_SEMICOLON; t = t->next) {
		depth += t->kind == FE_OPEN;
		depth -= t->kind == FE_CLOSE;
		if (!depth)
			return t->next;
	}
	return NULL;
}

/* Do names alone stand in the brackets at "t"? */
static bool only_names(const struct fe_token *t)
{
	do {
		t = t->next;
		if (t->kind != FE_NAME)
			return t->kind == FE_CLOSE;
		t = t->next;
	} while (t->kind == FE_COMMA);
	return t->kind == FE_CLOSE;
}

bool fe_parse_at_update(const struct fe_parser *p)
{
	const struct fe_token *t;

	if (p->token->kind != FE_OPEN || only_names(p->token))
		return false;
	t = behind_bracket(p->token);
	for (; t && t->kind != FE_SEMICOLON && t->kind != FE_EQUALS; t = t->next)
		if (t->kind == FE_PLUS_EQUALS || t->kind == FE_STAR_EQUALS ||
		    (t->next && t->next->kind == FE_EQUALS &&
		     (fe_parse_is_word(t, "min") || fe_parse_is_word(t, "max"))))
			return true;
	return false;
}

/* The positions, behind the bracket; their number, or -1, having reported. */
static int parse_places(struct fe_parser *p, struct place place[FE_MAX_RANK])
{
	int n = 0;

	do {
		const struct fe_token *t = p->token;

		if (n == FE_MAX_RANK) {
			FE_REPORT(p->unit, FE_RANK, &t->loc, FE_MAX_RANK);
			return -1;
		}
		place[n] = (struct place) { .name = t };
		if (t->kind == FE_NAME && (t->next->kind == FE_COMMA ||
		    t->next->kind == FE_CLOSE)) {
			fe_parse_advance(p);
		} else {
			place[n].at = fe_parse_scalar(p);
			if (!place[n].at)
				return -1;
		}
		n++;
	} while (fe_parse_accept(p, FE_COMMA));
	return fe_parse_expect(p, FE_CLOSE) ? n : -1;
}

/* "+=", "*=", "min=" or "max=". */
static bool parse_operator(struct fe_parser *p, struct fe_scalar *sum)
{
	if (fe_parse_accept(p, FE_PLUS_EQUALS)) {
		sum->op = POLY_OP_ADD;
		sum->spelling = "+=";
		return true;
	}
	if (fe_parse_accept(p, FE_STAR_EQUALS)) {
		sum->op = POLY_OP_MUL;
		sum->spelling = "*=";
		return true;
	}
	sum->op = fe_parse_at_word(p, "min") ? POLY_OP_MIN : POLY_OP_MAX;
	sum->spelling = sum->op == POLY_OP_MIN ? "min=" : "max=";
	fe_parse_advance(p);
	return fe_parse_expect(p, FE_EQUALS);
}

/* ------------------------------------------------------------ the definition */

/* The newest definition of "s" in index notation so far, or NULL. */
static struct fe_tensor *find_start(struct fe_parser *p,
	const struct fe_symbol *s)
{
	struct fe_tensor *t, *found = NULL;

	for (t = p->unit->tensor; t; t = t->next)
		if (t->symbol == s && !t->is_input && t->piece)
			found = t;
	return found;
}

/* A name that nothing in the text has. */
static struct fe_symbol *new_symbol(struct fe_unit *u, const char *name)
{
	char text[FE_MAX_NAME + 32];
	struct fe_symbol *s;
	size_t n;
	int k = 0;

	do {
		snprintf(text, sizeof(text), "%.*s_start%d", FE_MAX_NAME, name,
			k++);
		n = u->table.n;
		s = fe_symbol_find(u, text, strlen(text));
	} while (u->table.n == n);
	return s;
}

/* Let "t" read what it was, which becomes a tensor of its own, where it starts. */
static void start_from(struct fe_parser *p, struct fe_tensor *t)
{
	struct fe_tensor *before = fe_arena_alloc(&p->unit->arena,
		sizeof(*before));
	struct fe_scalar *read = fe_scalar_new(p->unit, FE_S_READ, &t->loc);
	struct fe_index **tail = &t->scope.first;
	const struct fe_index *from;

	*before = *t;
	before->symbol = new_symbol(p->unit, t->symbol->name);
	before->is_out = false;
	t->next = before;
	if (p->tensor_tail == &t->next)
		p->tensor_tail = &before->next;
	t->scope = (struct fe_scope) { .n = t->rank };
	t->update = POLY_OP_NONE;
	read->symbol = before->symbol;
	for (from = before->scope.first; read->n_arg < t->rank;
	     from = from->next) {
		struct fe_index *i = fe_arena_alloc(&p->unit->arena,
			sizeof(*i));
		struct fe_scalar *at = fe_scalar_new(p->unit, FE_S_NAME,
			&from->loc);

		i->symbol = at->symbol = from->symbol;
		i->loc = from->loc;
		*tail = i;
		tail = &i->next;
		read->arg[read->n_arg++] = at;
	}
	t->start = read;
}

/* "pos == index", of the cell that is meant, and "all". */
static struct fe_scalar *meant(struct fe_parser *p, struct fe_scalar *all,
	struct fe_scalar *at, struct fe_index *index)
{
	struct fe_scalar *e = fe_scalar_new(p->unit, FE_S_OP, &at->loc), *both;
	struct fe_scalar *i = fe_scalar_new(p->unit, FE_S_INDEX, &at->loc);

	i->index = index;
	i->symbol = index->symbol;
	i->affine = true;
	i->type = POLY_I64;
	e->op = POLY_OP_EQ;
	e->spelling = "==";
	e->cell = true;
	e->arg[0] = at;
	e->arg[1] = i;
	e->n_arg = 2;
	e->depth = at->depth + 1;
	if (!all)
		return e;
	both = fe_scalar_new(p->unit, FE_S_OP, &at->loc);
	both->op = POLY_OP_AND;
	both->spelling = "and";
	both->logic = true;
	both->arg[0] = all;
	both->arg[1] = e;
	both->n_arg = 2;
	both->depth = (all->depth > e->depth ? all->depth : e->depth) + 1;
	return both;
}

/* Let the indices of "t" have the names that the update gives them, and "sum" say
 * which cell is meant.
 */
static void name_cells(struct fe_parser *p, struct fe_tensor *t,
	const struct place *place, struct fe_scalar *sum)
{
	struct fe_index *i = t->scope.first;

	for (int d = 0; d < t->rank; d++, i = i->next) {
		i->told = place[d].at != NULL;
		i->alias = i->told ? NULL : place[d].name->symbol;
		if (i->told)
			sum->arg[1] = meant(p, sum->arg[1], place[d].at, i);
	}
	sum->n_arg = 2;
	sum->depth = (sum->arg[0]->depth > sum->arg[1]->depth ?
		sum->arg[0] : sum->arg[1])->depth + 1;
}

/* Make "sum" the value of the definition "name" above; false, having reported. */
static bool update(struct fe_parser *p, const struct fe_token *name,
	const struct place *place, int n, struct fe_scalar *sum, bool is_out)
{
	struct fe_tensor *t = find_start(p, name->symbol);

	if (!t) {
		FE_REPORT(p->unit, FE_NO_START, &name->loc, name->symbol->name);
		name->symbol->broken = true;
		return true;
	}
	if (t->rank != n) {
		FE_REPORT(p->unit, FE_INDICES, &name->loc, name->symbol->name,
			t->rank, t->rank == 1 ? "index" : "indices", n);
		return true;
	}
	if (t->start || t->update != POLY_OP_NONE || t->piece->condition ||
	    t->piece->next) {
		start_from(p, t);
		t->piece = fe_arena_alloc(&p->unit->arena, sizeof(*t->piece));
	} else {
		t->start = t->piece->value;
	}
	t->is_out |= is_out;
	t->order = p->order;
	t->piece->value = sum;
	t->piece->loc = sum->loc;
	name_cells(p, t, place, sum);
	if (sum->depth <= FE_MAX_DEPTH)
		return true;
	FE_REPORT(p->unit, FE_DEPTH, &name->loc, FE_MAX_DEPTH);
	return false;
}

bool fe_parse_update(struct fe_parser *p, const struct fe_token *name,
	bool is_out)
{
	struct fe_scalar *sum = fe_scalar_new(p->unit, FE_S_REDUCE, &name->loc);
	struct place place[FE_MAX_RANK];
	int n;

	fe_parse_advance(p);
	n = parse_places(p, place);
	sum->scope = fe_arena_alloc(&p->unit->arena, sizeof(*sum->scope));
	sum->scope->open = true;
	if (n < 0 || (fe_parse_accept_word(p, "for") &&
	    !fe_parse_conditions(p, &sum->scope->condition)) ||
	    !parse_operator(p, sum))
		return false;
	sum->arg[0] = fe_parse_scalar(p);
	return sum->arg[0] && fe_parse_expect(p, FE_SEMICOLON) &&
		update(p, name, place, n, sum, is_out);
}
