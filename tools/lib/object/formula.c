/* Formulas of a launch record as people write them. */
#include <stdlib.h>
#include <string.h>

#include "tools/lib/object/object.h"

/* How strongly a text binds: what is weaker needs brackets around it.
 *
 * In the order of their strength. A comparison binds least.
 */
enum { COMPARE, SUM, PRODUCT, ATOM };

/* A value on the stack, as text. */
struct value {
	struct poly_str text;
	int bind;
};

/* By code: how the operation is written. Sums and products join from the left,
 * so the left argument may bind as the whole does, and the right one must bind
 * more where order matters.
 */
static const struct {
	const char *text;
	int bind;	/* of the whole, and of the left argument */
	int right;	/* what the right argument must bind at least */
	bool call;	/* text(left, right) */
} row[] = {
	[CETANE_RT_ADD] = { " + ", SUM, SUM, false },
	[CETANE_RT_SUB] = { " - ", SUM, PRODUCT, false },
	[CETANE_RT_MUL] = { "*", PRODUCT, ATOM, false },
	[CETANE_RT_DIV] = { " / ", PRODUCT, ATOM, false },
	[CETANE_RT_MOD] = { "mod", ATOM, COMPARE, true },
	[CETANE_RT_MIN] = { "min", ATOM, COMPARE, true },
	[CETANE_RT_MAX] = { "max", ATOM, COMPARE, true },
	[CETANE_RT_LT] = { " < ", COMPARE, SUM, false },
	[CETANE_RT_LE] = { " <= ", COMPARE, SUM, false },
	[CETANE_RT_EQ] = { " == ", COMPARE, SUM, false },
	[CETANE_RT_AND] = { "and", ATOM, COMPARE, true },
	[CETANE_RT_OR] = { "or", ATOM, COMPARE, true },
};

/* Append the text of "v", with brackets if it binds less than "least".
 *
 * A failure of the part is one of the whole.
 */
static void add_value(struct poly_str *out, const struct value *v, int least)
{
	if (v->text.failed)
		poly_str_fail(out);
	poly_str_printf(out, v->bind < least ? "(%s)" : "%s",
		v->text.s ? v->text.s : "");
}

/* Put in the place of "a" the text of "a" code "b".
 *
 * The place of "b" is free afterwards; its text has gone into the new one.
 */
static void combine(enum cetane_rt_code code, struct value *a, struct value *b)
{
	struct value v = { { 0 }, row[code].bind };

	if (row[code].call) {
		poly_str_add(&v.text, row[code].text);
		poly_str_add(&v.text, "(");
		add_value(&v.text, a, COMPARE);
		poly_str_add(&v.text, ", ");
		add_value(&v.text, b, COMPARE);
		poly_str_add(&v.text, ")");
	} else {
		add_value(&v.text, a, row[code].bind);
		poly_str_add(&v.text, row[code].text);
		add_value(&v.text, b, row[code].right);
	}
	poly_str_free(&a->text);
	poly_str_free(&b->text);
	*a = v;
}

/* Put in the place of "a[0]" the text "(a[0] ? a[1] : a[2])"; those of all
 * three are freed.
 *
 * The brackets are always there, so that nothing outside has to think of the
 * choice.
 */
static void choose(struct value *a)
{
	static const char *const before[] = { "(", " ? ", " : " };
	struct value v = { { 0 }, ATOM };

	for (int i = 0; i < 3; i++) {
		poly_str_add(&v.text, before[i]);
		add_value(&v.text, &a[i], COMPARE);
		poly_str_free(&a[i].text);
	}
	poly_str_add(&v.text, ")");
	*a = v;
}

/* Put at "v" the text of a constant, of a size by its name, or of the iterator
 * of a host loop.
 *
 * A negative constant begins with a sign: it binds like a sum.
 */
static void push(const struct cetane_rt_record *r,
	const struct cetane_rt_op *op, struct value *v)
{
	*v = (struct value){ { 0 }, op->code == CETANE_RT_CONST &&
		op->value < 0 ? SUM : ATOM };
	if (op->code == CETANE_RT_CONST)
		poly_str_printf(&v->text, "%lld", (long long)op->value);
	else if (op->code == CETANE_RT_SIZE)
		poly_str_add(&v->text, r->size[op->value].name);
	else
		poly_str_printf(&v->text, "h%lld", (long long)op->value);
}

/* The formula is in postfix: operands are pushed, an operation takes its
 * operands from the stack. Formulas of records have been checked, so that the
 * stack suffices and is never empty where something is taken.
 */
void tool_formula_text(const struct cetane_rt_record *r,
	const struct cetane_rt_formula *f, struct poly_str *out)
{
	struct value stack[CETANE_RT_MAX_STACK + 1];
	int n = 0, i;

	for (i = 0; i < f->n; i++) {
		const struct cetane_rt_op *op = &f->op[i];

		if (op->code <= CETANE_RT_ITER) {
			push(r, op, &stack[n++]);
		} else if (op->code == CETANE_RT_SELECT) {
			n -= 2;
			choose(&stack[n - 1]);
		} else {
			n--;
			combine(op->code, &stack[n - 1], &stack[n]);
		}
	}
	/* A formula without operations leaves nothing. */
	if (n)
		add_value(out, &stack[0], COMPARE);
	/* One value is left; others are there only if the formula is wrong. */
	while (n-- > 0)
		poly_str_free(&stack[n].text);
}
