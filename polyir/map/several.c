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

#include <isl/ilp.h>
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/map/map.h"
#include "polyir/map/map_points.h"

/* Cells of a thread, and terms of a sum whose loops are written out, at most; threads of a
 * multiprocessor that there have to be.
 */
enum { MOST_CELLS = 8, MOST_TERMS = 32, FEW = 1024, MOST_DIMS = 16 };
/* What several cells have to take of the time of one, at most. */
#define WORTH 0.9

/* A statement whose instances are a box; of its dimensions, "dim" goes along the cells, and
 * those that are "inner" are loops of a thread.
 */
struct swept {
	struct poly_prog *prog;
	const struct poly_stmt *stmt;
	struct poly_stmt *const *all;	/* of the kernel */
	int n_all;
	int dim, n;
	bool inner[MOST_DIMS];
	int64_t count[MOST_DIMS];
	int run;			/* cells that are tried */
	double cycles;			/* of all accesses so far, each cell */
	bool fits, slides;		/* does what is read lie side by side, too? */
};

/* Note how many values each dimension has. Is every instance of these there? */
static bool is_box(struct swept *s)
{
	isl_set *set = isl_set_project_out_all_params(isl_set_intersect_params(
		isl_set_copy(s->stmt->domain), poly_known_sizes(s->prog)));
	isl_set *box = isl_set_universe(isl_set_get_space(set));
	bool is = true;

	for (int d = 0; d < s->n && is; d++) {
		isl_val *low = isl_set_dim_min_val(isl_set_copy(set), d);
		isl_val *high = isl_set_dim_max_val(isl_set_copy(set), d);

		is = isl_val_is_int(low) == isl_bool_true &&
			isl_val_is_int(high) == isl_bool_true &&
			(d != s->dim || isl_val_is_zero(low) == isl_bool_true);
		if (is)
			s->count[d] = isl_val_get_num_si(high) -
				isl_val_get_num_si(low) + 1;
		box = isl_set_lower_bound_val(box, isl_dim_set, d, low);
		box = isl_set_upper_bound_val(box, isl_dim_set, d, high);
	}
	is = is && isl_set_is_equal(set, box) == isl_bool_true;
	isl_set_free(set);
	isl_set_free(box);
	return is;
}

/* The only affine expression of "pa", which is taken, without divisions; NULL: it is none. */
static __isl_give isl_aff *only_aff(__isl_take isl_pw_aff *pa)
{
	isl_aff *aff = isl_pw_aff_isa_aff(pa) == isl_bool_true ?
		isl_pw_aff_as_aff(isl_pw_aff_copy(pa)) : NULL;

	isl_pw_aff_free(pa);
	if (aff && isl_aff_dim(aff, isl_dim_div) > 0)
		aff = isl_aff_free(aff);
	return aff;
}

static int64_t coefficient(__isl_keep isl_aff *aff, int d)
{
	isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_in, d);
	int64_t n = isl_val_is_int(v) == isl_bool_true ? isl_val_get_num_si(v) : 0;

	isl_val_free(v);
	return n;
}

/* The elements that one instruction moves of those that a thread has in a row of "a", if
 * these begin at multiples of "step" elements.
 */
static int vector_of(const struct swept *s, const struct poly_array *a, int64_t step)
{
	int size = poly_type_size(a->type), n = 1;

	while (2 * n * size <= POLY_RUN_BYTES && step % (2 * n) == 0 &&
	       poly_row_align(s->prog, a) % (2 * n * size) == 0)
		n *= 2;
	return n;
}

/* Cycles for an access to row "at" of "a", "rows" times: "step" elements from cell to cell,
 * "wide" of them for one cell, which are "terms" accesses.
 */
static double cycles_of(const struct swept *s, const struct poly_array *a, double rows,
	int64_t step, int64_t wide, int64_t terms)
{
	const struct poly_rates *r = poly_rates_of(&s->prog->target);
	int64_t from = step * s->run, reach = step * (s->run - 1) + wide;
	int v = vector_of(s, a, from), size = poly_type_size(a->type);
	double loads = ceil((double)reach / v);
	double sectors = fmin(fmax((double)from, v) * size, POLY_LANES);

	loads = fmin(loads, (double)terms * s->run);
	return rows * loads * fmax(r->price_request, sectors * POLY_SECTOR /
		r->price_sectors) / s->run;
}

/* Do the statements of the kernel alone touch "a", which is no output? Then it is in
 * registers in the end.
 */
static bool is_own(const struct swept *s, const struct poly_array *a)
{
	bool own = a->role == POLY_TEMP;

	for (int i = 0; i < s->prog->n_stmt && own; i++) {
		bool here = false;

		for (int k = 0; k < s->n_all; k++)
			here |= s->all[k] == s->prog->stmt[i];
		own = here || !poly_touches(s->prog->stmt[i], a);
	}
	return own;
}

/* Add what an access to "a" at "index" costs. */
static void add_access(struct swept *s, const struct poly_array *a,
	__isl_keep isl_multi_pw_aff *index)
{
	int last = poly_row_dim(s->prog, a);
	int64_t step, wide = 1, terms = 1;
	double rows = 1;
	isl_aff *aff;

	if (a->space != POLY_GLOBAL || last < 0 || is_own(s, a))
		return;
	for (int i = 0; i < a->n_dim; i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(index, i);

		s->fits &= i == last || isl_pw_aff_involves_dims(pa, isl_dim_in,
			s->dim, 1) != isl_bool_true;
		isl_pw_aff_free(pa);
	}
	aff = only_aff(isl_multi_pw_aff_get_at(index, last));
	if (!aff) {
		s->fits = false;
		return;
	}
	step = coefficient(aff, s->dim);
	for (int d = 0; d < s->n; d++) {
		int64_t by = s->inner[d] ? coefficient(aff, d) : 0;

		if (by) {
			wide += llabs(by) * (s->count[d] - 1);
			terms *= s->count[d];
		} else if (s->inner[d]) {
			rows *= s->count[d];
		}
	}
	isl_aff_free(aff);
	s->fits &= step >= 0;
	s->slides |= step > 0 && terms > 1;
	s->cycles += cycles_of(s, a, rows, step, wide, terms);
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

/* The iterations of a thread's loops for each cell of "s". */
static double terms_of(const struct swept *s)
{
	double n = 1;

	for (int d = 0; d < s->n; d++)
		n *= s->inner[d] ? s->count[d] : 1;
	return n;
}

/* Does the cell that "s" writes move with dimension "d"? */
static bool moves(const struct swept *s, int d)
{
	return isl_multi_pw_aff_involves_dims(s->stmt->write_index, isl_dim_in, d,
		1) == isl_bool_true;
}

/* Find the dimensions of "stmt" in "s", along which the members of "c" go. Others are
 * loops of a sum; where they are more, as steps of the host, nothing is asked. False if it is
 * not of the kind.
 */
static bool find_dims(struct swept *s, const struct poly_points *c)
{
	s->n = isl_set_dim(s->stmt->domain, isl_dim_set);
	if (s->stmt->kind != POLY_POINT || s->stmt->across || s->stmt->atomic ||
	    s->n > MOST_DIMS)
		return false;
	for (int d = 0; d < s->n; d++)
		s->inner[d] = true;
	for (int i = 0; i < c->n; i++) {
		int d = poly_counted_dim(c->member[i], s->stmt);

		if (d < 0 || !c->coincident[i])
			return false;
		s->inner[d] = false;
		if (i == c->p1)
			s->dim = d;
	}
	if (!is_box(s))
		return false;
	for (int d = 0; d < s->n; d++)
		if (s->inner[d] && s->count[d] > 1 &&
		    (s->stmt->reduce == POLY_OP_NONE || moves(s, d)))
			return false;
	return moves(s, s->dim);
}

/* The cycles of "s" for each cell where a thread has "run" of them. */
static double sweep(struct swept *s, int run)
{
	s->run = run;
	s->cycles = 0;
	add_access(s, s->stmt->write_array, s->stmt->write_index);
	poly_expr_each_access(s->stmt->rhs, add_read, s);
	poly_expr_each_gather(s->stmt->rhs, add_gather, s);
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
			fits &= list[i].fits && list[i].count[list[i].dim] % run == 0;
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

	for (int d = 0; d < s->n; d++)
		all *= s->inner[d] ? 1 : s->count[d];
	while (run > 1 && all / run < (double)FEW * s->prog->target.multiprocessors)
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
		list[i] = (struct swept){ .prog = prog, .stmt = stmt[i], .all = stmt,
			.n_all = n, .fits = true };
		fits = find_dims(&list[i], c);
		most = fits ? fmax(most, terms_of(&list[i])) : most;
	}
	if (fits && most <= MOST_TERMS)
		run = with_threads(&list[0], best_run(list, n));
	for (int i = 0; i < n && list; i++)
		slides |= list[i].slides;
	run = slides ? run : 1;
	free(stmt);
	free(list);
	return run;
}
