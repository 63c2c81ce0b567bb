/* Edits to the text of a program, for tests that break one on purpose. */
#ifndef EDIT_H
#define EDIT_H

#include "polyir/polyir.h"

/* One edit; each fails the test unless it finds what it names.
 * REPLACE: every "a" becomes "b".
 * SWAP: the children of a sequence, set or list of records that "a" and "b"
 *	stand in change places. A child is a line that begins with "filter",
 *	or a record of one line, and all that is indented deeper.
 * MOVE: the child that "a" stands in goes before the one of "b".
 * DROP: the lines that name the statement "a" disappear.
 */
enum edit_how { EDIT_NONE, EDIT_REPLACE, EDIT_SWAP, EDIT_MOVE, EDIT_DROP };
struct edit {
	enum edit_how how;
	const char *a, *b;
};

/* Apply "n" edits, up to the first that is EDIT_NONE. */
void edit_text(struct poly_str *text, const struct edit *edit, int n);
/* The program of "text"; fails the test, and prints the messages, if
 * poly_parse has any.
 */
struct poly_prog *edit_parse(isl_ctx *ctx, const struct poly_str *text,
	struct poly_report *report);

#endif
