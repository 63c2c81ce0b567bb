/* What the variables of a nest are, and what must be affine.
 *
 * An integer from outside that nothing changes is a size if a bound, a
 * subscript, an extent or the condition of an "if" needs it; otherwise it is
 * data like any other scalar. An integer that is declared inside with an
 * affine value and never changed is another name of that value. Conditions
 * inside expressions do not make sizes, so the walk goes over the nest twice:
 * the first time finds the sizes, the second reports.
 *
 * A product of two such values is affine if one of them is made of sizes that
 * are fixed. Other products are let be where c_linear.c finds that an array is
 * one of several dimensions, and in data.
 */
#include <string.h>

#include "frontend/c/rewrite/rewrite.h"

/* The walk over the statements; the first one is "quiet". "depth" is that of
 * statements in one another.
 */
struct check {
	struct fe_unit *u;
	bool quiet;
	int depth;
	int data;	/* conditions on data in the innermost loop */
	const struct fe_c_stmt *nest;	/* the outermost loop, or NULL */
};
#define REPORT(ck, ...) \
	do { \
		if (!(ck)->quiet) \
			FE_REPORT((ck)->u, __VA_ARGS__); \
	} while (0)

/* ---------------------------------------------------------------- affine */

static bool is_constant(const struct fe_c_expr *e)
{
	int64_t value;

	return fe_c_constant(e, &value);
}

/* True for a constant from 2^63 on, which an int64_t holds as a negative number: as
 * a term that is right, beside the sum's own range, but not where it is compared,
 * divided by or a result.
 */
static bool is_huge(const struct fe_c_expr *e)
{
	int64_t value;

	return e->type == POLY_U64 && fe_c_constant(e, &value) && value < 0;
}

bool fe_c_known(const struct fe_c_expr *e, int64_t *value)
{
	int64_t a, b;

	if (fe_c_constant(e, value))
		return true;
	if (e->kind == FE_C_VAR && e->var->use == FE_C_ALIAS)
		return fe_c_known(e->var->init, value);
	if (e->kind == FE_C_VAR) {
		*value = e->var->value;
		return e->var->fixed && e->var->outer && !e->var->n_write &&
			!e->var->n_loop;
	}
	if (e->kind == FE_C_CAST && !poly_type_is_float(e->type) &&
	    fe_c_known(e->arg[0], &a)) {
		*value = fe_c_wrap(e->type, a);
		return true;
	}
	if (e->kind != FE_C_OP || poly_type_is_float(e->arg[0]->type) ||
	    !e->arg[1] || !fe_c_known(e->arg[0], &a) ||
	    !fe_c_known(e->arg[1], &b))
		return false;
	*value = fe_c_apply(e->op, e->arg[0]->type, a, b);
	return true;
}

/* Is "e" a number of 32 bits, a constant or made of sizes that are fixed? */
static bool is_known(const struct fe_c_expr *e)
{
	int64_t value;

	return fe_c_known(e, &value) && value >= -INT32_MAX &&
		value <= INT32_MAX;
}

/* True for a constant from 0 to 30, by which any integer is shifted as C has it. */
static bool is_count(const struct fe_c_expr *e)
{
	int64_t value;

	return fe_c_constant(e, &value) && value >= 0 && value <= 30;
}

static bool is_iterator(const void *with, const struct fe_c_expr *e)
{
	return e->kind == FE_C_VAR && (e->var->n_loop ||
		(e->var->use == FE_C_ALIAS && fe_c_any(e->var->init, is_iterator,
		with)));
}

/* May "a", affine, be divided by "e": a constant other than 0 whose absolute value is below
 * 2^31, or such a number that is made of sizes that are fixed? By that sizes alone are
 * divided: of a subscript such as "i % m" it is not known that it is below m.
 */
static bool is_divisor(const struct fe_c_expr *a, const struct fe_c_expr *e)
{
	int64_t value;

	return fe_c_known(e, &value) && value && value >= -INT32_MAX &&
		value <= INT32_MAX && !is_huge(e) &&
		(is_constant(e) || !fe_c_any(a, is_iterator, NULL));
}

/* Is "e" 2^k - 1? */
static bool is_low_mask(const struct fe_c_expr *e)
{
	int64_t value;

	return fe_c_constant(e, &value) && value > 0 && value < INT32_MAX &&
		!(value & (value + 1));
}

/* Is the value of "v" affine: the variable of a loop around, another name of an
 * affine value, or a size, or, with "any", an integer that may become one?
 */
static bool affine_var(const struct fe_c_var *v, bool any)
{
	if (v->n_loop)
		return v->active;
	if (v->use == FE_C_ALIAS)
		return fe_c_affine(v->init, any);
	return v->outer && !v->n_dim && !v->n_write &&
		!poly_type_is_float(v->type) && v->type != POLY_BOOL &&
		(any || v->sized);
}

/* Is the operation "e" affine? Products need a factor that is known, as
 * do divisors; shifts and masks are constants that isl's quotients and remainders can
 * express.
 */
static bool affine_op(const struct fe_c_expr *e, bool any)
{
	const struct fe_c_expr *a = e->arg[0], *b = e->arg[1];

	if (e->op == POLY_OP_ADD || e->op == POLY_OP_SUB)
		return (is_huge(a) || fe_c_affine(a, any)) &&
			(is_huge(b) || fe_c_affine(b, any));
	if (poly_type_is_float(a->type) || !fe_c_affine(a, any))
		return false;
	switch (e->op) {
	case POLY_OP_NEG:
	case POLY_OP_ABS:
		return true;
	case POLY_OP_LT:
	case POLY_OP_LE:
	case POLY_OP_EQ:
	case POLY_OP_NE:
		return fe_c_affine(b, any);
	case POLY_OP_MUL:
		return fe_c_affine(b, any) && (is_known(a) || is_known(b));
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return is_divisor(a, b);
	case POLY_OP_SHL:
	case POLY_OP_SHR:
		return is_count(b);
	case POLY_OP_AND:
		return is_low_mask(b);
	default:
		return false;
	}
}

bool fe_c_affine(const struct fe_c_expr *e, bool any)
{
	if (poly_type_is_float(e->type))
		return false;
	if (is_constant(e))
		return !is_huge(e);
	switch (e->kind) {
	case FE_C_VAR:
		return affine_var(e->var, any);
	case FE_C_OP:
		return affine_op(e, any);
	case FE_C_AND:
	case FE_C_OR:
	case FE_C_NOT:
		return fe_c_affine_cond(e, any);
	case FE_C_COND:
		return fe_c_affine_cond(e->arg[0], any) &&
			fe_c_affine(e->arg[1], any) &&
			fe_c_affine(e->arg[2], any);
	case FE_C_CAST:
		return poly_type_size(e->type) >= 4 &&
			fe_c_affine(e->arg[0], any);
	default:
		return false;
	}
}

bool fe_c_divides(const struct fe_c_expr *e)
{
	if (e->kind == FE_C_VAR && e->var->use == FE_C_ALIAS)
		return fe_c_divides(e->var->init);
	if (e->kind == FE_C_OP && (e->op == POLY_OP_DIV ||
	    e->op == POLY_OP_REM || e->op == POLY_OP_SHR ||
	    e->op == POLY_OP_AND))
		return true;
	for (int i = 0; i < 3 && e->arg[i]; i++)
		if (fe_c_divides(e->arg[i]))
			return true;
	return false;
}

bool fe_c_affine_cond(const struct fe_c_expr *e, bool any)
{
	if (e->kind == FE_C_NOT)
		return fe_c_affine_cond(e->arg[0], any);
	if (e->kind == FE_C_AND || e->kind == FE_C_OR)
		return fe_c_affine_cond(e->arg[0], any) &&
			fe_c_affine_cond(e->arg[1], any);
	return fe_c_affine(e, any);
}

/* True if only the conversion to a float makes "e" not affine. */
static bool is_converted(const struct fe_c_expr *e)
{
	return e->kind == FE_C_CAST && poly_type_is_float(e->type) &&
		fe_c_affine(e->arg[0], true);
}

/* The smallest part of "e" that is not affine. */
static const struct fe_c_expr *culprit(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_ELEMENT || e->kind == FE_C_VAR)
		return e;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (!fe_c_affine_cond(e->arg[i], true) &&
		    !is_converted(e->arg[i]))
			return culprit(e->arg[i]);
	return e;
}

/* The values of the sizes in "e" are part of the program. */
static void fold(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_VAR && e->var->use == FE_C_ALIAS)
		fold(e->var->init);
	else if (e->kind == FE_C_VAR)
		e->var->folded = true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		fold(e->arg[i]);
}

/* Everything from outside that "e" needs is a size. */
static void mark_sizes(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_VAR) {
		if (e->var->use == FE_C_ALIAS)
			mark_sizes(e->var->init);
		else if (!e->var->n_loop)
			e->var->sized = true;
		e->var->used = true;
	}
	if (e->kind == FE_C_OP && e->op == POLY_OP_MUL &&
	    !is_constant(e->arg[0]) && !is_constant(e->arg[1]))
		fold(e->arg[is_known(e->arg[1]) ? 1 : 0]);
	if (e->kind == FE_C_OP && !is_constant(e->arg[0]) &&
	    (e->op == POLY_OP_DIV || e->op == POLY_OP_REM))
		fold(e->arg[1]);
	for (i = 0; i < 3 && e->arg[i]; i++)
		mark_sizes(e->arg[i]);
}

/* "e" must be affine; its part that is not is underlined. */
static bool need_affine(struct check *ck, const struct fe_c_expr *e,
	enum poly_msg id)
{
	const struct fe_c_expr *part;

	if (fe_c_affine_cond(e, true)) {
		mark_sizes(e);
		return true;
	}
	part = culprit(e);
	if (part->kind == FE_C_VAR && part->var->n_loop)
		REPORT(ck, FE_C_ITERATOR_READ, &part->loc, part->var->name);
	else if (id == MSG_FE_C_BOUND)
		REPORT(ck, FE_C_BOUND, &part->loc);
	else if (id == MSG_FE_C_SUBSCRIPT)
		REPORT(ck, FE_C_SUBSCRIPT, &part->loc);
	else
		REPORT(ck, FE_C_EXTENT, &part->loc);
	return false;
}

bool fe_c_has_inactive(const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_VAR && e->var->n_loop && !e->var->active)
		return true;
	for (i = 0; i < 3 && e->arg[i]; i++)
		if (fe_c_has_inactive(e->arg[i]))
			return true;
	return false;
}

/* ----------------------------------------------------------------- values */

/* Note that "v" is used, and check its extents: once to find sizes and once to
 * report. Of several extents that are not affine the first is reported.
 */
static void use_array(struct check *ck, struct fe_c_var *v)
{
	int d;

	v->used = true;
	if (v->checked && (ck->quiet || v->checked == 2))
		return;
	v->checked = ck->quiet ? 1 : 2;
	for (d = 0; d < v->n_dim; d++)
		if (v->dim[d] && !need_affine(ck, v->dim[d],
			MSG_FE_C_EXTENT))
			return;
	for (d = 0; d < 2; d++)
		if (v->limit[d])
			need_affine(ck, v->limit[d], MSG_FE_C_EXTENT);
}

/* True if "index" may be data: the loops around only read the array, as all others
 * have ended or not begun, and its size is known.
 */
static bool can_gather(const struct check *ck, const struct fe_c_expr *e,
	const struct fe_c_expr *index)
{
	const struct fe_c_var *v = e->var;

	return !fe_c_affine_cond(index, true) && v->outer && v->dim[0] &&
		!poly_type_is_float(index->type) &&
		!fe_c_has_inactive(index) && (!v->n_write ||
		(ck->nest && !fe_c_writes(ck->nest->body, v)));
}

/* Is the subscript "index" of "e" data, and the extent of the array unknown? */
static bool lacks_extent(const struct fe_c_expr *e,
	const struct fe_c_expr *index)
{
	const struct fe_c_expr *part;

	if (e->var->dim[0] || !e->var->outer ||
	    fe_c_affine_cond(index, true) || fe_c_has_inactive(index))
		return false;
	part = culprit(index);
	return part->kind == FE_C_ELEMENT ||
		(part->kind == FE_C_VAR && !part->var->n_loop);
}

/* Require that a subscript is affine; where it is data, the message asks for
 * the extent of the array instead, as only that is missing.
 */
static void check_subscript(struct check *ck, const struct fe_c_expr *e,
	const struct fe_c_expr *index)
{
	const char *name = e->var->name;

	if (lacks_extent(e, index))
		REPORT(ck, FE_C_NO_EXTENT, &index->loc, name, name, name);
	else
		need_affine(ck, index, MSG_FE_C_SUBSCRIPT);
}

/* Check what "e" reads: no variable of a loop that has ended, and subscripts
 * that are affine or may be data.
 */
static void check_value(struct check *ck, const struct fe_c_expr *e)
{
	int i;

	if (e->kind == FE_C_VAR && e->var->n_loop && !e->var->active)
		REPORT(ck, FE_C_ITERATOR_READ, &e->loc, e->var->name);
	if (e->kind == FE_C_VAR || e->kind == FE_C_ELEMENT)
		use_array(ck, e->var);
	for (i = 0; i < e->n_index; i++)
		if (can_gather(ck, e, e->index[i]))
			check_value(ck, e->index[i]);
		else
			check_subscript(ck, e, e->index[i]);
	for (i = 0; i < 3 && e->arg[i]; i++)
		check_value(ck, e->arg[i]);
}

/* ------------------------------------------------------------- statements */

static void check_stmts(struct check *ck, const struct fe_c_stmt *s);

/* Check the assignment "s". A local integer that is declared with an affine
 * value, or a sum of products that may become one, and never changed becomes
 * another name of that value.
 */
static void check_assign(struct check *ck, const struct fe_c_stmt *s)
{
	struct fe_c_var *v = s->left->var;

	if (v->n_loop) {
		if (v->active)
			REPORT(ck, FE_C_ITERATOR_WRITE, &s->left->loc,
				v->name);
		return;
	}
	if (s->declares && v->init && v->n_write == 1 &&
	    !poly_type_is_float(v->type) &&
	    fe_c_polynomial(ck->u, v->init))
		v->use = FE_C_ALIAS;
	if (v->use != FE_C_ALIAS)
		check_value(ck, s->left);
	check_value(ck, s->right);
}

/* Check a loop: its bounds are affine, its variable is not that of a loop
 * around, and not too many loops are around it.
 */
static void check_loop(struct check *ck, const struct fe_c_stmt *s)
{
	struct fe_c_var *v = s->var;
	int data = ck->data;

	if (v->active) {
		REPORT(ck, FE_C_ITERATOR_WRITE, &s->loc, v->name);
		return;
	}
	ck->data = 0;
	if (!ck->depth)
		ck->nest = s;
	if (++ck->depth > FE_C_MAX_DEPTH) {
		if (ck->depth == FE_C_MAX_DEPTH + 1)
			REPORT(ck, FE_C_DEPTH, &s->loc, FE_C_MAX_DEPTH);
	} else {
		need_affine(ck, s->right, MSG_FE_C_BOUND);
		v->active = true;
		v->use = FE_C_ITERATOR;
		need_affine(ck, s->cond, MSG_FE_C_BOUND);
		check_stmts(ck, s->body);
		v->active = false;
	}
	if (!--ck->depth)
		ck->nest = NULL;
	ck->data = data;
}

/* Check a condition: an affine one makes sizes; any other is data, under which
 * no "break" may stand.
 */
static void check_if(struct check *ck, const struct fe_c_stmt *s)
{
	bool affine = fe_c_affine_cond(s->cond, true);

	if (affine)
		mark_sizes(s->cond);
	else
		check_value(ck, s->cond);
	ck->data += !affine;
	check_stmts(ck, s->body);
	check_stmts(ck, s->otherwise);
	ck->data -= !affine;
}

/* Check the statements of a list, each by its kind. */
static void check_stmts(struct check *ck, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		switch (s->kind) {
		case FE_C_ASSIGN:
			check_assign(ck, s);
			break;
		case FE_C_FOR:
			check_loop(ck, s);
			break;
		case FE_C_IF:
			check_if(ck, s);
			break;
		case FE_C_BLOCK:
			check_stmts(ck, s->body);
			break;
		case FE_C_BREAK:
			if (ck->data)
				REPORT(ck, FE_C_STATEMENT, &s->loc, s->loc.len,
					s->loc.len == 4 ? "goto" : "break");
			break;
		}
	}
}

void fe_c_check(struct fe_unit *u)
{
	struct check ck = { .u = u, .quiet = true };
	struct fe_c_var *v;

	check_stmts(&ck, u->c->body);
	fe_c_ragged(u);
	fe_c_linear(u);
	fe_c_scatter(u);
	for (v = u->c->var; v; v = v->next)
		v->checked = 0;
	check_stmts(&ck, u->c->body);
	ck.quiet = false;
	check_stmts(&ck, u->c->body);
	for (v = u->c->var; v; v = v->next)
		if (v->sized)
			v->use = FE_C_SIZE;
}
