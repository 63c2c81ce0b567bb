/* The text of a program to a unit, stage by stage, and what others ask of a unit.
 *
 * A stage reports all that is wrong in it, up to FE_MAX_ERROR; the next one
 * begins only if nothing was.
 */
#include <string.h>

#include "frontend/nest.h"
#include "frontend/matrix/matrix.h"
#include "frontend/index/index.h"
#include "frontend/c/read/tree.h"

/* The values of -D. */
struct defines {
	const struct fe_define *item;
	int n;
};

/* The stages of definitions. */
static void read_definitions(struct fe_unit *u, void *user)
{
	const struct defines *def = user;

	if (u->len > FE_MAX_TEXT) {
		FE_REPORT(u, FE_LONG_TEXT, NULL, FE_MAX_TEXT, u->len);
		return;
	}
	fe_nest_split(u);
	fe_parse(u, fe_lex(u));
	if (!fe_has_errors(u))
		fe_check(u, def->item, def->n);
	if (!fe_has_errors(u))
		fe_names(u);
}

/* Read "text", nests or a program, as described in frontend.h. "file" is copied;
 * "text" need not outlive the call.
 */
struct fe_unit *fe_read_function(const char *file, const char *text, size_t len,
	const char *function, const struct fe_define *def, int n_def,
	struct poly_report *report)
{
	struct fe_c_source src = { .original = text, .original_len = len,
		.function = function, .nests = true };
	struct defines defines = { def, n_def };
	struct poly_str nest = { 0 };
	struct fe_unit *u;

	if (len > FE_MAX_TEXT || !fe_is_only_nests(text, len))
		return fe_unit_make(file, text, len, report, read_definitions,
			&defines);
	fe_nest_text(file, text, len, &nest);
	u = nest.failed ? NULL : fe_read_c(file, nest.s, nest.len, &src, def,
		n_def, report);
	if (nest.failed)
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
	poly_str_free(&nest);
	return u;
}

struct fe_unit *fe_read(const char *file, const char *text, size_t len,
	const struct fe_define *def, int n_def, struct poly_report *report)
{
	return fe_read_function(file, text, len, NULL, def, n_def, report);
}

const struct fe_entry *fe_unit_entry(const struct fe_unit *u)
{
	return u->c ? u->c->entry : NULL;
}

/* Inputs in the order of their declaration. */
int fe_unit_n_input(const struct fe_unit *u)
{
	if (u->c)
		return u->c->n_input;
	return u->n_input;
}

/* Outputs in the order of CodeGen, or of definition without it. */
int fe_unit_n_output(const struct fe_unit *u)
{
	if (u->c)
		return u->c->n_output;
	return u->n_output;
}

/* Input "i", by the name that it has in the lowered program: its own, unless
 * an output has that or isl cannot read it (README.md, "Names").
 */
struct fe_matrix fe_unit_input(const struct fe_unit *u, int i)
{
	if (u->c)
		return u->c->input[i];
	return (struct fe_matrix) { u->in[i]->name, u->in[i]->type, true,
		false };
}

/* Output "i", by the name that it has in the lowered program. */
struct fe_matrix fe_unit_output(const struct fe_unit *u, int i)
{
	if (u->c)
		return u->c->output[i];
	return (struct fe_matrix) { u->out[i]->name, u->out[i]->type, false,
		false };
}

/* Parameters in the order of their declaration. */
int fe_unit_n_param(const struct fe_unit *u)
{
	if (u->c)
		return u->c->n_size;
	return u->n_param;
}

/* Parameter "i", by the name that it has in the lowered program. */
const char *fe_unit_param(const struct fe_unit *u, int i)
{
	const struct fe_param *p = u->param;

	if (u->c)
		return u->c->size[i]->lowered;
	while (i--)
		p = p->next;
	return p->name;
}

bool fe_unit_param_folded(const struct fe_unit *u, int i)
{
	const struct fe_param *p = u->param;

	if (u->c)
		return u->c->size[i]->folded;
	while (i--)
		p = p->next;
	return p->folded;
}

/* Parameter "i", by the name that it has in the text, and -D gives it. */
const char *fe_unit_param_text(const struct fe_unit *u, int i)
{
	const struct fe_param *p = u->param;

	if (u->c)
		return u->c->size[i]->name;
	while (i--)
		p = p->next;
	return p->symbol->name;
}
