/* What statements read and write, as isl relations.
 *
 * Nothing is stored twice: the unions are made from the statements each time
 * they are asked for. Every map is intersected with its statement's domain.
 *
 * S[i,k] : C[i,j] += A[i,k] * B[k,j] has the reads { S[i,j,k] -> A[i,k] }, { ..
 * -> B[k,j] } and, as an update, { .. -> C[i,j] }. Where data tell the element,
 * every element of the array counts: gathers, all accesses to an array that
 * is written by a SCATTER, and those of a statement that counts what is EARLIER.
 */
#include <stdlib.h>

#include <isl/local_space.h>
#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"

/* The elements that "stmt" touches through "index".
 *
 * Single-valued, as the index is a function.
 */
static __isl_give isl_map *access_map(const struct poly_stmt *stmt,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_map *map = isl_map_from_multi_pw_aff(isl_multi_pw_aff_copy(index));

	return isl_map_intersect_domain(map, isl_set_copy(stmt->domain));
}

bool poly_reads_any(const struct poly_stmt *stmt, const struct poly_expr *leaf)
{
	return leaf->array->scattered || poly_earlier(stmt);
}

/* By form: what the place of a SCATTER adds up. */
const struct poly_expr *poly_earlier(const struct poly_stmt *stmt)
{
	const struct poly_expr *e = stmt->rhs;

	if (!e || e->op != POLY_OP_SCATTER)
		return NULL;
	e = e->arg[1];
	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return e->op == POLY_OP_ADD && e->arg[1]->op == POLY_OP_EARLIER ?
		e->arg[1] : NULL;
}

/* Any instance of a SCATTER may have written what "leaf" reads. */
__isl_give isl_map *poly_stmt_read(const struct poly_stmt *stmt,
	const struct poly_expr *leaf)
{
	if (poly_reads_any(stmt, leaf))
		return isl_map_from_domain_and_range(
			isl_set_copy(stmt->domain),
			poly_array_box(leaf->array, 0));
	return access_map(stmt, leaf->index);
}

bool poly_is_temp(const struct poly_array *array)
{
	return array->role == POLY_TEMP && !array->gathered;
}

bool poly_is_scatter(const struct poly_stmt *stmt)
{
	return stmt->rhs && stmt->rhs->op == POLY_OP_SCATTER;
}

static __isl_give isl_union_map *empty_map(isl_ctx *ctx)
{
	return isl_union_map_empty(isl_space_params_alloc(ctx, 0));
}

/* What "stmt" reads, leaf by leaf. */
struct reads {
	struct poly_stmt *stmt;
	isl_union_map *map;
};

/* Add what "leaf" reads. */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct reads *reads = user;
	isl_map *map = poly_stmt_read(reads->stmt, leaf);

	reads->map = isl_union_map_union(reads->map,
		isl_union_map_from_map(map));
}

/* "first" leaves out the leading dimensions, which a caller bounds itself, as
 * those of a loop that goes on.
 */
__isl_give isl_set *poly_array_box(const struct poly_array *array, int first)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);
	isl_set *box = isl_set_universe(isl_space_copy(space));
	isl_pw_aff *extent, *at;
	int d;

	for (d = first; d < array->n_dim; d++) {
		extent = isl_pw_aff_from_range(
			isl_multi_pw_aff_get_pw_aff(array->extent, d));
		extent = isl_pw_aff_add_dims(extent, isl_dim_in,
			(unsigned)array->n_dim);
		extent = isl_pw_aff_set_tuple_id(extent, isl_dim_in,
			isl_space_get_tuple_id(space, isl_dim_set));
		at = isl_pw_aff_from_aff(isl_aff_var_on_domain(
			isl_local_space_from_space(isl_space_copy(space)),
			isl_dim_set, (unsigned)d));
		box = isl_set_intersect(box,
			isl_pw_aff_nonneg_set(isl_pw_aff_copy(at)));
		box = isl_set_intersect(box, isl_pw_aff_lt_set(at, extent));
	}
	isl_space_free(space);
	return box;
}

/* Whatever its argument is, "leaf" may read any element. */
__isl_give isl_map *poly_stmt_gathered(const struct poly_stmt *stmt,
	const struct poly_expr *leaf)
{
	return isl_map_from_domain_and_range(isl_set_copy(stmt->domain),
		poly_array_box(leaf->array, 0));
}

static void add_gathered(struct poly_expr *leaf, void *user)
{
	struct reads *reads = user;

	reads->map = isl_union_map_union(reads->map, isl_union_map_from_map(
		poly_stmt_gathered(reads->stmt, leaf)));
}

/* A fold begins its cells itself, so what they held does not count. */
bool poly_is_update(const struct poly_stmt *s)
{
	return s->reduce != POLY_OP_NONE && !s->fold;
}

/* What the point statement "stmt" reads: the leaves of its right-hand side
 * and, if it updates its cell, that cell. Empty for other kinds.
 */
__isl_give isl_union_map *poly_stmt_reads(struct poly_stmt *stmt)
{
	struct reads reads = { .stmt = stmt };

	reads.map = empty_map(isl_set_get_ctx(stmt->domain));
	poly_expr_each_access(stmt->rhs, add_read, &reads);
	poly_expr_each_gather(stmt->rhs, add_gathered, &reads);
	if (stmt->write_index && poly_is_update(stmt))
		reads.map = isl_union_map_union(reads.map,
			isl_union_map_from_map(poly_stmt_write(stmt)));
	return poly_union_map_coalesce(reads.map);
}

/* What the point statement "stmt" writes. */
__isl_give isl_map *poly_stmt_write(struct poly_stmt *stmt)
{
	return access_map(stmt, stmt->write_index);
}

__isl_give isl_union_set *poly_point_domains(struct poly_prog *prog)
{
	isl_union_set *all;
	int i;

	all = isl_union_set_empty(isl_space_params_alloc(prog->ctx, 0));
	for (i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT)
			all = isl_union_set_add_set(all,
				isl_set_copy(prog->stmt[i]->domain));
	return all;
}

__isl_give isl_union_map *poly_reads(struct poly_prog *prog)
{
	isl_union_map *all = empty_map(prog->ctx);
	int i;

	for (i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT)
			all = isl_union_map_union(all,
				poly_stmt_reads(prog->stmt[i]));
	return all;
}

/* The writes of all point statements, or of those that update.
 *
 * Updates read, too; poly_reads has that part.
 */
static __isl_give isl_union_map *writes(struct poly_prog *prog, bool updates)
{
	isl_union_map *all = empty_map(prog->ctx);
	int i;

	for (i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *stmt = prog->stmt[i];

		if (stmt->kind != POLY_POINT)
			continue;
		if (updates && !poly_is_update(stmt))
			continue;
		all = isl_union_map_add_map(all, poly_stmt_write(stmt));
	}
	return all;
}

__isl_give isl_union_map *poly_writes(struct poly_prog *prog)
{
	return writes(prog, false);
}

/* The cells that reductions update: the part of poly_writes whose statements
 * go on from what the cells hold.
 */
__isl_give isl_union_map *poly_updates(struct poly_prog *prog)
{
	return writes(prog, true);
}

bool poly_any_writes(struct poly_stmt *const *list, int n,
	const struct poly_array *array)
{
	for (int i = 0; i < n; i++)
		if (list[i]->write_array == array)
			return true;
	return false;
}

bool poly_stmt_accesses(struct poly_stmt *s, const struct poly_array *array)
{
	return s->write_array == array || poly_expr_accesses(s->rhs, array);
}

bool poly_accessed_beside(const struct poly_prog *prog,
	struct poly_stmt *const *list, int n, const struct poly_array *array)
{
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];
		bool own = s->kind != POLY_POINT;

		for (int k = 0; k < n && !own; k++)
			own = list[k] == s;
		if (!own && poly_stmt_accesses(s, array))
			return true;
	}
	return !poly_is_temp(array);
}

/* The index is kept: both arrays have the same dimensions. */
void poly_leaf_set(struct poly_expr *leaf, struct poly_array *array)
{
	leaf->array = array;
	leaf->index = isl_multi_pw_aff_set_tuple_name(leaf->index,
		isl_dim_out, array->name);
}

/* Reads of "from" become reads of "to". */
struct rename {
	const struct poly_array *from;
	struct poly_array *to;
};

/* Let "leaf" read the other array if it reads the one. */
static void rename_read(struct poly_expr *leaf, void *user)
{
	const struct rename *r = user;

	if (leaf->array == r->from)
		poly_leaf_set(leaf, r->to);
}

/* Reads by gathers stay: an array that is gathered from is never renamed
 * (poly_is_temp).
 */
void poly_stmt_rename(struct poly_stmt *s, const struct poly_array *from,
	struct poly_array *to)
{
	struct rename r = { from, to };

	poly_expr_each_access(s->rhs, rename_read, &r);
	if (s->write_array != from)
		return;
	to->scattered |= poly_is_scatter(s);
	s->write_array = to;
	s->write_index = isl_multi_pw_aff_set_tuple_name(s->write_index,
		isl_dim_out, to->name);
}

/* Has the extent and the type, lives in global memory, and is written by nobody
 * yet.
 */
struct poly_array *poly_add_like(struct poly_prog *prog,
	const struct poly_array *array, const char *suffix)
{
	char *name = poly_unique_name(prog, array->name, suffix);
	struct poly_array *temp = name ? poly_prog_add_array(prog, name,
		array->type, POLY_TEMP, isl_multi_pw_aff_set_tuple_name(
			isl_multi_pw_aff_copy(array->extent), isl_dim_out,
			name)) : NULL;

	if (temp)
		temp->loc = array->loc;
	free(name);
	return temp;
}

/* A matrix of the statements, in which each dependence sets an entry.
 *
 * Row "from", column "to", n_stmt of each; the caller owns it.
 */
struct edges {
	const struct poly_prog *prog;
	bool *edge;
};

/* Note an edge between the two statements of a dependence. */
static isl_stat note_edge(__isl_take isl_map *map, void *user)
{
	struct edges *e = user;
	int n = e->prog->n_stmt;
	int from = poly_stmt_position(e->prog,
		isl_map_get_tuple_name(map, isl_dim_in));
	int to = poly_stmt_position(e->prog,
		isl_map_get_tuple_name(map, isl_dim_out));

	isl_map_free(map);
	if (from < n && to < n && from != to)
		e->edge[from * n + to] = true;
	return isl_stat_ok;
}

void poly_note_edges(const struct poly_prog *prog,
	__isl_keep isl_union_map *deps, bool *edge)
{
	struct edges e = { prog, edge };

	isl_union_map_foreach_map(deps, note_edge, &e);
}

/* By form first: to ask whether two functions have one value on a domain is a
 * computation of isl's.
 */
bool poly_is_dim(__isl_keep isl_pw_aff *pa, const struct poly_stmt *stmt, int d,
	bool values)
{
	isl_pw_aff *dim = isl_pw_aff_var_on_domain(isl_local_space_from_space(
		isl_set_get_space(stmt->domain)), isl_dim_set, d);
	isl_set *same;
	bool is;

	if (!values) {
		is = isl_pw_aff_plain_is_equal(pa, dim) == isl_bool_true;
		isl_pw_aff_free(dim);
		return is;
	}
	same = isl_pw_aff_eq_set(isl_pw_aff_copy(pa), dim);
	is = isl_set_is_subset(stmt->domain, same) == isl_bool_true;
	isl_set_free(same);
	return is;
}

/* All dimensions are tried by form before any is by value, for the same reason. By value,
 * those that the index names come first: where all have one value, the others may have the
 * same.
 */
int poly_index_dim(__isl_keep isl_multi_pw_aff *index, int pos,
	const struct poly_stmt *stmt)
{
	isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, pos);
	int n = isl_set_dim(stmt->domain, isl_dim_set), at = -1;

	for (int round = 0; round < 3; round++)
		for (int d = 0; d < n && at < 0; d++)
			if ((round != 1 || isl_pw_aff_involves_dims(pa,
			    isl_dim_in, d, 1) == isl_bool_true) &&
			    poly_is_dim(pa, stmt, d, round > 0))
				at = d;
	isl_pw_aff_free(pa);
	return at;
}

__isl_give isl_aff *poly_size_at(__isl_take isl_space *space, const char *name)
{
	isl_id *id = isl_id_alloc(isl_space_get_ctx(space), name, NULL);

	space = isl_space_add_param_id(space, isl_id_copy(id));
	return isl_aff_param_on_domain_space_id(space, id);
}

/* Is "e" dimension "dim" of "stmt", as an integer that holds all its values?
 *
 * Conversions to integers of 32 bits or more lose nothing of an index within an
 * array.
 */
static bool is_dimension(const struct poly_stmt *stmt, const struct poly_expr *e,
	int dim)
{
	while (e->op == POLY_OP_CAST && !poly_type_is_float(e->type) &&
	       poly_type_size(e->type) >= 4)
		e = e->arg[0];
	return e->op == POLY_OP_INDEX &&
		poly_index_dim(e->index, 0, stmt) == dim;
}

/* What "cond" wants dimension "dim" of "stmt" to be equal to; NULL: nothing.
 *
 * Looks into conjunctions: e == a[i] && valid[i].
 */
static const struct poly_expr *wanted(const struct poly_stmt *stmt,
	const struct poly_expr *cond, int dim)
{
	const struct poly_expr *value = NULL;

	if (cond->op == POLY_OP_AND && cond->type == POLY_BOOL) {
		value = wanted(stmt, cond->arg[0], dim);
		return value ? value : wanted(stmt, cond->arg[1], dim);
	}
	if (cond->op != POLY_OP_EQ || poly_type_is_float(cond->arg[0]->type) ||
	    poly_type_size(cond->arg[0]->type) < 4)
		return NULL;
	for (int i = 0; i < 2 && !value; i++)
		if (is_dimension(stmt, cond->arg[i], dim))
			value = cond->arg[1 - i];
	return value && !poly_expr_moves(value, dim) ? value : NULL;
}

const struct poly_expr *poly_wanted(const struct poly_stmt *stmt, int dim)
{
	return stmt->rhs && stmt->rhs->op == POLY_OP_SELECT ?
		wanted(stmt, stmt->rhs->arg[0], dim) : NULL;
}

__isl_give isl_set *poly_stmt_runs(const struct poly_stmt *stmt)
{
	isl_set *set = isl_set_copy(stmt->domain);

	for (int d = isl_set_dim(set, isl_dim_set) - 1; d >= 0 && stmt->atomic; d--)
		if (poly_wanted(stmt, d))
			set = isl_set_project_out(set, isl_dim_set, (unsigned)d, 1);
	return set;
}
