/* Names of index notation: what each one stands for.
 *
 * A name in an expression is an index of the scopes around it, else a size,
 * else a tensor or matrix without indices. Under "+=" a name that means
 * nothing is a new index, of the reduction. A matrix is read as the tensor
 * behind its views: the indices are permuted here.
 */
#include <math.h>
#include <string.h>

#include "frontend/index/call.h"
#include "frontend/matrix/matrix.h"

/* Who binds the names of an expression. */
struct binder {
	struct fe_unit *unit;
	struct fe_tensor *tensor;	/* whose definition it is, or NULL */
	bool inside;			/* of the brackets of a read */
};

static void bind(struct binder *b, struct fe_scalar *e,
	struct fe_scope *scope);

/* The index "symbol" of "scope" or, innermost first, of one around it; or NULL. */
static struct fe_index *find_index(const struct fe_scope *scope,
	const struct fe_symbol *symbol)
{
	struct fe_index *i;

	for (; scope; scope = scope->outer)
		for (i = scope->first; i; i = i->next)
			if (i->symbol == symbol && !i->hidden)
				return i;
	return NULL;
}

static int count_indices(const struct fe_scope *scope)
{
	int n = 0;

	for (; scope; scope = scope->outer)
		n += scope->n;
	return n;
}

/* The scope that takes new names, or NULL. */
static struct fe_scope *find_open(struct fe_scope *scope)
{
	while (scope && !scope->open)
		scope = scope->outer;
	return scope;
}

/* Note that the definition reads "t". */
static void add_edge(struct binder *b, struct fe_tensor *t)
{
	t->is_read |= t->is_input;
	if (b->tensor)
		fe_tensor_need(b->unit, b->tensor, t);
}

static void make_index(struct fe_scalar *e, struct fe_index *index)
{
	e->kind = FE_S_INDEX;
	e->index = index;
}

/* A new index of the reduction for the name "e", if a scope is open. */
static bool open_index(struct binder *b, struct fe_scalar *e,
	struct fe_scope *scope)
{
	struct fe_scope *open = find_open(scope);
	struct fe_index *i, **at;

	if (!open || e->symbol->tensor || e->symbol->is_matrix ||
	    e->symbol->function || e->symbol->broken)
		return false;
	if (count_indices(scope) >= FE_MAX_LOOP) {
		FE_REPORT(b->unit, FE_LOOPS, &e->loc, FE_MAX_LOOP);
		return true;
	}
	i = fe_arena_alloc(&b->unit->arena, sizeof(*i));
	i->symbol = e->symbol;
	i->loc = e->loc;
	i->slot = b->tensor->n_slot++;
	for (at = &open->first; *at; at = &(*at)->next)
		;
	*at = i;
	open->n++;
	make_index(e, i);
	return true;
}

/* ----------------------------------------------------------------- reads */

/* Let "e", which reads a matrix, read the tensor behind its views. */
static void read_matrix(struct binder *b, struct fe_scalar *e)
{
	struct fe_scalar *from[3] = { e->arg[0], e->arg[1], NULL };
	const struct fe_node *n = e->symbol->node, *base = n->base;

	if (e->symbol->def)
		fe_read_def(b->unit, e->symbol->def, &b->tensor->reads);
	e->affine = false;
	if (base->kind == FE_CONST) {
		e->kind = FE_S_NUMBER;
		e->n_arg = 0;
		e->value = base->value;
		e->type = b->unit->type;
		return;
	}
	from[FE_ZERO] = fe_scalar_new(b->unit, FE_S_NUMBER, &e->loc);
	from[FE_ZERO]->whole = from[FE_ZERO]->affine = true;
	e->tensor = fe_from_matrix(b->unit, base);
	e->arg[0] = from[n->select[0]];
	e->arg[1] = from[n->select[1]];
	add_edge(b, e->tensor);
}

/* Report why the symbol "s" of "e" cannot be read; once, if it means nothing. */
static void report_read(struct binder *b, struct fe_symbol *s,
	const struct fe_scalar *e)
{
	const struct poly_loc *loc = &e->loc;
	bool position = b->tensor && b->inside && e->kind == FE_S_NAME;

	if (b->tensor)
		b->tensor->broken = true;
	if (s->broken)
		return;
	if (s->param)
		FE_REPORT(b->unit, FE_NOT_TENSOR, loc, s->name);
	else if (s->define_line)
		FE_REPORT(b->unit, FE_EARLY, loc, s->name, s->define_line);
	else
		fe_report_undefined(b->unit, s, loc, position ?
			FE_MEANS_POSITION : b->tensor ? FE_MEANS_VALUE :
			FE_MEANS_EXTENT);
	if (!s->param)
		s->broken = true;
}

/* Is there text that changes the matrix "s" above the definition, and has not been
 * followed yet? A definition that is needed by text above may be early.
 */
static bool find_change(struct binder *b, const struct fe_symbol *s, int *line)
{
	const struct fe_assign *a;
	int order = b->tensor ? b->tensor->order : 0;

	if (order <= b->unit->followed)
		return false;
	if (s->changes && order > s->changes->order) {
		*line = s->changes->loc.line;
		return true;
	}
	for (a = s->node ? b->unit->ast->assign : NULL; a; a = a->next) {
		if (a->symbol != s || a->order < b->unit->followed ||
		    a->order > order)
			continue;
		*line = a->loc.line;
		return true;
	}
	return false;
}

/* Bind the read "e", whose indices are bound. */
static void bind_read(struct binder *b, struct fe_scalar *e)
{
	struct fe_symbol *s = e->symbol;
	int rank = s->tensor ? s->tensor->rank : 2, line;

	if (find_change(b, s, &line)) {
		FE_REPORT(b->unit, FE_AHEAD, &e->loc, line, s->name);
		return;
	}
	if (!s->tensor && !s->node) {
		report_read(b, s, e);
		return;
	}
	if (e->n_arg != rank) {
		FE_REPORT(b->unit, FE_INDICES, &e->loc, s->name, rank,
			rank == 1 ? "index" : "indices", e->n_arg);
		return;
	}
	if (s->tensor) {
		e->tensor = b->tensor ? fe_version(s->tensor,
			b->tensor->order) : s->tensor;
		add_edge(b, e->tensor);
	} else {
		read_matrix(b, e);
	}
}

/* Has "e" a name that means nothing, or a read that cannot be? These have been
 * reported, and nothing is known of "e".
 */
static bool is_reported(const struct fe_scalar *e)
{
	int i;

	if (e->kind == FE_S_NAME || (e->kind == FE_S_READ && !e->tensor))
		return true;
	for (i = 0; e->kind == FE_S_OP && i < e->n_arg; i++)
		if (is_reported(e->arg[i]))
			return true;
	return false;
}

/* The value of "e", if it is made of numbers and of sizes that -D gives. */
static bool find_value(const struct fe_scalar *e, int64_t *value)
{
	int64_t a, b = 0;

	if (e->kind == FE_S_NUMBER && e->affine) {
		*value = (int64_t)e->value;
		return true;
	}
	if (e->kind == FE_S_SIZE) {
		*value = e->param->value;
		return e->param->fixed;
	}
	if (e->kind != FE_S_OP || e->n_arg > 2 || !find_value(e->arg[0], &a) ||
	    (e->n_arg == 2 && !find_value(e->arg[1], &b)))
		return false;
	switch (e->op) {
	case POLY_OP_ADD:
		return !__builtin_add_overflow(a, b, value);
	case POLY_OP_SUB:
		return !__builtin_sub_overflow(a, b, value);
	case POLY_OP_MUL:
		return !__builtin_mul_overflow(a, b, value);
	case POLY_OP_NEG:
		return !__builtin_sub_overflow((int64_t)0, a, value);
	default:
		return false;
	}
}

/* The values of the sizes in "e" are part of the program. */
static void mark_folded(struct fe_scalar *e, void *user)
{
	(void)user;
	if (e->kind == FE_S_SIZE)
		e->param->folded = true;
}

/* Put the value of "e" in its place, if it has one, which then is part of the
 * program.
 */
static void fold_value(struct fe_scalar *e)
{
	int64_t value;

	if (!find_value(e, &value) || value > FE_MAX_NUMBER ||
	    value < -FE_MAX_NUMBER)
		return;
	fe_scalar_each(e, mark_folded, NULL);
	e->kind = FE_S_NUMBER;
	e->value = (double)value;
	e->whole = e->affine = true;
	e->n_arg = 0;
}

static bool is_affine(const struct fe_scalar *e);

/* Make "e" affine by the values that -D gives sizes, where it is a product or a
 * quotient by one.
 */
static bool fold(struct fe_scalar *e)
{
	int i;

	if (e->affine || e->kind != FE_S_OP || e->n_arg > 2)
		return e->affine;
	for (i = 0; i < e->n_arg; i++)
		if (!fold(e->arg[i]))
			return false;
	if (!is_affine(e) && e->n_arg == 2)
		fold_value(e->arg[1]);
	if (!is_affine(e) && e->op == POLY_OP_MUL)
		fold_value(e->arg[0]);
	return e->affine = is_affine(e);
}

/* An argument of a read, a size or a part of a condition has to be affine. */
static bool check_affine(struct binder *b, struct fe_scalar *e)
{
	if (fold(e) || is_reported(e))
		return e->affine;
	FE_REPORT(b->unit, FE_AFFINE, &e->loc, FE_MAX_NUMBER);
	return false;
}

/* A position is affine, or, in a definition, data. */
static void check_position(struct binder *b, struct fe_scalar *e)
{
	if (e->computed || fold(e) || is_reported(e) ||
	    (b->tensor && fe_scalar_reads(e)))
		return;
	FE_REPORT(b->unit, FE_POSITION, &e->loc, FE_MAX_NUMBER);
}

/* Assume that dimension "d" of the input "t" has an element. */
static void assume_some(struct fe_unit *u, const struct fe_tensor *t, int d,
	const struct poly_loc *loc)
{
	const struct fe_size *dim = t->node ? &t->node->dim[d] : NULL;
	struct fe_scalar *c = fe_scalar_new(u, FE_S_OP, loc);
	struct fe_scalar *one = fe_scalar_new(u, FE_S_NUMBER, loc);
	struct fe_scalar **last = &u->assume, *size = t->size[d];

	if (dim) {
		size = fe_scalar_new(u, dim->param ? FE_S_SIZE : FE_S_NUMBER,
			loc);
		size->param = (struct fe_param *)dim->param;
		size->value = (double)dim->value;
		size->whole = size->affine = true;
	}
	one->value = 1;
	one->whole = one->affine = true;
	c->op = POLY_OP_LE;
	c->n_arg = 2;
	c->arg[0] = one;
	c->arg[1] = size;
	while (*last)
		last = &(*last)->next;
	*last = c;
}

/* The read "e" has a position that is data; sizes and assumptions have none that may be. */
static void bind_gather(struct binder *b, const struct fe_scalar *e)
{
	for (int d = 0; b->tensor && d < e->n_arg && e->tensor->is_input; d++)
		if (!e->arg[d]->affine)
			assume_some(b->unit, e->tensor, d, &e->loc);
}

/* Bind a name without brackets: an index, a size, a new index under "+=", or a
 * read of what has no indices. Indices and sizes are affine.
 */
static void bind_name(struct binder *b, struct fe_scalar *e,
	struct fe_scope *scope)
{
	struct fe_symbol *s = e->symbol;
	struct fe_index *i = find_index(scope, s);

	if (i) {
		make_index(e, i);
	} else if (s->param) {
		e->kind = FE_S_SIZE;
		e->param = s->param;
		s->param->used = true;
	} else if (!open_index(b, e, scope)) {
		bind_read(b, e);
		if (e->tensor)
			e->kind = FE_S_READ;
	}
	e->affine = e->kind == FE_S_INDEX || e->kind == FE_S_SIZE;
}

/* ------------------------------------------------------------ operations */

/* Give "scope" slots for its indices, whose names must be new. */
static void enter_scope(struct binder *b, struct fe_scope *scope,
	struct fe_scope *outer)
{
	struct fe_index *i, *k;

	scope->outer = outer;
	for (i = scope->first; i; i = i->next) {
		bool again = find_index(outer, i->symbol) != NULL;

		for (k = scope->first; k != i; k = k->next)
			again |= k->symbol == i->symbol;
		if (again)
			FE_REPORT(b->unit, FE_INDEX_TWICE, &i->loc,
				i->symbol->name);
		else if (i->symbol->param)
			FE_REPORT(b->unit, FE_INDEX_SIZE, &i->loc,
				i->symbol->name);
		i->slot = b->tensor->n_slot++;
	}
	if (count_indices(scope) > FE_MAX_LOOP)
		FE_REPORT(b->unit, FE_LOOPS, &scope->first->loc, FE_MAX_LOOP);
}

/* Check that "e" is made of comparisons of affine expressions. */
static void check_condition(struct binder *b, const struct fe_scalar *e)
{
	int i;

	if (fe_scalar_joins(e)) {
		for (i = 0; i < e->n_arg; i++)
			check_condition(b, e->arg[i]);
	} else if (e->kind == FE_S_OP &&
		   poly_op_shape(e->op) == POLY_SHAPE_COMPARE) {
		for (i = 0; i < e->n_arg; i++)
			check_affine(b, e->arg[i]);
	} else {
		FE_REPORT(b->unit, FE_CONDITION, &e->loc);
	}
}

/* Check the condition "e" of a piece, and find out what values decide; whether
 * these are bools is for the types to say.
 */
static void check_guard(struct binder *b, struct fe_scalar *e)
{
	int i;

	if (fe_scalar_joins(e)) {
		for (i = 0; i < e->n_arg; i++) {
			check_guard(b, e->arg[i]);
			e->data |= e->arg[i]->data;
		}
	} else if (e->affine || e->kind == FE_S_NUMBER) {
		FE_REPORT(b->unit, FE_CONDITION, &e->loc);
	} else {
		e->data = e->kind != FE_S_OP ||
			poly_op_shape(e->op) != POLY_SHAPE_COMPARE ||
			!e->arg[0]->affine || !e->arg[1]->affine;
	}
}

/* Bind the conditions of the definition. */
static void bind_conditions(struct binder *b, struct fe_scope *scope)
{
	for (struct fe_scalar *c = scope->condition; c; c = c->next) {
		bind(b, c, scope);
		check_condition(b, c);
	}
	fe_scope_ask(scope);
}

/* Bind the conditions of the reduction "e", which is in "scope". Those that read values
 * say which terms count, not where they are: they leave the list, and are put together.
 */
static struct fe_scalar *bind_guards(struct binder *b, struct fe_scalar *e)
{
	struct fe_scalar **at = &e->scope->condition, *all = NULL, *c;

	while ((c = *at)) {
		bind(b, c, e->scope);
		if (fe_scalar_reads(c) && fe_scalar_has_guards(e)) {
			*at = c->next;
			all = fe_scalar_both(b->unit, all, c);
		} else {
			check_condition(b, c);
			at = &c->next;
		}
	}
	fe_scope_ask(e->scope);
	return all;
}

/* Is the operation "e" on its bound operands affine? */
static bool is_affine(const struct fe_scalar *e)
{
	int64_t value;

	if (!e->arg[0]->affine || e->n_arg > 2 ||
	    (e->n_arg == 2 && !e->arg[1]->affine))
		return false;
	switch (e->op) {
	case POLY_OP_ADD:
	case POLY_OP_SUB:
	case POLY_OP_NEG:
		return true;
	case POLY_OP_MUL:
		return fe_scalar_whole(e->arg[0], &value) ||
			fe_scalar_whole(e->arg[1], &value);
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return fe_scalar_whole(e->arg[1], &value) && value > 0;
	default:
		return false;
	}
}

/* Bind the names in "e" by the scopes around it, operands before what uses
 * them, and find what is affine. Reductions are for definitions only: sizes and
 * assumptions have none.
 */
static void bind(struct binder *b, struct fe_scalar *e, struct fe_scope *scope)
{
	struct fe_scalar *guard = NULL;
	bool inside = b->inside;
	int i;

	/* one without a symbol was a reduction, which an earlier look has refused */
	if (e->kind == FE_S_NAME) {
		if (e->symbol)
			bind_name(b, e, scope);
		return;
	}
	if (e->kind == FE_S_REDUCE && !b->tensor) {
		FE_REPORT(b->unit, FE_AFFINE, &e->loc, FE_MAX_NUMBER);
		e->kind = FE_S_NAME;
		return;
	}
	if (e->kind == FE_S_REDUCE) {
		enter_scope(b, e->scope, scope);
		scope = e->scope;
		guard = bind_guards(b, e);
	}
	b->inside |= e->kind == FE_S_READ;
	for (i = 0; i < e->n_arg; i++)
		bind(b, e->arg[i], scope);
	b->inside = inside;
	if (guard)
		e->arg[0] = fe_scalar_guarded(b->unit, e, guard);
	if (e->kind == FE_S_NUMBER)
		e->affine = e->whole && fabs(e->value) <= FE_MAX_NUMBER;
	else if (e->kind == FE_S_OP)
		e->affine = is_affine(e);
	if (e->cell)
		check_position(b, e->arg[0]);
	if (e->kind != FE_S_READ)
		return;
	if (e->symbol->tensor || e->symbol->node)
		for (i = 0; i < e->n_arg; i++)
			check_position(b, e->arg[i]);
	bind_read(b, e);
	if (e->tensor && fe_scalar_gathers(e))
		bind_gather(b, e);
}

/* From here on the indices of the definition have the names of the update. */
static void name_cells(struct fe_tensor *t)
{
	struct fe_index *i = t->scope.first;

	for (int d = 0; d < t->rank; d++, i = i->next) {
		i->hidden = i->told;
		if (i->alias)
			i->symbol = i->alias;
	}
}

void fe_bind_tensor(struct fe_unit *u, struct fe_tensor *t)
{
	struct binder b = { .unit = u, .tensor = t };
	struct fe_piece *p;

	enter_scope(&b, &t->scope, NULL);
	bind_conditions(&b, &t->scope);
	if (t->start) {
		bind(&b, t->start, &t->scope);
		name_cells(t);
	}
	if (t->owned)
		add_edge(&b, t->owned);
	for (p = t->piece; p; p = p->next) {
		if (p->condition) {
			bind(&b, p->condition, &t->scope);
			check_guard(&b, p->condition);
			fe_piece_ask(p->condition);
		}
		if (p->value)
			bind(&b, p->value, &t->scope);
	}
}

void fe_bind_size(struct fe_unit *u, struct fe_scalar *e)
{
	struct binder b = { .unit = u };

	bind(&b, e, NULL);
	check_affine(&b, e);
}

void fe_bind_assumption(struct fe_unit *u, struct fe_scalar *e)
{
	struct binder b = { .unit = u };

	bind(&b, e, NULL);
	check_condition(&b, e);
}
