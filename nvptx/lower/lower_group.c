/* nvptx: the points of a GROUP: its members, run by run, where they are. */
#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Run members [from, to) at point "p". */
static void run_members(struct nvptx_lower *l, const struct poly_stmt *s,
	int from, int to, const LLVMValueRef *p)
{
	LLVMValueRef in[16];

	for (int i = from; i < to; i++) {
		nvptx_debug_stmt(l->ir, s->member[i]);
		nvptx_stand(l, s->member[i], p, in);
		l->now.at = s->member[i]->at;
		l->now.point = p;
		nvptx_crossed_hold(l, s, i);
		nvptx_point(l, s->member[i], in);
		nvptx_crossed_hold(l, s, -1);
		l->now.at = NULL;
	}
}

/* The first member behind "from" that has another guard than that. */
static int next_guard(__isl_keep isl_set_list *guards, int from)
{
	isl_set *guard = isl_set_list_get_at(guards, from);
	int n = isl_set_list_size(guards), next;

	for (next = from + 1; next < n; next++) {
		isl_set *other = isl_set_list_get_at(guards, next);
		isl_bool same = isl_set_is_equal(guard, other);

		isl_set_free(other);
		if (same != isl_bool_true)
			break;
	}
	isl_set_free(guard);
	return next;
}

void nvptx_set_point(struct nvptx_lower *l, const struct poly_stmt *s, int r0,
	int r1, const LLVMValueRef *base, LLVMValueRef *p)
{
	const int r[2] = { r0, r1 };

	for (int d = 0; d < 2; d++) {
		const char *name = nvptx_point_name(s->member[0], d);

		l->now.digit[d] = r[d];
		p[d] = nvptx_add(l->ir, base[d], nvptx_int(l->ir,
			poly_digit_offset(l->kernel, d, r[d])),
			name ? name : "");
	}
}

/* Members [from, to) of a group, which share a guard. */
struct part {
	int from, to;
	struct nvptx_when when;
};

/* Run the part "m" at the "n" points from digits "r0", "r1" on, where "guard" holds at
 * the first of them; "ready" has what is stored there, if it is computed already.
 */
static void run_run(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, __isl_keep isl_set *guard, int r0, int r1, int n,
	const LLVMValueRef *base, LLVMValueRef *p, const LLVMValueRef *ready)
{
	struct nvptx_branch branch;
	LLVMValueRef cond;

	nvptx_set_point(l, s, r0, r1, base, p);
	cond = nvptx_condition(l, isl_set_copy(guard), p);
	if (cond)
		nvptx_if_begin(l->ir, &branch, cond, s->member[m->from]->name);
	if (l->made.loop)
		l->made.beside(l, s, (const int[]){ r0, r1, n }, base);
	for (int v = 0; v < n; v++) {
		nvptx_set_point(l, s, r0, r1 + v, base, p);
		l->now.ready = ready ? ready[v] : NULL;
		run_members(l, s, m->from, m->to, p);
	}
	l->now.ready = NULL;
	if (cond)
		nvptx_if_end(l->ir, &branch);
}

/* Can what the part "m" stores be computed at each point, wherever its guard holds? */
static bool computes_anywhere(struct nvptx_ir *ir, const struct poly_stmt *s,
	const struct part *m)
{
	const struct poly_stmt *one = s->member[m->from];

	return m->to == m->from + 1 && !ir->m->opt.checked &&
		!ir->m->opt.wide && !poly_is_update(one) && !one->atomic &&
		!poly_is_scatter(one) &&
		!one->across && !nvptx_reads_memory(one);
}

/* Compute what the part "m" stores at the run from digits "r0", "r1" on. */
static void compute_run(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, int r0, int r1, const LLVMValueRef *base,
	LLVMValueRef *p, LLVMValueRef *v)
{
	for (int i = 0; i < l->kernel->vec[1]; i++) {
		nvptx_set_point(l, s, r0, r1 + i, base, p);
		v[i] = nvptx_value_at(l, s->member[m->from], p);
	}
}

/* Run the part "m" at each point of the run from digits "r0", "r1" on where "guard"
 * holds; what is stored there is in "v", if it is computed already.
 */
static void run_each(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, __isl_keep isl_set *guard, int r0, int r1,
	const LLVMValueRef *base, LLVMValueRef *p, const LLVMValueRef *v)
{
	for (int i = 0; i < l->kernel->vec[1]; i++)
		run_run(l, s, m, guard, r0, r1 + i, 1, base, p, &v[i]);
}

/* Run the part "m" at the run from digits "r0", "r1" on, point by point where its
 * guard does not hold for all.
 */
static void run_split(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, int r0, int r1, const LLVMValueRef *base,
	LLVMValueRef *p)
{
	isl_set *always = isl_set_universe(isl_set_get_space(m->when.all));
	LLVMValueRef v[NVPTX_MAX_RUN] = { NULL }, some = NULL;
	struct nvptx_run_branch branch;
	struct nvptx_branch any;
	bool rest;

	nvptx_set_point(l, s, r0, r1, base, p);
	if (m->when.ragged)
		some = nvptx_condition(l, isl_set_copy(m->when.some), p);
	if (some)
		nvptx_if_begin(l->ir, &any, some, "any");
	if (computes_anywhere(l->ir, s, m))
		compute_run(l, s, m, r0, r1, base, p, v);
	nvptx_set_point(l, s, r0, r1, base, p);
	rest = nvptx_run_begin(l, &branch, &m->when, p);
	run_each(l, s, m, always, r0, r1, base, p, v);
	if (rest) {
		nvptx_run_else(l->ir, &branch);
		run_each(l, s, m, m->when.guard, r0, r1, base, p, v);
		nvptx_if_end(l->ir, &branch.branch);
	}
	if (some)
		nvptx_if_end(l->ir, &any);
	isl_set_free(always);
}

/* The parts of the members of "s" into "list"; returns their number. */
static int find_parts(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known, int run,
	struct part *list)
{
	int n = 0;

	for (int i = 0; i < s->n_member; i = list[n++].to) {
		list[n].from = i;
		list[n].to = next_guard(guards, i);
		list[n].when = nvptx_find_when(l, isl_set_list_get_at(guards, i),
			known, run, !(s->along & POLY_AXIS_1));
	}
	return n;
}

/* Ends that rows may have, by where they begin; parts of what is safe. */
enum { MOST_ENDS = 2, MOST_SAFE = 3 };

/* How a row's runs are loaded without a branch each: where "safe" holds, at whole rows,
 * all of them are in memory; a thread without a run of the row loads the last one,
 * which begins at "last" along axis 1.
 */
struct row_loads {
	isl_set *safe;
	isl_pw_aff *last;
};

/* Where the last run of "runs" ends, a function of the points "known". */
static __isl_give isl_pw_aff *last_end(__isl_keep isl_set *runs,
	__isl_keep isl_set *known)
{
	int n = isl_set_dim(runs, isl_dim_set);
	isl_map *row = isl_map_universe(isl_space_map_from_set(
		isl_set_get_space(runs)));
	isl_pw_multi_aff *last;
	isl_pw_aff *end;

	for (int i = 0; i < n; i++)
		if (i != 1)
			row = isl_map_equate(row, isl_dim_in, i, isl_dim_out,
				i);
	row = isl_map_intersect_domain(row, isl_set_copy(known));
	row = isl_map_intersect_range(row, isl_set_copy(runs));
	row = isl_map_project_out(row, isl_dim_out, 2, n - 2);
	row = isl_map_project_out(row, isl_dim_out, 0, 1);
	last = isl_pw_multi_aff_coalesce(isl_map_lexmax_pw_multi_aff(row));
	end = isl_pw_multi_aff_get_at(last, 0);
	isl_pw_multi_aff_free(last);
	return isl_pw_aff_gist(end, isl_set_copy(known));
}

/* The points of "runs" at which the loads [from, to) of "s" do not read what is in
 * memory.
 */
static __isl_give isl_set *outside_of(struct nvptx_lower *l,
	const struct poly_stmt *s, const struct part *m,
	__isl_keep isl_set *runs)
{
	isl_set *outside = isl_set_empty(isl_set_get_space(runs));

	for (int i = m->from; i < m->to; i++)
		outside = isl_set_union(outside, isl_set_subtract(
			isl_set_copy(runs), nvptx_can_load(l, s->member[i],
			isl_set_copy(runs))));
	return outside;
}

/* Where the loads "m" of "s", which stand alike, can be done by whole rows into "r";
 * false: nowhere, or that takes too many questions.
 */
static bool find_loads(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, __isl_keep isl_set *known, struct row_loads *r)
{
	const struct poly_stmt *first = s->member[m->from];
	isl_set *runs = isl_set_preimage_multi_aff(isl_set_copy(first->domain),
		isl_multi_aff_copy(first->at)), *outside;

	runs = nvptx_runs_of(l, isl_set_intersect(runs, isl_set_copy(known)));
	r->last = last_end(runs, known);
	outside = isl_set_eliminate(outside_of(l, s, m, runs), isl_dim_set, 1,
		1);
	r->safe = isl_set_eliminate(runs, isl_dim_set, 1, 1);
	r->safe = isl_set_coalesce(isl_set_subtract(r->safe, outside));
	r->safe = isl_set_gist(r->safe, isl_set_copy(known));
	if (isl_pw_aff_n_piece(r->last) <= MOST_ENDS &&
	    isl_set_n_basic_set(r->safe) > 0 &&
	    isl_set_n_basic_set(r->safe) <= MOST_SAFE)
		return true;
	r->last = isl_pw_aff_free(r->last);
	r->safe = isl_set_free(r->safe);
	return false;
}

/* Are all members of the part "m" loads that stand at the same points? */
static bool are_loads(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m)
{
	isl_set *first = NULL;
	bool are = true;

	for (int i = m->from; i < m->to && are; i++) {
		const struct poly_stmt *one = s->member[i];
		isl_set *own = isl_set_preimage_multi_aff(
			isl_set_copy(one->domain), isl_multi_aff_copy(one->at));

		are = nvptx_is_row_load(l, one) && (!first ||
			isl_set_is_equal(first, own) == isl_bool_true);
		isl_set_free(first);
		first = own;
	}
	isl_set_free(first);
	return are;
}

/* Run the loads "m" at all points of the thread, where "r" is safe; "base" is the first
 * one.
 */
static void load_rows(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, const struct row_loads *r, int n0, int n1,
	const LLVMValueRef *base, LLVMValueRef *p)
{
	int run = l->kernel->vec[1];
	LLVMValueRef last, first, beyond;

	for (int i = 0; i < n0 * n1; i += run) {
		nvptx_set_point(l, s, i / n1, i % n1, base, p);
		last = nvptx_pw_aff(l, isl_pw_aff_copy(r->last), p);
		last = nvptx_add(l->ir, last, nvptx_int(l->ir, 1 - run), "");
		first = p[1];
		beyond = LLVMBuildICmp(l->ir->b, LLVMIntSGT, first, last, "");
		first = nvptx_exact_select(l->ir, beyond, last, first);
		for (int v = 0; v < run; v++) {
			nvptx_set_point(l, s, i / n1, i % n1 + v, base, p);
			p[1] = nvptx_add(l->ir, first, nvptx_int(l->ir, v), "");
			run_members(l, s, m->from, m->to, p);
		}
	}
}

/* Run the part "m", if it has loads of whole rows, at all points of the thread: those
 * at the end of an array, where not all of a run is in memory, by themselves. False
 * if it is no such load.
 */
static bool run_load(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, __isl_keep isl_set *known, int n0, int n1,
	const LLVMValueRef *base, LLVMValueRef *p)
{
	struct row_loads r;
	struct nvptx_branch branch;
	LLVMValueRef safe;

	if (!m->when.all || !are_loads(l, s, m) ||
	    !find_loads(l, s, m, known, &r))
		return false;
	nvptx_set_point(l, s, 0, 0, base, p);
	safe = nvptx_condition(l, r.safe, p);
	if (safe)
		nvptx_if_begin(l->ir, &branch, safe, "rows");
	load_rows(l, s, m, &r, n0, n1, base, p);
	isl_pw_aff_free(r.last);
	if (!safe)
		return true;
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, safe, ""), "end");
	for (int i = 0; i < n0 * n1; i++)
		run_run(l, s, m, m->when.guard, i / n1, i % n1, 1, base, p,
			NULL);
	nvptx_if_end(l->ir, &branch);
	return true;
}

/* Values of a thread that are loaded before any of them is stored, at most. */
enum { AHEAD = 16 };

static void note_other(struct poly_expr *leaf, void *user)
{
	bool *others = user;

	*others |= leaf->array->role != POLY_INPUT ||
		leaf->array->space != POLY_GLOBAL;
}

/* Does the part "m" copy inputs, which no store changes, so that loads of several points
 * need not wait for stores in between?
 */
static bool loads_ahead(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m)
{
	const struct poly_stmt *one = s->member[m->from];
	bool others = false;

	poly_expr_each_access(one->rhs, note_other, &others);
	return one->rhs->op == POLY_OP_ACCESS && !others && !nvptx_crossed_has(l, s, m->from) &&
		m->to == m->from + 1 && !m->when.all &&
		!l->ir->m->opt.checked && !l->ir->m->opt.wide &&
		!poly_is_update(one) && !one->atomic && !one->across &&
		!one->fold && !poly_is_scatter(one) &&
		one->write_array->space == POLY_GLOBAL &&
		nvptx_reads_memory(one);
}

/* Compute what the part "m" stores at the "n" points from digits "r0", "r1" on, where its
 * guard holds at the first of them: into "v", if there is a guard.
 */
static void load_ahead(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, int r0, int r1, int n, const LLVMValueRef *base,
	LLVMValueRef *p, LLVMValueRef *v)
{
	struct nvptx_branch branch;
	LLVMBasicBlockRef then;
	LLVMValueRef cond;

	nvptx_set_point(l, s, r0, r1, base, p);
	cond = nvptx_condition(l, isl_set_copy(m->when.guard), p);
	if (!cond)
		return;
	nvptx_if_begin(l->ir, &branch, cond, s->member[m->from]->name);
	for (int i = 0; i < n; i++) {
		nvptx_set_point(l, s, r0, r1 + i, base, p);
		v[i] = nvptx_value_at(l, s->member[m->from], p);
	}
	then = LLVMGetInsertBlock(l->ir->b);
	nvptx_if_end(l->ir, &branch);
	for (int i = 0; i < n; i++)
		v[i] = nvptx_if_value(l->ir, &branch, then, v[i],
			LLVMGetPoison(LLVMTypeOf(v[i])), "");
}

/* Members of a group in parts, at "n1" columns of points of a thread; their guards are
 * asked once for "run" points, and "step" points come one after another.
 */
struct parts {
	struct part *list;
	int n, n1, run, step;
};

/* Run "parts" at the points from number "r" to "end" of the thread. */
static void run_some(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct parts *parts, int r, int end, const LLVMValueRef *base,
	LLVMValueRef *p)
{
	LLVMValueRef *ready = calloc(parts->n * (end - r), sizeof(*ready));
	int n1 = parts->n1, run = parts->run, first = r;

	for (int i = 0; ready && i < parts->n && end - r > run; i++)
		for (int at = r; loads_ahead(l, s, &parts->list[i]) && at < end;
		     at += run)
			load_ahead(l, s, &parts->list[i], at / n1, at % n1, run,
				base, p, &ready[i * (end - first) + at - first]);
	for (; r < end; r += parts->step)
		for (int i = 0; i < parts->n; i++) {
			const struct part *m = &parts->list[i];

			if (m->when.all)
				run_split(l, s, m, r / n1, r % n1, base, p);
			for (int v = 0; v < parts->step && !m->when.all; v += run)
				run_run(l, s, m, m->when.guard, r / n1, r % n1 +
					v, run, base, p, ready ? &ready[i *
					(end - first) + r + v - first] : NULL);
		}
	free(ready);
}

/* Run all points of the thread, the guards being asked once for "run" points along
 * axis 1; "base" is the first one.
 */
static void run_points(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known, int run,
	const LLVMValueRef *base)
{
	const struct poly_kernel *k = l->kernel;
	isl_size n_coordinate = isl_set_dim(s->domain, isl_dim_set);
	struct parts parts = { calloc(s->n_member + 1, sizeof(*parts.list)),
		.run = run, .step = run };
	int n[2], some = AHEAD;
	LLVMValueRef p[16];

	if (parts.list)
		parts.n = find_parts(l, s, guards, known, run, parts.list);
	else
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	for (int d = 0; d < 2; d++)
		n[d] = s->along & 1u << d ? 1 : k->tile[d] / k->thread[d];
	parts.n1 = n[1];
	for (int i = 2; i < n_coordinate; i++)
		p[i] = base[i];
	if (parts.n == 1 && run_load(l, s, &parts.list[0], known, n[0], n[1],
	    base, p))
		n[0] = 0;
	for (int i = 0; i < parts.n; i++)
		parts.step = parts.list[i].when.all ? k->vec[1] : parts.step;
	while (some % parts.step)
		some++;
	for (int r = 0, all = n[0] * n[1]; r < all; r += some)
		run_some(l, s, &parts, r, r + some < all ? r + some : all, base,
			p);
	for (int i = 0; i < parts.n; i++)
		nvptx_when_clear(&parts.list[i].when);
	free(parts.list);
}

/* As many guards as "guards" has, which hold everywhere. */
static __isl_give isl_set_list *no_guards(__isl_keep isl_set_list *guards,
	__isl_keep isl_set *known)
{
	isl_size n = isl_set_list_size(guards);
	isl_set_list *list = isl_set_list_alloc(isl_set_list_get_ctx(guards),
		n);

	for (int i = 0; i < n; i++)
		list = isl_set_list_add(list, isl_set_universe(
			isl_set_get_space(known)));
	return list;
}

/* Are some tiles whole, and others not, in a kernel that has no product? */
static bool wants_two(struct nvptx_lower *l, __isl_keep isl_set *tiles)
{
	return !l->kernel->tile_k && !l->ir->m->opt.checked &&
		isl_set_is_empty(tiles) == isl_bool_false &&
		isl_set_plain_is_universe(tiles) == isl_bool_false &&
		isl_set_n_basic_set(tiles) == 1;
}

/* Run all points, those of whole tiles, which "tiles" has, without guards; those of
 * "pieces" at once.
 */
static void run_twice(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	__isl_take isl_set *tiles, const struct nvptx_pieces *pieces,
	const LLVMValueRef *arg, const LLVMValueRef *base)
{
	LLVMValueRef whole = nvptx_condition(l, tiles, arg);
	isl_set_list *none = no_guards(guards, known);
	struct nvptx_branch branch;

	if (!whole)
		whole = LLVMConstInt(LLVMInt1TypeInContext(l->ir->m->ctx), 1,
			0);
	nvptx_if_begin(l->ir, &branch, whole, "whole");
	if (pieces->guards)
		nvptx_run_pieces(l, s, pieces, base);
	else
		run_points(l, s, none, known, l->kernel->vec[1], base);
	nvptx_if_end(l->ir, &branch);
	nvptx_if_begin(l->ir, &branch, LLVMBuildNot(l->ir->b, whole, ""),
		"part");
	run_points(l, s, guards, known, nvptx_guarded_run(l, guards, known),
		base);
	nvptx_if_end(l->ir, &branch);
	isl_set_list_free(none);
}

/* Run the members at their own points. */
void nvptx_group(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base)
{
	struct nvptx_pieces pieces = nvptx_find_pieces(l, s, guards, known);
	isl_set *tiles;

	nvptx_folds_begin(l, s);
	if (!pieces.guards)
		nvptx_crossed_begin(l, s, guards, known, arg);
	tiles = pieces.guards ? isl_set_copy(pieces.tiles) :
		nvptx_whole_tiles(l, guards, known);
	if (pieces.guards || wants_two(l, tiles)) {
		run_twice(l, s, guards, known, tiles, &pieces, arg, base);
	} else {
		isl_set_free(tiles);
		run_points(l, s, guards, known,
			nvptx_guarded_run(l, guards, known), base);
	}
	nvptx_pieces_clear(&pieces);
	nvptx_crossed_end(l);
	nvptx_folds_end(l, s, guards, arg, base);
}

/* Run the members once on each line: all its threads do, the first one writes. */
void nvptx_group_lines(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base)
{
	LLVMValueRef before = l->now.own;

	for (int d = 0; d < 2; d++) {
		LLVMValueRef first;

		if (!(s->along & 1u << d))
			continue;
		first = LLVMBuildICmp(l->ir->b, LLVMIntEQ, l->value.tid[d],
			nvptx_int(l->ir, 0), "");
		if (poly_cluster(l->kernel, d) > 1)
			first = LLVMBuildAnd(l->ir->b, first,
				LLVMBuildICmp(l->ir->b, LLVMIntEQ, arg[d],
				nvptx_int(l->ir, 0), ""), "");
		l->now.own = l->now.own ? LLVMBuildAnd(l->ir->b, l->now.own,
			first, "") :
			first;
	}
	run_points(l, s, guards, known, 1, base);
	l->now.own = before;
}
