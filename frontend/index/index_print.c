/* A program with index notation as text: what "check" prints, with the ranges
 * that were inferred, and one line a definition for the DAG.
 */
#include <string.h>

#include "frontend/index/index.h"

/* Append a bound of a range as a whole number; the upper one is that behind the
 * last value.
 *
 *	N	floor((N-1)/2)+1	ceil((N)/2)
 */
static void print_bound(const struct fe_unit *u, const struct fe_bound *b,
	bool upper, struct poly_str *out)
{
	struct fe_bound plus = *b;

	if (b->div == 1) {
		plus.constant += upper;
		fe_bound_print(u, &plus, out);
		return;
	}
	poly_str_add(out, upper ? "floor((" : "ceil((");
	fe_bound_print(u, b, out);
	poly_str_printf(out, ")/%lld)%s", (long long)b->div,
		upper ? "+1" : "");
}

/* All bounds of one side, the tightest of which counts.
 *
 *	max(0,N-4)	min(N,M)
 */
static void print_side(const struct fe_unit *u, const struct fe_bound *b,
	bool upper, struct poly_str *out)
{
	bool several = b->next != NULL;

	if (several)
		poly_str_add(out, upper ? "min(" : "max(");
	for (; b; b = b->next) {
		print_bound(u, b, upper, out);
		if (b->next)
			poly_str_add(out, ",");
	}
	if (several)
		poly_str_add(out, ")");
}

/* " f32 X[0:N,-1:T]": half-open ranges; those from 0 by their end alone.
 *
 * A range without a begin starts at 0, as most do.
 */
static void print_tensor(const struct fe_unit *u, const struct fe_tensor *t,
	struct poly_str *out)
{
	const struct fe_index *i;
	int k = 0;

	poly_str_printf(out, " %s %s[", poly_type_name(t->type),
		t->name ? t->name : t->symbol->name);
	for (i = t->scope.first; i && k < t->rank; i = i->next) {
		poly_str_add(out, k++ ? "," : "");
		if (!fe_range_from_zero(i)) {
			print_side(u, i->lower, false, out);
			poly_str_add(out, ":");
		}
		print_side(u, i->upper, true, out);
	}
	poly_str_add(out, "]");
}

/* "1 input:", "2 inputs:". */
void fe_print_count(int n, const char *one, const char *many,
	struct poly_str *out)
{
	poly_str_printf(out, "%d %s:", n, n == 1 ? one : many);
}

/* A size that has another name in the lowered program is printed with both, one
 * whose value is fixed with the value.
 */
void fe_print_params(const struct fe_unit *u, struct poly_str *out)
{
	const struct fe_param *p;

	fe_print_count(u->n_param, "param", "params", out);
	for (p = u->param; p; p = p->next) {
		poly_str_printf(out, " %s", p->symbol->name);
		if (strcmp(p->name, p->symbol->name))
			poly_str_printf(out, " (%s)", p->name);
		if (p->fixed)
			poly_str_printf(out, "=%lld", (long long)p->value);
	}
}

/* Four lines: parameters, inputs, definitions, outputs.
 *
 * Definitions that nothing needs are not printed.
 */
void fe_index_print(const struct fe_unit *u, struct poly_str *out)
{
	const struct fe_tensor *t;
	int n = 0, i;

	fe_print_params(u, out);
	poly_str_add(out, "\n");
	fe_print_count(u->n_input, "input", "inputs", out);
	for (i = 0; i < u->n_input; i++)
		print_tensor(u, u->in[i], out);
	poly_str_add(out, "\n");
	for (t = u->sorted; t; t = t->order_next)
		n += t->live;
	fe_print_count(n, "definition", "definitions", out);
	for (t = u->sorted; t; t = t->order_next)
		if (t->live)
			print_tensor(u, t, out);
	poly_str_add(out, "\n");
	fe_print_count(u->n_output, "output", "outputs", out);
	for (i = 0; i < u->n_output; i++)
		print_tensor(u, u->out[i], out);
	poly_str_add(out, "\n");
}

/* One line a definition: itself, then what it reads.
 *
 *	tensor f32 y[N] <- x w
 *
 * The lines are in the sorted order: each stands behind those that it reads,
 * but for circles.
 */
void fe_index_print_dag(const struct fe_unit *u, struct poly_str *out)
{
	const struct fe_tensor *t;
	const struct fe_edge *edge;

	for (t = u->sorted; t; t = t->order_next) {
		if (!t->live)
			continue;
		poly_str_add(out, "tensor");
		print_tensor(u, t, out);
		poly_str_add(out, " <-");
		for (edge = t->edge; edge; edge = edge->next)
			poly_str_printf(out, " %s", edge->to->name);
		poly_str_add(out, "\n");
	}
}
