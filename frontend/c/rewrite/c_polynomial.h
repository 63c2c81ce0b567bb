/* frontend/c/rewrite: integers of a nest as polynomials (c_polynomial.c). */
#ifndef FRONTEND_C_POLYNOMIAL_H
#define FRONTEND_C_POLYNOMIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend/c/tree/tree.h"

enum {
	FE_C_MAX_TERM = 48,	/* of a polynomial */
	FE_C_MAX_POWER = 6	/* factors of a term */
};

/* "coef" times "atom", which is no product and may be NULL, times sizes in the
 * order of their ids.
 */
struct fe_c_term {
	int64_t coef;
	const struct fe_c_expr *atom;
	const struct fe_c_expr *size[FE_C_MAX_POWER];
	int n_size;
};
struct fe_c_poly {
	struct fe_c_term term[FE_C_MAX_TERM];
	int n;
	bool failed;
};

/* The largest term of sizes alone, or NULL. */
const struct fe_c_term *fe_c_poly_leading(const struct fe_c_poly *p);
/* p += t; p += by * q */
void fe_c_poly_add(struct fe_c_poly *p, const struct fe_c_term *t);
void fe_c_poly_add_all(struct fe_c_poly *p, const struct fe_c_poly *q,
	int64_t by);
/* "p" = "q" * "by" + what stays in "p". */
void fe_c_poly_divide(struct fe_c_poly *p, const struct fe_c_poly *by,
	struct fe_c_poly *q);
/* The expression that "p" is, at "loc". */
struct fe_c_expr *fe_c_poly_expression(struct fe_unit *u,
	const struct fe_c_poly *p, const struct poly_loc *loc);
/* p += e */
void fe_c_poly_read(struct fe_unit *u, struct fe_c_poly *p,
	const struct fe_c_expr *e);
/* Is it a number alone? */
bool fe_c_poly_is_number(const struct fe_c_poly *p);
/* By degree, then by sizes: the order in which terms are divided. */
int fe_c_term_compare(const struct fe_c_term *a, const struct fe_c_term *b);
/* Are both the same, or both NULL? */
bool fe_c_same_atom(const struct fe_c_expr *a, const struct fe_c_expr *b);

#endif
