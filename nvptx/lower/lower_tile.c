/* nvptx: emitters of tile operations: GROUP and SYNC; the others have files of
 * their own (lower_copy.c, lower_contract.c).
 *
 * A GROUP is unrolled over the register digits: thread (t0, t1) of block
 * (b0, b1) runs its members at each of its points
 *
 *	p0 = b0 * tile0 + t0 * vec0 + R0 * thread0 * vec0 + v0	(p1 alike)
 *
 * with the digit r0 = R0 * vec0 + v0, where their own domains hold; what is
 * known of the sizes is taken out of that condition, so that sizes which are
 * multiples of the tile leave none. In a kernel without a product, where loads
 * shall not wait for one another, tiles that are whole have code of their own
 * without conditions.
 */

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* "pa", which has a parameter domain, as a function on "space". */
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

/* The points of the group "s" that the grid covers: 0 <= pd < tiled * gridd. */
static __isl_give isl_set *covered(struct nvptx_lower *l,
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
	return isl_set_intersect_params(set, isl_set_copy(l->known));
}

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
 */
static __isl_give isl_set *in_memory(struct nvptx_lower *l,
	__isl_take isl_set *set, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_pw_aff *at = NULL, *end;
	int64_t size = 1;

	for (int i = a->n_dim - 1; i >= 0 && size >= 0; i--) {
		int64_t extent = nvptx_fixed_extent(l, a, i);
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

/* The runs that "set", which is taken, has a point of. */
static __isl_give isl_set *runs_of(struct nvptx_lower *l,
	__isl_take isl_set *set)
{
	isl_multi_aff *first = run_begin(l, isl_set_get_space(set));

	set = isl_set_apply(set, isl_map_from_multi_aff(
		isl_multi_aff_copy(first)));
	return isl_set_preimage_multi_aff(set, first);
}

/* Does nothing else in the program write what "s" does? */
static bool writes_alone(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	int n = 0;

	for (int i = 0; i < l->prog->n_stmt; i++)
		n += l->prog->stmt[i]->write_array == s->write_array;
	return n == 1;
}

static void note_others(struct poly_expr *leaf, void *user)
{
	bool *others = user;

	*others |= leaf->array->space != POLY_REGISTER &&
		leaf->array->role != POLY_INPUT;
}

static void note_gather(struct poly_expr *leaf, void *user)
{
	bool *others = user;

	(void)leaf;
	*others = true;
}

/* Does "s" make a value of a row program, which nobody else writes, from inputs? */
static bool is_row_load(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	bool others = false;

	if (!l->has_lines || l->m->opt.checked || poly_is_update(s) ||
	    s->write_array->space != POLY_REGISTER || !writes_alone(l, s) ||
	    !nvptx_reads_memory(s))
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

/* The points of "set", which is taken, at which the load "s" reads what is in memory. */
static __isl_give isl_set *can_load(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_take isl_set *set)
{
	struct loadable r = { l, s, set };

	poly_expr_each_access(s->rhs, limit_load, &r);
	return r.set;
}

/* Where the member "s" of a row program may run, "set" being where it has to: a value
 * in a register that nobody else writes is computed wherever that reads no memory, and
 * loaded in whole runs of an input.
 */
static __isl_give isl_set *may_run(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_take isl_set *set)
{
	isl_space *space;

	if (is_row_load(l, s))
		return can_load(l, s, runs_of(l, set));
	if (!l->has_lines || l->m->opt.checked || s->reduce != POLY_OP_NONE ||
	    s->write_array->space != POLY_REGISTER || !writes_alone(l, s) ||
	    nvptx_reads_memory(s))
		return set;
	space = isl_set_get_space(set);
	isl_set_free(set);
	return isl_set_universe(space);
}

/* Where member "s" runs, as points that "known" does not promise already. */
static __isl_give isl_set *member_guard(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set *known)
{
	isl_set *set = isl_set_preimage_multi_aff(isl_set_copy(s->domain),
		isl_multi_aff_copy(s->at));

	set = may_run(l, s, set);
	if (fills_registers(s, set, known)) {
		isl_set_free(set);
		return isl_set_universe(isl_set_get_space(known));
	}
	return isl_set_gist(poly_set_coalesce(set), isl_set_copy(known));
}

const char *nvptx_point_name(const struct poly_stmt *s, int d)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	const char *name = NULL;

	for (int i = 0; i < n && !name; i++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, i);

		if (isl_aff_involves_dims(aff, isl_dim_in, d, 1) ==
		    isl_bool_true)
			name = isl_set_get_dim_name(s->domain, isl_dim_set, i);
		isl_aff_free(aff);
	}
	return name;
}

/* Find out how the indices of "s" grow along a run. */
static void find_grown(struct nvptx_lower *l, const struct poly_stmt *s)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);

	l->grown.stmt = s;
	l->grown.known = true;
	for (int d = 0; d < n; d++) {
		isl_aff *aff = isl_multi_aff_get_at(s->at, d);
		isl_val *by = isl_aff_get_coefficient_val(aff, isl_dim_in, 1);

		for (int i = 0; i < isl_aff_dim(aff, isl_dim_div); i++)
			l->grown.known &= nvptx_same_along_run(l,
				isl_aff_get_div(aff, i));
		l->grown.known &= isl_val_is_int(by) == isl_bool_true;
		l->grown.by[d] = l->grown.known ? isl_val_get_num_si(by) : 0;
		isl_val_free(by);
		isl_aff_free(aff);
	}
}

void nvptx_stand(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *p, LLVMValueRef *in)
{
	isl_size n = isl_multi_aff_dim(s->at, isl_dim_out);
	isl_size n_in = isl_multi_aff_dim(s->at, isl_dim_in);
	int v = l->digit[1] % l->kernel->vec[1];
	LLVMValueRef first[16];
	int64_t more = 0;

	if (v && isl_multi_aff_involves_locals(s->at) == isl_bool_true &&
	    l->grown.stmt != s)
		find_grown(l, s);
	if (!v || l->grown.stmt != s || !l->grown.known) {
		nvptx_multi_aff(l, s->at, p, in);
		return;
	}
	for (int i = 0; i < n_in; i++)
		first[i] = p[i];
	first[1] = nvptx_take_constant(p[1], &more);
	first[1] = nvptx_add(l, first[1], nvptx_int(l, more - v), "");
	nvptx_multi_aff(l, s->at, first, in);
	for (int d = 0; d < n; d++)
		if (l->grown.by[d])
			in[d] = nvptx_add(l, in[d], LLVMConstInt(
				LLVMTypeOf(in[d]), (unsigned long long)
				(l->grown.by[d] * v), 1), "");
}

/* Run members [from, to) at point "p". */
static void run_members(struct nvptx_lower *l, const struct poly_stmt *s,
	int from, int to, const LLVMValueRef *p)
{
	LLVMValueRef in[16];

	for (int i = from; i < to; i++) {
		nvptx_debug_stmt(l, s->member[i]);
		nvptx_stand(l, s->member[i], p, in);
		l->at = s->member[i]->at;
		l->point = p;
		nvptx_point(l, s->member[i], in);
		l->at = NULL;
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

		l->digit[d] = r[d];
		p[d] = nvptx_add(l, base[d], nvptx_int(l,
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
 * the first of them.
 */
static void run_run(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, __isl_keep isl_set *guard, int r0, int r1, int n,
	const LLVMValueRef *base, LLVMValueRef *p)
{
	struct nvptx_branch branch;
	LLVMValueRef cond;

	nvptx_set_point(l, s, r0, r1, base, p);
	cond = nvptx_condition(l, isl_set_copy(guard), p);
	if (cond)
		nvptx_if_begin(l, &branch, cond, s->member[m->from]->name);
	for (int v = 0; v < n; v++) {
		nvptx_set_point(l, s, r0, r1 + v, base, p);
		run_members(l, s, m->from, m->to, p);
	}
	if (cond)
		nvptx_if_end(l, &branch);
}

/* Can what the part "m" stores be computed at each point, wherever its guard holds? */
static bool computes_anywhere(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m)
{
	const struct poly_stmt *one = s->member[m->from];

	return m->to == m->from + 1 && !l->m->opt.checked && !l->m->opt.wide &&
		!poly_is_update(one) && !one->atomic && !one->across &&
		!nvptx_reads_memory(one);
}

/* Compute what the part "m" stores at the run from digits "r0", "r1" on. */
static void compute_run(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, int r0, int r1, const LLVMValueRef *base,
	LLVMValueRef *p, LLVMValueRef *v)
{
	const struct poly_stmt *one = s->member[m->from];
	LLVMValueRef in[16];

	for (int i = 0; i < l->kernel->vec[1]; i++) {
		nvptx_set_point(l, s, r0, r1 + i, base, p);
		nvptx_debug_stmt(l, one);
		nvptx_stand(l, one, p, in);
		v[i] = nvptx_cast(l, one->write_array->type, one->rhs->type,
			nvptx_expr(l, one->rhs, in)).v;
	}
}

bool nvptx_run_begin(struct nvptx_lower *l, struct nvptx_run_branch *b,
	const struct nvptx_when *when, const LLVMValueRef *p)
{
	b->whole = nvptx_condition(l, isl_set_copy(when->all), p);
	b->some = nvptx_condition(l, isl_set_copy(when->some), p);
	if (b->whole)
		nvptx_if_begin(l, &b->branch, b->whole, "whole");
	return b->whole != NULL;
}

void nvptx_run_else(struct nvptx_lower *l, struct nvptx_run_branch *b)
{
	LLVMValueRef rest;

	nvptx_if_end(l, &b->branch);
	rest = LLVMBuildNot(l->b, b->whole, "");
	if (b->some)
		rest = LLVMBuildAnd(l->b, rest, b->some, "");
	nvptx_if_begin(l, &b->branch, rest, "some");
}

/* Run the part "m" at the run from digits "r0", "r1" on, point by point where its
 * guard does not hold for all.
 */
static void run_split(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct part *m, int r0, int r1, const LLVMValueRef *base,
	LLVMValueRef *p)
{
	isl_set *always = isl_set_universe(isl_set_get_space(m->when.all));
	bool ready = computes_anywhere(l, s, m), rest;
	LLVMValueRef v[NVPTX_MAX_RUN] = { NULL };
	int n = l->kernel->vec[1];
	struct nvptx_run_branch branch;

	if (ready)
		compute_run(l, s, m, r0, r1, base, p, v);
	nvptx_set_point(l, s, r0, r1, base, p);
	rest = nvptx_run_begin(l, &branch, &m->when, p);
	for (int i = 0; i < n; i++) {
		l->ready = v[i];
		run_run(l, s, m, always, r0, r1 + i, 1, base, p);
	}
	if (rest)
		nvptx_run_else(l, &branch);
	for (int i = 0; i < n && rest; i++) {
		l->ready = v[i];
		run_run(l, s, m, m->when.guard, r0, r1 + i, 1, base, p);
	}
	l->ready = NULL;
	if (rest)
		nvptx_if_end(l, &branch.branch);
	isl_set_free(always);
}

/* The points of "known" whose whole run is in "guard"; NULL where that is not asked:
 * "run" points have one guard, or the kernel has no lines, or there are none.
 */
static __isl_give isl_set *whole_runs(struct nvptx_lower *l,
	__isl_keep isl_set *guard, __isl_keep isl_set *known, int run)
{
	isl_set *all;

	if (run > 1 || l->kernel->vec[1] == 1 || !l->has_lines ||
	    isl_set_plain_is_universe(guard) == isl_bool_true)
		return NULL;
	all = isl_set_subtract(isl_set_copy(known), isl_set_copy(guard));
	all = isl_set_subtract(isl_set_copy(known), runs_of(l, all));
	all = isl_set_gist(poly_set_coalesce(all), isl_set_copy(known));
	if (isl_set_is_empty(all) != isl_bool_false)
		return isl_set_free(all);
	return all;
}

/* The points of "known" whose run has a point of "guard". */
static __isl_give isl_set *some_runs(struct nvptx_lower *l,
	__isl_keep isl_set *guard, __isl_keep isl_set *known)
{
	isl_set *some = runs_of(l, isl_set_intersect(isl_set_copy(guard),
		isl_set_copy(known)));

	return isl_set_gist(poly_set_coalesce(some), isl_set_copy(known));
}

/* Where members of the guard "guard" run, which is taken; with "split", point by point
 * only in runs that are not whole.
 */
static struct nvptx_when find_when(struct nvptx_lower *l,
	__isl_take isl_set *guard, __isl_keep isl_set *known, int run, bool split)
{
	struct nvptx_when when = { .guard = guard, .run = run };

	if (split)
		when.all = whole_runs(l, guard, known, run);
	if (when.all)
		when.some = some_runs(l, guard, known);
	return when;
}

static void when_clear(struct nvptx_when *when)
{
	isl_set_free(when->guard);
	isl_set_free(when->all);
	isl_set_free(when->some);
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
		list[n].when = find_when(l, isl_set_list_get_at(guards, i),
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
			isl_set_copy(runs), can_load(l, s->member[i],
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

	runs = runs_of(l, isl_set_intersect(runs, isl_set_copy(known)));
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

		are = is_row_load(l, one) && (!first ||
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
		last = nvptx_add(l, last, nvptx_int(l, 1 - run), "");
		first = p[1];
		beyond = LLVMBuildICmp(l->b, LLVMIntSGT, first, last, "");
		first = nvptx_exact_select(l, beyond, last, first);
		for (int v = 0; v < run; v++) {
			nvptx_set_point(l, s, i / n1, i % n1 + v, base, p);
			p[1] = nvptx_add(l, first, nvptx_int(l, v), "");
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
		nvptx_if_begin(l, &branch, safe, "rows");
	load_rows(l, s, m, &r, n0, n1, base, p);
	isl_pw_aff_free(r.last);
	if (!safe)
		return true;
	nvptx_if_end(l, &branch);
	nvptx_if_begin(l, &branch, LLVMBuildNot(l->b, safe, ""), "end");
	for (int i = 0; i < n0 * n1; i++)
		run_run(l, s, m, m->when.guard, i / n1, i % n1, 1, base, p);
	nvptx_if_end(l, &branch);
	return true;
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
	struct part *part = calloc(s->n_member + 1, sizeof(*part));
	int n_part = part ? find_parts(l, s, guards, known, run, part) : 0;
	int n[2], step = run;
	LLVMValueRef p[16];

	if (!part)
		nvptx_fail(l, nvptx_i32(l), "out of memory");
	for (int d = 0; d < 2; d++)
		n[d] = s->along & 1u << d ? 1 : k->tile[d] / k->thread[d];
	for (int i = 2; i < n_coordinate; i++)
		p[i] = base[i];
	if (n_part == 1 && run_load(l, s, &part[0], known, n[0], n[1], base, p))
		n[0] = 0;
	for (int i = 0; i < n_part; i++)
		step = part[i].when.all ? k->vec[1] : step;
	for (int r = 0; r < n[0] * n[1]; r += step)
		for (int i = 0; i < n_part; i++)
			if (part[i].when.all)
				run_split(l, s, &part[i], r / n[1], r % n[1],
					base, p);
			else
				for (int v = 0; v < step; v += run)
					run_run(l, s, &part[i],
						part[i].when.guard, r / n[1],
						r % n[1] + v, run, base, p);
	for (int i = 0; i < n_part; i++)
		when_clear(&part[i].when);
	free(part);
}

/* "{ [p0, p1, z..] }" whose run along axis 1 begins in "set". */
static __isl_give isl_set *run_begins_in(struct nvptx_lower *l,
	__isl_take isl_set *set)
{
	isl_multi_aff *first = run_begin(l, isl_set_get_space(set));

	return isl_set_preimage_multi_aff(set, first);
}

/* Does "guard" hold, of the points "known", at all of a run or at none? */
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

/* For how many points the guards of all members can be asked at once. */
static int guarded_run(struct nvptx_lower *l, __isl_keep isl_set_list *guards,
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

/* The tiles at all of whose points, of "known", all of "guards" hold, as far
 * as that is not so everywhere.
 */
static __isl_give isl_set *whole_tiles(struct nvptx_lower *l,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known)
{
	isl_set *all = isl_set_copy(known), *tiles;
	int n = isl_set_dim(known, isl_dim_set);

	for (int i = 0; i < isl_set_list_size(guards); i++)
		all = isl_set_intersect(all, isl_set_list_get_at(guards, i));
	all = isl_set_subtract(isl_set_copy(known), all);
	all = isl_set_apply(all, tile_of(l, n));
	tiles = isl_set_apply(isl_set_copy(known), tile_of(l, n));
	all = isl_set_subtract(isl_set_copy(tiles), all);
	return isl_set_gist(poly_set_coalesce(all), tiles);
}

/* Are some tiles whole, and others not, in a kernel that has no product? */
static bool wants_two(struct nvptx_lower *l, __isl_keep isl_set *tiles)
{
	return !l->kernel->tile_k && !l->m->opt.checked &&
		isl_set_is_empty(tiles) == isl_bool_false &&
		isl_set_plain_is_universe(tiles) == isl_bool_false &&
		isl_set_n_basic_set(tiles) == 1;
}

/* Run all points, those of whole tiles, which "tiles" has, without guards. */
static void run_twice(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	__isl_take isl_set *tiles, const LLVMValueRef *arg,
	const LLVMValueRef *base)
{
	LLVMValueRef whole = nvptx_condition(l, tiles, arg);
	isl_set_list *none = no_guards(guards, known);
	struct nvptx_branch branch;

	if (!whole)
		whole = LLVMConstInt(LLVMInt1TypeInContext(l->m->ctx), 1, 0);
	nvptx_if_begin(l, &branch, whole, "whole");
	run_points(l, s, none, known, l->kernel->vec[1], base);
	nvptx_if_end(l, &branch);
	nvptx_if_begin(l, &branch, LLVMBuildNot(l->b, whole, ""), "part");
	run_points(l, s, guards, known, guarded_run(l, guards, known),
		base);
	nvptx_if_end(l, &branch);
	isl_set_list_free(none);
}

/* The thread's first point of the tile "arg" of "s"; on lines, the first of each. */
static void first_point(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg, LLVMValueRef *base)
{
	const struct poly_kernel *k = l->kernel;
	isl_size n_coordinate = isl_set_dim(s->domain, isl_dim_set);

	for (int i = 2; i < n_coordinate; i++)
		base[i] = arg[i];
	for (int d = 0; d < 2; d++) {
		const char *name = nvptx_point_name(s->member[0], d);

		base[d] = nvptx_mul(l, arg[d], nvptx_int(l, k->tile[d]));
		if (s->kind == POLY_GROUP && (s->along & 1u << d))
			continue;
		base[d] = nvptx_add(l, base[d], nvptx_mul(l,
			nvptx_own_place(l, l->tid[d]),
			nvptx_int(l, k->vec[d])), name ? name : "");
	}
}

/* Run the members at their own points. */
static void run_all(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base)
{
	isl_set *tiles;

	nvptx_folds_begin(l, s);
	tiles = whole_tiles(l, guards, known);
	if (wants_two(l, tiles)) {
		run_twice(l, s, guards, known, tiles, arg, base);
	} else {
		isl_set_free(tiles);
		run_points(l, s, guards, known, guarded_run(l, guards, known),
		base);
	}
	nvptx_folds_end(l, s, guards, arg, base);
}

/* Run the members once on each line: all its threads do, the first one writes. */
static void run_lines(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *arg, const LLVMValueRef *base)
{
	LLVMValueRef before = l->own;

	for (int d = 0; d < 2; d++) {
		LLVMValueRef first;

		if (!(s->along & 1u << d))
			continue;
		first = LLVMBuildICmp(l->b, LLVMIntEQ, l->tid[d],
			nvptx_int(l, 0), "");
		if (poly_cluster(l->kernel, d) > 1)
			first = LLVMBuildAnd(l->b, first, LLVMBuildICmp(l->b,
				LLVMIntEQ, arg[d], nvptx_int(l, 0), ""), "");
		l->own = l->own ? LLVMBuildAnd(l->b, l->own, first, "") :
			first;
	}
	run_points(l, s, guards, known, 1, base);
	l->own = before;
}

/* Do several threads stand on a line of the group "s"? */
static bool has_many_on_line(const struct poly_kernel *k,
	const struct poly_stmt *s)
{
	for (int d = 0; d < 2; d++)
		if ((s->along & 1u << d) && k->tile[d] > 1)
			return true;
	return false;
}

/* Run the REDUCE "s". */
static void run_reduce(struct nvptx_lower *l, const struct poly_stmt *s,
	__isl_keep isl_set_list *guards, __isl_keep isl_set *known,
	const LLVMValueRef *base)
{
	struct nvptx_when when = find_when(l, isl_set_list_get_at(guards, 0),
		known, guarded_run(l, guards, known), true);

	nvptx_reduce(l, s, &when, base);
	when_clear(&when);
}

/* The operation "s" over the distribution of the kernel. */
static void points(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	isl_set *known = covered(l, s);
	isl_set_list *guards = isl_set_list_alloc(l->prog->ctx, s->n_member);
	LLVMValueRef base[16];

	for (int i = 0; i < s->n_member; i++)
		guards = isl_set_list_add(guards,
			member_guard(l, s->member[i], known));
	first_point(l, s, arg, base);
	if (s->kind == POLY_REDUCE)
		run_reduce(l, s, guards, known, base);
	else if (has_many_on_line(l->kernel, s))
		run_lines(l, s, guards, known, arg, base);
	else
		run_all(l, s, guards, known, arg, base);
	isl_set_list_free(guards);
	isl_set_free(known);
}

void nvptx_tile(struct nvptx_lower *l, const struct poly_stmt *s,
	const LLVMValueRef *arg)
{
	LLVMValueRef zero = nvptx_int(l, 0);

	switch (s->kind) {
	case POLY_COPY:
		nvptx_copy(l, s, arg);
		break;
	case POLY_CONTRACT:
		nvptx_contract(l, s, arg);
		break;
	case POLY_GROUP:
	case POLY_REDUCE:
		points(l, s, arg);
		break;
	case POLY_SYNC:
		if (s->wait)
			nvptx_wait(l, s, arg);
		if (l->kernel->together)
			nvptx_meet(l);
		else
			nvptx_hw(l, NVPTX_HW_BARRIER, &zero, 1, "");
		break;
	default:
		nvptx_fail(l, nvptx_i32(l), "unknown tile operation");
	}
}
