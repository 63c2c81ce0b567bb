/* frontend/index: index notation; grouped by file.
 *
 * Items become tensors: declared ones, and definitions with their indices,
 * conditions and pieces (parse_index.c, parse_scalar.c). Names are bound
 * (bind.c), types found (type.c), ranges inferred (range.c). Matrix expressions
 * become tensors, too (from_matrix.c), so that what follows knows tensors only.
 */
#ifndef FRONTEND_INDEX_H
#define FRONTEND_INDEX_H

#include "frontend/index/tensor/tensor.h"

struct fe_parser;	/* base/parse.h */

/* ---------------------------------------------------------- parse_scalar.c */

/* An expression of index notation, or one without "?:" (a condition); NULL,
 * having reported.
 */
struct fe_scalar *fe_parse_scalar(struct fe_parser *p);
struct fe_scalar *fe_parse_condition(struct fe_parser *p);
/* Conditions separated by commas, in a list at "*first". */
bool fe_parse_conditions(struct fe_parser *p, struct fe_scalar **first);

/* -------------------------------------------------------- parse_primary.c */

/* Add an index named by the token "name" to "scope". */
struct fe_index *fe_parse_add_index(struct fe_parser *p,
	struct fe_scope *scope, const struct fe_token *name);

/* ----------------------------------------------------------- parse_index.c */

/* True if the current token begins an item of index notation. */
bool fe_parse_at_index_item(const struct fe_parser *p);
/* Parse that item; false, having reported. */
bool fe_parse_index_item(struct fe_parser *p);

/* ---------------------------------------------------------- parse_update.c */

/* Does the bracket at the current token, behind a name, hold positions that are
 * updated?
 */
bool fe_parse_at_update(const struct fe_parser *p);
/* Parse that update of "name", at the bracket; false, having reported. */
bool fe_parse_update(struct fe_parser *p, const struct fe_token *name,
	bool is_out);

/* ------------------------------------------------------------------ bind.c */

/* Bind the names of a definition and note what it reads; of the size of an
 * input; of an assumption.
 */
void fe_bind_tensor(struct fe_unit *u, struct fe_tensor *t);
void fe_bind_size(struct fe_unit *u, struct fe_scalar *e);
void fe_bind_assumption(struct fe_unit *u, struct fe_scalar *e);

/* ---------------------------------------------------------------- limit.c */

/* Bind the assumptions of the unit, whose tensors are declared: those of what an input
 * holds become its limits.
 */
void fe_limits_take(struct fe_unit *u);

/* ----------------------------------------------------------- from_matrix.c */

/* The tensor for the matrix "n", which is its own base. */
struct fe_tensor *fe_from_matrix(struct fe_unit *u, const struct fe_node *n);
/* Make and check the tensors of the matrix "def": of its operations, and a copy if
 * it is only another name or view of a matrix.
 */
void fe_from_def(struct fe_unit *u, struct fe_def *def);

/* ----------------------------------------------------------- index_check.c */

/* Does "name" mean something in expressions? Then no tensor has it. */
bool fe_index_is_taken(const char *name);
/* Declare the tensors of the text, before matrices are checked. */
void fe_index_declare(struct fe_unit *u);
/* Check the definitions in index notation up to item "order", and those that
 * they need.
 */
void fe_index_check(struct fe_unit *u, int order);
/* Check "t" and those that it needs. */
void fe_index_check_one(struct fe_unit *u, struct fe_tensor *t);
/* Outputs, what they need, and warnings. */
void fe_index_outputs(struct fe_unit *u);

/* --------------------------------------------------------- index_domain.c */

/* Check that pieces cover their definitions, that reads meet values, and that
 * nothing needs itself. "*needs_fixed": only with the values of -D. Remarks
 * are made once for a unit.
 */
isl_stat fe_index_domains(struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report, bool *needs_fixed);

/* ---------------------------------------------------------- lower_index.c */

/* Add the unit, whose sizes are there, to "prog". */
isl_stat fe_index_lower(const struct fe_unit *u, struct poly_prog *prog);

/* ----------------------------------------------------------- interp_unit.c */

/* The interpreter of index notation; see struct fe_executor. */
struct fe_index_interp;
struct fe_work;
void *fe_index_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work);
void fe_index_interp_free(void *interp);
bool fe_index_interp_set(void *interp, const char *name,
	const void *data);
int fe_index_interp_shape(void *interp, const char *name,
	int64_t dim[FE_MAX_DIM]);
bool fe_index_interp_eval(void *interp, const char *name,
	const int64_t *index, struct fe_value *v);
double fe_index_interp_cost(void *interp);

/* ----------------------------------------------------------- interp_data.c */

bool fe_index_interp_check(void *interp, struct fe_bad_read *bad);
bool fe_index_interp_positions(void *interp, const char *name, int64_t *first,
	int64_t *last);

/* ----------------------------------------------------------- index_print.c */

void fe_index_print(const struct fe_unit *u, struct poly_str *out);
/* "3 inputs:", and the sizes behind their number: " N M=5". */
void fe_print_count(int n, const char *one, const char *many,
	struct poly_str *out);
void fe_print_params(const struct fe_unit *u, struct poly_str *out);
void fe_index_print_dag(const struct fe_unit *u, struct poly_str *out);

#endif
