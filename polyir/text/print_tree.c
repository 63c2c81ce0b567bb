/* The schedule tree as text.
 *
 *	domain
 *	    "[M, N] -> { D[i, j] : 0 <= i < M and 0 <= j < N }"
 *	    "[M, N] -> { E[i, j] : 0 <= i < M and 0 <= j < N }"
 *	  mark kernel:k0
 *	    band permutable coincident 1 1
 *	        "{ D[i, j] -> [(i), (j)] }"
 *	        "{ E[i, j] -> [(i), (j)] }"
 *	      sequence
 *	        filter "{ D[i, j] }"
 *	        filter "{ E[i, j] }"
 *
 * isl's own printer is not used: its order of statements is that of a hash
 * table and changes when the tree is read back.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/ir/ir.h"
#include "polyir/text/text.h"

/* "prefix" stands before each line. */
struct printer {
	struct poly_prog *prog;
	struct poly_str *out;
	const char *prefix;
	int depth;
};

/* Begin a line of the current node, or of its texts ("more" set). */
static void begin_line(struct printer *p, bool more)
{
	poly_str_printf(p->out, "%s%*s", p->prefix,
		2 * p->depth + (more ? 4 : 0), "");
}

/* The quoted texts of one node: one follows the node's word, several stand
 * below it.
 */
struct texts {
	char **text;
	int n;
	bool lost;	/* one is missing */
};

/* Keep "text" (taken); it is NULL where isl failed. */
static void keep_text(struct texts *t, char *text)
{
	char **bigger = text ? realloc(t->text,
		(size_t)(t->n + 1) * sizeof(char *)) : NULL;

	if (!bigger) {
		free(text);
		t->lost = true;
		return;
	}
	t->text = bigger;
	t->text[t->n++] = text;
}

/* End the line of a node with its quoted texts: one goes on in the line,
 * several have a line each below it. Frees them.
 */
static void end_node(struct printer *p, struct texts *t)
{
	int i;

	for (i = 0; i < t->n; i++) {
		if (t->n == 1) {
			poly_str_add(p->out, " ");
		} else {
			poly_str_add(p->out, "\n");
			begin_line(p, true);
		}
		poly_str_printf(p->out, "\"%s\"", t->text[i]);
		free(t->text[i]);
	}
	free(t->text);
	poly_str_add(p->out, "\n");
	if (t->lost)
		poly_str_fail(p->out);
}

/* Print "word" and the sets of "set", one a statement in program order. */
static void print_sets(struct printer *p, const char *word,
	__isl_take isl_union_set *set)
{
	struct texts t = { 0 };
	int i;

	begin_line(p, false);
	poly_str_add(p->out, word);
	for (i = 0; i < p->prog->n_stmt; i++) {
		isl_set *one = poly_set_of_stmt(set, p->prog->stmt[i]);

		if (isl_set_plain_is_empty(one))
			isl_set_free(one);
		else
			keep_text(&t, poly_text_set(p->prog, one));
	}
	isl_union_set_free(set);
	end_node(p, &t);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What print_options collects through isl's callback. */
struct options {
	struct poly_prog *prog;
	struct texts texts;
};

static isl_stat add_option(__isl_take isl_set *set, void *user)
{
	struct options *options = user;

	keep_text(&options->texts, poly_text_set(options->prog, set));
	return isl_stat_ok;
}

/* Print the band's options for AST generation, in order of their texts: they
 * belong to no statement.
 */
static void print_options(struct printer *p, __isl_keep isl_schedule_node *node)
{
	struct options options = { .prog = p->prog };
	struct texts *t = &options.texts;
	isl_union_set *set;
	int i;

	set = isl_schedule_node_band_get_ast_build_options(node);
	isl_union_set_foreach_set(set, add_option, &options);
	isl_union_set_free(set);
	if (t->n)
		qsort(t->text, (size_t)t->n, sizeof(char *), compare_texts);
	for (i = 0; i < t->n; i++) {
		begin_line(p, true);
		poly_str_printf(p->out, "options \"%s\"\n", t->text[i]);
		free(t->text[i]);
	}
	free(t->text);
	if (t->lost)
		poly_str_fail(p->out);
}

/* Print a band: the part of its function that concerns each statement that
 * reaches "node".
 */
static void print_band(struct printer *p, __isl_keep isl_schedule_node *node)
{
	isl_multi_union_pw_aff *partial;
	isl_union_set *domain;
	struct texts t = { 0 };
	isl_size i, n = isl_schedule_node_band_n_member(node);

	begin_line(p, false);
	poly_str_add(p->out, "band");
	if (isl_schedule_node_band_get_permutable(node) == isl_bool_true)
		poly_str_add(p->out, " permutable");
	poly_str_add(p->out, " coincident");
	for (i = 0; i < n; i++)
		poly_str_printf(p->out, " %d",
			isl_schedule_node_band_member_get_coincident(node,
				(int)i) == isl_bool_true);
	partial = isl_schedule_node_band_get_partial_schedule(node);
	domain = isl_schedule_node_get_universe_domain(node);
	for (i = 0; i < p->prog->n_stmt; i++) {
		const struct poly_stmt *stmt = p->prog->stmt[i];
		isl_set *set = poly_set_of_stmt(domain, stmt);

		if (!isl_set_plain_is_empty(set))
			keep_text(&t, poly_text_index(p->prog,
				isl_multi_union_pw_aff_extract_multi_pw_aff(
					partial, poly_stmt_space(stmt))));
		isl_set_free(set);
	}
	isl_union_set_free(domain);
	isl_multi_union_pw_aff_free(partial);
	end_node(p, &t);
	print_options(p, node);
}

static void print_mark(struct printer *p, __isl_keep isl_schedule_node *node)
{
	isl_id *id = isl_schedule_node_mark_get_id(node);

	begin_line(p, false);
	poly_str_printf(p->out, "mark %s\n", isl_id_get_name(id));
	isl_id_free(id);
}

static void print_context(struct printer *p, __isl_keep isl_schedule_node *node)
{
	isl_set *set = isl_schedule_node_context_get_context(node);
	struct texts t = { 0 };

	begin_line(p, false);
	poly_str_add(p->out, "context");
	keep_text(&t, poly_text_set(p->prog, set));
	end_node(p, &t);
}

static void print_word(struct printer *p, const char *word)
{
	begin_line(p, false);
	poly_str_printf(p->out, "%s\n", word);
}

/* Print the line of "node". Kinds that the text form does not have print as
 * "unsupported", which poly_parse rejects.
 */
static void print_node(struct printer *p, __isl_keep isl_schedule_node *node)
{
	switch (isl_schedule_node_get_type(node)) {
	case isl_schedule_node_domain:
		print_sets(p, "domain",
			isl_schedule_node_domain_get_domain(node));
		break;
	case isl_schedule_node_filter:
		print_sets(p, "filter",
			isl_schedule_node_filter_get_filter(node));
		break;
	case isl_schedule_node_band:
		print_band(p, node);
		break;
	case isl_schedule_node_mark:
		print_mark(p, node);
		break;
	case isl_schedule_node_context:
		print_context(p, node);
		break;
	case isl_schedule_node_sequence:
		print_word(p, "sequence");
		break;
	case isl_schedule_node_set:
		print_word(p, "set");
		break;
	case isl_schedule_node_leaf:
		break;
	default:
		print_word(p, "unsupported");
		break;
	}
}

/* Print "node" and what is below it. */
static void print_subtree(struct printer *p, __isl_keep isl_schedule_node *node)
{
	isl_size i, n = isl_schedule_node_n_children(node);

	print_node(p, node);
	p->depth++;
	for (i = 0; i < n; i++) {
		isl_schedule_node *child;

		child = isl_schedule_node_get_child(node, (int)i);
		print_subtree(p, child);
		isl_schedule_node_free(child);
	}
	p->depth--;
}

void poly_print_schedule(struct poly_prog *prog,
	__isl_keep isl_schedule *schedule, struct poly_str *out,
	const char *prefix)
{
	struct printer p = { .prog = prog, .out = out, .prefix = prefix };
	isl_schedule_node *root = isl_schedule_get_root(schedule);

	print_subtree(&p, root);
	isl_schedule_node_free(root);
}

/* Append the tree of "prog" (nothing without one), each line behind "prefix".
 */
void poly_print_tree(struct poly_prog *prog, struct poly_str *out,
	const char *prefix)
{
	if (prog->schedule)
		poly_print_schedule(prog, prog->schedule, out, prefix);
}
