/* The accesses to an array, by what they mean for the order of a text.
 *
 *	s = 0			FIXED: a write in a fixed order
 *	s += a[i]		OWN and LOOSE, if the order of sums is free
 *	t = s			READ
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/deps/deps.h"
#include "polyir/deps/flow_order.h"

bool poly_is_free_update(const struct poly_prog *prog,
	const struct poly_stmt *s)
{
	if (s->kind != POLY_POINT || s->reduce == POLY_OP_NONE)
		return false;
	switch (s->reduce) {
	case POLY_OP_MIN:
	case POLY_OP_MAX:
	case POLY_OP_AND:
	case POLY_OP_OR:
	case POLY_OP_XOR:
		return true;
	case POLY_OP_ADD:
	case POLY_OP_MUL:
		return prog->fp != POLY_FP_STRICT ||
			!poly_type_is_float(s->write_array->type);
	default:
		return false;
	}
}

/* The statement whose reads are added to "a". */
struct reads {
	struct poly_stmt *stmt;
	struct poly_accesses *a;
};

/* Callback for each access in an expression: add it to the reads if it is to
 * the array looked at.
 */
static void add_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;
	isl_map *map;

	if (leaf->array != r->a->array)
		return;
	map = poly_stmt_read(r->stmt, leaf);
	r->a->of[POLY_READ] = isl_union_map_union(r->a->of[POLY_READ],
		isl_union_map_from_map(map));
}

/* The same of an element that data tell: all of them. */
static void add_gathered(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	if (leaf->array == r->a->array)
		r->a->of[POLY_READ] = isl_union_map_union(r->a->of[POLY_READ],
			isl_union_map_from_map(poly_stmt_gathered(r->stmt,
			leaf)));
}

/* Sort the accesses of "s" to the array of "a" into the four kinds. An update
 * whose order is fixed counts as a read and a write of its cell.
 */
static void add_stmt(struct poly_prog *prog, struct poly_stmt *s,
	struct poly_accesses *a)
{
	struct reads reads = { s, a };
	isl_union_map *write;

	a->size += 1 + isl_set_dim(s->domain, isl_dim_set);
	poly_expr_each_access(s->rhs, add_read, &reads);
	poly_expr_each_gather(s->rhs, add_gathered, &reads);
	if (s->write_array != a->array)
		return;
	write = isl_union_map_from_map(poly_stmt_write(s));
	if (poly_is_free_update(prog, s)) {
		a->of[POLY_OWN] = isl_union_map_union(a->of[POLY_OWN],
			isl_union_map_copy(write));
		a->of[POLY_LOOSE] = isl_union_map_union(a->of[POLY_LOOSE], write);
		return;
	}
	if (s->reduce != POLY_OP_NONE)
		a->of[POLY_READ] = isl_union_map_union(a->of[POLY_READ],
			isl_union_map_copy(write));
	a->of[POLY_FIXED] = isl_union_map_union(a->of[POLY_FIXED], write);
}

/* Fill in "a" with all accesses of point statements to its array, for sizes of
 * the context.
 */
static void find_accesses(struct poly_prog *prog, struct poly_accesses *a)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		a->of[i] = isl_union_map_empty(
			isl_set_get_space(prog->context));
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    poly_stmt_accesses(prog->stmt[i], a->array))
			add_stmt(prog, prog->stmt[i], a);
	for (int i = 0; i < POLY_N_ACCESS; i++)
		a->of[i] = isl_union_map_intersect_params(a->of[i],
			isl_set_copy(prog->context));
}

void poly_free_accesses(struct poly_accesses *a)
{
	for (int i = 0; i < POLY_N_ACCESS; i++)
		isl_union_map_free(a->of[i]);
}

__isl_give isl_union_map *poly_writes_of(const struct poly_accesses *a)
{
	return isl_union_map_union(isl_union_map_copy(a->of[POLY_FIXED]),
		isl_union_map_copy(a->of[POLY_LOOSE]));
}

int poly_count_pairs(const struct poly_accesses *a)
{
	int n_write = isl_union_map_n_map(a->of[POLY_FIXED]) +
		isl_union_map_n_map(a->of[POLY_LOOSE]);

	return n_write * (n_write + isl_union_map_n_map(a->of[POLY_READ]));
}

__isl_give isl_schedule *poly_order_of(struct poly_prog *prog,
	const struct poly_accesses *a)
{
	isl_union_map *all = isl_union_map_union(poly_writes_of(a),
		isl_union_map_copy(a->of[POLY_READ]));

	return poly_bare_order(prog->original, isl_union_map_domain(all));
}

struct poly_accesses poly_accesses_to(const struct poly_accesses *a,
	__isl_take isl_set *part)
{
	struct poly_accesses one = { .array = a->array, .size = a->size };
	isl_union_set *cells = isl_union_set_from_set(part);

	for (int i = 0; i < POLY_N_ACCESS; i++)
		one.of[i] = isl_union_map_intersect_range(
			isl_union_map_copy(a->of[i]),
			isl_union_set_copy(cells));
	isl_union_set_free(cells);
	return one;
}

struct poly_accesses *poly_list_accesses(struct poly_prog *prog,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user, int *n)
{
	struct poly_accesses *list = calloc(prog->n_array + 1, sizeof(*list));

	*n = 0;
	for (int i = 0; list && i < prog->n_array; i++) {
		struct poly_accesses a = { .array = prog->array[i] };
		int k = *n;

		if (use && !use(a.array, user))
			continue;
		find_accesses(prog, &a);
		for (; k > 0 && poly_count_pairs(&list[k - 1]) > poly_count_pairs(&a); k--)
			list[k] = list[k - 1];
		list[k] = a;
		++*n;
	}
	return list;
}

void poly_free_accesses_list(struct poly_accesses *list, int n)
{
	for (int i = 0; i < n; i++)
		poly_free_accesses(&list[i]);
	free(list);
}
