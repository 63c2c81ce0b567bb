/* Moving around the schedule tree: marks of kernels, what a kernel runs and what the host
 * runs around it, and the statements that a set has instances of.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/loops/loops.h"

#define KERNEL_MARK "kernel:"

/* The name outlives the reference that is dropped here: the node holds another
 * one.
 */
const char *poly_mark_after(__isl_keep isl_schedule_node *node, const char *prefix)
{
	const size_t length = strlen(prefix);
	isl_id *id;
	const char *name;

	if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
		return NULL;
	id = isl_schedule_node_mark_get_id(node);
	name = isl_id_get_name(id);
	isl_id_free(id);
	return name && !strncmp(name, prefix, length) ? name + length : NULL;
}

const char *poly_mark_kernel(__isl_keep isl_schedule_node *node)
{
	return poly_mark_after(node, KERNEL_MARK);
}

bool poly_is_mark(__isl_keep isl_schedule_node *node, const char *name)
{
	const char *rest = poly_mark_after(node, name);

	return rest && !*rest;
}

bool poly_mark_is_concurrent(__isl_keep isl_schedule_node *node)
{
	return poly_is_mark(node, POLY_CONCURRENT);
}

/* Note in "user" a mark of loops that run at one time. Kernels have none. */
static isl_bool find_concurrent(__isl_keep isl_schedule_node *node, void *user)
{
	bool *found = user;

	*found |= poly_mark_is_concurrent(node);
	return isl_bool_ok(!*found && !poly_mark_kernel(node));
}

bool poly_prog_is_concurrent(const struct poly_prog *prog)
{
	bool found = false;

	isl_schedule_foreach_schedule_node_top_down(prog->schedule,
		find_concurrent, &found);
	return found;
}

__isl_give isl_schedule_node *poly_insert_kernel_mark(
	__isl_take isl_schedule_node *node, const char *name)
{
	struct poly_str text = { 0 };
	isl_id *id;

	poly_str_printf(&text, KERNEL_MARK "%s", name);
	id = isl_id_alloc(isl_schedule_node_get_ctx(node),
		text.s ? text.s : KERNEL_MARK, NULL);
	poly_str_free(&text);
	return isl_schedule_node_insert_mark(node, id);
}

struct find {
	const char *name;
	isl_schedule_node *found;
};

static isl_bool find_mark(__isl_keep isl_schedule_node *node, void *user)
{
	struct find *f = user;
	const char *name = poly_mark_kernel(node);

	if (!name)
		return isl_bool_ok(!f->found);
	if (!strcmp(name, f->name) && !f->found)
		f->found = isl_schedule_node_get_child(node, 0);
	return isl_bool_false;
}

__isl_give isl_schedule_node *poly_kernel_node(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	struct find f = { kernel->name, NULL };

	isl_schedule_foreach_schedule_node_top_down(prog->schedule, find_mark,
		&f);
	return f.found;
}

/* The filters between the bands stay out of the functions: those of a domain in
 * many pieces would have as many, and products of such functions even more.
 *
 * Host loops are all that a launch knows, so bands alone tell it.
 */
__isl_give isl_multi_union_pw_aff *poly_kernel_launch(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = isl_schedule_node_parent(
		poly_kernel_node(prog, kernel));
	isl_multi_union_pw_aff *all = NULL, *partial;

	if (poly_kernel_n_host(prog, kernel) == 0)
		all = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(
			node);
	while (isl_schedule_node_has_parent(node) == isl_bool_true) {
		node = isl_schedule_node_parent(node);
		if (isl_schedule_node_get_type(node) !=
			isl_schedule_node_band)
			continue;
		partial = isl_schedule_node_band_get_partial_schedule(node);
		partial = isl_multi_union_pw_aff_reset_tuple_id(partial,
			isl_dim_set);
		all = all ? isl_multi_union_pw_aff_flat_range_product(partial,
			all) : partial;
	}
	isl_schedule_node_free(node);
	return all;
}

int poly_kernel_n_host(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_size n;

	node = isl_schedule_node_parent(node);
	n = isl_schedule_node_get_schedule_depth(node);
	isl_schedule_node_free(node);
	/* isl_size is -1 on failure, which the next use of the tree reports. */
	return n < 0 ? 0 : n;
}

__isl_give isl_union_set *poly_kernel_domain(struct poly_prog *prog,
	const struct poly_kernel *kernel)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_set *domain = poly_node_domain(node);

	isl_schedule_node_free(node);
	return domain;
}

__isl_give isl_schedule_node *poly_insert_parallel(
	__isl_take isl_schedule_node *node,
	__isl_take isl_multi_union_pw_aff *partial)
{
	int n = isl_multi_union_pw_aff_size(partial);

	if (n == 0) {
		isl_multi_union_pw_aff_free(partial);
		return node;
	}
	node = isl_schedule_node_insert_partial_schedule(node, partial);
	node = isl_schedule_node_band_set_permutable(node, 1);
	for (int d = 0; d < n; d++)
		node = isl_schedule_node_band_member_set_coincident(node, d, 1);
	return node;
}

__isl_give isl_union_pw_aff *poly_zero_at(__isl_keep isl_schedule_node *node)
{
	return isl_union_pw_aff_val_on_domain(
		isl_union_set_universe(poly_node_domain(node)),
		isl_val_zero(isl_schedule_node_get_ctx(node)));
}

isl_stat poly_set_schedule(struct poly_prog *prog,
	__isl_take isl_schedule *schedule)
{
	isl_schedule_free(prog->schedule);
	prog->schedule = schedule;
	return schedule ? isl_stat_ok : isl_stat_error;
}

struct poly_stmt *poly_stmt_of_set(struct poly_prog *prog,
	__isl_keep isl_set *set)
{
	const char *name = isl_set_get_tuple_name(set);

	return name ? poly_prog_find_stmt(prog, name) : NULL;
}

int poly_stmt_position(const struct poly_prog *prog, const char *name)
{
	int i;

	for (i = 0; i < prog->n_stmt; i++)
		if (name && !strcmp(prog->stmt[i]->name, name))
			break;
	return i;
}

void poly_move_stmt(struct poly_prog *prog, int from, int at)
{
	struct poly_stmt *s = prog->stmt[from];

	memmove(&prog->stmt[at + 1], &prog->stmt[at],
		(from - at) * sizeof(*prog->stmt));
	prog->stmt[at] = s;
}

struct stmts {
	struct poly_prog *prog;
	struct poly_stmt **list;
	int n;
};

static isl_stat add_stmt(__isl_take isl_set *set, void *user)
{
	struct stmts *s = user;
	isl_bool empty = isl_set_plain_is_empty(set);
	struct poly_stmt *stmt = poly_stmt_of_set(s->prog, set);

	isl_set_free(set);
	if (stmt && empty == isl_bool_false)
		s->list[s->n++] = stmt;
	return isl_stat_ok;
}

static bool is_listed(const struct stmts *s, const struct poly_stmt *stmt)
{
	for (int i = 0; i < s->n; i++)
		if (s->list[i] == stmt)
			return true;
	return false;
}

struct poly_stmt **poly_stmts_of(struct poly_prog *prog,
	__isl_keep isl_union_set *domain, int *n)
{
	isl_size most = isl_union_set_n_set(domain);
	struct poly_stmt **list = NULL;
	struct stmts s = { .prog = prog };

	*n = 0;
	if (most >= 0) {
		list = calloc(most + 1, sizeof(*list));
		s.list = calloc(most + 1, sizeof(*s.list));
	}
	if (list && s.list)
		isl_union_set_foreach_set(domain, add_stmt, &s);
	for (int i = 0; *n < s.n && i < prog->n_stmt; i++)
		if (is_listed(&s, prog->stmt[i]))
			list[(*n)++] = prog->stmt[i];
	free(s.list);
	return list;
}

struct poly_stmt **poly_named_stmts(struct poly_prog *prog,
	const struct poly_kernel *kernel, int *n)
{
	isl_schedule_node *node = poly_kernel_node(prog, kernel);
	isl_union_set *named;
	struct poly_stmt **list;

	while (isl_schedule_node_has_parent(node) == isl_bool_true &&
	    isl_schedule_node_get_type(node) != isl_schedule_node_filter)
		node = isl_schedule_node_parent(node);
	if (isl_schedule_node_get_type(node) == isl_schedule_node_filter)
		named = isl_schedule_node_filter_get_filter(node);
	else
		named = isl_schedule_node_domain_get_domain(node);
	list = poly_stmts_of(prog, named, n);
	isl_union_set_free(named);
	isl_schedule_node_free(node);
	return list;
}
