/* The mathematical functions in MPFR, rounded once to 160 bits, or by formulas whose
 * steps are.
 */
#include <math.h>

#include "tests/nvptx/math_exact.h"

#ifdef HAVE_MPFR
#include <mpfr.h>

enum { BITS = 160, MORE = 2400 };
const bool math_has_exact = true;

static void gelu(mpfr_t y, const mpfr_t x)
{
	mpfr_set_ui(y, 2, MPFR_RNDN);
	mpfr_sqrt(y, y, MPFR_RNDN);
	mpfr_div(y, x, y, MPFR_RNDN);
	mpfr_neg(y, y, MPFR_RNDN);
	mpfr_erfc(y, y, MPFR_RNDN);
	mpfr_mul(y, y, x, MPFR_RNDN);
	mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

static void softplus(mpfr_t y, const mpfr_t x)
{
	if (mpfr_cmp_ui(x, 1000) > 0) {
		mpfr_set(y, x, MPFR_RNDN);
		return;
	}
	mpfr_exp(y, x, MPFR_RNDN);
	mpfr_log1p(y, y, MPFR_RNDN);
}

static void sigmoid(mpfr_t y, const mpfr_t x)
{
	mpfr_neg(y, x, MPFR_RNDN);
	mpfr_exp(y, y, MPFR_RNDN);
	mpfr_add_ui(y, y, 1, MPFR_RNDN);
	mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

/* The value at a number that is neither infinite nor NaN; false if the C library has
 * what there is.
 */
static bool evaluate(enum poly_op op, mpfr_t y, const mpfr_t x)
{
	switch (op) {
	case POLY_OP_EXP: mpfr_exp(y, x, MPFR_RNDN); break;
	case POLY_OP_EXP2: mpfr_exp2(y, x, MPFR_RNDN); break;
	case POLY_OP_EXPM1: mpfr_expm1(y, x, MPFR_RNDN); break;
	case POLY_OP_LOG: mpfr_log(y, x, MPFR_RNDN); break;
	case POLY_OP_LOG2: mpfr_log2(y, x, MPFR_RNDN); break;
	case POLY_OP_LOG10: mpfr_log10(y, x, MPFR_RNDN); break;
	case POLY_OP_LOG1P: mpfr_log1p(y, x, MPFR_RNDN); break;
	case POLY_OP_TANH: mpfr_tanh(y, x, MPFR_RNDN); break;
	case POLY_OP_SIN: mpfr_sin(y, x, MPFR_RNDN); break;
	case POLY_OP_COS: mpfr_cos(y, x, MPFR_RNDN); break;
	case POLY_OP_TAN: mpfr_tan(y, x, MPFR_RNDN); break;
	case POLY_OP_ASIN: mpfr_asin(y, x, MPFR_RNDN); break;
	case POLY_OP_ACOS: mpfr_acos(y, x, MPFR_RNDN); break;
	case POLY_OP_ATAN: mpfr_atan(y, x, MPFR_RNDN); break;
	case POLY_OP_SINH: mpfr_sinh(y, x, MPFR_RNDN); break;
	case POLY_OP_COSH: mpfr_cosh(y, x, MPFR_RNDN); break;
	case POLY_OP_ASINH: mpfr_asinh(y, x, MPFR_RNDN); break;
	case POLY_OP_ACOSH: mpfr_acosh(y, x, MPFR_RNDN); break;
	case POLY_OP_ATANH: mpfr_atanh(y, x, MPFR_RNDN); break;
	case POLY_OP_ERF: mpfr_erf(y, x, MPFR_RNDN); break;
	case POLY_OP_ERFC: mpfr_erfc(y, x, MPFR_RNDN); break;
	case POLY_OP_CBRT: mpfr_cbrt(y, x, MPFR_RNDN); break;
	case POLY_OP_RSQRT: mpfr_rec_sqrt(y, x, MPFR_RNDN); break;
	case POLY_OP_SIGMOID: sigmoid(y, x); break;
	case POLY_OP_GELU: gelu(y, x); break;
	case POLY_OP_SOFTPLUS: softplus(y, x); break;
	case POLY_OP_SILU:
		sigmoid(y, x);
		mpfr_mul(y, y, x, MPFR_RNDN);
		break;
	case POLY_OP_MISH:
		softplus(y, x);
		mpfr_tanh(y, y, MPFR_RNDN);
		mpfr_mul(y, y, x, MPFR_RNDN);
		break;
	default:
		return false;
	}
	return true;
}

/* sin(pi x), cos(pi x) and their like: x modulo 2 is exact, and so are their zeros. */
static bool evaluate_pi(enum poly_op op, mpfr_t y, const mpfr_t x)
{
	mpfr_t r, pi;

	if (op != POLY_OP_SINPI && op != POLY_OP_COSPI && op != POLY_OP_SINC)
		return false;
	mpfr_inits2(MORE, r, pi, (mpfr_ptr) 0);
	mpfr_const_pi(pi, MPFR_RNDN);
	mpfr_set_ui(r, 2, MPFR_RNDN);
	mpfr_fmod(r, x, r, MPFR_RNDN);
	mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
	if (mpfr_integer_p(r) && (mpfr_get_si(r, MPFR_RNDN) % 2 != 0) ==
	    (op == POLY_OP_COSPI)) {
		mpfr_set_zero(y, 1);
	} else {
		mpfr_div_2ui(r, r, 1, MPFR_RNDN);
		mpfr_mul(r, r, pi, MPFR_RNDN);
		if (op == POLY_OP_COSPI)
			mpfr_cos(y, r, MPFR_RNDN);
		else
			mpfr_sin(y, r, MPFR_RNDN);
	}
	if (op == POLY_OP_SINC) {
		mpfr_mul(r, x, pi, MPFR_RNDN);
		mpfr_div(y, y, r, MPFR_RNDN);
	}
	mpfr_clears(r, pi, (mpfr_ptr) 0);
	return true;
}

double math_exact_error(const struct math_function *row, float x, float got)
{
	const double most = 0x1.fffffep127;
	const long least = -126;
	mpfr_t a, y;
	double error;
	long e;

	mpfr_init2(a, 53);
	mpfr_init2(y, BITS);
	mpfr_set_d(a, row->falling ? -fabs(x) : x, MPFR_RNDN);
	if (!isfinite(x) || x == 0 || (!evaluate(row->op, y, a) &&
	    !evaluate_pi(row->op, y, a)))
		mpfr_set_ld(y, row->refl(row->falling ? -fabs(x) : x), MPFR_RNDN);
	if (isnan(got) || mpfr_nan_p(y)) {
		error = isnan(got) && mpfr_nan_p(y) ? 0 : HUGE_VAL;
	} else if (isinf(got) || mpfr_inf_p(y)) {
		error = (mpfr_get_d(y, MPFR_RNDN) > most && got > 0) ||
			(mpfr_get_d(y, MPFR_RNDN) < -most && got < 0) ? 0 :
			HUGE_VAL;
		error = isinf(got) ? error : HUGE_VAL;
	} else {
		e = mpfr_zero_p(y) ? least : mpfr_get_exp(y) - 1;
		e = e < least ? least : e;
		mpfr_sub_d(y, y, got, MPFR_RNDN);
		mpfr_mul_2si(y, y, 23 - e, MPFR_RNDN);
		error = fabs(mpfr_get_d(y, MPFR_RNDN));
	}
	mpfr_clears(a, y, (mpfr_ptr) 0);
	return error;
}

#else
const bool math_has_exact = false;

double math_exact_error(const struct math_function *row, float x, float y)
{
	(void) row;
	(void) x;
	(void) y;
	return HUGE_VAL;
}
#endif
