/* The verb lsp: a server of the Language Server Protocol 3.17 on standard input and
 * output; what its files share, grouped by file.
 */
#ifndef TOOLS_LSP_H
#define TOOLS_LSP_H

#include "tools/lib/base/json.h"
#include "tools/tools.h"

/* ----------------------------------------------------------------- lsp.c */

enum tool_exit tool_lsp(struct tool_options *o);

/* ------------------------------------------------------------ lsp_text.c */

/* A text that is open in the editor; "file" is its name. */
struct tool_document {
	char *uri, *file, *text;
	size_t len;
	struct tool_document *next;
};
/* The file's name that a URI has; owned by the caller, NULL without memory. */
char *tool_uri_file(const char *uri);
/* The byte at a line and a character of UTF-16, from 0; the end of the line, or of the
 * text, if there is no such.
 */
size_t tool_text_offset(const struct tool_document *d, int line, int character);
/* Append the range of the "len" bytes at "at". */
void tool_text_range(const struct tool_document *d, size_t at, size_t len,
	struct poly_str *out);
/* The name around the byte "at": its first byte, "*len" its length; 0: there is none. */
size_t tool_text_name(const struct tool_document *d, size_t at, size_t *len);
/* Where the name of "len" bytes at "at" is defined, in matrix expressions and index
 * notation: a declaration, the head of a definition, or for an index the place where its
 * statement has it first. False if it is not.
 */
bool tool_text_definition(const struct tool_document *d, size_t at, size_t len,
	size_t *found);

/* ---------------------------------------------------------- lsp_answer.c */

/* Append the list of diagnostics of "d"; check it in a worker. */
void tool_lsp_diagnostics(const struct tool_document *d, struct poly_str *out);
/* Append what is known of the name: its shape, and the domains and accesses of the
 * statements that write it, as Markdown. Nothing if that is nothing.
 */
void tool_lsp_hover(const struct tool_document *d, const char *name,
	struct poly_str *out);

#endif
