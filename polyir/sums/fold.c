/* Reductions of what a product computes begin in its kernel.
 *
 * A reduction over rows or columns of a product's result would be a kernel that
 * reads this again from memory. The block that has computed a tile can reduce its
 * rows, or columns, itself, and leave one part for each; what is left adds up the
 * parts, one for each tile in a line:
 *
 *	before: C[i, j] += A[i, k] * B[k, j]	in tiles of 64 columns
 *		r[i] += C[i, j]
 *
 *	after:	C[i, j] += A[i, k] * B[k, j]
 *		part[floor(j/64), i] += C[i, j]		a fold
 *		r[i] += part[l, i]
 *
 * A fold is a point statement at the points of C, and goes where a schedule puts
 * others that need C at their own point, with what stands between the two: it has
 * no order among its updates, as those of a cell are the block's own affair, which
 * begins the cell, too (legal_fold.c has what must hold, lower_fold.c the code).
 *
 * How wide the tiles of a product will be, and what shares its kernel, is known
 * once that is mapped. So the passes that follow are tried on a copy; with the
 * folds that this suggests in another one they are tried again, and if every fold
 * is where a block can do it, this copy takes the program's place. Only where
 * nothing else would read what the fold does: that would be read in any case. The
 * first trial has no row programs (rows.c), which would take what can be a fold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/ilp.h>
#include <isl/space.h>
#include <isl/val.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/cost/cost.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/sums/sums.h"
#include "polyir/sums/split.h"

/* A reduction that can begin in tiles: over dimension "dim" of "stmt", of which a
 * tile of the kernel number "kernel" of the trial has "width" values.
 */
struct fold {
	struct poly_stmt *stmt;
	int kernel, dim, width;
};

/* Folds of a program, at most. */
enum { MOST_FOLDS = 4 * POLY_MAX_FOLDS };

/* The folds of "prog" that "trial", a copy of it, suggests. */
struct folds {
	struct poly_prog *prog, *trial;
	struct fold fold[MOST_FOLDS];
	int n;
};

/* ------------------------------------------------------------------- what can */

/* Is "stmt" a reduction that tiles are for? */
static bool is_product(struct poly_prog *prog, struct poly_stmt *stmt)
{
	struct split s = { .p = { .prog = prog, .stmt = stmt } };
	struct poly_work w;
	int axis[2], k;

	return poly_is_update(stmt) && poly_split_read(&s) &&
		poly_split_product(&s, axis, &k, &w);
}

/* Note that something is read that the program writes. */
static void note_temporary(struct poly_expr *leaf, void *user)
{
	bool *written = user;

	*written |= leaf->array->role != POLY_INPUT;
}

/* Could "stmt" begin in tiles? */
static bool may_fold(struct poly_prog *prog, struct poly_stmt *stmt)
{
	bool written = false;

	if (!poly_can_split(prog, stmt))
		return false;
	poly_expr_each_access(stmt->rhs, note_temporary, &written);
	return written && !is_product(prog, stmt);
}

/* Are there a product and such a reduction? */
static bool is_worth_a_trial(struct poly_prog *prog)
{
	bool product = false, reduction = false;

	if (prog->original || prog->request.unfolded || !poly_prog_is_fixed(prog))
		return false;
	for (int i = 0; i < prog->n_stmt; i++) {
		struct poly_stmt *s = prog->stmt[i];

		reduction = reduction || may_fold(prog, s);
		product = product || is_product(prog, s);
	}
	return product && reduction;
}

/* --------------------------------------------------------------- what is found */

/* A kernel of the trial: its point statements. */
struct found {
	struct folds *f;
	int kernel;
	struct poly_stmt **stmt;
	int n, n_outer;
	struct poly_stmt *reader;
	isl_map *points;	/* those of what a reduction reads, or NULL */
	bool apart;		/* not all of it is at one point */
};

static bool has_stmt(const struct found *k, const char *name)
{
	for (int i = 0; i < k->n; i++)
		if (!strcmp(k->stmt[i]->name, name))
			return true;
	return false;
}

/* Does the kernel write "array", and nothing else do so? */
static bool is_made_in(const struct found *k, const struct poly_array *array)
{
	const struct poly_prog *prog = k->f->trial;
	bool made = false;

	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];

		if (s->kind != POLY_POINT || s->write_array != array)
			continue;
		if (!has_stmt(k, s->name))
			return false;
		made = true;
	}
	return made;
}

/* Note at which points of the kernel is what the reader reads by "leaf". */
static void note_points(struct poly_expr *leaf, void *user)
{
	struct found *k = user;
	struct poly_array *a = poly_prog_find_array(k->f->trial,
		leaf->array->name);
	isl_map *view, *at;

	if (!a || !is_made_in(k, a))
		return;
	view = poly_own_view(a, k->stmt, k->n, k->n_outer, 0);
	if (!view) {
		k->apart = true;
		return;
	}
	at = isl_map_apply_range(poly_stmt_read(k->reader, leaf),
		isl_map_reverse(view));
	if (!k->points)
		k->points = isl_map_copy(at);
	k->apart |= isl_map_is_equal(at, k->points) != isl_bool_true;
	isl_map_free(at);
}

/* Is dimension "d" of the reader one that "mpa" needs at another position than
 * "pos"?
 */
static bool moves_others(__isl_keep isl_multi_pw_aff *mpa, int pos, int d)
{
	bool moves = false;

	for (int i = 0; i < isl_multi_pw_aff_size(mpa); i++) {
		isl_pw_aff *pa = isl_multi_pw_aff_get_at(mpa, i);

		moves |= i != pos && isl_pw_aff_involves_dims(pa, isl_dim_in,
			d, 1) != isl_bool_false;
		isl_pw_aff_free(pa);
	}
	return moves;
}

/* The dimension of the reader that is coordinate "axis" of its points, and no
 * other one, and that its cell does not have; -1 if there is none.
 */
static int folded_dim(const struct found *k, int axis)
{
	struct poly_stmt *s = k->reader;
	isl_multi_pw_aff *mpa = isl_multi_pw_aff_from_pw_multi_aff(
		isl_pw_multi_aff_from_map(isl_map_copy(k->points)));
	int d;

	mpa = isl_multi_pw_aff_gist(mpa, isl_set_copy(s->domain));
	d = poly_index_dim(mpa, axis, s);
	if (d >= 0 && (moves_others(mpa, axis, d) ||
	    isl_multi_pw_aff_involves_dims(s->write_index, isl_dim_in, d, 1) !=
	    isl_bool_false))
		d = -1;
	isl_multi_pw_aff_free(mpa);
	return d;
}

/* Has every instance of the reader a point of its own? */
static bool has_own_points(const struct found *k)
{
	isl_set *have;
	bool all;

	if (!k->points || k->apart ||
	    isl_map_is_single_valued(k->points) != isl_bool_true ||
	    isl_map_is_injective(k->points) != isl_bool_true)
		return false;
	have = isl_map_domain(isl_map_copy(k->points));
	all = isl_set_is_subset(k->reader->domain, have) == isl_bool_true;
	isl_set_free(have);
	return all;
}

/* Has the kernel as many folds as it may? */
static bool is_full(const struct found *k)
{
	int n = 0;

	for (int i = 0; i < k->f->n; i++)
		n += k->f->fold[i].kernel == k->kernel;
	return n == POLY_MAX_FOLDS || k->f->n == MOST_FOLDS;
}

/* Add the fold of "stmt" in the kernel, if there is one. */
static void look_at(struct found *k, struct poly_stmt *stmt)
{
	struct folds *f = k->f;
	int d = -1, axis;

	if (is_full(k) || has_stmt(k, stmt->name) ||
	    !may_fold(f->prog, stmt))
		return;
	k->reader = stmt;
	k->points = NULL;
	k->apart = false;
	poly_expr_each_access(stmt->rhs, note_points, k);
	for (axis = 1; axis >= 0 && d < 0 && has_own_points(k); axis--) {
		d = folded_dim(k, axis);
		if (d < 0)
			continue;
		f->fold[f->n++] = (struct fold) { stmt, k->kernel, d,
			f->trial->kernel[k->kernel]->tile[axis] };
	}
	isl_map_free(k->points);
}

/* Has "kernel" tiles of a product? */
static bool has_product(struct poly_prog *prog, const struct poly_kernel *kernel)
{
	isl_union_set *domain = poly_kernel_domain(prog, kernel);
	int n;
	struct poly_stmt **op = poly_stmts_of(prog, domain, &n);
	bool has = false;

	for (int i = 0; i < n; i++)
		has |= op[i]->kind == POLY_CONTRACT;
	free(op);
	isl_union_set_free(domain);
	return has;
}

/* Find the folds in kernel "i" of the trial. */
static void look_in(struct folds *f, int i)
{
	const struct poly_kernel *kernel = f->trial->kernel[i];
	struct found k = { .f = f, .kernel = i };

	if (!kernel->tiled || poly_kernel_n_host(f->trial, kernel) ||
	    !has_product(f->trial, kernel))
		return;
	k.n_outer = poly_kernel_n_outer(f->trial, kernel);
	k.stmt = poly_kernel_stmts(f->trial, kernel, &k.n);
	for (int s = 0; k.stmt && s < f->prog->n_stmt; s++)
		look_at(&k, f->prog->stmt[s]);
	free(k.stmt);
}

/* ------------------------------------------------------------- what is worth it */

/* Is "stmt" among the folds in kernel "kernel"? */
static bool folds_in(const struct folds *f, const struct poly_stmt *stmt,
	int kernel)
{
	for (int i = 0; i < f->n; i++)
		if (f->fold[i].stmt == stmt && f->fold[i].kernel == kernel)
			return true;
	return false;
}

/* The search for others that read what "fold" reads; "k" is its kernel. */
struct readers {
	const struct folds *f;
	const struct fold *fold;
	struct found k;
	bool others;
};

/* Does a statement outside of the kernel that makes what "leaf" reads read that,
 * too, and is none of its folds?
 */
static void note_readers(struct poly_expr *leaf, void *user)
{
	struct readers *r = user;
	struct poly_array *a = poly_prog_find_array(r->f->trial,
		leaf->array->name);

	if (!a || !is_made_in(&r->k, a))
		return;
	for (int i = 0; i < r->f->prog->n_stmt; i++) {
		struct poly_stmt *s = r->f->prog->stmt[i];

		r->others |= s->kind == POLY_POINT &&
			poly_expr_accesses(s->rhs, leaf->array) &&
			!has_stmt(&r->k, s->name) &&
			!folds_in(r->f, s, r->fold->kernel);
	}
}

/* Is what "fold" reads read from memory in any case, by a statement outside of
 * its kernel that is no fold of that? Without memory it is taken to be.
 */
static bool has_other_readers(struct folds *f, const struct fold *fold)
{
	struct readers r = { .f = f, .fold = fold, .k.f = f };

	r.k.stmt = poly_kernel_stmts(f->trial, f->trial->kernel[fold->kernel],
		&r.k.n);
	if (r.k.stmt)
		poly_expr_each_access(fold->stmt->rhs, note_readers, &r);
	r.others |= !r.k.stmt;
	free(r.k.stmt);
	return r.others;
}

/* Drop the folds of what is read in any case. */
static void drop_useless(struct folds *f)
{
	for (int i = 0; i < f->n; i++) {
		if (!has_other_readers(f, &f->fold[i]))
			continue;
		f->n--;
		memmove(&f->fold[i], &f->fold[i + 1],
			(f->n - i) * sizeof(f->fold[0]));
		i = -1;
	}
}

/* A copy of the program with the folds, and a schedule of it; NULL if there is
 * none.
 */
static struct poly_prog *apply_all(const struct folds *f,
	struct poly_report *report)
{
	struct poly_prog *copy = poly_copy(f->prog, report);
	bool ok = copy != NULL;

	for (int i = 0; i < f->n && ok; i++) {
		struct poly_stmt *stmt = poly_prog_find_stmt(copy,
			f->fold[i].stmt->name);

		ok = stmt && poly_fold_apply(copy, stmt, f->fold[i].dim,
			f->fold[i].width);
	}
	if (ok && poly_deps(copy) == isl_stat_ok &&
	    poly_schedule(copy) == isl_stat_ok)
		return copy;
	return poly_prog_free(copy);
}

/* Is the statement "name" of "trial" where a block can do it? */
static bool stands_right(struct poly_prog *trial, const char *name)
{
	struct poly_stmt *s = poly_prog_find_stmt(trial, name);
	bool right = false;

	for (int i = 0; s && i < trial->n_kernel; i++) {
		int n;
		struct poly_stmt **list = poly_kernel_stmts(trial,
			trial->kernel[i], &n);

		for (int k = 0; k < n && trial->kernel[i]->tiled; k++)
			right |= list[k] == s && s->at && poly_fold_axis(trial,
				trial->kernel[i], s) >= 0;
		free(list);
	}
	return right;
}

/* Drop the folds of "copy" that are not where a block can do them in "trial". */
static void drop_misplaced(struct folds *f, struct poly_prog *copy,
	struct poly_prog *trial)
{
	int n = 0;

	for (int i = 0; i < f->n; i++) {
		int at = poly_stmt_position(copy, f->fold[i].stmt->name);

		if (stands_right(trial, copy->stmt[at - 1]->name))
			f->fold[n++] = f->fold[i];
	}
	f->n = n;
}

/* A copy of the program with those of the folds that a block can do where they
 * come to stand; NULL if there are none.
 */
static struct poly_prog *make(struct folds *f, struct poly_report *report)
{
	while (f->n) {
		struct poly_prog *copy = apply_all(f, report);
		struct poly_prog *trial = copy ?
			copy->try_passes(copy, "map_tiles", report) : NULL;
		int n = f->n;
		bool ok;

		if (trial)
			drop_misplaced(f, copy, trial);
		drop_useless(f);
		ok = trial && f->n == n &&
			poly_check_place(trial, "fold") == isl_stat_ok;
		poly_prog_free(trial);
		if (ok)
			return copy;
		poly_prog_free(copy);
		if (f->n == n)
			return NULL;
	}
	return NULL;
}

/* ------------------------------------------------------------------- the pass */

/* Let "copy" become "prog", which reports where it did. */
static void replace(struct poly_prog *prog, struct poly_prog *copy)
{
	struct poly_prog old = *prog;

	*prog = *copy;
	prog->report = old.report;
	*copy = old;
}

/* Let reductions begin in the tiles of the products whose results they read, where
 * these are not read otherwise.
 *
 * requires schedule, before rows; establishes folds, and another schedule
 */
isl_stat poly_fold(struct poly_prog *prog)
{
	struct folds f = { .prog = prog };
	struct poly_report report = { 0 };
	struct poly_prog *copy = NULL;
	unsigned long all;

	if (!is_worth_a_trial(prog))
		return isl_stat_ok;
	all = poly_ctx_attempt(prog->ctx, 0);
	prog->have |= POLY_HAVE_FOLDS | POLY_HAVE_ROWS;
	f.trial = prog->try_passes(prog, "map_tiles", &report);
	prog->have &= ~POLY_HAVE_ROWS;
	for (int i = 0; f.trial && i < f.trial->n_kernel; i++)
		look_in(&f, i);
	drop_useless(&f);
	if (f.n)
		copy = make(&f, &report);
	if (copy)
		replace(prog, copy);
	poly_prog_free(copy);
	poly_prog_free(f.trial);
	poly_report_free(&report);
	poly_ctx_attempted(prog->ctx, all);
	isl_ctx_reset_error(prog->ctx);
	return isl_stat_ok;
}
