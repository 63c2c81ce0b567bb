/* Values of threads that have one point each live in registers.
 *
 * A temporary of which each point of a kernel without tiles has an element to
 * itself is a value of the point's thread: nothing else sees it, and it needs no
 * memory, whatever loops of the thread write and read it.
 *
 *	for (i, j)		s[i][j] = 0, s[i][j] += x[i][j][k], y[i][j] = s[i][j]:
 *		s = 0, ..	s becomes a register
 *
 * Where lanes share a point, those that have none run along with the last one, and
 * only what is stored in memory is left to the others: there temporaries stay.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/schedule/schedule.h"
#include "polyir/memory/memory.h"

/* The part of "accesses" that goes to "array". */
static __isl_give isl_union_map *to_array(__isl_take isl_union_map *accesses,
	const struct poly_array *array)
{
	return isl_union_map_intersect_range(accesses,
		isl_union_set_from_set(poly_array_box(array, 0)));
}

/* The accesses of the program to "array"; of statements that have none, nothing is asked,
 * since sums of parts have many that are long to put together. NULL if a statement that is atomic or that
 * lanes run together is among them, for which a thread's value would not do.
 */
static __isl_give isl_union_map *accesses_to(struct poly_prog *prog,
	const struct poly_array *array)
{
	isl_union_map *all = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt && all; i++) {
		struct poly_stmt *s = prog->stmt[i];
		isl_union_map *own;

		if (s->kind != POLY_POINT || !poly_stmt_accesses(s, array))
			continue;
		own = isl_union_map_union(poly_stmt_reads(s),
			isl_union_map_from_map(poly_stmt_write(s)));
		own = to_array(own, array);
		if (isl_union_map_is_empty(own) != isl_bool_true &&
		    (s->atomic || s->across || s->fold ||
		     array->scattered))
			all = isl_union_map_free(all);
		if (all)
			all = isl_union_map_union(all, own);
		else
			isl_union_map_free(own);
	}
	return all;
}

/* Are all statements that touch "array", and there are some, among the "n" of "list"? */
static bool is_of(struct poly_prog *prog, const struct poly_array *array,
	struct poly_stmt **list, int n)
{
	int touching = 0, among = 0;

	for (int i = 0; i < n; i++)
		among += list[i]->kind == POLY_POINT &&
			poly_stmt_accesses(list[i], array);
	for (int i = 0; i < prog->n_stmt && among; i++)
		touching += prog->stmt[i]->kind == POLY_POINT &&
			poly_stmt_accesses(prog->stmt[i], array);
	return among && among == touching;
}

/* Has each of the "points" of a kernel an element of "array" to itself, which nothing
 * else in the program accesses? At the sizes that are known: points of 7 i + j are one
 * each of images of 7 columns alone.
 */
static bool is_own(struct poly_prog *prog, const struct poly_array *array,
	__isl_keep isl_union_map *points)
{
	isl_union_map *accesses, *element;
	isl_union_set *inside, *from;
	bool own;

	accesses = accesses_to(prog, array);
	if (!accesses)
		return false;
	inside = isl_union_map_domain(isl_union_map_copy(points));
	from = isl_union_map_domain(isl_union_map_copy(accesses));
	element = isl_union_map_intersect_params(isl_union_map_apply_domain(
		accesses, isl_union_map_copy(points)), poly_known_sizes(prog));
	own = isl_union_set_is_empty(from) == isl_bool_false &&
		isl_union_set_is_subset(from, inside) == isl_bool_true &&
		isl_union_map_is_single_valued(element) == isl_bool_true &&
		isl_union_map_is_injective(element) == isl_bool_true;
	isl_union_map_free(element);
	isl_union_set_free(inside);
	isl_union_set_free(from);
	return own;
}

/* The points of "kernel", whose band is "node": where a thread has several, one after another,
 * with the loop over these, which is written out right below.
 */
static __isl_give isl_union_map *points_of(const struct poly_kernel *kernel,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_set *domain)
{
	isl_union_map *points = poly_kernel_axes(kernel, node);
	isl_schedule_node *child = isl_schedule_node_get_child(node, 0);

	if (poly_has_cells(kernel, child))
		points = isl_union_map_flat_range_product(points,
			isl_schedule_node_band_get_partial_schedule_union_map(child));
	isl_schedule_node_free(child);
	return isl_union_map_intersect_domain(points, domain);
}

void poly_keep_own_values(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	struct poly_stmt **list;
	isl_union_map *points;
	int n;

	node = isl_schedule_node_child(node, 0);
	if (isl_schedule_node_get_type(node) != isl_schedule_node_band ||
	    poly_kernel_n_host(prog, kernel) || poly_across(prog, domain)) {
		isl_schedule_node_free(node);
		isl_union_set_free(domain);
		return;
	}
	list = poly_stmts_of(prog, domain, &n);
	points = points_of(kernel, node, domain);
	for (int i = 0; i < prog->n_array && list; i++) {
		struct poly_array *a = prog->array[i];

		if (a->space == POLY_GLOBAL && poly_is_temp(a) &&
		    is_of(prog, a, list, n) && is_own(prog, a, points))
			a->space = POLY_REGISTER;
	}
	free(list);
	isl_union_map_free(points);
	isl_schedule_node_free(node);
}
