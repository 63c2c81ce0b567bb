/* A unit: the memory, the names and the messages of one program.
 *
 * Whoever reads a text leaves through the arena's jump buffer when memory ends,
 * which is reported like any other error.
 *
 * The arena is freed with the unit, so the parts of a unit need no freeing one
 * by one. fe_unit_make has the setjmp: below it memory never fails in the eyes
 * of a caller.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/base/base.h"

/* Since the unit was begun: a report may have messages of others. */
bool fe_has_errors(const struct fe_unit *u)
{
	return u->report->n_error > u->n_error;
}

/* Those of one line by their columns. */
static bool is_before(const struct poly_message *a,
	const struct poly_message *b)
{
	if (a->loc.line != b->loc.line)
		return a->loc.line < b->loc.line;
	return a->loc.col < b->loc.col;
}

/* Put the unit's messages into the order of their places; those that have
 * none stay where they are.
 *
 * Insertion sort, stable: the messages are found nearly in order.
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

/* An identifier from the file's name without folder and ending.
 *
 * "conv-3x3.mx" becomes conv_3x3; a name that begins with a digit gets "_" in
 * front. The name is the default of the entry point.
 */
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

static void report_no_memory(struct poly_report *report)
{
	poly_report_add(report, MSG_NO_MEMORY, NULL, "the program");
}

/* Read the unit, whose text is there; it keeps nothing of the caller's.
 *
 * After success the text of the caller is forgotten, and the report: a unit
 * outlives both.
 */
static struct fe_unit *read_unit(struct fe_unit *u, fe_reader *read, void *user)
{
	read(u, user);
	sort_messages(u);
	if (fe_has_errors(u))
		return fe_unit_free(u);
	u->report = NULL;
	u->text = u->whole = NULL;
	return u;
}

/* NULL, having reported. The unit is freed with fe_unit_free. */
struct fe_unit *fe_unit_make(const char *file, const char *text, size_t len,
	struct poly_report *report, fe_reader *read, void *user)
{
	struct fe_unit *u = calloc(1, sizeof(*u));

	if (!u) {
		report_no_memory(report);
		return NULL;
	}
	u->report = report;
	u->first_message = report->n_msg;
	u->n_error = report->n_error;
	u->text = u->whole = text;
	u->len = len;
	if (setjmp(u->arena.no_memory)) {
		report_no_memory(report);
		return fe_unit_free(u);
	}
	u->file = fe_arena_text(&u->arena, file, strlen(file));
	u->name = name_from_file(u);
	return read_unit(u, read, user);
}

/* One more of each, so that no list is NULL. */
void fe_face_alloc(struct fe_unit *u, int n_input, int n_output, int n_size)
{
	struct fe_face *f = &u->face;

	f->input = fe_arena_alloc(&u->arena,
		((size_t)n_input + 1) * sizeof(*f->input));
	f->output = fe_arena_alloc(&u->arena,
		((size_t)n_output + 1) * sizeof(*f->output));
	f->size = fe_arena_alloc(&u->arena,
		((size_t)n_size + 1) * sizeof(*f->size));
}

/* Units within a unit, as of a nest that is called, are freed with it. Returns
 * "inner", which may be NULL.
 */
struct fe_unit *fe_unit_own(struct fe_unit *u, struct fe_unit *inner)
{
	if (inner) {
		inner->next_inner = u->inner;
		u->inner = inner;
	}
	return inner;
}

/* Free "u", which may be NULL; returns NULL. */
struct fe_unit *fe_unit_free(struct fe_unit *u)
{
	struct fe_unit *inner, *next;

	for (inner = u ? u->inner : NULL; inner; inner = next) {
		next = inner->next_inner;
		fe_unit_free(inner);
	}
	if (u)
		fe_arena_free(&u->arena);
	free(u);
	return NULL;
}
