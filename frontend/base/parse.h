/* frontend: what the files of the parser share. parse.c reads items and
 * matrix expressions, parse_index.c the items of index notation, parse_scalar.c
 * its expressions; the tokens are handled here (parse_token.c).
 */
#ifndef FRONTEND_PARSE_H
#define FRONTEND_PARSE_H

#include "frontend/index/index.h"

struct fe_parser {
	struct fe_unit *unit;
	struct fe_token *token, *last;	/* current one; the one before it */
	int nesting;
	struct fe_assign *assign;	/* being parsed */
	struct fe_expr **expr_tail;
	struct fe_decl **decl_tail;
	struct fe_assign **assign_tail;
	struct fe_output_name **output_tail;
	struct fe_tensor **tensor_tail;
	struct fe_scalar **assume_tail;
	int order;		/* of items */
	bool in_case;		/* between the braces of a case */
	bool done;
};

/* ---------------------------------------------------------- parse_token.c */

void fe_parse_advance(struct fe_parser *p);
bool fe_parse_at(const struct fe_parser *p, enum fe_token_kind kind);
bool fe_parse_accept(struct fe_parser *p, enum fe_token_kind kind);
/* True if the current token is the name "word", which is no name here. */
bool fe_parse_at_word(const struct fe_parser *p, const char *word);
bool fe_parse_accept_word(struct fe_parser *p, const char *word);
/* True if "t" is the name "word". */
bool fe_parse_is_word(const struct fe_token *t, const char *word);
/* Accept the token or report that it was expected. */
bool fe_parse_expect(struct fe_parser *p, enum fe_token_kind kind);
/* The name at the current token, or NULL, having reported. */
struct fe_token *fe_parse_expect_name(struct fe_parser *p);
/* Report that "what" should stand at the current token. Where the token is
 * on a later line, the place is behind the last one. A malformed token has
 * been reported.
 */
void fe_parse_expected(struct fe_parser *p, const char *what);
/* Write what messages call "t" into "text". */
const char *fe_parse_describe(const struct fe_token *t, char text[64]);
/* Count one more open bracket, call or sign; false, having reported, if there
 * are too many. The caller takes it off p->nesting.
 */
bool fe_parse_enter(struct fe_parser *p);
/* The number at the current token, which is passed. */
double fe_parse_number(struct fe_parser *p);

/* --------------------------------------------------------- parse_scalar.c */

/* An expression of index notation, or one without "?:" (a condition); NULL,
 * having reported.
 */
struct fe_scalar *fe_parse_scalar(struct fe_parser *p);
struct fe_scalar *fe_parse_condition(struct fe_parser *p);
/* Conditions separated by commas, in a list at "*first". */
bool fe_parse_conditions(struct fe_parser *p, struct fe_scalar **first);
/* Add an index named by the token "name" to "scope". */
struct fe_index *fe_parse_add_index(struct fe_parser *p,
	struct fe_scope *scope, const struct fe_token *name);

/* ---------------------------------------------------------- parse_index.c */

/* True if the current token begins an item of index notation. */
bool fe_parse_at_index_item(const struct fe_parser *p);
/* Parse that item; false, having reported. */
bool fe_parse_index_item(struct fe_parser *p);

#endif
