/* frontend/base: what the parsers of definitions share. matrix/parse.c reads items
 * and matrix expressions, index/parse_index.c the items of index notation,
 * index/parse_scalar.c its expressions; parse_token.c handles the tokens.
 */
#ifndef FRONTEND_BASE_PARSE_H
#define FRONTEND_BASE_PARSE_H

#include "frontend/base/base.h"

struct fe_assign;	/* matrix/matrix.h */
struct fe_expr;
struct fe_decl;
struct fe_output_name;
struct fe_scalar;	/* index/index.h */

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
/* The same with advice behind it, which begins with a semicolon or is "". */
void fe_parse_expected_but(struct fe_parser *p, const char *what, const char *advice);
/* Accept the semicolon behind the sizes that a program declares. A value behind one is
 * reported.
 */
bool fe_parse_end_sizes(struct fe_parser *p);
/* Is it the second asterisk of "**"? */
bool fe_parse_at_power(const struct fe_parser *p);
/* Write what messages call "t" into "text". */
const char *fe_parse_describe(const struct fe_token *t, char text[64]);
/* Count one more open bracket, call or sign; false, having reported, if there
 * are too many. The caller takes it off p->nesting.
 */
bool fe_parse_enter(struct fe_parser *p);
/* The number at the current token, which is passed. */
double fe_parse_number(struct fe_parser *p);

#endif
