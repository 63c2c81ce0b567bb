/* Reductions of what is equal to an extreme of the same values:
 *
 *	m max= x[i]			m_part[c] max= x[8192 c + j]
 *	p min= x[i] == m ? i : none	p_part[c] min= x[8192 c + j] == m_part[c] ? .. : none
 *					m max= m_part[c]
 *					p min= m_part[c] == m ? p_part[c] : none
 *
 * As written, p needs m, and x is read twice. Once both go over rows, p is asked of each row
 * with the extreme of that row, which a block has already, and only rows count whose extreme
 * is that of all. An element that is equal to m is the extreme of its row; in a row with
 * another extreme there is none, nor where NaN is the extreme. So that holds whatever m
 * begins with, and for any reduction that leaves out by its identity what is not meant:
 * first and last places, and how many there are.
 */
#include <string.h>

#include <isl/aff.h>

#include "polyir/ir/ir.h"
#include "polyir/rows/rows.h"

/* Are "a" and "b", both taken, the same function, whatever what they map is called? */
static bool same_index(__isl_take isl_multi_pw_aff *a, __isl_take isl_multi_pw_aff *b)
{
	bool same;

	a = isl_multi_pw_aff_reset_tuple_id(a, isl_dim_in);
	b = isl_multi_pw_aff_reset_tuple_id(b, isl_dim_in);
	same = isl_multi_pw_aff_is_equal(a, b) == isl_bool_true;
	isl_multi_pw_aff_free(a);
	isl_multi_pw_aff_free(b);
	return same;
}

/* Are "a" and "b" the same at the same coordinates of their statements? */
static bool same_value(const struct poly_expr *a, const struct poly_expr *b)
{
	bool same = a->op == b->op && a->type == b->type && a->array == b->array &&
		a->stride == b->stride && !memcmp(&a->value, &b->value,
		sizeof(a->value)) && !a->index == !b->index &&
		!a->param == !b->param;

	if (same && a->param)
		same = !strcmp(a->param, b->param);
	if (same && a->index)
		same = same_index(isl_multi_pw_aff_copy(a->index),
			isl_multi_pw_aff_copy(b->index));
	for (int i = 0; i < poly_op_n_arg(a->op) && same; i++)
		same = same_value(a->arg[i], b->arg[i]);
	return same;
}

static bool same_domain(const struct poly_stmt *a, const struct poly_stmt *b)
{
	isl_set *x = isl_set_reset_tuple_id(isl_set_copy(a->domain));
	isl_set *y = isl_set_reset_tuple_id(isl_set_copy(b->domain));
	bool same = isl_set_is_equal(x, y) == isl_bool_true;

	isl_set_free(x);
	isl_set_free(y);
	return same;
}

/* Is "e" what leaves cells of "s" as they are? */
static bool is_nothing(const struct poly_stmt *s, const struct poly_expr *e)
{
	struct poly_expr *none = poly_expr_identity(s->reduce, s->write_array->type);
	bool is = none && same_value(none, e);

	poly_expr_free(none);
	return is;
}

/* Which operand of the comparison of "s", x == m ? v : none, reads "array"? -1: "s" has none
 * of that form.
 */
static int operand(const struct poly_stmt *s, const struct poly_array *array)
{
	const struct poly_expr *e = s->rhs;

	if (s->kind != POLY_POINT || s->reduce == POLY_OP_NONE || s->atomic ||
	    e->op != POLY_OP_SELECT || e->arg[0]->op != POLY_OP_EQ ||
	    !is_nothing(s, e->arg[2]))
		return -1;
	for (int i = 0; i < 2; i++)
		if (e->arg[0]->arg[i]->op == POLY_OP_ACCESS &&
		    e->arg[0]->arg[i]->array == array)
			return i;
	return -1;
}

/* Does nothing write "m"'s cells but "m" and what they begin with? */
static bool writes_alone(const struct poly_prog *prog, const struct poly_stmt *m)
{
	int n_begin = 0;

	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_stmt *s = prog->stmt[i];

		if (s == m || s->write_array != m->write_array)
			continue;
		n_begin += s->reduce == POLY_OP_NONE;
		if (s->reduce != POLY_OP_NONE)
			return false;
	}
	return n_begin == 1;
}

bool poly_row_asks_extreme(const struct poly_prog *prog, const struct poly_stmt *s,
	const struct poly_stmt *m)
{
	const struct poly_expr *read;
	isl_multi_pw_aff *at, *cell;
	int k;

	if (m == s || m->kind != POLY_POINT || prog->original ||
	    (m->reduce != POLY_OP_MAX && m->reduce != POLY_OP_MIN))
		return false;
	k = operand(s, m->write_array);
	if (k < 0 || !same_value(s->rhs->arg[0]->arg[!k], m->rhs) ||
	    poly_expr_accesses(s->rhs->arg[1], m->write_array) ||
	    !same_domain(s, m) || !writes_alone(prog, m))
		return false;
	read = s->rhs->arg[0]->arg[k];
	if (!same_index(isl_multi_pw_aff_copy(read->index),
	    isl_multi_pw_aff_copy(m->write_index)))
		return false;
	at = isl_multi_pw_aff_reset_tuple_id(isl_multi_pw_aff_copy(read->index),
		isl_dim_out);
	cell = isl_multi_pw_aff_reset_tuple_id(isl_multi_pw_aff_copy(s->write_index),
		isl_dim_out);
	return same_index(at, cell);
}

/* The element of "array" at "index", which is taken and is one of another array, as "type". */
static struct poly_expr *element(struct poly_array *array,
	__isl_take isl_multi_pw_aff *index, enum poly_type type)
{
	index = isl_multi_pw_aff_set_tuple_name(index, isl_dim_out, array->name);
	return poly_expr_cast(type, poly_expr_access(array, index));
}

/* The read of parts in the sum "sum" of them. */
static const struct poly_expr *part_of(const struct poly_stmt *sum)
{
	const struct poly_expr *e = sum->rhs;

	while (e->op == POLY_OP_CAST)
		e = e->arg[0];
	return e->op == POLY_OP_ACCESS ? e : NULL;
}

bool poly_row_ask_parts(struct poly_stmt *s, struct poly_stmt *sum,
	const struct poly_stmt *m, struct poly_array *cell)
{
	enum poly_type type = poly_type_compute(cell->type);
	const struct poly_expr *part = part_of(sum);
	isl_id *id = isl_set_get_tuple_id(s->domain);
	struct poly_expr *eq = s->rhs->arg[0], *same;
	int k = operand(s, cell);

	if (!part || k < 0) {
		isl_id_free(id);
		return false;
	}
	poly_expr_free(eq->arg[k]);
	eq->arg[k] = element(m->write_array, isl_multi_pw_aff_set_tuple_id(
		isl_multi_pw_aff_copy(m->write_index), isl_dim_in, id),
		cell->type);
	same = poly_expr_op(POLY_OP_EQ, POLY_BOOL, element(m->write_array,
		isl_multi_pw_aff_copy(part->index), type), element(cell,
		isl_multi_pw_aff_copy(sum->write_index), type));
	sum->rhs = poly_expr_select(same, sum->rhs, poly_expr_identity(sum->reduce,
		sum->write_array->type));
	return eq->arg[k] && sum->rhs;
}
