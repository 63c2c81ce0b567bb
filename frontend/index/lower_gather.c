/* Reads at positions that are data.
 *
 * The element that emb(id(t),d) reads is known when the program runs. The program
 * has the first one that it may be, and how far behind that it is:
 *
 *	gather emb[0,d] behind 0 <= id[t] < V ? id[t] * D : -2^62
 *
 * so that neighbours along d are neighbours in memory, whatever id[t] is, and
 * no element outside of the array is read, whatever id[t] is.
 */
#include "frontend/index/lower_index.h"

/* What is behind nothing: negative, and a multiple of any run of elements. */
#define NOWHERE (-0x1p62)

static struct poly_expr *both(enum poly_op op, enum poly_type t,
	struct poly_expr *a, struct poly_expr *b)
{
	return poly_expr_op(op, t, a, b);
}

/* The function "pa" of the frame as an I64. */
static struct poly_expr *integer(const struct fe_frame *f,
	__isl_take isl_pw_aff *pa)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_copy(f->space), fe_frame_tuple(f, NULL, 1));

	return poly_expr_index(POLY_I64, isl_multi_pw_aff_from_pw_aff_list(
		space, isl_pw_aff_list_from_pw_aff(pa)));
}

/* "sum" and "at" times what lies behind the dimension "i" of its tensor. */
static struct poly_expr *add_steps(const struct fe_frame *f,
	struct poly_expr *sum, struct poly_expr *at, const struct fe_index *i)
{
	for (i = i->next; i; i = i->next)
		at = both(POLY_OP_MUL, POLY_I64, at,
			integer(f, fe_frame_extent(f, i)));
	return sum ? both(POLY_OP_ADD, POLY_I64, sum, at) : at;
}

/* "known" and: is "at" inside of the "n" elements of a dimension? */
static struct poly_expr *inside(struct poly_expr *known,
	const struct poly_expr *at, struct poly_expr *n)
{
	struct poly_expr *in = both(POLY_OP_AND, POLY_BOOL,
		both(POLY_OP_LE, POLY_BOOL, poly_expr_const(POLY_I64, 0),
			poly_expr_copy(at)),
		both(POLY_OP_LT, POLY_BOOL, poly_expr_copy(at), n));

	return known ? both(POLY_OP_AND, POLY_BOOL, known, in) : in;
}

struct poly_expr *fe_lower_behind(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	const struct fe_index *i = e->tensor->scope.first;
	struct poly_expr *sum = NULL, *in = NULL, *at;

	for (int d = 0; d < e->n_arg; d++, i = i->next) {
		if (e->arg[d]->affine)
			continue;
		at = poly_expr_cast(POLY_I64, fe_lower_value(lw, e->arg[d], f,
			where));
		if (!fe_range_from_zero(i))
			at = both(POLY_OP_SUB, POLY_I64, at,
				integer(f, fe_frame_lower(f, i)));
		in = inside(in, at, integer(f, fe_frame_extent(f, i)));
		sum = add_steps(f, sum, at, i);
	}
	return poly_expr_select(in, sum, poly_expr_const(POLY_I64, NOWHERE));
}
