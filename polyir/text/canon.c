/* Canonical text of isl objects.
 *
 * isl's own text of an object depends on the object's history: on the order in
 * which parameters came in, and on which of two equal forms a constraint has.
 * Here every object gets the program's parameters in the program's order and
 * loses those that it does not use, and the dimensions of a statement are called
 * what they are in its domain, or i0, i1..; its text is then read back and
 * printed again until it stays the same. What is read from such a text prints as
 * that text, so the text of a program is a fixed point.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* Rounds of reading back; two suffice for everything seen so far. */
enum { ROUNDS = 4 };

static __isl_give isl_space *add_param(__isl_take isl_space *space,
	const char *name)
{
	isl_ctx *ctx = isl_space_get_ctx(space);

	return isl_space_add_param_id(space, isl_id_alloc(ctx, name, NULL));
}

__isl_give isl_space *poly_text_params(struct poly_prog *prog)
{
	isl_space *space = isl_space_params_alloc(prog->ctx, 0);
	int i;

	for (i = 0; i < prog->n_param; i++)
		space = add_param(space, prog->param[i].name);
	for (i = 0; i < POLY_N_COORDINATE; i++)
		space = add_param(space, poly_coordinate(prog, i));
	return space;
}

__isl_give isl_space *poly_stmt_space(const struct poly_stmt *stmt)
{
	isl_space *space = isl_set_get_space(stmt->domain);

	return isl_space_drop_all_params(space);
}

__isl_give isl_set *poly_set_of_stmt(__isl_keep isl_union_set *set,
	const struct poly_stmt *stmt)
{
	return isl_union_set_extract_set(set, poly_stmt_space(stmt));
}

/* The name of dimension "i" of the statement called "tuple", in "text" if it has
 * none; NULL if there is no such statement.
 */
static const char *dim_name(struct poly_prog *prog, const char *tuple,
	isl_size i, char text[16])
{
	const struct poly_stmt *stmt = tuple ?
		poly_prog_find_stmt(prog, tuple) : NULL;
	const char *name;

	if (!stmt || i >= isl_set_dim(stmt->domain, isl_dim_set))
		return NULL;
	name = isl_set_get_dim_name(stmt->domain, isl_dim_set, (unsigned)i);
	snprintf(text, 16, "i%d", (int)i);
	return name ? name : text;
}

/* Define name_TYPE, which gives the tuple "type" of an isl_TYPE its names. */
#define DEFINE_NAME(TYPE, tuple_name) \
static __isl_give isl_##TYPE *name_##TYPE(struct poly_prog *prog, \
	__isl_take isl_##TYPE *obj, enum isl_dim_type type) \
{ \
	isl_size n = isl_##TYPE##_dim(obj, type); \
	char text[16]; \
\
	for (isl_size i = 0; i < n; i++) { \
		const char *name = dim_name(prog, tuple_name, i, text); \
\
		if (name) \
			obj = isl_##TYPE##_set_dim_name(obj, type, \
				(unsigned)i, name); \
	} \
	return obj; \
}

DEFINE_NAME(set, isl_set_get_tuple_name(obj))
DEFINE_NAME(map, isl_map_get_tuple_name(obj, type))
DEFINE_NAME(multi_pw_aff, isl_multi_pw_aff_get_tuple_name(obj, type))

static __isl_give isl_set *named_set(struct poly_prog *prog,
	__isl_take isl_set *set)
{
	return name_set(prog, set, isl_dim_set);
}

static __isl_give isl_map *named_map(struct poly_prog *prog,
	__isl_take isl_map *map)
{
	map = name_map(prog, map, isl_dim_in);
	return name_map(prog, map, isl_dim_out);
}

static __isl_give isl_multi_pw_aff *named_index(struct poly_prog *prog,
	__isl_take isl_multi_pw_aff *index)
{
	isl_space *space = isl_multi_pw_aff_get_space(index);
	bool is_set = isl_space_is_set(space) == isl_bool_true;

	isl_space_free(space);
	return is_set ? index : name_multi_pw_aff(prog, index, isl_dim_in);
}

/* For what has no statement's dimensions by name. */
#define AS_IT_IS(prog, obj) (obj)

static __isl_give isl_multi_pw_aff *drop_unused_of_index(
	__isl_take isl_multi_pw_aff *index)
{
	isl_size n = isl_multi_pw_aff_dim(index, isl_dim_param);

	while (n-- > 0)
		if (!isl_multi_pw_aff_involves_dims(index, isl_dim_param,
			(unsigned)n, 1))
			index = isl_multi_pw_aff_drop_dims(index,
				isl_dim_param, (unsigned)n, 1);
	return index;
}

static __isl_give isl_multi_aff *drop_unused_of_point(
	__isl_take isl_multi_aff *at)
{
	isl_size n = isl_multi_aff_dim(at, isl_dim_param);

	while (n-- > 0)
		if (!isl_multi_aff_involves_dims(at, isl_dim_param,
			(unsigned)n, 1))
			at = isl_multi_aff_drop_dims(at, isl_dim_param,
				(unsigned)n, 1);
	return at;
}

/* Define poly_text_NAME, which prints an isl_TYPE; "named" gives its dimensions
 * names, "drop" drops its unused parameters. A text that reading has changed is
 * made twice: without memory, isl reads it without a name and does not say so.
 */
#define DEFINE_TEXT(name, TYPE, named, drop) \
static char *print_##name(__isl_take isl_##TYPE *obj, \
	__isl_keep isl_space *params) \
{ \
	char *text; \
\
	obj = isl_##TYPE##_align_params(obj, isl_space_copy(params)); \
	obj = drop(obj); \
	text = isl_##TYPE##_to_str(obj); \
	isl_##TYPE##_free(obj); \
	return text; \
} \
\
static char *settle_##name(struct poly_prog *prog, \
	__isl_keep isl_##TYPE *obj, bool *changed) \
{ \
	isl_space *params = poly_text_params(prog); \
	char *text = print_##name(isl_##TYPE##_copy(obj), params), *again; \
	int i; \
\
	for (i = 0; text && i < ROUNDS; i++) { \
		again = print_##name(isl_##TYPE##_read_from_str(prog->ctx, \
			text), params); \
		if (again && !strcmp(again, text)) \
			i = ROUNDS; \
		else \
			*changed = true; \
		free(text); \
		text = again; \
	} \
	isl_space_free(params); \
	return text; \
} \
\
char *poly_text_##name(struct poly_prog *prog, __isl_take isl_##TYPE *obj) \
{ \
	bool changed = false; \
	char *text, *again; \
\
	obj = named(prog, obj); \
	text = settle_##name(prog, obj, &changed); \
	again = changed ? settle_##name(prog, obj, &changed) : NULL; \
\
	isl_##TYPE##_free(obj); \
	if (text && changed && (!again || strcmp(again, text))) { \
		free(text); \
		text = NULL; \
	} \
	free(again); \
	return text; \
}

DEFINE_TEXT(set, set, named_set, isl_set_drop_unused_params)
DEFINE_TEXT(map, map, named_map, isl_map_drop_unused_params)
DEFINE_TEXT(index, multi_pw_aff, named_index, drop_unused_of_index)
DEFINE_TEXT(point, multi_aff, AS_IT_IS, drop_unused_of_point)
DEFINE_TEXT(size, pw_aff, AS_IT_IS, isl_pw_aff_drop_unused_params)
