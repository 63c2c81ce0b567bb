/* Expression trees: constructors that take their arguments and pass NULL on,
 * so that a caller builds a whole tree and looks once at the result.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "polyir/ir/ir.h"

/* A new node without arguments, or NULL. */
static struct poly_expr *alloc_node(enum poly_op op, enum poly_type t)
{
	struct poly_expr *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->op = op;
	e->type = t;
	return e;
}

/* A node that holds a number. Its bits are those of "value" in the type "t", so
 * the caller rounds first.
 */
struct poly_expr *poly_expr_const(enum poly_type t, double value)
{
	struct poly_expr *e = alloc_node(POLY_OP_CONST, t);

	if (e)
		e->value = value;
	return e;
}

/* A node that reads the size "name". The name is copied; that the program has
 * such a size is for poly_verify to see.
 */
struct poly_expr *poly_expr_param(const char *name)
{
	struct poly_expr *e = alloc_node(POLY_OP_PARAM, POLY_I32);

	if (e && !(e->param = strdup(name)))
		return poly_expr_free(e);
	return e;
}

/* A node that is the value of an affine function, as in a[i] = i + 1. */
struct poly_expr *poly_expr_index(enum poly_type t,
	__isl_take isl_multi_pw_aff *index)
{
	struct poly_expr *e = index ? alloc_node(POLY_OP_INDEX, t) : NULL;

	if (!e) {
		isl_multi_pw_aff_free(index);
		return NULL;
	}
	e->index = index;
	return e;
}

/* A read of one element. The array must be the program's: a tree does not own
 * it, and poly_expr_copy shares it.
 */
struct poly_expr *poly_expr_access(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index)
{
	struct poly_expr *e = NULL;

	if (array && index)
		e = alloc_node(POLY_OP_ACCESS, array->type);
	if (!e) {
		isl_multi_pw_aff_free(index);
		return NULL;
	}
	e->array = array;
	e->index = index;
	return e;
}

/* Element number "at" of "array".
 *
 * Marks the array as gathered, for good: from here on no pass may give it
 * another layout, or fewer cells, since only data tell which elements are read.
 */
struct poly_expr *poly_expr_gather(struct poly_array *array,
	struct poly_expr *at)
{
	struct poly_expr *e = NULL;

	if (array && at)
		e = alloc_node(POLY_OP_GATHER, array->type);
	if (!e) {
		poly_expr_free(at);
		return NULL;
	}
	e->array = array;
	e->arg[0] = at;
	array->gathered = true;
	return e;
}

/* The coordinate "dim" is kept in "value", as a double: no array has more than
 * POLY_SCATTER_DIMS of them.
 */
struct poly_expr *poly_expr_scatter(int dim, struct poly_expr *value,
	struct poly_expr *at)
{
	struct poly_expr *e = poly_expr_op(POLY_OP_SCATTER, value ?
		value->type : POLY_I64, value, at);

	if (e)
		e->value = dim;
	return e;
}

/* The element that lies "behind" elements after the one at "index", counted row
 * by row. What is affine of a position stays visible to the dependences in this
 * way.
 */
struct poly_expr *poly_expr_gather_from(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, struct poly_expr *behind)
{
	struct poly_expr *e;

	if (!index) {
		poly_expr_free(behind);
		return NULL;
	}
	e = poly_expr_gather(array, behind);
	if (e)
		e->index = index;
	else
		isl_multi_pw_aff_free(index);
	return e;
}

/* The operation "op" of type "t" on "a" and, if it has two arguments, "b"
 * (NULL if it has one).
 */
struct poly_expr *poly_expr_op(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b)
{
	struct poly_expr *e = NULL;

	if (a && (b || poly_op_n_arg(op) < 2))
		e = alloc_node(op, t);
	if (!e) {
		poly_expr_free(a);
		poly_expr_free(b);
		return NULL;
	}
	e->arg[0] = a;
	e->arg[1] = b;
	return e;
}

/* The operation "op" of type "t" on three arguments. */
struct poly_expr *poly_expr_op3(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b, struct poly_expr *c)
{
	struct poly_expr *e = NULL;

	if (a && b && c)
		e = alloc_node(op, t);
	if (!e) {
		poly_expr_free(a);
		poly_expr_free(b);
		poly_expr_free(c);
		return NULL;
	}
	e->arg[0] = a;
	e->arg[1] = b;
	e->arg[2] = c;
	return e;
}

/* A node of four arguments, all of which it takes; NULL if one is missing. */
static struct poly_expr *node_of_four(enum poly_op op, enum poly_type t,
	struct poly_expr *const arg[4])
{
	bool all = arg[0] && arg[1] && arg[2] && arg[3];
	struct poly_expr *e = all ? alloc_node(op, t) : NULL;

	for (int i = 0; i < 4; i++) {
		if (e)
			e->arg[i] = arg[i];
		else
			poly_expr_free(arg[i]);
	}
	return e;
}

/* Takes its arguments, and frees them if one is missing. */
struct poly_expr *poly_expr_loop(int number, int stride, struct poly_expr *low,
	struct poly_expr *high, struct poly_expr *first, struct poly_expr *next)
{
	struct poly_expr *arg[] = { low, high, first, next }, *e;

	e = node_of_four(POLY_OP_LOOP, first ? first->type : POLY_I64, arg);
	if (e) {
		e->value = number;
		e->stride = stride;
	}
	return e;
}

struct poly_expr *poly_expr_step(int number)
{
	struct poly_expr *e = alloc_node(POLY_OP_STEP, POLY_I64);

	if (e)
		e->value = number;
	return e;
}

struct poly_expr *poly_expr_carry(int number, enum poly_type t)
{
	struct poly_expr *e = alloc_node(POLY_OP_CARRY, t);

	if (e)
		e->value = number;
	return e;
}

struct poly_expr *poly_expr_put(struct poly_expr *words, int at,
	struct poly_expr *part)
{
	struct poly_expr *e = poly_expr_op(POLY_OP_PUT, words ? words->type :
		POLY_WORDS_1, words, part);

	if (e)
		e->value = at;
	return e;
}

struct poly_expr *poly_expr_part(enum poly_type t, int at,
	struct poly_expr *words)
{
	struct poly_expr *e = poly_expr_op(POLY_OP_PART, t, words, NULL);

	if (e)
		e->value = at;
	return e;
}

struct poly_expr *poly_expr_side(enum poly_op op, enum poly_type t)
{
	return alloc_node(op, t);
}

struct poly_expr *poly_expr_join(struct poly_expr *left,
	struct poly_expr *right, struct poly_expr *both, struct poly_expr *none)
{
	struct poly_expr *arg[] = { left, right, both, none };

	return node_of_four(POLY_OP_JOIN, left ? left->type : POLY_WORDS_1, arg);
}

/* Both choices are evaluated on the device, so neither may read outside of its
 * array.
 */
struct poly_expr *poly_expr_select(struct poly_expr *cond,
	struct poly_expr *a, struct poly_expr *b)
{
	return poly_expr_op3(POLY_OP_SELECT, a ? a->type : POLY_BOOL, cond, a,
		b);
}

struct poly_expr *poly_expr_cast(enum poly_type t, struct poly_expr *e)
{
	if (!e || e->type == t)
		return e;
	return poly_expr_op(POLY_OP_CAST, t, e, NULL);
}

/* A copy of "e" (NULL of NULL); arrays are shared, they belong to the program.
 *
 * As expensive as the tree is large: isl's objects are only referenced once
 * more.
 */
struct poly_expr *poly_expr_copy(const struct poly_expr *e)
{
	switch (e ? e->op : POLY_OP_NONE) {
	/* The cast keeps its type as any operator does; only leaves and what
	 * stands on an index have constructors of their own.
	 */
	case POLY_OP_NONE:
		return NULL;
	case POLY_OP_CONST:
		return poly_expr_const(e->type, e->value);
	case POLY_OP_PARAM:
		return poly_expr_param(e->param);
	case POLY_OP_ACCESS:
		return poly_expr_access(e->array,
			isl_multi_pw_aff_copy(e->index));
	case POLY_OP_GATHER:
		if (e->index)
			return poly_expr_gather_from(e->array,
				isl_multi_pw_aff_copy(e->index),
				poly_expr_copy(e->arg[0]));
		return poly_expr_gather(e->array, poly_expr_copy(e->arg[0]));
	case POLY_OP_INDEX:
		return poly_expr_index(e->type,
			isl_multi_pw_aff_copy(e->index));
	case POLY_OP_SCATTER:
		return poly_expr_scatter((int)e->value,
			poly_expr_copy(e->arg[0]), poly_expr_copy(e->arg[1]));
	case POLY_OP_LOOP:
		return poly_expr_loop((int)e->value, e->stride,
			poly_expr_copy(e->arg[0]), poly_expr_copy(e->arg[1]),
			poly_expr_copy(e->arg[2]), poly_expr_copy(e->arg[3]));
	case POLY_OP_PUT:
		return poly_expr_put(poly_expr_copy(e->arg[0]), (int)e->value,
			poly_expr_copy(e->arg[1]));
	case POLY_OP_PART:
		return poly_expr_part(e->type, (int)e->value,
			poly_expr_copy(e->arg[0]));
	case POLY_OP_LEFT:
	case POLY_OP_RIGHT:
		return poly_expr_side(e->op, e->type);
	case POLY_OP_JOIN:
		return poly_expr_join(poly_expr_copy(e->arg[0]),
			poly_expr_copy(e->arg[1]), poly_expr_copy(e->arg[2]),
			poly_expr_copy(e->arg[3]));
	case POLY_OP_STEP:
		return poly_expr_step((int)e->value);
	case POLY_OP_CARRY:
		return poly_expr_carry((int)e->value, e->type);
	default:
		if (poly_op_n_arg(e->op) == 3)
			return poly_expr_op3(e->op, e->type,
				poly_expr_copy(e->arg[0]),
				poly_expr_copy(e->arg[1]),
				poly_expr_copy(e->arg[2]));
		return poly_expr_op(e->op, e->type, poly_expr_copy(e->arg[0]),
			poly_expr_copy(e->arg[1]));
	}
}

/* Release "e" and what is below it; returns NULL. */
struct poly_expr *poly_expr_free(struct poly_expr *e)
{
	if (!e)
		return NULL;
	for (int i = 0; i < POLY_MAX_ARG; i++)
		poly_expr_free(e->arg[i]);
	free(e->param);
	isl_multi_pw_aff_free(e->index);
	free(e);
	return NULL;
}

/* The largest or smallest value of the integer type "t", computed in "c"; 64
 * bits are put together, as they are no double.
 */
static struct poly_expr *integer_end(enum poly_type t, bool largest)
{
	enum poly_type c = poly_type_compute(t);
	bool is_unsigned = poly_type_class(t) == POLY_CLASS_UINT;
	int bits = 8 * poly_type_size(t);
	struct poly_expr *e;

	/* 0 - 1 is not a constant of these types: NOT 0 has all bits set in
	 * each width.
	 */
	if (is_unsigned && !largest)
		return poly_expr_const(c, 0);
	if (bits < 64)
		return poly_expr_const(c, is_unsigned ? ldexp(1, bits) - 1 :
			largest ? ldexp(1, bits - 1) - 1 :
			-ldexp(1, bits - 1));
	if (is_unsigned)
		return poly_expr_op(POLY_OP_NOT, c, poly_expr_const(c, 0),
			NULL);
	e = poly_expr_op(POLY_OP_SHL, c, poly_expr_const(c, 1),
		poly_expr_const(c, 63));
	return largest ? poly_expr_op(POLY_OP_NOT, c, e, NULL) : e;
}

/* What changes nothing in a reduction by "op" of values of "t". */
struct poly_expr *poly_expr_identity(enum poly_op op, enum poly_type t)
{
	enum poly_type c = poly_type_compute(t);

	/* Of AND all bits set, of MIN the largest value, of MUL 1; of ADD, OR,
	 * XOR and MAX of unsigned values 0.
	 */
	if (op == POLY_OP_AND)
		return poly_expr_op(POLY_OP_NOT, c, poly_expr_const(c, 0),
			NULL);
	if (op != POLY_OP_MIN && op != POLY_OP_MAX)
		return poly_expr_const(c, op == POLY_OP_MUL);
	if (poly_type_is_float(t))
		return poly_expr_const(c, op == POLY_OP_MIN ? INFINITY :
			-INFINITY);
	return integer_end(t, op == POLY_OP_MIN);
}

/* The order of calls is a node before its arguments, and these from left to
 * right; an argument of a gather may hold gathers itself.
 */
struct poly_expr *poly_expr_nothing(enum poly_op op, enum poly_type t)
{
	struct poly_expr *e = op == POLY_OP_ADD && poly_type_is_float(t) ?
		poly_expr_const(poly_type_compute(t), -0.0) :
		poly_expr_identity(op, t);

	return poly_expr_cast(t, e);
}

void poly_expr_each_gather(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user)
{
	if (!e)
		return;
	if (e->op == POLY_OP_GATHER)
		fn(e, user);
	for (int i = 0; i < POLY_MAX_ARG; i++)
		poly_expr_each_gather(e->arg[i], fn, user);
}

/* Reads by SCATTER's arguments are among them; what a statement writes is not
 * in its expression.
 */
void poly_expr_each_access(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user)
{
	if (!e)
		return;
	if (e->op == POLY_OP_ACCESS)
		fn(e, user);
	for (int i = 0; i < POLY_MAX_ARG; i++)
		poly_expr_each_access(e->arg[i], fn, user);
}

/* "ma" goes from the new domain to the old one, as { T[a,b] -> S[b,a] } does to
 * make S's expression one of T. A failure of isl leaves an index NULL, which
 * poly_verify refuses.
 */
void poly_expr_pullback(struct poly_expr *e, __isl_keep isl_multi_aff *ma)
{
	if (!e)
		return;
	if (e->index)
		e->index = isl_multi_pw_aff_pullback_multi_aff(e->index,
			isl_multi_aff_copy(ma));
	for (int i = 0; i < POLY_MAX_ARG; i++)
		poly_expr_pullback(e->arg[i], ma);
}

/* True also where isl does not know: who asks wants to leave out a loop, which
 * is right only if nothing depends on it.
 */
bool poly_expr_moves(const struct poly_expr *e, int dim)
{
	bool does = e->index && isl_multi_pw_aff_involves_dims(e->index,
		isl_dim_in, dim, 1) != isl_bool_false;

	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		does |= poly_expr_moves(e->arg[i], dim);
	return does;
}

/* The search for a read of "array". */
struct find {
	const struct poly_array *array;
	bool found;
};

static void find_read(struct poly_expr *leaf, void *user)
{
	struct find *f = user;

	f->found |= leaf->array == f->array;
}

bool poly_expr_is_number(const struct poly_expr *e)
{
	bool is = e->op == POLY_OP_CONST || poly_op_n_arg(e->op) > 0;

	is = is && e->op != POLY_OP_GATHER && e->op != POLY_OP_LOOP;
	for (int i = 0; i < poly_op_n_arg(e->op) && is; i++)
		is = poly_expr_is_number(e->arg[i]);
	return is;
}

bool poly_expr_accesses(struct poly_expr *e, const struct poly_array *array)
{
	struct find f = { array, false };

	poly_expr_each_access(e, find_read, &f);
	poly_expr_each_gather(e, find_read, &f);
	return f.found;
}

bool poly_expr_has(const struct poly_expr *e, enum poly_op op, int number)
{
	bool has = e->op == op && (number < 0 || e->value == number);

	for (int i = 0; i < poly_op_n_arg(e->op) && !has; i++)
		has = poly_expr_has(e->arg[i], op, number);
	return has;
}
