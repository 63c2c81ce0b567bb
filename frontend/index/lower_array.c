/* Arrays and statements of the program that tensors become.
 *
 * Arrays begin at 0: positions are shifted by the first values of the ranges.
 */
#include <isl/space.h>

#include "frontend/index/lower_index.h"

/* ----------------------------------------------------------------- arrays */

/* Names of the program must differ from all that the source uses, since
 * messages name both.
 */

/* "base_suffix", or "base_suffix_1" and so on until none of arrays, statements,
 * parameters and names of the source has it.
 */
const char *fe_lower_free_name(struct fe_lower *lw, const char *base,
	const char *suffix, char text[FE_MAX_STMT_NAME])
{
	int n = 0;

	snprintf(text, FE_MAX_NAME + 100, "%s_%s", base, suffix);
	while (fe_symbol_is_used(lw->unit, text) ||
	       poly_prog_find_array(lw->prog, text) ||
	       poly_prog_find_stmt(lw->prog, text) ||
	       poly_prog_find_param(lw->prog, text))
		snprintf(text, FE_MAX_STMT_NAME, "%s_%s_%d", base, suffix,
			++n);
	return text;
}

/* The functions of "list" as one of "space", with no sizes but those that they
 * use.
 *
 * Each function has its own sizes at first; they have to agree before the
 * functions are put together.
 */
static __isl_give isl_multi_pw_aff *make_multi(__isl_take isl_space *space,
	__isl_take isl_pw_aff_list *list)
{
	isl_size n = isl_pw_aff_list_n_pw_aff(list), i;

	for (i = 0; i < n; i++)
		list = isl_pw_aff_list_set_pw_aff(list, (int)i,
			isl_pw_aff_drop_unused_params(
				isl_pw_aff_list_get_pw_aff(list, (int)i)));
	return isl_multi_pw_aff_from_pw_aff_list(
		isl_space_drop_all_params(space), list);
}

/* "extent" without pieces for sizes that there cannot be. isl makes such where no
 * point meets all bounds, which it finds out by and by, in ever larger numbers.
 *
 * With one piece there is nothing to leave out, and the question is saved.
 */
static __isl_give isl_pw_aff *possible_extent(const struct fe_lower *lw,
	__isl_take isl_pw_aff *extent)
{
	isl_set *sizes;

	if (isl_pw_aff_n_piece(extent) < 2)
		return extent;
	sizes = fe_possible(isl_set_universe(
		isl_set_get_space(lw->prog->context)));
	extent = isl_pw_aff_intersect_params(extent, isl_set_copy(sizes));
	return isl_pw_aff_gist_params(extent, sizes);
}

/* "domain", or nothing if it has points for sizes alone that there cannot be.
 *
 * Such a domain would make a statement that never runs.
 */
static __isl_give isl_set *possible_points(__isl_take isl_set *domain)
{
	isl_space *space;

	if (!fe_never_is(domain))
		return domain;
	space = isl_set_get_space(domain);
	isl_set_free(domain);
	return isl_set_empty(space);
}

/* The extents are functions of the sizes alone: dimensions of a tensor do not
 * depend on each other. The array stands where the definition does, for
 * messages.
 */
struct poly_array *fe_lower_add_array(struct fe_lower *lw, const char *name,
	const struct fe_index *const *dim, int n, enum poly_type type,
	enum poly_role role)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(lw->ctx, n);
	struct poly_array *array;
	isl_multi_pw_aff *extent;
	struct fe_frame f;
	isl_space *space;
	int i;

	fe_frame_init(&f, lw->unit, lw->ctx, NULL);
	for (i = 0; i < n; i++)
		list = isl_pw_aff_list_add(list,
			possible_extent(lw, isl_pw_aff_project_domain_on_params(
				fe_frame_extent(&f, dim[i]))));
	space = fe_frame_tuple(&f, name, n);
	fe_frame_free(&f);
	extent = isl_multi_pw_aff_from_pw_aff_list(space, list);
	array = poly_prog_add_array(lw->prog, name, type, role, extent);
	if (array)
		array->loc = lw->loc;
	return array;
}

/* The positions "at" of an array as a function on the frame; takes them.
 *
 * "n" functions on the frame become one map from the frame's space to that of
 * the array.
 */
static __isl_give isl_multi_pw_aff *make_index(const struct fe_frame *f,
	const char *name, int n, __isl_take isl_pw_aff_list *at)
{
	isl_space *range = fe_frame_tuple(f, name, n);
	isl_space *space = isl_space_map_from_domain_and_range(
		isl_space_copy(f->space), range);

	return make_multi(space, at);
}

/* The position of the frame itself in an array over "dim": each index less the
 * first value of its range.
 */
__isl_give isl_multi_pw_aff *fe_lower_own_index(const struct fe_frame *f,
	const struct poly_array *array, const struct fe_index *const *dim,
	int n)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(
		isl_space_get_ctx(f->space), n);
	isl_pw_aff *at;
	int i;

	for (i = 0; i < n; i++) {
		struct fe_scalar e = { .kind = FE_S_INDEX,
			.index = (struct fe_index *)dim[i] };

		at = fe_frame_value(f, &e);
		list = isl_pw_aff_list_add(list, isl_pw_aff_sub(at,
			fe_frame_lower(f, dim[i])));
	}
	return make_index(f, array->name, n, list);
}

/* Where the position is data the affine part is a placeholder; what reads the
 * element by data is added around it (fe_lower_gather).
 */
__isl_give isl_multi_pw_aff *fe_lower_read_index(const struct fe_frame *f,
	const struct fe_scalar *e)
{
	isl_pw_aff_list *list = isl_pw_aff_list_alloc(
		isl_space_get_ctx(f->space), e->n_arg);
	const struct fe_index *to = e->tensor->scope.first;
	isl_pw_aff *at;
	int i;

	for (i = 0; i < e->n_arg; i++, to = to->next) {
		at = e->arg[i]->affine ? fe_frame_value(f, e->arg[i]) :
			fe_frame_lower(f, to);
		list = isl_pw_aff_list_add(list, isl_pw_aff_sub(at,
			fe_frame_lower(f, to)));
	}
	return make_index(f, e->tensor->name, e->n_arg, list);
}

/* ------------------------------------------------------------- statements */

/* Statements are named by what they do, so that a dump of the program reads
 * like the source: "y_mul", "y_copy", "y_def".
 */

/* A definition made of one operation of matrices has that operation's name. */
const char *fe_lower_stmt_word(const struct fe_tensor *t, const char *other)
{
	if (t->node)
		return poly_op_name(t->piece->value->op);
	return t->def ? "copy" : other;
}

/* "set" with the names that the dimensions of the frame have.
 *
 * The names are for printing alone: isl tells dimensions by their places.
 */
static __isl_give isl_set *name_dims(__isl_take isl_set *set,
	const struct fe_frame *f)
{
	int d;

	for (d = 0; d < f->n; d++)
		if (fe_index_name(f->dim[d]))
			set = isl_set_set_dim_name(set, isl_dim_set,
				(unsigned)d, fe_index_name(f->dim[d]));
	return set;
}

/* The statement writes "cell" at the frame's own indices. What is assumed of
 * the sizes is cut out of the domain here, once for all statements, and sizes
 * that are not used are dropped.
 */
isl_stat fe_lower_add_stmt(struct fe_lower *lw, const struct fe_frame *f,
	__isl_take isl_set *domain, const struct fe_cell *cell,
	enum poly_op reduce, struct poly_expr *rhs)
{
	const char *name = isl_space_get_tuple_name(f->space, isl_dim_set);
	isl_multi_pw_aff *index = fe_lower_own_index(f, cell->array, cell->dim,
		cell->n);
	struct poly_stmt *stmt;

	if (lw->assumed)
		domain = isl_set_intersect_params(domain,
			isl_set_copy(lw->assumed));
	domain = possible_points(poly_set_coalesce(domain));
	domain = name_dims(isl_set_drop_unused_params(domain), f);
	stmt = poly_prog_add_stmt(lw->prog, name, POLY_POINT, domain);
	/* What was not taken by a statement is freed here. */
	if (!stmt || !index || !rhs) {
		isl_multi_pw_aff_free(index);
		poly_expr_free(rhs);
		return isl_stat_error;
	}
	stmt->loc = lw->loc;
	poly_stmt_set_write(stmt, cell->array, index, reduce, rhs);
	return isl_stat_ok;
}

/* The set of "from" as one of "to": dimensions that "to" lacks are projected
 * out, those that it has in addition are added behind, unbounded. The
 * dimensions that both have must come first in "to" and in the same order.
 */
__isl_give isl_set *fe_lower_move(__isl_take isl_set *set,
	const struct fe_frame *from, const struct fe_frame *to)
{
	int d, k, n = 0;

	for (d = 0; d < from->n; d++) {
		for (k = 0; k < to->n; k++)
			if (to->dim[k] == from->dim[d])
				break;
		if (k == to->n)
			set = isl_set_project_out(set, isl_dim_set,
				(unsigned)n, 1);
		else
			n++;
	}
	set = isl_set_add_dims(set, isl_dim_set, (unsigned)(to->n - n));
	return isl_set_set_tuple_name(set,
		isl_space_get_tuple_name(to->space, isl_dim_set));
}

/* Which dimensions of the frame an expression mentions.
 *
 * Given to the walk over the expression (note_use).
 */
struct uses {
	const struct fe_frame *frame;
	bool *used;
};

/* Note the dimension of the frame that "e" is, if it is one.
 *
 * Called for each node of an expression.
 */
static void note_use(struct fe_scalar *e, void *user)
{
	struct uses *uses = user;
	int d;

	for (d = 0; d < uses->frame->n; d++)
		if (e->kind == FE_S_INDEX && e->index == uses->frame->dim[d])
			uses->used[d] = true;
}

/* "cell" gets the indices that "e" mentions, in the frame's order: an array for
 * the value of "e" needs those dimensions alone.
 */
void fe_lower_uses(const struct fe_scalar *e, const struct fe_frame *f,
	struct fe_cell *cell)
{
	bool used[FE_MAX_LOOP] = { false };
	struct uses uses = { f, used };

	fe_scalar_each((struct fe_scalar *)e, note_use, &uses);
	cell->n = 0;
	for (int d = 0; d < f->n; d++)
		if (used[d])
			cell->dim[cell->n++] = f->dim[d];
}
