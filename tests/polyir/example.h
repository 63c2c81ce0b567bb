/* Programs built by hand for the tests of polyir. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "polyir/polyir.h"
#include "tests/polyir/read.h"

/* A context, a report and a program of size parameters M, N and K. */
struct example {
	isl_ctx *ctx;
	struct poly_report report;
	struct poly_prog *prog;
};
/* Give up the context; false if something of it was left over. */
void example_open(struct example *x, const char *name);
bool example_close(struct example *x);

/* An array "NAME[rows, columns]" of f32. */
struct poly_array *example_array(struct example *x, const char *name,
	enum poly_role role, const char *rows, const char *columns);
/* OUT = A * B, summed over 0 <= k < "depth": statements NAME_init and NAME. */
void example_product(struct example *x, const char *name, const char *out,
	const char *a, const char *b, const char *depth);
/* OUT = A + B: statement NAME. */
void example_sum(struct example *x, const char *name, const char *out,
	const char *a, const char *b);

/* Fig. 2 of the paper: A * B + C, with "depth" for K. */
void example_fig2(struct example *x, const char *depth);
/* Fig. 7: (A + B) * (C + D). */
void example_fig7(struct example *x);

/* Fig. 2 in kernels with one thread a point. */
void example_mapped(struct example *x);

#endif
