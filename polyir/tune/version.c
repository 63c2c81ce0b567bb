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

bool poly_wants_versions(struct poly_prog *prog)
{
	if (poly_prog_is_fixed(prog) && !poly_has_pitch(prog))
		return false;
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
	isl_pw_aff *rest;

	if (row <= 0 || a->space != POLY_GLOBAL || a->role == POLY_TEMP)
		return set;
	rest = isl_pw_aff_mod_val(poly_array_step(prog, a, row),
		isl_val_int_from_si(prog->ctx, run));
	return isl_set_intersect(set,
		isl_set_params(isl_pw_aff_zero_set(rest)));
}

__isl_give isl_set *poly_aligned_sizes(struct poly_prog *prog)
{
	isl_set *known = poly_known_sizes(prog);
	isl_set *set = isl_set_copy(known);

	for (int i = 0; i < prog->n_array; i++)
		set = with_aligned(set, prog, prog->array[i]);
	if (isl_set_is_empty(set) != isl_bool_false ||
	    isl_set_is_subset(known, set) != isl_bool_false)
		set = isl_set_free(set);
	else
		set = isl_set_gist(set, isl_set_copy(known));
	isl_set_free(known);
	return set;
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
	prog->context = isl_set_intersect(prog->context, sizes);
}
