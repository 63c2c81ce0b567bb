/* A nest of C to a polyhedral program.
 *
 * Each assignment becomes a statement over the loops around it, and the
 * original schedule says the order of the text: a band for each loop, a
 * sequence where one thing follows another. "if" with an affine condition cuts
 * the domain; with any other the assignment keeps the old value where the
 * condition fails:
 *
 *	if (m[i] > 0)
 *		b[i] = a[i];		b[i] = select(m[i] > 0, a[i], b[i])
 *
 * An "else" that assigns the same cell gives the other value.
 *
 * "x = x + e" becomes an update of x; under such a condition, too: by nothing
 * where it fails. So does "if (x < e) x = e" of integers. Where the values of a condition may change before
 * all that depends on it has run, they are kept in a cell.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/local_space.h>
#include <isl/schedule.h>
#include <isl/space.h>

#include "frontend/c/lower/lower.h"
#include "frontend/c/rewrite/rewrite.h"

static __isl_give isl_schedule *lower_list(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s);

/* ------------------------------------------------------------------- loops */

/* "schedule" inside a loop over dimension "d", which goes up or down. */
static __isl_give isl_schedule *insert_loop(__isl_take isl_schedule *schedule,
	int d, bool up)
{
	isl_union_set *domain = isl_schedule_get_domain(schedule);
	isl_set_list *list = isl_union_set_get_set_list(domain);
	isl_union_pw_aff *order;
	isl_size n = isl_set_list_size(list), i;

	order = isl_union_pw_aff_empty(isl_union_set_get_space(domain));
	for (i = 0; i < n; i++) {
		isl_set *set = isl_set_list_get_at(list, i);
		isl_local_space *ls = isl_local_space_from_space(
			isl_set_get_space(set));
		isl_aff *at = isl_aff_var_on_domain(ls, isl_dim_set,
			(unsigned)d);

		isl_set_free(set);
		order = isl_union_pw_aff_add_pw_aff(order,
			isl_pw_aff_from_aff(up ? at : isl_aff_neg(at)));
	}
	isl_set_list_free(list);
	isl_union_set_free(domain);
	return isl_schedule_insert_partial_schedule(schedule,
		isl_multi_union_pw_aff_from_union_pw_aff(order));
}

/* The order of the loop "s", in which its variable is active, or NULL if
 * nothing runs in it.
 */
static __isl_give isl_schedule *lower_loop(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s)
{
	struct fe_c_place in;
	isl_schedule *inner = NULL;

	s->var->active = true;
	in = fe_c_enter_loop(lw, at, s);
	if (isl_set_is_empty(in.domain) == isl_bool_false)
		inner = lower_list(lw, &in, guard, s->body);
	s->var->active = false;
	isl_set_free(in.domain);
	return inner ? insert_loop(inner, at->depth, s->step > 0 ||
		in.counted[at->depth]) : NULL;
}

/* ------------------------------------------------------------- conditions */

static __isl_give isl_schedule *lower_if(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_expr *cond, const struct fe_c_stmt *yes,
	const struct fe_c_stmt *no);

/* "cond" is affine: where it holds "inner" decides further (NULL: "yes"), or
 * does so where it does not hold, if "other".
 */
static __isl_give isl_schedule *cut(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_expr *const cond[2], bool other,
	const struct fe_c_stmt *yes, const struct fe_c_stmt *no)
{
	struct fe_c_place in = *at, out = *at;
	isl_set *holds = fe_c_cond(lw, at, cond[0]);
	isl_schedule *first = NULL, *second = NULL;

	fe_c_settle(lw, at->domain);
	in.domain = poly_set_coalesce(isl_set_intersect(
		isl_set_copy(at->domain), isl_set_copy(holds)));
	out.domain = poly_set_coalesce(isl_set_subtract(
		isl_set_copy(at->domain), holds));
	if (isl_set_is_empty(in.domain) == isl_bool_false)
		first = cond[1] && !other ?
			lower_if(lw, &in, guard, cond[1], yes, no) :
			lower_list(lw, &in, guard, yes);
	if (isl_set_is_empty(out.domain) == isl_bool_false)
		second = cond[1] && other ?
			lower_if(lw, &out, guard, cond[1], yes, no) :
			lower_list(lw, &out, guard, no);
	isl_set_free(in.domain);
	isl_set_free(out.domain);
	return fe_c_sequence(first, second);
}

/* True if a statement of the list writes what "cond" reads. */
static bool changes(const struct fe_c_stmt *s, const struct fe_c_expr *cond)
{
	for (; s; s = s->next)
		if ((s->kind == FE_C_ASSIGN &&
		     fe_c_reads(cond, s->left->var)) ||
		    changes(s->body, cond) || changes(s->otherwise, cond))
			return true;
	return false;
}

/* Keep the value of "cond" in a cell of its own. */
static __isl_give isl_schedule *keep(struct fe_c_lower *lw,
	const struct fe_c_place *at, struct fe_c_guard *guard)
{
	struct fe_c_piece p = { .lw = lw, .at = *at, .doubts = 1 };
	isl_space *space;
	struct poly_expr *value;
	char name[32];

	fe_c_make_name(lw, "cond", &lw->n_cond, name);
	guard->cell = fe_c_add_cell(lw, name, POLY_BOOL);
	p.stmt = fe_c_add_stmt(lw, at, &guard->cond->loc);
	if (!guard->cell || !p.stmt)
		return NULL;
	p.doubts = guard->outer != NULL;
	value = fe_c_bool(&p, guard->cond);
	space = isl_space_map_from_domain_and_range(
		isl_set_get_space(p.stmt->domain),
		isl_multi_pw_aff_get_space(guard->cell->extent));
	poly_stmt_set_write(p.stmt, guard->cell, isl_multi_pw_aff_zero(space),
		POLY_OP_NONE, value);
	return isl_schedule_from_domain(isl_union_set_from_set(
		isl_set_copy(p.stmt->domain)));
}

/* The only statement in blocks, or NULL. */
static const struct fe_c_stmt *only(const struct fe_c_stmt *s)
{
	s = fe_c_inside(s);
	return s && !s->next ? s : NULL;
}

/* "s" with the value "cond" ? "yes" : "no" in the place of its own. */
static struct fe_c_stmt *choose(struct fe_c_lower *lw,
	const struct fe_c_stmt *s, const struct fe_c_expr *cond,
	struct fe_c_expr *yes, struct fe_c_expr *no)
{
	struct fe_c_expr *e = fe_arena_alloc(&lw->arena, sizeof(*e));
	struct fe_c_stmt *chosen = fe_arena_alloc(&lw->arena, sizeof(*s));

	*e = *yes;
	e->kind = FE_C_COND;
	e->op = POLY_OP_NONE;
	e->var = NULL;
	e->n_index = 0;
	e->arg[0] = (struct fe_c_expr *)(uintptr_t)cond;
	e->arg[1] = yes;
	e->arg[2] = no;
	*chosen = *s;
	chosen->right = e;
	return chosen;
}

/* If both "yes" and "no" assign one and the same cell, and nothing else: the
 * assignment of the value that "cond" chooses. Else NULL.
 */
static const struct fe_c_stmt *merge(struct fe_c_lower *lw,
	const struct fe_c_expr *cond, const struct fe_c_stmt *yes,
	const struct fe_c_stmt *no)
{
	const struct fe_c_stmt *part[2] = { only(yes), only(no) };
	int i;

	for (i = 0; i < 2; i++) {
		if (part[i] && part[i]->kind == FE_C_IF)
			part[i] = merge(lw, part[i]->cond, part[i]->body,
				part[i]->otherwise);
		if (!part[i] || part[i]->kind != FE_C_ASSIGN ||
		    part[i]->left->var->use != FE_C_CELL)
			return NULL;
	}
	if (!fe_c_same(part[0]->left, part[1]->left))
		return NULL;
	return choose(lw, part[0], cond, part[0]->right, part[1]->right);
}

/* Is one assignment all that the condition before "yes" and "no" guards? It asks
 * for its value before it writes.
 */
static bool is_alone(const struct fe_c_stmt *yes, const struct fe_c_stmt *no)
{
	const struct fe_c_stmt *s = only(yes ? yes : no);

	return s && s->kind == FE_C_ASSIGN && !(yes && no);
}

/* "if (x < y) x = y" of integers is an update of x, whose value the condition
 * reads anyway: that, or NULL.
 */
static const struct fe_c_stmt *extreme(struct fe_c_lower *lw,
	const struct fe_c_expr *cond, const struct fe_c_stmt *yes,
	const struct fe_c_stmt *no)
{
	const struct fe_c_stmt *s = no ? NULL : only(yes);
	enum poly_op op;

	if (!s || s->kind != FE_C_ASSIGN ||
	    s->left->var->use != FE_C_CELL ||
	    s->right->type != s->left->type)
		return NULL;
	s = choose(lw, s, cond, s->right, s->left);
	return fe_c_update(s, &op) ? s : NULL;
}

/* "if (cond) yes else no" with a condition that is data. Where both branches
 * assign one cell, or one updates it to the smaller or larger value, that is
 * one assignment; otherwise the statements of the branches have the condition
 * as a guard, whose value is kept in a cell if they change what it reads.
 */
static __isl_give isl_schedule *guarded(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_expr *cond, const struct fe_c_stmt *yes,
	const struct fe_c_stmt *no)
{
	struct fe_c_guard g = { .outer = guard, .cond = cond, .list = yes };
	const struct fe_c_stmt *merged = merge(lw, cond, yes, no);
	isl_schedule *all = NULL;

	if (!merged)
		merged = extreme(lw, cond, yes, no);
	if (merged)
		return fe_c_lower_assign(lw, at, guard, merged);
	if (!is_alone(yes, no) && (changes(yes, cond) || changes(no, cond)))
		all = keep(lw, at, &g);
	all = fe_c_sequence(all, lower_list(lw, at, &g, yes));
	g.negated = true;
	g.list = no;
	return fe_c_sequence(all, lower_list(lw, at, &g, no));
}

/* Pieces with divisions beyond which a domain is not cut any further. */
enum { MOST_PIECES = 4 };

/* How many pieces the affine condition "cond" may make of one: a condition on a
 * quotient or remainder makes two, as neither it nor its contrary is convex.
 */
static int pieces_of(const struct fe_c_expr *cond)
{
	int n;

	if (cond->kind == FE_C_NOT)
		return pieces_of(cond->arg[0]);
	if (cond->kind != FE_C_AND && cond->kind != FE_C_OR)
		return fe_c_divides(cond) ? 2 : 1;
	n = pieces_of(cond->arg[0]) * pieces_of(cond->arg[1]);
	return n < MOST_PIECES ? n : MOST_PIECES + 1;
}

/* Is "cond" affine, and does it leave few pieces of the domain? With each more,
 * isl takes several times as long to make loops of them.
 */
static bool can_cut(const struct fe_c_place *at, const struct fe_c_expr *cond)
{
	int n;

	if (!fe_c_affine_cond(cond, false))
		return false;
	n = pieces_of(cond);
	if (n > 1 && isl_set_involves_locals(at->domain) == isl_bool_true)
		n *= isl_set_n_basic_set(at->domain);
	return n <= MOST_PIECES;
}

/* "if (cond) yes else no": the domain is cut where "cond" is affine. Of "a &&
 * b" and "a || b", the affine side is cut first, so that the other one guards
 * no more than it must; both may change places, as conditions have no effects.
 */
static __isl_give isl_schedule *lower_if(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_expr *cond, const struct fe_c_stmt *yes,
	const struct fe_c_stmt *no)
{
	const struct fe_c_expr *pair[2] = { cond, NULL };
	bool first, second;

	if (can_cut(at, cond))
		return cut(lw, at, guard, pair, false, yes, no);
	if (cond->kind == FE_C_NOT)
		return lower_if(lw, at, guard, cond->arg[0], no, yes);
	if (cond->kind != FE_C_AND && cond->kind != FE_C_OR)
		return guarded(lw, at, guard, cond, yes, no);
	first = can_cut(at, cond->arg[0]);
	second = can_cut(at, cond->arg[1]);
	if (!first && !second)
		return guarded(lw, at, guard, cond, yes, no);
	pair[0] = cond->arg[first ? 0 : 1];
	pair[1] = cond->arg[first ? 1 : 0];
	return cut(lw, at, guard, pair, cond->kind == FE_C_OR, yes, no);
}

/* ---------------------------------------------------------------- program */

/* The order of one statement at "at" under "guard", or NULL if nothing runs. */
static __isl_give isl_schedule *lower_stmt(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s)
{
	switch (s->kind) {
	case FE_C_ASSIGN:
		return fe_c_lower_assign(lw, at, guard, s);
	case FE_C_FOR:
		return lower_loop(lw, at, guard, s);
	case FE_C_IF:
		return lower_if(lw, at, guard, s->cond, s->body,
			s->otherwise);
	default:
		return lower_list(lw, at, guard, s->body);
	}
}

/* Statements are joined in pairs, pairs of pairs and so on, as joining takes
 * time for all that stands in the longer part.
 */
static __isl_give isl_schedule *lower_list(struct fe_c_lower *lw,
	const struct fe_c_place *at, const struct fe_c_guard *guard,
	const struct fe_c_stmt *s)
{
	isl_schedule *part[33] = { NULL };
	unsigned count = 0, bits;
	int n = 0;

	for (; s; s = s->next) {
		part[n++] = lower_stmt(lw, at, guard, s);
		for (bits = ++count; !(bits & 1); bits >>= 1, n--)
			part[n - 2] = fe_c_sequence(part[n - 2], part[n - 1]);
	}
	for (; n > 1; n--)
		part[n - 2] = fe_c_sequence(part[n - 2], part[n - 1]);
	return part[0];
}

/* Lower the whole nest: sizes and arrays, statements with their order, what is
 * assumed of the sizes.
 */
static isl_stat lower_program(struct fe_c_lower *lw)
{
	struct fe_c_place at = { .depth = 0 };
	isl_schedule *schedule;

	if (fe_c_begin(lw) < 0)
		return isl_stat_error;
	at.domain = isl_set_universe(isl_space_set_from_params(
		isl_space_copy(lw->params)));
	at.domain = isl_set_intersect_params(at.domain,
		isl_set_copy(lw->prog->context));
	schedule = lower_list(lw, &at, NULL, lw->u->c->body);
	isl_set_free(at.domain);
	if (!schedule)
		schedule = isl_schedule_empty(isl_space_copy(lw->params));
	poly_prog_set_original(lw->prog, schedule);
	return fe_c_end(lw);
}

/* The program of the nest; "quiet": what is wrong was reported before. */
struct poly_prog *fe_c_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report, bool quiet)
{
	struct fe_c_lower lw = { .u = (struct fe_unit *)(uintptr_t)u,
		.quiet = quiet };
	struct poly_prog *prog;
	volatile isl_stat done = isl_stat_error;

	lw.prog = prog = poly_prog_alloc(ctx, u->name, report);
	lw.array = calloc((size_t)u->c->n_var + 1, sizeof(*lw.array));
	if (lw.prog && lw.array && !setjmp(lw.arena.no_memory)) {
		free(lw.prog->file);
		lw.prog->file = strdup(u->file);
		lw.prog->fp = POLY_FP_STRICT;
		if (lw.prog->file)
			done = lower_program(&lw);
	}
	isl_space_free(lw.params);
	isl_set_free(lw.assumed);
	free(lw.array);
	fe_arena_free(&lw.arena);
	return done == isl_stat_ok ? prog : poly_prog_free(prog);
}

__isl_give isl_schedule *fe_c_lower_into(const struct fe_unit *u,
	struct poly_prog *prog, __isl_take isl_space *params,
	struct poly_array *const *array)
{
	struct fe_c_lower lw = { .u = (struct fe_unit *)(uintptr_t)u,
		.prog = prog, .quiet = true, .part = true,
		.params = params };
	size_t n = (size_t)u->c->n_var + 1;
	isl_schedule *volatile order = NULL;
	struct fe_c_place at = { .depth = 0 };

	lw.assumed = isl_set_universe(isl_space_copy(lw.params));
	lw.array = calloc(n, sizeof(*lw.array));
	at.domain = isl_set_universe(isl_space_set_from_params(
		isl_space_copy(lw.params)));
	at.domain = isl_set_intersect_params(at.domain,
		isl_set_copy(prog->context));
	if (lw.array && !setjmp(lw.arena.no_memory)) {
		memcpy(lw.array, array, n * sizeof(*lw.array));
		if (fe_c_add_locals(&lw) == isl_stat_ok) {
			order = lower_list(&lw, &at, NULL, u->c->body);
			if (!order)
				order = isl_schedule_empty(
					isl_space_copy(lw.params));
		}
	}
	isl_set_free(at.domain);
	isl_space_free(lw.params);
	isl_set_free(lw.assumed);
	free(lw.array);
	fe_arena_free(&lw.arena);
	return order;
}
