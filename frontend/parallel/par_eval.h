/* frontend/parallel: what the files share that evaluate a program on symbols.
 *
 * The function that is compiled is executed once, with symbols in the place of data.
 * A number is an expression of index notation over the loops around it. An array
 * knows how long it is, and what its element at any position is: range, transpose,
 * map, zip_with and "for" are evaluated where an element is asked for, so that they
 * have no storage. What has to be computed once becomes a definition: what a
 * variable holds that is used more than once, and is more than a few operations; its
 * indices are those loops around it that it uses.
 */
#ifndef FRONTEND_PARALLEL_EVAL_H
#define FRONTEND_PARALLEL_EVAL_H

#include <setjmp.h>

#include "frontend/index/index.h"
#include "frontend/parallel/parallel.h"

enum {
	FE_PAR_TERMS = 16,		/* of a form */
	FE_PAR_STEPS = 200000,		/* of an evaluation */
	FE_PAR_INSIDE = 2000,		/* expressions inside one another */
	FE_PAR_LAZY = 30,		/* arrays that wait for one another */
	FE_PAR_SMALL = 40,		/* operations that may be repeated */
	FE_PAR_LARGEST = 5000,		/* operations in the place of a call */
	FE_PAR_DEEP = 200		/* operators that wait for one another */
};

/* A linear function of loops and sizes. */
struct fe_par_form {
	int64_t constant;
	int n;
	struct {
		struct fe_symbol *symbol;
		int64_t coef;
	} term[FE_PAR_TERMS];
};

/* A number. "data" computes it; what has "place" is also an expression of loops,
 * sizes and whole numbers that is affine, or becomes so by the values of -D, or a
 * condition of such; "form", unless NULL, is what the place is. "loops" says which
 * loops it needs: bit k for that at depth k. A length that data tell has no place, but
 * "bound", which does: it is never longer.
 */
struct fe_par_scalar {
	enum poly_type type;
	struct fe_scalar *data, *place;
	const struct fe_par_form *form;
	const struct fe_par_scalar *bound;
	bool natural;			/* surely not negative */
	unsigned loops;
	int size;			/* operations */
};

struct fe_par_array;
struct fe_par_value {
	struct fe_par_type type;
	const struct fe_par_scalar *scalar;	/* of no record, rank 0 */
	const struct fe_par_array *array;	/* of rank > 0 */
	const struct fe_par_value *field;	/* of a record, rank 0 */
};
/* What a variable stands for. */
struct fe_par_env {
	const struct fe_par_env *outer;
	const struct fe_par_var *var;
	struct fe_par_value value;
	int lazy;	/* most arrays that wait for one another */
};

/* Definitions, or inputs, one for each number of a structure, over "n_outer" loops
 * around and "n_own" positions of these lengths. A length that data tell may depend on
 * the positions before, of which "own" are the loops. To the last position "shift" is
 * added.
 */
struct fe_par_store {
	struct fe_symbol **symbol;
	struct fe_par_type type;	/* of the whole array */
	const struct fe_par_scalar *outer[FE_MAX_RANK];
	const struct fe_par_scalar *length[FE_MAX_RANK];
	const struct fe_symbol *own[FE_MAX_RANK];
	unsigned own_loops;
	int n_outer, n_own, shift;
};
enum fe_par_array_kind {
	FE_PAR_A_STORE,		/* at the positions "at", and further ones */
	FE_PAR_A_RANGE,
	FE_PAR_A_FOR,		/* "expr" in "env" over source[0] */
	FE_PAR_A_APPLY,		/* "callee" on the elements of the sources */
	FE_PAR_A_TRANSPOSE,	/* of source[0] */
	FE_PAR_A_COLUMN,	/* number "column" of source[0] */
	FE_PAR_A_PART,		/* of source[0], from number "column" on */
	FE_PAR_A_ZIP,		/* structures of the elements of the sources */
	FE_PAR_A_FIELD,		/* number "field" of those of source[0] */
	FE_PAR_A_GATHER,	/* of source[0], at the positions source[1] */
	FE_PAR_A_SORT		/* rows of source[0], sorted */
};
struct fe_par_array {
	enum fe_par_array_kind kind;
	struct fe_par_type type;
	const struct fe_par_scalar *length;
	const struct fe_par_store *store;
	const struct fe_par_scalar *at[FE_MAX_RANK];
	int n_at;
	const struct fe_par_expr *expr;
	const struct fe_par_env *env;
	const struct fe_par_callee *callee;
	const struct fe_par_array *const *source;
	int n_source;
	const struct fe_par_scalar *column;
	int field;
	const struct poly_loc *loc;
	int lazy;		/* arrays that wait for one another */
};

/* A loop around what is being evaluated. Where data tell the length, "length" bounds it,
 * and what stands at positions from "live" on counts for nothing. A loop over tiles goes
 * on while the position times "tile", 0: 1, is below the length.
 */
struct fe_par_loop {
	struct fe_symbol *symbol;
	const struct fe_par_scalar *length, *live;
	int tile;
	const struct poly_loc *loc;
};
/* The length of a dimension of a parameter, or a parameter that is an int. Those
 * that have to agree have one "rep".
 */
struct fe_par_size {
	struct fe_par_size *next, *rep;
	struct fe_symbol *symbol;
	struct poly_loc loc;
	bool is_length;
	bool needed;		/* by a length or a position */
	bool given;		/* by -D, "value" */
	int64_t value;
};
/* "form" has to be 0, or if "least", not negative. */
struct fe_par_need {
	struct fe_par_need *next;
	const struct fe_par_form *form;
	const struct fe_scalar *left, *right;	/* without form: equal */
	struct poly_loc loc;
	bool least;
};

struct fe_par {
	struct fe_unit *unit;
	jmp_buf stop;
	struct fe_par_loop loop[FE_MAX_LOOP];
	int n_loop;
	/* Conditions under which what is evaluated counts. */
	const struct fe_par_scalar *path[FE_MAX_NESTING];
	int n_path;
	bool guarded;	/* something counts only under the path */
	bool plain;	/* neither loops nor definitions: a call in index notation */
	bool again;	/* what an operator makes, in one expression if that is small */
	int steps, open;
	struct fe_par_size *size;
	struct fe_par_need *need, **need_tail;
	struct fe_tensor *tensor, **tensor_tail;
	struct fe_par_copy *copy;
};

/* A copy of what the scan "of" makes. */
struct fe_par_copy {
	struct fe_par_copy *next;
	const struct fe_tensor *of;
	const struct fe_par_array *array;
};

/* -------------------------------------------------------------- par_form.c */

/* f += scale * g; false if it gets too large. */
bool fe_par_form_add(struct fe_par_form *f, const struct fe_par_form *g,
	int64_t scale);
/* The size that stands for all that agree with "s"; NULL: "s" is none. */
struct fe_par_size *fe_par_find_size(const struct fe_par *p,
	const struct fe_symbol *s);
/* "f" with agreeing sizes as one. */
struct fe_par_form fe_par_form_rep(const struct fe_par *p,
	const struct fe_par_form *f);
/* The least value of "f" over the loops that it names; false if that cannot be
 * said.
 */
bool fe_par_form_least(const struct fe_par *p, const struct fe_par_form *f,
	struct fe_par_form *least);
/* Is "f", of sizes alone, surely not negative? */
bool fe_par_form_natural(const struct fe_par_form *f);
void fe_par_form_print(const struct fe_par_form *f, struct poly_str *out);
/* Is the int "a" made of numbers and of sizes that -D gives? Its value. */
bool fe_par_known(const struct fe_par *p, const struct fe_par_scalar *a,
	int64_t *value);

/* ------------------------------------------------------------ par_scalar.c */

struct fe_par_scalar *fe_par_number(struct fe_par *p, enum poly_type type,
	double value, const struct poly_loc *loc);
/* The loop or size "s" as an int. */
const struct fe_par_scalar *fe_par_name(struct fe_par *p, struct fe_symbol *s,
	unsigned loops, const struct poly_loc *loc);
/* The int that "f" is. */
struct fe_par_scalar *fe_par_from_form(struct fe_par *p,
	const struct fe_par_form *f, unsigned loops, const struct poly_loc *loc);
/* "a" and "b" put together by "op" of the language, which is spelt so; a + n */
const struct fe_par_scalar *fe_par_infix(struct fe_par *p, enum poly_op op,
	const char *spelling, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc);
const struct fe_par_scalar *fe_par_plus(struct fe_par *p,
	const struct fe_par_scalar *a, int64_t n, const struct poly_loc *loc);
/* What an operator, function of numbers or cast makes of "arg". */
const struct fe_par_scalar *fe_par_operation(struct fe_par *p,
	const struct fe_par_callee *c, const struct fe_par_scalar *const *arg,
	int n, const struct poly_loc *loc);
/* c ? a : b, both computed, or by BRANCH only what is needed. */
const struct fe_par_scalar *fe_par_select(struct fe_par *p, enum poly_op op,
	const struct fe_par_scalar *c, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc);
/* The same, rounded or cut to its type, as a variable has it. */
const struct fe_par_scalar *fe_par_rounded(struct fe_par *p,
	const struct fe_par_scalar *a);
/* An element, a place or a number: nothing that is computed. */
bool fe_par_is_leaf(const struct fe_par_scalar *a);
/* The int "a" as a position that data tell. */
struct fe_scalar *fe_par_computed(struct fe_par *p,
	const struct fe_par_scalar *a, const struct poly_loc *loc);
/* The place of an int; stops, having reported, if data decide on it. */
struct fe_scalar *fe_par_place(struct fe_par *p, const struct fe_par_scalar *a,
	const struct poly_loc *loc);
/* "condition" is a place; the contrary. */
const struct fe_par_scalar *fe_par_not(struct fe_par *p,
	const struct fe_par_scalar *condition, const struct poly_loc *loc);

/* -------------------------------------------------------------- par_need.c */

/* Stop the evaluation; something has been reported. */
_Noreturn void fe_par_stop(struct fe_par *p);
/* "length" has to be no less than 0. */
void fe_par_need_length(struct fe_par *p, const struct fe_par_scalar *length,
	const struct poly_loc *loc);
/* "at" has to be a position of an array of this length. */
void fe_par_need_inside(struct fe_par *p, const struct fe_par_scalar *at,
	const struct fe_par_scalar *length, const struct poly_loc *loc);
void fe_par_need_equal(struct fe_par *p, const struct fe_par_scalar *a,
	const struct fe_par_scalar *b, const struct poly_loc *loc);
/* Are the places "a" and "b" the same expression? */
bool fe_par_same_tree(const struct fe_par *p, const struct fe_scalar *a,
	const struct fe_scalar *b);
/* Make the assumptions of the unit of what is needed; reports those that -D does not
 * meet.
 */
void fe_par_assume(struct fe_par *p);

/* ------------------------------------------------------------ par_define.c */

/* Does "s" mean something in index notation, whatever the text says? */
bool fe_par_has_meaning(const struct fe_symbol *s);
/* A name that nothing has. */
struct fe_symbol *fe_par_fresh(struct fe_par *p, const char *hint);
/* Enter a loop; the position. */
const struct fe_par_scalar *fe_par_enter(struct fe_par *p,
	const struct fe_par_scalar *length, const struct poly_loc *loc);
void fe_par_leave(struct fe_par *p, int n);
/* A loop over an array of this length. */
struct fe_par_loop fe_par_loop(struct fe_symbol *symbol,
	const struct fe_par_scalar *length, const struct poly_loc *loc);
/* The "n" innermost loops. */
unsigned fe_par_inner(const struct fe_par *p, int n);
/* The condition that those of "loops" are at positions that count, and of their outer
 * loops; NULL: they are.
 */
const struct fe_par_scalar *fe_par_live(struct fe_par *p, unsigned loops);
/* "a" where those of "loops" count, elsewhere "other". */
const struct fe_par_scalar *fe_par_guard(struct fe_par *p, unsigned loops,
	const struct fe_par_scalar *a, const struct fe_par_scalar *other,
	const struct poly_loc *loc);
/* What bounds the length "a", and is a place: itself, unless data tell it. */
const struct fe_par_scalar *fe_par_bound(const struct fe_par_scalar *a);
/* A definition over those of "loops" that are not among the "n_own" innermost, and
 * these; "*store" tells which. Pieces are added by fe_par_piece.
 */
struct fe_tensor *fe_par_define(struct fe_par *p, const char *hint,
	const struct poly_loc *loc, enum poly_type type, unsigned loops,
	int n_own, struct fe_par_store *store);
/* Note that the own positions of "s" are those of the innermost loops. */
void fe_par_own_loops(const struct fe_par *p, struct fe_par_store *s);
/* Add a piece: "value" where "condition" holds, NULL: everywhere else. */
void fe_par_piece(struct fe_par *p, struct fe_tensor *t,
	const struct fe_scalar *condition, const struct fe_scalar *value);
/* par_scalar.c: "a op b"; "b" NULL: "op a". The operands are not copied. */
struct fe_scalar *fe_par_op(struct fe_par *p, enum poly_op op,
	struct fe_scalar *a, struct fe_scalar *b, const struct poly_loc *loc);
/* The conditions of the loop "l". */
struct fe_scalar *fe_par_bounds(struct fe_par *p, const struct fe_par_loop *l);

/* ------------------------------------------------------------- par_value.c */

/* How many numbers a value of the type "t", of rank 0, has; that at "i". */
int fe_par_count(const struct fe_par_type *t);
enum poly_type fe_par_leaf_type(const struct fe_par_type *t, int i);
/* Write the name of number "i" behind "base": "base_x". */
const char *fe_par_leaf_name(struct fe_par *p, const struct fe_par_type *t,
	int i, const char *base);
/* The numbers of "v", and a value of those. */
void fe_par_flatten(const struct fe_par_value *v,
	const struct fe_par_scalar **leaf);
struct fe_par_value fe_par_unflatten(struct fe_par *p, struct fe_par_type t,
	const struct fe_par_scalar *const *leaf);
/* The same value, computed once where that is more than a few operations. */
struct fe_par_value fe_par_force(struct fe_par *p, struct fe_par_value v,
	const char *hint, const struct poly_loc *loc);
/* A definition of "a". */
const struct fe_par_scalar *fe_par_compute(struct fe_par *p,
	const struct fe_par_scalar *a, const char *hint,
	const struct poly_loc *loc);
/* The numbers of "v", which has rank 0. */
const struct fe_par_scalar **fe_par_leaves(struct fe_par *p,
	const struct fe_par_value *v, int *n);
/* Enter loops over all positions of "v"; its element there. Rows of different
 * lengths, but for those that data tell, are reported.
 */
struct fe_par_value fe_par_enter_all(struct fe_par *p, struct fe_par_value v,
	const struct poly_loc *loc, const struct fe_par_scalar **length);
/* "v" rounded as a variable is. */
struct fe_par_value fe_par_round_all(struct fe_par *p, struct fe_par_value v);

/* ------------------------------------------------------------ par_output.c */

/* Definitions of "v", which are the outputs of the program, by the names of the
 * fields of "type".
 */
void fe_par_output(struct fe_par *p, struct fe_par_value v,
	const struct fe_par_type *type, const struct poly_loc *loc);

/* ------------------------------------------------------------- par_array.c */

struct fe_par_array *fe_par_array(struct fe_par *p, enum fe_par_array_kind kind,
	struct fe_par_type type, const struct fe_par_scalar *length,
	const struct poly_loc *loc);
/* What the store has at "n" positions. */
struct fe_par_value fe_par_stored(struct fe_par *p,
	const struct fe_par_store *store,
	const struct fe_par_scalar *const *at, int n, const struct poly_loc *loc);
/* The element at "i", which is inside. */
struct fe_par_value fe_par_element_at(struct fe_par *p,
	const struct fe_par_array *a, const struct fe_par_scalar *i);
/* Field number "field", of "type", of a structure, or of each of an array. */
struct fe_par_value fe_par_field(struct fe_par *p, struct fe_par_value v,
	int field, struct fe_par_type type);
/* The length of the rows of "a"; stops, having reported, if they differ. */
const struct fe_par_scalar *fe_par_row_length(struct fe_par *p,
	const struct fe_par_array *a, const struct poly_loc *loc);
/* Nothing of it is computed. */
bool fe_par_is_view(const struct fe_par_array *a);

/* ---------------------------------------------------------- par_operator.c */

/* The operator of the language that "c" is, looking into functions that return just that
 * of their parameters in their order; NULL if it is none.
 */
const struct fe_par_callee *fe_par_operator_of(const struct fe_par_callee *c);
/* The same, of those that sums are made by. */
const struct fe_par_callee *fe_par_operator(const struct fe_par_callee *c);
/* Is it one of these? */
bool fe_par_puts_together(enum poly_op op);
/* Is "id" the literal that "op" leaves everything as it is with? */
bool fe_par_is_identity(enum poly_op op, const struct fe_par_scalar *id);
/* What changes nothing in a reduction by "op", but of 64 bits to the least or greatest. */
const struct fe_par_scalar *fe_par_nothing(struct fe_par *p, enum poly_op op,
	enum poly_type type, const struct poly_loc *loc);

/* ------------------------------------------------------------ par_reduce.c */

/* reduce, scan, exscan, iterate and the places of least and greatest elements: "e" of
 * "arg".
 */
struct fe_par_value fe_par_reduction(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_value *arg);

/* The sum of "a" over the loop entered last, which it leaves. */
const struct fe_par_scalar *fe_par_sum(struct fe_par *p,
	const struct fe_par_scalar *a, const struct poly_loc *loc);

/* The scan of "xs" by "op", which is fe_par_operator of something, from each element on
 * where "begins" is true; "*ends": is an element the last before that?
 */
const struct fe_par_array *fe_par_segments(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_callee *op,
	const struct fe_par_array *begins, const struct fe_par_array *xs,
	const struct fe_par_array **ends);

/* ----------------------------------------------------------- par_scatter.c */

/* The element of "a" at "i", the position "e", whether data tell it or not. */
struct fe_par_value fe_par_pick(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *a, const struct fe_par_scalar *i);
/* "a", or a copy of it if it is a scan by a function: its values are put together in
 * words then, of which nobody can read one at a position that data tell.
 */
const struct fe_par_array *fe_par_apart(struct fe_par *p,
	const struct fe_par_array *a, const struct poly_loc *loc);
/* gather(xs, is) */
struct fe_par_value fe_par_gather(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg);
/* The value of "t", whose last index tells its cells: what "op" makes of "v" over the
 * loop entered last, as far as "inside", a place, holds, each term at cell "at". "e" is what calls for it.
 */
struct fe_scalar *fe_par_cells(struct fe_par *p, const struct fe_par_expr *e,
	enum poly_op op, const struct fe_par_scalar *v,
	const struct fe_par_scalar *at, const struct fe_par_scalar *inside,
	const struct fe_tensor *t);
/* The same, where "t" has several indices of its own and "live", unless NULL, a
 * condition that data decide, holds.
 */
struct fe_scalar *fe_par_updates(struct fe_par *p, const struct fe_par_expr *e,
	enum poly_op op, const struct fe_par_scalar *v,
	const struct fe_par_scalar *at, const struct fe_par_scalar *live,
	const struct fe_tensor *t);
/* scatter(f, xs, is, ys) and histogram(n, is) */
struct fe_par_value fe_par_scatter(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg);

/* ------------------------------------------------------------- par_owned.c */

/* The scatter by "op" of "ys" to the positions "is" of the innermost loop, of which
 * "start" is what the cells begin with: sums of what sorting brings together, of which
 * each cell takes its own. They are prepared outside of that loop.
 */
struct fe_par_owned;
struct fe_par_owned *fe_par_prepare_owned(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_callee *op,
	const struct fe_par_scalar *length, const struct fe_par_array *is,
	const struct fe_par_array *ys);
void fe_par_add_owned(struct fe_par_owned *o, struct fe_tensor *t,
	const struct fe_par_scalar *start);

/* -------------------------------------------------------------- par_sort.c */

/* "keys", of which the bits before number "bits" differ, sorted, and "*xs" in their order.
 */
const struct fe_par_array *fe_par_sort_beside(struct fe_par *p,
	const struct fe_par_expr *e, const struct fe_par_array *keys, int bits,
	const struct fe_par_array **xs);

/* sort(xs) */
struct fe_par_value fe_par_sort(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *xs);
/* sort_by(keys, xs) */
struct fe_par_value fe_par_sort_by(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_array *keys, const struct fe_par_array *xs);

/* ------------------------------------------------------------ par_filter.c */

/* filter_with(xs, bs), or of a function and an array. */
struct fe_par_value fe_par_filter(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_value *arg);

/* -------------------------------------------------------------- par_eval.c */

struct fe_par_value fe_par_eval(struct fe_par *p, const struct fe_par_expr *e,
	const struct fe_par_env *env);
/* What the statements from "s" on return. */
struct fe_par_value fe_par_run(struct fe_par *p, const struct fe_par_stmt *s,
	const struct fe_par_env *env);
/* Let "var" be "value" in what is evaluated in the result. */
const struct fe_par_env *fe_par_bind(struct fe_par *p,
	const struct fe_par_env *env, const struct fe_par_var *var,
	struct fe_par_value value);
/* What is called "c" makes of "arg". */
struct fe_par_value fe_par_apply(struct fe_par *p, const struct fe_par_callee *c,
	const struct fe_par_value *arg, int n, const struct poly_loc *loc);

#endif
