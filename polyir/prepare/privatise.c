/* Temporaries of iterations: what loops share only by name becomes an array.
 *
 * A scalar or a small array that each iteration writes before it reads it
 * keeps the loop from being parallel, although no value goes from one
 * iteration to another. It gets a dimension for the loop:
 *
 *	for (i) { s = 0; for (j) s += A[i][j]; y[i] = s; }
 *	for (i) { s[i] = 0; for (j) s[i] += A[i][j]; y[i] = s[i]; }
 *
 * Before, live.c has split temporaries that hold unrelated values. A dimension
 * is legal along any function of the instances that is the same at both
 * ends of every flow of values through the temporary: the last write of a cell
 * before a read is then the last write of the longer cell, too. It is done
 * along loops of the text that are parallel but for such temporaries. What has
 * fewer than two of these also gets loops that are not, inside of them if there
 * are any, as long as it does not become larger than the largest array: another
 * order of the loops may have parallel ones then. (In an LU factorisation with a scalar sum, that over the
 * steps outermost.) Where only the order of a sum keeps loops from being parallel,
 * temporaries get all of these, as the sum can run behind them then:
 *
 *	for (i, j, k) { e = f(i, j, k); s += e * e; y[i][j][k] = e; }
 *	for (i, j, k) { e[i][j][k] = f(i, j, k); y[i][j][k] = e[i][j][k]; }
 *	for (i, j, k) s += e[i][j][k] * e[i][j][k];
 *
 * Small outputs that are used as scratch count as temporaries
 * (scratch.c). What is changed in place while its old values are read may have
 * been copied (snapshot.c).
 */
#include <stdlib.h>

#include <isl/id.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/deps/deps.h"
#include "polyir/layout/layout.h"
#include "polyir/prepare/privatise.h"

/* A loop "at" around the instances of "domain", inside of "depth" others. */
struct loop {
	isl_union_set *domain;
	isl_union_pw_aff *at;
	int depth;
	bool parallel;		/* but for temporaries */
	bool sums;		/* but for temporaries and the order of sums */
};

/* Which loops may be added: parallel ones, those that only sums keep from that,
 * others inside of those that a temporary has, others.
 *
 * The order is that of preference: each round sees what the rounds before have
 * left unordered.
 */
enum round { PARALLEL, SUMS, INSIDE, ANYWHERE };

/* The pass under way. */
struct privatise {
	/* owned; one for each candidate */
	struct poly_prog *prog;
	struct poly_private *temp;
	int n;
	const struct poly_array **scratch;	/* outputs among them */
	int n_scratch;
	struct loop *loop;	/* in the order of the text */
	int n_loop;
	isl_union_map *own;	/* between the instances of each sum */
	double most;		/* elements of the largest array */
};

/* The signature is that of the filters of poly_deps_ordered, which ask for a
 * part of the arrays.
 */
static bool is_temp(const struct poly_array *array, const void *user)
{
	(void)user;
	return poly_is_temp(array) && array->space == POLY_GLOBAL;
}

/* An output that is small to this one is worth a copy.
 *
 * Measured in elements: the copy at the end must be lost in what the loops do.
 */
#define MUCH 64

static bool is_scratch(const struct privatise *p,
	const struct poly_array *array)
{
	for (int i = 0; i < p->n_scratch; i++)
		if (p->scratch[i] == array)
			return true;
	return false;
}

/* All arrays whose sharing is real: the caller sees what they hold. */
static bool is_other(const struct poly_array *array, const void *user)
{
	return !is_temp(array, NULL) && !is_scratch(user, array);
}

static bool is_this(const struct poly_array *array, const void *user)
{
	return array == user;
}

/* -------------------------------------------------------------- candidates */

/* The instances of the statements that access "array".
 *
 * Whole statements count, also where only some of their instances touch it.
 */
static __isl_give isl_union_set *users_of(struct poly_prog *prog,
	const struct poly_array *array)
{
	isl_union_set *domain = isl_union_set_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		if (poly_stmt_accesses(s, array))
			domain = isl_union_set_add_set(domain,
				isl_set_copy(s->domain));
	}
	return domain;
}

/* Does "s" put values together in a single cell?
 *
 * A scalar sum, in either form: s += v, or s = s + v.
 */
static bool is_sum(const struct poly_stmt *s)
{
	return s->kind == POLY_POINT && !s->write_array->n_dim &&
		(s->reduce != POLY_OP_NONE ||
		 poly_expr_accesses(s->rhs, s->write_array));
}

/* All pairs of instances of one and the same sum.
 *
 * Too many pairs, on purpose: it is only subtracted from dependences, which
 * have the right ones.
 */
static __isl_give isl_union_map *own_pairs(struct poly_prog *prog)
{
	isl_union_map *own = isl_union_map_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++) {
		isl_space *space;

		if (!is_sum(prog->stmt[i]))
			continue;
		space = isl_set_get_space(prog->stmt[i]->domain);
		own = isl_union_map_add_map(own, isl_map_universe(
			isl_space_map_from_set(space)));
	}
	return own;
}

/* Note the temporary "array", yet without loops, and which pairs of instances
 * its storage and its values put in an order.
 *
 * Values go by flow and, among updates of a sum, by reduction: at both ends of
 * either the new dimensions must be equal.
 */
static void add_temp(struct privatise *p, struct poly_array *array)
{
	struct poly_private *t = &p->temp[p->n++];
	struct poly_deps d = { 0 };

	poly_deps_ordered(p->prog, &d, POLY_DEPS_VALUE, is_this, array);
	t->array = array;
	t->domain = users_of(p->prog, array);
	t->order = poly_reuse_ordered(p->prog, is_this, array);
	t->flow = isl_union_map_union(isl_union_map_copy(d.flow),
		isl_union_map_copy(d.reduction));
	poly_deps_clear(&d);
}

/* The size of the largest array that is no temporary.
 *
 * What is to be lengthened is not asked: a temporary may become as long as the
 * data, no longer.
 */
static double largest(struct poly_prog *prog)
{
	double most = 0;

	for (int i = 0; i < prog->n_array; i++) {
		double size = poly_array_count(prog, prog->array[i]);

		if (!is_temp(prog->array[i], NULL) && size > most)
			most = size;
	}
	return most;
}

/* Does "prog" write "array" in more than one statement, or read it?
 *
 * Written once and never read, it is an output and no scratch.
 */
static bool is_used_again(struct poly_prog *prog,
	const struct poly_array *array)
{
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		n += (prog->stmt[i]->write_array == array) +
			poly_expr_accesses(prog->stmt[i]->rhs, array);
	return n > 1;
}

/* Find outputs that are used as scratch.
 *
 * False without memory only.
 */
static bool find_scratch(struct privatise *p)
{
	struct poly_prog *prog = p->prog;

	p->scratch = calloc(prog->n_array + 1, sizeof(*p->scratch));
	for (int i = 0; p->scratch && i < prog->n_array; i++) {
		const struct poly_array *a = prog->array[i];

		if ((a->role == POLY_OUTPUT || a->role == POLY_INOUT) &&
		    !a->gathered && is_used_again(prog, a) &&
		    poly_array_count(prog, a) * MUCH <= p->most &&
		    poly_is_scratch(prog, a))
			p->scratch[p->n_scratch++] = a;
	}
	return p->scratch != NULL;
}

/* The dependences that remain if no temporary is shared.
 *
 * Memory order through temporaries is left out: that is what the new dimensions
 * will take away.
 */
static __isl_give isl_union_map *true_deps(const struct privatise *p)
{
	struct poly_deps d = { 0 };
	isl_union_map *deps = poly_reuse_ordered(p->prog, is_other, p);

	poly_deps_ordered(p->prog, &d, POLY_DEPS_VALUE, NULL, NULL);
	deps = isl_union_map_union(deps, isl_union_map_copy(d.flow));
	deps = isl_union_map_union(deps, isl_union_map_copy(d.reduction));
	poly_deps_clear(&d);
	return deps;
}

/* ------------------------------------------------------------------- loops */

/* The pairs of "deps" that "loop" leaves equal.
 *
 * For { S[i,j] -> T[i',j'] } and the loop i: the pairs with i = i'.
 */
static __isl_give isl_union_map *equal_at(__isl_keep isl_union_map *deps,
	__isl_keep isl_union_pw_aff *loop)
{
	return isl_union_map_eq_at_multi_union_pw_aff(
		isl_union_map_copy(deps),
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_union_pw_aff_copy(loop)));
}

/* Is "loop" the same wherever a value of "t" goes?
 *
 * A loop may be parallel only for each iteration of those outside of it, and values go
 * from one of these to another:
 *
 *	for (t) for (i) { if (t % 2 == 0) s[i] = a[t][i]; else y[t][i] = s[N - i]; }
 */
static bool is_same(const struct poly_private *t, const struct loop *loop)
{
	isl_union_map *equal = equal_at(t->flow, loop->at);
	isl_bool same = isl_union_map_is_subset(t->flow, equal);

	isl_union_map_free(equal);
	return same == isl_bool_true;
}

/* How many values do the instances of "domain" have along the loop "at", at the most?
 */
static double count_along(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, __isl_keep isl_union_pw_aff *at)
{
	isl_union_map *map = isl_union_map_from_union_pw_aff(
		isl_union_pw_aff_copy(at));
	isl_set *range = isl_set_from_union_set(isl_union_set_apply(
		isl_union_set_copy(domain), map));

	return poly_range_count(prog, range, 0);
}

/* Is "t" with "loop", which is not parallel, no longer than the data?
 *
 * The range of each loop is counted, not the instances.
 */
static bool has_room(struct privatise *p, const struct poly_private *t,
	const struct loop *loop)
{
	double n = poly_array_count(p->prog, t->array) *
		count_along(p->prog, loop->domain, loop->at);

	for (int k = 0; k < t->n; k++)
		n *= count_along(p->prog, loop->domain, t->loop[k]);
	return n <= p->most;
}

/* May "t" have "loop" in "round"?
 *
 * POLY_PRIVATE_LOOP parallel ones, as each is a loop of threads; of others two, since
 * every one costs memory.
 */
static bool may_have(struct privatise *p, const struct poly_private *t,
	const struct loop *loop, enum round round)
{
	int most = round == PARALLEL || round == SUMS ? POLY_PRIVATE_LOOP : 2;

	if (t->n >= most || t->array->n_dim + t->n >= POLY_PRIVATE_DIM ||
	    loop->parallel != (round == PARALLEL) ||
	    (round == SUMS && (!loop->sums || t->parallel)) ||
	    (round == INSIDE && t->n && loop->depth < t->depth) ||
	    isl_union_set_is_subset(t->domain, loop->domain) != isl_bool_true)
		return false;
	return is_same(t, loop) && ((loop->parallel &&
		!is_scratch(p, t->array)) || has_room(p, t, loop));
}

/* Give the temporaries that live within "loop" that loop if they need it.
 *
 * A loop that orders nothing for the temporary is not added: two iterations
 * never share a cell of it. What it leaves equal is what loops further inside
 * have to deal with.
 */
static void add_loop(struct privatise *p, const struct loop *loop,
	enum round round)
{
	for (int i = 0; i < p->n; i++) {
		struct poly_private *t = &p->temp[i];
		isl_union_map *equal;

		if (!may_have(p, t, loop, round))
			continue;
		equal = equal_at(t->order, loop->at);
		if (isl_union_map_is_subset(t->order, equal) ==
		    isl_bool_false) {
			t->loop[t->n++] = isl_union_pw_aff_copy(loop->at);
			t->depth = loop->depth;
			t->parallel |= loop->parallel;
		}
		isl_union_map_free(t->order);
		t->order = equal;
	}
}

static void walk(struct privatise *p, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps);

/* Are the pairs of "deps" that are not in "equal" those of sums?
 *
 * isl's answer "unknown" counts as no.
 */
static bool only_sums(const struct privatise *p,
	__isl_keep isl_union_map *deps, __isl_keep isl_union_map *equal)
{
	isl_union_map *rest = isl_union_map_subtract(isl_union_map_copy(deps),
		isl_union_map_copy(p->own));
	isl_bool none = isl_union_map_is_subset(rest, equal);

	isl_union_map_free(rest);
	return none == isl_bool_true;
}

/* A band: its members one by one; returns what they leave equal, or NULL without
 * memory.
 *
 * A member is parallel if no dependence that the loops outside leave equal goes
 * from one of its iterations to another. Each loop goes to "p->loop" with
 * references of its own.
 */
static __isl_give isl_union_map *walk_band(struct privatise *p,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_map *deps)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	isl_union_set *domain = poly_node_domain(node);
	isl_size n = isl_multi_union_pw_aff_size(partial);
	int depth = isl_schedule_node_get_schedule_depth(node);
	struct loop *list = realloc(p->loop,
		(p->n_loop + n + 1) * sizeof(*list));

	p->loop = list ? list : p->loop;
	if (!list)
		deps = isl_union_map_free(deps);
	for (int i = 0; deps && i < n; i++) {
		struct loop *loop = &p->loop[p->n_loop++];
		isl_union_map *equal;

		loop->at = isl_multi_union_pw_aff_get_at(partial, i);
		loop->domain = isl_union_set_copy(domain);
		loop->depth = depth + i;
		equal = equal_at(deps, loop->at);
		loop->parallel = isl_union_map_is_subset(deps, equal) ==
			isl_bool_true;
		loop->sums = !loop->parallel && only_sums(p, deps, equal);
		isl_union_map_free(deps);
		deps = equal;
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
	return deps;
}

/* Takes "deps". */
static void walk_child(struct privatise *p,
	__isl_keep isl_schedule_node *node, int i,
	__isl_take isl_union_map *deps)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);

	walk(p, child, deps);
	isl_schedule_node_free(child);
}

/* Find the loops at and below "node"; "deps" are what the loops above leave
 * equal.
 *
 * Takes "deps". Filters narrow them to what runs below, so a loop is judged by
 * its own statements.
 */
static void walk(struct privatise *p, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_size n = isl_schedule_node_n_children(node);
	isl_union_set *filter;

	if (!node || !deps || type == isl_schedule_node_leaf) {
		isl_union_map_free(deps);
		return;
	}
	if (type == isl_schedule_node_band)
		deps = walk_band(p, node, deps);
	if (type == isl_schedule_node_filter) {
		filter = isl_schedule_node_filter_get_filter(node);
		deps = isl_union_map_intersect_domain(deps,
			isl_union_set_copy(filter));
		deps = isl_union_map_intersect_range(deps, filter);
	}
	for (int i = 0; i < n; i++)
		walk_child(p, node, i, isl_union_map_copy(deps));
	isl_union_map_free(deps);
}

static void free_temps(struct privatise *p)
{
	for (int i = 0; i < p->n; i++) {
		isl_union_set_free(p->temp[i].domain);
		isl_union_map_free(p->temp[i].order);
		isl_union_map_free(p->temp[i].flow);
		for (int k = 0; k < p->temp[i].n; k++)
			isl_union_pw_aff_free(p->temp[i].loop[k]);
	}
	for (int i = 0; i < p->n_loop; i++) {
		isl_union_set_free(p->loop[i].domain);
		isl_union_pw_aff_free(p->loop[i].at);
	}
	isl_union_map_free(p->own);
	free(p->loop);
	free(p->temp);
	free(p->scratch);
}

/* Their number does not change afterwards: loops refer to them by place. */
static void find_temps(struct privatise *p)
{
	for (int i = 0; i < p->prog->n_array; i++)
		if (is_temp(p->prog->array[i], NULL) ||
		    is_scratch(p, p->prog->array[i]))
			add_temp(p, p->prog->array[i]);
}

/* Choose loops, first parallel ones, then others; see "enum round".
 *
 * The tree of the text is walked once; the rounds only look at what was found
 * there.
 */
static void choose_loops(struct privatise *p)
{
	isl_schedule_node *root = isl_schedule_get_root(p->prog->original);

	p->own = own_pairs(p->prog);
	if (p->n)
		walk_child(p, root, 0, true_deps(p));
	isl_schedule_node_free(root);
	for (enum round round = PARALLEL; round <= ANYWHERE; round++)
		for (int i = 0; i < p->n_loop; i++)
			add_loop(p, &p->loop[i], round);
}

/* Make the temporaries longer; returns how many, or -1.
 *
 * An output stays as it is where its last values cannot be told
 * (poly_copy_out).
 */
static int lengthen_all(struct privatise *p)
{
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		struct poly_private *t = &p->temp[i];
		struct poly_array *was = t->array;

		if (!t->n)
			continue;
		if (is_scratch(p, was) && poly_copy_out(p->prog, &t->array,
			t->loop, t->n) < 0)
			return -1;
		if (is_scratch(p, was) && t->array == was)
			continue;
		poly_private_lengthen(p->prog, t);
		n++;
	}
	return n;
}

/* What is done before: each step returns how much it has changed, or -1. */
static int (*const step[])(struct poly_prog *prog) = {
	poly_make_updates, poly_snapshot, poly_split_live, poly_expand_scalars,
	poly_shift, poly_keep_incoming
};
enum { N_STEP = sizeof(step) / sizeof(step[0]) };

/* Lengthen all temporaries that keep a loop from being parallel.
 *
 * requires nothing, before deps; establishes private
 *
 * What is done before, snapshots and live ranges, counts as a change, too:
 * dependences are forgotten if anything has changed at all.
 */
isl_stat poly_privatise(struct poly_prog *prog)
{
	struct privatise p = { .prog = prog };
	int changed = 0, n = -1;

	if (!prog->original)
		return isl_stat_ok;
	for (int i = 0; i < N_STEP && changed >= 0; i++) {
		int more = step[i](prog);

		changed = more < 0 ? -1 : changed + more;
	}
	p.most = largest(prog);
	if (changed >= 0 && find_scratch(&p))
		p.temp = calloc(prog->n_array + 1, sizeof(*p.temp));
	if (p.temp) {
		find_temps(&p);
		choose_loops(&p);
		n = lengthen_all(&p);
	}
	free_temps(&p);
	if (n < 0)
		return poly_isl_error(prog, "privatise");
	if (changed + n)
		poly_forget_deps(prog);
	return isl_stat_ok;
}
