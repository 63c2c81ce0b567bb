/* The functions in MPFR, where the build has it. */
#ifndef MATH_EXACT_H
#define MATH_EXACT_H

#include "tests/nvptx/math_reference.h"

extern const bool math_has_exact;

/* How far "got", the function's value at "x", is off, in ulp. */
double math_exact_error(const struct math_function *row, float x, float got);

#endif
