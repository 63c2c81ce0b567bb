/* Reads and updates at positions that are data.
 *
 * The element that emb(id(t),d) reads is known when the program runs. The program
 * has the first one that it may be, and how far behind that it is:
 *
 *	gather emb[0,d] behind 0 <= id[t] < V ? id[t] * D : -2^62
 *
 * so that neighbours along d are neighbours in memory, whatever id[t] is, and
 * no element outside of the array is read, whatever id[t] is. A definition may lack
 * the first one; then it is "gather emb" of a number, -1 outside.
 *
 * Rows that are a factor of a product are gathered first, once, since what makes
 * products of tiles wants its operands as they lie in memory:
 *
 *	P(t,n) += emb(id(t),k) * W(k,n)		P_rows[t,k] = gather emb ..
 *						P[t,n] += P_rows[t,k] * W[k,n]
 *
 * So are those that are converted, in their own type, such as rows of bf16 of a product
 * in f32.
 *
 * Of what is updated each cell asks whether it is meant, so that all accesses are
 * affine; no cell is where the position is outside:
 *
 *	h(b) for 0 <= b < N = x(b);	h_start[b]	h[b] = x[b]
 *	h(bin(i)) += v(i);		h_add[b,i]	h[b] += bin[i] == b ? v[i] : 0
 *
 * What makes these atomic, or goes straight to the cell, is polyir/prepare/scatter.c.
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

/* How many elements the gather "e" reads behind the first one of its tensor; with
 * "rest", behind that which its affine positions name.
 */
static struct poly_expr *behind(struct fe_lower *lw, const struct fe_scalar *e,
	const struct fe_frame *f, __isl_keep isl_set *where, bool rest,
	double nowhere)
{
	const struct fe_index *i = e->tensor->scope.first;
	struct poly_expr *sum = NULL, *in = NULL, *at;

	for (int d = 0; d < e->n_arg; d++, i = i->next) {
		bool affine = e->arg[d]->affine;

		if (affine && rest)
			continue;
		at = affine ? integer(f, fe_frame_value(f, e->arg[d])) :
			poly_expr_cast(POLY_I64, fe_lower_value(lw, e->arg[d],
				f, where));
		if (!fe_range_from_zero(i))
			at = both(POLY_OP_SUB, POLY_I64, at,
				integer(f, fe_frame_lower(f, i)));
		if (!affine)
			in = inside(in, at, integer(f, fe_frame_extent(f, i)));
		sum = add_steps(f, sum, at, i);
	}
	return poly_expr_select(in, sum, poly_expr_const(POLY_I64, nowhere));
}

/* Is "index" an element of "array" at all of "where"? */
static bool exists(struct fe_lower *lw, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index, __isl_keep isl_set *where)
{
	isl_set *at = isl_set_intersect_params(isl_set_copy(where),
		isl_set_copy(lw->prog->context));
	isl_map *read = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(index)), at);
	bool does;

	read = isl_map_subtract_range(read, poly_array_box(array, 0));
	does = isl_map_is_empty(read) == isl_bool_true;
	isl_map_free(read);
	return does;
}

struct poly_expr *fe_lower_gather(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, struct poly_array *array,
	__isl_take isl_multi_pw_aff *index)
{
	if (e->tensor->is_input || exists(lw, array, index, where))
		return poly_expr_gather_from(array, index, behind(lw, e, f,
			where, true, NOWHERE));
	isl_multi_pw_aff_free(index);
	return poly_expr_gather(array, behind(lw, e, f, where, false, -1));
}

/* Are all accesses at "where" to elements that there are? */
struct within {
	isl_set *where;
	bool is;
};

/* Note if "leaf" reads beyond its array somewhere in "where". */
static void stay_within(struct poly_expr *leaf, void *user)
{
	struct within *w = user;
	isl_map *read = isl_map_intersect_domain(isl_map_from_multi_pw_aff(
		isl_multi_pw_aff_copy(leaf->index)), isl_set_copy(w->where));

	read = isl_map_subtract_range(read, poly_array_box(leaf->array, 0));
	w->is &= isl_map_is_empty(read) == isl_bool_true;
	isl_map_free(read);
}

/* "domain", or all values of the indices "cell" of "g" if that is no more where there
 * are any, and "gather" reads elements there, too: what is then the same for all sizes
 * is known to be whole.
 */
static __isl_give isl_set *whole(struct fe_lower *lw, const struct fe_frame *g,
	__isl_take isl_set *domain, struct poly_expr *gather)
{
	isl_set *all = isl_set_universe(isl_space_copy(g->space)), *some;
	struct within w;

	for (int d = 0; d < g->n; d++)
		all = fe_frame_range(g, all, d);
	all = isl_set_intersect_params(all, isl_set_copy(lw->prog->context));
	domain = isl_set_intersect_params(domain,
		isl_set_copy(lw->prog->context));
	some = isl_set_intersect_params(isl_set_copy(all),
		isl_set_params(isl_set_copy(domain)));
	w = (struct within) { all, isl_set_is_equal(some, domain) ==
		isl_bool_true };
	isl_set_free(some);
	poly_expr_each_gather(gather, stay_within, &w);
	poly_expr_each_access(gather, stay_within, &w);
	isl_set_free(w.is ? domain : all);
	return w.is ? all : domain;
}

/* The value of the gather "e" in an array over the indices "cell", which it mentions;
 * the statement that fills it is added.
 */
static struct poly_expr *gather_first(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where, struct fe_cell *cell)
{
	char name[FE_MAX_STMT_NAME];
	struct poly_expr *gather;
	isl_set *domain;
	struct fe_frame g;
	isl_stat done;

	fe_lower_free_name(lw, lw->tensor->name, "rows", name);
	cell->array = fe_lower_add_array(lw, name, cell->dim, cell->n,
		e->tensor->type, POLY_TEMP);
	if (!cell->array)
		return NULL;
	fe_frame_init(&g, lw->unit, lw->ctx, fe_lower_free_name(lw,
		cell->array->name, "gather", name));
	for (int d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	domain = fe_lower_move(isl_set_copy(where), f, &g);
	gather = fe_lower_stored(lw, e, &g, domain, e->tensor->type);
	if (gather)
		domain = whole(lw, &g, domain, gather);
	done = fe_lower_add_stmt(lw, &g, domain, cell, POLY_OP_NONE, gather);
	fe_frame_free(&g);
	return done < 0 ? NULL : poly_expr_access(cell->array,
		fe_lower_own_index(f, cell->array, cell->dim, cell->n));
}

/* What "e" converts, perhaps again and again; "v", the value of that, as "e" has it. */
static const struct fe_scalar *unconverted(const struct fe_scalar *e)
{
	while (e->kind == FE_S_CAST && !e->bits)
		e = e->arg[0];
	return e;
}

static struct poly_expr *converted(const struct fe_scalar *e, struct poly_expr *v)
{
	if (e->kind == FE_S_CAST && !e->bits)
		v = poly_expr_cast(e->type, converted(e->arg[0], v));
	return poly_expr_cast(poly_type_compute(e->type), v);
}

/* Is "e" a gather that does not mention all indices of "f"? "cell" gets those that it
 * mentions.
 */
static bool is_reused(const struct fe_scalar *e, const struct fe_frame *f,
	struct fe_cell *cell)
{
	fe_lower_uses(e, f, cell);
	return fe_scalar_gathers(e) && cell->n < f->n;
}

struct poly_expr *fe_lower_gathered(struct fe_lower *lw,
	const struct fe_scalar *e, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	enum poly_type type = poly_type_compute(e->type);
	struct poly_expr *arg[2];
	struct fe_cell cell[2];

	if (e->kind != FE_S_OP || e->op != POLY_OP_MUL || e->affine ||
	    (!is_reused(unconverted(e->arg[0]), f, &cell[0]) &&
	     !is_reused(unconverted(e->arg[1]), f, &cell[1])))
		return NULL;
	for (int i = 0; i < 2; i++) {
		const struct fe_scalar *from = unconverted(e->arg[i]);

		arg[i] = is_reused(from, f, &cell[i]) ? converted(e->arg[i],
			gather_first(lw, from, f, where, &cell[i])) :
			fe_lower_value(lw, e->arg[i], f, where);
		arg[i] = poly_expr_cast(type, arg[i]);
	}
	return both(POLY_OP_MUL, type, arg[0], arg[1]);
}

/* ------------------------------------------------------------------- updates */

/* Is the cell at the frame meant, by what "c" says? */
static struct poly_expr *is_meant(struct fe_lower *lw, const struct fe_scalar *c,
	const struct fe_frame *f, __isl_keep isl_set *where)
{
	if (c->cell)
		return poly_expr_op(POLY_OP_EQ, POLY_BOOL,
			poly_expr_cast(POLY_I64, fe_lower_value(lw, c->arg[0],
				f, where)), fe_lower_integer(c->arg[1], f));
	if (c->op != POLY_OP_AND || !c->logic)
		return fe_lower_value(lw, c, f, where);
	return poly_expr_op(POLY_OP_AND, POLY_BOOL, is_meant(lw, c->arg[0], f,
		where), is_meant(lw, c->arg[1], f, where));
}

/* What "t" starts with, as it is written into "to", which may be where "t" is summed: an
 * integer has the bits of an element of "t" there, since the least of a few tells 0 and 256
 * apart.
 */
static struct poly_expr *start_value(struct fe_lower *lw, const struct fe_tensor *t,
	const struct poly_array *to, const struct fe_frame *f, __isl_keep isl_set *where)
{
	enum poly_type type = poly_type_is_float(t->type) ? to->type : t->type;
	struct poly_expr *value = fe_lower_stored(lw, t->start, f, where, type);

	return type == to->type ? value : poly_expr_cast(to->type, value);
}

/* Let "cell" hold what "t" starts with, at "where" of "f". */
static isl_stat start(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_cell *cell, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	char name[FE_MAX_STMT_NAME];
	struct fe_frame g;
	isl_stat done;
	isl_set *set;

	fe_frame_init(&g, lw->unit, lw->ctx, fe_lower_free_name(lw, t->name,
		"start", name));
	for (int d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	set = fe_lower_move(isl_set_copy(where), f, &g);
	done = fe_lower_add_stmt(lw, &g, isl_set_copy(set), cell, POLY_OP_NONE,
		start_value(lw, t, cell->array, &g, set));
	isl_set_free(set);
	fe_frame_free(&g);
	return done;
}

isl_stat fe_lower_update(struct fe_lower *lw, const struct fe_tensor *t,
	const struct fe_cell *cell, const struct fe_frame *f,
	__isl_keep isl_set *where)
{
	const struct fe_scalar *e = fe_tensor_cells(t);
	enum poly_type type = poly_type_compute(t->type);
	struct poly_expr *value, *meant;
	char name[FE_MAX_STMT_NAME];
	struct fe_frame g;
	isl_stat done;
	isl_set *set;

	if (start(lw, t, cell, f, where) < 0)
		return isl_stat_error;
	lw->loc = t->piece->loc;
	fe_frame_init(&g, lw->unit, lw->ctx, fe_lower_free_name(lw, t->name,
		poly_op_name(e->op), name));
	for (int d = 0; d < cell->n; d++)
		fe_frame_add(&g, cell->dim[d]);
	for (const struct fe_index *i = e->scope->first; i; i = i->next)
		fe_frame_add(&g, i);
	set = fe_lower_move(isl_set_copy(where), f, &g);
	set = isl_set_intersect(set, fe_frame_domain(&g, e->scope));
	value = poly_expr_cast(type, fe_lower_value(lw, e->arg[0], &g, set));
	meant = is_meant(lw, e->arg[1], &g, set);
	done = fe_lower_add_stmt(lw, &g, set, cell, e->op, poly_expr_select(
		meant, value, poly_expr_identity(e->op, type)));
	fe_frame_free(&g);
	return done;
}
