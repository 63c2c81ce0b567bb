/* The interpreter of C nests: the sizes and arrays of a nest, the inputs that it is
 * given, and the elements that are asked of it.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/point.h>
#include <isl/val.h>

#include "frontend/c/lower/c_interp.h"

/* The extent of the dimension that is not written, from isl's text.
 *
 * The lowering found the extent as a function of the sizes and left it as a
 * text, because the unit outlives isl's context. A context of its own reads it
 * here.
 */
static int64_t found_extent(const struct fe_unit *u, const char *text,
	const int64_t *param)
{
	isl_ctx *ctx = poly_ctx_alloc();
	isl_pw_aff *extent = ctx ? isl_pw_aff_read_from_str(ctx, text) : NULL;
	isl_point *point;
	isl_val *value;
	int64_t n = 0;
	int i, at;

	if (extent) {
		point = isl_point_zero(isl_pw_aff_get_domain_space(extent));
		for (i = 0; i < u->c->n_size; i++) {
			at = isl_pw_aff_find_dim_by_name(extent,
				isl_dim_param, u->c->size[i]->lowered);
			if (at >= 0)
				point = isl_point_set_coordinate_val(point,
					isl_dim_param, at,
					isl_val_int_from_si(ctx,
						(long)param[i]));
		}
		value = isl_pw_aff_eval(extent, point);
		n = isl_val_get_num_si(value);
		isl_val_free(value);
	}
	if (ctx)
		poly_ctx_free(ctx);
	return n < 0 ? 0 : n;
}

/* Sizes first: extents need them.
 *
 * The value that the nest fixes wins over what is given.
 */
static void set_sizes(struct fe_c_interp *in, const int64_t *param)
{
	const struct fe_c_unit *c = in->unit->c;
	int i;

	for (i = 0; i < c->n_size; i++)
		in->store[c->size[i]->id].scalar = c->size[i]->fixed ?
			c->size[i]->value : param[i];
}

/* Scalars that the lowering does without are needed, too.
 *
 * A dimension that is not written has the extent that the lowering found.
 * Negative extents count as 0. Each array has one element more than it needs,
 * so that an empty one has memory.
 */
static bool set_extents(struct fe_c_interp *in, const int64_t *param)
{
	const struct fe_c_var *v;
	int d;

	for (v = in->unit->c->var; v; v = v->next) {
		struct fe_c_store *s = &in->store[v->id];

		if ((!v->used && v->n_dim) || v->use == FE_C_SIZE ||
		    s->counts)
			continue;
		s->n = 1;
		for (d = 0; d < v->n_dim; d++) {
			s->dim[d] = v->dim[d] ?
				fe_c_interp_integer(in, v->dim[d]).i :
				found_extent(in->unit, v->extent, param);
			if (s->dim[d] < 0)
				s->dim[d] = 0;
			if (__builtin_mul_overflow(s->n, s->dim[d], &s->n))
				return false;
		}
		/* The limit leaves room for an element's size in bytes. */
		if (s->n > INT64_MAX / 16)
			return false;
		s->data = calloc((size_t)s->n + 1,
			(size_t)poly_type_size(v->type));
		if (!s->data)
			return false;
	}
	return true;
}

/* Note the variables of loops, of those as written and of those that are lowered,
 * whose cost is counted: each has loops that the other has not.
 *
 * What counts is kept as an integer and has no data.
 */
static void find_counters(struct fe_c_interp *in, const struct fe_c_stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == FE_C_FOR)
			in->store[s->var->id].counts = true;
		find_counters(in, s->body);
		find_counters(in, s->otherwise);
	}
}

/* The nest is not executed yet: that happens at the first element that is asked
 * for.
 */
void *fe_c_interp_alloc(const struct fe_unit *u,
	const int64_t *param, struct fe_work *work)
{
	struct fe_c_interp *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->unit = u;
	in->work = work;
	/* Not known yet. */
	in->cost = -1;
	in->live = true;
	in->store = calloc((size_t)u->c->n_var + 1, sizeof(*in->store));
	if (!in->store) {
		fe_c_interp_free(in);
		return NULL;
	}
	/* Both trees are searched, since run() executes what was written and
	 * the cost is that of what is lowered.
	 */
	find_counters(in, u->c->written);
	find_counters(in, u->c->body);
	set_sizes(in, param);
	if (set_extents(in, param))
		return in;
	fe_c_interp_free(in);
	return NULL;
}

/* Free "interp", which may be NULL. */
void fe_c_interp_free(void *interp)
{
	struct fe_c_interp *in = interp;
	int i;

	if (!in)
		return;
	for (i = 0; in->store && i < in->unit->c->n_var; i++)
		fe_c_store_free(&in->store[i]);
	free(in->store);
	free(in);
}

/* The variable that is the array "name" of the lowered program, or NULL.
 *
 * Inputs and outputs are known by the names that the lowered program has for
 * them.
 */
static const struct fe_c_var *find_array(const struct fe_c_interp *in,
	const char *name)
{
	const struct fe_c_var *v;

	for (v = in->unit->c->var; v; v = v->next)
		if (v->used && v->use == FE_C_CELL &&
		    !strcmp(v->lowered, name))
			return v;
	return NULL;
}

/* Data are not copied here; fe_c_interp_begin() does that. New data make what
 * was computed stale.
 */
bool fe_c_interp_set_input(void *interp, const char *name,
	const void *data)
{
	struct fe_c_interp *in = interp;
	const struct fe_c_var *v = find_array(in, name);

	if (!v)
		return false;
	in->store[v->id].input = data;
	in->done = false;
	return true;
}

/* -1 if no array has that name. */
int fe_c_interp_shape(void *interp, const char *name,
	int64_t dim[FE_MAX_DIM])
{
	struct fe_c_interp *in = interp;
	const struct fe_c_var *v = find_array(in, name);

	if (!v)
		return -1;
	memcpy(dim, in->store[v->id].dim, (size_t)v->n_dim * sizeof(*dim));
	return v->n_dim;
}

bool fe_c_interp_positions(void *interp, const char *name, int64_t *first,
	int64_t *last)
{
	struct fe_c_interp *in = interp;
	const struct fe_c_var *v = find_array(in, name);

	if (!v || !v->limit[0])
		return false;
	*first = fe_c_interp_integer(in, v->limit[0]).i;
	*last = fe_c_interp_integer(in, v->limit[1]).i;
	return true;
}

/* All arrays begin with their inputs again, or with zeros. */
void fe_c_interp_begin(struct fe_c_interp *in)
{
	const struct fe_c_var *v;

	for (v = in->unit->c->var; v; v = v->next) {
		in->store[v->id].ring = in->work->ring;
		fe_c_store_begin(v->type, &in->store[v->id]);
	}
	in->failed = false;
}

/* An array without data is one that the nest does not use. */
bool fe_c_interp_put(struct fe_c_interp *in, const struct fe_c_var *v,
	int64_t at, const struct fe_number *x)
{
	struct fe_c_store *s = &in->store[v->id];

	return !s->data || (at < s->n && fe_c_save(v->type, s, at, x));
}

struct fe_number fe_c_interp_get(struct fe_c_interp *in,
	const struct fe_c_var *v, int64_t at)
{
	return fe_c_load(v->type, &in->store[v->id], at);
}

/* Execute the nest on copies of its inputs, unless that is too much.
 *
 * Inputs stay as they were: the same nest may be executed again.
 */
static bool execute(struct fe_c_interp *in)
{
	if (!fe_c_interp_affords(in))
		return false;
	fe_c_interp_begin(in);
	return fe_c_interp_run(in);
}

/* What has been executed read no element that is not there. */
bool fe_c_interp_check(void *interp, struct fe_bad_read *bad)
{
	struct fe_c_interp *in = interp;

	*bad = in->outside;
	return !bad->name;
}

/* The first element executes the nest; later ones are read from memory. */
bool fe_c_interp_eval(void *interp, const char *name,
	const int64_t *index, struct fe_value *v)
{
	struct fe_c_interp *in = interp;
	const struct fe_c_var *var = find_array(in, name);
	const struct fe_c_store *s;
	struct fe_number x;
	int64_t at = 0;
	int d;

	if (!in->done && !execute(in))
		return false;
	s = &in->store[var->id];
	for (d = 0; d < var->n_dim; d++)
		at = at * s->dim[d] + index[d];
	x = fe_c_load(var->type, s, at);
	fe_value_result(var->type, &x, v);
	return !in->failed;
}
