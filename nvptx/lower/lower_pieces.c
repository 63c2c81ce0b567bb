/* nvptx: members of a GROUP that are pieces of one array.
 *
 * The edges of a stencil and its inside, or the cases of a definition: each point of
 * the tile is in one of the pieces,
 *
 *	u(i,j) = case { j == 0: v(i,j); else: v(i,j-1) + v(i,j); }
 *
 * Where all of them may be computed, since what they read is in memory, though perhaps
 * another row's, a thread computes them all and selects, and then stores whole runs:
 *
 *	v = j == 0 ? v[i][j] : v[i][j - 1] + v[i][j]
 *
 * Tiles at the ends of the arrays, where a piece would read what is not in memory, ask
 * the guards of their members at each point (lower_tile.c).
 */
#include <stdlib.h>

#include <isl/space.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/lower/lower.h"

/* Pieces, at most: what a thread computes in vain grows with their number. */
enum { MOST = 3 };
/* Points of a thread that are loaded before any of them is stored, at most. */
enum { AHEAD = 16 };

LLVMValueRef nvptx_value_at(struct nvptx_lower *l, const struct poly_stmt *one,
	const LLVMValueRef *p)
{
	LLVMValueRef in[16], v;

	nvptx_debug_stmt(l->ir, one);
	nvptx_stand(l, one, p, in);
	l->now.at = one->at;
	l->now.point = p;
	v = nvptx_cast(l->ir, one->write_array->type, one->rhs->type,
		nvptx_expr(l, one->rhs, in)).v;
	l->now.at = NULL;
	return v;
}

static void note_gather(struct poly_expr *leaf, void *user)
{
	bool *gathers = user;

	(void)leaf;
	*gathers = true;
}

/* What "s" writes, as a function of the points of the tile. */
static __isl_give isl_multi_pw_aff *written(const struct poly_stmt *s)
{
	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(s->write_index),
		isl_multi_aff_copy(s->at));
}

/* Does the member "one" write what "first" does at each point, a value that may be
 * computed anywhere?
 */
static bool is_piece(const struct poly_stmt *one, const struct poly_stmt *first)
{
	isl_multi_pw_aff *own, *other;
	bool gathers = false, is = one->reduce == POLY_OP_NONE &&
		!poly_is_update(one) && !one->atomic && !poly_is_scatter(one) &&
		!one->across && one->at &&
		one->write_array == first->write_array &&
		one->write_array->space == POLY_GLOBAL &&
		!nvptx_is_long(one->rhs);

	if (!is)
		return false;
	poly_expr_each_gather(one->rhs, note_gather, &gathers);
	own = written(one);
	other = written(first);
	is = !gathers && isl_multi_pw_aff_is_equal(own, other) == isl_bool_true;
	isl_multi_pw_aff_free(own);
	isl_multi_pw_aff_free(other);
	return is;
}

/* Reads of a member: "n" of them, or, of another one, "same" that it has, too. */
struct reads {
	const struct poly_stmt *s, *other;
	isl_multi_pw_aff *index;
	const struct poly_array *array;
	int n;
	bool found, same;
};

static void count_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	(void)leaf;
	r->n++;
}

static __isl_give isl_multi_pw_aff *index_at(const struct poly_stmt *s,
	const struct poly_expr *leaf)
{
	return isl_multi_pw_aff_pullback_multi_aff(
		isl_multi_pw_aff_copy(leaf->index),
		isl_multi_aff_copy(s->at));
}

/* Is "leaf", of the member "other", what "index" of "array" is? */
static void compare_read(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;
	isl_multi_pw_aff *index;

	if (r->found || leaf->array != r->array)
		return;
	index = index_at(r->other, leaf);
	r->found = isl_multi_pw_aff_is_equal(index, r->index) == isl_bool_true;
	isl_multi_pw_aff_free(index);
}

/* Look for the read "leaf" of "s" in "other". */
static void look_for(struct poly_expr *leaf, void *user)
{
	struct reads *r = user;

	r->index = index_at(r->s, leaf);
	r->array = leaf->array;
	r->found = false;
	poly_expr_each_access(r->other->rhs, compare_read, r);
	isl_multi_pw_aff_free(r->index);
	r->same &= r->found;
}

/* Does one of the members of "s" read all that the others do? What is read in vain would
 * cost more than a guard.
 */
static bool share_reads(const struct poly_stmt *s)
{
	const struct poly_stmt *main = NULL;
	int most = -1;
	bool same = true;

	for (int i = 0; i < s->n_member; i++) {
		struct reads r = { .n = 0 };

		poly_expr_each_access(s->member[i]->rhs, count_read, &r);
		if (r.n > most) {
			most = r.n;
			main = s->member[i];
		}
	}
	for (int i = 0; i < s->n_member && same; i++) {
		struct reads r = { .s = s->member[i], .other = main,
			.same = true };

		poly_expr_each_access(s->member[i]->rhs, look_for, &r);
		same = r.same;
	}
	return same;
}

/* May the members of "s" be pieces of one array, of which threads have runs? */
static bool are_pieces(const struct nvptx_lower *l, const struct poly_stmt *s)
{
	bool are = l->kernel->vec[1] > 1 && s->n_member > 1 && s->n_member <= MOST && !s->along &&
		!l->fact.has_lines && !l->ir->m->opt.checked &&
		!l->ir->m->opt.wide && !l->kernel->tile_k;

	for (int i = 0; i < s->n_member && are; i++)
		are = is_piece(s->member[i], s->member[0]);
	return are && share_reads(s);
}

/* The points of "known" that are in none of "guards", or in several. */
static __isl_give isl_set *not_once(__isl_keep isl_set_list *guards,
	__isl_keep isl_set *known)
{
	isl_set *once = isl_set_empty(isl_set_get_space(known));
	isl_set *twice = isl_set_copy(once);

	for (int i = 0; i < isl_set_list_size(guards); i++) {
		isl_set *guard = isl_set_intersect(
			isl_set_list_get_at(guards, i), isl_set_copy(known));

		twice = isl_set_union(twice, isl_set_intersect(
			isl_set_copy(once), isl_set_copy(guard)));
		once = isl_set_union(once, guard);
	}
	return isl_set_union(twice, isl_set_subtract(isl_set_copy(known), once));
}

/* The points of "known" at which a member of "s" reads what is not in memory, in some
 * launch.
 */
static __isl_give isl_set *cannot_load(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set *known)
{
	isl_set *bad = isl_set_empty(isl_set_get_space(known));

	for (int i = 0; i < s->n_member; i++)
		bad = isl_set_union(bad, isl_set_subtract(isl_set_copy(known),
			nvptx_can_load(l, s->member[i], isl_set_copy(known))));
	bad = isl_set_eliminate(bad, isl_dim_set, 2,
		poly_kernel_n_host(l->prog, l->kernel));
	return isl_set_intersect(bad, isl_set_copy(known));
}

/* The number of the member whose guard is longest: what is in no other is its. */
static int longest(__isl_keep isl_set_list *guards)
{
	int best = 0, most = 0;

	for (int i = 0; i < isl_set_list_size(guards); i++) {
		isl_set *guard = isl_set_list_get_at(guards, i);
		int n = isl_set_n_basic_set(guard);

		isl_set_free(guard);
		if (n > most) {
			most = n;
			best = i;
		}
	}
	return best;
}

struct nvptx_pieces nvptx_find_pieces(struct nvptx_lower *l,
	const struct poly_stmt *s, __isl_keep isl_set_list *guards,
	__isl_keep isl_set *known)
{
	struct nvptx_pieces p = { NULL, NULL, 0 };
	isl_set *bad, *here;

	if (!are_pieces(l, s))
		return p;
	bad = isl_set_union(not_once(guards, known), cannot_load(l, s, known));
	here = nvptx_points_of_tiles(l, isl_set_copy(bad));
	here = isl_set_subtract(isl_set_copy(known), here);
	p.tiles = nvptx_tiles_without(l, bad, known);
	if (isl_set_n_basic_set(p.tiles) != 1 ||
	    isl_set_is_empty(p.tiles) != isl_bool_false) {
		p.tiles = isl_set_free(p.tiles);
		isl_set_free(here);
		return p;
	}
	here = isl_set_from_basic_set(isl_set_simple_hull(
		isl_set_remove_divs(here)));
	p.rest = longest(guards);
	p.guards = isl_set_list_alloc(l->prog->ctx, s->n_member);
	for (int i = 0; i < s->n_member; i++)
		p.guards = isl_set_list_add(p.guards, isl_set_gist(
			isl_set_list_get_at(guards, i), isl_set_copy(here)));
	isl_set_free(here);
	return p;
}

void nvptx_pieces_clear(struct nvptx_pieces *p)
{
	isl_set_free(p->tiles);
	isl_set_list_free(p->guards);
}

/* What is stored at the point "at": the value of the piece that it is in. */
static LLVMValueRef select_at(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct nvptx_pieces *p, const LLVMValueRef *at)
{
	LLVMValueRef v = nvptx_value_at(l, s->member[p->rest], at);

	for (int i = 0; i < s->n_member; i++) {
		LLVMValueRef in;

		if (i == p->rest)
			continue;
		in = nvptx_condition(l, isl_set_list_get_at(p->guards, i), at);
		v = in ? LLVMBuildSelect(l->ir->b, in, nvptx_value_at(l,
			s->member[i], at), v, "") :
			nvptx_value_at(l, s->member[i], at);
	}
	return v;
}

/* Store "v" at the point "at". */
static void store_at(struct nvptx_lower *l, const struct poly_stmt *one,
	LLVMValueRef v, const LLVMValueRef *at)
{
	LLVMValueRef in[16];

	l->now.ready = v;
	nvptx_debug_stmt(l->ir, one);
	nvptx_stand(l, one, at, in);
	nvptx_point(l, one, in);
	l->now.ready = NULL;
}

/* What is stored at up to AHEAD points is loaded before the first store, so that loads
 * of several rows are under way.
 */
void nvptx_run_pieces(struct nvptx_lower *l, const struct poly_stmt *s,
	const struct nvptx_pieces *p, const LLVMValueRef *base)
{
	const struct poly_kernel *k = l->kernel;
	int n1 = k->tile[1] / k->thread[1];
	int n = k->tile[0] / k->thread[0] * n1, end;
	LLVMValueRef at[16], v[AHEAD];

	for (int i = 2; i < (int)isl_set_dim(s->domain, isl_dim_set); i++)
		at[i] = base[i];
	for (int first = 0; first < n; first = end) {
		end = first + AHEAD < n ? first + AHEAD : n;
		for (int r = first; r < end; r++) {
			nvptx_set_point(l, s, r / n1, r % n1, base, at);
			v[r - first] = select_at(l, s, p, at);
		}
		for (int r = first; r < end; r++) {
			nvptx_set_point(l, s, r / n1, r % n1, base, at);
			store_at(l, s->member[p->rest], v[r - first], at);
		}
	}
}
