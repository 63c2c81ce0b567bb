/* Definitions as a notation: matrix expressions, index notation, or both, with calls
 * of nests among them.
 *
 * A stage reports all that is wrong in it, up to FE_MAX_ERROR; the next one
 * begins only if nothing was.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/definitions.h"
#include "frontend/nest.h"
#include "frontend/notation.h"
#include "frontend/matrix/matrix.h"
#include "frontend/index/index.h"
#include "frontend/parallel/parallel.h"

/* The values of -D.
 *
 * Of the command line, or of a test.
 */
struct defines {
	const struct fe_define *item;
	int n;
};

/* A tensor as callers see it: name, type, input or output. */
static struct fe_matrix shown(const struct fe_tensor *t, bool is_input)
{
	return (struct fe_matrix) { t->name, t->type, is_input, false };
}

/* Names are chosen now, so that plan, header and messages agree. The unit has
 * no errors.
 */
void fe_definitions_show(struct fe_unit *u)
{
	struct fe_face *f = &u->face;
	const struct fe_param *p;
	int i;

	fe_names(u);
	fe_face_alloc(u, u->n_input, u->n_output, u->n_param);
	for (i = 0; i < u->n_input; i++)
		f->input[f->n_input++] = shown(u->in[i], true);
	for (i = 0; i < u->n_output; i++)
		f->output[f->n_output++] = shown(u->out[i], false);
	for (p = u->param; p; p = p->next)
		f->size[f->n_size++] = (struct fe_face_size) { p->name,
			p->symbol->name, p->folded };
}

/* The stages.
 *
 * First text that is another notation is cut out: nests in C, data-parallel
 * functions.
 */
static void read_stages(struct fe_unit *u, void *user)
{
	const struct defines *def = user;

	if (u->len > FE_MAX_TEXT) {
		FE_REPORT(u, FE_LONG_TEXT, NULL, FE_MAX_TEXT, u->len);
		return;
	}
	fe_nest_split(u);
	fe_par_split(u);
	fe_parse(u, fe_lex(u));
	if (!fe_has_errors(u))
		fe_check(u, def->item, def->n);
	if (!fe_has_errors(u))
		fe_definitions_show(u);
}

/* NULL, having reported. "how" has options of other notations. */
static struct fe_unit *read_definitions(const char *file, const char *text,
	size_t len, const struct fe_how *how, const struct fe_define *def,
	int n_def, struct poly_report *report)
{
	struct defines defines = { def, n_def };

	(void)how;
	return fe_unit_make(file, text, len, report, read_stages, &defines);
}

/* A unit that has an index definition is printed in index notation as a whole.
 */
void fe_definitions_print_check(const struct fe_unit *u, struct poly_str *out)
{
	if (u->indexed)
		fe_index_print(u, out);
	else
		fe_matrix_print(u, out);
}

void fe_definitions_print_dag(const struct fe_unit *u, struct poly_str *out)
{
	if (u->indexed)
		fe_index_print_dag(u, out);
	else
		fe_matrix_print_dag(u, out);
}

/* Sizes stay symbolic where they are parameters, whatever -D says.
 *
 * Folded and hidden sizes need no order: the caller's come first.
 */
static isl_stat add_params(const struct fe_unit *u, struct poly_prog *prog)
{
	const struct fe_param *p;

	for (p = u->param; p; p = p->next) {
		struct poly_param *param = poly_prog_add_param(prog, p->name);

		if (!param)
			return isl_stat_error;
		param->loc = p->loc;
		if (p->fixed &&
		    poly_prog_fix(prog, p->name, p->value) < 0)
			return isl_stat_error;
	}
	return isl_stat_ok;
}

/* NULL, reported, without memory or if isl fails. The front end's unit stays as
 * it is.
 */
struct poly_prog *fe_definitions_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report)
{
	struct poly_prog *prog = poly_prog_alloc(ctx, u->name, report);

	if (!prog)
		return NULL;
	free(prog->file);
	prog->file = strdup(u->file);
	if (!prog->file || add_params(u, prog) < 0 ||
	    fe_index_lower(u, prog) < 0)
		return poly_prog_free(prog);
	return prog;
}

/* The interpreter of index notation evaluates matrices, too, as they become
 * that (from_matrix.c).
 */
const struct fe_executor fe_definitions_executor = {
	.alloc = fe_index_interp_alloc,
	.free = fe_index_interp_free,
	.set_input = fe_index_interp_set,
	.shape = fe_index_interp_shape,
	.eval = fe_index_interp_eval,
	.cost = fe_index_interp_cost,
	.check = fe_index_interp_check,
	.positions = fe_index_interp_positions,
};

const struct fe_notation fe_notation_definitions = {
	.name = "definitions",
	.help = "matrix expressions and index notation, with calls of nests",
	.read = read_definitions,
	.print_check = fe_definitions_print_check,
	.print_dag = fe_definitions_print_dag,
	.lower = fe_definitions_lower,
	.executor = &fe_definitions_executor,
};
