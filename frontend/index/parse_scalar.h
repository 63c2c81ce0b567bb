/* frontend/index: what the files that parse expressions share. */
#ifndef FRONTEND_INDEX_PARSE_SCALAR_H
#define FRONTEND_INDEX_PARSE_SCALAR_H

#include "frontend/index/index.h"
#include "frontend/base/parse.h"

/* How many rows a table has. */
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* --------------------------------------------------------- parse_scalar.c */

/* "e" with the depth that its operands and conditions give it; NULL, having
 * reported at "t", if that is too much.
 */
struct fe_scalar *fe_parse_measure(struct fe_parser *p, struct fe_scalar *e,
	const struct fe_token *t);
/* The operation "op" that the token "t" spells; NULL, having reported, if it
 * is nested too deep.
 *
 * "b" is NULL for an operation with one operand, and both are NULL while the
 * operands are still to come.
 */
struct fe_scalar *fe_parse_op(struct fe_parser *p, enum poly_op op,
	const struct fe_token *t, struct fe_scalar *a, struct fe_scalar *b);

/* -------------------------------------------------------- parse_primary.c */

/* A literal, a name, a call, a reduction, or an expression in brackets; NULL,
 * having reported. What nests counts towards a limit.
 */
struct fe_scalar *fe_parse_primary(struct fe_parser *p);

#endif
