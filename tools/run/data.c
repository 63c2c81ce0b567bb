/* Matrices in host memory: sizes, elements as numbers, random contents. */
#include <math.h>
#include <string.h>

#include "runtime/base/convert.h"
#include "tools/tools.h"

/* 2^46 elements or bytes are more than any machine has: what is larger is a
 * mistake, and products up to there do not overflow.
 */
static const int64_t MOST = INT64_C(1) << 46;

/* The number of elements; -1 if it is absurd. A dimension of 0 is looked for
 * first, so that a large one beside it does no harm.
 */
int64_t tool_elements(int n_dim, const int64_t *dim)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < n_dim; i++)
		if (dim[i] == 0)
			return 0;
	for (i = 0; i < n_dim; i++) {
		if (dim[i] < 0 || n > MOST / dim[i])
			return -1;
		n *= dim[i];
	}
	return n;
}

/* -1 stays -1, so that it can be given the result of tool_elements(). */
int64_t tool_bytes(int64_t n, int64_t element)
{
	return n < 0 || n > MOST / element ? -1 : n * element;
}

/* An integer of 64 bits may lose digits here; tool_get_int() keeps them. */
double tool_get(enum poly_type type, const void *data, int64_t i)
{
	switch (type) {
	case POLY_I8:
		return ((const int8_t *)data)[i];
	case POLY_I16:
		return ((const int16_t *)data)[i];
	case POLY_I32:
		return ((const int32_t *)data)[i];
	case POLY_I64:
		return (double)((const int64_t *)data)[i];
	case POLY_U8:
	case POLY_BOOL:
		return ((const uint8_t *)data)[i];
	case POLY_U16:
		return ((const uint16_t *)data)[i];
	case POLY_U32:
		return ((const uint32_t *)data)[i];
	case POLY_U64:
		return (double)((const uint64_t *)data)[i];
	case POLY_F32:
		return (double)((const float *)data)[i];
	case POLY_F64:
		return ((const double *)data)[i];
	case POLY_N_TYPE:
		return NAN;
	default:
		return cetane_rt_float_load(poly_type_name(type), data, i);
	}
}

/* The bits of a u64, as a signed number. Other integers fit a double. */
int64_t tool_get_int(enum poly_type type, const void *data, int64_t i)
{
	if (type == POLY_I64 || type == POLY_U64)
		return ((const int64_t *)data)[i];
	return (int64_t)tool_get(type, data, i);
}

/* 17 digits tell each f64, and so each narrower float, from all others. */
void tool_add_value(struct poly_str *s, enum poly_type type, double x,
	int64_t integer)
{
	if (poly_type_is_float(type))
		poly_str_printf(s, "%.17g", x);
	else if (type == POLY_U64)
		poly_str_printf(s, "%llu", (unsigned long long)integer);
	else
		poly_str_printf(s, "%lld", (long long)integer);
}

/* A scalar has no brackets. */
void tool_add_index(struct poly_str *s, int n_dim, const int64_t *at)
{
	int d;

	for (d = 0; d < n_dim; d++)
		poly_str_printf(s, "%s%lld", d ? "," : "[", (long long)at[d]);
	if (n_dim)
		poly_str_add(s, "]");
}

/* The inverse of counting row by row: the last dimension runs fastest. */
void tool_index_of(int n_dim, const int64_t *dim, int64_t i, int64_t *at)
{
	int d;

	for (d = n_dim - 1; d >= 0; d--) {
		at[d] = i % dim[d];
		i /= dim[d];
	}
}

/* Integers go through 64 bits and keep the low ones. A float is rounded to the
 * type that is stored.
 */
void tool_set(enum poly_type type, void *data, int64_t i, double x)
{
	switch (type) {
	case POLY_I8:
	case POLY_U8:
		((uint8_t *)data)[i] = (uint8_t)(int64_t)x;
		break;
	case POLY_I16:
	case POLY_U16:
		((uint16_t *)data)[i] = (uint16_t)(int64_t)x;
		break;
	case POLY_I32:
	case POLY_U32:
		((uint32_t *)data)[i] = (uint32_t)(int64_t)x;
		break;
	case POLY_I64:
	case POLY_U64:
		((uint64_t *)data)[i] = (uint64_t)(int64_t)x;
		break;
	case POLY_BOOL:
		((uint8_t *)data)[i] = x != 0;
		break;
	case POLY_F32:
		((float *)data)[i] = (float)x;
		break;
	case POLY_F64:
		((double *)data)[i] = x;
		break;
	case POLY_N_TYPE:
		break;
	default:
		cetane_rt_float_store(poly_type_name(type), data, i, x);
	}
}

/* The values depend on the name, the seed and the position alone: each input
 * has its own, and two runs with one seed have the same.
 *
 * Floats lie in -1 .. 1, integers with a sign in -4 .. 4, those without in 0 ..
 * 8, so that sums of many of them stay small.
 */
void tool_random(enum poly_type type, void *data, int64_t n, const char *name,
	uint64_t seed)
{
	uint64_t key = tool_hash(tool_mix(seed), name, strlen(name)), bits;
	int64_t i;

	for (i = 0; i < n; i++) {
		bits = tool_random_bits(key, (uint64_t)i);
		if (poly_type_is_float(type))
			tool_set(type, data, i,
				(double)(bits >> 11) * 0x1p-52 - 1);
		else if (poly_type_class(type) == POLY_CLASS_INT)
			tool_set(type, data, i, (double)(bits % 9) - 4);
		else
			tool_set(type, data, i, (double)(bits %
				(type == POLY_BOOL ? 2 : 9)));
	}
}

/* The largest value of the integer type "type", as far as an i64 goes.
 *
 * 62 bits are the most that can be counted here.
 */
static int64_t largest(enum poly_type type)
{
	int bits = 8 * poly_type_size(type) -
		(poly_type_class(type) == POLY_CLASS_INT);

	return bits > 62 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

/* For inputs whose elements are positions: from "first" to "last", both
 * included. If the range is empty each element is "first".
 */
void tool_random_range(enum poly_type type, void *data, int64_t n,
	const char *name, uint64_t seed, int64_t first, int64_t last)
{
	uint64_t key = tool_hash(tool_mix(seed), name, strlen(name)), range;
	int64_t i;

	last = last < largest(type) ? last : largest(type);
	range = last < first ? 1 : (uint64_t)(last - first) + 1;
	for (i = 0; i < n; i++)
		tool_set(type, data, i, (double)(first + (int64_t)(
			tool_random_bits(key, (uint64_t)i) % range)));
}
