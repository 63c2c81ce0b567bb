/* Does every instance run where what it needs is?
 *
 * Inside a kernel both ends of a dependence must be in one thread, or in one
 * block with a barrier between. Point statements have no barriers between
 * them, so theirs must be in one thread; so must the updates of one cell. A
 * value in a register is named by the digits of a point, so there both ends
 * must be at one point of one launch, which also keeps them in one kernel; but for what a group
 * hands on to a product through a buffer: which element the product finds there is
 * for legal_copies.c to say, and for race.c that there is a barrier.
 *
 * All this is said in terms of points, from which block and thread follow if
 * every tile operation is executed by the block of its tile, if the tile is
 * that of its members' points, and if the grid has that block.
 */
#include <stdio.h>
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* ------------------------------------------------------------ dependences */

/* The pairs of "deps" within "points", whatever the places of their ends. */
static __isl_give isl_union_map *among(__isl_take isl_union_map *deps,
	const struct poly_places *points)
{
	deps = isl_union_map_intersect_domain(deps,
		isl_union_set_copy(points->domain));
	return isl_union_map_intersect_range(deps,
		isl_union_set_copy(points->domain));
}

/* The pairs of "deps", which are within "points", whose ends are at different
 * points; a point has one thread, so the others are in order.
 */
static __isl_give isl_union_map *off_point(__isl_take isl_union_map *deps,
	const struct poly_places *points)
{
	if (isl_union_map_n_map(deps) == 0)
		return deps;
	return isl_union_map_subtract(deps,
		poly_same_image(isl_union_map_copy(points->at)));
}

/* Refuse, as "id", the pairs of "deps" whose ends are in different blocks, or,
 * with "thread", in different threads.
 */
static isl_stat refuse_apart(struct poly_prog *prog,
	const struct poly_kernel *k, enum poly_msg id, const char *pass,
	__isl_keep isl_union_map *deps, const struct poly_places *points,
	bool thread)
{
	isl_union_map *place;

	if (isl_union_map_is_empty(deps) == isl_bool_true)
		return isl_stat_ok;
	place = isl_union_map_apply_range(isl_union_map_copy(points->at),
		poly_place_of(prog, k, thread));
	return poly_refuse_pairs(prog, id, pass, isl_union_map_subtract(
		isl_union_map_copy(deps), poly_same_image(place)));
}

/* The launch of "k" that runs each instance: of members, that of their tile. */
static __isl_give isl_union_map *launches(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_union_map *own = isl_union_map_from_multi_union_pw_aff(
		poly_kernel_launch(prog, k));
	isl_union_map *all = isl_union_map_copy(own);

	for (int i = 0; i < prog->n_stmt; i++)
		if (prog->stmt[i]->contraction)
			all = isl_union_map_union(all, isl_union_map_apply_range(
				isl_union_map_copy(prog->stmt[i]->contraction),
				isl_union_map_copy(own)));
	isl_union_map_free(own);
	return all;
}

/* The pairs of "deps" that one launch of "k" runs both ends of. */
static __isl_give isl_union_map *within_launch(struct poly_prog *prog,
	const struct poly_kernel *k, __isl_take isl_union_map *deps)
{
	if (poly_kernel_n_host(prog, k) == 0)
		return deps;
	return isl_union_map_intersect(deps,
		poly_same_image(launches(prog, k)));
}

/* The dependences that carry values through what the kernel's "points" write into
 * registers. Points have registers of their own, and launches do, so that one overwrites
 * nothing that another one needs.
 */
static __isl_give isl_union_map *through_registers(struct poly_prog *prog,
	const struct poly_places *points)
{
	isl_union_map *deps = isl_union_map_union(
		isl_union_map_copy(prog->deps.flow),
		isl_union_map_copy(prog->deps.reduction));
	isl_union_set *writers = isl_union_set_empty(
		isl_set_get_space(prog->context));

	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];

		if (s->kind == POLY_POINT && s->write_array &&
		    s->write_array->space == POLY_REGISTER)
			writers = isl_union_set_add_set(writers,
				isl_set_copy(s->domain));
	}
	writers = isl_union_set_intersect(writers,
		isl_union_set_copy(points->domain));
	return isl_union_map_intersect_domain(deps, writers);
}

/* Refuse dependences through a register of kernel "k" whose ends are at different
 * points, in different launches, or of which one is outside of the kernel. "given" are
 * the pairs whose value a thread gets from another one by other means (given_pairs).
 */
static isl_stat check_registers(struct poly_prog *prog,
	const struct poly_kernel *k, const char *pass,
	const struct poly_places *points, __isl_keep isl_union_map *given)
{
	isl_union_map *deps = through_registers(prog, points);

	deps = isl_union_map_subtract(deps, isl_union_map_copy(given));

	if (isl_union_map_is_empty(deps) != isl_bool_true) {
		isl_union_map *inside = within_launch(prog, k, among(
			isl_union_map_copy(deps), points));

		deps = isl_union_map_subtract(deps, isl_union_map_intersect(
			inside, poly_same_image(
				isl_union_map_copy(points->at))));
	}
	return poly_refuse_pairs(prog, MSG_POLY_REGISTER, pass, deps);
}

/* The dependences "deps" and "updates", which are taken, between instances at
 * "points".
 */
static isl_stat check_pairs(struct poly_prog *prog,
	const struct poly_kernel *k, const char *pass,
	__isl_take isl_union_map *deps, __isl_take isl_union_map *updates,
	const struct poly_places *points)
{
	isl_stat ok;

	deps = within_launch(prog, k, among(deps, points));
	deps = off_point(deps, points);
	updates = within_launch(prog, k, among(updates, points));
	updates = off_point(updates, points);
	ok = refuse_apart(prog, k, MSG_POLY_BLOCK, pass, deps, points, false);
	if (ok == isl_stat_ok)
		ok = refuse_apart(prog, k, MSG_POLY_BARRIER, pass, deps,
			points, true);
	if (ok == isl_stat_ok)
		ok = refuse_apart(prog, k, MSG_POLY_OWNER, pass, updates,
			points, true);
	isl_union_map_free(deps);
	isl_union_map_free(updates);
	return ok;
}

/* What threads that go across read, each has at its own point; what they write
 * is at the first one's.
 */
static isl_stat check_across(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass, const struct poly_places *points)
{
	isl_union_map *own = isl_union_map_intersect_domain(
		isl_union_map_copy(points->at),
		isl_union_set_copy(points->domain));
	isl_union_map *reads = poly_across_reads(prog);
	isl_union_map *deps = isl_union_map_subtract(poly_ordering_deps(prog),
		isl_union_map_copy(reads));
	struct poly_places writing = {
		poly_writing_points(prog, isl_union_map_copy(points->at)),
		isl_union_set_copy(points->domain)
	};
	isl_stat ok;

	ok = check_pairs(prog, k, pass, deps,
		isl_union_map_copy(prog->deps.reduction), &writing);
	poly_places_free(&writing);
	if (ok == isl_stat_ok)
		ok = check_pairs(prog, k, pass, isl_union_map_copy(reads),
			isl_union_map_empty(isl_set_get_space(prog->context)),
			points);
	isl_union_map_free(reads);
	if (ok == isl_stat_ok)
		ok = poly_check_across(prog, k, op, n, pass, own);
	isl_union_map_free(own);
	return ok;
}

/* What a thread has been given that another one has made: through a buffer that a
 * group fills, or along the lines of a tile. Rows have no lines before they have tiles:
 * until then a recurrence of theirs is taken for one that hands on.
 */
static __isl_give isl_union_map *given_pairs(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n)
{
	isl_union_map *pairs = poly_handed_pairs(prog, k);

	if (k->tiled)
		return isl_union_map_union(pairs, poly_line_pairs(prog, k, op,
			n));
	return isl_union_map_union(pairs, poly_row_pairs(prog, op, n));
}

/* Check the dependences inside kernel "k", which runs the "n" statements "op"
 * and is no block kernel: those through memory must stay in one block or
 * thread, those through registers at one point.
 */
static isl_stat check_deps(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n,
	const char *pass)
{
	isl_union_map *given = given_pairs(prog, k, op, n);
	struct poly_places points;
	bool across = false;
	isl_stat ok;

	poly_find_places(prog, k, &points);
	for (int i = 0; i < n; i++)
		across |= op[i]->across > 0;
	ok = across ? check_across(prog, k, op, n, pass, &points) :
		check_pairs(prog, k, pass, isl_union_map_subtract(
			poly_ordering_deps(prog), isl_union_map_copy(given)),
			isl_union_map_subtract(
				isl_union_map_copy(prog->deps.reduction),
				isl_union_map_copy(given)), &points);
	if (ok == isl_stat_ok)
		ok = check_registers(prog, k, pass, &points, given);
	isl_union_map_free(given);
	poly_places_free(&points);
	return ok;
}

/* ----------------------------------------------------------------- blocks */

/* "{ [t0, t1] : t0 = 0 and 0 <= t1 < 64 }", the threads of the block kernel "k"; with
 * "b1" in front where its blocks run together.
 */
static __isl_give isl_union_set *threads_of_block(struct poly_prog *prog,
	const struct poly_kernel *k)
{
	isl_space *space = poly_tuple(prog->ctx, NULL);
	isl_set *set;

	if (k->together)
		space = poly_add_dim(space, "b1");
	space = poly_add_dims(space, "t", 0, 2);
	set = isl_set_universe(isl_space_copy(space));
	if (k->together)
		set = poly_between(set, poly_at(space, "b1"),
			poly_kernel_n_block(k));
	set = poly_between(set, poly_at(space, "t0"), 1);
	set = poly_between(set, poly_at(space, "t1"), k->thread[1]);
	isl_space_free(space);
	return isl_union_set_from_set(set);
}

/* Pairs of an instance of the block kernel "k" and itself that are wrong about
 * threads: a point needs one, a barrier all.
 */
static __isl_give isl_union_map *wrong_threads(struct poly_prog *prog,
	const struct poly_kernel *k, struct poly_stmt **op, int n)
{
	isl_union_map *thread = poly_kernel_threads(prog, k);
	isl_union_map *wrong = isl_union_map_empty(
		isl_set_get_space(prog->context));
	isl_union_set *block = threads_of_block(prog, k);

	for (int i = 0; i < n; i++) {
		isl_union_set *domain = isl_union_set_from_set(
			isl_set_copy(op[i]->domain));
		isl_union_map *own = isl_union_map_intersect_domain(
			isl_union_map_copy(thread),
			isl_union_set_copy(domain));
		isl_union_map *want = isl_union_map_from_domain_and_range(
			domain, isl_union_set_copy(block));

		if (op[i]->kind == POLY_SYNC)
			wrong = isl_union_map_union(wrong,
				isl_union_map_subtract(want, own));
		else if (isl_union_map_is_single_valued(own) ==
			isl_bool_true)
			wrong = isl_union_map_union(wrong,
				isl_union_map_subtract(own, want));
		else {
			wrong = isl_union_map_union(wrong, own);
			isl_union_map_free(want);
		}
	}
	isl_union_map_free(thread);
	isl_union_set_free(block);
	return wrong;
}

/* Has every point of the block kernel "k" one thread, every barrier all, and
 * every dependence between threads a barrier?
 */
static isl_stat check_block(struct poly_prog *prog, struct poly_kernel *k,
	struct poly_stmt **op, int n, const char *pass)
{
	struct poly_race race;
	isl_bool found;

	if (poly_refuse_sources(prog, pass, wrong_threads(prog, k, op, n)) < 0 ||
	    (k->apart && poly_check_apart(prog, k, op, n, pass) < 0))
		return isl_stat_error;
	found = poly_find_race(prog, k, &race);
	if (found == isl_bool_true)
		poly_report_add(prog->report, MSG_POLY_BARRIER, NULL, pass,
			race.pair.source ? race.pair.source : "?",
			race.pair.sink ? race.pair.sink : "?");
	free(race.pair.source);
	free(race.pair.sink);
	if (found < 0)
		return poly_isl_error(prog, pass);
	return found ? isl_stat_error : isl_stat_ok;
}

/* Make all checks of place of kernel "k". A block kernel gives points to
 * threads by the filters of its tree, so that it has checks of its own for
 * threads and races.
 */
static isl_stat check_kernel(struct poly_prog *prog, struct poly_kernel *k,
	const char *pass)
{
	int n;
	struct poly_stmt **op = poly_kernel_list(prog, k, &n);
	isl_stat ok;

	if (!op)
		return poly_isl_error(prog, pass);
	ok = poly_check_kinds(prog, k, op, n, pass);
	for (int i = 0; i < n && ok == isl_stat_ok; i++)
		ok = poly_check_folds(prog, k, op[i], pass);
	if (ok == isl_stat_ok)
		ok = poly_check_lines(prog, k, op, n, pass);
	if (ok == isl_stat_ok && k->block)
		ok = check_block(prog, k, op, n, pass);
	if (ok == isl_stat_ok && !k->block)
		ok = check_deps(prog, k, op, n, pass);
	if (ok == isl_stat_ok && !k->block)
		ok = poly_check_tiles(prog, k, op, n, pass);
	free(op);
	return ok;
}

isl_stat poly_check_place(struct poly_prog *prog, const char *pass)
{
	for (int i = 0; i < prog->n_kernel; i++)
		if (!prog->kernel[i]->known &&
		    check_kernel(prog, prog->kernel[i], pass) < 0)
			return isl_stat_error;
	return isl_stat_ok;
}
