/* A whole schedule as a script gives it: a tree in the text form of programs
 * (polyir/README.md), without its root, whose domain is that of all statements.
 *
 * What it says of its bands, which loops are parallel and which may change places, is
 * claimed by the script and asked of the dependences here: the mapping relies on it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/schedule_node.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/legal/legal.h"
#include "polyir/schedule/schedule.h"
#include "polyir/text/text.h"
#include "polyir/script/command.h"
#include "polyir/script/plan.h"

/* ------------------------------------------------------------------- reading */

/* The text of a tree: the root, whose lines are "*n", and what is in "text" below it. */
static struct poly_str whole_text(struct poly_prog *prog, const char *text, int *n)
{
	struct poly_str all = { 0 };
	isl_schedule *root = isl_schedule_from_domain(poly_point_domains(prog));

	poly_str_add(&all, "schedule\n");
	poly_print_schedule(prog, root, &all, "  ");
	isl_schedule_free(root);
	*n = 0;
	for (const char *at = all.s ? all.s : ""; *at; at++)
		*n += *at == '\n';
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (strspn(text, " \t") < len) {
			poly_str_add(&all, "    ");
			poly_str_addn(&all, text, len);
		}
		poly_str_add(&all, "\n");
		text += len + (text[len] == '\n');
	}
	return all;
}

/* Why the reader or the check of trees, which filled "report", says no. */
static void say_reported(struct poly_report *report, int root,
	struct poly_refusal *why)
{
	const struct poly_message *m = report->n_msg ? report->msg : NULL;

	if (m && m->loc.line > root)
		poly_refuse(why, "line %d of the tree: %s", m->loc.line - root,
			m->text);
	else
		poly_refuse(why, "%s", m ? m->text : "it is no tree");
	poly_report_free(report);
}

/* The tree of "text", which is one of the program's statements as they are: of the
 * objects of isl that the program has for them, whose inner order shows in the code.
 */
static __isl_give isl_schedule *read_tree(struct poly_prog *prog,
	const char *text, struct poly_refusal *why)
{
	struct poly_report report = { 0 }, *own = prog->report;
	isl_schedule *before = prog->schedule, *tree = NULL, *now;
	struct poly_scan scan;
	int root;
	struct poly_str all = whole_text(prog, text, &root);
	bool ok = all.s && !all.failed && poly_scan_start(&scan, prog->ctx,
		all.s, all.len, &report);

	if (ok) {
		ok = poly_scan_line(&scan);
		tree = ok ? poly_parse_tree(&scan) : NULL;
		ok = tree && !scan.failed;
		poly_scan_free(&scan);
	}
	poly_str_free(&all);
	if (ok) {
		prog->schedule = tree;
		prog->report = &report;
		ok = poly_verify(prog, "order") == isl_stat_ok;
		prog->schedule = before;
		prog->report = own;
	}
	if (!ok) {
		say_reported(&report, root, why);
		return isl_schedule_free(tree);
	}
	poly_report_free(&report);
	now = poly_tree_of(isl_schedule_get_domain(before), tree);
	isl_schedule_free(tree);
	return now;
}

/* -------------------------------------------------------------------- claims */

/* What is asked at a node: the pairs of one kind that the loops above leave. */
struct claims {
	struct poly_prog *prog;
	struct poly_refusal *why;
	int kind;
	isl_bool ok;
};

/* Do the members of the band "node" keep what it says of the pairs "deps"? */
static void ask_band(struct claims *c, __isl_keep isl_schedule_node *node,
	__isl_keep isl_union_map *deps)
{
	isl_multi_union_pw_aff *partial =
		isl_schedule_node_band_get_partial_schedule(node);
	int n = isl_multi_union_pw_aff_size(partial);
	bool permutable = n > 1 && c->kind != POLY_DEP_REDUCTION &&
		isl_schedule_node_band_get_permutable(node) == isl_bool_true;

	for (int i = 0; i < n && c->ok == isl_bool_true; i++) {
		isl_multi_union_pw_aff *member =
			isl_multi_union_pw_aff_from_union_pw_aff(
				isl_multi_union_pw_aff_get_at(partial, i));
		isl_union_map *same = isl_union_map_eq_at_multi_union_pw_aff(
			isl_union_map_copy(deps),
			isl_multi_union_pw_aff_copy(member));

		if (isl_schedule_node_band_member_get_coincident(node, i) ==
		    isl_bool_true)
			c->ok = poly_blame(c->prog, c->why, c->kind,
				"a loop that is called parallel carries this",
				isl_union_map_subtract(isl_union_map_copy(deps),
					isl_union_map_copy(same)));
		if (permutable && c->ok == isl_bool_true)
			c->ok = poly_blame(c->prog, c->why, c->kind,
				"loops that are called permutable do not keep "
				"this order",
				isl_union_map_lex_gt_at_multi_union_pw_aff(
					isl_union_map_copy(deps),
					isl_multi_union_pw_aff_copy(member)));
		isl_union_map_free(same);
		isl_multi_union_pw_aff_free(member);
	}
	isl_multi_union_pw_aff_free(partial);
}

/* Ask "node" and all below it; "deps" is taken. */
static void ask_node(struct claims *c, __isl_keep isl_schedule_node *node,
	__isl_take isl_union_map *deps)
{
	enum isl_schedule_node_type type = isl_schedule_node_get_type(node);
	int n = isl_schedule_node_n_children(node);

	if (type == isl_schedule_node_band) {
		ask_band(c, node, deps);
		deps = isl_union_map_eq_at_multi_union_pw_aff(deps,
			isl_schedule_node_band_get_partial_schedule(node));
	}
	if (type == isl_schedule_node_filter) {
		isl_union_set *set = isl_schedule_node_filter_get_filter(node);

		deps = isl_union_map_intersect_domain(deps,
			isl_union_set_copy(set));
		deps = isl_union_map_intersect_range(deps, set);
	}
	for (int i = 0; i < n && c->ok == isl_bool_true; i++) {
		isl_schedule_node *child = isl_schedule_node_get_child(node, i);

		ask_node(c, child, isl_union_map_copy(deps));
		isl_schedule_node_free(child);
	}
	isl_union_map_free(deps);
}

/* The pairs of a kind that loops may not carry: threads put together updates of a cell
 * that they share in lanes and folds, and atomic ones meet in any order, as the checks of
 * the mapping see.
 */
static __isl_give isl_union_map *pairs_of(struct poly_plan *plan, int kind)
{
	isl_union_map *deps = poly_deps_of_kind(plan, kind);

	for (int i = 0; i < plan->prog->n_stmt; i++) {
		const struct poly_stmt *s = plan->prog->stmt[i];

		if (kind == POLY_DEP_REDUCTION && (s->across || s->atomic ||
		    s->fold))
			deps = isl_union_map_subtract_domain(deps,
				isl_union_set_from_set(isl_set_copy(s->domain)));
	}
	return deps;
}

/* Does what "tree" says of its bands hold? */
static isl_bool claims_hold(struct poly_plan *plan,
	__isl_keep isl_schedule *tree, struct poly_refusal *why)
{
	struct claims c = { .prog = plan->prog, .why = why, .ok = isl_bool_true };
	isl_schedule_node *root = isl_schedule_get_root(tree);

	for (c.kind = 0; c.kind < POLY_N_DEP && c.ok == isl_bool_true; c.kind++)
		ask_node(&c, root, pairs_of(plan, c.kind));
	isl_schedule_node_free(root);
	return c.ok;
}

/* --------------------------------------------------------------------- marks */

struct marks {
	char name[POLY_MOST_NAMES][POLY_LOOP_TEXT];
	int n;
};

static isl_bool note_mark(__isl_keep isl_schedule_node *node, void *user)
{
	struct marks *m = user;

	if (isl_schedule_node_get_type(node) == isl_schedule_node_mark &&
	    m->n < POLY_MOST_NAMES) {
		isl_id *id = isl_schedule_node_mark_get_id(node);

		snprintf(m->name[m->n++], POLY_LOOP_TEXT, "%s",
			isl_id_get_name(id));
		isl_id_free(id);
	}
	return isl_bool_true;
}

/* Are the marks of "tree" those of "now", what passes have made? */
static bool same_marks(__isl_keep isl_schedule *now, __isl_keep isl_schedule *tree,
	struct poly_refusal *why)
{
	struct marks a = { .n = 0 }, b = { .n = 0 };
	bool same;

	isl_schedule_foreach_schedule_node_top_down(now, note_mark, &a);
	isl_schedule_foreach_schedule_node_top_down(tree, note_mark, &b);
	same = a.n == b.n;
	for (int i = 0; i < b.n; i++) {
		bool found = false;

		for (int k = 0; k < a.n; k++)
			found |= !strcmp(a.name[k], b.name[i]);
		same &= found;
	}
	if (!same)
		poly_refuse(why, "its marks are not those that divide and rows "
			"have made");
	return same;
}

isl_bool poly_do_order(struct poly_plan **plan, const char *text,
	struct poly_refusal *why)
{
	struct poly_prog *prog = (*plan)->prog;
	isl_schedule *tree = read_tree(prog, text, why);
	isl_schedule *now = poly_plan_schedule(*plan, false);
	struct poly_plan *other;
	isl_bool ok = isl_bool_ok(tree && same_marks(now, tree, why));

	isl_schedule_free(now);
	if (ok == isl_bool_true)
		ok = claims_hold(*plan, tree, why);
	other = ok == isl_bool_true ? poly_plan_of(prog, tree) : NULL;
	isl_schedule_free(tree);
	if (ok != isl_bool_true)
		return ok;
	if (!other) {
		poly_refuse(why, "it has more than %d loops around one another, "
			"or other nodes than bands, sequences and filters",
			POLY_MOST_LOOPS);
		return isl_bool_false;
	}
	poly_plan_become(plan, other);
	return isl_bool_true;
}
