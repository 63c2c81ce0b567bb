/* The schedule tree from its text.
 *
 * The lines become a flat list of nodes first, each with its depth; then isl's
 * tree is built from the root down, a node at a leaf at a time, each from the
 * single sets and functions that its line holds. isl never sees the text of a
 * tree: its reader crashes on hostile ones and accepts broken ones.
 */
#include <stdlib.h>
#include <string.h>

#include <isl/id.h>
#include <isl/space.h>

#include "polyir/base/base.h"
#include "polyir/text/text.h"

enum kind { DOMAIN, CONTEXT, FILTER, BAND, SEQUENCE, SET, MARK };

static const char *const word[] = {
	"domain", "context", "filter", "band", "sequence", "set", "mark"
};

/* A node as its lines have it. "set" is a domain, filter or context. */
struct node {
	enum kind kind;
	int depth;
	struct poly_loc loc;
	isl_union_set *set;
	isl_multi_union_pw_aff *partial;
	isl_union_set *options;
	char *mark;
	bool permutable;
	int n_flag;
	bool coincident[POLY_MEMBER_MAX];
};

/* A tree whose nodes are read, in the order of the text. */
struct reader {
	struct poly_scan *scan;
	struct node *node;
	int n, cap;
};

bool poly_mark_is_valid(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ_:,-");

	return n > 0 && !name[n];
}

static __isl_give isl_union_set *add_set(__isl_take isl_union_set *all,
	__isl_take isl_set *set)
{
	return isl_union_set_union(all, isl_union_set_from_set(set));
}

/* Add the next text to the node. */
static void read_text(struct poly_scan *s, struct node *node)
{
	isl_multi_union_pw_aff *one;
	isl_multi_pw_aff *index;

	if (node->kind == DOMAIN || node->kind == FILTER ||
	    node->kind == CONTEXT) {
		node->set = add_set(node->set, poly_scan_set(s));
		return;
	}
	if (node->kind != BAND) {
		poly_scan_error(s, "\"%s\" has no sets", word[node->kind]);
		return;
	}
	index = poly_scan_index(s);
	if (!index)
		return;
	if (isl_multi_pw_aff_dim(index, isl_dim_out) != node->n_flag) {
		isl_multi_pw_aff_free(index);
		s->pos--;
		poly_scan_error(s, "the band has %d flags, not one a member",
			node->n_flag);
		return;
	}
	one = isl_multi_union_pw_aff_from_multi_pw_aff(index);
	node->partial = node->partial ?
		isl_multi_union_pw_aff_union_add(node->partial, one) : one;
}

/* Read the words behind "band". */
static void read_flags(struct poly_scan *s, struct node *node)
{
	int64_t flag = 0;

	node->permutable = poly_scan_accept(s, "permutable");
	poly_scan_expect(s, "coincident");
	while (!s->failed && poly_scan_peek(s)->kind == POLY_TOKEN_WORD) {
		if (node->n_flag == POLY_MEMBER_MAX) {
			poly_scan_limit(s, "a band has more than %d members",
				POLY_MEMBER_MAX);
			return;
		}
		if (poly_scan_int(s, "a flag", 0, 1, &flag))
			node->coincident[node->n_flag++] = flag;
	}
	if (!node->n_flag)
		poly_scan_error(s, "a band needs a member");
}

static void read_mark(struct poly_scan *s, struct node *node)
{
	const char *name = poly_scan_peek(s)->text;

	if (!poly_mark_is_valid(name)) {
		poly_scan_error(s, "expected the name of a mark");
		return;
	}
	node->mark = strdup(name);
	poly_scan_word(s, "the name of a mark");
}

/* Read the lines below the node's that hold its texts and options. */
static void read_more(struct poly_scan *s, struct node *node, int indent)
{
	isl_set *set;

	while (!s->failed && !s->at_end && s->indent == indent + 4) {
		if (node->kind == BAND && poly_scan_accept(s, "options")) {
			set = poly_scan_set(s);
			node->options = add_set(node->options, set);
		} else if (poly_scan_peek(s)->kind == POLY_TOKEN_STRING) {
			read_text(s, node);
		} else {
			return;
		}
		poly_scan_line(s);
	}
}

/* Room for one more node, zeroed; NULL, reported, without memory. */
static struct node *add_node(struct reader *r)
{
	int cap = r->cap ? 2 * r->cap : 32;
	struct node *bigger;

	if (r->n == r->cap) {
		bigger = realloc(r->node, (size_t)cap * sizeof(*bigger));
		if (!bigger) {
			poly_scan_limit(r->scan, "out of memory");
			return NULL;
		}
		r->node = bigger;
		r->cap = cap;
	}
	memset(&r->node[r->n], 0, sizeof(*bigger));
	return &r->node[r->n++];
}

/* Check that a node of "kind" may stand at "depth" behind the last node. */
static bool check_depth(struct reader *r, enum kind kind, int depth)
{
	const struct node *last = r->n ? &r->node[r->n - 1] : NULL;
	int parent = r->n - 1;

	if (depth > POLY_NEST_MAX)
		return poly_scan_limit(r->scan,
			"the tree is deeper than %d nodes", POLY_NEST_MAX);
	if (depth < 0 || depth > (last ? last->depth + 1 : 0))
		return poly_scan_error(r->scan, "wrong indentation");
	while (parent >= 0 && r->node[parent].depth >= depth)
		parent--;
	if ((parent < 0) != (kind == DOMAIN))
		return poly_scan_error(r->scan, "the root, and only the root, "
			"is a domain");
	if (parent < 0)
		return r->n == 0 || poly_scan_error(r->scan, "a second root");
	if (r->node[parent].kind != SEQUENCE && r->node[parent].kind != SET)
		return parent == r->n - 1 || poly_scan_error(r->scan,
			"only a sequence and a set have several children");
	return kind == FILTER || poly_scan_error(r->scan,
		"the children of a sequence or a set are filters");
}

/* Read the node on the current line, the root being indented by two. */
static bool read_node(struct reader *r)
{
	struct poly_scan *s = r->scan;
	int kind = 0, indent = s->indent;
	struct node *node;

	while (kind <= MARK && !poly_scan_is(s, word[kind]))
		kind++;
	if (kind > MARK)
		return poly_scan_error(s, "expected a node of the tree");
	if (indent % 2)
		return poly_scan_error(s, "wrong indentation");
	if (!check_depth(r, (enum kind)kind, indent / 2 - 1))
		return false;
	node = add_node(r);
	if (!node)
		return false;
	node->kind = (enum kind)kind;
	node->depth = indent / 2 - 1;
	node->loc = poly_scan_peek(s)->loc;
	node->set = isl_union_set_empty(isl_space_params_alloc(s->ctx, 0));
	node->options = isl_union_set_copy(node->set);
	poly_scan_accept(s, word[kind]);
	if (kind == BAND)
		read_flags(s, node);
	if (kind == MARK)
		read_mark(s, node);
	while (!s->failed && poly_scan_peek(s)->kind == POLY_TOKEN_STRING)
		read_text(s, node);
	poly_scan_line(s);
	read_more(s, node, indent);
	return !s->failed;
}

/* The node behind the subtree of node "i". */
static int skip(const struct reader *r, int i)
{
	int depth = r->node[i].depth;

	for (i++; i < r->n && r->node[i].depth > depth; i++)
		;
	return i;
}

/* Insert the band "n" at the leaf "at". */
static __isl_give isl_schedule_node *insert_band(
	__isl_take isl_schedule_node *at, const struct node *n)
{
	int i;

	at = isl_schedule_node_insert_partial_schedule(at,
		isl_multi_union_pw_aff_copy(n->partial));
	at = isl_schedule_node_band_set_permutable(at, n->permutable);
	for (i = 0; i < n->n_flag; i++)
		at = isl_schedule_node_band_member_set_coincident(at, i,
			n->coincident[i]);
	return isl_schedule_node_band_set_ast_build_options(at,
		isl_union_set_copy(n->options));
}

/* Insert the sequence or set "i" with its filters at the leaf "at". */
static __isl_give isl_schedule_node *insert_children(struct reader *r,
	__isl_take isl_schedule_node *at, int i)
{
	isl_union_set_list *filters;
	int c, end = skip(r, i);

	filters = isl_union_set_list_alloc(r->scan->ctx, 4);
	for (c = i + 1; c < end; c = skip(r, c))
		filters = isl_union_set_list_add(filters,
			isl_union_set_copy(r->node[c].set));
	return r->node[i].kind == SEQUENCE ?
		isl_schedule_node_insert_sequence(at, filters) :
		isl_schedule_node_insert_set(at, filters);
}

/* Insert node "i" at the leaf "at". */
static __isl_give isl_schedule_node *insert_node(struct reader *r,
	__isl_take isl_schedule_node *at, int i)
{
	const struct node *n = &r->node[i];
	isl_ctx *ctx = r->scan->ctx;

	switch (n->kind) {
	case FILTER:
		return isl_schedule_node_insert_filter(at,
			isl_union_set_copy(n->set));
	case CONTEXT:
		return isl_schedule_node_insert_context(at,
			isl_set_from_union_set(isl_union_set_copy(n->set)));
	case BAND:
		return insert_band(at, n);
	case MARK:
		return isl_schedule_node_insert_mark(at,
			isl_id_alloc(ctx, n->mark, NULL));
	default:
		return insert_children(r, at, i);
	}
}

static __isl_give isl_schedule_node *build(struct reader *r,
	__isl_take isl_schedule_node *at, int i);

/* Build the children of the sequence or set "i", which "at" is. */
static __isl_give isl_schedule_node *build_children(struct reader *r,
	__isl_take isl_schedule_node *at, int i)
{
	int c, position = 0, end = skip(r, i);

	for (c = i + 1; c < end; c = skip(r, c)) {
		at = isl_schedule_node_child(at, position++);
		if (c + 1 < skip(r, c)) {
			at = isl_schedule_node_child(at, 0);
			at = build(r, at, c + 1);
			at = isl_schedule_node_parent(at);
		}
		at = isl_schedule_node_parent(at);
	}
	return at;
}

/* Build node "i" and what is below it at the leaf "at"; returns the node. */
static __isl_give isl_schedule_node *build(struct reader *r,
	__isl_take isl_schedule_node *at, int i)
{
	const struct node *n = &r->node[i];
	const char *why;

	at = insert_node(r, at, i);
	if (!at && !r->scan->failed) {
		why = isl_ctx_last_error_msg(r->scan->ctx);
		poly_report_add(r->scan->report, MSG_POLY_TREE, &n->loc,
			why ? why : "isl refuses this node");
		r->scan->failed = true;
	}
	if (n->kind == SEQUENCE || n->kind == SET)
		return build_children(r, at, i);
	if (i + 1 == skip(r, i))
		return at;
	at = isl_schedule_node_child(at, 0);
	at = build(r, at, i + 1);
	return isl_schedule_node_parent(at);
}

/* Check what isl would not: that nodes have what they need. */
static bool check_node(struct reader *r, int i)
{
	const struct node *n = &r->node[i];
	const char *why = NULL;

	if (n->kind == BAND && !n->partial)
		why = "a band without a function";
	if ((n->kind == SEQUENCE || n->kind == SET) && skip(r, i) == i + 1)
		why = "no children";
	if (n->kind == CONTEXT && isl_union_set_n_set(n->set) != 1)
		why = "a context is one set";
	if (!why)
		return true;
	poly_report_add(r->scan->report, MSG_POLY_TREE, &n->loc, why);
	r->scan->failed = true;
	return false;
}

/* Build the tree of all nodes. */
static __isl_give isl_schedule *build_tree(struct reader *r)
{
	isl_schedule_node *node;
	isl_schedule *schedule;
	int i;

	if (!r->n)
		poly_scan_error(r->scan, "expected \"domain\"");
	for (i = 0; i < r->n && !r->scan->failed; i++)
		check_node(r, i);
	if (r->scan->failed)
		return NULL;
	node = isl_schedule_node_from_domain(
		isl_union_set_copy(r->node[0].set));
	if (r->n > 1) {
		node = isl_schedule_node_child(node, 0);
		node = build(r, node, 1);
	}
	schedule = isl_schedule_node_get_schedule(node);
	isl_schedule_node_free(node);
	if (!schedule)
		poly_scan_error(r->scan, "isl refuses this tree");
	return schedule;
}

__isl_give isl_schedule *poly_parse_tree(struct poly_scan *s)
{
	struct reader r = { .scan = s };
	isl_schedule *schedule = NULL;
	int i;

	poly_scan_word(s, "a tree");
	poly_scan_line(s);
	while (!s->failed && !s->at_end && s->indent > 0)
		read_node(&r);
	if (!s->failed)
		schedule = build_tree(&r);
	for (i = 0; i < r.n; i++) {
		isl_union_set_free(r.node[i].set);
		isl_union_set_free(r.node[i].options);
		isl_multi_union_pw_aff_free(r.node[i].partial);
		free(r.node[i].mark);
	}
	free(r.node);
	return schedule;
}
