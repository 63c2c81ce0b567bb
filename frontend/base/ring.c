/* The ring for the interpreters: floats of w bits as integers modulo 2^w.
 *
 * polyir/README.md says what each operation is; nvptx/value/lower_ring.c makes code
 * of that, and this file computes it. The two share the numbers of the operators
 * and nothing else, so that one checks the other. An element stands in an
 * int64_t, with its sign. Operations are those of the type that computes,
 * modulo 2^32 or 2^64.
 */
#include <math.h>

#include "frontend/base/value.h"

int64_t fe_ring_wrap(enum poly_type t, uint64_t x)
{
	switch (poly_type_size(t)) {
	case 1:
		return (int8_t)x;
	case 2:
		return (int16_t)x;
	case 4:
		return (int32_t)x;
	default:
		return (int64_t)x;
	}
}

int64_t fe_ring_const(enum poly_type t, double x)
{
	int64_t least = poly_type_size(t) == 8 ? INT64_MIN :
		-(INT64_C(1) << (8 * poly_type_size(t) - 1));

	if (x == 0 || x == 1)
		return x == 1;
	if (isinf(x))
		return x < 0 ? least : ~least;
	return fe_ring_wrap(t, poly_type_bits(t, x));
}

int64_t fe_ring_load(enum poly_type t, const void *data, int64_t at)
{
	switch (poly_type_size(t)) {
	case 1:
		return ((const int8_t *)data)[at];
	case 2:
		return ((const int16_t *)data)[at];
	case 4:
		return ((const int32_t *)data)[at];
	default:
		return ((const int64_t *)data)[at];
	}
}

/* Numbers of 32 or 64 bits without a sign. */
static uint64_t cut(int bits, uint64_t x)
{
	return bits == 64 ? x : x & UINT32_MAX;
}

/* A permutation for each key: twice a sum, a folding of the upper half into the
 * lower one and a product with an odd number, and a last folding.
 */
static uint64_t permute(int bits, unsigned key, uint64_t x)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
	int i;

	x = cut(bits, x);
	for (i = 0; i < 2; i++) {
		x = cut(bits, x + (uint64_t)(key + 1) * step);
		x ^= x >> bits / 2;
		x = cut(bits, x * UINT64_C(0xbf58476d1ce4e5b9));
	}
	return x ^ x >> bits / 2;
}

/* 5^x, whose exponents repeat after 2^(bits - 2). */
static uint64_t power_of_five(int bits, uint64_t x)
{
	uint64_t power = 1, square = 5;

	for (x &= (UINT64_C(1) << (bits - 2)) - 1; x; x >>= 1) {
		if (x & 1)
			power *= square;
		square *= square;
	}
	return power;
}

static uint64_t least(int64_t a, int64_t b)
{
	return (uint64_t)(a < b ? a : b);
}

/* (1 - x[2]) x[0] + x[1] x[2], with the ring's 1. */
static uint64_t lerp(enum poly_type t, const int64_t *x)
{
	uint64_t one = (uint64_t)fe_ring_const(t, 1), rest;

	rest = (one - (uint64_t)x[2]) * (uint64_t)x[0];
	return rest + (uint64_t)x[1] * (uint64_t)x[2];
}

/* What has no other meaning is a permutation, and of two arguments of their
 * sum, the second permuted before.
 */
static uint64_t apply_rest(enum poly_op op, int bits, uint64_t a, uint64_t b)
{
	const unsigned key = (unsigned)op;

	switch (op) {
	case POLY_OP_DIV:
		return a * permute(bits, key, b);
	case POLY_OP_EXP2:
		return power_of_five(bits, a);
	case POLY_OP_EXP:
		return power_of_five(bits, a * UINT64_C(0xb504f333f9de6485));
	default:
		return permute(bits, key, poly_op_n_arg(op) == 2 ?
			a + permute(bits, key, b) : a);
	}
}

int64_t fe_ring_apply(enum poly_op op, enum poly_type t, const int64_t *x)
{
	uint64_t a = (uint64_t)x[0], b = poly_op_n_arg(op) > 1 ?
		(uint64_t)x[1] : 0, y;

	switch (op) {
	case POLY_OP_ADD: y = a + b; break;
	case POLY_OP_SUB: y = a - b; break;
	case POLY_OP_MUL: y = a * b; break;
	case POLY_OP_NEG: y = -a; break;
	case POLY_OP_FMA: y = a * b + (uint64_t)x[2]; break;
	case POLY_OP_MIN: y = least(x[0], x[1]); break;
	case POLY_OP_MAX: y = ~least(~x[0], ~x[1]); break;
	case POLY_OP_RELU: y = x[0] < 0 ? 0 : a; break;
	case POLY_OP_ABS: y = x[0] < 0 ? -a : a; break;
	case POLY_OP_LERP: y = lerp(t, x); break;
	default:
		y = apply_rest(op, 8 * poly_type_size(t), a, b);
		break;
	}
	return fe_ring_wrap(t, y);
}
