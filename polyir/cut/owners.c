/* Updates at places that data tell, whose cells own their terms.
 *
 *	for (i) y[k[i]] += x[i];
 *
 * is a statement S[i, j] that asks each cell j whether it is meant. What memory can do
 * in any order is done at once (scatter.c). Sums of floats are other ones in another
 * order: these terms are sorted by their cells, and stand there in the order of the text,
 * so that each cell takes its own, one after the other:
 *
 *	key[i] = 0 <= k[i] < m ? k[i] : m - 1
 *	term[i] = 0 <= k[i] < m ? x[i] : nothing
 *	keys, terms = key, term, sorted by key			owners_sort.c
 *	begin[j] = how many keys are less than j
 *	y[j] = loop (p from begin[j] below begin[j + 1]; carry = y[j]) carry + terms[p]
 *
 * These are the bits of the text. Where terms may be put together in any order, lanes
 * have a cell together, and long cells are made in pieces as rows of a sparse matrix are
 * (deal.c): the same bits each time. Terms that are longer than a word, or rows of them,
 * stay where they are, and their numbers are sorted.
 */
#include <stdlib.h>

#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/val.h>

#include "polyir/deps/deps.h"
#include "polyir/sets/sets.h"
#include "polyir/cut/owners.h"
#include "polyir/cut/pick.h"
#include "polyir/prepare/prepare.h"
#include "polyir/cut/cut.h"

/* Bits of the number of terms where it is not known. */
enum { MOST_BITS = 31 };

/* The terms by their cells: what is sorted, "sorted", is those themselves or, if they are
 * "far", their numbers in "terms", at "index" of the old statement, where the program has
 * them "stored" or they have been; the terms of cell j begin at begin[j].
 */
struct terms {
	struct poly_array *sorted, *begin, *terms;
	isl_multi_pw_aff *index;
	bool far, stored;
};

static struct poly_expr *both(enum poly_op op, enum poly_type t, struct poly_expr *a,
	struct poly_expr *b)
{
	return poly_expr_op(op, t, a, b);
}

static struct poly_expr *number(enum poly_type t, double v)
{
	return poly_expr_const(t, v);
}

/* "{ X[..] -> S[..] }": to the instance whose term is dimension "term" of "space", -1: the
 * first one, and whose cell has the coordinates from dimension "from" of "space" on; without
 * that which data tell if not "all", and none if "from" is -1.
 */
static __isl_give isl_multi_aff *instance(const struct poly_owners *o,
	__isl_keep isl_space *space, int term, int from, bool all)
{
	isl_space *to = isl_space_align_params(isl_set_get_space(o->s->domain),
		isl_space_params(isl_space_copy(space)));
	isl_multi_aff *ma = isl_multi_aff_zero(isl_space_map_from_domain_and_range(
		isl_space_align_params(isl_space_copy(space), isl_space_params(
		isl_space_copy(to))), to));

	if (term >= 0)
		ma = isl_multi_aff_set_at(ma, o->term, poly_owners_var(space, term));
	for (int d = 0; d < o->s->write_array->n_dim && from >= 0; d++)
		if (all || d != o->told)
			ma = isl_multi_aff_set_at(ma, poly_index_dim(
				o->s->write_index, d, o->s), poly_owners_var(space,
				from++));
	return ma;
}

/* "e", an expression of the old statement, at "ma", which is kept. */
static struct poly_expr *moved(const struct poly_expr *e, __isl_keep isl_multi_aff *ma)
{
	struct poly_expr *copy = poly_expr_copy(e);

	if (copy)
		poly_expr_pullback(copy, ma);
	return copy;
}

/* The number of cells as a value, less "less". */
static struct poly_expr *cells(const struct poly_owners *o, __isl_keep isl_space *space,
	int less)
{
	return poly_expr_index(POLY_I64, isl_multi_pw_aff_from_pw_aff(
		isl_pw_aff_add_constant_val(poly_owners_size(space, isl_pw_aff_copy(
		o->m)), isl_val_int_from_si(o->prog->ctx, -less))));
}

/* Does the term at a point of "space", which "ma" maps to the old instance, go to a cell? */
static struct poly_expr *is_inside(const struct poly_owners *o,
	__isl_keep isl_space *space, __isl_keep isl_multi_aff *ma)
{
	struct poly_expr *at = poly_expr_cast(POLY_I64, moved(o->wanted, ma));
	struct poly_expr *is = both(POLY_OP_AND, POLY_BOOL, both(POLY_OP_LE, POLY_BOOL,
		number(POLY_I64, 0), poly_expr_copy(at)), both(POLY_OP_LT, POLY_BOOL,
		poly_expr_copy(at), cells(o, space, 0)));

	poly_expr_free(at);
	return o->rest ? both(POLY_OP_AND, POLY_BOOL, is, moved(o->rest, ma)) : is;
}

/* An array of "type" that has for each term what "value" is if it goes to a cell, else
 * "none", which are taken: functions of the points "space".
 */
static struct poly_array *by_term(struct poly_owners *o, const char *suffix,
	enum poly_type type, __isl_take isl_space *space, struct poly_expr *value,
	struct poly_expr *none)
{
	isl_pw_aff *n[1] = { isl_pw_aff_copy(o->n) };
	struct poly_array *a = poly_owners_array(o, suffix, type, n, 1);
	isl_multi_aff *ma = instance(o, space, 0, -1, false);
	isl_set *set = poly_owners_below(isl_set_universe(isl_space_copy(space)), 0,
		isl_pw_aff_copy(o->n));
	isl_multi_pw_aff *index = a ? poly_owners_at(space, a, poly_owners_var(space, 0),
		NULL) : NULL;

	value = poly_expr_select(is_inside(o, space, ma), value, none);
	isl_multi_aff_free(ma);
	poly_owners_add(o, space, set, a, index, POLY_OP_NONE, value);
	return a;
}

/* The keys. Terms that go to no cell have the last one, and are nothing there. */
static struct poly_array *find_keys(struct poly_owners *o)
{
	isl_space *space = poly_owners_points(o, "key", 1);
	isl_multi_aff *ma = instance(o, space, 0, -1, false);
	struct poly_expr *key = poly_expr_cast(POLY_I32, moved(o->wanted, ma));
	struct poly_expr *none = poly_expr_cast(POLY_I32, cells(o, space, 1));

	isl_multi_aff_free(ma);
	return by_term(o, "key", POLY_I32, space, key, none);
}

/* ------------------------------------------------------------------ the terms */

static const struct poly_expr *uncast(const struct poly_expr *e)
{
	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return e;
}

/* "v" with the conversions that "e" makes of what it reads; NULL: none. */
static struct poly_expr *again(const struct poly_expr *e, struct poly_expr *v)
{
	return e && e->op == POLY_OP_CAST ? poly_expr_cast(e->type, again(e->arg[0], v)) :
		v;
}

/* Do the terms stand in an array, at places that grow by a number from one to the next?
 *
 * Asked by making the number of one.
 */
static bool are_stored(const struct poly_owners *o)
{
	const struct poly_expr *e = uncast(o->s->rhs->arg[1]);
	isl_space *space = isl_set_get_space(o->s->domain);
	struct poly_steps steps = { .s = o->s, .dim = o->term,
		.first = isl_multi_aff_identity_on_domain_space(space),
		.step = poly_expr_step(0) };
	bool ok = e->op == POLY_OP_ACCESS && e->array->space == POLY_GLOBAL &&
		!e->array->stride && !e->array->scattered;

	if (ok)
		poly_expr_free(poly_add_number(&steps, NULL, e->array, e->index));
	isl_multi_aff_free(steps.first);
	poly_expr_free(steps.step);
	return ok && !steps.refused;
}

/* Store the terms in the order of the text, as [i, coordinates that data do not tell..]. */
static void store_terms(struct poly_owners *o, struct terms *t)
{
	const struct poly_array *y = o->s->write_array;
	isl_pw_aff *extent[POLY_OWN_DIMS] = { isl_pw_aff_copy(o->n) };
	isl_space *space = poly_owners_points(o, "term", y->n_dim);
	isl_set *set = isl_set_universe(isl_space_copy(space));
	isl_multi_aff *own = instance(o, space, 0, 1, false), *to;
	isl_map *old = isl_map_from_multi_aff(isl_multi_aff_copy(own));

	for (int d = 0, k = 1; d < y->n_dim; d++)
		if (d != o->told)
			extent[k++] = isl_multi_pw_aff_get_at(y->extent, d);
	t->terms = poly_owners_array(o, "term", y->type, extent, y->n_dim);
	set = isl_set_intersect(set, isl_map_domain(isl_map_intersect_range(old,
		isl_set_copy(o->s->domain))));
	if (!t->terms) {
		isl_set_free(set);
		isl_space_free(space);
		isl_multi_aff_free(own);
		return;
	}
	to = isl_multi_aff_set_tuple_name(isl_multi_aff_identity_on_domain_space(
		isl_space_copy(space)), isl_dim_out, t->terms->name);
	/* on the old statement: its term, then its other coordinates */
	t->index = isl_multi_pw_aff_copy(o->s->write_index);
	t->index = isl_multi_pw_aff_set_tuple_name(t->index, isl_dim_out,
		t->terms->name);
	for (int d = 0, k = 1; d < y->n_dim; d++)
		if (d != o->told)
			t->index = isl_multi_pw_aff_set_at(t->index, k++,
				isl_multi_pw_aff_get_at(o->s->write_index, d));
	t->index = isl_multi_pw_aff_set_at(t->index, 0, isl_pw_aff_from_aff(
		isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(
		o->s->domain)), isl_dim_set, (unsigned)o->term)));
	poly_owners_add(o, space, set, t->terms, isl_multi_pw_aff_from_multi_aff(to),
		POLY_OP_NONE, moved(o->s->rhs->arg[1], own));
	isl_multi_aff_free(own);
}

/* What is sorted beside the keys. */
static void find_terms(struct poly_owners *o, struct terms *t)
{
	const struct poly_array *y = o->s->write_array;
	const struct poly_expr *e = uncast(o->s->rhs->arg[1]);
	isl_space *space;
	isl_multi_aff *ma;

	t->far = y->n_dim > 1 || poly_type_size(y->type) > poly_type_size(POLY_I32);
	t->stored = t->far && are_stored(o);
	if (t->stored) {
		t->terms = e->array;
		t->index = isl_multi_pw_aff_copy(e->index);
	} else if (t->far) {
		store_terms(o, t);
	}
	if (o->failed)
		return;
	space = poly_owners_points(o, "place", 1);
	ma = instance(o, space, 0, -1, false);
	t->sorted = by_term(o, "place", t->far ? POLY_I32 : y->type, space, t->far ?
		poly_owners_index(POLY_I32, space, 0) : moved(o->s->rhs->arg[1], ma),
		t->far ? number(POLY_I32, -1) : poly_expr_nothing(o->s->reduce,
		y->type));
	isl_multi_aff_free(ma);
}

/* Where the terms of each cell begin: a search among the "keys", which are sorted. A step
 * goes on by half as much as the one before, if all keys in front of there are less.
 */
static void find_begins(struct poly_owners *o, struct terms *t, struct poly_array *keys)
{
	isl_pw_aff *more = isl_pw_aff_add_constant_val(isl_pw_aff_copy(o->m),
		isl_val_one(o->prog->ctx)), *extent[1] = { isl_pw_aff_copy(more) };
	isl_space *space = poly_owners_points(o, "begin", 1);
	isl_set *set = poly_owners_below(isl_set_universe(isl_space_copy(space)), 0, more);
	int64_t n = poly_fixed_extent(o->prog, keys, 0);
	int bits = n < 0 ? MOST_BITS : 0;
	struct poly_expr *half, *next, *last, *is, *in;

	t->begin = poly_owners_array(o, "begin", POLY_I64, extent, 1);
	while (n >> bits && n >= 0)
		bits++;
	half = both(POLY_OP_SHL, POLY_I64, number(POLY_I64, 1), both(POLY_OP_SUB,
		POLY_I64, number(POLY_I64, bits - 1), poly_expr_step(0)));
	next = both(POLY_OP_ADD, POLY_I64, poly_expr_carry(0, POLY_I64), half);
	in = both(POLY_OP_LE, POLY_BOOL, poly_expr_copy(next), poly_expr_index(POLY_I64,
		isl_multi_pw_aff_from_pw_aff(poly_owners_size(space, isl_pw_aff_copy(
		o->n)))));
	last = poly_expr_select(poly_expr_copy(in), both(POLY_OP_SUB, POLY_I64,
		poly_expr_copy(next), number(POLY_I64, 1)), number(POLY_I64, -1));
	is = both(POLY_OP_LT, POLY_BOOL, poly_expr_cast(POLY_I64, poly_expr_gather(keys,
		last)), poly_owners_index(POLY_I64, space, 0));
	next = poly_expr_select(both(POLY_OP_AND, POLY_BOOL, in, is), next,
		poly_expr_carry(0, POLY_I64));
	poly_owners_add(o, space, set, t->begin, t->begin ? poly_owners_at(space, t->begin,
		poly_owners_var(space, 0), NULL) : NULL, POLY_OP_NONE, poly_expr_loop(0,
		1, number(POLY_I64, 0), number(POLY_I64, bits), number(POLY_I64, 0),
		next));
}

/* ------------------------------------------------------------------ the cells */

/* The term "step" of those that are sorted, for the cell whose first one "first" has. What
 * goes to no cell reads the first term, which exists, and is nothing.
 */
static struct poly_expr *term_at(const struct poly_owners *o, const struct terms *t,
	__isl_keep isl_multi_aff *first)
{
	struct poly_expr *at = poly_expr_gather(t->sorted, poly_expr_step(0)), *far, *is;
	struct poly_steps steps = { .s = o->s, .dim = o->term, .first = first };

	if (!t->far)
		return at;
	at = poly_expr_cast(POLY_I64, at);
	is = both(POLY_OP_LE, POLY_BOOL, number(POLY_I64, 0), poly_expr_copy(at));
	steps.step = poly_expr_select(poly_expr_copy(is), at, number(POLY_I64, 0));
	far = poly_expr_gather(t->terms, poly_add_number(&steps, NULL, t->terms,
		t->index));
	poly_expr_free(steps.step);
	return poly_expr_select(is, again(t->stored ? o->s->rhs->arg[1] : NULL, far),
		poly_expr_nothing(o->s->reduce, o->s->write_array->type));
}

/* The points of the cells, [coordinates of the array..], with the names that these had. */
static __isl_give isl_set *points_of(const struct poly_owners *o,
	__isl_keep isl_space *space, __isl_take isl_set *cells)
{
	const struct poly_stmt *s = o->s;

	cells = isl_set_set_tuple_name(cells, isl_space_get_tuple_name(space,
		isl_dim_set));
	for (int d = 0; d < s->write_array->n_dim; d++) {
		int dim = poly_index_dim(s->write_index, d, s);
		const char *name = isl_set_get_dim_name(s->domain, isl_dim_set,
			(unsigned)dim);

		if (name)
			cells = isl_set_set_dim_name(cells, isl_dim_set, (unsigned)d,
				name);
	}
	return cells;
}

/* What the other statements that write the array "y" write goes to an array of its own,
 * which is returned: what the cells, "*cells", begin with.
 */
static struct poly_array *set_apart(struct poly_owners *o, struct poly_array *y,
	isl_set **cells)
{
	struct poly_array *begin = poly_add_like(o->prog, y, "old");

	o->failed |= !begin;
	*cells = isl_set_empty(isl_set_get_space(o->cells));
	for (int i = 0; i < o->prog->n_stmt && begin; i++) {
		struct poly_stmt *other = o->prog->stmt[i];

		if (other == o->s || other->write_array != y)
			continue;
		*cells = isl_set_union(*cells, isl_map_range(poly_stmt_write(other)));
		poly_stmt_rename(other, y, begin);
	}
	*cells = isl_set_coalesce(*cells);
	return begin;
}

/* "{ X[cell] -> S[..] }" for points "space" of cells, if statement "s" writes each cell at
 * such an instance, and stores there what other arrays have; else NULL.
 */
static __isl_give isl_multi_aff *simple_start(struct poly_stmt *s,
	__isl_keep isl_space *space)
{
	isl_map *to = isl_map_reverse(poly_stmt_write(s));
	isl_pw_multi_aff *pma;
	bool simple = s->kind == POLY_POINT && s->reduce == POLY_OP_NONE &&
		!poly_expr_has(s->rhs, POLY_OP_LOOP, -1) &&
		!poly_expr_has(s->rhs, POLY_OP_SCATTER, -1) &&
		!poly_expr_has(s->rhs, POLY_OP_EARLIER, -1) &&
		isl_map_is_single_valued(to) == isl_bool_true;

	to = isl_map_set_tuple_name(to, isl_dim_in, isl_space_get_tuple_name(space,
		isl_dim_set));
	if (!simple) {
		isl_map_free(to);
		return NULL;
	}
	pma = isl_pw_multi_aff_from_map(to);
	pma = isl_pw_multi_aff_gist(pma, isl_pw_multi_aff_domain(
		isl_pw_multi_aff_copy(pma)));
	if (pma && isl_pw_multi_aff_isa_multi_aff(pma) == isl_bool_true)
		return isl_pw_multi_aff_as_multi_aff(pma);
	isl_pw_multi_aff_free(pma);
	return NULL;
}

/* What the cells of "y", points "space", begin with, if one statement alone writes it, which
 * is dropped: they need no array of their own then. Its cells are added to "*cells". NULL:
 * there is no such statement.
 */
static struct poly_expr *take_start(struct poly_owners *o, const struct poly_array *y,
	__isl_keep isl_space *space, isl_set **cells)
{
	struct poly_expr *first = NULL;
	isl_multi_aff *ma;
	int at = -1, n = 0;

	for (int i = 0; i < o->prog->n_stmt; i++)
		if (o->prog->stmt[i] != o->s && o->prog->stmt[i]->write_array == y) {
			at = i;
			n++;
		}
	ma = n == 1 ? simple_start(o->prog->stmt[at], space) : NULL;
	if (!ma)
		return NULL;
	first = moved(o->prog->stmt[at]->rhs, ma);
	*cells = isl_map_range(poly_stmt_write(o->prog->stmt[at]));
	poly_prog_drop_stmt(o->prog, at);
	o->from -= at < o->from;
	isl_multi_aff_free(ma);
	return first;
}

/* Add the statement of the cells, each of which goes over its terms. */
static void add_up(struct poly_owners *o, const struct terms *t)
{
	struct poly_array *y = o->s->write_array, *old = y;
	isl_space *space = poly_owners_points(o, "own", y->n_dim);
	isl_multi_aff *first = instance(o, space, -1, 0, true);
	isl_multi_pw_aff *index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(o->s->write_index), isl_multi_aff_copy(first));
	bool open = poly_is_free_update(o->prog, o->s);
	enum poly_op op = o->s->reduce;
	isl_set *set = NULL;
	struct poly_expr *value, *begin = NULL;

	if (!open && !o->prog->original) {
		begin = take_start(o, y, space, &set);
		old = begin ? NULL : set_apart(o, y, &set);
	}
	set = points_of(o, space, set ? set : isl_set_copy(o->cells));
	if (!begin)
		begin = open || !old ? poly_expr_nothing(op, y->type) :
			poly_expr_access(old, isl_multi_pw_aff_set_tuple_name(
			isl_multi_pw_aff_copy(index), isl_dim_out, old->name));
	value = both(op, y->type, poly_expr_carry(0, y->type), term_at(o, t, first));
	value = poly_expr_loop(0, 1, poly_owners_read(space, t->begin, poly_owners_var(
		space, o->told), NULL), poly_owners_read(space, t->begin,
		isl_aff_add_constant_si(poly_owners_var(space, o->told), 1), NULL),
		begin, value);
	isl_multi_aff_free(first);
	poly_owners_add(o, space, set, y, index, open ? op : POLY_OP_NONE, value);
}

/* ------------------------------------------------------------------- the order */

/* Loops over all dimensions of "s". */
static __isl_give isl_schedule *loops_of(const struct poly_stmt *s)
{
	isl_multi_aff *all = isl_multi_aff_identity_on_domain_space(isl_set_get_space(
		s->domain));

	return isl_schedule_insert_partial_schedule(isl_schedule_from_domain(
		isl_union_set_from_set(isl_set_copy(s->domain))),
		isl_multi_union_pw_aff_from_multi_pw_aff(isl_multi_pw_aff_from_multi_aff(
		isl_multi_aff_reset_tuple_id(all, isl_dim_out))));
}

/* The new statements, one after the other. */
static __isl_give isl_schedule *all_new(const struct poly_owners *o)
{
	isl_schedule *all = loops_of(o->prog->stmt[o->from]);

	for (int i = o->from + 1; i < o->prog->n_stmt; i++)
		all = isl_schedule_sequence(all, loops_of(o->prog->stmt[i]));
	return all;
}

/* The tree at and below "node" with the new statements in the place of the old one. */
static __isl_give isl_schedule *rebuild(const struct poly_owners *o,
	__isl_take isl_schedule_node *node)
{
	isl_union_set *domain = poly_node_domain(node);
	isl_set *own = isl_union_set_extract_set(domain, isl_set_get_space(
		o->s->domain));
	bool here = isl_set_is_empty(own) == isl_bool_false;
	bool alone = here && isl_union_set_n_set(domain) == 1;
	isl_size n = isl_schedule_node_n_children(node);
	isl_schedule *all = NULL;

	isl_set_free(own);
	if (!here || alone) {
		all = alone ? all_new(o) : poly_tree_over(domain, node);
		if (alone)
			isl_union_set_free(domain);
		isl_schedule_node_free(node);
		return all;
	}
	isl_union_set_free(domain);
	for (int i = 0; i < n; i++) {
		isl_schedule *one = rebuild(o, isl_schedule_node_get_child(node, i));

		all = all ? isl_schedule_sequence(all, one) : one;
	}
	isl_schedule_node_free(node);
	return all;
}

/* Put the new statements in the place of the old one, which is dropped. */
static void take_place(struct poly_owners *o)
{
	struct poly_prog *prog = o->prog;
	int at = poly_stmt_position(prog, o->s->name);
	isl_schedule_node *root;

	if (prog->original) {
		root = isl_schedule_get_root(prog->original);
		poly_prog_set_original(prog, rebuild(o, isl_schedule_node_get_child(
			root, 0)));
		isl_schedule_node_free(root);
		o->failed |= !prog->original;
	}
	for (int i = o->from; i < prog->n_stmt; i++)
		poly_move_stmt(prog, i, at + 1 + i - o->from);
	poly_prog_drop_stmt(prog, at);
}

/* Statement "s", if it is such an update; was it? */
static bool own(struct poly_prog *prog, struct poly_stmt *s, bool *failed)
{
	struct poly_owners o;
	struct terms t = { .far = false };
	struct poly_array *keys;
	bool is = poly_owners_find(&o, prog, s);

	if (is) {
		o.from = prog->n_stmt;
		keys = find_keys(&o);
		find_terms(&o, &t);
		poly_owners_sort(&o, &keys, &t.sorted);
		if (!o.failed)
			find_begins(&o, &t, keys);
		if (!o.failed)
			add_up(&o, &t);
		if (!o.failed)
			take_place(&o);
		*failed |= o.failed;
	}
	isl_multi_pw_aff_free(t.index);
	poly_owners_end(&o);
	return is;
}

int poly_own_updates(struct poly_prog *prog)
{
	bool failed = false;
	int n = 0;

	for (int i = 0; i < prog->n_stmt && !failed; i++)
		if (own(prog, prog->stmt[i], &failed)) {
			n++;
			i = -1;
		}
	return failed ? -1 : n;
}
