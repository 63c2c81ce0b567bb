/* Indices, affine expressions, conditions and ranges as isl objects.
 *
 * A frame says which dimension of a tuple each index is. With frame [i, j] of a
 * definition, 2*i + N becomes { [i,j] -> 2i + N } and i < j a set. The frame of
 * a sum has its own indices behind those of the definition.
 */
#include <stdlib.h>

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

#include "frontend/index/tensor/frame.h"

/* ----------------------------------------------------------------- frames */

/* The space of all sizes of "u".
 *
 * In the order of their numbers; names are those in isl.
 */
static __isl_give isl_space *size_space(const struct fe_unit *u, isl_ctx *ctx)
{
	isl_space *space = isl_space_params_alloc(ctx, (unsigned)u->n_param);
	const struct fe_param *p;

	for (p = u->param; p; p = p->next)
		space = isl_space_set_dim_id(space, isl_dim_param,
			(unsigned)p->index, isl_id_alloc(ctx, p->name, NULL));
	return space;
}

/* "name" is the tuple's, NULL for none. fe_frame_free is due. */
void fe_frame_init(struct fe_frame *f, const struct fe_unit *u, isl_ctx *ctx,
	const char *name)
{
	f->unit = u;
	f->n = 0;
	f->space = isl_space_set_from_params(size_space(u, ctx));
	f->space = isl_space_set_tuple_name(f->space, isl_dim_set, name);
}

/* NULL for an index without a name, or with one that isl takes for itself: it
 * then has none in dumps.
 */
const char *fe_index_name(const struct fe_index *i)
{
	return i->symbol && !poly_is_word(i->symbol->name) ?
		i->symbol->name : NULL;
}

/* isl drops the tuple's id when dimensions are added, so that is set again. */
void fe_frame_add(struct fe_frame *f, const struct fe_index *i)
{
	const char *name = isl_space_get_tuple_name(f->space, isl_dim_set);
	isl_id *id = isl_id_alloc(isl_space_get_ctx(f->space), name, NULL);

	f->space = isl_space_add_dims(f->space, isl_dim_set, 1);
	f->space = isl_space_set_tuple_id(f->space, isl_dim_set, id);
	if (fe_index_name(i))
		f->space = isl_space_set_dim_name(f->space, isl_dim_set,
			(unsigned)f->n, fe_index_name(i));
	f->dim[f->n++] = i;
}

/* The first "n" of the scope; the others are loops of sums. */
void fe_frame_add_scope(struct fe_frame *f, const struct fe_scope *scope,
	int n)
{
	const struct fe_index *i;

	for (i = scope->first; i && n--; i = i->next)
		fe_frame_add(f, i);
}

void fe_frame_free(struct fe_frame *f)
{
	f->space = isl_space_free(f->space);
}

/* A tuple with the frame's parameters and "n" dimensions. */
__isl_give isl_space *fe_frame_tuple(const struct fe_frame *f,
	const char *name, int n)
{
	isl_space *space = isl_space_params(isl_space_copy(f->space));

	space = isl_space_set_from_params(space);
	space = isl_space_add_dims(space, isl_dim_set, (unsigned)n);
	return name ? isl_space_set_tuple_name(space, isl_dim_set, name) :
		space;
}

/* ---------------------------------------------------------------- values */

/* On the frame's whole space. */
static __isl_give isl_pw_aff *number(const struct fe_frame *f, int64_t value)
{
	isl_val *v = isl_val_int_from_si(isl_space_get_ctx(f->space), value);

	return isl_pw_aff_val_on_domain(isl_set_universe(
		isl_space_copy(f->space)), v);
}

static __isl_give isl_pw_aff *variable(const struct fe_frame *f,
	enum isl_dim_type type, int pos)
{
	isl_local_space *ls =
		isl_local_space_from_space(isl_space_copy(f->space));

	return isl_pw_aff_var_on_domain(ls, type, (unsigned)pos);
}

/* -1 if the frame lacks it. Frames have few dimensions. */
static int find_dim(const struct fe_frame *f, const struct fe_index *i)
{
	int d;

	for (d = 0; d < f->n; d++)
		if (f->dim[d] == i)
			return d;
	return -1;
}

/* floor(a / b) or a - b * floor(a / b) for a number b.
 *
 * Takes "a"; "b" is positive, as the check has seen to.
 */
static __isl_give isl_pw_aff *quotient(__isl_take isl_pw_aff *a, int64_t b,
	bool rest)
{
	isl_val *v = isl_val_int_from_si(isl_pw_aff_get_ctx(a), b);

	if (rest)
		return isl_pw_aff_mod_val(a, v);
	return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, v));
}

/* "e" is affine: the check has said so. Products have a constant factor. */
__isl_give isl_pw_aff *fe_frame_value(const struct fe_frame *f,
	const struct fe_scalar *e)
{
	isl_pw_aff *a, *b;
	int64_t n = 0;

	switch (e->kind) {
	case FE_S_NUMBER:
		return number(f, (int64_t)e->value);
	case FE_S_INDEX:
		return variable(f, isl_dim_set, find_dim(f, e->index));
	case FE_S_SIZE:
		return variable(f, isl_dim_param, e->param->index);
	default:
		break;
	}
	a = fe_frame_value(f, e->arg[0]);
	if (e->op == POLY_OP_NEG)
		return isl_pw_aff_neg(a);
	if (e->op == POLY_OP_DIV || e->op == POLY_OP_REM) {
		fe_scalar_whole(e->arg[1], &n);
		return quotient(a, n, e->op == POLY_OP_REM);
	}
	b = fe_frame_value(f, e->arg[1]);
	return e->op == POLY_OP_ADD ? isl_pw_aff_add(a, b) :
		e->op == POLY_OP_SUB ? isl_pw_aff_sub(a, b) :
		isl_pw_aff_mul(a, b);
}

/* ------------------------------------------------------------- conditions */

/* The search for an index that the frame has not. */
struct finder {
	const struct fe_frame *frame;
	bool missing;
};

/* Indices of sums within the condition are missing, too. */
static void find_missing(struct fe_scalar *e, void *user)
{
	struct finder *finder = user;

	if (e->kind == FE_S_INDEX && find_dim(finder->frame, e->index) < 0)
		finder->missing = true;
}

/* Indices of sums within "c" are missing, too. */
bool fe_frame_lacks(const struct fe_frame *f, const struct fe_scalar *c)
{
	struct finder finder = { .frame = f };

	fe_scalar_each((struct fe_scalar *)c, find_missing, &finder);
	return finder.missing;
}

/* Where what "rest", x % m, leaves is not "r", as a single piece: (x - r - 1) % m < m - 1. */
static __isl_give isl_set *other_rest(const struct fe_frame *f,
	const struct fe_scalar *rest, int64_t r)
{
	isl_pw_aff *x = fe_frame_value(f, rest->arg[0]);
	int64_t m = 1;

	fe_scalar_whole(rest->arg[1], &m);
	if (r < 0 || r >= m) {
		isl_pw_aff_free(x);
		return isl_set_universe(isl_space_copy(f->space));
	}
	x = quotient(isl_pw_aff_sub(x, number(f, r + 1)), m, true);
	return isl_pw_aff_lt_set(x, number(f, m - 1));
}

/* Both sides are affine. Of conditions that would make too many pieces, those that can
 * make a single one.
 */
static __isl_give isl_set *compare(const struct fe_frame *f,
	const struct fe_scalar *c)
{
	isl_pw_aff *a, *b;
	int64_t r;

	if (c->asked && c->op == POLY_OP_NE && c->arg[0]->kind == FE_S_OP &&
	    c->arg[0]->op == POLY_OP_REM && fe_scalar_whole(c->arg[1], &r))
		return other_rest(f, c->arg[0], r);
	a = fe_frame_value(f, c->arg[0]);
	b = fe_frame_value(f, c->arg[1]);
	return fe_compare(c->op, a, b);
}

/* Where "c" holds if all that values decide is "data".
 *
 * Three kinds of conditions: affine ones are a set; those that values decide
 * hold everywhere or nowhere, as "data" says; one about indices that the frame
 * lacks bounds nothing here. NOT turns round what data may decide.
 */
static __isl_give isl_set *condition(const struct fe_frame *f,
	const struct fe_scalar *c, bool data)
{
	isl_set *a, *b;

	if (c->data && !fe_scalar_joins(c))
		return data ? isl_set_universe(isl_space_copy(f->space)) :
			isl_set_empty(isl_space_copy(f->space));
	if (c->op != POLY_OP_AND && !c->data && fe_frame_lacks(f, c))
		return isl_set_universe(isl_space_copy(f->space));
	if (c->op == POLY_OP_NOT)
		return isl_set_complement(condition(f, c->arg[0], !data));
	if (c->op != POLY_OP_AND && c->op != POLY_OP_OR)
		return compare(f, c);
	a = condition(f, c->arg[0], data);
	b = condition(f, c->arg[1], data);
	return c->op == POLY_OP_AND ? isl_set_intersect(a, b) :
		isl_set_union(a, b);
}

/* Where it may hold: the union over all data. */
__isl_give isl_set *fe_frame_condition(const struct fe_frame *f,
	const struct fe_scalar *c)
{
	return condition(f, c, true);
}

/* Where it holds whatever the data are. */
__isl_give isl_set *fe_frame_sure(const struct fe_frame *f,
	const struct fe_scalar *c)
{
	return condition(f, c, false);
}

/* ----------------------------------------------------------------- ranges */

/* The bound "b", rounded inwards.
 *
 * sum of coefficients times sizes (and quotients of sizes) over div: a lower
 * bound is rounded up, an upper one down.
 */
static __isl_give isl_pw_aff *bound_value(const struct fe_frame *f,
	const struct fe_bound *b, bool upper)
{
	isl_pw_aff *sum = number(f, b->constant), *part;
	int p;

	for (p = 0; p < b->n; p++) {
		if (!b->coef[p])
			continue;
		part = p < f->unit->n_param ? variable(f, isl_dim_param, p) :
			bound_value(f, fe_quotient_at(f->unit, p)->of, true);
		sum = isl_pw_aff_add(sum, isl_pw_aff_mul(
			number(f, b->coef[p]), part));
	}
	if (b->div == 1)
		return sum;
	sum = isl_pw_aff_scale_down_val(sum, isl_val_int_from_si(
		isl_space_get_ctx(f->space), b->div));
	return upper ? isl_pw_aff_floor(sum) : isl_pw_aff_ceil(sum);
}

/* The least of the upper bounds from "b" on, or the greatest of the lower ones.
 *
 * Bounds come as lists, of which all hold.
 */
static __isl_give isl_pw_aff *side_value(const struct fe_frame *f,
	const struct fe_bound *b, bool upper)
{
	isl_pw_aff *all = bound_value(f, b, upper), *one;

	while ((b = b->next)) {
		one = bound_value(f, b, upper);
		all = upper ? isl_pw_aff_min(all, one) :
			isl_pw_aff_max(all, one);
	}
	return all;
}

/* 0 in most programs. */
__isl_give isl_pw_aff *fe_frame_lower(const struct fe_frame *f,
	const struct fe_index *i)
{
	return side_value(f, i->lower, false);
}

/* upper - lower + 1, at least 0; a size alone stays just that, so that extents
 * read well.
 */
__isl_give isl_pw_aff *fe_frame_extent(const struct fe_frame *f,
	const struct fe_index *i)
{
	struct fe_size size;
	isl_pw_aff *n;
	isl_set *context;

	if (fe_range_is_size(f->unit, i, &size))
		return size.param ? variable(f, isl_dim_param,
			size.param->index) : number(f, size.value);
	n = side_value(f, i->upper, true);
	n = isl_pw_aff_sub(n, fe_frame_lower(f, i));
	n = isl_pw_aff_add(n, number(f, 1));
	n = isl_pw_aff_max(n, number(f, 0));
	context = fe_frame_context(f->unit, isl_space_get_ctx(f->space),
		false);
	return poly_pw_aff_coalesce(isl_pw_aff_gist_params(n, context));
}

/* Is the bound "b" a sum of sizes alone, without quotients?
 *
 * Such a bound is one constraint, which isl takes faster than a comparison of
 * functions.
 */
static bool is_linear(const struct fe_frame *f, const struct fe_bound *b)
{
	int p;

	for (p = f->unit->n_param; p < b->n; p++)
		if (b->coef[p])
			return false;
	return b->div == 1;
}

/* Where the index at "pos" meets the bound "b".
 *
 * sign * (bound - i) >= 0.
 */
static __isl_give isl_set *bound_set(const struct fe_frame *f, int pos,
	const struct fe_bound *b, bool upper)
{
	isl_ctx *ctx = isl_space_get_ctx(f->space);
	int sign = upper ? 1 : -1, p;
	isl_pw_aff *i, *end;
	isl_constraint *c;

	if (!is_linear(f, b)) {
		i = variable(f, isl_dim_set, pos);
		end = bound_value(f, b, upper);
		return upper ? isl_pw_aff_le_set(i, end) :
			isl_pw_aff_ge_set(i, end);
	}
	c = isl_constraint_alloc_inequality(isl_local_space_from_space(
		isl_space_copy(f->space)));
	c = isl_constraint_set_coefficient_si(c, isl_dim_set, pos, -sign);
	c = isl_constraint_set_constant_val(c, isl_val_int_from_si(ctx,
		b->constant * sign));
	for (p = 0; p < b->n && p < f->unit->n_param; p++)
		c = isl_constraint_set_coefficient_val(c, isl_dim_param, p,
			isl_val_int_from_si(ctx, b->coef[p] * sign));
	return isl_set_from_basic_set(isl_basic_set_from_constraint(c));
}

/* Takes "set" and adds all bounds of the index at "pos". */
__isl_give isl_set *fe_frame_range(const struct fe_frame *f,
	__isl_take isl_set *set, int pos)
{
	const struct fe_bound *b;

	for (b = f->dim[pos]->lower; b; b = b->next)
		set = isl_set_intersect(set, bound_set(f, pos, b, false));
	for (b = f->dim[pos]->upper; b; b = b->next)
		set = isl_set_intersect(set, bound_set(f, pos, b, true));
	return set;
}

/* With "all", those conditions, too, that are asked at each point. "written" indices
 * have their places told by data, so no range bounds them.
 */
static __isl_give isl_set *points(const struct fe_frame *f,
	const struct fe_scope *scope, bool all)
{
	isl_set *set = isl_set_universe(isl_space_copy(f->space));
	const struct fe_scalar *c;
	const struct fe_index *i;
	int pos;

	for (i = scope->first; i; i = i->next) {
		pos = find_dim(f, i);
		if (pos >= 0 && !i->written)
			set = fe_frame_range(f, set, pos);
	}
	for (c = scope->condition; c; c = c->next)
		if (all || !c->asked)
			set = isl_set_intersect(set, fe_frame_condition(f, c));
	return set;
}

__isl_give isl_set *fe_frame_domain(const struct fe_frame *f,
	const struct fe_scope *scope)
{
	return points(f, scope, true);
}

__isl_give isl_set *fe_frame_run(const struct fe_frame *f,
	const struct fe_tensor *t, const struct fe_scope *scope)
{
	return points(f, scope, !t->asks);
}

/* What is known of sizes: not negative, assumptions of the text, and with
 * "fixed" the values of -D.
 */
__isl_give isl_set *fe_frame_context(const struct fe_unit *u, isl_ctx *ctx,
	bool fixed)
{
	isl_set *set = isl_set_universe(size_space(u, ctx)), *holds;
	const struct fe_scalar *c;
	const struct fe_param *p;
	struct fe_frame f;

	for (p = u->param; p; p = p->next) {
		set = isl_set_lower_bound_si(set, isl_dim_param,
			(unsigned)p->index, 0);
		if (fixed && p->fixed)
			set = isl_set_fix_si(set, isl_dim_param,
				(unsigned)p->index, (int)p->value);
	}
	fe_frame_init(&f, u, ctx, NULL);
	for (c = u->assume; c; c = c->next) {
		holds = isl_set_params(fe_frame_condition(&f, c));
		set = isl_set_intersect(set, holds);
	}
	fe_frame_free(&f);
	return set;
}

/* ---------------------------------------------------------------- tensors */

/* The frame of a tensor's own indices, for its definition. */
void fe_frame_of(struct fe_frame *f, const struct fe_unit *u, isl_ctx *ctx,
	const struct fe_tensor *t)
{
	fe_frame_init(f, u, ctx, t->name);
	fe_frame_add_scope(f, &t->scope, t->rank);
}

/* Where the tensor is defined. */
__isl_give isl_set *fe_frame_tensor(const struct fe_frame *f,
	const struct fe_tensor *t)
{
	return fe_frame_domain(f, &t->scope);
}

/* "y[i = 3, j = 0] with N = 4, and others": the element of "set" for the smallest
 * sizes, of these the first.
 *
 * For messages about sets in many pieces: an example says more. The sizes are
 * moved in front of the dimensions, so that lexmin finds the smallest of these
 * first.
 */
static char *print_first(__isl_take isl_set *set)
{
	int i, n = isl_set_dim(set, isl_dim_set);
	int n_param = isl_set_dim(set, isl_dim_param);
	struct poly_str s = { 0 };
	const char *name;
	isl_point *point;
	isl_val *v;

	for (i = 0; i < n_param; i++)
		set = isl_set_lower_bound_si(set, isl_dim_param, (unsigned)i,
			0);
	point = isl_set_sample_point(isl_set_lexmin(isl_set_move_dims(
		isl_set_flatten(isl_set_copy(set)), isl_dim_set, 0,
		isl_dim_param, 0, (unsigned)n_param)));
	poly_str_printf(&s, "%s[", isl_set_get_tuple_name(set));
	for (i = 0; i < n + n_param; i++) {
		int d = i < n ? i : i - n;

		v = isl_point_get_coordinate_val(point, isl_dim_set,
			i < n ? n_param + d : d);
		name = isl_set_get_dim_name(set, i < n ? isl_dim_set :
			isl_dim_param, (unsigned)d);
		poly_str_printf(&s, "%s%s = %ld", i == n ? "] with " : d ?
			", " : "", name ? name : "_", isl_val_get_num_si(v));
		isl_val_free(v);
	}
	poly_str_add(&s, n_param ? ", and others" : "], and others");
	isl_point_free(point);
	isl_set_free(set);
	return s.s;
}

/* The caller frees it. Takes "set"; "sizes" are what is known, and are not
 * repeated in the text.
 */
char *fe_frame_print(const struct fe_frame *f, __isl_take isl_set *set,
	__isl_keep isl_set *sizes)
{
	isl_set *all = isl_set_intersect_params(isl_set_copy(set),
		isl_set_copy(sizes));
	char *text;
	int d;

	set = isl_set_gist_params(set, isl_set_copy(sizes));
	set = poly_set_coalesce(isl_set_detect_equalities(set));
	for (d = 0; d < f->n; d++)
		if (f->dim[d]->symbol) {
			set = isl_set_set_dim_name(set, isl_dim_set,
				(unsigned)d, f->dim[d]->symbol->name);
			all = isl_set_set_dim_name(all, isl_dim_set,
				(unsigned)d, f->dim[d]->symbol->name);
		}
	set = isl_set_drop_unused_params(set);
	if (isl_set_n_basic_set(set) > 1) {
		isl_set_free(set);
		return print_first(isl_set_drop_unused_params(all));
	}
	isl_set_free(all);
	text = isl_set_to_str(set);
	isl_set_free(set);
	return text;
}
