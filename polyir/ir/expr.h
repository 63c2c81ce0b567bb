/* Types of elements, operators, and the expressions that are made of them. */
#ifndef POLYIR_EXPR_H
#define POLYIR_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include <isl/aff.h>

struct poly_array;

enum poly_type {
/* f16, bf16, f32, f64, integers of both kinds, bool; in the order of type.def
 */
#define TYPE(id, name, bytes, class, digits) POLY_##id,
#include "polyir/ir/type.def"
#undef TYPE
	POLY_N_TYPE
};
/* More of them, which temporaries alone have: 1, 2, 4 and 8 words of 32 bits, of values that
 * go together.
 */
enum {
	POLY_WORDS_1 = POLY_N_TYPE + 1, POLY_WORDS_2, POLY_WORDS_4, POLY_WORDS_8,
	POLY_N_ALL_TYPES, POLY_MOST_WORDS = 8
};
/* What operators may do with a type: order, wrap, round, or take words apart. */
enum poly_class {
	POLY_CLASS_INT, POLY_CLASS_UINT, POLY_CLASS_BOOL, POLY_CLASS_FLOAT,
	POLY_CLASS_WORDS
};
const char *poly_type_name(enum poly_type t);	/* "f32" */
const char *poly_type_names(void);	/* of all: " i8 i16 .." */
int poly_type_size(enum poly_type t);		/* bytes */
enum poly_class poly_type_class(enum poly_type t);
bool poly_type_is_float(enum poly_type t);
int poly_type_digits(enum poly_type t);		/* significand bits */
/* Type in which values stored as "t" are computed (LANGUAGE section 5):
 * f16, bf16 -> f32; i8, i16 -> i32; u8, u16 -> u32; others themselves.
 */
enum poly_type poly_type_compute(enum poly_type t);
/* Type of a part of what is stored as "t", before it is rounded: integers wrap alike
 * in their own.
 */
enum poly_type poly_type_partial(enum poly_type t);
/* The bit pattern of "value", rounded to the float type "t". */
uint64_t poly_type_bits(enum poly_type t, double value);
/* The type named "name", or POLY_N_TYPE. */
enum poly_type poly_type_find(const char *name);
/* The type of "n" words, or of more if none has just so many; POLY_N_TYPE: of so many
 * there is none. The words of a value of type "t".
 */
enum poly_type poly_type_words(int n);
int poly_type_n_words(enum poly_type t);
bool poly_type_is_words(enum poly_type t);

enum poly_op {
#define OP(id, name, n_arg, ulp, shape) POLY_OP_##id,
#include "polyir/ir/op.def"
#undef OP
	POLY_OP_NONE
};
/* How the types of arguments and result belong together: see op.def. */
enum poly_shape {
	POLY_SHAPE_LEAF, POLY_SHAPE_CAST, POLY_SHAPE_SAME, POLY_SHAPE_COMPARE,
	POLY_SHAPE_SELECT, POLY_SHAPE_SCATTER, POLY_SHAPE_LOOP, POLY_SHAPE_WORDS
};
enum { POLY_MAX_ARG = 4, POLY_SCATTER_DIMS = 8, POLY_MAX_LOOP = 8 };
const char *poly_op_name(enum poly_op op);
enum poly_shape poly_op_shape(enum poly_op op);
int poly_op_n_arg(enum poly_op op);
int poly_op_ulp(enum poly_op op);
enum poly_op poly_op_find(const char *name);	/* or POLY_OP_NONE */

/* A typed expression tree: the right-hand side of a statement.
 * CONST: "value" (f64, exact for the type; integers, which lie within 2^53, and
 *	bools are held as such).
 * PARAM: "param" names a size parameter, type I32.
 * INDEX: an integer that is an affine function of the instance: "index" maps
 *	the statement's domain to a space of one dimension without a name;
 *	type I32 or I64.
 * GATHER: an element of "array", which the statement does not write and which is in
 *	global memory: number arg[0], an I64 counted
 *	row by row, or, with "index", so many behind the one there, which exists.
 *	-1, then any negative number, gives 0.
 * SCATTER: the whole value of a POINT: it writes arg[0], and at coordinate number
 *	"value" of the cell stands arg[1], an I64, in the place of what write_index
 *	says. No two instances write one cell, and all together write those that
 *	write_index names: a permutation. Which instance writes a cell only data tell,
 *	so whatever reads the array needs all of them (poly_stmt_read).
 * LOOP: a loop whose bounds are values: what is carried begins as arg[2], and is
 *	arg[3] after each of the steps arg[0], arg[0] + "stride", .. below arg[1]. Its
 *	number is "value"; those inside of one another have different ones, from 0 up
 *	to POLY_MAX_LOOP - 1.
 * STEP, CARRY: only in arg[3] of the LOOP with their number, "value": the step, an
 *	I64, and what is carried before it.
 * PUT: arg[0], words, with arg[1] in those from number "value" on. PART: what is in the
 *	words of arg[0] from number "value" on, as "type".
 * JOIN: arg[0] and arg[1], words, put together by an associative operator of the text,
 *	which need not commute: arg[2], where LEFT and RIGHT stand for these two; arg[3],
 *	made of numbers alone, changes nothing on either side of another.
 * LEFT, RIGHT: only in arg[2] of a JOIN, and no JOIN is in it.
 * ACCESS: reads "array" at "index" (domain of the statement -> array space);
 *	its type is the array's.
 * CAST: converts arg[0] to "type" (to float rounds to nearest even; to int
 *	truncates and wraps; to bool asks whether it is not 0).
 * Comparisons have type BOOL, "select" takes arg[0] of type BOOL: see op.def.
 */
struct poly_expr {
	/* what the node is; says which of the fields below count */
	enum poly_op op;
	/* of the value of the node */
	enum poly_type type;
	/* owned; as many as the operator has, the others are NULL */
	struct poly_expr *arg[POLY_MAX_ARG];
	double value;
	int stride;
	char *param;
	struct poly_array *array;
	isl_multi_pw_aff *index;
};
/* Constructors take their arguments and return NULL if one is NULL (the
 * others are then freed). poly_expr_cast returns "e" itself when the type is
 * already "t".
 */
struct poly_expr *poly_expr_const(enum poly_type t, double value);
struct poly_expr *poly_expr_param(const char *name);
struct poly_expr *poly_expr_access(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index);
struct poly_expr *poly_expr_gather(struct poly_array *array,
	struct poly_expr *at);
struct poly_expr *poly_expr_gather_from(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, struct poly_expr *behind);
/* "value" for the cell whose coordinate "dim" is "at", an I64. */
struct poly_expr *poly_expr_scatter(int dim, struct poly_expr *value,
	struct poly_expr *at);
/* Loop "number", and its step and what it carries, of type "t". */
struct poly_expr *poly_expr_loop(int number, int stride, struct poly_expr *low,
	struct poly_expr *high, struct poly_expr *first, struct poly_expr *next);
struct poly_expr *poly_expr_step(int number);
struct poly_expr *poly_expr_carry(int number, enum poly_type t);
/* "words" with "part" in those from number "at" on; that in those of "words", as "t". */
struct poly_expr *poly_expr_put(struct poly_expr *words, int at,
	struct poly_expr *part);
struct poly_expr *poly_expr_part(enum poly_type t, int at,
	struct poly_expr *words);
/* LEFT or RIGHT of the JOIN around, words of type "t"; the JOIN itself. */
struct poly_expr *poly_expr_side(enum poly_op op, enum poly_type t);
struct poly_expr *poly_expr_join(struct poly_expr *left,
	struct poly_expr *right, struct poly_expr *both, struct poly_expr *none);
/* The value of "index", which has one dimension, as "t" (I32 or I64). */
struct poly_expr *poly_expr_index(enum poly_type t,
	__isl_take isl_multi_pw_aff *index);
struct poly_expr *poly_expr_op(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b);
/* The same for operators of three arguments. */
struct poly_expr *poly_expr_op3(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b, struct poly_expr *c);
/* "cond", a BOOL, chooses "a" or "b", which have one type. */
struct poly_expr *poly_expr_select(struct poly_expr *cond,
	struct poly_expr *a, struct poly_expr *b);
struct poly_expr *poly_expr_cast(enum poly_type t, struct poly_expr *e);
/* What changes nothing in a reduction by "op" (add, mul, min, max, and, or,
 * xor) of values of "t", in the type in which these are computed.
 */
struct poly_expr *poly_expr_identity(enum poly_op op, enum poly_type t);
/* What an update by "op" leaves a cell of type "t" as it is by, as "t": of floats that are
 * summed -0, as 0 would take the sign of a zero.
 */
struct poly_expr *poly_expr_nothing(enum poly_op op, enum poly_type t);
struct poly_expr *poly_expr_copy(const struct poly_expr *e);
struct poly_expr *poly_expr_free(struct poly_expr *e);
/* Make the indices in "e" functions of the domain of "ma". */
void poly_expr_pullback(struct poly_expr *e, __isl_keep isl_multi_aff *ma);
/* Call "fn" on each ACCESS leaf, left to right. */
void poly_expr_each_access(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user);
/* Does dimension "dim" change any index in "e"? */
bool poly_expr_moves(const struct poly_expr *e, int dim);
/* Does "e" have a node of the operator "op"? Number "number", if that is not -1. */
bool poly_expr_has(const struct poly_expr *e, enum poly_op op, int number);
/* Is "e" made of numbers that the program has, and of nothing else? */
bool poly_expr_is_number(const struct poly_expr *e);
/* Does an ACCESS leaf of "e" read "array"? */
bool poly_expr_accesses(struct poly_expr *e, const struct poly_array *array);
/* The same for each GATHER. */
void poly_expr_each_gather(struct poly_expr *e,
	void (*fn)(struct poly_expr *leaf, void *user), void *user);

/* access.c */
struct poly_stmt;
/* Does "stmt" read, by "leaf", what data tell, or what several of its instances have
 * there: any element?
 */
bool poly_reads_any(const struct poly_stmt *stmt, const struct poly_expr *leaf);
/* The EARLIER of the place "base + earlier" of the SCATTER "stmt"; NULL: it has none. */
const struct poly_expr *poly_earlier(const struct poly_stmt *stmt);

#endif
