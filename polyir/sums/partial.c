/* A sum as sums of parts: the program with more statements, no new order.
 *
 * An update that may be done in any order goes over a dimension of "n" values
 * for one cell, so that a cell has one thread. Divided into L parts, by the
 * remainder of that dimension, it has L:
 *
 *	for (i) for (j)			for (i) {
 *	  S: y[i] += A[i][j];		  for (l < L) I: p[i][l] = 0;
 *					  for (j) S: p[i][j % L] += A[i][j];
 *					  for (l < L) C: y[i] += p[i][l];
 *					}
 *
 * S becomes S[i, l, q] with j = L q + l, which makes the part a dimension that
 * a schedule can see; or, where a part is to lie side by side, j = n l + q with
 * n values each. A few parts can be added by one instance of C at once:
 *
 *	C: y[i] += (p[i][0] + p[i][1]) + (p[i][2] + p[i][3]);
 *
 * If the parts are lanes of a block, each of them is a register of its thread,
 * and C is done by all of them together; a part may then be runs of R elements,
 * as in j = R (L q + l) + r. Where the text has an order, the new statements
 * stand around its outermost loop that goes over such a dimension
 * (partial_order.c); nothing else that this loop runs may touch the cells that
 * are updated in it. The result is a program like any other, whose dependences
 * say all that a schedule of it has to respect.
 *
 * If the parts are those of a product, and the sizes are known, they lie in rows
 * of whole lines of 128 bytes, short ones in rows of whole runs of 16, unless the
 * product has rows of whole runs: so a thread stores a run at once, and a warp of
 * those that add the parts reads one line of each. I begins all cells of these
 * lines, and nothing else touches those behind the last cell of a row.
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/partial.h"

/* Bytes that a warp reads at once, if they begin at a multiple of that; lines of a
 * row beside which what is missing to whole ones is little.
 */
enum { LINE_BYTES = 128, MANY_LINES = 4 };

/* -------------------------------------------------------------- dimensions */

/* Number the dimensions of the new S: "from" is that of the old one. */
static bool number(struct partial *t)
{
	int n = isl_set_dim(t->old, isl_dim_set);

	t->n = 0;
	for (int d = 0; d < n && t->n < 2 * POLY_MAX_DIM - 3; d++) {
		if (t->p->part[d]) {
			t->is_part[t->n] = true;
			t->from[t->n++] = d;
			if (t->p->open)
				continue;
		}
		t->drop[t->n] = t->p->sum[d];
		t->from[t->n++] = d;
		if (t->p->part[d] && t->p->run > 1) {
			t->drop[t->n] = t->is_run[t->n] = true;
			t->from[t->n++] = d;
		}
	}
	return n <= POLY_MAX_DIM && t->n <= POLY_MAX_DIM;
}

/* The space of the new S, with names of dimensions that tell. */
static __isl_give isl_space *new_space(const struct partial *t)
{
	isl_space *old = isl_set_get_space(t->old);
	isl_space *space = isl_space_add_dims(
		isl_space_params(isl_space_copy(old)), isl_dim_set, t->n);
	char name[64];

	space = isl_space_set_tuple_name(space, isl_dim_set, t->stmt->name);
	for (int i = 0; i < t->n; i++) {
		const char *was = isl_space_get_dim_name(old, isl_dim_set,
			t->from[i]);

		snprintf(name, sizeof(name), "%.40s%s", was ? was : "i",
			t->is_part[i] ? "_part" : t->is_run[i] ? "_run" :
			t->p->part[t->from[i]] ? "_step" : "");
		space = isl_space_set_dim_name(space, isl_dim_set, i, name);
	}
	isl_space_free(old);
	return space;
}

/* The value of the old dimension whose part and step, the dimensions "i" and
 * i + 1 of the new S, are "part" and "step"; i + 2 counts within a run.
 */
static __isl_give isl_aff *both(const struct partial *t, int i,
	__isl_take isl_aff *part, __isl_take isl_aff *step)
{
	int values = t->p->values[t->from[i]];
	isl_val *n = isl_val_int_from_si(t->prog->ctx, values ? values :
		t->p->part[t->from[i]]);
	isl_aff *run = NULL;

	if (t->is_run[i + 2])
		run = isl_aff_var_on_domain(isl_aff_get_domain_local_space(
			part), isl_dim_set, i + 2);
	if (values)
		part = isl_aff_scale_val(part, n);
	else
		step = isl_aff_scale_val(step, n);
	part = isl_aff_add(part, step);
	if (!run)
		return part;
	part = isl_aff_scale_val(part, isl_val_int_from_si(t->prog->ctx,
		t->p->run));
	return isl_aff_add(part, run);
}

/* Set t->wide, the map from the instances of the new S to those of the old one:
 * a part and a step, or a run, make one old dimension. If the parts have
 * dimensions of their own already ("open"), nothing changes but the name.
 */
static void make_wide(struct partial *t)
{
	isl_space *space = new_space(t);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	isl_aff_list *list = isl_aff_list_alloc(t->prog->ctx, t->n);

	for (int i = 0; i < t->n; i++) {
		isl_aff *aff = isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, i);

		if (t->is_part[i] && !t->p->open) {
			aff = both(t, i, aff, isl_aff_var_on_domain(
				isl_local_space_copy(local), isl_dim_set,
				i + 1));
			i += 1 + t->is_run[i + 2];
		}
		list = isl_aff_list_add(list, aff);
	}
	isl_local_space_free(local);
	space = isl_space_map_from_domain_and_range(space,
		isl_set_get_space(t->old));
	t->wide = isl_multi_aff_from_aff_list(space, list);
}

/* The domain of the new S. */
static __isl_give isl_set *new_domain(const struct partial *t)
{
	isl_set *set = isl_set_preimage_multi_aff(isl_set_copy(t->old),
		isl_multi_aff_copy(t->wide));

	for (int i = 0; i < t->n; i++) {
		int values = t->p->values[t->from[i]];
		int most = t->is_part[i] ? t->p->part[t->from[i]] :
			t->is_run[i] ? t->p->run : 0;

		if (!most || t->p->open)
			continue;
		set = isl_set_lower_bound_si(set, isl_dim_set, i, 0);
		set = isl_set_upper_bound_si(set, isl_dim_set, i, most - 1);
		if (!values)
			continue;
		set = isl_set_lower_bound_si(set, isl_dim_set, i + 1, 0);
		set = isl_set_upper_bound_si(set, isl_dim_set, i + 1,
			values - 1);
	}
	return set;
}

static enum poly_type part_type(const struct partial *t)
{
	return poly_type_partial(t->stmt->write_array->type);
}

/* The elements of a part that take "bytes". */
static __isl_give isl_val *n_elements(const struct partial *t, int bytes)
{
	return isl_val_int_from_si(t->prog->ctx, bytes /
		poly_type_size(part_type(t)));
}

/* The points whose line along dimension "d" begins in "set". */
static __isl_give isl_set *lines_begun_in(const struct partial *t,
	__isl_take isl_set *set, int d)
{
	isl_val *n = n_elements(t, t->line);
	isl_multi_aff *first = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(set));
	isl_aff *aff = isl_multi_aff_get_at(first, d);

	aff = isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_copy(n)));
	first = isl_multi_aff_set_at(first, d, isl_aff_scale_val(aff, n));
	return isl_set_preimage_multi_aff(set, first);
}

/* Does the new statement that adds the parts, or else the one that begins them,
 * lack dimension "i" of the new S?
 */
static bool lacks(const struct partial *t, int i, bool sum)
{
	return t->drop[i] || (sum && t->p->at_once && t->is_part[i]);
}

/* The domain of a new statement "name": cells and parts, for each cell all that
 * there are for the sizes, or as many as there may be.
 */
static __isl_give isl_set *cell_domain(const struct partial *t,
	const char *name, bool sum)
{
	isl_set *set = isl_set_copy(t->domain);

	for (int i = t->n - 1; i >= 0; i--)
		if (t->drop[i] || (t->is_part[i] && !t->p->open))
			set = isl_set_project_out(set, isl_dim_set, i, 1);
	for (int i = 0, at = 0; i < t->n; i++) {
		if (lacks(t, i, sum))
			continue;
		if (t->is_part[i] && !t->p->open) {
			set = isl_set_insert_dims(set, isl_dim_set, at, 1);
			set = isl_set_lower_bound_si(set, isl_dim_set, at, 0);
			set = isl_set_upper_bound_si(set, isl_dim_set, at,
				t->p->part[t->from[i]] - 1);
		}
		set = isl_set_set_dim_name(set, isl_dim_set, at++,
			isl_set_get_dim_name(t->domain, isl_dim_set, i));
		if (!sum && i == t->row)
			set = lines_begun_in(t, set, at - 1);
	}
	return isl_set_set_tuple_name(poly_set_coalesce(set), name);
}

/* "{ X[..] -> S[..] }" from the domain of the new statement "x", with "part" for
 * the part if it lacks that, and zeros for all else that it lacks.
 */
static __isl_give isl_multi_aff *at_part(const struct partial *t,
	const struct poly_stmt *x, int part)
{
	isl_local_space *local = isl_local_space_from_space(
		isl_set_get_space(x->domain));
	isl_aff_list *list = isl_aff_list_alloc(t->prog->ctx, t->n);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_set_get_space(x->domain), isl_set_get_space(t->domain));

	for (int i = 0, at = 0; i < t->n; i++) {
		isl_val *v = isl_val_int_from_si(t->prog->ctx,
			t->is_part[i] ? part : 0);

		if (lacks(t, i, x == t->sum)) {
			list = isl_aff_list_add(list, isl_aff_val_on_domain(
				isl_local_space_copy(local), v));
			continue;
		}
		isl_val_free(v);
		list = isl_aff_list_add(list, isl_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, at++));
	}
	isl_local_space_free(local);
	return isl_multi_aff_from_aff_list(space, list);
}

__isl_give isl_multi_aff *poly_partial_zero(const struct partial *t,
	const struct poly_stmt *x)
{
	return at_part(t, x, 0);
}

/* ------------------------------------------------------------------ places */

/* Does the place of a part have dimension "i" of the new S, as one of the
 * parts ("part") or of the cells?
 */
static bool has_place(const struct partial *t, int i, bool part)
{
	return part ? t->is_part[i] : !t->is_part[i] && !t->drop[i] &&
		t->p->own[t->from[i]];
}

/* Call for the dimensions of the place, in memory order. */
static int place_dims(const struct partial *t, int *dim)
{
	int n = 0;

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < t->n; i++)
			if (has_place(t, i, t->p->rows == (round == 1)))
				dim[n++] = i;
	return n;
}

/* Is "n" zero for all sizes that are known? */
static bool is_zero(const struct partial *t, __isl_take isl_pw_aff *n)
{
	isl_set *zero = isl_set_params(isl_pw_aff_zero_set(n));
	isl_set *known = poly_known_sizes(t->prog);
	bool is = isl_set_is_subset(known, zero) == isl_bool_true;

	isl_set_free(zero);
	isl_set_free(known);
	return is;
}

/* Are rows of cells along dimension "i" of the new S not whole runs, although
 * each of their lines begins with a cell?
 */
static bool lacks_run_ends(const struct partial *t, int i)
{
	isl_set *lines = lines_begun_in(t, isl_set_copy(t->domain), i);
	bool begun = isl_set_is_subset(t->domain, lines) == isl_bool_true;
	isl_val *run = n_elements(t, POLY_RUN_BYTES);

	isl_set_free(lines);
	begun &= is_zero(t, poly_range_first(t->prog, poly_range_of(t->domain, i)));
	return !is_zero(t, isl_pw_aff_mod_val(poly_range_length(t->prog,
		poly_range_of(t->domain, i)), run)) && begun;
}

/* The bytes of a line of rows along dimension "i" of the new S: of a run if these
 * are short.
 */
static int line_bytes(const struct partial *t, int i)
{
	isl_val *many = n_elements(t, MANY_LINES * LINE_BYTES);
	isl_pw_aff *n = poly_range_length(t->prog, poly_range_of(t->domain, i));

	n = isl_pw_aff_floor(isl_pw_aff_scale_down_val(n, many));
	return is_zero(t, n) ? POLY_RUN_BYTES : LINE_BYTES;
}

/* Let rows of parts be whole lines, along the cells' dimension that moves
 * fastest, where those of the cells are not whole runs.
 */
static void choose_row(struct partial *t)
{
	int dim[2 * POLY_MAX_DIM], n = place_dims(t, dim);

	t->line = n > 0 ? line_bytes(t, dim[n - 1]) : LINE_BYTES;
	t->row = t->p->whole && n > 0 && poly_prog_is_fixed(t->prog) &&
		!t->is_part[dim[n - 1]] && lacks_run_ends(t, dim[n - 1]) ?
		dim[n - 1] : -1;
}

/* "n" and what is missing to whole lines. */
static __isl_give isl_pw_aff *whole_lines(const struct partial *t,
	__isl_take isl_pw_aff *n)
{
	isl_val *line = n_elements(t, t->line);

	n = isl_pw_aff_ceil(isl_pw_aff_scale_down_val(n, isl_val_copy(line)));
	return isl_pw_aff_scale_val(n, line);
}

/* How many places dimension "i" of the new S takes: parts, unless these are as
 * the sizes want, a number, also where there are fewer values, as each of them
 * begins.
 */
static __isl_give isl_pw_aff *extent(const struct partial *t, int i)
{
	isl_space *params = isl_space_params(isl_set_get_space(
		t->prog->context));
	isl_pw_aff *n;

	if (t->is_part[i] && !t->p->open)
		return isl_pw_aff_from_aff(isl_aff_val_on_domain(
			isl_local_space_from_space(params),
			isl_val_int_from_si(t->prog->ctx,
				t->p->part[t->from[i]])));
	isl_space_free(params);
	n = poly_range_length(t->prog, poly_range_of(t->domain, i));
	return i == t->row ? whole_lines(t, n) : n;
}

/* Add the array of the parts, a temporary with a place for each part of each
 * cell, or a register of each lane. Its rows are filled up where choose_row
 * says so. False without memory.
 */
static bool add_array(struct partial *t)
{
	int dim[2 * POLY_MAX_DIM], n = place_dims(t, dim);
	isl_space *space = isl_space_set_from_params(
		isl_set_get_space(t->prog->context));
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(t->prog->ctx, n);
	char *name = poly_unique_name(t->prog, t->stmt->write_array->name,
		"part");

	for (int k = 0; k < n; k++)
		list = isl_pw_aff_list_add(list, extent(t, dim[k]));
	space = isl_space_add_dims(space, isl_dim_set, n);
	space = isl_space_set_tuple_name(space, isl_dim_set, name);
	t->array = poly_prog_add_array(t->prog, name, part_type(t), POLY_TEMP,
		isl_multi_pw_aff_from_pw_aff_list(space, list));
	free(name);
	if (t->array) {
		t->array->loc = t->stmt->write_array->loc;
		if (t->p->lanes)
			t->array->space = POLY_REGISTER;
	}
	return t->array;
}

/* The place of a part, as a function of the new S. */
static __isl_give isl_multi_pw_aff *place(const struct partial *t)
{
	int dim[2 * POLY_MAX_DIM], n = place_dims(t, dim);
	isl_space *space = isl_set_get_space(t->domain);
	isl_local_space *local = isl_local_space_from_space(
		isl_space_copy(space));
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(t->prog->ctx, n);

	for (int k = 0; k < n; k++) {
		isl_pw_aff *at = isl_pw_aff_var_on_domain(
			isl_local_space_copy(local), isl_dim_set, dim[k]);

		if (!t->is_part[dim[k]])
			at = isl_pw_aff_sub(at, isl_pw_aff_insert_domain(
				poly_range_first(t->prog,
					poly_range_of(t->domain, dim[k])),
				isl_space_copy(space)));
		list = isl_pw_aff_list_add(list, isl_pw_aff_gist(at,
			isl_set_copy(t->domain)));
	}
	isl_local_space_free(local);
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		n);
	space = isl_space_set_tuple_name(space, isl_dim_out, t->array->name);
	return isl_multi_pw_aff_from_pw_aff_list(space, list);
}

/* -------------------------------------------------------------- statements */

/* Where the text has no order, and the parts are added at once, bring S before
 * the others that write its cells, so that these stand beside the sum.
 */
static void lead(struct partial *t)
{
	struct poly_prog *prog = t->prog;
	int at = 0;

	if (prog->original || !t->p->at_once)
		return;
	while (prog->stmt[at]->write_array != t->stmt->write_array)
		at++;
	poly_move_stmt(prog, poly_stmt_position(prog, t->stmt->name), at);
}

/* A new statement at position "at", which adds the parts if "after". */
static struct poly_stmt *add_stmt(struct partial *t, const char *suffix,
	int at, bool after)
{
	char *name = poly_unique_name(t->prog, t->stmt->name, suffix);
	struct poly_stmt *s = name ? poly_prog_add_stmt(t->prog, name,
		POLY_POINT, cell_domain(t, name, after)) : NULL;

	free(name);
	if (!s)
		return NULL;
	s->loc = t->stmt->loc;
	poly_move_stmt(t->prog, t->prog->n_stmt - 1, at);
	return s;
}

/* What a part begins with: nothing, or, where the text has an order and an
 * operand may be taken twice, what the cell holds.
 */
static struct poly_expr *first_value(struct partial *t,
	__isl_keep isl_multi_pw_aff *cell)
{
	enum poly_op op = t->stmt->reduce;
	bool twice = op == POLY_OP_MIN || op == POLY_OP_MAX ||
		op == POLY_OP_AND || op == POLY_OP_OR;

	if (twice && t->prog->original)
		return poly_expr_access(t->stmt->write_array,
			isl_multi_pw_aff_pullback_multi_aff(
				isl_multi_pw_aff_copy(cell),
				poly_partial_zero(t, t->init)));
	return poly_expr_identity(op, t->stmt->write_array->type);
}

/* The place to add the parts at: behind S, and, where the text has no order,
 * behind all that writes the cells.
 */
static int behind(const struct partial *t)
{
	int at = poly_stmt_position(t->prog, t->stmt->name) + 1;

	for (int i = at; i < t->prog->n_stmt && !t->prog->original; i++)
		if (t->prog->stmt[i]->write_array == t->stmt->write_array)
			at = i + 1;
	return at;
}

/* The parts "from" to "to" of a cell, of which "at" is the place, added. */
static struct poly_expr *added(const struct partial *t,
	__isl_keep isl_multi_pw_aff *at, int from, int to)
{
	enum poly_type type = poly_type_compute(t->stmt->write_array->type);
	int middle = (from + to) / 2;

	if (to - from == 1)
		return poly_expr_cast(type, poly_expr_access(t->array,
			isl_multi_pw_aff_pullback_multi_aff(
				isl_multi_pw_aff_copy(at),
				at_part(t, t->sum, from))));
	return poly_expr_op(t->stmt->reduce, type, added(t, at, from, middle),
		added(t, at, middle, to));
}

/* How many parts an instance of the new statement adds. */
static int n_at_once(const struct partial *t)
{
	int n = 1;

	for (int i = 0; i < t->n && t->p->at_once; i++)
		n *= t->is_part[i] ? t->p->part[t->from[i]] : 1;
	return n;
}

/* Add the statement that begins the parts and the one that adds them, and let S
 * update parts in the place of cells. False without memory.
 */
static bool add_stmts(struct partial *t)
{
	struct poly_stmt *s = t->stmt;
	isl_multi_pw_aff *at = place(t), *cell;
	int from;

	lead(t);
	from = poly_stmt_position(t->prog, s->name);
	t->init = add_stmt(t, "begin", from, false);
	t->sum = t->init ? add_stmt(t, "end", behind(t), true) : NULL;
	if (!t->sum) {
		isl_multi_pw_aff_free(at);
		return false;
	}
	cell = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(s->write_index),
		isl_multi_aff_copy(t->wide));
	poly_stmt_set_write(t->init, t->array,
		isl_multi_pw_aff_pullback_multi_aff(isl_multi_pw_aff_copy(at),
			poly_partial_zero(t, t->init)), POLY_OP_NONE,
		first_value(t, cell));
	poly_stmt_set_write(t->sum, s->write_array,
		isl_multi_pw_aff_pullback_multi_aff(cell, poly_partial_zero(t, t->sum)),
		s->reduce, added(t, at, 0, n_at_once(t)));
	for (int d = 0; t->p->lanes && d < POLY_MAX_DIM; d++)
		if (t->p->part[d])
			t->sum->across = t->p->part[d];
	t->sum->down = t->p->columns > 0;
	isl_set_free(s->domain);
	s->domain = isl_set_copy(t->domain);
	poly_expr_pullback(s->rhs, t->wide);
	poly_stmt_set_write(s, t->array, at, s->reduce, s->rhs);
	return t->init->rhs && t->sum->rhs;
}

struct poly_stmt *poly_add_partial(const struct poly_parts *p)
{
	struct partial t = { .p = p, .prog = p->prog, .stmt = p->stmt };
	bool ok;

	t.old = isl_set_copy(p->stmt->domain);
	ok = number(&t);
	if (ok) {
		make_wide(&t);
		t.domain = new_domain(&t);
		choose_row(&t);
		ok = add_array(&t) && add_stmts(&t) && poly_partial_order(&t);
	}
	isl_set_free(t.old);
	isl_set_free(t.domain);
	isl_multi_aff_free(t.wide);
	return ok ? t.sum : NULL;
}
