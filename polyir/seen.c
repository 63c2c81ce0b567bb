/* What the checks have seen of a program, to tell whether a pass has changed it.
 *
 * Everything that a check may read is taken down: numbers and names as text, the
 * objects of isl as references. As long as these are held, isl changes no object
 * in place, so that the same object is the same set or function; of others only
 * those count as the same that isl finds equal without computing anything. A
 * change that is none may go unnoticed as such, never the reverse.
 */
#include <stdlib.h>
#include <string.h>

#include "polyir_internal.h"

/* What can be done with an object of isl, whatever its type. */
struct class {
	void *(*copy)(void *obj);
	void (*free)(void *obj);
	isl_bool (*same)(void *a, void *b);
};

struct object {
	const struct class *class;
	void *obj;
};

struct poly_seen {
	struct poly_str text;
	struct object *object;
	int n, cap;
};

static void note_object(struct poly_seen *s, const struct class *class,
	void *obj)
{
	struct object *more;

	poly_str_add(&s->text, obj ? " *" : " -");
	if (!obj)
		return;
	if (s->n == s->cap) {
		s->cap = 2 * s->cap + 64;
		more = realloc(s->object, s->cap * sizeof(*more));
		if (!more) {
			s->cap = s->n;
			poly_str_fail(&s->text);
			return;
		}
		s->object = more;
	}
	s->object[s->n++] = (struct object){ class, class->copy(obj) };
}

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
static void note_##name(struct poly_seen *s, __isl_keep isl_##TYPE *obj) \
{ \
	static const struct class class = { \
		copy_##name, free_##name, same_##name \
	}; \
\
	note_object(s, &class, obj); \
}

/* isl compares unions only by computing. */
#define NEVER(a, b) isl_bool_false

DEFINE_NOTE(set, set, isl_set_plain_is_equal)
DEFINE_NOTE(map, union_map, NEVER)
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
	poly_str_printf(&s->text, "\n%s %d %d %d %d %d", a->name, a->type,
		a->n_dim, a->role, a->space, a->row_pad);
	note_index(s, a->extent);
}

static void note_expr(struct poly_seen *s, const struct poly_expr *e)
{
	if (!e) {
		note_name(s, NULL);
		return;
	}
	poly_str_printf(&s->text, " (%d %d", e->op, e->type);
	note_value(s, e->value);
	note_name(s, e->param);
	note_name(s, e->array ? e->array->name : NULL);
	note_index(s, e->index);
	for (int i = 0; i < poly_op_n_arg(e->op); i++)
		note_expr(s, e->arg[i]);
	poly_str_add(&s->text, ")");
}

/* The part of "stmt" that only tile operations and barriers have. */
static void note_operation(struct poly_seen *s, const struct poly_stmt *stmt)
{
	note_number(s, stmt->n_member);
	for (int i = 0; i < stmt->n_member; i++)
		note_name(s, stmt->member[i]->name);
	note_map(s, stmt->contraction);
	for (int i = 0; i < POLY_MAX_OPERAND; i++) {
		note_name(s, stmt->operand[i] ? stmt->operand[i]->name : NULL);
		note_index(s, stmt->operand_index[i]);
	}
	note_number(s, stmt->full);
	note_value(s, stmt->fill);
	note_number(s, stmt->coalesce);
	note_number(s, stmt->async);
	note_number(s, stmt->bulk);
	note_name(s, stmt->wait ? stmt->wait->name : NULL);
	note_number(s, stmt->ahead);
}

static void note_stmt(struct poly_seen *s, const struct poly_stmt *stmt)
{
	poly_str_printf(&s->text, "\n%s %d", stmt->name, stmt->kind);
	note_set(s, stmt->domain);
	note_name(s, stmt->write_array ? stmt->write_array->name : NULL);
	note_index(s, stmt->write_index);
	note_number(s, stmt->reduce);
	note_expr(s, stmt->rhs);
	note_number(s, stmt->across);
	note_number(s, stmt->down);
	note_number(s, stmt->atomic);
	note_number(s, stmt->fold);
	note_point(s, stmt->at);
	note_operation(s, stmt);
}

static void note_kernel(struct poly_seen *s, const struct poly_kernel *k)
{
	poly_str_printf(&s->text, "\n%s %d %d %d %d %d %d %d %d", k->name,
		k->tiled, k->block, k->together, k->chained, k->tile_k,
		k->vec_k, k->stages, k->n_batch);
	for (int d = 0; d < 2; d++) {
		note_number(s, k->thread[d]);
		note_number(s, k->tile[d]);
		note_number(s, k->vec[d]);
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

struct poly_seen *poly_seen_free(struct poly_seen *s)
{
	if (!s)
		return NULL;
	for (int i = 0; i < s->n; i++)
		s->object[i].class->free(s->object[i].obj);
	free(s->object);
	poly_str_free(&s->text);
	free(s);
	return NULL;
}

/* The same text has the same places for objects, and so the same classes. */
bool poly_seen_same(const struct poly_seen *a, const struct poly_seen *b)
{
	if (!a || !b || a->text.failed || b->text.failed || a->n != b->n ||
	    strcmp(a->text.s, b->text.s))
		return false;
	for (int i = 0; i < a->n; i++)
		if (a->object[i].class->same(a->object[i].obj,
			b->object[i].obj) != isl_bool_true)
			return false;
	return true;
}
