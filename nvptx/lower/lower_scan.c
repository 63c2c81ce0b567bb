/* nvptx: SCAN, a recurrence along the lines of a tile.
 *
 * A thread has runs of points on a line, in turn with the other threads of the line:
 * a *turn* is what all of them have once. What the recurrence does from one point on
 * is a link, of one value, or, where there is a factor, of two,
 *
 *	y = c op y_before		y = a * y_before + c
 *
 * and links are put together in the order of the line:
 *
 *	each thread puts the links of each of its runs together, point after point,
 *	the lanes of a warp exchange in pairs, the nearest first: a lane that has the
 *	later half puts what the other one has in front of what it has,
 *	warps have a place in shared memory for each turn; behind a barrier a lane
 *	puts together some places of those that come before its warp and turn, and
 *	lanes exchange again.
 *
 * The point before the first one of a line begins it: its link has a value, and no use
 * for one before. Points that are no part of a recurrence have links that do nothing.
 *
 * Where the recurrence goes on from tile to tile, another block has what comes before
 * (lower_relay.c).
 */
#include <isl/ilp.h>
#include <isl/space.h>

#include "polyir/sets/sets.h"
#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower_scan.h"

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* The recurrence of "op", and where the threads and points of its lines are.
 *
 * A line along axis 1 has threads side by side in a warp; along axis 0 a warp
 * has as many rows as fit beside each other.
 */
struct nvptx_scan nvptx_scan_of(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	int axis = op->along == POLY_AXIS_0 ? 0 : 1;
	struct nvptx_scan s = { .op = op, .stmt = op->member[0], .kernel = k,
		.axis = axis };

	poly_recurrence_read(prog, s.stmt, &s.r);
	s.type = s.stmt->write_array->type;
	s.parts = s.r.factor ? 2 : 1;
	s.step = axis ? 1 : smaller(k->thread[1], POLY_LANES);
	s.lanes = smaller(k->thread[axis], POLY_LANES / s.step);
	s.rows = k->thread[axis] / s.lanes;
	s.digits = k->tile[!axis] / k->thread[!axis];
	s.run = k->vec[axis];
	s.turns = k->tile[axis] / k->thread[axis] / s.run;
	if (s.r.over < 0)
		return s;
	s.all_tiles = poly_kernel_count(prog, k);
	s.tiles = poly_most_tiles(prog, k, !axis);
	return s;
}

/* What a thread puts together for others: all its turns, where it takes those that lie
 * side by side, or each by itself.
 */
static int n_own(const struct nvptx_scan *s)
{
	return nvptx_scan_has_warps(s) ? 1 : s->turns;
}

/* Places of a line in shared memory.
 *
 * A line within one warp needs none: lanes exchange.
 */
int nvptx_scan_places(const struct nvptx_scan *s)
{
	return s->rows > 1 ? s->rows * n_own(s) : 0;
}

/* In whole places, so that what lies behind begins at a place as well. A factor
 * has places of its own.
 */
int64_t nvptx_scan_bytes(struct poly_prog *prog, const struct poly_kernel *k,
	const struct poly_stmt *op)
{
	struct nvptx_scan s;

	if (op->kind != POLY_SCAN)
		return 0;
	s = nvptx_scan_of(prog, k, op);
	return nvptx_scan_places_bytes(&s, nvptx_scan_places(&s)) +
		nvptx_scan_relay_bytes(&s) + nvptx_scan_run_bytes(&s);
}

/* Go to the point of digits "d" across the lines and "i" along them.
 *
 * Coordinates beyond the tile's two are those of the block.
 */
static void set_point(struct nvptx_lower *l, const struct nvptx_scan *s, int d, int i,
	const LLVMValueRef *base, LLVMValueRef *p)
{
	for (int k = 2; k < isl_set_dim(s->op->domain, isl_dim_set); k++)
		p[k] = base[k];
	nvptx_set_point(l, s->op, s->axis ? d : i, s->axis ? i : d, base, p);
}

/* What the expression "e" of the member is, or "otherwise" if there is none.
 *
 * The value is cast to the type of the array.
 */
static LLVMValueRef value_of(struct nvptx_lower *l, const struct nvptx_scan *s,
	const struct poly_expr *e, const LLVMValueRef *in,
	LLVMValueRef otherwise)
{
	return e ? nvptx_cast(l->ir, s->type, e->type, nvptx_expr(l, e, in)).v :
		otherwise;
}

/* The link of the member at the point "p".
 *
 * Instances of the member are found from the point (nvptx_stand). A difference
 * has the negated value.
 */
static struct nvptx_link own_link(struct nvptx_lower *l, const struct nvptx_scan *s,
	const LLVMValueRef *p)
{
	struct nvptx_link a = nvptx_link_nothing(l, s);
	struct nvptx_value v = { NULL, NULL };
	LLVMValueRef in[16];

	nvptx_debug_stmt(l->ir, s->stmt);
	nvptx_stand(l, s->stmt, p, in);
	nvptx_instance(l, s->stmt, in);
	l->now.at = s->stmt->at;
	l->now.point = p;
	v.v = value_of(l, s, s->r.value, in, a.v[0]);
	if (s->r.minus)
		v = nvptx_op(l->ir, POLY_OP_NEG, s->type, &v);
	a.v[0] = v.v;
	if (s->r.factor)
		a.v[1] = value_of(l, s, s->r.factor, in, NULL);
	l->now.at = NULL;
	return a;
}

/* The link of the point "p", if "cond", which may be NULL, says that the member has it;
 * else one that does nothing.
 *
 * Without a read of memory the link can be computed where it is not used. A
 * read may be out of bounds there: it needs a branch, and what is read goes
 * through memory of the thread.
 */
static struct nvptx_link guarded_link(struct nvptx_lower *l,
	const struct nvptx_scan *s, const LLVMValueRef *p, LLVMValueRef cond)
{
	struct nvptx_link none = nvptx_link_nothing(l, s), a;
	struct nvptx_branch branch;

	if (!cond)
		return own_link(l, s, p);
	if (!nvptx_reads_memory(s->stmt))
		return nvptx_link_chosen(l->ir, s, cond, own_link(l, s, p), none);
	for (int i = 0; i < s->parts; i++)
		LLVMBuildStore(l->ir->b, none.v[i], nvptx_element(l->ir,
			nvptx_scan_type(l->ir, s), s->mine, nvptx_int(l->ir, i)));
	nvptx_if_begin(l->ir, &branch, cond, s->stmt->name);
	a = own_link(l, s, p);
	for (int i = 0; i < s->parts; i++)
		LLVMBuildStore(l->ir->b, a.v[i], nvptx_element(l->ir,
			nvptx_scan_type(l->ir, s), s->mine, nvptx_int(l->ir, i)));
	nvptx_if_end(l->ir, &branch);
	for (int i = 0; i < s->parts; i++)
		a.v[i] = LLVMBuildLoad2(l->ir->b, nvptx_scan_type(l->ir, s),
			nvptx_element(l->ir, nvptx_scan_type(l->ir, s), s->mine,
				nvptx_int(l->ir, i)), "");
	return a;
}

/* What the array holds at the thread's point of "l->now.digit".
 *
 * The array is in registers: its element has the point's digits and no index.
 */
static LLVMValueRef held(struct nvptx_lower *l, const struct nvptx_scan *s)
{
	LLVMValueRef none[16] = { NULL };

	return nvptx_load(l, s->stmt->write_array, none).v;
}

/* The link of the point of digits "d" and "i".
 *
 * Where a line begins, the factor is 0: what came before does not count.
 */
static struct nvptx_link point_link(struct nvptx_lower *l, const struct nvptx_scan *s,
	int d, int i, const LLVMValueRef *base)
{
	LLVMValueRef p[16], first;
	struct nvptx_link a, begin = nvptx_link_nothing(l, s);

	set_point(l, s, d, i, base, p);
	a = guarded_link(l, s, p, nvptx_condition(l, isl_set_copy(s->guard),
		p));
	if (isl_set_is_empty(s->first) == isl_bool_true)
		return a;
	begin.v[0] = held(l, s);
	if (s->parts > 1)
		begin.v[1] = LLVMConstNull(nvptx_scan_type(l->ir, s));
	first = nvptx_condition(l, isl_set_copy(s->first), p);
	return first ? nvptx_link_chosen(l->ir, s, first, begin, a) : begin;
}

/* Put the links of each run of digit "d" together.
 *
 * Run by run: the first link of each run stands alone.
 */
static void join_runs(struct nvptx_lower *l, const struct nvptx_scan *s, int d,
	const LLVMValueRef *base)
{
	struct nvptx_link a;

	for (int i = 0; i < s->turns * s->run; i++) {
		struct nvptx_link one = point_link(l, s, d, i, base);

		a = i % s->run ? nvptx_link_joined(l, s, a, one) : one;
		nvptx_link_store(l->ir, s, d, i, a);
	}
}

/* --------------------------------------------------------------- the others */

/* What is put together next are the runs of different threads. */

/* Put what each warp has of each turn, "all", into "base", and wait for all.
 *
 * The first lane of each warp writes. Places of a turn lie side by side, one of
 * each warp.
 */
static void put(struct nvptx_lower *l, const struct nvptx_scan *s, LLVMValueRef base,
	const struct nvptx_link *all)
{
	LLVMValueRef lanes = nvptx_int(l->ir, s->lanes), zero = nvptx_int(l->ir,
		0);
	LLVMValueRef row = nvptx_div(l->ir, l->value.tid[s->axis], lanes);
	struct nvptx_branch branch;
	int own = n_own(s);

	nvptx_if_begin(l->ir, &branch, LLVMBuildICmp(l->ir->b, LLVMIntEQ,
		nvptx_mod(l->ir, l->value.tid[s->axis], lanes), zero, ""),
		"put");
	for (int i = 0; i < s->digits * own; i++)
		nvptx_link_put(l, s, base, nvptx_scan_places(s), i / own, nvptx_add(
			l->ir, row, nvptx_int(l->ir, i % own * s->rows), ""),
			all[i]);
	nvptx_if_end(l->ir, &branch);
	nvptx_hw(l->ir, NVPTX_HW_BARRIER, &zero, 1, "");
}

/* What is in place "at" of line "d", if that is in front of "end"; else nothing.
 *
 * The index 0 is read where nothing counts, so that no address is outside.
 */
static struct nvptx_link get(struct nvptx_lower *l, const struct nvptx_scan *s,
	LLVMValueRef base, int d, LLVMValueRef at, LLVMValueRef end)
{
	LLVMValueRef is = LLVMBuildICmp(l->ir->b, LLVMIntULT, at, end, "");
	struct nvptx_link a;

	at = LLVMBuildSelect(l->ir->b, is, at, nvptx_int(l->ir, 0), "");
	a = nvptx_link_take(l, s, base, nvptx_scan_places(s), d, at);
	return nvptx_link_chosen(l->ir, s, is, a, nvptx_link_nothing(l, s));
}

/* What the warps and turns before place "end" of line "d" have: lanes that are all on
 * one line take some places each.
 */
struct nvptx_link nvptx_scan_before(struct nvptx_lower *l,
	const struct nvptx_scan *s, LLVMValueRef base, int d, LLVMValueRef end)
{
	bool shared = s->lanes == POLY_LANES;
	int own = shared ? (nvptx_scan_places(s) + POLY_LANES - 1) / POLY_LANES :
		nvptx_scan_places(s);
	LLVMValueRef lane = nvptx_mod(l->ir, l->value.tid[s->axis],
		nvptx_int(l->ir, s->lanes)), first = nvptx_int(l->ir, 0);
	struct nvptx_link a = nvptx_link_nothing(l, s);

	if (shared)
		first = nvptx_mul(l->ir, lane, nvptx_int(l->ir, own));
	for (int i = 0; i < own; i++)
		a = nvptx_link_joined(l, s, a, get(l, s, base, d, nvptx_add(l->ir,
			first, nvptx_int(l->ir, i), ""), end));
	return shared ? nvptx_scan_lanes(l, s, lane, a) : a;
}

/* What comes before each turn, if the line is that of one warp. */
static void before_turns(struct nvptx_lower *l, const struct nvptx_scan *s,
	struct nvptx_link *all, struct nvptx_link *before)
{
	struct nvptx_link turns;

	for (int i = 0; i < s->digits * s->turns; i++) {
		before[i] = nvptx_link_before_lane(l, s, &all[i]);
		turns = i % s->turns ? nvptx_link_joined(l, s, turns, all[i - 1]) :
			nvptx_link_nothing(l, s);
		before[i] = nvptx_link_joined(l, s, turns, before[i]);
	}
}

/* What comes before each turn of a row of lanes, if the line has several. */
static void before_rows(struct nvptx_lower *l, const struct nvptx_scan *s,
	struct nvptx_link *all, struct nvptx_link *before)
{
	LLVMValueRef base = nvptx_take_places(l, nvptx_scan_bytes(l->prog,
		s->kernel, s->op));
	LLVMValueRef row = nvptx_div(l->ir, l->value.tid[s->axis],
		nvptx_int(l->ir, s->lanes));

	for (int i = 0; i < s->digits * s->turns; i++)
		before[i] = nvptx_link_before_lane(l, s, &all[i]);
	put(l, s, base, all);
	for (int i = 0; i < s->digits * s->turns; i++)
		before[i] = nvptx_link_joined(l, s, nvptx_scan_before(l, s,
			base, i / s->turns, nvptx_add(l->ir, row, nvptx_int(
			l->ir, i % s->turns * s->rows), "")), before[i]);
}

/* What comes before each turn, if the line has several warps, and perhaps tiles before
 * this one.
 */
static void before_warps(struct nvptx_lower *l, const struct nvptx_scan *s,
	struct nvptx_link *all, struct nvptx_link *before)
{
	LLVMValueRef base = nvptx_take_places(l, nvptx_scan_bytes(l->prog,
		s->kernel, s->op));
	LLVMTypeRef byte = LLVMInt8TypeInContext(l->ir->m->ctx);
	LLVMValueRef room = nvptx_element(l->ir, byte, base, nvptx_int(l->ir,
		nvptx_scan_places_bytes(s, nvptx_scan_places(s))));
	LLVMValueRef runs = nvptx_element(l->ir, byte, room, nvptx_int(l->ir,
		nvptx_scan_relay_bytes(s)));
	LLVMValueRef row = nvptx_div(l->ir, l->value.tid[s->axis],
		nvptx_int(l->ir, s->lanes));
	struct nvptx_link *total = calloc(s->digits, sizeof(*total)), tile, b;

	nvptx_scan_take_runs(l, s, runs, all);
	for (int d = 0; total && d < s->digits; d++) {
		total[d] = all[d * s->turns + s->turns - 1];
		before[d * s->turns] = nvptx_link_before_lane(l, s, &total[d]);
	}
	if (total)
		put(l, s, base, total);
	free(total);
	if (s->tiles)
		tile = nvptx_scan_before_tile(l, s, base, room);
	for (int d = 0; d < s->digits; d++) {
		b = nvptx_link_joined(l, s, nvptx_scan_before(l, s, base, d,
			row), before[d * s->turns]);
		if (s->tiles)
			b = nvptx_link_joined(l, s, tile, b);
		before[d * s->turns] = b;
		for (int i = 1; i < s->turns; i++)
			before[d * s->turns + i] = nvptx_link_joined(l, s,
				b, all[d * s->turns + i - 1]);
	}
	nvptx_scan_give_runs(l, s, runs, before);
}

/* ----------------------------------------------------------------- the cells */

/* Let the array hold the value of the point of digits "d" and "i", before whose turn
 * "before" has been done.
 */
static void finish(struct nvptx_lower *l, const struct nvptx_scan *s, int d, int i,
	struct nvptx_link before, const LLVMValueRef *base)
{
	LLVMValueRef none[16] = { NULL }, p[16], cond, v;

	set_point(l, s, d, i, base, p);
	v = nvptx_link_joined(l, s, before, nvptx_link_load(l->ir, s, d, i)).v[0];
	cond = nvptx_condition(l, isl_set_copy(s->guard), p);
	if (cond)
		v = LLVMBuildSelect(l->ir->b, cond, v, held(l, s), "");
	nvptx_store(l, s->stmt->write_array, none, (struct nvptx_value) { v,
		NULL });
}

/* The points before those of "points" along "axis" that are not in it. */
static __isl_give isl_set *points_before(__isl_keep isl_set *points, int axis)
{
	isl_multi_aff *next = isl_multi_aff_identity_on_domain_space(
		isl_set_get_space(points));
	isl_aff *aff = isl_aff_add_constant_si(isl_multi_aff_get_at(next,
		axis), 1);

	next = isl_multi_aff_set_at(next, axis, aff);
	return isl_set_subtract(isl_set_preimage_multi_aff(
		isl_set_copy(points), next), isl_set_copy(points));
}

/* The points before those of "points" along the axis, where other statements begin what
 * goes on from tile to tile: in tile 0.
 */
static __isl_give isl_set *begin_points(const struct nvptx_scan *s,
	__isl_keep isl_set *points)
{
	isl_set *begin = points_before(points, s->axis);

	return s->tiles ? isl_set_fix_si(begin, isl_dim_set, !s->axis, 0) : begin;
}

/* Find the points of the member, and those that begin lines. */
static void find_points(struct nvptx_scan *s, __isl_keep isl_set *known)
{
	isl_set *points = isl_set_preimage_multi_aff(
		isl_set_copy(s->stmt->domain), isl_multi_aff_copy(s->stmt->at));
	isl_set *all = isl_set_intersect(isl_set_copy(points),
		isl_set_copy(known));

	s->first = isl_set_intersect(begin_points(s, points),
		isl_set_copy(known));
	s->first = isl_set_gist(isl_set_coalesce(s->first),
		isl_set_copy(known));
	s->guard = isl_set_gist(isl_set_coalesce(all), isl_set_copy(known));
	isl_set_free(points);
}

/*	links of runs, then what comes before each run, then the values
 *
 * The last link of a run is what the whole run does.
 */
void nvptx_scan(struct nvptx_lower *l, const struct poly_stmt *op,
	__isl_keep isl_set *known, const LLVMValueRef *base)
{
	struct nvptx_scan s = nvptx_scan_of(l->prog, l->kernel, op);
	int n = s.digits * s.turns, own = n * s.run;
	struct nvptx_link *all = calloc(n, sizeof(*all));
	struct nvptx_link *before = calloc(n, sizeof(*before));

	find_points(&s, known);
	s.mine = nvptx_room(l->ir, LLVMArrayType2(nvptx_scan_type(l->ir, &s), 2),
		"link");
	for (int i = 0; i < s.parts; i++)
		s.room[i] = nvptx_room(l->ir, LLVMArrayType2(nvptx_scan_type(l->ir,
			&s), own), s.stmt->name);
	for (int d = 0; all && before && d < s.digits; d++)
		join_runs(l, &s, d, base);
	for (int i = 0; all && before && i < n; i++)
		all[i] = nvptx_link_load(l->ir, &s, i / s.turns, i % s.turns * s.run +
			s.run - 1);
	if (!all || !before)
		nvptx_fail(l->ir, nvptx_i32(l->ir), "out of memory");
	else if (nvptx_scan_has_warps(&s))
		before_warps(l, &s, all, before);
	else if (s.rows > 1)
		before_rows(l, &s, all, before);
	else
		before_turns(l, &s, all, before);
	for (int i = 0; all && before && i < own; i++)
		finish(l, &s, i / (s.turns * s.run), i % (s.turns * s.run),
			before[i / s.run], base);
	isl_set_free(s.guard);
	isl_set_free(s.first);
	free(all);
	free(before);
}
