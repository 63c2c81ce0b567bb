/* A program as text: printing, parsing, limits, and the tables of Diesel. */
#ifndef POLYIR_TEXT_H
#define POLYIR_TEXT_H

#include <stddef.h>

#include <isl/ctx.h>

#include "polyir/ir/ir.h"

struct poly_report;
struct poly_str;

/* print.c, parse.c: the whole program as text (README.md gives the grammar).
 * Reading the text of a program gives the same text again. poly_parse
 * bounds length, nesting, number size and powers before isl sees anything,
 * verifies the result with poly_verify, and reports errors with line and
 * column; NULL on error. Only the worker child may call it (isl's readers
 * crash on hostile text).
 */
void poly_print(struct poly_prog *prog, struct poly_str *out);
void poly_print_tree(struct poly_prog *prog, struct poly_str *out,
	const char *prefix);
void poly_print_expr(const struct poly_expr *e, struct poly_str *out);
struct poly_prog *poly_parse(isl_ctx *ctx, const char *text, size_t len,
	struct poly_report *report);

/* copy.c: a copy of "prog" that reports to "report"; or the program of "text",
 * which was printed of "prog" or of what it was before, for the same target and
 * request. NULL if that fails.
 */
struct poly_prog *poly_copy(struct poly_prog *prog,
	struct poly_report *report);
struct poly_prog *poly_copy_of_text(struct poly_prog *prog,
	const struct poly_str *text, struct poly_report *report);

/* diesel.c: the analyses of the Diesel paper as text (FEATURES D16-D21):
 * per point statement iteration domain, accesses, intra-node dependence,
 * last-writer map; per edge the RAW relation; the RAR relation.
 */
isl_stat poly_print_diesel(struct poly_prog *prog, struct poly_str *out);

/* print.c: the words of a block, as poly_scan_block reads them. */
void poly_print_block(const struct poly_block *b, struct poly_str *out);

/* Limits of the text form; README.md states them. */
enum {
	POLY_TEXT_MAX = 16 << 20,	/* bytes of a program */
	POLY_LINE_MAX = 1 << 20,	/* bytes of a line */
	POLY_QUOTE_MAX = 64 << 10,	/* bytes of one quoted text for isl */
	POLY_NEST_MAX = 64,		/* brackets for isl, nodes of a tree */
	POLY_EXPR_MAX = 1000,		/* parentheses of an expression */
	POLY_DIGITS_MAX = 18,		/* digits of a number */
	POLY_MEMBER_MAX = 16		/* members of a band */
};

/* canon.c: one object as text that does not change when it is read and
 * printed again: parameters in the order of the program, unused ones dropped.
 * NULL on failure. Free the text.
 */
char *poly_text_set(struct poly_prog *prog, __isl_take isl_set *set);
char *poly_text_map(struct poly_prog *prog, __isl_take isl_map *map);
char *poly_text_index(struct poly_prog *prog,
	__isl_take isl_multi_pw_aff *index);
char *poly_text_point(struct poly_prog *prog, __isl_take isl_multi_aff *at);
char *poly_text_size(struct poly_prog *prog, __isl_take isl_pw_aff *size);

/* The parameters that "prog" may use, in order: its sizes, then the block and
 * thread coordinates of each kernel.
 */
__isl_give isl_space *poly_text_params(struct poly_prog *prog);

/* The statement's instances as a space without parameters. */
__isl_give isl_space *poly_stmt_space(const struct poly_stmt *stmt);

/* The part of a union that concerns one statement; empty if none does. */
__isl_give isl_set *poly_set_of_stmt(__isl_keep isl_union_set *set,
	const struct poly_stmt *stmt);

/* scan.c: lines and words of the text form.
 *
 * A line has an indentation and tokens. WORD: letters, digits and "_.:,+-";
 * STRING: what stood in quotes, escapes resolved; PUNCT: one of "()=".
 */
enum poly_token_kind {
	POLY_TOKEN_END, POLY_TOKEN_WORD, POLY_TOKEN_STRING, POLY_TOKEN_PUNCT
};
struct poly_token {
	enum poly_token_kind kind;
	const char *text;
	size_t len;
	struct poly_loc loc;
};
/* "failed" is set by the first error, which is the only one reported. */
struct poly_scan {
	isl_ctx *ctx;
	struct poly_report *report;
	const char *next, *end;	/* what is not read yet */
	int line;
	int indent;		/* of the current line, in spaces */
	bool failed, at_end;
	char *buffer;		/* texts of the current line's tokens */
	struct poly_token *token;
	int n_token, cap, pos;
	struct poly_token none;	/* stands behind the last token */
};
bool poly_scan_start(struct poly_scan *s, isl_ctx *ctx, const char *text,
	size_t len, struct poly_report *report);
void poly_scan_free(struct poly_scan *s);
/* Go to the next line that is not empty; false at the end or on error. The
 * current line must be used up.
 */
bool poly_scan_line(struct poly_scan *s);
/* The next token of the line, kind END behind the last. */
const struct poly_token *poly_scan_peek(struct poly_scan *s);
/* Report a syntax error at the next token, once; returns false. */
bool poly_scan_error(struct poly_scan *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool poly_scan_limit(struct poly_scan *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* True if the current line begins with "word". */
bool poly_scan_is(struct poly_scan *s, const char *word);
/* Take the word or punctuation "text" if it is next. */
bool poly_scan_accept(struct poly_scan *s, const char *text);
bool poly_scan_expect(struct poly_scan *s, const char *text);
/* Take a word or a string; NULL, reported, if something else is next. Good
 * until the next line.
 */
const char *poly_scan_word(struct poly_scan *s, const char *what);
/* The statement of "prog" that is named, or NULL with an error. */
struct poly_stmt *poly_scan_above(struct poly_scan *s, struct poly_prog *prog);
const char *poly_scan_string(struct poly_scan *s, const char *what);
bool poly_scan_int(struct poly_scan *s, const char *what, int64_t min,
	int64_t max, int64_t *value);
bool poly_scan_number(struct poly_scan *s, double *value);
/* parse_kernel.c: "thread .. stages", the words of a kernel about its block. */
struct poly_block;
bool poly_scan_block(struct poly_scan *s, struct poly_block *b);
/* "loc LINE:COL:LEN", if it is next. */
bool poly_scan_loc(struct poly_scan *s, struct poly_loc *loc);
/* A quoted text for isl, checked; NULL, reported, if it is none. */
const char *poly_scan_isl(struct poly_scan *s, const char *what);
/* Quoted objects; NULL, reported, if isl does not read them. */
__isl_give isl_set *poly_scan_set(struct poly_scan *s);
__isl_give isl_map *poly_scan_map(struct poly_scan *s);
__isl_give isl_multi_pw_aff *poly_scan_index(struct poly_scan *s);
__isl_give isl_multi_aff *poly_scan_point(struct poly_scan *s);
__isl_give isl_pw_aff *poly_scan_size(struct poly_scan *s);

/* print_tree.c: append the tree "schedule", each line behind "prefix". */
void poly_print_schedule(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule, struct poly_str *out,
	const char *prefix);

/* parse_tree.c: the lines below "schedule" or "original" as a schedule tree of
 * the statements of "prog"; the scanner stands on that word and is left behind
 * the tree. NULL on error, reported.
 */
__isl_give isl_schedule *poly_parse_tree(struct poly_scan *s);

/* parse_kernel.c: take one of the words "word", which NULL ends; -1, reported, if
 * something else is next. Read an integer from "min" to "max"; false, reported, if it
 * is none. Read the line of a kernel: kind, block (poly_scan_block), flags, grid and
 * batch.
 */
int poly_scan_choice(struct poly_scan *s, const char *const *word,
	const char *what);
bool poly_scan_small(struct poly_scan *s, const char *what, int min, int max,
	int *value);
void poly_parse_kernel(struct poly_scan *s, struct poly_prog *prog);
/* The same file: "stride NAME ..", if it is next: the sizes that say how far apart the
 * elements of "array" lie; and "within" with what the least and the greatest of them are.
 */
void poly_parse_layout(struct poly_scan *s, struct poly_prog *prog,
	struct poly_array *array);

/* True if "name" may be the name of a mark. */
bool poly_mark_is_valid(const char *name);

/* verify.c: one verification. The first thing found is reported, as "id" with
 * the pass to blame, and ends it; the functions return false then.
 */
struct poly_verifier {
	struct poly_prog *prog;
	const char *pass;
	enum poly_msg id;
	isl_space *params;	/* all that may occur */
};
bool poly_verify_fail(struct poly_verifier *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "answer", or false and a report if it is no or isl failed. */
bool poly_verify_that(struct poly_verifier *v, isl_bool answer,
	const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The instances of "set" are those of a statement, with its dimensions, and
 * its parameters are known; false without a report.
 */
bool poly_verify_names(struct poly_verifier *v, __isl_keep isl_space *space,
	enum isl_dim_type type);

/* "index" goes from the instances of "stmt" to the elements of "array", which
 * is the program's, and is defined on all of "stmt"'s domain, for sizes of the
 * context.
 */
bool poly_verify_index(struct poly_verifier *v, const struct poly_stmt *stmt,
	const struct poly_array *array, __isl_keep isl_multi_pw_aff *index);

/* verify_point.c: what a point statement writes, and its value, which is of the
 * array's type or of that in which such values are computed.
 */
bool poly_verify_point(struct poly_verifier *v, const struct poly_stmt *stmt);
/* verify.c: that stmt->at, if there is one, maps a tile's points to the domain of "stmt";
 * verify_op.c: that "stmt" has what its kind needs, and nothing else.
 */
bool poly_verify_at(struct poly_verifier *v, const struct poly_stmt *stmt);
bool poly_verify_op(struct poly_verifier *v, struct poly_stmt *stmt);

/* verify_tree.c: the part of poly_verify that concerns the tree. */
bool poly_verify_tree(struct poly_verifier *v);

#endif
