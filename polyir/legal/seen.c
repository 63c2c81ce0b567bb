/* What the checks have seen of a program, to tell whether a pass has changed it.
 *
 * Everything that a check may read is taken down: numbers and names as text, the
 * objects of isl as references. As long as these are held, isl changes no object
 * in place, so that the same object is the same set or function; of others only
 * those count as the same that isl finds equal without computing anything. A
 * change that is none may go unnoticed as such, never the reverse.
 *
 * Of one kernel, it is its record and its tree with the nodes above, the statements
 * that these run, and the dependences from and to those: all that is asked of a
 * kernel alone. What passes do to other kernels leaves it as it is.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/facts.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"
#include "polyir/layout/layout.h"
#include "polyir/legal/legal.h"

/* Define note_NAME, which takes down an isl_TYPE or that there is none; "equal"
 * finds two the same without computing anything.
 */
#define DEFINE_NOTE(name, TYPE, equal) \
static void *copy_##name(void *obj) \
{ \
	return isl_##TYPE##_copy(obj); \
} \
\
static void free_##name(void *obj) \
{ \
	isl_##TYPE##_free(obj); \
} \
\
static isl_bool same_##name(void *a, void *b) \
{ \
	return isl_bool_ok(a == b || equal(a, b) == isl_bool_true); \
} \
\
static char *print_##name(void *obj) \
{ \
	return isl_##TYPE##_to_str(obj); \
} \
\
static void note_##name(struct poly_seen *s, __isl_keep isl_##TYPE *obj) \
{ \
	static const struct poly_handling class = { \
		copy_##name, free_##name, same_##name, print_##name \
	}; \
\
	poly_seen_note(s, &class, obj); \
}

/* isl compares unions only by computing. */
#define NEVER(a, b) isl_bool_false

DEFINE_NOTE(set, set, isl_set_plain_is_equal)
DEFINE_NOTE(map, union_map, NEVER)
DEFINE_NOTE(pairs, map, isl_map_plain_is_equal)
DEFINE_NOTE(index, multi_pw_aff, isl_multi_pw_aff_plain_is_equal)
DEFINE_NOTE(point, multi_aff, isl_multi_aff_plain_is_equal)
DEFINE_NOTE(size, pw_aff, isl_pw_aff_plain_is_equal)
DEFINE_NOTE(tree, schedule, isl_schedule_plain_is_equal)

static void note_name(struct poly_seen *s, const char *name)
{
	poly_str_printf(&s->text, " %s", name ? name : "-");
}

static void note_number(struct poly_seen *s, int n)
{
	poly_str_printf(&s->text, " %d", n);
}

static void note_value(struct poly_seen *s, double value)
{
	poly_str_printf(&s->text, " %a", value);
}

static void note_param(struct poly_seen *s, const struct poly_param *param)
{
	poly_str_printf(&s->text, "\n%s %d %lld", param->name, param->fixed,
		param->fixed ? (long long)param->value : 0);
}

static void note_array(struct poly_seen *s, const struct poly_array *a)
{
	poly_str_printf(&s->text, "\n%s %d %d %d %d %d %d %d", a->name, a->type,
		a->n_dim, a->role, a->space, a->row_pad, a->swizzled, a->stride);
	note_number(s, a->scattered);
	note_number(s, a->gathered);
	note_index(s, a->extent);
	note_index(s, a->within);
}

/* Take down the "index" of an access to "array". */
static void note_access(struct poly_seen *s, const struct poly_array *array,
	__isl_keep isl_multi_pw_aff *index)
{
	isl_multi_pw_aff *own;
	isl_pw_aff *first;
	int k = 0;

	while (s->part && array && s->prog->array[k] != array)
		k++;
	if (!s->part || !array || !index || s->part[k] < 0) {
		note_index(s, index);
		return;
	}
	first = isl_multi_pw_aff_get_at(index, 0);
	first = isl_pw_aff_add_constant_val(first, isl_val_int_from_si(
		isl_multi_pw_aff_get_ctx(index), -s->part[k]));
	own = isl_multi_pw_aff_set_at(isl_multi_pw_aff_copy(index), 0, first);
	note_index(s, own);
	isl_multi_pw_aff_free(own);
}

/* Take down the expression "e" and its arguments; NULL is noted as "-". */
static void note_expr(struct poly_seen *s, const struct poly_expr *e)
{
	if (!e) {
		note_name(s, NULL);
		return;
	}
	poly_str_printf(&s->text, " (%d %d", e->op, e->type);
	note_value(s, e->value);
	note_number(s, e->stride);
	note_name(s, e->param);
	note_name(s, e->array ? e->array->name : NULL);
	note_access(s, e->array, e->index);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		note_expr(s, e->arg[i]);
	poly_str_add(&s->text, ")");
}

/* Take down the points of each member. */
static void note_contraction(struct poly_seen *s, const struct poly_stmt *stmt)
{
	for (int i = 0; stmt->contraction && i < stmt->n_member; i++) {
		isl_space *space = isl_space_map_from_domain_and_range(
			poly_stmt_space(stmt->member[i]), poly_stmt_space(stmt));
		isl_map *own = isl_union_map_extract_map(stmt->contraction, space);

		note_pairs(s, own);
		isl_map_free(own);
	}
}

/* The part of "stmt" that only tile operations and barriers have. */
static void note_operation(struct poly_seen *s, const struct poly_stmt *stmt)
{
	note_number(s, stmt->n_member);
	for (int i = 0; i < stmt->n_member; i++)
		note_name(s, stmt->member[i]->name);
	note_contraction(s, stmt);
	for (int i = 0; i < POLY_MAX_OPERAND; i++) {
		note_name(s, stmt->operand[i] ? stmt->operand[i]->name : NULL);
		note_index(s, stmt->operand_index[i]);
	}
	note_number(s, stmt->full);
	note_value(s, stmt->fill);
	note_number(s, stmt->coalesce);
	note_number(s, stmt->async);
	note_number(s, stmt->bulk);
	note_number(s, stmt->along);
	note_name(s, stmt->with ? stmt->with->name : NULL);
	note_name(s, stmt->wait ? stmt->wait->name : NULL);
	note_number(s, stmt->ahead);
}

static void note_stmt(struct poly_seen *s, const struct poly_stmt *stmt)
{
	poly_str_printf(&s->text, "\n%s %d", stmt->name, stmt->kind);
	note_set(s, stmt->domain);
	note_name(s, stmt->write_array ? stmt->write_array->name : NULL);
	note_access(s, stmt->write_array, stmt->write_index);
	note_number(s, stmt->reduce);
	note_expr(s, stmt->rhs);
	note_number(s, stmt->across);
	note_number(s, stmt->down);
	note_number(s, stmt->atomic);
	note_number(s, stmt->fold);
	note_number(s, stmt->ordered);
	note_point(s, stmt->at);
	note_operation(s, stmt);
}

static void note_kernel(struct poly_seen *s, const struct poly_kernel *k)
{
	poly_str_printf(&s->text, "\n%s %d %d %d %d %d %d %d %d %d %d %d", k->name,
		k->tiled, k->block, k->together, k->apart, k->chained, k->near, k->tile_k,
		k->vec_k, k->stages, k->unit, k->n_batch);
	note_number(s, k->blocks);
	note_number(s, k->ranked);
	note_number(s, k->slice);
	for (int d = 0; d < 2; d++) {
		note_number(s, k->thread[d]);
		note_number(s, k->tile[d]);
		note_number(s, k->vec[d]);
		note_number(s, k->cluster[d]);
		note_size(s, k->grid[d]);
	}
	for (int d = 0; d < k->n_batch; d++)
		note_size(s, k->batch[d]);
}

static void note_deps(struct poly_seen *s, const struct poly_deps *deps)
{
	note_map(s, deps->flow);
	note_map(s, deps->anti);
	note_map(s, deps->output);
	note_map(s, deps->reduction);
	note_map(s, deps->rar);
}

static void note_program(struct poly_seen *s, const struct poly_prog *prog)
{
	note_number(s, prog->fp);
	note_set(s, prog->context);
	note_deps(s, &prog->deps);
	for (int i = 0; i < prog->n_param; i++)
		note_param(s, &prog->param[i]);
	for (int i = 0; i < prog->n_array; i++)
		note_array(s, prog->array[i]);
	for (int i = 0; i < prog->n_stmt; i++)
		note_stmt(s, prog->stmt[i]);
	for (int i = 0; i < prog->n_kernel; i++)
		note_kernel(s, prog->kernel[i]);
	note_tree(s, prog->original);
	note_tree(s, prog->schedule);
}

struct poly_seen *poly_seen_take(const struct poly_prog *prog)
{
	struct poly_seen *s = calloc(1, sizeof(*s));

	if (s)
		note_program(s, prog);
	return s;
}

/* ------------------------------------------------------------- one kernel */

/* The statements, by their positions, that one kernel has to do with. */
struct scope {
	struct poly_seen *seen;
	struct poly_prog *prog;
	bool *stmt;
};

/* Add the statement and its members. */
static void add_to_scope(struct scope *c, const struct poly_stmt *stmt)
{
	c->stmt[poly_stmt_position(c->prog, stmt->name)] = true;
	for (int m = 0; m < stmt->n_member; m++)
		add_to_scope(c, stmt->member[m]);
}

/* Add the statements that "kernel" runs, and perhaps others. */
static void add_own(struct scope *c, const struct poly_kernel *kernel)
{
	int n;
	struct poly_stmt **list = poly_named_stmts(c->prog, kernel, &n);

	if (!list)
		poly_str_fail(&c->seen->text);
	for (int i = 0; i < n; i++)
		add_to_scope(c, list[i]);
	free(list);
}

/* Is "array" accessed by the statement, or an operand of it? */
static bool has_to_do(struct poly_stmt *stmt, const struct poly_array *array)
{
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		if (stmt->operand[i] == array)
			return true;
	return poly_touches(stmt, array);
}

/* Add the other statements that write what blocks or threads of those in "c" have
 * to themselves.
 */
static void add_writers(struct scope *c)
{
	struct poly_prog *prog = c->prog;
	bool *own = calloc(prog->n_stmt + 1, sizeof(*own));

	if (!own) {
		poly_str_fail(&c->seen->text);
		return;
	}
	memcpy(own, c->stmt, prog->n_stmt * sizeof(*own));
	for (int i = 0; i < prog->n_stmt; i++) {
		const struct poly_array *array = prog->stmt[i]->write_array;

		if (!array || array->space == POLY_GLOBAL)
			continue;
		for (int k = 0; k < prog->n_stmt && !c->stmt[i]; k++)
			c->stmt[i] = own[k] && has_to_do(prog->stmt[k],
				array);
	}
	free(own);
}

/* Take down the sets that "set", which is taken, has for the statements in "c",
 * in program order, each without parameters that it does not use.
 */
static void note_union(struct scope *c, __isl_take isl_union_set *set)
{
	for (int i = 0; i < c->prog->n_stmt; i++) {
		isl_set *own;

		if (!c->stmt[i])
			continue;
		own = isl_set_drop_unused_params(
			poly_set_of_stmt(set, c->prog->stmt[i]));
		note_set(c->seen, own);
		isl_set_free(own);
	}
	isl_union_set_free(set);
}

/* The functions of one member of a band, which is taken. */
static void note_member(struct scope *c, __isl_take isl_union_pw_aff *member)
{
	for (int i = 0; i < c->prog->n_stmt; i++) {
		isl_space *space;
		isl_pw_aff *own;

		if (!c->stmt[i])
			continue;
		space = isl_space_from_domain(
			poly_stmt_space(c->prog->stmt[i]));
		space = isl_space_add_dims(space, isl_dim_out, 1);
		own = isl_pw_aff_drop_unused_params(
			isl_union_pw_aff_extract_pw_aff(member, space));
		note_size(c->seen, own);
		isl_pw_aff_free(own);
	}
	isl_union_pw_aff_free(member);
}

static void note_band(struct scope *c,
	__isl_take isl_multi_union_pw_aff *partial)
{
	int n = isl_multi_union_pw_aff_size(partial);

	note_number(c->seen, n);
	for (int d = 0; d < n; d++)
		note_member(c, isl_multi_union_pw_aff_get_at(partial, d));
	isl_multi_union_pw_aff_free(partial);
}

/* How loops are to be made of the band, which no check asks. */
static void note_loops(struct scope *c, __isl_keep isl_schedule_node *node)
{
	isl_union_set *options = isl_schedule_node_band_get_ast_build_options(node);
	char *text = isl_union_set_to_str(options);
	int n = isl_schedule_node_band_n_member(node);

	for (int d = 0; d < n; d++)
		note_number(c->seen,
			isl_schedule_node_band_member_get_ast_loop_type(node, d));
	note_name(c->seen, text);
	free(text);
	isl_union_set_free(options);
}

static void note_mark(struct scope *c, __isl_take isl_id *id)
{
	note_name(c->seen, id ? isl_id_get_name(id) : NULL);
	isl_id_free(id);
}

/* Take down "node", but not what is below it; of sets, the statements in "c". */
static void note_node(struct scope *c, __isl_keep isl_schedule_node *node)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	isl_set *context;

	poly_str_printf(&c->seen->text, "\n%d", type);
	switch (type) {
	case isl_schedule_node_domain:
		note_union(c, isl_schedule_node_domain_get_domain(node));
		break;
	case isl_schedule_node_filter:
		note_union(c, isl_schedule_node_filter_get_filter(node));
		break;
	case isl_schedule_node_mark:
		note_mark(c, isl_schedule_node_mark_get_id(node));
		break;
	case isl_schedule_node_context:
		context = isl_schedule_node_context_get_context(node);
		note_set(c->seen, context);
		isl_set_free(context);
		break;
	case isl_schedule_node_band:
		note_band(c, isl_schedule_node_band_get_partial_schedule(node));
		if (c->seen->part)
			note_loops(c, node);
		break;
	default:
		break;
	}
}

/* Take down the tree at and below "node". */
static void note_below(struct scope *c, __isl_keep isl_schedule_node *node)
{
	int n = isl_schedule_node_n_children(node);

	note_node(c, node);
	note_number(c->seen, n);
	for (int i = 0; i < n; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(node, i);

		note_below(c, child);
		isl_schedule_node_free(child);
	}
}

static void note_above(struct scope *c, __isl_take isl_schedule_node *node)
{
	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		node = isl_schedule_node_parent(node);
		note_node(c, node);
	}
	isl_schedule_node_free(node);
}

/* The arrays of accesses in "e". */
static void note_arrays(struct scope *c, const struct poly_expr *e)
{
	if (!e)
		return;
	if (e->array)
		note_array(c->seen, e->array);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		note_arrays(c, e->arg[i]);
}

/* A fold is none any more once there are tiles. */
static void note_in_scope(struct scope *c, const struct poly_stmt *stmt)
{
	note_stmt(c->seen, stmt);
	if (stmt->fold)
		note_number(c->seen, !!(c->prog->have & POLY_HAVE_TILES));
	if (stmt->write_array)
		note_array(c->seen, stmt->write_array);
	for (int i = 0; i < POLY_MAX_OPERAND; i++)
		if (stmt->operand[i])
			note_array(c->seen, stmt->operand[i]);
	note_arrays(c, stmt->rhs);
}

/* Dependences that matter in the scope, to be taken down by the names of their
 * ends: those within it, and those of what writes a register.
 */
struct ends {
	const struct scope *c;
	isl_map **map;		/* owned */
	int n;
};

/* Order dependences by the names of source and sink, as isl lists them in the
 * order of a hash table.
 */
static int compare_ends(const void *a, const void *b)
{
	isl_map *x = *(isl_map *const *)a, *y = *(isl_map *const *)b;
	int order = strcmp(isl_map_get_tuple_name(x, isl_dim_in),
		isl_map_get_tuple_name(y, isl_dim_in));

	return order ? order : strcmp(isl_map_get_tuple_name(x, isl_dim_out),
		isl_map_get_tuple_name(y, isl_dim_out));
}

static int place_of(const struct scope *c, __isl_keep isl_map *map,
	enum isl_dim_type end)
{
	return poly_stmt_position(c->prog, isl_map_get_tuple_name(map, end));
}

/* Does statement "i", if it is in "c", write a register? */
static bool writes_register(const struct scope *c, int i)
{
	const struct poly_array *array = c->stmt[i] ?
		c->prog->stmt[i]->write_array : NULL;

	return array && array->space == POLY_REGISTER;
}

/* Callback of note_ends: keep "map" if both of its statements are in the scope,
 * or if one of them is there and writes a register.
 */
static isl_stat keep_in_scope(__isl_take isl_map *map, void *user)
{
	struct ends *e = user;

	int from = place_of(e->c, map, isl_dim_in);
	int to = place_of(e->c, map, isl_dim_out);

	if ((e->c->stmt[from] && e->c->stmt[to]) ||
	    writes_register(e->c, from) || writes_register(e->c, to))
		e->map[e->n++] = map;
	else
		isl_map_free(map);
	return isl_stat_ok;
}

/* Take down the dependences of "deps" that matter in the scope of "c", sorted
 * by the names of their statements.
 */
static void note_ends(struct scope *c, __isl_keep isl_union_map *deps)
{
	isl_size most = deps ? isl_union_map_n_map(deps) : 0;
	struct ends e = { .c = c,
		.map = calloc(most < 0 ? 1 : most + 1, sizeof(*e.map)) };

	if (!e.map || most < 0 || (deps &&
	    isl_union_map_foreach_map(deps, keep_in_scope, &e) < 0))
		poly_str_fail(&c->seen->text);
	if (e.n)
		qsort(e.map, e.n, sizeof(*e.map), compare_ends);
	poly_str_add(&c->seen->text, "\n");
	for (int i = 0; i < e.n; i++) {
		note_name(c->seen, isl_map_get_tuple_name(e.map[i],
			isl_dim_in));
		note_name(c->seen, isl_map_get_tuple_name(e.map[i],
			isl_dim_out));
		note_pairs(c->seen, e.map[i]);
		isl_map_free(e.map[i]);
	}
	free(e.map);
}

/* Take down all that the checks read of "kernel": sizes and context, its
 * record, its statements and their arrays, their dependences, and its tree with
 * the nodes above. "node", which is taken, is the child of its mark.
 */
static void note_scope(struct scope *c, const struct poly_kernel *kernel,
	__isl_take isl_schedule_node *node)
{
	struct poly_prog *prog = c->prog;

	note_number(c->seen, prog->fp);
	note_set(c->seen, prog->context);
	for (int i = 0; i < prog->n_param; i++)
		note_param(c->seen, &prog->param[i]);
	note_kernel(c->seen, kernel);
	add_own(c, kernel);
	add_writers(c);
	for (int i = 0; i < prog->n_stmt; i++)
		if (c->stmt[i])
			note_in_scope(c, prog->stmt[i]);
	note_ends(c, prog->deps.flow);
	note_ends(c, prog->deps.anti);
	note_ends(c, prog->deps.output);
	note_ends(c, prog->deps.reduction);
	note_below(c, node);
	note_above(c, node);
}

struct poly_seen *poly_seen_kernel(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	return poly_seen_parts(prog, kernel, NULL);
}

struct poly_seen *poly_seen_parts(struct poly_prog *prog,
	const struct poly_kernel *kernel, const int64_t *part)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	struct scope c = { .prog = prog, .seen = calloc(1, sizeof(*c.seen)),
		.stmt = calloc(prog->n_stmt + 1, sizeof(*c.stmt)) };

	if (node && c.seen && c.stmt) {
		c.seen->prog = prog;
		c.seen->part = part;
		note_scope(&c, kernel, node);
		c.seen->part = NULL;
	} else {
		isl_schedule_node_free(node);
		free(c.seen);
		c.seen = NULL;
	}
	free(c.stmt);
	return c.seen;
}
