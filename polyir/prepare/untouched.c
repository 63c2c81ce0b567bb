/* Reads that no write of the same launch can touch.
 *
 * LLVM knows that two arrays do not overlap, but not that a loop which updates
 * one cell of a matrix reads others:
 *
 *	for (k = i + 1; k < j; k++)
 *		t[i][j] = max(t[i][j], t[i][k] + t[k + 1][j]);
 *
 * In a launch for one j - i all cells that are written have that difference, and
 * all others that are read a smaller one. With that it keeps t[i][j] in a
 * register.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/prepare/prepare.h"

/* The walk over the reads of a kernel; "list" are those that no write touches.
 */
struct walk {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	isl_union_map *places;		/* { instance -> [launch] } */
	isl_union_map *written;		/* { [launch] -> element } */
	const struct poly_expr **list;
	int n;
	bool failed;
};

/* "{ [launch] -> element }" of "access", which is taken. */
static __isl_give isl_union_map *by_launch(const struct walk *w,
	__isl_take isl_union_map *access)
{
	return isl_union_map_apply_range(isl_union_map_reverse(
		isl_union_map_copy(w->places)), access);
}

/* Append "leaf" to the list. */
static void add_read(struct walk *w, const struct poly_expr *leaf)
{
	const struct poly_expr **list = realloc(w->list,
		((size_t)w->n + 1) * sizeof(*list));

	w->failed |= !list;
	if (!list)
		return;
	w->list = list;
	list[w->n++] = leaf;
}

/* Note the read "leaf" of an array that the program writes, if no launch that
 * runs it writes what it reads.
 */
static void look_at(struct poly_expr *leaf, void *user)
{
	struct walk *w = user;
	isl_union_set *cells = isl_union_set_from_set(isl_set_universe(
		isl_multi_pw_aff_get_space(leaf->array->extent)));
	isl_union_map *written = isl_union_map_intersect_range(
		isl_union_map_copy(w->written), cells);
	isl_union_map *read;

	if (isl_union_map_is_empty(written) == isl_bool_false) {
		read = by_launch(w, isl_union_map_from_map(
			poly_stmt_read(w->stmt, leaf)));
		if (isl_union_map_is_disjoint(read, written) == isl_bool_true)
			add_read(w, leaf);
		isl_union_map_free(read);
	}
	isl_union_map_free(written);
}

/* "places", which is taken, of tile operations too: of their members' instances. */
static __isl_give isl_union_map *of_points(struct poly_prog *prog,
	__isl_take isl_union_map *places)
{
	isl_union_set *domain = isl_union_map_domain(isl_union_map_copy(places));
	int n;
	struct poly_stmt **list = poly_stmts_of(prog, domain, &n);
	isl_union_map *all = isl_union_map_copy(places);

	for (int i = 0; list && i < n; i++)
		if (list[i]->n_member)
			all = isl_union_map_union(all,
				isl_union_map_apply_range(
				isl_union_map_copy(list[i]->contraction),
				isl_union_map_copy(places)));
	isl_union_set_free(domain);
	isl_union_map_free(places);
	if (!list)
		return isl_union_map_free(all);
	free(list);
	return all;
}

/* The statements of a kernel; does one read what one of them writes? */
struct own {
	struct poly_stmt *const *stmt;
	int n;
	bool reads;
};

static void look_for_own(struct poly_expr *leaf, void *user)
{
	struct own *o = user;

	o->reads = o->reads || poly_any_writes(o->stmt, o->n, leaf->array);
}

/* Does one of the "n" statements "stmt" read an array that one of them writes? */
static bool reads_own(struct poly_stmt *const *stmt, int n)
{
	struct own o = { stmt, n, false };

	for (int i = 0; i < n && !o.reads; i++)
		poly_expr_each_access(stmt[i]->rhs, look_for_own, &o);
	return o.reads;
}

isl_stat poly_untouched(struct poly_prog *prog, const struct poly_kernel *kernel,
	const struct poly_expr ***list, int *n)
{
	struct walk w = { .prog = prog };
	isl_union_set *domain;
	int n_stmt;
	struct poly_stmt **stmt = poly_kernel_stmts(prog, kernel, &n_stmt);

	if (stmt && !reads_own(stmt, n_stmt)) {
		free(stmt);
		return isl_stat_ok;
	}
	domain = poly_kernel_domain(prog, kernel);
	w.places = isl_union_map_from_multi_union_pw_aff(
		poly_kernel_launch(prog, kernel));
	w.places = isl_union_map_intersect_params(
		isl_union_map_intersect_domain(w.places, domain),
		isl_set_copy(prog->context));
	w.places = of_points(prog, w.places);
	w.written = by_launch(&w, poly_writes(prog));
	for (int i = 0; stmt && i < n_stmt; i++) {
		w.stmt = stmt[i];
		poly_expr_each_access(stmt[i]->rhs, look_at, &w);
	}
	w.failed |= !stmt || !w.written;
	isl_union_map_free(w.places);
	isl_union_map_free(w.written);
	free(stmt);
	*list = w.list;
	*n = w.n;
	return w.failed ? isl_stat_error : isl_stat_ok;
}
