/* Rows of a recurrence in tiles: the program with more statements, no new order.
 *
 *	y[0] = ..				i = L b + r
 *	S: y[i] = y[i - 1] + x[i]
 *
 * becomes, of rows that lie along memory, in tiles of L elements,
 *
 *	w[0, 0] = y[0]
 *	S: w[b, r] = w[b', r'] + x[L b + r]	L b' + r' = L b + r - 1
 *	y[L b + r] = w[b, r]
 *
 * which blocks scan in turn: each hands on to the next what its tile ends with. Of other
 * rows, where a block has several side by side, it becomes
 *
 *	p[b] = sum over r: x[L b + r]		parts: sums of all tiles but the last
 *	c[1] = y[0] + p[0]			carries: what is before a tile
 *	c[b] = c[b - 1] + p[b - 1]
 *	w[0, 0] = y[0]				each tile by itself
 *	w[b, 0] = c[b] + x[L b]
 *	S: w[b, r] = w[b, r - 1] + x[L b + r]
 *	y[L b + r] = w[b, r]
 *
 * where the carries are a recurrence again. Of a linear one, y[i] = a[i] y[i - 1] + x[i],
 * a tile does what one number times what is before it, plus another one, does: these are
 * the last elements of two recurrences of the tile's own, a product and one that begins
 * with nothing. They are summed up where nothing else is, which is how a block hands on
 * one element of a row:
 *
 *	u[b, r] = a[L b + r] u[b, r - 1] + x[L b + r]	p[b] += u[b, L - 1]
 *	v[b, r] = v[b, r - 1] a[L b + r]		q[b] += v[b, L - 1]
 *	c[b] = q[b - 1] c[b - 1] + p[b - 1]
 *
 * The statement that gives y its first value, if there is one that does nothing else,
 * becomes that which stores the tiles; otherwise the tiles begin with what it has
 * written. Nothing stores a temporary that is read where the tiles are (turn.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/scans/divide.h"

/* -------------------------------------------------------------- statements */

/* A temporary of "n" dimensions [outer.., b, r] like what is computed. */
static struct poly_array *add_array(struct poly_divide *d, const char *suffix,
	int n)
{
	const struct poly_array *like = d->stmt->write_array;
	char *name = poly_unique_name(d->prog, like->name, suffix);
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(d->prog->context));
	struct poly_array *array = NULL;
	isl_multi_val *mv;

	space = isl_space_add_dims(space, isl_dim_set, n);
	if (name)
		space = isl_space_set_tuple_name(space, isl_dim_set, name);
	mv = isl_multi_val_zero(isl_space_copy(space));
	for (int i = 0; i < n; i++)
		mv = isl_multi_val_set_at(mv, i, isl_val_int_from_si(
			d->prog->ctx, i < d->n - 1 ? d->box->count[i] :
			i < d->n ? d->tiles : d->length));
	space = isl_space_params(space);
	if (name)
		array = poly_prog_add_array(d->prog, name, like->type,
			POLY_TEMP, isl_multi_pw_aff_from_multi_aff(
			isl_multi_aff_multi_val_on_domain_space(space, mv)));
	else
		isl_space_free(space);
	if (!name)
		isl_multi_val_free(mv);
	free(name);
	if (array)
		array->loc = like->loc;
	d->failed |= !array;
	return array;
}

/* "{ X[..] -> A[outer.., b + tile, r + step] }", as many of these as A has. */
static __isl_give isl_multi_pw_aff *cell(const struct poly_divide *d,
	__isl_keep isl_space *space, const struct poly_array *array, int tile,
	int step)
{
	isl_aff_list *list = isl_aff_list_alloc(d->prog->ctx, array->n_dim);
	isl_space *to = isl_space_set_from_params(isl_space_params(
		isl_space_copy(space)));

	to = isl_space_add_dims(to, isl_dim_set, array->n_dim);
	to = isl_space_set_tuple_name(to, isl_dim_set, array->name);
	for (int i = 0; i < array->n_dim; i++)
		list = isl_aff_list_add(list, isl_aff_add_constant_si(
			poly_divide_var(space, i), i < d->n - 1 ? 0 : i < d->n ? tile :
			step));
	return isl_multi_pw_aff_from_multi_aff(isl_multi_aff_from_aff_list(
		isl_space_map_from_domain_and_range(isl_space_copy(space), to),
		list));
}

static struct poly_expr *read_cell(const struct poly_divide *d,
	__isl_keep isl_space *space, struct poly_array *array, int tile,
	int step)
{
	return poly_expr_access(array, cell(d, space, array, tile, step));
}

/* "e", which is on the old statement, at the points of "space". */
static struct poly_expr *moved(const struct poly_divide *d, const struct poly_expr *e,
	__isl_keep isl_space *space)
{
	struct poly_expr *copy = e ? poly_expr_copy(e) : NULL;
	isl_multi_aff *ma = poly_divide_instance(d, space);

	if (copy)
		poly_expr_pullback(copy, ma);
	isl_multi_aff_free(ma);
	return copy;
}

/* The first value of the row, at the points of "space". */
static struct poly_expr *first_value(const struct poly_divide *d,
	__isl_keep isl_space *space)
{
	struct poly_expr *copy;
	isl_multi_aff *ma;

	if (d->start) {
		ma = poly_divide_start_instance(d, space);
		copy = poly_expr_copy(d->first);
		poly_expr_pullback(copy, ma);
	} else {
		isl_multi_pw_aff *index;

		ma = poly_divide_instance_at(d, space, poly_divide_constant(space, d->box->first - 1));
		index = isl_multi_pw_aff_pullback_multi_aff(
			isl_multi_pw_aff_copy(d->box->stmt->write_index),
			isl_multi_aff_copy(ma));
		copy = poly_expr_access(d->box->stmt->write_array, index);
	}
	isl_multi_aff_free(ma);
	return copy;
}

/* What the recurrence makes of "before" at the points of "space". */
static struct poly_expr *next_value(const struct poly_divide *d,
	__isl_keep isl_space *space, struct poly_expr *before)
{
	enum poly_type t = d->stmt->write_array->type;
	struct poly_expr *value = moved(d, d->value, space);

	if (d->factor)
		before = poly_expr_op(POLY_OP_MUL, t, moved(d, d->factor,
			space), before);
	if (d->both)
		return poly_expr_join(before, value, poly_expr_copy(d->both),
			poly_expr_copy(d->none));
	return value ? poly_expr_op(d->box->r.op, t, before, value) : before;
}

/* The points of a new statement named after the old one and "suffix". */
static __isl_give isl_space *new_points(struct poly_divide *d, const char *suffix,
	bool inner)
{
	char *name = poly_unique_name(d->prog, d->stmt->name, suffix);
	isl_space *space = poly_divide_points(d, name ? name : "", inner);

	d->failed |= !name;
	free(name);
	return space;
}

/* Add the statement whose points are the "set" of "space", both of which are taken, and
 * which writes "array" there.
 */
static void add_stmt(struct poly_divide *d, __isl_take isl_space *space,
	__isl_take isl_set *set, struct poly_array *array, enum poly_op op,
	struct poly_expr *value)
{
	struct poly_stmt *s = NULL;

	if (!d->failed)
		s = poly_prog_add_stmt(d->prog, isl_space_get_tuple_name(space,
			isl_dim_set), POLY_POINT, set);
	else
		isl_set_free(set);
	if (s) {
		s->loc = d->stmt->loc;
		poly_stmt_set_write(s, array, cell(d, space, array, 0, 0), op,
			value);
	} else {
		poly_expr_free(value);
	}
	isl_space_free(space);
	d->failed |= !s || !s->rhs;
}

/* The points of "set" whose element of the tile is number "at". */
static __isl_give isl_set *at_element(const struct poly_divide *d,
	__isl_take isl_set *set, int64_t at)
{
	return isl_set_fix_val(set, isl_dim_set, d->n,
		isl_val_int_from_si(d->prog->ctx, at));
}

/* The elements that begin the tiles of "space", but for the last tile, or, with
 * "others", those that do not.
 */
static __isl_give isl_set *begins(const struct poly_divide *d,
	__isl_keep isl_space *space, bool others)
{
	isl_set *first = poly_divide_from_element(d, poly_divide_tiles(d, space, 0, 0), space,
		d->box->first);
	isl_set *all = poly_divide_from_element(d, poly_divide_tiles(d, space, 0, d->tiles - 2),
		space, d->box->first), *set;

	first = at_element(d, first, d->box->first - d->base);
	set = isl_set_union(first, at_element(d, poly_divide_from_element(d, poly_divide_tiles(d,
		space, 1, d->tiles - 2), space, d->box->first), 0));
	if (others)
		return isl_set_subtract(all, set);
	isl_set_free(all);
	return set;
}

/* Begin all of "part" but the last with what changes nothing in a reduction by "op". */
static void begin_parts(struct poly_divide *d, struct poly_array *part,
	enum poly_op op)
{
	isl_space *space = new_points(d, "part_begin", false);

	add_stmt(d, space, poly_divide_tiles(d, space, 0, d->tiles - 2), part, POLY_OP_NONE,
		poly_expr_cast(part->type, poly_expr_identity(op, part->type)));
}

/* What the tiles do, as reductions. Those of floats to the least or greatest begin with
 * an element, as in the ring an infinity is none of these.
 */
static void reduce_parts(struct poly_divide *d)
{
	enum poly_op op = d->box->r.op;
	bool element = poly_type_is_float(d->part->type) &&
		(op == POLY_OP_MIN || op == POLY_OP_MAX);
	isl_space *space;

	if (element) {
		space = new_points(d, "part_begin", true);
		add_stmt(d, space, begins(d, space, false), d->part,
			POLY_OP_NONE, moved(d, d->value, space));
	} else {
		begin_parts(d, d->part, op);
	}
	space = new_points(d, "part", true);
	add_stmt(d, space, element ? begins(d, space, true) : poly_divide_from_element(d,
		poly_divide_tiles(d, space, 0, d->tiles - 2), space, d->box->first),
		d->part, op, moved(d, d->value, space));
}

/* What each tile does, as the last element of a recurrence of its own: that of the
 * factors alone, or, with "linear", all of it, beginning with nothing.
 */
static void scan_parts(struct poly_divide *d, struct poly_array *part, bool factors)
{
	enum poly_type t = part->type;
	struct poly_array *own = add_array(d, factors ? "factors" : "values",
		d->n + 1);
	const struct poly_expr *value = factors ? d->factor : d->value;
	struct poly_expr *e;
	isl_space *space;

	if (!own)
		return;
	space = new_points(d, "first", true);
	add_stmt(d, space, begins(d, space, false), own, POLY_OP_NONE, value ?
		moved(d, value, space) : poly_expr_cast(t,
		poly_expr_identity(POLY_OP_ADD, t)));
	space = new_points(d, "next", true);
	e = read_cell(d, space, own, 0, -1);
	add_stmt(d, space, begins(d, space, true), own, POLY_OP_NONE, factors ?
		poly_expr_op(POLY_OP_MUL, t, e, moved(d, value, space)) :
		next_value(d, space, e));
	begin_parts(d, part, POLY_OP_ADD);
	space = new_points(d, "last", true);
	add_stmt(d, space, at_element(d, poly_divide_from_element(d, poly_divide_tiles(d, space, 0,
		d->tiles - 2), space, d->box->first), d->length - 1), part,
		POLY_OP_ADD, read_cell(d, space, own, 0, 0));
}

/* "before" and then the tile before that of "space". */
static struct poly_expr *behind_tile(const struct poly_divide *d,
	__isl_keep isl_space *space, struct poly_expr *before)
{
	enum poly_type t = d->part->type;

	if (d->factor)
		before = poly_expr_op(POLY_OP_MUL, t, read_cell(d, space,
			d->product, -1, 0), before);
	return poly_expr_op(d->factor ? POLY_OP_ADD : d->box->r.op, t, before,
		read_cell(d, space, d->part, -1, 0));
}

/* What is before each tile but the first. */
static void add_carries(struct poly_divide *d)
{
	bool sums = !d->factor && (d->box->r.op != POLY_OP_MUL ||
		!poly_type_is_float(d->stmt->write_array->type));
	isl_space *space;

	d->part = add_array(d, "part", d->n);
	d->product = d->factor ? add_array(d, "product", d->n) : NULL;
	d->carry = add_array(d, "carry", d->n);
	if (d->failed)
		return;
	if (sums)
		reduce_parts(d);
	else
		scan_parts(d, d->part, false);
	if (d->factor)
		scan_parts(d, d->product, true);
	space = new_points(d, "carry_begin", false);
	add_stmt(d, space, poly_divide_tiles(d, space, 1, 1), d->carry, POLY_OP_NONE,
		behind_tile(d, space, first_value(d, space)));
	space = new_points(d, "carry", false);
	if (d->tiles > 2)
		add_stmt(d, space, poly_divide_tiles(d, space, 2, d->tiles - 1), d->carry,
			POLY_OP_NONE, behind_tile(d, space, read_cell(d, space,
			d->carry, -1, 0)));
	else
		isl_space_free(space);
}

/* The first elements of the tiles. */
static void add_firsts(struct poly_divide *d)
{
	isl_space *space = new_points(d, "begin", true);

	add_stmt(d, space, at_element(d, poly_divide_from_element(d, poly_divide_tiles(d, space, 0, 0),
		space, d->box->first - 1), d->box->first - 1 - d->base),
		d->row, POLY_OP_NONE, first_value(d, space));
	if (d->tiles < 2 || d->chained)
		return;
	space = new_points(d, "first", true);
	add_stmt(d, space, at_element(d, poly_divide_from_element(d, poly_divide_tiles(d, space, 1,
		d->tiles - 1), space, d->box->first), 0), d->row, POLY_OP_NONE,
		next_value(d, space, read_cell(d, space, d->carry, 0, 0)));
}

/* Let "s", NULL: a new statement, store the tiles; after it has done so, it is what
 * the recurrence wrote before.
 */
static void add_store(struct poly_divide *d, struct poly_stmt *s)
{
	struct poly_array *y = d->stmt->write_array;
	isl_space *space = s ? poly_divide_points(d, s->name, true) :
		new_points(d, "store", true);
	isl_set *set = poly_divide_from_element(d, poly_divide_tiles(d, space, 0, d->tiles - 1), space,
		d->box->first - (s != NULL));
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(d->stmt->write_index),
		poly_divide_instance(d, space));

	if (s) {
		isl_set_free(s->domain);
		s->domain = set;
	} else {
		s = poly_prog_add_stmt(d->prog, isl_space_get_tuple_name(space,
			isl_dim_set), POLY_POINT, set);
	}
	if (s) {
		s->loc = d->stmt->loc;
		poly_stmt_set_write(s, y, index, POLY_OP_NONE, read_cell(d,
			space, d->row, 0, 0));
	} else {
		isl_multi_pw_aff_free(index);
	}
	isl_space_free(space);
	d->failed |= !s || !s->rhs;
}

/* Let all that reads what the recurrence makes stand in its tiles, and nothing store that:
 * the statement "start" is no more.
 */
static void turn_readers(struct poly_divide *d)
{
	struct poly_array *y = d->stmt->write_array;
	struct poly_prog *prog = d->prog;

	for (int i = 0; i < prog->n_stmt && !d->failed; i++) {
		struct poly_stmt *s = prog->stmt[i];
		isl_space *space;
		isl_multi_aff *at;

		if (s == d->stmt || s == d->start || !poly_expr_accesses(s->rhs, y))
			continue;
		space = poly_divide_points(d, s->name, true);
		at = isl_multi_pw_aff_as_multi_aff(
			isl_multi_pw_aff_pullback_multi_aff(
			isl_multi_pw_aff_copy(d->stmt->write_index),
			poly_divide_instance(d, space)));
		d->failed |= poly_scan_turn(prog, s, y, poly_divide_from_element(d, poly_divide_tiles(d,
			space, 0, d->tiles - 1), space, d->box->first - 1), at,
			d->row, cell(d, space, d->row, 0, 0)) < 0;
		isl_space_free(space);
	}
	poly_prog_drop_stmt(prog, poly_stmt_position(prog, d->start->name));
	d->from--;
}

/* The cell before that of a point of "space": of its tile, or, where the tile begins, the
 * last one of the tile before.
 */
static struct poly_expr *read_before(const struct poly_divide *d,
	__isl_keep isl_space *space)
{
	isl_set *begins = isl_set_fix_si(isl_set_universe(isl_space_copy(space)),
		isl_dim_set, d->n, 0);
	isl_multi_pw_aff *last = cell(d, space, d->row, -1, (int)d->length - 1);

	last = isl_multi_pw_aff_intersect_domain(last, isl_set_copy(begins));
	return poly_expr_access(d->row, isl_multi_pw_aff_union_add(last,
		isl_multi_pw_aff_intersect_domain(cell(d, space, d->row, 0, -1),
		isl_set_complement(begins))));
}

/* Let the old statement go on in the tiles, or, if they are "chained", from one to the
 * next.
 */
static void change_old(struct poly_divide *d)
{
	isl_space *space = poly_divide_points(d, d->stmt->name, true);
	isl_set *set = poly_divide_from_element(d, poly_divide_tiles(d, space, 0, d->tiles - 1), space,
		d->box->first);
	struct poly_expr *value = next_value(d, space, d->chained ?
		read_before(d, space) : read_cell(d, space, d->row, 0, -1));

	if (!d->chained)
		set = isl_set_lower_bound_si(set, isl_dim_set, d->n, 1);
	isl_set_free(d->stmt->domain);
	d->stmt->domain = set;
	poly_stmt_set_write(d->stmt, d->row, cell(d, space, d->row, 0, 0),
		POLY_OP_NONE, value);
	isl_space_free(space);
	d->failed |= !d->stmt->rhs;
}

/* ------------------------------------------------------------- the program */

/* The elements that the recurrence needs before its first ones. */
static __isl_give isl_set *elements_before(const struct poly_divide *d)
{
	int k = d->box->coord;
	isl_set *set = isl_map_range(isl_map_intersect_params(
		poly_stmt_write(d->stmt), poly_known_sizes(d->prog)));

	set = isl_set_project_out(set, isl_dim_set, k, 1);
	set = isl_set_insert_dims(set, isl_dim_set, k, 1);
	set = isl_set_fix_si(set, isl_dim_set, k, (int)d->box->first - 1);
	return isl_set_set_tuple_name(set, d->stmt->write_array->name);
}

/* Does "t" write just these, once each, and is each row one of it? */
static bool writes_before(const struct poly_divide *d, struct poly_stmt *t)
{
	isl_set *before = elements_before(d), *own;
	isl_map *write = isl_map_intersect_params(poly_stmt_write(t),
		poly_known_sizes(d->prog));
	bool is = isl_map_is_injective(write) == isl_bool_true;

	own = isl_map_range(write);
	is = is && isl_set_is_equal(before, own) == isl_bool_true;
	isl_set_free(before);
	isl_set_free(own);
	for (int k = 0; k < t->write_array->n_dim && is; k++)
		is = k == d->box->coord ||
			poly_index_dim(t->write_index, k, t) >= 0;
	return is;
}

/* Does "t" give the recurrence its first values, of which nothing else that this needs
 * is made?
 */
static bool is_start(const struct poly_divide *d, struct poly_stmt *t)
{
	return t != d->stmt && t->kind == POLY_POINT &&
		t->write_array == d->stmt->write_array &&
		t->reduce == POLY_OP_NONE && !t->atomic &&
		!poly_is_scatter(t) &&
		isl_set_dim(t->domain, isl_dim_set) <= POLY_SCAN_DIMS &&
		writes_before(d, t) && !poly_scan_needs(d->prog, t, d->stmt);
}

/* Put the new statements, but for the last "rest" of them, in front of position "at". */
static int put_in_front(struct poly_divide *d, int at, int rest)
{
	for (int k = d->from; k < d->prog->n_stmt - rest; k++)
		poly_move_stmt(d->prog, k, at++);
	return at;
}

/* Put the new statements in front of the old one, that which stores behind it. */
static void put_in_order(struct poly_divide *d, struct poly_stmt *store)
{
	struct poly_prog *prog = d->prog;
	int at = poly_stmt_position(prog, d->stmt->name);
	int from = store ? poly_stmt_position(prog, store->name) : 0;

	for (int k = from; store && k < at; k++)
		poly_move_stmt(prog, k + 1, k);
	if (store && from < at)
		at--;
	else if (store)
		poly_move_stmt(prog, from, at + 1);
	at = put_in_front(d, at, !store);
	if (!store)
		poly_move_stmt(prog, prog->n_stmt - 1, at + 1);
}

/* Copy what the recurrence is made of, to be free to change it. */
static void take_form(struct poly_divide *d)
{
	const struct poly_recurrence *r = &d->box->r;
	enum poly_type t = d->stmt->write_array->type;

	d->value = r->value ? poly_expr_cast(t, poly_expr_copy(r->value)) :
		NULL;
	if (d->value && r->minus)
		d->value = poly_expr_op(POLY_OP_NEG, t, d->value, NULL);
	d->factor = r->factor ? poly_expr_cast(t, poly_expr_copy(r->factor)) :
		NULL;
	d->both = r->join ? poly_expr_copy(r->join->arg[2]) : NULL;
	d->none = r->join ? poly_expr_copy(r->join->arg[3]) : NULL;
	d->first = d->start ? poly_expr_cast(t, poly_expr_copy(
		d->start->rhs)) : NULL;
}

/* Find the statement that begins the row, whether all readers can stand in the tiles, and
 * these.
 */
static bool find_tiles(struct poly_divide *d)
{
	int64_t begin = d->box->first - 1, by = 0;
	bool last = d->box->coord == d->stmt->write_array->n_dim - 1, turns;

	for (int i = 0; i < d->prog->n_stmt && !d->start; i++)
		if (is_start(d, d->prog->stmt[i]))
			d->start = d->prog->stmt[i];
	turns = d->start && last && poly_scan_can_turn(d->prog, d->stmt,
		d->start);
	if (turns)
		by = poly_scan_offset(d->prog, d->box, d->start);
	d->base = begin - (((begin + by) % POLY_SCAN_ALIGN) +
		POLY_SCAN_ALIGN) % POLY_SCAN_ALIGN;
	d->tiles = (d->box->end - d->base + d->length - 1) / d->length;
	d->chained = d->tiles > 1 && last;
	return turns;
}

isl_stat poly_scan_divide(struct poly_prog *prog,
	const struct poly_scan_box *box, int64_t length)
{
	struct poly_divide d = { .prog = prog, .box = box, .stmt = box->stmt,
		.n = box->n_outer + 1, .length = length,
		.from = prog->n_stmt };
	struct poly_array *made = box->stmt->write_array;
	bool turns = find_tiles(&d);

	take_form(&d);
	d.row = add_array(&d, "tile", d.n + 1);
	if (!d.failed && d.tiles > 1 && !d.chained)
		add_carries(&d);
	if (!d.failed)
		add_firsts(&d);
	if (!d.failed && turns)
		turn_readers(&d);
	else if (!d.failed)
		add_store(&d, d.start);
	if (!d.failed)
		change_old(&d);
	if (!d.failed && !turns)
		put_in_order(&d, d.start);
	if (!d.failed && turns) {
		put_in_front(&d, poly_stmt_position(prog, d.stmt->name), 0);
		poly_prog_drop_array(prog, made);
	}
	poly_expr_free(d.value);
	poly_expr_free(d.factor);
	poly_expr_free(d.both);
	poly_expr_free(d.none);
	poly_expr_free(d.first);
	return d.failed ? isl_stat_error : isl_stat_ok;
}
