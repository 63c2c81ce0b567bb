/* The analyses of the Diesel paper (section 3.1.2) as text.
 *
 * The paper works on nodes, one an operation. Ours are the point statements,
 * except that the statement that sets the cells of a product to zero belongs
 * to the product's node and is not shown:
 *
 *	domain D = [M, N, K] -> { D[i, j, k] : 0 <= i < M and .. }
 *	read D = { D[i, j, k] -> A[i, k] }	one line an array
 *	write D = { D[i, j, k] -> T[i, j] }
 *	P_D = { D[i, j, k] -> D[i, j, 1 + k] }	order of a product's updates
 *	LM_D = [K] -> { D[i, j, k = -1 + K] -> T[i, j] }	last writers
 *	RAW D -> E = ..		reads of D's last writes; D -> D is P_D, and
 *				what a recurrence reads of itself
 *	RAR D -> E = ..		reads of one element; E -> D is the inverse
 *
 * The paper's programs have definitions. Where the text has an order, all
 * statements are nodes, and instead of P, LM and RAW the dependences that bind
 * the schedule are shown: RAW, WAR, WAW, and those of reductions, whose updates
 * may change places.
 *
 * Maps are simplified under the domains, which are stated once. The last
 * writers are the domain minus the domain of P, not the range of P minus it,
 * as the paper has it: with K = 1 no update follows another, yet each is the
 * last.
 */
#include <stdlib.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/sets/sets.h"
#include "polyir/text/text.h"

/* One node: its statement and relations, unsimplified. */
struct node {
	struct poly_stmt *stmt;
	isl_union_map *read;
	isl_map *order, *last;
};

/* The analysis of a program: its nodes, and what has been printed of it. */
struct analysis {
	struct poly_prog *prog;
	struct poly_str *out;
	struct node *node;
	int n;
	bool failed;
};

/* True if "stmt" only prepares the cells that another statement updates. */
static bool is_init(const struct poly_prog *prog, const struct poly_stmt *stmt)
{
	int i;

	for (i = 0; i < prog->n_stmt && !prog->original; i++)
		if (stmt->reduce == POLY_OP_NONE &&
		    prog->stmt[i]->kind == POLY_POINT &&
		    prog->stmt[i]->reduce != POLY_OP_NONE &&
		    prog->stmt[i]->write_array == stmt->write_array)
			return true;
	return false;
}

/* Each update of a cell -> the next update of that cell, in lexicographic
 * order; empty for other statements.
 */
static __isl_give isl_map *update_order(struct poly_stmt *stmt)
{
	isl_map *same = poly_stmt_write(stmt), *later;

	same = isl_map_apply_range(same, isl_map_reverse(isl_map_copy(same)));
	if (stmt->reduce == POLY_OP_NONE) {
		later = isl_map_empty(isl_map_get_space(same));
		isl_map_free(same);
		return later;
	}
	later = isl_map_lex_lt(isl_space_domain(isl_map_get_space(same)));
	same = isl_map_intersect(same, later);
	later = isl_map_apply_range(isl_map_copy(same), isl_map_copy(same));
	return poly_map_coalesce(isl_map_subtract(same, later));
}

/* The write of "stmt", restricted to what no update in "order" follows. */
static __isl_give isl_map *last_writer(struct poly_stmt *stmt,
	__isl_keep isl_map *order)
{
	isl_set *overwritten = isl_map_domain(isl_map_copy(order));

	return poly_map_coalesce(isl_map_subtract_domain(poly_stmt_write(stmt),
		overwritten));
}

/* Append "stmt" to the nodes, with its reads, its order of updates and its last
 * writes. The array of nodes has room for all statements.
 */
static void add_node(struct analysis *a, struct poly_stmt *stmt)
{
	struct node *node = &a->node[a->n++];

	node->stmt = stmt;
	node->read = poly_stmt_reads(stmt);
	node->order = update_order(stmt);
	node->last = last_writer(stmt, node->order);
}

/* The reads of "array" by "node". */
static __isl_give isl_map *reads_of(const struct node *node,
	const struct poly_array *array)
{
	isl_space *space = isl_multi_pw_aff_get_space(array->extent);

	if (isl_space_is_set(space) != isl_bool_true)
		space = isl_space_range(space);
	space = isl_space_drop_all_params(space);
	space = isl_space_map_from_domain_and_range(
		poly_stmt_space(node->stmt), space);
	return isl_union_map_extract_map(node->read, space);
}

/* Print the end of a line, "= MAP", simplified under the domain "from" and,
 * if there is one, "to".
 */
static void print_map(struct analysis *a, __isl_take isl_map *map,
	__isl_keep isl_set *from, __isl_keep isl_set *to)
{
	isl_bool empty = isl_map_is_empty(map);
	char *text;

	if (empty == isl_bool_true) {
		isl_map_free(map);
		poly_str_add(a->out, " = { }\n");
		return;
	}
	map = isl_map_gist_domain(map, isl_set_copy(from));
	if (to)
		map = isl_map_gist_range(map, isl_set_copy(to));
	text = poly_text_map(a->prog, map);
	a->failed |= !text;
	poly_str_printf(a->out, " = %s\n", text ? text : "");
	free(text);
}

/* Print what concerns one node alone. */
static void print_node(struct analysis *a, const struct node *node)
{
	struct poly_prog *prog = a->prog;
	struct poly_stmt *stmt = node->stmt;
	char *text;
	int i;

	text = poly_text_set(prog, isl_set_copy(stmt->domain));
	a->failed |= !text;
	poly_str_printf(a->out, "domain %s = %s\n", stmt->name,
		text ? text : "");
	free(text);
	for (i = 0; i < prog->n_array; i++) {
		isl_map *read = reads_of(node, prog->array[i]);

		if (isl_map_plain_is_empty(read)) {
			isl_map_free(read);
			continue;
		}
		poly_str_printf(a->out, "read %s", stmt->name);
		print_map(a, read, stmt->domain, NULL);
	}
	poly_str_printf(a->out, "write %s", stmt->name);
	print_map(a, poly_stmt_write(stmt), stmt->domain, NULL);
	if (prog->original)
		return;
	poly_str_printf(a->out, "P_%s", stmt->name);
	print_map(a, isl_map_copy(node->order), stmt->domain, stmt->domain);
	poly_str_printf(a->out, "LM_%s", stmt->name);
	print_map(a, isl_map_copy(node->last), stmt->domain, NULL);
}

/* Print "map" from "from" to "to" behind "word", unless it is empty. */
static void print_edge(struct analysis *a, const char *word,
	const struct node *from, const struct node *to,
	__isl_take isl_map *map)
{
	isl_bool empty = isl_map_is_empty(map);

	a->failed |= empty < 0;
	if (empty != isl_bool_false) {
		isl_map_free(map);
		return;
	}
	poly_str_printf(a->out, "%s %s -> %s", word, from->stmt->name,
		to->stmt->name);
	print_map(a, map, from->stmt->domain, to->stmt->domain);
}

/* Those of "deps", NULL: none are known, from a node to another. */
static __isl_give isl_map *between(__isl_keep isl_union_map *deps,
	const struct node *from, const struct node *to)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		poly_stmt_space(from->stmt), poly_stmt_space(to->stmt));

	return deps ? isl_union_map_extract_map(deps, space) :
		isl_map_empty(space);
}

/* The last writes of "from" -> the reads of the same cells by "to"; within a
 * node, the order of its updates and what it reads of itself.
 */
static __isl_give isl_map *flow(const struct analysis *a,
	const struct node *from, const struct node *to)
{
	isl_map *read;

	if (from == to)
		return isl_map_union(isl_map_copy(from->order),
			between(a->prog->deps.flow, from, to));
	read = reads_of(to, from->stmt->write_array);
	return isl_map_apply_range(isl_map_copy(from->last),
		isl_map_reverse(read));
}

/* The instances of "from" and "to" that read one element of any array. */
static __isl_give isl_map *common_reads(struct poly_prog *prog,
	const struct node *from, const struct node *to)
{
	isl_space *space = isl_space_map_from_domain_and_range(
		poly_stmt_space(from->stmt), poly_stmt_space(to->stmt));
	isl_map *all = isl_map_empty(space);
	int i;

	for (i = 0; i < prog->n_array; i++) {
		isl_map *first = reads_of(from, prog->array[i]);
		isl_map *second = reads_of(to, prog->array[i]);

		all = isl_map_union(all, isl_map_apply_range(first,
			isl_map_reverse(second)));
	}
	return poly_map_coalesce(all);
}

/* Print "deps" between all nodes behind "word". */
static void print_deps(struct analysis *a, const char *word,
	__isl_keep isl_union_map *deps)
{
	struct node *node = a->node;
	int i, j;

	for (i = 0; i < a->n; i++)
		for (j = 0; j < a->n; j++)
			print_edge(a, word, &node[i], &node[j],
				between(deps, &node[i], &node[j]));
}

/* Print the relations between each two nodes. Where the text has an order these
 * are the dependences themselves; otherwise values go from last writes to
 * reads, as definitions have it. RAR is symmetric and printed in one direction.
 */
static void print_edges(struct analysis *a)
{
	const struct poly_deps *deps = &a->prog->deps;
	struct node *node = a->node;
	int i, j;

	if (a->prog->original) {
		print_deps(a, "RAW", deps->flow);
		print_deps(a, "WAR", deps->anti);
		print_deps(a, "WAW", deps->output);
		print_deps(a, "reduction", deps->reduction);
	}
	for (i = 0; i < a->n && !a->prog->original; i++)
		for (j = 0; j < a->n; j++)
			print_edge(a, "RAW", &node[i], &node[j],
				flow(a, &node[i], &node[j]));
	for (i = 0; i < a->n; i++)
		for (j = i; j < a->n; j++)
			print_edge(a, "RAR", &node[i], &node[j],
				common_reads(a->prog, &node[i], &node[j]));
}

/* Append the analyses of all nodes, in program order, and of all edges. */
isl_stat poly_print_diesel(struct poly_prog *prog, struct poly_str *out)
{
	struct analysis a = { .prog = prog, .out = out };
	const char *why;
	int i;

	a.node = calloc((size_t)prog->n_stmt + 1, sizeof(*a.node));
	for (i = 0; a.node && i < prog->n_stmt; i++)
		if (prog->stmt[i]->kind == POLY_POINT &&
		    !is_init(prog, prog->stmt[i]))
			add_node(&a, prog->stmt[i]);
	for (i = 0; i < a.n; i++)
		print_node(&a, &a.node[i]);
	print_edges(&a);
	for (i = 0; i < a.n; i++) {
		isl_union_map_free(a.node[i].read);
		isl_map_free(a.node[i].order);
		isl_map_free(a.node[i].last);
	}
	if (a.node && !a.failed) {
		free(a.node);
		return isl_stat_ok;
	}
	why = isl_ctx_last_error_msg(prog->ctx);
	poly_report_add(prog->report, MSG_POLY_ISL, NULL, "deps",
		why ? why : "no reason given");
	free(a.node);
	return isl_stat_error;
}
