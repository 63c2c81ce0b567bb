/* Strides: the caller's arrays of which the elements lie further apart than they must.
 *
 * The extents, and with them all domains, footprints and guards, stay those of the
 * elements that there are. Only where elements lie in memory, and how rows are aligned,
 * follows the strides, which are sizes that the caller gives with the array: one for each
 * dimension but the last, of which elements are neighbours. That in front of the last is
 * the pitch of the rows.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"

const char *poly_array_stride(const struct poly_prog *prog, const struct poly_array *a,
	int d)
{
	return prog->param[a->stride - 1 + d].name;
}

bool poly_has_strides(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_array; i++)
		if (prog->array[i]->stride)
			return true;
	return false;
}

void poly_array_set_stride(struct poly_prog *prog, struct poly_array *a, int param)
{
	a->stride = param + 1;
	for (int d = 0; d < a->n_dim - 1; d++)
		prog->param[param + d].stride = d == a->n_dim - 2 ? POLY_PITCH :
			POLY_STRIDE;
}

/* Give "a" strides; false if its elements are numbered, or without memory. */
static bool add_strides(struct poly_prog *prog, struct poly_array *a)
{
	int first = prog->n_param;

	if (a->gathered) {
		poly_report_add(prog->report, MSG_POLY_PITCH, &a->loc, a->name);
		return false;
	}
	for (int d = 0; d < a->n_dim - 1; d++) {
		char *name = poly_unique_name(prog, a->name,
			d == a->n_dim - 2 ? "pitch" : "stride");
		struct poly_param *param = name ?
			poly_prog_add_param(prog, name) : NULL;

		free(name);
		if (!param)
			return false;
	}
	poly_array_set_stride(prog, a, first);
	return true;
}

isl_stat poly_add_strides(struct poly_prog *prog)
{
	int n = prog->n_array;

	for (int i = 0; i < n; i++) {
		struct poly_array *a = prog->array[i];

		if (a->role != POLY_TEMP && a->n_dim > 1 &&
		    !add_strides(prog, a))
			return isl_stat_error;
	}
	return isl_stat_ok;
}
