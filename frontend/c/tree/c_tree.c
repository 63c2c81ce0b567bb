/* What the tree of a nest says of itself, whoever made it.
 *
 * Questions that reading, rewriting and lowering ask. All recurse over
 * expressions, whose depth the parser bounds.
 */
#include <string.h>

#include "frontend/c/tree/tree.h"

/* In the arena; everything but these is 0. */
struct fe_c_expr *fe_c_make(struct fe_unit *u, enum fe_c_kind kind,
	enum poly_type type, const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_arena_alloc(&u->arena, sizeof(*e));

	e->kind = kind;
	e->type = type;
	e->op = POLY_OP_NONE;
	e->loc = *loc;
	return e;
}

struct fe_c_expr *fe_c_int(struct fe_unit *u, enum poly_type type,
	int64_t bits, const struct poly_loc *loc)
{
	struct fe_c_expr *e = fe_c_make(u, FE_C_INT, type, loc);

	e->bits = fe_c_wrap(type, bits);
	return e;
}

/* For questions about which variable is meant, where a promotion does not
 * matter.
 */
const struct fe_c_expr *fe_c_without_casts(const struct fe_c_expr *e)
{
	while (e->kind == FE_C_CAST)
		e = e->arg[0];
	return e;
}

bool fe_c_any(const struct fe_c_expr *e, bool (*ask)(const void *with,
	const struct fe_c_expr *e), const void *with)
{
	if (ask(with, e))
		return true;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (fe_c_any(e->arg[i], ask, with))
			return true;
	for (int i = 0; i < e->n_index; i++)
		if (fe_c_any(e->index[i], ask, with))
			return true;
	return false;
}

static bool is_read(const void *v, const struct fe_c_expr *e)
{
	return e->var == v || (e->kind == FE_C_VAR &&
		e->var->use == FE_C_ALIAS && fe_c_reads(e->var->init, v));
}

/* Aliases, variables that stand for an expression, are looked into. */
bool fe_c_reads(const struct fe_c_expr *e, const struct fe_c_var *v)
{
	return fe_c_any(e, is_read, v);
}

bool fe_c_list_reads(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	for (; s; s = s->next) {
		if (s->right && fe_c_reads(s->right, v))
			return true;
		if (s->kind == FE_C_FOR && s->var == v)
			continue;
		for (int i = 0; s->left && i < s->left->n_index; i++)
			if (fe_c_reads(s->left->index[i], v))
				return true;
		if ((s->cond && fe_c_reads(s->cond, v)) ||
		    (s->by && fe_c_reads(s->by, v)) ||
		    fe_c_list_reads(s->body, v) ||
		    fe_c_list_reads(s->otherwise, v))
			return true;
	}
	return false;
}

static bool is_changed(const void *with, const struct fe_c_expr *e)
{
	const struct fe_c_stmt *loop = with;

	return e->var && e->var != loop->var && fe_c_writes(loop->body, e->var);
}

bool fe_c_changes(const struct fe_c_stmt *loop, const struct fe_c_expr *e)
{
	return fe_c_any(e, is_changed, loop);
}

/* True if both are the same value wherever they stand next to each other.
 *
 * Floats by their bits, so that 0 and -0 differ and a NaN is itself.
 */
bool fe_c_same(const struct fe_c_expr *a, const struct fe_c_expr *b)
{
	int i;

	if (a == b)
		return true;
	if (a->kind != b->kind || a->type != b->type || a->op != b->op ||
	    a->var != b->var || a->bits != b->bits ||
	    a->n_index != b->n_index)
		return false;
	if (a->kind == FE_C_FLOAT && memcmp(&a->value, &b->value,
		sizeof(a->value)))
		return false;
	for (i = 0; i < a->n_index; i++)
		if (!fe_c_same(a->index[i], b->index[i]))
			return false;
	for (i = 0; i < 3; i++)
		if (!a->arg[i] != !b->arg[i] ||
		    (a->arg[i] && !fe_c_same(a->arg[i], b->arg[i])))
			return false;
	return true;
}

bool fe_c_writes(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	for (; s; s = s->next)
		if ((s->left && s->left->var == v) || s->var == v ||
		    fe_c_writes(s->body, v) || fe_c_writes(s->otherwise, v))
			return true;
	return false;
}

/* Is "v" in "s" itself, outside of what it holds? */
static bool has(const struct fe_c_stmt *s, const struct fe_c_var *v)
{
	return (s->left && fe_c_reads(s->left, v)) ||
		(s->right && fe_c_reads(s->right, v)) ||
		(s->cond && fe_c_reads(s->cond, v)) || s->var == v;
}

bool fe_c_has_others(const struct fe_c_stmt *list, const struct fe_c_stmt *s,
	const struct fe_c_var *v)
{
	for (; list; list = list->next)
		if (list != s && (has(list, v) ||
		    fe_c_has_others(list->body, s, v) ||
		    fe_c_has_others(list->otherwise, s, v)))
			return true;
	return false;
}

const struct fe_c_stmt *fe_c_inside(const struct fe_c_stmt *s)
{
	while (s && !s->next && s->kind == FE_C_BLOCK)
		s = s->body;
	return s;
}

/* ------------------------------------------------------------- constants */

/* The value of an operation on integer constants; false if it is none.
 *
 * With C's wrapping, in the type of the operands.
 */
static bool constant_op(const struct fe_c_expr *e, int64_t *value)
{
	int64_t a, b = 0;

	if (poly_type_is_float(e->arg[0]->type) ||
	    !fe_c_constant(e->arg[0], &a) ||
	    (e->arg[1] && !fe_c_constant(e->arg[1], &b)))
		return false;
	*value = fe_c_apply(e->op, e->arg[0]->type, a, b);
	return true;
}

/* The value of "!a", "a && b" or "a || b"; b need not be constant where a
 * decides.
 *
 * 0 && x is 0 for any x.
 */
static bool constant_logic(const struct fe_c_expr *e, int64_t *value)
{
	int64_t a, b;

	if (!fe_c_constant(e->arg[0], &a))
		return false;
	if (e->kind == FE_C_NOT) {
		*value = !a;
		return true;
	}
	if ((a != 0) == (e->kind == FE_C_OR)) {
		*value = a != 0;
		return true;
	}
	if (!fe_c_constant(e->arg[1], &b))
		return false;
	*value = b != 0;
	return true;
}

/* The constant expressions of C, and aliases of such. A float converted to an
 * integer counts within 64 bits.
 */
bool fe_c_constant(const struct fe_c_expr *e, int64_t *value)
{
	int64_t a;

	switch (e->kind) {
	case FE_C_INT:
		*value = e->bits;
		return true;
	case FE_C_VAR:
		return e->var->use == FE_C_ALIAS &&
			fe_c_constant(e->var->init, value);
	case FE_C_OP:
		return constant_op(e, value);
	case FE_C_AND:
	case FE_C_OR:
	case FE_C_NOT:
		return constant_logic(e, value);
	case FE_C_COND:
		return fe_c_constant(e->arg[0], &a) &&
			fe_c_constant(e->arg[a ? 1 : 2], value);
	case FE_C_CAST:
		if (poly_type_is_float(e->type))
			return false;
		if (e->arg[0]->kind == FE_C_FLOAT) {
			double x = e->arg[0]->value;

			if (!(x > -9e18 && x < 9e18))
				return false;
			*value = e->type == POLY_BOOL ? x != 0 :
				fe_c_wrap(e->type, (int64_t)x);
			return true;
		}
		if (!fe_c_constant(e->arg[0], &a))
			return false;
		*value = fe_c_wrap(e->type, a);
		return true;
	default:
		return false;
	}
}

/* False if it is no constant. */
bool fe_c_is_zero(const struct fe_c_expr *e)
{
	int64_t bits;

	return fe_c_constant(e, &bits) && !bits;
}

/* ------------------------------------------------------------- variables */

/* The variable that the nest returns, or NULL. */
struct fe_c_var *fe_c_result(const struct fe_c_unit *c)
{
	struct fe_c_var *v = c->var;

	while (v && !v->is_result)
		v = v->next;
	return v;
}

/* "param" in front marks a parameter of index notation's nests that is a size.
 */
bool fe_c_is_size(const struct fe_c_param *p)
{
	return fe_c_is(p->name - 1, "param");
}
