/* Statements of C: loops, conditions, assignments, declarations.
 *
 * "x op= e" becomes "x = (T)(x op e)", "x++" becomes "x = (T)(x + 1)", and
 * "a = b = e" two assignments. After an error the rest of the statement is
 * skipped.
 *
 * Conversions are made explicit at once, so later passes see no C but a tree
 * with types. Statements that stand in the place of others (calls, changes
 * within expressions) come in lists, linked by "next".
 */
#include "frontend/c/read/read.h"

struct fe_c_stmt *fe_c_new_stmt(struct fe_c_parse *p,
	enum fe_c_stmt_kind kind, const struct poly_loc *loc)
{
	struct fe_c_stmt *s = fe_arena_alloc(&p->u->arena, sizeof(*s));

	s->kind = kind;
	s->loc = *loc;
	return s;
}

/* ------------------------------------------------------------ assignments */

static const struct {
	const char *text;
	enum poly_op op;
} assignment_op[] = {
	{ "=", POLY_OP_NONE }, { "+=", POLY_OP_ADD }, { "-=", POLY_OP_SUB },
	{ "*=", POLY_OP_MUL }, { "/=", POLY_OP_DIV }, { "%=", POLY_OP_REM },
	{ "&=", POLY_OP_AND }, { "|=", POLY_OP_OR }, { "^=", POLY_OP_XOR },
	{ "<<=", POLY_OP_SHL }, { ">>=", POLY_OP_SHR },
};

/* The row of the assignment operator that the token is, or -1. */
static int find_assignment(const struct fe_c_token *t)
{
	size_t i;

	for (i = 0; i < sizeof(assignment_op) / sizeof(assignment_op[0]); i++)
		if (fe_c_is(t, assignment_op[i].text))
			return (int)i;
	return -1;
}

/* The value is converted to the variable's type. Constants and what is no place
 * are refused. Writes are counted, which tells later what is written once.
 */
struct fe_c_stmt *fe_c_assign(struct fe_c_parse *p, struct fe_c_expr *left,
	struct fe_c_expr *right)
{
	struct fe_c_stmt *s;
	struct poly_loc loc;

	if (!left || !right)
		return NULL;
	if (left->kind != FE_C_VAR && left->kind != FE_C_ELEMENT) {
		FE_C_ERROR(p, FE_C_ASSIGNED, &left->loc);
		return NULL;
	}
	if (left->var->is_const) {
		FE_C_ERROR(p, FE_C_CONST, &left->loc, left->var->name);
		return NULL;
	}
	loc = fe_c_span(&left->loc, &right->loc);
	s = fe_c_new_stmt(p, FE_C_ASSIGN, &loc);
	s->left = left;
	s->right = fe_c_convert(p, left->type, right);
	left->var->n_write++;
	return s;
}

/* "left op right" and its assignment. */
struct fe_c_stmt *fe_c_update_of(struct fe_c_parse *p, enum poly_op op,
	const struct poly_loc *loc, struct fe_c_expr *left,
	struct fe_c_expr *right)
{
	return fe_c_assign(p, left, fe_c_binary(p, op, loc, left, right));
}

/* "++" and "--" in front of or behind "left"; NULL if there is neither. */
static struct fe_c_stmt *increment(struct fe_c_parse *p,
	struct fe_c_expr *left, const struct fe_c_token *t)
{
	struct fe_c_stmt *s;

	s = fe_c_update_of(p, fe_c_is(t, "++") ? POLY_OP_ADD : POLY_OP_SUB, &t->loc,
		left, fe_c_int(p->u, POLY_I32, 1, &t->loc));
	if (s)
		s->loc = fe_c_span(&left->loc, &t->loc);
	return s;
}

/* Does the statement begin with what is of a structure, or of its members? */
static bool has_struct(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	const struct fe_c_name *n;

	while (fe_c_is(t, "(") || fe_c_is(t, "*") || fe_c_is(t, "&"))
		t++;
	n = t->kind == FE_C_NAME && !fe_c_is(t + 1, "(") ? fe_c_find(p, t) :
		NULL;
	return n && n->view && n->view->st;
}

/* What is assigned to: an expression; or a structure, "*whole" then.
 *
 * Both begin alike, so an operand is read first and, if it is no whole
 * structure, read again as an expression; what it changed is undone.
 */
static struct fe_c_expr *assigned(struct fe_c_parse *p,
	struct fe_c_view *whole)
{
	const struct fe_c_token *t = p->t;
	int n_change = p->changes ? p->changes->n : 0;
	struct fe_c_stmt *pending = p->pending;
	struct fe_c_view v;

	*whole = (struct fe_c_view) { NULL };
	if (has_struct(p)) {
		p->pending = NULL;
		if (!fe_c_operand(p, &v))
			return NULL;
		if (v.st && !fe_c_remaining(&v) && fe_c_is(p->t, "=")) {
			*whole = v;
			fe_c_add_pending(p, pending);
			return NULL;
		}
		p->t = t;
		p->pending = pending;
		if (p->changes)
			p->changes->n = n_change;
	}
	return fe_c_expression(p);
}

/* One assignment, or several in a row, or an expression without effect.
 *
 * Returns the statements in their order; NULL for none.
 */
static struct fe_c_stmt *unchanged(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	struct fe_c_stmt *inner = NULL, *s, **end;
	struct fe_c_expr *left, *right;
	struct fe_c_view whole;
	int row, n_change;

	if (fe_c_is(t, "++") || fe_c_is(t, "--")) {
		p->t++;
		return increment(p, fe_c_unary(p), t);
	}
	left = assigned(p, &whole);
	if (!p->bad && whole.st) {
		p->t++;
		return fe_c_copied(p, &whole);
	}
	if (!left)
		return NULL;
	if (fe_c_is(p->t, "++") || fe_c_is(p->t, "--"))
		return increment(p, left, p->t++);
	row = find_assignment(p->t);
	if (row < 0)
		return NULL;
	t = p->t++;
	n_change = p->changes ? p->changes->n : 0;
	right = fe_c_expression(p);
	/* a = b = e: the right side is an assignment itself */
	if (right && find_assignment(p->t) >= 0) {
		p->t = t + 1;
		if (p->changes)
			p->changes->n = n_change;
		inner = fe_c_enter(p) ? unchanged(p) : NULL;
		fe_c_leave(p);
		for (end = &inner; *end && (*end)->next; end = &(*end)->next)
			;
		right = *end ? (*end)->left : NULL;
	}
	s = row ? fe_c_update_of(p, assignment_op[row].op, &t->loc, left, right) :
		fe_c_assign(p, left, right);
	if (!inner)
		return s;
	for (end = &inner; *end; end = &(*end)->next)
		;
	*end = s;
	return inner;
}

/* The same, and what its subscripts change.
 *
 * a[i++] = x: what a subscript changes is a statement before or behind.
 */
struct fe_c_stmt *fe_c_assignment(struct fe_c_parse *p)
{
	struct fe_c_changes here = { .begin = p->t }, *outer = p->changes;
	struct fe_c_stmt *s;

	p->changes = p->head ? NULL : &here;
	s = unchanged(p);
	p->changes = outer;
	return fe_c_changed(p, s, &here);
}

/* Assignments that commas join, up to ";".
 *
 * Commas outside of brackets are the end of one statement here.
 */
struct fe_c_stmt *fe_c_assignments(struct fe_c_parse *p)
{
	struct fe_c_stmt *first = NULL, **last = &first;

	do {
		*last = fe_c_assignment(p);
		while (*last)
			last = &(*last)->next;
	} while (!p->bad && fe_c_accept(p, ","));
	if (!p->bad)
		fe_c_expect(p, ";");
	return first;
}

/* ------------------------------------------------------------------ loops */

/* The statement that a loop or condition runs, as a block of its own.
 *
 * "in_list" tells whether another statement may follow in the same list.
 */
struct fe_c_stmt *fe_c_body(struct fe_c_parse *p)
{
	struct fe_c_stmt *block = fe_c_new_stmt(p, FE_C_BLOCK, &p->t->loc);

	p->in_list = false;
	if (fe_c_enter(p))
		block->body = fe_c_statement(p);
	fe_c_leave(p);
	return block;
}

/* ------------------------------------------------------- other statements */

/* "if (cond) body else otherwise". What follows stands at the end of each branch
 * that does not leave, if one does, by "continue", "break" or "return":
 *
 *	if (c) { A; continue; }		if (c) { A; } else { B; }
 *	B;
 *
 * ends: how each branch ends; fe_c_list_end moves what follows.
 */
static struct fe_c_stmt *condition(struct fe_c_parse *p)
{
	struct fe_c_stmt *s = fe_c_new_stmt(p, FE_C_IF, &p->t++->loc), *first, **last;
	struct fe_c_changes here = { .begin = p->t }, *outer = p->changes;
	struct fe_c_ends ends = { 0 };

	if (!fe_c_expect(p, "("))
		return NULL;
	p->changes = &here;
	s->cond = fe_c_expression(p);
	p->changes = outer;
	if (!s->cond || !fe_c_expect(p, ")"))
		return NULL;
	first = fe_c_choose(p, &s->cond, &here);
	for (last = &first; *last; last = &(*last)->next)
		;
	*last = s;
	s->body = fe_c_body(p);
	fe_c_list_end(p, &ends, &s->body->body);
	p->ends.leaves = false;
	if (!p->bad && fe_c_accept(p, "else"))
		s->otherwise = fe_c_body(p);
	fe_c_list_end(p, &ends, s->otherwise ? &s->otherwise->body : &s->otherwise);
	p->ends = ends;
	return p->bad ? NULL : first;
}

/* "{ .. }", whose declarations end with it.
 *
 * Names end, their variables stay in the tree.
 */
static struct fe_c_stmt *block(struct fe_c_parse *p)
{
	struct fe_c_stmt *s = fe_c_new_stmt(p, FE_C_BLOCK, &p->t++->loc);
	struct fe_c_name *names = p->names;

	if (!fe_c_enter(p))
		return NULL;
	p->depth++;
	s->body = fe_c_statements(p);
	fe_c_expect(p, "}");
	p->depth--;
	p->names = names;
	fe_c_leave(p);
	return s;
}

/* The token behind the statement at "t", with its "else" if it has one.
 *
 * Nested if and for are followed, as their last statement ends them.
 */
const struct fe_c_token *fe_c_behind(const struct fe_c_token *t)
{
	bool head = fe_c_is(t, "if") || fe_c_is(t, "for");

	if (head)
		t = fe_c_behind(fe_c_skip(t + 1));
	else if (fe_c_is(t, "{"))
		return fe_c_skip(t);
	while (!head && t->kind < FE_C_SCOP && !fe_c_is(t, ";"))
		t = fe_c_is(t, "(") || fe_c_is(t, "{") ? fe_c_skip(t) : t + 1;
	if (!head)
		return t->kind < FE_C_SCOP ? t + 1 : t;
	return fe_c_is(t, "else") ? fe_c_behind(t + 1) : t;
}

/* True if nothing runs behind "t" in the function that ends at "end".
 *
 * So that a return there is the end of the function.
 */
static bool is_last(const struct fe_c_token *t, const struct fe_c_token *end)
{
	while (t < end && (fe_c_is(t, "}") || fe_c_is(t, "else")))
		t = fe_c_is(t, "}") ? t + 1 : fe_c_behind(t + 1);
	return t >= end;
}

/* Is "return;" at "t" in one loop, behind which nothing runs? It ends that loop. */
static bool ends_loop(const struct fe_c_parse *p, const struct fe_c_token *t)
{
	const struct fe_c_token *loop = p->function->body, *behind = NULL;

	if (!fe_c_is(t + 1, ";") || p->n_inline || p->function->scop || !p->loops ||
	    p->loops->outer)
		return false;
	for (; loop < t && !behind; loop++)
		if (fe_c_is(loop, "for") && fe_c_behind(loop) > t)
			behind = fe_c_behind(loop);
	return behind && is_last(behind, p->function->end);
}

/* "return e;" outside of the function's loops gives its value to "result".
 *
 * Within a loop, a return would leave it in the middle, which no schedule can.
 */
static struct fe_c_stmt *returned(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t++;
	struct fe_c_changes here = { .begin = p->t }, *outer = p->changes;
	struct fe_c_expr *left, *e = NULL;
	struct fe_c_stmt *copies = NULL;
	struct fe_c_view whole;
	struct fe_c_var *v;

	p->changes = &here;
	if (p->n_inline && p->result_view) {
		whole = *p->result_view;
		copies = fe_c_copied(p, &whole);
	} else if (!fe_c_is(p->t, ";")) {
		e = fe_c_expression(p);
	}
	p->changes = outer;
	if (p->bad || !fe_c_expect(p, ";"))
		return NULL;
	if (p->loops != p->outer_loops || (!p->n_inline && p->function->scop &&
	    !is_last(p->t, p->function->end))) {
		FE_C_ERROR(p, FE_C_STATEMENT, &t->loc, t->len, t->text);
		return NULL;
	}
	fe_c_leaves(p, t);
	if (copies)
		return fe_c_changed(p, copies, &here);
	v = p->n_inline ? p->result : fe_c_result(p->c);
	if (!e || !v)
		return fe_c_changed(p, NULL, &here);
	left = fe_c_node(p, FE_C_VAR, v->type, &t->loc);
	left->var = v;
	left->index = fe_arena_alloc(&p->u->arena, sizeof(*left->index));
	return fe_c_changed(p, fe_c_assign(p, left, e), &here);
}

/* Is the token a word of C that begins a statement which is not read here, or
 * not at this place?
 */
static bool is_refused(const struct fe_c_token *t)
{
	static const char *const word[] = {
		"while", "do", "break", "continue", "case", "default", "asm",
		"__asm__",
	};
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (fe_c_is(t, word[i]))
			return true;
	return false;
}

/* "f(..);" of a function of the file. */
static struct fe_c_stmt *called(struct fe_c_parse *p,
	const struct fe_c_function *f)
{
	fe_c_inline(p, f);
	if (!p->bad)
		fe_c_expect(p, ";");
	return NULL;
}

/* A declaration, behind a statement that says which variables begin here.
 *
 * So that variables of a loop's body begin anew in each iteration.
 */
static struct fe_c_stmt *declared(struct fe_c_parse *p)
{
	struct fe_c_stmt *s = fe_c_new_stmt(p, FE_C_BLOCK, &p->t->loc);

	s->first_id = p->u->c->n_var;
	s->next = fe_c_declaration(p);
	s->n_id = p->u->c->n_var - s->first_id;
	return s->n_id ? s : s->next;
}

/* One statement at "p->t", by its first tokens; NULL if it does nothing, or
 * having reported why it is none. A label is passed over: jumps find it by its
 * name.
 *
 * By their first token, or two.
 */
static struct fe_c_stmt *plain(struct fe_c_parse *p)
{
	const struct fe_c_token *t = p->t;
	const struct fe_c_function *f;

	if (fe_c_accept(p, ";"))
		return NULL;
	if (fe_c_is(t, "{"))
		return block(p);
	if (fe_c_is(t, "for"))
		return fe_c_loop(p);
	if (fe_c_is(t, "if"))
		return condition(p);
	if (fe_c_is(t, "return"))
		return ends_loop(p, t) ? fe_c_jump(p) : returned(p);
	if ((fe_c_is(t, "continue") || fe_c_is(t, "break")) &&
	    fe_c_is(t + 1, ";"))
		return fe_c_jump(p);
	if (fe_c_is(t, "goto"))
		return fe_c_goto(p);
	if (fe_c_is(t, "switch"))
		return fe_c_switch(p);
	if (is_refused(t)) {
		FE_C_ERROR(p, FE_C_STATEMENT, &t->loc, t->len, t->text);
		return NULL;
	}
	if (t->kind == FE_C_NAME && fe_c_is(t + 1, ":")) {
		p->t += 2;
		return fe_c_statement(p);
	}
	f = t->kind == FE_C_NAME && fe_c_is(t + 1, "(") ?
		fe_c_defined(p, t) : NULL;
	if (f && fe_c_is(fe_c_skip(t + 1), ";"))
		return called(p, f);
	return fe_c_is_type(p) ? declared(p) : fe_c_assignments(p);
}

/* A statement, behind what must run before it.
 *
 * The list of what runs before it, with itself at the end.
 */
struct fe_c_stmt *fe_c_statement(struct fe_c_parse *p)
{
	struct fe_c_stmt *outer = p->pending, *s, *first, **last;

	p->pending = NULL;
	p->n_operator = 0;
	p->ends.leaves = false;
	s = plain(p);
	first = p->bad ? NULL : p->pending;
	p->pending = outer;
	if (p->bad || !first)
		return s;
	for (last = &first; *last; last = &(*last)->next)
		;
	*last = s;
	return first;
}
