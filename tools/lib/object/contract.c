/* What each output of an object promises of its numbers, for the manifest and for
 * cetane inspect: whether its elements are exact, how many operations that round are
 * behind one, and over how many terms sums go, in which order.
 *
 * It is read off the program before any pass, that is, off the text: an output is made
 * of the statements that write it, and of those that write what these read.
 *
 *	C = A * B;		f32, sums of K terms in any order that was fixed at
 *				compile time, 2 operations that round
 *	y(i) = x(i) / 3.0;	f32, one operation that rounds
 *	z(i) = x(i + 1);	exact
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/math/math.h"
#include "polyir/ir/ir.h"
#include "tools/lib/object/object.h"

/* Statements of a program that is looked at; what takes longer is not known. */
enum { MOST_STMT = 300 };

/* The arrays that an output is made of, and those whose statements are done. */
struct walk {
	struct poly_prog *prog;
	bool *needed, *done;
	struct tool_contract *to;
};

/* Does a conversion to "to" lose nothing of "from"? */
static bool is_lossless(enum poly_type from, enum poly_type to)
{
	if (!poly_type_is_float(to))
		return true;
	return poly_type_is_float(from) ?
		poly_type_digits(from) <= poly_type_digits(to) :
		8 * poly_type_size(from) <= poly_type_digits(to);
}

/* The type that the value of "e" fits into: that before integers were made wider. */
static enum poly_type source_type(const struct poly_expr *e)
{
	while (e->op == POLY_OP_CAST && !poly_type_is_float(e->type) &&
	       !poly_type_is_float(e->arg[0]->type) &&
	       poly_type_size(e->arg[0]->type) <= poly_type_size(e->type))
		e = e->arg[0];
	return e->type;
}

/* Does the operation of "e" itself round? What only chooses, moves, or changes a sign
 * does not, nor do whole numbers.
 */
static bool does_round(const struct poly_expr *e)
{
	static const enum poly_op exact[] = {
		POLY_OP_CONST, POLY_OP_PARAM, POLY_OP_INDEX, POLY_OP_ACCESS,
		POLY_OP_GATHER, POLY_OP_SCATTER, POLY_OP_EARLIER, POLY_OP_LOOP,
		POLY_OP_STEP, POLY_OP_CARRY, POLY_OP_NEG, POLY_OP_MIN,
		POLY_OP_MAX, POLY_OP_SELECT, POLY_OP_RELU, POLY_OP_ABS,
		POLY_OP_FLOOR, POLY_OP_CEIL, POLY_OP_TRUNC, POLY_OP_ROUND,
		POLY_OP_REM, POLY_OP_PART
	};

	if (!poly_type_is_float(e->type))
		return false;
	if (e->op == POLY_OP_CAST)
		return !is_lossless(source_type(e->arg[0]), e->type);
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (e->op == exact[i])
			return false;
	return true;
}

/* Count the operations of "e" that round, and note what it reads. How many turns a loop
 * whose bounds are data has is not known.
 */
static void count(struct walk *w, const struct poly_expr *e)
{
	struct tool_contract *c = w->to;

	if (!e)
		return;
	if (does_round(e)) {
		c->n_round++;
		if (poly_op_ulp(e->op) > c->ulp)
			c->ulp = poly_op_ulp(e->op);
		c->approximate[e->op] |= w->prog->fp == POLY_FP_RELAXED &&
			e->type == POLY_F32 && nvptx_has_relaxed(e->op);
	}
	c->again |= e->op == POLY_OP_LOOP;
	if (e->array)
		for (int i = 0; i < w->prog->n_array; i++)
			w->needed[i] |= w->prog->array[i] == e->array &&
				e->array->role != POLY_INPUT;
	for (int i = 0; i < POLY_MAX_ARG; i++)
		count(w, e->arg[i]);
}

/* Add " * N" for each loop of the update "s" that its cell does not name; N is what isl
 * prints of its most iterations.
 */
static void add_terms(const struct poly_stmt *s, struct poly_str *out)
{
	int n = isl_set_dim(s->domain, isl_dim_set);
	const char *between = "";

	for (int d = 0; d < n; d++) {
		isl_pw_aff *most;
		char *text, *from, *to;

		if (isl_multi_pw_aff_involves_dims(s->write_index, isl_dim_in,
		    (unsigned)d, 1) == isl_bool_true)
			continue;
		most = isl_pw_aff_sub(isl_set_dim_max(isl_set_copy(s->domain), d),
			isl_set_dim_min(isl_set_copy(s->domain), d));
		most = isl_pw_aff_add_constant_val(most,
			isl_val_one(isl_pw_aff_get_ctx(most)));
		text = isl_pw_aff_to_str(most);
		isl_pw_aff_free(most);
		from = text ? strstr(text, "[(") : NULL;
		to = from ? strstr(from, ")]") : NULL;
		poly_str_printf(out, "%s%.*s", between,
			to ? (int)(to - from - 2) : 4, to ? from + 2 : "some");
		between = " * ";
		free(text);
	}
}

/* Account for the statement "s", which writes what the output needs. */
static void add_stmt(struct walk *w, const struct poly_stmt *s)
{
	struct tool_contract *c = w->to;
	bool sum = s->reduce == POLY_OP_ADD || s->reduce == POLY_OP_MUL;

	count(w, s->rhs);
	if (!sum || !poly_type_is_float(s->write_array->type))
		return;
	c->n_round++;
	poly_str_add(&c->terms, c->n_sum++ ? ", " : "");
	add_terms(s, &c->terms);
}

/* Is the array "i" made of itself, by other than an update of one cell? */
static bool needs_itself(struct poly_prog *prog, int i)
{
	struct tool_contract none = { 0 };
	struct walk w = { .prog = prog, .to = &none };
	bool itself = false, more = true;

	w.needed = calloc((size_t)prog->n_array + 1, sizeof(bool));
	w.done = calloc((size_t)prog->n_array + 1, sizeof(bool));
	for (int k = 0; w.needed && k < prog->n_stmt; k++)
		if (prog->stmt[k]->write_array == prog->array[i])
			count(&w, prog->stmt[k]->rhs);
	while (w.needed && w.done && more && !itself) {
		more = false;
		itself = w.needed[i];
		for (int k = 0; k < prog->n_stmt; k++)
			for (int a = 0; a < prog->n_array; a++)
				if (prog->stmt[k]->write_array == prog->array[a] &&
				    w.needed[a] && !w.done[a])
					count(&w, prog->stmt[k]->rhs);
		for (int a = 0; a < prog->n_array; a++)
			more |= w.needed[a] && !w.done[a];
		memcpy(w.done, w.needed, (size_t)prog->n_array * sizeof(bool));
	}
	free(w.needed);
	free(w.done);
	return itself;
}

/* Go over what array "i" is made of. False without memory. */
static bool walk_output(struct poly_prog *prog, int i, struct tool_contract *to)
{
	struct walk w = { .prog = prog, .to = to };
	bool more = true;

	w.needed = calloc((size_t)prog->n_array + 1, sizeof(bool));
	w.done = calloc((size_t)prog->n_array + 1, sizeof(bool));
	if (w.needed)
		w.needed[i] = true;
	while (w.needed && w.done && more) {
		more = false;
		for (int a = 0; a < prog->n_array; a++) {
			if (!w.needed[a] || w.done[a])
				continue;
			more = w.done[a] = true;
			to->again |= needs_itself(prog, a);
			for (int k = 0; k < prog->n_stmt; k++)
				if (prog->stmt[k]->write_array == prog->array[a])
					add_stmt(&w, prog->stmt[k]);
		}
	}
	more = w.needed && w.done;
	free(w.needed);
	free(w.done);
	return more;
}

struct tool_contract *tool_contracts(struct poly_prog *prog,
	const struct cetane_rt_record *r)
{
	struct tool_contract *c = calloc((size_t)r->n_array + 1, sizeof(*c));
	bool ok = c != NULL && prog->n_stmt <= MOST_STMT;

	for (int i = 0; i < r->n_array && ok; i++)
		for (int a = 0; a < prog->n_array && ok; a++)
			if (r->array[i].role != CETANE_RT_INPUT &&
			    r->array[i].role != CETANE_RT_TEMP &&
			    !strcmp(prog->array[a]->name, r->array[i].name)) {
				ok = walk_output(prog, a, &c[i]);
				c[i].known = true;
			}
	if (ok || !c || prog->n_stmt > MOST_STMT)
		return c;
	tool_contracts_free(c, r->n_array);
	return NULL;
}

void tool_contracts_free(struct tool_contract *c, int n)
{
	for (int i = 0; c && i < n; i++)
		poly_str_free(&c[i].terms);
	free(c);
}

bool tool_contract_approximate(const struct tool_contract *c, const char *around,
	const char *between, struct poly_str *out)
{
	bool any = false;

	for (int op = 0; op < POLY_OP_NONE; op++) {
		if (!c->approximate[op])
			continue;
		poly_str_printf(out, "%s%s%s%s", any ? between : "", around,
			poly_op_name((enum poly_op)op), around);
		any = true;
	}
	return any;
}

const char *tool_contract_class(const struct tool_contract *c, enum poly_fp fp)
{
	if (c->n_round == 0)
		return "exact";
	if (c->again)
		return "repeated";
	if (c->n_sum)
		return fp == POLY_FP_STRICT ? "sums in order" : "sums in any order";
	return c->n_round == 1 && !c->ulp ? "rounded once" : "rounded";
}
