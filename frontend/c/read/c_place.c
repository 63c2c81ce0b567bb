/* Places in memory: elements of arrays, by names, subscripts and pointers.
 *
 * A pointer is a view of an array (fe_c_view): so many of its subscripts are
 * known, and how far from there it points. A view may see the array in other
 * dimensions, to which a cast has turned it:
 *
 *	double (*u)[3][3] = (double (*)[3][3])buf;	u[i][j][k]
 *
 *	buf[(i * 3 + j) * 3 + k]
 *
 * so that c_linear.c finds the dimensions that the array has. "*p" is "p[0]", and
 * "&p[i]" is "p + i". "p->x" is "p[0].x", and a member a part of the last dimension,
 * or a variable (c_object.c).
 */
#include <string.h>

#include "frontend/c/read/read.h"

/* Is the last dimension the scalars of a structure?
 *
 * A structure's scalars are one more dimension: s[i].x is s[i][k].
 */
static bool has_row(const struct fe_c_view *v)
{
	return v->st && !v->object;
}

/* Subscripts that are left; 0: it is a number or a structure. */
int fe_c_remaining(const struct fe_c_view *v)
{
	int n = v->shaped ? v->n_dim : (v->object ? v->n_path :
		v->var->n_dim) - v->n_index;

	return n - has_row(v);
}

/* False. The message says which pointers can be used. */
static bool bad_pointer(struct fe_c_parse *p, const struct poly_loc *loc)
{
	FE_C_ERROR(p, FE_C_POINTER, loc);
	return false;
}

/* ------------------------------------------------------------------- moving */

/* "a" + "b", or the one that is not NULL; integers of 64 bits.
 *
 * NULL is 0. A difference of NULL and b is 0 - b.
 */
static struct fe_c_expr *sum(struct fe_c_parse *p, struct fe_c_expr *a,
	struct fe_c_expr *b, bool minus, const struct poly_loc *loc)
{
	if (!a && !minus)
		return b;
	if (!a)
		a = fe_c_int(p->u, POLY_I64, 0, loc);
	return fe_c_binary(p, minus ? POLY_OP_SUB : POLY_OP_ADD, loc,
		fe_c_convert(p, POLY_I64, a), fe_c_convert(p, POLY_I64, b));
}

/* "e" times the number of elements in what the shaped view "v" points to.
 *
 * Extents but the first.
 */
static struct fe_c_expr *times_row(struct fe_c_parse *p,
	const struct fe_c_view *v, struct fe_c_expr *e)
{
	int d;

	for (d = 1; e && d < v->n_dim; d++)
		e = fe_c_binary(p, POLY_OP_MUL, &e->loc,
			fe_c_convert(p, POLY_I64, e),
			fe_c_convert(p, POLY_I64, v->dim[d]));
	return e;
}

/* "v + e" or "v - e"
 *
 * "e" is NULL after an error.
 */
static bool move(struct fe_c_parse *p, struct fe_c_view *v,
	struct fe_c_expr *e, bool minus, const struct poly_loc *loc)
{
	if (fe_c_remaining(v) < 1)
		return bad_pointer(p, loc);
	if (v->shaped)
		e = times_row(p, v, e);
	if (e)
		v->offset = sum(p, v->offset, e, minus, loc);
	return e && v->offset;
}

/* "v[e]", where a subscript is left.
 *
 * An offset is added to the next subscript; of a shaped view the offset counts
 * elements, so one dimension goes away.
 */
static bool subscript(struct fe_c_parse *p, struct fe_c_view *v,
	struct fe_c_expr *e)
{
	if (!v->shaped) {
		e = sum(p, v->offset, e, false, &e->loc);
		v->index[v->n_index++] = e;
		v->offset = NULL;
		return e != NULL;
	}
	if (!move(p, v, e, false, &e->loc))
		return false;
	memmove(v->dim, v->dim + 1, (size_t)--v->n_dim * sizeof(v->dim[0]));
	return true;
}

/* "&v": a pointer to what "v" is.
 *
 * &a[i][j] has one subscript less and an offset; &x of a number points to one
 * element.
 */
static void take_address(struct fe_c_view *v)
{
	if (!v->shaped && v->n_index) {
		v->offset = v->index[--v->n_index];
	} else if (v->shaped || !fe_c_remaining(v)) {
		if (!v->shaped && has_row(v))
			v->dim[v->n_dim++] = v->var->dim[0];
		memmove(v->dim + 1, v->dim,
			(size_t)v->n_dim++ * sizeof(v->dim[0]));
		v->dim[0] = NULL;
		v->shaped = true;
	}
}

/* Why "v" cannot be seen as "s" says, or NULL.
 *
 * A view in other dimensions must keep the type of elements.
 */
static const char *obstacle(const struct fe_c_view *v,
	const struct fe_c_shape *s)
{
	if (v->object)
		return s->st != v->st ? "it is of another type" :
			fe_c_remaining(v) != s->n_dim ?
			"the array has other dimensions" : NULL;
	if ((s->st ? s->st->type : s->type) != v->var->type ||
	    (s->st && (s->st->is_mixed || s->n_dim == FE_C_MAX_RANK)))
		return "it is of another type";
	if (!v->shaped && (fe_c_remaining(v) != 1 || has_row(v)))
		return "the array has several dimensions, and others";
	return NULL;
}

/* A cast to the shape that it has already does nothing. What is several
 * variables cannot be seen otherwise.
 */
bool fe_c_reshape(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_shape *s, const struct poly_loc *loc)
{
	const char *why;

	if (s->is_void || (!v->shaped && fe_c_remaining(v) == s->n_dim &&
	    s->st == v->st && (v->st || s->type == v->var->type)))
		return true;
	why = obstacle(v, s);
	if (why) {
		FE_C_ERROR(p, FE_C_VIEW, loc, why);
		return false;
	}
	if (v->object)
		return true;
	v->shaped = true;
	v->st = s->st;
	v->n_dim = s->n_dim;
	memcpy(v->dim, s->dim, sizeof(v->dim));
	if (s->st)
		v->dim[v->n_dim++] = fe_c_int(p->u, POLY_I64, s->st->n, loc);
	return true;
}

/* The last member that the text in [t, end) names, or NULL, and how many
 * subscripts are behind it.
 *
 * For messages: "a.b[2]" names b.
 */
static const struct fe_c_token *last_member(const struct fe_c_token *t,
	const struct fe_c_token *end, int *n)
{
	const struct fe_c_token *name = NULL;

	while (t < end) {
		if (fe_c_is(t, "[") && fe_c_skip(t) <= end) {
			t = fe_c_skip(t);
			++*n;
			continue;
		}
		if ((fe_c_is(t, ".") || fe_c_is(t, "->")) && t + 1 < end) {
			name = t + 1;
			*n = 0;
		}
		t++;
	}
	return name;
}

/* Report how many subscripts the array or pointer "v" takes, whose text begins
 * at "t".
 *
 * Counted for what the text names, with what was subscripted already.
 */
static void wrong_number(struct fe_c_parse *p, const struct fe_c_view *v,
	const struct fe_c_token *t)
{
	const struct fe_c_name *n = t->kind == FE_C_NAME ? fe_c_find(p, t) :
		NULL;
	int n_behind = 0;
	const struct fe_c_token *m = last_member(t, p->t, &n_behind);

	if (m)
		FE_C_ERROR(p, FE_C_SUBSCRIPTS, &m->loc, m->len, m->text,
			fe_c_remaining(v) + n_behind);
	else if (n && (n->view || n->var))
		FE_C_ERROR(p, FE_C_SUBSCRIPTS, &t->loc, t->len, t->text,
			n->view ? fe_c_remaining(n->view) : n->var->n_dim);
	else
		bad_pointer(p, &t->loc);
}

/* ------------------------------------------------------------------ members */

/* The number of elements of the next dimension, 0 if that is no constant. */
int64_t fe_c_view_extent(const struct fe_c_view *v)
{
	const struct fe_c_expr *e = v->shaped ? v->dim[0] : v->object ?
		v->object->field[v->field]->dim[v->n_index] :
		v->var->dim[v->n_index];
	int64_t n = 0;

	return fe_c_remaining(v) && e && fe_c_constant(e, &n) ? n : 0;
}

/* v[k] for a number k. */
bool fe_c_view_at(struct fe_c_parse *p, struct fe_c_view *v, int64_t k,
	const struct poly_loc *loc)
{
	return subscript(p, v, fe_c_int(p->u, POLY_I64, k, loc));
}

/* The member "m" of what is several variables.
 *
 * Members of an object are variables of their own (c_object.c).
 */
static bool select_field(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_member *m, const struct poly_loc *loc)
{
	if (v->shaped && v->offset && !fe_c_is_zero(v->offset))
		return bad_pointer(p, loc);
	v->shaped = false;
	v->n_dim = 0;
	v->offset = NULL;
	v->field += m->field;
	v->n_path += m->n_dim;
	v->st = m->inner;
	if (m->inner)
		return true;
	v->var = v->object->field[v->field];
	v->object = NULL;
	return true;
}

/* A member of a row: the scalars from m->at on. */
bool fe_c_select(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_member *m, const struct poly_loc *loc)
{
	if (v->object)
		return select_field(p, v, m, loc);
	if (!v->shaped)
		v->offset = NULL;
	if (v->offset && v->offset->kind == FE_C_INT)
		v->offset = fe_c_int(p->u, POLY_I64, v->offset->bits + m->at, loc);
	else
		v->offset = sum(p, v->offset, fe_c_int(p->u, POLY_I64, m->at,
			loc), false, loc);
	v->shaped = true;
	v->n_dim = m->n_dim;
	memcpy(v->dim, m->dim, (size_t)m->n_dim * sizeof(v->dim[0]));
	if (m->inner)
		v->dim[v->n_dim++] = fe_c_int(p->u, POLY_I64, m->inner->n, loc);
	v->st = m->inner;
	return v->offset != NULL;
}

/* Is "v", whose text begins at "first", a whole structure? Reports it then.
 *
 * A structure is no number: only copies take it as a whole.
 */
static bool is_whole(struct fe_c_parse *p, const struct fe_c_view *v,
	const struct fe_c_token *first)
{
	struct poly_loc loc = fe_c_span(&first->loc, &p->t[-1].loc);

	if (!v->st || fe_c_remaining(v))
		return false;
	FE_C_ERROR(p, FE_C_STRUCT, &loc, v->st->name);
	return true;
}

/* ".x" or "->x" behind "v".
 *
 * "." wants a structure, "->" a pointer to one.
 */
static bool member(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct fe_c_token *t = p->t++;
	bool arrow = fe_c_is(t, "->");
	const struct fe_c_member *m;

	if (!v->st || fe_c_remaining(v) != arrow) {
		FE_C_ERROR(p, FE_C_MEMBER, &t->loc, v->st ? fe_c_remaining(v) > 1 ?
			"an array of structures" : arrow ? "a structure: "
			"'.' takes its members" : "a pointer: '->' takes the "
			"members of what it points to" : "no structure");
		return false;
	}
	if (arrow && !fe_c_view_at(p, v, 0, &t->loc))
		return false;
	m = fe_c_named_member(p, v->st);
	return m && fe_c_select(p, v, m, &t->loc);
}

/* ----------------------------------------------------------------- operands */

static bool operand(struct fe_c_parse *p, struct fe_c_view *v);

/* "[e]" behind "v", whose text begins at "first".
 *
 * A float as a subscript is an error of C, too.
 */
static bool bracket(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_token *first)
{
	struct fe_c_expr *e;

	p->t++;
	if (fe_c_remaining(v) < 1) {
		wrong_number(p, v, first);
		return false;
	}
	e = fe_c_expression(p);
	if (!e || !fe_c_expect(p, "]"))
		return false;
	if (poly_type_is_float(e->type)) {
		FE_C_ERROR(p, FE_C_INTEGERS, &e->loc);
		return false;
	}
	return subscript(p, v, e);
}

/* "[i]", ".x", "->y" and so on behind "v", whose text begins at "first".
 *
 * As many as there are.
 */
static bool postfix(struct fe_c_parse *p, struct fe_c_view *v,
	const struct fe_c_token *first)
{
	for (;;) {
		if (fe_c_is(p->t, "[")) {
			if (!bracket(p, v, first))
				return false;
		} else if (fe_c_is(p->t, ".") || fe_c_is(p->t, "->")) {
			if (!member(p, v))
				return false;
		} else {
			return true;
		}
	}
}

/* The array, or the pointer, that the name is.
 *
 * A copy of the view that the name has.
 */
static bool named(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct fe_c_token *t = p->t++;
	const struct fe_c_name *n = fe_c_find(p, t);

	if (!n || n->is_type) {
		fe_c_undeclared(p, t);
		return false;
	}
	if (n->bad || (!n->view && !n->var)) {
		FE_C_ERROR(p, FE_C_DECLARED, &t->loc, t->len, t->text,
			n->bad ? n->bad : n->value ? "no pointer" :
			"of unknown value");
		return false;
	}
	*v = (struct fe_c_view) { .var = n->var };
	if (n->view)
		*v = *n->view;
	return true;
}

/* "(type) operand"
 *
 * Only casts of pointers come here.
 */
static bool cast(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct poly_loc *loc = &p->t++->loc;
	struct fe_c_shape shape;

	return fe_c_pointer_type(p, &shape) && fe_c_expect(p, ")") &&
		operand(p, v) && fe_c_reshape(p, v, &shape, loc);
}

/* Does a type begin behind the token?
 *
 * Tells a cast from an expression in brackets.
 */
static bool is_type_behind(struct fe_c_parse *p)
{
	bool is;

	p->t++;
	is = fe_c_is_type(p);
	p->t--;
	return is;
}

/* "*v" is "v[0]"; "&v" is a pointer.
 *
 * "*" and "&" in front, from right to left.
 */
static bool prefixed(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct fe_c_token *t = p->t++;

	if (!operand(p, v))
		return false;
	if (fe_c_is(t, "&")) {
		take_address(v);
		return true;
	}
	if (fe_c_remaining(v) < 1)
		return bad_pointer(p, &t->loc);
	return subscript(p, v, fe_c_int(p->u, POLY_I32, 0, &t->loc));
}

/* An array, a pointer or a part of one, with what stands behind it.
 *
 * "v" is a pointer or a part of one afterwards.
 */
static bool operand(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct fe_c_token *first = p->t;
	bool good;

	if (!fe_c_enter(p))
		return false;
	if (fe_c_is(p->t, "&") || fe_c_is(p->t, "*"))
		good = prefixed(p, v);
	else if (fe_c_is(p->t, "(") && is_type_behind(p))
		good = cast(p, v);
	else if (fe_c_accept(p, "("))
		good = fe_c_view(p, v) && fe_c_expect(p, ")") &&
			postfix(p, v, first);
	else if (p->t->kind == FE_C_NAME && !fe_c_is(p->t + 1, "("))
		good = named(p, v) && postfix(p, v, first);
	else
		good = bad_pointer(p, &first->loc);
	fe_c_leave(p);
	return good;
}

bool fe_c_operand(struct fe_c_parse *p, struct fe_c_view *v)
{
	return operand(p, v);
}

/* Sums of a pointer and integers, too. */
bool fe_c_view(struct fe_c_parse *p, struct fe_c_view *v)
{
	const struct fe_c_token *t;
	struct fe_c_expr *e;

	if (!operand(p, v))
		return false;
	while (fe_c_is(p->t, "+") || fe_c_is(p->t, "-")) {
		t = p->t++;
		e = fe_c_term(p);
		if (!e || !move(p, v, e, fe_c_is(t, "-"), &t->loc))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------- elements */

/* "(p + 1)[i]": an element that begins with a bracket. */
bool fe_c_is_place(const struct fe_c_token *t)
{
	const struct fe_c_token *end;

	if (!fe_c_is(t, "("))
		return false;
	end = fe_c_skip(t);
	return fe_c_is(end, "[") || fe_c_is(end, ".") || fe_c_is(end, "->");
}

/* Why "v", whose text begins at "first", is no element.
 *
 * An array that is assigned to as a whole, or too few subscripts.
 */
static void complain(struct fe_c_parse *p, const struct fe_c_view *v,
	const struct fe_c_token *first)
{
	if (first->kind == FE_C_NAME && fe_c_has_effect(p->t) &&
	    !v->n_index && !v->shaped)
		FE_C_ERROR(p, FE_C_DECLARED, &first->loc, first->len,
			first->text, !v->object && v->var->is_param ?
			"a pointer that changes" : "an array as a whole");
	else
		wrong_number(p, v, first);
}

/* Report "*p++", which changes the pointer.
 *
 * Pointers keep their value here.
 */
static bool changes_pointer(struct fe_c_parse *p,
	const struct fe_c_token *first)
{
	const struct fe_c_token *t = first;

	if (!fe_c_is(first, "*") ||
	    (!fe_c_is(p->t, "++") && !fe_c_is(p->t, "--")))
		return false;
	while (t < p->t && t->kind != FE_C_NAME)
		t++;
	FE_C_ERROR(p, FE_C_DECLARED, &t->loc, t->len, t->text,
		"a pointer that changes");
	return true;
}

/* The element as an expression: a variable, or an array at all its subscripts.
 * A shaped view has one subscript, the offset.
 */
struct fe_c_expr *fe_c_element(struct fe_c_parse *p,
	const struct fe_c_view *view, const struct poly_loc *loc)
{
	struct fe_c_view v = *view;
	struct fe_c_expr *e;

	if (v.shaped && v.var->n_dim) {
		v.index[v.n_index++] = v.offset ? v.offset :
			fe_c_int(p->u, POLY_I32, 0, loc);
	} else if (v.shaped && v.offset && !fe_c_is_zero(v.offset)) {
		bad_pointer(p, loc);
		return NULL;
	}
	e = fe_c_scalar(p, v.var, loc);
	e->kind = v.n_index ? FE_C_ELEMENT : FE_C_VAR;
	e->n_index = v.n_index;
	e->index = fe_arena_alloc(&p->u->arena,
		((size_t)v.n_index + 1) * sizeof(*e->index));
	memcpy(e->index, v.index, (size_t)v.n_index * sizeof(*e->index));
	return e;
}

/* NULL, having reported. */
struct fe_c_expr *fe_c_place(struct fe_c_parse *p)
{
	const struct fe_c_token *first = p->t;
	struct fe_c_view v;
	struct fe_c_expr *e;

	if (!operand(p, &v) || changes_pointer(p, first) ||
	    is_whole(p, &v, first))
		return NULL;
	if (fe_c_remaining(&v)) {
		complain(p, &v, first);
		return NULL;
	}
	e = fe_c_element(p, &v, &first->loc);
	if (e)
		e->loc = fe_c_span(&first->loc, &p->t[-1].loc);
	return e;
}
