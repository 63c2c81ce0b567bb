/* What the mathematical functions are compared with: the C library's, and formulas of
 * them. The compiler's own code has no part in it.
 */
#ifndef MATH_REFERENCE_H
#define MATH_REFERENCE_H

#include <stdbool.h>

#include "polyir/ir/ir.h"

/* Functions in double, good for what is f32, and in long double, for f64; the errors
 * that are allowed, in ulp. "falling": of -|x|.
 */
struct math_function {
	enum poly_op op;
	double (*ref)(double);
	long double (*refl)(long double);
	double ulp;
	bool falling;
};

struct math_pair {
	enum poly_op op;
	double (*ref)(double, double);
	long double (*refl)(long double, long double);
	double ulp;
};

enum { MATH_N_FUNCTION = 34, MATH_N_PAIR = 4 };
extern const struct math_function math_function[MATH_N_FUNCTION];
extern const struct math_pair math_pair[MATH_N_PAIR];

/* The error of "got" in units of the last place of "ref" (of the least
 * denormal below the normal numbers); HUGE_VAL if only one of them is NaN, or
 * infinite where the other is not close to it.
 */
double math_error_f32(float got, double ref);
double math_error_f64(double got, long double ref);

#endif
