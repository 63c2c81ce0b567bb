/* Elements of all float types, by the names of the types. */
#ifndef CETANE_CONVERT_H
#define CETANE_CONVERT_H

#include "runtime/base/base.h"

/* Element "i" of "data", whose elements are of the float type "type", such as "bf16"; and
 * store "x" there, rounded to the type.
 */
CETANE_INTERNAL double cetane_rt_float_load(const char *type, const void *data,
	int64_t i);
CETANE_INTERNAL void cetane_rt_float_store(const char *type, void *data, int64_t i,
	double x);

#endif
