/* From accesses to dependences, where the order of the text is the meaning.
 *
 * isl's flow analysis follows each cell through the original order: a read
 * sees the last write before it. Updates whose order the floating-point class
 * leaves open are sources that may have written, so that what reads the cell
 * later depends on all of them, back to the last plain write:
 *
 *	s = 0; for (i) s += a[i]; t = s;
 *	flow      = { S0 -> U[i]; S0 -> T; U[i] -> T }
 *	reduction = { U[i] -> U[i'] : i < i' }
 *
 * An update whose order is fixed is a read and a write like any other. Pairs
 * of different update statements are always in order.
 *
 * Subscripts that have little to do with one another make the last write before
 * a read a case of hundreds. Where that takes too many operations, all writes
 * before it are taken for the last, which orders no less: first all arrays are
 * asked about together, then one by one, so that the others keep what is exact.
 * A program for which that was needed once is not asked about as a whole again.
 */
#include <isl/flow.h>
#include <isl/space.h>

#include "polyir_internal.h"

/* Operations that isl may put into one kind of dependences; half as many after
 * each that takes more, but no fewer than LEAST. Beyond these it has STEP for each
 * statement and each loop around one, of which it asks what the tree says first.
 */
#define MOST 300000ul
#define LEAST 25000ul
#define STEP 1200ul

/* The accesses of the program. "own" are the reads that free updates make of
 * the cells they update, "read" all other reads; "fixed" are the writes in a
 * fixed order, "loose" those of the free updates.
 */
struct accesses {
	isl_union_map *own, *read, *fixed, *loose;
	bool (*use)(const struct poly_array *array, const void *user);
	const void *user;
};

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

static bool is_used(const struct accesses *a, const struct poly_array *array)
{
	return !a->use || a->use(array, a->user);
}

struct reads {
	struct poly_stmt *stmt;
	struct accesses *a;
};

static void add_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;
	isl_map *map;

	if (!is_used(r->a, leaf->array))
		return;
	map = poly_stmt_read(r->stmt, leaf);
	r->a->read = isl_union_map_union(r->a->read,
		isl_union_map_from_map(map));
}

static void add_stmt(struct poly_prog *prog, struct poly_stmt *s,
	struct accesses *a)
{
	struct reads reads = { s, a };
	isl_union_map *write;

	poly_expr_each_access(s->rhs, add_read, &reads);
	if (!is_used(a, s->write_array))
		return;
	write = isl_union_map_from_map(poly_stmt_write(s));
	if (poly_is_free_update(prog, s)) {
		a->own = isl_union_map_union(a->own,
			isl_union_map_copy(write));
		a->loose = isl_union_map_union(a->loose, write);
		return;
	}
	if (s->reduce != POLY_OP_NONE)
		a->read = isl_union_map_union(a->read,
			isl_union_map_copy(write));
	a->fixed = isl_union_map_union(a->fixed, write);
}

static void find_accesses(struct poly_prog *prog, struct accesses *a)
{
	isl_union_map **all[] = { &a->own, &a->read, &a->fixed, &a->loose };

	for (int i = 0; i < 4; i++)
		*all[i] = isl_union_map_empty(
			isl_set_get_space(prog->context));
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT)
			add_stmt(prog, prog->stmt[i], a);
	for (int i = 0; i < 4; i++)
		*all[i] = isl_union_map_intersect_params(*all[i],
			isl_set_copy(prog->context));
}

static void free_accesses(struct accesses *a)
{
	isl_union_map_free(a->own);
	isl_union_map_free(a->read);
	isl_union_map_free(a->fixed);
	isl_union_map_free(a->loose);
}

/* Pairs of a source and a sink that touch one cell, the source first: for each
 * sink the last of "must", and all of "may" since the last of "must" or of
 * "kill". Any of them but the sink may be NULL.
 */
static __isl_give isl_union_map *exactly(struct poly_prog *prog,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill)
{
	isl_union_access_info *info = isl_union_access_info_from_sink(
		isl_union_map_copy(sink));
	isl_union_flow *flow;
	isl_union_map *pairs;

	if (must)
		info = isl_union_access_info_set_must_source(info,
			isl_union_map_copy(must));
	if (may)
		info = isl_union_access_info_set_may_source(info,
			isl_union_map_copy(may));
	if (kill)
		info = isl_union_access_info_set_kill(info,
			isl_union_map_copy(kill));
	info = isl_union_access_info_set_schedule(info,
		isl_schedule_copy(prog->original));
	flow = isl_union_access_info_compute_flow(info);
	pairs = isl_union_flow_get_may_dependence(flow);
	isl_union_flow_free(flow);
	return isl_union_map_coalesce(pairs);
}

/* All sources before the sink. */
static __isl_give isl_union_map *roughly(struct poly_prog *prog,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may)
{
	isl_union_map *all = isl_union_map_copy(may);

	if (must)
		all = isl_union_map_union(all, isl_union_map_copy(must));
	return poly_pairs_before(prog->original,
		isl_union_map_apply_range(all, isl_union_map_reverse(
			isl_union_map_copy(sink))));
}

/* What is being found: "rough" if all sources may be taken for the last,
 * "given_up" if that would have been needed; the operations that the next
 * kind may take, beyond "tree" for the tree.
 */
struct search {
	struct poly_prog *prog;
	enum poly_kinds kinds;
	bool rough, given_up;
	unsigned long most, tree;
};

/* Say once that dependences are not exact. */
static void tell(const struct search *s)
{
	if (!poly_report_has(s->prog->report, MSG_POLY_FLOW))
		poly_report_add(s->prog->report, MSG_POLY_FLOW, NULL,
			MOST + s->tree);
}

/* Is there no pair of "sink" and "must" or "may", as one side has no access? */
static bool is_one_empty(__isl_keep isl_union_map *sink,
	__isl_keep isl_union_map *must, __isl_keep isl_union_map *may)
{
	return !isl_union_map_n_map(sink) ||
		((!must || !isl_union_map_n_map(must)) &&
		(!may || !isl_union_map_n_map(may)));
}

/* As exactly, but within bounds. isl takes some searches for invalid, too, in
 * the middle of one (isl 0.25).
 */
static __isl_give isl_union_map *between(struct search *s,
	__isl_keep isl_union_map *sink, __isl_keep isl_union_map *must,
	__isl_keep isl_union_map *may, __isl_keep isl_union_map *kill)
{
	isl_ctx *ctx = s->prog->ctx;
	unsigned long all = isl_ctx_get_max_operations(ctx);
	unsigned long most = s->most + s->tree;
	bool bounded = !all || all > most, failed;
	isl_union_map *pairs;

	if (s->given_up && !s->rough)
		return NULL;
	if (is_one_empty(sink, must, may))
		return isl_union_map_empty(
			isl_set_get_space(s->prog->context));
	if (bounded)
		poly_ctx_budget(ctx, most);
	pairs = exactly(s->prog, sink, must, may, kill);
	failed = (bounded && poly_ctx_spent(ctx)) ||
		(!pairs && poly_ctx_faulted(ctx));
	if (!failed) {
		poly_ctx_budget(ctx, all);
		return pairs;
	}
	isl_union_map_free(pairs);
	isl_ctx_reset_error(ctx);
	poly_ctx_budget(ctx, all);
	s->given_up = true;
	s->most = s->most / 2 > LEAST ? s->most / 2 : LEAST;
	if (!s->rough)
		return NULL;
	tell(s);
	return roughly(s->prog, sink, must, may);
}

struct split {
	struct poly_prog *prog;
	isl_union_map *same, *other;
};

static isl_stat split_pair(__isl_take isl_map *map, void *user)
{
	struct split *s = user;
	isl_set *end = isl_map_range(isl_map_copy(map));
	struct poly_stmt *stmt = poly_stmt_of_set(s->prog, end);
	isl_space *space = isl_map_get_space(map);
	bool same = isl_space_tuple_is_equal(space, isl_dim_in, space,
		isl_dim_out) == isl_bool_true;

	isl_set_free(end);
	isl_space_free(space);
	if (same && stmt && poly_is_free_update(s->prog, stmt))
		s->same = isl_union_map_add_map(s->same, map);
	else
		s->other = isl_union_map_add_map(s->other, map);
	return isl_stat_ok;
}

/* Divide "pairs", which is taken, into those of free updates of one statement
 * and the others, and add them to "*same" and "*other".
 */
static void split(struct poly_prog *prog, __isl_take isl_union_map *pairs,
	isl_union_map **same, isl_union_map **other)
{
	struct split s = { prog, *same, *other };

	isl_union_map_foreach_map(pairs, split_pair, &s);
	isl_union_map_free(pairs);
	*same = s.same;
	*other = s.other;
}

static void find_value(struct search *s, const struct accesses *a,
	struct poly_deps *d)
{
	d->flow = isl_union_map_union(d->flow,
		between(s, a->read, a->fixed, a->loose, NULL));
	split(s->prog, between(s, a->own, a->fixed, a->loose, NULL),
		&d->reduction, &d->flow);
}

static void find_memory(struct search *s, const struct accesses *a,
	struct poly_deps *d)
{
	isl_union_map *all = isl_union_map_union(
		isl_union_map_copy(a->fixed), isl_union_map_copy(a->loose));
	isl_union_map *seen = isl_union_map_empty(
		isl_set_get_space(s->prog->context));

	d->anti = isl_union_map_union(d->anti,
		between(s, all, NULL, a->read, a->fixed));
	split(s->prog, between(s, all, a->fixed, a->loose, NULL), &seen,
		&d->output);
	isl_union_map_free(seen);
	isl_union_map_free(all);
}

/* Add the dependences of the accesses "a" to "d". */
static void find(struct search *s, const struct accesses *a,
	struct poly_deps *d)
{
	if (s->kinds & POLY_DEPS_VALUE)
		find_value(s, a, d);
	if (s->kinds & POLY_DEPS_MEMORY)
		find_memory(s, a, d);
}

static void make_empty(struct poly_prog *prog, struct poly_deps *d)
{
	isl_space *space = isl_set_get_space(prog->context);

	poly_deps_clear(d);
	d->reduction = isl_union_map_empty(isl_space_copy(space));
	d->rar = isl_union_map_empty(isl_space_copy(space));
	d->output = isl_union_map_empty(isl_space_copy(space));
	d->anti = isl_union_map_empty(isl_space_copy(space));
	d->flow = isl_union_map_empty(space);
}

static bool is_same(const struct poly_array *array, const void *user)
{
	return array == user;
}

void poly_deps_ordered(struct poly_prog *prog, struct poly_deps *d,
	enum poly_kinds kinds,
	bool (*use)(const struct poly_array *array, const void *user),
	const void *user)
{
	struct accesses all = { .use = use, .user = user };
	struct search s = { .prog = prog, .kinds = kinds, .most = MOST,
		.tree = STEP * poly_measure(prog), .given_up = prog->tangled };

	make_empty(prog, d);
	if (s.given_up) {
		s.most = MOST / 4;
	} else {
		find_accesses(prog, &all);
		find(&s, &all, d);
		free_accesses(&all);
	}
	s.rough = prog->tangled = s.given_up;
	if (s.rough)
		make_empty(prog, d);
	for (int i = 0; s.rough && i < prog->n_array; i++) {
		const struct poly_array *array = prog->array[i];
		struct accesses one = { .use = is_same, .user = array };

		if (use && !use(array, user))
			continue;
		find_accesses(prog, &one);
		find(&s, &one, d);
		free_accesses(&one);
	}
	d->flow = isl_union_map_coalesce(d->flow);
	d->anti = isl_union_map_coalesce(d->anti);
	d->output = isl_union_map_coalesce(d->output);
	d->reduction = isl_union_map_coalesce(d->reduction);
}
