/* What the files share that read the text of a program. */
#ifndef POLYIR_PARSE_H
#define POLYIR_PARSE_H

#include <stdbool.h>

#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* "owner" has the member "name", a statement that may come later.
 *
 * "name" is owned; poly_resolve_members looks for it when all statements have been
 * read.
 */
struct poly_member {
	struct poly_stmt *owner;
	char *name;
	struct poly_loc loc;
};

/* "tree" is where messages about the schedule point to. */
struct poly_parser {
	struct poly_scan scan;
	struct poly_prog *prog;
	struct poly_member *member;
	int n_member, cap;
	struct poly_loc tree;	/* of the word "schedule" */
};

/* parse.c: let "*where" own a copy of "text"; without text or memory it stays.
 *
 * Used for names that poly_prog_alloc has set already.
 */
bool poly_replace_text(char **where, const char *text);

/* parse_expr.c: take the name of an element type; POLY_N_TYPE, reported, if there is none.
 *
 * The word stays where it is if it is none, so that the message points to it.
 */
enum poly_type poly_parse_type(struct poly_scan *s);
/* Take the name of an array. Arrays come before statements in the text, so it must be there. */
struct poly_array *poly_parse_array_name(struct poly_parser *p);
/* Read "(OPERATOR ...)". Depth is bounded, as what walks an expression is recursive. */
struct poly_expr *poly_parse_expr(struct poly_parser *p, int depth);

/* parse_stmt.c: true if the current line is one of the current statement's that begins with
 * "word", which is taken.
 *
 * Details are indented by two; a line of less is the next statement.
 */
bool poly_begin_detail(struct poly_scan *s, const char *word);
/* Read one statement with its further lines; its members may come behind it.
 *
 * The domain has the statement's name as its tuple; poly_verify compares.
 */
void poly_parse_stmt(struct poly_parser *p);
/* Connect members with their tile operations.
 *
 * In the order of the text, which is that of execution within an instance.
 */
void poly_resolve_members(struct poly_parser *p);

#endif
