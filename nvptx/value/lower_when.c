/* nvptx: where the members of a GROUP or REDUCE run, as sets of points of the tile, and
 * where more of them may: a member of a row program loads whole runs of an input, of
 * which some elements may be another row's; nobody reads those.
 *
 * A guard is the set of points at which a member runs; its gist, given the
 * points that the loop over a tile covers anyway, is what the code must ask.
 * The fewer constraints the better, as each costs a comparison at every point:
 * so where it does no harm a guard is widened, to all points, to whole runs, or
 * to whole tiles.
 */
#include <isl/ilp.h>
#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/value/value.h"

/* Elements of an array all of whose indices, and small multiples of them, have 32 bits. */
enum { FEW = 1 << 26 };

/* "pa", which has a parameter domain, as a function on "space".
 *
 * Takes both. What has other domains than parameters becomes NULL, a failure.
 */
static __isl_give isl_pw_aff *lift(__isl_take isl_pw_aff *pa,
	__isl_take isl_space *space)
{
	isl_space *domain = isl_pw_aff_get_domain_space(pa);
	isl_bool params = isl_space_is_params(domain);

	isl_space_free(domain);
	if (params == isl_bool_true)
		return isl_pw_aff_insert_domain(pa, space);
	isl_space_free(space);
	return isl_pw_aff_free(pa);
}

/* { x in "set" : 0 <= x[pos] < bound }, with "bound" a function of the
 * parameters.
 */
static __isl_give isl_set *limit(__isl_take isl_set *set, int pos,
	__isl_take isl_pw_aff *bound)
{
	isl_space *space = isl_set_get_space(set);
	isl_local_space *ls;
	isl_pw_aff *x;

	bound = lift(bound, isl_space_copy(space));
	ls = isl_local_space_from_space(space);
	x = isl_pw_aff_var_on_domain(ls, isl_dim_set, pos);
	set = isl_set_intersect(set, isl_pw_aff_lt_set(isl_pw_aff_copy(x),
		bound));
	return isl_set_intersect(set, isl_pw_aff_nonneg_set(x));
}

/* The grid is rounded up to whole tiles, so points beyond the arrays are among
 * them. "known" of the sizes is in the result.
 */
__isl_give isl_set *nvptx_covered(struct nvptx_lower *l,
	const struct poly_stmt *s)
{
	isl_ctx *ctx = l->prog->ctx;
	isl_set *outer, *set = isl_set_universe(isl_space_set_alloc(ctx, 0,
		isl_set_dim(s->domain, isl_dim_set)));

	for (int d = 0; d < 2; d++) {
		isl_pw_aff *n = isl_pw_aff_copy(l->kernel->grid[d]);

		n = isl_pw_aff_scale_val(n,
			isl_val_int_from_si(ctx, l->kernel->tile[d]));
		set = limit(set, d, n);
	}
	outer = isl_set_project_out(isl_set_copy(s->domain), isl_dim_set, 0,
		2);
	outer = isl_set_insert_dims(outer, isl_dim_set, 0, 2);
	set = isl_set_intersect(set, isl_set_reset_tuple_id(outer));
	return isl_set_intersect_params(set, isl_set_copy(l->fact.known));
}

/* Has the program an array of elements enough for an index to be large? */
static bool has_large_array(struct nvptx_lower *l)
{
	bool large = false;

	for (int i = 0; i < l->prog->n_array && !large; i++)
		large = !nvptx_has_at_most(l, l->prog->array[i], FEW);
	return large;
}

/* A scan that goes on has tiles up to the last element that 32 bits number: so the points
 * that there are count, where others have room for a tile as large as all behind them.
 */
bool nvptx_is_small(struct nvptx_lower *l, struct poly_stmt *const *op, int n)
{
	bool small = true;

	if (!has_large_array(l))
		return true;
	for (int i = 0; i < n && small; i++) {
		isl_set *points = op[i]->n_member ? nvptx_covered(l, op[i]) : NULL;

		for (int k = 0; k < op[i]->n_member && small; k++) {
			struct poly_stmt *m = op[i]->member[k];

			small = poly_is_small_on(l->prog, m, isl_set_apply(
				isl_set_copy(points), isl_map_from_multi_aff(
				isl_multi_aff_copy(m->at))));
		}
		isl_set_free(points);
	}
	return small;
}

/* Takes "set"; "index" is a function of the points. */
__isl_give isl_set *nvptx_inside(__isl_take isl_set *set,
	const struct poly_array *a, __isl_keep isl_multi_pw_aff *index)
{
	isl_size n = isl_multi_pw_aff_dim(index, isl_dim_out);

	for (int i = 0; i < n; i++) {
		isl_pw_aff *at = isl_multi_pw_aff_get_at(index, i);
		isl_pw_aff *end = isl_multi_pw_aff_get_at(a->extent, i);

		end = lift(end, isl_set_get_space(set));
		set = isl_set_intersect(set,
			isl_pw_aff_lt_set(isl_pw_aff_copy(at), end));
		set = isl_set_intersect(set, isl_pw_aff_nonneg_set(at));
	}
	return set;
}

/* The points of "set", which is taken, at which "index" is an element of "a", or of
 * another row of it, which lies beside: what may be read without harm.
 *
 * Where extents are fixed, the array is one run of elements, and only its ends
 * are asked. Else each index by itself.
 */
static __isl_give isl_set *in_memory(struct nvptx_lower *l,
	__isl_take isl_set *set, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_pw_aff *at = NULL, *end;
	int64_t size = 1;

	for (int i = a->n_dim - 1; i >= 0 && size >= 0; i--) {
		int64_t extent = nvptx_fixed_step(l, a, i);
		isl_pw_aff *one = isl_pw_aff_scale_val(
			isl_multi_pw_aff_get_at(index, i),
			isl_val_int_from_si(l->prog->ctx, size));

		at = at ? isl_pw_aff_add(at, one) : one;
		size = extent < 0 ? -1 : size * extent;
	}
	if (!at || size < 0) {
		isl_pw_aff_free(at);
		return nvptx_inside(set, a, index);
	}
	end = isl_pw_aff_val_on_domain(isl_pw_aff_domain(isl_pw_aff_copy(at)),
		isl_val_int_from_si(l->prog->ctx, size));
	set = isl_set_intersect(set, isl_pw_aff_lt_set(isl_pw_aff_copy(at),
		end));
	return isl_set_intersect(set, isl_pw_aff_nonneg_set(at));
}

static void note_memory(struct poly_expr *leaf, void *user)
{
	bool *memory = user;

	*memory |= leaf->array->space != POLY_REGISTER;
}

/* An access of shared memory counts as memory, too. */
bool nvptx_reads_memory(const struct poly_stmt *s)
{
	bool memory = false;

	poly_expr_each_access(s->rhs, &note_memory, &memory);
	poly_expr_each_gather(s->rhs, &note_memory, &memory);
	return memory;
}

/* True if member "s", whose domain is "set" in terms of the tile's points,
 * sets the whole of a register array from registers: then it may run at
 * points where the array has no element, too, since nobody reads those.
 *
 * A plain write only: an update must not run more often than it has terms.
 */
static bool fills_registers(const struct poly_stmt *s,
	__isl_keep isl_set *set, __isl_keep isl_set *known)
{
	isl_multi_pw_aff *index;
	isl_set *all;
	bool fills;

	if (s->write_array->space != POLY_REGISTER ||
	    s->reduce != POLY_OP_NONE || nvptx_reads_memory(s))
		return false;
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(s->write_index),
		isl_multi_aff_copy(s->at));
	all = nvptx_inside(isl_set_copy(known), s->write_array, index);
	fills = isl_set_is_subset(all, set) == isl_bool_true;
	isl_multi_pw_aff_free(index);
	isl_set_free(all);
	return fills;
}

/* "{ [p0, p1, z..] -> [p0, V floor(p1/V), z..] }" on "space": where a point's run
 * begins.
 *
 * Takes "space". With vec[1] of 4: p1 = 6 belongs to the run from 4 on.
 */
static __isl_give isl_multi_aff *run_begin(struct nvptx_lower *l,
	__isl_take isl_space *space)
{
	isl_val *n = isl_val_int_from_si(l->prog->ctx, l->kernel->vec[1]);
	isl_multi_aff *first = isl_multi_aff_identity_on_domain_space(space);
	isl_aff *aff = isl_multi_aff_get_at(first, 1);

	aff = isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_copy(n)));
	return isl_multi_aff_set_at(first, 1, isl_aff_scale_val(aff, n));
}

/* Takes "set". */
__isl_give isl_set *nvptx_runs_of(struct nvptx_lower *l,
	__isl_take isl_set *set)
{
	isl_multi_aff *first = run_begin(l, isl_set_get_space(set));

	set = isl_set_apply(set, isl_map_from_multi_aff(
		isl_multi_aff_copy(first)));
	return isl_set_preimage_multi_aff(set, first);
}

/* Does nothing else in the program write what "s" does? */
static bool writes_alone(const struct poly_prog *prog, const struct poly_stmt *s)
{
	int n = 0;

	for (int i = 0; i < prog->n_stmt; i++)
		n += prog->stmt[i]->write_array == s->write_array;
	return n == 1;
}

/* Does "s" make a value of a row program, in a register that nobody else writes? Where
 * nobody reads it, it may run, too.
 */
static bool is_row_value(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	return l->fact.has_lines && !l->ir->m->opt.checked &&
		s->reduce == POLY_OP_NONE &&
		s->write_array->space == POLY_REGISTER && writes_alone(l->prog,
		s);
}

/* Note a read of memory that the program writes.
 *
 * An input is never written while the kernel runs, so an element more may be
 * read at any time.
 */
static void note_others(struct poly_expr *leaf, void *user)
{
	bool *others = user;

	*others |= leaf->array->space != POLY_REGISTER &&
		leaf->array->role != POLY_INPUT;
}

/* Note a read at a place that data tell. */
static void note_gather(struct poly_expr *leaf, void *user)
{
	bool *others = user;

	(void)leaf;
	*others = true;
}

/* Loads of inputs only, at places that are affine. */
bool nvptx_is_row_load(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	bool others = false;

	if (!is_row_value(l, s) || !nvptx_reads_memory(s))
		return false;
	poly_expr_each_access(s->rhs, note_others, &others);
	poly_expr_each_gather(s->rhs, note_gather, &others);
	return !others;
}

/* Points at which the accesses of "s" read what is in memory. */
struct loadable {
	struct nvptx_lower *l;
	const struct poly_stmt *s;
	isl_set *set;
};

/* Keep the points at which "leaf" reads what is in memory; registers are there
 * everywhere.
 *
 * For each access the set gets smaller.
 */
static void limit_load(struct poly_expr *leaf, void *user)
{
	struct loadable *r = user;
	isl_multi_pw_aff *index;

	if (leaf->array->space == POLY_REGISTER)
		return;
	index = isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index),
		isl_multi_aff_copy(r->s->at));
	r->set = in_memory(r->l, r->set, leaf->array, index);
	isl_multi_pw_aff_free(index);
}

/* Takes "set" and returns its points at which all reads are of memory. */
__isl_give isl_set *nvptx_can_load(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_take isl_set *set)
{
	struct loadable r = { l, s, set };

	poly_expr_each_access(s->rhs, limit_load, &r);
	return r.set;
}

/* The least coordinate along axis 1 of "set", or the greatest one; NULL if there is none. */
static __isl_give isl_val *end_of(__isl_keep isl_set *set, bool least)
{
	isl_set *copy = isl_set_copy(set);
	isl_val *v = least ? isl_set_dim_min_val(copy, 1) : isl_set_dim_max_val(copy, 1);

	if (isl_val_is_int(v) == isl_bool_true)
		return v;
	return isl_val_free(v);
}

/* Are there rows of "set", of the points "known", that have no runs where others have
 * the first half of theirs? Those of a triangle are such.
 */
static bool is_ragged(struct nvptx_lower *l, __isl_keep isl_set *set,
	__isl_keep isl_set *known)
{
	isl_set *runs = nvptx_runs_of(l, isl_set_intersect(isl_set_copy(set),
		isl_set_copy(known)));
	isl_set *lack = isl_set_eliminate(isl_set_copy(runs), isl_dim_set, 1, 1);
	isl_val *first, *last = end_of(runs, false);
	bool ragged;

	lack = isl_set_intersect(lack, isl_set_copy(known));
	lack = isl_set_subtract(lack, runs);
	first = end_of(lack, true);
	isl_set_free(lack);
	first = isl_val_mul_ui(first, 2);
	ragged = first && last && isl_val_lt(first, last) == isl_bool_true;
	isl_val_free(first);
	isl_val_free(last);
	return ragged;
}

bool nvptx_is_long(const struct poly_expr *e)
{
	bool found = e->op == POLY_OP_DIV || e->op == POLY_OP_LOOP ||
		(e->op >= POLY_OP_EXP && e->op < POLY_OP_NONE);

	for (int i = 0; i < poly_op_n_arg(e->op) && !found; i++)
		found = nvptx_is_long(e->arg[i]);
	return found;
}

/* Where the member "s" of a row program may run, "set" being where it has to: a value
 * in a register that nobody else writes is computed wherever that reads no memory, or
 * where a run has a point if that saves much, and loaded in whole runs of an input.
 *
 * Takes "set". More points may be added, none is lost.
 */
static __isl_give isl_set *may_run(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_take isl_set *set,
	__isl_keep isl_set *known)
{
	isl_space *space;

	if (nvptx_is_row_load(l, s))
		return nvptx_can_load(l, s, nvptx_runs_of(l, set));
	if (!is_row_value(l, s) || nvptx_reads_memory(s))
		return set;
	if (nvptx_is_long(s->rhs) && is_ragged(l, set, known))
		return nvptx_runs_of(l, set);
	space = isl_set_get_space(set);
	isl_set_free(set);
	return isl_set_universe(space);
}

/* "known" are the points that the loop over the tile goes to. A universe means
 * that no question is asked at all.
 */
__isl_give isl_set *nvptx_member_guard(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set *known)
{
	isl_set *set = isl_set_preimage_multi_aff(isl_set_copy(s->domain),
		isl_multi_aff_copy(s->at));

	set = may_run(l, s, set, known);
	if (fills_registers(s, set, known)) {
		isl_set_free(set);
		return isl_set_universe(isl_set_get_space(known));
	}
	return isl_set_gist(poly_set_coalesce(set), isl_set_copy(known));
}

/* The points of "known" whose whole run is in "guard"; NULL where that is not asked:
 * "run" points have one guard, or the kernel has no lines, or there are none.
 *
 * A run that is whole needs one guard for all its points, so LLVM may join its
 * accesses.
 */
static __isl_give isl_set *whole_runs(struct nvptx_lower *l,
	__isl_keep isl_set *guard, __isl_keep isl_set *known, int run)
{
	isl_set *all;

	if (run > 1 || l->kernel->vec[1] == 1 || !l->fact.has_lines ||
	    isl_set_plain_is_universe(guard) == isl_bool_true)
		return NULL;
	all = isl_set_subtract(isl_set_copy(known), isl_set_copy(guard));
	all = isl_set_subtract(isl_set_copy(known), nvptx_runs_of(l, all));
	all = isl_set_gist(poly_set_coalesce(all), isl_set_copy(known));
	if (isl_set_is_empty(all) != isl_bool_false)
		return isl_set_free(all);
	return all;
}

/* The points of "known" whose run has a point of "guard".
 *
 * Points outside of both need nothing: a run without any point is skipped.
 */
static __isl_give isl_set *some_runs(struct nvptx_lower *l,
	__isl_keep isl_set *guard, __isl_keep isl_set *known)
{
	isl_set *some = nvptx_runs_of(l, isl_set_intersect(isl_set_copy(guard),
		isl_set_copy(known)));

	return isl_set_gist(poly_set_coalesce(some), isl_set_copy(known));
}

/* Takes "guard". nvptx_when_clear is due. "split" asks for two versions of the
 * code: whole runs, and others point by point.
 */
struct nvptx_when nvptx_find_when(struct nvptx_lower *l,
	__isl_take isl_set *guard, __isl_keep isl_set *known, int run, bool split)
{
	struct nvptx_when when = { .guard = guard, .run = run };

	if (split)
		when.all = whole_runs(l, guard, known, run);
	if (when.all)
		when.some = some_runs(l, guard, known);
	when.ragged = when.all && is_ragged(l, guard, known);
	return when;
}

bool nvptx_run_begin(struct nvptx_lower *l, struct nvptx_run_branch *b,
	const struct nvptx_when *when, const LLVMValueRef *p)
{
	b->whole = nvptx_condition(l, isl_set_copy(when->all), p);
	if (!b->whole)
		return false;
	b->some = nvptx_condition(l, isl_set_copy(when->some), p);
	nvptx_if_begin(l->ir, &b->branch, b->whole, "whole");
	return true;
}

void nvptx_run_else(struct nvptx_ir *ir, struct nvptx_run_branch *b)
{
	LLVMValueRef rest;

	nvptx_if_end(ir, &b->branch);
	rest = LLVMBuildNot(ir->b, b->whole, "");
	if (b->some)
		rest = LLVMBuildAnd(ir->b, rest, b->some, "");
	nvptx_if_begin(ir, &b->branch, rest, "some");
}

void nvptx_when_clear(struct nvptx_when *when)
{
	isl_set_free(when->guard);
	isl_set_free(when->all);
	isl_set_free(when->some);
}

/* "{ [p0, p1, z..] }" whose run along axis 1 begins in "set". */
static __isl_give isl_set *run_begins_in(struct nvptx_lower *l,
	__isl_take isl_set *set)
{
	isl_multi_aff *first = run_begin(l, isl_set_get_space(set));

	return isl_set_preimage_multi_aff(set, first);
}

/* Does "guard" hold, of the points "known", at all of a run or at none?
 *
 * Asked by comparing it with what its runs' first points say.
 */
static bool holds_in_runs(struct nvptx_lower *l, __isl_keep isl_set *guard,
	__isl_keep isl_set *known)
{
	isl_set *points = isl_set_intersect(isl_set_copy(guard),
		isl_set_copy(known));
	isl_set *runs = isl_set_intersect(run_begins_in(l,
		isl_set_copy(guard)), isl_set_copy(known));
	bool same = isl_set_is_equal(points, runs) == isl_bool_true;

	isl_set_free(points);
	isl_set_free(runs);
	return same;
}

/* vec[1], if one guard for the whole run is exact for all of the list; else 1.
 */
int nvptx_guarded_run(struct nvptx_lower *l, __isl_keep isl_set_list *guards,
	__isl_keep isl_set *known)
{
	bool same = l->kernel->vec[1] > 1;

	for (int i = 0; i < isl_set_list_size(guards) && same; i++) {
		isl_set *guard = isl_set_list_get_at(guards, i);

		same = isl_set_plain_is_universe(guard) == isl_bool_true ||
			holds_in_runs(l, guard, known);
		isl_set_free(guard);
	}
	return same ? l->kernel->vec[1] : 1;
}

/* "{ [p0, p1, z..] -> [t0, t1, z..] }": the tile of a point. */
static __isl_give isl_map *tile_of(struct nvptx_lower *l, int n)
{
	isl_map *map = isl_map_identity(isl_space_map_from_set(
		isl_space_set_alloc(l->prog->ctx, 0, n)));
	isl_pw_multi_aff *pma = isl_pw_multi_aff_from_map(map);

	for (int d = 0; d < 2; d++) {
		isl_pw_aff *pa = isl_pw_multi_aff_get_at(pma, d);

		pa = isl_pw_aff_floor(isl_pw_aff_scale_down_val(pa,
			isl_val_int_from_si(l->prog->ctx,
				l->kernel->tile[d])));
		pma = isl_pw_multi_aff_set_pw_aff(pma, d, pa);
	}
	return isl_map_from_pw_multi_aff(pma);
}

__isl_give isl_set *nvptx_points_of_tiles(struct nvptx_lower *l,
	__isl_take isl_set *set)
{
	isl_map *tile = tile_of(l, isl_set_dim(set, isl_dim_set));

	set = isl_set_apply(set, isl_map_copy(tile));
	return isl_set_apply(set, isl_map_reverse(tile));
}

/* Given the tiles that there are, as a gist. Takes "bad". */
__isl_give isl_set *nvptx_tiles_without(struct nvptx_lower *l,
	__isl_take isl_set *bad, __isl_keep isl_set *known)
{
	isl_map *tile = tile_of(l, isl_set_dim(known, isl_dim_set));
	isl_set *tiles = isl_set_apply(isl_set_copy(known), isl_map_copy(tile));

	bad = isl_set_apply(bad, tile);
	bad = isl_set_subtract(isl_set_copy(tiles), bad);
	return isl_set_gist(poly_set_coalesce(bad), tiles);
}

/* The tiles "{ [t0, t1, z..] }" of which every point is in all guards: for
 * these the loop has no guard at all.
 */
__isl_give isl_set *nvptx_whole_tiles(struct nvptx_lower *l,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known)
{
	isl_set *all = isl_set_copy(known);

	for (int i = 0; i < isl_set_list_size(guards); i++)
		all = isl_set_intersect(all, isl_set_list_get_at(guards, i));
	if (is_ragged(l, all, known)) {
		isl_set_free(all);
		return isl_set_empty(isl_set_get_space(known));
	}
	return nvptx_tiles_without(l, isl_set_subtract(isl_set_copy(known),
		all), known);
}
