/* Formulas: what is valid, and what they are worth.
 *
 * Formulas come from files that anybody can write: so they are checked once,
 * when a container is read, and evaluated without checks but for overflow. Code
 * of 64-bit integers on a stack of bounded depth; each operation takes constant
 * time, so a formula ends.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/image/formula.h"

/* Arguments that "code" takes from the stack.
 *
 * Codes up to ITER push a value.
 */
static int n_argument(enum cetane_rt_code code)
{
	if (code <= CETANE_RT_ITER)
		return 0;
	return code == CETANE_RT_SELECT ? 3 : 2;
}

/* Is the number of the size or the iterator one that there is?
 *
 * Others carry no number, or any.
 */
static bool is_operand(const struct cetane_rt_op *op, int n_size, int n_iter)
{
	if (op->code == CETANE_RT_SIZE)
		return op->value >= 0 && op->value < n_size;
	if (op->code == CETANE_RT_ITER)
		return op->value >= 0 && op->value < n_iter;
	return true;
}

/* The simulation of depths: each operation finds its arguments, the stack never
 * grows too deep, and one value is left.
 */
bool cetane_rt_formula_is_valid(const struct cetane_rt_formula *f, int n_size,
	int n_iter)
{
	int depth = 0, i;

	if (f->n < 1 || f->n > CETANE_RT_MAX_CODE)
		return false;
	for (i = 0; i < f->n; i++) {
		const struct cetane_rt_op *op = &f->op[i];

		if ((int) op->code < 0 || op->code >= CETANE_RT_N_CODE ||
			!is_operand(op, n_size, n_iter) ||
			depth < n_argument(op->code))
			return false;
		depth += 1 - n_argument(op->code);
		if (depth > CETANE_RT_MAX_STACK)
			return false;
	}
	return depth == 1;
}

/* Floor of a / b, or a - b * floor(a / b), for b > 0.
 *
 * False for b <= 0: a program that divides by a size of 0 has no such launch.
 */
static bool divide(int64_t a, int64_t b, bool modulo, int64_t *r)
{
	int64_t rest;

	if (b <= 0)
		return false;
	rest = a % b;
	if (modulo)
		*r = rest < 0 ? rest + b : rest;
	else
		*r = a / b - (rest < 0);
	return true;
}

/* "a" code "b"; false if there is no such value.
 *
 * A sum that overflows has no value, rather than a wrong one.
 */
static bool combine(enum cetane_rt_code code, int64_t a, int64_t b, int64_t *r)
{
	switch (code) {
	case CETANE_RT_ADD:
		return !__builtin_add_overflow(a, b, r);
	case CETANE_RT_SUB:
		return !__builtin_sub_overflow(a, b, r);
	case CETANE_RT_MUL:
		return !__builtin_mul_overflow(a, b, r);
	case CETANE_RT_DIV:
	case CETANE_RT_MOD:
		return divide(a, b, code == CETANE_RT_MOD, r);
	case CETANE_RT_MIN:
		*r = a < b ? a : b;
		return true;
	case CETANE_RT_MAX:
		*r = a > b ? a : b;
		return true;
	case CETANE_RT_LT:
		*r = a < b;
		return true;
	case CETANE_RT_LE:
		*r = a <= b;
		return true;
	case CETANE_RT_EQ:
		*r = a == b;
		return true;
	case CETANE_RT_AND:
		*r = a && b;
		return true;
	case CETANE_RT_OR:
		*r = a || b;
		return true;
	default:
		return false;
	}
}

/* False if it has none. "size" and "iter" have at least as many numbers as the
 * formula was checked for.
 */
bool cetane_rt_formula_value(const struct cetane_rt_formula *f,
	const int64_t *size, const int64_t *iter, int64_t *value)
{
	int64_t stack[CETANE_RT_MAX_STACK + 1];
	int n = 0, i;

	for (i = 0; i < f->n; i++) {
		const struct cetane_rt_op *op = &f->op[i];

		if (op->code == CETANE_RT_CONST) {
			stack[n++] = op->value;
		} else if (op->code == CETANE_RT_SIZE) {
			stack[n++] = size[op->value];
		} else if (op->code == CETANE_RT_ITER) {
			stack[n++] = iter[op->value];
		} else if (op->code == CETANE_RT_SELECT) {
			/* condition, then, else */
			n -= 2;
			stack[n - 1] = stack[n - 1] ? stack[n] : stack[n + 1];
		} else {
			n--;
			if (!combine(op->code, stack[n - 1], stack[n],
				&stack[n - 1]))
				return false;
		}
	}
	*value = stack[0];
	return true;
}

/* False without memory, and "to" is empty then. */
bool cetane_rt_formula_copy(struct cetane_rt_formula *to,
	const struct cetane_rt_formula *from)
{
	to->n = 0;
	to->op = malloc((from->n + 1) * sizeof(*to->op));
	if (!to->op)
		return false;
	if (from->n)
		memcpy(to->op, from->op, from->n * sizeof(*to->op));
	to->n = from->n;
	return true;
}

/* The struct is the caller's and may be used again. */
void cetane_rt_formula_clear(struct cetane_rt_formula *f)
{
	free(f->op);
	f->op = NULL;
	f->n = 0;
}

/* ------------------------------------------------------------------ steps */

/* The last of the first "n" steps that is still open, or -1.
 *
 * Closed pairs are skipped by the mate of their end.
 */
static int last_open(const struct cetane_rt_step *step, int n)
{
	while (n-- > 0) {
		if (step[n].kind == CETANE_RT_END)
			n = step[n].mate;
		else if (step[n].kind != CETANE_RT_LAUNCH)
			return n;
	}
	return -1;
}

/* Loops around step "i", which none may share an iterator with.
 *
 * A loop inside of another one with the same iterator would overwrite it.
 */
static bool is_new_loop(const struct cetane_rt_step *step, int i)
{
	int k;

	if (step[i].index < 0 || step[i].index >= CETANE_RT_MAX_ITER)
		return false;
	for (k = last_open(step, i); k >= 0; k = last_open(step, k))
		if (cetane_rt_is_loop(&step[k]) &&
			step[k].index == step[i].index)
			return false;
	return true;
}

/* Mates let the interpreter of a launch jump without looking. At most 64 are
 * open, so that its work per step is bounded. False if begins and ends do not
 * pair.
 */
bool cetane_rt_steps_link(struct cetane_rt_step *step, int n)
{
	int i, open = 0;

	for (i = 0; i < n; i++) {
		if (cetane_rt_is_loop(&step[i]) && !is_new_loop(step, i))
			return false;
		if (step[i].kind == CETANE_RT_LAUNCH)
			continue;
		if (step[i].kind != CETANE_RT_END) {
			if (++open > 64)
				return false;
			continue;
		}
		step[i].mate = last_open(step, i);
		if (step[i].mate < 0)
			return false;
		step[step[i].mate].mate = i;
		open--;
	}
	return open == 0;
}

/* "step" may be NULL if "n" is 0. */
void cetane_rt_steps_free(struct cetane_rt_step *step, int n)
{
	int i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < step[i].n_formula; k++)
			cetane_rt_formula_clear(&step[i].formula[k]);
		free(step[i].formula);
	}
	free(step);
}
