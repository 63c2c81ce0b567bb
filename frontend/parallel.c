/* Data-parallel functions as a notation: whole files of them. The function that is
 * compiled becomes definitions as index notation has them.
 */
#include "frontend/definitions.h"
#include "frontend/notation.h"
#include "frontend/parallel/parallel.h"

/* How the text is read. */
struct request {
	const char *function;
	const struct fe_define *def;
	int n_def;
	bool relaxed, strict;
};

/* The stages. */
static void read_stages(struct fe_unit *u, void *user)
{
	const struct request *r = user;

	if (u->len > FE_MAX_TEXT) {
		FE_REPORT(u, FE_LONG_TEXT, NULL, FE_MAX_TEXT, u->len);
		return;
	}
	u->relaxed = r->relaxed;
	u->strict = r->strict;
	fe_par_read(u, r->function, r->def, r->n_def);
	if (!fe_has_errors(u))
		fe_definitions_show(u);
}

static struct fe_unit *read_parallel(const char *file, const char *text,
	size_t len, const struct fe_how *how, const struct fe_define *def,
	int n_def, struct poly_report *report)
{
	struct request request = { how->function, def, n_def,
		how->relaxed, how->strict };

	return fe_unit_make(file, text, len, report, read_stages, &request);
}

const struct fe_notation fe_notation_parallel = {
	.name = "parallel",
	.help = "data-parallel functions, the last one or that of --function",
	.suffix = ".dag",
	.read = read_parallel,
	.print_check = fe_definitions_print_check,
	.print_dag = fe_definitions_print_dag,
	.lower = fe_definitions_lower,
	.executor = &fe_definitions_executor,
};
