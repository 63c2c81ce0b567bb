/* Versions of a program for sizes that are not known when it is compiled.
 *
 * One kernel for all sizes has to copy element by element, since a row may begin
 * anywhere. A version for sizes whose rows are multiples of 16 bytes
 *
 *	[M, N, K] -> { : N mod 4 = 0 and K mod 4 = 0 }
 *
 * copies 16 bytes at a time. It is the same program with these sizes as its
 * context, which every pass and every check then counts on; whoever launches it
 * asks for its condition first (runtime/image/version.c).
 *
 * Where rows are not known to be short, maps and reductions over them are several
 * kernels, since threads have no room for a row. A version for rows of so many
 * elements at most is one (polyir/rows).
 */
#include <isl/val.h>

#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/tune/tune.h"

void poly_cost_clear(struct poly_cost *cost)
{
	for (int d = 0; d < 2; d++)
		isl_pw_aff_free(cost->points[d]);
	isl_pw_aff_free(cost->steps);
	for (int i = 0; i < cost->n_batch; i++)
		isl_pw_aff_free(cost->batch[i]);
	*cost = (struct poly_cost){ .n_batch = 0 };
}

void poly_version_clear(struct poly_version *v)
{
	isl_set_free(v->sizes);
	poly_cost_clear(&v->cost);
	if (!v->like)
		poly_prog_free(v->prog);
	*v = (struct poly_version){ .prog = NULL };
}

bool poly_has_open_sizes(const struct poly_prog *prog)
{
	return !poly_prog_is_fixed(prog) || poly_has_strides(prog);
}

bool poly_has_products(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_kernel; i++)
		if (prog->kernel[i]->tiled && prog->kernel[i]->tile_k)
			return true;
	return false;
}

/* The sizes of "set" for which rows of "a" are multiples of POLY_RUN_BYTES. */
static __isl_give isl_set *with_aligned(__isl_take isl_set *set,
	struct poly_prog *prog, const struct poly_array *a)
{
	int row = poly_row_dim(prog, a);
	int run = POLY_RUN_BYTES / poly_type_size(a->type);

	if (row <= 0 || a->space != POLY_GLOBAL || a->role == POLY_TEMP)
		return set;
	return isl_set_intersect(set, poly_whole_rows(prog, a, row, run));
}

/* What "set", which is taken, asks beyond what is known of the sizes of "prog"; NULL if
 * that is nothing, or no sizes are such.
 */
static __isl_give isl_set *if_some(struct poly_prog *prog,
	__isl_take isl_set *set)
{
	isl_set *known = poly_known_sizes(prog);

	set = isl_set_intersect(set, isl_set_copy(known));
	if (isl_set_is_empty(set) != isl_bool_false ||
	    isl_set_is_subset(known, set) != isl_bool_false)
		set = isl_set_free(set);
	else
		set = isl_set_gist(set, isl_set_copy(known));
	isl_set_free(known);
	return set;
}

__isl_give isl_set *poly_aligned_sizes(struct poly_prog *prog)
{
	isl_set *set = poly_known_sizes(prog);

	for (int i = 0; i < prog->n_array; i++)
		set = with_aligned(set, prog, prog->array[i]);
	return if_some(prog, set);
}

/* The sizes of "set" for which the sum "stmt" goes over at most "most" values along
 * each loop.
 */
static __isl_give isl_set *with_short(__isl_take isl_set *set,
	struct poly_prog *prog, const struct poly_stmt *stmt, int most)
{
	int n = isl_set_dim(stmt->domain, isl_dim_set);

	for (int d = 0; d < n; d++) {
		isl_pw_aff *length;

		if (isl_multi_pw_aff_involves_dims(stmt->write_index,
		    isl_dim_in, d, 1) != isl_bool_false)
			continue;
		length = poly_range_length(prog, poly_range_of(stmt->domain,
			d));
		length = isl_pw_aff_add_constant_val(isl_pw_aff_neg(length),
			isl_val_int_from_si(prog->ctx, most));
		set = isl_set_intersect(set, isl_set_params(
			isl_pw_aff_nonneg_set(length)));
	}
	return set;
}

__isl_give isl_set *poly_short_sizes(struct poly_prog *prog, int most)
{
	isl_set *set = poly_known_sizes(prog);

	for (int i = 0; i < prog->n_stmt && !prog->original; i++)
		if (poly_is_update(prog->stmt[i]))
			set = with_short(set, prog, prog->stmt[i], most);
	return if_some(prog, set);
}

void poly_assume_sizes(struct poly_prog *prog, __isl_take isl_set *sizes)
{
	for (int i = 0; i < prog->n_stmt; i++)
		prog->stmt[i]->domain = isl_set_intersect_params(
			prog->stmt[i]->domain, isl_set_copy(sizes));
	if (prog->original)
		poly_prog_set_original(prog, isl_schedule_intersect_domain(
			isl_schedule_copy(prog->original),
			poly_point_domains(prog)));
	poly_assume_context(prog, sizes);
}

void poly_assume_context(struct poly_prog *prog, __isl_take isl_set *sizes)
{
	prog->context = isl_set_intersect(prog->context, sizes);
}
