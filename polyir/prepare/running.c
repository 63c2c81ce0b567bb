/* Scalars whose values go from one iteration to the next: an element for each write.
 *
 *	s = 0;				s[0] = 0;
 *	for (i) {			for (i) {
 *		s += x[i];			s[i + 1] = s[i] + x[i];
 *		y[i] = s;			y[i] = s[i + 1];
 *	}				}
 *
 * A running value is a recurrence then, which may be a scan (polyir/scans), and what
 * reads it runs in parallel behind. A value that is only kept for the next iteration
 *
 *	for (i) { y[i] = x[i] + last; last = x[i]; }
 *
 * keeps no loop in turn any more. A read goes to the element of the write that its
 * value comes from, which value-based dependences tell. It is not done where that
 * would leave the loop as it is: if the value is made, by other statements, of the one
 * before, or of it in another way than scans can do.
 */
#include <stdlib.h>

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include "polyir/ir/ir.h"
#include "polyir/ir/recurrence.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/prepare/prepare.h"

/* Dimensions of an array with its loops. */
enum { MOST_DIM = 6 };

/* A scalar that is looked at. "in" is the statement that writes it in a loop, "n" the
 * loops around that; "begins" the only other one that writes it, if any; "source" are
 * { reading instance -> instance that wrote the value }, "cell" the elements of the
 * writes.
 */
struct expand {
	struct poly_prog *prog;
	struct poly_array *array;
	struct poly_stmt *in, *begins;
	int n;
	isl_union_map *source, *cell;
};

static bool is_this(const struct poly_array *array, const void *user)
{
	return array == user;
}

static bool is_scalar(const struct poly_array *a)
{
	return poly_is_temp(a) && a->space == POLY_GLOBAL && !a->n_dim &&
		a->type == poly_type_compute(a->type) && a->type != POLY_BOOL;
}

/* ------------------------------------------------------------------ candidates */

/* Find the two statements that write the scalar; false if there are others. */
static bool find_writers(struct expand *x)
{
	struct poly_stmt *w[2] = { NULL };
	int n = 0, depth[2] = { 0 };

	for (int i = 0; i < x->prog->n_stmt; i++) {
		struct poly_stmt *s = x->prog->stmt[i];

		if (s->write_array != x->array)
			continue;
		if (n == 2 || s->kind != POLY_POINT || s->atomic || !s->rhs)
			return false;
		depth[n] = isl_set_dim(s->domain, isl_dim_set);
		w[n++] = s;
	}
	if (n != 2 || depth[0] == depth[1])
		return false;
	x->in = w[depth[0] < depth[1]];
	x->begins = w[depth[0] > depth[1]];
	x->n = depth[depth[0] < depth[1]];
	return x->n <= MOST_DIM && x->begins->reduce == POLY_OP_NONE &&
		isl_set_dim(x->begins->domain, isl_dim_set) == x->n - 1;
}

/* Does a value that "in" makes come back to it, from another iteration, by way of
 * other statements?
 */
static bool comes_back(const struct expand *x, __isl_keep isl_union_map *flow)
{
	isl_union_set *own = isl_union_set_from_set(isl_set_copy(
		x->in->domain)), *seen = isl_union_set_empty(
		isl_set_get_space(x->prog->context)), *next;
	isl_union_map *rest = isl_union_map_universe(isl_union_map_copy(flow));
	bool back = false, more = true;

	own = isl_union_set_universe(own);
	rest = isl_union_map_subtract(rest, isl_union_map_from_domain_and_range(
		isl_union_set_copy(own), isl_union_set_copy(own)));
	next = isl_union_set_apply(isl_union_set_copy(own),
		isl_union_map_copy(rest));
	while (more && next) {
		isl_union_set *all = isl_union_set_union(
			isl_union_set_copy(seen), isl_union_set_copy(next));

		more = isl_union_set_is_subset(all, seen) == isl_bool_false;
		isl_union_set_free(seen);
		seen = all;
		next = isl_union_set_apply(next, isl_union_map_copy(rest));
	}
	back = isl_union_set_is_disjoint(seen, own) != isl_bool_true;
	isl_union_set_free(own);
	isl_union_set_free(seen);
	isl_union_set_free(next);
	isl_union_map_free(rest);
	return back;
}

/* Pairs of instances of "in", the second one in a later iteration of its loop. */
static __isl_give isl_map *iterations(const struct expand *x)
{
	isl_space *space = isl_space_map_from_set(isl_set_get_space(
		x->in->domain));
	isl_map *map = isl_map_universe(space);

	for (int k = 0; k < x->n - 1; k++)
		map = isl_map_equate(map, isl_dim_in, k, isl_dim_out, k);
	map = isl_map_order_lt(map, isl_dim_in, x->n - 1, isl_dim_out,
		x->n - 1);
	map = isl_map_intersect_domain(map, isl_set_copy(x->in->domain));
	return isl_map_intersect_range(map, isl_set_copy(x->in->domain));
}

/* Does a value of "in" go to another statement of its loop, in the same iteration
 * or, with "later", in another one? Behind the loop only the last one would.
 */
static bool goes_on(const struct expand *x, bool later)
{
	isl_set *not_last = isl_map_domain(iterations(x));
	bool on = false;

	for (int i = 0; i < x->prog->n_stmt && !on; i++) {
		struct poly_stmt *s = x->prog->stmt[i];
		isl_map *map = isl_union_map_extract_map(x->source,
			isl_space_map_from_domain_and_range(
			isl_set_get_space(s->domain),
			isl_set_get_space(x->in->domain))), *same;

		map = isl_map_intersect_range(map, isl_set_copy(not_last));
		if (s != x->in && (int)isl_set_dim(s->domain, isl_dim_set) >=
		    x->n) {
			same = isl_map_copy(map);
			for (int k = 0; k < x->n; k++)
				same = isl_map_equate(same, isl_dim_in, k,
					isl_dim_out, k);
			if (later)
				map = isl_map_subtract(map, same);
			else
				isl_map_free(same);
			on = isl_map_is_empty(map) == isl_bool_false;
		}
		isl_map_free(map);
	}
	isl_set_free(not_last);
	return on;
}

/* ---------------------------------------------------------------------- cells */

/* The values of loop "k" around both writers. */
static __isl_give isl_set *values(const struct expand *x, int k)
{
	isl_set *all = isl_set_project_out(isl_set_copy(x->in->domain),
		isl_dim_set, k + 1, x->n - k - 1), *more;

	all = isl_set_reset_tuple_id(isl_set_project_out(all, isl_dim_set, 0,
		k));
	if (k == x->n - 1)
		return all;
	more = isl_set_project_out(isl_set_copy(x->begins->domain),
		isl_dim_set, k + 1, x->n - k - 2);
	more = isl_set_project_out(more, isl_dim_set, 0, k);
	return isl_set_union(all, isl_set_reset_tuple_id(more));
}

/* The element that "s" writes: the numbers of its iterations, the last one counted
 * from 1; or 0, before the loop.
 */
static __isl_give isl_multi_pw_aff *written(const struct expand *x,
	const struct poly_stmt *s)
{
	isl_space *space = isl_set_get_space(s->domain);
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(x->prog->ctx, x->n);
	int n = isl_set_dim(s->domain, isl_dim_set);

	for (int k = 0; k < x->n; k++) {
		isl_pw_aff *pa, *first;

		if (k == n) {
			pa = isl_pw_aff_zero_on_domain(
				isl_local_space_from_space(
				isl_space_copy(space)));
			list = isl_pw_aff_list_add(list, pa);
			continue;
		}
		pa = isl_pw_aff_var_on_domain(isl_local_space_from_space(
			isl_space_copy(space)), isl_dim_set, k);
		first = isl_pw_aff_insert_domain(poly_range_first(x->prog,
			values(x, k)), isl_space_copy(space));
		pa = isl_pw_aff_sub(pa, first);
		if (k == x->n - 1)
			pa = isl_pw_aff_add_constant_val(pa,
				isl_val_one(x->prog->ctx));
		list = isl_pw_aff_list_add(list, isl_pw_aff_gist(pa,
			isl_set_copy(s->domain)));
	}
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		x->n);
	space = isl_space_set_tuple_name(space, isl_dim_out, x->array->name);
	return isl_multi_pw_aff_from_pw_aff_list(space, list);
}

static __isl_give isl_union_map *writes(const struct expand *x,
	const struct poly_stmt *s)
{
	return isl_union_map_from_map(isl_map_intersect_domain(
		isl_map_from_multi_pw_aff(written(x, s)),
		isl_set_copy(s->domain)));
}

/* "pma", which is taken and known for the sizes that are fixed, for all instances of
 * "s": the function of its only piece, or NULL if it is not defined on some.
 */
static __isl_give isl_multi_pw_aff *everywhere(
	__isl_take isl_pw_multi_aff *pma, const struct poly_stmt *s)
{
	bool only = isl_pw_multi_aff_n_piece(pma) == 1;
	isl_set *domain = isl_pw_multi_aff_domain(isl_pw_multi_aff_copy(pma));
	bool all = isl_set_is_subset(s->domain, domain) == isl_bool_true;
	isl_multi_pw_aff *index = isl_multi_pw_aff_from_pw_multi_aff(pma);
	int n = isl_multi_pw_aff_size(index);

	isl_set_free(domain);
	for (int k = 0; only && k < n; k++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, k);

		index = isl_multi_pw_aff_set_at(index, k,
			poly_first_piece(pa));
		isl_pw_aff_free(pa);
	}
	return only || all ? index : isl_multi_pw_aff_free(index);
}

/* The element that "s" reads; NULL: it is not told. */
static __isl_give isl_multi_pw_aff *read_by(const struct expand *x,
	const struct poly_stmt *s)
{
	isl_union_map *umap = isl_union_map_intersect_domain(
		isl_union_map_copy(x->source), isl_union_set_from_set(
		isl_set_copy(s->domain)));
	isl_multi_pw_aff *index = NULL;
	isl_set *domain = isl_set_intersect_params(isl_set_copy(s->domain),
		poly_known_sizes(x->prog)), *read;
	isl_map *map;
	isl_space *space = isl_set_get_space(s->domain);

	umap = isl_union_map_apply_range(umap, isl_union_map_copy(x->cell));
	space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out,
		x->n);
	space = isl_space_set_tuple_name(space, isl_dim_out, x->array->name);
	map = isl_map_coalesce(isl_union_map_extract_map(umap, space));
	read = isl_map_domain(isl_map_copy(map));
	if (isl_map_is_single_valued(map) == isl_bool_true &&
	    isl_set_is_subset(domain, read) == isl_bool_true)
		index = everywhere(isl_pw_multi_aff_gist(
			isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(
			isl_map_copy(map))), isl_set_copy(domain)), s);
	isl_set_free(read);
	isl_set_free(domain);
	isl_map_free(map);
	isl_union_map_free(umap);
	return index;
}

/* --------------------------------------------------------------------- the change */

/* What is read in the place of the scalar. */
struct replace {
	const struct poly_array *array;
	__isl_keep isl_multi_pw_aff *index;
};

static void replace_read(struct poly_expr *leaf, void *user)
{
	const struct replace *r = user;

	if (leaf->array != r->array)
		return;
	isl_multi_pw_aff_free(leaf->index);
	leaf->index = isl_multi_pw_aff_copy(r->index);
}

/* Let "s" read and write elements: "read" is NULL if it reads none. */
static void change(const struct expand *x, struct poly_stmt *s,
	__isl_keep isl_multi_pw_aff *read)
{
	struct replace r = { x->array, read };

	if (read)
		poly_expr_each_access(s->rhs, replace_read, &r);
	if (s->write_array != x->array)
		return;
	isl_multi_pw_aff_free(s->write_index);
	s->write_index = written(x, s);
}

/* As many elements as "in" has iterations, and one more. */
static void set_extent(const struct expand *x)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(x->prog->ctx, x->n);
	isl_space *space = isl_space_set_from_params(isl_set_get_space(
		x->prog->context));

	for (int k = 0; k < x->n; k++) {
		isl_pw_aff *n = poly_range_length(x->prog, values(x, k));

		if (k == x->n - 1)
			n = isl_pw_aff_add_constant_val(n,
				isl_val_one(x->prog->ctx));
		list = isl_pw_aff_list_add(list, n);
	}
	space = isl_space_add_dims(space, isl_dim_set, x->n);
	space = isl_space_set_tuple_name(space, isl_dim_set, x->array->name);
	isl_multi_pw_aff_free(x->array->extent);
	x->array->extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
	x->array->n_dim = x->n;
}

/* Does "in" read the element before the one that it writes? */
static bool reads_before(const struct expand *x,
	__isl_keep isl_multi_pw_aff *read)
{
	isl_multi_pw_aff *own = written(x, x->in);
	isl_pw_aff *last = isl_multi_pw_aff_get_at(own, x->n - 1);
	isl_map *a, *b;
	bool before;

	last = isl_pw_aff_add_constant_val(last,
		isl_val_negone(x->prog->ctx));
	own = isl_multi_pw_aff_set_at(own, x->n - 1, last);
	a = isl_map_intersect_domain(isl_map_from_multi_pw_aff(own),
		isl_set_copy(x->in->domain));
	b = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(read)), isl_set_copy(x->in->domain));
	before = isl_map_is_equal(a, b) == isl_bool_true;
	isl_map_free(a);
	isl_map_free(b);
	return before;
}

/* "in", an update, as an assignment that reads what it updates. */
static void spell_out(const struct expand *x, struct poly_stmt *s)
{
	isl_multi_pw_aff *own = isl_multi_pw_aff_copy(s->write_index);

	s->rhs = poly_expr_op(s->reduce, s->rhs->type, poly_expr_access(
		x->array, own), s->rhs);
	s->reduce = POLY_OP_NONE;
}

/* Find where values come from and what each statement reads: "read", by its number.
 * False if that is not told.
 */
static bool find_reads(struct expand *x, isl_multi_pw_aff **read)
{
	struct poly_deps d = { 0 };

	poly_deps_ordered(x->prog, &d, POLY_DEPS_VALUE, is_this, x->array);
	x->source = isl_union_map_reverse(isl_union_map_copy(d.flow));
	poly_deps_clear(&d);
	x->cell = isl_union_map_union(writes(x, x->in), writes(x, x->begins));
	for (int i = 0; x->source && i < x->prog->n_stmt; i++) {
		struct poly_stmt *s = x->prog->stmt[i];

		if (!s->rhs || !poly_expr_accesses(s->rhs, x->array))
			continue;
		read[i] = read_by(x, s);
		if (!read[i])
			return false;
	}
	return x->source;
}

/* Is it worth it: a running value that others of its loop read, or one that is kept
 * for another iteration?
 */
static bool pays(const struct expand *x, isl_multi_pw_aff **read, bool runs,
	__isl_keep isl_union_map *flow)
{
	int at = poly_stmt_position(x->prog, x->in->name);

	return goes_on(x, !runs) && !comes_back(x, flow) &&
		(!runs || (read[at] && reads_before(x, read[at])));
}

/* May "in" be what its loop is about: a running value in a form that scans have, or,
 * if it does not "run", one that does not depend on the scalar?
 */
static bool has_form(const struct expand *x, bool *run)
{
	*run = x->in->reduce != POLY_OP_NONE ||
		poly_expr_accesses(x->in->rhs, x->array);
	return !*run || poly_recurrence_has_form(x->prog, x->in) ||
		poly_is_free_update(x->prog, x->in);
}

/* Give each write of the scalar of "x" an element if that pays; "read" has room for
 * what each statement reads.
 */
static bool try_expand(struct expand *x, isl_multi_pw_aff **read,
	__isl_keep isl_union_map *flow)
{
	enum poly_op reduce = x->in->reduce;
	struct poly_expr *rhs = poly_expr_copy(x->in->rhs);
	bool run, done;

	if (reduce != POLY_OP_NONE)
		spell_out(x, x->in);
	done = has_form(x, &run) && find_reads(x, read) &&
		pays(x, read, run, flow);
	for (int i = 0; done && i < x->prog->n_stmt; i++)
		change(x, x->prog->stmt[i], read[i]);
	if (done) {
		set_extent(x);
	} else {
		poly_expr_free(x->in->rhs);
		x->in->rhs = rhs;
		x->in->reduce = reduce;
		rhs = NULL;
	}
	poly_expr_free(rhs);
	return done;
}

/* Give each write of the scalar "array" an element if that pays; 1 if so, -1 without
 * memory. A running value may then be written where it is copied to, and the array is no
 * more.
 */
static int expand(struct poly_prog *prog, struct poly_array *array,
	__isl_keep isl_union_map *flow)
{
	struct expand x = { .prog = prog, .array = array };
	isl_multi_pw_aff **read;
	bool run, done = false;

	if (!find_writers(&x) || !has_form(&x, &run))
		return 0;
	read = calloc(prog->n_stmt + 1, sizeof(*read));
	if (!read)
		return -1;
	done = try_expand(&x, read, flow);
	for (int i = 0; i < prog->n_stmt; i++)
		isl_multi_pw_aff_free(read[i]);
	free(read);
	isl_union_map_free(x.source);
	isl_union_map_free(x.cell);
	if (done && run && poly_write_directly(prog, x.in, x.begins) < 0)
		return -1;
	return done;
}

/* All flows of values, updates among them. */
static __isl_give isl_union_map *all_flows(struct poly_prog *prog)
{
	struct poly_deps d = { 0 };
	isl_union_map *flow;

	poly_deps_ordered(prog, &d, POLY_DEPS_VALUE, NULL, NULL);
	flow = isl_union_map_union(isl_union_map_copy(d.flow),
		isl_union_map_copy(d.reduction));
	poly_deps_clear(&d);
	return flow;
}

int poly_expand_scalars(struct poly_prog *prog)
{
	isl_union_map *flow = NULL;
	int n = 0, done = 0;

	for (int i = 0; i < prog->n_array && done >= 0; i++) {
		struct expand x = { .prog = prog, .array = prog->array[i] };
		int n_array = prog->n_array;

		if (!is_scalar(x.array) || !find_writers(&x))
			continue;
		if (!flow)
			flow = all_flows(prog);
		done = flow ? expand(prog, x.array, flow) : -1;
		n += done;
		if (done)
			flow = isl_union_map_free(flow);
		i -= prog->n_array < n_array;
	}
	isl_union_map_free(flow);
	return done < 0 ? -1 : n;
}
