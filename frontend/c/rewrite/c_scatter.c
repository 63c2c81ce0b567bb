/* Writes to elements whose number is data.
 *
 * Which element "a[k[i]] = e" writes is known only when the program runs. Each
 * element asks whether it is meant, so that the write itself is affine:
 *
 *	for (at = 0; at < n; at++)
 *		if (at == k[i])
 *			a[at] = e;
 *
 * The order of writes stays that of the text, and elements are independent of
 * one another. This needs the extents of the array, and a subscript that does
 * not read the array itself.
 */
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

/* ------------------------------------------------------------------ making */

/* "e" converted to 64 bits, in which elements are counted. */
static struct fe_c_expr *in_i64(struct fe_unit *u, struct fe_c_expr *e)
{
	struct fe_c_expr *cast;

	if (e->type == POLY_I64)
		return e;
	cast = fe_c_make(u, FE_C_CAST, POLY_I64, &e->loc);
	cast->arg[0] = e;
	return cast;
}

/* "a op b" in 64 bits, an int as C has it. */
static struct fe_c_expr *compare(struct fe_unit *u, enum poly_op op,
	struct fe_c_expr *a, struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_OP, POLY_I32, &b->loc);

	e->op = op;
	e->arg[0] = in_i64(u, a);
	e->arg[1] = in_i64(u, b);
	return e;
}

/* A loop variable. */
static struct fe_c_var *add_counter(struct fe_unit *u,
	const struct poly_loc *loc)
{
	struct fe_c_var *v = fe_arena_alloc(&u->arena, sizeof(*v));
	char name[32];

	v->id = u->c->n_var++;
	snprintf(name, sizeof(name), "at_%d", v->id);
	v->name = fe_arena_text(&u->arena, name, strlen(name));
	v->type = POLY_I64;
	v->loc = *loc;
	v->n_loop = 1;
	*u->c->last_var = v;
	u->c->last_var = &v->next;
	return v;
}

static struct fe_c_expr *counter(struct fe_unit *u, struct fe_c_var *v)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_VAR, POLY_I64, &v->loc);

	e->var = v;
	return e;
}

static struct fe_c_expr *both(struct fe_unit *u, struct fe_c_expr *a,
	struct fe_c_expr *b)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_AND, POLY_I32, &a->loc);

	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* --------------------------------------------------------------- statements */

static bool is_data(const struct fe_c_expr *index)
{
	return !fe_c_affine(index, true);
}

/* True if the elements can ask. */
static bool can_ask(const struct fe_c_expr *left)
{
	bool any = false;
	int d;

	for (d = 0; d < left->n_index; d++) {
		if (!is_data(left->index[d]))
			continue;
		any = true;
		if (!left->var->dim[d] ||
		    fe_c_reads(left->index[d], left->var) ||
		    fe_c_has_inactive(left->index[d]) ||
		    poly_type_is_float(left->index[d]->type))
			return false;
	}
	return any;
}

/* A new statement of the given kind around "body". */
static struct fe_c_stmt *wrap(struct fe_unit *u, enum fe_c_stmt_kind kind,
	const struct poly_loc *loc, struct fe_c_stmt *body)
{
	struct fe_c_stmt *s = fe_arena_alloc(&u->arena, sizeof(*s));

	s->kind = kind;
	s->loc = *loc;
	s->body = body;
	return s;
}

/* The loop "at < extent" around "body". */
static struct fe_c_stmt *around(struct fe_unit *u, struct fe_c_var *at,
	struct fe_c_expr *extent, struct fe_c_stmt *body)
{
	struct fe_c_stmt *s = wrap(u, FE_C_FOR, &at->loc, body);

	s->var = at;
	s->right = fe_c_make(u, FE_C_INT, POLY_I64, &at->loc);
	s->cond = compare(u, POLY_OP_LT, counter(u, at), extent);
	s->step = 1;
	s->asks = true;
	return s;
}

/* Replace the assignment by loops over the elements that it may mean. */
static void ask(struct fe_unit *u, struct fe_c_stmt *s)
{
	struct fe_c_expr *left = s->left, *one, *cond = NULL, *one_of;
	struct fe_c_var *at[FE_C_MAX_RANK] = { NULL };
	struct fe_c_stmt *inner = fe_arena_alloc(&u->arena, sizeof(*inner));
	int d;

	one = fe_c_make(u, FE_C_ELEMENT, left->type, &left->loc);
	*one = *left;
	one->index = fe_arena_alloc(&u->arena,
		(size_t)left->n_index * sizeof(*one->index));
	memcpy(one->index, left->index,
		(size_t)left->n_index * sizeof(*one->index));
	for (d = 0; d < left->n_index; d++) {
		if (!is_data(left->index[d]))
			continue;
		at[d] = add_counter(u, &left->index[d]->loc);
		one->index[d] = counter(u, at[d]);
		one_of = compare(u, POLY_OP_EQ, counter(u, at[d]),
			left->index[d]);
		cond = cond ? both(u, cond, one_of) : one_of;
	}
	*inner = *s;
	inner->next = NULL;
	inner->left = one;
	inner->right = fe_c_put(u, s->right, left, one);
	inner = wrap(u, FE_C_IF, &s->loc, inner);
	inner->cond = cond;
	for (d = left->n_index - 1; d >= 0; d--)
		if (at[d])
			inner = around(u, at[d], left->var->dim[d], inner);
	inner->next = s->next;
	*s = *inner;
}

/* Replace assignments to elements that data name, and say so in a remark.
 * Variables of loops around are active, since affine subscripts may have them.
 */
static void walk(struct fe_unit *u, struct fe_c_stmt *s)
{
	bool active;

	for (; s; s = s->next) {
		if (s->kind == FE_C_ASSIGN && s->left->n_index &&
		    can_ask(s->left)) {
			FE_REPORT(u, FE_C_SCATTER, &s->left->loc,
				s->left->var->name);
			ask(u, s);
			continue;
		}
		active = s->var && s->var->active;
		if (s->kind == FE_C_FOR)
			s->var->active = true;
		if (s->kind != FE_C_ASSIGN) {
			walk(u, s->body);
			walk(u, s->otherwise);
		}
		if (s->kind == FE_C_FOR)
			s->var->active = active;
	}
}

void fe_c_scatter(struct fe_unit *u)
{
	walk(u, u->c->body);
}
