/* Is the tree legal? Checked from the dependences alone, after every pass that
 * changes order, place or storage, and without trust in any pass.
 *
 * order: walk the tree with the pairs that all outer nodes leave equal. A band
 *	must not run a sink before its source; a sequence satisfies the pairs
 *	from an earlier to a later child and is wrong about the reverse; what
 *	reaches a leaf was never ordered. Done at instance level (expand.c).
 * at one time: nothing, and no two updates of one cell, are in different iterations
 *	of a band that the mark "concurrent" stands above.
 * place: see legal_place.c.
 * barriers: see race.c.
 * copies: see legal_copies.c.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/legal/legal.h"

/* Report "id" with a witness of "deps", two instances that are in the relation.
 * Always fails, so that callers can return the result.
 */
static isl_stat violation(struct poly_prog *prog, enum poly_msg id,
	const char *pass, __isl_take isl_union_map *deps)
{
	struct poly_pair pair = poly_witness(prog, deps);

	poly_report_add(prog->report, id, NULL, pass,
		pair.source ? pair.source : "?", pair.sink ? pair.sink : "?");
	free(pair.source);
	free(pair.sink);
	isl_union_map_free(deps);
	return isl_stat_error;
}

isl_stat poly_refuse_pairs(struct poly_prog *prog, enum poly_msg id,
	const char *pass, __isl_take isl_union_map *deps)
{
	isl_bool empty;

	deps = isl_union_map_intersect_params(deps,
		isl_set_copy(prog->context));
	empty = isl_union_map_is_empty(deps);
	if (empty == isl_bool_false) {
		deps = isl_union_map_intersect_params(deps,
			poly_known_sizes(prog));
		empty = isl_union_map_is_empty(deps);
	}
	if (empty == isl_bool_false)
		return violation(prog, id, pass, deps);
	isl_union_map_free(deps);
	return empty < 0 ? poly_isl_error(prog, pass) : isl_stat_ok;
}

/* ------------------------------------------------------------------ order */

/* Pairs that run in the wrong order, pairs without one, and those of iterations that run
 * at one time. With "expand", the pairs are of members, and the tree is still of tile
 * operations. With "known", they are the dependences, and kernels that are known to be legal are passed over.
 */
struct order {
	struct poly_prog *prog;
	isl_union_map *wrong, *loose, *at_once;
	bool expand, known;
	bool failed;		/* out of memory */
};

static void walk(struct order *o, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps);

/* What passes the filter of child "i" of "node", in terms of the pairs. */
static __isl_give isl_union_set *filter_of(struct order *o,
	__isl_keep isl_schedule_node *node, int i)
{
	isl_schedule_node *child = isl_schedule_node_get_child(node, i);
	isl_union_set *filter = isl_schedule_node_filter_get_filter(child);

	isl_schedule_node_free(child);
	return o->expand ? poly_instances(o->prog, filter) : filter;
}

/* The dependences at a sequence or set, sorted by the children that their ends
 * belong to.
 */
struct split {
	struct order *o;
	bool ordered;
	isl_union_map **within;		/* by child: both ends in it */
	isl_union_set **filter;
	int n;
	int *child;	/* of each statement, plus one; -1 if it has several */
};

/* Note that the statements of filter "i" belong to child "i". */
static isl_stat note_child(struct split *s, int i)
{
	int n;
	struct poly_stmt **list = poly_stmts_of(s->o->prog, s->filter[i], &n);

	for (int k = 0; k < n; k++) {
		int *child = &s->child[poly_stmt_position(s->o->prog,
			list[k]->name)];

		*child = *child ? -1 : i + 1;
	}
	free(list);
	return list ? isl_stat_ok : isl_stat_error;
}

/* The child that all of the statement at the end "type" of "map" belongs to,
 * -1 if it is spread over several.
 */
static int child_of(const struct split *s, __isl_keep isl_map *map,
	enum isl_dim_type type)
{
	int i = poly_stmt_position(s->o->prog,
		isl_map_get_tuple_name(map, type));

	return s->child[i] > 0 ? s->child[i] - 1 : -1;
}

/* Put "map", whose source is in child "i" and whose sink is in child "j", where
 * it belongs: with the pairs that child "i" must order, with the unordered ones
 * if the children of the node are a set, or with the wrong ones. Pairs from an
 * earlier child of a sequence to a later one are in order and need no more
 * checks.
 */
static void sort_pair(struct split *s, __isl_take isl_map *map, int i, int j)
{
	if (i == j)
		s->within[i] = isl_union_map_add_map(s->within[i], map);
	else if (!s->ordered)
		s->o->loose = isl_union_map_add_map(s->o->loose, map);
	else if (i > j)
		s->o->wrong = isl_union_map_add_map(s->o->wrong, map);
	else
		isl_map_free(map);
}

/* Sort "map", one of whose statements is in several children: piece by piece.
 */
static void sort_pieces(struct split *s, __isl_take isl_map *map)
{
	for (int i = 0; i < s->n; i++)
		for (int j = 0; j < s->n; j++) {
			isl_union_map *piece = isl_union_map_from_map(
				isl_map_copy(map));

			piece = isl_union_map_intersect_domain(piece,
				isl_union_set_copy(s->filter[i]));
			piece = isl_union_map_intersect_range(piece,
				isl_union_set_copy(s->filter[j]));
			if (isl_union_map_is_empty(piece) == isl_bool_false)
				sort_pair(s, isl_map_from_union_map(
					isl_union_map_copy(piece)), i, j);
			isl_union_map_free(piece);
		}
	isl_map_free(map);
}

/* Callback for each map of the dependences at a sequence or set: sort it as a
 * whole if each of its statements is in one child, piece by piece otherwise.
 */
static isl_stat sort_map(__isl_take isl_map *map, void *user)
{
	struct split *s = user;
	int from = child_of(s, map, isl_dim_in);
	int to = child_of(s, map, isl_dim_out);

	if (from < 0 || to < 0)
		sort_pieces(s, map);
	else
		sort_pair(s, map, from, to);
	return isl_stat_ok;
}

/* Walk a sequence or set: sort "deps" by the children of their ends, then walk
 * each child with the pairs that have both ends in it.
 */
static void walk_list(struct order *o, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *deps)
{
	int n = isl_schedule_node_n_children(node);
	struct split s = { .o = o, .n = n, .ordered =
		isl_schedule_node_get_type(node) ==
		isl_schedule_node_sequence };

	s.within = calloc(n, sizeof(*s.within));
	s.filter = calloc(n, sizeof(*s.filter));
	s.child = calloc(o->prog->n_stmt + 1, sizeof(*s.child));
	if (!s.within || !s.filter || !s.child) {
		o->failed = true;
		n = 0;
	}
	for (int i = 0; i < n; i++) {
		s.within[i] = isl_union_map_empty(
			isl_union_map_get_space(deps));
		s.filter[i] = filter_of(o, node, i);
		o->failed |= note_child(&s, i) < 0;
	}
	if (n)
		isl_union_map_foreach_map(deps, sort_map, &s);
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child =
			isl_schedule_node_get_child(node, i);

		child = isl_schedule_node_child(child, 0);
		walk(o, child, s.within[i]);
		isl_schedule_node_free(child);
		isl_union_set_free(s.filter[i]);
	}
	free(s.within);
	free(s.filter);
	free(s.child);
}

/* Walk the tree at and below "node" at instance level. */
static void walk_expanded(struct order *o, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps)
{
	isl_schedule *schedule = poly_expand(o->prog, node);
	isl_schedule_node *inner = isl_schedule_get_root(schedule);

	isl_schedule_free(schedule);
	inner = isl_schedule_node_child(inner, 0);
	o->failed |= !inner;
	o->expand = false;
	if (inner)
		walk(o, inner, deps);
	else
		isl_union_map_free(deps);
	o->expand = true;
	isl_schedule_node_free(inner);
}

/* Note what the band "node" orders wrongly and keep what it leaves equal. The
 * partial schedule is total on its domain (verify.c), so no pair gets lost.
 */
static __isl_give isl_union_map *walk_band(struct order *o,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_map *deps)
{
	isl_multi_union_pw_aff *partial;

	if (isl_schedule_node_band_n_member(node) == 0)
		return deps;
	partial = isl_schedule_node_band_get_partial_schedule(node);
	o->wrong = isl_union_map_union(o->wrong,
		isl_union_map_lex_gt_at_multi_union_pw_aff(
			isl_union_map_copy(deps),
			isl_multi_union_pw_aff_copy(partial)));
	return isl_union_map_eq_at_multi_union_pw_aff(deps, partial);
}

/* Note those of "deps" that are in different iterations of the band below the mark
 * "node", which run at one time. They go no further.
 */
static __isl_give isl_union_map *walk_concurrent(struct order *o,
	__isl_keep isl_schedule_node *node, __isl_take isl_union_map *deps)
{
	isl_schedule_node *band = isl_schedule_node_get_child(node, 0);
	isl_multi_union_pw_aff *partial;
	isl_union_map *same;

	if (isl_schedule_node_get_type(band) != isl_schedule_node_band) {
		isl_schedule_node_free(band);
		return deps;
	}
	partial = isl_schedule_node_band_get_partial_schedule(band);
	isl_schedule_node_free(band);
	same = isl_union_map_eq_at_multi_union_pw_aff(isl_union_map_copy(deps),
		isl_multi_union_pw_aff_from_union_pw_aff(
			isl_multi_union_pw_aff_get_at(partial, 0)));
	isl_multi_union_pw_aff_free(partial);
	o->at_once = isl_union_map_union(o->at_once, isl_union_map_subtract(
		deps, isl_union_map_copy(same)));
	return same;
}

/* Is "node" the mark of a kernel that is known to be legal? */
static bool is_known(const struct order *o, __isl_keep isl_schedule_node *node)
{
	const char *name = o->known ? poly_mark_kernel(node) : NULL;
	struct poly_kernel *kernel = name ?
		poly_prog_find_kernel(o->prog, name) : NULL;

	return kernel && kernel->known;
}

/* Walk the tree at and below "node" with "deps", the pairs that all nodes above
 * leave equal; add those in the wrong order to o->wrong, those that reach a
 * leaf to o->loose. Expansion replaces tile operations by their members; it
 * begins at the first node below the sequences.
 */
static void walk(struct order *o, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_schedule_node *child;

	if (!node || !deps)
		o->failed = true;
	if (!node || !deps || is_known(o, node) ||
	    isl_union_map_is_empty(deps) == isl_bool_true) {
		isl_union_map_free(deps);
		return;
	}
	if (type == isl_schedule_node_sequence ||
	    type == isl_schedule_node_set) {
		walk_list(o, node, deps);
		isl_union_map_free(deps);
		return;
	}
	if (o->expand) {
		walk_expanded(o, node, deps);
		return;
	}
	if (!node || type == isl_schedule_node_leaf) {
		o->loose = isl_union_map_union(o->loose, deps);
		return;
	}
	if (type == isl_schedule_node_band)
		deps = walk_band(o, node, deps);
	if (poly_mark_is_concurrent(node))
		deps = walk_concurrent(o, node, deps);
	child = isl_schedule_node_get_child(node, 0);
	walk(o, child, deps);
	isl_schedule_node_free(child);
}

__isl_give isl_union_map *poly_ordering_deps(struct poly_prog *prog)
{
	isl_union_map *deps = isl_union_map_copy(prog->deps.flow);

	deps = isl_union_map_union(deps,
		isl_union_map_copy(prog->deps.anti));
	return isl_union_map_union(deps,
		isl_union_map_copy(prog->deps.output));
}

static bool has_members(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->n_member)
			return true;
	return false;
}

/* Walk the tree with "deps"; "o" has the pairs that it does not run in order.
 * Both are to be freed.
 */
static void find_disorder(struct order *o, __isl_take isl_union_map *deps)
{
	struct poly_prog *prog = o->prog;
	isl_space *space = isl_set_get_space(prog->context);
	isl_schedule_node *node = isl_schedule_get_root(prog->schedule);

	o->wrong = isl_union_map_empty(isl_space_copy(space));
	o->at_once = isl_union_map_empty(isl_space_copy(space));
	o->loose = isl_union_map_empty(space);
	deps = isl_union_map_intersect_params(deps,
		isl_set_copy(prog->context));
	node = isl_schedule_node_child(node, 0);
	if (!node || !deps) {
		isl_union_map_free(deps);
		o->failed = true;
	} else {
		walk(o, node, deps);
	}
	isl_schedule_node_free(node);
}

/* Refuse the pairs of "deps" that the tree runs in the wrong order, or in none. */
static isl_stat check_pairs(struct poly_prog *prog, const char *pass,
	__isl_take isl_union_map *deps, bool expand, bool known)
{
	struct order o = { .prog = prog, .expand = expand, .known = known };

	find_disorder(&o, deps);
	o.loose = isl_union_map_union(o.loose, o.at_once);
	if (o.failed) {
		isl_union_map_free(o.wrong);
		isl_union_map_free(o.loose);
		return poly_isl_error(prog, pass);
	}
	if (poly_refuse_pairs(prog, MSG_POLY_ORDER, pass, o.wrong) < 0) {
		isl_union_map_free(o.loose);
		return isl_stat_error;
	}
	return poly_refuse_pairs(prog, MSG_POLY_UNORDERED, pass, o.loose);
}

__isl_give isl_union_map *poly_disorder(struct poly_prog *prog,
	__isl_take isl_union_map *deps)
{
	struct order o = { .prog = prog, .expand = has_members(prog) };

	find_disorder(&o, poly_first_threads(prog, deps));
	o.wrong = isl_union_map_union(o.wrong, isl_union_map_union(o.loose,
		o.at_once));
	return o.failed ? isl_union_map_free(o.wrong) : o.wrong;
}

isl_bool poly_are_ordered(struct poly_prog *prog,
	__isl_take isl_union_map *deps)
{
	isl_union_map *wrong = poly_disorder(prog, deps);
	isl_bool ordered = isl_union_map_is_empty(wrong);

	isl_union_map_free(wrong);
	return ordered;
}

isl_stat poly_check_pairs(struct poly_prog *prog, const char *pass,
	__isl_take isl_union_map *deps, bool tiles)
{
	return check_pairs(prog, pass, deps, !tiles && has_members(prog),
		false);
}

/* Refuse updates of one cell by iterations that run at one time. Elsewhere their order is
 * free.
 */
static isl_stat check_updates(struct poly_prog *prog, const char *pass)
{
	struct order o = { .prog = prog, .expand = has_members(prog),
		.known = true };

	if (!poly_prog_is_concurrent(prog))
		return isl_stat_ok;
	find_disorder(&o, isl_union_map_copy(prog->deps.reduction));
	isl_union_map_free(o.wrong);
	isl_union_map_free(o.loose);
	if (o.failed) {
		isl_union_map_free(o.at_once);
		return poly_isl_error(prog, pass);
	}
	return poly_refuse_pairs(prog, MSG_POLY_UNORDERED, pass, o.at_once);
}

isl_stat poly_check_order(struct poly_prog *prog, const char *pass)
{
	return check_pairs(prog, pass, poly_first_threads(prog,
		poly_ordering_deps(prog)), has_members(prog), true) < 0 ?
		isl_stat_error : check_updates(prog, pass);
}

/* --------------------------------------------------------------- barriers */

/* Refuse "kernel" if two of its threads touch one place without a barrier in
 * between.
 */
static isl_stat check_kernel_barriers(struct poly_prog *prog,
	struct poly_kernel *kernel, const char *pass)
{
	struct poly_race race;
	isl_bool found = poly_find_race(prog, kernel, &race);

	if (found < 0)
		return poly_isl_error(prog, pass);
	if (!found)
		return isl_stat_ok;
	poly_report_add(prog->report, MSG_POLY_BARRIER, NULL, pass,
		race.pair.source ? race.pair.source : "?",
		race.pair.sink ? race.pair.sink : "?");
	free(race.pair.source);
	free(race.pair.sink);
	return isl_stat_error;
}

isl_stat poly_check_barriers(struct poly_prog *prog, const char *pass)
{
	bool *ordered = calloc(prog->n_kernel + 1, sizeof(*ordered));
	isl_stat ok = isl_stat_ok;
	int *first = NULL;

	for (int i = 0; ordered && i < prog->n_kernel; i++) {
		struct poly_seen *now = poly_seen_kernel(prog, prog->kernel[i]);

		ordered[i] = poly_seen_same(prog->kernel[i]->ordered, now);
		poly_seen_free(now);
	}
	first = ordered ? poly_alike_first(prog, ordered) : NULL;
	for (int i = 0; first && ok == isl_stat_ok && i < prog->n_kernel; i++)
		if (!ordered[i] && first[i] == i)
			ok = check_kernel_barriers(prog, prog->kernel[i], pass);
	free(ordered);
	if (!first)
		return poly_isl_error(prog, pass);
	free(first);
	return ok;
}

/* Kernels that are like one in front of them are right if that is. */
static void know_alike(struct poly_prog *prog)
{
	bool *known = calloc(prog->n_kernel + 1, sizeof(*known));
	int *first;

	for (int i = 0; known && i < prog->n_kernel; i++)
		known[i] = prog->kernel[i]->known;
	first = known ? poly_alike_first(prog, known) : NULL;
	for (int i = 0; first && i < prog->n_kernel; i++)
		prog->kernel[i]->known |= first[i] < i;
	free(known);
	free(first);
}

/* Check order, place and copies of "prog", whose kernels have blocks. What a
 * kernel showed when it was legal, and shows again, is not asked again.
 */
static isl_stat check_kernels(struct poly_prog *prog, const char *pass)
{
	struct poly_seen **now = calloc(prog->n_kernel + 1, sizeof(*now));
	bool ok;

	if (!now)
		return poly_isl_error(prog, pass);
	for (int i = 0; i < prog->n_kernel; i++) {
		now[i] = poly_seen_kernel(prog, prog->kernel[i]);
		prog->kernel[i]->known = poly_seen_same(
			prog->kernel[i]->legal, now[i]);
	}
	know_alike(prog);
	ok = poly_check_order(prog, pass) == isl_stat_ok &&
		poly_check_place(prog, pass) == isl_stat_ok &&
		poly_check_copies(prog, pass) == isl_stat_ok;
	for (int i = 0; i < prog->n_kernel; i++) {
		struct poly_kernel *k = prog->kernel[i];

		poly_seen_free(k->legal);
		k->legal = ok ? now[i] : poly_seen_free(now[i]);
		k->known = false;
	}
	free(now);
	return ok ? isl_stat_ok : isl_stat_error;
}

isl_stat poly_check_since(struct poly_prog *prog, unsigned had,
	const char *pass)
{
	unsigned mapped = prog->have & POLY_HAVE_MAPPING;
	unsigned new = prog->have & ~had;

	if (!prog->schedule || !(prog->have & POLY_HAVE_DEPS))
		return isl_stat_ok;
	if ((new & mapped) && check_kernels(prog, pass) < 0)
		return isl_stat_error;
	if (!(new & mapped) &&
	    (new & (POLY_HAVE_DEPS | POLY_HAVE_SCHEDULE)) &&
	    poly_check_order(prog, pass) < 0)
		return isl_stat_error;
	if (!mapped || !(new & POLY_HAVE_SYNC))
		return isl_stat_ok;
	return poly_check_barriers(prog, pass);
}

isl_stat poly_check(struct poly_prog *prog, const char *pass)
{
	return poly_check_since(prog, 0, pass);
}
