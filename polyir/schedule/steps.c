/* Statements of a recurrence go through its steps together, so that what they leave needs
 * the memory of a few steps.
 *
 *	u(t,i): t == 0: x(i);  i == 0: u(t-1,i);  else: f(u(t-1,i-1), u(t-1,i))
 *
 * Nothing makes u(.,0) wait for the others. So isl has all of it run before, and all of
 * these values live at one time: u needs T rows. If who accesses u(t) comes before who
 * writes u(t+2), two rows do (memory/shrink.c). That is asked of the schedule, where
 * nothing but the recurrence has to wait for it.
 *
 * An example: all rows of u live until the statement for i > 0 has read u(t-1,
 * 0). Extra dependences, from each read of u(t-1) to the write of u(t+1), tell
 * the scheduler that they share a row. They may cost parallelism, so the caller
 * schedules with and without them, and compares.
 */
#include <stdlib.h>

#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/sets/sets.h"
#include "polyir/schedule/schedule.h"

/* A temporary, and dimension "dim" of it: the steps of a recurrence. "in" are the
 * statements of that: those that write the array, and what waits for them and they for.
 * "step" is which dimension of each array of theirs goes along steps, or -1; "any",
 * whether dependences came to those that there were.
 *
 * Reset for each array and dimension.
 */
struct steps {
	struct poly_prog *prog;
	const bool *edge;	/* the graph of dependences, with what follows */
	struct poly_array *array;
	int dim;
	bool *in;
	int *step;
	bool changed, fails, any;
	int64_t most;		/* steps that what reads the array is behind */
};

/* What statement "stmt" reads of its recurrence. */
struct read {
	struct steps *s;
	const struct poly_stmt *stmt;
};

/* The array is in the program. */
static int position_of(const struct poly_prog *prog,
	const struct poly_array *array)
{
	int i = 0;

	while (prog->array[i] != array)
		i++;
	return i;
}

/* Is dimension "to" of what "stmt" writes a fixed number above dimension "from" of what
 * it reads by "leaf"? Set "*by" to that.
 *
 * Dimension 0 of u(t,i) is 1 above that of u(t-1,i) everywhere: *by = 1. False
 * if the distance varies, or isl does not know.
 */
static bool is_behind(const struct poly_stmt *stmt,
	const struct poly_expr *leaf, int from, int to, int64_t *by)
{
	isl_pw_aff *apart = isl_pw_aff_sub(
		isl_multi_pw_aff_get_at(stmt->write_index, to),
		isl_multi_pw_aff_get_at(leaf->index, from));
	isl_val *least, *most;
	bool fixed;

	apart = isl_pw_aff_intersect_domain(apart,
		isl_set_copy(stmt->domain));
	least = isl_pw_aff_min_val(isl_pw_aff_copy(apart));
	most = isl_pw_aff_max_val(apart);
	fixed = isl_val_is_int(least) == isl_bool_true &&
		isl_val_eq(least, most) == isl_bool_true;
	if (fixed)
		*by = isl_val_get_num_si(least);
	isl_val_free(least);
	isl_val_free(most);
	return fixed;
}

/* See to it that what "leaf" reads is of the same step as what is written, or of one
 * before.
 *
 * The first read that fixes the dimension of another array decides; a later one
 * that disagrees makes it fail.
 */
static void look_at_read(struct poly_expr *leaf, void *user)
{
	const struct read *r = user;
	struct steps *s = r->s;
	int from = s->step[position_of(s->prog, leaf->array)];
	int *to = &s->step[position_of(s->prog, r->stmt->write_array)];
	int64_t by = -1;

	if (from < 0 || s->fails)
		return;
	for (int d = 0; d < r->stmt->write_array->n_dim && *to < 0; d++)
		if (is_behind(r->stmt, leaf, from, d, &by)) {
			*to = d;
			s->changed = true;
		}
	s->fails = *to < 0 || !is_behind(r->stmt, leaf, from, *to, &by) ||
		by < 0 || (leaf->array == s->array &&
			r->stmt->write_array == s->array && by == 0);
	if (!s->fails && leaf->array == s->array && by > s->most)
		s->most = by;
}

/* Do all statements of the recurrence go forward along steps, and the array by at least
 * one at a time? Then "most" is known.
 *
 * A fixed point: what a statement writes gets its step from what it reads,
 * until nothing changes. Each round settles an array or ends.
 */
static bool go_forward(struct steps *s)
{
	struct poly_prog *prog = s->prog;
	bool recurs = false;

	for (int i = 0; i < prog->n_array; i++)
		s->step[i] = -1;
	s->step[position_of(prog, s->array)] = s->dim;
	s->fails = false;
	s->most = 0;
	do {
		s->changed = false;
		for (int i = 0; i < prog->n_stmt && !s->fails; i++) {
			struct read r = { s, prog->stmt[i] };

			if (s->in[i])
				poly_expr_each_access(r.stmt->rhs,
					look_at_read, &r);
		}
	} while (s->changed && !s->fails);
	for (int i = 0; i < prog->n_stmt && !s->fails; i++) {
		const struct poly_stmt *stmt = prog->stmt[i];

		recurs |= stmt->write_array == s->array &&
			poly_expr_accesses(stmt->rhs, s->array);
		s->fails = s->in[i] &&
			s->step[position_of(prog, stmt->write_array)] < 0;
	}
	return recurs && !s->fails;
}

/* Does "stmt" write the array at several places along the dimension?
 *
 * The first step, u(0,i), stands at one place: it need not be kept in step.
 */
static bool goes_along(const struct steps *s, const struct poly_stmt *stmt)
{
	isl_pw_aff *at;
	isl_set *places;
	bool one;

	if (stmt->write_array != s->array)
		return false;
	at = isl_multi_pw_aff_get_at(stmt->write_index, s->dim);
	places = isl_map_range(isl_map_intersect_domain(isl_map_from_pw_aff(at),
		isl_set_copy(stmt->domain)));
	one = isl_set_is_singleton(places) == isl_bool_true;
	isl_set_free(places);
	return !one;
}

/* Do statements "i" and "j" wait for one another?
 *
 * "edge" is transitive, so edges both ways are one component.
 */
static bool go_together(const struct steps *s, int i, int j)
{
	int n = s->prog->n_stmt;

	return i == j || (s->edge[i * n + j] && s->edge[j * n + i]);
}

/* Do two statements go along the dimension that need not go together?
 *
 * Only then the schedule has a choice.
 */
static bool fall_apart(const struct steps *s)
{
	int first = -1;

	for (int i = 0; i < s->prog->n_stmt; i++) {
		if (!goes_along(s, s->prog->stmt[i]))
			continue;
		if (first >= 0 && !go_together(s, first, i))
			return true;
		first = first < 0 ? i : first;
	}
	return false;
}

/* Which statements are in the recurrence; their instances.
 *
 * In the caller's "in"; the set has whole spaces.
 */
static __isl_give isl_union_set *recurrence(struct steps *s)
{
	struct poly_prog *prog = s->prog;
	isl_union_set *all = isl_union_set_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++) {
		s->in[i] = false;
		for (int j = 0; j < prog->n_stmt; j++)
			s->in[i] |= prog->stmt[j]->write_array == s->array &&
				go_together(s, i, j);
		if (s->in[i])
			all = isl_union_set_add_set(all, isl_set_universe(
				isl_set_get_space(prog->stmt[i]->domain)));
	}
	return all;
}

/* Add to "deps", which are taken, those that the array in a few cells has, if it is the
 * schedule that keeps it from that, and nothing but the recurrence, "all" of it, waits.
 *
 * The extra dependences must come from within the recurrence: others that wait
 * for it would be turned round.
 */
static __isl_give isl_union_map *add_cells(struct steps *s,
	__isl_keep isl_union_set *all, __isl_take isl_union_map *deps)
{
	isl_union_map *reads, *writes, *pairs, *others;
	struct poly_cells cells = { .dim = s->dim };

	if (!fall_apart(s) || !go_forward(s))
		return deps;
	cells.n = s->most + 1;
	poly_find_accesses(s->prog, s->array, &reads, &writes);
	pairs = poly_cell_pairs(s->array, &cells, isl_union_map_union(reads,
		isl_union_map_copy(writes)), writes);
	others = isl_union_map_subtract_domain(isl_union_map_copy(pairs),
		isl_union_set_copy(all));
	if (isl_union_map_is_empty(others) == isl_bool_true)
		deps = isl_union_map_union(deps, isl_union_map_copy(pairs));
	s->any |= isl_union_map_is_empty(others) == isl_bool_true;
	isl_union_map_free(pairs);
	isl_union_map_free(others);
	return deps;
}

/* Takes "deps"; "*any" tells whether it differs from what was given. */
__isl_give isl_union_map *poly_step_together(struct poly_prog *prog,
	const bool *edge, __isl_take isl_union_map *deps, bool *any)
{
	struct steps s = { .prog = prog, .edge = edge,
		.in = calloc(prog->n_stmt + 1, sizeof(bool)),
		.step = calloc(prog->n_array + 1, sizeof(int)) };

	for (int i = 0; s.in && s.step && i < prog->n_array; i++) {
		isl_union_set *all;

		s.array = prog->array[i];
		if (!poly_is_temp(s.array))
			continue;
		all = recurrence(&s);
		for (s.dim = 0; s.dim < s.array->n_dim; s.dim++)
			deps = add_cells(&s, all, deps);
		isl_union_set_free(all);
	}
	*any = s.any;
	free(s.in);
	free(s.step);
	return deps;
}
