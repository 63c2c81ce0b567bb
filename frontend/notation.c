/* The table of notations: which one a program is in, and what others ask of it. */
#include <string.h>

#include "frontend/notation.h"
#include "frontend/base/base.h"

static const struct fe_notation *const table[] = {
#define NOTATION(id) &fe_notation_##id,
#include "frontend/notation.def"
#undef NOTATION
};
enum { N_NOTATION = sizeof(table) / sizeof(table[0]) };

const struct fe_notation *fe_notation_at(int i)
{
	return i < N_NOTATION ? table[i] : NULL;
}

/* Does "text" end in "end", which may be NULL? */
static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = end ? strlen(end) : len + 1;

	return len >= n && !strcmp(text + len - n, end);
}

const struct fe_notation *fe_notation_of(const char *file)
{
	int i;

	for (i = 0; i < N_NOTATION; i++)
		if (ends_with(file, table[i]->suffix) ||
		    ends_with(file, table[i]->expanded))
			return table[i];
	return NULL;
}

/* The first notation without a suffix that has the text; the last has any. */
static const struct fe_notation *told_by(const char *text, size_t len)
{
	int i;

	for (i = 0; i < N_NOTATION - 1; i++)
		if (!table[i]->suffix && len <= FE_MAX_TEXT &&
		    table[i]->has(text, len))
			break;
	return table[i];
}

bool fe_is_definitions(const char *file, const char *text, size_t len)
{
	const struct fe_notation *n = fe_notation_of(file);

	return (n ? n : told_by(text, len)) == &fe_notation_definitions;
}

struct fe_unit *fe_read_as(const struct fe_notation *n, const char *file,
	const char *text, size_t len, const struct fe_how *how,
	const struct fe_define *def, int n_def, struct poly_report *report)
{
	struct fe_unit *u;

	if (!n)
		n = told_by(text, len);
	u = n->read(file, text, len, how, def, n_def, report);
	if (u)
		u->notation = n;
	return u;
}

struct fe_unit *fe_read(const char *file, const char *text, size_t len,
	const struct fe_define *def, int n_def, struct poly_report *report)
{
	const struct fe_how how = { 0 };

	return fe_read_as(NULL, file, text, len, &how, def, n_def, report);
}

void fe_print_check(const struct fe_unit *u, struct poly_str *out)
{
	u->notation->print_check(u, out);
}

void fe_print_dag(const struct fe_unit *u, struct poly_str *out)
{
	if (u->notation->print_dag)
		u->notation->print_dag(u, out);
}

const struct fe_entry *fe_unit_entry(const struct fe_unit *u)
{
	return u->face.entry;
}

/* Inputs in the order of their declaration. */
int fe_unit_n_input(const struct fe_unit *u)
{
	return u->face.n_input;
}

/* Outputs in the order of CodeGen, or of definition without it. */
int fe_unit_n_output(const struct fe_unit *u)
{
	return u->face.n_output;
}

/* Input "i", by the name that it has in the lowered program: its own, unless
 * an output has that or isl cannot read it (README.md, "Names").
 */
struct fe_matrix fe_unit_input(const struct fe_unit *u, int i)
{
	return u->face.input[i];
}

/* Output "i", by the name that it has in the lowered program. */
struct fe_matrix fe_unit_output(const struct fe_unit *u, int i)
{
	return u->face.output[i];
}

/* Parameters in the order of their declaration. */
int fe_unit_n_param(const struct fe_unit *u)
{
	return u->face.n_size;
}

/* Parameter "i", by the name that it has in the lowered program. */
const char *fe_unit_param(const struct fe_unit *u, int i)
{
	return u->face.size[i].name;
}

bool fe_unit_param_folded(const struct fe_unit *u, int i)
{
	return u->face.size[i].folded;
}

/* Parameter "i", by the name that it has in the text, and -D gives it. */
const char *fe_unit_param_text(const struct fe_unit *u, int i)
{
	return u->face.size[i].text;
}
