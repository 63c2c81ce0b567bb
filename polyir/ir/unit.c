/* Instructions of matrix units: their names.
 *
 * A unit is one matrix instruction of one type, as HMMA of f16 with sums in
 * f32; unit.def has its shape, and layout/on_unit.c decides which kernels use
 * it.
 */
#include <string.h>

#include "polyir/ir/ir.h"

static const char *const name[POLY_N_UNIT] = {
#define UNIT(id, name, cc, own, rate, one, two, sum, m, n, k, a, b, c) \
	[POLY_UNIT_##id] = name,
#include "polyir/ir/unit.def"
#undef UNIT
};

const char *poly_unit_name(enum poly_unit unit)
{
	return name[unit];
}

enum poly_unit poly_find_unit(const char *text)
{
	for (int u = 0; u < POLY_N_UNIT; u++)
		if (name[u] && !strcmp(name[u], text))
			return (enum poly_unit)u;
	return POLY_UNIT_NONE;
}
