/* Sets and functions of isl from text. The compiler makes its own from
 * polyir/base/tuple.c.
 */
#ifndef TESTS_READ_H
#define TESTS_READ_H

#include "polyir/polyir.h"

static inline __isl_give isl_set *poly_read_set(struct poly_prog *p,
	const char *text)
{
	return isl_set_read_from_str(p->ctx, text);
}

static inline __isl_give isl_multi_pw_aff *poly_read_index(struct poly_prog *p,
	const char *text)
{
	return isl_multi_pw_aff_read_from_str(p->ctx, text);
}

#endif
