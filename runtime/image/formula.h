/* Formulas of sizes and of the iterators of a launch program, and that program
 * itself: what grids, extents and loops over launches are made of.
 *
 * A formula is postfix code over 64-bit integers: CONST, SIZE and ITER push,
 * the others take their arguments from the stack. Comparisons give 0 or 1,
 * division rounds down. "M / 2 + 1" is SIZE 0, CONST 2, DIV, CONST 1, ADD.
 *
 * A launch program is a list of steps: LOOP, EACH and IF enclose the steps up to
 * their END, LAUNCH runs a kernel. EACH is a LOOP whose iterations do not depend on one
 * another: they may run at one time.
 *
 *	LOOP i0 = 0; i0 < N; 1	for each i0
 *	  LAUNCH 0 (i0)		  kernel 0 with i0 as its first iterator
 *	END
 */
#ifndef CETANE_FORMULA_H
#define CETANE_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CETANE_RT_MAX_ITER = 16,	/* loops that enclose a step */
	CETANE_RT_MAX_STACK = 32,	/* values that a formula keeps */
	CETANE_RT_MAX_CODE = 65536	/* operations of a formula */
};

enum cetane_rt_code {
	CETANE_RT_CONST, CETANE_RT_SIZE, CETANE_RT_ITER, CETANE_RT_ADD,
	CETANE_RT_SUB, CETANE_RT_MUL, CETANE_RT_DIV, CETANE_RT_MOD,
	CETANE_RT_MIN, CETANE_RT_MAX, CETANE_RT_LT, CETANE_RT_LE,
	CETANE_RT_EQ, CETANE_RT_AND, CETANE_RT_OR, CETANE_RT_SELECT,
	CETANE_RT_N_CODE
};
/* "value": the constant, or the number of a size or an iterator. SELECT takes
 * a condition and the values for true and for false.
 */
struct cetane_rt_op {
	enum cetane_rt_code code;
	int64_t value;
};
struct cetane_rt_formula {
	struct cetane_rt_op *op;
	int n;
};

enum cetane_rt_kind_of_step {
	CETANE_RT_LOOP, CETANE_RT_EACH, CETANE_RT_IF, CETANE_RT_LAUNCH,
	CETANE_RT_END
};
/* LOOP and EACH: "index" is the iterator; formulas: first value, condition, step.
 * IF: one formula. LAUNCH: "index" is the kernel; one formula for each of its
 * iterators. "mate" is the END of what it ends, and the reverse.
 */
struct cetane_rt_step {
	enum cetane_rt_kind_of_step kind;
	int index, mate;
	struct cetane_rt_formula *formula;
	int n_formula;
};

/* How boxes walk over pixels along a dimension of an array: "count" of them, "step" apart,
 * from "low" on, which may be in front of it; then comes the next one of the dimension
 * before. Whoever copies a box adds how far off its window's place is.
 */
enum { CETANE_RT_MOST_WALK = 3, CETANE_RT_MOST_WALK_STEP = 8,
	CETANE_RT_MOST_WALK_LOW = 1 << 15 };
struct cetane_rt_walk {
	int low, count, step;
};

/* LOOP or EACH. */
static inline bool cetane_rt_is_loop(const struct cetane_rt_step *step)
{
	return step->kind == CETANE_RT_LOOP || step->kind == CETANE_RT_EACH;
}

/* True if "f" gives one value, has no more than its limits, and refers to
 * sizes below "n_size" and iterators below "n_iter".
 */
bool cetane_rt_formula_is_valid(const struct cetane_rt_formula *f, int n_size,
	int n_iter);
/* The value of a valid formula; false if one does not fit into 64 bits or is
 * divided by what is not positive.
 */
bool cetane_rt_formula_value(const struct cetane_rt_formula *f,
	const int64_t *size, const int64_t *iter, int64_t *value);
/* A copy in memory of its own; false without memory. */
bool cetane_rt_formula_copy(struct cetane_rt_formula *to,
	const struct cetane_rt_formula *from);
void cetane_rt_formula_clear(struct cetane_rt_formula *f);

/* Find the mates of "n" steps; false if one has none, or if loops nest too
 * deeply or use an iterator twice.
 */
bool cetane_rt_steps_link(struct cetane_rt_step *step, int n);
/* Free the formulas of "n" steps, and the steps. */
void cetane_rt_steps_free(struct cetane_rt_step *step, int n);

#endif
