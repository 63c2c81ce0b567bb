/* A unit as text: its declarations and shapes, and its expression DAG.
 *
 * Datasets and datamaps are written as isl reads them. A datamap leads to the
 * base node, through all transpositions and broadcasts between; the identity
 * is not written.
 *
 * This is what --emit=check and --emit=dag print; tests compare it, so that its
 * form is part of the interface.
 */
#include <stdio.h>
#include <string.h>

#include "frontend/matrix/matrix.h"
#include "frontend/index/index.h"
#include "frontend/c/c.h"

/* By the name in isl, which differs from the user's if that is a word of isl.
 */
static void print_size(const struct fe_size *s, struct poly_str *out)
{
	if (s->param)
		poly_str_add(out, s->param->name);
	else
		poly_str_printf(out, "%lld", (long long)s->value);
}

/* " D[M,N]" */
static void print_shaped(const char *name, const struct fe_node *n,
	struct poly_str *out)
{
	poly_str_printf(out, " %s[", name);
	print_size(&n->dim[0], out);
	poly_str_add(out, ",");
	print_size(&n->dim[1], out);
	poly_str_add(out, "]");
}

/* Five lines: parameters, inputs, derived matrices, outputs, types.
 *
 * A unit of matrices alone; one with index notation has a text of its own
 * (index_print.c).
 */
void fe_matrix_print(const struct fe_unit *u, struct poly_str *out)
{
	const struct fe_node *n;
	const struct fe_def *def;
	int i;

	fe_print_params(u, out);
	poly_str_add(out, "\n");
	fe_print_count(u->n_input, "input", "inputs", out);
	for (n = u->input; n && n->kind == FE_INPUT; n = n->next)
		print_shaped(n->name, n, out);
	poly_str_add(out, "\n");
	fe_print_count(u->n_def, "derived matrix", "derived matrices", out);
	for (def = u->def; def; def = def->next)
		print_shaped(def->symbol->name, def->node, out);
	poly_str_add(out, "\n");
	fe_print_count(u->n_output, "output", "outputs", out);
	for (i = 0; i < u->n_output; i++)
		print_shaped(u->out[i]->name, u->out[i]->def->node, out);
	poly_str_printf(out, "\nstored as %s, computed in %s\n",
		poly_type_name(u->type), poly_type_name(u->compute));
}

/* What a node does, as in the paper's figures.
 *
 * Operators of the paper have its names, others those of op.def.
 */
static void print_label(const struct fe_node *n, struct poly_str *out)
{
	switch (n->kind) {
	case FE_INPUT:
		poly_str_add(out, n->name);
		break;
	case FE_CONST:
		poly_str_printf(out, "%.17g", n->value);
		break;
	case FE_PRODUCT:
		poly_str_add(out, "*");
		break;
	case FE_FLIP:
		poly_str_add(out, "T");
		break;
	case FE_BCAST:
		poly_str_add(out, "Bcast");
		break;
	default:
		poly_str_add(out, n->op == POLY_OP_ADD ? "+" :
			n->op == POLY_OP_SUB ? "-" :
			n->op == POLY_OP_MUL ? ".*" :
			n->op == POLY_OP_RELU ? "ReLU" :
			n->op == POLY_OP_SIGMOID ? "Sigmoid" :
			n->op == POLY_OP_TANH ? "Tanh" :
			poly_op_name(n->op));
		break;
	}
}

/* "[M,K] -> { A[i,j] : 0 <= i < M and 0 <= j < K }"
 *
 * Sizes that are parameters are named in front, each once.
 */
static void print_dataset(const struct fe_node *n, struct poly_str *out)
{
	const struct fe_param *a = n->dim[0].param, *b = n->dim[1].param;

	if (a && b && a != b)
		poly_str_printf(out, "[%s,%s] -> ", a->name, b->name);
	else if (a || b)
		poly_str_printf(out, "[%s] -> ", a ? a->name : b->name);
	poly_str_printf(out, "{ %s[i,j] : 0 <= i < ", n->name);
	print_size(&n->dim[0], out);
	poly_str_add(out, " and 0 <= j < ");
	print_size(&n->dim[1], out);
	poly_str_add(out, " }");
}

/* ", { N3[i,j] -> A[j,i] }"
 *
 * Only of views.
 */
static void print_datamap(const struct fe_node *n, struct poly_str *out)
{
	static const char *const index[] = { "i", "j", "0" };

	if (n->base == n)
		return;
	poly_str_printf(out, ", { %s[i,j] -> %s[%s,%s] }", n->name,
		n->base->name, index[n->select[0]], index[n->select[1]]);
}

/* One line for each node, operands first: number, label, numbers of the
 * operands, dataset, datamap.
 *
 * The nodes are a list in order of their numbers.
 */
void fe_matrix_print_dag(const struct fe_unit *u, struct poly_str *out)
{
	const struct fe_node *n;
	int i;

	for (n = u->node; n; n = n->next) {
		poly_str_printf(out, "node %d: ", n->id);
		print_label(n, out);
		for (i = 0; i < n->n_arg; i++)
			poly_str_printf(out, " %d", n->arg[i]->id);
		poly_str_add(out, " : ");
		print_dataset(n, out);
		print_datamap(n, out);
		poly_str_add(out, "\n");
	}
}
