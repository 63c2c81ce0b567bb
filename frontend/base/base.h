/* frontend/base: what all notations share; grouped by file.
 *
 * A unit is one program. Everything of it lives in its arena and goes with it.
 */
#ifndef FRONTEND_BASE_H
#define FRONTEND_BASE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isl/aff.h>
#include <isl/set.h>

#include "frontend/frontend.h"

enum {
	FE_MAX_TEXT = 1 << 20,		/* bytes of source */
	FE_MAX_NAME = 64,		/* bytes of a name */
	FE_MAX_NESTING = 256,		/* brackets, calls, signs */
	FE_MAX_DEFINITION = 10000,
	FE_MAX_ERROR = 50,		/* errors shown */
	FE_MAX_KIND = 10,		/* of them, with one number */
	FE_MAX_SIZE = 2147483647
};

/* ----------------------------------------------------------------- arena.c */

struct fe_block;
/* Memory that is freed at once. "no_memory" is where an allocation that fails
 * goes; it must be set before the first one.
 */
struct fe_arena {
	struct fe_block *block;
	size_t used, size;
	jmp_buf no_memory;
};
/* "size" zeroed bytes, aligned for any object; never NULL. */
void *fe_arena_alloc(struct fe_arena *arena, size_t size);
char *fe_arena_text(struct fe_arena *arena, const char *text, size_t len);
void fe_arena_free(struct fe_arena *arena);

/* ---------------------------------------------------------------- random.c */

/* The random numbers that there are; FE_N_RANDOM: none of them. */
enum fe_random {
#define RANDOM(id, name) FE_RANDOM_##id,
#include "frontend/base/random.def"
#undef RANDOM
	FE_N_RANDOM
};
/* The one that the "len" bytes at "name" spell. */
enum fe_random fe_random_find(const char *name, size_t len);

/* ---------------------------------------------------------------- symbol.c */

/* A function of the language, see function.def. */
struct fe_function {
	const char *name;
	int n_arg;
	enum poly_op op;	/* POLY_OP_NONE: transpose */
	bool integers;
};

/* What a name stands for. There is one for each name of the program. */
struct fe_node;		/* matrix/matrix.h */
struct fe_def;
struct fe_tensor;	/* index/index.h */
struct fe_call;
struct fe_symbol {
	const char *name;
	const struct fe_function *function;	/* if it is a function's */
	struct fe_param *param;		/* if it is a size parameter */
	struct fe_node *node;		/* newest value of a matrix */
	struct fe_def *def;		/* newest definition, if any */
	struct fe_tensor *tensor;	/* of index notation */
	const struct fe_call *changes;	/* that will change the matrix, or NULL */
	struct poly_loc loc;		/* declaration or first definition */
	int define_line;		/* of the first definition, or 0 */
	bool is_matrix;
	bool broken;	/* its declaration or definition had an error */
	bool taken;	/* the program that is lowered has this name */
	int next_number;	/* that makes a name of it, if it is taken */
};
struct fe_table {
	struct fe_symbol **slot;
	size_t n, cap;
};
/* The symbol of the "len" bytes at "name", made if it is new. */
struct fe_symbol *fe_symbol_find(struct fe_unit *u, const char *name,
	size_t len);
/* Does the text declare "name", or has something in the program this name? */
bool fe_symbol_is_used(const struct fe_unit *u, const char *name);
/* Report that "s" at "loc" is not defined, or that it is no size although one was
 * wanted, and the name that is most like it: of a size, or of anything. Where it
 * stands between the brackets of a read, and nothing is like it, it may be the index of
 * a sum; where it is the extent of an array, a size.
 */
enum fe_meant {
	FE_MEANS_VALUE, FE_MEANS_SIZE, FE_MEANS_POSITION, FE_MEANS_EXTENT
};
void fe_report_undefined(struct fe_unit *u, const struct fe_symbol *s,
	const struct poly_loc *loc, enum fe_meant meant);
/* advice.c: the end of a message about "word": what may have been meant by it as the
 * first word of an item, as a type, in a call, or where something else was expected. It
 * may lie in "text"; "": nothing.
 */
enum { FE_ADVICE = 96 };
enum fe_place { FE_AT_ITEM, FE_AT_TYPE, FE_AT_CALL, FE_AT_FOUND };
const char *fe_advice(enum fe_place place, const char *word, char text[FE_ADVICE]);
/* Note that "s" is declared at "loc"; false, having reported why, if the name
 * cannot be declared.
 */
bool fe_declare(struct fe_unit *u, struct fe_symbol *s,
	const struct poly_loc *loc);

/* ------------------------------------------------------------------- lex.c */

enum fe_token_kind {
#define TOKEN(id, text) FE_##id,
#define WORD(id, text) FE_##id,
#define MARK(id, text) FE_##id,
#include "frontend/base/token.def"
#undef TOKEN
#undef WORD
#undef MARK
	FE_N_TOKEN
};
struct fe_token {
	struct fe_token *next;	/* NULL behind FE_END */
	enum fe_token_kind kind;
	struct poly_loc loc;
	const char *text;	/* in the source, loc.len bytes */
	struct fe_symbol *symbol;	/* of a name */
};

/* cursor.c: a place in the text of "unit", behind a byte order mark at first; "bad_line"
 * is the last line with a byte that no token begins with.
 */
struct fe_cursor {
	struct fe_unit *unit;
	const char *p, *end, *line_start;
	int line, bad_line;
};
struct fe_cursor fe_cursor_begin(struct fe_unit *u);
bool fe_is_digit(char c);
bool fe_is_name_start(char c);
bool fe_is_name_part(char c);
/* The byte "n" behind the current one, or NUL behind the end. */
char fe_peek(const struct fe_cursor *c, size_t n);
/* The place of the "len" bytes from here. */
struct poly_loc fe_here(const struct fe_cursor *c, size_t len);
/* "len" and the digits that stand so many bytes from here. */
size_t fe_digits(const struct fe_cursor *c, size_t len);
/* Skip blanks and comments, also those from # to the end of a line if "hash". */
void fe_skip_space(struct fe_cursor *c, bool hash);
/* Past a comment that begins at "p", in front of "end", if one does: from # or two
 * slashes to the end of the line, or between brackets, which may have others inside.
 * One that does not end goes on to "end".
 */
const char *fe_skip_comment(const char *p, const char *end);
/* How many bytes from here no token begins with: one, or a row that is not ASCII. Report
 * those at "loc", which begin with "byte", unless their line has had such a report.
 */
size_t fe_bad_bytes(const struct fe_cursor *c);
void fe_report_bytes(struct fe_cursor *c, const struct poly_loc *loc,
	char byte, const char *advice);

/* The tokens of the unit's text; errors are reported and leave FE_BAD. */
struct fe_token *fe_lex(struct fe_unit *u);
const char *fe_token_name(enum fe_token_kind kind);

/* ------------------------------------------------------------------ unit.c */

struct fe_param {
	struct fe_param *next;
	struct fe_symbol *symbol;
	const char *name;	/* in the program that is lowered */
	int index;
	bool used;
	bool fixed;
	int64_t value;		/* if fixed */
	bool folded;		/* the value makes something affine */
	struct poly_loc loc;
};

/* A size: "param", or the number "value". A fixed parameter has both; "value"
 * is -1 if it is not known.
 */
struct fe_size {
	const struct fe_param *param;
	int64_t value;
};

/* What others see of a unit: inputs, outputs and sizes in their order. */
struct fe_face_size {
	const char *name;	/* in the program that is lowered */
	const char *text;	/* in the text, and for -D */
	bool folded;		/* its value is part of the program */
};
struct fe_face {
	struct fe_matrix *input, *output;
	struct fe_face_size *size;
	const struct fe_entry *entry;	/* how C calls it, if asked for */
	int n_input, n_output, n_size;
};

struct fe_ast;		/* matrix/matrix.h */
struct fe_c_unit;	/* c/read/tree.h */
struct fe_nest;		/* index/index.h */
struct fe_par_program;	/* parallel/parallel.h */
struct fe_unit {
	struct fe_unit *inner, *next_inner;	/* units that go with it */
	const struct fe_notation *notation;
	struct fe_face face;
	struct fe_c_unit *c;		/* of a nest, or NULL */
	struct fe_arena arena;
	struct fe_table table;
	struct poly_report *report;	/* while it is read */
	int first_message;		/* of the report, that is ours */
	int n_error;
	const char *text;		/* while it is read */
	const char *whole;		/* the same, with nests */
	size_t len;
	struct fe_ast *ast;		/* of the definitions */

	const char *file, *name;
	enum poly_type type, compute;
	struct fe_param *param;
	bool indexed;			/* its text has index notation */
	bool relaxed, strict;		/* struct fe_how */
	bool noted;			/* remarks on pieces were made */
	struct fe_scalar *assume;	/* conditions on the sizes */
	struct fe_tensor *tensor;	/* in the order of the text */
	struct fe_tensor *sorted;	/* definitions, by "order_next": what
					 * one reads comes before it */
	struct fe_tensor *last_sorted;
	struct fe_tensor **in, **out;	/* inputs and outputs */
	struct fe_nest *nest;		/* beside definitions, and calls of them,
					 * in the order of the text */
	struct fe_call *call;
	int followed;			/* items of matrices before this one are */
	struct fe_par_program *functions;	/* beside definitions, or NULL */
	/* What stands for the call "e"; NULL: there are no functions. */
	struct fe_scalar *(*inline_call)(struct fe_unit *u, struct fe_scalar *e);
	const char *nest_text;		/* nests alone, as C, where they stand */
	struct fe_quotient *quotient;	/* of sizes, that bounds have */
	int n_quotient;
	int n_visit, n_tensor;
	struct fe_node *input;		/* the inputs are the first nodes */
	struct fe_node *node, *last_node;
	struct fe_def *def, *last_def;
	int n_param, n_input, n_node, n_def, n_output;
};
/* What reads the text of a unit; "user" is the caller's. */
typedef void fe_reader(struct fe_unit *u, void *user);
/* A unit of "text", as "read" makes it; NULL, having reported why, if something is
 * wrong. Free it with fe_unit_free.
 */
struct fe_unit *fe_unit_make(const char *file, const char *text, size_t len,
	struct poly_report *report, fe_reader *read, void *user);
/* "inner", which may be NULL, goes with "u" from now on; returns it. */
struct fe_unit *fe_unit_own(struct fe_unit *u, struct fe_unit *inner);
/* Make room in the face for so many. */
void fe_face_alloc(struct fe_unit *u, int n_input, int n_output, int n_size);
/* Was something wrong so far? */
bool fe_has_errors(const struct fe_unit *u);

/* ------------------------------------------------------------------ diag.c */

/* Whether one more error with that number may be shown; says so once when there are too
 * many.
 */
bool fe_may_report(struct fe_unit *u, int number);
/* True if "report" has the message "number" for this place. */
bool fe_is_told(const struct poly_report *report, int number,
	const struct poly_loc *loc);
#define FE_REPORT(u, id, ...) \
	do { \
		if (fe_may_report(u, MSG_##id)) \
			poly_report_add((u)->report, MSG_##id, __VA_ARGS__); \
	} while (0)

/* ---------------------------------------------------------------- number.c */

/* Element "i" of "data", exactly. */
double fe_number_load(enum poly_type t, const void *data, int64_t i);
/* Element "i" of "data" becomes "x", a value of the float type "t". */
void fe_number_save(enum poly_type t, void *data, int64_t i, double x);
/* "x" rounded to the nearest value of "t", ties to even; beyond its range an
 * infinity. Integers: "x" truncated and wrapped.
 */
double fe_number_round(enum poly_type t, long double x);
/* Is the whole number of the "n" digits at "text", to the base 10 or 16, at most 2^53? Up to
 * there each is a double. Of the double that is nearest one cannot ask: that of 2^53 + 1 is
 * 2^53.
 */
bool fe_number_is_exact(const char *text, size_t n, int base);
/* Largest finite value and smallest positive one; unit roundoff. */
long double fe_number_max(enum poly_type t);
long double fe_number_tiny(enum poly_type t);
long double fe_number_unit(enum poly_type t);
/* Does the whole number "x" lie in the range of the integer type "t"? */
bool fe_number_fits(enum poly_type t, double x);

/* ---------------------------------------------------------------- affine.c */

/* Where a "op" b holds, "op" one of LT, LE, EQ and NE: conditions have been
 * turned around to these.
 */
__isl_give isl_set *fe_compare(enum poly_op op, __isl_take isl_pw_aff *a,
	__isl_take isl_pw_aff *b);

/* "set" for the sizes that programs can be given; is it empty for these? */
__isl_give isl_set *fe_possible(__isl_take isl_set *set);
bool fe_never_is(__isl_keep isl_set *set);

#endif
