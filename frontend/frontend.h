/* frontend: source text -> checked unit -> poly_prog; diagnostics; the
 * reference interpreter. See README.md for the language.
 */
#ifndef FRONTEND_H
#define FRONTEND_H

#include "polyir/polyir.h"

/* ------------------------------------------------------------------- diag.c */

/* Print the messages of "report" with source line and caret:
 *	file:line:col: error[E203]: text
 *	    line of source
 *	         ^~~~
 * with "color", in the colours of a terminal.
 */
void fe_diag_print(FILE *out, const char *file, const char *text, size_t len,
	const struct poly_report *report, bool color);

/* --------------------------------------------------------------- format.c */

/* Append to "out" the program "text", in matrix expressions and index notation, formatted:
 * the same tokens and comments. False, having reported why, if it is not made of tokens.
 */
bool fe_format(const char *file, const char *text, size_t len,
	struct poly_str *out, struct poly_report *report);
/* Is a text in matrix expressions and index notation, going by its file's name and by
 * what it has?
 */
bool fe_is_definitions(const char *file, const char *text, size_t len);

/* -------------------------------------------------------------- notation.c */

/* -D NAME=VALUE */
struct fe_define {
	const char *name;
	int64_t value;
};

/* A parsed and checked program. */
struct fe_unit;
struct fe_notation;
struct fe_value;

/* How a program is read. "original", unless NULL, is the file before it was
 * preprocessed: messages then speak of its lines, which line markers name.
 * "function" is the one of several to compile, NULL: the one with "#pragma scop",
 * or the only one with a loop.
 */
struct fe_how {
	const char *original;
	size_t original_len;
	const char *function;
	/* "x=n + 1": "x" is an array of n + 1 elements, or rows. "live_out": variables
	 * in front of the region whose values count behind it; "all": all arrays.
	 */
	const char *const *extent, *const *live_out;
	int n_extent, n_live_out;
	bool entry;	/* fe_unit_entry is wanted */
	bool unsigned_char;	/* a plain one */
	bool nests;	/* a file of nests and functions, of nothing else */
	/* By --fp: any order of floats will do, even another one in each run; or only that
	 * of the text does.
	 */
	bool relaxed, strict;
	const struct fe_c_caller *caller;	/* frontend/c/read/read.h, or NULL */
};
/* Parse and check a program in the notation "n"; NULL: the one that the text tells.
 * All errors of a stage are reported; NULL if there were any. "file" is the name
 * used in messages and debug locations.
 */
struct fe_unit *fe_read_as(const struct fe_notation *n, const char *file,
	const char *text, size_t len, const struct fe_how *how,
	const struct fe_define *def, int n_def, struct poly_report *report);
/* The same, as the text tells, with nothing to choose. */
struct fe_unit *fe_read(const char *file, const char *text, size_t len,
	const struct fe_define *def, int n_def, struct poly_report *report);
/* True if the preprocessed C "text" seems to declare a scalar "name". */
bool fe_c_declares(const char *file, const char *text, size_t len,
	const char *name);
struct fe_unit *fe_unit_free(struct fe_unit *u);

struct fe_work;
struct fe_bad_read;
/* The reference interpreter of a notation; see fe_interp_* below. "alloc" makes what
 * the others get as "in". With "whole" the first element takes the evaluation of
 * all.
 */
struct fe_executor {
	void *(*alloc)(const struct fe_unit *u, const int64_t *param,
		struct fe_work *work);
	void (*free)(void *in);
	bool (*set_input)(void *in, const char *name, const void *data);
	int (*shape)(void *in, const char *name, int64_t dim[]);
	bool (*eval)(void *in, const char *name, const int64_t *index,
		struct fe_value *v);
	double (*cost)(void *in);
	/* NULL: no data tell positions */
	bool (*check)(void *in, struct fe_bad_read *bad);
	bool (*positions)(void *in, const char *name, int64_t *first,
		int64_t *last);
	bool whole;
};
/* A notation: how programs in it are told, read, shown, lowered and executed. Of
 * those without a suffix, the first that has the text reads it.
 */
struct fe_notation {
	const char *name, *help;
	const char *suffix;	/* of its files; NULL: the text tells */
	const char *expanded;	/* of files that are preprocessed; NULL: none is */
	bool callable;		/* a program is a function that C can call */
	bool (*has)(const char *text, size_t len);
	struct fe_unit *(*read)(const char *file, const char *text, size_t len,
		const struct fe_how *how, const struct fe_define *def,
		int n_def, struct poly_report *report);
	void (*print_check)(const struct fe_unit *u, struct poly_str *out);
	void (*print_dag)(const struct fe_unit *u, struct poly_str *out);
	struct poly_prog *(*lower)(const struct fe_unit *u, isl_ctx *ctx,
		struct poly_report *report);
	const struct fe_executor *executor;
};
/* Row "i" of the table of notations, NULL behind the last. */
const struct fe_notation *fe_notation_at(int i);
/* The notation whose files end as "file" does; NULL: the text tells. */
const struct fe_notation *fe_notation_of(const char *file);

/* How the C function of a unit is called. */
enum fe_entry_kind {
	FE_ENTRY_VALUE,		/* an argument of "type" */
	FE_ENTRY_RECORD,	/* an argument that is a structure */
	FE_ENTRY_POINTER,	/* an argument that points to "type" */
	FE_ENTRY_GLOBAL,	/* a variable elsewhere, or an array there */
	FE_ENTRY_OWN		/* a variable of this file, of "count" elements */
};
/* "lowered" is the size or array of the program that it is, NULL: none; of
 * structures, "count" of them, those are their members. One has "bytes" bytes, and
 * "integers" says which of the first 16 belong to integers; if all of it is floats of one
 * type, "floats" is this, else POLY_N_TYPE.
 */
struct fe_entry_member;
struct fe_entry_arg {
	enum fe_entry_kind kind;
	enum poly_type type;
	const char *name, *lowered;
	bool is_size;
	int64_t count, bytes, align;
	unsigned integers;
	enum poly_type floats;
	const struct fe_entry_member *member;	/* of structures */
	int n_member;
};
/* A size that is a member of a structure, or an array of the program whose elements
 * are members of structures: "n" in each, at the bytes "offset".
 */
struct fe_entry_member {
	const char *lowered;
	enum poly_type type;
	bool is_size;
	int64_t n;
	const int64_t *offset;
};
/* The arguments in their order, then variables. The value that is returned is
 * the output "result", NULL: none.
 */
struct fe_entry {
	const char *name;
	const char *prototype;		/* as in the text, for a header */
	const char *plain;		/* for C++: arrays are pointers */
	const char *valid;		/* sizes allowed, a set of isl as text */
	struct fe_entry_arg *arg;
	int n_param, n_arg;
	bool returns;
	enum poly_type type;
	const char *result;
};
/* NULL unless it was asked for by fe_c_source. */
const struct fe_entry *fe_unit_entry(const struct fe_unit *u);

/* FEATURES D1, D13-D15: params, inputs, derived matrices with shapes; nodes
 * of the expression DAG with datasets and composed datamaps.
 */
void fe_print_check(const struct fe_unit *u, struct poly_str *out);
void fe_print_dag(const struct fe_unit *u, struct poly_str *out);

/* What the command needs to allocate and to fill. What is read and written
 * in place is an input and an output of one name.
 */
struct fe_matrix {
	const char *name;
	enum poly_type type;
	bool is_input;
	bool is_flat;	/* has one dimension in the text */
};
int fe_unit_n_input(const struct fe_unit *u);
int fe_unit_n_output(const struct fe_unit *u);
struct fe_matrix fe_unit_input(const struct fe_unit *u, int i);
struct fe_matrix fe_unit_output(const struct fe_unit *u, int i);
int fe_unit_n_param(const struct fe_unit *u);
const char *fe_unit_param(const struct fe_unit *u, int i);
const char *fe_unit_param_text(const struct fe_unit *u, int i);
/* True if the value of the parameter is part of the program, which holds for
 * no other.
 */
bool fe_unit_param_folded(const struct fe_unit *u, int i);

/* lower.c: the program in program order (producers first). NULL on failure. */
struct poly_prog *fe_lower(const struct fe_unit *u, isl_ctx *ctx,
	struct poly_report *report);

/* --------------------------------------------------------------- suggest.c */

/* The nearest right spelling: the candidate with the smallest edit distance, if
 * that is at most a third of the word's length (and at least 1).
 */
struct fe_suggest {
	const char *word;
	size_t len;
	size_t best;	/* distance that a candidate must stay below */
};
/* "word" of "len" bytes is not copied. */
struct fe_suggest fe_suggest_begin(const char *word, size_t len);
/* True if "candidate" is nearer than all before it. */
bool fe_suggest_try(struct fe_suggest *s, const char *candidate);

/* -------------------------------------------------------------- c_marker.c */

/* Add to "name" what stands in quotes at "text"; false if it does not end. */
bool fe_marker_read(const char *text, const char *end, struct poly_str *name);
/* Add the name of the source "file" as it stands between the quotes of a marker. */
void fe_marker_write(const char *file, struct poly_str *out);
/* How many bytes of "name" are the name of "file" as markers have it; 0: "name"
 * does not begin so.
 */
size_t fe_marker_match(const char *name, const char *file);

/* ---------------------------------------------------------------- interp.c */

/* The reference interpreter: evaluates single elements of the unit's matrices
 * on demand, over the unit (not over any schedule), remembering what it
 * evaluated.
 *
 * exact: the program's own types, each operation rounded once, products
 *	summed in order of k, no contraction.
 * wide: f64 (long double where the program computes in f64) beside a running
 *	bound of the error that any evaluation order, with or without fused
 *	multiply-add, in the program's types may make.
 *
 * It shares with the lowering what comes before: the parsed text, its names,
 * types, shapes and ranges.
 */
struct fe_interp;
enum { FE_MAX_DIM = 8 };
struct fe_value {
	double exact;	/* integers as near as a double comes */
	int64_t integer; /* integers and bools exactly; of a u64 its bits; in
			  * the ring a float's, with a sign
			  */
	double wide;
	double bound;	/* |any correct result - wide| <= bound */
};
/* "param": values in the unit's order, each >= 0. */
struct fe_interp *fe_interp_alloc(const struct fe_unit *u,
	const int64_t *param);
struct fe_interp *fe_interp_free(struct fe_interp *in);
/* Elements in row-major order in the type of the matrix; not copied. */
bool fe_interp_set_input(struct fe_interp *in, const char *name,
	const void *data);
/* Sizes of the matrix or tensor "name", outermost first. Returns its rank, 0
 * for a scalar, -1 if there is none of that name.
 */
int fe_interp_shape(struct fe_interp *in, const char *name,
	int64_t dim[FE_MAX_DIM]);
/* The element at "index", one number for each dimension. */
bool fe_interp_eval(struct fe_interp *in, const char *name,
	const int64_t *index, struct fe_value *v);
/* Scalar operations that a full evaluation of all outputs needs; of a nest in
 * C, of which nothing is counted beyond what is allowed, statements.
 */
double fe_interp_cost(struct fe_interp *in);
/* A read at position "at" of dimension "dim" of "name", which goes from "first" to
 * "last", in the text at "loc", where "n_index" indices have the values "value".
 */
struct fe_bad_read {
	const char *name;
	struct poly_loc loc;
	bool update;	/* it is not read, but updated */
	int dim;
	int64_t at, first, last;
	int n_index;
	const char *index[16];
	int64_t value[16];
};
/* Are all positions that the inputs tell inside of what is read there? If not, "*bad"
 * is one that is not.
 */
bool fe_interp_check(struct fe_interp *in, struct fe_bad_read *bad);
/* Are elements of the input "name" positions? "*first" and "*last" are those that
 * all reads at them have.
 */
bool fe_interp_positions(struct fe_interp *in, const char *name,
	int64_t *first, int64_t *last);
/* From now on allow so many operations. An element that takes more cannot be
 * evaluated, nor any after it, and the interpreter is "spent", until more is
 * allowed.
 */
void fe_interp_limit(struct fe_interp *in, double operations);
bool fe_interp_spent(const struct fe_interp *in);
/* Bounds are those of --fp=relaxed, or not: call it before the first element is
 * evaluated.
 */
void fe_interp_relax(struct fe_interp *in, bool relaxed);
/* Floats are integers modulo 2^bits (polyir/README.md): call it before the
 * first element is evaluated.
 */
void fe_interp_set_ring(struct fe_interp *in);
/* Does the first element take the evaluation of all? So it is in C. */
bool fe_interp_is_whole(const struct fe_interp *in);

#endif
