/* Pitches: rows of the caller's arrays that lie further apart than they are long.
 *
 * The extents, and with them all domains, footprints and guards, stay those of the
 * elements that there are. Only where elements lie in memory, and how rows are aligned,
 * follows the pitch, which is a size that the caller gives with the array.
 */
#include <stdlib.h>

#include "polyir/ir/ir.h"

__isl_give isl_pw_aff *poly_array_step(const struct poly_prog *prog,
	const struct poly_array *a, int d)
{
	if (!a->pitch || d != a->n_dim - 1)
		return isl_multi_pw_aff_get_at(a->extent, d);
	return isl_pw_aff_from_aff(poly_size_at(
		isl_set_get_space(prog->context),
		prog->param[a->pitch - 1].name));
}

bool poly_has_pitch(const struct poly_prog *prog)
{
	for (int i = 0; i < prog->n_array; i++)
		if (prog->array[i]->pitch)
			return true;
	return false;
}

void poly_array_set_pitch(struct poly_prog *prog, struct poly_array *a, int param)
{
	a->pitch = param + 1;
	prog->param[param].pitch = true;
}

/* Give "a" a pitch; false if its elements are numbered, or without memory. */
static bool add_pitch(struct poly_prog *prog, struct poly_array *a)
{
	struct poly_param *param;
	char *name;

	if (a->gathered) {
		poly_report_add(prog->report, MSG_POLY_PITCH, &a->loc, a->name);
		return false;
	}
	name = poly_unique_name(prog, a->name, "pitch");
	param = name ? poly_prog_add_param(prog, name) : NULL;
	free(name);
	if (param)
		poly_array_set_pitch(prog, a, (int)(param - prog->param));
	return param != NULL;
}

isl_stat poly_pitch(struct poly_prog *prog)
{
	int n = prog->n_array;

	for (int i = 0; i < n; i++) {
		struct poly_array *a = prog->array[i];

		if (a->role != POLY_TEMP && a->n_dim > 1 &&
		    !add_pitch(prog, a))
			return isl_stat_error;
	}
	return isl_stat_ok;
}
