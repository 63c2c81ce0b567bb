/* How many cells side by side a thread has whose values are sums over windows, or the
 * largest elements of windows.
 *
 * Cells that are neighbours read in part the same elements, in part neighbouring ones, which
 * one instruction loads at once if rows begin where it may:
 *
 *	Y(i,j) = sum(p,q: X(i+p,j+q))		3 x 3, of one j 9 loads
 *						of four j 9 loads of two elements
 *
 * But the lanes of a warp lie further apart then, and an instruction touches more sectors.
 * What counts are the cycles in which a multiprocessor's cache answers, for each cell.
 */
#include <math.h>
#include <stdlib.h>


#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

/* Cells of a thread at most; threads of a multiprocessor that there have to be. */
enum { MOST_CELLS = 8, FEW = 1024 };
/* What several cells have to take of the time of one, at most. */
#define WORTH 0.9

/* A statement whose instances are a box, along whose dimension "at.dim" the cells go. */
struct swept {
	struct poly_swept at;
	struct poly_stmt *const *all;	/* of the kernel */
	int n_all;
	int run;			/* cells that are tried */
	double cycles;			/* of all accesses so far, each cell */
	bool fits, slides;		/* does what is read lie side by side, too? */
};

/* Cycles for an access to "a" that reaches so far, for each cell. */
static double cycles_of(const struct swept *s, const struct poly_array *a,
	const struct poly_reach *reach)
{
	const struct poly_rates *r = poly_rates_of(&s->at.prog->target);
	int v, size = poly_type_size(a->type);
	double loads = reach->again * poly_reach_loads(s->at.prog, a, reach, s->run, &v);
	double sectors = fmin(fmax((double)(reach->step * s->run), v) * size, POLY_LANES);

	return loads * fmax(r->price_request, sectors * POLY_SECTOR / r->price_sectors) /
		s->run;
}

/* Do the statements of the kernel alone touch "a", which is no output? Then it is in
 * registers in the end.
 */
static bool is_own(const struct swept *s, const struct poly_array *a)
{
	bool own = a->role == POLY_TEMP;

	for (int i = 0; i < s->at.prog->n_stmt && own; i++) {
		bool here = false;

		for (int k = 0; k < s->n_all; k++)
			here |= s->all[k] == s->at.prog->stmt[i];
		own = here || !poly_touches(s->at.prog->stmt[i], a);
	}
	return own;
}

/* Add what an access to "a" at "index" costs. */
static void add_access(struct swept *s, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	struct poly_reach reach;

	if (a->space != POLY_GLOBAL || poly_row_dim(s->at.prog, a) < 0 || is_own(s, a))
		return;
	if (!poly_reach_of(&s->at, a, index, &reach)) {
		s->fits = false;
		return;
	}
	s->fits &= reach.straight && reach.step >= 0;
	s->slides |= reach.step > 0 && reach.terms > 1;
	s->cycles += cycles_of(s, a, &reach);
}

static void add_read(struct poly_expr *leaf, void *user)
{
	add_access(user, leaf->array, leaf->index);
}

static void add_gather(struct poly_expr *leaf, void *user)
{
	struct swept *s = user;

	(void)leaf;
	s->fits = false;
}

/* Find the dimensions of "stmt" in "s", along which the members of "c" go. Others are
 * loops of a sum; where they are more, as steps of the host, nothing is asked. False if it is
 * not of the kind.
 */
static bool find_dims(struct swept *s, const struct poly_points *c)
{
	s->at.n = isl_set_dim(s->at.stmt->domain, isl_dim_set);
	if (s->at.stmt->kind != POLY_POINT || s->at.stmt->across || s->at.stmt->atomic ||
	    s->at.n > POLY_SWEPT_DIMS)
		return false;
	for (int d = 0; d < s->at.n; d++)
		s->at.inner[d] = true;
	for (int i = 0; i < c->n; i++) {
		int d = poly_counted_dim(c->member[i], s->at.stmt);

		if (d < 0 || !c->coincident[i])
			return false;
		s->at.inner[d] = false;
		if (i == c->p1)
			s->at.dim = d;
	}
	if (!poly_swept_is_box(&s->at))
		return false;
	for (int d = 0; d < s->at.n; d++)
		if (s->at.inner[d] && s->at.count[d] > 1 &&
		    (s->at.stmt->reduce == POLY_OP_NONE || poly_swept_moves(&s->at, d)))
			return false;
	return poly_swept_moves(&s->at, s->at.dim);
}

/* The cycles of "s" for each cell where a thread has "run" of them. */
static double sweep(struct swept *s, int run)
{
	s->run = run;
	s->cycles = 0;
	add_access(s, s->at.stmt->write_array, s->at.stmt->write_index);
	poly_expr_each_access(s->at.stmt->rhs, add_read, s);
	poly_expr_each_gather(s->at.stmt->rhs, add_gather, s);
	return s->cycles;
}

/* The best of 1, 2, 4 .. cells for the "n" statements "list". */
static int best_run(struct swept *list, int n)
{
	int best = 1;
	double least = INFINITY;

	for (int run = 1; run <= MOST_CELLS; run *= 2) {
		double cycles = 0;
		bool fits = true;

		for (int i = 0; i < n; i++) {
			cycles += sweep(&list[i], run);
			fits &= list[i].fits && list[i].at.count[list[i].at.dim] % run == 0;
		}
		if (!fits)
			break;
		if (cycles < least * (run > 1 ? WORTH : 1)) {
			least = cycles;
			best = run;
		}
	}
	return best;
}

/* The cells of "list[0]" a thread, "run" at most, so that there are threads enough. */
static int with_threads(const struct swept *s, int run)
{
	double all = 1;

	for (int d = 0; d < s->at.n; d++)
		all *= s->at.inner[d] ? 1 : s->at.count[d];
	while (run > 1 && all / run < (double)FEW * s->at.prog->target.multiprocessors)
		run /= 2;
	return run;
}

int poly_run_of_windows(struct poly_prog *prog, __isl_keep isl_union_set *domain,
	const struct poly_points *c)
{
	int n, run = 1;
	struct poly_stmt **stmt = poly_stmts_of(prog, domain, &n);
	struct swept *list = calloc(n + 1, sizeof(*list));
	double most = 1;
	bool fits = list && stmt && n && !c->tiles && poly_prog_is_fixed(prog);
	bool slides = false;

	for (int i = 0; i < n && fits; i++) {
		list[i] = (struct swept){ { .prog = prog, .stmt = stmt[i] },
			.all = stmt, .n_all = n, .fits = true };
		fits = find_dims(&list[i], c);
		most = fits ? fmax(most, poly_swept_terms(&list[i].at)) : most;
	}
	if (fits && most <= POLY_SWEPT_TERMS)
		run = with_threads(&list[0], best_run(list, n));
	for (int i = 0; i < n && list; i++)
		slides |= list[i].slides;
	run = slides ? run : 1;
	free(stmt);
	free(list);
	return run;
}
