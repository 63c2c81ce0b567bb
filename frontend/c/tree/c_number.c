/* Integer arithmetic of C as the machine does it.
 *
 * An integer of any type is held in 64 bits, sign or zero extended. What C
 * leaves undefined is defined as everywhere in the compiler (polyir/ir/op.def):
 * signed integers wrap, a quotient by 0 is 0, shifts take the count modulo the
 * width.
 */
#include "frontend/base/value.h"
#include "frontend/c/tree/tree.h"

int64_t fe_c_wrap(enum poly_type t, int64_t x)
{
	switch (t) {
	case POLY_BOOL:
		return x != 0;
	case POLY_I8:
		return (int8_t)x;
	case POLY_U8:
		return (uint8_t)x;
	case POLY_I16:
		return (int16_t)x;
	case POLY_U16:
		return (uint16_t)x;
	case POLY_I32:
		return (int32_t)x;
	case POLY_U32:
		return (uint32_t)x;
	default:
		return x;
	}
}

static bool is_signed(enum poly_type t)
{
	return poly_type_class(t) == POLY_CLASS_INT;
}

static bool is_less(enum poly_type t, int64_t a, int64_t b)
{
	return is_signed(t) ? a < b : (uint64_t)a < (uint64_t)b;
}

/* "a / b", or with "rest" "a % b", in type "t". By 0 it is 0; the least number
 * by -1 wraps.
 */
static int64_t divide(enum poly_type t, int64_t a, int64_t b, bool rest)
{
	if (b == 0)
		return 0;
	if (!is_signed(t))
		return rest ? (int64_t)((uint64_t)a % (uint64_t)b) :
			(int64_t)((uint64_t)a / (uint64_t)b);
	if (b == -1)
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

/* "a" shifted in type "t"; as many places as the low bits of "b" say. */
static int64_t shift(enum poly_type t, int64_t a, int64_t b, bool left)
{
	int count = (int)(b & (8 * poly_type_size(t) - 1));

	if (left)
		return (int64_t)((uint64_t)a << count);
	return is_signed(t) ? a >> count : (int64_t)((uint64_t)a >> count);
}

int64_t fe_c_apply(enum poly_op op, enum poly_type t, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case POLY_OP_ADD:
		return fe_c_wrap(t, (int64_t)(x + y));
	case POLY_OP_SUB:
		return fe_c_wrap(t, (int64_t)(x - y));
	case POLY_OP_MUL:
		return fe_c_wrap(t, (int64_t)(x * y));
	case POLY_OP_NEG:
		return fe_c_wrap(t, (int64_t)(0 - x));
	case POLY_OP_NOT:
		return fe_c_wrap(t, (int64_t)~x);
	case POLY_OP_AND:
		return a & b;
	case POLY_OP_OR:
		return a | b;
	case POLY_OP_XOR:
		return a ^ b;
	case POLY_OP_DIV:
	case POLY_OP_REM:
		return fe_c_wrap(t, divide(t, a, b, op == POLY_OP_REM));
	case POLY_OP_SHL:
	case POLY_OP_SHR:
		return fe_c_wrap(t, shift(t, a, b, op == POLY_OP_SHL));
	case POLY_OP_LT:
		return is_less(t, a, b);
	case POLY_OP_LE:
		return !is_less(t, b, a);
	case POLY_OP_EQ:
		return a == b;
	case POLY_OP_NE:
		return a != b;
	case POLY_OP_ABS:
		return a < 0 ? fe_c_wrap(t, (int64_t)(0 - x)) : a;
	case POLY_OP_MIN:
		return is_less(t, a, b) ? a : b;
	case POLY_OP_MAX:
		return is_less(t, a, b) ? b : a;
	case POLY_OP_PHILOX:
		return fe_c_wrap(t, fe_philox(x, y));
	default:
		return 0;
	}
}
