/* Recurrences in place.
 *
 * What a recurrence reads of an array that it, or what stands behind it, overwrites, it
 * reads of a copy, if it is a recurrence then, which may be a scan:
 *
 *	for (i)				for (i) old[i] = y[i];
 *	  y[i] = y[i - 1] + y[i];	for (i) y[i] = y[i - 1] + old[i];
 *
 * for elements that nothing writes before they are read. The text's order says no more
 * then than its values do (polyir/scans/scans.c). Where the copy costs more than to read
 * the elements where they are, they are read there again (polyir/rows/again.c).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* Reads of "array" by "stmt" of what comes in, which are found, or, with "other", made to
 * be those of that array; of which cells.
 */
struct incoming {
	struct poly_prog *prog;
	struct poly_stmt *stmt;
	struct poly_array *array;
	struct poly_array *other;
	isl_union_map *writes;
	isl_set *cells;
	int n;
};

/* Does the program write no element before "read" reads it? */
static bool is_first(const struct incoming *in, __isl_keep isl_map *read)
{
	isl_union_map *pairs = isl_union_map_apply_range(isl_union_map_copy(
		in->writes), isl_union_map_reverse(isl_union_map_from_map(
		isl_map_copy(read))));
	bool is;

	pairs = poly_pairs_before(in->prog->original,
		isl_union_map_intersect_params(pairs, poly_known_sizes(
		in->prog)));
	is = isl_union_map_is_empty(pairs) == isl_bool_true;
	isl_union_map_free(pairs);
	return is;
}

static void look_at_leaf(struct poly_expr *leaf, void *user)
{
	struct incoming *in = user;
	isl_map *read;

	if (leaf->array != in->array)
		return;
	read = poly_stmt_read(in->stmt, leaf);
	if (is_first(in, read)) {
		if (in->other)
			poly_leaf_set(leaf, in->other);
		else
			in->cells = isl_set_union(in->cells, isl_map_range(
				isl_map_copy(read)));
		in->n++;
	}
	isl_map_free(read);
}

/* Is the statement a recurrence, which may be a scan, once these reads are of another
 * array?
 */
static bool is_recurrence_then(struct incoming *in)
{
	struct poly_array other = *in->array;
	struct poly_stmt then = *in->stmt;
	bool is;

	then.rhs = poly_expr_copy(in->stmt->rhs);
	in->other = &other;
	poly_expr_each_access(then.rhs, look_at_leaf, in);
	in->other = NULL;
	is = then.rhs && poly_recurrence_read(in->prog, &then, NULL);
	poly_expr_free(then.rhs);
	return is;
}

/* Begin the program with a copy of the cells, of which the statement reads. */
static bool insert_copy(struct incoming *in)
{
	struct poly_prog *prog = in->prog;
	char *name = poly_unique_name(prog, in->array->name, "keep");
	isl_set *domain;
	bool ok = false;

	in->other = name ? poly_add_like(prog, in->array, "old") : NULL;
	if (in->other) {
		poly_expr_each_access(in->stmt->rhs, look_at_leaf, in);
		domain = isl_set_gist_params(poly_set_coalesce(isl_set_copy(
			in->cells)), isl_set_copy(prog->context));
		domain = isl_set_set_tuple_name(domain, name);
		ok = poly_add_copy(prog, name, isl_set_copy(domain), in->other,
			in->array) == isl_stat_ok;
		if (ok)
			poly_prog_set_original(prog, isl_schedule_sequence(
				isl_schedule_from_domain(
				isl_union_set_from_set(isl_set_copy(domain))),
				isl_schedule_copy(prog->original)));
		isl_set_free(domain);
	}
	free(name);
	return ok;
}

/* Make a copy for what "s" reads of "array", if it is a recurrence then: how many, or -1. */
static int copy_for(struct poly_prog *prog, struct poly_stmt *s,
	struct poly_array *array)
{
	struct incoming in = { .prog = prog, .stmt = s, .array = array,
		.writes = isl_union_map_empty(isl_set_get_space(prog->context)),
		.cells = isl_set_empty(isl_multi_pw_aff_get_space(
			array->extent)) };
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->write_array == array)
			in.writes = isl_union_map_add_map(in.writes,
				poly_stmt_write(prog->stmt[i]));
	if (isl_union_map_is_empty(in.writes) == isl_bool_false)
		poly_expr_each_access(s->rhs, look_at_leaf, &in);
	if (in.n && is_recurrence_then(&in))
		n = insert_copy(&in) ? 1 : -1;
	isl_union_map_free(in.writes);
	isl_set_free(in.cells);
	return n;
}

int poly_keep_incoming(struct poly_prog *prog)
{
	int n_stmt = prog->n_stmt, n_array = prog->n_array, n = 0;

	if (!poly_prog_is_fixed(prog) || prog->request.apart)
		return 0;
	for (int i = 0; i < n_stmt * n_array && n >= 0; i++) {
		struct poly_stmt *s = prog->stmt[i / n_array];
		struct poly_array *a = prog->array[i % n_array];
		int made;

		if (s->kind != POLY_POINT || s->reduce != POLY_OP_NONE ||
		    a->role != POLY_INOUT || !poly_expr_accesses(s->rhs, a))
			continue;
		made = copy_for(prog, s, a);
		n = made < 0 ? -1 : n + made;
	}
	return n;
}
