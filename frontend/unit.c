/* A unit from its text, stage by stage, and what others ask of it.
 *
 * A stage reports all that is wrong in it, up to FE_MAX_ERROR; the next one
 * begins only if nothing was. The stages leave through the arena's jump buffer
 * when memory ends, which is reported like any other error.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/nest.h"
#include "frontend/matrix/matrix.h"
#include "frontend/index/index.h"
#include "frontend/c/c.h"
#include "frontend/c/read/tree.h"

static bool has_errors(const struct fe_unit *u)
{
	return u->report->n_error > u->n_error;
}

static bool is_before(const struct poly_message *a,
	const struct poly_message *b)
{
	if (a->loc.line != b->loc.line)
		return a->loc.line < b->loc.line;
	return a->loc.col < b->loc.col;
}

/* Put the unit's messages into the order of their places; those that have
 * none stay where they are.
 */
static void sort_messages(struct fe_unit *u)
{
	struct poly_message *m = u->report->msg;
	int i, k;

	for (i = u->first_message + 1; i < u->report->n_msg; i++) {
		struct poly_message moved = m[i];

		for (k = i; k > u->first_message; k--) {
			if (!moved.loc.line || !is_before(&moved, &m[k - 1]))
				break;
			m[k] = m[k - 1];
		}
		m[k] = moved;
	}
}

/* An identifier from the file's name without folder and ending. */
static const char *name_from_file(struct fe_unit *u)
{
	const char *slash = strrchr(u->file, '/'), *dot;
	const char *stem = slash ? slash + 1 : u->file;
	char *name, *p;

	dot = strchr(stem, '.');
	if (dot == stem)
		dot = NULL;
	name = fe_arena_alloc(&u->arena, strlen(stem) + 2);
	name[0] = '_';
	memcpy(name + 1, stem, dot ? (size_t)(dot - stem) : strlen(stem));
	for (p = name; *p; p++)
		if ((unsigned char)*p >= 0x80 || !isalnum((unsigned char)*p))
			*p = '_';
	if (!name[1])
		return "program";
	return isdigit((unsigned char)name[1]) ? name : name + 1;
}

/* The stages; true if nothing was wrong. */
static bool read_unit(struct fe_unit *u, const struct fe_define *def,
	int n_def)
{
	if (u->len > FE_MAX_TEXT) {
		FE_REPORT(u, FE_LONG_TEXT, NULL, FE_MAX_TEXT, u->len);
		return false;
	}
	fe_nest_split(u);
	fe_parse(u, fe_lex(u));
	if (has_errors(u))
		return false;
	fe_check(u, def, n_def);
	if (has_errors(u))
		return false;
	fe_names(u);
	return true;
}

/* Read a C file if "src" is given, else the text of the other notations. */
static struct fe_unit *read_file(struct fe_unit *u,
	const struct fe_c_source *src, const struct fe_define *def, int n_def)
{
	bool good = true;

	if (src)
		fe_c_read(u, src, def, n_def);
	else
		good = read_unit(u, def, n_def);
	sort_messages(u);
	if (!good || has_errors(u))
		return fe_unit_free(u);
	u->report = NULL;
	u->text = u->whole = NULL;
	return u;
}

static struct fe_unit *read_text(const char *file, const char *text,
	size_t len, const struct fe_c_source *src,
	const struct fe_define *def, int n_def, struct poly_report *report)
{
	struct fe_unit *u = calloc(1, sizeof(*u));

	if (!u) {
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
		return NULL;
	}
	u->report = report;
	u->first_message = report->n_msg;
	u->n_error = report->n_error;
	u->text = u->whole = text;
	u->len = len;
	if (setjmp(u->arena.no_memory)) {
		poly_report_add(report, MSG_NO_MEMORY, NULL,
			"the program");
		return fe_unit_free(u);
	}
	u->file = fe_arena_text(&u->arena, file, strlen(file));
	u->name = name_from_file(u);
	return read_file(u, src, def, n_def);
}

/* Read "text", nests or a program, as described in frontend.h. "file" is copied; "text" need not
 * outlive the call.
 */
struct fe_unit *fe_read_function(const char *file, const char *text, size_t len,
	const char *function, const struct fe_define *def, int n_def,
	struct poly_report *report)
{
	struct fe_c_source src = { .original = text, .original_len = len,
		.function = function, .nests = true };
	struct poly_str nest = { 0 };
	struct fe_unit *u;

	if (len > FE_MAX_TEXT || !fe_is_only_nests(text, len))
		return read_text(file, text, len, NULL, def, n_def, report);
	fe_nest_text(file, text, len, &nest);
	u = nest.failed ? NULL : read_text(file, nest.s, nest.len, &src, def,
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

struct fe_unit *fe_read_c(const char *file, const char *text, size_t len,
	const struct fe_c_source *src, const struct fe_define *def, int n_def,
	struct poly_report *report)
{
	return read_text(file, text, len, src, def, n_def, report);
}

/* Free "u", which may be NULL; returns NULL. */
struct fe_unit *fe_unit_free(struct fe_unit *u)
{
	struct fe_nest *n;
	struct fe_call *c;

	for (n = u ? u->nest : NULL; n; n = n->next)
		fe_unit_free(n->alone);
	for (c = u ? u->call : NULL; c; c = c->next)
		fe_unit_free(c->unit);
	if (u)
		fe_arena_free(&u->arena);
	free(u);
	return NULL;
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
